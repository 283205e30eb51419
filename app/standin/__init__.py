"""A stand-in for GitHub on loopback: stateful, strict, and checked against GitHub's own API description.

It speaks the part of GitHub that Callsheet uses: the REST endpoints of an app, pull requests and check runs; git's
smart HTTP protocol with `refs/pull/N/{head,merge}`; and signed webhooks. It refuses what GitHub refuses (over-long
fields counted in bytes, more than 50 annotations, unknown conclusions, bad tokens) and can be told to misbehave the
way GitHub sometimes does (`StandIn.faults`). `callsheet demo` and the tests drive it through `StandIn`:

    with StandIn.start() as github:
        shop = github.repository("acme/shop", {"shop/prices.py": "def price(): ..."})
        pull = shop.open_pull("Prices in euros", {"shop/prices.py": "def price(currency): ..."})
        github.deliver(pull.opened(), to="http://127.0.0.1:8000/webhooks")

What it leaves out: everything Callsheet never asks for, and pushes over HTTP.
"""

from app.standin.faults import Faults
from app.standin.server import StandIn
from app.standin.world import CheckRun, Delivery, Event, Pull, Repository

__all__ = ["CheckRun", "Delivery", "Event", "Faults", "Pull", "Repository", "StandIn"]

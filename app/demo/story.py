"""The demo's repository and pull request, built with git from the files in `sample/`.

`start/` is the first commit, `main/` what main gained after the pull request was branched off, `pull/` what the pull
request changes. The files carry a further ending, `.sample`, so that no tool takes them for this project's own code.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from app.standin import Pull, StandIn

SAMPLE: Final = Path(__file__).parent / "sample"
MOVED: Final = "shop/formatting.py"
"""The file that the pull request moves to shop/text/money.py."""

EXPECTED: Final = (
    ("shop/invoices.py", "a call that no longer fits: the discount is no longer positional, currency= is missing"),
    ("shop/subscriptions.py", "the same in a caller that only exists on main: the test merge was read"),
    ("shop/emails.py", "an import of the moved file by its old path"),
    ("web/src/pages/OrderPage.tsx", "a TypeScript call that no longer fits, through a barrel and a tsconfig path"),
)
"""Files outside the diff that the briefing has to name, and why."""


def sample_files(part: str) -> dict[str, str | bytes | None]:
    """The files of `start`, `main` or `pull`, by their path in the sample repository."""
    root = SAMPLE / part
    found = sorted(path for path in root.rglob("*.sample") if path.is_file())
    return {path.relative_to(root).as_posix().removesuffix(".sample"): path.read_bytes() for path in found}


def open_sample_pull(github: StandIn) -> Pull:
    """Make the repository acme/shop at the stand-in, with the pull request open and main moved on."""
    shop = github.repository("acme/shop", sample_files("start"))
    changes = sample_files("pull") | {MOVED: None}
    pull = shop.open_pull("Prices in other currencies", changes, branch="currencies", author="rosa")
    shop.push("main", sample_files("main"), message="Yearly subscriptions")
    return pull

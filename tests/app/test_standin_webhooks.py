"""The stand-in's webhooks, held against the payloads that GitHub's users have published.

What a field may be is taken from all published payloads of the event: which fields an object always has, which it may
have, and of which kinds their values are. A webhook with a field nobody has seen, without one that is always there, or
with a value of another kind, is none that GitHub sends.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.standin import Event, StandIn

EXAMPLES = Path(__file__).parents[1] / "data" / "webhooks-examples.json.xz"
NEWER = {
    "app_slug",
    "allow_forking",
    "client_id",
    "has_discussions",
    "has_multiple_single_files",
    "single_file_paths",
}
"""Fields that GitHub's description of its API has and that are younger than the published payloads."""


@dataclass
class Shape:
    """What was seen in one place: kinds of values, and for objects how often each field was there."""

    kinds: set[str] = field(default_factory=set)
    objects: int = 0
    fields: dict[str, Shape] = field(default_factory=dict)
    times: dict[str, int] = field(default_factory=dict)
    items: Shape | None = None

    def see(self, value: Any) -> None:
        """One more value in this place."""
        self.kinds.add(kind(value))
        if isinstance(value, dict):
            self.objects += 1
            for name, inner in value.items():
                self.fields.setdefault(name, Shape()).see(inner)
                self.times[name] = self.times.get(name, 0) + 1
        elif isinstance(value, list):
            self.items = self.items or Shape()
            for each in value:
                self.items.see(each)

    def problems(self, value: Any, where: str) -> Iterator[str]:
        """What of `value` was never seen here."""
        if kind(value) not in self.kinds and "null" not in self.kinds | {kind(value)}:
            yield f"{where} is {kind(value)}, and was {sorted(self.kinds)}"
        if isinstance(value, dict) and self.objects:
            for name, inner in value.items():
                if name in self.fields:
                    yield from self.fields[name].problems(inner, f"{where}.{name}")
                elif name not in NEWER:
                    yield f"{where}.{name} was never seen"
            for name, times in self.times.items():
                if times == self.objects and name not in value and not where.endswith(".permissions"):
                    yield f"{where}.{name} is missing"
        if isinstance(value, list) and self.items is not None and self.items.kinds:
            for number, each in enumerate(value):
                yield from self.items.problems(each, f"{where}[{number}]")


def kind(value: Any) -> str:
    """The kind of a JSON value."""
    names = {dict: "object", list: "array", str: "string", bool: "boolean", type(None): "null"}
    return names.get(type(value), "number")


@cache
def published() -> dict[str, Shape]:
    """The shape of each event."""
    shapes: dict[str, Shape] = {}
    for webhook in json.loads(lzma.decompress(EXAMPLES.read_bytes())):
        for example in webhook["examples"]:
            shapes.setdefault(webhook["name"], Shape()).see(example)
            if webhook["name"] == "installation":  # the same object; its newest examples are here
                about = shapes.setdefault("installation_repositories", Shape()).fields
                about.setdefault("installation", Shape()).see(example["installation"])
    return shapes


def problems(event: Event) -> list[str]:
    return list(published()[event.name].problems(json.loads(json.dumps(event.payload)), event.name))


def told(github: StandIn) -> list[Event]:
    """One of every webhook the stand-in knows."""
    shop = github.repository("acme/shop", {"a.py": "x = 1\n"})
    pull = shop.open_pull("Change", {"a.py": "x = 2\n"}, branch="change")
    forked = shop.open_pull("From a fork", {"b.py": "y = 2\n"}, branch="fork", fork="mallory")
    from_fork = forked.opened()
    forked.delete_fork()
    body = {"name": "Callsheet", "head_sha": pull.head_sha, "conclusion": "neutral", "external_id": "1"}
    token = github.world.mint_token(github.world.permissions, None)
    made = httpx.post(
        f"{github.api_url}/repos/acme/shop/check-runs",
        json=body | {"actions": [{"label": "Re-brief", "description": "Again", "identifier": "rebrief"}]},
        headers={"Authorization": f"Bearer {token.value}"},
        trust_env=False,
    )
    assert made.status_code == 201, made.text
    run = pull.check_runs()[0]
    world = github.world
    return [
        *(pull.event(action) for action in ("opened", "synchronize", "reopened", "ready_for_review", "closed")),
        from_fork,
        forked.synchronized(),
        run.pressed("rebrief"),
        run.rerequested(),
        run.suite_rerequested(),
        shop.pushed("main", {"c.py": "z = 1\n"}),
        shop.queued(pull),
        *(shop.event(action) for action in ("renamed", "transferred", "privatized")),
        *(world.installation_event(action) for action in ("created", "deleted", "suspend", "unsuspend")),
        world.repositories_event("added", [shop]),
        world.repositories_event("removed", [shop]),
    ]


def test_a_webhook_of_the_stand_in_is_none_that_github_sends(github: StandIn) -> None:
    events = told(github)
    assert [text for event in events for text in problems(event)] == []
    assert {event.name for event in events} == {
        "check_run",
        "check_suite",
        "installation",
        "installation_repositories",
        "merge_group",
        "pull_request",
        "push",
        "repository",
    }


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda payload: payload["pull_request"].update(number="1"), "pull_request.pull_request.number is string"),
        (lambda payload: payload["pull_request"]["head"].pop("sha"), "pull_request.pull_request.head.sha is missing"),
        (lambda payload: payload.update(reason="x"), "pull_request.reason was never seen"),
        (lambda payload: payload["pull_request"]["labels"].append(1), "pull_request.pull_request.labels[0] is number"),
    ],
)
def test_the_comparison_itself_overlooks_a_wrong_webhook(github: StandIn, change: Any, said: str) -> None:
    event = github.repository("acme/shop", {"a.py": "x = 1\n"}).open_pull("Change", {"a.py": "x = 2\n"}).opened()
    change(event.payload)
    assert any(text.startswith(said) for text in problems(event))

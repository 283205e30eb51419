"""Payloads nobody would send: whatever is signed, the reader answers with an event or says that it is malformed."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from app.events import Malformed, read_event

EXAMPLES = Path(__file__).parents[1] / "data" / "webhooks-examples.json.xz"
NAMES = (
    "pull_request",
    "push",
    "check_run",
    "check_suite",
    "merge_group",
    "installation",
    "installation_repositories",
    "repository",
)
PAYLOADS: list[tuple[str, Any]] = [
    (webhook["name"], example)
    for webhook in json.loads(lzma.decompress(EXAMPLES.read_bytes()))
    if webhook["name"] in NAMES
    for example in webhook["examples"]
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(st.text(max_size=8), inside, max_size=3),
    max_leaves=8,
)


def read(name: str, payload: bytes) -> None:
    try:
        read_event(name, payload, 77)
    except Malformed as malformed:
        assert len(str(malformed)) < 300


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of what a payload holds, not too deep: what is read lies at its top."""
    found = [path] if path else []
    if len(path) < 4 and isinstance(value, dict):
        for key, inside in value.items():
            found += places(inside, (*path, key))
    if len(path) < 4 and isinstance(value, list):
        for index, inside in enumerate(value[:2]):
            found += places(inside, (*path, index))
    return found


@settings(max_examples=300, deadline=None)
@given(name=st.sampled_from(NAMES), payload=st.binary(max_size=200))
def test_bytes_crash_the_reader(name: str, payload: bytes) -> None:
    read(name, payload)


@settings(max_examples=300, deadline=None)
@given(name=st.sampled_from(NAMES), value=JSON)
def test_any_json_crashes_the_reader(name: str, value: Any) -> None:
    read(name, json.dumps(value).encode())


@settings(max_examples=500, deadline=None)
@given(data=st.data())
def test_a_real_payload_with_one_odd_value_crashes_the_reader(data: st.DataObject) -> None:
    name, example = data.draw(st.sampled_from(PAYLOADS))
    value = json.loads(json.dumps(example | {"installation": {"id": 42}}))
    place = data.draw(st.sampled_from(places(value)))
    holder = value
    for step in place[:-1]:
        holder = holder[step]
    if data.draw(st.booleans()):
        holder[place[-1]] = data.draw(JSON)
    else:
        del holder[place[-1]]
    read(name, json.dumps(value).encode())

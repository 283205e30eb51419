"""The JSON is what docs/briefing.schema.json says, and docs/json.md explains all of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from graph.briefing import Briefing
from graph.render import to_json

from .briefings import ALL, HEAD, hostile, small

DOCS = Path(__file__).parents[2] / "docs"
SCHEMA = json.loads((DOCS / "briefing.schema.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft202012Validator({**SCHEMA, "oneOf": [{"$ref": "#/$defs/briefing"}]})


def test_the_schema_is_no_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", sorted(set(ALL) - {"huge"}))
def test_a_briefing_is_not_what_the_schema_says(name: str) -> None:
    printed = to_json(ALL[name]())
    assert printed.endswith(b"}\n")
    VALIDATOR.validate(json.loads(printed))


def broken(change: Any) -> bool:
    value = json.loads(to_json(small()))
    change(value)
    return not VALIDATOR.is_valid(value)


def test_the_schema_lets_anything_pass() -> None:
    assert broken(lambda value: value.pop("incomplete"))
    assert broken(lambda value: value.update(extra=1))
    assert broken(lambda value: value.update(graphFrom="head"))  # with a baseSha
    assert broken(lambda value: value["eyes"][0].update(what="risk"))
    assert broken(lambda value: value["changed"][2]["symbols"][0].pop("callers"))
    assert broken(lambda value: value["changed"][2]["symbols"][0]["callers"][0].update(line=0))
    assert broken(lambda value: value["changed"][2]["symbols"][0]["callers"][0].update(kind="unknown"))
    assert broken(lambda value: value["moved"][0].update(oldPath=None))
    assert not broken(lambda value: None)


def test_the_callers_of_a_symbol_are_no_output_of_callers() -> None:
    caller = {"file": "a.py", "line": 1, "sure": True, "kind": "call", "via": None, "reason": None, "within": None}
    output = {"symbols": [{"file": "b.py", "line": 2, "name": "f", "qualified": "f", "callers": [caller]}]}
    validator = jsonschema.Draft202012Validator(SCHEMA)
    validator.validate(output)
    del caller["sure"]
    assert not validator.is_valid(output)


def fields(schema: Any) -> set[str]:
    if isinstance(schema, list):
        return set().union(*map(fields, schema))
    if not isinstance(schema, dict):
        return set()
    own = set(schema["properties"]) if schema.get("type") == "object" else set()
    return own.union(*(fields(part) for part in schema.values()))


def test_a_field_is_missing_from_the_documentation() -> None:
    text = (DOCS / "json.md").read_text("utf-8")
    assert {field for field in fields(SCHEMA) if f"`{field}`" not in text} == set()


def test_a_value_is_missing_from_the_documentation() -> None:
    text = (DOCS / "json.md").read_text("utf-8")
    values = {
        value for definition in SCHEMA["$defs"].values() for prop in definition.get("properties", {}).values()
        for value in prop.get("enum", ())
    } | set(SCHEMA["$defs"]["callerKind"]["enum"])  # fmt: skip
    assert {value for value in values if f"`{value}`" not in text} == set()


def test_a_path_that_is_not_utf8_cannot_be_printed() -> None:
    paths = [file["path"] for file in json.loads(to_json(hostile()))["changed"]]
    assert "caf\udce9.py" in paths
    assert b'"caf\\udce9.py"' in to_json(hostile())


def test_the_arrays_are_in_no_order() -> None:
    value = json.loads(to_json(small()))
    for file in value["changed"]:
        assert file["symbols"] == sorted(file["symbols"], key=lambda symbol: symbol["line"])
        for symbol in file["symbols"]:
            assert symbol["callers"] == sorted(symbol["callers"], key=lambda each: (each["path"], each["line"]))
    assert value["changed"] == sorted(value["changed"], key=lambda file: file["path"] or file["oldPath"])
    assert value["tests"] == sorted(value["tests"], key=lambda test: (test["path"], test["line"] or 0))
    assert value["headSha"] == HEAD


def test_a_briefing_cannot_be_read_back() -> None:
    import msgspec

    assert msgspec.json.decode(to_json(small()), type=Briefing) == small()

"""Check what went between Callsheet and the stand-in against GitHub's own description of its REST API."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from jsonschema import Draft202012Validator

from app.standin.world import Exchange

CUT = Path(__file__).parent / "data" / "github-openapi-cut.json"
UNDESCRIBED = re.compile(r"/repositories/\d+")
"""Served by GitHub and part of redirects, but not in its description: the same as /repos/OWNER/NAME."""


@cache
def description() -> dict[str, Any]:
    """The cut, with OpenAPI 3.0's `nullable` said in JSON Schema's way, and two mistakes of GitHub's corrected.

    The description says that `head.repo` is always there; it is null once a fork was deleted
    (github/rest-api-description#161). And in the list of installations it wants an account to be a user and an
    enterprise in one; the single installation's shape has it right.
    """
    made: dict[str, Any] = _plain(json.loads(CUT.read_text(encoding="utf-8")))
    for name in ("pull-request", "pull-request-simple"):
        head = made["components"]["schemas"][name]["properties"]["head"]["properties"]
        head["repo"] = {"anyOf": [{"type": "null"}, head["repo"]]}
    listed = made["paths"]["/app/installations"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    listed["items"] = {"$ref": "#/components/schemas/installation"}
    return made


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    made = {key: _plain(item) for key, item in value.items() if key != "nullable"}
    if value.get("nullable") is True:
        return {"anyOf": [{"type": "null"}, made]}
    return made


def problems(exchange: Exchange) -> list[str]:
    """What of an exchange GitHub's description does not allow. Refused requests may be wrong; answers never."""
    return [f"{exchange.method} {exchange.path}: {text}" for text in _problems(exchange)]


def _problems(exchange: Exchange) -> Iterator[str]:
    operation = _operation(exchange)
    if operation is None:
        if exchange.status not in (301, 400, 401, 404):
            yield "no such operation is described"
        return
    if exchange.status < 300 or exchange.status >= 500:
        yield from _request_problems(exchange, operation)
    yield from _response_problems(exchange, operation)


def _operation(exchange: Exchange) -> dict[str, Any] | None:
    path = UNDESCRIBED.sub("/repos/OWNER/NAME", exchange.path)
    for template, methods in description()["paths"].items():
        pattern = re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(template).replace(r"\{path\}", ".+"))
        if re.fullmatch(pattern, path) and exchange.method.lower() in methods:
            found = methods[exchange.method.lower()]
            assert isinstance(found, dict)
            return found
    return None


def _request_problems(exchange: Exchange, operation: dict[str, Any]) -> Iterator[str]:
    body = operation.get("requestBody")
    if exchange.sent is not None:
        if body is None:
            yield "a body is sent where none is described"
        else:
            yield from _schema_problems(exchange.sent, body["content"]["application/json"]["schema"], "request")
    elif body is not None and body.get("required"):
        yield "a body is required"
    known = {}
    for parameter in operation.get("parameters", []):
        described = _resolved(parameter)
        known[described["name"]] = described
    for name, value in parse_qsl(exchange.query, keep_blank_values=True):
        if name not in known:
            yield f"query parameter {name} is not described"
            continue
        schema = known[name]["schema"]
        typed: Any = int(value) if schema.get("type") == "integer" and value.isdecimal() else value
        yield from _schema_problems(typed, schema, f"query parameter {name}")


def _response_problems(exchange: Exchange, operation: dict[str, Any]) -> Iterator[str]:
    response = operation["responses"].get(str(exchange.status))
    if response is not None:
        content = _resolved(response).get("content", {}).get("application/json")
        if content is not None:
            schema = content["schema"]
            if exchange.api_version == "2026-03-10":
                schema = _without_merge_sha(schema)
            yield from _schema_problems(exchange.answered, schema, f"answer {exchange.status}")
    elif exchange.status == 301 or exchange.status >= 400:  # alike everywhere, and described only for some operations
        schema = {"$ref": "#/components/schemas/basic-error"}
        yield from _schema_problems(exchange.answered, schema, f"answer {exchange.status}")
    else:
        yield f"status {exchange.status} is not described"


def _without_merge_sha(schema: dict[str, Any]) -> dict[str, Any]:
    """API version 2026-03-10 took `merge_commit_sha` out of pull requests; the description is of the one before."""
    target = _resolved(schema)
    if target.get("type") == "array":
        return {**target, "items": _without_merge_sha(target["items"])}
    return {**target, "required": [name for name in target.get("required", []) if name != "merge_commit_sha"]}


def _resolved(value: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in value:
        return value
    found: Any = description()
    for part in value["$ref"].removeprefix("#/").split("/"):
        found = found[part]
    assert isinstance(found, dict)
    return found


def _schema_problems(value: Any, schema: dict[str, Any], what: str) -> Iterator[str]:
    validator = Draft202012Validator({**schema, "components": description()["components"]})
    for error in validator.iter_errors(value):
        place = "/".join(str(part) for part in error.absolute_path)
        yield f"{what}: {place or 'as a whole'}: {error.message[:300]}"

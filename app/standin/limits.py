"""What GitHub refuses in a check run: the rules of POST and PATCH, with its limits counted the way GitHub counts.

The text limits are in bytes of UTF-8 (GitHub's documentation says characters; its answers say bytes).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

MAX_TEXT_BYTES = 65_535
MAX_ANNOTATIONS = 50
MAX_ANNOTATION_BYTES = 64 * 1024
MAX_ANNOTATION_TITLE = 255
MAX_ACTIONS = 3
ACTION_LIMITS = {"label": 20, "description": 40, "identifier": 20}
STATUSES = ("queued", "in_progress", "completed")
CONCLUSIONS = ("action_required", "cancelled", "failure", "neutral", "success", "skipped", "timed_out")
LEVELS = ("notice", "warning", "failure")
TEXT_FIELDS = ("name", "head_sha", "details_url", "external_id", "started_at", "completed_at", "status", "conclusion")


def problems(body: Any, *, creating: bool) -> list[str]:
    """Why GitHub would answer 422 to this body, in words; empty when it would take it."""
    if not isinstance(body, dict):
        return ["For 'links/0/schema', the body is not an object."]
    return list(_problems(body, creating))


def _problems(body: dict[str, Any], creating: bool) -> Iterator[str]:
    if creating:
        for name in ("name", "head_sha"):
            if name not in body:
                yield f'"{name}" wasn\'t supplied.'
    for name in TEXT_FIELDS:
        if name in body and not isinstance(body[name], str):
            yield f"For 'properties/{name}', {body[name]!r} is not a string."
    if body.get("name") == "":
        yield "name can't be blank"
    sha = body.get("head_sha")
    if isinstance(sha, str) and not re.fullmatch(r"[0-9a-f]{40}", sha):
        yield "head_sha is not a valid SHA"
    if isinstance(body.get("status", "queued"), str) and body.get("status", "queued") not in STATUSES:
        yield f"{body['status']} is not a member of {list(STATUSES)}."
    conclusion = body.get("conclusion")
    if isinstance(conclusion, str) and conclusion not in CONCLUSIONS:
        yield f"{conclusion} is not a member of {list(CONCLUSIONS)}."
    if body.get("status") == "completed" and conclusion is None:
        yield '"conclusion" wasn\'t supplied: a completed check run needs one.'
    for name in ("started_at", "completed_at"):
        if isinstance(body.get(name), str) and not _is_time(body[name]):
            yield f"{body[name]} is not a valid date-time."
    if isinstance(body.get("details_url"), str) and not re.match(r"https?://", body["details_url"]):
        yield "details_url must use http or https scheme"
    if "output" in body:
        yield from _output_problems(body["output"])
    if "actions" in body:
        yield from _action_problems(body["actions"])


def _output_problems(output: Any) -> Iterator[str]:
    if not isinstance(output, dict):
        yield f"For 'properties/output', {output!r} is not an object."
        return
    for name in ("title", "summary"):
        if name not in output:
            yield f'"output.{name}" wasn\'t supplied.'
    for name in ("title", "summary", "text"):
        value = output.get(name)
        if value is None and name not in output:
            continue
        if not isinstance(value, str):
            yield f"For 'properties/{name}', {value!r} is not a string."
        elif len(value.encode("utf-8", "surrogatepass")) > MAX_TEXT_BYTES:
            yield f"{name} exceeds a maximum bytesize of {MAX_TEXT_BYTES}"
    annotations = output.get("annotations", [])
    if not isinstance(annotations, list):
        yield "For 'properties/annotations', it is not an array."
        return
    if len(annotations) > MAX_ANNOTATIONS:
        yield f"No more than {MAX_ANNOTATIONS} items are allowed; {len(annotations)} were supplied."
    for annotation in annotations:
        yield from _annotation_problems(annotation)


def _annotation_problems(annotation: Any) -> Iterator[str]:
    if not isinstance(annotation, dict):
        yield "An annotation is not an object."
        return
    for name in ("path", "annotation_level", "message"):
        if not isinstance(annotation.get(name), str) or not annotation[name]:
            yield f'"annotations.{name}" wasn\'t supplied.'
    for name in ("start_line", "end_line"):
        if not _is_integer(annotation.get(name)) or annotation[name] < 1:
            yield f'"annotations.{name}" is not a positive integer.'
    if isinstance(annotation.get("annotation_level"), str) and annotation["annotation_level"] not in LEVELS:
        yield f"{annotation['annotation_level']} is not a member of {list(LEVELS)}."
    for name in ("message", "raw_details"):
        value = annotation.get(name)
        if isinstance(value, str) and len(value.encode("utf-8", "surrogatepass")) > MAX_ANNOTATION_BYTES:
            yield f"annotations.{name} is longer than 64 KB."
    if isinstance(annotation.get("title"), str) and len(annotation["title"]) > MAX_ANNOTATION_TITLE:
        yield f"annotations.title is longer than {MAX_ANNOTATION_TITLE} characters."
    start, end = annotation.get("start_line"), annotation.get("end_line")
    if isinstance(start, int) and isinstance(end, int):
        if end < start:
            yield "annotations.end_line is before start_line."
        if end != start and ("start_column" in annotation or "end_column" in annotation):
            yield "annotations may only have columns when they are on one line."


def _action_problems(actions: Any) -> Iterator[str]:
    if not isinstance(actions, list):
        yield "For 'properties/actions', it is not an array."
        return
    if len(actions) > MAX_ACTIONS:
        yield f"No more than {MAX_ACTIONS} items are allowed; {len(actions)} were supplied."
    for action in actions:
        for name, limit in ACTION_LIMITS.items():
            value = action.get(name) if isinstance(action, dict) else None
            if not isinstance(value, str) or not value:
                yield f'"actions.{name}" wasn\'t supplied.'
            elif len(value) > limit:
                yield f"actions.{name} is too long (maximum is {limit} characters)"


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_time(value: str) -> bool:
    try:
        return datetime.fromisoformat(value).tzinfo is not None
    except ValueError:
        return False

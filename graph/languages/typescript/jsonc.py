"""JSON as configuration files have it: comments, trailing commas, a byte order mark."""

from __future__ import annotations

import re
from typing import Any

import msgspec

_TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/|,(?=(?:\s|//[^\n]*|/\*.*?\*/)*[}\]])', re.S)


def read_json(data: bytes) -> dict[str, Any]:
    """The object that the bytes hold; an empty one for anything that isn't an object or can't be read."""
    text = data.removeprefix(b"\xef\xbb\xbf")
    try:
        found = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        cleaned = _TOKENS.sub(lambda match: match[0] if match[0].startswith(b'"') else b" ", text)
        try:
            found = msgspec.json.decode(cleaned)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            return {}
    return found if isinstance(found, dict) else {}

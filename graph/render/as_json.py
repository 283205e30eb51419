"""The briefing as JSON, as docs/json.md and docs/briefing.schema.json describe it."""

from __future__ import annotations

import json

import msgspec

from graph.briefing import Briefing


def to_json(briefing: Briefing) -> bytes:
    """UTF-8 JSON, indented by one, with a newline at the end; the same briefing gives the same bytes.

    A byte of a file name that is not UTF-8 (which Python decodes as a lone surrogate) is written as `\\udcXX`, which
    Python's `json` reads back as the same name.
    """
    try:
        return msgspec.json.format(msgspec.json.encode(briefing), indent=1) + b"\n"
    except UnicodeEncodeError:
        text = json.dumps(msgspec.to_builtins(briefing), ensure_ascii=False, indent=1)
        return text.encode("utf-8", "backslashreplace") + b"\n"

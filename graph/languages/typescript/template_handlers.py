"""What a component's template does when something happens: `@click="save"`, `@click="save(1)"`, `on:click={save}`."""

from __future__ import annotations

import re

from graph.expressions import Arguments

_LONGEST = 300
"""Bytes before a name in which its attribute may begin."""
_BEFORE = re.compile(
    rb"(?:(?<=\s)(?:@|v-on:)[\w:.\-\[\]]+\s*=\s*[\"']|(?<=\s)on:?[a-z][\w:|]*\s*=\s*[\"']?\{)"
    rb"\s*(?:\([\w$,\s]*\)\s*=>\s*)?(?:void\s+)?\Z"
)
_AFTER = re.compile(rb"[\w$]+\s*+(?P<called>\()?(?P<end>\s*+;?\s*+[\"'}])?")


def handled(source: bytes, at: int) -> Arguments | None:
    """What the name at `at` of a template is called with by an event; None where no event calls it. How much an event
    passes isn't known; what becomes of the result is nobody's concern: a promise may well be given."""
    found = _AFTER.match(source, at)
    before = _BEFORE.search(source, max(0, at - _LONGEST), at)
    if found is None or before is None:
        return None
    is_whole = found["end"] is not None and (found["called"] is None) != (b"=>" in before.group())
    return Arguments(0, spread=True, use="awaited") if is_whole or found["called"] is not None else None

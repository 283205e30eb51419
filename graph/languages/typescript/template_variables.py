"""What a template of a single-file component declares itself: variables of loops and of slots, and where they hold.

Found by patterns, like the template's names: what these miss declares nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

_ATTRIBUTE = rb"[^<>\"']|\"[^\"]*+\"|'[^']*+'"
_TAG = re.compile(
    rb"<(/?)([A-Za-z][\w.:-]*+)((?:" + _ATTRIBUTE + rb")*+)>"
    rb"|\{\#each\s([^\n{}]*+(?:\{[^\n{}]*+\}[^\n{}]*+)?)\}|\{/each\}"
)
_LOOP = re.compile(rb"\sv-for=(?:\"([^\"]*+)\"|'([^']*+)')")
_SLOT = re.compile(rb"\s(?:v-slot(?::[^\s=>]*+)?|\#[^\s=>]*+|slot-scope)=(?:\"([^\"]*+)\"|'([^']*+)')")
_LET = re.compile(rb"\slet:(\w+)(?:=\{(\w+)\})?")
_SIGNS = (b"v-for", b"v-slot", b"#", b"slot-scope", b"let:")
_VALUE = re.compile(rb"=[^,}\])]*")
_VARIABLE = re.compile(rb"(?<![\w$.])[A-Za-z_$][\w$]*+(?!\s*:)")
_OVER = re.compile(rb"\s(?:in|of)\s")
"""What stands between the variables of a loop and what it goes over."""
_KEY = re.compile(rb"\([^()]*\)\s*$")
_EACH = b"{#each}"


class TemplateVariables:
    """The variables that one template declares, and the spans in which they hold: the elements that declare them."""

    def __init__(self, template: bytes) -> None:
        declares = any(sign in template for sign in _SIGNS)
        self._spans = {name: _merged(spans) for name, spans in _declarations(template).items()} if declares else {}

    def holds(self, name: bytes, at: int) -> bool:
        """Whether a name at an offset is one of them."""
        spans = self._spans.get(name)
        if spans is None:
            return False
        place = bisect_right(spans, at, key=_start) - 1
        return place >= 0 and at < spans[place][1]


def _start(span: tuple[int, int]) -> int:
    return span[0]


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans in order, without overlaps."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _declarations(template: bytes) -> dict[bytes, list[tuple[int, int]]]:
    found: dict[bytes, list[tuple[int, int]]] = {}
    opened: list[tuple[bytes, int, tuple[bytes, ...]]] = []
    open_of: dict[bytes, int] = {}
    for tag in _TAG.finditer(template):
        closing, name, attributes = tag.group(1), tag.group(2), tag.group(3)
        each = tag.group(4)
        if each is not None:
            over, _, pattern = each.partition(b" as ")
            opened.append((_EACH, tag.start(4) + len(over), tuple(_names(_KEY.sub(b"", pattern)))))
            open_of[_EACH] = open_of.get(_EACH, 0) + 1
        elif name is not None and not closing:
            declared = tuple(_declared(attributes))
            for each_name in declared:  # in its own attributes, whether it is closed or not
                found.setdefault(each_name, []).append((tag.start(), tag.end()))
            if not attributes.endswith(b"/"):
                opened.append((name, tag.end(), declared))
                open_of[name] = open_of.get(name, 0) + 1
        else:
            closed = name if name is not None else _EACH
            while open_of.get(closed):
                last, start, declared = opened.pop()
                open_of[last] -= 1
                if last == closed:
                    for each_name in declared:
                        found.setdefault(each_name, []).append((start, tag.start()))
                    break
    return found


def _declared(attributes: bytes) -> Iterator[bytes]:
    for attribute in _LOOP.finditer(attributes):
        yield from _names(_OVER.split(attribute.group(1) or attribute.group(2) or b"", maxsplit=1)[0])
    for attribute in _SLOT.finditer(attributes):
        yield from _names(attribute.group(1) or attribute.group(2) or b"")
    for attribute in _LET.finditer(attributes):
        yield attribute.group(2) or attribute.group(1)


def _names(pattern: bytes) -> list[bytes]:
    """The names that a pattern binds: `(a, i)`, `{ a, b: c = 1 }`."""
    return _VARIABLE.findall(_VALUE.sub(b"", pattern))

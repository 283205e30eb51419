"""Calls and reads that a magic method answers for: nothing there names it."""

from __future__ import annotations

import tree_sitter

from graph.expressions import Super
from graph.languages.base import ImplicitUse
from graph.languages.php.grammar import query
from graph.languages.php.lower import NAMES, expression, scope
from graph.languages.php.reading import Reading

_CALLS = (
    "[(member_call_expression object: (_) @owner name: (name) @name)"
    " (nullsafe_member_call_expression object: (_) @owner name: (name) @name)]"
)
_READS = (
    "[(member_access_expression object: (_) @owner name: (name) @name)"
    " (nullsafe_member_access_expression object: (_) @owner name: (name) @name)]"
)
_WRITTEN = "(assignment_expression left: (member_access_expression name: (name) @name))"
_QUERIES = {
    "__invoke": "(function_call_expression function: (_) @owner) @name",
    "__call": _CALLS,
    "__callStatic": "(scoped_call_expression scope: (_) @owner name: (name) @name)",
    "__get": _READS,
    "__set": _READS,
}
MAGIC = frozenset(_QUERIES)
"""Methods that PHP calls by itself: of a value that is called, of what is not declared. Which of the last is for the
inference to say."""
MOST_PLACES = 3000
"""Places of one file that are looked at."""


def uses(reading: Reading, name: str) -> list[ImplicitUse]:
    """Every place where PHP may call the magic method of that name."""
    if name not in MAGIC:
        return []
    written = frozenset[int]()
    if name in ("__get", "__set"):
        captures = tree_sitter.QueryCursor(query(_WRITTEN)).captures(reading.root)
        written = frozenset(each.start_byte for each in captures.get("name", ()))
    places = [
        (captures["name"][0].start_byte, captures["owner"][0])
        for _, captures in tree_sitter.QueryCursor(query(_QUERIES[name])).matches(reading.root)
    ]
    found: list[ImplicitUse] = []
    for at, owner in sorted(places, key=lambda place: place[0])[:MOST_PLACES]:
        if (name == "__set" and at not in written) or (name == "__get" and at in written):
            continue
        if name == "__invoke" and owner.type in NAMES:
            continue
        receiver = scope(reading, owner) if name == "__callStatic" else expression(reading, owner)
        if not isinstance(receiver, Super):
            found.append(ImplicitUse(at, receiver, at if name == "__invoke" else -1))
    return found

"""Calls and reads that a magic method answers for: nothing there names it."""

from __future__ import annotations

import tree_sitter

from graph.expressions import Expression, Member, Super
from graph.languages.php.grammar import LANGUAGE
from graph.languages.php.lower import NAMES, callee, expression
from graph.languages.php.reading import Reading

_CALLS = "[(member_call_expression name: (name) @name) (nullsafe_member_call_expression name: (name) @name)]"
_READS = "[(member_access_expression name: (name) @name) (nullsafe_member_access_expression name: (name) @name)]"
_QUERIES = {
    "__invoke": "(function_call_expression function: (_) @function)",
    "__call": _CALLS,
    "__callStatic": "(scoped_call_expression name: (name) @name)",
    "__get": _READS,
    "__set": _READS,
}
MAGIC = frozenset(_QUERIES)
"""Methods that PHP calls by itself: of a value that is called, of what is not declared. Which of the last is for the
inference to say."""


def uses(reading: Reading, name: str) -> list[tuple[int, Expression]]:
    """(offset, receiver) of every place where PHP may call the magic method of that name."""
    if name not in MAGIC:
        return []
    query = tree_sitter.Query(LANGUAGE, _QUERIES[name])
    found: list[tuple[int, Expression]] = []
    for captures in tree_sitter.QueryCursor(query).captures(reading.root).values():
        for node in sorted(captures, key=lambda each: each.start_byte):
            receiver = _invoked(reading, node) if name == "__invoke" else _asked(reading, node, name)
            if receiver is not None and not isinstance(receiver, Super):
                found.append((node.start_byte, receiver))
    return found


def _invoked(reading: Reading, node: tree_sitter.Node) -> Expression | None:
    """`$handler(...)`, `($this->handler)(...)`."""
    return None if node.type in NAMES else expression(reading, node)


def _asked(reading: Reading, node: tree_sitter.Node, name: str) -> Expression | None:
    path = reading.path(node.start_byte)
    if len(path) < 3 or path[-1].start_byte != node.start_byte:
        return None
    parent, around = path[-2], path[-3]
    if name in ("__call", "__callStatic"):
        member = callee(reading, parent)
    else:
        left = around.child_by_field_name("left") if around.type == "assignment_expression" else None
        if (left is not None and left.start_byte == parent.start_byte) != (name == "__set"):
            return None
        member = expression(reading, parent)
    return member.object if isinstance(member, Member) else None

"""What becomes of a call's result."""

from __future__ import annotations

import tree_sitter

from graph.expressions import Taken, Use

_BODIES = frozenset({"block", "module"})
_TAKEN_FROM = {"attribute": "object", "subscript": "value", "for_statement": "right", "for_in_clause": "right"}
"""Nodes that take something of a value -> the field in which it stands."""
_UNPACKING = frozenset({"pattern_list", "tuple_pattern", "list_pattern"})


def use_at(path: list[tree_sitter.Node]) -> tuple[Use, Taken | None]:
    """What becomes of the result of the call at the end of a path, and into how many names it is unpacked."""
    depth = len(path) - 2
    while depth > 0 and path[depth].type == "parenthesized_expression":
        depth -= 1
    if depth < 0 or path[-1].type != "call":
        return "other", None
    around, whole = path[depth], path[depth + 1]
    kind = around.type
    if kind in _BODIES:
        return "nothing", None
    if kind == "await":
        return "awaited", None
    if kind in _TAKEN_FROM:
        source = around.child_by_field_name(_TAKEN_FROM[kind])
        first = around.child(0)
        is_taken = source is not None and source.start_byte == whole.start_byte
        return ("member" if is_taken and (first is None or first.type != "async") else "other"), None
    if kind == "assignment":
        left = around.child_by_field_name("left")
        if left is not None and left.type in _UNPACKING and left.start_byte != whole.start_byte:
            names = [each.type for each in left.named_children if each.type != "comment"]
            starred = names.count("list_splat_pattern")
            return "unpacked", Taken(len(names) - starred, None if starred else len(names))
    return "other", None

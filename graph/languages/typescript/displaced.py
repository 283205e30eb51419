"""Operators that the grammar reads in the wrong place: it takes `await f<T>(x)` for `(await f)<T>(x)`, and the same of
`!f<T>(x)` and of `a + f<T>(x)`. Only calls with type arguments are read so; without them it is right.
"""

from __future__ import annotations

from tree_sitter import Node

_OPERATIONS = {"await_expression": "", "unary_expression": "argument", "binary_expression": "right"}
"""Nodes of operators -> the field of what they stand before."""
CHAINS = {
    "call_expression": "function",
    "member_expression": "object",
    "subscript_expression": "object",
    "non_null_expression": "",
}
"""Nodes that bind closer than operators -> the field of what they begin with."""
LONGEST = 60
"""Operators and links of a chain that are looked through."""


def callee_of(call: Node) -> Node | None:
    """What a call calls."""
    callee = call.child_by_field_name("function")
    for _ in range(LONGEST if callee is not None and callee.type in _OPERATIONS and _is_displacing(call) else 0):
        if callee is None or callee.type not in _OPERATIONS:
            break
        callee = _operand(callee)
    return callee


def operations_on(source: bytes, node: Node) -> list[Node]:
    """The operations that stand within a chain of calls and members and are on all of it, the outermost first."""
    if source.find(b">(", node.start_byte, node.end_byte) < 0:  # there are no type arguments of a call in it
        return []
    found: list[Node] = []
    inner: Node | None = node
    for _ in range(LONGEST):
        if inner is None or inner.type not in CHAINS:
            break
        first = _part(inner, CHAINS[inner.type])
        if inner.type == "call_expression" and first is not None and first.type in _OPERATIONS:
            operation: Node | None = first
            while operation is not None and operation.type in _OPERATIONS and len(found) < LONGEST:
                found.append(operation)
                operation = _operand(operation)
            return found if _is_displacing(inner) else []
        inner = first
    return found


def called_as(way: list[Node], position: int) -> int:
    """Where on a way to a node the outermost of the operations is that stand before what is called at `position`; the
    position itself where there are none."""
    above = position - 1
    while above > 0 and way[above].type in _OPERATIONS and _operand(way[above]) == way[above + 1]:
        call = way[above - 1]
        if call.type == "call_expression" and call.child_by_field_name("function") == way[above]:
            return above if _is_displacing(call) else position
        above -= 1
    return position


def _is_displacing(call: Node) -> bool:
    return call.child_by_field_name("type_arguments") is not None


def _operand(operation: Node) -> Node | None:
    return _part(operation, _OPERATIONS[operation.type])


def _part(node: Node, field: str) -> Node | None:
    if field:
        return node.child_by_field_name(field)
    return next((child for child in node.named_children if child.type != "comment"), None)

"""Special methods by the syntax that calls them: `with x`, `for ... in x`, `a + b`, `x[i]`, `x()`."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType

import tree_sitter

from graph.languages.base import ImplicitUse
from graph.languages.python.lower import expression
from graph.languages.python.reading import Reading

_CALLED = "__call__"
_BINARY = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow", "@": "matmul",
    "&": "and", "|": "or", "^": "xor", "<<": "lshift", ">>": "rshift",
}  # fmt: skip
_COMPARED = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
_UNARY = {"-": "__neg__", "+": "__pos__", "~": "__invert__"}
_FUNCTIONS = {
    "len": "__len__", "str": "__str__", "repr": "__repr__", "iter": "__iter__", "next": "__next__", "bool": "__bool__",
    "hash": "__hash__", "int": "__int__", "float": "__float__", "abs": "__abs__", "round": "__round__",
    "bytes": "__bytes__", "format": "__format__", "reversed": "__reversed__", "list": "__iter__", "tuple": "__iter__",
    "sorted": "__iter__", "set": "__iter__", "sum": "__iter__",
}  # fmt: skip
_ITERATED = ("__iter__", "__next__", "__aiter__", "__anext__")

NAMES = frozenset(
    {
        "__enter__", "__exit__", "__aenter__", "__aexit__", "__contains__", "__getitem__", "__setitem__", "__delitem__",
        _CALLED, "__await__", *_ITERATED, *_UNARY.values(), *_FUNCTIONS.values(),
        *(f"__{prefix}{name}__" for name in _BINARY.values() for prefix in ("", "r", "i")),
        *(f"__{name}__" for name in _COMPARED.values()),
    }
)  # fmt: skip
"""Methods that syntax calls without naming them."""


def implicit_uses(reading: Reading, name: str) -> list[ImplicitUse]:
    """Every place whose syntax would call the special method on the receiver."""
    found = _table(reading).get(name, ())
    return [
        ImplicitUse(node.start_byte, expression(reading.text, node), _passed(node) if name == _CALLED else -1)
        for node in found
    ]


def _passed(callee: tree_sitter.Node) -> int:
    """Where the arguments of the call of a node begin."""
    call = callee.parent
    arguments = call.child_by_field_name("arguments") if call is not None else None
    return arguments.start_byte if arguments is not None else -1


def _table(reading: Reading) -> MappingProxyType[str, list[tree_sitter.Node]]:
    known = reading.cache.get("implicit")
    if known is None:
        table: dict[str, list[tree_sitter.Node]] = {}
        for method, node in _uses(reading.root, reading):
            table.setdefault(method, []).append(node)
        known = reading.cache["implicit"] = MappingProxyType(table)
    result: MappingProxyType[str, list[tree_sitter.Node]] = known
    return result


def _uses(root: tree_sitter.Node, reading: Reading) -> Iterator[tuple[str, tree_sitter.Node]]:
    cursor = root.walk()
    while True:
        node = cursor.node
        if node is not None and node.is_named:
            yield from _of(node, reading)
        if cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return


def _of(node: tree_sitter.Node, reading: Reading) -> Iterator[tuple[str, tree_sitter.Node]]:
    kind = node.type
    if kind == "with_item":
        value = node.child_by_field_name("value")
        if value is not None and value.type == "as_pattern" and value.named_child_count:
            value = value.named_children[0]
        if value is not None:
            for method in ("__enter__", "__exit__", "__aenter__", "__aexit__"):
                yield method, value
    elif kind in ("for_statement", "for_in_clause"):
        iterated = node.child_by_field_name("right")
        if iterated is not None:
            for method in _ITERATED:
                yield method, iterated
    elif kind == "comparison_operator":
        yield from _compared(node)
    elif kind in ("binary_operator", "augmented_assignment"):
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        sign = reading.text.of(operator) if operator is not None else ""
        operation = _BINARY.get(sign.removesuffix("=") if kind == "augmented_assignment" else sign)
        if operation is not None and left is not None and right is not None:
            if kind == "augmented_assignment":
                yield f"__i{operation}__", left
            yield f"__{operation}__", left
            yield f"__r{operation}__", right
    elif kind == "unary_operator":
        operand, operator = node.child_by_field_name("argument"), node.child_by_field_name("operator")
        negated = _UNARY.get(reading.text.of(operator)) if operator is not None else None
        if negated is not None and operand is not None:
            yield negated, operand
    elif kind == "subscript":
        value = node.child_by_field_name("value")
        if value is not None:
            yield _subscripted(node), value
    elif kind == "await" and node.named_child_count:
        yield "__await__", node.named_children[0]
    elif kind == "call":
        yield from _called(node, reading)


def _compared(node: tree_sitter.Node) -> Iterator[tuple[str, tree_sitter.Node]]:
    operands = node.named_children
    signs = [child.type for child in node.children if not child.is_named]
    for left, right, sign in zip(operands, operands[1:], signs, strict=False):
        if sign in ("in", "not in"):
            yield "__contains__", right
        elif sign in _COMPARED:
            yield f"__{_COMPARED[sign]}__", left


def _subscripted(node: tree_sitter.Node) -> str:
    parent = node.parent
    if parent is not None and parent.type == "assignment":
        left = parent.child_by_field_name("left")
        if left is not None and left.start_byte == node.start_byte and left.end_byte == node.end_byte:
            return "__setitem__"
    return "__delitem__" if parent is not None and parent.type == "delete_statement" else "__getitem__"


def _called(node: tree_sitter.Node, reading: Reading) -> Iterator[tuple[str, tree_sitter.Node]]:
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None:
        return
    yield _CALLED, function
    if function.type == "identifier" and arguments is not None and arguments.named_child_count:
        method = _FUNCTIONS.get(reading.text.of(function))
        if method is not None:
            yield method, arguments.named_children[0]

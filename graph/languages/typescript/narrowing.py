"""What control flow states about the type of a value: `instanceof`, `typeof`, in conditions that guard a place."""

from __future__ import annotations

from tree_sitter import Node

from graph import expressions as x
from graph.languages.typescript import declarations as said
from graph.languages.typescript.code import FUNCTIONS, Code
from graph.languages.typescript.lower import lower
from graph.languages.typescript.modulefacts import string_value
from graph.languages.typescript.types import PREDEFINED

_ENDS = frozenset({"return_statement", "throw_statement", "continue_statement", "break_statement"})
MOST_STATEMENTS = 200
"""Earlier statements of one block that are looked at for early returns."""


def narrowed(code: Code, at: int, target: x.Expression) -> tuple[x.TypeExpression | None, bool]:
    """(type, True) when a condition around `at` states the type of `target`; (None, False) otherwise."""
    name = _name(target)
    if name is None or (b"instanceof" not in code.source and b"typeof" not in code.source):
        return None, False
    way = code.way(at)
    for position in range(len(way) - 1, 0, -1):
        node, parent = way[position], way[position - 1]
        kind = parent.type
        found: x.TypeExpression | None = None
        if kind == "if_statement" or kind == "ternary_expression":
            condition = parent.child_by_field_name("condition")
            if node == parent.child_by_field_name("consequence"):
                found = _stated(code, condition, name, True)
            elif node == parent.child_by_field_name("alternative"):
                found = _stated(code, condition, name, False)
        elif kind == "binary_expression" and node == parent.child_by_field_name("right"):
            operator = parent.child_by_field_name("operator")
            sign = "" if operator is None else operator.type
            if sign in ("&&", "||"):
                found = _stated(code, parent.child_by_field_name("left"), name, sign == "&&")
        elif kind in ("statement_block", "program"):
            found = _earlier(code, node, name)
        if found is not None:
            return found, True
        # A closure may run when the condition holds no more; for constants it does, and most are.
        if node.type in FUNCTIONS and node.type != "arrow_function":
            break
    return None, False


def _name(target: x.Expression) -> str | None:
    """The text of a chain of names (`a`, `this.b`, `a.b`); None for anything else."""
    parts: list[str] = []
    while isinstance(target, x.Member):
        parts.append(target.name)
        target = target.object
    if isinstance(target, x.Name):
        parts.append(target.id)
    elif isinstance(target, x.This):
        parts.append("this")
    else:
        return None
    return ".".join(reversed(parts))


def _earlier(code: Code, node: Node, name: str) -> x.TypeExpression | None:
    """`if (!(x instanceof C)) return;` before `node` in the same block."""
    previous = node.prev_named_sibling
    for _ in range(MOST_STATEMENTS):
        if previous is None:
            return None
        if previous.type == "if_statement" and previous.child_by_field_name("alternative") is None:
            then = previous.child_by_field_name("consequence")
            last = then
            if then is not None and then.type == "statement_block":
                last = then.named_child(then.named_child_count - 1) if then.named_child_count else None
            if last is not None and last.type in _ENDS:
                found = _stated(code, previous.child_by_field_name("condition"), name, False)
                if found is not None:
                    return found
        previous = previous.prev_named_sibling
    return None


def _stated(code: Code, condition: Node | None, name: str, holds: bool, depth: int = 0) -> x.TypeExpression | None:
    """The type that a condition states of `name` when it holds (or doesn't)."""
    node = said.unwrapped(condition)
    if node is None or depth > 10:
        return None
    if node.type == "unary_expression":
        operator = node.child_by_field_name("operator")
        if operator is not None and operator.type == "!":
            return _stated(code, node.child_by_field_name("argument"), name, not holds, depth + 1)
        return None
    if node.type != "binary_expression":
        return None
    operator = node.child_by_field_name("operator")
    sign = "" if operator is None else operator.type
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if sign == ("&&" if holds else "||"):
        return _stated(code, left, name, holds, depth + 1) or _stated(code, right, name, holds, depth + 1)
    if sign == ("||" if holds else "&&"):
        options = [_stated(code, side, name, holds, depth + 1) for side in (left, right)]
        known = tuple(each for each in options if each is not None)
        return x.UnionType(known) if len(known) == 2 else None
    if (
        sign == "instanceof"
        and holds
        and right is not None
        and right.type in ("identifier", "member_expression")
        and _name(lower(code, left)) == name
    ):
        return x.TypeName(code.text(right), right.start_byte)
    if (sign in ("===", "==") and holds) or (sign in ("!==", "!=") and not holds):
        return _typeof(code, left, right, name)
    return None


def _typeof(code: Code, left: Node | None, right: Node | None, name: str) -> x.TypeExpression | None:
    if left is None or left.type != "unary_expression":
        return None
    operator = left.child_by_field_name("operator")
    if (
        operator is None
        or operator.type != "typeof"
        or _name(lower(code, left.child_by_field_name("argument"))) != name
    ):
        return None
    primitive = PREDEFINED.get(string_value(code.source, right) or "")
    return None if primitive is None or right is None else x.TypeName(primitive, right.start_byte)

"""Parameters that a JavaScript function does without: by what its body does where nothing was passed for them.

Nothing in JavaScript says that an argument may be left out but a default value; so functions ask (`options?.deep`,
`if (options)`), or help themselves (`options ??= {}`).
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from graph.languages.typescript.code import FUNCTIONS, Code

MOST_NODES = 20_000
"""Nodes of a function's body that are looked at."""
_ASKING = frozenset({"||", "&&", "??"})
_COMPARING = frozenset({"===", "!==", "==", "!="})
_HELPING = frozenset({"||=", "??=", "&&="})
_CHAINED = ("object", "function")
_NOTHING = frozenset({"undefined", "null"})
_CONDITIONED = frozenset({"if_statement", "while_statement", "do_statement", "ternary_expression"})


def omitted(code: Code, function: Node, names: frozenset[str]) -> frozenset[str]:
    """Those of the parameters with these names that the function's body does without. What functions in it do isn't
    looked at: they may have parameters of the same names, and nothing tells whether they are called."""
    body = function.child_by_field_name("body")
    if body is None or not names:
        return frozenset()
    found: set[str] = set()
    pending = [body]
    seen = 0
    while pending and seen < MOST_NODES:
        node = pending.pop()
        seen += 1
        if node.type in FUNCTIONS:
            continue
        for each in _asked(node):
            if each.type == "identifier" and (name := code.text(each)) in names:
                found.add(name)
        pending.extend(node.named_children)
    return frozenset(found)


def _asked(node: Node) -> Iterator[Node]:
    """What a node asks whether it is there."""
    kind = node.type
    if kind in ("member_expression", "subscript_expression", "call_expression"):
        if any(child.type == "optional_chain" for child in node.children):
            for field in _CHAINED:
                yield from _field(node, field)
    elif kind == "binary_expression":
        operator = node.child_by_field_name("operator")
        if operator is not None and operator.type in _ASKING:
            yield from _field(node, "left")
        elif operator is not None and operator.type in _COMPARING:
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            for one, other in ((left, right), (right, left)):
                if one is not None and other is not None and other.type in _NOTHING:
                    yield one
    elif kind == "unary_expression":
        operator = node.child_by_field_name("operator")
        if operator is not None and operator.type in ("!", "typeof"):
            yield from _field(node, "argument")
    elif kind == "augmented_assignment_expression":
        operator = node.child_by_field_name("operator")
        if operator is not None and operator.type in _HELPING:
            yield from _field(node, "left")
    elif kind in _CONDITIONED:
        for condition in _field(node, "condition"):
            yield from _tested(condition)
    elif kind == "object":
        for child in node.named_children:
            if child.type == "spread_element":  # `{ ...undefined }` is `{}`
                yield from child.named_children[:1]


def _tested(condition: Node) -> Iterator[Node]:
    """What a condition tests: `a` and `b` of `(a && b)`."""
    pending = [condition]
    for _ in range(100):
        if not pending:
            return
        node = pending.pop()
        operator = node.child_by_field_name("operator") if node.type == "binary_expression" else None
        if node.type == "parenthesized_expression" or (operator is not None and operator.type in ("&&", "||")):
            pending.extend(node.named_children)
        else:
            yield node


def _field(node: Node, name: str) -> Iterator[Node]:
    found = node.child_by_field_name(name)
    if found is not None:
        yield found

"""A module's literal `__all__`."""

from __future__ import annotations

import tree_sitter

_LISTS = frozenset({"list", "tuple", "set"})
_HOLDERS = frozenset(
    {"if_statement", "elif_clause", "else_clause", "try_statement", "except_clause", "finally_clause", "block"}
)
_MOST_PARTS = 10_000  # `[...] + [...] + ...` is a deep tree: beyond this it is not read


def all_names(source: bytes, root: tree_sitter.Node) -> tuple[str, ...] | None:
    """What `__all__` lists, as far as it is literal; None when the module has none or nothing of it is literal."""
    found: list[str] = []
    literal = False
    statements = list(reversed(root.named_children))
    while statements:
        node = statements.pop()
        kind = node.type
        if kind in _HOLDERS:
            statements.extend(reversed(node.named_children))
            continue
        value = None
        if kind in ("assignment", "augmented_assignment"):
            value = _value(source, node)
            if kind == "assignment" and value is not None:
                found.clear()
        elif kind == "call":
            value = _extended(source, node)
        elif kind == "expression_statement":
            statements.extend(reversed(node.named_children))
        if value is not None:
            names = _strings(source, value)
            if names is not None:
                literal = True
                found += names
    return tuple(dict.fromkeys(found)) if literal else None


def _is_all(source: bytes, node: tree_sitter.Node | None) -> bool:
    return node is not None and node.type == "identifier" and source[node.start_byte : node.end_byte] == b"__all__"


def _value(source: bytes, node: tree_sitter.Node) -> tree_sitter.Node | None:
    return node.child_by_field_name("right") if _is_all(source, node.child_by_field_name("left")) else None


def _extended(source: bytes, call: tree_sitter.Node) -> tree_sitter.Node | None:
    """The argument list of `__all__.extend([...])` or `__all__.append("x")`."""
    function = call.child_by_field_name("function")
    if function is None or function.type != "attribute":
        return None
    if not _is_all(source, function.child_by_field_name("object")):
        return None
    return call.child_by_field_name("arguments")


def _strings(source: bytes, value: tree_sitter.Node) -> list[str] | None:
    """The string literals of lists, tuples and their concatenations; None when it has no list at all."""
    found: list[str] = []
    seen = False
    stack = [value]
    steps = 0
    while stack and steps < _MOST_PARTS:
        steps += 1
        node = stack.pop()
        kind = node.type
        if kind in _LISTS or kind in ("argument_list", "parenthesized_expression", "list_splat"):
            seen = seen or kind in _LISTS
            stack.extend(reversed(node.named_children))
        elif kind == "binary_operator":
            stack.extend(n for n in (node.child_by_field_name("right"), node.child_by_field_name("left")) if n)
        elif kind == "string":
            seen = True
            found.append(_content(source, node))
    return [name for name in found if name] if seen else None


def _content(source: bytes, string: tree_sitter.Node) -> str:
    parts = [c for c in string.named_children if c.type == "string_content"]
    return b"".join(source[p.start_byte : p.end_byte] for p in parts).decode("utf-8", "replace")

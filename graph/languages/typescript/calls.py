"""What calls pass, and expressions found by their offsets."""

from __future__ import annotations

from tree_sitter import Node

from graph import expressions as x
from graph.languages.typescript import declarations as said
from graph.languages.typescript.code import Code
from graph.languages.typescript.displaced import CHAINS, operations_on
from graph.languages.typescript.lower import lower
from graph.languages.typescript.stated import is_checked

_ELEMENTS = frozenset({"jsx_opening_element", "jsx_self_closing_element"})
_TRANSPARENT = frozenset({"parenthesized_expression", "non_null_expression", "as_expression", "satisfies_expression"})
_TAKEN_FROM = {"member_expression": "object", "subscript_expression": "object", "for_in_statement": "right"}
"""Nodes that take something of a value -> the field in which it stands."""
_OF_PROMISES = frozenset({"then", "catch", "finally"})
_NO_EXPRESSIONS = frozenset({"program", "expression_statement", "export_statement", "pair", "arguments"})


def arguments(code: Code, call_at: int) -> x.Arguments | None:
    """What the call passes whose argument list (or, without one, whose `new`) starts at `call_at`; what the JSX element
    passes whose name ends with the name at `call_at`."""
    if call_at < 0:
        return None
    way = code.way(call_at)
    for depth in range(len(way) - 1, -1, -1):
        node = way[depth]
        if node.start_byte != call_at:
            continue
        if node.type == "arguments":
            return _passed(code, node, way[:depth])
        if node.type == "new_expression" and node.child_by_field_name("arguments") is None:
            return x.Arguments(0, checked=is_checked(code))
    return _element(code, call_at)


def _element(code: Code, at: int) -> x.Arguments | None:
    for node in reversed(code.way(at)):
        if node.type in _ELEMENTS:
            name = node.child_by_field_name("name")
            return _attributes(code, node) if name is not None and name.start_byte <= at < name.end_byte else None
    return None


def argument_nodes(code: Code, call_at: int) -> list[Node]:
    """The nodes of a call's arguments; a JSX element itself, whose attributes are one. None where it spreads."""
    for node in reversed(code.way(call_at)) if call_at >= 0 else ():
        if node.type == "arguments" and node.start_byte == call_at:
            found = said.real_children(node)
            return [] if any(each.type == "spread_element" for each in found) else found
        if node.type in _ELEMENTS:
            name = node.child_by_field_name("name")
            return [node] if name is not None and name.start_byte <= call_at < name.end_byte else []
    return []


def _passed(code: Code, node: Node, way: list[Node]) -> x.Arguments:
    positional, spread = 0, False
    literals: list[tuple[str, ...] | None] = []
    for each in said.real_children(node):
        if each.type == "spread_element":
            spread = True
            continue
        positional += 1
        literals.append(_literal(code, _inside(each)))
    use, taken = _use(code, way)
    return x.Arguments(
        positional,
        spread=spread,
        literals=tuple(literals),
        taken=taken,
        use=use,
        end=node.end_byte,
        checked=is_checked(code),
    )


def _use(code: Code, way: list[Node]) -> tuple[x.Use, x.Taken | None]:
    """What becomes of the result of the call at the end of a way, and into how many names it is unpacked."""
    depth = len(way) - 2
    while depth > 0 and way[depth].type in _TRANSPARENT:
        depth -= 1
    if depth < 0 or way[-1].type != "call_expression":
        return "other", None
    operations = operations_on(code.source, way[-1]) if _ends_chain(way) else []
    if operations:
        return ("awaited" if operations[-1].type == "await_expression" else "other"), None
    around, whole = way[depth], way[depth + 1]
    kind = around.type
    if kind == "expression_statement":
        return "nothing", None
    if kind == "await_expression":
        return "awaited", None
    if kind in _TAKEN_FROM:
        field = _TAKEN_FROM[kind]
        source = around.child_by_field_name(field)
        if (
            source is None
            or source.start_byte != whole.start_byte
            or "await" in [each.type for each in around.children]
        ):
            return "other", None
        name = around.child_by_field_name("property")
        return ("chained" if name is not None and code.text(name) in _OF_PROMISES else "member"), None
    target = around.child_by_field_name("name") if kind == "variable_declarator" else None
    if target is not None and target.type == "object_pattern":
        return "member", None
    if target is not None and target.type == "array_pattern":
        names = [each.type for each in target.named_children if each.type != "comment"]
        return "unpacked", x.Taken(len(names) - names.count("rest_pattern"), None)
    return "other", None


def _ends_chain(way: list[Node]) -> bool:
    """Whether nothing is taken of what the call at the end of a way gives, parentheses aside."""
    depth = len(way) - 2
    while depth > 0 and way[depth].type == "non_null_expression":
        depth -= 1
    return way[depth].type not in CHAINS


def _attributes(code: Code, element: Node) -> x.Arguments:
    """A JSX element's attributes, as the one object literal that they are passed as."""
    names: list[str] = []
    for each in element.named_children:
        if each.type == "jsx_expression":
            return x.Arguments(1, literals=(None,))  # {...spread}
        key = each.named_child(0) if each.type == "jsx_attribute" else None
        if key is not None:
            names.append(code.text(key))
    whole = element.parent if element.type == "jsx_opening_element" else None
    if whole is not None and any(_is_child(code, each) for each in whole.children):
        names.append("children")
    return x.Arguments(1, literals=(tuple(names),), checked=is_checked(code))


def _is_child(code: Code, node: Node) -> bool:
    """Whether it is a child that a JSX element passes: blanks with a line end in them are none, nor is `{}`."""
    if node.type in ("jsx_text", "html_character_reference"):
        text = code.text(node)
        return bool(text.strip()) or "\n" not in text
    if node.type == "jsx_expression":
        return any(each.type != "comment" for each in node.named_children)
    return node.type in ("jsx_element", "jsx_self_closing_element")


def _inside(node: Node) -> Node | None:
    """What parentheses hold. (What is cast is held to no more than the cast says.)"""
    inner: Node | None = node
    while inner is not None and inner.type == "parenthesized_expression":
        inner = next(iter(said.real_children(inner)), None)
    return inner


def _literal(code: Code, node: Node | None) -> tuple[str, ...] | None:
    """The property names of an object literal; None for anything else, or when it has spreads or computed names."""
    if node is None or node.type != "object":
        return None
    names: list[str] = []
    for each in said.real_children(node):
        key: Node | None = each
        if each.type == "pair":
            key = each.child_by_field_name("key")
        elif each.type == "method_definition":
            key = each.child_by_field_name("name")
        elif each.type != "shorthand_property_identifier":
            return None
        if key is None or key.type == "computed_property_name":
            return None
        text = code.text(key)
        names.append(text[1:-1] if key.type == "string" else text)
    return tuple(names)


def expression(code: Code, start: int, end: int) -> x.Expression:
    """The expression that spans exactly these bytes; with a negative `end` the largest one that starts at `start`."""
    way = code.way(start)
    largest: Node | None = None
    for node in reversed(way):
        if node.start_byte != start:
            break
        if node.type in _NO_EXPRESSIONS:
            continue
        if end >= 0 and node.end_byte == end:
            return lower(code, node)
        if end < 0:
            largest = node
    if largest is not None and largest.type == "method_definition":
        index = code.index_of(largest)
        return x.Defined(index) if index >= 0 else x.Function(start)
    return x.Unknown() if largest is None else lower(code, largest)

"""Values for which a type is written, and those that calls pass: a checker holds the object literals in them to it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from tree_sitter import Node

from graph import expressions as x
from graph.languages.reading import whole_words
from graph.languages.typescript import declarations as said
from graph.languages.typescript.calls import argument_nodes
from graph.languages.typescript.code import FUNCTIONS, Code
from graph.languages.typescript.lower import lower
from graph.languages.typescript.members import MOST_RETURNS, returned, runs_as
from graph.languages.typescript.scopes import scopes
from graph.languages.typescript.types import lower_type

_GIVEN = frozenset({"variable_declarator", "public_field_definition", "required_parameter", "optional_parameter"})
"""Nodes that hold a type and the value that is given."""
_MOST_PLACES = 200
"""Places of a name in a function, past which what is stored under it is not sought."""
_ADDING = frozenset({"push", "unshift"})
_HOLDING = frozenset(
    {
        "object", "array",
        "parenthesized_expression", "satisfies_expression", "ternary_expression", "binary_expression",
    }
)  # fmt: skip
"""Expressions that may hold literals."""


def written_values(code: Code, at: int) -> tuple[x.TypedValue, ...]:
    """The values for which the type that is named at `at` is written: of a variable, a field, a parameter's default,
    what a function returns, what `satisfies` it."""
    way = code.way(at)
    for node, around in zip(reversed(way), reversed(way[:-1]), strict=False):
        if around.type == "satisfies_expression":
            parts = said.real_children(around)
            if len(parts) == 2 and parts[1] == node:
                return _typed(code, lower_type(code, node), parts[0])
        if node.type != "type_annotation":
            continue
        if around.child_by_field_name("return_type") == node:
            return tuple(_returned(code, around, node)) if around.type in FUNCTIONS else ()
        if around.type in _GIVEN:
            stated = lower_type(code, node)
            given = _typed(code, stated, around.child_by_field_name("value"))
            return (*given, *(x.TypedValue(stated, each) for each in _stored_later(code, around, way)))
        if around.type not in ("property_signature", "index_signature"):
            return ()
    return ()


def _stored_later(code: Code, declaring: Node, way: list[Node]) -> Iterator[x.Expression]:
    """What the function around stores under a name that it declares."""
    name = declaring.child_by_field_name("name") or declaring.child_by_field_name("pattern")
    around = next((each for each in reversed(way[: way.index(declaring)]) if each.type in FUNCTIONS), code.root)
    if name is None or name.type != "identifier" or declaring.type == "public_field_definition":
        return
    word = code.text(name)
    places = list(whole_words(code.source, word, around.start_byte, wide=True))
    if len(places) > _MOST_PLACES:
        return
    for start, _ in places:
        if not name.end_byte <= start < around.end_byte:
            continue
        inner = code.way(start)
        if inner[-1].type == "identifier" and not _is_another(code, word, name, start):
            yield from stored_values(code, start)


def _is_another(code: Code, word: str, name: Node, at: int) -> bool:
    """Whether the name that stands at `at` is bound by something else than what declares it."""
    for scope in scopes(code, at):
        if word in scope.bindings:
            return all(each.at != name.start_byte for each in scope.bindings[word])
    return True


def _returned(code: Code, function: Node, annotation: Node) -> Iterator[x.TypedValue]:
    stated = lower_type(code, annotation)
    asynchronous, generator = runs_as(code, function)
    if asynchronous and isinstance(stated, x.TypeName) and stated.name == "Promise" and stated.arguments:
        stated = stated.arguments[0]
    for each in islice(returned(function), MOST_RETURNS) if not generator else ():
        yield from _typed(code, stated, each)


def _typed(code: Code, annotation: x.TypeExpression, node: Node | None) -> tuple[x.TypedValue, ...]:
    if node is None or node.type not in _HOLDING:
        return ()
    return (x.TypedValue(annotation, lower(code, node)),)


def stored_values(code: Code, at: int) -> tuple[x.Expression, ...]:
    """What is stored under the name that stands at `at`: what is assigned to it, and, as lists, what is pushed."""
    way = code.way(at)
    depth = len(way) - 1
    while depth > 0 and way[depth - 1].type in ("member_expression", "non_null_expression"):
        around, node = way[depth - 1], way[depth]
        if around.type == "member_expression" and around.child_by_field_name("object") == node:
            break
        depth -= 1
    if depth < 2:
        return ()
    node, around, above = way[depth], way[depth - 1], way[depth - 2]
    if around.type in ("assignment_expression", "augmented_assignment_expression"):
        value = around.child_by_field_name("right")
        if value is None or around.child_by_field_name("left") != node or value.type not in _HOLDING:
            return ()
        return (lower(code, value),)
    name = around.child_by_field_name("property") if around.type == "member_expression" else None
    arguments = above.child_by_field_name("arguments") if above.type == "call_expression" else None
    if name is None or arguments is None or code.text(name) not in _ADDING:
        return ()
    return (x.Sequence("Array", tuple(lower(code, each) for each in argument_nodes(code, arguments.start_byte))),)


def passed(code: Code, call_at: int) -> tuple[x.Expression, ...]:
    """The arguments of a call, by position, as far as they are literals; the attributes of a JSX element as one."""
    return tuple(
        _attributes(code, node)
        if node.type.startswith("jsx_")
        else lower(code, node)
        if node.type in _HOLDING
        else x.Unknown()
        for node in argument_nodes(code, call_at)
    )


def _attributes(code: Code, element: Node) -> x.Expression:
    properties = []
    spreads: list[x.Expression] = []
    for each in element.named_children:
        key = each.named_child(0) if each.type == "jsx_attribute" else None
        if each.type == "jsx_expression":
            spreads.append(x.Unknown())
        elif key is not None:
            value = each.named_child(1)
            inner = value.named_child(0) if value is not None and value.type == "jsx_expression" else None
            properties.append(x.Property(code.text(key), lower(code, inner), key.start_byte))
    return x.Object(tuple(properties), tuple(spreads), element.start_byte)

"""What an identifier at an offset refers to, and what a call passes."""

from __future__ import annotations

from itertools import pairwise
from typing import Literal

import tree_sitter

from graph.expressions import Arguments, Cast, Member, Name, Reference, Unknown
from graph.languages.go import results
from graph.languages.go.annotations import type_expression
from graph.languages.go.lower import expression
from graph.languages.go.reading import FUNCTIONS, TYPES, VALUES, Reading

Kind = Literal["call", "new", "base", "jsx", "decorator", "argument", "value", "type", "import"]

_IDENTIFIERS = frozenset({"identifier", "field_identifier", "type_identifier", "package_identifier"})
_NAMED = FUNCTIONS | TYPES | VALUES | {"parameter_declaration", "variadic_parameter_declaration"}
_WHOLES = frozenset({"selector_expression", "qualified_type"})
_BINDING = frozenset({"short_var_declaration", "range_clause", "receive_statement"})
_INDEXED = frozenset({"slice_type", "array_type", "implicit_length_array_type", "map_type"})
_AROUND_ELEMENTS = _INDEXED | {"pointer_type", "parenthesized_type"}
_DEEPEST = 4
"""Lists in lists that are looked into."""
_WRAPPING = frozenset({"parenthesized_expression", "type_instantiation_expression", "generic_type"})
_IN_TYPES = frozenset({"type_identifier", "package_identifier"})


def reference_at(reading: Reading, at: int) -> Reference | None:
    """What the identifier at `at` refers to; None when it names nothing that exists elsewhere."""
    path = reading.path(at)
    node = path[-1]
    if node.type not in _IDENTIFIERS or node.start_byte != at or len(path) < 2:
        return None
    depth = len(path) - 2
    parent = path[depth]
    if parent.type == "import_spec" or parent.type == "package_clause" or _is_declared(path, node, parent):
        return None
    whole = node
    if parent.type in _WHOLES:
        name = parent.child_by_field_name("field") or parent.child_by_field_name("name")
        if name is not None and name.start_byte == at:
            whole = parent
            depth -= 1
    if whole is node and _is_key(reading, path, node):
        return _key(reading, path, at)
    target = expression(reading, whole)
    if not isinstance(target, Name | Member):
        return None
    return _classified(path, depth, whole, target, at)


def _is_field(parent: tree_sitter.Node, field: str, at: int) -> bool:
    return any(child.start_byte == at for child in parent.children_by_field_name(field))


def _is_declared(path: list[tree_sitter.Node], node: tree_sitter.Node, parent: tree_sitter.Node) -> bool:
    """Whether the identifier is bound here, or names a field."""
    kind = parent.type
    at = node.start_byte
    if kind in _NAMED or kind in ("type_parameter_declaration", "field_declaration"):
        if kind == "field_declaration" and not parent.children_by_field_name("name"):
            return False
        return _is_field(parent, "name", at)
    if kind != "expression_list" or len(path) < 3:
        return False
    around = path[-3]
    if around.type == "type_switch_statement":
        return _is_field(around, "alias", parent.start_byte)
    if around.type in _BINDING and _is_field(around, "left", parent.start_byte):
        return around.type == "short_var_declaration" or any(each.type == ":=" for each in around.children)
    return False


def _is_key(reading: Reading, path: list[tree_sitter.Node], node: tree_sitter.Node) -> bool:
    """Whether the identifier is a field's name in a composite literal (`Point{x: 1}`), not a map's or list's key."""
    if len(path) < 4 or path[-2].type != "literal_element" or path[-3].type != "keyed_element":
        return False
    if not _is_field(path[-3], "key", node.start_byte):
        return False
    levels = 0
    for depth in range(len(path) - 4, -1, -1):
        kind = path[depth].type
        if kind == "literal_value":
            levels += 1
        elif kind == "composite_literal":
            return not _is_indexed(reading, path[depth].child_by_field_name("type"), levels)
        elif kind not in ("literal_element", "keyed_element"):
            break
    return True


def _key(reading: Reading, path: list[tree_sitter.Node], at: int) -> Reference | None:
    """The field that a key of a composite literal names, where the text says of which type the literal is."""
    depth = next((i for i in range(len(path) - 1, -1, -1) if path[i].type == "composite_literal"), -1)
    written = path[depth].child_by_field_name("type") if depth >= 0 else None
    inside = sum(each.type == "literal_value" for each in path[depth + 1 :])
    while written is not None and inside > 1:
        if written.type not in _INDEXED:
            return None
        written = written.child_by_field_name("value") or written.child_by_field_name("element")
        inside -= 1
    while written is not None and written.type == "pointer_type":
        written = written.named_children[0] if written.named_child_count else None
    if written is None:
        return None
    name = reading.text(path[-1])
    owner = Cast(type_expression(reading, written), Unknown())
    return Reference(name, at, "value", Member(owner, name, at), write=True, key=True)


def _is_indexed(reading: Reading, written: tree_sitter.Node | None, levels: int) -> bool:
    """Whether a literal of the type has keys that are expressions, `levels` literals deep."""
    while written is not None and levels > 1:
        if written.type not in _INDEXED:
            return False
        written = written.child_by_field_name("value") or written.child_by_field_name("element")
        while written is not None and written.type == "pointer_type":
            written = written.named_children[0] if written.named_child_count else None
        levels -= 1
    if written is None:
        return False
    if written.type == "type_identifier":
        for definition in reading.facts.definitions:
            if definition.name == reading.text(written) and definition.kind == "type":
                own = reading.node(reading.definition_at[definition.at])
                made_of = own.child_by_field_name("type") if own is not None else None
                return made_of is not None and made_of.type in _INDEXED
    return written.type in _INDEXED


# ------------------------------------------------------------------------------------------------ classification


def _classified(
    path: list[tree_sitter.Node], depth: int, whole: tree_sitter.Node, target: Name | Member, at: int
) -> Reference:
    """The kind of a use: `whole`, lowered to `target`, is a child of the node at `depth` of the path."""
    name = target.id if isinstance(target, Name) else target.name
    node = whole
    in_type = whole.type in _IN_TYPES or whole.type == "qualified_type"
    while depth > 0 and path[depth].type in _WRAPPING and not _is_field(path[depth], "type_arguments", node.start_byte):
        node = path[depth]
        depth -= 1
    parent = path[depth]
    kind = parent.type
    if (
        kind == "index_expression"
        and depth > 0
        and _is_called(path[depth - 1], parent)
        and _is_field(parent, "operand", node.start_byte)
    ):
        node, parent = parent, path[depth - 1]  # F[T](x), as far as it isn't a table's entry that is called
        kind = parent.type
    if kind == "call_expression" and _is_field(parent, "function", node.start_byte):
        arguments = parent.child_by_field_name("arguments")
        return Reference(name, at, "call", target, call_at=arguments.start_byte if arguments is not None else -1)
    if kind == "type_conversion_expression" and _is_field(parent, "type", node.start_byte):
        return Reference(name, at, "call", target, call_at=parent.start_byte if node is not whole else -1)
    if kind == "composite_literal" and _is_field(parent, "type", node.start_byte):
        return Reference(name, at, "new", target, by_position=_is_by_position(path, depth))
    if kind in ("argument_list", "variadic_argument") and not in_type:
        return Reference(name, at, "argument", target)
    if in_type:
        kind_in_type: Kind = "base" if _is_embedded(path, depth) else "type"
        return Reference(
            name,
            at,
            kind_in_type,
            target,
            in_type=True,
            owning=_is_receiver(path),
            maybe_value=kind_in_type == "type",
            by_position=_is_by_position(path, depth),
        )
    # An assignment counts as a use: what is assigned must fit the declared type.
    return Reference(name, at, "value", target)


def _is_by_position(path: list[tree_sitter.Node], depth: int) -> bool:
    """Whether a literal of the type lists values without keys: of the one at `depth` of the path, or of one inside a
    list or table of them (`[]T{{1, 2}}`)."""
    levels = 0
    while depth > 0 and path[depth].type in _AROUND_ELEMENTS:
        levels += path[depth].type in _INDEXED
        depth -= 1
    body = path[depth].child_by_field_name("body") if path[depth].type == "composite_literal" else None
    bodies = [body] if body is not None else []
    for _ in range(min(levels, _DEEPEST)):
        parts = [part for each in bodies for part in each.named_children]
        values = [part.named_children[-1] if part.type == "keyed_element" else part for part in parts]
        inner = [each.named_children[0] for each in values if each.type == "literal_element" and each.named_child_count]
        bodies = [each for each in inner if each.type == "literal_value"]
    return any(part.type == "literal_element" for each in bodies for part in each.named_children)


def _is_called(call: tree_sitter.Node, function: tree_sitter.Node) -> bool:
    return call.type == "call_expression" and _is_field(call, "function", function.start_byte)


def _is_receiver(path: list[tree_sitter.Node]) -> bool:
    """Whether the path leads into a method's receiver."""
    return any(
        outer.type == "method_declaration" and _is_field(outer, "receiver", inner.start_byte)
        for outer, inner in pairwise(path[:4])
    )


def _is_embedded(path: list[tree_sitter.Node], depth: int) -> bool:
    """Whether a type stands where a struct or interface embeds it."""
    while depth > 0 and path[depth].type in ("pointer_type", "parenthesized_type"):
        depth -= 1
    node = path[depth]
    if node.type == "field_declaration":
        return node.child_by_field_name("name") is None
    return node.type == "type_elem" and path[depth - 1].type == "interface_type" and node.named_child_count == 1


# ------------------------------------------------------------------------------------------------------ arguments


def arguments_at(reading: Reading, call_at: int) -> Arguments | None:
    """What the call passes whose argument list starts at `call_at`. `f(g())` may pass any number."""
    path = reading.path(call_at)
    for depth in range(len(path) - 1, -1, -1):
        node = path[depth]
        if node.start_byte != call_at:
            continue
        if node.type == "type_conversion_expression":
            return Arguments(1, literals=(None,), taken=results.taken(reading, path[: depth + 1]))
        if node.type == "argument_list":
            passed = [child for child in node.named_children if child.type != "comment"]
            if any(child.type == "ERROR" for child in passed):
                return None
            rest = bool(passed) and passed[-1].type == "variadic_argument"
            several = len(passed) == 1 and passed[0].type == "call_expression"
            return Arguments(
                len(passed) - rest,
                spread=several,
                literals=(None,) * len(passed),
                rest=rest,
                taken=results.taken(reading, path[:depth]),
                end=node.end_byte,
            )
    return None

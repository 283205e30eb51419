"""Written types of a Go syntax tree -> graph.expressions. A pointer is what it points to, in another form: Go
dereferences by itself."""

from __future__ import annotations

import msgspec
import tree_sitter

from graph.expressions import (
    FunctionType,
    ObjectType,
    TupleType,
    TypeExpression,
    TypeMember,
    TypeName,
    UnknownType,
)
from graph.languages.go.reading import Reading

SLICE, MAP, CHANNEL = "__slice__", "__map__", "__channel__"
"""The names that the builtins stub gives to types without one."""
ANY = "any"
UNKNOWN = UnknownType()
NOTHING = TupleType(())
_DEEPEST = 40  # levels of a type that are lowered
_NAMES = frozenset({"type_identifier", "identifier", "package_identifier"})
_LISTS = frozenset({"slice_type", "array_type", "implicit_length_array_type"})
_TRANSPARENT = frozenset(
    {"pointer_type", "parenthesized_type", "parenthesized_expression", "unary_expression", "negated_type"}
)


def type_expression(reading: Reading, node: tree_sitter.Node | None, depth: int = 0) -> TypeExpression:
    """The type written at `node`, which may also be an expression that names one (the argument of `new`)."""
    pointers = ""
    while node is not None and node.type in _TRANSPARENT:
        pointers += "*" if reading.source.startswith(b"*", node.start_byte) else ""
        node = next((child for child in node.named_children if child.type != "comment"), None)
    if node is None or depth > _DEEPEST:
        return UNKNOWN
    written = _pointed_to(reading, node, depth)
    if not pointers:
        return written
    if isinstance(written, TypeName | ObjectType):
        return msgspec.structs.replace(written, form=pointers + written.form)
    return TypeName(ANY, node.start_byte, (), pointers) if isinstance(written, UnknownType) else written


def _pointed_to(reading: Reading, node: tree_sitter.Node, depth: int) -> TypeExpression:
    kind = node.type
    if kind in _NAMES:
        return TypeName(reading.text(node), node.start_byte)
    if kind in ("qualified_type", "selector_expression"):
        return _qualified(reading, node)
    if kind in _LISTS:
        element = type_expression(reading, node.child_by_field_name("element"), depth + 1)
        length = node.child_by_field_name("length")
        return TypeName(SLICE, node.start_byte, (element,), f"[{reading.text(length)}]" if length is not None else "")
    if kind == "map_type":
        key = type_expression(reading, node.child_by_field_name("key"), depth + 1)
        return TypeName(
            MAP, node.start_byte, (key, type_expression(reading, node.child_by_field_name("value"), depth + 1))
        )
    if kind == "channel_type":
        value = type_expression(reading, node.child_by_field_name("value"), depth + 1)
        direction = "".join(child.type for child in node.children if not child.is_named)
        return TypeName(CHANNEL, node.start_byte, (value,), "" if direction == "chan" else direction)
    if kind == "function_type":
        return function_type(reading, node, depth)
    if kind == "struct_type":
        return _structure(reading, node, depth)
    if kind == "interface_type":
        return _interface(reading, node, depth)
    if kind in ("generic_type", "index_expression", "type_instantiation_expression"):
        return _generic(reading, node, depth)
    if kind in ("type_elem", "type_constraint"):
        inner = [child for child in node.named_children if child.type != "comment"]
        return type_expression(reading, inner[0], depth + 1) if len(inner) == 1 else UNKNOWN
    return UNKNOWN


def _qualified(reading: Reading, node: tree_sitter.Node) -> TypeExpression:
    package = node.child_by_field_name("package") or node.child_by_field_name("operand")
    name = node.child_by_field_name("name") or node.child_by_field_name("field")
    if package is None or name is None or package.type not in _NAMES:
        return UNKNOWN
    return TypeName(f"{reading.text(package)}.{reading.text(name)}", node.start_byte)


def _generic(reading: Reading, node: tree_sitter.Node, depth: int) -> TypeExpression:
    head = node.child_by_field_name("type") or node.child_by_field_name("operand")
    base = type_expression(reading, head, depth + 1)
    if not isinstance(base, TypeName):
        return UNKNOWN
    return TypeName(base.name, base.at, type_arguments(reading, node, depth), base.form)


def type_arguments(reading: Reading, node: tree_sitter.Node, depth: int = 0) -> tuple[TypeExpression, ...]:
    """The type arguments that a generic type, a call or an instantiation states."""
    listed = node.child_by_field_name("type_arguments")
    if listed is not None:
        return tuple(type_expression(reading, child, depth + 1) for child in listed.named_children)
    index = node.child_by_field_name("index")
    if index is not None:
        return (type_expression(reading, index, depth + 1),)
    return tuple(type_expression(reading, child, depth + 1) for child in node.named_children[1:])


def function_type(reading: Reading, node: tree_sitter.Node, depth: int = 0) -> FunctionType:
    """The type of a function type, a function literal or an interface's method."""
    parameters = tuple(each for _, each in parameters_in(reading, node.child_by_field_name("parameters"), depth))
    return FunctionType(parameters, result_type(reading, node.child_by_field_name("result"), depth))


def parameters_in(
    reading: Reading, node: tree_sitter.Node | None, depth: int = 0
) -> list[tuple[tree_sitter.Node | None, TypeExpression]]:
    """(name, type) of each parameter of a list; of `xs ...T` the type is T."""
    found: list[tuple[tree_sitter.Node | None, TypeExpression]] = []
    for child in node.named_children if node is not None else ():
        if child.type in ("parameter_declaration", "variadic_parameter_declaration"):
            written = type_expression(reading, child.child_by_field_name("type"), depth + 1)
            names = child.children_by_field_name("name")
            found += [(name, written) for name in names] or [(None, written)]
    return found


def result_type(reading: Reading, node: tree_sitter.Node | None, depth: int = 0) -> TypeExpression:
    """What a function gives back: one type, several as a tuple, nothing as an empty one."""
    if node is None:
        return NOTHING
    if node.type != "parameter_list":
        return type_expression(reading, node, depth + 1)
    types = tuple(each for _, each in parameters_in(reading, node, depth))
    return types[0] if len(types) == 1 else TupleType(types)


def _structure(reading: Reading, node: tree_sitter.Node, depth: int) -> TypeExpression:
    members = []
    for name, written in fields_of(node):
        at = name.start_byte if name is not None else -1
        if name is not None:
            members.append(TypeMember(reading.text(name), type_expression(reading, written, depth + 1), at))
    return ObjectType(tuple(members), node.start_byte)


def fields_of(structure: tree_sitter.Node) -> list[tuple[tree_sitter.Node | None, tree_sitter.Node]]:
    """(name, type) of each field of a struct type; an embedded field's name is the last word of its type."""
    found: list[tuple[tree_sitter.Node | None, tree_sitter.Node]] = []
    for fields in structure.named_children:
        for field in fields.named_children if fields.type == "field_declaration_list" else ():
            written = field.child_by_field_name("type") if field.type == "field_declaration" else None
            if written is not None:
                names = field.children_by_field_name("name")
                found += [(name, written) for name in names] or [(last_word(written), written)]
    return found


def last_word(written: tree_sitter.Node) -> tree_sitter.Node | None:
    """The name that an embedded field of this type has: `Q` of `*pkg.Q[int]`."""
    node: tree_sitter.Node | None = written
    for _ in range(_DEEPEST):
        if node is None or node.type == "type_identifier":
            return node
        if node.type == "qualified_type":
            return node.child_by_field_name("name")
        node = node.child_by_field_name("type") or (node.named_children[0] if node.named_child_count else None)
    return None


def _interface(reading: Reading, node: tree_sitter.Node, depth: int) -> TypeExpression:
    """An interface without a name. One that only embeds one other is that one."""
    members = []
    others = []
    for child in node.named_children:
        if child.type in ("method_elem", "method_spec"):
            name = child.child_by_field_name("name")
            if name is not None:
                signature = function_type(reading, child, depth + 1)
                members.append(TypeMember(reading.text(name), signature, name.start_byte))
        elif child.type == "type_elem":
            others.append(child)
    if not members:
        return type_expression(reading, others[0], depth + 1) if len(others) == 1 else UNKNOWN
    return ObjectType(tuple(members), node.start_byte) if not others else UNKNOWN

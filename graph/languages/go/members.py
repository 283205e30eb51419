"""What a definition declares beyond its facts: embedded types, fields, type parameters, results, parameters, values."""

from __future__ import annotations

from collections.abc import Mapping

import tree_sitter

from graph.expressions import Base, Binding, Name, ParameterType, Result, TypeExpression, TypeParameter
from graph.languages.go.annotations import (
    CHANNEL,
    MAP,
    SLICE,
    fields_of,
    function_type,
    parameters_in,
    result_type,
    type_arguments,
    type_expression,
)
from graph.languages.go.declarations import embedded
from graph.languages.go.lower import expression
from graph.languages.go.reading import FUNCTIONS, TYPES, VALUES, Reading
from graph.languages.go.scopes import spec_bindings, type_parameters_in

CALLED = "__call__"
"""The field under which a type made of a function type has its signature."""
_BUILT = {
    "slice_type": SLICE,
    "array_type": SLICE,
    "implicit_length_array_type": SLICE,
    "map_type": MAP,
    "channel_type": CHANNEL,
}


def bases(reading: Reading, definition: int) -> tuple[Base, ...]:
    """The types that a struct or interface embeds; for another defined type what it is made of (a list, another
    type): that gives it elements and fields, and methods only where code that compiles never asks for them."""
    node = reading.node(definition)
    written = node.child_by_field_name("type") if node is not None and node.type == "type_spec" else None
    if written is None:
        return ()
    kind = written.type
    if kind == "struct_type":
        return tuple(_base(reading, each) for each in embedded(written))
    if kind == "interface_type":
        elements = [each for each in written.named_children if each.type == "type_elem"]
        single = [each.named_children[0] for each in elements if each.named_child_count == 1]
        return tuple(_base(reading, each) for each in single if each.type != "negated_type")
    made_of = _BUILT.get(kind)
    if made_of is not None:
        lowered = type_expression(reading, written)
        return (Base(Name(made_of, written.start_byte), getattr(lowered, "arguments", ())),)
    if kind in ("type_identifier", "qualified_type", "generic_type"):
        return (_base(reading, written),)
    return ()


def _base(reading: Reading, node: tree_sitter.Node) -> Base:
    while node.type in ("pointer_type", "parenthesized_type") and node.named_child_count:
        node = node.named_children[-1]
    if node.type == "generic_type":
        return Base(expression(reading, node.child_by_field_name("type")), type_arguments(reading, node))
    return Base(expression(reading, node))


def fields(reading: Reading, definition: int) -> Mapping[str, tuple[Binding, ...]]:
    """A struct's fields, embedded ones under their type's name; of a function type its signature."""
    node = reading.node(definition)
    written = node.child_by_field_name("type") if node is not None and node.type == "type_spec" else None
    if written is None:
        return {}
    if written.type == "function_type":
        return {CALLED: (Binding(CALLED, written.start_byte, "variable", function_type(reading, written)),)}
    found: dict[str, tuple[Binding, ...]] = {}
    for name, declared in fields_of(written) if written.type == "struct_type" else ():
        if name is not None:
            text = reading.text(name)
            found[text] = (Binding(text, name.start_byte, "variable", type_expression(reading, declared)),)
    return found


def type_parameters(reading: Reading, definition: int) -> tuple[TypeParameter, ...]:
    """Those that a type or function declares; for a method what its receiver calls its type's."""
    node = reading.node(definition)
    if node is None:
        return ()
    return tuple(TypeParameter(reading.text(name), bound) for name, bound in type_parameters_in(reading, node))


def result(reading: Reading, definition: int) -> Result:
    """What a function or method gives back."""
    node = reading.node(definition)
    if node is None or node.type not in FUNCTIONS:
        return Result()
    return Result(result_type(reading, node.child_by_field_name("result")))


def function_result(reading: Reading, at: int) -> Result:
    """What the function literal that starts at `at` gives back."""
    node = next((each for each in reading.path(at) if each.type == "func_literal" and each.start_byte == at), None)
    return Result(result_type(reading, node.child_by_field_name("result"))) if node is not None else Result()


def parameter_types(reading: Reading, definition: int) -> tuple[ParameterType, ...]:
    """The declared type of each parameter, as in the definition's `parameters`; of `xs ...T` it is T."""
    node = reading.node(definition)
    if node is not None and node.type in VALUES:
        value = node.child_by_field_name("value")
        node = next((each for each in value.named_children if each.type == "func_literal"), None) if value else None
    if node is None:
        return ()
    listed = parameters_in(reading, node.child_by_field_name("parameters"))
    return tuple(ParameterType(reading.text(name) if name else "_", written, None) for name, written in listed)


def alias(reading: Reading, definition: int) -> TypeExpression | None:
    """What `type X = Y` stands for; a type of its own (`type X Y`) is none."""
    node = reading.node(definition)
    if node is None or node.type not in TYPES or node.type == "type_spec":
        return None
    return type_expression(reading, node.child_by_field_name("type"))


def value(reading: Reading, definition: int) -> Binding | None:
    """The type and value of a package-level constant or variable."""
    node = reading.node(definition)
    if node is None or node.type not in VALUES:
        return None
    at = reading.facts.definitions[definition].at
    if node.type == "const_spec" and node.child_by_field_name("value") is None:
        node = _repeated(reading, node)
        if node is None:
            return None
        bindings = spec_bindings(reading, node)
        return bindings[0] if bindings else None
    return next((each for each in spec_bindings(reading, node) if each.at == at), None)


def _repeated(reading: Reading, spec: tree_sitter.Node) -> tree_sitter.Node | None:
    """The last constant before this one that says its value: `const ( A Kind = iota; B )`."""
    around = next((each for each in reversed(reading.path(spec.start_byte)) if each.type == "const_declaration"), None)
    before = [
        each
        for each in (around.named_children if around is not None else ())
        if each.type == "const_spec" and each.start_byte < spec.start_byte and each.child_by_field_name("value")
    ]
    return before[-1] if before else None

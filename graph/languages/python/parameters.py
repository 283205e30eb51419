"""Parameters of functions and lambdas: what they are bound to inside."""

from __future__ import annotations

import tree_sitter

from graph.expressions import (
    Binding,
    BindingKind,
    ContextParameter,
    Expression,
    Literal_,
    TypeExpression,
    TypeName,
    Unknown,
)
from graph.languages.python.annotations import type_expression
from graph.languages.python.lower import expression
from graph.languages.python.reading import Reading


def parameter_bindings(reading: Reading, function: tree_sitter.Node) -> list[Binding]:
    """The parameters of a function, the receiver as "self" or "class-self"."""
    index = reading.index(function)
    around = -1
    first_is: BindingKind = "parameter"
    if index >= 0:
        definition = reading.facts.definitions[index]
        around = definition.parent
        if definition.kind == "method" and "static" not in definition.modifiers:
            bound_to_class = "classmethod" in definition.modifiers or definition.name in CLASS_METHODS
            first_is = "class-self" if bound_to_class else "self"
    parameters = function.child_by_field_name("parameters")
    found: list[Binding] = []
    for position, (name, annotation, default, stars) in enumerate(declared(parameters)):
        text = reading.text
        id_ = text.of(name)
        at = text.at(name)
        if position == 0 and first_is != "parameter" and not stars:
            found.append(Binding(id_, at, first_is, index=around))
            continue
        stated = parameter_type(reading, annotation, stars, at)
        value = expression(text, default) if default is not None else None
        if isinstance(value, Unknown) or value == Literal_("None"):
            value = None
        found.append(Binding(id_, at, "parameter", stated, value))
    return found


CLASS_METHODS = frozenset({"__new__", "__init_subclass__", "__class_getitem__"})
"""Methods whose first parameter is the class without a decorator."""


def parameter_type(reading: Reading, annotation: tree_sitter.Node | None, stars: str, at: int) -> TypeExpression | None:
    """The type of a parameter inside its function: `*args: T` is a tuple of T, `**kwargs: T` a dict of T; those of a
    ParamSpec (`P.args`, `P.kwargs`) may be any, and what is unpacked is itself the type."""
    stated = type_expression(reading.text, annotation) if annotation is not None else None
    if stars and annotation is not None:
        written = reading.text.of(annotation).strip("\"'")
        if written.endswith((".args", ".kwargs")):
            stated = None
        elif reading.text.spellings.special(written.partition("[")[0].strip()) == "Unpack":
            return stated
    if stars == "*":
        return TypeName("tuple", at, (stated,) if stated is not None else ())
    if stars == "**":
        return TypeName("dict", at, (TypeName("str", at), stated) if stated is not None else ())
    return stated


def declared(
    parameters: tree_sitter.Node | None,
) -> list[tuple[tree_sitter.Node, tree_sitter.Node | None, tree_sitter.Node | None, str]]:
    """(name, annotation, default, "" or "*" or "**") of each parameter that a parameter list declares."""
    found: list[tuple[tree_sitter.Node, tree_sitter.Node | None, tree_sitter.Node | None, str]] = []
    for child in parameters.named_children if parameters is not None else ():
        kind = child.type
        name: tree_sitter.Node | None = child
        annotation = default = None
        if kind in ("default_parameter", "typed_default_parameter"):
            name = child.child_by_field_name("name")
            default = child.child_by_field_name("value")
            annotation = child.child_by_field_name("type")
        elif kind == "typed_parameter":
            name = child.named_child(0)
            annotation = child.child_by_field_name("type")
        stars = ""
        if name is not None and name.type in ("list_splat_pattern", "dictionary_splat_pattern"):
            stars = "*" if name.type == "list_splat_pattern" else "**"
            name = name.named_child(0)
        if name is not None and name.type == "identifier":
            found.append((name, annotation, default, stars))
    return found


def lambda_bindings(reading: Reading, node: tree_sitter.Node, around: tree_sitter.Node | None) -> list[Binding]:
    """The parameters of a lambda; what a call expects of them when the lambda is one of its arguments."""
    text = reading.text
    found: list[Binding] = []
    context = _passed_to(reading, node, around)
    for position, (name, _, default, stars) in enumerate(declared(node.child_by_field_name("parameters"))):
        value: Expression | None = None
        if not stars and default is not None:
            value = expression(text, default)
        elif not stars and context is not None:
            value = ContextParameter(context[0], context[1], position, context[2])
        found.append(Binding(text.of(name), text.at(name), "parameter", None, value))
    return found


def _passed_to(
    reading: Reading, node: tree_sitter.Node, around: tree_sitter.Node | None
) -> tuple[Expression, int, str | None] | None:
    """(call, position, keyword) of the argument that a lambda is."""
    if around is None or around.type != "call":
        return None
    arguments = around.child_by_field_name("arguments")
    position = 0
    for child in arguments.named_children if arguments is not None else ():
        if child.type == "comment":
            continue
        if child.type == "keyword_argument":
            value = child.child_by_field_name("value")
            name = child.child_by_field_name("name")
            if value is not None and name is not None and value.start_byte == node.start_byte:
                return expression(reading.text, around), -1, reading.text.of(name)
        elif child.start_byte == node.start_byte:
            return expression(reading.text, around), position, None
        position += 1
    return None

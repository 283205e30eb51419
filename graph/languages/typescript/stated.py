"""What is said of a function's parameters elsewhere than in its own list.

By the type of the variable that holds it (`const f: (x: T) => R`, `const Row: React.FC<Props>`), by the call that makes
a component of it (`forwardRef<Ref, Props>(...)`), and in JavaScript, where a list says next to nothing, by comments and
by what the body does when nothing was passed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import msgspec
from tree_sitter import Node

from graph import expressions as x
from graph.facts import Parameter
from graph.languages.base import ANY_ARGUMENTS, NamedType, Stated
from graph.languages.typescript import declarations as said
from graph.languages.typescript.code import FUNCTIONS, Code
from graph.languages.typescript.jsdoc import documented
from graph.languages.typescript.omitted import omitted
from graph.languages.typescript.rules import is_unchecked
from graph.languages.typescript.types import lower_type

HOLDERS = frozenset({"variable_declarator", "public_field_definition"})
_TYPES = frozenset({"type_alias_declaration", "interface_declaration"})
_HELD = frozenset({*FUNCTIONS, "call_expression", "identifier", "member_expression"})
_COMPONENTS = {
    "FC": 0, "FunctionComponent": 0, "VFC": 0, "VoidFunctionComponent": 0, "SFC": 0, "StatelessComponent": 0,
    "FunctionalComponent": 0, "ComponentType": 0, "NamedExoticComponent": 0, "ExoticComponent": 0,
    "ForwardRefExoticComponent": 0, "ForwardRefRenderFunction": 1,
}  # fmt: skip
"""Types of components by their last name -> which of their arguments is the type of the props."""
_MAKERS = {"forwardRef": 1, "memo": 0, "observer": 0}
"""Calls that make a component of their first argument -> which of their type arguments is the type of its props."""
_DEEPEST = 10
"""Wrappers within wrappers that are looked into."""
PROPS = "props"
"""What the parameter of a component is called here."""
_CHECKED = re.compile(rb"^[ \t]*//+[ \t]*@ts-check\b", re.MULTILINE)
_SCRIPT = re.compile(rb"<script\b([^>]{0,1000})>", re.IGNORECASE)
_TYPED_SCRIPT = re.compile(rb"\blang\s*=\s*[\"']?tsx?\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Said:
    """The type that is stated around a function: a signature, the props of a component, or any other (`opaque`).
    `by` is what states it where that stands after the name."""

    signature: Node | None = None
    props: Node | None = None
    opaque: Node | None = None
    by: str = ""


def stated(code: Code, index: int) -> Stated | None:
    """What is said of the parameters of a definition elsewhere than in its own list; None for nothing."""
    if is_javascript(code):
        return _in_javascript(code, index)
    node = code.declaring(index)
    found = _said_by_type(code, node) if node is not None and node.type in _TYPES else _said_of(code, index)
    if found is None:
        return None
    if found.signature is not None:
        parameters = said.parameters(code.source, found.signature.child_by_field_name("parameters"))
        return Stated(parameters, said.returned(code.source, found.signature))
    if found.props is not None:
        return Stated((Parameter(PROPS, type=code.text(found.props)),), by=found.by)
    if found.opaque is not None:
        of = _named(code, found.opaque)
        held = code.value_node(index)
        if held is None or held.type not in FUNCTIONS:
            return Stated(of=of)
        # Where the function's own list states types, it says more than what is around it, if that isn't understood.
        taken = Parameter(ANY_ARGUMENTS, "rest", True, f"Parameters<{code.text(found.opaque)}>")
        return Stated(None if _states_types(held) else (taken,), of=of)
    return None


def _named(code: Code, type_: Node) -> NamedType:
    """A type that is written as a name, maybe with arguments; of any other nothing can be found out."""
    lowered = lower_type(code, type_)
    if not isinstance(lowered, x.TypeName):
        return NamedType(x.Unknown())
    first, *rest = lowered.name.split(".")
    name: x.Expression = x.Name(first, lowered.at)
    for each in rest:
        name = x.Member(name, each, lowered.at)
    listed = type_.child_by_field_name("type_arguments")
    return NamedType(name, () if listed is None else tuple(map(code.text, said.real_children(listed))))


def stated_types(code: Code, index: int) -> tuple[x.ParameterType, ...] | None:
    """The same lowered; None where the function's own list tells."""
    found = None if is_javascript(code) else _said_of(code, index)
    if found is None or found.opaque is not None:
        return None
    if found.props is not None:
        return (x.ParameterType(PROPS, _with_children(code, found.props), None),)
    assert found.signature is not None
    listed = found.signature.child_by_field_name("parameters")
    names = said.parameters(code.source, listed)
    types = [] if listed is None else _types_of(listed)
    return tuple(
        x.ParameterType(each.name, None if type_ is None else lower_type(code, type_), None)
        for each, type_ in zip(names, types, strict=False)
    )


def types_around(code: Code, holder: Node) -> list[x.TypeExpression | None]:
    """The types that are stated for the parameters of a function, in order, by the variable or field that holds it."""
    found = _said_by(code, holder)
    if found is None or found.opaque is not None:
        return []
    if found.props is not None:
        return [lower_type(code, found.props)]
    assert found.signature is not None
    listed = found.signature.child_by_field_name("parameters")
    types = [] if listed is None else _types_of(listed)
    return [None if each is None else lower_type(code, each) for each in types]


def is_javascript(code: Code) -> bool:
    """Whether the file has no types but in its comments."""
    if code.facts.language == "typescript" or code.grammars.name == "javascript":
        return code.grammars.name == "javascript"
    known: bool | None = code.cache.get("javascript")
    if known is None:
        scripts = _SCRIPT.findall(code.source)
        known = code.cache["javascript"] = bool(scripts) and not any(map(_TYPED_SCRIPT.search, scripts))
    return known


def is_checked(code: Code) -> bool:
    """Whether anything holds the file's calls to what is declared: TypeScript, or JavaScript that asks for it."""
    known: bool | None = code.cache.get("checked")
    if known is None:
        known = not is_javascript(code) or _CHECKED.search(code.source) is not None
        known = code.cache["checked"] = known and not is_unchecked(code.source)
    return known


def _types_of(listed: Node) -> list[Node | None]:
    """The types of the parameters of a signature, as far as one stands for one argument."""
    found: list[Node | None] = []
    for each in said.real_children(listed):
        pattern = each.child_by_field_name("pattern")
        if pattern is not None and pattern.type == "this":
            continue
        if pattern is None or pattern.type == "rest_pattern":
            break
        found.append(each.child_by_field_name("type"))
    return found


def _with_children(code: Code, props: Node) -> x.TypeExpression:
    """The props of a component: it may be given children, whether its type says so or not (`React.FC` did)."""
    children = x.TypeMember("children", x.UnknownType(), props.start_byte, True)
    lowered = lower_type(code, props)
    if isinstance(lowered, x.ObjectType):
        known = any(each.name == children.name for each in lowered.members)
        return lowered if known else msgspec.structs.replace(lowered, members=(*lowered.members, children))
    parts = lowered.options if isinstance(lowered, x.IntersectionType) else (lowered,)
    return x.IntersectionType((*parts, x.ObjectType((children,), props.start_byte)))


# ------------------------------------------------------------------------------------------------------ what is held


def _said_of(code: Code, index: int) -> _Said | None:
    node = code.declaring(index)
    if node is None:
        return None
    if node.type in HOLDERS:
        held = code.held(node)
        return _said_by(code, node) if held is None or held.type in _HELD else None
    value = said.unwrapped(node.child_by_field_name("value")) if node.type == "export_statement" else None
    return _made(code, value) if value is not None else None


def _said_by(code: Code, holder: Node) -> _Said | None:
    """What a variable or a field says of the function in it: by its type, by what its value is cast to, or by the call
    that makes it."""
    annotation = holder.child_by_field_name("type")
    value = holder.child_by_field_name("value")
    stated_type = annotation.named_child(0) if annotation is not None else None
    by = ""
    if stated_type is None and value is not None:
        stated_type = _cast(value)
        by = f"as {code.text(stated_type)}" if stated_type is not None else ""
    held = code.held(holder)
    is_function = held is not None and held.type in FUNCTIONS
    if stated_type is not None:
        found = _of_type(code, stated_type, by)
        if found.opaque is None or is_function:
            return found
    return _made(code, held) if held is not None and not is_function else None


def _said_by_type(code: Code, node: Node) -> _Said | None:
    """What an alias or an interface says of the functions that are of it."""
    if node.type == "type_alias_declaration":
        type_ = node.child_by_field_name("value")
        found = _of_type(code, type_) if type_ is not None else None
        body = found.opaque if found is not None else None
        if body is None or body.type != "object_type":
            return found
    else:
        body = node.child_by_field_name("body")
        if body is None or any(each.type == "extends_type_clause" for each in node.named_children):
            return None  # what it inherits may be called, too
    calls = [each for each in body.named_children if each.type == "call_signature"]
    return _Said(signature=calls[0]) if len(calls) == 1 else None


def _states_types(function: Node) -> bool:
    """Whether a function's own list states types."""
    listed = function.child_by_field_name("parameters")
    return listed is not None and any(each.child_by_field_name("type") is not None for each in listed.named_children)


def _cast(value: Node) -> Node | None:
    """The type that a value is cast to."""
    inner: Node | None = value
    for _ in range(_DEEPEST):
        if inner is None or inner.type not in ("parenthesized_expression", "as_expression", "type_assertion"):
            return None
        if inner.type == "as_expression":
            return inner.named_child(1)
        if inner.type == "type_assertion":
            arguments = inner.named_child(0)
            return arguments.named_child(0) if arguments is not None else None
        inner = inner.named_child(0)
    return None


def _of_type(code: Code, type_: Node, by: str = "") -> _Said:
    inner: Node | None = type_
    for _ in range(_DEEPEST):
        if inner is None or inner.type != "parenthesized_type":
            break
        inner = inner.named_child(0)
    if inner is not None and inner.type == "function_type":
        return _Said(signature=inner, by=by)
    if inner is not None and inner.type == "generic_type":
        props = _argument(inner, _COMPONENTS.get(_last_name(code, inner.child_by_field_name("name")), -1))
        if props is not None:
            return _Said(props=props, by=by)
    return _Said(opaque=type_, by=by)


def _made(code: Code, value: Node) -> _Said | None:
    """What a call that makes a component says of its props: by its type arguments, or by the function in it."""
    inner: Node | None = value
    for _ in range(_DEEPEST):
        if inner is None or inner.type != "call_expression":
            return None
        callee = inner.child_by_field_name("function")
        place = _MAKERS.get(_last_name(code, callee), -1)
        props = _argument(inner, place)
        if props is not None:
            listed = inner.child_by_field_name("type_arguments")
            return None if props.type == "type_query" else _of_props(code, value, props, listed)
        passed = inner.child_by_field_name("arguments")
        if place < 0 or passed is None:
            return None
        inner = said.unwrapped(next(iter(said.real_children(passed)), None))
        if inner is not None and inner.type in FUNCTIONS:
            listed = inner.child_by_field_name("parameters")
            first = said.real_children(listed)[:1] if listed is not None else []
            annotation = first[0].child_by_field_name("type") if first else None
            type_ = annotation.named_child(0) if annotation is not None else None
            return _of_props(code, value, type_, listed) if type_ is not None else None
    return None


def _of_props(code: Code, value: Node, props: Node, listed: Node | None) -> _Said:
    """`memo<Props>`, and `memo<React.FC<Props>>`; `listed` are the arguments or parameters among which it stands."""
    end = props.end_byte if listed is None else listed.end_byte
    found = _of_type(code, props)
    return _Said(
        props=found.props if found.props is not None else props,
        by=f"= {said.declaration(code.source, value.start_byte, end)} ...",
    )


def _last_name(code: Code, node: Node | None) -> str:
    return "" if node is None else code.text(node).rpartition(".")[2].strip()


def _argument(node: Node, place: int) -> Node | None:
    listed = node.child_by_field_name("type_arguments")
    given = said.real_children(listed) if listed is not None else []
    return given[place] if 0 <= place < len(given) else None


# -------------------------------------------------------------------------------------------------------- JavaScript


def _in_javascript(code: Code, index: int) -> Stated | None:
    definition = code.facts.definitions[index]
    function = code.value_node(index)
    if not definition.parameters or function is None or function.type not in FUNCTIONS:
        return None
    comments = documented(code, function)
    bare = [each.name for each in definition.parameters if not (each.optional or comments.get(each.name))]
    meant = omitted(code, function, frozenset(bare))
    parameters = tuple(
        msgspec.structs.replace(each, optional=each.name not in bare or each.name in meant)
        for each in definition.parameters
    )
    return Stated(parameters, enforced="where checked" if comments else "never")

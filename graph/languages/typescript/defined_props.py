"""What the component that a Vue file is takes: `defineProps` in its `<script setup>`, and what templates give it.

`defineProps<Props>()` and `defineProps<{ id: string }>()` say it by a type, `defineProps({ id: String })` and
`defineProps(["id"])` by a value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from graph import expressions as x
from graph.facts import Parameter
from graph.languages.base import Stated
from graph.languages.typescript import declarations as said
from graph.languages.typescript.code import Code
from graph.languages.typescript.modulefacts import string_value
from graph.languages.typescript.stated import PROPS
from graph.languages.typescript.types import lower_type

_DEFINED = re.compile(rb"\bdefineProps\b")
_TAG = re.compile(rb"<[\w.-]++((?:[^<>\"']|\"[^\"]*+\"|'[^']*+')*+)>")
_ATTRIBUTE = re.compile(rb"([^\s=/\"'<>]++)(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s\"'<>]++))?")
_BOUND = re.compile(r"(?::|\.|v-bind:)(?P<name>[\w-]+)")
_MODEL = re.compile(r"v-model(?::(?P<name>[\w-]+))?(?:\.[\w.]*)?")
_HEARD = re.compile(r"(?:@|v-on:)(?P<name>[\w:-]+)")
_SPREAD = re.compile(r"v-bind\Z|\{|(?::|\.|@|v-(?:bind|on|model):)\[")


class _Props(NamedTuple):
    """The call, the type of what it defines, and that as text."""

    call: Node
    type: x.TypeExpression
    text: str


def stated_props(code: Code) -> Stated | None:
    """What is said of the properties of the component that a file is; None where nothing is known of them."""
    props = _props(code)
    if props is None:
        return None
    by = said.declaration(code.source, props.call.start_byte, props.call.end_byte)
    return Stated((Parameter(PROPS, type=props.text),), by=by)


def props_types(code: Code) -> tuple[x.ParameterType, ...]:
    """The same lowered."""
    props = _props(code)
    return () if props is None else (x.ParameterType(PROPS, props.type, None),)


def _props(code: Code) -> _Props | None:
    if "props" not in code.cache:
        code.cache["props"] = _defined(code)
    known: _Props | None = code.cache["props"]
    return known


def _defined(code: Code) -> _Props | None:
    for place in _DEFINED.finditer(code.source):
        way = code.way(place.start())
        call = way[-2] if len(way) > 1 else None
        if call is None or call.type != "call_expression" or call.child_by_field_name("function") != way[-1]:
            continue
        types = call.child_by_field_name("type_arguments")
        written = said.real_children(types)[:1] if types is not None else []
        if written:
            return _Props(call, lower_type(code, written[0]), code.text(written[0]))
        passed = call.child_by_field_name("arguments")
        value = said.unwrapped(next(iter(said.real_children(passed)), None)) if passed is not None else None
        members = _listed(code, value) if value is not None else None
        if members is None or value is None:
            return None
        text = "; ".join(f"{each.name}{'?' if each.optional else ''}: {_text(each.type)}" for each in members)
        return _Props(call, x.ObjectType(members, value.start_byte), f"{{ {text} }}")
    return None


def _text(type_: x.TypeExpression) -> str:
    return type_.name if isinstance(type_, x.TypeName) else "unknown"


def _listed(code: Code, value: Node) -> tuple[x.TypeMember, ...] | None:
    """The properties that a value lists; None where it does not list them all."""
    found: list[x.TypeMember] = []
    for each in said.real_children(value) if value.type in ("object", "array") else ():
        name = string_value(code.source, each)
        if value.type == "array" and name is not None:
            found.append(x.TypeMember(camel(name), x.UnknownType(), each.start_byte, True))
            continue
        key, option = each.child_by_field_name("key"), each.child_by_field_name("value")
        if each.type != "pair" or key is None or option is None or key.type == "computed_property_name":
            return None
        text = string_value(code.source, key) or code.text(key)
        type_, required = _option(code, option)
        found.append(x.TypeMember(camel(text), type_, key.start_byte, not required))
    return tuple(found) if value.type in ("object", "array") else None


def _option(code: Code, option: Node) -> tuple[x.TypeExpression, bool]:
    """The type of a property by its option (`String`, `{ type: String, required: true }`), and whether it must be
    given."""
    if option.type != "object":
        return _constructed(code, option), False
    type_: x.TypeExpression = x.UnknownType()
    required = False
    for each in said.real_children(option):
        key, value = each.child_by_field_name("key"), each.child_by_field_name("value")
        name = code.text(key) if key is not None else ""
        if name == "type" and value is not None:
            type_ = _constructed(code, value)
        elif name == "required" and value is not None:
            required = value.type == "true"
    return type_, required


def _constructed(code: Code, node: Node) -> x.TypeExpression:
    """The type of what a constructor makes, by whose name properties say their types (`Object as PropType<User>`)."""
    if node.type == "identifier":
        return x.TypeName(code.text(node), node.start_byte)
    parts = said.real_children(node) if node.type == "as_expression" else []
    if len(parts) > 1 and parts[1].type == "generic_type":
        listed = parts[1].child_by_field_name("type_arguments")
        given = said.real_children(listed) if listed is not None else []
        return lower_type(code, given[0]) if len(given) == 1 else x.UnknownType()
    return x.UnknownType()


# --------------------------------------------------------------------------------------------------- what is given


def given(source: bytes, at: int, *, checked: bool) -> x.Arguments | None:
    """What an element of a template gives the component whose name stands at an offset, as the one object that it is
    passed as; None where that can't be told."""
    tag = _TAG.match(source, at - 1) if at else None
    if tag is None:
        return None
    names: list[str] = []
    for attribute in _ATTRIBUTE.finditer(tag.group(1)):
        written = attribute.group(1).decode("utf-8", "replace")
        if _SPREAD.match(written) is not None:
            return x.Arguments(1, literals=(None,))
        names.extend(_property(written))
    return x.Arguments(1, literals=(tuple(dict.fromkeys(names)),), checked=checked)


def _property(attribute: str) -> Iterator[str]:
    """The property that an attribute gives; none for a directive."""
    model, heard, bound = _MODEL.fullmatch(attribute), _HEARD.match(attribute), _BOUND.match(attribute)
    if model is not None:
        name = camel(model["name"] or "modelValue")
        yield from (name, f"onUpdate:{name}")
    elif heard is not None:
        name = camel(heard["name"])
        yield f"on{name[:1].upper()}{name[1:]}"
    elif bound is not None:
        yield camel(bound["name"])
    elif not attribute.startswith(("v-", "#", "@", ":")):
        yield camel(attribute)


def camel(name: str) -> str:
    """`order-id` as the component calls it: orderId."""
    first, *rest = name.split("-")
    return first + "".join(part[:1].upper() + part[1:] for part in rest)

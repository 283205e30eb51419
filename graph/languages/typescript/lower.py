"""Expressions lowered to `graph.expressions`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from graph import expressions as x
from graph.languages.typescript import declarations as said
from graph.languages.typescript.code import Code
from graph.languages.typescript.displaced import CHAINS, callee_of, operations_on
from graph.languages.typescript.jsdoc import stated_before
from graph.languages.typescript.modulefacts import string_value
from graph.languages.typescript.types import lower_type, type_arguments

DEEPEST = 60
"""Expressions nested deeper are unknown."""
MOST_ITEMS = 50
"""Items of an array literal that are lowered."""

_LITERALS = {
    "string": "String", "template_string": "String", "number": "Number", "true": "Boolean", "false": "Boolean",
    "regex": "RegExp", "update_expression": "Number",
}  # fmt: skip
_COMPARISONS = frozenset({"===", "!==", "==", "!=", "<", ">", "<=", ">=", "instanceof", "in"})
_ARITHMETIC = frozenset({"-", "*", "/", "%", "**", "|", "&", "^", "<<", ">>", ">>>"})
_UNARY = {"!": "Boolean", "typeof": "String", "delete": "Boolean", "-": "Number", "+": "Number", "~": "Number"}


def lower(code: Code, node: Node | None, depth: int = 0) -> x.Expression:
    """What the expression at `node` is."""
    found = lowered_alone(code, node, depth)
    if node is None or node.type not in CHAINS or code.grammars.name == "javascript":
        return found
    for operation in reversed(operations_on(code.source, node)):
        kind = operation.type
        found = x.Await(found) if kind == "await_expression" else _operation(code, operation, kind, depth)
    return found


def lowered_alone(code: Code, node: Node | None, depth: int = 0) -> x.Expression:
    """The same without the operations that stand in it and are on a longer chain (see `displaced`)."""
    if node is None or depth > DEEPEST:
        return x.Unknown()
    kind = node.type
    if kind in ("identifier", "shorthand_property_identifier", "type_identifier"):
        return x.Name(code.text(node), node.start_byte)
    if kind in ("member_expression", "nested_identifier", "nested_type_identifier"):
        return _member(code, node, depth)
    if kind == "call_expression":
        return _call(code, node, depth)
    if kind == "new_expression":
        constructor = node.child_by_field_name("constructor")
        return x.Construct(
            lower(code, constructor, depth + 1),
            _arguments(code, node.child_by_field_name("arguments"), depth),
            node.start_byte,
            node.end_byte,
            type_arguments(code, node),
        )
    if kind in _LITERALS:
        return x.Literal_(_LITERALS[kind])
    if kind == "non_null_expression":
        return lowered_alone(code, _first(node), depth + 1)
    if kind in ("parenthesized_expression", "satisfies_expression", "instantiation_expression"):
        return _wrapped(code, node, depth)
    if kind in ("as_expression", "type_assertion"):
        return _cast(code, node, depth)
    if kind == "await_expression":
        return x.Await(lower(code, _first(node), depth + 1))
    if kind == "this":
        return x.This(node.start_byte)
    if kind == "super":
        return x.Super(node.start_byte)
    if kind in said.FUNCTION_VALUES or kind in ("class", "method_definition"):
        index = code.index_of(node)
        return x.Defined(index) if index >= 0 else x.Function(node.start_byte)
    if kind in ("null", "undefined"):
        return x.Cast(x.TypeName(kind, node.start_byte), x.Unknown())
    if kind == "object":
        return _object(code, node, depth)
    if kind == "array":
        return _array(code, node, depth)
    if kind == "subscript_expression":
        return _subscript(code, node, depth)
    return _operation(code, node, kind, depth)


def _first(node: Node) -> Node | None:
    for child in node.named_children:
        if child.type != "comment":
            return child
    return None


def _wrapped(code: Code, node: Node, depth: int) -> x.Expression:
    if node.type == "parenthesized_expression" and code.grammars.name == "javascript":
        stated = stated_before(code, node)
        if stated is not None:
            return x.Cast(stated, lower(code, _first(node), depth + 1))
    return lower(code, _first(node), depth + 1)


def _cast(code: Code, node: Node, depth: int) -> x.Expression:
    parts = said.real_children(node)
    if node.type == "type_assertion":
        listed = said.real_children(parts[0]) if parts else []
        stated, value = (listed[0] if listed else None), (parts[-1] if len(parts) > 1 else None)
    else:
        value, stated = (parts[0] if parts else None), (parts[1] if len(parts) > 1 else None)
    inner = lower(code, value, depth + 1)
    # `as const` keeps the value's own type; `as any` and `as unknown` forget it.
    return inner if stated is None else x.Cast(lower_type(code, stated), inner)


def _member(code: Code, node: Node, depth: int) -> x.Expression:
    if node.type == "nested_type_identifier":
        owner, name = node.child_by_field_name("module"), node.child_by_field_name("name")
    else:
        owner, name = node.child_by_field_name("object"), node.child_by_field_name("property")
    if owner is None or name is None or owner.type == "import":
        return x.Unknown()
    # Chains are long and nest to the left: they are walked, not recursed into.
    chain = [name]
    while owner.type in ("member_expression", "nested_identifier") and len(chain) < DEEPEST:
        inner, name = owner.child_by_field_name("object"), owner.child_by_field_name("property")
        if inner is None or name is None:
            break
        chain.append(name)
        owner = inner
    found = lowered_alone(code, owner, depth + 1)
    for each in reversed(chain):
        found = x.Member(found, code.text(each), each.start_byte)
    return found


def _subscript(code: Code, node: Node, depth: int) -> x.Expression:
    owner = lowered_alone(code, node.child_by_field_name("object"), depth + 1)
    index = node.child_by_field_name("index")
    literal = string_value(code.source, index)
    if literal is not None and index is not None:
        return x.Member(owner, literal, index.start_byte + 1)
    if index is not None and index.type == "number" and code.text(index).isdecimal() and len(code.text(index)) < 5:
        return x.Item(owner, int(code.text(index)))
    return x.Subscript(owner, lower(code, index, depth + 1))


def _call(code: Code, node: Node, depth: int) -> x.Expression:
    callee = callee_of(node)
    arguments = node.child_by_field_name("arguments")
    if callee is None:
        return x.Unknown()
    if callee.type == "import" or (callee.type == "identifier" and code.text(callee) == "require"):
        first = None if arguments is None else _first(arguments)
        module = string_value(code.source, first)
        if module is not None:
            return x.ModuleExpression(module)
        if callee.type == "import":
            return x.Unknown()
    if callee.type == "super":
        return x.Unknown()
    if callee.type == "identifier" and code.text(callee) == "await" and arguments is not None:
        # The grammar takes `await (await import("x")).f()` for a call of something named await.
        inner = lower(code, _first(arguments), depth + 1)
        return inner if isinstance(inner, x.Await) else x.Await(inner)
    kept = said.kept_argument(code.source, node)
    if kept is not None and kept.type in (*said.FUNCTION_VALUES, "object"):
        return lower(code, kept, depth + 1)
    return x.Call(
        lowered_alone(code, callee, depth + 1),
        _arguments(code, arguments, depth),
        callee.start_byte,
        node.end_byte,
        type_arguments(code, node),
    )


def _arguments(code: Code, node: Node | None, depth: int) -> tuple[x.Argument, ...]:
    if node is None or node.type != "arguments":
        return ()
    found: list[x.Argument] = []
    for each in said.real_children(node)[:MOST_ITEMS]:
        if each.type == "spread_element":
            found.append(x.Argument(lower(code, _first(each), depth + 1), None, "*"))
        else:
            found.append(x.Argument(lower(code, each, depth + 1)))
    return tuple(found)


def _array(code: Code, node: Node, depth: int) -> x.Expression:
    items: list[x.Expression] = []
    for each in said.real_children(node)[:MOST_ITEMS]:
        if each.type == "spread_element":
            items.append(x.Element(lower(code, _first(each), depth + 1)))
        else:
            items.append(lower(code, each, depth + 1))
    return x.Sequence("Array", tuple(items))


def _object(code: Code, node: Node, depth: int) -> x.Expression:
    properties: list[x.Property] = []
    spreads: list[x.Expression] = []
    for each in said.real_children(node):
        kind = each.type
        if kind == "spread_element":
            spreads.append(lower(code, _first(each), depth + 1))
        elif kind == "shorthand_property_identifier":
            name = code.text(each)
            properties.append(x.Property(name, x.Name(name, each.start_byte), each.start_byte))
        elif kind in ("pair", "method_definition"):
            key = each.child_by_field_name("key") or each.child_by_field_name("name")
            if key is None or key.type == "computed_property_name":
                spreads.append(x.Unknown())  # of what name, nothing tells
                continue
            name, at = code.text(key), key.start_byte
            if key.type == "string":
                name, at = name[1:-1], at + 1
            value = each if kind == "method_definition" else each.child_by_field_name("value")
            properties.append(x.Property(name, _property(code, value, depth), at))
    return x.Object(tuple(properties), tuple(spreads), node.start_byte)


def _property(code: Code, value: Node | None, depth: int) -> x.Expression:
    if value is not None and value.type == "method_definition":
        name = value.child_by_field_name("name")
        prefix = code.source[value.start_byte : name.start_byte].split() if name is not None else []
        if b"get" in prefix:
            # A getter's value is what it returns; who reads it gets that, not a function.
            index = code.index_of(value)
            target: x.Expression = x.Defined(index) if index >= 0 else x.Function(value.start_byte)
            return x.Call(target, (), value.start_byte, value.end_byte)
    return lower(code, value, depth + 1)


def _operation(code: Code, node: Node, kind: str, depth: int) -> x.Expression:
    if kind == "ternary_expression":
        options = (node.child_by_field_name("consequence"), node.child_by_field_name("alternative"))
        return x.Either(tuple(lower(code, each, depth + 1) for each in options))
    if kind == "binary_expression":
        return _binary(code, node, depth)
    if kind == "unary_expression":
        operator = node.child_by_field_name("operator")
        name = _UNARY.get("" if operator is None else operator.type)
        return x.Cast(x.TypeName("undefined", node.start_byte), x.Unknown()) if name is None else x.Literal_(name)
    if kind == "assignment_expression":
        return lower(code, node.child_by_field_name("right"), depth + 1)
    if kind == "augmented_assignment_expression":
        operator = node.child_by_field_name("operator")
        if operator is not None and operator.type in ("??=", "||="):
            sides = (node.child_by_field_name("left"), node.child_by_field_name("right"))
            return x.Either(tuple(lower(code, each, depth + 1) for each in sides))
        return x.Unknown()
    if kind == "sequence_expression":
        return lower(code, node.named_child(node.named_child_count - 1), depth + 1)
    return x.Unknown()


def _binary(code: Code, node: Node, depth: int) -> x.Expression:
    operator = node.child_by_field_name("operator")
    sign = "" if operator is None else operator.type
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if sign in ("??", "||"):
        return x.Either((lower(code, left, depth + 1), lower(code, right, depth + 1)))
    if sign == "&&":
        return lower(code, right, depth + 1)
    if sign in _COMPARISONS:
        return x.Literal_("Boolean")
    if sign in _ARITHMETIC:
        return x.Literal_("Number")
    if sign == "+" and any(side is not None and side.type in ("string", "template_string") for side in (left, right)):
        return x.Literal_("String")
    return x.Unknown()


class Bound(NamedTuple):
    """A part of a destructuring pattern: the node that names it, the binding it makes (None for the key of a nested
    pattern), the expression that it takes."""

    key: Node
    binding: Node | None
    value: x.Expression


def destructured(code: Code, pattern: Node, value: x.Expression) -> Iterator[Bound]:
    """What a pattern takes out of `value`, in no particular order."""
    pending: list[tuple[Node, x.Expression, int]] = [(pattern, value, 0)]
    while pending:
        node, taken, depth = pending.pop()
        if depth > DEEPEST:
            continue
        kind = node.type
        if kind in ("identifier", "shorthand_property_identifier_pattern"):
            yield Bound(node, node, taken)
        elif kind == "object_pattern":
            pending.extend(_from_object(code, node, taken, depth))
            for key, inner in _pair_keys(code, node, taken):
                yield Bound(key, None, inner)
        elif kind == "array_pattern":
            pending.extend(_from_array(node, taken, depth))
        elif kind in ("assignment_pattern", "object_assignment_pattern"):
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            if left is not None:
                default = lower(code, right)
                merged = default if isinstance(taken, x.Unknown) else x.Either((taken, default))
                pending.append((left, merged, depth + 1))
        elif kind == "rest_pattern":
            inner_node = node.named_child(0)
            if inner_node is not None:
                pending.append((inner_node, taken, depth + 1))


def _member_of(code: Code, key: Node, taken: x.Expression) -> x.Expression:
    text, at = code.text(key), key.start_byte
    if key.type == "string":
        text, at = text[1:-1], at + 1
    elif key.type == "computed_property_name":
        return x.Unknown()
    return x.Member(taken, text, at)


def _from_object(code: Code, node: Node, taken: x.Expression, depth: int) -> Iterator[tuple[Node, x.Expression, int]]:
    for each in node.named_children:
        kind = each.type
        if kind == "shorthand_property_identifier_pattern":
            yield each, _member_of(code, each, taken), depth + 1
        elif kind == "object_assignment_pattern":
            left = each.child_by_field_name("left")
            if left is not None and left.type == "shorthand_property_identifier_pattern":
                right = each.child_by_field_name("right")
                yield left, x.Either((_member_of(code, left, taken), lower(code, right))), depth + 1
        elif kind == "pair_pattern":
            key, value = each.child_by_field_name("key"), each.child_by_field_name("value")
            if key is not None and value is not None:
                yield value, _member_of(code, key, taken), depth + 1
        elif kind == "rest_pattern":
            yield each, taken, depth + 1


def _pair_keys(code: Code, node: Node, taken: x.Expression) -> Iterator[tuple[Node, x.Expression]]:
    for each in node.named_children:
        key = each.child_by_field_name("key") if each.type == "pair_pattern" else None
        if key is not None:
            yield key, _member_of(code, key, taken)


def _from_array(node: Node, taken: x.Expression, depth: int) -> Iterator[tuple[Node, x.Expression, int]]:
    position = 0
    for each in node.children:
        if each.type == ",":
            position += 1
        elif each.is_named and each.type != "comment":
            yield each, (taken if each.type == "rest_pattern" else x.Item(taken, position)), depth + 1

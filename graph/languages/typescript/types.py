"""Type annotations, and types in JSDoc comments, lowered to `graph.expressions`."""

from __future__ import annotations

from tree_sitter import Node

from graph import expressions as x
from graph.languages.typescript import declarations as said
from graph.languages.typescript.code import SIGNATURES, Code

DEEPEST = 60
"""Types nested deeper are unknown."""

PREDEFINED = {"string": "String", "number": "Number", "boolean": "Boolean", "bigint": "BigInt", "symbol": "Symbol"}
"""Primitive types -> the interfaces of the builtins stub that tell their members."""

_ONE_INSIDE = frozenset(
    {
        "parenthesized_type", "readonly_type", "optional_type", "type_annotation", "default_type", "constraint",
        "opting_type_annotation", "omitting_type_annotation", "adding_type_annotation",
    }
)  # fmt: skip


def lower_type(code: Code, node: Node | None, depth: int = 0) -> x.TypeExpression:
    """The type that `node` states."""
    if node is None or depth > DEEPEST:
        return x.UnknownType()
    kind = node.type
    if kind in ("type_identifier", "identifier"):
        return x.TypeName(code.text(node), node.start_byte)
    if kind == "predefined_type":
        name = code.text(node)
        return x.TypeName(PREDEFINED.get(name, name), node.start_byte)
    if kind in _ONE_INSIDE:
        return lower_type(code, node.named_child(0), depth + 1)
    if kind == "generic_type":
        return _generic(code, node, depth)
    if kind in ("nested_type_identifier", "nested_identifier", "member_expression"):
        return _dotted(code, node, ())
    if kind == "union_type":
        return x.UnionType(tuple(_flat(code, node, "union_type", depth)))
    if kind == "intersection_type":
        return x.IntersectionType(tuple(_flat(code, node, "intersection_type", depth)))
    if kind == "array_type":
        return x.TypeName("Array", node.start_byte, (lower_type(code, node.named_child(0), depth + 1),))
    if kind == "tuple_type":
        return x.TupleType(tuple(_tuple_item(code, each, depth) for each in said.real_children(node)))
    if kind in SIGNATURES:
        return function_type(code, node, depth)
    if kind == "object_type":
        return _object_type(code, node, depth)
    if kind == "type_query":
        return _type_query(code, node)
    if kind == "lookup_type":
        return _lookup(code, node, depth)
    if kind == "literal_type":
        return _literal(code, node)
    if kind in ("template_literal_type", "index_type_query"):
        return x.LiteralType("String")
    if kind in ("type_predicate", "type_predicate_annotation"):
        return x.TypeName("Boolean", node.start_byte)
    if kind in ("asserts", "asserts_annotation"):
        return x.TypeName("void", node.start_byte)
    if kind == "this_type":
        return x.SelfType()
    if kind == "conditional_type":
        # Which branch holds isn't worked out; most conditional types of one concrete class agree on it.
        return x.UnknownType()
    return x.UnknownType()


def _generic(code: Code, node: Node, depth: int) -> x.TypeExpression:
    name = node.child_by_field_name("name")
    arguments = type_arguments(code, node, depth)
    if name is None:
        return x.UnknownType()
    return _dotted(code, name, arguments)


def type_arguments(code: Code, node: Node, depth: int = 0) -> tuple[x.TypeExpression, ...]:
    """The type arguments in a generic type, a call, a construction or an extends clause."""
    listed = node.child_by_field_name("type_arguments")
    if listed is None:
        return ()
    return tuple(lower_type(code, each, depth + 1) for each in said.real_children(listed))


def _dotted(code: Code, node: Node, arguments: tuple[x.TypeExpression, ...]) -> x.TypeExpression:
    text = code.text(node)
    if not all(part.strip().isidentifier() or "$" in part for part in text.split(".")):
        return x.UnknownType()
    return x.TypeName(".".join(part.strip() for part in text.split(".")), node.start_byte, arguments)


def _flat(code: Code, node: Node, kind: str, depth: int) -> list[x.TypeExpression]:
    """The options of a union, which the grammar nests to the left once per option."""
    found: list[x.TypeExpression] = []
    pending = [node]
    while pending and len(found) < 60:
        each = pending.pop()
        if each.type == kind:
            pending.extend(reversed(said.real_children(each)))
        else:
            found.append(lower_type(code, each, depth + 1))
    return found


def _tuple_item(code: Code, node: Node, depth: int) -> x.TypeExpression:
    if node.type in ("required_parameter", "optional_parameter"):
        return lower_type(code, node.child_by_field_name("type"), depth + 1)
    if node.type == "rest_type":
        return x.UnknownType()
    return lower_type(code, node, depth + 1)


def function_type(code: Code, node: Node, depth: int = 0) -> x.TypeExpression:
    """The type of a signature; a constructor type is the class that it makes."""
    if node.type in ("constructor_type", "construct_signature"):
        made = node.child_by_field_name("type") or node.child_by_field_name("return_type")
        return x.ClassOf(lower_type(code, made, depth + 1))
    parameters: list[x.TypeExpression] = []
    listed = node.child_by_field_name("parameters")
    for each in said.real_children(listed) if listed is not None else []:
        pattern = each.child_by_field_name("pattern")
        if pattern is not None and pattern.type == "this":
            continue
        parameters.append(lower_type(code, each.child_by_field_name("type"), depth + 1))
    return x.FunctionType(tuple(parameters), lower_type(code, node.child_by_field_name("return_type"), depth + 1))


def _object_type(code: Code, node: Node, depth: int) -> x.TypeExpression:
    for each in node.named_children:
        if each.type == "index_signature":
            if any(child.type == "mapped_type_clause" for child in each.named_children):
                return x.UnknownType()
            if node.named_child_count == 1:
                value = each.child_by_field_name("type")
                key = x.TypeName("String", each.start_byte)
                return x.TypeName("Record", node.start_byte, (key, lower_type(code, value, depth + 1)))
    return object_type(code, node, depth)


def object_type(code: Code, node: Node, depth: int = 0) -> x.ObjectType:
    """The members of an object type or of an interface's body."""
    members = []
    is_open = False
    for each in said.real_children(node):
        found = type_member(code, each, depth)
        if found is not None:
            members.append(found)
        is_open = is_open or found is None
    return x.ObjectType(tuple(members), node.start_byte, is_open)


def type_member(code: Code, node: Node, depth: int = 0) -> x.TypeMember | None:
    """A member of an object type or interface; None for what has no name that can be used. A call signature's is ""."""
    kind = node.type
    name = node.child_by_field_name("name")
    if kind == "call_signature":
        return x.TypeMember("", function_type(code, node, depth + 1), node.start_byte)
    if name is None or name.type == "computed_property_name":
        return None
    text = code.text(name)
    at = name.start_byte
    if name.type == "string":
        text, at = text[1:-1], at + 1
    optional = code.source[name.end_byte : name.end_byte + 1] == b"?"
    if kind == "property_signature":
        return x.TypeMember(text, lower_type(code, node.child_by_field_name("type"), depth + 1), at, optional)
    if kind == "method_signature":
        if code.source[node.start_byte : name.start_byte].split()[-1:] == [b"get"]:
            return x.TypeMember(
                text, lower_type(code, node.child_by_field_name("return_type"), depth + 1), at, optional
            )
        return x.TypeMember(text, function_type(code, node, depth + 1), at, optional)
    return None


def _type_query(code: Code, node: Node) -> x.TypeExpression:
    from graph.languages.typescript.lower import lower

    inner = node.named_child(0)
    return x.UnknownType() if inner is None else x.TypeOf(lower(code, inner))


def _lookup(code: Code, node: Node, depth: int) -> x.TypeExpression:
    parts = said.real_children(node)
    if len(parts) != 2:
        return x.UnknownType()
    owner = lower_type(code, parts[0], depth + 1)
    index = parts[1]
    inner = index.named_child(0) if index.type == "literal_type" else None
    if inner is not None and inner.type == "string":
        return x.IndexedType(owner, code.text(inner)[1:-1])
    if code.text(index) == "number":
        return x.IndexedType(owner, None)
    return x.UnknownType()


def _literal(code: Code, node: Node) -> x.TypeExpression:
    inner = node.named_child(0)
    kind = "" if inner is None else inner.type
    if kind == "string":
        return x.LiteralType("String")
    if kind in ("number", "unary_expression"):
        return x.LiteralType("Number")
    if kind in ("true", "false"):
        return x.LiteralType("Boolean")
    return x.TypeName(code.text(node), node.start_byte)

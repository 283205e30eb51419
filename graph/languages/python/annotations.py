"""Type annotations -> type expressions. Pure syntax; what isn't understood is UnknownType."""

from __future__ import annotations

import tree_sitter

from graph.expressions import (
    ClassOf,
    FunctionType,
    LiteralType,
    SelfType,
    TupleType,
    TypeExpression,
    TypeName,
    UnionType,
    UnknownType,
)
from graph.languages.python.grammar import LANGUAGE
from graph.languages.python.reading import Text

DEEPEST = 40  # levels of a type that are read; deeper is unknown
_LONGEST = 2000  # bytes of an annotation in a string that are read
_WRAPPERS = frozenset({"Annotated", "ClassVar", "Final", "InitVar", "NotRequired", "ReadOnly", "Required", "Unpack"})
_NOTHING = frozenset({"Any", "TypeAlias", "Concatenate", "Generic", "Protocol", "TypeVar"})
_UNKNOWN = UnknownType()


def type_expression(text: Text, node: tree_sitter.Node | None, depth: int = 0) -> TypeExpression:
    """The type that an annotation (or an expression used as one: in `isinstance`, `cast`, a base) states."""
    while node is not None and node.type in ("type", "parenthesized_expression", "constrained_type"):
        node = next((c for c in node.named_children if c.type != "comment"), None)
    if node is None or depth > DEEPEST:
        return _UNKNOWN
    kind = node.type
    if kind in ("identifier", "attribute", "member_type"):
        return _named(text, node, (), depth)
    if kind == "none":
        return TypeName("None", text.at(node))
    if kind == "string":
        return _in_string(text, node, depth)
    if kind == "generic_type":
        head = node.named_child(0)
        arguments = node.named_child(1)
        return _named(text, head, tuple(arguments.named_children) if arguments is not None else (), depth)
    if kind == "subscript":
        return _named(text, node.child_by_field_name("value"), tuple(node.children_by_field_name("subscript")), depth)
    if kind in ("binary_operator", "union_type"):
        return _union(text, node, depth)
    return _UNKNOWN


def _union(text: Text, node: tree_sitter.Node, depth: int) -> TypeExpression:
    """`A | B | C`, a left-deep tree."""
    options: list[TypeExpression] = []
    stack = [node]
    while stack and len(options) < 100:
        part = stack.pop()
        if part.type == "binary_operator":
            operator = part.child_by_field_name("operator")
            if operator is None or operator.type != "|":
                return _UNKNOWN
            sides = (part.child_by_field_name("right"), part.child_by_field_name("left"))
            stack.extend(s for s in sides if s is not None)
        elif part.type == "union_type":
            stack.extend(reversed(part.named_children))
        else:
            options.append(type_expression(text, part, depth + 1))
    return UnionType(tuple(options))


def dotted(text: Text, node: tree_sitter.Node | None) -> str | None:
    """`a.b.c` as text; None for anything that isn't only names and dots."""
    parts: list[str] = []
    while node is not None and node.type == "attribute" and len(parts) < DEEPEST:
        name = node.child_by_field_name("attribute")
        if name is None:
            return None
        parts.append(text.of(name))
        node = node.child_by_field_name("object")
    if node is None:
        return None
    if node.type == "member_type":
        return "".join(text.of(node).split())
    if node.type != "identifier":
        return None
    parts.append(text.of(node))
    return ".".join(reversed(parts))


def _named(
    text: Text, head: tree_sitter.Node | None, arguments: tuple[tree_sitter.Node, ...], depth: int
) -> TypeExpression:
    name = dotted(text, head)
    if name is None or head is None:
        return _UNKNOWN
    arguments = tuple(a for a in arguments if a.type != "comment")
    if len(arguments) == 1 and arguments[0].type == "tuple":  # a subscript in an expression: `Dict[(str, int)]`
        arguments = tuple(arguments[0].named_children)
    at = text.at(head)
    special = text.spellings.special(name)
    if special is not None:
        found = _special(text, special, at, arguments, depth)
        if found is not None:
            return found
        name = text.spellings.normalised(name)
    if name == "tuple" and arguments:
        return _tuple(text, at, arguments, depth)
    return TypeName(name, at, tuple(type_expression(text, a, depth + 1) for a in arguments))


def _special(
    text: Text, special: str, at: int, arguments: tuple[tree_sitter.Node, ...], depth: int
) -> TypeExpression | None:
    """Special forms; None for what is an ordinary name after all."""
    first = arguments[0] if arguments else None
    if special == "Optional":
        return UnionType((type_expression(text, first, depth + 1), TypeName("None", at)))
    if special == "Union":
        return UnionType(tuple(type_expression(text, a, depth + 1) for a in arguments))
    if special in _WRAPPERS:
        return type_expression(text, first, depth + 1)
    if special in ("type", "Type"):
        return ClassOf(type_expression(text, first, depth + 1) if first is not None else _UNKNOWN)
    if special == "Self":
        return SelfType()
    if special == "Callable":
        return _callable(text, arguments, depth)
    if special == "Literal":
        return LiteralType(_literal(first))
    if special == "LiteralString":
        return TypeName("str", at)
    if special in ("TypeGuard", "TypeIs"):
        return TypeName("bool", at)
    if special in ("Never", "NoReturn"):
        return TypeName("None", at)
    if special in _NOTHING:
        return _UNKNOWN
    return None


def _callable(text: Text, arguments: tuple[tree_sitter.Node, ...], depth: int) -> TypeExpression:
    if len(arguments) != 2:
        return FunctionType((), _UNKNOWN)
    listed = arguments[0]
    while listed.type == "type" and listed.named_child_count:
        inner = listed.named_child(0)
        if inner is None:
            break
        listed = inner
    items = listed.named_children if listed.type == "list" else []
    parameters = tuple(type_expression(text, item, depth + 1) for item in items)
    return FunctionType(parameters, type_expression(text, arguments[1], depth + 1))


def _tuple(text: Text, at: int, arguments: tuple[tree_sitter.Node, ...], depth: int) -> TypeExpression:
    items: list[TypeExpression] = []
    for argument in arguments:
        inner = argument
        while inner.type == "type" and inner.named_child_count:
            inner = inner.named_child(0) or inner
        if inner.type == "ellipsis" or text.of(inner) == "...":
            return TypeName("tuple", at, tuple(items[:1]))
        items.append(type_expression(text, argument, depth + 1))
    return TupleType(tuple(items))


_LITERALS = {"string": "str", "integer": "int", "true": "bool", "false": "bool", "none": "None"}


def _literal(node: tree_sitter.Node | None) -> str:
    while node is not None and node.type == "type":
        node = node.named_child(0)
    return _LITERALS.get(node.type, "object") if node is not None else "object"


def string_content(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """The one piece of text of a string literal without interpolations."""
    pieces = [c for c in node.named_children if c.type not in ("string_start", "string_end")]
    return pieces[0] if len(pieces) == 1 and pieces[0].type == "string_content" else None


def _in_string(text: Text, node: tree_sitter.Node, depth: int) -> TypeExpression:
    content = string_content(node)
    if content is None or content.end_byte - content.start_byte > _LONGEST:
        return _UNKNOWN
    source = text.source[content.start_byte : content.end_byte]
    tree = tree_sitter.Parser(LANGUAGE).parse(b"_:" + source.replace(b"\n", b" "))
    statement = tree.root_node.named_child(0)
    if statement is None or statement.type != "assignment" or tree.root_node.has_error:
        return _UNKNOWN
    inner = Text(b"_:" + source, text.shift + content.start_byte - 2, text.spellings)
    return type_expression(inner, statement.child_by_field_name("type"), depth + 5)

"""Expressions of a Go syntax tree -> graph.expressions. Deeper than DEEPEST levels they are Unknown."""

from __future__ import annotations

import tree_sitter

from graph.expressions import (
    Argument,
    Call,
    Cast,
    Element,
    Expression,
    Function,
    Item,
    Literal_,
    Member,
    Name,
    Subscript,
    Unknown,
)
from graph.languages.go.annotations import type_arguments, type_expression
from graph.languages.go.reading import Reading

DEEPEST = 60  # levels of an expression that are lowered
MOST_ARGUMENTS = 40
UNKNOWN = Unknown()
KEY = "__key__"
"""The method that the builtins stub gives to what can be ranged over: the type of the first loop variable."""
BOOL = Literal_("bool")
_LITERALS = {
    "int_literal": Literal_("int"),
    "float_literal": Literal_("float64"),
    "imaginary_literal": Literal_("complex128"),
    "rune_literal": Literal_("rune"),
    "interpreted_string_literal": Literal_("string"),
    "raw_string_literal": Literal_("string"),
    "true": BOOL,
    "false": BOOL,
    "iota": Literal_("int"),
}
_TESTS = frozenset({"==", "!=", "<", "<=", ">", ">=", "&&", "||"})
_OF_FIRST_ARGUMENT = frozenset({"append", "min", "max"})
_OF_TYPE = frozenset({"make", "new"})
MAYBE_TYPES = frozenset(
    {
        "type_identifier", "qualified_type", "generic_type", "pointer_type", "parenthesized_type", "slice_type",
        "array_type", "map_type", "channel_type", "function_type", "struct_type", "interface_type",
    }
)  # fmt: skip
"""What is passed to `new` where it isn't certainly a value."""
_NAMES = frozenset({"identifier", "type_identifier", "package_identifier"})


def expression(reading: Reading, node: tree_sitter.Node | None, depth: int = 0) -> Expression:
    """The expression at `node`, lowered."""
    while node is not None and node.type in ("parenthesized_expression", "literal_element", "expression_statement"):
        node = next((child for child in node.named_children if child.type != "comment"), None)
    if node is None or depth > DEEPEST:
        return UNKNOWN
    kind = node.type
    if kind in _NAMES:
        return Name(reading.text(node), node.start_byte)
    if kind in ("selector_expression", "qualified_type"):
        return member(reading, node, depth)
    if kind == "call_expression":
        return call(reading, node, depth)
    literal = _LITERALS.get(kind)
    if literal is not None:
        return literal
    if kind == "unary_expression":
        return _unary(reading, node, depth)
    if kind == "composite_literal" or kind == "type_assertion_expression":
        return Cast(type_expression(reading, node.child_by_field_name("type")), UNKNOWN)
    if kind == "type_conversion_expression":
        return _conversion(reading, node, depth)
    if kind == "index_expression":
        index = expression(reading, node.child_by_field_name("index"), depth + 1)
        return Subscript(expression(reading, node.child_by_field_name("operand"), depth + 1), index)
    if kind == "slice_expression":
        return expression(reading, node.child_by_field_name("operand"), depth + 1)
    if kind == "func_literal":
        return Function(node.start_byte)
    if kind == "type_instantiation_expression":
        return expression(reading, node.child_by_field_name("type"), depth + 1)
    if kind == "binary_expression":
        return _binary(reading, node, depth)
    return UNKNOWN


def member(reading: Reading, node: tree_sitter.Node, depth: int = 0) -> Expression:
    """`x.name`, or a type of a package."""
    owner = node.child_by_field_name("operand") or node.child_by_field_name("package")
    name = node.child_by_field_name("field") or node.child_by_field_name("name")
    if name is None:
        return UNKNOWN
    return Member(expression(reading, owner, depth + 1), reading.text(name), name.start_byte)


def _unary(reading: Reading, node: tree_sitter.Node, depth: int) -> Expression:
    operator = node.children[0].type
    operand = node.child_by_field_name("operand")
    if operator == "!":
        return BOOL
    value = expression(reading, operand, depth + 1)
    return Element(value) if operator == "<-" else value


def _binary(reading: Reading, node: tree_sitter.Node, depth: int) -> Expression:
    """A comparison, or something of the type of either side; a constant takes the other side's."""
    operator = node.child_by_field_name("operator")
    if operator is not None and operator.type in _TESTS:
        return BOOL
    left = expression(reading, node.child_by_field_name("left"), depth + 1)
    if operator is not None and operator.type in ("<<", ">>"):
        return left
    return expression(reading, node.child_by_field_name("right"), depth + 1) if isinstance(left, Literal_) else left


def _conversion(reading: Reading, node: tree_sitter.Node, depth: int) -> Expression:
    """`[]T(x)`; or `F[T](x)`, which may as well be the call of a generic function."""
    written = node.child_by_field_name("type")
    operand = expression(reading, node.child_by_field_name("operand"), depth + 1)
    if written is not None and written.type == "generic_type":
        callee = expression(reading, written.child_by_field_name("type"), depth + 1)
        stated = type_arguments(reading, written)
        return Call(callee, (Argument(operand),), node.start_byte, node.end_byte, stated)
    return Cast(type_expression(reading, written), UNKNOWN)


def call(reading: Reading, node: tree_sitter.Node, depth: int = 0) -> Expression:
    """A call, a conversion, or what a predeclared function is known to give."""
    function = node.child_by_field_name("function")
    listed = node.child_by_field_name("arguments")
    if function is None:
        return UNKNOWN
    passed = [child for child in listed.named_children if child.type != "comment"] if listed is not None else []
    if function.type == "identifier" and passed:
        name = reading.text(function)
        if name in _OF_TYPE and (name == "make" or passed[0].type in MAYBE_TYPES):
            return Cast(type_expression(reading, passed[0]), UNKNOWN)
        if name == "new":
            return expression(reading, passed[0], depth + 1)  # a pointer is what it points to
        if name in _OF_FIRST_ARGUMENT and name not in reading.facts.local_names:
            return expression(reading, passed[0], depth + 1)
    stated = type_arguments(reading, node) if node.child_by_field_name("type_arguments") is not None else ()
    if function.type == "type_instantiation_expression":
        stated = type_arguments(reading, function)
    arguments = tuple(_argument(reading, each, depth) for each in passed[:MOST_ARGUMENTS])
    return Call(expression(reading, function, depth + 1), arguments, node.start_byte, node.end_byte, stated)


def _argument(reading: Reading, node: tree_sitter.Node, depth: int) -> Argument:
    if node.type == "variadic_argument":
        inner = node.named_children[0] if node.named_child_count else None
        return Argument(expression(reading, inner, depth + 1), None, "*")
    return Argument(expression(reading, node, depth + 1))


def assigned(reading: Reading, names: int, values: list[tree_sitter.Node], position: int) -> Expression:
    """What the name at `position` of `names` names gets from the values on the right."""
    if len(values) == names:
        return expression(reading, values[position]) if position < len(values) else UNKNOWN
    if len(values) != 1:
        return UNKNOWN
    value = values[0]
    while value.type == "parenthesized_expression" and value.named_child_count:
        value = value.named_children[0]
    if value.type in ("call_expression", "type_conversion_expression"):
        return Item(expression(reading, value), position)
    return expression(reading, value) if position == 0 else BOOL  # `v, ok := m[k]`, `x.(T)`, `<-c`


def ranged(reading: Reading, value: tree_sitter.Node | None, position: int) -> Expression:
    """What the loop variable at `position` gets from ranging over the value."""
    over = expression(reading, value)
    if position > 0:
        return Element(over)
    at = value.start_byte if value is not None else 0
    return Call(Member(over, KEY, at), (), at, at)

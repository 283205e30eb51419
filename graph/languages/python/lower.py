"""Expressions of a Python syntax tree -> graph.expressions. Deeper than DEEPEST levels they are Unknown."""

from __future__ import annotations

import re

import tree_sitter

from graph.expressions import (
    Argument,
    Await,
    Call,
    Cast,
    Either,
    Element,
    Expression,
    Function,
    Literal_,
    Mapping,
    Member,
    ModuleExpression,
    Name,
    Sequence,
    Subscript,
    Super,
    TypeExpression,
    Unknown,
)
from graph.languages.python.annotations import dotted, string_content, type_expression
from graph.languages.python.reading import Text

DEEPEST = 60  # levels of an expression that are lowered
MOST_ITEMS = 24  # items of a literal that are looked at: they tend to be alike
UNKNOWN = Unknown()
CLASS_NAME = re.compile(r"_*[A-Z]\w*[a-z]\w*|list|dict|set|frozenset|tuple|defaultdict|deque")
"""Names that by convention are classes: `Box[int]()` makes one, `HANDLERS[key]()` calls what a table holds."""

_LITERALS = {
    "integer": Literal_("int"),
    "float": Literal_("float"),
    "true": Literal_("bool"),
    "false": Literal_("bool"),
    "none": Literal_("None"),
    "concatenated_string": Literal_("str"),
    "comparison_operator": Literal_("bool"),
    "not_operator": Literal_("bool"),
    "ellipsis": Literal_("ellipsis"),
}
_DESCRIPTIONS = frozenset({"__doc__", "__module__", "__name__", "__qualname__"})
"""What a class may be given that says nothing of its members."""
_SEQUENCES = {
    "list": "list",
    "tuple": "tuple",
    "set": "set",
    "expression_list": "tuple",
    "list_comprehension": "list",
    "set_comprehension": "set",
    "generator_expression": "Generator",
}
_OPERATORS = {
    "+": "__add__",
    "-": "__sub__",
    "*": "__mul__",
    "/": "__truediv__",
    "//": "__floordiv__",
    "%": "__mod__",
    "**": "__pow__",
    "@": "__matmul__",
    "&": "__and__",
    "|": "__or__",
    "^": "__xor__",
    "<<": "__lshift__",
    ">>": "__rshift__",
}


def expression(text: Text, node: tree_sitter.Node | None, depth: int = 0) -> Expression:
    """The expression at `node`, lowered."""
    while node is not None and node.type in ("parenthesized_expression", "expression_statement"):
        node = next((c for c in node.named_children if c.type != "comment"), None)
    if node is None or depth > DEEPEST:
        return UNKNOWN
    kind = node.type
    if kind == "identifier":
        return Name(text.of(node), text.at(node))
    if kind == "attribute":
        name = node.child_by_field_name("attribute")
        if name is None:
            return UNKNOWN
        value = expression(text, node.child_by_field_name("object"), depth + 1)
        return Member(value, text.of(name), text.at(name))
    if kind == "call":
        return call(text, node, depth)
    literal = _LITERALS.get(kind)
    if literal is not None:
        return literal
    if kind == "string":
        start = node.named_child(0)
        return Literal_("bytes" if start is not None and "b" in text.of(start).lower() else "str")
    if kind == "subscript":
        return _subscript(text, node, depth)
    if kind == "await":
        return Await(expression(text, node.named_child(0), depth + 1))
    if kind == "conditional_expression":
        parts = [c for c in node.named_children if c.type != "comment"]
        if len(parts) != 3:
            return UNKNOWN
        return either(expression(text, parts[0], depth + 1), expression(text, parts[2], depth + 1))
    if kind == "boolean_operator":
        return _boolean(text, node, depth)
    if kind == "binary_operator":
        return _binary(text, node, depth)
    if kind == "unary_operator":
        value = expression(text, node.child_by_field_name("argument"), depth + 1)
        return value if isinstance(value, Literal_) else UNKNOWN
    if kind in _SEQUENCES:
        return _sequence(text, node, depth)
    if kind in ("dictionary", "dictionary_comprehension"):
        return _mapping(text, node, depth)
    if kind == "lambda":
        return Function(text.at(node))
    if kind == "named_expression":
        return expression(text, node.child_by_field_name("value"), depth + 1)
    if kind == "assignment":  # the right side of `a = b = value`
        return expression(text, node.child_by_field_name("right"), depth + 1)
    return UNKNOWN


def either(*options: Expression) -> Expression:
    """One of several, flattened, without repetitions."""
    flat: dict[Expression, None] = {}
    for option in options:
        flat.update(dict.fromkeys(option.options if isinstance(option, Either) else (option,)))
    return next(iter(flat)) if len(flat) == 1 else Either(tuple(flat))


def _subscript(text: Text, node: tree_sitter.Node, depth: int) -> Expression:
    """`x[i]`; a slice `x[a:b]` is taken for what it nearly always is: another of what x is."""
    value = expression(text, node.child_by_field_name("value"), depth + 1)
    indices = node.children_by_field_name("subscript")
    if len(indices) != 1:
        return Subscript(value, UNKNOWN)
    index = indices[0]
    if index.type == "slice":
        return value
    lowered = expression(text, index, depth + 1)
    if lowered == Literal_("int"):
        lowered = Literal_("int", text.of(index).replace(" ", ""))
    elif lowered == Literal_("str"):
        content = string_content(index)
        lowered = Literal_("str", text.of(content)) if content is not None else lowered
    return Subscript(value, lowered)


def _boolean(text: Text, node: tree_sitter.Node, depth: int) -> Expression:
    """`a or b or c` is a left-deep tree: any of them. `a and b` is b, when it is of use at all."""
    operator = node.child_by_field_name("operator")
    right = node.child_by_field_name("right")
    if operator is None or operator.type != "or":
        return expression(text, right, depth + 1)
    options: list[Expression] = []
    current: tree_sitter.Node | None = node
    while current is not None and len(options) < MOST_ITEMS:
        operator = current.child_by_field_name("operator") if current.type == "boolean_operator" else None
        if operator is None or operator.type != "or":
            break
        options.append(expression(text, current.child_by_field_name("right"), depth + 1))
        current = current.child_by_field_name("left")
    options.append(expression(text, current, depth + 1))
    return either(*reversed(options))


def _binary(text: Text, node: tree_sitter.Node, depth: int) -> Expression:
    """`a / b` is `a.__truediv__(b)`: what a known class makes of it. Arithmetic of literals is left unknown."""
    operator = node.child_by_field_name("operator")
    method = _OPERATORS.get(operator.type) if operator is not None else None
    left = expression(text, node.child_by_field_name("left"), depth + 1)
    if isinstance(left, Literal_):
        return left if left.type in ("str", "bytes") else UNKNOWN
    if operator is None or method is None or isinstance(left, Unknown):
        return UNKNOWN
    right = expression(text, node.child_by_field_name("right"), depth + 1)
    callee = Member(left, method, text.at(operator))
    return Call(callee, (Argument(right),), text.at(node), text.shift + node.end_byte)


def _sequence(text: Text, node: tree_sitter.Node, depth: int) -> Expression:
    name = _SEQUENCES[node.type]
    if node.type.endswith("comprehension") or node.type == "generator_expression":
        return Sequence(name, (expression(text, node.child_by_field_name("body"), depth + 1),))
    items: list[Expression] = []
    for child in node.named_children[:MOST_ITEMS]:
        if child.type == "list_splat":
            items.append(Element(expression(text, child.named_child(0), depth + 1)))
        elif child.type != "comment":
            items.append(expression(text, child, depth + 1))
    return Sequence(name, tuple(items))


def _mapping(text: Text, node: tree_sitter.Node, depth: int) -> Expression:
    keys: list[Expression] = []
    values: list[Expression] = []
    for child in node.named_children[:MOST_ITEMS]:
        if child.type == "pair":
            keys.append(expression(text, child.child_by_field_name("key"), depth + 1))
            values.append(expression(text, child.child_by_field_name("value"), depth + 1))
        elif child.type == "dictionary_splat":
            spread = expression(text, child.named_child(0), depth + 1)
            keys.append(Element(spread))
            values.append(Subscript(spread, Element(spread)))
    return Mapping("dict", tuple(keys), tuple(values))


# ---------------------------------------------------------------------------------------------------------- calls


def call(text: Text, node: tree_sitter.Node, depth: int = 0) -> Expression:
    """A call, or what it is known to be: `super()`, `cast(T, x)`, `getattr(x, "name")`, `import_module("m")`."""
    function = node.child_by_field_name("function")
    arguments = node.child_by_field_name("arguments")
    if function is None:
        return UNKNOWN
    name = dotted(text, function)
    if name is not None:
        known = _known(text, name, node, arguments, depth)
        if known is not None:
            return known
    if function.type == "subscript":
        head = dotted(text, function.child_by_field_name("value"))
        if head is not None and CLASS_NAME.fullmatch(head.rpartition(".")[2]):
            stated = tuple(type_expression(text, i) for i in function.children_by_field_name("subscript"))
            callee = expression(text, function.child_by_field_name("value"), depth + 1)
            passed = call_arguments(text, arguments, depth)
            return Call(callee, passed, text.at(node), text.shift + node.end_byte, stated)
    callee = expression(text, function, depth + 1)
    return Call(callee, call_arguments(text, arguments, depth), text.at(node), text.shift + node.end_byte)


def _known(
    text: Text, name: str, node: tree_sitter.Node, arguments: tree_sitter.Node | None, depth: int
) -> Expression | None:
    last = name.rpartition(".")[2]
    if last not in ("super", "cast", "getattr", "import_module", "type"):
        return None
    passed = [c for c in arguments.named_children if c.type != "comment"] if arguments is not None else []
    if name == "super":
        return Super(text.at(node)) if len(passed) != 1 else None
    if name == "type" and len(passed) == 1 and passed[0].type != "keyword_argument":
        return Member(expression(text, passed[0], depth + 1), "__class__", text.at(node))
    if name == "type" and len(passed) == 3:
        return _made_class(text, passed, depth)
    if last == "cast" and len(passed) == 2 and text.spellings.special(name) == "cast":
        return Cast(stated_type(text, passed[0]), expression(text, passed[1], depth + 1))
    if name == "getattr" and len(passed) >= 2 and passed[1].type == "string":
        content = string_content(passed[1])
        if content is None or not text.of(content).isidentifier():
            return None
        member = Member(expression(text, passed[0], depth + 1), text.of(content), text.at(content))
        return either(member, expression(text, passed[2], depth + 1)) if len(passed) > 2 else member
    if name in ("importlib.import_module", "import_module") and len(passed) == 1 and passed[0].type == "string":
        content = string_content(passed[0])
        return ModuleExpression(text.of(content)) if content is not None else None
    return None


def _made_class(text: Text, passed: list[tree_sitter.Node], depth: int) -> Expression:
    """`type("X", (Base,), {})`: for those who use it its base, while nothing is put into it that could hide what the
    base has; else nothing is known of it."""
    _, bases, members = passed
    if bases.type != "tuple" or members.type != "dictionary":
        return UNKNOWN
    for each in members.named_children:
        key = each.child_by_field_name("key") if each.type == "pair" else None
        content = string_content(key) if key is not None and key.type == "string" else None
        if each.type != "comment" and (content is None or text.of(content) not in _DESCRIPTIONS):
            return UNKNOWN
    named = [each for each in bases.named_children if each.type != "comment"]
    if not named or any(each.type not in ("identifier", "attribute") for each in named):
        return UNKNOWN
    return either(*(expression(text, each, depth + 1) for each in named))


def stated_type(text: Text, node: tree_sitter.Node) -> TypeExpression:
    """The type that an expression used as a type states (`cast(T, x)`, where T may be a string)."""
    return type_expression(text, node)


def call_arguments(text: Text, arguments: tree_sitter.Node | None, depth: int = 0) -> tuple[Argument, ...]:
    """The arguments of an `argument_list`, or the one that a bare generator expression is."""
    if arguments is None:
        return ()
    if arguments.type == "generator_expression":
        return (Argument(expression(text, arguments, depth + 1)),)
    found: list[Argument] = []
    for child in arguments.named_children[:100]:
        kind = child.type
        if kind == "comment":
            continue
        if kind == "keyword_argument":
            name = child.child_by_field_name("name")
            value = expression(text, child.child_by_field_name("value"), depth + 1)
            found.append(Argument(value, text.of(name) if name is not None else None))
        elif kind == "list_splat":
            found.append(Argument(expression(text, child.named_child(0), depth + 1), None, "*"))
        elif kind == "dictionary_splat":
            found.append(Argument(expression(text, child.named_child(0), depth + 1), None, "**"))
        else:
            found.append(Argument(expression(text, child, depth + 1)))
    return tuple(found)

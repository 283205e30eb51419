"""Expressions of a PHP syntax tree -> graph.expressions. Deeper than DEEPEST levels they are Unknown."""

from __future__ import annotations

import tree_sitter

from graph.expressions import (
    Argument,
    Call,
    Cast,
    Construct,
    Defined,
    Either,
    Expression,
    Function,
    Literal_,
    Member,
    Name,
    Sequence,
    Subscript,
    Super,
    This,
    TypeName,
    Unknown,
)
from graph.languages.php.reading import CLOSURES, Reading
from graph.languages.php.types import ARRAY

DEEPEST = 60  # levels of an expression that are lowered
MOST_ARGUMENTS = 30
UNKNOWN = Unknown()
NOTHING = Either(())
NAMES = frozenset({"name", "qualified_name", "relative_name"})
MEMBER_CALLS = frozenset({"member_call_expression", "nullsafe_member_call_expression"})
MEMBER_READS = frozenset({"member_access_expression", "nullsafe_member_access_expression"})
_LITERALS = {
    "string": Literal_("string"),
    "encapsed_string": Literal_("string"),
    "heredoc": Literal_("string"),
    "nowdoc": Literal_("string"),
    "integer": Literal_("int"),
    "float": Literal_("float"),
    "boolean": Literal_("bool"),
}
_BOOLEAN = frozenset(
    {"==", "!=", "<>", "===", "!==", "<", "<=", ">", ">=", "&&", "||", "and", "or", "xor", "instanceof"}
)
_FIRST_CHILD = frozenset({"parenthesized_expression", "clone_expression", "error_suppression_expression", "by_ref"})
_OF_MOCKED_CLASS = frozenset(
    {"createMock", "createStub", "createConfiguredMock", "createConfiguredStub", "createPartialMock",
     "createTestProxy"}
)  # fmt: skip
"""PHPUnit's methods that give a stand-in of the class that they are given."""
_BUILT_MOCKS = frozenset({"getMock", "getMockForAbstractClass", "getMockForTrait"})


def expression(reading: Reading, node: tree_sitter.Node | None, depth: int = 0) -> Expression:
    """The expression at `node`, lowered."""
    while node is not None and node.type in _FIRST_CHILD:
        node = next((child for child in node.named_children if child.type != "comment"), None)
    if node is None or depth > DEEPEST:
        return UNKNOWN
    kind = node.type
    if kind == "variable_name":
        text = reading.text(node)
        return This(node.start_byte) if text == "$this" else Name(text, node.start_byte)
    if kind in MEMBER_CALLS or kind == "scoped_call_expression" or kind == "function_call_expression":
        return call(reading, node, depth)
    if kind in MEMBER_READS:
        name = node.child_by_field_name("name")
        owner = expression(reading, node.child_by_field_name("object"), depth + 1)
        if name is None or name.type != "name":
            return UNKNOWN
        return Member(owner, "$" + reading.text(name), name.start_byte)
    literal = _LITERALS.get(kind)
    if literal is not None:
        return (
            Literal_("string", reading.text(node)[1:-1])
            if kind == "string" and node.end_byte - node.start_byte < 80
            else literal
        )
    if kind == "object_creation_expression":
        return construct(reading, node, depth)
    if kind == "assignment_expression" or kind == "reference_assignment_expression":
        return expression(reading, node.child_by_field_name("right"), depth + 1)
    if kind == "array_creation_expression":
        return _array(reading, node, depth)
    if kind in CLOSURES:
        return Function(node.start_byte)
    if kind == "class_constant_access_expression":
        return _constant(reading, node, depth)
    if kind == "scoped_property_access_expression":
        name = node.child_by_field_name("name")
        if name is None or name.type != "variable_name":
            return UNKNOWN
        return Member(scope(reading, node.child_by_field_name("scope"), depth), reading.text(name), name.start_byte + 1)
    if kind == "subscript_expression":
        parts = node.named_children
        if not parts:
            return UNKNOWN
        index = expression(reading, parts[1], depth + 1) if len(parts) > 1 else UNKNOWN
        return Subscript(expression(reading, parts[0], depth + 1), index)
    return _operation(reading, node, kind, depth)


def _operation(reading: Reading, node: tree_sitter.Node, kind: str, depth: int) -> Expression:
    if kind == "conditional_expression":
        one = node.child_by_field_name("body") or node.child_by_field_name("condition")
        other = node.child_by_field_name("alternative")
        return Either((expression(reading, one, depth + 1), expression(reading, other, depth + 1)))
    if kind == "augmented_assignment_expression":
        operator = node.child_by_field_name("operator")
        if operator is None or operator.type != "??=":
            return UNKNOWN
        sides = (node.child_by_field_name("left"), node.child_by_field_name("right"))
        return Either(tuple(expression(reading, each, depth + 1) for each in sides))
    if kind == "binary_expression":
        return _binary(reading, node, depth)
    if kind == "match_expression":
        body = node.child_by_field_name("body")
        arms = body.named_children[:30] if body is not None else []
        values = [arm.child_by_field_name("return_expression") for arm in arms]
        return Either(tuple(expression(reading, each, depth + 1) for each in values if each is not None))
    if kind in NAMES:
        text = reading.text(node)
        if text.lower() in ("null", "true", "false"):
            return NOTHING if text.lower() == "null" else Literal_("bool")
        return Name(reading.constant_name(text, node.start_byte), last_name(node))
    if kind == "null" or kind == "throw_expression":
        return NOTHING
    if kind == "unary_op_expression":
        return Literal_("bool") if node.children[0].type == "!" else Literal_("int")
    if kind == "cast_expression":
        written = node.child_by_field_name("type")
        stated = reading.text(written).strip("() \t").lower() if written is not None else ""
        if stated == "array":
            return Cast(TypeName(ARRAY, node.start_byte), UNKNOWN)
        return UNKNOWN if stated == "object" else Literal_("string")
    return UNKNOWN


def last_name(node: tree_sitter.Node) -> int:
    """Where the last part of a name stands."""
    if node.type == "name" or not node.named_child_count:
        return node.start_byte
    return node.named_children[-1].start_byte


def class_named(reading: Reading, node: tree_sitter.Node) -> Expression:
    """The class that a name in the place of a class names."""
    full = reading.class_name(reading.text(node), node.start_byte)
    return Super(node.start_byte) if full == "parent" else Name(full, last_name(node))


def scope(reading: Reading, node: tree_sitter.Node | None, depth: int = 0) -> Expression:
    """What stands before `::`."""
    if node is None:
        return UNKNOWN
    if node.type == "relative_scope":
        text = reading.text(node).lower()
        return Super(node.start_byte) if text == "parent" else Name(text, node.start_byte)
    if node.type in NAMES:
        return class_named(reading, node)
    return expression(reading, node, depth + 1)


def _constant(reading: Reading, node: tree_sitter.Node, depth: int) -> Expression:
    """`Foo::BAR`; `Foo::class` is the class itself, as far as anybody makes something of it."""
    parts = node.named_children
    if len(parts) < 2:
        return UNKNOWN
    owner = scope(reading, parts[0], depth)
    if parts[1].type != "name":
        return UNKNOWN
    name = reading.text(parts[1])
    if name.lower() != "class":
        return Member(owner, name, parts[1].start_byte)
    return owner if parts[0].type in NAMES or parts[0].type == "relative_scope" else UNKNOWN


def _array(reading: Reading, node: tree_sitter.Node, depth: int) -> Expression:
    elements = [each for each in node.named_children if each.type == "array_element_initializer"]
    if not elements or len(elements) > 60:
        return Cast(TypeName(ARRAY, node.start_byte), UNKNOWN)
    values: list[Expression] = []
    plain = len(elements) <= 8
    for each in elements[:8]:
        parts = [child for child in each.named_children if child.type != "comment"]
        spread = bool(parts) and parts[0].type == "variadic_unpacking"
        plain = plain and len(parts) == 1 and not spread
        values.append(UNKNOWN if spread or not parts else expression(reading, parts[-1], depth + 1))
    return Sequence("tuple" if plain else ARRAY, tuple(values))


def _binary(reading: Reading, node: tree_sitter.Node, depth: int) -> Expression:
    operator = node.child_by_field_name("operator")
    sign = operator.type.lower() if operator is not None else ""
    if sign == "??":
        sides = (node.child_by_field_name("left"), node.child_by_field_name("right"))
        return Either(tuple(expression(reading, each, depth + 1) for each in sides))
    if sign in _BOOLEAN:
        return Literal_("bool")
    if sign == "+":
        left = expression(reading, node.child_by_field_name("left"), depth + 1)
        return UNKNOWN if isinstance(left, Literal_) else left
    return Literal_("string")


# ----------------------------------------------------------------------------------------------------------- calls


def callee(reading: Reading, node: tree_sitter.Node, depth: int = 0) -> Expression:
    """What a call calls."""
    kind = node.type
    if kind == "function_call_expression":
        function = node.child_by_field_name("function")
        if function is not None and function.type in NAMES:
            return Name(reading.function_name(reading.text(function), function.start_byte), last_name(function))
        return expression(reading, function, depth + 1)
    name = node.child_by_field_name("name")
    if kind == "scoped_call_expression":
        owner = scope(reading, node.child_by_field_name("scope"), depth)
    else:
        owner = expression(reading, node.child_by_field_name("object"), depth + 1)
    if name is None or name.type != "name":
        return UNKNOWN
    return Member(owner, reading.text(name), name.start_byte)


def is_reference_to_callable(node: tree_sitter.Node | None) -> bool:
    """Whether an argument list is `(...)`: the callable itself, not a call."""
    return node is not None and any(child.type == "variadic_placeholder" for child in node.named_children)


def call(reading: Reading, node: tree_sitter.Node, depth: int = 0) -> Expression:
    """A call, or the callable that `f(...)` makes."""
    called = callee(reading, node, depth)
    listed = node.child_by_field_name("arguments")
    if is_reference_to_callable(listed):
        return called
    passed = arguments(reading, listed, depth)
    mocked = _mocked(called, passed) if isinstance(called, Member) else None
    mocked = mocked or _contained(called, passed)
    if mocked is not None:
        return Cast(TypeName(mocked.id, mocked.at), UNKNOWN)
    return Call(called, passed, node.start_byte, node.end_byte)


def _mocked(called: Member, passed: tuple[Argument, ...]) -> Name | None:
    """The class that PHPUnit makes a stand-in of: `$this->createMock(A::class)`, or at the end of the chain that starts
    with `$this->getMockBuilder(A::class)`."""
    if called.name in _BUILT_MOCKS:
        owner = called.object
        for _ in range(DEEPEST):
            if not isinstance(owner, Call) or not isinstance(owner.callee, Member):
                return None
            if owner.callee.name == "getMockBuilder":
                passed = owner.arguments
                break
            owner = owner.callee.object
        else:
            return None
    elif called.name not in _OF_MOCKED_CLASS:
        return None
    mocked = passed[0].value if passed else None
    return mocked if isinstance(mocked, Name) and mocked.id.startswith("\\") else None


def _contained(called: Expression, passed: tuple[Argument, ...]) -> Name | None:
    """The class that Laravel's container is asked for: `app(A::class)`, `$this->app->make(A::class)`."""
    wanted = passed[0].value if passed else None
    if not isinstance(wanted, Name) or not wanted.id.startswith("\\"):
        return None
    match called:
        case Name(id=name) if name.rpartition("\\")[2] in _OF_CONTAINER:
            return wanted
        case Member(name="make" | "makeWith", object=owner):
            match owner:
                case Member(object=This(), name="$app") | Name(id="$app" | "\\App"):
                    return wanted
                case Name(id=name) if name == "\\Illuminate\\Support\\Facades\\App":
                    return wanted
                case Call(callee=Name(id=name), arguments=()) if name.rpartition("\\")[2] == "app()":
                    return wanted
    return None


_OF_CONTAINER = frozenset({"app()", "resolve()"})


def construct(reading: Reading, node: tree_sitter.Node, depth: int = 0) -> Expression:
    """`new Foo(...)`, `new class(...) {...}`, `new $name(...)`."""
    listed: tree_sitter.Node | None = None
    made: Expression = UNKNOWN
    for child in node.named_children:
        kind = child.type
        if kind == "arguments":
            listed = child
        elif kind == "anonymous_class":
            index = reading.definition_at.get(child.start_byte, -1)
            made = Defined(index) if index >= 0 else UNKNOWN
        elif kind in NAMES:
            made = class_named(reading, child)
        elif kind == "relative_scope":
            made = scope(reading, child)
        elif kind not in ("comment", "attribute_list"):
            made = expression(reading, child, depth + 1)
    return Construct(made, arguments(reading, listed, depth), node.start_byte, node.end_byte)


def arguments(reading: Reading, listed: tree_sitter.Node | None, depth: int) -> tuple[Argument, ...]:
    """What a call passes."""
    if listed is None:
        return ()
    found = [each for each in listed.named_children if each.type == "argument"]
    return tuple(_argument(reading, each, depth) for each in found[:MOST_ARGUMENTS])


def _argument(reading: Reading, node: tree_sitter.Node, depth: int) -> Argument:
    name = node.child_by_field_name("name")
    parts = [child for child in node.named_children if child.type not in ("comment", "reference_modifier")]
    value = parts[-1] if parts else None
    if value is not None and value.type == "variadic_unpacking":
        inner = value.named_children[0] if value.named_child_count else None
        return Argument(expression(reading, inner, depth + 1), None, "*")
    return Argument(expression(reading, value, depth + 1), reading.text(name) if name is not None else None)

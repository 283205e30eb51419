"""Types as PHP writes them: in declarations (nodes) and in docblocks (text) -> graph.expressions."""

from __future__ import annotations

import re

import tree_sitter

from graph.expressions import (
    FunctionType,
    IntersectionType,
    LiteralType,
    SelfType,
    TupleType,
    TypeExpression,
    TypeName,
    UnionType,
    UnknownType,
)
from graph.languages.php.reading import Reading

DEEPEST = 24  # levels of brackets in a type
ARRAY = "__array"
"""The class of the builtins stub that stands for arrays; its first type parameter is the values' type."""
UNKNOWN = UnknownType()
NOTHING = "null"
_NOTHING = frozenset({"null", "void", "never", "never-return", "no-return"})
_SCALARS = frozenset(
    {
        "int", "integer", "float", "double", "string", "bool", "boolean", "true", "false", "positive-int",
        "negative-int", "non-empty-string", "numeric-string", "literal-string", "non-falsy-string", "scalar", "numeric",
        "lowercase-string", "truthy-string", "array-key", "resource", "key-of", "int-mask", "int-mask-of",
        "trait-string", "callable-string", "non-negative-int", "non-positive-int",
    }
)  # fmt: skip
_SCALAR = {"integer": "int", "double": "float", "boolean": "bool", "true": "bool", "false": "bool"}
_ARRAYS = frozenset({"array", "list", "non-empty-array", "non-empty-list", "iterable", "associative-array"})
_CLASS_STRINGS = frozenset({"class-string", "interface-string", "enum-string"})
_UNKNOWN = frozenset({"mixed", "object", "callable", "value-of", "callable-object", "callable-array", "pure-callable"})
_CALLABLES = frozenset({"callable", "closure", "\\closure", "pure-callable"})


def type_expression(reading: Reading, node: tree_sitter.Node | None, depth: int = 0) -> TypeExpression:
    """The type at a node of a declaration."""
    if node is None or depth > DEEPEST:
        return UNKNOWN
    kind = node.type
    if kind in ("named_type", "optional_type") and node.named_child_count:
        inner = type_expression(reading, node.named_children[0], depth + 1)
        return UnionType((inner, TypeName(NOTHING, node.start_byte))) if kind == "optional_type" else inner
    if kind in ("union_type", "type_list", "disjunctive_normal_form_type"):
        if node.named_child_count == 1:
            return type_expression(reading, node.named_children[0], depth + 1)
        return UnionType(tuple(type_expression(reading, each, depth + 1) for each in node.named_children[:20]))
    if kind == "intersection_type":
        return IntersectionType(tuple(type_expression(reading, each, depth + 1) for each in node.named_children[:20]))
    if kind in ("name", "qualified_name", "relative_name", "primitive_type"):
        return named(reading, reading.text(node), node.start_byte)
    return UNKNOWN


def named(reading: Reading, written: str, at: int, arguments: tuple[TypeExpression, ...] = ()) -> TypeExpression:
    """A type by its name."""
    lower = written.lower()
    if lower in _NOTHING:
        return TypeName(NOTHING, at)
    if lower in _SCALARS:
        return LiteralType(_SCALAR.get(lower, lower if lower in ("int", "float", "bool") else "string"))
    if lower in _ARRAYS:
        return TypeName(ARRAY, at, arguments[-1:])
    if lower in _UNKNOWN:
        return UNKNOWN
    if lower in _CLASS_STRINGS:
        return (
            arguments[0] if arguments and isinstance(arguments[0], TypeName) and is_template(arguments[0]) else UNKNOWN
        )
    if lower == "static" or lower == "$this":
        return SelfType()
    if lower == "parent":
        return UNKNOWN
    if lower == "self":
        return TypeName("self", at)
    if written in reading.facts.local_names and "\\" not in written:
        return TypeName(written, at, arguments)  # a type parameter, as far as it is in scope
    full = reading.class_name(written, at)
    if full.lower() in ("\\generator", "\\iterator", "\\iteratoraggregate", "\\traversable") and len(arguments) == 1:
        arguments = (UNKNOWN, *arguments)
    return TypeName(full, at, arguments)


def is_template(written: TypeName) -> bool:
    """Whether a type name is a type parameter's."""
    return not written.name.startswith("\\") and written.name not in (ARRAY, NOTHING, "self")


# ------------------------------------------------------------------------------------------------------ docblocks

# Letters are those of ASCII and all beyond it. (To compile a class with `\x80-\uffff` takes as long as all the others.)
_TOKEN = re.compile(
    r"\s*(?:(?P<name>\$this|\\?[^\x00-@\[-^`{-\x7f][^\x00-,./:-@\[-^`{-\x7f]*"
    r"(?:\\[^\x00-/:-@\[-^`{-\x7f]+)*(?:::[\w*]+)?)"
    r"|(?P<literal>'[^']*'|\"[^\"]*\"|-?\d[\d._]*)|(?P<sign>\.\.\.|[|&<>(){}\[\],:?=*]))"
)


class _Parser:
    """Reads one type from the start of a text; what follows is left."""

    def __init__(self, reading: Reading, text: str, at: int) -> None:
        self.reading = reading
        self.text = text
        self.at = at
        self.position = 0
        self.depth = 0

    def peek(self, *, near: bool = False) -> str:
        """The next sign, "name" or "literal"; "" at the end. `near`: only right here, without blanks before."""
        found = _TOKEN.match(self.text, self.position)
        if found is None or (near and self.text[self.position : self.position + 1].isspace()):
            return ""
        return found.group("sign") or str(found.lastgroup)

    def take(self) -> str:
        found = _TOKEN.match(self.text, self.position)
        if found is None:
            return ""
        self.position = found.end()
        return found.group(found.lastgroup or 0)

    def type(self) -> TypeExpression:
        """A union, an intersection, or one type."""
        self.depth += 1
        if self.depth > DEEPEST:
            self.position = len(self.text)
            return UNKNOWN
        options = [self.single()]
        both = False
        while self.peek() in ("|", "&") and len(options) < 30:
            both = self.take() == "&" or both
            options.append(self.single())
        self.depth -= 1
        if len(options) == 1:
            return options[0]
        return IntersectionType(tuple(options)) if both else UnionType(tuple(options))

    def single(self) -> TypeExpression:
        sign = self.peek()
        if sign == "?":
            self.take()
            return UnionType((self.single(), TypeName(NOTHING, self.at)))
        if sign == "(":
            self.take()
            found = self.type()
            if self.peek() == "name":  # `(T is X ? A : B)`
                found = self.conditional()
            if self.peek() == ")":
                self.take()
        elif sign == "name":
            found = self.name()
        elif sign == "literal":
            text = self.take()
            found = LiteralType("string" if text[:1] in "'\"" else "int")
        else:
            if sign == "*":
                self.take()
            return UNKNOWN
        while self.peek(near=True) == "[":
            self.take()
            if self.peek() != "]":
                self.type()
                found = UNKNOWN
            else:
                found = TypeName(ARRAY, self.at, (found,))
            if self.peek() == "]":
                self.take()
        return found

    def conditional(self) -> TypeExpression:
        self.take()
        if self.peek() == "name":
            word = _TOKEN.match(self.text, self.position)
            if word is not None and word.group("name") == "not":
                self.take()
        self.type()
        if self.peek() != "?":
            return UNKNOWN
        self.take()
        one = self.type()
        if self.peek() != ":":
            return UNKNOWN
        self.take()
        return UnionType((one, self.type()))

    def name(self) -> TypeExpression:
        written = self.take()
        if "::" in written:
            return UNKNOWN
        sign = self.peek(near=True)
        lower = written.lower()
        if sign == "<":
            return self.resolved(written, self.arguments("<", ">"))
        if sign == "{":
            return self.shape(lower)
        if sign == "(" and lower in _CALLABLES:
            parameters = self.arguments("(", ")")
            returns: TypeExpression = UNKNOWN
            if self.peek() == ":":
                self.take()
                returns = self.single()
            return FunctionType(parameters, returns)
        return self.resolved(written, ())

    def resolved(self, written: str, arguments: tuple[TypeExpression, ...]) -> TypeExpression:
        return named(self.reading, written, self.at, arguments)

    def arguments(self, opening: str, closing: str) -> tuple[TypeExpression, ...]:
        self.take()
        found: list[TypeExpression] = []
        while self.peek() not in ("", closing) and len(found) < 12:
            before = self.position
            found.append(self.type())
            while self.peek() in ("&", "...", "="):
                self.take()
            parameter = re.compile(r"\s*&?(?:\.\.\.)?\$\w+=?").match(self.text, self.position)
            if parameter is not None:
                self.position = parameter.end()
            if self.peek() == ",":
                self.take()
            if self.position == before:
                break
        if self.peek() == closing:
            self.take()
        return tuple(found)

    def shape(self, kind: str) -> TypeExpression:
        """`array{0: A, name?: B}`: a tuple where every key is a position, else an array of any of the values."""
        self.take()
        items: list[TypeExpression] = []
        keyed = False
        while self.peek() not in ("", "}") and len(items) < 40:
            before = self.position
            key = re.compile(r"\s*(?:([\w\-\\]+)|'[^']*'|\"[^\"]*\")\s*\??\s*:(?!:)").match(self.text, self.position)
            if key is not None:
                self.position = key.end()
                keyed = keyed or key.group(1) != str(len(items))
            if self.peek() == "...":
                self.take()
            items.append(self.type())
            if self.peek() == ",":
                self.take()
            if self.position == before:
                break
        if self.peek() == "}":
            self.take()
        if kind not in ("array", "list", "non-empty-array", "non-empty-list"):
            return UNKNOWN
        return (
            TypeName(ARRAY, self.at, (items[0] if len(items) == 1 else UnionType(tuple(items)),))
            if keyed
            else TupleType(tuple(items))
        )


def written_type(reading: Reading, text: str, at: int) -> tuple[TypeExpression, str]:
    """The type at the start of a docblock's text, and what follows it. Names are looked up from `at`."""
    parser = _Parser(reading, text, at)
    found = parser.type()
    return found, text[parser.position :]


def says_something(written: TypeExpression | None) -> bool:
    """Whether a type tells more than that there is a value."""
    return written is not None and not isinstance(written, UnknownType)

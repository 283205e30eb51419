"""Functions, classes and module-level names of a Python file, from its outline."""

from __future__ import annotations

import re
from functools import lru_cache
from operator import itemgetter

import tree_sitter

from graph.facts import Definition, DefinitionKind, Parameter
from graph.languages.python.grammar import LANGUAGE, Span, decoded, target_names
from graph.languages.python.outline import Outline

# In parameters: their text alone doesn't tell all. (Apart, because each begins with one of few signs: much faster.)
_QUOTED = re.compile(r"[\"'#\\]")
_COMPARED = re.compile(r"[:=<>!]=")
_LAMBDA = re.compile(r"\blambda\b")
_TOKENS = re.compile(r"[\[\](){}:=]")
_BRACKETS_AND_COMMAS = re.compile(r"[\[\](){},]")
_OPENING = re.compile(r"[\[({]")
_FUNCTION, _ASSIGNMENT, _ALIAS, _PARAMETER_LIST = (
    LANGUAGE.id_for_node_kind(each, True)
    for each in ("function_definition", "assignment", "type_alias_statement", "parameters")
)
_NAME, _PARAMETERS, _RETURN_TYPE, _TYPE_PARAMETERS, _SUPERCLASSES = (
    LANGUAGE.field_id_for_name(each) or 0
    for each in ("name", "parameters", "return_type", "type_parameters", "superclasses")
)
_IDENTIFIER = re.compile(rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*")


def definitions_of(source: bytes, outline: Outline) -> list[Definition]:
    """The definitions in source order."""
    found: list[tuple[int, int, tree_sitter.Node, tree_sitter.Node | None]] = [
        ((whole or node).start_byte, node.end_byte, node, whole) for node, whole in outline.definitions
    ]
    generators = _generators(outline) if outline.yields else set()
    found += [(node.start_byte, node.end_byte, node, None) for node in outline.values]
    found.sort(key=itemgetter(0))

    definitions: list[Definition] = []
    stack: list[tuple[int, int]] = []  # (end, index) of the definitions that are open
    line, counted = 1, 0
    for start, end, node, whole in found:
        while stack and stack[-1][0] <= start:
            stack.pop()
        line += source.count(b"\n", counted, start)
        counted = start
        parent = stack[-1][1] if stack else -1
        kind = node.kind_id
        if kind == _ASSIGNMENT:
            definitions += _values(source, node, line)
        elif kind == _ALIAS:
            definitions += _alias(source, node, line)
        else:
            definition = _definition(
                source, node, whole, start, end, line, parent, definitions, node.start_byte in generators
            )
            if definition is not None:
                stack.append((end, len(definitions)))
                definitions.append(definition)
    return definitions


def _generators(outline: Outline) -> set[int]:
    """Start offsets of the functions that yield, without what decorates them."""
    functions = sorted((node.start_byte, node.end_byte) for node, _ in outline.definitions if node.kind_id == _FUNCTION)
    found: set[int] = set()
    stack: list[Span] = []
    index = 0
    for at in sorted(outline.yields):
        while index < len(functions) and functions[index][0] < at:
            while stack and stack[-1][1] <= functions[index][0]:
                stack.pop()
            stack.append(functions[index])
            index += 1
        while stack and stack[-1][1] <= at:
            stack.pop()
        if stack:
            found.add(stack[-1][0])
    return found


_DECORATOR_MODIFIERS = {
    "staticmethod": ("static",),
    "classmethod": ("classmethod",),
    "property": ("property",),
    "cached_property": ("property",),
    "abstractproperty": ("property", "abstract"),
    "abstractmethod": ("abstract",),
    "abstractclassmethod": ("classmethod", "abstract"),
    "abstractstaticmethod": ("static", "abstract"),
    "overload": ("overload",),
    "setter": ("setter",),
    "deleter": ("setter",),
    "getter": ("property",),
}


def _definition(
    source: bytes,
    node: tree_sitter.Node,
    whole: tree_sitter.Node | None,
    start: int,
    end: int,
    first_line: int,
    parent: int,
    definitions: list[Definition],
    generator: bool,
) -> Definition | None:
    name_node = node.child_by_field_id(_NAME)
    if name_node is None:
        return None
    last: tree_sitter.Node = name_node
    at = name_node.start_byte
    name = decoded(source[at : name_node.end_byte])
    own = node.start_byte
    around = definitions[parent] if parent >= 0 else None
    decorators: tuple[str, ...] = ()
    modifiers: tuple[str, ...] = ()
    line = first_line + source.count(b"\n", start, at)
    if whole is not None:
        decorators = _decorators(source, whole)
        for decorator in decorators:
            modifiers += _DECORATOR_MODIFIERS.get(decorator.rpartition(".")[2], ())
    kind: DefinitionKind = "class"
    parameters: tuple[Parameter, ...] | None = None
    returns: str | None = None
    bases: tuple[str, ...] = ()
    if node.kind_id == _FUNCTION:
        kind = "method" if around is not None and around.kind in CLASS_KINDS else "function"
        parameters_node = node.child_by_field_id(_PARAMETERS)
        parameters = ()
        if parameters_node is not None:
            last = parameters_node
            parameters = parameters_of(source, parameters_node)
        result = node.child_by_field_id(_RETURN_TYPE)
        if result is not None:
            last = result
            returns = _text(source, result)
        if source.startswith(b"async", own):
            modifiers += ("async",)
        if generator:
            modifiers += ("generator",)
    else:
        generics = node.child_by_field_id(_TYPE_PARAMETERS)
        if generics is not None:
            last = generics
        arguments = node.child_by_field_id(_SUPERCLASSES)
        if arguments is not None:
            last = arguments
            bases = tuple(
                _text(source, child)
                for child in arguments.named_children
                if child.type not in ("keyword_argument", "comment", "dictionary_splat", "ERROR")
            )
            kind = _class_kind(bases)
    return Definition(
        name,
        f"{around.qualified}.{name}" if around is not None else name,
        kind,
        start,
        end,
        at,
        line,
        first_line,
        line + source.count(b"\n", at, end),
        parent,
        decoded(source[own : last.end_byte]),
        parameters,
        returns,
        bases,
        decorators,
        modifiers,
        around is None or (around.kind in CLASS_KINDS and around.exported),
    )


CLASS_KINDS = frozenset({"class", "enum", "interface"})
_ENUMS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "TextChoices", "IntegerChoices"})


def _class_kind(bases: tuple[str, ...]) -> DefinitionKind:
    """A class is an enum or a protocol ("interface") when a direct base's name says so."""
    for base in bases:
        last = base.partition("[")[0].rpartition(".")[2]
        if last in _ENUMS:
            return "enum"
        if last == "Protocol":
            return "interface"
    return "class"


def _decorators(source: bytes, whole: tree_sitter.Node) -> tuple[str, ...]:
    found = []
    for child in whole.named_children:
        if child.type == "decorator":
            expression: tree_sitter.Node | None = child.named_child(0)
            if expression is not None and expression.type == "call":
                expression = expression.child_by_field_name("function")
            if expression is not None:
                found.append(_text(source, expression))
    return tuple(found)


def _text(source: bytes, node: tree_sitter.Node) -> str:
    return decoded(source[node.start_byte : node.end_byte])


def parameters_of(source: bytes, node: tree_sitter.Node) -> tuple[Parameter, ...]:
    """The parameters that a `parameters` or `lambda_parameters` node declares."""
    if node.kind_id == _PARAMETER_LIST:
        plain = _simple_parameters(source[node.start_byte + 1 : node.end_byte - 1])
        if plain is not None:
            return plain
    found: list[Parameter] = []
    keyword_only = False
    for child in node.named_children:
        kind = child.type
        if kind == "positional_separator":
            found = [Parameter(p.name, "positional-only", p.optional, p.type) for p in found]
            continue
        if kind == "keyword_separator":
            keyword_only = True
            continue
        inner = child
        annotation = None
        optional = kind in ("default_parameter", "typed_default_parameter")
        if kind in ("typed_parameter", "typed_default_parameter"):
            declared = child.child_by_field_name("type")
            annotation = _text(source, declared) if declared is not None else None
        if optional:
            inner = child.child_by_field_name("name") or child
        elif kind == "typed_parameter":
            inner = child.named_child(0) or child
        what = inner.type
        if what == "list_splat_pattern":
            found.append(Parameter(_text(source, inner).lstrip("* \t"), "rest", True, annotation))
            keyword_only = True
        elif what == "dictionary_splat_pattern":
            found.append(Parameter(_text(source, inner).lstrip("* \t"), "keywords", True, annotation))
        elif what == "identifier":
            found.append(
                Parameter(_text(source, inner), "keyword-only" if keyword_only else "positional", optional, annotation)
            )
    return tuple(found)


@lru_cache(maxsize=4096)  # "self" and the like come again and again
def _simple_parameters(source: bytes) -> tuple[Parameter, ...] | None:
    """The same from the text, where every comma, colon and equals sign is found by counting brackets: faster.

    None where they are not (strings, comments, lambdas).
    """
    text = decoded(source)
    if _QUOTED.search(text) is not None or _COMPARED.search(text) is not None:
        return None
    if "lambda" in text and _LAMBDA.search(text) is not None:
        return None
    found: list[Parameter] = []
    keyword_only = False
    for piece in text.split(",") if _OPENING.search(text) is None else _pieces(text):
        piece = piece.strip()
        parameter = _simple_parameter(piece, keyword_only)
        if parameter is not None:
            found.append(parameter)
            keyword_only = keyword_only or parameter.kind == "rest"
        elif piece == "*":
            keyword_only = True
        elif piece == "/":
            found = [Parameter(p.name, "positional-only", p.optional, p.type) for p in found]
    return tuple(found)


@lru_cache(maxsize=4096)
def _simple_parameter(piece: str, keyword_only: bool) -> Parameter | None:
    """The parameter that such a text declares; None when it is no parameter."""
    colon, equals = piece.find(":"), piece.find("=")
    if _OPENING.search(piece) is not None:
        colon, equals = _outside_of_brackets(piece)
    end = equals if equals >= 0 else len(piece)
    name = (piece[:colon] if colon >= 0 else piece[:end]).strip()
    declared = piece[colon + 1 : end].strip() if colon >= 0 else None
    if name.startswith("**"):
        return Parameter(name[2:].strip(), "keywords", True, declared)
    if name.startswith("*") and piece != "*":
        return Parameter(name[1:].strip(), "rest", True, declared)
    if name.isidentifier():
        return Parameter(name, "keyword-only" if keyword_only else "positional", equals >= 0, declared)
    return None


def _outside_of_brackets(piece: str) -> tuple[int, int]:
    """Where the first colon and the first equals sign outside of brackets stand; -1 for none."""
    colon = equals = -1
    depth = 0
    for token in _TOKENS.finditer(piece):
        sign = token.group()
        if sign in "[({":
            depth += 1
        elif sign in "])}":
            depth -= 1
        elif depth == 0:
            if sign == ":" and colon < 0:
                colon = token.start()
            elif sign == "=" and equals < 0:
                equals = token.start()
    return colon, equals


def _pieces(text: str) -> list[str]:
    """The text split at the commas outside of brackets."""
    found: list[str] = []
    start = depth = 0
    for token in _BRACKETS_AND_COMMAS.finditer(text):
        sign = token.group()
        if sign != ",":
            depth += 1 if sign in "[({" else -1
        elif depth == 0:
            found.append(text[start : token.start()])
            start = token.end()
    found.append(text[start:])
    return found


def _values(source: bytes, node: tree_sitter.Node, line: int) -> list[Definition]:
    """The module-level names that an assignment statement binds (`a = b = 1`, `a, b = ...`, `x: T`)."""
    found: list[Definition] = []
    start, end = node.start_byte, node.end_byte
    end_line = line + source.count(b"\n", start, end)
    statement: tree_sitter.Node | None = node
    while statement is not None and statement.type == "assignment":
        left = statement.child_by_field_name("left")
        declared = statement.child_by_field_name("type")
        declaration = _text(source, left) if left is not None else ""
        if declared is not None:
            declaration += ": " + _text(source, declared)
        for target in target_names(left):
            at = target.start_byte
            name = decoded(source[at : target.end_byte])
            if name != "__all__":
                kind: DefinitionKind = "constant" if name.isupper() else "variable"
                found.append(
                    Definition(
                        name,
                        name,
                        kind,
                        start,
                        end,
                        at,
                        line + source.count(b"\n", start, at),
                        line,
                        end_line,
                        -1,
                        declaration,
                    )
                )
        statement = statement.child_by_field_name("right")
    return found


def _alias(source: bytes, node: tree_sitter.Node, line: int) -> list[Definition]:
    """`type X[T] = ...`."""
    left = node.child_by_field_name("left")
    if left is None:
        return []
    match = _IDENTIFIER.match(source, left.start_byte, left.end_byte)
    if match is None:
        return []
    name = decoded(match.group())
    start, end = node.start_byte, node.end_byte
    return [
        Definition(
            name,
            name,
            "type",
            start,
            end,
            match.start(),
            line + source.count(b"\n", start, match.start()),
            line,
            line + source.count(b"\n", start, end),
            -1,
            "type " + _text(source, left),
        )
    ]

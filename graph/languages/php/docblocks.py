"""Docblocks: the types that `@param`, `@return`, `@var`, `@property`, `@method`, `@template` and `@extends` state."""

from __future__ import annotations

import re

import msgspec

from graph.expressions import FunctionType, TypeExpression, TypeName
from graph.languages.php.reading import Reading
from graph.languages.php.types import UNKNOWN, says_something, written_type

_TAG = re.compile(r"@(?:(psalm|phpstan|phan)-)?([a-z][a-z\-]*)\b[ \t]*([^@]*(?:(?<=\w)@[^@]*|@(?=[\s'\"])[^@]*)*)")
_LINE = re.compile(r"\n[ \t]*\*?[ \t]?")
_VARIABLE = re.compile(r"\s*(?:&\s*)?(?:\.\.\.\s*)?\$(\w+)")
_WORD = re.compile(r"\s*(\w+)")
_METHOD_NAME = re.compile(r"\s*&?(\w+)\s*\(")
_MAX_TAGS = 400

_PROPERTIES = frozenset({"property", "property-read", "property-write"})
_TEMPLATES = frozenset({"template", "template-covariant", "template-contravariant"})
_EXTENDS = frozenset(
    {"extends", "implements", "use", "template-extends", "template-implements", "template-use", "mixin"}
)


class Docblock(msgspec.Struct, frozen=True):
    """What a docblock says."""

    parameters: dict[str, TypeExpression]
    returns: TypeExpression | None
    variables: dict[str, TypeExpression]
    """By name; "" for an `@var` that names none."""
    properties: dict[str, TypeExpression]
    methods: dict[str, TypeExpression]
    templates: dict[str, TypeExpression | None]
    """Type parameters -> bounds."""
    bases: tuple[TypeName, ...]
    """Types with type arguments of `@extends`, `@implements`, `@use`, and `@mixin`'s."""
    mixins: tuple[TypeName, ...]


EMPTY = Docblock({}, None, {}, {}, {}, {}, (), ())


def docblock_before(reading: Reading, start: int) -> Docblock:
    """The docblock right before what starts at an offset; names in it are looked up from there."""
    _, text = reading.docblock(start)
    return docblock(reading, text, start) if "@" in text else EMPTY


def docblock(reading: Reading, text: str, at: int) -> Docblock:
    """A docblock's text, read. A tag of a static analyser's own wins over the plain one, which says less."""
    key = ("docblock", at)
    known: Docblock | None = reading.cache.get(key)
    if known is None:
        known = reading.cache[key] = _read(reading, text, at)
    return known


def _read(reading: Reading, text: str, at: int) -> Docblock:
    plain = _LINE.sub("\n", text.removeprefix("/**").removesuffix("*/"))
    parameters: dict[str, TypeExpression] = {}
    variables: dict[str, TypeExpression] = {}
    properties: dict[str, TypeExpression] = {}
    methods: dict[str, TypeExpression] = {}
    templates: dict[str, TypeExpression | None] = {}
    bases: list[TypeName] = []
    mixins: list[TypeName] = []
    returns: TypeExpression | None = None
    preferred: set[str] = set()
    for number, tag in enumerate(_TAG.finditer(plain)):
        if number > _MAX_TAGS:
            break
        analyser, kind, rest = tag.groups()
        if kind in ("param", "var"):
            written, rest = written_type(reading, rest, at)
            found = _VARIABLE.match(rest)
            name = found.group(1) if found is not None else ""
            table = parameters if kind == "param" else variables
            if says_something(written) and (name not in table or (analyser and f"{kind} {name}" not in preferred)):
                table[name] = written
                if analyser:
                    preferred.add(f"{kind} {name}")
        elif kind == "return":
            written, _ = written_type(reading, rest, at)
            if says_something(written) and (returns is None or (analyser and "return" not in preferred)):
                returns = written
                if analyser:
                    preferred.add("return")
        elif kind in _PROPERTIES:
            written, rest = written_type(reading, rest, at)
            found = _VARIABLE.match(rest)
            if found is not None:
                properties.setdefault(found.group(1), written)
        elif kind == "method":
            _method(reading, rest, at, methods)
        elif kind in _TEMPLATES:
            found = _WORD.match(rest)
            if found is not None:
                bound = re.match(r"\s+(?:of|as)\s+", rest[found.end() :])
                stated = written_type(reading, rest[found.end() + bound.end() :], at)[0] if bound is not None else None
                templates[found.group(1)] = stated if says_something(stated) else None
        elif kind in _EXTENDS:
            written, _ = written_type(reading, rest, at)
            if isinstance(written, TypeName):
                (mixins if kind == "mixin" else bases).append(written)
    return Docblock(parameters, returns, variables, properties, methods, templates, tuple(bases), tuple(mixins))


def _method(reading: Reading, rest: str, at: int, methods: dict[str, TypeExpression]) -> None:
    """`@method static Foo bar(int $a)`, `@method bar()`."""
    line = rest.lstrip()
    named = _METHOD_NAME.match(line)
    returns: TypeExpression = UNKNOWN
    if named is None:
        static = re.match(r"static\s+(?=\S+\s+&?\w+\s*\()", line)
        if static is not None:
            line = line[static.end() :]
        returns, line = written_type(reading, line, at)
        named = _METHOD_NAME.match(line)
    if named is not None:
        methods.setdefault(named.group(1), FunctionType((), returns))

"""Types that JSDoc comments state in JavaScript: `@param`, `@returns`, `@type`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from graph import expressions as x
from graph.languages.typescript.code import Code

_DECLARATIONS = frozenset(
    {
        "variable_declarator", "lexical_declaration", "variable_declaration", "export_statement", "pair",
        "assignment_expression", "expression_statement", "field_definition", "public_field_definition",
        "parenthesized_expression",
    }
)  # fmt: skip
_NAME = re.compile(r"\s*(\[?)\s*([A-Za-z_$][\w$]*)(?![\w$]|\s*\.)")
_PARAMETER = re.compile(r"@(?:param|arg|argument)\s+(\{)?")
_RETURNS = re.compile(r"@returns?\s+\{")
_TYPE = re.compile(r"@type\s+\{")
_PRIMITIVES = {"string": "String", "number": "Number", "boolean": "Boolean", "function": "Function", "*": "any"}
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*")
LONGEST = 4000
"""Bytes of a comment that are read."""


def _comment(code: Code, node: Node) -> tuple[str, int]:
    """The JSDoc comment before a function or variable, and its offset; "" when there is none."""
    key = ("jsdoc", node.start_byte, node.end_byte)
    known: tuple[str, int] | None = code.cache.get(key)
    if known is None:
        known = code.cache[key] = _find_comment(code, node)
    return known


def _find_comment(code: Code, node: Node) -> tuple[str, int]:
    way = code.above(node)
    for each in reversed(way):
        before = code.source[max(0, each.start_byte - LONGEST) : each.start_byte].rstrip()
        if before.endswith(b"*/"):
            start = before.rfind(b"/**")
            if start >= 0 and b"*/" not in before[start:-2]:
                text = before[start:]
                return text.decode("utf-8", "replace"), each.start_byte
            return "", 0
        if each is not way[-1] and each.type not in _DECLARATIONS:
            break
    return "", 0


class _Tag(NamedTuple):
    """One `@param {type} [name]`; `type` is None where no braces are written."""

    name: str
    type: str | None
    optional: bool


def stated_parameters(code: Code, function: Node) -> dict[str, x.TypeExpression]:
    """Parameter name -> the type that `@param {T} name` states."""
    tags, at = _tags(code, function)
    found: dict[str, x.TypeExpression] = {}
    for tag in tags:
        if tag.type is not None and tag.name not in found:
            found[tag.name] = _type(tag.type, at)
    return found


def documented(code: Code, function: Node) -> dict[str, bool]:
    """Parameter name -> whether its `@param` says that it may be left out (`[name]`, `{T=}`, `{...T}`)."""
    found: dict[str, bool] = {}
    for tag in _tags(code, function)[0]:
        type_ = tag.type or ""
        optional = tag.optional or type_.rstrip().endswith("=") or type_.lstrip().startswith("...")
        found.setdefault(tag.name, optional)
    return found


def _tags(code: Code, function: Node) -> tuple[list[_Tag], int]:
    """The parameters that the comment before a function tells of, and the comment's offset."""
    key = ("jsdoc parameters", function.start_byte, function.end_byte)
    known: tuple[list[_Tag], int] | None = code.cache.get(key)
    if known is None:
        comment, at = _comment(code, function)
        known = code.cache[key] = list(_read_tags(comment)), at
    return known


def _read_tags(comment: str) -> Iterator[_Tag]:
    end = 0
    for match in _PARAMETER.finditer(comment):
        if match.start() < end:
            continue  # within the braces of the last one
        text, end = _braced(comment, match.end()) if match[1] else (None, match.end())
        if end < 0:
            return  # all that follows stands in those braces
        name = _NAME.match(comment, end)
        if name is not None:
            yield _Tag(name[2], text, bool(name[1]))


def stated_result(code: Code, function: Node) -> x.TypeExpression | None:
    """The type that `@returns {T}` states."""
    return _first(code, function, _RETURNS)


def stated_type(code: Code, declarator: Node) -> x.TypeExpression | None:
    """The type that `@type {T}` states."""
    return _first(code, declarator, _TYPE)


def stated_before(code: Code, node: Node) -> x.TypeExpression | None:
    """The type that a cast states: `/** @type {T} */ (value)`."""
    before = code.source[max(0, node.start_byte - 200) : node.start_byte].rstrip()
    if not before.endswith(b"*/"):
        return None
    start = before.rfind(b"/**")
    comment = before[start:].decode("utf-8", "replace") if start >= 0 else ""
    match = _TYPE.search(comment)
    return None if match is None else _type(_braced(comment, match.end())[0], node.start_byte)


def _first(code: Code, node: Node, tag: re.Pattern[str]) -> x.TypeExpression | None:
    comment, at = _comment(code, node)
    match = tag.search(comment)
    stated = None if match is None else _type(_braced(comment, match.end())[0], at)
    # What can't be read here says nothing; the value may say more.
    return None if isinstance(stated, x.UnknownType) else stated


def _braced(comment: str, start: int) -> tuple[str, int]:
    """The text up to the brace that closes the one before `start`, and the offset after it; -1 where none does."""
    depth = 1
    for position in range(start, len(comment)):
        if comment[position] == "{":
            depth += 1
        elif comment[position] == "}":
            depth -= 1
            if not depth:
                return comment[start:position], position + 1
    return "", -1


def _type(text: str, at: int, depth: int = 0) -> x.TypeExpression:
    """A JSDoc type: names, `T[]`, `Array<T>`, `Object.<K, V>`, unions, `?T`, `T=`, `...T`; else unknown."""
    text = text.strip()
    if depth > 8:
        return x.UnknownType()
    if text.startswith("(") and text.endswith(")") and _closes(text) == len(text) - 1:
        return _type(text[1:-1], at, depth + 1)
    text = text.removeprefix("...").lstrip("?!").rstrip("=").strip()
    options = _split(text, "|")
    if len(options) > 1:
        return x.UnionType(tuple(_type(each, at, depth + 1) for each in options))
    if text.endswith("[]"):
        return x.TypeName("Array", at, (_type(text[:-2], at, depth + 1),))
    name = _IDENTIFIER.match(text)
    if name is None:
        return x.TypeName("any", at) if text == "*" else x.UnknownType()
    rest = text[name.end() :].strip()
    given = _PRIMITIVES.get(name[0], name[0])
    if not rest:
        return x.TypeName(given, at)
    rest = rest.removeprefix(".")
    if rest.startswith("<") and rest.endswith(">"):
        arguments = tuple(_type(each, at, depth + 1) for each in _split(rest[1:-1], ","))
        return x.TypeName("Record" if given == "Object" and len(arguments) == 2 else given, at, arguments)
    return x.UnknownType()


def _closes(text: str) -> int:
    depth = 0
    for position, each in enumerate(text):
        depth += (each == "(") - (each == ")")
        if not depth:
            return position
    return -1


def _split(text: str, separator: str) -> list[str]:
    """Split at a separator that stands outside all brackets."""
    parts: list[str] = []
    depth = start = 0
    for position, each in enumerate(text):
        if each in "<({[":
            depth += 1
        elif each in ">)}]" and depth and text[position - 1 : position] != "=":
            depth -= 1
        elif each == separator and not depth:
            parts.append(text[start:position])
            start = position + 1
    parts.append(text[start:])
    return [each for each in parts if each.strip()]

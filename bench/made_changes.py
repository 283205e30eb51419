"""Made changes of signatures: the ways in which one declaration can be edited, each by splicing its parameter list.

An edit keeps the number of lines of its file, so that what a checker says before and after can be compared by line.
Bodies are left alone: a body that no longer fits its parameters makes errors of its own, not errors at calls.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

NEW = "made_anew"
"""The name of what a change adds; nothing in a real repository is called so."""
PROBES = 20
"""Parameters that a probe adds: more than any call passes."""


class Splice(NamedTuple):
    """Replace the bytes from `start` to `end` by `text`."""

    start: int
    end: int
    text: str


class Change(NamedTuple):
    """One way to edit a declaration. `kind` says what it does ("parameter added, required")."""

    kind: str
    splices: tuple[Splice, ...]


def applied(source: bytes, splices: tuple[Splice, ...]) -> bytes:
    """The source with the splices made."""
    for splice in sorted(splices, reverse=True):
        source = source[: splice.start] + splice.text.encode() + source[splice.end :]
    return source


class _List:
    """The children of a parameter list that stand between its commas."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.items = [child for child in node.named_children if child.type not in ("comment", "ERROR")]

    def insert(self, index: int, text: str) -> Splice:
        """Put `text` before the item at `index`, or at the end."""
        if index < len(self.items):
            at = self.items[index].start_byte
            return Splice(at, at, f"{text}, ")
        if self.items:
            at = self.items[-1].end_byte
            return Splice(at, at, f", {text}")
        at = self.node.start_byte + 1
        return Splice(at, at, text)

    def remove(self, index: int) -> Splice:
        """Take the item away, with one comma; line ends stay."""
        item = self.items[index]
        if index + 1 < len(self.items):
            start, end = item.start_byte, self.items[index + 1].start_byte
        else:
            start, end = (self.items[index - 1].end_byte if index else item.start_byte), item.end_byte
            comma = item.next_sibling
            if index == 0 and comma is not None and comma.type == ",":
                end = comma.end_byte
        gap = self.node.text or b""
        cut = gap[start - self.node.start_byte : end - self.node.start_byte]
        return Splice(start, end, "\n" * cut.count(b"\n"))


# -- Python ----------------------------------------------------------------------------------------------------------

_PYTHON_OPTIONAL = ("default_parameter", "typed_default_parameter")


def python_probe(parameters: Node, bound: bool) -> tuple[Splice, ...]:
    """A change after which every call misfits that a checker knows to be a call of it."""
    listed = _List(parameters)
    names = ", ".join(f"probe_{number}" for number in range(PROBES))
    return (listed.insert(1 if bound else 0, names),)


def python_changes(parameters: Node, bound: bool) -> Iterator[Change]:
    """The changes that the parameter list allows. `bound`: its first parameter is the receiver."""
    listed = _List(parameters)
    items = listed.items
    kinds = [_python_kind(item) for item in items]
    first = 1 if bound else 0
    star = next((index for index, kind in enumerate(kinds) if kind in ("*", "rest")), len(items))
    keywords = next((index for index, kind in enumerate(kinds) if kind == "keywords"), len(items))
    places = [index for index in range(first, min(star, keywords)) if kinds[index] in ("required", "optional")]
    named = [index for index in range(star + 1, keywords) if kinds[index] in ("required", "optional")]
    first_optional = next((index for index in places if kinds[index] == "optional"), min(star, keywords))

    yield Change("parameter added, required", (listed.insert(max(first_optional, first), NEW),))
    yield Change("parameter added, optional", (listed.insert(min(star, keywords), f"{NEW}=None"),))
    if star < len(items):
        yield Change("parameter added, keyword-only and required", (listed.insert(star + 1, NEW),))
    else:
        yield Change("parameter added, keyword-only and required", (listed.insert(keywords, f"*, {NEW}"),))
    for index in places:
        yield Change("parameter removed", (listed.remove(index),))
    if len(named) > 1 or (named and star < len(items) and kinds[star] == "rest"):
        for index in named:
            yield Change("parameter removed", (listed.remove(index),))
    for index in [*places, *named]:
        name = _python_name(items[index])
        yield Change("parameter renamed", (Splice(name.start_byte, name.end_byte, NEW),))
    for index in [first_optional, *named]:
        if index < len(items) and kinds[index] == "optional":
            yield Change("parameter made required", (_without_default(items[index], listed),))
    required = [index for index in places if kinds[index] == "required"]
    for index in [*required[-1:], *(index for index in named if kinds[index] == "required")]:
        at = items[index].end_byte
        yield Change("parameter made optional", (Splice(at, at, "=None"),))
    if star == len(items):
        for index in places:
            if kinds[index:].count("/") == 0:
                yield Change("parameter made keyword-only", (listed.insert(index, "*"),))
    if keywords < len(items) and not (keywords and kinds[keywords - 1] == "*"):
        yield Change("keywords (**) removed", (listed.remove(keywords),))


def _python_kind(item: Node) -> str:
    if item.type == "keyword_separator":
        return "*"
    if item.type == "positional_separator":
        return "/"
    inner = item.named_child(0) if item.type == "typed_parameter" else item
    if inner is not None and inner.type == "list_splat_pattern":
        return "rest"
    if inner is not None and inner.type == "dictionary_splat_pattern":
        return "keywords"
    return "optional" if item.type in _PYTHON_OPTIONAL else "required"


def _python_name(item: Node) -> Node:
    inner = item.child_by_field_name("name") or (item.named_child(0) if item.type == "typed_parameter" else item)
    return inner or item


def _without_default(item: Node, listed: _List) -> Splice:
    before = item.child_by_field_name("type") or item.child_by_field_name("name") or item
    text = listed.node.text or b""
    cut = text[before.end_byte - listed.node.start_byte : item.end_byte - listed.node.start_byte]
    return Splice(before.end_byte, item.end_byte, "\n" * cut.count(b"\n"))


def python_fields(body: Node) -> Iterator[Change]:
    """Changes of the fields that a data class declares in its body, which are its constructor's parameters."""
    fields = []
    for child in body.named_children:
        inner = child.named_child(0) if child.type == "expression_statement" else child
        if inner is not None and inner.type == "assignment" and inner.child_by_field_name("type") is not None:
            fields.append(inner)
    required = [each for each in fields if each.child_by_field_name("right") is None]
    if required:
        at = required[-1].end_byte
        yield Change("field added, required", (Splice(at, at, f"; {NEW}: object"),))
    for each in fields:
        name = each.child_by_field_name("left")
        if name is not None and name.type == "identifier":
            yield Change("field renamed", (Splice(name.start_byte, name.end_byte, NEW),))
        lines = "\\\n" * (each.end_point.row - each.start_point.row)
        yield Change("field removed", (Splice(each.start_byte, each.end_byte, f"pass {lines}".rstrip(" ")),))


def field_probe(body: Node) -> tuple[Splice, ...]:
    """The same as `python_probe`, for a data class: fields before the first one."""
    for child in body.named_children:
        inner = child.named_child(0) if child.type == "expression_statement" else child
        if inner is not None and inner.type == "assignment" and inner.child_by_field_name("type") is not None:
            names = "".join(f"probe_{number}: object; " for number in range(PROBES))
            return (Splice(inner.start_byte, inner.start_byte, names),)
    return ()


# -- TypeScript ------------------------------------------------------------------------------------------------------


def typescript_probe(parameters: Node) -> tuple[Splice, ...]:
    """A change after which every call misfits that a checker knows to be a call of it."""
    listed = _List(parameters)
    names = ", ".join(f"probe_{number}: never" for number in range(PROBES))
    index = 1 if listed.items and _typescript_kind(listed.items[0]) == "this" else 0
    return (listed.insert(index, names),)


def property_probe(body: Node) -> tuple[Splice, ...]:
    """The same for an object type or an interface's body: every literal that is passed for it misfits."""
    at = body.start_byte + 1
    return (Splice(at, at, "".join(f" probe_{number}: never;" for number in range(PROBES))),)


def typescript_changes(parameters: Node) -> Iterator[Change]:
    """The changes that the parameter list allows."""
    listed = _List(parameters)
    items = listed.items
    kinds = [_typescript_kind(item) for item in items]
    first = 1 if kinds[:1] == ["this"] else 0
    rest = next((index for index, kind in enumerate(kinds) if kind == "rest"), len(items))
    optional = [index for index in range(first, rest) if kinds[index] == "optional"]
    first_optional = next(iter(optional), rest)

    yield Change("parameter added, required", (listed.insert(first_optional, f"{NEW}: unknown"),))
    yield Change("parameter added, optional", (listed.insert(rest, f"{NEW}?: unknown"),))
    for index in range(first, rest):
        yield Change("parameter removed", (listed.remove(index),))
        pattern = items[index].child_by_field_name("pattern")
        if pattern is not None and pattern.type == "identifier":
            yield Change("parameter renamed", (Splice(pattern.start_byte, pattern.end_byte, NEW),))
    if optional:
        yield Change("parameter made required", _made_required(items[first_optional]))
    required = [index for index in range(first, rest) if kinds[index] == "required"]
    if required and items[required[-1]].child_by_field_name("pattern") is not None:
        pattern = items[required[-1]].child_by_field_name("pattern")
        if pattern is not None and pattern.type == "identifier":
            yield Change("parameter made optional", (Splice(pattern.end_byte, pattern.end_byte, "?"),))


def typescript_properties(body: Node) -> Iterator[Change]:
    """Changes of the properties of an object type or an interface's body."""
    at = body.start_byte + 1
    members = [child for child in body.named_children if child.type == "property_signature"]
    yield Change("property added, required", (Splice(at, at, f" {NEW}: unknown;"),))
    yield Change("property added, optional", (Splice(at, at, f" {NEW}?: unknown;"),))
    for member in members:
        name = member.child_by_field_name("name")
        if name is None or name.type != "property_identifier":
            continue
        yield Change("property renamed", (Splice(name.start_byte, name.end_byte, NEW),))
        mark = next((child for child in member.children if child.type == "?"), None)
        if mark is not None:
            yield Change("property made required", (Splice(mark.start_byte, mark.end_byte, ""),))
        else:
            yield Change("property made optional", (Splice(name.end_byte, name.end_byte, "?"),))
        after = member.next_sibling
        end = after.end_byte if after is not None and after.type in (";", ",") else member.end_byte
        lines = "\n" * ((member.text or b"").count(b"\n"))
        yield Change("property removed", (Splice(member.start_byte, end, lines),))


def _typescript_kind(item: Node) -> str:
    pattern = item.child_by_field_name("pattern")
    if pattern is not None and pattern.type == "this":
        return "this"
    if pattern is not None and pattern.type == "rest_pattern":
        return "rest"
    if item.type == "optional_parameter" or item.child_by_field_name("value") is not None:
        return "optional"
    return "required"


def _made_required(item: Node) -> tuple[Splice, ...]:
    found: list[Splice] = []
    pattern, value = item.child_by_field_name("pattern"), item.child_by_field_name("value")
    if item.type == "optional_parameter" and pattern is not None:
        mark = next((child for child in item.children if child.type == "?"), None)
        if mark is not None:
            found.append(Splice(mark.start_byte, mark.end_byte, ""))
    if value is not None:
        before = item.child_by_field_name("type") or pattern
        if before is not None:
            lines = value.end_point.row - before.end_point.row
            found.append(Splice(before.end_byte, value.end_byte, "\n" * lines))
    return tuple(found)

"""Symfony's YAML and XML configuration, read line by line and tag by tag: which classes it makes services of, and which
methods it names. No parser of either is used: nothing can be run or expanded, and damage costs its own lines only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

import msgspec

SUFFIXES: Final = (".xml", ".yaml", ".yml")
MOST_LINES: Final = 20_000
LONGEST_LINE: Final = 2_000
"""Bytes of a line that are looked at."""
DEEPEST: Final = 40


class Service(msgspec.Struct, frozen=True):
    """A class that is made a service of; `at` is where the class is named."""

    id: str
    name: str
    at: int


class NamedMethod(msgspec.Struct, frozen=True):
    """A method that is named for a class, and what calls it: `via` "service tag", "service call", "factory"...

    `event` is what a tag's listener waits for, None where there is none.
    """

    name: str
    method: str
    at: int
    via: str
    event: str | None = None


class Configuration(msgspec.Struct, frozen=True):
    """What one file says. Full names of classes have no backslash before them."""

    services: tuple[Service, ...] = ()
    methods: tuple[NamedMethod, ...] = ()


@lru_cache(maxsize=64)
def read(source: bytes, *, xml: bool) -> Configuration:
    """What a configuration file says. Never raises."""
    services: list[Service] = []
    methods: list[NamedMethod] = []
    for found in _xml(source) if xml else _yaml(source):
        if isinstance(found, Service):
            services.append(found)
        else:
            methods.append(found)
    return Configuration(tuple(services), tuple(methods))


def without_comments(source: bytes, *, xml: bool) -> bytes:
    """The source with spaces for its comments; line ends stay."""
    pattern = _XML_COMMENT if xml else _YAML_COMMENT
    return pattern.sub(lambda found: re.sub(rb"[^\n]", b" ", found.group()), source)


_XML_COMMENT: Final = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_YAML_COMMENT: Final = re.compile(rb"(?m)(?:^|(?<=[ \t]))#[^\n]*")


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace")


def _class(value: bytes) -> str | None:
    """The class that a value names: a full name, or what looks like one."""
    found = _CLASS.fullmatch(value)
    return _text(found.group(1)).replace("\\\\", "\\") if found is not None else None


_CLASS: Final = re.compile(rb"@?\\{0,2}([A-Za-z_]\w*(?:\\{1,2}\w+)*)")


# ------------------------------------------------------------------------------------------------------------- YAML


class _Entry:
    """A line of YAML: a key with its value, or an item of a list (`key` is None then)."""

    def __init__(self, indent: int, key: bytes | None, at: int, value: bytes, value_at: int) -> None:
        self.indent = indent
        """Twice the column; one more for an item: lists may stand in the column of their key."""
        self.key = key
        self.at = at
        self.value = value
        self.value_at = value_at
        self.above: _Entry | None = None
        self.below: list[_Entry] = []

    def child(self, key: bytes) -> _Entry | None:
        """The entry right below with that key."""
        return next((each for each in self.below if each.key == key), None)


_KEY: Final = re.compile(
    rb"(?:\"([^\"\n]*)\"|'([^'\n]*)'|([^\s'\"\[\]{}#,&*!|>%@:-][^\s'\"{}#,:]*(?:::?[^\s'\"{}#,:]+)*))[ \t]*:(?=[ \t]|$)"
)
_ITEM: Final = re.compile(rb"-(?:[ \t]+|$)")


def _yaml(source: bytes) -> Iterator[Service | NamedMethod]:
    entries = _entries(source)
    for entry in entries:
        above = entry.above
        if entry.key is not None and above is not None and above.key == b"services" and entry.key[:1] != b"_":
            yield from _service(entry)


def _entries(source: bytes) -> list[_Entry]:
    """All lines, each under the one that it belongs to."""
    entries: list[_Entry] = []
    open_ones: list[_Entry] = []
    offset = 0
    for line in without_comments(source, xml=False).split(b"\n")[:MOST_LINES]:
        text = line[:LONGEST_LINE].rstrip()
        column = len(text) - len(text.lstrip(b" "))
        while column < len(text) and len(open_ones) <= DEEPEST:
            item = _ITEM.match(text, column)
            key = None if item is not None else _KEY.match(text, column)
            if item is None and key is None:
                break
            start = item.end() if item is not None else key.end() if key is not None else column
            rest = text[start:]
            value_at = offset + start + len(rest) - len(rest.lstrip())
            if item is not None:
                made = _Entry(column * 2 + 1, None, offset + column, rest.strip(), value_at)
            else:
                assert key is not None
                number = next(each for each in (1, 2, 3) if key.group(each) is not None)
                made = _Entry(column * 2, key.group(number), offset + key.start(number), rest.strip(), value_at)
            while open_ones and open_ones[-1].indent >= made.indent:
                open_ones.pop()
            if open_ones:
                made.above = open_ones[-1]
                made.above.below.append(made)
            open_ones.append(made)
            entries.append(made)
            if item is None:
                break
            column = start
        offset += len(line) + 1
    return entries


def _unquoted(value: bytes) -> tuple[bytes, int]:
    """A scalar without its quotes, and how far in it begins."""
    if len(value) > 1 and value[:1] in (b"'", b'"') and value[-1:] == value[:1]:
        return value[1:-1], 1
    return value, 0


_CLASS_KEY: Final = re.compile(rb"\bclass[ \t]*:[ \t]*['\"]?(\\{0,2}[A-Za-z_][\w\\]*)")
_METHOD_KEY: Final = re.compile(rb"\bmethod['\"]?[ \t]*:[ \t]*['\"]?(\w+)")
_EVENT_KEY: Final = re.compile(rb"\bevent['\"]?[ \t]*:[ \t]*['\"]?([\w.\\:-]+)")
_CALLS_KEY: Final = re.compile(rb"\bcalls[ \t]*:[ \t]*(?=\[)")
_BRACKET: Final = re.compile(rb"[\[\]{}]")
_FIRST: Final = re.compile(rb"[ \t]*['\"]?(\w+)['\"]?[ \t]*[,:\]]")
_PAIR: Final = re.compile(rb"\[[ \t]*['\"]?(@?[\w\\.]+|~)['\"]?[ \t]*,[ \t]*['\"]?(\w+)['\"]?[ \t]*\]")
_LISTED_CALL: Final = re.compile(rb"\[[ \t]*['\"]?(\w+)['\"]?[ \t]*(?:,|\])")
_KEYED_CALL: Final = re.compile(rb"\{[ \t]*(\w+)[ \t]*:")


def _service(entry: _Entry) -> Iterator[Service | NamedMethod]:
    """What one service says: its class, and the methods that are named for it."""
    identity = _text(entry.key or b"").replace("\\\\", "\\")
    stated = entry.child(b"class")
    inline = _CLASS_KEY.search(entry.value) if entry.value[:1] == b"{" else None
    if stated is not None:
        value, skipped = _unquoted(stated.value)
        name, at = _class(value), stated.value_at + skipped
    elif inline is not None:
        name, at = _class(inline.group(1)), entry.value_at + inline.start(1)
    else:
        aliased = bool(entry.value) and entry.value[:1] in (b"@", b"'", b'"')
        name, at = (None if aliased else _class(entry.key or b"")), entry.at
    if name is None or entry.child(b"resource") is not None:
        return
    yield Service(identity, name, at)
    yield from _methods(entry, name, entry, b"", 0)


def _methods(service: _Entry, name: str, entry: _Entry, section: bytes, depth: int) -> Iterator[NamedMethod]:
    """The methods that an entry and what stands below it name; `section` is the service's key that holds them."""
    if depth > DEEPEST:
        return
    via = {b"tags": "service tag", b"calls": "service call"}.get(section, section.decode("ascii", "replace"))
    if entry is not service:
        for found in _METHOD_KEY.finditer(entry.value) if entry.value[:1] in (b"{", b"[") else ():
            event = _EVENT_KEY.search(entry.value)
            yield _named(name, found, entry, via, _text(event.group(1)) if event is not None else None)
        if entry.key == b"method":
            value, skipped = _unquoted(entry.value)
            beside = entry.above.child(b"event") if entry.above is not None else None
            event_name = _text(_unquoted(beside.value)[0]) if beside is not None else None
            yield NamedMethod(name, _text(value), entry.value_at + skipped, via, event_name)
        if section == b"calls" and entry.key is not None and entry.above is service:
            yield from _listed_calls(name, entry, 0)
        elif section == b"calls":
            listed = _LISTED_CALL.match(entry.value) or _KEYED_CALL.match(entry.value)
            if entry.key is None and listed is not None and listed.group(1) != b"method":
                yield _named(name, listed, entry, via)
            elif entry.key not in (None, b"method") and _is_item_of(entry.above, b"calls"):
                yield NamedMethod(name, _text(entry.key or b""), entry.at, via)
    elif entry.value[:1] == b"{":
        for found in _METHOD_KEY.finditer(entry.value):
            event = _EVENT_KEY.search(entry.value)
            yield _named(name, found, entry, "service tag", _text(event.group(1)) if event is not None else None)
        inline = _CALLS_KEY.search(entry.value)
        if inline is not None:
            yield from _listed_calls(name, entry, inline.end())
    if entry is not service or entry.value[:1] == b"{":
        for found in _PAIR.finditer(entry.value):
            owner = name if found.group(1) in (b"null", b"~") else _class(found.group(1))
            if owner is not None and ("\\" in owner or owner == name) and section != b"calls":
                yield NamedMethod(owner, _text(found.group(2)), entry.value_at + found.start(2), via or "factory")
    for each in entry.below:
        inner = each.key if entry is service and each.key is not None else section
        yield from _methods(service, name, each, inner or b"", depth + 1)


def _listed_calls(name: str, entry: _Entry, start: int) -> Iterator[NamedMethod]:
    """The methods of a list of calls that is written in one line: `[[setLogger, ['@logger']], { reset: [] }]`."""
    depth = 0
    for bracket in _BRACKET.finditer(entry.value, start):
        if bracket.group() in (b"]", b"}"):
            depth -= 1
            if depth <= 0:
                return
            continue
        depth += 1
        first = _FIRST.match(entry.value, bracket.end()) if depth == 2 else None
        if first is not None:
            yield _named(name, first, entry, "service call")


def _is_item_of(entry: _Entry | None, key: bytes) -> bool:
    """Whether it is an item of the list under that key."""
    return entry is not None and entry.key is None and entry.above is not None and entry.above.key == key


def _named(name: str, found: re.Match[bytes], entry: _Entry, via: str, event: str | None = None) -> NamedMethod:
    return NamedMethod(name, _text(found.group(1)), entry.value_at + found.start(1), via, event)


# -------------------------------------------------------------------------------------------------------------- XML


_TAG: Final = re.compile(rb"<(/?)([A-Za-z_][\w:.-]*)((?:[^<>\"']|\"[^\"<]*\"|'[^'<]*')*)>")
_ATTRIBUTE: Final = re.compile(rb"([\w:.-]+)[ \t\r\n]*=[ \t\r\n]*(?:\"([^\"]*)\"|'([^']*)')")


def _xml(source: bytes) -> Iterator[Service | NamedMethod]:
    services: list[str | None] = []
    for number, tag in enumerate(_TAG.finditer(without_comments(source, xml=True))):
        if number > MOST_LINES * 4:
            return
        closing, element, inside = tag.group(1), tag.group(2).rpartition(b":")[2], tag.group(3)
        if element == b"service":
            if closing:
                del services[-1:]
                continue
            made = _made_service(tag)
            if made is not None:
                yield made
            if not inside.rstrip().endswith(b"/"):
                services.append(made.name if made is not None else None)
        elif not closing and element in (b"tag", b"call", b"factory", b"configurator", b"listener"):
            attributes = _attributes(tag)
            method = attributes.get(b"method")
            stated = attributes.get(b"class") or attributes.get(b"service") or (b"", 0)
            name = _class(stated[0]) if stated[0] else services[-1] if services and element != b"listener" else None
            if method is None or name is None:
                continue
            via = {b"tag": "service tag", b"call": "service call"}.get(element, _text(element))
            event = attributes.get(b"event")
            yield NamedMethod(name, _text(method[0]), method[1], via, _text(event[0]) if event is not None else None)


def _made_service(tag: re.Match[bytes]) -> Service | None:
    attributes = _attributes(tag)
    if b"alias" in attributes:
        return None
    identity = attributes.get(b"id", (b"", 0))
    value, at = attributes.get(b"class", identity)
    name = _class(value)
    return Service(_text(identity[0]), name, at) if name is not None else None


def _attributes(tag: re.Match[bytes]) -> dict[bytes, tuple[bytes, int]]:
    """Name -> (value, where it stands)."""
    found: dict[bytes, tuple[bytes, int]] = {}
    for each in _ATTRIBUTE.finditer(tag.group(3)):
        number = 2 if each.group(2) is not None else 3
        found.setdefault(each.group(1), (each.group(number), tag.start(3) + each.start(number)))
    return found

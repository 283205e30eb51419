"""Which words stand after a dot in a text, and in what, told without parsing it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Final

from graph.words import WORD_BYTES, is_whole

_DOTTED: Final = re.compile(rb"\.([A-Za-z0-9_]+)([\"']?)")
_APART: Final = re.compile(rb"\.(?:[ \t\r\n\f\\]|#[^\n]{0,200}+\n){1,20}+(\w+)")
"""A word after a dot with white space or comments between them."""
_QUOTES: Final = frozenset((b'"', b"'"))
_SELDOM: Final = 5
"""Questions up to which looking for the word is cheaper than reading the whole text."""
_DOTTED_BYTES: Final = bytes(sorted(WORD_BYTES)) + b"."
_ASSIGNMENT: Final = re.compile(rb"[ \t]*+(?::[^=\n]{1,200})?=(?![=>])[ \t]*+")
_OWN: Final = (b"self", b"this")
_PATH: Final = re.compile(rb"(?:[A-Za-z_]\w*+\.)++")
_LONGEST_PATH: Final = 1000
"""Bytes of a dotted path in a string before its last name."""
_LONGEST: Final = 200
"""Bytes on either side of a word within which what makes it no member must begin and end."""


class Dots:
    """The words after dots in one text. It is read whole only when it is asked often."""

    def __init__(self, text: bytes, silent: re.Pattern[bytes] | None = None) -> None:
        """`silent` matches, from the start of a line, the stretches whose dots are before no members (imports)."""
        self._text = text
        self._silent = silent
        self._asked = 0
        self._last: tuple[bytes, list[tuple[int, int]]] = (b"", [])
        self._members: frozenset[bytes] | None = None
        self._endings: frozenset[bytes] = frozenset()
        self._apart: frozenset[bytes] | None = None

    def before_member(self, name: bytes) -> bool:
        """Whether the name stands after a dot in what may be code: nowhere else but in an import, or in quotes with
        nothing but the dotted name; True where that cannot be told."""
        if not _is_word(name):
            return True
        return (self._find(name)[0] and self._is_in_code(name)) or self._is_apart(name)

    def before_attribute(self, name: bytes) -> bool:
        """Whether the name stands after a dot in code or in a string, which may be a type; True where that cannot be
        told."""
        return not _is_word(name) or any(self._find(name)) or self._is_apart(name)

    def before_ending(self, name: bytes) -> bool:
        """Whether the name, after a dot, ends a string."""
        return self._find(name)[1]

    def before_assigned(self, name: bytes) -> bool:
        """Whether an object assigns something else to an attribute of its own that has the name."""
        return any(
            self._text.endswith(_OWN, 0, at)
            and (given := _ASSIGNMENT.match(self._text, end)) is not None
            and not self._text.startswith((b"self." + name, b"this." + name), given.end())
            for at, end in self._spots(name)
        )

    def strings_ending(self, name: bytes) -> Iterator[tuple[bytes, int]]:
        """The strings that are nothing but a dotted path which ends in the name, and where the name is in them."""
        text = self._text
        for at, end in self._spots(name) if self.before_ending(name) else ():
            if text[end : end + 1] in _QUOTES:
                first = max(0, at - _LONGEST_PATH)
                start = max(text.rfind(quote, first, at) for quote in _QUOTES) + 1
                if start > 0 and _PATH.fullmatch(text, start, at + 1) is not None:
                    yield text[start:end], at + 1

    def _find(self, name: bytes) -> tuple[bool, bool]:
        """Whether the name stands after a dot as more than the end of a string, and as that."""
        if self._members is None and _is_word(name):
            self._asked += 1
            if self._asked > _SELDOM:
                found = _DOTTED.findall(self._text)
                self._members = frozenset(word for word, quote in found if not quote)
                self._endings = frozenset(word for word, quote in found if quote)
        if self._members is not None and _is_word(name):
            return name in self._members, name in self._endings
        quoted = [self._text[end : end + 1] in _QUOTES for _, end in self._spots(name)]
        return not all(quoted), any(quoted)

    def _is_in_code(self, name: bytes) -> bool:
        return any(not (is_dotted_string(self._text, at, end) or self._is_silent(at)) for at, end in self._spots(name))

    def _is_silent(self, at: int) -> bool:
        first = max(0, at - _LONGEST)
        start = self._text.rfind(b"\n", first, at) + 1
        if self._silent is None or (start == 0 and first > 0):
            return False
        found = self._silent.match(self._text, start, at + _LONGEST)
        return found is not None and found.end() > at

    def _spots(self, name: bytes) -> list[tuple[int, int]]:
        """Where a dot before the name is, and where the name ends. Remembered for the next question of the name."""
        if self._last[0] == name:
            return self._last[1]
        text, sought = self._text, b"." + name
        found: list[tuple[int, int]] = []
        at = text.find(sought)
        while at >= 0:
            end = at + len(sought)
            if end == len(text) or text[end] not in WORD_BYTES:
                found.append((at, end))
            at = text.find(sought, end)
        self._last = name, found
        return found

    def _is_apart(self, name: bytes) -> bool:
        if self._apart is None:
            self._apart = frozenset(_APART.findall(self._text))
        return name in self._apart


def _is_word(name: bytes) -> bool:
    return name.replace(b"_", b"").isalnum()


def names_member(text: bytes, name: bytes, owners: Collection[bytes]) -> bool:
    """Whether the name stands as a member of one of the owners, which are names, too (`owner.name`)."""
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        if end == len(text) or text[end] not in WORD_BYTES:
            before = text[max(0, at - _LONGEST) : at].rstrip()
            before = before[:-1].rstrip() if before.endswith(b".") else b""
            for owner in owners:
                if before.endswith(owner) and is_whole(before, len(before) - len(owner), len(before)):
                    return True
        at = text.find(name, end)
    return False


def is_beside_quotes(text: bytes, at: int, end: int) -> bool:
    """Whether what stands there begins or ends with a string."""
    return text[at - 1 : at] in _QUOTES or text[end : end + 1] in _QUOTES


def is_dotted_string(text: bytes, at: int, end: int) -> bool:
    """Whether what stands there is part of a string that is nothing but a dotted name."""
    before = text[max(0, at - _LONGEST) : at]
    rest = before.rstrip(_DOTTED_BYTES)
    quote = rest[-1:]
    if quote not in _QUOTES or text[end : end + _LONGEST].lstrip(_DOTTED_BYTES)[:1] != quote:
        return False
    # Right after a string's end no name can stand; a dot can (`"a".join`).
    return before[len(rest) : len(rest) + 1] not in (b"", b".")

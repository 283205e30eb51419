"""Which words stand after a dot in a text, told without parsing it."""

from __future__ import annotations

import re
from typing import Final

from graph.words import WORD_BYTES

_DOTTED: Final = re.compile(rb"\.([A-Za-z0-9_]+)([\"']?)")
_APART: Final = re.compile(rb"\.(?:[ \t\r\n\f\\]|#[^\n]{0,200}+\n){1,200}+(\w+)")
"""A word after a dot with white space or comments between them."""
_QUOTES: Final = frozenset(b"\"'")
_SELDOM: Final = 5
"""Questions up to which looking for the word is cheaper than reading the whole text."""


class Dots:
    """The words after dots in one text. It is read whole only when it is asked often."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._asked = 0
        self._members: frozenset[bytes] | None = None
        self._endings: frozenset[bytes] = frozenset()
        self._apart: frozenset[bytes] | None = None

    def before_member(self, name: bytes) -> bool:
        """Whether the name stands after a dot as more than the end of a string; True where that cannot be told."""
        if not name.replace(b"_", b"").isalnum() or self._find(name)[0]:
            return True
        if self._apart is None:
            self._apart = frozenset(_APART.findall(self._text))
        return name in self._apart

    def before_ending(self, name: bytes) -> bool:
        """Whether the name, after a dot, ends a string."""
        return self._find(name)[1]

    def _find(self, name: bytes) -> tuple[bool, bool]:
        is_word = name.replace(b"_", b"").isalnum()
        if self._members is not None and is_word:
            return name in self._members, name in self._endings
        self._asked += 1
        if self._asked > _SELDOM and is_word:
            found = _DOTTED.findall(self._text)
            self._members = frozenset(word for word, quote in found if not quote)
            self._endings = frozenset(word for word, quote in found if quote)
            return self._find(name)
        text, sought = self._text, b"." + name
        member = ending = False
        at = text.find(sought)
        while at >= 0:
            end = at + len(sought)
            if end == len(text):
                member = True
            elif text[end] in _QUOTES:
                ending = True
            elif text[end] not in WORD_BYTES:
                member = True
            at = text.find(sought, end)
        return member, ending

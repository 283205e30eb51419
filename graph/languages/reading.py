"""What the on-demand functions of several languages share: paths from the root of a tree to an offset, one reading for
each parsed file, and where a word stands in a text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import tree_sitter

from graph.facts import FileFacts
from graph.languages.base import Syntax

R = TypeVar("R")

_LONG_PATH = 500
"""Nodes of a path that isn't remembered unless it is asked for: nesting is hostile."""
REPLACEMENT = "\ufffd"
"""What stands in a word for bytes that aren't UTF-8."""
_WIDE = re.compile(rb"[\x80-\xff]+")
_OF_WORDS = frozenset(bytes((each,)) for each in range(128) if chr(each).isalnum() or each == 0x5F)
_OF_WIDE_WORDS = _OF_WORDS.union(bytes((each,)) for each in range(128, 256))
"""Bytes of which identifiers are made."""


class SyntaxReading:
    """A `Syntax` with a cache. Nodes are looked up from above: a node's parent is dear in tree-sitter."""

    def __init__(self, syntax: Syntax) -> None:
        self.source = syntax.source
        self.facts: FileFacts = syntax.facts
        self.root = syntax.tree.root_node
        self.cache: dict[Any, Any] = {}

    def path(self, at: int) -> list[tree_sitter.Node]:
        """The nodes that hold the byte at `at`, the root first."""
        cached: list[tree_sitter.Node] | None = self.cache.get(("path", at))
        if cached is not None:
            return cached
        nodes = self.cache["path", at] = path_to(self.root, at)
        return nodes

    def remember(self, at: int, nodes: list[tree_sitter.Node]) -> None:
        """Take the path to an offset from `paths`."""
        if len(nodes) < _LONG_PATH:
            self.cache["path", at] = nodes.copy()


def path_to(root: tree_sitter.Node, at: int) -> list[tree_sitter.Node]:
    """The nodes that hold the byte at `at`, the root first."""
    cursor = root.walk()
    nodes = [root]
    while cursor.goto_first_child_for_byte(at) is not None:
        node = cursor.node
        if node is None or node.start_byte > at or node.end_byte <= at:
            break
        nodes.append(node)
    return nodes


def one_for_each(make: Callable[[Syntax], R]) -> Callable[[Syntax], R]:
    """A function that gives the reading of a file, made once as long as its Syntax lives."""
    known: WeakKeyDictionary[Syntax, R] = WeakKeyDictionary()

    def reading_of(syntax: Syntax) -> R:
        reading = known.get(syntax)
        if reading is None:
            reading = known[syntax] = make(syntax)
        return reading

    return reading_of


def paths(
    root: tree_sitter.Node, places: Iterable[tuple[int, int]]
) -> Iterator[tuple[int, int, list[tree_sitter.Node]]]:
    """Each of ascending (start, end) with the nodes that hold the byte at its start, the root first, in one walk: the
    next step changes the list."""
    cursor = root.walk()
    nodes = [root]
    for at, end in places:
        while len(nodes) > 1 and nodes[-1].end_byte <= at:
            nodes.pop()
            cursor.goto_parent()
        while cursor.goto_first_child_for_byte(at) is not None:
            node = cursor.node
            if node is None or node.start_byte > at or node.end_byte <= at:
                cursor.goto_parent()
                break
            nodes.append(node)
        yield at, end, nodes


def occurrences(text: bytes, word: str, first: int = 0) -> Iterator[tuple[int, int]]:
    """(start, end) of where the letters of a word stand in a text, as a whole word or within another, from `first`."""
    name = word.encode("utf-8", "replace")
    if not name:
        return
    if REPLACEMENT in word:  # stands for any bytes that are not UTF-8
        spelled = re.compile(_WIDE.pattern.join(map(re.escape, _WIDE.split(name))))
        yield from (
            found.span() for found in spelled.finditer(text, first) if found.group().decode("utf-8", "replace") == word
        )
        return
    at = text.find(name, first)
    while at >= 0:
        end = at + len(name)
        yield at, end
        at = text.find(name, end)


def whole_words(text: bytes, word: str, first: int = 0, *, wide: bool) -> Iterator[tuple[int, int]]:
    """The same where the word is no part of a longer one. `wide`: bytes that aren't ASCII make it longer, too."""
    parts = _OF_WIDE_WORDS if wide else _OF_WORDS
    for start, end in occurrences(text, word, first):
        if text[start - 1 : start] not in parts and text[end : end + 1] not in parts:
            yield start, end

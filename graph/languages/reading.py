"""What the on-demand functions of several languages share: paths from the root of a tree to an offset, and one reading
for each parsed file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import tree_sitter

from graph.facts import FileFacts
from graph.languages.base import Syntax

R = TypeVar("R")


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
        cursor = self.root.walk()
        nodes = [self.root]
        while cursor.goto_first_child_for_byte(at) is not None:
            node = cursor.node
            if node is None or node.start_byte > at or node.end_byte <= at:
                break
            nodes.append(node)
        self.cache["path", at] = nodes
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

"""One parsed file as the on-demand functions see it: paths from the root to an offset, and what has been worked out."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import tree_sitter

from graph.facts import FileFacts
from graph.languages.base import Syntax

FUNCTIONS = frozenset({"function_declaration", "method_declaration", "method_elem", "method_spec"})
TYPES = frozenset({"type_spec", "type_alias"})
VALUES = frozenset({"var_spec", "const_spec"})


class Reading:
    """A `Syntax` with its caches. Nodes are looked up from above: a node's parent is dear in tree-sitter."""

    def __init__(self, syntax: Syntax) -> None:
        self.source = syntax.source
        self.facts: FileFacts = syntax.facts
        self.root = syntax.tree.root_node
        self.definition_at = {each.at: index for index, each in enumerate(self.facts.definitions)}
        self.cache: dict[Any, Any] = {}

    def text(self, node: tree_sitter.Node) -> str:
        """The node's text."""
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

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

    def node(self, definition: int) -> tree_sitter.Node | None:
        """The declaration (function, method, type or value spec) of a definition."""
        key = ("node", definition)
        if key not in self.cache:
            wanted = FUNCTIONS | TYPES | VALUES
            path = self.path(self.facts.definitions[definition].at)
            self.cache[key] = next((each for each in reversed(path) if each.type in wanted), None)
        node: tree_sitter.Node | None = self.cache[key]
        return node


_READINGS: WeakKeyDictionary[Syntax, Reading] = WeakKeyDictionary()


def reading_of(syntax: Syntax) -> Reading:
    """The reading of a file, made once as long as its Syntax lives."""
    reading = _READINGS.get(syntax)
    if reading is None:
        reading = _READINGS[syntax] = Reading(syntax)
    return reading

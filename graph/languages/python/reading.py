"""One parsed file as the on-demand functions see it: paths from the root to an offset, and what has been worked out."""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property

import tree_sitter

from graph.facts import Import
from graph.languages.base import Syntax
from graph.languages.python.spellings import Spellings
from graph.languages.reading import SyntaxReading, one_for_each

FUNCTION = "function_definition"
CLASS = "class_definition"
VALUES = frozenset({"constant", "variable", "type"})
"""Kinds of definitions that are statements, not functions or classes."""
COMPREHENSIONS = frozenset(
    {"list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression"}
)


class Text:
    """Source text to lower: a file, or the annotation in a string, whose offsets begin at `shift` of the file."""

    __slots__ = ("shift", "source", "spellings")

    def __init__(self, source: bytes, shift: int, spellings: Spellings) -> None:
        self.source = source
        self.shift = shift
        self.spellings = spellings

    def of(self, node: tree_sitter.Node) -> str:
        """The node's text."""
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def at(self, node: tree_sitter.Node) -> int:
        """The node's offset in the file."""
        return node.start_byte + self.shift


class Reading(SyntaxReading):
    """A `Syntax` with its caches."""

    def __init__(self, syntax: Syntax) -> None:
        super().__init__(syntax)
        self.text = Text(syntax.source, 0, Spellings(syntax.facts))
        self.definition_at = {d.at: i for i, d in enumerate(self.facts.definitions) if d.kind not in VALUES}
        self.value_at = {d.at: i for i, d in enumerate(self.facts.definitions) if d.kind in VALUES}
        self._import_offsets = sorted((each.at, index) for index, each in enumerate(self.facts.imports))

    @cached_property
    def has_checks(self) -> bool:
        """Whether anything in the file can narrow a type at all."""
        return b"isinstance" in self.source or b"case" in self.source

    def imports_between(self, start: int, end: int) -> list[tuple[int, Import]]:
        """(index, import) of those in the facts that a statement at these offsets makes."""
        first = bisect_left(self._import_offsets, (start, -1))
        last = bisect_left(self._import_offsets, (end, -1))
        return [(index, self.facts.imports[index]) for _, index in self._import_offsets[first:last]]

    def node(self, definition: int) -> tree_sitter.Node | None:
        """The function, class, assignment or alias node of a definition."""
        key = ("node", definition)
        if key not in self.cache:
            self.cache[key] = self._node(definition)
        node: tree_sitter.Node | None = self.cache[key]
        return node

    def _node(self, definition: int) -> tree_sitter.Node | None:
        found = self.facts.definitions[definition]
        if found.kind in VALUES:
            wanted = ("assignment", "type_alias_statement")
            return next((n for n in self.path(found.at) if n.type in wanted), None)
        for node in reversed(self.path(found.at)):
            if node.type in (FUNCTION, CLASS):
                name = node.child_by_field_name("name")
                if name is not None and name.start_byte == found.at:
                    return node
        return None

    def index(self, node: tree_sitter.Node) -> int:
        """The definition index of a function or class node; -1 when it has none (a broken one)."""
        name = node.child_by_field_name("name")
        return self.definition_at.get(name.start_byte, -1) if name is not None else -1


reading_of = one_for_each(Reading)

"""One parsed file as the on-demand functions see it: paths from the root to an offset, and what has been worked out."""

from __future__ import annotations

import tree_sitter

from graph.languages.base import Syntax
from graph.languages.go.grammar import own_type_parameters
from graph.languages.reading import SyntaxReading, one_for_each, path_to

FUNCTIONS = frozenset({"function_declaration", "method_declaration", "method_elem", "method_spec"})
TYPES = frozenset({"type_spec", "type_alias"})
VALUES = frozenset({"var_spec", "const_spec"})


class Reading(SyntaxReading):
    """A `Syntax` with its caches."""

    def __init__(self, syntax: Syntax) -> None:
        super().__init__(syntax)
        self.definition_at = {each.at: index for index, each in enumerate(self.facts.definitions)}

    def path(self, at: int) -> list[tree_sitter.Node]:
        nodes = super().path(at)
        if nodes[-1].type == "method_declaration":
            listed = self.own_type_parameters(nodes[-1])
            if listed is not None and listed.start_byte <= at < listed.end_byte:
                return nodes + path_to(listed, at)
        return nodes

    def own_type_parameters(self, method: tree_sitter.Node) -> tree_sitter.Node | None:
        """The list of the type parameters that a method declares itself; None for most."""
        key = ("type parameters", method.start_byte)
        if key not in self.cache:
            self.cache[key] = own_type_parameters(self.source, method)
        listed: tree_sitter.Node | None = self.cache[key]
        return listed

    def text(self, node: tree_sitter.Node) -> str:
        """The node's text."""
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def node(self, definition: int) -> tree_sitter.Node | None:
        """The declaration (function, method, type or value spec) of a definition."""
        key = ("node", definition)
        if key not in self.cache:
            wanted = FUNCTIONS | TYPES | VALUES
            path = self.path(self.facts.definitions[definition].at)
            self.cache[key] = next((each for each in reversed(path) if each.type in wanted), None)
        node: tree_sitter.Node | None = self.cache[key]
        return node


reading_of = one_for_each(Reading)

"""One parsed file as the on-demand functions see it: ways from the root to an offset, and what has been worked out."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from tree_sitter import Node, QueryCursor

from graph.languages.base import Syntax
from graph.languages.reading import path_to
from graph.languages.typescript import declarations as said
from graph.languages.typescript.extract import Grammars

MOST_WAYS = 2000
"""Ways to offsets that are remembered for a file."""

LONG_WAY = 500
"""Nodes of a way that is too long to be remembered; of those only the last is."""

FUNCTIONS = frozenset(
    {
        "function_declaration", "generator_function_declaration", "function_expression", "generator_function",
        "arrow_function", "method_definition",
    }
)  # fmt: skip
SIGNATURES = frozenset(
    {
        "function_signature", "method_signature", "abstract_method_signature", "function_type", "constructor_type",
        "call_signature", "construct_signature",
    }
)  # fmt: skip
CLASSES = frozenset({"class_declaration", "abstract_class_declaration", "class"})
_DECLARERS = frozenset(
    {
        *FUNCTIONS, *SIGNATURES, *CLASSES, "interface_declaration", "type_alias_declaration", "enum_declaration",
        "internal_module", "module", "variable_declarator", "pair", "public_field_definition", "field_definition",
        "property_signature", "assignment_expression", "export_statement", "import_alias",
    }
)  # fmt: skip
_HOLDERS = frozenset(
    {
        "variable_declarator", "pair", "public_field_definition", "field_definition", "assignment_expression",
        "export_statement",
    }
)  # fmt: skip


class Code:
    """A `Syntax` with its caches. Nodes are looked up from above: asking a node for its parent walks from the root."""

    def __init__(self, syntax: Syntax, grammars: Grammars) -> None:
        self.source = syntax.source
        self.facts = syntax.facts
        self.root = syntax.tree.root_node
        self.grammars = grammars
        self.definition_at: dict[int, int] = {}
        for index, definition in enumerate(self.facts.definitions):
            self.definition_at.setdefault(definition.at, index)
        self.import_at: dict[int, int] = {}
        for index, each in enumerate(self.facts.imports):
            self.import_at.setdefault(each.at, index)
        self.cache: dict[Any, Any] = {}
        self._ways: dict[int, list[Node]] = {}
        self._long: tuple[list[Node], dict[int, int]] = ([], {})

    def text(self, node: Node) -> str:
        """The node's source text."""
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def way(self, at: int) -> list[Node]:
        """The nodes that hold the byte at `at`, the root first."""
        known = self._ways.get(at)
        if known is not None:
            return known
        nodes = path_to(self.root, at)
        self._keep(at, nodes)
        return nodes

    def remember(self, at: int, nodes: list[Node]) -> None:
        """Take the way to an offset from `graph.languages.reading.paths`."""
        if len(nodes) < LONG_WAY:
            self._keep(at, nodes.copy())

    def _keep(self, at: int, nodes: list[Node]) -> None:
        if len(self._ways) >= MOST_WAYS:
            self._ways.clear()
        if len(nodes) < LONG_WAY:
            self._ways[at] = nodes

    def above(self, node: Node) -> list[Node]:
        """The nodes that hold `node`, the root first, itself last."""
        within, places = self._long
        place = places.get(node.id)
        if place is not None:
            return within[: place + 1]
        way = self.way(node.start_byte)
        if len(way) >= LONG_WAY:
            self._long = way, {each.id: position for position, each in enumerate(way)}
        for position in range(len(way) - 1, -1, -1):
            if way[position] == node:
                return way[: position + 1]
        return [*way, node]

    def declaring(self, index: int) -> Node | None:
        """The node that makes a definition: a declaration, declarator, pair, field, signature, assignment or export."""
        key = ("declaring", index)
        if key not in self.cache:
            self.cache[key] = self._declaring(index)
        node: Node | None = self.cache[key]
        return node

    def _declaring(self, index: int) -> Node | None:
        definition = self.facts.definitions[index]
        for node in reversed(self.way(definition.at)):
            kind = node.type
            if kind not in _DECLARERS:
                continue
            if kind == "variable_declarator" or kind not in ("export_statement", "assignment_expression"):
                name = node.child_by_field_name("name") or node.child_by_field_name("key")
                name = name or node.child_by_field_name("property")
                if kind == "import_alias":
                    name = node.named_child(0)
                if name is not None and name.start_byte <= definition.at < name.end_byte:
                    return node
                if kind in CLASSES and name is None and node.start_byte == definition.at:
                    return node
            elif kind == "assignment_expression":
                left = node.child_by_field_name("left")
                if left is not None and left.start_byte <= definition.at < left.end_byte:
                    return node
                # `module.exports = function named() {}` is known by the function's own name.
                right = said.unwrapped(node.child_by_field_name("right"))
                if right is not None and right.start_byte <= definition.at < right.end_byte:
                    return node
            else:
                return node
        return None

    def value_node(self, index: int) -> Node | None:
        """What a definition holds: the function or class itself, or the value's node without wrappers."""
        node = self.declaring(index)
        if node is None:
            return None
        return self.held(node)

    def held(self, node: Node) -> Node | None:
        """The function, class or value that a declaring node holds."""
        kind = node.type
        if kind in FUNCTIONS or kind in SIGNATURES or kind in CLASSES:
            return node
        if kind == "property_signature":
            annotation = node.child_by_field_name("type")
            return None if annotation is None else annotation.named_child(0)
        value = node.child_by_field_name("right") if kind == "assignment_expression" else None
        value = said.unwrapped(value or node.child_by_field_name("value"))
        if value is not None and value.type == "call_expression":
            kept = said.kept_argument(self.source, value)
            if kept is not None:
                return kept
        return value

    def index_of(self, node: Node, way: list[Node] | None = None, position: int = -1) -> int:
        """The definition index of a function, class or method node (also one bound to a name); -1 for none.

        `way` and `position` tell where it stands, when that is known already.
        """
        key = ("index", node.start_byte, node.end_byte)
        if key not in self.cache:
            if way is None:
                way = self.above(node)
                position = len(way) - 1
            self.cache[key] = self._index_of(node, way, position)
        index: int = self.cache[key]
        return index

    def _index_of(self, node: Node, way: list[Node], position: int) -> int:
        for above in range(position - 1, -1, -1):
            holder = way[above]
            kind = holder.type
            if kind in said.WRAPPERS or kind in ("arguments", "call_expression", "type_assertion"):
                continue
            if kind in _HOLDERS:
                held = self.held(holder)
                if held is not None and held == node:
                    index = self._index_by_name(holder)
                    if index >= 0:
                        return index
            break
        name = node.child_by_field_name("name")
        if name is not None and node.type not in ("function_expression", "generator_function"):
            at = name.start_byte + (1 if name.type == "string" else 0)
            return self.definition_at.get(at, -1)
        if node.type in CLASSES:
            return self.definition_at.get(node.start_byte, -1)
        return -1

    def _index_by_name(self, holder: Node) -> int:
        kind = holder.type
        if kind == "export_statement":
            for child in holder.children:
                if child.type == "default":
                    return self.definition_at.get(child.start_byte, -1)
            return -1
        if kind == "assignment_expression":
            left = holder.child_by_field_name("left")
            if left is None:
                return -1
            property_name = left.child_by_field_name("property") or left
            found = self.definition_at.get(property_name.start_byte, -1)
            if found < 0:
                right = said.unwrapped(holder.child_by_field_name("right"))
                named = None if right is None else right.child_by_field_name("name")
                found = -1 if named is None else self.definition_at.get(named.start_byte, -1)
            return found
        name = holder.child_by_field_name("name") or holder.child_by_field_name("key")
        name = name or holder.child_by_field_name("property")
        if name is None:
            return -1
        return self.definition_at.get(name.start_byte + (1 if name.type == "string" else 0), -1)

    def import_of(self, local: str, node: Node) -> int:
        """The index of the import that binds `local` inside `node`; -1 when it isn't an import."""
        table: dict[str, list[int]] | None = self.cache.get("imports by local")
        if table is None:
            table = self.cache["imports by local"] = {}
            for index, each in enumerate(self.facts.imports):
                if each.local is not None:
                    table.setdefault(each.local, []).append(index)
        for index in table.get(local, ()):
            if node.start_byte <= self.facts.imports[index].at < node.end_byte:
                return index
        return -1

    def writes(self) -> dict[str, list[Node]]:
        """Name -> the assignments to it, in source order."""
        known: dict[str, list[Node]] | None = self.cache.get("writes")
        if known is None:
            known = {}
            nodes = QueryCursor(self.grammars.writes).captures(self.root).get("write", [])
            for node in sorted(nodes, key=lambda each: each.start_byte):
                left = node.child_by_field_name("left")
                if left is not None:
                    known.setdefault(self.text(left), []).append(node)
            self.cache["writes"] = known
        return known


_CODES: WeakKeyDictionary[Syntax, Code] = WeakKeyDictionary()


def code_of(syntax: Syntax, grammars: Grammars) -> Code:
    """The code of a file, made once as long as its Syntax lives."""
    code = _CODES.get(syntax)
    if code is None:
        code = _CODES[syntax] = Code(syntax, grammars)
    return code

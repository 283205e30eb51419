"""One parsed file as the on-demand functions see it: paths from the root to an offset, names in full, docblocks."""

from __future__ import annotations

import re

import tree_sitter

from graph.languages.base import Syntax
from graph.languages.php.definitions import imports_of, is_class
from graph.languages.reading import SyntaxReading, one_for_each

CLASSES = frozenset(
    {"class_declaration", "interface_declaration", "trait_declaration", "enum_declaration", "anonymous_class"}
)
FUNCTIONS = frozenset({"function_definition", "method_declaration"})
CLOSURES = frozenset({"anonymous_function", "arrow_function"})
_REBINDS = re.compile(rb"\bbind(?:To)?\s*\(|->\s*call\s*\(")
OWN_NAMES = frozenset({"self", "static", "parent"})
"""Names of a class for itself, and for the one it extends."""


class Block:
    """What names mean in one namespace of a file: from `start` to `end`."""

    def __init__(self, start: int, end: int, namespace: str) -> None:
        self.start = start
        self.end = end
        self.namespace = namespace
        self.classes: dict[str, str] = {}
        self.functions: dict[str, str] = {}
        self.constants: dict[str, str] = {}


class Reading(SyntaxReading):
    """A `Syntax` with its caches."""

    def __init__(self, syntax: Syntax) -> None:
        super().__init__(syntax)
        self.definition_at = {each.at: index for index, each in enumerate(self.facts.definitions)}
        self.blocks = self._blocks()
        self.has_checks = b"instanceof" in self.source

    def text(self, node: tree_sitter.Node) -> str:
        """The node's text."""
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def node(self, definition: int) -> tree_sitter.Node | None:
        """The declaration of a definition."""
        key = ("node", definition)
        if key not in self.cache:
            wanted = self.facts.definitions[definition]
            kinds = CLASSES if is_class(wanted) else FUNCTIONS | {"const_declaration", "const_element", "enum_case"}
            path = self.path(wanted.at)
            fitting = [each for each in path if each.type in kinds and each.start_byte >= wanted.start]
            self.cache[key] = fitting[-1] if fitting else None
        node: tree_sitter.Node | None = self.cache[key]
        return node

    def enclosing_class(self, at: int) -> int:
        """The definition index of the innermost class around an offset, from its body's start on; -1 for none."""
        found = -1
        for index, each in enumerate(self.facts.definitions):
            if each.start > at:
                break
            if at < each.end and is_class(each) and each.at <= at:
                found = index
        if found >= 0 and self.facts.definitions[found].name.startswith("class@"):
            node = self.node(found)
            body = next((c for c in node.children if c.type == "declaration_list"), None) if node is not None else None
            if body is not None and at < body.start_byte:
                return self.facts.definitions[found].parent if self._around(found) < 0 else self._around(found)
        return found

    def may_be_bound(self, at: int) -> bool:
        """Whether an offset is in a closure, and the file gives closures another class (`Closure::bind`)."""
        return any(each.type in CLOSURES for each in self.path(at)) and _REBINDS.search(self.source) is not None

    def _around(self, index: int) -> int:
        """The class around a definition."""
        parent = self.facts.definitions[index].parent
        for _ in range(200):
            if parent < 0 or is_class(self.facts.definitions[parent]):
                return parent
            parent = self.facts.definitions[parent].parent
        return -1

    # ------------------------------------------------------------------------------------------------------- names

    def _blocks(self) -> list[Block]:
        blocks = [Block(0, len(self.source), "")]
        for node in self.root.named_children:
            kind = node.type
            if kind == "namespace_definition":
                name = node.child_by_field_name("name")
                namespace = self.text(name) if name is not None else ""
                body = node.child_by_field_name("body")
                if body is None:
                    blocks[-1].end = node.start_byte
                    blocks.append(Block(node.start_byte, len(self.source), namespace))
                else:
                    blocks.append(Block(node.start_byte, node.end_byte, namespace))
                    for inner in body.named_children:
                        if inner.type == "namespace_use_declaration":
                            self._use(blocks[-1], inner)
            elif kind == "namespace_use_declaration":
                self._use(blocks[-1], node)
        return blocks

    def _use(self, block: Block, node: tree_sitter.Node) -> None:
        for each in imports_of(self.source, node):
            local = each.local or ""
            if each.module.endswith("()"):
                block.functions[local.lower()] = each.module
            elif each.module.endswith("#"):
                block.constants[local] = each.module
            else:
                block.classes[local.lower()] = each.module

    def block(self, at: int) -> Block:
        """The namespace that an offset is in."""
        found = self.blocks[0]
        for each in self.blocks:
            if each.start <= at < each.end:
                found = each
        return found

    def class_name(self, written: str, at: int) -> str:
        """A class's full name (`\\App\\Order`) as written at an offset; `self`, `static` and `parent` stay."""
        if written.startswith("\\"):
            return written
        first, slash, rest = written.partition("\\")
        lower = first.lower()
        if not slash and lower in OWN_NAMES:
            return lower
        block = self.block(at)
        if lower == "namespace" and slash:
            return _absolute(block.namespace, rest)
        used = block.classes.get(lower)
        if used is not None:
            return f"\\{used}{slash}{rest}"
        return _absolute(block.namespace, written)

    def function_name(self, written: str, at: int) -> str:
        """A function's full name with "()"; one that is not qualified may as well be global: see modules."""
        if written.startswith("\\"):
            return f"{written}()"
        block = self.block(at)
        if "\\" in written:
            return f"{self.class_name(written, at)}()"
        used = block.functions.get(written.lower())
        return f"\\{used}" if used is not None else f"{_absolute(block.namespace, written)}()"

    def constant_name(self, written: str, at: int) -> str:
        """A constant's full name with "#"."""
        if written.startswith("\\"):
            return f"{written}#"
        block = self.block(at)
        if "\\" in written:
            return f"{self.class_name(written, at)}#"
        used = block.constants.get(written)
        return f"\\{used}" if used is not None else f"{_absolute(block.namespace, written)}#"

    # -------------------------------------------------------------------------------------------------- docblocks

    def docblock(self, start: int) -> tuple[int, str]:
        """The docblock that ends right before an offset, and where it starts; "" when there is none."""
        end = start
        while end and self.source[end - 1] in b" \t\r\n":
            end -= 1
        if self.source[max(0, end - 2) : end] != b"*/":
            return start, ""
        begin = self.source.rfind(b"/*", 0, end - 2)
        if begin < 0 or self.source[begin : begin + 3] != b"/**":
            return start, ""
        return begin, self.source[begin:end].decode("utf-8", "replace")


def _absolute(namespace: str, name: str) -> str:
    return f"\\{namespace}\\{name}" if namespace else f"\\{name}"


reading_of = one_for_each(Reading)

"""Declarations of a PHP file -> definitions and imports. No recursion: nesting is hostile."""

from __future__ import annotations

import re
from collections.abc import Iterator

import tree_sitter

from graph.facts import Definition, DefinitionKind, Import, Parameter
from graph.languages.php.grammar import decoded, query

_DECLARED = (
    "[(namespace_definition) (namespace_use_declaration) (class_declaration) (interface_declaration)"
    " (trait_declaration) (enum_declaration) (anonymous_class) (function_definition) (method_declaration)"
    " (const_declaration) (enum_case)] @declared"
)
_TYPE = rb"(?:(?:abstract|final|readonly)\s+)*(?:class|interface|trait|enum)\s+[\w\x80-\xff]"
_NESTED = (
    re.compile(rb"new\s+(?:readonly\s+)?class\b|new\s*\#\["),
    re.compile(rb"\n[ \t]+(?:function\s+&?\s*[\w\x80-\xff]|" + _TYPE + rb")"),
    re.compile(rb"[{};][ \t]*(?:function\s+&?\s*[\w\x80-\xff]|const\s|" + _TYPE + rb")"),
    re.compile(rb"\nnamespace\b[^;]*\{"),
)
"""What may declare something inside of a function, a condition or a block."""
_ON_TOP = frozenset(
    {
        "namespace_definition",
        "namespace_use_declaration",
        "class_declaration",
        "interface_declaration",
        "trait_declaration",
        "enum_declaration",
        "function_definition",
        "const_declaration",
    }
)
_IN_CLASSES = frozenset({"method_declaration", "const_declaration", "enum_case"})
_KINDS: dict[str, DefinitionKind] = {
    "class_declaration": "class",
    "interface_declaration": "interface",
    "trait_declaration": "trait",
    "enum_declaration": "enum",
    "anonymous_class": "class",
    "function_definition": "function",
    "method_declaration": "method",
    "enum_case": "constant",
}
_MODIFIERS = {
    "abstract_modifier": "abstract",
    "static_modifier": "static",
    "readonly_modifier": "readonly",
    "final_modifier": "final",
}
_BASES = ("base_clause", "class_interface_clause")
_NAMES = frozenset({"name", "qualified_name", "relative_name"})
PARAMETERS = frozenset({"simple_parameter", "variadic_parameter", "property_promotion_parameter"})
_IMPLICIT_NULL = re.compile(r"null\Z", re.IGNORECASE)
_CLASSES = frozenset({"class", "interface", "trait", "enum"})
ANONYMOUS = "class@"
"""What the name of a class without one begins with; its line follows."""


class Lines:
    """Line numbers of offsets, counted from the last one asked for."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._line = 1
        self._counted = 0

    def at(self, offset: int) -> int:
        """The 1-based line of an offset."""
        if offset >= self._counted:
            self._line += self._source.count(b"\n", self._counted, offset)
        else:
            self._line -= self._source.count(b"\n", offset, self._counted)
        self._counted = offset
        return self._line


class Declarations:
    """Collects the definitions and imports of one file, in source order.

    A type or function in a namespace other than the file's first is qualified with it (`Other\\Name`).
    """

    def __init__(self, source: bytes, root: tree_sitter.Node) -> None:
        self.definitions: list[Definition] = []
        self.imports: list[Import] = []
        self.package: str | None = None
        self._source = source
        self._lines = Lines(source)
        self._namespace = ""
        self._open: list[tuple[int, int]] = []  # (end, definition) around the place that is read
        for node in declared(source, root):
            start = node.start_byte
            while self._open and self._open[-1][0] <= start:
                self._open.pop()
            self._declaration(node, node.type)
        if self.package is None and self.definitions:
            self.package = ""

    def _text(self, node: tree_sitter.Node) -> str:
        return decoded(self._source[node.start_byte : node.end_byte])

    def _declaration(self, node: tree_sitter.Node, kind: str) -> None:
        if kind == "namespace_definition":
            name = node.child_by_field_name("name")
            self._namespace = self._text(name) if name is not None else ""
            if self.package is None and not self.definitions:
                self.package = self._namespace
        elif kind == "namespace_use_declaration":
            self.imports += imports_of(self._source, node, self._lines)
        elif kind == "const_declaration":
            self._constants(node)
        elif kind == "method_declaration" or kind == "function_definition":
            self._function(node, kind)
        elif kind == "enum_case":
            name = node.child_by_field_name("name")
            if name is not None:
                self._add(node, name, "constant", f"case {self._text(name)}", exported=True)
        else:
            self._class(node, kind)

    def _add(
        self,
        whole: tree_sitter.Node,
        name: tree_sitter.Node,
        kind: DefinitionKind,
        declaration: str,
        parameters: tuple[Parameter, ...] | None = None,
        returns: str | None = None,
        bases: tuple[str, ...] = (),
        decorators: tuple[str, ...] = (),
        modifiers: tuple[str, ...] = (),
        exported: bool = True,
        anonymous: bool = False,
    ) -> None:
        start, end, at = whole.start_byte, whole.end_byte, name.start_byte
        first = self._lines.at(start)
        line = self._lines.at(at)
        text = f"{ANONYMOUS}{line}" if anonymous else self._text(name)
        parent = self._open[-1][1] if self._open else -1
        if kind == "function" and parent >= 0:
            parent = -1  # a function in a function is one of the namespace, once that has run
        if parent >= 0:
            qualified = f"{self.definitions[parent].qualified}.{text}"
        elif self._namespace != (self.package or ""):
            qualified = f"{self._namespace}\\{text}"
        else:
            qualified = text
        self._open.append((end, len(self.definitions)))
        self.definitions.append(
            Definition(
                text,
                qualified,
                kind,
                start,
                end,
                at,
                line,
                first,
                line + self._source.count(b"\n", at, end),
                parent,
                declaration,
                parameters,
                returns,
                bases,
                decorators,
                modifiers,
                exported,
            )
        )

    def _head(self, node: tree_sitter.Node, body: tree_sitter.Node | None, start: int) -> str:
        """The declaration's text up to its body, without the attributes before it."""
        return decoded(self._source[start : body.start_byte if body is not None else node.end_byte].rstrip())

    def _function(self, node: tree_sitter.Node, kind: str) -> None:
        name = node.child_by_field_name("name")
        if name is None:
            return
        decorators: tuple[str, ...] = ()
        modifiers: list[str] = []
        start = node.start_byte
        body = result = listed = None
        cursor = node.walk()
        cursor.goto_first_child()
        while True:  # one step for each child is cheaper than asking for each field
            child = cursor.node
            assert child is not None
            what = child.type
            if what == "formal_parameters":
                listed = child
            elif what == "compound_statement":
                body = child
            elif what == "visibility_modifier":
                modifiers.append(self._text(child).lower())
            elif what == "attribute_list":
                decorators = attributes_of(self._source, child)
                start = child.end_byte
            elif what in _MODIFIERS:
                modifiers.append(_MODIFIERS[what])
            elif cursor.field_name == "return_type":
                result = child
            if not cursor.goto_next_sibling():
                break
        if decorators:
            start = _after_blanks(self._source, start)
        if kind == "method_declaration" and body is None and "abstract" not in modifiers:
            modifiers.append("abstract")
        self._add(
            node,
            name,
            "method" if kind == "method_declaration" else "function",
            self._head(node, body, start).rstrip(";"),
            parameters_of(self._source, listed),
            type_text(self._text(result)) if result is not None else None,
            (),
            decorators,
            tuple(each for each in modifiers if each not in ("public", "final")),
            "private" not in modifiers,
        )

    def _class(self, node: tree_sitter.Node, kind: str) -> None:
        anonymous = kind == "anonymous_class"
        name = node if anonymous else node.child_by_field_name("name")
        if name is None:
            return
        bases: list[str] = []
        decorators: tuple[str, ...] = ()
        modifiers: list[str] = []
        start = node.start_byte
        body = None
        for child in node.children:
            what = child.type
            if what in _BASES:
                bases += [self._text(each) for each in child.named_children if each.type in _NAMES]
            elif what == "declaration_list" or what == "enum_declaration_list":
                body = child
            elif what == "attribute_list":
                decorators = attributes_of(self._source, child)
                start = _after_blanks(self._source, child.end_byte)
            elif what in _MODIFIERS:
                modifiers.append(_MODIFIERS[what])
        for used in body.named_children if body is not None else ():
            if used.type == "use_declaration":
                bases += [self._text(each) for each in used.named_children if each.type in _NAMES]
        self._add(
            node,
            name,
            _KINDS[kind],
            self._head(node, body, start),
            None,
            None,
            tuple(bases),
            decorators,
            tuple(modifiers),
            not anonymous,
            anonymous,
        )

    def _constants(self, node: tree_sitter.Node) -> None:
        visibility = next((child for child in node.children if child.type == "visibility_modifier"), None)
        private = visibility is not None and self._text(visibility).lower() == "private"
        elements = [child for child in node.named_children if child.type == "const_element"]
        for element in elements:
            if element.named_child_count:
                name = element.named_children[0]
                whole = element if len(elements) > 1 else node
                modifiers = ("private",) if private else ()
                self._add(
                    whole, name, "constant", f"const {self._text(name)}", modifiers=modifiers, exported=not private
                )
                self._open.pop()


def declared(source: bytes, root: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """All declarations, in source order. Where none can be inside of code, those of the top and of its classes."""
    if root.has_error or any(pattern.search(source) is not None for pattern in _NESTED):
        found = tree_sitter.QueryCursor(query(_DECLARED)).captures(root).get("declared", [])
        yield from sorted(found, key=lambda node: (node.start_byte, -node.end_byte))
        return
    for node in root.named_children:
        kind = node.type
        if kind in _ON_TOP:
            yield node
            if kind in _KINDS and kind != "function_definition":
                for body in node.named_children[-1:]:
                    yield from (child for child in body.named_children if child.type in _IN_CLASSES)


def _after_blanks(source: bytes, at: int) -> int:
    while source[at : at + 1] in (b" ", b"\n", b"\t", b"\r"):
        at += 1
    return at


def attributes_of(source: bytes, listed: tree_sitter.Node) -> tuple[str, ...]:
    """The names of attributes (`#[Route('/x')]`), as written, without their arguments."""
    return tuple(
        decoded(source[attribute.named_children[0].start_byte : attribute.named_children[0].end_byte])
        for group in listed.named_children
        for attribute in group.named_children
        if attribute.type == "attribute" and attribute.named_child_count
    )


def type_text(written: str) -> str:
    """A written type in the one spelling in which it is compared: `?Foo` is `Foo|null`."""
    written = written.strip()
    return f"{written[1:].strip()}|null" if written.startswith("?") else written


def parameters_of(source: bytes, node: tree_sitter.Node | None) -> tuple[Parameter, ...]:
    """The parameters of a list. One that is taken by reference has a type that begins with "&"."""
    if node is None or node.named_child_count == 0:
        return ()
    found: list[Parameter] = []
    for child in node.named_children:
        kind = child.type
        if kind not in PARAMETERS:
            continue
        name = child.child_by_field_name("name")
        written = child.child_by_field_name("type")
        default = child.child_by_field_name("default_value")
        if name is None:
            continue
        text = type_text(decoded(source[written.start_byte : written.end_byte])) if written is not None else None
        value = decoded(source[default.start_byte : default.end_byte]) if default is not None else ""
        if text is not None and _IMPLICIT_NULL.match(value) and "null" not in text.lower() and text.lower() != "mixed":
            text += "|null"
        rest = kind == "variadic_parameter"
        between = source[written.end_byte if written is not None else child.start_byte : name.start_byte]
        if b"&" in between:
            text = f"&{text or ''}"
        label = decoded(source[name.start_byte : name.end_byte].rpartition(b"$")[2])
        found.append(Parameter(label, "rest" if rest else "positional", rest or default is not None, text))
    return tuple(found)


def imports_of(source: bytes, node: tree_sitter.Node, lines: Lines | None = None) -> list[Import]:
    """What a `use` brings in. The module is the whole name; that of a function ends in "()", of a constant in "#"."""
    found: list[Import] = []
    prefix = ""
    kind = _use_kind(node)
    lines = lines or Lines(source)
    clauses = list(node.named_children)
    body = node.child_by_field_name("body")
    if body is not None:
        first = next((child for child in node.named_children if child.type == "namespace_name"), None)
        prefix = decoded(source[first.start_byte : first.end_byte]) + "\\" if first is not None else ""
        clauses = list(body.named_children)
    for clause in clauses:
        if clause.type != "namespace_use_clause":
            continue
        name = next((child for child in clause.named_children if child.type in _NAMES), None)
        if name is None:
            continue
        alias = clause.child_by_field_name("alias")
        written = (prefix + decoded(source[name.start_byte : name.end_byte])).strip("\\")
        short = written.rpartition("\\")[2]
        local = decoded(source[alias.start_byte : alias.end_byte]) if alias is not None else short
        at = name.end_byte - len(short.encode())
        suffix = _use_kind(clause) or kind
        found.append(Import(written + suffix, short, local, at, lines.at(at), "import", None, False))
    return found


def _use_kind(node: tree_sitter.Node) -> str:
    for child in node.children:
        if child.type == "function":
            return "()"
        if child.type == "const":
            return "#"
    return ""


def is_class(definition: Definition) -> bool:
    """Whether it is a class, interface, trait or enum."""
    return definition.kind in _CLASSES

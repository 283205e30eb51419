"""Declarations of a Go file -> definitions and imports. No recursion: nesting is hostile."""

from __future__ import annotations

import re
from collections.abc import Iterator

import tree_sitter

from graph.facts import Definition, DefinitionKind, Import, Parameter
from graph.languages.go.grammar import decoded, query

_LOCAL_TYPES = "(block (statement_list (type_declaration) @type))"
_DECLARED = (
    "[(package_clause) (import_declaration) (function_declaration) (method_declaration) (type_declaration)"
    " (var_declaration) (const_declaration)] @declared"
)
_TYPE = re.compile(rb"type[ \t(]")
_EMPTY_INTERFACE = re.compile(r"\binterface\s*\{\s*\}")
_SPECS = frozenset({"type_spec", "type_alias"})


class Lines:
    """Line numbers of ascending offsets, counted as they are asked for."""

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


def top_level(source: bytes, root: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """The declarations of the file. In one that could not be read whole, those that begin a line, wherever they are."""
    if not root.has_error:
        yield from root.named_children
        return
    end = -1
    found = tree_sitter.QueryCursor(query(_DECLARED)).captures(root).get("declared", [])
    for node in sorted(found, key=lambda each: (each.start_byte, -each.end_byte)):
        start = node.start_byte
        if start >= end and (start == 0 or source[start - 1 : start] in (b"\n", b"\r")):
            yield node
            end = node.end_byte


def _may_have_local_types(source: bytes) -> bool:
    """Whether a type is declared that may be inside of a function: indented, or after another statement in its line."""
    for found in _TYPE.finditer(source):
        at = found.start()
        before = source[max(0, at - 200) : at].rstrip(b" \t")[-1:]
        if at and (before in (b";", b"{", b"}", b"") or (before == b"\n" and source[at - 1 : at] != b"\n")):
            return True
    return False


class Declarations:
    """Collects the definitions and imports of one file, in source order."""

    def __init__(self, source: bytes, root: tree_sitter.Node) -> None:
        self.definitions: list[Definition] = []
        self.imports: list[Import] = []
        self.package: str | None = None
        self._source = source
        self._lines = Lines(source)
        self._local = self._local_types(root)
        for node in top_level(source, root):
            self._declaration(node)

    def _local_types(self, root: tree_sitter.Node) -> list[tree_sitter.Node]:
        if not _may_have_local_types(self._source):
            return []
        found = tree_sitter.QueryCursor(query(_LOCAL_TYPES)).captures(root).get("type", [])
        return sorted(found, key=lambda node: -node.start_byte)

    def _text(self, node: tree_sitter.Node) -> str:
        return decoded(self._source[node.start_byte : node.end_byte])

    def _declaration(self, node: tree_sitter.Node) -> None:
        kind = node.type
        if kind in ("function_declaration", "method_declaration"):
            self._function(node)
        elif kind == "type_declaration":
            self._types(node, -1)
        elif kind in ("var_declaration", "const_declaration"):
            self._values(node, "variable" if kind == "var_declaration" else "constant")
        elif kind == "import_declaration":
            self._imports(node)
        elif kind == "package_clause":
            name = node.named_children[0] if node.named_child_count else None
            self.package = self._text(name) if name is not None and name.type == "package_identifier" else None

    def _add(
        self,
        whole: tree_sitter.Node,
        name: tree_sitter.Node,
        kind: DefinitionKind,
        declaration: str,
        parent: int = -1,
        parameters: tuple[Parameter, ...] | None = None,
        returns: str | None = None,
        bases: tuple[str, ...] = (),
        owner: str | None = None,
    ) -> int:
        start, end, at = whole.start_byte, whole.end_byte, name.start_byte
        text = self._text(name)
        around = self.definitions[parent].qualified if parent >= 0 else owner
        first = self._lines.at(start)
        line = self._lines.at(at)
        self.definitions.append(
            Definition(
                text,
                f"{around}.{text}" if around is not None else text,
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
                (),
                (),
                is_exported(text),
                owner,
            )
        )
        return len(self.definitions) - 1

    # -------------------------------------------------------------------------------------------------- functions

    def _function(self, node: tree_sitter.Node) -> None:
        name = node.child_by_field_name("name")
        if name is None:
            return
        body = node.child_by_field_name("body")
        receiver = node.child_by_field_name("receiver")
        end = body.start_byte if body is not None else node.end_byte
        index = self._add(
            node,
            name,
            "function" if receiver is None else "method",
            decoded(self._source[node.start_byte : end].rstrip()),
            -1,
            parameters_of(self._source, node.child_by_field_name("parameters")),
            results_of(self._source, node.child_by_field_name("result")),
            (),
            receiver_type(self._source, receiver) if receiver is not None else None,
        )
        while self._local and self._local[-1].start_byte < node.end_byte:
            inner = self._local.pop()
            if inner.start_byte >= node.start_byte:
                self._types(inner, index)

    # ------------------------------------------------------------------------------------------------------ types

    def _types(self, node: tree_sitter.Node, parent: int) -> None:
        specs = [child for child in node.named_children if child.type in _SPECS]
        for spec in specs:
            grouped = len(specs) > 1 or any(child.type == "(" for child in node.children[1:2])
            self._type(spec, spec if grouped else node, parent)

    def _type(self, spec: tree_sitter.Node, whole: tree_sitter.Node, parent: int) -> None:
        name, written = spec.child_by_field_name("name"), spec.child_by_field_name("type")
        if name is None or written is None:
            return
        kind: DefinitionKind = "type"
        bases: tuple[str, ...] = ()
        head = decoded(self._source[spec.start_byte : written.start_byte])
        declaration = f"type {self._text(spec)}"
        if spec.type == "type_spec" and written.type == "struct_type":
            kind = "class"
            bases = tuple(self._text(each) for each in embedded(written))
            declaration = f"type {head}struct"
        elif spec.type == "type_spec" and written.type == "interface_type":
            kind = "interface"
            bases = tuple(self._text(each) for each in written.named_children if each.type == "type_elem")
        index = self._add(whole, name, kind, declaration, parent, bases=bases)
        if kind == "interface":
            for element in written.named_children:
                if element.type in ("method_elem", "method_spec"):
                    self._method(element, index)

    def _method(self, node: tree_sitter.Node, parent: int) -> None:
        name = node.child_by_field_name("name")
        if name is None:
            return
        self._add(
            node,
            name,
            "method",
            self._text(node),
            parent,
            parameters_of(self._source, node.child_by_field_name("parameters")),
            results_of(self._source, node.child_by_field_name("result")),
        )

    # ----------------------------------------------------------------------------------------------------- values

    def _values(self, node: tree_sitter.Node, kind: DefinitionKind) -> None:
        grouped = False
        pending = list(reversed(node.named_children))
        while pending:
            spec = pending.pop()
            if spec.type == "var_spec_list":
                grouped = True
                pending.extend(reversed(spec.named_children))
            elif spec.type in ("var_spec", "const_spec"):
                grouped = grouped or node.children[1].type == "("
                self._value(spec, spec if grouped else node, kind)

    def _value(self, spec: tree_sitter.Node, whole: tree_sitter.Node, kind: DefinitionKind) -> None:
        names = [each for each in spec.children_by_field_name("name") if each.type == "identifier"]
        written = spec.child_by_field_name("type")
        value = spec.child_by_field_name("value")
        values = value.named_children if value is not None else []
        word = "var" if kind == "variable" else "const"
        for position, name in enumerate(names):
            text = self._text(name)
            if text == "_":
                continue
            parameters: tuple[Parameter, ...] | None = None
            returns: str | None = None
            declaration = f"{word} {text}" + (f" {self._text(written)}" if written is not None else "")
            made = values[position] if len(values) == len(names) else None
            if written is not None and written.type == "function_type":
                parameters = parameters_of(self._source, written.child_by_field_name("parameters"))
                returns = results_of(self._source, written.child_by_field_name("result"))
            elif made is not None and made.type == "func_literal":
                parameters = parameters_of(self._source, made.child_by_field_name("parameters"))
                returns = results_of(self._source, made.child_by_field_name("result"))
                body = made.child_by_field_name("body")
                end = body.start_byte if body is not None else made.end_byte
                declaration += " = " + decoded(self._source[made.start_byte : end].rstrip())
            self._add(whole, name, kind, declaration, -1, parameters, returns)

    # ---------------------------------------------------------------------------------------------------- imports

    def _imports(self, node: tree_sitter.Node) -> None:
        pending = list(reversed(node.named_children))
        while pending:
            spec = pending.pop()
            if spec.type == "import_spec_list":
                pending.extend(reversed(spec.named_children))
                continue
            path = spec.child_by_field_name("path") if spec.type == "import_spec" else None
            if path is None:
                continue
            module = self._text(path)[1:-1]
            name = spec.child_by_field_name("name")
            local = self._text(name) if name is not None else ("C" if module == "C" else None)
            star = local == "."
            self.imports.append(
                Import(
                    module,
                    "*" if star else None,
                    None if star else local,
                    spec.start_byte,
                    self._lines.at(path.start_byte),
                    "star" if star else "import",
                )
            )


def is_exported(name: str) -> bool:
    """Whether other packages can name it."""
    return name[:1].isupper()


def embedded(structure: tree_sitter.Node) -> list[tree_sitter.Node]:
    """The types of a struct's embedded fields."""
    found = []
    for fields in structure.named_children:
        for field in fields.named_children if fields.type == "field_declaration_list" else ():
            if field.type == "field_declaration" and field.child_by_field_name("name") is None:
                written = field.child_by_field_name("type")
                if written is not None:
                    found.append(written)
    return found


def receiver_type(source: bytes, receiver: tree_sitter.Node) -> str:
    """The name of the type that a receiver (`(s *Store[K])`) is of; "" when it cannot be told."""
    declared = next((child for child in receiver.named_children if child.type == "parameter_declaration"), None)
    node = declared.child_by_field_name("type") if declared is not None else None
    for _ in range(8):
        if node is None or node.type == "type_identifier":
            break
        node = node.child_by_field_name("type") or (node.named_children[0] if node.named_child_count else None)
    return decoded(source[node.start_byte : node.end_byte]) if node is not None else ""


def parameters_of(source: bytes, node: tree_sitter.Node | None) -> tuple[Parameter, ...]:
    """The parameters of a list, one for each name; one without a name is called "_"."""
    if node is None or node.named_child_count == 0:
        return ()
    found: list[Parameter] = []
    for child in node.named_children:
        kind = child.type
        if kind not in ("parameter_declaration", "variadic_parameter_declaration"):
            continue
        written = child.child_by_field_name("type")
        text = _type_text(source, written) if written is not None else None
        rest = kind == "variadic_parameter_declaration"
        names = [decoded(source[n.start_byte : n.end_byte]) for n in child.children_by_field_name("name")] or ["_"]
        found += [Parameter(name, "rest" if rest else "positional", rest, text) for name in names]
    return tuple(found)


def results_of(source: bytes, node: tree_sitter.Node | None) -> str:
    """The types of a result list, as `(int, error)`, or, of a single one, `int`; without names, for these are no part
    of the signature. `()` for none."""
    if node is None:
        return "()"
    if node.type != "parameter_list":
        return _type_text(source, node)
    types: list[str] = []
    for child in node.named_children:
        written = child.child_by_field_name("type") if child.type == "parameter_declaration" else None
        if written is not None:
            types += [_type_text(source, written)] * max(1, len(child.children_by_field_name("name")))
    return types[0] if len(types) == 1 else f"({', '.join(types)})"


def _type_text(source: bytes, node: tree_sitter.Node) -> str:
    """A written type in its own words; `interface{}` is `any`."""
    text = decoded(source[node.start_byte : node.end_byte])
    return _EMPTY_INTERFACE.sub("any", text) if "interface" in text else text

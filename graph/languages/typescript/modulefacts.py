"""What a file imports and exports, ES modules and CommonJS."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from tree_sitter import Node

from graph.facts import Export, Import, ImportKind
from graph.languages.typescript import declarations as said

if TYPE_CHECKING:
    pass


class ModuleFacts:
    """The imports and exports found so far."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.imports: list[Import] = []
        self.exports: list[Export] = []

    def add(
        self, module: str, name: str | None, local: str | None, place: Node, kind: ImportKind = "import",
        exported_as: str | None = None, top: bool = True,
    ) -> None:  # fmt: skip
        """Add an import whose name stands at `place`."""
        at = place.start_byte + (1 if place.type == "string" else 0)
        self.imports.append(Import(module, name, local, at, place.start_point.row + 1, kind, exported_as, top))


class ExportSaid(NamedTuple):
    """What an export statement says of the declaration that it wraps: exported 0 (a list), 1 or 2 (default)."""

    exported: int
    default: Node | None = None
    value: Node | None = None


def string_value(source: bytes, node: Node | None) -> str | None:
    """The text of a string literal (or a template string without substitutions), None for anything else."""
    if node is None:
        return None
    if node.type == "template_string":
        if any(child.type != "string_fragment" for child in node.named_children):
            return None
    elif node.type != "string":
        return None
    return source[node.start_byte + 1 : node.end_byte - 1].decode("utf-8", "replace")


_PLAIN_IMPORT = re.compile(
    rb"import\s+(?P<type>type\s+)?(?:(?P<default>[A-Za-z_$][\w$]*)\s*,?\s*)?"
    rb"(?:\{(?P<names>[^{}/]*)\}|\*\s*as\s+(?P<star>[A-Za-z_$][\w$]*))?\s*\bfrom\s*(?P<quote>[\"'])(?P<module>[^\"'\\\n]+)"
    rb"(?P=quote)\s*;?\Z"
)
_PLAIN_NAME = re.compile(
    rb"\s*(?P<type>type\s+(?!as\s))?(?P<name>[A-Za-z_$][\w$]*)(?:\s+as\s+(?P<local>[A-Za-z_$][\w$]*))?\s*(?:,|\Z)"
)


def import_statement(module: ModuleFacts, node: Node) -> None:
    """Add what an `import` statement brings in."""
    start = node.start_byte
    plain = _PLAIN_IMPORT.match(module.source[start : node.end_byte])
    if plain is None or not _plain_import(module, plain, start, node.start_point.row + 1):
        _any_import(module, node)


def _plain_import(module: ModuleFacts, plain: re.Match[bytes], start: int, line: int) -> bool:
    """Add an import statement in its usual form, read by pattern: most are, and nodes cost ten times as much."""
    default, names, star = plain["default"], plain["names"], plain["star"]
    path = plain["module"].decode("utf-8", "replace")
    whole: ImportKind = "type" if plain["type"] is not None else "import"
    found: list[Import] = []
    if names is not None:
        base = plain.start("names")
        reached, size = 0, len(names.rstrip())
        while reached < size:
            each = _PLAIN_NAME.match(names, reached)
            if each is None:
                return False
            reached = each.end()
            at = base + each.start("name")
            name = each["name"].decode()
            local = name if each["local"] is None else each["local"].decode()
            kind: ImportKind = "type" if each["type"] is not None else whole
            row = line + plain.string.count(b"\n", 0, at)
            found.append(Import(path, name, local, start + at, row, kind))
        if not found and default is None:
            return False
    elif default is None and star is None:
        return False
    if default is not None:
        at = plain.start("default")
        row = line + plain.string.count(b"\n", 0, at)
        module.imports.append(Import(path, "default", default.decode(), start + at, row, whole))
    if star is not None:
        at = plain.start("star")
        row = line + plain.string.count(b"\n", 0, at)
        module.imports.append(Import(path, None, star.decode(), start + at, row, whole))
    module.imports.extend(found)
    return True


def _any_import(module: ModuleFacts, node: Node) -> None:
    source = module.source
    specifier = node.child_by_field_name("source")
    clause: Node | None = None
    whole: ImportKind = "import"
    for child in node.children:
        if child.type in ("type", "typeof"):
            whole = "type"
        elif child.type == "import_clause":
            clause = child
        elif child.type == "import_require_clause":
            name, required = child.named_child(0), string_value(source, child.child_by_field_name("source"))
            if name is not None and required is not None:
                module.add(required, None, said.text(source, name), name, whole)
            return
    path = string_value(source, specifier)
    if path is None or specifier is None:
        return
    if clause is None:
        module.add(path, None, None, specifier)
        return
    for child in clause.named_children:
        if child.type == "identifier":
            module.add(path, "default", said.text(source, child), child, whole)
        elif child.type == "namespace_import":
            name = child.named_child(0)
            if name is not None:
                module.add(path, None, said.text(source, name), name, whole)
        elif child.type == "named_imports":
            if not child.named_child_count:
                module.add(path, None, None, specifier, whole)
            for each in child.named_children:
                named = each.child_by_field_name("name")
                if each.type != "import_specifier" or named is None:
                    continue
                alias = each.child_by_field_name("alias") or named
                first = each.child(0)
                kind: ImportKind = "type" if first is not None and first.type in ("type", "typeof") else whole
                module.add(path, exported_name(source, named), said.text(source, alias), named, kind)


def exported_name(source: bytes, node: Node) -> str:
    """A specifier's name, which may be a string."""
    return string_value(source, node) or said.text(source, node)


def export_statement(module: ModuleFacts, node: Node, in_module: bool) -> ExportSaid:
    """Add what an `export` statement passes on; a declaration in it is left to the sweep's definitions.

    `in_module`: false inside a namespace, whose exports are not the file's.
    """
    source = module.source
    specifier = string_value(source, node.child_by_field_name("source"))
    exported = 1
    whole: ImportKind = "import"
    default: Node | None = None
    for child in node.children:
        kind = child.type
        if kind == "default":
            exported, default = 2, child
        elif kind == "type":
            whole = "type"
        elif kind == "export_clause":
            if in_module:
                _export_list(module, child, specifier, whole)
            return ExportSaid(0)
        elif kind == "namespace_export" and specifier is not None:
            name = child.named_child(0)
            if name is not None:
                module.add(specifier, None, None, name, whole, exported_name(source, name))
            return ExportSaid(0)
        elif kind == "namespace":  # export as namespace X
            return ExportSaid(0)
        elif kind == "=":
            value = child.next_named_sibling
            if value is not None and in_module:
                named = value.type == "identifier"
                module.exports.append(Export("=", said.text(source, value) if named else None, value.start_byte))
            return ExportSaid(0)
    if specifier is not None:
        place = node.child_by_field_name("source")
        if place is not None:
            module.add(specifier, None, None, place, "star", "*")
        return ExportSaid(0)
    declared = node.child_by_field_name("declaration")
    if declared is not None:
        if in_module:
            _export_declared(module, declared, exported)
        return ExportSaid(exported)
    value = node.child_by_field_name("value")
    if value is None or default is None:
        return ExportSaid(0)
    if value.type == "identifier":
        module.exports.append(Export("default", said.text(source, value), value.start_byte))
        return ExportSaid(0)
    module.exports.append(Export("default", None, value.start_byte))
    return ExportSaid(2, default, value)


def _export_list(module: ModuleFacts, clause: Node, specifier: str | None, whole: ImportKind) -> None:
    source = module.source
    for each in clause.named_children:
        name = each.child_by_field_name("name")
        if each.type != "export_specifier" or name is None:
            continue
        alias = each.child_by_field_name("alias") or name
        if specifier is None:
            module.exports.append(Export(exported_name(source, alias), said.text(source, name), name.start_byte))
            continue
        first = each.child(0)
        kind: ImportKind = "type" if first is not None and first.type == "type" else whole
        exported = exported_name(source, alias)
        module.add(specifier, exported_name(source, name), None, name, kind, exported)


def _export_declared(module: ModuleFacts, declared: Node, exported: int) -> None:
    """The names that an exported declaration gives; several for `export const a = 1, { b } = c`."""
    source = module.source
    if declared.type == "ambient_declaration":
        inner = declared.named_child(declared.named_child_count - 1)
        if inner is None:
            return
        declared = inner
    if declared.type in ("lexical_declaration", "variable_declaration"):
        for declarator in declared.named_children:
            pattern = declarator.child_by_field_name("name")
            if pattern is not None:
                for each in pattern_names(pattern):
                    module.exports.append(Export(said.text(source, each), said.text(source, each), each.start_byte))
        return
    name: Node | None = declared.child_by_field_name("name")
    if name is None and declared.type == "import_alias":
        name = declared.named_child(0)
    while name is not None and name.type == "nested_identifier":
        name = name.child_by_field_name("object")
    if name is None:
        return
    text = said.text(source, name)
    module.exports.append(Export("default" if exported == 2 else text, text, name.start_byte))


def pattern_names(pattern: Node) -> list[Node]:
    """The identifiers that a destructuring pattern binds."""
    found: list[Node] = []
    pending = [pattern]
    while pending:
        node = pending.pop()
        kind = node.type
        if kind in ("identifier", "shorthand_property_identifier_pattern"):
            found.append(node)
        elif kind == "pair_pattern":
            value = node.child_by_field_name("value")
            if value is not None:
                pending.append(value)
        elif kind in ("assignment_pattern", "object_assignment_pattern"):
            left = node.child_by_field_name("left")
            if left is not None:
                pending.append(left)
        elif kind in ("object_pattern", "array_pattern", "rest_pattern"):
            pending.extend(reversed(node.named_children))
    return found

"""What a file imports and exports, ES modules and CommonJS."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from tree_sitter import Node

from graph.facts import Export, Import, ImportKind
from graph.languages.typescript import declarations as said

if TYPE_CHECKING:
    from graph.languages.typescript.definitions import Sweep

_MOCKS = {"mock", "unmock", "doMock", "requireActual", "requireMock", "importActual", "importMock"}
TELLING = frozenset(word.encode() for word in (*_MOCKS, "require", "exports"))
"""Words whose places `common_js` asks for."""
"""Methods of jest and vitest whose first argument is a module."""
MOST_USES = 1000
"""Uses of `require` and `exports` that are looked at in one file: each costs a way down from the root."""


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
                module.add(path, _exported_name(source, named), said.text(source, alias), named, kind)


def _exported_name(source: bytes, node: Node) -> str:
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
                module.add(specifier, None, None, name, whole, _exported_name(source, name))
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
            module.exports.append(Export(_exported_name(source, alias), said.text(source, name), name.start_byte))
            continue
        first = each.child(0)
        kind: ImportKind = "type" if first is not None and first.type == "type" else whole
        exported = _exported_name(source, alias)
        module.add(specifier, _exported_name(source, name), None, name, kind, exported)


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


def dynamic_imports(module: ModuleFacts, calls: Sequence[Node], closed: list[tuple[int, int]]) -> None:
    """Add every `import('x')`, in types too."""
    for call in calls:
        arguments = call.child_by_field_name("arguments")
        first = None if arguments is None else arguments.named_child(0)
        specifier = string_value(module.source, first)
        if specifier is not None and first is not None:
            top = not _inside(closed, call.start_byte)
            pattern = None if top else _taken_apart(call)
            if pattern is None or not _required_names(module, pattern, specifier, top):
                module.add(specifier, None, None, first, "dynamic", None, top)


def _taken_apart(call: Node) -> Node | None:
    """The pattern of `const {...} = await import('x')`, which imports names for the function that it stands in."""
    waits = call.parent
    declarator = waits.parent if waits is not None and waits.type == "await_expression" else None
    if declarator is None or declarator.type != "variable_declarator":
        return None
    pattern = declarator.child_by_field_name("name")
    return pattern if pattern is not None and pattern.type == "object_pattern" else None


def imports_whole(source: bytes, value: Node) -> bool:
    """Whether a variable's value is `require("x")` or `require("x").y`, which make the variable an import."""
    if not source.startswith(b"require", value.start_byte):
        return False
    call: Node | None = value
    if value.type == "member_expression":
        call = value.child_by_field_name("object")
    if call is None or call.type != "call_expression":
        return False
    callee, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    if callee is None or callee.type != "identifier" or source[callee.start_byte : callee.end_byte] != b"require":
        return False
    return arguments is not None and string_value(source, arguments.named_child(0)) is not None


def is_imported_name(pattern: Node, name: Node) -> bool:
    """Whether `const {...} = require("x")` imports that name: it takes a property of the module as it is."""
    for each in pattern.named_children:
        if not each.start_byte <= name.start_byte < each.end_byte:
            continue
        if each.type == "pair_pattern":
            value = each.child_by_field_name("value")
            if value is not None and value.type == "assignment_pattern":
                value = value.child_by_field_name("left")
            return value == name
        return each.type in ("shorthand_property_identifier_pattern", "object_assignment_pattern")
    return False


def _inside(closed: list[tuple[int, int]], at: int) -> bool:
    """Whether an offset lies in one of the ranges, which are in order and apart."""
    index = bisect_right(closed, (at, 1 << 60)) - 1
    return index >= 0 and closed[index][0] <= at < closed[index][1]


def common_js(module: ModuleFacts, root: Node, places: dict[str, list[int]], sweep: Sweep) -> None:
    """Add what `require`, `exports` and `module.exports` say, by where these words stand."""
    for at in places.get("require", ())[:MOST_USES]:
        _require(module, root, at, not _inside(sweep.closed, at))
    for mock in sorted(_MOCKS & places.keys()):
        for at in places[mock][:MOST_USES]:
            _mock(module, root, at, sweep.closed)
    for at in places.get("exports", ())[:MOST_USES]:
        _exports(module, root, at, sweep)


def _ancestor(root: Node, at: int, end: int, kind: str, most: int) -> Node | None:
    node = root.descendant_for_byte_range(at, end)
    for _ in range(most):
        if node is None or node.type == kind:
            return node
        node = node.parent
    return None


def _specifier(module: ModuleFacts, call: Node) -> tuple[str | None, Node | None]:
    arguments = call.child_by_field_name("arguments")
    first = None if arguments is None else arguments.named_child(0)
    return string_value(module.source, first), first


def _mock(module: ModuleFacts, root: Node, at: int, closed: list[tuple[int, int]]) -> None:
    call = _ancestor(root, at, at + 1, "call_expression", 3)
    callee = None if call is None else call.child_by_field_name("function")
    if call is None or callee is None or callee.type != "member_expression":
        return
    if module.source[callee.start_byte : callee.start_byte + 3] not in (b"jes", b"vi."):
        return
    specifier, first = _specifier(module, call)
    if specifier is not None and first is not None:
        module.add(specifier, None, None, first, "dynamic", None, not _inside(closed, at))


def _require(module: ModuleFacts, root: Node, at: int, top: bool) -> None:
    """One `require(...)`: what it binds depends on the statement around it."""
    source = module.source
    call = _ancestor(root, at, at + 7, "call_expression", 2)
    callee = None if call is None else call.child_by_field_name("function")
    if call is None or callee is None or callee.start_byte != at or callee.type != "identifier":
        return
    specifier, first = _specifier(module, call)
    if specifier is None or first is None:
        return
    member: Node | None = None
    around = call.parent
    while around is not None and around.type in said.WRAPPERS:
        around = around.parent
    if around is not None and around.type == "member_expression":
        member = around.child_by_field_name("property")
        around = around.parent
    kind = "" if around is None else around.type
    if around is not None and kind == "variable_declarator":
        name = around.child_by_field_name("name")
        if name is not None and name.type == "identifier":
            module.add(specifier, None if member is None else said.text(source, member), said.text(source, name), name,
                       "import", None, top)  # fmt: skip
            return
        if name is not None and name.type == "object_pattern" and member is None:
            if not _required_names(module, name, specifier, top):
                module.add(specifier, None, None, first, "dynamic", None, top)
            return
    if kind == "expression_statement" and member is None:
        module.add(specifier, None, None, first, "import", None, top)
        return
    if around is not None and kind == "spread_element" and member is None:
        target = around.parent.parent if around.parent is not None else None
        left = None if target is None else target.child_by_field_name("left")
        if left is not None and said.text(source, left) in ("module.exports", "exports"):
            module.add(specifier, None, None, first, "star", "*", top)
            return
    if around is not None and kind == "assignment_expression":
        left = around.child_by_field_name("left")
        target_text = "" if left is None else said.text(source, left)
        if target_text.startswith(("exports.", "module.exports.")):
            exported = target_text.rsplit(".", 1)[1]
            module.add(
                specifier, None if member is None else said.text(source, member), None, first, "import", exported
            )
            return
        if target_text == "module.exports" and member is None:
            module.add(specifier, None, None, first, "import", "=")
            return
    module.add(specifier, None, None, first, "dynamic", None, top)


def _required_names(module: ModuleFacts, pattern: Node, specifier: str, top: bool) -> bool:
    """`const {a, b: c, ...d} = require('x')`; false when it binds nothing that an import can say."""
    source = module.source
    count = len(module.imports)
    for each in pattern.named_children:
        if each.type == "object_assignment_pattern":
            each = each.child_by_field_name("left") or each
        if each.type == "shorthand_property_identifier_pattern":
            module.add(specifier, said.text(source, each), said.text(source, each), each, "import", None, top)
        elif each.type == "pair_pattern":
            key, value = each.child_by_field_name("key"), each.child_by_field_name("value")
            if value is not None and value.type == "assignment_pattern":
                value = value.child_by_field_name("left")
            if key is not None and value is not None and value.type == "identifier":
                module.add(specifier, _exported_name(source, key), said.text(source, value), key, "import", None, top)
    return len(module.imports) > count


def _exports(module: ModuleFacts, root: Node, at: int, sweep: Sweep) -> None:
    """`exports.x = ...`, `module.exports = ...`, `module.exports.x = ...`."""
    source = module.source
    node = root.descendant_for_byte_range(at, at + 7)
    if node is None:
        return
    parent = node.parent
    target = node
    if node.type == "property_identifier":
        if parent is None or parent.type != "member_expression":
            return
        of = parent.child_by_field_name("object")
        if of is None or said.text(source, of) != "module":
            return
        target, parent = parent, parent.parent
    elif node.type != "identifier":
        return
    if parent is None:
        return
    name: Node | None = None
    if parent.type == "member_expression":
        name = parent.child_by_field_name("property")
        target, parent = parent, parent.parent
        if name is None or parent is None:
            return
    if parent.type != "assignment_expression":
        return
    left = parent.child_by_field_name("left")
    if left is None or left.start_byte != target.start_byte or left.end_byte != target.end_byte:
        return
    value = said.unwrapped(parent.child_by_field_name("right"))
    for _ in range(20):
        if value is None or value.type != "assignment_expression":
            break
        value = said.unwrapped(value.child_by_field_name("right"))
    if value is None or (node.type == "identifier" and name is None):
        # `exports = x` alone changes nothing for other files; `exports = module.exports = x` is found at the other.
        return
    if name is not None:
        local = said.text(source, value) if value.type == "identifier" else None
        module.exports.append(Export(said.text(source, name), local, value.start_byte))
        return
    local = said.text(source, value) if value.type == "identifier" else None
    module.exports.append(Export("=", local, value.start_byte))
    if value.type == "object":
        _exported_object(module, value)


def _exported_object(module: ModuleFacts, value: Node) -> None:
    source = module.source
    for each in value.named_children:
        kind = each.type
        if kind == "shorthand_property_identifier":
            name = said.text(source, each)
            module.exports.append(Export(name, name, each.start_byte))
        elif kind == "pair":
            key, inner = each.child_by_field_name("key"), said.unwrapped(each.child_by_field_name("value"))
            if key is not None and inner is not None and key.type in ("property_identifier", "string"):
                local = said.text(source, inner) if inner.type == "identifier" else None
                module.exports.append(Export(_exported_name(source, key), local, inner.start_byte))
        elif kind == "method_definition":
            named = each.child_by_field_name("name")
            if named is not None:
                module.exports.append(Export(_exported_name(source, named), None, each.start_byte))

"""What a file imports by calls (`require`, `import()`, mocks in tests), and what CommonJS exports."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tree_sitter import Node

from graph.facts import Export
from graph.languages.typescript import declarations as said
from graph.languages.typescript.modulefacts import ModuleFacts, exported_name, string_value

if TYPE_CHECKING:
    from graph.languages.typescript.definitions import Sweep

_MOCKS = {"mock", "unmock", "doMock", "requireActual", "requireMock", "importActual", "importMock"}
"""Methods of jest and vitest whose first argument is a module."""
TELLING = frozenset(word.encode() for word in (*_MOCKS, "require", "exports"))
"""Words whose places `common_js` asks for."""
MOST_USES = 1000
"""Uses of `require` and `exports` that are looked at in one file: each costs a way down from the root."""


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
                module.add(specifier, exported_name(source, key), said.text(source, value), key, "import", None, top)
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
                module.exports.append(Export(exported_name(source, key), local, inner.start_byte))
        elif kind == "method_definition":
            named = each.child_by_field_name("name")
            if named is not None:
                module.exports.append(Export(exported_name(source, named), None, each.start_byte))

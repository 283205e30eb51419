"""The sweep that puts a file's captured regions back into their nesting and drafts its definitions.

A *frame* is a captured region that is open at the current place. A *draft* is a definition in the making: what is
exported or overloaded is only known at the end of the file.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field

from tree_sitter import Node

from graph.facts import DefinitionKind, Parameter
from graph.languages.typescript import declarations as said
from graph.languages.typescript.commonjs import imports_whole, is_imported_name
from graph.languages.typescript.modulefacts import ModuleFacts, export_statement, pattern_names

MODULE, WRAP, FUNCTION, CLASS, INTERFACE, ALIAS, NAMESPACE, VALUE, OBJECT, TYPE, BLOCK = range(11)

_ASSIGNED = re.compile(
    rb"(?:(?P<module>module\s*\.\s*exports|exports)|(?P<object>[\w$]+)(?P<prototype>\s*\.\s*prototype)?)"
    rb"(?:\s*\.\s*(?P<name>[\w$]+))?\Z"
)
_HOLDERS = frozenset({*said.FUNCTION_VALUES, *said.WRAPPERS, "class", "call_expression"})
_HOOKS = (b"useCallback", b"React.useCallback")


@dataclass(slots=True)
class Draft:
    """A definition whose parent is a draft's index; see `graph.facts.Definition`."""

    name: str
    kind: DefinitionKind
    start: int
    end: int
    at: int
    line: int
    first_line: int
    end_line: int
    parent: int
    declaration: str = ""
    path: str = ""
    parameters: tuple[Parameter, ...] | None = None
    returns: str | None = None
    bases: tuple[str, ...] = ()
    decorators: tuple[str, ...] = ()
    modifiers: list[str] = field(default_factory=list)
    exported: bool = False
    member: bool = False
    signature: bool = False
    must_overload: bool = False
    owner_name: str = ""
    """For `X.y = function`: the name of its parent, looked up at the end."""


class Frame:
    """An open region. `owner`: the draft that holds what follows. `local`: names in it are not module-level.

    `start`, `exported` (1, 2 for default) and `declare` are of the statement that wraps a declaration. `value_start` is
    where the value begins that `draft` (or else `path`) names.
    """

    __slots__ = (
        "body",
        "constant", "declare", "draft", "end", "exported", "function", "holder", "kind", "local",
        "owner", "path", "pending", "single", "start", "value_start",
    )  # fmt: skip

    def __init__(self, kind: int, start: int, end: int, owner: int, local: bool, function: bool) -> None:
        self.kind = kind
        self.start = start
        self.end = end
        self.owner = owner
        self.local = local
        self.function = function
        self.exported = 0
        self.declare = False
        self.constant = False
        self.single = True
        self.value_start = -1
        self.body = 0
        self.pending: Node | None = None
        self.holder: Frame | None = None
        self.draft = -1
        self.path = ""


class Sweep:
    """One pass over captures in source order, outer before inner: each handler takes (open frame, node, start, end)."""

    def __init__(self, source: bytes, module: ModuleFacts, jsx: list[int]) -> None:
        self.source = source
        self.module = module
        self.jsx = jsx
        self.drafts: list[Draft] = []
        self.by_name: dict[tuple[int, str], int] = {}
        """(parent, name) -> the first draft of that name."""
        self.local_names: set[str] = set()
        self.closed: list[tuple[int, int]] = []
        self.stack = [Frame(MODULE, 0, 1 << 60, -1, False, False)]
        self._decorators: list[Node] = []

    # -- the stack -------------------------------------------------------------------------------------------------

    def _push(self, kind: int, start: int, end: int, owner: int, local: bool, function: bool) -> Frame:
        if local and not self.stack[-1].local:
            self.closed.append((start, end))
        frame = Frame(kind, start, end, owner, local, function)
        frame.declare = self.stack[-1].declare
        self.stack.append(frame)
        return frame

    def _draft(
        self, node: Node, top: Frame, name: Node | None, kind: DefinitionKind, body: int, wrapped: bool = True,
        longest: int = said.LONGEST_DECLARATION,
    ) -> int:  # fmt: skip
        """Draft what `node` declares; `body` is where its declaration text ends, of which `longest` bytes are kept.
        Returns its index."""
        source = self.source
        start, end = node.start_byte, node.end_byte
        decorators: tuple[str, ...] = ()
        after = start
        if source[start : start + 1] == b"@":
            own = said.own_decorators(node)
            if own:
                decorators = tuple(said.decorator_text(source, each) for each in own)
                after = own[-1].end_byte
        first_line = node.start_point.row + 1
        exported = False
        modifiers: list[str] = []
        if wrapped and top.kind == WRAP:
            if top.single and top.start < start:
                first_line -= source.count(b"\n", top.start, start)
                if after == start:
                    after = top.start
                start = top.start
                if source[start : start + 1] == b"@" and self._decorators:
                    decorators = tuple(said.decorator_text(source, each) for each in self._decorators) + decorators
                    after = max(after, self._decorators[-1].end_byte)
            if top.single:
                end = max(end, top.end)
            exported = top.exported > 0
            if top.declare:
                modifiers.append("declare")
        elif top.kind == NAMESPACE and top.declare:
            exported = True
        if top.local:
            modifiers.append("local")
        named = node if name is None else name
        at = named.start_byte
        if name is not None and name.type == "string":
            at += 1
        draft = Draft(
            name=self._name(name),
            kind=kind,
            start=start,
            end=end,
            at=at,
            line=named.start_point.row + 1,
            first_line=first_line,
            end_line=node.end_point.row + 1,
            parent=top.owner,
            declaration=said.declaration(source, after, body, longest),
            decorators=decorators,
            modifiers=modifiers,
            exported=exported,
        )
        self.drafts.append(draft)
        self.by_name.setdefault((draft.parent, draft.name), len(self.drafts) - 1)
        return len(self.drafts) - 1

    def _name(self, name: Node | None) -> str:
        if name is None:
            return "(anonymous)"
        text = said.text(self.source, name)
        if text[:1] in "\"'`" and len(text) > 1:
            return text[1:-1]
        return text

    def _callable(self, draft: Draft, function: Node) -> None:
        """Fill in what a function says of its parameters and result."""
        parameters = function.child_by_field_name("parameters") or function.child_by_field_name("parameter")
        draft.parameters = said.parameters(self.source, parameters)
        draft.returns = said.returned(self.source, function)

    def _has_jsx(self, start: int, end: int) -> bool:
        index = bisect_left(self.jsx, start)
        return index < len(self.jsx) and self.jsx[index] < end

    # -- statements that wrap declarations -------------------------------------------------------------------------

    def export(self, top: Frame, node: Node, start: int, end: int) -> None:
        in_module = top.kind == MODULE or (top.kind == WRAP and top.declare)
        self._decorators = said.own_decorators(node) if self.source[start : start + 1] == b"@" else []
        said_by = export_statement(self.module, node, in_module)
        frame = self._push(WRAP, start, end, top.owner, top.local, top.function)
        frame.exported = said_by.exported
        frame.declare = top.declare
        value = said_by.value
        if value is not None:
            inner = said.unwrapped(value)
            at = said_by.default
            if inner is not None and at is not None:
                frame.draft = self._value_draft(node, top, at, inner, value, 2)
                frame.value_start = self._value_start

    def ambient(self, top: Frame, node: Node, start: int, end: int) -> None:
        frame = self._push(WRAP, top.start if top.kind == WRAP else start, end, top.owner, top.local, top.function)
        frame.exported = top.exported or int(top.kind == NAMESPACE and top.declare)
        frame.declare = True
        first = node.named_child(0)
        if first is not None and first.type == "statement_block":  # declare global { ... } wraps no single declaration
            frame.start = end

    def declaration(self, top: Frame, node: Node, start: int, end: int) -> None:
        first = self.source[start : start + 3]
        local = top.function if first == b"var" else top.local
        frame = self._push(WRAP, top.start if top.kind == WRAP else start, end, top.owner, local, top.function)
        frame.exported = top.exported or int(top.kind == NAMESPACE and top.declare)
        frame.declare = top.declare
        frame.constant = first == b"con"
        frame.single = node.named_child_count == 1

    def decorator(self, top: Frame, node: Node, start: int, end: int) -> None:
        if top.kind == CLASS and start >= top.body:
            self._decorators.append(node)  # of the member that follows; others are children of what they decorate
        self._push(BLOCK, start, end, top.owner, top.local, top.function)

    def block(self, top: Frame, node: Node, start: int, end: int) -> None:
        if not top.local and top.kind != NAMESPACE and not (top.kind == WRAP and top.declare):
            self._push(BLOCK, start, end, top.owner, True, top.function)

    # -- functions and classes -------------------------------------------------------------------------------------

    def function(self, top: Frame, node: Node, start: int, end: int) -> None:
        name = node.child_by_field_name("name")
        body = node.child_by_field_name("body")
        index = self._draft(node, top, name, "function", end if body is None else body.start_byte)
        draft = self.drafts[index]
        self._callable(draft, node)
        draft.modifiers.extend(said.modifiers(self.source[start : draft.at]))
        if body is None:
            draft.signature = True
            draft.must_overload = not top.declare
        elif self.jsx and draft.name[:1].isupper() and self._has_jsx(start, end):
            draft.kind = "component"
        if top.local:
            self.local_names.add(draft.name)
        self._push(FUNCTION, start, end, index, True, True)

    def lambda_(self, top: Frame, node: Node, start: int, end: int) -> None:
        if top.value_start == start and top.draft >= 0:
            self._push(FUNCTION, start, end, top.draft, True, True)
        elif not top.function or top.kind == CLASS:
            self._push(FUNCTION, start, end, top.owner, True, True)

    def method(self, top: Frame, node: Node, start: int, end: int) -> None:
        name = node.child_by_field_name("name")
        body = node.child_by_field_name("body")
        index = self._member(node, top, name, end if body is None else body.start_byte)
        self._callable(self.drafts[index], node)
        self._push(FUNCTION, start, end, index, True, True)

    def _held_by(self, frame: Frame) -> int:
        """The draft that holds what stands in an object literal. An object nested in another becomes a draft only
        when it holds a function: `users` in `const api = { users: { get() {} } }`."""
        waiting: list[Frame] = []
        while frame.pending is not None and frame.holder is not None:
            waiting.append(frame)
            frame = frame.holder
        for each in reversed(waiting):
            node, holder = each.pending, each.holder
            if node is None or holder is None:
                continue
            key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
            each.owner = self._member(node, holder, key, node.end_byte if value is None else value.start_byte)
            draft = self.drafts[each.owner]
            draft.kind = "constant"
            draft.declaration = self._name(key)
            each.pending = None
            each.path = ""
        return waiting[0].owner if waiting else frame.owner

    def _member(self, node: Node, top: Frame, name: Node | None, body: int) -> int:
        """Draft a member of a class, an interface or an object literal."""
        if top.pending is not None:
            top.owner = self._held_by(top)
        index = self._draft(node, top, name, "method", body, wrapped=False)
        draft = self.drafts[index]
        source, start = self.source, node.start_byte
        prefix = source[start : draft.at]
        if prefix[:1] == b"@":
            own = said.own_decorators(node)
            if own:
                prefix = source[own[-1].end_byte : draft.at]
        if self._decorators and top.kind == CLASS:
            first = self._decorators[0]
            if first.start_byte >= top.start:
                texts = tuple(said.decorator_text(source, each) for each in self._decorators)
                draft.decorators = texts + draft.decorators
                draft.first_line = first.start_point.row + 1
                draft.start = first.start_byte
            self._decorators = []
        if top.kind in (OBJECT, TYPE, CLASS, INTERFACE):
            draft.path = top.path
        draft.member = top.kind in (CLASS, INTERFACE, TYPE) or (top.kind == OBJECT and not top.local)
        if top.kind not in (OBJECT, TYPE, CLASS, INTERFACE, VALUE) and "local" not in draft.modifiers:
            draft.modifiers.append("local")
        found = said.modifiers(prefix)
        if draft.name[:1] == "#" and "private" not in found:
            found.append("private")
        draft.modifiers.extend(found)
        return index

    def signature(self, top: Frame, node: Node, start: int, end: int) -> None:
        if top.kind not in (CLASS, INTERFACE) and not (top.kind == TYPE and top.draft >= 0):
            return
        name = node.child_by_field_name("name")
        index = self._member(node, top, name, end)
        draft = self.drafts[index]
        function = node
        if node.type == "property_signature":
            annotation = node.child_by_field_name("type")
            inner = None if annotation is None else annotation.named_child(0)
            if inner is not None:
                function = inner
        self._callable(draft, function)
        if node.type == "method_signature":
            draft.signature = True
            draft.must_overload = top.kind == CLASS and not top.declare
        if name is not None and self.source[name.end_byte : name.end_byte + 1] == b"?":
            draft.modifiers.append("optional")

    def class_(self, top: Frame, node: Node, start: int, end: int) -> None:
        name = node.child_by_field_name("name")
        index = self._class_draft(node, top, name)
        if top.local:
            self.local_names.add(self.drafts[index].name)
        self._decorators = []
        self._open_class(node, start, end, index, top)

    def _class_draft(self, node: Node, top: Frame, name: Node | None) -> int:
        body = node.child_by_field_name("body")
        index = self._draft(node, top, name, "class", node.end_byte if body is None else body.start_byte)
        draft = self.drafts[index]
        draft.bases = said.bases(self.source, node)
        if node.type == "abstract_class_declaration":
            draft.modifiers.append("abstract")
        return index

    def class_expression(self, top: Frame, node: Node, start: int, end: int) -> None:
        if top.value_start == start and top.draft >= 0:
            index = top.draft
        else:
            name = node.child_by_field_name("name")
            index = self._class_draft(node, top, name)
            draft = self.drafts[index]
            draft.exported = False
            if "local" not in draft.modifiers:
                draft.modifiers.append("local")
        self._open_class(node, start, end, index, top)

    def _open_class(self, node: Node, start: int, end: int, index: int, top: Frame) -> None:
        frame = self._push(CLASS, start, end, index, top.local, top.function)
        body = node.child_by_field_name("body")
        frame.body = end if body is None else body.start_byte

    # -- types and namespaces --------------------------------------------------------------------------------------

    def interface(self, top: Frame, node: Node, start: int, end: int) -> None:
        body = node.child_by_field_name("body")
        name = node.child_by_field_name("name")
        index = self._draft(node, top, name, "interface", end if body is None else body.start_byte)
        self.drafts[index].bases = said.bases(self.source, node)
        if top.local:
            self.local_names.add(self.drafts[index].name)
        self._push(INTERFACE, start, end, index, top.local, top.function)

    def alias(self, top: Frame, node: Node, start: int, end: int) -> None:
        name = node.child_by_field_name("name")
        value = node.child_by_field_name("value")
        index = self._draft(node, top, name, "type", end, longest=said.LONGEST_TYPE)
        if top.local:
            self.local_names.add(self.drafts[index].name)
        frame = self._push(ALIAS, start, end, index, top.local, top.function)
        if value is not None:
            frame.value_start = value.start_byte
            frame.draft = index

    def object_type(self, top: Frame, node: Node, start: int, end: int) -> None:
        frame = self._push(TYPE, start, end, top.owner, top.local, top.function)
        if top.kind == ALIAS and top.value_start == start:
            frame.draft = top.draft

    def enum(self, top: Frame, node: Node, start: int, end: int) -> None:
        body = node.child_by_field_name("body")
        name = node.child_by_field_name("name")
        index = self._draft(node, top, name, "enum", end if body is None else body.start_byte)
        if top.local:
            self.local_names.add(self.drafts[index].name)

    def namespace(self, top: Frame, node: Node, start: int, end: int) -> None:
        name = node.child_by_field_name("name")
        body = node.child_by_field_name("body")
        upto = end if body is None else body.start_byte
        parts: list[Node | None] = []
        part = name
        while part is not None and part.type == "nested_identifier" and len(parts) < 20:
            parts.append(part.child_by_field_name("property"))
            part = part.child_by_field_name("object")
        parts.append(part)
        owner = top.owner
        for part in reversed(parts):
            index = self._draft(node, top, part, "constant", upto)
            draft = self.drafts[index]
            draft.parent = owner
            draft.modifiers.append("namespace")
            if part is not None and part.type == "string":
                draft.modifiers.append("module")
            if owner != top.owner:
                draft.exported = True
            owner = index
        frame = self._push(NAMESPACE, start, end, owner, top.local, top.function)
        frame.declare = top.declare

    def import_alias(self, top: Frame, node: Node, start: int, end: int) -> None:
        index = self._draft(node, top, node.named_child(0), "constant", end)
        self.drafts[index].modifiers.append("alias")

    # -- values ----------------------------------------------------------------------------------------------------

    def variable(self, top: Frame, node: Node, start: int, end: int) -> None:
        value = node.child_by_field_name("value")
        if top.function:
            # Inside a function only what holds a function or a class is a definition.
            if value is None or value.type not in _HOLDERS:
                return
            if value.type == "call_expression" and not self.source.startswith(_HOOKS, value.start_byte):
                return
        name = node.child_by_field_name("name")
        inner = None if value is None else said.unwrapped(value)
        frame = self._push(VALUE, start, end, top.owner, top.local, top.function)
        self._value_start = -1 if inner is None else inner.start_byte
        if name is None:
            return
        if name.type != "identifier":
            self._destructured(node, top, name, inner)
        elif top.local or inner is None or not imports_whole(self.source, inner):
            if top.local:
                self.local_names.add(self._name(name))
            frame.draft = self._value_draft(node, top, name, inner, value, 1)
            if frame.draft < 0:
                frame.path = f"{self._name(name)}."
            elif not top.local:
                frame.owner = frame.draft
        frame.value_start = self._value_start

    def _destructured(self, node: Node, top: Frame, pattern: Node, inner: Node | None) -> None:
        """Module-level `const { a, b } = value`: each name is a value of its own, unless `require` imports it."""
        if top.local:
            return
        imported = inner is not None and imports_whole(self.source, inner) and pattern.type == "object_pattern"
        for name in pattern_names(pattern):
            if imported and is_imported_name(pattern, name):
                continue
            kind: DefinitionKind = "constant" if top.constant else "variable"
            index = self._draft(node, top, name, kind, pattern.end_byte)
            self.drafts[index].modifiers.append("destructured")

    def _value_draft(
        self, node: Node, top: Frame, name: Node, inner: Node | None, value: Node | None, exported: int
    ) -> int:
        """Draft a variable, or what a default export or an assignment names, by its value; -1 for what isn't one (a
        local that holds no function or class). Sets `_value_start`."""
        kind = "" if inner is None else inner.type
        source = self.source
        if inner is not None and kind == "call_expression":
            kept = said.kept_argument(source, inner)
            if kept is not None and kept.type in (*said.FUNCTION_VALUES, "object", "class"):
                inner, kind = kept, kept.type
        self._value_start = -1 if inner is None else inner.start_byte
        is_function = kind in said.FUNCTION_VALUES
        if top.local and not is_function and kind != "class":
            return -1
        if inner is not None and (is_function or kind == "class"):
            body = inner.child_by_field_name("body")
            upto = inner.end_byte if body is None else body.start_byte
            definition: DefinitionKind = "function" if is_function else "class"
        else:
            upto = node.end_byte if value is None else value.start_byte
            definition = "constant" if top.constant or exported == 2 else "variable"
        index = self._draft(node, top, name, definition, upto)
        draft = self.drafts[index]
        if exported == 2:
            draft.name = "default"
            draft.exported = True
        if inner is None:
            return index
        if is_function:
            self._callable(draft, inner)
            draft.modifiers.extend(said.modifiers(source[inner.start_byte : inner.start_byte + 6]))
            if kind == "generator_function":
                draft.modifiers.append("generator")
            if self.jsx and draft.name[:1].isupper() and self._has_jsx(inner.start_byte, inner.end_byte):
                draft.kind = "component"
        elif kind == "class":
            draft.bases = said.bases(source, inner)
        else:
            if draft.declaration.endswith("="):
                draft.declaration = draft.declaration[:-1].rstrip()
            if (
                kind == "call_expression"
                and (draft.name[:1].isupper() or exported == 2)
                and said.makes_component(source, inner)
            ):
                draft.kind = "component"
        return index

    def field(self, top: Frame, node: Node, start: int, end: int) -> None:
        name = node.child_by_field_name("name") or node.child_by_field_name("property")
        value = node.child_by_field_name("value")
        inner = None if value is None else said.unwrapped(value)
        if inner is not None and inner.type == "call_expression":
            inner = said.kept_argument(self.source, inner) or inner
        frame = self._push(VALUE, start, end, top.owner, True, top.function)
        if name is None or inner is None:
            self._decorators = []
            return
        frame.value_start = inner.start_byte
        if inner.type in said.FUNCTION_VALUES:
            body = inner.child_by_field_name("body")
            frame.draft = self._member(node, top, name, end if body is None else body.start_byte)
            draft = self.drafts[frame.draft]
            self._callable(draft, inner)
            draft.modifiers.extend(said.modifiers(self.source[inner.start_byte : inner.start_byte + 6]))
        else:
            frame.path = f"{self._name(name)}."
        self._decorators = []

    def pair(self, top: Frame, node: Node, start: int, end: int) -> None:
        key = node.child_by_field_name("key")
        value = node.child_by_field_name("value")
        if key is None or value is None:
            return
        kind = value.type
        if kind == "object" and top.kind != OBJECT:
            return
        frame = self._push(VALUE, start, end, top.owner, top.local, top.function)
        frame.value_start = value.start_byte
        if kind == "object":
            frame.pending = node
            frame.holder = top
            return
        if kind in said.FUNCTION_VALUES or kind == "class":
            body = value.child_by_field_name("body")
            frame.draft = self._member(node, top, key, end if body is None else body.start_byte)
            draft = self.drafts[frame.draft]
            if kind == "class":
                draft.kind = "class"
                draft.bases = said.bases(self.source, value)
            else:
                self._callable(draft, value)
                draft.modifiers.extend(said.modifiers(self.source[value.start_byte : value.start_byte + 6]))

    def object(self, top: Frame, node: Node, start: int, end: int) -> None:
        direct = top.value_start == start and top.kind in (VALUE, WRAP)
        if not direct and top.kind != OBJECT:
            return
        frame = self._push(OBJECT, start, end, top.owner, top.local or not direct, top.function)
        if direct:
            frame.path = top.path
            frame.pending = top.pending
            frame.holder = top.holder
            if top.draft >= 0:
                frame.owner = top.draft

    def assignment(self, top: Frame, node: Node, start: int, end: int) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        frame = self._push(VALUE, start, end, top.owner, top.local, top.function)
        if left is None or right is None or left.type not in ("member_expression", "identifier"):
            return
        found = _ASSIGNED.match(self.source[left.start_byte : left.end_byte])
        if found is None:
            return
        name = left.child_by_field_name("property") or left
        if found["module"] is not None:
            self._module_assignment(node, top, frame, name, right, found["name"])
        elif found["name"] is not None or found["prototype"] is not None:
            owner = found["object"].decode("utf-8", "replace")
            if owner == "this":
                return
            self._owned_assignment(node, top, frame, name, right, owner, bool(found["prototype"]), found["name"])

    def _module_assignment(
        self, node: Node, top: Frame, frame: Frame, name: Node, right: Node, member: bytes | None
    ) -> None:
        """`exports.x = function`, `module.exports = {...}`."""
        plain = Frame(MODULE, 0, 0, -1, False, False)
        plain.constant = True
        inner = right.child_by_field_name("name") if right.type in ("function_expression", "class") else None
        index = self._value_draft(node, plain, name, right, right, 1 if member is not None else 2)
        draft = self.drafts[index]
        draft.exported = True
        if member is None and inner is not None:
            draft.name, draft.at = self._name(inner), inner.start_byte
            draft.line = inner.start_point.row + 1
        draft.modifiers.append("assigned")
        frame.draft = frame.owner = index
        frame.value_start = self._value_start
        frame.local = False

    def _owned_assignment(
        self, node: Node, top: Frame, frame: Frame, name: Node, right: Node, owner: str, prototype: bool,
        member: bytes | None,
    ) -> None:  # fmt: skip
        """`X.prototype.m = function`, `X.prototype = {...}`, `X.m = function`."""
        frame.value_start = right.start_byte
        parent = self.by_name.get((top.owner, owner), -1)
        if member is None:
            frame.owner = parent if parent >= 0 else top.owner
            frame.path = "" if parent >= 0 else f"{owner}."
            return
        if right.type == "object":
            frame.path = f"{owner}.{self._name(name)}."
            return
        plain = Frame(MODULE, 0, 0, top.owner, top.local, True)
        index = self._value_draft(node, plain, name, right, right, 1)
        draft = self.drafts[index]
        if draft.kind != "class":
            draft.kind = "method"
        draft.modifiers.append("assigned")
        if not prototype:
            draft.modifiers.append("static")
        draft.owner_name = owner
        draft.member = True
        frame.draft = index


# Python's keywords can't be method names; captures are called by these names.
setattr(Sweep, "lambda", Sweep.lambda_)
setattr(Sweep, "class", Sweep.class_)

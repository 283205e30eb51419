"""The outline of a Python file by its statements alone: most of a tree are expressions, and walking them costs as much
as all the rest of the facts. What expressions bind is found in the text instead (see `bound`).

Where anything is unusual, there is no such outline, and the query over all of the tree is to be asked.
"""

from __future__ import annotations

import re

import tree_sitter

from graph.languages.python.bound import bound_by_lambdas, bound_by_loops, bound_by_walrus, is_plain, named_with_as
from graph.languages.python.grammar import LANGUAGE, TARGET_LISTS, start_of, target_names
from graph.languages.python.outline import Outline, cursor_of_all
from graph.languages.python.words import Words, code_around, interpolations_of, words_of
from graph.languages.reading import paths

_HOLDER, _FUNCTION, _CLASS, _DECORATED, _IMPORT, _ASSIGNMENT, _AUGMENTED, _ALIAS, _DELETE, _MATCH = range(10)
_WHAT = {
    "block": _HOLDER,
    "if_statement": _HOLDER,
    "elif_clause": _HOLDER,
    "else_clause": _HOLDER,
    "for_statement": _HOLDER,
    "while_statement": _HOLDER,
    "try_statement": _HOLDER,
    "except_clause": _HOLDER,
    "except_group_clause": _HOLDER,
    "finally_clause": _HOLDER,
    "with_statement": _HOLDER,
    "function_definition": _FUNCTION,
    "class_definition": _CLASS,
    "decorated_definition": _DECORATED,
    "import_statement": _IMPORT,
    "import_from_statement": _IMPORT,
    "assignment": _ASSIGNMENT,
    "augmented_assignment": _AUGMENTED,
    "type_alias_statement": _ALIAS,
    "delete_statement": _DELETE,
    "match_statement": _MATCH,
}
_KINDS = {LANGUAGE.id_for_node_kind(name, True): what for name, what in _WHAT.items()}
_ASSIGNMENTS = frozenset(kind for kind, what in _KINDS.items() if what in (_ASSIGNMENT, _AUGMENTED))
_LISTS = frozenset(LANGUAGE.id_for_node_kind(name, True) for name in TARGET_LISTS)
_TELLING = _ASSIGNMENTS | _LISTS | {LANGUAGE.id_for_node_kind("type", True)}
_IDENTIFIER = LANGUAGE.id_for_node_kind("identifier", True)
_BODY = LANGUAGE.field_id_for_name("body") or 0
_DEFINITION = LANGUAGE.field_id_for_name("definition") or 0
_JOINED = re.compile(rb"\\\r?\n")
_IN_TYPE = re.compile(rb"[\[\"']")
_YIELD = re.compile(rb"yield")


def walked(source: bytes, root: tree_sitter.Node) -> Outline | None:
    """The outline of a file, the same as `captured` makes, or None where its statements don't tell all of it."""
    if root.has_error or b"\0" in source:
        return None
    interpolations = interpolations_of(source, root)
    if not all(is_plain(source[node.start_byte : node.end_byte]) for node in interpolations):
        return None
    code = code_around(source, interpolations)
    if b"\\" in code:
        code = _JOINED.sub(b"  ", code)
    if not code.isascii():
        return None
    walk = _Walk(source, words_of(code))
    if not walk.take_expressions(code) or not walk.take_statements(root):
        return None
    if "yield" in walk.words:
        walk.take_yields(root)
    return walk.outline


class _Walk:
    def __init__(self, source: bytes, words: Words) -> None:
        self.source = source
        self.outline = Outline(words)
        self.words = words[0]
        self.cursor = cursor_of_all()

    def take_expressions(self, code: bytes) -> bool:
        """What expressions bind; whether that is sure."""
        outline, words = self.outline, self.words
        loops = bound_by_loops(code) if "for" in words else set()
        named = named_with_as(code) if "as" in words else []
        lambdas = bound_by_lambdas(code) if "lambda" in words else set()
        walrus = bound_by_walrus(code)
        if loops is None or named is None or lambdas is None or walrus is None:
            return False
        outline.local |= lambdas
        outline.unplaced = loops | walrus
        outline.named = named
        return True

    def take_statements(self, root: tree_sitter.Node) -> bool:
        """All statements; whether they are of the usual kinds. Each block is read at once, not in the order of the
        source."""
        outline, source, kinds = self.outline, self.source, _KINDS
        local, loose = outline.local, outline.loose
        stack = [(root, False)]
        while stack:
            holder, inside = stack.pop()
            names = local if inside else loose
            for node in holder.children:
                what = kinds.get(node.kind_id)
                if what is None:
                    continue
                if what == _ASSIGNMENT:
                    if not inside:
                        outline.values.append(node)
                    parts = node.children
                    left = parts[0]
                    # `a = 1`, the most frequent of all statements, is worth a shortcut.
                    if len(parts) == 3 and left.kind_id == _IDENTIFIER and parts[2].kind_id not in _TELLING:
                        names.add(source[left.start_byte : left.end_byte])
                    else:
                        self._assignment(node, names)
                elif what == _HOLDER:
                    stack.append((node, inside))
                elif what == _IMPORT:
                    outline.imports.append((node, not inside))
                elif what == _MATCH:
                    return False
                elif what <= _DECORATED:
                    body = self._definition(node, what)
                    if body is None:
                        return False
                    stack.append((body, True))
                else:
                    if what == _ALIAS and not inside:
                        outline.values.append(node)
                    self._other(node, what, names)
        outline.values.sort(key=start_of)
        return True

    def _definition(self, node: tree_sitter.Node, what: int) -> tree_sitter.Node | None:
        """Take a function or class; its body."""
        whole = None
        if what == _DECORATED:
            whole = node
            inner = node.child_by_field_id(_DEFINITION)
            if inner is None:
                return None
            node = inner
        body = node.child_by_field_id(_BODY)
        if body is not None:
            self.outline.definitions.append((node, whole))
            start, end = node.start_byte, body.start_byte
            head = self.source[start:end]  # which may bind more than plain parameters, or have types in strings
            if b"[" in head or b'"' in head or b"'" in head or head.count(b"(") > 1:
                self._capture(node, self.outline.local, start, end)
        return body

    def _assignment(self, node: tree_sitter.Node, names: set[bytes]) -> None:
        """What an assignment binds, of `a = b = 1` the other ones, too."""
        source = self.source
        statement: tree_sitter.Node | None = node
        while statement is not None:
            parts = statement.named_children
            left = parts[0]
            if left.kind_id == _IDENTIFIER:
                names.add(source[left.start_byte : left.end_byte])
            elif left.kind_id in _LISTS:
                names.update([source[each.start_byte : each.end_byte] for each in target_names(left)])
            statement = None
            for part in parts[1:]:
                kind = part.kind_id
                if kind not in _TELLING:
                    continue
                if kind in _ASSIGNMENTS:
                    statement = part
                elif kind in _LISTS:
                    names.update([source[each.start_byte : each.end_byte] for each in target_names(part)])
                elif _IN_TYPE.search(source, part.start_byte, part.end_byte) is not None:
                    self._capture(part, names)

    def _other(self, node: tree_sitter.Node, what: int, names: set[bytes]) -> None:
        if what == _AUGMENTED:
            self._assignment(node, names)
        elif what == _DELETE:
            for child in node.named_children:
                if child.kind_id == _IDENTIFIER:
                    names.add(self.source[child.start_byte : child.end_byte])
        else:
            self._capture(node, names)

    def _capture(self, node: tree_sitter.Node, names: set[bytes], start: int = 0, end: int = 0xFFFFFFFF) -> None:
        """What the query captures in a node that is no statement."""
        self.cursor.set_byte_range(start, end)
        captures = self.cursor.captures(node)
        self.outline.annotations += captures.get("annotation", ())
        for each in captures.get("bound", ()):
            names.add(self.source[each.start_byte : each.end_byte])

    def take_yields(self, root: tree_sitter.Node) -> None:
        """Where the word stands as a keyword."""
        for at, _, path in paths(root, (found.span() for found in _YIELD.finditer(self.source))):
            if path[-1].type == "yield":
                self.outline.yields.append(at)

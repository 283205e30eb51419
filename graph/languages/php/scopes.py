"""The scopes that a name is looked up in: closures, the function, the class (its names for itself), the file.

Variables are names with their `$`. A function's variables are its own, wherever in it they are assigned.
"""

from __future__ import annotations

import tree_sitter

from graph.expressions import (
    Binding,
    BindingKind,
    Call,
    Cast,
    Construct,
    ContextParameter,
    Either,
    Element,
    Expression,
    Item,
    Scope,
    Sequence,
    Subscript,
    TypeExpression,
    TypeName,
)
from graph.languages.php.definitions import PARAMETERS
from graph.languages.php.docblocks import Docblock, docblock, docblock_before
from graph.languages.php.lower import UNKNOWN, expression
from graph.languages.php.reading import CLASSES, CLOSURES, FUNCTIONS, Reading
from graph.languages.php.types import ARRAY, type_expression

_BODIES = CLASSES | FUNCTIONS | CLOSURES
_BLOCKS = frozenset({"compound_statement", "colon_block", "case_statement", "default_statement", "else_clause"})
_ASSIGNMENTS = frozenset({"assignment_expression", "reference_assignment_expression"})
MOST_NODES = 200_000  # nodes of one function that are looked at


def scopes_at(reading: Reading, at: int) -> tuple[Scope, ...]:
    """The scopes of a name at `at`, innermost first, the file's last."""
    found: list[Scope] = []
    path = reading.path(at)
    for depth in range(len(path) - 1, -1, -1):
        node = path[depth]
        kind = node.type
        if kind in CLOSURES or kind in FUNCTIONS:
            found.append(_scope(reading, node, path, depth))
        elif kind in CLASSES:
            found.append(_class_scope(reading, node))
    key = "module scope"
    module: Scope | None = reading.cache.get(key)
    if module is None:
        bindings = _assigned(reading, reading.root, [])
        module = reading.cache[key] = Scope("module", 0, len(reading.source), -1, bindings)
    return (*found, module)


def _class_scope(reading: Reading, node: tree_sitter.Node) -> Scope:
    key = ("class scope", node.start_byte)
    known: Scope | None = reading.cache.get(key)
    if known is None:
        name = node.child_by_field_name("name")
        index = reading.definition_at.get((name or node).start_byte, -1)
        bindings = _templates(docblock_before(reading, node.start_byte), node.start_byte)
        for each in ("self", "static"):
            bindings[each] = (Binding(each, node.start_byte, "class-self", index=index),)
        known = reading.cache[key] = Scope("class", node.start_byte, node.end_byte, index, bindings)
    return known


def _templates(stated: Docblock, at: int) -> dict[str, tuple[Binding, ...]]:
    return {name: (Binding(name, at, "type-parameter", bound),) for name, bound in stated.templates.items()}


def _scope(reading: Reading, node: tree_sitter.Node, path: list[tree_sitter.Node], depth: int) -> Scope:
    key = ("scope", node.start_byte)
    known: Scope | None = reading.cache.get(key)
    if known is None:
        stated = docblock_before(reading, node.start_byte)
        context = None if node.type in FUNCTIONS else _context(reading, path, depth)
        bindings = _assigned(reading, node, _parameters(reading, node, stated, context))
        bindings.update(_templates(stated, node.start_byte))
        name = node.child_by_field_name("name")
        index = reading.definition_at.get(name.start_byte, -1) if name is not None else -1
        known = reading.cache[key] = Scope("function", node.start_byte, node.end_byte, index, bindings)
    return known


# ------------------------------------------------------------------------------------------------------ parameters


def parameter_types_of(
    reading: Reading, node: tree_sitter.Node, stated: Docblock
) -> list[tuple[tree_sitter.Node, TypeExpression | None, tree_sitter.Node | None]]:
    """(name node, type, default) of the parameters of a function, as a variable holds them."""
    listed = node.child_by_field_name("parameters")
    found: list[tuple[tree_sitter.Node, TypeExpression | None, tree_sitter.Node | None]] = []
    for child in listed.named_children if listed is not None else ():
        if child.type not in PARAMETERS:
            continue
        name = child.child_by_field_name("name")
        while name is not None and name.type != "variable_name":
            name = next((each for each in name.named_children), None)
        if name is None:
            continue
        written = child.child_by_field_name("type")
        annotation = stated.parameters.get(reading.text(name)[1:])
        if annotation is None and child.type == "property_promotion_parameter":
            annotation = docblock_before(reading, child.start_byte).variables.get("")
        if annotation is None and written is not None:
            annotation = type_expression(reading, written)
        found.append((name, annotation, child.child_by_field_name("default_value")))
    return found


def _parameters(
    reading: Reading, node: tree_sitter.Node, stated: Docblock, context: tuple[Call | Construct, int, str | None] | None
) -> list[Binding]:
    found = []
    for position, (name, annotation, _) in enumerate(parameter_types_of(reading, node, stated)):
        parent_rest = reading.source[max(0, name.start_byte - 3) : name.start_byte] == b"..."
        value: Expression | None = None
        if annotation is not None and parent_rest:
            annotation = TypeName(ARRAY, name.start_byte, (annotation,))
        elif annotation is None and context is not None:
            call, argument, keyword = context
            value = ContextParameter(call, argument, position, keyword)
        found.append(Binding(reading.text(name), node.start_byte, "parameter", annotation, value))
    return found


def _context(
    reading: Reading, path: list[tree_sitter.Node], depth: int
) -> tuple[Call | Construct, int, str | None] | None:
    """The call that a closure is an argument of, which of its arguments it is, and its name there."""
    if depth < 3 or path[depth - 1].type != "argument" or path[depth - 2].type != "arguments":
        return None
    listed = path[depth - 2]
    passed = [each for each in listed.named_children if each.type == "argument"]
    position = next((i for i, each in enumerate(passed) if each.start_byte == path[depth - 1].start_byte), -1)
    name = path[depth - 1].child_by_field_name("name")
    call = expression(reading, path[depth - 3])
    if position < 0 or not isinstance(call, Call | Construct):
        return None
    return call, position, reading.text(name) if name is not None else None


# ------------------------------------------------------------------------------------------------------- variables


class _Collected:
    def __init__(self, first: list[Binding]) -> None:
        self.bindings: dict[str, list[Binding]] = {}
        for each in first:
            self.bindings.setdefault(each.name, []).append(each)

    def add(
        self,
        name: str,
        at: int,
        until: int,
        annotation: TypeExpression | None = None,
        value: Expression | None = None,
        kind: BindingKind = "variable",
    ) -> None:
        if name != "$this":
            self.bindings.setdefault(name, []).append(Binding(name, at, kind, annotation, value, until=until))


def _assigned(reading: Reading, function: tree_sitter.Node, first: list[Binding]) -> dict[str, tuple[Binding, ...]]:
    """All variables of a function (or of the file outside of functions), in the order in which they get values."""
    found = _Collected(first)
    pending: list[tuple[tree_sitter.Node, int]] = [
        (each, function.end_byte) for each in reversed(function.named_children) if each.type != "formal_parameters"
    ]
    stated: dict[str, TypeExpression] = {}
    steps = 0
    while pending and steps < MOST_NODES:
        node, until = pending.pop()
        steps += 1
        kind = node.type
        if kind == "comment":
            stated = _comment(reading, node, until, found)
            continue
        if kind in _BODIES:
            continue
        if kind in _ASSIGNMENTS:
            _assignment(reading, node, until, stated, found)
        elif kind == "augmented_assignment_expression":
            left = node.child_by_field_name("left")
            if left is not None and left.type == "variable_name":
                found.add(reading.text(left), node.end_byte, until, None, expression(reading, node))
        elif kind == "foreach_statement":
            _foreach(reading, node, until, stated, found)
        elif kind == "catch_clause":
            name = node.child_by_field_name("name")
            if name is not None:
                written = type_expression(reading, node.child_by_field_name("type"))
                found.add(reading.text(name), name.start_byte, node.end_byte, written)
        elif kind == "static_variable_declaration" or kind == "global_declaration":
            _declared(reading, node, until, found)
        if kind in _BLOCKS:
            until = node.end_byte
        if kind != "expression_statement" and kind not in _ASSIGNMENTS and kind != "foreach_statement":
            stated = stated if kind in ("compound_statement", "return_statement") else {}
        pending.extend((each, until) for each in reversed(node.named_children))
    return {name: tuple(sorted(each, key=lambda binding: binding.at)) for name, each in found.bindings.items()}


def _comment(reading: Reading, node: tree_sitter.Node, until: int, found: _Collected) -> dict[str, TypeExpression]:
    """`/** @var Order $order */`: it holds from there on, and says what the next assignment gives."""
    text = reading.text(node)
    if "@" not in text or not text.startswith("/**"):
        return {}
    variables = docblock(reading, text, node.start_byte).variables
    for name, written in variables.items():
        if name:
            found.add(f"${name}", node.end_byte, until, written)
    return variables


def _assignment(
    reading: Reading, node: tree_sitter.Node, until: int, stated: dict[str, TypeExpression], found: _Collected
) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None:
        return
    if left.type == "variable_name":
        name = reading.text(left)
        annotation = stated.get(name[1:]) or stated.get("")
        found.add(name, node.end_byte, until, annotation, expression(reading, right))
    elif left.type in ("list_literal", "array_creation_expression"):
        _destructured(reading, left, expression(reading, right), node.end_byte, until, stated, found)
    elif left.type == "subscript_expression" and left.named_child_count:
        _stored(reading, left, right, node.end_byte, until, found)


def _stored(
    reading: Reading,
    left: tree_sitter.Node,
    right: tree_sitter.Node | None,
    at: int,
    until: int,
    found: _Collected,
) -> None:
    """`$all[] = $x`: what an array that starts empty holds. It stays what it was besides."""
    inner = left.named_children[0]
    if inner.type != "variable_name":
        return
    name = reading.text(inner)
    known = found.bindings.get(name)
    if known and known[-1].annotation is None and known[-1].kind == "variable" and right is not None:
        value = known[-1].value
        empty = isinstance(value, Cast) and isinstance(value.type, TypeName) and not value.type.arguments
        holds = Sequence(ARRAY, (expression(reading, right),))
        if empty:
            found.add(name, at, until, None, holds)
        elif isinstance(value, Sequence) and value.type == ARRAY and len(value.items) < 8:
            found.add(name, at, until, None, Either((value, holds)))


def _destructured(
    reading: Reading,
    node: tree_sitter.Node,
    value: Expression,
    at: int,
    until: int,
    stated: dict[str, TypeExpression],
    found: _Collected,
    depth: int = 0,
) -> None:
    """`[$a, 'key' => $b, [$c]] = value`."""
    position = 0
    key: tree_sitter.Node | None = None
    for child in node.children:
        kind = child.type
        if kind == ",":
            position += 1
            key = None
        elif kind == "=>" or kind == "comment":
            continue
        elif child.is_named:
            targets = [child]
            if kind == "array_element_initializer":
                parts = [each for each in child.named_children if each.type != "comment"]
                key = parts[0] if len(parts) > 1 else None
                targets = parts[-1:]
            for target in targets:
                part: Expression = Item(value, position) if key is None else Subscript(value, expression(reading, key))
                while target.type == "by_ref" and target.named_child_count:
                    target = target.named_children[0]
                if target.type == "variable_name":
                    name = reading.text(target)
                    found.add(name, at, until, stated.get(name[1:]), part)
                elif target.type in ("list_literal", "array_creation_expression") and depth < 8:
                    _destructured(reading, target, part, at, until, stated, found, depth + 1)
                else:
                    key = target


def _foreach(
    reading: Reading, node: tree_sitter.Node, until: int, stated: dict[str, TypeExpression], found: _Collected
) -> None:
    body = node.child_by_field_name("body")
    parts = [each for each in node.named_children if each.type != "comment" and (body is None or each.id != body.id)]
    if len(parts) < 2:
        return
    value = Element(expression(reading, parts[0]))
    target = parts[1]
    at = target.end_byte
    if target.type == "pair" and target.named_child_count > 1:
        key, target = target.named_children[0], target.named_children[1]
        if key.type == "variable_name":
            found.add(reading.text(key), at, until, stated.get(reading.text(key)[1:]), UNKNOWN)
    while target.type == "by_ref" and target.named_child_count:
        target = target.named_children[0]
    if target.type == "variable_name":
        found.add(reading.text(target), at, until, stated.get(reading.text(target)[1:]), value)
    elif target.type in ("list_literal", "array_creation_expression"):
        _destructured(reading, target, value, at, until, stated, found)


def _declared(reading: Reading, node: tree_sitter.Node, until: int, found: _Collected) -> None:
    if node.type == "global_declaration":
        for each in node.named_children:
            if each.type == "variable_name":
                found.add(reading.text(each), each.end_byte, until, None, UNKNOWN)
        return
    name = node.child_by_field_name("name")
    if name is not None:
        found.add(reading.text(name), node.end_byte, until, None, UNKNOWN)

"""The scopes that a name is looked up in: functions, classes (seen only from their own body), the module."""

from __future__ import annotations

from functools import partial

import tree_sitter

from graph.expressions import Binding, Scope, TypeExpression
from graph.languages.python.annotations import type_expression
from graph.languages.python.bindings import (
    Found,
    Later,
    Table,
    bound_in,
    comprehension_bindings,
    made,
    module_assigned_in_functions,
    sent_type,
)
from graph.languages.python.parameters import lambda_bindings, parameter_bindings
from graph.languages.python.reading import CLASS, COMPREHENSIONS, FUNCTION, Reading


def scopes_at(reading: Reading, at: int) -> tuple[Scope, ...]:
    """The scopes of a name at `at`, innermost first, the module's last."""
    found: list[Scope] = []  # outermost first
    path = reading.path(at)
    for depth, node in enumerate(path):
        kind = node.type
        child = path[depth + 1] if depth + 1 < len(path) else None
        if kind in (FUNCTION, CLASS):
            body = node.child_by_field_name("body")
            inside = child is not None and body is not None and child.id == body.id
            generics = node.child_by_field_name("type_parameters")
            if generics is not None:
                found.append(_type_parameters(reading, node, generics))
            if inside and body is not None:
                found = _without_class(found)
                found.append(function_scope(reading, node) if kind == FUNCTION else class_scope(reading, node, body))
        elif kind == "lambda":
            if child is not None and child.type != "lambda_parameters":
                found = _without_class(found)
                around = _call_around(path, depth)
                found.append(_scope(reading, node, "function", lambda_bindings(reading, node, around)))
        elif kind in COMPREHENSIONS:
            if not _in_first_iterable(node, child, at):
                found = _without_class(found)
                found.append(_scope(reading, node, "block", comprehension_bindings(reading, node)))
        elif kind == "type_alias_statement":
            generics = _alias_parameters(node)
            if generics is not None:
                found.append(_type_parameters(reading, node, generics))
    return (*reversed(found), module_scope(reading))


def _without_class(scopes: list[Scope]) -> list[Scope]:
    """The scopes that code in a further scope sees: a class body's names are seen from that body alone."""
    last = scopes[-2:]  # a class scope is the last, or hidden behind the type parameters of what is inside it
    return [s for s in scopes if s.kind != "class"] if any(s.kind == "class" for s in last) else scopes


def _call_around(path: list[tree_sitter.Node], depth: int) -> tree_sitter.Node | None:
    """The call that the node at `depth` is an argument of."""
    up = depth - 1
    while up > 0 and path[up].type in ("keyword_argument", "argument_list"):
        if path[up].type == "argument_list":
            return path[up - 1] if path[up - 1].type == "call" else None
        up -= 1
    return None


def _in_first_iterable(node: tree_sitter.Node, child: tree_sitter.Node | None, at: int) -> bool:
    """Whether `at` is in the first `for`'s iterable, which is evaluated outside of the comprehension."""
    first = next((c for c in node.named_children if c.type == "for_in_clause"), None)
    if child is None or first is None or child.id != first.id:
        return False
    right = first.child_by_field_name("right")
    return right is not None and right.start_byte <= at


def function_scope(reading: Reading, function: tree_sitter.Node) -> Scope:
    """The scope of a function's body: parameters first, then what the body binds."""
    key = ("scope", function.start_byte, function.type)
    cached: Scope | None = reading.cache.get(key)
    if cached is None:
        body = function.child_by_field_name("body")
        found: Found = {}
        for binding in parameter_bindings(reading, function):
            found.setdefault(binding.name, []).append(binding)
        if body is not None:
            inner, _, _ = bound_in(reading, body, sent_type(reading, function))
            for name, bindings in inner.items():
                found.setdefault(name, []).extend(bindings)
        end = function.end_byte
        cached = Scope("function", function.start_byte, end, reading.index(function), Table(found))
        reading.cache[key] = cached
    return cached


def class_scope(reading: Reading, node: tree_sitter.Node, body: tree_sitter.Node) -> Scope:
    """The scope of a class body, visible only to code directly in it."""
    key = ("scope", node.start_byte, node.type)
    cached: Scope | None = reading.cache.get(key)
    if cached is None:
        found, _, _ = bound_in(reading, body)
        cached = Scope("class", body.start_byte, body.end_byte, reading.index(node), Table(found))
        reading.cache[key] = cached
    return cached


def module_scope(reading: Reading) -> Scope:
    """The file's own scope; what is also a definition of the facts is bound as one, its annotation and value given."""
    cached: Scope | None = reading.cache.get("module")
    if cached is None:
        found, _, _ = bound_in(reading, reading.root)
        for binding in module_assigned_in_functions(reading):
            found.setdefault(binding.name, []).append(binding)
        for bindings in found.values():
            bindings[:] = [
                Later(b.at, b.index, partial(_as_definition, b)) if b.kind == "variable" and b.index >= 0 else b
                for b in bindings
            ]
        cached = Scope("module", 0, len(reading.source), -1, Table(found))
        reading.cache["module"] = cached
    return cached


def _scope(reading: Reading, node: tree_sitter.Node, kind: str, bindings: list[Binding]) -> Scope:
    key = ("scope", node.start_byte, node.end_byte, node.type)
    cached: Scope | None = reading.cache.get(key)
    if cached is None:
        found: Found = {}
        for binding in bindings:
            found.setdefault(binding.name, []).append(binding)
        cached = Scope("function" if kind == "function" else "block", node.start_byte, node.end_byte, -1, Table(found))
        reading.cache[key] = cached
    return cached


def _as_definition(bound: Binding | Later) -> Binding:
    """A variable that is also a definition of the facts."""
    (b,) = made((bound,))
    return Binding(b.name, b.at, "definition", b.annotation, b.value, b.index, b.until)


def _alias_parameters(node: tree_sitter.Node) -> tree_sitter.Node | None:
    left = node.child_by_field_name("left")
    generic = left.named_child(0) if left is not None else None
    return generic.named_child(1) if generic is not None and generic.type == "generic_type" else None


def declared_type_parameters(
    reading: Reading, generics: tree_sitter.Node
) -> list[tuple[tree_sitter.Node, TypeExpression | None]]:
    """(name, bound) of each parameter in `[T, U: Bound, *Ts, **P]`."""
    found: list[tuple[tree_sitter.Node, TypeExpression | None]] = []
    for each in generics.named_children:
        node: tree_sitter.Node | None = each
        bound: TypeExpression | None = None
        while node is not None and node.type in ("type", "splat_type", "constrained_type"):
            if node.type == "constrained_type" and node.named_child_count > 1:
                bound = type_expression(reading.text, node.named_child(1))
            node = node.named_child(0)
        if node is not None and node.type == "identifier":
            found.append((node, bound))
    return found


def _type_parameters(reading: Reading, owner: tree_sitter.Node, generics: tree_sitter.Node) -> Scope:
    bindings = [
        Binding(reading.text.of(name), name.start_byte, "type-parameter", bound)
        for name, bound in declared_type_parameters(reading, generics)
    ]
    key = ("type parameters", owner.start_byte, owner.type)
    cached: Scope | None = reading.cache.get(key)
    if cached is None:
        table: dict[str, tuple[Binding, ...]] = {b.name: (b,) for b in bindings}
        cached = Scope("block", owner.start_byte, owner.end_byte, -1, table)
        reading.cache[key] = cached
    return cached


def enclosing_class(reading: Reading, at: int) -> int:
    """Definition index of the innermost class whose body holds `at`; -1 when there is none."""
    path = reading.path(at)
    for depth in range(len(path) - 2, -1, -1):
        node = path[depth]
        if node.type == CLASS and path[depth + 1].type == "block":
            return reading.index(node)
    return -1

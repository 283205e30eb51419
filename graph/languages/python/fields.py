"""Fields of a class: declared in its body, or assigned through the receiver in its methods."""

from __future__ import annotations

import tree_sitter

from graph.expressions import Binding, Element, Entered, Expression, TypeExpression, Unknown
from graph.languages.python.annotations import type_expression
from graph.languages.python.bindings import bound_in, made, says_nothing, statements, unpacked
from graph.languages.python.lower import UNKNOWN, expression
from graph.languages.python.parameters import declared
from graph.languages.python.reading import Reading

_IGNORED = frozenset({"__slots__", "__match_args__", "__doc__", "__module__", "__qualname__"})


def fields(reading: Reading, definition: int) -> dict[str, tuple[Binding, ...]]:
    """Name -> where it is declared or assigned, the class body first, then the methods in order."""
    node = reading.node(definition)
    body = node.child_by_field_name("body") if node is not None else None
    if body is None:
        return {}
    found: dict[str, list[Binding]] = {}
    inner, _, _ = bound_in(reading, body)
    for name, bindings in inner.items():
        kept = [b for b in made(bindings) if b.kind == "variable"]
        if kept and name not in _IGNORED:
            found[name] = [Binding(b.name, b.at, "variable", b.annotation, b.value or UNKNOWN) for b in kept]
    for function, receiver in _methods(reading, definition):
        method_body = function.child_by_field_name("body")
        if method_body is not None:
            for binding in _assigned(reading, method_body, receiver):
                found.setdefault(binding.name, []).append(binding)
    return {name: tuple(bindings) for name, bindings in found.items()}


def _methods(reading: Reading, definition: int) -> list[tuple[tree_sitter.Node, str]]:
    """(function, name of its receiver) of the methods directly in a class; static ones have none."""
    found: list[tuple[tree_sitter.Node, str]] = []
    for index, each in enumerate(reading.facts.definitions):
        if each.parent != definition or each.kind != "method" or "static" in each.modifiers or not each.parameters:
            continue
        first = each.parameters[0]
        if first.kind not in ("positional", "positional-only"):
            continue
        node = reading.node(index)
        if node is not None and each.name != "__new__":
            found.append((node, first.name))
        elif node is not None:
            made = _made(reading, node)
            if made is not None:
                found.append((node, made))
    return found


def _made(reading: Reading, function: tree_sitter.Node) -> str | None:
    """The name to which `__new__` assigns the new instance: `self = super().__new__(cls)`."""
    body = function.child_by_field_name("body")
    if body is None or not declared(function.child_by_field_name("parameters")):
        return None
    for node, _ in statements(body):
        right = node.child_by_field_name("right") if node.type == "assignment" else None
        left = node.child_by_field_name("left") if right is not None else None
        if right is not None and left is not None and left.type == "identifier" and right.type == "call":
            callee = right.child_by_field_name("function")
            if callee is not None and reading.text.of(callee).endswith("__new__"):
                return reading.text.of(left)
    return None


def _assigned(reading: Reading, body: tree_sitter.Node, receiver: str) -> list[Binding]:
    """What `receiver.x = ...` assigns in a method; also by unpacking, `for` and `with ... as`."""
    word = receiver.encode() + b"."
    if word not in reading.source[body.start_byte : body.end_byte]:
        return []
    text = reading.text
    found: list[Binding] = []
    for node, _ in statements(body):
        kind = node.type
        if kind == "assignment":
            targets: list[tree_sitter.Node | None] = []
            annotation: TypeExpression | None = None
            value: tree_sitter.Node | None = node
            while value is not None and value.type == "assignment":
                targets.append(value.child_by_field_name("left"))
                stated = value.child_by_field_name("type")
                if stated is not None and not says_nothing(stated):
                    annotation = type_expression(text, stated)
                value = value.child_by_field_name("right")
            if any(t is not None and word in reading.source[t.start_byte : t.end_byte] for t in targets):
                bound = expression(text, value) if value is not None else UNKNOWN
                for target in targets:
                    found += _through(reading, target, bound, annotation, receiver)
        elif kind == "for_statement":
            looped = Element(expression(text, node.child_by_field_name("right")))
            found += _through(reading, node.child_by_field_name("left"), looped, None, receiver)
        elif kind == "with_statement":
            found += _entered(reading, node, receiver)
    return found


def _entered(reading: Reading, node: tree_sitter.Node, receiver: str) -> list[Binding]:
    found: list[Binding] = []
    asynchronous = reading.source.startswith(b"async", node.start_byte)
    for clause in node.named_children:
        for item in clause.named_children if clause.type == "with_clause" else ():
            value = item.child_by_field_name("value")
            if value is not None and value.type == "as_pattern":
                alias = value.child_by_field_name("alias")
                target = alias.named_child(0) if alias is not None else None
                entered = Entered(expression(reading.text, value.named_child(0)), asynchronous)
                found += _through(reading, target, entered, None, receiver)
    return found


def _through(
    reading: Reading,
    target: tree_sitter.Node | None,
    value: Expression,
    annotation: TypeExpression | None,
    receiver: str,
) -> list[Binding]:
    found: list[Binding] = []
    stack: list[tuple[tree_sitter.Node | None, Expression]] = [(target, value)]
    while stack:
        node, bound = stack.pop()
        if node is None:
            continue
        if node.type == "attribute":
            owner = node.child_by_field_name("object")
            name = node.child_by_field_name("attribute")
            if owner is None or name is None or owner.type != "identifier" or reading.text.of(owner) != receiver:
                continue
            known = None if isinstance(bound, Unknown) and annotation is not None else bound
            found.append(Binding(reading.text.of(name), name.start_byte, "variable", annotation, known))
        elif node.type in ("pattern_list", "tuple_pattern", "list_pattern", "tuple", "list"):
            stack.extend(reversed(unpacked(node, bound)))
        elif node.type == "parenthesized_expression":
            stack.append((node.named_child(0), bound))
    return found

"""The scopes that a name is looked up in: blocks, functions, the file. A name holds from its declaration on."""

from __future__ import annotations

import tree_sitter

from graph.expressions import Binding, BindingKind, Expression, Scope, TypeExpression, TypeName
from graph.languages.go.annotations import SLICE, parameters_in, type_expression
from graph.languages.go.lower import UNKNOWN, assigned, expression, ranged
from graph.languages.go.reading import Reading

Declared = list[tuple[int, Binding]]
"""(offset from which it holds, binding) of the names that a node declares, in source order."""

_FUNCTIONS = frozenset({"function_declaration", "method_declaration", "func_literal"})
_GENERIC = frozenset({"function_declaration", "method_declaration", "type_spec", "type_alias"})
_WITH_START = frozenset({"if_statement", "expression_switch_statement", "type_switch_statement"})


def scopes_at(reading: Reading, at: int) -> tuple[Scope, ...]:
    """The scopes of a name at `at`, innermost first, the file's last."""
    found: list[Scope] = []
    path = reading.path(at)
    for depth, node in enumerate(path):
        kind = node.type
        if kind in _GENERIC:
            _append(reading, found, node, "type parameters", at)
        if kind in _FUNCTIONS:
            body = node.child_by_field_name("body")
            if body is not None and body.start_byte <= at:
                _append(reading, found, node, "parameters", at)
        elif kind == "type_case" or kind == "default_case":
            around = next((each for each in reversed(path[:depth]) if each.type.endswith("switch_statement")), None)
            if around is not None and around.type == "type_switch_statement":
                _append(reading, found, node, "case", at, around)
        elif kind == "communication_case":
            _append(reading, found, node, "received", at)
        elif kind == "statement_list":
            _append(reading, found, node, "statements", at)
        elif kind == "for_statement":
            _append(reading, found, node, "loop", at)
        if kind in _WITH_START:
            _append(reading, found, node, "start", at)
    found.append(Scope("module", 0, len(reading.source), -1, {}))
    found.reverse()
    return (*found[1:], found[0]) if found[0].kind == "module" else tuple(found)


def _append(
    reading: Reading,
    found: list[Scope],
    node: tree_sitter.Node,
    what: str,
    at: int,
    around: tree_sitter.Node | None = None,
) -> None:
    key = ("declared", node.start_byte, node.end_byte, what)
    declared: Declared | None = reading.cache.get(key)
    if declared is None:
        declared = reading.cache[key] = _declared(reading, node, what, around)
    if not declared:
        return
    count = len(declared)
    while count and declared[count - 1][0] > at:
        count -= 1
    if not count:
        return
    scope: Scope | None = reading.cache.get((*key, count))
    if scope is None:
        bindings: dict[str, Binding] = {}
        for _, binding in declared[:count]:
            known = bindings.get(binding.name)
            # A name declared again by `:=` in the same block is the same variable: its first type stays.
            if known is None or (known.annotation is None and known.value == UNKNOWN and known.kind == "variable"):
                bindings[binding.name] = binding
        kind = "function" if what == "parameters" else "block"
        table = {name: (binding,) for name, binding in bindings.items()}
        scope = Scope(kind, node.start_byte, node.end_byte, -1, table)  # type: ignore[arg-type]
        reading.cache[*key, count] = scope
    found.append(scope)


def _declared(reading: Reading, node: tree_sitter.Node, what: str, around: tree_sitter.Node | None) -> Declared:
    if what == "type parameters":
        return _type_parameters(reading, node)
    if what == "parameters":
        return _parameters(reading, node)
    if what == "case":
        return _case(reading, node, around) if around is not None else []
    if what == "received":
        return _received(reading, node)
    found: Declared = []
    if what == "statements":
        for child in node.named_children:
            while child.type == "labeled_statement" and child.named_child_count > 1:
                child = child.named_children[-1]
            _statement(reading, child, found)
    elif what == "start":
        start = node.child_by_field_name("initializer")
        if start is not None:
            _statement(reading, start, found)
    else:
        _loop(reading, node, found)
    return found


def _binding(
    reading: Reading,
    name: tree_sitter.Node,
    annotation: TypeExpression | None = None,
    value: Expression | None = None,
    kind: BindingKind = "variable",
    index: int = -1,
) -> Binding:
    return Binding(reading.text(name), name.start_byte, kind, annotation, value, index)


def type_parameters_in(
    reading: Reading, node: tree_sitter.Node
) -> list[tuple[tree_sitter.Node, TypeExpression | None]]:
    """(name, bound) of the type parameters that a function or type declares, or that a method's receiver names."""
    found: list[tuple[tree_sitter.Node, TypeExpression | None]] = []
    listed = node.child_by_field_name("type_parameters")
    if node.type == "method_declaration":
        listed = reading.own_type_parameters(node)
    for child in listed.named_children if listed is not None else ():
        if child.type == "type_parameter_declaration":
            bound = type_expression(reading, child.child_by_field_name("type"))
            plain = bound if isinstance(bound, TypeName) and bound.name not in ("any", "comparable") else None
            found += [(name, plain) for name in child.children_by_field_name("name")]
    receiver = node.child_by_field_name("receiver")
    for _ in range(8):
        if receiver is None or receiver.type == "generic_type":
            break
        receiver = receiver.child_by_field_name("type") or (
            receiver.named_children[0] if receiver.named_child_count else None
        )
    stated = receiver.child_by_field_name("type_arguments") if receiver is not None else None
    for argument in stated.named_children if stated is not None else ():
        name = argument.named_children[0] if argument.type == "type_elem" and argument.named_child_count else argument
        if name.type == "type_identifier":
            found.append((name, None))
    return found


def _type_parameters(reading: Reading, node: tree_sitter.Node) -> Declared:
    return [
        (node.start_byte, _binding(reading, name, bound, kind="type-parameter"))
        for name, bound in type_parameters_in(reading, node)
    ]


def _parameters(reading: Reading, node: tree_sitter.Node) -> Declared:
    """Receiver, parameters and named results."""
    found: Declared = []
    for field in ("receiver", "parameters", "result"):
        listed = node.child_by_field_name(field)
        if listed is None or listed.type != "parameter_list":
            continue
        rest = {
            name.start_byte
            for child in listed.named_children
            if child.type == "variadic_parameter_declaration"
            for name in child.children_by_field_name("name")
        }
        for name, written in parameters_in(reading, listed):
            if name is not None:
                stated = TypeName(SLICE, name.start_byte, (written,)) if name.start_byte in rest else written
                found.append((node.start_byte, _binding(reading, name, stated, kind="parameter")))
    return found


def _statement(reading: Reading, node: tree_sitter.Node, found: Declared) -> None:
    """The names that a statement declares."""
    kind = node.type
    if kind == "short_var_declaration":
        _short(reading, node, found)
    elif kind in ("var_declaration", "const_declaration"):
        pending = list(reversed(node.named_children))
        while pending:
            spec = pending.pop()
            if spec.type == "var_spec_list":
                pending.extend(reversed(spec.named_children))
            elif spec.type in ("var_spec", "const_spec"):
                found += [(spec.end_byte, each) for each in spec_bindings(reading, spec)]
    elif kind == "type_declaration":
        for spec in node.named_children:
            name = spec.child_by_field_name("name")
            index = reading.definition_at.get(name.start_byte, -1) if name is not None else -1
            if name is not None and index >= 0:
                found.append((name.start_byte, _binding(reading, name, kind="definition", index=index)))


def spec_bindings(reading: Reading, spec: tree_sitter.Node) -> list[Binding]:
    """The names that `a, b T = x, y` in a `var` or `const` declares."""
    names = [each for each in spec.children_by_field_name("name") if each.type == "identifier"]
    written = spec.child_by_field_name("type")
    annotation = type_expression(reading, written) if written is not None else None
    value = spec.child_by_field_name("value")
    values = [each for each in value.named_children if each.type != "comment"] if value is not None else []
    return [
        _binding(reading, name, annotation, assigned(reading, len(names), values, position) if values else UNKNOWN)
        for position, name in enumerate(names)
    ]


def _short(reading: Reading, node: tree_sitter.Node, found: Declared) -> None:
    names = _names(node.child_by_field_name("left"))
    right = node.child_by_field_name("right")
    values = [each for each in right.named_children if each.type != "comment"] if right is not None else []
    for position, name in enumerate(names):
        if name.type == "identifier":
            value = assigned(reading, len(names), values, position)
            found.append((node.end_byte, _binding(reading, name, None, value)))


def _names(left: tree_sitter.Node | None) -> list[tree_sitter.Node]:
    return [each for each in left.named_children if each.type != "comment"] if left is not None else []


def _loop(reading: Reading, node: tree_sitter.Node, found: Declared) -> None:
    for child in node.named_children:
        if child.type == "range_clause" and any(each.type == ":=" for each in child.children):
            value = child.child_by_field_name("right")
            for position, name in enumerate(_names(child.child_by_field_name("left"))):
                if name.type == "identifier":
                    found.append((child.end_byte, _binding(reading, name, None, ranged(reading, value, position))))
        elif child.type == "for_clause":
            start = child.child_by_field_name("initializer")
            if start is not None:
                _statement(reading, start, found)


def _case(reading: Reading, node: tree_sitter.Node, around: tree_sitter.Node) -> Declared:
    """The variable of `switch v := x.(type)` in one case: of the case's type, or, where it has several, of x's."""
    alias = _names(around.child_by_field_name("alias"))
    if not alias:
        return []
    types = node.children_by_field_name("type")
    annotation: TypeExpression | None = None
    if len(types) == 1 and reading.text(types[0]) != "nil":
        annotation = type_expression(reading, types[0])
    value = expression(reading, around.child_by_field_name("value")) if annotation is None else None
    start = types[-1].end_byte if types else node.start_byte
    return [(start, _binding(reading, alias[0], annotation, value))]


def _received(reading: Reading, node: tree_sitter.Node) -> Declared:
    """`case v, ok := <-c:`."""
    received = node.child_by_field_name("communication")
    if received is None or received.type != "receive_statement" or all(each.type != ":=" for each in received.children):
        return []
    right = received.child_by_field_name("right")
    names = _names(received.child_by_field_name("left"))
    values = [right] if right is not None else []
    return [
        (received.end_byte, _binding(reading, name, None, assigned(reading, len(names), values, position)))
        for position, name in enumerate(names)
        if name.type == "identifier"
    ]

"""Which names are bound where: blocks, functions, classes, namespaces, the module."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from graph import expressions as x
from graph.languages.typescript import declarations as said
from graph.languages.typescript.code import CLASSES, FUNCTIONS, SIGNATURES, Code
from graph.languages.typescript.jsdoc import stated_parameters, stated_type
from graph.languages.typescript.lower import destructured, lower, lowered_alone
from graph.languages.typescript.stated import HOLDERS, is_javascript, types_around
from graph.languages.typescript.types import lower_type

Bindings = dict[str, list[x.Binding]]

MOST_SCOPES = 200
"""Scopes around one place that are looked at; code that is nested deeper was written by no one."""
MOST_WRITES = 40
"""Assignments to one variable that are looked at."""

_BLOCKS = frozenset(
    {
        "statement_block", "switch_body", "for_statement", "for_in_statement", "catch_clause", "class_static_block",
        "enum_body", "conditional_type", "index_signature", "interface_declaration", "type_alias_declaration",
    }
)  # fmt: skip
_SCOPES = frozenset({*FUNCTIONS, *SIGNATURES, *CLASSES, *_BLOCKS, "internal_module", "module"})
_STATEMENTS = frozenset(
    {
        "statement_block", "if_statement", "else_clause", "for_statement", "for_in_statement", "while_statement",
        "do_statement", "try_statement", "catch_clause", "finally_clause", "switch_statement", "switch_body",
        "switch_case", "switch_default", "labeled_statement",
    }
)  # fmt: skip
"""Nodes in which a hoisted `var` may stand."""
_DECLARED = frozenset(
    {
        "function_declaration", "generator_function_declaration", "function_signature", "class_declaration",
        "abstract_class_declaration", "interface_declaration", "type_alias_declaration", "enum_declaration",
        "internal_module", "module", "import_alias",
    }
)  # fmt: skip


def scopes(code: Code, at: int) -> tuple[x.Scope, ...]:
    """The scopes that a name at `at` is looked up in, innermost first."""
    way = code.way(at)
    found: list[x.Scope] = []
    for position in range(len(way) - 1, -1, -1):
        if way[position].type in _SCOPES and not _is_body(way, position):
            found.append(scope_of(code, way, position))
            if len(found) >= MOST_SCOPES:
                break
    found.append(_module_scope(code))
    return tuple(found)


def _is_body(way: list[Node], position: int) -> bool:
    """Whether the block is the body of a function or namespace, whose scope has its names already."""
    if way[position].type != "statement_block" or not position:
        return False
    return way[position - 1].type in FUNCTIONS or way[position - 1].type in ("internal_module", "module")


def scope_of(code: Code, way: list[Node], position: int) -> x.Scope:
    """The scope that the node at `position` of `way` opens."""
    node = way[position]
    key = ("scope", node.start_byte, node.end_byte, node.type)
    known: x.Scope | None = code.cache.get(key)
    if known is not None:
        return known
    bindings = own_bindings(code, way, position)
    final = {name: tuple(each) for name, each in _with_writes(code, node, bindings).items()}
    kind = node.type
    is_function = kind in FUNCTIONS or kind in SIGNATURES
    definition = code.index_of(node, way, position) if kind in FUNCTIONS or kind in CLASSES else -1
    scope = x.Scope("function" if is_function else "block", node.start_byte, node.end_byte, definition, final)
    code.cache[key] = scope
    return scope


def _module_scope(code: Code) -> x.Scope:
    known: x.Scope | None = code.cache.get("module scope")
    if known is not None:
        return known
    bindings: Bindings = {}
    for index, each in enumerate(code.facts.imports):
        if each.local is not None and each.top:
            _bind(bindings, x.Binding(each.local, each.at, "import", index=index))
    for index, definition in enumerate(code.facts.definitions):
        if definition.parent < 0 and not {"local", "assigned"} & set(definition.modifiers):
            _bind(bindings, x.Binding(definition.name, definition.at, "definition", index=index))
    for name, at, binding in _hoisted(code, code.root):
        if name not in bindings:
            _bind(bindings, binding if binding is not None else x.Binding(name, at, "unbound"))
    scope = x.Scope("module", 0, len(code.source), -1, {name: tuple(each) for name, each in bindings.items()})
    code.cache["module scope"] = scope
    return scope


def _bind(bindings: Bindings, binding: x.Binding) -> None:
    bindings.setdefault(binding.name, []).append(binding)


def own_bindings(code: Code, way: list[Node], position: int) -> Bindings:
    """The names that the node at `position` of `way` itself binds, reassignments aside."""
    node = way[position]
    key = ("bindings", node.start_byte, node.end_byte, node.type)
    known: Bindings | None = code.cache.get(key)
    if known is not None:
        return known
    bindings: Bindings = {}
    kind = node.type
    for parameter in type_parameter_nodes(node):
        _bind_type_parameter(code, bindings, parameter)
    if kind in FUNCTIONS or kind in SIGNATURES:
        _function(code, way, position, bindings)
    elif kind == "class":
        name, index = node.child_by_field_name("name"), code.index_of(node, way, position)
        if name is not None and index >= 0:
            _bind(bindings, x.Binding(code.text(name), name.start_byte, "definition", index=index))
    elif kind in ("statement_block", "class_static_block"):
        _statements(code, node, bindings)
    elif kind == "switch_body":
        for case in node.named_children:
            _statements(code, case, bindings)
    elif kind == "for_statement":
        initializer = node.child_by_field_name("initializer")
        if initializer is not None and initializer.type == "lexical_declaration":
            _variables(code, initializer, bindings)
    elif kind == "for_in_statement":
        _loop(code, node, bindings)
    elif kind == "catch_clause":
        _caught(code, node, bindings)
    elif kind in ("internal_module", "module"):
        body = node.child_by_field_name("body")
        if body is not None:
            _statements(code, body, bindings)
            for name_text, at, binding in _hoisted(code, body):
                _bind(bindings, binding if binding is not None else x.Binding(name_text, at, "unbound"))
    elif kind == "enum_body":
        _enum_members(code, way, position, bindings)
    elif kind == "conditional_type":
        _inferred(code, node, bindings)
    elif kind == "index_signature":
        for clause in node.named_children:
            name = clause.child_by_field_name("name") if clause.type == "mapped_type_clause" else None
            if name is not None:
                _bind(bindings, x.Binding(code.text(name), name.start_byte, "type-parameter"))
    code.cache[key] = bindings
    return bindings


def type_parameter_nodes(node: Node) -> list[Node]:
    """The `type_parameter` nodes that a declaration has."""
    listed = node.child_by_field_name("type_parameters")
    return [] if listed is None else [each for each in listed.named_children if each.type == "type_parameter"]


def _bind_type_parameter(code: Code, bindings: Bindings, parameter: Node) -> None:
    name, constraint = parameter.child_by_field_name("name"), parameter.child_by_field_name("constraint")
    if name is not None:
        bound = None if constraint is None else lower_type(code, constraint)
        _bind(bindings, x.Binding(code.text(name), name.start_byte, "type-parameter", bound))


def _inferred(code: Code, node: Node, bindings: Bindings) -> None:
    right = node.child_by_field_name("right")
    pending = [] if right is None else [right]
    seen = 0
    while pending and seen < 500:
        each = pending.pop()
        seen += 1
        if each.type == "infer_type":
            name = each.named_child(0)
            if name is not None:
                _bind(bindings, x.Binding(code.text(name), name.start_byte, "type-parameter"))
        else:
            pending.extend(each.named_children)


# ------------------------------------------------------------------------------------------------------- functions


def _function(code: Code, way: list[Node], position: int, bindings: Bindings) -> None:
    node = way[position]
    if node.type in ("function_expression", "generator_function"):
        name = node.child_by_field_name("name")
        if name is not None:
            index = code.index_of(node, way, position)
            text = code.text(name)
            if index >= 0:
                _bind(bindings, x.Binding(text, name.start_byte, "definition", index=index))
            else:
                _bind(bindings, x.Binding(text, name.start_byte, "variable", value=x.Function(node.start_byte)))
    context = _context(code, way, position) if node.type in FUNCTIONS else None
    holder = _holder(code, way, position)
    around: list[x.TypeExpression | None] | None = None
    for place, (pattern, annotation, default) in enumerate(parameters(code, node)):
        if annotation is None and holder is not None and pattern.type != "rest_pattern":
            if around is None:
                around = types_around(code, holder)
            annotation = around[place] if place < len(around) else None
        value = x.Unknown() if context is None else _context_parameter(context, place)
        _pattern(code, pattern, annotation, value, default, "parameter", bindings)
    body = node.child_by_field_name("body")
    if body is not None and body.type == "statement_block":
        _statements(code, body, bindings)
        for name_text, at, binding in _hoisted(code, body):
            found = binding if binding is not None else x.Binding(name_text, at, "unbound")
            if found not in bindings.get(name_text, ()):
                _bind(bindings, found)


def parameters(code: Code, function: Node) -> list[tuple[Node, x.TypeExpression | None, x.Expression | None]]:
    """The parameters of a function or signature: (pattern, declared type, default), without an explicit `this`."""
    single = function.child_by_field_name("parameter")
    if single is not None:
        return [(single, None, None)]
    listed = function.child_by_field_name("parameters")
    if listed is None:
        return []
    stated = stated_parameters(code, function) if code.grammars.name == "javascript" else {}
    found: list[tuple[Node, x.TypeExpression | None, x.Expression | None]] = []
    for each in said.real_children(listed):
        pattern, annotation, default = each, None, None
        if each.type in ("required_parameter", "optional_parameter"):
            inner = each.child_by_field_name("pattern")
            if inner is None or inner.type == "this":
                continue
            pattern = inner
            annotation = each.child_by_field_name("type")
            default = each.child_by_field_name("value")
        elif each.type == "assignment_pattern":
            inner = each.child_by_field_name("left")
            if inner is None:
                continue
            pattern, default = inner, each.child_by_field_name("right")
        name = code.text(pattern).removeprefix("...")
        lowered = lower_type(code, annotation) if annotation is not None else stated.get(name)
        found.append((pattern, lowered, None if default is None else lower(code, default)))
    return found


def _holder(code: Code, way: list[Node], position: int) -> Node | None:
    """The variable or field that holds the function at `position` of `way` and may state its type."""
    position -= 1
    while position > 0 and way[position].type in said.WRAPPERS:
        position -= 1
    return way[position] if position > 0 and way[position].type in HOLDERS and not is_javascript(code) else None


class _Passed(tuple[x.Expression, int]):
    """(call, argument index) of a function that is passed to a call."""


def _context(code: Code, way: list[Node], position: int) -> _Passed | None:
    """The call that the function at `position` of `way` is an argument of."""
    position -= 1
    while position > 0 and way[position].type in said.WRAPPERS:
        position -= 1
    if position < 1 or way[position].type != "arguments":
        return None
    call = way[position - 1]
    if call.type not in ("call_expression", "new_expression"):
        return None
    child = way[position + 1]
    for index, each in enumerate(said.real_children(way[position])):
        if each == child:
            key = ("call", call.start_byte, call.end_byte)
            if key not in code.cache:
                code.cache[key] = _call_of(code, call)
            return _Passed((code.cache[key], index))
    return None


def _call_of(code: Code, call: Node) -> x.Expression:
    """The call itself, even where lowering takes it for the function that it gives back."""
    lowered = lowered_alone(code, call)
    if isinstance(lowered, x.Call | x.Construct):
        return lowered
    callee = call.child_by_field_name("function")
    return x.Call(lower(code, callee), (), call.start_byte, call.end_byte)


def _context_parameter(passed: _Passed, position: int) -> x.Expression:
    call, argument = passed
    if isinstance(call, x.Call) and isinstance(call.callee, x.Member) and call.callee.name == "then":
        module = call.callee.object
        if isinstance(module, x.ModuleExpression) and argument == 0 and position == 0:
            return module
    return x.ContextParameter(call, argument, position)


# ------------------------------------------------------------------------------------------------------ statements


def _statements(code: Code, block: Node, bindings: Bindings) -> None:
    """What the statements directly in a block declare."""
    for statement in block.named_children:
        kind = statement.type
        while kind in ("export_statement", "ambient_declaration", "expression_statement"):
            inner = statement.child_by_field_name("declaration") or statement.named_child(0)
            if inner is None or (kind == "expression_statement" and inner.type != "internal_module"):
                break
            statement, kind = inner, inner.type
        if kind == "lexical_declaration" or (
            kind == "variable_declaration" and block.type not in ("statement_block", "switch_case")
        ):
            _variables(code, statement, bindings)
        elif kind in _DECLARED:
            _declared(code, statement, bindings)


def _declared(code: Code, node: Node, bindings: Bindings) -> None:
    name: Node | None = node.child_by_field_name("name") or node.named_child(0)
    while name is not None and name.type == "nested_identifier":
        name = name.child_by_field_name("object")
    if name is None:
        return
    index = code.definition_at.get(name.start_byte, -1)
    if index >= 0:
        _bind(bindings, x.Binding(code.text(name), name.start_byte, "definition", index=index))


def _variables(code: Code, declaration: Node, bindings: Bindings) -> None:
    for declarator in declaration.named_children:
        if declarator.type == "variable_declarator":
            _declarator(code, declarator, bindings)


def _declarator(code: Code, declarator: Node, bindings: Bindings) -> None:
    pattern = declarator.child_by_field_name("name")
    if pattern is None:
        return
    if pattern.type == "identifier":
        index = code.definition_at.get(pattern.start_byte, -1)
        if index >= 0:
            _bind(bindings, x.Binding(code.text(pattern), pattern.start_byte, "definition", index=index))
            return
    annotation = stated_annotation(code, declarator)
    value = declarator.child_by_field_name("value")
    lowered = x.Unknown() if value is None else lower(code, value)
    _pattern(code, pattern, annotation, lowered, None, "variable", bindings, declarator)


def stated_annotation(code: Code, declarator: Node) -> x.TypeExpression | None:
    """The declared type of a variable or field."""
    annotation = declarator.child_by_field_name("type")
    if annotation is not None:
        return lower_type(code, annotation)
    return stated_type(code, declarator) if code.grammars.name == "javascript" else None


def _pattern(
    code: Code,
    pattern: Node,
    annotation: x.TypeExpression | None,
    value: x.Expression,
    default: x.Expression | None,
    kind: x.BindingKind,
    bindings: Bindings,
    declarator: Node | None = None,
) -> None:
    """Bind the names of a pattern that takes `value` (declared as `annotation`) apart."""
    if default is not None:
        value = default if isinstance(value, x.Unknown) else x.Either((value, default))
    inner = pattern.named_child(0) if pattern.type == "rest_pattern" else pattern
    if inner is None:
        return
    if inner.type == "identifier":
        name = code.text(inner)
        imported = code.import_of(name, declarator) if declarator is not None else -1
        if imported >= 0:
            _bind(bindings, x.Binding(name, inner.start_byte, "import", index=imported))
            return
        given = None if isinstance(value, x.Unknown) else value
        _bind(bindings, x.Binding(name, inner.start_byte, kind, annotation, given))
        return
    taken = value if annotation is None else x.Cast(annotation, value)
    for bound in sorted(destructured(code, inner, taken), key=lambda each: each.key.start_byte):
        if bound.binding is None:
            continue
        name = code.text(bound.binding)
        imported = code.import_of(name, declarator) if declarator is not None else -1
        if imported >= 0:
            _bind(bindings, x.Binding(name, bound.binding.start_byte, "import", index=imported))
        else:
            _bind(bindings, x.Binding(name, bound.binding.start_byte, kind, None, bound.value))


def _hoisted(code: Code, body: Node) -> Iterator[tuple[str, int, x.Binding | None]]:
    """`var` declarations anywhere in a function's body (or the module), nested functions aside."""
    pending = [*reversed(body.named_children)]
    seen = 0
    while pending and seen < 20_000:
        node = pending.pop()
        seen += 1
        kind = node.type
        if kind == "export_statement":
            continue
        if kind == "variable_declaration":
            found: Bindings = {}
            _variables(code, node, found)
            for name, each in found.items():
                yield name, each[0].at, each[0]
        elif kind == "for_in_statement" and any(child.type == "var" for child in node.children):
            looped: Bindings = {}
            _loop(code, node, looped, hoisted=True)
            for name, each in looped.items():
                yield name, each[0].at, each[0]
            pending.extend(reversed(node.named_children))
        elif kind in _STATEMENTS:
            pending.extend(reversed(node.named_children))


def _loop(code: Code, node: Node, bindings: Bindings, hoisted: bool = False) -> None:
    """The variable of `for (const x of xs)`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or node.child_by_field_name("kind") is None:
        return
    operator = node.child_by_field_name("operator")
    value: x.Expression = x.Literal_("String")
    if operator is None or operator.type != "in":
        waits = any(child.type == "await" for child in node.children)
        value = x.Element(lower(code, right), waits)
    _pattern(code, left, None, value, None, "variable", bindings)


def _caught(code: Code, node: Node, bindings: Bindings) -> None:
    parameter, annotation = node.child_by_field_name("parameter"), node.child_by_field_name("type")
    if parameter is None:
        return
    if annotation is not None:
        _pattern(code, parameter, lower_type(code, annotation), x.Unknown(), None, "variable", bindings)
        return
    found: Bindings = {}
    _pattern(code, parameter, None, x.Unknown(), None, "variable", found)
    for name, each in found.items():
        _bind(bindings, x.Binding(name, each[0].at, "unbound"))


def _enum_members(code: Code, way: list[Node], position: int, bindings: Bindings) -> None:
    enum = way[position - 1] if position else None
    name = None if enum is None else enum.child_by_field_name("name")
    if enum is None or name is None:
        return
    for member in way[position].named_children:
        key = member.child_by_field_name("name") if member.type == "enum_assignment" else member
        if key is not None and key.type == "property_identifier":
            text = code.text(key)
            value = x.Member(x.Name(code.text(name), enum.start_byte), text, key.start_byte)
            _bind(bindings, x.Binding(text, key.start_byte, "variable", value=value))


# ---------------------------------------------------------------------------------------------------- reassignments


def _with_writes(code: Code, node: Node, bindings: Bindings) -> Bindings:
    """The bindings with what is assigned later to the variables that have no declared type."""
    writes = code.writes()
    merged = bindings
    for name in writes.keys() & bindings.keys() if writes else ():
        declared = bindings[name]
        if declared[0].kind not in ("variable", "parameter") or declared[0].annotation is not None:
            continue
        found: list[x.Binding] = []
        for place in writes[name][:MOST_WRITES]:
            if not node.start_byte <= place.start_byte < node.end_byte:
                continue
            until = _declared_by(code, code.above(place), name, node)
            if until is not None:
                value = lower(code, place.child_by_field_name("right"))
                found.append(x.Binding(name, place.start_byte, declared[0].kind, None, value, until=until))
        if found:
            merged = dict(merged) if merged is bindings else merged
            # `let x;` alone says nothing of x
            silent = declared[0].value is None and declared[0].kind == "variable"
            merged[name] = [*(() if silent else declared), *found]
    return merged


def _declared_by(code: Code, way: list[Node], name: str, node: Node) -> int | None:
    """The end of the block around an assignment, when the name that it assigns is the one that `node` declares."""
    until = 0
    for position in range(len(way) - 1, -1, -1):
        each = way[position]
        if not until and each.type in ("statement_block", "arrow_function", "program", "switch_case"):
            until = each.end_byte
        if each == node:
            return until or node.end_byte
        opens = each.type in _SCOPES and not _is_body(way, position)
        if opens and name in own_bindings(code, way, position):
            return None
    return None

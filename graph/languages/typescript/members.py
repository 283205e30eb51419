"""What definitions hold: bases, type parameters, fields, parameters, results, values."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from graph import expressions as x
from graph.languages.typescript import declarations as said
from graph.languages.typescript.code import CLASSES, FUNCTIONS, SIGNATURES, Code
from graph.languages.typescript.jsdoc import stated_result
from graph.languages.typescript.lower import destructured, lower
from graph.languages.typescript.scopes import parameters, stated_annotation, type_parameter_nodes
from graph.languages.typescript.stated import stated_types
from graph.languages.typescript.types import lower_type, object_type, type_arguments, type_member

_ADDED_TO = frozenset({"class", "function", "component", "constant", "variable"})
"""Kinds of definitions that a statement may put properties on."""
MOST_RETURNS = 40
"""Return statements of one function that are looked at."""


# ------------------------------------------------------------------------------------------------------------ types


def bases(code: Code, index: int) -> tuple[x.Base, ...]:
    """A class's or interface's bases, in order."""
    node = code.declaring(index) if code.facts.definitions[index].kind == "interface" else code.value_node(index)
    if node is None:
        return ()
    found: list[x.Base] = []
    for child in node.named_children:
        if child.type == "class_heritage":
            for clause in child.named_children:
                if clause.type == "extends_clause":
                    value = clause.child_by_field_name("value")
                    found.append(x.Base(lower(code, value), type_arguments(code, clause)))
                elif clause.type == "implements_clause":
                    found.extend(_type_base(code, each, "implements") for each in said.real_children(clause))
                elif clause.type != "comment":
                    found.append(x.Base(lower(code, clause)))
        elif child.type == "extends_type_clause":
            found.extend(_type_base(code, each, "extends") for each in said.real_children(child))
    return tuple(found)


def _type_base(code: Code, node: Node, via: str) -> x.Base:
    arguments = type_arguments(code, node) if node.type == "generic_type" else ()
    name = node.child_by_field_name("name") if node.type == "generic_type" else node
    return x.Base(lower(code, name), arguments, "implements" if via == "implements" else "extends")


def type_parameters(code: Code, index: int) -> tuple[x.TypeParameter, ...]:
    """The declared type parameters."""
    node = code.value_node(index)
    if code.facts.definitions[index].kind in ("type", "interface"):
        node = code.declaring(index)
    found: list[x.TypeParameter] = []
    for each in type_parameter_nodes(node) if node is not None else ():
        name, constraint = each.child_by_field_name("name"), each.child_by_field_name("constraint")
        if name is not None:
            found.append(x.TypeParameter(code.text(name), None if constraint is None else lower_type(code, constraint)))
    return tuple(found)


def alias(code: Code, index: int) -> x.TypeExpression | None:
    """What a type alias stands for; None for one that is an object type with methods, whose members are definitions."""
    definition = code.facts.definitions[index]
    node = code.declaring(index)
    if definition.kind != "type" or node is None:
        return None
    value = node.child_by_field_name("value")
    return None if value is None else lower_type(code, value)


def shape(code: Code, index: int) -> x.ObjectType | None:
    """The members that an interface's own body declares; None for anything else."""
    node = code.declaring(index)
    body = node.child_by_field_name("body") if node is not None else None
    if code.facts.definitions[index].kind != "interface" or body is None:
        return None
    return object_type(code, body)


# ----------------------------------------------------------------------------------------------------------- fields


def fields(code: Code, index: int) -> dict[str, tuple[x.Binding, ...]]:
    """Fields that are not definitions: declared, parameter properties, assigned through `this`, put on the name of the
    class or function at module level (`Menu.Item = MenuItem`), enum members."""
    node = code.declaring(index)
    definition = code.facts.definitions[index]
    found: dict[str, list[x.Binding]] = {}
    if node is None:
        return {}
    if definition.kind in ("class", "function", "component"):
        held = code.held(node)
        if held is not None and held.type in CLASSES:
            _class_fields(code, held, found)
        if held is not None:
            _assigned(code, held, found)
            if held.type in FUNCTIONS:
                _prototype(code, index, found)
    elif definition.kind in ("interface", "type"):
        body = node.child_by_field_name("body") or node.child_by_field_name("value")
        for each in body.named_children if body is not None else ():
            member = type_member(code, each) if each.type == "property_signature" else None
            if member is not None:
                _add(found, x.Binding(member.name, member.at, "variable", member.type))
    elif definition.kind == "enum":
        _enum(code, node, found)
    if definition.parent < 0 and definition.kind in _ADDED_TO:
        for binding in _put_on(code).get(definition.name, ()):
            _add(found, binding)
    return {name: tuple(each) for name, each in found.items()}


def _add(found: dict[str, list[x.Binding]], binding: x.Binding) -> None:
    found.setdefault(binding.name, []).append(binding)


def _class_fields(code: Code, node: Node, found: dict[str, list[x.Binding]]) -> None:
    body = node.child_by_field_name("body")
    for member in body.named_children if body is not None else ():
        if member.type in ("public_field_definition", "field_definition"):
            name = member.child_by_field_name("name") or member.child_by_field_name("property")
            if name is None or name.type == "computed_property_name" or name.start_byte in code.definition_at:
                continue
            text, at = code.text(name), name.start_byte
            if name.type == "string":
                text, at = text[1:-1], at + 1
            value = member.child_by_field_name("value")
            lowered = None if value is None else lower(code, value)
            _add(found, x.Binding(text, at, "variable", stated_annotation(code, member), lowered))
        elif member.type == "method_definition":
            name = member.child_by_field_name("name")
            if name is not None and code.text(name) == "constructor":
                _parameter_properties(code, member, found)


def _parameter_properties(code: Code, constructor: Node, found: dict[str, list[x.Binding]]) -> None:
    listed = constructor.child_by_field_name("parameters")
    for each in listed.named_children if listed is not None else ():
        if any(child.type in ("accessibility_modifier", "readonly", "override_modifier") for child in each.children):
            pattern = each.child_by_field_name("pattern")
            annotation = each.child_by_field_name("type")
            value = each.child_by_field_name("value")
            if pattern is not None:
                _add(
                    found,
                    x.Binding(
                        code.text(pattern),
                        pattern.start_byte,
                        "variable",
                        None if annotation is None else lower_type(code, annotation),
                        None if value is None else lower(code, value),
                    ),
                )


def _assigned(code: Code, node: Node, found: dict[str, list[x.Binding]]) -> None:
    """`this.x = value` in the methods of a class, or in a constructor function."""
    for each in _this_assignments(code):
        if not node.start_byte <= each.start_byte < node.end_byte:
            continue
        left = each.child_by_field_name("left")
        name = None if left is None else left.child_by_field_name("property")
        if name is None or owner_node(code, each.start_byte) != node:
            continue
        text = code.text(name)
        if text in found and any(binding.annotation is not None for binding in found[text]):
            continue
        value = lower(code, each.child_by_field_name("right"))
        _add(found, x.Binding(text, name.start_byte, "variable", None, value))


def _put_on(code: Code) -> dict[str, list[x.Binding]]:
    """Name -> what statements of the module put on it, but for what are definitions."""
    known: dict[str, list[x.Binding]] | None = code.cache.get("put on")
    if known is None:
        known = code.cache["put on"] = {}
        for statement in code.root.named_children:
            assigned = said.put_on(statement)
            if assigned is not None:
                name, member, right = assigned
                if member.start_byte not in code.definition_at:
                    binding = x.Binding(code.text(member), member.start_byte, "variable", None, lower(code, right))
                    known.setdefault(code.text(name), []).append(binding)
    return known


def _this_assignments(code: Code) -> list[Node]:
    known: list[Node] | None = code.cache.get("this assignments")
    if known is None:
        known = code.grammars.this_assignments(code.root)
        code.cache["this assignments"] = known
    return known


def _prototype(code: Code, index: int, found: dict[str, list[x.Binding]]) -> None:
    """Fields set through `this` in the prototype methods of a constructor function."""
    for position, definition in enumerate(code.facts.definitions):
        if definition.parent == index and "assigned" in definition.modifiers:
            held = code.value_node(position)
            if held is not None and held.type in FUNCTIONS:
                _assigned(code, held, found)


def _enum(code: Code, node: Node, found: dict[str, list[x.Binding]]) -> None:
    body = node.child_by_field_name("body")
    for member in body.named_children if body is not None else ():
        key = member.child_by_field_name("name") if member.type == "enum_assignment" else member
        if key is None or key.type not in ("property_identifier", "string"):
            continue
        text, at = code.text(key), key.start_byte
        if key.type == "string":
            text, at = text[1:-1], at + 1
        _add(found, x.Binding(text, at, "variable", None, x.Unknown()))


# --------------------------------------------------------------------------------------------------- this and super


def owner_node(code: Code, at: int) -> Node | None:
    """The class (or constructor function, or assigned method) whose `this` holds at an offset."""
    way = code.way(at)
    for position in range(len(way) - 1, 0, -1):
        node, parent = way[position], way[position - 1]
        kind = node.type
        if kind == "class_body":
            return parent
        if kind == "method_definition" and parent.type != "class_body":
            return None
        if kind in ("function_declaration", "function_expression", "generator_function",
                    "generator_function_declaration"):  # fmt: skip
            return node
    return None


def enclosing_class(code: Code, at: int) -> int:
    """Definition index of the class that `this` at an offset belongs to; -1 when there is none."""
    node = owner_node(code, at)
    if node is None:
        return -1
    index = code.index_of(node)
    if index < 0 or node.type in CLASSES:
        return index
    definition = code.facts.definitions[index]
    if "assigned" in definition.modifiers:
        return definition.parent
    # A plain function is a class only where something makes it one: prototype methods.
    made = any(each.parent == index and "assigned" in each.modifiers for each in code.facts.definitions)
    return index if made else -1


# -------------------------------------------------------------------------------------------------------- functions


def result(code: Code, index: int) -> x.Result:
    """What the function or method gives back."""
    node = code.value_node(index)
    return x.Result() if node is None else result_of(code, node)


def function_result(code: Code, at: int) -> x.Result:
    """What the function expression that starts at `at` gives back."""
    for node in reversed(code.way(at)):
        if node.type in FUNCTIONS and node.start_byte == at:
            return result_of(code, node)
    return x.Result()


def runs_as(code: Code, node: Node) -> tuple[bool, bool]:
    """Whether a function node is asynchronous, and whether it is a generator."""
    if node.type == "method_definition":
        name = node.child_by_field_name("name")
        found = said.modifiers(code.source[node.start_byte : name.start_byte] if name is not None else b"")
        return "async" in found, "generator" in found
    first = code.source[node.start_byte : node.start_byte + 200].split(b"(", 1)[0]
    return first.split()[:1] == [b"async"], node.type.startswith("generator_function")


def returned(node: Node) -> Iterator[Node]:
    """What a function node returns: an arrow's expression, or those of its return statements."""
    body = node.child_by_field_name("body")
    if body is None:
        return
    if body.type != "statement_block":
        yield body
        return
    for each, inner in _own_results(body):
        if each.type == "return_statement" and inner is not None:
            yield inner


def result_of(code: Code, node: Node) -> x.Result:
    """What a function node gives back: the declared type as the caller gets it, or else what it returns."""
    annotation = node.child_by_field_name("return_type")
    if annotation is not None:
        return x.Result(annotation=lower_type(code, annotation))
    if node.type in SIGNATURES or node.type not in FUNCTIONS:
        return x.Result()
    stated = stated_result(code, node) if code.grammars.name == "javascript" else None
    if stated is not None:
        return x.Result(annotation=stated)
    asynchronous, generator = runs_as(code, node)
    body = node.child_by_field_name("body")
    if body is None:
        return x.Result()
    if body.type != "statement_block":
        return x.Result(values=(lower(code, body),), asynchronous=asynchronous)
    values: list[x.Expression] = []
    yields: list[x.Expression] = []
    for each, inner in _own_results(body):
        if each.type == "return_statement" and len(values) < MOST_RETURNS:
            if inner is not None:
                values.append(lower(code, inner))
        elif each.type == "yield_expression" and len(yields) < MOST_RETURNS:
            taken = lower(code, inner)
            yields.append(x.Element(taken) if any(child.type == "*" for child in each.children) else taken)
    return x.Result(None, tuple(values), tuple(yields), asynchronous, generator)


def _own_results(body: Node) -> Iterator[tuple[Node, Node | None]]:
    """The return statements and yields of a function, those of functions inside it aside, each with what it gives."""
    pending = [body]
    seen = 0
    while pending and seen < 50_000:
        node = pending.pop()
        seen += 1
        if node.type in ("return_statement", "yield_expression"):
            yield node, next((child for child in node.named_children if child.type != "comment"), None)
        if node.type in FUNCTIONS or node.type in CLASSES:
            continue
        pending.extend(reversed(node.named_children))


def parameter_types(code: Code, index: int) -> tuple[x.ParameterType, ...]:
    """The declared types and defaults of the parameters."""
    around = stated_types(code, index)
    if around is not None:
        return around
    node = code.value_node(index)
    if node is None or (node.type not in FUNCTIONS and node.type not in SIGNATURES):
        return ()
    declared = code.facts.definitions[index].parameters or ()
    found: list[x.ParameterType] = []
    for position, (pattern, annotation, default) in enumerate(parameters(code, node)):
        name = declared[position].name if position < len(declared) else code.text(pattern)
        found.append(x.ParameterType(name, annotation, default))
    return tuple(found)


# ----------------------------------------------------------------------------------------------------------- values


def value(code: Code, index: int) -> x.Binding | None:
    """The annotation and value of a constant, variable or component definition."""
    definition = code.facts.definitions[index]
    node = code.declaring(index)
    if node is None or "namespace" in definition.modifiers:
        return None
    if node.type == "import_alias":
        target = node.named_child(1)
        return x.Binding(definition.name, definition.at, "variable", None, lower(code, target))
    if node.type == "variable_declarator":
        return _variable(code, node, definition.name, definition.at)
    held = code.held(node)
    if held is None:
        return None
    return x.Binding(definition.name, definition.at, "variable", None, lower(code, held))


def _variable(code: Code, node: Node, name: str, at: int) -> x.Binding:
    annotation = stated_annotation(code, node)
    value_node = node.child_by_field_name("value")
    lowered = None if value_node is None else lower(code, value_node)
    pattern = node.child_by_field_name("name")
    if pattern is not None and pattern.type != "identifier":
        taken = lowered if lowered is not None else x.Unknown()
        taken = taken if annotation is None else x.Cast(annotation, taken)
        for bound in destructured(code, pattern, taken):
            if bound.binding is not None and bound.binding.start_byte == at:
                return x.Binding(name, at, "variable", None, bound.value)
        return x.Binding(name, at, "variable")
    if annotation is None and name in code.facts.names:
        written = [
            lower(code, each.child_by_field_name("right")) for each in code.writes().get(name, ())[:MOST_RETURNS]
        ]
        if written and name not in code.facts.local_names:
            options = written if lowered is None else [lowered, *written]
            lowered = options[0] if len(options) == 1 else x.Either(tuple(options))
    return x.Binding(name, at, "variable", annotation, lowered)


def decorated(code: Code, index: int) -> tuple[x.Expression, ...]:
    """The decorators' expressions, outermost first."""
    node = code.declaring(index)
    if node is None:
        return ()
    way = code.above(node)
    found = [each for each in node.named_children if each.type == "decorator"]
    parent = way[-2] if len(way) > 1 else None
    if parent is not None and parent.type == "export_statement":
        found = [each for each in parent.named_children if each.type == "decorator"] + found
    elif parent is not None and parent.type == "class_body":
        before: list[Node] = []
        previous = node.prev_named_sibling
        while previous is not None and previous.type == "decorator":
            before.append(previous)
            previous = previous.prev_named_sibling
        found = [*reversed(before), *found]
    return tuple(lower(code, each.named_child(0)) for each in found)

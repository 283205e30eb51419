"""What classes and functions declare: bases, fields, results, parameters, values."""

from __future__ import annotations

import re
from collections.abc import Mapping

import tree_sitter

from graph.expressions import (
    Base,
    Binding,
    Either,
    Expression,
    IntersectionType,
    Name,
    ParameterType,
    Result,
    TypeExpression,
    TypeName,
    TypeParameter,
    UnionType,
)
from graph.languages.php.docblocks import EMPTY, Docblock, docblock_before
from graph.languages.php.grammar import query
from graph.languages.php.lower import NAMES, NOTHING, UNKNOWN, class_named, expression
from graph.languages.php.reading import CLASSES, CLOSURES, FUNCTIONS, Reading
from graph.languages.php.scopes import parameter_types_of
from graph.languages.php.types import ARRAY, says_something, type_expression

_SET = (
    "(assignment_expression left: (member_access_expression object: (variable_name) @object name: (name) @name)"
    " right: (_) @value)"
)
_BODIES = CLASSES | FUNCTIONS | CLOSURES
MOST_RETURNS = 40


def stated_by(reading: Reading, definition: int) -> Docblock:
    """The docblock before a definition."""
    key = ("stated", definition)
    known: Docblock | None = reading.cache.get(key)
    if known is None:
        node = reading.node(definition)
        known = reading.cache[key] = docblock_before(reading, node.start_byte) if node is not None else EMPTY
    return known


# --------------------------------------------------------------------------------------------------------- classes


def bases(reading: Reading, definition: int) -> tuple[Base, ...]:
    """Traits first (what they bring hides what is inherited), then the class that is extended, then interfaces."""
    node = reading.node(definition)
    if node is None or node.type not in CLASSES:
        return ()
    stated = stated_by(reading, definition)
    arguments = {each.name.lower(): each.arguments for each in stated.bases}
    traits: list[Base] = []
    extended: list[Base] = []
    implemented: list[Base] = []

    def base(name: tree_sitter.Node, into: list[Base], found: dict[str, tuple[TypeExpression, ...]], via: str) -> None:
        value = class_named(reading, name)
        given = found.get(value.id.lower(), ()) if isinstance(value, Name) else ()
        into.append(Base(value, given, "implements" if via == "implements" else "extends"))

    for child in node.named_children:
        if child.type == "base_clause":
            for name in child.named_children:
                if name.type in NAMES:
                    base(name, extended, arguments, "extends")
        elif child.type == "class_interface_clause":
            for name in child.named_children:
                if name.type in NAMES:
                    base(name, implemented, arguments, "implements")
        elif child.type in ("declaration_list", "enum_declaration_list"):
            for used in child.named_children:
                if used.type == "use_declaration":
                    own = docblock_before(reading, used.start_byte)
                    stated_there = arguments | {each.name.lower(): each.arguments for each in own.bases}
                    for name in used.named_children:
                        if name.type in NAMES:
                            base(name, traits, stated_there, "extends")
    found = [*traits, *extended, *implemented]
    if node.type == "enum_declaration":
        found.append(Base(Name("\\BackedEnum", node.start_byte)))
    for each in stated.mixins:
        found.append(Base(Name(each.name, each.at), each.arguments, "metaclass"))
    for answering in () if stated.mixins else _facade(reading, node):
        found.append(Base(answering, (), "metaclass"))
    return tuple(found)


_ACCESSOR = re.compile(
    rb"function\s+getFacadeAccessor\s*\([^{};]*\{\s*return\s+(?:(\\?[A-Za-z_][\w\\]*)::class|['\"][^'\"\n]*['\"])\s*;"
)
_SEEN = re.compile(r"@see[ \t]+(\\?[A-Za-z_][\w\\]*)(?![\w\\:(])")


def _facade(reading: Reading, node: tree_sitter.Node) -> list[Expression]:
    """The classes whose methods a facade passes its static calls to: what `getFacadeAccessor()` returns, and, where
    that is a key or the facade says that calls get further, what its `@see` lines name."""
    found = _ACCESSOR.search(reading.source, node.start_byte, node.end_byte)
    if found is None:
        return []
    answering: list[Expression] = []
    if found.group(1) is not None:
        text = found.group(1).decode("utf-8", "replace")
        answering.append(Name(reading.class_name(text, found.start(1)), found.start(1)))
    at = node.start_byte
    names = [reading.class_name(each.group(1), at) for each in _SEEN.finditer(reading.docblock(at)[1])]
    return answering + [Name(each, at) for each in names]


def renamed(reading: Reading, definition: int) -> Mapping[str, tuple[Expression, str]]:
    """Name -> (trait, its method) of what a class takes from its traits under another name, or by `insteadof`. A trait
    that isn't named is the class's `self`."""
    node = reading.node(definition)
    found: dict[str, tuple[Expression, str]] = {}
    for body in node.named_children if node is not None and node.type in CLASSES else ():
        if body.type not in ("declaration_list", "enum_declaration_list"):
            continue
        for used in body.named_children:
            if used.type != "use_declaration":
                continue
            traits = [class_named(reading, each) for each in used.named_children if each.type in NAMES]
            for listed in used.named_children:
                if listed.type == "use_list":
                    for clause in listed.named_children:
                        _adapted(reading, clause, traits, found)
    return found


def _adapted(
    reading: Reading,
    clause: tree_sitter.Node,
    traits: list[Expression],
    found: dict[str, tuple[Expression, str]],
) -> None:
    parts = [each for each in clause.named_children if each.type not in ("visibility_modifier", "comment")]
    if not parts:
        return
    if parts[0].type == "class_constant_access_expression" and parts[0].named_child_count > 1:
        owner: Expression = class_named(reading, parts[0].named_children[0])
        method = reading.text(parts[0].named_children[1])
    else:
        owner = Either(tuple(traits))
        method = reading.text(parts[0])
    if clause.type == "use_instead_of_clause":
        found[method] = (owner, method)
    elif clause.type == "use_as_clause" and len(parts) > 1:
        found[reading.text(parts[1])] = (owner, method)


def type_parameters(reading: Reading, definition: int) -> tuple[TypeParameter, ...]:
    """The type parameters that the docblock declares."""
    return tuple(TypeParameter(name, bound) for name, bound in stated_by(reading, definition).templates.items())


def fields(reading: Reading, definition: int) -> Mapping[str, tuple[Binding, ...]]:
    """Properties under their names with "$": declared, promoted, of `@property`; and `@method`s under plain names."""
    node = reading.node(definition)
    found: dict[str, list[Binding]] = {}
    untyped: set[str] = set()
    if node is None or node.type not in CLASSES:
        return {}
    body = next((c for c in node.named_children if c.type in ("declaration_list", "enum_declaration_list")), None)
    for child in body.named_children if body is not None else ():
        if child.type == "property_declaration":
            _property(reading, child, found, untyped)
        elif child.type == "method_declaration":
            name = child.child_by_field_name("name")
            if name is not None and reading.text(name).lower() == "__construct":
                _promoted(reading, child, found)
    stated = stated_by(reading, definition)
    at = node.start_byte
    for label, written in stated.properties.items():
        found.setdefault(f"${label}", []).append(Binding(f"${label}", at, "variable", written))
    for label, written in stated.methods.items():
        if not any(each.parent == definition and each.name == label for each in reading.facts.definitions):
            found.setdefault(label, []).append(Binding(label, at, "variable", written))
    if untyped and body is not None:
        _set_in_methods(reading, body, found, untyped)
    return {name: tuple(each) for name, each in found.items()}


def _property(reading: Reading, node: tree_sitter.Node, found: dict[str, list[Binding]], untyped: set[str]) -> None:
    native = node.child_by_field_name("type")
    stated = docblock_before(reading, node.start_byte).variables
    for element in node.named_children:
        name = element.child_by_field_name("name") if element.type == "property_element" else None
        if name is None:
            continue
        text = reading.text(name)
        annotation = stated.get(text[1:]) or stated.get("")
        if annotation is None and native is not None:
            annotation = type_expression(reading, native)
        default = element.child_by_field_name("default_value")
        value: Expression | None = None
        if annotation is None:
            untyped.add(text)
            value = expression(reading, default) if default is not None else None
            if value == NOTHING:
                value = None
        found.setdefault(text, []).append(Binding(text, name.start_byte, "variable", annotation, value))


def _promoted(reading: Reading, method: tree_sitter.Node, found: dict[str, list[Binding]]) -> None:
    listed = method.child_by_field_name("parameters")
    if listed is None or not any(each.type == "property_promotion_parameter" for each in listed.named_children):
        return
    promoted = {
        reading.text(name)
        for each in listed.named_children
        if each.type == "property_promotion_parameter" and (name := each.child_by_field_name("name")) is not None
    }
    for name, annotation, default in parameter_types_of(reading, method, docblock_before(reading, method.start_byte)):
        text = reading.text(name)
        if text in promoted or f"&{text}" in promoted:
            value = expression(reading, default) if annotation is None and default is not None else None
            found.setdefault(text, []).append(Binding(text, name.start_byte, "variable", annotation, value))


def _set_in_methods(
    reading: Reading, body: tree_sitter.Node, found: dict[str, list[Binding]], untyped: set[str]
) -> None:
    """What the class's own methods assign to properties that have no type."""
    for _, captures in tree_sitter.QueryCursor(query(_SET)).matches(body):
        if reading.text(captures["object"][0]) != "$this":
            continue
        name = "$" + reading.text(captures["name"][0])
        if name in untyped and len(found[name]) < 12:
            value = expression(reading, captures["value"][0])
            if value not in (UNKNOWN, NOTHING):
                # At the declaration, so that it does not count as one that is only assigned.
                found[name].append(Binding(name, found[name][0].at, "variable", None, value))
    for name in untyped:
        known = [each for each in found[name] if each.value is not None or each.annotation is not None]
        if known:
            found[name] = known


# ------------------------------------------------------------------------------------------------------- functions


def parameter_types(reading: Reading, definition: int) -> tuple[ParameterType, ...]:
    """The parameters as declared."""
    node = reading.node(definition)
    if node is None or node.type not in FUNCTIONS:
        return ()
    return tuple(
        ParameterType(reading.text(name)[1:], annotation, expression(reading, default) if default is not None else None)
        for name, annotation, default in parameter_types_of(reading, node, stated_by(reading, definition))
    )


def result(reading: Reading, definition: int) -> Result:
    """What a function or method gives back: by its docblock where that tells more than its declaration."""
    node = reading.node(definition)
    if node is None or node.type not in FUNCTIONS:
        return Result()
    found = _result(reading, node, stated_by(reading, definition))
    taken = _taken_as_class(reading, node, definition)
    if found.annotation is not None and taken:
        return Result(_made_of_class(found.annotation, taken), found.values, found.yields, False, found.generator)
    return found


def _taken_as_class(reading: Reading, node: tree_sitter.Node, definition: int) -> frozenset[str]:
    """Type parameters that a parameter takes as `class-string<T>`: they are bound to the class itself."""
    names = stated_by(reading, definition).templates
    if not names:
        return frozenset()
    _, text = reading.docblock(node.start_byte)
    return frozenset(name for name in names if f"class-string<{name}>" in text.replace(" ", ""))


def _made_of_class(written: TypeExpression, taken: frozenset[str], depth: int = 0) -> TypeExpression:
    """The type with instances of the classes in place of the classes."""
    if depth > 8:
        return written
    if isinstance(written, TypeName):
        if written.name in taken:
            return TypeName("InstanceType", written.at, (written,))
        inner = tuple(_made_of_class(each, taken, depth + 1) for each in written.arguments)
        return TypeName(written.name, written.at, inner)
    if isinstance(written, UnionType):
        return UnionType(tuple(_made_of_class(each, taken, depth + 1) for each in written.options))
    if isinstance(written, IntersectionType):
        return IntersectionType(tuple(_made_of_class(each, taken, depth + 1) for each in written.options))
    return written


def function_result(reading: Reading, at: int) -> Result:
    """What the closure that starts at `at` gives back."""
    for node in reversed(reading.path(at)):
        if node.start_byte == at and node.type in CLOSURES:
            return _result(reading, node, docblock_before(reading, at))
    return Result()


def _result(reading: Reading, node: tree_sitter.Node, stated: Docblock) -> Result:
    native = node.child_by_field_name("return_type")
    declared = type_expression(reading, native) if native is not None else None
    if says_something(stated.returns):
        return Result(stated.returns)
    if says_something(declared) and not (isinstance(declared, TypeName) and declared.name == ARRAY):
        return Result(declared)
    body = node.child_by_field_name("body")
    if node.type == "arrow_function":
        return Result(None, (expression(reading, body),)) if body is not None else Result()
    if body is None:
        return Result(declared)
    values, yields = _given(reading, body)
    if yields:
        return Result(None, (), yields, False, True)
    if declared is not None and not values:
        return Result(declared)
    if not values and reading.facts and node.type == "method_declaration" and not body.named_child_count:
        return Result(None, (UNKNOWN,))  # an empty body: it is for subclasses to say
    return Result(None, values)


def _given(reading: Reading, body: tree_sitter.Node) -> tuple[tuple[Expression, ...], tuple[Expression, ...]]:
    """What is returned and what is yielded."""
    values: list[Expression] = []
    yields: list[Expression] = []
    pending = [body]
    while pending and len(values) < MOST_RETURNS:
        node = pending.pop()
        if node.type in _BODIES:
            continue
        if node.type == "return_statement":
            inner = [each for each in node.named_children if each.type != "comment"]
            if inner:
                values.append(expression(reading, inner[0]))
        elif node.type == "yield_expression":
            inner = [each for each in node.named_children if each.type == "array_element_initializer"]
            parts = inner[0].named_children if inner else []
            yields.append(expression(reading, parts[-1]) if parts else UNKNOWN)
        pending.extend(reversed(node.named_children))
    return tuple(values), tuple(yields)


def value(reading: Reading, definition: int) -> Binding | None:
    """What a constant is; an enum's case is an instance of the enum."""
    wanted = reading.facts.definitions[definition]
    node = reading.node(definition)
    if node is None:
        return None
    if node.type == "enum_case":
        return Binding(wanted.name, wanted.at, "variable", TypeName("self", wanted.at))
    if node.type == "const_declaration":
        node = next((each for each in node.named_children if each.type == "const_element"), node)
    parts = node.named_children
    return Binding(wanted.name, wanted.at, "variable", None, expression(reading, parts[1]) if len(parts) > 1 else None)


def decorated(reading: Reading, definition: int) -> tuple[Expression, ...]:
    """The attributes' classes."""
    node = reading.node(definition)
    listed = [each for each in node.children if each.type == "attribute_list"] if node is not None else []
    return tuple(
        class_named(reading, attribute.named_children[0])
        for each in listed
        for group in each.named_children
        for attribute in group.named_children
        if attribute.type == "attribute" and attribute.named_child_count
    )

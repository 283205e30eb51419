"""What a definition declares beyond its facts: bases, type parameters, results, parameters, values, decorators."""

from __future__ import annotations

import re

import tree_sitter

from graph.expressions import (
    Base,
    Binding,
    Element,
    Expression,
    Literal_,
    ParameterType,
    Result,
    TypeExpression,
    TypeParameter,
    UnionType,
)
from graph.languages.python.annotations import dotted, type_expression
from graph.languages.python.grammar import query
from graph.languages.python.lower import either, expression
from graph.languages.python.parameters import declared
from graph.languages.python.reading import FUNCTION, Reading
from graph.languages.python.scopes import declared_type_parameters, module_scope

MOST_RESULTS = 24  # return and yield expressions of one function that are looked at
_RETURNS = "(return_statement) @return (yield) @yield [(function_definition) (class_definition) (lambda)] @inner"
# An imported name that is written like a type variable.
_VARIABLE_NAME = re.compile(
    r"_?(?:[A-Z]\d?|[KV]T|T_\w+|_?T[A-Z]?\w*_(?:co|contra)|\w*[a-z]T|[A-Z]+_T|\w+_(?:co|contra)|T[A-Z][a-z]\w*)"
)
_FACTORIES = ("TypeVar", "ParamSpec", "TypeVarTuple")


def bases(reading: Reading, definition: int) -> tuple[Base, ...]:
    """The bases of a class in order, and its metaclass; other keywords aside."""
    node = reading.node(definition)
    arguments = node.child_by_field_name("superclasses") if node is not None else None
    found: list[Base] = []
    for child in arguments.named_children if arguments is not None else ():
        kind = child.type
        if kind == "keyword_argument":
            name, value = child.child_by_field_name("name"), child.child_by_field_name("value")
            if name is not None and value is not None and reading.text.of(name) == "metaclass":
                found.append(Base(expression(reading.text, value), via="metaclass"))
            continue
        if kind in ("comment", "dictionary_splat", "list_splat", "ERROR"):
            continue
        if kind == "subscript":
            passed: list[tree_sitter.Node] = []
            for each in child.children_by_field_name("subscript"):
                passed += each.named_children if each.type == "tuple" else [each]
            stated = tuple(type_expression(reading.text, a) for a in passed)
            found.append(Base(expression(reading.text, child.child_by_field_name("value")), stated))
        else:
            found.append(Base(expression(reading.text, child)))
    return tuple(found)


def type_parameters(reading: Reading, definition: int) -> tuple[TypeParameter, ...]:
    """Declared ones (`class C[T]`), those of Generic[T], Protocol[T] and other bases, the type variables that a
    function's signature names, and a type variable itself (`T = TypeVar("T")`)."""
    node = reading.node(definition)
    if node is None:
        return ()
    facts = reading.facts.definitions[definition]
    generics = node.child_by_field_name("type_parameters")
    if node.type == "type_alias_statement":
        left = node.child_by_field_name("left")
        generic = left.named_child(0) if left is not None else None
        generics = generic.named_child(1) if generic is not None and generic.type == "generic_type" else None
    if generics is not None:
        return tuple(
            TypeParameter(reading.text.of(name), bound) for name, bound in declared_type_parameters(reading, generics)
        )
    if node.type == FUNCTION:
        words: list[str] = []
        for parameter in facts.parameters or ():
            words += re.findall(r"\w+", parameter.type or "")
        words += re.findall(r"\w+", facts.returns or "")
        names = [w for w in dict.fromkeys(words) if _is_variable(reading, w)]
        if facts.parent >= 0:
            outer = {p.name for p in type_parameters(reading, facts.parent)}
            names = [n for n in names if n not in outer]
    elif node.type == "assignment":
        value = node.child_by_field_name("right")
        text = reading.text.of(value) if value is not None and value.type in ("subscript", "binary_operator") else ""
        names = [w for w in dict.fromkeys(re.findall(r"\w+", text)) if _is_variable(reading, w)]
        if _variable_call(reading, definition) is not None:
            names = [facts.name]
    else:
        names = _from_bases(reading, node)
    return tuple(TypeParameter(name, _bound(reading, name)) for name in names)


def _from_bases(reading: Reading, node: tree_sitter.Node) -> list[str]:
    arguments = node.child_by_field_name("superclasses")
    stated: list[str] = []
    found: list[str] = []
    for child in arguments.named_children if arguments is not None else ():
        if child.type != "subscript":
            continue
        name = dotted(reading.text, child.child_by_field_name("value"))
        special = reading.text.spellings.special(name) if name else None
        inside = reading.text.of(child).partition("[")[2]
        words = list(dict.fromkeys(re.findall(r"[^\W\d]\w*", inside)))
        if special in ("Generic", "Protocol"):
            stated = stated or words
        else:
            found += [w for w in words if w not in found and _is_variable(reading, w)]
    return stated or found


def _is_variable(reading: Reading, name: str) -> bool:
    """Whether a name is a type variable: made by TypeVar in this file, or imported and written like one."""
    if not name or name not in reading.facts.names:
        return False
    made = _factory(reading, name)
    if made is not None:
        return made
    if _VARIABLE_NAME.fullmatch(name) is None:
        return False
    return any(i.local == name and i.top for i in reading.facts.imports)


def _factory(reading: Reading, name: str) -> bool | None:
    """Whether the file's own `name = ...` calls TypeVar; None when the file has no such assignment."""
    bindings = module_scope(reading).bindings.get(name, ())
    if not bindings or bindings[0].kind != "definition":
        return None
    return _variable_call(reading, bindings[0].index) is not None


def _variable_call(reading: Reading, definition: int) -> tree_sitter.Node | None:
    node = reading.node(definition)
    value = node.child_by_field_name("right") if node is not None and node.type == "assignment" else None
    if value is None or value.type != "call":
        return None
    name = dotted(reading.text, value.child_by_field_name("function"))
    return value if name is not None and name.rpartition(".")[2] in _FACTORIES else None


def _bound(reading: Reading, name: str) -> TypeExpression | None:
    """`bound=` of a TypeVar, or the union of its constraints."""
    bindings = module_scope(reading).bindings.get(name, ())
    call = _variable_call(reading, bindings[0].index) if bindings and bindings[0].kind == "definition" else None
    arguments = call.child_by_field_name("arguments") if call is not None else None
    constraints: list[TypeExpression] = []
    for position, child in enumerate(arguments.named_children if arguments is not None else ()):
        if child.type == "keyword_argument":
            keyword = child.child_by_field_name("name")
            if keyword is not None and reading.text.of(keyword) == "bound":
                return type_expression(reading.text, child.child_by_field_name("value"))
        elif position > 0 and child.type != "comment":
            constraints.append(type_expression(reading.text, child))
    return UnionType(tuple(constraints)) if constraints else None


# -------------------------------------------------------------------------------------------------------- results


def result(reading: Reading, definition: int) -> Result:
    """What a function gives back: its annotation, or what its `return`s and `yield`s say."""
    node = reading.node(definition)
    return _result(reading, node) if node is not None and node.type == FUNCTION else Result()


def function_result(reading: Reading, at: int) -> Result:
    """What the lambda that starts at `at` gives back."""
    node = next((n for n in reading.path(at) if n.type == "lambda" and n.start_byte == at), None)
    if node is None:
        return Result()
    return Result(values=(expression(reading.text, node.child_by_field_name("body")),))


def _result(reading: Reading, node: tree_sitter.Node) -> Result:
    asynchronous = reading.source.startswith(b"async", node.start_byte)
    declared_type = node.child_by_field_name("return_type")
    body = node.child_by_field_name("body")
    values: list[Expression] = []
    yields: list[Expression] = []
    if body is not None:
        captures = tree_sitter.QueryCursor(query(_RETURNS)).captures(body)
        inner = [(n.start_byte, n.end_byte) for n in captures.get("inner", ())]
        returns = _outside(captures.get("return", []), inner)
        yielded = _outside(captures.get("yield", []), inner)
        for each in returns[:MOST_RESULTS]:
            if each.named_child_count:
                values.append(expression(reading.text, next(c for c in each.children if c.is_named)))
        for each in yielded[:MOST_RESULTS]:
            if each.named_child_count:
                value = expression(reading.text, each.named_child(0))
                delegated = any(c.type == "from" for c in each.children)
                yields.append(Element(value) if delegated else value)
        generator = bool(yielded)
    else:
        generator = False
    if declared_type is not None:
        # The annotation says all: `-> Iterator[T]` of a generator is the iterator itself.
        return Result(type_expression(reading.text, declared_type), asynchronous=asynchronous and not generator)
    values = [v for v in dict.fromkeys(values) if v != Literal_("None")] or ([Literal_("None")] if values else [])
    return Result(None, tuple(values), tuple(dict.fromkeys(yields)), asynchronous, generator)


def _outside(nodes: list[tree_sitter.Node], inner: list[tuple[int, int]]) -> list[tree_sitter.Node]:
    """The nodes that lie in none of the spans."""
    return [n for n in nodes if not any(start <= n.start_byte < end for start, end in inner)]


def parameter_types(reading: Reading, definition: int) -> tuple[ParameterType, ...]:
    """The annotation and default of each parameter, as in the definition's `parameters`."""
    node = reading.node(definition)
    if node is None or node.type != FUNCTION:
        return ()
    return tuple(
        ParameterType(
            reading.text.of(name),
            type_expression(reading.text, annotation) if annotation is not None else None,
            expression(reading.text, default) if default is not None else None,
        )
        for name, annotation, default, _ in declared(node.child_by_field_name("parameters"))
    )


# --------------------------------------------------------------------------------------------------------- values


def value(reading: Reading, definition: int) -> Binding | None:
    """The annotation and value of a module-level name, and of `global` assignments to it when it has none itself."""
    facts = reading.facts.definitions[definition]
    bindings = module_scope(reading).bindings.get(facts.name, ())
    own = next((b for b in bindings if b.index == definition), None)
    if own is None:
        return None
    if own.annotation is None and (own.value is None or own.value == Literal_("None")):
        later = [b.value for b in bindings if b.kind == "variable" and b.value is not None]
        if later:
            return Binding(own.name, own.at, "variable", None, either(*later), -1, own.until)
    return Binding(own.name, own.at, "variable", own.annotation, own.value, -1, own.until)


def alias(reading: Reading, definition: int) -> TypeExpression | None:
    """What `type X = T`, `X: TypeAlias = T` or `X = Union[A, B]` stands for; None for other values."""
    node = reading.node(definition)
    if node is None:
        return None
    right = node.child_by_field_name("right")
    if node.type == "type_alias_statement":
        return type_expression(reading.text, right)
    if node.type != "assignment" or right is None:
        return None
    stated = node.child_by_field_name("type")
    if stated is not None and reading.text.of(stated).rpartition(".")[2] == "TypeAlias":
        return type_expression(reading.text, right)
    if stated is not None:
        return None
    if right.type == "call":  # UserId = NewType("UserId", int)
        name = dotted(reading.text, right.child_by_field_name("function"))
        arguments = right.child_by_field_name("arguments")
        if name is not None and name.rpartition(".")[2] == "NewType" and arguments is not None:
            return type_expression(reading.text, arguments.named_child(1))
        return None
    if right.type == "binary_operator" or _is_generic(reading, right):
        found = type_expression(reading.text, right)
        return found if right.type != "binary_operator" or isinstance(found, UnionType) else None
    return None


def _is_generic(reading: Reading, node: tree_sitter.Node) -> bool:
    """Whether an expression is a subscripted class as far as one can see: `List[int]`, `dict[str, X]`."""
    if node.type != "subscript":
        return False
    name = dotted(reading.text, node.child_by_field_name("value"))
    if name is None:
        return False
    last = reading.text.spellings.normalised(name).rpartition(".")[2]
    return last[:1].isupper() or last in ("list", "dict", "set", "frozenset", "tuple", "type", "defaultdict", "deque")


def decorated(reading: Reading, definition: int) -> tuple[Expression, ...]:
    """The decorators' expressions, outermost first."""
    facts = reading.facts.definitions[definition]
    node = next(
        (n for n in reading.path(facts.start) if n.type == "decorated_definition" and n.start_byte == facts.start), None
    )
    if node is None or facts.kind in ("constant", "variable"):
        return ()
    return tuple(
        expression(reading.text, child.named_child(0)) for child in node.named_children if child.type == "decorator"
    )

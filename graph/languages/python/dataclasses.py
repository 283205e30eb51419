"""The constructor that a data class or a named tuple gets from its fields."""

from __future__ import annotations

import tree_sitter

from graph.facts import Parameter
from graph.languages.python.reading import Reading

_MAKERS = frozenset({"dataclass", "dataclasses.dataclass"})
_TUPLES = frozenset({"NamedTuple", "typing.NamedTuple", "t.NamedTuple"})
_FIELDS = frozenset({"field", "dataclasses.field"})


def constructor_fields(reading: Reading, index: int) -> tuple[Parameter, ...] | None:
    """The parameters that the class's own fields make of its constructor, without those of its bases.

    None when it gets no constructor from its fields: it is no data class or named tuple, or has one of its own.
    """
    definition = reading.facts.definitions[index]
    node = reading.node(index)
    body = node.child_by_field_name("body") if node is not None else None
    if definition.kind != "class" or body is None:
        return None
    is_tuple = not _TUPLES.isdisjoint(definition.bases)
    options = {} if is_tuple else _maker_options(reading, index)
    if options is None or options.get("init") == "False":
        return None
    own = {each.name for each in reading.facts.definitions if each.parent == index}
    if not own.isdisjoint({"__init__", "__new__"}):
        return None
    keyword_only = options.get("kw_only") == "True"
    found: dict[str, Parameter] = {}
    for child in body.named_children:
        statement = child.named_child(0) if child.type == "expression_statement" else child
        if statement is None or statement.type != "assignment":
            continue
        name, declared = statement.child_by_field_name("left"), statement.child_by_field_name("type")
        if name is None or declared is None or name.type != "identifier":
            continue
        written = reading.text.of(declared)
        kind = written.partition("[")[0].rpartition(".")[2]
        if kind == "KW_ONLY":
            keyword_only = True
        if kind in ("KW_ONLY", "ClassVar"):
            continue
        value = statement.child_by_field_name("right")
        said = _call_options(reading, value, _FIELDS) or {}
        if said.get("init") == "False":
            continue
        optional = value is not None and (not said or not {"default", "default_factory"}.isdisjoint(said))
        if value is not None and value.type == "call" and not said:
            optional = _called(reading, value) not in _FIELDS
        by_name = said["kw_only"] == "True" if "kw_only" in said else keyword_only
        found[reading.text.of(name)] = Parameter(
            reading.text.of(name), "keyword-only" if by_name else "positional", optional, written
        )
    return tuple(found.values())


def _maker_options(reading: Reading, index: int) -> dict[str, str] | None:
    """The options of the class's `@dataclass`; None when it has none, or a decorator beside it that may make more."""
    node = reading.node(index)
    start = reading.facts.definitions[index].start
    whole = next((each for each in reading.path(start) if each.type == "decorated_definition"), None)
    if node is None or whole is None:
        return None
    for child in whole.named_children:
        expression = child.named_child(0) if child.type == "decorator" else None
        if expression is None:
            continue
        if expression.type == "call" and _called(reading, expression) in _MAKERS:
            return _call_options(reading, expression, _MAKERS)
        if reading.text.of(expression) in _MAKERS:
            return {}
    return None


def _called(reading: Reading, call: tree_sitter.Node) -> str:
    function = call.child_by_field_name("function")
    return reading.text.of(function) if function is not None else ""


def _call_options(reading: Reading, node: tree_sitter.Node | None, names: frozenset[str]) -> dict[str, str] | None:
    """Keyword -> its value's text, of a call of one of the names; None for anything else."""
    if node is None or node.type != "call" or _called(reading, node) not in names:
        return None
    arguments = node.child_by_field_name("arguments")
    found: dict[str, str] = {}
    for each in arguments.named_children if arguments is not None else ():
        name, value = each.child_by_field_name("name"), each.child_by_field_name("value")
        if each.type == "keyword_argument" and name is not None and value is not None:
            found[reading.text.of(name)] = reading.text.of(value)
    return found

"""Type variables replaced by what is known of them."""

from __future__ import annotations

from graph.types import (
    CallableValue,
    ClassObject,
    Environment,
    InlineType,
    Instance,
    TupleValue,
    Type,
    Types,
    Variable,
    union,
)


def substitute(environment: Environment, bound: Environment) -> Environment:
    """The environment with its own variables replaced by what `bound` says."""
    if not bound:
        return environment
    return tuple((name, substitute_types(types, bound)) for name, types in environment)


def substitute_types(types: Types, environment: Environment) -> Types:
    """The types with variables replaced by what the environment says of them."""
    if not environment:
        return types
    table = dict(environment)
    return union(_substitute(each, environment, table) for each in types)


def _substitute(each: Type, environment: Environment, table: dict[str, Types]) -> Types:
    match each:
        case Variable(name=name):
            return table.get(name, (each,))
        case Instance(path=path, index=index, arguments=arguments) if arguments:
            return (Instance(path, index, tuple(substitute_types(a, environment) for a in arguments)),)
        case ClassObject(path=path, index=index, arguments=arguments) if arguments:
            return (ClassObject(path, index, tuple(substitute_types(a, environment) for a in arguments)),)
        case TupleValue(items=items):
            return (TupleValue(tuple(substitute_types(a, environment) for a in items)),)
        case CallableValue(path=path, value=value, environment=inner):
            return (CallableValue(path, value, _extended(inner, environment)),)
        case InlineType(path=path, value=inline, environment=inner):
            return (InlineType(path, inline, _extended(inner, environment)),)
        case _:
            return (each,)


def _extended(inner: Environment, outer: Environment) -> Environment:
    names = {name for name, _ in inner}
    return (
        *((name, substitute_types(types, outer)) for name, types in inner),
        *((name, types) for name, types in outer if name not in names),
    )


def holds_variable(types: Types) -> bool:
    """Whether a type variable that is not bound stands in the types."""
    pending = list(types)
    while pending:
        match pending.pop():
            case Variable():
                return True
            case Instance(arguments=inner) | ClassObject(arguments=inner) | TupleValue(items=inner):
                pending.extend(each for group in inner for each in group)
            case _:
                pass
    return False

"""Which of a function's overloads a call may mean, as far as that is certain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from graph import expressions as x
from graph.hierarchy import CALLED
from graph.signatures import fits, landings
from graph.types import (
    CallableValue,
    ClassObject,
    Closure,
    FunctionObject,
    Instance,
    Symbol,
    TupleValue,
    Type,
    Types,
    Variable,
)

if TYPE_CHECKING:
    from graph.inference import Inference


def overloaded(inference: Inference, path: str, callees: Types, arguments: Sequence[x.Argument]) -> Types:
    """What is called, without the overloads that a call in the file at `path` can't mean, and without the function that
    implements them. All of it where none is left."""
    names = {_place(inference, each) for each in callees if isinstance(each, FunctionObject) and _is(inference, each)}
    if not names:
        return callees
    found = tuple(
        each
        for each in callees
        if not isinstance(each, FunctionObject)
        or _place(inference, each) not in names
        or (_is(inference, each) and _may_mean(inference, path, each, arguments))
    )
    return found or callees


def _is(inference: Inference, function: FunctionObject) -> bool:
    """Whether it is an overload."""
    return "overload" in inference.program.facts(function.path).definitions[function.index].modifiers


def _place(inference: Inference, function: FunctionObject) -> tuple[str, str]:
    return function.path, inference.program.facts(function.path).definitions[function.index].qualified


def _may_mean(inference: Inference, path: str, overload: FunctionObject, arguments: Sequence[x.Argument]) -> bool:
    """Whether the call has the overload's number of arguments and their names, and passes functions where it wants
    some, and none where it wants none."""
    parsed = inference.syntax(overload.path)
    definition = inference.program.facts(overload.path).definitions[overload.index]
    if parsed is None or definition.parameters is None:
        return True
    language, _ = parsed
    passed = x.Arguments(
        positional=sum(not each.spread and each.keyword is None for each in arguments),
        keywords=tuple(each.keyword for each in arguments if each.keyword is not None),
        spread=any(each.spread == "*" for each in arguments),
        spread_keywords=any(each.spread not in ("", "*") for each in arguments),
    )
    skip = overload.receiver is not None and language.binds_receiver(definition)
    named, excess = language.named_arguments, language.excess_arguments
    fit, _ = fits(definition.parameters, passed, skip_first=skip, named=named, excess_ok=excess)
    if fit is not True:
        return fit is None
    declared = {each.name: each.annotation for each in inference.parameter_types(overload.path, overload.index)}
    landed = landings(definition.parameters, passed, skip_first=skip)
    ordered = sorted(arguments, key=lambda each: each.keyword is not None)  # as they land
    for parameter, argument in zip(landed, ordered, strict=False):
        stated = declared.get(parameter.name) if parameter is not None and parameter.kind != "rest" else None
        if stated is None:
            continue
        wanted = {is_function(inference, each) for each in inference.annotations.evaluate(overload.path, stated, ())}
        given = {is_function(inference, each) for each in inference.types(path, argument.value)} or {False}
        if len(wanted) == len(given) == 1 and None not in wanted | given and wanted != given:
            return False
    return True


def is_function(inference: Inference, value: Type) -> bool | None:
    """Whether a value can be called; None where that isn't known."""
    match value:
        case FunctionObject() | Closure() | CallableValue() | ClassObject():
            return True
        case TupleValue():
            return False
        case Variable(bound=bound) if bound:
            found = {is_function(inference, each) for each in bound}
            return found.pop() if len(found) == 1 else None
        case Instance():
            declared, complete = inference.hierarchy.find(value, CALLED)
            return True if any(isinstance(each, Symbol) for each in declared) else False if complete else None
        case _:
            return None

"""Whether one method can be what is meant by another of its name, by what both give and ask for.

A class has the shape of an interface that it does not name only if its methods are what the interface says: one whose
results are texts is not the one that promises lists.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from graph.facts import Definition
from graph.inference import Inference
from graph.program import BUILTINS
from graph.types import Denotation, Instance, Symbol, Type

_APART: Final = frozenset(
    {
        "String", "Number", "Boolean", "BigInt", "Promise", "Array", "Map", "Set", "Date", "RegExp",
        "str", "bytes", "dict", "list", "set", "tuple", "Coroutine", "Awaitable",
    }
)  # fmt: skip
"""Built-in types of which nothing is of two, but for those that inherit another one."""
_DEEPEST: Final = 3
"""Arguments of arguments that are compared."""


def may_stand_in(inference: Inference, own: Sequence[Denotation], asked: Sequence[Denotation]) -> bool:
    """Whether one of the methods `own` may be one of the methods `asked`; so where either isn't known."""
    mine = [each for each in own if isinstance(each, Symbol)]
    wanted = [each for each in asked if isinstance(each, Symbol)]
    if len(mine) < len(own) or len(wanted) < len(asked) or not mine or not wanted:
        return True
    return any(_may_be(inference, one, other) for one in mine for other in wanted)


def _may_be(inference: Inference, own: Symbol, asked: Symbol) -> bool:
    mine, wanted = _definition(inference, own), _definition(inference, asked)
    if mine.parameters is None or wanted.parameters is None or "property" in (*mine.modifiers, *wanted.modifiers):
        return True
    language = inference.program.language(own.path)
    if language is not None and not language.excess_arguments and _needs(mine) > _most(wanted):
        return False  # (where more may be passed than is asked for, a list does not say what must be)
    if mine.returns is None and "async" not in mine.modifiers:
        return True  # what it happens to give may be what is being changed
    gives = inference.results.of_definition(own, ())
    expected = inference.results.of_definition(asked, ())
    return not gives or not expected or any(_may_equal(inference, a, b, 0) for a in gives for b in expected)


def _definition(inference: Inference, symbol: Symbol) -> Definition:
    return inference.program.facts(symbol.path).definitions[symbol.index]


def _needs(definition: Definition) -> int:
    """How many arguments a call must pass."""
    return sum(
        not each.optional and each.kind in ("positional", "positional-only") for each in definition.parameters or ()
    )


def _most(definition: Definition) -> float:
    """How many arguments a call may pass."""
    parameters = definition.parameters or ()
    return float("inf") if any(each.kind in ("rest", "keywords") for each in parameters) else len(parameters)


def _may_equal(inference: Inference, one: Type, other: Type, depth: int) -> bool:
    """Whether a value may be of both types."""
    if not (isinstance(one, Instance) and isinstance(other, Instance)):
        return True
    if _name(inference, one) is None or _name(inference, other) is None:
        return True
    if (one.path, one.index) != (other.path, other.index):
        inherits = inference.hierarchy.inherits
        return inherits(one.path, one.index, (other.path, other.index)) or inherits(
            other.path, other.index, (one.path, one.index)
        )
    if depth >= _DEEPEST:
        return True
    return all(
        not mine or not wanted or any(_may_equal(inference, a, b, depth + 1) for a in mine for b in wanted)
        for mine, wanted in zip(one.arguments, other.arguments, strict=False)
    )


def _name(inference: Inference, type_: Instance) -> str | None:
    """The name of a built-in type that is like no other one; None for any other type."""
    if not type_.path.startswith(BUILTINS):
        return None
    name = inference.program.facts(type_.path).definitions[type_.index].name
    return name if name in _APART else None

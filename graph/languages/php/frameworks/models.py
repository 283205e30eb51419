"""Which calls give an instance of the Eloquent model that they begin at."""

from __future__ import annotations

from typing import Final

from graph.expressions import Call, Expression, Member, Name, Sequence

MODEL_BASES: Final = ("Illuminate\\Database\\Eloquent\\", "Illuminate\\Foundation\\Auth\\")
"""Where Laravel's own models are: a class that extends one is a model."""
_GIVES: Final = frozenset(
    {
        "find", "findOrFail", "findOrNew", "first", "firstOrFail", "firstOrNew", "firstOrCreate", "firstWhere",
        "create", "createOne", "createQuietly", "forceCreate", "make", "makeOne", "updateOrCreate", "sole",
    }
)  # fmt: skip
_OTHERWISE: Final = frozenset(
    {
        "pluck",
        "map",
        "flatMap",
        "mapWithKeys",
        "mapToGroups",
        "value",
        "toBase",
        "getQuery",
        "count",
        "times",
        "collect",
    }
)
"""What makes of the models something else, or several of one."""
LONGEST: Final = 30
"""Calls of one chain."""


def model_given_by(call: Expression) -> tuple[Name, str] | None:
    """`(Order, "where")` of `Order::where(...)->first()`, `(Order, "factory")` of `Order::factory()->create()`."""
    if not isinstance(call, Call) or not isinstance(call.callee, Member) or call.callee.name not in _GIVES:
        return None
    if call.callee.name.startswith("find") and call.arguments and isinstance(call.arguments[0].value, Sequence):
        return None  # as many as it is given keys
    callee = call.callee
    for _ in range(LONGEST):
        match callee.object:
            case Name(id=name) as begun if name.startswith("\\") and not name.endswith((")", "#")):
                return begun, callee.name
            case Call(callee=Member() as inner, arguments=arguments):
                if inner.name in _GIVES or inner.name in _OTHERWISE or (inner.name == "factory" and arguments):
                    return None
                callee = inner
            case _:
                return None
    return None

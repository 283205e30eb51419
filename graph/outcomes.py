"""Whether the code around a call takes what the call gives now: by the number of results, by whether it is awaited, by
whether there is anything to take something from."""

from __future__ import annotations

import re
from typing import Final

from graph import expressions as x
from graph.changes import ChangedDefinition
from graph.facts import Definition
from graph.hierarchy import CLASS_KINDS
from graph.languages.base import Language
from graph.program import BUILTINS
from graph.redeclared import same_type_parameters
from graph.signatures import results_in
from graph.type_spellings import accepts, one_spelling, same_type, split_at
from graph.types import ClassObject, Symbol
from graph.world import World

Fit = tuple[bool | None, str | None]
"""Whether something fits, and how it does not, in words; (None, None) where that isn't known."""
NOTHING: Final[Fit] = (None, None)
_FITS: Final[Fit] = (True, None)

_KEEPING: Final = frozenset(
    {
        "abstractclassmethod", "abstractmethod", "abstractstaticmethod", "cache", "classmethod", "deprecated", "final",
        "lru_cache", "overload", "override", "staticmethod",
    }
)  # fmt: skip
"""Decorators that leave alone what their function gives."""
_TUPLE: Final = re.compile(r"(?:tuple|readonly )?\[(.*)\]", re.DOTALL)
_WRAPPED: Final = re.compile(r"(?:Promise|PromiseLike|Awaitable|Coroutine)[\[<](.*)[\]>]", re.DOTALL)
_AWAITABLE: Final = re.compile(r"\b(?:Promise|PromiseLike|Thenable|Awaitable|Coroutine|Future|Task|Deferred)\b|^Any$")


class Outcomes:
    """Judges calls of the tree after the change."""

    def __init__(self, after: World) -> None:
        self._after = after

    def fit(self, changed: ChangedDefinition, arguments: x.Arguments, language: Language, path: str) -> Fit:
        """Whether the code around a call, in the file at `path`, takes what the changed definition gives."""
        before, after = changed.before, changed.after
        if before is None or after is None:
            return _FITS
        if language.structural:
            return self._by_number(changed, before, after, arguments, path)
        found = _by_use(before, after, arguments, language)
        may_differ = not language.global_names and not (_gives_its_own(before) and _gives_its_own(after))
        return NOTHING if found[0] is False and may_differ else found

    def _by_number(
        self, changed: ChangedDefinition, before: Definition, after: Definition, arguments: x.Arguments, path: str
    ) -> Fit:
        if not same_type_parameters(before, after):
            return NOTHING
        if same_type(before.returns, after.returns):
            return _FITS
        if before.parameters is None or after.parameters is None or len(changed.befores) > 1 or len(changed.afters) > 1:
            return NOTHING
        taken = arguments.taken
        if taken is None:
            return NOTHING
        if taken.passed_to is not None:
            taken = self._taken_by(path, taken)
        elif taken.most is None:
            return _FITS  # a statement of its own
        was, now = results_in(before.returns), results_in(after.returns)
        if not _takes(taken, was) or _takes(taken, now):
            return NOTHING  # whether the types still fit isn't known
        wanted = _said(taken)
        return False, f"takes {wanted} {'result' if taken.least == 1 else 'results'}, gets {now or 'none'}"

    def _taken_by(self, path: str, taken: x.Taken) -> x.Taken:
        """How many results a call takes whose only argument they are, as far as what it calls is known."""
        assert taken.passed_to is not None
        found = self._after.inference.denote(path, taken.passed_to)
        if len(found) != 1 or not isinstance(found[0], Symbol) or isinstance(found[0].receiver, ClassObject):
            return taken
        symbol = found[0]
        definition = self._after.program.facts(symbol.path).definitions[symbol.index]
        if definition.kind in CLASS_KINDS:
            return x.Taken(1, 1)  # a conversion
        if definition.parameters is None or symbol.path.startswith(BUILTINS):
            return taken
        fixed = sum(each.kind != "rest" for each in definition.parameters)
        return x.Taken(fixed, fixed if fixed == len(definition.parameters) else None)


def _by_use(before: Definition, after: Definition, arguments: x.Arguments, language: Language) -> Fit:
    """The same where a call has one result, by what becomes of it at once."""
    awaited = _awaited(before, after, arguments, language)
    old, new = _once_awaited(before, after)
    if awaited != _FITS or not old or not new or accepts(old, new, read=True):
        return awaited
    if arguments.use == "nothing":
        return _FITS
    if arguments.use in ("member", "unpacked") and new.strip() in language.empty_types:
        return False, "takes something of its result, gets none"
    if arguments.use == "unpacked" and arguments.taken is not None:
        was, now = _length(old), _length(new)
        if was and now is not None and _takes(arguments.taken, was) and not _takes(arguments.taken, now):
            return False, f"unpacks {_said(arguments.taken)}, gets {now}"
    return NOTHING  # whether the types still fit isn't known


def _gives_its_own(definition: Definition) -> bool:
    """Whether no decorator is likely to change what callers get."""
    return all(each.rpartition(".")[2] in _KEEPING for each in definition.decorators)


def _takes(taken: x.Taken, count: int) -> bool:
    return taken.least <= count and (taken.most is None or count <= taken.most)


def _said(taken: x.Taken) -> str:
    return f"at least {taken.least}" if taken.most is None else str(taken.most)


def _awaited(before: Definition, after: Definition, arguments: x.Arguments, language: Language) -> Fit:
    """Whether what came to be asynchronous is awaited, or no longer need be."""
    was, now = "async" in before.modifiers, "async" in after.modifiers
    if was == now or "generator" in before.modifiers or "generator" in after.modifiers:
        return _FITS
    other = before if now else after  # the one that says itself whether it can be awaited
    if other.returns is not None and _AWAITABLE.search(other.returns):
        return _FITS
    if now:
        if arguments.use in ("awaited", "chained"):
            return _FITS
        is_lost = arguments.use == "nothing" and language.waits_to_be_awaited
        is_lost = is_lost or arguments.use in ("member", "unpacked")
        return (False, "is not awaited") if is_lost and before.returns is not None else NOTHING
    if arguments.use == "chained":
        return False, "takes it for a promise"
    if arguments.use != "awaited":
        return _FITS if arguments.use == "nothing" else NOTHING
    if not language.waits_to_be_awaited:
        return _FITS  # what is no promise can be awaited, too
    return (False, "is awaited") if after.returns is not None else NOTHING


def _once_awaited(before: Definition, after: Definition) -> tuple[str | None, str | None]:
    """What both give; where one is asynchronous and the other says that it gives something to await, once awaited."""
    if ("async" in before.modifiers) == ("async" in after.modifiers):
        return before.returns, after.returns
    return _awaited_type(before), _awaited_type(after)


def _awaited_type(definition: Definition) -> str | None:
    found = _WRAPPED.fullmatch(one_spelling(definition.returns)) if definition.returns else None
    return split_at(found[1], ",")[-1] if found is not None else definition.returns


def _length(returns: str) -> int | None:
    """How many items a tuple type has; None for another type, or a tuple of any length."""
    found = _TUPLE.fullmatch(one_spelling(returns))
    if found is None:
        return None
    items = split_at(found[1], ",")
    is_open = any(each == "..." or each.startswith("...") or each.endswith("?") for each in items)
    return None if is_open else len(items)

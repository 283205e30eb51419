"""Contracts that a change breaks: a method that an interface or a class above asks for, and that is gone now, or no
longer takes what is asked for.

The declaration that asks for it stands outside of the diff and calls nothing, but who holds an object by that interface
calls the method through it.
"""

from __future__ import annotations

from typing import Literal, Self

import msgspec

from graph.access import is_narrower
from graph.briefing import UNKNOWN_BASE, Caller
from graph.callers import Contract, Target
from graph.changes import ChangedDefinition
from graph.diff import DiffLines
from graph.facts import Definition
from graph.languages.base import Language
from graph.quoting import quoted
from graph.signatures import compatible_group
from graph.structural import Place
from graph.world import World


class Contracts:
    """Finds them: `before` is the tree without the change, `after` the one with it."""

    def __init__(self, before: World, after: World, lines: DiffLines) -> None:
        self._before = before
        self._after = after
        self._lines = lines
        self._standing: dict[str, dict[tuple[str, object], int]] = {}

    def broken(self, changed: ChangedDefinition, target: Target, language: Language) -> list[Caller]:
        """The declarations outside of the diff, or the places that say that a type implements an interface, that a
        removed or changed method no longer satisfies. `target` is the method before the change."""
        if changed.change not in ("removed", "signature") or self._takes_the_same(changed, language):
            return []
        search = self._before.callers(target.path)
        found: dict[tuple[str, int], Caller] = {}
        for contract in search.contracts(target):
            now = self._now(contract)
            kept = self._is_kept(changed, contract, now, language) if now is not None else "yes"
            if now is not None and kept != "yes":
                sure = kept == "no" and (not language.structural or now.said_at is not None)
                caller = self._caller(changed, now, sure=sure, unknown=kept == "maybe")
                found.setdefault((caller.path, caller.line), caller)
        return [found[key] for key in sorted(found)]

    def _takes_the_same(self, changed: ChangedDefinition, language: Language) -> bool:
        """Whether a method takes as many arguments as before, where no more counts than that."""
        one, other = changed.before, changed.after
        if language.structural or one is None or other is None or is_narrower(one, other):
            return False
        return _is_read(one) == _is_read(other) and _Taken.of(one, language) == _Taken.of(other, language)

    def _is_kept(
        self, changed: ChangedDefinition, before: Contract, now: Contract, language: Language
    ) -> Literal["yes", "maybe", "no"]:
        search = self._after.callers(now.keeper[0])
        if changed.change == "removed" or language.structural:
            return search.is_kept(now, changed.definition.name)
        keeper = self._definition(self._after, now.keeper)
        asked = self._definition(self._before, before.asking)
        was, is_now = changed.before, changed.after
        if was is None or is_now is None or keeper.kind not in ("class", "enum") or not search.extends(now):
            return "yes"
        if is_narrower(asked, is_now) and not is_narrower(asked, was):
            return "no"
        takes = any(takes_all(asked, each, language) for each in changed.afters or (is_now,))
        return "yes" if takes or not takes_all(asked, was, language) else "no"

    def _now(self, contract: Contract) -> Contract | None:
        """The contract's places in the tree after the change; None where the diff touches what asks for the method."""
        asking = self._outside(contract.asking)
        keeper = self._moved(contract.keeper)
        within = self._moved(contract.within)
        if asking is None or keeper is None or within is None:
            return None
        said_at = self._lines.moved_on(*contract.said_at) if contract.said_at is not None else None
        return Contract(asking, within, keeper, said_at)

    def _outside(self, place: Place) -> Place | None:
        """A definition after the change whose own line the diff does not touch."""
        path, index = place
        definition = self._before.program.facts(path).definitions[index]
        now = self._lines.moved_on(path, definition.line)
        if now is None:
            return None
        number = self._by_name(now[0]).get((definition.qualified, now[1]))
        return (now[0], number) if number is not None else None

    def _moved(self, place: Place) -> Place | None:
        """The definition of the same name in the same file after the change."""
        path = self._lines.path_after(place[0])
        if path is None:
            return None
        definition = self._definition(self._before, place)
        number = self._by_name(path).get((definition.qualified, definition.kind))
        return (path, number) if number is not None else None

    def _by_name(self, path: str) -> dict[tuple[str, object], int]:
        """Qualified name and line, or name and kind -> the first such definition of a file after the change."""
        found = self._standing.get(path)
        if found is None:
            found = self._standing[path] = {}
            for number, each in enumerate(self._after.program.facts(path).definitions):
                found.setdefault((each.qualified, each.line), number)
                found.setdefault((each.qualified, each.kind), number)
        return found

    def _caller(self, changed: ChangedDefinition, contract: Contract, *, sure: bool, unknown: bool) -> Caller:
        keeper, within = (self._definition(self._after, each) for each in (contract.keeper, contract.within))
        asking = self._definition(self._after, contract.asking)
        if within.kind == "interface":
            misfit = f"{quoted(keeper.name)} no longer implements {quoted(within.name)}"
        elif changed.change == "removed":
            misfit = f"{quoted(keeper.name)} must have it"
        else:
            misfit = f"it no longer takes all that {quoted(asking.qualified)} takes"
        path, line = contract.said_at if contract.said_at is not None else (contract.asking[0], asking.line)
        return Caller(
            path=path,
            line=line,
            kind="base",
            sure=sure,
            reason=UNKNOWN_BASE if unknown else None,
            via="contract",
            within=asking.qualified if contract.said_at is None else None,
            fits=False,
            misfit=misfit,
        )

    @staticmethod
    def _definition(world: World, place: Place) -> Definition:
        return world.program.facts(place[0]).definitions[place[1]]


def takes_as_much(asked: Definition, override: Definition, language: Language) -> bool:
    """Whether what takes a method's place takes every call that the method takes, by its parameters' shape: written
    types are not compared."""
    return bool(
        compatible_group(
            (_shape(asked),),
            (_shape(override),),
            named=language.named_arguments and not language.global_names,  # PHP lets an override rename a parameter
            excess_ok=not language.named_arguments,  # what is too much, only JavaScript leaves out
            skip_first=(language.binds_receiver(asked), language.binds_receiver(override)),
        )
    )


def takes_all(asked: Definition, override: Definition, language: Language) -> bool:
    """Whether an override takes every call that can be made of the method that it overrides, by how many arguments
    there are and which of them have to be named. Other names for what is passed by position are no matter, nor is what
    takes anything (`*args`)."""
    if override.parameters is None or asked.parameters is None or _is_read(asked) != _is_read(override):
        return True
    if language.excess_arguments and not language.named_arguments:
        return True  # nobody holds a call in JavaScript to a number of arguments
    mine, theirs = _Taken.of(override, language), _Taken.of(asked, language)
    if theirs.rest or theirs.keywords:
        return True
    # A type checker of TypeScript lets an override ask for what may be left out, and leave out what is asked for.
    least = theirs.most if language.checks_loosely else theirs.least
    if mine.least > least or (mine.most < theirs.most and not mine.rest and not language.checks_loosely):
        return False
    named = mine.keywords or theirs.named <= mine.named | mine.by_position
    return named and mine.asked_by_name <= theirs.named | theirs.by_position


class _Taken(msgspec.Struct, frozen=True):
    """How many arguments are taken by position, and which by name."""

    least: int
    most: int
    rest: bool
    keywords: bool
    by_position: frozenset[str]
    named: frozenset[str]
    asked_by_name: frozenset[str]

    @classmethod
    def of(cls, definition: Definition, language: Language) -> Self:
        """What a method takes besides its receiver."""
        parameters = (definition.parameters or ())[1 if language.binds_receiver(definition) else 0 :]
        positional = [each for each in parameters if each.kind in ("positional", "positional-only")]
        named = [each for each in parameters if each.kind == "keyword-only"]
        return cls(
            least=sum(not each.optional for each in positional),
            most=len(positional),
            rest=any(each.kind == "rest" for each in parameters),
            keywords=any(each.kind == "keywords" for each in parameters),
            by_position=frozenset(each.name for each in positional),
            named=frozenset(each.name for each in named),
            asked_by_name=frozenset(each.name for each in named if not each.optional),
        )


def _is_read(definition: Definition) -> bool:
    return "property" in definition.modifiers


def _shape(definition: Definition) -> Definition:
    """The definition with nothing but its parameters' names, kinds and whether they may be left out."""
    parameters = tuple(msgspec.structs.replace(each, type=None) for each in definition.parameters or ())
    modifiers = tuple(each for each in definition.modifiers if each in ("static", "classmethod", "property"))
    return msgspec.structs.replace(
        definition, kind="method", parameters=parameters, returns=None, modifiers=modifiers, bases=(), exported=True
    )

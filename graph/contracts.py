"""Contracts that a change breaks: a method that an interface or a class above asks for, and that is gone now, or no
longer takes what is asked for.

The declaration that asks for it stands outside of the diff and calls nothing, but who holds an object by that interface
calls the method through it.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from graph.briefing import Caller
from graph.callers import Contract, Target
from graph.callers.contracts import Place
from graph.changes import ChangedDefinition
from graph.diff import DiffLines
from graph.facts import Definition
from graph.languages.base import Language
from graph.quoting import quoted
from graph.signatures import compatible_group
from graph.world import World


class Contracts:
    """Finds them: `before` is the tree without the change, `after` the one with it."""

    def __init__(self, before: World, after: World, lines: DiffLines) -> None:
        self._before = before
        self._after = after
        self._lines = lines

    def broken(self, changed: ChangedDefinition, target: Target, language: Language) -> list[Caller]:
        """The declarations outside of the diff, or the places that say that a type implements an interface, that a
        removed or changed method no longer satisfies. `target` is the method before the change."""
        if changed.change not in ("removed", "signature"):
            return []
        search = self._before.callers(target.path)
        found: dict[tuple[str, int], Caller] = {}
        for contract in search.contracts(target):
            now = self._now(contract)
            if now is not None and self._is_broken(changed, contract, now, language):
                caller = self._caller(changed, now, sure=not language.structural or now.said_at is not None)
                found.setdefault((caller.path, caller.line), caller)
        return [found[key] for key in sorted(found)]

    def _is_broken(self, changed: ChangedDefinition, before: Contract, now: Contract, language: Language) -> bool:
        name = changed.definition.name
        if changed.change == "removed" or language.structural:
            search = self._after.callers(now.keeper[0])
            return search.must_be_had(now) and not search.is_kept(now, name)
        asked = (self._definition(self._after, now.asking),)
        kept = changed.befores or ((changed.before,) if changed.before is not None else ())
        keeps = changed.afters or ((changed.after,) if changed.after is not None else ())
        if any(each.parameters is None for each in (*asked, *kept, *keeps)):
            return False
        return takes_as_much(asked, kept, language) and not takes_as_much(asked, keeps, language)

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
        for number, each in enumerate(self._after.program.facts(now[0]).definitions):
            if (each.qualified, each.line) == (definition.qualified, now[1]):
                return now[0], number
        return None

    def _moved(self, place: Place) -> Place | None:
        """The definition of the same name in the same file after the change."""
        path = self._lines.path_after(place[0])
        if path is None:
            return None
        definition = self._definition(self._before, place)
        for number, each in enumerate(self._after.program.facts(path).definitions):
            if (each.qualified, each.kind) == (definition.qualified, definition.kind):
                return path, number
        return None

    def _caller(self, changed: ChangedDefinition, contract: Contract, *, sure: bool) -> Caller:
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
            via="contract",
            within=asking.qualified if contract.said_at is None else None,
            fits=False,
            misfit=misfit,
        )

    @staticmethod
    def _definition(world: World, place: Place) -> Definition:
        return world.program.facts(place[0]).definitions[place[1]]


def takes_as_much(asked: Sequence[Definition], override: Sequence[Definition], language: Language) -> bool:
    """Whether what takes a method's place takes every call that the method takes, by its parameters' shape: written
    types are not compared."""
    return bool(
        compatible_group(
            tuple(map(_shape, asked)),
            tuple(map(_shape, override)),
            named=language.named_arguments and not language.global_names,  # PHP lets an override rename a parameter
            excess_ok=not language.named_arguments,  # what is too much, only JavaScript leaves out
            skip_first=(language.binds_receiver(asked[0]), language.binds_receiver(override[0])),
        )
    )


def _shape(definition: Definition) -> Definition:
    """The definition with nothing but its parameters' names, kinds and whether they may be left out."""
    parameters = tuple(msgspec.structs.replace(each, type=None) for each in definition.parameters or ())
    modifiers = tuple(each for each in definition.modifiers if each in ("static", "classmethod", "property"))
    return msgspec.structs.replace(
        definition, kind="method", parameters=parameters, returns=None, modifiers=modifiers, bases=(), exported=True
    )

"""What asks a class for one of its methods: an interface that it implements, or a class above it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import msgspec

from graph.callers.overrides import OverrideSearch
from graph.callers.sites import Target
from graph.facts import Definition
from graph.types import Instance, Symbol

Place: TypeAlias = tuple[str, int]
"""(path, definition index)."""


class Contract(msgspec.Struct, frozen=True):
    """`asking` is the method that an interface or a class above declares, `within` that interface or class, and
    `keeper` the class that has to have the method. `said_at`: (path, line) of where the code says that the class
    implements the interface, in languages whose classes need not say so; None where it doesn't."""

    asking: Place
    within: Place
    keeper: Place
    said_at: tuple[str, int] | None = None


class ContractSearch(OverrideSearch):
    """Finds what asks for a method, and whether that is still had."""

    def contracts(self, target: Target) -> Iterator[Contract]:
        """The contracts that a method keeps."""
        definition, language = self._definition(target), self._language(target)
        if definition.kind != "method" or definition.name in language.constructor_names:
            return
        if language.structural:
            yield from self._structural_contracts(target)
            return
        owner = self._owner(target)
        if owner < 0 or _is_hidden(definition):
            return
        for path, index in self._inherited_names(target, owner):
            asking = self._program.facts(path).definitions[index]
            if asking.parent >= 0 and not _is_hidden(asking):
                yield Contract((path, index), (path, asking.parent), (target.path, owner))

    def _structural_contracts(self, target: Target) -> Iterator[Contract]:
        own = self._structural.owner(target)
        if own is None or self._program.facts(own[0]).definitions[own[1]].kind == "interface":
            return
        name = self._definition(target).name
        wanted = {(target.path, index) for index in target.indices}
        kin = [own, *self._structural.embedders(own, name, wanted)]
        for asking, within in sorted(self._structural.interfaces(own, kin, name).items()):
            for keeper in kin:
                if not self._structural.lacking(keeper, within):
                    yield Contract(asking, within, keeper, self._said_to_implement(keeper, within))
                    break

    def _said_to_implement(self, keeper: Place, interface: Place) -> tuple[str, int] | None:
        """(path, line) of where the code says that a type implements an interface."""
        language = self._program.language(keeper[0])
        name, wanted = (self._program.facts(path).definitions[index].name for path, index in (keeper, interface))
        self._candidates.search((name, wanted))
        holding = set(self._candidates.texts(wanted))
        for path in self._candidates.texts(name) if language is not None else ():
            if path in holding and self._may_name(path, keeper) and self._may_name(path, interface):
                source = self._program.tree.read(path)
                for at in language.said_to_implement(source, name, wanted) if language is not None else ():
                    return path, source.count(b"\n", 0, at) + 1
        return None

    def _may_name(self, path: str, place: Place) -> bool:
        """Whether a file can name a type at all."""
        facts = self._program.facts(place[0])
        language = self._program.language(place[0])
        exported = language is None or language.is_public(facts, facts.definitions[place[1]])
        return self._structural.reach({place}, exported=exported)(path)

    def is_kept(self, contract: Contract, name: str) -> bool:
        """Whether the class of a contract, all of whose places are of this tree, has the method, if it still has to. A
        base that isn't known may have it."""
        keeper = Instance(*contract.keeper)
        definition = self._program.facts(keeper.path).definitions[keeper.index]
        language = self._program.language(keeper.path)
        if language is not None and language.structural:
            return name not in self._structural.lacking(contract.keeper, contract.within)
        if definition.kind not in ("class", "enum") or "abstract" in definition.modifiers:
            return True
        hierarchy = self._inference.hierarchy
        if not hierarchy.inherits(keeper.path, keeper.index, contract.within):
            return True
        declared, complete = hierarchy.find(keeper, name)
        symbols = [each for each in declared if isinstance(each, Symbol)]
        if len(symbols) < len(declared) or any(not self._is_asked_for(each) for each in symbols):
            return True
        return not (symbols or complete) or hierarchy.lineage(keeper.path, keeper.index).open

    def must_be_had(self, contract: Contract) -> bool:
        """Whether a class must have the method of its own: nothing but its declaration is above."""
        path, index = contract.asking
        definition = self._program.facts(path).definitions[index]
        return "optional" not in definition.modifiers and self._is_asked_for(Symbol(path, index))


def _is_hidden(definition: Definition) -> bool:
    """Whether what is declared below with the same name has nothing to do with it."""
    name = definition.name
    return "private" in definition.modifiers or (name.startswith("__") and not name.endswith("__"))

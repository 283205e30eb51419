"""What asks a class for one of its methods: an interface that it implements, or a class above it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from graph import expressions as x
from graph.callers.overrides import OverrideSearch
from graph.callers.sites import Target
from graph.hierarchy import CLASS_KINDS
from graph.program import BUILTINS
from graph.structural import Place
from graph.types import Field, Instance, Symbol

MAX_KEEPERS = 40
"""Classes that have a method from another one, of which it is asked what they have to have."""
MAX_WALKED = 64
"""Classes and interfaces above one class that are looked at."""

_DECLARED = CLASS_KINDS - {"type"}


class Contract(msgspec.Struct, frozen=True):
    """`asking` is the method that an interface or a class above declares, `within` that interface or class, and
    `keeper` the class that has to have the method. `said_at`: (path, line) of where the code says that the class
    implements the interface, in languages whose classes need not say so; None where it doesn't."""

    asking: Place
    within: Place
    keeper: Place
    said_at: tuple[str, int] | None = None


class _Above(msgspec.Struct, frozen=True):
    """What a class says that it extends or implements, by plain names. `giving`: the class and those whose methods it
    inherits. `asking`: all above it -> whether only their declarations count. `open`: something that may give methods
    isn't known."""

    giving: frozenset[Place]
    asking: dict[Place, bool]
    open: bool


class ContractSearch(OverrideSearch):
    """Finds what asks for a method, and whether that is still had."""

    def contracts(self, target: Target) -> Iterator[Contract]:
        """The contracts that a method keeps: of its own class, and of those that have the method from there."""
        definition, language = self._definition(target), self._language(target)
        if definition.kind != "method" or definition.name in language.constructor_names or self._is_hidden(target):
            return
        if language.structural:
            yield from self._structural_contracts(target)
            return
        owner = self._owner(target)
        if owner < 0 or not self._is_declared_by_another(target, owner):
            return
        for keeper in self._keepers(target, owner):
            for place in self._family(*keeper):
                for index in self._program.members(place[0]).get(place[1], {}).get(definition.name, ())[:1]:
                    asking = (place[0], index)
                    is_own = place == keeper or (place[0] == target.path and index in target.indices)
                    if not is_own and not self._is_hidden(Target(place[0], (index,))):
                        yield Contract(asking, place, keeper)

    def _is_declared_by_another(self, target: Target, owner: int) -> bool:
        """Whether any other class or interface may declare a member of that name: to find all who have the method takes
        far more files than to tell."""
        if not self._is_worth_asking(target.path, owner):
            return True
        name = self._definition(target).name
        here = (names for parent, names in self._program.members(target.path).items() if parent not in (-1, owner))
        return any(name in names for names in here) or any(
            path != target.path for path in self._candidates.members_by_text(name)
        )

    def _keepers(self, target: Target, owner: int) -> Iterator[Place]:
        """The classes that have the method: its own, and those below that have it from there."""
        wanted = {(target.path, index) for index in target.indices}
        name = self._definition(target).name
        yield target.path, owner
        if "private" in self._definition(target).modifiers:
            return
        for path, index in self.subclasses(target.path, owner)[:MAX_KEEPERS]:
            declared, _ = self._inference.hierarchy.find(Instance(path, index), name)
            if any(isinstance(each, Symbol) and (each.path, each.index) in wanted for each in declared):
                yield path, index

    def _is_hidden(self, target: Target) -> bool:
        """Whether what is declared below with the same name has nothing to do with the target: a private method, and in
        Python, where a receiver is passed, one whose name is made the class's own."""
        definition = self._definition(target)
        name = definition.name
        is_mangled = name.startswith("__") and not name.endswith("__")
        return "private" in definition.modifiers or (is_mangled and self._language(target).binds_receiver(definition))

    def _structural_contracts(self, target: Target) -> Iterator[Contract]:
        own = self._structural.owner(target)
        if own is None or self._program.facts(own[0]).definitions[own[1]].kind == "interface":
            return
        name = self._definition(target).name
        wanted = {(target.path, index) for index in target.indices}
        kin = [own, *self._structural.embedders(own, name, wanted)][:MAX_KEEPERS]
        for asking, within in sorted(self._structural.interfaces(own, kin, name).items()):
            told = not self._structural.is_telling(asking, within)
            for keeper in kin:
                if self._structural.lacking(keeper, within):
                    continue
                said_at = self.said_to_implement(keeper, within)
                if said_at is not None or not told:
                    told = True
                    yield Contract(asking, within, keeper, said_at)

    def is_kept(self, contract: Contract, name: str) -> Literal["yes", "maybe", "no"]:
        """Whether the class of a contract, all of whose places are of this tree, has the method, if it has to have it.
        "maybe": nothing has it but what isn't known may."""
        keeper = Instance(*contract.keeper)
        language = self._program.language(keeper.path)
        if language is not None and language.structural:
            if name not in self._structural.lacking(contract.keeper, contract.within):
                return "yes"
            lineage = self._inference.hierarchy.lineage(*contract.keeper)
            return "maybe" if lineage.open or lineage.external is not None else "no"
        above = self._above(contract.keeper)
        if not self._must_have(contract, above):
            return "yes"
        for each in self._inference.hierarchy.find(keeper, name)[0]:
            if isinstance(each, Symbol):
                parent = self._program.facts(each.path).definitions[each.index].parent
                if (each.path, parent) in above.giving and not self._asks_for(each, contract.keeper):
                    return "yes"
            elif not isinstance(each, Field) or (each.path, each.index) in above.giving:
                return "yes"
        decorators = self._program.facts(keeper.path).definitions[keeper.index].decorators
        # What decorates a class may give it methods (`@dataclass(order=True)`).
        is_made = bool(decorators) and language is not None and language.interfaces_have_bodies
        return "maybe" if above.open or is_made else "no"

    def extends(self, contract: Contract) -> bool:
        """Whether the class of a contract says by plain names that it has what asks for the method above it."""
        return contract.within in self._above(contract.keeper).asking

    def _must_have(self, contract: Contract, above: _Above) -> bool:
        """Whether the class has to have the method of its own or from a class above."""
        path, index = contract.keeper
        definition = self._program.facts(path).definitions[index]
        language = self._program.language(path)
        asking = self._program.facts(contract.asking[0]).definitions[contract.asking[1]]
        if definition.kind not in ("class", "enum") or language is None or "optional" in asking.modifiers:
            return False
        if contract.within not in above.asking or len(self._inference.hierarchy.bodies(path, index)) > 1:
            return False
        in_interface = self._program.facts(contract.asking[0]).is_of_interface(asking)
        if self._is_abstract(path, index) and not (in_interface and language.abstract_classes_declare):
            return False
        declared_only = above.asking[contract.within]
        return declared_only or self._asks_for(Symbol(*contract.asking), contract.keeper)

    def _asks_for(self, found: Symbol, keeper: Place) -> bool:
        """Whether a method is only declared, for classes to have it. (A protocol's method may have a body.)"""
        language = self._program.language(keeper[0])
        definition = self._program.facts(found.path).definitions[found.index]
        if language is not None and language.interfaces_have_bodies:
            return "abstract" in definition.modifiers
        return self._is_asked_for(found)

    def _is_abstract(self, path: str, index: int) -> bool:
        """Whether nobody makes instances of the class: it says so, has an abstract method of its own, or names what
        makes a class abstract for a base."""
        definitions = self._program.facts(path).definitions
        parsed = self._inference.syntax(path)
        values = [each.value for each in parsed[0].bases(parsed[1], index)] if parsed is not None else []
        names = {
            each.id if isinstance(each, x.Name) else each.name for each in values if isinstance(each, x.Name | x.Member)
        }
        return (
            "abstract" in definitions[index].modifiers
            or any(each.parent == index and "abstract" in each.modifiers for each in definitions)
            or (parsed is not None and not names.isdisjoint(parsed[0].abstract_bases))
        )

    def _above(self, place: Place) -> _Above:
        """See `_Above`. What a type stands for (`Omit<Store, "put">`) may ask for less: such are left out."""
        giving = {place}
        asking: dict[Place, bool] = {}
        is_open = False
        pending = [(place, False)]
        while pending and len(asking) < MAX_WALKED:
            here, only_asks = pending.pop(0)
            parsed = self._inference.syntax(here[0])
            is_open = is_open or parsed is None
            kind = self._program.facts(here[0]).definitions[here[1]].kind
            for base in parsed[0].bases(parsed[1], here[1]) if parsed is not None else ():
                if base.via == "metaclass":
                    continue
                asks = only_asks or base.via == "implements" or kind == "interface"
                found = self._plain(here[0], base.value)
                if found is None or found[0].startswith(BUILTINS):
                    # A stub does not list all that a class has, if it lists anything.
                    gives_nothing = found is not None and not self._program.members(found[0]).get(found[1])
                    is_open = is_open or not (asks or gives_nothing)
                elif found not in asking or (asking[found] and not asks):
                    asking[found] = asks
                    if not asks:
                        giving.add(found)
                    pending.append((found, asks))
        return _Above(frozenset(giving), asking, is_open)

    def _plain(self, path: str, value: x.Expression) -> Place | None:
        """The class or interface that a name stands for, and no other type."""
        found = self._denote(path, value) if isinstance(value, x.Name | x.Member) else ()
        symbols = [each for each in found if isinstance(each, Symbol)]
        kinds = [self._program.facts(each.path).definitions[each.index].kind for each in symbols]
        if len(symbols) < len(found) or not symbols or not _DECLARED.issuperset(kinds):
            return None
        return symbols[0].path, symbols[0].index

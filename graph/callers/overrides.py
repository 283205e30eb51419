"""What takes a definition's place, and what is left without one."""

from __future__ import annotations

from itertools import islice

from graph.callers.implicit import ImplicitSearch
from graph.callers.sites import Site, Target
from graph.facts import Definition
from graph.hierarchy import CLASS_KINDS
from graph.structural import Place
from graph.types import Instance, Symbol

FEW_DECLARING = 8
"""Files that declare a name, up to which each is asked whether it overrides another's."""


MAX_ASKED = 3
"""Members of one class of which it is asked who else declares the name, before its subclasses are looked for."""


class OverrideSearch(ImplicitSearch):
    """Finds what overrides, implements, or no longer does."""

    def overrides(self, target: Target, *, gone: bool = False) -> tuple[Site, ...]:
        """Definitions in subclasses and implementations that take the target's place, as sites of kind "base". `gone`:
        a place that the change removes, which they took."""
        if self.is_unreached(target):
            return ()
        owner = self._owner(target)
        structural = self._language(target).structural
        own = self._structural.owner(target) if structural else None
        if own is not None:
            return self._implementations(target, own, gone)
        if structural:
            return self._left_behind(target)
        if owner < 0:
            return ()
        name = self._definition(target).name
        reason = _place("overrode" if gone else "overrides", self._definition(target), gone)
        if name in self._language(target).constructor_names and not self._language(target).global_names:
            return ()  # who constructs a subclass calls its own, and that one's `super()` call tells of itself
        if not self._may_be_taken(target, owner):
            return ()
        found = []
        facts = self._program.facts(target.path)
        in_trait = facts.definitions[owner].kind == "trait" and "abstract" not in self._definition(target).modifiers
        for path, index in self.subclasses(target.path, owner):
            facts = self._program.facts(path)
            if in_trait and not self._inherits_it(path, index, target):
                continue
            for each in self._program.members(path).get(index, {}).get(name, ())[:1]:
                definition = facts.definitions[each]
                found.append(_instead(path, definition, reason, sure=True))
        return tuple(sorted(found, key=lambda site: (site.path, site.at)))

    def _may_be_taken(self, target: Target, owner: int) -> bool:
        """Whether a class that declares a member of the target's name may inherit the target's. To find all subclasses
        takes more files than to ask the few that declare one; many are not asked."""
        if not self._is_worth_asking(target.path, owner):
            return True
        name = self._definition(target).name
        declaring = list(islice(self._candidates.members_by_text(name), FEW_DECLARING + 1))
        if len(declaring) > FEW_DECLARING:
            return True
        for path in sorted({*declaring, target.path}):
            definitions = self._program.facts(path).definitions
            for parent, names in self._program.members(path).items():
                if name not in names or parent < 0 or (path, parent) == (target.path, owner):
                    continue
                if definitions[parent].kind in CLASS_KINDS and self._inference.hierarchy.may_inherit(
                    path, parent, (target.path, owner)
                ):
                    return True
        return False

    def _is_worth_asking(self, path: str, owner: int) -> bool:
        """Whether who declares a name is looked for before the subclasses of a class: these are not known yet, and are
        not asked for again and again."""
        if (path, owner) in self._below:
            return False
        self._asked[path, owner] = self._asked.get((path, owner), 0) + 1
        return self._asked[path, owner] <= MAX_ASKED

    def _inherits_it(self, path: str, index: int, target: Target) -> bool:
        """Whether a class above has the method of a trait as its own. What a class or trait declares beside a trait
        that it uses is there instead of the trait's, and need not be like it."""
        name = self._definition(target).name
        return any(
            isinstance(each, Symbol) and each.path == target.path and each.index in target.indices
            for base in self._inference.bases(path, index)
            if base is not None and self._program.facts(base.path).definitions[base.index].kind != "trait"
            for each in self._inference.hierarchy.find(Instance(base.path, base.index), name)[0]
        )

    def _implementations(self, target: Target, own: tuple[str, int], gone: bool) -> tuple[Site, ...]:
        """Methods that implement a method of an interface that nobody names."""
        reason = _place("implemented" if gone else "implements", self._definition(target), gone)
        return tuple(
            _instead(path, definition, reason, sure=False)
            for path, definition in self._structural.implementations(target, own)
        )

    def _left_behind(self, target: Target) -> tuple[Site, ...]:
        """Types that nobody says implement a changed interface, and that lack a method that it now asks for."""
        reason = f"implements {self._definition(target).qualified}, but for "
        found = []
        for path, definition, lacking in self._structural.left_behind(target):
            place = (path, self._program.index_of(path, definition))
            sure = self.said_to_implement(place, (target.path, target.indices[0])) is not None
            found.append(_instead(path, definition, reason + lacking, sure=sure, lacks=lacking))
        return tuple(found)

    def said_to_implement(self, keeper: Place, interface: Place) -> tuple[str, int] | None:
        """(path, line) of where the code says that a type implements an interface."""
        language = self._program.language(keeper[0])
        name, wanted = (self._program.facts(path).definitions[index].name for path, index in (keeper, interface))
        self._candidates.search((name, wanted))
        holding = set(self._candidates.texts(wanted))
        for path in self._candidates.texts(name) if language is not None else ():
            if path not in holding or not (self._may_name(path, keeper) and self._may_name(path, interface)):
                continue
            source = self._program.tree.read(path)
            for asked, given in language.said_to_implement(source, name, wanted) if language is not None else ():
                if self._is_named(path, asked, interface) and self._is_named(path, given, keeper):
                    return path, source.count(b"\n", 0, given) + 1
        return None

    def _is_named(self, path: str, at: int, place: Place) -> bool:
        reference = self._reference(path, at)
        found = self._denote(path, reference.target) if reference is not None else ()
        return any(isinstance(each, Symbol) and (each.path, each.index) == place for each in found)

    def _may_name(self, path: str, place: Place) -> bool:
        """Whether a file can name a type at all."""
        facts = self._program.facts(place[0])
        language = self._program.language(place[0])
        exported = language is None or language.is_public(facts, facts.definitions[place[1]])
        return self._structural.reach({place}, exported=exported)(path)

    def lacking(self, target: Target) -> tuple[Site, ...]:
        """Classes that must have an abstract method, and have none, nor inherit one."""
        owner = self._owner(target)
        wanted = self._definition(target)
        found: list[Site] = []
        for path, index in self.subclasses(target.path, owner) if owner >= 0 else ():
            definition = self._program.facts(path).definitions[index]
            if definition.kind not in ("class", "enum") or "abstract" in definition.modifiers:
                continue
            declared, complete = self._inference.hierarchy.find(Instance(path, index), wanted.name)
            symbols = [each for each in declared if isinstance(each, Symbol)]
            has_it = len(symbols) < len(declared) or any(not self._is_asked_for(each) for each in symbols)
            if has_it or not (symbols or complete) or self._inference.hierarchy.lineage(path, index).open:
                continue
            reason = f"must have {wanted.qualified}"
            found.append(_instead(path, definition, reason, sure=True, lacks=wanted.name))
        return tuple(sorted(found, key=lambda site: (site.path, site.at)))

    def _is_asked_for(self, found: Symbol) -> bool:
        """Whether a method is only declared, for classes to have it."""
        facts = self._program.facts(found.path)
        return facts.only_declares(facts.definitions[found.index])


def _place(takes: str, target: Definition, gone: bool) -> str:
    return f"{takes} {target.qualified}{', which is gone' if gone else ''}"


def _instead(path: str, definition: Definition, reason: str, *, sure: bool, lacks: str | None = None) -> Site:
    """The site of a definition that takes the place of the target, or lacks what would."""
    return Site(
        path=path,
        at=definition.at,
        line=definition.line,
        kind="base",
        sure=sure,
        reason=reason,
        via="override",
        within=definition.qualified,
        lacks=lacks,
    )

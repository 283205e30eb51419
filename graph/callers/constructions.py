"""Constructors: what constructs their class, or a subclass without one of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from graph import expressions as x
from graph.callers.members import MemberSearch
from graph.callers.sites import Seen, Site, Target
from graph.types import ClassObject, Symbol


class ConstructionSearch(MemberSearch):
    """Follows constructors."""

    def _constructions(self, target: Target, owner: int, seen: Seen) -> None:
        """A constructor: every construction of its class and of subclasses without their own, and `super()` calls."""
        definition = self._definition(target)
        wanted = {(target.path, index) for index in target.indices}
        classes = self.subclasses(target.path, owner)
        for path, index in [(target.path, owner), *classes]:
            if self._stop():
                return
            receiver = ClassObject(path, index)
            declared, _ = self._inference.hierarchy.find(receiver, definition.name)
            if any(isinstance(each, Symbol) and (each.path, each.index) in wanted for each in declared):
                inner = Seen()
                own = (path, index) == (target.path, owner)
                self._named(Target(path, self._inference.hierarchy.bodies(path, index)), inner, spelled=own)
                for key, site in inner.sites.items():
                    if site.call_at >= 0 or site.kind in ("new", "jsx"):
                        seen.sites.setdefault(key, msgspec.structs.replace(site, bound=True))
            self._constructions_by_class_methods(path, index, definition.name, wanted, seen)
        self._made_by_themselves([(target.path, owner), *classes], definition.name, wanted, seen)
        self._through_super(classes, definition.name, wanted, seen)
        names = {self._program.facts(path).definitions[index].name for path, index in [(target.path, owner), *classes]}
        if self._language(target).global_names:  # named where a class calls its parent's, and hardly elsewhere
            naming: Iterable[str] = sorted({target.path, *(path for path, _ in classes)})
        else:
            naming = self._candidates.naming(definition.name, names, within=self._knowing(target))
        for path in naming:
            for at in self._program.places(path, definition.name):
                reference = self._reference(path, at)
                if reference is None or reference.kind == "import":
                    continue
                found = self._denote(path, reference.target)
                if any(isinstance(each, Symbol) and (each.path, each.index) in wanted for each in found):
                    bound = any(isinstance(each, Symbol) and self._takes_receiver(each) for each in found)
                    self._add(seen, path, reference, sure=True, bound=bound)

    def by_fields(self, target: Target) -> tuple[Site, ...]:
        """Constructions by the constructor that the fields of a class make, the target, or that they are part of: of
        subclasses, by `super()` and by `cls(...)`. Those by the class's own name are among what names it."""
        own = (target.path, target.indices[0])
        seen = Seen()
        classes = self.subclasses(*own)
        made_by = {each: self._generating(*each, own) for each in (own, *classes)}
        for path, index in classes:
            if self._stop():
                break
            made = made_by[path, index]
            if made is not None:
                inner = Seen()
                self._named(Target(path, self._inference.hierarchy.bodies(path, index)), inner)
                for key, site in inner.sites.items():
                    if site.call_at >= 0 or site.kind == "new":
                        seen.sites.setdefault(key, msgspec.structs.replace(site, made=made))
        language = self._language(target)
        for path in sorted({path for path, _ in (own, *classes)}):
            for name in sorted(language.constructor_names):
                for at in () if path in self._deleted else self._program.places(path, name):
                    self._by_super(path, at, own, seen)
        for (path, index), made in made_by.items():
            for reference in self._by_receiver(path, index) if made is not None and path not in self._deleted else ():
                types = self._inference.types(path, reference.target)
                if made is not None and any(
                    isinstance(each, ClassObject) and (each.path, each.index) == (path, index) for each in types
                ):
                    self._add_made(seen, path, reference, made)
        return tuple(seen.sites.values())

    def _generating(self, path: str, index: int, own: tuple[str, int], skip: int = 0) -> tuple[str, int] | None:
        """The class whose fields make the constructor by which a class is constructed, where those of `own` are among
        them. `skip` leaves out the first classes in the line."""
        for ancestor in self._inference.hierarchy.lineage(path, index).ancestors[skip:]:
            parsed = self._inference.syntax(ancestor.path)
            if parsed is None:
                return None
            language, syntax = parsed
            if language.generated(syntax, ancestor.index) is not None:
                above = self._inference.hierarchy.lineage(ancestor.path, ancestor.index).ancestors
                found = any((each.path, each.index) == own for each in above)
                return (ancestor.path, ancestor.index) if found else None
            members = self._program.members(ancestor.path).get(ancestor.index, {})
            if not language.constructor_names.isdisjoint(members):
                return None
        return None

    def _by_super(self, path: str, at: int, own: tuple[str, int], seen: Seen) -> None:
        """`super().__init__(...)` in a class that is written below the target."""
        reference, parsed = self._reference(path, at), self._inference.syntax(path)
        if reference is None or reference.call_at < 0 or parsed is None or not isinstance(reference.target, x.Member):
            return
        above = reference.target.object
        index = parsed[0].enclosing_class(parsed[1], above.at) if isinstance(above, x.Super) else -1
        made = self._generating(path, index, own, skip=1) if index >= 0 else None
        if made is not None and (path, index) != own:
            self._add_made(seen, path, reference, made)

    def _by_receiver(self, path: str, index: int) -> Iterator[x.Reference]:
        """`cls(...)` in the class's own class methods."""
        for method in self._program.facts(path).definitions:
            if method.parent != index or "classmethod" not in method.modifiers or not method.parameters:
                continue
            for at in self._program.places(path, method.parameters[0].name):
                reference = self._reference(path, at) if method.start <= at < method.end else None
                if reference is not None and reference.kind == "call" and reference.at == at:
                    yield reference

    def _add_made(self, seen: Seen, path: str, reference: x.Reference, made: tuple[str, int]) -> None:
        self._add(seen, path, reference, sure=True)
        key = (path, reference.at)
        seen.sites[key] = msgspec.structs.replace(seen.sites[key], made=made)

    def _through_super(
        self, classes: list[tuple[str, int]], constructor: str, wanted: set[tuple[str, int]], seen: Seen
    ) -> None:
        """`super(...)` in subclasses, where that alone calls the constructor."""
        for path in sorted({path for path, _ in classes}):
            parsed = self._inference.syntax(path)
            if parsed is None or path in self._deleted:
                continue
            language, syntax = parsed
            for use in language.implicit_uses(syntax, constructor):
                at, receiver = use.at, use.receiver
                if not isinstance(receiver, x.Super):
                    continue
                found = self._denote(path, x.Member(receiver, constructor, at))
                if any(isinstance(each, Symbol) and (each.path, each.index) in wanted for each in found):
                    call_at = syntax.source.find(b"(", at)
                    reference = x.Reference(constructor, at, "call", receiver, call_at=call_at)
                    self._add(seen, path, reference, sure=True, bound=True)

    def _constructions_by_class_methods(
        self, path: str, index: int, constructor: str, wanted: set[tuple[str, int]], seen: Seen
    ) -> None:
        """`cls(...)` in the class's own class methods."""
        for reference in self._by_receiver(path, index):
            for each in self._inference.types(path, reference.target):
                made = self._inference.hierarchy.find(each, constructor)[0] if isinstance(each, ClassObject) else ()
                if any(isinstance(one, Symbol) and (one.path, one.index) in wanted for one in made):
                    self._add(seen, path, reference, sure=True, bound=True)

    def _made_by_themselves(
        self, classes: list[tuple[str, int]], constructor: str, wanted: set[tuple[str, int]], seen: Seen
    ) -> None:
        """Constructions by the class's own name for itself inside it (`cls(...)`)."""
        for path, index in classes:
            language = self._program.language(path)
            facts = self._program.facts(path)
            body = facts.definitions[index]
            for name in sorted(language.class_self_names) if language is not None else ():
                for at in self._program.places(path, name):
                    reference = self._reference(path, at) if body.start <= at < body.end else None
                    if reference is None or reference.call_at < 0 or reference.target != x.Name(name, at):
                        continue
                    for each in self._inference.types(path, reference.target):
                        if not isinstance(each, ClassObject):
                            continue
                        declared, _ = self._inference.hierarchy.find(each, constructor)
                        if any(isinstance(one, Symbol) and (one.path, one.index) in wanted for one in declared):
                            self._add(seen, path, reference, sure=True, bound=True)

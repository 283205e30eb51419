"""Callers that do not name their target: by syntax, by magic, by a framework's convention, in a string."""

from __future__ import annotations

from functools import partial
from typing import cast

from graph import expressions as x
from graph.briefing import NAMED_IN_STRING
from graph.callers.constructions import ConstructionSearch
from graph.callers.sites import Seen, Site, Target
from graph.conventions import Question
from graph.languages.base import GlobalLanguage, Place
from graph.types import ClassObject, Denotation, Field, Instance, Symbol

MAX_MAGIC = 200
"""Files that name a class, from which on its magic methods are sought in its own file and its subclasses' only."""


class ImplicitSearch(ConstructionSearch):
    """Follows what is called without being named."""

    def _by_syntax(self, target: Target, owner: int, seen: Seen) -> None:
        """Places whose syntax calls a special method on a value of the class: in files that name the class, what
        inherits it, or a function that is declared to return one of them."""
        name = self._definition(target).name
        wanted = {(target.path, index) for index in target.indices}
        classes = [(target.path, owner), *self.subclasses(target.path, owner)]
        words = {self._program.facts(path).definitions[index].name for path, index in classes}
        if self._language(target).global_names:
            self._by_magic(target, classes, words, wanted, seen)
            return
        knowing = self._knowing(target)
        if knowing is None:
            self._candidates.prefetch(sorted(words))
        makers = {
            each.name
            for word in words
            for path in self._candidates.naming(word, within=knowing)
            for each in self._program.facts(path).definitions
            if each.returns and word in each.returns
        }
        if knowing is None:
            self._candidates.prefetch(sorted(makers))
        paths = sorted({path for word in words | makers for path in self._candidates.naming(word, within=knowing)})
        self._in_syntax(paths, name, wanted, seen)

    def _by_magic(
        self,
        target: Target,
        classes: list[tuple[str, int]],
        words: set[str],
        wanted: set[tuple[str, int]],
        seen: Seen,
    ) -> None:
        """The same where what is not declared goes to a method (PHP's `__call`): in files that name one of the classes;
        where that is very many, only in those that declare them."""
        self._candidates.search(sorted(words))
        held = {path for word in words for path in self._candidates.texts(word)}
        if len(held) > MAX_MAGIC:
            held = {path for path, _ in classes}
        else:
            held = {path for word in words for path in self._candidates.naming(word)}
        self._in_syntax(sorted(held), self._definition(target).name, wanted, seen)

    def _in_syntax(self, paths: list[str], name: str, wanted: set[tuple[str, int]], seen: Seen) -> None:
        for path in paths:
            parsed = self._inference.syntax(path) if path not in self._deleted else None
            if self._stop() or parsed is None:
                continue
            language, syntax = parsed
            for use in language.implicit_uses(syntax, name):
                at = use.at
                for each in self._inference.types(path, use.receiver):
                    declared: tuple[Denotation, ...] = ()
                    if isinstance(each, Instance) or (language.global_names and isinstance(each, ClassObject)):
                        declared = self._inference.hierarchy.find(each, name)[0]
                    if any(isinstance(one, Symbol) and (one.path, one.index) in wanted for one in declared):
                        if language.global_names and self._is_declared(path, at):
                            break
                        reference = x.Reference(name, at, "call", use.receiver, call_at=use.call_at)
                        self._add(
                            seen, path, reference, sure=True, reason=f"{name} is called by the syntax", bound=True
                        )

    def _question(self, target: Target) -> Question:
        owner = self._owner(target)
        below = partial(self.subclasses, target.path, owner)
        return Question(self._inference, self._candidates, (target.path, target.indices), owner, below)

    def _by_convention(self, target: Target, seen: Seen) -> None:
        """Places from which a framework reaches the target, though nothing there calls it."""
        language = cast(GlobalLanguage, self._language(target))
        try:
            for place in language.by_convention(self._question(target)):
                if self._stop():
                    return
                known = seen.sites.get((place.path, place.at))
                if place.path not in self._deleted and (known is None or (place.sure and not known.sure)):
                    seen.sites[place.path, place.at] = self._placed(place)
        except Exception:
            self.failures.add((target.path, -1))

    def _placed(self, place: Place) -> Site:
        facts = self._program.facts(place.path) if self._program.language(place.path) is not None else None
        index = self._program.innermost(place.path, place.at) if facts is not None else -1
        return Site(
            path=place.path,
            at=place.at,
            line=self._program.tree.read(place.path).count(b"\n", 0, place.at) + 1,
            kind=place.kind,
            sure=place.sure,
            reason=place.reason,
            via=place.via,
            within=facts.definitions[index].qualified if facts is not None and index >= 0 else None,
            call_at=place.call_at,
            bound=place.call_at >= 0,
            stands_for=place.stands_for,
        )

    def _is_declared(self, path: str, at: int) -> bool:
        """Whether the member that is named at an offset is declared: then no magic method answers for it."""
        named = self._reference(path, at)
        found = self._denote(path, named.target) if named is not None else ()
        return any(isinstance(each, Symbol | Field) for each in found)

    def _in_strings(self, target: Target, seen: Seen) -> None:
        """Strings that are nothing but the dotted path of the target: settings, lazy references, patches in tests."""
        name = self._definition(target).name
        wanted = {(target.path, index) for index in target.indices}
        for path, dotted, at in self._candidates.strings_ending(name):
            if path in self._deleted or (path, at) in seen.sites:
                continue
            found = self._denoted_by_path(path, dotted)
            if any(isinstance(each, Symbol) and (each.path, each.index) in wanted for each in found):
                reference = x.Reference(name, at, "value", x.Unknown())
                self._add(seen, path, reference, sure=False, reason=NAMED_IN_STRING)

    def _denoted_by_path(self, path: str, dotted: str) -> tuple[Denotation, ...]:
        """What a dotted path from a source root means, read in the file at `path`: the longest module, then members."""
        parts = dotted.split(".")
        for length in range(len(parts) - 1, 0, -1):
            resolved = self._inference.names.resolve(path, ".".join(parts[:length]))
            if resolved.external or not resolved.paths:
                continue
            found = self._inference.module_member(resolved.paths[0], parts[length])
            for name in parts[length + 1 :]:
                types = [t for each in found for t in self._inference.types_of(path, each)]
                found = self._inference.members(path, tuple(types), name)
            return found
        return ()

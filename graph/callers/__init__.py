"""Who reaches a definition: references that resolve to it, and those that may.

A reference is `sure` when its name or its receiver's type leads to the target, name-only when nothing contradicts, and
refused when it resolves elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from graph import expressions as x
from graph.callers.contracts import Contract, ContractSearch
from graph.callers.sites import Callers, Seen, Site, Target
from graph.candidates import Use
from graph.facts import Definition
from graph.hierarchy import CLASS_KINDS, is_named_as_type
from graph.languages.base import GlobalLanguage
from graph.types import ClassObject, Denotation, Field, InlineType, PropertyOf

__all__ = ["CallerSearch", "Callers", "Contract", "Seen", "Site", "Target"]

CROWDED_FIELD = 60
"""Files that hold a field's name, from which on a file must name its class, too: fields of one name are many."""


class CallerSearch(ContractSearch):
    """Finds callers in one program. Each layer below knows those under it: places, names, members, constructions,
    what is implicit, overrides, contracts."""

    def first_words(self, target: Target) -> frozenset[str]:
        """Words whose files can be loaded before anything is resolved (after `searched_words` were searched for)."""
        definition = self._definition(target)
        language = self._language(target)
        if (
            language.package_scope
            or self.is_unreached(target)
            or self._knowing(target) is not None
            or self._is_keyed(target)
            or self._module_keys(target)[0]
        ):
            return frozenset()
        if definition.name in language.constructor_names and definition.parent >= 0:
            return frozenset({self._program.facts(target.path).definitions[definition.parent].name})
        return frozenset({definition.name} - {"default"})

    def use_of(self, target: Target) -> Use:
        """How the target is named where it counts."""
        definition, language = self._definition(target), self._language(target)
        if definition.kind in CLASS_KINDS or definition.name in language.constructor_names:
            return "name"
        may_be_type = is_named_as_type(definition, language)
        if self._owner(target) >= 0:
            return "attribute" if may_be_type else "member"
        return "name" if may_be_type else "value"

    def searched_words(self, target: Target) -> frozenset[str]:
        """Words to search for before anything is resolved."""
        language = self._language(target)
        if not (language.global_names or language.package_scope):
            owner = self._owner(target)
            classes = {self._program.facts(target.path).definitions[owner].name} if owner >= 0 else set()
            return frozenset(classes | {self._definition(target).name} - {"default"})
        if language.global_names:
            owner = self._owner(target)
            known = {self._spelled(target).name}
            if owner >= 0:
                known.add(self._program.facts(target.path).definitions[owner].name)
            try:
                known.update(cast(GlobalLanguage, language).words_by_convention(self._question(target)))
            except Exception:
                self.failures.add((target.path, -1))
            return frozenset(known.union(self._spellings(self._spelled(target))))
        definition = self._definition(target)
        words = {definition.name}
        if definition.owner is not None:  # what embeds its type has it, too
            words.add(definition.owner)
        elif definition.parent >= 0:
            words.add(self._program.facts(target.path).definitions[definition.parent].name)
        return frozenset(words)

    def search_beside(self, targets: Iterable[Target]) -> None:
        """Search the files of other kinds for what names the targets' classes there, in one go."""
        words: set[str] = set()
        language = self._candidates.language
        if language is None or not language.global_names:
            return
        for target in targets:
            owner = self._owner(target)
            index = owner if owner >= 0 else target.indices[0]
            words.add(self._program.facts(target.path).definitions[index].name)
        if words:
            self._candidates.search_beside(words, cast(GlobalLanguage, language).text_suffixes)

    def find(self, target: Target) -> Callers:
        """All references that reach the target, in every file, its own included."""
        definition = self._definition(target)
        seen = Seen(of_value=definition.kind not in CLASS_KINDS)
        language = self._language(target)
        owner = self._owner(target)
        own = self._structural.owner(target) if language.structural else None
        if self.is_unreached(target):
            pass
        elif own is not None:
            self._structural.method(target, own, seen)
        elif owner >= 0 and definition.name in language.constructor_names:
            self._constructions(target, owner, seen)
        elif owner >= 0:
            self._method(target, owner, seen, self.use_of(target))
        else:
            self._named(target, seen, spelled=True, use=self.use_of(target))
        if owner >= 0 and definition.name in language.implicit_names and not self.is_unreached(target):
            self._by_syntax(target, owner, seen)
        if language.dotted_strings and "local" not in definition.modifiers:
            self._in_strings(target, seen)
        if language.global_names and not self.is_unreached(target):
            self._by_convention(target, seen)
        sites = sorted(seen.sites.values(), key=lambda site: (site.path, site.at))
        return Callers(tuple(sites), seen.noise, seen.unresolved)

    def field(self, path: str, index: int, name: str, *, written: bool = False) -> Callers:
        """Reads of a field that the class, interface or type with that index declares or assigns, through receivers
        that are known to be of it. A name alone says nothing: half of all fields are called `name` or `type`.
        `written`: assignments count as well, where they otherwise make the field anew."""
        seen = Seen(of_value=True)
        definition = self._program.facts(path).definitions[index]
        language = self._program.language(path)
        word = name.removeprefix("$")
        assigned = not written and (language is None or not (language.explicit_exports or language.package_scope))
        static = language is not None and language.global_names
        keys: frozenset[str] = frozenset()
        knowing = self._knowing(Target(path, (index,)))
        is_written_out = definition.kind == "type" or definition.kind not in CLASS_KINDS
        if definition.kind not in CLASS_KINDS and self._candidates.held_by(word) >= CROWDED_FIELD:
            keys = frozenset({definition.name})
        elif (
            language is not None
            and knowing is None
            and self._candidates.held_by(word) >= CROWDED_FIELD
            and self._candidates.named_outside(word, "attribute", path)  # its own file always has a key
        ):
            keys = self._class_keys(path, index, language, yielding=self.gone)
        for file in self._candidates.naming(word, keys, use="attribute", within=knowing):
            if self._stop():
                break
            for at in self._places(file, name):
                if file in self._deleted and self._only_runs(file, at):
                    continue
                reference = self._reference(file, at, keys=True)
                if reference is None or not isinstance(reference.target, x.Member):
                    continue
                if reference.write and assigned and not static:
                    continue  # an assignment makes the field anew
                denoted = self._denote(file, reference.target)
                found = [
                    each
                    for each in denoted
                    if isinstance(each, Field) and (each.path, each.index, each.name) == (path, index, name)
                ]
                if reference.write and assigned and not any(isinstance(each.receiver, ClassObject) for each in found):
                    continue  # so it does, but not one of the class itself (`A::$x = 1`)
                is_entry = is_written_out and any(_is_entry(each, path, definition, name) for each in denoted)
                if found or is_entry or (is_written_out and self._is_of_type(file, reference.target, path, definition)):
                    self._add(seen, file, reference, sure=True)
        sites = sorted(seen.sites.values(), key=lambda site: (site.path, site.at))
        return Callers(tuple(sites), seen.noise, seen.unresolved)

    def _is_of_type(self, file: str, target: x.Member, path: str, definition: Definition) -> bool:
        """Whether the member is read from a value of the object type that a definition writes out."""
        for each in self._inference.types(file, target.object):
            if (
                isinstance(each, InlineType)
                and each.path == path
                and definition.start <= each.value.at < definition.end
            ):
                return any(member.name == target.name for member in each.value.members)
        return False


def _is_entry(denoted: Denotation, path: str, definition: Definition, name: str) -> bool:
    """Whether it is a property of that name in the object literal that a definition is (`graph.constants`)."""
    return (
        isinstance(denoted, PropertyOf)
        and denoted.path == path
        and denoted.value.name == name
        and definition.start <= denoted.value.at < definition.end
    )

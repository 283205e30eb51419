"""Functions, classes and values, sought under every name that they are passed on as."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import cast

from graph import expressions as x
from graph.callers.places import Places
from graph.callers.sites import Seen, Target
from graph.candidates import Candidates, Use
from graph.dots import names_member
from graph.facts import Definition, Import
from graph.git import encode
from graph.hierarchy import CLASS_KINDS
from graph.inference import Inference
from graph.languages.base import GlobalLanguage, Language
from graph.redeclared import Redeclared
from graph.structural import StructuralSearch
from graph.types import Denotation, Symbol, Unresolved

MIN_BARE_NAME = 4
"""A bare name that nothing declares counts as name-only from this length on."""

CROWDED = 300
"""Files that hold a name, from which on a file must hold a second word: most of them mean something else by it."""

CROWDED_PROPERTY = 60
"""Files that hold a property's name, from which on nobody is sought who may use the target under it."""

MAX_WORDS = 40
"""Aliases, subclasses and the like followed for one target."""

_NO_KEYS: tuple[frozenset[str], frozenset[str]] = frozenset(), frozenset()


class NameSearch(Places):
    """Follows names."""

    def __init__(
        self,
        inference: Inference,
        candidates: Candidates,
        should_stop: Callable[[], bool] = lambda: False,
        *,
        deleted: Collection[str] | None = None,
        redeclared: Redeclared | None = None,
    ) -> None:
        """`redeclared`: see there; it may be filled until the first question. The rest as for `Places`."""
        super().__init__(inference, candidates, should_stop, deleted=deleted)
        self._redeclared = redeclared if redeclared is not None else {}
        self._structural = StructuralSearch(self, self._redeclared)
        self._below: dict[tuple[str, int], tuple[tuple[str, int], ...]] = {}
        self._asked: dict[tuple[str, int], int] = {}
        self._meant: dict[tuple[str, str], tuple[frozenset[tuple[str, int]], bool]] = {}
        self._yields: dict[str, frozenset[str]] = {}
        self._globals: dict[tuple[str, int], bool] = {}
        self._passed_as_global: dict[str, bool] = {}

    def _spelled(self, target: Target) -> Definition:
        """The definition by whose name the target is called: of a constructor, its class."""
        definition = self._definition(target)
        owner = self._owner(target)
        if owner >= 0 and definition.name in self._language(target).constructor_names:
            return self._program.facts(target.path).definitions[owner]
        return definition

    def _spellings(self, definition: Definition) -> frozenset[str]:
        """Other spellings that mean the same, in languages with full names."""
        return (
            frozenset(self._spelling_rules.spellings(definition)) if self._spelling_rules is not None else frozenset()
        )

    def _may_spell(self, definition: Definition, word: str, path: str) -> bool:
        rules = self._spelling_rules
        return rules is not None and rules.may_spell(self._program.tree.read(path), definition, word)

    @property
    def _spelling_rules(self) -> GlobalLanguage | None:
        language = self._candidates.language
        return cast(GlobalLanguage, language) if language is not None and language.global_names else None

    def _module_keys(self, target: Target) -> tuple[frozenset[str], frozenset[str]]:
        """Of a name that is in very many files, or too short for a mere match to count: the words by which its module
        is imported, or one that passes the name on, and the files that import one of these. None where a package does:
        its files import it by dots."""
        name = self._definition(target).name
        if not self._language(target).imports_only:
            return _NO_KEYS
        if len(name) >= MIN_BARE_NAME and self._candidates.held_by(name) < CROWDED:
            return _NO_KEYS
        words: set[str] = set()
        importers: set[str] = set()
        modules = [target.path]
        for module in modules:  # grows
            if len(modules) > MAX_WORDS or self._candidates.is_package(module):
                return _NO_KEYS
            words.update(self._candidates.importer_words(module))
            for path, imported in self._candidates.importers(module):
                importers.add(path)
                if (imported.name == name or imported.kind == "star") and path not in modules:
                    modules.append(path)
        return frozenset(words), frozenset(importers)

    def _reaches_module(
        self,
        keys: Collection[str],
        importers: Collection[str],
        word: str,
        accept: Callable[[str], bool] | None,
        path: str,
    ) -> bool:
        """Whether a file imports the module of a name, or names it after the module (`package.module.name`), and is
        one to `accept`."""
        if accept is not None and not accept(path):
            return False
        if path in importers:
            return True
        return names_member(self._program.tree.read(path), encode(word), [encode(key) for key in keys])

    def _named(
        self, target: Target, seen: Seen, *, bases: bool = False, spelled: bool = False, use: Use = "name"
    ) -> None:
        """Functions, classes, values: followed under every name they are passed on as. `bases`: only where classes are
        named as bases, as far as the text of a file tells. `spelled`: under other spellings of the name too. `use`: as
        what it is named where that counts."""
        wanted = {(target.path, index) for index in target.indices}
        definition = self._definition(target)
        packaged = self._language(target).package_scope
        facts = self._program.facts(target.path)
        spellings = self._spellings(definition) if spelled else frozenset[str]()
        words = [definition.name, *sorted(spellings)]
        modules: list[str] = []
        known: set[str] = set()
        knowing = self._knowing(target)
        self._own_exports(target, words, modules)
        steps = 0
        while (words or modules or seen.given) and steps < MAX_WORDS:
            steps += 1
            if not (words or modules):
                words.append(seen.given.pop(0))
            if words:
                word = words.pop(0)
                if word in known or word in ("default", "="):
                    continue
                known.add(word)
                reach = None
                if packaged:
                    reach = self._structural.reach(
                        set(wanted), exported=self._language(target).is_public(facts, definition)
                    )
                elif bases:
                    reach = partial(self._may_inherit, word)
                elif word in spellings:
                    reach = partial(self._may_spell, definition, word)
                keys, importers = self._module_keys(target) if word == definition.name and not knowing else _NO_KEYS
                if keys:
                    reach = partial(self._reaches_module, keys, importers, word, reach)
                paths = self._candidates.naming(word, keys, reach, use=use, within=knowing)
                for path in sorted({*paths, target.path}) if keys else paths:
                    if self._stop():
                        return
                    self._in_file(target, path, word, wanted, seen, words, modules)
            else:
                module = modules.pop(0)
                if "\0" + module in known:
                    continue
                known.add("\0" + module)
                for path, imported in self._candidates.importers(module):
                    if self._stop():
                        return
                    if imported.name in ("default", None):
                        self._imported(target, path, imported, wanted, seen, words, modules)
                    if imported.name is None:
                        for at in self._places(path, "default"):
                            self._place(target, path, at, wanted, seen, words, modules)

    def follow_alias(self, path: str, reference: x.Reference, seen: Seen) -> None:
        """Seek what a module-level name is used for that is given the reference as its whole value."""
        alias = self._alias(path, reference)
        if alias >= 0 and (path, alias) not in seen.followed:
            seen.followed.add((path, alias))
            self._named(Target(path, (alias,)), seen)

    def _own_exports(self, target: Target, words: list[str], modules: list[str]) -> None:
        """Names under which the target's own file passes it on."""
        definition = self._definition(target)
        for export in self._program.facts(target.path).exports_of(definition):
            if export.exported in ("default", "="):
                modules.append(target.path)
            elif export.exported != definition.name:
                words.append(export.exported)

    def _in_file(
        self,
        target: Target,
        path: str,
        word: str,
        wanted: set[tuple[str, int]],
        seen: Seen,
        words: list[str],
        modules: list[str],
    ) -> None:
        """Everything that one file does with a name that may be the target."""
        meant, loose = self._meanings(path, word)
        if not loose and meant.isdisjoint(wanted):
            return
        facts = self._program.facts(path)
        for imported in facts.imports:
            if imported.name == word:
                self._imported(target, path, imported, wanted, seen, words, modules)
        for at in self._places(path, word):
            self._place(target, path, at, wanted, seen, words, modules)
        for export in facts.exports:
            if export.local == word and export.exported != word and self._denotes(path, word, export.at, wanted):
                if export.exported in ("default", "="):
                    modules.append(path)
                else:
                    words.append(export.exported)

    def _meanings(self, path: str, word: str) -> tuple[frozenset[tuple[str, int]], bool]:
        """The definitions that a name stands for somewhere in a file, and whether it stands somewhere for nothing that
        is known, so that it may be anybody's. Worked out once, for all targets of the name."""
        known = self._meant.get((path, word))
        if known is None:
            facts = self._program.facts(path)
            found: list[Denotation] = []
            loose = False
            for imported in facts.imports:
                if imported.name == word:
                    found.extend(self._inference.imported(path, imported))
            for at in self._places(path, word):
                reference = self._sought(path, at)
                if reference is not None:
                    here = self._structural.compiled_together(path, self._denote(path, reference.target))
                    found.extend(here)
                    loose = loose or self._is_loose(reference, here)
            for export in facts.exports:
                if export.local == word and export.exported != word:
                    found.extend(self._inference.denote(path, x.Name(word, export.at)))
            found.extend(held for each in tuple(found) for held in self._inference.held(each))
            meant = frozenset((each.path, each.index) for each in found if isinstance(each, Symbol))
            known = self._meant[path, word] = meant, loose
        return known

    def _sought(self, path: str, at: int) -> x.Reference | None:
        """The reference at a place, if it is of a kind that counts for a name."""
        if path in self._deleted and self._only_runs(path, at):
            return None
        reference = self._reference(path, at)
        if reference is None or reference.kind == "import":
            return None
        if (reference.write or reference.stored_into or reference.owning) and not self.gone:
            return None
        return reference

    def _is_loose(self, reference: x.Reference, found: tuple[Denotation, ...]) -> bool:
        """Whether a bare name is nobody's that is known, and long enough to be more than a coincidence."""
        return (
            isinstance(reference.target, x.Name)
            and len(reference.name) >= MIN_BARE_NAME
            and bool(found)
            and all(isinstance(each, Unresolved) for each in found)
        )

    def _denotes(self, path: str, name: str, at: int, wanted: set[tuple[str, int]]) -> bool:
        return any(
            isinstance(each, Symbol) and (each.path, each.index) in wanted
            for each in self._inference.denote(path, x.Name(name, at))
        )

    def _imported(
        self,
        target: Target,
        path: str,
        imported: Import,
        wanted: set[tuple[str, int]],
        seen: Seen,
        words: list[str],
        modules: list[str],
    ) -> None:
        """An import that may bring the target into a file under another name, or pass it on."""
        found = self._inference.imported(path, imported)
        if not any(isinstance(each, Symbol) and (each.path, each.index) in wanted for each in found):
            return
        if self.gone:
            self._add(seen, path, x.Reference(imported.name or "", imported.at, "import", x.Unknown()), sure=True)
        if imported.local is not None and imported.local != imported.name:
            for at in self._places(path, imported.local):
                self._place(target, path, at, wanted, seen, words, modules)
            language = self._program.language(path)
            if language is not None and not language.explicit_exports and imported.top and len(imported.local) > 1:
                words.append(imported.local)
            for export in self._program.facts(path).exports:
                if export.local == imported.local:
                    if export.exported in ("default", "="):
                        modules.append(path)
                    else:
                        words.append(export.exported)
        elif imported.local is None and imported.kind == "dynamic":
            self._place(target, path, imported.at, wanted, seen, words, modules)
        if imported.exported_as in ("default", "="):
            modules.append(path)
        elif imported.exported_as is not None and imported.exported_as != imported.name:
            words.append(imported.exported_as)

    def _place(
        self,
        target: Target,
        path: str,
        at: int,
        wanted: set[tuple[str, int]],
        seen: Seen,
        words: list[str],
        modules: list[str],
    ) -> None:
        """One place where a name stands that may be the target."""
        if (path, at) in seen.visited:
            return
        seen.visited.add((path, at))
        reference = self._sought(path, at)
        if reference is None:
            return
        found = self._structural.compiled_together(path, self._denote(path, reference.target))
        if any(isinstance(each, Symbol) and (each.path, each.index) in wanted for each in found):
            others = [each for each in found if not (isinstance(each, Symbol) and (each.path, each.index) in wanted)]
            others = [each for each in others if not self._structural.same_symbol(each, target)]
            others = [each for each in others if not self._is_nothing(each)]
            if not self.gone and _is_own(path, found, wanted) and self._only_exports(path, reference):
                pass  # who imports it is the caller
            elif any(isinstance(each, Symbol) and each.receiver is None for each in others):
                # The name itself, not its receiver's type, leads elsewhere too: a fallback in `except ImportError`.
                self._add(seen, path, reference, sure=False, reason="one of several definitions of that name")
            else:
                self._add(seen, path, reference, sure=True)
            self._passed_on(path, reference, wanted, seen, words, modules)
        elif (held := self._held(reference, found, wanted)) is not None:
            self._add(seen, path, reference, sure=held[1], reason=f"through {held[0]}", via="property")
            if held[1]:
                self._passed_on(path, reference, wanted, seen, words, modules)
        elif self._is_loose(reference, found) and self._is_reached_bare(target, path, reference, found, wanted):
            self._add(seen, path, reference, sure=False, reason="name match only")

    def _passed_on(
        self,
        path: str,
        reference: x.Reference,
        wanted: set[tuple[str, int]],
        seen: Seen,
        words: list[str],
        modules: list[str],
    ) -> None:
        """Under what other names a place that reaches the target passes it on."""
        alias = self._alias(path, reference)
        if alias >= 0 and (path, alias) not in wanted:
            wanted.add((path, alias))
            words.append(self._program.facts(path).definitions[alias].name)
        exported = self._exported_as(path, reference)
        if exported in ("default", "="):
            modules.append(path)
        elif exported is not None:
            words.append(exported)
        if reference.given is not None and self._candidates.held_by(reference.given) < CROWDED_PROPERTY:
            seen.given.append(reference.given)

    def _held(
        self, reference: x.Reference, found: tuple[Denotation, ...], wanted: set[tuple[str, int]]
    ) -> tuple[str, bool] | None:
        """The property that is named (`Menu.Item`), where its value is one of the wanted definitions, and whether it
        can be nothing else; None where it isn't."""
        if not isinstance(reference.target, x.Member):
            return None
        values = [self._inference.held(each) for each in found]
        meant = [isinstance(each, Symbol) and (each.path, each.index) in wanted for value in values for each in value]
        if not any(meant):
            return None
        owner = reference.target.object
        name = owner.id if isinstance(owner, x.Name) else owner.name if isinstance(owner, x.Member) else "its object"
        return f"{name}.{reference.name}", all(meant) and all(values)

    def _is_reached_bare(
        self,
        target: Target,
        path: str,
        reference: x.Reference,
        found: Collection[Denotation],
        wanted: Collection[tuple[str, int]],
    ) -> bool:
        """Whether a name that is nobody's that is known may reach what is wanted. An import that leads nowhere may
        reach what is exported under that name, and so may what adds to a module; a name that nothing declares, what is
        a global, if it is no other name under which a module exports something. What a component's script has, be it a
        method, the template around it reaches."""
        if path == target.path and reference.in_template:
            return True
        if self._definition(target).kind == "method" or encode(reference.name) not in self._program.tree.read(path):
            return False  # spelled otherwise alone (`<order-list>`), it is found by no search
        named = [
            (where, each)
            for where, each in sorted(wanted)
            if self._program.facts(where).definitions[each].name == reference.name
        ]
        exported = not named or any(self._program.facts(where).definitions[each].exported for where, each in named)
        if (
            (reference.in_template and reference.kind == "jsx")
            or any(isinstance(each, Unresolved) and each.name != reference.name for each in found)
            or self._adds_to_module(path, reference.at)
        ):
            return exported
        if not named:
            return not self._language(target).explicit_exports
        return any(self._is_global(where, each) for where, each in named) or (
            exported and self._is_passed_as_global(self._language(target), reference.name)
        )

    def _adds_to_module(self, path: str, at: int) -> bool:
        """Whether a place is in what adds to another module (`declare module "shop" {`), whose names it sees."""
        definitions = self._program.facts(path).definitions
        index = self._program.innermost(path, at)
        while index >= 0 and "module" not in definitions[index].modifiers:
            index = definitions[index].parent
        return index >= 0

    def _is_passed_as_global(self, language: Language, name: str) -> bool:
        """Whether a file makes a global of a name that another file exports."""
        known = self._passed_as_global.get(name)
        if known is None:
            paths = self._candidates.naming(name)
            known = any(language.passes_as_global(self._program.tree.read(path), name) for path in paths)
            self._passed_as_global[name] = known
        return known

    def _is_global(self, path: str, index: int) -> bool:
        """Whether files that don't import the definition may name it."""
        known = self._globals.get((path, index))
        if known is None:
            language = self._program.language(path)
            facts = self._program.facts(path)
            known = language is None or language.is_global(self._program.tree.read(path), facts, index)
            self._globals[path, index] = known
        return known

    def _may_inherit(self, word: str, path: str) -> bool:
        """Whether a class in the file may have the class of that name as a base, by the file's text."""
        language = self._program.language(path)
        return language is None or language.may_inherit(self._program.tree.read(path), word)

    def subclasses(self, path: str, index: int) -> list[tuple[str, int]]:
        """Classes that inherit the class, directly or not, in the order found."""
        known = self._below.get((path, index))
        if known is not None:
            return list(known)
        found: dict[tuple[str, int], None] = {}
        pending = [(path, index)]
        steps = 0
        while pending and steps < MAX_WORDS:
            steps += 1
            if self._language(Target(path, (index,))).global_names:  # a generation at once
                self._candidates.search({self._program.facts(each).definitions[i].name for each, i in pending})
            here = pending.pop(0)
            inner = Seen()
            self._named(Target(here[0], self._inference.hierarchy.bodies(*here)), inner, bases=True)
            for site in inner.sites.values():
                if site.kind != "base" or not site.sure:
                    continue
                child = self._program.innermost(site.path, site.at)
                key = (site.path, child)
                if child < 0 or key in found or key == (path, index):
                    continue
                if self._program.facts(site.path).definitions[child].kind in CLASS_KINDS:
                    found[key] = None
                    pending.append(key)
        if not self.stopped:
            self._below[path, index] = tuple(found)
        return list(found)

    def _family(self, path: str, index: int) -> list[tuple[str, int]]:
        """The class and its ancestors inside the repository (the builtins stub aside)."""
        lineage = self._inference.hierarchy.lineage(path, index)
        return [(each.path, each.index) for each in lineage.ancestors if not each.path.startswith("\0")]


def _is_own(path: str, found: Collection[Denotation], wanted: Collection[tuple[str, int]]) -> bool:
    """Whether it is a definition of the file itself that is found there."""
    return any(isinstance(each, Symbol) and each.path == path and (path, each.index) in wanted for each in found)

"""Who reaches a definition: references that resolve to it, and those that may.

A reference is `sure` when its name or its receiver's type leads to the target, name-only when nothing contradicts, and
refused when it resolves elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from functools import partial
from typing import cast

import msgspec

from graph import expressions as x
from graph.briefing import NAMED_IN_STRING, CallerKind
from graph.candidates import Candidates
from graph.conventions import Question
from graph.facts import Definition, Import
from graph.git import encode
from graph.hierarchy import CLASS_KINDS, INVOKED
from graph.inference import Inference
from graph.languages.base import GlobalLanguage, Language, Place
from graph.redeclared import Redeclared
from graph.structural import StructuralSearch
from graph.types import (
    Anything,
    ClassObject,
    Denotation,
    External,
    Field,
    FunctionObject,
    InlineType,
    Instance,
    Symbol,
    Typed,
    Unresolved,
    Variable,
)

MIN_BARE_NAME = 4
"""A bare name that nothing declares counts as name-only from this length on."""
MAX_RIVALS = 2
"""Classes that may declare a method's name besides its own family, for it still to count on an untyped receiver."""
MAX_MEMBERS = 100
"""Members of an interface that are compared with those of a class."""
MAX_MAGIC = 200
"""Files that name a class, from which on its magic methods are sought in its own file and its subclasses' only."""
MAX_DECLARING = 24
"""Files that declare a method's name, from which on an untyped receiver says nothing."""
CROWDED = 300
"""Files that hold a name, from which on a file must hold a second word: most of them mean something else by it."""
CROWDED_FIELD = 60
"""The same for a field, whose name is nearly always one of many of that name."""
MAX_WORDS = 40
"""Aliases, subclasses and the like followed for one target."""


_HOLDER = re.compile(rb"(\w+)\??[ \t]*(?::=|:|=(?!=))")
"""What a line assigns or declares before a class is named on it."""


class Target(msgspec.Struct, frozen=True):
    """A definition whose callers are sought. `indices` are all its definitions in the file's facts (overloads)."""

    path: str
    indices: tuple[int, ...]


class Site(msgspec.Struct, frozen=True):
    """A place that reaches a target. `call_at` finds its arguments, -1 when it isn't called there.

    `bound`: the receiver is passed by the call itself (`obj.m()`, `C()`), so the first parameter is taken.
    `lacks`: it is a type that implements the target, an interface, but for the method of that name.
    `stands_for`: what the text there names, in a file that is of no language.
    """

    path: str
    at: int
    line: int
    kind: CallerKind
    sure: bool
    reason: str | None = None
    via: str | None = None
    within: str | None = None
    call_at: int = -1
    bound: bool = False
    lacks: str | None = None
    stands_for: x.Expression | None = None


class Callers(msgspec.Struct, frozen=True):
    """All sites of one target, sorted by path and offset, and what was seen and not listed."""

    sites: tuple[Site, ...]
    noise: int
    unresolved_receivers: int


class Seen:
    """Collects the sites of one target."""

    def __init__(self) -> None:
        self.sites: dict[tuple[str, int], Site] = {}
        self.noise = 0
        self.unresolved = 0
        self.visited: set[tuple[str, int]] = set()
        self.followed: set[tuple[str, int]] = set()


class CallerSearch:
    """Finds callers in one program."""

    def __init__(
        self,
        inference: Inference,
        candidates: Candidates,
        should_stop: Callable[[], bool] = lambda: False,
        *,
        deleted: Collection[str] | None = None,
        redeclared: Redeclared | None = None,
    ) -> None:
        """`deleted`: the targets are gone in the tree after the change, and these files with them. Then what imports
        them, or only assigns into them, counts too, and what the deleted files do is nobody's concern any more, except
        that they may pass a name on. `redeclared`: see there; it may be filled until the first question."""
        self._inference = inference
        self._program = inference.program
        self._candidates = candidates
        self._should_stop = should_stop
        self._structural = StructuralSearch(self, redeclared if redeclared is not None else {})
        self._below: dict[tuple[str, int], tuple[tuple[str, int], ...]] = {}
        self._meant: dict[tuple[str, str], tuple[frozenset[tuple[str, int]], bool]] = {}
        self.stopped = False
        self.failures: set[tuple[str, int]] = set()
        """Places that could not be worked out because of a defect of ours: (path, offset or -1)."""
        self.gone = deleted is not None
        self._deleted = deleted or ()
        self._unreached: frozenset[str] | None = None

    # ------------------------------------------------------------------------------------------------------- words

    def first_words(self, target: Target) -> frozenset[str]:
        """Words whose files can be loaded before anything is resolved (after `searched_words` were searched for)."""
        definition = self._definition(target)
        language = self._language(target)
        if language.package_scope or self.is_unreached(target) or self._is_keyed(target) or self._module_keys(target):
            return frozenset()
        if definition.name in language.constructor_names and definition.parent >= 0:
            return frozenset({self._program.facts(target.path).definitions[definition.parent].name})
        return frozenset({definition.name} - {"default"})

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

    def _definition(self, target: Target) -> Definition:
        return self._program.facts(target.path).definitions[target.indices[0]]

    def _language(self, target: Target) -> Language:
        language = self._program.language(target.path)
        assert language is not None, target.path
        return language

    def _owner(self, target: Target) -> int:
        """The class that declares the target as a member; -1 when none does."""
        facts = self._program.facts(target.path)
        parent = self._definition(target).parent
        return parent if parent >= 0 and facts.definitions[parent].kind in CLASS_KINDS else -1

    def _is_keyed(self, target: Target) -> bool:
        """Whether files must hold a second word besides the name: a method whose name is common, everywhere or here."""
        name = self._definition(target).name
        if self._owner(target) < 0:
            return False
        language = self._language(target)
        if language.global_names and name in language.constructor_names:
            return False  # its class is what is named
        if name in language.common_names:
            return True
        return name not in language.keywords and self._candidates.held_by(name) >= CROWDED

    def _module_keys(self, target: Target) -> frozenset[str]:
        """Words of which a file must hold one to use a name that is in very many files, or too short for a mere match
        to count: those by which the target's module is imported, or one that passes the name on. None where a package
        does: its files import it by dots."""
        name = self._definition(target).name
        if not self._language(target).imports_only:
            return frozenset()
        if len(name) >= MIN_BARE_NAME and self._candidates.held_by(name) < CROWDED:
            return frozenset()
        words: set[str] = set()
        modules = [target.path]
        for module in modules:  # grows
            if len(modules) > MAX_WORDS or self._candidates.is_package(module):
                return frozenset()
            words.update(self._candidates.importer_words(module))
            for path, imported in self._candidates.importers(module):
                if (imported.name == name or imported.kind == "star") and path not in modules:
                    modules.append(path)
        return frozenset(words)

    def _keys(self, target: Target) -> frozenset[str]:
        """Words of which a file that calls a method of a common name must hold one: the class, what inherits it, what
        it inherits, and the names of what is declared or assigned to yield one of these, one level."""
        return self._class_keys(target.path, self._owner(target), self._language(target))

    def _class_keys(self, path: str, index: int, language: Language, *, yielding: bool = True) -> frozenset[str]:
        classes = [*self._family(path, index), *self.subclasses(path, index)]
        words = {self._program.facts(path).definitions[index].name for path, index in classes}
        return frozenset(words | self._yielding(words, language)) if yielding else frozenset(words)

    def _yielding(self, classes: set[str], language: Language) -> set[str]:
        """Names of functions declared to return one of the classes, and of what a line assigns or declares with it."""
        found: set[str] = set()
        if language.global_names:  # the text alone tells: nothing is parsed for it
            self._candidates.search(sorted(classes))
            for word in sorted(classes):
                for path in self._candidates.texts(word):
                    source = self._program.tree.read(path)
                    found.update(cast(GlobalLanguage, language).yielding(source, word))
            return found
        self._candidates.prefetch(sorted(classes))
        for word in sorted(classes):
            place = re.compile(rb"\b" + re.escape(encode(word)) + rb"\b")
            for path in self._candidates.naming(word):
                facts = self._program.facts(path)
                found.update(each.name for each in facts.definitions if each.returns and word in each.returns)
                source = self._program.tree.read(path)
                for occurrence in place.finditer(source):
                    line = source[source.rfind(b"\n", 0, occurrence.start()) + 1 : occurrence.start()]
                    found.update(name.decode("utf-8", "replace") for name in _HOLDER.findall(line))
        return found

    # --------------------------------------------------------------------------------------------------- the search

    def find(self, target: Target) -> Callers:
        """All references that reach the target, in every file, its own included."""
        seen = Seen()
        definition = self._definition(target)
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
            self._method(target, owner, seen)
        else:
            self._named(target, seen, spelled=True)
        if owner >= 0 and definition.name in language.implicit_names and not self.is_unreached(target):
            self._by_syntax(target, owner, seen)
        if language.dotted_strings and "local" not in definition.modifiers:
            self._in_strings(target, seen)
        if language.global_names and not self.is_unreached(target):
            self._by_convention(target, seen)
        sites = sorted(seen.sites.values(), key=lambda site: (site.path, site.at))
        return Callers(tuple(sites), seen.noise, seen.unresolved)

    def is_unreached(self, target: Target) -> bool:
        """Whether the target is in a deleted file that no file that stays imports, directly or through others."""
        if target.path not in self._deleted or not self._language(target).imports_only:
            return False
        if self._unreached is None:
            self._unreached = self._cut_off()
        return target.path in self._unreached

    def _cut_off(self) -> frozenset[str]:
        """The deleted files that nothing that stays can reach: with a file go the packages that hold it, and what is
        named by a parameter alone (`pytest.fixture`) is never out of reach."""
        mine = [path for path in self._deleted if self._candidates.holds(path)]
        importers = {path: {each for each, _ in self._candidates.importers(path)} for path in mine}
        reached = {path for path in mine if not importers[path] <= importers.keys() or self._is_injected(path)}
        pending = sorted(reached)
        while pending:
            here = pending.pop()
            for path in mine:
                around = here.startswith(path.rpartition("/")[0] + "/") or "/" not in path
                if path not in reached and (here in importers[path] or around):
                    reached.add(path)
                    pending.append(path)
        return frozenset(mine) - reached

    def _is_injected(self, path: str) -> bool:
        language = self._program.language(path)
        return language is not None and any(
            not language.injected_decorators.isdisjoint(each.decorators)
            for each in self._program.facts(path).definitions
        )

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
        self._candidates.prefetch(sorted(words))
        makers = {
            each.name
            for word in words
            for path in self._candidates.naming(word)
            for each in self._program.facts(path).definitions
            if each.returns and word in each.returns
        }
        self._candidates.prefetch(sorted(makers))
        paths = sorted({path for word in words | makers for path in self._candidates.naming(word)})
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
            for at, receiver in language.implicit_uses(syntax, name):
                for each in self._inference.types(path, receiver):
                    declared: tuple[Denotation, ...] = ()
                    if isinstance(each, Instance) or (language.global_names and isinstance(each, ClassObject)):
                        declared = self._inference.hierarchy.find(each, name)[0]
                    if any(isinstance(one, Symbol) and (one.path, one.index) in wanted for one in declared):
                        if language.global_names and self._is_declared(path, at):
                            break
                        called = at if name == INVOKED else -1
                        reference = x.Reference(name, at, "call", receiver, call_at=called)
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
        ending = b"." + encode(name)
        dotted = re.compile(rb"[\"']((?:[A-Za-z_]\w*\.)+" + re.escape(encode(name)) + rb")[\"']")
        for path in self._candidates.texts(name):
            source = self._program.tree.read(path)
            if path in self._deleted or (ending + b'"' not in source and ending + b"'" not in source):
                continue
            for string in dotted.finditer(source):
                at = string.end(1) - len(encode(name))
                found = self._denoted_by_path(path, string.group(1).decode("ascii", "replace"))
                if (path, at) not in seen.sites and any(
                    isinstance(each, Symbol) and (each.path, each.index) in wanted for each in found
                ):
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

    def _named(self, target: Target, seen: Seen, *, bases: bool = False, spelled: bool = False) -> None:
        """Functions, classes, values: followed under every name they are passed on as. `bases`: only where classes are
        named as bases, as far as the text of a file tells. `spelled`: under other spellings of the name too."""
        wanted = {(target.path, index) for index in target.indices}
        definition = self._definition(target)
        packaged = self._language(target).package_scope
        facts = self._program.facts(target.path)
        spellings = self._spellings(definition) if spelled else frozenset[str]()
        words = [definition.name, *sorted(spellings)]
        modules: list[str] = []
        known: set[str] = set()
        self._own_exports(target, words, modules)
        steps = 0
        while (words or modules) and steps < MAX_WORDS:
            steps += 1
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
                if bases and self._language(target).global_names:
                    reach = partial(self._may_inherit, word)
                elif word in spellings:
                    reach = partial(self._may_spell, definition, word)
                keys = self._module_keys(target) if word == definition.name else frozenset[str]()
                paths = self._candidates.naming(word, keys, reach)
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
                        for at in self._program.facts(path).names.get("default", ()):
                            self._place(target, path, at, wanted, seen, words)

    def _may_inherit(self, word: str, path: str) -> bool:
        """Whether a class in the file may have the class of that name as a base, by the file's text."""
        language = self._program.language(path)
        return language is None or cast(GlobalLanguage, language).may_inherit(self._program.tree.read(path), word)

    def follow_alias(self, path: str, reference: x.Reference, seen: Seen) -> None:
        """Seek what a module-level name is used for that is given the reference as its whole value."""
        alias = self._alias(path, reference)
        if alias >= 0 and (path, alias) not in seen.followed:
            seen.followed.add((path, alias))
            self._named(Target(path, (alias,)), seen)

    def _stop(self) -> bool:
        self.stopped = self.stopped or self._should_stop()
        return self.stopped

    def _own_exports(self, target: Target, words: list[str], modules: list[str]) -> None:
        """Names under which the target's own file passes it on."""
        facts = self._program.facts(target.path)
        definition = self._definition(target)
        if definition.parent >= 0:
            return
        for export in facts.exports:
            if export.local == definition.name or (
                export.local is None and definition.start <= export.at < definition.end
            ):
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
        for at in facts.names.get(word, ()):
            self._place(target, path, at, wanted, seen, words)
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
            for at in facts.names.get(word, ()):
                reference = self._sought(path, at)
                if reference is not None:
                    here = self._structural.compiled_together(path, self._denote(path, reference.target))
                    found.extend(here)
                    loose = loose or self._is_loose(reference, here)
            for export in facts.exports:
                if export.local == word and export.exported != word:
                    found.extend(self._inference.denote(path, x.Name(word, export.at)))
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

    def _only_runs(self, path: str, at: int) -> bool:
        """Whether a place lies inside a function, where a name is used and not passed on to others."""
        index = self._program.innermost(path, at)
        return index >= 0 and self._program.facts(path).definitions[index].kind in ("function", "method")

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
            for at in self._program.facts(path).names.get(imported.local, ()):
                self._place(target, path, at, wanted, seen, words)
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
            self._place(target, path, imported.at, wanted, seen, words)
        if imported.exported_as in ("default", "="):
            modules.append(path)
        elif imported.exported_as is not None and imported.exported_as != imported.name:
            words.append(imported.exported_as)

    def _place(
        self, target: Target, path: str, at: int, wanted: set[tuple[str, int]], seen: Seen, words: list[str]
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
            if any(isinstance(each, Symbol) and each.receiver is None for each in others):
                # The name itself, not its receiver's type, leads elsewhere too: a fallback in `except ImportError`.
                self._add(seen, path, reference, sure=False, reason="one of several definitions of that name")
            else:
                self._add(seen, path, reference, sure=True)
            alias = self._alias(path, reference)
            if alias >= 0 and (path, alias) not in wanted:
                wanted.add((path, alias))
                words.append(self._program.facts(path).definitions[alias].name)
        elif self._is_loose(reference, found):
            self._add(seen, path, reference, sure=False, reason="name match only")

    def _is_nothing(self, denoted: Denotation) -> bool:
        """Whether a name stands for no value at all (`f = None` where an import failed): no use means that."""
        if not isinstance(denoted, Symbol) or denoted.receiver is not None:
            return False
        definition = self._program.facts(denoted.path).definitions[denoted.index]
        parsed = self._inference.syntax(denoted.path)
        if definition.kind not in ("constant", "variable") or parsed is None:
            return False
        language, syntax = parsed
        text = syntax.source[definition.at : definition.end].decode("utf-8", "replace")
        name, _, value = text.partition("=")
        return name.strip() == definition.name and value.strip() in language.empty_types

    def _alias(self, path: str, reference: x.Reference) -> int:
        """The module-level name that is given the reference as its whole value (`handler = submit`); -1 for none."""
        if reference.kind not in ("value", "argument"):
            return -1
        facts = self._program.facts(path)
        index = self._program.innermost(path, reference.at)
        if index < 0:
            return -1
        definition = facts.definitions[index]
        if definition.kind not in ("constant", "variable") or definition.parent >= 0:
            return -1
        parsed = self._inference.syntax(path)
        if parsed is None:
            return -1
        language, syntax = parsed
        binding = language.value(syntax, index)
        if binding is None or binding.value is None:
            return -1
        value = binding.value
        if isinstance(value, x.Call) and value.arguments and self._inference.is_wrapper(path, value.callee):
            value = value.arguments[0].value
        return index if value == reference.target else -1

    def _reference(self, path: str, at: int) -> x.Reference | None:
        parsed = self._inference.syntax(path)
        if parsed is None:
            return None
        language, syntax = parsed
        try:
            return self._inference.remembered(("reference", path, at), lambda: language.reference(syntax, at))
        except Exception:
            self.failures.add((path, at))
            return None

    def _denote(self, path: str, expression: x.Expression) -> tuple[Denotation, ...]:
        """What the expression denotes. A defect that one place brings to light costs that place, and is counted."""
        try:
            return self._inference.denote(path, expression)
        except Exception:
            self.failures.add((path, -1))
            return ()

    def _add(
        self,
        seen: Seen,
        path: str,
        reference: x.Reference,
        *,
        sure: bool,
        reason: str | None = None,
        via: str | None = None,
        bound: bool = False,
    ) -> None:
        key = (path, reference.at)
        known = seen.sites.get(key)
        if known is not None and (known.sure or not sure):
            return
        facts = self._program.facts(path)
        index = self._program.innermost(path, reference.at)
        if index >= 0 and reference.kind == "decorator" and reference.at < facts.definitions[index].at:
            index = facts.definitions[index].parent  # a decorator runs where the definition stands, not in it
        seen.sites[key] = Site(
            path=path,
            at=reference.at,
            line=self._line(path, reference.at),
            kind=reference.kind,
            sure=sure,
            reason=reason,
            via=via,
            within=facts.definitions[index].qualified if index >= 0 else None,
            call_at=reference.call_at,
            bound=bound,
        )

    def _line(self, path: str, at: int) -> int:
        """The 1-based line of an offset: counted from the definition around it."""
        facts = self._program.facts(path)
        index = self._program.innermost(path, at)
        line, start = (facts.definitions[index].line, facts.definitions[index].at) if index >= 0 else (1, 0)
        if at < start:
            line, start = 1, 0
        return line + self._program.tree.read(path).count(b"\n", start, at)

    # ---------------------------------------------------------------------------------------------------- fields

    def field(self, path: str, index: int, name: str) -> Callers:
        """Reads of a field that the class, interface or type with that index declares or assigns, through receivers
        that are known to be of it. A name alone says nothing: half of all fields are called `name` or `type`."""
        seen = Seen()
        definition = self._program.facts(path).definitions[index]
        language = self._program.language(path)
        assigned = language is None or not language.explicit_exports  # an assignment makes the field anew
        keys: frozenset[str] = frozenset()
        if language is not None and self._candidates.held_by(name) >= CROWDED_FIELD:
            keys = self._class_keys(path, index, language, yielding=self.gone)
        for file in self._candidates.naming(name, keys):
            if self._stop():
                break
            for at in self._program.facts(file).names.get(name, ()):
                if file in self._deleted and self._only_runs(file, at):
                    continue
                reference = self._reference(file, at)
                if reference is None or not isinstance(reference.target, x.Member) or (reference.write and assigned):
                    continue
                found = self._denote(file, reference.target)
                if any(isinstance(each, Field) and (each.path, each.index) == (path, index) for each in found) or (
                    definition.kind == "type" and self._is_of_type(file, reference.target, path, definition)
                ):
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

    # --------------------------------------------------------------------------------------------------- methods

    def _method(self, target: Target, owner: int, seen: Seen) -> None:
        """A member of a class: reached through receivers of its class, of what inherits it, and, name-only, of what it
        inherits the name from."""
        definition = self._definition(target)
        wanted = {(target.path, index) for index in target.indices}
        inherited = self._inherited_names(target, owner)
        above = frozenset(self._family(target.path, owner)[1:])
        common = self._is_keyed(target)
        keys = self._keys(target) if common else frozenset()
        own = (target.path, owner)
        near = self._near_words(target, owner)
        # What nobody declares any more may be anybody's: once it is gone, only files that name its class count.
        rare = not common and not self.gone and self._is_rare(target, owner)
        crowded = common or len(self._candidates.declaring(definition.name)) >= MAX_DECLARING
        spellings = self._spellings(definition)
        names = [definition.name, *sorted(spellings)]
        for name in names:  # grows while classes take the method over under other names
            accept = partial(self._may_spell, definition, name) if name in spellings else None
            for path in self._candidates.naming(name, keys, accept):
                if self._stop():
                    return
                facts = self._program.facts(path)
                for at in facts.names.get(name, ()):
                    self._member_place(
                        path, at, wanted, inherited, above, own, seen, common=crowded, near=near, rare=rare, names=names
                    )

    def _is_rare(self, target: Target, owner: int) -> bool:
        """Whether at most MAX_RIVALS classes besides the target's own and its relatives declare the name: an untyped
        receiver that is asked for it is then most likely one of these."""
        name = self._definition(target).name
        family = set(self._family(target.path, owner))
        rivals: set[tuple[str, int]] = set()
        for path in sorted(self._candidates.declaring(name)):
            for parent, names in self._program.members(path).items():
                if name not in names or (path, parent) in family:
                    continue
                if parent < 0 or self._program.facts(path).definitions[parent].kind not in CLASS_KINDS:
                    continue
                lineage = self._inference.hierarchy.lineage(path, parent)
                if not any((each.path, each.index) in family for each in lineage.ancestors):
                    rivals.add((path, parent))
                    if len(rivals) > MAX_RIVALS:
                        return False
        return True

    def _near_words(self, target: Target, owner: int) -> frozenset[str]:
        """Names of which a file must hold one for an untyped receiver to count: the class and its relatives."""
        words = {self._program.facts(path).definitions[index].name for path, index in self._family(target.path, owner)}
        return frozenset(words)

    def _family(self, path: str, index: int) -> list[tuple[str, int]]:
        """The class and its ancestors inside the repository (the builtins stub aside)."""
        lineage = self._inference.hierarchy.lineage(path, index)
        return [(each.path, each.index) for each in lineage.ancestors if not each.path.startswith("\0")]

    def _inherited_names(self, target: Target, owner: int) -> dict[tuple[str, int], str]:
        """Definitions of the same name in ancestors, which the target overrides or implements -> their class's name."""
        name = self._definition(target).name
        found: dict[tuple[str, int], str] = {}
        for path, index in self._family(target.path, owner)[1:]:
            if (path, index) == (target.path, owner):
                continue
            for each in self._program.members(path).get(index, {}).get(name, ()):
                found[path, each] = self._program.facts(path).definitions[index].name
        return found

    def _member_place(
        self,
        path: str,
        at: int,
        wanted: set[tuple[str, int]],
        inherited: dict[tuple[str, int], str],
        above: frozenset[tuple[str, int]],
        own: tuple[str, int],
        seen: Seen,
        *,
        common: bool,
        near: frozenset[str],
        rare: bool,
        names: list[str],
    ) -> None:
        if path in self._deleted and self._only_runs(path, at):
            return
        reference = self._reference(path, at)
        if reference is None or reference.kind == "import":
            return
        if not self._runs(reference, wanted):
            return
        found = self._denote(path, reference.target)
        bound = any(isinstance(each, Symbol) and self._takes_receiver(each) for each in found)
        if any(isinstance(each, Symbol) and (each.path, each.index) in wanted for each in found):
            cast = self._is_cast_away(path, reference.target)
            reason = "through a cast that hides the type" if cast else None
            self._add(seen, path, reference, sure=not cast, reason=reason, bound=bound)
            if reference.given is not None and reference.given not in names and len(names) < MAX_WORDS:
                names.append(reference.given)
            alias = self._alias(path, reference)
            if alias >= 0 and (path, alias) not in seen.followed:
                seen.followed.add((path, alias))
                self._named(Target(path, (alias,)), seen)
            return
        for each in found:
            if (
                isinstance(each, Symbol)
                and (each.path, each.index) in inherited
                and self._may_dispatch(path, reference, each, above)
            ):
                base = inherited[each.path, each.index]
                reason = f"through {base}.{reference.name}, which it overrides"
                self._add(seen, path, reference, sure=False, reason=reason, via="interface", bound=bound)
                return
        through = self._through_field(path, found, wanted)
        if through is not None:
            self._add(seen, path, reference, sure=True, reason=f"through {through}", bound=True)
            return
        shape = None if common else self._shape_of(found, own)
        if shape is not None:
            reason = f"through {shape}.{reference.name}, whose shape the class has"
            self._add(seen, path, reference, sure=False, reason=reason, via="interface", bound=bound)
            return
        if not isinstance(reference.target, x.Member):
            return
        mixin = self._mixin(path, reference.target, found, above)
        if mixin is not None:
            reason = f"through a subclass of {mixin}"
            self._add(seen, path, reference, sure=False, reason=reason, via="interface", bound=True)
            return
        if not self._is_open(found) or isinstance(reference.target.object, x.Super):
            return
        if self._is_unrelated(path, reference.target.object, own):
            return
        close = path == own[0] or not near.isdisjoint(self._program.facts(path).names)
        close = close or (rare and not self._is_from_outside(path, reference.target.object))
        if common:
            seen.noise += 1
        elif close:
            self._add(seen, path, reference, sure=False, reason="name match only", bound=True)
        else:
            seen.unresolved += 1

    def _is_unrelated(self, path: str, receiver: x.Expression, own: tuple[str, int]) -> bool:
        """Whether the receiver is of classes that have nothing to do with the class `own`, where a value is of the
        types that its class names: what an unknown base of theirs declares is another method."""
        language = self._program.language(path)
        if language is None or not language.global_names:
            return False
        types = self._inference.types(path, receiver)
        hierarchy = self._inference.hierarchy
        for each in types:
            if not isinstance(each, Instance | ClassObject):
                return False
            if self._program.facts(each.path).definitions[each.index].kind not in ("class", "enum"):
                return False
            if hierarchy.inherits(each.path, each.index, own) or hierarchy.inherits(*own, (each.path, each.index)):
                return False
        return bool(types)

    def _through_field(self, path: str, found: tuple[Denotation, ...], wanted: set[tuple[str, int]]) -> str | None:
        """The field (`Props.add`) that is declared to be the target (`add: App["add"]`); None when none is."""
        for each in found:
            if not isinstance(each, Field):
                continue
            bindings = self._inference.fields(each.path, each.index).get(each.name, ())
            if not any(binding.annotation is not None for binding in bindings):
                continue
            types = self._inference.types_of(path, each)
            if any(isinstance(one, FunctionObject) and (one.path, one.index) in wanted for one in types):
                return f"{self._program.facts(each.path).definitions[each.index].name}.{each.name}"
        return None

    def _is_from_outside(self, path: str, receiver: x.Expression) -> bool:
        """Whether the receiver starts from something that is imported from outside the repository."""
        while True:
            match receiver:
                case x.Member(object=inner) | x.Subscript(object=inner) | x.Call(callee=inner) | x.Await(value=inner):
                    receiver = inner
                case x.Construct(callee=inner):
                    receiver = inner
                case x.Name():
                    found = self._denote(path, receiver)
                    return bool(found) and all(isinstance(each, External) for each in found)
                case _:
                    return False

    def _is_cast_away(self, path: str, target: x.Expression) -> bool:
        """Whether somewhere along the receiver a cast says that its type is nobody's business (`(x as any).m()`)."""
        while True:
            match target:
                case x.Member(object=inner) | x.Subscript(object=inner) | x.Call(callee=inner) | x.Await(value=inner):
                    target = inner
                case x.Cast(type=stated, value=inner):
                    if self._inference.says_nothing(path, stated):
                        return True
                    target = inner
                case _:
                    return False

    def _mixin(
        self, path: str, target: x.Member, found: tuple[Denotation, ...], above: frozenset[tuple[str, int]]
    ) -> str | None:
        """The name of the class above the target's own whose code asks its own instance (or class) for a member that it
        leaves to subclasses; None when the receiver is no such class, or declares the member."""
        if any(isinstance(each, Symbol | Field) for each in found) or not isinstance(target.object, x.Name | x.This):
            return None
        for each in self._inference.types(path, target.object):
            if isinstance(each, Instance | ClassObject) and (each.path, each.index) in above:
                return self._program.facts(each.path).definitions[each.index].name
        return None

    def _may_dispatch(
        self, path: str, reference: x.Reference, found: Symbol, above: frozenset[tuple[str, int]]
    ) -> bool:
        """Whether a use that finds an inherited member may run the override: the receiver is of a class above the
        override's own (a sibling's `self` never is one), and the class is not spelled out (`Base.m(x)`, `super()`).
        """
        receiver = found.receiver
        if receiver is None or (receiver.path, receiver.index) not in above:
            return False
        if not isinstance(reference.target, x.Member):
            return True
        owner = reference.target.object
        if isinstance(owner, x.Super):
            return False
        return not any(
            isinstance(each, Symbol) and (each.path, each.index) == (receiver.path, receiver.index)
            for each in self._denote(path, owner)
        )

    def _shape_of(self, found: Iterable[Denotation], own: tuple[str, int]) -> str | None:
        """The interface, protocol or object type that a use goes through, if the class `own` has all of its members
        without naming it; None when it goes through none."""
        for each in found:
            if not isinstance(each, Symbol) or not isinstance(each.receiver, Instance):
                continue
            index = self._program.facts(each.path).definitions[each.index].parent
            if index >= 0 and self._is_shape(each.path, index):
                key = ("has the shape of", own, each.path, index)
                if self._inference.remembered(key, partial(self._has_shape, own, each.path, index)):
                    return self._program.facts(each.path).definitions[index].name
        return None

    def _is_shape(self, path: str, index: int) -> bool:
        """Whether a class need not name it to be one of its kind."""
        definition = self._program.facts(path).definitions[index]
        language = self._program.language(path)
        if language is not None and language.global_names:
            return False  # a class is of the interfaces that it names, and of no other
        return not path.startswith("\0") and (
            definition.kind in ("interface", "type")
            or any(base.partition("[")[0].rpartition(".")[2] == "Protocol" for base in definition.bases)
        )

    def _has_shape(self, own: tuple[str, int], path: str, index: int) -> bool:
        lineage = self._inference.hierarchy.lineage(path, index)
        wanted = {
            name
            for each in lineage.ancestors
            if not each.path.startswith("\0")
            for name, indices in self._program.members(each.path).get(each.index, {}).items()
            if "optional" not in self._program.facts(each.path).definitions[indices[0]].modifiers
        }
        if lineage.open or len(wanted) > MAX_MEMBERS:
            return False
        receiver = Instance(*own)
        for name in sorted(wanted):
            declared, complete = self._inference.hierarchy.find(receiver, name)
            if not declared and complete:
                return False
        return True

    def _runs(self, reference: x.Reference, wanted: set[tuple[str, int]]) -> bool:
        """Whether such a use may run one of the definitions: an assignment runs setters, everything else the others."""
        setters = {
            (path, index)
            for path, index in wanted
            if "setter" in self._program.facts(path).definitions[index].modifiers
        }
        return bool(setters) or self.gone if reference.write else setters != wanted

    def _takes_receiver(self, method: Symbol) -> bool:
        """Whether what the method is read from becomes its first argument: an instance, or a class method's class."""
        definition = self._program.facts(method.path).definitions[method.index]
        if isinstance(method.receiver, Instance):
            return definition.name != "__new__"  # `super().__new__(cls)` passes the class itself
        return method.receiver is not None and "classmethod" in definition.modifiers

    def _is_open(self, found: Iterable[Denotation]) -> bool:
        """Whether what was found leaves room for the target: something about it isn't known."""
        return any(
            isinstance(each, Typed) and any(isinstance(t, Anything | Variable) for t in each.types) for each in found
        )

    # ---------------------------------------------------------------------------------------------- constructors

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
        names = {self._program.facts(path).definitions[index].name for path, index in [(target.path, owner), *classes]}
        if self._language(target).global_names:  # named where a class calls its parent's, and hardly elsewhere
            naming: Iterable[str] = sorted({target.path, *(path for path, _ in classes)})
        else:
            naming = self._candidates.naming(definition.name, names)
        for path in naming:
            for at in self._program.facts(path).names.get(definition.name, ()):
                reference = self._reference(path, at)
                if reference is None or reference.kind == "import":
                    continue
                found = self._denote(path, reference.target)
                if any(isinstance(each, Symbol) and (each.path, each.index) in wanted for each in found):
                    bound = any(isinstance(each, Symbol) and self._takes_receiver(each) for each in found)
                    self._add(seen, path, reference, sure=True, bound=bound)

    def _constructions_by_class_methods(
        self, path: str, index: int, constructor: str, wanted: set[tuple[str, int]], seen: Seen
    ) -> None:
        """`cls(...)` in the class's own class methods."""
        facts = self._program.facts(path)
        for method in facts.definitions:
            if method.parent != index or "classmethod" not in method.modifiers or not method.parameters:
                continue
            for at in facts.names.get(method.parameters[0].name, ()):
                reference = self._reference(path, at) if method.start <= at < method.end else None
                if reference is None or reference.kind != "call" or reference.at != at:
                    continue
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
                for at in facts.names.get(name, ()):
                    reference = self._reference(path, at) if body.start <= at < body.end else None
                    if reference is None or reference.call_at < 0 or reference.target != x.Name(name, at):
                        continue
                    for each in self._inference.types(path, reference.target):
                        if not isinstance(each, ClassObject):
                            continue
                        declared, _ = self._inference.hierarchy.find(each, constructor)
                        if any(isinstance(one, Symbol) and (one.path, one.index) in wanted for one in declared):
                            self._add(seen, path, reference, sure=True, bound=True)

    def overrides(self, target: Target) -> tuple[Site, ...]:
        """Definitions in subclasses and implementations that take the target's place, as sites of kind "base"."""
        if self.is_unreached(target):
            return ()
        owner = self._owner(target)
        structural = self._language(target).structural
        own = self._structural.owner(target) if structural else None
        if own is not None:
            return self._implementations(target, own)
        if structural:
            return self._left_behind(target)
        if owner < 0:
            return ()
        name = self._definition(target).name
        found = []
        for path, index in self.subclasses(target.path, owner):
            facts = self._program.facts(path)
            for each in self._program.members(path).get(index, {}).get(name, ())[:1]:
                definition = facts.definitions[each]
                found.append(
                    Site(
                        path=path,
                        at=definition.at,
                        line=definition.line,
                        kind="base",
                        sure=True,
                        reason=f"overrides {self._definition(target).qualified}",
                        via="override",
                        within=definition.qualified,
                    )
                )
        return tuple(sorted(found, key=lambda site: (site.path, site.at)))

    def _implementations(self, target: Target, own: tuple[str, int]) -> tuple[Site, ...]:
        """Methods that implement a method of an interface that nobody names."""
        return tuple(
            Site(
                path=path,
                at=definition.at,
                line=definition.line,
                kind="base",
                sure=False,
                reason=f"implements {self._definition(target).qualified}",
                via="override",
                within=definition.qualified,
            )
            for path, definition in self._structural.implementations(target, own)
        )

    def _left_behind(self, target: Target) -> tuple[Site, ...]:
        """Types that nobody says implement a changed interface, and that lack a method that it now asks for."""
        return tuple(
            Site(
                path=path,
                at=definition.at,
                line=definition.line,
                kind="base",
                sure=False,
                reason=f"implements {self._definition(target).qualified}, but for {lacking}",
                via="override",
                within=definition.qualified,
                lacks=lacking,
            )
            for path, definition, lacking in self._structural.left_behind(target)
        )

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
            concrete = [
                each
                for each in symbols
                if "abstract" not in self._program.facts(each.path).definitions[each.index].modifiers
            ]
            if concrete or not (symbols or complete) or self._inference.hierarchy.lineage(path, index).open:
                continue
            found.append(
                Site(
                    path=path,
                    at=definition.at,
                    line=definition.line,
                    kind="base",
                    sure=True,
                    reason=f"must have {wanted.qualified}",
                    via="override",
                    within=definition.qualified,
                    lacks=wanted.name,
                )
            )
        return tuple(sorted(found, key=lambda site: (site.path, site.at)))

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

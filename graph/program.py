"""One tree as the inference sees it: facts, syntax and modules of its files, each read when first asked for."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from typing import cast

from graph.facts import Definition, FileFacts
from graph.languages import family_of, language_of
from graph.languages.base import GlobalModules, Language, Modules, PackageModules, Syntax, Tree

BUILTINS = "\0builtins/"
"""Prefix of the virtual file that holds a language's builtins stub. No git path can contain a NUL."""

NO_FACTS = FileFacts(language="")

_HIDDEN = frozenset({"local", "assigned"})
"""Modifiers of what has no definition around it and is no name of the file: inside a function without a name, or a
property that is assigned (`exports.x = ...`)."""

Members = dict[int, dict[str, tuple[int, ...]]]


class Program:
    """Facts, syntax and modules of one tree.

    `load_facts` and `load_syntax` give a file's facts and its parsed form; None for a file that isn't there or can't be
    read. They decide about caching; this class only remembers what it was given.
    """

    def __init__(
        self,
        tree: Tree,
        load_facts: Callable[[str], FileFacts | None],
        load_syntax: Callable[[str], Syntax | None],
    ) -> None:
        self.tree = tree
        self.texts: Callable[[str, str], Iterable[str]] | None = None
        """The files whose text holds a word, among those that can use names of the file at a path."""
        self._load_facts = load_facts
        self._load_syntax = load_syntax
        self._facts: dict[str, FileFacts] = {}
        self._members: dict[str, Members] = {}
        self._owned: dict[str, dict[str, dict[str, tuple[int, ...]]]] = {}
        self._languages: dict[str, Language | None] = {}
        self._modules: dict[str, Modules] = {}
        self._builtins: dict[str, Syntax] = {}
        self._standing: dict[str, dict[tuple[int, str], list[int]]] = {}
        self._nesting: dict[str, tuple[list[int], list[int], list[int]]] = {}
        self._places: dict[tuple[str, str], tuple[int, ...]] = {}

    def language(self, path: str) -> Language | None:
        """The language of the file at `path`."""
        if path not in self._languages:
            self._languages[path] = None if path.startswith(BUILTINS) else language_of(path)
        return self._languages[path]

    def builtins(self, path: str) -> str:
        """The virtual path of the builtins stub for the file at `path`; "" when its language has none."""
        if path.startswith(BUILTINS):
            return path
        language = self.language(path)
        if language is None or not language.builtins:
            return ""
        stub = BUILTINS + _family(language)
        if stub not in self._builtins:
            # The stub is written in the language's first grammar, whichever of its grammars asks.
            self._languages[stub] = language_of("x" + language.stub_extension)
            self._builtins[stub] = _stub_of(language.stub_extension)
        return stub

    def facts(self, path: str) -> FileFacts:
        """The facts of the file at `path`; empty facts when there is no such file."""
        found = self._facts.get(path)
        if found is None:
            found = self._builtins[path].facts if path.startswith(BUILTINS) else self._load_facts(path) or NO_FACTS
            self._facts[path] = found
        return found

    def places(self, path: str, word: str) -> tuple[int, ...]:
        """Where in the code of the file at `path` a word stands, as an identifier."""
        if word not in self.facts(path).names:
            return ()
        known = self._places.get((path, word))
        if known is None:
            language = self.language(path)
            source = self._builtins[path].source if path.startswith(BUILTINS) else self.tree.read(path)
            found = () if language is None else language.places(source, word, partial(self.syntax, path))
            known = self._places[path, word] = found
        return known

    def innermost(self, path: str, at: int) -> int:
        """The innermost definition around an offset of the file at `path`; -1 at module level."""
        known = self._nesting.get(path)
        if known is None:
            known = self._nesting[path] = _nesting_of(self.facts(path))
        starts, ends, around = known
        index = bisect_right(starts, at) - 1
        while index >= 0 and at >= ends[index]:
            index = around[index]
        return index

    def standing_at(self, path: str, at: int, qualified: str) -> Sequence[int]:
        """The definitions of the file at `path` whose name of that qualified one stands at an offset."""
        found = self._standing.get(path)
        if found is None:
            found = self._standing[path] = {}
            for index, each in enumerate(self.facts(path).definitions):
                found.setdefault((each.at, each.qualified), []).append(index)
        return found.get((at, qualified), ())

    def index_of(self, path: str, definition: Definition) -> int:
        """The index of a definition of the file at `path`; -1 when it isn't there."""
        return next(iter(self.standing_at(path, definition.at, definition.qualified)), -1)

    def remember(self, facts: dict[str, FileFacts]) -> None:
        """Take in facts that were loaded together."""
        self._facts.update(facts)

    def syntax(self, path: str) -> Syntax | None:
        """The parsed file; None when there is no such file or it can't be read."""
        if path.startswith(BUILTINS):
            return self._builtins[path]
        return self._load_syntax(path)

    def modules(self, path: str) -> Modules | None:
        """The module rules for the file at `path`: one object per language package and tree."""
        language = self.language(path)
        if language is None:
            return None
        family = _family(language)
        if family not in self._modules:
            made = self._modules[family] = language.modules(self.tree)
            if language.global_names and self.texts is not None:
                cast("GlobalModules", made).search_with(partial(self.texts, path))
        return self._modules[family]

    def packages(self, path: str) -> PackageModules | None:
        """The module rules for the file at `path` when its language has packages of several files; else None."""
        language = self.language(path)
        if language is None or not language.package_scope or path.startswith(BUILTINS):
            return None
        return cast("PackageModules | None", self.modules(path))

    def package(self, path: str) -> tuple[str, ...]:
        """The files that share `path`'s module scope, itself included."""
        packages = self.packages(path)
        return packages.package(path) if packages is not None else (path,)

    def owned(self, path: str) -> dict[str, dict[str, tuple[int, ...]]]:
        """Type name -> name -> indices of the methods that the file declares outside of their type's body."""
        found = self._owned.get(path)
        if found is None:
            collected: dict[str, dict[str, list[int]]] = {}
            for index, definition in enumerate(self.facts(path).definitions):
                if definition.owner is not None:
                    collected.setdefault(definition.owner, {}).setdefault(definition.name, []).append(index)
            found = {owner: {name: tuple(each) for name, each in names.items()} for owner, names in collected.items()}
            self._owned[path] = found
        return found

    def members(self, path: str) -> Members:
        """Parent definition (-1: the file) -> name -> indices of the definitions directly inside it, in order. Methods
        declared outside of their type are `owned`."""
        found = self._members.get(path)
        if found is None:
            collected: dict[int, dict[str, list[int]]] = {}
            for index, definition in enumerate(self.facts(path).definitions):
                if definition.owner is not None:
                    continue
                if definition.parent < 0 and not _HIDDEN.isdisjoint(definition.modifiers):
                    continue
                collected.setdefault(definition.parent, {}).setdefault(definition.name, []).append(index)
            found = {
                parent: {name: tuple(indices) for name, indices in names.items()} for parent, names in collected.items()
            }
            self._members[path] = found
        return found


def _family(language: Language) -> str:
    return family_of("x" + language.extensions[0]) or language.name


@cache
def _stub_of(extension: str) -> Syntax:
    """The builtins stub of the language that reads files of that extension, parsed once for all trees."""
    language = language_of("x" + extension)
    assert language is not None, extension
    tree = language.parse(language.builtins)
    return Syntax(source=language.builtins, tree=tree, facts=language.extract(language.builtins, tree))


def _nesting_of(facts: FileFacts) -> tuple[list[int], list[int], list[int]]:
    """Of each definition, in order of their starts: start, end, and the index of the last one before it that isn't over
    (-1 for none)."""
    around: list[int] = []
    open_ones: list[int] = []
    for index, definition in enumerate(facts.definitions):
        while open_ones and facts.definitions[open_ones[-1]].end <= definition.start:
            open_ones.pop()
        around.append(open_ones[-1] if open_ones else -1)
        open_ones.append(index)
    return [each.start for each in facts.definitions], [each.end for each in facts.definitions], around

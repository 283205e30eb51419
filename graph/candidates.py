"""Ask, then parse: which files may hold a caller.

The search only narrows. Every rule of the answer is decided on facts, so taking every file as a candidate
(`exhaustive`) gives the same answer. In exhaustive mode the search is never called.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Protocol

from graph.facts import FileFacts, Import
from graph.languages import language_of, languages
from graph.program import Program


class WordSearch(Protocol):
    """Finds the files of a snapshot that contain words."""

    def files(self, words: Collection[str], suffixes: Collection[str] | None = None) -> frozenset[str]:
        """Files that contain any of the words as a whole word."""
        ...

    def files_with_all(
        self, words_a: Collection[str], words_b: Collection[str], suffixes: Collection[str] | None = None
    ) -> frozenset[str]:
        """Files that contain one of `words_a` and one of `words_b`."""
        ...


LoadMany = Callable[[Iterable[str]], Mapping[str, FileFacts]]


class Candidates:
    """Files that may refer to a name, with their facts loaded into `program`."""

    def __init__(self, program: Program, search: WordSearch | None, load: LoadMany) -> None:
        """`search` None means exhaustive: every file is a candidate."""
        self._program = program
        self._search = search
        self._load = load
        self._suffixes = tuple(sorted(languages()))
        self._searched: set[str] = set()
        self._by_word: dict[str, set[str]] = {}
        self._loaded: set[str] = set()
        self._importers: dict[str, tuple[tuple[str, Import], ...]] = {}
        self._indexed: dict[str, list[str]] | None = None

    def prefetch(self, words: Iterable[str]) -> None:
        """Search for all these words at once."""
        fresh = {word for word in words if word not in self._searched}
        if not fresh:
            return
        self._searched |= fresh
        if self._search is None:
            return
        paths = self._take(self._search.files(fresh, self._suffixes))
        for path in paths:
            for word in fresh & self._program.facts(path).names.keys():
                self._by_word.setdefault(word, set()).add(path)

    def naming(self, word: str, keys: Collection[str] = ()) -> tuple[str, ...]:
        """Files whose code names `word` (and, where `keys` are given, at least one of these), sorted."""
        if self._search is None:
            found: Collection[str] = self._everything().get(word, ())
        elif word in self._searched:
            found = self._by_word.get(word, set())
        elif keys:
            found = [
                path
                for path in self._take(self._search.files_with_all({word}, set(keys), self._suffixes))
                if word in self._program.facts(path).names
            ]
        else:
            self.prefetch((word,))
            found = self._by_word.get(word, set())
        if keys:
            wanted = frozenset(keys)
            found = [path for path in found if not wanted.isdisjoint(self._program.facts(path).names)]
        return tuple(sorted(found))

    def importers(self, path: str) -> tuple[tuple[str, Import], ...]:
        """Imports whose specifier means the file at `path` (or a name of it), sorted by path and offset."""
        if path in self._importers:
            return self._importers[path]
        modules = self._program.modules(path)
        if modules is None:
            return ()
        if self._search is None:
            paths: Iterable[str] = self._everything_paths()
        else:
            words = modules.words(path)
            found = set(self._search.files(words, self._suffixes)) if words else set()
            found.update(modules.dotted_importers(path))
            paths = self._take(found)

        result: list[tuple[str, Import]] = []
        language = type(self._program.language(path))
        for importer in sorted(paths):
            if importer == path or type(self._program.language(importer)) is not language:
                continue
            here = self._program.modules(importer)
            if here is None:
                continue
            for imported in self._program.facts(importer).imports:
                resolved = here.resolve(importer, imported.module)
                if path in resolved.paths:
                    result.append((importer, imported))
                elif imported.name is not None and not resolved.external:
                    for where in (*resolved.paths, *((resolved.package,) if resolved.package is not None else ())):
                        submodule = here.submodule(where, imported.name)
                        if submodule == path:
                            result.append((importer, imported))
                            break
        self._importers[path] = tuple(result)
        return self._importers[path]

    def _take(self, paths: Iterable[str]) -> list[str]:
        """Load the facts of those paths that a language reads; the paths, sorted."""
        wanted = sorted(path for path in paths if path in self._program.tree.paths and language_of(path) is not None)
        missing = [path for path in wanted if path not in self._loaded]
        if missing:
            self._program.remember(dict(self._load(missing)))
            self._loaded.update(missing)
        return wanted

    def _everything_paths(self) -> list[str]:
        self._everything()
        return sorted(self._loaded)

    def _everything(self) -> dict[str, list[str]]:
        if self._indexed is None:
            self._indexed = {}
            for path in self._take(self._program.tree.paths):
                for word in self._program.facts(path).names:
                    self._indexed.setdefault(word, []).append(path)
        return self._indexed

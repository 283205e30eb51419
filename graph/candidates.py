"""Ask, then parse: which files may hold a caller.

The search only narrows. Every rule of the answer is decided on facts, so taking every file as a candidate
(`exhaustive`) gives the same answer. In exhaustive mode the search is never called.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Literal, Protocol

from graph.dots import Dots, is_beside_quotes, is_dotted_string
from graph.facts import FileFacts, Import
from graph.git import encode
from graph.languages import extensions_of, family_of, language_of
from graph.program import Program
from graph.words import is_whole


class WordSearch(Protocol):
    """Finds the files of a snapshot that contain words."""

    def by_word(self, words: Iterable[str], suffixes: Collection[str]) -> Mapping[str, frozenset[str]]:
        """Word -> the files that contain it as a whole word."""
        ...


_LONGEST_PREFIX = 40
"""Bytes before a name in which what makes it a definition stands."""

_READ_TOGETHER = 40
"""Files read at once when the first of them may be enough."""

LoadMany = Callable[[Iterable[str]], Mapping[str, FileFacts]]

Use = Literal["name", "value", "member", "attribute"]
"""How what is sought is named: anyhow; as a value, not in a type that is written in a string; as a member of something,
the same way; as a member of something or in a type."""


class Candidates:
    """Files of one family of languages that may refer to a name, with their facts loaded into `program`."""

    def __init__(
        self,
        program: Program,
        search: WordSearch | None,
        load: LoadMany,
        family: str,
        read_ahead: Callable[[Iterable[str]], object] = lambda paths: None,
    ) -> None:
        """`search` None means exhaustive: every file of the family is a candidate. `read_ahead` is told of files that
        will be read one by one: to read them together is much faster."""
        self._program = program
        self._search = search
        self._load = load
        self.read_ahead = read_ahead
        self._family = family
        self.language = language_of("x" + extensions_of(family)[0]) if extensions_of(family) else None
        self._suffixes = extensions_of(family)
        self._found: dict[str, frozenset[str]] = {}
        self._naming: dict[tuple[str, frozenset[str], Use], tuple[str, ...]] = {}
        self._loaded: set[str] = set()
        self._importers: dict[str, tuple[tuple[str, Import], ...]] = {}
        self._prefixes: dict[bytes, re.Pattern[bytes]] = {}
        self._referred: dict[tuple[str, Use], dict[str, bool]] = {}
        self._dots: dict[str, Dots] = {}
        self._assigned: dict[str, bool] = {}
        self._read: dict[str, Sequence[Import]] = {}
        self._declaring: dict[str, frozenset[str]] = {}
        self._by_text: dict[str, dict[str, bool]] = {}
        self._indexed: dict[str, list[str]] | None = None
        self._held: dict[str, int] = {}
        self._texts: dict[str, tuple[str, ...]] = {}
        self._beside: dict[tuple[str, ...], dict[str, tuple[str, ...]]] = {}

    def prefetch(self, words: Collection[str], use: Use = "name") -> None:
        """Search for all these words, and load the files that name them, at once."""
        self._containing(words)
        self._take({path for word in words for path in self._referring(word, use=use)})

    def search(self, words: Iterable[str]) -> None:
        """Search for all these words at once, without loading anything."""
        self._containing(words)

    def holds(self, path: str) -> bool:
        """Whether the file is one of the family's."""
        return family_of(path) == self._family

    def importer_words(self, path: str) -> list[str]:
        """The words to search for to find what imports the file at `path`."""
        modules = self._program.modules(path)
        return _searchable(modules.words(path)) if modules is not None else []

    def module_words(self, path: str) -> list[str]:
        """The words that are searched for to find what imports the file at `path`."""
        return [*self.importer_words(path), *self._outer_words(path)[1]]

    def _outer_words(self, path: str) -> tuple[str | None, list[str]]:
        """See `Modules.outer_words`."""
        modules = self._program.modules(path)
        found = modules.outer_words(path) if modules is not None else None
        return (found[0], _searchable(found[1])) if found is not None else (None, [])

    def naming(
        self,
        word: str,
        keys: Collection[str] = (),
        accept: Callable[[str], bool] | None = None,
        *,
        use: Use = "name",
        within: frozenset[str] | None = None,
    ) -> tuple[str, ...]:
        """Files whose code names `word` (and, where `keys` are given, at least one of these), sorted. A file in which
        the word, by its text, only stands as the name of definitions, or as no `use` of that kind, may be left out: it
        refers to nothing there. `accept` says of a path, before anything is parsed, whether it counts; where `within`
        is given, no others do."""
        wanted = frozenset(keys)
        if accept is not None or within is not None:
            found = self._referring(word, wanted, use, within)
            paths = self._take(path for path in found if accept is None or accept(path))
            return tuple(path for path in paths if self._names(path, word, wanted))
        known = self._naming.get((word, wanted, use))
        if known is None:
            paths = self._take(self._referring(word, wanted, use))
            known = tuple(path for path in paths if self._names(path, word, wanted))
            self._naming[word, wanted, use] = known
        return known

    def named_outside(self, word: str, use: Use, path: str) -> bool:
        """Whether, by the texts, any other file than the one at `path` may name the word."""
        if self._search is None:
            return True
        self._containing((word,))
        pending = [each for each in self._found[word] if each != path]
        for start in range(0, len(pending), _READ_TOGETHER):
            together = pending[start : start + _READ_TOGETHER]
            self.read_ahead(together)
            if any(self._refers(each, word, use) for each in together):
                return True
        return False

    def declaring(self, word: str) -> frozenset[str]:
        """Files that declare a definition of that name, by their facts or, unread, by their text."""
        known = self._declaring.get(word)
        if known is None:
            if self._search is None:
                self._everything()
                holding: Iterable[str] = [
                    path for path in self._loaded if encode(word) in self._program.tree.read(path)
                ]
            else:
                self._containing((word,))
                holding = self._found[word]
            known = frozenset(path for path in holding if self._only_defines(path, word) or self._defines(path, word))
            self._declaring[word] = known
        return known

    def each_declaring(self, word: str) -> Iterator[str]:
        """The files that may declare a member of that name, those first of which the text tells. Reads no more than are
        asked for."""
        if self._search is None or word in self._declaring:
            yield from sorted(self.declaring(word))
            return
        self._containing((word,))
        pending = []
        for path in sorted(self._found[word]):
            if self._only_defines(path, word):
                yield path
            else:
                pending.append(path)
        yield from (path for path in pending if self._defines(path, word, member=True))

    def members_by_text(self, word: str) -> Iterator[str]:
        """The files that may declare a member of that name, by their text, sorted. Never lacks one that does. Reads no
        more than are asked for."""
        if self._search is None:
            yield from sorted(self.declaring(word))
            return
        self._containing((word,))
        known = self._by_text.setdefault(word, {})
        pending = sorted(self._found[word])
        for start in range(0, len(pending), _READ_TOGETHER):
            together = pending[start : start + _READ_TOGETHER]
            self.read_ahead(path for path in together if path not in known)
            for path in together:
                if path not in known:
                    known[path] = self._may_define(path, word, member=True)
                if known[path]:
                    yield path

    def is_declared_often(self, word: str, often: int) -> bool:
        """Whether so many files or more are `declaring`. Reads no more of them than it must."""
        if self._search is not None and word not in self._declaring:
            self._containing((word,))
            holding = self._found[word]
            if len(holding) < often or sum(self._only_defines(path, word) for path in holding) >= often:
                return len(holding) >= often
        return len(self.declaring(word)) >= often

    def texts(self, word: str) -> tuple[str, ...]:
        """Files whose text holds the word, in code, strings or comments, sorted."""
        if self._search is None and "@" not in word:
            known = self._texts.get(word)
            if known is None:
                name, tree = encode(word), self._program.tree
                place = re.compile(rb"\b" + re.escape(name) + rb"\b")
                sources = ((path, tree.read(path)) for path in self._everything_paths())
                known = tuple(path for path, text in sources if name in text and place.search(text) is not None)
                self._texts[word] = known
            return known
        self._containing((word,))
        return tuple(sorted(self._found[word]))

    def beside(self, word: str, suffixes: tuple[str, ...]) -> tuple[str, ...]:
        """Files of other kinds, by what their names end in, whose text holds the word, sorted."""
        self.search_beside((word,), suffixes)
        return self._beside[suffixes][word]

    def search_beside(self, words: Iterable[str], suffixes: tuple[str, ...]) -> None:
        """Search files of other kinds for all these words at once."""
        known = self._beside.setdefault(suffixes, {})
        fresh = sorted({word for word in words if word and "@" not in word} - known.keys())
        known.update({word: () for word in words if not word or "@" in word})
        if fresh and self._search is not None:
            found = self._search.by_word(fresh, suffixes)
            known.update({word: tuple(sorted(found[word])) for word in fresh})
        elif fresh:
            tree = self._program.tree
            paths = [path for path in tree.paths if path.endswith(suffixes)]
            self.read_ahead(paths)
            for word in fresh:
                place = re.compile(rb"(?<![A-Za-z0-9_])" + re.escape(encode(word)) + rb"(?![A-Za-z0-9_])")
                known[word] = tuple(sorted(path for path in paths if place.search(tree.read(path)) is not None))

    def held_by(self, word: str) -> int:
        """How many files' texts hold the word."""
        if self._search is None:
            if word not in self._held:
                self._held[word] = len(self.texts(word))
            return self._held[word]
        self._containing((word,))
        return len(self._found[word])

    def is_package(self, path: str) -> bool:
        """Whether the module at `path` is one that the files around it can import by dots alone."""
        modules = self._program.modules(path)
        return modules is not None and next(iter(modules.dotted_importers(path)), None) is not None

    def _defines(self, path: str, word: str, *, member: bool = False) -> bool:
        """Whether the file has a definition of that name (where it should be a `member`, perhaps only if it is one)."""
        if not self._may_define(path, word, member=member):
            return False
        self._take((path,))
        return any(word in names for names in self._program.members(path).values()) or any(
            word in names for names in self._program.owned(path).values()
        )

    def _may_define(self, path: str, word: str, *, member: bool) -> bool:
        language = language_of(path)
        return language is not None and language.may_define(self._program.tree.read(path), word, member=member)

    def _names(self, path: str, word: str, keys: frozenset[str]) -> bool:
        names = self._program.facts(path).names
        return word in names and (not keys or not keys.isdisjoint(names))

    def _containing(self, words: Iterable[str]) -> None:
        fresh = sorted({word for word in words if word not in self._found})
        nameless = [word for word in fresh if "@" in word]  # what was given to a class without a name: no text holds it
        if nameless:
            self._found.update(dict.fromkeys(nameless, frozenset()))
            fresh = [word for word in fresh if "@" not in word]
        if fresh and self._search is not None:
            self._found.update(self._search.by_word(fresh, self._suffixes))

    def _referring(
        self, word: str, keys: frozenset[str] = frozenset(), use: Use = "name", within: frozenset[str] | None = None
    ) -> Collection[str]:
        """Files that may refer to the word, by their text alone."""
        if self._search is None:
            everywhere = self._everything().get(word, ())
            return everywhere if within is None else within.intersection(everywhere)
        self._containing((word, *keys))
        found = self._found[word] if within is None else self._found[word] & within
        if keys:
            found = found & self._holding(keys)
        self.read_ahead(path for path in found if path not in self._loaded)
        if use == "name":
            return [path for path in found if path in self._loaded or self._refers(path, word, use)]
        return [path for path in found if self._refers(path, word, use)]

    def referring(self, word: str, use: Use = "name") -> list[str]:
        """Files whose text holds the word elsewhere than as the name of a definition, and for such a use, sorted."""
        return [path for path in self.texts(word) if self._refers(path, word, use)]

    def ending_a_string(self, word: str) -> list[str]:
        """Files in whose text the word, after a dot, ends a string, sorted."""
        name = encode(word)
        return [path for path in self.texts(word) if self._dots_of(path).before_ending(name)]

    def strings_ending(self, word: str) -> Iterator[tuple[str, str, int]]:
        """Strings that are nothing but a dotted path which ends in the word: file, path, and where the word is."""
        name = encode(word)
        for path in self.texts(word):
            for dotted, at in self._dots_of(path).strings_ending(name):
                yield path, dotted.decode("ascii"), at

    def is_assigned(self, word: str) -> bool:
        """Whether anywhere an object assigns an attribute of its own of that name (`self.word = `), by the text."""
        known = self._assigned.get(word)
        if known is None:
            name = encode(word)
            known = self._assigned[word] = any(self._dots_of(path).before_assigned(name) for path in self.texts(word))
        return known

    def _refers(self, path: str, word: str, use: Use) -> bool:
        """Whether the word stands in the file, by its text, as more than the name of a definition, and may be of that
        use."""
        known = self._referred.setdefault((word, use), {})
        found = known.get(path)
        if found is None:
            language = language_of(path)
            if language is None or not language.telling_dots:
                use = "name"
            if use == "member":
                found = self._dots_of(path).before_member(encode(word))
            elif use == "attribute":
                found = self._dots_of(path).before_attribute(encode(word))
            else:
                found = not self._only_defines(path, word, quotes=use == "value")
            known[path] = found
        return found

    def _only_defines(self, path: str, word: str, *, quotes: bool = False) -> bool:
        """Whether every place of the word in the file is, by its text, the name of a definition or, with `quotes`,
        beside a quote or in a string that is a dotted name."""
        language = language_of(path)
        if language is None or not language.definition_prefix:
            return False
        name = encode(word)
        before = self._prefixes.get(language.definition_prefix)
        if before is None:
            before = self._prefixes[language.definition_prefix] = re.compile(
                b"(?:" + language.definition_prefix + b")$"
            )
        source = self._program.tree.read(path)
        defined = False
        at = source.find(name)
        while at >= 0:
            end = at + len(name)
            if is_whole(source, at, end):
                beside = quotes and (is_beside_quotes(source, at, end) or is_dotted_string(source, at, end))
                if not beside and before.search(source, max(0, at - _LONGEST_PREFIX), at) is None:
                    return False
                defined = True
            at = source.find(name, end)
        return defined

    def _dots_of(self, path: str) -> Dots:
        known = self._dots.get(path)
        if known is None:
            language = language_of(path)
            silent = language.silent_dots if language is not None else None
            known = self._dots[path] = Dots(self._program.tree.read(path), silent)
        return known

    def importers(self, path: str) -> tuple[tuple[str, Import], ...]:
        """Imports whose specifier means the file at `path` (or a name of it), sorted by path and offset."""
        known = self._importers.get(path)
        if known is None:
            known = tuple(
                (importer, imported)
                for importer in sorted(self._may_import(self._naming_module(path), path))
                for imported in self._importing(importer, path, self._read_imports(importer))
            )
            self._importers[path] = known
        return known

    def first_importers(self, path: str, limit: int, accept: Callable[[str], bool]) -> tuple[tuple[str, Import], ...]:
        """The first import of `path` in each of the first `limit` accepted files that have one, in path order. Reads no
        more files than it must."""
        found: list[tuple[str, Import]] = []
        pending = sorted(filter(accept, self._naming_module(path)))
        for start in range(0, len(pending), _READ_TOGETHER):
            for importer in self._may_import(pending[start : start + _READ_TOGETHER], path):
                if len(found) >= limit:
                    return tuple(found)
                imports = self._importing(importer, path, self._read_imports(importer))
                found.extend((importer, imported) for imported in imports[:1])
        return tuple(found)

    def _naming_module(self, path: str) -> Collection[str]:
        """Files that hold the word of the module at `path`, or may import it by dots alone."""
        if self._search is None:
            return self._everything_paths()
        modules = self._program.modules(path)
        if modules is None:
            return ()
        words = self.importer_words(path)
        around, packages = self._outer_words(path)
        self._containing((*words, *packages))
        naming = self._holding(words)
        if around is not None:
            outside = self._holding(packages)
            naming = frozenset(each for each in naming if each in outside or each.startswith(f"{around}/"))
        return naming.union(modules.dotted_importers(path))

    def _holding(self, words: Iterable[str]) -> frozenset[str]:
        """Files that hold one of the words, which were searched for."""
        return frozenset[str]().union(*(self._found[word] for word in words))

    def _may_import(self, importers: Collection[str], path: str) -> Iterator[str]:
        """Those of the files that may import the one at `path`, by their text."""
        if self._search is None:
            yield from importers
            return
        modules, tree = self._program.modules(path), self._program.tree
        if modules is not None:
            self.read_ahead(importers)
            for importer in importers:
                if importer in tree.paths and modules.may_import(importer, tree.read(importer), path):
                    yield importer

    def _read_imports(self, importer: str) -> Sequence[Import]:
        """The imports of a file, by its text where that tells."""
        known = self._read.get(importer)
        if known is None:
            language = language_of(importer)
            known = language.imports_by_text(self._program.tree.read(importer)) if language is not None else None
            if known is None:
                self._take((importer,))
                known = self._program.facts(importer).imports
            self._read[importer] = known
        return known

    def _importing(self, importer: str, path: str, imports: Sequence[Import]) -> list[Import]:
        """Those of one file's imports that mean the file at `path`."""
        here = self._program.modules(importer)
        if importer == path or here is None or here is not self._program.modules(path):
            return []
        found = []
        for imported in imports:
            resolved = here.resolve(importer, imported.module)
            if path in resolved.paths:
                found.append(imported)
            elif imported.name is not None and not resolved.external:
                where = (*resolved.paths, *((resolved.package,) if resolved.package is not None else ()))
                if any(here.submodule(each, imported.name) == path for each in where):
                    found.append(imported)
        return found

    def _take(self, paths: Iterable[str]) -> list[str]:
        """Load the facts of those paths that are of the family; the paths, sorted."""
        tree, loaded = self._program.tree.paths, self._loaded
        wanted = sorted(path for path in paths if path in loaded or (path in tree and family_of(path) == self._family))
        missing = [path for path in wanted if path not in loaded]
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


def _searchable(words: Iterable[str]) -> list[str]:
    """The words without those that no line of text can hold: a file name may have a line end in it."""
    return [word for word in words if word and not any(each in word for each in "\n\r\0")]

"""Which files of a snapshot contain a word: what narrows the files to parse before anything is parsed.

A word is found where it stands with no ASCII letter, digit or underscore (`[A-Za-z0-9_]`) directly before or after it.
That is a little more than where it is a whole identifier (`$name` counts as a place of `name`, and so does a name next
to a letter outside ASCII): the search may name a file too many, never one too few. Files past the snapshot's size limit
are not read by anybody, so they are never named.

What is searched are the commit's blobs, in whatever form they cost least, and every form finds the same files:
- words kept from an earlier run (`graph.words`), where they know most of the blobs: nothing is read but the rest;
- else `git grep`, in the worktree where it has the commit's files (`graph.checkout`), else in the repository;
- after some searches, or for many words, all files are read once into an index (unless they are too many for that).

What was found is remembered and shared by all overlays of the commit; only the overlay's own files are searched anew.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final, TypeAlias

from graph.git import encode
from graph.grep import grep
from graph.snapshot import Snapshot
from graph.words import KeptWords, Words, is_behind, is_whole, words_in

Suffixes: TypeAlias = tuple[str, ...] | None
KeptOf: TypeAlias = Callable[[tuple[str, ...]], KeptWords | None]
"""The words kept of the files with some suffixes; None when none are."""

MEMORY_LIMIT: Final = 80 * 1024 * 1024
"""Bytes of files that are read into an index (less than what a snapshot keeps in memory); of more, every search is a
`git grep`."""
_GREPS: Final = 5
"""Searches after which the next one makes the index: reading and splitting all files costs as much as some greps."""
_MANY: Final = 60
"""Words from which on even a first search makes the index."""
_FEW: Final = 5
"""What knows most files is used when at most one byte in so many must be read besides."""
_SCANS: Final = 30
"""Words that are sought one by one in texts that are in memory, before these are indexed."""
_TELLING: Final = 2
"""Plain parts of a word like `use-app-state` that are searched for; the files with both are read."""
_LOOKS: Final = 50
"""Places that are looked at one by one, before a regular expression takes over."""

_PLAIN: Final = re.compile(r"[A-Za-z0-9_]+")


class Search:
    """Word searches over one snapshot.

    `runs` counts the searches that had to look into files. `kept` gives what earlier runs kept. `threads` is how many
    threads a `git grep` may use: more give an answer sooner for slightly more work.
    """

    def __init__(self, snapshot: Snapshot, *, kept: KeptOf = lambda suffixes: None, threads: int = 1) -> None:
        self.runs = 0
        self._snapshot = snapshot
        self._kept = kept
        self._threads = threads
        self._known: dict[Suffixes, dict[str, frozenset[str]]] = {}
        self._over: dict[Suffixes, _Texts] = {}

    def by_word(self, words: Iterable[str], suffixes: Collection[str] | None = None) -> dict[str, frozenset[str]]:
        """Word -> the files that contain it. `suffixes` are file name endings with their dot (".py"); None is for every
        file. What was not searched for yet is, in one go. Raises ValueError for an impossible word (empty, or with a
        line end or NUL in it)."""
        asked = list(words)
        key = None if suffixes is None else tuple(sorted(set(suffixes)))
        known = self._known.setdefault(key, {})
        wanted = sorted(set(asked) - known.keys())
        for word in wanted:
            if not word or any(character in word for character in "\n\r\0"):
                raise ValueError(f"{word!r} is not a word that a line of text can contain.")
        if wanted:
            self._search(wanted, key, known)
        return {word: known[word] for word in asked}

    @property
    def is_behind(self) -> bool:
        """Whether something that was searched should have its words kept for the next time."""
        return any(_commit_search(self._snapshot.base, key, self._kept).is_behind for key in self._known)

    def _search(self, wanted: list[str], key: Suffixes, known: dict[str, frozenset[str]]) -> None:
        snapshot = self._snapshot
        commit = _commit_search(snapshot.base, key, self._kept)
        self.runs += commit.search(wanted, self._threads)
        if key not in self._over:
            ends = ("",) if key is None else key
            self._over[key] = _Texts(
                snapshot, [path for path in snapshot.overlay if path in snapshot.paths and path.endswith(ends)]
            )
        over = self._over[key]
        for word in wanted:
            same = (path for path in commit.found[word] if path in snapshot.paths and path not in snapshot.overlay)
            known[word] = over.holding(word).union(same)


class _Texts:
    """The words of some files, in memory."""

    def __init__(self, snapshot: Snapshot, paths: Sequence[str], *, many_words: bool = False) -> None:
        """`many_words`: so many will be asked for that to index all of them pays at once."""
        self._snapshot = snapshot
        self._paths = paths
        self._asked = _SCANS if many_words else 0
        self._texts = snapshot.read_many(paths)

    @cached_property
    def _words(self) -> Words:
        return Words(self._texts[path] for path in self._paths)

    def plain(self, word: str) -> Iterable[str]:
        """The files that hold a plain word."""
        if self._asked < _SCANS:
            self._asked += 1
            encoded = encode(word)
            return [path for path, text in self._texts.items() if _holds(text, encoded)]
        return (self._paths[number] for number in self._words.holding(word))

    def holding(self, word: str) -> frozenset[str]:
        """The files that hold a word."""
        if _PLAIN.fullmatch(word):
            return frozenset(self.plain(word))
        return _odd(self._snapshot, word, self._paths, {part: frozenset(self.plain(part)) for part in _parts(word)})


class _Kept:
    """The words of those of the files of a snapshot whose blobs are known; `others` are the rest."""

    def __init__(self, kept: KeptWords, paths: Sequence[str], blobs: Mapping[str, str]) -> None:
        self._kept = kept
        known = set(kept.blobs)
        self.others = [path for path in paths if blobs[path] not in known]
        self._named = {blobs[path]: path for path in paths}
        self._more: dict[str, list[str]] = {}
        if len(self._named) < len(paths):  # some blobs have several names
            for path in paths:
                if self._named[blobs[path]] != path:
                    self._more.setdefault(blobs[path], []).append(path)

    def plain(self, word: str) -> Iterable[str]:
        """The files that hold a plain word."""
        for number in self._kept.holding(word):
            blob = self._kept.blobs[number]
            if blob in self._named:
                yield self._named[blob]
                yield from self._more.get(blob, ())


class _CommitSearch:
    """Searches of one commit's own files. `found`: word -> files."""

    def __init__(self, snapshot: Snapshot, suffixes: Suffixes, kept: KeptOf) -> None:
        self.found: dict[str, frozenset[str]] = {}
        self._snapshot = snapshot
        self._suffixes = suffixes
        self._kept_of = kept
        self._greps = 0
        self._all: _Texts | None = None
        self._paths = snapshot.ending(("",) if suffixes is None else suffixes)
        self._bytes = snapshot.size_of(self._paths)

    @property
    def is_behind(self) -> bool:
        """Whether what is kept of these files' words knows too little of them."""
        others = self._kept[0].others if self._kept is not None else self._paths
        return self._suffixes is not None and is_behind(self._bytes, self._snapshot.size_of(others))

    def search(self, words: Iterable[str], threads: int) -> int:
        """Find the words not found yet; how many times the files had to be gone through for it (0 or more)."""
        wanted = [word for word in words if word not in self.found]
        if not wanted or not self._paths:
            self.found.update(dict.fromkeys(wanted, frozenset()))
            return 0
        parts = {word: [word] if _PLAIN.fullmatch(word) else _parts(word) for word in wanted}
        holding, runs = self._plain(sorted({part for found in parts.values() for part in found}), threads)
        for word in wanted:
            if parts[word] == [word]:
                self.found[word] = holding[word]
            else:
                mine = {part: holding[part] for part in parts[word]}
                self.found[word] = _odd(self._snapshot, word, self._paths, mine)
        return runs

    def _plain(self, words: list[str], threads: int) -> tuple[dict[str, frozenset[str]], int]:
        """Plain word -> the files that hold it, and how many times the files had to be gone through for that."""
        if self._kept is not None:
            kept, others = self._kept
            return {word: frozenset((*kept.plain(word), *others.plain(word))) for word in words}, 0
        runs = 0
        if self._all is None and self._bytes <= MEMORY_LIMIT and (self._greps >= _GREPS or len(words) >= _MANY):
            self._all = _Texts(self._snapshot, self._paths, many_words=True)
            runs = 1
        if self._all is not None:
            return {word: frozenset(self._all.plain(word)) for word in words}, runs
        self._greps += 1
        git = self._snapshot.git
        if self._checked_out is not None and git.worktree is not None:
            same, others = self._checked_out
            found, runs = grep(git, git.worktree, words, self._suffixes, threads)
            return {word: (same & paths).union(others.plain(word)) for word, paths in found.items()}, runs
        found, runs = grep(git, self._snapshot.commit, words, self._suffixes, threads)
        searched = frozenset(self._paths)
        return {word: searched & paths for word, paths in found.items()}, runs

    @cached_property
    def _kept(self) -> tuple[_Kept, _Texts] | None:
        """What was kept of an earlier run, and the words of the files it doesn't know, if these are few."""
        words = self._kept_of(self._suffixes) if self._suffixes is not None else None
        if words is None:
            return None
        kept = _Kept(words, self._paths, self._snapshot.paths)
        return (kept, _Texts(self._snapshot, kept.others)) if self._are_few(kept.others) else None

    @cached_property
    def _checked_out(self) -> tuple[frozenset[str], _Texts] | None:
        """The files that the worktree has as they are, and the words of the others, if these are few."""
        same = self._snapshot.checked_out(self._paths)
        others = [path for path in self._paths if path not in same]
        return (same, _Texts(self._snapshot, others)) if same and self._are_few(others) else None

    def _are_few(self, paths: Iterable[str]) -> bool:
        return self._snapshot.size_of(paths) * _FEW <= self._bytes


def _commit_search(base: Snapshot, suffixes: Suffixes, kept: KeptOf) -> _CommitSearch:
    """The searches of a commit, shared by everyone who searches it or an overlay of it."""
    known = base.searches.get(suffixes)
    if not isinstance(known, _CommitSearch):
        known = base.searches[suffixes] = _CommitSearch(base, suffixes, kept)
    return known


def _odd(snapshot: Snapshot, word: str, paths: Collection[str], parts: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """The files that hold a word which is no plain identifier (it has `$`, `-` or letters outside ASCII in it): of
    those that hold all of its `parts` (of all `paths`, where it has none)."""
    searched = frozenset.intersection(*parts.values()) if parts else frozenset(paths)
    encoded = encode(word)
    return frozenset(path for path, text in snapshot.read_many(sorted(searched)).items() if _holds(text, encoded))


def _parts(word: str) -> list[str]:
    """The longest plain identifiers in a word: text that holds the word holds them too."""
    parts = sorted(set(words_in(encode(word))), key=lambda part: (-len(part), part))
    return [part.decode("ascii") for part in parts[:_TELLING]]


def _holds(content: bytes, word: bytes) -> bool:
    """Whether the word stands in the bytes with no word byte before or after it."""
    at = -1
    for _ in range(_LOOKS):
        at = content.find(word, at + 1)
        if at < 0:
            return False
        if is_whole(content, at, at + len(word)):
            return True
    return re.search(rb"(?<![A-Za-z0-9_])%b(?![A-Za-z0-9_])" % re.escape(word), content) is not None

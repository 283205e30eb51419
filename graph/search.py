"""Which files of a snapshot contain a word: what narrows the files to parse before anything is parsed.

A word is found where it stands with no ASCII letter, digit or underscore (`[A-Za-z0-9_]`) directly before or after it.
That is a little more than where it is a whole identifier (`$name` counts as a place of `name`, and so does a name next
to a letter outside ASCII): the search may name a file too many, never one too few. Files past the snapshot's size limit
are not read by anybody, so they are never named.

What is searched are the commit's blobs, not a worktree, so no attribute, filter or local edit can matter. The first
searches of a commit are `git grep`s, which cost least when they stay the only ones. After some, or for many words, all
files are read once into an index of their words (unless they are too many for that), and every further search is a
look-up. Both ways find the same files. What was found is remembered and shared by all overlays of the commit; only the
overlay's own files are searched anew.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from graph.git import decode, encode
from graph.snapshot import SKIPPED_FOLDERS, Snapshot

Suffixes: TypeAlias = tuple[str, ...] | None

MEMORY_LIMIT: Final = 80 * 1024 * 1024
"""Bytes of files whose words are indexed (less than what a snapshot keeps in memory); of more, every search is a
`git grep`."""
_GREPS: Final = 3
"""Searches after which the next one makes the index: reading and splitting all files costs as much as three greps."""
_MANY: Final = 20
"""Words from which on even a first search makes the index."""
_ALTERNATION_BYTES: Final = 48 * 1024
"""Longest alternation given to one `git grep`: time grows with its length only slowly, memory faster."""
_TELLING: Final = 2
"""Plain parts of a word like `use-app-state` that are searched for; the files with both are read."""
_LOOKS: Final = 50
"""Places that are looked at one by one, before a regular expression takes over."""

_PLAIN: Final = re.compile(r"[A-Za-z0-9_]+")
_WORD_BYTES: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")
_SPLIT: Final = bytes(each if each in _WORD_BYTES else 0x20 for each in range(256))
"""Turns every byte that is in no word into a space."""
_GLOB_SPECIAL: Final = re.compile(r"([\\*?\[\]])")


class Search:
    """Word searches over one snapshot.

    `suffixes` are file name endings with their dot (".py"); None is for every file. `ignore_case` is for ASCII letters
    only, as PHP's names are. `runs` counts the searches that had to look into files. `threads` is how many threads a
    `git grep` may use: more give an answer sooner for slightly more work.
    """

    def __init__(self, snapshot: Snapshot, *, threads: int = 1) -> None:
        self.runs = 0
        self._snapshot = snapshot
        self._threads = threads
        self._known: dict[tuple[Suffixes, bool], dict[str, frozenset[str]]] = {}
        self._over: dict[tuple[Suffixes, bool], _Words] = {}

    def prefetch(
        self, words: Iterable[str], suffixes: Collection[str] | None = None, *, ignore_case: bool = False
    ) -> None:
        """Search for all `words` that were not searched for yet, in one go. Raises ValueError for an impossible word
        (empty, or with a line end or NUL in it)."""
        key = (_key(suffixes), ignore_case)
        known = self._known.setdefault(key, {})
        wanted = sorted({_folded(word, ignore_case) for word in words} - known.keys())
        for word in wanted:
            if not word or any(character in word for character in "\n\r\0"):
                raise ValueError(f"{word!r} is not a word that a line of text can contain.")
        if not wanted:
            return
        snapshot = self._snapshot
        commit = _commit_search(snapshot.base, *key)
        self.runs += commit.search(wanted, self._threads)
        ends = ("",) if key[0] is None else key[0]
        if key not in self._over:
            over = [path for path in snapshot.overlay if path in snapshot.paths and path.endswith(ends)]
            self._over[key] = _Words(snapshot, over, ignore_case)
        found = self._over[key].holding(wanted)
        for word in wanted:
            same = (path for path in commit.found[word] if path in snapshot.paths and path not in snapshot.overlay)
            known[word] = found[word].union(same)

    def by_word(
        self, words: Iterable[str], suffixes: Collection[str] | None = None, *, ignore_case: bool = False
    ) -> dict[str, frozenset[str]]:
        """Word -> the files that contain it."""
        asked = list(words)
        self.prefetch(asked, suffixes, ignore_case=ignore_case)
        known = self._known[_key(suffixes), ignore_case]
        return {word: known[_folded(word, ignore_case)] for word in asked}

    def files(
        self, words: Iterable[str], suffixes: Collection[str] | None = None, *, ignore_case: bool = False
    ) -> frozenset[str]:
        """The files that contain any of the words."""
        return frozenset().union(*self.by_word(words, suffixes, ignore_case=ignore_case).values())

    def files_with_all(
        self,
        words_a: Iterable[str],
        words_b: Iterable[str],
        suffixes: Collection[str] | None = None,
        *,
        ignore_case: bool = False,
    ) -> frozenset[str]:
        """The files that contain any of `words_a` and any of `words_b`."""
        first, second = list(words_a), list(words_b)
        self.prefetch([*first, *second], suffixes, ignore_case=ignore_case)
        return self.files(first, suffixes, ignore_case=ignore_case) & self.files(
            second, suffixes, ignore_case=ignore_case
        )

    def lines(
        self, words: Collection[str], paths: Iterable[str], *, ignore_case: bool = False
    ) -> dict[str, tuple[int, ...]]:
        """Path -> the lines (1-based, LF only) on which any of the words stands. Files without any are left out."""
        pattern = _pattern(words, ignore_case) if words else None
        found = {}
        for path in paths:
            lines = _lines(self._snapshot.read(path), pattern) if pattern else ()
            if lines:
                found[path] = lines
        return found


class _Words:
    """The words of some files, in memory."""

    def __init__(self, snapshot: Snapshot, paths: Collection[str], ignore_case: bool) -> None:
        self._snapshot = snapshot
        self._paths = paths
        self._ignore_case = ignore_case
        self._files: dict[bytes, list[str]] = {}
        for path, content in snapshot.read_many(paths).items():
            text = content.lower() if ignore_case else content
            for word in set(text.translate(_SPLIT).split()):
                if word in self._files:
                    self._files[word].append(path)
                else:
                    self._files[word] = [path]

    def holding(self, words: Iterable[str]) -> dict[str, frozenset[str]]:
        """Word -> those of the files that contain it."""
        return {
            word: frozenset(self._files.get(encode(word), ()))
            if _PLAIN.fullmatch(word)
            else _odd(self._snapshot, word, self._paths, self.holding(_parts(word)), self._ignore_case)
            for word in words
        }


def _odd(
    snapshot: Snapshot, word: str, paths: Collection[str], parts: Mapping[str, frozenset[str]], ignore_case: bool
) -> frozenset[str]:
    """The files that hold a word which is no plain identifier (it has `$`, `-` or letters outside ASCII in it): of
    those that hold all of its `parts` (of all `paths`, where it has none)."""
    searched = frozenset.intersection(*parts.values()) if parts else frozenset(paths)
    contents = snapshot.read_many(sorted(searched)).items()
    encoded = encode(word)
    return frozenset(path for path, text in contents if _holds(text.lower() if ignore_case else text, encoded))


class _CommitSearch:
    """Searches of one commit's own files. `found`: word -> files."""

    def __init__(self, snapshot: Snapshot, suffixes: Suffixes, ignore_case: bool) -> None:
        self.found: dict[str, frozenset[str]] = {}
        self._snapshot = snapshot
        self._suffixes = suffixes
        self._ignore_case = ignore_case
        self._greps = 0
        self._words: _Words | None = None
        ends = ("",) if suffixes is None else suffixes
        self._paths = [path for path in snapshot.paths if path.endswith(ends) and path not in snapshot.too_large]
        self._in_memory = sum(map(snapshot.size, self._paths)) <= MEMORY_LIMIT

    def search(self, words: Iterable[str], threads: int) -> int:
        """Find the words not found yet; how many times the files had to be gone through for it (0 or more)."""
        wanted = [word for word in words if word not in self.found]
        if not wanted or not self._paths:
            self.found.update(dict.fromkeys(wanted, frozenset()))
            return 0
        if self._words is not None:
            self.found.update(self._words.holding(wanted))
            return 0
        parts = {word: [word] if _PLAIN.fullmatch(word) else _parts(word) for word in wanted}
        plain = sorted({part for found in parts.values() for part in found})
        if self._in_memory and (self._greps >= _GREPS or len(plain) >= _MANY):
            self._words = _Words(self._snapshot, self._paths, self._ignore_case)
            self.found.update(self._words.holding(wanted))
            return 1
        grepped: dict[str, set[str]] = {part: set() for part in plain}
        chunks = list(_chunks(plain))
        for chunk in chunks:
            self._grep(chunk, grepped, threads)
        self._greps += 1
        holding = {part: frozenset(paths) for part, paths in grepped.items()}
        for word in wanted:
            mine = {part: holding[part] for part in parts[word]}
            plain_word = mine.get(word)
            self.found[word] = (
                plain_word
                if plain_word is not None
                else _odd(self._snapshot, word, self._paths, mine, self._ignore_case)
            )
        return len(chunks)

    def _grep(self, words: list[str], found: dict[str, set[str]], threads: int) -> None:
        """`-o` prints every match, so one run tells of each word where it is. (Plain words only: matches of those never
        overlap, so none hides another.)"""
        searched = frozenset(self._paths)
        printed, _ = self._snapshot.git.run(
            "-c",
            "submodule.recurse=false",
            "grep",
            "-o",
            "-H",
            "-w",
            *(["-i"] if self._ignore_case else []),
            "-z",
            "-a",
            "-E",
            "--full-name",
            "--no-color",
            "--no-line-number",
            "--no-column",
            "--no-textconv",
            f"--threads={threads}",
            "-f",
            "-",
            self._snapshot.commit,
            "--",
            *(":(top,glob)**/*" + _GLOB_SPECIAL.sub(r"[\1]", suffix) for suffix in self._suffixes or ("",)),
            *(f":(top,exclude,glob)**/{folder}/**" for folder in sorted(SKIPPED_FOLDERS)),
            given=encode(f"({'|'.join(words)})\n"),
            allowed=(0, 1),
        )
        for path, word in _matches(printed):
            if path in searched:
                found[word.lower() if self._ignore_case else word].add(path)


def _commit_search(base: Snapshot, suffixes: Suffixes, ignore_case: bool) -> _CommitSearch:
    """The searches of a commit, shared by everyone who searches it or an overlay of it."""
    known = base.searches.get((suffixes, ignore_case))
    if not isinstance(known, _CommitSearch):
        known = base.searches[suffixes, ignore_case] = _CommitSearch(base, suffixes, ignore_case)
    return known


def _key(suffixes: Collection[str] | None) -> Suffixes:
    return None if suffixes is None else tuple(sorted(set(suffixes)))


def _folded(word: str, ignore_case: bool) -> str:
    """With `ignore_case` the word with its ASCII letters in lower case."""
    return decode(encode(word).lower()) if ignore_case else word


def _parts(word: str) -> list[str]:
    """The longest plain identifiers in a word: text that holds the word holds them too."""
    parts = sorted(set(encode(word).translate(_SPLIT).split()), key=lambda part: (-len(part), part))
    return [part.decode("ascii") for part in parts[:_TELLING]]


def _chunks(words: list[str]) -> Iterator[list[str]]:
    chunk: list[str] = []
    length = 0
    for word in words:
        if chunk and length + len(word) > _ALTERNATION_BYTES:
            yield chunk
            chunk, length = [], 0
        chunk.append(word)
        length += len(word) + 1
    if chunk:
        yield chunk


def _matches(printed: bytes) -> Iterator[tuple[str, str]]:
    """The distinct (path, word) pairs of what `git grep -o -z` printed: `commit:path NUL word LF`, again and again."""
    entries: Iterable[bytes] = set(printed.split(b"\n"))  # at C speed: a common word is printed thousands of times
    if any(entry and b"\0" not in entry for entry in entries):  # a path with a line end in it
        entries = set(re.findall(rb"[0-9a-f]{40,64}:[^\0]*\0[A-Za-z0-9_]+(?=\n)", printed))
    for entry in entries:
        name, nul, word = entry.partition(b"\0")
        if nul:
            yield decode(name.partition(b":")[2]), word.decode("ascii")


def _holds(content: bytes, word: bytes) -> bool:
    """Whether the word stands in the bytes with no word byte before or after it."""
    at = -1
    for _ in range(_LOOKS):
        at = content.find(word, at + 1)
        if at < 0:
            return False
        end = at + len(word)
        before_is_free = at == 0 or content[at - 1] not in _WORD_BYTES
        if before_is_free and (end == len(content) or content[end] not in _WORD_BYTES):
            return True
    return re.search(_bounded(re.escape(word)), content) is not None


def _bounded(pattern: bytes) -> bytes:
    return rb"(?<![A-Za-z0-9_])(?:%b)(?![A-Za-z0-9_])" % pattern


def _pattern(words: Collection[str], ignore_case: bool) -> re.Pattern[bytes]:
    alternatives = b"|".join(re.escape(encode(word)) for word in sorted(words))
    return re.compile(_bounded(alternatives), re.IGNORECASE if ignore_case else re.NOFLAG)


def _lines(content: bytes, pattern: re.Pattern[bytes]) -> tuple[int, ...]:
    lines: list[int] = []
    line, counted = 1, 0
    for match in pattern.finditer(content):
        line += content.count(b"\n", counted, match.start())
        counted = match.start()
        if not lines or lines[-1] != line:
            lines.append(line)
    return tuple(lines)

"""Which files of a snapshot contain a word: what narrows the files to parse before anything is parsed.

A word is found where it stands with no ASCII letter, digit or underscore (`[A-Za-z0-9_]`) directly before or after it.
That is a little more than where it is a whole identifier (`$name` counts as a place of `name`, and so does a name next
to a letter outside ASCII): the search may name a file too many, never one too few.

`git grep` searches the blobs of the commit itself, not a worktree, so no attribute, filter or local edit can matter;
files of the overlay are searched here. Per word, the files are remembered: asking again costs nothing. So the way to
be fast is to ask for many words at once (`prefetch`), then for the combinations that are needed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Final

from graph.git import decode, encode
from graph.snapshot import SKIPPED_FOLDERS, Snapshot

_PLAIN: Final = re.compile(r"[A-Za-z0-9_]+")
_TOKEN: Final = re.compile(rb"[A-Za-z0-9_]+")
_SPECIAL: Final = re.compile(r"([\\.^$*+?()\[\]{}|])")
_GLOB_SPECIAL: Final = re.compile(r"([\\*?\[\]])")
_ALTERNATION_BYTES: Final = 48 * 1024
"""Longest alternation given to one `git grep`: time grows with its length only slowly, memory faster."""
_ODD_WORDS: Final = 50
"""Words that are no plain identifiers, searched for in one `git grep`: each is a pattern of its own there."""


class Search:
    """Word searches over one snapshot.

    `suffixes` are file name endings with their dot (".py"); None is for every file. `runs` counts the `git grep`
    processes so far. `threads` is how many threads one of them may use: more give an answer sooner for slightly more
    work.
    """

    def __init__(self, snapshot: Snapshot, *, threads: int = 1) -> None:
        self.runs = 0
        self._snapshot = snapshot
        self._threads = threads
        self._known: dict[tuple[tuple[str, ...] | None, bool], dict[str, frozenset[str]]] = {}
        self._overlay_words: dict[tuple[str, bool], frozenset[bytes]] = {}

    def prefetch(
        self, words: Iterable[str], suffixes: Collection[str] | None = None, *, ignore_case: bool = False
    ) -> None:
        """Search for all `words` that were not searched for yet, in one go. Raises ValueError for an impossible word
        (empty, or with a line end or NUL in it)."""
        key = (_key(suffixes), ignore_case)
        known = self._known.setdefault(key, {})
        wanted = sorted({_folded(word, ignore_case) for word in words} - known.keys())
        if not wanted:
            return
        for word in wanted:
            if not word or any(character in word for character in "\n\r\0"):
                raise ValueError(f"{word!r} is not a word that a line of text can contain.")
        found: dict[str, set[str]] = {word: set() for word in wanted}
        plain = [word for word in wanted if _PLAIN.fullmatch(word)]
        odd = [word for word in wanted if not _PLAIN.fullmatch(word)]
        if key[0] != ():
            self._grep_plain(plain, key[0], ignore_case, found)
            for start in range(0, len(odd), _ODD_WORDS):
                self._grep_odd(odd[start : start + _ODD_WORDS], key[0], ignore_case, found)
            self._search_overlay(plain, odd, key[0], ignore_case, found)
        known.update({word: frozenset(paths) for word, paths in found.items()})

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
        """The files that contain any of the words. `ignore_case` is for ASCII letters only, as PHP's names are."""
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

    # -- one git grep ------------------------------------------------------------------------------------------------

    def _grep_plain(
        self, words: list[str], suffixes: tuple[str, ...] | None, ignore_case: bool, found: dict[str, set[str]]
    ) -> None:
        """`-o` prints every match, so one run tells of each word where it is. (Plain words only: matches of those never
        overlap, so none hides another.) What the commit holds is true for every overlay of it."""
        here = self._snapshot
        searched = here.searched.setdefault((suffixes, ignore_case), {})
        for chunk in _chunks([word for word in words if word not in searched]):
            printed = self._grep(["-o", "-H", "-w"], f"({'|'.join(chunk)})", suffixes, ignore_case)
            at: dict[str, set[str]] = {word: set() for word in chunk}
            for path, word in _matches(printed):
                at[word.lower() if ignore_case else word].add(path)
            searched.update({word: frozenset(paths) for word, paths in at.items()})
        for word in words:
            found[word].update(path for path in searched[word] if path in here.paths and path not in here.overlay)

    def _grep_odd(
        self, words: list[str], suffixes: tuple[str, ...] | None, ignore_case: bool, found: dict[str, set[str]]
    ) -> None:
        """Words with `$`, `-` or letters outside ASCII may overlap: each is a pattern, and the files found are read."""
        patterns = "\n".join(_SPECIAL.sub(r"\\\1", word) for word in words)
        printed = self._grep(["-l", "-w"], patterns, suffixes, ignore_case)
        paths = [decode(name.partition(b":")[2]) for name in printed.split(b"\0")[:-1]]
        looked_for = {word: _pattern([word], ignore_case) for word in words}
        for path in paths:
            if path not in self._snapshot.paths or path in self._snapshot.overlay:
                continue
            content = self._snapshot.read(path)
            too_large = path in self._snapshot.too_large
            for word, pattern in looked_for.items():
                if too_large or pattern.search(content):
                    found[word].add(path)

    def _grep(self, options: list[str], patterns: str, suffixes: tuple[str, ...] | None, ignore_case: bool) -> bytes:
        self.runs += 1
        printed, _ = self._snapshot.git.run(
            "-c",
            "submodule.recurse=false",
            "grep",
            *options,
            *(["-i"] if ignore_case else []),
            "-z",
            "-a",
            "-E",
            "--full-name",
            "--no-color",
            "--no-line-number",
            "--no-column",
            "--no-textconv",
            f"--threads={self._threads}",
            "-f",
            "-",
            self._snapshot.commit,
            "--",
            *(":(top,glob)**/*" + _GLOB_SPECIAL.sub(r"[\1]", suffix) for suffix in suffixes or ("",)),
            *(f":(top,exclude,glob)**/{folder}/**" for folder in sorted(SKIPPED_FOLDERS)),
            given=encode(patterns) + b"\n",
            allowed=(0, 1),
        )
        return printed

    # -- the overlay -------------------------------------------------------------------------------------------------

    def _search_overlay(
        self,
        plain: list[str],
        odd: list[str],
        suffixes: tuple[str, ...] | None,
        ignore_case: bool,
        found: dict[str, set[str]],
    ) -> None:
        snapshot = self._snapshot
        ends = ("",) if suffixes is None else suffixes
        paths = [path for path in sorted(snapshot.overlay) if path in snapshot.paths and path.endswith(ends)]
        wanted = {word.encode("ascii") for word in plain}
        looked_for = {word: _pattern([word], ignore_case) for word in odd}
        for path in paths:
            if path in snapshot.too_large:  # it isn't read, so it cannot be ruled out either
                for word in [*plain, *odd]:
                    found[word].add(path)
                continue
            for token in wanted & self._words_of(path, ignore_case):
                found[token.decode("ascii")].add(path)
            if looked_for:
                content = snapshot.read(path)
                for word, pattern in looked_for.items():
                    if pattern.search(content):
                        found[word].add(path)

    def _words_of(self, path: str, ignore_case: bool) -> frozenset[bytes]:
        key = (path, ignore_case)
        if key not in self._overlay_words:
            content = self._snapshot.read(path)
            self._overlay_words[key] = frozenset(_TOKEN.findall(content.lower() if ignore_case else content))
        return self._overlay_words[key]


def _key(suffixes: Collection[str] | None) -> tuple[str, ...] | None:
    return None if suffixes is None else tuple(sorted(set(suffixes)))


def _folded(word: str, ignore_case: bool) -> str:
    """With `ignore_case` the word with its ASCII letters in lower case."""
    return encode(word).lower().decode("utf-8", "surrogateescape") if ignore_case else word


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


def _pattern(words: Collection[str], ignore_case: bool) -> re.Pattern[bytes]:
    alternatives = b"|".join(re.escape(encode(word)) for word in sorted(words))
    return re.compile(
        rb"(?<![A-Za-z0-9_])(?:%b)(?![A-Za-z0-9_])" % alternatives, re.IGNORECASE if ignore_case else re.NOFLAG
    )


def _lines(content: bytes, pattern: re.Pattern[bytes]) -> tuple[int, ...]:
    lines: list[int] = []
    line, counted = 1, 0
    for match in pattern.finditer(content):
        line += content.count(b"\n", counted, match.start())
        counted = match.start()
        if not lines or lines[-1] != line:
            lines.append(line)
    return tuple(lines)

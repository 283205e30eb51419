"""Words found by `git grep`: in a commit's blobs, or in a worktree's files, which costs a third."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from graph.git import Git, decode, encode
from graph.snapshot import SKIPPED_FOLDERS

_EXPRESSION_BYTES: Final = 48 * 1024
"""Longest expression given to one `git grep`: PCRE takes no more than 64 KiB, and memory grows with it."""
_NO_PERL: Final = 128
"""How git ends when it was built without PCRE or can't compile the expression with it (and for any other error)."""
_GLOB_SPECIAL: Final = re.compile(r"([\\*?\[\]])")
_OPTIONS: Final = (
    *("grep", "-o", "-H", "-z", "-a", "--full-name"),
    *("--no-color", "--no-line-number", "--no-column", "--no-textconv"),
)


def grep(
    git: Git, where: str | Path, words: list[str], suffixes: tuple[str, ...] | None, threads: int
) -> tuple[dict[str, set[str]], int]:
    """Plain word (`[A-Za-z0-9_]+`) -> files that hold it, and how many times git had to look.

    `where` is a commit's full SHA, or the top of the worktree, in which the files that git's index names are searched.
    """
    found: dict[str, set[str]] = {word: set() for word in words}
    worktree = where if isinstance(where, Path) else None
    options = [*_OPTIONS, f"--threads={threads}", "-f", "-"]
    places = [
        *([where] if isinstance(where, str) else []),
        "--",
        *(":(top,glob)**/*" + _GLOB_SPECIAL.sub(r"[\1]", suffix) for suffix in suffixes or ("",)),
        *(f":(top,exclude,glob)**/{folder}/**" for folder in sorted(SKIPPED_FOLDERS)),
    ]
    prefix = encode(where) + b":" if isinstance(where, str) else b""
    chunks = list(_chunks(words))
    for chunk in chunks:
        # Perl's expressions take half the time of others. Not every git has them.
        perl = f"(?<![A-Za-z0-9_])(?:{_alternation(chunk)})(?![A-Za-z0-9_])\n".encode("ascii")
        printed, code = git.run(*options, "-P", *places, given=perl, allowed=(0, 1, _NO_PERL), worktree=worktree)
        if code == _NO_PERL:
            extended = f"({'|'.join(chunk)})\n".encode("ascii")
            printed, _ = git.run(*options, "-w", "-E", *places, given=extended, allowed=(0, 1), worktree=worktree)
        # Every match is printed, so one run tells of each word where it is: matches of plain words never overlap.
        for path, word in _matches(printed, prefix):
            found[word].add(path)
    return found, len(chunks)


def _chunks(words: list[str]) -> Iterator[list[str]]:
    chunk: list[str] = []
    length = 0
    for word in words:
        if chunk and length + len(word) > _EXPRESSION_BYTES:
            yield chunk
            chunk, length = [], 0
        chunk.append(word)
        length += len(word) + len("a(?:)|")
    if chunk:
        yield chunk


def _alternation(words: list[str]) -> str:
    """An expression for any of the words that is decided by the first letter: a backtracking matcher tries one
    alternative after the other."""
    groups: dict[str, list[str]] = {}
    for word in words:
        groups.setdefault(word[0], []).append(word[1:])
    return "|".join(f"{first}(?:{'|'.join(rest)})" for first, rest in groups.items())


def _matches(printed: bytes, prefix: bytes) -> Iterator[tuple[str, str]]:
    """The distinct (path, word) pairs of what git printed: `prefix path NUL word LF`, again and again."""
    entries: Iterable[bytes] = set(printed.split(b"\n"))  # at C speed: a common word is printed thousands of times
    if any(entry and b"\0" not in entry for entry in entries):  # a path with a line end in it
        entries = set(re.findall(rb"%b[^\0]*\0[A-Za-z0-9_]+(?=\n)" % prefix, printed))
    for entry in entries:
        name, nul, word = entry.partition(b"\0")
        if nul:
            yield decode(name.removeprefix(prefix)), word.decode("ascii")

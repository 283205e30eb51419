"""The words of a repository's files, kept on disk between runs beside the facts: a search need not read the files.

Like facts they can be made again at any time: what cannot be read, or isn't whole, is not there, and what cannot be
written is let go.
"""

from __future__ import annotations

import os
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Final, cast

import msgspec

from graph.git import Git
from graph.languages import extensions_of, family_of, language_of
from graph.languages.base import GlobalLanguage
from graph.listing import Listing, listing_of
from graph.snapshot import Snapshot
from graph.words import KeptWords, is_behind

MOST_KEPT: Final = 1024**3
"""Bytes on disk; past it the words made longest ago go."""
_READ_TOGETHER: Final = 200
_LISTING: Final = "tree"
_CHECKSUM: Final = 4
"""Bytes of the CRC-32 that a file begins with."""


class WordStore:
    """The words kept of one repository, in a directory below that of the facts. None of it counts for other users."""

    def __init__(self, git: Git, facts_dir: Path) -> None:
        self._directory = facts_dir / "words"
        # Which repository it is only says what is worth knowing together: the words know their blobs.
        self._repository = _name(git.common)

    def get(self, suffixes: tuple[str, ...]) -> KeptWords | None:
        """What was kept of the words in files with these suffixes (sorted); None when nothing was."""
        packed = self._read(_kind(suffixes))
        return KeptWords.unpack(packed) if packed is not None else None

    def listing(self) -> Listing | None:
        """The listing of the tree whose words were kept last; None when none was."""
        packed = self._read(_LISTING)
        with suppress(msgspec.MsgspecError):
            return msgspec.msgpack.decode(packed, type=Listing) if packed is not None else None
        return None

    def keep(self, snapshot: Snapshot) -> None:
        """Keep the words of all files of the snapshot that are searched, unless most of them are kept already."""
        for suffixes in _searched(snapshot.paths):
            paths = snapshot.ending(suffixes)
            if self._is_behind(snapshot, suffixes, paths):
                self._write(_kind(suffixes), KeptWords.pack(_contents(snapshot, paths)))
                listing = snapshot.listing or listing_of(snapshot.git, snapshot.commit)
                self._write(_LISTING, msgspec.msgpack.encode(listing))

    def _is_behind(self, snapshot: Snapshot, suffixes: tuple[str, ...], paths: Sequence[str]) -> bool:
        kept = self.get(suffixes)
        known = set(kept.blobs) if kept is not None else set()
        others = (path for path in paths if snapshot.paths[path] not in known)
        return is_behind(snapshot.size_of(paths), snapshot.size_of(others))

    def _file(self, kind: str) -> Path:
        return self._directory / f"{self._repository}-{kind}"

    def _read(self, kind: str) -> memoryview | None:
        """What was written; None when nothing was, or it is not whole, or another user's."""
        with suppress(OSError), self._file(kind).open("rb") as file:
            if os.fstat(file.fileno()).st_uid != os.getuid():
                return None
            content = memoryview(file.read())
            packed = content[_CHECKSUM:]
            if zlib.crc32(packed) == int.from_bytes(content[:_CHECKSUM], "little"):
                return packed
        return None

    def _write(self, kind: str, packed: bytes) -> None:
        with suppress(OSError):
            self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=self._directory, delete=False) as file:
                try:
                    file.write(zlib.crc32(packed).to_bytes(_CHECKSUM, "little"))
                    file.write(packed)
                    file.flush()
                    Path(file.name).replace(self._file(kind))
                except BaseException:
                    Path(file.name).unlink()
                    raise
            self._make_room()

    def _make_room(self) -> None:
        """Delete what was made longest ago, and what a killed process left, until the rest is little enough."""
        made = sorted(self._directory.iterdir(), key=lambda file: file.stat().st_mtime_ns)
        length = sum(file.stat().st_size for file in made)
        for file in made:
            if length <= MOST_KEPT:
                break
            length -= file.stat().st_size
            file.unlink()


def forget_words(git_directory: Path, facts_dir: Path) -> None:
    """Delete what was kept of the clone with that git directory, which may itself be gone."""
    with suppress(OSError):
        for file in (facts_dir / "words").glob(f"{_name(git_directory.resolve())}-*"):
            file.unlink(missing_ok=True)


def _name(git_directory: Path) -> str:
    return sha256(os.fsencode(git_directory)).hexdigest()[:32]


def _kind(suffixes: tuple[str, ...]) -> str:
    return sha256(" ".join(suffixes).encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _searched(paths: Iterable[str]) -> list[tuple[str, ...]]:
    """The suffixes of the files that are searched together, for a tree of these paths."""
    found: set[tuple[str, ...]] = set()
    for family in sorted({family for path in paths if (family := family_of(path)) is not None}):
        extensions = extensions_of(family)
        found.add(extensions)
        language = language_of("x" + extensions[0])
        if language is not None and language.global_names:
            found.add(tuple(sorted(set(cast("GlobalLanguage", language).text_suffixes))))
    return sorted(found - {()})


def _contents(snapshot: Snapshot, paths: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """(blob id, bytes) of the files, each blob once."""
    named = list({snapshot.paths[path]: path for path in paths}.items())
    for start in range(0, len(named), _READ_TOGETHER):
        contents = snapshot.read_many(path for _, path in named[start : start + _READ_TOGETHER])
        yield from ((blob, contents[path]) for blob, path in named[start : start + _READ_TOGETHER])

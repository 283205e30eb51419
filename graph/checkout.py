"""The files of a worktree that are, byte for byte, blobs of the repository: read at a quarter of what the blobs cost.

A commit's blobs are what is read, and a checkout is only another place to find the same bytes. So nothing is believed
of a worktree but what can be shown. A single file is read, hashed, and used when its hash is the blob's id. Of many
that are only searched for words, a file counts as the blob when git's index says that this blob was written there, when
nothing about the file changed since (times, inode and size, as git itself tells an edited file), when its size is the
blob's, and when no attributes file of the repository speaks of what would make other bytes of the same length (filters
and encodings). All others are read from the repository.

No git runs here and no link is followed; an index that isn't understood (split, compressed, damaged) is none.
"""

from __future__ import annotations

import os
import re
import stat
import struct
from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from hashlib import sha1, sha256
from typing import Final, NamedTuple

from graph.git import Git, encode

MOST_BYTES: Final = 8 * 1024 * 1024
"""Largest file that is read whole."""
_SIGNATURE: Final = b"DIRC"
_VERSIONS: Final = (2, 3)
_HEADER: Final = struct.Struct(">4sII")
_ENTRY: Final = struct.Struct(">IIII4xI12xI20sH")
_EXTENDED: Final = 0x4000
_STAGE: Final = 0x3000
_ATTRIBUTES: Final = b".gitattributes"
_ATTRIBUTES_BYTES: Final = 100 * 1024
"""Longest attributes file that is read."""
_CONVERTING: Final = re.compile(rb"(?<![-!])\bworking-tree-encoding\b|(?<![-!])\bfilter\b(?!=lfs\s)")
"""What in an attributes file may make git write other bytes of the same length. (Large files have other lengths.)"""
_AS_THEY_ARE: Final = re.compile(rb"(?m)^\*(?=[^\n]* -filter\b)(?=[^\n]* -working-tree-encoding\b)")
"""A line of the attributes file that goes before all others, by which nothing is converted."""
_READ_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_SECOND: Final = 1_000_000_000
_SHA1_DIGITS: Final = 40


class _Entry(NamedTuple):
    """What the index says of a file: the file's state when it was written (times in seconds and nanoseconds), and the
    blob."""

    changed: int
    changed_ns: int
    modified: int
    modified_ns: int
    inode: int
    size: int
    blob: bytes


class Checkout:
    """The files in the worktree of a repository; those of a bare clone are none. Not read before they are asked for."""

    def __init__(self, git: Git) -> None:
        self._root = git.worktree
        self._index_file = git.directory / "index"
        self._common = git.common
        self._top = os.fsencode(git.worktree) + b"/" if git.worktree is not None else b""

    def read(self, path: str, blob: str) -> bytes | None:
        """The bytes of a blob (by its id) from the file at `path`; None when that has others, or is very large."""
        if self._root is None:
            return None
        with suppress(OSError):
            content = _content(self._top + encode(path), MOST_BYTES)
            if content is not None and _id(content, len(blob)) == blob:
                return content
        return None

    def holding(self, files: Mapping[bytes, tuple[str, int]]) -> set[bytes]:
        """Those of the files (path -> blob id and size in bytes) that hold their blob, by what git knows of them."""
        found: set[bytes] = set()
        if self._root is None or self._converts:
            return found
        (entries, written), top, lstat = self._index, self._top, os.lstat
        for path, (blob, size) in files.items():
            entry = entries.get(path)
            if entry is None:
                continue
            changed, changed_ns, modified, modified_ns, inode, length, known = entry
            modified = modified * _SECOND + modified_ns
            # What was changed in the moment in which the index was written, git can't tell from what was not.
            if length != size or modified >= written or known.hex() != blob:
                continue
            try:
                now = lstat(top + path)
            except OSError:
                continue
            if (
                now.st_size == size
                and now.st_mtime_ns == modified
                and now.st_ctime_ns == changed * _SECOND + changed_ns
                and now.st_ino & 0xFFFFFFFF == inode
                and stat.S_ISREG(now.st_mode)
            ):
                found.add(path)
        return found

    @cached_property
    def _index(self) -> tuple[dict[bytes, _Entry], int]:
        if self._root is None:
            return {}, 0
        with suppress(OSError, struct.error, ValueError):
            written = self._index_file.stat().st_mtime_ns
            return _entries_of(self._index_file.read_bytes()), written
        return {}, 0

    @property
    def _entries(self) -> dict[bytes, _Entry]:
        return self._index[0]

    @cached_property
    def _converts(self) -> bool:
        """Whether an attributes file may have made git write something else than the blobs."""
        first = _attributes(os.fsencode(self._common / "info" / "attributes"))
        if first is not None and _AS_THEY_ARE.search(first) is not None:
            return False
        contents = [first, *(_attributes(self._top + path) for path in self._entries if path.endswith(_ATTRIBUTES))]
        return any(content is None or _CONVERTING.search(content) is not None for content in contents)


def _id(content: bytes, width: int) -> str:
    """The id, of so many digits, of the blob with that content."""
    made = (sha1 if width == _SHA1_DIGITS else sha256)(b"blob %d\0" % len(content), usedforsecurity=False)
    made.update(content)
    return made.hexdigest()


def _entries_of(index: bytes) -> dict[bytes, _Entry]:
    """Path -> entry of every file in the index that is in no conflict. Raises struct.error or ValueError for what isn't
    an index of a known form (see gitformat-index(5)). Of a SHA-256 repository, whose ids are longer, nothing is found
    that any blob's id equals."""
    signature, version, count = _HEADER.unpack_from(index)
    if signature != _SIGNATURE or version not in _VERSIONS:
        raise ValueError("not an index that is read")
    unpack, length, find = _ENTRY.unpack_from, _ENTRY.size, index.find
    found: dict[bytes, _Entry] = {}
    at = _HEADER.size
    for _ in range(count):
        *about, flags = unpack(index, at)
        start = at + length + (2 if flags & _EXTENDED else 0)
        end = find(b"\0", start)
        if end < 0:
            raise ValueError("the index ends too early")
        if not flags & _STAGE:
            found[index[start:end]] = _Entry._make(about)
        at += (end - at + 8) // 8 * 8
    return found


def _attributes(name: bytes) -> bytes | None:
    """What an attributes file says, b"" when there is none; None when it cannot be told."""
    try:
        return _content(name, _ATTRIBUTES_BYTES)
    except FileNotFoundError:
        return b""
    except OSError:
        return None


def _content(name: bytes, most: int) -> bytes | None:
    """What is in a file; None of one that has more than `most` bytes, or is none. Raises OSError."""
    descriptor = os.open(name, _READ_FLAGS)
    try:
        about = os.fstat(descriptor)
        if about.st_size > most or not stat.S_ISREG(about.st_mode):
            return None
        content = os.read(descriptor, about.st_size)
        return content if len(content) == about.st_size else None
    finally:
        os.close(descriptor)

"""Facts kept on disk, for ever true: the key is the blob's hash, its grammar and the extractor's version.

The store is diskcache (SQLite), which pickles what it doesn't know. Here it may not: keys are text, values are bytes
(MessagePack behind a checksum), and what is found in any other form isn't read. An entry that cannot be read is a miss,
a cache that cannot be opened or written is none: facts can always be made again.
"""

from __future__ import annotations

import os
import sqlite3
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import diskcache  # type: ignore[import-untyped]
import msgspec

from graph.facts import Definition, Export, FileFacts, Import, Parameter
from graph.languages.base import Language

DEFAULT_LIMIT: Final = 2 * 1024**3
"""Bytes the cache may take on disk."""
_MODE_RAW: Final = 1
"""diskcache's mode of a value that SQLite stores as it is."""
_TIMEOUT: Final = 10.0
"""Seconds to wait for another process's write before going without."""
_BATCH: Final = 256
"""Entries a transaction: large enough that its cost is shared, small enough that others need not wait."""
_IN_DATABASE: Final = 64 * 1024 * 1024
"""Bytes up to which values stay inside the database: all of them, so that no value has a file of its own."""
_CHECKSUM: Final = 4
"""Bytes of the CRC-32 that an entry begins with."""

_ENCODER: Final = msgspec.msgpack.Encoder()
_DECODER: Final = msgspec.msgpack.Decoder(FileFacts)


class _BytesDisk(diskcache.Disk):  # type: ignore[misc]
    """Text keys and bytes values only; refuses to pickle and to unpickle."""

    def put(self, key: object) -> tuple[object, bool]:
        if not isinstance(key, str):
            raise TypeError("facts have text keys")
        return key, True

    def get(self, key: object, raw: object) -> object:
        if not raw or not isinstance(key, str):
            raise ValueError("not a key of facts")
        return key

    def store(self, value: object, read: object, key: object = None) -> tuple[int, int, None, object]:
        if not isinstance(value, bytes):
            raise TypeError("facts are stored as bytes")
        return 0, _MODE_RAW, None, sqlite3.Binary(value)

    def fetch(self, mode: object, filename: object, value: object, read: object) -> object:
        if mode != _MODE_RAW or not isinstance(value, bytes):
            raise ValueError("not facts")
        return value


_FAILURES: Final = (sqlite3.Error, diskcache.Timeout, OSError)


def facts_key(blob: str, language: Language) -> str:
    """The key of a blob's facts. `language.version` must change whenever its extractor gives something else."""
    return f"{blob}:{language.grammar}:{language.version}:{_format()}"


@cache
def _format() -> str:
    """What the entries' meaning depends on besides the extractor (`graph.languages.versions`): the facts' fields."""
    fields = [(kind.__name__, kind.__struct_fields__) for kind in (FileFacts, Definition, Import, Export, Parameter)]
    return f"{zlib.crc32(repr(fields).encode()):08x}"


class FactsCache:
    """A directory of facts, safe for several processes at once. Opened at the first use; `close()` it.

    `limit` is in bytes; past it the entries stored longest ago go. `failed` says why it isn't used, None while it is.
    """

    def __init__(self, directory: Path, limit: int = DEFAULT_LIMIT) -> None:
        self.directory = directory
        self.failed: str | None = None
        self._limit = limit
        self._opened: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the files. Using the cache again opens it again."""
        opened, self._opened = self._opened, None
        if opened is not None:
            with suppress(*_FAILURES):
                opened.close()

    def get_many(self, keys: Iterable[str]) -> dict[str, FileFacts]:
        """Key -> facts of those that are there and can be read."""
        found = {}
        for key, entry in self._read(keys).items():
            facts = unpacked(entry)
            if facts is not None:
                found[key] = facts
        return found

    def known(self, keys: Iterable[str]) -> set[str]:
        """Which of the keys have an entry that is whole."""
        return {key for key, entry in self._read(keys).items() if _is_whole(entry)}

    def put_many(self, entries: Mapping[str, FileFacts]) -> None:
        """Store these. What cannot be stored is let go."""
        self.put_packed({key: packed(facts) for key, facts in entries.items()})

    def put_packed(self, entries: Mapping[str, bytes]) -> None:
        """The same of facts that are `packed` already."""
        store = self._open()
        if store is None or not entries:
            return
        rows = list(entries.items())
        try:
            for start in range(0, len(rows), _BATCH):
                with store.transact(retry=False):
                    for key, value in rows[start : start + _BATCH]:
                        store.set(key, value)
            if store.volume() > self._limit:
                store.cull(retry=False)
        except _FAILURES as error:
            self._give_up(error)

    def _read(self, keys: Iterable[str]) -> dict[str, bytes]:
        store = self._open()
        found: dict[str, bytes] = {}
        if store is None:
            return found
        try:
            for key in keys:
                try:
                    value = store.get(key)
                except ValueError:  # in a form that is not ours
                    continue
                if value is not None:
                    found[key] = value
        except _FAILURES as error:
            self._give_up(error)
        return found

    def _open(self) -> Any:
        if self._opened is None and self.failed is None:
            try:
                self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._make_private()
                try:
                    self._opened = self._store()
                except sqlite3.DatabaseError as error:
                    if isinstance(error, sqlite3.OperationalError):
                        raise  # busy, read-only, no space: nothing that a new one would heal
                    self._remove_database()
                    self._opened = self._store()
            except (*_FAILURES, ValueError) as error:
                self._give_up(error)
        return self._opened

    def _store(self) -> Any:
        return diskcache.Cache(
            str(self.directory),
            timeout=_TIMEOUT,
            disk=_BytesDisk,
            disk_min_file_size=_IN_DATABASE,
            eviction_policy="least-recently-stored",
            size_limit=self._limit,
            cull_limit=0,  # not at every single entry: once after each batch
            statistics=0,
            tag_index=0,
        )

    def _make_private(self) -> None:
        about = self.directory.stat()
        if about.st_uid != os.getuid():
            raise PermissionError(13, "it belongs to another user")
        if about.st_mode & 0o077:
            self.directory.chmod(0o700)

    def _remove_database(self) -> None:
        for name in ("cache.db", "cache.db-wal", "cache.db-shm", "cache.db-journal"):
            (self.directory / name).unlink(missing_ok=True)

    def _give_up(self, error: BaseException) -> None:
        """Go on without the cache. A damaged database is removed, for the next one to start anew."""
        self.close()
        self.failed = f"The facts cache in {self.directory} cannot be used: {error or type(error).__name__}"
        if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError):
            with suppress(OSError):
                self._remove_database()


def packed(facts: FileFacts) -> bytes:
    """The bytes of an entry: a checksum, then MessagePack. (Not compressed: it would take a tenth of the time that
    parsing takes, to save some disk.)"""
    content = _ENCODER.encode(facts)
    return zlib.crc32(content).to_bytes(_CHECKSUM, "little") + content


def unpacked(entry: bytes) -> FileFacts | None:
    """The facts in an entry's bytes; None when they are not whole."""
    if not _is_whole(entry):
        return None
    try:
        return _DECODER.decode(memoryview(entry)[_CHECKSUM:])
    except msgspec.MsgspecError:
        return None


def _is_whole(entry: bytes) -> bool:
    return zlib.crc32(memoryview(entry)[_CHECKSUM:]) == int.from_bytes(entry[:_CHECKSUM], "little")

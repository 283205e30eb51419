"""composer.json: where the classes of a namespace are, and which files hold functions."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

import msgspec


class Composer(msgspec.Struct, frozen=True):
    """What one composer.json says of its package's files. Directories are paths in the tree ("" is its root)."""

    prefixes: tuple[tuple[str, str], ...]
    """(namespace prefix without "\\" at the end, directory) of PSR-4."""
    classmap: tuple[str, ...]
    """Files and directories whose classes lie anywhere in them; those of PSR-0 too, whose files are named otherwise."""
    files: tuple[str, ...]
    """Files that are always loaded: they hold functions."""


NOTHING = Composer((), (), ())


def read_composer(directory: str, source: bytes) -> Composer:
    """One composer.json, that lies in `directory`. Never raises: what isn't understood says nothing."""
    try:
        read = msgspec.json.decode(source.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return NOTHING
    if not isinstance(read, dict):
        return NOTHING
    prefixes: list[tuple[str, str]] = []
    classmap: list[str] = []
    files: list[str] = []
    for section in ("autoload", "autoload-dev"):
        loaded = read.get(section)
        if not isinstance(loaded, dict):
            continue
        for prefix, where in _items(loaded.get("psr-4")):
            prefixes += [(prefix.strip("\\"), _inside(directory, each)) for each in where]
        for _, where in _items(loaded.get("psr-0")):
            classmap += [_inside(directory, each) for each in where]
        classmap += [_inside(directory, each) for each in _texts(loaded.get("classmap"))]
        files += [_inside(directory, each) for each in _texts(loaded.get("files"))]
    return Composer(tuple(prefixes), tuple(classmap), tuple(files))


def _items(table: object) -> Iterator[tuple[str, list[str]]]:
    if isinstance(table, dict):
        for key, where in table.items():
            if isinstance(key, str):
                yield key, _texts(where)


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _inside(directory: str, path: str) -> str:
    """A path written in a composer.json, from the tree's root; one that leads out of the tree names nothing there."""
    joined = posixpath.normpath(posixpath.join(directory, path.replace("\0", "")))
    return "" if joined == "." else joined

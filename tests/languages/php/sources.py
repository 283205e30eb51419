"""PHP sources with marks in them: `@@` stands before the name that a test asks about."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Mapping

from graph.languages.base import Syntax
from graph.languages.php import PHP
from tests.languages.python.marked import text

__all__ = ["Tree", "index", "marked", "read", "text"]

MARK = b"@@"


def read(source: bytes) -> Syntax:
    """The bytes, parsed, with their facts."""
    tree = PHP.parse(source)
    return Syntax(source, tree, PHP.extract(source, tree))


def marked(code: str) -> tuple[Syntax, list[int]]:
    """The source (its `<?php` added) without its marks, parsed, and the offsets at which they stood."""
    pieces = ("<?php\n" + textwrap.dedent(code)).encode().split(MARK)
    offsets = []
    at = 0
    for piece in pieces[:-1]:
        at += len(piece)
        offsets.append(at)
    return read(b"".join(pieces)), offsets


def index(syntax: Syntax, qualified: str) -> int:
    """The index of the first definition of that qualified name."""
    return next(i for i, d in enumerate(syntax.facts.definitions) if d.qualified == qualified)


class Tree:
    """A tree of files in memory. `reads` are the paths that were read, in order."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = {path: content.encode() for path, content in files.items()}
        self.reads: list[str] = []

    @property
    def paths(self) -> Mapping[str, str]:
        return dict.fromkeys(self._files, "0" * 40)

    def read(self, path: str) -> bytes:
        self.reads.append(path)
        return self._files.get(path, b"")

    def children(self, directory: str) -> Collection[str]:
        return ()

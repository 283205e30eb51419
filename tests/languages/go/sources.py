"""Go sources with marks in them: `@@` stands before the name that a test asks about."""

from __future__ import annotations

import textwrap

from graph.languages.base import Syntax
from graph.languages.go import GO
from tests.languages.python.marked import text

__all__ = ["index", "marked", "read", "text"]

MARK = b"@@"


def read(source: bytes) -> Syntax:
    """The bytes, parsed, with their facts."""
    tree = GO.parse(source)
    return Syntax(source, tree, GO.extract(source, tree))


def marked(code: str) -> tuple[Syntax, list[int]]:
    """The source without its marks, parsed, and the offsets at which they stood."""
    pieces = textwrap.dedent(code).encode().split(MARK)
    offsets = []
    at = 0
    for piece in pieces[:-1]:
        at += len(piece)
        offsets.append(at)
    return read(b"".join(pieces)), offsets


def index(syntax: Syntax, qualified: str) -> int:
    """The index of the first definition of that qualified name."""
    return next(i for i, d in enumerate(syntax.facts.definitions) if d.qualified == qualified)

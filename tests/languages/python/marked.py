"""Python sources with marks in them: `@@` stands before the name that a test asks about."""

from __future__ import annotations

import textwrap

from graph.languages.base import Syntax
from graph.languages.python import PYTHON

MARK = b"@@"


def read(source: bytes) -> Syntax:
    """The bytes, parsed, with their facts."""
    tree = PYTHON.parse(source)
    return Syntax(source, tree, PYTHON.extract(source, tree))


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


def text(value: object) -> str:
    """A lowered expression or type in short, without offsets: `Call(Member(Name(a), b), Name(c))`."""
    if isinstance(value, tuple):
        return ", ".join(text(each) for each in value)
    if isinstance(value, str):
        return value
    name = type(value).__name__.rstrip("_")
    fields = {f: getattr(value, f) for f in getattr(value, "__struct_fields__", ())}
    kept = [
        v for f, v in fields.items() if f not in ("at", "end") and (type(v) is int or v not in ((), "", None, False))
    ]
    if name in ("Name", "TypeName") and len(kept) == 1:
        return str(kept[0])
    return f"{name}({', '.join(text(v) if not isinstance(v, int) else str(v) for v in kept)})"

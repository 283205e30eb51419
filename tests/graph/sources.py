"""Source text as the graph reads it."""

from __future__ import annotations

from textwrap import dedent

from graph.languages import language_of
from graph.languages.base import Syntax


def syntax(path: str, text: str | bytes) -> Syntax:
    """The text, parsed as the file at `path` would be (indented text is moved to the left)."""
    language = language_of(path)
    assert language is not None
    source = dedent(text).encode() if isinstance(text, str) else text
    tree = language.parse(source)
    return Syntax(source, tree, language.extract(source, tree))

"""The PHP grammar, and how bytes are read with it."""

from __future__ import annotations

from functools import partial

import tree_sitter
from tree_sitter_language_pack import get_language

from graph.languages.blanks import blanked
from graph.languages.queries import compiled

LANGUAGE = get_language("php")
query = partial(compiled, LANGUAGE)
"""A query of this grammar, by its text."""


def parse(source: bytes) -> tree_sitter.Tree:
    """The syntax tree of `source`; offsets are those of `source` itself. A BOM, lone CRs and NULs are blanks."""
    return tree_sitter.Parser(LANGUAGE).parse(blanked(source))


def decoded(name: bytes) -> str:
    """Names are compared as text; bytes that aren't UTF-8 are replaced."""
    return name.decode("utf-8", "replace")

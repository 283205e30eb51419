"""The Go grammar, and how bytes are read with it."""

from __future__ import annotations

from functools import cache

import tree_sitter
from tree_sitter_language_pack import get_language

from graph.languages.blanks import blanked

LANGUAGE = get_language("go")


def parse(source: bytes) -> tree_sitter.Tree:
    """The syntax tree of `source`; offsets are those of `source` itself. A BOM, lone CRs and NULs are blanks."""
    return tree_sitter.Parser(LANGUAGE).parse(blanked(source))


@cache
def query(text: str) -> tree_sitter.Query:
    """A query, compiled when first asked for: facts that are in the cache need none."""
    return tree_sitter.Query(LANGUAGE, text)


def decoded(name: bytes) -> str:
    """Names are compared as text; bytes that aren't UTF-8 are replaced."""
    return name.decode("utf-8", "replace")

"""Queries of the grammars, each compiled once and not before it is asked for."""

from __future__ import annotations

from functools import cache

import tree_sitter


@cache
def compiled(language: tree_sitter.Language, text: str) -> tree_sitter.Query:
    """A query of a grammar. To compile one takes as long as to parse some files, and most are needed by few."""
    return tree_sitter.Query(language, text)

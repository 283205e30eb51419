"""Where words stand, as the rest of the code graph asks for it."""

from __future__ import annotations

from graph.languages.base import Language, Syntax


def places(language: Language, syntax: Syntax, word: str) -> tuple[int, ...]:
    """Where a word of the file's names stands."""
    assert word in syntax.facts.names
    return language.places(syntax.source, word, lambda: syntax)


def all_places(language: Language, syntax: Syntax, most: int = 2000) -> list[int]:
    """Where all (or that many) of the file's names stand, in order."""
    words = sorted(syntax.facts.names)[:most]
    return sorted(at for word in words for at in places(language, syntax, word))

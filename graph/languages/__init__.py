"""The registry of languages. Adding one touches its own folder and one line here."""

from __future__ import annotations

from functools import cache

from graph.languages.base import Language


@cache
def languages() -> dict[str, Language]:
    """File extension (with its dot) -> language. Imported on first use: grammars cost start-up time."""
    from graph.languages.go import GO
    from graph.languages.python import PYTHON
    from graph.languages.typescript import JAVASCRIPT, TSX, TYPESCRIPT

    known: tuple[Language, ...] = (PYTHON, TYPESCRIPT, TSX, JAVASCRIPT, GO)
    return {extension: language for language in known for extension in language.extensions}


def language_of(path: str) -> Language | None:
    """The language that reads the file at `path`, by its extension; None when none does."""
    name = path[path.rfind("/") + 1 :]
    dot = name.rfind(".")
    return languages().get(name[dot:]) if dot > 0 else None

"""The registry of languages. Adding one touches its own folder and one line here."""

from __future__ import annotations

from functools import cache
from pathlib import PurePosixPath

from graph.languages.base import Language


@cache
def languages() -> dict[str, Language]:
    """File extension (with its dot) -> language. Imported on first use: grammars cost start-up time."""
    from graph.languages.python import PYTHON
    from graph.languages.typescript import JAVASCRIPT, TSX, TYPESCRIPT

    return {
        extension: language for language in (PYTHON, TYPESCRIPT, TSX, JAVASCRIPT) for extension in language.extensions
    }


def language_of(path: str) -> Language | None:
    """The language that reads the file at `path`, by its extension; None when none does."""
    return languages().get(PurePosixPath(path).suffix)

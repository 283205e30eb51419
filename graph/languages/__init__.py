"""The registry of languages. Adding one touches its own folder and its lines here.

A language is imported when the first of its files is read: grammars and queries cost start-up time.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

from graph.languages.base import Language

_KNOWN: dict[str, tuple[str, str]] = {
    ".py": ("python", "PYTHON"),
    ".pyi": ("python", "PYTHON"),
    ".ts": ("typescript", "TYPESCRIPT"),
    ".mts": ("typescript", "TYPESCRIPT"),
    ".cts": ("typescript", "TYPESCRIPT"),
    ".tsx": ("typescript", "TSX"),
    ".js": ("typescript", "JAVASCRIPT"),
    ".jsx": ("typescript", "JAVASCRIPT"),
    ".mjs": ("typescript", "JAVASCRIPT"),
    ".cjs": ("typescript", "JAVASCRIPT"),
    ".vue": ("typescript", "VUE"),
    ".svelte": ("typescript", "SVELTE"),
    ".go": ("go", "GO"),
    ".php": ("php", "PHP"),
}
"""File extension -> the package below this one (a family: its files can use each other's names), the language in it."""

_NAMED: dict[str, str] = {
    "python": ".py",
    "typescript": ".ts",
    "javascript": ".js",
    "vue": ".vue",
    "svelte": ".svelte",
    "go": ".go",
    "php": ".php",
}

NAMES: frozenset[str] = frozenset(_NAMED)
"""The languages' names, as in the JSON."""


@cache
def _load(family: str, attribute: str) -> Language:
    language: Language = getattr(import_module(f"graph.languages.{family}"), attribute)
    return language


def _extension(path: str) -> str:
    name = path[path.rfind("/") + 1 :]
    dot = name.rfind(".")
    return name[dot:] if dot > 0 else ""


def language_of(path: str) -> Language | None:
    """The language that reads the file at `path`, by its extension; None when none does."""
    known = _KNOWN.get(_extension(path))
    return None if known is None else _load(*known)


def language_named(name: str) -> Language:
    """The language of that name, one of `NAMES`. Raises KeyError for another."""
    return _load(*_KNOWN[_NAMED[name]])


def family_of(path: str) -> str | None:
    """The family of languages that the file at `path` belongs to, by its extension; None when none reads it."""
    known = _KNOWN.get(_extension(path))
    return None if known is None else known[0]


def extensions_of(family: str) -> tuple[str, ...]:
    """The file extensions of a family of languages, with their dots."""
    return tuple(sorted(extension for extension, known in _KNOWN.items() if known[0] == family))


def languages() -> dict[str, Language]:
    """File extension -> language, of all languages. Imports them all."""
    return {extension: _load(*known) for extension, known in _KNOWN.items()}

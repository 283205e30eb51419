"""What a moved file leaves behind besides the imports of its old path: its own relative imports, which no longer find
anything from its new place, and strings that name the module by dots (settings, patches in tests)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from graph.briefing import Importer
from graph.diff import DiffLines, FileChange
from graph.git import encode
from graph.languages import language_of
from graph.types import ModuleObject
from graph.world import World

MAX_FILES = 300
"""Files that hold a moved module's name, past which strings are not looked through."""


def own_imports(change: FileChange, before: World, after: World, lines: DiffLines) -> Iterator[Importer]:
    """Imports in a moved file, on lines that nobody edited, that found something from its old place only."""
    old_path, path = change.old_path, change.path
    if old_path is None or path is None or old_path == path:
        return
    for imported in after.program.facts(path).imports:
        if lines.touched(path, imported.line) or not before.inference.names.finds(old_path, imported):
            continue
        found = before.inference.imported(old_path, imported) if imported.name is not None else ()
        by_name = any(isinstance(each, ModuleObject) for each in found)
        if not after.inference.names.finds(path, imported, submodule=by_name):
            yield Importer(path=path, line=imported.line, module=imported.module, sure=True)


def strings(change: FileChange, before: World, after: World, lines: DiffLines) -> Iterator[Importer]:
    """Strings outside the diff that are the dotted path of a moved or deleted module, or of something in a moved one
    (what was in a deleted one tells of itself)."""
    old_path = change.old_path
    language = language_of(old_path) if old_path is not None else None
    if old_path is None or language is None or not language.dotted_strings:
        return
    candidates = before.candidates(old_path)
    for word in candidates.importer_words(old_path):
        files: Sequence[str] = candidates.texts(word)
        if len(files) > MAX_FILES:
            continue
        if change.path is None:
            files = candidates.ending_a_string(word)
            if not files:
                continue
        rest = rb"(?:\.[A-Za-z_]\w*)*" if change.path is not None else b""
        dotted = re.compile(rb"[\"']((?:[A-Za-z_]\w*\.)+" + re.escape(encode(word)) + rest + rb")[\"']")
        for path in files:
            source = before.snapshot.read(path)
            for string in dotted.finditer(source) if b"." + encode(word) in source else ():
                now = lines.moved_on(path, source.count(b"\n", 0, string.start(1)) + 1)
                text = string.group(1).decode("ascii", "replace")
                if now is None or _names_a_logger(source, string.start(), string.end()):
                    continue
                if not _is_string(before, path, string.start(1)):
                    continue
                if _means(before, path, text, word) == old_path and _means(after, now[0], text, word) is None:
                    yield Importer(path=now[0], line=now[1], module=text, sure=False)


def _means(world: World, path: str, dotted: str, word: str) -> str | None:
    """The file of the module that a dotted path names or goes through, the shortest one that ends in the word."""
    parts = dotted.split(".")
    for length in range(2, len(parts) + 1):
        if parts[length - 1] == word:
            found = world.inference.names.resolve(path, ".".join(parts[:length]))
            if found.paths or found.package is not None:
                return found.paths[0] if found.paths else found.package
    return None


def _names_a_logger(source: bytes, start: int, end: int) -> bool:
    """Whether the string is what a log or a table is called by (`getLogger("a.b")`, `{"a.b": ...}`): nothing imports
    that."""
    return source[:start].rstrip().endswith((b"getLogger(", b"get_logger(")) or source[end:].lstrip()[:1] == b":"


def _is_string(world: World, path: str, at: int) -> bool:
    """Whether the place is inside a string of the file's code, not in a comment or a longer text."""
    syntax = world.program.syntax(path)
    node = syntax.tree.root_node.descendant_for_byte_range(at, at + 1) if syntax is not None else None
    return node is not None and "string" in node.type and b"\n" not in (node.text or b"")

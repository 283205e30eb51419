"""A Python file's import statements by its text alone: to tell who imports a module, few files need be parsed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graph.facts import Import
from graph.languages.blanks import blanked
from graph.languages.python.imports import plain_imports
from graph.languages.python.words import SILENT

# Both begin with what is found without a look at every byte, which `^` and `(?:from|import)` are not.
_STATEMENT = re.compile(rb"\n[ \t\f]*+(?=from\b|import\b)")
_BEGINNINGS = (re.compile(rb"from\b"), re.compile(rb"import\b"))
_WITHIN_A_LINE = (b";", b":")
_IN_BRACKETS = re.compile(rb"\((?:[^()#]|#[^\n]*)*+\)")
_COMMENT = re.compile(rb"#[^\r\n]*")
_LONGEST = 10_000  # bytes of a statement in parentheses that are read
_FUTURE = b"from __future__ "
_MOST_SOUGHT = 200_000_000
_STAR = re.compile(r"from\s+([.\w]+)\s+import\s*(\*)\s*", re.ASCII)


def imports_by_text(source: bytes) -> tuple[Import, ...] | None:
    """The same imports as the file's facts have, all as if they were at module level and no matter of types. None where
    only its syntax tells."""
    source = blanked(source)
    triple = source.count(b'"""') + source.count(b"'''")  # each may be one without an end
    if triple * len(source) > _MOST_SOUGHT:
        return None
    if b"import_module" in source or b"__import__" in source or _begins_within_a_line(source):
        return None
    found: list[Import] = []
    line, counted = 1, 0
    for start, text in _statements(source):
        line += source.count(b"\n", counted, start)
        counted = start
        inside = plain_imports(text)
        if inside is None:
            star = _STAR.fullmatch(text.decode("ascii")) if text.isascii() else None
            if star is None:
                return None
            found.append(Import(star[1], None, None, start + star.start(2), line, "star"))
        else:
            for each in inside if not text.startswith(_FUTURE) else ():
                at = start + each.at
                found.append(Import(each.module, each.name, each.local, at, line + each.line))
    return tuple(found)


def _begins_within_a_line(source: bytes) -> bool:
    """Whether an import statement may begin after another statement."""
    for beginning in _BEGINNINGS:
        for found in beginning.finditer(source):
            before = found.start()
            while source.startswith((b" ", b"\t"), before - 1) and before > 0:
                before -= 1
            if source.endswith(_WITHIN_A_LINE, 0, before):
                return True
    return False


def _statements(source: bytes) -> Iterator[tuple[int, bytes]]:
    """Where import statements stand, and their texts with blanks for comments; but for those in strings."""
    silent = SILENT.finditer(source)
    first = last = -1
    for found in _STATEMENT.finditer(b"\n" + source):
        start = found.end() - 1
        while last <= start:
            span = next(silent, None)
            first, last = span.span() if span is not None else (len(source), len(source) + 1)
        if first <= start:
            continue
        line = source.find(b"\n", start)
        end = len(source) if line < 0 else line
        if source.find(b"(", start, end) >= 0:
            closed = _IN_BRACKETS.match(source, source.find(b"(", start, end))
            after = min(closed.end(), start + _LONGEST) if closed is not None else end
            yield start, _without_comments(source[start:after])
        else:
            yield start, _without_comments(source[start:end]).rstrip()


def _without_comments(text: bytes) -> bytes:
    return _COMMENT.sub(lambda comment: b" " * len(comment[0]), text) if b"#" in text else text

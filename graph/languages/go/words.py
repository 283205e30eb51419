"""The words of a Go file: where each identifier stands, and which are bound inside functions. Works on text alone.

Go's lexing is regular, so this is faster than asking the tree for its identifiers.
"""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import accumulate, islice

from graph.languages.go.grammar import decoded

KEYWORDS = frozenset(
    [
        "break",
        "case",
        "chan",
        "const",
        "continue",
        "default",
        "defer",
        "else",
        "fallthrough",
        "for",
        "func",
        "go",
        "goto",
        "if",
        "import",
        "interface",
        "map",
        "package",
        "range",
        "return",
        "select",
        "struct",
        "switch",
        "type",
        "var",
    ]
)

_SILENT = re.compile(
    rb"//[^\n]*|/\*.*?(?:\*/|\Z)|\"(?:[^\"\\\n]|\\.)*\"|`[^`]*`|'(?:[^'\\\n]|\\[^\n]){1,12}'", re.DOTALL
)
"""Comments, strings and runes."""
_WORD = re.compile(r"\b([A-Za-z_]\w*)", re.ASCII)
_WIDE_WORD = re.compile(rb"(?<![\w\x80-\xff])[A-Za-z_\x80-\xff][\w\x80-\xff]*")
_WORDS = re.compile(rb"[\w\x80-\xff]+")
_KEYWORD_DECLARED = re.compile(rb"\b(?:var|const|type)[ \t]+([\w\x80-\xff]+(?:\s*,\s*[\w\x80-\xff]+)*)")
_GROUP = re.compile(rb"^[ \t]+(?:var|const|type)[ \t]*\(", re.MULTILINE)
_ROUND = re.compile(rb"[()]")
_LINE_NAMES = re.compile(rb"^\s*([\w\x80-\xff]+(?:\s*,\s*[\w\x80-\xff]+)*)", re.MULTILINE)
_FUNC = re.compile(rb"\bfunc\b[ \t]*(?=[(\w\x80-\xff])")
_NAME_AHEAD = re.compile(rb"[ \t]*[\w\x80-\xff]*[ \t]*")
_BRACKET = re.compile(rb"[()\[\]{},]")
_LONGEST_LIST = 20_000  # bytes of a parameter list that are read piece by piece
_MOST_READ = 4  # times that all parameter lists together may be as long as the file
_FIRST_WORD = re.compile(rb"\s*([A-Za-z_\x80-\xff][\w\x80-\xff]*)")


def code_of(source: bytes) -> bytes:
    """The source with NULs for comments, strings and runes; line ends in them are gone too."""
    return _SILENT.sub(lambda found: bytes(len(found.group())), source)


def names_of(code: bytes) -> dict[str, tuple[int, ...]]:
    """Every identifier with its offsets."""
    table: defaultdict[str, list[int]] = defaultdict(list)
    if code.isascii():
        parts = _WORD.split(code.decode("ascii"))  # between, word, between, word, ...
        starts = islice(accumulate(map(len, parts)), 0, None, 2)
        for name, start in zip(islice(parts, 1, None, 2), starts, strict=False):
            table[name].append(start)
    else:
        for found in _WIDE_WORD.finditer(code):
            table[decoded(found.group())].append(found.start())
    for word in KEYWORDS:
        table.pop(word, None)
    table.pop("_", None)
    return dict(zip(table, map(tuple, table.values()), strict=True))


def local_names_of(code: bytes) -> set[str]:
    """Names that may be bound inside some function. A word too many costs time, one too few would be wrong."""
    found: set[bytes] = set()
    for before in code.split(b":=")[:-1]:
        found.update(_WORDS.findall(before, _statement(before)))
    for match in _KEYWORD_DECLARED.finditer(code):
        found.update(_split(match.group(1)))
    for group in _GROUP.finditer(code):
        for match in _LINE_NAMES.finditer(code, group.end(), _closed(code, group.end())):
            found.update(_split(match.group(1)))
    read = 0
    for match in _FUNC.finditer(code):
        read += _parameters(code, match.end(), found) - match.end()
        if read > _MOST_READ * len(code) + 100_000:  # lists in lists in lists: take every word
            found.update(_WORDS.findall(code))
            break
    return {decoded(name) for name in found if name != b"_"}


def _statement(before: bytes) -> int:
    """Where the statement begins whose left side ends the text: at the line's start, or above when that ends in ","."""
    start = len(before)
    while True:
        start = before.rfind(b"\n", 0, start)
        if start < 0 or not before[max(0, start - 80) : start].rstrip(b" \t\r\0").endswith(b","):
            return start + 1


def _closed(code: bytes, at: int) -> int:
    """Where the bracket closes that was opened before `at`; the end where it isn't."""
    depth = 1
    for sign in _ROUND.finditer(code, at):
        depth += 1 if sign.group() == b"(" else -1
        if depth == 0:
            return sign.start()
    return len(code)


def _split(names: bytes) -> list[bytes]:
    return [name.strip() for name in names.split(b",")] if b"," in names else [names]


def _parameters(code: bytes, at: int, found: set[bytes]) -> int:
    """Take in the names declared in the lists that follow `func`; how far they reach."""
    for _ in range(4):
        ahead = _NAME_AHEAD.match(code, at)
        if ahead is not None:
            at = ahead.end()
        if code[at : at + 1] not in (b"(", b"["):
            break
        at = _listed(code, at, found)
    return at


def _listed(code: bytes, at: int, found: set[bytes]) -> int:
    """Takes in the first words of a bracketed list's entries; the offset after it, or where reading ended."""
    depth = 0
    start = at + 1
    end = min(len(code), at + _LONGEST_LIST)
    for sign in _BRACKET.finditer(code, at, end):
        character = sign.group()
        if character in b"([{":
            depth += 1
            continue
        if character == b"," and depth != 1:
            continue
        if character != b",":
            depth -= 1
            if depth > 0:
                continue
        word = _FIRST_WORD.match(code, start, sign.start())
        if word is not None:
            found.add(word.group(1))
        start = sign.end()
        if depth <= 0:
            return sign.end()
    found.update(_WORDS.findall(code, at, end))
    return end

"""The words of a Go file: where each identifier stands, and which are bound inside functions. Works on text alone.

Go's lexing is regular, so this is faster than asking the tree for its identifiers.
"""

from __future__ import annotations

import re
from functools import lru_cache

from graph.git import encode
from graph.languages.blanks import only
from graph.languages.go.grammar import decoded
from graph.languages.reading import SyntaxReading, paths, whole_words

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
_NO_CODE = frozenset(
    [
        "comment",
        "interpreted_string_literal",
        "interpreted_string_literal_content",
        "raw_string_literal",
        "raw_string_literal_content",
        "rune_literal",
        "escape_sequence",
    ]
)
_NO_NAMES = KEYWORDS | {"_"}
_ONLY_WORDS = only(b"_")
_WIDE_WORD = re.compile(rb"(?<![\w\x80-\xff])[A-Za-z_\x80-\xff][\w\x80-\xff]*")
_WORDS = re.compile(rb"[\w\x80-\xff]+")
_NAMES = rb"[\w\x80-\xff]+(?:\s*,\s*[\w\x80-\xff]+)*"
_KEYWORD_DECLARED = tuple(
    re.compile(word + rb"(?<!\w" + word + rb")[ \t]*(?:(\()|(?<=[ \t])(" + _NAMES + rb"))")
    for word in (b"var", b"const", b"type")
)
_ROUND = re.compile(rb"[()]")
_LINE_NAMES = re.compile(rb"^\s*([\w\x80-\xff]+(?:\s*,\s*[\w\x80-\xff]+)*)", re.MULTILINE)
_FUNC = re.compile(rb"func(?<!\wfunc)\b[ \t]*(?=[(\w\x80-\xff])")  # what is looked for first makes it fast
_NAME_AHEAD = re.compile(rb"[ \t]*[\w\x80-\xff]*[ \t]*")
_BRACKET = re.compile(rb"[()\[\]{},]")
_LONGEST_LIST = 20_000  # bytes of a parameter list that are read piece by piece
_MOST_READ = 4  # times that all parameter lists together may be as long as the file
_FIRST_WORD = re.compile(rb"\s*([A-Za-z_\x80-\xff][\w\x80-\xff]*)")


def code_of(source: bytes) -> bytes:
    """The source with NULs for comments, strings and runes; line ends in them are gone too."""
    return _SILENT.sub(lambda found: bytes(len(found.group())), source)


def only_code_of(source: bytes) -> bytes:
    """The same, shorter: a NUL for each comment, string and rune."""
    return b"\0".join(_SILENT.split(source))


def names_of(code: bytes) -> frozenset[str]:
    """Every identifier."""
    if code.isascii():
        names = set(filter(str.isidentifier, set(code.translate(_ONLY_WORDS).decode("ascii").split())))
    else:
        names = {decoded(word) for word in _WIDE_WORD.findall(code)}
    return frozenset(names - _NO_NAMES)


def places_of(reading: SyntaxReading, word: str) -> tuple[int, ...]:
    """Where an identifier stands. In a file that could not be read whole the text tells, elsewhere the tree."""
    if word in _NO_NAMES:
        return ()
    source = reading.source
    if reading.root.has_error:
        code = reading.cache.get("code")
        if code is None:
            code = reading.cache["code"] = code_of(source)
        return tuple(at for at, _ in whole_words(code, word, wide=True))
    found = []
    for at, _, path in paths(reading.root, whole_words(source, word, wide=True)):
        if path[-1].type not in _NO_CODE:
            reading.remember(at, path)
            found.append(at)
    return tuple(found)


def local_names_of(code: bytes) -> set[str]:
    """Names that may be bound inside some function. A word too many costs time, one too few would be wrong."""
    found: set[bytes] = set()
    for before in code.split(b":=")[:-1]:
        found.update(_WORDS.findall(before, _statement(before)))
    for pattern in _KEYWORD_DECLARED:
        for declared in pattern.finditer(code):
            if declared.group(1) is None:
                found.update(_split(declared.group(2)))
            elif _is_indented(code, declared.start()):
                for match in _LINE_NAMES.finditer(code, declared.end(), _closed(code, declared.end())):
                    found.update(_split(match.group(1)))
    read = 0
    for match in _FUNC.finditer(code):
        read += _parameters(code, match.end(), found) - match.end()
        if read > _MOST_READ * len(code) + 100_000:  # lists in lists in lists: take every word
            found.update(_WORDS.findall(code))
            break
    return {decoded(name) for name in found if name != b"_"}


def _is_indented(code: bytes, at: int) -> bool:
    """Whether only blanks stand before an offset in its line, and at least one."""
    before = code[code.rfind(b"\n", 0, at) + 1 : at]
    return bool(before) and not before.strip(b" \t")


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


_SAID = re.compile(
    rb"^[ \t]*+(?:var[ \t]++)?_[ \t]++(?:\w++\.)?(\w++)[ \t]*+=[ \t]*+[&*(]*+(?:new\()?(?:\w++\.)?(\w++)", re.MULTILINE
)
"""A blank variable of an interface's type, and the type of what it is given."""


@lru_cache(maxsize=256)
def _said(source: bytes) -> dict[tuple[bytes, bytes], list[tuple[int, int]]]:
    found: dict[tuple[bytes, bytes], list[tuple[int, int]]] = {}
    for each in _SAID.finditer(source):
        found.setdefault((each[1], each[2]), []).append((each.start(1), each.start(2)))
    return found


def said_to_implement(source: bytes, name: str, interface: str) -> list[tuple[int, int]]:
    """Where a type is given to a blank variable of the interface's type (`var _ Store = (*Mem)(nil)`)."""
    return _said(source).get((encode(interface), encode(name)), [])

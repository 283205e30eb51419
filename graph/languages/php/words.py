"""The words of a PHP file: where each identifier stands. Works on text alone, which is faster than asking the tree.

A property that is read or assigned (`$a->name`) is the word "$name": it is no method of that name. Variables are no
words: nothing outside of their function names them. Of a qualified name only the last part is a word. A string counts
where it is likely a callable (`[$this, 'name']`, `'Type::name'`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import accumulate, islice

from graph.languages.php.grammar import decoded

KEYWORDS = ("public", "private", "protected", "function", "return", "namespace", "if", "foreach", "true", "false", "null")
"""Words of the language that are so frequent, and names of methods so seldom, that they are left out."""

_SILENT = re.compile(
    rb"(?=[?/#'\"<])(?:"
    rb"\?>.*?(?:<\?(?:php\b|=)|\Z)"
    rb"|/\*.*?(?:\*/|\Z)"
    rb"|(?://|\#(?!\[))[^\n?]*(?:\?(?!>)[^\n?]*)*"
    rb"|'(?:[^'\\]|\\.)*'"
    rb"|\"(?:[^\"\\]|\\.)*\""
    rb"|<<<[ \t]*(['\"]?)(\w+)\1\r?\n(?:.*?\n)??[ \t]*\2\b"
    rb")",
    re.DOTALL | re.IGNORECASE,
)
"""Comments, strings, and what stands outside of PHP's tags."""
_WORD = re.compile(r"(?<![\w$])([A-Za-z_]\w*+)(?!\\)", re.ASCII)
_WIDE_WORD = re.compile(rb"(?<![\w$\x80-\xff])[A-Za-z_\x80-\xff][\w\x80-\xff]*+(?!\\)")
_PROPERTY = re.compile(rb"->(\s*)([A-Za-z_\x80-\xff][\w\x80-\xff]*+)(?!\s*\()")
_CALLABLE = re.compile(rb"['\"]\\?(?:\w+\\{1,2})*+(?:(\w+)::)?(\w+)['\"]")
_TEMPLATE = re.compile(rb"@(?:psalm-|phpstan-)?template(?:-covariant|-contravariant)?[ \t]+(\w+)")
_MAGIC_METHOD = re.compile(rb"@(?:psalm-|phpstan-)?method\b[^\n(]*?(\w+)[ \t]*\(")
_BLANK = b" \t\r\n"


def code_of(source: bytes) -> bytes:
    """The source with NULs for what is no code. Strings stay where they hold code, or may be a callable."""
    start = source.find(b"<?")
    if start < 0:
        return bytes(len(source))
    code = _SILENT.sub(_silenced, source[start:]) if start == 0 else bytes(start) + _SILENT.sub(_silenced, source[start:])
    return code if len(code) == len(source) else bytes(len(source))


def _silenced(found: re.Match[bytes]) -> bytes:
    text = found.group()
    first = text[:1]
    if first == b"'" or first == b'"':
        if first == b'"' and (b"->" in text or b"::" in text) and b"$" in text:
            return text
        named = _CALLABLE.fullmatch(text)
        if named is not None and (named.group(1) is not None or _ends_list(found)):
            if named.group(1) is None:
                return b" " + text[1:-1] + b" " if b"\\" not in text else bytes(len(text))
            return bytes(named.start(1)) + text[named.start(1) : -1].replace(b"::", b"\0\0") + b"\0"
    elif first == b"<" and not found.group(1) == b"'" and b"$" in text and (b"->" in text or b"::" in text):
        return text
    return bytes(len(text))


def _ends_list(found: re.Match[bytes]) -> bool:
    """Whether a string is the last of several things in brackets: `[Foo::class, 'bar']`."""
    source = found.string
    end = found.end()
    while source[end : end + 1] in (b" ", b"\n", b"\t", b"\r", b","):
        end += 1
    if source[end : end + 1] not in (b"]", b")"):
        return False
    start = found.start()
    while start and source[start - 1 : start] in (b" ", b"\n", b"\t", b"\r"):
        start -= 1
    return source[start - 1 : start] == b","


def names_of(source: bytes, code: bytes) -> dict[str, tuple[int, ...]]:
    """Every identifier with its offsets."""
    table: defaultdict[str, list[int]] = defaultdict(list)
    properties: defaultdict[str, list[int]] = defaultdict(list)
    if b"->" in code:
        for found in _PROPERTY.finditer(code):
            properties["$" + decoded(found.group(2))].append(found.start(2))
        code = _PROPERTY.sub(rb"-\1$\2", code)
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
    for name in properties:
        table.setdefault(name[1:], [])
    table.update(properties)
    if b"@method" in source or b"-method" in source:
        for declared in _MAGIC_METHOD.finditer(source):
            table.setdefault(decoded(declared.group(1)), [])
    return dict(zip(table, map(tuple, table.values()), strict=True))


def local_names_of(source: bytes) -> frozenset[str]:
    """Names that do not mean the same everywhere in a file: the class's names for itself, and type parameters."""
    found = {"self", "static", "parent"}
    if b"template" in source:
        found.update(decoded(name) for name in _TEMPLATE.findall(source))
    return frozenset(found)


def yielding(source: bytes, word: str) -> set[str]:
    """Names of the properties and functions that the text declares to hold or give back the class of that name."""
    name = re.escape(word.encode("utf-8", "surrogateescape"))
    found: set[bytes] = set()
    for pattern in _YIELDING:
        found.update(re.findall(pattern.replace(b"NAME", name), source, re.IGNORECASE))
    return {decoded(each) for each in found}


_YIELDING = (
    rb"(?:public|protected|private|readonly|static|var)[ \t]+[^\n;(){}$=]*?\bNAME\b[^\n;(){}$=]*\$(\w+)",
    rb"@var[^\n]*?\bNAME\b[^;(){}]*?\*/[^;(){}$]*\$(\w+)",
    rb"@(?:psalm-|phpstan-)?return[^\n]*?\bNAME\b(?:(?!\*/)[\s\S]){0,600}?\*/[^;{}()$]*function\s+&?(\w+)",
    rb"@property[^\n]*?\bNAME\b[^\n$]*\$(\w+)",
    rb"@method[^\n]*?\bNAME\b[^\n(]*?(\w+)[ \t]*\(",
    rb"->(\w+)[ \t]*=[ \t]*new[ \t]+[\w\\]*\bNAME\b",
    rb"function\s+&?(\w+)\s*\([^{};]*?\)\s*:[^{};]*?\bNAME\b",
)
"""What yields the class NAME: typed and documented properties, documented and declared results, what is made."""

"""The words of a PHP file: where each identifier stands. Works on text alone, which is faster than asking the tree.

A property that is read or assigned (`$a->name`, `A::$name`) is the word "$name": it is no method of that name.
Variables are no words: nothing outside of their function names them. Of a qualified name only the last part is a word.
A string counts where it is likely a callable (`[$this, 'name']`, `'Type::name'`).
"""

from __future__ import annotations

import re
from functools import lru_cache

from graph.facts import Definition
from graph.languages.blanks import only
from graph.languages.php.grammar import decoded
from graph.languages.reading import whole_words

KEYWORDS = frozenset(
    [
        "public",
        "private",
        "protected",
        "function",
        "return",
        "namespace",
        "if",
        "foreach",
        "true",
        "false",
        "null",
    ]
)
"""Words of the language that are so frequent, and names of methods so seldom, that they are left out."""

_SILENT = re.compile(
    rb"(\?>.*?(?:<\?(?:[pP][hH][pP]\b|=)|\Z)"
    rb"|/\*.*?(?:\*/|\Z)"
    rb"|//[^\n?]*(?:\?(?!>)[^\n?]*)*"
    rb"|\#(?!\[)[^\n?]*(?:\?(?!>)[^\n?]*)*"
    rb"|'[^'\\]*(?:\\.[^'\\]*)*'"
    rb"|\"[^\"\\]*(?:\\.[^\"\\]*)*\""
    rb"|<<<[ \t]*(['\"]?)(\w+)\2\r?\n(?:.*?\n)??[ \t]*\3\b)",
    re.DOTALL,
)
"""Comments, strings, and what stands outside of PHP's tags; with a here document's quote and label."""
_STRIDE = 4
_QUOTE, _DOUBLE, _ANGLE = _TEXTS = (0x27, 0x22, 0x3C)
_BEFORE_LAST = (b",", b" ", b"\n", b"\t", b"\r")
_AFTER_LAST = (b"]", b")", b",", b" ", b"\n", b"\t", b"\r")
_ONLY_TOKENS = only(b"_$\\")
_WORD = re.compile(r"(?<![\w$])[A-Za-z_]\w*+(?!\\)", re.ASCII)
_WIDE_WORD = re.compile(rb"(?<![\w$\x80-\xff])[A-Za-z_\x80-\xff][\w\x80-\xff]*+(?!\\)")
_PROPERTY = re.compile(rb"->\s*([A-Za-z_\x80-\xff][\w\x80-\xff]*+)(?!\s*\()")
_STATIC_PROPERTY = re.compile(rb"::\$([A-Za-z_\x80-\xff][\w\x80-\xff]*+)(?!\s*\()")
_PROPERTIES = ((b"->", _PROPERTY), (b"::$", _STATIC_PROPERTY))
_CALL = re.compile(rb"\s*\(")
_CALLABLE = re.compile(rb"['\"]\\{0,2}(?:\w+\\{1,2})*+(?:(\w+)::)?(\w+)['\"]")
_TEMPLATE = re.compile(rb"@(?:psalm-|phpstan-)?template(?:-covariant|-contravariant)?[ \t]+(\w+)")
_MAGIC_METHOD = re.compile(rb"@(?:psalm-|phpstan-)?method\b[^\n(]*?(\w+)[ \t]*\(")
_TYPES = ("class", "interface", "trait", "enum")


def code_of(source: bytes) -> bytes:
    """The source with NULs for what is no code. Strings stay where they hold code, or may be a callable."""
    start = source.find(b"<?")
    if start < 0:
        return bytes(len(source))
    parts = _SILENT.split(source[start:] if start else source)
    for index in range(1, len(parts), _STRIDE):
        silent = parts[index]
        first = silent[0]
        if first in _TEXTS:
            parts[index] = _kept(silent, first, parts, index)
        else:
            parts[index] = bytes(len(silent))
        parts[index + 1] = parts[index + 2] = b""
    code = bytes(start) + b"".join(parts)
    return code if len(code) == len(source) else bytes(len(source))


def _kept(text: bytes, first: int, parts: list[bytes], index: int) -> bytes:
    """What stays of a string."""
    if first != _QUOTE and b"$" in text and (b"->" in text or b"::" in text):
        return text if first == _DOUBLE or parts[index + 1] != b"'" else bytes(len(text))
    if first == _ANGLE:
        return bytes(len(text))
    if b"::" in text:
        named = _CALLABLE.fullmatch(text)
        if named is not None and named.group(1) is not None:
            return bytes(named.start(1)) + named.group(1) + b"\0\0" + named.group(2) + b"\0"
    elif parts[index - 1][-1:] in _BEFORE_LAST and parts[index + 3][:1] in _AFTER_LAST and _ends_list(parts, index):
        named = _CALLABLE.fullmatch(text)
        if named is not None and b"\\" not in text:
            return b" " + named.group(2) + b" "
    return bytes(len(text))


def _ends_list(parts: list[bytes], index: int) -> bool:
    """Whether a string is the last of several things in brackets: `[Foo::class, 'bar']`."""
    return parts[index - 1].rstrip().endswith(b",") and parts[index + 3].lstrip(b" \t\r\n,")[:1] in (b"]", b")")


def names_of(source: bytes) -> frozenset[str]:
    """Every identifier, and the words that are only read as properties or declared in docblocks."""
    code = code_of(source)
    if code.isascii():
        tokens = set(code.translate(_ONLY_TOKENS).decode("ascii").split())
        names = {token for token in tokens if token.isidentifier()}
        names.update(_WORD.findall(" ".join(tokens - names)))
    else:
        names = set(map(decoded, _WIDE_WORD.findall(code)))
    names -= KEYWORDS
    for sign, pattern in _PROPERTIES:
        if sign in code:
            properties = set(map(decoded, pattern.findall(code)))
            names |= properties
            names.update(["$" + name for name in properties])
    if b"@method" in source or b"-method" in source:
        names.update(map(decoded, _MAGIC_METHOD.findall(source)))
    return frozenset(names)


def places_of(source: bytes, word: str) -> tuple[int, ...]:
    """Where a word stands; one that begins with "$" where it is read or assigned as a property."""
    if word in KEYWORDS:
        return ()
    code = _code_of(source)
    of_property = word.startswith("$")
    return tuple(
        at
        for at, end in whole_words(code, word[1:] if of_property else word, wide=True)
        if of_property == _is_property(code, at, end)
        and (of_property or (code[at - 1 : at] != b"$" and code[end : end + 1] != b"\\"))
    )


def _is_property(code: bytes, at: int, end: int) -> bool:
    """Whether the word that stands there is a property that is read or assigned."""
    sign = b"->"
    if code[at - 1 : at] == b"$":
        at, sign = at - 1, b"::"
    while code[at - 1 : at].isspace():
        at -= 1
    return code[at - 2 : at] == sign and _CALL.match(code, end) is None


_code_of = lru_cache(maxsize=16)(code_of)


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
    if _ANSWERS.search(source) is not None:  # a class that answers in the other's place
        found.update(re.findall(rb"(?m)^[ \t]*(?:(?:abstract|final|readonly)[ \t]+)*class[ \t]+(\w+)", source))
    return {decoded(each) for each in found}


_ANSWERS = re.compile(rb"\bgetFacadeAccessor\b|@mixin\b")
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


_MOST_GIVEN = 20  # names that one file gives a class


def may_inherit(source: bytes, word: str) -> bool:
    """Whether a class in the text may extend, implement or use the type of that name, or of a name that it is given."""
    name = re.escape(word.encode("utf-8", "surrogateescape"))
    given = set(re.findall(rb"(?i:" + name + rb")\s+[aA][sS]\s+(\w+)", source)) if b" as " in source else set()
    for each in (name, *map(re.escape, sorted(given)[:_MOST_GIVEN])):
        for found in re.finditer(rb"(?i:" + each + rb")", source):
            at = found.start()
            before = _STATEMENT.split(source[max(0, at - _LONGEST_HEAD) : at])[-1]
            if _INHERITS.search(before) is not None or _TRAIT_USE.search(before) is not None:
                return True
    return False


_TRAIT_USE = re.compile(rb"\A[ \t]*use\s|\n[ \t]+use\s", re.IGNORECASE)
"""A class's `use`, by its indentation or by standing in a line with others."""
_STATEMENT = re.compile(rb"[{};]")
_INHERITS = re.compile(rb"\b(?:extends|implements)\b", re.IGNORECASE)
_LONGEST_HEAD = 3000
"""Bytes before a base's name in which its class's head begins."""


def spellings(definition: Definition) -> list[str]:
    """The name in other letters, as people write names when case does not matter: all small, all capital, or with
    another first letter. Of methods and types only."""
    name = definition.name
    if definition.kind not in ("method", *_TYPES) or not name.isascii() or name.startswith("__") or "@" in name:
        return []
    found = {name.lower(), name.upper(), name[:1].upper() + name[1:], name[:1].lower() + name[1:]} - {name}
    return sorted(each for each in found if len(each) > 2)


def may_spell(source: bytes, definition: Definition, word: str) -> bool:
    """Whether the word stands in the text as a method's name in a call, or as a type's where only types stand."""
    name = re.escape(word.encode("utf-8", "surrogateescape"))
    if definition.kind == "method":
        pattern = rb"(?:->|::)\s*" + name + rb"\s*\("
    else:
        pattern = (
            rb"(?:\bnew\s+|\bextends\s+|\bimplements\s+|\binstanceof\s+|\\)" + name + rb"\b|(?<![\w$>])" + name + rb"::"
        )
    return re.search(pattern, source) is not None

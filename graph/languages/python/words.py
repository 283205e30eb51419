"""The words of a Python file: which identifiers stand in its code, and where.

All words are found in the text, which is much faster than asking the tree for its identifiers; where one stands, in the
tree.
"""

from __future__ import annotations

import keyword
import re
import sys
from collections.abc import Sequence
from itertools import filterfalse

import tree_sitter

from graph.languages.blanks import only
from graph.languages.python.grammar import decoded, query
from graph.languages.reading import SyntaxReading, occurrences, paths, whole_words

_KEYWORDS = frozenset(keyword.kwlist)
SILENT = re.compile(
    rb"\#[^\r\n]*+"
    rb'|"""[^"\\]*+(?:(?:\\.|"(?!""))[^"\\]*+)*+"""'
    rb"|'''[^'\\]*+(?:(?:\\.|'(?!''))[^'\\]*+)*+'''"
    rb'|"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"'
    rb"|'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'"
    rb"|\0(?!)",
    re.DOTALL,
)
"""Comments, and strings without what may stand before their quotes. (The last alternative matches nothing: where one of
more bytes may begin a match, they are looked up in a table, which saves a third of the time.)"""
_PREFIXES = frozenset(
    first + second for first in ("", *"rRbBuUfFtT") for second in "rRbBuUfFtT" if first.lower() != second.lower()
)
_F_STRING = re.compile(rb"f[rR]?[\"']")
_UPPER_F_STRING = re.compile(rb"F[rR]?[\"']")
_ONLY_WORDS = only(b'_"')
_IDENTIFIER = re.compile(rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*")
_TYPE_IN_STRING = re.compile(rb"[\w.\[\], |\x80-\xff]*")  # what an annotation in a string may consist of
_DEEPEST = 5  # nodes around a string that tell whether it is a type
_LONGEST_GAP = 200  # bytes between `def` and a name
_ASSIGNED = re.compile(rb"[ \t\f\\]*+(?:[,\])]|=(?!=)|:)|\s*+(?:#[^\n]*\n\s*+)*+[)\]]")
"""What may follow a name in what an assignment binds."""
_WIDE = re.compile(rb"[\x80-\xff]+")
_PARTS = frozenset({"string", "interpolation", "comment"})
"""Nodes of which the innermost tells whether a word in it is code."""


Words = tuple[set[str], set[str]]
"""The words of code, keywords too; and which of them only stand right before quotes, and may be no names."""


def words_of(code: bytes) -> Words:
    """The words of code that is ASCII, where each string and comment is a quote (see `code_around`)."""
    words = set(code.translate(_ONLY_WORDS).decode("ascii").split())
    others = list(filterfalse(str.isidentifier, words))
    words.difference_update(others)
    quoted: set[str] = set()
    for token in others:
        if '"' in token:
            *before, last = token.split('"')
            quoted.update(filter(str.isidentifier, before))
            if last.isidentifier():
                words.add(last)
    quoted -= words
    words |= quoted
    return words, quoted


def names_of(
    source: bytes, root: tree_sitter.Node, words: Words | None, annotations: list[tree_sitter.Node]
) -> frozenset[str]:
    """Every word outside of strings and comments; words inside of f-strings' braces are outside. Given the words of the
    code, if that is ASCII."""
    if words is not None:
        found, quoted = words
        names = found - _KEYWORDS
        names.difference_update(each for each in quoted & _PREFIXES if not _is_commented(each, source, root))
    else:
        nodes = tree_sitter.QueryCursor(query("(identifier) @name")).captures(root).get("name", ())
        names = {decoded(source[node.start_byte : node.end_byte]) for node in nodes}
        names.discard("")
    for string in annotations:
        names.update(decoded(name) for _, name in _names_in_annotation(source, string, _ancestors(string)))
    return frozenset(names)


def interpolations_of(source: bytes, root: tree_sitter.Node) -> list[tree_sitter.Node]:
    """What stands in braces of f-strings in a file that could be read whole."""
    spots = [found.span() for found in _F_STRING.finditer(source)]
    if b"F" in source:
        spots = sorted(spots + [found.span() for found in _UPPER_F_STRING.finditer(source)])
    interpolations: list[tree_sitter.Node] = []
    for _, _, path in paths(root, spots):
        if path[-1].type == "string_start" and len(path) > 1:
            interpolations += [child for child in path[-2].named_children if child.type == "interpolation"]
    return interpolations


def code_around(source: bytes, interpolations: list[tree_sitter.Node]) -> bytes:
    """The code with a quote for each string and comment, given what stands in strings' braces, which comes first."""
    if not interpolations:
        return b'"'.join(SILENT.split(source))
    rest = bytearray(source)
    found = []
    for start, end in sorted(((node.start_byte, node.end_byte) for node in interpolations), reverse=True):
        found.append(bytes(rest[start:end]))  # the inner before the outer
        rest[start:end] = bytes(end - start)
    found.append(bytes(rest))
    return b"\n".join(b'"'.join(SILENT.split(each)) for each in found)


def code_by_nodes(source: bytes, root: tree_sitter.Node) -> bytes:
    """The same of a file that could not be read whole, whose quotes may have no other."""
    parts = query("[(string) (comment)] @silent (interpolation) @interpolation")
    captures = tree_sitter.QueryCursor(parts).captures(root)
    spans = [(node.start_byte, node.end_byte, False) for node in captures.get("silent", ())]
    spans += [(node.start_byte, node.end_byte, True) for node in captures.get("interpolation", ())]
    code = bytearray(source)
    for start, end, is_code in sorted(spans):  # the outer before the inner
        code[start:end] = source[start:end] if is_code else bytes(end - start)
    return bytes(code)


def _is_commented(word: str, source: bytes, root: tree_sitter.Node) -> bool:
    """Whether a word like `f` is a name right before a comment somewhere, and no mere prefix of strings."""
    if word.encode() + b"#" not in source:
        return False
    for start, end in whole_words(source, word, wide=False):
        node = root.named_descendant_for_byte_range(start, end) if source[end : end + 1] == b"#" else None
        if node is not None and node.type == "identifier":
            return True
    return False


def may_define(source: bytes, word: str, *, member: bool) -> bool:
    """See `Language.may_define`: only `def` and `class` define members, and what an assignment defines is followed by
    an equals sign, a colon, or the next one."""
    for start, end in whole_words(source, word, wide=False):
        if source[max(0, start - _LONGEST_GAP) : start].rstrip(b" \t\f\r\n\\").endswith((b"def", b"class", b"type")):
            return True
        if not member and source[start - 1 : start] != b"." and _ASSIGNED.match(source, end) is not None:
            return True
    return False


def places_of(reading: SyntaxReading, word: str, first: int = 0, end: int = sys.maxsize) -> tuple[int, ...]:
    """Where a word stands outside of strings and comments, from `first` on and before `end`."""
    source = reading.source
    wide = _has_wide_code(reading)
    found = []
    if wide and reading.root.has_error:  # where a word may begin right after a number
        spots = occurrences(source, word, first)
    else:
        spots = whole_words(source, word, first, wide=False)
    for at, after, path in paths(reading.root, spots):
        if at >= end:
            break
        depth = next((depth for depth in range(len(path) - 1, 0, -1) if path[depth].type in _PARTS), 0)
        kind = path[depth].type if depth else ""
        if kind == "string":
            above = path[max(0, depth - _DEEPEST) : depth][::-1]
            stands = _is_annotation(above) and (at, word) in (
                (start, decoded(name)) for start, name in _names_in_annotation(source, path[depth], above)
            )
        elif kind == "comment":
            stands = False
        elif wide:
            stands = any(
                node.type == "identifier" and (node.start_byte, node.end_byte) == (at, after) for node in path[-2:]
            )
        else:
            stands = word not in _KEYWORDS
        if stands:
            reading.remember(at, path)
            found.append(at)
    return tuple(found)


def _has_wide_code(reading: SyntaxReading) -> bool:
    """Whether anything outside of strings and comments isn't ASCII: only the grammar knows its identifiers then."""
    known: bool | None = reading.cache.get("wide code")
    if known is None:
        known = reading.cache["wide code"] = not reading.source.isascii() and _finds_wide_code(reading)
    return known


def _finds_wide_code(reading: SyntaxReading) -> bool:
    for _, end, path in paths(reading.root, (found.span() for found in _WIDE.finditer(reading.source))):
        part = next((node for node in reversed(path) if node.type in _PARTS), None)
        if part is None or part.type == "interpolation" or part.end_byte < end:
            return True
    return False


def _ancestors(node: tree_sitter.Node) -> list[tree_sitter.Node]:
    """What is around a node, as far as that tells whether a string is a type, the innermost first."""
    found: list[tree_sitter.Node] = []
    around = node.parent
    while around is not None and len(found) < _DEEPEST:
        found.append(around)
        around = around.parent
    return found


def _is_annotation(above: Sequence[tree_sitter.Node]) -> bool:
    """Whether a string with these nodes around it stands for a type: as "annotation" in queries.scm."""
    kinds = [each.type for each in above]
    if kinds[:1] == ["type"]:
        return True
    if kinds[:1] == ["subscript"]:
        return kinds[1:2] == ["type"] or kinds[1:3] == ["subscript", "type"]
    return kinds[:1] in (["binary_operator"], ["list"]) and kinds[1:2] == ["type"]


def _is_value(source: bytes, string: tree_sitter.Node, above: Sequence[tree_sitter.Node]) -> bool:
    """Whether a string in an annotation is a mere value: in `Literal`, or in `Annotated` after the type."""
    around = next((each for each in above if each.type in ("generic_type", "subscript")), None)
    if around is None:
        return False
    head = source[around.start_byte : around.end_byte].split(b"[", 1)[0].strip()
    if not head.endswith(b"Annotated"):
        return head.endswith(b"Literal")
    arguments = around.named_children[1:]  # after the name that stands before the bracket
    if around.type == "generic_type":
        arguments = arguments[-1].named_children
    first = next((each for each in arguments if each.type != "comment"), string)
    return string.start_byte >= first.end_byte


def _names_in_annotation(
    source: bytes, string: tree_sitter.Node, above: Sequence[tree_sitter.Node]
) -> list[tuple[int, bytes]]:
    if _is_value(source, string, above):
        return []
    content = next((c for c in string.named_children if c.type == "string_content"), None)
    if content is None:
        return []
    start, text = content.start_byte, source[content.start_byte : content.end_byte]
    if _TYPE_IN_STRING.fullmatch(text) is None:
        return []
    return [(start + m.start(), m.group()) for m in _IDENTIFIER.finditer(text)]

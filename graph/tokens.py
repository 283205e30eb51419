"""Source text without what means nothing: comments, white space, line ends, trailing commas, which quotes are used.

Two ways: over a syntax tree, for whole definitions, with the tree's nesting kept (so that a changed indentation is a
change where it means something); and over bare text, for declarations.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Final

import tree_sitter

from graph.facts import Definition
from graph.languages import language_named
from graph.languages.base import Syntax

_CLOSING: Final = frozenset({b")", b"]", b"}", b">"})
_OPENING: Final = frozenset({b"(", b"[", b"{", b"<"})
_CHAINING: Final = re.compile(rb"\?(?:\.|->)")
_LONGEST_LOOKED_THROUGH: Final = 4000
_PARENTHESES: Final = frozenset({"(", ")"})
AS_IT_STANDS: Final = frozenset({"string_content", "format_specifier"})
"""Nodes whose text is more than that of the nodes in them."""
_COMMA_MATTERS: Final = frozenset(
    {"tuple", "tuple_pattern", "expression_list", "pattern_list", "subscript", "array", "array_pattern"}
)
"""Where a trailing comma may mean something: Python's one-element tuples, JavaScript's holes."""
_STRING: Final = (
    r"""(?P<string>[A-Za-z]{0,2}(?:"""
    r"""'{3}(?:[^\\]|\\.)*?'{3}|"{3}(?:[^\\]|\\.)*?"{3}|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")"""
    r"""|`(?:[^`\\]|\\.)*`)"""
)
_WORD: Final = r"""(?P<word>[\w$]+)|(?P<space>\s+)|(?P<sign>.)"""
_HASH_LEXER: Final = re.compile(rf"(?P<comment>\#[^\n]*)|{_STRING}|{_WORD}", re.DOTALL)
_SLASH_LEXER: Final = re.compile(rf"(?P<comment>//[^\n]*|/\*.*?\*/)|{_STRING}|{_WORD}", re.DOTALL)


def tokens(syntax: Syntax, start: int, end: int, without: Sequence[tuple[int, int]] = ()) -> Iterator[bytes]:
    """The tokens between two offsets, except inside the spans of `without` (ascending, apart), with marks for nesting.

    Walks the tree with a cursor: nesting has no limit.
    """
    top = syntax.tree.root_node.descendant_for_byte_range(start, end)
    return iter(()) if top is None else tokens_below(syntax, top, start, end, without)


def tokens_below(
    syntax: Syntax, top: tree_sitter.Node, start: int, end: int, without: Sequence[tuple[int, int]] = ()
) -> Iterator[bytes]:
    """The same of a node and what is in it."""
    starts = [span[0] for span in without]
    source = syntax.source
    language = language_named(syntax.facts.language)
    spelled = language.spelled_nodes
    cursor = top.walk()
    previous = b""
    comma = False  # a comma was read and not given yet: it may turn out to be a trailing one
    opened: list[bool | None] = []  # per level of the cursor: whether a mark was given, None in mere parentheses
    while True:
        node = cursor.node
        assert node is not None
        entered = False
        first, last = node.start_byte, node.end_byte
        if first < end and last > start and not (without and _inside(node, without, starts)):
            kind = node.type
            is_whole = first >= start and last <= end
            token: bytes | None = None
            if kind in spelled and is_whole and _is_apart(node, without, starts):
                token = language.spelled(node, source)
            meaningless = ""
            if token is None and (node.child_count == 0 or kind in AS_IT_STANDS):
                token, meaningless = _token(node, source)
            if token is not None:
                if meaningless:
                    comma = True
                elif kind in _PARENTHESES and opened and opened[-1] is None:
                    pass
                elif token and start <= first:
                    if comma and (token not in _CLOSING or previous in _OPENING):
                        yield b","
                    comma = False
                    yield token
                    previous = token
            elif "comment" not in kind:
                mark: bool | None = node.is_named and is_whole
                if kind == "parenthesized_expression" and not _is_chained(node, source):
                    mark = None  # what belongs together, the nesting tells
                if mark:
                    if comma:
                        yield b","
                        comma = False
                    yield b"\0" + kind.encode()
                opened.append(mark)
                entered = cursor.goto_first_child()
        if entered:
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return
            if opened.pop():
                yield b"\0"


def _is_apart(node: tree_sitter.Node, spans: Sequence[tuple[int, int]], starts: Sequence[int]) -> bool:
    """Whether the node has nothing in common with any of the spans."""
    index = bisect_left(starts, node.end_byte) - 1
    return index < 0 or spans[index][1] <= node.start_byte


def _is_chained(node: tree_sitter.Node, source: bytes) -> bool:
    """Whether parentheses may end an optional chain (`(a?.b).c`): then they mean something."""
    start, end = node.start_byte, node.end_byte
    return end - start > _LONGEST_LOOKED_THROUGH or _CHAINING.search(source, start, end) is not None


def _inside(node: tree_sitter.Node, spans: Sequence[tuple[int, int]], starts: Sequence[int]) -> bool:
    index = bisect_right(starts, node.start_byte) - 1
    if index < 0 or node.end_byte > spans[index][1] or node.end_byte <= node.start_byte:
        return False
    # A body that holds one definition and nothing else has its span, and is a body none the less.
    only = node.child(0) if node.child_count == 1 else None
    return only is None or (only.start_byte, only.end_byte) != (node.start_byte, node.end_byte)


def _token(node: tree_sitter.Node, source: bytes) -> tuple[bytes, str]:
    """A leaf's text, normalised (b"" when it means nothing), and "," for a comma that may mean nothing."""
    kind = node.type
    if "comment" in kind or kind == ";":
        return b"", ""
    text = source[node.start_byte : node.end_byte]
    if kind == ",":
        parent = node.parent
        return text, "" if parent is not None and parent.type in _COMMA_MATTERS else ","
    if kind == "jsx_text":
        return _jsx_text(text), ""
    if b"'" in text and kind in ("'", "string_start", "string_end"):
        return text.replace(b"'", b'"'), ""
    return text.replace(b"\r\n", b"\n") if b"\r" in text else text, ""


def _jsx_text(text: bytes) -> bytes:
    """JSX text as it is rendered: line ends and the white space around them are nothing."""
    if b"\n" not in text:
        return text
    first, *middle, last = text.split(b"\n")
    parts = [first.rstrip(), *(line.strip() for line in middle), last.lstrip()]
    return b" ".join(part for part in parts if part)


def own_tokens(syntax: Syntax, definition: int, holds: Collection[int] = ()) -> Iterator[bytes]:
    """The tokens of a definition without those of the definitions in it whose indices are `holds`."""
    definitions = syntax.facts.definitions
    whole = definitions[definition]
    if "whole file" in whole.modifiers:  # a template is no part of the syntax tree
        return iter(syntax.source.split())
    spans: list[tuple[int, int]] = []
    for index in sorted(holds):
        inner = definitions[index]
        if not spans or inner.start >= spans[-1][1]:
            spans.append((inner.start, inner.end))
    return tokens(syntax, whole.start, whole.end, spans)


def moved_tokens(syntax: Syntax, definition: Definition) -> Iterator[bytes]:
    """The tokens of a definition from its name on: what stays the same when it moves to another file."""
    return tokens(syntax, definition.at, definition.end)


def past_separator(source: bytes, end: int, separators: frozenset[bytes]) -> int:
    """Where one of the separators ends that follows what ends at an offset; there where none does."""
    rest = source[end : end + 40]
    blanks = len(rest) - len(rest.lstrip())
    return end + blanks + 1 if rest[blanks : blanks + 1] in separators else end


def same_tokens(one: Iterable[bytes], other: Iterable[bytes]) -> bool:
    """Whether two walks give the same; neither is walked further than to where they differ."""
    return all(a == b for a, b in zip_longest(one, other))


def text_tokens(text: str, language: str) -> tuple[str, ...]:
    """The tokens of bare source text (a declaration, a type) without comments, white space and trailing commas."""
    lexer = _HASH_LEXER if language == "python" else _SLASH_LEXER
    found: list[str] = []
    for match in lexer.finditer(text):
        kind = match.lastgroup
        if kind in ("comment", "space"):
            continue
        token = match.group()
        if kind == "string" and not token.startswith("`"):
            token = token.replace("'", '"')
        if token in (")", "]", "}", ">", ";") and found and found[-1] == ",":
            found.pop()
        found.append(token)
    while found and found[-1] in (";", ",", "{", ":"):  # how a declaration ends says where its body begins
        found.pop()
    return tuple(found)

"""The Python grammar, and how bytes are read with it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from operator import attrgetter

import tree_sitter
from tree_sitter_language_pack import get_language

from graph.languages.blanks import blanked
from graph.languages.queries import compiled

LANGUAGE = get_language("python")
_PARSER = tree_sitter.Parser(LANGUAGE)  # not for several threads at once
query = partial(compiled, LANGUAGE)
"""A query of this grammar, by its text."""


def parse(source: bytes) -> tree_sitter.Tree:
    """The syntax tree of `source`; offsets are those of `source` itself. Lone CR and NUL are read as blanks."""
    return _PARSER.parse(blanked(source, mark=False))


def decoded(name: bytes) -> str:
    """Names are compared as text; bytes that aren't UTF-8 are replaced."""
    return name.decode("utf-8", "replace")


Captures = dict[str, list[tree_sitter.Node]]
"""Capture name -> nodes, in the order in which they stand in the file."""
Span = tuple[int, int]
"""Offsets of a start and an end."""
start_of: Callable[[tree_sitter.Node], int] = attrgetter("start_byte")
end_of: Callable[[tree_sitter.Node], int] = attrgetter("end_byte")


def outermost(spans: list[Span]) -> list[Span]:
    """The spans that lie in no other, in order."""
    found: list[Span] = []
    end = -1
    for span in sorted(spans):
        if span[0] >= end:
            found.append(span)
            end = span[1]
        elif span[0] == found[-1][0]:
            found[-1] = span  # of two that start alike, the longer comes later
            end = span[1]
    return found


TARGET_LISTS = frozenset({"pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern"})
"""Targets of assignments that hold others."""


def target_names(target: tree_sitter.Node | None) -> list[tree_sitter.Node]:
    """The identifiers that a target of an assignment binds."""
    found: list[tree_sitter.Node] = []
    stack = [target]
    while stack:
        node = stack.pop()
        if node is None:
            continue
        if node.type == "identifier":
            found.append(node)
        elif node.type in TARGET_LISTS:
            stack.extend(reversed(node.named_children))
    return found

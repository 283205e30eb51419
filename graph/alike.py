"""Whether two stretches of source say the same, token by token: both trees are walked side by side, and what has the
same text is not read."""

from __future__ import annotations

from typing import Final, TypeAlias

import tree_sitter

from graph.languages import language_named
from graph.languages.base import Syntax
from graph.tokens import AS_IT_STANDS, same_tokens, tokens_below

Stretch: TypeAlias = tuple[Syntax, int, int]
"""A file, and where in it something begins and ends."""

_DEEPEST: Final = 60
"""Nodes within nodes that are walked; what is in deeper ones is read as it stands."""


def alike(one: Stretch, other: Stretch) -> bool | None:
    """Whether both have the same tokens (`graph.tokens`). None where that cannot be told so."""
    tops = _top(*one), _top(*other)
    if tops[0] is None or tops[1] is None:
        return None
    spelled = language_named(one[0].facts.language).spelled_nodes | AS_IT_STANDS | {"parenthesized_expression"}
    return _alike(one[0], tops[0], other[0], tops[1], spelled, 0)


def _top(syntax: Syntax, start: int, end: int) -> tree_sitter.Node | None:
    node = syntax.tree.root_node.descendant_for_byte_range(start, end)
    return node if node is not None and (node.start_byte, node.end_byte) == (start, end) else None


def _ends_with_comma(node: tree_sitter.Node) -> bool:
    last = next((each for each in reversed(node.children) if "comment" not in each.type), None)
    return last is not None and last.type == ","


def _alike(
    old: Syntax, one: tree_sitter.Node, new: Syntax, other: tree_sitter.Node, spelled: frozenset[str], depth: int
) -> bool | None:
    kind = one.type
    if kind == other.type and kind not in spelled:
        if old.source[one.start_byte : one.end_byte] == new.source[other.start_byte : other.end_byte]:
            return True
        if depth < _DEEPEST:
            parts = [each for each in one.children if "comment" not in each.type]
            others = [each for each in other.children if "comment" not in each.type]
            if parts and len(parts) == len(others):
                for part, counterpart in zip(parts, others, strict=True):
                    same = _alike(old, part, new, counterpart, spelled, depth + 1)
                    if same is not True:
                        return same
                return True
    read = tokens_below(old, one, one.start_byte, one.end_byte)
    there = tokens_below(new, other, other.start_byte, other.end_byte)
    first, opposite = next(read, None), next(there, None)
    if first == opposite and same_tokens(read, there):
        # A comma at a node's end is read as nothing; whether it is depends on what follows the node.
        return True if _ends_with_comma(one) == _ends_with_comma(other) else None
    # All before these was the same. What begins with another token differs, and so does what is a node of its own,
    # whose tokens stand between marks.
    if first is None or opposite is None:
        return None
    return False if first != opposite or first.startswith(b"\0") else None

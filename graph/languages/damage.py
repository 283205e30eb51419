"""How much of a file the parser could not read."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter


def damage(source: bytes, root: tree_sitter.Node) -> tuple[int, bool]:
    """How many places of a file with errors the parser couldn't read, and whether they cover most of it."""
    errors: list[tuple[int, int]] = []
    count = 0
    for node in damaged(root):
        count += 1
        if node.is_error:
            errors.append((node.start_byte, node.end_byte))
    covered, reached = 0, -1
    for start, end in sorted(errors):
        covered += max(0, end - max(start, reached))
        reached = max(reached, end)
    return max(count, 1), root.is_error or 2 * covered > len(source.strip())


def damaged(root: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """The nodes that stand for what could not be read or is missing, an outer one before what is in it. (A query for
    them takes minutes when tens of thousands lie in each other, and then leaves some out.)"""
    cursor = root.walk()
    while True:
        node = cursor.node
        if node is not None and (node.is_error or node.is_missing):
            yield node
        if node is not None and node.has_error and cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return

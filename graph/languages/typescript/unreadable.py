"""Words and signs that the language allows where the grammar reads something else: they are made others of the same
length, and the file is parsed again. Offsets stay those of the file, and so do names, which are cut out of the file.
"""

from __future__ import annotations

import re
from itertools import islice

import tree_sitter

from graph.languages.damage import damaged

ROUNDS = 3
"""How often a file is parsed again: what is read now may show what is not."""
MOST_ERRORS = 2000
"""Places that could not be read, of which no more are looked at."""
MOST_BYTES = 300
"""Bytes of such a place in which signs are looked for."""

_TYPE_PARAMETERS = re.compile(rb"\n[ \t]*[ \t](?=<[\w$])")

_WORDS = re.compile(
    rb"(?<![\w$#])(?:"
    # Before another word on its line a declaration; everywhere else a name.
    rb"using(?![\w$])(?![ \t]+(?!(?:as|in|instanceof|is|of|satisfies)\b)[A-Za-z_$\x80-\xff])"
    # Before a member a modifier; everywhere else a name.
    rb"|(?:abstract|accessor)(?![\w$])(?!\s+[\w$#*\[\"'\x80-\xff])"
    # A member of a type, after one without a semicolon.
    rb"|in(?=\??:)"
    # A parameter of a function type, or the label of an item in a tuple.
    rb"|(?:(?<=[(\[])|(?<=, ))(?:any|boolean|infer|keyof|never|number|object|readonly|string|symbol|unique|unknown)"
    rb"(?=\??:)"
    rb")"
)


def read_again(parser: tree_sitter.Parser, source: bytes, tree: tree_sitter.Tree) -> tree_sitter.Tree:
    """The tree of the bytes, of which the parser made one with errors, after what it can't read was made readable; the
    same tree where that helps nothing."""
    errors = _errors(tree)
    text = _WORDS.sub(lambda found: b"_" + found.group()[1:], source)
    for _ in range(ROUNDS):
        changed = _without_signs(text, errors)
        if changed == source:
            break
        again = parser.parse(changed)
        left = _errors(again) if again.root_node.has_error else []
        if len(left) >= len(errors):
            break
        tree, errors, source = again, left, changed
        if not errors:
            break
        text = changed
    return tree


def _errors(tree: tree_sitter.Tree) -> list[tree_sitter.Node]:
    return list(islice(damaged(tree.root_node), MOST_ERRORS))


def _without_signs(source: bytes, errors: list[tree_sitter.Node]) -> bytes:
    """The bytes with letters for each `&` in the text of an element, or in an attribute; and with a semicolon between
    the member of a type and a signature on the next line that begins with type parameters."""
    found = bytearray(source)
    for node in errors:
        start, end = node.start_byte, min(node.end_byte, node.start_byte + MOST_BYTES)
        if not node.is_error:
            continue
        if source[start : start + 1] == b"&":
            found[start:end] = found[start:end].replace(b"&", b"_")
            continue
        line = source.rfind(b"\n", max(0, start - MOST_BYTES), start)
        for place in _TYPE_PARAMETERS.finditer(source, line if line >= 0 else start, end + 1):
            found[place.end() - 1] = 0x3B
    return bytes(found)

"""The PHP grammar, and how bytes are read with it."""

from __future__ import annotations

import re

import tree_sitter
from tree_sitter_language_pack import get_language

LANGUAGE = get_language("php")
_LONE_CR = re.compile(rb"\r(?!\n)")
_BOM = b"\xef\xbb\xbf"


def parse(source: bytes) -> tree_sitter.Tree:
    """The syntax tree of `source`; offsets are those of `source` itself. A BOM, lone CRs and NULs are blanks."""
    if source.startswith(_BOM):
        source = b"   " + source[3:]
    if b"\r" in source:
        source = _LONE_CR.sub(b"\n", source)
    if b"\0" in source:
        source = source.replace(b"\0", b" ")
    return tree_sitter.Parser(LANGUAGE).parse(source)


def decoded(name: bytes) -> str:
    """Names are compared as text; bytes that aren't UTF-8 are replaced."""
    return name.decode("utf-8", "replace")

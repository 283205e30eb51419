"""Which files may hold a class that inherits another one, told by their text: most files that name a class need not be
parsed to find its subclasses."""

from __future__ import annotations

import re
from typing import Final

from graph.languages.reading import whole_words

_LONGEST_HEADER: Final = 4000
"""Bytes between the word that opens a class's header and a base in it."""
_COMMENT: Final = re.compile(rb"#[^\n]*")
_ENDS_VALUE: Final = re.compile(rb"[ \t]*(?:\bas\b|[\r\n;#,)}:]|\Z)")
"""What follows a name that is given another name: `import X as Y`, `Y = X`."""


def may_inherit(source: bytes, word: str, opening: tuple[bytes, ...], closing: bytes) -> bool:
    """Whether the word may stand in a class's header, from one of the `opening` words up to `closing`, or be given
    another name, under which it may."""
    for at, end in whole_words(source, word, wide=True):
        first = max(0, at - _LONGEST_HEADER)
        opened = max(source.rfind(each, first, at) for each in opening)
        if opened >= 0 and _is_open(source[opened:at], closing):
            return True
        after = _ENDS_VALUE.match(source, end)
        if after is not None and (after[0].endswith(b"as") or _is_given(source, first, at, after[0])):
            return True
    return False


def _is_open(header: bytes, closing: bytes) -> bool:
    """Whether the header has not come to its end: in comments, and between braces in it, that may stand, too."""
    if closing not in header or header.count(b"{") == header.count(b"}") > 0:
        return True
    return b"#" in header and closing not in _COMMENT.sub(b"", header)


def _is_given(source: bytes, first: int, at: int, after: bytes) -> bool:
    """Whether what ends here may be the value of something, or passed on."""
    before = source[max(first, source.rfind(b"\n", first, at) + 1) : at]
    if after.endswith(b":"):  # `const { Base: B } = require("./base")`
        return before.lstrip().startswith((b"const", b"let", b"var"))
    return b"=" in before or b"export" in before or (not before.strip() and not after.endswith(b","))

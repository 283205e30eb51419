"""Text that a program squeezed into as few bytes as it could: by its bytes alone, whatever its file is called."""

from __future__ import annotations

import re
from typing import Final

_SHORTEST: Final = 1000
"""Bytes below which nothing is said: a short file may be one long line."""
_LINE: Final = 150
"""Bytes a line on average, above which few people write."""
_MOST_BLANKS: Final = 0.06
"""Share of blanks and line ends. What people write has two or three times as much, unless it is data."""
_JOINED_PER_LINE: Final = 2
"""Statements that begin right behind another, for each line on average. What people write has next to none."""
_JOINED: Final = re.compile(rb"[;}][A-Za-z_$(]")
_APART: Final = re.compile(rb"[;}]\s")
_BLANKS: Final = b" \t\r\n"


def is_minified(source: bytes) -> bool:
    """Whether the text is code whose blanks and line ends were taken out."""
    if len(source) < _SHORTEST:
        return False
    lines = source.count(b"\n") + 1
    if len(source) <= _LINE * lines:
        return False
    if len(source) - len(source.translate(None, _BLANKS)) > _MOST_BLANKS * len(source):
        return False
    joined = len(_JOINED.findall(source))
    return joined >= _JOINED_PER_LINE * lines and joined >= 2 * len(_APART.findall(source))

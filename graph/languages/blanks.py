"""Bytes that no grammar reads, made blanks before a file is parsed. Offsets stay those of the file."""

from __future__ import annotations

import re

_LONE_CR = re.compile(rb"\r(?!\n)")
_MARK = b"\xef\xbb\xbf"


def blanked(source: bytes, *, mark: bool = True) -> bytes:
    """The source with line ends for lone CRs, and spaces for NULs and (with `mark`) for a byte order mark."""
    if mark and source.startswith(_MARK):
        source = b"   " + source[3:]
    if b"\r" in source:
        source = _LONE_CR.sub(b"\n", source)
    if b"\0" in source:
        source = source.replace(b"\0", b" ")
    return source

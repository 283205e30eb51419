"""Bytes that no grammar reads, made blanks before a file is parsed (offsets stay those of the file), and bytes that are
no part of words, made blanks before a text is split into its words."""

from __future__ import annotations

import re

_LONE_CR = re.compile(rb"\r(?!\n)")
_MARK = b"\xef\xbb\xbf"


def only(characters: bytes) -> bytes:
    """A table for `bytes.translate` that makes blanks of all but ASCII letters, digits and these."""
    return bytes(each if each < 0x80 and (chr(each).isalnum() or each in characters) else 0x20 for each in range(256))


def blanked(source: bytes, *, mark: bool = True) -> bytes:
    """The source with line ends for lone CRs, and spaces for NULs and (with `mark`) for a byte order mark."""
    if mark and source.startswith(_MARK):
        source = b"   " + source[3:]
    if b"\r" in source:
        source = _LONE_CR.sub(b"\n", source)
    if b"\0" in source:
        source = source.replace(b"\0", b" ")
    return source

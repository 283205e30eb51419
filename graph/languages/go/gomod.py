"""go.mod and go.work: which import paths lie in the tree."""

from __future__ import annotations

import posixpath
import re
from typing import Final

import msgspec

_MODULE: Final = re.compile(r'^\s*module\s+["`]?([^\s"`()]+)', re.MULTILINE)
_REPLACE: Final = re.compile(r'["`]?([^\s"`]+)["`]?(?:\s+v\S+)?\s*=>\s*["`]?(\.{1,2}(?:/[^\s"`]*)?|/[^\s"`]*)["`]?\s*$')
_COMMENT: Final = re.compile(r"//[^\n]*")


class GoMod(msgspec.Struct, frozen=True):
    """A module: its directory ("" is the root), its path (None for a go.work), and import path -> directory of what it
    replaces by directories of the tree."""

    directory: str
    path: str | None
    replaced: dict[str, str]


def read_gomod(directory: str, source: bytes) -> GoMod:
    """The go.mod (or go.work) in a directory. Nothing that it says leads out of the tree."""
    text = _COMMENT.sub("", source.decode("utf-8-sig", "replace"))
    module = _MODULE.search(text)
    replaced: dict[str, str] = {}
    inside = False
    for line in text.splitlines():
        stripped = line.strip()
        if stripped.startswith("replace"):
            rest = stripped[len("replace") :].strip()
            if rest.startswith("("):
                inside = True
                continue
            _replacement(directory, rest, replaced)
        elif inside and stripped.startswith(")"):
            inside = False
        elif inside:
            _replacement(directory, stripped, replaced)
    return GoMod(directory, module.group(1) if module is not None else None, replaced)


def _replacement(directory: str, text: str, replaced: dict[str, str]) -> None:
    found = _REPLACE.fullmatch(text)
    if found is None or found.group(2).startswith("/"):
        return
    target = posixpath.normpath(posixpath.join(directory, found.group(2)))
    if target == ".":
        target = ""
    if target != ".." and not target.startswith("../"):
        replaced.setdefault(found.group(1), target)

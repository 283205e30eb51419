"""The Go grammar, and how bytes are read with it."""

from __future__ import annotations

import re
from functools import partial

import tree_sitter
from tree_sitter_language_pack import get_language

from graph.languages.blanks import blanked
from graph.languages.damage import damage
from graph.languages.queries import compiled
from graph.languages.reading import paths

LANGUAGE = get_language("go")
query = partial(compiled, LANGUAGE)
"""A query of this grammar, by its text."""

_GAP = rb"(?:\s|/\*(?:[^*]|\*(?!/)){0,200}+\*/|//[^\n]{0,200}+\n)*+"
_NAME = rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*+"
_TYPE = (
    rb"(?:\[|<-\s*+chan\b|(?:map|chan|func|struct|interface)(?![\w\x80-\xff])"
    rb"|" + _NAME + _GAP + rb"(?:\." + _GAP + _NAME + _GAP + rb")?+[),\[])"
)
_NEW = rb"new(?<![\w\x80-\xff.]new)(?=[ \t]*+\("
_OF_TYPE = re.compile(_NEW + rb")[ \t]*+")
_OF_VALUE = re.compile(_NEW + _GAP + rb"(?:[*(]" + _GAP + rb")*+(?!" + _TYPE + rb"))")
_ANY_FUNCTION = b"neW"
_GENERIC_METHOD = re.compile(rb"^func[ \t]*+\([^()\n]{0,400}+\)[ \t]*+" + _NAME + rb"(\[)", re.MULTILINE)
_SQUARE = re.compile(rb"[\[\]]")
_VISIBLE = re.compile(rb"[^\n]")
_WORD_OR_SIGN = re.compile(rb"[\w\x80-\xff]+|\S")
_LONGEST_LIST = 4000
_ROUNDS = 2
"""Times that a file is parsed again: once, and once for values in which there are others."""
_SMALL = 10_000
"""Bytes up to which a file is parsed again even if most of it could not be read: to read such ones may take long."""


def parse(source: bytes) -> tree_sitter.Tree:
    """The syntax tree of `source`; offsets are those of `source` itself. A BOM, lone CRs and NULs are blanks.

    The grammar takes what is passed to `new` for a type, and cannot read a value there (Go 1.26: `new(f(1))`). So the
    parser is shown the name of just any function instead, where the text can be no type, or else turns out to be none.
    A mere name (`new(limit)`) and what looks like a generic type (`new(table[key])`) are read as types.

    Nor does it know methods with type parameters (Go 1.27): in their place it sees blanks. See `own_type_parameters`.
    """
    read = blanked(source)
    if b"new" in read:
        read = _OF_VALUE.sub(_ANY_FUNCTION, read)
    tree = _parsed(read)
    for _ in range(_ROUNDS):
        if not tree.root_node.has_error:
            break
        if len(read) > _SMALL and damage(read, tree.root_node)[1]:
            break
        again = _without_type_parameters(_with_values(read, tree.root_node))
        if again == read:
            break
        read = again
        tree = _parsed(read)
    return tree


def _parsed(read: bytes) -> tree_sitter.Tree:
    return tree_sitter.Parser(LANGUAGE).parse(read)


def own_type_parameters(source: bytes, method: tree_sitter.Node) -> tree_sitter.Node | None:
    """The list of the type parameters that a method declares (Go 1.27), which isn't in the file's own tree: read as
    that of a function, without the receiver."""
    name, listed = method.child_by_field_name("name"), method.child_by_field_name("parameters")
    if name is None or listed is None or b"[" not in source[name.end_byte : listed.start_byte]:
        return None
    start, at, end = method.start_byte, name.start_byte - 1, listed.end_byte
    if source[at : at + 1] not in (b" ", b"\t"):
        return None
    ranges = [
        tree_sitter.Range((0, first), (0, last), first, last)
        for first, last in ((start, start + len(b"func")), (at, end))
    ]
    found = tree_sitter.Parser(LANGUAGE, included_ranges=ranges).parse(blanked(source)).root_node.named_children
    return found[0].child_by_field_name("type_parameters") if found else None


def with_type_parameters(source: bytes, name: tree_sitter.Node) -> bytes | None:
    """The name of a method that declares type parameters, with these; None for any other name."""
    if source[name.end_byte : name.end_byte + 1] != b"[":
        return None
    method = name.parent
    listed = method.child_by_field_name("parameters") if method is not None else None
    if method is None or listed is None or method.type != "method_declaration":
        return None
    return b" ".join(_WORD_OR_SIGN.findall(source, name.start_byte, listed.start_byte))


def _without_type_parameters(read: bytes) -> bytes:
    """The text with blanks for the type parameters of methods."""
    changed = bytearray(read)
    for method in _GENERIC_METHOD.finditer(read):
        start, depth = method.start(1), 0
        for sign in _SQUARE.finditer(read, start, start + _LONGEST_LIST):
            depth += 1 if sign.group() == b"[" else -1
            if depth == 0:
                changed[start : sign.end()] = _VISIBLE.sub(b" ", read[start : sign.end()])
                break
    return bytes(changed)


def _with_values(read: bytes, root: tree_sitter.Node) -> bytes:
    """The text with other names for those `new` whose argument is no type that could be read."""
    found = [each.span() for each in _OF_TYPE.finditer(read)]
    changed = bytearray(read)
    for (at, _), (_, _, path) in zip(found, paths(root, ((end, end + 1) for _, end in found)), strict=True):
        around = path[-2] if len(path) > 1 else root
        if around.is_error or (around.type == "argument_list" and around.has_error):
            changed[at : at + len(_ANY_FUNCTION)] = _ANY_FUNCTION
    return bytes(changed)


def decoded(name: bytes) -> str:
    """Names are compared as text; bytes that aren't UTF-8 are replaced."""
    return name.decode("utf-8", "replace")

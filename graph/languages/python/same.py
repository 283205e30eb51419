"""What says the same in Python in other words: types, bases of classes, strings."""

from __future__ import annotations

import re

import tree_sitter

from graph.type_spellings import LONGEST, LOOSE, one_spelling, options_of, split_at

NODES = frozenset({"argument_list", "concatenated_string", "string", "type"})
_STRINGS = frozenset({"concatenated_string", "string"})
_CLASS = "class_definition"
_DEEPEST = 400  # bytes of indentation
_NAMED_TWICE = {
    "List": "list",
    "Dict": "dict",
    "Set": "set",
    "FrozenSet": "frozenset",
    "Tuple": "tuple",
    "Type": "type",
    "Deque": "deque",
    "DefaultDict": "defaultdict",
}
_TYPING = re.compile(r"(?<![\w.])(?:(?:typing|t|typing_extensions|collections\.abc|builtins)\.)?([A-Za-z]\w*)")
_ANY = re.compile(r"(?<![\w.])(?:(?:typing|t|typing_extensions)\.)?Any\b")
_TYPE_IN_STRING = re.compile(r"""(["'])([\w.\[\], |]+)\1""")
_STRING = re.compile(rb"""([rRbBuU]{0,2})(\'\'\'|\"\"\"|'|")(.*)\2""", re.DOTALL)


def spelled(node: tree_sitter.Node, source: bytes) -> bytes | None:
    """See `Language.spelled`. A string that is a statement documents: it means nothing."""
    kind = node.type
    start, end = node.start_byte, node.end_byte
    if kind in _STRINGS and _documents(node, source):
        return b""
    if end - start > LONGEST:
        return None
    text = source[start:end]
    if kind == "type":
        return spelled_type(text.decode("utf-8", "replace")).encode()
    if kind in _STRINGS:
        parts = [node] if kind == "string" else node.named_children
        return _joined([source[part.start_byte : part.end_byte] for part in parts])
    around = node.parent
    return _bases(text.decode("utf-8", "replace")).encode() if around is not None and around.type == _CLASS else None


def _documents(string: tree_sitter.Node, source: bytes) -> bool:
    start = string.start_byte
    first = max(0, start - _DEEPEST)
    if source[max(first, source.rfind(b"\n", first, start) + 1) : start].strip():
        return False
    around = string.parent
    if around is None or around.type not in ("block", "module"):
        return False
    parts = [string] if string.type == "string" else string.named_children
    return not any(inner.type == "interpolation" for part in parts for inner in part.named_children)


def spelled_type(annotation: str) -> str:
    """See `Language.spelled_type`. What may be written as a string or not is not."""
    is_quoted = '"' in annotation or "'" in annotation
    if is_quoted and "Literal" not in annotation and "Annotated" not in annotation:  # where strings are values
        annotation = _TYPE_IN_STRING.sub(r"\2", annotation)
    return one_spelling(_with_own_names(annotation))


def loosened(annotation: str) -> str | None:
    """See `Language.loosened`. A checker lets nobody pass an `object` for anything else; but it is written where
    nothing is to be said."""
    written = annotation.strip()
    if written[:1] in ("'", '"') and written[-1:] == written[:1]:
        written = written[1:-1]
    options = options_of(written)
    return None if options == {"Any"} or "object" in options else _ANY.sub(LOOSE, annotation)


def _with_own_names(written: str) -> str:
    """A type in which what `typing` gives a name of its own is called by the other one."""
    return _TYPING.sub(lambda found: _NAMED_TWICE.get(found[1], found[1]), written)


def _bases(arguments: str) -> str:
    return f"({', '.join(one_spelling(_with_own_names(each)) for each in split_at(arguments[1:-1], ','))})"


def _joined(strings: list[bytes]) -> bytes | None:
    """The text of adjacent strings as one; None where more than their quotes would have to be read."""
    content = b""
    kinds = set()
    for each in strings:
        found = _STRING.fullmatch(each)
        if found is None or b"\\" in each:
            return None
        kinds.add(b"b" in found[1].lower())
        content += found[3].replace(b"\r\n", b"\n")
    return b'%s"%s"' % (b"b" if kinds == {True} else b"", content) if len(kinds) == 1 else None

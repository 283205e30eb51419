"""Types as they are spelled: which are the same, and which take all that another one takes.

Nothing is known of a type but its text, what the text is made of (unions, generics), and a few names that mean the same
in every repository.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

import tree_sitter

from graph.tokens import text_tokens

_QUALIFIER: Final = re.compile(r"\b(?:typing|t|typing_extensions|collections\.abc|builtins)\.(?=[A-Za-z])")
_GENERIC: Final = re.compile(r"([\w.\\]*)([\[<])(.*)[\]>]", re.DOTALL)
_MEMBER: Final = re.compile(r"((?:readonly )?[\w$]+\??):(.+)", re.DOTALL)
_READ_ONLY: Final = re.compile(r"readonly\b *(?=[^,>])")
_PIECE: Final = re.compile(
    r"""//[^\n]*|/\*.*?\*/|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|=>|[\w$]+|.""", re.DOTALL
)
_BRACKETS: Final = {"{": "}", "(": ")", "[": "]", "<": ">"}
_GOES_ON: Final = frozenset(
    {
        *("", "{", "(", "[", "<", ",", ";", ":", "|", "&", "=", "?", "+", "-", ".", "=>", "extends", "keyof", "typeof"),
        *("readonly", "is", "infer", "unique", "asserts", "new"),
    }
)
"""After these a line's end ends nothing."""
_CONTINUES: Final = frozenset({"|", "&", "}", ")", "]", ">", ",", ";", ".", "?", ":", "=", "=>", "extends", "is"})
"""Nor before these."""
_EMPTY_INTERFACE: Final = re.compile(r"\binterface\{\}")
NOT_PASSED: Final = "undefined"
"""The type of what is not passed."""
LONGEST: Final = 2000
"""Bytes of a type that is brought into one spelling."""
_DEEPEST: Final = 20
"""Brackets within brackets that are compared as types; what is in more only as text."""
LOOSE: Final = "_"
"""Stands, in a type that is compared, for one that takes every other and that every other takes: see
`Language.loosened`."""
_ANYTHING: Final = frozenset({"Any", "any", "unknown", "object", "mixed", LOOSE})
_READ: Final = frozenset(
    {
        *("Iterable", "Iterator", "Reversible", "Container", "Collection", "Sequence", "AbstractSet", "Mapping"),
        *("tuple", "Tuple", "frozenset", "FrozenSet", "type", "Type", "Awaitable", "Coroutine", "AsyncIterable"),
        *("AsyncIterator", "ReadonlyArray", "Array", "ArrayLike", "Promise", "PromiseLike", "Readonly", "Record"),
        "ReadonlySet",
    }
)
"""Generics that of a wider type take more: what is in them is only read, or the language acts as if it were."""
_SAME_FIRST: Final = frozenset({"Mapping", "Record"})
"""Of these the first argument must be the same."""
_SEQUENCES: Final = frozenset({"Sequence", "Reversible", "Collection", "Container", "Iterable"})
_SETS: Final = frozenset({"AbstractSet", "Collection", "Container", "Iterable"})
_TAKEN_BY: Final = {
    "list": _SEQUENCES,
    "List": _SEQUENCES,
    "MutableSequence": _SEQUENCES,
    "Sequence": _SEQUENCES,
    "Collection": frozenset({"Container", "Iterable"}),
    "set": _SETS,
    "frozenset": _SETS,
    "AbstractSet": _SETS,
    "dict": frozenset({"Mapping"}),
    "Dict": frozenset({"Mapping"}),
    "MutableMapping": frozenset({"Mapping"}),
    "Iterator": frozenset({"Iterable"}),
    "AsyncIterator": frozenset({"AsyncIterable"}),
    "Array": frozenset({"ReadonlyArray", "ArrayLike", "Iterable"}),
    "ReadonlyArray": frozenset({"ArrayLike", "Iterable"}),
    "Promise": frozenset({"PromiseLike"}),
}
"""Generics -> wider ones, with the same arguments."""


def accepts(wide: str | None, narrow: str | None, depth: int = 0, *, read: bool = False) -> bool:
    """Whether a type takes all of another, as far as their spelling tells; an unwritten one says nothing. `depth` is
    that of the brackets around them. `read`: it is a result's, of which nobody minds one property more."""
    if wide is None or narrow is None:
        return True
    options = options_of(wide)
    return not options.isdisjoint(_ANYTHING) or all(
        each in options
        or each == LOOSE
        or (depth < _DEEPEST and any(_takes(one, each, depth, read) or _is_loosely(one, each) for one in options))
        for each in options_of(narrow)
    )


def _takes(wide: str, narrow: str, depth: int, read: bool) -> bool:
    """Whether an option of a union takes another one, that is spelled in another way."""
    if read and wide[:1] == narrow[:1] == "{":
        return _has_all(wide, narrow, depth)
    if _READ_ONLY.match(wide):
        wide, narrow = _READ_ONLY.sub("", wide), _READ_ONLY.sub("", narrow)
    (head, arguments), (narrow_head, narrow_arguments) = _generic(wide), _generic(narrow)
    if head == "Readonly" != narrow_head and len(arguments) == 1:
        return accepts(arguments[0], narrow, depth + 1, read=read)
    if head not in _READ or (head != narrow_head and head not in _TAKEN_BY.get(narrow_head, ())):
        return False
    if not arguments or not narrow_arguments:
        return True  # without arguments it says nothing of what is in it
    first = 1 if head in _SAME_FIRST else 0
    return (
        len(arguments) == len(narrow_arguments)
        and arguments[:first] == narrow_arguments[:first]
        and all(
            accepts(one, other, depth + 1, read=read)
            for one, other in zip(arguments[first:], narrow_arguments[first:], strict=True)
        )
    )


def _has_all(wide: str, narrow: str, depth: int) -> bool:
    """Whether an object type has all properties of another one, and maybe more."""
    needed, given = _members(wide), _members(narrow)
    return (
        needed is not None
        and given is not None
        and all(
            (found := given.get(name, given.get(name.removesuffix("?")))) is not None
            and accepts(type_, found, depth + 1, read=True)
            for name, type_ in needed.items()
        )
    )


def _members(text: str) -> dict[str, str] | None:
    """The properties of an object type with their types; None where something else is in it. (One that is optional is
    known by its name and the question mark.)"""
    found: dict[str, str] = {}
    for part in (each for by_line in split_at(text[1:-1], ";") for each in split_at(by_line, ",")):
        member = _MEMBER.fullmatch(part)
        if member is None or len(split_at(member[2], ":")) > 1:
            return None
        found[member[1]] = member[2]
    return found if text.endswith("}") else None


def _is_loosely(wide: str, narrow: str, depth: int = 0) -> bool:
    """Whether two options of unions are the same but for what stands in brackets and takes every type (`list[Any]`)."""
    one, other = _GENERIC.fullmatch(wide), _GENERIC.fullmatch(narrow)
    if one is None or other is None or one.group(1, 2) != other.group(1, 2) or depth >= _DEEPEST:
        return False
    mine, others = split_at(one[3], ","), split_at(other[3], ",")
    return len(mine) == len(others) and all(
        a == b or LOOSE in (a, b) or _is_loosely(a, b, depth + 1) for a, b in zip(mine, others, strict=True)
    )


def _generic(text: str) -> tuple[str, list[str]]:
    """A type's name without what it is qualified by, and its arguments."""
    found = _GENERIC.fullmatch(text)
    name = text if found is None else found[1]
    return name.rpartition(".")[2], split_at(found[3], ",") if found is not None else []


def same_type(one: str | None, other: str | None) -> bool:
    """Whether two types are the same, as far as their spelling tells."""
    return options_of(one) == options_of(other)


def one_spelling(type_: str, depth: int = 0) -> str:
    """A type in the one of its spellings that stands for all that mean the same: `list[X | None]` for
    `List[Optional[X]]`. `depth` is that of the brackets around it."""
    return type_ if type_.isidentifier() else "|".join(sorted(_options(type_, depth)))


def spelled_node(node: tree_sitter.Node, source: bytes) -> bytes | None:
    """The same of a node that is a type; None for one too long for it."""
    start, end = node.start_byte, node.end_byte
    return one_spelling(source[start:end].decode("utf-8", "replace")).encode() if end - start <= LONGEST else None


def options_of(type_: str | None) -> frozenset[str]:
    """The members of a union type, each in one spelling."""
    return frozenset() if type_ is None else _options(_QUALIFIER.sub("", type_), 0)


@lru_cache(maxsize=4096)
def _options(type_: str, depth: int) -> frozenset[str]:
    text = "".join(spaced(type_))
    if len(text) > LONGEST:
        return frozenset({text})
    found: set[str] = set()
    pending = [text]
    while pending:
        option = pending.pop()
        inner = re.fullmatch(r"(Optional|Union)\[(.*)\]", option, re.DOTALL)
        if inner:
            pending.extend(split_at(inner.group(2), ","))
            if inner.group(1) == "Optional":
                found.add("None")
            continue
        if option.startswith("?"):  # PHP
            pending.extend((option[1:], "null"))
            continue
        parts = split_at(option, "|")
        if len(parts) > 1:
            pending.extend(parts)
        elif option:
            found.add(_one_spelling(parts[0], depth))
    return frozenset(found)


def _one_spelling(option: str, depth: int) -> str:
    """The same of what is no union."""
    if depth >= _DEEPEST or "=>" in option or len(split_at(option, "&")) > 1:
        return option
    if option.endswith("[]"):
        is_read_only = _READ_ONLY.match(option)
        item = option[is_read_only.end() if is_read_only is not None else 0 : -2]
        if item.startswith("("):
            item = item[1:-1]
        return f"{'ReadonlyArray' if is_read_only else 'Array'}<{one_spelling(item, depth + 1)}>"
    found = _GENERIC.fullmatch(option)
    if found is None:
        return _EMPTY_INTERFACE.sub("any", option)
    name, opening, arguments = found.groups()
    if name in ("Literal", "Annotated"):
        return option
    each = [one_spelling(argument, depth + 1) for argument in split_at(arguments, ",")]
    return f"{name}{opening}{','.join(each)}{option[-1]}"


def spaced(type_: str) -> Iterable[str]:
    """The tokens of a type, with a space between words; quotes around a whole Python annotation are dropped. Where the
    end of a line ends a member of an object type, it is a semicolon."""
    stripped = _with_ends(type_.strip())
    if len(stripped) > 2 and stripped[0] in "'\"" and stripped[-1] == stripped[0] and "[" in stripped:
        stripped = stripped[1:-1]
    previous = ""
    for token in text_tokens(stripped, ""):
        if previous[-1:].isidentifier() and token[:1].isidentifier():
            yield " "
        yield token
        previous = token


def _with_ends(text: str) -> str:
    """A type with a semicolon where the end of a line ends a member of an object type that is written out in it."""
    if "{" not in text or "\n" not in text:
        return text
    written: list[str] = []
    opened: list[str] = []
    previous, ended = "", -1
    for found in _PIECE.finditer(text):
        piece = found.group()
        written.append(piece)
        if piece == "\n":
            ended = len(written) - 1 if ended < 0 else ended
        if piece.isspace() or piece.startswith(("//", "/*")):
            continue
        if ended >= 0 and opened[-1:] == ["{"] and previous not in _GOES_ON and piece not in _CONTINUES:
            written[ended] = "\n;"
        ended = -1
        if piece in _BRACKETS:
            opened.append(piece)
        elif piece in _BRACKETS.values() and opened and _BRACKETS[opened[-1]] == piece:
            opened.pop()
        previous = piece
    return "".join(written)


def split_at(text: str, separator: str) -> list[str]:
    """`text` split at a separator that stands in no bracket and no string."""
    parts, depth, start, quote = [], 0, 0, ""
    for index, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"`":
            quote = character
        elif character in "([{<":
            depth += 1
        elif character in ")]}" or (character == ">" and text[index - 1 : index] != "="):
            depth -= 1
        elif character == separator and depth == 0:
            parts.append(text[start:index])
            start = index + 1
    parts.append(text[start:])
    return [part for part in parts if part]

"""Names that expressions bind: loop variables, `as`, lambdas' parameters, `:=`.

They are found in the text, which is much faster than walking through all expressions: in a file that could be read
whole, a keyword outside of strings is one. Where the text doesn't tell for sure, that is said.
"""

from __future__ import annotations

import keyword
import re

_LOOP = re.compile(rb"for(?<!\wfor)\b(?:(.{0,300}?)\bin\b)?", re.DOTALL)
_AS = re.compile(
    rb"as(?<!\was)\b(?:\s*+(\w++|\((?:\s*+\w++\s*+,)*+\s*+\w*+\s*+\))"
    rb'(?:[^\S\r\n]*+(?=[,:)\r\n]|\Z)|[^\S\r\n]++(?=")))?'
)
_LAMBDA = re.compile(rb"lambda(?<!\wlambda)\b([^:]{0,500}+:)?")
_LAST = re.compile(rb"\W(\w++)\s*+\Z")
_LONGEST = 300  # bytes before `:=` in which its name is sought

_SPECIFIER = re.compile(rb"=|\b(?:as|for|lambda)\b")
_KEYWORDS = frozenset(word.encode() for word in keyword.kwlist)
_TARGETS = re.compile(rb"[\s\w,()\[\]*]*+")
_HELD = re.compile(rb"\w\s*+[(\[]")  # no target but what holds one: `a[0]`
_PARAMETERS = re.compile(rb'[\s\w,*/=.+"-]*+')
_PARAMETER = re.compile(rb"\s*+\**\s*+(\w+)\s*+(?:=.*)?", re.DOTALL)
_NO_PARAMETER = frozenset({b"", b"*", b"/"})
_WORD = re.compile(rb"\w+")


def is_plain(interpolation: bytes) -> bool:
    """Whether what stands in braces of an f-string has no format specifier that reads like code that binds a name."""
    at = interpolation.find(b":")
    return at < 0 or _SPECIFIER.search(interpolation, at) is None


def bound_by_loops(code: bytes) -> set[bytes] | None:
    """What loops and comprehensions bind; None when their text alone doesn't tell. `code` has no strings, comments and
    joined lines, and could be read whole."""
    found: set[bytes] = set()
    for targets in set(_LOOP.findall(code)):
        if not targets or _TARGETS.fullmatch(targets) is None or _HELD.search(targets) is not None:
            return None
        found.update(_WORD.findall(targets))
    return found


def named_with_as(code: bytes) -> list[bytes] | None:
    """The names after `as`, those of imports among them, each as often as it comes; None as above."""
    found: list[bytes] = []
    for target in _AS.findall(code):
        if not target:
            return None
        found += _WORD.findall(target)
    return found if _KEYWORDS.isdisjoint(found) else None


def bound_by_lambdas(code: bytes) -> set[bytes] | None:
    """What lambdas call their parameters; None as above."""
    found: set[bytes] = set()
    for head in set(_LAMBDA.findall(code)):
        parameters = head[:-1]
        if not head or _PARAMETERS.fullmatch(parameters) is None or b"lambda" in parameters:
            return None
        for each in parameters.split(b","):
            parameter = _PARAMETER.fullmatch(each)
            if parameter is not None:
                found.add(parameter.group(1))
            elif each.strip() not in _NO_PARAMETER:
                return None
    return found


def bound_by_walrus(code: bytes) -> set[bytes] | None:
    """What `:=` binds; None as above."""
    found: set[bytes] = set()
    at = code.find(b":=")
    while at >= 0:
        name = _LAST.search(code, max(0, at - _LONGEST), at)
        if name is None:
            return None
        found.add(name.group(1))
        at = code.find(b":=", at + 2)
    return found

"""Build constraints: which files can never be compiled together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import product
from typing import Final

SYSTEMS: Final = frozenset(
    [
        "aix",
        "android",
        "darwin",
        "dragonfly",
        "freebsd",
        "hurd",
        "illumos",
        "ios",
        "js",
        "linux",
        "nacl",
        "netbsd",
        "openbsd",
        "plan9",
        "solaris",
        "wasip1",
        "windows",
        "zos",
    ]
)
PROCESSORS: Final = frozenset(
    [
        "386",
        "amd64",
        "amd64p32",
        "arm",
        "armbe",
        "arm64",
        "arm64be",
        "loong64",
        "mips",
        "mipsle",
        "mips64",
        "mips64le",
        "mips64p32",
        "mips64p32le",
        "ppc",
        "ppc64",
        "ppc64le",
        "riscv",
        "riscv64",
        "s390",
        "s390x",
        "sparc",
        "sparc64",
        "wasm",
    ]
)
_UNIX: Final = frozenset(
    [
        "aix",
        "android",
        "darwin",
        "dragonfly",
        "freebsd",
        "hurd",
        "illumos",
        "ios",
        "linux",
        "netbsd",
        "openbsd",
        "solaris",
    ]
)
_IMPLIED: Final = {"android": "linux", "illumos": "solaris", "ios": "darwin"}
_LINE: Final = re.compile(rb"^//go:build[ \t]+(.*)$", re.MULTILINE)
_OLD_LINE: Final = re.compile(rb"^//[ \t]*\+build[ \t]+(.*)$", re.MULTILINE)
_PACKAGE: Final = re.compile(rb"^[ \t]*package\b", re.MULTILINE)
_TOKEN: Final = re.compile(r"\s*(&&|\|\||!|\(|\)|[\w.]+)")
_MOST_TAGS: Final = 6
_MOST_TOKENS: Final = 200

Clauses = tuple[str, ...]
"""Expressions in Go's syntax that must all hold."""


def constraints_of(path: str, source: bytes) -> Clauses:
    """What must hold for the file to be compiled, by its name and its first lines."""
    found = list(_by_name(path.rpartition("/")[2]))
    if b"build" in source:
        package = _PACKAGE.search(source)
        head = source[: package.start()] if package is not None else source[:4096]
        new = _LINE.search(head)
        if new is not None:
            found.append(new.group(1).decode("utf-8", "replace").strip())
        else:
            for old in _OLD_LINE.finditer(head):
                found.append(_modern(old.group(1).decode("utf-8", "replace")))
    return tuple(found)


def _by_name(name: str) -> Iterator[str]:
    parts = name.removesuffix(".go").removesuffix("_test").split("_")[1:]
    if parts and parts[-1] in PROCESSORS:
        yield parts.pop()
        if parts and parts[-1] in SYSTEMS:
            yield parts[-1]
    elif parts and parts[-1] in SYSTEMS:
        yield parts[-1]


def _modern(line: str) -> str:
    """A `// +build` line (blank: or, comma: and) in the syntax of `//go:build`."""
    options = [" && ".join(each for each in option.split(",") if each) for option in line.split()]
    return " || ".join(f"({option})" for option in options if option)


def together(one: Clauses, other: Clauses) -> bool:
    """Whether some build has both; True where that cannot be told."""
    if not one or not other or one == other:
        return True
    return _satisfiable(tuple(sorted({*one, *other})))


@lru_cache(maxsize=4096)
def _satisfiable(clauses: Clauses) -> bool:
    parsed = [_parsed(clause) for clause in clauses]
    tags = {word for tokens in parsed for word in tokens if word[0] not in "&|!()"}
    free = sorted(tag for tag in tags if tag not in SYSTEMS and tag not in PROCESSORS and tag != "unix")
    free = [tag for tag in free if not tag.startswith("go1")]
    if len(free) > _MOST_TAGS or any(not tokens or len(tokens) > _MOST_TOKENS for tokens in parsed):
        return True
    systems = [*sorted(tags & SYSTEMS), "linux", "plan9", "darwin"]
    processors = [*sorted(tags & PROCESSORS), "another"]
    for system, processor in product(dict.fromkeys(systems), processors):
        for chosen in product((False, True), repeat=len(free)):
            on = {system, processor, *(tag for tag, value in zip(free, chosen, strict=True) if value)}
            on.update(implied for implied in (_IMPLIED.get(system),) if implied)
            if system in _UNIX:
                on.add("unix")
            if all(_holds(tokens, on) for tokens in parsed):
                return True
    return False


def _parsed(clause: str) -> tuple[str, ...]:
    return tuple(_TOKEN.findall(clause))


def _holds(tokens: Iterable[str], on: set[str]) -> bool:
    """The value of an expression, by two stacks: nesting has no limit. What is malformed holds."""
    values: list[bool] = []
    operators: list[str] = []
    strength = {"||": 1, "&&": 2, "!": 3}

    def apply() -> None:
        operator = operators.pop()
        right = values.pop()
        if operator == "!":
            values.append(not right)
        else:
            left = values.pop()
            values.append(left and right if operator == "&&" else left or right)

    try:
        for word in tokens:
            if word == "(" or word == "!":
                operators.append(word)
            elif word == ")":
                while operators[-1] != "(":
                    apply()
                operators.pop()
            elif word in strength:
                while operators and operators[-1] != "(" and strength[operators[-1]] >= strength[word]:
                    apply()
                operators.append(word)
            else:
                values.append(word in on or word.startswith("go1"))
        while operators:
            apply()
    except IndexError:
        return True
    return values[-1] if values else True

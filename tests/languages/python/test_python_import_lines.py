"""Import statements told by the text of a file: what the facts have, or nothing where only the syntax tells."""

from __future__ import annotations

import time

import pytest

from graph.languages.python import PYTHON
from tests.graph.sources import syntax


def told(source: bytes) -> list[tuple[int, int, str, str | None, str | None]] | None:
    found = PYTHON.imports_by_text(source)
    return None if found is None else [(each.at, each.line, each.module, each.name, each.local) for each in found]


@pytest.mark.parametrize(
    "source",
    [
        b"import a, b.c as d\nfrom . import e\nfrom .f import (g as h,\n  i,  # why (not)\n)\nfrom j import *\n",
        b"def f():\n    import a\n    if a:\n        from b import c\n",
        b'"""\nimport a\nfrom b import c\n"""\nx = \'import d\'\n# import e\nimport f  # noqa\n',
        b"from __future__ import annotations\nimport a\n",
        b"\xef\xbb\xbfimport a\n",
        b"import a\r\nfrom b import (\r\n    c,\r\n)\r\n",
        b"from a import (\n    # one\n    b,\n)\nimportant = from_a = 1\n",
    ],
)
def test_the_text_and_the_facts_disagree(source: bytes) -> None:
    facts = [(each.at, each.line, each.module, each.name, each.local) for each in syntax("a.py", source).facts.imports]
    assert sorted(told(source) or [], key=str) == sorted(facts, key=str)


@pytest.mark.parametrize(
    "source",
    [
        b"if a: import b\n",
        b"x = 1; from.a import b\n",
        b"import importlib\nimportlib.import_module('a')\n",
        b"import a b\n",
        b"from a import b c\n",
        "import \u00fc\n".encode(),
    ],
)
def test_what_only_the_syntax_tells_is_told_by_the_text(source: bytes) -> None:
    assert told(source) is None


@pytest.mark.parametrize(
    "source",
    [
        b"import" + b" " * 200_000 + b";",
        b'\\"""\n' * 30_000,
        b"from a import(b)#\n" * 30_000,
        b"from a import (" + b"b as c, " * 30_000,
    ],
)
def test_hostile_lines_take_minutes(source: bytes) -> None:
    started = time.process_time()
    told(source)
    assert time.process_time() - started < 2

"""What a text tells of the words after its dots. It may name a word too many, never leave one out that code names."""

from __future__ import annotations

import io
import sysconfig
import time
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from graph.dots import Dots, is_dotted_string, names_member
from graph.languages.python.imports import SILENT_DOTS
from tests.graph.stories import Repo

STANDARD = sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))[::4]


def members(source: str) -> Iterator[str]:
    """The names after dots in code outside of import statements, by Python's own tokenizer."""
    before, in_import = "", False
    starts = {tokenize.NEWLINE, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING, tokenize.COMMENT}
    first = True
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in starts or token.string == ";":
            in_import = in_import and token.type != tokenize.NEWLINE
            first = True
            continue
        in_import = in_import or (first and token.string in ("from", "import"))
        if token.type == tokenize.NAME and before == "." and not in_import:
            yield token.string
        before, first = token.string, False


@pytest.mark.parametrize("path", STANDARD, ids=lambda path: path.name)
def test_a_member_of_real_code_is_never_left_out(path: Path) -> None:
    source = path.read_text(encoding="utf-8", errors="replace")
    dots = Dots(source.encode(), SILENT_DOTS)
    named = {name for name in members(source) if name.isascii()}
    assert {name for name in named if not dots.before_member(name.encode())} == set()


@pytest.mark.parametrize(
    "text",
    [
        "x.m()",
        "x. m()",
        "x.\\\n  m()",
        "(x.  # why\n  m())",
        "'a'.m()",
        "f'{x.m}'",
        "f'{a}.m.b'",  # more than a dotted name: not looked into
        "'it is x.m that counts'",
        "from a.b import c; x.m()",
        "import a.b; x.m()",
        "y = 'a' if x.m else 'b'",
        "yield_from = x.m",
        "'''a.m'''.b.m()",
        "import" + " " * 300 + "a.m",  # too far from the start of its line
    ],
)
def test_a_name_that_may_be_a_member(text: str) -> None:
    assert Dots(text.encode(), SILENT_DOTS).before_member(b"m")


@pytest.mark.parametrize(
    "text",
    [
        "m()",
        "from a.m import b",
        "    from .m.b import (c)",
        "import a.m.b",
        "'a.m.b'",
        '"a.m"',
        "x.mm()",
        "'''a.m.b'''",
    ],
)
def test_a_name_that_can_be_no_member(text: str) -> None:
    assert not Dots(text.encode(), SILENT_DOTS).before_member(b"m")


def test_a_name_in_a_type_in_a_string_may_be_an_attribute() -> None:
    assert Dots(b"x: 'A.m'").before_attribute(b"m")
    assert Dots(b"x: 'A.m.n'").before_attribute(b"m")
    assert not Dots(b"x: 'm'").before_attribute(b"m")


def test_the_answer_is_the_same_however_often_it_is_asked() -> None:
    text = b"x.a; 'p.b'; x.c; 'p.c'; 'q.d.e'; from_ . f"
    for _ in range(3):
        dots = Dots(text)
        for name, found in {"a": 1, "b": 0, "c": 1, "d": 0, "e": 0, "f": 1, "g": 0}.items():
            assert dots.before_member(name.encode()) == bool(found), name


def test_paths_in_strings() -> None:
    text = b"""'a.b.m', "a.m", 'm', '.m', 'a b.m', 'a.m.n', f'{x}.m', '1a.m', "x'a.m\""""
    found = [(path.decode(), text[at : at + 1]) for path, at in Dots(text).strings_ending(b"m")]
    assert found == [("a.b.m", b"m"), ("a.m", b"m"), ("a.m", b"m")]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("tax.total", True),
        ("tax . total", True),
        ("tax.\n total", True),
        ("a.tax.total", True),
        ("surtax.total", False),
        ("tax.totals", False),
        ("tax.subtotal", False),
        ("tax(total)", False),
        ("total.tax", False),
    ],
)
def test_a_name_after_the_name_of_its_module(text: str, named: bool) -> None:
    assert names_member(text.encode(), b"total", [b"tax", b"other"]) is named


@pytest.mark.parametrize(
    "text",
    [
        b"x" + b".m" * 300_000,
        b"'" + b"m." * 300_000 + b"'",
        b"import " + b"a.m." * 150_000,
        b"from " + b"m." * 300_000 + b" import m",
        b".m '" * 150_000,
        b"tax" + b" " * 300_000 + b".m" + b" . m" * 100_000,
    ],
    ids=["chain", "string", "import", "from", "quotes", "spaces"],
)
def test_a_hostile_text_takes_no_more_than_its_length(text: bytes) -> None:
    started = time.monotonic()
    dots = Dots(text, SILENT_DOTS)
    dots.before_member(b"m")
    dots.before_attribute(b"q")
    list(dots.strings_ending(b"m"))
    names_member(text, b"m", [b"tax"])
    at = len(text) // 2
    is_dotted_string(text, at, at + 1)
    assert time.monotonic() - started < 5


# ------------------------------------------------------------------------------------------------------ what follows

ALIAS = {
    "pkg/__init__.py": "",
    "pkg/kinds.py": """
        from typing import Union

        Amount = Union[int, str]


        class Order:
            Total = Union[int, str]

            def total_of(self):
                return 1
    """,
    "pkg/module_named.py": """
        import pkg.kinds


        def pay(amount: "pkg.kinds.Amount") -> None:  # TYPE:alias
            pass
    """,
    "pkg/member_named.py": """
        import pkg.kinds as k


        def bill(amount: "k.Order.Total") -> None:  # TYPE:member
            pass
    """,
    "pkg/nothing.py": """
        from pkg.total_of.rest import x
        from unittest import mock

        patched = mock.patch("elsewhere.total_of.delay")
    """,
}
CHANGED = ALIAS["pkg/kinds.py"].replace("[int, str]", "[int, str, bytes]").replace("return 1", "return 2")


def test_a_type_that_is_named_only_in_a_string_is_found(tmp_path: Path) -> None:
    repo = Repo(tmp_path).commit(ALIAS).commit({"pkg/kinds.py": CHANGED})
    briefing = repo.brief()
    assert briefing.callers("Amount") == repo.marked("alias")
    assert briefing.callers("Order.Total") == repo.marked("member")
    assert briefing.callers("Order.total_of") == []

"""Input that is meant to break a reader, or merely does."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graph.languages.python
from graph.languages.base import Syntax
from graph.languages.python import PYTHON
from tests.languages.python.marked import index, marked, read
from tests.languages.words import all_places, places

DEEP = 16_000


def ask_everything(syntax: Syntax, most: int = 40) -> None:
    """Every on-demand question about some names and all kinds of definitions."""
    offsets = all_places(PYTHON, syntax)
    for at in offsets[:: max(1, len(offsets) // most)] + offsets[-2:]:
        reference = PYTHON.reference(syntax, at)
        PYTHON.scopes(syntax, at)
        PYTHON.enclosing_class(syntax, at)
        PYTHON.expression(syntax, at, -1)
        PYTHON.passed_ahead(syntax, at)
        if reference is not None:
            PYTHON.narrowed(syntax, at, reference.target)
            PYTHON.arguments(syntax, reference.call_at)
    count = len(syntax.facts.definitions)
    for each in sorted({*range(min(count, most)), *range(max(0, count - 2), count)}):
        PYTHON.bases(syntax, each)
        PYTHON.type_parameters(syntax, each)
        PYTHON.fields(syntax, each)
        PYTHON.result(syntax, each)
        PYTHON.parameter_types(syntax, each)
        PYTHON.alias(syntax, each)
        PYTHON.value(syntax, each)
        PYTHON.decorated(syntax, each)
        for stated in (syntax.facts.definitions[each].returns, *syntax.facts.definitions[each].bases):
            PYTHON.loosened(stated or "")


@pytest.mark.parametrize(
    "source",
    [
        b"x = " + b"(" * DEEP + b"a" + b")" * DEEP,
        b"x = " + b"[" * DEEP + b"a" + b"]" * DEEP,
        b"x = a" + b".b" * DEEP,
        b"x = a" + b"()" * DEEP,
        b"x = " + b"a + " * DEEP + b"b",
        b"x = " + b'"a" + ' * DEEP + b'"b"',
        b"x = " + b"a or " * DEEP + b"b",
        b"x = " + b"not " * DEEP + b"b",
        b"x = " + b"a if b else " * 5000 + b"c",
        b"x = " + b"lambda y: " * 3000 + b"y",
        b"x = " + b"[y for y in " * 2000 + b"z" + b"]" * 2000,
        b"a = " * 5000 + b"x",
        b"(" * 3000 + b"a," + b")," * 3000 + b" = y",
        b"def f(x: " + b"List[" * 3000 + b"C" + b"]" * 3000 + b"): pass",
        b"def f(x: " + b"A | " * 5000 + b"C): pass",
        b'def f(x: "' + b"List[" * 300 + b"C" + b"]" * 300 + b'"): pass',
        b"def f():\n  if a: pass\n" + b"".join(b"  elif isinstance(x, A%d): x.a\n" % i for i in range(2000)),
        b"".join(b" " * i + b"if isinstance(x, C):\n" for i in range(400)) + b" " * 400 + b"x.a()",
        b"".join(b" " * i + b"class C(D):\n" for i in range(400)) + b" " * 400 + b"f()",
        b"@a\n" * 4000 + b"def f(): pass",
        b"match x:\n  case " + b"C(" * 2000 + b"a" + b")" * 2000 + b": pass\n",
        b"__all__ = " + b'["a"] + ' * 8000 + b'["b"]',
        b"X = {" + b'"a": f, ' * 20_000 + b"}",
        b"from a import (" + b"b, " * 10_000 + b")",
        b"".join(b"C%d = %d\n" % (i, i) for i in range(10_000)),
        b")(*&^%$!}{][" * 2000,
        b"\xff\xfe" + "def f(): pass".encode("utf-16-le"),
        b"",
        b"\n",
        b"# only a comment",
        b"\0" * 100,
    ],
    ids=lambda source: repr(source[:12]),
)
def test_deep_flat_huge_and_empty_files_are_read_without_harm(source: bytes) -> None:
    ask_everything(read(source))


def test_a_byte_order_mark_hides_nothing_and_moves_no_line() -> None:
    facts = read(b"\xef\xbb\xbfimport a\ndef f(): pass\n").facts
    assert [(i.module, i.line) for i in facts.imports] == [("a", 1)]
    assert [(d.name, d.line) for d in facts.definitions] == [("f", 2)]
    assert facts.degraded == 0


def test_crlf_leaves_no_carriage_return_in_names_and_lines_stay() -> None:
    source = b"from .a import b\r\nclass C(\r\n    B,\r\n):\r\n    def m(self): return x\r\n"
    facts = read(source).facts
    assert facts.imports[0].module == ".a" and facts.imports[0].name == "b"
    assert [(d.name, d.line, d.bases) for d in facts.definitions] == [("C", 2, ("B",)), ("m", 5, ())]


def test_lone_carriage_returns_end_python_lines_but_are_no_lines_of_git() -> None:
    facts = read(b"def f(): pass\rdef g(): pass\r").facts
    assert [(d.name, d.line) for d in facts.definitions] == [("f", 1), ("g", 1)]


def test_a_nul_byte_costs_at_most_what_stands_beside_it() -> None:
    syntax = read(b"def f():\n    x = 'a\0b'\n\0\ndef g():\n    return f()\n")
    assert [d.name for d in syntax.facts.definitions] == ["f", "g"]
    assert len(places(PYTHON, syntax, "f")) == 2


def test_bytes_that_are_not_utf8_cost_no_other_definition() -> None:
    syntax = read(b"# caf\xe9\ndef before(): pass\nx = '\xff\xfe'\ndef caf\xe9(): pass\ndef after(): return before()\n")
    names = [d.name for d in syntax.facts.definitions]
    assert {"before", "x", "after"} <= set(names)
    assert len(places(PYTHON, syntax, "before")) == 2


def test_names_in_other_scripts_are_names() -> None:
    syntax, (at,) = marked("def größe(): pass\nplus = @@größe()\n")
    assert [d.name for d in syntax.facts.definitions] == ["größe", "plus"]
    reference = PYTHON.reference(syntax, at)
    assert reference is not None and reference.name == "größe"
    assert at in places(PYTHON, syntax, "größe")


def test_a_file_that_is_mostly_unreadable_says_so() -> None:
    facts = read(b"def f(): pass\n" + b"%% {{{ (((\n" * 200).facts
    assert facts.degraded > 0 and facts.unreadable


def test_one_bad_place_degrades_a_file_but_leaves_it_readable() -> None:
    facts = read(b"def f(): pass\n" * 20 + b"x = = 3\n" + b"def g(): pass\n" * 20).facts
    assert facts.degraded > 0 and not facts.unreadable
    assert {"f", "g"} <= {d.name for d in facts.definitions}


def test_python_2_is_read_as_far_as_it_goes() -> None:
    syntax = read(b'print "hello"\ndef f(): pass\nexec "x"\nf()\n')
    assert [d.name for d in syntax.facts.definitions] == ["f"]
    assert len(places(PYTHON, syntax, "f")) == 2


def test_the_same_bytes_give_the_same_facts() -> None:
    source = Path(graph.languages.python.__file__).read_bytes()
    assert read(source).facts == read(source).facts


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=300))
def test_no_bytes_make_it_raise(source: bytes) -> None:
    ask_everything(read(source), most=10)


PIECES = [
    "def ",
    "class ",
    "f",
    "C",
    "(",
    ")",
    "[",
    "]",
    ":",
    "\n",
    "\n    ",
    "x",
    " = ",
    ".",
    ",",
    "*",
    "**",
    "'",
    '"',
    "async ",
    "await ",
    "lambda ",
    "for ",
    " in ",
    "if ",
    "match x:\n",
    "case ",
    "import ",
    "from ",
    " as ",
    "@",
    "isinstance(x, C)",
    "return ",
    "yield ",
    "global ",
    "with ",
    "->",
    "|",
    ":=",
    "\\",
    "#",
    "{",
    "}",
    "f'{",
    "self",
    "None",
    "\r",
    "\0",
    "é",
]


@settings(max_examples=120, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=60))
def test_no_jumble_of_python_makes_it_raise(pieces: list[str]) -> None:
    ask_everything(read("".join(pieces).encode()), most=10)


@settings(max_examples=40, deadline=None)
@given(
    st.randoms(use_true_random=False), st.sampled_from(["bindings.py", "lower.py", "definitions.py", "builtins.stub"])
)
def test_no_damage_to_real_code_makes_it_raise(chance: random.Random, name: str) -> None:
    source = bytearray((Path(graph.languages.python.__file__).parent / name).read_bytes()[:6000])
    for _ in range(chance.randint(1, 30)):
        at = chance.randrange(len(source))
        what = chance.randrange(3)
        if what == 0:
            del source[at : at + chance.randint(1, 40)]
        elif what == 1:
            source[at:at] = chance.choice([b"(", b"'", b'"""', b"\n", b":", b"\xff", b"]", b"def ", b"class "])
        else:
            source[at] = chance.randrange(256)
        if not source:
            break
    ask_everything(read(bytes(source)), most=10)


def test_cyclic_and_self_referring_names_are_lowered_once() -> None:
    syntax, _ = marked("class C(C):\n    x = x\n    def m(self): self.y = self.y\na = a\n")
    ask_everything(syntax)
    assert list(PYTHON.fields(syntax, index(syntax, "C"))) == ["x", "y"]

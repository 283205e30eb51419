"""The statements and the text of a file tell what the query over all of its tree tells, or say that they don't."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graph
from graph.facts import FileFacts
from graph.languages.python import PYTHON
from graph.languages.python.extract import extract, facts_of
from graph.languages.python.outline import captured
from graph.languages.python.statements import walked

MANY = 20_000


def both(source: bytes) -> tuple[FileFacts, bool]:
    """The facts by the quick way, which are those of the thorough one, and whether the quick one alone was enough."""
    tree = PYTHON.parse(source)
    root = tree.root_node
    facts = extract(source, tree)
    assert facts == facts_of(source, root, captured(source, root))
    return facts, walked(source, root) is not None


QUICK = [
    "a = b = 1\na, *b = c\n[d, (e, f)] = g\nh.i = j[k] = 2\nl: int\nm: int = 3\nn += 1\ndel o\ndel p, q\n",
    "def f():\n    a = b = 1\n    a, *b = c\n    h.i = j[k] = 2\n    m: int = 3\n    n += 1\n    del o\n",
    "if a: b = 1; c = 2\nelse: d = 3\ntry: e = 4\nexcept E as f: g = 5\nfinally: h = 6\nwhile a: i = 7\n",
    "for a, (b, [*c]) in d: e = 1\nasync def f():\n    async for g in h: pass\n    async with i as j: pass\n",
    "with a as b, c() as d: pass\nwith (a as e, c as f): pass\nwith a as (g, h): pass\nwith a as i:  # so\n    pass\n",
    "x = [a for a, b in c if d]\ny = {e: f for e, f in g}\nz = (h for (h) in i for j in h)\n",
    "x = lambda: 0\ny = lambda a, *b, c=1, d='', **e: a\nz = [lambda f, /, g, *, h: 1]\n",
    "if (a := 1) and (b\n := 2): pass\nprint(c := 3)\n",
    "import a as b, c.d as e\nfrom f import (g as h,\n    i as i)\ndef j():\n    import k as l\n",
    'def f(a: List["A"], *b: "B", c: "C | D" = 1, **d: Opt["E"] | "F") -> "G": pass\n',
    'a: "A" = 1\nb: Dict[str, "B"]\nclass C:\n    d: "D"\n    e: List[E]\ndef f():\n    g: "G" | H\n',
    'class A[T: "B"](C): pass\ndef f[U, *V](a: U): pass\ntype X[W] = "Y"\ndef g():\n    type Z[S] = S\n',
    "def f(a, (b, c), d=(1, 2)): pass\n",
    "def f():\n    yield 1\n    def g(): return [(yield)]\n# yield\nclass A:\n    def h(self): 'yield'\n",
    "@a(lambda b: c)\n@d\nclass E:\n    @f\n    async def g(self): pass\n    @property\n    def h(self): yield\n",
    "x = f'{a} {b!r:>{c}} {[d for d in e]} {(lambda: 0)()}' F'{g}' rf'{h}' fR'{i}' 'of' f'{{j}}'\n",
    'x = f"{a["b"]} {f"{c}"}"\nd = f"""{e\n}"""\n',
    "'''as b'''  # for c in d\ne = 'lambda f: g'\nclassic = as_ = forth = lambdas = 1\n",
    "a = 1 + \\\n  2\nfor b \\\n  in c: pass\n",
    "def f(): pass\r\nwith a as b:\r\n    c = 1\r\n",
    "match = case = type = print = 1\nmatch.case = type(print)\n",
    "print 'a', b\nexec 'c' in d\n",
    "",
]


@pytest.mark.parametrize("source", QUICK)
def test_usual_files_need_no_walk_through_their_expressions(source: str) -> None:
    assert both(source.encode())[1]


@pytest.mark.parametrize(
    "source",
    [
        "match a:\n    case B(c) as d: e = 1\n    case [f, *g]: pass\n",
        "for a.b in c: pass\n",
        "for d[0] in e: pass\n",
        "with a as b.c: pass\n",
        "with a as f'{b}': pass\n",
        "with a as b or c: pass\n",
        "with a as (b for c in d): pass\n",
        "with a as (None, b): pass\n",
        "x = lambda a=[1, 2], b={c: d}: a\n",
        "x = lambda a=lambda b: c: d\n",
        "x = f'{a!r:=10} {b:as c:>3} {d!s:for e in f}'\n",
        "größe = [a for a in b]\n",
        "def f(:\n    a = 1\n",
        "a = 'b\0c'\n",
        "a\0:= 1\n",
    ],
)
def test_what_the_text_does_not_tell_is_asked_of_the_tree(source: str) -> None:
    assert not both(source.encode())[1]


def test_a_name_is_not_taken_for_local_where_only_the_module_binds_it_twice() -> None:
    facts, _ = both(b"f = None\nwith a as f: pass\nimport b as c\nfor c in d: pass\ndef g():\n    for h in i: pass\n")
    assert facts.local_names == {"h"}
    facts, _ = both(b"f = None\ndef g():\n    with a as f: pass\n")
    assert facts.local_names == {"f"}


@pytest.mark.parametrize(
    "source",
    [
        b"x = [" + b"lambda a, b=1: a, " * MANY + b"]",
        b"x = " + b"lambda a: " * 3000 + b"b",
        b"x = " + b"[" * MANY + b"a" + b"]" * MANY,
        b"f(" + b"a=1, " * MANY * 10 + b")",
        b"x = lambda a=" + b"b." * MANY + b"c: 1",
        b"x = " + b'f"{a}" ' * MANY,
        b'x = f"' + b"{a:b}" * MANY + b'"',
        b'x = f"{a:' + b"{b}" * MANY + b'}"',
        b'x = f"{a[1:2]:' + b":" * MANY + b'}"',
        b"x = [" + b"'of', " * MANY + b"]",
        b"x = [" + b"[a for a in b], " * MANY + b"]",
        b"x = '" + b"for " * MANY + b"'",
        b"with " + b"a as b, " * MANY + b"c: pass",
        b"with a as (" + b"b, " * MANY + b"): pass",
        b"import " + b"a as b, " * MANY + b"c",
        b"x = [" + b"(a := 1), " * MANY + b"]",
        b"x = (" + b"\n" * MANY + b"a" + b"\n" * MANY + b":= 1)",
        b"def f():\n  x = [" + b"(yield), " * MANY + b"]",
        b"def f():\n  x = " + b"(yield " * 3000 + b")" * 3000,
        b"if a: pass\n" + b"elif b: c = 1\n" * 3000,
        b"a = " * 3000 + b"1",
        b"x" * 2_000_000 + b" = 1",
    ],
    ids=lambda source: repr(source[:16]),
)
def test_neither_way_is_hurt_by_deep_and_long_files(source: bytes) -> None:
    both(source)


def test_both_ways_agree_on_this_very_program() -> None:
    quick = [both(path.read_bytes())[1] for path in sorted(Path(graph.__file__).parent.rglob("*.py"))]
    assert sum(quick) > 0.7 * len(quick)


PIECES = [
    *("a", "b", "_", " = ", "=", ", ", ".", "(", ")", "[", "]", ": ", "\n", "\n    ", ";", "\\\n", "'", '"', "#", "*"),
    *("for a in b", " as ", " as c:", "lambda ", "lambda d: ", ":=", "(e := 1)", "f'{g}'", "f'{", "}'", "del ", " += "),
    *(
        "def f(a):\n    ",
        "class C:\n    ",
        "with a as h: ",
        "import i as j\n",
        "yield ",
        ' "K"',
        "x: L[M]",
        "match n:\n",
    ),
]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES) | st.sampled_from(QUICK), max_size=12))
def test_both_ways_agree_on_any_jumble(pieces: list[str]) -> None:
    both("".join(pieces).encode())

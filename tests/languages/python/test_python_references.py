"""What a name at a place refers to."""

from __future__ import annotations

import pytest

from graph.expressions import Arguments, Taken, Use
from graph.languages.base import Syntax
from graph.languages.python import PYTHON
from tests.languages.calls import passed, use
from tests.languages.python.marked import marked, read, text


@pytest.mark.parametrize(
    ("code", "kind", "target"),
    [
        ("@@f(1)", "call", "f"),
        ("a.b.@@f()", "call", "Member(Member(a, b), f)"),
        ("(await a).@@f()", "call", "Member(Await(a), f)"),
        ("a.@@b.c()", "value", "Member(a, b)"),
        ("@@@a\ndef f(): pass", "decorator", "a"),
        ("@a.@@route('/')\ndef f(): pass", "decorator", "Member(a, route)"),
        ("@@@app.route('/')\ndef f(): pass", "value", "app"),
        ("class C(@@Base, metaclass=M): pass", "base", "Base"),
        ("class C(Base, metaclass=@@M): pass", "value", "M"),
        ("class C(mod.@@Base[T]): pass", "base", "Member(mod, Base)"),
        ("class C(Base[@@T]): pass", "value", "T"),
        ("f(@@g)", "argument", "g"),
        ("f(key=@@g)", "argument", "g"),
        ("f(key=a.@@g)", "argument", "Member(a, g)"),
        ("f(*@@g)", "value", "g"),
        ("x = {'k': @@g}", "value", "g"),
        ("def f(a=@@g): pass", "value", "g"),
        ("def f(a: @@C): pass", "type", "C"),
        ("def f() -> list[m.@@C]: pass", "type", "Member(m, C)"),
        ("def f(a: 'list[m.@@C] | None'): pass", "type", "Member(m, C)"),
        ("def f(*a: @@C): pass", "type", "C"),
        ("x = [*@@g]", "value", "g"),
        ("def f(a: list[Annotated['@@C', lazy('m')]]): pass", "type", "C"),
        ("x: Annotated['@@C', 1] | None", "type", "C"),
        ("x: t.Optional['@@C']", "type", "C"),
        ("x: t.Optional[t.List['m.@@C']]", "type", "Member(m, C)"),
        ("x: Callable[['@@C'], None]", "type", "C"),
        ("x: @@C = 1", "type", "C"),
        ("x = Annotated[int, f(@@LIMIT)]", "argument", "LIMIT"),
        ("try: pass\nexcept @@E: pass", "value", "E"),
        ("try: pass\nexcept (A, @@E) as e: pass", "value", "E"),
        ("isinstance(x, @@C)", "argument", "C"),
        ("f'{@@a!r}'", "value", "a"),
        ("match x:\n  case @@C(y=1): pass", "value", "C"),
        ("match x:\n  case m.@@C(): pass", "value", "Member(m, C)"),
        ("match x:\n  case Color.@@RED: pass", "value", "Member(Color, RED)"),
        ("@@Box[int](1)", "call", "Box"),
        ("HANDLERS[@@k](1)", "value", "k"),
        ("@@x += 1", "value", "x"),
        ("del @@x", "value", "x"),
        ("for a in @@xs: pass", "value", "xs"),
        ("[a for a in @@xs]", "value", "xs"),
        ("with @@a as b: pass", "value", "a"),
        ("def f():\n  global G\n  @@G = 1", "value", "G"),
        ("super().@@f()", "call", "Member(Super(), f)"),
        ("print(@@x)", "argument", "x"),
        ("assert @@x", "value", "x"),
        ("return_ = yield_(@@x)", "argument", "x"),
        ("type X = list[@@C]", "type", "C"),
        ("def f[T: @@Bound](x): pass", "type", "Bound"),
    ],
)
def test_a_use_has_its_kind_and_target(code: str, kind: str, target: str) -> None:
    syntax, (at,) = marked_once(code)
    reference = PYTHON.reference(syntax, at)
    assert reference is not None
    assert (reference.kind, text(reference.target)) == (kind, target)
    assert reference.at == at


@pytest.mark.parametrize(
    "code",
    [
        "def @@f(): pass",
        "class @@C: pass",
        "def f(@@a, b=1): pass",
        "def f(a, @@b=1): pass",
        "def f(*@@a): pass",
        "def f(*@@a: Any): pass",
        "def f(**@@k: Any): pass",
        "lambda *@@a: a",
        "with a as (b, *@@c): pass",
        "def f(a, **@@k): pass",
        "def f(@@a: int): pass",
        "def f(@@a: int = 1): pass",
        "lambda @@a: a",
        "f(@@key=1)",
        "@@x = 1",
        "@@x: int = 1",
        "@@a, b = c",
        "(a, [@@b]) = c",
        "for @@x in y: pass",
        "[x for @@x in y]",
        "with a as @@b: pass",
        "with a as (b, @@c): pass",
        "try: pass\nexcept E as @@e: pass",
        "(@@x := 1)",
        "global @@x",
        "import a as @@b",
        "from @@a import b",
        "from a import b as @@c",
        "match x:\n  case @@y: pass",
        "match x:\n  case C(@@y=1): pass",
        "match x:\n  case C() as @@y: pass",
        "match x:\n  case [*@@y]: pass",
        "def f[@@T](x): pass",
        "type @@X = int",
        "x = 'a string with @@word'",
        "# a comment with @@word",
        "x = {'@@word': 1}",
    ],
)
def test_what_is_bound_or_only_a_label_refers_to_nothing(code: str) -> None:
    syntax, (at,) = marked_once(code)
    assert PYTHON.reference(syntax, at) is None


def marked_once(code: str) -> tuple[Syntax, list[int]]:
    # In "@@@a" the first sign is the decorator's own, the other two are the mark.
    if code.startswith("@@@"):
        syntax, offsets = marked(code.replace("@@@", " @@", 1) + "\n")
        return read(b"@" + syntax.source[1:]), offsets
    return marked(code + "\n")


@pytest.mark.parametrize(
    ("code", "write"),
    [
        ("self.@@x = 1", True),
        ("self.@@x: int = 1", True),
        ("self.@@x += 1", True),
        ("a, self.@@x = 1, 2", True),
        ("for self.@@x in y: pass", True),
        ("with a as self.@@x: pass", True),
        ("del self.@@x", True),
        ("self.@@x.y = 1", False),
        ("self.@@x[0] = 1", False),
        ("y = self.@@x", False),
    ],
)
def test_an_assigned_attribute_is_a_write(code: str, write: bool) -> None:
    syntax, (at,) = marked(code + "\n")
    reference = PYTHON.reference(syntax, at)
    assert reference is not None and reference.write is write


@pytest.mark.parametrize(
    ("code", "module", "name"),
    [
        ("from m import @@f", "m", "f"),
        ("from m import @@f as g", "m", "f"),
        ("from m import (a, @@f)", "m", "f"),
        ("import @@a", "a", None),
        ("import a.@@b as c", "a.b", None),
        ("import a.b.@@c", "a.b.c", None),
    ],
)
def test_an_imported_name_tells_its_import(code: str, module: str, name: str | None) -> None:
    syntax, (at,) = marked(code + "\n")
    reference = PYTHON.reference(syntax, at)
    assert reference is not None and reference.kind == "import"
    imported = syntax.facts.imports[reference.import_index]
    assert (imported.module, imported.name) == (module, name)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("@@f()", Arguments(0)),
        ("@@f(1, 2, k=3)", Arguments(2, ("k",), literals=(None, None))),
        ("@@f(*a, **b)", Arguments(0, (), True, True)),
        ("@@f(x for x in y)", Arguments(1, literals=(None,))),
        ("@@f(  # why\n  1,\n)", Arguments(1, literals=(None,))),
        ("@@f(1)(2, 3)", Arguments(1, literals=(None,))),
        ("a.@@f(1)(2, 3)", Arguments(1, literals=(None,))),
        ("@a.@@f(1, k=2)\ndef g(): pass", Arguments(1, ("k",), literals=(None,))),
    ],
)
def test_what_a_call_passes(call: str, expected: Arguments) -> None:
    syntax, (at,) = marked(call + "\n")
    assert passed(PYTHON, syntax, at) == expected


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("@@f()", ("nothing", None)),
        ("(@@f())", ("nothing", None)),
        ("x = @@f()", ("other", None)),
        ("await @@f()", ("awaited", None)),
        ("x = await (@@f())", ("awaited", None)),
        ("@@f().name", ("member", None)),
        ("@@f()[0]", ("member", None)),
        ("g()[@@f()]", ("other", None)),
        ("for x in @@f(): pass", ("member", None)),
        ("async for x in @@f(): pass", ("other", None)),
        ("[x for x in @@f()]", ("member", None)),
        ("a, b = @@f()", ("unpacked", Taken(2, 2))),
        ("a, (b, c), *d = @@f()", ("unpacked", Taken(2, None))),
        ("x = a, b = @@f()", ("unpacked", Taken(2, 2))),
        ("return @@f()", ("other", None)),
        ("g(@@f())", ("other", None)),
    ],
)
def test_what_becomes_of_a_result_is_misread(statement: str, expected: tuple[Use, Taken | None]) -> None:
    syntax, (at,) = marked(f"async def use(g):\n    {statement}\n")
    assert use(PYTHON, syntax, at) == expected


def test_a_name_that_is_not_called_has_no_arguments() -> None:
    syntax, (at,) = marked("x = @@f\n")
    reference = PYTHON.reference(syntax, at)
    assert reference is not None and reference.call_at == -1
    assert PYTHON.arguments(syntax, at) is None

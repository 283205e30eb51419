"""What classes, functions and values declare."""

from __future__ import annotations

import pytest

from graph.expressions import Result
from graph.languages.python import PYTHON
from tests.languages.python.marked import index, marked, text


def shown(result: Result) -> str:
    parts = [text(result.annotation)] if result.annotation is not None else []
    parts += [f"returns {text(v)}" for v in result.values] + [f"yields {text(v)}" for v in result.yields]
    parts += ["async"] * result.asynchronous + ["generator"] * result.generator
    return "; ".join(parts)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        ("def f() -> C: return 1", "C"),
        ("async def f() -> C: ...", "C; async"),
        ("async def f() -> AsyncIterator[C]:\n    yield 1", "TypeName(AsyncIterator, C)"),
        ("def f(): return C()", "returns Call(C)"),
        ("def f():\n    if a: return A()\n    return None", "returns Call(A)"),
        ("def f(): return", ""),
        ("def f(): return None", "returns Literal(None)"),
        ("def f(): return a, b", "returns Sequence(tuple, a, b)"),
        ("def f():\n    def g(): return 1\n    return lambda: 2", "returns Function()"),
        ("def f():\n    yield a\n    yield from b", "yields a; yields Element(b); generator"),
        ("async def f(): return a", "returns a; async"),
    ],
)
def test_what_a_function_gives_back(function: str, expected: str) -> None:
    syntax, _ = marked(function + "\n")
    assert shown(PYTHON.result(syntax, 0)) == expected


def test_what_a_lambda_gives_back() -> None:
    syntax, (at,) = marked("f = @@lambda x: x.y\n")
    assert shown(PYTHON.function_result(syntax, at)) == "returns Member(x, y)"


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("class C: pass", ""),
        ("class C(A, m.B, metaclass=M): pass", "Base(A, extends), Base(Member(m, B), extends), Base(M, metaclass)"),
        ("class C(Repo[User], Generic[T]): pass", "Base(Repo, User, extends), Base(Generic, T, extends)"),
        ("class C(dict[str, 'X']): pass", "Base(dict, str, X, extends)"),
        ("class C(make_base()): pass", "Base(Call(make_base), extends)"),
        ("class C(*bases): pass", ""),
    ],
)
def test_the_bases_of_a_class(header: str, expected: str) -> None:
    syntax, _ = marked(header + "\n")
    assert text(PYTHON.bases(syntax, index(syntax, "C"))) == expected


@pytest.mark.parametrize(
    ("code", "name", "expected"),
    [
        ("class C[T, U: Bound, *Ts, **P]: pass", "C", "T; U: Bound; Ts; P"),
        ("def f[T](x: T) -> T: ...", "f", "T"),
        ("type A[T] = list[T]", "A", "T"),
        ("T = TypeVar('T', bound='Base')\nclass C(Generic[T]): pass", "C", "T: Base"),
        ("T = TypeVar('T', A, B)\nclass C(Protocol[T]): pass", "C", "T: UnionType(A, B)"),
        ("T = TypeVar('T')\nclass C(Base[T, int]): pass", "C", "T"),
        ("from m import ModelT\nclass C(Base[ModelT]): pass", "C", "ModelT"),
        ("from m import User\nclass C(Base[User]): pass", "C", ""),
        ("T = TypeVar('T')\ndef f(x: list[T]) -> T: ...", "f", "T"),
        ("T = TypeVar('T')\nclass C(Generic[T]):\n    def m(self, x: T) -> T: ...", "C.m", ""),
        ("T = TypeVar('T')\nPair = tuple[T, T]", "Pair", "T"),
        ("class C(Base): pass", "C", ""),
    ],
)
def test_type_parameters(code: str, name: str, expected: str) -> None:
    syntax, _ = marked(code + "\n")
    found = PYTHON.type_parameters(syntax, index(syntax, name))
    assert "; ".join(p.name + (f": {text(p.bound)}" if p.bound else "") for p in found) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x = f()", "Call(f)"),
        ("x: C", "C"),
        ("x: C = field(default_factory=C)", "C"),
        ("def m(self): self.x = f()", "Call(f)"),
        ("def m(this): this.x: C = f()", "C"),
        ("def m(self): a, self.x = f()", "Item(Call(f), 1)"),
        ("def m(self):\n        if a:\n            self.x = f()", "Call(f)"),
        ("def m(self):\n        with f() as self.x: pass", "Entered(Call(f))"),
        ("def m(self):\n        for self.x in f(): pass", "Element(Call(f))"),
        ("def m(self): self.y = self.x = f()", "Call(f)"),
        ("@classmethod\n    def m(cls): cls.x = f()", "Call(f)"),
        ("def __new__(cls):\n        new = super().__new__(cls)\n        new.x = f()\n        return new", "Call(f)"),
        ("@staticmethod\n    def m(a): a.x = f()", None),
        ("def m(self): other.x = f()", None),
        ("def m(self): self.x.y = f()", None),
        ("def x(self): pass", None),
        ("x = property(get_x)", "Call(property, Argument(get_x))"),
    ],
)
def test_fields_of_a_class(body: str, expected: str | None) -> None:
    syntax, _ = marked(f"class C:\n    {body}\n")
    found = PYTHON.fields(syntax, 0).get("x")
    shown_field = text(found[0].annotation or found[0].value) if found else None
    assert shown_field == expected


def test_a_field_says_every_place_where_it_is_assigned() -> None:
    syntax, _ = marked("class C:\n    x = None\n    def m(self): self.x = A()\n    def n(self): self.x = B()\n")
    assert [text(b.value) for b in PYTHON.fields(syntax, 0)["x"]] == ["Literal(None)", "Call(A)", "Call(B)"]


def test_enum_members_are_fields_and_slots_are_not() -> None:
    syntax, _ = marked("class Color(Enum):\n    __slots__ = ()\n    RED = 1\n    BLUE = auto()\n")
    assert list(PYTHON.fields(syntax, 0)) == ["RED", "BLUE"]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("X = Union[A, B]", "UnionType(A, B)"),
        ("X = A | None", "UnionType(A, None)"),
        ("X: TypeAlias = 'A'", "A"),
        ("type X = list[A]", "TypeName(list, A)"),
        ("X = Dict[str, A]", "TypeName(dict, str, A)"),
        ("X = NewType('X', int)", "int"),
        ("X = table[key]", None),
        ("X = a + b", None),
        ("X = f()", None),
    ],
)
def test_what_an_alias_stands_for(code: str, expected: str | None) -> None:
    syntax, _ = marked(code + "\n")
    found = PYTHON.alias(syntax, 0)
    assert (text(found) if found is not None else None) == expected


def test_decorators_from_the_outermost_in() -> None:
    syntax, _ = marked("@app.route('/')\n@login\ndef f(): pass\ndef g(): pass\n")
    assert text(PYTHON.decorated(syntax, 0)) == "Call(Member(app, route), Argument(Literal(str))), login"
    assert PYTHON.decorated(syntax, 1) == ()


def test_a_reassigned_module_name_keeps_the_value_of_each_assignment() -> None:
    syntax, _ = marked("x = A()\nx = B()\n")
    assert [text(PYTHON.value(syntax, i).value) for i in (0, 1)] == ["Call(A)", "Call(B)"]  # type: ignore[union-attr]

"""Signatures: which changes break callers, and which calls no longer fit. Never a guess."""

from __future__ import annotations

import pytest

from graph.expressions import Arguments
from graph.facts import Definition
from graph.languages import language_of
from graph.signatures import compatible, compatible_group, differences, fits, fits_any, same_declaration
from graph.type_spellings import accepts
from tests.graph.sources import syntax


def python(text: str) -> tuple[Definition, ...]:
    """The functions of Python source; `f(...)` alone is short for a whole definition."""
    return syntax(
        "a.py", text if text.lstrip().startswith(("def", "class", "async", "@")) else f"def {text}: ..."
    ).facts.definitions


def typescript(text: str) -> tuple[Definition, ...]:
    prefixed = text if text.startswith(("export", "function", "class", "const")) else f"export function {text} {{}}"
    return syntax("a.ts", prefixed).facts.definitions


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        # what existing calls need not pass
        ("f(a)", "f(a, b=1)", True),
        ("f(a)", "f(a, *rest)", True),
        ("f(a)", "f(a, **more)", True),
        ("f(a)", "f(a, *, b=1)", True),
        ("f(a)", "f(a=1)", True),
        ("f(a, *, b)", "f(a, *, b=2)", True),
        ("f(a, *, b)", "f(a, b)", True),
        ("f(a, /)", "f(b, /)", True),
        ("f(a, /)", "f(a)", True),
        ("f(*args)", "f(*values)", True),
        ("f(*args, **kw)", "f(*args, a=1, **kw)", True),
        ("f(a, b)", "f(*args, **kw)", True),
        ("f(a)", "f(a: int)", True),
        ("f(a: int) -> int", "f(a: int | str) -> int", True),
        ("f(a: int) -> Optional[int]", "f(a: Optional[int]) -> int", True),
        ("f(a: typing.Optional[X])", "f(a: X | None)", True),
        ("f(a: 'list[X]')", "f(a: list[X])", True),
        # what takes more in what is only read
        ("f(a: Iterable[str])", "f(a: Iterable[str | PathLike[str]])", True),
        ("f(a: cabc.Iterable[str] | None)", "f(a: str | cabc.Iterable[str | None] | None = None)", True),
        ("f(a: list[str])", "f(a: Sequence[str])", True),
        ("f(a: list[str])", "f(a: typing.Iterable[str | None])", True),
        ("f(a: dict[str, int])", "f(a: Mapping[str, int | None])", True),
        ("f(a: tuple[int, ...])", "f(a: tuple[int | None, ...])", True),
        ("f(a: list)", "f(a: Iterable[str])", True),
        ("f() -> Sequence[int | None]", "f() -> list[int]", True),
        ("f(a: list[str])", "f(a: list[str | None])", False),
        ("f(a: Sequence[str])", "f(a: list[str])", False),
        ("f(a: Iterable[str | None])", "f(a: Iterable[str])", False),
        ("f(a: dict[str, int])", "f(a: Mapping[str | None, int])", False),
        ("f(a: tuple[int, int])", "f(a: tuple[int])", False),
        ("f() -> list[int]", "f() -> Sequence[int]", False),
        # what existing calls would have to pass, or may not pass any more
        ("f(a)", "f(a, b)", False),
        ("f(a)", "f(a, *, b)", False),
        ("f(a, b)", "f(a)", False),
        ("f(a, b=1)", "f(a)", False),
        ("f(a=1)", "f(a)", False),
        ("f(a)", "f(b)", False),
        ("f(a)", "f(a, /)", False),
        ("f(a, b)", "f(b, a)", False),
        ("f(a, b)", "f(a, x, b)", False),
        ("f(a, b=1)", "f(a, x=2, b=1)", False),
        ("f(a, b)", "f(a, *, b)", False),
        ("f(a, b)", "f(*args)", False),
        ("f(*args)", "f(a)", False),
        ("f(*args)", "f(a=1, *args)", False),
        ("f(**kw)", "f(a=1)", False),
        ("f(*, a)", "f(*, b)", False),
        ("f(*, a=1)", "f(*, a)", False),
        ("f(a: int)", "f(a: str)", False),
        ("f(a: int | str)", "f(a: int)", False),
        ("f() -> int", "f() -> int | None", False),
        ("def f(): ...", "async def f(): ...", False),
        ("def f(): ...", "def f(): yield 1", False),
        ("class A(B, C): ...", "class A(B): ...", False),
        ("class A(B): ...", "class A(B, C): ...", True),
        ("class A: ...", "def A(): ...", False),
    ],
)
def test_python_compatibility(before: str, after: str, expected: bool) -> None:
    assert compatible(python(before)[-1], python(after)[-1], named=True) is expected


def test_a_declaration_is_compatible_with_itself() -> None:
    for text in ("f()", "f(a, b=1, /, c=2, *d, e, f=3, **g) -> int", "f(self)"):
        assert compatible(python(text)[-1], python(text)[-1], named=True)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("f(a: number)", "f(renamed: number)", True),
        ("function f(a: X) {}", "const f = (a: X) => 1", True),
        ("f(a: number)", "f(a: number, b?: string)", True),
        ("f(a: number)", "f(a: number, b = 1)", True),
        ("f(a: number)", "f(a: number, ...rest: number[])", True),
        ("f(a: number)", "f(a?: number)", True),
        ("f(a: number)", "f(a: number | string)", True),
        ("f(a: 'x')", "f(a: 'x' | 'y')", True),
        ("f(a: number | undefined)", "f(a?: number)", True),
        ("f(a: number | undefined)", "f(a = 1)", True),
        ("f(a: number | undefined)", "f(a: number)", False),
        ("f(a: number | null)", "f(a?: number)", False),
        ("f(...a: number[])", "f(...a: string[])", False),
        ("f(): { a: A }", "f(): { a: A; b: B }", True),
        ("f(): { a: A; b: { c: C } }", "f(): { b: { c: C, d: D }; a: A }", True),
        ("f(): { a?: A }", "f(): { a: A }", True),
        ("f(): Promise<{ a: A } | null>", "f(): Promise<{ a: A; b: B }>", True),
        ("f(): { a: A; b: B }", "f(): { a: A }", False),
        ("f(): { a: A }", "f(): { a: B; b: B }", False),
        ("f(o: { a: A })", "f(o: { a: A; b: B })", False),
        ("f(o: { a: A; b: B })", "f(o: { a: A })", False),
        ("f(a: number)", "f(a: any)", True),
        ("f(a: number)", "f(a: number, b: string)", False),
        ("f(a?: number)", "f(a: number)", False),
        ("f(a: number, b: string)", "f(b: string, a: number)", False),
        ("f(a: number, b: string)", "f(a: number)", False),
        ("f(a: number)", "f(x: string)", False),
        ("f(): Promise<A>", "f(): Promise<A | B>", False),
        ("export function f(a: number) {}", "function f(a: number) {}", False),
    ],
)
def test_typescript_compatibility(before: str, after: str, expected: bool) -> None:
    assert compatible(typescript(before)[0], typescript(after)[0], named=False) is expected


def test_javascript_takes_more_arguments_than_parameters() -> None:
    assert compatible(typescript("f(a, b)")[0], typescript("f(a)")[0], named=False, excess_ok=True)
    assert not compatible(typescript("f(a, b)")[0], typescript("f(a)")[0], named=False)


def test_a_method_that_became_static_is_compared_without_its_receiver() -> None:
    before = python("class A:\n    def m(self, a): ...\n")[1]
    after = python("class A:\n    def m(self, a, b=1): ...\n")[1]
    assert compatible(before, after, named=True, skip_first=(True, True))
    renamed = python("class A:\n    def m(this, a): ...\n")[1]
    assert compatible(before, renamed, named=True, skip_first=(True, True))
    static = python("class A:\n    @staticmethod\n    def m(a): ...\n")[1]
    assert not compatible(before, static, named=True, skip_first=(True, False))


def test_overloads_are_compared_as_callers_see_them() -> None:
    text = "@overload\ndef f(a: int) -> int: ...\n@overload\ndef f(a: str) -> str: ...\ndef f(a{}): ...\n"
    plain, implementation = python(text.format("")), python(text.format(", hidden"))
    assert compatible_group(plain, implementation, named=True)
    assert compatible_group(plain, tuple(reversed(plain)), named=True)
    assert not compatible_group(plain, plain[:1], named=True)


@pytest.mark.parametrize(
    ("declared", "arguments", "expected"),
    [
        ("f(a, b)", Arguments(3), (False, "passes 3 arguments, takes 2")),
        ("f(a)", Arguments(2), (False, "passes 2 arguments, takes 1")),
        ("f()", Arguments(1), (False, "passes 1 argument, takes none")),
        ("f(a, b)", Arguments(2), (True, None)),
        ("f(a, b=1)", Arguments(1), (True, None)),
        ("f(a, *rest)", Arguments(9), (True, None)),
        ("f(amount, currency)", Arguments(1), (False, "passes 1 argument, needs 2 (missing currency)")),
        ("f(a, b, c)", Arguments(0), (False, "passes no arguments, needs 3 (missing a, b, c)")),
        ("f(a, *, currency)", Arguments(1), (False, "passes 1 argument, needs 2 (missing currency)")),
        ("f(a, *, currency)", Arguments(1, ("currency",)), (True, None)),
        ("f(a, b)", Arguments(1, ("b",)), (True, None)),
        ("f(amount)", Arguments(1, ("currency",)), (False, "passes currency=, which is gone")),
        ("f(amount, **more)", Arguments(1, ("currency",)), (True, None)),
        ("f(amount, /)", Arguments(0, ("amount",)), (False, "passes amount=, which is taken by position only")),
        ("f(amount, /, **more)", Arguments(1, ("amount",)), (True, None)),
        ("f(a, b=1)", Arguments(2, ("b",)), (False, "passes b twice, by position and by name")),
        ("f(a)", Arguments(3, spread=True), (None, None)),
        ("f(a, b)", Arguments(0, spread=True), (None, None)),
        ("f(a)", Arguments(0, ("gone",), spread_keywords=True), (None, None)),
        ("f(*args, **kw)", Arguments(0), (True, None)),
    ],
)
def test_whether_a_python_call_fits(
    declared: str, arguments: Arguments, expected: tuple[bool | None, str | None]
) -> None:
    parameters = python(declared)[-1].parameters
    assert parameters is not None
    assert fits(parameters, arguments, skip_first=False, named=True) == expected


def test_an_argument_that_never_had_a_parameter_is_not_called_gone() -> None:
    parameters, before = python("f(a)")[0].parameters, python("f(a, old)")[0].parameters
    assert parameters is not None
    call = Arguments(1, ("old",)), Arguments(1, ("odd",))
    assert fits(parameters, call[0], skip_first=False, named=True, before=before)[1] == "passes old=, which is gone"
    assert fits(parameters, call[1], skip_first=False, named=True, before=before)[1] == (
        "passes odd=, which it does not take"
    )


def test_the_receiver_is_not_counted() -> None:
    parameters = python("f(self, a)")[0].parameters
    assert parameters is not None
    assert fits(parameters, Arguments(1), skip_first=True, named=True) == (True, None)
    assert fits(parameters, Arguments(2), skip_first=True, named=True) == (False, "passes 2 arguments, takes 1")
    everything = python("f(*args)")[0].parameters
    assert everything is not None
    assert fits(everything, Arguments(5), skip_first=True, named=True) == (True, None)


def test_typescript_and_javascript_calls() -> None:
    parameters = typescript("f(a: number, b?: string, c = 1)")[0].parameters
    assert parameters is not None
    assert fits(parameters, Arguments(1), skip_first=False, named=False) == (True, None)
    assert fits(parameters, Arguments(4), skip_first=False, named=False) == (False, "passes 4 arguments, takes 3")
    assert fits(parameters, Arguments(4), skip_first=False, named=False, excess_ok=True) == (True, None)
    nothing = typescript("f(a: void)")[0].parameters
    assert nothing is not None
    assert fits(nothing, Arguments(0), skip_first=False, named=False) == (True, None)


def test_a_call_that_fits_one_overload_fits() -> None:
    definitions = python("@overload\ndef f(a): ...\n@overload\ndef f(a, b): ...\ndef f(*args): ...\n")
    assert fits_any(definitions, Arguments(1), skip_first=False, named=True) == (True, None)
    assert fits_any(definitions, Arguments(2), skip_first=False, named=True) == (True, None)
    assert fits_any(definitions, Arguments(3), skip_first=False, named=True) == (False, "passes 3 arguments, takes 2")


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("def f(a): ...", "def f(a, b): ...", ("parameter b is new and required",)),
        ("def f(a): ...", "def f(a, b=1): ...", ("parameter b is new",)),
        ("def f(a, b): ...", "def f(a): ...", ("parameter b is gone",)),
        ("def f(a): ...", "def f(b): ...", ("parameter a is now called b",)),
        ("def f(a, b): ...", "def f(b, a): ...", ("the parameters' order changed",)),
        ("def f(a=1): ...", "def f(a): ...", ("parameter a is now required",)),
        ("def f(a): ...", "def f(*, a): ...", ("parameter a is now passed by name only",)),
        ("def f(a: int): ...", "def f(a: str): ...", ("parameter a is str, was int",)),
        ("def f() -> int: ...", "def f() -> str: ...", ("returns str, was int",)),
        ("def f(): ...", "async def f(): ...", ("is now async",)),
        ("@property\ndef f(self): ...", "def f(self): ...", ("is no longer a property",)),
        ("class A(B): ...", "class A(C): ...", ("no longer extends B", "now extends C")),
        ("class A: ...", "def A(): ...", ("is now a function, was a class",)),
        ("def f(a=1): ...", "def f(a=2): ...", ()),
    ],
)
def test_differences_are_said_in_words(before: str, after: str, expected: tuple[str, ...]) -> None:
    assert differences(python(before)[-1], python(after)[-1]) == expected


def test_typescript_differences() -> None:
    assert differences(typescript("export function f() {}")[0], typescript("function f() {}")[0]) == (
        "is no longer exported",
    )
    before = typescript("export class A { m(): void {} }")[1]
    after = typescript("export abstract class A { abstract m(): void }")[1]
    assert "is now abstract" in differences(before, after)


@pytest.mark.parametrize(
    ("path", "before", "after", "expected"),
    [
        ("a.py", "def f(a,b = 1): ...", "def f(\n    a,\n    b=1,  # the default\n): ...", True),
        ("a.py", "def f(a='x'): ...", 'def f(a="x"): ...', True),
        ("a.py", "def f(a=1): ...", "def f(a=2): ...", False),
        ("a.py", "def f(a='#'): ...", "def f(a='# '): ...", False),
        ("a.ts", "export function f(a: X): Y {}", "export function f(\n  a: X, // the a\n): Y {}", True),
        ("a.ts", "export function f<T>(a: T) {}", "export function f<T, U>(a: T) {}", False),
        ("a.ts", "export const f = (a: X) => 1", "export const f = (a: X) => 2", True),
    ],
)
def test_layout_and_comments_are_not_part_of_a_declaration(path: str, before: str, after: str, expected: bool) -> None:
    language = language_of(path)
    assert language is not None
    one, other = syntax(path, before).facts.definitions[0], syntax(path, after).facts.definitions[0]
    assert same_declaration(one, other, language.name) is expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("f(a: string[])", "f(a: (string | number)[])", True),
        ("f(a: string[])", "f(a: readonly string[])", True),
        ("f(a: readonly string[])", "f(a: readonly (string | number)[])", True),
        ("f(a: readonly string[])", "f(a: string[])", False),
        ("f(a: Array<string>)", "f(a: ReadonlyArray<string | number>)", True),
        ("f(a: Record<string, A>)", "f(a: Record<string, A | B>)", True),
        ("f(a: (string | number)[])", "f(a: string[])", False),
        ("f(a: Map<string, A>)", "f(a: Map<string, A | B>)", False),
    ],
)
def test_a_type_that_takes_more_in_what_is_only_read_breaks_callers(before: str, after: str, expected: bool) -> None:
    (one,), (other,) = typescript(before), typescript(after)
    assert compatible(one, other, named=False, excess_ok=False) is expected


def test_brackets_without_end_take_time_or_the_stack() -> None:
    deep = "Iterable[" * 5000 + "str" + "]" * 5000
    assert accepts(deep, deep)
    assert not accepts(deep, deep.replace("str", "int"))
    wide = "Iterable[" * 30 + "str | int" + "]" * 30
    assert not accepts(wide, wide.replace("str | ", ""))
    assert accepts(wide[9 * 20 : -20], wide[9 * 20 : -20].replace("str | ", ""))

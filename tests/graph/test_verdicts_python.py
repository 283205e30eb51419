"""Whether a use still fits of what Python calls in ways of its own: objects, properties, what `partial` binds; and what
types that say nothing have to do with it."""

from __future__ import annotations

import pytest

from tests.graph.stories import Repo


def fit(repo: Repo, name: str, before: str, after: str, use: str) -> list[bool | None]:
    """What is said of each line of `use` that reaches `name`, which `m` declares so before and after."""
    brief = repo.commit({"m.py": before, "use.py": use}).commit({"m.py": after}).brief()
    return [each.fits for each in brief.symbol(name).callers if each.path == "use.py"]


# -- objects that are called -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "call", "expected"),
    [
        ("value, field", "value, field, extra", "validate(1, 2)", False),
        ("value, field", "value, field, extra", "Validator()(1, 2)", False),
        ("value, field", "value, field, extra", "validate.__call__(1, 2)", False),
        ("value, field", "value, field, extra=None", "validate(1, 2)", None),  # all calls fit: none is judged
        ("value, field", "value, *, field", "validate(1, field=2)", True),
        ("value, field", "value, *, field", "validate(1, 2)", False),
        ("value, field", "value, *, field", "validate(*args)", None),
        ("value", "value, field", "validate(x for x in [])", False),
    ],
)
def test_a_call_of_an_object_is_not_judged(
    repo: Repo, before: str, after: str, call: str, expected: bool | None
) -> None:
    declared = "class Validator:\n    def __call__(self, %s):\n        return value\n"
    use = f"from m import Validator\n\n\ndef f(validate: Validator, args):\n    {call}\n"
    assert fit(repo, "Validator.__call__", declared % before, declared % after, use) == [expected]


# -- methods and properties ------------------------------------------------------------------------------------------


METHOD = "class Env:\n    def name(self)%s:\n        return %s\n"
PROPERTY = METHOD.replace("    def", "    @property\n    def")


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (METHOD % ("", "self._x"), PROPERTY % ("", "self._x"), False),
        (METHOD % (" -> str", "self._x"), PROPERTY % (" -> str", "self.x"), False),
        (METHOD % ("", "self._x()"), PROPERTY % ("", "'x'"), False),
        (METHOD % ("", "self._x()"), PROPERTY % (" -> int", "self._y"), False),
        # what it gives may be called
        (METHOD % ("", "self._x()"), PROPERTY % ("", "self._x"), None),
        (METHOD % (" -> int", "self._x()"), PROPERTY % (" -> Callable[[], int]", "self._x"), None),
    ],
)
def test_a_call_fits_what_is_a_property_now(repo: Repo, before: str, after: str, expected: bool | None) -> None:
    head = "from typing import Callable\n\n\n"
    use = "from m import Env\n\n\ndef f(env: Env):\n    env.name()\n"
    assert fit(repo, "Env.name", head + before, head + after, use) == [expected]
    if expected is False:
        brief = repo.brief()
        assert brief.symbol("Env.name").callers[0].misfit == "is called, is a property now"


def test_a_property_that_is_a_method_now_is_judged_where_it_is_read(repo: Repo) -> None:
    use = "from m import Env\n\n\ndef f(env: Env):\n    env.name.upper()\n"
    assert fit(repo, "Env.name", PROPERTY % ("", "''"), METHOD % ("", "''"), use) == [None]


# -- what is passed ahead --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "use", "expected"),
    [
        ("a, b", "a, c", "partial(f, b=1)", False),
        ("a, b", "a, c", "functools.partial(m.f, b=1)", False),
        ("a, b", "a, c", "partial(f, b=1)(2)", False),
        ("a, b", "a", "partial(f, 1, 2)", False),
        ("a, b", "a, c", "partial(f, 1)", None),
        ("a, b", "a, c", "partial(f, a=1)", None),
        ("a, b", "a, b, c", "partial(f, b=1)", None),
        ("a, b", "a, **c", "partial(f, b=1)", None),
        ("a, b", "a, c", "partial(f, **{})", None),
        ("a, b", "a, c", "partial(func=f, b=1)", None),
        ("a, b", "a, c", "other(f, b=1)", None),
        ("a, b", "a, c", "partial(other, f, b=1)", None),
    ],
)
def test_what_partial_binds_is_not_judged(repo: Repo, before: str, after: str, use: str, expected: bool | None) -> None:
    head = "import functools\nfrom functools import partial\n\nimport m\nfrom m import f\n\n"
    assert fit(repo, "f", f"def f({before}): ...\n", f"def f({after}): ...\n", f"{head}{use}\n")[-1:] == [expected]


# -- types that say nothing ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("a", "a: int", True),
        ("a: Any", "a: int", True),
        ("a: 'Any'", "a: int", True),
        ("a: typing.Any", "a: int", True),
        ("a: object", "a: int", True),
        ("a: int", "a: Any", True),
        ("a: int", "a: object", True),
        ("a: Any | None", "a: int | None", True),
        ("a: Any | None", "a: int", False),
        ("a: Optional[Any] = None", "a: Optional[int] = None", True),
        ("a: list[Any]", "a: list[int]", True),
        ("a: dict[str, Any]", "a: dict[str, int]", True),
        ("a: dict[str, Any]", "a: dict[int, int]", False),
        ("a: list[int]", "a: list[Any]", True),
        ("a: list[object]", "a: list[int]", False),
        ("a: str", "a: int", False),
        ("a: Anything", "a: int", False),
        ("a: str", "a: type", False),
        ("a: type[int]", "a: type", True),
    ],
)
def test_a_parameter_of_any_type_breaks_callers(repo: Repo, before: str, after: str, expected: bool) -> None:
    declared = "def f(%s): ...\n"
    assert fit(repo, "f", declared % before, declared % after, "from m import f\n\nf(g())\n") == [
        None  # where all calls fit, none is judged
    ]
    assert repo.brief().symbol("f").compatible is expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("int", "Any", True),
        ("type", "'Any'", True),
        ("Any", "int", True),
        ("object", "int", True),
        ("int", "object", True),
        ("dict[str, Any]", "dict[str, int]", True),
        ("int", "str", False),
    ],
)
def test_a_result_of_any_type_breaks_callers(repo: Repo, before: str, after: str, expected: bool) -> None:
    declared = "def f() -> %s: ...\n"
    repo.commit({"m.py": declared % before, "use.py": "from m import f\n"}).commit({"m.py": declared % after})
    assert repo.brief().symbol("f").compatible is expected


def test_a_use_is_not_judged_for_a_type_that_says_nothing(repo: Repo) -> None:
    use = "from m import f\n\nf(1, 2, c=3)\nf(1, 2)\n"
    before, after = "def f(a, b: Any, c=1): ...\n", "def f(a, b: int, *, c): ...\n"
    assert fit(repo, "f", before, after, use) == [True, False]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("(a: any): void", "(a: number): void", True),
        ("(a: number): void", "(a: any): void", True),
        ("(a: any[]): void", "(a: number[]): void", True),
        ("(a: Record<string, any>): void", "(a: Record<string, number>): void", True),
        ("(a: unknown): void", "(a: number): void", False),
        ("(a: number): void", "(a: unknown): void", True),
        ("(a: object): void", "(a: Item): void", False),
        ("(): number", "(): any", True),
        ("(): any", "(): number", True),
        ("(): unknown", "(): number", True),
        ("(): number", "(): unknown", False),
        ("(): Promise<number>", "(): Promise<any>", True),
    ],
)
def test_a_typescript_any_breaks_callers(repo: Repo, before: str, after: str, expected: bool) -> None:
    declared = "export interface Item { a: number }\nexport function f%s { throw 0 }\n"
    repo.commit({"m.ts": declared % before, "use.ts": "import { f } from './m'\n"}).commit({"m.ts": declared % after})
    assert repo.brief().symbol("f").compatible is expected


def test_a_go_any_is_passed_for_every_type(repo: Repo) -> None:
    files = {"go.mod": "module x\n", "m.go": "package m\n\nfunc F(a any) {}\n"}
    repo.commit(files).commit({"m.go": "package m\n\nfunc F(a int) {}\n"})
    assert repo.brief().symbol("F").compatible is False

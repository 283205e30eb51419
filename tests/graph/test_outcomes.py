"""Whether a call still fits by what it gives, by types that mean what others meant, and by what the diff did to it."""

from __future__ import annotations

import pytest

from tests.graph.stories import Repo


def fit(repo: Repo, before: str, after: str, use: str, suffix: str = "py") -> list[bool | None]:
    """What is said of each use of `f`, which `m` declares so before and after."""
    files = {f"m.{suffix}": before, f"use.{suffix}": use}
    brief = repo.commit(files).commit({f"m.{suffix}": after}).brief()
    return [each.fits for each in brief.symbol("f").callers if each.path.startswith("use.")]


# -- results ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "statement", "expected"),
    [
        ("def f() -> int", "async def f() -> int", "f()", False),
        ("def f() -> int", "async def f() -> int", "await f()", True),
        ("def f() -> str", "async def f() -> str", "f().upper()", False),
        ("def f() -> list", "async def f() -> list", "[x for x in f()]", False),
        ("def f() -> int", "async def f() -> int", "g(f())", None),
        ("def f()", "async def f()", "f()", None),
        ("def f() -> Awaitable[int]", "async def f() -> int", "f()", True),
        ("async def f() -> int", "def f() -> int", "await f()", False),
        ("async def f() -> int", "def f() -> Awaitable[int]", "await f()", True),
        ("async def f() -> int", "def f() -> int", "g(f())", None),
        ("@wrapped\ndef f() -> int", "@wrapped\nasync def f() -> int", "f()", None),
        ("def f() -> tuple[int, str]", "def f() -> tuple[int, str, int]", "a, b = f()", False),
        ("def f() -> tuple[int, str]", "def f() -> tuple[int, str, int]", "a, *b = f()", None),
        ("def f() -> tuple[int, str]", "def f() -> tuple[int, int]", "a, b = f()", None),
        ("def f() -> tuple[int, str]", "def f() -> tuple[int, ...]", "a, b = f()", None),
        ("def f() -> str", "def f() -> None", "f().upper()", False),
        ("def f() -> str", "def f() -> None", "f()", True),
        ("def f() -> str", "def f() -> None", "x = f()", None),
    ],
)
def test_a_call_fits_though_nobody_takes_what_it_gives_now(
    repo: Repo, before: str, after: str, statement: str, expected: bool | None
) -> None:
    use = f"from m import f\n\nasync def use(g):\n    {statement}\n"
    assert fit(repo, f"{before}: ...\n", f"{after}: ...\n", use) == [expected]


@pytest.mark.parametrize(
    ("before", "after", "statement", "expected"),
    [
        ("f(): string", "async f(): Promise<string>", "f().trim()", False),
        ("f(): string", "async f(): Promise<string>", "f().then(g)", True),
        ("f(): string", "async f(): Promise<string>", "const { length } = f()", False),
        ("f(): string", "async f(): Promise<string>", "f()", None),
        ("f(): string", "async f(): Promise<string>", "await f()", True),
        ("async f(): Promise<string>", "f(): string", "await f()", True),
        ("async f(): Promise<string>", "f(): string", "f().then(g)", False),
        ("f(): [number, string]", "f(): [number]", "const [a, b] = f()", False),
        ("f(): [number, string]", "f(): [number]", "const [a] = f()", None),
        ("f(): string", "f(): void", "f()!.trim()", False),
    ],
)
def test_a_typescript_call_fits_though_nobody_takes_what_it_gives_now(
    repo: Repo, before: str, after: str, statement: str, expected: bool | None
) -> None:
    def declared(text: str) -> str:
        is_async, name = ("async ", text[6:]) if text.startswith("async ") else ("", text)
        return f"export {is_async}function {name} {{ return x }}\n"

    use = f"import {{ f }} from './m'\n\nexport async function use(g: any) {{\n  {statement}\n}}\n"
    assert fit(repo, declared(before), declared(after), use, "ts") == [expected]


# -- what the diff itself adapted ------------------------------------------------------------------------------------


def test_a_call_whose_arguments_the_diff_adapts_is_not_judged(repo: Repo) -> None:
    """Only its first line is outside the diff."""
    call = "from m import f\n\nx = f(\n    1,\n)\ny = f(\n    1,\n)\n"
    adapted = call.replace("    1,\n)\ny", "    1,\n    2,\n)\ny")
    repo.commit({"m.py": "def f(a): ...\n", "use.py": call}).commit({"m.py": "def f(a, b): ...\n", "use.py": adapted})
    assert repo.brief().fits("f") == {"use.py:7": False}


# -- types by what they mean -----------------------------------------------------------------------------------------


PHP = {
    "composer.json": '{"autoload": {"psr-4": {"P\\\\": "src/"}}}',
    "src/B.php": "<?php\nnamespace P;\nclass B {}\nclass C extends B {}\n",
    "src/use.php": "<?php\nnamespace P;\nfunction g(A $a, C $c) { $a->m($c); }\n",
}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("\\P\\B $x", "B $x", True),
        ("\\DateTimeInterface $x", "DateTimeInterface $x", True),
        ("C $x", "B $x", True),
        ("C $x", "B|int $x", True),
        ("B $x", "C $x", False),
        ("B $x", "?B $x", True),
        ("?B $x", "B $x", False),
        ("\\P\\B $x", "\\Other\\B $x", False),
    ],
)
def test_a_type_that_is_only_named_otherwise_is_another_one(
    repo: Repo, before: str, after: str, expected: bool
) -> None:
    declared = "<?php\nnamespace P;\nuse DateTimeInterface;\nclass A { public function m(%s) {} }\n"
    repo.commit({**PHP, "src/A.php": declared % before}).commit({"src/A.php": declared % after})
    assert repo.brief().symbol("A.m").compatible is expected


def test_the_new_name_of_a_renamed_class_is_another_type(repo: Repo) -> None:
    stores = "class Store:\n    def open(self): ...\n    def close(self): ...\n"
    repo.commit(
        {
            "stores.py": stores,
            "m.py": "from stores import Store\n\ndef f(store: Store): ...\n",
            "use.py": "from m import f\n\nf(1)\n",
        }
    ).commit(
        {
            "stores.py": stores.replace("Store", "Shelf"),
            "m.py": "from stores import Shelf\n\ndef f(store: Shelf): ...\n",
        }
    )
    brief = repo.brief()
    assert brief.symbol("f").compatible is True
    assert brief.fits("f") == {"use.py:3": None}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("{ a?: boolean }", "{ a?: boolean; b?: number }", True),
        ("{ a?: boolean }", "{ a?: boolean; b: number }", False),
        ("{ a?: boolean; b?: number }", "{ a?: boolean }", False),
        ("{ a?: boolean }", "{ a: boolean }", False),
        ("{ a: boolean }", "{ a?: boolean }", True),
        ("Order", "Order & { skip?: boolean }", True),
        ("Order", "Order & { skip: boolean }", False),
        ("Order", "Base", True),
        ("Base", "Order", False),
        ("string", "any", True),
    ],
)
def test_a_type_that_takes_as_much_breaks_callers(repo: Repo, before: str, after: str, expected: bool) -> None:
    types = "export interface Base { a: number }\nexport interface Order extends Base { b: number }\n"
    declared = types + "export function f(x: %s) { return x }\n"
    repo.commit({"m.ts": declared % before, "use.ts": "import { f } from './m'\n"}).commit({"m.ts": declared % after})
    assert repo.brief().symbol("f").compatible is expected


# -- values that are types -------------------------------------------------------------------------------------------


def test_a_type_alias_is_not_used_where_it_is_named_in_annotations(repo: Repo) -> None:
    repo.commit(
        {
            "m.py": "Key = int | str\nLIMIT = 3\n",
            "use.py": "from m import Key, LIMIT\n\ndef f(key: Key, other: 'Key') -> list[Key]:\n    return [LIMIT]\n",
        }
    ).commit({"m.py": "Key = int\nLIMIT = 4\n"})
    brief = repo.brief()
    assert brief.callers("Key") == ["use.py:3 type"]
    assert brief.callers("LIMIT") == ["use.py:4"]

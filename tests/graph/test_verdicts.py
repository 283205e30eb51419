"""Whether a call still fits: what a type checker would say, and nothing where it would have to guess."""

from __future__ import annotations

import pytest

from graph.render.view import arranged
from graph.render.wording import title
from tests.graph.stories import Repo


def fit(repo: Repo, name: str, before: str, after: str, use: str, suffix: str = "py") -> list[bool | None]:
    """What is said of each line of `use` that calls `name`, which `m` declares so before and after."""
    files = {f"m.{suffix}": before, f"use.{suffix}": use}
    brief = repo.commit(files).commit({f"m.{suffix}": after}).brief()
    return [each.fits for each in brief.symbol(name).callers if each.path.startswith("use.")]


# -- Python ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "call", "expected"),
    [
        ("a", "a, b", "f(1)", False),
        ("a", "a, *, b", "f(1)", False),
        ("a, b=0", "a, b", "f(1)", False),
        ("a, b=0", "a, b", "f(1, 2)", True),
        ("a, b", "a", "f(1, b=2)", False),
        ("a, b", "a", "f(1, 2)", False),
        ("a, b", "a, *, b", "f(1, 2)", False),
        ("a, b", "a, *, b", "f(1, b=2)", True),
        ("a, b", "a, c", "f(1, b=2)", False),
        ("a, b", "a, c", "f(1, 2)", True),
        ("a, **more", "a", "f(1, b=2)", False),
        ("a, **more", "a", "f(1)", True),
        ("a, *more", "a", "f(1, 2)", False),
        # complete, but an argument lands elsewhere than before
        ("a, b, c=0", "b, c=0", "f(1, 2)", None),
        ("a, c=0", "a, b, c=0", "f(1, 2)", None),
        ("a, b", "b, a", "f(1, 2)", None),
        ("a, b", "b, a", "f(a=1, b=2)", True),
        ("a, **more", "a, b: int = 0, **others", "f(1, b='x')", None),
        # complete, but an argument lands in a parameter of another type
        ("a: int", "a: str", "f(1)", None),
        ("a: int, b=0", "a: int | str, b", "f(1, 2)", True),
        # what is spread isn't known
        ("a", "a, b", "f(*args)", None),
        ("a", "a, b", "f(**kwargs)", None),
        ("a", "a, b", "f(1, **kwargs)", None),
        # never fitted
        ("a", "a, b", "f()", None),
        ("a", "a, b", "f(1, 2, 3)", None),
        # not called
        ("a", "a, b", "print(f)", None),
        ("a", "a, b", "partial(f, 1)", None),
    ],
)
def test_a_call_is_judged_otherwise_than_a_type_checker_would(
    repo: Repo, before: str, after: str, call: str, expected: bool | None
) -> None:
    use = f"from functools import partial\nfrom m import f\n\nargs, kwargs = [1], {{}}\n{call}\n"
    assert fit(repo, "f", f"def f({before}): ...\n", f"def f({after}): ...\n", use) == [expected]


def test_the_receiver_is_not_told_from_the_first_argument(repo: Repo) -> None:
    before = """
        class Base:
            def __init__(self, a):
                pass

            def go(self, a):
                pass

            @classmethod
            def make(cls, a):
                pass

            @staticmethod
            def still(a):
                pass
        """
    after = before.replace("a)", "a, b)")
    repo.commit(
        {
            "m.py": before,
            "use.py": """
                from m import Base

                class Own(Base):
                    def __init__(self):
                        super().__init__(1)
                        Base.__init__(self, 1)
                        super().go(1)
                        Base.go(self, 1)

                    @classmethod
                    def make(cls):
                        super().make(1)
                        Base.make(1)

                class Plain(Base):
                    pass

                Base(1)
                Plain(1)
                Plain(1).still(1)
                Plain.make(1)
                """,
        }
    ).commit({"m.py": after})
    brief = repo.brief()
    for name, lines in {
        "Base.__init__": (5, 6, 18, 19, 20),
        "Base.go": (7, 8),
        "Base.make": (12, 13, 21),
        "Base.still": (20,),
    }.items():
        calls = [each for each in brief.symbol(name).callers if each.path == "use.py" and each.kind == "call"]
        assert [(each.line, each.fits) for each in calls] == [(line, False) for line in lines]


@pytest.mark.parametrize(
    ("decorators", "expected"),
    [
        ("", False),
        ("@staticmethod_like\n", None),
        ("@functools.lru_cache(maxsize=None)\n", False),
        ("@contextlib.contextmanager\n", False),
        ("@marked\n", False),
        ("@registered('x')\n", False),
        ("@wrapped\n", False),
        ("@typed\n", False),
        ("@narrowed\n", None),
        ("@click.command()\n", None),
        ("@traced()\n", False),
        ("@traced\n", None),
        ("@wrapped\n@narrowed\n", None),
    ],
)
def test_a_call_is_judged_by_a_signature_that_a_decorator_hides(
    repo: Repo, decorators: str, expected: bool | None
) -> None:
    head = """\
import contextlib
import functools
from typing import Callable, ParamSpec, TypeVar

import click
from elsewhere import staticmethod_like

P = ParamSpec("P")
R = TypeVar("R")


def marked(function):
    function.marked = True
    return function


def registered(name):
    def register(function):
        return function

    return register


def wrapped(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)

    return inner


def typed(function: Callable[P, R]) -> Callable[P, list[R]]: ...


@contextlib.contextmanager
def traced():
    yield


def narrowed(function):
    def inner(self):
        return function(self, 1)

    return inner


"""
    before, after = (f"{head}{decorators}def f({names}): ...\n" for names in ("a", "a, b"))
    assert fit(repo, "f", before, after, "from m import f\n\nf(1)\n") == [expected]


@pytest.mark.parametrize(
    ("before", "after", "call", "expected"),
    [
        ("x: int", "x: int; y: int", "C(1)", False),
        ("x: int", "x: int; y: int = 0", "C(1)", None),
        ("x: int; y: int = 0", "x: int; y: int", "C(1)", False),
        ("x: int; y: int = 0", "x: int", "C(1, y=2)", False),
        ("x: int; y: int", "x: int; z: int", "C(1, y=2)", False),
        ("x: int", "x: int; y: int = field()", "C(1)", False),
        ("x: int", "x: int; y: list = field(default_factory=list)", "C(1)", None),
        ("x: int", "x: int; y: ClassVar[int]", "C(1)", None),
        ("x: int", "x: int; y: int = field(init=False)", "C(1)", None),
        ("x: int", "x: int; _: KW_ONLY; y: int", "C(1, y=2)", None),
    ],
)
def test_the_fields_of_a_data_class_are_not_its_parameters(
    repo: Repo, before: str, after: str, call: str, expected: bool | None
) -> None:
    head = "from dataclasses import KW_ONLY, dataclass, field\nfrom typing import ClassVar\n\n\n"
    old, new = (f"{head}@dataclass\nclass C:\n    {fields}\n" for fields in (before, after))
    assert fit(repo, "C", old, new, f"from m import C\n\n{call}\n") == [expected]


def test_inherited_fields_are_not_counted(repo: Repo) -> None:
    base = "from dataclasses import dataclass\n\n\n@dataclass\nclass Base:\n    x: int\n"
    own = "from dataclasses import dataclass\nfrom base import Base\n\n\n@dataclass\nclass C(Base):\n    y: int\n"
    use = "from m import C\n\nC(1, 2)\nC(1, 2, 3)\n"
    repo.commit({"base.py": base, "m.py": own, "use.py": use}).commit({"m.py": own + "    z: int\n"})
    assert repo.brief().fits("C") == {"use.py:3": False, "use.py:4": None}


def test_a_class_whose_own_constructor_is_written_is_taken_for_a_data_class(repo: Repo) -> None:
    head = "from dataclasses import dataclass\n\n\n@dataclass\nclass C:\n    x: int\n"
    own = "\n    def __init__(self):\n        ...\n"
    assert fit(repo, "C", head + own, f"{head}    y: int\n{own}", "from m import C\n\nC()\n") == [None]


def test_a_named_tuple_has_its_fields_as_parameters(repo: Repo) -> None:
    head = "from typing import NamedTuple\n\n\nclass C(NamedTuple):\n    x: int\n"
    assert fit(repo, "C", head, head + "    y: int\n", "from m import C\n\nC(1)\nC(1, 2)\n") == [False, None]


@pytest.mark.parametrize(("fallback", "expected"), [("f = None", False), ("def f(a): ...", None), ("f = other", None)])
def test_a_fallback_where_an_import_fails_is_called_instead(repo: Repo, fallback: str, expected: bool | None) -> None:
    use = f"from n import other\ntry:\n    from m import f\nexcept ImportError:\n    {fallback}\n\nf(1)\n"
    assert fit(repo, "f", "def f(a): ...\n", "def f(a, b): ...\n", use) == [expected]


def test_a_call_that_may_reach_something_else_is_said_to_misfit(repo: Repo) -> None:
    before = "class Robot:\n    def assemble_all(self, a): ...\n"
    use = "from m import Robot\n\n\ndef run(robot):\n    robot.assemble_all(1)\n"
    assert fit(repo, "Robot.assemble_all", before, before.replace("a)", "a, b)"), use) == [None]


# -- TypeScript ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "call", "expected"),
    [
        ("a: number", "a: number, b: number", "f(1)", False),
        ("a: number", "a: number, b?: number", "f(1)", None),
        ("a: number, b?: number", "a: number, b: number", "f(1)", False),
        ("a: number, b: number", "a: number", "f(1, 2)", False),
        ("a: number, b = 1", "a: number, b: number", "f(1)", False),
        ("a: number", "a: number, b: number", "f(...xs)", None),
        ("a: number, c?: number", "a: number, b: number, c?: number", "f(1, 2)", None),
        ("a: number, ...rest: number[]", "a: number", "f(1, 2)", False),
        ("a: number", "b: string", "f(1)", None),
        # the properties of an options object
        ("o: { a: number }", "o: { a: number; b: number }", "f({ a: 1 })", False),
        ("o: { a: number }", "o: { a: number; b: number }", "f({ a: 1, b: 2 })", None),
        ("o: { a: number }", "o: { a: number; b?: number }", "f({ a: 1 })", None),
        ("o: { a: number; b?: number }", "o: { a: number; b: number }", "f({ a })", False),
        ("o: { a: number; b?: number }", "o: { a: number }", "f({ a: 1, b: 2 })", False),
        ("o: { a: number; b?: number }", "o: { a: number }", "f({ a: 1 })", True),
        ("o: { a?: number }", "o: {}", "f({ a: 1 })", None),
        ("o: { a: number }", "o: { a: string }", "f({ a: 1 })", None),
        ("o: { a: number }", "o: { a: number; b: number }", "f(options)", None),
        ("o: { a: number }", "o: { a: number; b: number }", "f({ ...options })", None),
        ("o: { a: number }", "o: { a: number; b: number }", "f({ a: 1 } as any)", None),
        ("o: { a: number; b?: number }", "o: { a: number; [key: string]: number }", "f({ a: 1, b: 2 })", None),
        ("o?: { a: number }", "o?: { a: number; b: number } | null", "f({ a: 1 })", False),
        ("{ a }: { a: number }", "{ a, b }: { a: number; b: number }", "f({ a: 1 })", False),
        ("o: Options", "o: Options & { d: number }", "f({ c: 1 })", False),
        ("o: Partial<Options>", "o: Options", "f({})", False),
        ("o: Options", "o: Wide", "f({ c: 1 })", False),
    ],
)
def test_a_typescript_call_is_judged_otherwise_than_a_type_checker_would(
    repo: Repo, before: str, after: str, call: str, expected: bool | None
) -> None:
    head = "interface Options { c: number }\ninterface Wide extends Options { d: number }\n"
    old, new = (f"{head}export function f({parameters}) {{}}\n" for parameters in (before, after))
    use = f"import {{ f }} from './m'\nconst xs = [1]\nconst a = 1\nconst options = {{ a }}\n{call}\n"
    assert fit(repo, "f", old, new, use, "ts") == [expected]


def test_a_component_is_used_without_a_property_that_it_now_needs(repo: Repo) -> None:
    head = "export function Card({ title }: { title: string%s }) {\n  return <b>{title}</b>\n}\n"
    use = """
        import { Card } from './m'
        export const page = [
          <Card title="a" />,
          <Card title="a" size={1} />,
          <Card {...rest} />,
          <Card title="a" size={1}>text</Card>,
        ]
        """
    found = fit(repo, "Card", head % "", head % "; size: number", use, "tsx")
    assert found == [False, None, None, None]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("{ a: number }", "{ a: number; b: number }", False),
        ("{ a: number }", "{ a: number; b?: number }", True),
        ("{ a: number; b?: number }", "{ a: number }", False),
        ("{ a: number }", "{ a: string }", False),
        ("'x' | 'y'", "'x'", None),
    ],
)
def test_a_type_alias_is_called_compatible_because_it_has_no_parameters(
    repo: Repo, before: str, after: str, expected: bool | None
) -> None:
    repo.commit({"m.ts": f"export type Options = {before}\n", "use.ts": "import { Options } from './m'\n"})
    repo.commit({"m.ts": f"export type Options = {after}\n"})
    assert repo.brief().symbol("Options").compatible is expected


@pytest.mark.parametrize(
    ("before", "after", "element", "expected"),
    [
        ("", "; children: string", "<Card title='a' />", False),
        ("", "; children: string", "<Card title='a'>\n  </Card>", False),
        ("", "; children: string", "<Card title='a'>{/* none */}</Card>", False),
        ("", "; children: string", "<Card title='a'>some</Card>", None),
        ("; children?: string", "", "<Card title='a'>some</Card>", False),
        ("; children?: string", "", "<Card title='a'>{'some'}</Card>", False),
        ("; children?: string", "", "<Card title='a'><b /></Card>", False),
        ("; children?: string", "", "<b><Card title='a' /><b /></b>", True),
        ("", "; size: number", "<Card key='k' data-x='1' title='a' />", False),
        ("; size?: number", "", "<Card key='k' data-x='1' title='a' />", True),
    ],
)
def test_the_children_of_an_element_are_not_passed(
    repo: Repo, before: str, after: str, element: str, expected: bool | None
) -> None:
    head = "export function Card({ title }: { title: string%s }) {\n  return <b>{title}</b>\n}\n"
    use = f"import {{ Card }} from './m'\nexport const page = {element}\n"
    assert fit(repo, "Card", head % before, head % after, use, "tsx") == [expected]


def test_an_overload_that_still_takes_the_call_is_overlooked(repo: Repo) -> None:
    lines = (
        "export function f(a: number): void\n"
        "export function f(a: number, b: string%s): void\n"
        "export function f(a: number, b?: string, c?: string) {}\n"
    )
    use = "import { f } from './m'\nf(1)\nf(1, 'b')\n"
    found = fit(repo, "f", lines % "", lines % ", c: string", use, "ts")
    assert found == [True, False]


TAKERS = """
import type { Options } from './options'

export function save(o: Options) {}
export class Store {
  constructor(private name: string, o?: Options) {}
  put = (o: Readonly<Options>) => {}
}
export const Card = ({ id }: Options) => <b>{id}</b>
"""


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("id: number", "id: number; name: string", {5: False, 7: False, 9: False, 10: False}),
        ("id: number; name?: string", "id: number; name: string", {5: False, 7: False, 9: False, 10: False}),
        ("id: number; name?: string", "id: number", {6: False, 8: False, 11: False}),
        ("id: number", "id: number; name?: string", {}),
        ("id: number", "id: string", {}),
    ],
)
def test_a_literal_passed_for_a_changed_interface_goes_unnoticed(
    repo: Repo, before: str, after: str, expected: dict[int, bool]
) -> None:
    use = """
        import { Card, Store, save } from './takers'

        const known = { id: 1 }
        save(known)
        save({ id: 1 })
        save({ id: 1, name: 'a' })
        new Store('s', { id: 1 })
        new Store('s', { id: 1, name: 'a' })
        new Store('s').put({ id: 1 })
        const card = <Card id={1} />
        const named = <Card id={1} name="a" />
        """
    old, new = (f"export interface Options {{ {members} }}\n" for members in (before, after))
    repo.commit({"takers.tsx": TAKERS, "use.tsx": use, "options.ts": old}).commit({"options.ts": new})
    callers = [each for each in repo.brief().symbol("Options").callers if each.path == "use.tsx"]
    assert {each.line: each.fits for each in callers} == expected


# ------------------------------------------------------------------------------------------ what cannot be judged


def titled(repo: Repo) -> str:
    briefing = repo.brief().briefing
    return title(briefing, arranged(briefing))


def test_none_is_found_that_breaks_where_no_call_could_be_judged(repo: Repo) -> None:
    repo.commit(
        {
            "a.ts": "export function move(points: number[]) {\n  return points;\n}\n",
            "use.ts": "import { move } from './a';\nexport const f = (p: number[]) => move(p);\n",
        }
    ).commit({"a.ts": "export function move(points: Map<string, number>) {\n  return points;\n}\n"})
    said = titled(repo)
    assert "1 use of a changed signature not judged" in said
    assert "none found that breaks" not in said


def test_a_type_named_without_the_arguments_that_it_needs_now_fits(repo: Repo) -> None:
    use = """
        import { Collection } from './a';
        export const f = (c: Collection) => c;
        export const g = (c: Collection<number>) => c;
        export const h = (c: typeof Collection) => c;
        """
    repo.commit({"a.ts": "export interface Collection { n: number }\n", "use.ts": use}).commit(
        {"a.ts": "export interface Collection<T> { n: T }\n"}
    ).commit({"a.ts": "export interface Collection<T, U = T> { n: T; u: U }\n"}).commit(
        {"a.ts": "export interface Collection { n: number }\n"}
    )
    first = repo.brief(0, 1)
    assert first.symbol("Collection").compatible is False
    assert first.fits("Collection") == {"use.ts:2": False, "use.ts:3": None, "use.ts:4": None}
    assert repo.brief(1, 2).symbol("Collection").compatible is not False
    assert repo.brief(2, 3).fits("Collection") == {"use.ts:2": None, "use.ts:3": False, "use.ts:4": None}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("class C", "class C<T>", False),
        ("class C", "class C<T = any>", True),
        ("class C<T>", "class C<T, U>", False),
        ("class C<T>", "class C", False),
        ("class C<T>", "class C<T extends Map<string, () => void>>", True),
        ("class C<T = () => 1>", "class C<U = any>", True),
    ],
)
def test_type_arguments_are_miscounted(repo: Repo, before: str, after: str, expected: bool) -> None:
    repo.commit({"a.ts": f"export {before} {{ n = 1 }}\n"}).commit({"a.ts": f"export {after} {{ n = 1 }}\n"})
    assert repo.brief().symbol("C").compatible is expected


def test_a_value_that_becomes_a_component_is_compatible(repo: Repo) -> None:
    head = "import { memo } from 'react';\n"
    repo.commit(
        {
            "icons.tsx": f"{head}export const Icon = make(1);\n",
            "use.tsx": "import { Icon } from './icons';\nexport const A = () => <b>{Icon}</b>;\n",
        }
    ).commit({"icons.tsx": f"{head}export const Icon = memo((props: {{ flip: boolean }}) => make(2));\n"})
    assert repo.brief().symbol("Icon").compatible is None
    assert "not judged" in titled(repo)


def test_the_overload_that_changed_is_not_shown(repo: Repo) -> None:
    before = """
        export declare class Table {
          find(query?: object): number;
          find(query: object, limit: number): string;
        }
        """
    repo.commit({"a.d.ts": before}).commit({"a.d.ts": before.replace("limit: number", "limit: number, skip: number")})
    symbol = repo.brief().symbol("Table.find")
    assert symbol.before == "find(query: object, limit: number): string"
    assert symbol.after == "find(query: object, limit: number, skip: number): string"


def test_a_decorator_of_a_member_is_nowhere(repo: Repo) -> None:
    use = """
        import { Dec } from './d';
        @Dec()
        export class A {
          @Dec()
          x: string;
          @Dec()
          m() {}
        }
        """
    repo.commit({"d.ts": "export function Dec(a?: number) {\n  return (t: any) => {};\n}\n", "use.ts": use}).commit(
        {"d.ts": "export function Dec(a?: number) {\n  return (t: any) => t;\n}\n"}
    )
    callers = repo.brief().symbol("Dec").callers
    assert [(each.line, each.within) for each in callers] == [(2, None), (4, "A"), (6, "A")]


def test_a_subclass_calls_the_constructor_above_as_it_was(repo: Repo) -> None:
    use = """
        import { Base, Other } from './a';
        export class Kept extends Base {
          constructor(private x: number) {
            super(x);
          }
        }
        export class Mended extends Base {
          constructor(x: number) {
            super(x, 'b');
          }
        }
        export class Elsewhere extends Other {
          constructor() {
            super();
          }
        }
        """
    other = "export class Other {\n  constructor() {}\n}\n"
    repo.commit({"a.ts": f"export class Base {{\n  constructor(a: number) {{}}\n}}\n{other}", "use.ts": use}).commit(
        {"a.ts": f"export class Base {{\n  constructor(a: number, b: string) {{}}\n}}\n{other}"}
    )
    brief = repo.brief()
    assert brief.fits("Base.constructor") == {"use.ts:4": False, "use.ts:9": None}
    assert [eye for eye in brief.eyes() if not eye.startswith("untested")] == ["misfit use.ts:4"]


def test_a_constructor_that_is_gone_breaks_what_calls_the_one_above_it(repo: Repo) -> None:
    use = "import { Base } from './a';\nexport class Kept extends Base {\n  constructor() {\n    super();\n  }\n}\n"
    repo.commit({"a.ts": "export class Base {\n  n = 1;\n  constructor() {\n  }\n}\n", "use.ts": use}).commit(
        {"a.ts": "export class Base {\n  n = 1;\n}\n"}
    )
    assert [eye for eye in repo.brief().eyes() if not eye.startswith("untested")] == []

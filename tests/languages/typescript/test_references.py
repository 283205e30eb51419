"""What an identifier refers to, and how it is used there."""

from __future__ import annotations

import pytest

from graph import expressions as x
from tests.languages.calls import passed, use
from tests.languages.typescript.reading import Read

KINDS = [
    ("ts", "«f(1)", "call"),
    ("ts", "a.«f(1)", "call"),
    ("ts", "a?.«f?.(1)", "call"),
    ("ts", "a!.«f!(1)", "call"),
    ("ts", "(a as B).«f<string>(1)", "call"),
    ("ts", "«tag`x`", "call"),
    ("ts", "new «F()", "new"),
    ("ts", "new «F", "new"),
    ("ts", "new a.«F<T>()", "new"),
    ("ts", "@«D() class A {}", "decorator"),
    ("ts", "@«D class A {}", "decorator"),
    ("ts", "class A { @n.«D() m() {} }", "decorator"),
    ("ts", "class A extends «B<C> {}", "base"),
    ("ts", "class A extends n.«B {}", "base"),
    ("ts", "class A implements «B {}", "base"),
    ("ts", "interface A extends «B<C> {}", "base"),
    ("js", "class A extends «B {}", "base"),
    ("ts", "g(«f)", "argument"),
    ("ts", "g(...«f)", "argument"),
    ("ts", "g(a.«f)", "argument"),
    ("ts", "const g = «f", "value"),
    ("ts", "x = { «f }", "value"),
    ("ts", "x = { a: «f }", "value"),
    ("ts", "`${«f}`", "value"),
    ("ts", "a instanceof «F", "value"),
    ("ts", "const { «f } = o", "value"),
    ("ts", "const { «f: g } = o", "value"),
    ("ts", "({ «f } = o)", "value"),
    ("ts", "function g({ «f }: P) {}", "value"),
    ("ts", "E.«A", "value"),
    ("ts", "export default «f", "value"),
    ("ts", "let a: «T", "type"),
    ("ts", "let a: Map<string, «T[]>", "type"),
    ("ts", "let a: n.«T", "type"),
    ("ts", "let a: typeof «f", "type"),
    ("ts", "a as «T", "type"),
    ("ts", "function f(a): a is «T {}", "type"),
    ("ts", "import { «a as b } from 'm'", "import"),
    ("ts", "export { «a as b } from 'm'", "import"),
    ("js", "const { «a: b } = require('m')", "import"),
    ("tsx", "<«A b={c} />", "jsx"),
    ("tsx", "<«A>b</A>", "jsx"),
    ("tsx", "<«M.I />", "jsx"),
    ("tsx", "<M.«I />", "jsx"),
    ("tsx", "<A b={«f} />", "value"),
    ("tsx", "<A>{«f}</A>", "value"),
]


@pytest.mark.parametrize(("kind", "text", "wanted"), KINDS)
def test_a_use_is_taken_for_another_kind(kind: str, text: str, wanted: str) -> None:
    found = Read(kind, text).reference()
    assert found is not None
    assert found.kind == wanted


NOTHING = [
    ("ts", "function «f() {}"),
    ("ts", "class «A {}"),
    ("ts", "const «a = 1"),
    ("ts", "function f(«a) {}"),
    ("ts", "function f(a, «b = 1) {}"),
    ("ts", "function f([«a]) {}"),
    ("js", "function f(«a, b) {}"),
    ("ts", "const f = «a => 1"),
    ("ts", "try {} catch («a) {}"),
    ("ts", "for (const «a of b) {}"),
    ("ts", "x = { «a: 1 }"),
    ("ts", "interface I { «a: 1 }"),
    ("ts", "class A { «a = 1 }"),
    ("ts", "enum E { «A }"),
    ("ts", "import { a as «b } from 'm'"),
    ("ts", "const a = 1; export { «a }"),
    ("ts", "type T<«A> = 1"),
    ("ts", "type T = { [«k: string]: 1 }"),
    ("ts", "function f(a): «a is string {}"),
    ("tsx", "<«p />"),
    ("tsx", "<A>b</«A>"),
    ("tsx", "<A «b={c} />"),
    ("js", "exports.«a = function () {}"),
]


@pytest.mark.parametrize(("kind", "text"), NOTHING)
def test_a_name_that_refers_to_nothing_is_a_reference(kind: str, text: str) -> None:
    assert Read(kind, text).reference() is None


@pytest.mark.parametrize(
    ("text", "write"),
    [
        ("o.«f = 1", True),
        ("«f = 1", True),
        ("«f++", True),
        ("[«f] = o", True),
        ("for («f of o) {}", True),
        ("o.«f", False),
    ],
)
def test_an_assignment_is_a_write(text: str, write: bool) -> None:
    found = Read("ts", text).reference()
    assert found is not None
    assert found.write is write


def test_a_destructured_property_is_read_from_the_whole() -> None:
    found = Read("ts", "const { a: { «f } } = make()").reference()
    assert found is not None
    assert isinstance(found.target, x.Member)
    assert isinstance(found.target.object, x.Member)
    assert found.target.object.name == "a"
    assert isinstance(found.target.object.object, x.Call)


def test_a_destructured_parameter_is_read_from_its_declared_type() -> None:
    found = Read("ts", "function g({ a, «f = 1 }: Props) {}").reference()
    assert found is not None
    assert isinstance(found.target, x.Member)
    assert found.target.object == x.Cast(x.TypeName("Props", 25), x.Unknown())


def test_require_in_an_expression_names_the_module() -> None:
    found = Read("js", "module.exports = (t) => require('./utils').«normalize(t)").reference()
    assert found is not None
    assert found.target == x.Member(x.ModuleExpression("./utils"), "normalize", found.at)


def test_an_imported_type_names_the_module() -> None:
    found = Read("ts", "let a: import('./m').«T").reference()
    assert found is not None
    assert (found.kind, found.target) == ("type", x.Member(x.ModuleExpression("./m"), "T", found.at))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("«f(1, a, { b: 1, c, d() {} })", x.Arguments(3, literals=(None, None, ("b", "c", "d")))),
        ("«f(...xs)", x.Arguments(0, spread=True)),
        ("«f({ ...a })", x.Arguments(1, literals=(None,))),
        ("«f({ [a]: 1 })", x.Arguments(1, literals=(None,))),
        ("new «F", x.Arguments(0)),
        ("new «F(1)", x.Arguments(1, literals=(None,))),
        ("a(1)(2).«f(1, 2) (3)", x.Arguments(2, literals=(None, None))),
        ("«f(/* none */)", x.Arguments(0)),
    ],
)
def test_what_a_call_passes(text: str, wanted: x.Arguments) -> None:
    read = Read("ts", text)
    assert passed(read.language, read.syntax, read.places[0]) == wanted


@pytest.mark.parametrize(
    ("statement", "wanted"),
    [
        ("«f()", ("nothing", None)),
        ("await «f()", ("awaited", None)),
        ("const x = await («f() as any)", ("awaited", None)),
        ("«f().then(g)", ("chained", None)),
        ("«f()!.name", ("member", None)),
        ("«f()[0]", ("member", None)),
        ("for (const x of «f()) {}", ("member", None)),
        ("for await (const x of «f()) {}", ("other", None)),
        ("const { name } = «f()", ("member", None)),
        ("const [a, b] = «f()", ("unpacked", x.Taken(2, None))),
        ("const [a, ...b] = «f()", ("unpacked", x.Taken(1, None))),
        ("const x = «f()", ("other", None)),
        ("return «f()", ("other", None)),
        ("new «F()", ("other", None)),
    ],
)
def test_what_becomes_of_a_result_is_misread(statement: str, wanted: tuple[x.Use, x.Taken | None]) -> None:
    read = Read("ts", f"async function use(g) {{\n  {statement}\n}}\n")
    assert use(read.language, read.syntax, read.places[0]) == wanted

"""What the grammar reads in another way than the language."""

from __future__ import annotations

import pytest

from graph import expressions as x
from tests.languages.typescript.reading import LANGUAGES, Read


@pytest.mark.parametrize(
    "text",
    [
        "await «f<T>(1)", "!«f<T>(1)", "-«f<T>(1)", "void «f<T>(1)", "typeof «f<T>(1)", "!await «f<T>(1)",
        "await a.«f<T>(1)", "await a?.«f<T>(1)", "(await a.«f<T>(1)).b", "await «f<T>(1).b.c()", "await a<T>(2).«f(1)",
        "await a<T>(2)!.«f(1)", "'a' + «f<T>(1)", "a * b.«f<T>(1)", "a + await «f<T>(1)", "await «f<T>(1) as B",
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["ts", "tsx"])
def test_a_call_with_type_arguments_after_an_operator_is_none(kind: str, text: str) -> None:
    read = Read(kind, text)
    found = read.reference()
    assert found is not None
    assert found.kind == "call"
    assert isinstance(found.target, x.Name | x.Member)
    arguments = read.language.arguments(read.syntax, found.call_at)
    assert arguments is not None
    assert arguments.positional == 1


@pytest.mark.parametrize(
    ("text", "use"),
    [
        ("await «f<T>()", "awaited"),
        ("const a = await «f<T>()", "awaited"),
        ("!await «f<T>()", "awaited"),
        ("await «f<T>() as B", "awaited"),
        ("(await «f<T>()).b", "awaited"),
        ("await «f<T>().b", "member"),
        ("await «f<T>().then(g)", "chained"),
        ("await a<T>().«f()", "awaited"),
        ("void «f<T>()", "other"),
        ("«f<T>()", "nothing"),
    ],
)
def test_what_becomes_of_its_result_is_another_operators(text: str, use: str) -> None:
    read = Read("ts", text)
    found = read.reference()
    assert found is not None
    arguments = read.language.arguments(read.syntax, found.call_at)
    assert arguments is not None
    assert arguments.use == use


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("await f<T>(1)", "await f()"),
        ("await f<T>(1).b", "await f().b"),
        ("await f<T>(1).b()", "await f().b()"),
        ("await f<T>(1)!.b[0]", "await f().b[0]"),
        ("(await f<T>(1)).b", "(await f()).b"),
        ("!f<T>(1).b", "!a"),
        ("'a' + f<T>(1).b", "'a'"),
    ],
)
def test_an_operator_is_on_what_is_called_and_not_on_what_it_gives(text: str, expected: str) -> None:
    def without_types(value: x.Expression) -> object:
        return repr(_plain(value))

    one, other = Read("ts", text), Read("ts", expected)
    assert without_types(one.language.expression(one.syntax, 0, -1)) == without_types(
        other.language.expression(other.syntax, 0, -1)
    )


def _plain(value: x.Expression) -> object:
    """The steps of an expression without places and arguments."""
    match value:
        case x.Await(value=inner):
            return ("await", _plain(inner))
        case x.Call(callee=inner):
            return ("call", _plain(inner))
        case x.Member(object=inner, name=name):
            return (name, _plain(inner))
        case x.Item(value=inner, index=index):
            return (index, _plain(inner))
        case x.Name(id=name):
            return name
        case _:
            return type(value).__name__, getattr(value, "type", None)


WORDS = [
    "class A { m(using: string) { return `x ${using}` } last() {} }",
    "const f = (using: string) => [using, ...using, using.length, (using), { using }]; function last() {}",
    "let using = 1; using = 2; if (using in x) { g(using as any) } function last() {}",
    "interface A { abstract?: boolean; abstract(): void; last(): void }",
    "class A { accessor(x: string) {} abstract = 1; abstract<T>() {}  private abstract: string; last() {} }",
    "interface A {\n  name: string\n  in: string\n  last(): void\n}",
    "interface A {\n  run: () => void\n  <B extends string>(a: B): void\n  last(): void\n}",
    "interface A {\n  <B>(\n    a: B\n  ): void\n  <C extends string>(a: C): void\n  last(): void\n}",
    "type F = (unknown: string, keyof?: string) => void; function last() {}",
    "type T = [string: string, number?: number]; function last() {}",
]


@pytest.mark.parametrize("text", WORDS)
def test_an_ordinary_name_that_is_a_keyword_elsewhere_makes_a_file_unreadable(text: str) -> None:
    facts = Read("ts", text).facts
    assert (facts.degraded, facts.unreadable) == (0, False)
    last = [each for each in facts.definitions if each.name == "last"]
    assert [text[each.at : each.at + 4] for each in last] == ["last"]
    assert not any(name.startswith("_") for name in facts.names)


def test_such_a_name_is_another_in_the_facts() -> None:
    read = Read("ts", "export class A { abstract(using: string) { return b(«using) } accessor?: string }")
    assert {each.qualified for each in read.facts.definitions} == {"A", "A.abstract"}
    assert [each.name for each in read.defined("A.abstract").parameters or ()] == ["using"]
    assert {"abstract", "accessor", "using"} <= read.facts.names
    assert read.reference() == x.Reference("using", read.places[0], "argument", x.Name("using", read.places[0]),
                                           by_position=True)  # fmt: skip
    assert read.places[0] in read.language.places(read.syntax.source, "using", lambda: read.syntax)


def test_a_declaration_with_using_is_none() -> None:
    read = Read("ts", "function f() { using a = open(); await using b = open(); }")
    assert read.facts.degraded == 0


@pytest.mark.parametrize(
    "text", ["const a = <b>Refund & cancel</b>", 'const a = <b href="?a&b=1" c="d&e&f&g=1&h=2">f & g</b>']
)
def test_an_ampersand_in_an_element_makes_a_place_unreadable(text: str) -> None:
    assert Read("tsx", text).facts.degraded == 0


@pytest.mark.parametrize("kind", list(LANGUAGES))
def test_text_that_nothing_can_read_is_read_for_ever(kind: str) -> None:
    facts = Read(kind, "using & < ( abstract [[ {{ in: & \n  <A,\n" * 300).facts
    assert facts.degraded

"""Expressions, types, results and fields, lowered."""

from __future__ import annotations

import pytest

from graph import expressions as x
from tests.languages.typescript.reading import Read
from tests.languages.words import places

A, B = x.Name("a", 4), x.Name("b", 9)

EXPRESSIONS = [
    ("x = a", A),
    ("x = (a)", x.Name("a", 5)),
    ("x = a!", A),
    ("x = a as T", x.Cast(x.TypeName("T", 9), A)),
    ("x = a as const", A),
    ("x = a satisfies T", A),
    ("x = a.b?.c", x.Member(x.Member(A, "b", 6), "c", 9)),
    ("x = a['b']", x.Member(A, "b", 7)),
    ("x = a[0]", x.Item(A, 0)),
    ("x = a[b]", x.Subscript(A, x.Name("b", 6))),
    ("x = a ?? b", x.Either((A, B))),
    ("x = a || b", x.Either((A, B))),
    ("x = a && b", B),
    ("x = a === b", x.Literal_("Boolean")),
    ("x = 'a'", x.Literal_("String")),
    ("x = `a${b}`", x.Literal_("String")),
    ("x = /a/g", x.Literal_("RegExp")),
    ("x = [a]", x.Sequence("Array", (x.Name("a", 5),))),
    ("x = require('m')", x.ModuleExpression("m")),
    ("x = await import('m')", x.Await(x.ModuleExpression("m"))),
    ("x = new A<T>(a)", x.Construct(x.Name("A", 8), (x.Argument(x.Name("a", 13)),), 4, 15, (x.TypeName("T", 10),))),
    ("x = a(...b)", x.Call(A, (x.Argument(x.Name("b", 9), None, "*"),), 4, 11)),
    ("x = () => a", x.Function(4)),
    ("x = this", x.This(4)),
]


@pytest.mark.parametrize(("text", "wanted"), EXPRESSIONS)
def test_an_expression_is_lowered_to_something_else(text: str, wanted: x.Expression) -> None:
    read = Read("ts", text)
    assert read.language.expression(read.syntax, 4, len(text)) == wanted


def test_an_awaited_module_in_parentheses_is_not_a_call_of_await() -> None:
    read = Read("js", "async function f() { const a = await (\n await import('m')\n).g({}) }")
    at = places(read.language, read.syntax, "g")[0]
    found = read.language.reference(read.syntax, at)
    assert found is not None
    assert found.target == x.Member(x.Await(x.ModuleExpression("m")), "g", at)


def test_an_object_keeps_its_properties_and_spreads() -> None:
    read = Read("ts", "const o = { a, b: 1, m() {}, ...c }")
    found = read.language.expression(read.syntax, 10, -1)
    assert isinstance(found, x.Object)
    assert [(each.name, each.at) for each in found.properties] == [("a", 12), ("b", 15), ("m", 21)]
    assert found.properties[2].value == x.Defined(read.index("o.m"))
    assert found.spreads == (x.Name("c", 32),)


def test_a_function_bound_to_a_name_is_its_definition() -> None:
    read = Read("ts", "export default { run: () => 1 }")
    found = read.language.expression(read.syntax, read.facts.exports[0].at, -1)
    assert isinstance(found, x.Object)
    assert found.properties[0].value == x.Defined(read.index("default.run"))


TYPES = [
    ("A", x.TypeName("A", 9)),
    ("n.A<B>", x.TypeName("n.A", 9, (x.TypeName("B", 13),))),
    ("string", x.TypeName("String", 9)),
    ("A[]", x.TypeName("Array", 9, (x.TypeName("A", 9),))),
    ("readonly A[]", x.TypeName("Array", 18, (x.TypeName("A", 18),))),
    ("A | B | null", x.UnionType((x.TypeName("A", 9), x.TypeName("B", 13), x.TypeName("null", 17)))),
    ("A & B", x.IntersectionType((x.TypeName("A", 9), x.TypeName("B", 13)))),
    ("[A, b?: B]", x.TupleType((x.TypeName("A", 10), x.TypeName("B", 17)))),
    ("(a: A) => B", x.FunctionType((x.TypeName("A", 13),), x.TypeName("B", 19))),
    ("new () => A", x.ClassOf(x.TypeName("A", 19))),
    ("{ a?: A }", x.ObjectType((x.TypeMember("a", x.TypeName("A", 15), 11, True),), 9)),
    ("typeof a.b", x.TypeOf(x.Member(x.Name("a", 16), "b", 18))),
    ("A['b']", x.IndexedType(x.TypeName("A", 9), "b")),
    ("A[number]", x.IndexedType(x.TypeName("A", 9), None)),
    ("'a'", x.LiteralType("String")),
    ("keyof A", x.LiteralType("String")),
    ("this", x.SelfType()),
    ("A extends B ? C : D", x.UnknownType()),
    ("Partial<A>", x.TypeName("Partial", 9, (x.TypeName("A", 17),))),
]


@pytest.mark.parametrize(("text", "wanted"), TYPES)
def test_a_type_is_lowered_to_something_else(text: str, wanted: x.TypeExpression) -> None:
    read = Read("ts", f"type T = {text}")
    assert read.language.alias(read.syntax, 0) == wanted


def test_what_a_function_gives_back() -> None:
    read = Read(
        "ts",
        """function declared(): Order { return x }
        async function evident() { if (a) return b; xs.map(() => { return c }); return new D() }
        function* many() { yield a; yield* b }
        const short = async () => made""",
    )
    result = [read.language.result(read.syntax, index) for index in range(4)]
    assert isinstance(result[0].annotation, x.TypeName)
    assert result[0].annotation.name == "Order"
    assert (len(result[1].values), result[1].asynchronous) == (2, True)
    assert (len(result[2].yields), result[2].generator) == (2, True)
    assert isinstance(result[2].yields[1], x.Element)
    assert (result[3].asynchronous, len(result[3].values)) == (True, 1)


def test_fields_come_from_declarations_parameters_and_assignments() -> None:
    read = Read(
        "ts",
        """class A extends B<C> implements D {
          x: X; static y = new Y(); m = () => 1;
          constructor(private readonly z: Z, plain: P) { this.w = new W(); xs.map(() => { this.v = 1 }) }
          run() { function f() { this.no = 1 } }
        }""",
    )
    fields = read.language.fields(read.syntax, 0)
    assert set(fields) == {"x", "y", "z", "w", "v"}
    assert fields["z"][0].annotation is not None
    assert [(base.via, len(base.arguments)) for base in read.language.bases(read.syntax, 0)] == [
        ("extends", 1),
        ("implements", 0),
    ]


def test_enum_members_and_interface_properties_are_fields() -> None:
    read = Read("ts", "enum E { A, B = 2, 'c' }\ninterface I { p: P; m(): void }")
    assert set(read.language.fields(read.syntax, 0)) == {"A", "B", "c"}
    assert set(read.language.fields(read.syntax, 1)) == {"p"}


def test_types_in_comments_count_in_javascript() -> None:
    read = Read(
        "js",
        """/**
         * @param {Map<string, Foo>} a
         * @param {?Bar} [b]
         * @returns {Promise<Baz[]>}
         */
        function f(a, b) {}
        /** @type {Foo} */
        const c = make();""",
    )
    first, second = read.language.parameter_types(read.syntax, 0)
    assert isinstance(first.annotation, x.TypeName)
    assert (first.annotation.name, len(first.annotation.arguments)) == ("Map", 2)
    assert isinstance(second.annotation, x.TypeName)
    assert second.annotation.name == "Bar"
    result = read.language.result(read.syntax, 0).annotation
    assert isinstance(result, x.TypeName)
    assert result.name == "Promise"
    value = read.language.value(read.syntax, 1)
    assert value is not None
    assert isinstance(value.annotation, x.TypeName)
    assert value.annotation.name == "Foo"


def test_decorators_are_kept_in_order() -> None:
    read = Read("ts", "@A() @b.C export class D { @E() m() {} @F x() {} }")
    assert len(read.language.decorated(read.syntax, 0)) == 2
    assert len(read.language.decorated(read.syntax, 1)) == 1
    assert read.language.decorated(read.syntax, 2) == (x.Name("F", 40),)


def test_the_stub_of_builtins_can_be_read() -> None:
    read = Read("ts", Read("ts", "").language.builtins)
    assert read.facts.degraded == 0
    assert {"Array", "Map", "Promise", "String", "useState", "EventEmitter"} <= {
        each.name for each in read.facts.definitions if each.parent < 0
    }

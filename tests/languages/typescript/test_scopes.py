"""Which binding a name means, and what is known of its value."""

from __future__ import annotations

import pytest

from graph import expressions as x
from tests.languages.typescript.reading import Read
from tests.languages.words import places


def bound(text: str, kind: str = "ts") -> tuple[x.Binding, ...]:
    """The bindings of the marked name in the innermost scope that has it, the module's aside."""
    read = Read(kind, text)
    at = read.places[0]
    name = next(name for name in sorted(read.facts.names) if at in places(read.language, read.syntax, name))
    for scope in read.language.scopes(read.syntax, at):
        if name in scope.bindings and scope.kind != "module":
            return scope.bindings[name]
    return ()


def test_the_innermost_binding_wins() -> None:
    (found,) = bound("const a = 1; function f(a: A) { { let a = new B(); «a } }")
    assert isinstance(found.value, x.Construct)


def test_var_is_hoisted_out_of_blocks_and_let_is_not() -> None:
    assert bound("function f() { if (x) { var a = 1 } «a }")
    assert not bound("function f() { if (x) { let a = 1 } «a }")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("function f() { for (const a of xs) { «a } }", x.Element(x.Name("xs", 31))),
        ("function f() { for (const a in xs) { «a } }", x.Literal_("String")),
        ("function f([, a]: T) { «a }", x.Item(x.Cast(x.TypeName("T", 18), x.Unknown()), 1)),
        ("function f({ b: a }: T) { «a }", x.Member(x.Cast(x.TypeName("T", 21), x.Unknown()), "b", 13)),
        ("function f() { const { a } = b; «a }", x.Member(x.Name("b", 29), "a", 23)),
    ],
)
def test_a_pattern_binds_what_it_takes(text: str, value: x.Expression) -> None:
    (found,) = bound(text)
    assert found.value == value


def test_a_parameter_of_a_passed_function_takes_what_the_call_expects() -> None:
    (found,) = bound("xs.map(a => «a)")
    assert isinstance(found.value, x.ContextParameter)
    assert (found.value.argument, found.value.parameter) == (0, 0)
    (found,) = bound("xs.reduce((sum, { a }) => «a, 0)")
    assert isinstance(found.value, x.Member)
    assert isinstance(found.value.object, x.ContextParameter)
    assert found.value.object.parameter == 1


def test_what_import_then_hands_over_is_the_module() -> None:
    (found,) = bound("import('./m').then(m => «m.f())")
    assert found.value == x.ModuleExpression("./m")


def test_a_variable_that_is_set_later_is_known_by_what_is_assigned() -> None:
    (found,) = bound("function f() { let a; beforeEach(() => { a = new A() }); it(() => { «a.m() }) }")
    assert isinstance(found.value, x.Construct)


def test_an_assignment_to_an_inner_name_does_not_change_the_outer_one() -> None:
    (found,) = bound("function f() { let a = new A(); { let a; a = new B() } «a }")
    assert isinstance(found.value, x.Construct)
    assert isinstance(found.value.callee, x.Name)
    assert found.value.callee.id == "A"


def test_names_of_functions_imports_and_types_are_bound() -> None:
    assert bound("function f() { function g() {} «g() }")[0].kind == "definition"
    assert bound("function f() { const g = require('./g'); «g() }", "js")[0].kind == "import"
    assert bound("function f<T extends B>(a: «T) {}")[0].annotation == x.TypeName("B", 21)
    assert bound("function f() { try {} catch (e) { «e } }")[0].kind == "unbound"
    assert bound("namespace N { const a = 1; function f() { «a } }")[0].kind == "definition"


@pytest.mark.parametrize(
    ("text", "owner"),
    [
        ("class A { m() { «this } }", "A"),
        ("class A { m() { xs.map(() => «this) } }", "A"),
        ("class A { m() { xs.map(function () { «this }) } }", None),
        ("class A { f = () => «this }", "A"),
        ("const o = { m() { «this } }", None),
        ("class A { m() { return { n() { «this } } } }", None),
        ("class A { static { «this } }", "A"),
        ("function F() {} F.prototype.m = function () { «this }", "F"),
        ("function F() { «this } F.prototype.m = function () {}", "F"),
        ("function f() { «this }", None),
        ("const A = class { m() { «this } }", "A"),
    ],
)
def test_this_belongs_to_the_wrong_class(text: str, owner: str | None) -> None:
    read = Read("js", text)
    index = read.language.enclosing_class(read.syntax, read.places[0])
    assert (read.facts.definitions[index].name if index >= 0 else None) == owner


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("if (a instanceof A) { «a.m() }", "A"),
        ("if (!(a instanceof A)) return; «a.m()", "A"),
        ("if (a instanceof A || b) { «a.m() }", None),
        ("if (b && a instanceof A) «a.m()", "A"),
        ("a instanceof A && «a.m()", "A"),
        ("a instanceof A ? «a.m() : 1", "A"),
        ("a instanceof A ? 1 : «a.m()", None),
        ("if (typeof a === 'string') «a.m()", "String"),
        ("if (b instanceof A) «a.m()", None),
    ],
)
def test_a_condition_states_the_type(text: str, wanted: str | None) -> None:
    read = Read("ts", f"function f(a, b) {{ {text} }}")
    at = read.places[0]
    stated, found = read.language.narrowed(read.syntax, at, x.Name("a", at))
    assert found is (wanted is not None)
    assert (stated.name if isinstance(stated, x.TypeName) else None) == wanted

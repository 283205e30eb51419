"""Which scopes a name is looked up in, and what is bound there."""

from __future__ import annotations

import pytest

from graph.expressions import Binding
from graph.languages.base import Syntax
from graph.languages.python import PYTHON
from tests.languages.python.marked import index, marked, text


def lookup(syntax: Syntax, at: int, name: str) -> tuple[str, tuple[Binding, ...]]:
    """The kind of the innermost scope that binds the name, and its bindings."""
    for scope in PYTHON.scopes(syntax, at):
        if name in scope.bindings:
            return scope.kind, scope.bindings[name]
    return "nowhere", ()


@pytest.mark.parametrize(
    ("code", "where"),
    [
        ("x = 1\ndef f():\n    @@x", "module"),
        ("x = 1\ndef f(x):\n    @@x", "function"),
        ("x = 1\ndef f(a=@@x, x=2): pass", "module"),
        ("x = 1\ndef f(x):\n    def g():\n        @@x", "function"),
        ("x = 1\nclass C:\n    x = 2\n    y = @@x", "class"),
        ("x = 1\nclass C:\n    x = 2\n    def f(self): @@x", "module"),
        ("x = 1\nclass C:\n    x = 2\n    y = [@@x for a in b]", "module"),
        ("x = 1\nclass C:\n    x = 2\n    y = [a for a in @@x]", "class"),
        ("x = 1\nclass C:\n    x = 2\n    class D:\n        @@x", "module"),
        ("x = 1\nclass C:\n    x = 2\n    def f(self, a=@@x): pass", "class"),
        ("x = 1\nclass C:\n    x = 2\n    f = lambda a: @@x", "module"),
        ("x = 1\nf = lambda x: @@x", "function"),
        ("x = 1\nf = lambda a=@@x, x=1: x", "module"),
        ("x = 1\ny = [@@x for x in z]", "block"),
        ("x = 1\ny = {k: @@x for k, x in z if k}", "block"),
        ("x = 1\ndef f():\n    global x\n    x = 2\n    @@x", "module"),
        ("def f():\n    x = 1\n    def g():\n        nonlocal x\n        x = 2\n        @@x", "function"),
        ("x = 1\ndef f():\n    if a:\n        x = 2\n    @@x", "function"),
        ("x = 1\ndef f():\n    del x\n    @@x", "function"),
        ("x = 1\ndef f():\n    x += 1\n    @@x", "function"),
        ("x = 1\ndef f():\n    while (x := g()): @@x", "function"),
        ("x = 1\ndef f():\n    [y for y in z if (x := y)]\n    @@x", "function"),
        ("def f[x](a: @@x): pass", "block"),
        ("class C[x](Base[@@x]): pass", "block"),
        ("class C[x]:\n    def f(self) -> @@x: pass", "block"),
        ("type A[x] = list[@@x]", "block"),
        ("@d(@@x)\ndef f(x): pass", "nowhere"),
    ],
)
def test_a_name_is_looked_up_where_python_looks_it_up(code: str, where: str) -> None:
    syntax, (at,) = marked(code + "\n")
    assert lookup(syntax, at, "x")[0] == where


@pytest.mark.parametrize(
    ("body", "kind", "value"),
    [
        ("x = C()", "variable", "Call(C)"),
        ("x: C = f()", "variable", "Call(f)"),
        ("x = y = f()", "variable", "Call(f)"),
        ("a, x = f()", "variable", "Item(Call(f), 1)"),
        ("(a, (b, x)) = f()", "variable", "Item(Item(Call(f), 1), 1)"),
        ("a, x = 1, g", "variable", "g"),
        ("a, *x = f()", "variable", "Sequence(list, Element(Call(f)))"),
        ("for x in xs: pass", "variable", "Element(xs)"),
        ("async for x in xs: pass", "variable", "Element(xs, True)"),
        ("for i, x in enumerate(xs): pass", "variable", "Item(Element(Call(enumerate, Argument(xs))), 1)"),
        ("with f() as x: pass", "variable", "Entered(Call(f))"),
        ("async with a as b, f() as x: pass", "variable", "Entered(Call(f), True)"),
        ("with (a as b, f() as x): pass", "variable", "Entered(Call(f))"),
        ("with f() as (a, x): pass", "variable", "Item(Entered(Call(f)), 1)"),
        ("if (x := f()): pass", "variable", "Call(f)"),
        ("import x", "import", "None"),
        ("from m import y as x", "import", "None"),
        ("def x(): pass", "definition", "None"),
        ("class x: pass", "definition", "None"),
        ("match f():\n        case x: pass", "variable", "Call(f)"),
        ("match f():\n        case [*x]: pass", "unbound", "None"),
        ("try: pass\n    except* E as x: pass", "unbound", "None"),
        ("x += 1", "unbound", "None"),
    ],
)
def test_what_a_statement_binds(body: str, kind: str, value: str) -> None:
    syntax, (at,) = marked(f"def fn():\n    {body}\n    @@last\n")
    where, (binding,) = lookup(syntax, at, "x")
    assert (where, binding.kind, text(binding.value) if binding.value else "None") == ("function", kind, value)


@pytest.mark.parametrize(
    ("body", "annotation"),
    [
        ("x: C = f()", "C"),
        ("x: 'm.C'", "m.C"),
        ("try: pass\n    except E as x: pass", "E"),
        ("try: pass\n    except (A, m.B) as x: pass", "UnionType(A, m.B)"),
        ("match y:\n        case C() as x: pass", "C"),
        ("match y:\n        case A() | B() as x: pass", "UnionType(A, B)"),
        ("x: Final = f()", "None"),
    ],
)
def test_what_a_statement_says_of_the_type(body: str, annotation: str) -> None:
    syntax, (at,) = marked(f"def fn():\n    {body}\n    @@last\n")
    _, (binding,) = lookup(syntax, at, "x")
    assert (text(binding.annotation) if binding.annotation else "None") == annotation


@pytest.mark.parametrize(
    ("method", "first", "kind"),
    [
        ("def m(self): @@y", "self", "self"),
        ("def m(this, other): @@y", "this", "self"),
        ("@classmethod\n    def m(cls): @@y", "cls", "class-self"),
        ("@staticmethod\n    def m(a): @@y", "a", "parameter"),
        ("def __new__(cls): @@y", "cls", "class-self"),
        ("def __init_subclass__(cls): @@y", "cls", "class-self"),
        ("def m(*args): @@y", "args", "parameter"),
        ("if A:\n        def m(self): @@y", "self", "self"),
    ],
)
def test_the_receiver_of_a_method(method: str, first: str, kind: str) -> None:
    syntax, (at,) = marked(f"class C:\n    {method}\n")
    _, (binding,) = lookup(syntax, at, first)
    assert binding.kind == kind
    if kind != "parameter":
        assert binding.index == index(syntax, "C")


def test_the_first_parameter_of_a_function_in_a_method_is_no_receiver() -> None:
    syntax, (at,) = marked("class C:\n    def m(self):\n        def inner(a): @@a\n")
    _, (binding,) = lookup(syntax, at, "a")
    assert binding.kind == "parameter"
    assert lookup(syntax, at, "self")[1][0].kind == "self"


@pytest.mark.parametrize(
    ("parameter", "annotation", "value"),
    [
        ("x: C", "C", "None"),
        ("x: C = None", "C", "None"),
        ("x=f", "None", "f"),
        ("*x: C", "TypeName(tuple, C)", "None"),
        ("**x: C", "TypeName(dict, str, C)", "None"),
        ("*x", "tuple", "None"),
    ],
)
def test_parameters_are_bound_with_their_types_and_defaults(parameter: str, annotation: str, value: str) -> None:
    syntax, (at,) = marked(f"def fn({parameter}):\n    @@x\n")
    _, (binding,) = lookup(syntax, at, "x")
    assert text(binding.annotation) if binding.annotation else annotation == "None"
    assert (text(binding.value) if binding.value else "None") == value


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("f(lambda x: @@x)", "ContextParameter(Call(f, Argument(Function())), 0, 0)"),
        ("f(1, lambda a, x: @@x)", "ContextParameter(Call(f, Argument(Literal(int)), Argument(Function())), 1, 1)"),
        ("f(key=lambda x: @@x)", "ContextParameter(Call(f, Argument(Function(), key)), -1, 0, key)"),
    ],
)
def test_a_lambda_that_is_passed_gets_its_parameters_from_the_call(call: str, expected: str) -> None:
    syntax, (at,) = marked(call + "\n")
    _, (binding,) = lookup(syntax, at, "x")
    assert text(binding.value) == expected


def test_a_binding_holds_until_the_end_of_its_block() -> None:
    syntax, (end_of_if, at) = marked("def f():\n    x = 1\n    if a:\n        x = 2@@\n    @@x\n")
    _, (first, second) = lookup(syntax, at, "x")
    assert first.until > at and second.until == end_of_if


@pytest.mark.parametrize(
    "body",
    [
        "x = @@x.parent",
        "x: C = @@x.parent",
        "for x in @@x.children: pass",
        "if (x := @@x.parent): pass",
        "x, y = @@x.pair",
    ],
)
def test_a_name_bound_from_itself_reads_what_it_was_before(body: str) -> None:
    syntax, (at,) = marked(f"def f(x):\n    {body}\n")
    _, bindings = lookup(syntax, at, "x")
    assert [b.at <= at for b in bindings] == [True, False]


def test_what_a_generator_is_sent_has_the_type_that_its_annotation_states() -> None:
    syntax, (at,) = marked(
        "def flow() -> Generator[Request, Response, None]:\n    response = yield request\n    @@response\n"
    )
    _, (binding,) = lookup(syntax, at, "response")
    assert text(binding.annotation) == "Response"


def test_a_global_assigned_in_a_function_counts_for_the_module() -> None:
    syntax, _ = marked("app = None\ndef start():\n    global app\n    app = App()\n")
    value = PYTHON.value(syntax, index(syntax, "app"))
    assert value is not None and text(value.value) == "Call(App)"


def test_module_names_without_a_definition_are_bound_in_the_module_scope() -> None:
    syntax, (at,) = marked("with open(p) as file: pass\nfor line in file: @@line\n")
    where, (binding,) = lookup(syntax, at, "line")
    assert (where, text(binding.value)) == ("module", "Element(file)")


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("class C:\n    def m(self): @@x", "C"),
        ("class C:\n    class D:\n        def m(self):\n            def n(): @@x", "C.D"),
        ("class C(@@x): pass", None),
        ("def f(): @@x", None),
    ],
)
def test_the_class_that_self_belongs_to(code: str, expected: str | None) -> None:
    syntax, (at,) = marked(code + "\n")
    found = PYTHON.enclosing_class(syntax, at)
    assert (syntax.facts.definitions[found].qualified if found >= 0 else None) == expected

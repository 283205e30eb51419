"""What a name in Go code refers to, what it is bound to, and what a call passes."""

from __future__ import annotations

import pytest

from graph.expressions import Cast, Member, TypeName
from graph.languages.go import GO
from tests.languages.go.sources import index, marked, text


@pytest.mark.parametrize(
    ("code", "kind", "target"),
    [
        ("func f() { @@g(1) }", "call", "g"),
        ("func f() { x.@@g(1) }", "call", "Member(x, g)"),
        ("func f() { @@x.g(1) }", "value", "x"),
        ("func f() { a.b.@@g() }", "call", "Member(Member(a, b), g)"),
        ("func f() { h(@@g) }", "argument", "g"),
        ("func f() { h(x.@@g...) }", "argument", "Member(x, g)"),
        ("func f() { y = @@g }", "value", "g"),
        ("func f() { @@y = g }", "value", "y"),
        ("func f() { return @@g }", "value", "g"),
        ("func f() { go @@g() }", "call", "g"),
        ("func f() { (@@g)() }", "call", "g"),
        ("func f() { (*T).@@m(x) }", "call", "Member(T, m)"),
        ("func f() { x.g[1].@@m() }", "call", "Member(Subscript(Member(x, g), Literal(int)), m)"),
        ("func f() { @@g[int](x) }", "call", "g"),
        ("func f() { p.@@G[int, string](x) }", "call", "Member(p, G)"),
        ("func f() { _ = @@T{} }", "new", "T"),
        ("func f() { _ = &p.@@T{} }", "new", "Member(p, T)"),
        ("func f() { _ = @@T[int]{} }", "new", "T"),
        ("func f() { _ = []@@T{} }", "type", "T"),
        ("func f() { _ = x.(*@@T) }", "type", "T"),
        ("func f(x @@T) {}", "type", "T"),
        ("func f(x p.@@T) {}", "type", "Member(p, T)"),
        ("func f(x @@p.T) {}", "type", "p"),
        ("func f() *@@T { return nil }", "type", "T"),
        ("func (x *@@T) m() {}", "type", "T"),
        ("type S struct { *@@T }", "base", "T"),
        ("type S struct { p.@@T }", "base", "Member(p, T)"),
        ("type S struct { @@T[int] }", "base", "T"),
        ("type S struct { a @@T }", "type", "T"),
        ("type I interface { @@T }", "base", "T"),
        ("type I interface { @@T | int }", "type", "T"),
        ("type A = @@T", "type", "T"),
        ("var m = map[string]int{@@K: 1}", "value", "K"),
        ("var m = [...]int{@@K: 1}", "value", "K"),
        ("var m = T{a: @@g}", "value", "g"),
        ("type M map[string]int\nvar m = M{@@K: 1}", "value", "K"),
        ("var m = map[string]map[string]T{@@K: {@@L: {}}}", "value", "K"),
        ("func (l L[T]) M[U @@C](x U) {}", "type", "C"),
        ("func (l *L[T]) M[U any, V interface{ ~[]U; p.@@C }](x U) (v V) { return }", "base", "Member(p, C)"),
        ("func (l L[T]) M[\n\tU any,\n](x U) { @@g(x) }", "call", "g"),
        ("func f() { _ = new(@@T) }", "type", "T"),
        ("func f() { _ = new(p.@@T) }", "type", "Member(p, T)"),
        ("func f() { _ = new(*@@T) }", "type", "T"),
        ("func f() { _ = new(map[string]@@T) }", "type", "T"),
        ("func f() { _ = new(@@T[[]int]) }", "type", "T"),
        ("func f() { _ = new(@@g(1)) }", "call", "g"),
        ("func f() { _ = new( /* one */ x.@@g(1), ) }", "call", "Member(x, g)"),
        ("func f() { _ = new(h(1) + @@g(2)) }", "call", "g"),
        ("func f() { _ = new(-@@g(2)) }", "call", "g"),
        ("func f() { _ = new(int64(@@g)) }", "argument", "g"),
        ("func f() { _ = new(@@g + 1) }", "value", "g"),
        ("func f() { _ = new(x.y.@@g) }", "argument", "Member(Member(x, y), g)"),
        ("func f() { _ = new(@@T{}) }", "new", "T"),
        ("func f() { _ = new([]int{@@g(1)}) }", "call", "g"),
        ("func f() { _ = new([]byte(@@g(1))) }", "call", "g"),
        ("func f() { _ = new(func() int { return @@g(1) }()) }", "call", "g"),
        ("func f() { _ = new([]T{{A: new(map[K]V{k: @@g(1)})}}) }", "call", "g"),
        ("func f() { _ = new(x[@@g(1)]) }", "call", "g"),
    ],
)
def test_a_use_is_taken_for_another_kind(code: str, kind: str, target: str) -> None:
    syntax, offsets = marked(f"package a\n\n{code}\n")
    reference = GO.reference(syntax, offsets[0])
    assert reference is not None
    assert (reference.kind, text(reference.target)) == (kind, target)


@pytest.mark.parametrize(
    "code",
    [
        "package @@a",
        "import @@b \"c\"",
        "func @@f() {}",
        "func (@@x *T) m() {}",
        "func (x *T) @@m() {}",
        "func f(@@x, y int) {}",
        "func f(x ...int) (@@y int) { return }",
        "func f[@@T any]() {}",
        "type @@T struct{}",
        "type I interface { @@M() }",
        "type T struct { @@a, b int }",
        "var @@x int",
        "const @@x = 1",
        "func f() { @@x := 1 }",
        "func f() { for _, @@x := range y {} }",
        "func f() { switch @@x := y.(type) {} }",
        "func f() { select { case @@x := <-y: } }",
        "func f() { @@loop: for { break loop } }",
        "func f() { for { break @@loop } }",
    ],
)  # fmt: skip
def test_a_name_that_is_declared_or_labels_something_counts_as_a_use(code: str) -> None:
    head = "" if code.startswith("package") else "package a\n\n"
    syntax, offsets = marked(f"{head}{code}\n")
    assert GO.reference(syntax, offsets[0]) is None


@pytest.mark.parametrize("code", ["T{@@a: 1}", "[]T{{@@a: 1}}", 'map[string]*T{"x": {@@a: 1}}', "[][2]*T{{{@@a: 1}}}"])
def test_a_key_of_a_literal_names_no_field_or_more_than_that(code: str) -> None:
    syntax, offsets = marked(f"package a\n\nvar m = {code}\n")
    reference = GO.reference(syntax, offsets[0])
    assert reference is not None and reference.key
    target = reference.target
    assert isinstance(target, Member) and isinstance(target.object, Cast) and isinstance(target.object.type, TypeName)
    assert (target.object.type.name, target.name) == ("T", "a")


@pytest.mark.parametrize(
    ("code", "by_position"),
    [
        ("@@T{1, 2}", True),
        ("@@T{a: 1}", False),
        ("@@T{}", False),
        ("[]@@T{{1}}", True),
        ("[]@@T{{a: 1}}", False),
        ("[]@@T{x, y}", False),
        ('map[string][]*@@T{"x": {{1}}}', True),
        ("p.@@T{1}", True),
        ("@@T[int]{1}", True),
    ],
)
def test_a_literal_that_lists_its_values_by_position_is_like_any_other(code: str, by_position: bool) -> None:
    syntax, offsets = marked(f"package a\n\nvar m = {code}\n")
    reference = GO.reference(syntax, offsets[0])
    assert reference is not None and reference.by_position == by_position


@pytest.mark.parametrize(
    ("call", "positional", "spread", "rest"),
    [
        ("g()", 0, False, False),
        ("g(1, x, func() {})", 3, False, False),
        ("g(1, xs...)", 1, False, True),
        ("g(h()...)", 0, False, True),
        ("g(h())", 1, True, False),
        ("g(h(), 1)", 2, False, False),
        ("g(\n\t1, // one\n\t2,\n)", 2, False, False),
    ],
)
def test_arguments_are_miscounted(call: str, positional: int, spread: bool, rest: bool) -> None:
    syntax, offsets = marked(f"package a\n\nfunc f() {{ @@{call} }}\n")
    reference = GO.reference(syntax, offsets[0])
    assert reference is not None
    passed = GO.arguments(syntax, reference.call_at)
    assert passed is not None
    assert (passed.positional, passed.spread, passed.rest) == (positional, spread, rest)


@pytest.mark.parametrize(
    ("body", "bound"),
    [
        ("x := a()\n\t@@x.m()", "Call(a)"),
        ("x, y := a()\n\t@@y.m()", "Item(Call(a), 1)"),
        ("x, ok := a.(T)\n\t@@x.m()", "Cast(T, Unknown())"),
        ("x, ok := a[i]\n\t@@ok.m()", "Literal(bool)"),
        ("x := a()\n\tx = b()\n\t@@x.m()", "Call(a)"),
        ("x := a()\n\tif c {\n\t\tx := b()\n\t\tx.m()\n\t}\n\t@@x.m()", "Call(a)"),
        ("x := a()\n\tif x := b(); c {\n\t\t@@x.m()\n\t}", "Call(b)"),
        ("x := a()\n\tx, y := @@x.m()", "Call(a)"),
        ("for _, x := range a {\n\t\t@@x.m()\n\t}", "Element(a)"),
        ("switch x := a.(type) {\n\tcase *T:\n\t\t@@x.m()\n\t}", "TypeName(T, *)"),
        ("switch x := a.(type) {\n\tcase T, U:\n\t\t@@x.m()\n\t}", "a"),
        ("func(x T) {\n\t\t@@x.m()\n\t}(a)", "T"),
        ("var x, y T = a, b\n\t@@y.m()", "T"),
        ("x := &T{}\n\t@@x.m()", "Cast(T, Unknown())"),
        ("x := make(map[K]V)\n\t@@x.m()", "Cast(TypeName(__map__, K, V), Unknown())"),
        ("x := append(a, b)\n\t@@x.m()", "a"),
        ("x := *a\n\t@@x.m()", "a"),
        ("x := <-a\n\t@@x.m()", "Element(a)"),
        ("x := a == b\n\t@@x.m()", "Literal(bool)"),
        ("x := a[1:2]\n\t@@x.m()", "a"),
        ("@@p.m()", "P"),
        ("@@rest.m()", "TypeName(__slice__, R)"),
        ("@@named.m()", "N"),
        ("@@self.m()", "TypeName(Self, *)"),
    ],
)
def test_a_variable_is_bound_to_something_else(body: str, bound: str) -> None:
    syntax, offsets = marked(f"package a\n\nfunc (self *Self) f(p P, rest ...R) (named N) {{\n\t{body}\n}}\n")
    reference = GO.reference(syntax, offsets[-1])
    if reference is None or text(reference.target).startswith("Member"):
        reference = GO.reference(syntax, offsets[-1])
    assert reference is not None
    name = text(reference.target)
    scopes = [scope for scope in GO.scopes(syntax, reference.at) if name in scope.bindings]
    binding = scopes[0].bindings[name][0]
    assert text(binding.annotation if binding.annotation is not None else binding.value) == bound


def test_a_name_is_bound_before_it_is_declared() -> None:
    syntax, offsets = marked("package a\n\nfunc f() {\n\t@@x()\n\tx := 1\n\t_ = x\n}\n")
    assert all("x" not in scope.bindings for scope in GO.scopes(syntax, offsets[0]))


def test_what_types_declare_is_misread() -> None:
    syntax, _ = marked(
        """
        package a

        type S[T any] struct {
        \t*Base[T]
        \tp.Q
        \tx, y map[string]T
        }

        type F func(a int) (b, c error)

        type I interface {
        \tp.Reader
        \tGet(a int) error
        }

        type L []*T

        type A = p.B

        const (
        \tX K = 1
        \tY
        )

        func (s *S[E]) m(a, b int, c ...E) {}
        """
    )
    at = index(syntax, "S")
    assert [text(each) for each in GO.bases(syntax, at)] == ["Base(Base, T, extends)", "Base(Member(p, Q), extends)"]
    assert sorted(GO.fields(syntax, at)) == ["Base", "Q", "x", "y"]
    called = GO.fields(syntax, index(syntax, "F"))["__call__"][0]
    assert text(called.annotation) == "FunctionType(int, TupleType(error, error))"
    assert [text(each.value) for each in GO.bases(syntax, index(syntax, "I"))] == ["Member(p, Reader)"]
    assert [text(each.value) for each in GO.bases(syntax, index(syntax, "L"))] == ["__slice__"]
    assert text(GO.alias(syntax, index(syntax, "A"))) == "p.B"
    constant = GO.value(syntax, index(syntax, "Y"))
    assert constant is not None and text(constant.annotation) == "K"
    method = index(syntax, "S.m")
    assert [each.name for each in GO.type_parameters(syntax, method)] == ["E"]
    assert [text(each.annotation) for each in GO.parameter_types(syntax, method)] == ["int", "int", "E"]
    assert text(GO.result(syntax, method).annotation) == "TupleType()"

"""Callers in Go: what a name stands for through packages, types that a call doesn't name, embedding and interfaces."""

from __future__ import annotations

import pytest

from tests.graph.stories import Repo

MOD = "module example.com/shop\n\ngo 1.22\n"


def reasons(repo: Repo, tag: str = "") -> dict[str, str | None]:
    """`path:line` of each caller of the definition marked TARGET -> why it is listed."""
    (place,) = repo.lines("TARGET", tag)
    return {f"{each.file}:{each.line}": each.reason for each in repo.ask([place])[0].callers}


# ------------------------------------------------------------------------------------------------------- packages


def test_a_package_is_called_by_its_directory_instead_of_its_own_name(repo: Repo) -> None:
    repo.commit(
        {
            "go.mod": MOD,
            "pkg/go-money/money.go": "package money\n\nfunc Round(x int) int { return x } // TARGET\n",
            "plain.go": """
                package shop

                import "example.com/shop/pkg/go-money"

                var total = money.Round(3) // CALLER
                """,
            "alias.go": """
                package shop

                import m "example.com/shop/pkg/go-money"

                func f() int { return m.Round(4) } // CALLER
                """,
            "dot.go": """
                package shop

                import . "example.com/shop/pkg/go-money"

                func g() int { return Round(5) } // CALLER
                """,
            "blank.go": """
                package shop

                import _ "example.com/shop/pkg/go-money"
                import "golang.org/x/money"

                func h() int { return money.Round(5) }
                """,
            "hidden.go": """
                package shop

                import "example.com/shop/pkg/go-money"

                func k(money interface{ Round(int) int }) int { return money.Round(6) }

                var _ = money.Round // CALLER
                """,
        }
    )
    assert repo.callers() == repo.marked()


def test_modules_that_lie_in_the_tree_are_taken_for_foreign(repo: Repo) -> None:
    repo.commit(
        {
            "go.mod": MOD + "\nreplace (\n\texample.com/base => ./staging/base\n\texample.com/gone => ../gone\n)\n",
            "staging/base/go.mod": "module example.com/base\n",
            "staging/base/text/text.go": "package text\n\nfunc Pad(s string) string { return s } // TARGET\n",
            "tools/go.mod": "module example.com/tools\n\nreplace example.com/other => ../staging/base\n",
            "tools/main.go": """
                package main

                import (
                \tsame "example.com/base/text"
                \t"example.com/other/text"
                )

                func main() {
                \ttext.Pad("a") // CALLER
                \tsame.Pad("a") // CALLER
                }
                """,
            "text/text.go": "package text\n\nfunc Pad(s string) string { return s }\n",
            "main.go": """
                package main

                import (
                \t"example.com/base/text"
                \tours "example.com/shop/text"
                )

                func main() {
                \ttext.Pad("b") // CALLER
                \tours.Pad("c")
                }
                """,
        }
    )
    assert repo.callers() == repo.marked()


def test_a_replacement_of_a_shorter_path_hides_the_packages_of_a_module(repo: Repo) -> None:
    repo.commit(
        {
            "server/go.mod": "module example.com/etcd/server/v3\n\nreplace example.com/etcd => ./FORBIDDEN\n",
            "server/apply/apply.go": "package apply\n\nfunc New(a int) int { return a } // TARGET\n",
            "server/core/core.go": """
                package core

                import "example.com/etcd/server/v3/apply"

                func Use() int { return apply.New(1) } // CALLER
                """,
            "client/go.mod": "module example.com/client\n\nreplace example.com/etcd/server/v3 => ../server\n",
            "client/client.go": """
                package client

                import "example.com/etcd/server/v3/apply"

                func Use() int { return apply.New(2) } // CALLER
                """,
        }
    )
    assert repo.callers() == repo.marked()


def test_a_value_that_new_copies_is_taken_for_a_type(repo: Repo) -> None:
    repo.commit(
        {
            "go.mod": MOD,
            "limit.go": """
                package shop

                type Limits struct { Most int }

                func limit(x int) int { return x } // TARGET:function

                func (l Limits) Of(x int) int { return x } // TARGET:method

                var Most = 3 // TARGET:variable

                type Size int // TARGET:type
                """,
            "use.go": """
                package shop

                type Order struct { a, b *int }

                func use(l Limits, p *Limits) []*Order {
                \tx := new(limit(1)) // CALLER:function
                \ty := new(l)
                \ty.Of(2) // CALLER:method
                \tz := new(*p)
                \tz.Of(2) // CALLER:method
                \t_ = new(l.Of) // CALLER:method
                \t_ = new(Most) // CALLER:variable
                \t_ = new(Size) // TYPE:type
                \t_ = new(Size(4)) // CALLER:type
                \t_ = new(map[Size]int) // TYPE:type
                \tnew(Limits{}).Of(5) // CALLER:method
                \ttable[Most](x) // CALLER:variable
                \treturn []*Order{
                \t\t{a: new(limit(1)), // CALLER:function
                \t\t\tb: new(-p.Of(3))}, // CALLER:method
                \t\t{a: new(len("a") + limit(3)), // CALLER:function
                \t\t\tb: new(int(limit(4)))}, // CALLER:function
                \t}
                }

                var table []func(*int)
                """,
        }
    )
    for tag in ("function", "method", "variable", "type"):
        assert repo.callers(tag) == repo.marked(tag)


def test_the_files_of_one_package_do_not_see_each_other(repo: Repo) -> None:
    repo.commit(
        {
            "go.mod": MOD,
            "tax/rate.go": "package tax\n\nfunc rate(x int) int { return x } // TARGET\n",
            "tax/use.go": "package tax\n\nfunc Total() int { return rate(1) } // CALLER\n",
            "tax/use_test.go": "package tax\n\nfunc check() { rate(2) } // CALLER\n",
            "tax/outside_test.go": "package tax_test\n\nfunc rate(x int) int { return x }\n\nvar _ = rate(3)\n",
            "tax/tool.go": "//go:build ignore\n\npackage main\n\nfunc rate(x int) {}\n\nvar _ = rate(3)\n",
            "other/rate.go": "package other\n\nfunc rate(x int) int { return x }\n\nvar _ = rate(3)\n",
            "tax/local.go": "package tax\n\nfunc local(rate func(int) int) int { return rate(1) }\n",
        }
    )
    assert repo.callers() == repo.marked()


def test_an_external_test_package_is_forgotten(repo: Repo) -> None:
    repo.commit(
        {
            "go.mod": MOD,
            "tax/rate.go": "package tax\n\nfunc Rate(x int) int { return x } // TARGET\n",
            "tax/export_test.go": "package tax\n\nvar Inner = rate2\n\nfunc rate2() {}\n",
            "tax/rate_test.go": """
                package tax_test

                import "example.com/shop/tax"

                func check() {
                \ttax.Rate(1) // CALLER
                \ttax.Inner()
                }
                """,
        }
    )
    assert repo.callers() == repo.marked()


def test_a_qualifier_from_outside_is_taken_for_a_package_of_the_repository(repo: Repo) -> None:
    repo.commit(
        {
            "go.mod": MOD,
            "context/context.go": "package context\n\nfunc Background() int { return 1 } // TARGET\n",
            "main.go": """
                package main

                import "context"

                var root = context.Background()
                """,
        }
    )
    assert repo.callers() == []


# ------------------------------------------------------------------------------------------------------ receivers

STORE = """
    package store

    type Store struct{ n int }

    func New() *Store { return &Store{} }

    func Open(name string) (*Store, error) { return New(), nil }

    func (s *Store) Purge(n int) error { return nil } // TARGET
    """


@pytest.mark.parametrize(
    "body",
    [
        "s := store.New()\n\ts.Purge(1) // CALLER",
        "s, err := store.Open(path)\n\t_ = err\n\ts.Purge(1) // CALLER",
        "if s, err := store.Open(path); err == nil {\n\t\ts.Purge(1) // CALLER\n\t}",
        "var s store.Store\n\ts.Purge(1) // CALLER",
        "var (\n\t\ta = f(g(1))\n\t\ts = new(store.Store)\n\t)\n\t_ = a\n\ts.Purge(1) // CALLER",
        "for _, s := range []*store.Store{} {\n\t\ts.Purge(1) // CALLER\n\t}",
        "for k, s := range map[string]store.Store{} {\n\t\ts.Purge(len(k)) // CALLER\n\t}",
        "for s := range map[*store.Store]bool{} {\n\t\ts.Purge(1) // CALLER\n\t}",
        "c := make(chan *store.Store)\n\tfor s := range c {\n\t\ts.Purge(1) // CALLER\n\t}",
        "c := make(chan *store.Store, 3)\n\ts := <-c\n\ts.Purge(1) // CALLER",
        "c := make(chan *store.Store)\n\tselect {\n\tcase s, ok := <-c:\n\t\t_ = ok\n\t\ts.Purge(1) // CALLER\n\t}",
        "s := any(path).(*store.Store)\n\ts.Purge(1) // CALLER",
        "if s, ok := any(path).(*store.Store); ok {\n\t\ts.Purge(1) // CALLER\n\t}",
        "switch s := any(path).(type) {\n\tcase *store.Store:\n\t\ts.Purge(1) // CALLER\n"
        "\tcase fmt.Thing:\n\t\ts.Purge(1)\n\t}",
        "all := []store.Store{}\n\tall[0].Purge(1) // CALLER\n\tall[1:][0].Purge(2) // CALLER",
        "named := map[string]*store.Store{}\n\tnamed[path].Purge(1) // CALLER\n"
        "\tif s, ok := named[path]; ok {\n\t\ts.Purge(2) // CALLER\n\t}",
        "(&store.Store{}).Purge(1) // CALLER",
        "(*store.Store)(nil).Purge(1) // CALLER",
        "f := func() *store.Store { return nil }\n\tf().Purge(1) // CALLER",
        "h := holder{}\n\th.inner.s.Purge(1) // CALLER",
        "b := box[*store.Store]{}\n\tb.get().Purge(1) // CALLER",
        "keep(store.New()).Purge(1) // CALLER",
        "first([]*store.Store{}).Purge(1) // CALLER",
        "var st table\n\tfor _, s := range st {\n\t\ts.Purge(1) // CALLER\n\t}",
        "var st maker\n\tst().Purge(1) // CALLER",
        "var st alias\n\tst.Purge(1) // CALLER",
        "x := struct{ s *store.Store }{}\n\tx.s.Purge(1) // CALLER",
        "all = append(all, store.New())\n\tall[0].Purge(1) // CALLER",
        "shared.Purge(1) // CALLER",
        "defer shared.Purge(1) // CALLER\n\tgo func(s *store.Store) { s.Purge(2) }(shared) // CALLER",
        "p := store.New\n\tp().Purge(1) // CALLER",
        "var p atomic.Pointer[store.Store]\n\tp.Load().Purge(1) // CALLER",
        "for _, s := range slices.Backward(all) {\n\t\ts.Purge(1) // CALLER\n\t}",
        "for s := range each() {\n\t\ts.Purge(1)\n\t}\n\tfor _, s := range pairs() {\n\t\ts.Purge(1) // CALLER\n\t}",
        # never: another type, a name from outside, a shadowed variable
        "var s other\n\ts.Purge(1)",
        "s := fmt.New()\n\ts.Purge(1)",
        "s := store.New()\n\t{\n\t\ts := other{}\n\t\ts.Purge(1)\n\t}\n\ts.Purge(2) // CALLER",
        "s := other{}\n\tif path != \"\" {\n\t\ts := s\n\t\ts.Purge(1)\n\t}",
    ],
)  # fmt: skip
def test_a_receiver_whose_type_is_written_is_not_known(repo: Repo, body: str) -> None:
    use = f"""
package main

import (
\t"fmt"
\t"slices"
\t"sync/atomic"

\t"example.com/shop/store"
)

type other struct{{}}

func (o other) Purge(n int) error {{ return nil }}

type inner struct{{ s *store.Store }}
type holder struct{{ inner inner }}
type box[T any] struct{{ value T }}

func (b box[E]) get() E {{ return b.value }}

func keep[T any](value T) T {{ return value }}
func first[T any](values []T) T {{ return values[0] }}

func each() func(yield func(n int) bool)                   {{ return nil }}
func pairs() func(yield func(n int, s *store.Store) bool) {{ return nil }}

type table []*store.Store
type maker func() *store.Store
type alias = store.Store

var shared = store.New()
var all []*store.Store

func use(path string) {{
\t{body}
}}
"""
    repo.commit({"go.mod": MOD, "store/store.go": STORE, "main.go": use})
    assert repo.callers() == repo.marked()


def test_an_unknown_receiver_counts_where_the_type_cannot_be(repo: Repo) -> None:
    repo.commit(
        {
            "go.mod": MOD,
            "store/store.go": STORE,
            "near.go": """
                package main

                import (
                \t"example.com/shop/store"
                )

                func near(f func(any) func(int)) {
                \t_ = store.New
                \tx := undefined[0](1)
                \tx.Purge(1)
                }
                """,
        }
    )
    assert repo.callers() == repo.marked()


# ----------------------------------------------------------------------------------------------------- interfaces

SHAPES = {
    "go.mod": MOD,
    "shape/shape.go": """
        package shape

        type Shape interface {
        \tArea() float64
        \tName() string
        }

        type Solid interface {
        \tShape
        \tVolume() float64
        }

        type Scaled interface {
        \tArea(scale float64) float64
        }

        type Measured interface {
        \tArea() int
        \tName() string
        }
        """,
    "shape/circle.go": """
        package shape

        type Circle struct{ r float64 }

        func (c *Circle) Area() float64 { return c.r } // TARGET

        type Square struct{ a float64 }

        func (s Square) Area() float64 { return s.a }
        """,
    "shape/circle_name.go": "package shape\n\nfunc (c *Circle) Name() string { return \"circle\" }\n",
    "report/report.go": """
        package report

        import "example.com/shop/shape"

        func Sum(all []shape.Shape, one shape.Solid, two shape.Scaled, three shape.Measured) {
        \tfor _, s := range all {
        \t\ts.Area() // MAYBE
        \t}
        \tone.Area()
        \ttwo.Area(2)
        \tthree.Area()
        \t(&shape.Circle{}).Area() // CALLER
        \tshape.Square{}.Area()
        \t_ = (*shape.Circle).Area // CALLER
        \tf := (&shape.Circle{}).Area // CALLER
        \t_ = f
        }
        """,
}  # fmt: skip


def test_a_call_through_an_interface_is_missed_or_claimed(repo: Repo) -> None:
    repo.commit(SHAPES)
    assert repo.callers() == repo.marked()
    assert reasons(repo)["report/report.go:7"] == "through interface Shape"


def test_a_type_that_gets_a_method_by_embedding_does_not_satisfy_an_interface(repo: Repo) -> None:
    repo.commit(
        {
            **SHAPES,
            "shape/ball.go": """
                package shape

                type Ball struct{ *Circle }

                func (b Ball) Volume() float64 { return 0 }
                """,
            "report/solid.go": """
                package report

                import "example.com/shop/shape"

                func Solid(s shape.Solid) { s.Area() } // MAYBE
                """,
            "report/report.go": "package report\n",
        }
    )
    assert repo.callers() == repo.marked()


def test_every_string_method_of_the_repository_is_called_by_every_other(repo: Repo) -> None:
    repo.commit(
        {
            "go.mod": MOD,
            "a.go": """
                package shop

                type Named interface{ String() string }

                type Order struct{}

                func (o Order) String() string { return "" } // TARGET

                func show(n Named, o Order) {
                \tn.String()
                \to.String() // CALLER
                }
                """,
        }
    )
    assert repo.callers() == repo.marked()


def test_a_name_that_dozens_of_types_have_is_followed_through_an_interface(repo: Repo) -> None:
    types = "".join(f"type T{n} struct{{}}\n\nfunc (t T{n}) Refresh() {{}}\n" for n in range(30))
    repo.commit(
        {
            "go.mod": MOD,
            "types.go": f"package shop\n\n{types}",
            "a.go": """
                package shop

                type Refresher interface{ Refresh() }

                type Both interface {
                \tRefresh()
                \tPurge()
                }

                type Cache struct{}

                func (c Cache) Refresh() {} // TARGET

                func (c Cache) Purge() {}

                func use(r Refresher, b Both) {
                \tr.Refresh()
                \tb.Refresh() // MAYBE
                }
                """,
        }
    )
    assert repo.callers() == repo.marked()


def test_a_changed_method_of_an_interface_does_not_reach_what_implements_it(repo: Repo) -> None:
    repo.commit(
        {
            "go.mod": MOD,
            "api.go": "package shop\n\ntype Sink interface {\n\tEmit(n int)\n\tPing()\n}\n",
            "impl/impl.go": """
                package impl

                type File struct{}

                func (f *File) Emit(n int) {} // MAYBE

                func (f *File) Ping() {}

                type Half struct{}

                func (h *Half) Emit(n int) {}
                """,
            "use.go": "package shop\n\nfunc use(s Sink) { s.Emit(1) } // CALLER\n",
        }
    ).commit({"api.go": "package shop\n\ntype Sink interface {\n\tEmit(n int, level string)\n\tPing()\n}\n"})
    brief = repo.brief()
    assert brief.callers("Sink.Emit") == repo.marked()
    assert brief.fits("Sink.Emit")["use.go:3"] is False


# ------------------------------------------------------------------------------------------------------ embedding


def test_a_promoted_method_is_lost_or_found_behind_one_that_hides_it(repo: Repo) -> None:
    repo.commit(
        {
            "go.mod": MOD,
            "base/base.go": "package base\n\ntype Log struct{}\n\nfunc (l *Log) Note(s string) {} // TARGET\n",
            "srv/srv.go": """
                package srv

                import "example.com/shop/base"

                type Server struct{ *base.Log }
                type Proxy struct{ Server }
                type Outer struct{ Proxy }
                type Quiet struct{ base.Log }

                func (q Quiet) Note(s string) {}

                type Field struct{ Note func(string) }
                type Mixed struct {
                \tField
                \tServer
                }

                func use(s Server, o *Outer, q Quiet, m Mixed) {
                \ts.Note("a") // CALLER
                \to.Note("b") // CALLER
                \tq.Note("c")
                \tq.Log.Note("d") // CALLER
                \tm.Note("e")
                }
                """,
        }
    )
    assert repo.callers() == repo.marked()
    found = reasons(repo)
    assert found["srv/srv.go:19"] == "through Server (embeds Log)"
    assert found["srv/srv.go:20"] == "through Outer (embeds Log)"
    assert found["srv/srv.go:22"] is None


# ------------------------------------------------------------ what the shape of the code may not hide


def test_a_method_of_an_alias_is_no_method_of_its_type(repo: Repo) -> None:
    repo.commit(
        {
            "go.mod": MOD,
            "a.go": """
        package shop

        type Circle struct{}

        type Round = Circle

        func (r *Round) Area() int { return 1 } // TARGET

        func use(c Circle, r *Round) {
        \tc.Area() // CALLER
        \tr.Area() // CALLER
        }
        """,
        }
    )
    assert repo.callers() == repo.marked()


def test_an_alias_of_an_interface_or_of_what_is_embedded_hides_methods(repo: Repo) -> None:
    repo.commit(
        {
            "go.mod": MOD,
            "a.go": """
        package shop

        type Shape interface {
        \tArea() int
        \tName() string
        }

        type Form = Shape

        type Solid interface {
        \tForm
        \tVolume() int
        }

        type Base struct{}

        func (b Base) Name() string { return "" }

        func (b Base) Volume() int { return 1 }

        type Alias = Base

        type Circle struct{ Alias }

        func (c Circle) Area() int { return 1 } // TARGET

        func use(f Form, s Solid) {
        \tf.Area() // MAYBE
        \ts.Area() // MAYBE
        }
        """,
        }
    )
    assert repo.callers() == repo.marked()


def test_methods_and_variables_as_values_are_lost(repo: Repo) -> None:
    repo.commit(
        {
            "go.mod": MOD,
            "a/a.go": """
        package a

        type Server struct{}

        func (s *Server) Manage(x int) {} // TARGET:m

        func WithTimeout(x int) {} // TARGET:f

        var Now = func() int { return 1 } // TARGET:v
        """,
            "use.go": """
        package shop

        import "example.com/shop/a"

        type options struct{ do func(int) }

        var all = []func(int){a.WithTimeout} // CALLER:f

        var handlers = map[string]func(*a.Server, int){"h": (*a.Server).Manage} // CALLER:m

        func build(s *a.Server, x any, list []*a.Server) options {
        \tregister(s.Manage) // CALLER:m
        \tf := list[0].Manage // CALLER:m
        \t_ = f
        \tx.Manage(3) // MAYBE:m
        \tx.(*a.Server).Manage(1) // CALLER:m
        \ta.Now = nil // CALLER:v
        \tdefer func() { a.Now() }() // CALLER:v
        \treturn options{do: s.Manage} // CALLER:m
        }

        func get() func(int) { return a.WithTimeout } // CALLER:f

        func unknown(y Elsewhere) {
        \ty.Manage(4)
        }
        """,
        }
    )
    for tag in ("m", "f", "v"):
        assert repo.callers(tag) == repo.marked(tag)


def test_a_method_promoted_through_several_types_is_lost(repo: Repo) -> None:
    repo.commit(
        {
            "go.mod": MOD,
            "a.go": """
        package shop

        type A struct{}

        func (A) Note() {} // TARGET

        type B struct{ A }
        type C struct{ *B }
        type D struct{ C }
        type I interface{ Note(); Other() }
        type E struct{ D }

        func (E) Other() {}

        func use(b B, c *C, d D, i I, e E) {
        \tb.Note() // CALLER
        \tc.Note() // CALLER
        \td.Note() // CALLER
        \ti.Note() // MAYBE
        \te.Note() // CALLER
        }
        """,
        }
    )
    assert repo.callers() == repo.marked()


def test_a_receiver_whose_type_is_an_argument_of_another_is_not_known(repo: Repo) -> None:
    repo.commit(
        {
            "go.mod": MOD,
            "a.go": """
        package shop

        type Item struct{}

        func (i *Item) Weigh() int { return 1 } // TARGET

        type List[T any] struct{ items []T }

        func (l *List[T]) First() T { return l.items[0] }

        func Map[T, U any](in []T, f func(T) U) []U { return nil }

        func Make[T any]() *List[T] { return nil }

        type Num interface{ Weigh() int; Two() }

        func Do[N *Item](n N) { n.Weigh() } // CALLER

        func use(l *List[*Item], c chan *Item, m map[string]*Item) {
        \tl.First().Weigh() // CALLER
        \tMake[*Item]().First().Weigh() // CALLER
        \tfor _, i := range l.items { i.Weigh() } // CALLER
        \tfor i := range c { i.Weigh() } // CALLER
        \tif i, ok := m["x"]; ok { i.Weigh() } // CALLER
        \tselect { case i := <-c: i.Weigh() } // CALLER
        \tswitch x := any(c).(type) {
        \tcase *Item: x.Weigh() // CALLER
        \tcase string: x.Weigh()
        \t}
        \tMap(l.items, func(i *Item) int { return i.Weigh() }) // CALLER
        \tfor _, i := range Map(l.items, func(i *Item) *Item { return i }) { i.Weigh() } // CALLER
        \tvar f func() (*Item, error)
        \tj, _ := f()
        \tj.Weigh() // CALLER
        \tk := new(Item)
        \tk.Weigh() // CALLER
        }
        """,
        }
    )
    assert repo.callers() == repo.marked()


# ------------------------------------------------------------------------------------------------ functions as values


def test_a_function_that_is_named_without_being_called_is_lost(repo: Repo) -> None:
    repo.commit(
        {
            "go.mod": MOD,
            "pad.go": "package shop\n\nfunc Pad(s string) string { return s } // TARGET\n",
            "use.go": """
                package shop

                type options struct{ Pad func(string) string }

                var table = map[string]func(string) string{
                \t"pad": Pad, // CALLER
                }
                var list = []func(string) string{Pad} // CALLER

                func get() func(string) string {
                \to := options{Pad: Pad} // CALLER
                \to.Pad = Pad // CALLER
                \to.Pad("x")
                \tregister("x", Pad) // CALLER
                \tkeys := map[any]int{Pad: 1} // CALLER
                \tother := options{Pad: nil}
                \treturn Pad // CALLER
                }

                func shadow(Pad func(string) string) { Pad("y") }
                """,
        }
    )
    assert repo.callers() == repo.marked()


def test_a_variable_that_holds_a_function_has_no_callers(repo: Repo) -> None:
    repo.commit(
        {
            "go.mod": MOD,
            "now.go": "package shop\n\nvar now = func() int { return 1 } // TARGET\n",
            "use.go": "package shop\n\nfunc use() int { return now() } // CALLER\n",
            "use_test.go": "package shop\n\nfunc init() { now = func() int { return 2 } } // CALLER\n",
        }
    )
    assert repo.callers() == repo.marked()


def test_a_function_under_another_name_is_lost(repo: Repo) -> None:
    repo.commit(
        {
            "go.mod": MOD,
            "inner/inner.go": "package inner\n\nfunc Make() int { return 1 } // TARGET\n",
            "api.go": """
                package shop

                import "example.com/shop/inner"

                var Create = inner.Make // CALLER
                """,
            "use/use.go": """
                package use

                import "example.com/shop"

                var x = shop.Create() // CALLER
                """,
        }
    )
    assert repo.callers() == repo.marked()


# -------------------------------------------------------------------------------------------------- build constraints


def test_a_caller_that_is_never_compiled_together_with_the_change_is_listed(repo: Repo) -> None:
    use = 'package cmd\n\nimport "example.com/shop/disk"\n\nfunc {} {{ disk.Open() }} {}\n'
    repo.commit(
        {
            "go.mod": MOD,
            "disk/open_linux.go": "package disk\n\nfunc Open() {} // TARGET\n",
            "disk/open_windows.go": "package disk\n\nfunc Open() {}\n",
            "disk/open_other.go": "//go:build !linux && !windows\n\npackage disk\n\nfunc Open() {}\n",
            "cmd/any.go": use.format("everywhere()", "// CALLER"),
            "cmd/drive_windows.go": use.format("windows()", ""),
            "cmd/mac.go": "//go:build darwin\n\n" + use.format("mac()", ""),
            "cmd/old.go": "// +build linux,!cgo darwin\n\n" + use.format("old()", "// CALLER"),
            "cmd/unix.go": "//go:build unix && (amd64 || arm64)\n\n" + use.format("unix()", "// CALLER"),
            "cmd/wasm_js.go": use.format("wasm()", ""),
        }
    )  # fmt: skip
    assert repo.callers() == repo.marked()


# ----------------------------------------------------------------------------------------------- moves and signatures


def test_an_import_breaks_although_a_package_is_left(repo: Repo) -> None:
    repo.commit(
        {
            "go.mod": MOD,
            "a/one.go": "package a\n\nfunc One() {}\n",
            "a/two.go": "package a\n\nfunc Two() {}\n",
            "b/only.go": "package b\n\nfunc Only() {}\n",
            "use.go": """
                package shop

                import (
                \t"example.com/shop/a"
                \t"example.com/shop/b"
                )

                func use() {
                \ta.One()
                \tb.Only()
                }
                """,
        }
    ).commit(
        {
            "a/one.go": None,
            "a/first.go": "package a\n\nfunc One() {}\n",
            "b/only.go": None,
            "c/only.go": "package c\n\nfunc Only() {}\n",
        }
    )
    assert repo.brief().stale_imports() == ["use.go:5"]


def test_a_declaration_that_moves_to_another_file_of_its_package_counts_as_changed(repo: Repo) -> None:
    body = "func Make(n int) int {\n\treturn n + 1\n}\n"
    repo.commit(
        {
            "go.mod": MOD,
            "a/one.go": f"package a\n\nfunc Stay() {{}}\n\n{body}",
            "a/two.go": "package a\n\nfunc Other() {}\n",
            "use.go": "package shop\n\nimport \"example.com/shop/a\"\n\nvar x = a.Make(1)\n",
        }
    ).commit(
        {"a/one.go": "package a\n\nfunc Stay() {}\n", "a/two.go": f"package a\n\nfunc Other() {{}}\n\n{body}"}
    )  # fmt: skip
    assert repo.brief().changes() == {"Make": "moved"}


@pytest.mark.parametrize(
    ("before", "after", "call", "compatible", "fits"),
    [
        ("func F(a int)", "func F(a int, more ...string)", "F(1)", True, None),
        ("func F(a int)", "func F(a, b int)", "F(1)", False, False),
        ("func F(a, b int)", "func F(a int)", "F(pair())", False, None),
        ("func F(a int)", "func F(a, b int)", "F(list...)", False, None),
        ("func F(a int)", "func F(a string)", "F(1)", False, None),
        ("func F(a int) int", "func F(a int) (int, error)", "F(1)", False, True),
        ("func F(a int)", "func F(b int)", "F(1)", True, None),
        ("func F(a int, more ...string)", "func F(a int)", "F(1, \"x\")", False, False),
    ],
)  # fmt: skip
def test_a_verdict_on_a_signature_is_wrong(
    repo: Repo, before: str, after: str, call: str, compatible: bool, fits: bool | None
) -> None:
    file = "package a\n\n{} {{ panic(1) }}\n"
    repo.commit(
        {
            "go.mod": MOD,
            "a/f.go": file.format(before),
            "use.go": f"package shop\n\nimport . \"example.com/shop/a\"\n\nfunc use() {{ {call} }}\n",
        }
    ).commit({"a/f.go": file.format(after)})  # fmt: skip
    brief = repo.brief()
    assert brief.symbol("F").compatible is compatible
    assert brief.fits("F") == {"use.go:5": fits}


def test_what_a_type_declares_is_read_from_its_body(repo: Repo) -> None:
    repo.commit(
        {"go.mod": MOD, "a.go": "package a\n\ntype S struct{ a int }\n\ntype I interface {\n\tA()\n}\n"}
    ).commit(
        {"a.go": "package a\n\ntype S struct{ a, b int }\n\ntype I interface {\n\tA()\n\tB()\n}\n"}
    )  # fmt: skip
    brief = repo.brief()
    assert brief.symbol("S.b").change == "added"
    assert brief.symbol("I").change == "signature"
    assert brief.symbol("I").compatible is False


def test_a_receiver_is_no_parameter(repo: Repo) -> None:
    file = (
        "package a\n\ntype S struct{{}}\n\nfunc (s *S) Do({}) {{}}\n\nfunc (t *T) Do(a int) {{}}\n\ntype T struct{{}}\n"
    )
    repo.commit(
        {
            "go.mod": MOD,
            "a.go": file.format("a int"),
            "use.go": "package a\n\nfunc use(s S) {\n\ts.Do(1)\n\t(*S).Do(&s, 1)\n}\n",
        }
    ).commit({"a.go": file.format("a, b int")})
    brief = repo.brief()
    assert brief.changes() == {"S.Do": "signature"}
    assert brief.fits("S.Do") == {"use.go:4": False, "use.go:5": None}


def test_helpers_of_tests_are_followed(repo: Repo) -> None:
    repo.commit(
        {
            "go.mod": MOD,
            "a_test.go": "package a\n\nfunc helper() {}\n",
            "b_test.go": "package a\n\nfunc use() { helper() }\n",
        }
    ).commit({"a_test.go": "package a\n\nfunc helper() { panic(1) }\n"})
    assert repo.brief().changes() == {}


def test_a_generated_file_passes_for_a_written_one(repo: Repo) -> None:
    generated = "// Code generated by mockgen. DO NOT EDIT.\n\npackage a\n\nfunc Made() { panic(%d) }\n"
    repo.commit({"go.mod": MOD, "a.go": generated % 1}).commit({"a.go": generated % 2})
    assert repo.brief().file("a.go").generated

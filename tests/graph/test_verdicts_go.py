"""Whether a call in Go still fits, by what it passes and takes, and what no longer implements an interface."""

from __future__ import annotations

import pytest

from tests.graph.stories import Repo, Told

MOD = "module example.com/shop\n\ngo 1.22\n"


def told(repo: Repo, before: str, after: str, use: str) -> Told:
    """The briefing of a change of `F` in package a, which use.go imports with a dot."""
    file = "package a\n\ntype T struct{{}}\n\n{} {{ panic(1) }}\n"
    head = 'package shop\n\nimport . "example.com/shop/a"\n\n'
    repo.commit({"go.mod": MOD, "a/f.go": file.format(before), "use.go": f"{head}{use}\n"})
    return repo.commit({"a/f.go": file.format(after)}).brief()


def misfits(brief: Told, name: str = "F") -> list[str | None]:
    """How each use of the definition outside the diff no longer fits, in order; None where that isn't said."""
    return [each.misfit for each in brief.symbol(name).callers]


# -- results ---------------------------------------------------------------------------------------------------------

ONE_TO_TWO = ("func F(a int) int", "func F(a int) (int, error)")
TWO_TO_ONE = ("func F(a int) (int, error)", "func F(a int) int")
NONE_TO_ONE = ("func F(a int)", "func F(a int) error")
ONE_TO_NONE = ("func F(a int) error", "func F(a int)")


@pytest.mark.parametrize(
    ("change", "statement", "fits"),
    [
        (ONE_TO_TWO, "x := F(1)", False),
        (ONE_TO_TWO, "var x = F(1)", False),
        (ONE_TO_TWO, "var x int = F(1)", False),
        (ONE_TO_TWO, "x = F(1)", False),
        (ONE_TO_TWO, "_ = F(1)", False),
        (ONE_TO_TWO, "x += F(1)", False),
        (ONE_TO_TWO, "a, b := F(1), 2", False),
        (ONE_TO_TWO, "x := (F(1))", False),
        (ONE_TO_TWO, "x := F(pair())", False),
        (ONE_TO_TWO, "take(F(1), 2)", False),
        (ONE_TO_TWO, "single(F(1))", False),
        (ONE_TO_TWO, "int64(F(1))", False),
        (ONE_TO_TWO, "Count(F(1))", False),
        (ONE_TO_TWO, "take(F(1))", None),  # never fitted
        (ONE_TO_TWO, "fmt.Println(F(1))", None),
        (ONE_TO_TWO, "many(F(1))", None),
        (ONE_TO_TWO, "x := F(1) + 2", False),
        (ONE_TO_TWO, "x := new(F(1))", False),
        (ONE_TO_TWO, "x := new(F(1) + 2)", False),
        (ONE_TO_NONE, "x := new(F(1))", False),
        (ONE_TO_TWO, "x := -F(1)", False),
        (ONE_TO_TWO, "if F(1) > 2 {}", False),
        (ONE_TO_TWO, "if x := F(1); x > 2 {}", False),
        (ONE_TO_TWO, "switch F(1) {}", False),
        (ONE_TO_TWO, "switch { case F(1) > 1: }", False),
        (ONE_TO_TWO, "for range F(1) {}", False),
        (ONE_TO_TWO, "for i := F(1); i < 2; i++ {}", False),
        (ONE_TO_TWO, "channel <- F(1)", False),
        (ONE_TO_TWO, "x := []int{F(1)}", False),
        (ONE_TO_TWO, "x := map[int]int{F(1): 1}", False),
        (ONE_TO_TWO, "x := list[F(1)]", False),
        (ONE_TO_TWO, "return F(1)", False),
        (ONE_TO_TWO, "g := func() (int, error) { return F(1) }", None),  # never fitted
        (ONE_TO_TWO, "g := func() int { return F(1) }", False),
        (ONE_TO_TWO, "g := func() (int, error) { return F(1), nil }", False),
        (ONE_TO_TWO, "F(1)", True),
        (ONE_TO_TWO, "go F(1)", True),
        (ONE_TO_TWO, "defer F(1)", True),
        (ONE_TO_TWO, "g := F", None),
        (TWO_TO_ONE, "a, b := F(1)", False),
        (TWO_TO_ONE, "a, _ = F(1)", False),
        (TWO_TO_ONE, "var a, b = F(1)", False),
        (TWO_TO_ONE, "take(F(1))", False),
        (TWO_TO_ONE, "many(F(1))", None),
        (TWO_TO_ONE, "g := func() (n int, err error) { return F(1) }", False),
        (TWO_TO_ONE, "F(1)", True),
        (NONE_TO_ONE, "F(1)", True),
        (NONE_TO_ONE, "defer F(1)", True),
        (ONE_TO_NONE, "err := F(1)", False),
        (ONE_TO_NONE, "if err := F(1); err != nil {}", False),
        (ONE_TO_NONE, "fmt.Println(F(1))", False),
        (ONE_TO_NONE, "F(1)", True),
        # as many as before, but of other types
        (("func F(a int) int", "func F(a int) string"), "x := F(1)", None),
        (("func F(a int) int", "func F(a int) string"), "F(1)", True),
    ],
)
def test_what_becomes_of_the_results_is_not_looked_at(
    repo: Repo, change: tuple[str, str], statement: str, fits: bool | None
) -> None:
    use = f"""import "fmt"

var channel = make(chan int)
var list []int

type Count int

func pair() (int, int) {{ return 1, 2 }}
func single(a int) {{}}
func take(a int, b any) {{}}
func many(all ...any) {{}}

func use() int {{
	{statement}
	fmt.Println()
	return 0
}}"""
    brief = told(repo, *change, use)
    assert brief.symbol("F").compatible is False
    assert list(brief.fits("F").values()) == [fits]


@pytest.mark.parametrize(
    ("after", "change", "fits"),
    [
        ("[P any](x P, y int) P", "signature", False),
        ("[P comparable](x P) P", "signature", None),
        ("[ P any ](x P) P", None, None),
    ],
)
def test_a_method_with_type_parameters_is_overlooked(
    repo: Repo, after: str, change: str | None, fits: bool | None
) -> None:
    file = "package shop\n\ntype L[T any] struct{{}}\n\nfunc (l L[T]) M{} {{ panic(1) }}\n"
    use = "package shop\n\nfunc use(l L[int]) {\n\tl.M(1)\n\tl.M[int](2)\n}\n"
    repo.commit({"go.mod": MOD, "l.go": file.format("[P any](x P) P"), "use.go": use})
    brief = repo.commit({"l.go": file.format(after)}).brief()
    assert brief.changes() == ({"L.M": change} if change is not None else {})
    if change is not None:
        assert brief.fits("L.M") == {"use.go:4": fits, "use.go:5": fits}


@pytest.mark.parametrize(
    ("before", "after", "statement", "why"),
    [
        (*ONE_TO_TWO, "x := F(1)", "takes 1 result, gets 2"),
        ("func F(a int) (int, int, error)", "func F(a int) (int, error)", "a, b, c := F(1)", "takes 3 results, gets 2"),
        (*ONE_TO_NONE, "x := F(1)", "takes 1 result, gets none"),
        (*ONE_TO_NONE, "print(F(1))", "takes at least 1 result, gets none"),
        # what is passed is what a compiler says first
        ("func F(a int) int", "func F(a, b int) (int, error)", "x := F(1)", "passes 1 argument, needs 2 (missing b)"),
    ],
)
def test_a_number_of_results_is_told_in_other_words(
    repo: Repo, before: str, after: str, statement: str, why: str
) -> None:
    assert misfits(told(repo, before, after, f"func use() {{ {statement} }}")) == [why]


@pytest.mark.parametrize(
    ("before", "after", "compatible"),
    [
        ("(string, error)", "(region string, err error)", True),
        ("(region string, err error)", "(string, error)", True),
        ("(region string, err error)", "(zone string, err error)", True),
        ("(a, b int)", "(int, int)", True),
        ("(n int)", "int", True),
        ("int", "(int)", True),
        ("(a interface{})", "(b any)", True),
        ("(a, b int)", "(a int)", False),
        ("(int, error)", "(error, int)", False),
        ("any", "int", False),
        ("", "error", False),
        ("error", "", False),
        ("func(a, b int) (int, error)", "func(a, b int) int", False),
    ],
)
def test_names_of_results_count_or_types_do_not(repo: Repo, before: str, after: str, compatible: bool) -> None:
    brief = told(repo, f"func F(a int) {before}", f"func F(a int) {after}", "func use() { F(1) }")
    assert brief.symbol("F").compatible is compatible


@pytest.mark.parametrize(
    ("before", "after", "use", "compatible", "fits"),
    [
        ("func F[T any](x T) {}", "func F[T, U any](x T) {}", "F(1)", False, None),
        ("func F[T any](x T) {}", "func F[T, U any](x T) {}", "F[int](1)", False, None),
        ("func F[T, U any](x T) {}", "func F[T any](x T) {}", "F[int, string](1)", False, None),
        ("func F[T any](x T) {}", "func F[T comparable](x T) {}", "F(1)", False, None),
        ("func F[T any](x T, y int) {}", "func F[T any](x T) {}", "F(1, 2)", False, False),
        ("func F(x int) {}", "func F[T any](x T) {}", "F(1)", False, None),
        ("type F struct{ a int }", "type F[T any] struct{ a T }", "_ = F{1}", False, None),
        ("type F[T any] struct{}", "type F[T, U any] struct{}", "_ = F[int]{}", False, None),
        ("type F interface{ A(n int) }", "type F interface{ A(count int) }", "var f F", True, None),
        ("type F interface{ A(n int) }", "type F interface {\n\tA(int) // more\n}", "var f F", True, None),
        ("type F interface{ A(n int) }", "type F interface{ A(n int64) }", "var f F", False, None),
        ("type F interface{ A(n int) }", "type F interface{ A(n int) (int, error) }", "var f F", False, None),
        ("type F interface{ A(n int) }", "type F interface {\n\tA(n int)\n\tB()\n}", "var f F", False, None),
        ("type F interface{ ~int }", "type F interface{ ~int | ~string }", "g[F]()", False, None),
        ("type F int", "type F string", "_ = F(1)", None, None),
        ("var F = func(a int) {}", "var F = func(a, b int) {}", "F(1)", False, False),
        ("var F func(a int)", "var F func(a, b int)", "F(1)", False, False),
        ("var F func(int)", "var F func(int) error", "x := F(1)", False, None),
        ("var F func(int) error", "var F func(int)", "x := F(1)", False, False),
        ("var F int", "var F string", "_ = F", None, None),
        ("func F(a int) {}", "var F = func(a int) {}", "F(1)", True, None),
    ],
)
def test_what_a_declaration_says_besides_its_parameters_is_overlooked(
    repo: Repo, before: str, after: str, use: str, compatible: bool | None, fits: bool | None
) -> None:
    repo.commit(
        {
            "go.mod": MOD,
            "a.go": f"package shop\n\n{before}\n",
            "use.go": f"package shop\n\nfunc g[T any]() {{}}\n\nfunc use() {{ {use} }}\n",
        }
    ).commit({"a.go": f"package shop\n\n{after}\n"})
    brief = repo.brief()
    assert brief.symbol("F").change == "signature"
    assert brief.symbol("F").compatible is compatible
    assert brief.fits("F") == {"use.go:5": fits}


def test_a_return_that_the_change_makes_right_is_called_a_misfit(repo: Repo) -> None:
    use = "package a\n\nfunc use() {} {{\n\treturn F(1)\n}}\n"
    repo.commit(
        {"go.mod": MOD, "f.go": "package a\n\nfunc F(a int) int { panic(1) }\n", "use.go": use.format("int")}
    ).commit(
        {"f.go": "package a\n\nfunc F(a int) (int, error) { panic(1) }\n", "use.go": use.format("(int, error)")}
    )  # fmt: skip
    assert repo.brief().fits("F") == {"use.go:4": None}


def test_results_through_an_interface_are_not_looked_at(repo: Repo) -> None:
    api = "package shop\n\ntype Sink interface {{\n\tEmit(n int) {}\n\tPing()\n}}\n"
    use = "package shop\n\nfunc use(s Sink) {\n\ts.Emit(1)\n\terr := s.Emit(1)\n\t_ = err\n}\n"
    repo.commit({"go.mod": MOD, "api.go": api.format("error"), "use.go": use}).commit(
        {"api.go": api.format("(int, error)")}
    )
    assert repo.brief().fits("Sink.Emit") == {"use.go:4": True, "use.go:5": False}


# -- arguments -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "call", "fits", "why"),
    [
        ("a int, b ...int", "a int, c int, b ...int", "F(1, list...)", False, "c"),
        ("a int, b ...int", "b ...int", "F(1, list...)", False, "takes none"),
        ("a int, b ...int", "a int, b []int", "F(1, list...)", False, "missing b"),
        ("a int, b ...int", "a int", "F(1, list...)", False, "takes none"),
        ("a int, b ...int", "x int, b ...int", "F(1, list...)", None, ""),
        ("a int, b ...int", "a int, b ...string", "F(1, list...)", None, ""),
        ("b ...int", "a int, b ...int", "F(list...)", False, "missing a"),
        ("a int, b ...int", "a, c int, b ...int", "F(list...)", None, ""),  # never fitted
        ("a int, b ...int", "a, c int, b ...int", "F(1, 2)", None, ""),
        # without names
        ("int", "int, string", "F(1)", False, "missing string"),
        ("int, int", "int", "F(1, 2)", False, "takes 1"),
        ("int", "a int", "F(1)", None, ""),
        ("_, _ int", "_, b int", "F(1, 2)", None, ""),
        ("a int", "_ int, _ string", "F(1)", False, "missing string"),
    ],
)
def test_arguments_are_counted_otherwise_than_a_compiler_would(
    repo: Repo, before: str, after: str, call: str, fits: bool | None, why: str
) -> None:
    use = f"var list []int\n\nfunc use() {{ {call} }}"
    brief = told(repo, f"func F({before})", f"func F({after})", use)
    (caller,) = brief.symbol("F").callers or (None,)
    assert caller is not None
    assert caller.fits is fits
    assert why in (caller.misfit or "")


@pytest.mark.parametrize(
    ("before", "after", "call", "missing"),
    [
        ("a, b int", "st, a, b int", "F(1, 2)", "st"),
        ("t int64, h *T", "st, t int64, h *T", "F(1, nil)", "st"),
        ("a, b int", "a, st, b int", "F(1, 2)", "st"),
        ("a, b int", "a, b, st int", "F(1, 2)", "st"),
        ("a, b int", "x, a, y, b int", "F(1, 2)", "x, y"),
        ("a int, b string", "first string, st int, b string", "F(1, \"\")", "first"),
        ("int, string", "bool, int, string", "F(1, \"\")", "bool"),
    ],
)  # fmt: skip
def test_another_parameter_than_the_new_one_is_called_missing(
    repo: Repo, before: str, after: str, call: str, missing: str
) -> None:
    brief = told(repo, f"func F({before})", f"func F({after})", f"func use() {{ {call} }}")
    (why,) = misfits(brief)
    assert why is not None
    assert why.endswith(f"(missing {missing})")


# -- interfaces ------------------------------------------------------------------------------------------------------

API = "package shop\n\ntype Sink interface {{\n\t{}\n}}\n"
FILE = """
package impl

type File struct{}

func (f *File) Emit(n int) {} // MAYBE:emit

func (f *File) Ping(at string) error { return nil } // MAYBE:ping

type Half struct{}

func (h *Half) Emit(n int) {}

type Other struct{}

func (o *Other) Emit(n string) {}

func (o *Other) Ping(at string) error { return nil }
"""


def test_two_methods_that_change_at_once_lose_what_implements_them(repo: Repo) -> None:
    repo.commit(
        {"go.mod": MOD, "api.go": API.format("Emit(n int)\n\tPing(at string) error"), "impl/impl.go": FILE}
    ).commit({"api.go": API.format("Emit(n int, level string)\n\tPing() error")})
    brief = repo.brief()
    assert brief.callers("Sink.Emit") == repo.marked("emit")
    assert brief.callers("Sink.Ping") == repo.marked("ping")
    assert [each for each in brief.eyes() if each.startswith("override")] == [
        f"override {path}:{line}" for tag in ("emit", "ping") for path, line in repo.lines("MAYBE", tag)
    ]


def test_a_type_that_lacks_what_its_interface_now_asks_for_is_missed(repo: Repo) -> None:
    file = FILE.replace(" // MAYBE:emit", "").replace(" // MAYBE:ping", "")
    file = file.replace("type File struct{}", "type File struct{} // MAYBE")
    full = "package impl\n\ntype Full struct{ File }\n\nfunc (f *Full) Flush() {}\n"
    repo.commit(
        {
            "go.mod": MOD,
            "api.go": API.format("Emit(n int)\n\tPing(at string) error"),
            "impl/impl.go": file,
            "impl/full.go": full,
            "impl/done.go": "package impl\n\ntype Done struct{}\n\nfunc (d Done) Emit(n int) {}\n\n"
            "func (d Done) Ping(at string) error { return nil }\n",
        }
    ).commit(
        {
            "api.go": API.format("Emit(n int)\n\tPing(at string) error\n\tFlush()"),
            "impl/more.go": "package impl\n\nfunc (d Done) Flush() {}\n",
        }
    )
    brief = repo.brief()
    assert brief.callers("Sink") == repo.marked()
    (caller,) = brief.symbol("Sink").callers
    assert caller.reason == "implements Sink, but for Flush"
    assert (caller.fits, caller.misfit) == (None, "it has no Flush")
    assert "override impl/impl.go:4" not in brief.eyes()
    assert "override impl/impl.go:3" in brief.eyes()


def test_what_embeds_a_changed_interface_is_said_to_break(repo: Repo) -> None:
    repo.commit(
        {
            "go.mod": MOD,
            "api.go": API.format("Emit(n int)\n\tPing()"),
            "use.go": "package shop\n\ntype Both interface {\n\tSink\n\tStop()\n}\n\ntype double struct{ Sink }\n",
        }
    ).commit({"api.go": API.format("Emit(n int, level string)\n\tPing()")})
    brief = repo.brief()
    assert brief.fits("Sink") == {"use.go:4": True, "use.go:8": True}
    assert not any(each.startswith("override") for each in brief.eyes())


def test_a_method_that_no_longer_implements_loses_its_callers_through_the_interface(repo: Repo) -> None:
    impl = "package shop\n\ntype File struct{{}}\n\nfunc (f *File) Emit({}) {{}}\n\nfunc (f *File) Ping() {{}}\n"
    repo.commit(
        {
            "go.mod": MOD,
            "api.go": API.format("Emit(n int) // MAYBE\n\tPing()"),
            "impl.go": impl.format("n int"),
            "use.go": "package shop\n\nfunc use(s Sink) { s.Emit(1) } // MAYBE\n",
        }
    ).commit({"impl.go": impl.format("n int, level string")})
    assert repo.brief().callers("File.Emit") == repo.marked()


def test_callers_are_lost_where_both_sides_edited_the_file(repo: Repo) -> None:
    """The base gives the interface, and what implements it, another type of a parameter and one more method."""
    impl = """
        package chunk

        type Histogram struct{{}}

        func (h *Histogram) Append(previous {}) {{{}}}

        func (h *Histogram) Count() int {{ return 1 }}
        {}
        """
    api = "package api\n\ntype Appender interface {{\n\tAppend(previous {})\n\tCount() int\n{}}}\n"
    reset = "\nfunc (h *Histogram) Reset() {}"
    repo.commit(
        {
            "go.mod": MOD,
            "api/api.go": api.format("int", ""),
            "chunk/histogram.go": impl.format("int", "", ""),
            "use.go": """
                package shop

                import "example.com/shop/api"

                func use(a api.Appender) { a.Append(1) } // MAYBE
                """,
        }
    )
    repo.commit(
        {"api/api.go": api.format("int64", "\tReset()\n"), "chunk/histogram.go": impl.format("int64", "", reset)},
        on=[0],
    )
    repo.commit({"chunk/histogram.go": impl.format("int", "\n\tprintln(h)\n", "")}, on=[0])
    repo.commit({"chunk/histogram.go": impl.format("int64", "\n\tprintln(h)\n", reset)}, on=[1, 2])
    assert repo.brief(1, 2).callers("Histogram.Append") == repo.marked()
    assert repo.brief(1, 2, merge=3).callers("Histogram.Append") == repo.marked()


# -- types -----------------------------------------------------------------------------------------------------------


def test_a_types_own_methods_are_said_to_depend_on_it(repo: Repo) -> None:
    repo.commit(
        {
            "go.mod": MOD,
            "a.go": "package a\n\ntype Store[K any] struct{ a int }\n",
            "b.go": """
                package a

                func (s *Store[K]) Get(k K) {}

                func (s Store[K]) Same(other Store[K]) {} // TYPE

                func (Store[K]) Put() {}

                var made = Store[int]{} // CALLER
                """,
        }
    ).commit({"a.go": "package a\n\ntype base struct{}\n\ntype Store[K any] struct{ a int; base }\n"})
    assert repo.brief().callers("Store") == repo.marked()


def test_a_bare_name_that_is_gone_from_its_package_may_still_be_anything(repo: Repo) -> None:
    """In its own package, in one that takes over its names, and where the names of another may be meant."""
    repo.commit(
        {
            "go.mod": MOD,
            "a/a.go": "package a\n\ntype Store struct{ a int }\n\nfunc Make() {}\n\ntype Rest struct{}\n",
            "a/b.go": "package a\n\nfunc (s *Store) Get() {}\n\nfunc b() { Make() }\n",
            "c.go": 'package shop\n\nimport . "example.com/shop/a"\n\nfunc c(s Store) { Make() }\n',
            "d.go": 'package shop\n\nimport . "example.com/shop/a"\nimport . "os"\n\nfunc d(s Store) { Make() }\n',
            "e.go": 'package shop\n\nimport "example.com/shop/a"\n\nfunc e(s a.Store) { a.Make() }\n',
        }
    ).commit({"a/a.go": "package a\n\ntype Rest struct{}\n"})
    brief = repo.brief()
    assert brief.fits("Store") == {"a/b.go:3": False, "c.go:5": False, "e.go:5": False}
    assert brief.fits("Make") == {"a/b.go:5": False, "c.go:5": False, "e.go:5": False}


# -- platforms, packages ---------------------------------------------------------------------------------------------


def test_a_body_for_one_platform_is_said_to_break_callers_of_another(repo: Repo) -> None:
    use = 'package cmd\n\nimport "example.com/shop/disk"\n\nfunc {}() {{ disk.Open(1) }}\n'
    repo.commit(
        {
            "go.mod": MOD,
            "disk/open_linux.go": "package disk\n\nfunc Open(x int) {}\n",
            "disk/open_windows.go": "package disk\n\nfunc Open(x int) {}\n",
            "cmd/any.go": use.format("everywhere"),
            "cmd/drive_windows.go": use.format("windows"),
        }
    ).commit({"disk/open_linux.go": "package disk\n\nfunc Open(x, y int) {}\n"})
    assert repo.brief().fits("Open") == {"cmd/any.go:5": False}


def test_an_unexported_method_is_implemented_in_another_package(repo: Repo) -> None:
    other = "package {}\n\ntype File struct{{}}\n\nfunc (f File) emit(n int) {{}}\n\nfunc (f File) Ping() {{}}\n"
    repo.commit(
        {
            "go.mod": MOD,
            "a/api.go": "package a\n\ntype Sink interface {\n\temit(n int)\n\tPing()\n}\n",
            "a/impl.go": other.format("a"),
            "b/impl.go": other.format("b"),
        }
    ).commit({"a/api.go": "package a\n\ntype Sink interface {\n\temit(n int, to string)\n\tPing()\n}\n"})
    assert repo.brief().callers("Sink.emit") == ["a/impl.go:5 ?"]

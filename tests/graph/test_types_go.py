"""Which types of Go are the same one, and where a function must be of just the type that it was of."""

from __future__ import annotations

import pytest

from tests.graph.stories import Repo

MOD = "module example.com/shop\n\ngo 1.22\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a T", "a *T"),
        ("a *T", "a T"),
        ("a *T", "a **T"),
        ("a *T", "a *b.T"),
        ("a []T", "a []*T"),
        ("a []T", "a [2]T"),
        ("a [2]T", "a [3]T"),
        ("a map[string]T", "a map[string]*T"),
        ("a map[T]int", "a map[*T]int"),
        ("a chan T", "a <-chan T"),
        ("a struct{ n T }", "a *struct{ n T }"),
        ("a struct{ n T }", "a struct{ n *T }"),
        ("a L[T]", "a L[*T]"),
        ("a int", "a *any"),
        ("a ...T", "a ...*T"),
        ("a E", "a T"),
        ("a E", "a *T"),
    ],
)
def test_a_pointer_or_array_is_what_it_points_to_or_holds(repo: Repo, before: str, after: str) -> None:
    file = 'package shop\n\nimport "example.com/shop/b"\n\nvar _ b.T\n\nfunc F({}) {{}}\n'
    types = "package shop\n\ntype T struct{}\n\ntype E struct{ T }\n\ntype L[U any] []U\n"
    repo.commit(
        {
            "go.mod": MOD,
            "b/b.go": "package b\n\ntype T struct{}\n",
            "types.go": types,
            "f.go": file.format(before),
            "use.go": "package shop\n\nfunc use() { F(nil) }\n",
        }
    ).commit({"f.go": file.format(after)})
    symbol = repo.brief().symbol("F")
    assert symbol.compatible is False
    assert [each.fits for each in symbol.callers] == [None]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a b.T", "a c.T"),
        ("a *b.T", "a *c.T"),
        ("a []*b.T", "a []*c.T"),
        ("a [2]b.T", "a [2]c.T"),
        ("a map[string]*b.T", "a map[string]*c.T"),
        ("a <-chan b.T", "a <-chan c.T"),
        ("a struct{ n *b.T }", "a struct{ n *c.T }"),
        ("a *b.T", "a any"),
        ("a *b.Both", "a b.Sink"),
    ],
)
def test_one_type_under_another_name_is_another(repo: Repo, before: str, after: str) -> None:
    file = "package shop\n\nimport {}\n\nvar _ b.T\n\nfunc F({}) {{}}\n"
    both = 'b "example.com/shop/b"\nimport c "example.com/shop/b"'
    repo.commit(
        {
            "go.mod": MOD,
            "b/b.go": "package b\n\ntype T struct{}\n\ntype Sink interface{ Emit() }\n\ntype Both struct{ Sink }\n",
            "f.go": file.format(both, before),
            "use.go": "package shop\n\nfunc use() { F(nil) }\n",
        }
    ).commit({"f.go": file.format(both, after)})
    assert repo.brief().symbol("F").compatible is True


@pytest.mark.parametrize(
    ("before", "after", "compatible"),
    [
        ("(int, error)", "(*int, error)", False),
        ("*T", "T", False),
        ("Sink", "*Both", False),
        ("[]T", "[2]T", False),
    ],
)
def test_a_result_is_of_the_type_that_it_was_of(repo: Repo, before: str, after: str, compatible: bool) -> None:
    file = "package shop\n\nfunc F() {} {{ panic(1) }}\n"
    types = "package shop\n\ntype T struct{}\n\ntype Sink interface{ Emit() }\n\ntype Both struct{ Sink }\n"
    repo.commit(
        {
            "go.mod": MOD,
            "types.go": types,
            "f.go": file.format(before),
            "use.go": "package shop\n\nfunc use() { F() }\n",
        }
    ).commit({"f.go": file.format(after)})
    assert repo.brief().symbol("F").compatible is compatible


@pytest.mark.parametrize(
    ("before", "after", "use", "compatible"),
    [
        ("n int", "n int, more ...int", "run(F)", False),
        ("n int", "n int, more ...int", "_ = map[string]func(int){`a`: F}", False),
        ("n int", "n int, more ...int", "f := F", False),
        ("n int", "n any", "run(F)", False),
        ("n int", "n any", "F(1)", True),
        ("n int", "n int, more ...int", "F(1)", True),
        ("n int", "count int", "run(F)", True),
        ("_ int", "n int", "run(F)", True),
        ("a, b int", "a int, b int", "run(F)", True),
    ],
)
def test_a_function_that_is_passed_on_fits_with_other_parameters(
    repo: Repo, before: str, after: str, use: str, compatible: bool
) -> None:
    file = "package shop\n\nfunc F({}) {{}}\n"
    repo.commit(
        {
            "go.mod": MOD,
            "f.go": file.format(before),
            "use.go": f"package shop\n\nfunc run(f func(int)) {{}}\n\nfunc use() {{ {use} }}\n",
        }
    ).commit({"f.go": file.format(after)})
    symbol = repo.brief().symbol("F")
    assert symbol.compatible is compatible
    assert [each.fits for each in symbol.callers] == [None]


def test_calls_fail_because_the_function_is_passed_on_elsewhere(repo: Repo) -> None:
    use = "package shop\n\nfunc run(f func(int)) {}\n\nfunc use() { run(F) }\n\nfunc call() { F(1) }\n"
    repo.commit({"go.mod": MOD, "f.go": "package shop\n\nfunc F(n int) {}\n", "use.go": use})
    repo.commit({"f.go": "package shop\n\nfunc F(n int, more ...int) {}\n"})
    assert repo.brief().fits("F") == {"use.go:5": None, "use.go:7": True}


def test_what_implements_an_interface_need_not_take_what_its_method_now_takes(repo: Repo) -> None:
    api = "package shop\n\ntype Store interface {{\n\tGet(id int{})\n\tPut(id int)\n}}\n"
    repo.commit(
        {
            "go.mod": MOD,
            "api.go": api.format(""),
            "disk.go": """\
                package shop

                type Disk struct{}

                func (d *Disk) Get(id int) {} // MAYBE

                func (d *Disk) Put(id int) {}

                func use(s Store) { s.Get(1) } // CALLER
                """,
        }
    ).commit({"api.go": api.format(", more ...int")})
    brief = repo.brief()
    assert brief.callers("Store.Get") == repo.marked()
    assert "override disk.go:5" in brief.eyes()
    assert brief.fits("Store.Get") == {"disk.go:5": None, "disk.go:9": True}


@pytest.mark.parametrize(
    ("other", "fits"),
    [
        ("pool_windows.go", {"use.go:3": False}),
        ("pool_other.go", {"use.go:3": False}),
        ("pool_unix.go", {}),
        ("pool.go", {}),
    ],
)
def test_what_is_gone_for_one_platform_is_there_for_another(repo: Repo, other: str, fits: dict[str, bool]) -> None:
    """It is declared in `other`, too, which only in part is compiled where the changed file is."""
    tags = {"pool_other.go": "//go:build !linux\n\n", "pool_unix.go": "//go:build linux || darwin\n\n"}
    repo.commit(
        {
            "go.mod": MOD,
            "pool_linux.go": "package shop\n\nfunc systemPool() {}\n",
            other: tags.get(other, "") + "package shop\n\nfunc systemPool() {}\n",
            "use.go": "package shop\n\nfunc use() { systemPool() }\n",
            "use_windows.go": "package shop\n\nfunc windows() { systemPool() }\n",
        }
    ).commit({"pool_linux.go": "package shop\n\nfunc pool() {}\n"})
    assert repo.brief().fits("systemPool") == fits

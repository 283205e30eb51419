"""Tests and related files: what belongs beside a definition or a place, and what does not."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from graph import test_files
from graph.assembly import assemble
from graph.briefing import (
    Briefing,
    Caller,
    CallerKind,
    ChangedFile,
    Importer,
    MovedFile,
    Symbol,
    SymbolChange,
    SymbolKind,
)
from graph.related import Importers

from .briefings import BASE, HEAD, MERGE_BASE


def brief(
    *callers: Caller,
    importers: Sequence[tuple[str, int, bool]] = (),
    test_importers: Importers | None = None,
    test_globs: Sequence[str] = (),
    tree: Sequence[str] = (),
    change: SymbolChange = "body",
    public: bool = True,
    kind: SymbolKind = "function",
    path: str = "src/orders.py",
    generated: bool = False,
    moved: Sequence[MovedFile] = (),
) -> Briefing:
    symbol = Symbol(
        name="place", qualified="place", kind=kind, line=10, end_line=20, change=change, public=public, callers=callers
    )
    file = ChangedFile(
        path=path, old_path=None, status="modified", language="python", generated=generated, symbols=(symbol,)
    )
    return assemble(
        head_sha=HEAD,
        base_sha=BASE,
        merge_base=MERGE_BASE,
        graph_from="merge",
        changed=[file],
        moved=moved,
        tree=tree,
        importers=lambda path, limit: importers[:limit],
        test_importers=test_importers,
        test_globs=test_globs,
    )


def call(path: str, line: int = 5, *, kind: CallerKind = "call", sure: bool = True, fits: bool | None = None) -> Caller:
    return Caller(path=path, line=line, kind=kind, sure=sure, fits=fits)


def reached(briefing: Briefing) -> list[tuple[str, int | None, str]]:
    return [(test.path, test.line, test.why) for test in briefing.tests]


def beside(briefing: Briefing, number: int = 0) -> list[tuple[str, int, str]]:
    return [(each.path, each.line, each.why) for each in briefing.eyes[number].related]


@pytest.mark.parametrize(
    "path",
    ["test_a.py", "a/test_a.py", "a_test.py", "conftest.py", "x/conftest.py", "tests/a.txt", "x/tests/y/z.py",
     "a.test.ts", "b/a.spec.jsx", "b/__tests__/a.ts", "pkg/a_test.go", "src/FooTest.php", "src/x/spec/y/FooSpec.php"],
)  # fmt: skip
def test_a_test_is_not_known_by_its_name(path: str) -> None:
    assert test_files.is_test(path)


@pytest.mark.parametrize(
    "path",
    [
        "latest.py",
        "contest.py",
        "atests/a.py",
        "src/testing/a.py",
        "a.tests.ts",
        "Testing.php",
        "testdata.go",
        "test",
        "src/FooSpec.php",
    ],
)
def test_any_file_with_test_in_its_name_is_a_test(path: str) -> None:
    assert not test_files.is_test(path)


@pytest.mark.parametrize(
    "path",
    ["src/components/http/test/Runner.vue", "pkg/app/src/components/http/test/a/Runner.svelte", "src/a/tests/B.vue",
     "components/test/Foo.vue", "src/routes/test/+page.svelte"],
)  # fmt: skip
def test_a_component_of_an_application_that_tests_something_is_a_test(path: str) -> None:
    assert not test_files.is_test(path)


@pytest.mark.parametrize(
    "path",
    ["src/components/http/test/Runner.spec.vue", "src/components/http/__tests__/A.vue", "src/components/test/run.ts",
     "src/components/http/test/fixtures/A.vue", "src/test/A.vue", "test/A.vue", "tests/components/test/A.vue",
     "packages/components/test/A.vue", "test/src/components/test/A.vue"],
)  # fmt: skip
def test_a_component_for_tests_is_none(path: str) -> None:
    assert test_files.is_test(path)


@pytest.mark.parametrize(
    ("glob", "inside", "outside"),
    [
        ("it/", "a/it/b/c.py", "it"),
        ("/it/", "it/a.py", "a/it/b.py"),
        ("check_*.py", "a/check_b.py", "a/recheck_b.py"),
        ("spec/**/*_spec.rb", "spec/x_spec.rb", "spec/x.rb"),
        ("spec/**/*_spec.rb", "spec/a/b/x_spec.rb", "a/spec/x_spec.rb"),
        ("src/*/checks", "src/a/checks/b.py", "src/a/b/checks/c.py"),
    ],
)
def test_a_glob_of_the_repository_means_something_else(glob: str, inside: str, outside: str) -> None:
    assert test_files.is_test(inside, [glob])
    assert not test_files.is_test(outside, [glob])


def test_a_glob_makes_the_worker_run_for_ever() -> None:
    assert not test_files.is_test("/".join("a" * 1000), ["**/" * 500 + "b", "*a" * 200 + "b"])


def named(source: str, *tree: str) -> tuple[str, ...]:
    return test_files.named_tests([source], (source, *tree), test_files.is_test).get(source, ())


@pytest.mark.parametrize(
    ("source", "test"),
    [
        ("src/orders.py", "tests/test_orders.py"),
        ("src/orders.py", "src/orders_test.py"),
        ("src/Order/Cart.php", "tests/Order/CartTest.php"),
        ("src/Order/Cart.php", "spec/Order/CartSpec.php"),
        ("web/foo.ts", "web/foo.test.ts"),
        ("web/foo.tsx", "web/foo.spec.ts"),
        ("web/foo.ts", "web/__tests__/foo.ts"),
        ("pkg/foo.go", "pkg/foo_test.go"),
        ("shop/orders/__init__.py", "tests/test_orders.py"),
        ("shop/core/scraper.py", "tests/test_core_scraper.py"),
        ("shop/core/scraper.py", "tests/test_shop_core_scraper.py"),
        ("shop/core/scraper.py", "shop/tests/core_scraper_test.py"),
        ("shop/core/scraper/__init__.py", "tests/test_core_scraper.py"),
        ("shop/commands/fetch.py", "tests/test_command_fetch.py"),
        ("shop/policies/rate.py", "tests/shop_tests/test_policy_rate.py"),
        ("web/menu/index.ts", "web/menu/index.test.ts"),
    ],
)
def test_a_test_named_after_its_file_is_not_found(source: str, test: str) -> None:
    assert named(source, test) == (test,)


@pytest.mark.parametrize(
    ("source", "test"),
    [
        ("src/orders.py", "tests/test_order.py"),
        ("pkg/foo.go", "other/foo_test.go"),
        ("web/foo.ts", "tests/foo.ts"),
        ("web/menu/index.ts", "web/list/index.test.ts"),
        ("src/foo.py", "src/foo.test.ts"),
        ("shop/core/scraper.py", "tests/test_shop_scraper.py"),
        ("shop/core/scraper.py", "api/v3/tests/test_core_scraper.py"),
        ("shop/core/scraper.ts", "tests/test_core_scraper.py"),
    ],
)
def test_a_test_of_something_else_is_taken_for_its_own(source: str, test: str) -> None:
    assert named(source, test) == ()


def test_two_files_of_one_name_share_a_test() -> None:
    tree = ("packages/a/src/util.ts", "packages/b/src/util.ts", "packages/b/src/util.test.ts")
    assert named("packages/a/src/util.ts", *tree[1:]) == ()
    assert named("packages/b/src/util.ts", tree[0], tree[2]) == ("packages/b/src/util.test.ts",)
    shop = (
        "shop/gifts/tests/test_utils.py",
        "shop/tests/e2e/test_utils.py",
        *(f"shop/a{n}/utils.py" for n in range(5)),
    )
    assert named("shop/gifts/utils.py", *shop) == ("shop/gifts/tests/test_utils.py",)
    assert named("shop/a1/utils.py", *shop[1:]) == ()
    many = [f"p{number}/utils.py" for number in range(5)]
    assert named("p0/utils.py", *many[1:], "tests/test_utils.py") == ()


@pytest.mark.parametrize("other", ["shop/core_scraper.py", "lib/core/scraper.py", "shop/cores/scraper.py"])
def test_a_test_that_two_files_may_have_given_its_name_is_either_s(other: str) -> None:
    assert "tests/test_core_scraper.py" not in named("shop/core/scraper.py", other, "tests/test_core_scraper.py")


def test_a_test_of_another_folder_hides_the_one_that_names_the_folder() -> None:
    tests = ("tests/test_command_crawl.py", "tests/test_crawl.py")
    assert named("shop/commands/crawl.py", *tests) == tests[:1]
    beside = ("shop/order/tests/test_actions.py", "shop/order/tests/test_order_actions.py")
    assert named("shop/order/actions.py", *beside) == beside
    packages = ("a/core/scraper.py", "b/core/scraper.py", "a/tests/test_core_scraper.py")
    assert named("a/core/scraper.py", *packages) == packages[2:]
    assert named("b/core/scraper.py", *packages) == ()


def test_a_test_is_found_by_call_import_and_name_but_listed_thrice() -> None:
    briefing = brief(
        call("tests/test_a.py", 9), call("tests/test_a.py", 3, kind="import"),
        importers=[("src/app.py", 1, True), ("tests/test_a.py", 1, True), ("tests/test_b.py", 2, True)],
        tree=["tests/test_orders.py"],
    )  # fmt: skip
    assert reached(briefing) == [
        ("tests/test_a.py", 9, "call"),
        ("tests/test_b.py", 2, "import"),
        ("tests/test_orders.py", None, "name"),
    ]
    assert briefing.untested == ()


def test_tests_are_those_that_the_repository_names() -> None:
    briefing = brief(call("it/flow.py"), test_globs=["it/"])
    assert [caller.test for caller in briefing.changed[0].symbols[0].callers] == [True]
    assert reached(briefing) == [("it/flow.py", 5, "call")]


def test_importing_tests_are_asked_for_though_calls_have_told() -> None:
    asked: list[str] = []

    def test_importers(path: str, limit: int) -> Sequence[tuple[str, int, bool]]:
        asked.append(path)
        return ()

    brief(call("tests/test_a.py"), call("tests/test_b.py"), test_importers=test_importers)
    assert asked == []
    brief(call("tests/test_a.py"), test_importers=test_importers)
    assert asked == ["src/orders.py"]


def test_an_untested_definition_is_not_named() -> None:
    assert [(gap.path, gap.line, gap.symbol) for gap in brief().untested] == [("src/orders.py", 10, "place")]


@pytest.mark.parametrize(
    "more",
    [
        {"public": False}, {"kind": "interface"}, {"generated": True}, {"change": "removed"}, {"change": "added"},
        {"kind": "constant"}, {"kind": "enum"}, {"kind": "method"}, {"path": "shop/migrations/0007_total.py"},
        {"path": "shop/settings.py"}, {"path": "client/webpack.config.js"}, {"path": "web/.eslintrc.js"},
        {"path": "tests/test_x.py"}, {"tree": ["tests/test_orders.py"]}, {"importers": [("tests/a.py", 1, False)]},
    ],
    ids=str,
)  # fmt: skip
def test_what_needs_no_test_of_its_own_is_called_untested(more: dict[str, object]) -> None:
    assert brief(**more).untested == ()  # type: ignore[arg-type]


def test_a_method_that_somebody_calls_needs_no_test() -> None:
    assert brief(call("src/a.py"), kind="method").untested != ()


def test_the_files_beside_a_place_are_not_the_ones_to_look_at() -> None:
    calls = [call(f"src/c{number}.py", sure=number != 1) for number in range(6)]
    tested = [call("tests/test_a.py", 7), call("tests/test_b.py", 8), call("tests/test_c.py", 9)]
    briefing = brief(
        *calls, *tested, call("src/p1/x.py"), call("src/p2/x.py"), call("src/p3/x.py"), call("src/p4/x.py"),
        importers=[("src/c0.py", 1, True), ("src/i1.py", 2, True), ("src/i2.py", 3, True), ("src/i3.py", 3, True)],
    )  # fmt: skip
    assert [eye.what for eye in briefing.eyes] == ["wide"]
    assert beside(briefing) == [
        ("src/c0.py", 5, "caller"),
        ("src/c2.py", 5, "caller"),
        ("src/c3.py", 5, "caller"),
        ("src/c4.py", 5, "caller"),
        ("tests/test_a.py", 7, "test"),
        ("tests/test_b.py", 8, "test"),
        ("src/i1.py", 2, "importer"),
        ("src/i2.py", 3, "importer"),
    ]


def test_a_caller_is_to_be_looked_at_beside_itself() -> None:
    broken = [call(path, line, fits=False) for path, line in (("src/a.py", 1), ("src/a.py", 2), ("src/b.py", 3))]
    briefing = brief(*broken, change="signature")
    assert beside(briefing, 0) == [("src/b.py", 3, "caller")]
    assert beside(briefing, 1) == [("src/a.py", 1, "caller")]


def test_beside_an_old_import_the_other_files_that_have_it_are_missing() -> None:
    importers = tuple(Importer(path=f"src/{name}.py", line=2, module="x", sure=name != "a") for name in "abc")
    briefing = brief(moved=[MovedFile(path="y.py", old_path="x.py", importers=importers)], public=False)
    assert [(eye.path, eye.what) for eye in briefing.eyes] == [
        ("src/b.py", "stale-import"), ("src/c.py", "stale-import"), ("src/a.py", "stale-import"),
    ]  # fmt: skip
    assert beside(briefing, 0) == [("src/c.py", 2, "importer"), ("src/a.py", 2, "importer")]


def test_importers_are_asked_for_thousands_of_places() -> None:
    asked: list[str] = []

    def importers(path: str, limit: int) -> Sequence[tuple[str, int, bool]]:
        asked.append(path)
        return ()

    symbol = Symbol(
        name="place", qualified="place", kind="function", line=1, end_line=2, change="signature", public=False,
        callers=tuple(call(f"src/c{number}.py", fits=False) for number in range(500)),
    )  # fmt: skip
    briefing = assemble(
        head_sha=HEAD, base_sha=BASE, merge_base=MERGE_BASE, graph_from="merge", tree=[], importers=importers,
        changed=[ChangedFile(path="a.py", old_path=None, status="modified", language="python", symbols=(symbol,))],
    )  # fmt: skip
    assert len(briefing.eyes) == 500
    assert len(asked) == len(set(asked)) == 40


def test_the_order_of_the_parts_changes_the_briefing() -> None:
    calls = [call(f"src/c{number}.py", line) for number in range(5) for line in (9, 2)]
    assert brief(*calls) == brief(*reversed(calls))
    [symbol] = brief(*reversed(calls)).changed[0].symbols
    assert [(each.path, each.line) for each in symbol.callers] == sorted((each.path, each.line) for each in calls)


def test_a_type_reference_comes_before_a_use_on_its_line() -> None:
    [symbol] = brief(call("a.py", kind="type"), call("a.py", kind="new")).changed[0].symbols
    assert [each.kind for each in symbol.callers] == ["new", "type"]

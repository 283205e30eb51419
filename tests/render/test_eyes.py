"""What needs eyes: that nothing which breaks is missed, that the worst comes first, and that the words say why."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from graph.briefing import (
    NAMED_IN_STRING,
    Briefing,
    Caller,
    CallerKind,
    ChangedFile,
    Importer,
    MovedFile,
    Place,
    Symbol,
    SymbolChange,
    SymbolKind,
    Untested,
)
from graph.eyes import MANY_CALLERS, eyes, package_of
from graph.render.view import eye_counts
from graph.render.wording import caller_notes

from .briefings import ALL


def changed(symbol: Symbol, *, generated: bool = False, path: str = "src/orders.py") -> ChangedFile:
    return ChangedFile(
        path=path, old_path=None, status="modified", language="python", generated=generated, symbols=(symbol,)
    )


def symbol(
    *callers: Caller,
    change: SymbolChange = "signature",
    compatible: bool | None = False,
    kind: SymbolKind = "function",
) -> Symbol:
    return Symbol(
        name="place_order",
        qualified="place_order",
        kind=kind,
        line=10,
        end_line=20,
        change=change,
        compatible=compatible,
        callers=callers,
    )


def call(
    path: str = "src/api.py", line: int = 5, *, kind: CallerKind = "call", sure: bool = True, **more: object
) -> Caller:
    return Caller(path=path, line=line, kind=kind, sure=sure, **more)  # type: ignore[arg-type]


def texts(*files: ChangedFile) -> list[str]:
    return [eye.text for eye in eyes(files, [])]


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("call", "`submit` still calls `place_order`, which this change removes"),
        ("new", "`submit` still constructs `place_order`, which this change removes"),
        ("base", "`submit` still extends `place_order`, which this change removes"),
        ("jsx", "`submit` still renders `place_order`, which this change removes"),
        ("decorator", "`submit` is still decorated with `place_order`, which this change removes"),
        ("import", "`submit` still imports `place_order`, which this change removes"),
        ("type", "`submit` still names the type `place_order`, which this change removes"),
    ],
)
def test_a_use_of_removed_code_is_missed(kind: CallerKind, words: str) -> None:
    [eye] = eyes([changed(symbol(call(kind=kind, within="submit"), change="removed", compatible=None))], [])
    assert (eye.what, eye.path, eye.line, eye.text) == ("broken-call", "src/api.py", 5, words)


def test_a_doubtful_call_is_called_certain() -> None:
    removed = symbol(call(sure=False), change="removed", compatible=None)
    assert texts(changed(removed)) == [
        "this file may still call `place_order` (name match only), which this change removes"
    ]
    misfit = symbol(call(sure=False, fits=False, misfit="passes 1 argument, takes 2"))
    assert texts(changed(misfit)) == [
        "the call of `place_order` in this file may no longer fit (name match only): passes 1 argument, takes 2"
    ]


def test_a_call_that_still_answers_is_called_broken() -> None:
    assert eyes([changed(symbol(call(fits=True), change="removed", compatible=None))], []) == ()


def test_the_import_line_of_a_caller_is_counted_as_another_break() -> None:
    removed = symbol(call(line=1, kind="import"), call(line=9, within="submit"), change="removed", compatible=None)
    [eye] = eyes([changed(removed)], [])
    assert eye.callers == (Place(path="src/api.py", line=9),)
    assert eye.text.startswith("`submit` still calls")


def test_five_calls_in_one_file_are_five_places() -> None:
    calls = [call(line=line, fits=False, misfit="passes 3 arguments, takes 2") for line in (5, 9, 12)]
    [one, other] = eyes([changed(symbol(*calls, call(line=7, fits=False, misfit="passes b=, which is gone")))], [])
    assert one.text == "3 uses of `place_order` here (lines 5, 9 and 12) no longer fit: passes 3 arguments, takes 2"
    assert [place.line for place in one.callers] == [5, 9, 12]
    assert other.text == "the call of `place_order` in this file no longer fits: passes `b=`, which is gone"


def test_an_override_of_a_changed_method_is_missed() -> None:
    parent = symbol(call(via="override", kind="value", within="Stripe.place_order"), kind="method")
    assert texts(changed(parent)) == [
        "`Stripe.place_order` overrides or implements `place_order`, whose signature changed"
    ]
    [eye] = eyes([changed(symbol(call(kind="base", within="Sub"), kind="class"))], [])
    assert (eye.what, eye.text) == ("override", "`Sub` extends `place_order`, whose signature changed")
    removed = symbol(call(via="override", within="Sub.f"), change="removed", compatible=None)
    assert texts(changed(removed)) == []  # it simply no longer overrides anything


def test_an_override_needs_eyes_though_its_parent_stays_compatible() -> None:
    assert eyes([changed(symbol(call(via="override"), compatible=True))], []) == ()
    assert eyes([changed(symbol(call(kind="base"), change="body", compatible=None))], []) == ()


def test_a_wide_change_is_missed_or_a_narrow_one_called_wide() -> None:
    many = [call(f"src/api/f{number}.py") for number in range(MANY_CALLERS)]
    assert texts(changed(symbol(*many, change="body", compatible=None))) == [
        "the behaviour of `place_order` changed; 10 callers in 10 files outside the diff reach it"
    ]
    assert texts(changed(symbol(*many[1:], change="body", compatible=None))) == []
    spread = [call(f"src/{package}/{name}.py") for package in ("api", "web", "jobs") for name in "xy"]
    assert texts(changed(symbol(*spread, compatible=True))) == [
        "the signature of `place_order` changed, and existing calls still fit; "
        "6 callers in 6 files of 3 folders outside the diff reach it"
    ]
    assert texts(changed(symbol(*spread[1:], compatible=True))) == []
    version = msgspec.structs.replace(symbol(*many, change="body", compatible=None), name="__version__")
    assert texts(changed(msgspec.structs.replace(version, kind="variable"))) == []
    tests = [call(f"src/{package}/x_test.py", test=True) for package in ("api", "web", "jobs")]
    types = [call(f"src/{package}/x.py", kind="type") for package in ("api", "web", "jobs")]
    assert eyes([changed(symbol(*tests, *types, change="body", compatible=None))], []) == ()


def test_a_change_is_wide_though_all_who_reach_it_stand_in_its_own_file() -> None:
    beside = [call("src/orders.py", line) for line in range(30, 30 + MANY_CALLERS)]
    assert texts(changed(symbol(*beside, change="body", compatible=None))) == []
    [eye] = eyes([changed(symbol(*beside, call("src/api.py"), change="body", compatible=None))], [])
    assert "11 callers in 2 files" in eye.text
    unconcerned = [call(f"src/f{number}.py", kind="base", fits=True) for number in range(MANY_CALLERS)]
    assert eyes([changed(symbol(*unconcerned, kind="class"))], []) == ()


def test_a_package_is_a_source_root_or_a_whole_repository() -> None:
    assert package_of("src/api/v1/orders.py") == "api/v1"
    assert package_of("packages/core/src/index.ts") == "core"
    assert package_of("django/db/models/query.py") == "django/db"
    assert package_of("setup.py") == ""


def test_the_worst_does_not_come_first() -> None:
    removed = symbol(call("z.py"), change="removed", compatible=None)
    misfit = symbol(
        call("b.py", sure=False, fits=False), call("c.py", fits=False), call("a.py", fits=False, test=True),
        call("d.py", via="override"),
    )  # fmt: skip
    body = symbol(*(call(f"p{number}/x.py") for number in range(6)), change="body", compatible=None)
    made = symbol(call("a.py", line=7, fits=False))
    move = MovedFile(
        path="b/x.py", old_path="a/x.py", importers=(Importer(path="b.py", line=1, module="x", sure=True),)
    )
    files = [changed(body, path="1.py"), changed(made, generated=True, path="2.py"), changed(misfit), changed(removed)]
    files.append(changed(symbol(change="body", compatible=None), path="3.py"))
    gap = Untested(path="3.py", line=10, symbol="place_order")
    found = [(eye.what, eye.path) for eye in eyes(files, [move], [gap])]
    assert found == [
        ("broken-call", "z.py"),
        ("misfit", "c.py"),
        ("misfit", "a.py"),  # a test
        ("misfit", "b.py"),  # by name only
        ("misfit", "a.py"),  # of a generated definition
        ("stale-import", "b.py"),
        ("override", "d.py"),
        ("wide", "1.py"),
        ("untested", "3.py"),
    ]


def test_an_old_import_does_not_say_where_the_file_went() -> None:
    importers = tuple(Importer(path="a.ts", line=line, module="./x", sure=True) for line in (3, 1))
    moved = MovedFile(path="b/x.ts", old_path="x.ts", importers=importers)
    [eye] = eyes([], [moved])
    assert eye.text == "this file still imports `./x`, but this change moves `x.ts` to `b/x.ts`"
    assert (eye.line, [place.line for place in eye.callers]) == (1, [1, 3])
    deleted = MovedFile(path=None, old_path="x.ts", importers=importers[:1])
    assert eyes([], [deleted])[0].text == "this file still imports `./x`, but this change deletes `x.ts`"


@pytest.mark.parametrize("make", ALL.values(), ids=ALL)
def test_a_place_is_about_callers_that_the_briefing_does_not_list(make: Callable[[], Briefing]) -> None:
    briefing = make()
    listed = {
        (caller.path, caller.line) for file in briefing.changed for each in file.symbols for caller in each.callers
    } | {(importer.path, importer.line) for move in briefing.moved for importer in move.importers}
    for eye in briefing.eyes:
        assert {(place.path, place.line) for place in eye.callers} <= listed
        assert eye.what in ("untested",) or eye.callers


def test_a_string_that_names_a_definition_is_told_three_times_not_to_be_sure() -> None:
    mock = Caller(path="tests/test_tax.py", line=3, kind="value", sure=False, reason=NAMED_IN_STRING, test=True)
    assert caller_notes(mock) == ["named in a string", "test"]
    alias = Caller(path="a.py", line=3, kind="value", sure=False, reason="one of several definitions of that name")
    assert caller_notes(alias) == ["uses it as a value", "one of several definitions of that name", "name match only"]


def test_a_class_and_its_constructor_are_two_places() -> None:
    calls = [call(line=line) for line in range(1, 13)]
    owner = msgspec.structs.replace(symbol(*calls, kind="class", change="body"), name="Cart", qualified="Cart")
    made = msgspec.structs.replace(
        symbol(*calls, kind="method", change="body"), name="__init__", qualified="Cart.__init__", line=12
    )
    file = msgspec.structs.replace(changed(owner), symbols=(owner, made))
    assert [eye.symbol for eye in eyes([file], [])] == ["Cart"]
    alone = msgspec.structs.replace(changed(made), symbols=(made,))
    assert [eye.symbol for eye in eyes([alone], [])] == ["Cart.__init__"]


def test_a_renamed_definition_is_only_said_to_be_gone() -> None:
    gone = msgspec.structs.replace(symbol(call(within="submit"), change="removed"), renamed_to="submit_order")
    assert texts(changed(gone)) == ["`submit` still calls `place_order`, which this change renames to `submit_order`"]


def named(symbol: Symbol, qualified: str) -> Symbol:
    return msgspec.structs.replace(symbol, name=qualified.rpartition(".")[2], qualified=qualified)


def test_one_definition_is_two_places_because_many_reach_it_and_no_test_does() -> None:
    spread = [call(f"src/{package}/{name}.py") for package in ("api", "web", "jobs") for name in "xy"]
    gap = Untested(path="src/orders.py", line=10, symbol="place_order")
    [eye] = eyes([changed(symbol(*spread, change="body", compatible=None))], [], [gap])
    assert eye.what == "wide"
    assert eye.text == (
        "the behaviour of `place_order` changed; 6 callers in 6 files of 3 folders outside the diff reach it; "
        "no test found that calls or imports it, or is named after its file"
    )


def test_one_line_breaks_once_for_a_class_and_again_for_its_method() -> None:
    owner = named(symbol(call(line=3, kind="type"), call(line=9, kind="value"), change="removed"), "Config")
    made = named(symbol(call(line=9), change="removed"), "Config.make")
    file = msgspec.structs.replace(changed(owner), symbols=(owner, made))
    [eye] = eyes([file], [])
    assert eye.text == "2 places here (lines 3 and 9) still use `Config`, which this change removes"
    assert (eye.line, [place.line for place in eye.callers]) == (9, [3, 9])
    assert eye_counts([eye]) == {"broken-call": 2}


def test_a_line_with_two_removed_calls_tells_of_one_only_or_is_counted_twice() -> None:
    one = named(symbol(call(within="run"), change="removed"), "old_a")
    other = named(symbol(call(within="run"), call(line=8, within="run"), change="removed"), "old_b")
    found = eyes([msgspec.structs.replace(changed(one), symbols=(one, other))], [])
    assert [eye.text for eye in found] == [
        "`run` still calls `old_a` and `old_b`, which this change removes",
        "`run` still calls `old_b`, which this change removes",
    ]
    assert eye_counts(found) == {"broken-call": 2}


def test_a_line_that_breaks_in_two_ways_is_two_places() -> None:
    gone = named(symbol(call(within="run", sure=False), change="removed"), "old_a")
    misfit = named(symbol(call(within="run", fits=False, misfit="passes 1 argument, takes 2")), "pay")
    [eye] = eyes([msgspec.structs.replace(changed(gone), symbols=(gone, misfit))], [])
    assert (eye.what, eye.symbol) == ("misfit", "pay")  # what is sure
    assert eye.text == (
        "the call of `pay` in `run` no longer fits: passes 1 argument, takes 2; "
        "`run` may still call `old_a` (name match only), which this change removes"
    )


def test_a_line_on_which_all_breaks_is_a_wall_of_text() -> None:
    gone = [named(symbol(call(kind="import"), change="removed"), f"old_{number}") for number in range(9)]
    [eye] = eyes([msgspec.structs.replace(changed(gone[0]), symbols=tuple(gone))], [])
    assert eye.text == (
        "this file still imports `old_0`, `old_1`, `old_2`, `old_3` and 5 more, which this change removes"
    )
    misfits = [named(symbol(call(fits=False, misfit=f"passes {n} arguments, takes 9")), f"f{n}") for n in range(2, 8)]
    [eye] = eyes([msgspec.structs.replace(changed(misfits[0]), symbols=tuple(misfits))], [])
    assert eye.text.endswith("; and 3 more")


def test_an_unused_import_of_what_a_deleted_file_had_is_two_places() -> None:
    gone = named(symbol(call(line=3, kind="import"), change="removed"), "Config")
    file = ChangedFile(path=None, old_path="src/c.php", status="deleted", language="php", symbols=(gone,))
    importer = Importer(path="src/api.py", line=3, module="App\\Config", sure=True)
    found = eyes([file], [MovedFile(path=None, old_path="src/c.php", importers=(importer,))])
    assert [(eye.what, eye.line) for eye in found] == [("stale-import", 3)]
    assert [eye.what for eye in eyes([file], [])] == ["broken-call"]  # through another file


def test_a_call_on_the_line_of_an_old_import_is_counted_with_it() -> None:
    gone = named(symbol(call(line=3), change="removed"), "make")
    file = ChangedFile(path=None, old_path="src/c.ts", status="deleted", language="typescript", symbols=(gone,))
    importers = tuple(Importer(path="src/api.py", line=line, module="./c", sure=True) for line in (3, 7))
    found = eyes([file], [MovedFile(path=None, old_path="src/c.ts", importers=importers)])
    assert [(eye.what, [place.line for place in eye.callers]) for eye in found] == [
        ("broken-call", [3]),
        ("stale-import", [7]),
    ]
    guess = named(symbol(call(line=3, sure=False), change="removed"), "make")
    [eye] = eyes(
        [msgspec.structs.replace(file, symbols=(guess,))],
        [MovedFile(path=None, old_path="src/c.ts", importers=importers[:1])],
    )
    assert eye.what == "stale-import"  # what is sure


def test_a_definition_is_called_default_and_nobody_knows_which() -> None:
    page = named(symbol(change="body", compatible=None), "default")
    gap = Untested(path="app/Users.tsx", line=10, symbol="default")
    assert [eye.text for eye in eyes([changed(page, path="app/Users.tsx")], [], [gap])] == [
        "no test found that calls or imports `default` of `Users.tsx`, or is named after its file"
    ]
    gone = named(symbol(call(path="app/routes.tsx", within="default"), change="removed"), "default.render")
    assert texts(changed(gone, path="app/Users.tsx")) == [
        "`default` of `routes.tsx` still calls `default.render` of `Users.tsx`, which this change removes"
    ]


@pytest.mark.parametrize(
    ("path", "shown"), [("app/Users.vue", "Users.vue"), ("app/users/index.vue", "users/index.vue")]
)
def test_a_component_is_called_default_though_its_file_names_it(path: str, shown: str) -> None:
    page = named(symbol(change="body", compatible=None), "default")
    gap = Untested(path=path, line=10, symbol="default")
    assert [eye.text for eye in eyes([changed(page, path=path)], [], [gap])] == [
        f"no test found that calls or imports `{shown}`, or is named after its file"
    ]


@pytest.mark.parametrize(
    ("misfit", "shown"),
    [
        ("passes 1 argument, needs 2 (missing b)", "passes 1 argument, needs 2 (missing `b`)"),
        ("passes no arguments, needs 2 (missing a, b)", "passes no arguments, needs 2 (missing `a`, `b`)"),
        (
            "passes 1 argument, needs 2 (missing func(a, b) int)",
            "passes 1 argument, needs 2 (missing `func(a, b) int`)",
        ),
        ("passes user_id=, which is gone", "passes `user_id=`, which is gone"),
        ("passes a twice, by position and by name", "passes `a` twice, by position and by name"),
        ("passes no a, no b, which are required", "passes no `a`, no `b`, which are required"),
        ("passes a, b, which it does not take", "passes `a`, `b`, which it does not take"),
        ("it has no Flush", "it has no `Flush`"),
        ("passes 3 arguments, takes none", "passes 3 arguments, takes none"),
        ("`a/b.ts` no longer has it", "`a/b.ts` no longer has it"),
    ],
)
def test_a_name_in_what_does_not_fit_reads_like_a_word(misfit: str, shown: str) -> None:
    [eye] = eyes([changed(symbol(call(fits=False, misfit=misfit)))], [])
    assert eye.text.endswith(f": {shown}")
    assert caller_notes(call(fits=False, misfit=misfit))[0] == shown

"""The diff: its files, its lines, and the definitions that it changes."""

from __future__ import annotations

from textwrap import dedent

import pytest

from graph.brief import make_briefing
from graph.changes import ChangedDefinition, pair_moves, targets
from graph.diff import EVERY_LINE, FileChange, changes, outside_diff, overlay, touches
from graph.git import Git, GitError, encode
from graph.languages.base import Syntax
from tests.graph.repositories import Content, Files, MadeRepository
from tests.graph.sources import syntax
from tests.graph.stories import Repo


def diff(made: MadeRepository, before: Files, after: Files) -> tuple[FileChange, ...]:
    base = made.commit(before)
    return changes(Git(made.path), base, made.commit(after, base))


def numbered(first: int, last: int) -> str:
    return "".join(f"line {number}\n" for number in range(first, last + 1))


# -- files and lines -------------------------------------------------------------------------------------------------


def test_changed_added_and_removed_lines_are_told_apart(made: MadeRepository) -> None:
    before = numbered(1, 20)
    after = (
        before.replace("line 3\n", "line three\n").replace("line 10\nline 11\n", "").replace("line 15\n", "a\nb\nc\n")
    )
    (change,) = diff(made, {"a.py": before}, {"a.py": "new\n" + after})
    assert change.status == "modified"
    assert (change.path, change.old_path) == ("a.py", None)
    assert change.old_lines == ((3, 3), (10, 11), (15, 15))
    assert change.new_lines == ((1, 1), (4, 4), (14, 16))
    assert change.removed_at == (10,)


def test_added_deleted_and_moved_files(made: MadeRepository) -> None:
    text = numbered(1, 30)
    found = diff(
        made,
        {"gone.py": "one\ntwo\n", "old/a.py": text, "old/b.py": text.replace("line", "row"), "same.py": "same"},
        {
            "gone.py": None,
            "old/a.py": None,
            "new/a.py": text,
            "old/b.py": None,
            "new/b.py": text.replace("line", "row").replace("row 7\n", "row seven\n"),
            "fresh.py": "x\n",
        },
    )
    assert [(one.status, one.path, one.old_path) for one in found] == [
        ("added", "fresh.py", None),
        ("deleted", None, "gone.py"),
        ("moved", "new/a.py", "old/a.py"),
        ("moved", "new/b.py", "old/b.py"),
    ]
    fresh, gone, unedited, edited = found
    assert (fresh.old_blob, fresh.new_lines, fresh.old_lines) == (None, ((1, 1),), ())
    assert (gone.new_blob, gone.new_lines, gone.old_lines) == (None, (), ((1, 2),))
    assert (unedited.old_blob, unedited.new_lines) == (unedited.new_blob, ())
    assert (edited.old_lines, edited.new_lines) == (((7, 7),), ((7, 7),))
    assert (fresh.before_path, gone.before_path, edited.before_path) == (None, "gone.py", "old/b.py")


def test_a_copy_is_an_added_file(made: MadeRepository) -> None:
    text = numbered(1, 30)
    found = diff(made, {"a.py": text}, {"a.py": text + "x\n", "b.py": text})
    assert [(one.status, one.path, one.old_path) for one in found] == [
        ("modified", "a.py", None),
        ("added", "b.py", None),
    ]


def test_a_rename_that_changes_only_case_is_a_move(made: MadeRepository) -> None:
    (change,) = diff(made, {"Registry.py": "x\n"}, {"Registry.py": None, "registry.py": "x\n"})
    assert (change.status, change.old_path, change.path) == ("moved", "Registry.py", "registry.py")


def test_line_ends_alone_are_no_change_of_lines(made: MadeRepository) -> None:
    text = "def f():\n    return 1\n"
    (change,) = diff(made, {"a.py": text}, {"a.py": text.replace("\n", "\r\n")})
    assert (change.status, change.old_lines, change.new_lines) == ("modified", (), ())


def test_lone_carriage_returns_are_no_lines(made: MadeRepository) -> None:
    (change,) = diff(made, {"a.py": "a\rb\rc\nd\n"}, {"a.py": "a\rB\rc\nd\n"})
    assert change.new_lines == ((1, 1),)


def test_nul_bytes_do_not_hide_the_lines(made: MadeRepository) -> None:
    (change,) = diff(made, {"a.ts": b"a\n\0\nb\n"}, {"a.ts": b"a\n\0\nB\n"})
    assert change.new_lines == ((3, 3),)


def test_content_and_names_that_look_like_a_diff_are_not_read_as_one(made: MadeRepository) -> None:
    evil = (
        "@@ -1,9 +1,9 @@\nindex 1234567890123456789012345678901234567890..0\n:100644 100644 a b M\tx\ndiff --git a b\n"
    )
    name = "a\n@@ -5,5 +7,7 @@\n.py"
    found = diff(made, {name: "x\n" + evil, "b.py": "b\n"}, {name: "y\n" + evil, "b.py": "b\n" + evil})
    assert [(one.path, one.new_lines) for one in found] == [(name, ((1, 1),)), ("b.py", ((2, 5),))]


def test_names_of_any_bytes_come_back_as_they_are(made: MadeRepository) -> None:
    names: list[str | bytes] = [
        "a b.py", 'q"uo\\te.py', "new\nline\r.py", "tab\t.py", "ünï.py", b"\xff\xfe\x80.py", "bell\a\x1b.py",
    ]  # fmt: skip
    found = diff(made, dict.fromkeys(names, "a\n"), dict.fromkeys(names, "b\n"))
    assert sorted(encode(one.name) for one in found) == sorted(
        name if isinstance(name, bytes) else name.encode() for name in names
    )
    moved = diff(made, {"from\tü": "m\n"}, {"from\tü": None, 'to"\n': "m\n"})
    assert [(one.old_path, one.path) for one in moved if one.status == "moved"] == [("from\tü", 'to"\n')]


def test_links_and_submodules_are_named_and_have_no_lines(made: MadeRepository) -> None:
    base = made.commit(
        {"a.py": "a\n", "becomes.py": "was a file\n"}, links={"l.py": "a.py"}, submodules={"s": "1" * 40}
    )
    head = made.commit({"a.py": "b\n"}, base, links={"l.py": "c.py", "becomes.py": "a.py"}, submodules={"s": "2" * 40})
    found = {one.name: one for one in changes(Git(made.path), base, head)}
    assert {name: one.kind for name, one in found.items()} == {
        "a.py": "file",
        "becomes.py": "link",
        "l.py": "link",
        "s": "submodule",
    }
    assert all(not one.new_lines and not one.readable for name, one in found.items() if name != "a.py")
    assert overlay(found.values()) == {"a.py": found["a.py"].new_blob, "becomes.py": None, "l.py": None, "s": None}


def test_settings_of_the_repository_do_not_change_the_diff(made: MadeRepository) -> None:
    text = numbered(1, 30)
    before: Files = {"a.py": text, "b.py": "b\n"}
    after: Files = {"a.py": text.replace("line 3\n", "x\n").replace("line 6\n", "y\n"), "b.py": None, "ü.py": "b\n"}
    base = made.commit(before)
    head = made.commit(after, base)
    plain = changes(Git(made.path), base, head)
    for name, value in {
        "diff.renames": "false",
        "diff.context": "9",
        "diff.interHunkContext": "9",
        "diff.noprefix": "true",
        "diff.mnemonicPrefix": "true",
        "diff.relative": "true",
        "diff.algorithm": "patience",
        "diff.submodule": "log",
        "diff.orderFile": "/dev/null",
        "diff.suppressBlankEmpty": "true",
        "core.quotePath": "false",
        "color.diff": "always",
        "color.ui": "always",
        "core.abbrev": "5",
    }.items():
        made.git("config", name, value)
    assert changes(Git(made.path), base, head) == plain
    assert [one.status for one in plain] == ["modified", "moved"]
    assert plain[0].new_lines == ((3, 3), (6, 6))


def test_an_unknown_commit_is_an_error_in_words(made: MadeRepository) -> None:
    base = made.commit({"a.py": "a"})
    with pytest.raises(GitError, match=r"missing|bad object"):
        changes(Git(made.path), base, "1" * 40)


def lose(made: MadeRepository, blob: str | None) -> None:
    """Make the clone lack a blob, as a partial clone does."""
    assert blob is not None
    (made.path / "objects" / blob[:2] / blob[2:]).unlink()


def test_one_blob_that_the_clone_lacks_costs_the_whole_briefing(made: MadeRepository) -> None:
    old, moved = "def make():\n    return 1\n", "def make():\n    return 1\n" * 9
    big: list[str | bytes] = ["tool[1] of all.phar", ":(glob)*.phar", b"tool\xff\n.phar", "a.bin", "old.phar"]
    before: dict[str | bytes, Content] = {name: f"content {number}" for number, name in enumerate(big)}
    before |= {"m.py": old, "use.py": "from m import make\n\nmake()\n", "was.py": moved}
    after: dict[str | bytes, Content] = {name: f"later {number}" for number, name in enumerate(big)}
    after |= {"old.phar": None, "new.phar": "new", "tool_1 of all.phar": "kept"}
    after |= {"m.py": old.replace("1", "2"), "was.py": None, "now.py": f"{moved}x = 1\n"}
    base = made.commit(before)
    head = made.commit(after, base)
    found = {change.name: change for change in changes(Git(made.path), base, head)}
    for name in ("tool[1] of all.phar", "a.bin", ":(glob)*.phar", "tool\udcff\n.phar"):
        lose(made, found[name].new_blob if name == "a.bin" else found[name].old_blob)
    lose(made, found["old.phar"].old_blob)
    lose(made, found["new.phar"].new_blob)
    partial = {change.name: change for change in changes(Git(made.path), base, head)}
    assert partial.keys() == found.keys()
    lacking = {name for name, change in partial.items() if change.absent}
    assert lacking == {"tool[1] of all.phar", ":(glob)*.phar", "tool\udcff\n.phar", "a.bin", "old.phar", "new.phar"}
    assert all(partial[name] == found[name] for name in found.keys() - lacking)
    assert partial["now.py"].status == "moved"
    assert partial["a.bin"].new_lines == EVERY_LINE
    for exhaustive in (False, True):
        briefing, _ = make_briefing(made.path, base, head, exhaustive=exhaustive)
        assert [caller.path for file in briefing.changed for each in file.symbols for caller in each.callers] == [
            "use.py"
        ]
        reasons = {each.path: each.why for each in briefing.not_checked}
        assert reasons == dict.fromkeys(lacking, "its content is not in this clone") | {
            "tool_1 of all.phar": "not in a language that Callsheet reads"
        }


@pytest.mark.parametrize("side", ["before", "after"])
def test_code_that_the_clone_lacks_is_said_to_be_gone(made: MadeRepository, side: str) -> None:
    use = "from big import make\n\nmake()\n"
    base = made.commit({"big.py": "def make():\n    return 1\n", "use.py": use, "m.py": "def f():\n    return 1\n"})
    head = made.commit({"big.py": "def make():\n    return 2\n", "m.py": "def f():\n    return 2\n"}, base)
    big = {change.name: change for change in changes(Git(made.path), base, head)}["big.py"]
    lose(made, big.old_blob if side == "before" else big.new_blob)
    for exhaustive in (False, True):
        briefing, _ = make_briefing(made.path, base, head, exhaustive=exhaustive)
        changed = {file.path: [each.qualified for each in file.symbols] for file in briefing.changed}
        assert changed == {"big.py": [], "m.py": ["f"]}
        assert [(each.path, each.why) for each in briefing.not_checked] == [
            ("big.py", "its content is not in this clone")
        ]


def test_a_clone_that_lacks_all_of_the_diff_is_briefed_as_if_nothing_changed(made: MadeRepository) -> None:
    base = made.commit({"m.py": "a", "n.py": "a"})
    head = made.commit({"m.py": "b"}, base)
    lose(made, changes(Git(made.path), base, head)[0].new_blob)
    with pytest.raises(GitError, match="partial clone must be filled"):
        changes(Git(made.path), base, head)


def test_the_overlay_puts_the_pull_requests_files_back(made: MadeRepository) -> None:
    text = numbered(1, 9)
    found = diff(
        made, {"a": text, "b": "b\n", "c": "c\n"}, {"a": None, "moved": text, "b": None, "c": "C\n", "d": "d\n"}
    )
    assert overlay(found) == {
        "a": None,
        "moved": made.blob(text),
        "b": None,
        "c": made.blob("C\n"),
        "d": made.blob("d\n"),
    }


def test_a_line_is_outside_the_diff_unless_it_is_added_or_changed(made: MadeRepository) -> None:
    text = numbered(1, 9)
    found = diff(made, {"a": text, "m": text * 2}, {"a": text.replace("line 4\n", "x\ny\n"), "m": None, "n": text * 2})
    outside = outside_diff(found)
    assert [line for line in range(1, 11) if not outside("a", line)] == [4, 5]
    assert outside("n", 3)
    assert outside("elsewhere", 1)


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [(1, 2, False), (1, 3, True), (4, 4, True), (6, 7, False), (6, 8, True), (10, 99, False)],
)
def test_ranges_touch_lines(first: int, last: int, expected: bool) -> None:
    assert touches(((3, 5), (8, 9)), first, last) is expected


# -- definitions -----------------------------------------------------------------------------------------------------


def changed_in(
    made: MadeRepository, before: str, after: str, *, path: str = "a.py", compare: bool = True
) -> dict[str, ChangedDefinition]:
    """The changed definitions by qualified name, and the change."""
    old, new = syntax(path, before), syntax(path, after)
    (change,) = diff(made, {path: dedent(before)}, {path: dedent(after)})
    found = (
        targets(change, old.facts, new.facts, before_syntax=old, after_syntax=new)
        if compare
        else targets(change, old.facts, new.facts)
    )
    return {one.definition.qualified: one for one in found}


def kinds(found: dict[str, ChangedDefinition]) -> dict[str, str]:
    return {name: one.change for name, one in found.items()}


SHOP = """\
    import os

    RATE = 2

    class Order(Base):
        limit = 3

        def total(self, tax):
            # the sum
            return self.net + tax

        def save(self):
            os.sync()

    def pay(order, amount=1):
        return order.total(amount)
    """


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("self.net + tax", "self.net * tax", {"Order.total": "body"}),
        ("def total(self, tax)", "def total(self, tax, x)", {"Order.total": "signature"}),
        ("limit = 3", "limit = 4", {"Order": "body"}),
        ("class Order(Base)", "class Order(Other)", {"Order": "signature"}),
        ("class Order(Base)", "@final\n    class Order(Base)", {"Order": "body"}),
        ("RATE = 2", "RATE = 3", {"RATE": "body"}),
        ("amount=1", "amount=2", {"pay": "signature"}),
        ("import os", "import os, sys", {}),
        ("# the sum", "# the total", {}),
        ("        # the sum\n", "", {}),
        ("(order, amount=1)", "(\n    order,\n    amount=1,  # of money\n)", {}),
        ("os.sync()\n", "os.sync()\n\n", {}),
        ("    def save(self):\n            os.sync()\n", "", {"Order.save": "removed"}),
        ("limit = 3", "limit = 3\n\n        def fresh(self): ...", {"Order.fresh": "added"}),
        ("def pay(order,", "async def pay(order,", {"pay": "signature"}),
    ],
)
def test_the_innermost_definition_on_a_changed_line_is_the_changed_one(
    made: MadeRepository, old: str, new: str, expected: dict[str, str]
) -> None:
    assert old in SHOP
    assert kinds(changed_in(made, SHOP, SHOP.replace(old, new))) == expected


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.py", "def f(a: Optional[int]) -> List[str]: ...", "def f(a: int | None) -> list[str]: ..."),
        ("a.py", 'def f(a: "Order", b: Dict[str, "X"]): ...', "def f(a: Order, b: dict[str, X]): ..."),
        ("a.py", "def f():\n    a: Union[int, str] = 1\n", "def f():\n    a: str | int = 1\n"),
        ("a.py", "class A(B[Optional[int]], metaclass=M): pass", "class A(B[int | None], metaclass=M): pass"),
        ("a.py", "def f(a):\n    return (a)\n", "def f(a):\n    return a\n"),
        ("a.py", "def f(a):\n    assert g(\n        a\n    ), 'no'\n", "def f(a):\n    assert g(a), (\n'no'\n    )\n"),
        ("a.py", "def f():\n    g('a '\n      'b')\n", 'def f():\n    g("a b")\n'),
        ("a.py", 'def f():\n    """One {thing}."""\n    g()\n', "def f():\n    g()\n"),
        ("a.py", "def f():\n    x = '''a\r\nb'''\n", "def f():\n    x = '''a\nb'''\n"),
        ("a.py", "def f(a: t.List[int]) -> typing.Type: ...", "def f(a: list[int]) -> type: ..."),
        ("a.ts", "function f(a: Array<X | Y>): P<Z[]> { g(a) }", "function f(a: (Y | X)[]): P<Array<Z>> { g(a) }"),
        ("a.ts", "type A = | 'a' | 'b'", "type A =\n  'b' | 'a'"),
        ("a.ts", "const f = x => { return (x) }", "const f = (x) => { return x }"),
        ("a.tsx", "const A = () => { return <a>b</a> }", "const A = () => {\n  return (\n    <a>b</a>\n  )\n}"),
        ("a.go", "package a\n\nfunc F(a map[T]interface{}) { g(a) }\n", "package a\n\nfunc F(a map[T]any) { g(a) }\n"),
        ("a.php", "<?php function f(X $a = null, ?int $b) {}", "<?php function f(?X $a = null, int|null $b) {}"),
    ],
)  # fmt: skip
def test_the_same_in_other_words_is_no_change(made: MadeRepository, path: str, before: str, after: str) -> None:
    assert kinds(changed_in(made, before, after, path=path)) == {}
    assert kinds(changed_in(made, after, before, path=path)) == {}


@pytest.mark.parametrize(
    ("path", "before", "after", "expected"),
    [
        ("a.py", "def f(a: Optional[int]): ...", "def f(a: Optional[str]): ...", "signature"),
        ("a.py", 'def f(a: Literal["int"]): ...', "def f(a: Literal[int]): ...", "signature"),
        ("a.py", "def f(a, b):\n    g(a | b)\n", "def f(a, b):\n    g(b | a)\n", "body"),
        ("a.py", "def f(a):\n    return a * (a + 1)\n", "def f(a):\n    return a * a + 1\n", "body"),
        ("a.py", "def f(a):\n    return a < (a < 1)\n", "def f(a):\n    return a < a < 1\n", "body"),
        ("a.py", "def f():\n    g('a' 'b')\n", "def f():\n    g('a', 'b')\n", "body"),
        ("a.py", "def f():\n    g('a')\n", "def f():\n    g(b'a')\n", "body"),
        ("a.py", "def f():\n    g(r'a\\n')\n", "def f():\n    g('a\\n')\n", "body"),
        ("a.py", "def f():\n    f'{g()}'\n", "def f():\n    pass\n", "body"),
        ("a.py", "def f():\n    return 'a\\nb'\n", "def f():\n    return 'c\\nd'\n", "body"),
        ("a.py", "def f(x):\n    return f'{x:{w}>3}'\n", "def f(x):\n    return f'{x:{w}>4}'\n", "body"),
        ("a.py", "def f(x):\n    return f'{x:>3}'\n", "def f(x):\n    return f'{x:>4}'\n", "body"),
        ("a.py", "def f(x):\n    return f'a{{{x}'\n", "def f(x):\n    return f'b{{{x}'\n", "body"),
        ("a.ts", "function f(a: Type | X) {}", "function f(a: type | X) {}", "signature"),
        ("a.ts", "function f(a: t.Node | X) {}", "function f(a: Node | X) {}", "signature"),
        ("a.go", "package a\n\nfunc F(a List[int]) {}\n", "package a\n\nfunc F(a list[int]) {}\n", "signature"),
        ("a.php", "<?php function f($a) { return ($a?->b)->c; }", "<?php function f($a) { return $a?->b->c; }", "body"),
        ("a.py", "def f(a: int | None): ...\n", "def f(a: int | None, b: Optional[int]): ...\n", "signature"),
        ("a.py", "def f(a: List[int]):\n    g()\n", "def f(a: list[int]):\n    h()\n", "body"),
        ("a.ts", "function f() { return (a?.b).c }", "function f() { return a?.b.c }", "body"),
        ("a.ts", "function f(a: A | B) {}", "function f(a: A & B) {}", "signature"),
        ("a.go", "package a\n\nfunc F(a any) {}\n", "package a\n\nfunc F(a interface{ M() }) {}\n", "signature"),
        ("a.php", "<?php function f(X $a = null) {}", "<?php function f(X $a) {}", "signature"),
    ],
)  # fmt: skip
def test_what_only_looks_the_same_is_a_change(
    made: MadeRepository, path: str, before: str, after: str, expected: str
) -> None:
    assert set(kinds(changed_in(made, before, after, path=path)).values()) == {expected}


def test_lines_that_were_only_removed_change_the_function_around_them(made: MadeRepository) -> None:
    before = "def f():\n    one()\n    two()\n\ndef g():\n    pass\n"
    found = changed_in(made, before, before.replace("    two()\n", ""))
    assert kinds(found) == {"f": "body"}
    assert kinds(changed_in(made, before, before.replace("    two()\n", ""), compare=False)) == {"f": "body"}


def test_definitions_in_another_order_are_no_change(made: MadeRepository) -> None:
    one, other = "def f():\n    return 1\n\n", "def g():\n    return 2\n\n"
    assert changed_in(made, one + other, other + one) == {}
    assert kinds(changed_in(made, one + other, other.replace("2", "3") + one)) == {"g": "body"}


def test_a_changed_indentation_is_a_change_where_it_means_something(made: MadeRepository) -> None:
    before = "def f(a):\n    if a:\n        one()\n        two()\n"
    assert kinds(changed_in(made, before, before.replace("        two", "    two"))) == {"f": "body"}


def test_a_one_element_tuple_is_not_a_trailing_comma(made: MadeRepository) -> None:
    before = "def f(a):\n    return (a)\n"
    assert kinds(changed_in(made, before, before.replace("(a)\n", "(a,)\n"))) == {"f": "body"}


def test_overloads_are_one_definition(made: MadeRepository) -> None:
    before = """\
        @overload
        def get(key: int) -> int: ...
        @overload
        def get(key: str) -> str: ...
        def get(key):
            return store[key]
        """
    found = changed_in(made, before, before.replace("(key: str)", "(key: str, default: str)"))
    assert kinds(found) == {"get": "signature"}
    assert (len(found["get"].befores), len(found["get"].afters)) == (3, 3)
    assert found["get"].after is not None
    assert found["get"].after.line == 5
    assert kinds(changed_in(made, before, before.replace("store[key]", "store.get(key)"))) == {"get": "body"}


def test_branches_that_define_the_same_name_are_one_definition(made: MadeRepository) -> None:
    before = "if x:\n    def f():\n        return 1\nelse:\n    def f():\n        return 2\n"
    found = changed_in(made, before, before.replace("2", "3"))
    assert kinds(found) == {"f": "body"}
    assert found["f"].after is not None
    assert found["f"].after.line == 5


def test_a_change_inside_a_nested_function_is_also_one_of_the_function_around_it(made: MadeRepository) -> None:
    before = "def outer(f):\n    def inner():\n        return f()\n    return inner\n"
    found = changed_in(made, before, before.replace("return f()", "return f(1)"))
    assert {name: one.local for name, one in found.items()} == {"outer": False, "outer.inner": True}
    without = before.replace("    def inner():\n        return f()\n", "").replace("inner", "f")
    assert kinds(changed_in(made, before, without)) == {"outer": "body"}


def test_a_function_that_became_a_class_is_changed_not_gone(made: MadeRepository) -> None:
    found = changed_in(made, "def Make():\n    pass\n", "class Make:\n    pass\n")
    assert kinds(found) == {"Make": "signature"}


def test_a_deleted_file_removes_its_definitions_and_an_added_one_adds_them(made: MadeRepository) -> None:
    text = "class A:\n    def m(self):\n        def local(): ...\n"
    old = syntax("a.py", text)
    (gone,) = diff(made, {"a.py": text}, {"a.py": None})
    assert kinds({one.definition.qualified: one for one in targets(gone, old.facts, None)}) == {
        "A": "removed",
        "A.m": "removed",
    }
    (fresh,) = diff(made, {}, {"b.py": text})
    assert [(one.change, one.path, one.old_path) for one in targets(fresh, None, old.facts)] == [
        ("added", "b.py", None),
        ("added", "b.py", None),
    ]


def test_a_file_moved_without_an_edit_changes_no_definition(made: MadeRepository) -> None:
    text = "def f():\n    return 1\n" + numbered(1, 3).replace("line", "x =")
    old = syntax("a.py", text)
    (change,) = diff(made, {"a.py": text}, {"a.py": None, "b.py": text})
    assert targets(change, old.facts, old.facts, before_syntax=old, after_syntax=old) == ()


def test_definitions_of_a_file_moved_with_edits_are_matched_across_the_move(made: MadeRepository) -> None:
    text = "def f(a):\n    return 1\n\n\ndef g(b):\n    return 2\n\n\ndef h(c):\n    return 3\n"
    edited = text.replace("return 2", "return 4")
    (change,) = diff(made, {"a.py": text}, {"a.py": None, "pkg/b.py": edited})
    old, new = syntax("a.py", text), syntax("pkg/b.py", edited)
    (found,) = targets(change, old.facts, new.facts, before_syntax=old, after_syntax=new)
    assert (found.definition.name, found.change, found.path, found.old_path) == ("g", "body", "pkg/b.py", "a.py")


def test_line_ends_alone_change_no_definition(made: MadeRepository) -> None:
    before, after = SHOP, SHOP.replace("\n", "\r\n")
    assert changed_in(made, before, after) == {}
    assert kinds(changed_in(made, before, after.replace("tax\r\n", "tax + 1\r\n"))) == {"Order.total": "body"}


def test_links_have_no_definitions(made: MadeRepository) -> None:
    base = made.commit({"a.py": "def f(): ...\n"})
    head = made.commit({}, base, links={"a.py": "b.py"})
    (change,) = changes(Git(made.path), base, head)
    facts = syntax("a.py", "def f(): ...\n").facts
    assert targets(change, facts, None) == ()


TSX = """\
    import { x } from './x'

    export interface Props { name: string; size?: number }

    export function Card({ name }: Props): JSX.Element {
      const onClick = () => { alert(name) }
      return <div onClick={onClick}>{name}</div>
    }

    export const add = (a: number, b = 1) => {
      return a + b
    }

    export class Store<T> {
      private items: T[] = []
      push(item: T): void { this.items.push(item) }
      get size() { return this.items.length }
    }
    """


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("a + b", "a - b", {"add": "body"}),
        ("b = 1", "b = 1, c?: number", {"add": "signature"}),
        ("return a + b", "return a + b; // done", {}),
        ("(a: number, b = 1)", "(\n  a: number,\n  b = 1,\n)", {}),
        ("size?: number", "size: number", {"Props": "body"}),
        ("<div onClick={onClick}>{name}", "<div onClick={onClick}>\n        {name}\n      ", {}),
        ("T[] = []", "T[] = [a]", {"Store": "body"}),
        ("this.items.push(item) }", "this.items.push(item, item) }", {"Store.push": "body"}),
        ("Store<T>", "Store<T> extends Base<T>", {"Store": "signature"}),
        ("'./x'", "'./y'", {}),
        ("export const add", "const add", {"add": "signature"}),
    ],
)
def test_typescript_changes_are_found_by_the_same_rules(
    made: MadeRepository, old: str, new: str, expected: dict[str, str]
) -> None:
    assert old in TSX
    found = changed_in(made, TSX, TSX.replace(old, new), path="a.tsx")
    assert kinds({name: one for name, one in found.items() if not one.local}) == expected


def test_an_export_list_that_loses_a_name_changes_the_definition_far_away(made: MadeRepository) -> None:
    before = "function f() { return 1 }\nfunction g() { return 2 }\n\n\nexport { f, g }\n"
    found = changed_in(made, before, before.replace("f, g", "g"), path="a.ts")
    assert kinds(found) == {"f": "signature"}


# -- moves between files ---------------------------------------------------------------------------------------------


def moved_between(
    made: MadeRepository, before: dict[str, str], after: dict[str, str]
) -> dict[tuple[str, str], ChangedDefinition]:
    old: dict[str, Syntax] = {path: syntax(path, text) for path, text in before.items()}
    new: dict[str, Syntax] = {path: syntax(path, text) for path, text in after.items()}
    removed: dict[str, Content] = {path: None for path in before if path not in after}
    found: list[ChangedDefinition] = []
    for change in diff(made, before, {**removed, **after}):
        one = old.get(change.before_path) if change.before_path is not None else None
        other = new.get(change.path) if change.path is not None else None
        found += targets(
            change, one.facts if one else None, other.facts if other else None, before_syntax=one, after_syntax=other
        )
    return {
        (one.path or one.old_path or "", one.definition.qualified): one for one in pair_moves(found, old.get, new.get)
    }


PRICE = "def price(order):\n    # net\n    rate = order.rate\n    return order.net * rate\n"


def test_a_function_that_went_to_another_file_is_moved_not_removed_and_added(made: MadeRepository) -> None:
    found = moved_between(
        made,
        {"a.py": "def stay(): ...\n" + PRICE, "b.py": "def other(): ...\n"},
        {"a.py": "def stay(): ...\n", "b.py": "def other(): ...\n\n\n" + PRICE.replace("# net", "# gross")},
    )
    assert {key: one.change for key, one in found.items()} == {("b.py", "price"): "moved"}
    one = found["b.py", "price"]
    assert (one.path, one.old_path) == ("b.py", "a.py")
    assert one.before is not None
    assert one.before.line == 2


def test_a_function_that_was_edited_on_its_way_is_a_changed_one(made: MadeRepository) -> None:
    found = moved_between(
        made,
        {"a.py": PRICE + "\n\nX = 1\n", "b.py": "Y = 1\n"},
        {"a.py": "X = 1\n", "b.py": PRICE.replace("(order)", "(order, tax=0)") + "\n\nY = 1\n"},
    )
    assert {key: (one.change, one.old_path) for key, one in found.items()} == {("b.py", "price"): ("signature", "a.py")}


def test_two_functions_that_share_only_a_name_are_removed_and_added(made: MadeRepository) -> None:
    found = moved_between(
        made,
        {"a.py": PRICE + "\n\nX = 1\n", "b.py": "Y = 1\n"},
        {
            "a.py": "X = 1\n",
            "b.py": "Y = 1\n\n\ndef price(cart, when):\n    for item in cart:\n        when(item.id)\n",
        },
    )
    assert {key: one.change for key, one in found.items()} == {("a.py", "price"): "removed", ("b.py", "price"): "added"}


def test_a_class_moves_with_its_methods(made: MadeRepository) -> None:
    text = "class Cart:\n    size = 3\n\n    def add(self, item):\n        self.items.append(item)\n"
    found = moved_between(
        made, {"a.py": text + "\n\nX = 1\n", "b.py": "Y = 1\n"}, {"a.py": "X = 1\n", "b.py": "Y = 1\n\n\n" + text}
    )
    assert {key: one.change for key, one in found.items()} == {("b.py", "Cart"): "moved", ("b.py", "Cart.add"): "moved"}


def test_a_tree_of_any_depth_can_be_compared(made: MadeRepository) -> None:
    deep = "def f():\n    return " + "(" * 6000 + "1" + ")" * 6000 + "\n"
    assert kinds(changed_in(made, deep, deep.replace("1", "2"))) == {"f": "body"}
    assert changed_in(made, deep, deep.replace("    return ", "    return  ")) == {}


def test_a_property_is_put_on_a_function_that_is_declared_below(repo: Repo) -> None:
    view = "View.matches = (msg) => msg;\n\nexport function View() {\n  return 1;\n}\n"
    repo.commit({"view.js": view}).commit({"view.js": view.replace("return 1", "return 2")})
    assert repo.brief().changes() == {"View": "body"}


def test_two_classes_are_put_on_each_other(repo: Repo) -> None:
    ring = "A.B = class { m(x) {} }\nB.A = class { m(x) {} }\n"
    repo.commit({"a.js": ring}).commit({"a.js": ring.replace("(x)", "(x, y)")})
    assert repo.brief().briefing.changed[0].path == "a.js"

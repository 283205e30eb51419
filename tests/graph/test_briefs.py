"""Whole briefings: what counts as changed and what as outside, what still fits, and from which tree callers come."""

from __future__ import annotations

from pathlib import Path

import pytest

from graph.brief import BriefingError, make_briefing
from tests.graph.stories import Repo

# ------------------------------------------------------------------------------------------------------- what changed


def test_a_function_in_the_context_lines_of_a_hunk_counts_as_changed(repo: Repo) -> None:
    before = """
        export function lowest(value: number): number {
          return Math.min(value, 100);
        }

        export function ordered(items: number[]): number[] {
          return [...items].sort((a, b) => b - a);
        }
        """
    repo.commit(
        {
            "src/rank.ts": before,
            "src/list.ts": (
                "import { ordered } from './rank';\n\nexport const top = (xs: number[]) => ordered(xs)[0];\n"
            ),
            "src/sum.ts": (
                "import { lowest } from './rank';\n\nexport const sum = (v: number) => lowest(v); // CALLER\n"
            ),
        }
    ).commit({"src/rank.ts": before.replace("Math.min(value, 100)", "Math.max(0, Math.min(value, 100))")})
    brief = repo.brief()
    assert brief.changes() == {"lowest": "body"}
    assert brief.callers("lowest") == repo.marked()
    assert brief.symbol("lowest").compatible is None


def test_a_changed_method_makes_its_class_a_target(repo: Repo) -> None:
    before = (
        "class Till:\n    rate = 1\n\n    def ring(self, x):\n        return x\n\n    def open(self):\n        pass\n"
    )
    repo.commit(
        {"till.py": before, "use.py": "from till import Till\n\nTill().ring(1)  # CALLER\nTill().open()\n"}
    ).commit({"till.py": before.replace("return x", "return x * self.rate")})
    brief = repo.brief()
    assert brief.changes() == {"Till.ring": "body"}
    assert brief.callers("Till.ring") == repo.marked()


@pytest.mark.parametrize(
    ("what", "old", "new"),
    [
        ("a base", "class Till:", "class Till(dict):"),
        ("a decorator", "class Till:", "@final\nclass Till:"),
        ("a field", "rate = 1", "rate = 2"),
    ],
)
def test_a_change_of_the_class_itself_is_missed(repo: Repo, what: str, old: str, new: str) -> None:
    before = "class Till:\n    rate = 1\n\n    def ring(self, x):\n        return x\n"
    repo.commit({"till.py": before, "use.py": "from till import Till\n\nTill()\n"}).commit(
        {"till.py": before.replace(old, new)}
    )
    brief = repo.brief()
    assert any(name in ("Till", "Till.rate") for name in brief.changes()), what
    assert "Till.ring" not in brief.changes()


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("a.py", "def f(x):\n    return x\n", "# why\ndef f(x):\n    return x\n"),
        ("a.py", "def f(x):\n    return x\n", "def f(x):\n\n    return x  # note\n"),
        ("a.py", "def f(x):\n    return x\n", "import os\n\n\ndef f(x):\n    return x\n"),
        ("a.py", "def f(x):\r\n    return x\r\n", "def f(x):\n    return x\n"),
        (
            "a.ts",
            "export function f(x: number) { return x; }\n",
            "export function f(\n  x: number,\n) {\n  return x;\n}\n",
        ),
        ("a.ts", "export const f = 1;\n", "// why\nexport const f = 1;\n"),
    ],
)
def test_a_change_of_comments_or_layout_makes_a_target(repo: Repo, name: str, old: str, new: str) -> None:
    repo.commit({name: old.encode()}).commit({name: new.encode()})
    assert {k: v for k, v in repo.brief().changes().items() if k == "f"} == {}


def test_a_changed_test_function_is_a_target(repo: Repo) -> None:
    repo.commit({"tests/test_a.py": "def test_it():\n    assert 1\n\n\ndef make():\n    return 1\n"}).commit(
        {"tests/test_a.py": "def test_it():\n    assert 2\n\n\ndef make():\n    return 2\n"}
    )
    assert repo.brief().changes() == {}


def test_a_changed_test_fixture_that_other_files_import_is_no_target(repo: Repo) -> None:
    repo.commit(
        {
            "tests/__init__.py": "",
            "tests/conftest.py": "def make_it():\n    return 1\n",
            "tests/test_a.py": (
                "from tests.conftest import make_it\n\n\ndef test_a():\n    assert make_it()  # CALLER\n"
            ),
        }
    ).commit({"tests/conftest.py": "def make_it():\n    return 2\n"})
    assert repo.brief().callers("make_it") == repo.marked()


# -------------------------------------------------------------------------------------------------- outside the diff


def test_a_call_on_a_line_of_the_diff_is_listed(repo: Repo) -> None:
    repo.commit(
        {
            "m.py": "def total(x):\n    return x\n",
            "a.py": "from m import total\n\ntotal(1)\nprint(0)\ntotal(2)\n",
        }
    ).commit(
        {
            "m.py": "def total(x, y):\n    return x + y\n",
            "a.py": "from m import total\n\ntotal(1, 2)\nprint(0)\ntotal(2)  # CALLER\ntotal(3, 4)\n",
        }
    )
    # Line 5 changes by its own comment in this text: it is in the diff, too.
    assert repo.brief().callers("total") == []


def test_a_call_inside_a_changed_file_but_outside_the_diff_is_missed(repo: Repo) -> None:
    repo.commit(
        {
            "m.py": "def total(x):\n    return x\n",
            "a.py": "from m import total\n\ntotal(1)\nprint(0)\ntotal(2)  # CALLER\n",
        }
    ).commit(
        {
            "m.py": "def total(x, y):\n    return x + y\n",
            "a.py": "from m import total\n\ntotal(1, 2)\nprint(0)\ntotal(2)  # CALLER\n",
        }
    )
    brief = repo.brief()
    assert brief.callers("total") == repo.marked()
    assert brief.eyes()[0] == "misfit a.py:5"


def test_recursion_is_a_caller(repo: Repo) -> None:
    repo.commit({"m.py": "def deep(x):\n    if x:\n        return deep(x - 1)\n    return 0\n"}).commit(
        {"m.py": "def deep(x):\n    if x:\n        return deep(x - 1)\n    return 1\n"}
    )
    assert repo.brief().callers("deep") == []


# ------------------------------------------------------------------------------------------------- from which tree


def test_callers_that_the_base_added_meanwhile_are_missed(repo: Repo) -> None:
    """0: where the pull request branched; 1: the base since; 2: the head; 3: GitHub's merge of 1 and 2."""
    new = "def total(x, y):\n    return x + y\n"
    late = "from m import total\n\ntotal(9)\n"
    repo.commit({"m.py": "def total(x):\n    return x\n", "a.py": "from m import total\n\ntotal(1)\n"})
    repo.commit({"late.py": late})
    repo.commit({"m.py": new}, on=[0])
    repo.commit({"m.py": new}, on=[1, 2])
    assert repo.brief(base=1, head=2).callers("total") == ["a.py:3"]
    merged = repo.brief(base=1, head=2, merge=3)
    assert merged.callers("total") == ["a.py:3", "late.py:3"]
    assert merged.briefing.base_sha == repo.sha(1)
    assert merged.briefing.merge_base == repo.sha(0)
    assert merged.briefing.graph_from == "merge"


def test_the_merges_version_of_a_changed_file_is_shown_instead_of_the_heads(repo: Repo) -> None:
    repo.commit({"m.py": "def total(x):\n    return x\n\n\n\n\n\n\n\n\nA = 1\n", "a.py": "import m\n\nm.total(1)\n"})
    repo.commit({"m.py": "def total(x):\n    return x\n\n\n\n\n\n\n\n\nA = 1\nB = 2\n"})
    head = "X = 0\n\n\ndef total(x, y):\n    return x\n\n\n\n\n\n\n\n\nA = 1\n"
    repo.commit({"m.py": head}, on=[0])
    repo.commit({"m.py": head + "B = 2\n"}, on=[1, 2])
    brief = repo.brief(base=1, head=2, merge=3)
    assert brief.symbol("total").line == 4
    assert brief.callers("total") == ["a.py:3"]


def test_a_diff_against_the_tip_of_the_base_shows_what_the_base_changed(repo: Repo) -> None:
    repo.commit({"m.py": "def one():\n    return 1\n", "n.py": "def two():\n    return 2\n"})
    repo.commit({"n.py": "def two():\n    return 22\n"})
    repo.commit({"m.py": "def one():\n    return 11\n"}, on=[0])
    assert repo.brief(base=1, head=2).changes() == {"one": "body"}


def test_no_common_ancestor_is_read_as_no_changes(repo: Repo) -> None:
    repo.commit({"m.py": "def one():\n    return 1\n"})
    repo.commit({"m.py": "def one():\n    return 2\n"}, on=())
    with pytest.raises(BriefingError, match="no common ancestor"):
        make_briefing(repo.path, repo.sha(0), repo.sha(1))


def test_an_unknown_revision_is_read_as_no_changes(repo: Repo) -> None:
    repo.commit({"m.py": "x = 1\n"})
    with pytest.raises(BriefingError, match="no-such-branch"):
        make_briefing(repo.path, "no-such-branch", repo.sha(0))


def test_a_folder_that_is_no_repository_has_no_clear_error(tmp_path: Path) -> None:
    with pytest.raises(BriefingError, match="not a git repository"):
        make_briefing(tmp_path, "a", "b")


def test_a_briefing_that_was_stopped_says_that_it_is_whole(repo: Repo) -> None:
    repo.commit({"m.py": "def one():\n    return 1\n", "a.py": "import m\n\nm.one()\n"})
    repo.commit({"m.py": "def one():\n    return 2\n"})
    briefing, _ = make_briefing(repo.path, repo.sha(0), repo.sha(1), should_stop=lambda: True)
    assert briefing.incomplete is not None
    assert "may be missing" in briefing.incomplete


# ------------------------------------------------------------------------------------------------------ what still fits

PYTHON_CALLS = """
    from m import place

    place(1)
    place(1, 2)
    place(1, b=2)
    place(a=1, b=2)
    place(1, 2, 3)
    place(*xs)
    place(**kw)
    place()
    """
A, AB, AKB, KEYS, ABC, STAR, STARS, NONE = (f"use.py:{line}" for line in range(3, 11))


@pytest.mark.parametrize(
    ("old", "new", "compatible", "misfits"),
    [
        ("a", "a, b=None", True, set()),
        ("a", "a, *rest", True, set()),
        ("a", "a, *, b=None", True, set()),
        ("a", "a, **kw", True, set()),
        ("a", "a, b", False, {A}),
        ("a, b", "a", False, {AB, AKB, KEYS}),
        ("a, b=1", "a, c=1", False, {AKB, KEYS}),
        ("a, b", "a, *, b", False, {AB}),
        ("a, b", "b, a", False, {AKB}),
        ("a, b=1, c=2", "a, b=1", False, {ABC}),
        ("a=1", "a", False, {NONE}),
        ("a", "a, *, b", False, {A}),
        ("a, b", "a, b, /", False, {AKB, KEYS}),
        ("a, b", "a, b=2", True, set()),
        ("*args", "*args, **kw", True, set()),
    ],
)
def test_a_python_call_is_judged_wrongly(repo: Repo, old: str, new: str, compatible: bool, misfits: set[str]) -> None:
    repo.commit({"m.py": f"def place({old}):\n    return 1\n", "use.py": PYTHON_CALLS}).commit(
        {"m.py": f"def place({new}):\n    return 1\n"}
    )
    brief = repo.brief()
    assert brief.symbol("place").compatible is compatible
    fits = brief.fits("place")
    assert {place for place, fit in fits.items() if fit is False} == misfits
    assert fits[STAR] is not False
    assert fits[STARS] is not False


TYPESCRIPT_CALLS = """
    import { place } from './m';

    place(1);
    place(1, 2);
    place(1, 2, 3);
    place(...xs);
    place();
    """
T1, T2, T3, TSPREAD, T0 = (f"use.ts:{line}" for line in range(3, 8))


@pytest.mark.parametrize(
    ("old", "new", "compatible", "misfits"),
    [
        ("a: number", "a: number, b?: number", True, set()),
        ("a: number", "a: number, b = 1", True, set()),
        ("a: number", "a: number, ...rest: number[]", True, set()),
        ("a: number", "a: number, b: number", False, {T1}),
        ("a: number, b: number", "a: number", False, {T2}),
        ("a?: number", "a: number", False, {T0}),
        ("a: number, b?: number, c?: number", "a: number, b?: number", False, {T3}),
    ],
)
def test_a_typescript_call_is_judged_wrongly(
    repo: Repo, old: str, new: str, compatible: bool, misfits: set[str]
) -> None:
    repo.commit({"m.ts": f"export function place({old}) {{\n  return 1;\n}}\n", "use.ts": TYPESCRIPT_CALLS}).commit(
        {"m.ts": f"export function place({new}) {{\n  return 1;\n}}\n"}
    )
    brief = repo.brief()
    assert brief.symbol("place").compatible is compatible
    assert {place for place, fit in brief.fits("place").items() if fit is False} == misfits
    assert brief.fits("place")[TSPREAD] is not False


def test_the_receiver_is_counted_as_an_argument(repo: Repo) -> None:
    repo.commit(
        {
            "m.py": (
                "class A:\n    def go(self, x):\n        pass\n\n    @staticmethod\n"
                "    def still(x):\n        pass\n\n    @classmethod\n    def made(cls, x):\n"
                "        pass\n"
            ),
            "use.py": """
                from m import A

                a = A()
                a.go(1)
                A.go(a, 1)
                A.still(1)
                a.still(1)
                A.made(1)
                """,
        }
    ).commit(
        {
            "m.py": (
                "class A:\n    def go(self, x, y):\n        pass\n\n    @staticmethod\n"
                "    def still(x, y):\n        pass\n\n    @classmethod\n    def made(cls, x, y):\n"
                "        pass\n"
            )
        }
    )
    brief = repo.brief()
    assert brief.fits("A.go") == {"use.py:4": False, "use.py:5": False}
    assert brief.fits("A.still") == {"use.py:6": False, "use.py:7": False}
    assert brief.fits("A.made") == {"use.py:8": False}
    misfits = {
        caller.line: caller.misfit for name in ("A.go", "A.still", "A.made") for caller in brief.symbol(name).callers
    }
    assert misfits[4] == misfits[6] == misfits[8]


def test_a_new_parameter_of_a_constructor_spares_the_constructions(repo: Repo) -> None:
    repo.commit(
        {
            "m.ts": "export class Car {\n  constructor(private wheels: number) {}\n}\n",
            "use.ts": "import { Car } from './m';\n\nnew Car(4);\nclass Van extends Car {}\nnew Van(4);\n",
        }
    ).commit({"m.ts": "export class Car {\n  constructor(private wheels: number, private doors: number) {}\n}\n"})
    brief = repo.brief()
    assert brief.fits("Car.constructor") == {"use.ts:3": False, "use.ts:5": False}


def test_an_override_of_a_changed_method_is_not_shown(repo: Repo) -> None:
    repo.commit(
        {
            "m.ts": "export abstract class Job {\n  abstract work(x: number, y: number): void;\n}\n",
            "a.ts": "import { Job } from './m';\n\nexport class A extends Job {\n  work(x: number, y: number) {}\n}\n",
            "b.ts": "import { A } from './a';\n\nexport class B extends A {\n  work(x: number, y: number) {}\n}\n",
            "c.ts": "import { Job } from './m';\n\nexport class C extends Job {\n  work(x: number) {}\n}\n",
        }
    ).commit({"m.ts": "export abstract class Job {\n  abstract work(x: number): void;\n}\n"})
    brief = repo.brief()
    assert [eye for eye in brief.eyes() if eye.startswith("override")] == ["override a.ts:4", "override b.ts:4"]


def test_an_overload_that_stays_does_not_save_a_call(repo: Repo) -> None:
    before = """
        export function pad(x: string): string;
        export function pad(x: string, by: number): string;
        export function pad(x: string, by?: number): string {
          return x.padEnd(by ?? 1);
        }
        """
    repo.commit({"m.ts": before, "use.ts": "import { pad } from './m';\n\npad('a');\npad('a', 2);\n"}).commit(
        {"m.ts": before.replace("export function pad(x: string): string;\n", "")}
    )
    brief = repo.brief()
    assert brief.fits("pad") == {"use.ts:3": False, "use.ts:4": True}


# --------------------------------------------------------------------------------------------------- tests, generated


def test_a_test_that_calls_the_changed_function_is_not_named(repo: Repo) -> None:
    repo.commit(
        {
            "m.py": "def one():\n    return 1\n\n\ndef two():\n    return 2\n",
            "tests/test_m.py": "from m import one\n\n\ndef test_one():\n    assert one() == 1\n",
        }
    ).commit({"m.py": "def one():\n    return 11\n\n\ndef two():\n    return 22\n"})
    brief = repo.brief()
    assert [(test.path, test.line, test.symbol, test.why) for test in brief.briefing.tests if test.symbol == "one"] == [
        ("tests/test_m.py", 5, "one", "call")
    ]


def test_a_generated_file_is_taken_for_hand_written_code(repo: Repo) -> None:
    repo.commit({"gen.py": "# Generated by protoc. DO NOT EDIT.\ndef one():\n    return 1\n"}).commit(
        {"gen.py": "# Generated by protoc. DO NOT EDIT.\ndef one():\n    return 2\n"}
    )
    assert repo.brief().file("gen.py").generated


def test_a_changed_file_in_an_unread_language_is_passed_over_in_silence(repo: Repo) -> None:
    repo.commit({"a.rs": "fn main() {}\n", "Makefile": "all:\n"}).commit(
        {"a.rs": "fn main() { }\n", "Makefile": "x:\n"}
    )
    assert set(repo.brief().not_checked()) == {"Makefile", "a.rs"}


def test_vendored_code_is_read(repo: Repo) -> None:
    repo.commit(
        {
            "m.py": "def one_more():\n    return 1\n",
            "vendor/x.py": "from m import one_more\n\none_more()\n",
            "web/node_modules/y/z.py": "from m import one_more\n\none_more()\n",
            "build/lib/storage/out.py": "from m import one_more\n\none_more()  # CALLER\n",
        }
    ).commit({"m.py": "def one_more():\n    return 2\n", "vendor/x.py": "from m import one_more\n"})
    brief = repo.brief()
    assert brief.callers("one_more") == repo.marked()
    assert "vendor/x.py" in brief.not_checked()


@pytest.mark.parametrize(
    ("path", "before", "after", "expected"),
    [
        ("a.ts", "export interface A {\n  m(x: number): void;\n}\n", "export interface A {\n  m(): void;\n}\n", []),
        (
            "a.ts",
            "export abstract class A {\n  abstract m(x: number): void;\n}\n",
            "export abstract class A {\n  abstract m(): void;\n}\n",
            [],
        ),
        (
            "a.ts",
            "export abstract class A {\n  m(x: number) {}\n}\n",
            "export abstract class A {\n  m() {}\n}\n",
            ["A.m"],
        ),
        (
            "a.py",
            "class A:\n    @abstractmethod\n    def m(self, x): ...\n",
            "class A:\n    @abstractmethod\n    def m(self): ...\n",
            [],
        ),
        ("a.py", "class A:\n    def m(self, x): ...\n", "class A:\n    def m(self): ...\n", ["A.m"]),
    ],
)
def test_a_test_is_asked_for_of_what_runs_nothing(
    repo: Repo, path: str, before: str, after: str, expected: list[str]
) -> None:
    use = "import {A} from './a';\nfunction f(a: A) { a.m(); }\n" if path == "a.ts" else "def f(a: 'A'):\n    a.m()\n"
    head = "from abc import abstractmethod\n\n\n" if path == "a.py" else ""
    user = {"a.ts": "use.ts", "a.py": "use.py"}[path]
    repo.commit({path: head + before, user: ("from a import A\n\n\n" if path == "a.py" else "") + use})
    brief = repo.commit({path: head + after}).brief()
    assert [gap.symbol for gap in brief.briefing.untested] == expected

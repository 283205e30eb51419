"""Files that the pull request edits, and that the base branch moved meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from textwrap import dedent

import pytest

from graph import base_moves
from tests.graph.stories import Repo, Told

Edit = Callable[[str], str]


def told(
    repo: Repo,
    text: str,
    *,
    at: str,
    to: str,
    head: Edit,
    base: Edit = lambda text: text,
    others: Mapping[str, str],
    others_base: Mapping[str, str | None],
    merged: str | None = None,
) -> Told:
    """The briefing of a pull request that edits the file `at`, which the base moved `to` elsewhere and edited there."""
    text = dedent(text[1:])
    repo.commit({at: text, **others})
    moved: dict[str, str | None] = {at: None, to: base(text), **others_base}
    repo.commit(moved, on=[0])
    repo.commit({at: head(text)}, on=[0])
    repo.commit({to: merged or head(base(text))}, on=[1, 2])
    return repo.brief(base=1, head=2, merge=3)


PRICE = """
    def net(a):
        b = a * 2
        c = b + 1
        d = c + 1
        return d


    def gross(a):
        return net(a)


    def old(a):
        b = a * 3
        return b
"""
JOB = "from {} import net\n\n\ndef go():\n    return net(1)\n"


def python(repo: Repo, head: Edit, base: Edit = lambda text: text, merged: str | None = None) -> Told:
    return told(
        repo,
        PRICE,
        at="price.py",
        to="tax/price.py",
        head=head,
        base=base,
        others={"job.py": JOB.format("price")},
        others_base={"job.py": JOB.format("tax.price"), "tax/__init__.py": ""},
        merged=merged,
    )


def test_the_callers_of_a_file_that_the_base_moved_are_missed(repo: Repo) -> None:
    brief = python(repo, lambda text: text.replace("net(a):", "net(a, rate):"))
    assert [file.path for file in brief.briefing.changed] == ["price.py"]
    assert brief.callers("net") == ["job.py:5", "price.py:9"]
    assert brief.fits("net") == {"job.py:5": False, "price.py:9": False}
    assert not any("tax/" in eye.path for eye in brief.briefing.eyes)


def test_lines_that_the_base_added_to_a_file_it_moved_shift_those_of_the_head(repo: Repo) -> None:
    brief = python(
        repo,
        lambda text: "# new\n" + text.replace("net(a):", "net(a, rate):").split("\n\ndef old")[0],
        lambda text: text.replace("def gross", "def more(a):\n    return net(a)\n\n\ndef gross"),
    )
    assert brief.changes() == {"net": "signature", "old": "removed"}
    assert (brief.symbol("net").line, brief.symbol("net").end_line) == (2, 6)
    assert (brief.symbol("old").line, brief.symbol("old").end_line) == (12, 14)  # of the merge base
    # The head has no line for what the base added: it is named where the merge has it.
    assert brief.callers("net") == ["job.py:5", "price.py:10", "tax/price.py:10"]


def test_a_line_that_both_sides_wrote_into_a_moved_file_hides_its_callers(repo: Repo) -> None:
    head = dedent(PRICE[1:]).replace("net(a):", "net(a, rate):")
    mixed = head.replace("net(a, rate):", "net(a, rate, base):")
    brief = python(repo, lambda text: head, lambda text: text.replace("net(a):", "net(a, base):"), mixed)
    assert brief.symbol("net").after == "def net(a, rate)"
    assert brief.fits("net") == {"job.py:5": False, "price.py:9": False}


def test_a_file_that_the_base_took_away_fails_the_briefing(repo: Repo) -> None:
    text = dedent(PRICE[1:])
    repo.commit({"price.py": text, "job.py": JOB.format("price")})
    repo.commit({"price.py": None})
    repo.commit({"price.py": text.replace("net(a):", "net(a, rate):")}, on=[0])
    repo.commit({"late.py": ""}, on=[1, 2])
    assert repo.brief(base=1, head=2, merge=3).callers("net") == ["job.py:5", "price.py:9"]


def test_a_namespace_that_came_with_the_move_hides_the_callers(repo: Repo) -> None:
    job = "<?php\nnamespace Shop;\n\nfunction go(): int\n{{\n    return (new {}())->net(1);\n}}\n"
    brief = told(
        repo,
        """
        <?php
        namespace Shop;

        final class Price extends Base
        {
            public function net(int $a): int
            {
                $b = $a * 2;
                $c = $b + 1;

                return $this->rounded($c);
            }
        }
        """,
        at="src/Price.php",
        to="src/Tax/Price.php",
        head=lambda text: text.replace("int $a)", "int $a, int $rate)"),
        base=lambda text: text.replace("Shop;\n", "Shop\\Tax;\n\nuse Shop\\Base;\n"),
        others={
            "composer.json": '{"autoload": {"psr-4": {"Shop\\\\": "src/"}}}',
            "src/Base.php": "<?php\nnamespace Shop;\n\nclass Base {\n    function rounded($a) { return $a; }\n}\n",
            "src/Job.php": job.format("Price"),
        },
        others_base={"src/Job.php": job.format("Tax\\Price")},
    )
    assert brief.file("src/Price.php").symbols[0].line == 6
    assert brief.fits("Price.net") == {"src/Job.php:6": False}


def test_imports_that_the_base_adapted_in_a_moved_file_lead_nowhere(repo: Repo) -> None:
    brief = told(
        repo,
        """
        import { round } from "./round";

        export function net(a: number): number {
          const b = a * 2;
          const c = b + 1;
          return round(c);
        }

        export function gross(a: number): number {
          return round(a);
        }
        """,
        at="src/price.ts",
        to="src/tax/price.ts",
        head=lambda text: text.replace("net(a: number)", "net(a: number, rate: number)"),
        base=lambda text: text.replace("./round", "../round"),
        others={
            "src/round.ts": "export function round(a: number) {\n  return a;\n}\n",
            "src/job.ts": 'import { net } from "./price";\n\nexport const total = net(1);\n',
            "src/price.test.ts": 'import { net } from "./price";\n\nnet(2, 3);\n',
        },
        others_base={
            "src/job.ts": 'import { net } from "./tax/price";\n\nexport const total = net(1);\n',
            "src/price.test.ts": None,
            "src/tax/price.test.ts": 'import { net } from "./price";\n\nnet(2, 3);\n',
        },
    )
    assert brief.fits("net") == {"src/job.ts:3": False, "src/tax/price.test.ts:3": None}
    assert [(test.path, test.why) for test in brief.briefing.tests] == [("src/tax/price.test.ts", "call")]


def test_a_package_that_the_base_moved_loses_its_callers(repo: Repo) -> None:
    job = 'package job\n\nimport "example.com/shop/{0}"\n\nfunc Run() int {{\n\treturn {1}.Net(1)\n}}\n'
    brief = told(
        repo,
        """
        package price

        // Net is the price.
        func Net(a int) int {
        \tb := a * 2
        \tc := b + 1
        \treturn c
        }
        """,
        at="price/price.go",
        to="internal/tax/price.go",
        head=lambda text: text.replace("(a int)", "(a, rate int)"),
        base=lambda text: text.replace("package price", "package tax"),
        others={"go.mod": "module example.com/shop\n\ngo 1.22\n", "job/job.go": job.format("price", "price")},
        others_base={"job/job.go": job.format("internal/tax", "tax")},
    )
    assert brief.fits("Net") == {"job/job.go:6": False}
    assert brief.symbol("Net", "price/price.go").line == 4


def test_git_is_asked_for_moves_where_the_base_moved_nothing(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    def moves(*arguments: object) -> None:
        raise AssertionError(arguments)

    monkeypatch.setattr(base_moves, "moves", moves)
    text = dedent(PRICE[1:])
    repo.commit({"price.py": text, "gone.py": "x = 1\n", "job.py": JOB.format("price")})
    repo.commit({"late.py": ""})
    repo.commit({"price.py": text.replace("net(a):", "net(a, rate):"), "gone.py": None}, on=[0])
    repo.commit({"price.py": text.replace("net(a):", "net(a, rate):"), "gone.py": None}, on=[1, 2])
    assert repo.brief(base=1, head=2, merge=3).callers("net") == ["job.py:5", "price.py:9"]

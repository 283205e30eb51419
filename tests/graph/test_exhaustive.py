"""The word search only narrows: what it finds is what reading every file finds, in any order of questions.

(Every question of `Repo` in all other tests is asked both ways, too.)
"""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph.lookup import FoundSymbol
from graph.world import Repository, World
from tests.graph.programs import Program, python_programs, script_programs
from tests.graph.stories import Repo

MADE = settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def definitions(repo: Repo) -> list[tuple[str, int]]:
    """The (path, line) of every definition in the last commit."""
    with Repository(repo.path, None) as opened:
        world = World(opened.snapshot(repo.sha(-1)), opened.reader)
        found = {(path, each.line) for path in world.snapshot.paths for each in world.program.facts(path).definitions}
    return sorted(found)


def asked_all_ways(program: Program, order: int) -> dict[tuple[str, int], FoundSymbol]:
    """The callers of every definition, asked at once (fast and exhaustively), in another order, and one by one."""
    with tempfile.TemporaryDirectory() as scratch:
        repo = Repo(Path(scratch)).commit(program)
        places = definitions(repo)
        answers = dict(zip(places, repo.ask(places), strict=True))
        shuffled = random.Random(order).sample(places, len(places))
        assert dict(zip(shuffled, repo.ask(shuffled), strict=True)) == answers
        for place in shuffled[:2]:
            assert repo.ask([place]) == (answers[place],)
        return answers


@MADE
@given(python_programs, st.integers(0, 1000))
def test_a_python_caller_is_found_only_when_every_file_is_read_or_only_in_one_order(
    program: Program, order: int
) -> None:
    asked_all_ways(program, order)


@MADE
@given(script_programs, st.integers(0, 1000))
def test_a_typescript_caller_is_found_only_when_every_file_is_read_or_only_in_one_order(
    program: Program, order: int
) -> None:
    asked_all_ways(program, order)


def brief_between(before: Program, after: Program) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        repo = Repo(Path(scratch)).commit(before)
        gone = {path: None for path in before if path not in after}
        repo.commit({**after, **gone})
        repo.brief()


@MADE
@given(python_programs, python_programs, st.sampled_from((0, 1, 2)))
def test_a_python_briefing_depends_on_the_search(program: Program, other: Program, share: int) -> None:
    """`share`: how much of the pull request is another program (all of it, half of its files, one file)."""
    brief_between(program, _mixed(program, other, share))


@MADE
@given(script_programs, script_programs, st.sampled_from((0, 1, 2)))
def test_a_typescript_briefing_depends_on_the_search(program: Program, other: Program, share: int) -> None:
    brief_between(program, _mixed(program, other, share))


def _mixed(program: Program, other: Program, share: int) -> Program:
    if share == 0:
        return other
    taken = sorted(other)[:1] if share == 2 else sorted(other)[::2]
    return {**program, **{path: other[path] for path in taken}}


def test_generated_programs_have_no_callers_to_lose() -> None:
    """The tests above say something only as long as the programs that they make have callers of every certainty."""
    kinds: set[tuple[str, bool]] = set()

    @settings(MADE, max_examples=15)
    @given(st.one_of(python_programs, script_programs))
    def collect(program: Program) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            repo = Repo(Path(scratch)).commit(program)
            for symbol in repo.ask(definitions(repo)):
                kinds.update((each.kind, each.sure) for each in symbol.callers)

    collect()
    assert {("call", True), ("call", False), ("base", True), ("value", True)} <= kinds

"""Limits are kept in bytes, by leaving out whole rows, and what was left out is said."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.render import check_output, to_markdown
from graph.render.check import ANNOTATION_LIMIT, FIELD_LIMIT
from graph.render.fitting import compose, fill, shares

from .briefings import FIGURES, LINKS, huge, many_broken, small

rows = st.lists(st.text("a😀é", min_size=1, max_size=30), max_size=40)


@given(rows, st.integers(60, 400))
def test_a_row_is_cut_or_goes_missing_without_a_word(items: list[str], budget: int) -> None:
    text = fill(items, lambda row: f"- {row}", lambda left: f"…and {len(left)} more", budget, head="# h")
    shown = text.splitlines()
    assert len(text.encode()) <= budget
    kept = len([line for line in shown if line.startswith("- ")])
    assert [f"- {row}" for row in items[:kept]] == [line for line in shown if line.startswith("- ")]
    assert (shown[-1] == f"…and {len(items) - kept} more") == (kept < len(items))


def test_rows_that_fit_exactly_are_left_out() -> None:
    assert fill(["a", "b"], str, lambda left: "more", 3) == "a\nb"
    assert fill(["a", "b", "c"], str, lambda left: "m", 3) == "a\nm"


@given(st.lists(st.integers(0, 1000), min_size=1), st.integers(0, 5000))
def test_a_big_section_takes_room_from_a_small_one(costs: list[int], budget: int) -> None:
    parts = shares(costs, budget)
    assert sum(parts) <= budget
    assert all(part <= cost for part, cost in zip(parts, costs, strict=True))
    even = budget // len(costs)
    assert all(part >= min(cost, even) for part, cost in zip(parts, costs, strict=True))


def test_a_section_with_nothing_to_say_leaves_a_gap() -> None:
    assert compose([lambda _: "a", lambda _: "", lambda _: "b"], 100) == "a\n\nb"


@pytest.mark.parametrize("limit", [8000, 20_000, FIELD_LIMIT])
def test_fifty_thousand_callers_pass_the_limit_or_drown_the_small_ones(limit: int) -> None:
    output = check_output(huge(), LINKS, FIGURES, limit=limit)
    for field in (output.summary, output.text):
        assert limit // 2 < len(field.encode("utf-8")) <= limit
        assert field.count("<details") == field.count("</details>")
    assert "packages/p01/src/end.ts" in output.text  # the other definition's only caller
    assert re.search(r"…and [\d,]+ more callers in [\d,]+ files", output.text)
    assert re.search(r"…and more that has no room here: [\d,]+ calls no longer fit", output.summary)


def test_more_annotations_are_sent_than_github_takes() -> None:
    briefing = many_broken(73)
    output = check_output(briefing, LINKS)
    assert len(output.annotations) == ANNOTATION_LIMIT
    assert "the 50 worst of 73 definitions" in output.summary
    certain = [annotation.annotation_level for annotation in output.annotations]
    assert certain == sorted(certain, reverse=True)  # warnings before notices
    lines = {(symbol.line, file.path) for file in briefing.changed for symbol in file.symbols}
    assert all((annotation.start_line, annotation.path) in lines for annotation in output.annotations)


def test_thousands_of_changed_definitions_pass_the_limit() -> None:
    output = check_output(many_broken(3000), LINKS)
    assert len(output.text.encode()) <= FIELD_LIMIT
    assert len(output.summary.encode()) <= FIELD_LIMIT
    assert re.search(r"more callers in [\d,]+ files, of [\d,]+ more changed definitions", output.text)


def test_a_removed_definition_is_annotated_where_nothing_stands() -> None:
    places = {(a.path, a.start_line): a.message for a in check_output(small(), LINKS).annotations}
    assert "`discount` is removed" in places["src/orders.py", 60]  # the nearest definition that is still there
    gone = check_output(many_broken(2, deleted=True), LINKS)
    assert gone.annotations == ()
    assert "still calls `old1`" in gone.summary


def test_the_document_leaves_out_callers() -> None:
    document = to_markdown(huge(2000))
    assert "…and" not in document
    assert all(f"`Handler{number}.run`" in document for number in range(2000))

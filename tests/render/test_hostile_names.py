"""Nothing in a pull request takes an effect in what Callsheet prints, and all of it can still be read."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph.assembly import assemble
from graph.briefing import Briefing, Caller, ChangedFile, Importer, MovedFile, NotChecked, Symbol
from graph.quoting import clip, quoted, visible
from graph.render import check_output, to_json, to_markdown, to_text
from graph.render.escape import code_span, diff_block, html_code, prose

from .briefings import ALL, BASE, FIGURES, HEAD, HOSTILE, LINKS, MERGE_BASE, hostile
from .github_markdown import Page

FRAGMENTS = (
    *HOSTILE,
    *"@#:`*_~[]()<>&!|\\$\"'\n\r\t\0 -+=.^{}",
    "www.", "http://", "ftp://a.b", "a@b.c", "GH-1", "@a", "@a/b", "#1", "a/b#1", ":x:", "</details>", "<details>",
    "\u2028", "\u202e", "\u200b", "\ufeff", "\udcff", "\x85", "😀", "é", "deadbeef", "0" * 40, "```", "~~~",
    "    ", "\n\n", "<a href=x>", "<!--", "]]>", "&lt;", "](", "1. ", "- [ ] ", "> ", "| - |", "name", "src/a.py",
)  # fmt: skip
names = st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=4)), min_size=1, max_size=6).map("".join)
lines = st.integers(1, 999_999)

callers = st.builds(
    Caller,
    path=names,
    line=lines,
    kind=st.sampled_from(("call", "new", "base", "type", "import", "jsx")),
    sure=st.booleans(),
    reason=st.none() | names,
    via=st.none() | names | st.just("override"),
    within=st.none() | names,
    fits=st.sampled_from((True, False, None)),
    misfit=st.none() | names,
)
symbols = st.builds(
    Symbol,
    name=names,
    qualified=names,
    kind=st.sampled_from(("function", "method", "class")),
    line=lines,
    end_line=lines,
    change=st.sampled_from(("body", "signature", "removed", "moved")),
    compatible=st.sampled_from((True, False, None)),
    before=st.none() | names,
    after=st.none() | names,
    callers=st.lists(callers, max_size=4).map(tuple),
)
files = st.builds(
    ChangedFile,
    path=st.none() | names,
    old_path=names,
    status=st.sampled_from(("modified", "moved")),
    language=st.just("python"),
    generated=st.booleans(),
    symbols=st.lists(symbols, max_size=3).map(tuple),
)
moves = st.builds(
    MovedFile,
    path=st.none() | names,
    old_path=names,
    importers=st.lists(st.builds(Importer, path=names, line=lines, module=names, sure=st.booleans()), max_size=3).map(
        tuple
    ),
)


@st.composite
def briefings(draw: st.DrawFn) -> Briefing:
    importing = draw(st.lists(st.tuples(names, lines, st.booleans()), max_size=3))
    return assemble(
        head_sha=HEAD,
        base_sha=draw(st.sampled_from((BASE, None))),
        merge_base=MERGE_BASE,
        graph_from=draw(st.sampled_from(("merge", "head"))),
        graph_note=draw(st.none() | names),
        incomplete=draw(st.none() | names),
        changed=draw(st.lists(files, max_size=3)),
        moved=draw(st.lists(moves, max_size=2)),
        not_checked=draw(st.lists(st.builds(NotChecked, path=names, why=names), max_size=2)),
        tree=draw(st.lists(names, max_size=3)),
        importers=lambda path, limit: importing[:limit],
    )


slow = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@slow
@given(briefings())
def test_a_name_becomes_a_mention_a_link_or_markup_in_the_document(briefing: Briefing) -> None:
    for links in (LINKS, None):
        assert Page(to_markdown(briefing, links, FIGURES)).effects == []


@slow
@given(briefings(), st.integers(3000, 65_535))
def test_a_name_takes_an_effect_or_a_limit_is_passed_in_a_check_run(briefing: Briefing, limit: int) -> None:
    output = check_output(briefing, LINKS, FIGURES, limit=limit)
    for field in (output.summary, output.text):
        assert len(field.encode("utf-8")) <= limit
        assert Page(field).effects == []
    for annotation in output.annotations:
        assert Page(annotation.message).effects == []
        assert Page(annotation.title).effects == []
        assert len(annotation.title) <= 255
        assert len(annotation.message.encode()) <= 65_535
    assert output.title == visible(output.title)


@slow
@given(briefings())
def test_a_name_moves_the_cursor_or_breaks_a_line_of_the_terminal(briefing: Briefing) -> None:
    for line in to_text(briefing).splitlines():
        assert line == visible(line)


@slow
@given(briefings())
def test_a_name_is_not_the_same_after_reading_the_json_again(briefing: Briefing) -> None:

    read = json.loads(to_json(briefing))
    assert [file["path"] for file in read["changed"]] == [file.path for file in briefing.changed]
    assert to_json(briefing) == to_json(briefing)


@given(names.filter(bool))
@settings(max_examples=200, deadline=None)
def test_a_name_in_a_code_span_reads_differently_than_it_is(name: str) -> None:
    page = Page(f"before {code_span(name, 10_000)} after")
    # Not one blank is lost but those that Markdown itself folds for display: HTML keeps them in the source.
    assert page.codes == [visible(name)]
    assert page.effects == []
    page = Page(f"<details><summary>{html_code(name, 10_000)}</summary>\n\n</details>")
    assert page.codes == [visible(name)]


@given(st.lists(names, min_size=1, max_size=4), st.booleans())
@settings(max_examples=200, deadline=None)
def test_a_word_of_a_sentence_is_lost_or_takes_an_effect(words: list[str], quote: bool) -> None:
    sentence = " ".join(quoted(word) if quote else word for word in words)
    page = Page(f"Because {prose(sentence, 10_000)}")
    assert page.effects == []
    read = "".join(page.words + page.codes)
    assert set(re.sub(r"[\s`']", "", visible(sentence))) <= set(read)


@given(names, names)
@settings(max_examples=100, deadline=None)
def test_a_declaration_breaks_out_of_its_fence(before: str, after: str) -> None:
    block = diff_block(before, after)
    page = Page(f"{block}\n\nafter")
    assert page.effects == []
    assert len(page.codes) == 1
    assert page.words[-2] == "after" or page.words[-1] in ("after", "\n")
    assert all(line[:2] in ("- ", "+ ", "  ") for line in page.codes[0].splitlines() if line)


@pytest.mark.parametrize("name", sorted(ALL))
def test_a_briefing_made_by_hand_takes_an_effect(name: str) -> None:
    briefing = ALL[name]()
    output = check_output(briefing, LINKS, FIGURES)
    for field in (output.summary, output.text):
        assert Page(field).effects == []


def test_a_hostile_name_is_not_shown_at_all() -> None:
    shown = set(Page(to_markdown(hostile(), LINKS)).codes)
    for name in HOSTILE:
        assert visible(name) in shown


def test_the_parser_of_these_tests_lets_effects_pass() -> None:
    """The tests above are worth nothing unless the page finds what GitHub would act on."""
    for markdown in (
        "hi @octocat", "see #12", "www.evil.example", "<b>x</b>", "![x](y)", "[x](https://evil.example)", "a :tada: b",
        "| a | b |\n|---|---|\n| c | d |", "<!-- x -->", "<details>\n\nx", "~~x~~", "https://evil.example", "*x*",
        "- [ ] x", "acme/shop#3", "deadbeef1", "# x",
    ):  # fmt: skip
        assert Page(markdown).effects, markdown


def test_a_long_name_is_cut_inside_a_word() -> None:
    path = "/".join(f"folder{number}" for number in range(60)) + "/orders.py"
    shown = clip(path, 160)
    assert len(shown) <= 160
    front, back = shown.split("…")
    assert path.startswith(front) and front.endswith("/")
    assert path.endswith(back) and back.startswith("/")
    assert len(clip("x" * 5000, 160)) <= 160


@pytest.mark.parametrize(
    "character", ["\u202e", "\u2066", "\u200b", "\u200d", "\ufeff", "\xad", "\x1b", "\x00", "\u2028"]
)
def test_a_character_that_cannot_be_seen_is_printed_as_it_is(character: str) -> None:
    shown = visible(f"a{character}b")
    assert character not in shown
    assert shown in (f"a\\x{ord(character):02x}b", f"a\\u{ord(character):04x}b")


def test_a_byte_that_is_not_utf8_is_hidden() -> None:
    assert visible("caf\udce9.py") == "caf\\xe9.py"


def test_two_names_side_by_side_are_read_as_one() -> None:
    assert prose("calls `a``b`") == "calls `a` `b`"


def test_a_lone_backtick_turns_the_rest_of_the_sentence_into_code() -> None:
    assert prose("a name like ` and then words") == "a name like `'` and then words"


def test_plain_words_are_put_between_backticks() -> None:
    for plain in (
        "passes 3 arguments, takes 2",
        "it conflicts with main, so changes merged since aren't included.",
        "through interface PaymentGateway, name match only",
        "reached 60 s (210 of 1,204 files read)",
    ):
        assert prose(plain) == plain
    assert prose("passes user_id=, takes **kwargs") == "passes `user_id=`, takes `**kwargs`"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("(missing config_wrapper)", "(missing `config_wrapper`)"),
        ("in vendor/ or node_modules/: other", "in `vendor/` or `node_modules/`: other"),
        ("by user_id, or: a_b!", "by `user_id`, or: `a_b`!"),
        ("calls make_it(), or (do_it(a_b()))", "calls `make_it()`, or (`do_it(a_b())`)"),
        ("of \"a_b\" and 'c_d'.", "of \"`a_b`\" and '`c_d`'."),
        ("by @octocat, (@acme/x): #12", "by `@octocat`, (`@acme/x`): `#12`"),
        (":tada: and ((", "`:tada`: and `((`"),
    ],
)
def test_a_name_swallows_the_punctuation_around_it(text: str, shown: str) -> None:
    assert prose(text) == shown
    assert Page(f"Because {prose(text)}").effects == []


def test_a_sentence_is_cut_inside_a_word() -> None:
    assert prose("one two three four", 9) == "one two …"


def test_a_long_declaration_is_cut_inside_a_line() -> None:
    before = "\n".join(f"    argument_{number}: int," for number in range(60))
    block = diff_block(before, None)
    assert block.splitlines()[-2] == "- … 20 more lines"
    assert block.splitlines()[40] == "-     argument_39: int,"

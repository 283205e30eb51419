"""The word search must name every file that holds a word as an identifier. Losing one loses a caller."""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Iterable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph import search as search_module
from graph import snapshot as snapshot_module
from graph.search import Search
from graph.words import KeptWords
from tests.graph.repositories import Files, MadeRepository, snapshot_of

PY = (".py",)


def searching(made: MadeRepository, files: Files) -> Search:
    return Search(snapshot_of(made, made.commit(files)))


def hits(search: Search, words: Iterable[str], suffixes: Collection[str] | None = None) -> frozenset[str]:
    """The files that hold any of the words."""
    return frozenset().union(*search.by_word(words, suffixes).values())


def test_a_word_inside_a_longer_word_is_not_that_word(made: MadeRepository) -> None:
    search = searching(
        made,
        {"a.py": "save()", "b.py": "resave()", "c.py": "save_all()", "d.py": "x.save", "e.py": "saves", "f.py": ""},
    )
    assert hits(search, ["save"], PY) == {"a.py", "d.py"}


def test_only_files_with_the_asked_endings_are_searched(made: MadeRepository) -> None:
    search = searching(made, {"a.py": "w", "d/b.ts": "w", "c.tsx": "w", "e.md": "w", ".ts": "w", "x.pyi": "w"})
    assert hits(search, ["w"], [".ts", ".tsx"]) == {"d/b.ts", "c.tsx", ".ts"}
    assert hits(search, ["w"], PY) == {"a.py"}
    assert hits(search, ["w"]) == {"a.py", "d/b.ts", "c.tsx", "e.md", ".ts", "x.pyi"}
    assert hits(search, ["w"], []) == frozenset()
    assert hits(search, [], PY) == frozenset()


def test_nothing_found_is_no_error(made: MadeRepository) -> None:
    assert hits(searching(made, {"a.py": "x"}), ["nowhere", "neither"], PY) == frozenset()


def test_a_file_with_nul_bytes_is_searched_like_any_other(made: MadeRepository) -> None:
    search = searching(made, {"a.py": b"x = '\0\0'\nlate_name()\n", "b.py": b"\0late_name\0"})
    assert hits(search, ["late_name"], PY) == {"a.py", "b.py"}


def test_words_with_dollar_signs_letters_outside_ascii_and_signs_are_found_whole(made: MadeRepository) -> None:
    files: dict[str | bytes, str | bytes | None] = {
        "a.py": "$scope.x",
        "b.py": "größe = 1",
        "c.py": "<order-list>",
        "d.py": "<order-listing>",
        "e.py": "x$scope",
        "f.py": "rx$ | b",
        "g.py": "größeres = 1",
        "h.py": "a.b",
        "i.py": "axb",
    }
    search = searching(made, files)
    assert hits(search, ["$scope"], PY) == {"a.py"}
    assert hits(search, ["größe"], PY) >= {"b.py"}
    assert hits(search, ["order-list"], PY) == {"c.py"}
    assert hits(search, ["order"], PY) == {"c.py", "d.py"}
    assert hits(search, ["rx$"], PY) == {"f.py"}
    assert hits(search, ["a.b"], PY) == {"h.py"}


def test_a_longer_word_that_is_asked_for_too_hides_no_shorter_one(made: MadeRepository) -> None:
    search = searching(made, {"a.py": "order-listx", "b.py": "foo$barx foo", "c.py": "foobar foo"})
    assert hits(search, ["order", "order-list", "foo$bar", "foo", "foobar"], PY) == {"a.py", "b.py", "c.py"}
    assert search.by_word(["order", "order-list", "foo", "foobar"], PY) == {
        "order": {"a.py"},
        "order-list": frozenset(),
        "foo": {"b.py", "c.py"},
        "foobar": {"c.py"},
    }


def test_a_letter_outside_ascii_next_to_a_name_never_hides_it(made: MadeRepository) -> None:
    """No-break spaces and curly quotes are no letters, but their bytes look like those of letters."""
    search = searching(made, {"a.py": "\u00a0total\u2028(1)", "b.py": "\u201ctotal\u201d"})
    assert hits(search, ["total"], PY) == {"a.py", "b.py"}


def test_the_overlay_is_searched_instead_of_what_it_replaces(made: MadeRepository) -> None:
    snapshot = snapshot_of(made, made.commit({"a.py": "old_name", "b.py": "old_name", "c.py": "c", "d.js": "d"}))
    over = snapshot.with_overlay(
        {
            "a.py": made.blob("new_name $x"),
            "b.py": None,
            "e/f.py": made.blob("old_name OTHER"),
            "d.js": made.blob("new_name"),
        }
    )
    search = Search(over)
    assert hits(search, ["old_name"], PY) == {"e/f.py"}
    assert hits(search, ["new_name"], PY) == {"a.py"}
    assert hits(search, ["$x"], PY) == {"a.py"}
    assert hits(search, ["new_name"]) == {"a.py", "d.js"}
    assert hits(Search(snapshot), ["old_name"], PY) == {"a.py", "b.py"}


def test_an_overlay_of_a_searched_commit_searches_only_what_differs(made: MadeRepository) -> None:
    snapshot = snapshot_of(made, made.commit({"a.py": "name", "b.py": "name", "new\nline.py": "name", "c.py": "c"}))
    after = Search(snapshot.with_overlay({"a.py": made.blob("other"), "new\nline.py": None}))
    assert hits(after, ["name"], PY) == {"b.py"}
    before = Search(snapshot.with_overlay({"b.py": None, "c.py": made.blob("name")}))
    assert hits(before, ["name"], PY) == {"a.py", "c.py", "new\nline.py"}
    assert (after.runs, before.runs) == (1, 0)
    assert hits(before, ["name", "other", "c"], PY) == {"a.py", "c.py", "new\nline.py"}
    assert before.runs == 1


def test_links_submodules_and_skipped_folders_are_not_searched(made: MadeRepository) -> None:
    commit = made.commit(
        {"a.py": "w", "node_modules/x/b.py": "w", "p/vendor/c.py": "w"}, links={"l.py": "w"}, submodules={"s": "2" * 40}
    )
    assert hits(Search(snapshot_of(made, commit)), ["w"]) == {"a.py"}


def test_file_names_of_any_bytes_come_back_as_they_are(made: MadeRepository) -> None:
    names: list[str | bytes] = ["a b.py", 'q"uo.py', "new\nline.py", "c:d.py", "ü.py", b"\xff.py", "tab\tx.py"]
    search = searching(made, dict.fromkeys(names, "needle") | {"x\nneedle.py": "hay", "plain.py": "needle"})
    found = hits(search, ["needle"], PY)
    assert found == {
        *(name.decode("utf-8", "surrogateescape") if isinstance(name, bytes) else name for name in names),
        "plain.py",
    }


def test_what_was_searched_for_is_not_searched_for_again(made: MadeRepository) -> None:
    search = searching(made, {"a.py": "one", "b.py": "two"})
    search.by_word(["one", "two", "three"], PY)
    assert search.runs == 1
    assert hits(search, ["one"], PY) == {"a.py"}
    assert search.runs == 1
    hits(search, ["four"], PY)
    assert search.runs == 2


@pytest.mark.parametrize("word", ["", "two\nlines", "nul\0"])
def test_a_word_that_no_line_can_hold_is_refused(made: MadeRepository, word: str) -> None:
    with pytest.raises(ValueError, match="is not a word"):
        hits(searching(made, {"a.py": "x"}), [word], PY)


def test_a_second_search_and_a_tree_too_large_for_memory_find_the_same(
    made: MadeRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = made.commit({f"f{n}.py": f"word{n % 7} $x{n % 3} common\n" * n for n in range(30)})
    words = [f"word{n}" for n in range(8)] + ["$x0", "$x1", "x2", "common", "word"]
    small = Search(snapshot_of(made, commit))
    hits(small, ["first"], PY)
    second = {word: hits(small, [word], PY) for word in words}
    monkeypatch.setattr(search_module, "MEMORY_LIMIT", 10)
    large = Search(snapshot_of(made, commit))
    hits(large, ["first"], PY)
    assert {word: hits(large, [word], PY) for word in words} == second
    assert second == Search(snapshot_of(made, commit)).by_word(words, PY)
    assert len(second["common"]) == 29


def test_files_past_the_size_limit_are_found_by_no_search(
    made: MadeRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are not read, so naming them would only make an answer depend on how it was searched for."""
    monkeypatch.setattr(snapshot_module, "SIZE_LIMIT", 100)
    snapshot = snapshot_of(made, made.commit({"a.py": "name", "b.py": "name " * 50}))
    over = snapshot.with_overlay({"c.py": made.blob("name " * 60)})
    for search in (Search(snapshot), Search(over)):
        assert hits(search, ["name"], PY) == {"a.py"}
        assert hits(search, ["$name", "a"], PY) == frozenset()


def test_thousands_of_words_cost_few_runs(made: MadeRepository) -> None:
    words = [f"some_rather_long_function_name_{number}" for number in range(4000)]
    search = searching(made, {f"f{n}.py": "\n".join(words[n * 100 : n * 100 + 3]) for n in range(40)})
    started = time.monotonic()
    found = search.by_word(words, PY)
    assert time.monotonic() - started < 20
    assert search.runs < 6
    assert {word: next(iter(paths)) for word, paths in found.items() if paths} == {
        words[n * 100 + i]: f"f{n}.py" for n in range(40) for i in range(3)
    }


def test_one_enormous_line_does_not_stop_the_search(made: MadeRepository) -> None:
    search = searching(made, {"a.py": "xget " * 400_000 + "get", "b.py": "get " * 400_000, "c.py": "xget" * 400_000})
    started = time.monotonic()
    assert search.by_word(["get", "set", "$get"], PY) == {
        "get": {"a.py", "b.py"},
        "set": frozenset(),
        "$get": frozenset(),
    }
    assert time.monotonic() - started < 20


def test_the_searched_commit_does_not_depend_on_what_is_checked_out(tmp_path: Path, made: MadeRepository) -> None:
    made.git("config", "grep.patternType", "fixed")
    made.git("config", "grep.fullName", "false")
    made.git("config", "grep.column", "true")
    made.git("config", "grep.lineNumber", "true")
    made.git("config", "color.grep", "always")
    made.git("config", "submodule.recurse", "true")
    first = made.commit({"a.py": "first"})
    made.commit({"a.py": "second"})
    search = Search(snapshot_of(made, first))
    assert hits(search, ["first", "third"], PY) == {"a.py"}
    assert hits(search, ["second", "$x"], PY) == frozenset()


IDENTIFIER = st.text(alphabet="aB_1$é", min_size=1, max_size=4)
CONTENT = st.lists(
    st.one_of(
        IDENTIFIER,
        st.sampled_from([" ", "\n", "\r\n", ".", "(", "-", "\0", "\u00a0", "“", "a", "*", "\\"]),
        st.binary(min_size=1, max_size=2),
    ),
    max_size=25,
).map(lambda parts: b"".join(part if isinstance(part, bytes) else part.encode() for part in parts))


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(contents=st.lists(CONTENT, min_size=1, max_size=5), words=st.lists(IDENTIFIER, min_size=1, max_size=6))
def test_the_search_finds_exactly_what_a_regular_expression_over_all_blobs_finds(
    tmp_path_factory: pytest.TempPathFactory, contents: list[bytes], words: list[str]
) -> None:
    made = MadeRepository(tmp_path_factory.mktemp("made") / "made.git")
    files: dict[str | bytes, str | bytes | None] = {f"f{number}.py": c for number, c in enumerate(contents)}
    commit = made.commit(files)
    plain = snapshot_of(made, commit)
    empty = made.commit(dict.fromkeys(files, b""), afresh=True)
    overlaid = snapshot_of(made, empty).with_overlay(dict(plain.paths))
    expected = {
        word: {
            str(name)
            for name, content in files.items()
            if isinstance(content, bytes)
            and re.search(rb"(?<![A-Za-z0-9_])" + re.escape(word.encode()) + rb"(?![A-Za-z0-9_])", content)
        }
        for word in words
    }
    in_memory = snapshot_of(made, commit)
    hits(Search(in_memory), ["first"], PY)
    many = in_memory.with_overlay({})
    assert Search(many).by_word([*words, *(f"w{n}" for n in range(70))], PY).items() >= expected.items()
    kept = KeptWords.unpack(KeptWords.pack((plain.paths[path], plain.read(path)) for path in plain.paths))
    assert Search(snapshot_of(made, commit), kept=lambda _: kept).by_word(words, PY) == expected
    for snapshot in (plain, overlaid, in_memory):
        assert Search(snapshot).by_word(words, PY) == expected
        for word in words:  # asked for alone, it is found in the same files
            assert hits(Search(snapshot), [word], PY) == expected[word]
    whole = re.compile(r"[\w$]+")
    for word in words:  # and wherever it is a whole identifier of text that is UTF-8
        for name, content in files.items():
            assert isinstance(content, bytes)
            if word in whole.findall(content.decode("utf-8", "replace")):
                assert name in expected[word]

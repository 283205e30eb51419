"""The word search must name every file that holds a word as an identifier. Losing one loses a caller."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph import search as search_module
from graph import snapshot as snapshot_module
from graph.git import Blobs, Git
from graph.search import Search
from graph.snapshot import Snapshot
from tests.graph.repositories import Files, MadeRepository

PY = (".py",)


@pytest.fixture
def made(tmp_path: Path) -> MadeRepository:
    return MadeRepository(tmp_path / "made.git")


def snapshot_of(made: MadeRepository, commit: str) -> Snapshot:
    git = Git(made.path)
    return Snapshot.of(git, Blobs(git), commit)


def searching(made: MadeRepository, files: Files) -> Search:
    return Search(snapshot_of(made, made.commit(files)))


def test_a_word_inside_a_longer_word_is_not_that_word(made: MadeRepository) -> None:
    search = searching(
        made,
        {"a.py": "save()", "b.py": "resave()", "c.py": "save_all()", "d.py": "x.save", "e.py": "saves", "f.py": ""},
    )
    assert search.files(["save"], PY) == {"a.py", "d.py"}


def test_only_files_with_the_asked_endings_are_searched(made: MadeRepository) -> None:
    search = searching(made, {"a.py": "w", "d/b.ts": "w", "c.tsx": "w", "e.md": "w", ".ts": "w", "x.pyi": "w"})
    assert search.files(["w"], [".ts", ".tsx"]) == {"d/b.ts", "c.tsx", ".ts"}
    assert search.files(["w"], PY) == {"a.py"}
    assert search.files(["w"]) == {"a.py", "d/b.ts", "c.tsx", "e.md", ".ts", "x.pyi"}
    assert search.files(["w"], []) == frozenset()
    assert search.files([], PY) == frozenset()


def test_nothing_found_is_no_error(made: MadeRepository) -> None:
    assert searching(made, {"a.py": "x"}).files(["nowhere", "neither"], PY) == frozenset()


def test_a_file_with_nul_bytes_is_searched_like_any_other(made: MadeRepository) -> None:
    search = searching(made, {"a.py": b"x = '\0\0'\nlate_name()\n", "b.py": b"\0late_name\0"})
    assert search.files(["late_name"], PY) == {"a.py", "b.py"}


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
    assert search.files(["$scope"], PY) == {"a.py"}
    assert search.files(["größe"], PY) >= {"b.py"}
    assert search.files(["order-list"], PY) == {"c.py"}
    assert search.files(["order"], PY) == {"c.py", "d.py"}
    assert search.files(["rx$"], PY) == {"f.py"}
    assert search.files(["a.b"], PY) == {"h.py"}


def test_a_longer_word_that_is_asked_for_too_hides_no_shorter_one(made: MadeRepository) -> None:
    search = searching(made, {"a.py": "order-listx", "b.py": "foo$barx foo", "c.py": "foobar foo"})
    assert search.files(["order", "order-list", "foo$bar", "foo", "foobar"], PY) == {"a.py", "b.py", "c.py"}
    assert search.by_word(["order", "order-list", "foo", "foobar"], PY) == {
        "order": {"a.py"},
        "order-list": frozenset(),
        "foo": {"b.py", "c.py"},
        "foobar": {"c.py"},
    }


def test_a_letter_outside_ascii_next_to_a_name_never_hides_it(made: MadeRepository) -> None:
    """No-break spaces and curly quotes are no letters, but their bytes look like those of letters."""
    search = searching(made, {"a.py": "\u00a0total\u2028(1)", "b.py": "\u201ctotal\u201d"})
    assert search.files(["total"], PY) == {"a.py", "b.py"}


def test_case_is_ignored_only_when_asked_for(made: MadeRepository) -> None:
    search = searching(made, {"a.py": "SendMail()", "b.py": "sendmail()", "c.py": "SENDMAIL2"})
    assert search.files(["sendMail"], PY) == frozenset()
    assert search.files(["sendMail"], PY, ignore_case=True) == {"a.py", "b.py"}
    assert search.files(["$sendMail", "sendMail"], PY, ignore_case=True) == {"a.py", "b.py"}


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
    assert search.files(["old_name"], PY) == {"e/f.py"}
    assert search.files(["new_name"], PY) == {"a.py"}
    assert search.files(["$x"], PY) == {"a.py"}
    assert search.files(["other"], PY, ignore_case=True) == {"e/f.py"}
    assert search.files(["new_name"]) == {"a.py", "d.js"}
    assert Search(snapshot).files(["old_name"], PY) == {"a.py", "b.py"}


def test_an_overlay_of_a_searched_commit_searches_only_what_differs(made: MadeRepository) -> None:
    snapshot = snapshot_of(made, made.commit({"a.py": "name", "b.py": "name", "new\nline.py": "name", "c.py": "c"}))
    after = Search(snapshot.with_overlay({"a.py": made.blob("other"), "new\nline.py": None}))
    assert after.files(["name"], PY) == {"b.py"}
    before = Search(snapshot.with_overlay({"b.py": None, "c.py": made.blob("name")}))
    assert before.files(["name"], PY) == {"a.py", "c.py", "new\nline.py"}
    assert (after.runs, before.runs) == (1, 0)
    assert before.files(["name", "other", "c"], PY) == {"a.py", "c.py", "new\nline.py"}
    assert before.runs == 1


def test_links_submodules_and_skipped_folders_are_not_searched(made: MadeRepository) -> None:
    commit = made.commit(
        {"a.py": "w", "node_modules/x/b.py": "w", "p/vendor/c.py": "w"}, links={"l.py": "w"}, submodules={"s": "2" * 40}
    )
    assert Search(snapshot_of(made, commit)).files(["w"]) == {"a.py"}


def test_file_names_of_any_bytes_come_back_as_they_are(made: MadeRepository) -> None:
    names: list[str | bytes] = ["a b.py", 'q"uo.py', "new\nline.py", "c:d.py", "ü.py", b"\xff.py", "tab\tx.py"]
    search = searching(made, dict.fromkeys(names, "needle") | {"x\nneedle.py": "hay", "plain.py": "needle"})
    found = search.files(["needle"], PY)
    assert found == {
        *(name.decode("utf-8", "surrogateescape") if isinstance(name, bytes) else name for name in names),
        "plain.py",
    }


def test_both_words_must_be_in_the_same_file(made: MadeRepository) -> None:
    search = searching(made, {"a.py": "Order\nsave", "b.py": "save", "c.py": "Order", "d.py": "Cart save"})
    assert search.files_with_all(["save"], ["Order", "Cart"], PY) == {"a.py", "d.py"}
    assert search.files_with_all(["save"], [], PY) == frozenset()


def test_what_was_searched_for_is_not_searched_for_again(made: MadeRepository) -> None:
    search = searching(made, {"a.py": "one", "b.py": "two"})
    search.prefetch(["one", "two", "three"], PY)
    assert search.runs == 1
    assert search.files(["one"], PY) == {"a.py"}
    assert search.files_with_all(["one"], ["two"], PY) == frozenset()
    assert search.runs == 1
    search.files(["four"], PY)
    assert search.runs == 2


def test_lines_are_counted_as_git_counts_them(made: MadeRepository) -> None:
    search = searching(made, {"a.py": "import x\r\nw\r\n\r\nw w\rw\nx.w\nww", "b.py": "none"})
    assert search.lines(["w", "import"], ["a.py", "b.py", "nowhere.py"]) == {"a.py": (1, 2, 4, 5)}
    assert search.lines(["W"], ["a.py"], ignore_case=True) == {"a.py": (2, 4, 5)}
    assert search.lines([], ["a.py"]) == {}


@pytest.mark.parametrize("word", ["", "two\nlines", "nul\0"])
def test_a_word_that_no_line_can_hold_is_refused(made: MadeRepository, word: str) -> None:
    with pytest.raises(ValueError, match="is not a word"):
        searching(made, {"a.py": "x"}).files([word], PY)


def test_a_second_search_and_a_tree_too_large_for_memory_find_the_same(
    made: MadeRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = made.commit({f"f{n}.py": f"word{n % 7} $x{n % 3} common\n" * n for n in range(30)})
    words = [f"word{n}" for n in range(8)] + ["$x0", "$x1", "x2", "common", "word"]
    small = Search(snapshot_of(made, commit))
    small.files(["first"], PY)
    second = {word: small.files([word], PY) for word in words}
    monkeypatch.setattr(search_module, "MEMORY_LIMIT", 10)
    large = Search(snapshot_of(made, commit))
    large.files(["first"], PY)
    assert {word: large.files([word], PY) for word in words} == second
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
        assert search.files(["name"], PY) == {"a.py"}
        assert search.files(["$name", "a"], PY) == frozenset()


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
    assert search.files(["GET"], PY, ignore_case=True) == {"a.py", "b.py"}
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
    assert search.files(["first", "third"], PY) == {"a.py"}
    assert search.files(["second", "$x"], PY) == frozenset()


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
    Search(in_memory).files(["first"], PY)
    many = in_memory.with_overlay({})
    assert Search(many).by_word([*words, *(f"w{n}" for n in range(50))], PY).items() >= expected.items()
    for snapshot in (plain, overlaid, in_memory):
        assert Search(snapshot).by_word(words, PY) == expected
        for word in words:  # asked for alone, it is found in the same files
            assert Search(snapshot).files([word], PY) == expected[word]
    whole = re.compile(r"[\w$]+")
    for word in words:  # and wherever it is a whole identifier of text that is UTF-8
        for name, content in files.items():
            assert isinstance(content, bytes)
            if word in whole.findall(content.decode("utf-8", "replace")):
                assert name in expected[word]

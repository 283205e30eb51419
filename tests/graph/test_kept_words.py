"""Words kept between runs: they may only ever save work, never change what is found."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph import word_store as word_store_module
from graph import words as words_module
from graph.git import Blobs, Git
from graph.index import index
from graph.listing import Listing
from graph.search import Search
from graph.snapshot import Snapshot
from graph.word_store import WordStore
from graph.words import KeptWords
from tests.graph.repositories import MadeRepository, snapshot_of

PY = (".py", ".pyi")


@pytest.fixture
def facts(tmp_path: Path) -> Path:
    return tmp_path / "facts"


def store_of(made: MadeRepository, facts: Path) -> WordStore:
    return WordStore(Git(made.path), facts)


def asked(snapshot: Snapshot, store: WordStore, *words: str) -> tuple[dict[str, set[str]], int]:
    """Word -> files, and how many times files had to be searched for it."""
    search = Search(snapshot, kept=store.get)
    return {word: set(paths) for word, paths in search.by_word(words, PY).items()}, search.runs


def is_behind(snapshot: Snapshot, store: WordStore) -> bool:
    afresh = Snapshot.of(snapshot.git, Blobs(snapshot.git), snapshot.commit)
    search = Search(afresh, kept=store.get)
    search.by_word(["anything"], PY)
    return search.is_behind


@given(
    texts=st.lists(
        st.lists(st.sampled_from(["a", "ab", "b1", "_", "é", " ", "\0", ".", "9"]), max_size=12), max_size=9
    ),
    short=st.sampled_from([3, 0x10000]),
)
def test_what_is_packed_comes_back(texts: list[list[str]], short: int) -> None:
    contents = {f"{number:040x}": "".join(text).encode() for number, text in enumerate(texts)}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(words_module, "_SHORT", short)
        kept = KeptWords.unpack(KeptWords.pack(contents.items()))
        assert kept is not None
        assert list(kept.blobs) == list(contents)
        for word in ("a", "ab", "b1", "_", "9", "aa", "", "zz", "0", "é"):
            assert [kept.blobs[number] for number in kept.holding(word)] == [
                blob for blob, text in contents.items() if word.encode() in re.findall(rb"[A-Za-z0-9_]+", text)
            ]


@given(noise=st.binary(max_size=60))
def test_bytes_that_are_no_words_are_read_as_some(noise: bytes) -> None:
    kept = KeptWords.unpack(noise)
    assert kept is None
    whole = KeptWords.pack([("0" * 40, b"a b c")])
    for end in range(len(whole)):
        assert KeptWords.unpack(whole[:end]) is None


def test_an_indexed_repository_is_searched_again(made: MadeRepository, facts: Path) -> None:
    commit = made.commit({"a.py": "name # other", "b.py": "'name'", "c.js": "name", "vendor/d.py": "name"})
    index(made.path, commit, facts_dir=facts)
    snapshot = snapshot_of(made, commit)
    for blob in snapshot.paths.values():  # whoever reads one now fails
        (made.path / "objects" / blob[:2] / blob[2:]).unlink()
    found, runs = asked(snapshot, store_of(made, facts), "name", "other", "nowhere")
    assert found == {"name": {"a.py", "b.py"}, "other": {"a.py"}, "nowhere": set()}
    assert runs == 0


def test_what_came_since_is_not_found(made: MadeRepository, facts: Path) -> None:
    files = {f"f{number}.py": f"same = {number}\n" * 20 for number in range(20)}
    index(made.path, made.commit({**files, "a.py": "old_name", "gone.py": "old_name"}), facts_dir=facts)
    later = snapshot_of(made, made.commit({"a.py": "new_name", "gone.py": None, "new.py": "new_name", "f3.py": "x"}))
    found, runs = asked(later, store_of(made, facts), "old_name", "new_name", "same")
    assert found == {"old_name": set(), "new_name": {"a.py", "new.py"}, "same": files.keys() - {"f3.py"}}
    assert runs == 0
    over = later.with_overlay({"a.py": made.blob("old_name"), "f1.py": None, "over.py": made.blob("$same")})
    found, runs = asked(over, store_of(made, facts), "old_name", "new_name", "same", "$same")
    assert found["old_name"] == {"a.py"}
    assert found["new_name"] == {"new.py"}
    assert found["same"] == files.keys() - {"f1.py", "f3.py"} | {"over.py"}
    assert found["$same"] == {"over.py"}
    assert runs == 0


def test_one_blob_under_two_names_is_found_under_one(made: MadeRepository, facts: Path) -> None:
    first = made.commit({"a.py": "name", "b.py": "name"})
    index(made.path, first, facts_dir=facts)
    later = snapshot_of(made, made.commit({"c.py": "name"}))
    assert asked(later, store_of(made, facts), "name") == ({"name": {"a.py", "b.py", "c.py"}}, 0)


def test_words_that_know_little_are_read_first(made: MadeRepository, facts: Path) -> None:
    index(made.path, made.commit({"a.py": "name"}), facts_dir=facts)
    later = snapshot_of(made, made.commit({f"f{number}.py": "name " * 50 for number in range(9)}))
    found, runs = asked(later, store_of(made, facts), "name")
    assert found == {"name": {"a.py", *(f"f{number}.py" for number in range(9))}}
    assert runs == 1


def test_words_are_kept_again_only_when_they_know_too_little(made: MadeRepository, facts: Path) -> None:
    files = {f"f{number}.py": "name " * 100 for number in range(50)}
    first = snapshot_of(made, made.commit({**files, "x.py": "other"}))
    store = store_of(made, facts)
    assert is_behind(first, store)
    store.keep(first)
    kept, sizes = sorted((facts / "words").iterdir())
    made_at = kept.stat().st_mtime_ns
    little = snapshot_of(made, made.commit({"x.py": "another"}))
    assert not is_behind(little, store)
    store.keep(little)
    assert kept.stat().st_mtime_ns == made_at
    much = snapshot_of(made, made.commit({f"f{number}.py": "changed " * 100 for number in range(9)}))
    assert is_behind(much, store)
    store.keep(much)
    assert sorted((facts / "words").iterdir()) == [kept, sizes]
    assert not is_behind(much, store)
    assert not is_behind(snapshot_of(made, made.commit({"README": "nothing that is searched"}, afresh=True)), store)


def test_repositories_take_each_others_words_away(made: MadeRepository, facts: Path, tmp_path: Path) -> None:
    other = MadeRepository(tmp_path / "other.git")
    mine, theirs = made.commit({"a.py": "mine"}), other.commit({"a.py": "theirs"})
    index(made.path, mine, facts_dir=facts)
    index(other.path, theirs, facts_dir=facts)
    assert asked(snapshot_of(made, mine), store_of(made, facts), "mine", "theirs") == (
        {"mine": {"a.py"}, "theirs": set()},
        0,
    )


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty", "folder"])
def test_damaged_words_cost_the_answer(made: MadeRepository, facts: Path, damage: str) -> None:
    commit = made.commit({"a.py": "name"})
    index(made.path, commit, facts_dir=facts)
    kept = min((facts / "words").iterdir())
    content = kept.read_bytes()
    kept.unlink()
    if damage == "folder":
        kept.mkdir()
    else:
        flipped = content[:-1] + bytes([content[-1] ^ 1])
        kept.write_bytes({"cut": content[:20], "flipped": flipped, "empty": b""}[damage])
    assert asked(snapshot_of(made, commit), store_of(made, facts), "name") == ({"name": {"a.py"}}, 1)
    store_of(made, facts).keep(snapshot_of(made, commit))


def test_a_place_that_cannot_be_written_costs_the_index(made: MadeRepository, facts: Path) -> None:
    facts.mkdir()
    (facts / "words").write_text("in the way")
    assert index(made.path, made.commit({"a.py": "name"}), facts_dir=facts).parsed == 1


def test_kept_words_fill_the_disk(made: MadeRepository, facts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot = snapshot_of(made, made.commit({"a.py": "name"}))
    (facts / "words").mkdir(parents=True)
    old = facts / "words" / "left-by-a-killed-process"
    old.write_bytes(b"x" * 1000)
    os.utime(old, (1, 1))
    monkeypatch.setattr(word_store_module, "MOST_KEPT", 900)
    store_of(made, facts).keep(snapshot)
    assert not old.exists()
    assert asked(snapshot, store_of(made, facts), "name") == ({"name": {"a.py"}}, 0)
    assert all(kept.stat().st_mode & 0o077 == 0 for kept in (facts / "words").iterdir())


def test_more_text_than_memory_holds_is_indexed(
    made: MadeRepository, facts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(words_module, "MOST_TEXT", 10)
    commit = made.commit({"a.py": "name " * 10})
    index(made.path, commit, facts_dir=facts)
    assert not is_behind(snapshot_of(made, commit), store_of(made, facts))
    assert asked(snapshot_of(made, commit), store_of(made, facts), "name") == ({"name": {"a.py"}}, 1)


CHANGES = [
    {"a.py": "another name"},
    {"a.py": None, "new.txt": "x" * 300, "A.py": "first", "ä.py": "last", b"\xff.py": "no text", "d/e.py": "x"},
    {"b.txt": None, "b.txt/c.py": "a folder now"},
    {"vendor/x.py": "skipped", "node_modules/y.js": "skipped"},
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_listing_that_was_kept_is_taken_for_that_of_another_commit(
    made: MadeRepository, facts: Path, change: Mapping[str | bytes, str | None]
) -> None:
    first = made.commit(
        {"a.py": "name", "b.txt": "some text", "d/f.py": "f"}, links={"l": "a.py"}, submodules={"s": "1" * 40}
    )
    index(made.path, first, facts_dir=facts)
    kept = store_of(made, facts).listing()
    assert kept is not None
    later = made.commit(change, links={"m": "a.py"})
    git = Git(made.path)
    plain, helped = Snapshot.of(git, Blobs(git), later), Snapshot.of(git, Blobs(git), later, kept)
    assert list(helped.paths.items()) == list(plain.paths.items())
    assert {path: helped.size(path) for path in helped.paths} == {path: plain.size(path) for path in plain.paths}
    assert (dict(helped.links), dict(helped.submodules)) == (dict(plain.links), dict(plain.submodules))
    assert (helped.skipped, helped.too_large) == (plain.skipped, plain.too_large)


def test_a_listing_whose_commit_is_gone_ends_the_briefing(made: MadeRepository, facts: Path) -> None:
    commit = made.commit({"a.py": "name"})
    for gone in ("1" * 40, "--help", ""):
        kept = Listing(gone, {"x.py": "100644 blob " + "2" * 40}, {})
        git = Git(made.path)
        assert list(Snapshot.of(git, Blobs(git), commit, kept).paths) == ["a.py"]
    index(made.path, commit, facts_dir=facts)
    next(file for file in (facts / "words").iterdir() if file.name.endswith("tree")).write_bytes(b"x" * 99)
    assert store_of(made, facts).listing() is None


def test_a_blob_that_a_partial_clone_lacks_is_asked_for(made: MadeRepository, facts: Path) -> None:
    index(made.path, made.commit({"a.py": "name"}), facts_dir=facts)
    later = made.commit({"b.py": "lacking"})
    git = Git(made.path)
    lacking = Snapshot.of(git, Blobs(git), later).paths["b.py"]
    (made.path / "objects" / lacking[:2] / lacking[2:]).unlink()
    helped = Snapshot.of(git, Blobs(git), later, store_of(made, facts).listing())
    assert helped.too_large == {"b.py"}
    assert helped.read("b.py") == b""

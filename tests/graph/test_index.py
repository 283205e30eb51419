"""Facts on demand and all at once: what is read, what isn't and why, and that a cache changes nothing."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from graph import index as index_module
from graph import snapshot as snapshot_module
from graph.briefing import NotChecked
from graph.facts import FileFacts
from graph.facts_cache import FactsCache, facts_key
from graph.git import GitError
from graph.index import FactsReader, SyntaxStore, index, why_unreadable
from graph.languages import language_of
from graph.languages.base import Language
from tests.graph.repositories import MadeRepository, snapshot_of
from tests.graph.sources import syntax

SQUEEZED = "it looks minified: its statements stand together without blanks"
LONG_LINE = "it has a line of more than 200 kB: it looks minified or generated"
MINIFIED = "var a=1;" * 30_000


@pytest.fixture
def facts_dir(tmp_path: Path) -> Path:
    return tmp_path / "facts"


def names(facts: FileFacts) -> list[str]:
    return [definition.name for definition in facts.definitions]


def test_facts_of_the_files_that_a_language_reads(made: MadeRepository) -> None:
    files = {"a.py": "def f(): ...\n", "b.ts": "export function g() {}\n", "c.rb": "def h; end\n", "d.py": ""}
    snapshot = snapshot_of(made, made.commit(files))
    reader = FactsReader()
    facts = reader.facts(snapshot, [*files, "nowhere.py"])
    assert {path: names(one) for path, one in facts.items()} == {"a.py": ["f"], "b.ts": ["g"], "d.py": []}
    assert reader.parsed == 3
    assert reader.why_not(snapshot, "c.rb") == "no language that is read"
    assert reader.why_not(snapshot, "a.py") is None
    assert reader.why_not(snapshot, "nowhere.py") is None


def test_what_was_read_once_comes_from_the_cache_the_next_time(made: MadeRepository, facts_dir: Path) -> None:
    snapshot = snapshot_of(made, made.commit({"a.py": "def f(): ...\n", "b.py": "def g(): ...\n"}))
    first = FactsReader(FactsCache(facts_dir))
    cold = first.facts(snapshot, ["a.py", "b.py"])
    first.close()
    second = FactsReader(FactsCache(facts_dir))
    assert second.facts(snapshot, ["a.py", "b.py"]) == cold
    assert (first.parsed, first.from_cache, second.parsed, second.from_cache) == (2, 0, 0, 2)
    second.close()


def test_the_same_bytes_in_two_files_are_parsed_once(made: MadeRepository, facts_dir: Path) -> None:
    snapshot = snapshot_of(made, made.commit({"a.py": "def f(): ...\n", "b/c.py": "def f(): ...\n"}))
    reader = FactsReader(FactsCache(facts_dir))
    facts = reader.facts(snapshot, ["a.py", "b/c.py"])
    assert facts["a.py"] == facts["b/c.py"]
    assert reader.parsed == 1
    reader.close()


def test_the_same_bytes_mean_something_else_in_another_language(made: MadeRepository, facts_dir: Path) -> None:
    text = "export function f() { return <T>(x: T) => x }\n"
    snapshot = snapshot_of(made, made.commit({"a.ts": text, "a.js": text}))
    reader = FactsReader(FactsCache(facts_dir))
    facts = reader.facts(snapshot, ["a.ts", "a.js"])
    assert (facts["a.ts"].language, facts["a.js"].language) == ("typescript", "javascript")
    reader.close()


def test_syntax_is_kept_and_made_again_when_it_was_let_go(made: MadeRepository, facts_dir: Path) -> None:
    snapshot = snapshot_of(made, made.commit({"a.py": "def f(): ...\n"}))
    reader = FactsReader(FactsCache(facts_dir))
    one = reader.syntax(snapshot, "a.py")
    assert one is not None
    assert reader.syntax(snapshot, "a.py") is one
    reader.close()
    warm = FactsReader(FactsCache(facts_dir))
    other = warm.syntax(snapshot, "a.py")
    assert other is not None
    assert other.facts == one.facts
    assert other.source == one.source
    assert (warm.parsed, warm.from_cache) == (0, 1)
    assert warm.syntax(snapshot, "nowhere.py") is None
    warm.close()


def test_the_syntax_store_keeps_what_was_used_last_within_its_budget() -> None:
    store = SyntaxStore(budget=30)
    parsed = [syntax("a.py", f"{'x' * 9}{number}\n") for number in range(4)]
    for number in range(3):
        store.keep((str(number), "python"), parsed[number])
    assert store.get(("0", "python")) is None
    assert store.get(("1", "python")) is parsed[1]
    store.keep(("3", "python"), parsed[3])
    assert store.get(("2", "python")) is None
    assert store.get(("1", "python")) is parsed[1]


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (b"", None),
        (b"x = 1\n" * 100_000, None),
        (b"\xef\xbb\xbfx = 1\n", None),
        (b"caf\xe9 = 1\n\0", None),
        (b"\xff\xfex\0", "it is encoded in UTF-16"),
        (b"\xfe\xff\0x", "it is encoded in UTF-16"),
        (b"x" * 20_001, "its lines are too long: it looks minified or generated"),
        (b"x\n" * 200_000 + b"y" * 200_000, None),
        (b"x\n" * 200_000 + b"y" * 200_001, LONG_LINE),
        (b"y" * 200_001 + b"\nx" * 200_000, LONG_LINE),
        (b"x\n" * 77_777 + b"y" * 200_001 + b"\nx" * 99_999, LONG_LINE),
        ((b"function a(b){if(b){c(b);d(b)}return b}e=1;" * 60 + b"\n") * 20, SQUEEZED),
        (b"/*\n * (c) somebody\n */\n" + b"var a=b(1);c(a);if(a){d()}" * 80, SQUEEZED),
        (b"a(1);b(2);" * 90, None),
        ((b"function a(b) { if (b) { c(b); d(b); } return b; } e = 1; " * 60 + b"\n") * 20, None),
        (b"export const path = '" + b"M1,2l3.5,4Zm1-2," * 400 + b"';\n", None),
        (b"words = ['" + b"','".join([b"one", b"two"] * 800) + b"']\n", None),
        (b"export {" + b",".join(b"name%d" % n for n in range(900)) + b"} from './all';\n", None),
        (b"if (a) { b(); }\n" * 3000, None),
    ],
)  # fmt: skip
def test_why_a_file_is_not_read(source: bytes, reason: str | None) -> None:
    language = language_of("a.js")
    assert language is not None
    assert why_unreadable(source, language) == reason


def test_a_file_that_is_not_read_stops_no_other_file(
    made: MadeRepository, facts_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot_module, "SIZE_LIMIT", 300_000)
    monkeypatch.setattr(index_module, "SIZE_LIMIT", 300_000)
    files: dict[str | bytes, str | bytes | None] = {
        "a.py": "def f(): ...\n",
        "min.js": MINIFIED,
        "utf16.py": "def g(): ...\n".encode("utf-16"),
        "big.py": "x = 1\n" * 60_000,
        "deep.js": "[" * 100_000 + "]" * 100_000 + "\n" * 20,
        "nul.py": "def n(): return '\0'\n",
        "bad.py": b"def \xff\xfe(): ...\ndef good(): ...\n",
        "z.py": "def h(): ...\n",
    }
    commit = made.commit(files)
    snapshot = snapshot_of(made, commit)
    reader = FactsReader()
    facts = reader.facts(snapshot, snapshot.paths)
    assert names(facts["a.py"]) == ["f"]
    assert names(facts["z.py"]) == ["h"]
    assert names(facts["nul.py"]) == ["n"]
    assert "good" in names(facts["bad.py"])
    reasons = {path: reader.why_not(snapshot, path) for path in snapshot.paths if path not in facts}
    assert reasons == {
        "min.js": "its lines are too long: it looks minified or generated",
        "utf16.py": "it is encoded in UTF-16",
        "big.py": "it is larger than 0 MiB (0.3 MiB)",
    }
    assert index(made.path, commit, facts_dir=facts_dir).not_read == tuple(
        NotChecked(path=path, why=why) for path, why in sorted(reasons.items()) if why
    )


def test_a_byte_order_mark_hides_nothing_on_the_first_line(made: MadeRepository) -> None:
    snapshot = snapshot_of(
        made, made.commit({"a.py": b"\xef\xbb\xbffrom b import c\n", "a.ts": b"\xef\xbb\xbfimport { d } from './e'\n"})
    )
    facts = FactsReader().facts(snapshot, ["a.py", "a.ts"])
    for path, name in (("a.py", "c"), ("a.ts", "d")):
        assert [(one.name, one.line) for one in facts[path].imports] == [(name, 1)]
        assert facts[path].degraded == 0


def test_a_language_that_fails_on_one_file_loses_only_that_file(
    made: MadeRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = language_of("a.py")
    assert python is not None

    def extract(source: bytes, tree: object) -> FileFacts:
        if b"evil" in source:
            raise RecursionError
        return FileFacts(language="python")

    failing = SimpleNamespace(
        name="python", grammar="python", version="0", needs_lines=True, parse=python.parse, extract=extract
    )
    monkeypatch.setattr(index_module, "language_of", lambda path: failing)
    snapshot = snapshot_of(made, made.commit({"a.py": "x", "b.py": "evil", "c.py": "y"}))
    reader = FactsReader()
    assert set(reader.facts(snapshot, snapshot.paths)) == {"a.py", "c.py"}
    assert reader.why_not(snapshot, "b.py") == "its syntax could not be read (RecursionError)"
    assert reader.syntax(snapshot, "b.py") is None


# -- the whole tree --------------------------------------------------------------------------------------------------


@pytest.fixture
def many(made: MadeRepository) -> Iterator[tuple[MadeRepository, str]]:
    files: dict[str | bytes, str | bytes | None] = {f"p/{n}.py": f"def f{n}(): ...\n" for n in range(450)}
    files |= {f"w/{n}.ts": f"export const c{n} = {n}\n" for n in range(30)}
    files |= {"README.md": "text", "p/0copy.py": "def f0(): ...\n", "weird \n\xff.py": "x = 1\n"}
    yield made, made.commit(files)


@pytest.mark.parametrize(("jobs", "threads"), [(1, 1), (2, 1), (2, 2)])
def test_the_index_is_what_reading_every_file_gives(
    many: tuple[MadeRepository, str], facts_dir: Path, monkeypatch: pytest.MonkeyPatch, jobs: int, threads: int
) -> None:
    monkeypatch.setattr(threading, "active_count", lambda: threads)  # with another thread, processes don't fork
    made, commit = many
    heard: list[tuple[int, int]] = []
    figures = index(made.path, commit[:10], jobs=jobs, facts_dir=facts_dir, progress=lambda *at: heard.append(at))
    assert figures.files == 482
    assert figures.languages == {"python": 452, "typescript": 30}
    assert figures.not_read == ()
    assert figures.cache_problem is None
    assert figures.parsed + figures.from_cache == 482
    assert figures.parsed >= 480
    assert heard[0] == (0, 482)
    assert heard[-1] == (482, 482)
    assert heard == sorted(heard)
    snapshot = snapshot_of(made, commit)
    with FactsCache(facts_dir) as cache:
        warm, cold = FactsReader(cache), FactsReader()
        assert warm.facts(snapshot, snapshot.paths) == cold.facts(snapshot, snapshot.paths)
        assert warm.parsed == 0
    again = index(made.path, commit, jobs=jobs, facts_dir=facts_dir)
    assert (again.parsed, again.from_cache, again.source_bytes) == (0, 482, 0)


def test_an_index_of_an_unknown_revision_or_an_empty_tree(made: MadeRepository, facts_dir: Path) -> None:
    made.commit({"a.rb": "x"})
    with pytest.raises(GitError, match="No commit 'nowhere'"):
        index(made.path, "nowhere", facts_dir=facts_dir)
    assert index(made.path, "main", jobs=4, facts_dir=facts_dir).files == 0


def test_an_index_without_a_usable_cache_says_so(many: tuple[MadeRepository, str], tmp_path: Path) -> None:
    made, commit = many
    (tmp_path / "file").write_text("")
    figures = index(made.path, commit, facts_dir=tmp_path / "file" / "facts")
    assert figures.parsed >= 480
    assert figures.cache_problem is not None
    assert index(made.path, commit).cache_problem is None


def test_a_spoiled_entry_is_made_again(made: MadeRepository, facts_dir: Path) -> None:
    commit = made.commit({"a.py": "def f(): ...\n"})
    index(made.path, commit, facts_dir=facts_dir)
    python = language_of("a.py")
    assert python is not None
    snapshot = snapshot_of(made, commit)
    cache = FactsCache(facts_dir)
    assert cache.known([facts_key(snapshot.paths["a.py"], python)])
    cache._opened.set(facts_key(snapshot.paths["a.py"], python), b"spoiled")
    cache.close()
    assert index(made.path, commit, facts_dir=facts_dir).parsed == 1
    assert index(made.path, commit, facts_dir=facts_dir).from_cache == 1


def test_a_file_that_kills_its_process_is_the_only_one_lost(
    made: MadeRepository, facts_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import multiprocessing
    import os

    monkeypatch.setattr(index_module, "_CHUNK_FILES", 3)
    monkeypatch.setattr(multiprocessing, "get_context", lambda _: multiprocessing.context.ForkContext())
    honest = index_module.read_source

    def read(source: bytes, language: Language) -> object:
        if b"killer" in source:
            os._exit(9)
        return honest(source, language)

    monkeypatch.setattr(index_module, "read_source", read)
    commit = made.commit({f"f{n}.py": f"def f{n}(): ...\n" for n in range(14)} | {"f7.py": "killer = 1\n"})
    figures = index(made.path, commit, jobs=2, facts_dir=facts_dir)
    assert [(one.path, one.why) for one in figures.not_read] == [
        ("f7.py", "its parser was ended by the system (out of memory or crashed)")
    ]
    assert figures.parsed + figures.from_cache == 13

"""The facts cache: what it may never do (run what it reads) and what must never be an error (whatever it reads)."""

from __future__ import annotations

import multiprocessing
import pickle
import sqlite3
import stat
import zlib
from pathlib import Path

import diskcache  # type: ignore[import-untyped]
import msgspec
import pytest

from graph.facts import Definition, Export, FileFacts, Import, Parameter
from graph.facts_cache import FactsCache, facts_key, packed
from graph.languages import language_of

FACTS = FileFacts(
    language="python",
    definitions=(
        Definition("f", "A.f", "method", 1, 9, 5, 1, 1, 2, parameters=(Parameter("a", "rest", True, "int"),)),
    ),
    imports=(Import("os.path", None, "p", 3, 1),),
    exports=(Export("default", None, 7),),
    names=frozenset({"f", "größe", "\ufffd"}),
    local_names=frozenset({"a", "b"}),
    all_names=("f",),
)


def checked(content: bytes) -> bytes:
    return zlib.crc32(content).to_bytes(4, "little") + content


class Bomb:
    """Unpickled, it leaves a trace."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return Path.write_text, (self.trace, "unpickled")


def row(cache: FactsCache, key: str) -> None:
    """Store the facts under the key and close the files, so that the test can spoil them."""
    cache.put_many({key: FACTS})
    cache.close()


def test_facts_come_back_as_they_were(tmp_path: Path) -> None:
    with FactsCache(tmp_path / "facts") as cache:
        cache.put_many({f"k{number}": FACTS for number in range(700)})
        assert cache.get_many(["k0", "k699", "k700"]) == {"k0": FACTS, "k699": FACTS}
        assert cache.known(["k1", "nowhere"]) == {"k1"}
    with FactsCache(tmp_path / "facts") as cache:
        assert cache.get_many(["k3"]) == {"k3": FACTS}
        assert cache.failed is None


def test_only_its_owner_can_read_the_directory(tmp_path: Path) -> None:
    directory = tmp_path / "facts"
    directory.mkdir(mode=0o777)
    directory.chmod(0o777)
    with FactsCache(directory) as cache:
        cache.put_many({"k": FACTS})
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    with FactsCache(tmp_path / "new" / "facts") as cache:
        cache.put_many({"k": FACTS})
    assert stat.S_IMODE((tmp_path / "new" / "facts").stat().st_mode) == 0o700


@pytest.mark.parametrize("as_key", [False, True])
def test_a_pickle_in_the_cache_is_never_unpickled(tmp_path: Path, as_key: bool) -> None:
    trace = tmp_path / "trace"
    row(FactsCache(tmp_path / "facts"), "k")
    bomb = sqlite3.Binary(pickle.dumps(Bomb(trace)))
    with sqlite3.connect(tmp_path / "facts" / "cache.db") as database:
        if as_key:
            database.execute("UPDATE Cache SET key = ?, raw = 0", (bomb,))
        else:
            database.execute("UPDATE Cache SET mode = 4, value = ?", (bomb,))
    database.close()
    with FactsCache(tmp_path / "facts") as cache:
        assert cache.get_many(["k"]) == {}
        assert cache.known(["k"]) == set()
        assert cache.failed is None
        cache.put_many({"k": FACTS})
        assert cache.get_many(["k"]) == {"k": FACTS}
    assert not trace.exists()


def test_values_in_files_outside_the_database_are_not_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(packed(FACTS))
    row(FactsCache(tmp_path / "facts"), "k")
    with sqlite3.connect(tmp_path / "facts" / "cache.db") as database:
        database.execute("UPDATE Cache SET mode = 2, filename = '../secret', value = NULL")
    database.close()
    with FactsCache(tmp_path / "facts") as cache:
        assert cache.get_many(["k"]) == {}


@pytest.mark.parametrize(
    "value",
    [
        b"",
        b"junk",
        checked(b""),
        checked(b"junk"),
        checked(msgspec.msgpack.encode(["python", [["f"]]])),
        checked(msgspec.msgpack.encode({"language": 1})),
        packed(FACTS)[:-3],
        packed(FACTS) + b"more",
        packed(FACTS).replace(b"os.path", b"os.qath"),
        b"\0" * (100 * 1024 * 1024),
        "text",
        5,
    ],
    ids=[
        *("empty", "junk", "nothing", "checked junk", "short facts", "other facts", "cut", "longer", "flipped bit"),
        *("huge", "text", "number"),
    ],
)
def test_an_entry_that_cannot_be_read_is_a_miss(tmp_path: Path, value: object) -> None:
    row(FactsCache(tmp_path / "facts"), "k")
    with sqlite3.connect(tmp_path / "facts" / "cache.db") as database:
        database.execute("UPDATE Cache SET value = ?", (value,))
    database.close()
    with FactsCache(tmp_path / "facts") as cache:
        assert cache.get_many(["k"]) == {}
        cache.put_many({"k": FACTS})
        assert cache.get_many(["k"]) == {"k": FACTS}


@pytest.mark.parametrize("content", [b"this is no database" * 1000, b"", b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_database_is_replaced(tmp_path: Path, content: bytes) -> None:
    row(FactsCache(tmp_path / "facts"), "k")
    (tmp_path / "facts" / "cache.db").write_bytes(content)
    with FactsCache(tmp_path / "facts") as cache:
        assert cache.get_many(["k"]) == {}
        cache.put_many({"k": FACTS})
        assert cache.get_many(["k"]) == {"k": FACTS}


def test_damage_in_the_middle_of_the_database_is_a_miss_and_heals(tmp_path: Path) -> None:
    cache = FactsCache(tmp_path / "facts")
    cache.put_many({f"k{number}": FACTS for number in range(2000)})
    cache.close()
    path = tmp_path / "facts" / "cache.db"
    content = bytearray(path.read_bytes())
    content[3 * 4096 :] = b"\xaa" * (len(content) - 3 * 4096)
    path.write_bytes(content)
    with FactsCache(tmp_path / "facts") as damaged:
        damaged.get_many(f"k{number}" for number in range(2000))
        damaged.put_many({"k": FACTS})
    with FactsCache(tmp_path / "facts") as cache:
        cache.put_many({"k": FACTS})
        assert cache.get_many(["k"]) == {"k": FACTS}


def test_a_directory_that_cannot_be_used_costs_the_cache_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with FactsCache(tmp_path / "file" / "facts") as cache:
        cache.put_many({"k": FACTS})
        assert cache.get_many(["k"]) == {}
        assert cache.failed is not None
        assert "cannot be used" in cache.failed


def test_the_cache_stays_within_its_limit(tmp_path: Path) -> None:
    limit = 4 * 1024 * 1024
    with FactsCache(tmp_path / "facts", limit) as cache:
        for batch in range(12):
            names = frozenset(f"name{batch}_{number}_{number * 7919 % 10007}" for number in range(4000))
            cache.put_many({f"{batch}-{number}": msgspec.structs.replace(FACTS, names=names) for number in range(40)})
        assert cache.get_many(["11-39"])
        assert cache.get_many(["0-0"]) == {}
    assert sum(file.stat().st_size for file in (tmp_path / "facts").iterdir()) < 2 * limit


def _fill(directory: Path, start: int) -> None:
    with FactsCache(directory) as cache:
        for number in range(start, start + 300, 50):
            cache.put_many({f"k{n}": FACTS for n in range(number, number + 50)})
            assert cache.failed is None, cache.failed


def test_several_processes_write_at_once_and_lose_nothing(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    processes = [spawn.Process(target=_fill, args=(tmp_path / "facts", start)) for start in (0, 200, 400)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0, 0]
    with FactsCache(tmp_path / "facts") as cache:
        assert len(cache.known(f"k{n}" for n in range(700))) == 700


def test_the_key_tells_grammars_versions_and_blobs_apart() -> None:
    ts, tsx = language_of("a.ts"), language_of("a.tsx")
    assert ts is not None
    assert tsx is not None
    keys = {facts_key(blob, language) for blob in ("1" * 40, "2" * 40) for language in (ts, tsx)}
    assert len(keys) == 4
    assert all(ts.version in facts_key("1" * 40, ts) for _ in keys)


def test_the_store_itself_refuses_what_is_neither_text_nor_bytes(tmp_path: Path) -> None:
    cache = FactsCache(tmp_path / "facts")
    cache.put_many({"k": FACTS})
    store = cache._opened
    assert isinstance(store, diskcache.Cache)
    with pytest.raises(TypeError):
        store.set("k", {"pickle": "me"})
    with pytest.raises(TypeError):
        store.set(("a", "key"), b"bytes")
    with pytest.raises(TypeError):
        store.get(("a", "key"))
    cache.close()

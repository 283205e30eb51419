"""The byte budget: the least recently used clone goes, one in use stays."""

from __future__ import annotations

import os
from pathlib import Path

from graph.git import Blobs, Git
from graph.snapshot import Snapshot
from graph.word_store import WordStore
from tests.worker.conftest import TOKEN
from tests.worker.git_server import GitServer
from tests.worker.upstream import SamplePull, Upstream
from worker.clones import Clone, clone_at, fetch_commits
from worker.disk import Budget, facts_dir, make_room, note_size, note_use, size_of
from worker.git import GitRunner
from worker.leases import lease_worktree
from worker.settings import Secret


def three_clones(cache: Path, url: str, head: str, runner: GitRunner) -> list[Clone]:
    clones = [clone_at(cache, "github.com", number, url) for number in (1, 2, 3)]
    for age, clone in enumerate(clones):
        fetch_commits(runner, clone, [head], Secret(TOKEN))
        note_use(clone)
        os.utime(clone.directory / "used", (1000 + age, 1000 + age))
        note_size(clone)
    return clones


def test_the_least_recently_used_clone_goes_and_a_leased_one_stays(
    upstream: Upstream, server: GitServer, runner: GitRunner, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    pull = SamplePull(upstream)
    clones = three_clones(cache, f"{server.url}/acme/shop.git", pull.head, runner)
    budget = Budget(most_bytes=int(size_of(clones[0]) * 1.5), free_bytes=0)
    with lease_worktree(runner, clones[0], pull.head):
        assert make_room(cache, budget, keep=clones[2]) == 1
        assert [clone.git_dir.exists() for clone in clones] == [True, False, True]
    # The lease is over, and its clone is the older one.
    assert make_room(cache, budget) == 1
    assert [clone.git_dir.exists() for clone in clones] == [False, False, True]
    # What was evicted can be had again.
    assert fetch_commits(runner, clones[0], [pull.head], Secret(TOKEN))


def test_the_words_of_an_evicted_clone_stay(
    upstream: Upstream, server: GitServer, runner: GitRunner, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    pull = SamplePull(upstream)
    clones = three_clones(cache, f"{server.url}/acme/shop.git", pull.head, runner)
    kept: list[set[Path]] = []
    for clone in clones:
        with lease_worktree(runner, clone, pull.head) as lease:
            git = Git(lease.path)
            with Blobs(git) as blobs:
                WordStore(git, facts_dir(cache)).keep(Snapshot.of(git, blobs, pull.head))
        kept.append(set((facts_dir(cache) / "words").iterdir()) - set().union(*kept))
        assert kept[-1]
    assert make_room(cache, Budget(10**12, free_bytes=10**18), keep=clones[1]) == 2
    assert set((facts_dir(cache) / "words").iterdir()) == kept[1]


def test_nothing_goes_while_there_is_room(
    upstream: Upstream, server: GitServer, runner: GitRunner, tmp_path: Path
) -> None:
    clones = three_clones(tmp_path / "cache", f"{server.url}/acme/shop.git", SamplePull(upstream).head, runner)
    assert make_room(tmp_path / "cache", Budget(10**12, 0)) == 0
    assert make_room(tmp_path / "cache", Budget(10**12, 0), at_least_one=True) == 1
    assert [clone.git_dir.exists() for clone in clones] == [False, True, True]


def test_too_little_free_space_evicts_too(
    upstream: Upstream, server: GitServer, runner: GitRunner, tmp_path: Path
) -> None:
    clones = three_clones(tmp_path / "cache", f"{server.url}/acme/shop.git", SamplePull(upstream).head, runner)
    assert make_room(tmp_path / "cache", Budget(10**12, free_bytes=10**18), keep=clones[1]) == 2
    assert [clone.git_dir.exists() for clone in clones] == [False, True, False]


def test_facts_cost_nothing_in_the_budget(
    upstream: Upstream, server: GitServer, runner: GitRunner, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    clones = three_clones(cache, f"{server.url}/acme/shop.git", SamplePull(upstream).head, runner)
    facts_dir(cache).mkdir()
    (facts_dir(cache) / "cache.db").write_bytes(os.urandom(200_000))
    room = sum(size_of(clone) for clone in clones)
    assert make_room(cache, Budget(room + 500_000, 0)) == 0
    assert make_room(cache, Budget(room + 100_000, 0)) == 1 or not facts_dir(cache).exists()


def test_facts_larger_than_half_of_a_small_budget_cost_every_clone(
    upstream: Upstream, server: GitServer, runner: GitRunner, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    clones = three_clones(cache, f"{server.url}/acme/shop.git", SamplePull(upstream).head, runner)
    room = sum(size_of(clone) for clone in clones)
    facts_dir(cache).mkdir()
    (facts_dir(cache) / "cache.db").write_bytes(os.urandom(room * 2))
    assert make_room(cache, Budget(room * 2, 0)) == 0
    assert not facts_dir(cache).exists()
    assert all(clone.git_dir.exists() for clone in clones)


def test_a_full_disk_with_nothing_but_facts_stays_full(tmp_path: Path) -> None:
    facts_dir(tmp_path).mkdir()
    (facts_dir(tmp_path) / "cache.db").write_bytes(b"x" * 10_000)
    assert make_room(tmp_path, Budget(10**12, 0), at_least_one=True) == 1
    assert not facts_dir(tmp_path).exists()
    assert make_room(tmp_path, Budget(10**12, 0), at_least_one=True) == 0

"""The shared clone: what is fetched, and what a killed git, a hostile repository or a damaged disk does to it."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.worker.conftest import TOKEN
from tests.worker.git_server import GitServer
from tests.worker.upstream import SamplePull, Upstream
from worker.clones import (
    KEPT_COMMITS,
    REF_PREFIX,
    Clone,
    clone_at,
    fetch_commits,
    is_complete,
    is_sha,
    parents_of,
    remote_refs,
)
from worker.git import GitError, GitRunner
from worker.settings import Secret

token = Secret(TOKEN)


def commits_in(clone: Clone) -> set[str]:
    listed = subprocess.run(
        ["git", "cat-file", "--batch-all-objects", "--batch-check"],
        cwd=clone.git_dir,
        capture_output=True,
        text=True,
        check=True,
    )
    return {line.split()[0] for line in listed.stdout.splitlines() if line.split()[1] == "commit"}


def test_only_the_commits_asked_for_are_fetched(upstream: Upstream, clone: Clone, runner: GitRunner) -> None:
    pull = SamplePull(upstream)
    assert fetch_commits(runner, clone, [pull.merge, pull.head, pull.branched], token)
    assert commits_in(clone) == {pull.merge, pull.head, pull.branched}
    assert parents_of(runner, clone, pull.merge) == (pull.tip, pull.head)
    assert is_complete(runner, clone, [pull.merge, pull.head, pull.branched])


def test_nothing_is_fetched_when_all_is_there(
    upstream: Upstream, clone: Clone, server: GitServer, runner: GitRunner
) -> None:
    pull = SamplePull(upstream)
    fetch_commits(runner, clone, [pull.head, pull.branched], token)
    before = len(server.requests)
    assert not fetch_commits(runner, clone, [pull.branched, pull.head], token)
    assert len(server.requests) == before


def test_the_remote_is_asked_for_exact_names_only(upstream: Upstream, clone: Clone, runner: GitRunner) -> None:
    pull = SamplePull(upstream)
    upstream.point("refs/heads/refs/pull/1/head", pull.tip)  # a branch that ends like what is asked for
    names = ["refs/pull/1/head", "refs/pull/1/merge", "refs/pull/2/head"]
    assert remote_refs(runner, clone, names, token) == {"refs/pull/1/head": pull.head, "refs/pull/1/merge": pull.merge}


def test_an_empty_repository_has_no_refs(upstream: Upstream, clone: Clone, runner: GitRunner) -> None:
    assert remote_refs(runner, clone, ["refs/pull/1/head"], token) == {}


def test_a_repository_that_is_gone_says_so(clone: Clone, runner: GitRunner, tmp_path: Path) -> None:
    gone = Clone(clone.directory, clone.url.replace("shop", "gone"))
    with pytest.raises(GitError) as failed:
        remote_refs(runner, gone, ["refs/pull/1/head"], token)
    assert failed.value.problem == "gone"


def test_a_wrong_token_says_so(upstream: Upstream, clone: Clone, runner: GitRunner) -> None:
    with pytest.raises(GitError) as failed:
        remote_refs(runner, clone, ["refs/pull/1/head"], Secret("ghs_wrong"))
    assert failed.value.problem == "refused"


def test_a_commit_that_is_gone_says_so_and_leaves_the_clone_usable(
    upstream: Upstream, clone: Clone, runner: GitRunner
) -> None:
    pull = SamplePull(upstream)
    with pytest.raises(GitError) as failed:
        fetch_commits(runner, clone, ["1" * 40], token)
    assert failed.value.problem == "missing"
    assert fetch_commits(runner, clone, [pull.head], token)


@pytest.mark.parametrize("text", ["HEAD", "--upload-pack=touch /tmp/x", "a" * 39, "A" * 40, "a" * 40 + "\n", "", None])
def test_what_is_no_full_sha_never_reaches_git(text: object, clone: Clone, runner: GitRunner) -> None:
    assert not is_sha(text)
    with pytest.raises(GitError):
        fetch_commits(runner, clone, [text], token)  # type: ignore[list-item]
    assert not clone.git_dir.exists()


def test_the_leftovers_of_a_killed_git_do_not_stop_the_next_fetch(
    upstream: Upstream, clone: Clone, runner: GitRunner
) -> None:
    pull = SamplePull(upstream)
    fetch_commits(runner, clone, [pull.head], token)
    leftovers = [
        clone.git_dir / "shallow.lock",
        clone.git_dir / "packed-refs.lock",
        clone.git_dir / "config.lock",
        clone.git_dir / REF_PREFIX / f"{pull.merge}.lock",
        clone.git_dir / "objects" / "pack" / "tmp_pack_Abc123",
    ]
    for leftover in leftovers:
        leftover.write_bytes(b"half")
    assert fetch_commits(runner, clone, [pull.merge], token)
    assert not any(leftover.exists() for leftover in leftovers)


@pytest.mark.parametrize("damage", ["no HEAD", "empty packs", "no objects", "bad config", "bad shallow"])
def test_a_damaged_clone_is_made_again(damage: str, upstream: Upstream, clone: Clone, runner: GitRunner) -> None:
    pull = SamplePull(upstream)
    fetch_commits(runner, clone, [pull.head, pull.branched], token)
    if damage == "no HEAD":
        (clone.git_dir / "HEAD").unlink()
    elif damage == "empty packs":
        for pack in (clone.git_dir / "objects" / "pack").iterdir():
            pack.chmod(0o600)
            pack.write_bytes(b"")
    elif damage == "no objects":
        for pack in (clone.git_dir / "objects" / "pack").iterdir():
            pack.unlink()
    elif damage == "bad config":
        (clone.git_dir / "config").write_bytes(b"[core\n\x00")
    else:
        (clone.git_dir / "shallow").write_bytes(b"nonsense\n")
    fetch_commits(runner, clone, [pull.merge, pull.head, pull.branched], token)
    assert is_complete(runner, clone, [pull.merge, pull.head, pull.branched])


def test_a_file_missing_from_the_clone_is_noticed(upstream: Upstream, clone: Clone, runner: GitRunner) -> None:
    pull = SamplePull(upstream)
    fetch_commits(runner, clone, [pull.head], token)
    for pack in (clone.git_dir / "objects" / "pack").glob("*.pack"):
        subprocess.run(
            ["git", "unpack-objects", "-q"],
            cwd=_move_away(pack),
            stdin=pack.with_suffix(".aside").open("rb"),
            check=True,
        )
    blob = upstream.git("rev-parse", f"{pull.head}:app.py")
    loose = clone.git_dir / "objects" / blob[:2] / blob[2:]
    loose.chmod(0o600)
    loose.unlink()
    assert not is_complete(runner, clone, [pull.head])


def _move_away(pack: Path) -> Path:
    pack.rename(pack.with_suffix(".aside"))
    pack.with_suffix(".idx").unlink()
    return pack.parent.parent.parent


def test_jobs_that_fetch_at_the_same_time_do_not_break_each_other(
    upstream: Upstream, clone: Clone, runner: GitRunner
) -> None:
    pull = SamplePull(upstream)
    heads = [pull.push(f"def f(x):\n    return {number}\n".encode()) for number in range(6)]
    failures: list[BaseException] = []

    def fetch(head: str) -> None:
        try:
            fetch_commits(GitRunner(seconds=60.0), clone, [head, pull.branched], token)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=fetch, args=(head,)) for head in heads]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert is_complete(runner, clone, heads)


def test_a_clone_forgets_old_commits(
    upstream: Upstream, clone: Clone, runner: GitRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worker.clones.KEPT_COMMITS", 4)
    pull = SamplePull(upstream)
    heads = [pull.push(f"def f(x):\n    return {number}\n".encode()) for number in range(6)]
    for head in heads:
        fetch_commits(runner, clone, [head], token)
    kept = commits_in(clone)
    assert heads[-1] in kept
    assert len(kept) <= 4 < KEPT_COMMITS
    assert heads[0] not in kept


def test_repositories_and_hosts_never_share_a_clone(tmp_path: Path) -> None:
    places = {clone_at(tmp_path, host, number, "").directory for host in ("a.com", "a.com:80") for number in (1, 11)}
    assert len(places) == 4
    assert all(place.is_relative_to(tmp_path) for place in places)
    assert clone_at(tmp_path, "../../etc", 1, "").directory.resolve().is_relative_to(tmp_path)


def test_a_fetch_whose_worker_was_killed_keeps_others_out_until_it_ends(clone: Clone) -> None:
    """The lock is the git process's too: nobody cleans up under a fetch that is still writing."""
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import subprocess, sys; from pathlib import Path; from worker.locks import try_lock\n"
            "lock = try_lock(Path(sys.argv[1])); child = subprocess.Popen(['sleep', '30'], pass_fds=(lock.fd,))\n"
            "print(child.pid, flush=True); import time; time.sleep(60)",
            str(clone.lock_path),
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout is not None
    child = int(holder.stdout.readline())
    holder.kill()
    holder.wait()
    from worker.locks import try_lock, wait_for_lock

    assert try_lock(clone.lock_path) is None
    subprocess.run(["kill", "-9", str(child)], check=True)
    wait_for_lock(clone.lock_path, 5).release()

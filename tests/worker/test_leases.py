"""Leased worktrees: who has them, what is in them, and what a hostile repository can't do there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.worker.conftest import TOKEN
from tests.worker.upstream import SamplePull, Upstream
from worker.clones import Clone, fetch_commits
from worker.git import GitRunner
from worker.leases import lease_worktree
from worker.locks import try_lock
from worker.settings import Secret

token = Secret(TOKEN)


@pytest.fixture
def owned(tmp_path: Path) -> Path:
    """A file that appears when something of the repository's was run."""
    return tmp_path / "owned"


def files_in(path: Path) -> dict[str, bytes]:
    root = os.fsencode(path)
    found = {}
    for folder, _, names in os.walk(root):
        for name in names:
            if name != b".git":
                full = os.path.join(folder, name)
                assert not os.path.islink(full)
                with open(full, "rb") as file:
                    found[os.fsdecode(os.path.relpath(full, root))] = file.read()
    return found


def test_a_worktree_is_reused_for_the_next_commit(upstream: Upstream, clone: Clone, runner: GitRunner) -> None:
    pull = SamplePull(upstream)
    fetch_commits(runner, clone, [pull.merge, pull.branched], token)
    with lease_worktree(runner, clone, pull.merge) as lease:
        first = lease.path
        assert lease.checked_out
        assert set(files_in(first)) == {"app.py", "caller.py", "other.py"}
        (first / "stray.txt").write_text("left behind")
        (first / "app.py").write_text("changed")
    with lease_worktree(runner, clone, pull.branched) as lease:
        assert lease.path == first
        assert files_in(first) == {"app.py": b"def f():\n    return 1\n", "caller.py": b"from app import f\nf()\n"}


def test_two_leases_never_share_a_worktree(upstream: Upstream, clone: Clone, runner: GitRunner) -> None:
    pull = SamplePull(upstream)
    fetch_commits(runner, clone, [pull.merge, pull.head], token)
    with lease_worktree(runner, clone, pull.merge) as one, lease_worktree(runner, clone, pull.head) as two:
        assert one.path != two.path
        assert "other.py" in files_in(one.path)
        assert "other.py" not in files_in(two.path)


def test_a_lease_dies_with_its_holder(upstream: Upstream, clone: Clone, runner: GitRunner) -> None:
    pull = SamplePull(upstream)
    fetch_commits(runner, clone, [pull.merge], token)
    program = (
        "import sys, time; from pathlib import Path; from worker.clones import Clone\n"
        "from worker.git import GitRunner; from worker.leases import lease_worktree\n"
        "lease = lease_worktree(GitRunner(), Clone(Path(sys.argv[1]), sys.argv[2]), sys.argv[3])\n"
        "print(lease.path, flush=True); time.sleep(60)"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", program, str(clone.directory), clone.url, pull.merge], stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    path = Path(holder.stdout.readline().strip())
    assert try_lock(clone.leases / path.name) is None
    # Killed in the middle of a checkout, it leaves git's lock behind too.
    (clone.git_dir / "worktrees" / path.name / "index.lock").touch()
    holder.kill()
    holder.wait()
    with lease_worktree(runner, clone, pull.merge) as lease:
        assert lease.path == path
        assert lease.checked_out


@pytest.mark.parametrize(
    "damage", ["folder gone", ".git gone", "admin gone", "a link to elsewhere", "a file in the way"]
)
def test_a_damaged_worktree_is_made_again(
    damage: str, upstream: Upstream, clone: Clone, runner: GitRunner, tmp_path: Path
) -> None:
    pull = SamplePull(upstream)
    fetch_commits(runner, clone, [pull.merge], token)
    with lease_worktree(runner, clone, pull.merge) as lease:
        path = lease.path
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "precious").write_text("keep me")
    if damage in {"folder gone", "a link to elsewhere", "a file in the way"}:
        path.rename(tmp_path / "aside")
    if damage == "a link to elsewhere":
        path.symlink_to(elsewhere)
    elif damage == "a file in the way":
        path.write_text("in the way")
    elif damage == ".git gone":
        (path / ".git").unlink()
    elif damage == "admin gone":
        (clone.git_dir / "worktrees" / path.name / "HEAD").unlink()
    with lease_worktree(runner, clone, pull.merge) as lease:
        assert set(files_in(lease.path)) == {"app.py", "caller.py", "other.py"}
    assert (elsewhere / "precious").read_text() == "keep me"


def test_nothing_in_a_repository_is_run(
    upstream: Upstream, clone: Clone, runner: GitRunner, owned: Path, tmp_path: Path
) -> None:
    hook = f"#!/bin/sh\ntouch {owned}\n".encode()
    attributes = (
        b"*.txt filter=evil diff=evil merge=evil\n*.bin filter=lfs diff=lfs merge=lfs -text\n"
        b"crlf.md text eol=crlf\nident.md ident\nwide.md working-tree-encoding=UTF-16\n"
    )
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"
    files: dict[str, bytes | tuple[str, bytes]] = {
        ".gitattributes": attributes,
        ".gitconfig": f'[filter "evil"]\n\tsmudge = touch {owned}\n[core]\n\thooksPath = hooks\n'.encode(),
        ".lfsconfig": b"[lfs]\n\turl = https://evil.example\n",
        ".gitmodules": b'[submodule "sub"]\n\tpath = sub\n\turl = ext::sh -c touch% ' + str(owned).encode() + b"\n",
        "sub": ("160000", b"1" * 40),
        "hooks/post-checkout": ("100755", hook),
        ".githooks/post-checkout": ("100755", hook),
        "a.txt": b"plain\n",
        "big.bin": pointer,
        "crlf.md": b"one\ntwo\n",
        "ident.md": b"$Id$\n",
        "wide.md": b"not wide\n",
    }
    head = upstream.commit(files, ref="refs/pull/1/head")
    # As if an attacker had also got at the clone: a hook in its own folder.
    fetch_commits(runner, clone, [head], token)
    (clone.git_dir / "hooks").mkdir()
    for name in ("post-checkout", "reference-transaction", "post-index-change"):
        (clone.git_dir / "hooks" / name).write_bytes(hook)
        (clone.git_dir / "hooks" / name).chmod(0o755)
    with lease_worktree(runner, clone, head) as lease:
        assert lease.checked_out
        found = files_in(lease.path)
        assert list((lease.path / "sub").iterdir()) == []
    for name, value in files.items():
        if name != "sub":
            assert found[name] == (value if isinstance(value, bytes) else value[1]), name
    assert not owned.exists()


def test_a_symbolic_link_out_of_the_tree_becomes_a_plain_file(
    upstream: Upstream, clone: Clone, runner: GitRunner, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "key").write_text("private")
    first = upstream.commit({"link": ("120000", str(secret).encode()), "to": ("120000", b"/etc/passwd")})
    second = upstream.commit({"link/key": b"overwritten", "to": b"x"}, first, ref="refs/pull/1/head")
    fetch_commits(runner, clone, [first, second], token)
    with lease_worktree(runner, clone, first) as lease:
        assert files_in(lease.path) == {"link": str(secret).encode(), "to": b"/etc/passwd"}
    with lease_worktree(runner, clone, second) as lease:
        assert files_in(lease.path) == {"link/key": b"overwritten", "to": b"x"}
    assert (secret / "key").read_text() == "private"


def test_odd_file_names_are_checked_out(upstream: Upstream, clone: Clone, runner: GitRunner) -> None:
    names = [
        'with "quotes".py',
        "new\nline.py",
        "tab\t.py",
        "naïve – ünï.py",
        "-rf",
        "back\\slash.py",
        "bad\udcff.py",
        "a b",
    ]
    head = upstream.commit({name: name.encode("utf-8", "surrogateescape") for name in names}, ref="refs/pull/1/head")
    fetch_commits(runner, clone, [head], token)
    with lease_worktree(runner, clone, head) as lease:
        assert lease.checked_out
        assert set(files_in(lease.path)) == set(names)


def test_a_name_the_disk_cannot_hold_does_not_stop_the_briefing(
    upstream: Upstream, clone: Clone, runner: GitRunner
) -> None:
    long = "x" * 300 + "/no space left on device/corrupt: bad object"
    head = upstream.commit({long: b"1", "app.py": b"2"}, ref="refs/pull/1/head")
    fetch_commits(runner, clone, [head], token)
    with lease_worktree(runner, clone, head) as lease:
        assert not lease.checked_out
        listed = subprocess.run(
            ["git", "ls-tree", "-r", "--name-only", "HEAD"], cwd=lease.path, capture_output=True, text=True, check=True
        )
        assert listed.stdout.split("\n")[:2] == ["app.py", long]


def test_a_tree_with_a_git_folder_in_it_does_not_touch_ours(
    upstream: Upstream, clone: Clone, runner: GitRunner
) -> None:
    blob = upstream.git("hash-object", "-w", "--stdin", given=b"gitdir: /tmp/evil\n")
    tree = upstream.git("mktree", given=f"100644 blob {blob}\t.git\n100644 blob {blob}\tapp.py\n".encode())
    head = upstream.git("commit-tree", tree, "-m", "evil")
    upstream.point("refs/pull/1/head", head)
    fetch_commits(runner, clone, [head], token)
    with lease_worktree(runner, clone, head) as lease:
        assert not lease.checked_out
        assert "evil" not in (lease.path / ".git").read_text()


def test_an_empty_commit_gives_an_empty_worktree(upstream: Upstream, clone: Clone, runner: GitRunner) -> None:
    full = upstream.commit({"a.py": b"1"})
    empty = upstream.commit({}, full, ref="refs/pull/1/head")
    fetch_commits(runner, clone, [full, empty], token)
    with lease_worktree(runner, clone, full):
        pass
    with lease_worktree(runner, clone, empty) as lease:
        assert files_in(lease.path) == {}


def test_a_tree_of_a_hundred_million_files_eats_memory_and_disk(
    upstream: Upstream, clone: Clone, runner: GitRunner
) -> None:
    good = upstream.commit({"a.py": b"x = 1\n"}, ref="refs/heads/main")
    bomb = upstream.git("commit-tree", upstream.tree_bomb(8), "-m", "many")
    upstream.point("refs/pull/1/head", bomb)
    fetch_commits(runner, clone, [good, bomb], token)
    with lease_worktree(GitRunner(seconds=20.0), clone, bomb) as lease:
        assert not lease.checked_out
        assert list(files_in(lease.path)) == []
        head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=lease.path, capture_output=True, text=True, check=True)
        assert head.stdout.strip() == bomb
    with lease_worktree(runner, clone, good) as lease:
        assert files_in(lease.path) == {"a.py": b"x = 1\n"}


def test_one_blob_under_many_names_fills_the_disk(upstream: Upstream, clone: Clone, runner: GitRunner) -> None:
    zeros = bytes(4 * 1024 * 1024)
    bomb = upstream.commit({f"{number}.bin": zeros for number in range(40)}, ref="refs/pull/1/head")
    fetch_commits(runner, clone, [bomb], token)
    with lease_worktree(runner, clone, bomb, most_bytes=100 * 1024 * 1024) as lease:
        assert not lease.checked_out
        assert list(files_in(lease.path)) == []
    with lease_worktree(runner, clone, bomb, most_bytes=200 * 1024 * 1024) as lease:
        assert lease.checked_out

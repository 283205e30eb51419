"""Trees that no git client would make, fetched and checked out: whatever is in them stays in the worktree."""

from __future__ import annotations

import os
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.worker.conftest import TOKEN
from tests.worker.upstream import Upstream
from worker.clones import Clone, fetch_commits
from worker.git import GitError, GitRunner
from worker.leases import lease_worktree
from worker.settings import Secret

token = Secret(TOKEN)

Entry = tuple[str, bytes, "bytes | list[Entry]"]
"""Mode, name, and content: bytes of a blob (of a submodule: anything), or the entries of a tree."""

NAMES = st.one_of(
    st.sampled_from(
        [
            *(b"..", b".", b".git", b".GIT", b".gIt", b"git~1", b".git ", b".git.", b".git::$INDEX_ALLOCATION"),
            *(b".g\xe2\x80\x8cit", b".gitattributes", b".gitmodules", b"hooks", b"config", b"HEAD", b"a/b", b"/etc"),
            *(b"../../owned", b"-rf", b"--upload-pack=x", b"a\nb", b"\xff\xfe", b"x" * 300, b"CON", b"a.py", b"a"),
        ]
    ),
    st.binary(min_size=1, max_size=12).map(lambda name: name.replace(b"\0", b"0")),
)
BLOBS = st.one_of(
    st.sampled_from(
        [
            b"../../../owned",
            b"/etc/passwd",
            b".git/config",
            b"* filter=evil diff=evil merge=evil working-tree-encoding=UTF-16 text eol=crlf ident\n",
            b'[submodule "x"]\n\tpath = x\n\turl = ext::sh -c "touch owned"\n\tupdate = !touch owned\n',
            b'[core]\n\thooksPath = hooks\n\tfsmonitor = "touch owned"\n[filter "evil"]\n\tsmudge = touch owned\n',
            b"#!/bin/sh\ntouch owned\n",
        ]
    ),
    st.binary(max_size=40),
)
FILES = st.tuples(st.sampled_from(["100644", "100755", "120000", "160000", "100000", "040755"]), NAMES, BLOBS)
TREES: st.SearchStrategy[list[Entry]] = st.recursive(
    st.lists(FILES, max_size=4),
    lambda inner: st.lists(st.one_of(FILES, st.tuples(st.just("40000"), NAMES, inner)), max_size=4),
    max_leaves=6,
)


def write_tree(upstream: Upstream, entries: list[Entry], owned: Path) -> str:
    """A tree of exactly these entries, in this order: git writes it as it is when it is asked for it literally.

    What is run makes the file `owned`.
    """
    raw = b""
    for mode, name, content in entries:
        if isinstance(content, list):
            sha = write_tree(upstream, content, owned)
        elif mode == "160000":
            sha = "1" * 40
        else:
            sha = upstream.git(
                "hash-object", "-w", "--stdin", given=content.replace(b"touch owned", b"touch " + bytes(owned))
            )
        raw += mode.encode() + b" " + name + b"\0" + bytes.fromhex(sha)
    return upstream.git("hash-object", "-w", "--literally", "-t", "tree", "--stdin", given=raw)


def seen(root: Path, *but: Path) -> dict[str, bytes]:
    """Every file and link below `root` with its content or target, but for what is below `but`."""
    found = {}
    for folder, folders, names in os.walk(os.fsencode(root)):
        folders[:] = [name for name in folders if Path(os.fsdecode(os.path.join(folder, name))) not in but]
        for name in [*names, *(each for each in folders if os.path.islink(os.path.join(folder, each)))]:
            full = os.path.join(folder, name)
            link = os.path.islink(full)
            found[os.fsdecode(full)] = os.fsencode(os.readlink(full)) if link else Path(os.fsdecode(full)).read_bytes()
    return found


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tree=TREES)
def test_something_in_a_tree_is_run_or_leaves_the_worktree(
    tree: list[Entry], upstream: Upstream, clone: Clone, runner: GitRunner, tmp_path: Path
) -> None:
    good = upstream.commit({"a.py": b"x = 1\n"}, ref="refs/heads/main")
    fetch_commits(runner, clone, [good], token)
    with lease_worktree(runner, clone, good) as lease:
        worktree, pointer = lease.path, (lease.path / ".git").read_bytes()
    guarded = {clone.git_dir / name: (clone.git_dir / name).read_bytes() for name in ("config", "info/attributes")}
    outside = seen(tmp_path, upstream.git_dir, clone.directory)
    bad = upstream.git("commit-tree", write_tree(upstream, tree, tmp_path / "owned"), "-m", "hostile")
    upstream.point("refs/pull/1/head", bad)
    try:
        fetch_commits(runner, clone, [bad], token)
        with lease_worktree(runner, clone, bad) as lease:
            assert lease.path == worktree
    except GitError as error:
        assert TOKEN not in str(error)
    assert seen(tmp_path, upstream.git_dir, clone.directory) == outside
    assert not clone.git_dir.exists() or {path: path.read_bytes() for path in guarded} == guarded
    assert not list(clone.git_dir.glob("hooks/*"))
    # A tree of which the server itself says that it is corrupt has the clone made again, worktrees and all.
    assert not worktree.exists() or (worktree / ".git").read_bytes() == pointer
    assert not [name for name, path in ((each, Path(each)) for each in seen(worktree)) if path.is_symlink()]
    # And the next pull request has its worktree as if this one had never been.
    fetch_commits(runner, clone, [good], token)
    with lease_worktree(runner, clone, good) as lease:
        assert {path.name for path in lease.path.iterdir()} == {".git", "a.py"}

"""One bare, shallow, shared clone per repository, holding only the commits that briefings asked for.

Layout, below the cache directory:

    clones/HOST/REPOSITORY_ID/lock          held around every change of the clone (see worker/locks.py)
    clones/HOST/REPOSITORY_ID/clone.git     the bare clone; each commit fetched is kept by refs/callsheet/SHA
    clones/HOST/REPOSITORY_ID/worktrees/N   linked worktrees, and
    clones/HOST/REPOSITORY_ID/leases/N      the locks that say who uses them (see worker/leases.py)
    clones/HOST/REPOSITORY_ID/used, size    when it was used last, and bytes it takes (see worker/disk.py)

Keyed by host and repository *id*: a renamed repository keeps its clone, a new one under an old name gets its own, and
objects are never shared between repositories. A clone can be deleted at any time while nobody holds its locks; it is
made again from the remote. `git worktree`, the leases and the fetch all run under the rules of worker/git.py.
"""

from __future__ import annotations

import re
import shutil
import uuid
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from worker.git import GitError, GitRunner
from worker.locks import HeldLock, try_lock, wait_for_lock
from worker.settings import Secret

REF_PREFIX: Final = "refs/callsheet/"
KEPT_COMMITS: Final = 200
"""Commits a clone keeps at most; past it, the oldest ones go when nobody uses the clone."""
MOST_PACKS: Final = 60

_SHA: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?\Z")

# The highest priority there is: what the repository's own .gitattributes say about contents has no effect, so that a
# worktree's files are the blobs' bytes. `diff` is left to git's own judgement, for its search looks at it too.
_ATTRIBUTES: Final = "* -text -eol -filter -ident -working-tree-encoding -crlf !diff !merge\n"


class Clone(msgspec.Struct, frozen=True):
    """Where a repository's clone lives (`directory`) and where it comes from (`url`, without a credential)."""

    directory: Path
    url: str

    @property
    def git_dir(self) -> Path:
        """The bare repository itself."""
        return self.directory / "clone.git"

    @property
    def lock_path(self) -> Path:
        """The lock around every change of the clone."""
        return self.directory / "lock"

    @property
    def worktrees(self) -> Path:
        """The folder of the linked worktrees."""
        return self.directory / "worktrees"

    @property
    def leases(self) -> Path:
        """The folder of the locks of the linked worktrees, of the same names."""
        return self.directory / "leases"


def clone_at(cache_dir: Path, host: str, repository_id: int, url: str) -> Clone:
    """The place of a repository's clone. `host` is GitHub's, with its port when it has one."""
    return Clone(clones_root(cache_dir) / re.sub(r"[^A-Za-z0-9.\-]", "_", host) / str(int(repository_id)), url)


def clones_root(cache_dir: Path) -> Path:
    """The folder of all clones."""
    return cache_dir.resolve() / "clones"


def is_sha(text: object) -> bool:
    """Whether `text` is a full object id in lower case (so never an option, a path or a range)."""
    return isinstance(text, str) and _SHA.match(text) is not None


def remote_refs(runner: GitRunner, clone: Clone, names: Sequence[str], token: Secret | None) -> dict[str, str]:
    """The remote's refs of exactly these full names, name to SHA; absent ones are left out. Raises GitError."""
    with wait_for_lock(clone.lock_path, runner.seconds, runner.stop.is_set):
        ensure_clone(runner, clone)
    listed = runner.run(
        clone.git_dir, "ls-remote", "--quiet", "--", clone.url, *names, token=token, url=clone.url, seconds=60.0
    )
    found: dict[str, str] = {}
    for line in listed.decode("utf-8", "surrogateescape").split("\n"):
        sha, _, name = line.partition("\t")
        if name in names and is_sha(sha):
            found[name] = sha
    return found


def fetch_commits(runner: GitRunner, clone: Clone, commits: Iterable[str], token: Secret | None) -> bool:
    """Make sure that these commits, with all their files, are in the clone. True when something had to be fetched.

    Only missing commits are asked for, by SHA and at depth 1, in one fetch. Leftovers of a killed git are cleaned
    first, and a clone that git finds damaged is thrown away and made again, once. Raises GitError.
    """
    wanted = sorted(set(commits))
    if not all(is_sha(sha) for sha in wanted):
        raise GitError("other", "a commit to fetch is not a full SHA")
    with wait_for_lock(clone.lock_path, runner.seconds, runner.stop.is_set) as lock:
        try:
            return _fetch_missing(runner, clone, wanted, token, lock)
        except GitError as error:
            if error.problem != "broken":
                raise
            throw_away(clone)
            return _fetch_missing(runner, clone, wanted, token, lock)


def parents_of(runner: GitRunner, clone: Clone, commit: str) -> tuple[str, ...]:
    """The parents a commit names. Raises GitError.

    They are read from the commit itself, for the revisions of a shallow clone show none.
    """
    text = runner.run(clone.git_dir, "cat-file", "commit", commit)
    parents = []
    for line in text.split(b"\n"):
        if not line:
            break
        key, _, value = line.partition(b" ")
        if key == b"parent":
            parents.append(value.decode("ascii", "replace"))
    return tuple(parents)


def is_complete(runner: GitRunner, clone: Clone, commits: Sequence[str]) -> bool:
    """Whether every tree and file of these commits can be found in the clone."""
    try:
        runner.run(clone.git_dir, "rev-list", "--objects", "--no-walk", "--quiet", *commits, "--")
    except GitError as error:
        if error.problem in {"stopped", "timeout"}:
            raise
        return False
    return True


def rebuild(runner: GitRunner, clone: Clone) -> None:
    """Throw a damaged clone away; the next fetch makes it again. Raises LockTimeoutError."""
    with wait_for_lock(clone.lock_path, runner.seconds, runner.stop.is_set):
        throw_away(clone)


def ensure_clone(runner: GitRunner, clone: Clone) -> None:
    """Make the bare clone when it is missing and clean up after a killed git. The caller holds the clone's lock."""
    for trash in clone.directory.glob("trash-*"):
        shutil.rmtree(trash, ignore_errors=True)
    if not (clone.git_dir / "HEAD").is_file():
        throw_away(clone)
        fresh = clone.directory / f"trash-{uuid.uuid4().hex}"
        fresh.mkdir(parents=True, mode=0o700)
        runner.run(fresh, "init", "--quiet", "--bare", "--template=", ".")
        (fresh / "info").mkdir(exist_ok=True)
        (fresh / "info" / "attributes").write_text(_ATTRIBUTES, encoding="ascii")
        fresh.rename(clone.git_dir)
    for leftover in _leftovers(clone.git_dir):
        leftover.unlink(missing_ok=True)


def throw_away(clone: Clone) -> None:
    """Delete the bare clone and the worktrees, keeping the locks. The caller holds the clone's lock."""
    for doomed in (clone.git_dir, clone.worktrees):
        if doomed.exists() or doomed.is_symlink():
            # Renamed first: a kill in the middle leaves trash, never half a clone.
            trash = clone.directory / f"trash-{uuid.uuid4().hex}"
            doomed.rename(trash)
            shutil.rmtree(trash, ignore_errors=True)
    (clone.directory / "size").unlink(missing_ok=True)


def take_all_leases(clone: Clone) -> list[HeldLock] | None:
    """Every lease of the clone, or None when one is held. The caller holds the clone's lock, and releases these."""
    held: list[HeldLock] = []
    for path in sorted(clone.leases.glob("*")):
        lock = try_lock(path)
        if lock is None:
            for other in held:
                other.release()
            return None
        held.append(lock)
    return held


def _fetch_missing(
    runner: GitRunner, clone: Clone, wanted: Sequence[str], token: Secret | None, lock: HeldLock
) -> bool:
    ensure_clone(runner, clone)
    kept = _kept_commits(runner, clone)
    missing = [sha for sha in wanted if sha not in kept]
    if not missing:
        return False
    if len(kept) + len(missing) > KEPT_COMMITS or _packs(clone) >= MOST_PACKS:
        _tidy(runner, clone, wanted)
    runner.run(
        clone.git_dir,
        "fetch",
        "--quiet",
        "--depth=1",
        "--no-tags",
        "--no-write-fetch-head",
        "--no-recurse-submodules",
        "--no-auto-maintenance",
        "--force",
        "--",
        clone.url,
        *(f"{sha}:{REF_PREFIX}{sha}" for sha in missing),
        token=token,
        url=clone.url,
        fds=(lock.fd,),
    )
    return True


def _kept_commits(runner: GitRunner, clone: Clone) -> dict[str, None]:
    """The commits that were fetched whole, newest commit first. Their refs are written after their objects."""
    try:
        listed = runner.run(
            clone.git_dir, "for-each-ref", "--sort=-committerdate", "--format=%(refname) %(objectname)", REF_PREFIX
        )
    except GitError as error:
        if error.problem in {"stopped", "timeout"}:
            raise
        # It reads nothing but our own files: whatever it trips over, they are damaged.
        raise GitError("broken", str(error)) from error
    kept: dict[str, None] = {}
    for line in listed.decode("ascii", "replace").splitlines():
        name, _, sha = line.partition(" ")
        if name == REF_PREFIX + sha:
            kept[sha] = None
    return kept


def _tidy(runner: GitRunner, clone: Clone, wanted: Sequence[str]) -> None:
    """Forget the older half of the commits and pack the rest into one, when nobody uses the clone."""
    leases = take_all_leases(clone)
    if leases is None:
        return
    try:
        for sha in list(_kept_commits(runner, clone))[KEPT_COMMITS // 2 :]:
            if sha not in wanted:
                runner.run(clone.git_dir, "update-ref", "-d", REF_PREFIX + sha)
        runner.run(clone.git_dir, "repack", "-a", "-d", "--quiet")
        runner.run(clone.git_dir, "prune", "--expire=now")
    finally:
        for lease in leases:
            lease.release()


def _packs(clone: Clone) -> int:
    return sum(1 for _ in (clone.git_dir / "objects" / "pack").glob("*.pack"))


def _leftovers(git_dir: Path) -> list[Path]:
    """Files a killed git leaves that would stop the next one, or take space for nothing.

    What lies below worktrees/ belongs to whoever holds the lease.
    """
    found = [path for path in git_dir.glob("*.lock") if path.is_file()]
    found += [path for path in (git_dir / "refs").rglob("*.lock") if path.is_file()]
    found += [path for path in (git_dir / "objects").glob("*/tmp_*") if path.is_file()]
    found += [path for path in (git_dir / "objects").glob("tmp_*") if path.is_file()]
    found += [path for path in (git_dir / "objects" / "info").glob("*.lock") if path.is_file()]
    found += [path for path in git_dir.glob("shallow_*") if path.is_file()]
    return found

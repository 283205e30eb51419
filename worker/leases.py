"""Lease a linked worktree, checked out at one commit, for the time of one briefing.

A lease is the lock of a slot. Slots are handed out under the clone's lock, so a clone whose leases are all free is
nobody's. The worktree stays when the lease ends and is switched to the next pull request's commit by the next one:
that touches only the files that differ. The lock dies with its holder (worker/locks.py), so a killed worker's slot is
free at once, and whatever state it left the worktree in is put right by the next holder.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from types import TracebackType
from typing import Final

import structlog

from worker.clones import Clone, ensure_clone, is_complete
from worker.git import GitError, GitRunner
from worker.locks import HeldLock, LockTimeoutError, try_lock, wait_for_lock

MOST_LEASES: Final = 64
MOST_FILES: Final = 1_000_000
MOST_BYTES: Final = 16 * 1024**3
_BLOCK: Final = 4096
"""Bytes of disk that even an empty file costs, about."""

_log = structlog.get_logger(__name__)


class Lease:
    """A worktree that is this job's alone until `release()`.

    `checked_out` is False when git could not write the commit's files (names this file system can't hold, for one);
    the commit can still be read through `path` by git's own means.
    """

    def __init__(self, path: Path, lock: HeldLock, checked_out: bool) -> None:
        self.path = path
        self.checked_out = checked_out
        self._lock = lock

    @property
    def fd(self) -> int:
        """The lock's file, for a child process that works in the worktree to keep open."""
        return self._lock.fd

    def release(self) -> None:
        """Give the worktree back."""
        self._lock.release()

    def __enter__(self) -> Lease:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def lease_worktree(runner: GitRunner, clone: Clone, commit: str, *, most_bytes: int = MOST_BYTES) -> Lease:
    """Lease a worktree of the clone, checked out at `commit` (which must have been fetched).

    A commit with more than `MOST_FILES`, or with more than `most_bytes` in them, is not checked out.

    Raises GitError ("space" when the disk is full, "broken" when the clone is damaged) and LockTimeoutError.
    """
    with wait_for_lock(clone.lock_path, runner.seconds, runner.stop.is_set):
        ensure_clone(runner, clone)
        lock = _free_slot(clone)
        path = clone.worktrees / lock.path.name
        try:
            _clean_leftovers(clone, path.name)
            if not _is_usable(runner, clone, path):
                _make_worktree(runner, clone, path, commit)
        except BaseException:
            lock.release()
            raise
    try:
        if _is_too_large(runner, clone, commit, most_bytes):
            _log.warning("worktree_too_large", commit=commit)
            _name_commit(runner, path, commit, lock)
            return Lease(path, lock, False)
        return Lease(path, lock, _check_out(runner, clone, path, commit, lock))
    except BaseException:
        lock.release()
        raise


def _free_slot(clone: Clone) -> HeldLock:
    for number in range(1, MOST_LEASES + 1):
        lock = try_lock(clone.leases / str(number))
        if lock is not None:
            return lock
    raise LockTimeoutError(f"all {MOST_LEASES} worktrees of {clone.directory} are in use")


def _clean_leftovers(clone: Clone, slot: str) -> None:
    for leftover in (clone.git_dir / "worktrees" / slot).glob("*.lock"):
        leftover.unlink(missing_ok=True)


def _is_usable(runner: GitRunner, clone: Clone, path: Path) -> bool:
    """Whether the worktree is there and belongs to this clone (a rebuilt clone knows nothing of older worktrees)."""
    if path.is_symlink() or not (path / ".git").is_file():
        return False
    try:
        common = runner.run(path, "rev-parse", "--path-format=absolute", "--git-common-dir").rstrip(b"\n")
    except GitError as error:
        if error.problem in {"stopped", "timeout"}:
            raise
        return False
    return Path(common.decode("utf-8", "surrogateescape")) == clone.git_dir


def _make_worktree(runner: GitRunner, clone: Clone, path: Path, commit: str) -> None:
    if path.is_symlink() or path.is_file():
        path.unlink()
    shutil.rmtree(path, ignore_errors=True)
    shutil.rmtree(clone.git_dir / "worktrees" / path.name, ignore_errors=True)
    clone.worktrees.mkdir(parents=True, exist_ok=True, mode=0o700)
    runner.run(clone.git_dir, "worktree", "add", "--quiet", "--force", "--detach", "--no-checkout", str(path), commit)


def _check_out(runner: GitRunner, clone: Clone, path: Path, commit: str, lock: HeldLock) -> bool:
    try:
        runner.run(path, "checkout", "--quiet", "--force", "--detach", "--no-guess", commit, "--", fds=(lock.fd,))
        runner.run(path, "clean", "-ffdxq", fds=(lock.fd,))
    except GitError as error:
        # git's words hold file names of the repository's choosing: "broken" is believed only when it can be seen.
        if error.problem not in {"other", "broken"} or not is_complete(runner, clone, [commit]):
            raise
        _log.warning("worktree_incomplete", commit=commit, reason=str(error))
        _name_commit(runner, path, commit, lock)
        return False
    return True


def _name_commit(runner: GitRunner, path: Path, commit: str, lock: HeldLock) -> None:
    """HEAD must name the commit even when its files are not there."""
    runner.run(path, "update-ref", "--no-deref", "HEAD", commit, fds=(lock.fd,))


def _is_too_large(runner: GitRunner, clone: Clone, commit: str, most_bytes: int) -> bool:
    """Whether a commit's files would take too much memory of git, or too much disk.

    A few hundred bytes of trees that hold each other, or one blob of zeros under many names, make millions of files.
    """
    size = 0
    listed = runner.records(clone.git_dir, "ls-tree", "-r", "-l", "-z", "--full-tree", commit)
    for files, record in enumerate(listed, start=1):
        *_, said = record.partition(b"\t")[0].split()
        size += _BLOCK + (int(said) if said.isdigit() else 0)
        if files > MOST_FILES or size > most_bytes:
            return True
    return False

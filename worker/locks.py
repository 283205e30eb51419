"""File locks that die with their holder.

A lock is `flock(2)` on an open file. The kernel drops it when the last copy of that open file is closed, so a killed
worker leaves nothing behind to clean. A child process may be given a copy (`pass_fds=(lock.fd,)`): then the lock stays
held for as long as the child works, even when the worker that started it is gone. Lock files are never deleted,
because a deleted file can be locked twice. Local disks only: NFS doesn't keep these promises.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType


class LockTimeoutError(TimeoutError):
    """The lock is held by somebody else and stayed so for the whole time."""


class HeldLock:
    """A lock that is held until `release()` (or the end of a `with`)."""

    def __init__(self, fd: int, path: Path) -> None:
        self.fd = fd
        self.path = path

    def release(self) -> None:
        """Let go. Copies of `fd` in child processes keep the lock until they end. Safe to call twice."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def __del__(self) -> None:
        # A cancelled job may have dropped the lock that its thread was still waiting for.
        self.release()

    def __enter__(self) -> HeldLock:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def try_lock(path: Path) -> HeldLock | None:
    """Take the lock at `path` (made when missing, with its directory), or None when somebody holds it."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(fd)
        return None
    except BaseException:
        os.close(fd)
        raise
    return HeldLock(fd, path)


def wait_for_lock(path: Path, seconds: float, should_stop: Callable[[], bool] = lambda: False) -> HeldLock:
    """Take the lock at `path`, waiting at most `seconds`. Raises LockTimeoutError (also when told to stop)."""
    deadline = time.monotonic() + seconds
    while True:
        held = try_lock(path)
        if held is not None:
            return held
        if should_stop() or time.monotonic() >= deadline:
            raise LockTimeoutError(f"{path} stayed locked for {seconds:.0f} s: another job is working there")
        time.sleep(0.05)

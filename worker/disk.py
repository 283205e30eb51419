"""Keep the cache within a byte budget: the least recently used clone that nobody leases goes first.

Sizes are measured once after a clone changed and remembered in its `size` file; `used` is touched at each lease, and
`installation` says whose it is. The facts count as well; they bound themselves (graph/facts_cache.py).
"""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path

import msgspec
import structlog

from graph.word_store import forget_words
from worker.access import Removed
from worker.clones import Clone, clone_at, clones_root, take_all_leases, throw_away
from worker.locks import try_lock

_log = structlog.get_logger(__name__)


class Budget(msgspec.Struct, frozen=True):
    """`most_bytes`: what clones, worktrees and facts together may take. `free_bytes`: what must stay free."""

    most_bytes: int
    free_bytes: int


def make_room(cache_dir: Path, budget: Budget, keep: Clone | None = None, *, at_least_one: bool = False) -> int:
    """Delete unleased clones, least recently used first, until the budget is met. Returns how many went.

    Facts that take more than half of the budget go before. `keep` is never deleted. With `at_least_one`, one goes even
    when the figures look fine (the disk said it is full: a quota isn't in the figures).
    """
    clones = _by_use(cache_dir)
    sizes = {clone.directory: size_of(clone) for clone in clones}
    facts = _measure(facts_dir(cache_dir))  # a database of a few files: quickly measured
    if facts > budget.most_bytes // 2:
        # In a small budget they would cost every clone but the one at hand.
        facts = _delete_facts(cache_dir, facts)
    evicted = 0
    for clone in clones:
        enough = facts + sum(sizes.values()) <= budget.most_bytes and _free(cache_dir) >= budget.free_bytes
        if enough and not (at_least_one and evicted == 0):
            break
        if keep is not None and clone.directory == keep.directory:
            continue
        if _evict(clone, cache_dir):
            _log.info("clone_evicted", directory=str(clone.directory), bytes=sizes[clone.directory])
            sizes[clone.directory] = 0
            evicted += 1
    if at_least_one and evicted == 0 and facts:
        _delete_facts(cache_dir, facts)
        evicted += 1
    return evicted


def facts_dir(cache_dir: Path) -> Path:
    """Where the facts cache lives."""
    return cache_dir.resolve() / "facts"


def _delete_facts(cache_dir: Path, size: int) -> int:
    """Delete all facts; an analysis that has them open goes on with what it has. Returns the bytes that are left."""
    directory = facts_dir(cache_dir)
    trash = directory.with_name(f"facts-trash.{os.getpid()}")
    with contextlib.suppress(OSError):
        directory.rename(trash)
    shutil.rmtree(trash, ignore_errors=True)
    _log.info("facts_evicted", bytes=size)
    return _measure(directory)


def note_use(clone: Clone) -> None:
    """Remember that the clone was used now."""
    (clone.directory / "used").touch()


def note_installation(clone: Clone, installation_id: int) -> None:
    """Remember whose clone it is, for the day the App is uninstalled there."""
    temporary = clone.directory / f"installation.{os.getpid()}"
    # On a full disk the briefing matters more; Redis knows it too.
    with contextlib.suppress(OSError):
        temporary.write_text(str(int(installation_id)), encoding="ascii")
        temporary.replace(clone.directory / "installation")


def delete_removed(cache_dir: Path, host: str, removed: Removed) -> int:
    """Delete this machine's clones of repositories and installations that were taken away; returns how many went.

    One that is in use stays for now: call it again.
    """
    deleted = 0
    for clone in _by_use(cache_dir):
        if clone.directory.parent != clone_at(cache_dir, host, 0, "").directory.parent:
            continue
        if _repository_of(clone) not in removed.repositories and _installation_of(clone) not in removed.installations:
            continue
        if _evict(clone, cache_dir):
            _log.info("clone_deleted", directory=str(clone.directory), why="it was taken away from the App")
            deleted += 1
    return deleted


def _repository_of(clone: Clone) -> int | None:
    return int(clone.directory.name) if clone.directory.name.isdecimal() else None


def _installation_of(clone: Clone) -> int | None:
    try:
        return int((clone.directory / "installation").read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


def note_size(clone: Clone) -> int:
    """Measure the clone with its worktrees and remember the bytes it takes on the disk."""
    size = _measure(clone.directory)
    temporary = clone.directory / f"size.{os.getpid()}"
    temporary.write_text(str(size), encoding="ascii")
    temporary.replace(clone.directory / "size")
    return size


def size_of(clone: Clone) -> int:
    """Bytes the clone takes, as last measured; measured now when it never was."""
    try:
        return int((clone.directory / "size").read_text(encoding="ascii"))
    except (OSError, ValueError):
        return _measure(clone.directory)


def clone_sizes(cache_dir: Path) -> dict[Path, int]:
    """Bytes of each clone, as last measured."""
    return {clone.directory: size_of(clone) for clone in _by_use(cache_dir)}


def _by_use(cache_dir: Path) -> list[Clone]:
    """The clones that exist, least recently used first."""
    found: list[tuple[float, str, Clone]] = []
    for directory in clones_root(cache_dir).glob("*/*"):
        if not (directory / "clone.git").exists() and not (directory / "worktrees").exists():
            continue
        try:
            used = (directory / "used").stat().st_mtime
        except OSError:
            used = 0.0
        found.append((used, str(directory), Clone(directory, "")))
    return [clone for _, _, clone in sorted(found, key=lambda entry: entry[:2])]


def _evict(clone: Clone, cache_dir: Path) -> bool:
    lock = try_lock(clone.lock_path)
    if lock is None:
        return False
    with lock:
        leases = take_all_leases(clone)
        if leases is None:
            return False
        try:
            throw_away(clone)
            forget_words(clone.git_dir, facts_dir(cache_dir))
        finally:
            for lease in leases:
                lease.release()
    return True


def _free(cache_dir: Path) -> int:
    return shutil.disk_usage(cache_dir).free


def _measure(directory: Path) -> int:
    total = 0
    folders = [directory]
    while folders:
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(Path(entry.path))
                    else:
                        total += entry.stat(follow_symlinks=False).st_blocks * 512
        except OSError:  # it may be going away this moment
            continue
    return total

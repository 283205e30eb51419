"""The contract for everything that is asked of a worker and isn't a briefing: small errands, on a queue of their own.

They have their own queue because arq finds a killed worker's job only after the longest time any job of its queue may
take: an errand takes seconds, a briefing minutes. Each may be run twice, or be run again from the middle, without harm.

An errand with a `key` is asked for once: while one of that key waits, another adds nothing. One that is already running
does not count, for it may have looked too early.
"""

from __future__ import annotations

import uuid
from typing import Any, Final, cast

import msgspec
from arq.connections import ArqRedis
from redis.exceptions import ConnectionError as RedisConnectionError

ERRAND_QUEUE: Final = "callsheet:errands"
ERRAND_FUNCTION: Final = "run_errand"
"""Name under which the worker registers the errands' function."""

_KEY_MILLISECONDS: Final = 7 * 86_400_000


class _Place(msgspec.Struct, frozen=True, kw_only=True):
    """A repository as one installation sees it. The names may be out of date; the ids are not."""

    installation_id: int
    repository_id: int
    owner: str
    name: str


class PassMergeGroup(_Place, frozen=True, kw_only=True, tag="merge-group"):
    """Say at once on a merge queue's commit that nothing stands in its way."""

    head_sha: str


class RerunSuite(_Place, frozen=True, kw_only=True, tag="suite"):
    """Somebody asked to run all our checks of a suite again: find our runs in it, and brief their pull requests."""

    suite_id: int
    delivery_id: str | None = None


class MarkStale(_Place, frozen=True, kw_only=True, tag="stale"):
    """The base branch `base_ref` moved: say so on the briefings made from a merge with its former tip."""

    base_ref: str


class Walk(msgspec.Struct, frozen=True, kw_only=True, tag="walk"):
    """Look at the open pull requests of an installation, and brief those that have no briefing.

    `repositories` are (id, owner, name) to begin with; None: all of the installation's.
    """

    installation_id: int
    repositories: tuple[tuple[int, str, str], ...] | None = None


class Forget(msgspec.Struct, frozen=True, kw_only=True, tag="forget"):
    """Delete what Redis holds of repositories that were taken away, or of a whole installation."""

    installation_id: int
    repository_ids: tuple[int, ...] = ()
    whole: bool = False


class SweepDeliveries(msgspec.Struct, frozen=True, kw_only=True, tag="deliveries"):
    """Ask GitHub to send again what it could not deliver."""


class Reap(msgspec.Struct, frozen=True, kw_only=True, tag="reap"):
    """Conclude check runs that were left in progress for longer than a briefing can take."""


class Reconcile(msgspec.Struct, frozen=True, kw_only=True, tag="reconcile"):
    """Ask GitHub for our installations: walk through each, and forget those that are gone."""


Errand = PassMergeGroup | RerunSuite | MarkStale | Walk | Forget | SweepDeliveries | Reap | Reconcile

_DECODER: Final = msgspec.msgpack.Decoder(Errand)


async def ask_errand(redis: ArqRedis, errand: Errand, *, key: str | None = None, defer_seconds: float = 0.0) -> bool:
    """Put an errand on the queue, to start in so many seconds; False when one with this `key` waits already.

    Raises RedisError.
    """
    job_id = f"errand:{uuid.uuid4().hex}"
    if key is not None:
        waiting = await redis.get(_key(key))
        # The marker alone proves nothing: whoever set it may have died before the job was queued.
        if waiting is not None and await redis.exists(f"arq:job:{waiting.decode()}"):
            return False
        await redis.set(_key(key), job_id, px=_KEY_MILLISECONDS)
    queued = await redis.enqueue_job(
        ERRAND_FUNCTION,
        msgspec.msgpack.encode(errand),
        key,
        _job_id=job_id,
        _queue_name=ERRAND_QUEUE,
        _defer_by=defer_seconds or None,
    )
    if queued is None:  # arq's answer to an id it knows, which a fresh UUID can't be
        raise RedisConnectionError("the errand was not accepted by the queue")
    return True


async def begin_errand(redis: ArqRedis, key: str | None) -> None:
    """The errand starts: whoever asks for the same from now on gets another one. Raises RedisError."""
    if key is not None:
        await redis.delete(_key(key))


def read_errand(data: object) -> Errand | None:
    """The errand in a job's argument; None when another version of Callsheet wrote it."""
    try:
        return _DECODER.decode(cast(Any, data))
    except (msgspec.MsgspecError, TypeError):
        return None


def walk_key(installation_id: int) -> str:
    """The key of an installation's walk: there is never more than one waiting."""
    return f"walk:{installation_id}"


def stale_key(repository_id: int, base_ref: str) -> str:
    """The key of a base branch's errand: a burst of pushes makes one."""
    return f"stale:{repository_id}:{base_ref}"


def _key(key: str) -> str:
    return f"callsheet:errand:{key}"

"""The queue as the receiver sees it: how much waits, for how long, and whether anybody works."""

from __future__ import annotations

import asyncio
from typing import Any, Final, cast

import msgspec
from arq.connections import ArqRedis
from redis.exceptions import RedisError

from worker import metrics
from worker.errands import ERRAND_QUEUE
from worker.jobs import QUEUE_NAME, live_workers, queue_age

SECONDS: Final = 2.0


class QueueState(msgspec.Struct, frozen=True):
    """`jobs` and `errands` wait or run. `age`: seconds since the oldest unfinished job was due. `workers` live."""

    jobs: int
    errands: int
    age: float
    workers: int


async def queue_state(redis: ArqRedis) -> QueueState | None:
    """The queue now; None when Redis doesn't answer."""
    try:
        async with asyncio.timeout(SECONDS):
            return QueueState(
                jobs=int(await cast(Any, redis.zcard(QUEUE_NAME))),
                errands=int(await cast(Any, redis.zcard(ERRAND_QUEUE))),
                age=await queue_age(redis),
                workers=await live_workers(redis),
            )
    except (RedisError, OSError, TimeoutError):
        return None


def note_queue(state: QueueState | None) -> None:
    """Show it in the metrics; of an unknown queue nothing is claimed."""
    metrics.REDIS_UP.set(state is not None)
    if state is not None:
        metrics.QUEUE_JOBS.labels("briefings").set(state.jobs)
        metrics.QUEUE_JOBS.labels("errands").set(state.errands)
        metrics.QUEUE_AGE.set(state.age)
        metrics.WORKERS.set(state.workers)

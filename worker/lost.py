"""Jobs that died with their worker, given back to arq long before its own patience with them ends.

arq keeps a job that was started from being started again until the longest time a job may take has passed. A briefing
works only while it holds its pull request's turn (worker/turns.py), so one that was started and holds none for longer
than a turn outlives its holder is nobody's any more. What it was asked for is briefed by another job meanwhile; this
keeps the queue's length and age true.
"""

from __future__ import annotations

import time
from typing import Any, Final, cast

from arq.connections import ArqRedis
from arq.constants import in_progress_key_prefix

from worker.jobs import QUEUE_NAME
from worker.turns import TURN_SECONDS

MOST_LOOKED_AT: Final = 200


class LostJobs:
    """Looks for lost jobs, again and again; remembers since when it has suspected which.

    `seconds` is how long a turn outlives its holder.
    """

    def __init__(self, seconds: float = TURN_SECONDS) -> None:
        self._seconds = seconds
        self._suspected: dict[str, float] = {}

    async def release(self, redis: ArqRedis) -> int:
        """Give back what has been suspected for longer than a turn; returns how many. Raises RedisError."""
        now = time.monotonic()
        suspects = await _without_turn(redis)
        self._suspected = {job_id: self._suspected.get(job_id, now) for job_id in suspects}
        lost = [job_id for job_id, since in self._suspected.items() if now - since > self._seconds]
        if lost:
            await redis.delete(*(in_progress_key_prefix + job_id for job_id in lost))
        return len(lost)


async def _without_turn(redis: ArqRedis) -> list[str]:
    """Of the jobs that were due first, those that were started and hold no turn."""
    due = await cast(Any, redis.zrangebyscore(QUEUE_NAME, "-inf", time.time() * 1000, start=0, num=MOST_LOOKED_AT))
    ids = [member.decode("utf-8", "replace") for member in due]
    places = {job_id: job_id.split(":") for job_id in ids}
    briefs = [job_id for job_id in ids if len(places[job_id]) == 4 and places[job_id][0] == "brief"]
    if not briefs:
        return []
    async with redis.pipeline(transaction=True) as pipe:
        for job_id in briefs:
            pipe.exists(in_progress_key_prefix + job_id)
            pipe.get(f"callsheet:turn:{places[job_id][1]}:{places[job_id][2]}")
        answers = await pipe.execute()
    return [
        job_id
        for job_id, started, holder in zip(briefs, answers[::2], answers[1::2], strict=True)
        if started and holder != job_id.encode()
    ]

"""Jobs that died with their worker, as arq's queue shows them."""

from __future__ import annotations

import asyncio

from arq.connections import ArqRedis
from arq.constants import in_progress_key_prefix

from worker.jobs import QUEUE_NAME, queue_job
from worker.lost import LostJobs
from worker.turns import turn


async def started(redis: ArqRedis) -> str:
    await queue_job(redis, 900, 7)
    job_id = (await redis.zrange(QUEUE_NAME, 0, -1))[0].decode()
    await redis.set(in_progress_key_prefix + job_id, b"1", px=600_000)
    return str(job_id)


async def in_progress(redis: ArqRedis, job_id: str) -> bool:
    return bool(await redis.exists(in_progress_key_prefix + job_id))


async def test_a_lost_job_stays_on_the_queue_for_minutes(redis: ArqRedis) -> None:
    job_id = await started(redis)
    jobs = LostJobs(0.05)
    assert await jobs.release(redis) == 0  # it may just have been started, and have no turn yet
    assert await in_progress(redis, job_id)
    released = 0
    for _ in range(20):  # it is suspected from when it is due by the clock, which a machine may set back
        await asyncio.sleep(0.06)
        released = released or await jobs.release(redis)
    assert released == 1
    assert not await in_progress(redis, job_id)


async def test_a_job_that_works_is_taken_for_lost(redis: ArqRedis) -> None:
    job_id = await started(redis)
    jobs = LostJobs(-1.0)
    async with turn(redis, 900, 7, job_id) as ours:
        assert ours
        assert await jobs.release(redis) == 0
        assert await in_progress(redis, job_id)


async def test_a_job_that_waits_is_taken_for_lost(redis: ArqRedis) -> None:
    await queue_job(redis, 900, 7)
    await redis.zadd(QUEUE_NAME, {"of another program": 1.0})
    assert await LostJobs(-1.0).release(redis) == 0

"""One briefing per pull request at a time, also when a worker dies in the middle of one."""

from __future__ import annotations

import asyncio
import time

from arq.connections import ArqRedis

from worker.turns import abandoned, turn


async def test_a_turn_is_one_jobs_alone(redis: ArqRedis) -> None:
    async with (
        turn(redis, 900, 1, "one") as first,
        turn(redis, 900, 1, "two") as second,
        turn(redis, 900, 2, "x") as third,
    ):
        assert (first, second, third) == (True, False, True)
    async with turn(redis, 900, 1, "two") as again:
        assert again
    assert await redis.zcard("callsheet:turns") == 0


async def test_a_job_started_again_gets_its_own_turn_back(redis: ArqRedis) -> None:
    await redis.set("callsheet:turn:900:1", "one", px=60_000)
    async with turn(redis, 900, 1, "one") as ours:
        assert ours


async def test_a_turn_lost_to_another_is_not_taken_back(redis: ArqRedis) -> None:
    async with turn(redis, 900, 1, "one"):
        await redis.set("callsheet:turn:900:1", "two")
        await redis.zadd("callsheet:turns", {"900:1": time.time()})
    assert await redis.get("callsheet:turn:900:1") == b"two"
    assert await redis.zcard("callsheet:turns") == 1


async def test_a_turn_is_kept_for_as_long_as_its_job_lives(redis: ArqRedis) -> None:
    async with turn(redis, 900, 1, "one", 0.4):
        await asyncio.sleep(0.8)
        assert await redis.get("callsheet:turn:900:1") == b"one"
        assert await abandoned(redis, 0.4) == []
    assert await redis.get("callsheet:turn:900:1") is None


async def test_a_dead_workers_turn_is_found_once(redis: ArqRedis) -> None:
    await redis.zadd("callsheet:turns", {"900:1": time.time() - 1000, "900:2": time.time()})
    found = await asyncio.gather(abandoned(redis), abandoned(redis))
    assert sorted(found) == [[], [(900, 1)]]


async def test_a_dead_workers_turn_is_found_later_than_was_set(redis: ArqRedis) -> None:
    await redis.zadd("callsheet:turns", {"900:1": time.time() - 4})
    assert await abandoned(redis) == []
    assert await abandoned(redis, 3.0) == [(900, 1)]

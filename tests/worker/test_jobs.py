"""The queue: nothing lost, nothing done twice, nothing unpickled."""

from __future__ import annotations

import asyncio
import pickle

import pytest
from arq.connections import ArqRedis
from arq.constants import in_progress_key_prefix, job_key_prefix
from arq.worker import Worker, func
from redis.exceptions import RedisError

from tests.redis_server import running_redis
from worker.jobs import (
    BRIEF_FUNCTION,
    QUEUE_NAME,
    BriefJob,
    begin_job,
    claim_delivery,
    deserialize,
    enqueue_brief,
    external_id,
    mark_briefed,
    parse_external_id,
    read_wish,
    redis_pool,
    seen_delivery,
    serialize,
)
from worker.settings import Secret, Settings, SettingsError


def job(head: str, number: int = 1) -> BriefJob:
    return BriefJob(
        installation_id=5, repository_id=900, owner="acme", name="shop", number=number, head_sha=head, reason="opened"
    )


async def test_a_burst_puts_one_job_on_the_queue_and_the_newest_is_wished_for(redis: ArqRedis) -> None:
    for head in ("a" * 40, "b" * 40, "c" * 40):
        await enqueue_brief(redis, job(head))
    assert await redis.zcard(QUEUE_NAME) == 1
    wish = await read_wish(redis, 900, 1)
    assert wish is not None
    assert wish.job.head_sha == "c" * 40
    assert (wish.generation, wish.briefed, wish.is_open) == (3, 0, True)


async def test_an_answered_wish_is_closed_until_something_new_is_asked(redis: ArqRedis) -> None:
    await enqueue_brief(redis, job("a" * 40))
    await mark_briefed(redis, 900, 1, 1)
    wish = await read_wish(redis, 900, 1)
    assert wish is not None
    assert not wish.is_open
    await enqueue_brief(redis, job("a" * 40))
    wish = await read_wish(redis, 900, 1)
    assert wish is not None
    assert wish.is_open


@pytest.mark.parametrize("how", ["begun", "in progress", "gone", "expired"])
async def test_a_push_that_comes_after_the_job_began_waits_for_nobody(redis: ArqRedis, how: str) -> None:
    """The job that was queued may have looked too early, or may never run: another one is needed."""
    await enqueue_brief(redis, job("a" * 40))
    waiting = (await redis.zrange(QUEUE_NAME, 0, -1))[0].decode()
    if how == "begun":
        await begin_job(redis, 900, 1)
    elif how == "in progress":
        await redis.set(in_progress_key_prefix + waiting, b"1")
    else:
        await redis.delete(job_key_prefix + waiting)
        if how == "gone":
            await redis.zrem(QUEUE_NAME, waiting)
    await enqueue_brief(redis, job("b" * 40))
    others = {member.decode() for member in await redis.zrange(QUEUE_NAME, 0, -1)} - {waiting}
    assert len(others) == 1
    await enqueue_brief(redis, job("c" * 40))
    assert {member.decode() for member in await redis.zrange(QUEUE_NAME, 0, -1)} - {waiting} == others


async def test_pull_requests_do_not_share_a_wish(redis: ArqRedis) -> None:
    await enqueue_brief(redis, job("a" * 40, number=1))
    await enqueue_brief(redis, job("b" * 40, number=2))
    first, second = await read_wish(redis, 900, 1), await read_wish(redis, 900, 2)
    assert first is not None
    assert second is not None
    assert (first.job.head_sha, second.job.head_sha) == ("a" * 40, "b" * 40)


async def test_a_delivery_is_seen_only_once_it_was_claimed(redis: ArqRedis) -> None:
    assert not await seen_delivery(redis, "guid-1")
    assert await claim_delivery(redis, "guid-1")
    assert not await claim_delivery(redis, "guid-1")
    assert await seen_delivery(redis, "guid-1")
    assert 6 * 86400 < await redis.ttl("callsheet:delivery:guid-1") <= 7 * 86400


async def test_a_pickle_in_the_queue_is_not_loaded(redis: ArqRedis) -> None:
    ran: list[int] = []

    class Bomb:
        def __reduce__(self) -> tuple[object, ...]:
            return ran.append, (1,)

    async def never(ctx: dict[object, object]) -> None:
        raise AssertionError("the job ran")

    await redis.psetex("arq:job:evil", 60_000, pickle.dumps(Bomb()))
    await redis.zadd(QUEUE_NAME, {"evil": 1})
    worker = Worker(
        functions=[func(never, name=BRIEF_FUNCTION)],
        redis_pool=redis,
        queue_name=QUEUE_NAME,
        burst=True,
        handle_signals=False,
        keep_result=0,
        job_serializer=serialize,
        job_deserializer=deserialize,
        poll_delay=0.01,
    )
    await worker.async_run()
    assert ran == []
    assert worker.jobs_failed == 1


def test_a_job_that_is_no_map_is_refused() -> None:
    with pytest.raises(ValueError, match="not a map"):
        deserialize(b"\x01")


def test_an_external_id_survives_the_way_to_github_and_back() -> None:
    assert parse_external_id(external_id(900, 12, "a" * 40)) == (900, 12)
    assert parse_external_id("900:12") == (900, 12)


@pytest.mark.parametrize("text", [None, "", "900", "900:x", "900:1:zz", "٩:1", "1:2:" + "a" * 200, 5, "1:2\n"])
def test_a_foreign_external_id_is_nobodys(text: object) -> None:
    assert parse_external_id(text) is None


async def test_a_password_with_special_characters_reaches_redis() -> None:
    with running_redis("--requirepass", "p@ss/w:rd%") as url:
        path = url.removeprefix("unix://")
        pool = await redis_pool(Settings(redis_url=Secret(f"unix://:p%40ss%2Fw%3Ard%25@{path}?db=3")))
        assert await pool.ping()
        assert pool.connection_pool.connection_kwargs["db"] == 3
        await pool.aclose()


@pytest.mark.parametrize("url", ["redis://host:99999999/0", "redis://host:6379/x"])
async def test_a_malformed_redis_address_is_named(url: str) -> None:
    with pytest.raises(SettingsError, match="REDIS_URL"):
        await redis_pool(Settings(redis_url=Secret(url)))


async def test_a_queue_that_is_away_is_an_error_not_a_silence(settings: Settings) -> None:
    pool = await redis_pool(Settings(redis_url=Secret("redis://127.0.0.1:1/0")), timeout_seconds=0.2)
    with pytest.raises(RedisError):
        await asyncio.wait_for(enqueue_brief(pool, job("a" * 40)), 10)
    await pool.aclose()

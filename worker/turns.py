"""One briefing per pull request at a time, over all workers.

A turn is a Redis key that names the job holding it and that lives only while the holder keeps renewing it. A job that
doesn't get the turn just ends: the holder looks for newer wishes after its turn (worker/jobs.py). A holder that died
stays on the list of turns with its last sign of life; `abandoned` finds it there, so that a wish isn't left to wait for
arq's much longer patience.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from typing import Any, Final, cast

from arq.connections import ArqRedis
from redis.exceptions import RedisError

TURN_SECONDS: Final = 20.0
"""CALLSHEET_TAKEOVER_SECONDS where it isn't set. A turn is renewed four times in it."""
_LIST: Final = "callsheet:turns"

# Only the holder may renew or end a turn: another may have it by now, after a long silence.
_RENEW: Final = (
    "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) end return 0"
)
_END: Final = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0"


@contextlib.asynccontextmanager
async def turn(
    redis: ArqRedis, repository_id: int, number: int, holder: str, seconds: float = TURN_SECONDS
) -> AsyncIterator[bool]:
    """Hold the pull request's turn during the block; gives False when another job holds it.

    It outlives a holder that is silent by `seconds`.

    A job that is started again under the same id (`holder`) gets its own turn back. Raises RedisError.
    """
    key, member = f"callsheet:turn:{repository_id}:{number}", f"{repository_id}:{number}"
    milliseconds = int(seconds * 1000)
    got = bool(await redis.set(key, holder, nx=True, px=milliseconds))
    if not got:
        got = bool(await cast(Any, redis.eval(_RENEW, 1, key, holder, str(milliseconds))))
    if not got:
        yield False
        return
    await redis.zadd(_LIST, {member: time.time()})
    renewing = asyncio.create_task(_keep_renewing(redis, key, member, holder, seconds))
    try:
        yield True
    finally:
        renewing.cancel()
        await asyncio.shield(_end(redis, key, member, holder))


async def is_held(redis: ArqRedis, repository_id: int, number: int) -> bool:
    """Whether the pull request is being briefed now. Raises RedisError."""
    return bool(await redis.exists(f"callsheet:turn:{repository_id}:{number}"))


async def abandoned(redis: ArqRedis, seconds: float = TURN_SECONDS) -> list[tuple[int, int]]:
    """(repository id, number) of pull requests whose turn's holder died, each given once. Raises RedisError."""
    silent_since = time.time() - seconds * 1.25
    found: list[tuple[int, int]] = []
    for member in await cast(Any, redis.zrangebyscore(_LIST, "-inf", silent_since)):
        # Of several workers that look at the same moment, the one whose removal counts has it.
        if await redis.zrem(_LIST, member):
            repository_id, _, number = member.decode("ascii").partition(":")
            found.append((int(repository_id), int(number)))
    return found


async def _keep_renewing(redis: ArqRedis, key: str, member: str, holder: str, seconds: float) -> None:
    while True:
        await asyncio.sleep(seconds / 4)
        # A blip of Redis costs one renewal; the turn outlives three.
        with contextlib.suppress(RedisError, OSError):
            await cast(Any, redis.eval(_RENEW, 1, key, holder, str(int(seconds * 1000))))
            await redis.zadd(_LIST, {member: time.time()})


async def _end(redis: ArqRedis, key: str, member: str, holder: str) -> None:
    if await cast(Any, redis.eval(_END, 1, key, holder)):
        await redis.zrem(_LIST, member)

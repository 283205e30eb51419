"""GitHub's rate limits, per installation and shared by all workers through Redis.

Three things are kept. A *pause*: GitHub said to wait, so nobody asks until then. The *rate*: what its answers say is
left of the hour; background work leaves a reserve of it for live events. *Budgets*: how much background work of one
kind is done in an hour at most, whatever GitHub would allow. Nothing here waits: it says in how long to come back.
"""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any, Final, cast

import msgspec
from arq.connections import ArqRedis

from worker.answers import RateLimited

LONGEST_PAUSE: Final = 900.0
"""Seconds; a secondary limit whose end GitHub doesn't tell is waited for 60, 120, 240 ... seconds, and never longer."""
_STRIKES: Final = timedelta(minutes=30)
_HOUR: Final = 3600
_FEW: Final = 3

# One window of an hour that begins at its first use. Gives the milliseconds to wait, 0 when it was granted.
_SPEND: Final = (
    "local used = tonumber(redis.call('get', KEYS[1]) or '0') "
    "if used >= tonumber(ARGV[1]) then return math.max(redis.call('pttl', KEYS[1]), 1) end "
    "redis.call('incr', KEYS[1]) "
    "if used == 0 then redis.call('pexpire', KEYS[1], ARGV[2]) end "
    "return 0"
)


class Rate(msgspec.Struct, frozen=True):
    """What GitHub's last answer said: requests left of `limit` until `reset` (seconds since the epoch)."""

    remaining: int
    limit: int
    reset: int


async def pause(redis: ArqRedis, host: str, installation_id: int, limited: RateLimited) -> float:
    """GitHub asked to wait: nobody asks for this installation until then. Returns the seconds. Raises RedisError."""
    seconds = limited.seconds
    if not limited.told:
        strikes_key = f"callsheet:strikes:{host}:{installation_id}"
        strikes = int(await redis.incr(strikes_key))
        await redis.pexpire(strikes_key, _STRIKES)
        seconds = min(seconds * 2 ** (min(strikes, 10) - 1), LONGEST_PAUSE)
    await redis.set(_pause_key(host, installation_id), b"1", px=int(seconds * 1000) + 1)
    return seconds


async def paused(redis: ArqRedis, host: str, installation_id: int) -> float:
    """Seconds for which nothing may be asked for this installation; 0.0 when it may. Raises RedisError."""
    async with redis.pipeline(transaction=False) as pipe:
        pipe.pttl(_pause_key(host, installation_id))
        pipe.get(_rate_key(host, installation_id))
        left, known = await pipe.execute()
    if left > 0:
        return float(left) / 1000.0
    rate = _decode(known)
    # A few are left in any case: other processes may be about to use them.
    return max(rate.reset - time.time(), 1.0) if rate is not None and rate.remaining <= _FEW else 0.0


async def without_headroom(redis: ArqRedis, host: str, installation_id: int, reserve_percent: int) -> float:
    """Seconds for which background work has to leave the rest of the hour to live events; 0.0 when it may go on.

    Raises RedisError.
    """
    waiting = await paused(redis, host, installation_id)
    if waiting:
        return waiting
    rate = await read_rate(redis, host, installation_id)
    if rate is None or rate.remaining * 100 > rate.limit * reserve_percent:
        return 0.0
    return max(rate.reset - time.time(), 1.0)


async def note_rate(redis: ArqRedis, host: str, installation_id: int, rate: Rate | None) -> None:
    """Share what GitHub's last answer said. Raises RedisError."""
    if rate is not None and rate.reset > time.time():
        key, milliseconds = _rate_key(host, installation_id), int((rate.reset - time.time()) * 1000) + 1
        await redis.set(key, msgspec.json.encode(rate), px=milliseconds)


async def read_rate(redis: ArqRedis, host: str, installation_id: int) -> Rate | None:
    """What is known to be left of this hour; None when nothing is. Raises RedisError."""
    return _decode(await cast(Any, redis.get(_rate_key(host, installation_id))))


async def spend(redis: ArqRedis, host: str, installation_id: int, what: str, per_hour: int) -> float:
    """Take one from the hour's budget for `what`; 0.0 when it was granted, else the seconds until the next one.

    Raises RedisError.
    """
    key = f"callsheet:budget-{what}:{host}:{installation_id}"
    return float(await cast(Any, redis.eval(_SPEND, 1, key, str(per_hour), str(_HOUR * 1000)))) / 1000.0


def _decode(data: bytes | None) -> Rate | None:
    if data is None:
        return None
    try:
        return msgspec.json.decode(data, type=Rate)
    except msgspec.MsgspecError:
        return None


def _pause_key(host: str, installation_id: int) -> str:
    return f"callsheet:pause:{host}:{installation_id}"


def _rate_key(host: str, installation_id: int) -> str:
    return f"callsheet:rate:{host}:{installation_id}"

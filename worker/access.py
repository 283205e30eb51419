"""Which installations and repositories are shut out, and what is deleted because of it.

An installation that was suspended is left alone until it isn't. What was taken away (uninstalled, removed from the
installation, deleted, transferred) is marked as removed: its jobs are dropped, its records deleted from Redis once, and
its clone from each worker's own disk (`worker.disk.delete_removed`), for which the mark stays. Marks are set by the
receiver, in the order of the webhooks, and cleared when the App is installed there again.
"""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Iterable
from datetime import timedelta
from typing import Any, Final, cast

import msgspec
from arq.connections import ArqRedis

MARK_TTL: Final = timedelta(days=90)
"""How long a worker that was away finds out that a clone on its disk has to go."""
GUESSED_SUSPENSION: Final = timedelta(hours=1)
"""How long an installation is left alone whose suspension only a refused token told: its end may not be told at all."""


class Removed(msgspec.Struct, frozen=True):
    """Ids of what was taken away."""

    installations: frozenset[int]
    repositories: frozenset[int]


async def suspend(redis: ArqRedis, host: str, installation_id: int, ttl: timedelta | None = None) -> None:
    """Leave the installation alone. Raises RedisError."""
    await redis.set(_suspended_key(host, installation_id), b"1", px=ttl)


async def unsuspend(redis: ArqRedis, host: str, installation_id: int) -> None:
    """The installation may be worked for again. Raises RedisError."""
    await redis.delete(_suspended_key(host, installation_id))


async def mark_removed(
    redis: ArqRedis, host: str, *, installations: Iterable[int] = (), repositories: Iterable[int] = ()
) -> None:
    """Note that these were taken away. Raises RedisError."""
    members = _members(installations, repositories)
    now = time.time()
    if members:
        await redis.zadd(_removed_key(host), dict.fromkeys(members, now))
    await redis.zremrangebyscore(_removed_key(host), "-inf", now - MARK_TTL.total_seconds())


async def unmark_removed(
    redis: ArqRedis, host: str, *, installations: Iterable[int] = (), repositories: Iterable[int] = ()
) -> None:
    """The App was installed there (again). Raises RedisError."""
    members = _members(installations, repositories)
    if members:
        await redis.zrem(_removed_key(host), *members)


async def removed(redis: ArqRedis, host: str) -> Removed:
    """What is marked as taken away. Raises RedisError."""
    found: dict[bytes, set[int]] = {b"installation": set(), b"repository": set()}
    for member in await cast(Any, redis.zrange(_removed_key(host), 0, -1)):
        kind, _, number = member.partition(b":")
        if kind in found and number.isdigit():
            found[kind].add(int(number))
    return Removed(frozenset(found[b"installation"]), frozenset(found[b"repository"]))


async def shut_out(redis: ArqRedis, host: str, installation_id: int, repository_id: int | None = None) -> str | None:
    """Why nothing is to be done there now, in a few words; None when it may. Raises RedisError."""
    async with redis.pipeline(transaction=False) as pipe:
        pipe.exists(_suspended_key(host, installation_id))
        pipe.zscore(_removed_key(host), f"installation:{installation_id}")
        pipe.zscore(_removed_key(host), f"repository:{repository_id or 0}")
        suspended, uninstalled, gone = await pipe.execute()
    if uninstalled is not None:
        return "the App was uninstalled"
    if gone is not None:
        return "the repository was taken away"
    return "the installation is suspended" if suspended else None


async def note_repository(redis: ArqRedis, host: str, installation_id: int, repository_id: int) -> None:
    """Remember that the installation has this repository, for the day it is uninstalled. Raises RedisError."""
    await cast(Any, redis.sadd(_repositories_key(host, installation_id), str(repository_id)))


async def noted_installations(redis: ArqRedis, host: str) -> set[int]:
    """The installations that anything was noted for. Raises RedisError."""
    prefix = _repositories_key(host, 0)[:-1]
    found = set()
    async for key in redis.scan_iter(match=f"{_escaped(prefix)}*", count=1000):
        number = key.decode("utf-8", "replace").removeprefix(prefix)
        if number.isdecimal():
            found.add(int(number))
    return found


async def forget_records(
    redis: ArqRedis, host: str, repository_ids: Collection[int], installation_id: int | None = None
) -> int:
    """Delete all that Redis holds of these repositories and, when given, of an installation; returns how many keys.

    What is queued for them stays and is dropped when its turn comes. Raises RedisError.
    """
    doomed: set[int] = set(repository_ids)
    keys: list[bytes] = []
    if installation_id is not None:
        noted = await cast(Any, redis.smembers(_repositories_key(host, installation_id)))
        doomed |= {int(member) for member in noted if member.isdigit()}
        keys += [
            key async for key in redis.scan_iter(match=f"callsheet:*:{_escaped(host)}:{installation_id}", count=1000)
        ]
    with_host = re.escape(host)
    # briefing, open-run, index, tip: with the host; wish: without (one Redis serves one GitHub).
    place = re.compile(rf"callsheet:(?:(?:briefing|open-run|index|tip):{with_host}|wish):([0-9]+):".encode())
    if doomed:
        async for key in redis.scan_iter(match="callsheet:*", count=1000):
            found = place.match(key)
            if found is not None and int(found[1]) in doomed:
                keys.append(key)
    for start in range(0, len(keys), 500):
        await redis.delete(*keys[start : start + 500])
    if installation_id is not None:
        await redis.delete(_repositories_key(host, installation_id))
    elif doomed:
        async for key in redis.scan_iter(match=f"{_escaped(_repositories_key(host, 0)[:-1])}*", count=1000):
            await cast(Any, redis.srem(key, *(str(number) for number in doomed)))
    return len(keys)


def _members(installations: Iterable[int], repositories: Iterable[int]) -> list[str]:
    return [f"installation:{each}" for each in installations] + [f"repository:{each}" for each in repositories]


def _escaped(text: str) -> str:
    return re.sub(r"([\[\]*?^\\])", r"\\\1", text)


def _suspended_key(host: str, installation_id: int) -> str:
    return f"callsheet:suspended:{host}:{installation_id}"


def _removed_key(host: str) -> str:
    return f"callsheet:removed:{host}"


def _repositories_key(host: str, installation_id: int) -> str:
    return f"callsheet:repositories:{host}:{installation_id}"

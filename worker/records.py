"""What a briefing was made against, remembered per pull request.

Redis can lose all of this and nothing breaks: it says whether a briefing is stale and which check run is still open.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final, Literal, TypeVar, cast

import msgspec
from arq.connections import ArqRedis

RECORD_TTL: Final = timedelta(days=90)

T = TypeVar("T", bound=msgspec.Struct)


class Record(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The newest finished briefing of a pull request.

    `base_sha` is the first parent of the test merge callers were found in, None when `graph_from` is "head".
    `briefed_at` is UTC in ISO 8601. `incomplete` says why callers may be missing.
    """

    head_sha: str
    base_sha: str | None
    merge_base: str
    graph_from: Literal["merge", "head"]
    briefed_at: str
    check_run_id: int
    conclusion: str
    incomplete: str | None = None


class OpenRun(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A check run that was put in progress and not concluded yet, for whoever continues after a killed worker."""

    check_run_id: int
    head_sha: str
    owner: str
    name: str


async def write_record(redis: ArqRedis, host: str, repository_id: int, number: int, record: Record) -> None:
    """Remember what the newest briefing of a pull request was made against. Raises RedisError."""
    await redis.set(_key("briefing", host, repository_id, number), msgspec.json.encode(record), px=RECORD_TTL)


async def read_record(redis: ArqRedis, host: str, repository_id: int, number: int) -> Record | None:
    """What the newest briefing was made against; None when there is none (or another version wrote it)."""
    return _decode(Record, await cast(Any, redis.get(_key("briefing", host, repository_id, number))))


async def write_open_run(redis: ArqRedis, host: str, repository_id: int, number: int, run: OpenRun) -> None:
    """Remember a check run that is in progress. Raises RedisError."""
    await redis.set(_key("open-run", host, repository_id, number), msgspec.json.encode(run), px=RECORD_TTL)


async def read_open_run(redis: ArqRedis, host: str, repository_id: int, number: int) -> OpenRun | None:
    """The check run that was left in progress, if one was."""
    return _decode(OpenRun, await cast(Any, redis.get(_key("open-run", host, repository_id, number))))


async def clear_open_run(redis: ArqRedis, host: str, repository_id: int, number: int) -> None:
    """Note that no check run of the pull request is in progress. Raises RedisError."""
    await redis.delete(_key("open-run", host, repository_id, number))


def _key(kind: str, host: str, repository_id: int, number: int) -> str:
    return f"callsheet:{kind}:{host}:{repository_id}:{number}"


def _decode(shape: type[T], data: bytes | None) -> T | None:
    if data is None:
        return None
    try:
        return msgspec.json.decode(data, type=shape)
    except msgspec.MsgspecError:
        return None

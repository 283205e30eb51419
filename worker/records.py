"""What a briefing was made against, remembered per pull request.

Redis can lose all of this and nothing breaks: it says whether a briefing is stale and which check run is still open.
"""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any, Final, Literal, TypeVar, cast

import msgspec
from arq.connections import ArqRedis

RECORD_TTL: Final = timedelta(days=90)
TIP_TTL: Final = timedelta(days=7)
MOST_INDEXED: Final = 2000
"""Pull requests remembered per base branch, the most recently briefed ones."""

T = TypeVar("T", bound=msgspec.Struct)


class Record(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The newest finished briefing of a pull request.

    `base_sha` is the first parent of the test merge callers were found in, None when `graph_from` is "head".
    `briefed_at` is UTC in ISO 8601. `incomplete` says why callers may be missing. `pull_base_sha` is what GitHub called
    the pull request's base. `names` are those of what it changes, `paths` the files known to name them (not all of
    them when `all_named` is False). `staleness` is what the repository's configuration says of it, None: nothing.
    `stale_tip` is the base's tip that the check run was last compared with.
    """

    head_sha: str
    base_sha: str | None
    merge_base: str
    graph_from: Literal["merge", "head"]
    briefed_at: str
    check_run_id: int
    conclusion: str
    incomplete: str | None = None
    base_ref: str = ""
    pull_base_sha: str = ""
    names: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    all_named: bool = True
    staleness: str | None = None
    stale_tip: str | None = None


class OpenRun(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A check run that was put in progress and not concluded yet, for whoever continues after a killed worker.

    Written before GitHub is asked to make the run; then `check_run_id` is 0, and GitHub knows whether it was made.
    """

    check_run_id: int
    head_sha: str
    owner: str
    name: str
    installation_id: int = 0


class Overdue(msgspec.Struct, frozen=True):
    """A pull request with a check run that has been in progress for too long."""

    repository_id: int
    number: int


async def write_record(redis: ArqRedis, host: str, repository_id: int, number: int, record: Record) -> None:
    """Remember what the newest briefing of a pull request was made against. Raises RedisError."""
    async with redis.pipeline(transaction=True) as pipe:
        pipe.set(_key("briefing", host, repository_id, number), msgspec.json.encode(record), px=RECORD_TTL)
        if record.base_sha is not None and record.base_ref:
            key = _index_key(host, repository_id, record.base_ref)
            pipe.zadd(key, {str(number): time.time()})
            pipe.zremrangebyrank(key, 0, -MOST_INDEXED - 1)
            pipe.pexpire(key, RECORD_TTL)
        await pipe.execute()


async def note_stale(redis: ArqRedis, host: str, repository_id: int, number: int, record: Record, tip: str) -> None:
    """Note that a briefing was compared with its base's `tip`, unless another one has taken its place meanwhile."""
    now = await read_record(redis, host, repository_id, number)
    if now is not None and now.briefed_at == record.briefed_at and now.head_sha == record.head_sha:
        value = msgspec.json.encode(msgspec.structs.replace(now, stale_tip=tip))
        await redis.set(_key("briefing", host, repository_id, number), value, keepttl=True)


async def read_record(redis: ArqRedis, host: str, repository_id: int, number: int) -> Record | None:
    """What the newest briefing was made against; None when there is none (or another version wrote it)."""
    return _decode(Record, await cast(Any, redis.get(_key("briefing", host, repository_id, number))))


async def clear_record(redis: ArqRedis, host: str, repository_id: int, number: int) -> None:
    """The check run no longer shows the briefing that was remembered. Raises RedisError."""
    await redis.delete(_key("briefing", host, repository_id, number))


async def briefed_against(redis: ArqRedis, host: str, repository_id: int, base_ref: str) -> list[int]:
    """Pull requests briefed in a merge with this branch, the most recently active first. Raises RedisError."""
    members = await cast(Any, redis.zrevrange(_index_key(host, repository_id, base_ref), 0, -1))
    return [int(member) for member in members if member.isdigit()]


async def is_briefed_against(redis: ArqRedis, host: str, repository_id: int, base_ref: str) -> bool:
    """Whether any pull request was briefed in a merge with this branch. Raises RedisError."""
    return bool(await redis.exists(_index_key(host, repository_id, base_ref)))


async def leave_index(redis: ArqRedis, host: str, repository_id: int, base_ref: str, number: int) -> None:
    """The pull request was closed, or no longer goes to this branch: its briefing can't become stale."""
    await redis.zrem(_index_key(host, repository_id, base_ref), str(number))


async def note_tip(redis: ArqRedis, host: str, repository_id: int, base_ref: str, sha: str) -> None:
    """A push moved the branch to this commit. Raises RedisError."""
    await redis.set(_branch_key("tip", host, repository_id, base_ref), sha, px=TIP_TTL)


async def read_tip(redis: ArqRedis, host: str, repository_id: int, base_ref: str) -> str | None:
    """Where the last push that was told left the branch; None when none was told lately. Raises RedisError."""
    sha = await cast(Any, redis.get(_branch_key("tip", host, repository_id, base_ref)))
    return sha.decode("ascii", "replace") if sha is not None else None


async def write_open_run(redis: ArqRedis, host: str, repository_id: int, number: int, run: OpenRun) -> None:
    """Remember a check run that is in progress. Raises RedisError."""
    async with redis.pipeline(transaction=True) as pipe:
        pipe.set(_key("open-run", host, repository_id, number), msgspec.json.encode(run), px=RECORD_TTL)
        pipe.zadd(_open_runs_key(host), {f"{repository_id}:{number}": time.time()})
        await pipe.execute()


async def read_open_run(redis: ArqRedis, host: str, repository_id: int, number: int) -> OpenRun | None:
    """The check run that was left in progress, if one was."""
    return _decode(OpenRun, await cast(Any, redis.get(_key("open-run", host, repository_id, number))))


async def clear_open_run(redis: ArqRedis, host: str, repository_id: int, number: int) -> None:
    """Note that no check run of the pull request is in progress. Raises RedisError."""
    async with redis.pipeline(transaction=True) as pipe:
        pipe.delete(_key("open-run", host, repository_id, number))
        pipe.zrem(_open_runs_key(host), f"{repository_id}:{number}")
        await pipe.execute()


async def overdue_runs(redis: ArqRedis, host: str, seconds: float) -> list[Overdue]:
    """Pull requests whose check run was put in progress longer ago than that. Raises RedisError."""
    found = []
    for member in await cast(Any, redis.zrangebyscore(_open_runs_key(host), "-inf", time.time() - seconds)):
        repository_id, _, number = member.decode("ascii", "replace").partition(":")
        if repository_id.isdecimal() and number.isdecimal():
            found.append(Overdue(int(repository_id), int(number)))
    return found


def _key(kind: str, host: str, repository_id: int, number: int) -> str:
    return f"callsheet:{kind}:{host}:{repository_id}:{number}"


def _branch_key(kind: str, host: str, repository_id: int, branch: str) -> str:
    return f"callsheet:{kind}:{host}:{repository_id}:{branch}"


def _index_key(host: str, repository_id: int, base_ref: str) -> str:
    return _branch_key("index", host, repository_id, base_ref)


def _open_runs_key(host: str) -> str:
    return f"callsheet:open-runs:{host}"


def _decode(shape: type[T], data: bytes | None) -> T | None:
    if data is None:
        return None
    try:
        return msgspec.json.decode(data, type=shape)
    except msgspec.MsgspecError:
        return None

"""The contract between the receiver and the worker: what a job is, how it is queued, and why none is lost.

Coalescing. Per pull request Redis holds one small hash, the *wish*: the newest job asked for, a `generation` that
counts what was asked, and the generation `briefed` last. A queued arq job carries only the pull request's key; when it
starts it takes the newest wish, whatever it was queued for. So:

- of a burst of pushes, the running one and the newest are briefed; one job waits for all of them;
- a push that arrives while its pull request is being briefed is not lost: the running job looks again when it ends and
  queues the wish that came meanwhile;
- a job that dies with its worker is started again by arq and takes the newest wish.

arq drops a job whose id it has seen, without a word, so every id here carries a number that is used once.
"""

from __future__ import annotations

import re
import time
import uuid
from datetime import timedelta
from typing import Any, Final, Literal, cast
from urllib.parse import parse_qs, unquote, urlsplit

import msgspec
from arq.connections import ArqRedis
from arq.constants import in_progress_key_prefix, job_key_prefix
from redis.asyncio.connection import Connection as TcpConnection
from redis.asyncio.connection import ConnectionPool, SSLConnection, UnixDomainSocketConnection
from redis.asyncio.retry import Retry as RedisRetry
from redis.backoff import ExponentialBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

from worker.settings import Settings, SettingsError

QUEUE_NAME: Final = "callsheet:queue"
BRIEF_FUNCTION: Final = "brief_pull_request"
"""Name under which the worker registers the job's function."""

DELIVERY_TTL: Final = timedelta(days=7)
"""How long a webhook's delivery id is remembered. GitHub keeps deliveries for redelivery for three days."""

WISH_TTL: Final = timedelta(days=30)
"""How long an untouched pull request's wish stays. Losing one only costs the coalescing of the next burst."""

_WORKERS: Final = "callsheet:workers"

Reason = Literal[
    "opened", "synchronize", "reopened", "ready_for_review", "retargeted", "rebrief", "rerun", "backlog", "stale"
]
"""What asked for a briefing: a webhook's action, a person's button, or (the last two) this service itself."""

UNASKED: Final[frozenset[Reason]] = frozenset({"opened", "synchronize", "ready_for_review", "backlog"})
"""Reasons for which a briefing of the same head and base that is already there is good enough."""


class BriefJob(msgspec.Struct, frozen=True, kw_only=True):
    """One wish: brief this pull request.

    `head_sha` and `base_ref` are what the webhook said (None when it didn't); the worker reads the pull request again
    and believes GitHub's answer. `delivery_id` is the webhook's X-GitHub-Delivery, for the log. Names can be out of
    date: everything is keyed by `repository_id`.
    """

    installation_id: int
    repository_id: int
    owner: str
    name: str
    number: int
    head_sha: str | None = None
    base_ref: str | None = None
    delivery_id: str | None = None
    reason: Reason = "rebrief"


def external_id(repository_id: int, number: int, head_sha: str) -> str:
    """The `external_id` of a pull request's check run at one head commit: `REPOSITORY_ID:NUMBER:HEAD_SHA`.

    Events about a check run of a fork's pull request name no pull request; this does.
    """
    return f"{repository_id}:{number}:{head_sha}"


def parse_external_id(text: object) -> tuple[int, int] | None:
    """(repository id, pull request number) from a check run's `external_id`; None when it isn't one of ours."""
    if not isinstance(text, str) or len(text) > 100:
        return None
    match = re.fullmatch(r"([0-9]{1,18}):([0-9]{1,9})(?::[0-9a-f]{40,64})?", text)
    return (int(match[1]), int(match[2])) if match else None


class Wish(msgspec.Struct, frozen=True):
    """The newest job asked for one pull request. It is open while `generation` is past `briefed`."""

    job: BriefJob
    generation: int
    briefed: int

    @property
    def is_open(self) -> bool:
        """Whether something was asked that no briefing has answered yet."""
        return self.generation > self.briefed


_ENCODER: Final = msgspec.msgpack.Encoder(enc_hook=lambda value: f"{type(value).__name__}: {value}")
_DECODER: Final = msgspec.msgpack.Decoder()
_JOB_DECODER: Final = msgspec.msgpack.Decoder(BriefJob)


def serialize(value: dict[str, Any]) -> bytes:
    """arq's job serializer: msgpack. (An exception in a job's result becomes its text.)"""
    return _ENCODER.encode(value)


def deserialize(data: bytes) -> dict[str, Any]:
    """arq's job deserializer. Only plain values come out, whatever Redis holds. Raises ValueError on anything else."""
    value = _DECODER.decode(data)
    if not isinstance(value, dict):
        raise ValueError("a job in Redis is not a map: another program may be using this queue")
    return value


async def redis_pool(settings: Settings, *, timeout_seconds: float = 5.0) -> ArqRedis:
    """A Redis client that queues jobs the way the worker reads them. Connects at the first command.

    Understands redis://, rediss:// and unix:// with percent-encoded user and password; a rediss:// certificate is
    always checked (against `settings.ca_bundle` when given). A lost connection is retried a few times with back-off
    before a command fails. Raises SettingsError.
    """
    return ArqRedis(
        pool_or_conn=_connection_pool(settings, timeout_seconds),
        job_serializer=serialize,
        job_deserializer=deserialize,
        default_queue_name=QUEUE_NAME,
    )


def _connection_pool(settings: Settings, timeout_seconds: float) -> ConnectionPool:
    parts = urlsplit(settings.require_redis().reveal())
    query = parse_qs(parts.query)
    database = query.get("db", ["0" if parts.scheme == "unix" else parts.path.strip("/") or "0"])[0]
    try:
        port = parts.port or 6379
    except ValueError:
        port = -1
    if not database.isdecimal() or port < 0:
        raise SettingsError("REDIS_URL is malformed: it should look like redis://:password@host:6379/0.")
    options: dict[str, Any] = {
        "db": int(database),
        "username": unquote(parts.username) if parts.username else None,
        "password": unquote(parts.password) if parts.password else None,
        "socket_connect_timeout": timeout_seconds,
        "retry": RedisRetry(ExponentialBackoff(cap=1.0, base=0.05), 3),
        "retry_on_error": [RedisConnectionError, RedisTimeoutError],
    }
    if parts.scheme == "unix":
        return ConnectionPool(connection_class=UnixDomainSocketConnection, path=unquote(parts.path), **options)
    options |= {
        "host": parts.hostname or "localhost",
        "port": port,
        "socket_timeout": timeout_seconds,
        "socket_keepalive": True,
        "health_check_interval": 30,
    }
    if parts.scheme == "rediss":
        options |= {"ssl_cert_reqs": "required", "ssl_check_hostname": True}
        if settings.ca_bundle is not None:
            options["ssl_ca_certs"] = str(settings.ca_bundle)
        return ConnectionPool(connection_class=SSLConnection, **options)
    return ConnectionPool(connection_class=TcpConnection, **options)


def wish_key(repository_id: int, number: int) -> str:
    """Redis key of a pull request's wish."""
    return f"callsheet:wish:{repository_id}:{number}"


async def enqueue_brief(redis: ArqRedis, job: BriefJob) -> None:
    """Ask for a briefing. Returns when Redis holds the wish and a job that will see it; raises RedisError otherwise.

    Calling it twice for the same thing is harmless. A job that still waits will see the wish, so then none is added: a
    burst would else be followed by as many jobs with nothing to do.
    """
    key = wish_key(job.repository_id, job.number)
    async with redis.pipeline(transaction=True) as pipe:
        pipe.hincrby(key, "generation", 1)
        pipe.hset(key, "job", cast(Any, msgspec.msgpack.encode(job)))
        pipe.pexpire(key, WISH_TTL)
        pipe.hget(key, "waiting")
        waiting = (await pipe.execute())[-1]
    if waiting is not None and await _waits(redis, waiting.decode("utf-8", "replace")):
        return
    job_id = await queue_job(redis, job.repository_id, job.number)
    await cast(Any, redis.hset(key, "waiting", job_id))


async def begin_job(redis: ArqRedis, repository_id: int, number: int) -> None:
    """A job of this pull request starts: what is asked from now on wants another one. Before `read_wish`."""
    await cast(Any, redis.hdel(wish_key(repository_id, number), "waiting"))


async def _waits(redis: ArqRedis, job_id: str) -> bool:
    """Whether the job is on the queue and was not started: one that runs, or died, may have looked too early."""
    async with redis.pipeline(transaction=True) as pipe:
        pipe.exists(job_key_prefix + job_id)
        pipe.exists(in_progress_key_prefix + job_id)
        there, started = await pipe.execute()
    return bool(there) and not started


async def queue_job(redis: ArqRedis, repository_id: int, number: int, *, defer_seconds: float = 0.0) -> str:
    """Put a job on the queue that takes this pull request's newest wish; returns its id. Raises RedisError."""
    job_id = f"brief:{repository_id}:{number}:{uuid.uuid4().hex}"
    queued = await redis.enqueue_job(
        BRIEF_FUNCTION,
        repository_id,
        number,
        _job_id=job_id,
        _queue_name=QUEUE_NAME,
        _defer_by=defer_seconds or None,
    )
    if queued is None:  # arq's answer to an id it knows, which a fresh UUID can't be
        raise RedisConnectionError("the job was not accepted by the queue")
    return job_id


async def read_wish(redis: ArqRedis, repository_id: int, number: int) -> Wish | None:
    """The newest wish for a pull request, None when there is none (or it is unreadable, from another version)."""
    fields = await cast(Any, redis.hgetall(wish_key(repository_id, number)))
    try:
        return Wish(
            job=_JOB_DECODER.decode(fields[b"job"]),
            generation=int(fields[b"generation"]),
            briefed=int(fields.get(b"briefed", 0)),
        )
    except (KeyError, ValueError, msgspec.MsgspecError):
        return None


# Never past what was asked: Redis may have lost the wish meanwhile, and a count beyond it would swallow the next ones.
_MARK_BRIEFED: Final = (
    "local asked = tonumber(redis.call('hget', KEYS[1], 'generation') or '0') "
    "if asked == 0 then return 0 end "
    "redis.call('hset', KEYS[1], 'briefed', math.min(asked, tonumber(ARGV[1]))) "
    "return redis.call('pexpire', KEYS[1], ARGV[2])"
)


async def mark_briefed(redis: ArqRedis, repository_id: int, number: int, generation: int) -> None:
    """Note that the wish of this generation was answered. Only the pull request's running job may call it."""
    ttl = str(int(WISH_TTL.total_seconds() * 1000))
    await cast(Any, redis.eval(_MARK_BRIEFED, 1, wish_key(repository_id, number), str(generation), ttl))


async def seen_delivery(redis: ArqRedis, delivery_id: str) -> bool:
    """Whether this webhook delivery was taken before (a redelivery carries the same id)."""
    return bool(await redis.exists(_delivery_key(delivery_id)))


async def claim_delivery(redis: ArqRedis, delivery_id: str) -> bool:
    """Remember a delivery id; False when it was remembered already.

    Call it only after the job is safely queued: a claim left by a failed enqueue would swallow the redelivery.
    """
    return bool(await redis.set(_delivery_key(delivery_id), b"1", nx=True, px=DELIVERY_TTL))


def _delivery_key(delivery_id: str) -> str:
    return f"callsheet:delivery:{delivery_id}"


async def note_worker(redis: ArqRedis, worker_id: str) -> None:
    """A worker's sign of life. Raises RedisError."""
    await redis.zadd(_WORKERS, {worker_id: time.time()})
    await redis.zremrangebyscore(_WORKERS, "-inf", time.time() - 86400.0)


async def forget_worker(redis: ArqRedis, worker_id: str) -> None:
    """A worker that stops says so. Raises RedisError."""
    await redis.zrem(_WORKERS, worker_id)


async def live_workers(redis: ArqRedis, within_seconds: float = 60.0) -> int:
    """How many workers gave a sign of life lately. Raises RedisError."""
    return int(await redis.zcount(_WORKERS, time.time() - within_seconds, "+inf"))


async def queue_age(redis: ArqRedis) -> float:
    """Seconds the job that waits longest has been due, 0.0 when none is waiting. Raises RedisError.

    Jobs that run are on arq's queue as well, so this is the age of the oldest job that isn't finished.
    """
    oldest = await cast(Any, redis.zrange(QUEUE_NAME, 0, 0, withscores=True))
    return max(0.0, time.time() - float(oldest[0][1]) / 1000.0) if oldest else 0.0

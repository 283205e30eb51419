"""From an event to the briefings it asks for.

A check suite's webhook names no pull request when the branch is in a fork. So the receiver remembers, in Redis, which
pull requests it heard of at which head commit; forgetting it only costs that one button on pull requests from forks.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final, cast

from arq.connections import ArqRedis

from app.events import MAX_PULLS, CheckRunAsked, CheckSuiteAsked, Event, Ignored, PullRequestChanged, Where
from worker.jobs import BriefJob, Reason, parse_external_id

HEAD_TTL: Final = timedelta(days=90)


async def jobs_asked_for(redis: ArqRedis, event: Event, delivery_id: str) -> tuple[BriefJob, ...] | Ignored:
    """The jobs to queue for `event`, at least one; or why there are none. Raises RedisError."""
    match event:
        case Ignored():
            return event
        case PullRequestChanged():
            await _remember_head(redis, event)
            return (_job(event.where, event.number, event.reason, delivery_id, event.head_sha, event.base_ref),)
        case CheckRunAsked():
            numbers = _numbers_of_run(event)
            reason = event.reason
        case CheckSuiteAsked():
            numbers = event.numbers or await _pulls_at(redis, event.where.repository_id, event.head_sha)
            reason = "rerun"
    if not numbers:
        return Ignored("no pull request of ours is known at this commit")
    return tuple(_job(event.where, number, reason, delivery_id) for number in numbers)


def _numbers_of_run(event: CheckRunAsked) -> tuple[int, ...]:
    """What we wrote into the run counts; the pull requests of the payload are only those that share its commit."""
    ours = parse_external_id(event.external_id)
    if ours is None:
        return event.numbers
    repository_id, number = ours
    return (number,) if repository_id == event.where.repository_id and number > 0 else ()


def _job(
    where: Where,
    number: int,
    reason: Reason,
    delivery_id: str,
    head_sha: str | None = None,
    base_ref: str | None = None,
) -> BriefJob:
    return BriefJob(
        installation_id=where.installation_id,
        repository_id=where.repository_id,
        owner=where.owner,
        name=where.name,
        number=number,
        head_sha=head_sha,
        base_ref=base_ref,
        delivery_id=delivery_id,
        reason=reason,
    )


def _head_key(repository_id: int, head_sha: str) -> str:
    return f"callsheet:head:{repository_id}:{head_sha}"


async def _remember_head(redis: ArqRedis, event: PullRequestChanged) -> None:
    key = _head_key(event.where.repository_id, event.head_sha)
    async with redis.pipeline(transaction=True) as pipe:
        pipe.sadd(key, event.number)
        pipe.pexpire(key, HEAD_TTL)
        await pipe.execute()


async def _pulls_at(redis: ArqRedis, repository_id: int, head_sha: str) -> tuple[int, ...]:
    members = await cast(Any, redis.smembers(_head_key(repository_id, head_sha)))
    return tuple(sorted(int(member) for member in members if member.isdigit()))[:MAX_PULLS]

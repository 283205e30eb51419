"""From an event to what a worker is asked for: briefings, and errands.

What is only to be remembered (a branch's tip, a suspension, what was taken away) is written to Redis here, so that it
stands in the order in which GitHub told it.
"""

from __future__ import annotations

from typing import Any

import msgspec
from arq.connections import ArqRedis

from app.events import (
    BranchMoved,
    CheckRunAsked,
    CheckSuiteAsked,
    Event,
    Ignored,
    InstallationChanged,
    MergeGroupAsked,
    PullRequestChanged,
    PullRequestClosed,
    RepositoryLeft,
    Where,
)
from worker.access import mark_removed, suspend, unmark_removed, unsuspend
from worker.errands import Errand, Forget, MarkStale, PassMergeGroup, RerunSuite, Walk, stale_key, walk_key
from worker.jobs import BriefJob, Reason, parse_external_id
from worker.records import is_briefed_against, leave_index, note_tip
from worker.settings import Settings


class AskedErrand(msgspec.Struct, frozen=True):
    """An errand to queue; `key` and `defer_seconds` as `worker.errands.ask_errand` takes them."""

    errand: Errand
    key: str | None = None
    defer_seconds: float = 0.0


class Asked(msgspec.Struct, frozen=True):
    """What an event asks for: at least one of the two."""

    briefs: tuple[BriefJob, ...] = ()
    errands: tuple[AskedErrand, ...] = ()


async def asked_for(redis: ArqRedis, settings: Settings, event: Event, delivery_id: str) -> Asked | Ignored:
    """What to queue for `event`, or why there is nothing to do. Doing it twice is harmless. Raises RedisError."""
    host = settings.github_host
    match event:
        case Ignored():
            return event
        case PullRequestChanged(where, number):
            return Asked((_job(where, number, event.reason, delivery_id, event.head_sha, event.base_ref),))
        case PullRequestClosed(where, number, base_ref):
            await leave_index(redis, host, where.repository_id, base_ref, number)
            return Ignored("the pull request is closed")
        case CheckRunAsked(where):
            numbers = _numbers_of_run(event)
            if not numbers:
                return Ignored("no pull request of ours is known for this check run")
            return Asked(tuple(_job(where, number, event.reason, delivery_id) for number in numbers))
        case CheckSuiteAsked(where, suite_id):
            return _errand(RerunSuite(**_place(where), suite_id=suite_id, delivery_id=delivery_id))
        case BranchMoved(where, branch, tip):
            await note_tip(redis, host, where.repository_id, branch, tip)
            if not await is_briefed_against(redis, host, where.repository_id, branch):
                return Ignored("no briefing was made against this branch")
            errand = MarkStale(**_place(where), base_ref=branch)
            return _errand(errand, stale_key(where.repository_id, branch), settings.stale_delay_seconds)
        case MergeGroupAsked(where, head_sha):
            return _errand(PassMergeGroup(**_place(where), head_sha=head_sha))
        case InstallationChanged():
            return await _installation(redis, host, event)
        case RepositoryLeft(where):
            return await _repository_left(redis, host, event)


async def _installation(redis: ArqRedis, host: str, event: InstallationChanged) -> Asked | Ignored:
    number, ids = event.installation_id, tuple(each[0] for each in event.repositories)
    match event.change:
        case "created":
            await unmark_removed(redis, host, installations=[number], repositories=ids)
            await unsuspend(redis, host, number)
            return _errand(Walk(installation_id=number), walk_key(number))
        case "unsuspend" | "permissions":
            await unsuspend(redis, host, number)
            return _errand(Walk(installation_id=number), walk_key(number))
        case "suspend":
            await suspend(redis, host, number)
            return Ignored("suspended: its jobs are dropped until it isn't")
        case "deleted":
            await mark_removed(redis, host, installations=[number], repositories=ids)
            return _errand(Forget(installation_id=number, repository_ids=ids, whole=True))
        case "added":
            await unmark_removed(redis, host, repositories=ids)
            # No key: another walk that waits begins with other repositories.
            return _errand(Walk(installation_id=number, repositories=event.repositories))
        case "removed":
            await mark_removed(redis, host, repositories=ids)
            return _errand(Forget(installation_id=number, repository_ids=ids))


async def _repository_left(redis: ArqRedis, host: str, event: RepositoryLeft) -> Asked:
    where = event.where
    forget = AskedErrand(Forget(installation_id=where.installation_id, repository_ids=(where.repository_id,)))
    if not event.transferred:
        await mark_removed(redis, host, repositories=[where.repository_id])
        return Asked(errands=(forget,))
    # Its new owner's installation told it, and starts from nothing; the clone stays, for the code is the same.
    place = (where.repository_id, where.owner, where.name)
    await unmark_removed(redis, host, repositories=[where.repository_id])
    walk = AskedErrand(Walk(installation_id=where.installation_id, repositories=(place,)), defer_seconds=5.0)
    return Asked(errands=(forget, walk))


def _errand(errand: Errand, key: str | None = None, defer_seconds: float = 0.0) -> Asked:
    return Asked(errands=(AskedErrand(errand, key, defer_seconds),))


def _place(where: Where) -> dict[str, Any]:
    return msgspec.structs.asdict(where)


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

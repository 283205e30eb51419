"""The arq function of the errands: what each one does, and what trouble with it means.

An errand is never slept in: what has to wait is asked for again, later. And the clock: which errands are asked for
again and again, by whichever worker gets to it first.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final, cast

import structlog
from arq.connections import ArqRedis
from arq.worker import Retry
from redis.exceptions import RedisError

from worker import metrics, notices
from worker.access import (
    GUESSED_SUSPENSION,
    forget_records,
    mark_removed,
    noted_installations,
    shut_out,
    suspend,
    unmark_removed,
    unsuspend,
)
from worker.answers import Gone, RateLimited, Refused, Rejected, Unavailable
from worker.backlog import walk
from worker.checkruns import completion, now
from worker.deliveries import sweep_deliveries
from worker.errands import (
    Errand,
    Forget,
    MarkStale,
    PassMergeGroup,
    Reap,
    Reconcile,
    RerunSuite,
    SweepDeliveries,
    Walk,
    ask_errand,
    begin_errand,
    read_errand,
    walk_key,
)
from worker.github import THE_APP
from worker.job import Tools
from worker.jobs import BriefJob, enqueue_brief, parse_external_id
from worker.limits import pause, paused
from worker.listings import external_ids_of_suite, installations
from worker.reaper import reap
from worker.settings import Settings
from worker.stale import mark_stale
from worker.tracing import span

ERRAND_SECONDS: Final = 120.0
"""Seconds one errand may take; a killed worker's is found by the others ten seconds after that."""
MOST_TRIES: Final = 8
REAP_SECONDS: Final = 60.0
_SETTLING_SECONDS: Final = 60.0
_PAUSE: Final = 5.0
_REDIS_PAUSE: Final = 2.0

_log = structlog.get_logger(__name__)


async def run_errand(ctx: dict[str, Any], data: bytes, key: str | None) -> None:
    """The arq job: do one errand. Raises arq's Retry when it should be tried again."""
    try:
        await _run(ctx, data, key)
    except RedisError as error:
        _log.warning("redis_away", why=type(error).__name__)
        raise Retry(defer=_REDIS_PAUSE) from error  # to arq an error would end it


async def _run(ctx: dict[str, Any], data: bytes, key: str | None) -> None:
    redis, tools, tries = cast(ArqRedis, ctx["redis"]), cast(Tools, ctx["tools"]), int(ctx["job_try"])
    await begin_errand(redis, key)
    errand = read_errand(data)
    if errand is None:
        _log.warning("errand_unknown")
        return
    installation_id = getattr(errand, "installation_id", THE_APP)
    host = tools.settings.github_host
    about = {"errand": type(errand).__name__, "installation": installation_id}
    with structlog.contextvars.bound_contextvars(**about), span("errand", **about):
        if waiting := await paused(redis, host, installation_id):
            await ask_errand(redis, errand, key=key, defer_seconds=waiting)
            return
        try:
            await _do(redis, tools, errand)
            metrics.ERRANDS.labels(type(errand).__name__, "done").inc()
        except RateLimited as error:
            seconds = await pause(redis, host, installation_id, error)
            _log.warning("rate_limited", seconds=seconds)
            await ask_errand(redis, errand, key=key, defer_seconds=seconds + 1.0)
        except Unavailable as error:
            if tries >= MOST_TRIES:
                _log.error("errand_given_up", why=str(error))
                metrics.ERRANDS.labels(type(errand).__name__, "given up").inc()
                return
            raise Retry(defer=_PAUSE * 2 ** (tries - 1)) from error
        except (Gone, Refused, Rejected) as error:
            if isinstance(error, Refused) and "suspended" in str(error):
                await suspend(redis, host, installation_id, GUESSED_SUSPENSION)
            _log.warning("errand_ended", why=str(error))
        finally:
            await tools.share_rate(redis, installation_id)


async def _do(redis: ArqRedis, tools: Tools, errand: Errand) -> None:
    match errand:
        case PassMergeGroup():
            await _pass_merge_group(redis, tools, errand)
        case RerunSuite():
            await _rerun_suite(redis, tools, errand)
        case MarkStale():
            if not await shut_out(redis, tools.settings.github_host, errand.installation_id, errand.repository_id):
                async with tools.app.installation(errand.installation_id, errand.repository_id) as client:
                    await mark_stale(redis, tools, client, errand)
        case Walk():
            await walk(redis, tools, errand)
        case Forget():
            await _forget(redis, tools, errand)
        case SweepDeliveries():
            await sweep_deliveries(redis, tools)
        case Reap():
            await reap(redis, tools)
        case Reconcile():
            await _reconcile(redis, tools)


async def _pass_merge_group(redis: ArqRedis, tools: Tools, errand: PassMergeGroup) -> None:
    """A required check that never reports would hold up the merge queue."""
    if await shut_out(redis, tools.settings.github_host, errand.installation_id, errand.repository_id):
        return
    body = completion(tools.settings, "success", notices.MERGE_QUEUE.output()) | {
        "started_at": now(),
        "external_id": f"{errand.repository_id}:merge-group:{errand.head_sha}",
    }
    del body["actions"]  # there is nothing to brief again
    output = body.pop("output")
    async with tools.app.installation(errand.installation_id, errand.repository_id) as client:
        await client.ensure_check_run(errand.owner, errand.name, errand.head_sha, body, output)
    _log.info("merge_group_passed", repository=errand.repository_id, head=errand.head_sha)


async def _rerun_suite(redis: ArqRedis, tools: Tools, errand: RerunSuite) -> None:
    """Brief the pull requests our runs in the suite are about: the webhook names none when the branch is in a fork."""
    async with tools.app.installation(errand.installation_id, errand.repository_id) as client:
        ids = await external_ids_of_suite(client, tools.app.app_id, errand.owner, errand.name, errand.suite_id)
    ours = {found for text in ids if (found := parse_external_id(text)) is not None}
    for repository_id, number in sorted(ours):
        if repository_id != errand.repository_id:
            continue
        job = BriefJob(
            installation_id=errand.installation_id,
            repository_id=repository_id,
            owner=errand.owner,
            name=errand.name,
            number=number,
            delivery_id=errand.delivery_id,
            reason="rerun",
        )
        await enqueue_brief(redis, job)
    _log.info("suite_rerun", repository=errand.repository_id, pulls=sorted(number for _, number in ours))


async def _forget(redis: ArqRedis, tools: Tools, errand: Forget) -> None:
    whole = errand.installation_id if errand.whole else None
    keys = await forget_records(redis, tools.settings.github_host, errand.repository_ids, whole)
    if errand.whole:
        tools.app.forget(errand.installation_id)
    _log.info("records_forgotten", keys=keys, repositories=len(errand.repository_ids), whole=errand.whole)


async def _reconcile(redis: ArqRedis, tools: Tools) -> None:
    """Walk through every installation there is, and forget those that are gone: a webhook that told may be lost."""
    host = tools.settings.github_host
    there = await installations(tools.app)
    for installation in there:
        if installation.suspended_at is not None:
            await suspend(redis, host, installation.id)
            continue
        await unsuspend(redis, host, installation.id)
        await unmark_removed(redis, host, installations=[installation.id])
        await ask_errand(redis, Walk(installation_id=installation.id), key=walk_key(installation.id))
    gone = await noted_installations(redis, host) - {installation.id for installation in there}
    for installation_id in sorted(gone):
        await mark_removed(redis, host, installations=[installation_id])
        await ask_errand(redis, Forget(installation_id=installation_id, whole=True))
    _log.info("reconciling", installations=len(there), gone=len(gone))


async def ask_periodic_errands(redis: ArqRedis, settings: Settings) -> None:
    """Ask for the errands whose time has come. All workers call it, every few seconds; one has it. Raises RedisError.

    A Redis that knows nothing is new, or lost its memory: then things may settle first, and all is looked through soon.
    """
    periods: tuple[tuple[Errand, float], ...] = (
        (SweepDeliveries(), settings.sweep_seconds),
        (Reap(), REAP_SECONDS),
        (Reconcile(), settings.reconcile_seconds),
    )
    for errand, seconds in periods:
        name = type(errand).__name__
        due_key = f"callsheet:due:{name}"
        if await redis.set(f"callsheet:began:{name}", b"1", nx=True):
            await redis.set(due_key, b"1", px=timedelta(seconds=min(seconds, _SETTLING_SECONDS)))
        elif await redis.set(due_key, b"1", nx=True, px=timedelta(seconds=seconds)):
            await ask_errand(redis, errand, key=name)

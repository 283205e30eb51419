"""The job: brief one pull request. `_brief` tells the story from top to bottom; the rest of the file is its safety net.

The net: one job per pull request at a time (worker/turns.py); trouble that passes is tried again through arq, with
growing pauses and never by sleeping here; whatever else goes wrong, the check run is concluded as neutral and says why
(worker/checkruns.py).
"""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Callable
from typing import Any, Final, TypeVar, cast

import msgspec
import structlog
from arq.connections import ArqRedis
from arq.worker import Retry
from redis.exceptions import RedisError

from worker import metrics, notices
from worker.access import GUESSED_SUSPENSION, note_repository, shut_out, suspend
from worker.analysis import AnalysisRequest, Answer, Failure, WordsRequest
from worker.answers import RateLimited, Refused
from worker.checkruns import conclude, conclude_former, give_up, publish, put_in_progress
from worker.clones import Clone, clone_at, fetch_commits, is_complete, parents_of, rebuild, remote_refs
from worker.disk import Budget, facts_dir, make_room, note_installation, note_size, note_use
from worker.git import GitError, GitRunner
from worker.github import InstallationClient
from worker.job import Job, Tools, job_seconds
from worker.jobs import UNASKED, Wish, begin_job, enqueue_brief, external_id, mark_briefed, queue_job, read_wish
from worker.leases import Lease, lease_worktree
from worker.limits import pause, paused
from worker.merge import HeadMovedError, MergePendingError, Remote, Trees, choose_trees, settled_pull
from worker.organisation import organisation_configuration
from worker.records import read_record
from worker.settings import MIB, Settings
from worker.shapes import PullRequest
from worker.tracing import span
from worker.trouble import MOST_TRIES, AnalysisFailedError, is_unexpected, reason, tries_for
from worker.turns import turn

MERGE_TRIES: Final = 3
"""Times a job starts before a test merge that isn't ready is given up for the head."""
_PAUSES: Final = (5.0, 15.0, 45.0, 120.0, 300.0)
_MERGE_PAUSE: Final = 3.0
_REDIS_PAUSE: Final = 2.0
_WORDS_SECONDS: Final = 40.0
"""Most seconds to keep words: the job's own limit (worker/main.py) leaves a minute after the briefing."""

_log = structlog.get_logger(__name__)
T = TypeVar("T")


async def brief_pull_request(ctx: dict[str, Any], repository_id: int, number: int) -> None:
    """The arq job: answer the pull request's newest wish, if one is open and no other job is at it."""
    try:
        await _take_turn(ctx, repository_id, number)
    except RedisError as error:
        # To arq an error ends the job; the wish would then wait for the next reconciliation.
        _log.warning("redis_away", why=type(error).__name__, repository=repository_id, pull=number)
        raise Retry(defer=_REDIS_PAUSE) from error


async def _take_turn(ctx: dict[str, Any], repository_id: int, number: int) -> None:
    redis, tools = cast(ArqRedis, ctx["redis"]), cast(Tools, ctx["tools"])
    reference, tries = str(ctx["job_id"]), int(ctx["job_try"])
    taken: Wish | None = None
    words: WordsRequest | None = None
    await begin_job(redis, repository_id, number)
    try:
        async with turn(redis, repository_id, number, reference, tools.settings.takeover_seconds) as ours:
            if not ours:
                return
            taken = await read_wish(redis, repository_id, number)
            if taken is None or not taken.is_open:
                return
            about: dict[str, str | int] = {
                "job": reference,
                "installation": taken.job.installation_id,
                "repository": repository_id,
                "pull": number,
                "reason": taken.job.reason,
                "tries": tries,
            }
            with (
                structlog.contextvars.bound_contextvars(delivery=taken.job.delivery_id, **about),
                span("briefing", delivery=taken.job.delivery_id or "", **about),
            ):
                waiting, words = await _answer(
                    Job(tools=tools, redis=redis, wish=taken.job, reference=reference, tries=tries)
                )
            if waiting:
                # Not arq's Retry: it counts tries, and waiting for GitHub is none.
                await queue_job(redis, repository_id, number, defer_seconds=waiting + _jitter(5.0))
            else:
                await mark_briefed(redis, repository_id, number, taken.generation)
    finally:
        if taken is not None:
            # Wishes that came meanwhile found the turn taken and their jobs ended: look again, now that it is free.
            newest = await read_wish(redis, repository_id, number)
            if newest is not None and newest.is_open and newest.generation != taken.generation:
                await queue_job(redis, repository_id, number)
    if words is not None:
        await _keep_words(tools, words)


async def _answer(job: Job) -> tuple[float, WordsRequest | None]:
    """Brief, or decide what the trouble means. Raises arq's Retry when it should be tried again.

    Gives the seconds for which GitHub doesn't want to be asked, 0.0 when the wish is answered; and what would make
    later briefings of the repository faster.
    """
    settings, installation_id = job.tools.settings, job.wish.installation_id
    host = settings.github_host
    why = await shut_out(job.redis, host, installation_id, job.wish.repository_id)
    if why is not None:
        _log.info("briefing_dropped", why=why)
        metrics.BRIEFINGS.labels("dropped").inc()
        return 0.0, None
    if waiting := await paused(job.redis, host, installation_id):
        return waiting, None
    async with job.tools.app.installation(installation_id, job.wish.repository_id) as client:
        try:
            if job.tries > MOST_TRIES:
                raise AnalysisFailedError(f"It was started {MOST_TRIES} times and did not come to an end.")
            with metrics.phase("total"):
                async with asyncio.timeout(job_seconds(settings)):
                    return 0.0, await _brief(job, client)
        except RateLimited as error:
            seconds = await pause(job.redis, host, installation_id, error)
            _log.warning("rate_limited", seconds=seconds, installation=installation_id)
            metrics.BRIEFINGS.labels("rate limited").inc()
            return seconds, None
        except Refused as error:
            if "suspended" in str(error):
                await suspend(job.redis, host, installation_id, GUESSED_SUSPENSION)
            await give_up(job, client, error)
        except MergePendingError as error:
            _log.info("merge_pending", why=str(error))
            metrics.BRIEFINGS.labels("merge pending").inc()
            raise Retry(defer=_MERGE_PAUSE * job.tries) from error
        except Exception as error:
            if job.tries < tries_for(error):
                seconds = _PAUSES[min(job.tries, len(_PAUSES)) - 1]
                _log.warning("briefing_postponed", why=reason(error), seconds=seconds)
                metrics.BRIEFINGS.labels("postponed").inc()
                raise Retry(defer=seconds + _jitter(1.0)) from error
            _log.error("briefing_given_up", why=reason(error), exc_info=is_unexpected(error))
            metrics.BRIEFINGS.labels("given up").inc()
            await give_up(job, client, error)
        finally:
            await job.tools.share_rate(job.redis, installation_id)
    return 0.0, None


async def _brief(job: Job, client: InstallationClient) -> WordsRequest | None:
    """Brief the pull request at its current head. Gives what would make later briefings faster."""
    pull = await client.pull(job.wish.owner, job.wish.name, job.wish.number)
    if pull.repository_id != job.wish.repository_id:
        _log.info("repository_replaced", now=pull.repository_id)  # another one has taken its name
        return None
    await note_repository(job.redis, job.place[0], job.wish.installation_id, pull.repository_id)
    await conclude_former(job, client, pull)
    if not pull.open:
        _log.info("pull_request_closed")
        return None
    if await _is_briefed(job, client, pull):
        _log.info("briefed_before", head=pull.head_sha)
        metrics.BRIEFINGS.labels("briefed before").inc()
        return None
    run = await put_in_progress(job, client, pull)
    try:
        with metrics.phase("merge"):
            pull = await settled_pull(client, pull)
        answer, words = await _analysed(job, client, pull)
        if (await client.pull(pull.owner, pull.name, pull.number)).head_sha != pull.head_sha:
            raise HeadMovedError(pull.head_sha)
    except HeadMovedError:
        await conclude(job, client, pull, run, notices.SUPERSEDED)
        # Its webhook asks for the new head; should that have been lost, this does.
        await enqueue_brief(job.redis, msgspec.structs.replace(job.wish, head_sha=None, reason="synchronize"))
        _log.info("briefing_superseded", head=pull.head_sha)
        metrics.BRIEFINGS.labels("superseded").inc()
        return None
    with metrics.phase("publish"):
        await publish(job, client, pull, run, answer)
    metrics.BRIEFINGS.labels("briefed").inc()
    metrics.FILES.labels("parsed").inc(answer.files_parsed)
    metrics.FILES.labels("cache").inc(answer.files_from_cache)
    return words if answer.words_behind else None


async def _is_briefed(job: Job, client: InstallationClient, pull: PullRequest) -> bool:
    """Whether the briefing nobody in particular asked for is there: same head, same base, and GitHub shows it.

    `synchronize` is also sent when the base was merged into, and a webhook can come twice under two ids.
    """
    record = await read_record(job.redis, *job.place)
    if job.wish.reason not in UNASKED or record is None or record.incomplete is not None:
        return False
    if record.stale_tip is not None:
        return False  # made again, it is no longer stale
    if (record.head_sha, record.base_ref, record.pull_base_sha) != (pull.head_sha, pull.base_ref, pull.base_sha):
        return False
    identity = external_id(pull.repository_id, pull.number, pull.head_sha)
    run = await client.find_check_run(pull.owner, pull.name, pull.head_sha, identity)
    return run is not None and run.id == record.check_run_id and run.status == "completed"


async def _keep_words(tools: Tools, request: WordsRequest) -> None:
    """Make later briefings of the repository faster, now that nobody waits for this one. What comes of it changes no
    briefing, so nothing that goes wrong matters."""
    try:
        with metrics.phase("words"):
            kept = await tools.keep_words(request)
    except OSError as error:
        kept = Failure(what="crash", message=f"the child could not be started: {error}")
    if isinstance(kept, Failure):
        _log.warning("words_not_kept", what=kept.what, why=kept.message, detail=kept.detail)


async def _analysed(job: Job, client: InstallationClient, pull: PullRequest) -> tuple[Answer, WordsRequest]:
    """Fetch what is needed, lease a worktree, let the child process make the briefing: it, and what would make the next
    ones faster. Raises AnalysisFailedError."""
    settings = job.tools.settings
    cache = settings.cache_dir
    clone = clone_at(cache, settings.github_host, pull.repository_id, settings.git_url(pull.owner, pull.name))
    runner = GitRunner(seconds=settings.git_seconds, ca_bundle=settings.ca_bundle, stop=threading.Event())
    try:
        remote = _remote(job, client, runner, clone)
        organisation = await organisation_configuration(
            job.redis, job.tools.app, settings.github_host, job.wish.installation_id, pull.owner
        )
        with metrics.phase("fetch"):
            trees = await choose_trees(client, remote, pull, last_try=job.tries >= MERGE_TRIES)
        with metrics.phase("checkout"):
            at, most = trees.merge or trees.head, settings.disk_budget_mib * MIB // 2
            lease = await _with_room(job, clone, lambda: lease_worktree(runner, clone, at, most_bytes=most))
        with lease:
            note_use(clone)
            note_installation(clone, job.wish.installation_id)
            measuring = asyncio.create_task(asyncio.to_thread(note_size, clone))
            with metrics.phase("analysis"):
                result = await job.tools.analyse(_request(job, pull, trees, lease, organisation), fds=(lease.fd,))
            await measuring
        if isinstance(result, Answer):
            return result, _words_request(settings, clone, at)
        _log.warning("analysis_failed", what=result.what, why=result.message, detail=result.detail)
        commits = [sha for sha in (trees.merge, trees.head, trees.merge_base) if sha is not None]
        if not await asyncio.to_thread(is_complete, runner, clone, commits):
            await asyncio.to_thread(rebuild, runner, clone)
            raise GitError("broken", "the clone on the worker's disk was damaged and is being made again")
        raise AnalysisFailedError(result.message)
    finally:
        runner.stop.set()  # a cancelled job's git must not go on in its thread


def _remote(job: Job, client: InstallationClient, runner: GitRunner, clone: Clone) -> Remote:
    """The clone, as `worker.merge` sees it."""

    async def refs(names: tuple[str, ...]) -> dict[str, str]:
        token = await client.token()
        return await asyncio.to_thread(remote_refs, runner, clone, names, token)

    async def fetch(commits: tuple[str, ...]) -> None:
        token = await client.token()
        await _with_room(job, clone, lambda: fetch_commits(runner, clone, commits, token))

    async def parents(commit: str) -> tuple[str, ...]:
        return await asyncio.to_thread(parents_of, runner, clone, commit)

    return Remote(refs=refs, fetch=fetch, parents=parents)


async def _with_room(job: Job, clone: Clone, act: Callable[[], T]) -> T:
    """Do something in the clone that takes disk space; when the disk turns out to be full, make room and repeat it."""
    settings = job.tools.settings
    budget = Budget(settings.disk_budget_mib * MIB, settings.disk_free_mib * MIB)

    def in_thread() -> T:
        settings.cache_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        make_room(settings.cache_dir, budget, keep=clone)
        try:
            return act()
        except GitError as error:
            if error.problem != "space" or not make_room(settings.cache_dir, budget, keep=clone, at_least_one=True):
                raise
            return act()

    return await asyncio.to_thread(in_thread)


def _request(job: Job, pull: PullRequest, trees: Trees, lease: Lease, organisation: bytes | None) -> AnalysisRequest:
    settings = job.tools.settings
    return AnalysisRequest(
        repository=str(lease.path),
        merge_base=trees.merge_base,
        head=trees.head,
        merge=trees.merge,
        graph_note=trees.note,
        facts_dir=str(facts_dir(settings.cache_dir)),
        web_url=settings.github_url,
        owner=pull.owner,
        name=pull.name,
        number=pull.number,
        base_ref=pull.base_ref,
        base_sha=trees.base,
        seconds=settings.analysis_seconds,
        memory_bytes=settings.analysis_memory_mib * MIB,
        configured_at=trees.tip,
        organisation=organisation,
    )


def _words_request(settings: Settings, clone: Clone, commit: str) -> WordsRequest:
    return WordsRequest(
        repository=str(clone.git_dir),
        commit=commit,
        facts_dir=str(facts_dir(settings.cache_dir)),
        seconds=_WORDS_SECONDS,
        memory_bytes=settings.analysis_memory_mib * MIB,
    )


def _jitter(most: float) -> float:
    """Seconds to add to a pause, so that many jobs don't come back at the same moment."""
    return random.uniform(0.0, most)  # noqa: S311 - nothing secret

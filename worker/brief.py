"""The job: brief one pull request. `_brief` tells the story from top to bottom; the rest of the file is its safety net.

The net: one job per pull request at a time (worker/turns.py); trouble that passes is tried again through arq, with
growing pauses and never by sleeping here; whatever else goes wrong, the check run is concluded as neutral and says why.
"""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import msgspec
import structlog
from arq.connections import ArqRedis
from arq.worker import Retry

from worker import notices
from worker.analysis import GRACE_SECONDS, AnalysisRequest, Answer, Failure, analyse
from worker.answers import GitHubError, Gone, RateLimited, Refused, Rejected, Unavailable
from worker.clones import Clone, clone_at, fetch_commits, is_complete, parents_of, rebuild, remote_refs
from worker.disk import Budget, make_room, note_size, note_use
from worker.git import GitError, GitRunner
from worker.github import AppClient, CheckRun, InstallationClient, PullRequest
from worker.jobs import BriefJob, Wish, enqueue_brief, external_id, mark_briefed, queue_job, read_wish
from worker.leases import Lease, lease_worktree
from worker.locks import LockTimeoutError
from worker.merge import HeadMovedError, MergePendingError, Remote, Trees, choose_trees, settled_pull
from worker.records import OpenRun, Record, clear_open_run, read_open_run, write_open_run, write_record
from worker.settings import MIB, Settings
from worker.turns import turn

MOST_TRIES: Final = 6
"""Times a job starts before it is given up. A shutdown of the worker counts as well (arq counts starts)."""
MERGE_TRIES: Final = 3
"""Times a job starts before a test merge that isn't ready is given up for the head."""
_PAUSES: Final = (5.0, 15.0, 45.0, 120.0, 300.0)
_MERGE_PAUSE: Final = 3.0

_log = structlog.get_logger(__name__)
T = TypeVar("T")


class Tools(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker gives its jobs. `analyse` is `worker.analysis.analyse`, but for tests."""

    settings: Settings
    app: AppClient
    analyse: Callable[..., Awaitable[Answer | Failure]] = analyse


class _Job(msgspec.Struct, frozen=True, kw_only=True):
    """One start of one job."""

    tools: Tools
    redis: ArqRedis
    wish: BriefJob
    reference: str
    tries: int

    @property
    def place(self) -> tuple[str, int, int]:
        """The pull request's key in worker/records.py."""
        return self.tools.settings.github_host, self.wish.repository_id, self.wish.number


class AnalysisFailedError(Exception):
    """The analysis returned no briefing; the message is for the person who asked."""


def job_seconds(settings: Settings) -> float:
    """Seconds a job may take: two git commands at their limit, the analysis, and the requests around them."""
    return settings.git_seconds * 2 + settings.analysis_seconds + GRACE_SECONDS + 120.0


async def brief_pull_request(ctx: dict[str, Any], repository_id: int, number: int) -> None:
    """The arq job: answer the pull request's newest wish, if one is open and no other job is at it."""
    redis, tools = cast(ArqRedis, ctx["redis"]), cast(Tools, ctx["tools"])
    reference, tries = str(ctx["job_id"]), int(ctx["job_try"])
    taken: Wish | None = None
    try:
        async with turn(redis, repository_id, number, reference) as ours:
            if not ours:
                return
            taken = await read_wish(redis, repository_id, number)
            if taken is None or not taken.is_open:
                return
            with structlog.contextvars.bound_contextvars(
                job=reference,
                delivery=taken.job.delivery_id,
                repository=repository_id,
                pull=number,
                reason=taken.job.reason,
                tries=tries,
            ):
                await _answer(_Job(tools=tools, redis=redis, wish=taken.job, reference=reference, tries=tries))
            await mark_briefed(redis, repository_id, number, taken.generation)
    finally:
        if taken is not None:
            # Wishes that came meanwhile found the turn taken and their jobs ended: look again, now that it is free.
            newest = await read_wish(redis, repository_id, number)
            if newest is not None and newest.generation > taken.generation:
                await queue_job(redis, repository_id, number)


async def _answer(job: _Job) -> None:
    """Brief, or decide what the trouble means. Raises arq's Retry when it should be tried again."""
    settings = job.tools.settings
    await _respect_pause(job)
    async with job.tools.app.installation(job.wish.installation_id, job.wish.repository_id) as client:
        try:
            if job.tries > MOST_TRIES:
                raise AnalysisFailedError(f"It was started {MOST_TRIES} times and did not come to an end.")
            async with asyncio.timeout(job_seconds(settings)):
                await _brief(job, client)
        except RateLimited as error:
            await _pause_installation(job, error.seconds)
            raise Retry(defer=error.seconds + _jitter(5.0)) from error
        except Refused as error:
            await _give_up(job, client, error)
        except MergePendingError as error:
            _log.info("merge_pending", why=str(error))
            raise Retry(defer=_MERGE_PAUSE * job.tries) from error
        except Exception as error:
            if job.tries < _tries_for(error):
                pause = _PAUSES[min(job.tries, len(_PAUSES)) - 1]
                _log.warning("briefing_postponed", why=_reason(error), seconds=pause)
                raise Retry(defer=pause + _jitter(1.0)) from error
            _log.error("briefing_given_up", why=_reason(error), exc_info=_is_unexpected(error))
            await _give_up(job, client, error)


async def _brief(job: _Job, client: InstallationClient) -> None:
    """Brief the pull request at its current head."""
    pull = await client.pull(job.wish.owner, job.wish.name, job.wish.number)
    if pull.repository_id != job.wish.repository_id:
        _log.info("repository_replaced", now=pull.repository_id)  # another one has taken its name
        return
    await _conclude_open_run(job, client, pull)
    if not pull.open:
        _log.info("pull_request_closed")
        return
    run = await _start_check_run(job, client, pull)
    try:
        pull = await settled_pull(client, pull)
        answer = await _analysed(job, client, pull)
        if (await client.pull(pull.owner, pull.name, pull.number)).head_sha != pull.head_sha:
            raise HeadMovedError(pull.head_sha)
    except HeadMovedError:
        await _conclude(job, client, pull, run.id, notices.SUPERSEDED)
        # Its webhook asks for the new head; should that have been lost, this does.
        await enqueue_brief(job.redis, msgspec.structs.replace(job.wish, head_sha=None, reason="synchronize"))
        _log.info("briefing_superseded", head=pull.head_sha)
        return
    await _publish(job, client, pull, run, answer)


async def _analysed(job: _Job, client: InstallationClient, pull: PullRequest) -> Answer:
    """Fetch what is needed, lease a worktree, let the child process make the briefing. Raises AnalysisFailedError."""
    settings = job.tools.settings
    cache = settings.cache_dir
    clone = clone_at(cache, settings.github_host, pull.repository_id, settings.git_url(pull.owner, pull.name))
    runner = GitRunner(seconds=settings.git_seconds, ca_bundle=settings.ca_bundle, stop=threading.Event())
    try:
        remote = _remote(job, client, runner, clone)
        trees = await choose_trees(client, remote, pull, last_try=job.tries >= MERGE_TRIES)
        lease = await _with_room(job, clone, lambda: lease_worktree(runner, clone, trees.merge or trees.head))
        with lease:
            note_use(clone)
            measuring = asyncio.create_task(asyncio.to_thread(note_size, clone))
            result = await job.tools.analyse(_request(job, pull, trees, lease), fds=(lease.fd,))
            await measuring
        if isinstance(result, Answer):
            return result
        _log.warning("analysis_failed", what=result.what, why=result.message, detail=result.detail)
        commits = [sha for sha in (trees.merge, trees.head, trees.merge_base) if sha is not None]
        if not await asyncio.to_thread(is_complete, runner, clone, commits):
            await asyncio.to_thread(rebuild, runner, clone)
            raise GitError("broken", "the clone on the worker's disk was damaged and is being made again")
        raise AnalysisFailedError(result.message)
    finally:
        runner.stop.set()  # a cancelled job's git must not go on in its thread


def _remote(job: _Job, client: InstallationClient, runner: GitRunner, clone: Clone) -> Remote:
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


async def _with_room(job: _Job, clone: Clone, act: Callable[[], T]) -> T:
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


def _request(job: _Job, pull: PullRequest, trees: Trees, lease: Lease) -> AnalysisRequest:
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
    )


def facts_dir(cache_dir: Path) -> Path:
    """Where the facts cache lives."""
    return cache_dir.resolve() / "facts"


async def _start_check_run(job: _Job, client: InstallationClient, pull: PullRequest) -> CheckRun:
    body = {
        "status": "in_progress",
        "started_at": _now(),
        "external_id": external_id(pull.repository_id, pull.number, pull.head_sha),
    }
    run = await client.ensure_check_run(pull.owner, pull.name, pull.head_sha, body, notices.IN_PROGRESS.output())
    opened = OpenRun(check_run_id=run.id, head_sha=pull.head_sha, owner=pull.owner, name=pull.name)
    await write_open_run(job.redis, *job.place, opened)
    return run


async def _conclude_open_run(job: _Job, client: InstallationClient, pull: PullRequest) -> None:
    """Conclude a run that an earlier job left in progress on a head that is no longer to be briefed."""
    opened = await read_open_run(job.redis, *job.place)
    if opened is None or (pull.open and opened.head_sha == pull.head_sha):
        return
    await _conclude(job, client, pull, opened.check_run_id, notices.SUPERSEDED if pull.open else notices.CLOSED)


async def _conclude(
    job: _Job, client: InstallationClient, pull: PullRequest, run_id: int, notice: notices.Notice
) -> None:
    await client.update_check_run(pull.owner, pull.name, run_id, _completion(job, "neutral", notice.output()))
    await clear_open_run(job.redis, *job.place)


async def _publish(job: _Job, client: InstallationClient, pull: PullRequest, run: CheckRun, answer: Answer) -> None:
    """Complete the check run with the briefing, and remember what it was made against."""
    output: dict[str, Any] = {"title": answer.title, "summary": answer.summary}
    if answer.text:
        output["text"] = answer.text
    # GitHub adds annotations to those a run has, and never takes one away: they are sent to a run once.
    annotated = (
        output | {"annotations": answer.annotations[:50]} if answer.annotations and not run.annotations else output
    )
    conclusion = answer.conclusion
    try:
        await client.update_check_run(pull.owner, pull.name, run.id, _completion(job, conclusion, annotated))
    except Rejected as error:
        if annotated is output:
            raise
        _log.warning("annotations_rejected", why=str(error))
        await client.update_check_run(pull.owner, pull.name, run.id, _completion(job, conclusion, output))
    await clear_open_run(job.redis, *job.place)
    record = Record(
        head_sha=answer.head_sha,
        base_sha=answer.base_sha,
        merge_base=answer.merge_base,
        graph_from=answer.graph_from,
        briefed_at=_now(),
        check_run_id=run.id,
        conclusion=conclusion,
        incomplete=answer.incomplete,
    )
    await write_record(job.redis, *job.place, record)
    _log.info("briefed", head=answer.head_sha, base=answer.base_sha, graph_from=answer.graph_from, title=answer.title)


async def _give_up(job: _Job, client: InstallationClient, error: Exception) -> None:
    """Conclude the run that is in progress, if any, with the reason. Raises Retry while GitHub can't be told."""
    opened = await read_open_run(job.redis, *job.place)
    if opened is None:
        _log.warning("briefing_ended", why=_reason(error))
        return
    notice = notices.not_made(_reason(error), job.reference)
    try:
        await client.update_check_run(
            opened.owner, opened.name, opened.check_run_id, _completion(job, "neutral", notice.output())
        )
    except (Gone, Refused, Rejected) as refusal:
        _log.warning("check_run_left_open", why=str(refusal))  # nobody can conclude it any more
    except (Unavailable, RateLimited) as trouble:
        raise Retry(defer=120.0) from trouble
    await clear_open_run(job.redis, *job.place)


def _completion(job: _Job, conclusion: str, output: dict[str, Any]) -> dict[str, Any]:
    body = {
        "status": "completed",
        "conclusion": conclusion,
        "completed_at": _now(),
        "output": output,
        "actions": [notices.REBRIEF_ACTION],
    }
    public_url = job.tools.settings.public_url
    return body if public_url is None else body | {"details_url": public_url}


def _tries_for(error: Exception) -> int:
    """How often a job may start when it meets this trouble."""
    if isinstance(error, AnalysisFailedError | Rejected):
        return 0  # it would end the same way
    if isinstance(error, Gone) or (isinstance(error, GitError) and error.problem in {"gone", "other"}):
        return 2  # what was made this moment may not be everywhere yet
    if isinstance(error, GitError | Unavailable | LockTimeoutError):
        return MOST_TRIES
    return 2


def _is_unexpected(error: Exception) -> bool:
    return not isinstance(error, AnalysisFailedError | GitHubError | GitError | LockTimeoutError | TimeoutError)


def _reason(error: Exception) -> str:
    """Why there is no briefing, and what would help, for the person who looks at the check run."""
    if isinstance(error, AnalysisFailedError | GitHubError):
        return str(error)
    if isinstance(error, GitError):
        return f"{_GIT_REASONS.get(error.problem, 'Git could not do its part.')}\n{error}"
    if isinstance(error, LockTimeoutError):
        return "Other briefings of this repository kept the worker busy for too long. Re-brief when they are done."
    if isinstance(error, TimeoutError):
        return (
            "It took longer than a briefing may take. A faster connection or a larger CALLSHEET_GIT_SECONDS would help."
        )
    return f"An error in Callsheet itself ({type(error).__name__}). The worker's log has the details; please report it."


_GIT_REASONS: Final[dict[str, str]] = {
    "gone": "The repository could not be read with git: it is gone, or the App may not read its contents.",
    "refused": "Git was not let in: the App needs the permission contents: read for this repository.",
    "missing": "A commit of the pull request could no longer be fetched: it may have been replaced by a push.",
    "space": "The worker's disk is full, also after old clones were deleted. A larger disk would help.",
    "unavailable": "GitHub's git server could not be reached.",
    "timeout": "Fetching took too long. A larger CALLSHEET_GIT_SECONDS would help.",
    "broken": "The worker's copy of the repository was damaged.",
}


def _pause_key(job: _Job) -> str:
    return f"callsheet:pause:{job.tools.settings.github_host}:{job.wish.installation_id}"


async def _pause_installation(job: _Job, seconds: float) -> None:
    """Leave the installation alone until its rate limit is over: asking on makes a secondary limit longer."""
    _log.warning("rate_limited", seconds=seconds, installation=job.wish.installation_id)
    await job.redis.set(_pause_key(job), b"1", px=int(seconds * 1000) + 1)


async def _respect_pause(job: _Job) -> None:
    left = await job.redis.pttl(_pause_key(job))
    if left > 0:
        raise Retry(defer=left / 1000 + _jitter(5.0))


def _jitter(most: float) -> float:
    """Seconds to add to a pause, so that many jobs don't come back at the same moment."""
    return random.uniform(0.0, most)  # noqa: S311 - nothing secret


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

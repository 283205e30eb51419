"""The one check run of a pull request's head: put in progress, completed in place, never left open.

What is in progress is remembered in Redis *before* GitHub is asked to make it, so that whoever continues after a killed
worker knows that there may be a run, and asks GitHub whether there is. A pull request has one run in progress at most:
one on a former head is concluded before the next begins.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import structlog
from arq.worker import Retry

from worker import notices
from worker.analysis import Answer
from worker.answers import Gone, RateLimited, Refused, Rejected, Unavailable
from worker.errands import MarkStale, ask_errand, stale_key
from worker.github import InstallationClient
from worker.job import Job
from worker.jobs import external_id, parse_external_id
from worker.records import (
    OpenRun,
    Record,
    clear_open_run,
    clear_record,
    read_open_run,
    read_record,
    read_tip,
    write_open_run,
    write_record,
)
from worker.settings import Settings
from worker.shapes import CheckRun, PullRequest
from worker.trouble import reason

_log = structlog.get_logger(__name__)


async def put_in_progress(job: Job, client: InstallationClient, pull: PullRequest) -> CheckRun:
    """Find the run of the pull request's head and put it in progress, or make it. Raises GitHubError."""
    identity = external_id(pull.repository_id, pull.number, pull.head_sha)
    opened = OpenRun(
        check_run_id=0,
        head_sha=pull.head_sha,
        owner=pull.owner,
        name=pull.name,
        installation_id=job.wish.installation_id,
    )
    await write_open_run(job.redis, *job.place, opened)
    body = {"status": "in_progress", "started_at": now(), "external_id": identity}
    return await client.ensure_check_run(pull.owner, pull.name, pull.head_sha, body, notices.IN_PROGRESS.output())


async def conclude_former(job: Job, client: InstallationClient, pull: PullRequest) -> None:
    """Conclude a run that was left in progress on a head that is no longer to be briefed. Raises GitHubError."""
    opened = await read_open_run(job.redis, *job.place)
    if opened is None or (pull.open and opened.head_sha == pull.head_sha):
        return
    notice = notices.SUPERSEDED if pull.open else notices.CLOSED
    await conclude_open(job, client, opened, notice)


async def conclude_open(job: Job, client: InstallationClient, opened: OpenRun, notice: notices.Notice) -> None:
    """Conclude a run that is in progress; what GitHub says of it counts. Raises GitHubError."""
    run = await client.find_check_run(
        opened.owner, opened.name, opened.head_sha, external_id(*job.place[1:], opened.head_sha)
    )
    if run is not None and run.status != "completed":
        body = completion(job.tools.settings, "neutral", notice.output())
        await client.update_check_run(opened.owner, opened.name, run.id, body)
    await clear_open_run(job.redis, *job.place)


async def conclude(
    job: Job, client: InstallationClient, pull: PullRequest, run: CheckRun, notice: notices.Notice
) -> None:
    """Conclude this run with a notice instead of a briefing. Raises GitHubError."""
    body = completion(job.tools.settings, "neutral", notice.output())
    await client.update_check_run(pull.owner, pull.name, run.id, body)
    await clear_open_run(job.redis, *job.place)


async def publish(job: Job, client: InstallationClient, pull: PullRequest, run: CheckRun, answer: Answer) -> None:
    """Complete the check run with the briefing, and remember what it was made against. Raises GitHubError."""
    summary = notices.beside_others(answer.summary, pull.number, pull.base_ref, _numbers(run, pull.repository_id))
    output: dict[str, Any] = {"title": answer.title, "summary": summary}
    if answer.text:
        output["text"] = answer.text
    # GitHub adds annotations to those a run has, and never takes one away: they are sent to a run once.
    annotated = (
        output | {"annotations": answer.annotations[:50]} if answer.annotations and not run.annotations else output
    )
    settings, conclusion = job.tools.settings, answer.conclusion
    try:
        await client.update_check_run(pull.owner, pull.name, run.id, completion(settings, conclusion, annotated))
    except Rejected as error:
        if annotated is output:
            raise
        _log.warning("annotations_rejected", why=str(error))
        await client.update_check_run(pull.owner, pull.name, run.id, completion(settings, conclusion, output))
    await clear_open_run(job.redis, *job.place)
    record = Record(
        head_sha=answer.head_sha,
        base_sha=answer.base_sha,
        merge_base=answer.merge_base,
        graph_from=answer.graph_from,
        briefed_at=now(),
        check_run_id=run.id,
        conclusion=conclusion,
        incomplete=answer.incomplete,
        base_ref=pull.base_ref,
        pull_base_sha=pull.base_sha,
        names=answer.names,
        paths=answer.paths,
        all_named=answer.all_named,
        staleness=answer.staleness,
    )
    await write_record(job.redis, *job.place, record)
    await _look_whether_stale(job, pull, record)
    _log.info("briefed", head=answer.head_sha, base=answer.base_sha, graph_from=answer.graph_from, title=answer.title)


def _numbers(run: CheckRun, repository_id: int) -> tuple[int, ...]:
    """The other pull requests that have a check run on the same commit."""
    found = (parse_external_id(text) for text in run.beside)
    return tuple(sorted(place[1] for place in found if place is not None and place[0] == repository_id))


async def _look_whether_stale(job: Job, pull: PullRequest, record: Record) -> None:
    """A push to the base while the briefing was made found no briefing to mark."""
    tip = await read_tip(job.redis, job.place[0], pull.repository_id, pull.base_ref)
    if record.base_sha is None or tip is None or tip == record.base_sha:
        return
    errand = MarkStale(
        installation_id=job.wish.installation_id,
        repository_id=pull.repository_id,
        owner=pull.owner,
        name=pull.name,
        base_ref=pull.base_ref,
    )
    key = stale_key(pull.repository_id, pull.base_ref)
    await ask_errand(job.redis, errand, key=key, defer_seconds=job.tools.settings.stale_delay_seconds)


async def give_up(job: Job, client: InstallationClient, error: Exception) -> None:
    """Conclude the run that is in progress, if any, with the reason. Raises Retry while GitHub can't be told."""
    opened = await read_open_run(job.redis, *job.place)
    if opened is None:
        _log.warning("briefing_ended", why=reason(error))
        return
    record = await read_record(job.redis, *job.place)
    if record is not None and record.head_sha == opened.head_sha:
        await clear_record(job.redis, *job.place)  # the run shows something else now
    try:
        await conclude_open(job, client, opened, notices.not_made(reason(error), job.reference))
    except (Gone, Refused, Rejected) as refusal:
        _log.warning("check_run_left_open", why=str(refusal))  # nobody can conclude it any more
        await clear_open_run(job.redis, *job.place)
    except (Unavailable, RateLimited) as trouble:
        raise Retry(defer=120.0) from trouble


def completion(settings: Settings, conclusion: str, output: dict[str, Any]) -> dict[str, Any]:
    """The body that completes a check run: status, conclusion and time together, or pollers trip."""
    body = {
        "status": "completed",
        "conclusion": conclusion,
        "completed_at": now(),
        "output": output,
        "actions": [notices.REBRIEF_ACTION],
    }
    return body if settings.public_url is None else body | {"details_url": settings.public_url}


def now() -> str:
    """The time as GitHub writes it, UTC."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

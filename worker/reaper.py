"""Check runs that were left in progress: the last net, for what neither a job's own end nor another worker's caught.

GitHub's word counts, not ours: a run that is complete there is done, whatever Redis says.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

import structlog
from arq.connections import ArqRedis

from worker import notices
from worker.answers import GitHubError, Gone, RateLimited, Refused, Rejected
from worker.checkruns import completion
from worker.job import Tools, job_seconds
from worker.jobs import external_id, queue_job, read_wish
from worker.limits import pause, paused
from worker.records import OpenRun, Overdue, clear_open_run, overdue_runs, read_open_run, write_open_run
from worker.turns import is_held

MARGIN_SECONDS: Final = 120.0
_CHANCES: Final = 1
_CHANCES_TTL: Final = timedelta(days=1)

_log = structlog.get_logger(__name__)


async def reap(redis: ArqRedis, tools: Tools) -> int:
    """Give every overdue run another chance, and then conclude it; returns how many were concluded."""
    settings = tools.settings
    concluded = 0
    for overdue in await overdue_runs(redis, settings.github_host, job_seconds(settings) + MARGIN_SECONDS):
        place = (settings.github_host, overdue.repository_id, overdue.number)
        opened = await read_open_run(redis, *place)
        if opened is None or not opened.installation_id:
            await clear_open_run(redis, *place)
            continue
        if await is_held(redis, overdue.repository_id, overdue.number):
            continue
        if await paused(redis, settings.github_host, opened.installation_id):
            continue  # its job waits for the same
        if await _has_another_chance(redis, overdue, opened):
            await write_open_run(redis, *place, opened)  # its time begins anew
            await queue_job(redis, overdue.repository_id, overdue.number)
            continue
        try:
            concluded += await _conclude(tools, overdue, opened)
        except (Gone, Refused, Rejected) as error:
            _log.warning("check_run_left_open", why=str(error))  # nobody can conclude it any more
        except RateLimited as error:
            await pause(redis, settings.github_host, opened.installation_id, error)
            continue
        except GitHubError as error:
            _log.warning("reaping_postponed", why=str(error))
            continue
        await clear_open_run(redis, *place)
    return concluded


async def _has_another_chance(redis: ArqRedis, overdue: Overdue, opened: OpenRun) -> bool:
    """Whether a briefing is still wanted, and wasn't already started again for this run."""
    wish = await read_wish(redis, overdue.repository_id, overdue.number)
    if wish is None or not wish.is_open:
        return False
    key = f"callsheet:reaped:{overdue.repository_id}:{overdue.number}:{opened.head_sha}"
    chances = int(await redis.incr(key))
    await redis.pexpire(key, _CHANCES_TTL)
    return chances <= _CHANCES


async def _conclude(tools: Tools, overdue: Overdue, opened: OpenRun) -> bool:
    identity = external_id(overdue.repository_id, overdue.number, opened.head_sha)
    async with tools.app.installation(opened.installation_id, overdue.repository_id) as client:
        run = await client.find_check_run(opened.owner, opened.name, opened.head_sha, identity)
        if run is None or run.status == "completed":
            return False
        notice = notices.not_made("The worker that was making it stopped, and no other one finished it.", "reaper")
        body = completion(tools.settings, "neutral", notice.output())
        await client.update_check_run(opened.owner, opened.name, run.id, body)
    _log.warning("check_run_reaped", repository=overdue.repository_id, pull=overdue.number, head=opened.head_sha)
    return True

"""Open pull requests without a briefing: those from before the App was installed, and those whose webhook was lost.

A walk goes through an installation's repositories, the most recently pushed first, and lists their open pull requests;
those that have no finished check run are briefed, the newest first. It is background work: it keeps within hourly
budgets, leaves a reserve of GitHub's limit to live events, queues a briefing only while the queue is nearly empty, and
gives its turn back after some seconds. What it knows is in Redis, so any worker continues it:

    callsheet:to-list:HOST:INSTALLATION   repositories to look through: `ID:OWNER/NAME`, by priority
    callsheet:backlog:HOST:INSTALLATION   pull requests to look at: `ID:NUMBER:HEAD:OWNER/NAME`, by age
    callsheet:listed:HOST:INSTALLATION    when each repository was looked through last
"""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any, Final, cast

import msgspec
import structlog
from arq.connections import ArqRedis

from worker.access import shut_out, unmark_removed
from worker.answers import Gone, Rejected
from worker.errands import Walk, ask_errand, walk_key
from worker.github import ALL_REPOSITORIES, InstallationClient
from worker.job import Tools
from worker.jobs import QUEUE_NAME, BriefJob, enqueue_brief, external_id
from worker.limits import spend, without_headroom
from worker.listings import ListedPull, open_pulls, repositories, seconds_of
from worker.records import read_record
from worker.turns import is_held

TURN_SECONDS: Final = 20.0
LISTED_FIRST: Final = 30
"""Repositories that are looked through before their pull requests are briefed."""
QUEUED_AT_MOST: Final = 4
"""Jobs on the queue past which no briefing is added to it."""
_BUSY_SECONDS: Final = 5.0
_RECENTLY: Final = timedelta(days=1)
_STATE_TTL: Final = timedelta(days=14)
_ETAG_TTL: Final = timedelta(hours=12)
"""Past it a list that seems unchanged is looked through all the same: check runs are not part of it."""
_FIRST: Final = 10.0 * 1e9
"""Added to the priority of repositories that were named."""

_log = structlog.get_logger(__name__)


class _Candidate(msgspec.Struct, frozen=True):
    repository_id: int
    number: int
    head_sha: str
    owner: str
    name: str


class _Walker(msgspec.Struct, frozen=True):
    redis: ArqRedis
    tools: Tools
    client: InstallationClient
    installation_id: int

    def key(self, kind: str) -> str:
        return f"callsheet:{kind}:{self.tools.settings.github_host}:{self.installation_id}"

    async def no_headroom(self) -> float:
        settings = self.tools.settings
        await self.tools.share_rate(self.redis, self.installation_id)
        return await without_headroom(self.redis, settings.github_host, self.installation_id, settings.reserve_percent)


async def walk(redis: ArqRedis, tools: Tools, errand: Walk) -> None:
    """One turn of an installation's walk; what is left is asked for again. Raises GitHubError."""
    host = tools.settings.github_host
    if why := await shut_out(redis, host, errand.installation_id):
        _log.info("walk_dropped", installation=errand.installation_id, why=why)
        return
    async with tools.app.installation(errand.installation_id, ALL_REPOSITORIES) as client:
        walker = _Walker(redis, tools, client, errand.installation_id)
        ends = time.monotonic() + TURN_SECONDS
        await _plan(walker, errand)
        waiting = await _list(walker, ends)
        waiting = await _brief(walker, ends) or waiting
        left = await redis.zcard(walker.key("to-list")) + await redis.zcard(walker.key("backlog"))
    if left:
        again = Walk(installation_id=errand.installation_id, repositories=())
        await ask_errand(redis, again, key=walk_key(errand.installation_id), defer_seconds=max(waiting, 0.1))
    _log.info("walked", installation=errand.installation_id, left=left, seconds=waiting)


async def _plan(walker: _Walker, errand: Walk) -> None:
    """Note the repositories that are to be looked through."""
    redis, now = walker.redis, time.time()
    planned: dict[str, float] = {}
    if errand.repositories is None:
        page = await repositories(walker.client)
        listed = {
            int(member): seconds
            for member, seconds in await cast(Any, redis.zrange(walker.key("listed"), 0, -1, withscores=True))
        }
        # GitHub's word counts, should a webhook that gave one back have been lost.
        await unmark_removed(
            redis,
            walker.tools.settings.github_host,
            repositories=[repository.id for repository in page.value or ()],
        )
        for repository in page.value or ():
            pushed, last = seconds_of(repository.pushed_at), listed.get(repository.id, 0.0)
            # What was pushed lately comes first; then what was not looked at for longest.
            priority = pushed if now - pushed < _RECENTLY.total_seconds() or not last else -last
            planned[f"{repository.id}:{repository.owner.login}/{repository.name}"] = priority
    else:
        planned = {f"{number}:{owner}/{name}": now + _FIRST for number, owner, name in errand.repositories}
    if planned:
        await redis.zadd(walker.key("to-list"), planned)
    for kind in ("to-list", "backlog", "listed"):
        await redis.pexpire(walker.key(kind), _STATE_TTL)


async def _list(walker: _Walker, ends: float) -> float:
    """Look through some repositories' open pull requests; gives the seconds to wait when that was too many."""
    settings = walker.tools.settings
    for _ in range(LISTED_FIRST):
        found = await cast(Any, walker.redis.zrevrange(walker.key("to-list"), 0, 0))
        if not found or time.monotonic() > ends:
            return 0.0
        waiting = await walker.no_headroom() or await spend(
            walker.redis, settings.github_host, walker.installation_id, "listings", settings.listings_per_hour
        )
        if waiting:
            return waiting
        number, _, full_name = found[0].decode("utf-8", "replace").partition(":")
        owner, _, name = full_name.partition("/")
        try:
            await _list_one(walker, int(number), owner, name)
        except (Gone, Rejected) as error:
            _log.info("repository_not_listed", repository=number, why=str(error))
        async with walker.redis.pipeline(transaction=True) as pipe:
            pipe.zrem(walker.key("to-list"), found[0])
            pipe.zadd(walker.key("listed"), {number: time.time()})
            await pipe.execute()
    return 0.0


async def _list_one(walker: _Walker, repository_id: int, owner: str, name: str) -> None:
    redis = walker.redis
    etag_key = f"callsheet:etag-pulls:{walker.tools.settings.github_host}:{walker.installation_id}:{repository_id}"
    known = await cast(Any, redis.get(etag_key))
    number: int | None = 1
    first_etag: str | None = None
    while number is not None:
        etag = known.decode("ascii", "replace") if known is not None and number == 1 else None
        page = await open_pulls(walker.client, owner, name, number, etag)
        if page.value is None:
            return  # nothing was opened, pushed or closed since, and all of it was noted then
        if number == 1 and page.following is None:
            first_etag = page.etag
        noted = {
            f"{repository_id}:{pull.number}:{pull.head.sha}:{owner}/{name}": seconds_of(pull.created_at)
            for pull in page.value
            if not await _has_record(walker, repository_id, pull)
        }
        if noted:
            await redis.zadd(walker.key("backlog"), noted)
        number = int(page.following) if page.following is not None and page.following.isdecimal() else None
    if first_etag is not None:
        await redis.set(etag_key, first_etag, px=_ETAG_TTL)


async def _has_record(walker: _Walker, repository_id: int, pull: ListedPull) -> bool:
    record = await read_record(walker.redis, walker.tools.settings.github_host, repository_id, pull.number)
    return record is not None and record.head_sha == pull.head.sha


async def _brief(walker: _Walker, ends: float) -> float:
    """Queue briefings for pull requests that have none; gives the seconds to wait when that was too many."""
    redis, settings = walker.redis, walker.tools.settings
    while time.monotonic() < ends:
        found = await cast(Any, redis.zrevrange(walker.key("backlog"), 0, 0))
        if not found:
            return 0.0
        candidate = _candidate(found[0].decode("utf-8", "replace"))
        if candidate is not None:
            if await redis.zcard(QUEUE_NAME) > QUEUED_AT_MOST:
                return _BUSY_SECONDS
            if waiting := await walker.no_headroom():
                return waiting
            if await _needs_one(walker, candidate):
                waiting = await spend(
                    redis, settings.github_host, walker.installation_id, "backlog", settings.backlog_per_hour
                )
                if waiting:
                    return waiting
                await enqueue_brief(redis, _job(walker, candidate))
        await redis.zrem(walker.key("backlog"), found[0])
    return 0.0


async def _needs_one(walker: _Walker, candidate: _Candidate) -> bool:
    """Whether GitHub shows no finished check run of ours for the pull request's head, and none is being made."""
    if await is_held(walker.redis, candidate.repository_id, candidate.number):
        return False
    identity = external_id(candidate.repository_id, candidate.number, candidate.head_sha)
    try:
        run = await walker.client.find_check_run(candidate.owner, candidate.name, candidate.head_sha, identity)
    except (Gone, Rejected):
        return False
    return run is None or run.status != "completed"


def _job(walker: _Walker, candidate: _Candidate) -> BriefJob:
    return BriefJob(
        installation_id=walker.installation_id,
        repository_id=candidate.repository_id,
        owner=candidate.owner,
        name=candidate.name,
        number=candidate.number,
        reason="backlog",
    )


def _candidate(member: str) -> _Candidate | None:
    parts = member.split(":", 3)
    if len(parts) != 4 or not parts[0].isdecimal() or not parts[1].isdecimal():
        return None
    owner, _, name = parts[3].partition("/")
    return _Candidate(int(parts[0]), int(parts[1]), parts[2], owner, name)

"""Webhooks that GitHub could not deliver: it does not send them again by itself, so here it is asked to.

GitHub keeps deliveries for three days and lists every attempt; attempts at one webhook share its `guid`. One that was
taken in the end is known by that id (worker/jobs.py), so it isn't asked for again.
"""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any, Final, cast

import structlog
from arq.connections import ArqRedis

from worker.access import shut_out
from worker.answers import Gone, Rejected
from worker.github import THE_APP
from worker.job import Tools
from worker.jobs import seen_delivery
from worker.limits import without_headroom
from worker.listings import ListedDelivery, failed_deliveries, redeliver, seconds_of

KEPT: Final = timedelta(days=3)
OVERLAP: Final = timedelta(minutes=30)
"""How far behind the end of the last look the next one begins: a delivery is listed some time after it was made."""
MOST_ATTEMPTS: Final = 5
MOST_AT_ONCE: Final = 200
_ATTEMPT_PAUSE: Final = timedelta(minutes=2)

WANTED: Final[dict[str, frozenset[str]]] = {
    "pull_request": frozenset({"opened", "synchronize", "reopened", "ready_for_review", "edited"}),
    "check_run": frozenset({"requested_action", "rerequested"}),
    "check_suite": frozenset({"rerequested"}),
    "merge_group": frozenset({"checks_requested"}),
    "installation": frozenset({"created", "deleted", "suspend", "unsuspend"}),
    "installation_repositories": frozenset({"added", "removed"}),
    "repository": frozenset({"deleted", "transferred"}),
}
"""Events and actions that are worth sending again. (A lost push is made good by the next one.)"""

# The receiver could not read these: it would not be able to the next time.
_POINTLESS: Final = frozenset({400, 413, 415})

_log = structlog.get_logger(__name__)


async def sweep_deliveries(redis: ArqRedis, tools: Tools) -> int:
    """Ask GitHub to send failed deliveries again; returns how many. Raises GitHubError."""
    host = tools.settings.github_host
    began = time.time()
    swept_key = f"callsheet:swept:{host}"
    last = await cast(Any, redis.get(swept_key))
    oldest = max(float(last or 0.0) - OVERLAP.total_seconds(), began - KEPT.total_seconds())
    asked: set[str] = set()
    looked: set[str] = set()
    async for delivery in failed_deliveries(tools.app):
        if seconds_of(delivery.delivered_at) < oldest:
            break
        if delivery.guid in looked:
            continue
        looked.add(delivery.guid)
        if not await _is_wanted(redis, host, delivery):
            continue
        await tools.share_rate(redis, THE_APP)
        waiting = await without_headroom(redis, host, THE_APP, tools.settings.reserve_percent)
        if waiting or len(asked) >= MOST_AT_ONCE:
            _log.warning("sweep_cut_short", redelivered=len(asked), seconds=waiting)
            return len(asked)  # and the next look begins where this one did
        if not await _may_be_tried(redis, delivery.guid):
            continue
        try:
            await redeliver(tools.app, delivery.id)
        except (Gone, Rejected) as error:
            _log.info("redelivery_refused", guid=delivery.guid, why=str(error))
            continue
        asked.add(delivery.guid)
    await redis.set(swept_key, str(began), px=KEPT)
    if asked:
        _log.warning("deliveries_swept", redelivered=len(asked), failed=len(looked))
    return len(asked)


async def _is_wanted(redis: ArqRedis, host: str, delivery: ListedDelivery) -> bool:
    if delivery.action not in WANTED.get(delivery.event, frozenset()) or delivery.status_code in _POINTLESS:
        return False
    if await seen_delivery(redis, delivery.guid):
        return False
    shut = delivery.installation_id is not None and delivery.event not in {"installation", "installation_repositories"}
    return not (shut and await shut_out(redis, host, delivery.installation_id or 0, delivery.repository_id))


async def _may_be_tried(redis: ArqRedis, guid: str) -> bool:
    """An attempt takes its time, and what fails again and again is left to the reconciliation."""
    attempts_key = f"callsheet:redelivered:{guid}"
    if not await redis.set(f"{attempts_key}:lately", b"1", nx=True, px=_ATTEMPT_PAUSE):
        return False
    attempts = int(await redis.incr(attempts_key))
    await redis.pexpire(attempts_key, KEPT)
    return attempts <= MOST_ATTEMPTS

"""Check runs left in progress: who concludes them, and who has the last word."""

from __future__ import annotations

from typing import Any

import pytest

from app.standin import CheckRun, Pull
from tests.worker.service import Service
from worker.errands import Reap
from worker.jobs import enqueue_brief, external_id, read_wish
from worker.records import OpenRun, read_open_run, write_open_run
from worker.turns import turn


async def reap(service: Service) -> None:
    """Half an hour passes, and the reaper comes."""
    key = f"callsheet:open-runs:{service.settings.github_host}"
    for member in await service.redis.zrange(key, 0, -1):
        await service.redis.zadd(key, {member: 1.0})
    await service.ask(Reap())
    await service.work()


async def left_open(service: Service, *, run_id: int | None = None) -> tuple[Pull, CheckRun]:
    """A pull request whose run is in progress, and nobody is at it."""
    pull = service.pull(service.shop())
    run = await service.briefed(pull)
    run.status, run.conclusion, run.completed_at = "in_progress", None, None
    opened = OpenRun(
        check_run_id=run.id if run_id is None else run_id,
        head_sha=pull.head_sha,
        owner="acme",
        name="shop",
        installation_id=service.github.world.installation_id,
    )
    await write_open_run(service.redis, service.settings.github_host, pull.repository.id, pull.number, opened)
    return pull, run


@pytest.mark.parametrize("run_id", [None, 0])
async def test_a_run_nobody_is_at_stays_in_progress(service: Service, run_id: int | None) -> None:
    pull, run = await left_open(service, run_id=run_id)
    await reap(service)
    assert (run.status, run.conclusion) == ("completed", "neutral")
    assert "could not be made" in (run.output["title"] or "")
    assert [action["identifier"] for action in run.actions] == ["rebrief"]
    place = (service.settings.github_host, pull.repository.id, pull.number)
    assert await read_open_run(service.redis, *place) is None


async def test_a_run_in_progress_for_a_minute_is_reaped(service: Service) -> None:
    _, run = await left_open(service)
    await service.ask(Reap())
    await service.work()
    assert run.status == "in_progress"


async def test_a_run_that_is_complete_at_github_is_overwritten(service: Service) -> None:
    pull, run = await left_open(service)
    run.status, run.conclusion = "completed", "neutral"
    updates = run.updates
    await reap(service)
    assert (run.updates, run.output["title"]) == (updates, "briefing 1")
    place = (service.settings.github_host, pull.repository.id, pull.number)
    assert await read_open_run(service.redis, *place) is None


async def test_a_briefing_that_is_still_wanted_is_not_given_another_chance(service: Service) -> None:
    pull, run = await left_open(service)
    wish = await read_wish(service.redis, pull.repository.id, pull.number)
    assert wish is not None
    await enqueue_brief(service.redis, wish.job)
    await service.redis.delete("callsheet:queue")  # and its job was lost
    await reap(service)
    assert (run.status, run.output["title"]) == ("completed", "briefing 2")
    assert pull.check_runs() == [run]


async def test_a_run_somebody_works_at_is_reaped(service: Service) -> None:
    pull, run = await left_open(service)
    async with turn(service.redis, pull.repository.id, pull.number, "somebody"):
        await reap(service)
    assert run.status == "in_progress"


async def test_a_run_that_can_not_be_reached_keeps_the_reaper_busy(service: Service) -> None:
    pull, _ = await left_open(service)
    pull.repository.gone = True
    await reap(service)
    before = len(service.github.world.exchanges)
    await reap(service)
    assert len(service.github.world.exchanges) == before


async def test_a_worker_killed_before_its_run_was_noted_leaves_a_spinner(service: Service) -> None:
    """GitHub made the run, and the worker died before it could write down its id. Then comes a push."""
    pull, run = await left_open(service, run_id=0)
    old = pull.head_sha
    pull.push({"shop/prices.py": "def price(day):\n    return 1\n"})
    await service.tell(pull.synchronized())
    await service.work()
    assert (run.head_sha, run.status, run.output["title"]) == (old, "completed", "Superseded by a newer push")
    assert service.only_run(pull).output["title"] == "briefing 2"


async def test_redis_that_forgets_in_the_middle_swallows_the_next_push(service: Service) -> None:
    pull = service.pull(service.shop())
    for _ in range(3):
        await service.tell(pull.event("reopened"))
        await service.work()
    service.analyst.meanwhile = service.redis.flushdb
    await service.tell(pull.event("reopened"))
    await service.work()
    pull.push({"shop/prices.py": "def price(day):\n    return 1\n"})
    await service.tell(pull.synchronized())
    await service.work()
    assert service.only_run(pull).status == "completed"


async def test_a_head_that_has_its_briefing_is_briefed_for_nothing(service: Service) -> None:
    pull = service.pull(service.shop(), draft=True)
    run = await service.briefed(pull)
    updates = run.updates
    for event in (pull.synchronized(), pull.event("ready_for_review"), pull.opened()):
        await service.tell(event)
        await service.work()
    assert (run.updates, len(service.analyst.requests)) == (updates, 1)
    await service.tell(run.pressed("rebrief"))
    await service.work()
    assert len(service.analyst.requests) == 2


@pytest.mark.parametrize("how", ["deleted at GitHub", "left in progress"])
async def test_a_briefing_github_no_longer_shows_is_believed(service: Service, how: str) -> None:
    pull = service.pull(service.shop())
    run = await service.briefed(pull)
    if how == "left in progress":
        run.status, run.conclusion = "in_progress", None
    else:
        del pull.repository.check_runs[run.id]
    await service.tell(pull.synchronized())
    await service.work()
    assert service.only_run(pull).output["title"] == "briefing 2"


async def test_an_error_leaves_the_record_of_the_briefing_it_replaced(service: Service) -> None:
    pull = service.pull(service.shop())
    run = await service.briefed(pull)
    assert run.external_id == external_id(pull.repository.id, pull.number, pull.head_sha)

    def fail() -> Any:
        service.github.faults.refuse("GET", "/pulls/1$", status=422, times=1)

    service.analyst.meanwhile = fail
    await service.tell(run.pressed("rebrief"))
    await service.work()
    assert "could not be made" in (run.output["title"] or "")
    await service.tell(pull.synchronized())
    await service.work()
    assert run.output["title"] == "briefing 3"


async def test_waiting_for_github_uses_up_the_tries(service: Service) -> None:
    pull = service.pull(service.shop())
    await service.tell(pull.opened())
    for _ in range(10):
        service.github.faults.secondary_limit("GET", "/pulls/1$", retry_after=600)
        await service.work()
        assert await service.deferred() == 1
        await service.an_hour_passes()
    await service.work()
    assert service.only_run(pull).output["title"] == "briefing 1"

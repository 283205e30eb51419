"""Errands: merge queues and suites, and that none is lost, doubled or slept in."""

from __future__ import annotations

import pytest
from arq.connections import ArqRedis
from redis.exceptions import ConnectionError as RedisConnectionError

from tests.worker.service import Service
from worker.answers import RateLimited
from worker.errands import ERRAND_QUEUE, MarkStale, Reap, ask_errand, begin_errand, read_errand
from worker.limits import pause, paused, spend
from worker.upkeep import ask_periodic_errands


async def test_a_merge_queue_waits_for_us(service: Service) -> None:
    shop = service.shop()
    pull = service.pull(shop)
    event = shop.queued(pull)
    for _ in range(2):  # told twice
        await service.tell(event)
        await service.work()
    head = event.payload["merge_group"]["head_sha"]
    (run,) = [run for run in shop.check_runs.values() if run.head_sha == head]
    assert (run.name, run.status, run.conclusion, run.actions) == ("Callsheet", "completed", "success", [])
    assert (await service.tell(service.github.world.shapes.repository_event(shop, "edited")))["outcome"] == "ignored"
    destroyed = type(event)(event.name, event.payload | {"action": "destroyed", "reason": "merged"})
    assert (await service.tell(destroyed))["outcome"] == "ignored"
    assert service.analyst.requests == []


async def test_an_answer_lost_in_a_merge_queue_makes_two_runs(service: Service) -> None:
    shop = service.shop()
    event = shop.queued(service.pull(shop))
    service.github.faults.lose_answer("POST", "/check-runs$")
    await service.tell(event)
    await service.work()
    assert len(shop.check_runs) == 1


async def test_run_all_checks_again_does_nothing_for_forks(service: Service) -> None:
    shop = service.shop()
    pulls = [service.pull(shop, 1, fork="mallory"), service.pull(shop, 2)]
    pulls[1].head_sha = pulls[0].head_sha  # two pull requests from one commit
    shop.git.set_ref("refs/pull/2/head", pulls[0].head_sha)
    for pull in pulls:
        await service.tell(pull.opened())
    await service.work()
    runs = sorted(pulls[0].check_runs(), key=lambda run: run.external_id)
    assert [run.external_id.split(":")[1] for run in runs] == ["1", "2"]
    updates = [run.updates for run in runs]
    await service.tell(runs[0].suite_rerequested())
    await service.work()
    assert all(run.updates > before for run, before in zip(runs, updates, strict=True))
    assert sorted(pulls[0].check_runs(), key=lambda run: run.external_id) == runs
    assert (runs[0].output["summary"] or "").startswith("This is the briefing of `#1` into `main`; its head is also")
    assert "that of `#1`." in (runs[1].output["summary"] or "")


@pytest.mark.parametrize("whose", ["another check of the same App", "another App's"])
async def test_a_suite_without_a_run_of_ours_is_briefed(service: Service, whose: str) -> None:
    pull = service.pull(service.shop())
    run = await service.briefed(pull)
    event = run.suite_rerequested()
    if whose == "another App's":
        service.tools.app.app_id += 1  # it knows itself by another number
    else:
        run.name = "Another check"
    await service.tell(event)
    await service.work()
    assert len(service.analyst.requests) == 1


async def test_a_github_that_is_away_for_a_moment_costs_the_errand(service: Service) -> None:
    shop = service.shop()
    service.github.faults.refuse("POST", "/check-runs$", status=503, times=5)
    await service.tell(shop.queued(service.pull(shop)))
    await service.work()
    assert [run.conclusion for run in shop.check_runs.values()] == ["success"]


def stale(ref: str = "main") -> MarkStale:
    return MarkStale(installation_id=5, repository_id=900, owner="acme", name="shop", base_ref=ref)


async def test_the_same_errand_waits_twice(redis: ArqRedis) -> None:
    assert await ask_errand(redis, stale(), key="stale:900:main", defer_seconds=60)
    assert not await ask_errand(redis, stale(), key="stale:900:main", defer_seconds=60)
    assert await ask_errand(redis, stale("next"), key="stale:900:next", defer_seconds=60)
    assert await redis.zcard(ERRAND_QUEUE) == 2


async def test_what_is_asked_while_the_errand_runs_is_lost(redis: ArqRedis) -> None:
    await ask_errand(redis, stale(), key="stale:900:main")
    await begin_errand(redis, "stale:900:main")
    assert await ask_errand(redis, stale(), key="stale:900:main")


async def test_a_marker_whose_errand_was_never_queued_swallows_the_next(redis: ArqRedis) -> None:
    """The receiver died between the two."""
    await redis.set("callsheet:errand:stale:900:main", "errand:never-queued")
    assert await ask_errand(redis, stale(), key="stale:900:main")


async def test_an_errand_of_another_version_ends_the_worker(service: Service, redis: ArqRedis) -> None:
    for data in (b"", b"\xc1", b"\x81\xa4type\xa7unknown", "text", 5):
        assert read_errand(data) is None
    await redis.enqueue_job("run_errand", b"\xc1", None, _job_id="errand:odd", _queue_name=ERRAND_QUEUE)
    await service.ask(Reap())
    await service.work()
    assert await redis.zcard(ERRAND_QUEUE) == 0


async def test_each_worker_asks_for_what_is_due(service: Service, redis: ArqRedis) -> None:
    for _ in range(5):
        await ask_periodic_errands(redis, service.settings)
    assert await redis.zcard(ERRAND_QUEUE) == 0  # a fresh Redis: things settle first
    for name in ("SweepDeliveries", "Reap", "Reconcile"):
        assert 1 < await redis.ttl(f"callsheet:due:{name}") <= 60
        await redis.delete(f"callsheet:due:{name}")
    for _ in range(5):
        await ask_periodic_errands(redis, service.settings)
    assert await redis.zcard(ERRAND_QUEUE) == 3
    assert 3500 < await redis.ttl("callsheet:due:Reconcile") <= 3600


async def test_a_limit_without_an_end_is_asked_at_the_same_pace(redis: ArqRedis) -> None:
    untold = RateLimited("secondary", 60.0, 403, told=False)
    waits = [await pause(redis, "github.com", 5, untold) for _ in range(6)]
    assert waits == [60.0, 120.0, 240.0, 480.0, 900.0, 900.0]
    assert 890 < await paused(redis, "github.com", 5) <= 901
    assert await paused(redis, "github.com", 6) == 0.0
    assert await pause(redis, "github.com", 6, RateLimited("secondary", 7.0, 403)) == 7.0


async def test_a_budget_is_spent_twice_by_two_workers(redis: ArqRedis) -> None:
    granted = [await spend(redis, "github.com", 5, "stale", 3) for _ in range(5)]
    assert granted[:3] == [0.0, 0.0, 0.0]
    assert all(3590 < seconds <= 3600 for seconds in granted[3:])
    assert await spend(redis, "github.com", 6, "stale", 3) == 0.0


async def test_a_redis_that_is_away_for_a_moment_costs_the_errand(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worker.upkeep._REDIS_PAUSE", 0.02)
    away = [RedisConnectionError("away")]

    async def looked_up(*place: object) -> str | None:
        if away:
            raise away.pop()
        return None

    monkeypatch.setattr("worker.upkeep.shut_out", looked_up)
    shop = service.shop()
    await service.tell(shop.queued(service.pull(shop)))
    await service.work()
    assert [run.conclusion for run in shop.check_runs.values()] == ["success"]

"""Open pull requests without a briefing: from before the App was installed, and those whose webhook nobody took."""

from __future__ import annotations

import pytest

from tests.worker.service import Service
from worker.errands import Reconcile, Walk
from worker.jobs import QUEUE_NAME
from worker.limits import Rate, note_rate


async def test_pull_requests_from_before_the_installation_get_no_briefing(service: Service) -> None:
    shop = service.shop()
    pulls = [service.pull(shop, number) for number in range(1, 5)]
    pulls[3].close()
    await service.tell(service.github.world.installation_event("created"))
    await service.work()
    assert [service.only_run(pull).output["title"] for pull in pulls[:3]]
    assert pulls[3].check_runs() == []
    # Asked for the newest first; jobs of one millisecond are taken in any order.
    assert sorted(request.number for request in service.analyst.requests) == [1, 2, 3]


async def test_an_installation_with_many_pull_requests_is_briefed_all_at_once(service: Service) -> None:
    service.change(backlog_per_hour=2)
    shop = service.shop()
    pulls = [service.pull(shop, number) for number in range(1, 6)]
    await service.tell(service.github.world.installation_event("created"))
    await service.work()
    assert [len(pull.check_runs()) for pull in pulls] == [0, 0, 0, 1, 1]
    assert await service.deferred() == 1
    await service.an_hour_passes()
    await service.work()
    assert [len(pull.check_runs()) for pull in pulls] == [0, 1, 1, 1, 1]


async def test_a_repository_added_later_waits_for_its_next_push(service: Service) -> None:
    shop, tools = service.shop(), service.shop("acme/tools")
    old, new = service.pull(shop), service.pull(tools)
    await service.tell(service.github.world.repositories_event("added", [tools]))
    await service.work()
    assert service.only_run(new).status == "completed"
    assert old.check_runs() == []


async def test_only_the_first_page_of_repositories_or_pull_requests_is_looked_at(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.standin.calls.MAX_PER_PAGE", 2)
    shops = [service.shop(f"acme/shop-{number}") for number in range(5)]
    pulls = [service.pull(shop) for shop in shops] + [service.pull(shops[0], number) for number in range(2, 5)]
    await service.ask(Walk(installation_id=service.github.world.installation_id))
    for _ in range(4):
        await service.work()
        await service.an_hour_passes()
    assert [service.only_run(pull).status for pull in pulls] == ["completed"] * 8


async def test_a_walk_keeps_the_queue_full(service: Service) -> None:
    """Briefings of the backlog wait while others do."""
    shop = service.shop()
    for number in range(1, 9):
        service.pull(shop, number)
    most: list[int] = []

    async def count() -> None:
        most.append(await service.redis.zcard(QUEUE_NAME))
        service.analyst.meanwhile = count

    service.analyst.meanwhile = count
    await service.tell(service.github.world.installation_event("created"))
    for _ in range(8):
        await service.work()
        await service.an_hour_passes()
    assert len(service.analyst.requests) == 8
    assert max(most) <= 6


async def test_what_has_its_briefing_is_briefed_again(service: Service) -> None:
    shop = service.shop()
    run = await service.briefed(service.pull(shop))
    updates = run.updates
    await service.redis.flushdb()  # Redis lost its memory, and GitHub knows
    for _ in range(2):
        await service.ask(Reconcile())
        await service.work()
    assert (run.updates, len(service.analyst.requests)) == (updates, 1)


async def test_a_pull_request_whose_webhook_was_lost_stays_without_a_briefing(service: Service) -> None:
    shop = service.shop()
    told, lost = service.pull(shop, 1), service.pull(shop, 2)
    await service.briefed(told)
    lost_head = told.push({"shop/prices.py": "def price(day):\n    return 1\n"})
    await service.ask(Reconcile())
    await service.work()
    assert service.only_run(lost).status == "completed"
    assert service.only_run(told, lost_head).status == "completed"


async def test_a_spinner_redis_knows_nothing_of_turns_for_ever(service: Service) -> None:
    shop = service.shop()
    pull = service.pull(shop)
    run = await service.briefed(pull)
    run.status, run.conclusion = "in_progress", None
    await service.redis.flushdb()
    await service.ask(Reconcile())
    await service.work()
    assert (run.status, pull.check_runs()) == ("completed", [run])


async def test_a_list_that_has_not_changed_is_paid_for_each_time(service: Service) -> None:
    shop = service.shop()
    await service.briefed(service.pull(shop))
    await service.ask(Reconcile())
    await service.work()
    left = service.github.world.requests_left
    listed = len(service.requests("GET", "/pulls"))
    await service.ask(Walk(installation_id=service.github.world.installation_id))
    await service.work()
    assert len(service.requests("GET", "/pulls")) == listed + 1
    assert left - service.github.world.requests_left == 1  # the list of repositories


async def test_background_work_takes_the_last_requests_from_live_events(service: Service) -> None:
    shop = service.shop()
    old, live = service.pull(shop, 1), service.pull(shop, 2)
    world = service.github.world
    world.requests_left = 1900  # of 5000, and forty percent are kept back
    await service.tell(live.opened())
    await service.work()
    await service.ask(Walk(installation_id=world.installation_id))
    await service.work()
    assert service.only_run(live).status == "completed"
    assert old.check_runs() == []
    assert await service.deferred() == 1
    world.requests_left = 5000
    await service.an_hour_passes()
    await service.work()
    assert service.only_run(old).status == "completed"


async def test_requests_are_sent_although_none_is_left(service: Service) -> None:
    import time

    world = service.github.world
    pull = service.pull(service.shop())
    await note_rate(
        service.redis, service.settings.github_host, world.installation_id, Rate(0, 5000, int(time.time()) + 600)
    )
    await service.tell(pull.opened())
    await service.work()
    assert world.exchanges == []
    await service.an_hour_passes()
    await service.work()
    assert service.only_run(pull).status == "completed"


async def test_a_repository_that_is_gone_stops_the_walk(service: Service) -> None:
    gone, shop = service.shop("acme/gone"), service.shop()
    pull = service.pull(shop)
    event = service.github.world.repositories_event("added", [gone, shop])
    gone.gone = True
    await service.tell(event)
    await service.work()
    assert service.only_run(pull).status == "completed"

"""Webhooks GitHub could not deliver: which are asked for again, and which had better not be."""

from __future__ import annotations

from datetime import timedelta

import pytest

from app.standin import Delivery
from tests.worker.service import Service
from worker.errands import SweepDeliveries
from worker.jobs import claim_delivery


async def sweep(service: Service) -> list[str]:
    """Sweep; the ids of the deliveries that were asked for again. (Nobody listens: they fail again.)"""
    before = len(service.requests("POST", "/attempts"))
    await service.ask(SweepDeliveries())
    await service.work()
    asked = service.requests("POST", "/attempts")[before:]
    known = {str(each.id): each.guid for each in service.github.world.deliveries}
    return [known[path.split("/")[-2]] for path in asked]


async def later(service: Service) -> None:
    """Some minutes pass."""
    async for key in service.redis.scan_iter(match="callsheet:redelivered:*:lately"):
        await service.redis.delete(key)


@pytest.fixture
def nobody(service: Service) -> Service:
    """The receiver is away: whatever is sent again fails again."""
    service.github.hook_url = "http://127.0.0.1:9/webhooks"
    return service


def lost(service: Service, pulls: int = 1) -> list[Delivery]:
    shop = service.shop()
    return [service.github.lose(service.pull(shop, number).opened()) for number in range(1, pulls + 1)]


async def test_a_webhook_nobody_took_is_lost(nobody: Service) -> None:
    failed = lost(nobody)
    assert await sweep(nobody) == [failed[0].guid]


async def test_a_webhook_that_was_taken_in_the_end_is_asked_for_again(nobody: Service) -> None:
    failed = lost(nobody)
    await claim_delivery(nobody.redis, failed[0].guid)
    assert await sweep(nobody) == []


async def test_of_thousands_of_failures_those_that_do_not_matter_are_asked_for(nobody: Service) -> None:
    shop = nobody.shop()
    pull = nobody.pull(shop)
    github = nobody.github
    for action in ("labeled", "assigned", "closed", "review_requested"):
        github.lose(pull.event(action))
    github.lose(shop.pushed("main", {"x.md": "x\n"}))
    wanted = [github.lose(event) for event in (pull.synchronized(), shop.queued(pull))]
    wanted.append(github.lose(github.world.installation_event("created")))
    assert sorted(await sweep(nobody)) == sorted(delivery.guid for delivery in wanted)


async def test_every_attempt_of_one_webhook_counts_as_one_more_failure(nobody: Service) -> None:
    failed = lost(nobody)
    await sweep(nobody)
    nobody.github.lose(failed[0].event)  # meanwhile another one fails
    await later(nobody)
    assert len(await sweep(nobody)) == 2


async def test_a_webhook_that_keeps_failing_is_asked_for_without_end(nobody: Service) -> None:
    lost(nobody)
    for _ in range(7):
        await sweep(nobody)
        await later(nobody)
    assert len(nobody.requests("POST", "/attempts")) == 5


async def test_a_second_look_at_once_asks_again(nobody: Service) -> None:
    lost(nobody)
    assert len(await sweep(nobody)) == 1
    assert await sweep(nobody) == []


async def test_what_the_receiver_could_not_read_is_sent_again(nobody: Service) -> None:
    failed = lost(nobody, 2)
    deliveries = nobody.github.world.deliveries
    for index, status in ((0, 400), (1, 401)):
        deliveries[index] = Delivery(
            **{name: getattr(deliveries[index], name) for name in Delivery.__dataclass_fields__} | {"status": status}
        )
    # The secret was wrong: it may be right now.
    assert await sweep(nobody) == [failed[1].guid]


async def test_failures_past_the_first_page_are_overlooked(nobody: Service) -> None:
    """More failures than a page holds, most of them of no interest."""
    failed = lost(nobody)[0]
    (shop,) = nobody.github.world.repositories.values()
    noise = nobody.github.lose(shop.event("edited"))
    deliveries = nobody.github.world.deliveries
    for number in range(250):
        fields = {name: getattr(noise, name) for name in Delivery.__dataclass_fields__}
        deliveries.append(Delivery(**fields | {"id": 10**12 + number, "guid": f"noise-{number}"}))
    assert await sweep(nobody) == [failed.guid]
    assert len(nobody.requests("GET", "/app/hook/deliveries")) == 3


async def test_failures_from_before_the_last_look_are_read_again(nobody: Service) -> None:
    failed = lost(nobody)[0]
    await sweep(nobody)
    deliveries = nobody.github.world.deliveries
    for index, each in enumerate(deliveries):
        fields = {name: getattr(each, name) for name in Delivery.__dataclass_fields__}
        deliveries[index] = Delivery(**fields | {"at": each.at - timedelta(hours=2)})
    await later(nobody)
    assert await sweep(nobody) == []
    await nobody.redis.delete(f"callsheet:swept:{nobody.settings.github_host}")  # but after a loss of memory they are
    assert await sweep(nobody) == [failed.guid]


async def test_a_suspended_installation_is_sent_its_webhooks_again(nobody: Service) -> None:
    lost(nobody)
    await nobody.tell(nobody.github.world.suspend())
    assert await sweep(nobody) == []


async def test_the_sweep_takes_the_last_requests(nobody: Service) -> None:
    lost(nobody, 3)
    nobody.github.world.requests_left = 1000
    assert await sweep(nobody) == []
    nobody.github.world.requests_left = 5000
    await nobody.an_hour_passes()
    await later(nobody)
    assert len(await sweep(nobody)) == 3

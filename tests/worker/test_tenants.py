"""Installations come and go: what happens to their jobs, their data, and their neighbours."""

from __future__ import annotations

import asyncio
from pathlib import Path

from app.standin import Pull
from tests.worker.service import Service
from worker.access import removed
from worker.disk import delete_removed
from worker.errands import Reconcile
from worker.jobs import read_wish


def clone_of(service: Service, pull: Pull) -> Path:
    host = service.settings.github_host.replace(":", "_")
    return service.settings.cache_dir / "clones" / host / str(pull.repository.id) / "clone.git"


async def clean(service: Service) -> int:
    """What every worker does every few seconds."""
    gone = await removed(service.redis, service.settings.github_host)
    return await asyncio.to_thread(delete_removed, service.settings.cache_dir, service.settings.github_host, gone)


async def keys_of(service: Service, pull: Pull) -> set[str]:
    marks = (f":{pull.repository.id}:", f":{service.github.world.installation_id}")
    kept = {key.decode() async for key in service.redis.scan_iter(match="callsheet:*")}
    return {key for key in kept if any(mark in key + ":" for mark in marks)}


async def test_the_data_of_an_uninstalled_app_is_kept(service: Service) -> None:
    pull = service.pull(service.shop())
    await service.briefed(pull)
    assert await keys_of(service, pull)
    assert clone_of(service, pull).exists()
    await service.tell(service.github.world.uninstall())
    await service.work()
    assert {key for key in await keys_of(service, pull) if "pause" not in key and "rate" not in key} == set()
    assert await clean(service) == 1
    assert not clone_of(service, pull).exists()
    before = len(service.github.world.exchanges)
    await service.tell(pull.synchronized())
    await service.work()
    assert len(service.github.world.exchanges) == before  # its jobs are dropped without a question


async def test_a_repository_taken_away_takes_its_neighbour_with_it(service: Service) -> None:
    shop, tools = service.shop(), service.shop("acme/tools")
    one, other = service.pull(shop), service.pull(tools)
    await service.briefed(one)
    await service.briefed(other)
    await service.tell(service.github.world.repositories_event("removed", [shop]))
    await service.work()
    assert await clean(service) == 1
    assert not clone_of(service, one).exists()
    assert clone_of(service, other).exists()
    assert await service.record(one) is None
    assert await service.record(other) is not None
    one.push({"shop/prices.py": "x = 1\n"})
    await service.tell(one.synchronized())
    await service.work()
    assert one.check_runs() == []


async def test_a_repository_given_back_stays_shut_out(service: Service) -> None:
    shop = service.shop()
    pull = service.pull(shop)
    await service.tell(service.github.world.repositories_event("removed", [shop]))
    await service.tell(service.github.world.repositories_event("added", [shop]))
    await service.work()
    assert service.only_run(pull).status == "completed"
    assert await clean(service) == 0


async def test_a_deleted_repository_leaves_its_clone(service: Service) -> None:
    shop = service.shop()
    pull = service.pull(shop)
    await service.briefed(pull)
    await service.tell(shop.event("deleted"))
    await service.work()
    assert await clean(service) == 1
    assert await service.record(pull) is None


async def test_a_transferred_repository_keeps_what_was_known_under_its_former_owner(service: Service) -> None:
    shop = service.shop()
    pull = service.pull(shop)
    run = await service.briefed(pull)
    shop.former_names.append(shop.full_name)
    shop.owner = "umbrella"
    await service.tell(shop.event("transferred", changes={"owner": {"from": {"organization": {"login": "acme"}}}}))
    await service.work()
    assert await service.record(pull) is None
    await service.an_hour_passes()
    await service.work()
    assert pull.check_runs() == [run]  # GitHub still shows it
    pull.push({"shop/prices.py": "def price(day):\n    return 1\n"})
    await service.tell(pull.synchronized())
    await service.work()
    assert service.only_run(pull).status == "completed"


async def test_a_rename_or_a_change_of_visibility_costs_anything(service: Service) -> None:
    shop = service.shop()
    pull = service.pull(shop)
    await service.briefed(pull)
    shop.rename("store")
    for action in ("renamed", "privatized", "publicized", "archived"):
        assert (await service.tell(shop.event(action)))["outcome"] == "ignored"
    pull.push({"shop/prices.py": "def price(day):\n    return 1\n"})
    await service.tell(pull.synchronized())
    await service.work()
    assert service.only_run(pull).output["title"] == "briefing 2"
    assert len(list((service.settings.cache_dir / "clones").glob("*/*"))) == 1


async def test_a_suspended_installation_is_worked_for(service: Service) -> None:
    shop = service.shop()
    pull = service.pull(shop)
    world = service.github.world
    await service.tell(world.suspend())
    await service.tell(pull.opened())
    await service.work()
    assert world.exchanges == []
    wish = await read_wish(service.redis, shop.id, 1)
    assert wish is not None
    assert not wish.is_open
    await service.tell(world.unsuspend())
    await service.work()
    assert service.only_run(pull).status == "completed"  # and what came meanwhile is made good


async def test_a_suspension_nobody_told_is_found_out_again_and_again(service: Service) -> None:
    shop = service.shop()
    pulls = [service.pull(shop, number) for number in (1, 2, 3)]
    service.github.world.suspended = True
    for pull in pulls:
        await service.tell(pull.opened())
        await service.work()
    assert len(service.requests("POST", "/access_tokens")) == 1


async def test_an_uninstallation_nobody_told_leaves_the_data(service: Service) -> None:
    pull = service.pull(service.shop())
    await service.briefed(pull)
    service.github.world.uninstall()  # and its webhook is lost
    await service.ask(Reconcile())
    await service.work()
    assert await service.record(pull) is None
    assert await clean(service) == 1


async def test_a_clone_in_use_is_deleted_under_the_job(service: Service) -> None:
    shop = service.shop()
    pull = service.pull(shop)
    deleted: list[int] = []

    async def take_away() -> None:
        await service.tell(service.github.world.repositories_event("removed", [shop]))
        deleted.append(await clean(service))

    service.analyst.meanwhile = take_away
    await service.tell(pull.opened())
    await service.work()
    assert deleted == [0]
    assert await clean(service) == 1


async def test_two_githubs_share_a_clone_or_a_record(service: Service) -> None:
    pull = service.pull(service.shop())
    await service.briefed(pull)
    assert await clean(service) == 0
    gone = await removed(service.redis, "github.com")
    assert (gone.installations, gone.repositories) == (frozenset(), frozenset())


async def test_what_was_given_back_and_nobody_told_stays_shut_out(service: Service) -> None:
    shop = service.shop()
    pull = service.pull(shop)
    world = service.github.world
    await service.tell(world.repositories_event("removed", [shop]))
    await service.tell(world.installation_event("deleted"))
    await service.work()
    await service.ask(Reconcile())  # GitHub says that both are there
    await service.work()
    assert service.only_run(pull).status == "completed"

"""The base branch moves on: which briefings are said to be stale, what is asked for it, and what it may cost."""

from __future__ import annotations

import pytest

from app.standin import CheckRun
from tests.worker.service import Service
from worker.records import Record
from worker.shapes import ChangedFile, Changes, Output
from worker.stale import Effect, effect_of, stale_output

UNRELATED = {"docs/readme.md": "Hello\n"}
CALLER = {"shop/gifts.py": "from shop.prices import price\nprice()\n"}


def title(run: CheckRun) -> str:
    return run.output["title"] or ""


def summary(run: CheckRun) -> str:
    return run.output["summary"] or ""


async def test_a_briefing_hides_that_main_went_on(service: Service) -> None:
    shop = service.shop()
    pull = service.pull(shop)
    run = await service.briefed(pull)
    await service.tell(shop.pushed("main", UNRELATED))
    await service.work()
    assert title(run) == "Stale: main has 1 new commit since · Re-brief"
    assert "None of them touches a file that names a changed symbol" in summary(run)
    assert "**briefing 1**" in summary(run)
    assert summary(run).endswith("the summary")
    assert (run.output["text"], run.status, run.conclusion) == ("the text", "completed", "neutral")
    assert [action["identifier"] for action in run.actions] == ["rebrief"]
    await service.tell(run.pressed("rebrief"))
    await service.work()
    assert (title(run), summary(run)) == ("briefing 2", "the summary")
    assert pull.check_runs() == [run]


async def test_new_commits_that_matter_look_like_those_that_do_not(service: Service) -> None:
    shop = service.shop()
    run = await service.briefed(service.pull(shop))
    await service.tell(shop.pushed("main", UNRELATED))
    await service.work()
    await service.tell(shop.pushed("main", CALLER))
    await service.work()
    assert title(run) == "Stale: main has 2 new commits since · Re-brief"
    assert "They touch 1 file naming a changed symbol: `shop/gifts.py`." in summary(run)
    assert summary(run).count("Stale.") == 1
    assert "**briefing 1**" in summary(run)
    await service.tell(shop.pushed("main", {"shop/orders.py": "# no more orders\n"}))
    await service.work()
    assert "`shop/gifts.py`, `shop/orders.py`" in summary(run)


async def test_a_burst_of_pushes_asks_github_for_each(service: Service) -> None:
    shop = service.shop()
    pulls = [service.pull(shop, number) for number in (1, 2, 3)]
    for pull in pulls:
        await service.tell(pull.opened())
    await service.work()
    service.github.world.exchanges.clear()
    for number in range(10):
        await service.tell(shop.pushed("main", {"docs/readme.md": f"Version {number}\n"}))
    await service.work()
    assert {title(service.only_run(pull)) for pull in pulls} == {"Stale: main has 10 new commits since · Re-brief"}
    assert len(service.requests("GET", "/compare/")) == 1  # one old commit, one comparison
    assert len(service.requests("PATCH", "/check-runs/")) == 3


async def test_five_hundred_pull_requests_cost_five_hundred_updates(service: Service) -> None:
    """Past the hour's budget the rest waits; the most recently active ones come first."""
    service.change(stale_per_hour=2)
    shop = service.shop()
    pulls = [service.pull(shop, number) for number in (1, 2, 3)]
    for pull in pulls:
        await service.briefed(pull)
    await service.tell(shop.pushed("main", UNRELATED))
    await service.work()
    assert [title(service.only_run(pull)).startswith("Stale") for pull in pulls] == [False, True, True]
    assert await service.deferred() == 1
    await service.an_hour_passes()
    await service.work()
    assert title(service.only_run(pulls[0])).startswith("Stale")
    assert await service.deferred() == 0


async def test_a_push_while_the_briefing_is_made_is_missed(service: Service) -> None:
    shop = service.shop()
    pull = service.pull(shop)
    service.analyst.meanwhile = lambda: service.tell(shop.pushed("main", UNRELATED))
    run = await service.briefed(pull)
    assert title(run).startswith("Stale: main has 1 new commit")


async def test_a_closed_pull_request_is_marked_as_stale(service: Service) -> None:
    shop = service.shop()
    pull = service.pull(shop)
    run = await service.briefed(pull)
    await service.tell(pull.closed())
    assert (await service.tell(shop.pushed("main", UNRELATED)))["outcome"] == "ignored"
    await service.work()
    assert title(run) == "briefing 1"


async def test_pushes_to_other_branches_and_tags_are_looked_at(service: Service) -> None:
    shop = service.shop()
    run = await service.briefed(service.pull(shop))
    shop.push("other", UNRELATED, base="main")
    assert (await service.tell(shop.pushed("other", UNRELATED | CALLER)))["outcome"] == "ignored"
    event = shop.pushed("main", UNRELATED)
    event.payload["ref"] = "refs/tags/main"
    assert (await service.tell(event))["outcome"] == "ignored"
    await service.work()
    assert title(run) == "briefing 1"


async def test_a_new_push_to_the_pull_request_leaves_it_stale(service: Service) -> None:
    shop = service.shop()
    pull = service.pull(shop)
    await service.briefed(pull)
    await service.tell(shop.pushed("main", UNRELATED))
    await service.work()
    pull.push({"shop/prices.py": "def price(currency, day):\n    return 1\n"})
    await service.tell(pull.synchronized())
    await service.work()
    assert title(service.only_run(pull)) == "briefing 2"
    record = await service.record(pull)
    assert record is not None
    assert record.base_sha == shop.tip("main")


@pytest.mark.parametrize("by_repository", [False, True])
async def test_a_service_set_to_rebrief_only_marks(service: Service, by_repository: bool) -> None:
    if by_repository:
        service.analyst.staleness = "rebrief"
    else:
        service.change(staleness="rebrief")
    shop = service.shop()
    run = await service.briefed(service.pull(shop))
    await service.tell(shop.pushed("main", UNRELATED))
    await service.work()
    assert title(run).startswith("Stale")  # it doesn't matter, so nothing is made again
    await service.tell(shop.pushed("main", CALLER))
    await service.work()
    assert title(run) == "briefing 2"


async def test_a_base_branch_that_was_replaced_ends_in_an_error(service: Service) -> None:
    shop = service.shop()
    run = await service.briefed(service.pull(shop))
    before = shop.tip("main")
    shop.git.commit("refs/heads/main", {"new.py": "x = 1\n"}, parent=None, message="Begun anew")
    await service.tell(service.github.world.shapes.push_event(shop, "refs/heads/main", before, shop.tip("main")))
    await service.work()
    assert title(run) == "briefing 1"
    assert await service.deferred() == 0


async def test_a_branch_name_takes_effect_in_the_check_run(service: Service) -> None:
    shop = service.shop()
    branch = "a`b<img>@everyone"
    shop.push(branch, UNRELATED, base="main")
    run = await service.briefed(service.pull(shop, base=branch))
    await service.tell(shop.pushed(branch, {"x.md": "x\n"}))
    await service.work()
    assert "``a`b<img>@everyone`` has 1 new commit since" in summary(run)


async def test_a_stale_mark_that_github_does_not_take_for_a_while_is_lost(service: Service) -> None:
    shop = service.shop()
    run = await service.briefed(service.pull(shop))
    service.github.faults.secondary_limit("GET", "/compare/")
    await service.tell(shop.pushed("main", UNRELATED))
    await service.work()
    assert title(run) == "briefing 1"
    await service.an_hour_passes()
    await service.work()
    assert title(run).startswith("Stale")


def record_of(**more: object) -> Record:
    known = {"names": ("price",), "paths": ("shop/orders.py",)} | more
    return Record(
        head_sha="a" * 40,
        base_sha="b" * 40,
        merge_base="c" * 40,
        graph_from="merge",
        briefed_at="2026-11-30T09:00:00Z",
        check_run_id=1,
        conclusion="neutral",
        **known,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("files", "cut", "expected"),
    [
        ([("other.py", "+ x = 1")], False, Effect("no")),
        ([("shop/orders.py", "+ x = 1")], False, Effect("yes", ("shop/orders.py",))),
        ([("new.py", "+ price()")], False, Effect("yes", ("new.py",))),
        ([("new.py", "+ prices()")], False, Effect("no")),
        ([("other.py", "+ x = 1")], True, Effect("unknown")),
        ([("large.py", None)], False, Effect("unknown")),
        ([("shop/orders.py", None), ("large.py", None)], True, Effect("yes", ("shop/orders.py",))),
    ],
)
def test_commits_that_matter_are_told_from_those_that_do_not(
    files: list[tuple[str, str | None]], cut: bool, expected: Effect
) -> None:
    changed = tuple(ChangedFile(path, None, patch, 1) for path, patch in files)
    assert effect_of(record_of(), Changes(1, changed, cut)) == expected


def test_names_that_were_not_all_kept_count_as_none() -> None:
    changes = Changes(1, (ChangedFile("other.py", None, "+ x", 1),), False)
    assert effect_of(record_of(all_named=False), changes).matters == "unknown"


def test_a_renamed_caller_is_overlooked() -> None:
    changes = Changes(1, (ChangedFile("shop/sales.py", "shop/orders.py", "+ x", 1),), False)
    assert effect_of(record_of(), changes).matters == "yes"


def test_a_full_summary_grows_past_what_github_takes() -> None:
    shown = Output("title", "\n\n".join(["é" * 100] * 400)[:32_700], "the text")
    output = stale_output(shown, "main", 4, Effect("no"))
    assert len(output["summary"].encode()) <= 65_535
    again = stale_output(Output(output["title"], output["summary"], None), "main", 5, Effect("unknown"))
    assert again["summary"].count("**Stale.**") == 1
    assert "**title**" in again["summary"]
    assert len(again["summary"].encode()) <= 65_535

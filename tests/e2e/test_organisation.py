"""An organisation's days with the App, end to end: pushes to main, merge queues, outages, uninstallation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.demo.installation import LocalInstallation
from app.demo.story import open_sample_pull
from tests.e2e.conftest import Story, checked_installation

SOON = {
    "CALLSHEET_STALE_DELAY_SECONDS": "1",
    "CALLSHEET_SWEEP_SECONDS": "1",
    "CALLSHEET_RECONCILE_SECONDS": "2",
}
SHOP = {"a.py": "def price():\n    return 1\n", "b.py": "from a import price\nprice()\n"}


@pytest.fixture
def installation() -> Iterator[LocalInstallation]:
    """One that looks after itself every few seconds instead of every few minutes."""
    with checked_installation(SOON) as here:
        yield here


def test_a_briefing_goes_on_as_if_main_had_stood_still(story: Story) -> None:
    pull = open_sample_pull(story.github)
    story.tell(pull.opened())
    run = story.finished(pull)
    notes = list(run.annotations)
    text = run.output["text"]
    caller = {"shop/gifts.py": "from shop.pricing import line_total\n\nline_total('mug', 1, 0)\n"}
    story.tell(pull.repository.pushed("main", caller))
    story.here.wait_for(lambda: (run.output["title"] or "").startswith("Stale"), "the briefing is marked")
    assert run.output["title"] == "Stale: main has 1 new commit since · Re-brief"
    assert "naming a changed symbol: `shop/gifts.py`" in (run.output["summary"] or "")
    assert "**3 calls no longer fit" in (run.output["summary"] or "")
    assert (run.output["text"], run.annotations, run.status) == (text, notes, "completed")
    story.tell(run.pressed("rebrief"))
    story.settle(pull)
    assert "shop/gifts.py:3" in (run.output["summary"] or "")
    assert (run.output["title"] or "").startswith("4 calls no longer fit")
    assert pull.check_runs() == [run]


def test_what_was_sent_while_the_receiver_was_away_is_lost(installation: LocalInstallation) -> None:
    """Neither the webhooks nor the merge queue are forgotten, and a pull request nobody was told of is found."""
    story = Story(installation)
    shop = story.github.repository("acme/shop", SHOP)
    told = shop.open_pull("Told", {"a.py": "def price(currency):\n    return 2\n"}, branch="told")
    untold = shop.open_pull("Never told", {"a.py": "def price(day):\n    return 3\n"}, branch="untold")
    merge = shop.queued(told)
    for event in (told.opened(), merge):
        assert story.github.lose(event).status == 0
    installation.start_receiver()
    installation.start_worker()
    assert "b.py:2" in (story.finished(told).output["summary"] or "")
    assert "b.py:2" in (story.finished(untold).output["summary"] or "")
    head = merge.payload["merge_group"]["head_sha"]
    passed = [run for run in shop.check_runs.values() if run.head_sha == head]
    assert [(run.status, run.conclusion) for run in passed] == [("completed", "success")]
    story.close()


def test_an_uninstalled_app_keeps_the_code(story: Story) -> None:
    shop = story.github.repository("acme/shop", SHOP)
    pull = shop.open_pull("Change", {"a.py": "def price(currency):\n    return 2\n"})
    story.tell(pull.opened())
    story.finished(pull)
    story.settle(pull)
    clones = story.here.folder / "cache" / "clones"

    def kept() -> list[Path]:
        return [path for name in ("clone.git", "worktrees/*") for path in clones.glob(f"*/*/{name}")]

    assert kept()
    story.tell(story.github.world.uninstall())
    story.here.wait_for(lambda: not kept(), "the clone is deleted", 30)


def test_an_empty_pull_request_and_an_enormous_one_get_no_briefing(story: Story) -> None:
    shop = story.github.repository("acme/shop", SHOP)
    empty = shop.open_pull("Nothing yet", {}, branch="empty")
    files = {f"pages/page_{number}.py": "from a import price\n\nprice()\n" for number in range(3001)}
    enormous = shop.open_pull("Three thousand files", SHOP | files | {"a.py": "def price(x):\n    return x\n"})
    for pull in (empty, enormous):
        story.tell(pull.opened())
    assert story.finished(empty).conclusion == "success"
    run = story.finished(enormous)
    assert run.conclusion == "neutral"
    assert "b.py:2" in (run.output["summary"] or "")

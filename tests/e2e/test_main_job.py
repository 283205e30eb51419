"""The main job, end to end: what people do with pull requests, and the check runs they find afterwards."""

from __future__ import annotations

import base64
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.demo.installation import LocalInstallation
from app.demo.story import EXPECTED, open_sample_pull
from app.standin import CheckRun, Pull
from app.standin.bare import Entry
from tests.e2e.conftest import Story
from tests.render.github_markdown import Page


def said(run: CheckRun) -> str:
    return f"{run.output.get('summary')}\n{run.output.get('text')}"


def is_briefing(run: CheckRun) -> bool:
    return "could not be made" not in (run.output.get("title") or "")


def test_an_opened_pull_request_gets_no_briefing(story: Story, pull: Pull) -> None:
    story.tell(pull.opened())
    run = story.finished(pull)
    assert run.conclusion == "neutral"
    assert run.name == "Callsheet"
    assert [action["label"] for action in run.actions] == ["Re-brief"]
    assert run.output["title"] == "3 calls no longer fit · 2 imports of an old path · 10 callers outside the diff"
    for path, why in EXPECTED:
        assert path in said(run), why
    summary = run.output["summary"] or ""
    assert f"[`{pull.repository.tip('main')[:7]}`]" in summary  # callers are from the merge
    places = [line for line in summary.splitlines() if line[:1].isdigit()]
    found = ["`shop/invoices.py:15`", "`shop/subscriptions.py:10`", "`web/src/pages/OrderPage.tsx:5`"]
    found += ["`shop/emails.py:5`", "`shop/invoices.py:6`"]
    assert len(places) > len(found)
    for place, line in zip(found, places, strict=False):
        assert place in line
    assert all("no longer fits" in line for line in places[:3])
    assert all("still imports" in line for line in places[3:5])
    for path in ("shop/refunds.py:10", "shop/reports.py:16", "web/src/components/PriceTag.tsx:4"):
        assert f"`{path}`" in said(run)
    notes = {(note["path"], note["start_line"]) for note in run.annotations}
    assert notes == {("shop/pricing.py", 15), ("web/src/api/orders.ts", 7)}


def test_a_push_leaves_the_old_briefing_as_the_newest(story: Story, pull: Pull) -> None:
    story.tell(pull.opened())
    first = story.finished(pull)
    old_head = pull.head_sha
    pull.push(
        {
            "shop/emails.py": pull.repository.git.git("show", "main:shop/emails.py").replace(
                b"shop.formatting", b"shop.text.money"
            )
        }
    )
    story.tell(pull.synchronized())
    second = story.finished(pull)
    assert second.id != first.id
    assert second.head_sha == pull.head_sha != old_head
    assert "shop/emails.py" not in (second.output["summary"] or "")
    assert len(story.github.check_runs()) == 2


def test_a_redelivered_webhook_makes_a_second_briefing(story: Story, pull: Pull) -> None:
    delivery = story.tell(pull.opened())
    run = story.finished(pull)
    story.settle(pull)
    updates = run.updates
    again = story.github.redeliver(delivery)
    assert (again.status, "already" in again.answer) == (202, True)
    time.sleep(1)
    story.settle(pull)
    assert story.github.check_runs() == [run]
    assert run.updates == updates


def test_the_same_push_told_twice_makes_a_second_check_run(story: Story, pull: Pull) -> None:
    """GitHub sends `synchronize` also when the base branch was merged into, and lost deliveries under new ids."""
    story.tell(pull.opened())
    story.tell(pull.synchronized())
    story.settle(pull)
    assert len(pull.check_runs()) == 1


def test_the_rebrief_button_makes_another_check_run(story: Story, pull: Pull) -> None:
    story.tell(pull.opened())
    run = story.finished(pull)
    story.settle(pull)
    annotations = list(run.annotations)
    story.tell(run.pressed("rebrief"))
    story.settle(pull)
    assert pull.check_runs() == [run]
    assert run.status == "completed"
    assert is_briefing(run)
    assert run.annotations == annotations  # GitHub adds those that are sent again


def test_run_again_does_nothing_on_a_pull_request_from_a_fork(story: Story) -> None:
    shop = story.github.repository("acme/tools", {"tools.py": "def sharpen(blade):\n    return blade\n"})
    pull = shop.open_pull("Sharper", {"tools.py": "def sharpen(blade, angle):\n    return blade\n"}, fork="mallory")
    story.tell(pull.opened())
    run = story.finished(pull)
    story.settle(pull)
    for event in (run.rerequested(), run.suite_rerequested()):
        updates = run.updates
        assert not (event.payload.get("check_run") or event.payload["check_suite"])["pull_requests"]
        story.tell(event)
        story.settle(pull)
        assert run.updates > updates
        assert pull.check_runs() == [run]


def test_a_conflict_leaves_the_pull_request_without_a_briefing(story: Story) -> None:
    shop = story.github.repository(
        "acme/shop", {"a.py": "def price():\n    return 1\n", "b.py": "from a import price\nprice()\n"}
    )
    pull = shop.open_pull("Two", {"a.py": "def price(currency):\n    return 2\n"})
    shop.push("main", {"a.py": "def price():\n    return 3\n"})
    story.tell(pull.opened())
    run = story.finished(pull)
    assert "conflicts with main, so changes merged since" in (run.output["summary"] or "")
    assert "b.py:2" in said(run)


def test_a_burst_of_pushes_briefs_every_commit(story: Story, pull: Pull) -> None:
    heads = [pull.head_sha]
    story.tell(pull.opened())
    for number in range(6):
        heads.append(pull.push({"note.py": f"NUMBER = {number}\n"}))
        story.tell(pull.synchronized())
    story.settle(pull)
    last = story.finished(pull)
    assert is_briefing(last)
    runs = story.github.check_runs()
    assert len(runs) < len(heads)
    assert {run.status for run in runs} == {"completed"}


def test_a_worker_that_dies_takes_the_briefing_with_it(installation: LocalInstallation) -> None:
    installation.start_receiver()
    dying = installation.start_worker()
    story = Story(installation)
    pull = open_sample_pull(story.github)
    story.github.faults.slow("GET", "info/refs", seconds=60, times=1)
    story.tell(pull.opened())
    installation.wait_for(lambda: story.github.world.git_requests or pull.check_runs(), "the worker has begun")
    installation.wait_for(lambda: not story.github.faults.left(), "git has asked")
    installation.kill(dying)
    assert [run.status for run in pull.check_runs()] == ["in_progress"]
    installation.start_worker()
    run = story.finished(pull, seconds=120)
    assert is_briefing(run)
    assert story.github.check_runs() == [run]
    story.close()


def test_a_deleted_fork_breaks_the_briefing(story: Story) -> None:
    shop = story.github.repository(
        "acme/shop", {"a.py": "def price():\n    return 1\n", "b.py": "from a import price\nprice()\n"}
    )
    pull = shop.open_pull("Two", {"a.py": "def price(currency):\n    return 2\n"}, fork="mallory")
    pull.delete_fork()
    assert pull.opened().payload["pull_request"]["head"]["repo"] is None
    story.tell(pull.opened())
    run = story.finished(pull)
    assert run.conclusion == "neutral"
    assert "b.py:2" in said(run)


def test_a_merge_that_is_late_is_not_waited_for(story: Story, pull: Pull) -> None:
    pull.reads_until_merged = 3
    story.tell(pull.opened())
    assert "shop/subscriptions.py" in said(story.finished(pull))


def test_a_merge_of_the_former_push_is_taken(story: Story, pull: Pull) -> None:
    story.tell(pull.opened())
    story.finished(pull)
    pull.push({"extra.py": "def extra():\n    return 1\n"})
    pull.reads_until_merged = 3
    story.tell(pull.synchronized())
    run = story.finished(pull)
    assert f"[`{pull.head_sha[:7]}`]" in (run.output["summary"] or "")


def test_an_answer_that_is_lost_makes_a_second_check_run(story: Story, pull: Pull) -> None:
    story.github.faults.lose_answer("POST", "/check-runs$", status=502)
    story.github.faults.lose_answer("PATCH", "/check-runs/", status=502)
    story.tell(pull.opened())
    run = story.finished(pull)
    story.settle(pull)
    assert is_briefing(run)
    assert story.github.check_runs() == [run]
    assert len(run.annotations) == len({(note["path"], note["start_line"]) for note in run.annotations})
    assert story.github.faults.left() == []


def test_a_token_that_dies_early_ends_the_briefing(story: Story, pull: Pull) -> None:
    story.tell(pull.opened())
    run = story.finished(pull)
    story.settle(pull)
    story.github.world.kill_tokens()
    pull.push({"extra.py": "x = 1\n"})
    story.tell(pull.synchronized())
    assert is_briefing(story.finished(pull))
    assert run.status == "completed"


def test_a_closed_pull_request_is_briefed(story: Story, pull: Pull) -> None:
    event = pull.opened()
    pull.close()
    story.tell(event)
    story.settle(pull)
    assert story.github.check_runs() == []


def test_a_new_base_keeps_the_old_briefing(story: Story, pull: Pull) -> None:
    story.tell(pull.opened())
    run = story.finished(pull)
    story.settle(pull)
    pull.repository.push(
        "next", {"shop/gifts.py": "from shop.pricing import line_total\n\nline_total('mug', 1)\n"}, base="main"
    )
    story.tell(pull.retarget("next"))
    story.settle(pull)
    assert pull.check_runs() == [run]
    assert "shop/gifts.py" in said(run)


def test_a_renamed_repository_is_lost(story: Story, pull: Pull) -> None:
    event = pull.opened()
    pull.repository.rename("store")
    story.tell(event)
    assert is_briefing(story.finished(pull))


def test_a_repository_that_is_gone_stops_the_worker(story: Story, pull: Pull) -> None:
    event = pull.opened()
    pull.repository.gone = True
    story.tell(event)
    story.settle(pull)
    assert story.github.check_runs() == []
    pull.repository.gone = False
    story.tell(pull.synchronized())
    assert is_briefing(story.finished(pull))


def test_hostile_names_and_contents_take_effect(story: Story) -> None:
    evil = "def price():\n    return 1\n"
    files: dict[str, str | bytes | Entry | None] = {
        "a.py": evil,
        "b c/@octocat ![x](http:evil) `q`\n.py": "from a import price\nprice()\n",
        "out.py": Entry("symlink", b"/etc/passwd"),
        "sub": Entry("submodule", b"0" * 39 + b"1"),
        ".gitattributes": "*.py filter=evil diff=evil\n",
        ".gitmodules": '[submodule "sub"]\n path = sub\n url = http://127.0.0.1:1/x.git\n',
        "big.py": "x = '" + "y" * 3_000_000 + "'\n",
        "broken.py": b"\xff\xfe def (((\x00",
        "deep.py": "(" * 5000 + ")" * 5000,
    }
    shop = story.github.repository("acme/evil", files)
    pull = shop.open_pull("@everyone <script>", {"a.py": "def price(currency):\n    return 1\n", "ü.py": "x = 1\n"})
    story.tell(pull.opened())
    run = story.finished(pull)
    assert is_briefing(run)
    assert "root:" not in said(run)
    assert "price" in said(run)
    for part in ("summary", "text"):
        page = Page(run.output[part] or "")
        assert not any(effect.startswith(("<img", "<script")) for effect in page.effects)
        assert all(link.startswith(story.github.url) for link in page.links)


def test_a_token_is_seen_somewhere(story: Story, pull: Pull) -> None:
    with _all_command_lines() as seen:
        story.tell(pull.opened())
        run = story.finished(pull)
        story.settle(pull)
    tokens = list(story.github.world.tokens)
    assert tokens
    wanted = {form for token in tokens for form in (token.encode(), _basic(token), _basic("x-access-token:" + token))}
    wanted |= {story.github.world.webhook_secret.encode(), b"BEGIN RSA PRIVATE KEY", b"BEGIN PRIVATE KEY"}
    assert any(b"git" in line for line in seen)
    assert [line for line in seen if any(secret in line for secret in wanted)] == []
    assert not any(secret in said(run).encode() for secret in wanted)
    configurations = 0
    for file in _files(story.here.folder / "cache"):
        content = file.read_bytes()
        configurations += file.name == "config"
        assert not any(secret in content for secret in wanted), file
    assert configurations
    assert not any(secret in story.here.logs().encode() for secret in wanted)


def _basic(text: str) -> bytes:
    return base64.b64encode(text.encode())


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


@contextmanager
def _all_command_lines() -> Iterator[set[bytes]]:
    """Every command line on this machine while the block runs, looked at as often as possible."""
    seen: set[bytes] = set()
    ended = threading.Event()

    def look() -> None:
        while not ended.is_set():
            for entry in Path("/proc").iterdir():
                if entry.name.isdigit():
                    try:
                        seen.add((entry / "cmdline").read_bytes())
                    except OSError:
                        continue
            time.sleep(0.005)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield seen
    finally:
        ended.set()
        thread.join()

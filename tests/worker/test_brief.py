"""The job, told as what happens to a pull request: a real arq worker, Redis and git server; GitHub's API by a fake."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import httpx
import msgspec
import pytest
import pytest_asyncio
from arq.connections import ArqRedis
from redis.exceptions import ConnectionError as RedisConnectionError
from structlog.testing import capture_logs

from tests.worker.fake_github import APP_ID, FakeGitHub
from tests.worker.git_server import GitServer
from tests.worker.upstream import SamplePull, Upstream
from worker import brief
from worker.analysis import AnalysisRequest, Answer, Failure, WordsKept, WordsRequest
from worker.clones import clone_at, fetch_commits
from worker.git import GitError, GitRunner
from worker.github import AppClient
from worker.job import Tools
from worker.jobs import QUEUE_NAME, BriefJob, enqueue_brief, external_id, read_wish, redis_pool
from worker.main import build_worker, sweep
from worker.records import OpenRun, read_open_run, read_record, write_open_run
from worker.settings import Secret, Settings
from worker.trouble import MOST_TRIES
from worker.turns import turn


class Analyst:
    """In place of the child process: notes what it was asked, and answers what a test wants."""

    def __init__(self) -> None:
        self.requests: list[AnalysisRequest] = []
        self.files: list[set[str]] = []
        self.result: Failure | None = None
        """What every analysis ends with, instead of a briefing."""
        self.first_result: Failure | None = None
        """The same, for the first one only."""
        self.annotations: list[dict[str, Any]] = []
        self.words_behind = False
        self.meanwhile: Callable[[], Any] | None = None

    async def __call__(self, request: AnalysisRequest, *, fds: tuple[int, ...]) -> Answer | Failure:
        assert fds
        self.requests.append(request)
        self.files.append(set(os.listdir(request.repository)) - {".git"})
        if self.meanwhile is not None:
            meanwhile, self.meanwhile = self.meanwhile, None
            outcome = meanwhile()
            if asyncio.iscoroutine(outcome):
                await outcome
        first, self.first_result = self.first_result, None
        if (failure := first or self.result) is not None:
            return failure
        return Answer(
            title=f"briefing {len(self.requests)}",
            summary="the summary",
            text="the text",
            annotations=self.annotations,
            conclusion="neutral",
            head_sha=request.head,
            base_sha=request.base_sha,
            merge_base=request.merge_base,
            graph_from="merge" if request.merge else "head",
            incomplete=None,
            words_behind=self.words_behind,
        )


class World:
    """A pull request on GitHub, a worker, and what a person does with them."""

    def __init__(
        self, settings: Settings, redis: ArqRedis, github: FakeGitHub, pull: SamplePull, server: GitServer
    ) -> None:
        self.settings, self.redis, self.github, self.pull, self.server = settings, redis, github, pull, server
        self.analyst = Analyst()
        self.tools = Tools(settings=settings, app=AppClient(settings, github.transport), analyse=self.analyst)

    async def ask(self, reason: Any = "opened", head: str | None = None, number: int = 1) -> None:
        await enqueue_brief(
            self.redis,
            BriefJob(
                installation_id=5,
                repository_id=900,
                owner="acme",
                name="shop",
                number=number,
                head_sha=head,
                reason=reason,
                delivery_id="guid",
            ),
        )

    async def push(self, content: bytes) -> str:
        head = self.pull.push(content)
        self.github.pulls[1]["head"]["sha"] = head
        await self.ask("synchronize", head)
        return head

    async def work(self) -> None:
        """Run the worker until the queue is empty."""
        worker = build_worker(self.settings, self.redis, self.tools)
        worker.burst = True
        worker.poll_delay_s = 0.02
        await worker.async_run()

    async def queue_is_empty(self) -> bool:
        return not await self.redis.zcard(QUEUE_NAME)

    @property
    def place(self) -> tuple[str, int, int]:
        return self.settings.github_host, 900, 1


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Retries and polls without their pauses; that they give their turn back is what is tested."""
    monkeypatch.setattr("worker.github._PAUSES", (0.01, 0.01))
    monkeypatch.setattr("worker.merge.POLL_PAUSES", (0.01, 0.01))
    monkeypatch.setattr("worker.brief._PAUSES", (0.05,))
    monkeypatch.setattr("worker.brief._MERGE_PAUSE", 0.05)
    monkeypatch.setattr("worker.brief._jitter", lambda most: 0.0)
    yield


@pytest_asyncio.fixture
async def world(
    settings: Settings, redis: ArqRedis, server: GitServer, upstream: Upstream, private_key: str, quick: None
) -> AsyncIterator[World]:
    pull = SamplePull(upstream)
    github = FakeGitHub(upstream)
    github.add_pull(1, pull.head, pull.tip)
    settings = msgspec.structs.replace(
        settings,
        github_url=server.url,
        github_api_url="http://127.0.0.1:1/api/v3",
        app_id=APP_ID,
        private_key=Secret(private_key),
    )
    yield World(settings, redis, github, pull, server)


async def test_a_pull_request_gets_its_briefing(world: World) -> None:
    await world.ask(head=world.pull.head)
    await world.work()
    run = world.github.run
    assert (run["name"], run["head_sha"], run["status"], run["conclusion"]) == (
        "Callsheet",
        world.pull.head,
        "completed",
        "neutral",
    )
    assert run["external_id"] == external_id(900, 1, world.pull.head)
    assert run["output"]["title"] == "briefing 1"
    assert run["actions"][0]["identifier"] == "rebrief"
    asked = world.analyst.requests[0]
    assert (asked.merge, asked.head, asked.merge_base, asked.base_sha) == (
        world.pull.merge,
        world.pull.head,
        world.pull.branched,
        world.pull.tip,
    )
    assert world.analyst.files == [{"app.py", "caller.py", "other.py"}]
    record = await read_record(world.redis, *world.place)
    assert record is not None
    assert (record.head_sha, record.base_sha, record.graph_from, record.check_run_id) == (
        world.pull.head,
        world.pull.tip,
        "merge",
        run["id"],
    )
    assert await read_open_run(world.redis, *world.place) is None


async def test_the_button_briefs_again_in_the_same_check_run(world: World, server: GitServer) -> None:
    world.analyst.annotations = [
        {"path": "a.py", "start_line": 1, "end_line": 1, "annotation_level": "notice", "message": "m", "title": "t"}
    ]
    await world.ask()
    await world.work()
    fetches = server.fetches
    await world.ask("rebrief")
    await world.work()
    assert world.github.run["output"]["title"] == "briefing 2"
    assert world.github.run["conclusion"] == "neutral"
    # Sent again they would be shown twice.
    assert world.github.run["output"]["annotations_count"] == 1
    # ls-remote asks; nothing is downloaded a second time.
    assert server.fetches - fetches == 1


async def test_of_a_burst_of_pushes_the_running_one_and_the_newest_are_briefed(world: World) -> None:
    async def burst() -> None:
        for number in range(20):
            await world.push(f"def f(x):\n    return {number}\n".encode())

    world.analyst.meanwhile = burst
    await world.ask(head=world.pull.head)
    first = world.pull.head
    await world.work()
    assert await world.queue_is_empty()
    assert [request.head for request in world.analyst.requests] == [first, world.pull.head]
    by_head = {run["head_sha"]: run for run in world.github.runs.values()}
    assert set(by_head) == {first, world.pull.head}
    assert by_head[first]["output"]["title"] == "Superseded by a newer push"
    assert by_head[first]["conclusion"] == "neutral"
    assert by_head[world.pull.head]["output"]["title"] == "briefing 2"
    wish = await read_wish(world.redis, 900, 1)
    assert wish is not None
    assert not wish.is_open


async def test_a_push_whose_webhook_was_lost_is_briefed_all_the_same(world: World) -> None:
    def push_without_webhook() -> None:
        world.github.pulls[1]["head"]["sha"] = world.pull.push(b"def f(x):\n    return 7\n")

    world.analyst.meanwhile = push_without_webhook
    await world.ask()
    await world.work()
    assert [request.head for request in world.analyst.requests][-1] == world.pull.head
    assert all(run["status"] == "completed" for run in world.github.runs.values())


async def test_a_conflict_is_briefed_from_the_head_and_says_so(world: World) -> None:
    world.github.mergeable = [None, False]
    await world.ask()
    await world.work()
    asked = world.analyst.requests[0]
    assert (asked.merge, asked.base_sha, asked.merge_base) == (None, None, world.pull.branched)
    assert asked.graph_note == (
        "Callers from the PR's branch: it conflicts with main, so changes merged since aren't included."
    )
    assert world.analyst.files == [{"app.py", "caller.py"}]


async def test_a_merge_that_comes_late_is_waited_for(world: World) -> None:
    world.github.mergeable = [None, None, None, None, None, True]
    await world.ask()
    await world.work()
    assert world.analyst.requests[0].merge == world.pull.merge


async def test_a_merge_that_never_comes_does_not_stop_the_briefing(world: World) -> None:
    world.github.mergeable = [None]
    await world.ask()
    await world.work()
    asked = world.analyst.requests[0]
    assert asked.merge is None
    assert asked.graph_note is not None
    assert "no test merge" in asked.graph_note
    assert world.github.run["status"] == "completed"


async def test_the_merge_of_an_earlier_push_is_not_believed(world: World) -> None:
    stale = world.pull.merge
    head = world.pull.push(b"def f(x):\n    return 7\n")
    world.pull.upstream.point("refs/pull/1/merge", stale)
    world.github.pulls[1]["head"]["sha"] = head
    await world.ask()
    await world.work()
    asked = world.analyst.requests[0]
    assert (asked.merge, asked.head) == (None, head)
    assert asked.graph_note is not None
    assert "earlier state" in asked.graph_note


async def test_the_merge_with_another_base_is_not_believed(world: World) -> None:
    """The pull request was retargeted, and its merge is still the one with the old base."""
    upstream = world.pull.upstream
    release = upstream.commit({"release.py": b"1\n"}, world.pull.branched, ref="refs/heads/release")
    world.github.pulls[1]["base"].update(ref="release", sha=release)
    await world.ask("retargeted")
    await world.work()
    assert world.analyst.requests[0].merge is None


async def test_a_merge_with_a_base_that_went_on_is_still_good(world: World) -> None:
    upstream = world.pull.upstream
    tip = upstream.commit({"new.py": b"1\n"}, world.pull.tip, ref="refs/heads/main")
    world.github.pulls[1]["base"]["sha"] = tip
    await world.ask()
    await world.work()
    asked = world.analyst.requests[0]
    assert (asked.merge, asked.base_sha) == (world.pull.merge, world.pull.tip)


@pytest.mark.parametrize("state", ["closed", "gone", "replaced"])
async def test_a_pull_request_that_is_not_there_any_more_ends_quietly(world: World, state: str) -> None:
    if state == "closed":
        world.github.pulls[1].update(state="closed", merged=True)
    elif state == "gone":
        del world.github.pulls[1]
    else:
        world.github.pulls[1]["base"]["repo"]["id"] = 901
    await world.ask()
    await world.work()
    assert world.github.runs == {}
    assert world.analyst.requests == []
    assert await world.queue_is_empty()
    wish = await read_wish(world.redis, 900, 1)
    assert wish is not None
    assert not wish.is_open


async def test_a_repository_that_git_cannot_read_is_told_in_the_check_run(world: World, server: GitServer) -> None:
    server.status = 404
    await world.ask()
    await world.work()
    run = world.github.run
    assert (run["status"], run["conclusion"]) == ("completed", "neutral")
    assert run["output"]["title"] == "The briefing could not be made"
    assert "contents" in run["output"]["summary"]
    assert run["actions"][0]["identifier"] == "rebrief"
    assert world.github.token not in json.dumps(run)


async def test_a_git_server_that_is_away_for_a_moment_is_tried_again(world: World, server: GitServer) -> None:
    server.status = 503
    asyncio.get_running_loop().call_later(0.3, setattr, server, "status", None)
    await world.ask()
    await world.work()
    assert world.github.run["output"]["title"] == "briefing 1"


@pytest.mark.parametrize("where", ["read_wish", "shut_out", "read_record", "mark_briefed"])
async def test_a_redis_that_is_away_for_a_moment_costs_the_briefing(
    world: World, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worker.brief._REDIS_PAUSE", 0.02)
    real, away = getattr(brief, where), [RedisConnectionError("away")] * 3

    async def asked(*arguments: Any) -> Any:
        if away:
            raise away.pop()
        return await real(*arguments)

    monkeypatch.setattr(brief, where, asked)
    await world.ask()
    await world.work()
    assert away == []
    assert (world.github.run["status"], world.github.run["conclusion"]) == ("completed", "neutral")
    assert world.github.run["output"]["title"].startswith("briefing ")
    wish = await read_wish(world.redis, 900, 1)
    assert wish is not None
    assert not wish.is_open
    assert await world.queue_is_empty()


async def test_an_analysis_that_fails_says_why_and_leaves_no_spinner(world: World) -> None:
    world.analyst.result = Failure(what="time", message="It did not end within 60 seconds.", detail="private detail")
    await world.ask()
    await world.work()
    run = world.github.run
    assert (run["status"], run["conclusion"]) == ("completed", "neutral")
    assert "did not end within 60 seconds" in run["output"]["summary"]
    assert "private detail" not in json.dumps(run)
    assert len(world.analyst.requests) == 1


async def test_an_error_of_ours_says_so_and_leaves_no_spinner(world: World) -> None:
    def explode() -> None:
        raise RuntimeError("secret innards")

    world.analyst.meanwhile = explode

    async def always(request: AnalysisRequest, *, fds: tuple[int, ...]) -> Answer | Failure:
        raise RuntimeError("secret innards")

    world.tools = Tools(settings=world.settings, app=world.tools.app, analyse=always)
    await world.ask()
    await world.work()
    run = world.github.run
    assert (run["status"], run["conclusion"]) == ("completed", "neutral")
    assert "RuntimeError" in run["output"]["summary"]
    assert "secret innards" not in json.dumps(run)


@pytest.mark.parametrize("kept", [WordsKept(), Failure(what="time", message="too slow"), OSError("no process")])
async def test_whoever_waits_for_a_briefing_waits_for_words_that_are_kept_too(
    world: World, kept: WordsKept | Failure | OSError
) -> None:
    asked: list[tuple[WordsRequest, list[str]]] = []

    async def keep(request: WordsRequest) -> WordsKept | Failure:
        asked.append((request, [run["status"] for run in world.github.runs.values()]))
        if isinstance(kept, OSError):
            raise kept
        return kept

    world.tools = Tools(settings=world.settings, app=world.tools.app, analyse=world.analyst, keep_words=keep)
    await world.ask()
    await world.work()
    assert asked == []
    world.analyst.words_behind = True
    await world.push(b"def price(): return 2\n")
    await world.work()
    ((request, statuses),) = asked
    assert statuses == ["completed", "completed"]
    assert [run["output"]["title"] for run in world.github.runs.values()] == ["briefing 1", "briefing 2"]
    analysed = world.analyst.requests[-1]
    assert (request.commit, request.facts_dir) == (analysed.merge or analysed.head, analysed.facts_dir)
    assert len(world.analyst.requests) == 2


async def test_hostile_names_in_a_reason_take_no_effect(world: World) -> None:
    world.analyst.result = Failure(what="refused", message="no file ```\n@everyone ![x](https://evil) <img>")
    await world.ask()
    await world.work()
    assert world.github.run["output"]["summary"].startswith("````text\nno file ```\n@everyone")


async def test_a_damaged_clone_is_replaced_and_the_briefing_made(world: World) -> None:
    def damage() -> None:
        clone = clone_at(world.settings.cache_dir, world.settings.github_host, 900, "")
        for pack in (clone.git_dir / "objects" / "pack").iterdir():
            pack.unlink()

    world.analyst.meanwhile = damage
    world.analyst.first_result = Failure(what="refused", message="objects are missing")
    await world.ask()
    await world.work()
    assert world.github.run["output"]["title"] == "briefing 2"


async def test_a_full_disk_makes_room_and_goes_on(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = world.settings.cache_dir
    old = clone_at(cache, "github.com", 1, world.settings.git_url("acme", "shop"))
    fetch_commits(GitRunner(), old, [world.pull.tip], Secret(world.github.token))
    full = [GitError("space", "fatal: write error: No space left on device")]

    def fetch_on_a_full_disk(*arguments: Any) -> bool:
        if full:
            raise full.pop()
        return fetch_commits(*arguments)

    monkeypatch.setattr(brief, "fetch_commits", fetch_on_a_full_disk)
    await world.ask()
    await world.work()
    assert not old.git_dir.exists()
    assert world.github.run["output"]["title"] == "briefing 1"


async def test_a_disk_that_stays_full_is_told_in_the_check_run(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: Any) -> bool:
        raise GitError("space", "fatal: write error: No space left on device")

    monkeypatch.setattr(brief, "fetch_commits", full)
    await world.ask()
    await world.work()
    assert "disk is full" in world.github.run["output"]["summary"]


async def test_a_run_left_open_by_a_killed_worker_is_taken_over(world: World) -> None:
    run = {
        "id": 4000,
        "name": "Callsheet",
        "app": {"id": APP_ID},
        "head_sha": world.pull.head,
        "status": "in_progress",
        "conclusion": None,
        "external_id": external_id(900, 1, world.pull.head),
    }
    world.github.runs[4000] = run
    await world.ask()
    await world.work()
    assert world.github.run["id"] == 4000
    assert world.github.run["status"] == "completed"


@pytest.mark.parametrize("closed", [False, True])
async def test_a_run_left_open_on_an_older_head_is_concluded(world: World, closed: bool) -> None:
    old = world.pull.head
    await world.ask()
    await world.work()
    run_id = world.github.run["id"]
    world.github.run.update(status="in_progress", conclusion=None)
    opened = OpenRun(check_run_id=run_id, head_sha=old, owner="acme", name="shop")
    await write_open_run(world.redis, *world.place, opened)
    if closed:
        world.github.pulls[1]["state"] = "closed"
        await world.ask("reopened")
    else:
        await world.push(b"def f(x):\n    return 7\n")
    await world.work()
    assert (world.github.runs[run_id]["status"], world.github.runs[run_id]["conclusion"]) == ("completed", "neutral")
    assert ("closed" if closed else "Superseded") in world.github.runs[run_id]["output"]["title"]


async def test_a_rate_limit_gives_the_turn_back_and_spares_the_installation(world: World) -> None:
    limited = [True]

    def hook(request: httpx.Request) -> httpx.Response | None:
        if limited and request.url.path.endswith("/pulls/1"):
            limited.pop()
            return httpx.Response(403, headers={"retry-after": "1"}, json={"message": "You exceeded a secondary rate"})
        return None

    world.github.before.append(hook)
    await world.ask()
    started = time.monotonic()
    await world.work()
    assert time.monotonic() - started >= 1
    assert world.github.run["output"]["title"] == "briefing 1"
    asked = [path for _, path in world.github.requests if path.endswith("/pulls/1")]
    assert len(asked) >= 2


async def test_a_suspended_installation_ends_without_hammering_github(world: World) -> None:
    def hook(request: httpx.Request) -> httpx.Response | None:
        if request.url.path.endswith("/access_tokens"):
            return httpx.Response(403, json={"message": "This installation has been suspended"})
        return None

    world.github.before.append(hook)
    await world.ask()
    await world.work()
    assert len(world.github.requests) == 1
    assert await world.queue_is_empty()


async def test_a_check_run_whose_creation_seemed_to_fail_is_not_made_twice(world: World) -> None:
    failures = [502, 502]

    def hook(request: httpx.Request) -> httpx.Response | None:
        return httpx.Response(failures.pop()) if failures and request.method in {"POST", "PATCH"} else None

    world.github.after_write.append(hook)
    await world.ask()
    await world.work()
    assert len(world.github.runs) == 1
    assert world.github.run["output"]["title"] == "briefing 1"


async def test_annotations_that_seemed_not_to_arrive_are_not_sent_twice(world: World) -> None:
    world.analyst.annotations = [
        {"path": "a.py", "start_line": 1, "end_line": 1, "annotation_level": "notice", "message": "m", "title": "t"}
    ]
    failures = [502]

    def hook(request: httpx.Request) -> httpx.Response | None:
        return httpx.Response(failures.pop()) if failures and b"annotations" in request.content else None

    world.github.after_write.append(hook)
    await world.ask()
    await world.work()
    assert world.github.run["output"]["annotations_count"] == 1
    assert world.github.run["status"] == "completed"


async def test_annotations_github_refuses_do_not_cost_the_briefing(world: World) -> None:
    world.analyst.annotations = [
        {"path": "a.py", "start_line": 1, "end_line": 1, "annotation_level": "notice", "message": "m", "title": "t"}
    ]

    def hook(request: httpx.Request) -> httpx.Response | None:
        refused = request.method == "PATCH" and b'"annotations"' in request.content
        return httpx.Response(422, json={"message": "Invalid request"}) if refused else None

    world.github.before.append(hook)
    await world.ask()
    await world.work()
    assert world.github.run["output"]["title"] == "briefing 1"


async def test_a_job_that_keeps_dying_is_concluded_in_the_end(world: World) -> None:
    """Each start is killed with its worker, so the job never gets to say anything."""
    await world.ask()
    await world.work()
    world.github.run.update(status="in_progress", conclusion=None)
    opened = OpenRun(check_run_id=world.github.run["id"], head_sha=world.pull.head, owner="acme", name="shop")
    await write_open_run(world.redis, *world.place, opened)
    await world.ask("rebrief")
    job_id = (await world.redis.zrange(QUEUE_NAME, 0, -1))[0].decode()
    await world.redis.set(f"arq:retry:{job_id}", MOST_TRIES)
    await world.work()
    assert len(world.analyst.requests) == 1
    assert (world.github.run["status"], world.github.run["conclusion"]) == ("completed", "neutral")
    assert "could not be made" in world.github.run["output"]["title"]


async def test_a_job_found_by_two_workers_is_done_once(world: World) -> None:
    other: list[int] = []

    async def second_worker() -> None:
        await world.ask("rerun")
        ctx = {"redis": world.redis, "tools": world.tools, "job_id": "another", "job_try": 1}
        await brief.brief_pull_request(ctx, 900, 1)
        other.append(len(world.analyst.requests))

    world.analyst.meanwhile = second_worker
    await world.ask()
    await world.work()
    assert other == [1], "the second worker briefed a pull request that was being briefed"
    assert len(world.analyst.requests) == 2, "the wish that came meanwhile was lost"


async def test_a_wish_whose_worker_was_killed_is_found_by_the_others(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.ask()
    dead = (await world.redis.zrange(QUEUE_NAME, 0, -1))[0].decode()
    await world.redis.delete(QUEUE_NAME)  # arq believes that it still runs
    held = turn(world.redis, 900, 1, dead)
    assert await held.__aenter__()
    await world.redis.zadd("callsheet:turns", {"900:1": time.time() - 1000})  # no sign of life since
    await world.redis.delete("callsheet:turn:900:1")
    await sweep(world.redis, 20.0)
    await sweep(world.redis, 20.0)
    assert await world.redis.zcard(QUEUE_NAME) == 1
    await world.work()
    assert world.github.run["status"] == "completed"
    await held.__aexit__(None, None, None)


async def test_a_worker_stopped_in_the_middle_hands_its_job_over(world: World) -> None:
    arrived = asyncio.Event()

    async def hang() -> None:
        arrived.set()
        await asyncio.sleep(60)

    world.analyst.meanwhile = hang
    await world.ask()
    worker = build_worker(world.settings, await redis_pool(world.settings), world.tools)
    working = asyncio.create_task(worker.async_run())
    await asyncio.wait_for(arrived.wait(), 10)
    await worker.close()
    with pytest.raises(asyncio.CancelledError):
        await working
    assert world.github.run["status"] == "in_progress"
    await world.work()
    assert (world.github.run["status"], world.github.run["output"]["title"]) == ("completed", "briefing 2")


async def test_no_secret_is_logged_while_things_go_wrong(world: World, server: GitServer) -> None:
    server.status = 401
    with capture_logs() as events:
        await world.ask()
        await world.work()
    text = repr(events)
    assert "briefing_given_up" in text
    assert world.github.token not in text
    assert "PRIVATE KEY" not in text


async def test_a_revoked_token_is_replaced_once(world: World) -> None:
    await world.ask()
    await world.work()
    world.github.token = world.server.token = "ghs_77_another.token"
    await world.ask("rebrief")
    await world.work()
    assert world.github.minted == 2
    assert world.github.run["output"]["title"] == "briefing 2"

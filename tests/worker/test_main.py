"""The worker as a process: how it starts, stops, and lives through an outage of Redis."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx
import msgspec
import pytest
from arq.connections import ArqRedis

from tests.redis_server import redis_binary
from tests.worker.fake_github import APP_ID, FakeGitHub
from tests.worker.git_server import GitServer
from tests.worker.upstream import SamplePull, Upstream
from worker.jobs import BriefJob, enqueue_brief, live_workers, queue_age, redis_pool
from worker.main import work
from worker.settings import Secret, Settings, SettingsError


@pytest.fixture
def github(upstream: Upstream) -> FakeGitHub:
    pull = SamplePull(upstream)
    github = FakeGitHub(upstream)
    github.add_pull(1, pull.head, pull.tip)
    github.pulls[1]["state"] = "closed"
    return github


@pytest.fixture
def complete(settings: Settings, private_key: str, server: GitServer) -> Settings:
    return msgspec.structs.replace(
        settings,
        app_id=APP_ID,
        private_key=Secret(private_key),
        github_url=server.url,
        github_api_url="http://127.0.0.1:1/api/v3",
        shutdown_seconds=5,
    )


def job() -> BriefJob:
    return BriefJob(installation_id=5, repository_id=900, owner="acme", name="shop", number=1)


def start_redis(socket: str, directory: Path) -> subprocess.Popen[bytes]:
    command = [redis_binary(), "--port", "0", "--unixsocket", socket, "--save", "", "--dir", str(directory)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL)


def end(process: subprocess.Popen[bytes] | None) -> None:
    if process is not None:
        process.kill()
        process.wait()


async def until(condition: object, seconds: float = 10.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < deadline, "it did not happen in time"
        await asyncio.sleep(0.02)


def asked_for_the_pull(github: FakeGitHub) -> bool:
    return any(path.endswith("/pulls/1") for _, path in github.requests)


async def test_a_worker_takes_jobs_shows_that_it_lives_and_stops_when_asked(
    complete: Settings, redis: ArqRedis, github: FakeGitHub
) -> None:
    stop = asyncio.Event()
    working = asyncio.create_task(work(complete, stop, transport=github.transport))
    await enqueue_brief(redis, job())
    await until(lambda: asked_for_the_pull(github))
    assert await live_workers(redis) == 1
    assert await queue_age(redis) < 5
    stop.set()
    await asyncio.wait_for(working, 10)
    assert await live_workers(redis) == 0


async def test_a_worker_lives_through_an_outage_of_redis(
    complete: Settings, github: FakeGitHub, tmp_path: Path
) -> None:
    folder = tempfile.TemporaryDirectory(prefix="callsheet-", dir="/tmp")  # a socket's path must be short
    socket = f"{folder.name}/redis.sock"
    settings = msgspec.structs.replace(complete, redis_url=Secret(f"unix://{socket}"))
    stop = asyncio.Event()
    pool = await redis_pool(settings)
    first = start_redis(socket, tmp_path)
    working = asyncio.create_task(work(settings, stop, transport=github.transport))
    second = None
    try:
        await asyncio.sleep(1.0)
        end(first)
        await asyncio.sleep(1.5)
        assert not working.done(), "the outage ended the worker"
        second = start_redis(socket, tmp_path)
        await asyncio.sleep(0.5)
        await enqueue_brief(pool, job())
        await until(lambda: asked_for_the_pull(github), 20)
        stop.set()
        await asyncio.wait_for(working, 10)
    finally:
        stop.set()
        await pool.aclose()
        end(first)
        end(second)
        folder.cleanup()


async def test_a_wrong_key_is_refused_at_the_start(complete: Settings, github: FakeGitHub) -> None:
    github.before.append(lambda request: httpx.Response(401, json={"message": "Integration not found"}))
    with pytest.raises(SettingsError, match="CALLSHEET_PRIVATE_KEY"):
        await work(complete, asyncio.Event(), transport=github.transport)


async def test_a_cache_directory_that_cannot_be_written_is_named(complete: Settings, github: FakeGitHub) -> None:
    settings = msgspec.structs.replace(complete, cache_dir=Path("/proc/nothing/here"))
    with pytest.raises(SettingsError, match="CALLSHEET_CACHE_DIR"):
        await work(settings, asyncio.Event(), transport=github.transport)


async def test_an_old_git_or_none_is_named(
    complete: Settings, github: FakeGitHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = tmp_path / "git"
    old.write_text("#!/bin/sh\necho git version 2.20.1\n")
    old.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(SettingsError, match=r"2\.20\.1 is too old"):
        await work(complete, asyncio.Event(), transport=github.transport)
    old.write_text("#!/bin/sh\nexit 127\n")
    with pytest.raises(SettingsError, match="install git"):
        await work(complete, asyncio.Event(), transport=github.transport)


PROGRAM = "import os, sys; from worker.main import run; from worker.settings import Settings\n"
PROGRAM += "sys.exit(run(Settings.from_environment(os.environ)))"


def test_the_process_ends_cleanly_on_sigterm(redis_url: str, private_key: str, tmp_path: Path) -> None:
    environment = os.environ | {
        "CALLSHEET_APP_ID": "77",
        "CALLSHEET_PRIVATE_KEY": private_key,
        "CALLSHEET_GITHUB_URL": "http://127.0.0.1:1",
        "CALLSHEET_CACHE_DIR": str(tmp_path),
        "REDIS_URL": redis_url,
    }
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM], env=environment, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if "Starting worker" in line:
                break
        process.send_signal(signal.SIGTERM)
        rest = process.stderr.read()
        assert process.wait(15) == 0, rest
        assert "Traceback" not in rest
        assert "PRIVATE KEY" not in rest


def test_a_process_without_its_settings_says_which(redis_url: str) -> None:
    environment = {"PATH": os.environ["PATH"], "REDIS_URL": redis_url}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "CALLSHEET_APP_ID" in done.stderr
    assert "Traceback" not in done.stderr

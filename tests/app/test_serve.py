"""The long-running commands as processes: they start fast, stop cleanly, and take their children with them."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from app.standin import StandIn
from tests.app.test_children import descendants, gone

COMMAND = [sys.executable, "-P", "-m", "app"]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def clean(**more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("CALLSHEET_", "REDIS_URL"))}
    return kept | {"CALLSHEET_CREDENTIALS_DIR": "/nonexistent"} | more


@contextmanager
def running(command: str, environment: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [*COMMAND, command], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def status(url: str) -> int:
    try:
        return httpx.get(url, trust_env=False, timeout=2).status_code
    except httpx.HTTPError:
        return 0


def wait_until_ready(port: int, process: subprocess.Popen[str], seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while status(f"http://127.0.0.1:{port}/readyz") != 200:
        assert process.poll() is None, process.stderr and process.stderr.read()
        assert time.monotonic() < deadline, "it is not ready"
        time.sleep(0.05)


@pytest.fixture
def serving(github: StandIn, tmp_path: Path) -> Iterator[dict[str, str]]:
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:  # a killed process can't remove its own
        yield _serving(github, tmp_path, folder)


def _serving(github: StandIn, tmp_path: Path, folder: str) -> dict[str, str]:
    return clean(
        **github.environment(),
        TMPDIR=folder,
        CALLSHEET_PORT=str(free_port()),
        CALLSHEET_CACHE_DIR=str(tmp_path),
        CALLSHEET_SHUTDOWN_SECONDS="1",
    )


def test_serve_leaves_something_behind(serving: dict[str, str]) -> None:
    port = int(serving["CALLSHEET_PORT"])
    with running("serve", serving) as process:
        wait_until_ready(port, process)
        children = descendants(process.pid)
        assert len(children) >= 2  # Redis and the worker
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
        assert all(gone(child) for child in children)


def test_killed_serve_leaves_its_children_running(serving: dict[str, str]) -> None:
    port = int(serving["CALLSHEET_PORT"])
    with running("serve", serving) as process:
        wait_until_ready(port, process)
        children = descendants(process.pid)
        assert len(children) >= 2
        process.kill()
        assert all(gone(child, seconds=15) for child in children)


def test_serve_goes_on_without_a_worker(serving: dict[str, str]) -> None:
    port = int(serving["CALLSHEET_PORT"])

    def workers(process: subprocess.Popen[str]) -> set[int]:
        return {pid for pid, command in descendants(process.pid).items() if "worker" in command}

    with running("serve", serving) as process:
        wait_until_ready(port, process)
        first = workers(process)
        assert len(first) == 1
        os.kill(next(iter(first)), signal.SIGKILL)
        deadline = time.monotonic() + 15
        while not workers(process) - first:
            assert time.monotonic() < deadline
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0


def test_web_is_told_to_stop_and_is_still_ready(serving: dict[str, str], redis_url: str) -> None:
    port = int(serving["CALLSHEET_PORT"])
    with running("web", serving | {"REDIS_URL": redis_url}) as process:
        wait_until_ready(port, process)
        process.send_signal(signal.SIGTERM)
        assert process.wait(15) == 0
        assert status(f"http://127.0.0.1:{port}/readyz") == 0


def test_a_webhook_that_is_being_read_is_dropped_when_the_receiver_is_told_to_stop(
    serving: dict[str, str], redis_url: str, github: StandIn
) -> None:
    shop = github.repository("acme/shop", {"a.py": "x = 1\n"})
    body = json.dumps(shop.open_pull("Change", {"a.py": "x = 2\n"}).opened().payload).encode()
    signature = hmac.new(serving["CALLSHEET_WEBHOOK_SECRET"].encode(), body, hashlib.sha256).hexdigest()
    head = (
        "POST /webhooks HTTP/1.1\r\nHost: receiver\r\nContent-Type: application/json\r\n"
        f"X-GitHub-Event: pull_request\r\nX-GitHub-Delivery: {uuid.uuid4()}\r\n"
        f"X-Hub-Signature-256: sha256={signature}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    port = int(serving["CALLSHEET_PORT"])
    with running("web", serving | {"REDIS_URL": redis_url}) as process:
        wait_until_ready(port, process)
        with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
            connection.sendall(head.encode() + body[:1000])
            time.sleep(0.3)
            process.send_signal(signal.SIGTERM)
            deadline = time.monotonic() + 10
            while status(f"http://127.0.0.1:{port}/readyz") == 200:
                assert time.monotonic() < deadline
                time.sleep(0.05)
            connection.sendall(body[1000:])
            assert connection.recv(65536).startswith(b"HTTP/1.1 202 ")
        assert process.wait(15) == 0


def test_a_taken_port_is_a_traceback(serving: dict[str, str], redis_url: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        environment = serving | {"REDIS_URL": redis_url, "CALLSHEET_PORT": port}
        done = subprocess.run([*COMMAND, "web"], env=environment, capture_output=True, text=True, timeout=30)
    assert done.returncode == 1
    assert f"cannot listen on 127.0.0.1:{port}" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("command", "environment", "named"),
    [
        ("web", {"REDIS_URL": "redis://127.0.0.1:1"}, "CALLSHEET_WEBHOOK_SECRET"),
        ("web", {"CALLSHEET_WEBHOOK_SECRET": "s3cret-s3cret"}, "REDIS_URL"),
        ("worker", {"REDIS_URL": "redis://127.0.0.1:1"}, "CALLSHEET_APP_ID"),
        ("serve", {"CALLSHEET_APP_ID": "7"}, "CALLSHEET_PRIVATE_KEY"),
        ("web", {"CALLSHEET_PORT": "eighty", "CALLSHEET_WEBHOOK_SECRET": "s3cret-s3cret"}, "CALLSHEET_PORT"),
    ],
)
def test_a_missing_setting_is_not_named(command: str, environment: dict[str, str], named: str) -> None:
    done = subprocess.run([*COMMAND, command], env=clean(**environment), capture_output=True, text=True, timeout=30)
    assert done.returncode == 2
    assert named in done.stderr
    assert "Traceback" not in done.stderr
    assert "s3cret-s3cret" not in done.stderr


def test_the_receiver_takes_long_to_start() -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-P", "-c", "import app.receiver"], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime) < 0.9

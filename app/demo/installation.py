"""Everything an installation of Callsheet has, on this machine: GitHub's stand-in, Redis, receivers, workers.

Receivers and workers are real processes (`callsheet web`, `callsheet worker`). The demo shows one installation at work;
the end-to-end tests start, kill and question others.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final, TypeVar

import httpx

from app.children import bound_to_this_process, callsheet_command, stop
from app.embedded_redis import EmbeddedRedis
from app.standin import StandIn

READY_SECONDS: Final = 30.0
STOP_SECONDS: Final = 10.0
LOG_LINES: Final = 15

T = TypeVar("T")


class ProcessEnded(RuntimeError):
    """A receiver or worker ended by itself; the message has the end of its log."""


class LocalInstallation:
    """A running installation. Make it with `start`, use it as a context manager, and then start receivers and workers.

    `folder` holds all its files: logs, the stand-in's repositories, and the worker's cache below `cache`.
    """

    def __init__(self, folder: Path, github: StandIn, redis: EmbeddedRedis, settings: Mapping[str, str]) -> None:
        self.folder = folder
        self.github = github
        self.redis = redis
        self._environment = _clean_environment() | github.environment()
        self._environment |= {
            "REDIS_URL": redis.url,
            "CALLSHEET_CACHE_DIR": str(folder / "cache"),
            "CALLSHEET_LOG_FORMAT": "text",
            "CALLSHEET_SHUTDOWN_SECONDS": "2",
        }
        self._environment |= settings
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._expendable: set[str] = set()

    @classmethod
    @contextlib.contextmanager
    def start(cls, settings: Mapping[str, str] | None = None) -> Iterator[LocalInstallation]:
        """Start the stand-in and Redis; `settings` are further environment variables for receivers and workers.

        At the end everything is stopped and its files are removed. Raises NoRedisServer.
        """
        folder = Path(tempfile.mkdtemp(prefix="callsheet-demo-"))
        try:
            with StandIn.start(folder / "github") as github, EmbeddedRedis() as redis:
                here = cls(folder, github, redis, settings or {})
                try:
                    yield here
                finally:
                    here.stop_processes()
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def start_receiver(self) -> subprocess.Popen[bytes]:
        """Start `callsheet web` on a free port, point the stand-in's webhooks at it, and wait until it is ready.

        Raises ProcessEnded, TimeoutError.
        """
        port = _free_port()
        process = self._launch("web", {"CALLSHEET_PORT": str(port)})
        self.github.hook_url = f"http://127.0.0.1:{port}/webhooks"
        self.wait_for(lambda: _is_ready(f"http://127.0.0.1:{port}/readyz"), "the receiver is ready", READY_SECONDS)
        return process

    def start_worker(self) -> subprocess.Popen[bytes]:
        """Start another `callsheet worker`."""
        return self._launch("worker", {})

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        """End a process the way the kernel does when memory runs out: at once, without a word."""
        self._expendable |= {name for name, each in self._processes.items() if each is process}
        process.kill()
        process.wait()

    def stop_processes(self) -> None:
        """Ask all receivers and workers to stop, and wait for them."""
        for process in self._processes.values():
            if process.poll() is None:
                process.terminate()
        for process in self._processes.values():
            stop(process, STOP_SECONDS)

    def wait_for(self, look: Callable[[], T], what: str, seconds: float = 60.0) -> T:
        """Look until there is something to see, and return it. Raises ProcessEnded, TimeoutError (with the logs)."""
        deadline = time.monotonic() + seconds
        while True:
            if seen := look():
                return seen
            for name, process in self._processes.items():
                if process.poll() is not None and name not in self._expendable:
                    raise ProcessEnded(f"callsheet {name} ended with {process.returncode}\n{self.last_words()}")
            if time.monotonic() > deadline:
                raise TimeoutError(f"after {seconds:.0f} seconds it is still not so that {what}\n{self.last_words()}")
            time.sleep(0.03)

    def logs(self) -> str:
        """All that receivers and workers have logged."""
        return "".join(path.read_text(errors="replace") for path in sorted(self.folder.glob("*.log")))

    def last_words(self) -> str:
        """The ends of the processes' logs."""
        said = []
        for path in sorted(self.folder.glob("*.log")):
            said += [f"--- the end of {path.name}", *path.read_text(errors="replace").splitlines()[-LOG_LINES:]]
        return "\n".join(said)

    def _launch(self, command: str, more: Mapping[str, str]) -> subprocess.Popen[bytes]:
        name = f"{command}-{len(self._processes) + 1}"
        with (self.folder / f"{name}.log").open("wb") as log:
            self._processes[name] = subprocess.Popen(
                bound_to_this_process(callsheet_command(command), when_orphaned=signal.SIGKILL),
                env=self._environment | dict(more),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C at the terminal is for us
            )
        return self._processes[name]


def _clean_environment() -> dict[str, str]:
    """This process's environment without its own Callsheet settings, which may be a real installation's."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("CALLSHEET_", "REDIS_URL", "GIT_")) and not name.upper().endswith("_PROXY")
    }


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _is_ready(url: str) -> bool:
    try:
        return httpx.get(url, trust_env=False, timeout=2).status_code == 200
    except httpx.HTTPError:
        return False

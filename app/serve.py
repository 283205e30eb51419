"""Long-running commands: the receiver, the worker, and both together with a Redis of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from types import FrameType
from typing import TYPE_CHECKING, Final

import msgspec
import structlog
import uvicorn

from app.children import bound_to_this_process, callsheet_command, stop
from app.cli import DONE, CommandFailed, UsageError
from app.receiver import Receiver, make_receiver
from worker.logs import set_up_logging
from worker.settings import Secret, Settings, SettingsError

if TYPE_CHECKING:
    from app.embedded_redis import EmbeddedRedis

GRACE_SECONDS: Final = 10
"""Seconds open connections get to end when the receiver stops."""

MAX_CONNECTIONS: Final = 256
"""Connections served at once; past it the answer is 503, and GitHub keeps the delivery for redelivery."""

RESTART_SECONDS: Final = (1.0, 2.0, 5.0, 10.0, 30.0)
"""Waits before the worker is started again after it ended by itself, growing while it keeps ending early."""

SETTLED_SECONDS: Final = 60.0

log = structlog.get_logger("callsheet.serve")


def read_settings(env: Mapping[str, str] = os.environ) -> Settings:
    """The settings, with logging set up after them. Raises UsageError with the words of what is wrong."""
    try:
        settings = Settings.from_environment(env)
    except SettingsError as error:
        raise UsageError(str(error)) from None
    set_up_logging(settings.log_level, settings.log_format)
    return settings


class Web(uvicorn.Server):
    """uvicorn with one habit more: asked to stop, the receiver says at once that it isn't ready."""

    def __init__(self, config: uvicorn.Config, receiver: Receiver) -> None:
        super().__init__(config)
        self._receiver = receiver

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Turn /readyz off, then stop as uvicorn does."""
        self._receiver.stopping = True
        super().handle_exit(sig, frame)


def make_server(settings: Settings) -> Web:
    """The receiver under uvicorn, ready to run. Raises UsageError."""
    try:
        app = make_receiver(settings)
    except SettingsError as error:
        raise UsageError(str(error)) from None
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,  # nothing here depends on who is asking
        limit_concurrency=MAX_CONNECTIONS,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    return Web(config, app.state.receiver)


def web() -> int:
    """`callsheet web`: receive until told to stop."""
    server = make_server(read_settings())
    return _receive(server)


def _receive(server: Web) -> int:
    """Run the receiver until it is told to stop.

    uvicorn raises the signal that stopped it once more at its end; handlers of ours take it, so that what is around
    the receiver is put away too and the exit code says that all went well.
    """
    handled = (signal.SIGTERM, signal.SIGINT)
    before = [signal.signal(number, server.handle_exit) for number in handled]
    host, port = server.config.host, server.config.port
    try:
        server.run()
    except SystemExit:  # uvicorn could not listen; it has logged why
        raise CommandFailed(
            f"cannot listen on {host}:{port}: is the port taken? CALLSHEET_HOST and CALLSHEET_PORT choose another."
        ) from None
    finally:
        for number, handler in zip(handled, before, strict=True):
            signal.signal(number, handler)
    return DONE


def worker() -> int:
    """`callsheet worker`: make and post briefings until told to stop."""
    settings = read_settings()
    try:
        settings.require_app()
        settings.require_redis()
    except SettingsError as error:
        raise UsageError(str(error)) from None
    from worker.main import run

    return run(settings)


def serve() -> int:
    """`callsheet serve`: receiver and worker in one command, with an embedded Redis when no REDIS_URL is given."""
    settings = read_settings()
    try:
        settings.require_app()
        settings.require_webhook_secrets()
    except SettingsError as error:
        raise UsageError(str(error)) from None
    if settings.redis_url is not None:
        return _serve(settings)
    from app.embedded_redis import EmbeddedRedis, NoRedisServer

    try:
        with EmbeddedRedis() as redis:
            log.info("embedded Redis started: jobs do not survive a restart", pid=redis.pid)
            return _serve(msgspec.structs.replace(settings, redis_url=Secret(redis.url)), redis)
    except NoRedisServer as error:
        raise CommandFailed(str(error)) from None


def _serve(settings: Settings, redis: EmbeddedRedis | None = None) -> int:
    server = make_server(settings)

    def stop_receiving() -> None:
        server.should_exit = True

    supervised = WorkerProcess(settings, redis, stop_receiving)
    supervised.start()
    try:
        code = _receive(server)
    finally:
        supervised.stop()
    if redis is not None and redis.poll() is not None:
        raise CommandFailed("the embedded Redis ended by itself; start again, or give another in REDIS_URL.")
    return code


class WorkerProcess:
    """A worker in a process of its own, started again when it ends by itself (arq ends when Redis blinks)."""

    def __init__(self, settings: Settings, redis: EmbeddedRedis | None, when_lost: Callable[[], None]) -> None:
        """`when_lost` is called when `redis`, the embedded one, ended by itself: nothing can go on without it."""
        self._redis, self._when_lost = redis, when_lost
        url = settings.require_redis()
        self._environment = {
            name: value for name, value in os.environ.items() if name not in ("REDIS_URL", "REDIS_URL_FILE")
        } | {"REDIS_URL": url.reveal()}
        self._seconds = settings.shutdown_seconds + 5
        self._stopping = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._watch, name="worker-watch")

    def start(self) -> None:
        """Start it, and the watch over it."""
        self._process = self._launch()
        self._thread.start()

    def stop(self) -> None:
        """Let it finish what it has begun, within the time the settings give, and end it."""
        self._stopping.set()
        self._thread.join()
        if self._process is not None:
            stop(self._process, self._seconds)

    def _launch(self) -> subprocess.Popen[bytes]:
        # A session of its own: Ctrl-C at the terminal is for the receiver, which then stops the worker in its turn.
        return subprocess.Popen(
            bound_to_this_process(callsheet_command("worker"), when_orphaned=signal.SIGTERM),
            env=self._environment,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )

    def _watch(self) -> None:
        failures = 0
        started = time.monotonic()
        while not self._stopping.wait(0.2):
            if self._redis is not None and self._redis.poll() is not None:
                self._when_lost()
                return
            if self._process is None or self._process.poll() is None:
                continue
            failures = 0 if time.monotonic() - started > SETTLED_SECONDS else failures + 1
            pause = RESTART_SECONDS[min(failures, len(RESTART_SECONDS)) - 1] if failures else RESTART_SECONDS[0]
            log.error("the worker ended; it is started again", code=self._process.returncode, seconds=pause)
            if self._stopping.wait(pause):
                return
            self._process, started = self._launch(), time.monotonic()

"""Run a worker: arq with Callsheet's settings, until it is asked to stop.

arq ends when Redis goes away for longer than the client's own retries; here it is started again, with growing pauses.
Asked to stop, the worker takes no new jobs and gives running ones `shutdown_seconds`; what isn't done by then is
cancelled and stays in the queue for another worker.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import socket
import sys
import tempfile
from collections.abc import Sequence
from typing import Final

import httpx
import structlog
from arq.connections import ArqRedis
from arq.worker import Worker, func
from redis.exceptions import RedisError

from worker import metrics
from worker.access import removed
from worker.answers import GitHubError, Refused
from worker.brief import brief_pull_request
from worker.disk import clone_sizes, delete_removed
from worker.errands import ERRAND_FUNCTION, ERRAND_QUEUE
from worker.git import GitError, GitRunner
from worker.github import AppClient
from worker.job import Tools, job_seconds
from worker.jobs import (
    BRIEF_FUNCTION,
    QUEUE_NAME,
    deserialize,
    forget_worker,
    note_worker,
    queue_job,
    redis_pool,
    serialize,
)
from worker.logs import set_up_logging
from worker.lost import LostJobs
from worker.metrics import serve_metrics
from worker.rotation import RotatingSettings
from worker.settings import Settings, SettingsError
from worker.tracing import set_up_tracing
from worker.turns import abandoned
from worker.upkeep import ERRAND_SECONDS, ask_periodic_errands, run_errand

HEALTH_SECONDS: Final = 10
ERRANDS_AT_ONCE: Final = 2
ALIVE: Final = "alive"
"""File in the cache directory, touched every HEALTH_SECONDS at least: for liveness probes."""
_ARQ_TRIES: Final = 60
"""arq drops a job without a word past this many starts; `worker.brief` decides long before."""
_POLL_SECONDS: Final = 0.25
_OLDEST_GIT: Final = (2, 32)

_log = structlog.get_logger(__name__)


async def sweep(redis: ArqRedis, takeover_seconds: float) -> None:
    """Start over what a killed worker left: its wish would else wait for arq's patience with the lost job."""
    for repository_id, number in await abandoned(redis, takeover_seconds):
        _log.warning("briefing_abandoned", repository=repository_id, pull=number)
        await queue_job(redis, repository_id, number)


def build_worker(settings: Settings, redis: ArqRedis, tools: Tools) -> Worker:
    """An arq worker on the queue of briefings. It handles no signals: `work` does."""
    return Worker(
        functions=[
            func(
                brief_pull_request,
                name=BRIEF_FUNCTION,
                timeout=job_seconds(settings) + 60.0,
                max_tries=_ARQ_TRIES,
                keep_result=0,
            )
        ],
        redis_pool=redis,
        queue_name=QUEUE_NAME,
        job_serializer=serialize,
        job_deserializer=deserialize,
        handle_signals=False,
        max_jobs=settings.max_jobs,
        keep_result=0,
        poll_delay=_POLL_SECONDS,
        health_check_interval=HEALTH_SECONDS,
        health_check_key=f"callsheet:worker:{_worker_id()}",  # arq's default is one for all workers
        ctx={"tools": tools},
        log_results=False,
    )


def build_errand_worker(redis: ArqRedis, tools: Tools) -> Worker:
    """An arq worker on the queue of errands (worker/errands.py says why they have their own)."""
    return Worker(
        functions=[func(run_errand, name=ERRAND_FUNCTION, timeout=ERRAND_SECONDS, max_tries=_ARQ_TRIES, keep_result=0)],
        redis_pool=redis,
        queue_name=ERRAND_QUEUE,
        job_serializer=serialize,
        job_deserializer=deserialize,
        handle_signals=False,
        max_jobs=ERRANDS_AT_ONCE,
        keep_result=0,
        poll_delay=_POLL_SECONDS,
        health_check_interval=HEALTH_SECONDS,
        health_check_key=f"callsheet:errands:{_worker_id()}",
        ctx={"tools": tools},
        log_results=False,
    )


async def work(
    settings: Settings,
    stop: asyncio.Event,
    *,
    transport: httpx.AsyncBaseTransport | None = None,
) -> None:
    """Work until `stop` is set, then finish what runs (see the module's text).

    `transport` replaces the network to GitHub's API. Raises SettingsError when the settings can't work: a missing or
    refused key, no Redis address, a cache directory that can't be written, no git.
    """
    app = AppClient(settings, transport)
    _check_machine(settings)
    await _check_app(app)
    tools = Tools(settings=settings, app=app)
    rotating = RotatingSettings(settings)
    pause = 1.0
    while not stop.is_set():
        redis = await redis_pool(settings)
        workers = (
            build_worker(settings, redis, tools),
            build_errand_worker(await redis_pool(settings), tools),  # arq closes a worker's pool with it
        )
        running = asyncio.create_task(_run_all(workers))
        watching = asyncio.create_task(_watch(redis, settings, app, rotating))
        stopping = asyncio.create_task(stop.wait())
        started = asyncio.get_running_loop().time()
        await asyncio.wait({running, stopping}, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        try:
            if not running.done():
                await _drain(workers, settings.shutdown_seconds)
                running.cancel()
            await running
        except asyncio.CancelledError:
            if not stop.is_set():
                raise
        except (RedisError, OSError) as error:
            if asyncio.get_running_loop().time() - started > 60.0:
                pause = 1.0
            _log.error("redis_lost", why=type(error).__name__, seconds=pause)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), pause)
            pause = min(pause * 2, 15.0)
        finally:
            watching.cancel()
            with contextlib.suppress(RedisError, OSError, asyncio.CancelledError):
                await forget_worker(redis, _worker_id())
            for worker in workers:
                with contextlib.suppress(RedisError, OSError, asyncio.CancelledError):
                    await worker.close()


def run(settings: Settings) -> int:
    """`callsheet worker`: work until SIGTERM or SIGINT. The exit status is 0, or 2 when the settings are wrong."""
    set_up_logging(settings.log_level, settings.log_format)
    try:
        end_tracing = set_up_tracing(os.environ)
        try:
            asyncio.run(_run_until_signal(settings))
        finally:
            end_tracing()
    except SettingsError as error:
        print(f"callsheet worker: {error}", file=sys.stderr)
        return 2
    return 0


async def _run_until_signal(settings: Settings) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for signum in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(signum, stop.set)
    serving = serve_metrics(settings.host, settings.metrics_port) if settings.metrics_port else None
    try:
        await work(settings, stop)
    finally:
        if serving is not None:
            serving[0].shutdown()
            serving[0].server_close()


async def _run_all(workers: Sequence[Worker]) -> None:
    """Run the workers until one of them ends, or this is cancelled; then none of them runs any more."""
    tasks = [asyncio.create_task(worker.async_run()) for worker in workers]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
    for error in ended:
        if isinstance(error, Exception):
            raise error


async def _drain(workers: Sequence[Worker], seconds: float) -> None:
    """Take no new jobs, and give the running ones some time."""
    for worker in workers:
        worker.allow_pick_jobs = False
    running = {task for worker in workers for task in worker.tasks.values()}
    _log.info("worker_stopping", running=len(running), seconds=seconds)
    if running:
        await asyncio.wait(running, timeout=seconds)


async def _watch(redis: ArqRedis, settings: Settings, app: AppClient, rotating: RotatingSettings) -> None:
    """Give a sign of life, look for what dead workers left and for what is due, again and again."""
    key, lost = settings.private_key, LostJobs(settings.takeover_seconds)
    while True:
        if (newest := rotating.now().private_key) is not None and newest != key:
            app.use_key(newest)
            key = newest
        with contextlib.suppress(OSError):  # a full disk is for the jobs to notice
            (settings.cache_dir / ALIVE).touch()
        metrics.note_rates(app.rates)
        metrics.note_disk(settings.cache_dir, await asyncio.to_thread(clone_sizes, settings.cache_dir))
        # An outage of Redis is for arq to notice.
        with contextlib.suppress(RedisError, OSError):
            await note_worker(redis, _worker_id())
            await sweep(redis, settings.takeover_seconds)
            await lost.release(redis)
            await ask_periodic_errands(redis, settings)
            gone = await removed(redis, settings.github_host)
            if gone.installations or gone.repositories:
                await asyncio.to_thread(delete_removed, settings.cache_dir, settings.github_host, gone)
        await asyncio.sleep(min(HEALTH_SECONDS, settings.takeover_seconds / 2))


def _worker_id() -> str:
    return f"{socket.gethostname()}:{os.getpid()}"


def _check_machine(settings: Settings) -> None:
    """Raises SettingsError when this machine lacks what every briefing needs."""
    try:
        settings.cache_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryFile(dir=settings.cache_dir):
            pass
    except OSError as error:
        raise SettingsError(
            f"CALLSHEET_CACHE_DIR is {settings.cache_dir}, where nothing can be written ({error.strerror}): give a "
            "directory on a local disk that this process may write to."
        ) from None
    try:
        said = GitRunner(seconds=20.0).run(settings.cache_dir, "version").decode("utf-8", "replace")
    except GitError as error:
        raise SettingsError(
            f"git can't be run: install git {_OLDEST_GIT[0]}.{_OLDEST_GIT[1]} or newer. ({error})"
        ) from None
    version = re.search(r"(\d+)\.(\d+)", said)
    if version is not None and (int(version[1]), int(version[2])) < _OLDEST_GIT:
        raise SettingsError(f"{said.strip()} is too old: install git {_OLDEST_GIT[0]}.{_OLDEST_GIT[1]} or newer.")


async def _check_app(app: AppClient) -> None:
    try:
        for lack in await app.check():
            _log.warning("permission_missing", what=lack)
    except Refused as error:
        raise SettingsError(
            f"GitHub does not accept this App's key: CALLSHEET_APP_ID and CALLSHEET_PRIVATE_KEY must belong together, "
            f"and the machine's clock must be right. ({error})"
        ) from None
    except GitHubError as error:
        _log.warning("github_not_checked", why=str(error))

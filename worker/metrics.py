"""What is counted and measured, for Prometheus. Labels are from short lists: never a name, a secret or a repository.

The receiver serves what concerns it at /metrics; a worker serves its own on CALLSHEET_METRICS_PORT.
"""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from threading import Thread
from typing import Final
from wsgiref.simple_server import WSGIServer

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
    start_http_server,
)

from worker.limits import Rate
from worker.settings import SettingsError
from worker.tracing import span

REGISTRY: Final = CollectorRegistry()
ProcessCollector(registry=REGISTRY)
PlatformCollector(registry=REGISTRY)

MOST_INSTALLATIONS: Final = 100
"""Installations whose rate limit is shown, each with a label of its own: the first ones met."""

_EVENTS: Final = frozenset(
    {
        "pull_request", "push", "check_run", "check_suite", "merge_group", "installation", "installation_repositories",
        "installation_target", "repository", "ping", "github_app_authorization",
    }
)  # fmt: skip

WEBHOOKS: Final = Counter(
    "callsheet_webhooks", "Webhooks, by event and by what came of them", ("event", "result"), registry=REGISTRY
)
WEBHOOK_SECONDS: Final = Histogram(
    "callsheet_webhook_seconds",
    "Seconds from a webhook's headers to its answer",
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
    registry=REGISTRY,
)
QUEUE_JOBS: Final = Gauge("callsheet_queue_jobs", "Jobs that wait or run, by queue", ("queue",), registry=REGISTRY)
QUEUE_AGE: Final = Gauge(
    "callsheet_queue_age_seconds", "How long the oldest unfinished briefing job has been due", registry=REGISTRY
)
WORKERS: Final = Gauge("callsheet_workers", "Workers that gave a sign of life in the last minute", registry=REGISTRY)
REDIS_UP: Final = Gauge("callsheet_redis_up", "Whether Redis answered", registry=REGISTRY)

BRIEFINGS: Final = Counter("callsheet_briefings", "Starts of briefing jobs, by result", ("result",), registry=REGISTRY)
PHASE_SECONDS: Final = Histogram(
    "callsheet_briefing_seconds",
    "Seconds of a briefing, by phase",
    ("phase",),
    buckets=(0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60, 120, 300),
    registry=REGISTRY,
)
ERRANDS: Final = Counter("callsheet_errands", "Errands, by kind and result", ("kind", "result"), registry=REGISTRY)
GITHUB_REQUESTS: Final = Counter(
    "callsheet_github_requests", "Requests to GitHub's API, by status (0: no answer)", ("method", "status"),
    registry=REGISTRY,
)  # fmt: skip
GITHUB_REMAINING: Final = Gauge(
    "callsheet_github_rate_remaining", "Requests left of the hour (installation 0: the App)", ("installation",),
    registry=REGISTRY,
)  # fmt: skip
GITHUB_LIMIT: Final = Gauge(
    "callsheet_github_rate_limit", "Requests GitHub allows in an hour", ("installation",), registry=REGISTRY
)
FILES: Final = Counter(
    "callsheet_files", "Files whose facts were needed, by where they came from", ("source",), registry=REGISTRY
)
DISK: Final = Gauge("callsheet_disk_bytes", "Bytes of the cache's disk", ("what",), registry=REGISTRY)
CLONES: Final = Gauge("callsheet_clones", "Clones on this worker's disk", registry=REGISTRY)

_shown: set[int] = set()


def event_label(name: str) -> str:
    """A webhook's event as a label: whoever sends nonsense makes no new series."""
    return name if name in _EVENTS else "other"


@contextlib.contextmanager
def phase(name: str) -> Iterator[None]:
    """Measure a phase of a briefing, also one that ends in an error."""
    began = time.perf_counter()
    try:
        with span(f"briefing.{name}"):
            yield
    finally:
        PHASE_SECONDS.labels(name).observe(time.perf_counter() - began)


def note_request(method: str, status: int) -> None:
    """Count one request to GitHub."""
    GITHUB_REQUESTS.labels(method, str(status)).inc()


def note_rates(rates: Mapping[int, Rate]) -> None:
    """Show what is left of each installation's hour."""
    for installation_id, rate in list(rates.items()):
        if installation_id in _shown or len(_shown) < MOST_INSTALLATIONS:
            _shown.add(installation_id)
            GITHUB_REMAINING.labels(str(installation_id)).set(rate.remaining)
            GITHUB_LIMIT.labels(str(installation_id)).set(rate.limit)


def note_disk(cache_dir: Path, sizes: Mapping[Path, int]) -> None:
    """Show what the clones take and what is free. `sizes` are the clones' bytes."""
    CLONES.set(len(sizes))
    DISK.labels("clones").set(sum(sizes.values()))
    with contextlib.suppress(OSError):
        usage = shutil.disk_usage(cache_dir)
        DISK.labels("free").set(usage.free)
        DISK.labels("total").set(usage.total)


def exposition() -> bytes:
    """Everything, in Prometheus' text format."""
    return generate_latest(REGISTRY)


def serve_metrics(host: str, port: int) -> tuple[WSGIServer, Thread]:
    """Serve the metrics until `shutdown()` of the server that is returned. Raises SettingsError."""
    try:
        return start_http_server(port, host, REGISTRY)
    except OSError as error:
        raise SettingsError(
            f"the metrics can't be served on {host}:{port} ({error.strerror}): choose another CALLSHEET_METRICS_PORT."
        ) from None

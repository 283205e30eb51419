"""`make load`: what the receiver takes while workers are busy, and what a thousand jobs leave behind in memory.

    python -m bench.load [--rate N] [--seconds N] [--jobs N] [--warm-up N]

First, signed webhooks at a fixed rate, of the size GitHub's have, most of them for nothing (labels, other apps' checks)
and a quarter of them pushes to pull requests, while workers brief. Latencies count from the moment a webhook was due,
so that a receiver that stalls cannot make them look better. Nothing is lost when every webhook was answered 202 and
every pull request's wish has counted every push that was told, and has been answered.

Then jobs, one after another, and the resident memory of receiver and worker before and after.

Bounded in count and time; nothing leaves loopback. The exit code is 1 when a limit is missed (see LIMITS).
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import hmac
import json
import subprocess
import sys
import time
import uuid
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.parse import urlsplit

import psutil
import redis as redis_client

from app.demo.installation import LocalInstallation
from app.standin import Event, Pull
from worker.jobs import wish_key

LIMITS = {"p99 ms": 250.0, "MB per 100 jobs": 1.0}
CONNECTIONS = 64
PULLS = 40
LOOKS = 10
"""Times that memory is looked at over all jobs."""
REQUESTS_AN_HOUR = 100_000
"""More than the run makes: nothing here is to wait for GitHub."""
PAYLOAD_BYTES = 26_000
"""A pull_request payload of github.com: 20 to 30 KB."""
SETTINGS = {
    "CALLSHEET_LOG_FORMAT": "json",
    "CALLSHEET_MAX_JOBS": "1",
    "CALLSHEET_ANALYSIS_MEMORY_MIB": "512",
    "CALLSHEET_LOG_LEVEL": "warning",
}


@dataclass
class Answers:
    """What came back: seconds from when each webhook was due, and how many were answered with which status."""

    seconds: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)

    def percentile(self, which: float) -> float:
        """Milliseconds."""
        ordered = sorted(self.seconds)
        return ordered[min(int(len(ordered) * which / 100), len(ordered) - 1)] * 1000 if ordered else 0.0


def padded(event: Event, size: int = PAYLOAD_BYTES) -> bytes:
    """The event's JSON, brought to the size of a real one by the field where people write most."""
    body = json.dumps(event.payload, separators=(",", ":"))
    missing = size - len(body)
    if missing > 0:
        body = json.dumps(event.payload | {"padding": "x" * missing}, separators=(",", ":"))
    return body.encode()


class Sender:
    """Sends webhooks over connections that stay open. One request after another on each."""

    def __init__(self, hook_url: str, secret: str) -> None:
        parts = urlsplit(hook_url)
        self._host, self._port, self._path = parts.hostname or "", parts.port or 80, parts.path
        self._secret = secret.encode()
        self._free: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.Queue()
        self.answers = Answers()

    def request(self, name: str, body: bytes) -> bytes:
        """Everything of a request but its delivery id, which has a fixed place and size."""
        signature = hmac.new(self._secret, body, hashlib.sha256).hexdigest()
        head = (
            f"POST {self._path} HTTP/1.1\r\nHost: {self._host}:{self._port}\r\nContent-Type: application/json\r\n"
            f"X-GitHub-Event: {name}\r\nX-Hub-Signature-256: sha256={signature}\r\nContent-Length: {len(body)}\r\n"
            f"X-GitHub-Delivery: {'0' * 36}\r\n\r\n"
        )
        return head.encode() + body

    async def open(self, connections: int) -> None:
        """Open the connections."""
        for _ in range(connections):
            self._free.put_nowait(await asyncio.open_connection(self._host, self._port))

    async def send(self, request: bytes, due: float) -> None:
        """Send one webhook and note its answer."""
        reader, writer = await self._free.get()
        try:
            writer.write(request.replace(b"0" * 36, str(uuid.uuid4()).encode(), 1))
            status_line = await reader.readline()
            length = 0
            while (line := await reader.readline()) not in (b"\r\n", b""):
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            await reader.readexactly(length)
            self.answers.statuses[int(status_line.split(b" ")[1])] += 1
        except (OSError, ValueError, IndexError, asyncio.IncompleteReadError):
            self.answers.statuses[0] += 1
            writer.close()
            reader, writer = await asyncio.open_connection(self._host, self._port)
        finally:
            self.answers.seconds.append(time.perf_counter() - due)
            self._free.put_nowait((reader, writer))


async def storm(sender: Sender, requests: list[bytes], rate: float, seconds: float) -> list[int]:
    """Send `rate` webhooks a second; returns how often each of `requests` was sent."""
    sent = [0] * len(requests)
    await sender.open(CONNECTIONS)
    tasks: set[asyncio.Task[None]] = set()
    began = time.perf_counter()
    for number in range(int(rate * seconds)):
        due = began + number / rate
        if (pause := due - time.perf_counter()) > 0:
            await asyncio.sleep(pause)
        which = number % len(requests)
        sent[which] += 1
        task = asyncio.create_task(sender.send(requests[which], due))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
    await asyncio.gather(*tasks)
    return sent


def _open_pulls(here: LocalInstallation) -> list[Pull]:
    functions = "".join(f"def f_{each}(x):\n    return x\n\n\n" for each in range(PULLS))
    names = ", ".join(f"f_{each}" for each in range(PULLS))
    calls = "".join(f"f_{each}(1)\n" for each in range(PULLS))
    shop = here.github.repository("acme/shop", {"lib.py": functions, "use.py": f"from lib import {names}\n\n{calls}"})
    pulls = []
    for number in range(PULLS):
        changed = functions.replace(f"def f_{number}(x)", f"def f_{number}(x, y)")
        pull = shop.open_pull(f"Change {number}", {"lib.py": changed}, branch=f"change-{number}")
        pull.reads_until_merged = 0
        pulls.append(pull)
    return pulls


def _wishes(redis: redis_client.Redis, pull: Pull) -> tuple[int, int]:
    asked, briefed = cast(Any, redis.hmget(wish_key(pull.repository.id, pull.number), ["generation", "briefed"]))
    return int(asked or 0), int(briefed or 0)


def _settle(here: LocalInstallation, redis: redis_client.Redis, pulls: list[Pull], seconds: float) -> None:
    def settled() -> bool:
        return all(len(set(_wishes(redis, pull))) == 1 for pull in pulls) and not redis.zcard("callsheet:queue")

    here.wait_for(settled, "everything that was asked is answered", seconds)


def _resident(process: subprocess.Popen[bytes]) -> float:
    """MB of the process itself, below the launcher that became it."""
    return float(psutil.Process(process.pid).memory_info().rss) / 1e6


def _processor_seconds(process: subprocess.Popen[bytes]) -> float:
    """Processor time of the process and of the children it has waited for."""
    times = psutil.Process(process.pid).cpu_times()
    return float(times.user + times.system + times.children_user + times.children_system)


def main() -> int:
    """Run both parts, print the figures, and return 0 when all limits are kept."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--rate", type=float, default=200.0)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--jobs", type=int, default=1000)
    parser.add_argument("--warm-up", type=int, default=100, help="jobs before memory is looked at first")
    options = parser.parse_args()
    missed: list[str] = []
    with LocalInstallation.start(SETTINGS) as here:
        here.github.world.limit_requests(REQUESTS_AN_HOUR)
        redis = redis_client.Redis(unix_socket_path=here.redis.url.removeprefix("unix://"))
        receiver, worker = here.start_receiver(), here.start_worker()
        pulls = _open_pulls(here)
        missed += _webhooks(here, redis, pulls, options.rate, options.seconds)
        if options.jobs:
            missed += _memory(here, redis, pulls, {"receiver": receiver, "worker": worker}, options)
        redis.close()
    for text in missed:
        print(f"missed: {text}")
    return 1 if missed else 0


def _webhooks(
    here: LocalInstallation, redis: redis_client.Redis, pulls: list[Pull], rate: float, seconds: float
) -> list[str]:
    assert here.github.hook_url is not None
    sender = Sender(here.github.hook_url, here.github.world.webhook_secret)
    requests: list[bytes] = []
    wanted: list[int | None] = []
    for number, pull in enumerate(pulls):
        for event, which in (
            (pull.synchronized(), number),
            (pull.event("labeled"), None),
            (pull.event("review_requested"), None),
            (pull.event("assigned"), None),
        ):
            requests.append(sender.request(event.name, padded(event)))
            wanted.append(which)
    before = len(here.github.check_runs())
    sent = asyncio.run(storm(sender, requests, rate, seconds))
    answers = sender.answers
    during = sum(run.status == "completed" for run in here.github.check_runs()) - before
    p50, p99, worst = answers.percentile(50), answers.percentile(99), answers.percentile(100)
    print(
        f"{sum(sent)} webhooks of {len(requests[0]) // 1000} KB at {rate:.0f}/s for {seconds:.0f} s, {during} pull "
        f"requests briefed meanwhile: answers {dict(answers.statuses)}, p50 {p50:.1f} ms, p99 {p99:.1f} ms, "
        f"slowest {worst:.0f} ms",
        flush=True,
    )
    missed = []
    if answers.statuses != Counter({202: sum(sent)}):
        missed.append("some webhooks were not acknowledged")
    if p99 > LIMITS["p99 ms"]:
        missed.append(f"p99 is {p99:.0f} ms")
    if not during:
        missed.append("the workers were not busy")
    _settle(here, redis, pulls, 600)
    told = [sent[index] for index, which in enumerate(wanted) if which is not None]
    # More than was told may be counted: what GitHub shows without a briefing is wished for as well.
    lost = [pull.number for pull, count in zip(pulls, told, strict=True) if _wishes(redis, pull)[0] < count]
    unbriefed = [pull.number for pull in pulls if [run.status for run in pull.check_runs()] != ["completed"]]
    print(
        f"{sum(told)} pushes told, {len(lost)} pull requests lost one, {len(unbriefed)} without a briefing", flush=True
    )
    if lost or unbriefed:
        missed.append(f"lost: {lost}; without a briefing: {unbriefed}")
    return missed


def _memory(
    here: LocalInstallation,
    redis: redis_client.Redis,
    pulls: list[Pull],
    processes: dict[str, subprocess.Popen[bytes]],
    options: argparse.Namespace,
) -> list[str]:
    _brief_again(here, redis, pulls, options.warm_up)
    used, asked = _processor_seconds(processes["worker"]), len(here.github.world.exchanges)
    began = time.monotonic()
    sizes = {name: [_resident(process)] for name, process in processes.items()}
    counts = [0]
    while counts[-1] < options.jobs:
        more = min(options.jobs - counts[-1], max(options.jobs // LOOKS, 1))
        _brief_again(here, redis, pulls, more)
        counts.append(counts[-1] + more)
        for name, process in processes.items():
            sizes[name].append(_resident(process))
    seconds = (time.monotonic() - began) / options.jobs
    used = (_processor_seconds(processes["worker"]) - used) / options.jobs
    requests = (len(here.github.world.exchanges) - asked) / options.jobs
    print(
        f"{options.jobs} jobs, {seconds:.2f} s each; {used:.2f} processor seconds of the worker and {requests:.1f} "
        f"requests to GitHub for each; memory after {', '.join(map(str, counts))} jobs:"
    )
    missed = []
    if requests < 1:
        missed.append("the jobs did nothing, so that their memory says nothing")
    for name, process in processes.items():
        growth = (sizes[name][-1] - sizes[name][0]) / options.jobs * 100
        print(f"{name}: {' '.join(f'{size:.1f}' for size in sizes[name])} MB, {growth:+.2f} MB per 100 jobs")
        if growth > LIMITS["MB per 100 jobs"]:
            missed.append(f"the {name} grows by {growth:.2f} MB per 100 jobs")
        if process.poll() is not None:
            missed.append(f"the {name} ended")
    return missed


def _brief_again(here: LocalInstallation, redis: redis_client.Redis, pulls: list[Pull], how_many: int) -> None:
    """Have so many briefings made, each pull request's after the other's, and wait for them."""
    while how_many > 0:
        batch = pulls[:how_many]
        before = sum(run.updates for run in here.github.check_runs())
        for pull in batch:
            here.github.deliver(pull.event("reopened"))
        _settle(here, redis, batch, 600)
        made = sum(run.updates for run in here.github.check_runs()) - before
        if made < len(batch):
            raise RuntimeError(f"{len(batch)} briefings were asked for, and {made} check runs updated")
        how_many -= len(batch)


if __name__ == "__main__":
    sys.exit(main())

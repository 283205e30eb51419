"""`make faults`: kill -9 the workers, the receiver and Redis at random moments, and see that nothing is lost or left.

    python -m bench.faults [--pulls N] [--seed N] [--seconds N]

At least two hundred pull requests in ten small repositories are opened, and some pushed to, at a stand-in for GitHub
that also loses answers, refuses requests and limits rates now and then. Meanwhile one process after the other is
killed and started again. At the end every head must have exactly one concluded check run with its own callers in it,
and no lease, lock, temporary file, queued job or child process may be left.

The seed decides who is killed and when; it is printed, and so is what was killed. Nothing leaves loopback.
"""

from __future__ import annotations

import argparse
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, cast

import psutil
import redis as redis_client
from arq.jobs import deserialize_job_raw

from app.children import bound_to_this_process, stop
from app.demo.installation import LocalInstallation
from app.embedded_redis import EmbeddedRedis, servers
from app.standin import Pull, Repository, StandIn
from worker.errands import Walk, read_errand
from worker.jobs import deserialize
from worker.locks import try_lock

REPOSITORIES = 10
WORKERS = 2
KILLING_SECONDS = 120.0
"""After the last pull request was opened, killing goes on for so long at most."""
SETTINGS = {
    "CALLSHEET_LOG_FORMAT": "json",
    "CALLSHEET_MAX_JOBS": "1",
    "CALLSHEET_GIT_SECONDS": "20",
    "CALLSHEET_ANALYSIS_SECONDS": "20",
    "CALLSHEET_ANALYSIS_MEMORY_MIB": "512",
    "CALLSHEET_SWEEP_SECONDS": "5",
    "CALLSHEET_RECONCILE_SECONDS": "15",
    "CALLSHEET_BACKLOG_PER_HOUR": "100000",
    "CALLSHEET_LISTINGS_PER_HOUR": "100000",
    "CALLSHEET_SHUTDOWN_SECONDS": "10",
    "CALLSHEET_TAKEOVER_SECONDS": "4",
}
REQUESTS_AN_HOUR = 100_000
"""More than the run makes: with less, background work would rightly wait for the next hour."""
KEPT = (
    "callsheet:began:*",
    "callsheet:briefing:*",
    "callsheet:budget-*",
    "callsheet:delivery:*",
    "callsheet:due:*",
    "callsheet:errand:*",
    "callsheet:errands",
    "callsheet:errands:*",
    "callsheet:etag-pulls:*",
    "callsheet:index:*",
    "callsheet:listed:*",
    "callsheet:organisation:*",
    "callsheet:rate:*",
    "callsheet:redelivered:*",
    "callsheet:repositories:*",
    "callsheet:strikes:*",
    "callsheet:swept:*",
    "callsheet:worker:*",
    "callsheet:workers",
)
"""Keys that stay: what was briefed, what GitHub said, when what was done last, errands that wait for their time."""


class DurableRedis:
    """A Redis that keeps its data over a kill -9, on a socket of its own."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._folder = folder
        self.start()

    @property
    def url(self) -> str:
        return f"unix://{self._folder}/redis.sock"

    def client(self) -> redis_client.Redis:
        return redis_client.Redis(unix_socket_path=f"{self._folder}/redis.sock")

    def start(self) -> None:
        socket = self._folder / "redis.sock"
        socket.unlink(missing_ok=True)
        arguments = ["--port", "0", "--unixsocket", str(socket), "--save", "", "--appendonly", "yes"]
        command = [next(servers()), *arguments, "--dir", str(self._folder)]
        self.process = subprocess.Popen(
            bound_to_this_process(command, when_orphaned=signal.SIGKILL),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            try:
                with self.client() as client:
                    client.ping()
                return
            except redis_client.RedisError:
                time.sleep(0.02)
        raise RuntimeError("Redis did not start again")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@dataclass
class Run:
    """One run: what is there, and what was done to it."""

    here: LocalInstallation
    redis: DurableRedis
    random: random.Random
    pulls: list[Pull] = field(default_factory=list)
    heads: dict[tuple[int, int], list[str]] = field(default_factory=dict)
    killed: Counter[str] = field(default_factory=Counter)
    receiver: subprocess.Popen[bytes] | None = None
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)
    stopping: threading.Event = field(default_factory=threading.Event)

    @property
    def github(self) -> StandIn:
        return self.here.github

    def start(self) -> None:
        self.receiver = self.here.start_receiver()
        self.workers = [self.here.start_worker() for _ in range(WORKERS)]

    def kill_now_and_then(self) -> None:
        """Until told to stop: kill somebody, and start it again a moment later.

        From the main thread: the kernel takes the end of the thread that started them for the end of their parent.
        """
        while not self.stopping.wait(self.random.uniform(2.0, 5.0)):
            whom = self.random.choices(("worker", "receiver", "redis"), (6, 2, 1))[0]
            self.killed[whom] += 1
            if whom == "redis":
                self.redis.kill()
                time.sleep(self.random.uniform(0.1, 1.0))
                self.redis.start()
            elif whom == "receiver":
                assert self.receiver is not None
                self.here.kill(self.receiver)
                time.sleep(self.random.uniform(0.0, 0.5))
                self.receiver = self.here.start_receiver()
            else:
                which = self.random.randrange(WORKERS)
                self.here.kill(self.workers[which])
                self.workers[which] = self.here.start_worker()

    def work_until_few_are_left(self, how_many: int) -> None:
        """Open the pull requests, wait until most have their briefing, and end the killing."""
        try:
            self.open_pulls(how_many)
            deadline = time.monotonic() + KILLING_SECONDS
            while len(self.unfinished()) > len(self.pulls) // 10 and time.monotonic() < deadline:
                time.sleep(0.5)
        finally:
            self.stopping.set()

    def open_pulls(self, how_many: int) -> None:
        """Open pull requests and push to some, telling Callsheet as GitHub would: once, whatever comes of it."""
        repositories = [_repository(self.github, number) for number in range(REPOSITORIES)]
        each = -(-how_many // REPOSITORIES)
        for number in range(each):
            for repository in repositories:
                pull = _open(repository, number)
                self.pulls.append(pull)
                self._tell(pull, pull.opened())
                if self.random.random() < 0.2:
                    again = self.random.choice(self.pulls)
                    again.push({"lib.py": _library(_function_of(again), extra=True)})
                    self._tell(again, again.synchronized())
                self._make_trouble()
                time.sleep(0.02)

    def _tell(self, pull: Pull, event: Any) -> None:
        self.heads.setdefault((pull.repository.id, pull.number), []).append(pull.head_sha)
        self.github.deliver(event, seconds=5)

    def _make_trouble(self) -> None:
        """What GitHub does to everybody, now and then."""
        dice = self.random.random()
        if dice < 0.03:
            self.github.faults.lose_answer("POST", "/check-runs$")
        elif dice < 0.06:
            self.github.faults.lose_answer("PATCH", "/check-runs/")
        elif dice < 0.09:
            self.github.faults.refuse("GET", "/pulls/", status=502)
        elif dice < 0.10:
            self.github.faults.secondary_limit("GET", "/compare/", retry_after=1)
        elif dice < 0.12:
            self.github.world.kill_tokens()

    def wait_until_settled(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while (left := self.unfinished()) or self._busy():
            if time.monotonic() > deadline:
                names = [f"{pull.repository.full_name}#{pull.number}" for pull in left]
                raise TimeoutError(f"still without a briefing: {names[:20]}; Redis: {self._busy()}")
            time.sleep(0.5)

    def unfinished(self) -> list[Pull]:
        """Pull requests whose head has no finished check run."""
        return [pull for pull in self.pulls if not any(run.status == "completed" for run in pull.check_runs())]

    def _busy(self) -> list[str]:
        """Keys in Redis of jobs, turns and open check runs."""
        with self.redis.client() as client:
            keys = [key.decode() for key in client.scan_iter(match="callsheet:turn:*")]
            for kind in ("open-run", "backlog", "to-list"):
                keys += [key.decode() for key in client.scan_iter(match=f"callsheet:{kind}:*")]
            return keys + [job.decode() for job in cast(Any, client.zrange("callsheet:queue", 0, -1))]


def _repository(github: StandIn, number: int) -> Repository:
    calls = "".join(f"\n\ndef use_{each}():\n    return f_{each}(1)\n" for each in range(40))
    names = ", ".join(f"f_{each}" for each in range(40))
    return github.repository(
        f"acme/repository-{number}", {"lib.py": _library(None), "use.py": f"from lib import {names}\n{calls}"}
    )


def _library(changed: int | None, *, extra: bool = False) -> str:
    """Forty functions; the changed one takes an argument more, that every call lacks."""
    more = ", more, still_more" if extra else ", more"
    return "".join(f"def f_{each}(x{more if each == changed else ''}):\n    return x\n\n\n" for each in range(40))


def _function_of(pull: Pull) -> int:
    return int(pull.title.rpartition(" ")[2])


def _open(repository: Repository, number: int) -> Pull:
    pull = repository.open_pull(f"Change {number}", {"lib.py": _library(number)}, branch=f"change-{number}")
    pull.reads_until_merged = 0
    return pull


def check(run: Run, cache: Path, temporary: Path) -> list[str]:
    """Everything that is not as it must be."""
    return [*_wrong_runs(run), *_left_in_redis(run), *_left_on_disk(cache, temporary), *_left_running(temporary)]


def _ended_by_itself(run: Run) -> Iterator[str]:
    for process in (run.receiver, *run.workers):
        if process is not None and process.poll() is not None:
            yield f"ended by itself with {process.returncode}: {process.args!r}"


def _wrong_runs(run: Run) -> Iterator[str]:
    for pull in run.pulls:
        name = f"{pull.repository.full_name}#{pull.number}"
        for head in dict.fromkeys(run.heads[pull.repository.id, pull.number]):
            runs = pull.check_runs(head)
            if len(runs) > 1 or any(each.status != "completed" for each in runs):
                yield f"{name} at {head[:7]}: {[(each.id, each.status, each.conclusion) for each in runs]}"
        runs = pull.check_runs()
        if len(runs) != 1:
            yield f"{name}: {len(runs)} check runs at its head"
            continue
        function = _function_of(pull)
        text = f"{runs[0].output.get('summary')}{runs[0].output.get('text')}"
        line = 5 + 4 * function  # of `use.py`, see _repository
        if runs[0].conclusion != "neutral" or f"`use.py:{line}`" not in text or f"`f_{function}`" not in text:
            yield f"{name}: the check run says '{runs[0].output.get('title')}' ({runs[0].conclusion})"
        notes = [(each["path"], each["start_line"]) for each in runs[0].annotations]
        if len(notes) != len(set(notes)):
            yield f"{name}: annotations are doubled: {notes}"


def _left_in_redis(run: Run) -> Iterator[str]:
    """Every key that is none of KEPT and doesn't belong to an errand that waits in its queue."""
    with run.redis.client() as client:
        errands = {job.decode() for job in cast(Any, client.zrange("callsheet:errands", 0, -1))}
        walk_waits = any(_is_walk(client.get(f"arq:job:{job}")) for job in errands)
        for name in sorted(key.decode() for key in client.scan_iter(count=1000)):
            kind, _, rest = name.removeprefix("arq:").partition(":")
            if name.startswith("callsheet:wish:"):
                asked, briefed = cast(Any, client.hmget(name, ["generation", "briefed"]))
                if asked != briefed:
                    yield f"in Redis: {name}, asked {asked} times and answered {briefed}"
            elif name.startswith("arq:") and kind in ("job", "in-progress", "retry") and rest in errands:
                continue
            elif name.startswith(("callsheet:to-list:", "callsheet:backlog:")) and walk_waits:
                continue  # the reconciliation began to look again when the workers were stopped, and will go on
            elif not any(fnmatchcase(name, pattern) for pattern in KEPT):
                yield f"in Redis: {name}"


def _is_walk(data: Any) -> bool:
    """Whether this is arq's record of an errand that looks through the open pull requests."""
    if data is None:
        return False
    _, arguments, *_ = deserialize_job_raw(data, deserializer=deserialize)
    return isinstance(read_errand(arguments[0]), Walk)


def _left_on_disk(cache: Path, temporary: Path) -> Iterator[str]:
    for path in cache.glob("clones/*/*/lock"):
        yield from _held(path)
    for path in cache.glob("clones/*/*/leases/*"):
        yield from _held(path)
    for pattern in ("**/*.lock", "**/tmp_*", "**/trash-*", "clones/*/*/size.*", "**/shallow_*"):
        yield from (f"on disk: {path}" for path in cache.glob(pattern))
    yield from (f"in the temporary directory: {path}" for path in temporary.iterdir())


def _held(path: Path) -> Iterator[str]:
    lock = try_lock(path)
    if lock is None:
        yield f"held: {path}"
    else:
        lock.release()


def _left_running(temporary: Path) -> Iterator[str]:
    """Processes started below the workers keep their TMPDIR, whoever their parent is now."""
    for process in psutil.process_iter():
        try:
            if process.environ().get("TMPDIR") == str(temporary):
                yield f"running: {process.pid} {process.cmdline()[:8]}"
        except psutil.Error:
            continue


@contextmanager
def installation(folder: Path) -> Iterator[Run]:
    """Stand-in and Redis, without receivers and workers yet; the seed is set by the caller."""
    temporary = folder / "tmp"
    temporary.mkdir()
    redis = DurableRedis(folder / "redis")
    try:
        with StandIn.start(folder / "github") as github:
            settings = SETTINGS | {"TMPDIR": str(temporary)}
            here = LocalInstallation(folder, github, cast(EmbeddedRedis, redis), settings)
            try:
                yield Run(here, redis, random.Random())
            finally:
                here.stop_processes()
    finally:
        stop(redis.process, 5)


def main() -> int:
    """Run it, print what happened, and return 0 when nothing is wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--pulls", type=int, default=200)
    parser.add_argument("--seed", type=int, default=20261130)
    parser.add_argument("--keep", action="store_true", help="keep the logs and the cache, and print where")
    parser.add_argument(
        "--seconds", type=float, default=150.0, help="how long it may take to settle after the last kill"
    )
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="callsheet-faults-", dir="/tmp"))
    began = time.monotonic()
    try:
        with installation(folder) as run:
            run.random.seed(options.seed)
            run.start()
            run.github.world.limit_requests(REQUESTS_AN_HOUR)
            working = threading.Thread(target=run.work_until_few_are_left, args=(options.pulls,), daemon=True)
            working.start()
            run.kill_now_and_then()
            working.join()
            print(f"killed {dict(run.killed)} in {time.monotonic() - began:.0f} s (seed {options.seed})", flush=True)
            run.wait_until_settled(options.seconds)
            print(f"all are briefed after {time.monotonic() - began:.0f} s", flush=True)
            # A worker's leftovers in a clone are put away by the next job there: one more in each repository.
            for pull in run.pulls[:REPOSITORIES]:
                pull.push({"lib.py": _library(_function_of(pull), extra=True), "more.py": "x = 1\n"})
                run._tell(pull, pull.synchronized())
            run.wait_until_settled(options.seconds)
            wrong = [*_ended_by_itself(run)]
            run.here.stop_processes()
            wrong += check(run, folder / "cache", folder / "tmp")
            if len(run.pulls) < options.pulls:
                wrong.append(f"only {len(run.pulls)} pull requests were opened")
            failed = [each for each in run.github.world.deliveries if not 200 <= each.status < 300]
            updates = sum(each.updates for each in run.github.check_runs())
            print(
                f"{len(run.pulls)} pull requests, {sum(map(len, run.heads.values()))} heads, "
                f"{len(run.github.check_runs())} check runs ({updates} updates), {len(failed)} failed deliveries, "
                f"{len(run.github.world.exchanges)} requests; {time.monotonic() - began:.0f} s in all"
            )
            for text in wrong[:50]:
                print(f"wrong: {text}")
            return 1 if wrong else 0
    except TimeoutError as error:
        print(f"wrong: {error}")
        return 1
    finally:
        if options.keep:
            print(f"kept: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())

"""The demo's course: start what a real installation has, open a pull request, wait, show the check run, check it.

Everything is real but GitHub: `callsheet web` and `callsheet worker` run in processes of their own, with a Redis server
and git over HTTP between them. Nothing leaves loopback, and nothing is left behind.
"""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import Final

from app.cli import DONE, FAILED, CommandFailed
from app.demo.installation import LocalInstallation, ProcessEnded
from app.demo.story import EXPECTED, open_sample_pull
from app.demo.terminal import check_run_lines
from app.embedded_redis import NoRedisServer
from app.standin import CheckRun, Delivery, Pull, StandIn

BRIEFING_SECONDS: Final = 120.0
OLDEST_GIT: Final = (2, 38)
"""The stand-in makes its test merges with `git merge-tree --write-tree`."""


def run_demo(*, keep: bool = False, json_file: Path | None = None) -> int:
    """Run the demo and return the exit code: 0 only when the check run says what it has to.

    `keep`: stay and serve the check run's page until Ctrl-C. `json_file`: write the check run there too. Raises
    CommandFailed.
    """
    _need_git()
    with _sigterm_ends_it(), contextlib.ExitStack() as everything:
        began = time.monotonic()
        here = _start(everything)
        pull = open_sample_pull(here.github)
        _step(f"acme/shop: pull request #{pull.number} '{pull.title}' is open, and main has moved on since it branched")
        delivery = here.github.deliver(pull.opened())
        _step(f"signed webhook pull_request.opened: answered {delivery.status} in {delivery.seconds * 1000:.0f} ms")
        if delivery.status != 202:
            raise CommandFailed(f"the receiver did not take the webhook: {delivery.answer}\n{here.last_words()}")
        run = _finished_run(here, pull)
        _step(f"check run finished {time.monotonic() - began:.1f} s after the start")
        print()
        for line in check_run_lines(run, colour=sys.stdout.isatty()):
            print(line)
        if json_file is not None:
            _write(json_file, here.github, run)
        missing = [f"{path} ({why})" for path, why in EXPECTED if path not in _said(run)]
        _look_further(here.github, run, delivery, keep=keep, json_file=json_file)
        if run.conclusion != "neutral" or missing:
            print(f"\nThis is not what was expected: concluded {run.conclusion}; not named:", *missing, sep="\n  ")
            print(here.last_words())
            return FAILED
        if keep:
            _wait_for_ctrl_c()
    return DONE


def _start(everything: contextlib.ExitStack) -> LocalInstallation:
    """Start the stand-in, Redis, a receiver and a worker; `everything` stops them in turn. Raises CommandFailed."""
    try:
        here = everything.enter_context(LocalInstallation.start())
        _step(f"stand-in for GitHub at {here.github.url} (REST below /api/v3, git beside it)")
        _step(f"Redis, process {here.redis.pid}, on a socket of its own")
        _step(f"callsheet web, process {here.start_receiver().pid}, takes webhooks at {here.github.hook_url}")
        _step(f"callsheet worker, process {here.start_worker().pid}")
    except (NoRedisServer, ProcessEnded) as error:
        raise CommandFailed(str(error)) from None
    return here


def _finished_run(here: LocalInstallation, pull: Pull) -> CheckRun:
    try:
        runs = here.wait_for(
            lambda: [run for run in pull.check_runs() if run.status == "completed"],
            "the check run is finished",
            seconds=BRIEFING_SECONDS,
        )
    except (ProcessEnded, TimeoutError) as error:
        raise CommandFailed(str(error)) from None
    return runs[-1]


def _step(text: str) -> None:
    print(f"· {text}", flush=True)


def _need_git() -> None:
    wanted = ".".join(map(str, OLDEST_GIT))
    try:
        said = subprocess.run(["git", "version"], capture_output=True, text=True, check=True).stdout
        found = tuple(int(part) for part in said.split()[2].split(".")[:2])
    except (OSError, subprocess.CalledProcessError, IndexError, ValueError):
        raise CommandFailed(f"git is not there: install git {wanted} or newer.") from None
    if found < OLDEST_GIT:
        raise CommandFailed(f"git is too old for the demo ({said.strip()}): install {wanted} or newer.")


@contextlib.contextmanager
def _sigterm_ends_it() -> Iterator[None]:
    """SIGTERM ends the demo the way Ctrl-C does, so that it puts everything away."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _said(run: CheckRun) -> str:
    return f"{run.output.get('summary')}\n{run.output.get('text')}"


def _write(file: Path, github: StandIn, run: CheckRun) -> None:
    with github.world.lock:
        shape = github.world.shapes.check_run(run) | {"annotations": run.annotations, "actions": run.actions}
    try:
        file.write_text(json.dumps(shape, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise CommandFailed(f"--json {file} can't be written: {error.strerror}.") from None


def _look_further(github: StandIn, run: CheckRun, delivery: Delivery, *, keep: bool, json_file: Path | None) -> None:
    lines: Sequence[str] = (
        f"Webhook {delivery.guid}; check run {run.id}, updated in place {run.updates} times.",
        f"Its page: {github.url}/{run.repository.full_name}/runs/{run.id} (Ctrl-C ends)"
        if keep
        else "`callsheet demo --keep` stays and serves the check run's page.",
        f"As GitHub's API gives it: {json_file}" if json_file else "`callsheet demo --json FILE` writes it as JSON.",
        "`callsheet brief --repo DIR --base main --head BRANCH` does the same for a repository of yours.",
    )
    print("\nWhere to look further")
    for line in lines:
        print(f"  {line}")


def _wait_for_ctrl_c() -> None:
    with contextlib.suppress(KeyboardInterrupt):
        signal.pause()

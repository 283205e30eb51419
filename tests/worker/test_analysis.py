"""The analysis' child process: what happens to it must not happen to the worker."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import psutil
import pytest

from worker.analysis import AnalysisRequest, Answer, Failure, analyse
from worker.locks import try_lock

# graph's two doors are replaced, so that a test decides what the analysis does.
PRELUDE = """
import os, subprocess, sys, time, types
from graph.briefing import Briefing, RunFigures
from worker.analysis import main

brief, render = types.ModuleType("graph.brief"), types.ModuleType("graph.render")
sys.modules["graph.brief"], sys.modules["graph.render"] = brief, render
brief.BriefingError = type("BriefingError", (Exception,), {})
render.Links = lambda **values: values
render.check_output = lambda briefing, links, figures, **more: Output()

class Output:
    title, summary, text, annotations, conclusion = "title", "summary", "text", (), "success"

def briefing(**more):
    return Briefing(head_sha="a" * 40, base_sha="b" * 40, merge_base="c" * 40, graph_from="merge", **more), RunFigures()
"""


def request(seconds: float = 20.0, memory_mib: int = 400) -> AnalysisRequest:
    return AnalysisRequest(
        repository="/nonexistent",
        merge_base="c" * 40,
        head="a" * 40,
        merge="d" * 40,
        graph_note=None,
        facts_dir="/nonexistent",
        web_url="https://github.com",
        owner="acme",
        name="shop",
        number=1,
        base_ref="main",
        base_sha="b" * 40,
        seconds=seconds,
        memory_bytes=memory_mib * 1024 * 1024,
    )


def child(tmp_path: Path, body: str) -> list[str]:
    """The command of a child whose analysis is `body`: the inside of make_briefing(should_stop, request...)."""
    script = tmp_path / "child.py"
    script.write_text(
        PRELUDE
        + "def make_briefing(repository, base, head, merge, *, should_stop, **more):\n"
        + textwrap.indent(textwrap.dedent(body), "    ")
        + "\nbrief.make_briefing = make_briefing\nsys.exit(main())\n"
    )
    return [sys.executable, "-P", str(script)]


async def failure(tmp_path: Path, body: str, wanted: AnalysisRequest | None = None, grace: float = 1.0) -> Failure:
    result = await analyse(wanted or request(), command=child(tmp_path, body), grace_seconds=grace)
    assert isinstance(result, Failure), result
    return result


async def test_a_briefing_comes_back_rendered(tmp_path: Path) -> None:
    result = await analyse(request(), command=child(tmp_path, "return briefing()"))
    assert result == Answer(
        title="title",
        summary="summary",
        text="text",
        annotations=[],
        conclusion="success",
        head_sha="a" * 40,
        base_sha="b" * 40,
        merge_base="c" * 40,
        graph_from="merge",
        incomplete=None,
    )


async def test_what_the_analysis_prints_is_not_taken_for_its_answer(tmp_path: Path) -> None:
    body = "print('noise'); os.write(1, b'more noise'); subprocess.run(['echo', 'noise']); return briefing()"
    assert isinstance(await analyse(request(), command=child(tmp_path, body)), Answer)


async def test_text_that_is_no_unicode_does_not_lose_the_briefing(tmp_path: Path) -> None:
    body = "Output.text = 'bad \\udcff name'; return briefing()"
    result = await analyse(request(), command=child(tmp_path, body))
    assert isinstance(result, Answer)
    assert result.text == "bad ? name"


async def test_past_the_soft_limit_it_is_told_to_stop_and_returns_what_it_has(tmp_path: Path) -> None:
    body = "while not should_stop(): time.sleep(0.01)\nreturn briefing(incomplete='the time limit')"
    result = await analyse(request(seconds=0.5), command=child(tmp_path, body))
    assert isinstance(result, Answer)
    assert result.incomplete == "the time limit"


async def test_one_that_does_not_stop_is_killed_with_all_it_started(tmp_path: Path) -> None:
    started = time.monotonic()
    body = "subprocess.Popen(['sleep', '301.5'])\nwhile True: time.sleep(1)"
    assert (await failure(tmp_path, body, request(seconds=0.5))).what == "time"
    assert time.monotonic() - started < 10
    assert not running("301.5")


async def test_one_that_burns_processor_time_is_killed_too(tmp_path: Path) -> None:
    """Even when it blocks every signal that can be blocked."""
    body = "import signal; signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\nwhile True: pass"
    assert (await failure(tmp_path, body, request(seconds=0.5))).what == "time"


async def test_one_that_eats_memory_ends_and_says_so(tmp_path: Path) -> None:
    failed = await failure(tmp_path, "eaten = []\nwhile True: eaten.append(bytearray(10_000_000))")
    assert failed.what == "memory"
    assert "CALLSHEET_ANALYSIS_MEMORY_MIB" in failed.message


async def test_one_that_the_kernel_kills_is_said_to_have_run_out_of_memory(tmp_path: Path) -> None:
    assert (await failure(tmp_path, "os.kill(os.getpid(), 9)")).what == "memory"


async def test_a_crash_is_reported_with_its_words_for_the_log_only(tmp_path: Path) -> None:
    failed = await failure(tmp_path, "raise KeyError('something odd')")
    assert failed.what == "crash"
    assert "something odd" in failed.detail
    assert "something odd" not in failed.message
    assert (await failure(tmp_path, "os.kill(os.getpid(), 11)")).what == "crash"
    assert (await failure(tmp_path, "os._exit(0)")).what == "crash"


async def test_what_graph_refuses_is_told_to_the_reviewer(tmp_path: Path) -> None:
    failed = await failure(tmp_path, "raise brief.BriefingError('there is no merge base')")
    assert (failed.what, failed.message) == ("refused", "there is no merge base")


async def test_an_answer_without_end_does_not_fill_the_worker(tmp_path: Path) -> None:
    body = "Output.text = 'x' * (20 * 1024 * 1024); return briefing()"
    assert (await failure(tmp_path, body)).what == "crash"
    body = "\nwhile True: os.write(2, b'e' * 65536)"
    failed = await failure(tmp_path, body, request(seconds=0.5))
    assert failed.what == "time"
    assert len(failed.detail) <= 4000


async def test_the_child_is_given_no_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CALLSHEET_PRIVATE_KEY", "very private")
    monkeypatch.setenv("REDIS_URL", "redis://:topsecret@host")
    monkeypatch.setenv("GIT_DIR", "/nonexistent")
    body = "Output.text = open('/proc/self/environ').read(); return briefing()"
    result = await analyse(request(), command=child(tmp_path, body))
    assert isinstance(result, Answer)
    assert "PATH=" in result.text
    for secret in ("very private", "topsecret", "GIT_DIR"):
        assert secret not in result.text


async def test_cancelling_the_job_ends_the_child(tmp_path: Path) -> None:
    task = asyncio.create_task(analyse(request(), command=child(tmp_path, "subprocess.run(['sleep', '302.5'])")))
    while not running("302.5"):
        assert not task.done()
        await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not running("302.5")


async def test_the_lease_stays_locked_while_the_child_lives(tmp_path: Path) -> None:
    lock = try_lock(tmp_path / "lease")
    assert lock is not None
    task = asyncio.create_task(
        analyse(
            request(),
            fds=(lock.fd,),
            command=child(tmp_path, "time.sleep(1); return briefing()"),
        )
    )
    await asyncio.sleep(0.3)
    lock.release()
    assert try_lock(tmp_path / "lease") is None
    await task
    again = try_lock(tmp_path / "lease")
    assert again is not None
    again.release()


def test_an_orphaned_child_does_not_stay(tmp_path: Path) -> None:
    """The worker is killed in the middle of an analysis."""
    command = child(tmp_path, "subprocess.run(['sleep', '303.5'])")
    program = (
        "import asyncio, sys, json, msgspec; from worker.analysis import AnalysisRequest, analyse\n"
        "request = msgspec.json.decode(sys.argv[1], type=AnalysisRequest)\n"
        "asyncio.run(analyse(request, command=sys.argv[2:]))"
    )
    import msgspec

    worker = subprocess.Popen([sys.executable, "-c", program, msgspec.json.encode(request()).decode(), *command])
    deadline = time.monotonic() + 10
    while not running("303.5") and time.monotonic() < deadline:
        time.sleep(0.05)
    assert running("303.5")
    worker.kill()
    worker.wait()
    deadline = time.monotonic() + 5
    while running("303.5") and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not running("303.5")


async def test_a_child_that_cannot_start_is_a_failure(tmp_path: Path) -> None:
    result = await analyse(request(), command=[sys.executable, "-c", "raise SystemExit(3)"])
    assert isinstance(result, Failure)
    assert result.what == "crash"


def running(mark: str) -> bool:
    for process in psutil.process_iter(["cmdline", "status"]):
        if mark in (process.info["cmdline"] or []) and process.info["status"] != psutil.STATUS_ZOMBIE:
            return True
    return False


def test_the_tests_can_see_processes() -> None:
    with subprocess.Popen(["sleep", "304.5"]) as process:
        assert running("304.5")
        os.kill(process.pid, 9)

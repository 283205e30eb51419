"""git as the worker runs it: what it must not see, must not run, and must not outlive."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import psutil
import pytest

from tests.worker.conftest import TOKEN
from tests.worker.git_server import GitServer
from tests.worker.upstream import SamplePull, Upstream
from worker.clones import Clone, fetch_commits
from worker.git import GitError, GitRunner, git_environment, problem_of
from worker.logs import basic_credential
from worker.settings import Secret


@pytest.fixture
def spying_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A git that first writes down its arguments and environment. Returns the folder of the notes."""
    notes, bin_dir = tmp_path / "notes", tmp_path / "bin"
    notes.mkdir()
    bin_dir.mkdir()
    real = os.popen("command -v git").read().strip()
    script = bin_dir / "git"
    script.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$@" >"{notes}/argv.$$"\ntr "\\000" "\\n" </proc/$$/environ >"{notes}/env.$$"\n'
        f'tr "\\000" "\\n" </proc/$PPID/cmdline >"{notes}/parent.$$"\nexec {real} "$@"\n'
    )
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{bin_dir}:{os.environ['PATH']}")
    return notes


def test_the_token_is_in_no_argument_url_or_file(
    upstream: Upstream, clone: Clone, server: GitServer, spying_git: Path, runner: GitRunner, tmp_path: Path
) -> None:
    pull = SamplePull(upstream)
    fetch_commits(runner, clone, [pull.head, pull.merge], Secret(TOKEN))
    secrets = (TOKEN.encode(), basic_credential(TOKEN).encode())
    environments = b"".join(path.read_bytes() for path in spying_git.glob("env.*"))
    assert secrets[1] in environments, "the spy saw no fetch"
    for path in [*spying_git.glob("argv.*"), *spying_git.glob("parent.*"), *clone.directory.rglob("*")]:
        if path.is_file():
            assert not any(secret in path.read_bytes() for secret in secrets), path
    assert not any(TOKEN in request for request in server.requests)


def test_git_gets_none_of_this_process_secrets_or_repository(
    clone: Clone, upstream: Upstream, spying_git: Path, runner: GitRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CALLSHEET_PRIVATE_KEY", "very private")
    monkeypatch.setenv("GIT_DIR", "/nonexistent.git")
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", "/nonexistent/objects")
    monkeypatch.setenv("GIT_SSH_COMMAND", "touch /tmp/owned")
    pull = SamplePull(upstream)
    fetch_commits(runner, clone, [pull.head], Secret(TOKEN))
    for path in spying_git.glob("env.*"):
        text = path.read_text()
        assert "very private" not in text
        assert "GIT_DIR=" not in text
        assert "GIT_SSH_COMMAND" not in text


def test_an_error_of_git_does_not_repeat_the_token(clone: Clone, server: GitServer, runner: GitRunner) -> None:
    url = f"http://x-access-token:{TOKEN}@{server.url.removeprefix('http://')}/acme/none.git"
    with pytest.raises(GitError) as failed:
        runner.run(Path("/"), "ls-remote", "--", url, token=Secret(TOKEN), url=url)
    assert TOKEN not in str(failed.value)
    assert basic_credential(TOKEN) not in str(failed.value)


@pytest.mark.parametrize("url", ["file:///etc", "ext::sh -c touch% /tmp/owned", "ssh://host/x", "http://example.com/x"])
def test_only_https_or_loopback_http_is_spoken(url: str, runner: GitRunner, tmp_path: Path) -> None:
    with pytest.raises(GitError, match="not allowed"):
        runner.run(tmp_path, "ls-remote", "--", url, token=Secret(TOKEN), url=url)


def test_the_token_is_not_handed_to_a_server_that_is_not_github() -> None:
    environment = git_environment(token=Secret(TOKEN), url="http://example.com/a/b.git", ca_bundle=None)
    assert basic_credential(TOKEN) not in " ".join(environment.values())


def test_a_git_that_takes_too_long_is_killed_with_its_children(tmp_path: Path) -> None:
    started = time.monotonic()
    with pytest.raises(GitError) as late:
        GitRunner(seconds=0.5).run(tmp_path, "-c", "alias.wait=!sleep 300.25 & sleep 300.25", "wait")
    assert late.value.problem == "timeout"
    assert time.monotonic() - started < 10
    assert_gone("300.25")


def test_a_cancelled_job_takes_its_git_along(tmp_path: Path) -> None:
    runner = GitRunner(seconds=60.0)
    threading.Timer(0.3, runner.stop.set).start()
    with pytest.raises(GitError) as stopped:
        runner.run(tmp_path, "-c", "alias.wait=!sleep 300.75", "wait")
    assert stopped.value.problem == "stopped"
    assert_gone("300.75")


def test_a_damaged_clone_is_not_taken_for_the_repository_around_it(tmp_path: Path, runner: GitRunner) -> None:
    runner.run(tmp_path, "init", "--quiet", ".")
    inner = tmp_path / "inner"
    inner.mkdir()
    with pytest.raises(GitError) as broken:
        runner.run(inner, "rev-parse", "--git-dir")
    assert broken.value.problem == "broken"


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ("remote: Repository not found.\nfatal: repository 'https://x/a.git/' not found", "gone"),
        ("fatal: unable to access 'https://x/': The requested URL returned error: 403", "refused"),
        ("fatal: could not read Username for 'https://x': terminal prompts disabled", "refused"),
        ("fatal: remote error: upload-pack: not our ref 1234", "missing"),
        ("fatal: write error: No space left on device", "space"),
        ("fatal: unable to access 'https://x/': Could not resolve host: x", "unavailable"),
        ("error: RPC failed; HTTP 502 curl 22 The requested URL returned error: 502", "unavailable"),
        ("fatal: not a git repository (or any of the parent directories): .git", "broken"),
        ("error: object file objects/ab/cd is empty\nfatal: loose object abcd is corrupt", "broken"),
        ("error: unable to create file no space left on device/x: File name too long", "other"),
    ],
)
def test_what_git_says_is_understood(said: str, problem: str) -> None:
    assert problem_of(said) == problem


def assert_gone(mark: str) -> None:
    for process in psutil.process_iter(["cmdline"]):
        assert mark not in (process.info["cmdline"] or []), "a child of git outlived it"

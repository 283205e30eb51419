"""Run git so that nothing a repository contains is executed and nothing secret is seen.

Every command runs with an environment of its own (only the variables of `_KEPT` survive from this process; no system
or user configuration), with the configuration of `_CONFIGURATION` on top of whatever the repository says, in a process
group of its own that is ended when it takes too long or the job is cancelled. A token travels only in the environment
of the one git process that needs it: never in an argument, a URL or a configuration file.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, Literal
from urllib.parse import urlsplit

import msgspec
from git.cmd import Git

from worker.logs import basic_credential, redact
from worker.settings import Secret, is_loopback

_KEPT: Final = frozenset(
    name
    for upper in (
        "PATH",
        "TMPDIR",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "NO_PROXY",
        "ALL_PROXY",
    )
    for name in (upper, upper.lower())
)

_CONFIGURATION: Final[tuple[tuple[str, str], ...]] = (
    ("core.hooksPath", "/dev/null"),
    ("core.attributesFile", "/dev/null"),
    ("core.excludesFile", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("core.symlinks", "false"),
    ("core.autocrlf", "false"),
    ("core.eol", "lf"),
    ("core.safecrlf", "false"),
    ("core.protectHFS", "true"),
    ("core.protectNTFS", "true"),
    ("core.quotePath", "false"),
    ("core.sshCommand", "false"),
    ("credential.helper", ""),
    ("submodule.recurse", "false"),
    ("fetch.recurseSubmodules", "false"),
    ("fetch.writeCommitGraph", "false"),
    ("fetch.unpackLimit", "1"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("advice.detachedHead", "false"),
    ("init.defaultBranch", "main"),
    ("protocol.version", "2"),
    ("http.followRedirects", "false"),
    ("http.lowSpeedLimit", "1000"),
    ("http.lowSpeedTime", "60"),
)

GitProblem = Literal["gone", "refused", "missing", "space", "unavailable", "broken", "timeout", "stopped", "other"]
"""Why a git command failed: the repository isn't there; the token isn't accepted; a ref or commit isn't there; the
disk is full; the network or server failed; the local clone is damaged; it took too long; the job was cancelled."""

# In this order: what a full disk breaks also looks damaged, and a server's 5xx is also an "RPC failed".
_SIGNS: Final[tuple[tuple[GitProblem, str], ...]] = (
    ("space", r"(?m): (no space left on device|disk quota exceeded)\s*$|cannot store pack file"),
    ("missing", r"not our ref|couldn't find remote ref|no such remote ref|remote error: upload-pack: .* not "),
    ("gone", r"repository .*not found|repository not found|returned error: (404|410|451)|does not appear to be a git"),
    (
        "refused",
        r"authentication failed|could not read (username|password)|returned error: (401|403)|access denied"
        r"|invalid username or",
    ),
    (
        "broken",
        r"not a git repository|bad object|corrupt|object file .* is empty|bad tree|missing (blob|tree|commit|object)"
        r"|invalid sha1 pointer|cannot be accessed|unable to read (tree|sha1)|could not read [0-9a-f]{40}|bad signature"
        r"|bad config|shallow file has changed|unresolved deltas|unable to find [0-9a-f]{40}|index file"
        r"|not a valid object|packed object [0-9a-f]+ .* is|file exists|unable to create .*\.lock",
    ),
    (
        "unavailable",
        r"could not resolve|connection (refused|reset|timed out)|failed to connect|couldn't connect|early eof"
        r"|rpc failed|returned error: (429|5\d\d)|timed out|hung up|unable to access|gnutls|ssl|operation too slow",
    ),
)


class GitError(Exception):
    """A git command failed. `problem` says how; the message is git's own words, without credentials."""

    def __init__(self, problem: GitProblem, message: str) -> None:
        super().__init__(message)
        self.problem = problem


class GitRunner(msgspec.Struct, frozen=True, kw_only=True):
    """Runs git commands for one job.

    `seconds` bounds each command. `stop` is set when the job is cancelled: commands that are running are ended.
    """

    seconds: float = 300.0
    ca_bundle: Path | None = None
    stop: threading.Event = msgspec.field(default_factory=threading.Event)

    def run(
        self,
        directory: Path,
        *arguments: str,
        token: Secret | None = None,
        url: str | None = None,
        fds: Sequence[int] = (),
        seconds: float | None = None,
    ) -> bytes:
        """Run `git *arguments` in `directory` and return its standard output.

        `url` is the remote the command talks to (it decides which one protocol is allowed) and `token` what it is
        given; without a url no protocol is. `fds` are lock files the process keeps open. Raises GitError.
        """
        environment = git_environment(token=token, url=url, ca_bundle=self.ca_bundle)
        # A damaged clone must be an error, never a search upwards for some other repository.
        environment["GIT_CEILING_DIRECTORIES"] = str(directory.parent)
        limit = self.seconds if seconds is None else seconds
        status, output, errors = self._finish(_start(directory, arguments, environment, fds), limit)
        if status != 0:
            said = redact(errors.decode("utf-8", "replace"), [token] if token else []).strip()[-2000:]
            raise GitError(problem_of(said), f"git {arguments[0]} failed ({status}): {said or 'without a word'}")
        return output

    def records(self, directory: Path, *arguments: str) -> Iterator[bytes]:
        """Run a local `git *arguments` that ends what it lists with NUL; gives one after the other.

        Nothing of it is kept, and git is ended when the caller stops reading: a list may be without end. Raises
        GitError.
        """
        environment = git_environment(token=None, url=None, ca_bundle=None)
        environment["GIT_CEILING_DIRECTORIES"] = str(directory.parent)
        process = _start(directory, arguments, environment, ())
        assert process.stdout is not None
        deadline = time.monotonic() + self.seconds
        rest = b""
        try:
            while chunk := process.stdout.read1(65536):  # type: ignore[attr-defined]
                *whole, rest = (rest + chunk).split(b"\0")
                yield from whole
                if self.stop.is_set():
                    raise GitError("stopped", "git was ended because its job was cancelled")
                if time.monotonic() >= deadline:
                    raise GitError("timeout", f"git was ended after {self.seconds:.0f} s")
            _, errors = process.communicate()
            if process.returncode != 0:
                said = errors.decode("utf-8", "replace").strip()[-2000:]
                raise GitError(problem_of(said), f"git {arguments[0]} failed ({process.returncode}): {said}")
        finally:
            if process.poll() is None:
                _end(process)

    def _finish(self, process: subprocess.Popen[bytes], limit: float) -> tuple[int, bytes, bytes]:
        deadline = time.monotonic() + limit
        try:
            while True:
                try:
                    output, errors = process.communicate(timeout=0.2)
                    return process.returncode, output, errors
                except subprocess.TimeoutExpired:
                    if self.stop.is_set():
                        raise GitError("stopped", "git was ended because its job was cancelled") from None
                    if time.monotonic() >= deadline:
                        raise GitError("timeout", f"git was ended after {limit:.0f} s") from None
        finally:
            if process.poll() is None:
                _end(process)


def git_environment(*, token: Secret | None, url: str | None, ca_bundle: Path | None) -> dict[str, str]:
    """The variables one git process is given on top of the few it inherits."""
    configuration = list(_CONFIGURATION)
    parts = urlsplit(url or "")
    protocol = "none"
    if parts.scheme == "https" or (parts.scheme == "http" and is_loopback(parts.hostname)):
        protocol = parts.scheme
    if url is not None and token is not None and protocol != "none":
        configuration.append((f"http.{url}.extraHeader", f"Authorization: Basic {basic_credential(token.reveal())}"))
    if ca_bundle is not None:
        configuration.append(("http.sslCAInfo", str(ca_bundle)))
    environment = {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_SYSTEM": "/dev/null",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ALLOW_PROTOCOL": protocol,
        "GIT_LFS_SKIP_SMUDGE": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_PAGER": "cat",
        "HOME": "/nonexistent",
        "GIT_CONFIG_COUNT": str(len(configuration)),
    }
    for index, (key, value) in enumerate(configuration):
        environment[f"GIT_CONFIG_KEY_{index}"] = key
        environment[f"GIT_CONFIG_VALUE_{index}"] = value
    return environment


def problem_of(said: str) -> GitProblem:
    """Which problem git's words on standard error describe."""
    for problem, pattern in _SIGNS:
        if re.search(pattern, said, re.IGNORECASE):
            return problem
    return "other"


def _start(
    directory: Path, arguments: Sequence[str], environment: dict[str, str], fds: Sequence[int]
) -> subprocess.Popen[bytes]:
    # GitPython hands a child this process's whole environment, secrets and GIT_DIR included, and can only add to it.
    # `env -u` takes the rest out again: its arguments are names, never values.
    unset = [
        part for name in sorted(os.environ) if name not in _KEPT and name not in environment for part in ("-u", name)
    ]
    started = Git(str(directory)).execute(
        ["env", *unset, "git", *arguments],
        as_process=True,
        env=environment,
        start_new_session=True,
        pass_fds=tuple(fds),
    )
    process = getattr(started, "proc", None)
    if not isinstance(process, subprocess.Popen):
        raise GitError("other", "git could not be started")
    started.proc = None  # ours to end from here on
    return process


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the whole process group: git's helpers (git-remote-https, index-pack) would go on without it."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        process.kill()
    process.communicate()

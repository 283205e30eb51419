"""Git, as a reader of objects: revisions, commits, trees and blobs, by way of git's own plumbing.

Every command runs with an environment made here: no user or system configuration, no hooks, no pager, no replacement
objects, no network (a partial clone is never filled in behind one's back). Nothing that a repository contains or
configures can make these commands execute anything: only plumbing that reads objects is used, and what could call a
program (external diff drivers, text conversion) is switched off by the caller's options.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import zip_longest
from pathlib import Path
from types import TracebackType
from typing import IO, Final, Self

_SHA: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_PLACES: Final = re.compile(rb"(?s)(?P<directory>.+)\n(?:true\n(?P<up>(?:\.\./)*)|false)\n")
_UNPRINTABLE: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]+")
_PIPELINED: Final = 250
"""Requests sent ahead to `git cat-file`: their text must fit into a pipe's smallest buffer (16 KiB)."""


class GitError(Exception):
    """Git could not do what was asked. The message says what, and what the person can do."""


def is_sha(text: str) -> bool:
    """Whether `text` is a full object id, SHA-1 or SHA-256, in lower case."""
    return _SHA.fullmatch(text) is not None


def decode(name: bytes) -> str:
    """A path as git has it, as a str that encodes back to the same bytes (`surrogateescape`)."""
    return name.decode("utf-8", "surrogateescape")


def encode(name: str) -> bytes:
    """The bytes of a path that came from `decode`, or of any other str."""
    try:
        return name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # lone surrogates that no bytes stand for: they name nothing in a tree
        return name.encode("utf-8", "surrogatepass")


def _environment() -> dict[str, str]:
    """The whole environment git gets. Nothing of the caller's but where programs are found."""
    return {
        "PATH": os.pathsep.join(os.get_exec_path()),
        "HOME": "/nonexistent",
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_COUNT": "3",
        "GIT_CONFIG_KEY_0": "safe.directory",
        "GIT_CONFIG_VALUE_0": "*",
        "GIT_CONFIG_KEY_1": "core.fsmonitor",
        "GIT_CONFIG_VALUE_1": "false",
        "GIT_CONFIG_KEY_2": "submodule.recurse",
        "GIT_CONFIG_VALUE_2": "false",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_PAGER": "cat",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "none",
    }


def _readable(text: bytes, limit: int = 300) -> str:
    """What git said, on one line, without control characters, at most `limit` characters."""
    line = _UNPRINTABLE.sub(" ", text.decode("utf-8", "replace")).strip()
    return line if len(line) <= limit else line[: limit - 1] + "…"


class Git:
    """A git repository: a worktree, any directory in one, or a bare clone.

    `directory` is the absolute path of its git directory, `worktree` that of the top of the worktree that the path lies
    in, None for a bare clone. Raises GitError when there is no repository at the path.
    """

    def __init__(self, repository: Path) -> None:
        self._environment = _environment()
        if not repository.is_dir():
            raise GitError(f"{repository} is not a directory: give the path of a git repository.")
        asked = ["rev-parse", "--absolute-git-dir", "--is-inside-work-tree", "--show-cdup"]
        done = self._start(["git", "-C", str(repository.absolute()), *asked], cwd=str(repository))
        if done.returncode != 0:
            raise GitError(
                f"{repository} is not a git repository: give the path of a clone or a worktree. "
                f"Git said: {_readable(done.stderr)}"
            )
        told = _PLACES.fullmatch(done.stdout)
        if told is None:
            raise GitError(f"{repository} has a git directory or a worktree of a form that git does not describe.")
        self.directory = Path(os.fsdecode(told["directory"]))
        self.worktree = repository.resolve() / os.fsdecode(told["up"]) if told["up"] is not None else None

    @cached_property
    def common(self) -> Path:
        """The git directory of the clone: for a linked worktree not its own."""
        with suppress(OSError, ValueError):
            return (self.directory / os.fsdecode((self.directory / "commondir").read_bytes().strip())).resolve()
        return self.directory

    def command(self, arguments: Sequence[str], worktree: Path | None = None) -> list[str]:
        """The argument vector of `git <arguments>` in this repository, with its files at `worktree`."""
        files = [] if worktree is None else [f"--work-tree={worktree}"]
        return ["git", f"--git-dir={self.directory}", *files, "--no-pager", *arguments]

    def run(
        self, *arguments: str, given: bytes | None = None, allowed: Iterable[int] = (0,), worktree: Path | None = None
    ) -> tuple[bytes, int]:
        """What `git <arguments>` prints, given `given` on its input, and its exit code. With `worktree` git also sees
        the files there.

        Raises GitError when the exit code is not one of `allowed`.
        """
        done = self._start(self.command(arguments, worktree), cwd=str(worktree or self.directory), given=given)
        if done.returncode not in allowed:
            raise GitError(explain(arguments[0], done.stderr))
        return done.stdout, done.returncode

    def open(self, *arguments: str) -> subprocess.Popen[bytes]:
        """`git <arguments>` started, with pipes on its input and output. The caller ends it."""
        return self._popen(arguments, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def lines(self, *arguments: str) -> Iterator[bytes]:
        """What `git <arguments>` prints, line by line (LF kept), never the whole of it in memory.

        Raises GitError at the end when git failed.
        """
        with tempfile.TemporaryFile() as said:
            process = self._popen(arguments, stdin=subprocess.DEVNULL, stderr=said)
            assert process.stdout is not None
            try:
                yield from process.stdout
                code = process.wait()
            finally:
                process.stdout.close()
                if process.poll() is None:
                    process.kill()
                    process.wait()
            if code != 0:
                said.seek(0)
                raise GitError(explain(arguments[0], said.read(4096)))

    def _popen(self, arguments: Sequence[str], *, stdin: int, stderr: int | IO[bytes]) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                self.command(arguments),
                cwd=self.directory,
                env=self._environment,
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=stderr,
            )
        except OSError as error:
            raise _not_started(error) from error

    def _start(
        self, command: Sequence[str], *, cwd: str, given: bytes | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        source: dict[str, object] = {"stdin": subprocess.DEVNULL} if given is None else {"input": given}
        try:
            return subprocess.run(command, cwd=cwd, env=self._environment, capture_output=True, check=False, **source)  # type: ignore[call-overload,no-any-return]
        except OSError as error:
            raise _not_started(error) from error

    # -- revisions ---------------------------------------------------------------------------------------------------

    def resolve(self, revision: str) -> str:
        """The full SHA of the commit that `revision` names. Raises GitError when it names none."""
        return self.resolve_all((revision,))[0]

    def resolve_all(self, revisions: Sequence[str]) -> list[str]:
        """The full SHAs of the commits that several revisions name. Raises GitError when one names none."""
        for revision in revisions:
            if not revision or revision.startswith("-") or any(ord(character) < 32 for character in revision):
                raise GitError(f"{_readable(revision.encode('utf-8', 'replace'))!r} is not a revision.")
        asked = b"".join(encode(f"{revision}^{{commit}}\n") for revision in revisions)
        printed, _ = self.run("cat-file", "--batch-check=%(objectname)", given=asked, allowed=(0, 128))
        found = [line.decode("ascii", "replace") for line in printed.splitlines()]
        for revision, sha in zip_longest(revisions, found, fillvalue=""):
            if not is_sha(sha):
                shown = _readable(revision.encode("utf-8", "replace"))
                raise GitError(f"No commit {shown!r} in {self.directory}: check the name, or fetch it (`git fetch`).")
        return found

    def merge_base(self, one: str, other: str) -> str | None:
        """The best common ancestor of two commits (full SHAs); None when there is none in this clone."""
        _require_sha(one, other)
        printed, code = self.run("merge-base", one, other, allowed=(0, 1))
        return printed.decode("ascii").split("\n")[0] if code == 0 else None

    def parents(self, commit: str) -> tuple[str, ...]:
        """The parents a commit (full SHA) names, also those a shallow clone does not have."""
        _require_sha(commit)
        printed, _ = self.run("cat-file", "commit", commit)
        header = printed.partition(b"\n\n")[0]
        return tuple(line[7:].decode("ascii") for line in header.split(b"\n") if line.startswith(b"parent "))

    def first_parent(self, commit: str) -> str | None:
        """The first parent that a commit (full SHA) names; None for a root commit."""
        return next(iter(self.parents(commit)), None)

    def tree(self, commit: str) -> str:
        """The id of a commit's tree."""
        _require_sha(commit)
        return self.run("rev-parse", "--verify", f"{commit}^{{tree}}")[0].decode("ascii").strip()

    def has(self, sha: str) -> bool:
        """Whether the object (full SHA) is in this clone."""
        _require_sha(sha)
        return self.run("cat-file", "-e", sha, allowed=(0, 1, 128))[1] == 0

    def is_shallow(self) -> bool:
        """Whether this clone lacks history, so that a missing merge base says nothing."""
        return self.run("rev-parse", "--is-shallow-repository")[0].strip() == b"true"


def _require_sha(*names: str) -> None:
    for name in names:
        if not is_sha(name):
            raise GitError(f"{_readable(name.encode('utf-8', 'replace'))!r} is not a full commit id.")


def _not_started(error: OSError) -> GitError:
    return GitError(f"Git could not be started ({error.strerror}): install git 2.32 or newer and put it on PATH.")


def explain(command: str, said: bytes) -> str:
    """What a failed git command means for the person who asked."""
    text = _readable(said)
    if b"missing" in said or b"bad object" in said or b"unable to read" in said or b"not allowed" in said:
        return (
            f"git {command}: objects of the repository are missing or damaged ({text}). A partial clone must be filled "
            "first (`git fetch --refetch --filter=blob:limit=10m`); otherwise see `git fsck`."
        )
    return f"git {command} failed: {text or 'it said nothing; see `git fsck`'}"


class Blobs:
    """Reads objects through one `git cat-file --batch` process, started at the first read. Not thread-safe.

    Use it as a context manager, or `close()` it.
    """

    def __init__(self, git: Git) -> None:
        self._git = git
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the process. Reading again starts a new one."""
        process, self._process = self._process, None
        if process is None:
            return
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def read(self, sha: str) -> bytes | None:
        """The bytes of the object; None when it isn't in this clone."""
        return next(iter(self.read_many([sha])))[1]

    def read_many(self, shas: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        """(id, bytes or None) of each object, in the order asked for. Exhaust it before reading anything else."""
        wanted = list(shas)
        _require_sha(*wanted)
        for start in range(0, len(wanted), _PIPELINED):
            chunk = wanted[start : start + _PIPELINED]
            requests, answers = self._pipes()
            answered = 0
            try:
                requests.write("".join(f"{sha}\n" for sha in chunk).encode("ascii"))
                requests.flush()
                for sha in chunk:
                    found = _answer(answers)
                    answered += 1
                    yield sha, found
            except OSError as error:
                raise _died() from error
            finally:
                if answered < len(chunk):  # abandoned half-way: what is still in the pipe belongs to nobody
                    self.close()

    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        if self._process is None:
            self._process = self._git.open("cat-file", "--batch")
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        return self._process.stdin, self._process.stdout


def _answer(answers: IO[bytes]) -> bytes | None:
    header = answers.readline()
    if not header.endswith(b"\n"):
        raise _died()
    if header.endswith((b" missing\n", b" ambiguous\n")):
        return None
    length = int(header.rsplit(b" ", 1)[1])
    content = answers.read(length + 1)
    if len(content) != length + 1:
        raise _died()
    return content[:-1]


def _died() -> GitError:
    return GitError("git cat-file ended while it was read: the repository may be damaged; see `git fsck`.")

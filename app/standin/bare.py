"""A bare git repository of the stand-in, written with plain git commands: commits, refs and test merges.

Dates count up from a fixed day, so that the same story makes the same commit SHAs.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

FIRST_COMMIT_AT = 1_780_000_000  # seconds since the epoch: 2026-05-28
MODES = {"file": "100644", "executable": "100755", "symlink": "120000", "submodule": "160000"}


@dataclass(frozen=True)
class Entry:
    """A tree entry that is not a plain file. `content` is a symlink's target, or a submodule's commit SHA."""

    kind: str
    content: bytes


@dataclass(frozen=True)
class ChangedFile:
    """A file that differs between two commits. `patch` begins at the first `@@`; it is empty for a binary file."""

    path: str
    status: str
    blob: str
    additions: int
    deletions: int
    patch: str


Files = Mapping[str, str | bytes | Entry | None]
"""Path -> content; None removes the path. Text is written as UTF-8."""


class GitFailed(RuntimeError):
    """A git command of the stand-in failed; the message holds its standard error."""


def git_environment(home: Path) -> dict[str, str]:
    """The environment git runs in: no user or system configuration, no prompts, nothing inherited from a caller."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | {
        "HOME": str(home),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }


@dataclass
class BareRepository:
    """One bare repository at `path`. Methods raise GitFailed when git does."""

    path: Path
    commits_made: int = field(default=0)

    @classmethod
    def create(cls, path: Path, default_branch: str = "main") -> BareRepository:
        """Make an empty bare repository that serves commits by SHA the way GitHub does."""
        path.mkdir(parents=True)
        repository = cls(path)
        repository.git("init", "--quiet", "--bare", f"--initial-branch={default_branch}", str(path))
        for name, value in (
            ("uploadpack.allowAnySHA1InWant", "true"),
            ("uploadpack.allowReachableSHA1InWant", "true"),
            ("uploadpack.allowTipSHA1InWant", "true"),
            ("uploadpack.allowFilter", "true"),
            ("http.receivepack", "false"),
            ("gc.auto", "0"),
        ):
            repository.git("config", name, value)
        return repository

    def git(self, *arguments: str, stdin: bytes | None = None, ok: Sequence[int] = (0,)) -> bytes:
        """Run one git command in the repository and return its standard output."""
        return self._run(arguments, stdin, ok).stdout

    def _run(
        self, arguments: Sequence[str], stdin: bytes | None, ok: Sequence[int]
    ) -> subprocess.CompletedProcess[bytes]:
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.path,
            env=git_environment(self.path),
            input=stdin if stdin is not None else b"",
            capture_output=True,
            check=False,
        )
        if done.returncode not in ok:
            raise GitFailed(f"git {arguments[0]} failed: {done.stderr.decode(errors='replace').strip()}")
        return done

    def commit(self, ref: str, files: Files, *, parent: str | None, message: str, author: str = "octocat") -> str:
        """Write one commit of `files` over `parent`'s tree, point `ref` at it, and return its SHA."""
        when = FIRST_COMMIT_AT + 60 * self.commits_made
        self.commits_made += 1
        who = f"{author} <{author}@users.noreply.example> {when} +0000"
        lines: list[bytes] = [f"commit {ref}\nauthor {who}\ncommitter {who}\n".encode(), _data(message.encode())]
        if parent is not None:
            lines.append(f"from {parent}\n".encode())
        for path, content in files.items():
            name = _quoted(path)
            if content is None:
                lines.append(b"D " + name + b"\n")
            elif isinstance(content, Entry) and content.kind == "submodule":
                lines.append(b"M 160000 " + content.content + b" " + name + b"\n")
            else:
                mode = MODES[content.kind] if isinstance(content, Entry) else MODES["file"]
                raw = content.content if isinstance(content, Entry) else content
                lines.append(b"M " + mode.encode() + b" inline " + name + b"\n")
                lines.append(_data(raw.encode() if isinstance(raw, str) else raw))
        if parent is None:
            self.git("update-ref", "-d", ref)
        self.git("fast-import", "--quiet", "--force", stdin=b"".join(lines) + b"\ndone\n")
        return self.resolve(ref)

    def merge(self, base: str, head: str, *, message: str) -> str | None:
        """The test merge of `head` into `base` (parents in that order), or None when they conflict."""
        done = self._run(("merge-tree", "--write-tree", base, head), None, (0, 1))
        if done.returncode == 1:
            return None
        tree = done.stdout.split(b"\n", 1)[0].decode()
        who = ("-c", "user.name=GitHub", "-c", "user.email=noreply@github.example")
        made = self.git(*who, "commit-tree", tree, "-p", base, "-p", head, "-m", message)
        return made.decode().strip()

    def resolve(self, name: str) -> str:
        """The commit SHA that `name` (a ref or a SHA) stands for. Raises GitFailed when there is none."""
        return self.git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}").decode().strip()

    def find(self, name: str) -> str | None:
        """As `resolve`, but None when there is none."""
        try:
            return self.resolve(name)
        except GitFailed:
            return None

    def set_ref(self, ref: str, sha: str | None) -> None:
        """Point `ref` at `sha`; None deletes it."""
        if sha is None:
            self.git("update-ref", "-d", ref)
        else:
            self.git("update-ref", ref, sha)

    def merge_base(self, one: str, other: str) -> str | None:
        """The best common ancestor, None when the histories are unrelated."""
        return self.git("merge-base", one, other, ok=(0, 1)).decode().strip() or None

    def between(self, base: str, head: str) -> list[str]:
        """The commits reachable from `head` and not from `base`, oldest first."""
        return self.git("rev-list", "--reverse", f"{base}..{head}").decode().split()

    def changed_files(self, base: str, head: str) -> list[ChangedFile]:
        """The files that differ between two commits, by path, without following renames."""
        listed = self.git("diff-tree", "-r", "--no-renames", "--raw", "--no-abbrev", "-z", base, head)
        fields = listed.decode("utf-8", "replace").split("\0")
        found = []
        for about, path in zip(fields[0::2], fields[1::2], strict=False):
            _, _, old, new, letter = about.split(" ")
            args = ("diff-tree", "-p", "--no-renames", base, head, "--", path)
            patch = self.git(*args).decode("utf-8", "replace").partition("\n@@")
            text = f"@@{patch[2]}".rstrip("\n") if patch[1] else ""
            lines = text.split("\n")
            found.append(
                ChangedFile(
                    path=path,
                    status={"A": "added", "D": "removed"}.get(letter, "modified"),
                    blob=old if letter == "D" else new,
                    additions=sum(line.startswith("+") for line in lines),
                    deletions=sum(line.startswith("-") for line in lines),
                    patch=text,
                )
            )
        return found

    def describe(self, sha: str) -> tuple[str, tuple[str, ...], str, str]:
        """A commit's tree, parents, ISO date and message."""
        raw = self.git("show", "--no-patch", "--format=%T%n%P%n%cI%n%B", sha).decode(errors="replace")
        tree, parents, when, message = raw.split("\n", 3)
        return tree, tuple(parents.split()), when, message.strip()


def _data(content: bytes) -> bytes:
    return b"data %d\n" % len(content) + content + b"\n"


def _quoted(path: str) -> bytes:
    """`path` in fast-import's C-style quotes, so that blanks, quotes, newlines and non-ASCII letters survive."""
    raw = path.encode("utf-8", "surrogateescape")
    out = bytearray(b'"')
    for byte in raw:
        out += b"\\%03o" % byte if byte < 0x20 or byte in b'"\\' or byte >= 0x7F else bytes((byte,))
    return bytes(out + b'"')

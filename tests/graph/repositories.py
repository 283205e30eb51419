"""Small git repositories, made for one test."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

from graph.git import Blobs, Git
from graph.snapshot import Snapshot

Content = bytes | str | None
"""What a file holds; None removes it."""
Files = Mapping[str, Content] | Mapping[bytes, Content] | Mapping[str | bytes, Content]
"""Name -> content."""

_ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "LC_ALL": "C",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.com",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.com",
    "GIT_AUTHOR_DATE": "2024-01-01T00:00:00Z",
    "GIT_COMMITTER_DATE": "2024-01-01T00:00:00Z",
}


class MadeRepository:
    """A bare repository whose commits are made of given files, byte for byte: no worktree, so no file name is
    impossible."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._files: dict[bytes, tuple[str, str]] = {}
        path.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "--bare", "-b", "main", ".")

    def git(self, *arguments: str, given: bytes | None = None) -> bytes:
        done = subprocess.run(
            ["git", *arguments], cwd=self.path, env=_ENVIRONMENT, input=given, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr.decode(errors="replace")
        return done.stdout

    def blob(self, content: bytes | str) -> str:
        data = content.encode() if isinstance(content, str) else content
        return self.git("hash-object", "-w", "--stdin", given=data).decode().strip()

    def commit(
        self,
        files: Files,
        *parents: str,
        links: Mapping[str, str] | None = None,
        submodules: Mapping[str, str] | None = None,
        afresh: bool = False,
    ) -> str:
        """A commit of the last commit's files with these put over them (`afresh`: of these alone). Returns its SHA."""
        if afresh:
            self._files.clear()
        for name, content in files.items():
            key = name if isinstance(name, bytes) else name.encode()
            if content is None:
                self._files.pop(key)
            else:
                self._files[key] = ("100644", self.blob(content))
        for name, target in (links or {}).items():
            self._files[name.encode()] = ("120000", self.blob(target))
        for name, sha in (submodules or {}).items():
            self._files[name.encode()] = ("160000", sha)
        self.git("read-tree", "--empty")
        entries = b"".join(f"{mode} {sha}\t".encode() + key + b"\0" for key, (mode, sha) in sorted(self._files.items()))
        self.git("update-index", "-z", "--index-info", given=entries)
        tree = self.git("write-tree").decode().strip()
        given = [option for parent in parents for option in ("-p", parent)]
        sha = self.git("commit-tree", tree, "-m", "made", *given).decode().strip()
        self.git("update-ref", "refs/heads/main", sha)
        return sha


class WorkRepository:
    """A repository with a worktree, checked out at its last commit."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True)
        self.git("init", "-q", "-b", "main", ".")

    def git(self, *arguments: str) -> bytes:
        done = subprocess.run(["git", *arguments], cwd=self.path, env=_ENVIRONMENT, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode(errors="replace")
        return done.stdout

    def commit(self, files: Mapping[str, Content]) -> str:
        """A commit of the last commit's files with these put over them. Returns its SHA."""
        for name, content in files.items():
            file = self.path / name
            if content is None:
                file.unlink()
            else:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content.encode() if isinstance(content, str) else content)
        self.git("add", "--all")
        self.git("commit", "-q", "-m", "made")
        settle(self.path / ".git")
        return self.git("rev-parse", "HEAD").decode().strip()

    def check_out_afresh(self) -> None:
        """Write all files again, as git would in a new clone."""
        for name in self.git("ls-files", "-z").split(b"\0")[:-1]:
            (self.path / os.fsdecode(name)).unlink()
        self.git("checkout", "-q", "--", ".")
        settle(self.path / ".git")


def settle(git_directory: Path) -> None:
    """Make the index later than all files: in its own moment git can't tell an edited file from another."""
    time.sleep(0.03)
    index = git_directory / "index"
    index.write_bytes(index.read_bytes())


def snapshot_of(repository: MadeRepository | WorkRepository, commit: str) -> Snapshot:
    """The snapshot of a commit, in a git of its own."""
    git = Git(repository.path)
    return Snapshot.of(git, Blobs(git), commit)

"""A repository as GitHub has it: a bare one with a base branch and pull requests' refs, made with real git."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

_ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_AUTHOR_NAME": "Ann",
    "GIT_AUTHOR_EMAIL": "ann@example.com",
    "GIT_COMMITTER_NAME": "Ann",
    "GIT_COMMITTER_EMAIL": "ann@example.com",
    "HOME": "/nonexistent",
}


class Upstream:
    """Commits are made without a work tree, so that any name and content can be had."""

    def __init__(self, git_dir: Path) -> None:
        self.git_dir = git_dir
        self._clock = 1_700_000_000
        git_dir.mkdir(parents=True)
        self.git("init", "--quiet", "--bare", "--initial-branch=main", ".")

    def git(self, *arguments: str, given: bytes = b"", index: Path | None = None) -> str:
        environment = {"PATH": os.environ["PATH"], **_ENVIRONMENT}
        environment["GIT_AUTHOR_DATE"] = environment["GIT_COMMITTER_DATE"] = f"{self._clock} +0000"
        if index is not None:
            environment["GIT_INDEX_FILE"] = str(index)
        done = subprocess.run(
            ["git", *arguments], cwd=self.git_dir, input=given, env=environment, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr.decode("utf-8", "replace")
        return done.stdout.decode("utf-8", "surrogateescape").strip()

    def tree(self, files: Mapping[str, bytes | tuple[str, bytes]]) -> str:
        """A tree of these files. A value is the content of a file, or (mode, content; for a gitlink its SHA)."""
        index = self.git_dir / "test-index"
        index.unlink(missing_ok=True)
        lines = b""
        for name, value in files.items():
            mode, content = value if isinstance(value, tuple) else ("100644", value)
            sha = content.decode() if mode == "160000" else self.git("hash-object", "-w", "--stdin", given=content)
            lines += f"{mode} {sha}\t".encode() + name.encode("utf-8", "surrogateescape") + b"\0"
        self.git("update-index", "-z", "--index-info", given=lines, index=index)
        return self.git("write-tree", index=index)

    def tree_bomb(self, levels: int, width: int = 10) -> str:
        """A tree of `width` to the power of `levels` files, in a few hundred bytes: all its folders are one."""
        sha, mode = self.git("hash-object", "-w", "--stdin", given=b"x = 1\n"), b"100644"
        for _ in range(levels):
            raw = b"".join(mode + b" n%d.py\0" % number + bytes.fromhex(sha) for number in range(width))
            sha, mode = self.git("hash-object", "-w", "-t", "tree", "--stdin", given=raw), b"40000"
        return sha

    def commit(self, files: Mapping[str, bytes | tuple[str, bytes]], *parents: str, ref: str | None = None) -> str:
        self._clock += 60
        arguments = [argument for parent in parents for argument in ("-p", parent)]
        sha = self.git("commit-tree", self.tree(files), *arguments, "-m", "a commit")
        if ref is not None:
            self.point(ref, sha)
        return sha

    def point(self, ref: str, sha: str | None) -> None:
        if sha is None:
            self.git("update-ref", "-d", ref)
        else:
            self.git("update-ref", ref, sha)


class SamplePull:
    """main with two commits after the branching point, and pull request 1 with its test merge."""

    def __init__(self, upstream: Upstream, number: int = 1) -> None:
        self.upstream = upstream
        self.number = number
        base = {"app.py": b"def f():\n    return 1\n", "caller.py": b"from app import f\nf()\n"}
        self.branched = upstream.commit(base, ref="refs/heads/main")
        self.tip = upstream.commit(
            base | {"other.py": b"from app import f\nf()\n"}, self.branched, ref="refs/heads/main"
        )
        self.changed = base | {"app.py": b"def f(x):\n    return x\n"}
        self.head = upstream.commit(self.changed, self.branched, ref=f"refs/pull/{number}/head")
        self.merge = self.merge_of(self.tip, self.head)

    def merge_of(self, base: str, head: str, content: bytes = b"def f(x):\n    return x\n") -> str:
        files = {
            "app.py": content,
            "caller.py": b"from app import f\nf()\n",
            "other.py": b"from app import f\nf()\n",
        }
        return self.upstream.commit(files, base, head, ref=f"refs/pull/{self.number}/merge")

    def push(self, content: bytes) -> str:
        """A new head, with its new test merge."""
        self.head = self.upstream.commit(
            self.changed | {"app.py": content}, self.head, ref=f"refs/pull/{self.number}/head"
        )
        self.merge = self.merge_of(self.tip, self.head, content)
        return self.head

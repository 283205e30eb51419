"""Pull requests for a repository of Go without a history: each edits the body of one function, upon one commit."""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from graph.facts import Definition
from graph.index import read_source
from graph.languages import language_of

STATEMENT = b"\n\tpanic(0)\n"
"""What is put at the end of a body."""


def made_edits(repository: Path, scratch: Path, suffixes: set[str], count: int, seed: int) -> tuple[Path, list[str]]:
    """A clone in `scratch` that shares the repository's objects, and `count` commits in it, each upon HEAD."""
    clone = scratch / "edits.git"
    subprocess.run(["git", "clone", "--quiet", "--bare", "--shared", str(repository), str(clone)], check=True)
    git = _Git(clone, scratch / "index")
    base = git.run("rev-parse", "HEAD").decode().strip()
    listed = git.run("ls-tree", "-r", "-z", "--name-only", base).decode("utf-8", "surrogateescape").split("\0")[:-1]
    files = [path for path in listed if PurePosixPath(path).suffix in suffixes and not _is_aside(path)]
    chance = random.Random(seed)
    commits: list[str] = []
    while len(commits) < count:
        path = chance.choice(files)
        edited = _edited(path, git.run("cat-file", "blob", f"{base}:{path}"), chance)
        if edited is None:
            continue
        blob = git.run("hash-object", "-w", "--stdin", given=edited).decode().strip()
        git.run("read-tree", base)
        git.run("update-index", "--cacheinfo", f"100644,{blob},{path}")
        tree = git.run("write-tree").decode().strip()
        commits.append(git.run("commit-tree", tree, "-p", base, "-m", "edit").decode().strip())
    return clone, commits


def _is_aside(path: str) -> bool:
    """Whether a file is a test or other people's."""
    return path.endswith("_test.go") or "vendor/" in path or "/test" in f"/{path}"


def _edited(path: str, source: bytes, chance: random.Random) -> bytes | None:
    """The source with one more statement at the end of some function's body; None for one without functions."""
    language = language_of(path)
    read = read_source(source, language) if language is not None else "no language"
    if isinstance(read, str):
        return None
    bodies = [each for each in read.facts.definitions if _has_body(each, source)]
    if not bodies:
        return None
    end = chance.choice(bodies).end - 1
    return source[:end] + STATEMENT + source[end:]


def _has_body(definition: Definition, source: bytes) -> bool:
    return (
        definition.kind in ("function", "method")
        and definition.parent < 0
        and source[definition.end - 1 : definition.end] == b"}"
    )


class _Git:
    """Git in the clone, with an index of its own."""

    def __init__(self, clone: Path, index: Path) -> None:
        self._clone = clone
        who = {f"GIT_{role}_{what}": "edits" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        self._environment = {**os.environ, **who, "GIT_INDEX_FILE": str(index)}

    def run(self, *arguments: str, given: bytes = b"") -> bytes:
        """What a git command prints."""
        command: Sequence[str] = ("git", "-C", str(self._clone), *arguments)
        return subprocess.run(command, input=given, capture_output=True, check=True, env=self._environment).stdout

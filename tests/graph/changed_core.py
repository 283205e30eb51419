"""A pull request that changes the signature of one function in Python and of one in TypeScript, amid odd files."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.graph.stories import Files, Repo

SECONDS = 30.0
"""CPU seconds that one test may take: a multiple of what it does take, so that a slow machine is no failure."""

OLD = "def meet(a):\n    return a\n"
NEW = "def meet(a, b):\n    return a\n"
OLD_TS = "export function meet(a: number) {\n  return a;\n}\n"
NEW_TS = "export function meet(a: number, b: number) {\n  return a;\n}\n"


@contextmanager
def timed(path: Path) -> Iterator[Repo]:
    """A repository for questions that together must not take SECONDS."""
    began = time.process_time()
    yield Repo(path)
    assert time.process_time() - began < SECONDS


def with_change(repo: Repo, files: Files) -> Repo:
    """The files, and a pull request that changes the signatures of core.py's and core.ts's `meet`."""
    return repo.commit({"core.py": OLD, "core.ts": OLD_TS, **files}).commit({"core.py": NEW, "core.ts": NEW_TS})

"""One tree, ready to be asked: facts, inference, candidates and caller search over a snapshot."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from graph.callers import CallerSearch
from graph.candidates import Candidates
from graph.facts import FileFacts
from graph.facts_cache import FactsCache
from graph.git import Blobs, Git
from graph.index import FactsReader
from graph.inference import Inference
from graph.program import Program
from graph.search import Search
from graph.snapshot import BlobCache, Snapshot


class World:
    """A snapshot with everything that questions about it need."""

    def __init__(
        self,
        snapshot: Snapshot,
        reader: FactsReader,
        *,
        exhaustive: bool = False,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> None:
        self.snapshot = snapshot
        self.reader = reader
        self.search = Search(snapshot, threads=2)
        self.program = Program(snapshot, self._facts, lambda path: reader.syntax(snapshot, path))
        self.inference = Inference(self.program)
        self.candidates = Candidates(self.program, None if exhaustive else self.search, self._load)
        self.callers = CallerSearch(self.inference, self.candidates, should_stop)

    def _facts(self, path: str) -> FileFacts | None:
        return self.reader.facts(self.snapshot, (path,)).get(path)

    def _load(self, paths: Iterable[str]) -> Mapping[str, FileFacts]:
        return self.reader.facts(self.snapshot, tuple(paths))


class Repository:
    """A git repository opened for questions. Close it, or use it as a context manager."""

    def __init__(self, path: Path, facts_dir: Path | None) -> None:
        self.git = Git(path)
        self._blobs = Blobs(self.git)
        self.blobs = BlobCache(self._blobs)
        self.reader = FactsReader(FactsCache(facts_dir) if facts_dir is not None else None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Write what the cache is still owed and end git."""
        self.reader.close()
        self._blobs.close()

    def snapshot(self, commit: str) -> Snapshot:
        """The snapshot of a commit (full SHA)."""
        return Snapshot.of(self.git, self.blobs, commit)

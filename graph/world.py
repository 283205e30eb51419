"""One tree, ready to be asked: facts, inference, candidates and caller search over a snapshot."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from graph.callers import CallerSearch, Target
from graph.candidates import Candidates, Use
from graph.checkout import Checkout
from graph.facts import FileFacts
from graph.facts_cache import FactsCache
from graph.git import Blobs, Git
from graph.index import FactsReader
from graph.inference import Inference
from graph.languages import family_of
from graph.program import Program
from graph.redeclared import Redeclared
from graph.search import Search
from graph.snapshot import BlobCache, Snapshot
from graph.word_store import WordStore


class World:
    """A snapshot with everything that questions about it need."""

    def __init__(
        self,
        snapshot: Snapshot,
        reader: FactsReader,
        words: WordStore | None = None,
        *,
        exhaustive: bool = False,
        deleted: Collection[str] | None = None,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> None:
        """`words`: what is kept of the repository's words. `exhaustive`: every file is a candidate. `deleted`: this is
        the tree before the change, and what is asked about is gone in the one after it, together with these whole
        files."""
        self.snapshot = snapshot
        self.reader = reader
        self.search = Search(snapshot, kept=words.get if words is not None else _nothing_kept)
        self.program = Program(snapshot, self._facts, lambda path: reader.syntax(snapshot, path))
        self.program.texts = lambda path, word: self.candidates(path).texts(word)
        self.inference = Inference(self.program)
        self.redeclared: Redeclared = {}
        self._exhaustive = exhaustive
        self._deleted = deleted
        self._should_stop = should_stop
        self._candidates: dict[str, Candidates] = {}
        self._callers: dict[str, CallerSearch] = {}

    def candidates(self, path: str) -> Candidates:
        """The candidates among the files that can use names of the file at `path`: those of its family of languages."""
        family = family_of(path) or ""
        if family not in self._candidates:
            search = None if self._exhaustive else self.search
            self._candidates[family] = Candidates(self.program, search, self._load, family, self.snapshot.read_many)
        return self._candidates[family]

    def callers(self, path: str) -> CallerSearch:
        """The caller search for definitions of the file at `path`."""
        family = family_of(path) or ""
        if family not in self._callers:
            found = CallerSearch(
                self.inference,
                self.candidates(path),
                self._should_stop,
                deleted=self._deleted,
                redeclared=self.redeclared,
            )
            self._callers[family] = found
        return self._callers[family]

    def load_first(self, targets: Iterable[Target]) -> None:
        """Load at once the files that the search for these targets begins with."""
        words: dict[tuple[Candidates, Use], set[str]] = {}
        for target in targets:
            search = self.callers(target.path)
            key = self.candidates(target.path), search.use_of(target)
            words.setdefault(key, set()).update(search.first_words(target))
        for (candidates, use), first in words.items():
            candidates.prefetch(first, use)

    @property
    def failures(self) -> frozenset[str]:
        """Files with places that could not be worked out because of a defect of ours."""
        return frozenset(path for search in self._callers.values() for path, _ in search.failures)

    def _facts(self, path: str) -> FileFacts | None:
        return self.reader.facts(self.snapshot, (path,)).get(path)

    def _load(self, paths: Iterable[str]) -> Mapping[str, FileFacts]:
        return self.reader.facts(self.snapshot, tuple(paths))


def _nothing_kept(suffixes: tuple[str, ...]) -> None:
    return None


class Repository:
    """A git repository opened for questions. Close it, or use it as a context manager."""

    def __init__(self, path: Path, facts_dir: Path | None) -> None:
        self.git = Git(path)
        self._blobs = Blobs(self.git)
        self.blobs = BlobCache(self._blobs, Checkout(self.git))
        self.reader = FactsReader(FactsCache(facts_dir) if facts_dir is not None else None)
        self.words = WordStore(self.git, facts_dir) if facts_dir is not None else None

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
        return Snapshot.of(self.git, self.blobs, commit, self.words.listing() if self.words is not None else None)

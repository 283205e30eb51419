"""Facts of files: read from the cache or made, one by one on demand (`FactsReader`) or all at once (`index`).

A file that isn't read has a reason: too large, lines that nobody wrote, an encoding that isn't UTF-8's.
"""

from __future__ import annotations

import gc
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from graph.briefing import NotChecked
from graph.checkout import Checkout
from graph.cycles import no_search_for_cycles, no_search_from_now_on
from graph.facts import FileFacts
from graph.facts_cache import FactsCache, facts_key, packed
from graph.git import Blobs, Git
from graph.languages import language_of
from graph.languages.base import Language, Syntax
from graph.languages.minified import is_minified
from graph.snapshot import SIZE_LIMIT, Snapshot
from graph.word_store import WordStore

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

LONGEST_LINE: Final = 200_000
"""Bytes. A file with a longer line was made by a program, to be read by one."""
LONGEST_AVERAGE: Final = 20_000
"""Bytes a line on average, with the same meaning."""
_SYNTAX_BUDGET: Final = 24 * 1024 * 1024
"""Bytes of source whose trees are kept. A tree takes some ten to twenty times as much."""
_PENDING: Final = 256
"""Files whose facts are held back, to be written together."""
_COLLECTED_AFTER: Final = 1_000_000
"""Objects made and still alive after which a process looks for cycles after all."""
_CHUNK_BYTES: Final = 768 * 1024
_CHUNK_FILES: Final = 200

_BYTE_ORDER_MARKS_16: Final = (b"\xff\xfe", b"\xfe\xff")


def why_unreadable(source: bytes, language: Language) -> str | None:
    """Why a file of the language with these bytes isn't read as source text; None when it is."""
    if source.startswith(_BYTE_ORDER_MARKS_16):
        return "it is encoded in UTF-16"
    if len(source) > LONGEST_AVERAGE:
        if len(source) > LONGEST_AVERAGE * (source.count(b"\n") + 1):
            return "its lines are too long: it looks minified or generated"
        if _has_long_line(source):
            return f"it has a line of more than {LONGEST_LINE // 1000} kB: it looks minified or generated"
    if not language.needs_lines and is_minified(source):
        return "it looks minified: its statements stand together without blanks"
    return None


def _has_long_line(source: bytes) -> bool:
    """Whether a line is longer than `LONGEST_LINE`: such a one holds at least one of every LONGEST_LINE-th byte."""
    for position in range(LONGEST_LINE, len(source), LONGEST_LINE):
        end = source.find(b"\n", position)
        if (len(source) if end < 0 else end) - (source.rfind(b"\n", 0, position) + 1) > LONGEST_LINE:
            return True
    return False


class FactsReader:
    """Facts and syntax of the files of any snapshots of one repository.

    Facts come from the memory, the cache or the parser, in this order; what is parsed goes to the cache in batches
    (`close()` writes the rest). Trees are kept within a budget and made again when they are needed later. `parsed` and
    `from_cache` count files.
    """

    def __init__(self, cache: FactsCache | None = None) -> None:
        self.parsed = 0
        self.from_cache = 0
        self._cache = cache
        self._facts: dict[tuple[str, str], FileFacts] = {}
        self._reasons: dict[tuple[str, str], str] = {}
        self._pending: dict[str, FileFacts] = {}
        self._trees = SyntaxStore()

    def facts(self, snapshot: Snapshot, paths: Iterable[str]) -> dict[str, FileFacts]:
        """Path -> facts of those files that a language reads and that can be read (else see `why_not`)."""
        found: dict[str, FileFacts] = {}
        missing: dict[str, tuple[str, Language]] = {}
        for path in paths:
            blob, language = snapshot.blob(path), language_of(path)
            if blob is None or language is None:
                continue
            known = self._facts.get((blob, language.grammar))
            if known is not None:
                found[path] = known
            elif (blob, language.grammar) not in self._reasons:
                missing[path] = blob, language
        if missing:
            found.update(self._from_cache(missing))
            found.update(self._from_source(snapshot, {path: missing[path] for path in missing if path not in found}))
        return found

    def syntax(self, snapshot: Snapshot, path: str) -> Syntax | None:
        """The parsed file; None when no language reads it or it cannot be read (`why_not`)."""
        blob, language = snapshot.blob(path), language_of(path)
        if blob is None or language is None:
            return None
        kept = self._trees.get((blob, language.grammar))
        if kept is not None:
            return kept
        facts = self.facts(snapshot, (path,)).get(path)
        if facts is None:
            return None
        kept = self._trees.get((blob, language.grammar))
        if kept is None:
            source = snapshot.read(path)
            kept = self._trees.keep((blob, language.grammar), Syntax(source, language.parse(source), facts))
        return kept

    def why_not(self, snapshot: Snapshot, path: str) -> str | None:
        """Why the file cannot be read, in words for "not checked"; None when it can, or isn't there."""
        blob, language = snapshot.blob(path), language_of(path)
        if blob is None:
            return None
        if language is None:
            return "no language that is read"
        self.facts(snapshot, (path,))
        return self._reasons.get((blob, language.grammar))

    def flush(self) -> None:
        """Write what the cache is still owed."""
        pending, self._pending = self._pending, {}
        if self._cache is not None and pending:
            self._cache.put_many(pending)

    def close(self) -> None:
        """Write what the cache is still owed and close it."""
        self.flush()
        if self._cache is not None:
            self._cache.close()

    def _from_cache(self, missing: dict[str, tuple[str, Language]]) -> dict[str, FileFacts]:
        if self._cache is None:
            return {}
        keys = {path: facts_key(blob, language) for path, (blob, language) in missing.items()}
        cached = self._cache.get_many(dict.fromkeys(keys.values()))
        found = {}
        for path, (blob, language) in missing.items():
            facts = cached.get(keys[path]) or self._pending.get(keys[path])
            if facts is not None:
                self.from_cache += (blob, language.grammar) not in self._facts
                self._facts[blob, language.grammar] = found[path] = facts
        return found

    def _from_source(self, snapshot: Snapshot, missing: dict[str, tuple[str, Language]]) -> dict[str, FileFacts]:
        found: dict[str, FileFacts] = {}
        for chunk in _batches(list(missing), snapshot):
            for path, source in snapshot.read_many(chunk).items():
                blob, language = missing[path]
                key = blob, language.grammar
                if key in self._facts:  # the same bytes under another name
                    found[path] = self._facts[key]
                    continue
                read = read_source(source, language) if path not in snapshot.too_large else _too_large(snapshot, path)
                if isinstance(read, str):
                    self._reasons[key] = read
                    continue
                self.parsed += 1
                self._trees.keep(key, read)
                self._facts[key] = found[path] = read.facts
                if self._cache is not None:
                    self._pending[facts_key(blob, language)] = read.facts
                    if len(self._pending) >= _PENDING:
                        self.flush()
        return found


def _too_large(snapshot: Snapshot, path: str) -> str:
    return f"it is larger than {SIZE_LIMIT // 1024**2} MiB ({snapshot.size(path) / 1024**2:.1f} MiB)"


def read_source(source: bytes, language: Language) -> Syntax | str:
    """The parsed source with its facts, or why it cannot be read."""
    reason = why_unreadable(source, language)
    if reason is not None:
        return reason
    try:
        tree = language.parse(source)
        return Syntax(source, tree, language.extract(source, tree))
    except Exception as error:  # whatever a file makes the parser do must not cost the other files their answer
        return f"its syntax could not be read ({type(error).__name__})"


class SyntaxStore:
    """Parsed files, the most recently used kept within a budget of bytes of their sources."""

    def __init__(self, budget: int = _SYNTAX_BUDGET) -> None:
        self._budget = budget
        self._kept: OrderedDict[tuple[str, str], Syntax] = OrderedDict()
        self._size = 0

    def get(self, key: tuple[str, str]) -> Syntax | None:
        """The kept syntax of (blob, grammar); None when it isn't kept."""
        kept = self._kept.get(key)
        if kept is not None:
            self._kept.move_to_end(key)
        return kept

    def keep(self, key: tuple[str, str], syntax: Syntax) -> Syntax:
        """Keep this one, and let go what was used longest ago if there is too much."""
        if key not in self._kept:
            self._kept[key] = syntax
            self._size += len(syntax.source)
            while self._size > self._budget and len(self._kept) > 1:
                self._size -= len(self._kept.popitem(last=False)[1].source)
        return syntax


# -- the whole tree --------------------------------------------------------------------------------------------------


class IndexFigures(msgspec.Struct, frozen=True, kw_only=True):
    """What an index run did. `files` are those in languages that are read; each was parsed, in the cache, or is in
    `not_read` with its reason. `languages` counts files by language, `source_bytes` what was parsed."""

    files: int
    parsed: int
    from_cache: int
    source_bytes: int
    languages: dict[str, int]
    not_read: tuple[NotChecked, ...] = ()
    cache_problem: str | None = None


class _Done(msgspec.Struct, frozen=True):
    parsed: int
    from_cache: int
    source_bytes: int
    not_read: tuple[tuple[str, str], ...]
    cache_problem: str | None


_Work = Sequence[tuple[str, str]]
"""(path, blob) of files."""


def index(
    repository: Path,
    revision: str,
    *,
    jobs: int = 1,
    facts_dir: Path | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> IndexFigures:
    """Make the facts of every file of a revision that a language reads, in `jobs` processes, into the cache, and the
    words of all files that are searched.

    `progress(done, total)` is told of files as they are done. Without `facts_dir` everything is made and thrown away.
    Raises GitError for an unknown revision.
    """
    git = Git(repository)
    with Blobs(git) as blobs:
        snapshot = Snapshot.of(git, blobs, git.resolve(revision))

        def keep_words() -> None:
            if facts_dir is not None:
                _keep_words(snapshot, facts_dir)

        return _index_facts(snapshot, repository, jobs, facts_dir, progress, keep_words)


def _index_facts(
    snapshot: Snapshot,
    repository: Path,
    jobs: int,
    facts_dir: Path | None,
    progress: Callable[[int, int], None],
    meanwhile: Callable[[], None],
) -> IndexFigures:
    languages: dict[str, int] = {}
    wanted: list[str] = []
    not_read: list[tuple[str, str]] = []
    for path in snapshot.paths:
        language = language_of(path)
        if language is None:
            continue
        languages[language.name] = languages.get(language.name, 0) + 1
        if path in snapshot.too_large:
            not_read.append((path, _too_large(snapshot, path)))
        else:
            wanted.append(path)
    total = len(wanted) + len(not_read)
    finished = len(not_read)
    progress(finished, total)
    chunks = [[(path, snapshot.paths[path]) for path in chunk] for chunk in _batches(wanted, snapshot)]
    results: list[_Done] = []
    for chunk, done in _run(chunks, repository, facts_dir, min(jobs, len(chunks)), meanwhile):
        results.append(done)
        finished += len(chunk)
        progress(finished, total)
    not_read.extend(entry for done in results for entry in done.not_read)
    return IndexFigures(
        files=total,
        parsed=sum(done.parsed for done in results),
        from_cache=sum(done.from_cache for done in results),
        source_bytes=sum(done.source_bytes for done in results),
        languages=dict(sorted(languages.items())),
        not_read=tuple(NotChecked(path=path, why=why) for path, why in sorted(not_read)),
        cache_problem=next((done.cache_problem for done in results if done.cache_problem), None),
    )


def index_words(repository: Path, revision: str, facts_dir: Path) -> None:
    """Keep the words of a revision's files that are searched, for briefings of commits like it (see `graph.words`).
    Raises GitError for an unknown revision."""
    git = Git(repository)
    with Blobs(git) as blobs:
        _keep_words(Snapshot.of(git, blobs, git.resolve(revision)), facts_dir)


def _keep_words(snapshot: Snapshot, facts_dir: Path) -> None:
    with no_search_for_cycles():
        WordStore(snapshot.git, facts_dir).keep(snapshot)


def _batches(paths: Sequence[str], snapshot: Snapshot) -> Iterator[list[str]]:
    """The paths in their order, in lists bounded by bytes and by number."""
    batch: list[str] = []
    length = 0
    for path in paths:
        batch.append(path)
        length += snapshot.size(path)
        if length >= _CHUNK_BYTES or len(batch) >= _CHUNK_FILES:
            yield batch
            batch, length = [], 0
    if batch:
        yield batch


def _run(
    chunks: Sequence[_Work], repository: Path, facts_dir: Path | None, jobs: int, meanwhile: Callable[[], None]
) -> Iterator[tuple[_Work, _Done]]:
    """Each chunk with what was done, as they get ready; `meanwhile` is done while others work."""
    if jobs <= 1:
        with _Worker(repository, facts_dir) as worker, no_search_for_cycles():
            for chunk in chunks:
                yield chunk, worker.work(chunk)
        meanwhile()
        return
    from concurrent.futures import as_completed  # only here: it takes as long to import as a small briefing's search
    from concurrent.futures.process import BrokenProcessPool

    pending: list[_Work] = list(chunks)
    ended: list[_Work] = []
    with _pool(jobs, repository, facts_dir) as pool:
        futures: dict[Future[_Done], _Work] = {pool.submit(_work, chunk): chunk for chunk in pending}
        meanwhile()
        for future in as_completed(futures):
            try:
                yield futures[future], future.result()
            except BrokenProcessPool:
                ended.append(futures[future])
    yield from _one_by_one(ended, repository, facts_dir)


def _one_by_one(chunks: Sequence[_Work], repository: Path, facts_dir: Path | None) -> Iterator[tuple[_Work, _Done]]:
    """Chunks that were under way when a process was killed, each in a process of its own, so that only the file that
    kills it is lost."""
    from concurrent.futures.process import BrokenProcessPool

    for chunk in chunks:
        try:
            with _pool(1, repository, facts_dir) as pool:
                yield chunk, pool.submit(_work, chunk).result()
        except BrokenProcessPool:
            if len(chunk) > 1:
                middle = len(chunk) // 2
                yield from _one_by_one([chunk[:middle], chunk[middle:]], repository, facts_dir)
            else:
                why = "its parser was ended by the system (out of memory or crashed)"
                yield chunk, _Done(0, 0, 0, ((chunk[0][0], why),), None)


def _pool(jobs: int, repository: Path, facts_dir: Path | None) -> ProcessPoolExecutor:
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    # A process that forks has all modules; to import them anew in each takes a twentieth of the time. But what other
    # threads hold while it forks is held for ever, and only Linux's libraries are made for it.
    forks = sys.platform == "linux" and threading.active_count() == 1
    context = multiprocessing.get_context("fork" if forks else "spawn")
    return ProcessPoolExecutor(jobs, context, initializer=_start, initargs=(repository, facts_dir))


class _Worker:
    """One process's share of an index run: its own git and its own handle of the cache."""

    def __init__(self, repository: Path, facts_dir: Path | None) -> None:
        git = Git(repository)
        self._blobs = Blobs(git)
        self._checkout = Checkout(git)
        self._cache = FactsCache(facts_dir) if facts_dir is not None else None

    def __enter__(self) -> _Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self._blobs.close()
        if self._cache is not None:
            self._cache.close()

    def work(self, chunk: _Work) -> _Done:
        """Make the facts of these files that the cache doesn't have yet."""
        keys: dict[str, tuple[str, str, Language]] = {}
        for path, blob in chunk:
            language = language_of(path)
            if language is not None:
                keys.setdefault(facts_key(blob, language), (path, blob, language))
        known: Collection[str] = self._cache.known(keys) if self._cache is not None else ()
        missing = {key: about for key, about in keys.items() if key not in known}
        made: dict[str, bytes] = {}
        not_read: list[tuple[str, str]] = []
        parsed = source_bytes = 0
        for key, source in self._sources(missing):
            path, _, language = missing[key]
            read = "it is not in this clone" if source is None else read_source(source, language)
            if isinstance(read, str):
                not_read.append((path, read))
            else:
                parsed += 1
                source_bytes += len(read.source)
                if self._cache is not None:
                    made[key] = packed(read.facts)
            del read  # before the next file: its tree and facts leave memory that is quick to use again
        if self._cache is not None:
            self._cache.put_packed(made)
        if not gc.isenabled() and gc.get_count()[0] > _COLLECTED_AFTER:
            gc.collect()
        return _Done(
            parsed=parsed,
            from_cache=len(chunk) - len(missing),
            source_bytes=source_bytes,
            not_read=tuple(not_read),
            cache_problem=self._cache.failed if self._cache is not None else None,
        )

    def _sources(self, missing: dict[str, tuple[str, str, Language]]) -> Iterator[tuple[str, bytes | None]]:
        """(key, bytes) of these files, None for a blob that isn't there: from the worktree, then from the clone."""
        elsewhere = []
        for key, (path, blob, _) in missing.items():
            content = self._checkout.read(path, blob)
            if content is not None:
                yield key, content
            else:
                elsewhere.append((key, blob))
        contents = self._blobs.read_many(blob for _, blob in elsewhere)
        for (key, _), (_, content) in zip(elsewhere, contents, strict=True):
            yield key, content


_share: tuple[Path, Path | None] | None = None
_worker: _Worker | None = None


def _start(repository: Path, facts_dir: Path | None) -> None:
    """Remember what this process works on; what can fail is left to the first chunk, where it is reported."""
    global _share
    no_search_from_now_on()
    _share = repository, facts_dir


def _work(chunk: _Work) -> _Done:
    global _worker
    if _worker is None:
        assert _share is not None
        _worker = _Worker(*_share)
    return _worker.work(chunk)

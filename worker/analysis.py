"""Make the briefing in a child process that can be stopped, and that takes nothing with it when it dies.

The worker side is `analyse`; the child is `python -m worker.analysis`. What comes from a pull request is read only in
the child, which has none of this process's secrets, a limit on memory and processor time, and is the first the kernel
ends when memory runs out. It is told to stop at the soft limit and then returns what it has; a little later its whole
process group is killed.

On the child's standard input: a length (4 bytes, big endian), that many bytes of msgpack (`AnalysisRequest` or
`WordsRequest`), and then nothing: the pipe stays open while the worker lives, and its end is how an orphaned child
learns to go. On its standard output: one msgpack `Answer`, `WordsKept` or `Failure`, and on standard error whatever
went wrong.
"""

from __future__ import annotations

import graph  # noqa: F401 - before msgspec, see there  # isort: skip

import asyncio
import contextlib
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

import msgspec

import worker
from worker.logs import redact

if TYPE_CHECKING:
    from graph.briefing import Briefing
    from worker.configuration import Configuration

GRACE_SECONDS: Final = 10.0
"""From being told to stop to being killed: rendering, and the file at hand, still need a moment."""

MOST_NAMES: Final = 300
MOST_PATHS: Final = 2000

_REAP_SECONDS: Final = 5.0
_MOST_ANSWER_BYTES: Final = 8 * 1024 * 1024
_MOST_ERROR_BYTES: Final = 64 * 1024
_COMMAND: Final = (sys.executable, "-P", "-m", "worker.analysis")


class AnalysisRequest(msgspec.Struct, frozen=True, kw_only=True, tag="briefing"):
    """What to brief. `repository` is the leased worktree; the commits are full SHAs (see `worker.merge.Trees`).

    `seconds` is the soft limit, `memory_bytes` what the child may allocate.
    """

    repository: str
    merge_base: str
    head: str
    merge: str | None
    graph_note: str | None
    facts_dir: str
    web_url: str
    owner: str
    name: str
    number: int
    base_ref: str
    base_sha: str | None
    seconds: float
    memory_bytes: int
    configured_at: str | None = None
    """The base branch's commit whose `.github/callsheet.yml` counts; None: only the organisation's does."""
    organisation: bytes | None = None
    """The organisation's `.github/callsheet.yml`, for a repository without one."""


class WordsRequest(msgspec.Struct, frozen=True, kw_only=True, tag="words"):
    """The words of a commit's files, to be kept for later searches (`graph.word_store`). `repository` is the clone."""

    repository: str
    commit: str
    facts_dir: str
    seconds: float
    memory_bytes: int


class WordsKept(msgspec.Struct, frozen=True, tag="kept"):
    """It is done."""


class Answer(msgspec.Struct, frozen=True, kw_only=True, tag="answer"):
    """A finished briefing, rendered: a check run's output, and what the briefing was made against."""

    title: str
    summary: str
    text: str
    annotations: list[dict[str, Any]]
    conclusion: str
    head_sha: str
    base_sha: str | None
    merge_base: str
    graph_from: Literal["merge", "head"]
    incomplete: str | None
    names: tuple[str, ...] = ()
    """Names of what the pull request changes or removes, `MOST_NAMES` at most (then `all_named` is False)."""
    paths: tuple[str, ...] = ()
    """Files that are changed or that hold callers, `MOST_PATHS` at most."""
    all_named: bool = True
    staleness: str | None = None
    """What the repository's configuration says of it; None: what the service is set to."""
    files_parsed: int = 0
    files_from_cache: int = 0
    words_behind: bool = False
    """Whether a `WordsRequest` would make later searches faster."""
    mistakes: tuple[str, ...] = ()
    """What is wrong in the configuration, as sentences; the check run shows them too."""


class Failure(msgspec.Struct, frozen=True, kw_only=True, tag="failure"):
    """No briefing: a limit of time or memory was passed, the child crashed, or graph refused to make one.

    `message` is for the person who asked; `detail` only for the log.
    """

    what: Literal["time", "memory", "crash", "refused"]
    message: str
    detail: str = ""


_ANSWER_DECODER: Final = msgspec.msgpack.Decoder(Answer | Failure)
_KEPT_DECODER: Final = msgspec.msgpack.Decoder(WordsKept | Failure)
T = TypeVar("T")


async def analyse(
    request: AnalysisRequest,
    *,
    fds: Sequence[int] = (),
    grace_seconds: float = GRACE_SECONDS,
    command: Sequence[str] = _COMMAND,
) -> Answer | Failure:
    """Run the child and return what it made of it. Cancelling ends the child with all it started.

    `fds` are the lock files of what it works in: they stay locked while it lives.
    """
    return await _asked(request, _ANSWER_DECODER, fds, grace_seconds, command)


async def keep_words(request: WordsRequest, *, grace_seconds: float = GRACE_SECONDS) -> WordsKept | Failure:
    """Keep words, in a child like that of `analyse`."""
    return await _asked(request, _KEPT_DECODER, (), grace_seconds, _COMMAND)


async def _asked(
    request: AnalysisRequest | WordsRequest,
    decoder: msgspec.msgpack.Decoder[T],
    fds: Sequence[int],
    grace_seconds: float,
    command: Sequence[str],
) -> T | Failure:
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=_child_environment(),
        cwd="/",
        start_new_session=True,
        pass_fds=tuple(fds),
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    reading = asyncio.ensure_future(
        asyncio.gather(_read_up_to(process.stdout, _MOST_ANSWER_BYTES), _read_up_to(process.stderr, _MOST_ERROR_BYTES))
    )
    late = False
    try:
        payload = msgspec.msgpack.encode(request)
        with contextlib.suppress(ConnectionError):  # it died at once: its words and status say why
            process.stdin.write(len(payload).to_bytes(4, "big") + payload)
            await process.stdin.drain()
        await asyncio.wait({reading}, timeout=request.seconds + grace_seconds)
        late = not reading.done()
        if not late:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), grace_seconds)
    finally:
        # The group even when the child itself has ended: a git it started may still run.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        output, errors = await asyncio.shield(_settled(process, reading))
    return _outcome(request, decoder, process.returncode or 0, output, errors, late)


async def _settled(
    process: asyncio.subprocess.Process, reading: asyncio.Future[tuple[bytes, bytes]]
) -> tuple[bytes, bytes]:
    """What the killed child wrote. Its pipes are read to their end: asyncio reaps no process whose pipes are full."""
    ending: set[asyncio.Future[Any]] = {reading, asyncio.ensure_future(process.wait())}
    _, unfinished = await asyncio.wait(ending, timeout=_REAP_SECONDS)
    for future in unfinished:
        future.cancel()
    return reading.result() if reading.done() and not reading.cancelled() else (b"", b"")


def _outcome(
    request: AnalysisRequest | WordsRequest,
    decoder: msgspec.msgpack.Decoder[T],
    status: int,
    output: bytes,
    errors: bytes,
    late: bool,
) -> T | Failure:
    detail = redact(errors.decode("utf-8", "replace"))[-4000:]
    if not late and status == 0:
        try:
            return decoder.decode(output)
        except msgspec.MsgspecError as error:
            return Failure(what="crash", message="The analysis returned nothing usable.", detail=f"{error}\n{detail}")
    if late or status == -signal.SIGXCPU:
        return Failure(
            what="time",
            message=f"The analysis did not end within {request.seconds:.0f} seconds and was stopped. "
            "A smaller pull request, or a longer CALLSHEET_ANALYSIS_SECONDS, would help.",
            detail=detail,
        )
    if status in {-signal.SIGKILL, _OUT_OF_MEMORY}:
        return Failure(what="memory", message=_memory_message(request.memory_bytes), detail=detail)
    how = f"signal {-status}" if status < 0 else f"status {status}"
    return Failure(
        what="crash",
        message=f"The analysis crashed ({how}). The worker's log has the details; please report it.",
        detail=detail,
    )


def _memory_message(memory_bytes: int) -> str:
    return (
        f"The analysis needed more than the {memory_bytes // (1024 * 1024)} MiB of memory it may use and was stopped. "
        "A larger CALLSHEET_ANALYSIS_MEMORY_MIB would help."
    )


def _child_environment() -> dict[str, str]:
    """Enough to find Python, git and this package; nothing of what this process knows."""
    environment = {name: os.environ[name] for name in ("PATH", "TMPDIR", "SYSTEMROOT") if name in os.environ}
    package = Path(worker.__file__).resolve().parent.parent
    return environment | {
        "PYTHONPATH": str(package),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "LC_ALL": "C.UTF-8",
        "HOME": "/nonexistent",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_NO_LAZY_FETCH": "1",
    }


async def _read_up_to(stream: asyncio.StreamReader, most: int) -> bytes:
    """All of the stream; of a longer one the end is dropped, but it is read, so that the child never blocks."""
    kept = bytearray()
    while chunk := await stream.read(65536):
        kept += chunk[: max(0, most - len(kept))]
    return bytes(kept)


# The child.

_OUT_OF_MEMORY: Final = 86
_NICE: Final = 10
"""What nobody waits for gives way to what somebody does."""


def main() -> int:
    """The child process. Reads a request, writes an answer; the exit status is 0 when it could write one."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints must not end up inside the answer
    started = time.monotonic()
    request = _read_request()
    _limit(request)
    threading.Thread(target=_leave_when_orphaned, daemon=True).start()
    try:
        result = _brief(request, started) if isinstance(request, AnalysisRequest) else _keep_words(request)
    except MemoryError:
        return _OUT_OF_MEMORY
    answers.write(msgspec.msgpack.encode(result))
    answers.close()
    return 0


def _keep_words(request: WordsRequest) -> WordsKept | Failure:
    from graph.git import GitError
    from graph.index import index_words

    os.nice(_NICE)
    try:
        index_words(Path(request.repository), request.commit, Path(request.facts_dir))
    except GitError as error:
        return Failure(what="refused", message=_printable(str(error)))
    return WordsKept()


def _brief(request: AnalysisRequest, started: float) -> Answer | Failure:
    from graph.brief import BriefingError, make_briefing
    from graph.cycles import no_search_from_now_on
    from graph.render import Links, check_output
    from graph.scope import Scope

    no_search_from_now_on()
    configuration, mistakes = _configuration(request)
    scope = Scope(
        ignore=configuration.ignore,
        languages_off=frozenset(configuration.languages_off),
        tests=configuration.tests,
    )
    try:
        briefing, figures = make_briefing(
            Path(request.repository),
            request.merge_base,
            request.head,
            request.merge,
            facts_dir=Path(request.facts_dir),
            merge_base=request.merge_base,
            graph_note=request.graph_note,
            scope=scope,
            should_stop=lambda: time.monotonic() - started > request.seconds,
        )
    except BriefingError as error:
        if "out of memory" in str(error):  # git, which has the same limit
            return Failure(what="memory", message=_memory_message(request.memory_bytes), detail=str(error))
        return Failure(what="refused", message=_printable(str(error)))
    links = Links(
        web_url=request.web_url,
        owner=request.owner,
        name=request.name,
        head_sha=request.head,
        base_sha=request.base_sha,
        number=request.number,
        base_ref=request.base_ref,
    )
    output = check_output(
        briefing,
        links,
        figures,
        policy=configuration.conclusion,
        most_callers=configuration.callers,
        notes=mistakes,
    )
    names, paths = _named(briefing)
    return Answer(
        title=_printable(output.title),
        summary=_printable(output.summary),
        text=_printable(output.text),
        annotations=_annotations(output.annotations),
        conclusion=output.conclusion,
        head_sha=briefing.head_sha,
        base_sha=briefing.base_sha,
        merge_base=briefing.merge_base,
        graph_from=briefing.graph_from,
        incomplete=briefing.incomplete,
        names=tuple(names[:MOST_NAMES]),
        paths=tuple(paths[:MOST_PATHS]),
        all_named=len(names) <= MOST_NAMES and len(paths) <= MOST_PATHS,
        staleness=configuration.staleness,
        files_parsed=figures.files_parsed,
        files_from_cache=figures.facts_from_cache,
        words_behind=figures.words_behind,
        mistakes=tuple(map(_printable, mistakes)),
    )


def _configuration(request: AnalysisRequest) -> tuple[Configuration, tuple[str, ...]]:
    """The configuration that counts for the pull request, and what is wrong in it, as sentences."""
    from graph.git import Blobs, Git, GitError
    from worker.configuration import MOST_BYTES, ORGANISATION_REPOSITORY, PATH, Configuration, read_configuration

    content, where = request.organisation, f"{ORGANISATION_REPOSITORY}/{PATH}"
    if request.configured_at is not None:
        try:
            git = Git(Path(request.repository))
            listed, _ = git.run("ls-tree", "-l", "--full-tree", request.configured_at, "--", PATH)
            kind, blob, size = (*listed.split(b"\t")[0].decode("ascii", "replace").split()[1:], "", "", "")[:3]
            if kind == "blob":
                where = PATH
                with Blobs(git) as blobs:
                    # One that is too large isn't read; the parser then says so of its first bytes.
                    content = blobs.read(blob) if int(size) <= MOST_BYTES else b" " * (MOST_BYTES + 1)
        except (GitError, ValueError) as error:
            return Configuration(), (f"`{PATH}` could not be read, and the defaults are used: {error}",)
    if content is None:
        return Configuration(), ()
    from graph.languages import NAMES

    configuration, mistakes = read_configuration(content, NAMES)
    return configuration, tuple(mistake.sentence(where) for mistake in mistakes)


def _named(briefing: Briefing) -> tuple[list[str], list[str]]:
    """Names of what others can depend on, and the files that are known to name it: later commits to them matter.

    What the pull request adds is no such name: nobody else's commit can know it.
    """
    symbols = [symbol for file in briefing.changed for symbol in file.symbols if symbol.change != "added"]
    paths = {path for file in briefing.changed for path in (file.path, file.old_path) if path is not None}
    paths |= {caller.path for symbol in symbols for caller in symbol.callers}
    paths |= {importer.path for moved in briefing.moved for importer in moved.importers}
    return sorted({_printable(symbol.name) for symbol in symbols}), sorted(_printable(path) for path in paths)


def _annotations(annotations: Sequence[Any]) -> list[dict[str, Any]]:
    """The annotations as GitHub takes them; one on a file whose name isn't UTF-8 can't be placed and is left out."""
    placed = [msgspec.to_builtins(each) for each in annotations if each.path == _printable(each.path)]
    return [
        {key: _printable(value) if isinstance(value, str) else value for key, value in each.items()} for each in placed
    ]


def _printable(text: str) -> str:
    """`text` in valid Unicode: a file name that isn't UTF-8 may have left half characters in it."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _read_request() -> AnalysisRequest | WordsRequest:
    length = int.from_bytes(_read_exactly(4), "big")
    return msgspec.msgpack.decode(_read_exactly(length), type=AnalysisRequest | WordsRequest)


def _read_exactly(count: int) -> bytes:
    data = b""
    while len(data) < count:
        chunk = os.read(0, count - len(data))
        if not chunk:
            raise SystemExit("the request ended too early")
        data += chunk
    return data


def _limit(request: AnalysisRequest | WordsRequest) -> None:
    """Limit this process and what it starts; be the first to go when the machine runs out of memory."""
    # Private writable memory; not the address space, in which git maps whole packs that cost nothing.
    _lower(resource.RLIMIT_DATA, request.memory_bytes)
    # A net under the clock: processor seconds, of all threads together.
    _lower(resource.RLIMIT_CPU, int(request.seconds * 2 + GRACE_SECONDS))
    _lower(resource.RLIMIT_CORE, 0)
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")


def _lower(limit: int, value: int) -> None:
    _, hard = resource.getrlimit(limit)
    bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(limit, (bound, hard if limit == resource.RLIMIT_CPU else bound))


def _leave_when_orphaned() -> None:
    while os.read(0, 4096):
        pass
    os.killpg(0, signal.SIGKILL)  # the worker is gone, and nobody waits for an answer


if __name__ == "__main__":
    sys.exit(main())

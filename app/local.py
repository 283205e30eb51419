"""The local commands: a briefing, callers and an index of a repository on this disk, without GitHub or Redis."""

from __future__ import annotations

import graph  # noqa: F401 - before msgspec, see there  # isort: skip

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Final

import msgspec

from app.cli import DONE, CommandFailed, UsageError
from app.waiting import Waiting
from graph.brief import BriefingError, make_briefing
from graph.briefing import RunFigures
from graph.cycles import no_search_from_now_on
from graph.git import GitError
from graph.index import IndexFigures
from graph.index import index as build_index
from graph.lookup import FoundCallers, find_callers
from graph.render import to_json, to_markdown, to_text

MAX_SYMBOLS_BYTES: Final = 64 * 1024 * 1024


class _Symbol(msgspec.Struct, frozen=True):
    file: str
    line: int


class _Symbols(msgspec.Struct, frozen=True):
    symbols: tuple[_Symbol, ...]


def brief(options: argparse.Namespace) -> int:
    """`callsheet brief`: the briefing to standard output, what it took to standard error or `--stats`."""
    repository = _repository(options.repo)
    no_search_from_now_on()
    with Waiting("finding callers") as waiting:
        try:
            briefing, figures = make_briefing(
                repository,
                options.base,
                options.head,
                options.merge,
                facts_dir=_facts_dir(options),
                exhaustive=options.exhaustive,
                should_stop=waiting.was_interrupted,
            )
        except BriefingError as error:
            raise CommandFailed(str(error)) from None
    match options.format:
        case "json":
            _print(to_json(briefing))
        case "md":
            _print(to_markdown(briefing))
        case _:
            _print(to_text(briefing))
    _tell(figures, waiting.seconds, options.stats)
    return DONE


def callers(options: argparse.Namespace) -> int:
    """`callsheet callers`: who reaches the definitions at the given lines."""
    places = _places(options)
    repository = _repository(options.repo)
    no_search_from_now_on()
    with Waiting("finding callers") as waiting:
        try:
            found, figures = find_callers(
                repository,
                options.rev,
                places,
                facts_dir=_facts_dir(options),
                exhaustive=options.exhaustive,
                should_stop=waiting.was_interrupted,
            )
        except BriefingError as error:
            raise CommandFailed(str(error)) from None
    _print(_json(found) if options.format == "json" else _callers_text(found))
    _tell(figures, waiting.seconds, options.stats)
    return DONE


def index(options: argparse.Namespace) -> int:
    """`callsheet index`: read every file of a tree into the facts cache, and say what was read."""
    repository = _repository(options.repo)
    no_search_from_now_on()
    with Waiting("reading files") as waiting:
        try:
            figures = build_index(
                repository,
                options.rev,
                jobs=options.jobs,
                facts_dir=_facts_dir(options),
                progress=waiting.reached,
            )
        except GitError as error:
            raise CommandFailed(str(error)) from None
    _print(_json(figures) if options.format == "json" else _index_text(figures))
    return DONE


def _callers_text(found: FoundCallers) -> str:
    lines = []
    for symbol in found.symbols:
        place = f"{_shown(symbol.file)}:{symbol.line}"
        if symbol.name is None:
            lines.append(f"{place}: no definition there")
            continue
        lines.append(
            f"{place} {_shown(symbol.qualified or symbol.name)}: {_count(len(symbol.callers), 'caller')} found"
        )
        for caller in symbol.callers:
            within = f" in {_shown(caller.within)}" if caller.within else ""
            sure = "" if caller.sure else f" ({caller.reason or 'name match only'})"
            lines.append(f"  {_shown(caller.file)}:{caller.line}{within}: {caller.kind}{sure}")
    return "\n".join(lines)


def _index_text(figures: IndexFigures) -> str:
    languages = ", ".join(f"{number} {name}" for name, number in figures.languages.items()) or "none"
    lines = [
        f"{_count(figures.files, 'file')} ({languages}): {figures.parsed} parsed, {figures.from_cache} in the cache, "
        f"{len(figures.not_read)} not read"
    ]
    lines += [f"  {_shown(each.path)}: {each.why}" for each in figures.not_read]
    if figures.cache_problem:
        lines.append(f"The facts cache could not be written: {figures.cache_problem}")
    return "\n".join(lines)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _shown(name: str) -> str:
    """A name from a repository, with nothing in it that could move a terminal's cursor."""
    return "".join(letter if letter.isprintable() else f"\\x{ord(letter):02x}" for letter in name)


def _json(value: msgspec.Struct) -> bytes:
    """Indented JSON. A byte of a file name that is not UTF-8 is written as `\\udcXX`, as in a briefing's JSON."""
    try:
        return msgspec.json.format(msgspec.json.encode(value), indent=1)
    except UnicodeEncodeError:
        text = json.dumps(msgspec.to_builtins(value), ensure_ascii=False, indent=1)
        return text.encode("utf-8", "backslashreplace")


def _repository(path: Path) -> Path:
    if not path.is_dir():
        raise UsageError(f"--repo {path} is no directory: give a git repository's.")
    return path.resolve()


def _facts_dir(options: argparse.Namespace) -> Path | None:
    """Where facts are kept: `--cache`, else below CALLSHEET_CACHE_DIR, else the user's cache directory."""
    if options.no_cache:
        return None
    if options.cache is not None:
        return Path(options.cache).expanduser().resolve()
    ours = os.environ.get("CALLSHEET_CACHE_DIR", "").strip()
    if ours:
        return Path(ours).expanduser() / "facts"
    theirs = os.environ.get("XDG_CACHE_HOME", "")
    # The XDG rules: a relative path there is to be ignored.
    cache = Path(theirs) if theirs and Path(theirs).is_absolute() else Path("~/.cache").expanduser()
    return cache / "callsheet" / "facts"


def _places(options: argparse.Namespace) -> list[tuple[str, int]]:
    if bool(options.places) == bool(options.symbols):
        raise UsageError("give the definitions as FILE:LINE, or as --symbols FILE.json, and not both.")
    if options.symbols:
        return _symbols(options.symbols)
    return [_place(text) for text in options.places]


def _place(text: str) -> tuple[str, int]:
    path, colon, line = text.rpartition(":")
    if not colon or not path or not line.isdecimal() or int(line) < 1:
        raise UsageError(f"{text!r} is not FILE:LINE (a path in the repository and the line of a definition's name).")
    return path, int(line)


def _symbols(name: str) -> list[tuple[str, int]]:
    try:
        raw = sys.stdin.buffer.read(MAX_SYMBOLS_BYTES) if name == "-" else Path(name).read_bytes()
        read = msgspec.json.decode(raw, type=_Symbols)
    except OSError as error:
        raise UsageError(f"--symbols {name} can't be read: {error.strerror}.") from None
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise UsageError(f'--symbols {name} is not {{"symbols": [{{"file", "line"}}]}}: {error}.') from None
    return [(symbol.file, symbol.line) for symbol in read.symbols]


def _print(out: bytes | str) -> None:
    """Write to standard output, bytes as they are; a name's bytes that are no UTF-8 are written as they were."""
    raw = out if isinstance(out, bytes) else out.encode("utf-8", "surrogateescape")
    sys.stdout.buffer.write(raw if raw.endswith(b"\n") else raw + b"\n")
    sys.stdout.buffer.flush()


def _tell(figures: RunFigures, seconds: float, stats: Path | None) -> None:
    """What the run took: JSON into `stats`, else one line on standard error. The graph has no clock: we have."""
    figures = msgspec.structs.replace(figures, seconds=figures.seconds | {"total": round(seconds, 3)})
    if stats is not None:
        try:
            stats.write_bytes(_json(figures) + b"\n")
        except OSError as error:
            raise CommandFailed(f"--stats {stats} can't be written: {error.strerror}.") from None
        return
    print(_line(figures), file=sys.stderr)


def _line(figures: RunFigures) -> str:
    parts = [
        f"{figures.files_in_tree} files in the tree",
        f"{figures.files_searched} searched in {figures.searches} searches",
        f"{figures.files_parsed} parsed",
        f"{figures.facts_from_cache} from the cache",
        f"{figures.seconds['total']:.2f} s",
    ]
    return "callsheet: " + ", ".join(parts)

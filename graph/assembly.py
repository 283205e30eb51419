"""Assemble a briefing from its parts: everything that follows from the callers, and the order of everything."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cache
from typing import Literal

import msgspec

from graph import test_files
from graph.briefing import Briefing, Caller, ChangedFile, MovedFile, NotChecked, Symbol
from graph.eyes import findings
from graph.related import Importers, Neighbours, reached_by_tests, untested


def assemble(
    *,
    head_sha: str,
    base_sha: str | None,
    merge_base: str,
    graph_from: Literal["merge", "head"],
    graph_note: str | None = None,
    incomplete: str | None = None,
    changed: Iterable[ChangedFile],
    moved: Iterable[MovedFile] = (),
    not_checked: Iterable[NotChecked] = (),
    tree: Sequence[str],
    importers: Importers,
    test_importers: Importers | None = None,
    test_globs: Sequence[str] = (),
    declarations: Collection[tuple[str, int]] = (),
) -> Briefing:
    """The finished briefing: callers marked as tests, what needs eyes, related files, tests, untested, all sorted.

    `tree` is every path of the tree in which callers were found. `importers(path, limit)` gives the first `limit`
    imports of a file, as (path, line, sure), in the order of their paths; `test_importers` the same among tests only
    (without it the tests among a file's first importers are taken). Each is asked at most once for a file.
    `declarations`: (path, line) of the changed definitions that run nothing of their own.
    """

    @cache
    def is_test(path: str) -> bool:
        return test_files.is_test(path, test_globs)

    def importing_tests(path: str, limit: int) -> Sequence[tuple[str, int, bool]]:
        if test_importers is not None:
            return test_importers(path, limit)
        return [found for found in importers(path, limit * 10) if is_test(found[0])][:limit]

    files = sorted(
        (_sorted_file(file, is_test) for file in changed),
        key=lambda file: (file.path or file.old_path or "", file.status),
    )
    moves = sorted((_sorted_move(move) for move in moved), key=lambda move: (move.path or move.old_path, move.old_path))
    named = test_files.named_tests([file.path for file in files if file.path is not None], tree, is_test)
    reached = reached_by_tests(files, importing_tests, named, is_test, declarations)
    gaps = untested(reached)
    found = findings(files, moves, gaps)
    named_too = test_files.named_tests({finding.eye.path for finding in found}, tree, is_test)
    neighbours = Neighbours(reached, importers, named_too, is_test)
    tests = {(test.path, test.line or 0, test.symbol, test.why): test for each in reached for test in each.tests}
    return Briefing(
        head_sha=head_sha,
        base_sha=base_sha,
        merge_base=merge_base,
        graph_from=graph_from,
        graph_note=graph_note,
        incomplete=incomplete,
        changed=tuple(files),
        moved=tuple(moves),
        eyes=tuple(msgspec.structs.replace(finding.eye, related=neighbours.beside(finding)) for finding in found),
        tests=tuple(test for _, test in sorted(tests.items())),
        untested=gaps,
        not_checked=tuple(sorted(set(not_checked), key=lambda entry: (entry.path, entry.why))),
    )


def _sorted_file(file: ChangedFile, is_test: Callable[[str], bool]) -> ChangedFile:
    symbols = sorted(
        (_sorted_symbol(symbol, is_test) for symbol in file.symbols),
        key=lambda symbol: (symbol.line, symbol.end_line, symbol.qualified, symbol.change),
    )
    return msgspec.structs.replace(file, symbols=tuple(symbols))


def _sorted_symbol(symbol: Symbol, is_test: Callable[[str], bool]) -> Symbol:
    callers = [
        caller if caller.test == is_test(caller.path) else msgspec.structs.replace(caller, test=is_test(caller.path))
        for caller in symbol.callers
    ]
    callers.sort(key=_place)
    return msgspec.structs.replace(symbol, callers=tuple(callers))


def _place(caller: Caller) -> tuple[str, int, bool, str, bool, str, str]:
    """By path and line; on one line, uses before type references."""
    return (
        caller.path,
        caller.line,
        caller.kind == "type",
        caller.kind,
        not caller.sure,
        caller.via or "",
        caller.within or "",
    )


def _sorted_move(move: MovedFile) -> MovedFile:
    importers = sorted(move.importers, key=lambda importer: (importer.path, importer.line, importer.module))
    return msgspec.structs.replace(move, importers=tuple(importers))

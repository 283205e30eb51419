"""What belongs beside a changed definition or a place: its tests, and the files to look at next.

Tests are files by name (`graph.test_files`). A test reaches a definition by a call, by importing its file, or by its
own name; a changed public definition that none reaches is untested. Beside each place that needs eyes stand up to
`CALLERS` callers, `TESTS` tests and `IMPORTERS` importers, one entry per file and never the place's own file; where the
graph has nothing to say, nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

import msgspec

from graph.briefing import Caller, ChangedFile, MovedFile, NotFollowed, Related, Symbol, Test, Untested
from graph.eyes import CONSTRUCTORS, Finding, is_field

CALLERS, TESTS, IMPORTERS = 4, 2, 2
# How many importers of one file are asked for, and for how many places: each question is a search of the tree.
IMPORTERS_ASKED = 6
TEST_IMPORTERS_ASKED = 4
PLACES_ASKED = 40

Importers = Callable[[str, int], Sequence[tuple[str, int, bool]]]
"""`importers(path, limit)`: up to `limit` imports of the file `path` outside the diff, as (path, line, sure), in the
order of their paths."""

_RUNS = frozenset({"function", "method", "class", "component", "trait"})
"""Kinds of definitions that a test can run; a mere value, type or enumeration has none of its own."""
_UNTESTED_FILES = re.compile(
    r"(?:^|/)migrations/[^/]*\.(?:py|php|[cm]?[jt]s)\Z"  # run once, by a framework
    r"|(?:^|/)(?:settings|config)/[^/]+\Z"
    r"|(?:^|/)(?:settings\w*|conf|config|setup|noxfile|tasks|fabfile|manage|wsgi|asgi)\.py\Z"
    r"|(?:^|/)[^/]*\.(?:config|conf|setup|d)\.[cm]?[jt]sx?\Z"
    r"|(?:^|/)\.[^/]*\Z"
)
"""Files that configure or declare something, and run nothing that anybody would write a test for."""


class Tested(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of the tests of one changed definition: those that reach it, best reason first."""

    file: ChangedFile
    symbol: Symbol
    tests: tuple[Test, ...]
    sure: Mapping[str, bool]  # by the test's path
    runs: bool = True
    """Whether there is anything to run: an abstract method, or one of an interface, only says what others do."""

    @property
    def needs_a_test(self) -> bool:
        """Whether the lack of a test is worth saying: public, still there, code that runs, and run by a call.

        A method that nobody calls by its name is a framework's to call (`resolve_total`, `handle`); its tests go
        through the framework and name it no more than the rest of the code does.
        """
        symbol = self.symbol
        return (
            self.runs
            and symbol.public
            and symbol.change in ("body", "signature")
            and symbol.kind in _RUNS
            and (symbol.kind != "method" or bool(symbol.callers) or symbol.not_followed != NotFollowed())
            and not self.file.generated
            and _UNTESTED_FILES.search(self.file.path or "") is None
        )


def reached_by_tests(
    changed: Sequence[ChangedFile],
    test_importers: Importers,
    named: Mapping[str, Sequence[str]],
    is_test: Callable[[str], bool],
    declarations: Collection[tuple[str, int]] = (),
) -> tuple[Tested, ...]:
    """The tests of every changed definition that is not itself in a test file. `declarations`: (path, line) of those
    that only say what others do.

    `test_importers(path, limit)` gives the tests that import a file; it is asked, once a file, only where calls leave
    the question open. `named` maps a file to the tests that belong to it by name.
    """
    found: list[Tested] = []
    for file in changed:
        path = file.path or file.old_path or ""
        if is_test(path):
            continue
        by_call = [_calls_from_tests(symbol) for symbol in file.symbols]
        importing: Sequence[tuple[str, int, bool]] = ()
        runs = [(path, symbol.line) not in declarations for symbol in file.symbols]
        answers = [
            Tested(file=file, symbol=symbol, tests=(), sure={}, runs=each)
            for symbol, each in zip(file.symbols, runs, strict=True)
        ]
        if any(each.needs_a_test and len(calls) < TESTS for each, calls in zip(answers, by_call, strict=True)):
            importing = test_importers(path, TEST_IMPORTERS_ASKED)
        for symbol, calls, each in zip(file.symbols, by_call, runs, strict=True):
            still_there = symbol.change in ("body", "signature", "moved")
            imports = importing if still_there else ()
            found.append(_tests_of(file, symbol, calls, imports, named.get(path, ()), runs=each))
    return tuple(found)


def _calls_from_tests(symbol: Symbol) -> dict[str, Caller]:
    """The most telling reference in each test: a use before a mere import or type, a sure one first."""
    best: dict[str, Caller] = {}
    for caller in symbol.callers:
        if caller.test and (caller.path not in best or _weight(caller) < _weight(best[caller.path])):
            best[caller.path] = caller
    return best


def _weight(caller: Caller) -> tuple[bool, bool, int]:
    return caller.kind in ("import", "type"), not caller.sure, caller.line


def _tests_of(
    file: ChangedFile,
    symbol: Symbol,
    calls: Mapping[str, Caller],
    importing: Iterable[tuple[str, int, bool]],
    named: Iterable[str],
    *,
    runs: bool,
) -> Tested:
    tests: dict[str, Test] = {}
    sure: dict[str, bool] = {}
    for path, caller in sorted(calls.items(), key=lambda entry: (_weight(entry[1])[:2], entry[0])):
        mere_import = caller.kind in ("import", "type")
        tests[path] = Test(
            path=path, line=caller.line, symbol=symbol.qualified, why="import" if mere_import else "call"
        )
        sure[path] = caller.sure
    for path, line, certain in sorted(importing):
        if path not in tests:
            tests[path] = Test(path=path, line=line, symbol=symbol.qualified, why="import")
            sure[path] = certain
    for path in named if symbol.change != "removed" and not is_field(symbol) else ():
        if path not in tests:
            tests[path] = Test(path=path, line=None, symbol=symbol.qualified, why="name")
            sure[path] = False
    return Tested(file=file, symbol=symbol, tests=tuple(tests.values()), sure=sure, runs=runs)


def untested(found: Iterable[Tested]) -> tuple[Untested, ...]:
    """The changed public definitions that no test reaches, by path and line; a class and its constructor once."""
    lacking = [each for each in found if each.needs_a_test and not each.tests and each.file.path is not None]
    names = {(each.file.path, each.symbol.qualified) for each in lacking}
    gaps = [
        Untested(path=each.file.path or "", line=each.symbol.line, symbol=each.symbol.qualified)
        for each in lacking
        if each.symbol.name not in CONSTRUCTORS
        or (each.file.path, each.symbol.qualified.rpartition(".")[0]) not in names
    ]
    return tuple(sorted(gaps, key=lambda gap: (gap.path, gap.line, gap.symbol)))


class Neighbours:
    """Finds the files to look at beside a place. Built once per briefing: each place is then a few look-ups."""

    def __init__(
        self,
        found: Iterable[Tested],
        importers: Importers,
        named: Mapping[str, Sequence[str]],
        is_test: Callable[[str], bool],
    ) -> None:
        # By identity: hashing a definition would walk all its callers. `found` keeps the definitions alive.
        self._tests = {id(each.symbol): each for each in found}
        self._callers: dict[int, list[Related]] = {}
        self._importers = importers
        self._importers_of: dict[str, Sequence[tuple[str, int, bool]]] = {}
        self._named = named
        self._is_test = is_test

    def beside(self, finding: Finding) -> tuple[Related, ...]:
        """Callers (or, of a moved file, the others that import it), tests, importers; at most one entry per file."""
        here = finding.eye.path
        seen = {here}
        importing = self._importing(here)
        others = self._callers_of(finding.symbol) if finding.symbol is not None else _other_importers(finding.move)
        code = (each for each in importing if not self._is_test(each.path))
        return (
            *_take(CALLERS, others, seen),
            *_take(TESTS, self._tests_of(finding, importing), seen),
            *_take(IMPORTERS, code, seen),
        )

    def _callers_of(self, symbol: Symbol) -> Iterable[Related]:
        if id(symbol) not in self._callers:
            best: dict[str, Caller] = {}
            for caller in symbol.callers:
                if not caller.test and (caller.path not in best or _weight(caller) < _weight(best[caller.path])):
                    best[caller.path] = caller
            ordered = sorted(best.values(), key=lambda caller: (not caller.sure, _weight(caller)[0], caller.path))
            self._callers[id(symbol)] = [
                Related(
                    path=caller.path,
                    line=caller.line,
                    why="importer" if caller.kind == "import" else "caller",
                    sure=caller.sure,
                )
                for caller in ordered
            ]
        return self._callers[id(symbol)]

    def _tests_of(self, finding: Finding, importing: Iterable[Related]) -> Iterator[Related]:
        tested = self._tests.get(id(finding.symbol))
        by_name = []
        if tested is not None:
            for test in tested.tests:
                related = Related(path=test.path, line=test.line or 1, why="test", sure=tested.sure[test.path])
                if test.why == "name":
                    by_name.append(related)
                else:
                    yield related
        for each in importing:
            if self._is_test(each.path):
                yield msgspec.structs.replace(each, why="test")
        yield from by_name
        for path in self._named.get(finding.eye.path, ()):
            yield Related(path=path, line=1, why="test", sure=False)

    def _importing(self, path: str) -> Sequence[Related]:
        if path not in self._importers_of:
            if len(self._importers_of) >= PLACES_ASKED:
                return ()
            self._importers_of[path] = self._importers(path, IMPORTERS_ASKED)
        return [
            Related(path=importer, line=line, why="importer", sure=sure)
            for importer, line, sure in self._importers_of[path]
        ]


def _other_importers(move: MovedFile | None) -> Iterator[Related]:
    for importer in sorted(move.importers if move is not None else (), key=lambda each: (not each.sure, each.path)):
        yield Related(path=importer.path, line=importer.line, why="importer", sure=importer.sure)


def _take(count: int, candidates: Iterable[Related], seen: set[str]) -> list[Related]:
    """The first `count` of `candidates` whose file is not among `seen`, which they then are."""
    taken: list[Related] = []
    for candidate in candidates:
        if len(taken) == count:
            break
        if candidate.path not in seen:
            seen.add(candidate.path)
            taken.append(candidate)
    return taken

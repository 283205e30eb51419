"""A briefing arranged for reading: definitions by importance, their callers by file, and the headline's counts."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Literal

import msgspec

from graph.briefing import Briefing, Caller, ChangedFile, Eye, EyeKind, Symbol
from graph.eyes import breaks, is_broken, is_field, is_misfit, is_override, is_to_check, is_unjudged


class FileGroup(msgspec.Struct, frozen=True, kw_only=True):
    """The places of one definition's callers in one file: those that break first, then uses, then mere type references.

    A place is a line. What uses the definition twice on it is told together, the worst first."""

    path: str
    places: tuple[tuple[Caller, ...], ...]
    breaking: int
    to_check: int


class SymbolView(msgspec.Struct, frozen=True, kw_only=True):
    """A changed definition with its callers grouped by file, the most important file first."""

    file: ChangedFile
    symbol: Symbol
    groups: tuple[FileGroup, ...]
    places: int
    breaking: int  # places, like those below
    to_check: int  # implementations, overrides and subclasses that may have to follow
    worst: int  # 0: uses of what is removed, 1: misfits, 2: only overrides, 3: nothing breaks
    sure: int
    unjudged: int  # uses of a changed signature of which nothing is known

    @property
    def path(self) -> str:
        """Where it is in the head, or was, when its file is deleted."""
        return self.file.path or self.file.old_path or ""


class View(msgspec.Struct, frozen=True, kw_only=True):
    """All definitions: `reached` have callers (those that break them first, generated files last), `silent` none."""

    reached: tuple[SymbolView, ...]
    silent: tuple[SymbolView, ...]
    callers: int  # distinct places
    files: int
    sure: int
    unjudged: int  # places that use a changed signature, and of which nothing is known
    types_unjudged: int  # the same of places that only name a changed type


def arranged(briefing: Briefing) -> View:
    """Arranges a briefing; everything after this only prints."""
    views = [_symbol_view(file, symbol) for file in briefing.changed for symbol in file.symbols]
    reached = sorted((view for view in views if view.groups), key=_importance)
    places: dict[tuple[str, int], bool] = {}
    for view in reached:
        for caller in view.symbol.callers:
            place = (caller.path, caller.line)
            places[place] = places.get(place, False) or caller.sure
    unjudged = [
        ((caller.path, caller.line), caller.kind)
        for view in reached
        for caller in view.symbol.callers
        if is_unjudged(view.symbol, caller)
    ]
    return View(
        reached=tuple(reached),
        silent=tuple(view for view in views if not view.groups and _is_worth_a_word(view.symbol)),
        callers=len(places),
        files=len({path for path, _ in places}),
        sure=sum(places.values()),
        unjudged=len({place for place, kind in unjudged if kind != "type"}),
        types_unjudged=len({place for place, kind in unjudged if kind == "type"}),
    )


def _is_worth_a_word(symbol: Symbol) -> bool:
    """Whether it means something that nobody was found: nobody outside the diff can use what is new, and an edited
    field that nobody reads by name (`class Meta`) is a framework's to read."""
    return symbol.change != "added" and not (is_field(symbol) and symbol.change == "body") and not _is_inner(symbol)


def _is_inner(symbol: Symbol) -> bool:
    """Whether it is a function inside of another, which has the callers."""
    return symbol.kind == "function" and not symbol.public and symbol.qualified != symbol.name


def paths_by_name(briefing: Briefing) -> dict[str, str]:
    """Qualified name -> the changed file that has a definition of that name; empty where several have one."""
    found: dict[str, set[str]] = {}
    for file in briefing.changed:
        for symbol in file.symbols:
            found.setdefault(symbol.qualified, set()).add(file.path or file.old_path or "")
    return {name: next(iter(paths)) if len(paths) == 1 else "" for name, paths in found.items()}


def changed_signatures(view: View) -> list[SymbolView]:
    """The public definitions whose before and after are worth reading: those that break uses first."""
    found = [
        each
        for each in (*view.reached, *view.silent)
        if each.symbol.public
        and (
            each.symbol.change == "signature" or (each.symbol.change == "moved" and each.symbol.compatible is not None)
        )
    ]
    return sorted(found, key=_importance)


def _importance(view: SymbolView) -> tuple[bool, int, bool, str, int, str]:
    symbol = view.symbol
    harmless = symbol.compatible is not False and symbol.change != "removed"
    return view.file.generated, view.worst, harmless, view.path, symbol.line, symbol.qualified


def _symbol_view(file: ChangedFile, symbol: Symbol) -> SymbolView:
    by_path: dict[str, dict[int, list[tuple[int, Caller]]]] = {}
    for caller in symbol.callers:
        by_path.setdefault(caller.path, {}).setdefault(caller.line, []).append((_rank(symbol, caller), caller))
    groups: list[tuple[int, FileGroup]] = []
    for path, by_line in by_path.items():
        # A mere name is not told beside a use on the same line.
        lines = [sorted(each, key=lambda entry: entry[0]) for each in by_line.values()]
        lines.sort(key=lambda each: (each[0][0] > _TO_CHECK, each[0][0] == _TYPE, each[0][1].line))
        ranks = [each[0][0] for each in lines]
        group = FileGroup(
            path=path,
            places=tuple(tuple(caller for _, caller in each) for each in lines),
            breaking=ranks.count(_BREAKS),
            to_check=ranks.count(_TO_CHECK),
        )
        groups.append((min(ranks), group))
    groups.sort(key=lambda entry: (entry[0], entry[1].path))
    places = [place for _, group in groups for place in group.places]
    return SymbolView(
        file=file,
        symbol=symbol,
        groups=tuple(group for _, group in groups),
        places=len(places),
        breaking=sum(group.breaking for _, group in groups),
        to_check=sum(group.to_check for _, group in groups),
        worst=min((_worst(symbol, caller) for caller in symbol.callers), default=3),
        sure=sum(any(caller.sure for caller in place) for place in places),
        unjudged=sum(any(is_unjudged(symbol, caller) for caller in place) for place in places),
    )


def _worst(symbol: Symbol, caller: Caller) -> int:
    if is_broken(symbol, caller):
        return 0
    return 1 if is_misfit(symbol, caller) else 2 if is_override(symbol, caller) else 3


_BREAKS, _TO_CHECK, _TYPE = 0, 1, 5


def _rank(symbol: Symbol, caller: Caller) -> int:
    if breaks(symbol, caller):
        return _BREAKS
    if is_to_check(symbol, caller):
        return _TO_CHECK
    if caller.kind == "type":
        return _TYPE
    if caller.test:
        return 4
    return 2 if caller.sure else 3


Counted = EyeKind | Literal["broken-override"]
"""What is counted: implementations, overrides and subclasses that are to be checked apart from those that break."""


def eye_counts(eyes: Iterable[Eye], broken: Collection[tuple[str, int]] = ()) -> dict[Counted, int]:
    """How many uses (for `wide` and `untested`: definitions) of each kind need eyes. `broken`: `broken_overrides`."""
    counts: dict[Counted, int] = {}
    for eye in eyes:
        uses = 1 if eye.what in ("wide", "untested") else max(1, len(eye.callers))
        breaking = sum((each.path, each.line) in broken for each in eye.callers) if eye.what == "override" else 0
        counts[eye.what] = counts.get(eye.what, 0) + uses - breaking
        counts["broken-override"] = counts.get("broken-override", 0) + breaking
    return {what: count for what, count in counts.items() if count}


def broken_overrides(briefing: Briefing) -> frozenset[tuple[str, int]]:
    """Path and line of each implementation, override or subclass that breaks: there is no need to check."""
    return frozenset(
        (caller.path, caller.line)
        for file in briefing.changed
        for symbol in file.symbols
        for caller in symbol.callers
        if is_override(symbol, caller) and not is_to_check(symbol, caller)
    )

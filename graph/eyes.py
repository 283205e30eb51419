"""What needs a reviewer's eyes: the places a change may break, in the order of what they can break.

1. `broken-call`: a use, outside the diff, of something the change removes;
2. `misfit`: a use that no longer fits a changed signature;
3. `stale-import`: an import of a moved or deleted file by its old path;
4. `override`: an implementation, override or subclass whose parent's signature changed (all subclasses together);
5. `wide`: a change that still fits, surely reached by `MANY_CALLERS`, or by `SEVERAL_CALLERS` from
   `MANY_PACKAGES`;
6. `untested`: a changed public definition for which no test was found.

Uses of one definition in one file that fail in the same way are one place: the first of them, with all in `callers`.
What else breaks on the same line is told with it, and so is of a definition that many reach that no test does: one line
of code is never two places.
Names in texts stand between backticks (`graph.quoting.quoted`), so that a renderer knows which words are data.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from graph.briefing import (
    INHERITED,
    UNKNOWN_BASE,
    Caller,
    CallerKind,
    ChangedFile,
    Eye,
    EyeKind,
    Importer,
    MovedFile,
    Place,
    Symbol,
    Untested,
)
from graph.quoting import counted, listed, quoted, quoted_definition, quoted_misfit

MANY_CALLERS = 10
MANY_PACKAGES = 3
SEVERAL_CALLERS = 6
"""Callers from which on it counts that they are in many packages."""

ORDER: tuple[EyeKind, ...] = ("broken-call", "misfit", "stale-import", "override", "wide", "untested")

_VERBS: dict[CallerKind, tuple[str, str]] = {
    "call": ("still calls", "call"),
    "new": ("still constructs", "construct"),
    "base": ("still extends", "extend"),
    "jsx": ("still renders", "render"),
    "decorator": ("is still decorated with", "be decorated with"),
    "argument": ("still passes", "pass"),
    "value": ("still uses", "use"),
    "type": ("still names the type", "name the type"),
    "import": ("still imports", "import"),
    "config": ("still names", "name"),
    "template": ("still names", "name"),
}
# Of one line: so many things that break are told, and so many names in one of them.
_TEXTS, _NAMES = 3, 5
_TYPE_KINDS = frozenset({"interface", "type", "enum"})
_NO_USE = frozenset({"override", "contract", INHERITED})
CONSTRUCTORS = frozenset({"__init__", "__new__", "constructor", "__construct"})
# Folders in which repositories keep their packages, and which are therefore no package themselves.
_SOURCE_ROOTS = frozenset(
    {"src", "lib", "app", "apps", "pkg", "packages", "internal", "modules", "services", "component", "components"}
)


def is_field(symbol: Symbol) -> bool:
    """Whether the definition is a field of a class or type (`graph.fields`)."""
    return symbol.kind == "variable" and symbol.qualified != symbol.name


def is_broken(symbol: Symbol, caller: Caller) -> bool:
    """Whether `caller` uses what the change removes: not what overrides a method that goes or asks for it, nor what
    reaches the method of a class above now."""
    return symbol.change == "removed" and caller.fits is not True and caller.via not in _NO_USE


def is_override(symbol: Symbol, caller: Caller) -> bool:
    """Whether `caller` is an implementation, override or subclass whose parent changed incompatibly, or asks for what
    an implementation or override no longer is."""
    if caller.fits is True:
        return False
    if caller.via == "contract":
        return True
    if caller.via == "override":
        # What overrides a definition that goes simply no longer overrides anything.
        return symbol.change != "removed" and (symbol.compatible is False or caller.fits is False)
    return caller.kind == "base" and symbol.change != "removed" and (symbol.compatible is False or caller.fits is False)


def is_misfit(symbol: Symbol, caller: Caller) -> bool:
    """Whether `caller` is a use that no longer fits the changed signature."""
    judged = symbol.change != "removed" or caller.via == INHERITED
    return caller.fits is False and judged and not is_override(symbol, caller)


def is_to_check(symbol: Symbol, caller: Caller) -> bool:
    """Whether `caller` is an implementation, override or subclass that may have to follow its parent: nothing tells."""
    return is_override(symbol, caller) and not (caller.sure and caller.fits is False)


def breaks(symbol: Symbol, caller: Caller) -> bool:
    """Whether the change breaks `caller`: it uses what is gone, or no longer fits, or no longer keeps to its parent."""
    if is_override(symbol, caller):
        return not is_to_check(symbol, caller)
    return is_broken(symbol, caller) or is_misfit(symbol, caller)


def needs_eyes(symbol: Symbol, caller: Caller) -> bool:
    """Whether the change breaks `caller`, or may."""
    return breaks(symbol, caller) or is_override(symbol, caller)


def is_unjudged(symbol: Symbol, caller: Caller) -> bool:
    """Whether `caller` surely uses a signature that not every use still fits, and nothing is known of this one. A mere
    type reference (to a changed type) is meant too."""
    return (
        caller.sure
        and symbol.change == "signature"
        and symbol.compatible is not True
        and caller.fits is None
        and caller.kind != "import"
        and (symbol.kind in _TYPE_KINDS or caller.kind != "type")
        and not needs_eyes(symbol, caller)
    )


def package_of(path: str) -> str:
    """The package a file belongs to, for counting: its first two folders that are not mere source roots.

    `src/api/v1/orders.py` -> `api/v1`; `packages/core/src/index.ts` -> `core`; `django/db/models/query.py` ->
    `django/db`.
    """
    folders = [folder for folder in path.split("/")[:-1] if folder.lower() not in _SOURCE_ROOTS]
    return "/".join(folders[:2])


def behaviour_callers(symbol: Symbol) -> tuple[Caller, ...]:
    """The callers whose behaviour a change of `symbol` may alter: no tests, no import lines, no mere type references.

    Empty for what is added or moved without an edit, and those that the change breaks are not among them, nor are
    subclasses that it does not concern. Of what is removed they are those that reach what a class above has now.
    """
    if symbol.change in ("added", "moved"):
        return ()
    types_count = symbol.kind in _TYPE_KINDS
    return tuple(
        caller
        for caller in symbol.callers
        if not caller.test
        and (symbol.change != "removed" or caller.via == INHERITED)
        and caller.kind != "import"
        and (types_count or caller.kind != "type")
        and not (caller.kind == "base" and caller.fits is True)
        and not needs_eyes(symbol, caller)
    )


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """An eye, and what it is about: the changed definition and its file, or the moved file."""

    eye: Eye
    file: ChangedFile | None = None
    symbol: Symbol | None = None
    move: MovedFile | None = None
    unsure: bool = False
    test: bool = False

    def rank(self) -> tuple[int, bool, bool, bool, str, int, str, str]:
        """By what it can break; then hand-written before generated, sure before not, code before tests; then place."""
        eye = self.eye
        generated = self.file is not None and self.file.generated
        kind = ORDER.index(eye.what)
        return kind, generated, self.unsure, self.test, eye.path, eye.line, eye.symbol or "", eye.text


def eyes(
    changed: Sequence[ChangedFile], moved: Sequence[MovedFile], untested: Sequence[Untested] = ()
) -> tuple[Eye, ...]:
    """The places that need eyes, in order, without their related files (`graph.related` adds them)."""
    return tuple(finding.eye for finding in findings(changed, moved, untested))


def findings(
    changed: Sequence[ChangedFile], moved: Sequence[MovedFile], untested: Sequence[Untested] = ()
) -> tuple[Finding, ...]:
    """The places that need eyes, in order, each with the definition or the move that it is about."""
    used = _uses(changed, moved)
    found = _use_eyes(used)
    gaps = {(gap.path, gap.line, gap.symbol) for gap in untested}
    for file in changed:
        for symbol in file.symbols:
            if not _is_told_of_its_class(symbol, file.symbols):
                lacks_test = (file.path, symbol.line, symbol.qualified) in gaps and symbol.change != "removed"
                found += _definition_eye(file, symbol, lacks_test)
    for move in moved:
        found += _import_eyes(move, used)
    return tuple(sorted(found, key=Finding.rank))


def _is_told_of_its_class(symbol: Symbol, symbols: Sequence[Symbol]) -> bool:
    """Whether all who reach a constructor are told of with its class, which changed too: they construct it."""
    if symbol.name not in CONSTRUCTORS:
        return False
    owner = symbol.qualified.rpartition(".")[0]
    places = {(caller.path, caller.line) for caller in symbol.callers}
    return any(
        each.qualified == owner
        and each.change in ("body", "signature")
        and places <= {(caller.path, caller.line) for caller in each.callers}
        for each in symbols
    )


class _Use(msgspec.Struct, frozen=True, kw_only=True):
    """A use that a change breaks."""

    what: EyeKind
    file: ChangedFile
    symbol: Symbol
    caller: Caller

    @property
    def how(self) -> tuple[EyeKind, int, str]:
        """The same for uses of one definition that break in the same way."""
        return self.what, id(self.symbol), self.caller.misfit or ""

    @property
    def is_of_subclass(self) -> bool:
        """Whether it is a subclass of what changed: what there is to check is the same for all of them."""
        caller = self.caller
        return self.what == "override" and (caller.kind, caller.via, caller.fits) == ("base", None, None)

    def weight(self) -> tuple[bool, bool, int, bool]:
        """Which of several breaks on one line speaks for it: a sure one, of written code, the worst."""
        caller = self.caller
        return not caller.sure, self.file.generated, ORDER.index(self.what), caller.kind == "type"

    def goes_with(self, other: _Use) -> bool:
        """Whether it need not be told beside the other: that is a use of the class which this is a member of."""
        same = self.file is other.file and (self.what, self.caller.misfit) == (other.what, other.caller.misfit)
        member = self.symbol.qualified.startswith(f"{other.symbol.qualified}.")
        return same and member and (other.caller.sure or not self.caller.sure)


_Places = dict[tuple[str, int], list[_Use]]


def _uses(changed: Sequence[ChangedFile], moved: Sequence[MovedFile]) -> _Places:
    """What breaks on each line of each file, the gravest first."""
    old_imports = {(importer.path, move.old_path) for move in moved for importer in move.importers}
    old_lines = {(importer.path, importer.line) for move in moved for importer in move.importers if importer.sure}
    found: _Places = {}
    for file in changed:
        gone = file.old_path if file.old_path != file.path else None
        for symbol in file.symbols:
            broken = [(what, caller) for caller in symbol.callers if (what := _breaks_as(symbol, caller)) is not None]
            used = {(what, caller.path) for what, caller in broken if caller.kind != "import"}
            for what, caller in broken:
                # The import line of a file that uses it too goes without saying, and so does the name in an import of
                # a file that is gone: that is told as an import of an old path.
                if caller.kind == "import" and ((what, caller.path) in used or (caller.path, gone) in old_imports):
                    continue
                if not caller.sure and (caller.path, caller.line) in old_lines:
                    continue
                use = _Use(what=what, file=file, symbol=symbol, caller=caller)
                found.setdefault((caller.path, caller.line), []).append(use)
    return {place: _told(uses) for place, uses in found.items()}


def _breaks_as(symbol: Symbol, caller: Caller) -> EyeKind | None:
    if is_broken(symbol, caller):
        return "broken-call"
    if is_misfit(symbol, caller):
        return "misfit"
    return "override" if is_override(symbol, caller) else None


def _told(uses: Sequence[_Use]) -> list[_Use]:
    """Of what breaks on one line, what is worth telling: each definition once, and no member beside its class."""
    found: dict[tuple[EyeKind, int, str], _Use] = {}
    for use in sorted(uses, key=_Use.weight):
        found.setdefault(use.how, use)
    return [use for use in found.values() if not any(use.goes_with(other) for other in found.values())]


def _use_eyes(used: _Places) -> list[Finding]:
    """One eye for each line, one for the lines of a file on which the same breaks in the same way, and one for all
    subclasses that there is the same to say of."""
    groups: dict[tuple[str, tuple[tuple[EyeKind, int, str], ...], int], list[list[_Use]]] = {}
    for (path, line), uses in used.items():
        # Each override is a definition of its own: two in one file are two places.
        alike = all(use.is_of_subclass for use in uses)
        apart = line if uses[0].what == "override" and not alike else 0
        groups.setdefault(("" if alike else path, tuple(use.how for use in uses), apart), []).append(uses)
    found = []
    for places in groups.values():
        first = min((uses[0] for uses in places), key=_speaks_first)
        path = first.caller.path
        where = sorted((uses[0].caller.path, uses[0].caller.line) for uses in places)
        lines = [line for _, line in where]
        everything = [use for uses in places for use in uses]
        eye = Eye(
            path=path,
            line=first.caller.line,
            what=first.what,
            text=_use_text(next(uses for uses in places if uses[0] is first), lines),
            symbol=first.symbol.qualified,
            callers=tuple(Place(path=each, line=line) for each, line in where),
        )
        unsure = not any(use.caller.sure for use in everything)
        found.append(Finding(eye=eye, file=first.file, symbol=first.symbol, unsure=unsure, test=first.caller.test))
    return found


def _speaks_first(use: _Use) -> tuple[bool, bool, bool, str, int]:
    """Which of several places that break alike stands for them; only those of subclasses are in several files."""
    caller = use.caller
    unlikely = (not caller.sure, caller.test) if use.is_of_subclass else (False, False)
    return (*unlikely, caller.kind == "type", caller.path, caller.line)


def _use_text(uses: Sequence[_Use], lines: Sequence[int]) -> str:
    """Everything that breaks on the lines; what is removed in the same way by one verb."""
    told: dict[tuple[object, ...], list[_Use]] = {}
    for use in uses:
        alike = (use.what, use.caller.sure, _gone(use.symbol)) if use.what == "broken-call" else (use.how,)
        told.setdefault(alike, []).append(use)
    texts = [_caller_text(group, lines) for group in told.values()]
    more = f"; and {len(texts) - _TEXTS:,} more" if len(texts) > _TEXTS else ""
    return "; ".join(texts[:_TEXTS]) + more


def _caller_text(uses: Sequence[_Use], lines: Sequence[int]) -> str:
    """How the uses on one line break, or on several alike: of one definition, or of several that are removed."""
    symbol, caller, what = uses[0].symbol, uses[0].caller, uses[0].what
    names = [quoted_definition(use.symbol.qualified, use.file.path or use.file.old_path or "") for use in uses]
    if len(names) > _NAMES:
        names = [*names[: _NAMES - 1], f"{len(names) - _NAMES + 1:,} more"]
    name = listed(names)
    where = quoted_definition(caller.within, caller.path) if caller.within else "this file"
    doubt = "" if caller.sure else f" ({UNKNOWN_BASE if caller.reason == UNKNOWN_BASE else 'name match only'})"
    if caller.via == "contract":
        asks = "asks" if caller.sure else "may ask"
        change = _gone(symbol) if symbol.change == "removed" else "whose signature changed"
        misfit = quoted_misfit(caller.misfit or "")
        if caller.within is None:
            return f"{misfit}, as this line says that it does: {name} is what it needs for that, {change}"
        return f"{where} {asks} for {name}{doubt if caller.reason == UNKNOWN_BASE else ''}, {change}: {misfit}"
    if what == "override":
        verb = "overrides or implements" if caller.via == "override" else "extends"
        how = f": {quoted_misfit(caller.misfit)}" if caller.misfit else ""
        if symbol.change == "added":
            return f"{where} must have {name}{doubt}, which this change adds{how}"
        if len(lines) > 1 and uses[0].is_of_subclass:  # of what else overrides something, each has a line of its own
            where, verb = f"{where} and {len(lines) - 1:,} more", "extend"
        return f"{where} {verb} {name}{doubt}, whose signature changed{how}"
    if what == "broken-call":
        if len(lines) > 1:
            verb = "still use" if caller.sure else "may still use"
            return f"{len(lines):,} places here ({_lines(lines)}) {verb} {name}{doubt}, {_gone(symbol)}"
        still, plain = _VERBS[caller.kind if len({use.caller.kind for use in uses}) == 1 else "value"]
        return f"{where} {still if caller.sure else 'may still ' + plain} {name}{doubt}, {_gone(symbol)}"
    how = quoted_misfit(caller.misfit) if caller.misfit else "its signature changed"
    no_longer = "no longer" if caller.sure else "may no longer"
    if len(lines) > 1:
        what_fits = "literals" if caller.via == "literal" else "uses"
        return f"{len(lines):,} {what_fits} of {name} here ({_lines(lines)}) {no_longer} fit{doubt}: {how}"
    use = {"call": "the call of", "new": "the construction of"}.get(caller.kind, "the use of")
    if symbol.kind in _TYPE_KINDS and caller.kind in ("call", "new", "jsx"):
        use = "what is passed as"  # to something that asks for the type
    if caller.via == "literal":
        use = "the literal of"
    fit = "fits" if caller.sure else "fit"
    return f"{use} {name} in {where} {no_longer} {fit}{doubt}: {how}"


def _gone(symbol: Symbol) -> str:
    if symbol.renamed_to is not None:
        return f"which this change renames to {quoted(symbol.renamed_to)}"
    return "which this change removes"


def _lines(lines: Sequence[int]) -> str:
    shown = [str(line) for line in lines[:5]]
    return f"lines {listed(shown)}" if len(lines) <= 5 else f"lines {', '.join(shown)} and {len(lines) - 5:,} more"


def _definition_eye(file: ChangedFile, symbol: Symbol, lacks_test: bool) -> list[Finding]:
    """What there is to say of a definition itself: that many reach it, that no test does, or both."""
    wide = _wide_text(file, symbol)
    name = "it" if wide else quoted_definition(symbol.qualified, file.path or file.old_path or "")
    gap = f"no test found that calls or imports {name}, or is named after its file" if lacks_test else ""
    if not (wide or gap):
        return []
    callers = _wide_callers(symbol) if wide else ()
    path, line = file.path or file.old_path or "", symbol.line
    if symbol.change == "removed":  # which has no line of its own any more
        path, line = callers[0].path, callers[0].line
    eye = Eye(
        path=path,
        line=line,
        what="wide" if wide else "untested",
        text="; ".join(text for text in (wide, gap) if text),
        symbol=symbol.qualified,
        callers=tuple(Place(path=caller.path, line=caller.line) for caller in callers),
    )
    return [Finding(eye=eye, file=file, symbol=symbol)]


def _wide_callers(symbol: Symbol) -> tuple[Caller, ...]:
    # Only callers that are sure: a common method name alone would put half of the diff before a reviewer's eyes. Two on
    # a line are one place.
    places = {(caller.path, caller.line): caller for caller in reversed(behaviour_callers(symbol)) if caller.sure}
    return tuple(reversed(places.values()))


def _wide_text(file: ChangedFile, symbol: Symbol) -> str:
    """That many reach a definition; empty when they don't."""
    callers = _wide_callers(symbol)
    packages = {package_of(caller.path) for caller in callers}
    spread_out = len(callers) >= SEVERAL_CALLERS and len(packages) >= MANY_PACKAGES
    beside = all(caller.path == file.path for caller in callers)  # whoever edits it has them before their eyes
    if (len(callers) < MANY_CALLERS and not spread_out) or beside or _is_version(symbol):
        return ""
    runs = symbol.kind in ("function", "method", "component")
    what = {
        "body": "the behaviour of {} changed" if runs else "{} changed",
        "signature": "the signature of {} changed, and existing calls still fit"
        if symbol.compatible
        else "the signature of {} changed",
        "removed": "{} is removed",
    }[symbol.change].format(quoted_definition(symbol.qualified, file.path or file.old_path or ""))
    reach = f"{counted(len(callers), 'caller')} in {counted(len({caller.path for caller in callers}), 'file')}"
    spread = f" of {counted(len(packages), 'folder')}" if len(packages) > 1 else ""
    it = "it" if symbol.change != "removed" else "the one of a class above now"
    return f"{what}; {reach}{spread} outside the diff reach {it}"


def _is_version(symbol: Symbol) -> bool:
    """Whether it is the version that every release changes."""
    return symbol.kind in ("constant", "variable") and symbol.name.strip("_").lower() == "version"


def _import_eyes(move: MovedFile, used: _Places) -> list[Finding]:
    gone = f"deletes {quoted(move.old_path)}"
    if move.path is not None:
        gone = f"moves {quoted(move.old_path)} to {quoted(move.path)}"
    groups: dict[str, list[Importer]] = {}
    for importer in move.importers:
        if (importer.path, importer.line) not in used:  # else something breaks there, and that is told already
            groups.setdefault(importer.path, []).append(importer)
    found = []
    for path, importers in groups.items():
        first = min(importers, key=lambda importer: (not importer.sure, importer.line))
        verb, doubt = ("still imports", "") if first.sure else ("may still import", " (name match only)")
        eye = Eye(
            path=path,
            line=first.line,
            what="stale-import",
            text=f"this file {verb} {quoted(first.module)}{doubt}, but this change {gone}",
            symbol=None,
            callers=tuple(Place(path=path, line=line) for line in sorted({each.line for each in importers})),
        )
        found.append(Finding(eye=eye, move=move, unsure=not first.sure))
    return found

"""What needs a reviewer's eyes: the places a change may break, in the order of what they can break.

1. `broken-call`: a use, outside the diff, of something the change removes;
2. `misfit`: a use that no longer fits a changed signature;
3. `stale-import`: an import of a moved or deleted file by its old path;
4. `override`: an implementation, override or subclass whose parent's signature changed;
5. `wide`: a change that still fits, surely reached by `MANY_CALLERS` or from `MANY_PACKAGES`;
6. `untested`: a changed public definition for which no test was found.

Uses of one definition in one file that fail in the same way are one place: the first of them, with all in `callers`.
Names in texts stand between backticks (`graph.quoting.quoted`), so that a renderer knows which words are data.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from graph.briefing import Caller, CallerKind, ChangedFile, Eye, EyeKind, Importer, MovedFile, Place, Symbol, Untested
from graph.quoting import counted, listed, quoted

MANY_CALLERS = 10
MANY_PACKAGES = 3

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
_TYPE_KINDS = frozenset({"interface", "type", "enum"})
CONSTRUCTORS = frozenset({"__init__", "__new__", "constructor", "__construct"})
# Folders in which repositories keep their packages, and which are therefore no package themselves.
_SOURCE_ROOTS = frozenset(
    {"src", "lib", "app", "apps", "pkg", "packages", "internal", "modules", "services", "component", "components"}
)


def is_field(symbol: Symbol) -> bool:
    """Whether the definition is a field of a class or type (`graph.fields`)."""
    return symbol.kind == "variable" and symbol.qualified != symbol.name


def is_broken(symbol: Symbol, caller: Caller) -> bool:
    """Whether `caller` uses what the change removes (an override of a removed method does not call it)."""
    return symbol.change == "removed" and caller.fits is not True and caller.via != "override"


def is_override(symbol: Symbol, caller: Caller) -> bool:
    """Whether `caller` is an implementation, override or subclass whose parent changed incompatibly."""
    if caller.fits is True:
        return False
    if caller.via == "override":
        # What overrides a definition that goes simply no longer overrides anything.
        return symbol.change != "removed" and (symbol.compatible is False or caller.fits is False)
    return caller.kind == "base" and symbol.change != "removed" and (symbol.compatible is False or caller.fits is False)


def is_misfit(symbol: Symbol, caller: Caller) -> bool:
    """Whether `caller` is a use that no longer fits the changed signature."""
    return caller.fits is False and symbol.change != "removed" and not is_override(symbol, caller)


def breaks(symbol: Symbol, caller: Caller) -> bool:
    """Whether the change breaks `caller`: it uses what is gone, or no longer fits, or its parent changed."""
    return is_broken(symbol, caller) or is_misfit(symbol, caller) or is_override(symbol, caller)


def is_unjudged(symbol: Symbol, caller: Caller) -> bool:
    """Whether `caller` uses a signature that not every use still fits, and nothing is known of this one. A mere type
    reference (to a changed type) is meant too."""
    return (
        symbol.change == "signature"
        and symbol.compatible is not True
        and caller.fits is None
        and caller.kind != "import"
        and (symbol.kind in _TYPE_KINDS or caller.kind != "type")
        and not breaks(symbol, caller)
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

    Empty for what is added, removed or moved without an edit, and those that the change breaks are not among them.
    """
    if symbol.change in ("added", "removed", "moved"):
        return ()
    types_count = symbol.kind in _TYPE_KINDS
    return tuple(
        caller
        for caller in symbol.callers
        if not caller.test
        and caller.kind != "import"
        and (types_count or caller.kind != "type")
        and not breaks(symbol, caller)
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
    found: list[Finding] = []
    gaps = {(gap.path, gap.line, gap.symbol) for gap in untested}
    for file in changed:
        for symbol in file.symbols:
            found += _caller_eyes(file, symbol)
            if _is_told_of_its_class(symbol, file.symbols):
                continue
            found += _wide_eye(file, symbol)
            if (file.path, symbol.line, symbol.qualified) in gaps and symbol.change != "removed":
                found.append(_untested_eye(file, symbol))
    for move in moved:
        found += _import_eyes(move)
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


def _untested_eye(file: ChangedFile, symbol: Symbol) -> Finding:
    text = f"no test found that calls or imports {quoted(symbol.qualified)}, or is named after its file"
    eye = Eye(path=file.path or "", line=symbol.line, what="untested", text=text, symbol=symbol.qualified)
    return Finding(eye=eye, file=file, symbol=symbol)


def _caller_eyes(file: ChangedFile, symbol: Symbol) -> list[Finding]:
    groups: dict[tuple[EyeKind, str, str], list[Caller]] = {}
    for caller in symbol.callers:
        if is_broken(symbol, caller):
            groups.setdefault(("broken-call", caller.path, ""), []).append(caller)
        elif is_misfit(symbol, caller):
            groups.setdefault(("misfit", caller.path, caller.misfit or ""), []).append(caller)
        elif is_override(symbol, caller):
            # Each override is a definition of its own: two in one file are two places.
            groups.setdefault(("override", caller.path, f"{caller.line} {caller.within}"), []).append(caller)
    found = []
    for (what, path, _), group in groups.items():
        # The import line of a file that uses it too goes without saying; a use tells more than a type reference.
        callers = [caller for caller in group if caller.kind != "import"] or group
        first = min(callers, key=lambda caller: (caller.kind == "type", caller.line))
        places = sorted({caller.line for caller in callers})
        eye = Eye(
            path=path,
            line=first.line,
            what=what,
            text=_caller_text(what, symbol, first, places),
            symbol=symbol.qualified,
            callers=tuple(Place(path=path, line=line) for line in places),
        )
        unsure = not any(caller.sure for caller in callers)
        found.append(Finding(eye=eye, file=file, symbol=symbol, unsure=unsure, test=first.test))
    return found


def _caller_text(what: EyeKind, symbol: Symbol, caller: Caller, lines: Sequence[int]) -> str:
    name = quoted(symbol.qualified)
    where = quoted(caller.within) if caller.within else "this file"
    doubt = "" if caller.sure else " (name match only)"
    if what == "override":
        changed = _gone(symbol) if symbol.change == "removed" else "whose signature changed"
        verb = "overrides or implements" if caller.via == "override" else "extends"
        how = f": {caller.misfit}" if caller.misfit else ""
        return f"{where} {verb} {name}{doubt}, {changed}{how}"
    if what == "broken-call":
        if len(lines) > 1:
            verb = "still use" if caller.sure else "may still use"
            return f"{len(lines):,} places here ({_lines(lines)}) {verb} {name}{doubt}, {_gone(symbol)}"
        still, plain = _VERBS[caller.kind]
        return f"{where} {still if caller.sure else 'may still ' + plain} {name}{doubt}, {_gone(symbol)}"
    how = caller.misfit or "its signature changed"
    no_longer = "no longer" if caller.sure else "may no longer"
    if len(lines) > 1:
        fit = "fit"
        return f"{len(lines):,} uses of {name} here ({_lines(lines)}) {no_longer} {fit}{doubt}: {how}"
    use = {"call": "the call of", "new": "the construction of"}.get(caller.kind, "the use of")
    fit = "fits" if caller.sure else "fit"
    return f"{use} {name} in {where} {no_longer} {fit}{doubt}: {how}"


def _gone(symbol: Symbol) -> str:
    if symbol.renamed_to is not None:
        return f"which this change renames to {quoted(symbol.renamed_to)}"
    return "which this change removes"


def _lines(lines: Sequence[int]) -> str:
    shown = [str(line) for line in lines[:5]]
    return f"lines {listed(shown)}" if len(lines) <= 5 else f"lines {', '.join(shown)} and {len(lines) - 5:,} more"


def _wide_eye(file: ChangedFile, symbol: Symbol) -> list[Finding]:
    # Only callers that are sure: a common method name alone would put half of the diff before a reviewer's eyes.
    callers = tuple(caller for caller in behaviour_callers(symbol) if caller.sure)
    packages = {package_of(caller.path) for caller in callers}
    if len(callers) < MANY_CALLERS and len(packages) < MANY_PACKAGES:
        return []
    runs = symbol.kind in ("function", "method", "component")
    what = {
        "body": "the behaviour of {} changed" if runs else "{} changed",
        "signature": "the signature of {} changed, and existing calls still fit"
        if symbol.compatible
        else "the signature of {} changed",
    }[symbol.change].format(quoted(symbol.qualified))
    reach = f"{counted(len(callers), 'caller')} in {counted(len({caller.path for caller in callers}), 'file')}"
    spread = f" of {counted(len(packages), 'package')}" if len(packages) > 1 else ""
    eye = Eye(
        path=file.path or file.old_path or "",
        line=symbol.line,
        what="wide",
        text=f"{what}; {reach}{spread} outside the diff reach it",
        symbol=symbol.qualified,
        callers=tuple(Place(path=caller.path, line=caller.line) for caller in callers),
    )
    return [Finding(eye=eye, file=file, symbol=symbol)]


def _import_eyes(move: MovedFile) -> list[Finding]:
    gone = f"deletes {quoted(move.old_path)}"
    if move.path is not None:
        gone = f"moves {quoted(move.old_path)} to {quoted(move.path)}"
    groups: dict[str, list[Importer]] = {}
    for importer in move.importers:
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

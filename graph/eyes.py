"""What needs a reviewer's eyes: the places a change may break, in the order of what they can break.

1. `broken-call`: a use, outside the diff, of something the change removes;
2. `misfit`: a use that no longer fits a changed signature;
3. `stale-import`: an import of a moved or deleted file by its old path;
4. `override`: an implementation, override or subclass whose parent's signature changed;
5. `wide`: a change that still fits, reached by `MANY_CALLERS` or from `MANY_PACKAGES`;
6. `untested`: a changed public definition for which no test was found.

Uses of one definition in one file that fail in the same way are one place: the first of them, with all in `callers`.
Names in texts stand between backticks (`graph.quoting.quoted`), so that a renderer knows which words are data.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from graph.briefing import Caller, CallerKind, ChangedFile, Eye, EyeKind, MovedFile, Place, Symbol, Untested
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
# Folders in which repositories keep their packages, and which are therefore no package themselves.
_SOURCE_ROOTS = frozenset(
    {"src", "lib", "app", "apps", "pkg", "packages", "internal", "modules", "services", "component", "components"}
)


def is_broken(symbol: Symbol, caller: Caller) -> bool:
    """Whether `caller` uses what the change removes (an override of a removed method does not call it)."""
    return symbol.change == "removed" and caller.fits is not True and caller.via != "override"


def is_override(symbol: Symbol, caller: Caller) -> bool:
    """Whether `caller` is an implementation, override or subclass whose parent changed incompatibly."""
    if caller.via == "override":
        return symbol.change == "removed" or symbol.compatible is False or caller.fits is False
    return caller.kind == "base" and symbol.change != "removed" and (symbol.compatible is False or caller.fits is False)


def is_misfit(symbol: Symbol, caller: Caller) -> bool:
    """Whether `caller` is a use that no longer fits the changed signature."""
    return caller.fits is False and symbol.change != "removed" and not is_override(symbol, caller)


def breaks(symbol: Symbol, caller: Caller) -> bool:
    """Whether the change breaks `caller`: it uses what is gone, or no longer fits, or its parent changed."""
    return is_broken(symbol, caller) or is_misfit(symbol, caller) or is_override(symbol, caller)


def package_of(path: str) -> str:
    """The package a file belongs to, for counting: its first two folders that are not mere source roots.

    `src/api/v1/orders.py` -> `api/v1`; `packages/core/src/index.ts` -> `core`; `django/db/models/query.py` ->
    `django/db`.
    """
    folders = [folder for folder in path.split("/")[:-1] if folder.lower() not in _SOURCE_ROOTS]
    return "/".join(folders[:2])


def behaviour_callers(symbol: Symbol) -> tuple[Caller, ...]:
    """The callers whose behaviour a change of `symbol` may alter: no tests, no import lines, no mere type references.

    Empty for what is added or removed, and those that the change breaks are not among them.
    """
    if symbol.change in ("added", "removed"):
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


def eyes(
    changed: Sequence[ChangedFile], moved: Sequence[MovedFile], untested: Sequence[Untested] = ()
) -> tuple[Eye, ...]:
    """The places that need eyes, without their related files (`graph.related` adds them).

    Within one kind: what is certain before what is not, code before tests, hand-written before generated files; then
    by path and line.
    """
    found: list[tuple[tuple[int, bool, bool, bool, str, int], Eye]] = []

    def add(eye: Eye, *, unsure: bool = False, test: bool = False, generated: bool = False) -> None:
        found.append(((ORDER.index(eye.what), generated, unsure, test, eye.path, eye.line), eye))

    for file in changed:
        for symbol in file.symbols:
            for path_callers, eye in _caller_eyes(symbol):
                add(
                    eye,
                    unsure=not any(caller.sure for caller in path_callers),
                    test=path_callers[0].test,
                    generated=file.generated,
                )
            if (wide := _wide_eye(file, symbol)) is not None:
                add(wide, generated=file.generated)
    for move in moved:
        for group in _by_path(move.importers):
            line = group[0].line
            text = f"still imports {quoted(group[0].module)}; {_what_moved(move)}"
            eye = Eye(
                path=group[0].path,
                line=line,
                what="stale-import",
                text=text if group[0].sure else f"{text} (by name only)",
                symbol=None,
                callers=tuple(Place(path=importer.path, line=importer.line) for importer in group),
            )
            add(eye, unsure=not any(importer.sure for importer in group))
    for gap in untested:
        text = f"no test found that calls or imports {quoted(gap.symbol)} or is named after its file"
        add(Eye(path=gap.path, line=gap.line, what="untested", text=text, symbol=gap.symbol))
    found.sort(key=lambda entry: (entry[0], entry[1].symbol or "", entry[1].text))
    return tuple(eye for _, eye in found)


def _what_moved(move: MovedFile) -> str:
    if move.path is None:
        return f"this change deletes {quoted(move.old_path)}"
    return f"this change moves {quoted(move.old_path)} to {quoted(move.path)}"


def _by_path[Located: (Caller, object)](places: Iterable[Located]) -> list[list[Located]]:
    raise NotImplementedError


def _caller_eyes(symbol: Symbol) -> list[tuple[list[Caller], Eye]]:
    raise NotImplementedError

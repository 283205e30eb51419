"""What a call of a method that a change takes from a class reaches now: the one of a class above."""

from __future__ import annotations

import msgspec

from graph.briefing import INHERITED, Caller
from graph.callers import Site
from graph.changes import ChangedDefinition
from graph.diff import DiffLines
from graph.facts import Definition
from graph.hierarchy import CLASS_KINDS
from graph.languages.base import Language, Syntax
from graph.types import Symbol
from graph.world import World

Standing = tuple[str, Language, Syntax, int]
"""A file, its language and syntax, and an offset in it."""


def standing(site: Site, before: World, after: World, lines: DiffLines) -> Standing | None:
    """Where a place of the tree before the change is after it; None where the diff removes it, or nobody can tell."""
    now = lines.moved_on(site.path, site.line)
    parsed = after.inference.syntax(now[0]) if now is not None else None
    if now is None or parsed is None:
        return None
    source = before.snapshot.read(site.path)
    column = site.at - (source.rfind(b"\n", 0, site.at) + 1)
    language, syntax = parsed
    return now[0], language, syntax, _start_of_line(syntax.source, now[1]) + column


class Instead(msgspec.Struct, frozen=True):
    """What is reached instead of a removed method: `changed`, as if that had become what its class inherits, and the
    place in the tree after the change that reaches it."""

    changed: ChangedDefinition
    site: Site

    def caller(self, fit: bool | None, misfit: str | None) -> Caller:
        """The place as a caller of what is removed, with whether and how it fits what it reaches now."""
        return Caller(
            path=self.site.path,
            line=self.site.line,
            kind=self.site.kind,
            sure=True,
            reason=f"reaches {self.changed.definition.qualified} now",
            via=INHERITED,
            within=self.site.within,
            fits=False if fit is False else None,
            misfit=misfit if fit is False else None,
        )


def inherited(site: Site, changed: ChangedDefinition, before: World, after: World, lines: DiffLines) -> Instead | None:
    """The method that a place reaches by inheritance, unchanged, which surely reached a removed method before; None
    where it reaches something else, or what the change added."""
    definition = changed.definition
    if definition.kind != "method" or changed.path is None or not site.sure or site.stands_for is not None:
        return None
    was, now = _reached(before, site.path, site.at), standing(site, before, after, lines)
    if was is None or (was[0], was[1].qualified) != (changed.old_path, definition.qualified) or now is None:
        return None
    found = _reached(after, now[0], now[3])
    if found is None:
        return None
    path, method = found
    if "private" in method.modifiers or after.program.facts(path).only_declares(method):
        return None  # which is nothing to reach
    old_path = lines.path_before(path)
    if old_path is None or all(
        each.qualified != method.qualified for each in before.program.facts(old_path).definitions
    ):
        return None
    above = {
        (each.path, each.index)
        for owner in owners(after, changed.path, definition)
        for each in after.inference.hierarchy.lineage(*owner).ancestors[1:]
    }
    if not any(owner in above for owner in owners(after, path, method)):
        return None
    same = tuple(each for each in after.program.facts(path).definitions if each.qualified == method.qualified)
    became = msgspec.structs.replace(changed, after=method, afters=same, path=path, change="signature")
    moved = now[3] - site.at
    call_at = site.call_at + moved if site.call_at >= 0 else -1
    line = now[2].source.count(b"\n", 0, now[3]) + 1
    return Instead(became, msgspec.structs.replace(site, path=now[0], at=now[3], line=line, call_at=call_at))


def owners(world: World, path: str, method: Definition) -> list[tuple[str, int]]:
    """The classes or types that a method of the file at `path` belongs to, or belonged to, by their name."""
    if method.owner is not None:
        return list(world.inference.hierarchy.named(path, method.owner))
    name = method.qualified.rpartition(".")[0]
    own = enumerate(world.program.facts(path).definitions)
    return [(path, index) for index, each in own if each.qualified == name and each.kind in CLASS_KINDS]


def _reached(world: World, path: str, at: int) -> tuple[str, Definition] | None:
    """The one method that the name at a place means there, and its file."""
    parsed = world.inference.syntax(path)
    reference = parsed[0].reference(parsed[1], at) if parsed is not None else None
    if reference is None or reference.kind == "import":
        return None
    found = world.inference.denote(path, reference.target)
    if len(found) != 1 or not isinstance(found[0], Symbol) or found[0].path not in world.snapshot:
        return None
    definition = world.program.facts(found[0].path).definitions[found[0].index]
    return (found[0].path, definition) if definition.kind == "method" else None


def _start_of_line(source: bytes, line: int) -> int:
    """The offset of a line's first byte (1-based lines)."""
    start = 0
    for _ in range(line - 1):
        start = source.find(b"\n", start) + 1
    return start

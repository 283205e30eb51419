"""Callers of definitions named by file and line, in one tree: `callsheet callers`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from graph.brief import BriefingError
from graph.briefing import RunFigures
from graph.callers import Target
from graph.candidates import Candidates
from graph.cycles import no_search_for_cycles
from graph.facts import FileFacts
from graph.git import GitError
from graph.hierarchy import is_named_as_type
from graph.languages import language_of
from graph.world import Repository, World


class FoundCaller(msgspec.Struct, frozen=True, kw_only=True):
    """A place that reaches the definition; the fields are those of a briefing's callers."""

    file: str
    line: int
    sure: bool
    kind: str
    via: str | None
    reason: str | None
    within: str | None


class FoundSymbol(msgspec.Struct, frozen=True, kw_only=True):
    """A definition and its callers, sorted by file, then line. `name` is None when no definition is at the line."""

    file: str
    line: int
    name: str | None
    qualified: str | None
    callers: tuple[FoundCaller, ...] = ()


class FoundCallers(msgspec.Struct, frozen=True, kw_only=True):
    """The answer of `callsheet callers`, in the order asked."""

    symbols: tuple[FoundSymbol, ...]


def find_callers(
    repository: Path,
    rev: str,
    places: Sequence[tuple[str, int]],
    *,
    facts_dir: Path | None = None,
    exhaustive: bool = False,
    should_stop: Callable[[], bool] = lambda: False,
) -> tuple[FoundCallers, RunFigures]:
    """The callers of the definitions whose names stand at the given (path, line) places of a revision's tree.

    A line inside a definition stands for the innermost one. Raises BriefingError when the revision is unknown.
    """
    try:
        with no_search_for_cycles(), Repository(repository, facts_dir) as opened:
            snapshot = opened.snapshot(opened.git.resolve(rev))
            world = World(snapshot, opened.reader, opened.words, exhaustive=exhaustive, should_stop=should_stop)
            targets = [_target(world, path, line) for path, line in places]
            sought = [target for target in targets if target is not None]
            words: dict[Candidates, set[str]] = {}
            for target in sought:
                searched = world.callers(target.path).searched_words(target)
                words.setdefault(world.candidates(target.path), set()).update(searched)
            for candidates, searched_words in words.items():
                candidates.search(searched_words)
            searches = dict.fromkeys(world.callers(target.path) for target in sought)
            for search in searches:
                search.search_beside(each for each in sought if world.callers(each.path) is search)
            world.load_first(sought)
            found = tuple(
                _found(world, path, line, target) for (path, line), target in zip(places, targets, strict=True)
            )
            figures = RunFigures(
                files_in_tree=len(snapshot.paths),
                files_searched=len(snapshot.paths),
                files_parsed=opened.reader.parsed,
                facts_from_cache=opened.reader.from_cache,
                searches=world.search.runs,
            )
            return FoundCallers(symbols=found), figures
    except GitError as error:
        raise BriefingError(str(error)) from error


def _target(world: World, path: str, line: int) -> Target | None:
    if language_of(path) is None or path not in world.snapshot:
        return None
    facts = world.program.facts(path)
    index = _at_line(facts, line)
    if index < 0:
        return None
    definition = facts.definitions[index]
    same = tuple(
        each
        for each, other in enumerate(facts.definitions)
        if other.qualified == definition.qualified
        and other.parent == definition.parent
        and all((each in other.modifiers) == (each in definition.modifiers) for each in ("setter", "static"))
    )
    return Target(path, same)


def _at_line(facts: FileFacts, line: int) -> int:
    """The definition whose name stands on the line, else the innermost around it; -1 when there is none."""
    inner = -1
    for index, definition in enumerate(facts.definitions):
        if definition.line == line:
            return index
        if definition.first_line <= line <= definition.end_line:
            inner = index
    return inner


def _found(world: World, path: str, line: int, target: Target | None) -> FoundSymbol:
    if target is None:
        return FoundSymbol(file=path, line=line, name=None, qualified=None)
    definition, language = world.program.facts(path).definitions[target.indices[0]], world.program.language(path)
    assert language is not None
    sites: dict[tuple[str, int, str], FoundCaller] = {}
    for site in world.callers(target.path).find(target).sites:
        if site.kind == "import" or (site.kind == "type" and not is_named_as_type(definition, language)):
            continue
        key = (site.path, site.line, site.kind)
        if key in sites and (sites[key].sure or not site.sure):
            continue
        sites[key] = FoundCaller(
            file=site.path,
            line=site.line,
            sure=site.sure,
            kind=site.kind,
            via=site.via,
            reason=site.reason,
            within=site.within,
        )
    return FoundSymbol(
        file=path,
        line=line,
        name=definition.name,
        qualified=definition.qualified,
        callers=tuple(sorted(sites.values(), key=lambda each: (each.file, each.line, each.kind))),
    )

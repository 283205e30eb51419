"""Make the briefing of a pull request: the one function that tells the whole flow.

diff -> changed definitions (targets) -> words -> candidate files -> facts -> callers -> briefing
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path

from graph.assembly import assemble
from graph.base_moves import BaseMoves, base_moves
from graph.briefing import Briefing, ChangedFile, Importer, MovedFile, NotChecked, RunFigures, Symbol
from graph.changes import ChangedDefinition, pair_moves, targets
from graph.cycles import no_search_for_cycles
from graph.diff import DiffLines, FileChange, changes, overlay
from graph.fields import with_fields
from graph.git import GitError, encode
from graph.languages import language_of
from graph.listing import sizes_of
from graph.moves import own_imports, strings
from graph.quoting import counted
from graph.renames import with_renames
from graph.scope import EVERYTHING, Scope
from graph.snapshot import in_skipped_folder
from graph.symbols import SymbolMaker
from graph.unread import unread
from graph.world import Repository, World


class BriefingError(Exception):
    """A briefing could not be made; the message says why and what would help (an unknown revision, no merge base)."""


def make_briefing(
    repository: Path,
    base: str,
    head: str,
    merge: str | None = None,
    *,
    merge_base: str | None = None,
    facts_dir: Path | None = None,
    exhaustive: bool = False,
    graph_note: str | None = None,
    scope: Scope = EVERYTHING,
    should_stop: Callable[[], bool] = lambda: False,
) -> tuple[Briefing, RunFigures]:
    """Brief `base...head` of the git repository at `repository` (a worktree or a bare clone).

    `base`, `head` and `merge` are revisions. The diff is taken against the merge base of base and head. Callers are
    found in `merge` with the pull request's own files put back to their version at `head` (but for those that the base
    moved, see `graph.base_moves`); in `head` when `merge` is None, and then `graph_note` says why. `merge_base` is the
    merge base where the clone lacks the history to find it (a shallow one); otherwise it is worked out. `facts_dir` is
    the facts cache's directory (None: no cache). `scope` says what is not looked at, and what else is a test. Past
    `should_stop()` the briefing returns what it has, with `incomplete` set.

    Raises BriefingError when a revision is unknown or there is no merge base.
    """
    try:
        with no_search_for_cycles(), Repository(repository, facts_dir) as opened:
            revisions = (base, head, merge, merge_base)
            flow = _Flow(opened, revisions, exhaustive=exhaustive, scope=scope, should_stop=should_stop)
            return flow.briefing(graph_note), flow.figures()
    except GitError as error:
        raise BriefingError(str(error)) from error


class _Flow:
    """One briefing in the making: each method is one step."""

    def __init__(
        self,
        opened: Repository,
        revisions: tuple[str, str, str | None, str | None],
        *,
        exhaustive: bool,
        scope: Scope,
        should_stop: Callable[[], bool],
    ) -> None:
        self._opened = opened
        self._scope = scope
        self._is_test = cache(scope.is_test)
        self._should_stop = should_stop
        self._stopped = False
        git = opened.git
        base, head, merge, merge_base = revisions
        self._head, branched, *merged = git.resolve_all(
            [head, merge_base or base, *([merge] if merge is not None else [])]
        )
        self._merge = merged[0] if merged else None
        found = branched if merge_base is not None else git.merge_base(branched, self._head)
        if found is None:
            hint = " The clone is shallow: fetch more history." if git.is_shallow() else ""
            raise BriefingError(f"{base} and {head} have no common ancestor here, so there is no diff to brief.{hint}")
        self._merge_base = found
        changed = changes(git, self._merge_base, self._head)
        whole = opened.snapshot(self._merge or self._head)
        is_merge = self._merge is not None
        self._at_head = (
            base_moves(git, opened.blobs, changed, self._head, whole, scope) if is_merge else BaseMoves(changed)
        )
        self._changes = self._at_head.changes  # as they are in the tree that is searched
        tree = scope.narrowed(whole)
        absent = {blob for change in self._changes if change.absent for blob in change.blobs}
        lacking = absent.difference(sizes_of(git, sorted(absent)))
        after = tree.with_overlay(scope.within(overlay(self._changes)), lacking)
        before = after.with_overlay(scope.within(_put_back(self._changes)), lacking)
        edited_twice = [path for path in sorted(after.overlay) if path in tree and _is_structural(path)]
        self._merged = opened.reader.facts(tree, edited_twice) if edited_twice else {}
        make = partial(World, reader=opened.reader, words=opened.words, exhaustive=exhaustive, should_stop=self._stop)
        # In the tree before, only what the change removes is asked about.
        deleted = frozenset(change.name for change in self._changes if change.path is None)
        self._after, self._before = make(after), make(before, deleted=deleted)
        self._lines = DiffLines(self._changes)

    def _stop(self) -> bool:
        self._stopped = self._stopped or self._should_stop()
        return self._stopped

    def briefing(self, graph_note: str | None) -> Briefing:
        """All steps, in order."""
        maker = SymbolMaker(self._before, self._after, self._changes, self._merged)
        definitions = self._definitions(maker)
        maker.prefetch([each for found in definitions.values() for each in found])
        files = []
        declarations: set[tuple[str, int]] = set()
        for change in self._changes:
            symbols: list[Symbol] = []
            for each in definitions.get(change.name, ()):
                if self._stop():
                    break
                symbol = self._at_head.symbol(maker.symbol(each), change.path)
                if maker.only_declares(each):
                    declarations.add((self._at_head.path(change.name), symbol.line))
                if symbol.callers or not each.only_fields:
                    symbols.append(symbol)
            files.append(self._changed_file(change, symbols))
        moved = [self._at_head.move(each) for each in self._moved()]
        git = self._opened.git
        return assemble(
            head_sha=self._head,
            base_sha=git.first_parent(self._merge) if self._merge is not None else None,
            merge_base=self._merge_base,
            graph_from="merge" if self._merge is not None else "head",
            graph_note=graph_note,
            incomplete=self._incomplete(),
            changed=files,
            moved=moved,
            not_checked=[*self._not_checked(), *self._unread(definitions)],
            tree=[self._at_head.path(path) for path in self._after.snapshot.paths],
            importers=self._importers,
            test_importers=self._test_importers,
            declarations=declarations,
            test_globs=self._scope.tests,
        )

    def _incomplete(self) -> str | None:
        """Why callers may be missing; None when nothing was cut short."""
        if self._stopped:
            return "The time limit was reached: callers may be missing."
        worlds = self._after, self._before
        failures = sorted({self._at_head.path(path) for world in worlds for path in world.failures})
        if failures:
            more = f" and {len(failures) - 1} more files" if len(failures) > 1 else ""
            return f"An error in Callsheet kept it from reading {failures[0]}{more}: callers there may be missing."
        return None

    # ------------------------------------------------------------------------------------------------------- steps

    def _definitions(self, maker: SymbolMaker) -> dict[str, list[ChangedDefinition]]:
        """The changed definitions of each changed file, by `FileChange.name`."""
        read = [change for change in self._changes if self._is_code(change)]
        found = {change.name: self._in_diff(change) for change in read if not self._is_test(change.name)}
        maker.search([each for definitions in found.values() for each in definitions])
        # A test that nobody imports has no callers: most tests need not be read at all.
        imported = [change for change in read if change.name not in found and self._is_imported(change)]
        tests = {change.name: [each for each in self._in_diff(change) if not _is_of_tests(each)] for change in imported}
        maker.search([each for definitions in tests.values() for each in definitions])
        found.update(tests)
        by_file: dict[str, list[ChangedDefinition]] = {}
        everything = [each for change in read for each in found.get(change.name, ())]
        paired = pair_moves(everything, self._before.program.syntax, self._after.program.syntax)
        renamed = with_renames(paired, self._before, self._after)
        for each in with_fields(renamed, self._before, self._after):
            by_file.setdefault(each.path or each.old_path or "", []).append(each)
        return by_file

    def _is_code(self, change: FileChange) -> bool:
        """Whether the changed file is one whose definitions are looked at."""
        if language_of(change.name) is None or change.kind != "file" or in_skipped_folder(change.name):
            return False
        if change.absent:
            return False
        return self._scope.why_out(change.name) is None

    def _in_diff(self, change: FileChange) -> list[ChangedDefinition]:
        """The definitions that a file's change touches."""
        old_path, path = change.before_path, change.path
        if not (self._is_read(self._before, old_path) and self._is_read(self._after, path)):
            return []  # what only one side can tell would all be added, or all be removed
        found = targets(
            change,
            self._before.program.facts(old_path) if old_path is not None else None,
            self._after.program.facts(path) if path is not None else None,
            before_syntax=self._before.program.syntax(old_path) if old_path is not None else None,
            after_syntax=self._after.program.syntax(path) if path is not None else None,
        )
        return [each for each in found if not self._is_hidden(each)]

    def _is_read(self, world: World, path: str | None) -> bool:
        """Whether the file (None: there is none) can be read, and most of it is more than damage."""
        if path is None:
            return True
        return self._opened.reader.why_not(world.snapshot, path) is None and not world.program.facts(path).unreadable

    def _is_hidden(self, changed: ChangedDefinition) -> bool:
        """Whether a definition seems to be gone only because the parser lost it: the file is damaged and names it."""
        path = changed.path
        if changed.change != "removed" or path is None or not self._after.program.facts(path).degraded:
            return False
        return (
            re.search(rb"\b%b\b" % re.escape(encode(changed.definition.name)), self._after.snapshot.read(path))
            is not None
        )

    def _is_imported(self, change: FileChange) -> bool:
        """Whether another file imports the changed one."""
        world, path = (self._after, change.path) if change.path is not None else (self._before, change.old_path)
        return path is not None and bool(world.candidates(path).first_importers(path, 1, lambda importer: True))

    def _changed_file(self, change: FileChange, symbols: Sequence[Symbol]) -> ChangedFile:
        language = language_of(change.name)
        world, path = (self._after, change.path) if change.path is not None else (self._before, change.old_path)
        generated = language is not None and path is not None and world.program.facts(path).generated
        return ChangedFile(
            path=self._at_head.path(change.path) if change.path is not None else None,
            old_path=change.old_path,
            status=change.status,
            language=language.name if language is not None else None,
            generated=generated,
            symbols=tuple(symbols),
        )

    def _moved(self) -> list[MovedFile]:
        """Moved and deleted files, with the imports outside the diff that no longer find them."""
        found = []
        for change in self._changes:
            if change.old_path is None or language_of(change.old_path) is None or change.old_path == change.path:
                continue
            if self._scope.why_out(change.old_path) is not None:
                continue
            importers: dict[tuple[str, str], Importer] = {}
            for path, imported in self._before.candidates(change.old_path).importers(change.old_path):
                if self._stop():
                    break
                now = self._lines.moved_on(path, imported.line)
                if now is None:
                    continue
                by_name = change.old_path not in self._before.inference.names.resolve(path, imported.module).paths
                if self._after.inference.names.finds(now[0], imported, submodule=by_name):
                    continue
                # The module may stand on another line than the name, and be the one that the change mends.
                if not any(each.module == imported.module for each in self._after.program.facts(now[0]).imports):
                    continue
                statement = (now[0], imported.module)
                if statement not in importers or now[1] < importers[statement].line:
                    importers[statement] = Importer(path=now[0], line=now[1], module=imported.module, sure=True)
            worlds = (self._before, self._after)
            for each in (*own_imports(change, *worlds, self._lines), *strings(change, *worlds, self._lines)):
                if all((each.path, each.line) != (one.path, one.line) for one in importers.values()):
                    importers[f"{each.path}:{each.line}", each.module] = each
            found.append(MovedFile(path=change.path, old_path=change.old_path, importers=tuple(importers.values())))
        return found

    def _importers(self, path: str, limit: int) -> list[tuple[str, int, bool]]:
        return self._importing(path, limit, lambda importer: True)

    def _test_importers(self, path: str, limit: int) -> list[tuple[str, int, bool]]:
        return self._importing(path, limit, self._is_test)

    def _importing(self, path: str, limit: int, accept: Callable[[str], bool]) -> list[tuple[str, int, bool]]:
        """The first imports of a file of the head, one a file, in the order of paths."""
        path = self._at_head.there(path)
        if path not in self._after.snapshot or language_of(path) is None:
            return []
        found = self._after.candidates(path).first_importers(path, limit, accept)
        return [(*self._at_head.place(importer, imported.line), True) for importer, imported in found]

    def _unread(self, definitions: dict[str, list[ChangedDefinition]]) -> tuple[NotChecked, ...]:
        """Files outside the diff that may use what changed, and that were not read, or not whole."""
        if self._stop():
            return ()
        everything = [each for change in self._changes for each in definitions.get(change.name, ())]
        in_diff = {path for change in self._changes for path in (change.path, change.old_path) if path is not None}
        return unread(everything, self._before, self._after, in_diff)

    def _not_checked(self) -> list[NotChecked]:
        """Changed files that were not read, and why."""
        found = []
        for change in self._changes:
            why = self._why_not(change)
            if why is not None:
                found.append(NotChecked(path=self._at_head.path(change.name), why=why))
        return found

    def _why_not(self, change: FileChange) -> str | None:
        if change.kind == "submodule":
            return "a submodule: what it points at isn't read"
        if change.kind == "link":
            return "a symbolic link: it isn't followed"
        if change.absent:
            return "its content is not in this clone"
        if in_skipped_folder(change.name):
            return "in vendor/ or node_modules/: other people's code isn't read"
        if language_of(change.name) is None:
            return "not in a language that Callsheet reads"
        if (out := self._scope.why_out(change.name)) is not None:
            return out
        world, path = (self._after, change.path) if change.path is not None else (self._before, change.old_path)
        if path is None:
            return None
        why = self._opened.reader.why_not(world.snapshot, path)
        if why is not None:
            return why
        facts = world.program.facts(path)
        if facts.unreadable:
            return "most of it could not be parsed, so nothing is said of it"
        if facts.degraded:
            return f"{counted(facts.degraded, 'place')} in it could not be parsed: what stands there may be missing"
        return None

    def figures(self) -> RunFigures:
        """What the run cost."""
        reader = self._opened.reader
        return RunFigures(
            files_in_tree=len(self._after.snapshot.paths),
            files_searched=len(self._after.snapshot.paths),
            files_parsed=reader.parsed,
            facts_from_cache=reader.from_cache,
            searches=self._after.search.runs + self._before.search.runs,
            words_behind=self._after.search.is_behind,
        )


def _is_structural(path: str) -> bool:
    """Whether types in the file implement interfaces without saying so."""
    language = language_of(path)
    return language is not None and language.structural


def _is_of_tests(changed: ChangedDefinition) -> bool:
    """Whether a definition in a test file is a test, or local to one."""
    return changed.local or changed.definition.name.startswith("test")


def _put_back(changed: Sequence[FileChange]) -> dict[str, str | None]:
    """What puts the merge base's version of every changed file over a tree."""
    replaced: dict[str, str | None] = {}
    for change in changed:
        if change.path is not None and change.path != change.before_path:
            replaced.setdefault(change.path, None)
        if change.before_path is not None:
            replaced[change.before_path] = change.old_blob if change.kind == "file" else None
    return replaced

"""One place in a file: the reference that stands there, what it denotes, and the site that it makes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import partial

from graph import expressions as x
from graph.callers.sites import Seen, Site, Target
from graph.candidates import Candidates
from graph.facts import Definition
from graph.hierarchy import CLASS_KINDS
from graph.inference import Inference
from graph.languages.base import Language
from graph.languages.reading import occurrences
from graph.types import Anything, Denotation, Instance, Symbol, Typed, Variable

MAX_REACHED = 60
"""Files that import a deleted one, directly or through others, up to which nobody else is looked at."""


class Places:
    """Works out single places of one program."""

    def __init__(
        self,
        inference: Inference,
        candidates: Candidates,
        should_stop: Callable[[], bool] = lambda: False,
        *,
        deleted: Collection[str] | None = None,
    ) -> None:
        """`deleted`: the targets are gone in the tree after the change, and these files with them. Then what imports
        them, or only assigns into them, counts too, and what the deleted files do is nobody's concern any more, except
        that they may pass a name on."""
        self._inference = inference
        self._program = inference.program
        self._candidates = candidates
        self._should_stop = should_stop
        self.stopped = False
        self.failures: set[tuple[str, int]] = set()
        """Places that could not be worked out because of a defect of ours: (path, offset or -1)."""
        self.gone = deleted is not None
        self._deleted = deleted or ()
        self._unreached: frozenset[str] | None = None
        self._reached: frozenset[str] | None = None

    def is_unreached(self, target: Target) -> bool:
        """Whether the target is in a deleted file that no file that stays imports, directly or through others."""
        if target.path not in self._deleted or not self._language(target).imports_only:
            return False
        if self._unreached is None:
            self._unreached = self._cut_off()
        return target.path in self._unreached

    def _cut_off(self) -> frozenset[str]:
        """The deleted files that nothing that stays can reach: with a file go the packages that hold it, and what is
        named by a parameter alone (`pytest.fixture`) is never out of reach."""
        mine = [path for path in self._deleted if self._candidates.holds(path)]
        importers = {path: {each for each, _ in self._candidates.importers(path)} for path in mine}
        reached = {path for path in mine if not importers[path] <= importers.keys() or self._is_injected(path)}
        pending = sorted(reached)
        while pending:
            here = pending.pop()
            for path in mine:
                around = here.startswith(path.rpartition("/")[0] + "/") or "/" not in path
                if path not in reached and (here in importers[path] or around):
                    reached.add(path)
                    pending.append(path)
        return frozenset(mine) - reached

    def _knowing(self, target: Target) -> frozenset[str] | None:
        """The files that can have got hold of a target that goes with its whole file: those that import one of the
        deleted files, directly or through others. None where anybody may, or where they are more than MAX_REACHED."""
        if target.path not in self._deleted or not self._language(target).imports_only:
            return None
        if self._reached is None:
            self._reached = self._reach()
        return self._reached or None

    def _reach(self) -> frozenset[str]:
        """The deleted files and what can reach one of them; empty where that is too much."""
        reached = {path for path in self._deleted if self._candidates.holds(path)}
        most = len(reached) + MAX_REACHED
        pending = sorted(reached)
        while pending:
            here = pending.pop()
            left = most - len(reached)
            found = self._candidates.first_importers(here, left + 1, partial(_lacks, reached))
            fresh = {path for path, _ in found}
            if self._is_injected(here):  # what takes it by a parameter's name
                below = here.rpartition("/")[0]
                fresh.update(path for path in self._program.tree.paths if not below or path.startswith(below + "/"))
            fresh = {path for path in fresh if path not in reached and self._candidates.holds(path)}
            if len(fresh) > left:
                return frozenset()
            reached |= fresh
            pending.extend(sorted(fresh))
        return frozenset(reached)

    def _is_injected(self, path: str) -> bool:
        language = self._program.language(path)
        return language is not None and any(
            not language.injected_decorators.isdisjoint(each.decorators)
            for each in self._program.facts(path).definitions
        )

    def _definition(self, target: Target) -> Definition:
        return self._program.facts(target.path).definitions[target.indices[0]]

    def _language(self, target: Target) -> Language:
        language = self._program.language(target.path)
        assert language is not None, target.path
        return language

    def _owner(self, target: Target) -> int:
        """The class that declares the target as a member; -1 when none does."""
        facts = self._program.facts(target.path)
        parent = self._definition(target).parent
        return parent if parent >= 0 and facts.definitions[parent].kind in CLASS_KINDS else -1

    def _stop(self) -> bool:
        self.stopped = self.stopped or self._should_stop()
        return self.stopped

    def _places(self, path: str, word: str) -> tuple[int, ...]:
        """Where the word stands in the file's code; not in a deleted file where it stands in functions only."""
        if path in self._deleted:
            spots = occurrences(self._program.tree.read(path), word)
            if all(self._only_runs(path, at) for at, _ in spots):
                return ()
        return self._program.places(path, word)

    def _only_runs(self, path: str, at: int) -> bool:
        """Whether a place lies inside a function, where a name is used and not passed on to others."""
        index = self._program.innermost(path, at)
        return index >= 0 and self._program.facts(path).definitions[index].kind in ("function", "method")

    def _reference(self, path: str, at: int, *, keys: bool = False) -> x.Reference | None:
        """The reference at a place. Names of fields in literals are left out, unless these are asked for, too."""
        parsed = self._inference.syntax(path)
        if parsed is None:
            return None
        language, syntax = parsed
        try:
            found = self._inference.remembered(("reference", path, at), lambda: language.reference(syntax, at))
            return None if found is not None and found.key and not keys else found
        except Exception:
            self.failures.add((path, at))
            return None

    def _denote(self, path: str, expression: x.Expression) -> tuple[Denotation, ...]:
        """What the expression denotes. A defect that one place brings to light costs that place, and is counted."""
        try:
            return self._inference.denote(path, expression)
        except Exception:
            self.failures.add((path, -1))
            return ()

    def _add(
        self,
        seen: Seen,
        path: str,
        reference: x.Reference,
        *,
        sure: bool,
        reason: str | None = None,
        via: str | None = None,
        bound: bool = False,
        missed: bool = False,
    ) -> None:
        key = (path, reference.at)
        known = seen.sites.get(key)
        if known is not None and (known.sure or not sure):
            return
        facts = self._program.facts(path)
        index = self._program.innermost(path, reference.at)
        if index >= 0 and reference.kind == "decorator" and reference.at < facts.definitions[index].at:
            index = facts.definitions[index].parent  # a decorator runs where the definition stands, not in it
        seen.sites[key] = Site(
            path=path,
            at=reference.at,
            line=self._line(path, reference.at),
            kind="value" if reference.maybe_value and seen.of_value else reference.kind,
            sure=sure,
            reason=reason,
            via=via,
            within=facts.definitions[index].qualified if index >= 0 else None,
            call_at=reference.call_at,
            bound=bound,
            missed=missed,
            by_position=reference.by_position,
        )

    def _line(self, path: str, at: int) -> int:
        """The 1-based line of an offset: counted from the definition around it."""
        facts = self._program.facts(path)
        index = self._program.innermost(path, at)
        line, start = (facts.definitions[index].line, facts.definitions[index].at) if index >= 0 else (1, 0)
        if at < start:
            line, start = 1, 0
        return line + self._program.tree.read(path).count(b"\n", start, at)

    def _alias(self, path: str, reference: x.Reference) -> int:
        """The module-level name that is given the reference as its whole value (`handler = submit`); -1 for none."""
        if reference.kind not in ("value", "argument"):
            return -1
        facts = self._program.facts(path)
        index = self._program.innermost(path, reference.at)
        if index < 0:
            return -1
        definition = facts.definitions[index]
        is_value = definition.kind in ("constant", "variable") or (
            definition.kind == "component" and definition.parameters is None
        )
        if not is_value or definition.parent >= 0:
            return -1
        parsed = self._inference.syntax(path)
        if parsed is None:
            return -1
        language, syntax = parsed
        binding = language.value(syntax, index)
        if binding is None or binding.value is None:
            return -1
        return index if self._inference.wrapped(path, binding.value) == reference.target else -1

    def _exported_as(self, path: str, reference: x.Reference) -> str | None:
        """The name under which the file exports a value that is the reference's for everybody who uses it
        (`export default memo(Button)`); None where it does not."""
        if reference.kind not in ("value", "argument"):
            return None
        exports = self._program.facts(path).exports
        before = [each for each in exports if each.local is None and each.at <= reference.at]
        parsed = self._inference.syntax(path) if before else None
        if parsed is None:
            return None
        nearest = max(before, key=lambda each: each.at)
        value = parsed[0].expression(parsed[1], nearest.at, -1)
        return nearest.exported if self._inference.wrapped(path, value) == reference.target else None

    def _only_exports(self, path: str, reference: x.Reference) -> bool:
        """Whether all that is done with the name is to export it as it is (`export default f`, `module.exports = f`):
        an `export { f }` in other words."""
        for export in self._program.facts(path).exports:
            if export.at == reference.at:
                if export.local == reference.name:
                    return True
                parsed = self._inference.syntax(path)
                if export.local is None and parsed is not None:
                    return x.uncast(parsed[0].expression(parsed[1], export.at, -1)) == reference.target
        return False

    def _is_nothing(self, denoted: Denotation) -> bool:
        """Whether a name stands for no value at all (`f = None` where an import failed): no use means that."""
        if not isinstance(denoted, Symbol) or denoted.receiver is not None:
            return False
        definition = self._program.facts(denoted.path).definitions[denoted.index]
        parsed = self._inference.syntax(denoted.path)
        if definition.kind not in ("constant", "variable") or parsed is None:
            return False
        language, syntax = parsed
        text = syntax.source[definition.at : definition.end].decode("utf-8", "replace")
        name, _, value = text.partition("=")
        return name.strip() == definition.name and value.strip() in language.empty_types

    def _takes_receiver(self, method: Symbol) -> bool:
        """Whether what the method is read from becomes its first argument: an instance, or a class method's class."""
        definition = self._program.facts(method.path).definitions[method.index]
        if isinstance(method.receiver, Instance):
            return definition.name != "__new__"  # `super().__new__(cls)` passes the class itself
        return method.receiver is not None and "classmethod" in definition.modifiers

    def _is_open(self, found: Iterable[Denotation]) -> bool:
        """Whether what was found leaves room for the target: something about it isn't known."""
        return any(
            isinstance(each, Typed) and any(isinstance(t, Anything | Variable) for t in each.types) for each in found
        )


def _lacks(known: Collection[str], path: str) -> bool:
    return path not in known

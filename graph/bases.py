"""The bases of a changed class: whether it still inherits what it inherited, and what that is to its subclasses.

A base that is written otherwise, with other type arguments, or that another class was put before which itself extends
it, is none that went: nobody below the class, and nobody who uses it, loses anything by it.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from graph.changes import ChangedDefinition
from graph.facts import Definition
from graph.hierarchy import CLASS_KINDS
from graph.languages.base import Language
from graph.outcomes import NOTHING, Fit
from graph.quoting import listed, quoted
from graph.signatures import compatible, same_declaration, same_parameters
from graph.type_spellings import one_spelling
from graph.types import Denotation, External, Instance, Symbol
from graph.world import World

_UNSAID = frozenset({"object", "Generic"})
"""Bases that every class has, or that say nothing but type parameters, which are counted by themselves."""
_NAMED = 3
"""Bases that are told by name."""


class Bases:
    """Compares the bases of classes. `before` and `after` are the tree without and with the change."""

    def __init__(self, before: World, after: World) -> None:
        self._before = before
        self._after = after
        self._last: tuple[ChangedDefinition, Fit] | None = None

    def with_same_bases(self, changed: ChangedDefinition) -> ChangedDefinition:
        """A class whose bases are the same, through other imports (`base.Store` for `Store`), as a change of its body
        alone. One that still inherits what it inherited, otherwise, as one that still has those bases."""
        before, after = changed.before, changed.after
        if before is None or after is None or changed.path is None or not _are_classes(changed):
            return changed
        if changed.change != "signature" or before.bases == after.bases:
            return changed
        if self._is_respelled(changed, before, after):
            return msgspec.structs.replace(changed, change="body")
        if self._is_structural(changed) or not self._same_use(changed, before, after):
            return changed
        lost = self._lost(changed, before, after)
        there = {one_spelling(each) for each in after.bases}
        kept = tuple(each for each in before.bases if one_spelling(each) in there or each in lost)
        if kept == before.bases:
            return changed
        before = msgspec.structs.replace(before, bases=kept)
        return msgspec.structs.replace(changed, before=before, befores=(before,))

    def are_all(self, changed: ChangedDefinition) -> bool:
        """Whether its bases are all that changed in the signature of a class, and what took their place is known."""
        before, after = changed.before, changed.after
        if changed.change != "signature" or before is None or after is None or before.kind != "class":
            return False
        return before.bases != after.bases and same_parameters(before, after) and self.fit(changed) != NOTHING

    def fit(self, changed: ChangedDefinition) -> Fit:
        """Whether subclasses of a class whose signature changed can be as they were; where they may not, what is no
        longer what it was, if that can be told. What its constructor takes is a question to who calls that."""
        if self._last is None or self._last[0] is not changed:
            self._last = changed, self._fit(changed)
        return self._last[1]

    def _fit(self, changed: ChangedDefinition) -> Fit:
        before, after = changed.before, changed.after
        if before is None or after is None or not (_are_classes(changed) and before.kind == after.kind == "class"):
            return NOTHING
        if self._is_structural(changed):  # what is embedded is a field, too
            return NOTHING
        if not (compatible(_plain(before), _plain(after), named=False) and self._same_use(changed, before, after)):
            return NOTHING
        lost = self._lost(changed, before, after)
        if not lost:
            return True, None
        names = [quoted(each) for each in lost[:_NAMED]]
        more = [f"{len(lost) - _NAMED:,} more"] if len(lost) > _NAMED else []
        return None, f"it no longer extends {listed([*names, *more])}"

    # ------------------------------------------------------------------------------------------------- what it lost

    def _lost(self, changed: ChangedDefinition, before: Definition, after: Definition) -> tuple[str, ...]:
        """The bases, as they were written, that the class no longer inherits from."""
        old_path, path = changed.old_path or "", changed.path or ""
        denoted = denoted_bases(self._before, old_path, before, metaclass=False)
        written = self._declared(self._before, old_path, before).bases
        there = {one_spelling(each) for each in after.bases}
        inherited = self._inherited(path, after)
        named = {_name(each) for each in (*after.bases, *(name for _, name in inherited))}
        found: list[str] = []
        for base in before.bases:
            if one_spelling(base) in there or _name(base) in _UNSAID:
                continue
            place = written.index(base) if base in written else -1
            meant = denoted[place] if 0 <= place < len(denoted) == len(written) else ()
            if "<" in base:  # arguments that are checked
                found.append(base)
            elif _keys(self._before, meant):
                if not _keys(self._before, meant) <= inherited:
                    found.append(base)
            elif _name(base) not in named:
                found.append(base)
        return tuple(found)

    def _inherited(self, path: str, definition: Definition) -> set[tuple[str, str]]:
        """All that the class inherits from, by what tells it in both trees."""
        index = self._after.program.index_of(path, definition)
        if index < 0:
            return set()
        found: set[tuple[str, str]] = set()
        for each in self._after.inference.hierarchy.lineage(path, index).ancestors:
            declared = self._after.program.facts(each.path).definitions[each.index]
            found.add((each.path, declared.qualified))
            if not each.path.startswith("\0"):
                for base in denoted_bases(self._after, each.path, declared):
                    found |= _keys(self._after, base)
        return found

    def _same_use(self, changed: ChangedDefinition, before: Definition, after: Definition) -> bool:
        """Whether the class takes as many type arguments, and gets no other constructor from above."""
        old_path, path = changed.old_path or "", changed.path or ""
        indices = self._before.program.index_of(old_path, before), self._after.program.index_of(path, after)
        if min(indices) < 0:
            return False
        old = self._before.inference.type_parameter_names(old_path, indices[0])
        new = self._after.inference.type_parameter_names(path, indices[1])
        if len(old) != len(new):
            return False
        one = _constructors(self._before, old_path, indices[0])
        other = _constructors(self._after, path, indices[1])
        language = self._after.program.language(path)
        if language is None or (one and not other):
            return False
        return all(any(_serves_as(was, now, language) for was in one) or not _asks(now[1], language) for now in other)

    def _is_structural(self, changed: ChangedDefinition) -> bool:
        language = self._after.program.language(changed.path or "")
        return language is None or language.structural

    @staticmethod
    def _declared(world: World, path: str, definition: Definition) -> Definition:
        """The definition as its file declares it."""
        index = world.program.index_of(path, definition)
        return world.program.facts(path).definitions[index] if index >= 0 else definition

    # ---------------------------------------------------------------------------------------------- respelled bases

    def _is_respelled(self, changed: ChangedDefinition, before: Definition, after: Definition) -> bool:
        """Whether the bases are the same ones by other names, and nothing else of the declaration changed."""
        if len(before.bases) != len(after.bases):
            return False
        declaration = before.declaration
        for old, new in zip(before.bases, after.bases, strict=True):
            if _unqualified(old) != _unqualified(new):
                return False
            declaration = declaration.replace(old, new, 1)
        respelled = msgspec.structs.replace(before, declaration=declaration, bases=after.bases)
        language = self._after.program.facts(changed.path or "").language
        return same_declaration(respelled, after, language) and self._same_bases(changed, before, after)

    def _same_bases(self, changed: ChangedDefinition, before: Definition, after: Definition) -> bool:
        """Whether no base is known to be another class."""
        old = denoted_bases(self._before, changed.old_path or "", before)
        new = denoted_bases(self._after, changed.path or "", after)
        return len(old) == len(new) and all(self._may_be_same(one, other) for one, other in zip(old, new, strict=True))

    def _may_be_same(self, old: tuple[Denotation, ...], new: tuple[Denotation, ...]) -> bool:
        one, other = _one_symbol(old), _one_symbol(new)
        if one is None or other is None:
            return one is other or not any(isinstance(each, External) for each in (*old, *new))
        names = (
            self._before.program.facts(one.path).definitions[one.index].qualified,
            self._after.program.facts(other.path).definitions[other.index].qualified,
        )
        return names[0] == names[1] and (one.path == other.path or one.path not in self._after.snapshot)


def denoted_bases(
    world: World, path: str, definition: Definition, *, metaclass: bool = True
) -> list[tuple[Denotation, ...]]:
    """What the bases of a class denote, in order, and its metaclass."""
    parsed, index = world.inference.syntax(path), world.program.index_of(path, definition)
    if parsed is None or index < 0:
        return []
    language, syntax = parsed
    bases = language.bases(syntax, index)
    return [world.inference.denote(path, each.value) for each in bases if metaclass or each.via != "metaclass"]


def _are_classes(changed: ChangedDefinition) -> bool:
    """Whether it is one class or interface on both sides, in a file that is there on both."""
    before, after = changed.before, changed.after
    return (
        before is not None
        and after is not None
        and changed.old_path is not None
        and changed.path is not None
        and max(len(changed.befores), len(changed.afters)) <= 1
        and {before.kind, after.kind} <= CLASS_KINDS
    )


def _plain(definition: Definition) -> Definition:
    """The class without its bases, what its constructor takes, and whether it may be constructed itself."""
    modifiers = tuple(each for each in definition.modifiers if each != "abstract")
    return msgspec.structs.replace(definition, bases=(), parameters=None, modifiers=modifiers)


def _serves_as(was: tuple[str, Definition], now: tuple[str, Definition], language: Language) -> bool:
    """Whether a constructor is the same one, be it that it changed (that is told of itself), or takes all that another
    took."""
    return (was[0], was[1].qualified) == (now[0], now[1].qualified) or bool(
        compatible(
            was[1],
            now[1],
            named=language.named_arguments,
            excess_ok=language.excess_arguments,
            skip_first=(language.binds_receiver(was[1]), language.binds_receiver(now[1])),
        )
    )


def _asks(constructor: Definition, language: Language) -> bool:
    """Whether a constructor asks for something to be passed: if not, it is none to those who knew of none."""
    parameters = (constructor.parameters or ())[1 if language.binds_receiver(constructor) else 0 :]
    return any(not each.optional and each.kind not in ("rest", "keywords") for each in parameters)


def _constructors(world: World, path: str, index: int) -> tuple[tuple[str, Definition], ...]:
    """The constructors that are declared for the class, by itself or above, each with its file."""
    language = world.program.language(path)
    found: list[tuple[str, Definition]] = []
    for name in sorted(language.constructor_names) if language is not None else ():
        declared, _ = world.inference.hierarchy.find(Instance(path, index), name)
        found.extend(
            (each.path, world.program.facts(each.path).definitions[each.index])
            for each in declared
            if isinstance(each, Symbol) and not each.path.startswith("\0")
        )
    return tuple(found)


def _keys(world: World, denoted: Iterable[Denotation]) -> set[tuple[str, str]]:
    """What tells a class in both trees: its file and name, or the name of one from outside."""
    found: set[tuple[str, str]] = set()
    for each in denoted:
        if isinstance(each, Symbol):
            found.add((each.path, world.program.facts(each.path).definitions[each.index].qualified))
        elif isinstance(each, External):
            found.add(("", each.name))
    return found


def _one_symbol(found: tuple[Denotation, ...]) -> Symbol | None:
    return found[0] if len(found) == 1 and isinstance(found[0], Symbol) else None


def _unqualified(base: str) -> str:
    """A base without the module that it is written with: `Store[int]` for `base.Store[int]`."""
    name, bracket, rest = base.partition("[")
    return name.rpartition(".")[2].strip() + bracket + rest


def _name(base: str) -> str:
    """A base by its last name, without type arguments: `Store` for `base.Store[int]`."""
    return base.partition("[")[0].replace("\\", ".").rpartition(".")[2].strip()

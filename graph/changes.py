"""The definitions that a pull request changes: those on the lines of its diff."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Final

import msgspec

from graph.alike import Stretch, alike
from graph.briefing import SymbolChange
from graph.diff import FileChange, Lines, touches
from graph.facts import Definition, FileFacts
from graph.languages.base import Syntax
from graph.signatures import same_declaration
from graph.tokens import moved_tokens, own_tokens, same_tokens


class ChangedDefinition(msgspec.Struct, frozen=True, kw_only=True):
    """A definition that the diff changes, adds, removes or moves.

    `path` is its file at the head (None when the file is deleted), `old_path` its file at the merge base (None when the
    file is added); they differ when the file, or the definition alone, moved. Definitions of the same qualified name
    (overloads, branches of an `if`) are one: `befores` and `afters` are all of them in source order (of a getter and
    its setter, those that changed), `before` and `after` the one that speaks for them (the implementation, or else the
    first that changed).
    change "moved": to another file, without an edit. `local`: inside a function, so that no other file can name it.
    `field_of`: it is a field (`graph.fields`), of this class or type as it is on the side that counts: before the
    change where it was removed, else after it. `renamed_to`: of a removed one, the qualified name under which the same
    is there now (`graph.renames`). `only_fields`: a type of which only fields changed, so that it concerns nobody
    but who lists the values of all of them without their names, or converts to it.
    """

    before: Definition | None
    after: Definition | None
    change: SymbolChange
    path: str | None
    old_path: str | None
    befores: tuple[Definition, ...] = ()
    afters: tuple[Definition, ...] = ()
    local: bool = False
    field_of: Definition | None = None
    renamed_to: str | None = None
    only_fields: bool = False

    @property
    def definition(self) -> Definition:
        """As it is at the head, or, when it was removed, as it was."""
        definition = self.after or self.before
        assert definition is not None
        return definition


def targets(
    change: FileChange,
    before: FileFacts | None,
    after: FileFacts | None,
    *,
    before_syntax: Syntax | None = None,
    after_syntax: Syntax | None = None,
) -> tuple[ChangedDefinition, ...]:
    """The definitions that one file of the diff changes, in the order of their lines (removed ones last).

    On each changed line the innermost definition counts; a class or an object counts only for lines that no definition
    in it has. What is inside a function belongs to that function, too. `before` and `after` are the file's facts at the
    merge base and at the head, None where it isn't there. With both syntaxes, definitions are compared token by token:
    what only changed in its comments, white space or place in the file is no change. Without them every touched
    definition is taken for changed. One that is no longer exported is changed wherever that was said.
    """
    if change.kind != "file":
        return ()
    old = _Side(before, change.old_lines, before_syntax)
    new = _Side(after, change.new_lines, after_syntax)
    compared = before_syntax is not None and after_syntax is not None
    found: list[ChangedDefinition] = []
    removed: list[ChangedDefinition] = []
    for qualified in dict.fromkeys([*new.groups, *old.groups]):
        befores, afters = old.groups.get(qualified, ()), new.groups.get(qualified, ())
        local = (new if afters else old).is_local((afters or befores)[0])
        kind: SymbolChange
        if befores and afters:
            hidden = old.definitions[befores[0]].exported and not new.definitions[afters[0]].exported
            # An interface may be declared by what is in it: then a method more or less is a change of it, too.
            hidden = hidden or _is_reshaped(old.definitions[befores[0]], new.definitions[afters[0]], new.language)
            if not (hidden or old.hit(befores, loosely=compared) or new.hit(afters, loosely=compared)):
                continue
            everything = list(range(max(len(befores), len(afters))))
            differing = _differing(old, befores, new, afters) if compared else everything
            if not (differing or hidden):
                continue
            if differing and len(befores) == len(afters) and old.are_accessors(befores) and new.are_accessors(afters):
                befores = tuple(befores[position] for position in differing)
                afters = tuple(afters[position] for position in differing)
                differing = list(range(len(differing)))
            # One more definition of the same declaration (an `if` and its `else`) changes no signature.
            pairs = zip_longest(befores, afters, fillvalue=None)
            same = all(
                same_declaration(
                    old.definitions[b if b is not None else befores[0]],
                    new.definitions[a if a is not None else afters[0]],
                    new.language,
                )
                for b, a in pairs
            )
            kind = "body" if same else "signature"
        elif local:
            continue  # its coming and going is a change of the function around it
        else:
            differing = []
            kind = "added" if afters else "removed"
        (found if afters else removed).append(
            ChangedDefinition(
                before=old.speaker(befores, differing),
                after=new.speaker(afters, differing),
                change=kind,
                path=change.path,
                old_path=change.before_path,
                befores=tuple(old.definitions[index] for index in befores),
                afters=tuple(new.definitions[index] for index in afters),
                local=local,
            )
        )
    return (
        *sorted(found, key=lambda one: one.definition.start),
        *sorted(removed, key=lambda one: one.definition.start),
    )


def _is_reshaped(before: Definition, after: Definition, language: str) -> bool:
    kinds = (before.kind, after.kind)
    return kinds == ("interface", "interface") and not same_declaration(before, after, language)


class _Side:
    """A file's definitions on one side of the diff, grouped by qualified name."""

    def __init__(self, facts: FileFacts | None, lines: Lines, syntax: Syntax | None) -> None:
        self.definitions = facts.definitions if facts is not None else ()
        self.language = facts.language if facts is not None else ""
        self.syntax = syntax
        self._lines = lines
        self._holds: dict[int, list[int]] = {}
        groups: dict[str, list[int]] = {}
        for index, definition in enumerate(self.definitions):
            groups.setdefault(definition.qualified, []).append(index)
            parent = definition.parent
            if parent >= 0 and not _is_function(self.definitions[parent]):
                self._holds.setdefault(parent, []).append(index)
        self.groups = {qualified: tuple(indices) for qualified, indices in groups.items()}

    def is_local(self, index: int) -> bool:
        """Whether it is declared in a function, however deep. (What a property is put on may be declared below it.)"""
        above = self.definitions[index].parent
        while above >= 0 and not _is_function(self.definitions[above]):
            above = self.definitions[above].parent
        return above >= 0

    def hit(self, indices: Iterable[int], *, loosely: bool) -> bool:
        """Whether a changed line is one of a definition's own. `loosely`: lines that it shares with one in it, too."""
        return any(self._hit(index, loosely) for index in indices)

    def _hit(self, index: int, loosely: bool) -> bool:
        definition = self.definitions[index]
        line = definition.first_line
        for inner in sorted(self._holds.get(index, ()), key=lambda inner: self.definitions[inner].first_line):
            other = self.definitions[inner]
            last = other.first_line if loosely else other.first_line - 1
            if line <= last and touches(self._lines, line, last):
                return True
            line = max(line, other.end_line if loosely else other.end_line + 1)
        return line <= definition.end_line and touches(self._lines, line, definition.end_line)

    def are_accessors(self, indices: Sequence[int]) -> bool:
        """Whether they are a property's getter and setter: who reads it is not concerned by what writing it does."""
        return len({"setter" in self.definitions[index].modifiers for index in indices}) == 2

    def tokens(self, index: int) -> Iterator[bytes]:
        assert self.syntax is not None
        return own_tokens(self.syntax, index, self._holds.get(index, ()))

    def alone(self, index: int) -> Stretch | None:
        """Where a definition stands that holds no other one; None for one that does, or that no syntax tells of."""
        definition = self.definitions[index]
        if self.syntax is None or index in self._holds or "whole file" in definition.modifiers:
            return None
        return self.syntax, definition.start, definition.end

    def speaker(self, indices: Sequence[int], differing: Sequence[int]) -> Definition | None:
        """The definition that speaks for all of the same name."""
        if not indices:
            return None
        implementations = [index for index in indices if "overload" not in self.definitions[index].modifiers]
        if len(implementations) < len(indices):
            return self.definitions[implementations[-1] if implementations else indices[0]]
        position = next((place for place in differing if place < len(indices)), 0)
        return self.definitions[indices[position]]


def _is_function(definition: Definition) -> bool:
    return definition.kind in ("function", "method", "component") or definition.parameters is not None


def _differing(old: _Side, befores: Sequence[int], new: _Side, afters: Sequence[int]) -> list[int]:
    """The positions at which definitions of the same name differ in their own tokens, or are on one side only."""
    return [
        position
        for position, (before, after) in enumerate(zip_longest(befores, afters))
        if before is None or after is None or not _same(old, before, new, after)
    ]


def _same(old: _Side, before: int, new: _Side, after: int) -> bool:
    """Whether two definitions have the same tokens."""
    one, other = old.alone(before), new.alone(after)
    same = alike(one, other) if one is not None and other is not None else None
    return same_tokens(old.tokens(before), new.tokens(after)) if same is None else same


def pair_moves(
    changed: Iterable[ChangedDefinition],
    before: Callable[[str], Syntax | None],
    after: Callable[[str], Syntax | None],
) -> tuple[ChangedDefinition, ...]:
    """The same, with each definition that was removed from one file and added to another joined into one.

    They are joined when qualified name and kind are the same and so are the tokens, from the name on (change "moved"),
    or when there is only one of that name on each side and most of its tokens stayed (change "body" or "signature",
    `old_path` unlike `path`). A member moves with its class. `before` and `after` give the syntax of a file by its
    path at the merge base and at the head.
    """
    everything = tuple(changed)
    removed = _by_name(one for one in everything if one.change == "removed")
    added = _by_name(one for one in everything if one.change == "added")
    joined: dict[int, ChangedDefinition] = {}
    gone: set[int] = set()
    for name, olds in removed.items():
        news = added.get(name, [])
        for old in olds:
            candidates = [new for new in news if id(new) not in joined and new.path != old.old_path]
            for new in candidates:
                share = _shared(old, new, before, after)
                if share == 1.0 or (share >= _STAYED and len(olds) == len(news) == 1):
                    joined[id(new)] = _joined(old, new, share == 1.0, after)
                    gone.add(id(old))
                    break
    return tuple(joined.get(id(one), one) for one in everything if id(one) not in gone)


_STAYED: Final = 0.6
"""Share of the tokens that must be the same for a moved and edited definition to be taken for the same one."""


def _by_name(changed: Iterable[ChangedDefinition]) -> dict[tuple[str, str], list[ChangedDefinition]]:
    found: dict[tuple[str, str], list[ChangedDefinition]] = {}
    for one in changed:
        found.setdefault((one.definition.qualified, one.definition.kind), []).append(one)
    return found


def _shared(
    old: ChangedDefinition,
    new: ChangedDefinition,
    before: Callable[[str], Syntax | None],
    after: Callable[[str], Syntax | None],
) -> float:
    """The share of tokens that two definitions have in common: 1.0 only when they are the same, in the same order."""
    assert old.before is not None
    assert new.after is not None
    old_syntax = before(old.old_path) if old.old_path is not None else None
    new_syntax = after(new.path) if new.path is not None else None
    if old_syntax is None or new_syntax is None:
        return 0.0
    one, other = list(moved_tokens(old_syntax, old.before)), list(moved_tokens(new_syntax, new.after))
    if one == other and len(old.befores) == len(new.afters):
        return 1.0
    common = (Counter(one) & Counter(other)).total()
    return min(common / max(len(one), len(other), 1), 0.99)


def _joined(
    old: ChangedDefinition, new: ChangedDefinition, same: bool, after: Callable[[str], Syntax | None]
) -> ChangedDefinition:
    assert old.before is not None
    assert new.after is not None
    kind: SymbolChange = "moved"
    if not same:
        syntax = after(new.path) if new.path is not None else None
        language = syntax.facts.language if syntax is not None else ""
        kind = "body" if same_declaration(old.before, new.after, language) else "signature"
    return msgspec.structs.replace(new, before=old.before, befores=old.befores, old_path=old.old_path, change=kind)

"""Definitions that a change gives another name or another class: one that goes and one that comes, joined.

`graph.changes.pair_moves` joins what keeps its qualified name. Here a definition is joined with one that says the same
under another name in the same file (a rename), and a method that goes from a class with one that comes in a class that
it inherits (pulled up).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from graph.changes import ChangedDefinition
from graph.facts import Definition
from graph.hierarchy import CLASS_KINDS
from graph.signatures import same_declaration
from graph.tokens import moved_tokens
from graph.world import World

LEAST_TOKENS = 12
"""Tokens that a definition must have for another one with the same to be no coincidence."""
MOST_MEMBERS = 400
"""Added or removed definitions in one file, past which renames are not looked for."""

_VALUES = frozenset({"function", "component", "constant", "variable"})
"""Kinds of what may take each other's place, to be called or read as before."""


def with_renames(changed: Sequence[ChangedDefinition], before: World, after: World) -> list[ChangedDefinition]:
    """The changed definitions, with those that are the same under another name or in a base class joined."""
    return _pulled_up(_renamed(changed, before, after), before, after)


# -- another name ----------------------------------------------------------------------------------------------------


def _renamed(changed: Sequence[ChangedDefinition], before: World, after: World) -> list[ChangedDefinition]:
    """A definition that goes and one of the same text that comes in the same file: the one that goes tells of both, and
    what is in it goes with it. One that comes in the place of what goes, as what the module is when it is imported
    whole, is what that has become: it tells of both."""
    everything = list(changed)
    gone: set[int] = set()
    joined: dict[int, ChangedDefinition] = {}
    for path, olds in _by_file(each for each in everything if each.change == "removed").items():
        news = [each for each in everything if each.change == "added" and each.old_path == path]
        if not news or len(olds) + len(news) > MOST_MEMBERS:
            continue
        outer = [each for each in olds if not _is_inside(each, olds)]
        for old in sorted(outer, key=lambda each: each.definition.start):
            free = [each for each in news if id(each) not in gone and id(each) not in joined]
            new = _same_but_named(old, free, before, after)
            if new is not None:
                gone.add(id(new))
                joined[id(old)] = msgspec.structs.replace(old, renamed_to=new.definition.qualified)
            elif (new := _in_its_place(old, free, before, after)) is not None:
                gone.add(id(old))
                joined[id(new)] = _joined(old, new, after)
            else:
                continue
            for one in _members(old, olds):
                other = _counterpart(one, old, new, news)
                if other is not None or id(old) in joined:
                    gone.add(id(one))
                if other is not None:
                    gone.add(id(other))
                    edited = _edited(one, other, old, new, before, after)
                    if edited is not None:
                        joined[id(other)] = edited
                        gone.discard(id(other))
    return [joined.get(id(each), each) for each in everything if id(each) not in gone]


def _by_file(changed: Iterator[ChangedDefinition]) -> dict[str, list[ChangedDefinition]]:
    found: dict[str, list[ChangedDefinition]] = {}
    for each in changed:
        if each.old_path is not None and each.path is not None:
            found.setdefault(each.old_path, []).append(each)
    return found


def _is_inside(one: ChangedDefinition, others: Sequence[ChangedDefinition]) -> bool:
    definition = one.definition
    return any(
        other is not one and other.definition.start <= definition.start and definition.end <= other.definition.end
        for other in others
    )


def _members(owner: ChangedDefinition, among: Sequence[ChangedDefinition]) -> list[ChangedDefinition]:
    return [each for each in among if each.definition.qualified.startswith(owner.definition.qualified + ".")]


def _same_but_named(
    old: ChangedDefinition, news: Sequence[ChangedDefinition], before: World, after: World
) -> ChangedDefinition | None:
    """The one added definition that says the same as the removed one but for its name; None for none or several."""
    found = [
        new
        for new in news
        if new.definition.kind == old.definition.kind
        and new.definition.name != old.definition.name
        and new.definition.qualified.rpartition(".")[0] == old.definition.qualified.rpartition(".")[0]
        and not _is_inside(new, news)
        and len(old.befores) == len(new.afters) == 1
        and _says_the_same(old, new, before, after)
    ]
    return found[0] if len(found) == 1 else None


def _in_its_place(
    old: ChangedDefinition, news: Sequence[ChangedDefinition], before: World, after: World
) -> ChangedDefinition | None:
    """The one added definition that the module gives now where it gave the removed one, by no name of either: who
    imports the module's default gets it."""
    if old.local or not _is_the_module(before, old.old_path, old.definition):
        return None
    found = [
        new
        for new in news
        if (new.definition.kind == old.definition.kind or {new.definition.kind, old.definition.kind} <= _VALUES)
        and len(old.befores) == len(new.afters) == 1
        and not new.local
        and _is_the_module(after, new.path, new.definition)
    ]
    return found[0] if len(found) == 1 else None


def _is_the_module(world: World, path: str | None, definition: Definition) -> bool:
    """Whether the file passes the definition on as its default."""
    exports = world.program.facts(path or "").exports_of(definition)
    return any(each.exported in ("default", "=") for each in exports)


def _says_the_same(old: ChangedDefinition, new: ChangedDefinition, before: World, after: World) -> bool:
    one, other = _texts(old, new, before, after)
    if len(one) < LEAST_TOKENS:
        return False
    if one == other:
        return True
    # A class with an edited method is the same class; a function with an edited body may be another one.
    if old.definition.kind not in CLASS_KINDS:
        return False
    shared = (Counter(one) & Counter(other)).total()
    members = _member_names(before, old), _member_names(after, new)
    same = len(members[0] & members[1])
    return same > 0 and same * 10 >= 8 * max(map(len, members)) and shared * 10 >= 8 * max(len(one), len(other))


def _texts(
    old: ChangedDefinition, new: ChangedDefinition, before: World, after: World
) -> tuple[list[bytes], list[bytes]]:
    """The tokens of both after their names, with the old name in them read as the new one."""
    assert old.before is not None
    assert new.after is not None
    old_syntax = before.program.syntax(old.old_path) if old.old_path is not None else None
    new_syntax = after.program.syntax(new.path) if new.path is not None else None
    if old_syntax is None or new_syntax is None:
        return [], []
    was, now = old.before.name.encode(), new.after.name.encode()
    one = [now if each == was else each for each in moved_tokens(old_syntax, old.before)]
    return one, list(moved_tokens(new_syntax, new.after))


def _member_names(world: World, changed: ChangedDefinition) -> set[str]:
    path = changed.path if changed.change == "added" else changed.old_path
    owner = changed.definition
    prefix = owner.qualified + "."
    definitions = world.program.facts(path or "").definitions
    return {each.name for each in definitions if each.qualified.startswith(prefix) and owner.start <= each.start}


def _counterpart(
    member: ChangedDefinition, old: ChangedDefinition, new: ChangedDefinition, among: Sequence[ChangedDefinition]
) -> ChangedDefinition | None:
    """The member of the new name that is the one of the old."""
    rest = member.definition.qualified.removeprefix(old.definition.qualified)
    wanted = new.definition.qualified + rest
    found = [each for each in among if each.definition.qualified == wanted]
    return found[0] if len(found) == 1 and found[0].definition.kind == member.definition.kind else None


def _edited(
    one: ChangedDefinition,
    other: ChangedDefinition,
    old: ChangedDefinition,
    new: ChangedDefinition,
    before: World,
    after: World,
) -> ChangedDefinition | None:
    """The member of a renamed class as a changed one; None where only the class's name is another."""
    assert one.before is not None
    assert other.after is not None
    was, now = old.definition.name.encode(), new.definition.name.encode()
    first, second = _texts(one, other, before, after)
    if [now if each == was else each for each in first] == second:
        return None
    return _joined(one, other, after)


def _joined(one: ChangedDefinition, other: ChangedDefinition, after: World) -> ChangedDefinition:
    assert one.before is not None
    assert other.after is not None
    syntax = after.program.syntax(other.path) if other.path is not None else None
    language = syntax.facts.language if syntax is not None else ""
    same = same_declaration(_called(one.before, other.after.name), other.after, language)
    return msgspec.structs.replace(
        other, before=one.before, befores=one.befores, old_path=one.old_path, change="body" if same else "signature"
    )


def _called(definition: Definition, name: str) -> Definition:
    """The definition as it would be declared under that name."""
    if definition.name == name:
        return definition
    own = re.compile(rf"(?<![\w$]){re.escape(definition.name)}(?![\w$])")
    return msgspec.structs.replace(definition, name=name, declaration=own.sub(lambda _: name, definition.declaration))


# -- another class ---------------------------------------------------------------------------------------------------


def _pulled_up(changed: Sequence[ChangedDefinition], before: World, after: World) -> list[ChangedDefinition]:
    """A method that goes from a class, and the one of its name that comes in a class above it."""
    everything = list(changed)
    added: dict[str, list[ChangedDefinition]] = {}
    for each in everything:
        if each.change == "added" and each.definition.kind == "method":
            added.setdefault(each.definition.name, []).append(each)
    gone: set[int] = set()
    joined: dict[int, ChangedDefinition] = {}
    for old in everything:
        if old.change != "removed" or old.definition.kind != "method" or old.path is None:
            continue
        for new in added.get(old.definition.name, ()):
            if id(new) not in joined and _is_above(new, old, after) and _stayed(old, new, before, after):
                one, other = _texts(old, new, before, after)
                move = _joined(old, new, after)
                joined[id(new)] = msgspec.structs.replace(move, change="moved") if one == other else move
                gone.add(id(old))
                break
    return [joined.get(id(each), each) for each in everything if id(each) not in gone]


def _is_above(new: ChangedDefinition, old: ChangedDefinition, after: World) -> bool:
    """Whether the class of one is an ancestor of the other's class, in the tree after the change."""
    here = _owner(after, old.path, old.definition.qualified)
    there = _owner(after, new.path, new.definition.qualified)
    if here is None or there is None or here == there:
        return False
    lineage = after.inference.hierarchy.lineage(*here)
    return any((each.path, each.index) == there for each in lineage.ancestors)


def _owner(world: World, path: str | None, qualified: str) -> tuple[str, int] | None:
    name = qualified.rpartition(".")[0]
    if path is None or not name:
        return None
    for index, each in enumerate(world.program.facts(path).definitions):
        if each.qualified == name and each.kind in CLASS_KINDS:
            return path, index
    return None


def _stayed(old: ChangedDefinition, new: ChangedDefinition, before: World, after: World) -> bool:
    """Whether most of a method's tokens came along."""
    one, other = _texts(old, new, before, after)
    if not one or not other:
        return False
    common = (Counter(one) & Counter(other)).total()
    return common * 10 >= 6 * max(len(one), len(other))

"""Objects of constants: `const Key = { Zone: "zone", Tax: "tax" } as const`.

Who reads `Key.Zone` is not concerned by another value of `Key.Tax`: its properties are to it what its members are to an
enumeration.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

import msgspec

from graph import expressions as x
from graph.facts import Definition
from graph.languages.base import Syntax
from graph.tokens import past_separator
from graph.world import World

MOST_ENTRIES: Final = 400
"""Properties of an object, past which it is one thing: nobody is asked about each of its texts."""
DEEPEST: Final = 8
"""Objects in objects that are looked into."""


_SEPARATORS: Final = frozenset({b","})


class Entry(msgspec.Struct, frozen=True):
    """A property of an object of constants. `name`: with those of the objects around it in the same constant
    (`user.read`); `start`..`end` spans it with the separator after it."""

    name: str
    at: int
    start: int
    end: int


Side: TypeAlias = tuple[World, str, Definition]
Found: TypeAlias = tuple[Syntax, Definition, Sequence[tuple[int, int]], Sequence[Entry]]


def entries(old: Side, new: Side) -> tuple[Found, Found] | None:
    """Of both sides of a changed constant the syntax, the definition, the spans of the definitions in it and the
    entries that are none; None where one side is no object of constants.

    A property is an entry of its own only where nothing else in the object has its name: by that it is sought.
    """
    one, other = _object(*old), _object(*new)
    if one is None or other is None:
        return None
    shared: set[str] = set()
    for _, value, _ in (one, other):
        names = Counter(each.name for each in _properties(value))
        if len(names) > MOST_ENTRIES:
            return None
        shared.update(name for name, times in names.items() if times > 1)
    return _found(old[2], *one, shared), _found(new[2], *other, shared)


def _object(world: World, path: str, definition: Definition) -> tuple[Syntax, x.Object, int] | None:
    """The object literal that a constant is, with its index; None where it isn't one of constants."""
    parsed = world.inference.syntax(path)
    index = world.program.index_of(path, definition)
    if parsed is None or index < 0:
        return None
    language, syntax = parsed
    if not language.explicit_exports or definition.name == "default" or "assigned" in definition.modifiers:
        return None  # what is exported whole may be anything's options
    binding = language.value(syntax, index)
    if binding is None or binding.annotation is not None or not isinstance(binding.value, x.Object):
        return None
    if not binding.value.properties or world.inference.fields(path, index):
        return None  # something is put on it later
    return (syntax, binding.value, index) if _is_constant(binding.value) else None


def _is_constant(value: x.Expression, depth: int = 0) -> bool:
    """Whether an expression says all that it is: a literal, a function, or an object or list of these."""
    match value:
        case x.Literal_() | x.Function() | x.Defined():
            return True
        case x.Cast(value=inner):
            return isinstance(inner, x.Unknown) or _is_constant(inner, depth)
        case x.Sequence(items=items):
            return depth < DEEPEST and all(_is_constant(each, depth + 1) for each in items)
        case x.Object(properties=properties, spreads=()):
            return depth < DEEPEST and all(_is_constant(each.value, depth + 1) for each in properties)
    return False


def _properties(value: x.Object) -> Iterator[x.Property]:
    """All properties of an object and of those in it."""
    for each in value.properties:
        yield each
        if isinstance(inner := x.uncast(each.value), x.Object):
            yield from _properties(inner)


def _found(definition: Definition, syntax: Syntax, value: x.Object, index: int, shared: set[str]) -> Found:
    definitions = syntax.facts.definitions
    members = [(each.start, each.end) for each in definitions if each.parent == index]
    known = {each.at for each in definitions}
    return syntax, definition, members, list(_entries(syntax, value, "", known, shared))


def _entries(syntax: Syntax, value: x.Object, prefix: str, known: set[int], shared: set[str]) -> Iterator[Entry]:
    for each in value.properties:
        if each.at in known:
            continue  # a definition of its own
        inner = x.uncast(each.value)
        if isinstance(inner, x.Object) and all(_is_told_apart(one, shared) for one in _properties(inner)):
            yield from _entries(syntax, inner, f"{prefix}{each.name}.", known, shared)
        elif _is_told_apart(each, shared):
            start, end = _span(syntax, value, each)
            yield Entry(prefix + each.name, each.at, start, end)


def _is_told_apart(item: x.Property, shared: set[str]) -> bool:
    return item.name.isidentifier() and item.name not in shared


def _span(syntax: Syntax, value: x.Object, item: x.Property) -> tuple[int, int]:
    """From where a property begins to where the separator after it ends."""
    node = syntax.tree.root_node.descendant_for_byte_range(item.at, item.at + 1)
    while node is not None and node.parent is not None and node.parent.start_byte != value.at:
        node = node.parent
    if node is None:
        return item.at, item.at + len(item.name.encode())
    return node.start_byte, past_separator(syntax.source, node.end_byte, _SEPARATORS)

"""What is said of a definition's parameters elsewhere than in its own list, as its callers know them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from graph.changes import ChangedDefinition
from graph.expressions import Arguments
from graph.facts import Definition, Parameter
from graph.languages.base import ANY_ARGUMENTS, NamedType, Stated
from graph.signatures import compatible, same_parameters
from graph.types import Symbol
from graph.world import World

_MOST_ALIASES: Final = 8
"""Aliases of aliases that are looked through."""
_TYPES: Final = frozenset({"type", "interface"})
_WORD: Final = re.compile(r"(?<![\w$.])[A-Za-z_$][\w$]*")


def stated_of(world: World, path: str, definition: Definition) -> Stated:
    """What is said of a definition of the file at `path`; an empty one where nothing is."""
    index = world.program.index_of(path, definition)
    parsed = world.inference.syntax(path) if index >= 0 else None
    found = parsed[0].stated(parsed[1], index) if parsed is not None and definition.kind not in _TYPES else None
    told = _told_by(world, path, found.of) if found is not None and found.of is not None else None
    if told is not None:
        return msgspec.structs.replace(told, parameters=_as_in_own(told.parameters or (), definition.parameters or ()))
    return found if found is not None else Stated()


def _told_by(world: World, path: str, type_: NamedType) -> Stated | None:
    """What a type that is named in the file at `path` says of the functions that are of it; None where that isn't
    known."""
    for _ in range(_MOST_ALIASES):
        found = world.inference.denote(path, type_.name)
        symbol = found[0] if len(found) == 1 else None
        parsed = world.inference.syntax(symbol.path) if isinstance(symbol, Symbol) else None
        if not isinstance(symbol, Symbol) or parsed is None:
            return None
        language, syntax = parsed
        definition = syntax.facts.definitions[symbol.index]
        declared = [each.qualified for each in syntax.facts.definitions].count(definition.qualified)
        stated = language.stated(syntax, symbol.index) if definition.kind in _TYPES and declared == 1 else None
        names = [each.name for each in language.type_parameters(syntax, symbol.index)] if stated is not None else []
        if stated is None or len(names) != len(type_.arguments):
            return None
        given = dict(zip(names, type_.arguments, strict=True))
        if stated.parameters is not None:
            parameters = tuple(
                msgspec.structs.replace(each, type=_with_arguments(each.type, given)) for each in stated.parameters
            )
            return Stated(parameters, _with_arguments(stated.returns, given), by=stated.by)
        if stated.of is None:
            return None
        arguments = tuple(_with_arguments(each, given) or each for each in stated.of.arguments)
        path, type_ = symbol.path, NamedType(stated.of.name, arguments)
    return None


def _with_arguments(text: str | None, given: Mapping[str, str]) -> str | None:
    """The text of a type with what is given for its type parameters."""
    return _WORD.sub(lambda word: given.get(word[0], word[0]), text) if text is not None and given else text


def _as_in_own(told: Sequence[Parameter], own: Sequence[Parameter]) -> tuple[Parameter, ...]:
    """The parameters called as in the function's own list where that has types, too: what is known of those goes by
    their names."""
    if all(each.type is None for each in own):
        return tuple(told)
    called = [
        msgspec.structs.replace(each, name=own[place].name)
        if place < len(own) and own[place].kind == each.kind
        else each
        for place, each in enumerate(told)
    ]
    return tuple(called if len({each.name for each in called}) == len(called) else told)


def as_stated(definition: Definition, stated: Stated) -> Definition:
    """The definition with that."""
    if stated.parameters is None:
        return definition
    returns = stated.returns if stated.returns is not None else definition.returns
    declaration = f"{definition.declaration} {stated.by}".lstrip() if stated.by else definition.declaration
    return msgspec.structs.replace(definition, parameters=stated.parameters, returns=returns, declaration=declaration)


def is_enforced(stated: Stated, arguments: Arguments) -> bool:
    """Whether a call that does not pass what is asked for is wrong."""
    return stated.enforced == "always" or (stated.enforced == "where checked" and arguments.checked)


def with_stated(before: World, after: World, changed: ChangedDefinition) -> ChangedDefinition:
    """A changed definition with it; what of a component's props only that tells is a change of its signature, too."""
    old, new = changed.before, changed.after
    if old is None or new is None or changed.old_path is None or changed.path is None:
        return changed
    if changed.change not in ("signature", "body") or max(len(changed.befores), len(changed.afters)) > 1:
        return changed
    said, told = stated_of(before, changed.old_path, old), stated_of(after, changed.path, new)
    was, now = as_stated(old, said), as_stated(new, told)
    if _is_open(was) != _is_open(now):  # nothing tells what the one takes of the other
        was, now = _opened(was), _opened(now)
    is_unsure = (said.of is not None or told.of is not None) and not same_parameters(old, new)
    # The type may have changed with the function; if the function's own list takes less, nothing else need be known.
    if is_unsure and (_is_open(was) or _is_open(now) or compatible(was, now, named=False)):
        was, now = _untold(was), _untold(now)
    if told.enforced != "always" and old.parameters is not None and now.parameters is not None:
        # Of those that were there before the lists tell as much, and so do those of methods that take their place.
        olds = {each.name for each in old.parameters}
        own = {each.name: each for each in new.parameters or ()}
        kept = tuple(own.get(each.name, each) if each.name in olds else each for each in now.parameters)
        was, now = old, msgspec.structs.replace(now, parameters=kept)
    is_told = old.parameters is None and new.parameters is None and not same_parameters(was, now)
    if (was, now) == (old, new) or not (is_told or changed.change == "signature"):
        return changed
    return msgspec.structs.replace(changed, before=was, after=now, befores=(was,), afters=(now,), change="signature")


def _is_open(definition: Definition) -> bool:
    """Whether it takes what a type says that isn't understood."""
    return bool(definition.parameters) and (definition.parameters or ())[0].name == ANY_ARGUMENTS


def _untold(definition: Definition) -> Definition:
    """The definition as one of which nothing tells what it takes."""
    if definition.parameters is None:
        return definition
    return msgspec.structs.replace(definition, parameters=(Parameter(ANY_ARGUMENTS, "rest", True),))


def _opened(definition: Definition) -> Definition:
    if _is_open(definition) or definition.parameters is None:
        return definition
    types = ", ".join(each.type or each.name for each in definition.parameters)
    return msgspec.structs.replace(definition, parameters=(Parameter(ANY_ARGUMENTS, "rest", True, f"[{types}]"),))

"""What is said of a definition's parameters elsewhere than in its own list, as its callers know them."""

from __future__ import annotations

import msgspec

from graph.changes import ChangedDefinition
from graph.expressions import Arguments
from graph.facts import Definition, Parameter
from graph.languages.base import ANY_ARGUMENTS, Stated
from graph.signatures import same_parameters
from graph.world import World


def stated_of(world: World, path: str, definition: Definition) -> Stated:
    """What is said of a definition of the file at `path`; an empty one where nothing is."""
    index = world.program.index_of(path, definition)
    parsed = world.inference.syntax(path) if index >= 0 else None
    found = parsed[0].stated(parsed[1], index) if parsed is not None else None
    return found if found is not None else Stated()


def as_stated(definition: Definition, stated: Stated) -> Definition:
    """The definition with that."""
    if stated.parameters is None:
        return definition
    returns = stated.returns if stated.returns is not None else definition.returns
    declaration = f"{definition.declaration} {stated.by}" if stated.by else definition.declaration
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
    was = as_stated(old, stated_of(before, changed.old_path, old))
    told = stated_of(after, changed.path, new)
    now = as_stated(new, told)
    if _is_open(was) != _is_open(now):  # nothing tells what the one takes of the other
        was, now = _opened(was), _opened(now)
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


def _opened(definition: Definition) -> Definition:
    if _is_open(definition) or definition.parameters is None:
        return definition
    types = ", ".join(each.type or each.name for each in definition.parameters)
    return msgspec.structs.replace(definition, parameters=(Parameter(ANY_ARGUMENTS, "rest", True, f"[{types}]"),))

"""Constructors that a class's fields make: what they take before a change and after it, also those of subclasses.

A data class's constructor takes the fields of the data classes above it, too, those of the first one first; a plain
class below one is constructed by the constructor that it inherits.
"""

from __future__ import annotations

from functools import cache

import msgspec

from graph.changes import ChangedDefinition
from graph.facts import Definition, Parameter
from graph.quoting import quoted
from graph.stated import with_stated
from graph.world import World

_TUPLES = frozenset({"NamedTuple", "typing.NamedTuple", "t.NamedTuple"})


class Generated:
    """What they take. `before` and `after` are the tree without and with the change."""

    def __init__(self, before: World, after: World) -> None:
        self._before = before
        self._after = after
        self._of = cache(self._made)

    def with_generated(self, changed: ChangedDefinition) -> ChangedDefinition:
        """A class whose generated constructor changes (a data class's fields) as a change of its signature."""
        before, after = changed.before, changed.after
        if before is None or after is None or before.kind != "class" or after.kind != "class":
            return with_stated(self._before, self._after, changed)
        if len(changed.befores) > 1 or len(changed.afters) > 1 or changed.old_path is None or changed.path is None:
            return changed
        old = _parameters(self._before, changed.old_path, before)
        new = _parameters(self._after, changed.path, after)
        if old is None or new is None or old == new:
            return changed
        before = msgspec.structs.replace(before, parameters=old)
        after = msgspec.structs.replace(after, parameters=new)
        return msgspec.structs.replace(
            changed, before=before, after=after, befores=(before,), afters=(after,), change="signature"
        )

    def of(self, path: str, index: int) -> ChangedDefinition | None:
        """The generated constructor of a class of the tree after the change, as a change of the class; None where
        nothing tells what it takes, or took. The same object whenever it is asked for."""
        return self._of(path, index)

    def disorder(self, path: str, index: int) -> str | None:
        """Why a class can no longer be made at all: a field of it that must be passed follows one now that need not."""
        changed = self.of(path, index)
        if changed is None or changed.before is None or changed.after is None:
            return None
        was, now = _out_of_order(changed.before), _out_of_order(changed.after)
        if now is None or was is not None:
            return None
        return f"its field {quoted(now[1])} must be passed and follows {quoted(now[0])}, which need not be"

    def _made(self, path: str, index: int) -> ChangedDefinition | None:
        after = self._after.program.facts(path).definitions[index]
        same = [each for each in self._before.program.facts(path).definitions if each.qualified == after.qualified]
        if len(same) != 1:
            return None
        old, new = _parameters(self._before, path, same[0]), _parameters(self._after, path, after)
        if old is None or new is None:
            return None
        before = msgspec.structs.replace(same[0], parameters=old)
        after = msgspec.structs.replace(after, parameters=new)
        return ChangedDefinition(
            change="signature",
            path=path,
            old_path=path,
            before=before,
            after=after,
            befores=(before,),
            afters=(after,),
        )


def _parameters(world: World, path: str, definition: Definition) -> tuple[Parameter, ...] | None:
    """The parameters of the constructor that the class's fields make, those of its bases included; None where they make
    none, or a base is not known."""
    index = world.program.index_of(path, definition)
    if index < 0:
        return None
    language, syntax = world.program.language(path), world.program.syntax(path)
    if language is None or syntax is None or language.generated(syntax, index) is None:
        return None
    lineage = world.inference.hierarchy.lineage(path, index)
    if lineage.open and set(syntax.facts.definitions[index].bases) - _TUPLES:
        return None
    found: dict[str, Parameter] = {}
    for ancestor in reversed(lineage.ancestors):
        language, syntax = world.program.language(ancestor.path), world.program.syntax(ancestor.path)
        if ancestor.path.startswith("\0") or language is None or syntax is None:
            continue
        for each in language.generated(syntax, ancestor.index) or ():
            found[each.name] = each
    positional = [each for each in found.values() if each.kind != "keyword-only"]
    return (*positional, *(each for each in found.values() if each.kind == "keyword-only"))


def _out_of_order(definition: Definition) -> tuple[str, str] | None:
    """A field that may be left out, and the next one that may not."""
    optional = ""
    for each in definition.parameters or ():
        if each.kind == "keyword-only":
            continue
        if each.optional:
            optional = each.name
        elif optional:
            return optional, each.name
    return None


def with_differing_fields(declaration: str | None, own: Definition | None, other: Definition | None) -> str | None:
    """The declaration of a class with those fields that make its constructor another one than the other side's."""
    if declaration is None or own is None or other is None or "class" not in (own.kind, other.kind):
        return declaration
    mine, theirs = own.parameters or (), other.parameters or ()
    differing = [each for each in mine if each not in theirs]
    if not differing and all(each in mine for each in theirs):
        differing = list(mine)  # they are in another order
    return "\n".join([declaration, *map(_field, differing)])


def _field(parameter: Parameter) -> str:
    default = " = ..." if parameter.optional else ""
    by_name = "  (by name only)" if parameter.kind == "keyword-only" else ""
    return f"    {parameter.name}: {parameter.type}{default}{by_name}"

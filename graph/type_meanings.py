"""Whether a type that is written otherwise after the change takes what the one before it took, by what both mean: the
same class through another import or under another name, a base of it, an options object with one more optional member.

Only types of which all is understood are compared; of the others nothing is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from graph import expressions as x
from graph.changes import ChangedDefinition
from graph.facts import Definition, Parameter
from graph.hierarchy import CLASS_KINDS
from graph.languages.base import Language
from graph.type_spellings import accepts
from graph.types import External, Local, Symbol
from graph.world import World

_DEEPEST: Final = 10
"""Types within types that are compared."""


class _Written(msgspec.Struct, frozen=True):
    """A type in the file where it is written."""

    side: _Side
    type: x.TypeExpression


class _Side(msgspec.Struct, frozen=True, eq=False):
    """The declaration of a definition: its file, and the types that it states."""

    world: World
    path: str
    language: Language
    parameters: tuple[x.TypeExpression | None, ...]
    result: x.TypeExpression | None

    def parameter(self, place: int) -> _Written | None:
        stated = self.parameters[place] if place < len(self.parameters) else None
        return _Written(self, stated) if stated is not None else None

    @property
    def returned(self) -> _Written | None:
        return _Written(self, self.result) if self.result is not None else None


class TypeMeanings:
    """Compares the types of one pull request. `moved` is to be filled before the first question."""

    def __init__(self, before: World, after: World) -> None:
        self._before = before
        self._after = after
        self.moved: dict[tuple[str, str], tuple[str, str]] = {}

    def comparable(self, changed: ChangedDefinition) -> ChangedDefinition:
        """The definition with the types after the change that take as much as those before written like these; and its
        result, when it gives no more."""
        before, after = changed.before, changed.after
        if before is None or after is None or changed.old_path is None or changed.path is None:
            return changed
        if changed.change != "signature" or len(changed.befores) > 1 or len(changed.afters) > 1:
            return changed
        old = _declared(self._before, changed.old_path, before)
        new = _declared(self._after, changed.path, after)
        if old is None or new is None:
            return changed
        olds, parameters = before.parameters, after.parameters
        if parameters is not None and olds is not None:
            parameters = tuple(
                msgspec.structs.replace(now, type=olds[was].type)
                if was >= 0
                and not accepts(now.type, olds[was].type)
                and self._takes(new.parameter(place), old.parameter(was))
                else now
                for place, (now, was) in enumerate(zip(parameters, _paired(olds, parameters), strict=True))
            )
        returns = after.returns
        if not accepts(before.returns, returns) and self._takes(old.returned, new.returned):
            returns = before.returns
        if (parameters, returns) == (after.parameters, after.returns):
            return changed
        after = msgspec.structs.replace(after, parameters=parameters, returns=returns)
        return msgspec.structs.replace(changed, after=after, afters=(after,) if changed.afters else ())

    def _takes(self, wide: _Written | None, narrow: _Written | None, depth: int = 0) -> bool:
        """Whether a type takes all of another one, for sure."""
        if wide is None or narrow is None or depth > _DEEPEST:
            return False
        options = _options(wide)
        return all(any(self._takes_one(one, each, depth) for one in options) for each in _options(narrow))

    def _takes_one(self, wide: _Written, narrow: _Written, depth: int) -> bool:
        """The same of types that are no unions."""
        match wide.type, narrow.type:
            case x.UnknownType(), _:
                return True  # `any`
            case x.IntersectionType(options=parts), other:
                needed = [part for part in parts if not _is_optional(part)]
                given = other.options if isinstance(other, x.IntersectionType) else (other,)
                return len(needed) < len(parts) and all(
                    any(self._takes(_Written(wide.side, part), _Written(narrow.side, one), depth + 1) for one in given)
                    for part in needed
                )
            case x.TypeName(), x.TypeName():
                return self._takes_name(wide, narrow, depth)
            case x.ObjectType(open=False), x.ObjectType(open=False):
                return self._takes_object(wide, narrow, depth)
            case x.TupleType(items=items), x.TupleType(items=others):
                return len(items) == len(others) and all(
                    self._takes(_Written(wide.side, one), _Written(narrow.side, other), depth + 1)
                    for one, other in zip(items, others, strict=True)
                )
            case x.ClassOf(type=one), x.ClassOf(type=other):
                return self._takes(_Written(wide.side, one), _Written(narrow.side, other), depth + 1)
            case (x.SelfType(), x.SelfType()) | (x.LiteralType(), x.LiteralType()):
                return wide.type == narrow.type and isinstance(wide.type, x.SelfType)
            case _:
                return False

    def _takes_object(self, wide: _Written, narrow: _Written, depth: int) -> bool:
        assert isinstance(wide.type, x.ObjectType)
        assert isinstance(narrow.type, x.ObjectType)
        others = {each.name: each for each in narrow.type.members}
        if not others.keys() <= {each.name for each in wide.type.members}:
            return False
        for each in wide.type.members:
            other = others.get(each.name)
            if other is None or (other.optional and not each.optional):
                if not each.optional:
                    return False
            elif not self._takes(_Written(wide.side, each.type), _Written(narrow.side, other.type), depth + 1):
                return False
        return True

    def _takes_name(self, wide: _Written, narrow: _Written, depth: int) -> bool:
        assert isinstance(wide.type, x.TypeName)
        assert isinstance(narrow.type, x.TypeName)
        if wide.type.name in wide.side.language.unknown_types and not wide.type.arguments:
            return True
        one, other = _meant(wide.side, wide.type), _meant(narrow.side, narrow.type)
        if narrow.side.world is self._before and isinstance(other, tuple):
            other = self.moved.get(other, other)
        if wide.side.world is self._before and isinstance(one, tuple):
            one = self.moved.get(one, one)
        if one is None or other is None:
            return False
        if one == other:
            mine, others = wide.type.arguments, narrow.type.arguments
            return len(mine) == len(others) and all(
                self._takes(_Written(wide.side, a), _Written(narrow.side, b), depth + 1)
                and self._takes(_Written(narrow.side, b), _Written(wide.side, a), depth + 1)
                for a, b in zip(mine, others, strict=True)
            )
        if isinstance(one, tuple) and isinstance(other, tuple) and not (wide.type.arguments or narrow.type.arguments):
            return self._inherits(other, one)
        return False

    def _inherits(self, child: tuple[str, str], ancestor: tuple[str, str]) -> bool:
        """Whether one class of the tree after the change inherits another one."""
        lower, upper = _class(self._after, child), _class(self._after, ancestor)
        if lower < 0 or upper < 0:
            return False
        return self._after.inference.hierarchy.inherits(child[0], lower, (ancestor[0], upper))


def _declared(world: World, path: str, definition: Definition) -> _Side | None:
    """What a definition of the file states of types; None where it can't be read."""
    parsed = world.inference.syntax(path)
    if parsed is None:
        return None
    language, syntax = parsed
    index = world.program.index_of(path, definition)
    if index < 0 or definition.parameters is None:
        return None
    parameters = tuple(each.annotation for each in language.parameter_types(syntax, index))
    return _Side(world, path, language, parameters, language.result(syntax, index).annotation)


def _paired(olds: Sequence[Parameter], news: Sequence[Parameter]) -> list[int]:
    """For each new parameter the place of the old one that it continues: the one of its name, or, where there are as
    many and the name is new, the one in its place; -1 for none."""
    by_name = {each.name: place for place, each in enumerate(olds) if each.name != "_"}
    names = {each.name for each in news if each.name != "_"}
    found: list[int] = []
    for place, each in enumerate(news):
        was = by_name.get(each.name, -1)
        if was < 0 and len(olds) == len(news) and olds[place].name not in names:
            was = place
        found.append(was)
    return found


def _options(written: _Written) -> list[_Written]:
    """The members of a union."""
    found: list[_Written] = []
    pending = [written.type]
    while pending:
        each = pending.pop()
        if isinstance(each, x.UnionType):
            pending.extend(each.options)
        else:
            found.append(_Written(written.side, each))
    return found


def _is_optional(part: x.TypeExpression) -> bool:
    """Whether it is an object type that nothing need be passed for."""
    return isinstance(part, x.ObjectType) and all(each.optional for each in part.members)


def _meant(side: _Side, written: x.TypeName) -> tuple[str, str] | str | None:
    """What a name of a type stands for: (path, qualified name) in the repository, the name of something from outside or
    of the language; None where that isn't known."""
    if written.name in side.language.empty_types:
        return "nothing"
    first, *rest = written.name.split(".")
    expression: x.Expression = x.Name(first, written.at)
    for each in rest:
        expression = x.Member(expression, each, written.at)
    found = side.world.inference.denote(side.path, expression)
    if len(found) != 1:
        return written.name if not found else None
    match found[0]:
        case Symbol(path=path, index=index, receiver=None):
            return path, side.world.program.facts(path).definitions[index].qualified
        case External(name=name):
            return name
        case Local(binding=x.Binding(kind="type-parameter", name=name)):
            return name
        case _:
            return None


def _class(world: World, named: tuple[str, str]) -> int:
    """The class of that qualified name in a file; -1 where there is none, or several."""
    path, qualified = named
    if path not in world.snapshot.paths:
        return -1
    definitions = world.program.facts(path).definitions
    found = [i for i, each in enumerate(definitions) if each.qualified == qualified and each.kind in CLASS_KINDS]
    return found[0] if len(found) == 1 else -1

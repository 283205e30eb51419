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
from graph.signatures import takes_type
from graph.type_spellings import NOT_PASSED, accepts, same_type
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

    def same_parameters(self, changed: ChangedDefinition) -> bool:
        """Whether the parameters are of the same types, in the same order, whatever they are called: a function as a
        value is of the same type then."""
        same = self.comparable(changed, exactly=True)
        old = same.before.parameters if same.before is not None else None
        new = same.after.parameters if same.after is not None else None
        if old is None or new is None:
            return old is new
        return len(old) == len(new) and all(
            was.kind == now.kind and same_type(was.type, now.type) for was, now in zip(old, new, strict=True)
        )

    def comparable(self, changed: ChangedDefinition, *, exactly: bool = False) -> ChangedDefinition:
        """The definition with the types after the change that take as much as those before written like these; and its
        result, when it gives no more. `exactly`: those that take no more either."""
        before, after = changed.before, changed.after
        if before is None or after is None or changed.old_path is None or changed.path is None:
            return changed
        if changed.change != "signature":
            return changed
        old_path, path = changed.old_path, changed.path
        before_in, after_in = self._before.program.language(old_path), self._after.program.language(path)
        if before_in is not None and after_in is not None and not exactly:
            before, after = _loosely(before, before_in), _loosely(after, after_in)
            befores = tuple(_loosely(each, before_in) for each in changed.befores)
            afters = tuple(_loosely(each, after_in) for each in changed.afters)
            changed = msgspec.structs.replace(changed, before=before, after=after, befores=befores, afters=afters)
        if len(changed.befores) > 1 or len(changed.afters) > 1:
            return changed
        old = _declared(self._before, old_path, before)
        new = _declared(self._after, path, after)
        if old is None or new is None:
            return changed
        olds, parameters = before.parameters, after.parameters
        if parameters is not None and olds is not None:
            parameters = tuple(
                msgspec.structs.replace(now, type=olds[was].type)
                if was >= 0
                and not takes_type(now, olds[was])
                and self._takes(new.parameter(place), _without_undefined(old.parameter(was), now.optional))
                and (not exactly or self._takes(old.parameter(was), new.parameter(place)))
                else now
                for place, (now, was) in enumerate(zip(parameters, _paired(olds, parameters), strict=True))
            )
        returns = after.returns
        # Where types implement interfaces without saying so, a variable that holds a result is of just its type.
        exactly = exactly or new.language.structural
        if (
            not accepts(before.returns, returns, read=True)
            and self._takes(old.returned, new.returned, read=True)
            and (not exactly or self._takes(new.returned, old.returned))
        ):
            returns = before.returns
        if (parameters, returns) == (after.parameters, after.returns):
            return changed
        after = msgspec.structs.replace(after, parameters=parameters, returns=returns)
        return msgspec.structs.replace(changed, after=after, afters=(after,) if changed.afters else ())

    def _takes(self, wide: _Written | None, narrow: _Written | None, depth: int = 0, *, read: bool = False) -> bool:
        """Whether a type takes all of another one, for sure. `read`: it is a result's, of which nobody minds one
        property more."""
        if wide is None or narrow is None or depth > _DEEPEST:
            return False
        options = _options(wide)
        return all(any(self._takes_one(one, each, depth, read) for one in options) for each in _options(narrow))

    def _takes_one(self, wide: _Written, narrow: _Written, depth: int, read: bool) -> bool:
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
            case x.ObjectType(open=False, form=form), x.ObjectType(open=False, form=other_form) if form == other_form:
                return self._takes_object(wide, narrow, depth, read)
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

    def _takes_object(self, wide: _Written, narrow: _Written, depth: int, read: bool) -> bool:
        assert isinstance(wide.type, x.ObjectType)
        assert isinstance(narrow.type, x.ObjectType)
        others = {each.name: each for each in narrow.type.members}
        if not read and not others.keys() <= {each.name for each in wide.type.members}:
            return False
        for each in wide.type.members:
            other = others.get(each.name)
            if other is None or (other.optional and not each.optional):
                if not each.optional:
                    return False
            else:
                type_ = _without_undefined(_Written(narrow.side, other.type), each.optional)
                if not self._takes(_Written(wide.side, each.type), type_, depth + 1, read=read):
                    return False
        return True

    def _takes_name(self, wide: _Written, narrow: _Written, depth: int) -> bool:
        assert isinstance(wide.type, x.TypeName)
        assert isinstance(narrow.type, x.TypeName)
        if wide.type.name in wide.side.language.unknown_types and not wide.type.arguments and not wide.type.form:
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
            return (wide.type.form, len(mine)) == (narrow.type.form, len(others)) and all(
                self._takes(_Written(wide.side, a), _Written(narrow.side, b), depth + 1)
                and self._takes(_Written(narrow.side, b), _Written(wide.side, a), depth + 1)
                for a, b in zip(mine, others, strict=True)
            )
        if isinstance(one, tuple) and isinstance(other, tuple) and not (wide.type.arguments or narrow.type.arguments):
            return self._is_assignable(wide, narrow, one) and self._inherits(other, one)
        return False

    def _is_assignable(self, wide: _Written, narrow: _Written, ancestor: tuple[str, str]) -> bool:
        """Whether values of a type may be of another one because their class inherits it: where types implement
        interfaces without saying so, only of an interface, which a pointer to what has its methods is of, too."""
        if not wide.side.language.structural:
            return True
        assert isinstance(wide.type, x.TypeName)
        assert isinstance(narrow.type, x.TypeName)
        index = _class(self._after, ancestor)
        definitions = self._after.program.facts(ancestor[0]).definitions if index >= 0 else ()
        is_interface = index >= 0 and definitions[index].kind == "interface"
        return is_interface and not wide.type.form and narrow.type.form in ("", "*")

    def _inherits(self, child: tuple[str, str], ancestor: tuple[str, str]) -> bool:
        """Whether one class of the tree after the change inherits another one."""
        lower, upper = _class(self._after, child), _class(self._after, ancestor)
        if lower < 0 or upper < 0:
            return False
        return self._after.inference.hierarchy.inherits(child[0], lower, (ancestor[0], upper))


def _loosely(definition: Definition, language: Language) -> Definition:
    """The definition with its types as `Language.loosened` has them."""
    parameters, returns = definition.parameters, definition.returns
    if parameters is not None:
        parameters = tuple(
            msgspec.structs.replace(each, type=language.loosened(each.type)) if each.type is not None else each
            for each in parameters
        )
    returns = language.loosened(returns) if returns is not None else None
    if (parameters, returns) == (definition.parameters, definition.returns):
        return definition
    return msgspec.structs.replace(definition, parameters=parameters, returns=returns)


def _declared(world: World, path: str, definition: Definition) -> _Side | None:
    """What a definition of the file states of types; None where it can't be read."""
    parsed = world.inference.syntax(path)
    if parsed is None:
        return None
    language, syntax = parsed
    index = world.program.index_of(path, definition)
    if index < 0 or definition.parameters is None:
        return None
    parameters = tuple(
        each.annotation if own.name == each.name else None  # what is stated elsewhere may be no parameter of its own
        for own, each in zip(definition.parameters, language.parameter_types(syntax, index), strict=False)
    )
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


def _without_undefined(written: _Written | None, optional: bool) -> _Written | None:
    """What is left of a type that is to be taken by what may be left out: that takes `undefined` anyway."""
    if written is None or not optional or not isinstance(written.type, x.UnionType):
        return written
    left = [each for each in written.type.options if not (isinstance(each, x.TypeName) and each.name == NOT_PASSED)]
    return _Written(written.side, x.UnionType(tuple(left))) if left else written


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

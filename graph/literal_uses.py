"""Object literals where a changed interface, or a type that stands for an object, is asked for.

A call that passes one names the function, not the type, so it is no caller of the type; but when the type asks for
another property, or no longer knows one, it is the call that no longer fits: `save({ id: 1 })` after `Options` got a
required `name`. JSX elements pass their attributes so, too. The same goes for literals that are written where the type
is (`const options: Options = { id: 1 }`), and for those in other literals, whose type has a property of the type.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

import msgspec

from graph import expressions as x
from graph.callers import Site, Target
from graph.changes import ChangedDefinition
from graph.expressions import Arguments
from graph.facts import Definition, Parameter
from graph.languages.base import Language, Stated, Syntax
from graph.shapes import Shape, declared_as, declared_of, misfit_of, same_types, shape_of
from graph.signatures import landings
from graph.stated import as_stated, is_enforced, stated_of
from graph.typed_literals import TypedLiteral, typed_literals
from graph.world import World

MAX_FUNCTIONS = 40
"""Functions that take the type and whose calls are looked at."""
MAX_HOLDERS = 8
"""Types with a property of the type, or of one with such a property, that are looked at."""
MAX_FIELDS = 12
"""Fields of the type, or of lists of it, of which it is looked at what is stored in them."""
MAX_NAMED = 400
"""Places that name a type, past which literals for it are no longer sought."""


Place: TypeAlias = tuple[str, int]
"""(path, definition index or offset)."""


class LiteralUse(msgspec.Struct, frozen=True):
    """A literal that no longer fits, or the call that passes it. `why` says how, `through` which parameter asks for the
    type."""

    site: Site
    why: str
    through: str | None


class _Taker(msgspec.Struct, frozen=True):
    """A parameter that is declared to be of the type."""

    path: str
    index: int
    parameter: str


class LiteralUses:
    """Finds them in the tree `after` the change; `before` is the tree without it."""

    def __init__(self, before: World, after: World) -> None:
        self._before = before
        self._after = after
        self._sites: dict[Place, tuple[Site, ...]] = {}

    def misfits(self, changed: ChangedDefinition, sites: Iterable[Site]) -> Iterator[LiteralUse]:
        """What fitted and no longer does; `sites` are the type's own callers."""
        if changed.before is None or changed.after is None or changed.old_path is None or changed.path is None:
            return
        if changed.after.kind not in ("interface", "type"):
            return
        old = _shape_of_definition(self._before, changed.old_path, changed.before)
        new = _shape_of_definition(self._after, changed.path, changed.after)
        if old is None or new is None or not _asks_otherwise(old, new):
            return
        named = [site for site in sites if site.kind in ("type", "base") and site.sure]
        takers = dict.fromkeys(taker for site in named for taker in self._takers(site))
        for taker in list(takers)[:MAX_FUNCTIONS]:
            yield from self._of(taker)
        index = self._after.program.index_of(changed.path, changed.after)
        if index < 0:
            return
        shapes: dict[Place, tuple[Shape, Shape] | None] = {(changed.path, index): (old, new)}
        seen: set[Place] = set()
        for literal, path in self._literals_near((changed.path, index), named):
            place = (path, literal.literal.at)
            symbol = declared_as(self._after.inference, literal.path, literal.type) if place not in seen else None
            if symbol is None:
                continue
            seen.add(place)
            asked = (symbol.path, symbol.index)
            if asked not in shapes:
                shapes[asked] = self._shapes(asked)
            why = _misfit(literal.literal, shapes[asked])
            if why is not None and not self._is_let_pass(path, literal.literal.at):
                yield LiteralUse(self._site(path, literal.literal.at), why, None)

    def _shapes(self, place: Place) -> tuple[Shape, Shape] | None:
        """What a type asked before the change and asks now, where it has that from another one; None where that makes
        no difference, or isn't known."""
        path, index = place
        definition = self._after.program.facts(path).definitions[index]
        was = [each for each in self._before.program.facts(path).definitions if each.qualified == definition.qualified]
        old = _shape_of_definition(self._before, path, was[0]) if len(was) == 1 else None
        new = _shape_of_definition(self._after, path, definition)
        return (old, new) if old is not None and new is not None and _asks_otherwise(old, new) else None

    def _is_let_pass(self, path: str, at: int) -> bool:
        """Whether a comment tells the checker to say nothing there."""
        parsed = self._after.inference.syntax(path)
        return parsed is not None and parsed[0].may_bypass(parsed[1], at)

    def _site(self, path: str, at: int) -> Site:
        program = self._after.program
        around = program.innermost(path, at)
        return Site(
            path=path,
            at=at,
            line=program.tree.read(path).count(b"\n", 0, at) + 1,
            kind="value",
            sure=True,
            via="literal",
            within=program.facts(path).definitions[around].qualified if around >= 0 else None,
        )

    def _literals_near(self, place: Place, named: Sequence[Site]) -> Iterator[tuple[TypedLiteral, str]]:
        """The literals that are held to the type at `place`, or to what has a property of it or extends it, and the
        files in which they are. `named` are the places that name the type."""
        pending = [named]
        known = {place}
        takers: set[_Taker] = set()
        fields = 0
        while pending:
            sites = pending.pop(0)
            for site in sites[:MAX_NAMED]:
                yield from self._written_at(site)
                for taker in self._takers(site, inside=True):
                    if taker not in takers and len(takers) < MAX_FUNCTIONS:
                        takers.add(taker)
                        yield from self._passed_to(taker)
                if fields < MAX_FIELDS:
                    for owner, name, annotation in self._fields_at(site):
                        fields += 1
                        yield from self._stored_in(owner, name, annotation)
                holder = self._holder(site)
                if holder is not None and holder not in known and len(known) <= MAX_HOLDERS:
                    known.add(holder)
                    found = self._sites_of(holder)
                    pending.append([each for each in found if each.kind in ("type", "base") and each.sure])

    def _holder(self, site: Site) -> Place | None:
        """The interface or type in which a type is named, be it to extend it."""
        index = self._after.program.innermost(site.path, site.at)
        definitions = self._after.program.facts(site.path).definitions
        while index >= 0 and definitions[index].kind not in ("interface", "type"):
            index = definitions[index].parent
        return (site.path, index) if index >= 0 else None

    def _written_at(self, site: Site) -> Iterator[tuple[TypedLiteral, str]]:
        parsed = self._after.inference.syntax(site.path)
        for typed in parsed[0].written_values(parsed[1], site.at) if parsed is not None else ():
            for literal in typed_literals(self._after.inference, typed.value, site.path, typed.annotation):
                yield literal, site.path

    def _fields_at(self, site: Site) -> Iterator[tuple[Place, str, x.TypeExpression]]:
        """The field in whose type a type is named: what declares it, its name, its type."""
        program = self._after.program
        index = program.innermost(site.path, site.at)
        if index < 0 or program.facts(site.path).definitions[index].kind not in ("class", "interface", "type"):
            return
        for name, bindings in self._after.inference.fields(site.path, index).items():
            for each in bindings:
                if each.annotation is not None and _stands_at(each.annotation, site.at):
                    yield (site.path, index), name, each.annotation

    def _stored_in(self, owner: Place, name: str, annotation: x.TypeExpression) -> Iterator[tuple[TypedLiteral, str]]:
        """The literals that are stored in a field."""
        for site in self._after.callers(owner[0]).field(*owner, name).sites:
            parsed = self._after.inference.syntax(site.path) if site.sure else None
            for value in parsed[0].stored_values(parsed[1], site.at) if parsed is not None else ():
                for literal in typed_literals(self._after.inference, value, owner[0], annotation):
                    yield literal, site.path

    def _passed_to(self, taker: _Taker) -> Iterator[tuple[TypedLiteral, str]]:
        """The literals in what the calls of a function pass for a parameter."""
        annotation = self._annotation(self._after, taker.path, taker.index, taker.parameter)
        definition = self._after.program.facts(taker.path).definitions[taker.index]
        stated = stated_of(self._after, taker.path, definition)
        parameters = as_stated(definition, stated).parameters or ()
        for site in self._sites_of((taker.path, taker.index)):
            passing = self._passing(site, stated) if site.sure and annotation is not None else None
            if passing is None or annotation is None:
                continue
            language, syntax, call_at, arguments = passing
            landed = landings(parameters, arguments, skip_first=False)
            for value, landing in zip(language.passed(syntax, call_at), landed, strict=False):
                if landing is not None and landing.name == taker.parameter:
                    for literal in typed_literals(self._after.inference, value, taker.path, annotation):
                        if literal.literal is not value:  # what is passed itself, its call tells
                            yield literal, site.path

    def _sites_of(self, place: Place) -> tuple[Site, ...]:
        """Who names a definition, worked out once for all who ask."""
        if place not in self._sites:
            self._sites[place] = self._after.callers(place[0]).find(Target(place[0], (place[1],))).sites
        return self._sites[place]

    def _passing(self, site: Site, stated: Stated) -> tuple[Language, Syntax, int, Arguments] | None:
        """What the call, or element, at a site passes, with what tells where; None where nothing holds it to types."""
        parsed = self._after.inference.syntax(site.path)
        call_at = site.at if site.kind == "jsx" else site.call_at
        arguments = parsed[0].arguments(parsed[1], call_at) if parsed is not None and call_at >= 0 else None
        if parsed is None or arguments is None or not is_enforced(stated, arguments):
            return None
        return *parsed, call_at, arguments

    def compatible(self, changed: ChangedDefinition) -> bool | None:
        """Whether whatever a type alias took it takes still; None when it isn't known what it asks for."""
        if changed.before is None or changed.after is None or changed.old_path is None or changed.path is None:
            return None
        old = _shape_of_definition(self._before, changed.old_path, changed.before)
        new = _shape_of_definition(self._after, changed.path, changed.after)
        if old is None or new is None:
            return None
        return not _asks_otherwise(old, new) and same_types(tuple(old.properties), old, new)

    def _takers(self, site: Site, *, inside: bool = False) -> Iterator[_Taker]:
        """The parameters whose declared type holds the reference at `site`; `inside`: be it that of a property."""
        parsed = self._after.inference.syntax(site.path) if site.kind == "type" and site.sure else None
        if parsed is None:
            return
        language, syntax = parsed
        for index, each in enumerate(syntax.facts.definitions):
            if each.start <= site.at < each.end:
                for declared in language.parameter_types(syntax, index):
                    if declared.annotation is not None and _stands_at(declared.annotation, site.at, inside=inside):
                        yield _Taker(site.path, index, declared.name)

    def _of(self, taker: _Taker) -> Iterator[LiteralUse]:
        definitions = self._after.program.facts(taker.path).definitions
        definition = definitions[taker.index]
        if [each.qualified for each in definitions].count(definition.qualified) != 1:
            return
        new = self._parameter_shape(self._after, taker.path, definition.qualified, taker.parameter)
        old = self._parameter_shape(self._before, taker.path, definition.qualified, taker.parameter)
        if new is None or old is None:
            return
        through = f"for {taker.parameter} of {definition.qualified}"
        stated = stated_of(self._after, taker.path, definition)
        parameters = as_stated(definition, stated).parameters or ()
        for site in self._sites_of((taker.path, taker.index)):
            is_jsx = site.kind == "jsx"
            is_held = site.sure and not self._is_let_pass(site.path, site.at)
            for literal in self._literals(parameters, taker.parameter, site, stated) if is_held else ():
                was, now = literal, literal
                if "whole file" in definition.modifiers:
                    was, now = declared_of(literal, old), declared_of(literal, old, new)
                why = misfit_of(now, new, jsx=is_jsx)
                if why is not None and misfit_of(was, old, jsx=is_jsx) is None:
                    yield LiteralUse(site, why, through)

    def _literals(
        self, parameters: Sequence[Parameter], parameter: str, site: Site, stated: Stated
    ) -> Iterator[Sequence[str]]:
        """The object literals that a call passes for the parameter."""
        passing = self._passing(site, stated)
        if passing is None or passing[3].spread:
            return
        arguments = passing[3]
        for literal, landing in zip(
            arguments.literals, landings(parameters, arguments, skip_first=False), strict=False
        ):
            if literal is not None and landing is not None and landing.name == parameter:
                yield literal

    def _parameter_shape(self, world: World, path: str, qualified: str, parameter: str) -> Shape | None:
        definitions = world.program.facts(path).definitions
        indices = [index for index, each in enumerate(definitions) if each.qualified == qualified]
        annotation = self._annotation(world, path, indices[0], parameter) if len(indices) == 1 else None
        return None if annotation is None else shape_of(world.inference, path, annotation)

    def _annotation(self, world: World, path: str, index: int, parameter: str) -> x.TypeExpression | None:
        """The type that is written for a parameter of that name, where there is only one."""
        parsed = world.inference.syntax(path)
        if parsed is None:
            return None
        declared = [each for each in parsed[0].parameter_types(parsed[1], index) if each.name == parameter]
        return declared[0].annotation if len(declared) == 1 else None


def _shape_of_definition(world: World, path: str, definition: Definition) -> Shape | None:
    return shape_of(world.inference, path, x.TypeName(definition.name, definition.at))


def _misfit(literal: x.Object, shapes: tuple[Shape, Shape] | None) -> str | None:
    """How a literal that fitted no longer does; None where it does, or something in it isn't known."""
    if shapes is None or literal.spreads or shapes[0].open or shapes[1].open:
        return None
    given = [each.name for each in literal.properties]
    return misfit_of(given, shapes[1], verb="has") if misfit_of(given, shapes[0]) is None else None


def _asks_otherwise(old: Shape, new: Shape) -> bool:
    """Whether a literal may fit the one and not the other."""
    if any(name not in new.properties for name in old.properties):
        return True
    needed = {name for name, asked in new.properties.items() if not asked.optional}
    return any(name not in old.properties or old.properties[name].optional for name in needed)


def _stands_at(type_: x.TypeExpression, at: int, *, inside: bool = False) -> bool:
    """Whether the type, or an option or argument of it, is the name at `at`; `inside`: or the type of a property."""
    match type_:
        case x.TypeName(at=own, arguments=arguments):
            return own == at or any(_stands_at(each, at, inside=inside) for each in arguments)
        case x.UnionType(options=options) | x.IntersectionType(options=options):
            return any(_stands_at(each, at, inside=inside) for each in options)
        case x.ObjectType(members=members):
            return inside and any(_stands_at(each.type, at, inside=True) for each in members)
    return False

"""Calls that pass an object literal where a changed interface, or a type that stands for an object, is asked for.

Such a call names the function, not the type, so it is no caller of the type; but when the type asks for another
property, or no longer knows one, it is the call that no longer fits: `save({ id: 1 })` after `Options` got a required
`name`. JSX elements pass their attributes so, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from graph import expressions as x
from graph.callers import Site, Target
from graph.changes import ChangedDefinition
from graph.facts import Definition, Parameter
from graph.languages.base import Stated
from graph.shapes import Shape, misfit_of, same_types, shape_of
from graph.signatures import landings
from graph.stated import as_stated, is_enforced, stated_of
from graph.world import World

MAX_FUNCTIONS = 40
"""Functions that take the type and whose calls are looked at."""


class LiteralUse(msgspec.Struct, frozen=True):
    """A call whose literal no longer fits. `why` says how, `through` which parameter asks for the type."""

    site: Site
    why: str
    through: str


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

    def misfits(self, changed: ChangedDefinition, sites: Iterable[Site]) -> Iterator[LiteralUse]:
        """The calls that fitted and no longer do; `sites` are the type's own callers."""
        if changed.before is None or changed.after is None or changed.old_path is None or changed.path is None:
            return
        if changed.after.kind not in ("interface", "type"):
            return
        old = _shape_of_definition(self._before, changed.old_path, changed.before)
        new = _shape_of_definition(self._after, changed.path, changed.after)
        if old is None or new is None or not _asks_otherwise(old, new):
            return
        takers = dict.fromkeys(taker for site in sites for taker in self._takers(site))
        for taker in list(takers)[:MAX_FUNCTIONS]:
            yield from self._of(taker)

    def compatible(self, changed: ChangedDefinition) -> bool | None:
        """Whether whatever a type alias took it takes still; None when it isn't known what it asks for."""
        if changed.before is None or changed.after is None or changed.old_path is None or changed.path is None:
            return None
        old = _shape_of_definition(self._before, changed.old_path, changed.before)
        new = _shape_of_definition(self._after, changed.path, changed.after)
        if old is None or new is None:
            return None
        return not _asks_otherwise(old, new) and same_types(tuple(old.properties), old, new)

    def _takers(self, site: Site) -> Iterator[_Taker]:
        """The parameters whose declared type holds the reference at `site`."""
        parsed = self._after.inference.syntax(site.path) if site.kind == "type" and site.sure else None
        if parsed is None:
            return
        language, syntax = parsed
        for index, each in enumerate(syntax.facts.definitions):
            if each.start <= site.at < each.end:
                for declared in language.parameter_types(syntax, index):
                    if declared.annotation is not None and _stands_at(declared.annotation, site.at):
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
        for site in self._after.callers(taker.path).find(Target(taker.path, (taker.index,))).sites:
            is_jsx = site.kind == "jsx"
            for literal in self._literals(parameters, taker.parameter, site, stated) if site.sure else ():
                why = misfit_of(literal, new, jsx=is_jsx)
                if why is not None and misfit_of(literal, old, jsx=is_jsx) is None:
                    yield LiteralUse(site, why, through)

    def _literals(
        self, parameters: Sequence[Parameter], parameter: str, site: Site, stated: Stated
    ) -> Iterator[Sequence[str]]:
        """The object literals that a call passes for the parameter."""
        parsed = self._after.inference.syntax(site.path)
        call_at = site.at if site.kind == "jsx" else site.call_at
        arguments = parsed[0].arguments(parsed[1], call_at) if parsed is not None and call_at >= 0 else None
        if arguments is None or arguments.spread or not is_enforced(stated, arguments):
            return
        for literal, landing in zip(
            arguments.literals, landings(parameters, arguments, skip_first=False), strict=False
        ):
            if literal is not None and landing is not None and landing.name == parameter:
                yield literal

    def _parameter_shape(self, world: World, path: str, qualified: str, parameter: str) -> Shape | None:
        parsed = world.inference.syntax(path)
        if parsed is None:
            return None
        language, syntax = parsed
        indices = [index for index, each in enumerate(syntax.facts.definitions) if each.qualified == qualified]
        if len(indices) != 1:
            return None
        declared = [each for each in language.parameter_types(syntax, indices[0]) if each.name == parameter]
        annotation = declared[0].annotation if len(declared) == 1 else None
        return None if annotation is None else shape_of(world.inference, path, annotation)


def _shape_of_definition(world: World, path: str, definition: Definition) -> Shape | None:
    return shape_of(world.inference, path, x.TypeName(definition.name, definition.at))


def _asks_otherwise(old: Shape, new: Shape) -> bool:
    """Whether a literal may fit the one and not the other."""
    if any(name not in new.properties for name in old.properties):
        return True
    needed = {name for name, asked in new.properties.items() if not asked.optional}
    return any(name not in old.properties or old.properties[name].optional for name in needed)


def _stands_at(type_: x.TypeExpression, at: int) -> bool:
    """Whether the type, or an option or argument of it, is the name at `at`."""
    match type_:
        case x.TypeName(at=own, arguments=arguments):
            return own == at or any(_stands_at(each, at) for each in arguments)
        case x.UnionType(options=options) | x.IntersectionType(options=options):
            return any(_stands_at(each, at) for each in options)
    return False

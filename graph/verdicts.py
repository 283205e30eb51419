"""Whether a call still fits what it calls: what a type checker would say of its arity, keywords and options object.

Never a guess. A verdict is given on a call that surely reaches the changed definition and that fitted it before.
Also whether the code around the call takes what it now gives (`graph.outcomes`).
Nothing is said (None) where a list or a mapping is spread into the call, where a decorator that isn't understood
stands between the declaration and its callers, and where the call is still complete but one of its arguments lands in
another parameter than before, or in one of another type: whether it fits is then a question of types.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache, cached_property
from typing import Final

import msgspec

from graph import expressions as x
from graph.access import VISIBILITIES, barred_from, holds, is_narrower
from graph.callers import Site
from graph.changes import ChangedDefinition
from graph.facts import Definition, Parameter
from graph.languages.base import Language, Stated, Syntax
from graph.outcomes import NOTHING, Fit, Outcomes
from graph.overloads import is_function
from graph.program import BUILTINS
from graph.shapes import Shape, declared_of, misfit_of, same_types, shape_of
from graph.signatures import (
    continues,
    fits,
    landings,
    same_parameters,
    takes_type_arguments,
    type_arguments,
    visible,
)
from graph.stated import is_enforced, stated_of
from graph.type_spellings import same_type
from graph.types import Instance, Symbol
from graph.world import World

_KEEPERS: Final = frozenset(
    {
        "abstractclassmethod", "abstractmethod", "abstractstaticmethod", "async_to_sync", "asynccontextmanager",
        "cache", "classmethod", "contextmanager", "coroutine", "deprecated", "final", "lru_cache", "no_type_check",
        "overload", "override", "runtime_checkable", "staticmethod", "sync_to_async", "wraps",
    }
)  # fmt: skip
"""Decorators from outside the repository that leave the parameters as they are declared, by their last name."""


_MANAGERS: Final = frozenset({"contextmanager", "asynccontextmanager"})
"""Decorators of functions whose calls, as decorators, give back what they decorate."""
_CALLABLES: Final = re.compile(r"Callable\[\s*\[\s*(\w+)\s*\]\s*,\s*\1\s*\]")
"""The type of a function that gives back what it takes."""
_OF_PARAMETERS: Final = re.compile(r"Callable\[\s*(\w+)\s*,")


_ARGUMENTS: Final = re.compile(rb"[\w$]+\s*<")
_UNTYPED: Final = (".js", ".jsx", ".mjs", ".cjs", ".py", ".pyi", ".php", ".go")
"""Files in which a class is named without its type arguments."""


class Verdicts:
    """Verdicts on the calls of changed definitions. `before` and `after` are the tree without and with the change."""

    def __init__(self, before: World, after: World) -> None:
        self._before = before
        self._after = after
        self._outcomes = Outcomes(after)
        self._last: tuple[ChangedDefinition, _Side, _Side] | None = None

    def fit(self, changed: ChangedDefinition, site: Site) -> Fit:
        """Whether the call at `site` (of the tree after the change) still fits, and how it doesn't."""
        found = self._fit(changed, site)
        # Where it isn't sure what is called, it may fit something else. What fits this, too, is nobody's concern.
        return found if site.sure or found[0] is True else NOTHING

    def _fit(self, changed: ChangedDefinition, site: Site) -> Fit:
        parsed = self._after.inference.syntax(site.path)
        if parsed is None or changed.path is None or changed.old_path is None:
            return NOTHING
        if changed.definition.name == "__post_init__":
            return NOTHING  # it gets what the constructor's fields say, not what the construction passes
        caller, syntax = parsed
        if site.kind == "type":
            return _fit_as_type(changed, syntax.source, site)
        is_read = changed.field_of is not None or (site.call_at < 0 and site.kind in ("value", "argument"))
        if is_read and site.via is None and holds(caller):
            barred = barred_from(self._after, changed, site)
            if barred[0] is False or changed.field_of is not None or _is_only_narrower(changed):
                return barred
        call_at = site.at if site.kind == "jsx" else site.call_at
        arguments = caller.arguments(syntax, call_at) if call_at >= 0 else None
        if arguments is None:
            ahead = caller.passed_ahead(syntax, site.at) if site.kind == "argument" else None
            if ahead is None:
                return NOTHING
            bound = self._passed(changed, changed.old_path, changed.path, _Call(ahead, caller, site, syntax))
            return bound if bound[0] is False else NOTHING  # what else will be passed isn't known
        if site.kind == "call" and _became_property(changed):
            is_value = self._is_no_function(changed, changed.old_path, changed.path)
            return (False, "is called, is a property now") if is_value else NOTHING
        call = _Call(arguments, caller, site, syntax)
        results = self._outcomes.fit(changed, call.arguments, call.language, site.path)
        passed = self._passed(changed, changed.old_path, changed.path, call)
        if False in (results[0], passed[0]):
            return passed if passed[0] is False else results
        if holds(caller):
            barred = barred_from(self._after, changed, site)
            if barred != (True, None):
                return barred
        return passed if results[0] else NOTHING

    def _is_no_function(self, changed: ChangedDefinition, old_path: str, path: str) -> bool:
        """Whether what a property gives, a method before, is nothing to be called: it says so, or it is what the method
        gave to those who called it."""
        before, after = changed.before, changed.after
        if before is None or after is None:
            return False
        if before.returns is not None and same_type(before.returns, after.returns):
            return True
        old, new = self._before.program.tree.read(old_path), self._after.program.tree.read(path)
        if old[before.at : before.end] == new[after.at : after.end]:
            return True
        inference = self._after.inference
        index = self._after.program.index_of(path, after)
        if index < 0 or after.parent < 0:
            return False
        given = inference.results.of_definition(Symbol(path, index, Instance(path, after.parent)), ())
        return bool(given) and all(is_function(inference, each) is False for each in given)

    def is_adapted(self, changed: ChangedDefinition, site: Site, touches: Callable[[str, int, int], bool]) -> bool:
        """Whether the diff itself made the call fit: it did not fit before, and lines of what it passes are the diff's.
        `touches` says of a file whether the diff has any of its lines from one to another."""
        parsed = self._after.inference.syntax(site.path)
        if parsed is None or not site.sure or site.call_at < 0 or changed.path is None or changed.old_path is None:
            return False
        caller, syntax = parsed
        arguments = caller.arguments(syntax, site.call_at)
        if arguments is None or arguments.end < 0:
            return False
        last = site.line + syntax.source.count(b"\n", site.at, arguments.end)
        if not touches(site.path, site.line, last):
            return False
        befores, afters = self._both(changed, changed.old_path, changed.path)
        call = _Call(arguments, caller, site, syntax)
        return befores.judge(call, None)[0] is False and afters.judge(call, befores.parameters)[0] is True

    def _passed(self, changed: ChangedDefinition, old_path: str, path: str, call: _Call) -> Fit:
        """Whether what the call passes still fits."""
        if call.arguments.spread or call.arguments.spread_keywords:
            return (True, None) if self._takes_the_same(changed) else NOTHING
        befores, afters = self._both(changed, old_path, path)
        if not (befores.is_plain and afters.is_plain):
            return NOTHING
        was, _, old = befores.judge(call, None)
        now, why, new = afters.judge(call, befores.parameters)
        if was is not True:
            return NOTHING
        if now is False:
            return False, why
        if now is None:
            return None, why
        gone = _given_for_nothing(call, old, new)
        if gone is not None:
            return False, gone
        if not _still_means(call, old, new):
            return NOTHING
        return True, None

    def _takes_the_same(self, changed: ChangedDefinition) -> bool:
        """Whether the parameters are written as they were, so that whatever is passed lands where it did."""
        befores, afters = _all(changed.befores, changed.before), _all(changed.afters, changed.after)
        if len(befores) != 1 or len(afters) != 1 or befores[0].decorators != afters[0].decorators:
            return False
        return befores[0].parameters is not None and befores[0].parameters == afters[0].parameters

    def _both(self, changed: ChangedDefinition, old_path: str, path: str) -> tuple[_Side, _Side]:
        """The declarations before and after, kept for the next call of the same definition."""
        if self._last is None or self._last[0] is not changed:
            befores = _Side(self._before, old_path, _all(changed.befores, changed.before))
            self._last = (changed, befores, _Side(self._after, path, _all(changed.afters, changed.after)))
        return self._last[1:]


def _is_only_narrower(changed: ChangedDefinition) -> bool:
    """Whether the change is that fewer places may name it, and takes and gives what it did."""
    before, after = changed.before, changed.after
    if before is None or after is None or not is_narrower(before, after):
        return False
    others = set(before.modifiers) ^ set(after.modifiers)
    return others <= VISIBILITIES and same_parameters(before, after) and same_type(before.returns, after.returns)


def _became_property(changed: ChangedDefinition) -> bool:
    """Whether a method is one that is read now, without a call."""
    old, new = _all(changed.befores, changed.before), _all(changed.afters, changed.after)
    return all("property" not in each.modifiers for each in old) and all("property" in each.modifiers for each in new)


def _fit_as_type(changed: ChangedDefinition, source: bytes, site: Site) -> Fit:
    """Whether a class or type that is named without type arguments, or with some, still may be."""
    if changed.before is None or changed.after is None or site.path.endswith(_UNTYPED):
        return NOTHING
    if takes_type_arguments(changed.before, changed.after) or source[: site.at].rstrip().endswith(b"typeof"):
        return NOTHING
    before, after = type_arguments(changed.before), type_arguments(changed.after)
    given = _ARGUMENTS.match(source, site.at) is not None
    if given and after[1] == 0:
        return False, "gives type arguments, takes none"
    if not given and after[0] and not before[0]:
        return False, f"gives no type arguments, needs {after[0]}"
    return NOTHING


def _all(definitions: tuple[Definition, ...], speaker: Definition | None) -> tuple[Definition, ...]:
    return definitions or ((speaker,) if speaker is not None else ())


class _Call(msgspec.Struct, frozen=True):
    """What a call passes, and the language that it is written in."""

    arguments: x.Arguments
    language: Language
    site: Site
    syntax: Syntax


class _Fitted(msgspec.Struct, frozen=True):
    """A declaration that a call fits: where its arguments land, and the shapes that its object literals fill."""

    definition: Definition
    landings: tuple[Parameter | None, ...]
    shapes: tuple[Shape | None, ...]


class _Side:
    """The declarations of one name on one side of the change."""

    def __init__(self, world: World, path: str, definitions: Sequence[Definition]) -> None:
        self._world = world
        self._path = path
        self._definitions = visible(definitions)
        self._language = world.program.language(path)
        self._shape_of = cache(self._declared_shape)
        self._stated_of: dict[int, Stated] = {}

    @property
    def parameters(self) -> tuple[Parameter, ...] | None:
        """Those of the first declaration."""
        return self._definitions[0].parameters if self._definitions else None

    def judge(self, call: _Call, before: Sequence[Parameter] | None) -> tuple[bool | None, str | None, _Fitted | None]:
        """`fits` on the first declaration that the call fits; the last one's misfit when it fits none."""
        language = self._language
        result: tuple[bool | None, str | None, _Fitted | None] = (None, None, None)
        if language is None:
            return result
        for definition in self._definitions:
            if definition.parameters is None:
                return None, None, None
            skip = call.site.bound and language.binds_receiver(definition)
            enforced = is_enforced(self._stated(definition), call.arguments)
            if call.site.kind == "jsx":
                fit: Fit = (True, None)  # how many arguments a component gets is the runtime's choice
            else:
                fit = fits(
                    definition.parameters,
                    call.arguments,
                    skip_first=skip,
                    named=language.named_arguments,
                    excess_ok=call.language.excess_arguments,
                    lack_ok=not enforced,
                    before=before,
                )
            landed = landings(definition.parameters, call.arguments, skip_first=skip)
            shapes = self._shapes(definition, call, landed)
            if fit[0] is True:
                fit = _literals_fit(call, definition, shapes)
                fit = fit if fit[0] or enforced else NOTHING
            if fit[0] is not False:
                return (*fit, _Fitted(definition, landed, shapes))
            result = (*fit, None)
        return result

    def _stated(self, definition: Definition) -> Stated:
        if definition.at not in self._stated_of:
            self._stated_of[definition.at] = stated_of(self._world, self._path, definition)
        return self._stated_of[definition.at]

    def _shapes(
        self, definition: Definition, call: _Call, landed: Sequence[Parameter | None]
    ) -> tuple[Shape | None, ...]:
        """For each argument by position, the properties that its parameter takes, when it is an object literal."""
        return tuple(
            None
            if literal is None or landing is None or landing.kind == "rest"
            else self._shape_of(definition.at, landing.name)
            for literal, landing in zip(call.arguments.literals, landed, strict=False)
        )

    def _declared_shape(self, at: int, parameter: str) -> Shape | None:
        """The shape of a parameter's declared type, of the declaration whose name stands at `at`."""
        index = next(
            (index for index, each in enumerate(self._world.program.facts(self._path).definitions) if each.at == at), -1
        )
        syntax = self._world.program.syntax(self._path)
        if syntax is None or index < 0 or self._language is None:
            return None
        declared = [each for each in self._language.parameter_types(syntax, index) if each.name == parameter]
        annotation = declared[0].annotation if len(declared) == 1 else None
        return None if annotation is None else shape_of(self._world.inference, self._path, annotation)

    # ------------------------------------------------------------------------------------------------- decorators

    @cached_property
    def is_plain(self) -> bool:
        """Whether callers get the parameters as they are declared: no decorator is known or likely to change them."""
        return bool(self._definitions) and all(self._keeps(each) for each in self._definitions)

    def _keeps(self, definition: Definition) -> bool:
        if not definition.decorators or self._language is None or not self._language.named_arguments:
            return True  # a decorator in JavaScript does not change what the type checker knows of its target
        if definition.kind not in ("function", "method"):
            return True
        index = self._world.program.index_of(self._path, definition)
        syntax = self._world.program.syntax(self._path)
        if index < 0 or syntax is None:
            return False
        return all(self._is_keeper(each) for each in self._language.decorated(syntax, index))

    def _is_keeper(self, decorator: x.Expression) -> bool:
        called = isinstance(decorator, x.Call)
        target = decorator.callee if isinstance(decorator, x.Call) else decorator
        name = target.id if isinstance(target, x.Name) else target.name if isinstance(target, x.Member) else ""
        found = self._world.inference.denote(self._path, target)
        symbols = [each for each in found if isinstance(each, Symbol) and not each.path.startswith(BUILTINS)]
        if not symbols:
            return name in _KEEPERS
        return len(symbols) == len(found) and all(self._gives_back(each, called) for each in symbols)

    def _gives_back(self, symbol: Symbol, called: bool) -> bool:
        """Whether a decorator of the repository gives back what it decorates (or, called, makes one that does)."""
        world = self._world
        parsed = world.inference.syntax(symbol.path)
        if parsed is None:
            return False
        language, syntax = parsed
        definition = world.program.facts(symbol.path).definitions[symbol.index]
        if called and any(each.rpartition(".")[2] in _MANAGERS for each in definition.decorators):
            return True
        if not definition.parameters:
            return False
        result = language.result(syntax, symbol.index)
        if called:
            if definition.returns is not None:
                return _CALLABLES.search(definition.returns) is not None or _share_parameters(definition.returns)
            inner = [each.definition for each in result.values if isinstance(each, x.Defined)]
            inner += [
                found.index
                for each in result.values
                if isinstance(each, x.Name)
                for found in world.inference.denote(symbol.path, each)
                if isinstance(found, Symbol) and found.path == symbol.path
            ]
            return len(inner) == len(result.values) > 0 and all(
                self._gives_back(Symbol(symbol.path, each), False) for each in inner
            )
        position = 1 if symbol.receiver is not None and language.binds_receiver(definition) else 0
        if position >= len(definition.parameters):
            return False
        first = definition.parameters[position]
        if definition.returns is not None:
            stated = first.type or ""
            return stated.strip("'\"") == definition.returns.strip("'\"") or _share_parameters(
                stated, definition.returns
            )
        return bool(result.values) and all(
            isinstance(each, x.Name) and (each.id == first.name or self._passes_on(symbol.path, each))
            for each in result.values
        )

    def _passes_on(self, path: str, name: x.Name) -> bool:
        """Whether it names a wrapper that takes any arguments: it passes them on, as far as anybody can tell."""
        facts = self._world.program.facts(path)
        found = self._world.inference.denote(path, name)
        wrappers = [facts.definitions[each.index] for each in found if isinstance(each, Symbol) and each.path == path]
        return len(wrappers) == len(found) > 0 and all(
            {"rest", "keywords"} <= {one.kind for one in each.parameters or ()}
            and all(one.optional or one.name in ("self", "cls") for one in each.parameters or ())
            for each in wrappers
        )


def _share_parameters(*types: str) -> bool:
    """Whether the callables in some written types are all of the same parameters, by the name of a ParamSpec."""
    names = [name for written in types for name in _OF_PARAMETERS.findall(written)]
    return len(names) > 1 and len(set(names)) == 1


def _literals_fit(call: _Call, definition: Definition, shapes: Sequence[Shape | None]) -> Fit:
    """Whether the object literals among the arguments have the properties that their parameters ask for."""
    for literal, shape in zip(call.arguments.literals, shapes, strict=False):
        if literal is not None and shape is not None:
            taken = declared_of(literal, shape) if "whole file" in definition.modifiers else literal
            why = misfit_of(taken, shape, jsx=call.site.kind == "jsx")
            if why is not None:
                return False, why
    return True, None


def _given_for_nothing(call: _Call, old: _Fitted | None, new: _Fitted | None) -> str | None:
    """What an element gives a component that is a file of its own and no longer takes it, as a misfit."""
    if old is None or new is None or "whole file" not in new.definition.modifiers:
        return None
    for literal, was, now in zip(call.arguments.literals, old.shapes, new.shapes, strict=False):
        if literal is not None and was is not None and now is not None:
            why = misfit_of(declared_of(literal, was, now), now, jsx=True)
            if why is not None and not was.open:
                return why
    return None


def _still_means(call: _Call, old: _Fitted | None, new: _Fitted | None) -> bool:
    """Whether every argument lands where it did, in a parameter that takes as much."""
    if old is None or new is None:
        return False
    before, after = old.definition.parameters or (), new.definition.parameters or ()
    for position, (was, now) in enumerate(zip(old.landings, new.landings, strict=True)):
        shapes = (old.shapes[position], new.shapes[position]) if position < len(old.shapes) else (None, None)
        if shapes[0] is not None and shapes[1] is not None:
            if not same_types(call.arguments.literals[position] or (), shapes[0], shapes[1]):
                return False
        elif not continues(was, now, before, after) and (
            _is_written(call, position) or not continues(was, now, before, after, written=False)
        ):
            return False
    return True


def _is_written(call: _Call, position: int) -> bool:
    """Whether an argument may be a literal, of which no property may be one too many."""
    if call.site.kind == "jsx":
        return True
    passed = call.language.passed(call.syntax, call.site.call_at)
    return position >= len(passed) or not isinstance(passed[position], x.Unknown)

"""Which type each object literal in a value is held to, given the type that is written for the value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from graph import expressions as x
from graph.inference import Inference
from graph.shapes import declared_as, of_objects, shape_of

_DEEPEST: Final = 8
"""Literals within literals that are looked at."""
_LISTS: Final = frozenset({"Array", "ReadonlyArray", "Iterable", "Set", "ReadonlySet"})
_SAME: Final = frozenset({"Readonly", "NonNullable"})
"""Types that ask of a literal what their argument asks."""


class TypedLiteral(msgspec.Struct, frozen=True):
    """An object literal that is held to a type by its name, which stands in the file at `path`."""

    literal: x.Object
    path: str
    type: x.TypeName


def typed_literals(
    inference: Inference, value: x.Expression, path: str, type_: x.TypeExpression, depth: int = 0
) -> Iterator[TypedLiteral]:
    """The object literals in a value, and in its properties and items, of which it is known by which type's name they
    are asked for. The type is written in the file at `path`."""
    if depth > _DEEPEST:
        return
    match value, type_:
        case x.Either(options=options), _:
            for each in options:
                yield from typed_literals(inference, each, path, type_, depth + 1)
        case _, x.UnionType(options=options):
            meant = (
                [each for each in options if _is_list(each)] if isinstance(value, x.Sequence) else of_objects(options)
            )
            if len(meant) == 1:
                yield from typed_literals(inference, value, path, meant[0], depth + 1)
        case x.Sequence(), x.TypeName(arguments=()):
            aliased = _aliased(inference, path, type_)
            if aliased is not None:
                yield from typed_literals(inference, value, *aliased, depth + 1)
        case _, x.TypeName(name=name, arguments=(inner,)) if name in _SAME:
            yield from typed_literals(inference, value, path, inner, depth + 1)
        case x.Sequence(items=items), x.TypeName(name=name, arguments=(inner,)) if name in _LISTS:
            for each in items:
                yield from typed_literals(inference, each, path, inner, depth + 1)
        case x.Sequence(items=items), x.TupleType(items=types):
            for each, stated in zip(items, types, strict=False):
                yield from typed_literals(inference, each, path, stated, depth + 1)
        case x.Object(properties=properties), x.TypeName(name="Record", arguments=(_, inner)):
            for item in properties:
                yield from typed_literals(inference, item.value, path, inner, depth + 1)
        case x.Object(properties=properties), _:
            if isinstance(type_, x.TypeName) and not type_.arguments:
                yield TypedLiteral(value, path, type_)
            shape = shape_of(inference, path, type_) if any(map(_holds_literals, properties)) else None
            for item in properties if shape is not None else ():
                asked = shape.properties.get(item.name) if shape is not None else None
                if asked is not None and asked.declared is not None:
                    yield from typed_literals(inference, item.value, *asked.declared, depth + 1)


def _is_list(type_: x.TypeExpression) -> bool:
    return isinstance(type_, x.TupleType) or (isinstance(type_, x.TypeName) and type_.name in _LISTS)


def _aliased(inference: Inference, path: str, type_: x.TypeName) -> tuple[str, x.TypeExpression] | None:
    """What a type's name is an alias of, and the file in which that is written."""
    symbol = declared_as(inference, path, type_)
    parsed = inference.syntax(symbol.path) if symbol is not None else None
    if symbol is None or parsed is None:
        return None
    language, syntax = parsed
    alias = language.alias(syntax, symbol.index) if not language.type_parameters(syntax, symbol.index) else None
    return (symbol.path, alias) if alias is not None else None


def _holds_literals(item: x.Property) -> bool:
    return isinstance(item.value, x.Object | x.Sequence | x.Either)

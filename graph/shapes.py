"""Shapes: which properties a declared type asks of an object literal that is passed for it, and whether one has them.

A type checker holds a literal that is written right in a call to exactly these: no required property may be missing,
and none may be there that the type does not know. Of any other value nothing is said here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from graph import expressions as x
from graph.inference import Inference
from graph.type_spellings import NOT_PASSED
from graph.types import Symbol

DEEPEST: Final = 20
"""Aliases, bases and operators followed from one type; past them its shape is not known."""
_PRIMITIVES: Final = frozenset(
    {
        "String", "Number", "Boolean", "BigInt", "Array", "ReadonlyArray", "Function", "symbol", "Symbol", "null",
        "undefined", "void", "never", "string", "number", "boolean", "bigint",
    }
)  # fmt: skip
"""Types of a union that no object literal is meant for."""
_OF_PROPS: Final = frozenset({"PropsWithChildren", "PropsWithoutRef", "PropsWithRef"})
"""Types of the same props, with children or without a ref."""
_ALWAYS: Final = frozenset({"key", "ref"})
"""What a JSX element may be given whatever its component declares."""


class Asked(msgspec.Struct, frozen=True):
    """A property of a shape. `type` is its spelling, whatever file it is written in; `undefined`, which what is
    optional takes anyway, is told apart."""

    optional: bool
    type: object
    undefined: bool = False
    declared: tuple[str, x.TypeExpression] | None = None
    """The file in which it is declared, and its type as it is written there."""


class Shape(msgspec.Struct, frozen=True):
    """The properties by name. `open`: others are no error (an index signature)."""

    properties: dict[str, Asked]
    open: bool = False


def shape_of(inference: Inference, path: str, type_: x.TypeExpression, depth: int = 0) -> Shape | None:
    """The shape of a type written in the file at `path`; None when it isn't fully known, or isn't one shape."""
    if depth > DEEPEST:
        return None
    match type_:
        case x.ObjectType(members=members, open=is_open):
            if any(not each.name for each in members):
                return None  # something that can be called
            return Shape({each.name: _asked(path, each) for each in members}, is_open)
        case x.IntersectionType(options=options):
            return _together([shape_of(inference, path, each, depth + 1) for each in options])
        case x.UnionType(options=options):
            meant = of_objects(options)
            return shape_of(inference, path, meant[0], depth + 1) if len(meant) == 1 else None
        case x.TypeName(name=("Partial" | "Required" | "Readonly") as name, arguments=(inner,)):
            found = shape_of(inference, path, inner, depth + 1)
            if found is None or name == "Readonly":
                return found
            properties = {
                key: msgspec.structs.replace(each, optional=name == "Partial") for key, each in found.properties.items()
            }
            return Shape(properties, found.open)
        case x.TypeName(name=name, arguments=(inner,)) if name.removeprefix("React.") in _OF_PROPS:
            found = shape_of(inference, path, inner, depth + 1)
            if found is None or not name.endswith("Children"):
                return found
            return _together([found, Shape({"children": Asked(True, spelled(x.UnknownType()))})])
        case x.TypeName(name="RefAttributes" | "React.RefAttributes"):
            return Shape({})
        case x.TypeName(arguments=()):
            return _named(inference, path, type_, depth)
    return None


def _asked(path: str, member: x.TypeMember) -> Asked:
    options = member.type.options if isinstance(member.type, x.UnionType) else (member.type,)
    spellings = [spelled(each) for each in options]
    types = [each for each in spellings if each != _UNDEFINED]
    type_: object = types[0] if len(types) == 1 else tuple(types)
    return Asked(member.optional, type_, len(types) < len(spellings), (path, member.type))


def declared_as(inference: Inference, path: str, type_: x.TypeName) -> Symbol | None:
    """The definition that a type's name in the file at `path` stands for; None when it isn't just one of the tree's."""
    first, *rest = type_.name.split(".")
    expression: x.Expression = x.Name(first, type_.at)
    for each in rest:
        expression = x.Member(expression, each, type_.at)
    found = inference.denote(path, expression)
    if len(found) != 1 or not isinstance(found[0], Symbol) or found[0].path.startswith("\0"):
        return None
    return found[0]


def _named(inference: Inference, path: str, type_: x.TypeName, depth: int) -> Shape | None:
    symbol = declared_as(inference, path, type_)
    parsed = inference.syntax(symbol.path) if symbol is not None else None
    if symbol is None or parsed is None or len(inference.hierarchy.bodies(symbol.path, symbol.index)) > 1:
        return None
    language, syntax = parsed
    if language.type_parameters(syntax, symbol.index):
        return None
    alias = language.alias(syntax, symbol.index)
    if alias is not None:
        return shape_of(inference, symbol.path, alias, depth + 1)
    own = language.shape(syntax, symbol.index)
    if own is None:
        return None
    shapes = [shape_of(inference, symbol.path, own, depth + 1)]
    for base in language.bases(syntax, symbol.index):
        if base.arguments or not isinstance(base.value, x.Name):
            return None
        shapes.append(shape_of(inference, symbol.path, x.TypeName(base.value.id, base.value.at), depth + 1))
    return _together(shapes)


def _together(shapes: Sequence[Shape | None]) -> Shape | None:
    """All of them at once; the first one that declares a property says what it is."""
    properties: dict[str, Asked] = {}
    is_open = False
    for each in shapes:
        if each is None:
            return None
        for name, asked in each.properties.items():
            known = properties.setdefault(name, asked)
            if known.optional and not asked.optional:
                properties[name] = msgspec.structs.replace(known, optional=False)
        is_open = is_open or each.open
    return Shape(properties, is_open)


def of_objects(options: Sequence[x.TypeExpression]) -> list[x.TypeExpression]:
    """The options of a union that an object literal may be meant for."""
    return [each for each in options if not _is_primitive(each)]


def _is_primitive(type_: x.TypeExpression) -> bool:
    match type_:
        case x.TypeName(name=name):
            return name in _PRIMITIVES
        case x.LiteralType() | x.FunctionType() | x.TupleType():
            return True
    return False


def declared_of(given: Sequence[str], *shapes: Shape) -> Sequence[str]:
    """Those of the attributes that one of the shapes has: the others of a component that is a file of its own go on to
    the element that it renders."""
    return [name for name in given if any(name in each.properties for each in shapes)]


def misfit_of(given: Sequence[str], shape: Shape, *, jsx: bool = False, verb: str = "passes") -> str | None:
    """How an object literal with these properties (or an element with these attributes) misfits; None when it fits."""
    missing = [name for name, asked in shape.properties.items() if not asked.optional and name not in given]
    if missing:
        return f"{verb} no {', no '.join(missing)}, which {'is' if len(missing) == 1 else 'are'} required"
    if shape.open or not shape.properties:
        return None  # `{}` takes any object
    excess = [name for name in given if name not in shape.properties]
    if jsx:
        excess = [name for name in excess if name not in _ALWAYS and "-" not in name]
    return f"{verb} {', '.join(excess)}, which it does not take" if excess else None


def same_types(given: Sequence[str], old: Shape, new: Shape) -> bool:
    """Whether every property that is given is declared with the same type in both."""
    return all(
        (was := old.properties.get(name)) is not None
        and (now := new.properties.get(name)) is not None
        and was.type == now.type
        and (now.undefined or now.optional or not was.undefined)
        for name in given
        if name in old.properties or name in new.properties
    )


def spelled(value: object) -> object:
    """A type expression without the offsets at which it is written, to be compared with another's."""
    if isinstance(value, msgspec.Struct):
        fields = (name for name in value.__struct_fields__ if name not in ("at", "end"))
        return (type(value).__name__, *(spelled(getattr(value, name)) for name in fields))
    if isinstance(value, tuple):
        return tuple(spelled(each) for each in value)
    return value


_UNDEFINED: Final = spelled(x.TypeName(NOT_PASSED, 0))

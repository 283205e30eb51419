"""Types and denotations: what inference knows about a value, and what a name stands for.

A value's type is a tuple of alternatives in the order found (`Types`). `()` means that it is nothing of interest (None,
null); an `Anything` among the alternatives means that something is not known. So a call is refused only when no
alternative matches *and* none is Anything.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import msgspec

from graph.expressions import Binding, FunctionType, Object, ObjectType, Property


class _Type(msgspec.Struct, frozen=True, gc=False):
    """Base: immutable, hashable, compared by value. `path` is the file, `index` the definition in its facts."""


class Anything(_Type, frozen=True):
    """Not known."""


class Instance(_Type, frozen=True):
    """An instance of a class, interface or enum, with its type arguments by position."""

    path: str
    index: int
    arguments: tuple[Types, ...] = ()


class ClassObject(_Type, frozen=True):
    """The class itself."""

    path: str
    index: int
    arguments: tuple[Types, ...] = ()


class FunctionObject(_Type, frozen=True):
    """A declared function or method; `receiver` is what it was read from, `environment` its type variables."""

    path: str
    index: int
    receiver: Instance | ClassObject | None = None
    environment: Environment = ()


class Closure(_Type, frozen=True):
    """A function written as an expression at an offset."""

    path: str
    at: int


class ModuleObject(_Type, frozen=True):
    """A module, known by its file."""

    path: str


class PackageObject(_Type, frozen=True):
    """A directory that is a package without a file of its own."""

    directory: str


class External(_Type, frozen=True):
    """Something from outside the repository (`os.path`, `react.useState`)."""

    name: str
    instance: bool = False


class ObjectValue(_Type, frozen=True):
    """An object literal."""

    path: str
    value: Object


class InlineType(_Type, frozen=True):
    """A value of an inline object type."""

    path: str
    value: ObjectType
    environment: Environment = ()


class CallableValue(_Type, frozen=True):
    """A value of a function type."""

    path: str
    value: FunctionType
    environment: Environment = ()


class TupleValue(_Type, frozen=True):
    """A tuple with known positions."""

    items: tuple[Types, ...]


class Variable(_Type, frozen=True):
    """A type variable that is not bound yet. `bound`: what it can be at most; empty when nothing is said."""

    name: str
    bound: tuple[Type, ...] = ()


Type: TypeAlias = (
    Anything
    | Instance
    | ClassObject
    | FunctionObject
    | Closure
    | ModuleObject
    | PackageObject
    | External
    | ObjectValue
    | InlineType
    | CallableValue
    | TupleValue
    | Variable
)
Types: TypeAlias = tuple[Type, ...]
Environment: TypeAlias = tuple[tuple[str, Types], ...]

ANYTHING: Types = (Anything(),)


class Symbol(_Type, frozen=True):
    """A definition, read from `receiver` (None: by a bare name or from a module)."""

    path: str
    index: int
    receiver: Instance | ClassObject | None = None
    environment: Environment = ()


class Field(_Type, frozen=True):
    """A field of a class that is not a definition: `bindings` say what is known of its value."""

    path: str
    index: int
    name: str
    receiver: Instance | ClassObject
    environment: Environment = ()


class PropertyOf(_Type, frozen=True):
    """A property of an object literal."""

    path: str
    value: Property


class Local(_Type, frozen=True):
    """A parameter or variable of a function: never another file's definition."""

    path: str
    binding: Binding


class Missing(_Type, frozen=True):
    """A name that its module or class, known in full, does not have. `path` is the module or the class's file."""

    path: str
    name: str


class Unresolved(_Type, frozen=True):
    """A bare name that nothing in reach declares."""

    name: str


class Typed(_Type, frozen=True):
    """A value that has no name, only types."""

    types: Types


Denotation: TypeAlias = (
    Symbol | Field | PropertyOf | Local | Missing | Unresolved | Typed | ModuleObject | PackageObject | External
)

MAX_ALTERNATIVES = 12
"""A union wider than this is not followed: it becomes Anything."""


def union(groups: Iterable[Types]) -> Types:
    """The alternatives of all groups, each once, in order; more than MAX_ALTERNATIVES are Anything."""
    seen: dict[Type, None] = {}
    for group in groups:
        for each in group:
            seen[each] = None
    if len(seen) > MAX_ALTERNATIVES:
        return ANYTHING
    return tuple(seen)


def is_known(types: Types) -> bool:
    """Whether every alternative is known (and there is one)."""
    return bool(types) and not any(isinstance(each, Anything | Variable) for each in types)

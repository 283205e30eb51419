"""What is sought and what is found: a target, the places that reach it, and what was seen and not listed."""

from __future__ import annotations

import msgspec

from graph import expressions as x
from graph.briefing import CallerKind


class Target(msgspec.Struct, frozen=True):
    """A definition whose callers are sought. `indices` are all its definitions in the file's facts (overloads)."""

    path: str
    indices: tuple[int, ...]


class Site(msgspec.Struct, frozen=True):
    """A place that reaches a target. `call_at` finds its arguments, -1 when it isn't called there.

    `bound`: the receiver is passed by the call itself (`obj.m()`, `C()`), so the first parameter is taken.
    `lacks`: it is a type that implements the target, an interface, but for the method of that name.
    `missed`: nothing but the target, which is gone, is likely to have what is called there.
    `by_position`: it lists the values of all fields of the target, a type, without their names, or takes the target, an
    object, as a whole.
    `made`: it constructs that class, path and index, whose constructor the target's fields are part of.
    `stands_for`: what is meant there, in a file that is of no language or in code that does not spell it.
    """

    path: str
    at: int
    line: int
    kind: CallerKind
    sure: bool
    reason: str | None = None
    via: str | None = None
    within: str | None = None
    call_at: int = -1
    bound: bool = False
    lacks: str | None = None
    missed: bool = False
    by_position: bool = False
    made: tuple[str, int] | None = None
    stands_for: x.Expression | None = None


class Callers(msgspec.Struct, frozen=True):
    """All sites of one target, sorted by path and offset, and what was seen and not listed."""

    sites: tuple[Site, ...]
    noise: int
    unresolved_receivers: int


class Seen:
    """Collects the sites of one target."""

    def __init__(self, *, of_value: bool = False) -> None:
        """`of_value`: the target is no type."""
        self.of_value = of_value
        self.sites: dict[tuple[str, int], Site] = {}
        self.noise = 0
        self.unresolved = 0
        self.visited: set[tuple[str, int]] = set()
        self.followed: set[tuple[str, int]] = set()
        self.given: list[str] = []
        """Names of properties that hold the target, to be sought when nothing else is left."""

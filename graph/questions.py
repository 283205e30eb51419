"""Questions that ask further questions: bounded in depth and in number, and remembered.

The answer to a question is a function of the tree, never of what was asked before. So a result that was cut short (by a
cycle or the depth limit) is given back but not remembered, and the step budget of a question counts remembered work as
if it were done anew.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

MAX_DEPTH = 60
"""Nested questions from one question; deeper ones are not known."""
MAX_STEPS = 20_000
"""Questions that one question may cause; past them its answer is not known."""

T = TypeVar("T")


class OutOfSteps(Exception):
    """A question cost more than MAX_STEPS."""


class Questions:
    """The questions asked of one program."""

    def __init__(self) -> None:
        self._memo: dict[object, tuple[object, int, int]] = {}
        self._active: dict[object, int] = {}
        self._steps = 0
        self._height = 0
        self._cut = MAX_DEPTH + 1

    def bounded(self, key: object, otherwise: T, work: Callable[[], T]) -> T:
        """`work()`, remembered under `key`; `otherwise` when it asks for itself, is too deep, or (asked from outside)
        costs too much."""
        depth = len(self._active)
        known = self._memo.get(key)
        if known is not None:
            value, cost, height = known
            if depth + height <= MAX_DEPTH:
                self._steps += cost
                self._height = max(self._height, height)
                return value  # type: ignore[return-value]
            self._cut = -1
            return otherwise
        if key in self._active:
            self._cut = min(self._cut, self._active[key])
            return otherwise
        if depth >= MAX_DEPTH:
            self._cut = -1
            return otherwise
        if depth == 0:
            self._steps, self._height, self._cut = 0, 0, MAX_DEPTH + 1
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise OutOfSteps
        outer_steps, outer_height, outer_cut = self._steps, self._height, self._cut
        self._steps, self._height, self._cut = 0, 0, MAX_DEPTH + 1
        self._active[key] = depth
        try:
            if outer_steps > MAX_STEPS:
                raise OutOfSteps
            result = work()
        except OutOfSteps:
            if depth:
                raise
            return otherwise
        finally:
            del self._active[key]
            cost, height, cut = self._steps + 1, self._height + 1, self._cut
            self._steps = outer_steps + self._steps
            self._height = max(outer_height, height)
            self._cut = min(outer_cut, cut if cut < depth else MAX_DEPTH + 1)
        if cut >= depth:
            self._memo[key] = (result, cost, height)
        if self._steps > MAX_STEPS:
            if depth:
                raise OutOfSteps
            return otherwise
        return result

    def remembered(self, key: object, work: Callable[[], T]) -> T:
        """`work()`, which depends on one file only, done once."""
        known = self._memo.get(key)
        if known is None:
            known = (work(), 0, 0)
            self._memo[key] = known
        return known[0]  # type: ignore[return-value]

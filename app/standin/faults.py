"""What can be made to go wrong at the stand-in, in the ways GitHub's users have met.

Each fault waits for requests that match it, is used up after `times` of them, and is then forgotten.
"""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass, field
from typing import Literal

FaultKind = Literal["refuse", "lose answer", "secondary limit", "primary limit", "slow"]


@dataclass
class Fault:
    """One planned failure. `path` is a regular expression that the request's path must contain."""

    kind: FaultKind
    method: str
    path: str
    times: int = 1
    status: int = 502
    seconds: float = 0.0
    retry_after: int | None = None

    def matches(self, method: str, path: str) -> bool:
        """Whether this fault is meant for the request."""
        return self.times > 0 and self.method in ("*", method) and re.search(self.path, path) is not None


@dataclass
class Faults:
    """The failures planned for a stand-in; safe to use from any thread."""

    _planned: list[Fault] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def refuse(self, method: str, path: str, *, status: int = 503, times: int = 1) -> None:
        """Answer with `status` before anything is done."""
        self._plan(Fault("refuse", method, path, times=times, status=status))

    def lose_answer(self, method: str, path: str, *, status: int = 502, times: int = 1) -> None:
        """Do what was asked, then answer `status`: a write that landed and looks as though it had not."""
        self._plan(Fault("lose answer", method, path, times=times, status=status))

    def secondary_limit(self, method: str, path: str, *, retry_after: int | None = None, times: int = 1) -> None:
        """Answer 403 with GitHub's words for a secondary rate limit, with or without `retry-after` (seconds)."""
        self._plan(Fault("secondary limit", method, path, times=times, status=403, retry_after=retry_after))

    def primary_limit(self, method: str, path: str, *, resets_in: int = 1, times: int = 1) -> None:
        """Answer 403 with no requests remaining; the limit resets in so many seconds."""
        self._plan(Fault("primary limit", method, path, times=times, status=403, retry_after=resets_in))

    def slow(self, method: str, path: str, *, seconds: float, times: int = 1) -> None:
        """Answer only after so many seconds."""
        self._plan(Fault("slow", method, path, times=times, seconds=seconds))

    def _plan(self, fault: Fault) -> None:
        with self._lock:
            self._planned.append(fault)

    def take(self, method: str, path: str) -> Fault | None:
        """The next fault planned for this request, counted as used; None when there is none."""
        with self._lock:
            for fault in self._planned:
                if fault.matches(method, path):
                    fault.times -= 1
                    return fault
        return None

    def left(self) -> list[Fault]:
        """Faults that no request has met yet."""
        with self._lock:
            return [fault for fault in self._planned if fault.times > 0]

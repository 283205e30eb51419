"""What a person at a terminal sees while something takes longer than a second, and Ctrl-C that ends it decently."""

from __future__ import annotations

import signal
import sys
import threading
import time
from types import FrameType, TracebackType
from typing import Final

FIRST_SECONDS: Final = 1.0
STEP_SECONDS: Final = 0.2
SIGNS: Final = "|/-\\"


class Waiting:
    """While it is entered: after a second, a line on standard error that says what is done and for how long.

    Only on a terminal, and wiped away at the end. The first Ctrl-C only makes `was_interrupted()` true, so that the
    work can return what it has; the second one interrupts.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._interrupted = False
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._show, daemon=True)
        self._done: tuple[int, int] | None = None
        self._before: object = None
        self._began = time.monotonic()
        self.seconds = 0.0
        """How long it took, once it is left."""

    def was_interrupted(self) -> bool:
        """Whether somebody pressed Ctrl-C."""
        return self._interrupted

    def reached(self, done: int, of: int) -> None:
        """Say how far it is."""
        self._done = (done, of)

    def __enter__(self) -> Waiting:
        self._began = time.monotonic()
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._interrupt)
        if sys.stderr.isatty():
            self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.seconds = time.monotonic() - self._began
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join()
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)  # type: ignore[arg-type]

    def _interrupt(self, _number: int, _frame: FrameType | None) -> None:
        if self._interrupted:
            raise KeyboardInterrupt
        self._interrupted = True

    def _show(self) -> None:
        if self._ended.wait(FIRST_SECONDS):
            return
        turn = 0
        while not self._ended.wait(STEP_SECONDS):
            turn += 1
            far = f" {self._bar(*self._done)}" if self._done else ""
            sys.stderr.write(f"\r\x1b[K{SIGNS[turn % 4]} {self._what}{far} {time.monotonic() - self._began:.0f} s")
            sys.stderr.flush()
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()

    @staticmethod
    def _bar(done: int, of: int) -> str:
        filled = 20 * done // max(of, 1)
        return f"[{'#' * filled}{'.' * (20 - filled)}] {done}/{of}"

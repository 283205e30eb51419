"""The garbage collector's search for cycles, switched off while there are none to find."""

from __future__ import annotations

import atexit
import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_search_for_cycles() -> Iterator[None]:
    """Facts and types are trees without cycles: to look for some would be a tenth of the work for nothing."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def no_search_from_now_on() -> None:
    """The same for a process that does one thing and ends. At its end, too, what there is is left to the system: to
    look through millions of objects once more, and to take them apart one by one, is a tenth of the work again."""
    gc.disable()
    atexit.register(gc.freeze)

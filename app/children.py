"""Child processes that never outlive the process that started them.

On Linux the kernel sees to it: a small launcher asks to be signalled when its parent dies and then becomes the command.
Elsewhere the launcher stays, and watches.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence

LAUNCHER = r"""
import ctypes, os, signal, subprocess, sys, time
parent, number, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(1, number, 0, 0, 0)  # PR_SET_PDEATHSIG, kept across exec
    if os.getppid() != parent:
        sys.exit(1)
    os.execv(command[0], command)
child = subprocess.Popen(command)
for name in ("SIGTERM", "SIGINT"):
    signal.signal(getattr(signal, name), lambda got, frame: child.send_signal(got))
while child.poll() is None:
    if os.getppid() != parent:
        child.send_signal(number)
    time.sleep(0.25)
sys.exit(max(child.returncode, 0))
"""


def bound_to_this_process(command: Sequence[str], *, when_orphaned: signal.Signals = signal.SIGTERM) -> list[str]:
    """`command` (its first word an absolute path), so started that it gets `when_orphaned` when this process dies."""
    return [sys.executable, "-I", "-S", "-c", LAUNCHER, str(os.getpid()), str(int(when_orphaned)), *command]


def callsheet_command(*arguments: str) -> list[str]:
    """The command line that runs a Callsheet command in another process, with this same Python."""
    return [sys.executable, "-P", "-m", "app", *arguments]


def stop(process: subprocess.Popen[bytes], seconds: float) -> int:
    """Ask a child to stop, end it after so many seconds, and return how it ended."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
    return process.wait()

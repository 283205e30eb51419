"""Secrets that change while a process runs: the files they came from are looked at again, and read when they differ.

Only files can change (a mounted Secret, the credentials directory): the environment of a process stays as it was.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import msgspec
import structlog

from worker.settings import Settings, SettingsError, secret_files

LOOK_SECONDS: Final = 1.0
"""The files are looked at so often at most."""

_log = structlog.get_logger(__name__)

Stamp = tuple[tuple[str, int, int, int], ...]


class RotatingSettings:
    """The settings of a process whose secret files may be replaced. `now()` gives the newest that could be read."""

    def __init__(
        self,
        settings: Settings,
        env: Mapping[str, str] = os.environ,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`settings` are those read at the start, from `env`."""
        self._settings = settings
        self._env = dict(env)
        self._clock = clock
        self._stamp = _stamp(secret_files(self._env))
        self._looked = clock()

    def now(self) -> Settings:
        """The settings with the secrets as they are now. Files that can't be read leave everything as it was."""
        if self._clock() - self._looked < LOOK_SECONDS:
            return self._settings
        self._looked = self._clock()
        stamp = _stamp(secret_files(self._env))
        if stamp == self._stamp:
            return self._settings
        try:
            fresh = Settings.from_environment(self._env)
        except SettingsError as error:
            # Perhaps half of it is written: it is tried again with the next change, or the next look.
            _log.error("secrets_not_read", why=str(error))
            return self._settings
        self._stamp = stamp
        # What isn't secret belongs to the start of a process; an embedded Redis's address isn't in the environment.
        self._settings = _with_secrets(self._settings, fresh)
        _log.info("secrets_read_again")
        return self._settings


def _with_secrets(settings: Settings, fresh: Settings) -> Settings:
    return msgspec.structs.replace(
        settings,
        private_key=fresh.private_key or settings.private_key,
        webhook_secret=fresh.webhook_secret or settings.webhook_secret,
        webhook_secret_previous=fresh.webhook_secret_previous,
    )


def _stamp(files: tuple[Path, ...]) -> Stamp:
    """What tells one version of the files from another. A mounted Secret is a link, so the file itself is looked at."""
    found = []
    for path in files:
        try:
            status = path.stat()
        except OSError:
            continue
        found.append((str(path), status.st_ino, status.st_mtime_ns, status.st_size))
    return tuple(found)

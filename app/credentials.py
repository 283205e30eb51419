"""The directory in which `callsheet setup` puts the App's credentials, and from which the settings read them."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from worker.settings import CREDENTIAL_FILES, Secret

MODE: Final = 0o600


class Credentials(msgspec.Struct, frozen=True, kw_only=True):
    """What GitHub hands over when an App is registered, as far as it is needed."""

    app_id: int
    private_key: Secret
    webhook_secret: Secret


def is_filled(directory: Path) -> bool:
    """Whether there are credentials already."""
    return any((directory / name).exists() for name in CREDENTIAL_FILES.values())


def store(directory: Path, credentials: Credentials) -> None:
    """Write the files, readable by this user alone, each as a whole or not at all. Raises OSError."""
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    directory.chmod(0o700)
    contents: Mapping[str, str] = {
        "CALLSHEET_PRIVATE_KEY": credentials.private_key.reveal(),
        "CALLSHEET_WEBHOOK_SECRET": credentials.webhook_secret.reveal(),
        # Last: whoever finds the id finds the rest.
        "CALLSHEET_APP_ID": str(credentials.app_id),
    }
    for variable, content in contents.items():
        _write(directory / CREDENTIAL_FILES[variable], content)


def _write(path: Path, content: str) -> None:
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, MODE)
    try:
        with os.fdopen(fd, "w", encoding="utf-8") as file:
            file.write(content.rstrip("\n") + "\n")
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


def too_open(path: Path) -> bool:
    """Whether others than the owner and the group may read a secret's file."""
    try:
        return bool(path.stat().st_mode & (stat.S_IROTH | stat.S_IWOTH | stat.S_IWGRP))
    except OSError:
        return False

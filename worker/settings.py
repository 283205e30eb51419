"""Every setting of Callsheet, in one place, read once from environment variables.

The table of `VARIABLES` is the documentation: what a variable means, its unit and its default. `Settings` holds the
values. Each secret may be given in the variable itself or in a file named by the variable with `_FILE` appended (the
way container platforms mount secrets); never both.
"""

from __future__ import annotations

import base64
import binascii
import os
from collections.abc import Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import msgspec

MIB: Final = 1024 * 1024

VARIABLES: Final[dict[str, str]] = {
    "CALLSHEET_CREDENTIALS_DIR": "Directory of files app-id, private-key.pem and webhook-secret, which stand in for "
    "the variables below that are not set; `callsheet setup` fills it. Default ~/.config/callsheet.",
    "CALLSHEET_APP_ID": "The GitHub App's numeric id, shown on its settings page. Needed by the worker. "
    "Or CALLSHEET_APP_ID_FILE.",
    "CALLSHEET_PRIVATE_KEY": "The App's private key (PEM; `\\n` for line ends and base64 of the PEM are understood). "
    "Needed by the worker. Or CALLSHEET_PRIVATE_KEY_FILE.",
    "CALLSHEET_WEBHOOK_SECRET": "The secret webhooks are signed with. Needed by the receiver. "
    "Or CALLSHEET_WEBHOOK_SECRET_FILE.",
    "CALLSHEET_WEBHOOK_SECRET_PREVIOUS": "A second secret that is accepted too, while you change the first one. "
    "Or CALLSHEET_WEBHOOK_SECRET_PREVIOUS_FILE.",
    "REDIS_URL": "redis://, rediss:// or unix:// address of Redis or Valkey; percent-encode special characters of the "
    "password. Or REDIS_URL_FILE. Empty: `callsheet serve` starts its own.",
    "CALLSHEET_GITHUB_URL": "Web address of GitHub or GitHub Enterprise Server. Default https://github.com.",
    "CALLSHEET_GITHUB_API_URL": "Address of the REST API. Default: derived from CALLSHEET_GITHUB_URL.",
    "CALLSHEET_PUBLIC_URL": "Address under which people reach this service; check runs link to it. Default: none.",
    "CALLSHEET_CACHE_DIR": "Directory for clones, worktrees and facts, on a local disk (not NFS). "
    "Default ~/.cache/callsheet.",
    "CALLSHEET_DISK_BUDGET_MIB": "MiB the clones, worktrees and facts may take; the least recently used clones go. "
    "Default 20480.",
    "CALLSHEET_DISK_FREE_MIB": "MiB to leave free on that disk. Default 1024.",
    "CALLSHEET_ANALYSIS_SECONDS": "Seconds after which an analysis is told to stop and return what it has. Default 60.",
    "CALLSHEET_ANALYSIS_MEMORY_MIB": "MiB of memory one analysis may use; past it, it is ended. Default 2048.",
    "CALLSHEET_GIT_SECONDS": "Seconds one git command may take, a fetch included. Default 300.",
    "CALLSHEET_MAX_JOBS": "Briefings a worker makes at the same time. Default 2.",
    "CALLSHEET_SHUTDOWN_SECONDS": "Seconds running briefings get to finish when the worker is asked to stop. "
    "Default 25.",
    "CALLSHEET_STALENESS": "mark or rebrief. What happens to a briefing when new commits on the base branch touch a "
    "file that names a changed symbol: it is marked as stale, or made again. Others are only marked. Default mark.",
    "CALLSHEET_STALE_DELAY_SECONDS": "Seconds from a push to a base branch until its briefings are marked as stale; "
    "later pushes meanwhile are one with it. Default 30.",
    "CALLSHEET_STALE_PER_HOUR": "Briefings marked as stale in an hour and installation at most, the most recently "
    "active first. Default 300.",
    "CALLSHEET_BACKLOG_PER_HOUR": "Pull requests briefed in an hour and installation at most that were open before the "
    "App was installed, or whose webhook was lost. Default 60.",
    "CALLSHEET_LISTINGS_PER_HOUR": "Repositories of an installation whose open pull requests are looked through in an "
    "hour at most. Default 500.",
    "CALLSHEET_RESERVE_PERCENT": "Percent of GitHub's hourly rate limit that background work leaves to webhooks and "
    "people. Default 40.",
    "CALLSHEET_SWEEP_SECONDS": "Seconds between looks for webhooks that GitHub could not deliver. Default 300.",
    "CALLSHEET_TAKEOVER_SECONDS": "Seconds for which a worker may be silent before another takes over the briefings it "
    "was making. Default 20.",
    "CALLSHEET_RECONCILE_SECONDS": "Seconds between looks for open pull requests without a briefing. Default 3600.",
    "CALLSHEET_HOST": "Address the receiver listens on. Default 127.0.0.1 (containers want 0.0.0.0).",
    "CALLSHEET_PORT": "Port the receiver listens on. Default 8080.",
    "CALLSHEET_METRICS_PORT": "Port on which a worker serves its Prometheus metrics, on CALLSHEET_HOST; 0: none. "
    "Default 0. (The receiver serves its own at /metrics.)",
    "CALLSHEET_READY_QUEUE_SECONDS": "Age of the oldest unfinished job, in seconds, past which /queuez answers 503: "
    "too few workers. /readyz does not depend on it, for a webhook that waits is not lost. Default 900.",
    "CALLSHEET_MAX_BODY_BYTES": "Largest webhook body accepted, bytes. Default 27262976 (26 MiB; GitHub sends at most "
    "25 MB).",
    "CALLSHEET_CA_BUNDLE": "PEM file of certificate authorities to trust for GitHub and git, for a company's own CA. "
    "Default: the usual ones.",
    "CALLSHEET_LOG_LEVEL": "debug, info, warning or error. Default info.",
    "CALLSHEET_LOG_FORMAT": "json (one object a line) or text. Default json.",
}
"""Every variable that is read (each secret also as NAME_FILE), with what it means."""


class SettingsError(ValueError):
    """A setting is missing or wrong. The message names the variable and says what to do; it never shows a secret."""


class Secret:
    """A value that must not be seen: its repr and str are redacted, `reveal()` gives it to the code that needs it."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The secret itself. Never log it, format it into a URL or pass it as a command's argument."""
        return self._value

    def __repr__(self) -> str:
        return "[secret]"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return "[secret]"

    def __bool__(self) -> bool:
        return bool(self._value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._value == self._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a Secret is never pickled")


CREDENTIAL_FILES: Final[dict[str, str]] = {
    "CALLSHEET_APP_ID": "app-id",
    "CALLSHEET_PRIVATE_KEY": "private-key.pem",
    "CALLSHEET_WEBHOOK_SECRET": "webhook-secret",
    "CALLSHEET_WEBHOOK_SECRET_PREVIOUS": "webhook-secret-previous",
}
"""What a file of the credentials directory stands in for."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of one process. Names follow the variables (see `VARIABLES` for meaning, unit and default)."""

    app_id: int | None = None
    private_key: Secret | None = None
    webhook_secret: Secret | None = None
    webhook_secret_previous: Secret | None = None
    redis_url: Secret | None = None
    """None: no REDIS_URL was given, `callsheet serve` starts an embedded server and fills this in."""
    github_url: str = "https://github.com"
    github_api_url: str = "https://api.github.com"
    public_url: str | None = None
    cache_dir: Path = Path("~/.cache/callsheet")
    disk_budget_mib: int = 20480
    disk_free_mib: int = 1024
    analysis_seconds: float = 60.0
    analysis_memory_mib: int = 2048
    git_seconds: float = 300.0
    max_jobs: int = 2
    shutdown_seconds: int = 25
    staleness: str = "mark"
    stale_delay_seconds: float = 30.0
    stale_per_hour: int = 300
    backlog_per_hour: int = 60
    listings_per_hour: int = 500
    reserve_percent: int = 40
    sweep_seconds: float = 300.0
    reconcile_seconds: float = 3600.0
    takeover_seconds: float = 20.0
    host: str = "127.0.0.1"
    port: int = 8080
    metrics_port: int = 0
    ready_queue_seconds: float = 900.0
    max_body_bytes: int = 26 * MIB
    ca_bundle: Path | None = None
    log_level: str = "info"
    log_format: str = "json"

    @classmethod
    def from_environment(cls, env: Mapping[str, str]) -> Settings:
        """Read the settings from `env` (usually `os.environ`).

        Values are stripped of blanks and line ends. What only one kind of process needs is not demanded here: see
        `require_app` and `require_webhook_secrets`. Raises SettingsError.
        """
        env = with_credentials(env)
        github_url = _url(env, "CALLSHEET_GITHUB_URL") or "https://github.com"
        ca_bundle = _text(env, "CALLSHEET_CA_BUNDLE")
        if ca_bundle and not Path(ca_bundle).is_file():
            raise SettingsError(
                f"CALLSHEET_CA_BUNDLE names {ca_bundle}, which is no file: give the path of a PEM bundle."
            )
        cache = _text(env, "CALLSHEET_CACHE_DIR")
        return cls(
            app_id=_optional_integer(env, "CALLSHEET_APP_ID", 1),
            private_key=_private_key(env),
            webhook_secret=_secret(env, "CALLSHEET_WEBHOOK_SECRET"),
            webhook_secret_previous=_secret(env, "CALLSHEET_WEBHOOK_SECRET_PREVIOUS"),
            redis_url=_redis_url(env),
            github_url=github_url,
            github_api_url=_url(env, "CALLSHEET_GITHUB_API_URL") or derived_api_url(github_url),
            public_url=_url(env, "CALLSHEET_PUBLIC_URL"),
            cache_dir=Path(cache).expanduser() if cache else _default_cache_dir(env),
            disk_budget_mib=_integer(env, "CALLSHEET_DISK_BUDGET_MIB", 20480, 64),
            disk_free_mib=_integer(env, "CALLSHEET_DISK_FREE_MIB", 1024, 0),
            analysis_seconds=float(_integer(env, "CALLSHEET_ANALYSIS_SECONDS", 60, 1)),
            analysis_memory_mib=_integer(env, "CALLSHEET_ANALYSIS_MEMORY_MIB", 2048, 256),
            git_seconds=float(_integer(env, "CALLSHEET_GIT_SECONDS", 300, 1)),
            max_jobs=_integer(env, "CALLSHEET_MAX_JOBS", 2, 1),
            shutdown_seconds=_integer(env, "CALLSHEET_SHUTDOWN_SECONDS", 25, 0),
            staleness=_choice(env, "CALLSHEET_STALENESS", ("mark", "rebrief"), "mark"),
            stale_delay_seconds=float(_integer(env, "CALLSHEET_STALE_DELAY_SECONDS", 30, 0, 3600)),
            stale_per_hour=_integer(env, "CALLSHEET_STALE_PER_HOUR", 300, 1),
            backlog_per_hour=_integer(env, "CALLSHEET_BACKLOG_PER_HOUR", 60, 1),
            listings_per_hour=_integer(env, "CALLSHEET_LISTINGS_PER_HOUR", 500, 1),
            reserve_percent=_integer(env, "CALLSHEET_RESERVE_PERCENT", 40, 0, 99),
            sweep_seconds=float(_integer(env, "CALLSHEET_SWEEP_SECONDS", 300, 1)),
            reconcile_seconds=float(_integer(env, "CALLSHEET_RECONCILE_SECONDS", 3600, 1)),
            takeover_seconds=float(_integer(env, "CALLSHEET_TAKEOVER_SECONDS", 20, 2, 600)),
            host=_text(env, "CALLSHEET_HOST") or "127.0.0.1",
            port=_integer(env, "CALLSHEET_PORT", 8080, 0, 65535),
            metrics_port=_integer(env, "CALLSHEET_METRICS_PORT", 0, 0, 65535),
            ready_queue_seconds=float(_integer(env, "CALLSHEET_READY_QUEUE_SECONDS", 900, 1)),
            max_body_bytes=_integer(env, "CALLSHEET_MAX_BODY_BYTES", 26 * MIB, 1024),
            ca_bundle=Path(ca_bundle) if ca_bundle else None,
            log_level=_choice(env, "CALLSHEET_LOG_LEVEL", ("debug", "info", "warning", "error"), "info"),
            log_format=_choice(env, "CALLSHEET_LOG_FORMAT", ("json", "text"), "json"),
        )

    @property
    def github_host(self) -> str:
        """Host (with the port when it isn't the usual one) of GitHub's web address; clones are keyed by it."""
        return urlsplit(self.github_url).netloc

    def git_url(self, owner: str, name: str) -> str:
        """Address git fetches a repository from. It never carries a credential."""
        return f"{self.github_url}/{owner}/{name}.git"

    @property
    def webhook_secrets(self) -> tuple[Secret, ...]:
        """The secrets a webhook may be signed with, the current one first."""
        return tuple(secret for secret in (self.webhook_secret, self.webhook_secret_previous) if secret)

    def require_app(self) -> tuple[int, Secret]:
        """The App's id and private key, which a worker can't do without. Raises SettingsError."""
        if self.app_id is None:
            raise SettingsError(
                "CALLSHEET_APP_ID is not set: give the numeric App ID from the GitHub App's settings page."
            )
        if not self.private_key:
            raise SettingsError(
                "CALLSHEET_PRIVATE_KEY is not set: generate a private key on the GitHub App's settings page and give "
                "its path in CALLSHEET_PRIVATE_KEY_FILE (or its text in CALLSHEET_PRIVATE_KEY)."
            )
        return self.app_id, self.private_key

    def require_webhook_secrets(self) -> tuple[Secret, ...]:
        """The webhook secrets, at least one, which a receiver can't do without. Raises SettingsError."""
        if not self.webhook_secrets:
            raise SettingsError(
                "CALLSHEET_WEBHOOK_SECRET is not set: give the webhook secret of the GitHub App's settings page (or a "
                "file's path in CALLSHEET_WEBHOOK_SECRET_FILE). Unsigned webhooks are never accepted."
            )
        return self.webhook_secrets

    def require_redis(self) -> Secret:
        """The address of Redis. Raises SettingsError."""
        if not self.redis_url:
            raise SettingsError(
                "REDIS_URL is not set: give the address of Redis (redis://host:6379/0), or use `callsheet serve`, "
                "which starts its own."
            )
        return self.redis_url


def credentials_dir(env: Mapping[str, str]) -> Path | None:
    """The directory of credentials; None when none is set and there is no home directory to find one in."""
    given, xdg, home = (_text(env, name) for name in ("CALLSHEET_CREDENTIALS_DIR", "XDG_CONFIG_HOME", "HOME"))
    if given:
        return Path(given).expanduser()
    if xdg and os.path.isabs(xdg):  # noqa: PTH117 - a plain test of the text
        return Path(xdg) / "callsheet"
    return Path(home) / ".config" / "callsheet" if home else None


def with_credentials(env: Mapping[str, str]) -> Mapping[str, str]:
    """`env`, with the files of the credentials directory in the place of variables that aren't set."""
    directory = credentials_dir(env)
    if directory is None:
        return env
    found = {
        f"{name}_FILE": str(directory / file)
        for name, file in CREDENTIAL_FILES.items()
        if not _text(env, name) and not _text(env, f"{name}_FILE") and (directory / file).is_file()
    }
    return {**env, **found} if found else env


def secret_files(env: Mapping[str, str]) -> tuple[Path, ...]:
    """The files that secrets are read from."""
    names = (f"{name}_FILE" for name in CREDENTIAL_FILES)
    env = with_credentials(env)
    return tuple(Path(_text(env, name)).expanduser() for name in names if _text(env, name))


def derived_api_url(github_url: str) -> str:
    """The REST API's address that belongs to a web address: api.github.com, or /api/v3 of an Enterprise Server.

    (GitHub Enterprise Cloud with data residency, SUBDOMAIN.ghe.com, has api.SUBDOMAIN.ghe.com.)
    """
    parts = urlsplit(github_url)
    host = (parts.hostname or "").lower()
    if host in {"github.com", "www.github.com"}:
        return "https://api.github.com"
    if host.endswith(".ghe.com"):
        return f"{parts.scheme}://api.{host}"
    return f"{github_url}/api/v3"


def is_loopback(host: str | None) -> bool:
    """Whether a host name or address is this machine, the only place where plain http is accepted."""
    if host is None:
        return False
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _text(env: Mapping[str, str], name: str) -> str:
    return env.get(name, "").strip()


def _secret(env: Mapping[str, str], name: str) -> Secret | None:
    value, file = _text(env, name), _text(env, f"{name}_FILE")
    if value and file:
        raise SettingsError(f"Both {name} and {name}_FILE are set: keep one of them.")
    if file:
        try:
            value = Path(file).expanduser().read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it isn't text"
            raise SettingsError(
                f"{name}_FILE names {file}, which can't be read ({reason}): check the path and its permissions."
            ) from None
        if not value:
            raise SettingsError(f"{name}_FILE names {file}, which is empty: put the secret into it.")
    return Secret(value) if value else None


def _private_key(env: Mapping[str, str]) -> Secret | None:
    key = _secret(env, "CALLSHEET_PRIVATE_KEY")
    if key is None:
        return None
    text = key.reveal().replace("\\n", "\n")
    if "-----BEGIN" not in text:
        try:
            text = base64.b64decode(text, validate=False).decode("ascii").strip()
        except (binascii.Error, UnicodeDecodeError, ValueError):
            text = ""
    if "-----BEGIN" not in text or "PRIVATE KEY-----" not in text:
        raise SettingsError(
            "CALLSHEET_PRIVATE_KEY is no PEM private key: give the whole .pem file GitHub let you download, from "
            "-----BEGIN to -----END (CALLSHEET_PRIVATE_KEY_FILE takes its path)."
        )
    return Secret(text + "\n")


def _redis_url(env: Mapping[str, str]) -> Secret | None:
    url = _secret(env, "REDIS_URL")
    if url is None:
        return None
    if urlsplit(url.reveal()).scheme not in {"redis", "rediss", "unix"}:
        raise SettingsError(
            "REDIS_URL must begin with redis://, rediss:// or unix:// (for example redis://host:6379/0)."
        )
    return url


def _url(env: Mapping[str, str], name: str) -> str | None:
    value = _text(env, name).rstrip("/")
    if not value:
        return None
    try:
        parts = urlsplit(value)
        _ = parts.port
    except ValueError:
        raise SettingsError(f"{name} is no address: give one like https://github.example.com.") from None
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise SettingsError(f"{name} must be an address that begins with https:// (for example https://github.com).")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise SettingsError(f"{name} must carry no user, password, ? or #: give the plain address.")
    if parts.scheme == "http" and not is_loopback(parts.hostname) and name != "CALLSHEET_PUBLIC_URL":
        raise SettingsError(f"{name} must use https: plain http would send tokens in the clear.")
    return value


def _optional_integer(env: Mapping[str, str], name: str, least: int) -> int | None:
    value = _secret(env, name)
    return _integer({name: value.reveal()}, name, 0, least) if value else None


def _integer(env: Mapping[str, str], name: str, default: int, least: int, most: int | None = None) -> int:
    value = _text(env, name)
    if not value:
        return default
    bounds = f"of at least {least}" if most is None else f"from {least} to {most}"
    # isdigit() alone would let through digits int() refuses, and int() alone "1_0" and "+1".
    if not (value.isascii() and value.isdigit()) or len(value) > 18:
        raise SettingsError(f"{name} must be a whole number {bounds}.")
    number = int(value)
    if number < least or (most is not None and number > most):
        raise SettingsError(f"{name} is {number}: it must be a whole number {bounds}.")
    return number


def _choice(env: Mapping[str, str], name: str, allowed: tuple[str, ...], default: str) -> str:
    value = _text(env, name).lower() or default
    if value not in allowed:
        raise SettingsError(f"{name} must be one of {', '.join(allowed)}.")
    return value


def _default_cache_dir(env: Mapping[str, str]) -> Path:
    xdg = _text(env, "XDG_CACHE_HOME")
    if xdg and os.path.isabs(xdg):  # noqa: PTH117 - a plain test of the text
        return Path(xdg) / "callsheet"
    home = _text(env, "HOME")
    return (Path(home) if home else Path("~").expanduser()) / ".cache" / "callsheet"

"""Logging: one structured event a line, with secrets taken out before anything is written.

Two nets. Values that are known to be secret (the tokens this process was given) are replaced wherever they appear,
also encoded as base64 of `x-access-token:TOKEN`, the form git sends; and whatever has the shape of a credential is
replaced too. GitHub's newer installation tokens are long and carry dots, dashes and underscores, so no length or
alphabet is assumed.
"""

from __future__ import annotations

import base64
import logging
import re
import sys
from collections.abc import Iterable, MutableMapping
from typing import Any, Final

import structlog

from worker.settings import Secret

REDACTED: Final = "[redacted]"

_SHAPES: Final[tuple[tuple[re.Pattern[str], str], ...]] = (
    (re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL), REDACTED),
    (re.compile(r"(://)[^/\s@'\"]+@"), rf"\1{REDACTED}@"),
    (re.compile(r"(?i)\b(authorization\s*[:=]\s*)(?:(?:basic|bearer|token)\s+)?[^\s'\",}]+"), rf"\1{REDACTED}"),
    (re.compile(r"(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=\-]{12,}"), rf"\1 {REDACTED}"),
    (re.compile(r"\b(?:gh[a-z]|github_pat)_[A-Za-z0-9._\-]{8,}"), REDACTED),
    (re.compile(r"\bv1\.[0-9a-f]{40}\b"), REDACTED),
    (re.compile(r"\beyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]+(?:\.[A-Za-z0-9_\-]+)?"), REDACTED),
)
_SECRET_NAMES: Final = re.compile(r"(?i)(secret|token|password|private_key|authorization)")


def basic_credential(token: str) -> str:
    """What git sends for an installation token: base64 of `x-access-token:TOKEN`."""
    return base64.b64encode(f"x-access-token:{token}".encode()).decode("ascii")


def redact(text: str, secrets: Iterable[Secret] = ()) -> str:
    """`text` without credentials: the known `secrets` in clear and as git sends them, and all that looks like one."""
    for secret in secrets:
        value = secret.reveal()
        if len(value) >= 4:
            text = text.replace(basic_credential(value), REDACTED).replace(value, REDACTED)
    for pattern, replacement in _SHAPES:
        text = pattern.sub(replacement, text)
    return text


def redact_event(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """structlog processor: redact every text in an event, and the whole value of a key that names a secret."""
    for key, value in list(event.items()):
        event[key] = REDACTED if _SECRET_NAMES.search(key) and value else _redact_value(value)
    return event


def _redact_value(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, list | tuple):
        return [_redact_value(item) for item in value]
    if isinstance(value, dict):
        return {
            str(key): REDACTED if _SECRET_NAMES.search(str(key)) and item else _redact_value(item)
            for key, item in value.items()
        }
    return redact(value if isinstance(value, str) else str(value))


def set_up_logging(level: str = "info", form: str = "json") -> None:
    """Send structlog's and the standard library's events to standard error, redacted.

    `level` is debug, info, warning or error; `form` is json (one object a line) or text. httpx's request lines are
    kept out below warning: they'd repeat every URL.
    """
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.stdlib.PositionalArgumentsFormatter(),
        structlog.processors.StackInfoRenderer(),
        structlog.processors.format_exc_info,
        redact_event,
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    renderer: Any = (
        structlog.processors.JSONRenderer(sort_keys=True)
        if form == "json"
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for noisy in ("httpx", "httpcore", "git.cmd", "git", "hishel"):
        logging.getLogger(noisy).setLevel(max(logging.WARNING, root.level))

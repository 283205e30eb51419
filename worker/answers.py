"""What GitHub's unsuccessful answers mean: one exception for each thing a caller does differently."""

from __future__ import annotations

import time

import httpx
import msgspec

from worker.logs import redact


class GitHubError(Exception):
    """GitHub did not do what was asked. The message says what was asked and answered, without credentials.

    `status` is the HTTP status, 0 when there was none.
    """

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


class Gone(GitHubError):
    """404, 410, 451: the repository, pull request or installation isn't there (for this App)."""


class Refused(GitHubError):
    """401, 403: not allowed: a wrong key, a suspended installation, a permission that wasn't granted."""


class Rejected(GitHubError):
    """Any other 4xx: GitHub finds the request itself wrong."""


class Unavailable(GitHubError):
    """5xx, no connection, no answer in time, or an answer that isn't what the API promises: worth another try."""


class RateLimited(GitHubError):
    """A primary or secondary rate limit. `seconds` is how long to leave this installation alone.

    `told` is False when GitHub did not say for how long: after another refusal it should be longer.
    """

    def __init__(self, message: str, seconds: float, status: int = 0, *, told: bool = True) -> None:
        super().__init__(message, status)
        self.seconds = seconds
        self.told = told


class _Message(msgspec.Struct):
    message: str = ""


def failure_of(what: str, response: httpx.Response) -> GitHubError:
    """The error an unsuccessful answer is. `what` is the request, as `METHOD /path`."""
    try:
        said = msgspec.json.decode(response.content, type=_Message).message
    except (msgspec.MsgspecError, UnicodeDecodeError):
        said = ""
    status = response.status_code
    message = redact(f"GitHub answered {status} to {what}: {said[:300] or 'no message'}")
    if status in {403, 429} and (limit := _rate_limit(response, said)) is not None:
        return RateLimited(message, limit[0], status, told=limit[1])
    if status in {401, 403}:
        return Refused(message, status)
    if status in {404, 410, 451}:
        return Gone(message, status)
    if 400 <= status < 500 and status != 408:
        return Rejected(message, status)
    return Unavailable(message, status)


def _rate_limit(response: httpx.Response, said: str) -> tuple[float, bool] | None:
    """When this 403 or 429 is a rate limit: how long to wait, and whether GitHub said so; else None.

    At least a minute, unless GitHub says less.
    """
    after = response.headers.get("retry-after", "")
    if after.isascii() and after.isdigit():
        return min(float(after), 3600.0), True
    words = said.lower()
    secondary = "secondary rate" in words or "abuse detection" in words
    if response.headers.get("x-ratelimit-remaining") == "0" and not secondary:
        reset = response.headers.get("x-ratelimit-reset", "")
        told = reset.isascii() and reset.isdigit()
        return (min(max(float(reset) - time.time(), 1.0), 3600.0), True) if told else (60.0, False)
    if secondary or response.status_code == 429 or "rate limit exceeded" in words:
        return 60.0, False
    return None

"""One request to GitHub's REST API: sent with githubkit, its answer as bytes or as one of our errors."""

from __future__ import annotations

import re
import ssl
from collections.abc import Mapping
from typing import Any, Final, TypeVar
from urllib.parse import quote

import msgspec
from githubkit import GitHub
from githubkit.exception import GitHubException, RequestFailed

from worker.answers import RateLimited, Rejected, Unavailable, failure_of
from worker.limits import Rate
from worker.metrics import note_request
from worker.settings import Settings

API_VERSION: Final = "2022-11-28"
"""Understood by github.com and by every supported Enterprise Server; nothing here needs a later one."""

_NEXT: Final = re.compile(r'<[^<>]*[?&](page|cursor)=([^&<>]+)[^<>]*>;\s*rel="next"')

T = TypeVar("T")


class Reply(msgspec.Struct, frozen=True):
    """A successful answer. `status` is 304 (and `body` empty) when what was asked for under `etag` hasn't changed.

    `following` is the next page's number or cursor, None on the last. `rate` is what is left of the hour.
    """

    status: int
    body: bytes
    etag: str | None
    following: str | None
    rate: Rate | None


async def ask(
    github: GitHub[Any], method: str, path: str, *, json: dict[str, Any] | None = None, etag: str | None = None
) -> Reply:
    """Send one request. `etag` is a former answer's: one that is unchanged is empty, and free. Raises GitHubError."""
    headers = {"X-GitHub-Api-Version": API_VERSION}
    if etag is not None:
        headers["If-None-Match"] = etag
    what = f"{method} /{path.partition('?')[0]}"
    try:
        response = await github.arequest(method, path, json=json, headers=headers)
    except RequestFailed as error:
        note_request(method, error.response.status_code)
        raise failure_of(what, error.response.raw_response) from None
    except ValueError:  # githubkit can't read a Retry-After that is a date
        raise RateLimited(f"GitHub's rate limit was reached at {what}", 60.0, told=False) from None
    except GitHubException as error:
        note_request(method, 0)
        cause = getattr(error, "exc", None) or error
        raise Unavailable(f"GitHub could not be reached for {what}: {type(cause).__name__}") from None
    note_request(method, response.status_code)
    following = _NEXT.search(response.headers.get("link", ""))
    return Reply(
        response.status_code,
        bytes(response.content),
        response.headers.get("etag"),
        following[2] if following is not None else None,
        _rate(response.headers),
    )


def decode(shape: type[T], body: bytes) -> T:
    """The part of an answer that `shape` describes. Raises Unavailable."""
    try:
        return msgspec.json.decode(body, type=shape)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise Unavailable(f"GitHub's answer is not what its API describes: {error}") from None


def repository_path(owner: str, name: str) -> str:
    """`repos/OWNER/NAME`. Raises Rejected when one of them is no name."""
    return f"repos/{segment(owner)}/{segment(name)}"


def segment(text: str) -> str:
    """One segment of a path. A name of dots alone would climb out of it. Raises Rejected."""
    if text in {"", ".", ".."}:
        raise Rejected("a repository's owner, name or commit is empty or made of dots")
    return quote(text, safe="")


def trust(settings: Settings) -> bool | ssl.SSLContext:
    """What to check GitHub's certificate against."""
    if settings.ca_bundle is None:
        return True
    context = ssl.create_default_context()
    context.load_verify_locations(cafile=settings.ca_bundle)
    return context


def _rate(headers: Mapping[str, str]) -> Rate | None:
    values = [headers.get(f"x-ratelimit-{name}", "") for name in ("remaining", "limit", "reset")]
    if headers.get("x-ratelimit-resource", "core") != "core" or not all(v.isascii() and v.isdigit() for v in values):
        return None
    return Rate(*(int(value[:12]) for value in values))

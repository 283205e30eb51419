"""The organisation's own configuration: `.github/callsheet.yml` in its repository `.github`, where it has one.

It counts for repositories without a file of their own. Asked for once in ten minutes and installation at most, for all
workers together; what is remembered goes with the installation.
"""

from __future__ import annotations

import base64
import binascii
from datetime import timedelta
from typing import Any, Final, cast

import msgspec
import structlog
from arq.connections import ArqRedis
from githubkit import TokenAuthStrategy

from worker.answers import Gone, Refused, Rejected
from worker.configuration import MOST_BYTES, ORGANISATION_REPOSITORY, PATH
from worker.github import AppClient
from worker.rest import ask, decode, repository_path

REMEMBERED: Final = timedelta(minutes=10)

_ABSENT: Final = b"-"
_PRESENT: Final = b"+"

_log = structlog.get_logger(__name__)


class _Contents(msgspec.Struct):
    type: str
    encoding: str = ""
    content: str = ""
    size: int = 0


async def organisation_configuration(
    redis: ArqRedis, app: AppClient, host: str, installation_id: int, owner: str
) -> bytes | None:
    """The file's bytes, as they were ten minutes ago or later; None when the installation has no such file.

    Raises RedisError, GitHubError (Unavailable, RateLimited: worth another try).
    """
    key = f"callsheet:organisation:{host}:{installation_id}"
    known = await cast(Any, redis.get(key))
    if known is None:
        found = await _read(app, installation_id, owner)
        known = _ABSENT if found is None else _PRESENT + found
        await redis.set(key, known, px=REMEMBERED)
    return None if known[:1] == _ABSENT else bytes(known[1:])


async def _read(app: AppClient, installation_id: int, owner: str) -> bytes | None:
    try:
        token = await app.contents_token(installation_id, ORGANISATION_REPOSITORY)
        path = f"{repository_path(owner, ORGANISATION_REPOSITORY)}/contents/{PATH}"
        reply = await ask(app.github(TokenAuthStrategy(token.reveal())), "GET", path)
    except (Gone, Rejected):  # no such repository in the installation, or no such file in it
        return None
    except Refused as error:
        _log.info("organisation_configuration_refused", why=str(error))
        return None
    app.note(installation_id, reply.rate)
    answer = decode(_Contents, reply.body)
    if answer.type != "file" or answer.encoding != "base64":
        return b" " * (MOST_BYTES + 1) if answer.size > MOST_BYTES else None
    try:
        return base64.b64decode(answer.content)[: MOST_BYTES + 1]
    except binascii.Error:
        return None

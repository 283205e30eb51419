"""Talk to GitHub as the App's installation: tokens, pull requests, comparisons, check runs.

githubkit does the authentication and the requests; `worker.shapes` says what is read of the answers. Retrying is
decided here, not by githubkit:

- a read that fails on the network or with a 5xx is tried three times, with short pauses;
- a check run is created or completed only after looking whether an earlier try that seemed to fail took effect;
- a 401 drops the cached token and mints a new one, once;
- a rate limit is never waited for here: the caller gets `RateLimited` with the seconds and gives its turn back.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import datetime
from types import TracebackType
from typing import Any, Final, TypeVar
from urllib.parse import quote

import httpx
import msgspec
import structlog
from githubkit import AppAuthStrategy, GitHub, TokenAuthStrategy
from githubkit.cache import MemCacheStrategy

from worker.answers import Refused, Rejected, Unavailable
from worker.limits import Rate
from worker.rest import Reply, ask, decode, repository_path, segment, trust
from worker.settings import Secret, Settings
from worker.shapes import (
    AppAnswer,
    Changes,
    CheckRun,
    CompareAnswer,
    Comparison,
    Output,
    Page,
    PullAnswer,
    PullRequest,
    RunAnswer,
    RunsAnswer,
    ShownRun,
    TokenAnswer,
)

CHECK_NAME: Final = "Callsheet"
THE_APP: Final = 0
"""In place of an installation's id: the App itself, whose own requests have a rate limit of their own."""
ALL_REPOSITORIES: Final = 0
"""In place of a repository's id: a token for all of an installation's repositories, that can only read lists."""

MOST_COMPARED_FILES: Final = 300
"""Files a comparison lists at most."""

_PERMISSIONS: Final = {"checks": "write", "contents": "read", "pull_requests": "read"}
_LISTING_PERMISSIONS: Final = {"checks": "read", "metadata": "read", "pull_requests": "read"}
_EVENTS: Final = {
    "pull_request": "no briefing is made",
    "push": "briefings are not marked as stale when the base branch moves on",
    "repository": "what is kept of a deleted or transferred repository goes only when the disk is full",
}
_TOKEN_MARGIN_SECONDS: Final = 600.0
_PAUSES: Final = (0.4, 1.5)
_YOUNG_TOKEN_SECONDS: Final = 5.0

_log = structlog.get_logger(__name__)
T = TypeVar("T")


class _CachedToken(msgspec.Struct, frozen=True):
    token: Secret
    minted: float
    """`time.monotonic()` when it was minted."""
    good_until: float
    """`time.monotonic()` until which it is handed out."""


class AppClient:
    """The App's side of one worker: mints installation tokens and keeps them in memory while they are good."""

    def __init__(self, settings: Settings, transport: httpx.AsyncBaseTransport | None = None) -> None:
        """`transport` replaces the network (for tests). Raises SettingsError when the App's id or key is missing."""
        self.app_id, private_key = settings.require_app()
        self._options: dict[str, Any] = {
            "base_url": settings.github_api_url.rstrip("/") + "/",
            "user_agent": "callsheet",
            "timeout": httpx.Timeout(20.0, connect=5.0),
            "http_cache": False,
            "cache_strategy": MemCacheStrategy(),  # githubkit's own is shared by all Apps of the process
            "auto_retry": False,
            "ssl_verify": trust(settings),
            "async_transport": transport,
        }
        self.use_key(private_key)
        self._tokens: dict[tuple[int, int], _CachedToken] = {}
        self._minting: dict[tuple[int, int], asyncio.Lock] = {}
        self.rates: dict[int, Rate] = {}
        """What GitHub last said is left of the hour, by installation (`THE_APP` for the App itself)."""

    def use_key(self, private_key: Secret) -> None:
        """Sign with this key from now on. Tokens that are there stay good."""
        self._auth = AppAuthStrategy(self.app_id, private_key.reveal())

    def installation(self, installation_id: int, repository_id: int) -> InstallationClient:
        """A client for one repository of one installation (or ALL_REPOSITORIES); use it in `async with`."""
        return InstallationClient(self, installation_id, repository_id)

    async def check(self) -> list[str]:
        """Ask GitHub who this App is; returns what it lacks, as sentences. Raises GitHubError (Refused: wrong key)."""
        answer = decode(AppAnswer, (await self.reply("GET", "app")).body)
        lacking = []
        for permission, needed in _PERMISSIONS.items():
            has = answer.permissions.get(permission)
            if has not in {needed, "write", "admin"}:
                lacking.append(f"The GitHub App lacks the permission {permission}: {needed} (it has {has or 'none'}).")
        for event, consequence in _EVENTS.items():
            if answer.events is not None and event not in answer.events:
                lacking.append(f"The GitHub App is not subscribed to the event {event}: {consequence}.")
        return lacking

    async def token(self, installation_id: int, repository_id: int) -> _CachedToken:
        """A token for this repository alone that is good for ten minutes at least. Raises GitHubError."""
        key = (installation_id, repository_id)
        async with self._minting.setdefault(key, asyncio.Lock()):
            cached = self._tokens.get(key)
            if cached is None or time.monotonic() >= cached.good_until:
                cached = await _patiently(lambda: self._mint(installation_id, repository_id))
                now = time.monotonic()
                self._tokens = {k: t for k, t in self._tokens.items() if now < t.good_until} | {key: cached}
                # In months a worker sees every repository: what is kept for each must not add up.
                self._minting = {k: lock for k, lock in self._minting.items() if k in self._tokens or lock.locked()}
            return cached

    async def contents_token(self, installation_id: int, repository: str) -> Secret:
        """A new token that reads the contents of one repository, by name. Raises GitHubError.

        Rejected: the installation has no repository of that name.
        """
        path = f"app/installations/{installation_id}/access_tokens"
        body = {"repositories": [repository], "permissions": {"contents": "read"}}
        answer = await ask(self.github(self._auth), "POST", path, json=body)
        return Secret(decode(TokenAnswer, answer.body).token)

    async def reply(self, method: str, path: str, *, etag: str | None = None) -> Reply:
        """One request as the App itself, not repeated when it fails. Raises GitHubError."""
        reply = await ask(self.github(self._auth), method, path, etag=etag)
        self.note(THE_APP, reply.rate)
        return reply

    def note(self, installation_id: int, rate: Rate | None) -> None:
        """Remember what an answer said is left of the hour."""
        if rate is not None:
            self.rates[installation_id] = rate

    def forget(self, installation_id: int) -> None:
        """Forget the tokens of an installation that is gone."""
        self._tokens = {key: token for key, token in self._tokens.items() if key[0] != installation_id}
        self.rates.pop(installation_id, None)

    def drop_token(self, installation_id: int, repository_id: int, token: _CachedToken) -> None:
        """Forget a token GitHub no longer accepts (unless a newer one has taken its place)."""
        if self._tokens.get((installation_id, repository_id)) is token:
            del self._tokens[(installation_id, repository_id)]

    def github(self, auth: AppAuthStrategy | TokenAuthStrategy) -> GitHub[Any]:
        """A githubkit client with this worker's address, timeouts and trust."""
        return GitHub(auth, **self._options)

    async def _mint(self, installation_id: int, repository_id: int) -> _CachedToken:
        path = f"app/installations/{installation_id}/access_tokens"
        body: dict[str, Any] = {"permissions": _LISTING_PERMISSIONS}
        if repository_id != ALL_REPOSITORIES:
            body = {"repository_ids": [repository_id], "permissions": _PERMISSIONS}
        try:
            answer = decode(TokenAnswer, (await ask(self.github(self._auth), "POST", path, json=body)).body)
        except Rejected as error:
            raise Refused(
                f"{error} An organisation owner may have to accept the App's new permissions (checks: write, contents: "
                "read, pull requests: read) in the organisation's settings.",
                error.status,
            ) from error
        now = time.monotonic()
        lifetime = _seconds_until(answer.expires_at)
        return _CachedToken(Secret(answer.token), now, now + max(lifetime - _TOKEN_MARGIN_SECONDS, 5.0))


class InstallationClient:
    """GitHub, as seen by the App installed on one repository."""

    def __init__(self, app: AppClient, installation_id: int, repository_id: int) -> None:
        self._app = app
        self._key = (installation_id, repository_id)
        self._open: tuple[_CachedToken, GitHub[Any]] | None = None

    async def __aenter__(self) -> InstallationClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._close()

    async def token(self) -> Secret:
        """The installation's token, for git. Good for ten minutes at least. Raises GitHubError."""
        return (await self._app.token(*self._key)).token

    async def pull(self, owner: str, name: str, number: int) -> PullRequest:
        """Read a pull request; reading it also makes GitHub refresh its test merge. Raises GitHubError."""
        answer = await self._read(PullAnswer, f"{repository_path(owner, name)}/pulls/{int(number)}")
        repository = answer.base.repo
        return PullRequest(
            number=answer.number,
            open=answer.state == "open",
            draft=bool(answer.draft),
            head_sha=answer.head.sha.lower(),
            base_ref=answer.base.ref,
            base_sha=answer.base.sha.lower(),
            mergeable=answer.mergeable,
            repository_id=repository.id if repository is not None else self._key[1],
            owner=repository.owner.login if repository is not None and repository.owner is not None else owner,
            name=repository.name if repository is not None else name,
        )

    async def compare(self, owner: str, name: str, base: str, head: str) -> Comparison:
        """Compare two commits by SHA. Raises GitHubError."""
        # The files, with their patches, come on the first page only: the second is small whatever the change.
        path = f"{repository_path(owner, name)}/compare/{segment(base)}...{segment(head)}?per_page=1&page=2"
        answer = await self._read(CompareAnswer, path)
        return Comparison(answer.merge_base_commit.sha.lower(), answer.ahead_by, answer.behind_by)

    async def changes(self, owner: str, name: str, base: str, head: str) -> Changes:
        """What came between two commits, with its files, in one request. Raises GitHubError."""
        path = f"{repository_path(owner, name)}/compare/{segment(base)}...{segment(head)}?per_page=1&page=1"
        answer = await self._read(CompareAnswer, path)
        return Changes(answer.ahead_by, tuple(answer.files), len(answer.files) >= MOST_COMPARED_FILES)

    async def find_check_run(self, owner: str, name: str, head_sha: str, external_id: str) -> CheckRun | None:
        """The newest check run of this App and name for this pull request at this commit, if there is one."""
        return _newest(await self._runs_at(owner, name, head_sha), external_id)

    async def _runs_at(self, owner: str, name: str, head_sha: str) -> list[RunAnswer]:
        """All check runs of this App and name at a commit."""
        path = (
            f"{repository_path(owner, name)}/commits/{segment(head_sha)}/check-runs"
            f"?check_name={quote(CHECK_NAME)}&app_id={self._app.app_id}&filter=all&per_page=100"
        )
        return [
            run
            for run in (await self._read(RunsAnswer, path)).check_runs
            if run.name == CHECK_NAME and run.app is not None and run.app.id == self._app.app_id
        ]

    async def ensure_check_run(
        self, owner: str, name: str, head_sha: str, body: dict[str, Any], first_output: dict[str, Any]
    ) -> CheckRun:
        """Find the pull request's check run at this commit and update it with `body`, or create it.

        `body` must hold `external_id`. `first_output` is shown by a new run; one that exists keeps its own. After a
        create that seemed to fail, GitHub is asked whether it took effect before it is tried again, so no second run
        appears. Raises GitHubError.
        """
        for pause in (*_PAUSES, None):
            there = await self._runs_at(owner, name, head_sha)
            beside = tuple(sorted({run.external_id or "" for run in there} - {body["external_id"], ""}))
            found = _newest(there, body["external_id"])
            if found is not None:
                updated = await self.update_check_run(owner, name, found.id, body)
                return msgspec.structs.replace(updated, beside=beside)
            try:
                answer = await self._call(
                    "POST",
                    f"{repository_path(owner, name)}/check-runs",
                    json={"name": CHECK_NAME, "head_sha": head_sha, "output": first_output, **body},
                )
            except Unavailable as error:
                if pause is None:
                    raise
                _log.info("check_run_create_unclear", reason=str(error))
                await asyncio.sleep(pause)
                continue
            return msgspec.structs.replace(_check_run(decode(RunAnswer, answer.body)), beside=beside)
        raise AssertionError("unreachable")

    async def shown(self, owner: str, name: str, run_id: int) -> tuple[bool, Output]:
        """Whether a check run is complete, and what it shows. Raises GitHubError."""
        answer = await self._read(ShownRun, f"{repository_path(owner, name)}/check-runs/{int(run_id)}")
        return answer.status == "completed", answer.output

    async def page(self, shape: type[T], path: str, etag: str | None = None) -> Page[T]:
        """Read one page of a list, or find that it is the same as under `etag`. Raises GitHubError."""

        async def once() -> Page[T]:
            reply = await self._call("GET", path, etag=etag)
            value = None if reply.status == 304 else decode(shape, reply.body)
            return Page(value, reply.etag, reply.following)

        return await _patiently(once)

    async def check_run(self, owner: str, name: str, run_id: int) -> CheckRun:
        """Read a check run. Raises GitHubError."""
        return _check_run(await self._read(RunAnswer, f"{repository_path(owner, name)}/check-runs/{int(run_id)}"))

    async def update_check_run(self, owner: str, name: str, run_id: int, body: dict[str, Any]) -> CheckRun:
        """Update a check run in place.

        Annotations are added to those that are there, so after an update that seemed to fail the run is read, and a
        completion that took effect isn't repeated. Raises GitHubError.
        """
        path = f"{repository_path(owner, name)}/check-runs/{int(run_id)}"
        for pause in (*_PAUSES, None):
            try:
                return _check_run(decode(RunAnswer, (await self._call("PATCH", path, json=body)).body))
            except Unavailable as error:
                if pause is None:
                    raise
                _log.info("check_run_update_unclear", reason=str(error))
                await asyncio.sleep(pause)
                if body.get("output", {}).get("annotations"):
                    now = await self.check_run(owner, name, run_id)
                    if now.annotations > 0:
                        body = {**body, "output": {k: v for k, v in body["output"].items() if k != "annotations"}}
        raise AssertionError("unreachable")

    async def _read(self, shape: type[T], path: str) -> T:
        async def once() -> T:
            return decode(shape, (await self._call("GET", path)).body)

        return await _patiently(once)

    async def _call(self, method: str, path: str, json: dict[str, Any] | None = None, etag: str | None = None) -> Reply:
        """One request. A 401 is answered with a new token, once; a token minted this moment may need some seconds."""
        renewed = False
        waited = 0
        while True:
            cached, github = await self._client()
            try:
                reply = await ask(github, method, path, json=json, etag=etag)
            except Refused as error:
                young = time.monotonic() - cached.minted < _YOUNG_TOKEN_SECONDS
                if young and waited < len(_PAUSES) and "suspended" not in str(error):
                    await asyncio.sleep(_PAUSES[waited])
                    waited += 1
                elif error.status == 401 and not renewed:
                    renewed = True
                    self._app.drop_token(*self._key, cached)
                else:
                    raise
            else:
                self._app.note(self._key[0], reply.rate)
                return reply

    async def _client(self) -> tuple[_CachedToken, GitHub[Any]]:
        cached = await self._app.token(*self._key)
        if self._open is None or self._open[0] is not cached:
            await self._close()
            github = self._app.github(TokenAuthStrategy(cached.token.reveal()))
            await github.__aenter__()  # type: ignore[no-untyped-call] # one connection for the job's requests
            self._open = (cached, github)
        return self._open

    async def _close(self) -> None:
        opened, self._open = self._open, None
        if opened is not None:
            await opened[1].__aexit__(None, None, None)


async def _patiently(ask: Callable[[], Awaitable[T]]) -> T:
    """Ask up to three times while GitHub is unavailable."""
    for pause in _PAUSES:
        try:
            return await ask()
        except Unavailable as error:
            _log.info("github_unavailable", reason=str(error), pause=pause)
            await asyncio.sleep(pause)
    return await ask()


def _newest(runs: list[RunAnswer], external_id: str) -> CheckRun | None:
    ours = [run for run in runs if run.external_id == external_id]
    return _check_run(max(ours, key=lambda run: run.id)) if ours else None


def _check_run(answer: RunAnswer) -> CheckRun:
    count = answer.output.annotations_count if answer.output is not None else None
    return CheckRun(answer.id, answer.status, answer.conclusion, answer.external_id or "", count or 0)


def _seconds_until(moment: str) -> float:
    try:
        return datetime.fromisoformat(moment.replace("Z", "+00:00")).timestamp() - time.time()
    except (ValueError, OverflowError):
        return 3600.0

"""GitHub's lists, read page by page: installations, repositories, open pull requests, runs of a suite, deliveries.

Only the few fields that are needed are read. A list that has no end ends here after `MOST_PAGES`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime
from typing import Final, TypeVar
from urllib.parse import quote

import msgspec

from worker.github import CHECK_NAME, AppClient, InstallationClient
from worker.rest import decode, repository_path
from worker.shapes import Page

MOST_PAGES: Final = 200

T = TypeVar("T")


class Installation(msgspec.Struct, frozen=True):
    """An installation of the App. `suspended` is when it was suspended, None when it wasn't."""

    id: int
    suspended_at: str | None = None


class _Owner(msgspec.Struct, frozen=True):
    login: str


class ListedRepository(msgspec.Struct, frozen=True):
    """A repository of an installation. `pushed_at` is ISO 8601, None when nothing was ever pushed."""

    id: int
    name: str
    owner: _Owner
    pushed_at: str | None = None
    archived: bool = False


class _Repositories(msgspec.Struct, frozen=True):
    repositories: list[ListedRepository]


class _Side(msgspec.Struct, frozen=True):
    sha: str
    ref: str


class ListedPull(msgspec.Struct, frozen=True):
    """An open pull request."""

    number: int
    created_at: str
    head: _Side
    base: _Side


class _App(msgspec.Struct, frozen=True):
    id: int


class _SuiteRun(msgspec.Struct, frozen=True):
    external_id: str | None = None
    app: _App | None = None


class _SuiteRuns(msgspec.Struct, frozen=True):
    check_runs: list[_SuiteRun]


class ListedDelivery(msgspec.Struct, frozen=True):
    """One attempt to deliver a webhook; `guid` is that of all attempts at the same one. `status_code` is 0 for none."""

    id: int
    guid: str
    delivered_at: str
    status_code: int
    event: str
    action: str | None = None
    installation_id: int | None = None
    repository_id: int | None = None


async def installations(app: AppClient) -> list[Installation]:
    """All installations of the App. Raises GitHubError."""
    found: list[Installation] = []
    following: str | None = "1"
    for _ in range(MOST_PAGES):
        reply = await app.reply("GET", f"app/installations?per_page=100&page={following}")
        found += decode(list[Installation], reply.body)
        following = reply.following
        if following is None:
            break
    return found


async def failed_deliveries(app: AppClient) -> AsyncIterator[ListedDelivery]:
    """Attempts to deliver a webhook that failed, the newest first. Raises GitHubError."""
    cursor: str | None = None
    for _ in range(MOST_PAGES):
        path = "app/hook/deliveries?per_page=100&status=failure"
        reply = await app.reply("GET", path if cursor is None else f"{path}&cursor={quote(cursor, safe='')}")
        for delivery in decode(list[ListedDelivery], reply.body):
            # An older Enterprise Server takes no `status`, and lists them all.
            if not 200 <= delivery.status_code < 300:
                yield delivery
        cursor = reply.following
        if cursor is None:
            return


async def redeliver(app: AppClient, delivery_id: int) -> None:
    """Ask GitHub to deliver a webhook again. Raises GitHubError."""
    await app.reply("POST", f"app/hook/deliveries/{int(delivery_id)}/attempts")


async def repositories(client: InstallationClient, etag: str | None = None) -> Page[list[ListedRepository]]:
    """All repositories of the installation, or that the first page is as it was under `etag`. Raises GitHubError."""
    first: Page[_Repositories] | None = None
    found: list[ListedRepository] = []
    following: str | None = "1"
    for _ in range(MOST_PAGES):
        path = f"installation/repositories?per_page=100&page={following}"
        page = await client.page(_Repositories, path, etag if first is None else None)
        if page.value is None:
            return Page(None, etag, None)
        first = first or page
        found += page.value.repositories
        following = page.following
        if following is None:
            break
    # An etag vouches for one page only.
    return Page(found, first.etag if first is not None and first.following is None else None, None)


async def open_pulls(
    client: InstallationClient, owner: str, name: str, page: int, etag: str | None = None
) -> Page[list[ListedPull]]:
    """One page of a repository's open pull requests, the newest first. Raises GitHubError."""
    path = f"{repository_path(owner, name)}/pulls?state=open&sort=created&direction=desc&per_page=100&page={page}"
    return await client.page(list[ListedPull], path, etag)


async def external_ids_of_suite(
    client: InstallationClient, app_id: int, owner: str, name: str, suite_id: int
) -> list[str]:
    """The external ids of this App's runs in a check suite. Raises GitHubError."""
    path = f"{repository_path(owner, name)}/check-suites/{int(suite_id)}/check-runs"
    page = await client.page(_SuiteRuns, f"{path}?check_name={quote(CHECK_NAME)}&filter=all&per_page=100")
    runs = page.value.check_runs if page.value is not None else []
    return [run.external_id for run in runs if run.external_id and run.app is not None and run.app.id == app_id]


def seconds_of(moment: str | None) -> float:
    """Seconds since the epoch of a time as GitHub writes it; 0.0 of none and of nonsense."""
    try:
        return datetime.fromisoformat((moment or "").replace("Z", "+00:00")).timestamp()
    except (ValueError, OverflowError):
        return 0.0

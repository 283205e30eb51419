"""GitHub's answers, the odd ones: what is retried, what is not, and what is read from them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.worker.fake_github import APP_ID, FakeGitHub
from tests.worker.upstream import SamplePull, Upstream
from worker.answers import Gone, RateLimited, Refused, Rejected, Unavailable
from worker.github import AppClient, InstallationClient
from worker.settings import Secret, Settings, SettingsError

Answer = Callable[[httpx.Request], httpx.Response]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worker.github._PAUSES", (0.01, 0.01))


@pytest.fixture
def github(upstream: Upstream) -> FakeGitHub:
    pull = SamplePull(upstream)
    github = FakeGitHub(upstream)
    github.add_pull(1, pull.head, pull.tip)
    return github


@pytest.fixture
def app(github: FakeGitHub, private_key: str) -> AppClient:
    settings = Settings(app_id=APP_ID, private_key=Secret(private_key), github_api_url="https://git.example.com/api/v3")
    return AppClient(settings, github.transport)


@pytest.fixture
def client(app: AppClient) -> InstallationClient:
    return app.installation(5, 900)


def answering(github: FakeGitHub, *answers: httpx.Response, path: str = "/pulls/1") -> None:
    """The next requests for `path` are answered so; after them, as usual."""
    left = list(answers)

    def hook(request: httpx.Request) -> httpx.Response | None:
        return left.pop(0) if left and request.url.path.endswith(path) else None

    github.before.append(hook)


def failing(github: FakeGitHub, error: Exception, times: int = 1) -> None:
    left = [error] * times

    def hook(request: httpx.Request) -> httpx.Response | None:
        if left and request.url.path.endswith("/pulls/1"):
            raise left.pop()
        return None

    github.before.append(hook)


async def test_a_pull_request_of_a_deleted_fork_is_read(client: InstallationClient, github: FakeGitHub) -> None:
    github.pulls[1]["head"].update(repo=None, user=None, label=None)
    github.pulls[1].update(user=None, body=None, merge_commit_sha=None, draft=None, auto_merge=None)
    async with client:
        pull = await client.pull("acme", "shop", 1)
    assert (pull.owner, pull.name, pull.repository_id, pull.open, pull.draft) == ("acme", "shop", 900, True, False)


async def test_a_renamed_repository_is_followed_and_its_new_name_told(
    client: InstallationClient, github: FakeGitHub
) -> None:
    def hook(request: httpx.Request) -> httpx.Response | None:
        if "/repos/old/name/" in request.url.path:
            return httpx.Response(301, headers={"location": str(request.url).replace("old/name", "acme/shop")})
        return None

    github.before.append(hook)
    async with client:
        pull = await client.pull("old", "name", 1)
    assert (pull.owner, pull.name) == ("acme", "shop")


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(500),
        httpx.Response(502, text="<html>bad gateway</html>"),
        httpx.Response(503, json={"message": "Server Error"}),
        httpx.Response(200, text="not json"),
        httpx.Response(200, json={"number": 1}),
        httpx.Response(200, content=b"\xff\xfe"),
    ],
)
async def test_an_answer_that_makes_no_sense_is_asked_for_again(
    client: InstallationClient, github: FakeGitHub, answer: httpx.Response
) -> None:
    answering(github, answer)
    async with client:
        assert (await client.pull("acme", "shop", 1)).number == 1


async def test_nonsense_that_lasts_is_an_outage(client: InstallationClient, github: FakeGitHub) -> None:
    answering(github, *[httpx.Response(200, text="<html>")] * 9)
    async with client:
        with pytest.raises(Unavailable, match="not what its API describes"):
            await client.pull("acme", "shop", 1)


@pytest.mark.parametrize(
    "error", [httpx.ConnectError("refused"), httpx.ReadTimeout("slow"), httpx.RemoteProtocolError("x")]
)
async def test_a_connection_that_fails_is_tried_again(
    client: InstallationClient, github: FakeGitHub, error: Exception
) -> None:
    failing(github, error, times=2)
    async with client:
        assert (await client.pull("acme", "shop", 1)).number == 1


async def test_an_outage_that_lasts_is_an_error_that_says_what_was_asked(
    client: InstallationClient, github: FakeGitHub
) -> None:
    failing(github, httpx.ConnectError("refused"), times=99)
    async with client:
        with pytest.raises(Unavailable, match="GET /repos/acme/shop/pulls/1"):
            await client.pull("acme", "shop", 1)


@pytest.mark.parametrize(
    ("status", "headers", "message", "at_least", "at_most"),
    [
        (403, {"retry-after": "30"}, "You have exceeded a secondary rate limit", 30, 30),
        (429, {"retry-after": "7"}, "", 7, 7),
        (403, {"x-ratelimit-remaining": "4999"}, "You have exceeded a secondary rate limit.", 60, 60),
        (403, {}, "You have triggered an abuse detection mechanism", 60, 60),
        (429, {}, "", 60, 60),
        (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "RESET"}, "API rate limit exceeded", 90, 101),
        (403, {"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT"}, "secondary rate", 60, 60),
        (429, {"retry-after": "999999"}, "", 3600, 3600),
    ],
)
async def test_a_rate_limit_is_recognised_and_not_waited_for(
    client: InstallationClient,
    github: FakeGitHub,
    status: int,
    headers: dict[str, str],
    message: str,
    at_least: float,
    at_most: float,
) -> None:
    headers = {key: str(int(time.time()) + 100) if value == "RESET" else value for key, value in headers.items()}
    answering(github, httpx.Response(status, headers=headers, json={"message": message}))
    started = time.monotonic()
    async with client:
        with pytest.raises(RateLimited) as limited:
            await client.pull("acme", "shop", 1)
    assert at_least <= limited.value.seconds <= at_most
    assert time.monotonic() - started < 2


@pytest.mark.parametrize(
    ("status", "error"), [(404, Gone), (410, Gone), (451, Gone), (403, Refused), (422, Rejected), (400, Rejected)]
)
async def test_a_refusal_is_named_for_what_it_is(
    client: InstallationClient, github: FakeGitHub, status: int, error: type[Exception]
) -> None:
    answering(github, *[httpx.Response(status, json={"message": "No"})] * 5)
    async with client:
        with pytest.raises(error, match=f"{status} to GET /repos/acme/shop/pulls/1: No"):
            await client.pull("acme", "shop", 1)


async def test_a_token_minted_this_moment_may_need_some_seconds(client: InstallationClient, github: FakeGitHub) -> None:
    answering(github, httpx.Response(401, json={"message": "Bad credentials"}))
    async with client:
        assert (await client.pull("acme", "shop", 1)).number == 1
    assert github.minted == 1


async def test_a_dead_token_is_replaced_once_and_not_for_ever(
    client: InstallationClient, github: FakeGitHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worker.github._YOUNG_TOKEN_SECONDS", 0.0)
    answering(github, *[httpx.Response(401, json={"message": "Bad credentials"})] * 9)
    async with client:
        with pytest.raises(Refused):
            await client.pull("acme", "shop", 1)
    assert github.minted == 2


async def test_many_jobs_at_once_mint_one_token(app: AppClient, github: FakeGitHub) -> None:
    async def read() -> None:
        async with app.installation(5, 900) as client:
            await client.pull("acme", "shop", 1)

    await asyncio.gather(*(read() for _ in range(20)))
    assert github.minted == 1


async def test_a_token_is_for_one_repository_with_least_rights(app: AppClient, github: FakeGitHub) -> None:
    bodies: list[bytes] = []
    github.before.append(
        lambda request: bodies.append(request.content) if "access_tokens" in request.url.path else None
    )
    async with app.installation(5, 900) as client:
        await client.token()
    assert b'"repository_ids":[900]' in bodies[0].replace(b" ", b"")
    assert b"checks" in bodies[0]
    assert b"write" in bodies[0].replace(b'"checks":"write"', b'"checks": "write"')
    async with app.installation(5, 901) as client:
        await client.token()
    assert github.minted == 2


async def test_a_token_close_to_its_end_is_not_handed_out(app: AppClient, github: FakeGitHub) -> None:
    def hook(request: httpx.Request) -> httpx.Response | None:
        if not request.url.path.endswith("/access_tokens"):
            return None
        github.minted += 1
        soon = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 602))
        return httpx.Response(201, json={"token": github.token, "expires_at": soon})

    github.before.append(hook)
    await app.token(5, 900)
    assert app._tokens[(5, 900)].good_until - time.monotonic() < 6


async def test_what_is_kept_for_each_repository_adds_up(app: AppClient, monkeypatch: pytest.MonkeyPatch) -> None:
    for repository_id in range(900, 910):
        await app.token(5, repository_id)
    later = time.monotonic() + 3600
    monkeypatch.setattr("worker.github.time.monotonic", lambda: later)
    await app.token(5, 1000)
    assert set(app._tokens) == set(app._minting) == {(5, 1000)}


async def test_a_missing_permission_is_named(app: AppClient, github: FakeGitHub) -> None:
    answering(
        github,
        httpx.Response(422, json={"message": "The permissions requested are not granted to this installation."}),
        path="/access_tokens",
    )
    async with app.installation(5, 900) as client:
        with pytest.raises(Refused, match="checks: write"):
            await client.token()


async def test_the_start_up_check_names_what_the_app_lacks(app: AppClient, github: FakeGitHub) -> None:
    assert await app.check() == []
    answering(github, httpx.Response(200, json={"id": 77, "permissions": {"checks": "read"}}), path="/app")
    lacking = " ".join(await app.check())
    assert "checks: write" in lacking
    assert "contents: read" in lacking


@pytest.mark.parametrize("name", ["..", ".", ""])
async def test_a_name_made_of_dots_climbs_nowhere(client: InstallationClient, github: FakeGitHub, name: str) -> None:
    async with client:
        with pytest.raises(Rejected):
            await client.pull("acme", name, 1)
    assert github.requests == []


async def test_a_name_with_a_slash_stays_one_segment(client: InstallationClient, github: FakeGitHub) -> None:
    async with client:
        with pytest.raises(Gone):
            await client.pull("acme", "shop/pulls/1?x=", 1)


async def test_a_check_run_of_another_app_or_pull_request_is_not_taken(
    client: InstallationClient, github: FakeGitHub
) -> None:
    head = github.pulls[1]["head"]["sha"]
    common: dict[str, Any] = {"head_sha": head, "status": "completed", "conclusion": "neutral", "name": "Callsheet"}
    github.runs = {
        1: {**common, "id": 1, "app": {"id": 1}, "external_id": "x"},
        2: {**common, "id": 2, "app": None, "external_id": "x"},
        3: {**common, "id": 3, "app": {"id": APP_ID}, "external_id": "another"},
        4: {**common, "id": 4, "app": {"id": APP_ID}, "external_id": "x", "name": "Other"},
    }
    async with client:
        assert await client.find_check_run("acme", "shop", head, "x") is None
        github.runs[5] = {**common, "id": 5, "app": {"id": APP_ID}, "external_id": "x"}
        github.runs[6] = {**common, "id": 6, "app": {"id": APP_ID}, "external_id": "x"}
        found = await client.find_check_run("acme", "shop", head, "x")
    assert found is not None
    assert found.id == 6


def test_a_worker_without_a_key_is_told_which_variable(private_key: str) -> None:
    with pytest.raises(SettingsError, match="CALLSHEET_APP_ID"):
        AppClient(Settings(private_key=Secret(private_key)))
    with pytest.raises(SettingsError, match="CALLSHEET_PRIVATE_KEY"):
        AppClient(Settings(app_id=1))

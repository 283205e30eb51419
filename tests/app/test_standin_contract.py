"""The stand-in against GitHub's own description: every shape it answers with, and every limit it keeps."""

from __future__ import annotations

import copy
import time
from collections.abc import Iterator
from typing import Any

import httpx
import jwt
import pytest

from app.standin import StandIn
from app.standin.limits import problems as limits
from tests import openapi


def app_jwt(
    github: StandIn, *, issued: float = -60, expires: float = 540, key: str | None = None, **claims: Any
) -> str:
    now = int(time.time())
    body = {"iat": now + int(issued), "exp": now + int(expires), "iss": str(github.world.app_id)} | claims
    return jwt.encode(body, key or github.world.private_key_pem, algorithm="RS256")


@pytest.fixture
def api(github: StandIn) -> Iterator[httpx.Client]:
    """A client with an installation token for all repositories."""
    token = github.world.mint_token(github.world.permissions, None)
    headers = {"Authorization": f"Bearer {token.value}", "X-GitHub-Api-Version": "2022-11-28"}
    with httpx.Client(base_url=github.api_url, headers=headers) as client:
        yield client


@pytest.mark.parametrize("version", ["2022-11-28", "2026-03-10"])
def test_no_answer_has_a_shape_github_would_not_give(github: StandIn, api: httpx.Client, version: str) -> None:
    shop = github.repository("acme/shop", {"a.py": "x = 1\n"})
    pull = shop.open_pull("Change", {"a.py": "x = 2\n"})
    shop.push("main", {"b.py": "import a\n"})
    shop.open_pull("From a fork", {"c.py": "y = 2\n"}, fork="mallory").delete_fork()
    api.headers["X-GitHub-Api-Version"] = version
    app = {"Authorization": f"Bearer {app_jwt(github)}"}
    installation = f"/app/installations/{github.world.installation_id}"
    for path in ("/app", installation, "/app/hook/deliveries"):
        assert api.get(path, headers=app).status_code == 200
    for body in ({}, {"repository_ids": [shop.id], "permissions": {"checks": "write"}}, {"repository_ids": [1]}):
        api.post(f"{installation}/access_tokens", json=body, headers=app)
    repo = "/repos/acme/shop"
    run = {
        "name": "Callsheet",
        "head_sha": pull.head_sha,
        "status": "in_progress",
        "external_id": "1",
        "output": {
            "title": "t",
            "summary": "s",
            "annotations": [
                {"path": "a.py", "start_line": 1, "end_line": 1, "annotation_level": "notice", "message": "m"}
            ],
        },
    }
    made = api.post(f"{repo}/check-runs", json=run).json()
    api.patch(f"{repo}/check-runs/{made['id']}", json={"conclusion": "neutral", "output": run["output"]})
    api.post(f"{repo}/check-runs", json={"name": "Callsheet"})
    for path in (
        "/installation/repositories",
        repo,
        f"/repositories/{shop.id}",
        f"{repo}/pulls?state=all&per_page=1",
        f"{repo}/pulls/1",
        f"{repo}/pulls/1",
        f"{repo}/pulls/2",
        f"{repo}/pulls/99",
        f"{repo}/compare/main...{pull.head_sha}",
        f"{repo}/commits/{pull.head_sha}/check-runs?check_name=Callsheet&app_id={github.world.app_id}&filter=all",
        f"{repo}/check-runs/{made['id']}",
        f"{repo}/check-runs/{made['id']}/annotations",
        f"{repo}/check-suites/{made['check_suite']['id']}/check-runs",
        "/repos/acme/gone",
    ):
        api.get(path)
    found = [text for exchange in github.world.exchanges for text in openapi.problems(exchange)]
    assert found == []
    assert {exchange.status for exchange in github.world.exchanges} == {200, 201, 404, 422}


def test_the_contract_check_itself_notices_a_wrong_shape(github: StandIn, api: httpx.Client) -> None:
    github.repository("acme/shop", {"a.py": "x = 1\n"})
    api.get("/repos/acme/shop")
    exchange = github.world.exchanges[-1]
    wrong = copy.deepcopy(exchange.answered)
    wrong["id"] = "1"
    exchange.answered = wrong
    assert any("id" in text for text in openapi.problems(exchange))


def _described_limits() -> list[tuple[dict[str, Any], str]]:
    """Bodies just past each limit of GitHub's description, made from the description."""
    schema = openapi.description()["paths"]["/repos/{owner}/{repo}/check-runs"]["post"]["requestBody"]
    properties = schema["content"]["application/json"]["schema"]["properties"]
    output, action = properties["output"]["properties"], properties["actions"]["items"]["properties"]
    annotation = {"path": "a", "start_line": 1, "end_line": 1, "annotation_level": "notice", "message": "m"}
    button = {"label": "l", "description": "d", "identifier": "i"}
    texts = {"title": "t", "summary": "s"}
    cases: list[tuple[dict[str, Any], str]] = [
        ({"output": {**texts, name: "x" * (output[name]["maxLength"] + 1)}}, name) for name in ("summary", "text")
    ]
    cases += [
        ({"actions": [{**button, name: "x" * (action[name]["maxLength"] + 1)}]}, f"action {name}") for name in button
    ]
    cases += [
        ({"output": {**texts, "annotations": [annotation] * (output["annotations"]["maxItems"] + 1)}}, "annotations"),
        ({"actions": [button] * (properties["actions"]["maxItems"] + 1)}, "actions"),
        ({"status": "waiting"}, "status"),
        ({"conclusion": "stalled"}, "conclusion"),
        ({"output": {"summary": "s"}}, "title missing"),
        ({"output": {**texts, "annotations": [{**annotation, "annotation_level": "error"}]}}, "level"),
        ({"actions": [{"label": "l", "identifier": "i"}]}, "action without description"),
    ]
    return cases


@pytest.mark.parametrize(("body", "what"), [pytest.param(*case, id=case[1]) for case in _described_limits()])
def test_what_github_says_is_too_much_is_taken(body: dict[str, Any], what: str) -> None:
    assert limits({"name": "n", "head_sha": "0" * 40, **body}, creating=True), what


@pytest.mark.parametrize(
    "body",
    [
        {"status": "completed"},
        {"output": {"title": "t", "summary": "é" * 32_768}},
        {"output": {"title": "t", "summary": "s", "text": None}},
        {"output": {"title": "t", "summary": "s", "annotations": [{"path": "a", "start_line": 0, "end_line": 1}]}},
        {"conclusion": "stale"},
        {"started_at": "yesterday"},
        {"details_url": "javascript:alert(1)"},
        {"name": ""},
    ],
    ids=str,
)
def test_what_github_refuses_beyond_its_description_is_taken(body: dict[str, Any]) -> None:
    assert limits({"name": "n", "head_sha": "0" * 40, **body}, creating=True)


def test_a_body_at_every_limit_is_refused() -> None:
    body = {
        "name": "n",
        "head_sha": "0" * 40,
        "status": "completed",
        "conclusion": "neutral",
        "completed_at": "2026-11-30T09:00:00Z",
        "output": {
            "title": "t",
            "summary": "é" * 32_767,
            "text": "x" * 65_535,
            "annotations": [
                {"path": "a", "start_line": 1, "end_line": 2, "annotation_level": "warning", "message": "m"}
            ]
            * 50,
        },
        "actions": [{"label": "x" * 20, "description": "x" * 40, "identifier": "x" * 20}] * 3,
    }
    assert limits(body, creating=True) == []

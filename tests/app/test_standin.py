"""The stand-in behaves as GitHub does: tokens, test merges, check runs, git over HTTP, webhooks, and its bad days."""

from __future__ import annotations

import base64
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from app.standin import Repository, StandIn
from app.standin.bare import Entry
from tests.app.test_standin_contract import app_jwt


@pytest.fixture
def shop(github: StandIn) -> Repository:
    return github.repository("acme/shop", {"a.py": "x = 1\n", "b.py": "y = 1\n"})


@pytest.fixture
def api(github: StandIn) -> Iterator[httpx.Client]:
    token = github.world.mint_token(github.world.permissions, None)
    with httpx.Client(base_url=github.api_url, headers={"Authorization": f"Bearer {token.value}"}) as client:
        yield client


def mint(github: StandIn, bearer: str, **body: Any) -> httpx.Response:
    url = f"{github.api_url}/app/installations/{github.world.installation_id}/access_tokens"
    return httpx.post(url, json=body, headers={"Authorization": f"Bearer {bearer}"})


def test_a_wrong_app_token_is_accepted(github: StandIn) -> None:
    other = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    assert mint(github, app_jwt(github)).status_code == 201
    assert mint(github, app_jwt(github, iss=github.world.client_id)).status_code == 201
    for wrong in (
        "nonsense",
        app_jwt(github, issued=300),
        app_jwt(github, issued=-900, expires=-10),
        app_jwt(github, expires=3600),
        app_jwt(github, key=other.decode()),
    ):
        assert mint(github, wrong).status_code == 401
    assert mint(github, app_jwt(github, iss="5")).status_code == 404


def test_a_token_reaches_more_than_it_was_narrowed_to(github: StandIn, shop: Repository) -> None:
    github.repository("acme/other", {"a": "1"})
    answer = mint(github, app_jwt(github), repository_ids=[shop.id], permissions={"contents": "read"}).json()
    assert [repository["name"] for repository in answer["repositories"]] == ["shop"]
    headers = {"Authorization": f"token {answer['token']}"}
    assert httpx.get(f"{github.api_url}/repos/acme/shop", headers=headers).status_code == 200
    assert httpx.get(f"{github.api_url}/repos/acme/other", headers=headers).status_code == 404
    refused = httpx.get(f"{github.api_url}/repos/acme/shop/pulls", headers=headers)
    assert (refused.status_code, refused.json()["message"]) == (403, "Resource not accessible by integration")
    assert mint(github, app_jwt(github), permissions={"contents": "write"}).status_code == 422


def test_a_token_has_the_old_short_form(github: StandIn) -> None:
    token = mint(github, app_jwt(github)).json()["token"]
    assert token.startswith("ghs_")
    assert len(token) > 450
    assert set("._-") & set(token)


def test_bad_and_dead_tokens_work(github: StandIn, shop: Repository, api: httpx.Client) -> None:
    url = f"{github.api_url}/repos/acme/shop"
    assert httpx.get(url).status_code == 401
    assert httpx.get(url, headers={"Authorization": "Bearer ghs_x"}).json()["message"] == "Bad credentials"
    assert api.get("/repos/acme/shop").status_code == 200
    github.world.kill_tokens()
    assert api.get("/repos/acme/shop").status_code == 401


def test_a_suspended_installation_goes_on(github: StandIn, shop: Repository, api: httpx.Client) -> None:
    github.world.suspended = True
    assert mint(github, app_jwt(github)).status_code == 403
    assert api.get("/repos/acme/shop").status_code == 403


def test_mergeable_is_known_at_once(shop: Repository, api: httpx.Client) -> None:
    pull = shop.open_pull("Change", {"a.py": "x = 2\n"})
    read = [api.get("/repos/acme/shop/pulls/1").json() for _ in range(3)]
    assert [each["mergeable"] for each in read] == [None, True, True]
    assert [each["mergeable_state"] for each in read] == ["unknown", "clean", "clean"]
    merge = shop.git.resolve("refs/pull/1/merge")
    assert shop.git.describe(merge)[1] == (pull.base_sha, pull.head_sha)
    pull.push({"a.py": "x = 3\n"})
    assert shop.git.resolve("refs/pull/1/merge") == merge  # of the former push, until somebody reads again
    shop.push("main", {"a.py": "x = 4\n"})
    assert [api.get("/repos/acme/shop/pulls/1").json()["mergeable"] for _ in range(2)] == [None, False]
    assert shop.git.resolve("refs/pull/1/merge") == merge


def test_the_new_api_version_still_names_the_merge(shop: Repository, api: httpx.Client) -> None:
    shop.open_pull("Change", {"a.py": "x = 2\n"})
    assert "merge_commit_sha" in api.get("/repos/acme/shop/pulls/1").json()
    newer = {"X-GitHub-Api-Version": "2026-03-10"}
    assert "merge_commit_sha" not in api.get("/repos/acme/shop/pulls/1", headers=newer).json()
    assert api.get("/repos/acme/shop/pulls/1", headers={"X-GitHub-Api-Version": "2020-01-01"}).status_code == 400


def test_a_renamed_repository_is_gone(shop: Repository, api: httpx.Client) -> None:
    shop.rename("store")
    answer = api.get("/repos/acme/shop/pulls")
    assert answer.status_code == 301
    assert answer.headers["location"].endswith(f"/repositories/{shop.id}/pulls")
    assert api.get("/repos/acme/shop", follow_redirects=True).json()["full_name"] == "acme/store"


def test_a_check_run_is_left_as_it_was_sent(shop: Repository, api: httpx.Client) -> None:
    pull = shop.open_pull("Change", {"a.py": "x = 2\n"})
    note = {"path": "a.py", "start_line": 1, "end_line": 1, "annotation_level": "warning", "message": "m"}
    output = {"title": "t", "summary": "s", "annotations": [note]}
    body = {"name": "Callsheet", "head_sha": pull.head_sha, "status": "in_progress", "output": output}
    made = api.post("/repos/acme/shop/check-runs", json=body).json()
    assert (made["status"], made["conclusion"], made["completed_at"]) == ("in_progress", None, None)
    url = f"/repos/acme/shop/check-runs/{made['id']}"
    done = api.patch(url, json={"conclusion": "success", "output": output}).json()
    assert (done["status"], done["output"]["annotations_count"]) == ("completed", 2)
    again = api.patch(url, json={"status": "in_progress"}).json()
    assert (again["status"], again["conclusion"], again["completed_at"]) == ("in_progress", None, None)
    assert api.patch(url, json={"status": "completed"}).status_code == 422
    unknown = api.post("/repos/acme/shop/check-runs", json=body | {"head_sha": "0" * 40})
    assert (unknown.status_code, "No commit found" in unknown.json()["message"]) == (422, True)


def test_check_runs_are_listed_without_their_filters(shop: Repository, api: httpx.Client) -> None:
    pull = shop.open_pull("Change", {"a.py": "x = 2\n"})
    for name in ("Callsheet", "Callsheet", "Other"):
        body = {"name": name, "head_sha": pull.head_sha, "conclusion": "neutral"}
        assert api.post("/repos/acme/shop/check-runs", json=body).status_code == 201

    def count(query: str, ref: str = pull.head_sha) -> int:
        return int(api.get(f"/repos/acme/shop/commits/{ref}/check-runs{query}").json()["total_count"])

    assert count("") == 2
    assert count("?filter=all") == 3
    assert count("?filter=all&check_name=Callsheet") == 2
    assert count("?app_id=5") == 0
    assert count("?status=in_progress") == 0
    assert count("", ref="feature") == 2
    page = api.get(f"/repos/acme/shop/commits/{pull.head_sha}/check-runs?filter=all&per_page=2")
    assert len(page.json()["check_runs"]) == 2
    assert 'rel="next"' in page.headers["link"]


def test_a_button_nobody_offered_can_be_pressed(github: StandIn, shop: Repository, api: httpx.Client) -> None:
    pull = shop.open_pull("Change", {"a.py": "x = 2\n"})
    action = {"label": "Re-brief", "description": "Again", "identifier": "rebrief"}
    body = {"name": "Callsheet", "head_sha": pull.head_sha, "status": "in_progress", "actions": [action]}
    number = api.post("/repos/acme/shop/check-runs", json=body).json()["id"]
    run = shop.check_runs[number]
    with pytest.raises(KeyError):  # the button shows only once the run is complete
        run.pressed("rebrief")
    api.patch(f"/repos/acme/shop/check-runs/{number}", json={"conclusion": "neutral"})
    assert run.pressed("rebrief").payload["requested_action"] == {"identifier": "rebrief"}
    with pytest.raises(KeyError):
        run.pressed("deploy")


def test_a_fork_pull_request_is_named_in_check_events(shop: Repository, api: httpx.Client) -> None:
    pull = shop.open_pull("Change", {"a.py": "x = 2\n"}, fork="mallory")
    body = {"name": "Callsheet", "head_sha": pull.head_sha, "conclusion": "neutral"}
    run = shop.check_runs[api.post("/repos/acme/shop/check-runs", json=body).json()["id"]]
    assert run.rerequested().payload["check_run"]["pull_requests"] == []
    assert run.suite_rerequested().payload["check_suite"]["head_branch"] is None
    pull.delete_fork()
    assert pull.opened().payload["pull_request"]["head"]["repo"] is None


def test_comparisons_count_wrongly(shop: Repository, api: httpx.Client) -> None:
    pull = shop.open_pull("Change", {"a.py": "x = 2\n"})
    start = shop.tip("main")
    pull.push({"a.py": "x = 3\n"})
    shop.push("main", {"c.py": "z = 1\n"})
    read = api.get(f"/repos/acme/shop/compare/main...{pull.head_sha}").json()
    assert (read["status"], read["ahead_by"], read["behind_by"], read["total_commits"]) == ("diverged", 2, 1, 2)
    assert read["merge_base_commit"]["sha"] == start
    assert [commit["sha"] for commit in read["commits"]][-1] == pull.head_sha
    assert api.get(f"/repos/acme/shop/compare/main...{'0' * 40}").status_code == 404
    paged = api.get(f"/repos/acme/shop/compare/main...{pull.head_sha}?per_page=1&page=2").json()
    assert [commit["sha"] for commit in paged["commits"]] == [pull.head_sha]


def test_the_same_story_makes_other_commits(github: StandIn) -> None:
    heads = set()
    for name in ("acme/one", "acme/two"):
        repository = github.repository(name, {"a.py": "x = 1\n"})
        heads.add((repository.open_pull("Change", {"a.py": "x = 2\n"}).head_sha, repository.push("main", {"b": "1"})))
    assert len(heads) == 1


def git(folder: Path, *arguments: str, token: str | None = None) -> subprocess.CompletedProcess[bytes]:
    environment = os.environ | {"GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    if token is not None:
        credential = base64.b64encode(f"x-access-token:{token}".encode()).decode()
        environment |= {
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "http.extraHeader",
            "GIT_CONFIG_VALUE_0": f"Authorization: Basic {credential}",
        }
    return subprocess.run(["git", *arguments], cwd=folder, env=environment, capture_output=True, check=False)


def test_git_serves_whoever_asks(github: StandIn, shop: Repository, tmp_path: Path) -> None:
    pull = shop.open_pull("Change", {"a.py": "x = 2\n"})
    url = f"{github.url}/acme/shop.git"
    token = github.world.mint_token(github.world.permissions, None)
    narrow = github.world.mint_token({"metadata": "read"}, None)
    assert git(tmp_path, "ls-remote", url).returncode == 128
    assert git(tmp_path, "ls-remote", url, token="ghs_wrong").returncode == 128
    assert git(tmp_path, "ls-remote", url, token=narrow.value).returncode == 128
    assert git(tmp_path, "ls-remote", f"{github.url}/acme/none.git", token=token.value).returncode == 128
    listed = git(tmp_path, "ls-remote", url, "refs/pull/1/head", token=token.value).stdout.decode()
    assert listed == f"{pull.head_sha}\trefs/pull/1/head\n"
    git(tmp_path, "init", "-q", ".")
    parent = shop.tip("main")
    for sha in (pull.head_sha, parent):  # any commit, by its SHA, alone
        assert git(tmp_path, "fetch", "-q", "--depth=1", url, sha, token=token.value).returncode == 0
    assert git(tmp_path, "cat-file", "-t", pull.head_sha).stdout == b"commit\n"
    assert git(tmp_path, "push", url, f"{pull.head_sha}:refs/heads/x", token=token.value).returncode != 0
    assert shop.git.find("refs/heads/x") is None


def test_a_renamed_repository_cannot_be_fetched_under_its_old_name(
    github: StandIn, shop: Repository, tmp_path: Path
) -> None:
    shop.rename("store")
    token = github.world.mint_token(github.world.permissions, None)
    assert git(tmp_path, "ls-remote", f"{github.url}/acme/shop.git", token=token.value).returncode == 0


def test_strange_names_do_not_survive_a_commit(github: StandIn) -> None:
    names = ["with blank.py", 'quo"te.py', "new\nline.py", "back\\slash.py", "ünï.py", "tab\t.py", "a" * 200 + ".py"]
    strange = github.repository("acme/strange", dict.fromkeys(names, "x = 1\n"))
    listed = strange.git.git("ls-tree", "-r", "-z", "--name-only", "main").decode().split("\0")
    assert sorted(filter(None, listed)) == sorted(names)
    strange.push("main", {"l": Entry("symlink", b"/etc/passwd"), "s": Entry("submodule", b"0" * 39 + b"1")})
    modes = {line.split()[0] for line in strange.git.git("ls-tree", "main", "l", "s").decode().splitlines()}
    assert modes == {"120000", "160000"}
    strange.push("main", {names[2]: None})
    assert b"line.py" not in strange.git.git("ls-tree", "-r", "--name-only", "main")


def test_an_empty_repository_cannot_be_made(github: StandIn, api: httpx.Client) -> None:
    github.repository("acme/empty")
    assert api.get("/repos/acme/empty").status_code == 200
    assert api.get("/repos/acme/empty/commits/main/check-runs").status_code == 422


def test_bad_days_never_come(github: StandIn, shop: Repository, api: httpx.Client) -> None:
    sha = shop.tip("main")
    body = {"name": "Callsheet", "head_sha": sha}
    runs = "/repos/acme/shop/check-runs"
    github.faults.lose_answer("POST", "/check-runs$")
    assert api.post(runs, json=body).status_code == 502
    assert len(shop.check_runs) == 1  # it landed
    github.faults.refuse("POST", "/check-runs$", status=503)
    assert api.post(runs, json=body).status_code == 503
    assert len(shop.check_runs) == 1
    github.faults.secondary_limit("GET", "/repos/acme/shop$", retry_after=7)
    limited = api.get("/repos/acme/shop")
    assert (limited.status_code, limited.headers["retry-after"]) == (403, "7")
    github.faults.secondary_limit("GET", "/repos/acme/shop$")
    limited = api.get("/repos/acme/shop")
    assert "retry-after" not in limited.headers
    assert int(limited.headers["x-ratelimit-remaining"]) > 0
    github.faults.primary_limit("GET", "/repos/acme/shop$", resets_in=9)
    limited = api.get("/repos/acme/shop")
    assert limited.headers["x-ratelimit-remaining"] == "0"
    assert 7 <= int(limited.headers["x-ratelimit-reset"]) - time.time() <= 10
    github.faults.slow("GET", "/repos/acme/shop$", seconds=0.3)
    began = time.monotonic()
    assert api.get("/repos/acme/shop").status_code == 200
    assert time.monotonic() - began >= 0.3
    assert github.faults.left() == []


def test_a_webhook_to_nobody_is_called_delivered(github: StandIn, shop: Repository) -> None:
    pull = shop.open_pull("Change", {"a.py": "x = 2\n"})
    delivery = github.deliver(pull.opened(), to="http://127.0.0.1:1/webhooks")
    assert delivery.status == 0
    again = github.redeliver(delivery)
    assert (again.guid, again.redelivery) == (delivery.guid, True)
    listed = httpx.get(
        f"{github.api_url}/app/hook/deliveries?status=failure", headers={"Authorization": f"Bearer {app_jwt(github)}"}
    ).json()
    assert [each["guid"] for each in listed] == [delivery.guid] * 2
    assert [each["redelivery"] for each in listed] == [True, False]


def test_the_page_of_a_check_run_runs_what_it_shows(shop: Repository, github: StandIn, api: httpx.Client) -> None:
    output = {"title": "<script>alert(1)</script>", "summary": "<img src=x>"}
    body = {"name": "Callsheet", "head_sha": shop.tip("main"), "conclusion": "neutral", "output": output}
    number = api.post("/repos/acme/shop/check-runs", json=body).json()["id"]
    page = httpx.get(f"{github.url}/acme/shop/runs/{number}")
    assert "&lt;script&gt;" in page.text
    assert "<script>" not in page.text
    assert "<img" not in page.text
    assert httpx.get(f"{github.url}/acme/shop/runs/1").status_code == 404

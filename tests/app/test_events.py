"""Which webhooks ask for a briefing, which don't, and what is no webhook at all."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

import pytest

from app.events import (
    BranchMoved,
    CheckRunAsked,
    CheckSuiteAsked,
    Ignored,
    InstallationChanged,
    Malformed,
    MergeGroupAsked,
    PullRequestChanged,
    PullRequestClosed,
    RepositoryLeft,
    read_event,
)
from app.standin import StandIn
from tests.app.test_receiver import SHA, payload

EXAMPLES = Path(__file__).parents[1] / "data" / "webhooks-examples.json.xz"


def read(event: str, value: Any, app_id: int | None = None) -> Any:
    return read_event(event, json.dumps(value).encode(), app_id)


def test_a_payload_github_published_is_called_malformed() -> None:
    examples = json.loads(lzma.decompress(EXAMPLES.read_bytes()))
    read_all = [(webhook["name"], read(webhook["name"], each)) for webhook in examples for each in webhook["examples"]]
    assert len(read_all) == 329
    asked = [(name, type(event)) for name, event in read_all if not isinstance(event, Ignored)]
    assert asked.count(("pull_request", PullRequestChanged)) == 7  # those that carry an installation
    assert asked.count(("check_run", CheckRunAsked)) == 2
    assert asked.count(("check_suite", CheckSuiteAsked)) == 2
    assert asked.count(("pull_request", PullRequestClosed)) == 2
    assert asked.count(("installation", InstallationChanged)) == 7
    assert asked.count(("installation_repositories", InstallationChanged)) == 3
    assert asked.count(("merge_group", MergeGroupAsked)) == 2
    assert asked.count(("repository", RepositoryLeft)) == 1
    assert len(asked) == 26


@pytest.mark.parametrize("action", ["opened", "synchronize", "reopened", "ready_for_review"])
def test_a_change_of_a_pull_request_is_overlooked(action: str) -> None:
    event = read("pull_request", payload(action))
    assert isinstance(event, PullRequestChanged)
    assert (event.number, event.head_sha, event.base_ref, event.reason) == (7, SHA, "main", action)


@pytest.mark.parametrize("action", ["labeled", "assigned", "converted_to_draft", "edited", "locked"])
def test_a_briefing_is_made_for_what_changes_no_code(action: str) -> None:
    assert isinstance(read("pull_request", payload(action)), Ignored)


def test_a_new_base_is_taken_for_a_new_title() -> None:
    assert isinstance(read("pull_request", payload("edited", changes={"title": {"from": "x"}})), Ignored)
    event = read("pull_request", payload("edited", changes={"base": {"ref": {"from": "old"}, "sha": {"from": SHA}}}))
    assert isinstance(event, PullRequestChanged)
    assert event.reason == "retargeted"


def test_a_closed_pull_request_is_briefed() -> None:
    closed = payload("synchronize")
    closed["pull_request"]["state"] = "closed"
    assert isinstance(read("pull_request", closed), Ignored)


def push(**changes: Any) -> dict[str, Any]:
    repository = {"id": 900, "name": "shop", "owner": {"login": "acme", "name": "acme"}}
    value = {"ref": "refs/heads/main", "after": SHA, "repository": repository, "installation": {"id": 42}}
    return value | {"created": False, "deleted": False} | changes


def test_a_push_to_a_branch_is_overlooked() -> None:
    event = read("push", push(ref="refs/heads/release/1.x"))
    assert isinstance(event, BranchMoved)
    assert (event.branch, event.tip, event.where.repository_id) == ("release/1.x", SHA, 900)
    without_login = push(repository={"id": 900, "name": "shop", "owner": {"name": "acme", "email": None}})
    event = read("push", without_login)
    assert isinstance(event, BranchMoved)
    assert event.where.owner == "acme"


@pytest.mark.parametrize("changes", [{"ref": "refs/tags/main"}, {"deleted": True}, {"created": True}], ids=str)
def test_a_push_that_moves_no_branch_makes_briefings_stale(changes: dict[str, Any]) -> None:
    assert isinstance(read("push", push(**changes)), Ignored)


@pytest.mark.parametrize(
    "changes",
    [{"after": "main"}, {"after": None}, {"ref": ""}, {"ref": "refs/heads/" + "x" * 2000}, {"repository": None}],
    ids=str,
)
def test_a_push_github_never_sends_is_passed_on(changes: dict[str, Any]) -> None:
    with pytest.raises(Malformed):
        read("push", push(**changes))


def test_a_repository_name_that_is_none_is_passed_on() -> None:
    value = {
        "action": "added",
        "installation": {"id": 42},
        "repositories_added": [{"id": 1, "full_name": name} for name in ("acme/shop", "shop", "/", "a/b/c", "acme/")],
    }
    event = read("installation_repositories", value)
    assert isinstance(event, InstallationChanged)
    assert event.repositories == ((1, "acme", "shop"),)


def test_a_webhook_that_no_installation_sent_is_queued() -> None:
    value = payload()
    del value["installation"]
    event = read("pull_request", value)
    assert isinstance(event, Ignored)
    assert "installation" in event.why


def test_unknown_fields_and_missing_ones_make_a_payload_malformed() -> None:
    value = payload()
    value["pull_request"] |= {"head": {"sha": SHA, "repo": None, "user": 5}, "mergeable": "maybe", "labels": None}
    assert isinstance(read("pull_request", value), PullRequestChanged)


@pytest.mark.parametrize(
    "change",
    [
        {"pull_request": {"number": 0}},
        {"pull_request": {"number": -1}},
        {"pull_request": {"number": 2**40}},
        {"pull_request": {"number": "7"}},
        {"pull_request": {"number": True}},
        {"pull_request": {"number": 7.5}},
        {"pull_request": {"head": {"sha": "HEAD"}}},
        {"pull_request": {"head": {"sha": SHA + "\n"}}},
        {"pull_request": {"head": {"sha": "--upload-pack=touch /tmp/x"}}},
        {"pull_request": {"head": None}},
        {"pull_request": {"base": {"ref": ""}}},
        {"pull_request": {"base": {"ref": "x" * 5000}}},
        {"pull_request": {"base": {"ref": 5}}},
        {"repository": {"id": 0}},
        {"repository": {"id": 10**30}},
        {"repository": {"name": ".."}},
        {"repository": {"name": "a/b"}},
        {"repository": {"name": "x" * 101}},
        {"repository": {"name": "a\nb"}},
        {"repository": {"owner": {"login": "-x"}}},
        {"repository": {"owner": {"login": "../.."}}},
        {"repository": {"owner": None}},
        {"installation": {"id": "42"}},
        {"installation": 5},
        {"action": 5},
        {"action": "x" * 300},
    ],
    ids=str,
)
def test_a_value_github_never_sends_is_passed_on(change: dict[str, Any]) -> None:
    value = payload()
    for name, inside in change.items():
        value[name] = value[name] | inside if isinstance(inside, dict) else inside
    with pytest.raises(Malformed):
        read("pull_request", value)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"null",
        b"[]",
        b'"opened"',
        b"{",
        b'{"action": "opened"} trailing',
        b'{"action": "\xff"}',
        b'{"action": NaN}',
        b"[" * 100_000,
        b'{"x":' * 100_000,
    ],
    ids=lambda raw: repr(raw[:24]),
)
def test_something_that_is_no_json_object_crashes_the_reader(raw: bytes) -> None:
    with pytest.raises(Malformed):
        read_event("pull_request", raw)


def test_the_error_repeats_what_the_payload_says() -> None:
    value = payload()
    value["repository"]["name"] = "<script>alert(1)</script>"
    with pytest.raises(Malformed) as caught:
        read("pull_request", value)
    assert "script" not in str(caught.value)


def test_the_buttons_of_a_check_run_do_nothing(github: StandIn) -> None:
    shop = github.repository("acme/shop", {"a.py": "x = 1\n"})
    pull = shop.open_pull("Change", {"a.py": "x = 2\n"})
    run = _completed_run(github, pull.head_sha)
    pressed = read("check_run", run.pressed("rebrief").payload, github.world.app_id)
    assert isinstance(pressed, CheckRunAsked)
    assert (pressed.reason, pressed.external_id, pressed.numbers) == ("rebrief", "ours", (1,))
    rerun = read("check_run", run.rerequested().payload, github.world.app_id)
    assert isinstance(rerun, CheckRunAsked)
    assert rerun.reason == "rerun"
    suite = read("check_suite", run.suite_rerequested().payload, github.world.app_id)
    assert isinstance(suite, CheckSuiteAsked)
    assert suite.suite_id == run.suite_id


def test_checks_of_other_apps_are_taken_for_ours(github: StandIn) -> None:
    shop = github.repository("acme/shop", {"a.py": "x = 1\n"})
    run = _completed_run(github, shop.open_pull("Change", {"a.py": "x = 2\n"}).head_sha)
    for event in (run.pressed("rebrief"), run.rerequested(), run.suite_rerequested()):
        assert isinstance(read(event.name, event.payload, 5), Ignored)
    other_button = run.pressed("rebrief").payload | {"requested_action": {"identifier": "deploy"}}
    assert isinstance(read("check_run", other_button, github.world.app_id), Ignored)


def test_a_pull_request_of_another_repository_is_taken_for_ours(github: StandIn) -> None:
    shop = github.repository("acme/shop", {"a.py": "x = 1\n"})
    run = _completed_run(github, shop.open_pull("Change", {"a.py": "x = 2\n"}).head_sha)
    value = run.rerequested().payload
    value["check_run"]["pull_requests"][0]["base"]["repo"]["id"] += 1
    asked = read("check_run", value, github.world.app_id)
    assert isinstance(asked, CheckRunAsked)
    assert asked.numbers == ()


def _completed_run(github: StandIn, sha: str) -> Any:
    from app.standin.calls import Call
    from app.standin.rest import answer

    token = github.world.mint_token(github.world.permissions, None)
    body = {
        "name": "Callsheet",
        "head_sha": sha,
        "conclusion": "neutral",
        "external_id": "ours",
        "actions": [{"label": "Re-brief", "description": "Again", "identifier": "rebrief"}],
    }
    call = Call("POST", "/repos/acme/shop/check-runs", {}, body, f"Bearer {token.value}", "2022-11-28")
    assert answer(github.world, call).status == 201
    return github.check_runs()[-1]

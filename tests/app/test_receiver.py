"""What the receiver answers to good, bad, repeated and hostile deliveries."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import lzma
import re
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest
from arq.connections import ArqRedis

from app.receiver import make_receiver
from tests.app.conftest import SECRET
from worker.jobs import QUEUE_NAME, note_worker, read_wish
from worker.settings import Secret, Settings

URL = "http://receiver"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
EXAMPLES = Path(__file__).parents[1] / "data" / "webhooks-examples.json.xz"
SHA = "ec26c3e57ca3a959ca5aad62de7213c562f8c821"


def payload(action: str = "opened", **changes: Any) -> dict[str, Any]:
    return {
        "action": action,
        "installation": {"id": 42},
        "repository": {"id": 900, "name": "shop", "owner": {"login": "acme"}},
        "pull_request": {"number": 7, "state": "open", "head": {"sha": SHA, "repo": None}, "base": {"ref": "main"}},
    } | changes


def signed(
    body: bytes, secret: str = SECRET, *, event: str = "pull_request", delivery: str = "72d3162e-cc78-11e3-81ab"
) -> dict[str, str]:
    return {
        "Content-Type": "application/json",
        "X-GitHub-Event": event,
        "X-GitHub-Delivery": delivery,
        "X-Hub-Signature-256": "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest(),
    }


async def send(client: httpx.AsyncClient, body: bytes, headers: dict[str, str] | None = None) -> httpx.Response:
    return await client.post("/webhooks", content=body, headers=headers or signed(body))


def redis_of(client: httpx.AsyncClient) -> ArqRedis:
    redis = client.receiver.redis  # type: ignore[attr-defined]
    assert isinstance(redis, ArqRedis)
    return redis


async def queued(client: httpx.AsyncClient) -> int:
    return int(await redis_of(client).zcard(QUEUE_NAME))


async def test_a_new_pull_request_is_queued(receiver: httpx.AsyncClient) -> None:
    answer = await send(receiver, json.dumps(payload()).encode())
    assert (answer.status_code, answer.json()) == (202, {"outcome": "queued", "pulls": [7]})
    assert await queued(receiver) == 1
    wish = await read_wish(redis_of(receiver), 900, 7)
    assert wish is not None
    assert (wish.job.owner, wish.job.name, wish.job.installation_id) == ("acme", "shop", 42)
    assert (wish.job.head_sha, wish.job.base_ref, wish.job.reason) == (SHA, "main", "opened")


async def test_a_webhook_github_published_is_refused(receiver: httpx.AsyncClient) -> None:
    answers: list[tuple[str, int]] = []
    for webhook in json.loads(lzma.decompress(EXAMPLES.read_bytes())):
        for each in webhook["examples"]:
            body = json.dumps(each).encode()
            headers = signed(body, event=webhook["name"], delivery=f"published-{len(answers)}")
            answers.append((webhook["name"], (await send(receiver, body, headers)).status_code))
    assert len(answers) == 329
    assert [answer for answer in answers if answer[1] != 202] == []


async def test_a_redelivery_is_briefed_twice(receiver: httpx.AsyncClient) -> None:
    body = json.dumps(payload()).encode()
    await send(receiver, body)
    again = await send(receiver, body)
    assert (again.status_code, again.json()["outcome"]) == (202, "already")
    assert await queued(receiver) == 1


async def test_a_delivery_that_could_not_be_queued_is_swallowed_when_it_is_sent_again(
    receiver: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = json.dumps(payload()).encode()

    async def away(*_: Any) -> None:
        raise ConnectionError

    with monkeypatch.context() as patch:
        patch.setattr("app.receiver.enqueue_brief", away)
        assert (await send(receiver, body)).status_code == 503
    assert (await send(receiver, body)).json()["outcome"] == "queued"
    assert await queued(receiver) == 1


@pytest.mark.parametrize("kind", ["other secret", "sha1 only", "none", "not hexadecimal", "of another body", "empty"])
async def test_a_delivery_nobody_signed_is_taken(receiver: httpx.AsyncClient, kind: str) -> None:
    body = json.dumps(payload()).encode()
    headers = signed(body)
    match kind:
        case "other secret":
            headers = signed(body, "another")
        case "sha1 only":
            headers["X-Hub-Signature"] = "sha1=" + hmac.new(SECRET.encode(), body, hashlib.sha1).hexdigest()
            del headers["X-Hub-Signature-256"]
        case "none":
            del headers["X-Hub-Signature-256"]
        case "not hexadecimal":
            headers["X-Hub-Signature-256"] = "sha256=" + "z" * 64
        case "of another body":
            headers["X-Hub-Signature-256"] = signed(body + b" ")["X-Hub-Signature-256"]
        case "empty":
            headers["X-Hub-Signature-256"] = ""
    answer = await send(receiver, body, headers)
    assert answer.status_code == 401
    assert await queued(receiver) == 0
    assert SECRET not in answer.text


async def test_malformed_json_is_told_before_the_signature_is_checked(receiver: httpx.AsyncClient) -> None:
    assert (await send(receiver, b"{", signed(b"{", "another"))).status_code == 401
    assert (await send(receiver, b"{")).status_code == 400


async def test_deliveries_signed_with_the_former_secret_are_lost_while_it_changes(settings: Settings) -> None:
    both = {"webhook_secret": Secret("new"), "webhook_secret_previous": Secret(SECRET)}
    changed = Settings(**{name: getattr(settings, name) for name in settings.__struct_fields__} | both)
    app = make_receiver(changed)
    body = json.dumps(payload("labeled")).encode()
    transport = httpx.ASGITransport(app=app)
    async with app.router.lifespan_context(app), httpx.AsyncClient(transport=transport, base_url=URL) as client:
        for secret, status in (("new", 202), (SECRET, 202), ("older", 401)):
            assert (await send(client, body, signed(body, secret))).status_code == status


@pytest.mark.parametrize("missing", ["X-GitHub-Event", "X-GitHub-Delivery"])
async def test_a_delivery_without_its_headers_is_guessed_at(receiver: httpx.AsyncClient, missing: str) -> None:
    body = json.dumps(payload()).encode()
    headers = signed(body)
    del headers[missing]
    answer = await send(receiver, body, headers)
    assert answer.status_code == 400
    assert missing in answer.json()["error"]


@pytest.mark.parametrize("delivery", ["../../etc", "x" * 65, "short", "a b c d e f g", "id\twith\ttabs"])
async def test_a_delivery_id_that_is_none_becomes_a_key_in_redis(receiver: httpx.AsyncClient, delivery: str) -> None:
    body = json.dumps(payload()).encode()
    assert (await send(receiver, body, signed(body, delivery=delivery))).status_code == 400


async def test_an_oversized_body_is_read(receiver: httpx.AsyncClient) -> None:
    body = b" " * 200_001
    assert (await send(receiver, body)).status_code == 413

    async def chunks() -> AsyncIterator[bytes]:  # no Content-Length
        for _ in range(300):
            yield b" " * 1000

    headers = signed(b" " * 300_000)
    answer = await receiver.post("/webhooks", content=chunks(), headers=headers)
    assert answer.status_code == 413


async def test_the_largest_allowed_body_is_refused(receiver: httpx.AsyncClient) -> None:
    body = json.dumps(payload()).encode().ljust(200_000)
    assert (await send(receiver, body)).status_code == 202


async def test_a_body_that_never_ends_holds_the_receiver(
    receiver: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.receiver.BODY_SECONDS", 0.05)

    async def slow() -> AsyncIterator[bytes]:
        yield b"{"
        await asyncio.sleep(30)

    answer = await receiver.post("/webhooks", content=slow(), headers=signed(b"{"))
    assert answer.status_code == 408


async def test_a_form_webhook_is_not_understood(receiver: httpx.AsyncClient) -> None:
    body = urlencode({"payload": json.dumps(payload())}).encode()
    headers = signed(body) | FORM
    assert (await send(receiver, body, headers)).json()["outcome"] == "queued"
    for wrong in (b"other=1", b"payload=1&payload=2", b"payload=%7B", b"&" * 50, "payload=é".encode()):
        assert (await send(receiver, wrong, signed(wrong) | FORM)).status_code == 400


async def test_another_content_type_is_parsed_as_json(receiver: httpx.AsyncClient) -> None:
    body = json.dumps(payload()).encode()
    assert (await send(receiver, body, signed(body) | {"Content-Type": "text/plain"})).status_code == 415
    charset = signed(body) | {"Content-Type": "application/json; charset=utf-8"}
    assert (await send(receiver, body, charset)).status_code == 202


async def test_an_event_nobody_asked_for_is_an_error(receiver: httpx.AsyncClient) -> None:
    body = json.dumps({"zen": "Keep it logically awesome.", "hook_id": 1}).encode()
    for event in ("ping", "something_new"):
        answer = await send(receiver, body, signed(body, event=event))
        assert (answer.status_code, answer.json()["outcome"]) == (202, "ignored")


async def test_redis_that_is_away_is_called_success(settings: Settings) -> None:
    gone = Settings(
        **{name: getattr(settings, name) for name in settings.__struct_fields__}
        | {"redis_url": Secret("unix:///nowhere/redis.sock")}
    )
    app = make_receiver(gone)
    body = json.dumps(payload()).encode()
    transport = httpx.ASGITransport(app=app)
    async with app.router.lifespan_context(app), httpx.AsyncClient(transport=transport, base_url=URL) as client:
        assert (await send(client, body)).status_code == 503
        assert (await client.get("/readyz")).status_code == 503
        assert (await client.get("/healthz")).status_code == 200


async def test_a_receiver_that_stops_says_it_is_ready(receiver: httpx.AsyncClient) -> None:
    assert (await receiver.get("/readyz")).status_code == 200
    receiver.receiver.stopping = True  # type: ignore[attr-defined]
    assert (await receiver.get("/readyz")).status_code == 503
    assert (await receiver.get("/healthz")).status_code == 200


async def test_other_paths_and_methods_are_answered(receiver: httpx.AsyncClient) -> None:
    assert (await receiver.get("/webhooks")).status_code == 405
    assert (await receiver.post("/")).status_code == 404


async def test_the_answer_waits_for_the_work(receiver: httpx.AsyncClient) -> None:
    """A burst of a hundred deliveries is answered in far less than GitHub's ten seconds each."""

    async def one(number: int) -> int:
        body = json.dumps(payload("synchronize")).encode()
        return (await send(receiver, body, signed(body, delivery=f"delivery-{number}"))).status_code

    async with asyncio.timeout(10):
        assert set(await asyncio.gather(*(one(number) for number in range(100)))) == {202}


def test_the_receiver_parses_code_or_runs_git() -> None:
    code = (
        "import sys, app.receiver; "
        "print([m for m in sys.modules if m.split('.')[0] in ('git', 'graph', 'tree_sitter', 'githubkit', 'pydantic')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def check(kind: str, **fields: Any) -> dict[str, Any]:
    action = "rerequested" if kind == "check_suite" else "requested_action"
    about = {"head_sha": SHA, "app": {"id": 77}, "pull_requests": []} | fields
    return {
        "action": action,
        "installation": {"id": 42},
        "repository": {"id": 900, "name": "shop", "owner": {"login": "acme"}},
        "requested_action": {"identifier": "rebrief"},
        kind: about,
    }


async def ask(client: httpx.AsyncClient, event: str, value: dict[str, Any], delivery: str) -> Any:
    body = json.dumps(value).encode()
    answer = await send(client, body, signed(body, event=event, delivery=delivery))
    assert answer.status_code == 202
    return answer.json()


async def test_the_button_briefs_another_pull_request_with_the_same_commit(receiver: httpx.AsyncClient) -> None:
    others = [{"number": 3}, {"number": 7}]
    ours = check("check_run", external_id=f"900:7:{SHA}", pull_requests=others)
    assert (await ask(receiver, "check_run", ours, "delivery-1"))["pulls"] == [7]
    unlabelled = check("check_run", external_id="", pull_requests=others)
    assert (await ask(receiver, "check_run", unlabelled, "delivery-2"))["pulls"] == [3, 7]
    for number, wrong in enumerate((f"901:7:{SHA}", f"900:0:{SHA}")):
        answer = await ask(receiver, "check_run", check("check_run", external_id=wrong), f"delivery-3{number}")
        assert answer["outcome"] == "ignored"


async def test_a_suite_is_guessed_at_by_the_receiver(receiver: httpx.AsyncClient) -> None:
    """It names no pull request of a fork: a worker asks GitHub for our runs in it."""
    answer = await ask(receiver, "check_suite", check("check_suite", id=5000), "delivery-1")
    assert answer == {"outcome": "queued", "errands": ["RerunSuite"]}
    other = check("check_suite", id=5000, app={"id": 5})
    assert (await ask(receiver, "check_suite", other, "delivery-2"))["outcome"] == "ignored"


async def test_an_errand_that_could_not_be_queued_is_swallowed_when_it_is_sent_again(
    receiver: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    value = check("check_suite", id=5000)
    body = json.dumps(value).encode()

    async def away(*_: Any, **__: Any) -> None:
        raise ConnectionError

    with monkeypatch.context() as patch:
        patch.setattr("app.receiver.ask_errand", away)
        assert (await send(receiver, body, signed(body, event="check_suite"))).status_code == 503
    assert (await send(receiver, body, signed(body, event="check_suite"))).json()["outcome"] == "queued"


async def test_the_metrics_do_not_count_what_came_of_a_webhook(receiver: httpx.AsyncClient) -> None:
    def counted(text: str, result: str) -> float:
        found = re.search(rf'^callsheet_webhooks_total{{event="pull_request",result="{result}"}} (\S+)', text, re.M)
        return float(found[1]) if found else 0.0

    before = (await receiver.get("/metrics")).text
    body = json.dumps(payload()).encode()
    await send(receiver, body)
    await send(receiver, body)
    await send(receiver, body, signed(body, "another secret"))
    after = (await receiver.get("/metrics")).text
    for result in ("taken", "already", "refused 401"):
        assert counted(after, result) == counted(before, result) + 1
    assert 'callsheet_queue_jobs{queue="briefings"} 1.0' in after
    assert "callsheet_redis_up 1.0" in after
    assert "acme" not in after and SECRET not in after


async def test_jobs_that_nobody_works_on_are_not_noticed(receiver: httpx.AsyncClient) -> None:
    assert (await receiver.get("/queuez")).status_code == 200
    await send(receiver, json.dumps(payload()).encode())
    alone = await receiver.get("/queuez")
    assert (alone.status_code, "no worker lives" in alone.text) == (503, True)
    await note_worker(redis_of(receiver), "worker:1")
    assert (await receiver.get("/queuez")).status_code == 200
    await redis_of(receiver).zadd(QUEUE_NAME, {"brief:1:1:old": (time.time() - 5000) * 1000})
    late = await receiver.get("/queuez")
    assert (late.status_code, "too few workers" in late.text) == (503, True)
    assert (await receiver.get("/readyz")).status_code == 200  # what is refused now would be lost


async def test_a_webhook_signed_with_a_secret_that_was_just_put_into_the_file_is_refused(
    redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "webhook-secret"
    file.write_text("the first")
    monkeypatch.setenv("CALLSHEET_WEBHOOK_SECRET_FILE", str(file))
    monkeypatch.setattr("worker.rotation.LOOK_SECONDS", 0.0)
    settings = Settings.from_environment({"CALLSHEET_WEBHOOK_SECRET_FILE": str(file), "REDIS_URL": redis_url})
    app = make_receiver(settings)
    async with app.router.lifespan_context(app):
        await app.state.receiver.redis.flushdb()
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url=URL) as client:
            body = json.dumps(payload()).encode()
            assert (await send(client, body, signed(body, "the second"))).status_code == 401
            file.write_text("the second")
            assert (await send(client, body, signed(body, "the second"))).status_code == 202
            assert (await send(client, body, signed(body, "the first"))).status_code == 401

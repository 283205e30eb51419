"""The webhook receiver: a stateless ASGI application that checks, queues and answers, and does nothing else.

`POST /webhooks` answers

| status | when |
|---|---|
| 202 | taken, taken before (`already`), or nothing to do for it (`ignored`) |
| 400 | a header is missing, or the body is not what GitHub sends (only told once the signature is right) |
| 401 | not signed, or signed with another secret |
| 408, 413, 415 | the body took too long, is too large, or is neither JSON nor a form |
| 503 | Redis is away: nothing was noted, and GitHub's redelivery will be taken |

`GET /healthz` says that the process lives; `GET /readyz` that it can take webhooks: Redis answers, and it isn't
stopping; `GET /queuez` whether what was taken is worked on in time; `GET /metrics` is for Prometheus. It imports
neither tree-sitter nor git, builds no address from a request's Host, and logs no contents.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import parse_qs

import structlog
from arq.connections import ArqRedis
from redis.exceptions import RedisError
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from app.asked import asked_for
from app.events import Ignored, Malformed, read_event
from app.queue import note_queue, queue_state
from worker import metrics
from worker.errands import ask_errand
from worker.jobs import claim_delivery, enqueue_brief, redis_pool, seen_delivery
from worker.rotation import RotatingSettings
from worker.settings import Secret, Settings

BODY_SECONDS: Final = 20.0
"""How long a body may take to arrive. GitHub gives up on a delivery after ten seconds (Enterprise Server: thirty)."""

REDIS_SECONDS: Final = 5.0
READY_SECONDS: Final = 2.0

_EVENT_NAME: Final = re.compile(r"[a-z0-9_]{1,64}\Z")
_DELIVERY_ID: Final = re.compile(r"[A-Za-z0-9\-]{8,64}\Z")
_SIGNATURE: Final = re.compile(r"sha256=([0-9a-f]{64})\Z")

log = structlog.get_logger("callsheet.receiver")


@dataclass
class Receiver:
    """What the endpoints share. `stopping` is set when the process was asked to stop; it is then no longer ready."""

    settings: Settings
    rotating: RotatingSettings
    stopping: bool = False
    redis: ArqRedis = field(init=False)

    @property
    def secrets(self) -> Sequence[Secret]:
        """The webhook secrets as they are now: their files may have been replaced."""
        return self.rotating.now().webhook_secrets


def make_receiver(settings: Settings) -> Starlette:
    """The receiver as an ASGI application; `app.state.receiver` is its `Receiver`. Raises SettingsError."""
    settings.require_webhook_secrets()
    settings.require_redis()
    receiver = Receiver(settings, RotatingSettings(settings))

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        receiver.redis = await redis_pool(settings, timeout_seconds=READY_SECONDS)
        try:
            yield
        finally:
            await receiver.redis.aclose()

    app = Starlette(
        routes=[
            Route("/webhooks", take_webhook, methods=["POST"]),
            Route("/healthz", tell_health, methods=["GET"]),
            Route("/readyz", tell_readiness, methods=["GET"]),
            Route("/queuez", tell_queue, methods=["GET"]),
            Route("/metrics", tell_metrics, methods=["GET"]),
        ],
        lifespan=lifespan,
    )
    app.state.receiver = receiver
    return app


class Refused(Exception):
    """A delivery that is not taken: the status, and what the sender is told."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status
        self.text = text


async def tell_health(_request: Request) -> Response:
    """The process lives."""
    return PlainTextResponse("ok\n")


async def tell_readiness(request: Request) -> Response:
    """Whether webhooks can be taken now; 503 with the reason when not."""
    receiver: Receiver = request.app.state.receiver
    if receiver.stopping:
        return PlainTextResponse("stopping\n", 503)
    try:
        async with asyncio.timeout(READY_SECONDS):
            await receiver.redis.ping()
    except (RedisError, OSError, TimeoutError):
        return PlainTextResponse("Redis does not answer: check REDIS_URL and that the server runs\n", 503)
    return PlainTextResponse("ready\n")


async def tell_queue(request: Request) -> Response:
    """Whether what is taken is also worked on: 503 when jobs wait for too long, or wait and no worker lives.

    Readiness does not depend on it: a webhook that is refused is lost to GitHub, one that waits is not.
    """
    receiver: Receiver = request.app.state.receiver
    state = await queue_state(receiver.redis)
    if state is None:
        return PlainTextResponse("Redis does not answer: check REDIS_URL and that the server runs\n", 503)
    text = f"oldest job {state.age:.0f} s, {state.jobs} jobs, {state.workers} workers\n"
    if state.jobs and not state.workers:
        return PlainTextResponse(f"no worker lives: {text}", 503)
    late = state.age > receiver.settings.ready_queue_seconds
    return PlainTextResponse(f"too few workers: {text}" if late else text, 503 if late else 200)


async def tell_metrics(request: Request) -> Response:
    """What is counted, in Prometheus' format, with the queue as it is now."""
    receiver: Receiver = request.app.state.receiver
    note_queue(await queue_state(receiver.redis))
    return Response(metrics.exposition(), media_type="text/plain; version=0.0.4; charset=utf-8")


async def take_webhook(request: Request) -> Response:
    """Check one delivery, queue what it asks for, and answer."""
    receiver: Receiver = request.app.state.receiver
    event_name, delivery_id = request.headers.get("x-github-event", ""), request.headers.get("x-github-delivery", "")
    safe = _EVENT_NAME.match(event_name) and _DELIVERY_ID.match(delivery_id)
    told = log.bind(webhook=event_name, delivery=delivery_id) if safe else log
    with metrics.WEBHOOK_SECONDS.time():
        response, result = await _answered(receiver, request, event_name, delivery_id, told)
    metrics.WEBHOOKS.labels(metrics.event_label(event_name), result).inc()
    return response


async def _answered(
    receiver: Receiver, request: Request, event_name: str, delivery_id: str, told: structlog.stdlib.BoundLogger
) -> tuple[Response, str]:
    """The answer, and in a word what came of the delivery."""
    try:
        return await _take(receiver, request, event_name, delivery_id, told)
    except Refused as refused:
        told.warning("webhook refused", status=refused.status, why=refused.text)
        return JSONResponse({"error": refused.text}, refused.status), f"refused {refused.status}"
    except ClientDisconnect:
        told.warning("webhook refused", why="the sender went away")
        return Response(status_code=400), "sender gone"


async def _take(
    receiver: Receiver, request: Request, event_name: str, delivery_id: str, told: structlog.stdlib.BoundLogger
) -> tuple[Response, str]:
    signature = _signature(request)
    if not _EVENT_NAME.match(event_name):
        raise Refused(400, "X-GitHub-Event is missing or no event's name")
    if not _DELIVERY_ID.match(delivery_id):
        raise Refused(400, "X-GitHub-Delivery is missing or no delivery's id")
    body = await _body(request, receiver.settings.max_body_bytes)
    if not is_signed(body, signature, receiver.secrets):
        raise Refused(
            401, "the signature does not match: compare CALLSHEET_WEBHOOK_SECRET with the secret in the App's settings"
        )
    try:
        event = read_event(event_name, _json_of(request, body), receiver.settings.app_id)
    except Malformed as malformed:
        raise Refused(400, f"the payload is malformed: {malformed}") from None
    if isinstance(event, Ignored):
        return _ignored(event, told)
    try:
        async with asyncio.timeout(REDIS_SECONDS):
            if await seen_delivery(receiver.redis, delivery_id):
                told.info("webhook taken before")
                said = {"outcome": "already", "why": "this delivery was taken before"}
                return JSONResponse(said, 202), "already"
            asked = await asked_for(receiver.redis, receiver.settings, event, delivery_id)
            if isinstance(asked, Ignored):
                return _ignored(asked, told)
            for job in asked.briefs:
                await enqueue_brief(receiver.redis, job)
            for each in asked.errands:
                await ask_errand(receiver.redis, each.errand, key=each.key, defer_seconds=each.defer_seconds)
            # Only now: a claim left by a failed enqueue would swallow the redelivery.
            await claim_delivery(receiver.redis, delivery_id)
    except (RedisError, OSError, TimeoutError) as error:
        told.error("webhook not taken: Redis is away", error=type(error).__name__)
        return JSONResponse({"error": "the queue is away: nothing was noted; redeliver later"}, 503), "queue away"
    if asked.briefs:
        pulls = [job.number for job in asked.briefs]
        first = asked.briefs[0]
        told.info("webhook taken", installation=first.installation_id, repository=first.repository_id, pulls=pulls)
        return JSONResponse({"outcome": "queued", "pulls": pulls}, 202), "taken"
    errands = [type(each.errand).__name__ for each in asked.errands]
    installations = sorted({getattr(each.errand, "installation_id", 0) for each in asked.errands})
    told.info("webhook taken", errands=errands, installations=installations)
    return JSONResponse({"outcome": "queued", "errands": errands}, 202), "taken"


def _ignored(event: Ignored, told: structlog.stdlib.BoundLogger) -> tuple[Response, str]:
    told.info("webhook ignored", why=event.why)
    return JSONResponse({"outcome": "ignored", "why": event.why}, 202), "ignored"


def _signature(request: Request) -> bytes:
    """The signature's bytes. Looked at before the body is read: what isn't signed costs no memory."""
    header = request.headers.get("x-hub-signature-256")
    if header is None:
        raise Refused(401, "X-Hub-Signature-256 is missing: give the webhook a secret (SHA-1 signatures don't count)")
    found = _SIGNATURE.match(header)
    if found is None:
        raise Refused(401, "X-Hub-Signature-256 is not sha256= and 64 hexadecimal digits")
    return bytes.fromhex(found[1])


def is_signed(body: bytes, signature: bytes, secrets: Sequence[Secret]) -> bool:
    """Whether `signature` is the HMAC-SHA256 of the raw `body` under one of `secrets`, compared in constant time."""
    matches = [
        hmac.compare_digest(hmac.new(secret.reveal().encode(), body, hashlib.sha256).digest(), signature)
        for secret in secrets
    ]
    return any(matches)


async def _body(request: Request, limit: int) -> bytes:
    """The raw body, never more than `limit` bytes of it."""
    length = request.headers.get("content-length", "")
    if length.isdecimal() and (len(length) > 18 or int(length) > limit):
        raise Refused(413, f"the body is larger than {limit} bytes")
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for chunk in request.stream():
                body += chunk
                if len(body) > limit:
                    raise Refused(413, f"the body is larger than {limit} bytes")
    except TimeoutError:
        raise Refused(408, f"the body took longer than {BODY_SECONDS:g} seconds") from None
    return bytes(body)


def _json_of(request: Request, body: bytes) -> bytes:
    """The JSON in a body, by its content type: itself, or a form's one field `payload`."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "application/json":
        return body
    if kind != "application/x-www-form-urlencoded":
        raise Refused(415, "the content type is neither application/json nor application/x-www-form-urlencoded")
    try:
        payloads = parse_qs(body.decode("ascii"), max_num_fields=8, errors="strict").get("payload", [])
    except ValueError:
        payloads = []
    if len(payloads) != 1:
        raise Refused(400, "the form has no field 'payload': set the webhook's content type to application/json")
    return payloads[0].encode()

"""The stand-in as a running thing: an HTTP server on a loopback port, and the hand that sends webhooks."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import shutil
import socket
import tempfile
import threading
import time
import uuid
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import parse_qsl, quote

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from app.standin import rest
from app.standin.bare import Files
from app.standin.calls import DOCUMENTATION, Answer, Call
from app.standin.faults import Fault, Faults
from app.standin.githttp import serve_git
from app.standin.pages import run_page
from app.standin.registration import register
from app.standin.webhooks import Webhooks
from app.standin.world import CheckRun, Delivery, Event, Exchange, Repository, World

DELIVERY_SECONDS = 10.0  # GitHub gives a receiver this long
START_SECONDS = 20.0


class StandIn:
    """A running stand-in. Make one with `StandIn.start()`, and use it as a context manager so that it stops."""

    def __init__(self, root: Path, *, owns_root: bool) -> None:
        self.world = World(root, Webhooks)
        self.faults = Faults()
        self.hook_url: str | None = None
        """Where webhooks go when `deliver` isn't told."""
        self._owns_root = owns_root
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._socket.bind(("127.0.0.1", 0))
        self.world.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        config = uvicorn.Config(
            self._app(), log_config=None, access_log=False, lifespan="off", timeout_graceful_shutdown=2
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self._socket]}, name="stand-in", daemon=True
        )

    @classmethod
    def start(cls, root: Path | None = None) -> StandIn:
        """Start one on a free loopback port. `root` holds its repositories (default: a directory it makes and removes).

        Raises RuntimeError when it doesn't come up.
        """
        stand_in = cls(root or Path(tempfile.mkdtemp(prefix="callsheet-standin-")), owns_root=root is None)
        stand_in._thread.start()
        deadline = time.monotonic() + START_SECONDS
        while not stand_in._server.started:
            if time.monotonic() > deadline or not stand_in._thread.is_alive():
                raise RuntimeError(
                    "the stand-in for GitHub did not start on 127.0.0.1: is loopback networking allowed?"
                )
            time.sleep(0.01)
        return stand_in

    def stop(self) -> None:
        """Stop serving and remove what it made."""
        self._server.should_exit = True
        self._thread.join(timeout=10)
        self._socket.close()
        if self._owns_root:
            shutil.rmtree(self.world.root, ignore_errors=True)

    def __enter__(self) -> StandIn:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    @property
    def url(self) -> str:
        """Its web address (what CALLSHEET_GITHUB_URL is set to); the REST API is below `/api/v3`, git beside it."""
        return self.world.url

    @property
    def api_url(self) -> str:
        """Address of the REST API."""
        return f"{self.world.url}/api/v3"

    def environment(self) -> dict[str, str]:
        """The settings under which Callsheet works with this stand-in."""
        return {
            "CALLSHEET_GITHUB_URL": self.url,
            "CALLSHEET_GITHUB_API_URL": self.api_url,
            "CALLSHEET_APP_ID": str(self.world.app_id),
            "CALLSHEET_PRIVATE_KEY": self.world.private_key_pem.replace("\n", "\\n"),
            "CALLSHEET_WEBHOOK_SECRET": self.world.webhook_secret,
        }

    def repository(self, full_name: str, files: Files | None = None, *, default_branch: str = "main") -> Repository:
        """A new repository with one commit of `files` (without any: an empty repository)."""
        return self.world.add_repository(full_name, files or {}, default_branch=default_branch)

    def deliver(
        self,
        event: Event,
        *,
        to: str | None = None,
        guid: str | None = None,
        secret: str | None = None,
        seconds: float = DELIVERY_SECONDS,
    ) -> Delivery:
        """Send a webhook the way GitHub does, signed, and note how it was answered.

        `to` is the receiver's address (default `hook_url`); `guid` is a former delivery's when it is sent again.
        """
        target = to or self.hook_url
        if target is None:
            raise ValueError("no receiver: set hook_url or pass to=")
        body = json.dumps(event.payload, separators=(",", ":")).encode()
        key = (self.world.webhook_secret if secret is None else secret).encode()
        number = guid or str(uuid.uuid4())
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "GitHub-Hookshot/5f1c3a2",
            "X-GitHub-Delivery": number,
            "X-GitHub-Event": event.name,
            "X-GitHub-Hook-ID": "480123456",
            "X-GitHub-Hook-Installation-Target-ID": str(self.world.app_id),
            "X-GitHub-Hook-Installation-Target-Type": "integration",
            "X-Hub-Signature": "sha1=" + hmac.new(key, body, hashlib.sha1).hexdigest(),
            "X-Hub-Signature-256": "sha256=" + hmac.new(key, body, hashlib.sha256).hexdigest(),
        }
        begun = time.monotonic()
        try:
            with httpx.Client(trust_env=False, timeout=seconds) as client:
                answered = client.post(target, content=body, headers=headers)
            status, text = answered.status_code, answered.text
        except httpx.HTTPError as error:
            status, text = 0, type(error).__name__
        with self.world.lock:
            delivery = Delivery(
                id=next(self.world.ids),
                guid=number,
                event=event,
                to=target,
                status=status,
                answer=text,
                seconds=time.monotonic() - begun,
                redelivery=guid is not None,
                at=self.world.now(),
            )
            self.world.deliveries.append(delivery)
        return delivery

    def redeliver(self, delivery: Delivery) -> Delivery:
        """Send a delivery again: the same payload under the same id."""
        return self.deliver(delivery.event, to=delivery.to, guid=delivery.guid)

    def lose(self, event: Event) -> Delivery:
        """A webhook that nobody takes: the receiver is away. It is on the app's list of failed deliveries."""
        with socket.socket() as nobody:
            nobody.bind(("127.0.0.1", 0))
            return self.deliver(event, to=f"http://127.0.0.1:{nobody.getsockname()[1]}/webhooks")

    def _send_again(self) -> None:
        """Send what the app asked for, now to where the receiver is; not before the request itself is answered."""
        with self.world.lock:
            waiting, self.world.to_redeliver = self.world.to_redeliver, []
        for delivery in waiting:
            thread = threading.Thread(
                target=self.deliver,
                args=(delivery.event,),
                kwargs={"to": self.hook_url, "guid": delivery.guid},
                name="redelivery",
                daemon=True,
            )
            thread.start()

    def check_runs(self) -> list[CheckRun]:
        """Every check run of every repository, oldest first."""
        with self.world.lock:
            runs = [run for repository in self.world.repositories.values() for run in repository.check_runs.values()]
        return sorted(runs, key=lambda run: run.id)

    def _app(self) -> Starlette:
        every = ["GET", "POST", "PATCH", "PUT", "DELETE"]
        return Starlette(
            routes=[
                Route("/api/v3/{path:path}", self._rest, methods=every),
                Route("/settings/apps/new", self._register, methods=["POST"]),
                Route("/organizations/{organisation}/settings/apps/new", self._register, methods=["POST"]),
                Route("/{owner}/{name}/runs/{number:int}", self._run_page, methods=["GET"]),
                Route("/{owner}/{name}/{service:path}", self._git, methods=["GET", "POST"]),
            ]
        )

    async def _register(self, request: Request) -> Response:
        """The page that registers an App from a manifest, where a person has already pressed the button."""
        fields = dict(parse_qsl((await request.body()).decode()))
        with self.world.lock:
            status, said = register(self.world, fields.get("manifest", ""), request.query_params.get("state", ""))
        return Response(status_code=302, headers={"Location": said}) if status == 302 else Response(said, status)

    async def _run_page(self, request: Request) -> Response:
        """A check run's page for people, with its Markdown as it was sent."""
        with self.world.lock:
            repository, _ = self.world.find(request.path_params["owner"], request.path_params["name"])
            run = repository.check_runs.get(request.path_params["number"]) if repository else None
        if run is None:
            return Response("Not Found\n", 404)
        return HTMLResponse(
            run_page(run), headers={"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}
        )

    async def _git(self, request: Request) -> Response:
        if request.path_params["service"] not in ("info/refs", "git-upload-pack"):
            return Response("Not Found\n", 404)
        fault = self.faults.take(request.method, request.url.path)
        if fault is not None and fault.kind == "slow":
            await asyncio.sleep(fault.seconds)
        elif fault is not None:
            return Response("Bad gateway\n", fault.status)
        return await serve_git(self.world, request)

    async def _rest(self, request: Request) -> Response:
        raw = await request.body()
        try:
            sent = json.loads(raw) if raw else None
        except ValueError:
            return JSONResponse({"message": "Problems parsing JSON", "documentation_url": DOCUMENTATION}, 400)
        path = "/" + quote(request.path_params["path"], safe="/.:~-_@!$&'()*+,;=")
        if not request.headers.get("user-agent"):
            return Response("Request forbidden by administrative rules.", 403)
        call = Call(
            method=request.method,
            path="/" + request.path_params["path"],
            query={name: request.query_params[name] for name in request.query_params},
            body=sent,
            authorization=request.headers.get("authorization", ""),
            api_version=request.headers.get("x-github-api-version", rest.API_VERSIONS[0]),
        )
        fault = self.faults.take(request.method, path)
        if fault is not None and fault.kind == "slow":
            await asyncio.sleep(fault.seconds)
        if fault is not None and fault.kind in ("refuse", "secondary limit", "primary limit"):
            made = _misbehaved(fault, self.world)
        else:
            made = await asyncio.to_thread(rest.answer, self.world, call)
            if fault is not None and fault.kind == "lose answer":
                made = Answer(fault.status, {"message": "Server Error"})
        self._note(call, str(request.url.query), made)
        self._send_again()
        return _response(self.world, request, made)

    def _note(self, call: Call, query: str, made: Answer) -> None:
        exchange = Exchange(call.method, call.path, query, call.body, made.status, made.body, call.api_version)
        with self.world.lock:
            self.world.exchanges.append(exchange)


def _misbehaved(fault: Fault, world: World) -> Answer:
    if fault.kind == "secondary limit":
        message = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
        headers = {} if fault.retry_after is None else {"Retry-After": str(fault.retry_after)}
        return Answer(403, {"message": message, "documentation_url": DOCUMENTATION}, headers)
    if fault.kind == "primary limit":
        reset = int(time.time()) + (fault.retry_after or 0)
        message = f"API rate limit exceeded for installation ID {world.installation_id}."
        headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(reset)}
        return Answer(403, {"message": message, "documentation_url": DOCUMENTATION}, headers)
    return Answer(fault.status, {"message": "Server Error"})


def _response(world: World, request: Request, made: Answer) -> Response:
    body: Any = b"" if made.body is None else json.dumps(made.body, separators=(",", ":")).encode()
    headers = {
        "X-RateLimit-Limit": str(world.requests_limit),
        "X-RateLimit-Remaining": str(max(world.requests_left, 0)),
        "X-RateLimit-Used": str(world.requests_limit - max(world.requests_left, 0)),
        "X-RateLimit-Reset": str(int(time.time()) + 3600),
        "X-RateLimit-Resource": "core",
        "X-GitHub-Request-Id": uuid.uuid4().hex[:16].upper(),
    }
    headers.update(made.headers)
    if request.method == "GET" and made.status == 200:
        tag = 'W/"' + hashlib.sha256(body).hexdigest()[:32] + '"'
        headers["ETag"] = tag
        if request.headers.get("if-none-match") == tag:
            with world.lock:
                world.requests_left += 1  # it is free
            return Response(status_code=304, headers=headers)
    return Response(body, made.status, headers, media_type="application/json; charset=utf-8")

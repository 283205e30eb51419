"""`callsheet setup`: registers the GitHub App by GitHub's manifest flow, and stores its credentials.

A small page on loopback, reached only with the one-time token in the printed address. It asks for the App's name, the
organisation and the public address; the browser carries the manifest to GitHub, a person presses the button there, and
GitHub sends the browser back with a code, which is exchanged for the credentials. `state` proves that the answer
belongs to what was sent from here. Once the credentials are stored the page is gone, and it does not come again.
"""

from __future__ import annotations

import asyncio
import hmac
import html
import importlib.resources
import json
import os
import re
import secrets
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

import httpx
import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from app.cli import DONE, CommandFailed, UsageError
from app.credentials import Credentials, is_filled, store
from worker.settings import Secret, Settings, SettingsError, credentials_dir

HOUR: Final = 3600.0
"""GitHub's code is good for an hour, and so is the page."""
MOST_BYTES: Final = 16_384
_ORGANISATION: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9\-]{0,38})\Z")
_CODE: Final = re.compile(r"[A-Za-z0-9_\-]{1,200}\Z")


class _Converted(msgspec.Struct):
    id: int
    pem: str
    html_url: str
    webhook_secret: str | None = None


class Setup:
    """One run of the flow. `finished` is set when the credentials are stored; `page` is the App's page on GitHub."""

    def __init__(self, settings: Settings, directory: Path, port: int) -> None:
        self.settings = settings
        self.directory = directory
        self.here = f"http://127.0.0.1:{port}"
        self.token = secrets.token_urlsafe(24)
        self.finished = asyncio.Event()
        self.page: str | None = None
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self._state: str | None = None

    @property
    def address(self) -> str:
        """The address a person opens."""
        return f"{self.here}/?token={self.token}"

    def app(self) -> Starlette:
        """The page, as an ASGI application."""
        return Starlette(
            routes=[
                Route("/", self._ask, methods=["GET"]),
                Route("/start", self._start, methods=["POST"]),
                Route("/registered", self._registered, methods=["GET"]),
            ]
        )

    def _refusal(self, request: Request, token: str | None) -> Response | None:
        # A page elsewhere may lead a browser here under a name of its own (DNS rebinding).
        if request.headers.get("host") not in self._hosts:
            return _page("Not here", "<p>Open the address that <code>callsheet setup</code> printed.</p>", 403)
        if self.finished.is_set():
            return _page("Done", "<p>The credentials are stored. This page is off.</p>", 410)
        if token is not None and not hmac.compare_digest(token.encode(), self.token.encode()):
            return _page("Not here", "<p>Open the address that <code>callsheet setup</code> printed.</p>", 403)
        return None

    async def _ask(self, request: Request) -> Response:
        refusal = self._refusal(request, request.query_params.get("token", ""))
        if refusal is not None:
            return refusal
        public_url = html.escape(self.settings.public_url or "https://callsheet.example.com")
        body = f"""
<p>This registers a GitHub App at {html.escape(self.settings.github_url)} and stores its credentials in
<code>{html.escape(str(self.directory))}</code>. Nothing is registered before you press the button on GitHub's page.</p>
<form method="post" action="/start">
<input type="hidden" name="token" value="{self.token}">
<p><label>Name of the App<br><input name="name" value="Callsheet" maxlength="34" required></label></p>
<p><label>Organisation (empty: your own account)<br><input name="organisation" maxlength="39"></label></p>
<p><label>Address under which GitHub reaches the receiver<br>
<input name="url" type="url" value="{public_url}" size="50" required></label></p>
<p><label><input type="checkbox" name="queue" value="yes"> The organisation uses merge queues (one permission more:
merge queues, read)</label></p>
<p><button>Go on</button></p>
</form>"""
        return _page("Set up Callsheet", body)

    async def _start(self, request: Request) -> Response:
        fields = await _form(request)
        refusal = self._refusal(request, fields.get("token", ""))
        if refusal is not None:
            return refusal
        try:
            manifest = made_manifest(
                fields.get("name", ""), fields.get("url", ""), f"{self.here}/registered", queue="queue" in fields
            )
            target = registration_url(self.settings.github_url, fields.get("organisation", "").strip())
        except ValueError as error:
            return _page("That won't do", f"<p>{html.escape(str(error))}</p><p>Go back and mend it.</p>", 422)
        self._state = secrets.token_urlsafe(24)
        body = f"""
<p>GitHub shows what the App asks for. The button there registers it.</p>
<form method="post" action="{html.escape(f"{target}?{urlencode({'state': self._state})}")}">
<input type="hidden" name="manifest" value="{html.escape(json.dumps(manifest))}">
<p><button>To GitHub</button></p>
</form>"""
        return _page("Register the App", body, leaves=True)

    async def _registered(self, request: Request) -> Response:
        refusal = self._refusal(request, None)
        if refusal is not None:
            return refusal
        state, self._state = self._state, None  # good for one answer
        given, code = request.query_params.get("state", ""), request.query_params.get("code", "")
        if state is None or not hmac.compare_digest(given.encode(), state.encode()):
            said = "<p>This answer does not belong to what was asked here. Begin again.</p>"
            return _page("Not from here", said, 403)
        if not _CODE.match(code):
            return _page("No code", "<p>GitHub sent no code. Begin again.</p>", 422)
        try:
            converted = await exchange(self.settings, code)
            store(
                self.directory,
                Credentials(
                    app_id=converted.id,
                    private_key=Secret(converted.pem),
                    webhook_secret=Secret(converted.webhook_secret or ""),
                ),
            )
        except (CommandFailed, OSError) as error:
            why = str(error.strerror if isinstance(error, OSError) else error)
            return _page("It did not work", f"<p>{html.escape(why)}</p>", 502)
        self.page = converted.html_url
        self.finished.set()
        install = html.escape(f"{converted.html_url}/installations/new")
        body = f'<p>The credentials are stored.</p><p>Next: <a href="{install}">install the App</a>.</p>'
        return _page("Registered", body)


def made_manifest(name: str, url: str, redirect_url: str, *, queue: bool) -> dict[str, Any]:
    """The App manifest for GitHub's form. Raises ValueError with what is wrong in the person's words."""
    name, url = name.strip(), url.strip().rstrip("/")
    parts = urlsplit(url)
    if not name or len(name) > 34:
        raise ValueError("The App's name must have 1 to 34 characters.")
    if parts.scheme != "https" or not parts.hostname or parts.query or parts.fragment or parts.username:
        raise ValueError("The address must begin with https:// and be the plain one, without ? or #.")
    manifest: dict[str, Any] = json.loads(
        importlib.resources.files("app").joinpath("github-app.json").read_text(encoding="utf-8")
    )
    manifest |= {
        "name": name,
        "url": url,
        "redirect_url": redirect_url,
        "hook_attributes": {"url": f"{url}/webhooks", "active": True},
    }
    if queue:
        manifest["default_permissions"]["merge_queues"] = "read"
        manifest["default_events"].append("merge_group")
    return manifest


def registration_url(github_url: str, organisation: str) -> str:
    """The page of GitHub that takes the manifest. Raises ValueError."""
    if not organisation:
        return f"{github_url}/settings/apps/new"
    if not _ORGANISATION.match(organisation):
        raise ValueError("The organisation's name has letters, digits and hyphens only, as in its address.")
    return f"{github_url}/organizations/{quote(organisation)}/settings/apps/new"


async def exchange(settings: Settings, code: str) -> _Converted:
    """The App's credentials for GitHub's code. Raises CommandFailed."""
    address = f"{settings.github_api_url}/app-manifests/{quote(code, safe='')}/conversions"
    verify: Any = str(settings.ca_bundle) if settings.ca_bundle is not None else True
    try:
        async with httpx.AsyncClient(timeout=20, verify=verify) as client:
            answer = await client.post(address, headers={"Accept": "application/json", "User-Agent": "callsheet"})
    except httpx.HTTPError as error:
        raise CommandFailed(f"GitHub could not be reached ({type(error).__name__}). Begin again.") from None
    if answer.status_code != 201:
        why = "the code is used, or older than an hour"
        raise CommandFailed(f"GitHub answered {answer.status_code}: {why}. Begin again.")
    try:
        return msgspec.json.decode(answer.content, type=_Converted)
    except msgspec.MsgspecError:
        raise CommandFailed("GitHub's answer holds no credentials. Begin again.") from None


def setup(port: int = 0, env: Mapping[str, str] = os.environ) -> int:
    """`callsheet setup`. Raises UsageError, CommandFailed."""
    try:
        settings = Settings.from_environment(env)
    except SettingsError as error:
        raise UsageError(str(error)) from None
    directory = credentials_dir(env)
    if directory is None:
        raise UsageError("CALLSHEET_CREDENTIALS_DIR is not set, and there is no home directory: name a directory.")
    if settings.app_id is not None or is_filled(directory):
        raise CommandFailed(
            f"an App is configured already (in {directory} or the environment). `callsheet doctor` checks it; to "
            "register another one, move those files away first."
        )
    return asyncio.run(_serve(settings, directory, port))


async def _serve(settings: Settings, directory: Path, port: int) -> int:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", port))
        listening.listen()  # before the address is printed: whoever reads it may open it at once
    except OSError as error:
        listening.close()
        raise CommandFailed(f"cannot listen on 127.0.0.1:{port} ({error.strerror}): --port chooses another.") from None
    flow = Setup(settings, directory, listening.getsockname()[1])
    # The address with the token is for the person at this terminal: it is in no log.
    config = uvicorn.Config(flow.app(), log_config=None, access_log=False, lifespan="off", timeout_graceful_shutdown=5)
    server = uvicorn.Server(config)
    print(f"Open this address in a browser on this machine, within the hour:\n\n    {flow.address}\n", flush=True)
    print("On another machine: ssh -L PORT:127.0.0.1:PORT, with the port of the address, and then open it there.")
    serving = asyncio.create_task(server.serve([listening]))
    done = asyncio.create_task(flow.finished.wait())
    await asyncio.wait({serving, done}, timeout=HOUR, return_when=asyncio.FIRST_COMPLETED)
    server.should_exit = True
    await serving
    done.cancel()
    if not flow.finished.is_set():
        raise CommandFailed("nothing was registered. `callsheet setup` begins again.")
    print(f"The credentials are in {directory}. Next:")
    print(f"  1. install the App: {flow.page}/installations/new")
    print("  2. start `callsheet serve`")
    print("  3. check with `callsheet doctor`")
    return DONE


async def _form(request: Request) -> dict[str, str]:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_BYTES:
            return {}
    try:
        return dict(parse_qsl(body.decode("utf-8"), max_num_fields=20))
    except ValueError:
        return {}


def _page(title: str, body: str, status: int = 200, *, leaves: bool = False) -> Response:
    """A page. `leaves`: its form goes to GitHub, which may send the browser on to wherever people sign in."""
    text = f"""<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>
<style>body{{font:1rem/1.5 system-ui;margin:3rem auto;max-width:40rem;padding:0 1rem}}</style>
<h1>{title}</h1>{body}</html>"""
    policy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
    policy += "" if leaves else "; form-action 'self'"
    headers = {"Content-Security-Policy": policy, "Referrer-Policy": "no-referrer", "Cache-Control": "no-store"}
    return HTMLResponse(text, status, headers)

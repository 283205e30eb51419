"""git's smart HTTP protocol, read only, over the stand-in's bare repositories: `git http-backend` as a CGI child.

Like GitHub it asks for Basic credentials (user `x-access-token`, an installation token as the password), serves any
commit by its SHA, and offers nothing but `git-upload-pack`.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import contextlib
from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse

from app.standin.bare import git_environment
from app.standin.world import Repository, World

CHUNK = 64 * 1024
FORWARDED = {"git-protocol": "GIT_PROTOCOL", "content-encoding": "HTTP_CONTENT_ENCODING"}


def _refused(status: int, text: str) -> Response:
    headers = {"WWW-Authenticate": 'Basic realm="GitHub"'} if status == 401 else {}
    return PlainTextResponse(text + "\n", status, headers)


def _password(request: Request) -> str | None:
    kind, _, value = request.headers.get("authorization", "").partition(" ")
    if kind.lower() != "basic":
        return None
    try:
        user, _, password = base64.b64decode(value, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return None
    return password if user == "x-access-token" else None


def _may_read(world: World, repository: Repository | None, password: str | None) -> Response | None:
    """The refusal, or None when this token may read the repository."""
    token = world.tokens.get(password or "")
    if token is None or token.revoked or token.expires_at <= world.now():
        return _refused(401, "Invalid username or token. Password authentication is not supported for Git operations.")
    if (
        repository is None
        or repository.id not in world.repositories
        or "contents" not in token.permissions
        or (token.repository_ids is not None and repository.id not in token.repository_ids)
    ):
        return _refused(404, "Repository not found.")
    return None


async def serve_git(world: World, request: Request) -> Response:
    """Answer `GET /OWNER/NAME.git/info/refs` and `POST /OWNER/NAME.git/git-upload-pack`."""
    owner, name = request.path_params["owner"], request.path_params["name"].removesuffix(".git")
    service_path = request.path_params["service"]
    with world.lock:
        repository, renamed = world.find(owner, name)
        world.git_requests.append(f"{request.method} {request.url.path}")
        refusal = _may_read(world, repository, _password(request))
    if refusal is not None:
        return refusal
    assert repository is not None
    service = "git-upload-pack" if service_path == "git-upload-pack" else request.query_params.get("service", "")
    if service != "git-upload-pack" or request.method != ("POST" if service_path == "git-upload-pack" else "GET"):
        return _refused(403, "This repository is served for reading only.")
    if renamed:
        query = f"?{request.url.query}" if request.url.query else ""
        target = f"{world.url}/{repository.full_name}.git/{service_path}{query}"
        return Response(status_code=301, headers={"Location": target})
    return await _http_backend(repository, request, service_path)


async def _http_backend(repository: Repository, request: Request, service_path: str) -> Response:
    environment = git_environment(repository.git.path) | {
        "GIT_PROJECT_ROOT": str(repository.git.path.parent),
        "GIT_HTTP_EXPORT_ALL": "1",
        "PATH_INFO": f"/{repository.git.path.name}/{service_path}",
        "REQUEST_METHOD": request.method,
        "QUERY_STRING": request.url.query,
        "CONTENT_TYPE": request.headers.get("content-type", ""),
        "REMOTE_USER": "x-access-token",
    }
    environment |= {cgi: request.headers[name] for name, cgi in FORWARDED.items() if name in request.headers}
    body = await request.body()
    if body:
        environment["CONTENT_LENGTH"] = str(len(body))
    child = await asyncio.create_subprocess_exec(
        "git",
        "http-backend",
        env=environment,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    assert child.stdin is not None
    assert child.stdout is not None
    feeding = asyncio.create_task(_feed(child.stdin, body))
    status, headers = 200, {}
    while line := (await child.stdout.readline()).strip():
        key, _, value = line.decode("latin-1").partition(":")
        if key.lower() == "status":
            status = int(value.split()[0])
        else:
            headers[key.strip()] = value.strip()
    return StreamingResponse(_rest(child, feeding), status, headers)


async def _feed(stdin: asyncio.StreamWriter, body: bytes) -> None:
    with contextlib.suppress(ConnectionError):
        stdin.write(body)
        await stdin.drain()
        stdin.close()


async def _rest(child: asyncio.subprocess.Process, feeding: asyncio.Task[None]) -> AsyncIterator[bytes]:
    assert child.stdout is not None
    ended = False
    try:
        while chunk := await child.stdout.read(CHUNK):
            yield chunk
        ended = True
    finally:
        feeding.cancel()
        if not ended:  # the client went away
            with contextlib.suppress(ProcessLookupError):
                child.kill()
        await child.wait()

"""The REST endpoints: each handler takes a call and returns an answer, or raises the refusal GitHub would give."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import jwt

from app.standin.calls import Answer, Call, Refusal, commit_named, links, page_of, positive, repository_of
from app.standin.checks import (
    create_check_run,
    get_check_run,
    list_annotations,
    list_check_runs,
    list_suite_check_runs,
    update_check_run,
)
from app.standin.registration import contents, convert
from app.standin.shapes import MAX_COMPARED_COMMITS, stamp
from app.standin.world import Json, Pull, Repository, Token, World

API_VERSIONS = ("2022-11-28", "2026-03-10")
JWT_MAX_LIFE = 600  # seconds
JWT_SKEW = 60  # seconds a clock may be ahead
LEVELS = {"read": 1, "write": 2}


Handler = Callable[[World, Call], Answer]
Credential = Literal["nobody", "app", "installation"]


@dataclass(frozen=True)
class Endpoint:
    """A method and path (as GitHub documents it), who may call it, and the permission it takes."""

    method: str
    path: str
    credential: Credential
    permission: tuple[str, str] | None
    handler: Handler

    def match(self, method: str, path: str) -> Mapping[str, str] | None:
        """The path's parameters when this endpoint is meant."""
        if method != self.method:
            return None
        pattern = re.sub(r"\\?\{(\w+)\\?\}", r"(?P<\1>[^/]+)", re.escape(self.path))
        pattern = pattern.replace("(?P<path>[^/]+)", "(?P<path>.+)")
        found = re.fullmatch(pattern, path)
        return found.groupdict() if found else None


def answer(world: World, call: Call) -> Answer:
    """Answer one request; `world.lock` is held while it is worked on."""
    with world.lock:
        try:
            return _answer(world, call)
        except Refusal as refusal:
            return refusal.answer


def _answer(world: World, call: Call) -> Answer:
    if call.api_version not in API_VERSIONS:
        raise Refusal(400, f"{call.api_version} is not a supported version")
    path = _canonical(world, call.path)
    for endpoint in ENDPOINTS:
        params = endpoint.match(call.method, path)
        if params is None:
            continue
        if endpoint.credential == "app":
            _check_app(world, call)
        elif endpoint.credential == "nobody":
            pass
        elif "owner" in params:
            params = dict(params) | {"repository": str(_check_repository(world, call, params, endpoint.permission).id)}
        else:
            _check_token(world, call)
        world.requests_left -= 1
        made = Call(call.method, path, call.query, call.body, call.authorization, call.api_version, params)
        return endpoint.handler(world, made)
    raise Refusal(404, "Not Found")


def _canonical(world: World, path: str) -> str:
    """`/repositories/ID/...` is another way to say `/repos/OWNER/NAME/...`."""
    found = re.match(r"/repositories/(\d+)(/.*)?$", path)
    repository = world.repositories.get(int(found[1])) if found else None
    if found is None or repository is None or repository.gone:
        return path
    return f"/repos/{repository.full_name}{found[2] or ''}"


def _check_app(world: World, call: Call) -> None:
    """The app's own JWT, by GitHub's rules: RS256, iat not in the future, exp at most ten minutes away."""
    kind, _, value = call.authorization.partition(" ")
    if kind.lower() != "bearer" or not value:
        raise Refusal(401, "A JSON web token could not be decoded")
    try:
        claims = jwt.decode(
            value,
            world.public_key,
            algorithms=["RS256"],
            options={"verify_exp": False, "verify_iat": False, "verify_aud": False, "verify_iss": False},
        )
    except jwt.PyJWTError:
        raise Refusal(401, "A JSON web token could not be decoded") from None
    now = time.time()
    issued, expires = claims.get("iat"), claims.get("exp")
    if str(claims.get("iss")) not in (str(world.app_id), world.client_id):
        raise Refusal(404, "Integration not found")
    if not isinstance(issued, int) or issued > now + JWT_SKEW:
        raise Refusal(401, "'Issued at' claim ('iat') must be an Integer representing the time of the assertion")
    if not isinstance(expires, int) or expires <= now:
        raise Refusal(401, "'Expiration time' claim ('exp') must be a numeric value in the future")
    if expires > now + JWT_MAX_LIFE + JWT_SKEW:
        raise Refusal(401, "'Expiration time' claim ('exp') is too far in the future")


def _check_token(world: World, call: Call) -> Token:
    kind, _, value = call.authorization.partition(" ")
    if not value:
        raise Refusal(401, "Requires authentication")
    token = world.tokens.get(value) if kind.lower() in ("bearer", "token") else None
    if token is None or token.revoked or token.expires_at <= world.now():
        raise Refusal(401, "Bad credentials")
    if world.suspended:
        raise Refusal(403, "This installation has been suspended")
    return token


def _check_repository(
    world: World, call: Call, params: Mapping[str, str], permission: tuple[str, str] | None
) -> Repository:
    token = _check_token(world, call)
    repository, renamed = world.find(params["owner"], params["repo"])
    if repository is None or (token.repository_ids is not None and repository.id not in token.repository_ids):
        raise Refusal(404, "Not Found")
    if renamed:
        rest = call.path.removeprefix(f"/repos/{params['owner']}/{params['repo']}")
        location = f"{world.shapes.api}/repositories/{repository.id}{rest}"
        refusal = Refusal(301, "Moved Permanently", headers={"Location": location})
        refusal.answer.body["url"] = location
        raise refusal
    if permission is not None:
        name, level = permission
        if LEVELS.get(token.permissions.get(name, ""), 0) < LEVELS[level]:
            raise Refusal(403, "Resource not accessible by integration")
    return repository


def get_app(world: World, call: Call) -> Answer:
    """GET /app"""
    return Answer(200, world.shapes.app())


def get_hook_config(world: World, call: Call) -> Answer:
    """GET /app/hook/config"""
    return Answer(200, dict(world.registration.hook))


def update_hook_config(world: World, call: Call) -> Answer:
    """PATCH /app/hook/config"""
    world.registration.hook = world.registration.hook | dict(call.body or {})
    return Answer(200, dict(world.registration.hook))


def convert_manifest(world: World, call: Call) -> Answer:
    """POST /app-manifests/{code}/conversions"""
    converted = convert(world, call.params["code"])
    if converted is None:
        raise Refusal(404, "Not Found")
    return Answer(201, converted)


def get_contents(world: World, call: Call) -> Answer:
    """GET /repos/{owner}/{repo}/contents/{path}, of files; `ref`."""
    found = contents(world, repository_of(world, call), call.params["path"], call.query.get("ref", ""))
    if found is None:
        raise Refusal(404, "Not Found")
    return Answer(200, found)


def get_installation(world: World, call: Call) -> Answer:
    """GET /app/installations/{installation_id}"""
    if call.params["installation_id"] != str(world.installation_id):
        raise Refusal(404, "Not Found")
    return Answer(200, world.shapes.installation())


def list_installations(world: World, call: Call) -> Answer:
    """GET /app/installations"""
    found = [] if world.uninstalled else [world.shapes.installation()]
    return Answer(200, found[page_of(call)[0]], links(world, call, len(found)))


def list_deliveries(world: World, call: Call) -> Answer:
    """GET /app/hook/deliveries, newest first; `status=success|failure`, `cursor` from the former page's Link."""
    wanted = call.query.get("status")
    found = [
        delivery
        for delivery in reversed(world.deliveries)
        if wanted is None or (200 <= delivery.status < 300) == (wanted == "success")
    ]
    start = positive(call.query.get("cursor", "").removeprefix("v1_"), 0)
    size = page_of(call)[2]
    headers = {}
    if start + size < len(found):
        status = f"&status={wanted}" if wanted else ""
        url = f"{world.shapes.api}{call.path}?per_page={size}{status}&cursor=v1_{start + size}"
        headers = {"Link": f'<{url}>; rel="next"'}
    return Answer(200, [world.shapes.delivery(each) for each in found[start : start + size]], headers)


def redeliver(world: World, call: Call) -> Answer:
    """POST /app/hook/deliveries/{delivery_id}/attempts: it is sent again a moment later."""
    found = [each for each in world.deliveries if str(each.id) == call.params["delivery_id"]]
    if not found:
        raise Refusal(404, "Not Found")
    world.to_redeliver.append(found[0])
    return Answer(202, {})


def create_token(world: World, call: Call) -> Answer:
    """POST /app/installations/{installation_id}/access_tokens, narrowed by repositories and permissions."""
    if call.params["installation_id"] != str(world.installation_id) or world.uninstalled:
        raise Refusal(404, "Not Found")
    if world.suspended:
        raise Refusal(403, "This installation has been suspended")
    body = call.body if isinstance(call.body, dict) else {}
    permissions = dict(world.permissions)
    if body.get("permissions"):
        permissions = dict(body["permissions"]) | {"metadata": "read"}
        for name, level in permissions.items():
            if LEVELS.get(level, 9) > LEVELS.get(world.permissions.get(name, ""), 0):
                raise Refusal(422, "The permissions requested are not granted to this installation.")
    narrowed = _narrowed(world, body)
    token = world.mint_token(permissions, narrowed)
    answered: Json = {
        "token": token.value,
        "expires_at": stamp(token.expires_at),
        "permissions": token.permissions,
        "repository_selection": "all" if narrowed is None else "selected",
    }
    if narrowed is not None:
        shapes = world.shapes
        answered["repositories"] = [shapes.repository(world.repositories[number]) for number in sorted(narrowed)]
    return Answer(201, answered)


def _narrowed(world: World, body: Json) -> frozenset[int] | None:
    ids, names = body.get("repository_ids"), body.get("repositories")
    if not ids and not names:
        return None
    here = {repository.id: repository.name for repository in world.repositories.values() if not repository.gone}
    wanted = set(ids or ()) | {number for number, name in here.items() if name in (names or ())}
    if not wanted or not wanted <= set(here) or set(names or ()) - set(here.values()):
        raise Refusal(422, "There is at least one repository that does not exist or is not accessible.")
    return frozenset(wanted)


def list_installation_repositories(world: World, call: Call) -> Answer:
    """GET /installation/repositories"""
    token = _check_token(world, call)
    found = [
        repository
        for repository in world.repositories.values()
        if not repository.gone and (token.repository_ids is None or repository.id in token.repository_ids)
    ]
    shapes = world.shapes
    page = [shapes.repository(each) for each in found[page_of(call)[0]]]
    body = {"total_count": len(found), "repository_selection": "all", "repositories": page}
    return Answer(200, body, links(world, call, len(found)))


def get_repository(world: World, call: Call) -> Answer:
    """GET /repos/{owner}/{repo}"""
    return Answer(200, world.shapes.repository(repository_of(world, call), full=True))


def _pull(world: World, call: Call) -> Pull:
    number = call.params["pull_number"]
    pull = repository_of(world, call).pulls.get(int(number)) if number.isdecimal() else None
    if pull is None:
        raise Refusal(404, "Not Found")
    return pull


def get_pull(world: World, call: Call) -> Answer:
    """GET /repos/{owner}/{repo}/pulls/{pull_number}: reading it is what makes GitHub compute the test merge."""
    pull = _pull(world, call)
    pull.read()
    return Answer(200, world.shapes.pull(pull, call.api_version))


def list_pulls(world: World, call: Call) -> Answer:
    """GET /repos/{owner}/{repo}/pulls; `state`, `head=owner:branch`, `base`; newest first."""
    state = call.query.get("state", "open")
    if state not in ("open", "closed", "all"):
        raise Refusal(422, "Validation Failed", [{"resource": "PullRequest", "field": "state", "code": "invalid"}])
    found = [
        pull
        for pull in sorted(repository_of(world, call).pulls.values(), key=lambda pull: -pull.number)
        if state in ("all", pull.state)
        and call.query.get("head", pull.head_label) == pull.head_label
        and call.query.get("base", pull.base_ref) == pull.base_ref
    ]
    shapes = world.shapes
    body = [shapes.pull(pull, call.api_version, full=False) for pull in found[page_of(call)[0]]]
    return Answer(200, body, links(world, call, len(found)))


def compare(world: World, call: Call) -> Answer:
    """GET /repos/{owner}/{repo}/compare/{basehead}, `base...head` of branches or SHAs."""
    base, dots, head = call.params["basehead"].partition("...")
    git = repository_of(world, call).git
    if not dots:
        raise Refusal(404, "Not Found")
    shas = [commit_named(repository_of(world, call), name.rpartition(":")[2]) for name in (base, head)]
    if shas[0] is None or shas[1] is None:
        raise Refusal(404, "Not Found")
    merge_base = git.merge_base(shas[0], shas[1])
    if merge_base is None:
        raise Refusal(404, f"No common ancestor between {base} and {head}.")
    paged = "page" in call.query or "per_page" in call.query
    page = page_of(call)[0] if paged else slice(0, MAX_COMPARED_COMMITS)
    files = page_of(call)[1] == 1  # they come with the first page only
    shape = world.shapes.comparison(repository_of(world, call), shas[0], shas[1], merge_base, page, files=files)
    return Answer(200, shape)


_REPO = "/repos/{owner}/{repo}"
_CHECKS_READ, _CHECKS_WRITE = ("checks", "read"), ("checks", "write")

ENDPOINTS: Sequence[Endpoint] = (
    Endpoint("GET", "/app", "app", None, get_app),
    Endpoint("GET", "/app/hook/config", "app", None, get_hook_config),
    Endpoint("PATCH", "/app/hook/config", "app", None, update_hook_config),
    Endpoint("POST", "/app-manifests/{code}/conversions", "nobody", None, convert_manifest),
    Endpoint("GET", f"{_REPO}/contents/{{path}}", "installation", ("contents", "read"), get_contents),
    Endpoint("GET", "/app/hook/deliveries", "app", None, list_deliveries),
    Endpoint("POST", "/app/hook/deliveries/{delivery_id}/attempts", "app", None, redeliver),
    Endpoint("GET", "/app/installations", "app", None, list_installations),
    Endpoint("GET", "/app/installations/{installation_id}", "app", None, get_installation),
    Endpoint("POST", "/app/installations/{installation_id}/access_tokens", "app", None, create_token),
    Endpoint("GET", "/installation/repositories", "installation", None, list_installation_repositories),
    Endpoint("GET", _REPO, "installation", ("metadata", "read"), get_repository),
    Endpoint("GET", f"{_REPO}/pulls", "installation", ("pull_requests", "read"), list_pulls),
    Endpoint("GET", f"{_REPO}/pulls/{{pull_number}}", "installation", ("pull_requests", "read"), get_pull),
    Endpoint("GET", f"{_REPO}/compare/{{basehead}}", "installation", ("contents", "read"), compare),
    Endpoint("GET", f"{_REPO}/commits/{{ref}}/check-runs", "installation", _CHECKS_READ, list_check_runs),
    Endpoint(
        "GET",
        f"{_REPO}/check-suites/{{check_suite_id}}/check-runs",
        "installation",
        _CHECKS_READ,
        list_suite_check_runs,
    ),
    Endpoint("POST", f"{_REPO}/check-runs", "installation", _CHECKS_WRITE, create_check_run),
    Endpoint("GET", f"{_REPO}/check-runs/{{check_run_id}}", "installation", _CHECKS_READ, get_check_run),
    Endpoint("GET", f"{_REPO}/check-runs/{{check_run_id}}/annotations", "installation", _CHECKS_READ, list_annotations),
    Endpoint("PATCH", f"{_REPO}/check-runs/{{check_run_id}}", "installation", _CHECKS_WRITE, update_check_run),
)

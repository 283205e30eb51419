"""The REST endpoints: each handler takes a call and returns an answer, or raises the refusal GitHub would give."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import jwt

from app.standin.limits import problems
from app.standin.registration import contents, convert
from app.standin.shapes import MAX_COMPARED_COMMITS, Shapes, stamp
from app.standin.world import CheckRun, Json, Pull, Repository, Token, World

DOCUMENTATION = "https://docs.github.com/rest"
API_VERSIONS = ("2022-11-28", "2026-03-10")
MAX_PER_PAGE = 100
JWT_MAX_LIFE = 600  # seconds
JWT_SKEW = 60  # seconds a clock may be ahead
LEVELS = {"read": 1, "write": 2}


@dataclass(frozen=True)
class Call:
    """One request. `query` holds the first value of each name; `body` is None without one."""

    method: str
    path: str
    query: Mapping[str, str]
    body: Any
    authorization: str
    api_version: str
    params: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    """A status, a JSON body (None for none) and headers."""

    status: int
    body: Any
    headers: Mapping[str, str] = field(default_factory=dict)


class Refusal(Exception):
    """GitHub says no."""

    def __init__(
        self, status: int, message: str, errors: Sequence[Json] = (), headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        body: Json = {"message": message, "documentation_url": DOCUMENTATION, "status": str(status)}
        if errors:
            body["errors"] = list(errors)
        self.answer = Answer(status, body, headers or {})


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


def _repository(world: World, call: Call) -> Repository:
    return world.repositories[int(call.params["repository"])]


def _shapes(world: World) -> Shapes:
    return world.shapes


def _page(call: Call) -> tuple[slice, int, int]:
    """The slice a page is, its number and its size."""
    number = _positive(call.query.get("page"), 1)
    size = min(_positive(call.query.get("per_page"), 30), MAX_PER_PAGE)
    return slice((number - 1) * size, number * size), number, size


def _positive(text: str | None, default: int) -> int:
    return int(text) if text and text.isdecimal() and int(text) > 0 else default


def _links(world: World, call: Call, total: int) -> Mapping[str, str]:
    _, number, size = _page(call)
    if number * size >= total:
        return {}
    others = "".join(f"&{name}={value}" for name, value in call.query.items() if name not in ("page", "per_page"))
    base = f"{_shapes(world).api}{call.path}?per_page={size}{others}&page="
    return {"Link": f'<{base}{number + 1}>; rel="next", <{base}{-(-total // size)}>; rel="last"'}


def get_app(world: World, call: Call) -> Answer:
    """GET /app"""
    return Answer(200, _shapes(world).app())


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
    found = contents(world, _repository(world, call), call.params["path"], call.query.get("ref", ""))
    if found is None:
        raise Refusal(404, "Not Found")
    return Answer(200, found)


def get_installation(world: World, call: Call) -> Answer:
    """GET /app/installations/{installation_id}"""
    if call.params["installation_id"] != str(world.installation_id):
        raise Refusal(404, "Not Found")
    return Answer(200, _shapes(world).installation())


def list_installations(world: World, call: Call) -> Answer:
    """GET /app/installations"""
    found = [] if world.uninstalled else [_shapes(world).installation()]
    return Answer(200, found[_page(call)[0]], _links(world, call, len(found)))


def list_deliveries(world: World, call: Call) -> Answer:
    """GET /app/hook/deliveries, newest first; `status=success|failure`, `cursor` from the former page's Link."""
    wanted = call.query.get("status")
    found = [
        delivery
        for delivery in reversed(world.deliveries)
        if wanted is None or (200 <= delivery.status < 300) == (wanted == "success")
    ]
    start = _positive(call.query.get("cursor", "").removeprefix("v1_"), 0)
    size = _page(call)[2]
    headers = {}
    if start + size < len(found):
        status = f"&status={wanted}" if wanted else ""
        url = f"{_shapes(world).api}{call.path}?per_page={size}{status}&cursor=v1_{start + size}"
        headers = {"Link": f'<{url}>; rel="next"'}
    return Answer(200, [_shapes(world).delivery(each) for each in found[start : start + size]], headers)


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
        shapes = _shapes(world)
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
    shapes = _shapes(world)
    page = [shapes.repository(each) for each in found[_page(call)[0]]]
    body = {"total_count": len(found), "repository_selection": "all", "repositories": page}
    return Answer(200, body, _links(world, call, len(found)))


def get_repository(world: World, call: Call) -> Answer:
    """GET /repos/{owner}/{repo}"""
    return Answer(200, _shapes(world).repository(_repository(world, call), full=True))


def _pull(world: World, call: Call) -> Pull:
    number = call.params["pull_number"]
    pull = _repository(world, call).pulls.get(int(number)) if number.isdecimal() else None
    if pull is None:
        raise Refusal(404, "Not Found")
    return pull


def get_pull(world: World, call: Call) -> Answer:
    """GET /repos/{owner}/{repo}/pulls/{pull_number}: reading it is what makes GitHub compute the test merge."""
    pull = _pull(world, call)
    pull.read()
    return Answer(200, _shapes(world).pull(pull, call.api_version))


def list_pulls(world: World, call: Call) -> Answer:
    """GET /repos/{owner}/{repo}/pulls; `state`, `head=owner:branch`, `base`; newest first."""
    state = call.query.get("state", "open")
    if state not in ("open", "closed", "all"):
        raise Refusal(422, "Validation Failed", [{"resource": "PullRequest", "field": "state", "code": "invalid"}])
    found = [
        pull
        for pull in sorted(_repository(world, call).pulls.values(), key=lambda pull: -pull.number)
        if state in ("all", pull.state)
        and call.query.get("head", pull.head_label) == pull.head_label
        and call.query.get("base", pull.base_ref) == pull.base_ref
    ]
    shapes = _shapes(world)
    body = [shapes.pull(pull, call.api_version, full=False) for pull in found[_page(call)[0]]]
    return Answer(200, body, _links(world, call, len(found)))


def compare(world: World, call: Call) -> Answer:
    """GET /repos/{owner}/{repo}/compare/{basehead}, `base...head` of branches or SHAs."""
    base, dots, head = call.params["basehead"].partition("...")
    git = _repository(world, call).git
    if not dots:
        raise Refusal(404, "Not Found")
    shas = [_commit(_repository(world, call), name.rpartition(":")[2]) for name in (base, head)]
    if shas[0] is None or shas[1] is None:
        raise Refusal(404, "Not Found")
    merge_base = git.merge_base(shas[0], shas[1])
    if merge_base is None:
        raise Refusal(404, f"No common ancestor between {base} and {head}.")
    paged = "page" in call.query or "per_page" in call.query
    page = _page(call)[0] if paged else slice(0, MAX_COMPARED_COMMITS)
    files = _page(call)[1] == 1  # they come with the first page only
    shape = _shapes(world).comparison(_repository(world, call), shas[0], shas[1], merge_base, page, files=files)
    return Answer(200, shape)


def _commit(repository: Repository, name: str) -> str | None:
    """The SHA of a commit named by SHA, branch, `heads/branch` or tag."""
    if not name or name.startswith("-"):
        return None
    if re.fullmatch(r"[0-9a-f]{40}", name):
        return repository.git.find(name)
    for prefix in ("refs/heads/", "refs/tags/", "refs/"):
        if (sha := repository.git.find(prefix + name)) is not None:
            return sha
    return None


def list_check_runs(world: World, call: Call) -> Answer:
    """GET /repos/{owner}/{repo}/commits/{ref}/check-runs; `check_name`, `app_id`, `status`, `filter`."""
    repository = _repository(world, call)
    sha = _commit(repository, call.params["ref"])
    if sha is None:
        raise Refusal(422, f"No commit found for SHA: {call.params['ref']}")
    return _check_run_page(world, call, [run for run in repository.check_runs.values() if run.head_sha == sha])


def list_suite_check_runs(world: World, call: Call) -> Answer:
    """GET /repos/{owner}/{repo}/check-suites/{check_suite_id}/check-runs"""
    runs = _repository(world, call).check_runs.values()
    found = [run for run in runs if str(run.suite_id) == call.params["check_suite_id"]]
    if not found:
        raise Refusal(404, "Not Found")
    return _check_run_page(world, call, found)


def _check_run_page(world: World, call: Call, runs: Sequence[CheckRun]) -> Answer:
    which = call.query.get("filter", "latest")
    status = call.query.get("status")
    if which not in ("latest", "all") or status not in (None, "queued", "in_progress", "completed"):
        raise Refusal(422, "Validation Failed")
    found = [
        run
        for run in sorted(runs, key=lambda run: -run.id)
        if call.query.get("check_name", run.name) == run.name
        and call.query.get("app_id", str(run.app_id)) == str(run.app_id)
        and (status is None or run.status == status)
    ]
    if which == "latest":
        found = list({(run.app_id, run.name): run for run in reversed(found)}.values())[::-1]
    shapes = _shapes(world)
    body = {"total_count": len(found), "check_runs": [shapes.check_run(run) for run in found[_page(call)[0]]]}
    return Answer(200, body, _links(world, call, len(found)))


def _check_run(world: World, call: Call) -> CheckRun:
    number = call.params["check_run_id"]
    run = _repository(world, call).check_runs.get(int(number)) if number.isdecimal() else None
    if run is None:
        raise Refusal(404, "Not Found")
    return run


def get_check_run(world: World, call: Call) -> Answer:
    """GET /repos/{owner}/{repo}/check-runs/{check_run_id}"""
    return Answer(200, _shapes(world).check_run(_check_run(world, call)))


def list_annotations(world: World, call: Call) -> Answer:
    """GET /repos/{owner}/{repo}/check-runs/{check_run_id}/annotations"""
    run = _check_run(world, call)
    shapes = _shapes(world)
    page = [shapes.annotation(run, annotation) for annotation in run.annotations[_page(call)[0]]]
    return Answer(200, page, _links(world, call, len(run.annotations)))


def create_check_run(world: World, call: Call) -> Answer:
    """POST /repos/{owner}/{repo}/check-runs"""
    repository = _repository(world, call)
    _refuse_bad(call.body, creating=True)
    sha = call.body["head_sha"]
    if repository.git.find(sha) is None:
        raise Refusal(422, f"No commit found for SHA: {sha}")
    suites = {run.head_sha: run.suite_id for run in repository.check_runs.values() if run.app_id == world.app_id}
    run = CheckRun(
        id=next(world.ids),
        suite_id=suites.get(sha) or next(world.ids),
        repository=repository,
        app_id=world.app_id,
        name=call.body["name"],
        head_sha=sha,
        status="queued",
        started_at=stamp(world.now()),
    )
    _apply(world, run, call.body)
    repository.check_runs[run.id] = run
    return Answer(201, _shapes(world).check_run(run))


def update_check_run(world: World, call: Call) -> Answer:
    """PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}: annotations are added to those that are there."""
    run = _check_run(world, call)
    _refuse_bad(call.body, creating=False)
    if run.app_id != world.app_id:
        raise Refusal(403, "This check run can only be changed by the GitHub App that made it.")
    _apply(world, run, call.body)
    run.updates += 1
    return Answer(200, _shapes(world).check_run(run))


def _refuse_bad(body: Any, *, creating: bool) -> None:
    found = problems(body, creating=creating)
    if found:
        errors = [{"resource": "CheckRun", "code": "custom", "message": text} for text in found]
        raise Refusal(422, "Invalid request.\n\n" + "\n".join(found), errors)


def _apply(world: World, run: CheckRun, body: Json) -> None:
    """Write a checked body into the run. A conclusion completes it; going back to in_progress takes it away."""
    for name in ("name", "details_url", "external_id", "started_at"):
        if name in body:
            setattr(run, name, body[name])
    if "conclusion" in body:
        run.status, run.conclusion = "completed", body["conclusion"]
        run.completed_at = body.get("completed_at") or stamp(world.now())
    elif "status" in body:
        run.status, run.conclusion, run.completed_at = body["status"], None, None
    if "output" in body:
        output = body["output"]
        run.output = {name: output[name] for name in ("title", "summary", "text") if name in output}
        run.annotations.extend(output.get("annotations", ()))
    if "actions" in body:
        run.actions = list(body["actions"])


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

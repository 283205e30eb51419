"""The endpoints of check runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.standin.calls import Answer, Call, Refusal, commit_named, links, page_of, repository_of
from app.standin.limits import problems
from app.standin.shapes import stamp
from app.standin.world import CheckRun, Json, World


def list_check_runs(world: World, call: Call) -> Answer:
    """GET /repos/{owner}/{repo}/commits/{ref}/check-runs; `check_name`, `app_id`, `status`, `filter`."""
    repository = repository_of(world, call)
    sha = commit_named(repository, call.params["ref"])
    if sha is None:
        raise Refusal(422, f"No commit found for SHA: {call.params['ref']}")
    return _check_run_page(world, call, [run for run in repository.check_runs.values() if run.head_sha == sha])


def list_suite_check_runs(world: World, call: Call) -> Answer:
    """GET /repos/{owner}/{repo}/check-suites/{check_suite_id}/check-runs"""
    runs = repository_of(world, call).check_runs.values()
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
    shapes = world.shapes
    body = {"total_count": len(found), "check_runs": [shapes.check_run(run) for run in found[page_of(call)[0]]]}
    return Answer(200, body, links(world, call, len(found)))


def _check_run(world: World, call: Call) -> CheckRun:
    number = call.params["check_run_id"]
    run = repository_of(world, call).check_runs.get(int(number)) if number.isdecimal() else None
    if run is None:
        raise Refusal(404, "Not Found")
    return run


def get_check_run(world: World, call: Call) -> Answer:
    """GET /repos/{owner}/{repo}/check-runs/{check_run_id}"""
    return Answer(200, world.shapes.check_run(_check_run(world, call)))


def list_annotations(world: World, call: Call) -> Answer:
    """GET /repos/{owner}/{repo}/check-runs/{check_run_id}/annotations"""
    run = _check_run(world, call)
    shapes = world.shapes
    page = [shapes.annotation(run, annotation) for annotation in run.annotations[page_of(call)[0]]]
    return Answer(200, page, links(world, call, len(run.annotations)))


def create_check_run(world: World, call: Call) -> Answer:
    """POST /repos/{owner}/{repo}/check-runs"""
    repository = repository_of(world, call)
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
    return Answer(201, world.shapes.check_run(run))


def update_check_run(world: World, call: Call) -> Answer:
    """PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}: annotations are added to those that are there."""
    run = _check_run(world, call)
    _refuse_bad(call.body, creating=False)
    if run.app_id != world.app_id:
        raise Refusal(403, "This check run can only be changed by the GitHub App that made it.")
    _apply(world, run, call.body)
    run.updates += 1
    return Answer(200, world.shapes.check_run(run))


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

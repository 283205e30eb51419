"""Webhooks as values: each delivery becomes one small typed event, or the reason why it is ignored.

Only the few fields that are needed are read, and those strictly: a field of the wrong type, or with a value no GitHub
would send, makes the payload malformed. Everything else in a payload may be there or not, of whatever shape, so that a
new field or an older GitHub Enterprise Server never costs an event.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

import msgspec

from worker.jobs import Reason

Id = Annotated[int, msgspec.Meta(ge=1, le=2**63 - 1)]
Number = Annotated[int, msgspec.Meta(ge=1, lt=2**31)]
Sha = Annotated[str, msgspec.Meta(pattern=r"^(?:[0-9a-f]{40}|[0-9a-f]{64})\Z")]
Login = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.\-]{0,99}\Z")]
RepositoryName = Annotated[str, msgspec.Meta(pattern=r"^(?!\.{1,2}\Z)[A-Za-z0-9_.\-]{1,100}\Z")]
Ref = Annotated[str, msgspec.Meta(min_length=1, max_length=1024)]
Label = Annotated[str, msgspec.Meta(max_length=255)]

MAX_PULLS: Final = 20
"""Pull requests one re-run is made for at most: as many as can share a head commit without it being an attack."""

BRIEFED_ACTIONS: Final[dict[str, Reason]] = {
    "opened": "opened",
    "synchronize": "synchronize",
    "reopened": "reopened",
    "ready_for_review": "ready_for_review",
    "edited": "retargeted",
}
REBRIEF: Final = "rebrief"
"""Identifier of the button on a check run."""


class Malformed(Exception):
    """A payload is not JSON, or not what GitHub sends for its event. The message says where, and shows no contents."""


class Where(msgspec.Struct, frozen=True):
    """The repository an event is about, and the installation that was told. Names may be out of date; ids are not."""

    installation_id: int
    repository_id: int
    owner: str
    name: str


class PullRequestChanged(msgspec.Struct, frozen=True):
    """A pull request was opened, pushed to, reopened, made ready, or given another base."""

    where: Where
    number: int
    head_sha: str
    base_ref: str
    reason: Reason


class CheckRunAsked(msgspec.Struct, frozen=True):
    """Somebody pressed Re-brief or asked to run one of our check runs again.

    `numbers` are the pull requests the payload names (none for forks); `external_id` is what we gave the run.
    """

    where: Where
    head_sha: str
    external_id: str
    numbers: tuple[int, ...]
    reason: Reason


class CheckSuiteAsked(msgspec.Struct, frozen=True):
    """Somebody asked to run all our checks on a commit again. `numbers` as in `CheckRunAsked`."""

    where: Where
    head_sha: str
    numbers: tuple[int, ...]


class Ignored(msgspec.Struct, frozen=True):
    """A delivery that asks nothing of us; `why` is a short phrase for the log and the answer."""

    why: str


Event = PullRequestChanged | CheckRunAsked | CheckSuiteAsked | Ignored


class _Owner(msgspec.Struct, frozen=True):
    login: Login


class _Repository(msgspec.Struct, frozen=True):
    id: Id
    name: RepositoryName
    owner: _Owner


class _Installation(msgspec.Struct, frozen=True):
    id: Id


class _Base(msgspec.Struct, frozen=True):
    ref: Ref


class _Head(msgspec.Struct, frozen=True):
    sha: Sha


class _PullRequest(msgspec.Struct, frozen=True):
    number: Number
    base: _Base
    head: _Head
    state: Label = "open"


class _Changes(msgspec.Struct, frozen=True):
    base: Any = None


class _App(msgspec.Struct, frozen=True):
    id: Id


class _PointerRepository(msgspec.Struct, frozen=True):
    id: Id


class _PointerBase(msgspec.Struct, frozen=True):
    repo: _PointerRepository | None = None


class _Pointer(msgspec.Struct, frozen=True):
    """A pull request with the check's head; it may be in another repository (a fork's branch, seen from the fork)."""

    number: Number
    base: _PointerBase | None = None


class _Check(msgspec.Struct, frozen=True):
    """A check run or a check suite."""

    head_sha: Sha
    external_id: Annotated[str, msgspec.Meta(max_length=1024)] | None = None
    app: _App | None = None
    pull_requests: list[_Pointer] | None = None


class _RequestedAction(msgspec.Struct, frozen=True):
    identifier: Label


class _Envelope(msgspec.Struct, frozen=True):
    """What tells whether an event matters; the rest of the payload is only checked to be JSON."""

    action: Label | None = None
    installation: _Installation | None = None


class _PullRequestPayload(msgspec.Struct, frozen=True):
    pull_request: _PullRequest
    repository: _Repository
    changes: _Changes | None = None


class _CheckRunPayload(msgspec.Struct, frozen=True):
    check_run: _Check
    repository: _Repository
    requested_action: _RequestedAction | None = None


class _CheckSuitePayload(msgspec.Struct, frozen=True):
    check_suite: _Check
    repository: _Repository


_ENVELOPE: Final = msgspec.json.Decoder(_Envelope)
_PULL_REQUEST: Final = msgspec.json.Decoder(_PullRequestPayload)
_CHECK_RUN: Final = msgspec.json.Decoder(_CheckRunPayload)
_CHECK_SUITE: Final = msgspec.json.Decoder(_CheckSuitePayload)


def read_event(name: str, payload: bytes, app_id: int | None = None) -> Event:
    """The event that a webhook named `name` with this JSON `payload` is. Raises Malformed.

    `app_id` is ours, when it is known: checks of other apps are then ignored.
    """
    try:
        return _read(name, payload, app_id)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise Malformed(_reason(error)) from None
    except RecursionError:
        raise Malformed("it is nested too deeply") from None


def _reason(error: Exception) -> str:
    """msgspec's words, which name the place and the rule, and never the value."""
    text = str(error)
    return text[:200] if isinstance(error, msgspec.ValidationError) else "it is not JSON"


def _read(name: str, payload: bytes, app_id: int | None) -> Event:
    envelope = _ENVELOPE.decode(payload)
    action = envelope.action
    if name == "pull_request" and action in BRIEFED_ACTIONS:
        return _pull_request(payload, envelope, BRIEFED_ACTIONS[action])
    if name == "check_run" and action in ("requested_action", "rerequested"):
        return _check_run(payload, envelope, action, app_id)
    if name == "check_suite" and action == "rerequested":
        return _check_suite(payload, envelope, app_id)
    return Ignored(f"nothing to do for {name}" + (f".{action}" if action else ""))


def _pull_request(payload: bytes, envelope: _Envelope, reason: Reason) -> Event:
    read = _PULL_REQUEST.decode(payload)
    if reason == "retargeted" and (read.changes is None or read.changes.base is None):
        return Ignored("edited, and its base is the same")
    if read.pull_request.state == "closed":
        return Ignored("the pull request is closed")
    where = _where(envelope, read.repository)
    if isinstance(where, Ignored):
        return where
    pull = read.pull_request
    return PullRequestChanged(where, pull.number, pull.head.sha, pull.base.ref, reason)


def _check_run(payload: bytes, envelope: _Envelope, action: str, app_id: int | None) -> Event:
    read = _CHECK_RUN.decode(payload)
    if action == "requested_action" and (read.requested_action is None or read.requested_action.identifier != REBRIEF):
        return Ignored("a button that isn't ours")
    where = _where(envelope, read.repository)
    if isinstance(where, Ignored):
        return where
    check = read.check_run
    if not _is_ours(check, app_id):
        return Ignored("a check run of another app")
    reason: Reason = "rebrief" if action == "requested_action" else "rerun"
    return CheckRunAsked(where, check.head_sha, check.external_id or "", _numbers(check, where), reason)


def _check_suite(payload: bytes, envelope: _Envelope, app_id: int | None) -> Event:
    read = _CHECK_SUITE.decode(payload)
    where = _where(envelope, read.repository)
    if isinstance(where, Ignored):
        return where
    if not _is_ours(read.check_suite, app_id):
        return Ignored("a check suite of another app")
    return CheckSuiteAsked(where, read.check_suite.head_sha, _numbers(read.check_suite, where))


def _where(envelope: _Envelope, repository: _Repository) -> Where | Ignored:
    if envelope.installation is None:
        return Ignored("it names no installation: a repository's own webhook sent it, not the GitHub App")
    return Where(envelope.installation.id, repository.id, repository.owner.login, repository.name)


def _is_ours(check: _Check, app_id: int | None) -> bool:
    return app_id is None or (check.app is not None and check.app.id == app_id)


def _numbers(check: _Check, where: Where) -> tuple[int, ...]:
    found = {
        pointer.number
        for pointer in check.pull_requests or ()
        if pointer.base is None or pointer.base.repo is None or pointer.base.repo.id == where.repository_id
    }
    return tuple(sorted(found))[:MAX_PULLS]

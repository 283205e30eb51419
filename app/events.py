"""Webhooks as values: each delivery becomes one small typed event, or the reason why it is ignored.

Only the few fields that are needed are read, and those strictly: a field of the wrong type, or with a value no GitHub
would send, makes the payload malformed. Everything else in a payload may be there or not, of whatever shape, so that a
new field or an older GitHub Enterprise Server never costs an event.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

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


_NO_INSTALLATION: Final = "it names no installation: a repository's own webhook sent it, not the GitHub App"


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
    """Somebody asked to run all our checks of a suite again. Of which pull requests, only our runs in it say."""

    where: Where
    suite_id: int


class PullRequestClosed(msgspec.Struct, frozen=True):
    """A pull request was closed or merged: what comes to its base branch doesn't concern it any more."""

    where: Where
    number: int
    base_ref: str


class BranchMoved(msgspec.Struct, frozen=True):
    """A push moved a branch to the commit `tip`."""

    where: Where
    branch: str
    tip: str


class MergeGroupAsked(msgspec.Struct, frozen=True):
    """A merge queue waits for our check on its own commit."""

    where: Where
    head_sha: str


class InstallationChanged(msgspec.Struct, frozen=True):
    """The App was installed, uninstalled, suspended, let in again, or given other repositories.

    `repositories` are (id, owner, name) of those the change is about, as far as the payload names them.
    """

    installation_id: int
    change: Literal["created", "deleted", "suspend", "unsuspend", "permissions", "added", "removed"]
    repositories: tuple[tuple[int, str, str], ...] = ()


class RepositoryLeft(msgspec.Struct, frozen=True):
    """A repository was deleted, or transferred to another owner."""

    where: Where
    transferred: bool


class Ignored(msgspec.Struct, frozen=True):
    """A delivery that asks nothing of us; `why` is a short phrase for the log and the answer."""

    why: str


Event = (
    PullRequestChanged
    | PullRequestClosed
    | CheckRunAsked
    | CheckSuiteAsked
    | BranchMoved
    | MergeGroupAsked
    | InstallationChanged
    | RepositoryLeft
    | Ignored
)


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
    """A check run."""

    head_sha: Sha
    external_id: Annotated[str, msgspec.Meta(max_length=1024)] | None = None
    app: _App | None = None
    pull_requests: list[_Pointer] | None = None


class _Suite(msgspec.Struct, frozen=True):
    id: Id
    app: _App | None = None


class _Pusher(msgspec.Struct, frozen=True):
    """A push's repository's owner; old payloads have only one of the two."""

    login: Login | None = None
    name: Label | None = None


class _PushedRepository(msgspec.Struct, frozen=True):
    id: Id
    name: RepositoryName
    owner: _Pusher


class _MergeGroup(msgspec.Struct, frozen=True):
    head_sha: Sha


class _Granted(msgspec.Struct, frozen=True):
    """A repository in a list of an installation's."""

    id: Id
    full_name: Label


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
    check_suite: _Suite
    repository: _Repository


class _PushPayload(msgspec.Struct, frozen=True):
    ref: Ref
    after: Sha
    repository: _PushedRepository
    deleted: bool = False
    created: bool = False


class _MergeGroupPayload(msgspec.Struct, frozen=True):
    merge_group: _MergeGroup
    repository: _Repository


class _InstallationPayload(msgspec.Struct, frozen=True):
    installation: _Installation
    repositories: list[_Granted] | None = None
    repositories_added: list[_Granted] | None = None
    repositories_removed: list[_Granted] | None = None


class _RepositoryPayload(msgspec.Struct, frozen=True):
    repository: _Repository


_ENVELOPE: Final = msgspec.json.Decoder(_Envelope)
_PULL_REQUEST: Final = msgspec.json.Decoder(_PullRequestPayload)
_CHECK_RUN: Final = msgspec.json.Decoder(_CheckRunPayload)
_CHECK_SUITE: Final = msgspec.json.Decoder(_CheckSuitePayload)
_PUSH: Final = msgspec.json.Decoder(_PushPayload)
_MERGE_GROUP: Final = msgspec.json.Decoder(_MergeGroupPayload)
_INSTALLATION: Final = msgspec.json.Decoder(_InstallationPayload)
_REPOSITORY: Final = msgspec.json.Decoder(_RepositoryPayload)
_INSTALLATION_CHANGES: Final[dict[str, Literal["created", "deleted", "suspend", "unsuspend", "permissions"]]] = {
    "created": "created",
    "deleted": "deleted",
    "suspend": "suspend",
    "unsuspend": "unsuspend",
    "new_permissions_accepted": "permissions",
}


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
    if name == "pull_request" and action == "closed":
        return _closed(payload, envelope)
    if name == "push":
        return _push(payload, envelope)
    if name == "merge_group" and action == "checks_requested":
        return _merge_group(payload, envelope)
    if name == "installation" and action in _INSTALLATION_CHANGES:
        return _installation(payload, action)
    if name == "installation_repositories" and action in ("added", "removed"):
        return _repositories(payload, action)
    if name == "repository" and action in ("deleted", "transferred"):
        return _repository_left(payload, envelope, action)
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
    return CheckSuiteAsked(where, read.check_suite.id)


def _closed(payload: bytes, envelope: _Envelope) -> Event:
    read = _PULL_REQUEST.decode(payload)
    where = _where(envelope, read.repository)
    if isinstance(where, Ignored):
        return where
    return PullRequestClosed(where, read.pull_request.number, read.pull_request.base.ref)


def _push(payload: bytes, envelope: _Envelope) -> Event:
    read = _PUSH.decode(payload)
    branch = read.ref.removeprefix("refs/heads/")
    if branch == read.ref:
        return Ignored("a push of a tag")
    if read.deleted or read.created:
        return Ignored("a branch that begins or ends")
    if envelope.installation is None:
        return Ignored(_NO_INSTALLATION)
    owner = read.repository.owner.login or read.repository.owner.name
    if owner is None:
        return Ignored("a push that doesn't name the repository's owner")
    where = Where(envelope.installation.id, read.repository.id, owner, read.repository.name)
    return BranchMoved(where, branch, read.after)


def _merge_group(payload: bytes, envelope: _Envelope) -> Event:
    read = _MERGE_GROUP.decode(payload)
    where = _where(envelope, read.repository)
    return where if isinstance(where, Ignored) else MergeGroupAsked(where, read.merge_group.head_sha)


def _installation(payload: bytes, action: str) -> Event:
    read = _INSTALLATION.decode(payload)
    return InstallationChanged(read.installation.id, _INSTALLATION_CHANGES[action], _granted(read.repositories))


def _repositories(payload: bytes, action: str) -> Event:
    read = _INSTALLATION.decode(payload)
    if action == "added":
        return InstallationChanged(read.installation.id, "added", _granted(read.repositories_added))
    return InstallationChanged(read.installation.id, "removed", _granted(read.repositories_removed))


def _granted(listed: list[_Granted] | None) -> tuple[tuple[int, str, str], ...]:
    found = []
    for each in listed or ():
        owner, slash, name = each.full_name.partition("/")
        if slash and owner and name and "/" not in name:
            found.append((each.id, owner, name))
    return tuple(found)


def _repository_left(payload: bytes, envelope: _Envelope, action: str) -> Event:
    read = _REPOSITORY.decode(payload)
    where = _where(envelope, read.repository)
    return where if isinstance(where, Ignored) else RepositoryLeft(where, action == "transferred")


def _where(envelope: _Envelope, repository: _Repository) -> Where | Ignored:
    if envelope.installation is None:
        return Ignored(_NO_INSTALLATION)
    return Where(envelope.installation.id, repository.id, repository.owner.login, repository.name)


def _is_ours(check: _Check | _Suite, app_id: int | None) -> bool:
    return app_id is None or (check.app is not None and check.app.id == app_id)


def _numbers(check: _Check, where: Where) -> tuple[int, ...]:
    found = {
        pointer.number
        for pointer in check.pull_requests or ()
        if pointer.base is None or pointer.base.repo is None or pointer.base.repo.id == where.repository_id
    }
    return tuple(sorted(found))[:MAX_PULLS]

"""What the stand-in knows: one app, its installation, repositories, pull requests, check runs, tokens, deliveries.

Everything here may be used from any thread: `World.lock` is held by whoever reads or changes it. Ids are larger than
32 bits where GitHub's are.
"""

from __future__ import annotations

import base64
import itertools
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from app.standin.bare import BareRepository, Files
from app.standin.registration import Registration

if TYPE_CHECKING:
    from app.standin.webhooks import Webhooks

PERMISSIONS: Mapping[str, str] = {"checks": "write", "contents": "read", "metadata": "read", "pull_requests": "read"}
EVENTS = ("pull_request", "push", "repository", "merge_group")
TOKEN_LIFE = timedelta(hours=1)

Mergeable = Literal["unknown", "yes", "no"]
Json = dict[str, Any]


@dataclass(frozen=True)
class Event:
    """A webhook about to be sent: GitHub's event name and the payload."""

    name: str
    payload: Json

    @property
    def action(self) -> str | None:
        """The payload's action, None for events that have none."""
        action = self.payload.get("action")
        return action if isinstance(action, str) else None


@dataclass(frozen=True)
class Delivery:
    """One attempt to deliver a webhook. `guid` is X-GitHub-Delivery, the same again on a redelivery.

    `status` is the answer's HTTP status, 0 when there was none within GitHub's ten seconds; `seconds` is how long it
    took, and `answer` its text.
    """

    id: int
    guid: str
    event: Event
    to: str
    status: int
    answer: str
    seconds: float
    redelivery: bool
    at: datetime


@dataclass
class Token:
    """An installation access token and what it may do; `repository_ids` None means all of the installation's."""

    value: str
    expires_at: datetime
    permissions: dict[str, str]
    repository_ids: frozenset[int] | None
    revoked: bool = False


@dataclass
class CheckRun:
    """A check run as it stands. `output` holds title, summary and text; annotations only ever grow."""

    id: int
    suite_id: int
    repository: Repository
    app_id: int
    name: str
    head_sha: str
    status: str
    started_at: str
    conclusion: str | None = None
    completed_at: str | None = None
    details_url: str | None = None
    external_id: str = ""
    output: dict[str, str | None] = field(default_factory=dict)
    annotations: list[Json] = field(default_factory=list)
    actions: list[dict[str, str]] = field(default_factory=list)
    updates: int = 0

    def pressed(self, identifier: str) -> Event:
        """Somebody pressed one of the run's buttons. Raises KeyError when there is no such button."""
        if self.status != "completed" or identifier not in {action["identifier"] for action in self.actions}:
            raise KeyError(f"check run {self.id} shows no button {identifier!r}")
        return self.repository.world.shapes.check_run_event(self, "requested_action", identifier)

    def rerequested(self) -> Event:
        """Somebody asked to run this check again."""
        return self.repository.world.shapes.check_run_event(self, "rerequested", None)

    def suite_rerequested(self) -> Event:
        """Somebody asked to run the whole suite again (the button on the page often sends this one)."""
        return self.repository.world.shapes.check_suite_event(self)


@dataclass
class Pull:
    """A pull request. `head_repository` is None once the fork was deleted."""

    id: int
    number: int
    repository: Repository
    title: str
    author: str
    base_ref: str
    head_ref: str
    head_sha: str
    head_repository: Repository | None
    opened_at: datetime
    head_owner: str = ""
    state: Literal["open", "closed"] = "open"
    merged: bool = False
    draft: bool = False
    reads_until_merged: int = 1
    """Times GitHub answers `mergeable: null` after a push before the test merge is there."""
    merge_never_comes: bool = False
    merge_sha: str | None = None
    merged_pair: tuple[str, str] | None = None
    mergeable: Mergeable = "unknown"
    _reads: int = 0

    @property
    def base_sha(self) -> str:
        """The tip of the branch it would be merged into."""
        return self.repository.tip(self.base_ref)

    @property
    def head_label(self) -> str:
        """`owner:branch`, as GitHub shows it."""
        return f"{self.head_owner}:{self.head_ref}"

    def read(self) -> None:
        """What a GET of the pull request does at GitHub: start, and in the end finish, the test merge."""
        pair = (self.base_sha, self.head_sha)
        if self.state != "open" or self.merged_pair == pair:
            return
        self.mergeable = "unknown"
        if self.merge_never_comes or self._reads < self.reads_until_merged:
            self._reads += 1
            return
        git = self.repository.git
        merge = git.merge(*pair, message=f"Merge {self.head_sha} into {pair[0]}")
        self.mergeable = "no" if merge is None else "yes"
        if merge is not None:  # on a conflict the old ref stays where it was
            git.set_ref(f"refs/pull/{self.number}/merge", merge)
            self.merge_sha = merge
        self.merged_pair, self._reads = pair, 0

    def push(self, files: Files, *, message: str = "More work", force_from: str | None = None) -> str:
        """Commit on the pull request's branch (or, forced, on `force_from`) and return the new head's SHA."""
        with self.repository.world.lock:
            parent = force_from or self.head_sha
            self.head_sha = self.repository.git.commit(
                f"refs/pull/{self.number}/head", files, parent=parent, message=message, author=self.author
            )
            if self.head_repository is self.repository:
                self.repository.git.set_ref(f"refs/heads/{self.head_ref}", self.head_sha)
            self._reads = 0
            return self.head_sha

    def closed(self) -> Event:
        """Close it; the webhook to deliver."""
        self.close()
        return self._event("closed")

    def delete_fork(self) -> None:
        """Delete the repository the head branch is in: GitHub then says `head.repo: null`."""
        self.head_repository = None

    def close(self) -> None:
        """Close without merging; the test merge's ref goes away."""
        with self.repository.world.lock:
            self.state = "closed"
            self.repository.git.set_ref(f"refs/pull/{self.number}/merge", None)

    def retarget(self, base_ref: str) -> Event:
        """Change the branch it would be merged into; the webhook to deliver."""
        with self.repository.world.lock:
            before = {"ref": {"from": self.base_ref}, "sha": {"from": self.base_sha}}
            self.base_ref = base_ref
            return self._event("edited", changes={"base": before})

    def opened(self) -> Event:
        """The webhook of a new pull request."""
        return self._event("opened")

    def synchronized(self) -> Event:
        """The webhook of a push to it."""
        return self._event("synchronize")

    def event(self, action: str, **more: Any) -> Event:
        """Any other `pull_request` webhook (reopened, ready_for_review, labeled ...)."""
        return self._event(action, **more)

    def _event(self, action: str, **more: Any) -> Event:
        with self.repository.world.lock:
            return self.repository.world.shapes.pull_event(self, action, **more)

    def check_runs(self, head_sha: str | None = None) -> list[CheckRun]:
        """The check runs on its head (or on another commit), oldest first."""
        sha = head_sha or self.head_sha
        with self.repository.world.lock:
            return [run for run in self.repository.check_runs.values() if run.head_sha == sha]


@dataclass
class Repository:
    """A repository of the installation's account. `former_names` are redirected, as GitHub does after a rename."""

    world: World
    id: int
    owner: str
    name: str
    git: BareRepository
    default_branch: str = "main"
    private: bool = True
    fork: bool = False
    gone: bool = False
    pushed_at: datetime = field(default_factory=lambda: datetime.now(UTC).replace(microsecond=0))
    former_names: list[str] = field(default_factory=list)
    pulls: dict[int, Pull] = field(default_factory=dict)
    check_runs: dict[int, CheckRun] = field(default_factory=dict)

    @property
    def full_name(self) -> str:
        """`owner/name`."""
        return f"{self.owner}/{self.name}"

    def tip(self, branch: str) -> str:
        """The SHA a branch points at."""
        return self.git.resolve(f"refs/heads/{branch}")

    def push(self, branch: str, files: Files, *, message: str = "Work on the branch", base: str | None = None) -> str:
        """Commit on a branch (a new one starts at `base`, a branch or SHA; else at nothing); returns the SHA."""
        with self.world.lock:
            parent = self.git.find(f"refs/heads/{branch}") or (self.git.resolve(base) if base else None)
            self.pushed_at = self.world.now()
            return self.git.commit(f"refs/heads/{branch}", files, parent=parent, message=message)

    def pushed(self, branch: str, files: Files, *, message: str = "Work on the branch") -> Event:
        """Push one commit to a branch; the webhook to deliver."""
        with self.world.lock:
            before = self.tip(branch)
            after = self.push(branch, files, message=message)
            return self.world.shapes.push_event(self, f"refs/heads/{branch}", before, after)

    def queued(self, pull: Pull) -> Event:
        """A merge queue takes the pull request and makes its own commit; the webhook to deliver."""
        with self.world.lock:
            base = self.tip(pull.base_ref)
            merge = self.git.merge(base, pull.head_sha, message=f"Merge pull request #{pull.number}")
            if merge is None:
                raise ValueError("it conflicts with its base")
            ref = f"refs/heads/gh-readonly-queue/{pull.base_ref}/pr-{pull.number}-{base}"
            self.git.set_ref(ref, merge)
            return self.world.shapes.merge_group_event(self, pull.base_ref, ref, base, merge)

    def event(self, action: str, **more: Any) -> Event:
        """A `repository` webhook (renamed, transferred, deleted, privatized ...)."""
        with self.world.lock:
            return self.world.shapes.repository_event(self, action, **more)

    def open_pull(
        self,
        title: str,
        files: Files,
        *,
        branch: str = "feature",
        base: str | None = None,
        start: str | None = None,
        author: str = "octocat",
        fork: str | None = None,
        draft: bool = False,
    ) -> Pull:
        """Open a pull request whose first commit changes `files`.

        `base` is the branch to merge into (default: the default branch) and `start` the commit to branch from
        (default: base's tip). `fork` is the owner of a fork the branch lives in.
        """
        with self.world.lock:
            base_ref = base or self.default_branch
            parent = self.git.resolve(start) if start else self.tip(base_ref)
            number = self.world.next_number(self)
            home = self if fork is None else self._forked_by(fork)
            head = self.git.commit(f"refs/pull/{number}/head", files, parent=parent, message=title, author=author)
            if home is self:
                self.git.set_ref(f"refs/heads/{branch}", head)
            pull = Pull(
                id=next(self.world.ids),
                number=number,
                repository=self,
                title=title,
                author=author,
                base_ref=base_ref,
                head_ref=branch,
                head_sha=head,
                head_repository=home,
                head_owner=home.owner,
                opened_at=self.world.now(),
                draft=draft,
            )
            self.pulls[number] = pull
            return pull

    def _forked_by(self, owner: str) -> Repository:
        return Repository(self.world, next(self.world.ids), owner, self.name, self.git, self.default_branch, fork=True)

    def rename(self, name: str) -> None:
        """Give the repository another name; the old one is redirected."""
        with self.world.lock:
            self.former_names.append(self.full_name)
            self.name = name


@dataclass
class Exchange:
    """A REST request and its answer, kept for the contract tests. `sent` is the request's JSON, None without one."""

    method: str
    path: str
    query: str
    sent: Any
    status: int
    answered: Any
    api_version: str


class World:
    """All that the stand-in holds. `root` is a directory for its bare repositories; `url` its own web address."""

    def __init__(self, root: Path, shapes: Callable[[World], Webhooks]) -> None:
        self.root = root
        self.url = "http://127.0.0.1"
        self.lock = threading.RLock()
        self.app_id = 1_201_337
        self.client_id = "Iv23liStandInForTests"
        self.slug = "callsheet-demo"
        self.installation_id = 61_234_567
        self.account = "acme"
        self.suspended = False
        self.uninstalled = False
        self.permissions = dict(PERMISSIONS)
        self.webhook_secret = secrets.token_urlsafe(24)
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.private_key_pem = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
        ).decode()
        self.public_key = key.public_key()
        self.ids: Iterator[int] = itertools.count(5_000_000_001)
        self.repositories: dict[int, Repository] = {}
        self.tokens: dict[str, Token] = {}
        self.deliveries: list[Delivery] = []
        self.to_redeliver: list[Delivery] = []
        """Deliveries that the app asked for again and that were not sent yet."""
        self.exchanges: list[Exchange] = []
        self.git_requests: list[str] = []
        self.requests_limit = 5000
        """Requests in an hour. No hour ends here: who needs more of them says so to `limit_requests`."""
        self.requests_left = self.requests_limit
        self.registration = Registration()
        self.shapes = shapes(self)

    def limit_requests(self, in_an_hour: int) -> None:
        """Begin an hour with so many requests."""
        self.requests_limit = self.requests_left = in_an_hour

    def now(self) -> datetime:
        """The time, in whole seconds, UTC."""
        return datetime.now(UTC).replace(microsecond=0)

    def next_number(self, repository: Repository) -> int:
        """The number of the next pull request."""
        return max(repository.pulls, default=0) + 1

    def add_repository(self, full_name: str, files: Files, *, default_branch: str = "main") -> Repository:
        """Make a repository whose default branch has one commit with `files` (none at all: an empty repository)."""
        owner, name = full_name.split("/")
        with self.lock:
            number = next(self.ids)
            git = BareRepository.create(self.root / f"{number}.git", default_branch)
            repository = Repository(self, number, owner, name, git, default_branch)
            if files:
                git.commit(f"refs/heads/{default_branch}", files, parent=None, message="First commit")
            self.repositories[number] = repository
            return repository

    def installation_event(self, action: str) -> Event:
        """An `installation` webhook: created, deleted, suspend, unsuspend, new_permissions_accepted."""
        with self.lock:
            return self.shapes.installation_event(action)

    def repositories_event(self, action: str, repositories: list[Repository]) -> Event:
        """An `installation_repositories` webhook: added or removed."""
        with self.lock:
            return self.shapes.repositories_event(action, repositories)

    def suspend(self) -> Event:
        """The organisation suspends the App; the webhook to deliver."""
        self.suspended = True
        return self.installation_event("suspend")

    def unsuspend(self) -> Event:
        """The organisation lets the App in again; the webhook to deliver."""
        self.suspended = False
        return self.installation_event("unsuspend")

    def uninstall(self) -> Event:
        """The organisation uninstalls the App: tokens die; the webhook to deliver."""
        self.uninstalled = True
        self.kill_tokens()
        return self.installation_event("deleted")

    def find(self, owner: str, name: str) -> tuple[Repository | None, bool]:
        """The repository of that name, and whether the name is one it used to have."""
        wanted = f"{owner}/{name}".lower()
        for repository in self.repositories.values():
            if repository.gone:
                continue
            if repository.full_name.lower() == wanted:
                return repository, False
        for repository in self.repositories.values():
            if not repository.gone and wanted in {old.lower() for old in repository.former_names}:
                return repository, True
        return None, False

    def mint_token(self, permissions: Mapping[str, str], repository_ids: frozenset[int] | None) -> Token:
        """A new installation token, in the long form GitHub has used since 2026 (`ghs_APPID_` and a JWT's shape)."""
        parts = (base64.urlsafe_b64encode(secrets.token_bytes(size)).rstrip(b"=").decode() for size in (48, 210, 96))
        value = f"ghs_{self.app_id}_{'.'.join(parts)}"
        token = Token(value, self.now() + TOKEN_LIFE, dict(permissions), repository_ids)
        self.tokens[value] = token
        return token

    def kill_tokens(self) -> None:
        """Make every token given out so far a dead one, before its time."""
        with self.lock:
            for token in self.tokens.values():
                token.revoked = True

"""What is read of GitHub's answers, and the values that the rest of the worker gets from them.

The answers are read with small tolerant structs that hold only the fields needed here: GitHub leaves out or nulls many
others (a fork's deleted repository, `mergeable` while it is being worked out), and between API versions.
"""

from __future__ import annotations

from typing import Generic, TypeVar

import msgspec

T = TypeVar("T")


class PullRequest(msgspec.Struct, frozen=True):
    """What a briefing needs to know of a pull request. Names and ids are the base repository's, as they are now.

    `mergeable` is None while GitHub works it out. `draft` pull requests are briefed like others.
    """

    number: int
    open: bool
    draft: bool
    head_sha: str
    base_ref: str
    base_sha: str
    mergeable: bool | None
    repository_id: int
    owner: str
    name: str


class Comparison(msgspec.Struct, frozen=True):
    """`base...head`: the merge base; commits only head has (`ahead_by`); commits only base has (`behind_by`)."""

    merge_base: str
    ahead_by: int
    behind_by: int


class ChangedFile(msgspec.Struct, frozen=True):
    """A file in a comparison. `patch` is its diff with some lines around; GitHub leaves out large ones."""

    filename: str
    previous_filename: str | None = None
    patch: str | None = None
    changes: int = 0


class Changes(msgspec.Struct, frozen=True):
    """What `head` has that `base` hasn't: how many commits, and their files (`is_cut`: not all of them)."""

    ahead_by: int
    files: tuple[ChangedFile, ...]
    is_cut: bool


class CheckRun(msgspec.Struct, frozen=True):
    """A check run as it is now. `annotations` is how many it carries (they can only be added to).

    `beside` are the external ids of our other runs at the same commit: it is the head of several pull requests.
    """

    id: int
    status: str
    conclusion: str | None
    external_id: str
    annotations: int
    beside: tuple[str, ...] = ()


# What GitHub answers, as far as it is read.


class Page(msgspec.Struct, Generic[T], frozen=True):
    """One page of a list. `value` is None when nothing changed since the `etag` that was asked with.

    `following` is the next page's number or cursor, None on the last.
    """

    value: T | None
    etag: str | None
    following: str | None


class Output(msgspec.Struct, frozen=True):
    """What a check run shows now: a title, and Markdown in `summary` and `text`."""

    title: str | None = None
    summary: str | None = None
    text: str | None = None


class Login(msgspec.Struct):
    """Who owns a repository."""

    login: str


class Repository(msgspec.Struct):
    """A repository; `owner` may be left out."""

    id: int
    name: str
    owner: Login | None = None


class Side(msgspec.Struct):
    """A pull request's head or base; `repo` is None where the fork is gone."""

    sha: str
    ref: str
    repo: Repository | None = None


class PullAnswer(msgspec.Struct):
    """A pull request."""

    number: int
    state: str
    head: Side
    base: Side
    draft: bool | None = None
    mergeable: bool | None = None


class Commit(msgspec.Struct):
    """A commit."""

    sha: str


class CompareAnswer(msgspec.Struct):
    """A comparison of two commits."""

    merge_base_commit: Commit
    ahead_by: int
    behind_by: int
    files: list[ChangedFile] = []


class RunApp(msgspec.Struct):
    """The App that a check run belongs to."""

    id: int


class AppAnswer(msgspec.Struct):
    """The App itself: what it may do and which events it gets."""

    id: int
    permissions: dict[str, str] = {}
    events: list[str] | None = None


class RunOutput(msgspec.Struct):
    """What a check run shows, by its number of annotations."""

    annotations_count: int | None = None


class RunAnswer(msgspec.Struct):
    """A check run."""

    id: int
    status: str
    name: str = ""
    conclusion: str | None = None
    external_id: str | None = None
    app: RunApp | None = None
    output: RunOutput | None = None


class RunsAnswer(msgspec.Struct):
    """A list of check runs."""

    check_runs: list[RunAnswer]


class ShownRun(msgspec.Struct):
    """A check run with the text that it shows."""

    id: int
    status: str
    output: Output = Output()


class TokenAnswer(msgspec.Struct):
    """An installation token, and when it ends (ISO 8601)."""

    token: str
    expires_at: str

"""Which tree are callers found in: GitHub's test merge when it can be trusted, else the pull request's head.

GitHub merges a pull request into its base in the background and shows the result as `refs/pull/N/merge`. Asking for
the pull request starts that work; `mergeable` is null until it is done. The ref can lag behind a push or a change of
base without saying so, so the commit is believed only when its second parent is the head that is being briefed and its
first parent lies on the base branch. The API's merge_commit_sha is never used: it changes its meaning after a merge
and is absent in newer API versions.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import msgspec

from worker.answers import GitHubError, Rejected, Unavailable
from worker.github import InstallationClient
from worker.shapes import Comparison, PullRequest

POLL_PAUSES: Final = (0.5, 1.0, 1.5, 2.0)
"""Seconds between questions for `mergeable`. After the last the job gives its turn back and comes again."""


class MergePendingError(Exception):
    """GitHub hasn't finished its test merge (or the one it shows is for an earlier state). Worth asking again later."""


class HeadMovedError(Exception):
    """The pull request's head is no longer the one being briefed."""


class Trees(msgspec.Struct, frozen=True):
    """The commits a briefing is made from, as full SHAs.

    `merge` is None when callers are found in the head, and then `note` says why. `base` is the merge's first parent,
    None without a merge. `merge_base` is where the pull request branched. `tip` is the base branch's newest commit,
    whose configuration counts; None when the branch is gone.
    """

    head: str
    merge_base: str
    merge: str | None = None
    base: str | None = None
    note: str | None = None
    tip: str | None = None


class Remote(msgspec.Struct, frozen=True):
    """What `choose_trees` needs of git; `worker.brief` gives it the clone.

    `refs` answers the remote's refs of these full names; `fetch` brings commits by SHA; `parents` reads a commit's.
    """

    refs: Callable[[tuple[str, ...]], Awaitable[dict[str, str]]]
    fetch: Callable[[tuple[str, ...]], Awaitable[None]]
    parents: Callable[[str], Awaitable[tuple[str, ...]]]


async def settled_pull(client: InstallationClient, pull: PullRequest) -> PullRequest:
    """Ask for the pull request until GitHub knows whether it merges, a few seconds at most.

    The answer's `mergeable` can still be None. Raises HeadMovedError when a push came meanwhile, GitHubError.
    """
    now = pull
    for pause in POLL_PAUSES:
        if now.mergeable is not None or not now.open:
            break
        await asyncio.sleep(pause)
        now = await client.pull(pull.owner, pull.name, pull.number)
        if now.head_sha != pull.head_sha:
            raise HeadMovedError(now.head_sha)
    return now


async def choose_trees(client: InstallationClient, remote: Remote, pull: PullRequest, *, last_try: bool) -> Trees:
    """Decide between merge and head, and bring the commits that are needed into the clone.

    `pull` is what `settled_pull` returned. With `last_try` a merge that isn't ready is given up for the head, with the
    reason. Raises MergePendingError (never with `last_try`), GitHubError, GitError.
    """
    names = (
        f"refs/pull/{pull.number}/head",
        f"refs/pull/{pull.number}/merge",
        f"refs/heads/{pull.base_ref}",
    )
    refs = await remote.refs(names)
    head_ref, merge, base_tip = (refs.get(name) for name in names)
    if head_ref != pull.head_sha:
        raise Unavailable("GitHub's git server and its API don't agree yet on the pull request's head.")
    tip = base_tip or pull.base_sha
    if pull.mergeable is False:
        return await _head_only(client, remote, pull, base_tip, conflict_note(pull.base_ref))
    if pull.mergeable is None or merge is None:
        if not last_try:
            raise MergePendingError("GitHub has not finished its test merge")
        note = f"Callers from the PR's branch: GitHub had no test merge with {pull.base_ref} ready."
        return await _head_only(client, remote, pull, base_tip, note)

    comparison = await _compare(client, pull, tip)
    await remote.fetch((merge, pull.head_sha, comparison.merge_base, *_known(base_tip)))
    parents = await remote.parents(merge)
    if len(parents) == 2 and parents[1] == pull.head_sha and await _is_on_base(client, pull, parents[0], tip):
        if parents[0] != tip:
            # The base went on since the test merge. It may even have taken in commits of this pull request.
            comparison = await _compare(client, pull, parents[0])
            await remote.fetch((comparison.merge_base,))
        return Trees(pull.head_sha, comparison.merge_base, merge, parents[0], tip=base_tip)
    if not last_try:
        raise MergePendingError("GitHub's test merge is for an earlier state of the pull request")
    note = f"Callers from the PR's branch: GitHub's test merge with {pull.base_ref} is for an earlier state."
    return Trees(pull.head_sha, comparison.merge_base, note=note, tip=base_tip)


def conflict_note(base_ref: str) -> str:
    """Why callers come from the head when the pull request conflicts with its base branch."""
    return f"Callers from the PR's branch: it conflicts with {base_ref}, so changes merged since aren't included."


async def _head_only(
    client: InstallationClient, remote: Remote, pull: PullRequest, base_tip: str | None, note: str
) -> Trees:
    comparison = await _compare(client, pull, base_tip or pull.base_sha)
    await remote.fetch((pull.head_sha, comparison.merge_base, *_known(base_tip)))
    return Trees(pull.head_sha, comparison.merge_base, note=note, tip=base_tip)


def _known(commit: str | None) -> tuple[str, ...]:
    return (commit,) if commit is not None else ()


async def _compare(client: InstallationClient, pull: PullRequest, base: str) -> Comparison:
    return await client.compare(pull.owner, pull.name, base, pull.head_sha)


async def _is_on_base(client: InstallationClient, pull: PullRequest, commit: str, tip: str) -> bool:
    """Whether `commit` is the base branch's tip or an ancestor of it (an older merge of the right branch)."""
    if commit == tip:
        return True
    try:
        return (await client.compare(pull.owner, pull.name, commit, tip)).behind_by == 0
    except (Unavailable, Rejected):
        raise
    except GitHubError:  # a commit the repository doesn't know is on no branch
        return False

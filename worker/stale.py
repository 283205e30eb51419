"""The base branch moved on: say so on the briefings that were made from a merge with it.

A push to a base branch makes one errand, after a short delay in which later pushes join it. For each commit that
briefings were made against, GitHub is asked once what came since; then their check runs are marked, the most recently
briefed first, within the installation's budget. New commits matter only when they touch a file that names what a pull
request changes: one that held callers, or one in whose diff such a name stands.
"""

from __future__ import annotations

import re
import time
from typing import Any, Final, Literal

import msgspec
import structlog
from arq.connections import ArqRedis

from graph.quoting import clip, counted, visible
from graph.render.escape import code_span, prose
from worker import notices
from worker.answers import Gone, Rejected
from worker.errands import MarkStale, ask_errand, stale_key
from worker.github import InstallationClient
from worker.job import Tools
from worker.jobs import BriefJob, enqueue_brief
from worker.limits import spend, without_headroom
from worker.records import Record, briefed_against, leave_index, note_stale, read_record, read_tip
from worker.shapes import Changes, Output
from worker.turns import is_held

_WORD: Final = re.compile(r"[^\W\d]\w*")
_OPEN: Final = "<!-- callsheet:stale -->"
_CLOSE: Final = "<!-- /callsheet:stale -->"
_MARK: Final = re.compile(rf"{_OPEN}\n.*\n\n\*\*(?P<was>.*)\*\*\n{_CLOSE}\n\n")
_MOST_NAMED: Final = 3
TURN_SECONDS: Final = 45.0
"""How long one errand marks before it gives its turn back."""
_NEXT_TURN_SECONDS: Final = 0.5

Matters = Literal["yes", "no", "unknown"]

_log = structlog.get_logger(__name__)


class Effect(msgspec.Struct, frozen=True):
    """What new commits mean for one briefing. `files` are those that name a changed symbol."""

    matters: Matters
    files: tuple[str, ...] = ()


async def mark_stale(redis: ArqRedis, tools: Tools, client: InstallationClient, errand: MarkStale) -> None:
    """Mark the briefings made against a former commit of the branch. Raises GitHubError."""
    settings = tools.settings
    host, repository_id, base_ref = settings.github_host, errand.repository_id, errand.base_ref
    tip = await read_tip(redis, host, repository_id, base_ref)
    if tip is None:
        return
    compared: dict[str, Changes | None] = {}
    marked = 0
    ends = time.monotonic() + TURN_SECONDS
    for number in await briefed_against(redis, host, repository_id, base_ref):
        record = await read_record(redis, host, repository_id, number)
        if record is None or record.base_sha is None or record.base_ref != base_ref:
            await leave_index(redis, host, repository_id, base_ref, number)
            continue
        if record.base_sha == tip or record.stale_tip == tip or await is_held(redis, repository_id, number):
            continue  # a briefing that is being made looks at the tip itself when it is done
        waiting = await without_headroom(redis, host, errand.installation_id, settings.reserve_percent)
        if time.monotonic() > ends:
            waiting = waiting or _NEXT_TURN_SECONDS
        waiting = waiting or await spend(redis, host, errand.installation_id, "stale", settings.stale_per_hour)
        if waiting:
            _log.info("stale_postponed", repository=repository_id, base=base_ref, seconds=waiting)
            await ask_errand(redis, errand, key=stale_key(repository_id, base_ref), defer_seconds=waiting)
            break
        if record.base_sha not in compared:
            compared[record.base_sha] = await _changes(client, errand, record.base_sha, tip)
        changes = compared[record.base_sha]
        if changes is not None and changes.ahead_by:
            await _mark(redis, tools, client, errand, number, record, changes)
            marked += 1
        await note_stale(redis, host, repository_id, number, record, tip)
    _log.info("stale_marked", repository=repository_id, base=base_ref, marked=marked, compared=len(compared))


async def _changes(client: InstallationClient, errand: MarkStale, old: str, tip: str) -> Changes | None:
    try:
        return await client.changes(errand.owner, errand.name, old, tip)
    except (Gone, Rejected):  # the branch was replaced by a push, and the old commit is gone
        return None


async def _mark(
    redis: ArqRedis,
    tools: Tools,
    client: InstallationClient,
    errand: MarkStale,
    number: int,
    record: Record,
    changes: Changes,
) -> None:
    effect = effect_of(record, changes)
    if effect.matters == "yes" and (record.staleness or tools.settings.staleness) == "rebrief":
        job = BriefJob(
            installation_id=errand.installation_id,
            repository_id=errand.repository_id,
            owner=errand.owner,
            name=errand.name,
            number=number,
            reason="stale",
        )
        await enqueue_brief(redis, job)
        return
    complete, shown = await client.shown(errand.owner, errand.name, record.check_run_id)
    if not complete or shown.title is None:
        return
    body = {"output": stale_output(shown, errand.base_ref, changes.ahead_by, effect)}
    try:
        await client.update_check_run(
            errand.owner, errand.name, record.check_run_id, body | {"actions": [notices.REBRIEF_ACTION]}
        )
    except Rejected as error:
        _log.warning("stale_mark_rejected", why=str(error))


def effect_of(record: Record, changes: Changes) -> Effect:
    """Whether new commits touch a file that names what the briefing's pull request changes."""
    paths, names = set(record.paths), set(record.names)
    touched = [
        file.filename
        for file in changes.files
        if not paths.isdisjoint({file.filename, file.previous_filename or file.filename})
        or not names.isdisjoint(_WORD.findall(file.patch or ""))
    ]
    if touched:
        return Effect("yes", tuple(sorted(touched)))
    # GitHub lists 300 files at most, and leaves out the diff of a large one.
    known = not changes.is_cut and record.all_named and all(file.patch or not file.changes for file in changes.files)
    return Effect("no" if known else "unknown")


def stale_output(shown: Output, base_ref: str, commits: int, effect: Effect) -> dict[str, Any]:
    """The check run's output with a mark in front, in place of a former mark. The briefing itself stays as it is."""
    summary = shown.summary or ""
    former = _MARK.match(summary)
    was = former["was"] if former is not None else prose(shown.title or "", 300)
    rest = summary[former.end() :] if former is not None else summary
    words = " ".join([f"{code_span(base_ref)} has {_commits(commits)} since this briefing was made.", _words(effect)])
    start = f"{_OPEN}\n**Stale.** {words}\n\n**{was}**\n{_CLOSE}\n\n"
    if len((start + rest).encode()) > notices.MOST_BYTES:
        # No room for both. The mark is the news, and the text below the summary still holds the details.
        room = notices.MOST_BYTES - len(start.encode())
        rest = rest.encode()[:room].decode("utf-8", "ignore").rpartition("\n\n")[0]
    output: dict[str, Any] = {
        "title": f"Stale: {clip(visible(base_ref), 60)} has {_commits(commits)} since · Re-brief",
        "summary": start + rest,
    }
    return output | {"text": shown.text} if shown.text else output


def _words(effect: Effect) -> str:
    if effect.matters == "unknown":
        return "Too much changed to say whether they touch a file that names a changed symbol. **Re-brief** finds out."
    if effect.matters == "no":
        return "None of them touches a file that names a changed symbol, so the callers below are still those."
    named = [code_span(path) for path in effect.files[:_MOST_NAMED]]
    more = len(effect.files) - len(named)
    files = ", ".join(named) + (f" and {more} more" if more else "")
    return (
        f"They touch {counted(len(effect.files), 'file')} naming a changed symbol: {files}. **Re-brief** looks again."
    )


def _commits(number: int) -> str:
    return counted(number, "new commit")

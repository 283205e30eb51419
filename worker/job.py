"""What a worker gives its jobs, and one start of one briefing job."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import msgspec
from arq.connections import ArqRedis

from worker.analysis import GRACE_SECONDS, Answer, Failure, WordsKept, WordsRequest, analyse, keep_words
from worker.github import AppClient
from worker.jobs import BriefJob
from worker.limits import note_rate
from worker.settings import Settings


class Tools(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker gives its jobs. `analyse` and `keep_words` are those of `worker.analysis`, but for tests."""

    settings: Settings
    app: AppClient
    analyse: Callable[..., Awaitable[Answer | Failure]] = analyse
    keep_words: Callable[[WordsRequest], Awaitable[WordsKept | Failure]] = keep_words

    async def share_rate(self, redis: ArqRedis, installation_id: int) -> None:
        """Tell the other workers what GitHub last said is left of the hour. Raises RedisError."""
        await note_rate(redis, self.settings.github_host, installation_id, self.app.rates.get(installation_id))


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """One start of one briefing job. `reference` finds it in the log."""

    tools: Tools
    redis: ArqRedis
    wish: BriefJob
    reference: str
    tries: int

    @property
    def place(self) -> tuple[str, int, int]:
        """The pull request's key in worker/records.py."""
        return self.tools.settings.github_host, self.wish.repository_id, self.wish.number


def job_seconds(settings: Settings) -> float:
    """Seconds a job may take: two git commands at their limit, the analysis, and the requests around them."""
    return settings.git_seconds * 2 + settings.analysis_seconds + GRACE_SECONDS + 120.0

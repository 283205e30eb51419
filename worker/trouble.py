"""What goes wrong with a briefing: how often it is tried again, and how it is told to who looks at the check run."""

from __future__ import annotations

from typing import Final

from redis.exceptions import RedisError

from worker.answers import GitHubError, Gone, Rejected, Unavailable
from worker.git import GitError
from worker.locks import LockTimeoutError

MOST_TRIES: Final = 6
"""Times a job starts before it is given up. A shutdown of the worker counts as well (arq counts starts)."""


class AnalysisFailedError(Exception):
    """The analysis returned no briefing; the message is for the person who asked."""


def tries_for(error: Exception) -> int:
    """How often a job may start when it meets this trouble."""
    if isinstance(error, AnalysisFailedError | Rejected):
        return 0  # it would end the same way
    if isinstance(error, Gone) or (isinstance(error, GitError) and error.problem in {"gone", "other"}):
        return 2  # what was made this moment may not be everywhere yet
    if isinstance(error, GitError | Unavailable | LockTimeoutError | RedisError):
        return MOST_TRIES
    return 2


def is_unexpected(error: Exception) -> bool:
    """Whether it is an error in Callsheet itself, whose traceback belongs in the log."""
    expected = AnalysisFailedError | GitHubError | GitError | LockTimeoutError | RedisError | TimeoutError
    return not isinstance(error, expected)


def reason(error: Exception) -> str:
    """Why there is no briefing, and what would help, for the person who looks at the check run."""
    if isinstance(error, AnalysisFailedError | GitHubError):
        return str(error)
    if isinstance(error, GitError):
        return f"{_GIT_REASONS.get(error.problem, 'Git could not do its part.')}\n{error}"
    if isinstance(error, LockTimeoutError):
        return "Other briefings of this repository kept the worker busy for too long. Re-brief when they are done."
    if isinstance(error, RedisError):
        return "The queue behind Callsheet was away several times. Re-brief when it is back."
    if isinstance(error, TimeoutError):
        return (
            "It took longer than a briefing may take. A faster connection or a larger CALLSHEET_GIT_SECONDS would help."
        )
    return f"An error in Callsheet itself ({type(error).__name__}). The worker's log has the details; please report it."


_GIT_REASONS: Final[dict[str, str]] = {
    "gone": "The repository could not be read with git: it is gone, or the App may not read its contents.",
    "refused": "Git was not let in: the App needs the permission contents: read for this repository.",
    "missing": "A commit of the pull request could no longer be fetched: it may have been replaced by a push.",
    "space": "The worker's disk is full, also after old clones were deleted. A larger disk would help.",
    "unavailable": "GitHub's git server could not be reached.",
    "timeout": "Fetching took too long. A larger CALLSHEET_GIT_SECONDS would help.",
    "broken": "The worker's copy of the repository was damaged.",
}

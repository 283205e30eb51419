"""What a check run says when it isn't a briefing: that one is being made, or why there is none and what would help.

A briefing that could not be made is always `neutral`: it says nothing against the pull request.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from graph.render.escape import code_span

REBRIEF_ACTION: Final[dict[str, str]] = {
    "label": "Re-brief",
    "description": "Brief this pull request again",
    "identifier": "rebrief",
}
"""The button of a finished check run. GitHub's limits: 20, 40 and 20 characters."""

MOST_BYTES: Final = 65_535
"""Bytes of UTF-8 that GitHub takes as a summary."""

_MOST_REASON: Final = 1500


class Notice(msgspec.Struct, frozen=True):
    """A check run's output without a briefing."""

    title: str
    summary: str

    def output(self) -> dict[str, Any]:
        """The `output` object of GitHub's API."""
        return {"title": self.title, "summary": self.summary}


IN_PROGRESS: Final = Notice(
    "Looking for callers outside the diff", "The briefing appears here in a moment. Nothing is built or run for it."
)

SUPERSEDED: Final = Notice(
    "Superseded by a newer push",
    "The pull request's head moved while this commit was being briefed. The briefing is on its newest commit.",
)

CLOSED: Final = Notice(
    "The pull request was closed", "It was closed before the briefing was made. Nothing is to be done."
)


MERGE_QUEUE: Final = Notice(
    "Nothing to brief in a merge queue",
    "Each pull request of this group was briefed by itself. This check only keeps the merge queue from waiting.",
)


def not_made(reason: str, reference: str) -> Notice:
    """No briefing, because of `reason` (a sentence or two). `reference` finds the job in the worker's log."""
    return Notice(
        "The briefing could not be made",
        f"{fenced(reason)}\n\nThis says nothing about the pull request. **Re-brief** tries again; so does a new push. "
        f"In the worker's log it is job `{reference}`.",
    )


def beside_others(summary: str, number: int, base_ref: str, others: tuple[int, ...]) -> str:
    """The summary, with a line about whose it is when other pull requests have the same head commit."""
    if not others:
        return summary
    listed = ", ".join(f"`#{each}`" for each in others[:10]) + (" and more" if len(others) > 10 else "")
    line = f"This is the briefing of `#{number}` into {code_span(base_ref)}; its head is also that of {listed}."
    longer = f"{line}\n\n{summary}"
    return longer if len(longer.encode()) <= MOST_BYTES else summary


def fenced(text: str) -> str:
    """`text` as a block of code: it may quote names from the pull request, and nothing in them may take effect."""
    shown = text if len(text) <= _MOST_REASON else text[:_MOST_REASON].rsplit(" ", 1)[0] + " …"
    longest = run = 0
    for character in shown:
        run = run + 1 if character == "`" else 0
        longest = max(longest, run)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{shown}\n{fence}"

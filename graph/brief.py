"""Make the briefing of a pull request: the one function that tells the whole flow."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from graph.briefing import Briefing, RunFigures


class BriefingError(Exception):
    """A briefing could not be made; the message says why and what would help (an unknown revision, no merge base)."""


def make_briefing(
    repository: Path,
    base: str,
    head: str,
    merge: str | None = None,
    *,
    facts_dir: Path | None = None,
    exhaustive: bool = False,
    graph_note: str | None = None,
    should_stop: Callable[[], bool] = lambda: False,
) -> tuple[Briefing, RunFigures]:
    """Brief `base...head` of the git repository at `repository` (a worktree or a bare clone).

    `base`, `head` and `merge` are revisions. The diff is taken against the merge base of base and head. Callers are
    found in `merge` with the pull request's own files put back to their version at `head`; in `head` when `merge` is
    None, and then `graph_note` says why. `facts_dir` is the facts cache's directory (None: no cache). Past
    `should_stop()` the briefing returns what it has, with `incomplete` set.

    Raises BriefingError when a revision is unknown or there is no merge base.
    """
    raise NotImplementedError

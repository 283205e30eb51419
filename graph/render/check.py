"""The briefing as the output of a GitHub check run, within the limits of its API.

GitHub refuses a summary or text of more than 65,535 bytes (UTF-8) and more than 50 annotations in one request. What
matters most is kept, whole, and a line says what was left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from graph.briefing import Briefing, RunFigures
from graph.eyes import breaks, is_to_check
from graph.quoting import counted, named
from graph.render.details import sections
from graph.render.escape import code_span, prose
from graph.render.fitting import compose
from graph.render.links import Linker, Links
from graph.render.summary import glance, needs_eyes, provenance
from graph.render.view import SymbolView, arranged
from graph.render.wording import breaking_words, caller_notes, title

FIELD_LIMIT = 65_535
"""Bytes of a summary or a text."""
ANNOTATION_LIMIT = 50
_CALLS_NAMED = 10
_NOTES, _NOTE_LIMIT = 10, 400


class Annotation(msgspec.Struct, frozen=True, kw_only=True):
    """A note beside a line of the diff, by the names of GitHub's API. `start_line` and `end_line` are the same."""

    path: str
    start_line: int
    end_line: int
    annotation_level: Literal["notice", "warning"]
    title: str
    message: str


class CheckOutput(msgspec.Struct, frozen=True, kw_only=True):
    """What a check run shows. `title` is one plain line; `summary` and `text` are Markdown within `FIELD_LIMIT`."""

    title: str
    summary: str
    text: str
    annotations: tuple[Annotation, ...]
    conclusion: Literal["neutral", "success", "failure"]


Policy = Literal["eyes", "success", "neutral", "failure"]
"""What a briefing concludes with. eyes: `neutral` when something needs eyes or the search was cut short, else
`success`. success, neutral: always that. failure: as eyes, but `failure` when a use that is sure breaks."""


def check_output(
    briefing: Briefing,
    links: Links,
    figures: RunFigures | None = None,
    *,
    limit: int = FIELD_LIMIT,
    policy: Policy = "eyes",
    most_callers: int | None = None,
    notes: Sequence[str] = (),
) -> CheckOutput:
    """The briefing for a check run.

    `limit` is the most bytes of `summary` and of `text`, each; `most_callers` how many are listed of one definition.
    `notes` are sentences about how the briefing was made, shown as they are; they may quote from the repository.
    """
    view = arranged(briefing)
    linker = Linker(briefing, links)
    needing = [each for each in view.reached if each.breaking or each.to_check]
    marks = [(each, place) for each in needing if (place := _line_of_the_diff(each)) is not None]
    marks.sort(key=lambda mark: _worst_first(mark[0]))

    def unannotated(_: int | None) -> str:
        left = len(marks) - ANNOTATION_LIMIT
        if left <= 0:
            return ""
        return f"The diff is annotated for the {ANNOTATION_LIMIT} worst of {len(marks):,} definitions that break uses."

    summary = compose(
        [
            lambda _: provenance(briefing, linker, links, figures),
            needs_eyes(briefing, linker),
            lambda _: glance(briefing, view),
            unannotated,
            lambda _: "\n".join(f"- {prose(note, _NOTE_LIMIT)}" for note in notes[:_NOTES]),
        ],
        limit,
    )
    return CheckOutput(
        title=title(briefing, view),
        summary=summary,
        text=compose(sections(briefing, view, linker, most_callers), limit),
        annotations=tuple(_annotation(each, *place) for each, place in marks[:ANNOTATION_LIMIT]),
        conclusion=_conclusion(briefing, policy),
    )


def _conclusion(briefing: Briefing, policy: Policy) -> Literal["neutral", "success", "failure"]:
    if policy == "success" or policy == "neutral":
        return policy
    if policy == "failure" and _breaks_for_sure(briefing):
        return "failure"
    return "neutral" if briefing.eyes or briefing.incomplete is not None else "success"


def _breaks_for_sure(briefing: Briefing) -> bool:
    symbols = (symbol for file in briefing.changed for symbol in file.symbols)
    return any(caller.sure and breaks(symbol, caller) for symbol in symbols for caller in symbol.callers) or any(
        importer.sure for moved in briefing.moved for importer in moved.importers
    )


def _worst_first(view: SymbolView) -> tuple[bool, bool, int, str, int]:
    certain = any(caller.sure and breaks(view.symbol, caller) for caller in view.symbol.callers)
    return view.file.generated, not certain, -view.breaking, view.path, view.symbol.line


def _line_of_the_diff(view: SymbolView) -> tuple[str, int] | None:
    """The line of the head that can carry a note about a definition; None when its file is gone.

    What is removed has no line of its own there: its note stands at the nearest changed definition of its file.
    """
    if view.file.path is None or not _is_text(view.file.path):
        return None
    if view.symbol.change != "removed":
        return view.file.path, view.symbol.line
    standing = [symbol for symbol in view.file.symbols if symbol.change != "removed"]
    if not standing:
        return None
    nearest = min(standing, key=lambda symbol: (abs(symbol.line - view.symbol.line), symbol.line))
    return view.file.path, nearest.line


def _is_text(path: str) -> bool:
    """Whether a path can be sent to GitHub at all: one that is not UTF-8 cannot."""
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _annotation(view: SymbolView, path: str, line: int) -> Annotation:
    symbol = view.symbol
    failing = [caller for caller in symbol.callers if breaks(symbol, caller)]
    failing += [caller for caller in symbol.callers if is_to_check(symbol, caller)]
    # A message may be printed as it stands or read as Markdown: it is written to be safe and legible as either.
    rows = []
    for caller in failing[:_CALLS_NAMED]:
        notes = [breaking_words(symbol, caller), *(prose(note, 200) for note in caller_notes(caller))]
        rows.append(f"{code_span(f'{caller.path}:{caller.line}')}: {', '.join(notes)}")
    if len(failing) > _CALLS_NAMED:
        files = len({caller.path for caller in failing[_CALLS_NAMED:]})
        rows.append(f"…and {len(failing) - _CALLS_NAMED:,} more in {counted(files, 'file')}")
    name = named(symbol.qualified, path)[0]
    what = "is removed" if symbol.change == "removed" else "changed"
    parts = [counted(view.breaking, "use outside the diff breaks", "uses outside the diff break")]
    parts = parts if view.breaking else []
    check = "to check" if parts else "outside the diff to check"
    many = ", ".join([*parts, f"{view.to_check:,} {check}"] if view.to_check else parts)
    return Annotation(
        path=path,
        start_line=line,
        end_line=line,
        annotation_level="warning" if any(caller.sure and breaks(symbol, caller) for caller in failing) else "notice",
        title=f"{code_span(name, 100)}: {many}",
        message="\n".join([f"{code_span(name)} {what}: {many}.", *rows]),
    )

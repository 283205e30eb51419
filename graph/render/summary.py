"""The part a reviewer reads first, as Markdown: where callers were sought, what needs eyes, and the counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import msgspec

from graph.briefing import Briefing, Eye, Related, RunFigures
from graph.quoting import counted, named
from graph.render.escape import code_span, definition_span, prose
from graph.render.fitting import fill, size
from graph.render.links import Linker, Links
from graph.render.view import View, broken_overrides, eye_counts
from graph.render.wording import eyes_summed, figures_words, not_followed_total, sentence, untested_words

# Places shown at once; the others are a click away.
_OPEN = 10
# So many untested definitions each have a place of their own; more of them are one line.
_UNTESTED_APART = 3
_UNTESTED_NAMED = 20


def provenance(briefing: Briefing, linker: Linker, links: Links | None, figures: RunFigures | None) -> str:
    """Which tree callers were found in, or why not the merge; how much was read; what cut it short."""
    head = linker.commit(briefing.head_sha)
    if briefing.graph_from == "merge" and briefing.base_sha is not None:
        base = linker.commit(briefing.base_sha)
        tree = f"Callers from {base} + this change ({head})."
        if links is not None:
            tree = f"Callers from {code_span(links.base_ref)} at {base} + this PR ({head})."
    else:
        branch = "the PR's branch" if links is not None else "the head"
        note = briefing.graph_note or "changes made on its base since are not included"
        tree = f"Callers from {branch} ({head}): {sentence(prose(note))}"
    lines = [tree if figures is None else f"{tree} {figures_words(figures)}"]
    if briefing.incomplete is not None:
        why = sentence(prose(briefing.incomplete))
        lines.append(f"**Incomplete:** {why}")
    return "\n\n".join(lines)


def glance(briefing: Briefing, view: View) -> str:
    """The counts behind the details, in one paragraph."""
    reached, silent = len(view.reached), len(view.silent)
    parts = []
    if view.callers:
        unsure = view.callers - view.sure
        count = "" if unsure == view.callers else f"{unsure:,} "
        doubt = f" ({count}by name match only)" if unsure else ""
        parts.append(
            f"**Outside the diff:** {counted(view.callers, 'caller')}{doubt} in {counted(view.files, 'file')}, "
            f"of {counted(reached, 'changed definition')}."
        )
    if silent:
        parts.append(f"No callers found for {counted(silent, 'changed definition')}.")
    elif not reached:
        parts.append("No changed definitions.")
    if ignored := not_followed_total(view):
        parts.append(f"{ignored[0].upper()}{ignored[1:]}.")
    tests = len({test.path for test in briefing.tests})
    if tests:
        parts.append(f"**Tests:** {counted(tests, 'test file reaches', 'test files reach')} what changed.")
    if briefing.untested:
        parts.append(f"No test found for {counted(len(briefing.untested), 'changed public definition')}.")
    if briefing.not_checked:
        parts.append(f"**Not checked:** {counted(len(briefing.not_checked), 'file')}.")
    return " ".join(parts)


class _Row(msgspec.Struct, frozen=True):
    """An entry of the list: one eye, or all the untested ones together."""

    number: int
    eyes: tuple[Eye, ...]


def needs_eyes(briefing: Briefing, linker: Linker) -> Callable[[int | None], str]:
    """The places in order of what they can break, each with files to look at beside it."""
    rows = _rows(briefing.eyes)
    broken = broken_overrides(briefing)
    heading = "### Needs your eyes"

    def render(row: _Row) -> str:
        if len(row.eyes) > 1:
            return f"{row.number}. {_untested_together(row.eyes, len(briefing.untested), linker)}"
        eye = row.eyes[0]
        marker = f"{row.number}. "
        text = f"{marker}{linker.place(eye.path, eye.line)}: {prose(eye.text)}"
        if eye.related:
            # Indented by the width of the number, or Markdown ends the entry.
            text += f"\n{' ' * len(marker)}- Look at these too: {_beside(eye.related, linker)}"
        return text

    def left_out(left: Sequence[_Row]) -> str:
        counts = eye_counts((eye for row in left for eye in row.eyes), broken)
        return f"\n…and more that has no room here: {eyes_summed(counts)}."

    def section(budget: int | None) -> str:
        if not rows:
            return "Nothing found that needs your eyes."
        at_once = rows if len(rows) <= _OPEN + 2 else rows[:_OPEN]
        rest = rows[len(at_once) :]
        shown = fill(at_once, render, left_out, None, head=f"{heading}\n")
        room = None if budget is None else budget - size(shown)
        if rest and (room is None or room > 0):
            summed = eyes_summed(eye_counts((eye for row in rest for eye in row.eyes), broken))
            opening = f"\n<details><summary>{len(rest):,} more: {summed}</summary>\n"
            shown += fill(rest, render, left_out, room, head=f"\n{opening}", foot="\n</details>")
        if budget is None or size(shown) <= budget:
            return shown
        # Not even the first have room, or nothing after them: one list, and a line about all the others.
        return fill(rows, render, left_out, budget, head=f"{heading}\n")

    return section


def _rows(eyes: Sequence[Eye]) -> list[_Row]:
    untested = tuple(eye for eye in eyes if eye.what == "untested")
    alone = [(eye,) for eye in eyes if eye.what != "untested"]
    groups = [*alone, *((eye,) for eye in untested)] if len(untested) <= _UNTESTED_APART else [*alone, untested]
    return [_Row(number, group) for number, group in enumerate(groups, 1)]


def _untested_together(eyes: Sequence[Eye], everywhere: int, linker: Linker) -> str:
    shown = [(eye, eye.symbol or eye.path) for eye in eyes[:_UNTESTED_NAMED]]
    times = Counter(named(name, eye.path) for eye, name in shown)
    labels = [definition_span(name, eye.path, ambiguous=times[named(name, eye.path)] > 1) for eye, name in shown]
    listed = ", ".join(
        linker.place(eye.path, eye.line, label=each) for (eye, _), each in zip(shown, labels, strict=True)
    )
    more = f" and {len(eyes) - _UNTESTED_NAMED:,} more" if len(eyes) > _UNTESTED_NAMED else ""
    return f"No test found for {untested_words(len(eyes), everywhere)}: {listed}{more}"


def _beside(related: Sequence[Related], linker: Linker) -> str:
    parts = []
    for why in ("caller", "test", "importer"):
        places = [
            linker.place(each.path, each.line) + ("" if each.sure else " (name match only)")
            for each in related
            if each.why == why
        ]
        if places:
            parts.append(f"{why if len(places) == 1 else why + 's'} {', '.join(places)}")
    return "; ".join(parts)

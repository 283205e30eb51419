"""The briefing as plain text for a terminal: no markup, no colours, nothing that a file name could make act."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from graph.briefing import Briefing, Symbol
from graph.quoting import clip, counted, is_component, listed, named, visible
from graph.render.escape import diff_lines
from graph.render.view import FileGroup, SymbolView, View, arranged, changed_signatures, paths_by_name
from graph.render.wording import (
    CLOSING,
    TESTED_NAMED,
    breaking_many,
    change_words,
    not_followed_words,
    place_notes,
    reach_words,
    sentence,
    title,
    untested_words,
    verdict,
)

_NAME = 160
_TOGETHER = 3


def to_text(briefing: Briefing) -> str:
    """The briefing for people, whole; the same briefing gives the same bytes."""
    view = arranged(briefing)
    parts = [
        [title(briefing, view)],
        _provenance(briefing),
        _eyes(briefing),
        _callers(view),
        _signatures(view),
        _moves(briefing),
        _tests(briefing),
        _not_checked(briefing),
        [CLOSING],
    ]
    return "\n\n".join("\n".join(lines) for lines in parts if lines) + "\n"


def _name(text: str) -> str:
    return clip(visible(text), _NAME)


def _definition(qualified: str, path: str, *, ambiguous: bool = False) -> str:
    name, file = named(qualified, path, ambiguous=ambiguous)
    return _name(name) if file is None else f"{_name(name)} of {_name(file)}"


def _place(path: str, line: int | None) -> str:
    return _name(path) if line is None else f"{_name(path)}:{line}"


def _provenance(briefing: Briefing) -> list[str]:
    head = briefing.head_sha[:7]
    if briefing.graph_from == "merge" and briefing.base_sha is not None:
        lines = [f"Callers from {briefing.base_sha[:7]} + this change ({head})."]
    else:
        note = briefing.graph_note or "changes made on its base since are not included"
        lines = [f"Callers from the head ({head}): {sentence(visible(note))}"]
    if briefing.incomplete is not None:
        lines.append(f"INCOMPLETE: {sentence(visible(briefing.incomplete))}")
    return lines


def _eyes(briefing: Briefing) -> list[str]:
    lines = ["NEEDS YOUR EYES"]
    untested = [eye for eye in briefing.eyes if eye.what == "untested"]
    apart = [eye for eye in briefing.eyes if eye.what != "untested" or len(untested) <= _TOGETHER]
    number = 0
    for number, eye in enumerate(apart, 1):
        lines.append(f"{number:>3}. {_place(eye.path, eye.line)}")
        lines.append(f"     {visible(eye.text)}")
        for why in ("caller", "test", "importer"):
            places = [
                _place(each.path, each.line) + ("" if each.sure else " (name match only)")
                for each in eye.related
                if each.why == why
            ]
            if places:
                lines.append(f"     see {why if len(places) == 1 else why + 's'}: {', '.join(places)}")
    if len(untested) > _TOGETHER:
        many = untested_words(len(untested), len(briefing.untested))
        lines.append(f"{number + 1:>3}. no test found for {many} (listed below)")
    return lines if len(lines) > 1 else ["Nothing found that needs your eyes."]


def _callers(view: View) -> list[str]:
    lines = ["CALLERS OUTSIDE THE DIFF"]
    for each in view.reached:
        lines += _block(each)
    if view.silent:
        files = Counter(name for name, _ in {(each.symbol.qualified, each.path) for each in view.silent})
        names = [
            _definition(each.symbol.qualified, each.path, ambiguous=files[each.symbol.qualified] > 1)
            for each in view.silent
        ]
        lines.append(f"  No callers found for {counted(len(names), 'changed definition')}: {', '.join(names)}")
        for each in view.silent:
            if ignored := not_followed_words(each.symbol.not_followed):
                lines.append(f"    {_definition(each.symbol.qualified, each.path)}: {ignored}")
    return lines if len(lines) > 1 else []


def _block(view: SymbolView) -> Iterator[str]:
    symbol = view.symbol
    path = view.file.old_path or view.path if symbol.change == "removed" else view.path
    generated = ", generated file" if view.file.generated else ""
    where = f"{symbol.kind} in {_place(path, symbol.line)}"
    yield f"  {_name(named(symbol.qualified, path)[0])} ({where}): {change_words(symbol)}{generated}"
    breaking = f", {many}" if (many := breaking_many(view)) else ""
    ignored = not_followed_words(symbol.not_followed)
    yield f"    {reach_words(view)}{breaking}{'; ' + ignored if ignored else ''}"
    for group in view.groups:
        yield from _group(symbol, group)


def _group(symbol: Symbol, group: FileGroup) -> Iterator[str]:
    for place in group.places:
        around = place[0].within
        within = f" in {_name(around)}" if around and not is_component(around, group.path) else ""
        breaking, others = place_notes(symbol, place)
        notes = ", ".join([*(each.upper() for each in breaking), *map(visible, others)])
        yield f"      {_place(group.path, place[0].line)}{within}{': ' if notes else ''}{notes}"


def _signatures(view: View) -> list[str]:
    lines = ["CHANGED PUBLIC SIGNATURES"]
    for each in changed_signatures(view):
        symbol = each.symbol
        name = named(symbol.qualified, each.path)[0]
        lines.append(f"  {_name(name)} ({_place(each.path, symbol.line)}): {verdict(each)}")
        lines += [f"    {line}" for line in diff_lines(symbol.before, symbol.after)]
    return lines if len(lines) > 1 else []


def _moves(briefing: Briefing) -> list[str]:
    lines = ["MOVED AND DELETED FILES"]
    for move in briefing.moved:
        where = "deleted" if move.path is None else f"moved to {_name(move.path)}"
        found = counted(len(move.importers), "import of the old path", "imports of the old path")
        lines.append(
            f"  {_name(move.old_path)} {where}: {found if move.importers else 'no import of the old path found'}"
        )
        for importer in move.importers:
            doubt = "" if importer.sure else ", name match only"
            lines.append(f"      {_place(importer.path, importer.line)} imports {_name(importer.module)}{doubt}")
    return lines if len(lines) > 1 else []


def _tests(briefing: Briefing) -> list[str]:
    lines = ["TESTS"]
    paths = paths_by_name(briefing)
    reached: dict[tuple[str, str, int | None], list[str]] = {}
    for test in briefing.tests:
        reached.setdefault((test.path, test.why, test.line), []).append(test.symbol)
    verbs = {"call": "calls", "import": "imports the file of", "name": "is named after the file of"}
    for (path, why, line), symbols in sorted(reached.items(), key=lambda item: (item[0][:2], item[0][2] or 0)):
        shown = [_definition(each, paths.get(each, "")) for each in symbols[:TESTED_NAMED]]
        more = [f"{len(symbols) - TESTED_NAMED:,} more"] if len(symbols) > TESTED_NAMED else []
        names = listed([*shown, *more])
        lines.append(f"  {_place(path, line)} {verbs[why]} {names}")
    if briefing.untested:
        lines.append(f"  No test found for {counted(len(briefing.untested), 'changed public definition')}:")
        lines += [
            f"      {_name(named(gap.symbol, gap.path)[0])} ({_place(gap.path, gap.line)})" for gap in briefing.untested
        ]
    return lines if len(lines) > 1 else []


def _not_checked(briefing: Briefing) -> list[str]:
    lines = [f"  {_name(entry.path)}: {visible(entry.why)}" for entry in briefing.not_checked]
    return ["NOT CHECKED", *lines] if lines else []

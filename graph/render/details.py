"""The details, as Markdown: callers by definition and file, signatures, moves, tests, and what was not checked.

Each section is a function of a budget in bytes (None: no limit), so that `graph.render.fitting.compose` can divide the
room among them. With a budget, long lists inside a section are cut to their most important entries as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from graph.briefing import Briefing, Caller, Importer, MovedFile, Symbol, Test, Untested
from graph.eyes import breaks, is_to_check
from graph.quoting import counted, is_component, named
from graph.render.escape import code_span, definition_span, diff_block, html_code, html_definition, prose
from graph.render.fitting import fill, shares, size
from graph.render.links import Linker
from graph.render.view import FileGroup, SymbolView, View, changed_signatures, paths_by_name
from graph.render.wording import (
    CLOSING,
    TESTED_NAMED,
    breaking_many,
    change_words,
    not_followed_words,
    place_notes,
    reach_words,
    verdict,
)

Section = Callable[[int | None], str]
Item = TypeVar("Item")

# The least room in which a definition's callers are worth beginning.
_BLOCK = 1500
# With a limit: rows of one file, importers of one move, names in one sentence.
_ROWS, _NAMES = 40, 12
# More test files than these are a click away.
_OPEN_TESTS = 10


def sections(briefing: Briefing, view: View, linker: Linker, most_callers: int | None = None) -> list[Section]:
    """Everything below the summary, in the order of the page. `most_callers` are listed of a definition, None: all."""
    return [
        _callers(view, linker, most_callers),
        _signatures(view, linker),
        _moves(briefing, linker),
        _tests(briefing, linker),
        _untested(briefing, linker),
        _not_checked(briefing),
        lambda _: CLOSING,
    ]


def _callers(view: View, linker: Linker, most: int | None) -> Section:
    silent = _silent(view)

    def section(budget: int | None) -> str:
        if not view.reached:
            return "" if not silent else f"### Callers outside the diff\n\n{silent(budget)}"
        heading = "### Callers outside the diff"
        closing = silent(budget) if silent else ""
        if budget is None:
            blocks = [_block(each, linker, None, most) for each in view.reached]
            return "\n\n".join(part for part in (heading, *blocks, closing) if part)
        room = budget - size(heading) - size(closing) - 200  # 200: the line about definitions left out, and blank lines
        kept = view.reached[: max(1, room // _BLOCK)]
        while True:
            blocks = _blocks_within(kept, linker, room, most)
            rest = view.reached[len(kept) :]
            text = "\n\n".join(part for part in (heading, *blocks, _left_out(rest), closing) if part)
            if size(text) <= budget or not kept:
                return text
            kept = kept[:-1]

    return section


def _blocks_within(views: Sequence[SymbolView], linker: Linker, room: int, most: int | None) -> list[str]:
    room -= 2 * len(views)
    full = [_block(each, linker, max(room, 0), most) for each in views]
    parts = shares([size(block) for block in full], max(room, 0))
    return [
        block if size(block) <= share else _block(each, linker, share, most)
        for each, block, share in zip(views, full, parts, strict=True)
    ]


def _left_out(views: Sequence[SymbolView]) -> str:
    if not views:
        return ""
    callers = sum(each.places for each in views)
    files = len({group.path for each in views for group in each.groups})
    return (
        f"…and {counted(callers, 'more caller')} in {counted(files, 'file')}, "
        f"of {counted(len(views), 'more changed definition')}."
    )


def _silent(view: View) -> Callable[[int | None], str] | None:
    names = [(each.symbol.qualified, each.path) for each in view.silent if not each.file.generated]
    names += [(each.symbol.qualified, each.path) for each in view.silent if each.file.generated]
    if not names:
        return None
    lead = f"No callers outside the diff found for {counted(len(names), 'changed definition')}: "
    return lambda budget: lead + _named(names, budget) + "."


def _named(names: Sequence[tuple[str, str]], budget: int | None, most: int | None = None) -> str:
    """Names of definitions, each with the path of its file. `most`: so many, whatever room there is."""
    shown = names[:most] if most is not None else names if budget is None else names[:_NAMES]
    more = f" and {len(names) - len(shown):,} more" if len(shown) < len(names) else ""
    files = Counter(name for name, _ in dict.fromkeys(names))
    return ", ".join(definition_span(name, path, ambiguous=files[name] > 1) for name, path in shown) + more


def _block(view: SymbolView, linker: Linker, budget: int | None, most: int | None) -> str:
    """One changed definition: what happened to it, how far it reaches, and its callers by file."""
    symbol = view.symbol
    place = (
        linker.before(view.file.old_path or view.path, symbol.line)
        if symbol.change == "removed"
        else linker.place(view.path, symbol.line)
    )
    facts = [f"{symbol.kind} in {place}", change_words(symbol)]
    if view.file.generated:
        facts.append("generated file")
    lines = [
        f"#### {code_span(named(symbol.qualified, view.path)[0])}",
        "",
        f"{', '.join(facts)}",
        "",
        f"{_reach(view)}",
        "",
    ]

    def left_out(groups: Sequence[FileGroup]) -> str:
        callers = sum(len(group.places) for group in groups)
        return f"- …and {counted(callers, 'more caller')} in {counted(len(groups), 'file')}"

    shown, unlisted = _first(view.groups, most)
    rest = f"\n- …and {counted(unlisted, 'more caller')}, past what the repository's configuration lists"
    return (
        fill(
            shown,
            lambda entry: _group(symbol, entry[0], linker, budget, entry[1]),
            lambda left: left_out([group for group, _ in left]),
            budget,
            head="\n".join(lines),
            foot=rest if unlisted else "",
        )
        .replace("\n\n\n", "\n\n")
        .rstrip("\n")
    )


def _first(groups: Sequence[FileGroup], most: int | None) -> tuple[list[tuple[FileGroup, int]], int]:
    """The groups that hold the first `most` places, each with how many of it are listed; and how many aren't."""
    total = sum(len(group.places) for group in groups)
    left = total if most is None else most
    found: list[tuple[FileGroup, int]] = []
    for group in groups:
        if left <= 0:
            break
        found.append((group, min(left, len(group.places))))
        left -= len(group.places)
    return found, max(total - (total if most is None else most), 0)


def _reach(view: SymbolView) -> str:
    words = reach_words(view)
    if breaking := breaking_many(view):
        words += f", **{breaking}**"
    ignored = not_followed_words(view.symbol.not_followed)
    return f"{words}; {ignored}" if ignored else words


def _group(symbol: Symbol, group: FileGroup, linker: Linker, budget: int | None, most: int) -> str:
    if len(group.places) == 1:
        place = group.places[0]
        return f"- {linker.place(group.path, place[0].line)}{_about(symbol, place)}"
    shown = group.places[:most] if budget is None else group.places[: min(most, _ROWS)]
    rows = [
        f"- {linker.place(group.path, place[0].line, label=f'line {place[0].line}')}{_about(symbol, place)}"
        for place in shown
    ]
    if len(shown) < len(group.places):
        rows.append(f"- …and {counted(len(group.places) - len(shown), 'more caller')} in this file")
    breaking = f", {counted(group.breaking, 'breaks', 'break')}" if group.breaking else ""
    breaking += f", {group.to_check:,} to check" if group.to_check else ""
    opened = "<details open>" if breaking else "<details>"
    summary = f"{html_code(group.path)} · {counted(len(group.places), 'caller')}{breaking}"
    body = "\n".join(rows)
    # Blank lines around it: Markdown goes on reading HTML until there is one.
    return f"\n{opened}<summary>{summary}</summary>\n\n{body}\n\n</details>\n"


def _about(symbol: Symbol, place: Sequence[Caller]) -> str:
    around = place[0].within
    within = f" in {code_span(around)}" if around and not is_component(around, place[0].path) else ""
    breaking, others = place_notes(symbol, place)
    notes = [*(f"**{each}**" for each in breaking), *map(prose, others)]
    return f"{within}: {', '.join(notes)}" if notes else within


def _signatures(view: View, linker: Linker) -> Section:
    changed = changed_signatures(view)

    def places(what: str, found: Iterable[tuple[str, int]]) -> str:
        named = [linker.place(*each) for each in found]
        more = f" and {len(named) - 5:,} more" if len(named) > 5 else ""
        return f"{what}: {', '.join(named[:5])}{more}\n\n" if named else ""

    def render(each: SymbolView) -> str:
        opened = "<details open>" if each.breaking or each.to_check else "<details>"
        summary = f"{html_definition(each.symbol.qualified, each.path)} · {verdict(each)}"
        callers = each.symbol.callers
        failing = dict.fromkeys((one.path, one.line) for one in callers if breaks(each.symbol, one))
        checked = dict.fromkeys((one.path, one.line) for one in callers if is_to_check(each.symbol, one))
        calls = places("Fails", failing) + places("To check", [one for one in checked if one not in failing])
        diff = diff_block(each.symbol.before, each.symbol.after)
        where = f"In {linker.place(each.path, each.symbol.line)}\n\n"
        return f"{opened}<summary>{summary}</summary>\n\n{where}{diff}\n\n{calls}</details>"

    def left_out(left: Sequence[SymbolView]) -> str:
        return f"…and {counted(len(left), 'more changed signature')}."

    return _listed("### Changed public signatures", changed, render, left_out, between="\n\n")


def _listed(
    heading: str,
    items: Sequence[Item],
    render: Callable[[Item], str],
    left_out: Callable[[Sequence[Item]], str],
    *,
    foot: str = "",
    between: str = "\n",
) -> Section:
    def section(budget: int | None) -> str:
        if not items and not foot:
            return ""
        head = heading if between == "\n\n" else f"{heading}\n"
        text = fill(items, render, left_out, budget, head=head, foot=foot, between=between)
        return text if budget is None or size(text) <= budget else ""

    return section


def _moves(briefing: Briefing, linker: Linker) -> Section:
    imported = sorted(
        (move for move in briefing.moved if move.importers), key=lambda move: (-len(move.importers), move.old_path)
    )
    quiet = [move for move in briefing.moved if not move.importers]

    def section(budget: int | None) -> str:
        def render(move: MovedFile) -> str:
            shown = move.importers if budget is None else move.importers[:_ROWS]
            rows = [f"  - {_importer(importer, linker)}" for importer in shown]
            if len(shown) < len(move.importers):
                rows.append(f"  - …and {len(move.importers) - len(shown):,} more")
            still = counted(len(move.importers), "import of the old path", "imports of the old path")
            return "\n".join([f"- {_move(move, linker)}, {still} outside the diff:", *rows])

        def left_out(left: Sequence[MovedFile]) -> str:
            importers = sum(len(move.importers) for move in left)
            return f"- …and {counted(len(left), 'more file')} with {counted(importers, 'import')} of the old path"

        foot = ""
        if quiet:
            shown = quiet if budget is None else quiet[:_NAMES]
            more = f" and {len(quiet) - len(shown):,} more" if len(shown) < len(quiet) else ""
            lead = f"- No import of the old path found for {counted(len(quiet), 'file')}: "
            foot = lead + ", ".join(_move(move, linker) for move in shown) + more
        return _listed("### Moved and deleted files", imported, render, left_out, foot=foot)(budget)

    return section


def _move(move: MovedFile, linker: Linker) -> str:
    if move.path is None:
        return f"{linker.before(move.old_path)} deleted"
    return f"{linker.before(move.old_path)} moved to {linker.place(move.path)}"


def _importer(importer: Importer, linker: Linker) -> str:
    doubt = "" if importer.sure else ", name match only"
    return f"{linker.place(importer.path, importer.line)} imports {code_span(importer.module)}{doubt}"


def _tests(briefing: Briefing, linker: Linker) -> Section:
    paths = paths_by_name(briefing)
    by_path: dict[str, list[Test]] = {}
    for test in briefing.tests:
        by_path.setdefault(test.path, []).append(test)
    order = ("call", "import", "name")
    groups = sorted(by_path.values(), key=lambda tests: min((order.index(test.why), test.path) for test in tests))

    def section(budget: int | None) -> str:
        def render(tests: Sequence[Test]) -> str:
            parts = []
            for why, verb in (
                ("call", "calls"),
                ("import", "imports the file of"),
                ("name", "is named after the file of"),
            ):
                names = sorted({(test.symbol, paths.get(test.symbol, "")) for test in tests if test.why == why})
                if names:
                    parts.append(f"{verb} {_named(names, budget, TESTED_NAMED)}")
            first = min((test for test in tests), key=lambda test: (order.index(test.why), test.line or 0))
            return f"- {linker.place(first.path, first.line)} {'; '.join(parts)}"

        def left_out(left: Sequence[Sequence[Test]]) -> str:
            return f"- …and {counted(len(left), 'more test file')}"

        if len(groups) <= _OPEN_TESTS:
            return _listed("### Tests", groups, render, left_out)(budget)
        opening = f"### Tests\n\n<details><summary>{len(groups):,} test files reach what changed</summary>"
        return _listed(opening, groups, render, left_out, foot="\n</details>")(budget)

    return section


def _untested(briefing: Briefing, linker: Linker) -> Section:
    def render(gap: Untested) -> str:
        return f"- {code_span(named(gap.symbol, gap.path)[0])} in {linker.place(gap.path, gap.line)}"

    def left_out(left: Sequence[Untested]) -> str:
        return f"- …and {len(left):,} more"

    return _listed("### No test found for", briefing.untested, render, left_out)


def _not_checked(briefing: Briefing) -> Section:
    by_why: dict[str, list[tuple[str, str]]] = {}
    for entry in briefing.not_checked:
        by_why.setdefault(entry.why, []).append((entry.path, ""))
    reasons = sorted(by_why.items(), key=lambda item: (-len(item[1]), item[0]))

    def section(budget: int | None) -> str:
        def render(reason: tuple[str, Sequence[tuple[str, str]]]) -> str:
            why, paths = reason
            return f"- {_named(paths, budget)}: {prose(why)}"

        def left_out(left: Sequence[tuple[str, Sequence[tuple[str, str]]]]) -> str:
            return f"- …and {counted(sum(len(paths) for _, paths in left), 'more file')}"

        return _listed("### Not checked", reasons, render, left_out)(budget)

    return section

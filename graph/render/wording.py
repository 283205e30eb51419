"""The words that every rendering shares: the title, what happened to a definition, how sure a caller is."""

from __future__ import annotations

from collections.abc import Sequence

from graph.briefing import (
    MOSTLY_UNREAD,
    NAMED_IN_STRING,
    UNKNOWN_BASE,
    Briefing,
    Caller,
    NotFollowed,
    RunFigures,
    Symbol,
)
from graph.eyes import is_broken, is_field, is_misfit, is_override
from graph.quoting import counted, quoted_misfit
from graph.render.view import Counted, SymbolView, View, broken_overrides, eye_counts

TITLE_LIMIT = 255

_EYES: dict[Counted, tuple[str, str]] = {
    "broken-call": ("use of removed code", "uses of removed code"),
    "misfit": ("call no longer fits", "calls no longer fit"),
    "stale-import": ("import of an old path", "imports of an old path"),
    "broken-override": ("override or implementation no longer fits", "overrides or implementations no longer fit"),
    "override": ("override or implementation to check", "overrides or implementations to check"),
    "wide": ("change reaches many callers", "changes reach many callers"),
    "untested": ("change without a test found", "changes without a test found"),
}

_UNJUDGED = ("use of a changed signature", "uses of a changed signature")

_BREAKING: tuple[Counted, ...] = ("broken-call", "misfit", "stale-import", "broken-override", "override")

_VIA = {
    "event": "through an event",
    "http": "through an HTTP route",
    "queue": "through a queue",
    "observer": "through an observer",
    "interface": "through an interface",
    "embedding": "through embedding",
    "message": "through a message",
    "service": "as a service",
    "service tag": "through a service tag",
    "service call": "called on the service",
    "factory": "as a factory",
    "route": "through a route",
    "resource route": "through a resource route",
    "controller group": "through a group of routes",
    "action string": "through an action in a string",
    "event subscriber": "subscribes with it",
    "event listener": "listens with it",
    "job": "through a job",
    "container": "through the container",
    "policy": "through a policy",
    "command": "through a command",
    "scope": "as a scope",
    "accessor": "as a property",
    "relation": "as a relationship",
    "component": "as a component",
    "injection": "injected",
    "literal": "a literal of it",
    "spec": "in its spec",
}

_KINDS = {
    "new": "constructs it",
    "base": "extends it",
    "jsx": "renders it",
    "decorator": "decorated with it",
    "argument": "passes it on",
    "value": "uses it as a value",
    "type": "names it as a type",
    "import": "imports it",
    "config": "named in configuration",
    "template": "named in a template",
}

TESTED_NAMED = 5
"""Definitions that are told by name of one test."""
CLOSING = "Found by reading the code, without running it: none found does not mean that none exist."


def title(briefing: Briefing, view: View) -> str:
    """One line that tells whether anything needs the reader: all that the list of checks shows."""
    counts = eye_counts(briefing.eyes, broken_overrides(briefing))
    serious = [what for what in _BREAKING if what in counts] or [what for what in _EYES if what in counts]
    kinds = _EYES if _are_calls(briefing) else _EYES | {"misfit": ("use no longer fits", "uses no longer fit")}
    parts = [counted(counts[what], *kinds[what]) for what in serious[:3]]
    read = any(file.language is not None for file in briefing.changed)
    if view.callers:
        reach = f"{counted(view.callers, 'caller')} outside the diff"
        unjudged = [f"{counted(view.unjudged, *_UNJUDGED)} not judged"] if view.unjudged else []
        if counts.keys().isdisjoint(_BREAKING):
            parts = [*unjudged, *parts]
        parts = [*parts, reach] if parts or view.types_unjudged else [reach, "none found that breaks"]
    elif parts:
        # An import of an old path is no caller, but "no callers found" beside it would read like all clear.
        parts = parts if serious[0] in _BREAKING else [*parts, "no callers outside the diff found"]
    elif read or briefing.moved:
        parts = ["No callers outside the diff found"]
    else:
        parts = ["Nothing checked: no changed file is in a language Callsheet reads"]
    if unread := _unread(briefing):
        words = f"most of {counted(unread, 'changed file')} could not be read"
        if serious and serious[0] in _BREAKING:
            parts.append(words)
        else:  # first, so that it does not read like all clear
            parts = [words[:1].upper() + words[1:], *(each[:1].lower() + each[1:] for each in parts)]
    if briefing.incomplete is not None:
        parts.insert(0, "Incomplete")
    while len(" · ".join(parts)) > TITLE_LIMIT:
        parts.pop()
    return " · ".join(parts)


def _unread(briefing: Briefing) -> int:
    """How many of the changed files could for the most part not be read."""
    paths = {path for file in briefing.changed for path in (file.path, file.old_path)}
    return sum(each.path in paths and each.why.startswith(MOSTLY_UNREAD) for each in briefing.not_checked)


def _are_calls(briefing: Briefing) -> bool:
    """Whether all that no longer fits are calls, be it of a constructor or a component."""
    return all(
        caller.kind in ("call", "new", "jsx", "decorator")
        for file in briefing.changed
        for symbol in file.symbols
        for caller in symbol.callers
        if is_misfit(symbol, caller)
    )


def eyes_summed(counts: dict[Counted, int]) -> str:
    """`3 uses of removed code, 2 calls no longer fit`."""
    return ", ".join(counted(counts[what], *words) for what, words in _EYES.items() if what in counts)


def untested_words(together: int, everywhere: int) -> str:
    """How many definitions without a test are told together, of so many everywhere: some are told by themselves."""
    more = " more" if together < everywhere else ""
    return f"{together:,}{more} changed public definitions"


def change_words(symbol: Symbol) -> str:
    """What happened to a definition."""
    if symbol.change == "signature" and is_field(symbol):
        return "type changed"
    if symbol.change == "signature":
        verdict = {True: ", compatible", False: ", not compatible", None: ""}[symbol.compatible]
        return f"signature changed{verdict}"
    if symbol.renamed_to is not None:
        return "renamed"
    return {"body": "body changed", "added": "added", "removed": "removed", "moved": "moved without an edit"}[
        symbol.change
    ]


def verdict(view: SymbolView) -> str:
    """Whether existing calls still fit a changed signature, and how many do not."""
    check = f"{view.to_check:,} outside the diff to check" if view.to_check else ""
    if view.breaking:
        failing = counted(view.breaking, "use outside the diff fails", "uses outside the diff fail")
        return f"not compatible, {failing} it{', ' + check if check else ''}"
    if check and view.symbol.compatible is not None:
        return f"{'compatible' if view.symbol.compatible else 'not compatible'}, {check}"
    unjudged = counted(view.unjudged, "use outside the diff is", "uses outside the diff are")
    if is_field(view.symbol):
        return f"of another type, {unjudged} not judged" if view.unjudged else "of another type"
    if view.symbol.compatible is None:
        return f"could not be compared, {unjudged} not judged" if view.unjudged else "could not be compared"
    if view.symbol.compatible:
        return "compatible: existing calls still fit"
    if view.unjudged:
        return f"not compatible, {unjudged} not judged"
    return "not compatible, no use outside the diff found that fails it"


def breaking_words(symbol: Symbol, caller: Caller) -> str:
    """How the change breaks a caller (`graph.eyes.breaks`), in words of ours; empty when it does not."""
    if is_broken(symbol, caller):
        return "uses the old name" if symbol.renamed_to is not None else "uses what this change removes"
    if is_misfit(symbol, caller):
        return "no longer fits"
    if caller.via == "contract":
        asks = "asks" if caller.sure else "may ask"
        return f"{asks} for {'what this change removes' if symbol.change == 'removed' else 'another signature'}"
    if is_override(symbol, caller):
        return "overrides or implements what changed" if caller.via == "override" else "its parent changed"
    return ""


def caller_notes(caller: Caller) -> list[str]:
    """What is to be said of a caller beyond its place: how it uses the definition, and how sure that is.

    Nothing for a plain, certain call. The texts may hold data, unescaped.
    """
    notes = [quoted_misfit(caller.misfit)] if caller.fits is not True and caller.misfit else []
    in_string = caller.reason == NAMED_IN_STRING
    if caller.kind in _KINDS and caller.via is None and not in_string:
        notes.append(_KINDS[caller.kind])
    if in_string:
        notes.append(NAMED_IN_STRING)
    elif caller.via is not None or not caller.sure:
        reason = caller.reason or (_via_words(caller.via) if caller.via else None)
        if reason is not None:
            notes.append(reason)
        if not caller.sure and reason != UNKNOWN_BASE and "name match" not in (reason or ""):
            notes.append("name match only")
    if caller.test:
        notes.append("test")
    return notes


def place_notes(symbol: Symbol, place: Sequence[Caller]) -> tuple[list[str], list[str]]:
    """What is to be said of the callers on one line, the worst first: how it breaks them, in words of ours, and what
    else. The second may hold data, unescaped."""
    breaking = [words for caller in place if (words := breaking_words(symbol, caller))]
    notes = [note for caller in place for note in caller_notes(caller)]
    notes = [note for note in notes if note != "test"] + ["test"] * ("test" in notes)
    return list(dict.fromkeys(breaking)), list(dict.fromkeys(notes))


def _via_words(via: str) -> str | None:
    return None if via in ("override", "contract") else _VIA.get(via, f"through {via}")


def breaking_many(view: SymbolView) -> str:
    """How many of a definition's callers break, or are to be checked; empty when none is."""
    if view.breaking == view.places:
        return "" if not view.places else "which breaks" if view.breaking == 1 else "all of them break"
    if view.to_check == view.places:
        return "to check" if view.to_check == 1 else "all of them to check"
    words = [counted(view.breaking, "of them breaks", "of them break")] if view.breaking else []
    return ", ".join([*words, f"{view.to_check:,} {'' if words else 'of them '}to check"] if view.to_check else words)


def reach_words(view: SymbolView) -> str:
    """`9 callers in 4 files (2 by name match only)`."""
    total = view.places
    unsure = total - view.sure
    words = f"{counted(total, 'caller')} in {counted(len(view.groups), 'file')}"
    if unsure:
        words += " (by name match only)" if unsure == total else f" ({unsure:,} by name match only)"
    return words


def not_followed_words(not_followed: NotFollowed) -> str:
    """What was seen and not listed; empty when nothing was."""
    parts = []
    if not_followed.noise:
        parts.append(counted(not_followed.noise, "use of the same common name", "uses of the same common name"))
    if not_followed.unresolved_receivers:
        parts.append(f"{counted(not_followed.unresolved_receivers, 'call')} on something whose type could not be told")
    return f"not followed: {' and '.join(parts)}" if parts else ""


def figures_words(figures: RunFigures) -> str:
    """`Searched 8,312 files, parsed 41, took 12 from the cache, in 1.2 s.`"""
    cached = f", took {figures.facts_from_cache:,} from the cache" if figures.facts_from_cache else ""
    seconds = figures.seconds.get("total", sum(figures.seconds.values()))
    time = f", in {seconds:.1f} s" if figures.seconds else ""
    searched = counted(figures.files_searched or figures.files_in_tree, "file")
    return f"Searched {searched}, parsed {figures.files_parsed:,}{cached}{time}."


def sentence(text: str) -> str:
    """`text` with a full stop at its end."""
    text = text.strip()
    return text if text.endswith((".", "!", "?")) else f"{text}."


def not_followed_total(view: View) -> str:
    """What was seen and not listed over all definitions; empty when nothing was."""
    seen = [each.symbol.not_followed for each in (*view.reached, *view.silent)]
    return not_followed_words(
        NotFollowed(
            noise=sum(each.noise for each in seen),
            unresolved_receivers=sum(each.unresolved_receivers for each in seen),
        )
    )

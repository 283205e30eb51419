"""Files outside the diff that may use what changed and could not be read, or not whole: said, so that nobody takes
"no callers found" for "there are none"."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from graph.briefing import MOSTLY_UNREAD, NotChecked
from graph.candidates import Use
from graph.changes import ChangedDefinition
from graph.git import decode, encode
from graph.index import why_unreadable
from graph.languages import extensions_of, family_of, language_of
from graph.quoting import counted
from graph.snapshot import Snapshot
from graph.symbols import target_of
from graph.world import World

SHOWN: Final = 5
"""Files that are named; of the others only their number is."""
MAX_NAMES: Final = 200
"""Names that are sought in such files, the first ones of the diff."""
MAX_LARGE: Final = 50
"""Files past the size limit that are looked into."""
SHORTEST: Final = 4
"""Characters of a name from which on it is more than a coincidence in a file that a program made."""


def unread(
    changed: Iterable[ChangedDefinition], before: World, after: World, in_diff: Collection[str]
) -> tuple[NotChecked, ...]:
    """The first of the files that hold the name of a changed definition and are too large, made by a program or read
    in part only; the last of them says how many more there are."""
    names: dict[str, dict[str, set[Use]]] = {}  # family -> name -> the uses for which the files with it are read anyway
    for each in changed:
        path = each.old_path if each.change == "removed" else each.path
        language = language_of(path) if path is not None else None
        if path is None or language is None or each.change == "added" or each.local:
            continue
        definition = each.definition
        name = definition.name
        if name in language.constructor_names:
            name = definition.qualified.rpartition(".")[0].rpartition(".")[2]
        known = names.setdefault(family_of(path) or "", {})
        if len(name) < SHORTEST or name in language.common_names or len(known) >= MAX_NAMES or name == "default":
            continue
        world = before if each.change == "removed" else after
        target = target_of(world, path, (definition,))
        read = known.setdefault(name, set())
        if target is not None and name in world.callers(path).first_words(target):
            read.add(world.callers(path).use_of(target))
    found: dict[str, str] = {}
    for family, wanted in sorted(names.items()):
        for path, why in _of_family(after, family, wanted):
            if path not in in_diff:
                found.setdefault(path, why)
    shown = sorted(found.items())[:SHOWN]
    if len(found) > SHOWN:
        path, why = shown[-1]
        more = counted(len(found) - SHOWN, "more file", "more files")
        shown[-1] = path, f"{why} (and {more} outside the diff that could not be read)"
    return tuple(
        NotChecked(path=path, why=f"outside the diff, with a changed name in it: {why}") for path, why in shown
    )


def _of_family(world: World, family: str, names: dict[str, set[Use]]) -> Iterator[tuple[str, str]]:
    snapshot = world.snapshot
    suffixes = extensions_of(family)
    candidates = world.candidates("x" + suffixes[0])
    large = [path for path in sorted(snapshot.too_large) if path.endswith(suffixes)]
    for path in _holding(snapshot, names, large):
        yield path, world.reader.why_not(snapshot, path) or "it is too large"
    for path in sorted({path for name in names for path in candidates.texts(name)}):
        language = language_of(path)
        why = why_unreadable(snapshot.read(path), language) if language is not None else None
        if why is not None:
            yield path, why
    for name, uses in names.items():
        for path in sorted({path for use in uses for path in candidates.referring(name, use)}):
            facts = world.program.facts(path)
            if facts.unreadable:
                yield path, MOSTLY_UNREAD
            elif facts.degraded:
                yield path, f"{counted(facts.degraded, 'place')} in it could not be parsed"


def _holding(snapshot: Snapshot, names: Iterable[str], paths: Sequence[str]) -> list[str]:
    """Those of the files, too large for anybody else to read, that hold one of the words: git looks into them."""
    words = [name for name in names if name.isascii() and name.isidentifier()]
    asked = [path for path in paths if path not in snapshot.overlay][:MAX_LARGE]
    if not words or not asked:
        return []
    printed, _ = snapshot.git.run(
        "-c",
        "submodule.recurse=false",
        "grep",
        "-l",
        "-w",
        "-z",
        "-a",
        "-F",
        "--full-name",
        "--no-color",
        "--no-textconv",
        "-f",
        "-",
        snapshot.commit,
        "--",
        *(f":(top,literal){path}" for path in asked),
        given=encode("\n".join(words) + "\n"),
        allowed=(0, 1),
    )
    found = {decode(entry.partition(b":")[2]) for entry in printed.split(b"\0") if entry}
    return [path for path in asked if path in found]

"""What a pull request changes: the files and lines of its diff against the merge base, and the definitions on them.

Lines come from git's hunks with no context, read by their headers only, so that neither a file's name nor its content
can be taken for a header. A change of line ends only (CRLF for LF) is no change of lines.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Final, Literal, TypeAlias

import msgspec

from graph.alike import Stretch, alike
from graph.briefing import SymbolChange
from graph.facts import Definition, FileFacts
from graph.git import Git, GitError, decode
from graph.languages.base import Syntax
from graph.listing import sizes_of
from graph.signatures import same_declaration
from graph.tokens import moved_tokens, own_tokens, same_tokens

Lines: TypeAlias = tuple[tuple[int, int], ...]
"""Ranges of lines, 1-based, both ends included, ascending, apart from each other."""
Status: TypeAlias = Literal["added", "modified", "moved", "deleted"]
FileKind: TypeAlias = Literal["file", "link", "submodule"]

RENAME_LIMIT: Final = 1000
"""Past this many added or deleted files, moves with edits are not looked for (moves without edits always are)."""

EVERY_LINE: Final[Lines] = ((1, 2**31 - 1),)

_MOST_ABSENT: Final = 500
"""Files of a diff that may be lacking in the clone, each of which git is told of in an argument."""
_RAW: Final = re.compile(rb":(\d{6}) (\d{6}) ([0-9a-f]+) ([0-9a-f]+) ([A-Z])\d*\t(.*)\n")
_INDEX: Final = re.compile(rb"index ([0-9a-f]+)\.\.([0-9a-f]+)")
_WITH_LINES: Final = (
    "--patch",
    "--find-renames",
    f"-l{RENAME_LIMIT}",
    "--unified=0",
    "--inter-hunk-context=0",
    "--diff-algorithm=myers",
    "--indent-heuristic",
    "--text",
    "--ignore-cr-at-eol",
)
_HUNK: Final = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_ESCAPE: Final = re.compile(rb"\\([0-7]{3}|.)")
_ESCAPES: Final = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}
_KINDS: Final[dict[bytes, FileKind]] = {b"120000": "link", b"160000": "submodule"}
_STATUSES: Final[dict[bytes, Status]] = {
    b"A": "added",
    b"C": "added",
    b"D": "deleted",
    b"M": "modified",
    b"R": "moved",
    b"T": "modified",
}


class FileChange(msgspec.Struct, frozen=True, kw_only=True):
    """One file of the diff.

    `path` is where it is at the head, None when it was deleted. `old_path` is where it was at the merge base when that
    is another path or when it was deleted, else None. `old_blob`/`new_blob` are None where it isn't there.
    `old_lines` are lines of the merge base's file that were removed or replaced, `new_lines` lines of the head's file
    that were added or replaced. `removed_at` are lines of the head's file after which lines were only removed (0: at
    its start). `kind` is "file" unless one side is a symbolic link or a submodule; those have no lines. `readable`: it
    is a regular file at the head. `absent`: the content of a side isn't in this clone, so every line may have changed.
    """

    path: str | None
    old_path: str | None
    status: Status
    old_blob: str | None
    new_blob: str | None
    old_lines: Lines = ()
    new_lines: Lines = ()
    removed_at: tuple[int, ...] = ()
    kind: FileKind = "file"
    readable: bool = True
    absent: bool = False

    @property
    def blobs(self) -> tuple[str, ...]:
        """The ids of its content, before and after."""
        return tuple(blob for blob in (self.old_blob, self.new_blob) if blob is not None)

    @property
    def before_path(self) -> str | None:
        """Its path at the merge base; None when it was added."""
        return None if self.old_blob is None else self.old_path or self.path

    @property
    def name(self) -> str:
        """Its path at the head, or, when it was deleted, at the merge base: what it is sorted and called by."""
        path = self.path if self.path is not None else self.old_path
        assert path is not None
        return path


def changes(git: Git, merge_base: str, head: str) -> tuple[FileChange, ...]:
    """The files that differ between two commits (full SHAs), sorted by name. Raises GitError when one isn't there."""
    try:
        found = list(_changes(git, merge_base, head, *_WITH_LINES))
    except GitError:
        # A partial or damaged clone: git stops at the first content that is lacking. The other files are compared.
        listed = list(_changes(git, merge_base, head, "--no-renames"))
        blobs = {blob for each in listed if each.kind == "file" for blob in each.blobs}
        lacking = blobs.difference(sizes_of(git, sorted(blobs)))
        absent = [_whole(each) for each in listed if not lacking.isdisjoint(each.blobs)]
        if not absent or len(absent) == len(listed) or len(absent) > _MOST_ABSENT:
            raise
        but = [f":(exclude,literal){each.name}" for each in absent]
        found = [*_changes(git, merge_base, head, *_WITH_LINES, but=but), *absent]
    return tuple(sorted(found, key=lambda change: (change.name, change.old_path or "")))


def _whole(change: FileChange) -> FileChange:
    """A change of which one side's content isn't in the clone: any line may have changed."""
    return msgspec.structs.replace(change, old_lines=EVERY_LINE, new_lines=EVERY_LINE, absent=True)


def _changes(git: Git, merge_base: str, head: str, *options: str, but: Sequence[str] = ()) -> Iterator[FileChange]:
    """The files of the diff, in git's order, with their lines if the options ask for them. `but`: pathspecs."""
    entries: list[re.Match[bytes]] = []
    hunks: dict[tuple[bytes, bytes], _Hunks] = {}
    current = _Hunks()
    # Without context every line of content starts with "+", "-" or "\": what starts otherwise is git's own. Names are
    # printed with their line ends escaped. Hunks are found again by their pair of blobs, not by name.
    for line in git.lines(
        "diff-tree",
        "-r",
        "--no-commit-id",
        "--raw",
        "--full-index",
        *options,
        "--no-ext-diff",
        "--no-textconv",
        "--no-color",
        "--no-relative",
        "--submodule=short",
        "--ignore-submodules=none",
        "--end-of-options",
        merge_base,
        head,
        *(["--", *but] if but else []),
    ):
        first = line[:1]
        if first == b"@" and (hunk := _HUNK.match(line)):
            current.add(*(1 if number is None else int(number) for number in hunk.groups()))
        elif first == b"i" and (index := _INDEX.match(line)):
            current = hunks[index.group(1), index.group(2)] = _Hunks()
        elif first == b":" and (raw := _RAW.fullmatch(line)):
            entries.append(raw)
    for entry in entries:
        yield _change(entry, hunks.get((entry.group(3), entry.group(4)), _Hunks()))


class _Hunks:
    """The changed lines of one pair of blobs."""

    def __init__(self) -> None:
        self.old: list[tuple[int, int]] = []
        self.new: list[tuple[int, int]] = []
        self.removed_at: list[int] = []

    def add(self, old_start: int, old_count: int, new_start: int, new_count: int) -> None:
        if old_count:
            self.old.append((old_start, old_start + old_count - 1))
        if new_count:
            self.new.append((new_start, new_start + new_count - 1))
        else:
            self.removed_at.append(new_start)


def _change(entry: re.Match[bytes], hunks: _Hunks) -> FileChange:
    old_mode, new_mode, old, new, letter, names = entry.groups()
    status = _STATUSES.get(letter, "modified")
    paths = [decode(_unquoted(name)) for name in names.split(b"\t")]
    kind: FileKind = _KINDS.get(new_mode) or _KINDS.get(old_mode) or "file"
    if kind != "file":
        hunks = _Hunks()
    return FileChange(
        path=None if status == "deleted" else paths[-1],
        old_path=paths[0] if status in ("moved", "deleted") else None,
        status=status,
        old_blob=None if status == "added" else old.decode("ascii"),
        new_blob=None if status == "deleted" else new.decode("ascii"),
        old_lines=tuple(hunks.old),
        new_lines=tuple(hunks.new),
        removed_at=tuple(hunks.removed_at),
        kind=kind,
        readable=status != "deleted" and new_mode not in _KINDS,
    )


def _unquoted(name: bytes) -> bytes:
    """A path as git prints it without -z: bare, or in double quotes with C escapes."""
    if len(name) < 2 or not (name.startswith(b'"') and name.endswith(b'"')):
        return name

    def replace(escape: re.Match[bytes]) -> bytes:
        code = escape.group(1)
        return bytes([int(code, 8) & 255]) if len(code) == 3 else _ESCAPES.get(code, code)

    return _ESCAPE.sub(replace, name[1:-1])


def overlay(changed: Iterable[FileChange]) -> dict[str, str | None]:
    """What puts the head's version of every changed file over another tree: path -> blob id, None for no such file."""
    replaced: dict[str, str | None] = {}
    for change in changed:
        if change.old_path is not None:
            replaced.setdefault(change.old_path, None)
        if change.path is not None:
            replaced[change.path] = change.new_blob if change.readable else None
    return replaced


def outside_diff(changed: Iterable[FileChange]) -> Callable[[str, int], bool]:
    """A function that says whether a line (1-based) of a file at the head is none that the diff adds or changes."""
    touched = {change.path: change.new_lines for change in changed if change.path is not None}

    def outside(path: str, line: int) -> bool:
        return not touches(touched.get(path, ()), line, line)

    return outside


def touches(lines: Lines, first: int, last: int) -> bool:
    """Whether any of the lines lies between `first` and `last`, both included."""
    index = bisect_left(lines, first, key=lambda span: span[1])
    return index < len(lines) and lines[index][0] <= last


# -- definitions -----------------------------------------------------------------------------------------------------


class ChangedDefinition(msgspec.Struct, frozen=True, kw_only=True):
    """A definition that the diff changes, adds, removes or moves.

    `path` is its file at the head (None when the file is deleted), `old_path` its file at the merge base (None when the
    file is added); they differ when the file, or the definition alone, moved. Definitions of the same qualified name
    (overloads, a getter and its setter, branches of an `if`) are one: `befores` and `afters` are all of them in source
    order, `before` and `after` the one that speaks for them (the implementation, or else the first that changed).
    change "moved": to another file, without an edit. `local`: inside a function, so that no other file can name it.
    `field_of`: it is a field (`graph.fields`), of this class or type as it is on the side that counts: before the
    change where it was removed, else after it. `renamed_to`: of a removed one, the qualified name under which the same
    is there now (`graph.renames`). `only_fields`: a type of which only fields changed, so that it concerns nobody
    but who lists the values of all of them without their names, or converts to it.
    """

    before: Definition | None
    after: Definition | None
    change: SymbolChange
    path: str | None
    old_path: str | None
    befores: tuple[Definition, ...] = ()
    afters: tuple[Definition, ...] = ()
    local: bool = False
    field_of: Definition | None = None
    renamed_to: str | None = None
    only_fields: bool = False

    @property
    def definition(self) -> Definition:
        """As it is at the head, or, when it was removed, as it was."""
        definition = self.after or self.before
        assert definition is not None
        return definition


def targets(
    change: FileChange,
    before: FileFacts | None,
    after: FileFacts | None,
    *,
    before_syntax: Syntax | None = None,
    after_syntax: Syntax | None = None,
) -> tuple[ChangedDefinition, ...]:
    """The definitions that one file of the diff changes, in the order of their lines (removed ones last).

    On each changed line the innermost definition counts; a class or an object counts only for lines that no definition
    in it has. What is inside a function belongs to that function, too. `before` and `after` are the file's facts at the
    merge base and at the head, None where it isn't there. With both syntaxes, definitions are compared token by token:
    what only changed in its comments, white space or place in the file is no change. Without them every touched
    definition is taken for changed. One that is no longer exported is changed wherever that was said.
    """
    if change.kind != "file":
        return ()
    old = _Side(before, change.old_lines, before_syntax)
    new = _Side(after, change.new_lines, after_syntax)
    compared = before_syntax is not None and after_syntax is not None
    found: list[ChangedDefinition] = []
    removed: list[ChangedDefinition] = []
    for qualified in dict.fromkeys([*new.groups, *old.groups]):
        befores, afters = old.groups.get(qualified, ()), new.groups.get(qualified, ())
        local = (new if afters else old).is_local((afters or befores)[0])
        kind: SymbolChange
        if befores and afters:
            hidden = old.definitions[befores[0]].exported and not new.definitions[afters[0]].exported
            # An interface may be declared by what is in it: then a method more or less is a change of it, too.
            hidden = hidden or _is_reshaped(old.definitions[befores[0]], new.definitions[afters[0]], new.language)
            if not (hidden or old.hit(befores, loosely=compared) or new.hit(afters, loosely=compared)):
                continue
            everything = list(range(max(len(befores), len(afters))))
            differing = _differing(old, befores, new, afters) if compared else everything
            if not (differing or hidden):
                continue
            # One more definition of the same declaration (an `if` and its `else`) changes no signature.
            pairs = zip_longest(befores, afters, fillvalue=None)
            same = all(
                same_declaration(
                    old.definitions[b if b is not None else befores[0]],
                    new.definitions[a if a is not None else afters[0]],
                    new.language,
                )
                for b, a in pairs
            )
            kind = "body" if same else "signature"
        elif local:
            continue  # its coming and going is a change of the function around it
        else:
            differing = []
            kind = "added" if afters else "removed"
        (found if afters else removed).append(
            ChangedDefinition(
                before=old.speaker(befores, differing),
                after=new.speaker(afters, differing),
                change=kind,
                path=change.path,
                old_path=change.before_path,
                befores=tuple(old.definitions[index] for index in befores),
                afters=tuple(new.definitions[index] for index in afters),
                local=local,
            )
        )
    return (
        *sorted(found, key=lambda one: one.definition.start),
        *sorted(removed, key=lambda one: one.definition.start),
    )


def _is_reshaped(before: Definition, after: Definition, language: str) -> bool:
    kinds = (before.kind, after.kind)
    return kinds == ("interface", "interface") and not same_declaration(before, after, language)


class _Side:
    """A file's definitions on one side of the diff, grouped by qualified name."""

    def __init__(self, facts: FileFacts | None, lines: Lines, syntax: Syntax | None) -> None:
        self.definitions = facts.definitions if facts is not None else ()
        self.language = facts.language if facts is not None else ""
        self.syntax = syntax
        self._lines = lines
        self._local: list[bool] = []
        self._holds: dict[int, list[int]] = {}
        groups: dict[str, list[int]] = {}
        for index, definition in enumerate(self.definitions):
            groups.setdefault(definition.qualified, []).append(index)
            parent = definition.parent
            self._local.append(parent >= 0 and (self._local[parent] or _is_function(self.definitions[parent])))
            if parent >= 0 and not _is_function(self.definitions[parent]):
                self._holds.setdefault(parent, []).append(index)
        self.groups = {qualified: tuple(indices) for qualified, indices in groups.items()}

    def is_local(self, index: int) -> bool:
        return self._local[index]

    def hit(self, indices: Iterable[int], *, loosely: bool) -> bool:
        """Whether a changed line is one of a definition's own. `loosely`: lines that it shares with one in it, too."""
        return any(self._hit(index, loosely) for index in indices)

    def _hit(self, index: int, loosely: bool) -> bool:
        definition = self.definitions[index]
        line = definition.first_line
        for inner in sorted(self._holds.get(index, ()), key=lambda inner: self.definitions[inner].first_line):
            other = self.definitions[inner]
            last = other.first_line if loosely else other.first_line - 1
            if line <= last and touches(self._lines, line, last):
                return True
            line = max(line, other.end_line if loosely else other.end_line + 1)
        return line <= definition.end_line and touches(self._lines, line, definition.end_line)

    def tokens(self, index: int) -> Iterator[bytes]:
        assert self.syntax is not None
        return own_tokens(self.syntax, index, self._holds.get(index, ()))

    def alone(self, index: int) -> Stretch | None:
        """Where a definition stands that holds no other one; None for one that does, or that no syntax tells of."""
        definition = self.definitions[index]
        if self.syntax is None or index in self._holds or "whole file" in definition.modifiers:
            return None
        return self.syntax, definition.start, definition.end

    def speaker(self, indices: Sequence[int], differing: Sequence[int]) -> Definition | None:
        """The definition that speaks for all of the same name."""
        if not indices:
            return None
        implementations = [index for index in indices if "overload" not in self.definitions[index].modifiers]
        if len(implementations) < len(indices):
            return self.definitions[implementations[-1] if implementations else indices[0]]
        position = next((place for place in differing if place < len(indices)), 0)
        return self.definitions[indices[position]]


def _is_function(definition: Definition) -> bool:
    return definition.kind in ("function", "method", "component") or definition.parameters is not None


def _differing(old: _Side, befores: Sequence[int], new: _Side, afters: Sequence[int]) -> list[int]:
    """The positions at which definitions of the same name differ in their own tokens, or are on one side only."""
    return [
        position
        for position, (before, after) in enumerate(zip_longest(befores, afters))
        if before is None or after is None or not _same(old, before, new, after)
    ]


def _same(old: _Side, before: int, new: _Side, after: int) -> bool:
    """Whether two definitions have the same tokens."""
    one, other = old.alone(before), new.alone(after)
    same = alike(one, other) if one is not None and other is not None else None
    return same_tokens(old.tokens(before), new.tokens(after)) if same is None else same


def pair_moves(
    changed: Iterable[ChangedDefinition],
    before: Callable[[str], Syntax | None],
    after: Callable[[str], Syntax | None],
) -> tuple[ChangedDefinition, ...]:
    """The same, with each definition that was removed from one file and added to another joined into one.

    They are joined when qualified name and kind are the same and so are the tokens, from the name on (change "moved"),
    or when there is only one of that name on each side and most of its tokens stayed (change "body" or "signature",
    `old_path` unlike `path`). A member moves with its class. `before` and `after` give the syntax of a file by its
    path at the merge base and at the head.
    """
    everything = tuple(changed)
    removed = _by_name(one for one in everything if one.change == "removed")
    added = _by_name(one for one in everything if one.change == "added")
    joined: dict[int, ChangedDefinition] = {}
    gone: set[int] = set()
    for name, olds in removed.items():
        news = added.get(name, [])
        for old in olds:
            candidates = [new for new in news if id(new) not in joined and new.path != old.old_path]
            for new in candidates:
                share = _shared(old, new, before, after)
                if share == 1.0 or (share >= _STAYED and len(olds) == len(news) == 1):
                    joined[id(new)] = _joined(old, new, share == 1.0, after)
                    gone.add(id(old))
                    break
    return tuple(joined.get(id(one), one) for one in everything if id(one) not in gone)


_STAYED: Final = 0.6
"""Share of the tokens that must be the same for a moved and edited definition to be taken for the same one."""


def _by_name(changed: Iterable[ChangedDefinition]) -> dict[tuple[str, str], list[ChangedDefinition]]:
    found: dict[tuple[str, str], list[ChangedDefinition]] = {}
    for one in changed:
        found.setdefault((one.definition.qualified, one.definition.kind), []).append(one)
    return found


def _shared(
    old: ChangedDefinition,
    new: ChangedDefinition,
    before: Callable[[str], Syntax | None],
    after: Callable[[str], Syntax | None],
) -> float:
    """The share of tokens that two definitions have in common: 1.0 only when they are the same, in the same order."""
    assert old.before is not None
    assert new.after is not None
    old_syntax = before(old.old_path) if old.old_path is not None else None
    new_syntax = after(new.path) if new.path is not None else None
    if old_syntax is None or new_syntax is None:
        return 0.0
    one, other = list(moved_tokens(old_syntax, old.before)), list(moved_tokens(new_syntax, new.after))
    if one == other and len(old.befores) == len(new.afters):
        return 1.0
    common = (Counter(one) & Counter(other)).total()
    return min(common / max(len(one), len(other), 1), 0.99)


def _joined(
    old: ChangedDefinition, new: ChangedDefinition, same: bool, after: Callable[[str], Syntax | None]
) -> ChangedDefinition:
    assert old.before is not None
    assert new.after is not None
    kind: SymbolChange = "moved"
    if not same:
        syntax = after(new.path) if new.path is not None else None
        language = syntax.facts.language if syntax is not None else ""
        kind = "body" if same_declaration(old.before, new.after, language) else "signature"
    return msgspec.structs.replace(new, before=old.before, befores=old.befores, old_path=old.old_path, change=kind)

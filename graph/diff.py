"""The files and lines of a pull request's diff against the merge base.

Lines come from git's hunks with no context, read by their headers only, so that neither a file's name nor its content
can be taken for a header. A change of line ends only (CRLF for LF) is no change of lines.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, Literal, TypeAlias

import msgspec

from graph.git import Git, GitError, decode
from graph.listing import sizes_of

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
_ENDING: Final = re.compile(r"\.[A-Za-z0-9_]+\Z")
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


def moves(git: Git, one: str, other: str, paths: Iterable[str]) -> Iterator[FileChange]:
    """The files that have another path in another commit, with their lines, among all with such endings as the `paths`
    have. Moves with edits are left out where the clone lacks a file's content."""
    endings = {ending.group() for path in paths if (ending := _ENDING.search(path)) is not None}
    but = [f":(top,glob)**/*{ending}" for ending in sorted(endings)]
    try:
        yield from list(_changes(git, one, other, *_WITH_LINES, "--diff-filter=R", but=but))
    except GitError:
        yield from _changes(git, one, other, "--find-renames=100%", "--diff-filter=R", but=but)


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


class DiffLines:
    """Where lines of the merge base's files are at the head, and which lines the diff touches."""

    def __init__(self, changes: Sequence[FileChange]) -> None:
        self._by_old = {change.before_path: change for change in changes if change.before_path is not None}
        self._by_new = {change.path: change for change in changes if change.path is not None}
        self.new_paths = list(self._by_new)
        self.old_paths = [change.old_path for change in changes if change.old_path is not None]

    def touched(self, path: str, line: int) -> bool:
        """Whether the diff adds or changes the line of the file at the head."""
        change = self._by_new.get(path)
        return change is not None and touches(change.new_lines, line, line)

    def touch(self, path: str, first: int, last: int) -> bool:
        """Whether the diff adds, changes or removes any line from one to another of the file at the head."""
        change = self._by_new.get(path)
        return change is not None and (
            touches(change.new_lines, first, last) or any(first <= line < last for line in change.removed_at)
        )

    def is_in_diff(self, path: str) -> bool:
        """Whether the diff touches the file at the head."""
        return path in self._by_new

    def path_after(self, path: str) -> str | None:
        """Where a file of the merge base is at the head; None where it isn't there any more."""
        change = self._by_old.get(path)
        return change.path if change is not None else path

    def path_before(self, path: str) -> str | None:
        """Where a file of the head was at the merge base; None where it wasn't there yet."""
        change = self._by_new.get(path)
        return change.before_path if change is not None else path

    def moved_on(self, path: str, line: int) -> tuple[str, int] | None:
        """Where a line of the file at the merge base is at the head; None when the diff removes it."""
        change = self._by_old.get(path)
        if change is None:
            return path, line
        if change.path is None:
            return None
        if any(first <= line <= last for first, last in change.old_lines):
            return None
        kept = line - sum(last - first + 1 for first, last in change.old_lines if last < line)
        now = kept
        for first, last in change.new_lines:
            if first <= now:
                now += last - first + 1
        return change.path, now

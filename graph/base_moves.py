"""Files that a pull request edits and that its base branch moved meanwhile.

The merge has such a file at its new path, with the edits of both sides: what names it there (a module, a namespace, its
own relative imports) is the base's. So callers are found in the merge's version, and what was there before the change
is that version with the pull request's lines taken back. The briefing names the file as the pull request does, by its
path and lines at the head.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from graph.briefing import Importer, MovedFile, Symbol
from graph.diff import FileChange, moves
from graph.git import Git
from graph.languages import language_of
from graph.listing import sizes_of
from graph.scope import Scope
from graph.snapshot import SIZE_LIMIT, BlobCache, Snapshot, in_skipped_folder


class BaseMoves:
    """`changes` are the files of the diff as they are in the tree in which callers are found; the methods say where
    something of that tree is at the head."""

    def __init__(self, changes: Sequence[FileChange], moved: Mapping[str, _Moved] | None = None) -> None:
        """`moved`: those that the base moved, by their path in the merge."""
        self._moved = moved or {}
        self._there = {each.path: path for path, each in self._moved.items()}
        found = [self._moved[there].change if (there := self._there.get(each.name)) else each for each in changes]
        self.changes = tuple(sorted(found, key=lambda change: (change.name, change.old_path or "")))

    def there(self, path: str) -> str:
        """Where the merge has a file of the head."""
        return self._there.get(path, path)

    def path(self, path: str) -> str:
        """The path at the head of a file of the merge."""
        return self._moved[path].path if path in self._moved else path

    def place(self, path: str, line: int) -> tuple[str, int]:
        """Where a line of the merge is at the head; one that the base added to a file stays as it is."""
        moved = self._moved.get(path)
        if moved is None or not (now := moved.after.exactly(line)):
            return path, line
        return moved.path, now

    def symbol(self, symbol: Symbol, path: str | None) -> Symbol:
        """A definition of the changed file at `path` with its own lines and its callers' places as at the head."""
        if not self._moved:
            return symbol
        moved = self._moved.get(path or "")
        callers = []
        for each in symbol.callers:
            path, line = self.place(each.path, each.line)
            callers.append(msgspec.structs.replace(each, path=path, line=line))
        line, end = symbol.line, symbol.end_line
        if moved is not None:
            lines = moved.before if symbol.change == "removed" else moved.after
            line, end = lines.about(line), lines.about(end)
        return msgspec.structs.replace(symbol, line=line, end_line=end, callers=tuple(callers))

    def move(self, move: MovedFile) -> MovedFile:
        """A moved file with the places of its importers at the head."""
        if not self._moved:
            return move
        importers: list[Importer] = []
        for each in move.importers:
            path, line = self.place(each.path, each.line)
            importers.append(msgspec.structs.replace(each, path=path, line=line))
        return msgspec.structs.replace(move, importers=tuple(importers))


class _Lines:
    """For each line of one version of a file the line of another, 0 where that has none."""

    def __init__(self, lines: Sequence[int]) -> None:
        self._lines = lines

    def exactly(self, line: int) -> int:
        return self._lines[line - 1] if 0 < line <= len(self._lines) else 0

    def about(self, line: int) -> int:
        """The same, or else the one after the last before it."""
        exact = self.exactly(line)
        return exact or next((before for before in reversed(self._lines[:line]) if before), 0) + 1


class _Moved(msgspec.Struct, frozen=True):
    """`path`: where the file is at the head. `change`: the change as it is in the merge, where `before` and `after` say
    which line of the merge base's and of the head's file a line is."""

    path: str
    change: FileChange
    before: _Lines
    after: _Lines


def base_moves(
    git: Git, blobs: BlobCache, changed: Sequence[FileChange], head: str, merged: Snapshot, scope: Scope
) -> BaseMoves:
    """The pull request's changes as they are in the snapshot of its merge. Git is asked for moves only where a file
    that the pull request edits is missing there."""
    missing = {
        each.path: each
        for each in changed
        if each.path is not None
        and (each.status, each.kind, each.old_path) == ("modified", "file", None)
        and each.readable
        and not each.absent
        and not _has(merged, each.path)
        and scope.why_out(each.path) is None
    }
    if not missing:
        return BaseMoves(changed)
    taken = {path for each in changed for path in (each.path, each.old_path)}
    found: dict[str, _Moved] = {}
    for move in moves(git, head, merged.commit, missing):
        old_path, path = move.old_path, move.path
        if old_path not in missing or path is None or path in taken or path not in merged:
            continue
        if language_of(path) is not language_of(old_path) or scope.why_out(path) is not None:
            continue
        found[path] = _put_there(git, blobs, missing[old_path], move)
    return BaseMoves(changed, found)


def _has(snapshot: Snapshot, path: str) -> bool:
    known = path in snapshot or path in snapshot.links or path in snapshot.submodules
    return known or in_skipped_folder(path)  # what lies there is not looked at


def _put_there(git: Git, blobs: BlobCache, ours: FileChange, base: FileChange) -> _Moved:
    """What the pull request changes of a file (`ours`), where the merge has it; `base` is what the base made of the
    head's file. Where the lines of both are not to be told apart, the pull request's own version is put there."""
    assert ours.path is not None
    assert base.path is not None
    known = {blob for each in (ours, base) for blob in each.blobs}
    sizes = sizes_of(git, sorted(known))
    undone = None
    if base.new_blob != ours.new_blob and all(sizes.get(blob, SIZE_LIMIT + 1) <= SIZE_LIMIT for blob in known):
        undone = _undone(blobs, ours, base)
    if undone is not None:
        return undone
    change = msgspec.structs.replace(ours, path=base.path)
    return _Moved(ours.path, change, _Same(), _Same())


class _Same(_Lines):
    """Each line is its own."""

    def __init__(self) -> None:
        super().__init__(())

    def exactly(self, line: int) -> int:
        return line

    def about(self, line: int) -> int:
        return line


def _undone(blobs: BlobCache, ours: FileChange, base: FileChange) -> _Moved | None:
    """The merge's version of a file and what it is without the pull request's lines; None where they can't be found in
    it as they are at the head."""
    assert ours.path is not None
    assert ours.old_blob is not None
    assert ours.new_blob is not None
    assert base.path is not None
    assert base.new_blob is not None
    old, head, merge = (
        blobs.get(blob, path).split(b"\n")
        for blob, path in ((ours.old_blob, ours.path), (ours.new_blob, ours.path), (base.new_blob, base.path))
    )
    mine, theirs = list(_hunks(ours)), list(_hunks(base))
    at_head, at_old = _was(theirs, len(merge)), _was(mine, len(head))
    made: list[bytes] = []
    before: list[int] = []
    old_lines: list[tuple[int, int]] = []
    new_lines: list[tuple[int, int]] = []
    removed_at: list[int] = []
    done = 0

    def keep(until: int) -> None:
        made.extend(merge[done:until])
        before.extend(at_old[now - 1] if 0 < (now := at_head[line]) <= len(head) else 0 for line in range(done, until))

    for hunk in mine:
        at = hunk.new_at + _shift(theirs, hunk)
        if at < done or any(_overlap(each, hunk) for each in theirs):
            return None
        if not _same(merge[at : at + hunk.new], head[hunk.new_at : hunk.new_at + hunk.new]):
            return None
        keep(at)
        if hunk.old:
            old_lines.append((len(made) + 1, len(made) + hunk.old))
        if hunk.new:
            new_lines.append((at + 1, at + hunk.new))
        else:
            removed_at.append(at)
        made.extend(old[hunk.old_at : hunk.old_at + hunk.old])
        before.extend(range(hunk.old_at + 1, hunk.old_at + hunk.old + 1))
        done = at + hunk.new
    keep(len(merge))
    content = b"\n".join(made)
    change = msgspec.structs.replace(
        ours,
        path=base.path,
        old_blob=blobs.put(content, like=ours.old_blob),
        new_blob=base.new_blob,
        old_lines=tuple(old_lines),
        new_lines=tuple(new_lines),
        removed_at=tuple(removed_at),
    )
    return _Moved(ours.path, change, _Lines(before), _Lines(at_head))


class _Hunk(msgspec.Struct, frozen=True):
    """So many lines of the old version after the first `old_at` became so many after the first `new_at` of the new."""

    old_at: int
    old: int
    new_at: int
    new: int


def _hunks(change: FileChange) -> Iterator[_Hunk]:
    """The hunks that the lines of a change were read from: between two of them at least one line stayed."""
    olds = change.old_lines
    news = sorted(
        [*((first - 1, last - first + 1) for first, last in change.new_lines), *((at, 0) for at in change.removed_at)]
    )
    shift = place = 0
    for new_at, new in news:
        old_at, old = new_at - shift, 0
        if place < len(olds) and olds[place][0] - 1 == old_at:
            old = olds[place][1] - old_at
            place += 1
        yield _Hunk(old_at, old, new_at, new)
        shift += new - old


def _was(hunks: Sequence[_Hunk], count: int) -> list[int]:
    """For each of the lines of the new version its line of the old one, 0 for one that is new. Where as many lines
    became others, each is the one that it became."""
    found: list[int] = []
    shift = 0
    for hunk in hunks:
        found.extend(line + 1 - shift for line in range(len(found), hunk.new_at))
        found.extend(range(hunk.old_at + 1, hunk.old_at + hunk.old + 1) if hunk.new == hunk.old else [0] * hunk.new)
        shift += hunk.new - hunk.old
    found.extend(line + 1 - shift for line in range(len(found), count))
    return found


def _shift(hunks: Sequence[_Hunk], before: _Hunk) -> int:
    """By how many lines hunks further up in the old version move what is in the new version of `before`."""
    return sum(each.new - each.old for each in hunks if each.old_at + each.old <= before.new_at)


def _overlap(base: _Hunk, ours: _Hunk) -> bool:
    """Whether the base edited lines of the head that the pull request did, or lines around what that took away."""
    return base.old_at < ours.new_at + ours.new and ours.new_at < base.old_at + base.old


def _same(ones: Sequence[bytes], others: Sequence[bytes]) -> bool:
    return [one.rstrip(b"\r") for one in ones] == [other.rstrip(b"\r") for other in others]

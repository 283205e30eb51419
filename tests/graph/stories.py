"""A repository as a story: commits made of given texts, then questions in a reader's words.

    repo = Repo(tmp_path).commit({"tax.py": "...", "shop.py": "..."}).commit({"tax.py": "..."})
    assert repo.brief().callers("compute_tax") == repo.marked()

What must be found stands in the texts themselves, as a word in a comment at the end of the line: `CALLER` for a sure
caller, `MAYBE` for one by name only, `TYPE` for a type reference, `TARGET` for the definition that `Repo.callers` is
asked about. `CALLER:tag` belongs to `marked("tag")`. A line without a word must not be found. The words say nothing to
the search: no text names its target in a comment.

Every question is asked in all the ways in which it must have one answer: narrowed by the word search and exhaustively,
with an empty cache, a filled one and none.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import dedent
from typing import Any, Self, TypeAlias

import msgspec

from graph.brief import make_briefing
from graph.briefing import Briefing, ChangedFile, Symbol
from graph.lookup import FoundCallers, FoundSymbol, find_callers
from graph.render.as_json import to_json
from tests.graph.repositories import Content, MadeRepository

Files: TypeAlias = Mapping[Any, Content]
"""Path -> content. A path is a str, or bytes where no str could stand for it."""

_MARK = re.compile(rb"\b(CALLER|MAYBE|TYPE|TARGET)(?::(\w+))?\b")
_SUFFIXES = {"CALLER": "", "MAYBE": " ?", "TYPE": " type"}


class Repo:
    """A bare repository under `path`. Commits are numbered from 0; each is put upon the last unless `on` says other."""

    def __init__(self, path: Path) -> None:
        self._scratch = path
        self._made = MadeRepository(path / "repo.git")
        self._trees: list[dict[bytes, bytes]] = []
        self._stream: list[bytes] = []
        self._shas: list[str] = []

    # ---------------------------------------------------------------------------------------------------- telling

    def commit(
        self,
        files: Files,
        *,
        on: Sequence[int] | None = None,
        links: Mapping[str, str] | None = None,
        submodules: Mapping[str, str] | None = None,
    ) -> Self:
        """A commit of its (first) parent's files with these put over them; None removes one. `on=()` has no parent.

        A text that begins with a line end is moved to the left, without that line end.
        """
        number = len(self._trees)
        parents = ([number - 1] if number else []) if on is None else list(on)
        tree = dict(self._trees[parents[0]]) if parents else {}
        lines = [
            b"commit refs/heads/c%d\nmark :%d\n" % (number, number + 1),
            b"committer A <a@example.com> 1704067200 +0000\ndata 0\n",
            *(b"%s %s\n" % (b"merge" if place else b"from", self._name(each)) for place, each in enumerate(parents)),
        ]
        for name, content in files.items():
            key = name if isinstance(name, bytes) else name.encode()
            if content is None:
                del tree[key]
                lines.append(b"D %s\n" % _quoted(key))
            else:
                tree[key] = _bytes(content)
                lines.append(b"M 100644 inline %s\ndata %d\n%s\n" % (_quoted(key), len(tree[key]), tree[key]))
        for name, target in (links or {}).items():
            lines.append(b"M 120000 inline %s\ndata %d\n%s\n" % (_quoted(name.encode()), len(target), target.encode()))
        for name, sha in (submodules or {}).items():
            lines.append(b"M 160000 %s %s\n" % (sha.encode(), _quoted(name.encode())))
        self._trees.append(tree)
        self._stream += lines
        return self

    # ---------------------------------------------------------------------------------------------------- asking

    @property
    def path(self) -> Path:
        """The git directory, with all commits in it."""
        if self._stream:
            self._made.git("fast-import", "--quiet", "--force", given=b"".join(self._stream))
            self._stream.clear()
            printed = self._made.git("for-each-ref", "--format=%(refname:short) %(objectname)", "refs/heads/")
            found = dict(line.split() for line in printed.decode().splitlines())
            self._shas = [found[f"c{number}"] for number in range(len(self._trees))]
        return self._made.path

    def _name(self, number: int) -> bytes:
        """A commit as fast-import names it."""
        return self._shas[number].encode() if number < len(self._shas) else b":%d" % (number + 1)

    def sha(self, number: int) -> str:
        """The id of a commit by its number; -1 is the last."""
        assert self.path
        return self._shas[number]

    def brief(self, base: int = 0, head: int = -1, merge: int | None = None) -> Told:
        """The briefing of `base...head`, the same in every way in which it can be made."""
        revisions = (self.sha(base), self.sha(head), None if merge is None else self.sha(merge))
        with tempfile.TemporaryDirectory(dir=self._scratch) as facts:
            ways = {
                "fast, no cache": make_briefing(self.path, *revisions)[0],
                "exhaustive, cold": make_briefing(self.path, *revisions, facts_dir=Path(facts), exhaustive=True)[0],
                "fast, warm": make_briefing(self.path, *revisions, facts_dir=Path(facts))[0],
            }
        printed = {way: to_json(briefing).decode() for way, briefing in ways.items()}
        for way, text in printed.items():
            assert text == printed["fast, no cache"], way
        return Told(ways["fast, no cache"])

    def ask(self, places: Sequence[tuple[str, int]], rev: int = -1) -> tuple[FoundSymbol, ...]:
        """The definitions at (path, line) places of a commit's tree with their callers, found fast and exhaustively."""
        sha = self.sha(rev)
        fast, _ = find_callers(self.path, sha, places)
        exhaustive, _ = find_callers(self.path, sha, places, exhaustive=True)
        assert _shown(fast) == _shown(exhaustive)
        return fast.symbols

    def callers(self, tag: str = "") -> list[str]:
        """The callers of the definition whose name stands on the line marked TARGET, as `marked` writes them."""
        (place,) = self.lines("TARGET", tag)
        (found,) = self.ask([place])
        assert found.name is not None, f"no definition at {place}"
        return _ordered((each.file, each.line, each.sure, each.kind) for each in found.callers)

    def ways(self) -> dict[str, str | None]:
        """`path:line` of each caller of the definition marked TARGET -> what connects them."""
        (place,) = self.lines("TARGET")
        return {f"{each.file}:{each.line}": each.via for each in self.ask([place])[0].callers}

    def marked(self, tag: str = "", rev: int = -1) -> list[str]:
        """`path:line` of every marked line of a commit, in order; with " ?" for MAYBE and " type" for TYPE."""
        found = [(path, line, word) for word in _SUFFIXES for path, line in self.lines(word, tag, rev)]
        return [f"{path}:{line}{_SUFFIXES[word]}" for path, line, word in sorted(found)]

    def lines(self, word: str, tag: str = "", rev: int = -1) -> list[tuple[str, int]]:
        """(path, line) of every line of a commit that is marked with the word."""
        return [
            (path.decode("utf-8", "surrogateescape"), number)
            for path, content in sorted(self._trees[rev].items())
            for number, line in enumerate(content.split(b"\n"), start=1)
            for mark in _MARK.finditer(line)
            if mark.group(1).decode() == word and (mark.group(2) or b"").decode() == tag
        ]


class Told:
    """A briefing, asked in a reader's words. Definitions are named by their qualified name."""

    def __init__(self, briefing: Briefing) -> None:
        self.briefing = briefing

    def symbol(self, qualified: str, path: str | None = None) -> Symbol:
        """The changed definition of that name (in the file at `path`, where several files have one)."""
        found = [
            symbol
            for file in self.briefing.changed
            for symbol in file.symbols
            if symbol.qualified == qualified and path in (None, file.path, file.old_path)
        ]
        assert len(found) == 1, f"{len(found)} changed definitions {qualified!r} among {self.changes()}"
        return found[0]

    def callers(self, qualified: str, path: str | None = None) -> list[str]:
        """Its callers as `Repo.marked` writes them."""
        return _ordered((each.path, each.line, each.sure, each.kind) for each in self.symbol(qualified, path).callers)

    def kinds(self, qualified: str) -> dict[str, str]:
        """`path:line` of each of its callers -> kind."""
        return {f"{each.path}:{each.line}": each.kind for each in self.symbol(qualified).callers}

    def fits(self, qualified: str) -> dict[str, bool | None]:
        """`path:line` of each of its callers -> whether the call still fits."""
        return {f"{each.path}:{each.line}": each.fits for each in self.symbol(qualified).callers}

    def changes(self) -> dict[str, str]:
        """Qualified name -> how it changed, of all changed definitions."""
        return {symbol.qualified: symbol.change for file in self.briefing.changed for symbol in file.symbols}

    def file(self, path: str) -> ChangedFile:
        """The changed file of that path (at the head; of a deleted one, before)."""
        (found,) = (file for file in self.briefing.changed if (file.path or file.old_path) == path)
        return found

    def stale_imports(self) -> list[str]:
        """`path:line` of imports of moved or deleted files by a path that no longer answers."""
        return [f"{each.path}:{each.line}" for moved in self.briefing.moved for each in moved.importers]

    def eyes(self) -> list[str]:
        """`what path:line` of each place that needs eyes, in order."""
        return [f"{eye.what} {eye.path}:{eye.line}" for eye in self.briefing.eyes]

    def not_checked(self) -> dict[str, str]:
        """Path -> why it was not read."""
        return {each.path: each.why for each in self.briefing.not_checked}


def _ordered(found: object) -> list[str]:
    """Each place once: a use hides a type reference on its line only when they are of one kind."""
    places = {(path, line, " type" if kind == "type" else "" if sure else " ?") for path, line, sure, kind in found}  # type: ignore[attr-defined]
    return [f"{path}:{line}{suffix}" for path, line, suffix in sorted(places)]


def _shown(found: FoundCallers) -> str:
    return msgspec.json.encode([msgspec.to_builtins(each, str_keys=True) for each in found.symbols]).decode()


def _bytes(content: bytes | str) -> bytes:
    if isinstance(content, bytes):
        return content
    return (dedent(content[1:]) if content.startswith("\n") else content).encode()


def _quoted(name: bytes) -> bytes:
    """A path as fast-import reads it, whatever bytes it has."""
    return (
        b'"'
        + b"".join(b"\\%03o" % byte if byte < 33 or byte > 126 or byte in b'"\\' else bytes([byte]) for byte in name)
        + b'"'
    )

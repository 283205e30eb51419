"""Definitions of a real clone that may be changed: picked in a seeded order, by what its files say, without Callsheet's
callers. A copy of the clone takes the changes, one commit at a time."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tree_sitter import Node, Tree

from bench.made_changes import (
    Change,
    Splice,
    applied,
    field_probe,
    property_probe,
    python_changes,
    python_fields,
    python_probe,
    typescript_changes,
    typescript_probe,
    typescript_properties,
)
from graph.facts import Definition, FileFacts
from graph.languages import language_of
from graph.test_files import is_test

MAX_FILES = 60
"""A definition whose name more files hold is left out: checking them would take the machine all day."""


class Picked(NamedTuple):
    """A definition that may be changed. `files`: those that hold its name (its class's, for a constructor)."""

    path: str
    qualified: str
    word: str
    line: int
    end_line: int
    turn: str
    probe: tuple[Splice, ...]
    changes: tuple[Change, ...]
    files: frozenset[str]


class Clone:
    """A copy of one clone with the changes of one group at a time committed on top."""

    def __init__(self, clone: Path, scratch: Path, language: str) -> None:
        self.name = clone.name
        self.language = language
        self.root = (scratch / f"{clone.name}-{language}").resolve()
        shutil.rmtree(self.root, ignore_errors=True)
        self.root.mkdir(parents=True)
        self._git("init", "-q", "--template=")
        self._git("config", "user.name", "bench")
        self._git("config", "user.email", "bench@localhost")
        suffixes = (".py",) if language == "python" else (".ts", ".tsx", ".mts", ".cts")
        names = self._git("-C", str(clone.resolve()), "ls-files", "-z").split("\0")
        for name in names:
            if name.endswith((*suffixes, ".json", ".toml", ".cfg", ".pyi", ".js", ".jsx")):
                file = clone / name
                if file.is_file() and not file.is_symlink():
                    (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(file, self.root / name)
        self._git("add", "--all", "--force")
        self._git("commit", "-q", "--no-verify", "-m", "clone")
        self.sources = {
            name: (self.root / name).read_bytes()
            for name in names
            if name.endswith(suffixes) and (self.root / name).is_file() and not (self.root / name).is_symlink()
        }
        self.words: dict[str, set[str]] = {}
        for name, source in self.sources.items():
            words: set[bytes] = set(re.findall(rb"[A-Za-z_$][\w$]*", source))
            for word in words:
                self.words.setdefault(word.decode(), set()).add(name)

        self._parsed = cache(self._parse)

    def _parse(self, path: str) -> tuple[Tree, FileFacts]:
        language = language_of(path)
        assert language is not None, path
        tree = language.parse(self.sources[path])
        return tree, language.extract(self.sources[path], tree)

    def _git(self, *arguments: str) -> str:
        run = subprocess.run(["git", *arguments], cwd=self.root, capture_output=True, check=True, text=True)
        return run.stdout

    def change(self, splices: dict[str, list[Splice]], message: str) -> None:
        """Make a commit in which the files are spliced; the one before it is the clone's own."""
        for path, found in splices.items():
            (self.root / path).write_bytes(applied(self.sources[path], tuple(found)))
        self._git("commit", "-q", "--no-verify", "-a", "-m", message)

    def undo(self) -> None:
        self._git("reset", "-q", "--hard", "HEAD~1")

    # ---------------------------------------------------------------------------------------------------- picking

    def candidates(self, seed: int) -> Iterator[Picked]:
        """Definitions that another file may call, in a seeded order."""
        paths = sorted(path for path in self.sources if not is_test(path) and not path.endswith(".d.ts"))
        places: list[tuple[str, int]] = []
        for path in paths:
            _, facts = self._parsed(path)
            counts = Counter(each.qualified for each in facts.definitions)
            for index, each in enumerate(facts.definitions):
                around = facts.definitions[each.parent] if each.parent >= 0 else None
                if counts[each.qualified] == 1 and (around is None or around.parameters is None):
                    places.append((path, index))
        random.Random(seed).shuffle(places)
        # What is rarer is not left to chance: constructors, data classes and options objects take turns with the rest.
        found: dict[str, list[Picked]] = {}
        waiting = iter(places)
        more = True
        while more:
            more = False
            for turn in _TURNS[self.language]:
                queue = found.setdefault(turn, [])
                while not queue and (place := next(waiting, None)) is not None:
                    picked = self._picked(*place)
                    if picked is not None:
                        found.setdefault(picked.turn, []).append(picked)
                if queue:
                    more = True
                    yield queue.pop(0)

    def _picked(self, path: str, index: int) -> Picked | None:
        language = language_of(path)
        assert language is not None
        tree, facts = self._parsed(path)
        definition = facts.definitions[index]
        word = definition.name
        if word in language.constructor_names and definition.parent >= 0:
            word = facts.definitions[definition.parent].name
        elif word.startswith("__") or not word.isidentifier() or {"property", "setter"} & set(definition.modifiers):
            return None
        if definition.kind in ("interface", "type"):
            return self._picked_type(path, definition, tree.root_node)
        files = self.words.get(word, set())
        called = re.compile(rb"\b" + re.escape(word.encode()) + rb"\s*\(|<" + re.escape(word.encode()) + rb"\b")
        if len(files) > MAX_FILES or not any(called.search(self.sources[each]) for each in files if each != path):
            return None
        made = self._changes(definition, tree.root_node, language.binds_receiver(definition))
        if made is None:
            return None
        probe, made_of = made[0], tuple(made[1])
        return Picked(
            path=path,
            qualified=definition.qualified,
            word=word,
            line=definition.first_line,
            end_line=definition.end_line,
            turn=_turn(definition, word, made_of),
            probe=probe,
            changes=made_of,
            files=frozenset(files | {path}),
        )

    def _picked_type(self, path: str, definition: Definition, root: Node) -> Picked | None:
        """An interface or an object type that functions take: the files that name these functions are checked too."""
        name = root.descendant_for_byte_range(definition.at, definition.at + 1)
        holder = name.parent if name is not None else None
        body = (holder.child_by_field_name("body") or holder.child_by_field_name("value")) if holder else None
        if body is None or body.type not in ("interface_body", "object_type"):
            return None
        files = set(self.words.get(definition.name, set()))
        mentions = re.compile(rf"\b{re.escape(definition.name)}\b")
        takers: set[str] = set()
        for each in sorted(files) if len(files) <= MAX_FILES else ():
            _, facts = self._parsed(each)
            for one in facts.definitions:
                if any(mentions.search(parameter.type or "") for parameter in one.parameters or ()):
                    takers.add(one.name if one.name != "constructor" else facts.definitions[one.parent].name)
        files.update(*(self.words.get(taker, set()) for taker in takers))
        if not takers or len(files) > MAX_FILES:
            return None
        return Picked(
            path=path,
            qualified=definition.qualified,
            word=definition.name,
            line=definition.first_line,
            end_line=definition.end_line,
            turn="type",
            probe=property_probe(body),
            changes=tuple(typescript_properties(body)),
            files=frozenset(files | {path}),
        )

    def _changes(
        self, definition: Definition, root: Node, bound: bool
    ) -> tuple[tuple[Splice, ...], Iterable[Change]] | None:
        name = root.descendant_for_byte_range(definition.at, definition.at + 1)
        holder = name.parent if name is not None else None
        if holder is None:
            return None
        if self.language == "python" and definition.kind == "class":
            body = holder.child_by_field_name("body")
            if body is None or not any(each.rpartition(".")[2] == "dataclass" for each in definition.decorators):
                return None
            probe = field_probe(body)
            return (probe, python_fields(body)) if probe else None
        parameters = holder.child_by_field_name("parameters")
        if parameters is None:
            value = holder.child_by_field_name("value")
            parameters = value.child_by_field_name("parameters") if value is not None else None
        if parameters is None or definition.parameters is None:
            return None
        if self.language == "python":
            return python_probe(parameters, bound), python_changes(parameters, bound)
        for parameter in parameters.named_children:
            annotation = parameter.child_by_field_name("type")
            body = annotation.named_child(0) if annotation is not None else None
            if body is not None and body.type == "object_type":
                return property_probe(body), typescript_properties(body)
        return typescript_probe(parameters), typescript_changes(parameters)


def groups(candidates: Iterator[Picked], size: int) -> Iterator[list[Picked]]:
    """Candidates put together so that no file holds the names of two of them."""
    waiting: list[Picked] = []
    while True:
        group: list[Picked] = []
        taken: set[str] = set()
        still: list[Picked] = []
        for each in waiting:
            if len(group) < size and taken.isdisjoint(each.files):
                group.append(each)
                taken |= each.files
            else:
                still.append(each)
        waiting = still[: 20 * size]
        while len(group) < size:
            following = next(candidates, None)
            if following is None:
                break
            if taken.isdisjoint(following.files):
                group.append(following)
                taken |= following.files
            else:
                waiting.append(following)
        if not group:
            return
        yield group


_TURNS = {
    "python": ("plain", "method", "plain", "constructor", "method"),
    "typescript": ("plain", "options", "method", "type", "constructor", "options"),
}


def _turn(definition: Definition, word: str, changes: Sequence[Change]) -> str:
    if any(each.kind.startswith("property") for each in changes):
        return "options"
    if word != definition.name or definition.kind == "class":
        return "constructor"
    return "method" if definition.kind == "method" else "plain"

"""Whether `callsheet brief` says of a call that it no longer fits when a type checker does, on made changes.

usage: python -m bench.verdicts --python CLONE ... --typescript CLONE ... [--pyright CMD] [--tsc CMD]
                                [--changes 20] [--seed 1] [--scratch DIR] [--out FILE]

For every clone (copied; it is only read) functions, methods and constructors are picked in a seeded order, without
asking Callsheet. A *probe* (twenty parameters added) shows which of their calls the checker sees at all: picked are
those that it sees called from another file. Each then gets one made change after another (`bench/made_changes.py`), the
kinds in turn. Definitions whose names occur in different files are changed together, in one commit: an error belongs
to the definition whose files it is in. Then the checker's new errors of arity, keywords and properties at calls are the
misfits (`bench/checkers.py`), and each is compared by file and line with the callers of `callsheet brief`:

    precision   callers with `fits: false` where the checker has a new error, of all at calls that the checker sees
    recall      misfits where Callsheet says `fits: false`, of all; `null` (it does not say) counts as missed, and
                `told` leaves it out: of the misfits on which it says anything
    wrong true  misfits of which Callsheet says that they fit, or that the whole change is compatible

Calls with `fits: false` that the checker does not see (its receiver is untyped to it) are `unseen`, counted apart.
Lines that the change itself touches and calls inside the changed definition are outside of the question.

A TypeScript checker resolves imports best where the clones' dependencies can be found: in a `node_modules` in or above
the scratch directory; pyright in the environment that `--pyright` runs in or is told of (`--pythonpath`).
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tree_sitter import Node, Tree

from bench import checkers
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
_BRIEFED = ("--base", "HEAD~1", "--head", "HEAD", "--format", "json", "--no-cache", "--stats", "/dev/null")
GROUP = 14
"""Definitions changed in one commit."""


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


class Outcome(NamedTuple):
    """One change and what became of its calls: lines as "path:line"."""

    clone: str
    language: str
    path: str
    qualified: str
    kind: str
    right: tuple[str, ...]
    wrong: tuple[str, ...]
    unseen: tuple[str, ...]
    null: tuple[str, ...]
    missed: tuple[str, ...]
    wrong_true: tuple[str, ...]
    compatible: bool | None


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


class Bench:
    """The changes of one clone."""

    def __init__(self, clone: Clone, check: str, options: argparse.Namespace, used: Counter[str]) -> None:
        self._clone = clone
        self._command = check
        self._options = options
        self._random = random.Random(options.seed)
        self._used = used
        self._had: set[tuple[str, str]] = set()

    def outcomes(self) -> Iterator[Outcome]:
        """Changes made and judged, until there are as many as asked for."""
        done = 0
        for group in groups(self._clone.candidates(self._options.seed), GROUP):
            files = sorted(set().union(*(each.files for each in group)))
            before = self._misfits(files)
            seen = self._new_lines(group, {each: each.probe for each in group}, files, before)
            called = [each for each in group if any(path != each.path for path, _ in seen[each])]
            if not called:
                continue
            checked = sorted(set().union(*(each.files for each in called)))
            for _ in range(self._options.rounds):
                chosen = self._choose(called[: self._options.changes - done])
                if not chosen:
                    break
                for outcome in self._judge(chosen, checked, before, seen):
                    done += 1
                    yield outcome
                if done >= self._options.changes:
                    return

    def _misfits(self, files: Sequence[str]) -> Counter[checkers.Misfit]:
        check = checkers.pyright_misfits if self._clone.language == "python" else checkers.typescript_misfits
        return Counter(check(self._command, self._clone.root, files))

    def _choose(self, called: Sequence[Picked]) -> dict[Picked, Change]:
        """One change for each definition, of the kind that was made the least so far."""
        chosen: dict[Picked, Change] = {}
        for each in called:
            kinds: dict[str, list[Change]] = {}
            for change in each.changes:
                if (each.path + each.qualified, change.kind) not in self._had:
                    kinds.setdefault(change.kind, []).append(change)
            if kinds:
                kind = min(kinds, key=lambda kind: (self._used[kind], kind))
                self._used[kind] += 1
                self._had.add((each.path + each.qualified, kind))
                chosen[each] = self._random.choice(kinds[kind])
        return chosen

    def _new_lines(
        self,
        group: Sequence[Picked],
        splices: dict[Picked, tuple[Splice, ...]],
        files: Sequence[str],
        before: Counter[checkers.Misfit],
    ) -> dict[Picked, set[tuple[str, int]]]:
        """The call lines at which an error is new with the splices made, by definition."""
        by_path: dict[str, list[Splice]] = {}
        for each in group:
            by_path.setdefault(each.path, []).extend(splices[each])
        self._clone.change(by_path, "probe")
        fresh = self._misfits(files) - before
        self._clone.undo()
        lines = checkers.arity_lines(fresh)
        return {each: {place for place in lines if place[0] in each.files} for each in group}

    def _judge(
        self,
        chosen: dict[Picked, Change],
        files: Sequence[str],
        before: Counter[checkers.Misfit],
        seen: dict[Picked, set[tuple[str, int]]],
    ) -> Iterator[Outcome]:
        splices: dict[str, list[Splice]] = {}
        for each, change in chosen.items():
            splices.setdefault(each.path, []).extend(change.splices)
        self._clone.change(splices, "changes")
        fresh = self._misfits(files) - before
        brief = json.loads(
            subprocess.run(
                [self._options.callsheet, "brief", "--repo", str(self._clone.root), *_BRIEFED],
                stdout=subprocess.PIPE,
                check=True,
            ).stdout
        )
        touched = self._touched()
        self._clone.undo()
        symbols = {
            (file["path"], symbol["qualified"]): symbol for file in brief["changed"] for symbol in file["symbols"]
        }
        messages = checkers.errors_by_line(each for each in fresh if not each.typed)
        for each, change in chosen.items():
            symbol = symbols.get((each.path, each.qualified))
            misfits = {
                place for place in messages if place in seen[each] and place not in touched and not _inside(each, place)
            }
            yield self._outcome(each, change, symbol, misfits, seen[each], messages)

    def _touched(self) -> set[tuple[str, int]]:
        found: set[tuple[str, int]] = set()
        path = ""
        shown = subprocess.run(
            ["git", "diff", "-U0", "HEAD~1", "HEAD"], cwd=self._clone.root, capture_output=True, check=True
        )
        for line in shown.stdout.decode("utf-8", "replace").splitlines():
            hunk = re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line)
            if line.startswith("+++ b/"):
                path = line[6:]
            elif hunk:
                first, count = int(hunk[1]), int(hunk[2] or 1)
                found.update((path, number) for number in range(first, first + count))
        return found

    def _outcome(
        self,
        picked: Picked,
        change: Change,
        symbol: dict[str, object] | None,
        misfits: set[tuple[str, int]],
        seen: set[tuple[str, int]],
        messages: object,
    ) -> Outcome:
        verdicts: dict[tuple[str, int], object] = {}
        callers = symbol["callers"] if symbol is not None else []
        assert isinstance(callers, list)
        compatible = symbol["compatible"] if symbol is not None else None
        for caller in callers:
            place = caller["path"], caller["line"]
            if verdicts.get(place) is not False:
                verdicts[place] = caller["fits"]
        false = {place for place, fits in verdicts.items() if fits is False}
        true = {place for place, fits in verdicts.items() if fits is True or compatible is True}
        null = {place for place, fits in verdicts.items() if fits is None and place not in true}

        def said(places: Iterable[tuple[str, int]]) -> tuple[str, ...]:
            assert isinstance(messages, dict)
            return tuple(
                f"{path}:{line} {messages.get((path, line), '').splitlines()[:1]}" for path, line in sorted(places)
            )

        return Outcome(
            clone=self._clone.name,
            language=self._clone.language,
            path=f"{picked.path}:{picked.line}",
            qualified=picked.qualified,
            kind=change.kind,
            right=said(false & misfits),
            wrong=said((false - misfits) & seen),
            unseen=said(false - misfits - seen),
            null=said(null & misfits),
            missed=said(misfits - false - true - null),
            wrong_true=said(true & misfits),
            compatible=compatible if isinstance(compatible, bool) else None,
        )


def _inside(picked: Picked, place: tuple[str, int]) -> bool:
    return place[0] == picked.path and picked.line <= place[1] <= picked.end_line


def figures(outcomes: Sequence[Outcome]) -> str:
    """One line: how many changes and calls, and how many of them were right."""
    count = Counter[str]()
    for each in outcomes:
        for name in ("right", "wrong", "unseen", "null", "missed", "wrong_true"):
            count[name] += len(getattr(each, name))
    misfits = count["right"] + count["null"] + count["missed"] + count["wrong_true"]
    told = misfits - count["null"]
    return (
        f"changes {len(outcomes):4}  misfits {misfits:4}  "
        f"precision {_share(count['right'], count['right'] + count['wrong'])} ({count['wrong']} wrong)  "
        f"recall {_share(count['right'], misfits)}, told {_share(count['right'], told)} "
        f"({count['null']} null, {count['missed']} not found, {count['wrong_true']} said to fit)  "
        f"unseen {count['unseen']}"
    )


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.3f}" if whole else "  -  "


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", nargs="*", type=Path, default=[])
    parser.add_argument("--typescript", nargs="*", type=Path, default=[])
    parser.add_argument("--pyright", default="pyright", help="a command, with its arguments")
    parser.add_argument("--tsc", default="tsc", help="the path of TypeScript's tsc")
    parser.add_argument("--callsheet", default=str(Path(sys.executable).parent / "callsheet"))
    parser.add_argument("--changes", type=int, default=20, help="changes in each clone")
    parser.add_argument("--rounds", type=int, default=3, help="changes of one definition, at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scratch", type=Path, help="where copies of the clones are put (default: a temporary one)")
    parser.add_argument("--out", type=Path, help="write every outcome, one JSON object a line")
    options = parser.parse_args()
    scratch = options.scratch or Path(tempfile.mkdtemp(prefix="callsheet-verdicts-"))
    scratch.mkdir(parents=True, exist_ok=True)
    if options.out is not None:
        options.out.write_text("")

    everything: list[Outcome] = []
    for language, clones, command in (
        ("python", options.python, options.pyright),
        ("typescript", options.typescript, options.tsc),
    ):
        used: Counter[str] = Counter()
        for clone in clones:
            own: list[Outcome] = []
            for outcome in Bench(Clone(clone, scratch, language), command, options, used).outcomes():
                own.append(outcome)
                if options.out is not None:
                    with options.out.open("a") as sink:
                        sink.write(json.dumps(outcome._asdict()) + "\n")
            print(f"{clone.name:12} {figures(own)}", flush=True)
            everything += own
    for language in ("python", "typescript"):
        own = [each for each in everything if each.language == language]
        for kind in sorted({each.kind for each in own}):
            print(f"  {kind:44} {figures([each for each in own if each.kind == kind])}")
        if own:
            print(f"{language:12} {figures(own)}")
    print(f"{'all':12} {figures(everything)}")
    for each in everything:
        for name in ("wrong", "wrong_true", "missed", "null", "unseen"):
            for place in getattr(each, name):
                print(f"{name:10} {each.clone} {each.path} {each.qualified} [{each.kind}] {place}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Whether `callsheet brief` says of a call that it no longer fits when a type checker does, on made changes.

usage: python -m bench.verdicts --python CLONE ... --typescript CLONE ... [--pyright CMD] [--tsc CMD]
                                [--changes 20] [--seed 1] [--scratch DIR] [--out FILE]

For every clone (copied; it is only read) functions, methods and constructors are picked in a seeded order, without
asking Callsheet (`bench/picking.py`); in TypeScript also functions with an options object, whose properties are what is
changed, and interfaces that functions take. A *probe* (twenty parameters or properties added) shows which of their
calls the checker sees at all: picked are those that it sees called from another file. Each then gets one made change
after another (`bench/made_changes.py`), the kinds in turn. Definitions whose names occur in different files are changed
together, in one commit: an error belongs to the definition whose files it is in. Then the checker's new errors of
arity, keywords and properties at calls are the misfits (`bench/checkers.py`), and each is compared by file and line
with the callers of `callsheet brief`:

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
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from bench import checkers
from bench.made_changes import Change, Splice
from bench.picking import Clone, Picked, groups

_BRIEFED = ("--base", "HEAD~1", "--head", "HEAD", "--format", "json", "--no-cache", "--stats", "/dev/null")
GROUP = 14
"""Definitions changed in one commit."""


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
        messages: Mapping[tuple[str, int], str],
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

        # A call that no probe brought to light (it spreads a mapping) may have an error all the same.
        reported = misfits | {place for place in messages if place[0] in picked.files}

        def said(places: Iterable[tuple[str, int]]) -> tuple[str, ...]:
            return tuple(
                f"{path}:{line} {messages.get((path, line), '').splitlines()[:1]}" for path, line in sorted(places)
            )

        return Outcome(
            clone=self._clone.name,
            language=self._clone.language,
            path=f"{picked.path}:{picked.line}",
            qualified=picked.qualified,
            kind=change.kind,
            right=said(false & reported),
            wrong=said((false - reported) & seen),
            unseen=said(false - reported - seen),
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
        f"precision {_share(count['right'], count['right'] + count['wrong'])} ({count['wrong']} wrong; "
        f"{_share(count['right'], count['right'] + count['wrong'] + count['unseen'])} with {count['unseen']} unseen)  "
        f"recall {_share(count['right'], misfits)}, told {_share(count['right'], told)} "
        f"({count['null']} null, {count['missed']} not found, {count['wrong_true']} said to fit)"
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

"""What `callsheet brief` and `callsheet index` cost, as ratios to parsing the files with tree-sitter alone.

usage: python bench/ratio.py --repo DIR --language python [typescript javascript] [--count 30] [--commits FILE]
                             [--squashed] [--edits SEED] [--jobs N] [--warm] [--exhaustive]

For each pull request (the newest merges of the first-parent history that change files of the language; with
`--squashed` its newest commits; or the commits in `--commits`, one SHA a line; or, for Go without a history,
`--edits`: made edits of one function each, upon HEAD), in one run and one after the other: the parse alone of its tree
(`bench/parse_only.py`, one process) and a cold `callsheet brief` in a worktree checked out at the commit (an empty
cache each time; with `--warm` also one with a cache that `callsheet index` of the first one's base has filled and that
those before it were briefed with: the facts are there, one pull request further). CPU seconds include all children.
Then, in the same worktree at the newest: `callsheet index` with an empty cache, against the parse, both in `--jobs`
processes.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from bench.edits import made_edits
from bench.parse_only import GRAMMARS, parse_all
from graph.diff import changes
from graph.git import Git


class Cost(NamedTuple):
    """Seconds."""

    cpu: float
    wall: float


def run(command: list[str]) -> Cost:
    """Run a command to its end: its CPU seconds, children included, and its wall seconds."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=_environment())
    assert process.stderr is not None
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}:\n{said.decode(errors='replace')}")
    return Cost(usage.ru_utime + usage.ru_stime, wall)


def _environment() -> dict[str, str]:
    """The environment of an installed program, whose modules are compiled once and not at every start."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


class Worktree:
    """A linked worktree at `path`, for the time of a `with`."""

    def __init__(self, repository: Path, path: Path) -> None:
        self.path = path
        self._repository = repository

    def __enter__(self) -> Worktree:
        self._git(self._repository, "worktree", "add", "--quiet", "--detach", "--no-checkout", str(self.path))
        return self

    def __exit__(self, *_: object) -> None:
        self._git(self._repository, "worktree", "remove", "--force", str(self.path))

    def check_out(self, commit: str) -> None:
        """Write the commit's files."""
        self._git(self.path, "checkout", "--quiet", "--force", "--detach", commit)

    def _git(self, where: Path, *arguments: str) -> None:
        subprocess.run(["git", "-C", str(where), "-c", f"core.hooksPath={os.devnull}", *arguments], check=True)


def pull_requests(git: Git, suffixes: set[str], count: int, squashed: bool) -> list[str]:
    """The newest commits of the first-parent history that change a file with one of the suffixes."""
    kind = "--no-merges" if squashed else "--merges"
    listed, _ = git.run("rev-list", "--first-parent", kind, f"--max-count={count * 20}", "HEAD")
    found: list[str] = []
    for commit in listed.decode().split():
        parents = git.parents(commit)
        base = git.merge_base(parents[0], commit if squashed else parents[1]) if parents else None
        if base is None:
            continue
        head = commit if squashed else parents[1]
        if any(PurePosixPath(change.name).suffix in suffixes for change in changes(git, base, head)):
            found.append(commit)
        if len(found) == count:
            break
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", type=Path, required=True)
    parser.add_argument("--language", nargs="+", choices=sorted(GRAMMARS), required=True)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--commits", type=Path, help="a file of commits, one a line")
    parser.add_argument("--squashed", action="store_true", help="pull requests are single commits, not merges")
    parser.add_argument("--edits", type=int, metavar="SEED", help="make edits of single functions, picked by the seed")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--warm", action="store_true")
    parser.add_argument("--exhaustive", action="store_true")
    parser.add_argument("--callsheet", default=str(Path(sys.executable).parent / "callsheet"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        return measure(options, Path(scratch))


def measure(options: argparse.Namespace, scratch: Path) -> int:
    """Measure and print, line by line."""
    repository: Path = options.repo
    suffixes = {suffix for language in options.language for suffix in GRAMMARS[language]}
    alone = options.squashed or options.edits is not None
    if options.edits is not None:
        repository, commits = made_edits(repository, scratch, suffixes, options.count, options.edits)
    elif options.commits is not None:
        commits = options.commits.read_text().split()
    else:
        commits = pull_requests(Git(repository), suffixes, options.count, options.squashed)
    if not commits:
        raise SystemExit("no pull request of that kind in the history: try --squashed, --commits FILE or --edits SEED")

    kinds = ["cold"] + (["warm"] if options.warm else [])
    warm = scratch / "warm"
    if options.warm:
        command = [options.callsheet, "index", "--repo", str(repository), "--rev", f"{commits[0]}^"]
        run([*command, "--cache", str(warm)])
    ratios: dict[str, list[Cost]] = {kind: [] for kind in kinds}
    print("commit       parse cpu   " + "   ".join(f"{kind} cpu  wall   ratio cpu  wall" for kind in kinds))
    with Worktree(repository, scratch / "worktree") as worktree:
        for commit in commits:
            parsed = parse_all(repository, commit, options.language, 1)
            worktree.check_out(commit)
            ends = ["--base", f"{commit}^", "--head", commit]
            if not alone:
                ends = ["--base", f"{commit}^1", "--head", f"{commit}^2", "--merge", commit]
            line = f"{commit[:12]} {parsed['cpu']:8.2f}   "
            for kind in kinds:
                with tempfile.TemporaryDirectory(dir=scratch) as empty:
                    command = [options.callsheet, "brief", "--repo", str(worktree.path), *ends, "--format", "json"]
                    command += ["--cache", str(warm) if kind == "warm" else empty]
                    cost = run([*command, *(["--exhaustive"] if options.exhaustive else [])])
                ratio = Cost(cost.cpu / parsed["cpu"], cost.wall / parsed["wall"])
                ratios[kind].append(ratio)
                line += f"{cost.cpu:8.2f} {cost.wall:5.2f} {ratio.cpu:10.2f} {ratio.wall:6.2f}  "
            print(line, flush=True)
        worktree.check_out(commits[0])
        parsed = parse_all(repository, commits[0], options.language, options.jobs)
        with tempfile.TemporaryDirectory(dir=scratch) as cache:
            command = [options.callsheet, "index", "--repo", str(worktree.path), "--rev", commits[0]]
            cost = run([*command, "--jobs", str(options.jobs), "--cache", cache])
    for kind in kinds:
        for number, name in ((0, "cpu"), (1, "wall")):
            values = sorted(ratio[number] for ratio in ratios[kind])
            print(f"{kind} brief / parse, {name}: median {statistics.median(values):.2f}, worst {values[-1]:.2f}")

    print(
        f"index / parse with {options.jobs} processes: cpu {cost.cpu:.2f} s / {parsed['cpu']:.2f} s = "
        f"{cost.cpu / parsed['cpu']:.2f}, wall {cost.wall:.2f} s / {parsed['wall']:.2f} s = "
        f"{cost.wall / parsed['wall']:.2f} (of {parsed['files']} files; index reads all languages)"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())

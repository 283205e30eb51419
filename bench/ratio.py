"""What `callsheet brief` and `callsheet index` cost, as ratios to parsing the files with tree-sitter alone.

usage: python bench/ratio.py --repo DIR --language python [typescript javascript] [--count 30] [--commits FILE]
                             [--squashed] [--jobs N] [--warm] [--exhaustive]

For each pull request (the newest merges of the first-parent history that change files of the language; with
`--squashed` its newest commits; or the commits in `--commits`, one SHA a line), in one run and one after the other:
the parse alone of its tree (`bench/parse_only.py`, one process) and a cold `callsheet brief` (an empty cache each time;
with `--warm` also a second one with the cache of the first). CPU seconds include all children. Then, on the newest:
`callsheet index` with an empty cache, against the parse, both in `--jobs` processes.
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

from bench.parse_only import GRAMMARS, parse_all
from graph.changes import changes
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
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--warm", action="store_true")
    parser.add_argument("--exhaustive", action="store_true")
    parser.add_argument("--callsheet", default=str(Path(sys.executable).parent / "callsheet"))
    options = parser.parse_args()
    git = Git(options.repo)
    suffixes = {suffix for language in options.language for suffix in GRAMMARS[language]}
    if options.commits is not None:
        commits = options.commits.read_text().split()
    else:
        commits = pull_requests(git, suffixes, options.count, options.squashed)
    if not commits:
        raise SystemExit("no pull request of that kind in the history: try --squashed, or --commits FILE")

    run([options.callsheet, "brief", "--help"])  # compiled, and in the page cache
    kinds = ["cold"] + (["warm"] if options.warm else [])
    ratios: dict[str, list[Cost]] = {kind: [] for kind in kinds}
    print("commit       parse cpu   " + "   ".join(f"{kind} cpu  wall   ratio cpu  wall" for kind in kinds))
    for commit in commits:
        parsed = parse_all(options.repo, commit, options.language, 1)
        ends = ["--base", f"{commit}^", "--head", commit]
        if not options.squashed:
            ends = ["--base", f"{commit}^1", "--head", f"{commit}^2", "--merge", commit]
        line = f"{commit[:12]} {parsed['cpu']:8.2f}   "
        with tempfile.TemporaryDirectory() as cache:
            for kind in kinds:
                command = [options.callsheet, "brief", "--repo", str(options.repo), *ends]
                command += ["--format", "json", "--cache", cache, *(["--exhaustive"] if options.exhaustive else [])]
                cost = run(command)
                ratio = Cost(cost.cpu / parsed["cpu"], cost.wall / parsed["wall"])
                ratios[kind].append(ratio)
                line += f"{cost.cpu:8.2f} {cost.wall:5.2f} {ratio.cpu:10.2f} {ratio.wall:6.2f}  "
        print(line, flush=True)
    for kind in kinds:
        for number, name in ((0, "cpu"), (1, "wall")):
            values = sorted(ratio[number] for ratio in ratios[kind])
            print(f"{kind} brief / parse, {name}: median {statistics.median(values):.2f}, worst {values[-1]:.2f}")

    parsed = parse_all(options.repo, commits[0], options.language, options.jobs)
    with tempfile.TemporaryDirectory() as cache:
        command = [options.callsheet, "index", "--repo", str(options.repo), "--rev", commits[0]]
        cost = run([*command, "--jobs", str(options.jobs), "--cache", cache])
    print(
        f"index / parse with {options.jobs} processes: cpu {cost.cpu:.2f} s / {parsed['cpu']:.2f} s = "
        f"{cost.cpu / parsed['cpu']:.2f}, wall {cost.wall:.2f} s / {parsed['wall']:.2f} s = "
        f"{cost.wall / parsed['wall']:.2f} (of {parsed['files']} files; index reads all languages)"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())

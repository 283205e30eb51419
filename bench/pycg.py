"""Callsheet's callers against the call graphs of PyCG's micro-benchmark (github.com/vitsalis/PyCG, not copied here).

usage: python bench/pycg.py SNIPPETS_DIR [--missed]

Every snippet is a small program with its call graph (`callgraph.json`: caller -> callees, dotted names). Each becomes a
one-commit repository; `callers` is asked for all its definitions, and a place that calls (or constructs, or decorates)
is an edge from the function around it to the definition. Only edges to definitions of the snippet count: what is built
in or external is not Callsheet's business. Lambdas have no name to ask for and are left out, as are edges from them.
Prints recall and precision by category; `--missed` lists what was not reached.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path

from graph.languages.python import PYTHON
from graph.lookup import find_callers

CALLS = frozenset({"call", "new", "decorator"})
Edges = set[tuple[str, str]]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("snippets", type=Path)
    parser.add_argument("--missed", action="store_true")
    options = parser.parse_args()
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for graph_file in sorted(options.snippets.glob("*/*/callgraph.json")):
        truth, found = _edges(graph_file)
        row = counts[graph_file.parent.parent.name]
        for place, value in enumerate((1, len(truth), len(truth & found), len(found - truth))):
            row[place] += value
        if options.missed and truth - found:
            missed = ", ".join(f"{caller} -> {callee}" for caller, callee in sorted(truth - found))
            print(f"  missed {graph_file.parent.parent.name}/{graph_file.parent.name}: {missed}")
    for category, row in sorted(counts.items()):
        print(_line(category, row))
    print(_line("all", [sum(column) for column in zip(*counts.values(), strict=True)]))
    return 0


def _line(name: str, row: list[int]) -> str:
    programs, edges, hits, wrong = row
    recall = 100 * hits / edges if edges else 100.0
    precision = 100 * hits / (hits + wrong) if hits + wrong else 100.0
    return f"{name:14} {programs:3} programs {edges:4} edges  recall {recall:5.1f}  precision {precision:5.1f}"


def _edges(graph_file: Path) -> tuple[Edges, Edges]:
    """(the true edges, the found ones) between definitions of one snippet."""
    folder = graph_file.parent
    sources = {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*.py"))}
    names: dict[str, tuple[str, int]] = {}
    for path, source in sources.items():
        for definition in PYTHON.extract(source, PYTHON.parse(source)).definitions:
            if definition.kind in ("function", "method"):
                names.setdefault(f"{_module(path)}.{definition.qualified}", (path, definition.line))
    with tempfile.TemporaryDirectory() as where:
        for path, source in sources.items():
            target = Path(where) / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source)
        git = ["git", "-c", "user.name=bench", "-c", "user.email=bench@localhost", "-C", where]
        for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "snippet"]):
            subprocess.run([*git, *command], check=True, capture_output=True)
        answer, _ = find_callers(Path(where), "HEAD", list(names.values()))
    found: Edges = set()
    for callee, symbol in zip(names, answer.symbols, strict=True):
        for caller in symbol.callers:
            if caller.kind in CALLS:
                found.add((_function_around(_module(caller.file), caller.within, names), callee))
    truth = {
        (caller, callee)
        for caller, callees in json.loads(graph_file.read_text()).items()
        for callee in callees
        if callee in names and "<lambda" not in caller
    }
    return truth, found


def _function_around(module: str, within: str | None, functions: dict[str, tuple[str, int]]) -> str:
    """The function around a place; the module when only a class or a value is."""
    parts = within.split(".") if within else []
    while parts and f"{module}.{'.'.join(parts)}" not in functions:
        parts.pop()
    return ".".join([module, *parts])


def _module(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


if __name__ == "__main__":
    raise SystemExit(main())

"""What parsing all files of a language costs with tree-sitter alone: the base line of every speed ratio.

usage: python bench/parse_only.py --repo DIR [--rev REV] [--language python|typescript|javascript|go ...] [--jobs N]

The blobs are read into memory first and only the calls of the parser are timed, so nothing but parsing is counted:
CPU seconds are summed over the processes, wall seconds are those of the slowest. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import time
from pathlib import Path, PurePosixPath

import tree_sitter
from tree_sitter_language_pack import get_language

from graph.git import Blobs, Git
from graph.snapshot import SIZE_LIMIT, Snapshot

GRAMMARS = {
    "python": {".py": "python", ".pyi": "python"},
    "typescript": {".ts": "typescript", ".mts": "typescript", ".cts": "typescript", ".tsx": "tsx"},
    "javascript": {".js": "javascript", ".jsx": "javascript", ".mjs": "javascript", ".cjs": "javascript"},
    "go": {".go": "go"},
    "php": {".php": "php"},
}


def parse_all(repository: Path, revision: str, languages: list[str], jobs: int) -> dict[str, float]:
    """Parse every file of the languages in `jobs` processes: files, bytes, CPU seconds, wall seconds."""
    grammars = {suffix: grammar for language in languages for suffix, grammar in GRAMMARS[language].items()}
    git = Git(repository)
    with Blobs(git) as blobs:
        snapshot = Snapshot.of(git, blobs, git.resolve(revision))
    files = [
        (blob, grammars[PurePosixPath(path).suffix], snapshot.size(path))
        for path, blob in snapshot.paths.items()
        if PurePosixPath(path).suffix in grammars and snapshot.size(path) <= SIZE_LIMIT
    ]
    shares: list[list[tuple[str, str]]] = [[] for _ in range(jobs)]
    loads = [0] * jobs
    for blob, grammar, size in sorted(files, key=lambda file: -file[2]):
        lightest = loads.index(min(loads))
        shares[lightest].append((blob, grammar))
        loads[lightest] += size
    if jobs == 1:
        parsed = [_parse(repository, shares[0])]
    else:
        with multiprocessing.get_context("spawn").Pool(jobs) as pool:
            parsed = pool.starmap(_parse, [(repository, share) for share in shares], chunksize=1)
    return {
        "files": len(files),
        "bytes": sum(loads),
        "cpu": sum(cpu for cpu, _ in parsed),
        "wall": max(wall for _, wall in parsed),
    }


def _parse(repository: Path, files: list[tuple[str, str]]) -> tuple[float, float]:
    with Blobs(Git(repository)) as blobs:
        contents = dict(blobs.read_many(dict.fromkeys(blob for blob, _ in files)))
    parsers = {grammar: tree_sitter.Parser(get_language(grammar)) for grammar in {grammar for _, grammar in files}}  # type: ignore[arg-type]
    cpu, wall = time.process_time(), time.perf_counter()
    for blob, grammar in files:
        parsers[grammar].parse(contents[blob] or b"")
    return time.process_time() - cpu, time.perf_counter() - wall


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", type=Path, required=True)
    parser.add_argument("--rev", default="HEAD")
    parser.add_argument("--language", nargs="+", choices=sorted(GRAMMARS), default=["python"])
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    print(json.dumps(parse_all(options.repo, options.rev, options.language, options.jobs)))
    return 0


if __name__ == "__main__":
    sys.exit(main())

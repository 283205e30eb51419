"""Compare Callsheet's callers with what compilers and language servers know, over clones given as paths.

usage: python bench/accuracy.py --truth DIR --compare COMPARE.py --clones DIR [NAME ...]

`--truth` holds OWNER__NAME.json files ({"repo", "commit", "symbols": [{"file", "line", ...}]}), `--clones` one checkout
per repository, named by the part after the slash. For each, `callsheet callers` is asked for every definition of the
truth file and `--compare` prints recall and precision. Predictions stay in `--out` (default: a temporary directory).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--truth", type=Path, required=True)
    parser.add_argument("--compare", type=Path, required=True)
    parser.add_argument("--clones", type=Path, required=True)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--worst", default="10")
    parser.add_argument("--summary", action="store_true", help="one line a repository")
    parser.add_argument("--callsheet", default=str(Path(sys.executable).parent / "callsheet"))
    parser.add_argument("names", nargs="*", help="parts of file names; default: every truth file that has a clone")
    args = parser.parse_args()
    out = args.out or Path(tempfile.mkdtemp(prefix="callsheet-accuracy-"))
    out.mkdir(parents=True, exist_ok=True)
    failed = 0
    for truth_file in sorted(args.truth.glob("*.json")):
        if args.names and not any(name in truth_file.name for name in args.names):
            continue
        truth = json.loads(truth_file.read_text())
        clone = args.clones / truth["repo"].split("/")[1]
        if not clone.is_dir():
            if args.names:
                print(f"{truth['repo']}: no clone at {clone}", file=sys.stderr)
                failed += 1
            continue
        symbols = out / f"{truth_file.stem}.symbols.json"
        symbols.write_text(json.dumps({"symbols": [{"file": s["file"], "line": s["line"]} for s in truth["symbols"]]}))
        predictions = out / f"{truth_file.stem}.predictions.json"
        started = time.perf_counter()
        with predictions.open("wb") as sink:
            run = subprocess.run(
                [args.callsheet, "callers", "--repo", str(clone), "--symbols", str(symbols), "--format", "json"],
                stdout=sink,
                check=False,
            )
        seconds = time.perf_counter() - started
        if run.returncode != 0:
            failed += 1
            continue
        figures = out / f"{truth_file.stem}.figures.json"
        compared = subprocess.run(
            [
                sys.executable,
                str(args.compare),
                str(truth_file),
                str(predictions),
                "--worst",
                args.worst,
                "--json",
                str(figures),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        if args.summary and compared.returncode == 0:
            print(_line(json.loads(figures.read_text()), seconds), flush=True)
        else:
            print(compared.stdout + compared.stderr + f"({seconds:.1f} s)\n", flush=True)
    return 1 if failed else 0


def _line(figures: dict[str, object], seconds: float) -> str:
    def percent(key: str) -> str:
        return f"{100 * float(str(figures[key])):5.1f}"

    sure, name = figures["sure"], figures["name"]
    return (
        f"{figures['repo']!s:24} recall {percent('recall')} (sure {percent('recall_sure')})"
        f" mean {percent('macro_recall')}"
        f" precision sure {percent('precision_sure')} name {percent('precision_name')} all {percent('precision')}"
        f"  sure {sure} name {name}  {seconds:.1f} s"
    )


if __name__ == "__main__":
    sys.exit(main())

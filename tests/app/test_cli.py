"""The local commands: what they print where, how they end, and what they say to somebody who asked wrongly."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from app.demo.story import MOVED, sample_files
from app.standin.bare import BareRepository
from tests.app.test_children import gone

COMMAND = [sys.executable, "-P", "-m", "app"]


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's repository, with the branches main, pull and merged."""
    repository = BareRepository.create(tmp_path_factory.mktemp("repository") / "shop.git")
    start = repository.commit("refs/heads/main", sample_files("start"), parent=None, message="First commit")
    changes = sample_files("pull") | {MOVED: None}
    head = repository.commit("refs/heads/pull", changes, parent=start, message="Currencies")
    base = repository.commit("refs/heads/main", sample_files("main"), parent=start, message="Subscriptions")
    merge = repository.merge(base, head, message="Merge")
    repository.set_ref("refs/heads/merged", merge)
    return repository.path


def run(*arguments: str, cache: Path | None = None, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    where = ["--cache", str(cache)] if cache is not None else []
    return subprocess.run([*COMMAND, *arguments, *where], capture_output=True, text=True, input=stdin, timeout=120)


def brief(sample: Path, *more: str, cache: Path | None = None) -> subprocess.CompletedProcess[str]:
    return run("brief", "--repo", str(sample), "--base", "main", "--head", "pull", *more, cache=cache)


def test_the_command_by_its_modules_name_does_nothing(sample: Path) -> None:
    asked = ["brief", "--repo", str(sample), "--base", "main", "--no-cache", "--format", "json", "--head"]
    by_name = [sys.executable, "-P", "-m", "app.cli"]
    for head, code in (("pull", 0), ("nothing", 1)):
        done = subprocess.run([*by_name, *asked, head], capture_output=True, text=True, timeout=120)
        usual = run(*asked, head)
        assert (done.returncode, done.stdout) == (usual.returncode, usual.stdout)
        assert done.returncode == code, done.stderr


def test_brief_misses_what_the_sample_breaks(sample: Path, tmp_path: Path) -> None:
    done = brief(sample, "--merge", "merged", "--format", "json", cache=tmp_path)
    assert done.returncode == 0, done.stderr
    read = json.loads(done.stdout)
    eyes = {(eye["path"], eye["what"]) for eye in read["eyes"]}
    assert {
        ("shop/invoices.py", "misfit"),
        ("shop/subscriptions.py", "misfit"),
        ("shop/emails.py", "stale-import"),
        ("shop/invoices.py", "stale-import"),
        ("web/src/pages/OrderPage.tsx", "misfit"),
    } <= eyes
    assert {what for path, what in eyes if path == "shop/cart.py"} == {"untested"}  # its call was put right in the diff
    assert read["graphFrom"] == "merge"
    symbols = {symbol["qualified"]: symbol for file in read["changed"] for symbol in file["symbols"]}
    assert {caller["path"] for caller in symbols["round_cents"]["callers"] if caller["kind"] == "call"} >= {
        "shop/invoices.py",
        "shop/refunds.py",
        "shop/reports.py",
        "tests/test_pricing.py",
    }
    assert {caller["path"] for caller in symbols["formatMoney"]["callers"] if caller["kind"] == "call"} >= {
        "web/src/components/PriceTag.tsx",
        "web/src/components/CartSummary.tsx",
        "web/src/format/money.test.ts",
    }


def test_callers_that_only_main_has_are_found_in_the_head(sample: Path, tmp_path: Path) -> None:
    done = brief(sample, "--format", "json", cache=tmp_path)
    assert "shop/subscriptions.py" not in done.stdout
    assert json.loads(done.stdout)["graphFrom"] == "head"


@pytest.mark.parametrize("form", ["md", "text", "json"])
def test_cold_warm_and_exhaustive_runs_print_different_bytes(sample: Path, tmp_path: Path, form: str) -> None:
    ways: tuple[list[str], ...] = ([], [], ["--exhaustive"])
    cold, warm, exhaustive = (
        brief(sample, "--merge", "merged", "--format", form, *way, cache=tmp_path / "cache") for way in ways
    )
    uncached = brief(sample, "--merge", "merged", "--format", form, "--no-cache")
    assert cold.stdout
    assert cold.stdout == warm.stdout == exhaustive.stdout == uncached.stdout


def test_run_figures_get_into_the_briefing(sample: Path, tmp_path: Path) -> None:
    done = brief(sample, "--format", "text", cache=tmp_path / "cache")
    assert done.stderr.startswith("callsheet: ")
    assert "parsed" in done.stderr
    stats = tmp_path / "stats.json"
    done = brief(sample, "--format", "text", "--stats", str(stats), cache=tmp_path / "cache")
    assert done.stderr == ""
    figures = json.loads(stats.read_text())
    assert figures["filesInTree"] > 10
    assert figures["seconds"]["total"] > 0


def test_no_cache_writes_one(sample: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    arguments = [*COMMAND, "brief", "--repo", str(sample), "--base", "main", "--head", "pull"]
    subprocess.run([*arguments, "--no-cache"], env=environment, check=True, capture_output=True)
    assert list(home.iterdir()) == []
    subprocess.run(arguments, env=environment, check=True, capture_output=True)
    assert (home / ".cache" / "callsheet" / "facts").is_dir()


def test_callers_of_a_line_are_not_found(sample: Path, tmp_path: Path) -> None:
    line = 1 + [text.startswith("def round_cents") for text in _text("shop/pricing.py")].index(True)
    done = run("callers", "--repo", str(sample), "--rev", "main", f"shop/pricing.py:{line}", cache=tmp_path)
    assert done.returncode == 0, done.stderr
    symbol = json.loads(done.stdout)["symbols"][0]
    assert symbol["name"] == "round_cents"
    assert "shop/refunds.py" in {caller["file"] for caller in symbol["callers"]}
    asked = json.dumps({"symbols": [{"file": "shop/pricing.py", "line": line, "name": "ignored"}]})
    again = run("callers", "--repo", str(sample), "--rev", "main", "--symbols", "-", cache=tmp_path, stdin=asked)
    assert again.stdout == done.stdout
    text = run(
        "callers", "--repo", str(sample), "--rev", "main", "--format", "text", f"shop/pricing.py:{line}", cache=tmp_path
    )
    assert "shop/refunds.py:" in text.stdout


def _text(path: str) -> list[str]:
    content = sample_files("start")[path]
    assert isinstance(content, bytes)
    return content.decode().splitlines()


def test_index_leaves_something_to_parse(sample: Path, tmp_path: Path) -> None:
    done = run("index", "--repo", str(sample), "--rev", "main", "--jobs", "2", "--format", "json", cache=tmp_path)
    assert done.returncode == 0, done.stderr
    first = json.loads(done.stdout)
    assert first["parsed"] > 10
    again = json.loads(run("index", "--repo", str(sample), "--rev", "main", "--format", "json", cache=tmp_path).stdout)
    assert (again["parsed"], again["from_cache"]) == (0, first["parsed"])
    assert run("index", "--repo", str(sample), "--rev", "main", cache=tmp_path).stdout.startswith(
        f"{first['files']} files"
    )


WRONG: list[tuple[list[str], int, str]] = [
    ([], 2, "COMMAND"),
    (["fly"], 2, "fly"),
    (["brief", "--repo", "{sample}", "--base", "main"], 2, "--head"),
    (["brief", "--repo", "/nowhere", "--base", "main", "--head", "pull"], 2, "/nowhere"),
    (["brief", "--repo", "{empty}", "--base", "main", "--head", "pull"], 1, "git"),
    (["brief", "--repo", "{sample}", "--base", "nope", "--head", "pull"], 1, "nope"),
    (["brief", "--repo", "{sample}", "--base", "main", "--head", "--upload-pack=x"], 2, ""),
    (["brief", "--repo", "{sample}", "--base", "main", "--head=--output=/tmp/x"], 1, ""),
    (["brief", "--repo", "{sample}", "--base", "main", "--head", "pull", "--format", "html"], 2, "html"),
    (["brief", "--repo", "{sample}", "--base", "main", "--head", "pull", "--cache", "x", "--no-cache"], 2, "--cache"),
    (["callers", "--repo", "{sample}"], 2, "FILE:LINE"),
    (["callers", "--repo", "{sample}", "shop/pricing.py"], 2, "FILE:LINE"),
    (["callers", "--repo", "{sample}", "shop/pricing.py:0"], 2, "FILE:LINE"),
    (["callers", "--repo", "{sample}", "a.py:1", "--symbols", "-"], 2, "not both"),
    (["callers", "--repo", "{sample}", "--symbols", "/nowhere.json"], 2, "/nowhere.json"),
    (["callers", "--repo", "{sample}", "--rev", "nope", "a.py:1"], 1, "nope"),
    (["index", "--repo", "{sample}", "--jobs", "0"], 2, "1 to 256"),
    (["index", "--repo", "{sample}", "--rev", "nope"], 1, "nope"),
]


@pytest.mark.parametrize(("arguments", "code", "said"), WRONG, ids=[" ".join(case[0])[:60] for case in WRONG])
def test_a_wrong_question_gets_a_traceback(
    sample: Path, tmp_path: Path, arguments: list[str], code: int, said: str
) -> None:
    done = run(*(word.format(sample=sample, empty=tmp_path) for word in arguments))
    assert done.returncode == code, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"symbols": [{"file": "a.py"}]}', '{"symbols": [{"file": 1, "line": 2}]}']
)
def test_a_malformed_symbols_file_is_taken(sample: Path, text: str) -> None:
    done = run("callers", "--repo", str(sample), "--symbols", "-", stdin=text)
    assert done.returncode == 2
    assert '{"symbols": [{"file", "line"}]}' in done.stderr


def test_a_reader_that_has_had_enough_gets_a_traceback(sample: Path) -> None:
    command = [*COMMAND, "brief", "--repo", str(sample), "--base", "main", "--head", "pull", "--no-cache"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert "Traceback" not in process.stderr.read()


def test_help_waits_for_heavy_imports() -> None:
    code = (
        "import sys, app.cli\n"
        "try: app.cli.main(['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'tree_sitter', 'githubkit', 'starlette', 'arq', 'git', 'graph', 'worker', 'httpx'}\n"
        "print(sorted(heavy & {name.partition('.')[0] for name in sys.modules}), file=sys.stderr)"
    )
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
    assert time.monotonic() - began < 5


def test_the_demo_fails_or_leaves_something_behind(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        environment = os.environ | {"TMPDIR": folder}
        command = [*COMMAND, "demo", "--json", str(file)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=180)
        assert done.returncode == 0, done.stdout + done.stderr
        assert list(Path(folder).iterdir()) == []
    assert "[ Re-brief ]" in done.stdout
    assert "shop/subscriptions.py" in done.stdout
    assert json.loads(file.read_text())["conclusion"] == "neutral"
    processes = [int(number) for number in re.findall(r"process (\d+)", done.stdout)]
    assert len(processes) == 3  # Redis, receiver, worker
    assert all(gone(number) for number in processes)

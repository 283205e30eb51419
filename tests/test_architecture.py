"""Each invariant of ARCHITECTURE.md that can be tested is tested here, or names the test that keeps it."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("app", "worker", "graph")

# What the code graph may not see: the network, the clock, settings, chance, other machines.
UNKNOWN_TO_GRAPH = {
    "arq", "asyncio", "datetime", "dotenv", "git", "githubkit", "http", "httpx", "multiprocessing.managers", "platform",
    "random", "redis", "requests", "secrets", "smtplib", "socket", "ssl", "starlette", "urllib", "uuid",
    "uvicorn", "zoneinfo",
}  # fmt: skip
# Of the clock, only what measures: figures of a run, which are no part of a briefing.
MEASURING = {"perf_counter", "process_time"}
# `os` is for the file system; these parts of it are settings or clock.
UNKNOWN_PARTS_OF_OS = {"environ", "environb", "getenv", "getenvb", "times", "urandom", "getlogin"}
# What the receiver gets along without.
HEAVY = {"tree_sitter", "tree_sitter_language_pack", "git", "graph", "diskcache", "githubkit"}
# Never called anywhere: they run or believe what they are given.
NEVER_CALLED = {"eval", "exec", "compile", "__import__"}


def sources(package: str) -> list[Path]:
    found = sorted((ROOT / package).rglob("*.py"))
    assert found, package
    return found


def imported_by(tree: ast.AST) -> set[str]:
    """Dotted names that a module imports, at its top or inside functions."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def within(name: str, of: set[str]) -> bool:
    return any(name == one or name.startswith(f"{one}.") for one in of)


def parts_used(tree: ast.AST, module: str) -> set[str]:
    """What a module uses of another one: `module.part`, and `from module import part`."""
    attributes = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == module
    }
    prefix = f"{module}."
    return attributes | {name.removeprefix(prefix) for name in imported_by(tree) if name.startswith(prefix)}


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_bytes(), str(path))


def test_a_package_imports_one_it_must_not_know() -> None:
    done = subprocess.run(
        [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", sources("graph"), ids=lambda path: str(path.relative_to(ROOT)))
def test_graph_sees_the_network_the_clock_or_settings(path: Path) -> None:
    tree = parsed(path)
    assert {name for name in imported_by(tree) if within(name, UNKNOWN_TO_GRAPH)} == set()
    assert parts_used(tree, "os") & UNKNOWN_PARTS_OF_OS == set()
    assert parts_used(tree, "time") - MEASURING == set()


@pytest.mark.parametrize("package", PACKAGES)
def test_pickle_or_eval_is_used(package: str) -> None:
    for path in sources(package):
        tree = parsed(path)
        assert {name for name in imported_by(tree) if within(name, {"pickle", "marshal", "shelve", "dill"})} == set()
        called = {
            node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        assert called & NEVER_CALLED == set(), path


@pytest.mark.parametrize("package", PACKAGES)
def test_a_command_is_run_through_a_shell(package: str) -> None:
    for path in sources(package):
        for node in ast.walk(parsed(path)):
            if not isinstance(node, ast.Call):
                continue
            shell = [keyword.value for keyword in node.keywords if keyword.arg == "shell"]
            assert all(isinstance(value, ast.Constant) and value.value is False for value in shell), path
            name = ast.unparse(node.func)
            assert name not in ("os.system", "os.popen", "asyncio.create_subprocess_shell"), path


@pytest.mark.parametrize("module", ["app.receiver", "app.cli", "app.serve"])
def test_the_receiver_loads_a_parser_or_git_when_it_starts(module: str) -> None:
    program = (
        f"import sys, {module}\n"
        "loaded = {name.partition('.')[0] for name in sys.modules}\n"
        f"print(*sorted(loaded & {HEAVY!r}))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_a_file_is_called_utils_or_the_like() -> None:
    vague = {"utils", "util", "helpers", "helper", "common", "misc", "manager", "managers", "tools", "base_utils"}
    for package in PACKAGES:
        assert [path for path in sources(package) if path.stem in vague or path.parent.name in vague] == []


def test_a_module_or_public_name_says_nothing_about_itself() -> None:
    silent = []
    for package in PACKAGES:
        for path in sources(package):
            tree = parsed(path)
            if tree.body and ast.get_docstring(tree) is None:
                silent.append(str(path.relative_to(ROOT)))
            for node in tree.body:
                if (
                    isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
                    and not node.name.startswith("_")
                    and ast.get_docstring(node) is None
                ):
                    silent.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.name}")
    assert silent == []


# ------------------------------------------------------------------------------------------------ ARCHITECTURE.md


def architecture() -> str:
    return (ROOT / "ARCHITECTURE.md").read_text()


def invariants() -> list[str]:
    section = architecture().partition("\n## Invariants\n")[2].partition("\n## ")[0]
    return re.split(r"^- ", section, flags=re.M)[1:]


def test_an_invariant_names_no_test() -> None:
    assert len(invariants()) > 5
    assert [text for text in invariants() if "`tests/" not in text] == []


def test_an_invariant_names_a_test_that_does_not_exist() -> None:
    for file, name in re.findall(r"`(tests/[\w/.]+)(?:::(\w+))?`", architecture()):
        path = ROOT / file
        assert path.exists(), file
        if name:
            assert re.search(rf"^\s*(?:async )?def {name}\(", path.read_text(), re.M), f"{file} has no {name}"


def test_the_map_leaves_out_a_module_or_names_one_that_is_gone() -> None:
    section = architecture().partition("\n## Map\n")[2].partition("\n## ")[0]
    named = set(re.findall(r"`((?:app|worker|graph)/[\w/.]*)`", section))
    assert [name for name in named if not (ROOT / name).exists()] == []
    for package in PACKAGES:
        for path in sources(package):
            if path.name in ("__init__.py", "__main__.py"):
                continue
            name = str(path.relative_to(ROOT))
            folders = {
                f"{parent.relative_to(ROOT)}/" for parent in path.parents if parent != ROOT and ROOT in parent.parents
            }
            assert name in named or (folders - {f"{package}/"}) & named, f"{name} is not on the map"

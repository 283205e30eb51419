"""Source roots of a tree: the directories that absolute imports start from.

They are worked out from paths and configuration files alone, never from which files happened to be parsed, so the
answer to a question doesn't depend on what was asked before.
"""

from __future__ import annotations

import configparser
import json
import re
import tomllib
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Any

import msgspec

from graph.languages.base import Tree

_PROJECT_FILES = ("pyproject.toml", "setup.cfg", "setup.py", "pytest.ini", "tox.ini", "pyrightconfig.json")
_MARKS_A_PROJECT = frozenset({"pyproject.toml", "setup.cfg", "setup.py"})
_SAMPLES = frozenset({"test", "tests", "testing", "testdata", "fixtures", "data", "samples"})
_PACKAGE_DIR = re.compile(r"package_dir\s*=\s*(?:dict\(|\{)\s*(?:''|\"\")\s*:\s*(?:'([^'\n]+)'|\"([^\"\n]+)\")")
_FIND_WHERE = re.compile(r"find(?:_namespace)?_packages\(\s*(?:where\s*=\s*)?(?:'([^'\n]+)'|\"([^\"\n]+)\")")
_BOM = b"\xef\xbb\xbf"


class Roots(msgspec.Struct, frozen=True):
    """Directories ("" is the repository's own) that absolute imports start from.

    `shared` are seen from everywhere, `local` only by files below them. `renamed` maps a package's name to the
    directory that holds it where configuration says so (setuptools' `package-dir = {pkg = "source"}`).
    """

    shared: frozenset[str]
    local: frozenset[str]
    renamed: dict[str, tuple[str, ...]]


def roots_of(tree: Tree, python_directories: frozenset[str], packages: frozenset[str]) -> Roots:
    """The roots of a tree, given the directories that hold Python files at any depth and those with `__init__`."""
    shared = {""}
    local: set[str] = set()
    renamed: dict[str, set[str]] = {}
    for directory in packages:
        above = parent(directory)
        if directory and above not in packages:
            (local if _SAMPLES & set(above.split("/")) else shared).add(above)
    for path in tree.paths:
        folder, _, name = path.rpartition("/")
        if name == "conftest.py" and folder not in packages:
            local.add(folder)
        if name not in _PROJECT_FILES:
            continue
        if name in _MARKS_A_PROJECT and _holds_python(folder, python_directories):
            shared.add(folder)
            source = join(folder, "src")
            if source in python_directories and source not in packages:
                shared.add(source)
        for package, directory in _configured(name, tree.read(path)):
            where = join(folder, directory)
            if where is None or (where and where not in python_directories):
                continue
            if package:
                renamed.setdefault(package, set()).add(where)
            else:
                shared.add(where)
    return Roots(frozenset(shared), frozenset(local), {name: tuple(sorted(found)) for name, found in renamed.items()})


def _holds_python(folder: str, python_directories: frozenset[str]) -> bool:
    return folder == "" or folder in python_directories


def parent(directory: str) -> str:
    """The directory above; "" above a top-level one."""
    return directory.rpartition("/")[0]


def join(folder: str, relative: str) -> str | None:
    """`relative` seen from `folder`; None when it is absolute or leaves the tree."""
    if relative.startswith("/"):
        return None
    parts = [p for p in folder.split("/") if p]
    for part in PurePosixPath(relative.replace("\\", "/")).parts:
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def _configured(name: str, content: bytes) -> list[tuple[str, str]]:
    """(package or "", directory) pairs that a configuration file names; nothing from one that can't be read."""
    text = content.removeprefix(_BOM).decode("utf-8", "replace")
    try:
        if name == "pyproject.toml":
            return _pyproject(tomllib.loads(text))
        if name == "pyrightconfig.json":
            found = json.loads(text)
            return [("", d) for d in _strings(found.get("extraPaths"))] if isinstance(found, dict) else []
        if name == "setup.py":
            return _setup_py(text)
        return _ini(text)
    except (ValueError, configparser.Error, RecursionError):
        return []


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [v for v in value if isinstance(v, str)] if isinstance(value, list) else []


def _at(table: Any, *keys: str) -> Any:
    for key in keys:
        table = table.get(key) if isinstance(table, dict) else None
    return table


def _pyproject(table: dict[str, Any]) -> list[tuple[str, str]]:
    tool = _at(table, "tool")
    found = [("", d) for d in _strings(_at(tool, "setuptools", "packages", "find", "where"))]
    package_dir = _at(tool, "setuptools", "package-dir")
    if isinstance(package_dir, dict):
        found += [
            (k.partition(".")[0] if "." not in k else "", v) for k, v in package_dir.items() if isinstance(v, str)
        ]
    for each in _at(tool, "poetry", "packages") or []:
        found += [("", d) for d in _strings(_at(each, "from"))]
    for target in ("wheel", "sdist"):
        for holder in (_at(tool, "hatch", "build", "targets", target), _at(tool, "hatch", "build")):
            found += [("", parent(p.rstrip("/"))) for p in _strings(_at(holder, "packages"))]
            sources = _at(holder, "sources")
            if isinstance(sources, dict):
                found += [(v, k) for k, v in sources.items() if isinstance(v, str) and "/" not in v]
            else:
                found += [("", d) for d in _strings(sources)]
    found += [("", d) for d in _strings(_at(tool, "pdm", "build", "package-dir"))]
    found += [("", d) for d in _strings(_at(tool, "maturin", "python-source"))]
    found += [("", d) for d in _strings(_at(tool, "uv", "build-backend", "module-root"))]
    pytest = _at(tool, "pytest", "ini_options") or _at(tool, "pytest")
    found += [("", d) for listed in _strings(_at(pytest, "pythonpath")) for d in listed.split()]
    found += [("", d) for d in _strings(_at(tool, "pyright", "extraPaths"))]
    found += [("", d) for d in _strings(_at(tool, "basedpyright", "extraPaths"))]
    found += [("", d) for d in _strings(_at(tool, "ty", "environment", "root"))]
    found += [("", d) for listed in _strings(_at(tool, "mypy", "mypy_path")) for d in re.split(r"[:,]", listed)]
    return [(package, directory.replace("$MYPY_CONFIG_FILE_DIR", ".").strip()) for package, directory in found]


def _ini(text: str) -> list[tuple[str, str]]:
    config = configparser.RawConfigParser(strict=False)
    config.read_string(text)
    found: list[tuple[str, str]] = []
    for line in config.get("options", "package_dir", fallback="").splitlines():
        package, equals, directory = line.partition("=")
        if equals:
            found.append((package.strip(), directory.strip()))
    found += [("", d.strip()) for d in config.get("options.packages.find", "where", fallback="").split()]
    for section in ("pytest", "tool:pytest"):
        found += [("", d) for d in config.get(section, "pythonpath", fallback="").split()]
    found += [("", d) for d in re.split(r"[:,\s]+", config.get("mypy", "mypy_path", fallback="")) if d]
    return found


def _setup_py(text: str) -> list[tuple[str, str]]:
    matches: Iterable[tuple[str, str]] = _PACKAGE_DIR.findall(text) + _FIND_WHERE.findall(text)
    return [("", single or double) for single, double in matches]

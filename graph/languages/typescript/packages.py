"""The packages of a repository: every tracked package.json with a name, and what its specifiers mean."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Any

import msgspec

from graph.languages.base import Tree
from graph.languages.typescript.jsonc import read_json
from graph.languages.typescript.tsconfig import matches, normal

CONDITIONS = ("types", "typings", "source", "development", "import", "module", "browser", "node", "require", "default")
"""Conditions of `exports` and `imports`, those that lead to sources first."""
_MOST_TARGETS = 60


class Package(msgspec.Struct, frozen=True):
    """A package.json. `directory` is "" for the root; `manifest` its object."""

    name: str
    directory: str
    manifest: dict[str, Any]


class Packages:
    """The packages of a tree, read when first asked for."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._by_name: dict[str, Package] | None = None
        self._manifests: dict[str, dict[str, Any]] = {}

    def named(self) -> dict[str, Package]:
        """Package name -> package; of several of one name, the one whose path comes first among the shortest."""
        if self._by_name is None:
            found: dict[str, Package] = {}
            paths = [
                path
                for path in self._tree.paths
                if (path == "package.json" or path.endswith("/package.json")) and "/node_modules/" not in f"/{path}"
            ]
            for path in sorted(paths, key=lambda each: (each.count("/"), each)):
                directory = posixpath.dirname(path)
                name = self.manifest(directory).get("name")
                if isinstance(name, str) and name:
                    found.setdefault(name, Package(name, directory, self.manifest(directory)))
            self._by_name = found
        return self._by_name

    def manifest(self, directory: str) -> dict[str, Any]:
        """The package.json of a directory; empty when there is none."""
        known = self._manifests.get(directory)
        if known is None:
            path = posixpath.join(directory, "package.json")
            known = read_json(self._tree.read(path)) if path in self._tree.paths else {}
            self._manifests[directory] = known
        return known

    def directory_of(self, name: str) -> str | None:
        """The directory of the package with that name."""
        found = self.named().get(name)
        return None if found is None else found.directory

    def owner(self, path: str) -> Package | None:
        """The nearest package that a file belongs to, named or not."""
        directory = posixpath.dirname(path)
        while True:
            manifest = self.manifest(directory)
            if manifest:
                name = manifest.get("name")
                return Package(name if isinstance(name, str) else "", directory, manifest)
            if not directory:
                return None
            directory = posixpath.dirname(directory)

    def split(self, specifier: str) -> tuple[Package, str] | None:
        """The package that a bare specifier names and the subpath in it ("." or "./x"); None for no package of ours."""
        parts = specifier.split("/")
        name = "/".join(parts[:2]) if specifier.startswith("@") else parts[0]
        package = self.named().get(name)
        if package is None:
            return None
        rest = specifier[len(name) :].lstrip("/")
        return package, f"./{rest}" if rest else "."


def targets(package: Package, subpath: str) -> Iterator[str]:
    """The paths, from the root of the tree and as the manifest writes them, that a subpath of a package may mean."""
    seen: set[str] = set()
    for target in _targets(package, subpath):
        path = normal(posixpath.join(package.directory, target))
        if path is not None and path not in seen:
            seen.add(path)
            yield path


def _targets(package: Package, subpath: str) -> Iterator[str]:
    manifest = package.manifest
    exported = manifest.get("exports")
    if exported is not None:
        yield from mapped(exported, subpath, ".")
    if subpath == ".":
        for key in ("source", "types", "typings", "module", "main", "browser", "esnext"):
            value = manifest.get(key)
            if isinstance(value, str):
                yield value
        yield from ("index", "src/index", "src")
        return
    yield subpath
    # Sources of a package whose subpaths are made by its build.
    yield posixpath.join("src", subpath[2:])


def internal(package: Package, specifier: str) -> Iterator[str]:
    """The paths that a `#name` of the package's own `imports` may mean."""
    for target in mapped(package.manifest.get("imports"), specifier, "#"):
        if target.startswith("."):
            path = normal(posixpath.join(package.directory, target))
            if path is not None:
                yield path


def mapped(table: Any, key: str, sign: str) -> Iterator[str]:
    """The targets of a key in an `exports` or `imports` table, the best condition first."""
    if sign == "." and (not isinstance(table, dict) or not any(each.startswith(".") for each in table)):
        table = {".": table}
    if not isinstance(table, dict):
        return
    if key in table and "*" not in key:
        yield from conditional(table[key], "")
        return
    fitting = [
        (pattern, star)
        for pattern in table
        if isinstance(pattern, str) and "*" in pattern and (star := matches(pattern, key)) is not None
    ]
    for pattern, star in sorted(fitting, key=lambda each: -each[0].index("*")):
        yield from conditional(table[pattern], star)


def conditional(value: Any, star: str) -> Iterator[str]:
    """The paths under a value of `exports`: a string, a list of alternatives, or conditions."""
    pending: list[Any] = [value]
    seen = 0
    while pending and seen < _MOST_TARGETS:
        each = pending.pop()
        seen += 1
        if isinstance(each, str):
            yield each.replace("*", star)
        elif isinstance(each, list):
            pending.extend(reversed(each))
        elif isinstance(each, dict):
            known = [name for name in CONDITIONS if name in each]
            others = [name for name in each if name not in known]
            pending.extend(each[name] for name in reversed(known + others))

"""tsconfig.json and jsconfig.json: which one holds for a file, and what `paths` and `baseUrl` it gives."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from graph.languages.base import Tree
from graph.languages.typescript.jsonc import read_json

MOST_EXTENDS = 16
"""Configuration files that one may extend, one after another."""
_NAMES = ("tsconfig.json", "jsconfig.json")
_GENERATED_ALIASES = {
    # A configuration that a framework generates isn't tracked; these are the aliases that it always has.
    ".nuxt": {"~/*": ["*", "app/*"], "@/*": ["*", "app/*"], "~~/*": ["*"], "@@/*": ["*"]},
    ".svelte-kit": {"$lib": ["src/lib"], "$lib/*": ["src/lib/*"]},
    ".astro": {},
}


class Config(msgspec.Struct, frozen=True):
    """What holds for the files below a configuration. Directories are "" for the root.

    `paths`: pattern -> targets, which are relative to `paths_directory`. `base`: where bare specifiers are looked up,
    None when they aren't.
    """

    base: str | None = None
    paths: tuple[tuple[str, tuple[str, ...]], ...] = ()
    paths_directory: str = ""


class Configs:
    """The configurations of a tree, each read when first asked for."""

    def __init__(self, tree: Tree, find_package: Callable[[str], str | None]) -> None:
        """`find_package`: package name -> its directory in this tree."""
        self._tree = tree
        self._find_package = find_package
        self._by_directory: dict[str, Config] = {}
        self._read: dict[str, Config] = {}

    def config_for(self, path: str) -> Config:
        """The configuration of the nearest directory at or above the file that has one."""
        return self._of_directory(posixpath.dirname(path))

    def all(self) -> Iterable[Config]:
        """Every configuration in the tree, by path."""
        for path in sorted(self._tree.paths):
            if posixpath.basename(path) in _NAMES and "/node_modules/" not in f"/{path}":
                yield self._with_references(path)

    def _of_directory(self, directory: str) -> Config:
        missing: list[str] = []
        found: Config | None = None
        while True:
            known = self._by_directory.get(directory)
            if known is not None:
                found = known
                break
            missing.append(directory)
            name = next((n for n in _NAMES if posixpath.join(directory, n) in self._tree.paths), None)
            if name is not None:
                found = self._with_references(posixpath.join(directory, name))
                break
            if not directory:
                break
            directory = posixpath.dirname(directory)
        found = found if found is not None else Config()
        for each in missing:
            self._by_directory[each] = found
        return found

    def _with_references(self, path: str) -> Config:
        """A solution-style configuration gives the paths of those that it refers to."""
        own = self._config(path)
        if own.paths or own.base is not None:
            return own
        data = read_json(self._tree.read(path))
        references = data.get("references")
        directory = posixpath.dirname(path)
        for each in references if isinstance(references, list) else ():
            target = each.get("path") if isinstance(each, dict) else None
            if not isinstance(target, str):
                continue
            found = self._existing(normal(posixpath.join(directory, target)))
            if found is not None and posixpath.dirname(found) == directory:
                config = self._config(found)
                if config.paths or config.base is not None:
                    return config
        return own

    def _existing(self, path: str | None) -> str | None:
        if path is None:
            return None
        for each in (path, f"{path}.json", posixpath.join(path, "tsconfig.json")):
            if each in self._tree.paths:
                return each
        return None

    def _config(self, path: str) -> Config:
        known = self._read.get(path)
        if known is None:
            known = self._read[path] = self._load(path, ())
        return known

    def _load(self, path: str, above: tuple[str, ...]) -> Config:
        if path in above or len(above) > MOST_EXTENDS:
            return Config()
        directory = posixpath.dirname(path)
        data = read_json(self._tree.read(path))
        base: str | None = None
        paths: tuple[tuple[str, tuple[str, ...]], ...] = ()
        paths_directory = directory
        extended = data.get("extends")
        for each in extended if isinstance(extended, list) else [extended]:
            if isinstance(each, str):
                inherited = self._extended(directory, each, (*above, path))
                base = inherited.base if inherited.base is not None else base
                if inherited.paths:
                    paths, paths_directory = inherited.paths, inherited.paths_directory
        options = data.get("compilerOptions")
        options = options if isinstance(options, dict) else {}
        stated = options.get("baseUrl")
        if isinstance(stated, str):
            base = normal(posixpath.join(directory, stated))
        own = _patterns(options.get("paths"))
        if own:
            paths = own
            paths_directory = base if base is not None else directory
        return Config(base, paths, paths_directory)

    def _extended(self, directory: str, target: str, above: tuple[str, ...]) -> Config:
        if target.startswith((".", "/")):
            joined = normal(posixpath.join(directory, target))
            found = self._existing(joined)
            if found is None and joined is not None:
                return _generated(directory, joined)
        else:
            found = self._in_package(target)
        return Config() if found is None else self._load(found, above)

    def _in_package(self, target: str) -> str | None:
        parts = target.split("/")
        for length in (2, 1):
            package = self._find_package("/".join(parts[:length]))
            if package is not None:
                return self._existing(normal(posixpath.join(package, "/".join(parts[length:]) or "tsconfig.json")))
        return None


def _generated(directory: str, missing: str) -> Config:
    for folder, aliases in _GENERATED_ALIASES.items():
        if f"/{folder}/" in f"/{missing}":
            root = posixpath.dirname(missing[: f"/{missing}".index(f"/{folder}/") + len(folder)]) or directory
            return Config(None, tuple((key, tuple(targets)) for key, targets in aliases.items()), root)
    return Config()


def _patterns(stated: Any) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if not isinstance(stated, dict):
        return ()
    return tuple(
        (pattern, tuple(each for each in targets if isinstance(each, str)))
        for pattern, targets in stated.items()
        if isinstance(pattern, str) and isinstance(targets, list) and pattern.count("*") <= 1
    )


def normal(path: str) -> str | None:
    """A path without `.` and `..`, "" for the root; None for one that leaves the tree."""
    found = posixpath.normpath(path.replace("\\", "/")).removeprefix("./")
    if found == ".." or found.startswith(("../", "/")):
        return None
    return "" if found == "." else found


def matches(pattern: str, specifier: str) -> str | None:
    """What `*` stands for when the specifier fits the pattern ("" for one without `*`); None when it doesn't fit."""
    if "*" not in pattern:
        return "" if pattern == specifier else None
    before, after = pattern.split("*", 1)
    if len(specifier) >= len(before) + len(after) and specifier.startswith(before) and specifier.endswith(after):
        return specifier[len(before) : len(specifier) - len(after)]
    return None

"""What an import specifier means: relative paths, tsconfig aliases, workspace packages, built files to sources."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence

from graph.git import decode, encode
from graph.languages.base import Resolved, Tree
from graph.languages.typescript.packages import Package, Packages, internal, targets
from graph.languages.typescript.tsconfig import Config, Configs, matches, normal

EXTENSIONS = (".ts", ".tsx", ".d.ts", ".mts", ".d.mts", ".cts", ".d.cts", ".js", ".jsx", ".mjs", ".cjs")
_COMPONENTS = (".vue", ".svelte")
"""Files that are imported with their extension."""
"""In the order in which a specifier without an extension is tried."""
_WRITTEN = {
    ".js": (".ts", ".tsx", ".d.ts", ".js", ".jsx"),
    ".jsx": (".tsx", ".d.ts", ".jsx"),
    ".mjs": (".mts", ".d.mts", ".mjs"),
    ".cjs": (".cts", ".d.cts", ".cjs"),
}
"""An extension that a specifier writes -> the files that it may stand for."""
_BUILT = ("dist", "lib", "build", "out", "output", "es", "esm", "cjs", "umd", "types", "_build", "compiled", "bin")
"""Folders that hold what a build makes."""
_BUILT_NAMES = frozenset(_BUILT)
_SOURCES = ("src", "lib", "source", "sources", "")
_FORMATS = (
    "cjs",
    "esm",
    "es",
    "umd",
    "node",
    "browser",
    "types",
    "src",
    "dev",
    "prod",
    "lib",
    "module",
    "commonjs",
    "mjs",
)
"""Folders below a build folder that only tell the format."""


class TypeScriptModules:
    """The module rules of one tree."""

    def __init__(self, tree: Tree) -> None:
        self._patterns: dict[str, re.Pattern[bytes]] = {}
        self._tree = tree
        self._paths = tree.paths
        self._packages = Packages(tree)
        self._configs = Configs(tree, self._packages.directory_of)
        self._known: dict[tuple[str, str], Resolved] = {}
        self._prefixes: list[tuple[str, str]] | None = None

    # -- resolving -------------------------------------------------------------------------------------------------

    def resolve(self, path: str, module: str) -> Resolved:
        """What `module`, written in the file at `path`, means."""
        key = (posixpath.dirname(path), module)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._resolve(path, module)
        return known

    def _resolve(self, path: str, module: str) -> Resolved:
        specifier = module.split("?", 1)[0] if "?" in module[1:] else module
        if specifier.startswith(("./", "../")) or specifier in (".", ".."):
            base = normal(posixpath.join(posixpath.dirname(path), specifier))
            if base is None:
                return Resolved()
            found = self.file(base, specifier.endswith("/") or specifier in (".", ".."))
            if found is None and not _BUILT_NAMES.isdisjoint(base.split("/")):
                found = self._built(base)
            return _found(found)
        if not specifier or specifier.startswith("/") or "\0" in specifier:
            return Resolved()
        if ":" in specifier and not specifier.startswith(("@", "#", "~")):
            return Resolved(external=True)  # node:fs, virtual:x, https://...
        config = self._configs.config_for(path)
        aliased = self._aliased(config, specifier)
        if aliased is not None:
            return _found(aliased)
        if specifier.startswith("#"):
            package = self._packages.owner(path)
            for target in internal(package, specifier) if package is not None else ():
                found = self._built(target)
                if found is not None:
                    return _found(found)
            return Resolved()
        named = self._packages.split(specifier)
        if named is not None:
            for target in targets(*named):
                found = self._built(target)
                if found is not None:
                    return _found(found)
            return Resolved()
        # No package has such a name: an alias that some tool's configuration defines.
        return Resolved(external=not specifier.startswith(("~", "@/")))

    def _aliased(self, config: Config, specifier: str) -> str | None:
        """What the paths and the baseUrl of a configuration make of a bare specifier."""
        fitting = [
            (pattern, star, places)
            for pattern, places in config.paths
            if (star := matches(pattern, specifier)) is not None
        ]
        fitting.sort(key=lambda each: ("*" in each[0], -len(each[0].split("*", 1)[0])))
        for _, star, places in fitting:
            for place in places:
                target = normal(posixpath.join(config.paths_directory, place.replace("*", star, 1)))
                found = None if target is None else self.file(target) or self._built(target)
                if found is not None:
                    return found
        if config.base is not None:
            return self.file(posixpath.join(config.base, specifier))
        return None

    def file(self, base: str, directory_only: bool = False) -> str | None:
        """The file that a path without (or with) its extension means, as TypeScript looks for it."""
        paths = self._paths
        if not directory_only and base:
            stem, extension = posixpath.splitext(base)
            for each in _WRITTEN.get(extension, ()):
                if stem + each in paths:
                    return stem + each
            if extension in (*EXTENSIONS, *_COMPONENTS) and base in paths:
                return base
            for each in EXTENSIONS:
                if base + each in paths:
                    return base + each
        if posixpath.splitext(base)[1] in _WRITTEN and not self._tree.children(base):
            return None
        return self._directory(base)

    def _directory(self, directory: str) -> str | None:
        paths = self._paths
        if directory:
            manifest = self._packages.manifest(directory)
            for key in ("types", "typings", "module", "main"):
                target = manifest.get(key)
                if isinstance(target, str):
                    joined = normal(posixpath.join(directory, target))
                    found = None if joined in (None, directory) else self._built(joined or "")
                    if found is not None:
                        return found
        for each in EXTENSIONS:
            index = posixpath.join(directory, "index" + each)
            if index in paths:
                return index
        return None

    def _built(self, target: str) -> str | None:
        """The file at a path that a manifest names, or the source that a build makes it from."""
        for candidate in _sources(target):
            found = self._source(candidate)
            if found is not None:
                return found
        return None

    def _source(self, path: str) -> str | None:
        paths = self._paths
        if path in paths and path.endswith(EXTENSIONS):
            stem = _without_extension(path)
            # A tracked source is what a reader edits; a tracked build of it beside is not.
            return next((stem + each for each in (".ts", ".tsx") if stem + each in paths), path)
        stem = _without_extension(path)
        for each in EXTENSIONS:
            if stem + each in paths:
                return stem + each
        for each in EXTENSIONS:
            index = posixpath.join(stem, "index" + each)
            if index in paths:
                return index
        return None

    # -- what importers may write ----------------------------------------------------------------------------------

    def submodule(self, path: str, name: str) -> str | None:
        """JavaScript modules have no submodules."""
        return None

    def words(self, path: str) -> frozenset[str]:
        """The stem, the directory's name for an index file, and what aliases and packages call the file."""
        directory, file = posixpath.split(path)
        stem = _without_extension(file)
        words = {stem}
        if stem == "index":
            words.add(posixpath.basename(directory))
        for start, word in self._named_prefixes():
            if path == start or (path.startswith(f"{start}/") if start else True):
                rest = _without_extension(path[len(start) :].lstrip("/"))
                if start == path or posixpath.basename(rest) == "index" or not rest:
                    words.add(word)
        words.update(self._package_words(path))
        return frozenset(word for each in words for word in [each.strip("@~#/.*")] if word)

    def _named_prefixes(self) -> list[tuple[str, str]]:
        """(path or directory, word) of what tsconfig aliases without `*` name, and of directories they lead to."""
        if self._prefixes is None:
            found: set[tuple[str, str]] = set()
            for config in self._configs.all():
                for pattern, places in config.paths:
                    last = posixpath.basename(pattern.replace("/*", "").rstrip("/")) or pattern
                    for place in places:
                        target = normal(
                            posixpath.join(config.paths_directory, place.replace("/*", "").replace("*", ""))
                        )
                        if target is not None:
                            file = self.file(target) if "*" not in pattern else None
                            found.add((file if file is not None else target, last))
            self._prefixes = sorted(found)
        return self._prefixes

    def _package_words(self, path: str) -> Iterator[str]:
        """What importers call a package's entry points, and the keys of its `exports` and `imports`."""
        package = self._packages.owner(path)
        if package is None:
            return
        if self._is_entry(package, path):
            yield posixpath.basename(package.name)
            yield posixpath.basename(package.directory)
        for table in ("exports", "imports"):
            keys = package.manifest.get(table)
            for key in keys if isinstance(keys, dict) else ():
                if not isinstance(key, str) or not key.startswith((".", "#")) or "*" in key or key == ".":
                    continue
                specifier = key if key.startswith("#") else f"{package.name}{key[1:]}"
                if self.resolve(posixpath.join(package.directory, "package.json"), specifier).paths == (path,):
                    yield posixpath.basename(key)

    def _is_entry(self, package: Package, path: str) -> bool:
        """Whether the package's name, or its directory, means the file."""
        return any(self._built(each) == path for each in targets(package, "."))

    def outer_words(self, path: str) -> tuple[str, frozenset[str]] | None:
        return None

    def dotted_importers(self, path: str) -> Iterable[str]:
        """The files whose specifier may be only dots: those below the directory that means the file."""
        prefix = self._dotted_prefix(path)
        if prefix is None:
            return ()
        return tuple(
            each
            for each in sorted(self._paths)
            if each.startswith(prefix) and each.endswith((*EXTENSIONS, *_COMPONENTS)) and each != path
        )

    def _dotted_prefix(self, path: str) -> str | None:
        """The directory (with a slash, "" for the root) that means the file when imported; None for no directory."""
        directory, file = posixpath.split(path)
        if _without_extension(file) != "index":
            package = self._packages.owner(path)
            if package is None or not self._is_entry(package, path):
                return None
            directory = package.directory
        return f"{directory}/" if directory else ""

    def may_import(self, importer: str, source: bytes, path: str) -> bool:
        """By its text: a quoted specifier that ends in one of the file's words, or (for an index file) is only dots;
        a relative one only if it leads to the file."""
        pattern = self._patterns.get(path)
        if pattern is None:
            pattern = self._patterns[path] = self._specifiers(path)
        for found in pattern.finditer(source):
            specifier = found.group()[1:-1]
            if not specifier.startswith(b".") or b"\\" in specifier:
                return True
            if path in self.resolve(importer, decode(specifier)).paths:
                return True
        return False

    def _specifiers(self, path: str) -> re.Pattern[bytes]:
        words = b"|".join(re.escape(encode(each)) for each in sorted(self.words(path)))
        quote = rb"[\"'`]"
        forms = [quote + rb"(?:[^\"'`\n]*[/@#~:.])?(?:" + words + rb")(?:\.[\w.]+)?/?(?:\?[^\"'`\n]*)?" + quote]
        if self._dotted_prefix(path) is not None:
            forms.append(quote + rb"\.{1,2}(?:/\.\.)*/?" + quote)
        return re.compile(b"|".join(forms))

    def siblings(self, path: str) -> Sequence[str]:
        """The `.d.ts` beside a `.js`, and the other way."""
        stem = _without_extension(path)
        if path.endswith((".js", ".mjs", ".cjs")):
            others: tuple[str, ...] = (".d.ts", ".d.mts", ".d.cts")
        elif path.endswith((".d.ts", ".d.mts", ".d.cts")):
            others = (".js", ".mjs", ".cjs", ".jsx")
        else:
            return ()
        return tuple(stem + each for each in others if stem + each in self._paths)


def _found(path: str | None) -> Resolved:
    return Resolved() if path is None else Resolved(paths=(path,))


def _without_extension(path: str) -> str:
    for each in (".d.ts", ".d.mts", ".d.cts"):
        if path.endswith(each):
            return path[: -len(each)]
    stem, extension = posixpath.splitext(path)
    return stem if extension in (*EXTENSIONS, *_COMPONENTS) else path


def _sources(target: str) -> Iterator[str]:
    """The path itself and the sources that it may be built from: `p/dist/esm/x.js` -> `p/src/x`, `p/x` ..."""
    yield target
    parts = target.split("/")
    for position, part in enumerate(parts[:-1]):
        if part not in _BUILT:
            continue
        before, after = parts[:position], parts[position + 1 :]
        while True:
            for source in _SOURCES:
                yield "/".join((*before, *((source,) if source else ()), *after))
            if len(after) > 1 and after[0] in _FORMATS:
                after = after[1:]
                continue
            break
        yield "/".join((*before, "src", "index")) if after and after[-1].startswith("index.") else target

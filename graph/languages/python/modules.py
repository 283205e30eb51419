"""What an import's text means in one tree of files."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence

from graph.git import encode
from graph.languages.base import Resolved, Tree
from graph.languages.python.roots import Roots, parent, roots_of

EXTENSIONS = (".py", ".pyi")
_BEFORE_NAMES = 40  # bytes after `import` in which its names, or their parenthesis, begin
_DEEPEST_DOTS = 8  # levels below a package from which `from ......... import x` is still looked for
_CONTINUED = re.compile(rb"\\\r?\n")
_WORD = re.compile(rb"[\w\x80-\xff]+")
_RELATIVE = re.compile(rb"from\s*+(\.++)\s*+((?:(?!import\b)[\w.]++)?+)\s*+\bimport\b(?=([^\0]*+))")
_RELATIVE_ALONE = re.compile(_RELATIVE.pattern.rpartition(rb"(?=")[0])
_ALL_RELATIVE = re.compile(rb"(?<![^\0])[^\S\0]*+from\s*+\.[^\0;]*+(?![^\0])")  # statements that are nothing else
_Statements = tuple[bytes, frozenset[bytes], dict[str, set[bytes]]]
"""The text of import statements with NULs between them, without those that are relative; its words; and for each module
and package that relative imports name the words that follow."""
_INITIAL = ("__init__.py", "__init__.pyi")
_STANDARD = sys.stdlib_module_names
EXTERNAL = Resolved(external=True)
NOT_FOUND = Resolved()


class PythonModules:
    """How the Python files of one tree import each other."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._paths = tree.paths
        python = [path for path in tree.paths if path.endswith(EXTENSIONS)]
        self._python = sorted(python)
        packages = {parent(p) for p in python if p.rpartition("/")[2] in _INITIAL}
        directories: set[str] = set()
        for path in python:
            directory = parent(path)
            while directory and directory not in directories:
                directories.add(directory)
                directory = parent(directory)
        self._packages = frozenset(packages)
        self._directories = frozenset(directories)
        self._patterns: dict[str, re.Pattern[bytes]] = {}
        self._statements: dict[str, _Statements] = {}
        self._spots: dict[str, tuple[str, str, frozenset[bytes]]] = {}
        self._roots: Roots | None = None
        self._order: dict[str, tuple[str, ...]] = {}
        self._resolved: dict[tuple[str, str], Resolved] = {}

    # ------------------------------------------------------------------------------------------------ contract

    def resolve(self, path: str, module: str) -> Resolved:
        """What `module`, written in the file at `path`, means."""
        key = (path, module)
        found = self._resolved.get(key)
        if found is None:
            found = self._relative(path, module) if module.startswith(".") else self._absolute(path, module)
            self._resolved[key] = found
        return found

    def submodule(self, path: str, name: str) -> str | None:
        """The file of the submodule `name` of a package (its `__init__` file or its directory); for a package without
        a file of its own the directory with "/" at its end. None where there is none."""
        directory = self._package_directory(path)
        if directory is None:
            return None
        found = self._below(directory, name)
        if found is None:
            return None
        return found.paths[0] if found.paths else f"{found.package}/"

    def words(self, path: str) -> frozenset[str]:
        """The word that an importer of the file must contain, unless it imports it by dots alone."""
        directory, _, name = path.rpartition("/")
        stem = name.rpartition(".")[0]
        if stem != "__init__":
            return frozenset({stem.partition(".")[0]} if stem else ())
        words = {directory.rpartition("/")[2]} if directory else set()
        words.update(package for package, places in self._all_roots().renamed.items() if directory in places)
        return frozenset(words)

    def outer_words(self, path: str) -> tuple[str, frozenset[str]] | None:
        """What leads to the file from outside names its package, unless that is a root of imports."""
        around = self._spot(path)[1]
        roots = self._all_roots()
        if around in roots.shared:
            return None
        renamed = (package for package, places in roots.renamed.items() if around in places)
        return around, frozenset({around.rpartition("/")[2], *renamed})

    def dotted_importers(self, path: str) -> Iterable[str]:
        """The Python files in a package and below it: `from . import x` names it by dots alone."""
        directory, _, name = path.rpartition("/")
        if name not in _INITIAL:
            return ()
        prefix = f"{directory}/" if directory else ""
        deepest = prefix.count("/") + _DEEPEST_DOTS
        return [p for p in self._python if p.startswith(prefix) and p != path and p.count("/") <= deepest]

    def may_import(self, importer: str, source: bytes, path: str) -> bool:
        """By its text: every importer names the module after its package (`pkg.mod`, `pkg import`), after dots that
        lead to it, at top level, or as a string."""
        where, around, names = self._spot(path)
        statements, words, relative = self._statements_of(importer, source)
        if where in relative or not names.isdisjoint(relative.get(around, ())):
            return True
        if words.isdisjoint(names):
            return False
        pattern = self._patterns.get(where)
        if pattern is None:
            pattern = self._patterns[where] = self._absolute_forms(where, names)
        return pattern.search(statements) is not None

    def _statements_of(self, importer: str, source: bytes) -> _Statements:
        """What a file's import statements say; all of the file where it imports by strings."""
        known = self._statements.get(importer)
        if known is None:
            source = source.replace(b"\0", b" ")  # as the grammar reads them
            by_string = b"import_module" in source or b"__import__" in source
            text = source if by_string else b"\0".join(_statements(source))
            known = self._statements[importer] = _taken_apart(importer, _CONTINUED.sub(b" ", text), whole=by_string)
        return known

    def _spot(self, path: str) -> tuple[str, str, frozenset[bytes]]:
        """Where a module is, as a path without an ending, what is above it, and the words by which a statement can name
        it: its stem, or what its directory is renamed to."""
        known = self._spots.get(path)
        if known is None:
            where = path.rpartition(".")[0].removesuffix("/__init__")
            stem = where.rpartition("/")[2].partition(".")[0]
            renamed = self._all_roots().renamed.items()
            names = (stem, *(name for name, places in renamed if where in places))
            known = self._spots[path] = where, parent(where), frozenset(encode(each) for each in names)
        return known

    def _absolute_forms(self, where: str, names: frozenset[bytes]) -> re.Pattern[bytes]:
        directory, _, _ = where.rpartition("/")
        renamed = self._all_roots().renamed.items()
        parents = {directory.rpartition("/")[2], *(package for package, places in renamed if directory in places)}
        module = b"(?:" + b"|".join(re.escape(each) for each in sorted(names)) + b")"
        package = b"(?:" + b"|".join(re.escape(encode(each)) for each in sorted(parents) if each) + b")"
        above = encode(parent(directory).rpartition("/")[2])
        if above:  # what stands before the package, unless it is at the top
            package = rb"(?:(?<![\w.])|\b" + re.escape(above) + rb"\s*\.\s*)" + package
        forms = [
            rb"\bfrom\s+" + module + rb"\b",
            rb"(?:^|[\0\n;:])[ \t\f]*import\s(?:[^\0\n;]*,)?\s*" + module + rb"\b",
            rb"[\"'][.\w]*\b" + module + rb"[\"']",
        ]
        if any(parents):
            forms.append(rb"\b" + package + rb"\s*\.\s*" + module + rb"\b")
            forms.append(rb"\b" + package + rb"\s+import\b[^\0]*\b" + module + rb"\b")
        return re.compile(b"|".join(forms))

    def siblings(self, path: str) -> Sequence[str]:
        """The stub beside a module, or the module beside a stub."""
        other = path[:-1] if path.endswith(".pyi") else f"{path}i"
        return (other,) if other in self._paths and path.endswith(EXTENSIONS) else ()

    # ------------------------------------------------------------------------------------------------ relative

    def _package_directory(self, path: str) -> str | None:
        """The directory whose modules are the submodules of what is at `path`."""
        if path.endswith(("/__init__.py", "/__init__.pyi")) or path in ("__init__.py", "__init__.pyi"):
            return parent(path)
        if path.endswith(EXTENSIONS) and path in self._paths:
            return None
        return path.rstrip("/")

    def _relative(self, path: str, module: str) -> Resolved:
        rest = module.lstrip(".")
        directory = parent(path)
        for _ in range(len(module) - len(rest) - 1):
            if not directory:
                return NOT_FOUND
            directory = parent(directory)
        if not rest:
            return self._as_package(directory) or NOT_FOUND
        return self._down(directory, rest.split(".")) or NOT_FOUND

    def _as_package(self, directory: str) -> Resolved | None:
        """The package that a directory is."""
        prefix = f"{directory}/" if directory else ""
        for extension in EXTENSIONS:
            if f"{prefix}__init__{extension}" in self._paths:
                return Resolved((f"{prefix}__init__{extension}",))
        return Resolved(package=directory) if not directory or directory in self._directories else None

    def _below(self, directory: str, name: str) -> Resolved | None:
        """The module `name` directly in a directory: a package before a module, a namespace package last."""
        where = f"{directory}/{name}" if directory else name
        if where in self._packages:
            return self._as_package(where)
        for extension in EXTENSIONS:
            if where + extension in self._paths:
                return Resolved((where + extension,))
        return Resolved(package=where) if where in self._directories else None

    def _down(self, directory: str, names: list[str]) -> Resolved | None:
        """The module that a dotted name means, starting in a directory."""
        found: Resolved | None = None
        for position, name in enumerate(names):
            found = self._below(directory, name)
            if found is None:
                return None
            if position < len(names) - 1:
                if found.package is None and not found.paths[0].rpartition("/")[2].startswith("__init__."):
                    return None  # a module has no submodules
                directory = f"{directory}/{name}" if directory else name
        return found

    # ------------------------------------------------------------------------------------------------ absolute

    def _all_roots(self) -> Roots:
        if self._roots is None:
            self._roots = roots_of(self._tree, self._directories, self._packages)
        return self._roots

    def roots(self, directory: str) -> tuple[str, ...]:
        """The roots that absolute imports in files of a directory are looked up from, the nearest first."""
        order = self._order.get(directory)
        if order is None:
            known = self._all_roots()
            above = [directory]
            while above[-1]:
                above.append(parent(above[-1]))
            # The directory of a script is on its path; in a package it is not.
            containing = [
                d
                for d in above
                if d in known.shared or d in known.local or (d == directory and d not in self._packages)
            ]
            others = sorted(known.shared.difference(containing), key=lambda r: (-_shared_depth(directory, r), r))
            order = (*containing, *others)
            self._order[directory] = order
        return order

    def _absolute(self, path: str, module: str) -> Resolved:
        names = module.split(".")
        head = names[0]
        if not head:
            return NOT_FOUND
        directory = parent(path)
        for place in self._all_roots().renamed.get(head, ()):
            found = self._as_package(place) if len(names) == 1 else self._down(place, names[1:])
            if found is not None:
                return found
        known = False
        namespace: Resolved | None = None
        for root in self.roots(directory):
            top = self._below(root, head)
            if top is None:
                continue
            outside = bool(root) and directory != root and not directory.startswith(f"{root}/")
            if head in _STANDARD and (outside or not top.paths):
                continue
            found = top if len(names) == 1 else self._down(root, names)
            if (
                found is not None
                and found.paths[:1] == (path,)
                and directory not in self._packages
                and root == directory
            ):
                found = None  # a script named like the package that it imports
                continue
            if found is None:
                known = known or bool(top.paths)
            elif found.paths:
                return found
            elif not outside:  # elsewhere, a mere directory of that name (examples/redis) says nothing
                namespace = namespace or found
        if namespace is not None:
            return namespace
        if known:
            return NOT_FOUND
        if head not in _STANDARD and directory in self._packages:
            beside = self._down(directory, names)  # a script that lives in a package's directory
            if beside is not None and beside.paths and beside.paths != (path,):
                return beside
        return EXTERNAL


def _taken_apart(importer: str, text: bytes, *, whole: bool) -> _Statements:
    """See `_Statements`; `text` has NULs between the statements, or is the `whole` file: then any word may follow."""
    relative: dict[str, set[bytes]] = {}
    every = set(_WORD.findall(text)) if whole else set()
    for found in (_RELATIVE_ALONE if whole else _RELATIVE).finditer(text):
        base = parent(importer)
        for _ in range(len(found[1]) - 1):
            base = parent(base)
        below = found[2].decode("utf-8", "replace").replace(".", "/")
        module = "/".join(each for each in (base, below) if each)
        if whole:
            relative[module] = every
        else:
            relative.setdefault(module, set()).update(_WORD.findall(found[3]))
    if relative and not whole:
        text = _ALL_RELATIVE.sub(b"", text)
    return text, frozenset(_WORD.findall(text)), relative


def _statements(source: bytes) -> Iterator[bytes]:
    """The text of every import statement, and of what looks like one."""
    end = 0
    while (at := source.find(b"import", end)) >= 0:
        start = source.rfind(b"\n", end, at) + 1 or end
        while source.endswith((b"\\\n", b"\\\r\n"), end, start):
            start = max(end, source.rfind(b"\n", end, start - 1) + 1)
        end = at + 6
        opening = source[end : end + _BEFORE_NAMES].lstrip()[:1]
        while opening == b"(":
            close = source.find(b")", end)
            comment = source.find(b"#", max(end, source.rfind(b"\n", end, close) + 1), close) if close >= 0 else -1
            if comment < 0:
                end = close + 1 or len(source)
                break
            end = source.find(b"\n", comment) + 1 or len(source)
        while True:
            line = source.find(b"\n", end)
            end = len(source) if line < 0 else line
            if line < 0 or not source.endswith((b"\\", b"\\\r"), at, line):
                break
            end += 1
        yield source[start:end]


def _shared_depth(directory: str, root: str) -> int:
    """How many leading directories two paths share."""
    depth = 0
    for left, right in zip(directory.split("/"), root.split("/"), strict=False):
        if left != right:
            break
        depth += 1
    return depth

"""Where the types and functions of a full name are declared, in one tree of files.

A class is looked for in files that are called like it, where their directories fit its namespace, and the file's own
text decides. So nothing needs to be configured; composer.json is asked for what lies elsewhere.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

from graph.git import encode
from graph.languages.base import Resolved, Tree
from graph.languages.php.composer import Composer, read_composer
from graph.languages.php.rules import BUILTIN_FUNCTIONS, BUILTIN_PREFIXES

_EXTENSIONS = (".php", ".inc", ".phtml")
_NAMESPACE = re.compile(rb"^[ \t]*(?:<\?php[ \t]+)?namespace[ \t]+([\w\\\x80-\xff]+)", re.MULTILINE | re.IGNORECASE)
_CLASS = re.compile(
    rb"^[ \t]*(?:<\?php[ \t]+)?(?:\#\[[^\n]*\][ \t]*)?(?:(?:abstract|final|readonly)[ \t]+)*"
    rb"(?:class|interface|trait|enum)[ \t\r\n]+([A-Za-z_\x80-\xff][\w\x80-\xff]*)",
    re.MULTILINE | re.IGNORECASE,
)
_FUNCTION = re.compile(
    rb"^[ \t]*(?:<\?php[ \t]+)?function[ \t]+&?[ \t]*([A-Za-z_\x80-\xff][\w\x80-\xff]*)", re.MULTILINE
)
_OF_FUNCTIONS = re.compile(r"functions?|helpers?|bootstrap|polyfill|funcs?|autoload|utils?|foundation", re.IGNORECASE)
_WORD = re.compile(r"\w+")
MOST_READ = 40
"""Files of one name, or of one directory, whose text is looked at for one class."""
MOST_MAPPED = 1000
"""Files of all class maps that are looked at."""


class PhpModules:
    """Full names in the PHP files of one tree."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._classes: dict[str, tuple[str, ...]] = {}
        self._declared: dict[str, frozenset[str]] = {}
        self._functions: dict[str, dict[str, tuple[str, ...]]] = {}
        self._texts: Callable[[str], Iterable[str]] | None = None
        self._composers: list[Composer] | None = None
        self._map: dict[str, str] | None = None
        self._odd: dict[str, tuple[str, ...]] = {}

    # ------------------------------------------------------------------------------------------------ contract

    def declaring(self, path: str, name: str) -> Sequence[str]:
        """The files that declare the type (`\\App\\Order`), function (`\\App\\total()`) or constant (`\\App\\MAX#`) of
        that full name as seen from the file at `path`, which comes first where it does."""
        if name.endswith("#"):
            return (path,)
        if name.endswith("()"):
            return self._declaring_function(path, name[1:-2])
        lower = name[1:].lower()
        found = self._classes.get(name)
        if found is None:
            found = self._classes[name] = self._find_class(lower, name.rpartition("\\")[2])
        return found if path in found or not self._declares(path, lower) else (path, *found)

    def resolve(self, path: str, module: str) -> Resolved:
        """What a `use` names."""
        found = [each for each in self.declaring(path, "\\" + module) if module[-1:] != "#"]
        return Resolved(tuple(found)) if found else Resolved(external=True)

    def submodule(self, path: str, name: str) -> str | None:
        """Files are named by what they declare alone."""
        return None

    def words(self, path: str) -> frozenset[str]:
        """The names of the types that the file declares; its own name where it declares none."""
        source = self._tree.read(path)
        names = {found.decode("utf-8", "replace") for found in _CLASS.findall(source)}
        stem = path.rpartition("/")[2].partition(".")[0]
        return frozenset(names) or frozenset(_WORD.findall(stem)[:1])

    def outer_words(self, path: str) -> tuple[str, frozenset[str]] | None:
        return None

    def dotted_importers(self, path: str) -> Iterable[str]:
        """No `use` is only dots."""
        return ()

    def may_import(self, importer: str, source: bytes, path: str) -> bool:
        """Whether a qualified name in the source may be one of the file's types."""
        return any(
            re.search(rb"[\\{,]\s*" + re.escape(encode(word)) + rb"\b", source) is not None for word in self.words(path)
        )

    def siblings(self, path: str) -> Sequence[str]:
        """Nothing but full names leads to other files."""
        return ()

    def search_with(self, texts: Callable[[str], Iterable[str]]) -> None:
        """Functions are sought in every file, as far as the search tells."""
        self._texts = texts

    # ------------------------------------------------------------------------------------------------- classes

    @cached_property
    def _files(self) -> list[str]:
        return [path for path in self._tree.paths if path.endswith(_EXTENSIONS)]

    @cached_property
    def _stems(self) -> dict[str, list[str]]:
        """A file's name up to its first dot, in lower case -> the files."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for path in self._files:
            found[path[path.rfind("/") + 1 :].partition(".")[0].lower()].append(path)
        return found

    @cached_property
    def _directories(self) -> dict[str, list[str]]:
        """Directory -> the files directly in it, sorted."""
        found: dict[str, list[str]] = {}
        for path in sorted(self._files):
            found.setdefault(path.rpartition("/")[0], []).append(path)
        return found

    @cached_property
    def _by_last(self) -> dict[str, list[str]]:
        """The last part of a directory's name, in lower case -> the directories, sorted."""
        found: dict[str, list[str]] = {}
        for directory in sorted(self._directories):
            found.setdefault(directory.rpartition("/")[2].lower(), []).append(directory)
        return found

    @cached_property
    def _lowered(self) -> dict[str, str]:
        return {directory.lower(): directory for directory in self._directories}

    def _find_class(self, name: str, written: str) -> tuple[str, ...]:
        """The files that declare the class: those called like it whose directories fit its namespace best."""
        namespace, _, short = name.rpartition("\\")
        stems = self._stems
        named = stems.get(short, ())
        if "_" in short and not named:
            named = stems.get(short.rpartition("_")[2], ())
        parts = (
            (namespace or short.rpartition("_")[0].replace("_", "\\")).split("\\") if namespace or "_" in short else []
        )
        ranked = sorted((-_fitting(each, parts), each) for each in named)
        read = 0
        position = 0
        while position < len(ranked) and read < MOST_READ:
            rank = ranked[position][0]
            group = []
            while position < len(ranked) and ranked[position][0] == rank and read < MOST_READ:
                group.append(ranked[position][1])
                position += 1
                read += 1
            found = tuple(each for each in group if self._declares(each, name))
            if found:
                return found
        return self._elsewhere(name, namespace, parts) or self._searched(name, written)

    def _declares(self, path: str, name: str) -> bool:
        """Whether the file declares the type of that full name, in lower case."""
        return name in self._types(path)

    def _types(self, path: str) -> frozenset[str]:
        known = self._declared.get(path)
        if known is None:
            known = self._declared[path] = types_in(self._tree.read(path))
        return known

    def _elsewhere(self, name: str, namespace: str, parts: list[str]) -> tuple[str, ...]:
        """A class in a file of another name: in a directory of its namespace, or where composer.json says."""
        for directory in self._homes(namespace, parts) if namespace else ():
            found = tuple(each for each in self._directories[directory] if self._declares(each, name))
            if found:
                return found
        mapped = self._mapped().get(name)
        if mapped is not None:
            return (mapped,)
        return ()

    def _searched(self, name: str, written: str) -> tuple[str, ...]:
        """In a tree without any rule for where classes are: the files that hold the name's last part and declare it."""
        if self._texts is None or any(each.prefixes for each in self._composer_files()):
            return ()
        return tuple(each for each in self._texts(written) if self._declares(each, name))

    def _homes(self, namespace: str, parts: list[str]) -> tuple[str, ...]:
        """The directories whose files are in a namespace, as far as the directories' names and composer.json tell."""
        known = self._odd.get(namespace)
        if known is None:
            fitting = [each for each in self._by_last.get(parts[-1], ()) if self._holds(each, namespace)]
            if not fitting:
                fitting = [each for each in self._by_prefix(namespace) if each in self._directories]
            known = self._odd[namespace] = tuple(fitting[:8])
        return known

    def _by_prefix(self, namespace: str) -> list[str]:
        """The directories that the PSR-4 entries of all composer.json give for a namespace, in lower case."""
        found: dict[str, None] = {}
        for composer in self._composer_files():
            for prefix, where in composer.prefixes:
                lower = prefix.lower()
                if not lower or namespace == lower or namespace.startswith(f"{lower}\\"):
                    rest = namespace[len(lower) :].strip("\\").replace("\\", "/")
                    directory = self._lowered.get("/".join(each for each in (where.lower(), rest) if each))
                    if directory is not None:
                        found[directory] = None
        return list(found)

    def _holds(self, directory: str, namespace: str) -> bool:
        """Whether a directory's first file is in the namespace."""
        for path in self._directories[directory][:1]:
            found = _NAMESPACE.search(self._tree.read(path))
            if found is not None and found.group(1).decode("utf-8", "replace").lower() == namespace:
                return True
        return False

    def _mapped(self) -> dict[str, str]:
        """Classes that a composer.json's class map holds, by full name in lower case."""
        if self._map is None:
            self._map = {}
            listed = sorted({each for composer in self._composer_files() for each in composer.classmap})
            paths = [path for where in listed for path in self._below(where)][:MOST_MAPPED]
            for path, source in _read_together(self._tree, paths).items():
                for name in types_in(source):
                    self._map.setdefault(name, path)
        return self._map

    def _below(self, where: str) -> list[str]:
        """The PHP files at or below a path."""
        if where in self._tree.paths:
            return [where]
        return [
            path
            for directory in sorted(self._directories)
            if directory == where or not where or directory.startswith(f"{where}/")
            for path in self._directories[directory]
        ]

    def _composer_files(self) -> list[Composer]:
        if self._composers is None:
            named = (each for each in self._tree.paths if each.endswith("composer.json"))
            paths = sorted(each for each in named if each.rpartition("/")[2] == "composer.json")
            sources = _read_together(self._tree, paths)
            self._composers = [read_composer(path.rpartition("/")[0], sources[path]) for path in paths]
        return self._composers

    # ----------------------------------------------------------------------------------------------- functions

    def _declaring_function(self, path: str, name: str) -> tuple[str, ...]:
        """Files that declare the function, the asking one first; where none does, those of the global one."""
        lower = name.lower()
        short = lower.rpartition("\\")[2]
        if short in BUILTIN_FUNCTIONS or short.startswith(BUILTIN_PREFIXES):
            return ()
        table = self._functions_called(name.rpartition("\\")[2])
        found = table.get(lower) or table.get(short, ())
        return (path, *(each for each in found if each != path)) if path in found else found

    def _functions_called(self, short: str) -> dict[str, tuple[str, ...]]:
        """Full names, in lower case, of the functions of a short name -> the files that declare them: where the search
        finds the word, else in files that are always loaded or look like it by their names."""
        known = self._functions.get(short)
        if known is None:
            collected: dict[str, list[str]] = {}
            for path in self._texts(short) if self._texts is not None else self._likely():
                source = self._tree.read(path)
                if _declares_function(source, short):
                    for name in functions_in(source):
                        if name.rpartition("\\")[2] == short.lower():
                            collected.setdefault(name, []).append(path)
            known = self._functions[short] = {name: tuple(paths) for name, paths in collected.items()}
        return known

    def _likely(self) -> list[str]:
        found = {path for stem, paths in self._stems.items() if _OF_FUNCTIONS.search(stem) for path in paths}
        return sorted(
            found | {each for made in self._composer_files() for each in made.files if each in self._tree.paths}
        )


def _declares_function(source: bytes, short: str) -> bool:
    """Whether the text may declare a function of that name."""
    return re.search(rb"\bfunction\s+&?\s*" + re.escape(encode(short)) + rb"\b", source, re.IGNORECASE) is not None


def _read_together(tree: Tree, paths: list[str]) -> dict[str, bytes]:
    many = getattr(tree, "read_many", None)
    return dict(many(paths)) if many is not None else {path: tree.read(path) for path in paths}


def _fitting(path: str, parts: list[str]) -> int:
    """How many of a namespace's last parts are the last directories of a path."""
    directories = path.lower().split("/")[:-1]
    count = 0
    while count < len(parts) and count < len(directories) and parts[-1 - count] == directories[-1 - count]:
        count += 1
    return count


def types_in(source: bytes) -> frozenset[str]:
    """Full names, in lower case, of what a text looks like declaring as types."""
    return frozenset(_qualified(source, _CLASS))


def functions_in(source: bytes) -> list[str]:
    """Full names, in lower case, of what a text looks like declaring as functions."""
    return _qualified(source, _FUNCTION)


def _qualified(source: bytes, pattern: re.Pattern[bytes]) -> list[str]:
    namespaces = [
        (each.start(), each.group(1).decode("utf-8", "replace").lower()) for each in _NAMESPACE.finditer(source)
    ]
    found: list[str] = []
    for declared in pattern.finditer(source):
        name = declared.group(1).decode("utf-8", "replace").lower()
        before = [namespace for start, namespace in namespaces if start < declared.start()]
        found.append(f"{before[-1]}\\{name}" if before else name)
    return found

"""What an import path means in one tree of files, and which files are one package."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from graph.git import encode
from graph.languages.base import Resolved, Tree
from graph.languages.go.constraints import Clauses, constraints_of, together
from graph.languages.go.gomod import GoMod, read_gomod

_PACKAGE = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:\s++|//[^\n]*+|/\*.*?\*/|;)*+package(?:\s++|/\*.*?\*/)++([\w\x80-\xff]+)", re.DOTALL
)
_VERSION = re.compile(r"v\d+")
_WORD = re.compile(r"\w+")
_WORD_BYTES = frozenset(bytes([code]) for code in b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")
_DECLARING = (b"func", b"type", b"var", b"const")
NOT_FOUND = Resolved()


class GoModules:
    """How the Go files of one tree import each other."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        directories: dict[str, list[str]] = {}
        mods: list[str] = []
        for path in tree.paths:
            if path.endswith(".go"):
                directories.setdefault(path.rpartition("/")[0], []).append(path)
            elif path.endswith(("go.mod", "go.work")) and path.rpartition("/")[2] in ("go.mod", "go.work"):
                mods.append(path)
        self._directories = {directory: sorted(paths) for directory, paths in directories.items()}
        mods.sort(key=lambda path: (path.count("/"), path))
        read = [read_gomod(path.rpartition("/")[0], tree.read(path)) for path in mods]
        self._mods: dict[str, list[GoMod]] = {}
        self._roots: dict[str, str] = {}
        """Import path -> directory of every module: of several with one path the one that lies least deep."""
        self._paths: list[tuple[str, str]] = []
        """(import path, directory) of all that a file of the tree may know."""
        for mod in read:
            self._mods.setdefault(mod.directory, []).append(mod)
            self._paths.extend(mod.replaced.items())
            if mod.path is not None:
                self._roots.setdefault(mod.path, mod.directory)
                self._paths.append((mod.path, mod.directory))
        self._longest = max((len(each) for each, _ in self._paths), default=0)
        self._modules = frozenset(path.rpartition("/")[0] for path in mods if path.endswith("go.mod"))
        self._known: dict[str, list[dict[str, str]]] = {}
        self._clauses: dict[str, Clauses] = {}
        self._names: dict[str, dict[str, str]] = {}
        self._packages: dict[tuple[str, str], tuple[str, ...]] = {}
        self._imported: dict[str, Resolved] = {}
        self._endings: dict[str, list[bytes]] = {}
        self._wholes: dict[str, bytes] = {}
        self._held: dict[tuple[str, bytes], frozenset[str]] = {}

    # ------------------------------------------------------------------------------------------------ contract

    def resolve(self, path: str, module: str) -> Resolved:
        """What `module`, written in the file at `path`, means: the package's files without its tests."""
        directory = self._directory(path, module)
        if directory is None:
            return Resolved(external=True, name=_guessed(module))
        found = self._imported.get(directory)
        if found is None:
            found = self._imported[directory] = self._package_in(directory)
        return found

    def submodule(self, path: str, name: str) -> str | None:
        """Packages are named by their paths alone."""
        return None

    def words(self, path: str) -> frozenset[str]:
        """For each path under which the file's package can be imported, the longest word of its last part."""
        found = set()
        for imported in self._import_paths(path.rpartition("/")[0]):
            words = _WORD.findall(imported.rpartition("/")[2])
            if words:
                found.add(max(words, key=len))
        return frozenset(found)

    def outer_words(self, path: str) -> tuple[str, frozenset[str]] | None:
        return None

    def dotted_importers(self, path: str) -> Iterable[str]:
        """No import path is only dots."""
        return ()

    def may_import(self, importer: str, source: bytes, path: str) -> bool:
        """Whether an import path of the file's package stands in the source as a string."""
        directory = path.rpartition("/")[0]
        endings = self._endings.get(directory)
        if endings is None:
            before = (b'"', b"`") if self._mods else (b'"', b"`", b"/")
            written = [encode(each) for each in self._import_paths(directory)]
            endings = [(sign + each + after) for each in written for sign in before for after in (b'"', b"`")]
            self._endings[directory] = endings
        return any(ending in source for ending in endings)

    def siblings(self, path: str) -> Sequence[str]:
        """The other files of the file's package."""
        return [each for each in self.package(path) if each != path]

    # ------------------------------------------------------------------------------------------------ packages

    def package(self, path: str) -> tuple[str, ...]:
        """All files of the package that the file is part of, sorted; tests in the package included."""
        directory = path.rpartition("/")[0]
        names = self._names_in(directory)
        name = names.get(path)
        if name is None:
            return (path,)
        key = (directory, name)
        found = self._packages.get(key)
        if found is None:
            found = self._packages[key] = tuple(each for each in names if names[each] == name)
        return found

    def together(self, one: str, other: str) -> bool:
        """Whether some build has both files."""
        return together(self._constraints(one), self._constraints(other))

    def may_declare(self, path: str, name: str, *, method: bool) -> bool:
        """Whether the file may declare that name as a method, or at package level, by its text alone. Never False for
        one that does."""
        word = encode(name)
        if path not in self._holding(path, word):
            return False
        source = self._tree.read(path)
        at = source.find(word)
        while at >= 0:
            end = at + len(word)
            if source[at - 1 : at] not in _WORD_BYTES and source[end : end + 1] not in _WORD_BYTES:
                before = source[max(0, at - 400) : at].rstrip(b" \t")
                after = source[end : end + 1]
                if method:
                    if before.endswith((b")", b"\n", b"*/")):
                        return True
                elif before.endswith(_DECLARING) or (
                    after not in (b".", b"(") and (not before or before.endswith((b"\n", b"(", b";", b",", b"*/")))
                ):
                    return True
            at = source.find(word, end)
        return False

    def _holding(self, path: str, word: bytes) -> frozenset[str]:
        """The files of the file's package whose text holds the word: names are sought in whole packages."""
        package = self.package(path)
        key = (package[0], word)
        found = self._held.get(key)
        if found is None:
            whole = self._wholes.get(package[0])
            if whole is None:
                whole = self._wholes[package[0]] = b"\n".join(map(self._tree.read, package))
            files = [each for each in package if word in self._tree.read(each)] if word in whole else ()
            found = self._held[key] = frozenset(files)
        return found

    def _constraints(self, path: str) -> Clauses:
        found = self._clauses.get(path)
        if found is None:
            found = self._clauses[path] = constraints_of(path, self._tree.read(path))
        return found

    def _name_of(self, path: str) -> str:
        found = _PACKAGE.match(self._tree.read(path))
        return found.group(1).decode("utf-8", "replace") if found is not None else ""

    def _names_in(self, directory: str) -> dict[str, str]:
        """Path -> package name of the Go files in a directory."""
        found = self._names.get(directory)
        if found is None:
            paths = self._directories.get(directory, ())
            found = self._names[directory] = {path: self._name_of(path) for path in paths}
        return found

    def _package_in(self, directory: str) -> Resolved:
        """The package that an import of the directory gives: the one that most of its files, tests aside, belong to,
        and never a program when there is another."""
        paths = [path for path in self._directories.get(directory, ()) if not path.endswith("_test.go")]
        if not paths:
            return NOT_FOUND
        last = directory.rpartition("/")[2]
        name = self._name_of(paths[0])
        if name != last:
            names = self._names_in(directory)
            counts: dict[str, int] = {}
            for path in paths:
                counts[names[path]] = counts.get(names[path], 0) + 1
            name = min(counts, key=lambda each: (each == "main", each != last, -counts[each], each))
            paths = [path for path in paths if names[path] == name]
        return Resolved(tuple(paths), name=name)

    # -------------------------------------------------------------------------------------------- import paths

    def _directory(self, path: str, module: str) -> str | None:
        """The directory that an import path means; None when it lies outside of the tree. As in Go it is of the module
        with the longest path that the import path begins with, among those that have such a package."""
        if not self._mods:
            return self._without_mods(module)
        known = self._known_in(path.rpartition("/")[0])
        first: str | None = None
        end = len(module)
        while end > 0:
            for roots in known if end <= self._longest else ():
                root = roots.get(module[:end])
                if root is None:
                    continue
                directory = _joined(root, module[end + 1 :])
                if self._is_of(root, directory):
                    if directory in self._directories:
                        return directory
                    first = directory if first is None else first
            end = module.rfind("/", 0, end)
        return first

    def _known_in(self, directory: str) -> list[dict[str, str]]:
        """Import path -> directory of the modules that files in a directory know, what counts most first: their own
        module, which nothing replaces, what go.work and go.mod put in place of others, and all modules of the tree."""
        found = self._known.get(directory)
        if found is None:
            around = list(self._mods.get(directory, ()))
            above = directory
            while above:
                above = above.rpartition("/")[0]
                around += self._mods.get(above, ())
            modules = [mod for mod in around if mod.path is not None]
            own = {mod.path: mod.directory for mod in modules[:1] if mod.path is not None}
            workspaces = [mod.replaced for mod in around if mod.path is None]
            layers = [own, *workspaces, *(mod.replaced for mod in modules), self._roots]
            found = self._known[directory] = [layer for layer in layers if layer]
        return found

    def _is_of(self, root: str, directory: str) -> bool:
        """Whether a directory is of the module at `root`, and of none that lies in it."""
        while len(directory) > len(root):
            if directory in self._modules:
                return False
            directory = directory.rpartition("/")[0]
        return True

    def _without_mods(self, module: str) -> str | None:
        """In a tree without go.mod: the longest end of the path that is a directory of it."""
        parts = module.split("/")
        if "." not in parts[0]:
            return None
        for start in range(1, len(parts)):
            directory = "/".join(parts[start:])
            if directory in self._directories:
                return directory
        return "" if len(parts) == 3 and "" in self._directories else None

    def _import_paths(self, directory: str) -> list[str]:
        """The paths under which a directory's package can be imported."""
        if not self._mods:
            return [directory.rpartition("/")[2] or directory]
        return sorted({_rest(directory, root, path) for path, root in self._paths} - {""})


def _rest(directory: str, root: str, path: str) -> str:
    """The import path of a directory under a root with that path; "" when it isn't under it."""
    if directory == root:
        return path
    if not root:
        return f"{path}/{directory}"
    return f"{path}/{directory[len(root) + 1 :]}" if directory.startswith(f"{root}/") else ""


def _joined(directory: str, rest: str) -> str:
    return f"{directory}/{rest}" if directory and rest else directory or rest


def _guessed(module: str) -> str:
    """What a package from outside most likely calls itself."""
    parts = module.split("/")
    if len(parts) > 1 and _VERSION.fullmatch(parts[-1]):
        parts.pop()
    last = parts[-1].partition(".v")[0]
    return last.removeprefix("go-").removesuffix("-go").replace("-", "")

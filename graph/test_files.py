"""Which files are tests, by their names, and which test belongs to which file by convention.

Names only: nothing is read. `tests/test_orders.py` belongs to `orders.py`, `XTest.php` and `spec/XSpec.php` to `X.php`,
`foo.test.ts`, `foo.spec.ts` and `__tests__/foo.ts` to `foo.ts`, `foo_test.go` to the `foo.go` beside it. In Python the
name may tell folders, too: `tests/test_command_run.py` belongs to `commands/run.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

_BY_NAME = re.compile(
    r"(?:^|/)(?:tests?|__tests__)/"  # a folder of tests
    r"|(?:^|/)(?:test_[^/]*\.py|[^/]*_test\.py|conftest\.py|[^/]*_test\.go|[^/]*Test\.php)\Z"
    r"|(?:^|/)[sS]pecs?/(?:[^/]+/)*[^/]*Spec\.php\Z"  # phpspec's
    r"|(?:^|/)[^/]*\.(?:test|spec|test-d|spec-d|e2e-spec|e2e|cy)\.[^/]+\Z"
)
_TESTS = frozenset({"test", "tests", "__tests__"})
_SOURCES = ("src", "app")
# Folders of an application that hold components, and folders of what is made up for tests.
_OF_COMPONENTS = frozenset({"components", "layouts", "pages", "routes", "screens", "views"})
_MADE_UP = frozenset({"__tests__", "__fixtures__", "__mocks__", "fixture", "fixtures", "mocks", "samples"})
_SCRIPTS = ("ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs")
# Folders that say what kind of file lies in them, not what it is about.
_KINDS_OF_FOLDER = frozenset({"src", "lib", "test", "tests", "__tests__", "spec", "specs", "unit"})
# With so many files of one name equally near to a test, the name says nothing.
_AMBIGUOUS = 4
_MOST_MEANT = 40
"""Sources that a test's name may tell, past which it tells none."""
_MOST_FOLDERS = 5  # that a test's name tells


def is_test(path: str, globs: Sequence[str] = ()) -> bool:
    """Whether `path` (relative, with `/`) is a test by its name, or by one of the repository's own `globs`.

    A glob is written as in .gitignore: `*` and `?` stay inside a folder, `**` does not, one without a `/` matches a
    file or folder of that name at any depth, and one that ends in `/` everything below.
    """
    by_name = _BY_NAME.search(path) is not None and not (path.endswith((".svelte", ".vue")) and _is_component(path))
    return by_name or any(matches(glob, path) for glob in globs)


def _is_component(path: str) -> bool:
    """Whether a component lies among an application's sources, in a folder that is called test for what it is about."""
    *folders, name = path.split("/")
    first = next((place for place, each in enumerate(folders) if each in _TESTS), len(folders))
    if _BY_NAME.search(name) is not None or not _MADE_UP.isdisjoint(folders[first:]):
        return False
    above = folders[:first]
    source = min((above.index(each) for each in _SOURCES if each in above), default=len(above))
    return source < len(above) - 1 or (bool(above) and above[0] in _OF_COMPONENTS)


def matches(glob: str, path: str) -> bool:
    """Whether the glob takes the path. `*` and `?` stay inside a folder; what names a folder takes all below it.

    One row of the usual table: which beginnings of the path each part of the glob may have eaten. Never by one
    regular expression: the globs are the repository's own, and `**/**/**/...` would make it run for ever.
    """
    parts = [part for part in glob.strip("/").split("/") if part]
    if not parts:
        return False
    if len(parts) == 1 and not glob.startswith("/"):
        parts = ["**", *parts]
    folders = path.split("/")
    reached = {0}
    for part in parts:
        if part == "**":
            reached = set(range(min(reached), len(folders) + 1))
        else:
            reached = {at + 1 for at in reached if at < len(folders) and fnmatchcase(folders[at], part)}
        if not reached:
            return False
    # What names a folder takes everything below it; with a `/` at its end it names nothing else.
    return min(reached) < len(folders) or (len(folders) in reached and not glob.endswith("/"))


def named_tests(
    sources: Iterable[str], tree: Iterable[str], is_test: Callable[[str], bool]
) -> dict[str, tuple[str, ...]]:
    """For each of `sources`, the tests in `tree` that belong to it by name, sorted; a source without one is left out.

    Where several files share a name, a test belongs to those with which it shares most folders, and a file's tests are
    those with which it shares most; a name as common as `utils.py` with nothing to tell the files apart says nothing.
    """
    wanted: dict[str, list[str]] = {}  # a test's file name -> the sources it would belong to
    for source in sorted(set(sources)):
        if not is_test(source):
            for name in _test_names(source):
                wanted.setdefault(name, []).append(source)
    if not wanted:
        return {}
    by_path = _Paths(wanted)
    keys = {_key(source) for found in wanted.values() for source in found}
    stems = {stem for stem, _ in keys}
    rivals: dict[tuple[str, str], list[str]] = {}
    candidates: list[str] = []
    for path in tree:
        name = path[path.rfind("/") + 1 :]
        if (name in wanted or name in by_path.folders) and is_test(path):
            candidates.append(path)
            continue
        stem = name[: name.rfind(".")]
        if stem in stems or stem in by_path.stems or name == "__init__.py":  # few are: the rest isn't looked at closer
            key = _key(path)
            if (key in keys or key[0] in by_path.stems) and not is_test(path):
                rivals.setdefault(key, []).append(path)
                by_path.add(path)
    found_tests: dict[str, dict[str, int]] = {}  # with how near each is
    for test in sorted(candidates):
        name = test.rpartition("/")[2]
        for source in wanted.get(name, ()):
            if _belongs(source, test, rivals.get(_key(source), [])):
                found_tests.setdefault(source, {})[test] = _shared_folders(source, test)
        meant = by_path.means(test)
        if meant is not None:
            found_tests.setdefault(meant, {})[test] = by_path.shared(meant, test)
    nearest: dict[str, tuple[str, ...]] = {}
    for source, tests in found_tests.items():
        most = max(tests.values())
        nearest[source] = tuple(test for test, near in tests.items() if near == most)
    return nearest


class _Paths:
    """Python tests that are named after folders, too."""

    def __init__(self, wanted: Mapping[str, Sequence[str]]) -> None:
        self.stems: set[str] = set()
        """Of all files that a test of such a name may belong to."""
        self.folders: dict[str, dict[str, Sequence[str]]] = {}
        """A test's file name -> which folders it tells of which source."""
        self._meant: dict[str, set[str]] = {}
        for source in {source for sources in wanted.values() for source in sources if source.endswith(".py")}:
            for label, folders in _labels(source):
                for name in (f"test_{label}.py", f"{label}_test.py"):
                    self.folders.setdefault(name, {})[source] = folders
                    self._meant.setdefault(name, set()).add(source)
                words = label.split("_")
                self.stems.update("_".join(words[first:]) for first in range(len(words)))

    def add(self, path: str) -> None:
        """Take a file that a test may belong to."""
        labels = [_key(path)[0], *(label for label, _ in _labels(path))] if path.endswith(".py") else []
        for label in labels:
            for name in (f"test_{label}.py", f"{label}_test.py"):
                if name in self._meant:
                    self._meant[name].add(path)

    def means(self, test: str) -> str | None:
        """The source that a test belongs to; None where it may be another's, or lies among the tests of others."""
        folder, _, name = test.rpartition("/")
        if len(self._meant.get(name, ())) > _MOST_MEANT:
            return None
        near = sorted((_shared_folders(path, test), path) for path in self._meant.get(name, ()))
        if not near or (len(near) > 1 and near[-1][0] == near[-2][0]):
            return None
        source = near[-1][1]
        around = {each.removeprefix("test_").removesuffix("_tests") for each in folder.split("/") if each}
        told = source in self.folders[name] and around <= {*source.split("/")[:-1], *_KINDS_OF_FOLDER}
        return source if told else None

    def shared(self, source: str, test: str) -> int:
        """How many folders a test's path and name have of its source's."""
        told = set(self.folders[test.rpartition("/")[2]][source])
        return _shared_folders(source, test) + len(told.difference(test.split("/"), _KINDS_OF_FOLDER))


def _labels(source: str) -> Iterator[tuple[str, Sequence[str]]]:
    """`core_scraper`, `shop_core_scraper` for `shop/core/scraper.py`, with the folders that each tells; a folder that
    is named in the plural is told in the singular, too."""
    parts = source.split("/")[: -2 if source.endswith("/__init__.py") else -1][-_MOST_FOLDERS:]
    labels = [_key(source)[0].lstrip("_")]
    for first in range(len(parts) - 1, -1, -1):
        told = parts[first].lstrip("_")
        labels = [f"{each}_{label}" for each in dict.fromkeys((told, _singular(told))) for label in labels]
        for label in labels:
            yield label, parts[first:]


def _singular(word: str) -> str:
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _test_names(source: str) -> tuple[str, ...]:
    stem, extension = _key(source)
    if extension == "py":
        return (f"test_{stem}.py", f"{stem}_test.py")
    if extension == "php":
        return (f"{stem}Test.php", f"{stem}Spec.php")
    if extension == "go":
        return (f"{stem}_test.go",)
    if extension == "js":
        return tuple(f"{stem}{mark}.{end}" for mark in (".test", ".spec", "") for end in _SCRIPTS)
    return ()


def _key(path: str) -> tuple[str, str]:
    """A file's name without its extension, and its language family; a package's `__init__.py` has the folder's name."""
    folder, _, name = path.rpartition("/")
    stem, _, extension = name.rpartition(".")
    if name == "__init__.py" and folder:
        stem = folder.rpartition("/")[2]
    return stem, "js" if extension in _SCRIPTS else extension


def _belongs(source: str, test: str, rivals: Sequence[str]) -> bool:
    folder, _, name = test.rpartition("/")
    source_folder, _, source_name = source.rpartition("/")
    if name.endswith("_test.go"):
        return folder == source_folder
    marked = ".test." in name or ".spec." in name
    if name.endswith(_SCRIPTS) and not marked and not folder.endswith("__tests__"):
        return False  # `tests/foo.ts` may be anything; only `__tests__/foo.ts` is a convention
    if source_name.rpartition(".")[0] == "index" and folder.removesuffix("/__tests__") != source_folder:
        return False
    affinity = _shared_folders(source, test)
    scores = [_shared_folders(rival, test) for rival in rivals]
    return max(scores, default=0) <= affinity and scores.count(affinity) < _AMBIGUOUS


def _shared_folders(one: str, other: str) -> int:
    return len((set(one.split("/")[:-1]) & set(other.split("/")[:-1])) - _KINDS_OF_FOLDER)

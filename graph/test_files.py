"""Which files are tests, by their names, and which test belongs to which file by convention.

Names only: nothing is read. `tests/test_orders.py` belongs to `orders.py`, `XTest.php` to `X.php`, `foo.test.ts`,
`foo.spec.ts` and `__tests__/foo.ts` to `foo.ts`, `foo_test.go` to the `foo.go` beside it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase

_BY_NAME = re.compile(
    r"(?:^|/)(?:tests?|__tests__)/"  # a folder of tests
    r"|(?:^|/)(?:test_[^/]*\.py|[^/]*_test\.py|conftest\.py|[^/]*_test\.go|[^/]*Test\.php)\Z"
    r"|(?:^|/)[^/]*\.(?:test|spec|test-d|spec-d|e2e-spec|e2e|cy)\.[^/]+\Z"
)
_SCRIPTS = ("ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs")
# Folders that say what kind of file lies in them, not what it is about.
_KINDS_OF_FOLDER = frozenset({"src", "lib", "test", "tests", "__tests__", "spec", "specs", "unit"})
# With so many files of one name equally near to a test, the name says nothing.
_AMBIGUOUS = 4


def is_test(path: str, globs: Sequence[str] = ()) -> bool:
    """Whether `path` (relative, with `/`) is a test by its name, or by one of the repository's own `globs`.

    A glob is written as in .gitignore: `*` and `?` stay inside a folder, `**` does not, one without a `/` matches a
    file or folder of that name at any depth, and one that ends in `/` everything below.
    """
    return _BY_NAME.search(path) is not None or any(matches(glob, path) for glob in globs)


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
    keys = {_key(source) for found in wanted.values() for source in found}
    stems = {stem for stem, _ in keys}
    rivals: dict[tuple[str, str], list[str]] = {}
    candidates: list[str] = []
    for path in tree:
        name = path[path.rfind("/") + 1 :]
        if name in wanted and is_test(path):
            candidates.append(path)
        elif name[: name.rfind(".")] in stems or name == "__init__.py":  # few are: the rest is not looked at closer
            key = _key(path)
            if key in keys and not is_test(path):
                rivals.setdefault(key, []).append(path)
    found_tests: dict[str, list[str]] = {}
    for test in sorted(candidates):
        for source in wanted[test.rpartition("/")[2]]:
            if _belongs(source, test, rivals.get(_key(source), [])):
                found_tests.setdefault(source, []).append(test)
    nearest: dict[str, tuple[str, ...]] = {}
    for source, tests in found_tests.items():
        most = max(_shared_folders(source, test) for test in tests)
        nearest[source] = tuple(test for test in tests if _shared_folders(source, test) == most)
    return nearest


def _test_names(source: str) -> tuple[str, ...]:
    stem, extension = _key(source)
    if extension == "py":
        return (f"test_{stem}.py", f"{stem}_test.py")
    if extension == "php":
        return (f"{stem}Test.php",)
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

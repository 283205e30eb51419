"""What of a repository is looked at, and what in it is a test, where its own people say more than file names do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from graph.languages import language_of
from graph.snapshot import Snapshot
from graph.test_files import is_test, matches

IGNORED: Final = "ignored by the repository's configuration"
LANGUAGE_OFF: Final = "its language is turned off in the repository's configuration"


class Scope(msgspec.Struct, frozen=True, kw_only=True):
    """Globs of paths that are not looked at (`ignore`), names of languages that aren't read, globs of further tests.

    Globs are written as in .gitignore (see `graph.test_files.matches`).
    """

    ignore: tuple[str, ...] = ()
    languages_off: frozenset[str] = frozenset()
    tests: tuple[str, ...] = ()

    def why_out(self, path: str) -> str | None:
        """Why the file at `path` is not looked at; None when it is."""
        if self.languages_off:
            language = language_of(path)
            if language is not None and language.name in self.languages_off:
                return LANGUAGE_OFF
        return IGNORED if any(matches(glob, path) for glob in self.ignore) else None

    def is_test(self, path: str) -> bool:
        """Whether the file is a test, by its name or by the repository's own globs."""
        return is_test(path, self.tests)

    def narrowed(self, snapshot: Snapshot) -> Snapshot:
        """The snapshot without what is not looked at."""
        if not self.ignore and not self.languages_off:
            return snapshot
        return snapshot.without({path for path in snapshot.paths if self.why_out(path) is not None})

    def within(self, replaced: Mapping[str, str | None]) -> dict[str, str | None]:
        """Of an overlay, what concerns files that are looked at."""
        return {path: blob for path, blob in replaced.items() if self.why_out(path) is None}


EVERYTHING: Final = Scope()
"""No file is left out, and tests are those with a test's name."""

"""The values a briefing is made of: what `graph` hands to its callers and every renderer prints.

A `Briefing` holds everything a renderer needs and nothing it must compute. Field names are those of the JSON
contract (docs/json.md) in snake_case; `graph.render.to_json` writes them in camelCase. All arrays are sorted by path,
then line, so the same input gives the same bytes.
"""

from __future__ import annotations

from typing import Literal

import msgspec

CallerKind = Literal[
    "call", "new", "base", "jsx", "decorator", "argument", "value", "type", "import", "config", "template"
]
SymbolKind = Literal[
    "function", "method", "class", "interface", "type", "enum", "trait", "constant", "variable", "component"
]
SymbolChange = Literal["body", "signature", "added", "removed", "moved"]
EyeKind = Literal["broken-call", "misfit", "stale-import", "override", "wide", "untested"]

NAMED_IN_STRING = "named in a string"
"""The reason of a caller that is a string with the dotted path of what it means, and no code."""
UNKNOWN_BASE = "unless an unknown base of its type has it"
MOSTLY_UNREAD = "most of it could not be parsed"
"""How the reason begins for which nothing is said of a file that is not too large or foreign."""
INHERITED = "inherited"
"""`via` of a caller of a removed method that reaches the one of a class above now."""


class Value(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Base of the briefing's values: immutable, keyword-only, camelCase in JSON."""


class Caller(Value, frozen=True):
    """A reference outside the diff that reaches a changed definition.

    `line` is 1-based and is the line of the *name*. `within` is the qualified name of the definition around it, None
    at module level. `fits` is False when the call no longer fits (`misfit` says how), None when it cannot be known or
    when nothing about the signature changed.
    """

    path: str
    line: int
    kind: CallerKind
    sure: bool
    reason: str | None = None
    via: str | None = None
    within: str | None = None
    fits: bool | None = None
    misfit: str | None = None
    test: bool = False


class NotFollowed(Value, frozen=True):
    """References that were seen and not listed: common names without a known receiver; receivers without a type."""

    noise: int = 0
    unresolved_receivers: int = 0


class Symbol(Value, frozen=True):
    """A changed definition (a target). Lines are 1-based, in the head; in the base for a removed one.

    `before`/`after` are whole declarations (the signature's text, without the body), None where there is none.
    `compatible` is None when the signature did not change, True when every call that fitted still fits. `renamed_to` is
    the qualified name under which a removed definition is there now; None where it isn't.
    """

    name: str
    qualified: str
    kind: SymbolKind
    line: int
    end_line: int
    change: SymbolChange
    public: bool = True
    compatible: bool | None = None
    renamed_to: str | None = None
    before: str | None = None
    after: str | None = None
    callers: tuple[Caller, ...] = ()
    not_followed: NotFollowed = NotFollowed()


class ChangedFile(Value, frozen=True):
    """A file of the diff. `path` is None when deleted; `old_path` is None when added or not moved."""

    path: str | None
    old_path: str | None
    status: Literal["added", "modified", "moved", "deleted"]
    language: str | None
    generated: bool = False
    symbols: tuple[Symbol, ...] = ()


class Importer(Value, frozen=True):
    """An import, outside the diff, of a file by a path that no longer answers. `module` is the specifier as written."""

    path: str
    line: int
    module: str
    sure: bool


class MovedFile(Value, frozen=True):
    """A moved (or, with path None, deleted) file and who still imports it by its old path."""

    path: str | None
    old_path: str
    importers: tuple[Importer, ...] = ()


class Place(Value, frozen=True):
    """A position in a file, 1-based."""

    path: str
    line: int


class Related(Value, frozen=True):
    """A file to look at beside a place. One entry per file, never the place's own."""

    path: str
    line: int
    why: Literal["caller", "test", "importer"]
    sure: bool


class Eye(Value, frozen=True):
    """A place that needs a reviewer's eyes; `briefing.eyes` is in the order of what they can break."""

    path: str
    line: int
    what: EyeKind
    text: str
    symbol: str | None
    callers: tuple[Place, ...] = ()
    related: tuple[Related, ...] = ()


class Test(Value, frozen=True):
    """A test that reaches a changed definition: by a call, by importing its file, or by its name (a convention)."""

    __test__ = False  # not a pytest class

    path: str
    line: int | None
    symbol: str
    why: Literal["call", "import", "name"]


class Untested(Value, frozen=True):
    """A changed public definition that no test names."""

    path: str
    line: int
    symbol: str


class NotChecked(Value, frozen=True):
    """A changed file (or part of the tree) that was not read, and why."""

    path: str
    why: str


class Briefing(Value, frozen=True):
    """What a reviewer is told about one pull request at one head commit.

    SHAs are full, lower case. `base_sha` is the merge's first parent, None when `graph_from` is "head". `incomplete`
    says why callers may be missing (a time limit), None when nothing was cut short.
    """

    head_sha: str
    base_sha: str | None
    merge_base: str
    graph_from: Literal["merge", "head"]
    graph_note: str | None = None
    incomplete: str | None = None
    changed: tuple[ChangedFile, ...] = ()
    moved: tuple[MovedFile, ...] = ()
    eyes: tuple[Eye, ...] = ()
    tests: tuple[Test, ...] = ()
    untested: tuple[Untested, ...] = ()
    not_checked: tuple[NotChecked, ...] = ()


class RunFigures(Value, frozen=True):
    """What a run cost. Never part of a briefing: cold, warm, fast and exhaustive runs print the same bytes.

    `seconds` maps a phase ("changes", "search", "facts", "resolve", "total") to wall seconds.
    """

    files_in_tree: int = 0
    files_searched: int = 0
    files_parsed: int = 0
    facts_from_cache: int = 0
    searches: int = 0
    words_behind: bool = False
    """Whether the words kept of the repository's files (see `graph.words`) know too little of this tree."""
    seconds: dict[str, float] = {}

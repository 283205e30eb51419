"""What is peculiar to Python: names too common to follow, what is public, what a star import brings."""

from __future__ import annotations

from graph.facts import Definition, FileFacts

COMMON_NAMES = frozenset(
    {
        "add",
        "all",
        "append",
        "apply",
        "args",
        "build",
        "call",
        "cancel",
        "clean",
        "clear",
        "close",
        "commit",
        "connect",
        "contains",
        "copy",
        "count",
        "create",
        "data",
        "decode",
        "delete",
        "discard",
        "done",
        "dump",
        "dumps",
        "emit",
        "encode",
        "end",
        "execute",
        "exists",
        "extend",
        "failed",
        "filter",
        "find",
        "first",
        "flush",
        "format",
        "full_clean",
        "get",
        "get_or_create",
        "group",
        "handle",
        "id",
        "index",
        "info",
        "init",
        "insert",
        "items",
        "join",
        "key",
        "keys",
        "kwargs",
        "last",
        "load",
        "loads",
        "lock",
        "log",
        "lower",
        "main",
        "match",
        "mode",
        "name",
        "names",
        "next",
        "open",
        "parse",
        "path",
        "pop",
        "popitem",
        "post",
        "process",
        "put",
        "read",
        "readline",
        "register",
        "remove",
        "render",
        "replace",
        "reset",
        "result",
        "reverse",
        "run",
        "save",
        "search",
        "send",
        "set",
        "setdefault",
        "setup",
        "size",
        "sort",
        "split",
        "start",
        "startswith",
        "state",
        "status",
        "stop",
        "strip",
        "sub",
        "submit",
        "test",
        "title",
        "type",
        "update",
        "upper",
        "url",
        "validate",
        "value",
        "values",
        "wait",
        "warning",
        "write",
    }
)
"""Method names that built-in collections, files, database layers and most frameworks have in common."""

CONSTRUCTOR_NAMES = frozenset({"__init__", "__new__", "__post_init__"})

STUBBED_MODULES = frozenset(
    {
        "typing",
        "typing_extensions",
        "builtins",
        "abc",
        "asyncio",
        "collections",
        "collections.abc",
        "contextlib",
        "contextvars",
        "copy",
        "dataclasses",
        "datetime",
        "decimal",
        "enum",
        "functools",
        "io",
        "itertools",
        "logging",
        "operator",
        "os",
        "os.path",
        "pathlib",
        "queue",
        "re",
        "tempfile",
        "threading",
        "types",
        "unittest",
        "unittest.mock",
        "uuid",
        "concurrent.futures",
        "subprocess",
        "json",
        "time",
        "weakref",
    }
)
"""Modules of the standard library whose types the built-ins' stub declares, all flat under their own names."""

AWAITABLES = {"Coroutine": 2, "Awaitable": 0, "Future": 0, "Task": 0}
ITERABLES = {
    "Iterable": 0,
    "AsyncIterable": 0,
    "Iterator": 0,
    "AsyncIterator": 0,
    "Generator": 0,
    "AsyncGenerator": 0,
    "list": 0,
    "set": 0,
    "frozenset": 0,
    "tuple": 0,
    "dict": 0,
    "deque": 0,
}
INDEXED_TYPES: dict[str, int] = {}
"""None: what indexing gives is what `__getitem__` in the stub says."""
UNKNOWN_TYPES = frozenset({"Any", "object", "typing.Any", "t.Any", "Incomplete"})
EMPTY_TYPES = frozenset({"None", "NoneType", "Never", "NoReturn"})
TRANSPARENT_TYPES = frozenset({"Annotated", "ClassVar", "Final", "InitVar", "NotRequired", "ReadOnly", "Required"})
TYPE_VARIABLE_FACTORIES = frozenset({"TypeVar", "TypeVarTuple", "ParamSpec"})


def is_public(definition: Definition) -> bool:
    """Whether no part of the qualified name starts with an underscore, except for `__dunder__` names."""
    return not any(
        part.startswith("_") and not (part.startswith("__") and part.endswith("__"))
        for part in definition.qualified.split(".")
    )


def exports_star(facts: FileFacts, name: str) -> bool:
    """Whether `from module import *` brings in `name`."""
    if facts.all_names is not None:
        return name in facts.all_names
    return not name.startswith("_")


def binds_receiver(definition: Definition) -> bool:
    """Whether a method's first parameter is not passed by its callers."""
    return definition.kind == "method" and "static" not in definition.modifiers


INJECTED_DECORATORS = frozenset({"fixture", "pytest.fixture", "pytest_asyncio.fixture"})
"""Nobody calls a fixture: the test runner passes what its parameters name."""

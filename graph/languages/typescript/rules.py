"""What is peculiar to JavaScript and TypeScript: common names, visibility, names of builtins."""

from __future__ import annotations

from graph.facts import Definition, FileFacts

COMMON_NAMES = frozenset(
    [
        "get",
        "set",
        "has",
        "add",
        "delete",
        "clear",
        "size",
        "keys",
        "values",
        "entries",
        "forEach",
        "map",
        "filter",
        "find",
        "findIndex",
        "findLast",
        "some",
        "every",
        "reduce",
        "push",
        "pop",
        "shift",
        "unshift",
        "slice",
        "splice",
        "concat",
        "join",
        "split",
        "includes",
        "indexOf",
        "lastIndexOf",
        "replace",
        "replaceAll",
        "match",
        "test",
        "exec",
        "trim",
        "sort",
        "reverse",
        "flat",
        "flatMap",
        "fill",
        "at",
        "charAt",
        "startsWith",
        "endsWith",
        "padStart",
        "padEnd",
        "repeat",
        "search",
        "length",
        "then",
        "catch",
        "finally",
        "resolve",
        "reject",
        "all",
        "race",
        "next",
        "return",
        "throw",
        "done",
        "value",
        "on",
        "off",
        "once",
        "emit",
        "addListener",
        "removeListener",
        "addEventListener",
        "removeEventListener",
        "dispatchEvent",
        "listen",
        "call",
        "apply",
        "bind",
        "toString",
        "valueOf",
        "toJSON",
        "toLocaleString",
        "hasOwnProperty",
        "constructor",
        "create",
        "assign",
        "freeze",
        "log",
        "warn",
        "error",
        "info",
        "debug",
        "trace",
        "write",
        "read",
        "open",
        "close",
        "end",
        "start",
        "stop",
        "run",
        "init",
        "setup",
        "destroy",
        "dispose",
        "reset",
        "load",
        "save",
        "update",
        "remove",
        "insert",
        "append",
        "prepend",
        "send",
        "fetch",
        "request",
        "query",
        "execute",
        "render",
        "parse",
        "stringify",
        "format",
        "subscribe",
        "unsubscribe",
        "publish",
        "dispatch",
        "connect",
        "disconnect",
        "register",
        "unregister",
        "mount",
        "unmount",
        "build",
        "use",
        "post",
        "put",
        "patch",
        "head",
        "options",
        "first",
        "last",
        "count",
        "list",
        "item",
        "items",
        "name",
        "type",
        "id",
        "key",
        "data",
    ]
)
"""Method names that every other object has too."""

BUILTIN_MODULES = frozenset({"react", "events", "node:events", "fs", "path", "node:fs", "node:path"})
"""External modules whose names the builtins stub declares."""

AWAITABLES = {"Promise": 0, "PromiseLike": 0}
ITERABLES = {"Iterable": 0, "AsyncIterable": 0}
UNKNOWN_TYPES = frozenset({"any", "unknown", "object", "Object", "{}", "symbol", "Function"})
EMPTY_TYPES = frozenset({"null", "undefined", "void", "never"})
TRANSPARENT_TYPES = frozenset(
    {"Partial", "Required", "Readonly", "NonNullable", "Omit", "Pick", "Mutable", "DeepPartial", "NoInfer"}
)


def is_public(facts: FileFacts, definition: Definition) -> bool:
    """Whether code outside the file may use it: exported, and not private, protected or `#name`."""
    if definition.name.startswith("#") or not {"private", "protected"}.isdisjoint(definition.modifiers):
        return False
    return definition.exported


def exports_star(name: str) -> bool:
    """Whether `export *` passes `name` on: every name but the default."""
    return name not in ("default", "=")


WRAPPERS = frozenset({"memo", "forwardRef", "observer", "withRouter", "lazy"})
"""Higher-order functions of React's world that give the component they are given, made faster or reached later."""

INDEXED_TYPES = {"Record": 1}
"""Types of which any property is of the type argument with that index."""

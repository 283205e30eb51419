"""What is peculiar to JavaScript and TypeScript: common names, visibility, names of builtins."""

from __future__ import annotations

import re

from graph.facts import Definition, FileFacts

KEYWORDS = frozenset(
    [
        "as",
        "async",
        "await",
        "break",
        "case",
        "catch",
        "class",
        "const",
        "continue",
        "default",
        "delete",
        "do",
        "else",
        "enum",
        "export",
        "extends",
        "false",
        "finally",
        "for",
        "from",
        "function",
        "if",
        "import",
        "in",
        "instanceof",
        "interface",
        "let",
        "new",
        "null",
        "of",
        "return",
        "super",
        "switch",
        "this",
        "throw",
        "true",
        "try",
        "type",
        "typeof",
        "var",
        "void",
        "while",
        "with",
        "yield",
    ]
)
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
    {
        *("Partial", "Required", "Readonly", "NonNullable", "Omit", "Pick", "Mutable", "DeepPartial", "NoInfer"),
        *("PropsWithChildren", "React.PropsWithChildren", "PropsWithoutRef", "React.PropsWithoutRef"),
    }
)


_MADE_GLOBAL = re.compile(
    rb"\b(?:window|globalThis|global|self)\s*\.\s*([\w$]+)\s*=(?![=>])|\bexport\s+as\s+namespace\s+([\w$]+)"
)
"""How a module makes a name of its own a global one."""

_DECLARES_GLOBAL = re.compile(rb"\bdeclare\s+global\b")


def is_public(facts: FileFacts, definition: Definition) -> bool:
    """Whether code outside the file may use it: exported, and not private, protected or `#name`."""
    if definition.name.startswith("#") or not {"private", "protected"}.isdisjoint(definition.modifiers):
        return False
    return definition.exported


def is_global(source: bytes, facts: FileFacts, index: int) -> bool:
    """Whether files that don't import it may name the definition: what a script declares at its top level, what
    `declare` says to be there, and what a module puts on the global object."""
    definition = facts.definitions[index]
    if definition.kind == "method":
        return False
    top = definition
    while top.parent >= 0 and {"namespace", "module"} & set(facts.definitions[top.parent].modifiers) == {"namespace"}:
        top = facts.definitions[top.parent]
    said_to_be = "declare" in top.modifiers and not top.exported
    if top.parent < 0 and "local" not in top.modifiers and (said_to_be or not _is_module(facts)):
        return True
    return definition.name.encode() in {name for each in _MADE_GLOBAL.finditer(source) for name in each.groups()}


def is_unchecked(source: bytes) -> bool:
    """Whether a comment tells the checker to say nothing of the file."""
    return _UNCHECKED.search(source, 0, _FIRST_BYTES) is not None


def may_bypass(source: bytes, at: int) -> bool:
    """Whether the member that is named at an offset is taken as `a["b"]`, or a comment right above its line (or the one
    where the chain begins) tells the checker to let it pass."""
    if is_unchecked(source):
        return True
    if source[max(0, at - 1) : at] in (b"'", b'"', b"`"):
        return True
    above = source[max(0, at - _LONGEST_CHAIN) : at].split(b"\n")[-4:-1]
    return any(b"@ts-ignore" in line or b"@ts-expect-error" in line for line in above)


_UNCHECKED = re.compile(rb"^[ \t]*//[ \t]*@ts-nocheck\b", re.MULTILINE)
"""What tells the checker to say nothing of a file."""
_FIRST_BYTES = 2000
"""Bytes of a file in which that is looked for."""
_LONGEST_CHAIN = 600
"""Bytes before a member's name in which lines above it are looked at."""


def passes_as_global(source: bytes, name: str) -> bool:
    """Whether `declare global` has the name as that of a value or type which is written elsewhere, as the tools that
    import by themselves write it: `const useCart: typeof import("./cart")["useCart"]`."""
    begun = _DECLARES_GLOBAL.search(source)
    if begun is None:
        return False
    own = rb"\b(?:const|let|var|type)\s+" + re.escape(name.encode()) + rb"\s*[:=<]"
    return re.compile(own).search(source, begun.end()) is not None


def _is_module(facts: FileFacts) -> bool:
    """Whether the file keeps its names to itself, by what it imports and exports."""
    return bool(facts.exports) or any(each.top and each.kind != "dynamic" for each in facts.imports)


def exports_star(name: str) -> bool:
    """Whether `export *` passes `name` on: every name but the default."""
    return name not in ("default", "=")


WRAPPERS = frozenset({"memo", "forwardRef", "observer", "withRouter", "lazy", "styled"})
"""Higher-order functions of React's world that give the component they are given, made faster or reached later."""

INDEXED_TYPES = {"Record": 1}
"""Types of which any property is of the type argument with that index."""

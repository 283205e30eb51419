"""What the special names of annotations (`List`, `t.Optional`, `Self`) mean in one file."""

from __future__ import annotations

from functools import cached_property

from graph.facts import FileFacts

TYPING_MODULES = frozenset(
    {
        "typing",
        "typing_extensions",
        "collections.abc",
        "collections",
        "abc",
        "types",
        "contextlib",
        "builtins",
        "asyncio",
    }
)

# Spellings of built-in types that the stub knows under another name.
_ALIASES = {
    "List": "list",
    "Dict": "dict",
    "Set": "set",
    "FrozenSet": "frozenset",
    "Tuple": "tuple",
    "DefaultDict": "defaultdict",
    "Deque": "deque",
    "AbstractSet": "Set",
    "Text": "str",
    "ContextManager": "AbstractContextManager",
    "AsyncContextManager": "AbstractAsyncContextManager",
}
_SPECIAL = frozenset(
    {
        "Annotated",
        "Any",
        "Callable",
        "ClassVar",
        "Concatenate",
        "Final",
        "Generic",
        "InitVar",
        "Literal",
        "LiteralString",
        "Never",
        "NoReturn",
        "NotRequired",
        "Optional",
        "Protocol",
        "ReadOnly",
        "Required",
        "Self",
        "Type",
        "TypeAlias",
        "TypeGuard",
        "TypeIs",
        "TypeVar",
        "Union",
        "Unpack",
        "cast",
        "overload",
    }
)
# `Set` is typing's alias of set, but collections.abc's is an interface of its own; both iterate alike.
_KNOWN = _SPECIAL | _ALIASES.keys() | {"Set", "type", "super", "partial"}


class Spellings:
    """Maps a name as written, dotted or not, to the special or built-in name that it stands for."""

    def __init__(self, facts: FileFacts) -> None:
        self._facts = facts

    @cached_property
    def _names(self) -> dict[str, str | None]:
        """Names that this file binds at module level: what they stand for, None for something of its own."""
        names: dict[str, str | None] = {}
        for definition in self._facts.definitions:
            if definition.parent < 0 and definition.name in _KNOWN:
                names[definition.name] = None
        for imported in self._facts.imports:
            if imported.local is None or imported.name is None:
                continue
            if imported.module in TYPING_MODULES or imported.module == "functools":
                if imported.name in _KNOWN:
                    names[imported.local] = imported.name
            elif imported.local in _KNOWN:
                names[imported.local] = None
        return names

    @cached_property
    def _modules(self) -> dict[str, str]:
        """Local names of the typing modules themselves."""
        return {i.local: i.module for i in self._facts.imports if i.local and i.name is None}

    def special(self, name: str) -> str | None:
        """The special form ("Optional", "cast", "Self" ...) or typing alias that `name` stands for, or None."""
        head, dot, last = name.rpartition(".")
        if dot:
            if last not in _KNOWN:
                return None
            module = self._modules.get(head)
            if module is None:
                module = {"collections.abc": "collections.abc"}.get(head)
            return last if module in TYPING_MODULES or module == "dataclasses" else None
        if name in self._names:
            return self._names[name]
        return name if name in _KNOWN else None

    def is_partial(self, name: str) -> bool:
        """Whether a name, dotted or not, is `functools.partial`."""
        head, dot, last = name.rpartition(".")
        if dot:
            return last == "partial" and self._modules.get(head) == "functools"
        return name in self._names and self._names[name] == "partial"

    def normalised(self, name: str) -> str:
        """The name under which the built-ins' stub has it, if it is a typing alias; else the name as written."""
        special = self.special(name)
        if special is None:
            return name
        if special == "Set" and "Set" in name:
            return "set"
        return _ALIASES.get(special, name)

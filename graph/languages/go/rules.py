"""Go's own lists: names too common to follow, what the builtins stub holds."""

from __future__ import annotations

from typing import Final

from graph.facts import Definition

COMMON_NAMES: Final = frozenset(
    ["String", "Error", "Close", "Get", "Set", "Save", "Load", "Read", "Write", "Len", "Less", "Swap", "Name", "Type", "Run", "Start", "Stop", "Next", "Add", "Delete", "Remove", "Update", "Create", "List", "Put", "Do", "Reset", "Init", "New", "Value", "Values", "Key", "Keys", "Err", "Unwrap", "Is", "As", "Format", "Scan", "Seek", "Flush", "Copy", "Equal", "Compare", "Validate", "Handle", "ServeHTTP", "Send", "Recv", "Lock", "Unlock", "RLock", "RUnlock", "Wait", "Done", "Info", "Infof", "Infow", "Debug", "Debugf", "Debugw", "Warn", "Warnf", "Warnw", "Warning", "Warningf", "Errorf", "Errorw", "Fatal", "Fatalf", "Fatalw", "Panic", "Panicf", "Print", "Printf", "Println", "Log", "Logf", "Trace", "Tracef", "With", "MarshalJSON", "UnmarshalJSON", "MarshalYAML", "UnmarshalYAML", "MarshalText", "UnmarshalText", "MarshalBinary", "UnmarshalBinary", "Marshal", "Unmarshal", "Encode", "Decode", "GoString", "ProtoMessage", "Descriptor", "Size", "Clone", "DeepCopy", "DeepCopyInto", "Watch", "Patch", "Status", "Context", "Open", "Exec", "Query", "Now"]
)
"""Method names that count only where the receiver is known."""

UNFOLLOWED: Final = frozenset(
    ["String", "GoString", "Error", "Unwrap", "Is", "As", "Close", "Read", "Write", "Len", "Less", "Swap", "Format", "Scan", "Lock", "Unlock", "MarshalJSON", "UnmarshalJSON", "MarshalYAML", "UnmarshalYAML", "MarshalText", "UnmarshalText", "MarshalBinary", "UnmarshalBinary", "ServeHTTP", "ProtoMessage", "Descriptor", "DeepCopy", "DeepCopyInto", "List", "Patch", "Watch", "Status"]
)
"""Method names that so many unrelated types have that a call through an interface says nothing."""

ITERABLES: Final = {"__slice__": 0, "__map__": 1, "__channel__": 0, "iter_Seq": 0, "iter_Seq2": 1}
STUBBED_MODULES: Final = frozenset({"slices", "maps", "iter", "sync/atomic"})


def is_public(definition: Definition) -> bool:
    """Whether other packages can name it."""
    return definition.exported and (definition.owner is None or definition.owner[:1].isupper())

"""PHP's own lists: names too common to follow, what is built in."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import Final

import tree_sitter

from graph.facts import Definition
from graph.type_spellings import one_spelling

KEYWORDS: Final = frozenset(
    [
        "abstract",
        "array",
        "as",
        "break",
        "case",
        "catch",
        "class",
        "clone",
        "const",
        "continue",
        "default",
        "do",
        "echo",
        "else",
        "empty",
        "extends",
        "final",
        "finally",
        "fn",
        "for",
        "foreach",
        "function",
        "if",
        "implements",
        "instanceof",
        "interface",
        "isset",
        "list",
        "match",
        "namespace",
        "new",
        "null",
        "parent",
        "print",
        "private",
        "protected",
        "public",
        "return",
        "self",
        "static",
        "switch",
        "throw",
        "trait",
        "try",
        "unset",
        "use",
        "var",
        "while",
        "yield",
    ]
)
COMMON_NAMES: Final = frozenset(
    {
        "save", "find", "findAll", "findBy", "findOneBy", "where", "handle", "toArray", "get", "set", "has", "add",
        "remove", "all", "first", "last", "delete", "update", "create", "make", "build", "run", "execute", "exec",
        "process", "name", "type", "id", "key", "value", "values", "keys", "count", "size", "length", "current", "next",
        "rewind", "valid", "filter", "map", "each", "reduce", "merge", "sort", "reverse", "push", "pop", "shift",
        "slice", "is", "equals", "compare", "format", "parse", "render", "load", "read", "write", "open", "close",
        "start", "stop", "reset", "clear", "init", "boot", "register", "call", "invoke", "apply", "send", "dispatch",
        "fire", "emit", "listen", "on", "off", "log", "info", "debug", "warning", "error", "notice", "critical",
        "alert", "emergency", "validate", "authorize", "rules", "with", "when", "then", "tap", "pipe", "query",
        "select", "insert", "from", "join", "order", "limit", "offset", "groupBy", "orderBy", "toString", "toJson",
        "jsonSerialize", "serialize", "unserialize", "getName", "getType", "getId", "getValue", "getKey", "getData",
        "getOptions", "getMessage", "getCode", "setName", "setType", "setValue", "setData", "getIterator", "offsetGet",
        "offsetSet", "offsetExists", "offsetUnset", "supports", "configure", "setUp", "tearDown", "up", "down", "data",
        "end", "wait", "done", "clone", "copy", "put", "patch", "post", "head", "options", "reload", "refresh", "fresh",
        "attach", "detach", "sync", "__invoke", "__toString",
    }
)  # fmt: skip
"""Method names that count only where the receiver is known."""

CONSTRUCTORS: Final = frozenset({"__construct"})
NONE: Final[dict[str, int]] = {}
ITERABLES: Final = {"__array": 0, "Traversable": 1}

BUILTIN_FUNCTIONS: Final = frozenset(files(__package__).joinpath("builtin_functions.txt").read_text("ascii").split())
"""The most used of PHP's own functions, in lower case."""

BUILTIN_PREFIXES: Final = (
    "mb_", "preg_", "ctype_", "openssl_", "sodium_", "curl_", "gmp_", "ldap_", "imap_", "mysqli_", "pg_", "xml_",
    "xmlwriter_", "grapheme_", "normalizer_", "iconv_", "numfmt_", "datefmt_", "collator_", "apcu_", "igbinary_",
    "posix_", "pcntl_", "socket_", "ftp_", "odbc_", "shm_", "sem_", "msg_", "gz", "libxml_", "simplexml_", "token_",
    "spl_", "iterator_", "opcache_", "readline_", "stream_", "proc_", "zend_", "imagecreate", "imagecolor",
)  # fmt: skip
"""What the names of functions of PHP's extensions begin with."""


_NULL_BY_DEFAULT: Final = re.compile(rb"([?\w|\\]+)\s+(&?\$\w+)\s*=\s*null", re.IGNORECASE)


def with_null(parameter: tree_sitter.Node, source: bytes) -> bytes | None:
    """A parameter whose default alone says that it may be null (`X $x = null`), or its type does, too (`?X $x = null`),
    in one spelling; None for any other."""
    found = _NULL_BY_DEFAULT.fullmatch(source, parameter.start_byte, min(parameter.end_byte, len(source)))
    if found is None:
        return None
    return b"%s %s = null" % (one_spelling(f"{found[1].decode('utf-8', 'replace')}|null").encode(), found[2])


def is_public(definition: Definition) -> bool:
    """Whether code outside of the class can name it."""
    return definition.exported and not {"private", "protected"} & set(definition.modifiers)

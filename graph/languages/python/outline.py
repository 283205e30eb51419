"""What a Python file consists of, before facts are made of it: which nodes define, import and yield, and which names
are bound where. One query over all of the tree tells; `statements` tells the same of most files and sees far less."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from importlib.resources import files
from operator import itemgetter

import msgspec
import tree_sitter

from graph.languages.python.grammar import Captures, Span, end_of, outermost, query, start_of
from graph.languages.python.words import Words, code_around, code_by_nodes, words_of

_ALL = files(__package__).joinpath("queries.scm").read_text("utf-8")
_BRANCHES = frozenset(
    {"if_statement", "try_statement", "with_statement", "for_statement", "while_statement", "match_statement"}
)
"""Statements of a module in whose blocks names are the module's."""


class Outline(msgspec.Struct):
    """The nodes and names of a file; what stands in no particular order is put into it by who reads it."""

    words: Words | None = None
    """The words outside of strings and comments, what stands in f-strings' braces among them; None when some aren't
    ASCII: the tree has to tell them."""
    definitions: list[tuple[tree_sitter.Node, tree_sitter.Node | None]] = msgspec.field(default_factory=list)
    """Functions and classes, each with what decorates it."""
    values: list[tree_sitter.Node] = msgspec.field(default_factory=list)
    """Assignments and type aliases that no function or class surrounds, in order; of `a = b = 1` only the outer one."""
    imports: list[tuple[tree_sitter.Node, bool]] = msgspec.field(default_factory=list)
    """Import statements, each with whether no function or class surrounds it."""
    yields: list[int] = msgspec.field(default_factory=list)
    annotations: list[tree_sitter.Node] = msgspec.field(default_factory=list)
    """Strings in annotation position: the names in them are code."""
    local: set[bytes] = msgspec.field(default_factory=set)
    """Names bound in functions, classes, lambdas and comprehensions; parameters of functions may be missing."""
    loose: set[bytes] = msgspec.field(default_factory=set)
    """Names bound at module level."""
    unplaced: set[bytes] = msgspec.field(default_factory=set)
    """Names bound in places that weren't looked at: local or loose."""
    named: list[bytes] = msgspec.field(default_factory=list)
    """The same of what stands after `as`, where names of imports are among them."""


def cursor_of_all() -> tree_sitter.QueryCursor:
    """For all that is asked of a tree in one pass."""
    return tree_sitter.QueryCursor(query(_ALL))


def captured(source: bytes, root: tree_sitter.Node) -> Outline:
    """The outline of any file, by the query. One pass in C, no recursion here: nesting is hostile."""
    captures = cursor_of_all().captures(root)
    wholes: dict[int, tree_sitter.Node] = {}
    for node in captures.get("decorated", ()):
        inner = node.child_by_field_name("definition")
        if inner is not None:
            wholes[inner.start_byte] = node
    nodes = captures.get("function", []) + captures.get("class", [])
    code = code_by_nodes(source, root) if root.has_error else code_around(source, captures.get("interpolation", []))
    outline = Outline(
        words_of(code) if code.isascii() else None,
        [(node, wholes.get(node.start_byte)) for node in nodes],
        yields=[node.start_byte for node in captures.get("yield", ())],
        annotations=captures.get("annotation", []),
    )
    spans = spans_of(outline)
    covered = outermost(spans)
    outline.values = _module_level(root, covered)
    statements = captures.get("import", []) + captures.get("from", [])
    outline.imports = [(node, not _lies_in(covered, node.start_byte)) for node in statements]
    outline.local, outline.loose = bound_in(source, captures, spans)
    return outline


def spans_of(outline: Outline) -> list[Span]:
    """Where the functions and classes stand, decorators and all."""
    return [((whole or node).start_byte, node.end_byte) for node, whole in outline.definitions]


def bound_in(source: bytes, captures: Captures, spans: list[Span]) -> tuple[set[bytes], set[bytes]]:
    """Names bound in functions, class bodies, lambdas and comprehensions, and those bound at module level."""
    local: set[bytes] = set()
    loose: set[bytes] = set()
    covered = outermost(spans + [(n.start_byte, n.end_byte) for n in captures.get("anonymous", ())])
    index, start, end = 0, -1, -1
    # Captures come in the order in which their patterns end, not in that of the source.
    bound = captures.get("bound", [])
    for at, after in sorted(zip(map(start_of, bound), map(end_of, bound), strict=True)):
        while at >= end and index < len(covered):
            start, end = covered[index]
            index += 1
        (local if start <= at < end else loose).add(source[at:after])
    return local, loose


def _values_below(root: tree_sitter.Node) -> list[tree_sitter.Node]:
    """Assignments and type aliases of the module, and more. Of what stands on top, only statements are walked that can
    hold others."""
    if root.has_error:
        return _captured_values(root)
    found: list[tree_sitter.Node] = []
    for node in root.named_children:
        kind = node.type
        if kind == "assignment" or kind == "type_alias_statement":
            found.append(node)
        elif kind in _BRANCHES:
            found += _captured_values(node)
    return found


def _captured_values(node: tree_sitter.Node) -> list[tree_sitter.Node]:
    values = query("[(assignment) (type_alias_statement)] @value")
    return tree_sitter.QueryCursor(values).captures(node).get("value", [])


def _lies_in(spans: list[Span], at: int) -> bool:
    """Whether an offset lies in one of these, which are in order and apart."""
    before = bisect_right(spans, at, key=itemgetter(0))
    return before > 0 and at < spans[before - 1][1]


def _module_level(root: tree_sitter.Node, covered: Iterable[Span]) -> list[tree_sitter.Node]:
    found: list[tree_sitter.Node] = []
    spans = iter(covered)
    start, end = -1, -1
    last = -1
    # Sorted: captures come in the order in which their patterns end, not in that of the source.
    for node in sorted(_values_below(root), key=start_of):
        at = node.start_byte
        while at >= end:
            span = next(spans, None)
            if span is None:
                break
            start, end = span
        if start <= at < end or at < last:
            continue
        found.append(node)
        last = node.end_byte
    return found

"""Vue and Svelte single-file components: their script blocks as a module, their templates as uses of its names.

The script blocks are read where they stand, with everything else blanked out, so that every offset and line is the
file's own. A template's components (`<OrderList>`, `<order-list>`) and the names in its expressions refer to what the
script binds at module level. A template is found by patterns, not parsed: what they miss is not found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import msgspec
import tree_sitter

from graph.expressions import Arguments, Name, ParameterType, Reference, Scope
from graph.facts import Definition, Export, FileFacts
from graph.languages.base import Stated, Syntax
from graph.languages.typescript.defined_props import given, props_types, stated_props
from graph.languages.typescript.language import TypeScript
from graph.languages.typescript.stated import is_checked
from graph.languages.typescript.template_handlers import handled
from graph.languages.typescript.template_variables import TemplateVariables

# Attributes and names are bounded: what goes on for longer, written again and again, would be read again from each.
_SCRIPT = re.compile(rb"<(script)\b[^>]{0,1000}>", re.IGNORECASE)
_NO_TEMPLATE = re.compile(rb"<(?:(style|script)\b[^>]{0,1000}>|!--)", re.IGNORECASE)
_CLOSING = {
    b"style": re.compile(rb"</style\s*>", re.IGNORECASE),
    b"script": re.compile(rb"</script\s*>", re.IGNORECASE),
    b"": re.compile(rb"-->"),
}
"""What ends a block, by its tag; a comment has none."""
_TAG = re.compile(rb"<([A-Z][\w.]*|[a-z][a-z0-9]*(?:-[a-z0-9]+)+)\b")
_EXPRESSION = re.compile(
    rb"\{\{((?:(?!\{\{).)*?)\}\}"
    rb"|(?:[:@#]|v-)[\w:.\-\[\]]{0,200}=\"([^\"]*)\"|(?:[:@#]|v-)[\w:.\-\[\]]{0,200}='([^']*)'"
    rb"|\{([^{}]*)\}",
    re.DOTALL,
)
_IDENTIFIER = re.compile(rb"(?<![\w$.'\"-])[A-Za-z_$][\w$]*")
_NAME = re.compile(rb"[A-Za-z_$][\w$]*")
_NOT_NAMES = frozenset(
    {b"true", b"false", b"null", b"undefined", b"in", b"of", b"if", b"else", b"each", b"await", b"as"}
)
_BLANK = re.compile(rb"[^\n]")


class _Block(NamedTuple):
    """A block from its opening tag (up to `opened`) to its end, whose own text starts at `closed`."""

    start: int
    opened: int
    closed: int
    end: int


class SingleFile(TypeScript):
    """A single-file component."""

    def parse(self, source: bytes) -> tree_sitter.Tree:
        return super().parse(_scripts_only(source))

    def extract(self, source: bytes, tree: tree_sitter.Tree) -> FileFacts:
        """The script's facts, the component that the file is, and the names that the template uses."""
        facts = super().extract(_scripts_only(source), tree)
        names = facts.names.union(name for _, name in _template_names(source))
        if any(each.exported == "default" for each in facts.exports):
            return msgspec.structs.replace(facts, names=names)
        # `<script setup>` exports nothing in so many words: the file is the component.
        lines = source.count(b"\n") + (not source.endswith(b"\n"))
        component = Definition(
            name="default",
            qualified="default",
            kind="component",
            start=0,
            end=len(source),
            at=0,
            line=1,
            first_line=1,
            end_line=max(lines, 1),
            modifiers=("whole file",),
        )
        inner = tuple(
            msgspec.structs.replace(each, parent=each.parent + 1 if each.parent >= 0 else -1)
            for each in facts.definitions
        )
        exports = (*facts.exports, Export(exported="default", local="default", at=0))
        return msgspec.structs.replace(facts, names=names, definitions=(component, *inner), exports=exports)

    def places(self, source: bytes, word: str, parsed: Callable[[], Syntax | None]) -> tuple[int, ...]:
        """In the script, then in the template."""
        return (*super().places(source, word, parsed), *(at for at, name in _template_names(source) if name == word))

    def reference(self, syntax: Syntax, at: int) -> Reference | None:
        """In the script as everywhere; in the template a name that the script binds."""
        if not _in_template(syntax.source, at):
            return super().reference(syntax, at)
        tag = _TAG.match(syntax.source, at - 1) if at and syntax.source[at - 1 : at] == b"<" else None
        if tag is not None:
            name = _pascal(tag.group(1)).split(".")[0]
            return Reference(name, at, "jsx", Name(name, at), in_template=True)
        found = _NAME.match(syntax.source, at)
        if found is None:
            return None
        name = found.group().decode("utf-8", "replace")
        if handled(syntax.source, at) is not None:
            return Reference(name, at, "call", Name(name, at), call_at=at, in_template=True)
        # Which property of it is taken there is not looked at.
        return Reference(name, at, "value", Name(name, at), by_position=True, in_template=True)

    def arguments(self, syntax: Syntax, call_at: int) -> Arguments | None:
        """In the template, what an element gives the component that it names, and what an event gives its handler."""
        if call_at < 0 or not _in_template(syntax.source, call_at):
            return super().arguments(syntax, call_at)
        if (by_event := handled(syntax.source, call_at)) is not None:
            return by_event
        return given(syntax.source, call_at, checked=is_checked(self._code(syntax)))

    def stated(self, syntax: Syntax, definition: int) -> Stated | None:
        """Of the component that the file is, by what its script defines."""
        if "whole file" in syntax.facts.definitions[definition].modifiers:
            return stated_props(self._code(syntax))
        return super().stated(syntax, definition)

    def parameter_types(self, syntax: Syntax, definition: int) -> tuple[ParameterType, ...]:
        """The same lowered."""
        if "whole file" in syntax.facts.definitions[definition].modifiers:
            return props_types(self._code(syntax))
        return super().parameter_types(syntax, definition)

    def scopes(self, syntax: Syntax, at: int) -> Sequence[Scope]:
        """A template sees what the script binds at module level."""
        found = super().scopes(syntax, at)
        return found[-1:] if _in_template(syntax.source, at) else found


def _scripts_only(source: bytes) -> bytes:
    """The bytes with everything but the contents of script blocks blanked out, line ends aside."""
    kept: list[bytes] = []
    end = 0
    for start, until in _scripts(source):
        kept += [_BLANK.sub(b" ", source[end:start]), source[start:until]]
        end = until
    kept.append(_BLANK.sub(b" ", source[end:]))
    return b"".join(kept)


def _template_only(source: bytes) -> bytes:
    """The same of everything but the script and style blocks and the comments."""
    kept: list[bytes] = []
    end = 0
    for block in _blocks(source, _NO_TEMPLATE):
        kept += [source[end : block.start], _BLANK.sub(b" ", source[block.start : block.end])]
        end = block.end
    kept.append(source[end:])
    return b"".join(kept)


def _in_template(source: bytes, at: int) -> bool:
    return not any(start <= at < end for start, end in _scripts(source))


@lru_cache(maxsize=8)
def _scripts(source: bytes) -> tuple[tuple[int, int], ...]:
    """Where the contents of the script blocks are."""
    return tuple((block.opened, block.closed) for block in _blocks(source, _SCRIPT))


def _blocks(source: bytes, opening: re.Pattern[bytes]) -> Iterator[_Block]:
    """The blocks that `opening` opens and something ends, in order."""
    at = 0
    endless: set[bytes] = set()
    while (opened := opening.search(source, at)) is not None:
        tag = (opened.group(1) or b"").lower()
        closed = _CLOSING[tag].search(source, opened.end()) if tag not in endless else None
        if closed is None:  # nor does any later one have an end
            endless.add(tag)
            at = opened.start() + 1
        else:
            yield _Block(opened.start(), opened.end(), closed.start(), closed.end())
            at = closed.end()


def _template_names(source: bytes) -> list[tuple[int, str]]:
    """(offset, name) of components and of identifiers in expressions of the template, its own variables aside."""
    template = _template_only(source)
    found = [(tag.start(1), _pascal(tag.group(1)).split(".")[0]) for tag in _TAG.finditer(template)]
    own = TemplateVariables(template)
    for expression in _EXPRESSION.finditer(template):
        group = expression.lastindex
        if group is None:
            continue
        start = expression.start(group)
        # Cut out, so that the quote around an attribute is not taken for one around a string in it.
        for name in _IDENTIFIER.finditer(template[start : expression.end(group)]):
            at = start + name.start()
            if name.group() not in _NOT_NAMES and not own.holds(name.group(), at):
                found.append((at, name.group().decode("utf-8", "replace")))
    return sorted(set(found))


def _pascal(tag: bytes) -> str:
    """`order-list` as the script calls it: OrderList."""
    text = tag.decode("utf-8", "replace")
    return "".join(part[:1].upper() + part[1:] for part in text.split("-")) if "-" in text else text

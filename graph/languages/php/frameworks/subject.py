"""The definition that is asked about, as all rules need it: a class or one of its methods, under full names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

import tree_sitter

from graph.facts import Definition
from graph.git import encode
from graph.languages.base import Asked
from graph.languages.php.reading import Reading, reading_of
from graph.languages.php.words import places_of

MOST_FILES = 400
"""Files of one rule that are looked at: past that a word says nothing."""
_TOGETHER = 50
"""Files that are read at once."""
MOST_AROUND = 24
"""Nodes around a place that are looked at."""
CALLS = frozenset(
    {"member_call_expression", "nullsafe_member_call_expression", "scoped_call_expression", "function_call_expression"}
)
_BODIES = frozenset({"anonymous_function", "arrow_function", "method_declaration", "function_definition"})
_CLASSES = frozenset({"class", "interface", "trait", "enum"})


class Subject:
    """A class (`method` is None), or a method of it."""

    def __init__(self, asked: Asked, reading: Reading) -> None:
        self.asked = asked
        self.reading = reading
        self.definition: Definition = reading.facts.definitions[asked.index]
        self.method: str | None = self.definition.name if asked.owner >= 0 else None
        self.name = full_name(reading, asked.owner if asked.owner >= 0 else asked.index)
        self.short = self.name.rpartition("\\")[2]

    @property
    def makes(self) -> bool:
        """Whether what calls it constructs the class, or names the class as a whole."""
        return self.method in (None, "__construct")

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Full names (`\\App\\Order`) of the classes that have the definition as their member, its own first."""
        found = [self.name]
        for path, index in self.asked.heirs()[1:]:
            syntax = self.asked.parsed(path)
            if syntax is not None and not syntax.facts.definitions[index].name.startswith("class@"):
                found.append(full_name(reading_of(syntax), index))
        return tuple(dict.fromkeys(found))

    def holding(self, name: str, pattern: re.Pattern[bytes], *more: str) -> Iterator[str]:
        """PHP files that hold the class's short name and all other words, and in whose text the pattern is found."""
        for path, source in self.texts(name.rpartition("\\")[2], *more):
            if pattern.search(source) is not None:
                yield path

    def texts(self, word: str, *more: str) -> Iterator[tuple[str, bytes]]:
        """(path, text) of the PHP files that hold all of the words."""
        paths = list(self.asked.holding(word))
        for each in more:
            others = frozenset(self.asked.holding(each))
            paths = [path for path in paths if path in others]
        for start in range(0, min(len(paths), MOST_FILES), _TOGETHER):
            together = paths[start : min(start + _TOGETHER, MOST_FILES)]
            self.asked.read_ahead(together)
            for path in together:
                yield path, self.asked.read(path)


def subject_of(asked: Asked) -> Subject | None:
    """The subject; None for what frameworks do not reach: functions, constants, classes without a name."""
    syntax = asked.parsed(asked.path)
    if syntax is None:
        return None
    definition = syntax.facts.definitions[asked.index]
    if asked.owner >= 0:
        if definition.kind != "method" or syntax.facts.definitions[asked.owner].name.startswith("class@"):
            return None
    elif definition.kind not in _CLASSES or definition.name.startswith("class@"):
        return None
    return Subject(asked, reading_of(syntax))


def full_name(reading: Reading, index: int) -> str:
    """A class's full name, with a backslash before it."""
    definition = reading.facts.definitions[index]
    namespace = reading.block(definition.at).namespace
    return f"\\{namespace}\\{definition.name}" if namespace else f"\\{definition.name}"


def same(one: str, other: str) -> bool:
    """Whether two full names are of one class."""
    return one.lstrip("\\").lower() == other.lstrip("\\").lower()


# ------------------------------------------------------------------------------------------------- places in code


class Named:
    """A place in code that names a class. `nodes` lead from the root to the whole name."""

    def __init__(self, path: str, reading: Reading, nodes: list[tree_sitter.Node], at: int) -> None:
        self.path = path
        self.reading = reading
        self.nodes = nodes
        self.at = at

    @property
    def written(self) -> str:
        """How it is named: "class" (`Foo::class`), "new", "static" (`Foo::m()`), "attribute", or "" otherwise."""
        around = self.nodes[-2]
        if around.type == "class_constant_access_expression":
            last = around.named_children[-1]
            return "class" if self.reading.text(last).lower() == "class" else "constant"
        if around.type == "scoped_call_expression":
            scope = around.child_by_field_name("scope")
            return "static" if scope is not None and scope.start_byte == self.nodes[-1].start_byte else ""
        return {"object_creation_expression": "new", "attribute": "attribute"}.get(around.type, "")


def naming(subject: Subject, name: str, path: str) -> Iterator[Named]:
    """Places in the code of a file that name the class of that full name."""
    syntax = subject.asked.parsed(path)
    if syntax is None:
        return
    reading = reading_of(syntax)
    words = {name.rpartition("\\")[2]}
    for block in reading.blocks:
        words.update(alias for alias, full in _aliases(reading, block.classes) if same(full, name))
    for word in sorted(words):
        for at in places_of(syntax.source, word):
            nodes = reading.path(at)
            while len(nodes) > 2 and nodes[-2].type in ("qualified_name", "relative_name"):
                nodes = nodes[:-1]
            if len(nodes) < 3 or nodes[-1].type not in ("name", "qualified_name", "relative_name"):
                continue
            if nodes[-2].type in ("namespace_use_clause", "namespace_name"):
                continue
            if same(reading.class_name(reading.text(nodes[-1]), at), name):
                yield Named(path, reading, nodes, at)


def _aliases(reading: Reading, classes: dict[str, str]) -> Iterator[tuple[str, str]]:
    """(alias as it is written, full name): the table has it in small letters."""
    for lower, full in classes.items():
        if lower != full.rpartition("\\")[2].lower():
            for imported in reading.facts.imports:
                if imported.local is not None and imported.local.lower() == lower:
                    yield imported.local, full


def calls_around(
    reading: Reading, nodes: list[tree_sitter.Node], *, most: int = 6
) -> Iterator[tuple[tree_sitter.Node, str]]:
    """The calls and constructions in whose arguments a place stands, innermost first, within its own function."""
    found = 0
    for depth in range(len(nodes) - 2, max(0, len(nodes) - MOST_AROUND), -1):
        node = nodes[depth]
        if node.type in _BODIES:
            return
        inside = nodes[depth + 1].type == "arguments"
        if inside and (node.type in CALLS or node.type in ("object_creation_expression", "attribute")):
            yield node, called(reading, node)
            found += 1
            if found >= most:
                return


def called(reading: Reading, node: tree_sitter.Node) -> str:
    """The last part of the name that a call calls, or of the class that is made."""
    if node.type in ("object_creation_expression", "attribute"):
        named = next((each for each in node.named_children if each.type in ("name", "qualified_name")), None)
    else:
        named = node.child_by_field_name("function" if node.type == "function_call_expression" else "name")
    return reading.text(named).rpartition("\\")[2] if named is not None else ""


def property_around(reading: Reading, nodes: list[tree_sitter.Node]) -> str:
    """The property (`$listen`) in whose default value a place stands; "" for none."""
    for node in reversed(nodes[-MOST_AROUND:]):
        if node.type == "property_element":
            name = node.child_by_field_name("name")
            return reading.text(name) if name is not None else ""
        if node.type in _BODIES:
            return ""
    return ""


def arguments(node: tree_sitter.Node) -> list[tree_sitter.Node]:
    """The arguments of a call."""
    listed = node.child_by_field_name("arguments")
    if listed is None:
        listed = next((each for each in node.named_children if each.type == "arguments"), None)
    return [each for each in listed.named_children if each.type == "argument"] if listed is not None else []


def text_of(reading: Reading, node: tree_sitter.Node) -> str | None:
    """What a plain string says; None for everything else."""
    while node.type == "argument" and node.named_child_count:
        node = node.named_children[-1]
    if node.type not in ("string", "encapsed_string"):
        return None
    if any(each.type not in ("string_content", "escape_sequence") for each in node.named_children):
        return None
    return reading.text(node)[1:-1].replace("\\\\", "\\")


def strings_in(source: bytes, start: int, end: int, text: str) -> Iterator[int]:
    """Where a plain string of that text stands in a stretch of source: the offsets of the text."""
    pattern = re.compile(rb"(?<![\w\\])(['\"])" + re.escape(encode(text)) + rb"\1")
    for found in pattern.finditer(source, start, end):
        yield found.start() + 1

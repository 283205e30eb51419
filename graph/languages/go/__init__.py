"""Go: its facts, its scopes and types lowered on demand, its packages."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files

import tree_sitter

from graph.expressions import (
    Arguments,
    Base,
    Binding,
    Expression,
    ObjectType,
    ParameterType,
    Reference,
    Result,
    Scope,
    TypedValue,
    TypeExpression,
    TypeParameter,
    Unknown,
)
from graph.facts import Definition, FileFacts, Parameter
from graph.languages.base import ImplicitUse, Modules, Stated, Syntax, Tree
from graph.languages.go import declarations, extract, grammar, lower, members, modules, references, rules, scopes, words
from graph.languages.go.reading import reading_of
from graph.languages.versions import version_of
from graph.type_spellings import one_spelling


class Go:
    """The Go language; see `graph.languages.base.Language` for what each member promises."""

    name = "go"
    grammar = "go"
    extensions: tuple[str, ...] = (".go",)
    version = version_of(__file__)
    builtins = files(__package__).joinpath("builtins.stub").read_bytes()
    stub_extension = ".go"
    builtin_modules = rules.STUBBED_MODULES
    # A place in a comment is no place of code; Go's comments begin with the name of what they stand before.
    definition_prefix = rb"\bfunc[ \t]+(?:\([^()\n]*\)[ \t]*)?|//[^\n\"'`]*"
    spelled_nodes = frozenset({"interface_type", "field_identifier"})
    telling_dots = False
    silent_dots: re.Pattern[bytes] | None = None
    named_arguments = False
    excess_arguments = False
    package_scope = True
    interfaces_have_bodies = False
    abstract_classes_declare = False
    checks_loosely = False
    abstract_bases = frozenset[str]()
    global_names = False
    structural = True
    implicit_names: frozenset[str] = frozenset()
    dotted_strings = False
    injected_decorators: frozenset[str] = frozenset()
    explicit_exports = False
    keywords = frozenset[str]()
    imports_only = False
    class_self_names: frozenset[str] = frozenset()
    class_member = ""
    wrappers: frozenset[str] = frozenset()
    awaitables = rules.NONE
    iterables = rules.ITERABLES
    indexed_types = rules.NONE
    needs_lines = True
    aliases_are_values = False
    waits_to_be_awaited = False
    unknown_types: frozenset[str] = frozenset({"any"})
    empty_types: frozenset[str] = frozenset()
    transparent_types: frozenset[str] = frozenset()
    type_variable_factories: frozenset[str] = frozenset()
    common_names = rules.COMMON_NAMES
    constructor_names: frozenset[str] = frozenset()

    def parse(self, source: bytes) -> tree_sitter.Tree:
        return grammar.parse(source)

    def extract(self, source: bytes, tree: tree_sitter.Tree) -> FileFacts:
        return extract.extract(source, tree)

    def places(self, source: bytes, word: str, parsed: Callable[[], Syntax | None]) -> tuple[int, ...]:
        syntax = parsed()
        return words.places_of(reading_of(syntax), word) if syntax is not None else ()

    def reference(self, syntax: Syntax, at: int) -> Reference | None:
        return references.reference_at(reading_of(syntax), at)

    def implicit_uses(self, syntax: Syntax, name: str) -> Sequence[ImplicitUse]:
        """None: no syntax calls a method without naming it."""
        return ()

    def arguments(self, syntax: Syntax, call_at: int) -> Arguments | None:
        return references.arguments_at(reading_of(syntax), call_at)

    def spelled(self, node: tree_sitter.Node, source: bytes) -> bytes | None:
        if node.type == "field_identifier":
            return grammar.with_type_parameters(source, node)
        return b"any" if node.named_child_count == 0 else None  # `interface{}`

    def spelled_type(self, text: str) -> str:
        return one_spelling(text)

    def loosened(self, text: str) -> str | None:
        return text

    def written_values(self, syntax: Syntax, at: int) -> Sequence[TypedValue]:
        return ()

    def stored_values(self, syntax: Syntax, at: int) -> Sequence[Expression]:
        return ()

    def passed(self, syntax: Syntax, call_at: int) -> Sequence[Expression]:
        return ()

    def passed_ahead(self, syntax: Syntax, at: int) -> Arguments | None:
        return None

    def scopes(self, syntax: Syntax, at: int) -> Sequence[Scope]:
        return scopes.scopes_at(reading_of(syntax), at)

    def enclosing_class(self, syntax: Syntax, at: int) -> int:
        return -1

    def expression(self, syntax: Syntax, start: int, end: int) -> Expression:
        reading = reading_of(syntax)
        nodes = [n for n in reading.path(start) if n.start_byte == start and (end < 0 or n.end_byte == end)]
        return lower.expression(reading, nodes[0]) if nodes else Unknown()

    def bases(self, syntax: Syntax, definition: int) -> tuple[Base, ...]:
        return members.bases(reading_of(syntax), definition)

    def type_parameters(self, syntax: Syntax, definition: int) -> tuple[TypeParameter, ...]:
        return members.type_parameters(reading_of(syntax), definition)

    def fields(self, syntax: Syntax, definition: int) -> Mapping[str, tuple[Binding, ...]]:
        return members.fields(reading_of(syntax), definition)

    def result(self, syntax: Syntax, definition: int) -> Result:
        return members.result(reading_of(syntax), definition)

    def parameter_types(self, syntax: Syntax, definition: int) -> tuple[ParameterType, ...]:
        return members.parameter_types(reading_of(syntax), definition)

    def function_result(self, syntax: Syntax, at: int) -> Result:
        return members.function_result(reading_of(syntax), at)

    def alias(self, syntax: Syntax, definition: int) -> TypeExpression | None:
        return members.alias(reading_of(syntax), definition)

    def shape(self, syntax: Syntax, definition: int) -> ObjectType | None:
        """None: no literal is held to an interface's members."""
        return None

    def generated(self, syntax: Syntax, definition: int) -> tuple[Parameter, ...] | None:
        """None: Go has no constructors."""
        return None

    def stated(self, syntax: Syntax, definition: int) -> Stated | None:
        """None: a function's own list says all of its parameters."""
        return None

    def value(self, syntax: Syntax, definition: int) -> Binding | None:
        return members.value(reading_of(syntax), definition)

    def narrowed(self, syntax: Syntax, at: int, target: Expression) -> tuple[TypeExpression | None, bool]:
        return None, False  # a type switch binds a variable anew in each case: scopes tell

    def decorated(self, syntax: Syntax, definition: int) -> tuple[Expression, ...]:
        return ()

    def modules(self, tree: Tree) -> Modules:
        return modules.GoModules(tree)

    def is_public(self, facts: FileFacts, definition: Definition) -> bool:
        return rules.is_public(definition)

    def is_global(self, source: bytes, facts: FileFacts, index: int) -> bool:
        return True  # full names and packages tell whose a name is

    def may_bypass(self, syntax: Syntax, at: int) -> bool:
        return True  # nothing forbids anything

    def passes_as_global(self, source: bytes, name: str) -> bool:
        return False

    def exports_star(self, facts: FileFacts, name: str) -> bool:
        return declarations.is_exported(name)

    def imports_by_text(self, source: bytes) -> None:
        return None

    def may_define(self, source: bytes, word: str, *, member: bool) -> bool:
        return True

    def may_inherit(self, source: bytes, word: str) -> bool:
        return True  # what embeds a type, its package tells

    def said_to_implement(self, source: bytes, name: str, interface: str) -> Sequence[tuple[int, int]]:
        return words.said_to_implement(source, name, interface)

    def binds_receiver(self, definition: Definition) -> bool:
        return False


GO = Go()

"""Python: its facts, its scopes and annotations lowered on demand, its module rules."""

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
from graph.facts import Definition, FileFacts, Import, Parameter
from graph.languages import heirs
from graph.languages.base import ImplicitUse, Modules, Stated, Syntax, Tree
from graph.languages.python import (
    dataclasses,
    extract,
    fields,
    grammar,
    implicit,
    import_lines,
    imports,
    lower,
    members,
    modules,
    narrowing,
    references,
    rules,
    same,
    scopes,
    words,
)
from graph.languages.python.reading import reading_of
from graph.languages.versions import version_of


class Python:
    """The Python language; see `graph.languages.base.Language` for what each member promises."""

    name = "python"
    grammar = "python"
    extensions: tuple[str, ...] = modules.EXTENSIONS
    version = version_of(__file__)
    builtins = files(__package__).joinpath("builtins.stub").read_bytes()
    stub_extension = ".pyi"
    builtin_modules = rules.STUBBED_MODULES
    definition_prefix = rb"\b(?:def|class)[ \t]+"
    spelled_nodes = same.NODES
    telling_dots = True
    silent_dots: re.Pattern[bytes] | None = imports.SILENT_DOTS
    named_arguments = True
    excess_arguments = False
    package_scope = False
    interfaces_have_bodies = True
    abstract_classes_declare = False
    checks_loosely = False
    abstract_bases = frozenset({"ABC", "ABCMeta", "Protocol"})
    global_names = False
    structural = False
    implicit_names = implicit.NAMES
    dotted_strings = True
    injected_decorators = rules.INJECTED_DECORATORS
    explicit_exports = False
    keywords = frozenset[str]()
    imports_only = True
    class_self_names = frozenset({"cls", "klass"})
    class_member = "__class__"
    wrappers: frozenset[str] = frozenset()
    awaitables = rules.AWAITABLES
    iterables = rules.ITERABLES
    indexed_types = rules.INDEXED_TYPES
    needs_lines = True
    aliases_are_values = True
    waits_to_be_awaited = True
    unknown_types = rules.UNKNOWN_TYPES
    empty_types = rules.EMPTY_TYPES
    transparent_types = rules.TRANSPARENT_TYPES
    type_variable_factories = rules.TYPE_VARIABLE_FACTORIES
    common_names = rules.COMMON_NAMES
    constructor_names = rules.CONSTRUCTOR_NAMES

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
        return implicit.implicit_uses(reading_of(syntax), name)

    def arguments(self, syntax: Syntax, call_at: int) -> Arguments | None:
        return references.arguments_at(reading_of(syntax), call_at)

    def spelled(self, node: tree_sitter.Node, source: bytes) -> bytes | None:
        return same.spelled(node, source)

    def spelled_type(self, text: str) -> str:
        return same.spelled_type(text)

    def loosened(self, text: str) -> str | None:
        return same.loosened(text)

    def written_values(self, syntax: Syntax, at: int) -> Sequence[TypedValue]:
        return ()

    def stored_values(self, syntax: Syntax, at: int) -> Sequence[Expression]:
        return ()

    def passed(self, syntax: Syntax, call_at: int) -> Sequence[Expression]:
        return ()

    def passed_ahead(self, syntax: Syntax, at: int) -> Arguments | None:
        return references.passed_ahead(reading_of(syntax), at)

    def scopes(self, syntax: Syntax, at: int) -> Sequence[Scope]:
        return scopes.scopes_at(reading_of(syntax), at)

    def enclosing_class(self, syntax: Syntax, at: int) -> int:
        return scopes.enclosing_class(reading_of(syntax), at)

    def expression(self, syntax: Syntax, start: int, end: int) -> Expression:
        reading = reading_of(syntax)
        nodes = [n for n in reading.path(start) if n.start_byte == start and (end < 0 or n.end_byte == end)]
        return lower.expression(reading.text, nodes[0]) if nodes else Unknown()

    def bases(self, syntax: Syntax, definition: int) -> tuple[Base, ...]:
        return members.bases(reading_of(syntax), definition)

    def type_parameters(self, syntax: Syntax, definition: int) -> tuple[TypeParameter, ...]:
        return members.type_parameters(reading_of(syntax), definition)

    def fields(self, syntax: Syntax, definition: int) -> Mapping[str, tuple[Binding, ...]]:
        return fields.fields(reading_of(syntax), definition)

    def result(self, syntax: Syntax, definition: int) -> Result:
        return members.result(reading_of(syntax), definition)

    def parameter_types(self, syntax: Syntax, definition: int) -> tuple[ParameterType, ...]:
        return members.parameter_types(reading_of(syntax), definition)

    def function_result(self, syntax: Syntax, at: int) -> Result:
        return members.function_result(reading_of(syntax), at)

    def alias(self, syntax: Syntax, definition: int) -> TypeExpression | None:
        return members.alias(reading_of(syntax), definition)

    def shape(self, syntax: Syntax, definition: int) -> ObjectType | None:
        return None

    def generated(self, syntax: Syntax, definition: int) -> tuple[Parameter, ...] | None:
        return dataclasses.constructor_fields(reading_of(syntax), definition)

    def stated(self, syntax: Syntax, definition: int) -> Stated | None:
        """None: a function's own list says all of its parameters."""
        return None

    def value(self, syntax: Syntax, definition: int) -> Binding | None:
        return members.value(reading_of(syntax), definition)

    def narrowed(self, syntax: Syntax, at: int, target: Expression) -> tuple[TypeExpression | None, bool]:
        return narrowing.narrowed(reading_of(syntax), at, target)

    def decorated(self, syntax: Syntax, definition: int) -> tuple[Expression, ...]:
        return members.decorated(reading_of(syntax), definition)

    def modules(self, tree: Tree) -> Modules:
        return modules.PythonModules(tree)

    def is_public(self, facts: FileFacts, definition: Definition) -> bool:
        return rules.is_public(definition)

    def is_global(self, source: bytes, facts: FileFacts, index: int) -> bool:
        return facts.definitions[index].parent < 0

    def may_bypass(self, syntax: Syntax, at: int) -> bool:
        return True  # nothing forbids anything

    def passes_as_global(self, source: bytes, name: str) -> bool:
        return False

    def exports_star(self, facts: FileFacts, name: str) -> bool:
        return rules.exports_star(facts, name)

    def imports_by_text(self, source: bytes) -> tuple[Import, ...] | None:
        return import_lines.imports_by_text(source)

    def may_define(self, source: bytes, word: str, *, member: bool) -> bool:
        return words.may_define(source, word, member=member)

    def may_inherit(self, source: bytes, word: str) -> bool:
        return heirs.may_inherit(source, word, (b"class",), b"):")

    def said_to_implement(self, source: bytes, name: str, interface: str) -> Sequence[tuple[int, int]]:
        return ()

    def binds_receiver(self, definition: Definition) -> bool:
        return rules.binds_receiver(definition)


PYTHON = Python()

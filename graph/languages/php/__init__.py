"""PHP: its facts, its scopes and types (docblocks included) lowered on demand, its full names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.resources import files

import tree_sitter

from graph.expressions import (
    Arguments,
    Base,
    Binding,
    Expression,
    Name,
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
from graph.languages.base import Asked, ImplicitUse, Modules, Place, Stated, Syntax, Tree
from graph.languages.php import (
    extract,
    frameworks,
    grammar,
    implicit,
    lower,
    members,
    modules,
    narrowing,
    references,
    rules,
    scopes,
    words,
)
from graph.languages.php.reading import reading_of
from graph.languages.versions import version_of
from graph.type_spellings import one_spelling, spelled_node


class Php:
    """The PHP language; see `graph.languages.base.Language` for what each member promises."""

    name = "php"
    grammar = "php"
    extensions: tuple[str, ...] = (".php",)
    version = version_of(__file__)
    builtins = files(__package__).joinpath("builtins.stub").read_bytes()
    stub_extension = ".php"
    builtin_modules: frozenset[str] = frozenset()
    definition_prefix = rb"\bfunction[ \t]+&?"
    spelled_nodes = frozenset({"optional_type", "simple_parameter", "union_type"})
    telling_dots = False
    silent_dots: re.Pattern[bytes] | None = None
    named_arguments = True
    excess_arguments = True
    package_scope = False
    structural = False
    interfaces_have_bodies = False
    abstract_classes_declare = False
    checks_loosely = False
    abstract_bases = frozenset[str]()
    global_names = True
    implicit_names = implicit.MAGIC
    dotted_strings = False
    injected_decorators: frozenset[str] = frozenset()
    explicit_exports = False
    keywords = rules.KEYWORDS
    imports_only = False
    class_self_names: frozenset[str] = frozenset({"self", "static"})
    class_member = ""
    wrappers: frozenset[str] = frozenset()
    awaitables = rules.NONE
    iterables = rules.ITERABLES
    indexed_types = rules.NONE
    needs_lines = False
    aliases_are_values = False
    waits_to_be_awaited = False
    unknown_types: frozenset[str] = frozenset({"mixed"})
    empty_types: frozenset[str] = frozenset({"null"})
    transparent_types: frozenset[str] = frozenset()
    type_variable_factories: frozenset[str] = frozenset()
    common_names = rules.COMMON_NAMES
    constructor_names = rules.CONSTRUCTORS
    text_suffixes = frameworks.SUFFIXES
    instance_bases = frameworks.MODEL_BASES

    def parse(self, source: bytes) -> tree_sitter.Tree:
        return grammar.parse(source)

    def extract(self, source: bytes, tree: tree_sitter.Tree) -> FileFacts:
        return extract.extract(source, tree)

    def places(self, source: bytes, word: str, parsed: Callable[[], Syntax | None]) -> tuple[int, ...]:
        return words.places_of(source, word)

    def reference(self, syntax: Syntax, at: int) -> Reference | None:
        return references.reference_at(reading_of(syntax), at)

    def implicit_uses(self, syntax: Syntax, name: str) -> Sequence[ImplicitUse]:
        return implicit.uses(reading_of(syntax), name)

    def arguments(self, syntax: Syntax, call_at: int) -> Arguments | None:
        return references.arguments_at(reading_of(syntax), call_at)

    def spelled(self, node: tree_sitter.Node, source: bytes) -> bytes | None:
        return rules.with_null(node, source) if node.type == "simple_parameter" else spelled_node(node, source)

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
        return reading_of(syntax).enclosing_class(at)

    def expression(self, syntax: Syntax, start: int, end: int) -> Expression:
        reading = reading_of(syntax)
        nodes = [n for n in reading.path(start) if n.start_byte == start and (end < 0 or n.end_byte == end)]
        return lower.expression(reading, nodes[0]) if nodes else Unknown()

    def bases(self, syntax: Syntax, definition: int) -> tuple[Base, ...]:
        return members.bases(reading_of(syntax), definition)

    def renamed(self, syntax: Syntax, definition: int) -> Mapping[str, tuple[Expression, str]]:
        return members.renamed(reading_of(syntax), definition)

    def spellings(self, definition: Definition) -> Sequence[str]:
        return words.spellings(definition)

    def may_spell(self, source: bytes, definition: Definition, word: str) -> bool:
        return words.may_spell(source, definition, word)

    def imports_by_text(self, source: bytes) -> None:
        return None

    def may_define(self, source: bytes, word: str, *, member: bool) -> bool:
        return True

    def may_inherit(self, source: bytes, word: str) -> bool:
        return words.may_inherit(source, word)

    def yielding(self, source: bytes, word: str) -> set[str]:
        return words.yielding(source, word)

    def instance_of(self, call: Expression) -> tuple[Name, str] | None:
        return frameworks.model_given_by(call)

    def words_by_convention(self, asked: Asked) -> Iterator[str]:
        return frameworks.words_by_convention(asked)

    def by_convention(self, asked: Asked) -> Iterator[Place]:
        return frameworks.by_convention(asked)

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
        """None: PHP has no type aliases."""
        return None

    def shape(self, syntax: Syntax, definition: int) -> ObjectType | None:
        """None: no literal is held to an interface's members."""
        return None

    def generated(self, syntax: Syntax, definition: int) -> tuple[Parameter, ...] | None:
        """None: every constructor is written."""
        return None

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
        return modules.PhpModules(tree)

    def is_public(self, facts: FileFacts, definition: Definition) -> bool:
        return rules.is_public(definition)

    def is_global(self, source: bytes, facts: FileFacts, index: int) -> bool:
        return True  # full names and packages tell whose a name is

    def may_bypass(self, syntax: Syntax, at: int) -> bool:
        return reading_of(syntax).may_be_bound(at)

    def passes_as_global(self, source: bytes, name: str) -> bool:
        return False

    def exports_star(self, facts: FileFacts, name: str) -> bool:
        """No: PHP has no star imports."""
        return False

    def said_to_implement(self, source: bytes, name: str, interface: str) -> Sequence[tuple[int, int]]:
        return ()

    def binds_receiver(self, definition: Definition) -> bool:
        return False


PHP = Php()

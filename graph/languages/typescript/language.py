"""TypeScript and JavaScript as one implementation of `graph.languages.base.Language`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path

import tree_sitter
from tree_sitter_language_pack import get_language

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
    Super,
    TypedValue,
    TypeExpression,
    TypeParameter,
)
from graph.facts import Definition, FileFacts, Parameter
from graph.languages import heirs
from graph.languages.base import ImplicitUse, Modules, Stated, Syntax, Tree
from graph.languages.reading import occurrences
from graph.languages.typescript import calls, extract, members, rules, scopes, stated, written
from graph.languages.typescript.code import Code, code_of
from graph.languages.typescript.modules import TypeScriptModules
from graph.languages.typescript.narrowing import narrowed
from graph.languages.typescript.references import places_of, reference
from graph.languages.typescript.unreadable import read_again
from graph.languages.versions import version_of
from graph.type_spellings import LOOSE, one_spelling, spelled_node

_ANY = re.compile(r"(?<![\w$.])any(?![\w$(?:])")
_ONE_PARAMETER = re.compile(rb"\(\s*([\w$]+)\s*,?\s*\)")
_SUPER_CALL = re.compile(rb"\bsuper\s*\(")


class TypeScript:
    """One of the languages that share the syntax of JavaScript."""

    version = version_of(__file__)
    stub_extension = ".ts"
    builtin_modules = rules.BUILTIN_MODULES
    definition_prefix = rb"\b(?:function\*?|class|interface|enum)[ \t]+"
    spelled_nodes = frozenset({"array_type", "formal_parameters", "generic_type", "readonly_type", "union_type"})
    telling_dots = False
    silent_dots: re.Pattern[bytes] | None = None
    named_arguments = False
    package_scope = False
    interfaces_have_bodies = False
    abstract_classes_declare = True
    checks_loosely = True
    abstract_bases = frozenset[str]()
    global_names = False
    structural = False
    implicit_names: frozenset[str] = frozenset()
    dotted_strings = False
    injected_decorators: frozenset[str] = frozenset()
    explicit_exports = True
    keywords = rules.KEYWORDS
    imports_only = False  # a script without imports and exports shares its names with all others
    class_self_names: frozenset[str] = frozenset()
    class_member = "constructor"
    wrappers = rules.WRAPPERS
    awaitables = rules.AWAITABLES
    iterables = rules.ITERABLES
    indexed_types = rules.INDEXED_TYPES
    needs_lines = False
    aliases_are_values = False
    waits_to_be_awaited = False
    unknown_types = rules.UNKNOWN_TYPES
    empty_types = rules.EMPTY_TYPES
    transparent_types = rules.TRANSPARENT_TYPES
    type_variable_factories: frozenset[str] = frozenset()
    common_names = rules.COMMON_NAMES
    constructor_names = frozenset({"constructor"})

    def __init__(self, name: str, grammar: str, extensions: tuple[str, ...], excess_arguments: bool) -> None:
        self.name = name
        self.grammar = grammar
        self.extensions = extensions
        self.excess_arguments = excess_arguments

    @cached_property
    def builtins(self) -> bytes:
        """The stub of built-in types (`builtins.d.ts`)."""
        return (Path(__file__).parent / "builtins.d.ts").read_bytes()

    @cached_property
    def _grammars(self) -> extract.Grammars:
        return extract.load(get_language(self.grammar), self.grammar)  # type: ignore[arg-type]

    def _code(self, syntax: Syntax) -> Code:
        return code_of(syntax, self._grammars)

    def parse(self, source: bytes) -> tree_sitter.Tree:
        """The tree of the bytes; errors are nodes in it."""
        parser = tree_sitter.Parser(self._grammars.grammar)
        tree = parser.parse(source)
        return read_again(parser, source, tree) if tree.root_node.has_error else tree

    def extract(self, source: bytes, tree: tree_sitter.Tree) -> FileFacts:
        """The file's facts."""
        return extract.extract(self._grammars, self.name, source, tree)

    def places(self, source: bytes, word: str, parsed: Callable[[], Syntax | None]) -> tuple[int, ...]:
        """Where in code the word stands."""
        syntax = parsed() if next(occurrences(source, word), None) is not None else None
        return places_of(self._code(syntax), word) if syntax is not None else ()

    def reference(self, syntax: Syntax, at: int) -> Reference | None:
        """What the identifier at `at` refers to."""
        return reference(self._code(syntax), at)

    def implicit_uses(self, syntax: Syntax, name: str) -> Sequence[ImplicitUse]:
        """`super(...)` calls the constructor above; no other method is called without being named."""
        if name != "constructor":
            return ()
        found = []
        for place in _SUPER_CALL.finditer(syntax.source):
            node = syntax.tree.root_node.descendant_for_byte_range(place.start(), place.start() + 5)
            if node is not None and node.type == "super":
                found.append(ImplicitUse(place.start(), Super(place.start())))
        return found

    def arguments(self, syntax: Syntax, call_at: int) -> Arguments | None:
        """What the call found at `call_at` passes."""
        return calls.arguments(self._code(syntax), call_at)

    def spelled(self, node: tree_sitter.Node, source: bytes) -> bytes | None:
        """`X[]` and `Array<X>` mean the same, and `(x) => 1` and `x => 1`."""
        if node.type != "formal_parameters":
            return spelled_node(node, source)
        found = _ONE_PARAMETER.fullmatch(source, node.start_byte, node.end_byte)
        return found[1] if found is not None else None

    def spelled_type(self, text: str) -> str:
        """The same of a type as the facts have it."""
        return one_spelling(text)

    def loosened(self, text: str) -> str | None:
        """`any` is of every type, and every type is of it."""
        return None if text.strip() == "any" else _ANY.sub(LOOSE, text)

    def written_values(self, syntax: Syntax, at: int) -> Sequence[TypedValue]:
        """Of variables, fields, defaults, results, and what `satisfies` a type."""
        return written.written_values(self._code(syntax), at)

    def stored_values(self, syntax: Syntax, at: int) -> Sequence[Expression]:
        """What assignments and `push` store under a name."""
        return written.stored_values(self._code(syntax), at)

    def passed(self, syntax: Syntax, call_at: int) -> Sequence[Expression]:
        """What a call or an element passes, literals only."""
        return written.passed(self._code(syntax), call_at)

    def passed_ahead(self, syntax: Syntax, at: int) -> Arguments | None:
        """None: only `bind` does, without names."""
        return None

    def scopes(self, syntax: Syntax, at: int) -> Sequence[Scope]:
        """The scopes that a name at `at` is looked up in, innermost first."""
        return scopes.scopes(self._code(syntax), at)

    def enclosing_class(self, syntax: Syntax, at: int) -> int:
        """Definition index of the class that `this` at `at` belongs to; -1 for none."""
        return members.enclosing_class(self._code(syntax), at)

    def expression(self, syntax: Syntax, start: int, end: int) -> Expression:
        """The expression that spans these bytes; with `end` -1 the largest that starts at `start`."""
        return calls.expression(self._code(syntax), start, end)

    def bases(self, syntax: Syntax, definition: int) -> tuple[Base, ...]:
        """A class's or interface's bases, in order."""
        return members.bases(self._code(syntax), definition)

    def type_parameters(self, syntax: Syntax, definition: int) -> tuple[TypeParameter, ...]:
        """The declared type parameters."""
        return members.type_parameters(self._code(syntax), definition)

    def fields(self, syntax: Syntax, definition: int) -> Mapping[str, tuple[Binding, ...]]:
        """Fields that are not definitions."""
        return members.fields(self._code(syntax), definition)

    def result(self, syntax: Syntax, definition: int) -> Result:
        """What the function or method gives back."""
        return members.result(self._code(syntax), definition)

    def parameter_types(self, syntax: Syntax, definition: int) -> tuple[ParameterType, ...]:
        """The declared types and defaults of the parameters."""
        return members.parameter_types(self._code(syntax), definition)

    def function_result(self, syntax: Syntax, at: int) -> Result:
        """What the function expression that starts at `at` gives back."""
        return members.function_result(self._code(syntax), at)

    def alias(self, syntax: Syntax, definition: int) -> TypeExpression | None:
        """What a type alias stands for."""
        return members.alias(self._code(syntax), definition)

    def shape(self, syntax: Syntax, definition: int) -> ObjectType | None:
        """The members that an interface's own body declares."""
        return members.shape(self._code(syntax), definition)

    def generated(self, syntax: Syntax, definition: int) -> tuple[Parameter, ...] | None:
        """None: a class without a constructor has its base's."""
        return None

    def stated(self, syntax: Syntax, definition: int) -> Stated | None:
        """By the variable that holds it, by what makes a component of it; in JavaScript by comments and the body."""
        return stated.stated(self._code(syntax), definition)

    def value(self, syntax: Syntax, definition: int) -> Binding | None:
        """The annotation and value of a constant, variable or component."""
        return members.value(self._code(syntax), definition)

    def narrowed(self, syntax: Syntax, at: int, target: Expression) -> tuple[TypeExpression | None, bool]:
        """The type that control flow around `at` states for `target`."""
        return narrowed(self._code(syntax), at, target)

    def decorated(self, syntax: Syntax, definition: int) -> tuple[Expression, ...]:
        """The decorators' expressions, outermost first."""
        return members.decorated(self._code(syntax), definition)

    def modules(self, tree: Tree) -> Modules:
        """The module rules of a tree."""
        return TypeScriptModules(tree)

    def is_public(self, facts: FileFacts, definition: Definition) -> bool:
        """Whether code outside the file may use it."""
        return rules.is_public(facts, definition)

    def is_global(self, source: bytes, facts: FileFacts, index: int) -> bool:
        """Whether scripts share it, or it is put on the global object."""
        return rules.is_global(source, facts, index)

    def may_bypass(self, syntax: Syntax, at: int) -> bool:
        """Whether it is `a["b"]`, or a comment tells the checker to let it pass."""
        return rules.may_bypass(syntax.source, at)

    def passes_as_global(self, source: bytes, name: str) -> bool:
        """Whether a `declare global` of the file has the name as that of a value or type from elsewhere."""
        return rules.passes_as_global(source, name)

    def exports_star(self, facts: FileFacts, name: str) -> bool:
        """Whether `export *` passes `name` on."""
        return rules.exports_star(name)

    def imports_by_text(self, source: bytes) -> None:
        """None: a specifier may be read in too many ways."""
        return

    def may_define(self, source: bytes, word: str, *, member: bool) -> bool:
        """True: too many things define a name here, for the text to tell."""
        return True

    def may_inherit(self, source: bytes, word: str) -> bool:
        """Whether a header or an alias in the file may name the class."""
        return heirs.may_inherit(source, word, (b"extends", b"implements"), b"{")

    def said_to_implement(self, source: bytes, name: str, interface: str) -> Sequence[tuple[int, int]]:
        return ()

    def binds_receiver(self, definition: Definition) -> bool:
        """A method's receiver is never one of its parameters."""
        return False

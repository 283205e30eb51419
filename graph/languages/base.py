"""What a language supplies: rules and lowering, never a resolver of its own.

`Language` is the door between the shared inference and a language package. All of it is pure: the same bytes (and, for
`modules`, the same tree of paths and configuration files) give the same values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Literal, Protocol

import msgspec
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
)
from graph.facts import Definition, FileFacts, Import, Parameter


class Tree(Protocol):
    """The files of one snapshot, as a language's module rules may see them."""

    @property
    def paths(self) -> Mapping[str, str]:
        """Path -> blob id of every regular tracked file (no symbolic links, no submodules)."""
        ...

    def read(self, path: str) -> bytes:
        """The blob's bytes; b"" for a path that isn't there or is larger than the size limit."""
        ...

    def children(self, directory: str) -> Collection[str]:
        """Names directly below a directory ("" is the root): files and directories; empty when there is none."""
        ...


class Syntax(msgspec.Struct, frozen=True, eq=False, weakref=True):
    """One parsed file: its bytes, its tree, its facts. Offsets are bytes."""

    source: bytes
    tree: tree_sitter.Tree
    facts: FileFacts

    def line(self, at: int) -> int:
        """The 1-based line of an offset (LF only)."""
        return self.source.count(b"\n", 0, at) + 1


class ImplicitUse(msgspec.Struct, frozen=True):
    """A place whose syntax calls a method of `receiver` without naming it. `call_at` finds what is passed, -1 where no
    list of arguments is in sight."""

    at: int
    receiver: Expression
    call_at: int = -1


ANY_ARGUMENTS = "..."
"""The name of the one parameter (a rest) of what takes what a type says that isn't understood."""


class NamedType(msgspec.Struct, frozen=True):
    """A type by its name, and the texts of the type arguments that it is given."""

    name: Expression
    arguments: tuple[str, ...] = ()


class Stated(msgspec.Struct, frozen=True):
    """What is said of a definition's parameters elsewhere than in its own list.

    `parameters` and `returns` are what its callers know, None for what its own declaration says. `by`: the text that
    states them, where the declaration doesn't show it. `enforced`: whether a call that leaves out one that may not be
    left out is wrong, or only where calls are checked (`Arguments.checked`), or never. `of`: the type that tells it,
    where what that stands for can be found out; the rest is for where it can't.
    """

    parameters: tuple[Parameter, ...] | None = None
    returns: str | None = None
    by: str = ""
    enforced: Literal["always", "where checked", "never"] = "always"
    of: NamedType | None = None


class Resolved(msgspec.Struct, frozen=True):
    """What a module specifier means in a tree.

    `paths`: the files whose names it gives (one for Python and TypeScript; a package's files in Go), best first.
    `package`: a directory that is a package without a file of its own (Python namespace package): its submodules are
    reached by name. `external`: it is known to lie outside the repository. All empty and not external: not found.
    `name`: what an import without an alias binds, in languages with `package_scope` (of an external one: a guess).
    """

    paths: tuple[str, ...] = ()
    package: str | None = None
    external: bool = False
    name: str | None = None


class Modules(Protocol):
    """How one tree's files import each other. Built once per tree and language; reads configuration files lazily."""

    def resolve(self, path: str, module: str) -> Resolved:
        """What `module`, written in the file at `path`, means. Never follows a symbolic link, never leaves the tree."""
        ...

    def submodule(self, path: str, name: str) -> str | None:
        """The file that `name` means as a submodule of the module at `path` (Python: `pkg/__init__.py` or a package
        directory -> `pkg/name.py` or `pkg/name/__init__.py`); None where there is none or the language has none."""
        ...

    def words(self, path: str) -> frozenset[str]:
        """Words of which an importer of the file at `path` must contain at least one, in every form in which the file
        can be imported: its stem, or its directory's name for index/__init__ files; tsconfig aliases, package names,
        `exports` keys that map to it. See `dotted_only` for importers that contain none."""
        ...

    def outer_words(self, path: str) -> tuple[str, frozenset[str]] | None:
        """A directory, and words of which every importer outside of it that has one of the `words` must contain one,
        too. None where the language can't tell."""
        ...

    def dotted_importers(self, path: str) -> Iterable[str]:
        """Files whose specifier for `path` may be only dots (`.`, `./`, `..`): candidates always."""
        ...

    def may_import(self, importer: str, source: bytes, path: str) -> bool:
        """Whether the text of the file at `importer` may hold an import of the file at `path`: the words alone
        ("utils", "index") say too little. Never False for an importer."""
        ...

    def siblings(self, path: str) -> Sequence[str]:
        """Other files that share `path`'s module scope (Go: the package); empty in Python and TypeScript. For a Python
        `.py`, its `.pyi` stub beside it and the other way; for TypeScript a `.d.ts` beside its `.js`."""
        ...


class PackageModules(Modules, Protocol):
    """What the modules of a language with `package_scope` can tell besides."""

    def package(self, path: str) -> tuple[str, ...]:
        """All files that share `path`'s module scope, itself included: one and the same tuple for each of them."""
        ...

    def together(self, one: str, other: str) -> bool:
        """Whether some build has both files; True where that cannot be told."""
        ...

    def may_declare(self, path: str, name: str, *, method: bool) -> bool:
        """Whether the file may declare that name at module level, or as a method outside of its type, by its text
        alone. Never False for one that does."""
        ...


class GlobalModules(Modules, Protocol):
    """What the modules of a language with `global_names` can tell besides."""

    def declaring(self, path: str, name: str) -> Sequence[str]:
        """The files that may declare a full name, as seen from the file at `path`, best first; empty for one from
        outside. A function's name ends in "()", a constant's in "#"."""
        ...

    def search_with(self, texts: Callable[[str], Iterable[str]]) -> None:
        """Take the search: `texts(word)` gives the files whose text holds the word, for what no file's name tells."""
        ...


class Language(Protocol):
    """One language. `name` is the word in the JSON ("python", "typescript", "javascript")."""

    name: str
    grammar: str
    """The grammar that parses it ("python", "typescript", "tsx", "javascript"): part of the facts' key."""
    extensions: tuple[str, ...]
    version: str
    """Version of the extractor: changes whenever `extract` gives something else for the same bytes."""

    @property
    def builtins(self) -> bytes:
        """A stub, in the language itself, of the built-in types that inference needs (lists, maps, promises ...)."""
        ...

    stub_extension: str
    """An extension (of this language package) whose grammar reads `builtins` (".pyi", ".ts")."""
    builtin_modules: frozenset[str]
    """External modules whose names are looked up, by their last segment, in the builtins stub ("typing", "react")."""
    definition_prefix: bytes
    """A pattern of what stands before a definition's own name, so that a file whose places of a word all follow it
    can be left unread (`def `); b"" when there is none that is certain."""
    spelled_nodes: frozenset[str]
    """Kinds of nodes that may say the same in several spellings: see `spelled`."""
    telling_dots: bool
    """Whether a file's text tells what a name in it may stand for: a member only behind a dot (but in its own class), a
    value nowhere beside a quote (where a type may)."""
    silent_dots: re.Pattern[bytes] | None
    """Where dots tell: what, from the start of a line on, has dots that are before no members (a module's name in an
    import that binds none of its parts)."""
    named_arguments: bool
    """Whether a call may pass any parameter by its name (Python, PHP)."""
    excess_arguments: bool
    """Whether more arguments than parameters are no error (JavaScript; an error in TypeScript)."""
    package_scope: bool
    """Whether an import without an alias binds the name that the imported files' package clause declares (Go)."""
    interfaces_have_bodies: bool
    """Whether methods of what counts as an interface may have bodies that are inherited (Python's protocols)."""
    abstract_classes_declare: bool
    """Whether an abstract class, too, must declare what the interfaces ask for that it implements (TypeScript)."""
    checks_loosely: bool
    """Whether a checker lets an override take fewer arguments, and ask for those that may be left out (TypeScript)."""
    abstract_bases: frozenset[str]
    """Names that make a class abstract that has one for a base or metaclass ("ABC", "ABCMeta")."""
    global_names: bool
    """Whether types and functions have full names that mean the same in every file; lowering gives them with a leading
    backslash (PHP: `\\App\\Order`, `\\App\\total()`), and variables and properties with their `$`. Its `modules` are
    `GlobalModules`, and it is a `GlobalLanguage`."""
    structural: bool
    """Whether a type implements every interface whose methods it has, without saying so (Go)."""
    implicit_names: frozenset[str]
    """Methods that syntax calls without naming them (`__enter__`, `__add__`)."""
    dotted_strings: bool
    """Whether a string that is the dotted path of a definition is likely meant as one (Python's settings, mocks)."""
    injected_decorators: frozenset[str]
    """Decorators of functions that a framework calls with arguments by the parameters' names (`pytest.fixture`)."""
    explicit_exports: bool
    """Whether names reach other files only through `facts.exports` (JavaScript); else every module-level name does."""
    keywords: frozenset[str]
    """Words of the language itself that may name members too (`import`, `delete`): that many files hold one tells
    nothing of a member's name."""
    imports_only: bool
    """Whether a name reaches another file by an import alone: no shared packages, no global names."""
    class_self_names: frozenset[str]
    """Names that stand for the class in its own methods, by convention ("cls")."""
    class_member: str
    """The member of every instance that is its class (`__class__`, `constructor`); "" for none."""
    wrappers: frozenset[str]
    """Functions whose result is, for those who use it, the first argument (`memo`, `forwardRef`)."""
    awaitables: dict[str, int]
    """Builtin classes that `await` unwraps -> index of the type argument that it gives ({"Promise": 0})."""
    iterables: dict[str, int]
    """Builtin classes that iterating unwraps -> index of the element's type argument, the most basic ones only."""
    indexed_types: dict[str, int]
    """Builtin types of which any property is of one type argument -> index of that argument ({"Record": 1})."""
    needs_lines: bool
    """Whether lines end statements, so that nobody takes them out (Python, Go)."""
    aliases_are_values: bool
    """Whether a name that is given a value may be a type (Python's aliases)."""
    waits_to_be_awaited: bool
    """Whether an asynchronous function that is called and not awaited does nothing (Python's; a promise runs)."""
    unknown_types: frozenset[str]
    """Type names that say nothing ("any", "unknown", "Any", "object")."""
    empty_types: frozenset[str]
    """Type names of no value ("None", "null", "undefined", "void", "never")."""
    transparent_types: frozenset[str]
    """Generic names that stand for their first argument, more or less ("Partial", "Readonly", "Annotated")."""
    type_variable_factories: frozenset[str]
    """Functions whose result, bound to a name, is a type variable ("TypeVar")."""
    common_names: frozenset[str]
    """Method names too common to follow without a known receiver ("noise")."""
    constructor_names: frozenset[str]
    """Methods that a construction calls (`__init__`, `__new__`, `constructor`)."""

    def parse(self, source: bytes) -> tree_sitter.Tree: ...

    def extract(self, source: bytes, tree: tree_sitter.Tree) -> FileFacts:
        """The file's facts, in one walk over query captures. Never recursive: nesting is hostile."""
        ...

    def spelled(self, node: tree_sitter.Node, source: bytes) -> bytes | None:
        """What one of the `spelled_nodes` is compared by: one spelling for all that mean the same, b"" for what means
        nothing, None for a node that must be compared part by part."""
        ...

    def spelled_type(self, text: str) -> str:
        """The one spelling of all types that mean the same, of one as the facts have it."""
        ...

    # -- on-demand lowering, for the few places that a question touches ----------------------------------------------

    def places(self, source: bytes, word: str, parsed: Callable[[], Syntax | None]) -> tuple[int, ...]:
        """Where in a file's code one of its `names` stands, in order. `parsed` gives the file's syntax: it is not asked
        for where the text alone tells."""
        ...

    def reference(self, syntax: Syntax, at: int) -> Reference | None:
        """What the identifier at `at` refers to; None when it refers to nothing: a definition's own name, a parameter,
        a property key (but see `Reference.key`), a keyword argument's name, a label."""
        ...

    def implicit_uses(self, syntax: Syntax, name: str) -> Sequence[ImplicitUse]:
        """Every place whose syntax calls the method of that name without naming it (Python's `with x`, `a + b`); empty
        for names that no syntax calls."""
        ...

    def arguments(self, syntax: Syntax, call_at: int) -> Arguments | None:
        """What the call found at `call_at` passes."""
        ...

    def loosened(self, text: str) -> str | None:
        """A type, as the facts have it, as it is compared with what it was: with `LOOSE` for what a checker lets stand
        for every other type, and any other for it (`Any`); None where it says no more than if it weren't written."""
        ...

    def written_values(self, syntax: Syntax, at: int) -> Sequence[TypedValue]:
        """The values, literals in them, for which the type that is named at `at` is written; empty where literals are
        held to no type."""
        ...

    def stored_values(self, syntax: Syntax, at: int) -> Sequence[Expression]:
        """What is stored under the name that stands at `at`: what is assigned to it, and, as lists, what is added to
        it. Empty where literals are held to no type."""
        ...

    def passed(self, syntax: Syntax, call_at: int) -> Sequence[Expression]:
        """What a call passes by position (the attributes of an element as one object), unknown what is no literal.
        Empty where literals are held to no type, or spreads hide the positions."""
        ...

    def passed_ahead(self, syntax: Syntax, at: int) -> Arguments | None:
        """What is passed to the function that stands at `at` ahead of its call (Python's `partial(f, 1, key=2)`); None
        where nothing is."""
        ...

    def scopes(self, syntax: Syntax, at: int) -> Sequence[Scope]:
        """The scopes that a name at `at` is looked up in, innermost first, the module's last. Cheap to call again:
        implementations may cache by (syntax, scope node)."""
        ...

    def enclosing_class(self, syntax: Syntax, at: int) -> int:
        """Definition index of the class that `this`/`self`/`super` at `at` belongs to; -1 when there is none."""
        ...

    def expression(self, syntax: Syntax, start: int, end: int) -> Expression:
        """The expression that spans exactly these bytes, lowered (what an Export without a local name exports)."""
        ...

    def bases(self, syntax: Syntax, definition: int) -> tuple[Base, ...]:
        """A class's or interface's bases, in order."""
        ...

    def type_parameters(self, syntax: Syntax, definition: int) -> tuple[TypeParameter, ...]:
        """Declared type parameters of a class, function or type alias (Python: also of Generic[T] and Protocol[T])."""
        ...

    def fields(self, syntax: Syntax, definition: int) -> Mapping[str, tuple[Binding, ...]]:
        """Fields of a class that are not definitions: declared in its body, parameter properties, assigned through
        self/this in its methods, enum members (kind "variable", value Unknown when it has none)."""
        ...

    def result(self, syntax: Syntax, definition: int) -> Result:
        """What the function or method with that definition index gives back."""
        ...

    def parameter_types(self, syntax: Syntax, definition: int) -> tuple[ParameterType, ...]:
        """The parameters of the definition, in order, as in its `Definition.parameters`."""
        ...

    def function_result(self, syntax: Syntax, at: int) -> Result:
        """Like `result`, of the function expression that starts at `at` (expressions.Function)."""
        ...

    def alias(self, syntax: Syntax, definition: int) -> TypeExpression | None:
        """What a type alias stands for; for an interface or an object-typed class None."""
        ...

    def shape(self, syntax: Syntax, definition: int) -> ObjectType | None:
        """The members that an interface's own body declares; None for what is no interface, or where not all of them
        can be named."""
        ...

    def generated(self, syntax: Syntax, definition: int) -> tuple[Parameter, ...] | None:
        """The parameters that a class's own fields make of a constructor that nobody wrote (a data class), without
        those of its bases; None where they make none."""
        ...

    def stated(self, syntax: Syntax, definition: int) -> Stated | None:
        """What is said of the definition's parameters elsewhere than in its own list: by the type of the variable that
        holds it, by a comment, by what its body does where nothing was passed. Of a type, what functions of that type
        take. None for nothing."""
        ...

    def value(self, syntax: Syntax, definition: int) -> Binding | None:
        """The annotation and value of a constant, variable or component definition."""
        ...

    def narrowed(self, syntax: Syntax, at: int, target: Expression) -> tuple[TypeExpression | None, bool]:
        """(type, True) when control flow around `at` states the type of `target` (isinstance/instanceof/assert in the
        condition that guards `at`); (None, False) otherwise. Types in isinstance are TypeNames (a tuple: UnionType)."""
        ...

    def decorated(self, syntax: Syntax, definition: int) -> tuple[Expression, ...]:
        """The decorators' expressions, outermost first."""
        ...

    # -- rules over facts --------------------------------------------------------------------------------------------

    def modules(self, tree: Tree) -> Modules: ...

    def is_public(self, facts: FileFacts, definition: Definition) -> bool:
        """Whether code outside the file may use it by the language's own convention (`_x`, `private`, not exported)."""
        ...

    def is_global(self, source: bytes, facts: FileFacts, index: int) -> bool:
        """Whether a name that a file neither declares nor imports may reach the definition with that index, which is in
        another file: never one that is local to a function. Asked only where such a name is nobody's that is known."""
        ...

    def may_bypass(self, syntax: Syntax, at: int) -> bool:
        """Whether a place may use a member that its visibility forbids to those who stand there."""
        ...

    def passes_as_global(self, source: bytes, name: str) -> bool:
        """Whether the file makes a global of that name of what another file exports, by its text."""
        ...

    def exports_star(self, facts: FileFacts, name: str) -> bool:
        """Whether a star import of this file brings in `name` (Python: `__all__`, else no leading underscore)."""
        ...

    def imports_by_text(self, source: bytes) -> Sequence[Import] | None:
        """The imports of a file as its facts have them, by its text, but for whether they are at module level and of
        types alone; None where only its syntax tells."""
        ...

    def may_define(self, source: bytes, word: str, *, member: bool) -> bool:
        """Whether the file may have a definition of that name (a `member` of a class), by its text. Never False for one
        that has."""
        ...

    def may_inherit(self, source: bytes, word: str) -> bool:
        """Whether the file may hold a class that has the one of that name as a base, or give it another name, by the
        file's text. A rule of the answer: nobody else is asked for subclasses."""
        ...

    def said_to_implement(self, source: bytes, name: str, interface: str) -> Sequence[tuple[int, int]]:
        """Where a file's text may say that the type of a name implements the interface of another one, in languages
        whose types need not say so themselves: the offsets of the interface's name and of the type's. Empty in all
        others."""
        ...

    def binds_receiver(self, definition: Definition) -> bool:
        """Whether a method called on an instance gets its first parameter from the receiver (Python's self/cls)."""
        ...


class Place(msgspec.Struct, frozen=True):
    """A place from which a framework reaches a definition, though nothing calls it there.

    The file at `path` may be of no language. `sure` only where the text spells all of it. `via` says what connects them
    ("event"), `reason` why where that does not tell. `call_at` finds the arguments that it is called with, -1 where
    they are not in sight. `stands_for`: what the text names, to tell whether something still answers to it.
    """

    path: str
    at: int
    kind: Literal["call", "new", "decorator", "argument", "value", "config", "template"]
    sure: bool
    via: str | None = None
    reason: str | None = None
    call_at: int = -1
    stands_for: Expression | None = None


class Asked(Protocol):
    """A definition whose callers are sought, and its tree, as the rules of frameworks may see them."""

    @property
    def path(self) -> str: ...

    @property
    def index(self) -> int:
        """The definition in its file's facts."""
        ...

    @property
    def owner(self) -> int:
        """The class that declares it as a member; -1 for what is no member."""
        ...

    def heirs(self) -> Sequence[tuple[str, int]]:
        """(path, definition) of the classes that have the definition as their member: its own first, then those that
        inherit it. Of a class itself, the class alone."""
        ...

    def holding(self, word: str, suffixes: tuple[str, ...] = ()) -> Sequence[str]:
        """The files whose text holds the word, sorted: those with one of the suffixes, else those of the language."""
        ...

    def read(self, path: str) -> bytes:
        """A file's bytes."""
        ...

    def read_ahead(self, paths: Sequence[str]) -> None:
        """Be told of files that will be read one by one: to read them together is much faster."""
        ...

    def parsed(self, path: str) -> Syntax | None:
        """A file of the language, parsed."""
        ...

    def classes(self, path: str, expression: Expression) -> Sequence[tuple[str, int]] | None:
        """The classes of this tree that a value is (or is an instance of); empty where it is something else, None where
        that isn't known."""
        ...

    def related(self, one: tuple[str, int], other: tuple[str, int]) -> bool:
        """Whether one of two classes is the other, or inherits it."""
        ...

    def has(self, owner: tuple[str, int], name: str) -> bool:
        """Whether the class surely has a member of that name."""
        ...


class GlobalLanguage(Language, Protocol):
    """What a language with `global_names` tells besides."""

    text_suffixes: tuple[str, ...]
    """What the names of files end in that are of no language and name definitions (configuration); () for none."""

    instance_bases: tuple[str, ...]
    """What the full names of classes from outside begin with of which `instance_of` tells; () for none."""

    def instance_of(self, call: Expression) -> tuple[Name, str] | None:
        """The class of which a chain of calls that it begins is likely to give an instance, and the static method that
        the chain begins with: `Order::where(...)->first()`. By the names alone; None for any other call."""
        ...

    def words_by_convention(self, asked: Asked) -> Iterable[str]:
        """Words that the files will be searched for when `by_convention` is asked, as far as the definition's own file
        tells: to search for all at once is much faster. Nothing is asked of other files."""
        ...

    def by_convention(self, asked: Asked) -> Iterable[Place]:
        """Where frameworks reach a definition that nothing calls: by routes, events, configuration, templates."""
        ...

    def renamed(self, syntax: Syntax, definition: int) -> Mapping[str, tuple[Expression, str]]:
        """Name -> (where from, its name there) of the members that a class takes over by a clause of its own: those of
        traits under another name, or chosen among several (PHP's `as` and `insteadof`)."""
        ...

    def spellings(self, definition: Definition) -> Sequence[str]:
        """Other spellings under which a definition is likely to be named, where case does not matter."""
        ...

    def may_spell(self, source: bytes, definition: Definition, word: str) -> bool:
        """Whether the file may name the definition by that other spelling, by its text. A rule of the answer."""
        ...

    def yielding(self, source: bytes, word: str) -> Iterable[str]:
        """Names of the properties and functions that a file declares, by its text, to hold or give back the class of
        that name."""
        ...

"""Facts: what one file says, without any other file. A pure function of (grammar, bytes).

A facts extractor knows neither its file's path nor any other file, so facts are cached for ever by blob hash, language
and extractor version. What depends on the path (module name, test or not) is worked out at query time. What is only
needed for a few places of a few files (types of locals, values, receivers) isn't here: it is lowered on demand from
the syntax tree (see `graph.expressions` and `graph.languages.base`).

Offsets are bytes into the blob. Lines are 1-based and count LF only, as git and GitHub do.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

DefinitionKind = Literal[
    "function", "method", "class", "interface", "type", "enum", "trait", "constant", "variable", "component"
]
ParameterKind = Literal["positional-only", "positional", "rest", "keyword-only", "keywords"]
ImportKind = Literal["import", "star", "dynamic", "type"]

CLIPPED = "…"
"""The last line of a declaration of which not everything is kept."""


class Facts(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Base of the facts: immutable, compact in the cache."""


class Parameter(Facts, frozen=True):
    """A declared parameter. `rest` is `*args`/`...xs`, `keywords` is `**kwargs`.

    `optional` means that a call need not pass it. `type` is the annotation's source text. The receiver (`self`, `cls`,
    an explicit TypeScript `this`) is included only where the language passes it as a parameter (Python).
    """

    name: str
    kind: ParameterKind = "positional"
    optional: bool = False
    type: str | None = None


class Definition(Facts, frozen=True):
    """A function, method, class, interface, type, or exported/module-level value.

    `start`..`end` spans the whole of it, decorators and `export` included. `at` is the name's offset (for an anonymous
    default export: of the `default` keyword, with name "default"). `line` is the line of the name, `first_line` and
    `end_line` span the whole. `parent` is the index of the definition around it, -1 at module level.
    `declaration` is the source text without the body, as far as it is kept (`CLIPPED`). `parameters` is None for what
    cannot be called by its own declaration. `bases` and `decorators` are source texts (arguments cut off decorators:
    `app.route`).
    `modifiers`: "static" "classmethod" "property" "setter" "abstract" "async" "overload" "private" "readonly"
    "declare" "generator" "optional", as far as the language has them.
    "whole file": the file itself is the definition (a single-file component), template and all.
    `owner` is the name of the type that a method belongs to where it is declared outside of it (Go's receiver type);
    its `parent` is -1 then.
    `exported`: other files can name it (Python: any module-level or class-level name; TypeScript: `export`ed, directly
    or by a list, or a member of an exported class; CommonJS `exports.x`).
    """

    name: str
    qualified: str
    kind: DefinitionKind
    start: int
    end: int
    at: int
    line: int
    first_line: int
    end_line: int
    parent: int = -1
    declaration: str = ""
    parameters: tuple[Parameter, ...] | None = None
    returns: str | None = None
    bases: tuple[str, ...] = ()
    decorators: tuple[str, ...] = ()
    modifiers: tuple[str, ...] = ()
    exported: bool = True
    owner: str | None = None


class Import(Facts, frozen=True):
    """One name brought in from (or passed on from) a module.

    `module` is the specifier as written (`./a`, `..pkg.mod`, `os.path`). `name` is the imported name; None means the
    module itself (`import * as ns`, `import a.b as c`, `require('x')` bound whole); "default" is a default import.
    `local` is the name bound in this file, None when nothing is bound (side-effect import, re-export).
    `exported_as` is the name under which it is passed on (`export {a as b} from './x'` has "b"; `export * from` has
    "*"; `export * as ns from` has "ns" with name None), None when it isn't.
    kind "star" brings in every public name of the module; "dynamic" is `import()`/`require()`/`import_module()` inside
    an expression that binds nothing by itself; "type" is erased at run time (`import type`, TYPE_CHECKING).
    `top`: at module level (also inside try/if there), so that the name is visible in the whole module.
    Python `import a.b.c` gives two: (module "a.b.c", name None, local None) and (module "a", name None, local "a").
    """

    module: str
    name: str | None
    local: str | None
    at: int
    line: int
    kind: ImportKind = "import"
    exported_as: str | None = None
    top: bool = True


class Export(Facts, frozen=True):
    """`exported` is the name other files use ("default", "=" for `module.exports = x`), `local` the name in this file.

    `local` is None when what is exported has no name of its own; then `at` is the offset of the exported expression.
    """

    exported: str
    local: str | None
    at: int


class FileFacts(Facts, frozen=True):
    """Everything one file says. `definitions` are in source order; an outer one precedes what it holds.

    `names` are the identifiers that stand in code (not in strings or comments). Where they stand is worked out for the
    few that are asked for (`graph.program.Program.places`).
    `local_names` are names bound inside some function (parameters, variables, nested definitions, local imports), or at
    module level by what is neither a definition nor an import (Python's `with ... as x`): a name not among them means
    the same everywhere in the file.
    `all_names` is Python's literal `__all__`, None when there is none.
    `degraded` counts places that the parser could not read; `unreadable` means that most of the file is one of them, so
    nothing may be concluded from it. `generated`: it says of itself that it is generated. `package` is the package name
    that the file declares (Go's package clause, PHP's namespace), None where the language has none.
    """

    language: str
    definitions: tuple[Definition, ...] = ()
    imports: tuple[Import, ...] = ()
    exports: tuple[Export, ...] = ()
    names: frozenset[str] = frozenset()
    local_names: frozenset[str] = frozenset()
    all_names: tuple[str, ...] | None = None
    degraded: int = 0
    unreadable: bool = False
    generated: bool = False
    package: str | None = None

    def exports_of(self, definition: Definition) -> Iterator[Export]:
        """The exports by which the file passes one of its definitions on; none for what is inside of another."""
        for each in self.exports if definition.parent < 0 else ():
            if each.local == definition.name or (each.local is None and definition.start <= each.at < definition.end):
                yield each

    def only_declares(self, member: Definition) -> bool:
        """Whether a member is only said to be there, for others to have it: an abstract one, or one of an interface."""
        return "abstract" in member.modifiers or self.is_of_interface(member)

    def is_of_interface(self, definition: Definition) -> bool:
        """Whether one of the file's definitions is a member that an interface declares."""
        return definition.parent >= 0 and self.definitions[definition.parent].kind == "interface"

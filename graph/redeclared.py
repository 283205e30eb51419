"""What methods are besides what one tree declares: before the change, and in the merge where both sides edited a file.

A type that implements an interface without saying so did so by what both declared at one time. When a change touches
one of them only, or when the pull request's version of a file stands beside the base's version of another, the
declarations of one tree alone do not tell.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from graph.changes import ChangedDefinition
from graph.facts import Definition, FileFacts
from graph.languages import language_of
from graph.program import Program
from graph.signatures import results_in
from graph.tokens import text_tokens
from graph.types import Denotation, Symbol

Redeclared: TypeAlias = dict[tuple[str, str], tuple[Definition | None, ...]]
"""(path, qualified name) of a method -> what else is declared of it; None for nothing."""
_QUALIFIER = re.compile(r"\b\w+\.|\s+")
_WORD = re.compile(r"\w+")


def redeclared(changed: Sequence[ChangedDefinition], merged: Mapping[str, FileFacts], program: Program) -> Redeclared:
    """What the changed methods were, and what those of the files in `merged` (path -> facts in the merge) are there."""
    found: dict[tuple[str, str], list[Definition | None]] = {}
    for each in changed:
        path = each.path or each.old_path
        language = language_of(path) if path is not None else None
        if path is None or language is None or each.definition.kind != "method":
            continue
        if each.change == "signature" or (language.structural and each.change in ("added", "removed")):
            found.setdefault((path, each.definition.qualified), []).append(each.before)
    for path, facts in sorted(merged.items()):
        there = _methods(facts)
        here = _methods(program.facts(path))
        for qualified in sorted(here.keys() | there.keys()):
            one, other = here.get(qualified), there.get(qualified)
            if one is None or other is None or one.declaration != other.declaration:
                found.setdefault((path, qualified), []).append(other)
    return {key: tuple(declared) for key, declared in found.items()}


def _methods(facts: FileFacts) -> dict[str, Definition]:
    return {each.qualified: each for each in facts.definitions if each.kind == "method"}


def for_other_builds(found: Sequence[Denotation], path: str, program: Program) -> bool:
    """Whether what is found of a name that the file at `path` no longer declares is declared for other builds only: the
    file's own find nothing."""
    packages = program.packages(path)
    return packages is not None and all(
        isinstance(each, Symbol) and each.path in program.tree.paths and not packages.together(path, each.path)
        for each in found
    )


def same_shape(one: Definition, other: Definition) -> bool:
    """Whether two methods have as many parameters and results, and both or neither take the rest."""
    return _shape(one) == _shape(other)


def _shape(method: Definition) -> tuple[int, bool, int]:
    parameters = method.parameters or ()
    return len(parameters), any(each.kind == "rest" for each in parameters), results_in(method.returns)


def same_signature(one: Definition, other: Definition, open_types: frozenset[str] = frozenset()) -> bool:
    """Whether two methods have the same signature, by how their types are written; one that names one of the
    `open_types` may be any."""
    if not same_shape(one, other):
        return False
    mine = [*(each.type for each in one.parameters or ()), one.returns]
    theirs = [*(each.type for each in other.parameters or ()), other.returns]
    return all(
        _QUALIFIER.sub("", wanted or "") == _QUALIFIER.sub("", given or "")
        or not open_types.isdisjoint(_WORD.findall(wanted or ""))
        for given, wanted in zip(mine, theirs, strict=True)
    )


def same_type_parameters(one: Definition, other: Definition) -> bool:
    """Whether two declarations have the same type parameters, in the same words."""
    return type_parameters(one) == type_parameters(other)


def type_parameters(definition: Definition) -> tuple[str, ...]:
    """The tokens of a declaration's type parameter list, which follows its name at once (`F[T any]`)."""
    declaration = definition.declaration
    found = re.match(rf"(?:func\s*(?:\([^)]*\)\s*)?|type\s+){re.escape(definition.name)}\[", declaration)
    if found is None:
        return ()
    depth = 1
    for at in range(found.end(), len(declaration)):
        depth += {"[": 1, "]": -1}.get(declaration[at], 0)
        if depth == 0:
            return text_tokens(declaration[found.end() : at], "go")
    return ()


def same_method_set(before: tuple[FileFacts, Definition], after: tuple[FileFacts, Definition]) -> bool:
    """Whether two interfaces ask for the same, whatever they call the parameters: (the file's facts, the interface)."""
    old, new = _asked_for(*before), _asked_for(*after)
    return (
        old.keys() == new.keys()
        and {text_tokens(each, "go") for each in before[1].bases}
        == {text_tokens(each, "go") for each in after[1].bases}
        and all(same_signature(old[name], new[name]) for name in old)
    )


def _asked_for(facts: FileFacts, interface: Definition) -> dict[str, Definition]:
    """The methods that an interface's own body declares."""
    return {
        each.name: each
        for each in facts.definitions
        if each.parent >= 0 and facts.definitions[each.parent].at == interface.at
    }

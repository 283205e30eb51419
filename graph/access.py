"""Whether a use may still be made where it stands, when a member gets another visibility or is no longer static.

For languages in which that is the language's own rule: a mistake ends the program (PHP), or does not compile
(TypeScript).
"""

from __future__ import annotations

from typing import Final

from graph import expressions as x
from graph.callers import Site
from graph.changes import ChangedDefinition
from graph.facts import Definition
from graph.hierarchy import CLASS_KINDS
from graph.languages.base import Language, Syntax
from graph.types import Anything, Instance
from graph.world import World

Access = tuple[bool | None, str | None]
OPEN: Final[Access] = (True, None)
UNKNOWN: Final[Access] = (None, None)
VISIBILITIES: Final = frozenset({"private", "protected"})
_PUBLIC, _PROTECTED, _PRIVATE = range(3)
_ANSWERING: Final = {"method": ("__call", "__callStatic"), "variable": ("__get", "__set")}
"""What a class answers with to uses of what they may not name, by the kind of member."""


def holds(language: Language) -> bool:
    """Whether visibility is held to in a language."""
    return language.global_names or (language.explicit_exports and not language.excess_arguments)


def is_narrower(was: Definition, now: Definition) -> bool:
    """Whether fewer places may name a member than before."""
    return _level(now) > _level(was)


def barred_from(after: World, changed: ChangedDefinition, site: Site) -> Access:
    """(False, why) when the use at `site` of the tree after the change is one that the change forbids; (True, None)
    when the change forbids nothing there, (None, None) when that isn't known."""
    was, now, path = changed.before, changed.after, changed.path
    if was is None or now is None or path is None or now.kind not in _ANSWERING:
        return OPEN
    parsed = after.inference.syntax(site.path)
    if parsed is None:
        return UNKNOWN
    if "static" in was.modifiers and "static" not in now.modifiers and _names_a_class(*parsed, site):
        return False, "calls it statically, and it is no longer static"
    if not is_narrower(was, now):
        return OPEN
    definitions = after.program.facts(path).definitions
    if changed.field_of is not None:
        owner = after.program.index_of(path, changed.field_of)
    else:
        owner = next((each.parent for each in definitions if each.at == now.at), -1)
    around = _classes_around(after, *parsed, site)
    if (path, owner) in around:
        return OPEN
    if owner < 0 or definitions[owner].kind not in ("class", "enum"):
        return UNKNOWN  # a trait's members are private or protected in the classes that use it
    if _is_let_in(after, (path, owner), now, site, around):
        return UNKNOWN
    if _level(now) == _PRIVATE:
        return False, "it is private now"
    found = _of_kin(after, (path, owner), around, parsed[0])
    return found if found != OPEN or parsed[0].global_names or _is_of_itself(*parsed, site) else UNKNOWN


def _level(member: Definition) -> int:
    return _PRIVATE if "private" in member.modifiers else _PROTECTED if "protected" in member.modifiers else _PUBLIC


def _is_of_itself(language: Language, syntax: Syntax, site: Site) -> bool:
    """Whether a member is taken of the instance, or of the class above, that the code belongs to: of another instance
    TypeScript lets a class take what is protected only if that is one of its own."""
    reference = language.reference(syntax, site.at)
    target = reference.target if reference is not None else None
    return not isinstance(target, x.Member) or isinstance(target.object, x.This | x.Super)


def _of_kin(after: World, owner: tuple[str, int], around: list[tuple[str, int]], language: Language) -> Access:
    """Whether what is protected in a class may be used within other classes: those that inherit it, and in PHP also
    those that it inherits, or that inherit what declared the member first."""
    hierarchy = after.inference.hierarchy
    if any(hierarchy.inherits(*each, owner) for each in around):
        return OPEN
    if any(hierarchy.may_inherit(*each, owner) for each in around):
        return UNKNOWN
    own = hierarchy.lineage(*owner)
    above = {(each.path, each.index) for each in own.ancestors if not each.interface}
    for each in around if language.global_names else ():
        line = hierarchy.lineage(*each)
        shared = above.intersection((one.path, one.index) for one in line.ancestors)
        if shared or (own.open and line.open):
            return UNKNOWN
    return False, "it is protected now"


def _is_let_in(
    after: World, owner: tuple[str, int], member: Definition, site: Site, around: list[tuple[str, int]]
) -> bool:
    """Whether something may let a use through that the visibility forbids."""
    parsed = after.inference.syntax(site.path)
    if parsed is None or parsed[0].may_bypass(parsed[1], site.at):
        return True
    language, syntax = parsed
    if not language.global_names:
        reference = language.reference(syntax, site.at)
        target = reference.target if reference is not None else None
        types = after.inference.types(site.path, target.object) if isinstance(target, x.Member) else ()
        return any(isinstance(each, Anything) for each in types)  # `(a as any).b`
    if any(after.program.facts(path).definitions[index].kind == "trait" for path, index in around):
        return True  # what is in a trait runs as a part of the classes that use it
    if member.name in language.constructor_names:
        return False
    hierarchy = after.inference.hierarchy
    if any(hierarchy.find(Instance(*owner), name)[0] for name in _ANSWERING[member.kind]):
        return True
    return member.kind == "variable" and hierarchy.lineage(*owner).open


def _classes_around(after: World, language: Language, syntax: Syntax, site: Site) -> list[tuple[str, int]]:
    """The class that a place belongs to; where all the classes around it count, those."""
    definitions = after.program.facts(site.path).definitions
    found = [language.enclosing_class(syntax, site.at)]
    if not language.global_names:
        found = [index for index, each in enumerate(definitions) if each.start <= site.at < each.end]
    return [(site.path, index) for index in found if index >= 0 and definitions[index].kind in CLASS_KINDS]


def _names_a_class(language: Language, syntax: Syntax, site: Site) -> bool:
    """Whether a call spells the class out (`Order::total()`), not `parent`, `self` or a variable."""
    reference = language.reference(syntax, site.at) if language.global_names else None
    target = reference.target if reference is not None else None
    return isinstance(target, x.Member) and isinstance(target.object, x.Name) and target.object.id.startswith("\\")

"""Whether a call may still be made where it stands, when its method gets another visibility or is no longer static.

For languages in which that is the language's own rule and a mistake ends the program (PHP).
"""

from __future__ import annotations

from graph import expressions as x
from graph.callers import Site
from graph.changes import ChangedDefinition
from graph.facts import Definition
from graph.hierarchy import CLASS_KINDS
from graph.world import World

Access = tuple[bool | None, str | None]
OPEN: Access = (True, None)
UNKNOWN: Access = (None, None)


def barred_from(after: World, changed: ChangedDefinition, site: Site) -> Access:
    """(False, why) when the call at `site` of the tree after the change is one that the change forbids; (True, None)
    when the change forbids nothing there, (None, None) when that isn't known."""
    was, now, path = changed.before, changed.after, changed.path
    if was is None or now is None or path is None or now.kind != "method":
        return OPEN
    if "static" in was.modifiers and "static" not in now.modifiers and _names_a_class(after, site):
        return False, "calls it statically, and it is no longer static"
    level, before = _level(now), _level(was)
    if level <= before:
        return OPEN
    owner = next((d.parent for d in after.program.facts(path).definitions if d.at == now.at), -1)
    if owner < 0 or after.program.facts(path).definitions[owner].kind not in ("class", "enum"):
        return UNKNOWN  # a trait's methods are private or protected in the classes that use it
    around = _class_around(after, site)
    if around == (path, owner):
        return OPEN
    if level == 2:
        return False, "it is private now"
    if around is None or not after.inference.hierarchy.inherits(*around, (path, owner)):
        return (False, "it is protected now") if around is None else UNKNOWN
    return OPEN


def _level(method: Definition) -> int:
    """0 for public, 1 for protected, 2 for private."""
    return 2 if "private" in method.modifiers else int("protected" in method.modifiers)


def _class_around(after: World, site: Site) -> tuple[str, int] | None:
    """The innermost class around a place; None when there is none."""
    parsed = after.inference.syntax(site.path)
    index = parsed[0].enclosing_class(parsed[1], site.at) if parsed is not None else -1
    definitions = after.program.facts(site.path).definitions
    return (site.path, index) if index >= 0 and definitions[index].kind in CLASS_KINDS else None


def _names_a_class(after: World, site: Site) -> bool:
    """Whether a call spells the class out (`Order::total()`), not `parent`, `self` or a variable."""
    parsed = after.inference.syntax(site.path)
    reference = parsed[0].reference(parsed[1], site.at) if parsed is not None else None
    target = reference.target if reference is not None else None
    return isinstance(target, x.Member) and isinstance(target.object, x.Name) and target.object.id.startswith("\\")

"""Whether a place that reached what a change removes, or moves, reaches anything after it."""

from __future__ import annotations

import re
from typing import Literal

from graph import expressions as x
from graph.callers import Site
from graph.changes import ChangedDefinition
from graph.diff import DiffLines
from graph.inherited import owners, standing
from graph.languages.base import Language
from graph.redeclared import for_other_builds
from graph.types import External, Missing, Typed, Unresolved
from graph.world import World

_ABOVE = re.compile(rb"\bsuper\b|\bparent::|@override\b|\boverride\b|#\[\\?Override\]")
"""What a definition says that knows the same of a class above its own."""


class Answers:
    """Asks it of the tree `after` the change; `before` is the tree without it."""

    def __init__(self, before: World, after: World, lines: DiffLines) -> None:
        self._before = before
        self._after = after
        self._lines = lines
        self._missed: dict[tuple[str | None, int, str], bool] = {}

    def declared_elsewhere(self, changed: ChangedDefinition) -> bool:
        """Whether something else still declares the name, so that a mere match of names is no use of what is gone."""
        name = changed.definition.name
        return bool(self._after.candidates(changed.old_path or "").declaring(name))

    def is_likely_missed(self, changed: ChangedDefinition, language: Language) -> bool:
        """`_is_likely_gone`, worked out once for all who use it."""
        key = changed.old_path, changed.definition.at, changed.definition.qualified
        if key not in self._missed:
            self._missed[key] = self._is_likely_gone(changed, language)
        return self._missed[key]

    def _is_likely_gone(self, changed: ChangedDefinition, language: Language) -> bool:
        """Whether a member is gone from a class that is still there, and a base that is not known, of this class or of
        one that had the member from it, is not likely to have just this: where many classes have it, or it asked for
        what is above it, it may come from there."""
        definition, path = changed.definition, changed.path
        owner = definition.qualified.rpartition(".")[0]
        if path is None or not owner or changed.old_path is None:
            return False
        if changed.field_of is None and definition.name in language.common_names:
            return False
        body = self._before.snapshot.read(changed.old_path)[definition.start : definition.end]
        if _ABOVE.search(body) is not None:
            return False
        return bool(owners(self._after, path, definition))

    def answer(self, site: Site, changed: ChangedDefinition) -> Literal["yes", "no", "unknown"]:
        """Whether the place, unchanged, reaches a definition in the tree after the change: it moved, is passed on, or
        is declared by an ancestor."""
        after = self._after
        if site.stands_for is not None:
            now = self._lines.moved_on(site.path, site.line)
            if now is None:
                return "no"
            if now[0] != site.path and after.program.language(now[0]) is not None:
                return "unknown"  # code that does not spell it: the name of its own class tells, which moved with it
            named = after.inference.denote(changed.path or changed.old_path or "", site.stands_for)
            return "no" if all(isinstance(each, Missing | Unresolved | External) for each in named) else "yes"
        stands = standing(site, self._before, after, self._lines)
        if stands is None:
            return "no"
        path, language, syntax, at = stands
        reference = language.reference(syntax, at)
        if reference is None:  # `super()` finds what is further up, or nothing that it needs
            return "yes" if syntax.source.startswith(b"super", at) else "no"
        if reference.kind == "import":
            imported = syntax.facts.imports[reference.import_index] if reference.import_index >= 0 else None
            found = after.inference.imported(path, imported) if imported is not None else ()
        else:
            found = after.inference.denote(path, reference.target)
            outside = bool(found) and all(isinstance(each, External) for each in found)
            if outside and language.structural and isinstance(reference.target, x.Member):
                return "unknown" if changed.definition.exported else "no"  # what its type embeds may have it
            if language.package_scope and found == (External(reference.name),):
                # a bare name that its package declared
                return "yes" if self._may_come_from_outside(path) else "no"
        if found and language.global_names and all(isinstance(each, External) for each in found):
            return "no"  # a full name that nothing in the tree declares any more
        if found and all(isinstance(each, Missing | Unresolved) for each in found):
            return "no"
        if found and changed.path is not None and for_other_builds(found, changed.path, after.program):
            return "no"
        return "unknown" if all(isinstance(each, Typed) for each in found) else "yes"

    def _may_come_from_outside(self, path: str) -> bool:
        """Whether the file takes over all names of something that is not in the repository."""
        names = self._after.inference.names
        imports = self._after.program.facts(path).imports
        return any(each.kind == "star" and not names.resolve(path, each.module).paths for each in imports)

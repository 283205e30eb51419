"""A changed definition becomes a symbol of the briefing: its callers outside the diff and whether they still fit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

import msgspec

from graph.access import is_narrower
from graph.answers import Answers
from graph.bases import Bases
from graph.briefing import UNKNOWN_BASE, Caller, NotFollowed, Symbol
from graph.callers import Callers, Site, Target
from graph.changes import ChangedDefinition
from graph.contracts import Contracts, takes_as_much
from graph.diff import DiffLines, FileChange
from graph.facts import Definition, FileFacts
from graph.generated import Generated, with_differing_fields
from graph.hierarchy import is_named_as_type
from graph.inherited import inherited
from graph.languages import family_of, language_of
from graph.languages.base import Language
from graph.literal_uses import LiteralUses
from graph.quoting import quoted
from graph.redeclared import redeclared, same_method_set, same_signature, same_type_parameters
from graph.signatures import compatible_group, takes_lists, takes_type_arguments, visible
from graph.type_meanings import TypeMeanings
from graph.type_spellings import same_type
from graph.verdicts import Verdicts
from graph.world import World


def target_of(world: World, path: str, definitions: Sequence[Definition]) -> Target | None:
    """The target for definitions of the file at `path` in this world."""
    wanted = {(each.at, each.qualified) for each in definitions}
    indices = tuple(sorted({index for each in wanted for index in world.program.standing_at(path, *each)}))
    return Target(path, indices) if indices else None


class SymbolMaker:
    """Makes the symbols of one pull request. `after` is the tree at the head (or merge), `before` the same tree with
    the pull request's files put back to the merge base."""

    def __init__(
        self,
        before: World,
        after: World,
        changes: Sequence[FileChange],
        merged: Mapping[str, FileFacts] | None = None,
    ) -> None:
        """`merged`: the facts of files as they are in the merge, where both sides edited them."""
        self._merged = merged or {}
        self._before = before
        self._after = after
        self._lines = DiffLines(changes)
        self._gone: dict[str, set[str]] = {}
        self._verdicts = Verdicts(before, after)
        self._bases = Bases(before, after)
        self._generated = Generated(before, after)
        self._meanings = TypeMeanings(before, after)
        self._uses = LiteralUses(before, after)
        self._contracts = Contracts(before, after, self._lines)
        self._answers = Answers(before, after, self._lines)

    def search(self, changed: Sequence[ChangedDefinition]) -> None:
        """Search for all words that are known before anything is resolved, in one go for both trees: those of the
        definitions' names and of the files that import the changed ones. Loads nothing."""
        words: dict[str, set[str]] = {}
        example: dict[str, str] = {}
        for world, paths, removed in (
            (self._after, self._lines.new_paths, False),
            (self._before, self._lines.old_paths, True),
        ):
            for path in paths:
                if (family := family_of(path)) is not None:
                    example.setdefault(family, path)
                    words.setdefault(family, set()).update(world.candidates(path).module_words(path))
            for each in changed:
                target = self._target(each, removed=removed)
                if each.field_of is not None and (each.change == "removed") == removed:
                    path = each.path or each.old_path or ""
                    words.setdefault(family_of(path) or "", set()).add(each.definition.name)
                if target is not None and each.change != "added" and (each.change == "removed") == removed:
                    search = world.callers(target.path)
                    wanted = words.setdefault(family_of(target.path) or "", set())
                    wanted.update(search.searched_words(target))
        for family, path in example.items():
            for world in (self._after, self._before):
                world.candidates(path).search(words[family])
                world.callers(path).search_beside(
                    target
                    for each in changed
                    if each.change != "added"
                    and (each.change == "removed") == (world is self._before)
                    and (target := self._target(each, removed=world is self._before)) is not None
                    and family_of(target.path) == family
                )

    def prefetch(self, changed: Sequence[ChangedDefinition]) -> None:
        """Load the files that name the targets."""
        others = redeclared(changed, self._merged, self._after.program)
        for world in (self._after, self._before):
            world.redeclared.update(others)
        self._meanings.moved.update(_moved(changed))
        for each in changed:
            if each.change == "removed" and each.old_path is not None:
                self._gone.setdefault(each.old_path, set()).add(each.definition.qualified)
        for world, side in ((self._after, False), (self._before, True)):
            sought = [each for each in changed if (each.change == "removed") == side and self._is_sought(each)]
            targets = [self._target(each, removed=side) for each in sought]
            world.load_first(target for target in targets if target is not None)

    def _target(self, changed: ChangedDefinition, *, removed: bool) -> Target | None:
        if removed:
            return None if changed.old_path is None else target_of(self._before, changed.old_path, changed.befores)
        return None if changed.path is None else target_of(self._after, changed.path, changed.afters)

    def _is_sought(self, changed: ChangedDefinition) -> bool:
        """Whether callers are looked for: not of what is new, nor of the constructor of a class that goes with it (the
        class's own uses tell it all)."""
        if changed.change == "removed" and changed.old_path is not None:
            language = language_of(changed.old_path)
            definition = changed.definition
            if language is not None and definition.name in language.constructor_names:
                return definition.qualified.rpartition(".")[0] not in self._gone.get(changed.old_path, ())
        return changed.change != "added" or self._takes_over(changed)

    def _takes_over(self, changed: ChangedDefinition) -> bool:
        """Whether a new definition has the name under which its file passed something else on (`from lib import X`
        before `class X(X)`): who uses that name uses the definition now."""
        definition = changed.definition
        if changed.old_path is None or definition.parent >= 0 or changed.local:
            return False
        facts = self._before.program.facts(changed.old_path)
        language = language_of(changed.old_path)
        explicit = language is None or language.explicit_exports
        return any(
            definition.name == (each.exported_as if explicit else each.local) and each.top for each in facts.imports
        )

    def symbol(self, changed: ChangedDefinition) -> Symbol:
        """The symbol with its callers, sorted."""
        changed = self._generated.with_generated(self._bases.with_same_bases(changed))
        definition = changed.definition
        world = self._before if changed.change == "removed" else self._after
        path = changed.old_path if changed.change == "removed" else changed.path
        assert path is not None
        language = world.program.language(path)
        assert language is not None
        signature = changed.before is not None and changed.after is not None and changed.change == "signature"
        compared = self._meanings.comparable(changed) if signature else changed
        # Whether those who read a field of another type can take that, nothing tells.
        verdict = self._verdict(compared, language) if signature and changed.field_of is None else None
        if changed.field_of is not None and signature and is_narrower(changed.befores[0], changed.afters[0]):
            verdict = False
        signature_of_fields = signature and definition.kind == "class" and definition.parameters is not None
        callers: tuple[Caller, ...] = ()
        not_followed = NotFollowed()
        target = self._target(changed, removed=changed.change == "removed") if self._is_sought(changed) else None
        if changed.field_of is not None:
            callers = tuple(self._field_callers(changed, changed.field_of, verdict, language, world))
        elif target is not None:
            found = world.callers(target.path).find(target)
            if signature_of_fields:
                sites = (*found.sites, *world.callers(target.path).by_fields(target))
                found = msgspec.structs.replace(found, sites=sites)
            if verdict and language.structural and self._must_be_its_type(changed, found.sites):
                verdict = False
            if verdict is False or changed.change == "removed" or _gives_more(changed):
                found = Callers(
                    (*found.sites, *world.callers(target.path).overrides(target, gone=changed.change == "removed")),
                    found.noise,
                    found.unresolved_receivers,
                )
            if changed.only_fields:
                whole = tuple(each for each in found.sites if each.by_position or each.kind == "call")
                found = Callers(whole, 0, 0)
            callers = tuple(self._callers(compared, target, found, verdict, language, world))
            if changed.change == "added":  # who names it anew knows it
                callers = tuple(each for each in callers if not self._lines.is_in_diff(each.path))
            if why := self._why_left_behind(changed):
                behind = self._left_behind(changed, why, language)
                callers = (*callers, *behind)
                verdict = False if behind and verdict is not None else verdict
            literals = self._literal_uses(changed, found.sites, callers)
            told = {(each.path, each.line) for each in literals}  # the line names the type, too
            callers = (
                *(each for each in callers if each.kind != "type" or (each.path, each.line) not in told),
                *literals,
            )
            if changed.change == "removed" or signature:
                was = self._target(changed, removed=True)
                callers = (*callers, *(self._contracts.broken(changed, was, language) if was is not None else ()))
            not_followed = NotFollowed(noise=found.noise, unresolved_receivers=found.unresolved_receivers)
        elif changed.change == "added" and _must_be_had(world, path, definition, language):
            asked = self._target(changed, removed=False)
            if asked is not None:
                lacking = Callers(world.callers(asked.path).lacking(asked), 0, 0)
                callers = tuple(self._callers(changed, asked, lacking, None, language, world))
        facts = world.program.facts(path)
        return Symbol(
            name=definition.name,
            qualified=definition.qualified,
            kind=definition.kind,
            line=definition.line,
            end_line=definition.end_line,
            change=changed.change,
            public=not changed.local and language.is_public(facts, definition),
            compatible=verdict,
            renamed_to=changed.renamed_to,
            before=with_differing_fields(
                _declared(changed.before, changed.befores, changed.afters), changed.before, changed.after
            ),
            after=with_differing_fields(
                _declared(changed.after, changed.afters, changed.befores), changed.after, changed.before
            ),
            callers=callers,
            not_followed=not_followed,
        )

    def only_declares(self, changed: ChangedDefinition) -> bool:
        """Whether there is nothing to run in a definition: it only says what others do."""
        after = changed.after
        if after is None or changed.path is None or after.kind != "method":
            return False
        return self._after.program.facts(changed.path).only_declares(after)

    def _verdict(self, changed: ChangedDefinition, language: Language) -> bool | None:
        """Whether every call that fitted the old signature fits the new one, and of a type alias, every use.
        None where it isn't known, or a framework makes the calls."""
        assert changed.before is not None
        assert changed.after is not None
        if not language.injected_decorators.isdisjoint((*changed.before.decorators, *changed.after.decorators)):
            return None
        if changed.before.kind == changed.after.kind == "type":
            return self._uses.compatible(changed) if takes_type_arguments(changed.before, changed.after) else False
        if _became_callable(changed.before, changed.after) or _became_callable(changed.after, changed.before):
            return None  # whether it was called before, and how it is now, nothing tells
        if language.structural:
            settled = self._by_declarations(changed, changed.before, changed.after)
            if settled != "open":
                return {"compatible": True, "incompatible": False}.get(settled)
        return compatible_group(
            changed.befores or (changed.before,),
            changed.afters or (changed.after,),
            named=language.named_arguments and "setter" not in changed.after.modifiers,
            excess_ok=language.excess_arguments,
            skip_first=(language.binds_receiver(changed.before), language.binds_receiver(changed.after)),
        )

    def _by_declarations(
        self, changed: ChangedDefinition, before: Definition, after: Definition
    ) -> Literal["compatible", "incompatible", "unknown", "open"]:
        """The verdict where types implement interfaces without saying so, as far as the parameters don't tell it."""
        if not same_type_parameters(before, after):
            return "incompatible"
        if before.kind == after.kind == "interface" and changed.old_path is not None and changed.path is not None:
            old, new = self._before.program.facts(changed.old_path), self._after.program.facts(changed.path)
            return "compatible" if same_method_set((old, before), (new, after)) else "incompatible"
        if before.parameters is None and before.kind in ("variable", "constant"):
            return "unknown"  # of another type now, or of a type that is written now
        if not (same_type(before.returns, after.returns) and takes_lists(before, after)):
            return "incompatible"
        return "open"

    def _must_be_its_type(self, changed: ChangedDefinition, sites: Sequence[Site]) -> bool:
        """Whether the parameters are others, and just those of before are asked for: where the function is passed on as
        a value, and of what implements an interface's method. Calls alone ask for less."""
        if changed.definition.parameters is None or self._meanings.same_parameters(changed):
            return False
        return self._after.program.facts(changed.path or "").is_of_interface(changed.definition) or any(
            site.kind in ("argument", "value") and not self._lines.touched(site.path, site.line) for site in sites
        )

    # ------------------------------------------------------------------------------------------------------ callers

    def _callers(
        self,
        changed: ChangedDefinition,
        target: Target,
        found: Callers,
        verdict: bool | None,
        language: Language,
        world: World,
    ) -> list[Caller]:
        qualified = changed.definition.qualified
        own = [each for each in world.program.facts(target.path).definitions if each.qualified == qualified]
        kept: dict[tuple[str, int, str], Caller] = {}
        for site in found.sites:
            # Recursion is no caller, unless it no longer fits.
            recursive = site.path == target.path and any(each.start <= site.at < each.end for each in own)
            if recursive and verdict is not False:
                continue
            if site.kind == "type" and not is_named_as_type(changed.definition, language):
                continue
            if changed.local and site.kind == "value" and _is_around(world, target, site):
                continue  # `return wrapper`: the function around it changed with it, and has callers of its own
            caller = self._caller(changed, site, verdict, language, world)
            if caller is None or (recursive and caller.fits is not False):
                continue
            key = (caller.path, caller.line, caller.kind)
            known = kept.get(key)
            if known is None or (caller.sure, caller.fits is False) > (known.sure, known.fits is False):
                kept[key] = caller
        return sorted(kept.values(), key=lambda each: (each.kind == "type", each.path, each.line, each.kind))

    def _field_callers(
        self, changed: ChangedDefinition, owner: Definition, verdict: bool | None, language: Language, world: World
    ) -> list[Caller]:
        """Who reads a changed field."""
        path = changed.old_path if changed.change == "removed" else changed.path
        target = target_of(world, path, (owner,)) if path is not None and changed.change != "added" else None
        if target is None:
            return []
        field = changed.definition.qualified.rpartition(".")[2]  # with the sign before it, where fields have one
        found = world.callers(target.path).field(target.path, target.indices[0], field, written=verdict is False)
        return self._callers(changed, target, found, verdict, language, world)

    def _caller(
        self, changed: ChangedDefinition, site: Site, verdict: bool | None, language: Language, world: World
    ) -> Caller | None:
        path, line = site.path, site.line
        fit: bool | None = None
        misfit: str | None = None
        if changed.change == "removed":
            now = self._lines.moved_on(path, line)
            answer = "no" if site.via == "override" else self._answers.answer(site, changed)
            instead = inherited(site, changed, self._before, self._after, self._lines) if answer == "yes" else None
            if instead is not None:
                return instead.caller(*self._verdicts.fit(instead.changed, instead.site))
            if answer == "unknown" and site.sure and self._answers.is_likely_missed(changed, language):
                answer, site = "no", msgspec.structs.replace(site, sure=False, reason=UNKNOWN_BASE)
            if now is None or not (answer == "no" or (answer == "unknown" and site.missed)):
                return None
            if not site.sure and site.via != "override" and self._answers.declared_elsewhere(changed):
                return None
            path, line = now
            fit = False if site.sure and site.via != "override" else None
        elif self._lines.touched(path, line):
            return None
        elif site.via == "override":
            override = self._override(site, world)
            if override is None or any(
                self._lines.touched(path, each)
                for each in range(override.first_line, override.line + override.declaration.count("\n") + 1)
            ):
                return None
            fit = None if _gives_more(changed) else self._still_overrides(changed, override, language)
            fit = False if site.lacks is not None and site.sure else fit
            misfit = f"it has no {site.lacks}" if site.lacks is not None else None
        elif site.kind == "base" and language.structural and changed.definition.kind == "interface":
            fit = True  # what embeds an interface has the methods that it has
        elif site.kind == "base" and site.call_at < 0 and changed.change == "signature":
            fit, misfit = self._bases.fit(changed)
            if changed.definition.parameters is not None and site.sure:
                disorder = self._generated.disorder(path, self._after.program.innermost(path, site.at))
                fit, misfit = (False, disorder) if disorder is not None else (fit, misfit)
        elif site.kind not in ("type", "import") and not language.explicit_exports and self._bases.are_all(changed):
            fit = True  # it is constructed as it was, or passed itself (`isinstance(a, C)`), whatever its bases
        elif verdict is False:
            judged = changed if site.made is None else self._generated.of(*site.made)
            if judged is not None and self._verdicts.is_adapted(judged, site, self._lines.touch):
                return None  # the diff shows it: only the call's first line is not in it
            fit, misfit = self._verdicts.fit(judged, site) if judged is not None else (None, None)
        return Caller(
            path=path,
            line=line,
            kind=site.kind,
            sure=site.sure,
            reason=site.reason,
            via=site.via,
            within=site.within,
            fits=fit,
            misfit=misfit,
        )

    def _literal_uses(
        self, changed: ChangedDefinition, sites: Sequence[Site], callers: Sequence[Caller]
    ) -> list[Caller]:
        """Object literals outside the diff that the changed type no longer takes."""
        known = {(each.path, each.line, each.kind) for each in callers}
        found: dict[tuple[str, int, str], Caller] = {}
        for use in self._uses.misfits(changed, sites):
            site = use.site
            key = (site.path, site.line, site.kind)
            if key not in known and not self._lines.touched(site.path, site.line):
                found[key] = Caller(
                    path=site.path,
                    line=site.line,
                    kind=site.kind,
                    sure=True,
                    reason=use.through,
                    via=site.via,
                    within=site.within,
                    fits=False,
                    misfit=use.why,
                )
        return [found[key] for key in sorted(found)]

    def _why_left_behind(self, changed: ChangedDefinition) -> str | None:
        """Why other files may no longer find the definition by the name they know, though it is still there."""
        if changed.before is None or changed.after is None:
            return None
        old_path = changed.old_path
        if old_path is not None and old_path != changed.path and old_path in self._after.snapshot:
            return f"{quoted(old_path)} no longer has it"
        if changed.before.exported and not changed.after.exported:
            return "it is no longer exported"
        gone = self._export_names(self._before, changed.old_path, changed.before) - self._export_names(
            self._after, changed.path, changed.after
        )
        if gone:
            names = ", ".join("default" if each == "default" else quoted(each) for each in sorted(gone))
            return f"it is no longer exported as {names}"
        return None

    def _export_names(self, world: World, path: str | None, definition: Definition) -> set[str]:
        """The names under which its own file passes a definition on; empty where every name is passed on."""
        if path is None:
            return set()
        return {each.exported for each in world.program.facts(path).exports_of(definition)}

    def _left_behind(self, changed: ChangedDefinition, why: str, language: Language) -> list[Caller]:
        """Uses, outside the diff, that found the definition before and find nothing now."""
        target = self._target(changed, removed=True)
        found: dict[tuple[str, int, str], Caller] = {}
        for site in self._before.callers(target.path).find(target).sites if target is not None else ():
            if not site.sure or site.kind == "import" or site.path == changed.old_path:
                continue
            if site.kind == "type" and not is_named_as_type(changed.definition, language):
                continue
            now = self._lines.moved_on(site.path, site.line)
            if now is not None and not self._still_answers(site, changed):
                found[now[0], now[1], site.kind] = Caller(
                    path=now[0],
                    line=now[1],
                    kind=site.kind,
                    sure=True,
                    reason=site.reason,
                    via=site.via,
                    within=site.within,
                    fits=False,
                    misfit=why,
                )
        return list(found.values())

    def _override(self, site: Site, world: World) -> Definition | None:
        """The definition that an override's site names."""
        return next((each for each in world.program.facts(site.path).definitions if each.at == site.at), None)

    def _still_overrides(self, changed: ChangedDefinition, override: Definition, language: Language) -> bool | None:
        """Whether the override takes every call that the changed definition takes, by its parameters' shape. True or
        not known: written types are not compared."""
        after = changed.after
        if after is None or after.parameters is None or override.parameters is None:
            return None
        if language.structural:
            return True if same_signature(after, override) else None
        fits = takes_as_much(after, override, language)
        return True if fits else None

    def _still_answers(self, site: Site, changed: ChangedDefinition) -> bool:
        """Whether the place, unchanged, may still reach a definition in the tree after the change. False only when the
        name is certain to be gone."""
        return self._answers.answer(site, changed) != "no"


def _gives_more(changed: ChangedDefinition) -> bool:
    """Whether the result is declared otherwise: what calls it may take that, and what takes its place lack it."""
    before, after = changed.before, changed.after
    if changed.change != "signature" or before is None or after is None:
        return False
    return not same_type(before.returns, after.returns)


def _must_be_had(world: World, path: str, definition: Definition, language: Language) -> bool:
    """Whether classes must have a method: an abstract one, or one of an interface, where that is checked before
    anything runs."""
    if not (language.global_names or language.explicit_exports) or definition.kind != "method":
        return False
    if "abstract" in definition.modifiers:
        return True
    return world.program.facts(path).is_of_interface(definition) and "optional" not in definition.modifiers


def _is_around(world: World, target: Target, site: Site) -> bool:
    """Whether the place is in the function that the target is declared in."""
    definitions = world.program.facts(target.path).definitions
    parent = definitions[target.indices[0]].parent
    return site.path == target.path and parent >= 0 and definitions[parent].start <= site.at < definitions[parent].end


def _moved(changed: Iterable[ChangedDefinition]) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    """(path, qualified name) before the change and after it, of what has another one."""
    for each in changed:
        if each.before is None or each.old_path is None:
            continue
        path = each.path or each.old_path
        name = each.renamed_to or (each.after.qualified if each.after is not None else None)
        if name is not None and (path, name) != (each.old_path, each.before.qualified):
            yield (each.old_path, each.before.qualified), (path, name)


def _became_callable(before: Definition, after: Definition) -> bool:
    """Whether a mere value is now something that is called or rendered."""
    return (
        before.kind in ("constant", "variable")
        and before.parameters is None
        and after.kind in ("function", "component")
    )


def _declared(speaker: Definition | None, own: Sequence[Definition], others: Sequence[Definition]) -> str | None:
    """The declaration to show; of overloads, those that the other side does not have, word for word."""
    if speaker is None or max(len(own), len(others)) < 2:
        if speaker is None or len(others) != 1 or speaker.declaration != others[0].declaration:
            return speaker.declaration if speaker is not None else None
        decorators = "".join(
            f"@{each}\n" for each in speaker.decorators if each not in others[0].decorators and each[:1] != "\\"
        )
        return decorators + speaker.declaration
    kept = {each.declaration for each in others}
    differing = list(dict.fromkeys(each.declaration for each in visible(own) if each.declaration not in kept))
    return "\n".join(differing) if differing else speaker.declaration

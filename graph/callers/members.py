"""Members of classes: sought through receivers whose type is known, and, name-only, where it is not."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache, partial
from typing import cast

from graph import expressions as x
from graph.callers.names import CROWDED, MAX_WORDS, NameSearch
from graph.callers.sites import Seen, Target
from graph.callers.stand_ins import may_stand_in
from graph.candidates import Use
from graph.expressions import Binding
from graph.git import encode
from graph.hierarchy import CLASS_KINDS
from graph.languages.base import GlobalLanguage, Language
from graph.types import ClassObject, Denotation, External, Field, FunctionObject, Instance, Local, Symbol

MAX_RIVALS = 2
"""Classes that may declare a method's name besides its own family, for it still to count on an untyped receiver."""

MAX_MEMBERS = 100
"""Members of an interface that are compared with those of a class."""

MANY_WORDS = 3
"""Words in a method's name from which on it is likely to be nobody else's."""

MAX_DECLARING = 24
"""Files that declare a method's name, from which on an untyped receiver says nothing."""

_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
"""The words in a name of several."""

_TAKEN_APART = re.compile(rb"[ \t]*+(?:[?!]?\.(\w+)|\[|[=!]==?|(?:is|in|not)\b)")
"""What takes a value apart or compares it. The group is the member that is taken of it."""
_OF_FUNCTIONS = re.compile(
    rb"__\w+__|apply|apply_async|assert_\w+|bind|call(?:ed)?|attach_mock|call_\w+|cache_\w+|defer|delay|fn|func|map|options|remote|retry|send|starmap|submit|mock\w*|method_calls"
    rb"|return_value|s|si|side_effect|signature|await_\w+|reset_mock"
)
"""Members that functions have, and what stands for them in tests."""

_HOLDER = re.compile(rb"(\w+)\??[ \t]*(?::=|:|=(?!=))")
"""What a line assigns or declares before a class is named on it."""


def _never() -> bool:
    return False


def _always() -> bool:
    return True


class MemberSearch(NameSearch):
    """Follows members of classes."""

    def _is_keyed(self, target: Target) -> bool:
        """Whether files must hold a second word besides the name: a method whose name is common, everywhere or here."""
        name = self._definition(target).name
        if self._owner(target) < 0:
            return False
        language = self._language(target)
        if language.global_names and name in language.constructor_names:
            return False  # its class is what is named
        if name in language.common_names:
            return True
        return name not in language.keywords and self._candidates.held_by(name) >= CROWDED

    def _keys(self, target: Target) -> frozenset[str]:
        """Words of which a file that calls a method of a common name must hold one: the class, what inherits it, what
        it inherits, and the names of what is declared or assigned to yield one of these, one level."""
        return self._class_keys(target.path, self._owner(target), self._language(target))

    def _class_keys(self, path: str, index: int, language: Language, *, yielding: bool = True) -> frozenset[str]:
        classes = [*self._family(path, index), *self.subclasses(path, index)]
        words = {self._program.facts(path).definitions[index].name for path, index in classes}
        return frozenset(words | self._yielding(words, language)) if yielding else frozenset(words)

    def _yielding(self, classes: set[str], language: Language) -> set[str]:
        """Names of functions declared to return one of the classes, and of what a line assigns or declares with it."""
        found: set[str] = set()
        if language.global_names:  # the text alone tells: nothing is parsed for it
            self._candidates.search(sorted(classes))
            for word in sorted(classes):
                for path in self._candidates.texts(word):
                    source = self._program.tree.read(path)
                    found.update(cast(GlobalLanguage, language).yielding(source, word))
            return found
        self._candidates.prefetch(sorted(classes))
        for word in sorted(classes):
            known = self._yields.get(word)
            if known is None:
                known = self._yields[word] = self._yielding_one(word)
            found |= known
        return found

    def _yielding_one(self, word: str) -> frozenset[str]:
        found: set[str] = set()
        name = encode(word)
        place = re.compile(rb"\b" + re.escape(name) + rb"\b")
        for path in self._candidates.naming(word):
            facts = self._program.facts(path)
            found.update(each.name for each in facts.definitions if each.returns and word in each.returns)
            source = self._program.tree.read(path)
            at = source.find(name)
            while at >= 0:
                start = source.rfind(b"\n", 0, at) + 1
                if place.match(source, at) is not None and (b"=" in source[start:at] or b":" in source[start:at]):
                    found.update(held.decode("utf-8", "replace") for held in _HOLDER.findall(source, start, at))
                at = source.find(name, at + len(name))
        return frozenset(found)

    def _method(self, target: Target, owner: int, seen: Seen, use: Use) -> None:
        """A member of a class: reached through receivers of its class, of what inherits it, and, name-only, of what it
        inherits the name from."""
        definition = self._definition(target)
        wanted = {(target.path, index) for index in target.indices}
        inherited = self._inherited_names(target, owner)
        above = frozenset(self._family(target.path, owner)[1:])
        common = self._is_keyed(target)
        # Where nobody else names it, no keys are needed: its own file has one of them.
        knowing = self._knowing(target)
        outside = common and knowing is None and self._candidates.named_outside(definition.name, use, target.path)
        keys = self._keys(target) if outside else frozenset()
        own = (target.path, owner)
        near = self._near_words(target, owner)
        # Asked only where a place leaves it open: it may take many files to tell.
        crowded = _always if common else cache(partial(self._is_crowded, definition.name))
        # What nobody declares any more may be anybody's, unless its name is like no other.
        sought = not self.gone or self._is_missed(target, owner)
        rare = cache(partial(self._is_rare, target, owner)) if sought else _never
        spellings = self._spellings(definition)
        names = [definition.name, *sorted(spellings)]
        for name in names:  # grows while classes take the method over under other names
            accept = partial(self._may_spell, definition, name) if name in spellings else None
            paths = self._candidates.naming(name, keys, accept, use=use, within=knowing)
            # In its own class a member may be named without what it is a member of.
            for path in sorted({*paths, target.path}) if use in ("member", "attribute") and accept is None else paths:
                if self._stop():
                    return
                for at in self._places(path, name):
                    self._member_place(
                        path,
                        at,
                        wanted,
                        inherited,
                        above,
                        own,
                        seen,
                        crowded=crowded,
                        near=near,
                        rare=rare,
                        names=names,
                    )

    def _is_crowded(self, name: str) -> bool:
        """Whether so many files declare the name that an untyped receiver says nothing."""
        return self._candidates.is_declared_often(name, MAX_DECLARING)

    def _is_rare(self, target: Target, owner: int) -> bool:
        """Whether at most MAX_RIVALS classes besides the target's own and its relatives declare the name: an untyped
        receiver that is asked for it is then most likely one of these."""
        name = self._definition(target).name
        family = set(self._family(target.path, owner))
        rivals: set[tuple[str, int]] = set()
        for path in self._candidates.each_declaring(name):
            for parent, names in self._program.members(path).items():
                if name not in names or (path, parent) in family:
                    continue
                if parent < 0 or self._program.facts(path).definitions[parent].kind not in CLASS_KINDS:
                    continue
                lineage = self._inference.hierarchy.lineage(path, parent)
                if not any((each.path, each.index) in family for each in lineage.ancestors):
                    rivals.add((path, parent))
                    if len(rivals) > MAX_RIVALS:
                        return False
        return True

    def _is_missed(self, target: Target, owner: int) -> bool:
        """Whether a call of a method that is gone is missed wherever it stands: its class takes it from nobody outside,
        and its name is of so many words, in so few files, that nothing else is likely to have it."""
        definition = self._definition(target)
        if definition.kind != "method" or len(_PARTS.findall(definition.name)) < MANY_WORDS:
            return False
        if self._candidates.held_by(definition.name) > MAX_DECLARING:
            return False
        return not self._inference.hierarchy.lineage(target.path, owner).open

    def _near_words(self, target: Target, owner: int) -> frozenset[str]:
        """Names of which a file must hold one for an untyped receiver to count: the class and its relatives."""
        words = {self._program.facts(path).definitions[index].name for path, index in self._family(target.path, owner)}
        return frozenset(words)

    def _inherited_names(self, target: Target, owner: int) -> dict[tuple[str, int], str]:
        """Definitions of the same name in ancestors, which the target overrides or implements -> their class's name."""
        name = self._definition(target).name
        found: dict[tuple[str, int], str] = {}
        for path, index in self._family(target.path, owner)[1:]:
            if (path, index) == (target.path, owner):
                continue
            for each in self._program.members(path).get(index, {}).get(name, ()):
                found[path, each] = self._program.facts(path).definitions[index].name
        return found

    def _member_place(
        self,
        path: str,
        at: int,
        wanted: set[tuple[str, int]],
        inherited: dict[tuple[str, int], str],
        above: frozenset[tuple[str, int]],
        own: tuple[str, int],
        seen: Seen,
        *,
        crowded: Callable[[], bool],
        near: frozenset[str],
        rare: Callable[[], bool],
        names: list[str],
    ) -> None:
        if path in self._deleted and self._only_runs(path, at):
            return
        reference = self._reference(path, at)
        if reference is None or reference.kind == "import":
            return
        if not self._runs(reference, wanted):
            return
        found = self._denote(path, reference.target)
        bound = any(isinstance(each, Symbol) and self._takes_receiver(each) for each in found)
        if any(isinstance(each, Symbol) and (each.path, each.index) in wanted for each in found):
            cast = self._is_cast_away(path, reference.target)
            reason = "through a cast that hides the type" if cast else None
            self._add(seen, path, reference, sure=not cast, reason=reason, bound=bound)
            if reference.given is not None and reference.given not in names and len(names) < MAX_WORDS:
                names.append(reference.given)
            alias = self._alias(path, reference)
            if alias >= 0 and (path, alias) not in seen.followed:
                seen.followed.add((path, alias))
                self._named(Target(path, (alias,)), seen)
            return
        for each in found:
            if (
                isinstance(each, Symbol)
                and (each.path, each.index) in inherited
                and self._may_dispatch(path, reference, each, above)
            ):
                base = inherited[each.path, each.index]
                reason = f"through {base}.{reference.name}, which it overrides"
                self._add(seen, path, reference, sure=False, reason=reason, via="interface", bound=bound)
                return
        through = self._through_field(path, found, wanted)
        if through is not None:
            self._add(seen, path, reference, sure=True, reason=f"through {through}", bound=True)
            return
        shape = None if crowded is _always else self._shape_of(found, own)
        if shape is not None and not crowded():
            reason = f"through {shape}.{reference.name}, whose shape the class has"
            self._add(seen, path, reference, sure=False, reason=reason, via="interface", bound=bound)
            return
        if not isinstance(reference.target, x.Member):
            return
        mixin = self._mixin(path, reference.target, found, above)
        if mixin is not None:
            reason = f"through a subclass of {mixin}"
            self._add(seen, path, reference, sure=False, reason=reason, via="interface", bound=True)
            return
        if not self._is_open(found) or isinstance(reference.target.object, x.Super):
            return
        if self._is_unrelated(path, reference.target.object, own):
            return
        if crowded() or not self._may_be_method(path, reference, wanted):
            seen.noise += 1
            return
        close = path == own[0] or not near.isdisjoint(self._program.facts(path).names)
        known = not self._is_from_outside(path, reference.target.object)
        missed = self.gone and reference.kind == "call" and known and rare()
        if close or missed or (known and not self.gone and rare()):
            self._add(seen, path, reference, sure=False, reason="name match only", bound=True, missed=missed)
        else:
            seen.unresolved += 1

    def _may_be_method(self, path: str, reference: x.Reference, wanted: set[tuple[str, int]]) -> bool:
        """Whether a use of unknown receiver can be meant for a method: a mere read isn't that is taken apart or
        compared at once, nor one that isn't passed on and is of a name that objects assign to themselves."""
        if reference.kind not in ("value", "argument") or reference.write:
            return True
        definitions = [self._program.facts(path).definitions[index] for path, index in wanted]
        if any(each.kind != "method" or "property" in each.modifiers for each in definitions):
            return True
        end = reference.at + len(encode(reference.name))
        following = _TAKEN_APART.match(self._program.tree.read(path), end)
        if following is not None:
            return following[1] is not None and _OF_FUNCTIONS.fullmatch(following[1]) is not None
        return reference.kind == "argument" or not self._candidates.is_assigned(reference.name)

    def _is_unrelated(self, path: str, receiver: x.Expression, own: tuple[str, int]) -> bool:
        """Whether the receiver is of classes that have nothing to do with the class `own`: what an unknown base of
        theirs declares is another method. Not of the instance itself, nor where a subclass brings them together."""
        language = self._program.language(path)
        if language is None or (not language.global_names and self._is_itself(path, receiver)):
            return False
        types = self._inference.types(path, receiver)
        hierarchy = self._inference.hierarchy
        for each in types:
            if not isinstance(each, Instance | ClassObject):
                return False
            if self._program.facts(each.path).definitions[each.index].kind not in ("class", "enum"):
                return False
            if hierarchy.inherits(each.path, each.index, own) or hierarchy.inherits(*own, (each.path, each.index)):
                return False
            if hierarchy.answers_to_any(each) or self._meet(own, (each.path, each.index), language):
                return False
        return bool(types)

    def _meet(self, one: tuple[str, int], other: tuple[str, int], language: Language) -> bool:
        """Whether a class inherits both of two, where classes have several bases."""
        inherits = self._inference.hierarchy.inherits
        return not language.global_names and any(inherits(*below, other) for below in self.subclasses(*one))

    def _is_itself(self, path: str, receiver: x.Expression) -> bool:
        """Whether the receiver is the instance, or class, that the code around belongs to."""
        if isinstance(receiver, x.This):
            return True
        found = self._denote(path, receiver) if isinstance(receiver, x.Name) else ()
        return any(isinstance(each, Local) and each.binding.kind in ("self", "class-self") for each in found)

    def _through_field(self, path: str, found: tuple[Denotation, ...], wanted: set[tuple[str, int]]) -> str | None:
        """The field (`Props.add`) that is declared to be the target (`add: App["add"]`); None when none is."""
        for each in found:
            if not isinstance(each, Field):
                continue
            bindings = self._inference.fields(each.path, each.index).get(each.name, ())
            if not any(binding.annotation is not None for binding in bindings):
                continue
            types = self._inference.types_of(path, each)
            if any(isinstance(one, FunctionObject) and (one.path, one.index) in wanted for one in types):
                return f"{self._program.facts(each.path).definitions[each.index].name}.{each.name}"
        return None

    def _is_from_outside(self, path: str, receiver: x.Expression) -> bool:
        """Whether the receiver starts from something that is imported from outside the repository."""
        while True:
            match receiver:
                case x.Member(object=inner) | x.Subscript(object=inner) | x.Call(callee=inner) | x.Await(value=inner):
                    receiver = inner
                case x.Construct(callee=inner):
                    receiver = inner
                case x.Name():
                    found = self._denote(path, receiver)
                    return bool(found) and all(isinstance(each, External) for each in found)
                case _:
                    return False

    def _is_cast_away(self, path: str, target: x.Expression) -> bool:
        """Whether somewhere along the receiver a cast says that its type is nobody's business (`(x as any).m()`)."""
        while True:
            match target:
                case x.Member(object=inner) | x.Subscript(object=inner) | x.Call(callee=inner) | x.Await(value=inner):
                    target = inner
                case x.Cast(type=stated, value=inner):
                    if self._inference.says_nothing(path, stated):
                        return True
                    target = inner
                case _:
                    return False

    def _mixin(
        self, path: str, target: x.Member, found: tuple[Denotation, ...], above: frozenset[tuple[str, int]]
    ) -> str | None:
        """The name of the class above the target's own whose code asks its own instance (or class) for a member that it
        leaves to subclasses; None when the receiver is no such class, or declares the member."""
        if any(isinstance(each, Symbol | Field) for each in found) or not isinstance(target.object, x.Name | x.This):
            return None
        if self._is_constructed(path, target.object):
            return None
        for each in self._inference.types(path, target.object):
            if isinstance(each, Instance | ClassObject) and (each.path, each.index) in above:
                return self._program.facts(each.path).definitions[each.index].name
        return None

    def _may_dispatch(
        self, path: str, reference: x.Reference, found: Symbol, above: frozenset[tuple[str, int]]
    ) -> bool:
        """Whether a use that finds an inherited member may run the override: the receiver is of a class above the
        override's own (a sibling's `self` never is one), and the class is not spelled out (`Base.m(x)`, `super()`), nor
        is it constructed in sight (`base = Base()`): that is a Base and nothing below it.
        """
        receiver = found.receiver
        if receiver is None or (receiver.path, receiver.index) not in above:
            return False
        if not isinstance(reference.target, x.Member):
            return True
        owner = reference.target.object
        if isinstance(owner, x.Super) or self._is_constructed(path, owner):
            return False
        return not any(
            isinstance(each, Symbol) and (each.path, each.index) == (receiver.path, receiver.index)
            for each in self._denote(path, owner)
        )

    def _is_constructed(self, path: str, value: x.Expression, depth: int = 0) -> bool:
        """Whether a value is made by the construction of a class, there or where its name or field is assigned."""
        if isinstance(value, x.Call | x.Construct):
            made = self._denote(path, value.callee)
            return bool(made) and all(
                isinstance(each, Symbol) and self._program.facts(each.path).definitions[each.index].kind == "class"
                for each in made
            )
        if depth or not isinstance(value, x.Name | x.Member):
            return False
        bindings: list[tuple[str, Binding]] = []
        for each in self._denote(path, value):
            if isinstance(each, Local):
                bindings.append((each.path, each.binding))
            elif isinstance(each, Field):
                assigned = self._inference.fields(each.path, each.index).get(each.name, ())
                bindings.extend((each.path, binding) for binding in assigned)
            else:
                return False
        return bool(bindings) and all(
            binding.annotation is None
            and binding.value is not None
            and self._is_constructed(where, binding.value, depth + 1)
            for where, binding in bindings
        )

    def _shape_of(self, found: Iterable[Denotation], own: tuple[str, int]) -> str | None:
        """The interface, protocol or object type that a use goes through, if the class `own` has all of its members
        without naming it; None when it goes through none."""
        for each in found:
            if not isinstance(each, Symbol) or not isinstance(each.receiver, Instance):
                continue
            index = self._program.facts(each.path).definitions[each.index].parent
            if index >= 0 and self._is_shape(each.path, index):
                key = ("has the shape of", own, each.path, index)
                if self._inference.remembered(key, partial(self._has_shape, own, each.path, index)):
                    return self._program.facts(each.path).definitions[index].name
        return None

    def _is_shape(self, path: str, index: int) -> bool:
        """Whether a class need not name it to be one of its kind."""
        definition = self._program.facts(path).definitions[index]
        language = self._program.language(path)
        if language is not None and language.global_names:
            return False  # a class is of the interfaces that it names, and of no other
        return not path.startswith("\0") and (
            definition.kind in ("interface", "type")
            or any(base.partition("[")[0].rpartition(".")[2] == "Protocol" for base in definition.bases)
        )

    def _has_shape(self, own: tuple[str, int], path: str, index: int) -> bool:
        lineage = self._inference.hierarchy.lineage(path, index)
        wanted = {
            name
            for each in lineage.ancestors
            if not each.path.startswith("\0")
            for name, indices in self._program.members(each.path).get(each.index, {}).items()
            if "optional" not in self._program.facts(each.path).definitions[indices[0]].modifiers
        }
        if lineage.open or len(wanted) > MAX_MEMBERS:
            return False
        receiver = Instance(*own)
        for name in sorted(wanted):
            declared, complete = self._inference.hierarchy.find(receiver, name)
            if not declared and complete:
                return False
            asked = self._inference.hierarchy.find(Instance(path, index), name)[0]
            if not (self._was_another(declared) or self._was_another(asked)) and not may_stand_in(
                self._inference, declared, asked
            ):
                return False
        return True

    def _was_another(self, found: Iterable[Denotation]) -> bool:
        """Whether a method has another signature than before the change: what it was, the code around it goes by."""
        return any(
            (each.path, self._program.facts(each.path).definitions[each.index].qualified) in self._redeclared
            for each in found
            if isinstance(each, Symbol)
        )

    def _runs(self, reference: x.Reference, wanted: set[tuple[str, int]]) -> bool:
        """Whether such a use may run one of the definitions: an assignment runs setters, everything else the others."""
        setters = {
            (path, index)
            for path, index in wanted
            if "setter" in self._program.facts(path).definitions[index].modifiers
        }
        return bool(setters) or self.gone if reference.write else setters != wanted

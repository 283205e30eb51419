"""Classes: what they inherit and what a name means on them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

import msgspec

from graph import expressions as x
from graph.facts import Definition, FileFacts
from graph.languages.base import GlobalLanguage, Language
from graph.substitution import substitute
from graph.types import ClassObject, Denotation, Environment, External, Field, Instance, Symbol, Types

if TYPE_CHECKING:
    from graph.inference import Inference

CLASS_KINDS = frozenset({"class", "interface", "enum", "trait", "type"})
_VALUES = frozenset({"constant", "variable"})
CALLED = "__call__"
"""The member that a value is called by."""
INVOKED = "__invoke"
"""The same in languages with full names (PHP)."""
READ = "__get__"
"""The member that a class's field is read by, where its value has one."""
DYNAMIC = frozenset({"__getattr__", "__getattribute__", "__call", "__callStatic", "__get"})
"""Methods of a class that answers to names that it does not declare."""
MAX_ANCESTORS = 64
"""Classes looked at in one line of inheritance; the rest counts as unknown."""


class Ancestor(msgspec.Struct, frozen=True, gc=False):
    """A class in another's line of inheritance, with what its type parameters stand for there."""

    path: str
    index: int
    environment: Environment = ()
    interface: bool = False


class Lineage(msgspec.Struct, frozen=True, gc=False):
    """A class and all it inherits, in the order in which members are looked up. `open`: some base is not known.
    `external`: one that lies outside of the repository, in languages where that says where the other members come from.
    """

    ancestors: tuple[Ancestor, ...]
    open: bool
    external: str | None = None


class Hierarchy:
    """Inheritance, asked of `inference` for what the bases' expressions mean."""

    def __init__(self, inference: Inference) -> None:
        self._inference = inference
        self._program = inference.program
        self._known: dict[tuple[str, int], Lineage] = {}
        self._lineages: dict[tuple[str, int], Lineage] = {}
        self._fields: dict[tuple[str, int], dict[str, bool]] = {}
        self._takes: dict[tuple[str, int], Mapping[str, tuple[x.Expression, str]]] = {}
        self._folded: dict[tuple[str, int], dict[str, tuple[int, ...]]] = {}
        self._outside: dict[tuple[str, str, str], tuple[tuple[str, int], ...]] = {}

    def bodies(self, path: str, index: int) -> tuple[int, ...]:
        """All class-like definitions of one file that are the same class (declaration merging, overloads)."""
        facts = self._program.facts(path)
        own = facts.definitions[index]
        if self._is_structural(path):
            return (index,)
        found = self._program.members(path).get(own.parent, {}).get(own.name, (index,))
        same = tuple(each for each in found if facts.definitions[each].kind in CLASS_KINDS)
        return (index, *(each for each in same if each != index)) if len(same) > 1 else (index,)

    def lineage(self, path: str, index: int) -> Lineage:
        """The class itself first, then what it inherits: C3 order where one exists, depth first otherwise."""
        key = (path, index)
        found = self._known.get(key)
        if found is None:
            found = self._by_depth(path, index) if self._is_structural(path) else self._lineage(path, index, ())
            if self._program.facts(path).definitions[index].kind == "trait":
                found = msgspec.structs.replace(found, open=True)  # it has what the classes have that use it
            self._known[key] = found
        return found

    def _lineage(self, path: str, index: int, below: tuple[tuple[str, int], ...]) -> Lineage:
        key = (path, index)
        known = self._lineages.get(key)
        if known is not None:
            return known
        own = Ancestor(path, index, (), self._program.facts(path).definitions[index].kind == "interface")
        if key in below or len(below) > MAX_ANCESTORS:
            return Lineage((own,), True)
        is_open = False
        lines: list[list[Ancestor]] = []
        direct: list[Ancestor] = []
        for body in self.bodies(path, index):
            if body != index:
                direct.append(Ancestor(path, body))
                lines.append([Ancestor(path, body)])
            for base in self._inference.bases(path, body):
                if base is None:
                    is_open = True
                    continue
                inherited = self._lineage(base.path, base.index, (*below, key))
                is_open = is_open or inherited.open
                bound = self.environment(base.path, base.index, base.arguments)
                line = [
                    Ancestor(
                        each.path,
                        each.index,
                        bound if position == 0 else substitute(each.environment, bound),
                        each.interface,
                    )
                    for position, each in enumerate(inherited.ancestors)
                ]
                lines.append(line)
                direct.append(line[0])
        lines.append(direct)
        result = Lineage((own, *_merge(lines)[:MAX_ANCESTORS]), is_open)
        if not below:
            self._lineages[key] = result
        return result

    def _is_structural(self, path: str) -> bool:
        language = self._program.language(path)
        return language is not None and language.structural

    def _by_depth(self, path: str, index: int) -> Lineage:
        """Embedding: what is less deep hides what is deeper."""
        found: dict[tuple[str, int], Ancestor] = {}
        level = [Ancestor(path, index, (), self._program.facts(path).definitions[index].kind == "interface")]
        is_open = False
        external: str | None = None
        while level and len(found) < MAX_ANCESTORS:
            deeper: list[Ancestor] = []
            for each in level:
                if (each.path, each.index) in found:
                    continue
                found[each.path, each.index] = each
                external = external or self._inference.external_base(each.path, each.index)
                for base in self._inference.bases(each.path, each.index):
                    if base is None:
                        is_open = True
                        continue
                    bound = self.environment(base.path, base.index, base.arguments)
                    kind = self._program.facts(base.path).definitions[base.index].kind
                    inner = substitute(bound, each.environment)
                    deeper.append(Ancestor(base.path, base.index, inner, kind == "interface"))
            level = deeper
        return Lineage(tuple(found.values()), is_open or bool(level), external)

    def environment(self, path: str, index: int, arguments: tuple[Types, ...]) -> Environment:
        """What a class's type parameters stand for, given its type arguments by position."""
        if not arguments:
            return ()
        names = self._inference.type_parameter_names(path, index)
        return tuple(zip(names, arguments, strict=False))

    def find(self, receiver: Instance | ClassObject, name: str, skip: int = 0) -> tuple[tuple[Denotation, ...], bool]:
        """What `name` means on the receiver, and whether the answer is complete.

        Complete and empty: the class has no such member. Not complete: a base that isn't known may have it. `skip`
        leaves out the first classes in the line (`super()`).
        """
        lineage = self.lineage(receiver.path, receiver.index)
        bound = self.environment(receiver.path, receiver.index, receiver.arguments)
        dynamic = False
        assigned: tuple[Denotation, ...] = ()
        asked: tuple[Denotation, ...] = ()
        for position, ancestor in enumerate(lineage.ancestors):
            if position < skip:
                continue
            environment = bound if position == 0 else substitute(ancestor.environment, bound)
            found = self.own(ancestor.path, ancestor.index, name, receiver, environment)
            if found and not dynamic and self._only_asks(ancestor, found):
                asked = asked or found  # what has it for others is further up
            elif found and self._is_assigned(found):
                # `self.x = ...` sets what an ancestor declares, if one does: its property, its annotated field.
                assigned = assigned or found
            elif found:
                return found, True
            dynamic = dynamic or self._is_dynamic(ancestor)
        if assigned or asked:
            return assigned or asked, True
        if lineage.external is not None and not lineage.open:
            return (External(f"{lineage.external}.{name}", instance=True),), True
        return (), not lineage.open and not dynamic

    def _only_asks(self, ancestor: Ancestor, found: tuple[Denotation, ...]) -> bool:
        """Whether it is a trait that only says that the method is there: a class above may have it."""
        facts = self._program.facts(ancestor.path)
        return facts.definitions[ancestor.index].kind == "trait" and all(
            isinstance(each, Symbol) and "abstract" in self._program.facts(each.path).definitions[each.index].modifiers
            for each in found
        )

    def _is_assigned(self, found: tuple[Denotation, ...]) -> bool:
        return len(found) == 1 and isinstance(found[0], Field) and self.only_assigned(found[0])

    def only_assigned(self, field: Field) -> bool:
        """Whether a field is only assigned by methods, without a declaration in the class's body."""
        definitions = self._program.facts(field.path).definitions
        methods = [each for each in definitions if each.parent == field.index]
        return all(
            binding.annotation is None and any(each.start <= binding.at < each.end for each in methods)
            for binding in self._inference.fields(field.path, field.index).get(field.name, ())
        )

    def own(
        self, path: str, index: int, name: str, receiver: Instance | ClassObject, environment: Environment
    ) -> tuple[Denotation, ...]:
        """What `name` means in the body of one class, inheritance aside."""
        facts = self._program.facts(path)
        indices = self._program.members(path).get(index, {}).get(name, ())
        if indices:
            static = isinstance(receiver, ClassObject)
            language = self._program.language(path)
            if language is not None and language.explicit_exports and len(indices) > 1:
                fitting = [i for i in indices if ("static" in facts.definitions[i].modifiers) == static]
                indices = tuple(fitting) or indices
            return tuple(Symbol(path, each, receiver, environment) for each in indices)
        adapted = self._adapted(path, index, name, receiver)
        if adapted:
            return adapted
        outside = self.declared_outside(path, index, name)
        if outside:
            return tuple(
                Symbol(where, each, receiver, self._as_receiver_calls_them(where, each, environment))
                for where, each in outside
            )
        if (name in facts.names or name == CALLED or name.startswith("$")) and self.has_field(path, index, name):
            return self._stood_for(path, index, name, receiver) or (Field(path, index, name, receiver, environment),)
        return ()

    def _stood_for(self, path: str, index: int, name: str, receiver: Instance | ClassObject) -> tuple[Denotation, ...]:
        """The method that a documented one (`@method`) stands for, of the classes that the class passes calls on to."""
        language = self._program.language(path)
        if language is None or not language.global_names or name.startswith("$"):
            return ()
        parsed = self._inference.syntax(path)
        if parsed is None:
            return ()
        syntax = parsed[1]

        def work() -> tuple[Denotation, ...]:
            for base in self._inference.remembered(
                ("declared bases", path, index), lambda: language.bases(syntax, index)
            ):
                for each in self._inference.types(path, base.value) if base.via == "metaclass" else ():
                    if isinstance(each, ClassObject):
                        declared = self.find(Instance(each.path, each.index), name)[0]
                        found = [one for one in declared if isinstance(one, Symbol)]
                        if found:
                            return tuple(Symbol(one.path, one.index, receiver, one.environment) for one in found)
            return ()

        return self._inference.bounded(("stood for", path, index, name, receiver), (), work)

    def _adapted(self, path: str, index: int, name: str, receiver: Instance | ClassObject) -> tuple[Denotation, ...]:
        """A member that a class takes over from a trait by a clause of its own (`use T { m as n; }`), or declares in
        other letters where case does not matter."""
        language = self._program.language(path)
        if language is None or not language.global_names or name.startswith("$"):
            return ()
        key = (path, index)
        table = self._takes.get(key)
        if table is None:
            parsed = self._inference.syntax(path)
            table = cast(GlobalLanguage, language).renamed(parsed[1], index) if parsed is not None else {}
            self._takes[key] = table
        if name in table:
            owner, method = table[name]
            found = [
                each
                for trait in self._inference.types(path, owner)
                if isinstance(trait, ClassObject) and (trait.path, trait.index) != key
                for each in self.find(trait, method)[0]
            ]
            return tuple(Symbol(s.path, s.index, receiver, s.environment) for s in found if isinstance(s, Symbol))
        folded = self._folded.get(key)
        if folded is None:
            members = self._program.members(path).get(index, {})
            folded = self._folded[key] = {each.lower(): indices for each, indices in members.items()}
        definitions = self._program.facts(path).definitions
        indices = folded.get(name.lower(), ())
        return tuple(Symbol(path, each, receiver) for each in indices if definitions[each].kind == "method")

    def declared_outside(self, path: str, index: int, name: str) -> tuple[tuple[str, int], ...]:
        """Methods of that name that the type's package declares for it: (path, index), one for each platform."""
        definition = self._program.facts(path).definitions[index]
        if definition.parent >= 0 or not (self._is_structural(path) or path.startswith("\0")):
            return ()
        files = self._program.package(path)
        key = (files[0], definition.name, name)
        known = self._outside.get(key)
        if known is None:
            packages = self._program.packages(path)
            known = self._outside[key] = tuple(
                (file, each)
                for file in files
                if packages is None or packages.may_declare(file, name, method=True)
                for owner, names in self._program.owned(file).items()
                if name in names and (owner == definition.name or self._is_alias(file, owner, (path, index)))
                for each in names[name]
            )
        return known

    def _is_alias(self, path: str, name: str, type_: tuple[str, int]) -> bool:
        """Whether a name of the package is another name of the type."""
        return type_ in self.named(path, name)

    def named(self, path: str, name: str) -> tuple[tuple[str, int], ...]:
        """The types that a name of the file's package stands for, aliases followed."""
        classes = [
            ClassObject(each.path, each.index)
            for each in self._inference.names.in_package(path, name)
            if self._program.facts(each.path).definitions[each.index].kind in CLASS_KINDS
        ]
        return tuple((each.path, each.index) for each in self._inference.annotations.alias_classes(classes))

    def _as_receiver_calls_them(self, path: str, index: int, environment: Environment) -> Environment:
        """The type's parameters under the names that a method's receiver gives them."""
        if not environment:
            return ()
        names = self._inference.type_parameter_names(path, index)
        return tuple(zip(names, (types for _, types in environment), strict=False)) if names else environment

    def has_field(self, path: str, index: int, name: str) -> bool:
        """Whether the class's own body declares or assigns a field of that name."""
        return name in self._inference.fields(path, index)

    def _is_dynamic(self, ancestor: Ancestor) -> bool:
        """Whether the class answers to names that it does not declare (`__getattr__`)."""
        members = self._program.members(ancestor.path).get(ancestor.index, {})
        return not DYNAMIC.isdisjoint(members)

    def answers_to_any(self, owner: Instance | ClassObject) -> bool:
        """Whether the class, or one that it inherits, answers to names that it does not declare."""
        return any(self._is_dynamic(each) for each in self.lineage(owner.path, owner.index).ancestors)

    def inherits(self, path: str, index: int, ancestor: tuple[str, int]) -> bool:
        """Whether the class is or inherits `ancestor`."""
        return any((each.path, each.index) == ancestor for each in self.lineage(path, index).ancestors)

    def may_inherit(self, path: str, index: int, ancestor: tuple[str, int]) -> bool:
        """Whether the class is or inherits `ancestor`, or may: a base is neither known nor from outside."""
        lineage = self.lineage(path, index)
        if self.inherits(path, index, ancestor) or len(lineage.ancestors) >= MAX_ANCESTORS:
            return True
        return lineage.open and any(
            self._inference.has_unknown_base(each.path, each.index) for each in lineage.ancestors
        )


def _merge(lines: list[list[Ancestor]]) -> list[Ancestor]:
    """C3 linearisation. There is none where a class and the one above it use the same trait: then depth first, each at
    its first place, and interfaces, which have nothing of their own, at the end."""
    pending = [[*line] for line in lines if line]
    merged: list[Ancestor] = []
    while pending:
        for line in pending:
            head = line[0]
            key = (head.path, head.index)
            if not any(key == (each.path, each.index) for other in pending for each in other[1:]):
                break
        else:
            rest = [each for line in pending for each in line]
            once = {(each.path, each.index): each for each in reversed(rest)}
            places = {key: place for place, key in enumerate(dict.fromkeys((each.path, each.index) for each in rest))}
            merged.extend(sorted(once.values(), key=lambda each: (each.interface, places[each.path, each.index])))
            return merged
        merged.append(head)
        pending = [[each for each in line if (each.path, each.index) != key] for line in pending]
        pending = [line for line in pending if line]
    return merged


def class_like(facts: FileFacts, index: int) -> bool:
    """Whether the definition declares members of its own that instances have."""
    return facts.definitions[index].kind in CLASS_KINDS


def is_named_as_type(definition: Definition, language: Language) -> bool:
    """Whether a use of the name where types stand is a use of the definition."""
    return definition.kind in CLASS_KINDS or (language.aliases_are_values and definition.kind in _VALUES)

"""Callers of methods in languages whose methods stand outside of their types and whose interfaces nobody names (Go).

A call reaches a method through its own type, through a type that embeds it (sure), or through an interface that its
type happens to satisfy (by name only).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from graph import expressions as x
from graph.facts import Definition
from graph.git import encode
from graph.languages.base import PackageModules
from graph.redeclared import Redeclared, same_shape, same_signature, type_parameters
from graph.types import ClassObject, Denotation, External, Instance, Symbol, TupleValue, Types, is_known

if TYPE_CHECKING:
    from graph.callers.names import NameSearch
    from graph.callers.sites import Seen, Target

MAX_UNRELATED = 24
"""Types that declare a method's name, from which on a call through an interface says nothing."""
_HOLDER = re.compile(
    rb"(?:func[ \t]*(?:\([^()\n]*\)[ \t]*)?|var[ \t]+|[ \t]+)"
    rb"(?:([A-Za-z_]\w*)[ \t]*\(|([A-Za-z_]\w*)(?:,[ \t]*\w+)*[ \t]+[*\[\]\w.=])"
)
"""What a line declares before a type is named on it: a function or method, a field, a package-level variable."""
_METHOD = re.compile(rb"^[ \t]*([A-Za-z_]\w*)\(", re.MULTILINE)
MAX_HOLDING = 600
"""Files that hold a word, past which it says nothing about what is in them."""
_STATEMENTS = frozenset({"return", "case", "defer", "else", "range", "type", "const", "func", "package", "switch"})
MAX_METHODS = 200
"""Methods of an interface that are compared; one with more is satisfied by nobody."""

Place = tuple[str, int]
"""(path, definition index)."""


class StructuralSearch:
    """The part of a caller search that is about such methods."""

    def __init__(self, search: NameSearch, redeclared: Redeclared) -> None:
        self._search = search
        self._redeclared = redeclared
        self._inference = search._inference
        self._program = search._program
        self._candidates = search._candidates
        self._satisfied: dict[tuple[Place, Place], bool] = {}
        self._declared_by: dict[str, int] = {}
        self._interfaces: dict[tuple[object, ...], dict[Place, Place]] = {}

    # --------------------------------------------------------------------------------------------------- questions

    def owner(self, target: Target) -> Place | None:
        """The type that the target is a method of; None when it is none, or its type isn't found."""
        definition = self._definition(target)
        if definition.owner is not None:
            return next(iter(self._inference.hierarchy.named(target.path, definition.owner)), None)
        of_interface = self._program.facts(target.path).is_of_interface(definition)
        return (target.path, definition.parent) if of_interface else None

    def is_common(self, target: Target) -> bool:
        """Whether the target is a method of a name that counts on known receivers only."""
        definition = self._definition(target)
        language = self._program.language(target.path)
        if definition.kind != "method" or language is None:
            return False
        if definition.name in language.common_names:
            return True
        return definition.exported and len(self._candidates.texts(definition.name)) > MAX_HOLDING

    def reach(self, wanted: set[Place], *, exported: bool) -> Callable[[str], bool]:
        """Which files can name any of these definitions at all: those of its package, and importers of what is
        exported."""
        places = sorted({path for path, _ in wanted})

        def accept(path: str) -> bool:
            return any(self._sees(path, place, exported) for place in places)

        return accept

    def _sees(self, path: str, place: str, exported: bool) -> bool:
        packages = self._packages(place)
        if packages is None or self._program.packages(path) is not packages:
            return False
        if path == place or path in packages.package(place):
            return packages.together(path, place)
        if not exported:
            return False
        return packages.may_import(path, self._program.tree.read(path), place) and packages.together(path, place)

    def compiled_together(self, path: str, found: tuple[Denotation, ...]) -> tuple[Denotation, ...]:
        """What was found, without the definitions that no build has together with the file at `path`."""
        packages = self._packages(path)
        if packages is None:
            return found
        return tuple(each for each in found if not isinstance(each, Symbol) or packages.together(path, each.path))

    def same_symbol(self, one: Denotation, target: Target) -> bool:
        """Whether another definition is the target's body for another platform."""
        if not isinstance(one, Symbol) or self._packages(target.path) is None:
            return False
        definition = self._definition(target)
        other = self._program.facts(one.path).definitions[one.index]
        return other.qualified == definition.qualified and one.path in self._program.package(target.path)

    # -------------------------------------------------------------------------------------------------- the search

    def method(self, target: Target, own: Place, seen: Seen) -> None:
        """All places that reach a method."""
        definition = self._definition(target)
        name = definition.name
        wanted = {(target.path, index) for index in target.indices}
        common = self.is_common(target)
        kin = [own, *self.embedders(own, name, wanted)]
        everything = self.interfaces(own, kin, name).items()
        interfaces = {asking: within for asking, within in everything if self.is_telling(asking, within)}
        accept: Callable[[str], bool] | None = None
        if not definition.exported:
            accept = self.reach(wanted, exported=False)
        elif common:
            accept = self._near([*kin, *((path, index) for path, index in interfaces.values())])
        packages = self._packages(target.path)
        for path in self._candidates.naming(name, (), accept):
            if self._search._stop():
                return
            if packages is None or self._program.packages(path) is not packages:
                continue
            close = self._sees(path, target.path, definition.exported)
            for at in self._program.places(path, name):
                self._place(path, at, target, own, kin, interfaces, seen, common=common, close=close)

    def _place(
        self,
        path: str,
        at: int,
        target: Target,
        own: Place,
        kin: list[Place],
        interfaces: dict[Place, Place],
        seen: Seen,
        *,
        common: bool,
        close: bool,
    ) -> None:
        search = self._search
        reference = search._reference(path, at)
        if reference is None or not isinstance(reference.target, x.Member) or (reference.write and not search.gone):
            return
        found = self.compiled_together(path, search._denote(path, reference.target))
        for each in found:
            if isinstance(each, Symbol) and each.path == target.path and each.index in target.indices:
                through = self._embedding(each, own)
                via = "embedding" if through is not None else None
                search._add(seen, path, reference, sure=True, reason=through, via=via, bound=True)
                search.follow_alias(path, reference, seen)
                return
        for each in found:
            if isinstance(each, Symbol) and (each.path, each.index) in interfaces and self._may_hold(each, kin):
                where, index = interfaces[each.path, each.index]
                reason = f"through interface {self._program.facts(where).definitions[index].name}"
                search._add(seen, path, reference, sure=False, reason=reason, via="interface", bound=True)
                return
        if not search._is_open(found):
            return
        if common:
            seen.noise += 1
        elif close:
            search._add(seen, path, reference, sure=False, reason="name match only", bound=True)
        else:
            seen.unresolved += 1

    def _may_hold(self, found: Symbol, kin: list[Place]) -> bool:
        """Whether a receiver that is an interface, maybe a larger one than that which has the method, can be one of the
        types."""
        receiver = found.receiver
        if receiver is None or self._program.facts(receiver.path).definitions[receiver.index].kind != "interface":
            return True
        return self._any_satisfies(kin, (receiver.path, receiver.index))

    def _embedding(self, found: Symbol, own: Place) -> str | None:
        """How a method was reached that its receiver's type does not declare itself."""
        receiver = found.receiver
        if not isinstance(receiver, Instance | ClassObject) or (receiver.path, receiver.index) == own:
            return None
        outer = self._program.facts(receiver.path).definitions[receiver.index]
        inner = self._program.facts(own[0]).definitions[own[1]]
        if outer.name == inner.name and receiver.path in self._program.package(own[0]):
            return None  # the same type's declaration for another platform
        return f"through {outer.name} (embeds {inner.name})"

    # -------------------------------------------------------------------------------------------------- interfaces

    def interfaces(self, own: Place, kin: list[Place], name: str) -> dict[Place, Place]:
        """The methods of that name in the repository's other interfaces that one of the types `kin` satisfies -> the
        interface."""
        key = (*kin, own, name)
        if key not in self._interfaces:
            self._interfaces[key] = self._interfaces_of(own, kin, name)
        return self._interfaces[key]

    def is_telling(self, asking: Place, interface: Place) -> bool:
        """Whether a type that has an interface's method is likely meant for it: one that asks for this method alone
        says nothing when the name is one that unrelated types have."""
        return len(self.methods(interface)) > 1 or not self._says_nothing(*asking)

    def _interfaces_of(self, own: Place, kin: list[Place], name: str) -> dict[Place, Place]:
        tree = self._program.tree
        accept = None if name[:1].isupper() else self.reach({own}, exported=False)

        declared = self._declared_names(kin)

        def may_hold(path: str) -> bool:
            source = tree.read(path)
            if b"interface" not in source or (accept is not None and not accept(path)):
                return False
            return any(
                declared is None or all(map(declared, _asked_for(source, place))) for place in _spelled(source, name)
            )

        found: dict[Place, Place] = {}
        packages = self._packages(own[0])
        for path in self._candidates.naming(name, (), may_hold):
            if self._program.packages(path) is not packages:
                continue
            definitions = self._program.facts(path).definitions
            for index, definition in enumerate(definitions):
                parent = definition.parent
                if definition.name != name or parent < 0 or definitions[parent].kind != "interface":
                    continue
                interface = (path, parent)
                if interface != own and self._any_satisfies(kin, interface):
                    found[path, index] = interface
        return found

    def _declared_names(self, kin: list[Place]) -> Callable[[str], bool] | None:
        """Whether a name may be one of the types' methods, by the text of their packages; None where that can't tell:
        an interface that is embedded gives methods, too."""
        files: dict[str, None] = {}
        for place in kin:
            for ancestor in self._inference.hierarchy.lineage(*place).ancestors:
                if ancestor.interface:
                    return None
                if not ancestor.path.startswith("\0"):
                    files.update(dict.fromkeys(self._program.package(ancestor.path)))
        packages = self._packages(kin[0][0])
        known: dict[str, bool] = {}

        def declared(name: str) -> bool:
            if name not in known:
                ending = f".{name}"
                known[name] = (
                    packages is None
                    or any(packages.may_declare(each, name, method=True) for each in files)
                    or any(qualified.endswith(ending) for _, qualified in self._redeclared)
                )
            return known[name]

        return declared

    def _says_nothing(self, path: str, index: int) -> bool:
        """Whether unrelated types have such a method: no type of the repository in it, and a name that many declare."""
        language = self._program.language(path)
        name = self._program.facts(path).definitions[index].name
        if any(self._is_of_repository(types) for types in self._signature(path, index)):
            return False
        if language is not None and name in language.common_names:
            return True
        return self._declarers(name) >= MAX_UNRELATED

    def _is_of_repository(self, types: Types) -> bool:
        return any(
            (
                isinstance(each, Instance)
                and (not each.path.startswith("\0") or any(map(self._is_of_repository, each.arguments)))
            )
            or (isinstance(each, TupleValue) and any(map(self._is_of_repository, each.items)))
            for each in types
        )

    def _signature(self, path: str, index: int) -> tuple[Types, ...]:
        """The types of a method's parameters, and, last, of its result."""
        parsed = self._inference.syntax(path)
        if parsed is None:
            return ()
        language, syntax = parsed

        def work() -> tuple[Types, ...]:
            written = [each.annotation for each in language.parameter_types(syntax, index)]
            written.append(language.result(syntax, index).annotation)
            return tuple(self._inference.annotations.evaluate(path, each, ()) for each in written)

        return self._inference.remembered(("signature", path, index), work)

    def _declarers(self, name: str) -> int:
        """How many types declare a method of that name, by the text of the files that hold it."""
        known = self._declared_by.get(name)
        if known is None:
            form = re.compile(
                rb"\bfunc[ \t]*\([ \t]*(?:[\w\x80-\xff]+[ \t]+)?\**[ \t]*([\w\x80-\xff]+)[^)\n]*\)[ \t]*"
                + re.escape(encode(name))
                + rb"[ \t]*\("
            )
            types = {
                (path.rpartition("/")[0], found.group(1))
                for path in self._candidates.texts(name)
                if path.endswith(".go")
                for found in form.finditer(self._program.tree.read(path))
            }
            known = self._declared_by[name] = len(types)
        return known

    def _any_satisfies(self, types: list[Place], interface: Place) -> bool:
        return any(self.satisfies(each, interface) for each in types)

    def satisfies(self, own: Place, interface: Place) -> bool:
        """Whether a type has all methods of an interface, by their names and, where both are declared, by how many
        parameters and results they have. What the interface embeds from outside the repository is not required. What
        `Redeclared` says of a method counts as well as what is declared."""
        key = (own, interface)
        known = self._satisfied.get(key)
        if known is None:
            known = self._satisfied[key] = not self._lacking(own, interface, once=True)
        return known

    def lacking(self, own: Place, interface: Place) -> list[str]:
        """The methods of an interface that a type does not have, by this tree alone; one of them at least."""
        return self._lacking(own, interface, once=False)

    def _lacking(self, own: Place, interface: Place, *, once: bool) -> list[str]:
        """The methods of an interface that a type does not have, one of them at least; `once`: nor had at any time."""
        required = self.methods(interface)
        if not required or len(required) > MAX_METHODS:
            return [""]
        receiver = Instance(*own)
        for name, wanted in required.items():
            declared, _ = self._inference.hierarchy.find(receiver, name)
            methods = [(each.path, each.index) for each in declared if isinstance(each, Symbol)]
            if any(self._fits(method, wanted) for method in methods):
                continue
            if not once or not self._fitted(own, name, methods, wanted):
                return [name]
        return []

    def _fitted(self, own: Place, name: str, methods: list[Place], wanted: Place) -> bool:
        """Whether a type had what an interface asked for, in what `Redeclared` says of either."""
        if not self._redeclared:
            return False
        asked = self._also(wanted)
        if None in asked:
            return True  # it did not ask for the method
        had = [each for method in methods for each in self._also(method)] + self._had(own, name)
        mine = [self._program.facts(path).definitions[index] for path, index in methods]
        definitions = self._program.facts(wanted[0]).definitions
        theirs = definitions[wanted[1]]
        open_types = frozenset(type_parameters(definitions[theirs.parent])) if theirs.parent >= 0 else frozenset()
        pairs = [(one, theirs) for one in had] + [(one, other) for one in (*mine, *had) for other in asked]
        return any(
            one is not None and other is not None and same_signature(one, other, open_types) for one, other in pairs
        )

    def _also(self, method: Place) -> tuple[Definition | None, ...]:
        qualified = self._program.facts(method[0]).definitions[method[1]].qualified
        return self._redeclared.get((method[0], qualified), ())

    def _had(self, own: Place, name: str) -> list[Definition | None]:
        """What is said of a method of a type that the type's package does not declare here."""
        found: list[Definition | None] = []
        for ancestor in self._inference.hierarchy.lineage(*own).ancestors:
            if ancestor.path.startswith("\0"):
                continue
            qualified = f"{self._program.facts(ancestor.path).definitions[ancestor.index].name}.{name}"
            package = self._program.package(ancestor.path)
            for (path, known), declared in self._redeclared.items():
                if known == qualified and path in package:
                    found += declared
        return found

    def _fits(self, method: Place, wanted: Place) -> bool:
        """Whether a method is what an interface asks for, as far as the types of both are known."""
        one = self._program.facts(method[0]).definitions[method[1]]
        other = self._program.facts(wanted[0]).definitions[wanted[1]]
        if not same_shape(one, other):
            return False
        pairs = zip(self._signature(*method), self._signature(*wanted), strict=False)
        return all(self._same(mine, theirs) for mine, theirs in pairs)

    def _same(self, mine: Types, theirs: Types) -> bool:
        """Whether two declared types may be the same one."""
        if not is_known(mine) or not is_known(theirs) or len(mine) != 1 or len(theirs) != 1:
            return True
        one, other = mine[0], theirs[0]
        if isinstance(one, Instance) and isinstance(other, Instance):
            if (one.path, one.index) != (other.path, other.index) and self._declared(one) != self._declared(other):
                return False
            return all(map(self._same, one.arguments, other.arguments))
        if isinstance(one, TupleValue) and isinstance(other, TupleValue):
            return len(one.items) == len(other.items) and all(map(self._same, one.items, other.items))
        if isinstance(one, External) and isinstance(other, External):
            return one.name == other.name
        return type(one) is type(other)

    def _declared(self, instance: Instance) -> tuple[str, str]:
        """A type's package and name: one that is declared for several platforms is one type."""
        name = self._program.facts(instance.path).definitions[instance.index].qualified
        return self._program.package(instance.path)[0], name

    def methods(self, interface: Place) -> dict[str, Place]:
        """The methods that an interface asks for, its embedded ones' included."""
        found: dict[str, Place] = {}
        for ancestor in self._inference.hierarchy.lineage(*interface).ancestors:
            for name, indices in self._program.members(ancestor.path).get(ancestor.index, {}).items():
                found.setdefault(name, (ancestor.path, indices[0]))
        return found

    def embedders(self, own: Place, name: str, wanted: set[Place]) -> list[Place]:
        """Types that get the method by embedding."""
        found = []
        for path, index in self._search.subclasses(*own):
            declared, _ = self._inference.hierarchy.find(Instance(path, index), name)
            if any(isinstance(each, Symbol) and (each.path, each.index) in wanted for each in declared):
                found.append((path, index))
        return found

    # --------------------------------------------------------------------------------------------- implementations

    def implementations(self, target: Target, own: Place) -> list[tuple[str, Definition]]:
        """The methods that implement a method of an interface, or did before it changed: (path, definition), sorted."""
        if self._program.facts(own[0]).definitions[own[1]].kind != "interface":
            return []
        name = self._definition(target).name
        if self.is_common(target) and len(self.methods(own)) < 2:
            return []
        found = [
            (path, self._program.facts(path).definitions[index])
            for path, owner, index in self._declared_with(name, own)
            if any(self.satisfies(each, own) for each in self._inference.hierarchy.named(path, owner))
        ]
        return sorted(found, key=lambda each: (each[0], each[1].at))

    def _declared_with(self, name: str, interface: Place) -> list[tuple[str, str, int]]:
        """Methods of that name that may be an interface's: (path, name of the type, definition index)."""
        packages = self._packages(interface[0])
        accept = None if name[:1].isupper() else self.reach({interface}, exported=False)
        return [
            (path, owner, index)
            for path in sorted(self._candidates.declaring(name))
            if self._program.packages(path) is packages and (accept is None or accept(path))
            for owner, names in self._program.owned(path).items()
            for index in names.get(name, ())[:1]
        ]

    def left_behind(self, target: Target) -> list[tuple[str, Definition, str]]:
        """Types that had all methods of an interface until it asked for one more: (path, definition, the method)."""
        definition = self._definition(target)
        interface = (target.path, target.indices[0])
        if definition.kind != "interface":
            return []
        required = self.methods(interface)
        added = [name for name, place in required.items() if None in self._also(place)]
        kept = [name for name in required if name not in added]
        language = self._program.language(target.path)
        if not added or not kept or language is None:
            return []
        if len(kept) == 1 and kept[0] in language.common_names:
            return []
        self._candidates.search(set(kept))
        rarest = min(kept, key=lambda name: (len(self._candidates.texts(name)), name))
        found: dict[Place, tuple[str, Definition, str]] = {}
        for path, owner, _ in self._declared_with(rarest, interface):
            for place in self._inference.hierarchy.named(path, owner):
                lacking = self.lacking(place, interface)
                if lacking and lacking[0] in added and self.satisfies(place, interface):
                    found[place] = (place[0], self._program.facts(place[0]).definitions[place[1]], lacking[0])
        return [found[place] for place in sorted(found)]

    # ----------------------------------------------------------------------------------------------------- words

    def _near(self, types: list[Place]) -> Callable[[str], bool]:
        """Which files can have a value of one of the types: those of their packages, importers of these, and files that
        hold the name of what is declared to give or hold one, one level."""
        words: set[str] = set()
        for place in dict.fromkeys(types):
            words |= self._yielding(place)
        self._candidates.search(words)
        holding: set[str] = set()
        for word in words:
            files = self._candidates.texts(word)
            if len(files) <= MAX_HOLDING:
                holding.update(files)
        reach = self.reach(set(types), exported=True)
        return lambda path: path in holding or reach(path)

    def _yielding(self, place: Place) -> set[str]:
        """The type's name, and names of functions, fields and variables that are declared with it."""
        word = self._program.facts(place[0]).definitions[place[1]].name
        found = {word}
        tree = self._program.tree
        named = re.compile(rb"\b" + re.escape(encode(word)) + rb"\b")
        reach = self.reach({place}, exported=True)
        for path in self._candidates.texts(word):
            if not path.endswith(".go") or not reach(path):
                continue
            source = tree.read(path)
            for occurrence in named.finditer(source):
                line = source[source.rfind(b"\n", 0, occurrence.start()) + 1 : occurrence.start()]
                holder = _HOLDER.match(line)
                if holder is not None:
                    found.add((holder.group(1) or holder.group(2)).decode("utf-8", "replace"))
        return {each for each in found if len(each) > 3 and each not in _STATEMENTS}

    # ----------------------------------------------------------------------------------------------------- parts

    def _definition(self, target: Target) -> Definition:
        return self._program.facts(target.path).definitions[target.indices[0]]

    def _packages(self, path: str) -> PackageModules | None:
        return self._program.packages(path)


def _spelled(source: bytes, name: str) -> Iterator[int]:
    """Where a method of that name may be declared by an interface: at the start of a line or of a body."""
    word = encode(name)
    at = source.find(word)
    while at >= 0:
        end = at + len(word)
        if source[end : end + 1] in (b"(", b" ", b"\t"):
            before = source[max(0, at - 200) : at].rstrip(b" \t")
            if not before or before.endswith((b"\n", b"{", b";")):
                yield at
        at = source.find(word, end)


def _asked_for(source: bytes, at: int) -> list[str]:
    """Names of methods that stand in the same interface as the place, by the text: some of them at least."""
    start = max(0, source.rfind(b"interface", 0, at + 1))
    end = source.find(b"}", at)
    body = source[start : end if end >= 0 else len(source)]
    names = [name.decode("utf-8", "replace") for name in _METHOD.findall(body)]
    return [name for name in names if name != "func"]

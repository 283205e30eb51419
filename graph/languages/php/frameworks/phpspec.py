"""phpspec: a spec (`spec\\App\\OrderSpec`) calls on itself what the class has that it describes (`App\\Order`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal

import msgspec

from graph.expressions import Expression, Member, Name, This
from graph.git import encode
from graph.languages.base import Place
from graph.languages.php.frameworks.subject import Subject, arguments, calls_around, full_name, naming, same, strings_in
from graph.languages.php.members import bases
from graph.languages.php.reading import Reading, reading_of
from graph.languages.php.references import reference_at
from graph.languages.php.words import places_of

_BASE: Final = "\\PhpSpec\\ObjectBehavior"
_MOST_BASES: Final = 5
"""Classes of the repository between a spec and phpspec's own."""
_PREFIX: Final = re.compile(r"\\(?:\w+\\)*?(?:spec|specs|specification|specifications)(?=\\)", re.IGNORECASE)
"""What stands before the described class's name in a spec's: `spec_prefix` in phpspec's configuration."""
_OWN: Final = re.compile(r"should|beConstructed|beAnInstanceOf$|(?:get|set)WrappedObject$|getMatchers$|let(?:Go)?$")
"""Methods that phpspec answers to itself."""
_CONSTRUCTED: Final = re.compile(rb"\$this\s*->\s*(beConstructedWith)\b")
_CONSTRUCTS: Final = re.compile(rb"->\s*beConstructed(?:With|Through|[A-Z])")
_TAKING_NAMES: Final = frozenset({"beConstructedThrough", "during", "callOnWrappedObject"})
"""Calls whose first argument is the name of the described class's method."""
_STATED: Final = re.compile(rb"->\s*(?:shouldHaveType|beAnInstanceOf)\b")
_STATES: Final = frozenset({"shouldHaveType", "beAnInstanceOf"})


class _Spec(msgspec.Struct, frozen=True):
    """A spec, and the full name of the class that it describes."""

    path: str
    reading: Reading
    index: int
    describes: str


def words(subject: Subject) -> Iterator[str]:
    """The spec's own name, and that of what makes it one."""
    yield subject.short + "Spec"
    yield "ObjectBehavior"


def places(subject: Subject) -> Iterator[Place]:
    """Where specs call the method on the class that they describe, or describe the class and don't name it."""
    if not subject.asked.holding("ObjectBehavior"):
        return  # as nearly everywhere
    seen: set[tuple[str, int]] = set()
    for name in subject.names if subject.method is not None else (subject.name,):
        for spec in _specs(subject, name):
            if (spec.path, spec.index) in seen:
                continue
            seen.add((spec.path, spec.index))
            if subject.method is None:
                yield from _named_after(subject, spec)
            elif subject.method == "__construct":
                yield from _constructions(spec)
            else:
                yield from _calls(subject, spec, subject.method)


# ------------------------------------------------------------------------------------------------------------- specs


def _specs(subject: Subject, name: str) -> Iterator[_Spec]:
    """The specs of the class of that full name: named after it, or saying so where no class has their own name."""
    short = name.rpartition("\\")[2]
    for path in subject.asked.holding(short + "Spec"):
        for spec in _in_file(subject, path):
            if same(_described(spec) or "", name):
                yield msgspec.structs.replace(spec, describes=name)
    for path in subject.holding(name, _STATED, "ObjectBehavior"):
        specs = [each for each in _in_file(subject, path) if not _describes_another(subject, each, name)]
        for named in naming(subject, name, path) if specs else ():
            if named.written == "class" and any(how in _STATES for _, how in calls_around(named.reading, named.nodes)):
                around = named.reading.enclosing_class(named.at)
                yield from (msgspec.structs.replace(each, describes=name) for each in specs if each.index == around)


def _in_file(subject: Subject, path: str) -> list[_Spec]:
    """The classes of a file that are specs by what they extend and by their names."""
    syntax = subject.asked.parsed(path)
    if syntax is None:
        return []
    reading = reading_of(syntax)
    return [
        _Spec(path, reading, index, "")
        for index, each in enumerate(syntax.facts.definitions)
        if each.kind == "class" and each.name.endswith("Spec") and _is_spec(subject, reading, index, path)
    ]


def _is_spec(subject: Subject, reading: Reading, index: int, path: str, most: int = _MOST_BASES) -> bool:
    """Whether a class extends phpspec's own, through others of the repository or not."""
    for base in bases(reading, index):
        if not isinstance(base.value, Name) or base.via != "extends":
            continue
        if same(base.value.id, _BASE):
            return True
        for file, each in subject.asked.classes(path, base.value) or () if most else ():
            syntax = subject.asked.parsed(file)
            if syntax is not None and _is_spec(subject, reading_of(syntax), each, file, most - 1):
                return True
    return False


def _described(spec: _Spec) -> str | None:
    """The full name of the class that a spec is named after."""
    name = full_name(spec.reading, spec.index)
    prefix = _PREFIX.match(name)
    return name[prefix.end() :].removesuffix("Spec") if prefix is not None else None


def _describes_another(subject: Subject, spec: _Spec, name: str) -> bool:
    """Whether a spec is named after a class of the tree: after this one, which is found by that, or another."""
    described = _described(spec)
    if described is None:
        return False
    return same(described, name) or bool(subject.asked.classes(spec.path, Name(described, 0)))


# ------------------------------------------------------------------------------------------------------------ places


def _named_after(subject: Subject, spec: _Spec) -> Iterator[Place]:
    """The spec's name, where nothing else in it names the class."""
    if next(naming(subject, spec.describes, spec.path), None) is None:
        at = spec.reading.facts.definitions[spec.index].at
        yield Place(spec.path, at, "value", sure=True, via="spec", stands_for=Name(spec.describes, 0))


def _constructions(spec: _Spec) -> Iterator[Place]:
    """`$this->beConstructedWith(...)`; the spec's name where nothing says what the class is constructed with."""
    own = spec.reading.facts.definitions[spec.index]
    source = spec.reading.source
    for found in _CONSTRUCTED.finditer(source, own.start, own.end):
        reference = reference_at(spec.reading, found.start(1))
        if reference is not None and reference.kind == "call" and _is_own(spec, found.start(1)):
            yield _place(spec, found.start(1), "__construct", reference.call_at)
    if _CONSTRUCTS.search(source, own.start, own.end) is None:
        yield _place(spec, own.at, "__construct", -1)


def _calls(subject: Subject, spec: _Spec, method: str) -> Iterator[Place]:
    """`$this->total()`, `$this->beConstructedThrough('of', [...])`, `->during('total', [...])`, `->duringTotal()`."""
    if _OWN.match(method) is not None or subject.asked.has((spec.path, spec.index), method):
        return
    own, reading = spec.reading.facts.definitions[spec.index], spec.reading
    for at in places_of(reading.source, method):
        reference = reference_at(reading, at) if own.start <= at < own.end and _is_own(spec, at) else None
        if reference is not None and reference.kind == "call" and _is_of_this(reference.target):
            yield _place(spec, at, method, reference.call_at)
    for at in strings_in(reading.source, own.start, own.end, method):
        call, how = next(calls_around(reading, reading.path(at), most=1), (None, ""))
        if call is not None and how in _TAKING_NAMES and arguments(call)[0].end_byte > at:
            yield _place(spec, at, method, -1)
    name = encode(method[:1].upper() + method[1:])
    short = re.compile(
        rb"(?:->\s*(during" + name + rb")|\$this\s*->\s*(beConstructed(?:Through)?" + name + rb"))(?=\s*\()"
    )
    for found in short.finditer(reading.source, own.start, own.end):
        at = found.start(found.lastindex or 0)
        reference = reference_at(reading, at)
        if reference is not None and reference.kind == "call":
            yield _place(spec, at, method, reference.call_at)
    if method == "__invoke":
        yield from _invocations(spec)


def _invocations(spec: _Spec) -> Iterator[Place]:
    """`$this(...)`."""
    own, reading = spec.reading.facts.definitions[spec.index], spec.reading
    for found in re.finditer(rb"\$this\s*\(", reading.source[: own.end]):
        if found.start() < own.start or not _is_own(spec, found.start()):
            continue
        called = [n for n in reading.path(found.start()) if n.type == "function_call_expression"]
        if called and called[-1].start_byte == found.start():
            yield _place(spec, found.start(), "__invoke", found.start())


def _is_own(spec: _Spec, at: int) -> bool:
    """Whether `$this` at an offset is the spec: not within another class there."""
    return spec.reading.enclosing_class(at) == spec.index


def _is_of_this(target: Expression) -> bool:
    return isinstance(target, Member) and isinstance(target.object, This)


def _place(spec: _Spec, at: int, method: str, call_at: int) -> Place:
    kind: Literal["new", "call"] = "new" if method == "__construct" else "call"
    stands_for = Member(Name(spec.describes, 0), method, 0)
    return Place(spec.path, at, kind, sure=True, via="spec", call_at=call_at, stands_for=stands_for)

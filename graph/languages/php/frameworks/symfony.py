"""Configuration that names a class or a method: YAML, XML, and what configures a container in PHP."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import tree_sitter

from graph.expressions import Member, Name
from graph.git import encode
from graph.languages.base import Place
from graph.languages.php.frameworks.configuration import SUFFIXES, NamedMethod, Service, read, without_comments
from graph.languages.php.frameworks.subject import (
    CALLS,
    Named,
    Subject,
    arguments,
    called,
    calls_around,
    naming,
    same,
    strings_in,
    text_of,
)

_SERVICE_CALLS: Final = frozenset(
    {"set", "class", "register", "autowire", "Definition", "ChildDefinition", "inline_service", "service"}
)
_NEXT_SERVICE: Final = frozenset({"set", "alias", "load", "get", "stack", "instanceof", "defaults", "remove"})
_CONTAINER: Final = re.compile(rb"\b(?:ContainerConfigurator|ContainerBuilder|ServicesConfigurator|Definition)\b")
_METHOD_CALLS: Final = frozenset(
    {"tag", "call", "addTag", "addMethodCall", "setFactory", "factory", "configurator", "setConfigurator"}
)
_CONTROLLER: Final = re.compile(rb"\b_?controller[\"']?[ \t]*(?:[:=>]|\")[ \t>]*[\"']?\\{0,2}$")


def places(subject: Subject) -> Iterator[Place]:
    """Where configuration names the class, or the class and the method."""
    for name in subject.names if subject.method is not None else (subject.name,):
        for path in subject.asked.holding(name.rpartition("\\")[2], SUFFIXES):
            yield from _in_text(subject, name, path)
    if subject.method is not None:
        yield from _in_code(subject)
    if subject.method is not None and "Controller" in subject.name and not subject.method.startswith("__"):
        yield from _by_service(subject, subject.method)


def mentions(subject: Subject) -> Iterator[NamedMethod]:
    """What the configuration says of the method."""
    for name in subject.names:
        for path in subject.asked.holding(name.rpartition("\\")[2], SUFFIXES):
            for each in read(subject.asked.read(path), xml=path.endswith(".xml")).methods:
                if each.method == subject.method and same(each.name, name):
                    yield each


def _in_text(subject: Subject, name: str, path: str) -> Iterator[Place]:
    """Places of one YAML or XML file."""
    source = subject.asked.read(path)
    xml = path.endswith(".xml")
    said = read(source, xml=xml)
    method = subject.method
    if method is None:
        made = {each.at for each in said.services}
        stated = without_comments(source, xml=xml)
        for at in _spelled(stated, name, b""):
            yield _place(path, at, "service" if at in made else None, Name(subject.name, 0))
        return
    member = Member(Name(subject.name, 0), method, 0)
    if method == "__construct":
        for each in said.services:
            if same(each.name, name):
                yield _place(path, _last(source, each), "service", member)
        return
    for found in said.methods:
        if found.method == method and same(found.name, name):
            yield _place(path, found.at, found.via, member)
    stated = without_comments(source, xml=xml)
    for at in _spelled(stated, name, rb"::" + re.escape(encode(method)) + rb"\b"):
        yield _place(
            path, at, "route" if _CONTROLLER.search(stated, max(0, at - 200), _start(stated, at)) else None, member
        )
    if method == "__invoke":
        for at in _spelled(stated, name, rb"(?!::)"):
            if _CONTROLLER.search(stated, max(0, at - 200), _start(stated, at)) is not None:
                yield _place(path, at, "route", member)


def _last(source: bytes, service: Service) -> int:
    """Where the last part of the class's name stands that a service names."""
    end = service.at
    while end < len(source) and (source[end : end + 1].isalnum() or source[end : end + 1] in (b"\\", b"_")):
        end += 1
    return source.rfind(b"\\", service.at, end) + 1 or service.at


def _start(source: bytes, at: int) -> int:
    """Where the full name begins whose last part stands at an offset."""
    while at > 0 and (source[at - 1 : at].isalnum() or source[at - 1 : at] in (b"\\", b"_")):
        at -= 1
    return at


def _spelled(source: bytes, name: str, after: bytes) -> Iterator[int]:
    """Where a full name is spelled out in a text, with `after` behind it: offsets of its last part."""
    *parents, last = name.lstrip("\\").split("\\")
    if not parents:
        return
    before = rb"\\{1,2}".join(re.escape(encode(each)) for each in parents)
    pattern = re.compile(
        rb"(?<![\w\\])\\{0,2}" + before + rb"\\{1,2}(" + re.escape(encode(last)) + rb")(?![\w\\])" + after
    )
    for found in pattern.finditer(source):
        yield found.start(1)


def _place(path: str, at: int, via: str | None, named: Name | Member) -> Place:
    return Place(
        path, at, "config", sure=True, via=via, reason=None if via else "configuration names it", stands_for=named
    )


def _by_service(subject: Subject, method: str) -> Iterator[Place]:
    """`web.controller::index`, where `web.controller` is the service that a controller is."""
    for identity in sorted(_identities(subject))[:MOST_SERVICES]:
        named = re.compile(
            rb"(?<![\w.\\])" + re.escape(encode(identity)) + rb"::?(" + re.escape(encode(method)) + rb")\b"
        )
        action = f"{identity}::{method}"
        paths = (*subject.asked.holding(action, SUFFIXES), *(path for path, _ in subject.texts(action)))
        for path in paths:
            for found in named.finditer(subject.asked.read(path)):
                yield Place(path, found.start(1), "config", sure=False, via="route", reason=None)


def _identities(subject: Subject) -> set[str]:
    """The names, other than its class's, under which configuration makes a service of the class."""
    found: set[str] = set()
    for name in subject.names:
        for path in subject.asked.holding(name.rpartition("\\")[2], SUFFIXES):
            said = read(subject.asked.read(path), xml=path.endswith(".xml"))
            found.update(each.id for each in said.services if same(each.name, name))
        for path in subject.holding(name, _CONTAINER):
            for named in naming(subject, name, path):
                made = (
                    next(calls_around(named.reading, named.nodes, most=1), None) if named.written == "class" else None
                )
                if made is not None and made[1] in ("set", "register") and len(arguments(made[0])) > 1:
                    found.add(text_of(named.reading, arguments(made[0])[0]) or "")
    return {each for each in found if _IDENTITY.fullmatch(each)}


_IDENTITY: Final = re.compile(r"[A-Za-z]\w*(?:[.-]\w+)+", re.ASCII)
MOST_SERVICES: Final = 4
"""Services of one class whose names are looked for."""


# ------------------------------------------------------------------------------------------------------------- code


def _in_code(subject: Subject) -> Iterator[Place]:
    """`->set('id', Foo::class)` and the like: the constructor, and methods that are named for it in the same chain."""
    method = subject.method
    assert method is not None
    more = () if subject.makes else (method,)
    for name in subject.names:
        for path in subject.holding(name, _CONTAINER, *more):
            for named in naming(subject, name, path):
                if named.written != "class":
                    continue
                made = next(calls_around(named.reading, named.nodes, most=1), None)
                if made is None or made[1] not in _SERVICE_CALLS:
                    continue
                if subject.makes:
                    yield Place(path, named.at, "config", sure=True, via="service")
                else:
                    yield from _chained(named, made[0], method)


def _chained(named: Named, made: tree_sitter.Node, method: str) -> Iterator[Place]:
    """The method's name in the calls that follow upon the one that names the class."""
    reading = named.reading
    depth = next((number for number, node in enumerate(named.nodes) if node.id == made.id), 0)
    for node in reversed(named.nodes[:depth]):
        if node.type not in CALLS:
            return
        name = called(reading, node)
        if name in _NEXT_SERVICE:
            return
        listed = node.child_by_field_name("arguments")
        if name not in _METHOD_CALLS or listed is None:
            continue
        via = "service tag" if "ag" in name else "factory" if "actory" in name else "service call"
        first = arguments(node)[:1]
        if name in ("call", "addMethodCall"):
            if first and text_of(reading, first[0]) == method:
                at = first[0].start_byte + 1
                yield Place(named.path, at, "config", sure=True, via=via)
            continue
        for at in strings_in(reading.source, listed.start_byte, listed.end_byte, method):
            before = reading.source[max(0, at - 60) : at - 1]
            if "ag" not in name or re.search(rb"['\"]method['\"]\s*=>\s*$", before) is not None:
                yield Place(named.path, at, "config", sure=True, via=via)

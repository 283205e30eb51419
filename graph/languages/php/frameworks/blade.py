"""Blade templates: searched by pattern for classes spelled in full, what is injected, and components."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from graph.expressions import Member, Name
from graph.git import encode
from graph.languages.base import Place
from graph.languages.php.frameworks.subject import Subject, arguments, called, calls_around, naming, text_of

_COMMENT: Final = re.compile(rb"\{\{--.*?(?:--\}\}|\Z)", re.DOTALL)
_ENDING: Final = ".blade.php"
_INJECTED: Final = re.compile(
    rb"@inject[ \t]*\([ \t]*['\"](\w+)['\"][ \t]*,[ \t]*(?:['\"]\\{0,2}([\w\\]+)['\"]|\\?([\w\\]+)::class)[ \t]*\)"
)
_IMPORTED: Final = re.compile(
    rb"(?:@use[ \t]*\([ \t]*['\"]\\{0,2}([\w\\]+)['\"][ \t]*(?:,[ \t]*['\"](\w+)['\"][ \t]*)?\)"
    rb"|^[ \t]*use[ \t]+\\?([\w\\]+)(?:[ \t]+as[ \t]+(\w+))?[ \t]*;)",
    re.MULTILINE,
)
_COMPONENT: Final = re.compile(r"^(?:\\\w+)+?\\View\\Components\\(.+)$")
_LIVEWIRE: Final = re.compile(r"^(?:\\\w+)*?\\Livewire\\(.+)$")
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_OF_COMPONENT: Final = frozenset({"__construct", "render", "shouldRender", "mount", "boot", "hydrate", "booted"})
_WORD: Final = re.compile(r"\w+", re.ASCII)
_REGISTERS: Final = re.compile(rb"\b(?:component|components)[ \t]*\(")
_VIEW: Final = re.compile(rb"\bview[ \t]*\([ \t]*['\"]([\w.:\-/]+)['\"]")


def places(subject: Subject) -> Iterator[Place]:
    """Where templates name the class or the method."""
    for name in subject.names if subject.method is not None else (subject.name,):
        yield from _spelled(subject, name)
        for tag, via in _tags(subject, name):
            if subject.method is None or subject.method in _OF_COMPONENT:
                yield from _tagged(subject, tag, via)
    if subject.method is not None and _LIVEWIRE.match(subject.name) is not None:
        yield from _actions(subject)


def _templates(subject: Subject, word: str) -> Iterator[tuple[str, bytes]]:
    """The templates that hold a word, comments blanked out."""
    paths = [path for path in subject.asked.holding(word) if path.endswith(_ENDING)]
    subject.asked.read_ahead(paths)
    for path in paths:
        yield path, _COMMENT.sub(lambda found: re.sub(rb"[^\n]", b" ", found.group()), subject.asked.read(path))


def _spelled(subject: Subject, name: str) -> Iterator[Place]:
    """`\\App\\Order::total()`, `new \\App\\Order`, and what `@inject` and `@use` name."""
    full = name.lstrip("\\")
    short = full.rpartition("\\")[2]
    method = subject.method
    stands_for = Name(subject.name, 0) if method is None else Member(Name(subject.name, 0), method, 0)
    for path, source in _templates(subject, short):
        names = [rb"\\{0,2}" + rb"\\{1,2}".join(re.escape(encode(part)) for part in full.split("\\"))]
        if "\\" not in full:
            names = [rb"\\?" + re.escape(encode(full))]
        for found in _IMPORTED.finditer(source):
            imported = (found.group(1) or found.group(3)).decode("utf-8", "replace").replace("\\\\", "\\")
            if imported.lower() == full.lower():
                names.append(found.group(2) or found.group(4) or re.escape(encode(short)))
        spelled = rb"(?<![\w\\$>:])(?:" + b"|".join(names) + rb")"
        if method is None:
            for found in re.finditer(spelled + rb"(?![\w\\])", source):
                yield _place(path, found.end() - len(encode(short)), stands_for)
            continue
        if method == "__construct":
            for found in re.finditer(rb"\bnew[ \t]+" + spelled + rb"(?![\w\\])", source):
                yield _place(path, found.end() - len(encode(short)), stands_for)
        else:
            for found in re.finditer(spelled + rb"::(" + re.escape(encode(method)) + rb")[ \t]*\(", source):
                yield _place(path, found.start(1), stands_for)
        for variable, at in _injected(source, full):
            if method == "__construct":
                yield _place(path, at, stands_for, "injection")
            for found in re.finditer(
                rb"\$" + variable + rb"\??->(" + re.escape(encode(method)) + rb")[ \t]*\(", source
            ):
                yield _place(path, found.start(1), stands_for, "injection")


def _injected(source: bytes, full: str) -> Iterator[tuple[bytes, int]]:
    """(variable, where the class is named) of what a template has injected of a class."""
    for found in _INJECTED.finditer(source):
        number = 2 if found.group(2) is not None else 3
        if found.group(number).decode("utf-8", "replace").replace("\\\\", "\\").lower() == full.lower():
            yield found.group(1), found.start(number) + found.group(number).rfind(b"\\") + 1


def _place(path: str, at: int, stands_for: Name | Member, via: str | None = None) -> Place:
    reason = None if via is not None else "a template names it"
    return Place(path, at, "template", sure=True, via=via, reason=reason, stands_for=stands_for)


# ------------------------------------------------------------------------------------------------------- components


def _kebab(parts: str) -> str:
    """`Forms\\TextInput` -> `forms.text-input`."""
    return ".".join(_HUMP.sub("-", part).lower() for part in parts.split("\\"))


def _tags(subject: Subject, name: str) -> Iterator[tuple[str, str]]:
    """The names of a component's tag: by where its class is, and those that it is registered under."""
    component, livewire = _COMPONENT.match(name), _LIVEWIRE.match(name)
    if livewire is not None:
        yield _kebab(livewire.group(1)), "livewire"
    elif component is not None:
        yield _kebab(component.group(1)), "component"
    if livewire is None and component is None and subject.method not in (None, *_OF_COMPONENT):
        return
    for path in subject.holding(name, _REGISTERS):
        for named in naming(subject, name, path):
            for call, how in calls_around(named.reading, named.nodes, most=1) if named.written == "class" else ():
                for each in arguments(call) if how == "component" else ():
                    text = text_of(named.reading, each)
                    if text is not None and called(named.reading, call) == "component":
                        yield text, "livewire" if b"Livewire" in named.reading.source[: named.at] else "component"


def _tagged(subject: Subject, tag: str, via: str) -> Iterator[Place]:
    """`<x-alert`, `<livewire:counter`, `@livewire('counter'`."""
    words = sorted(_WORD.findall(tag), key=lambda word: (-len(word), word))
    name = re.escape(encode(tag))
    written = rb"<x-(" if via == "component" else rb"(?:<livewire:|@livewire[ \t]*\([ \t]*['\"])("
    pattern = re.compile(written + name + rb")(?![\w.:-])")
    for path, source in _templates(subject, words[0]) if words else ():
        for found in pattern.finditer(source):
            yield Place(path, found.start(1), "template", sure=False, via=via)


def _actions(subject: Subject) -> Iterator[Place]:
    """`wire:click="save"` in the component's own view."""
    method = subject.method or ""
    found = _VIEW.search(subject.reading.source)
    matched = _LIVEWIRE.match(subject.name)
    assert matched is not None
    view = found.group(1).decode("ascii") if found is not None else "livewire." + _kebab(matched.group(1))
    ending = "/" + view.rpartition("::")[2].replace(".", "/") + _ENDING
    action = re.compile(rb"\bwire:[\w.:-]+=(?:\"|')[^\"'\n]{0,200}?\b(" + re.escape(encode(method)) + rb")\b")
    for path, source in _templates(subject, method):
        if path.endswith(ending):
            for place in action.finditer(source):
                yield Place(path, place.start(1), "template", sure=False, via="livewire")

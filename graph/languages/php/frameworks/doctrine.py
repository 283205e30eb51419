"""Doctrine's repositories: the class that an entity names, reached through the entity."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from graph.expressions import Call, Expression, Member, Name
from graph.git import encode
from graph.languages.base import Place
from graph.languages.php.frameworks.subject import Subject, full_name, naming
from graph.languages.php.reading import FUNCTIONS, Reading, reading_of
from graph.languages.php.references import reference_at
from graph.languages.php.words import places_of

_NAMED: Final = re.compile(rb"\brepositoryClass\b")
_ASKED: Final = re.compile(rb"\bgetRepository[ \t]*\(")
_ANNOTATED: Final = re.compile(rb"\brepositoryClass[ \t]*=[ \t]*(?:\"\\{0,2}([\w\\]+)\"|\\{0,2}([\w\\]+)::class)")


def places(subject: Subject) -> Iterator[Place]:
    """`$manager->getRepository(Order::class)->findPaid()`, directly or through a variable of the same function."""
    method = subject.method
    if method is None or method.startswith("__") or b"Repository" not in subject.reading.source:
        return
    for entity in dict.fromkeys(each for name in subject.names for each in _entities(subject, name)):
        for path in subject.holding(entity, _ASKED, method):
            syntax = subject.asked.parsed(path)
            for at in places_of(syntax.source, method) if syntax is not None else ():
                assert syntax is not None
                reading = reading_of(syntax)
                reference = reference_at(reading, at)
                if reference is None or reference.kind != "call" or not isinstance(reference.target, Member):
                    continue
                if _is_repository(reading, at, reference.target.object, entity):
                    yield Place(path, at, "call", sure=True, via="repository", call_at=reference.call_at)


def _entities(subject: Subject, name: str) -> Iterator[str]:
    """Full names of the entities that name the repository, in an attribute or a docblock."""
    for path in subject.holding(name, _NAMED):
        for named in naming(subject, name, path):
            attribute = next((each for each in named.nodes if each.type == "attribute"), None)
            around = named.nodes[-3] if len(named.nodes) > 3 else None
            if (
                attribute is None
                or around is None
                or b"repositoryClass" not in named.reading.source[around.start_byte : named.at]
            ):
                continue
            index = named.reading.enclosing_class(attribute.end_byte)
            found = [
                number
                for number, each in enumerate(named.reading.facts.definitions)
                if each.start <= named.at < each.end
            ]
            if found or index >= 0:
                yield full_name(named.reading, found[0] if found else index)
        syntax = subject.asked.parsed(path)
        for stated in _ANNOTATED.finditer(subject.asked.read(path)) if syntax is not None else ():
            assert syntax is not None
            reading = reading_of(syntax)
            written = (stated.group(1) or stated.group(2)).decode("utf-8", "replace").replace("\\\\", "\\")
            full = "\\" + written if stated.group(1) else reading.class_name(written, stated.start())
            if full.lstrip("\\").lower() == name.lstrip("\\").lower():
                below = next((n for n, each in enumerate(syntax.facts.definitions) if each.at > stated.end()), None)
                if below is not None:
                    yield full_name(reading, below)


def _is_repository(reading: Reading, at: int, receiver: Expression, entity: str) -> bool:
    """Whether a value is what `getRepository` gives for the entity."""
    match receiver:
        case Call(callee=Member(name="getRepository"), arguments=(first, *_)):
            return isinstance(first.value, Name) and first.value.id.lower() == entity.lower()
        case Name(id=variable) if variable.startswith("$"):
            body = next((each for each in reversed(reading.path(at)) if each.type in FUNCTIONS), reading.root)
            text = reading.source[body.start_byte : body.end_byte]
            given = re.findall(re.escape(encode(variable)) + rb"[ \t]*=(?![=>])([^;]{0,300});", text)
            asked = re.compile(rb"\bgetRepository[ \t]*\([ \t\r\n]*(\\?[\w\\]+)::class[ \t\r\n]*\)[ \t\r\n]*$")
            found = [each for value in given for each in asked.findall(value)]
            return (
                len(given) == 1
                and len(found) == 1
                and (reading.class_name(found[0].decode("utf-8", "replace"), at).lower() == entity.lower())
            )
        case _:
            return False

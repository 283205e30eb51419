"""Console commands that are called by their name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from graph.git import encode
from graph.languages.base import Place
from graph.languages.php.frameworks.subject import Subject, calls_around
from graph.languages.php.reading import Reading, reading_of

_NAMES: Final = re.compile(
    rb"\$(?:signature|defaultName|name)[ \t]*=[ \t\r\n]*(['\"])([\w:.-]+)(?=[\s'\"|{])"
    rb"|#\[[\w\\]*AsCommand[ \t]*\([ \t\r\n]*(?:name[ \t]*:[ \t]*)?(['\"])([\w:.-]+)(?=['\"|])"
    rb"|->setName[ \t]*\([ \t]*(['\"])([\w:.-]+)(?=['\"])"
)
_RUN: Final = frozenset({"handle", "execute", "__invoke"})
_CALLS: Final = frozenset(
    {"call", "callSilent", "callSilently", "command", "queue", "find", "get", "artisan", "runCommand", "add"}
)


def words(subject: Subject) -> Iterator[str]:
    """The name of the command that the class is."""
    name = _name(subject)
    if name:
        yield name


def _name(subject: Subject) -> str:
    """The command's name; "" for a class that is none, and for a name without a colon: a word like any other."""
    own = subject.reading.facts.definitions[subject.asked.owner]
    found = _NAMES.search(subject.reading.source, own.start, own.end) if subject.method in _RUN else None
    name = (found.group(2) or found.group(4) or found.group(6)).decode("ascii", "replace") if found is not None else ""
    return name if ":" in name and (name[0] + name[-1]).isalnum() else ""


def places(subject: Subject) -> Iterator[Place]:
    """`Artisan::call('orders:send')`, `$schedule->command('orders:send')`, `$application->find('orders:send')`."""
    name = _name(subject)
    if not name:
        return
    called = re.compile(rb"['\"](" + re.escape(encode(name)) + rb")(?=[ '\"])")
    for path, source in subject.texts(name):
        places_ = [each.start(1) for each in called.finditer(source)] if path != subject.asked.path else []
        syntax = subject.asked.parsed(path) if places_ else None
        if syntax is None:
            continue
        reading = reading_of(syntax)
        for at in places_:
            if _is_called(reading, at):
                yield Place(path, at, "call", sure=False, via="command")


def _is_called(reading: Reading, at: int) -> bool:
    if any(name in _CALLS for _, name in calls_around(reading, reading.path(at), most=1)):
        return True
    before = reading.source[max(0, at - 40) : at - 1]
    return re.search(rb"['\"]command['\"]\s*=>\s*$", before) is not None

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
_WORD: Final = re.compile(r"\w+", re.ASCII)


def places(subject: Subject) -> Iterator[Place]:
    """`Artisan::call('orders:send')`, `$schedule->command('orders:send')`, `$application->find('orders:send')`."""
    if subject.method not in _RUN or subject.reading.facts.definitions[subject.asked.owner].kind != "class":
        return
    own = subject.reading.facts.definitions[subject.asked.owner]
    found = _NAMES.search(subject.reading.source, own.start, own.end)
    name = (found.group(2) or found.group(4) or found.group(6)).decode("ascii", "replace") if found is not None else ""
    words = sorted(_WORD.findall(name), key=lambda word: (-len(word), word))
    # A name without a colon is a word like any other.
    if not words or ":" not in name:
        return
    called = re.compile(rb"['\"](" + re.escape(encode(name)) + rb")(?=[ '\"])")
    for path in subject.asked.holding(words[0])[:400]:
        source = subject.asked.read(path)
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

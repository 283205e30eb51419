"""What Symfony, Laravel and others call without naming it in code: configuration, routes, events, templates, specs.

Each module has the rules of one matter: a function from a `Subject` to places. None of them knows which framework a
repository uses: the words tell.
"""

from __future__ import annotations

from collections.abc import Iterator

from graph.languages.base import Asked, Place
from graph.languages.php.frameworks import blade, console, doctrine, eloquent, events, laravel, phpspec, symfony
from graph.languages.php.frameworks.configuration import SUFFIXES
from graph.languages.php.frameworks.models import MODEL_BASES, model_given_by
from graph.languages.php.frameworks.subject import subject_of

__all__ = ["MODEL_BASES", "SUFFIXES", "by_convention", "model_given_by", "words_by_convention"]


def by_convention(asked: Asked) -> Iterator[Place]:
    """All places from which a framework reaches the definition."""
    subject = subject_of(asked)
    if subject is None:
        return
    yield from symfony.places(subject)
    yield from laravel.places(subject)
    yield from eloquent.places(subject)
    yield from events.places(subject)
    yield from doctrine.places(subject)
    yield from console.places(subject)
    yield from blade.places(subject)
    yield from phpspec.places(subject)


def words_by_convention(asked: Asked) -> Iterator[str]:
    """The words that the rules will search for, as far as the definition's own file tells."""
    subject = subject_of(asked)
    if subject is not None and subject.method is not None:
        for module in (events, eloquent, console):
            yield from module.words(subject)
    if subject is not None:
        yield from phpspec.words(subject)

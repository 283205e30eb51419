"""What could not be parsed is counted, however it is nested."""

from __future__ import annotations

import time

import pytest

from graph.index import read_source
from graph.languages import language_of
from graph.languages.base import Syntax

MANY = 80_000


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("a.py", b"x = 1 + \\\n" * MANY + b"1\n"),
        ("a.php", b"<?php\n" + b"$x = (1 +\n" * MANY),
        ("a.go", b"package a\n\nvar x = " + b"(1 + \n" * MANY),
        ("a.ts", b"x = (1 +\n" * MANY),
        ("a.tsx", b"x = <a>{1 +\n" * (MANY // 4)),
    ],
)
def test_tens_of_thousands_of_errors_in_each_other_take_a_minute(name: str, source: bytes) -> None:
    language = language_of(name)
    assert language is not None
    started = time.process_time()
    read = read_source(source, language)
    assert time.process_time() - started < 20
    assert isinstance(read, Syntax)
    assert read.facts.degraded > 0


def test_a_name_that_is_missing_at_the_very_start_is_not_counted() -> None:
    language = language_of("a.py")
    assert language is not None
    read = read_source(b".objects.all()\n", language)
    assert isinstance(read, Syntax)
    assert read.facts.degraded == 1

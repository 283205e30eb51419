"""Where a word of a file stands is worked out when it is asked for, and without parsing where nothing can stand."""

from __future__ import annotations

import pytest

from graph.languages import language_of
from graph.languages.base import Syntax
from graph.program import Program


class OneFile:
    """A tree of one file, and how often it was parsed."""

    def __init__(self, path: str, source: bytes) -> None:
        language = language_of(path)
        assert language is not None
        self.paths = {path: "0"}
        self.source = source
        self.parsed = 0
        tree = language.parse(source)
        self._syntax = Syntax(source, tree, language.extract(source, tree))
        self.program = Program(self, lambda path: self._syntax.facts, self._parse)

    def read(self, path: str) -> bytes:
        return self.source

    def children(self, directory: str) -> list[str]:
        return []

    def _parse(self, path: str) -> Syntax:
        self.parsed += 1
        return self._syntax


@pytest.mark.parametrize(
    ("path", "source", "word"),
    [
        ("a.py", b"'price'  # price\n", "price"),
        ("a.ts", b"f('price') // price\n", "price"),
        ("a.go", b'package a\n\nvar s = "price" // price\n', "price"),
        ("a.php", b"<?php f('price'); // price\n", "price"),
        ("a.php", b"<?php $a->price;\n", "price"),
        ("a.php", b"<?php /** @method int price() */ class A {}\n", "price"),
        ("a.py", b"def f(): pass\n", "def"),
    ],
)
def test_a_file_is_parsed_for_a_word_that_does_not_stand_in_its_code(path: str, source: bytes, word: str) -> None:
    one = OneFile(path, source)
    assert one.program.places(path, word) == ()
    assert not one.parsed


def test_a_dashed_component_is_not_found_by_its_name() -> None:
    one = OneFile("a.vue", b"<template><order-list/></template>\n")
    assert one.program.places("a.vue", "OrderList") == (11,)
    assert not one.parsed


def test_a_word_is_sought_again_each_time_that_it_is_asked_for() -> None:
    one = OneFile("a.py", b"price = price + 1\n")
    assert one.program.places("a.py", "price") == one.program.places("a.py", "price") == (0, 8)
    assert one.parsed == 1


def test_a_word_of_the_builtins_stands_nowhere() -> None:
    one = OneFile("a.py", b"x = 1\n")
    stub = one.program.builtins("a.py")
    source = one.program.syntax(stub)
    assert source is not None
    places = one.program.places(stub, "append")
    assert places and all(source.source[at : at + 6] == b"append" for at in places)

"""Input that is meant to break a reader of PHP, or merely does."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph.languages.base import Syntax
from graph.languages.php import PHP
from graph.languages.php.implicit import MAGIC
from graph.languages.php.reading import reading_of
from graph.languages.php.types import written_type
from tests.languages.php.sources import index, read
from tests.languages.php.test_php_facts import SOURCE
from tests.languages.words import all_places

DEEP = 16_000

REAL = (
    SOURCE
    + rb"""
/** @var Order<Foo, array{a: int, 'b'?: Bar}>|null $x */
$x = [1, 'a' => new Foo(...$xs), fn (int $i): ?Foo => $i ?? throw new E];
foreach ($x as ['a' => $y, $z]) { [$a, , [$b]] = $y?->m(n: 1)->{$dyn}()['k'] ?? self::$q; }
match (true) { $x instanceof A, $x instanceof B => f('A::b'), default => [$this, 'm'] };
$s = <<<EOT
  {$x->a['b']} ${y} $z[0]
  EOT . "a {$b->c(fn () => 1)}";
try { static fn () => yield from g(); } catch (A | B) {} finally { unset($x); }
?><p><?= $x->y() ?></p>
"""
)


def everything(syntax: Syntax, offsets: list[int]) -> None:
    for at in offsets:
        reference = PHP.reference(syntax, at)
        PHP.scopes(syntax, at)
        PHP.enclosing_class(syntax, at)
        PHP.expression(syntax, at, -1)
        if reference is not None:
            PHP.arguments(syntax, reference.call_at)
            PHP.narrowed(syntax, at, reference.target)
    for definition in range(len(syntax.facts.definitions)):
        PHP.bases(syntax, definition)
        PHP.renamed(syntax, definition)
        PHP.fields(syntax, definition)
        PHP.result(syntax, definition)
        PHP.parameter_types(syntax, definition)
        PHP.value(syntax, definition)
        PHP.type_parameters(syntax, definition)
        PHP.decorated(syntax, definition)
    for name in sorted(MAGIC):
        PHP.implicit_uses(syntax, name)


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=400))
def test_random_bytes_raise(source: bytes) -> None:
    syntax = read(b"<?php " + source)
    everything(syntax, all_places(PHP, syntax))
    everything(read(source), list(range(0, len(source), 7)))


@settings(max_examples=150, deadline=None)
@given(st.randoms(use_true_random=False))
def test_real_code_with_damage_raises(chance: random.Random) -> None:
    source = bytearray(REAL)
    for _ in range(chance.randrange(1, 12)):
        at = chance.randrange(len(source))
        piece = chance.choice(
            [b"'", b'"', b"/*", b"?>", b"<?php", b"{", b"}", b"(", b"\0", b"\xff", b"class ", b"<<<A\n"]
        )
        source[at : at + chance.randrange(12)] = piece
    syntax = read(bytes(source))
    for each in syntax.facts.definitions:
        assert 0 <= each.start <= each.at <= each.end <= len(source)
    everything(syntax, all_places(PHP, syntax))


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="AB<>(){}[],|&?:$' \"=.*\\-x1\n", max_size=60))
def test_a_type_in_a_docblock_raises(written: str) -> None:
    written_type(reading_of(read(b"<?php ")), written, 0)


@pytest.mark.parametrize(
    "source",
    [
        b"<?php " + b"(" * DEEP + b")" * DEEP + b";",
        b"<?php $x = " + b"[" * DEEP + b"]" * DEEP + b";",
        b"<?php " + b"if (1) {" * DEEP + b"}" * DEEP,
        b"<?php $x" + b"->a()" * DEEP + b";",
        b"<?php $x = " + b"1 . " * DEEP + b"1;",
        b"<?php $x = " + b"$a ? 1 : (" * 3000 + b"1" + b")" * 3000 + b";",
        b"<?php " + b"function f() { " * 3000 + b"}" * 3000,
        b"<?php /** @var " + b"array<" * DEEP + b" $x */ $x = 1;",
        b"<?php " + b"new class { function f() { " * 1000 + b"}}" * 1000 + b";",
    ],
    ids=["parentheses", "arrays", "ifs", "chain", "concatenation", "ternaries", "functions", "type", "classes"],
)
def test_deep_nesting_is_slow_or_overflows(source: bytes) -> None:
    begun = time.perf_counter()
    syntax = read(source)
    offsets = all_places(PHP, syntax)[-3:]
    everything(syntax, [*offsets, len(source) // 2, len(source) - 2])
    assert time.perf_counter() - begun < 30


@pytest.mark.parametrize(
    "source",
    [
        b"\xef\xbb\xbf<?php\nfunction f() {}\n",
        b"<?php\r\nfunction f() {}\r\n",
        b"<?php\rfunction f() {}\r",
        b"<?php\n\0\nfunction f() {}\n",
        b"<?php\n// \xff\xfe\nfunction f() {}\n",
        b"<html>\n<?php function f() {} ?>\n",
    ],
    ids=["bom", "crlf", "cr", "nul", "utf8", "html"],
)
def test_odd_bytes_hide_a_declaration(source: bytes) -> None:
    syntax = read(source)
    found = syntax.facts.definitions[index(syntax, "f")]
    assert source[found.at : found.at + 1] == b"f"
    assert found.line == source.count(b"\n", 0, found.at) + 1


@pytest.mark.parametrize("source", [b"", b"\n", b"<?php", b"<?php // nothing", b"text", b"<?php ?>"])
def test_an_empty_file_is_unreadable(source: bytes) -> None:
    facts = read(source).facts
    assert (facts.definitions, facts.unreadable, facts.degraded) == ((), False, 0)


def test_a_broken_file_passes_for_a_whole_one() -> None:
    assert read(b"<?php class { ((( function = ; $$ => ) [ class ] ?? ->\n").facts.degraded > 0

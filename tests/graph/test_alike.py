"""Two stretches of source walked side by side: never another answer than their tokens give."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from graph.alike import alike
from graph.tokens import same_tokens, tokens
from tests.graph.sources import syntax

ROOT = Path(__file__).parents[2]
EDITS = ("", ",", ";", "(", ")", "x", " # why\n", "\n", "'a'", "b, ", "not ", "[0]", " | None", "\t")

TYPESCRIPT = """
export async function load(id: number, options?: Array<string>): Promise<string[]> {
  const found = await fetch(`/${id}`, { cache: 'none', retries: 2 });
  if (found?.ok) {
    return (found.rows).map((row) => row.name);
  }
  throw new Error("nothing");
}
"""
GO = """package a

func Load(id int, more ...interface{}) (string, error) {
	if id > 0 { // fine
		return fmt.Sprint(id, more), nil
	}
	return "", errors.New("none")
}
"""
PHP = """<?php
function load(?int $id, array $more = [], Order $o = null): ?string {
    foreach ($more as $key => $each) {
        if ($each !== null) { return $each->name('a', $key); }
    }
    return null;
}
"""


def walked_and_read(path: str, one: bytes, other: bytes) -> tuple[bool | None, bool]:
    """What the walk says, and what the tokens do."""
    old, new = syntax(path, one), syntax(path, other)
    said = alike((old, 0, len(one)), (new, 0, len(other)))
    return said, same_tokens(tokens(old, 0, len(one)), tokens(new, 0, len(other)))


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", (ROOT / "graph" / "dots.py").read_text("utf-8")),
        ("a.py", (ROOT / "graph" / "quoting.py").read_text("utf-8")),
        ("a.ts", TYPESCRIPT.strip()),
        ("a.go", GO),
        ("a.php", PHP),
    ],
)
def test_the_walk_and_the_tokens_disagree(path: str, text: str) -> None:
    chance = random.Random(1)
    places = [match.start() for match in re.finditer(r"\b", text)]
    said = 0
    for _ in range(150):
        start, cut = chance.choice(places), chance.choice((0, 0, 1, 2))
        changed = text[:start] + chance.choice(EDITS) + text[start + cut :]
        walked, read = walked_and_read(path, text.encode(), changed.encode())
        assert walked in (None, read), changed
        said += walked is not None
    assert said > 50


def test_a_walk_through_deep_nesting_takes_the_stack() -> None:
    deep = b"x = " + b"(" * 5000 + b"1" + b")" * 5000 + b"\n"
    assert walked_and_read("a.py", deep, deep.replace(b"1", b"2")) == (False, False)
    nested = b"x = " + b"[" * 3000 + b"1" + b"]" * 3000 + b"\n"
    walked, read = walked_and_read("a.py", nested, nested.replace(b"1", b"2"))
    assert walked in (None, False)
    assert read is False

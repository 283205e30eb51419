"""Classes that have what an interface asks for without naming it, and those that only have its names."""

from __future__ import annotations

import pytest

from tests.graph.stories import Repo

USE = 'import { Generator } from "./i";\nexport const run = (g: Generator) => g.generate();  // MAYBE\n'


def _story(repo: Repo, asked: str, before: str, after: str) -> Repo:
    interface = f"export interface Generator {{ generate{asked}; }}\n"
    files = {"i.ts": interface, "s.ts": f"export class Source {{\n  {before}\n}}\n", "u.ts": USE}
    return repo.commit(files).commit({"s.ts": f"export class Source {{\n  {after}\n}}\n"})


@pytest.mark.parametrize(
    ("asked", "method"),
    [
        ("(o?: string): Promise<string[]>", 'generate(): string { return "1"; }'),
        ("(): string", "async generate() { return 1; }"),
        ("(): Promise<string>", "generate(): Promise<number> { return get(1); }"),
        ("(): Map<string, number>", "generate(): Set<string> { return new Set(1); }"),
        ("(a: string): string", "generate(a: string, b: string): string { return '1'; }"),
    ],
)
def test_what_calls_an_interface_reaches_a_class_of_which_nothing_can_be_the_interface(
    repo: Repo, asked: str, method: str
) -> None:
    brief = _story(repo, asked, method, method.replace("1", "2")).brief()
    assert brief.changes() == {"Source.generate": "body"}
    assert brief.callers("Source.generate") == []


@pytest.mark.parametrize(
    ("asked", "method"),
    [
        ("(o?: string): Promise<string[]>", "async generate(): Promise<string[]> { return ['1']; }"),
        ("(): ReadonlyArray<string>", "generate(): Array<string> { return ['1']; }"),
        ("(): string | number", "generate(): string { return '1'; }"),
        ("(): void", "generate(): string { return '1'; }"),
        ("(): unknown", "generate(): string { return '1'; }"),
        ("(a: string, b: string): string", "generate(a: string): string { return '1'; }"),
        ("(...all: string[]): string", "generate(a: string, b: string): string { return '1'; }"),
        ("(): Iterable<string>", "generate(): Set<string> { return new Set(['1']); }"),
        ("<T>(): Promise<T>", "generate(): Promise<string> { return get('1'); }"),
        ("(): string", "generate() { return 1; }"),
    ],
)
def test_a_class_that_may_well_be_the_interface_is_out_of_reach(repo: Repo, asked: str, method: str) -> None:
    brief = _story(repo, asked, method, method.replace("1", "2")).brief()
    assert brief.callers("Source.generate") == repo.marked()


def test_a_class_that_was_the_interface_before_the_change_is_out_of_reach(repo: Repo) -> None:
    before, after = "generate(): string { return '1'; }", "async generate(): Promise<string> { return '1'; }"
    brief = _story(repo, "(): string", before, after).brief()
    assert brief.changes() == {"Source.generate": "signature"}
    assert brief.callers("Source.generate") == repo.marked()


def test_a_protocol_in_python_is_anything_of_its_names(repo: Repo) -> None:
    use = """
        from typing import Protocol
        class Codec(Protocol):
            def encode_all(self, text: str) -> bytes: ...
        def run(codec: Codec):
            return codec.encode_all('')
        """
    source = "class Source:\n    def encode_all(self, text: str) -> str:\n        return '1'\n"
    repo.commit({"u.py": use, "s.py": source}).commit({"s.py": source.replace("1", "2")})
    assert repo.brief().callers("Source.encode_all") == []

"""Inputs that nobody wrote for us: deep, broken, odd bytes."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.languages.typescript.reading import Read
from tests.languages.words import all_places, places

DEPTH = 16_000

DEEP = {
    "parentheses": "x = " + "(" * DEPTH + "foo" + ")" * DEPTH,
    "arrays": "x = " + "[" * DEPTH + "foo" + "]" * DEPTH,
    "objects": "x = " + "{a:" * DEPTH + "foo" + "}" * DEPTH,
    "blocks": "{" * DEPTH + "foo()" + "}" * DEPTH,
    "functions": "function f() {" * 3000 + "foo()" + "}" * 3000,
    "arrows": "() => {" * 3000 + "foo()" + "}" * 3000,
    "calls": "foo" + ".a()" * DEPTH,
    "sums": "x = " + "a + " * DEPTH + "foo",
    "unions": "type X = " + "A | " * DEPTH + "foo",
    "else-ifs": "if (a) {} else " * DEPTH + "foo()",
    "ternaries": "x = " + "a ? b : " * DEPTH + "foo",
    "classes": "class A { m() {" * 2000 + "foo" + "}}" * 2000,
    "entries": "x = [" + "a, " * 50_000 + "foo]",
}


def exercise(read: Read, most: int = 40) -> None:
    """Ask everything that can be asked about the first places and definitions."""
    language, syntax = read.language, read.syntax
    for at in all_places(language, syntax, most)[:most]:
        found = language.reference(syntax, at)
        language.scopes(syntax, at)
        language.enclosing_class(syntax, at)
        language.expression(syntax, at, -1)
        if found is not None:
            language.narrowed(syntax, at, found.target)
            language.arguments(syntax, found.call_at)
    for index in range(min(most, len(read.facts.definitions))):
        language.bases(syntax, index)
        language.fields(syntax, index)
        language.type_parameters(syntax, index)
        language.result(syntax, index)
        language.parameter_types(syntax, index)
        language.alias(syntax, index)
        language.value(syntax, index)
        language.decorated(syntax, index)


@pytest.mark.parametrize("name", sorted(DEEP))
def test_deep_code_is_read_without_recursion(name: str) -> None:
    read = Read("ts", DEEP[name])
    assert "foo" in read.facts.names
    at = places(read.language, read.syntax, "foo")[0]
    read.language.reference(read.syntax, at)
    read.language.scopes(read.syntax, at)
    read.language.expression(read.syntax, 0, -1)
    read.language.expression(read.syntax, 4, -1)


def test_a_byte_order_mark_and_carriage_returns_change_nothing() -> None:
    read = Read("ts", b"\xef\xbb\xbfimport { a } from './m';\r\nexport function f() {}\r\n")
    assert [(each.module, each.name, each.line) for each in read.facts.imports] == [("./m", "a", 1)]
    assert read.defined("f").line == 2
    assert read.facts.degraded == 0


def test_bytes_that_are_not_text_leave_the_rest_of_the_file() -> None:
    read = Read("ts", b"const s = '\xff\xfe';\nexport function f() {}\nlet \xff = 1;\nexport function g() {}\n")
    assert {"f", "g"} <= {each.name for each in read.facts.definitions}


def test_a_nul_byte_leaves_the_rest_of_the_file() -> None:
    read = Read("ts", b"const s = '\x00';\nexport function f() {}\n")
    assert "f" in {each.name for each in read.facts.definitions}


def test_a_file_that_is_mostly_an_error_is_unreadable() -> None:
    assert Read("ts", "<<<<<<< a\n%%%% ((( {{{ \n=======\n >>>>>>> ]] ]] " * 30).facts.unreadable
    assert Read("ts", "export function f() {}\nlet = = ;\n").facts.degraded > 0
    assert not Read("ts", "export function f() { return 1 + 2 + 3 }\nlet = = ;\n").facts.unreadable


@pytest.mark.parametrize("text", ["", "\n", "// only a comment", "#!/usr/bin/env node\n", "/*"])
def test_an_empty_file_is_a_module_without_names(text: str) -> None:
    facts = Read("ts", text).facts
    assert (facts.definitions, facts.imports, facts.unreadable) == ((), (), False) or text == "/*"


def test_qualified_names_of_nested_code_stay_short() -> None:
    read = Read("ts", "function f() {" * 2000 + "}" * 2000)
    assert sum(len(each.qualified) for each in read.facts.definitions) < 1_000_000


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(["ts", "tsx", "js"]), st.binary(max_size=400))
def test_no_bytes_raise(kind: str, source: bytes) -> None:
    exercise(Read(kind, source.replace("«".encode(), b"")))


PIECES = [
    "class A<T extends B = C> extends D<E> implements F { @g() private readonly x?: H = 3; static m = async (a) => a }",
    "export const api = { list() {}, users: { get: () => {} }, ...spread };",
    "const { a: { b = 1 }, ...c } = require('./x'), [d, , e] = await import('./y');",
    "for (const { a } of xs) { if (!(a instanceof B)) continue; a.m?.(x!.y as Z, ...rest) }",
    "module.exports = { a, b: f, c() { return this.d } }; Foo.prototype.bar = function () { this.x = 1 };",
    "type X<T> = T extends infer U ? { [K in keyof U]: U[K] } : import('./z').W<typeof q['r']>;",
    "namespace N.M { export import a = B.C; declare const d: string } declare global { var e: F }",
    "label: switch (a) { case 1: let b = `x${c}`; default: function g({ h }, [i] = j) {} }",
    "enum E { A = 1, B = A << 1 } export default abstract class { abstract m(): this; get [x]() { return super.y } }",
    "const el = <Menu.Item a={b} {...c}>{d ? <E /> : f(g => g)}</Menu.Item>;",
    "export { a as default, type b } from './m'; export * as ns from 'n'; import h = require('h'); export = h;",
    "/** @param {Map<string, A[]>} a @returns {?B} */ exports.f = exports.g = (a, { b }) => (c, d);",
]


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_no_mutation_of_real_code_raises(data: st.DataObject) -> None:
    source = "\n".join(data.draw(st.lists(st.sampled_from(PIECES), min_size=1, max_size=4))).encode()
    for _ in range(data.draw(st.integers(0, 4))):
        at = data.draw(st.integers(0, len(source)))
        end = min(len(source), at + data.draw(st.integers(0, 6)))
        source = source[:at] + data.draw(st.binary(max_size=4)) + source[end:]
    exercise(Read(data.draw(st.sampled_from(["ts", "tsx", "js"])), source.replace("«".encode(), b"")))


def test_the_same_bytes_give_the_same_facts() -> None:
    source = "\n".join(PIECES)
    assert Read("ts", source).facts == Read("ts", source).facts


def test_types_passed_on_whole_count_as_unreadable() -> None:
    read = Read("ts", "export type * from './a';\nexport type * as b from './b';\n")
    assert [(each.module, each.exported_as) for each in read.facts.imports] == [("./a", "*"), ("./b", "b")]
    assert read.facts.degraded == 0

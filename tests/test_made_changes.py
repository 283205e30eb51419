"""The made changes of the verdicts' bench: each is one edit that still parses and leaves every line where it was."""

from __future__ import annotations

import ast

import pytest
from tree_sitter import Node

from bench.made_changes import (
    Change,
    applied,
    python_changes,
    python_fields,
    python_probe,
    typescript_changes,
    typescript_probe,
    typescript_properties,
)
from graph.languages import language_of


def node(path: str, source: bytes, kind: str) -> Node:
    language = language_of(path)
    assert language is not None
    pending = [language.parse(source).root_node]
    while pending:
        each = pending.pop(0)
        if each.type == kind:
            return each
        pending.extend(each.named_children)
    raise AssertionError(f"no {kind}")


def by_kind(source: bytes, changes: list[Change]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for change in changes:
        made = applied(source, change.splices)
        assert made != source
        assert made.count(b"\n") == source.count(b"\n"), change
        found.setdefault(change.kind, []).append(made.decode())
    return found


@pytest.mark.parametrize(
    "parameters",
    [
        "",
        "self",
        "self, a, b=1",
        "self, a: int, *rest, b: str = 'x', **more",
        "self, a, /, b, *, c, d=1",
        "a,",
        "self,\n    a: dict[str, int] = {},\n    b=(\n        1\n    ),\n    *,\n    c,\n",
    ],
)
def test_a_made_change_of_python_breaks_the_file_or_moves_its_lines(parameters: str) -> None:
    source = f"class C:\n  def f({parameters}):\n    pass\n".encode()
    listed = node("a.py", source, "parameters")
    found = by_kind(source, list(python_changes(listed, bound=parameters.startswith("self"))))
    for made in [*(each for texts in found.values() for each in texts)]:
        ast.parse(made)
    ast.parse(applied(source, python_probe(listed, bound=parameters.startswith("self"))))
    assert "parameter added, required" in found


def test_the_changes_of_a_python_signature_are_not_those_that_they_are_called() -> None:
    source = b"def f(a, b=1, *, c, d=2, **e): pass\n"
    found = by_kind(source, list(python_changes(node("a.py", source, "parameters"), bound=False)))
    assert found["parameter added, required"] == ["def f(a, made_anew, b=1, *, c, d=2, **e): pass\n"]
    assert found["parameter added, keyword-only and required"] == ["def f(a, b=1, *, made_anew, c, d=2, **e): pass\n"]
    assert "def f(b=1, *, c, d=2, **e): pass\n" in found["parameter removed"]
    assert "def f(a, b=1, *, c, made_anew=2, **e): pass\n" in found["parameter renamed"]
    assert "def f(a, b, *, c, d=2, **e): pass\n" in found["parameter made required"]
    assert "def f(a=None, b=1, *, c, d=2, **e): pass\n" in found["parameter made optional"]
    assert found["keywords (**) removed"] == ["def f(a, b=1, *, c, d=2): pass\n"]


def test_a_field_of_a_data_class_is_changed_so_that_the_class_no_longer_parses() -> None:
    source = b"class C:\n    a: int\n    b: dict = field(\n        default_factory=dict\n    )\n"
    found = by_kind(source, list(python_fields(node("a.py", source, "block"))))
    assert set(found) == {"field added, required", "field renamed", "field removed"}
    for made in [each for texts in found.values() for each in texts]:
        ast.parse(made)


def test_the_changes_of_a_typescript_signature_are_not_those_that_they_are_called() -> None:
    source = b"function f(a: number, o: Options, b?: string, ...rest: string[]) {}\n"
    listed = node("a.ts", source, "formal_parameters")
    found = by_kind(source, list(typescript_changes(listed)))
    assert "function f(a: number, o: Options, made_anew: unknown, b?" in found["parameter added, required"][0]
    assert ", b: string, ...rest" in found["parameter made required"][0]
    assert "o?: Options, b?: string" in found["parameter made optional"][0]
    language = language_of("a.ts")
    assert language is not None
    for made in [each for texts in found.values() for each in texts]:
        assert not language.parse(made.encode()).root_node.has_error, made
    assert not language.parse(applied(source, typescript_probe(listed))).root_node.has_error


def test_a_property_of_an_interface_is_changed_so_that_its_lines_move() -> None:
    source = b"interface A {\n  x: {\n    y: number\n  };\n  z?: string,\n}\n"
    found = by_kind(source, list(typescript_properties(node("a.ts", source, "interface_body"))))
    assert set(found) == {
        "property added, required",
        "property added, optional",
        "property renamed",
        "property removed",
        "property made required",
        "property made optional",
    }
    assert found["property made required"] == ["interface A {\n  x: {\n    y: number\n  };\n  z: string,\n}\n"]


def test_the_comma_after_the_only_parameter_is_left_behind() -> None:
    source = b"const g = (a: number,) => 1\n"
    found = by_kind(source, list(typescript_changes(node("a.ts", source, "formal_parameters"))))
    assert found["parameter removed"] == ["const g = () => 1\n"]

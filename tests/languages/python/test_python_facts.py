"""What one Python file says of itself."""

from __future__ import annotations

import re

import pytest

from graph.facts import Definition, Import, Parameter
from graph.languages.python import PYTHON
from tests.languages.python.marked import index, marked, read
from tests.languages.words import places


def definitions(code: str) -> list[tuple[str, str, int]]:
    return [(d.qualified, d.kind, d.line) for d in marked(code)[0].facts.definitions]


def test_functions_classes_and_what_they_hold_are_definitions_in_source_order() -> None:
    found = definitions(
        """\
        import os
        LIMIT = 3
        name: str = "x"
        def outer(a):
            def inner(): pass
            local = 1
        class Order(Base):
            field = 1
            def total(self): pass
            class Meta:
                def deep(self): pass
        """
    )
    assert found == [
        ("LIMIT", "constant", 2),
        ("name", "variable", 3),
        ("outer", "function", 4),
        ("outer.inner", "function", 5),
        ("Order", "class", 7),
        ("Order.total", "method", 9),
        ("Order.Meta", "class", 10),
        ("Order.Meta.deep", "method", 11),
    ]


def test_definitions_under_if_try_and_with_belong_to_the_module_or_class_around() -> None:
    found = definitions(
        """\
        try:
            import fast
        except ImportError:
            def fallback(): pass
        if A:
            class C:
                if B:
                    def m(self): pass
        else:
            X, (y, *z) = 1, (2, 3)
        with lock:
            a = b = 1
        """
    )
    assert found == [
        ("fallback", "function", 4),
        ("C", "class", 6),
        ("C.m", "method", 8),
        ("X", "constant", 10),
        ("y", "variable", 10),
        ("z", "variable", 10),
        ("a", "variable", 12),
        ("b", "variable", 12),
    ]


def test_a_decorated_definition_spans_its_decorators_but_its_line_is_that_of_its_name() -> None:
    syntax, _ = marked("\n@app.route('/x')\n@cached\nasync def view(request): yield 1\n")
    view = syntax.facts.definitions[0]
    assert (view.first_line, view.line, view.end_line) == (2, 4, 4)
    assert syntax.source[view.start : view.end].startswith(b"@app.route")
    assert view.decorators == ("app.route", "cached")
    assert view.modifiers == ("async", "generator")
    assert view.declaration == "async def view(request)"


@pytest.mark.parametrize(
    ("decorator", "modifiers"),
    [
        ("@property", ("property",)),
        ("@functools.cached_property", ("property",)),
        ("@total.setter", ("setter",)),
        ("@staticmethod", ("static",)),
        ("@classmethod", ("classmethod",)),
        ("@abc.abstractmethod", ("abstract",)),
        ("@property\n    @abstractmethod", ("property", "abstract")),
        ("@t.overload", ("overload",)),
        ("@other", ()),
    ],
)
def test_decorators_become_modifiers(decorator: str, modifiers: tuple[str, ...]) -> None:
    syntax, _ = marked(f"class C:\n    {decorator}\n    def total(self): ...\n")
    assert syntax.facts.definitions[1].modifiers == modifiers


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ("", ()),
        ("self, a", (Parameter("self"), Parameter("a"))),
        ("a, /, b", (Parameter("a", "positional-only"), Parameter("b"))),
        (
            "a=1, *, b, c=2",
            (Parameter("a", "positional", True), Parameter("b", "keyword-only"), Parameter("c", "keyword-only", True)),
        ),
        (
            "*args: int, k, **kw",
            (Parameter("args", "rest", True, "int"), Parameter("k", "keyword-only"), Parameter("kw", "keywords", True)),
        ),
        (
            "a: dict[str, int] = {}, b: 'X' = None",
            (Parameter("a", "positional", True, "dict[str, int]"), Parameter("b", "positional", True, "'X'")),
        ),
        (
            "f=lambda x, y: (x, y), # comment, with = signs\n  g=','",
            (Parameter("f", "positional", True), Parameter("g", "positional", True)),
        ),
        (
            "a: Callable[[int], str], b: int=(1, 2)[0]",
            (Parameter("a", type="Callable[[int], str]"), Parameter("b", "positional", True, "int")),
        ),
        ("a=x == y, b=1", (Parameter("a", "positional", True), Parameter("b", "positional", True))),
    ],
)
def test_parameters_are_read_whatever_stands_in_them(declared: str, expected: tuple[Parameter, ...]) -> None:
    syntax, _ = marked(f"def f({declared}): pass\n")
    assert syntax.facts.definitions[0].parameters == expected


def test_a_parameter_is_taken_for_what_the_same_text_was_in_another_function() -> None:
    syntax, _ = marked("def f(a: int = 1): pass\ndef g(*, a: int = 1): pass\ndef h(a: int = 1, /): pass\n")
    kinds = [definition.parameters for definition in syntax.facts.definitions]
    assert kinds == [
        (Parameter("a", "positional", True, "int"),),
        (Parameter("a", "keyword-only", True, "int"),),
        (Parameter("a", "positional-only", True, "int"),),
    ]


def test_enums_and_protocols_are_told_from_other_classes() -> None:
    found = definitions(
        "class Color(str, enum.Enum): RED = 1\nclass Shape(Protocol[T]): pass\nclass C(Base[Enum]): pass\n"
    )
    assert [(n, k) for n, k, _ in found] == [("Color", "enum"), ("Shape", "interface"), ("C", "class")]


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("import a", [Import("a", None, "a", 7, 1)]),
        ("import a.b as c", [Import("a.b", None, "c", 9, 1)]),
        ("import a.b.c", [Import("a.b.c", None, None, 11, 1), Import("a", None, "a", 7, 1)]),
        ("from . import x", [Import(".", "x", "x", 14, 1)]),
        (
            "from ..pkg.mod import (x as y,\n  z)",
            [Import("..pkg.mod", "x", "y", 23, 1), Import("..pkg.mod", "z", "z", 33, 2)],
        ),
        ("from m import *", [Import("m", None, None, 14, 1, "star")]),
        ("from __future__ import annotations", []),
        ("if TYPE_CHECKING:\n    from m import T", [Import("m", "T", "T", 36, 2, "type")]),
        ("try:\n    import fast\nexcept ImportError: pass", [Import("fast", None, "fast", 16, 2)]),
        ("def f():\n    import late", [Import("late", None, "late", 20, 2, top=False)]),
        ("x = importlib.import_module('a.b')", [Import("a.b", None, None, 29, 1, "dynamic")]),
        ("def f():\n  return __import__('a')", [Import("a", None, None, 30, 2, "dynamic", top=False)]),
        ("# importlib.import_module('a.b')", []),
    ],
)
def test_imports(statement: str, expected: list[Import]) -> None:
    assert list(marked(statement + "\n")[0].facts.imports) == expected


def test_the_same_import_statement_is_found_in_the_wrong_place_when_it_comes_again() -> None:
    twice = "from m import (\n  a,\n)\n"
    syntax, _ = marked(f"{twice}if TYPE_CHECKING:\n  {twice}def f():\n  {twice}")
    assert [(each.at, each.line, each.kind, each.top) for each in syntax.facts.imports] == [
        (18, 2, "import", True),
        (61, 6, "type", True),
        (95, 10, "import", False),
    ]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("x = 1", None),
        ("__all__ = ['a', \"b\"]", ("a", "b")),
        ("__all__ = ('a',) + ('b',)\n__all__ += ['c']\n__all__.extend(['d'])\n__all__.append('e')", tuple("abcde")),
        ("__all__: list[str] = ['a']", ("a",)),
        ("__all__ = [*other.__all__, 'a']", ("a",)),
        ("__all__ = compute()", None),
        ("try:\n    __all__ = ['a']\nexcept E:\n    pass", ("a",)),
    ],
)
def test_all_names_is_read_as_far_as_it_is_literal(code: str, expected: tuple[str, ...] | None) -> None:
    assert marked(code + "\n")[0].facts.all_names == expected


def test_names_are_those_in_code_and_in_annotation_strings_only() -> None:
    syntax, offsets = marked(
        """\
        # @@word in a comment
        x = "@@word"
        y = f"{@@word!r:>{width}} word"
        def f(a: "list[@@word]", b: Literal["word"]): @@word()
        """
    )
    assert places(PYTHON, syntax, "word") == tuple(offsets[2:])
    assert "width" in syntax.facts.names and "def" not in syntax.facts.names


@pytest.mark.parametrize(
    "code",
    [
        "f = rb'word' + F'''word''' + @@b",
        'x = f"{@@word["word"]}" "word" \'it\\\'s word\'',
        'x = f"{f"{@@word:{@@word}}" + "word"} {\'word\'}"',
        'x = f"""{\n  @@word  # word\n}"""',
        'x = """"word" \\""" word""" + @@word',
        "x = @@f#f\ny = f'f'",
        "x = 'word\\\n word' + @@word",
        "x: 'A[@@word]' = @@word\ny: Literal['word']\nz: int | '@@word'",
        "x: list[Annotated['@@word', lazy('word'), 'word']]\ny: Annotated['@@word', 'word'] | None",
        "x: t.Annotated[  # word\n  '@@word', 'word']\ny: t.Literal['word']\nz: t.Optional[t.List['@@word']]",
        "def f(a: Annotated[int, 'word'], *b: Callable[['@@word'], '@@word']) -> o.Mapped['@@word']: pass",
        "x = größe + @@word + 'word' # größe word\n",
        "x = 'größe' + @@word # word",
        "x = 1 if 'word' else 0x1F\n@@word",
        "x = ( = 'word'\ny = @@word",
    ],
)
def test_a_word_in_a_string_or_comment_counts_or_one_in_code_does_not(code: str) -> None:
    syntax, offsets = marked(code + "\n")
    word = next(found.group().decode() for found in (re.match(rb"\w+", syntax.source[at:]) for at in offsets) if found)
    assert places(PYTHON, syntax, word) == tuple(offsets)
    assert not {"rb", "F", "it", "x1F"} & syntax.facts.names


def test_local_names_are_the_names_that_may_mean_something_else_in_some_place() -> None:
    syntax, _ = marked(
        """\
        top = 1
        def f(param, *args):
            assigned, (unpacked, *rest) = 1
            for looped in x: pass
            with a as entered: pass
            try: pass
            except E as caught: pass
            import late
            match x:
                case C(captured) as whole: pass
            (walrus := 1)
            def nested(): pass
        lambda given: [each for each in given]
        class C:
            field = 1
        """
    )
    assert syntax.facts.local_names == {
        "param",
        "args",
        "assigned",
        "unpacked",
        "rest",
        "looped",
        "entered",
        "caught",
        "late",
        "captured",
        "whole",
        "walrus",
        "nested",
        "given",
        "each",
        "field",
    }


def test_a_value_defined_by_the_module_is_exported_but_not_what_a_function_holds() -> None:
    syntax, _ = marked("def f():\n    def g(): pass\nclass C:\n    def m(self): pass\n")
    exported = {d.qualified: d.exported for d in syntax.facts.definitions}
    assert exported == {"f": True, "f.g": False, "C": True, "C.m": True}


@pytest.mark.parametrize(
    ("head", "generated"),
    [
        (b"# Generated by the protocol buffer compiler.  DO NOT EDIT!\n", True),
        (b"#!/usr/bin/env python\n# @generated\n", True),
        (b"# Do what you like, edit me\n", False),
        (b'"""DO NOT EDIT"""\n', False),
    ],
)
def test_a_file_that_says_it_is_generated_is_marked(head: bytes, generated: bool) -> None:
    assert read(head + b"x = 1\n").facts.generated is generated


def test_outer_definitions_precede_what_they_hold_and_know_it() -> None:
    syntax, _ = marked("class A:\n    def m(self):\n        def n(): pass\n")
    parents = [(d.name, d.parent) for d in syntax.facts.definitions]
    assert parents == [("A", -1), ("m", 0), ("n", 1)]
    assert index(syntax, "A.m.n") == 2
    assert isinstance(syntax.facts.definitions[2], Definition)

"""Annotations and expressions, lowered."""

from __future__ import annotations

import pytest

from graph.languages.python import PYTHON
from tests.languages.python.marked import index, marked, text

TYPING = "import typing as t\nfrom typing import *\nfrom typing import Optional as Opt\n"


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        ("C", "C"),
        ("m.sub.C", "m.sub.C"),
        ("'C'", "C"),
        ("'list[m.C] | None'", "UnionType(TypeName(list, m.C), None)"),
        ("list['C']", "TypeName(list, C)"),
        ("List[C]", "TypeName(list, C)"),
        ("t.Dict[str, C]", "TypeName(dict, str, C)"),
        ("Optional[C]", "UnionType(C, None)"),
        ("Opt[C]", "UnionType(C, None)"),
        ("Union[A, B, None]", "UnionType(A, B, None)"),
        ("A | B | None", "UnionType(A, B, None)"),
        ("Annotated[C, Depends(f)]", "C"),
        ("ClassVar[C]", "C"),
        ("Final[C]", "C"),
        ("Required[C]", "C"),
        ("type[C]", "ClassOf(C)"),
        ("Type['C']", "ClassOf(C)"),
        ("type", "ClassOf(UnknownType())"),
        ("Callable[[A, B], C]", "FunctionType(A, B, C)"),
        ("Callable[..., C]", "FunctionType(C)"),
        ("Callable[P, C]", "FunctionType(C)"),
        ("Self", "SelfType()"),
        ("Literal['a', 'b']", "LiteralType(str)"),
        ("Literal[1]", "LiteralType(int)"),
        ("tuple[A, B]", "TupleType(A, B)"),
        ("Tuple[A, ...]", "TypeName(tuple, A)"),
        ("Iterator[C]", "TypeName(Iterator, C)"),
        ("AsyncIterator[C]", "TypeName(AsyncIterator, C)"),
        ("Awaitable[C]", "TypeName(Awaitable, C)"),
        ("Generator[C, None, None]", "TypeName(Generator, C, None, None)"),
        ("Repo[User]", "TypeName(Repo, User)"),
        ("m.Repo[User, 'Order']", "TypeName(m.Repo, User, Order)"),
        ("Any", "UnknownType()"),
        ("None", "None"),
        ("f(x)", "UnknownType()"),
        ("'not a type at all!'", "UnknownType()"),
        ("''", "UnknownType()"),
    ],
)
def test_an_annotation_says_a_type(annotation: str, expected: str) -> None:
    syntax, _ = marked(f"{TYPING}def f(x: {annotation}): pass\n")
    (parameter,) = PYTHON.parameter_types(syntax, index(syntax, "f"))
    assert text(parameter.annotation) == expected


def test_a_class_of_the_file_that_is_called_like_a_typing_name_is_itself() -> None:
    syntax, _ = marked("class List: pass\nfrom shop import Optional\ndef f(x: List[int], y: Optional[int]): pass\n")
    listed, optional = PYTHON.parameter_types(syntax, index(syntax, "f"))
    assert (text(listed.annotation), text(optional.annotation)) == ("TypeName(List, int)", "TypeName(Optional, int)")


def test_the_offsets_of_names_in_annotation_strings_are_those_of_the_file() -> None:
    syntax, (at,) = marked("def f(x: 'list[@@C]'): pass\n")
    (parameter,) = PYTHON.parameter_types(syntax, 0)
    assert parameter.annotation is not None
    assert parameter.annotation.arguments[0].at == at  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("a.b", "Member(a, b)"),
        ("(a)", "a"),
        ("f(1, k=a, *b, **c)", "Call(f, Argument(Literal(int)), Argument(a, k), Argument(b, *), Argument(c, **))"),
        ("xs[0]", "Subscript(xs, Literal(int, 0))"),
        ("d['k']", "Subscript(d, Literal(str, k))"),
        ("xs[1:]", "xs"),
        ("await f()", "Await(Call(f))"),
        ("a or b or c", "Either(a, b, c)"),
        ("a and b", "b"),
        ("a if b else c", "Either(a, c)"),
        ("not a", "Literal(bool)"),
        ("a < b", "Literal(bool)"),
        ("'x' % a", "Literal(str)"),
        ("b'x'", "Literal(bytes)"),
        ("f'{a}'", "Literal(str)"),
        ("'a' 'b'", "Literal(str)"),
        ("1 + 2", "Unknown()"),
        ("-1", "Literal(int)"),
        ("a / b", "Call(Member(a, __truediv__), Argument(b))"),
        ("[a, *b]", "Sequence(list, a, Element(b))"),
        ("(a, b)", "Sequence(tuple, a, b)"),
        ("{a}", "Sequence(set, a)"),
        ("{a: b}", "Mapping(dict, a, b)"),
        ("[a.b for a in c]", "Sequence(list, Member(a, b))"),
        ("{a: b for a in c}", "Mapping(dict, a, b)"),
        ("(a for a in b)", "Sequence(Generator, a)"),
        ("lambda x: x", "Function()"),
        ("super()", "Super()"),
        ("super(C, self)", "Super()"),
        ("cast(C, x)", "Cast(C, x)"),
        ("t.cast('C', x)", "Cast(C, x)"),
        ("getattr(a, 'b')", "Member(a, b)"),
        ("getattr(a, 'b', c)", "Either(Member(a, b), c)"),
        ("getattr(a, b)", "Call(getattr, Argument(a), Argument(b))"),
        ("type(a)", "Member(a, __class__)"),
        ("importlib.import_module('a.b')", "ModuleExpression(a.b)"),
        ("(x := f())", "Call(f)"),
        ("Box[int](1)", "Call(Box, Argument(Literal(int)), int)"),
        ("HANDLERS[k](1)", "Call(Subscript(HANDLERS, k), Argument(Literal(int)))"),
        ("partial(f, 1)", "Call(partial, Argument(f), Argument(Literal(int)))"),
        ("None", "Literal(None)"),
        ("yield_", "yield_"),
    ],
)
def test_an_expression_is_lowered(expression: str, expected: str) -> None:
    syntax, _ = marked(f"{TYPING}value = {expression}\n")
    binding = PYTHON.value(syntax, index(syntax, "value"))
    assert binding is not None and text(binding.value) == expected


def test_the_expression_at_an_offset() -> None:
    syntax, (start, end) = marked("f(@@a.b()@@)\n")
    assert text(PYTHON.expression(syntax, start, end)) == "Call(Member(a, b))"

"""The stub of built-in types is itself read by the extractor, and says what inference needs."""

from __future__ import annotations

import builtins
import keyword

import pytest

from graph.languages.python import PYTHON
from graph.languages.python.rules import AWAITABLES, ITERABLES
from tests.languages.python.marked import index, read, text

STUB = read(PYTHON.builtins)


def _is_exception(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, BaseException) and value.__name__ != "EncodingWarning"


def test_the_stub_is_read_without_a_fault() -> None:
    assert STUB.facts.degraded == 0
    assert STUB.facts.definitions


def test_every_builtin_of_python_is_in_the_stub() -> None:
    declared = {d.name for d in STUB.facts.definitions if d.parent < 0}
    missing = {
        name
        for name in dir(builtins)
        if not name.startswith("_") and not keyword.iskeyword(name) and name not in ("NotImplemented", "Ellipsis")
    } - declared
    assert (
        missing - {"super", "breakpoint", "copyright", "credits", "exit", "help", "license", "quit", "EncodingWarning"}
        == set()
    )


@pytest.mark.parametrize("name", sorted({*AWAITABLES, *ITERABLES}))
def test_what_can_be_iterated_or_awaited_has_the_type_parameter_it_is_said_to_have(name: str) -> None:
    position = AWAITABLES.get(name, ITERABLES.get(name, 0))
    assert len(PYTHON.type_parameters(STUB, index(STUB, name))) > position


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("list.pop", "T"),
        ("list.__getitem__", "T"),
        ("dict.get", "V"),
        ("dict.items", "TypeName(list, TupleType(K, V))"),
        ("str.split", "TypeName(list, str)"),
        ("sorted", "TypeName(list, T)"),
        ("enumerate", "TypeName(Iterator, TupleType(int, T))"),
        ("contextmanager", "FunctionType(TypeName(_GeneratorContextManager, T))"),
        ("Path.resolve", "SelfType()"),
        ("ExitStack.enter_context", "T"),
    ],
)
def test_results_follow_the_elements(method: str, expected: str) -> None:
    assert text(PYTHON.result(STUB, index(STUB, method)).annotation) == expected


@pytest.mark.parametrize(
    ("name", "public"),
    [("a", True), ("_a", False), ("__init__", True), ("_C.m", False), ("C._m", False), ("C.__call__", True)],
)
def test_a_leading_underscore_is_private_unless_it_is_a_dunder(name: str, public: bool) -> None:
    code = (
        f"class {name.split('.')[0]}:\n    def {name.split('.')[1]}(self): pass\n"
        if "." in name
        else f"def {name}(): pass\n"
    )
    syntax = read(code.encode())
    assert PYTHON.is_public(syntax.facts, syntax.facts.definitions[-1]) is public


@pytest.mark.parametrize(
    ("code", "name", "exported"),
    [
        ("def a(): pass", "a", True),
        ("def _a(): pass", "_a", False),
        ("__all__ = ['_a']\ndef _a(): pass\ndef b(): pass", "_a", True),
        ("__all__ = ['_a']\ndef _a(): pass\ndef b(): pass", "b", False),
    ],
)
def test_what_a_star_import_brings(code: str, name: str, exported: bool) -> None:
    assert PYTHON.exports_star(read(code.encode()).facts, name) is exported


@pytest.mark.parametrize(
    ("method", "binds"),
    [
        ("def m(self): ...", True),
        ("@classmethod\n    def m(cls): ...", True),
        ("@staticmethod\n    def m(a): ...", False),
    ],
)
def test_a_static_method_has_no_receiver(method: str, binds: bool) -> None:
    syntax = read(f"class C:\n    {method}\n".encode())
    assert PYTHON.binds_receiver(syntax.facts.definitions[1]) is binds


@pytest.mark.parametrize("name", sorted(name for name, each in vars(builtins).items() if _is_exception(each)))
def test_an_attribute_of_a_built_in_exception_is_said_to_be_missing(name: str) -> None:
    told: set[str] = set()
    for each in getattr(builtins, name).__mro__[:-1]:
        told.update(
            definition.name
            for definition in STUB.facts.definitions
            if definition.parent >= 0 and definition.parent == index(STUB, each.__name__)
        )
        told.update(PYTHON.fields(STUB, index(STUB, each.__name__)))
    has = {"winerror", "errno", "filename2"} if name == "OSError" else set()
    assert {each for each in dir(getattr(builtins, name)) if not each.startswith("_")} | has <= told

"""What checks around a place say of a name's type."""

from __future__ import annotations

import pytest

from graph.languages.python import PYTHON
from tests.languages.python.marked import marked, text


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if isinstance(x, C): @@x.a", "C"),
        ("if isinstance(x, (A, m.B)): @@x.a", "UnionType(A, m.B)"),
        ("if isinstance(x, A | B): @@x.a", "UnionType(A, B)"),
        ("if isinstance(x, A) or isinstance(x, B): @@x.a", "UnionType(A, B)"),
        ("if y and isinstance(x, C) and z: @@x.a", "C"),
        ("if isinstance(x, C) and @@x.a: pass", "C"),
        ("if not isinstance(x, C) or @@x.a: pass", "C"),
        ("if y: pass\n    elif isinstance(x, C): @@x.a", "C"),
        ("if not isinstance(x, C): pass\n    else: @@x.a", "C"),
        ("if not isinstance(x, C): return\n    @@x.a", "C"),
        ("if not isinstance(x, C):\n        raise E\n    y = 1\n    @@x.a", "C"),
        ("assert isinstance(x, C)\n    @@x.a", "C"),
        ("assert isinstance(x, C), 'why'\n    if y:\n        @@x.a", "C"),
        ("y = @@x.a if isinstance(x, C) else None", "C"),
        ("y = None if not isinstance(x, C) else @@x.a", "C"),
        ("y = [@@x.a for x in z if isinstance(x, C)]", "C"),
        ("while isinstance(x, C): @@x.a", "C"),
        ("match x:\n        case C(): @@x.a", "C"),
        ("match x:\n        case A() | B(): @@x.a", "UnionType(A, B)"),
        ("if isinstance(x, C): pass\n    @@x.a", None),
        ("if isinstance(x, C): pass\n    else: @@x.a", None),
        ("if isinstance(y, C): @@x.a", None),
        ("if x is None: return\n    @@x.a", None),
        ("if not isinstance(x, C): log()\n    @@x.a", None),
        ("if isinstance(x, C) or y: @@x.a", None),
        ("if isinstance(x, C):\n        x = f()\n        @@x.a", None),
        ("assert isinstance(x, C)\n    for x in y: pass\n    @@x.a", None),
        ("if isinstance(x, type(y)): @@x.a", None),
        ("if isinstance(x, C):\n        def g(): @@x.a", None),
        ("match x:\n        case [a]: @@x.a", None),
    ],
)
def test_a_name_is_narrowed_where_a_check_guards_it(body: str, expected: str | None) -> None:
    syntax, (at,) = marked(f"def f(x, y):\n    {body}\n")
    reference = PYTHON.reference(syntax, at)
    assert reference is not None
    found, known = PYTHON.narrowed(syntax, at, reference.target)
    assert (text(found) if found is not None else None, known) == (expected, expected is not None)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if isinstance(self.x, C): @@self.x.a", "C"),
        ("if isinstance(self.x, C):\n        self.x = f()\n        @@self.x.a", None),
        ("if isinstance(self.x, C):\n        self.y = f()\n        @@self.x.a", "C"),
        ("if isinstance(self.x, C):\n        self.x.y = f()\n        @@self.x.a", "C"),
    ],
)
def test_an_attribute_is_narrowed_as_long_as_it_is_not_assigned(body: str, expected: str | None) -> None:
    syntax, (at,) = marked(f"def f(self):\n    {body}\n")
    member = at + len("self.")
    reference = PYTHON.reference(syntax, member)
    assert reference is not None
    found, _ = PYTHON.narrowed(syntax, member, reference.target)
    assert (text(found) if found is not None else None) == expected

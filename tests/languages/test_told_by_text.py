"""What a file's text alone tells, so that it need not be parsed."""

from __future__ import annotations

from pathlib import Path

import pytest

from graph.hierarchy import CLASS_KINDS
from graph.languages import language_of
from tests.graph.sources import syntax

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("path", sorted((ROOT / "graph").rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_definition_is_hidden_from_its_files_text(path: Path) -> None:
    language = language_of("a.py")
    assert language is not None
    parsed = syntax("a.py", path.read_bytes())
    for each in parsed.facts.definitions:
        member = each.parent >= 0 and parsed.facts.definitions[each.parent].kind in CLASS_KINDS
        assert language.may_define(parsed.source, each.name, member=member), each.qualified


@pytest.mark.parametrize(
    "text",
    [
        "def sought(): ...",
        "async  def \\\n  sought(): ...",
        "class sought: ...",
        "sought = 1",
        "sought: int",
        "a = sought = 1",
        "(a,\n sought,  # of all\n) = 1, 2",
        "a, *sought = x",
        "type sought[T] = list[T]",
        "[a,\n sought\n] = x",
        "sought, x['k'] = 1, 2",
        "a, sought, b.c = x",
        "if x: sought = 1",
    ],
)
def test_a_way_to_define_is_overlooked(text: str) -> None:
    language = language_of("a.py")
    assert language is not None
    assert any(each.name == "sought" for each in syntax("a.py", text).facts.definitions)
    assert language.may_define(text.encode(), "sought", member=False)


def test_what_only_uses_a_name_may_define_it() -> None:
    language = language_of("a.py")
    assert language is not None
    text = b"from a import sought\nx = sought(1)\nif a == sought == 2:\n    a.sought(sought[1])\n"
    assert not language.may_define(text, "sought", member=False)
    assert not language.may_define(b"def f(a):\n    sought = 1\n", "sought", member=True)


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.py", "class A(Base): ...", True),
        ("a.py", "class A(\n    Other,  # classy\n    mod.Base[int],\n    metaclass=M,\n): ...", True),
        ("a.py", "from m import Base as B", True),
        ("a.py", "B = Base", True),
        ("a.py", "B = wrapped(Base)", True),
        ("a.py", "B = (\n    Base\n)", True),
        ("a.py", "class A(\n    Mixin,  # see (this): that\n    Base,\n): ...", True),
        ("a.py", "from m import Base\nclass A(Other): ...\nBase()", False),
        ("a.py", "class A(Other):\n    def f(self) -> Base: ...", False),
        ("a.py", "class A(BaseForm): ...", False),
        ("a.ts", "class A extends Base {}", True),
        ("a.ts", "class A extends Other<X>\n  implements I, Base<Y> {}", True),
        ("a.ts", "class A extends mixin(Base) {}", True),
        ("a.ts", "import { Base as B } from './m'", True),
        ("a.ts", "const B = Base;", True),
        ("a.ts", "const { Base: B } = require('./m')", True),
        ("a.ts", "class A extends mixin({ a: 1 }, Base) {}", True),
        ("a.ts", "class A extends Other<{ a: string }, Base> {}", True),
        ("a.ts", "export default Base;", True),
        ("a.ts", "export {\n  Base\n} from './m'", True),
        ("a.ts", "import { Base } from './m'\nclass A extends Other {\n  b = new Base()\n}", False),
        ("a.ts", "class A extends BaseForm {}", False),
    ],
)
def test_a_subclass_is_hidden_or_seen_in_every_file(path: str, text: str, expected: bool) -> None:
    language = language_of(path)
    assert language is not None
    assert language.may_inherit(text.encode(), "Base") is expected

"""What reading real briefings showed to be wrong, each as the smallest story of its kind."""

from __future__ import annotations

from pathlib import Path

from tests.graph.stories import Repo


def test_a_sibling_is_said_to_run_an_override_that_it_never_has(tmp_path: Path) -> None:
    repo = Repo(tmp_path).commit(
        {
            "base.py": """
class Base:
    def clean(self): pass
    def run(self): self.clean()  # MAYBE
""",
            "target.py": """
from base import Base
class Target(Base):
    def clean(self): pass  # TARGET
""",
            "others.py": """
from base import Base
from target import Target
class Sibling(Base):
    def clean(self):
        super().clean()
    def again(self): self.clean()
class Heir(Base):
    def again(self): self.clean()
Base.clean(Base())
Target().clean()  # CALLER
""",
        }
    )
    assert repo.callers() == repo.marked()


def test_super_stops_at_a_mixin_that_lacks_the_member(tmp_path: Path) -> None:
    repo = Repo(tmp_path).commit(
        {
            "views.py": """
from outside import View
class Mixin: pass
class Listing(View):
    def order(self, queryset, ordering): return queryset  # TARGET
class Index(Mixin, Listing):
    def order(self, queryset, ordering):
        return super().order(queryset, ordering)  # CALLER
class Stranger(View):
    def order(self, queryset, ordering):
        return super().order(queryset, ordering)
"""
        }
    )
    assert repo.callers() == repo.marked()


def test_a_mixin_that_leaves_a_member_to_subclasses_is_missed(tmp_path: Path) -> None:
    repo = Repo(tmp_path).commit(
        {
            "a.py": """
class Mixin:
    def clean(self): return self.prepare_it(1)  # MAYBE
class Create(Mixin):
    def prepare_it(self, a): return a  # TARGET
"""
        }
    )
    assert repo.callers() == repo.marked()


def test_a_removed_override_breaks_calls_of_what_still_answers(tmp_path: Path) -> None:
    base = "from typing import Callable\nclass Base:\n    change: Callable[[int], int]\n"
    repo = Repo(tmp_path).commit(
        {
            "base.py": base,
            "gone.py": "from base import Base\nclass Gone(Base):\n    def change(self, a): return a\n",
            "manager.py": "class Manager:\n    def change(self, a): return a\n",
            "use.py": "def f(info):\n    manager = lookup(info).get()\n    manager.change(1)\n",
        }
    )
    briefing = repo.commit({"gone.py": None}).brief().briefing
    assert [eye.what for eye in briefing.eyes] == []


def test_an_import_whose_module_line_was_mended_is_called_stale(tmp_path: Path) -> None:
    repo = Repo(tmp_path).commit(
        {
            "pkg/__init__.py": "",
            "pkg/a.py": "X = 1\nY = 2\nZ = 3\nV = 4\nW = 5\n",
            "use.py": "from pkg.a import (\n    X,\n    Y,\n)\n",
            "late.py": "from pkg.a import (\n    X,\n    Y,\n)\n",
        }
    )
    moved = (
        repo.commit(
            {
                "pkg/a.py": None,
                "pkg/b.py": "X = 1\nY = 2\nZ = 3\nV = 4\nW = 5\n",
                "use.py": "from pkg.b import (\n    X,\n    Y,\n)\n",
            }
        )
        .brief()
        .briefing.moved
    )
    assert [(each.path, each.module) for file in moved for each in file.importers] == [("late.py", "pkg.a")]


def test_recursion_that_no_longer_fits_is_left_out(tmp_path: Path) -> None:
    before = "def walk(node, depth, seen):\n    for child in node:\n        walk(child, depth, seen)\n"
    repo = Repo(tmp_path).commit({"a.py": before}).commit({"a.py": before.replace("depth, seen):", "depth):")})
    [caller] = repo.brief().briefing.changed[0].symbols[0].callers
    assert (caller.line, caller.fits) == (3, False)


def test_a_dotted_path_in_a_string_is_nothing(tmp_path: Path) -> None:
    repo = Repo(tmp_path).commit(
        {
            "shop/__init__.py": "",
            "shop/storage.py": "class Azure: pass  # TARGET\n",
            "settings.py": "STORAGE = 'shop.storage.Azure'  # MAYBE\nOTHER = 'other.storage.Azure'\n",
        }
    )
    assert repo.callers() == repo.marked()


def test_a_fixture_that_takes_one_more_is_called_incompatible(tmp_path: Path) -> None:
    before = "import pytest\n@pytest.fixture\ndef app(db): return db\n"
    repo = Repo(tmp_path).commit({"conftest.py": before, "test_a.py": "from conftest import app\n"})
    briefing = repo.commit({"conftest.py": before.replace("(db)", "(db, settings)")}).brief().briefing
    assert all(symbol.compatible is not False for file in briefing.changed for symbol in file.symbols)


def test_a_cast_to_any_hides_a_caller(tmp_path: Path) -> None:
    repo = Repo(tmp_path).commit(
        {
            "repo.ts": "export class Repo {\n  insertRow(a: number) {}  // TARGET\n}\n",
            "use.ts": "import { Repo } from './repo'\n"
            "export const f = (r: Repo) => (r as any).insertRow(1) // MAYBE\n"
            "export const g = (r: Repo) => r.insertRow(1) // CALLER\n",
        }
    )
    assert repo.callers() == repo.marked()


def test_a_special_method_has_no_callers(tmp_path: Path) -> None:
    repo = Repo(tmp_path).commit(
        {
            "box.py": "class Box:\n    def __enter__(self): return self  # TARGET\n    def __exit__(self, *a): pass\n",
            "use.py": "from box import Box\n"
            "with Box() as box:  # CALLER\n    pass\n"
            "with open('x') as other:\n    pass\n",
        }
    )
    assert repo.callers() == repo.marked()


def test_what_assigns_into_a_table_depends_on_what_it_was(tmp_path: Path) -> None:
    repo = Repo(tmp_path).commit(
        {
            "table.py": "HANDLERS = {}  # TARGET\n",
            "use.py": "from table import HANDLERS\nHANDLERS['a'] = 1\nprint(HANDLERS['a'])  # CALLER\n",
        }
    )
    assert repo.callers() == repo.marked()

"""Callers in Python: what a name stands for after packages, relative imports, stars, aliases and decorators."""

from __future__ import annotations

from pathlib import Path

from tests.graph.stories import Repo

# ------------------------------------------------------------------------------------------ re-exported by a package


def test_callers_by_the_name_that_a_package_gives_are_lost(repo: Repo) -> None:
    repo.commit(
        {
            "geo/area.py": "def area_of(shape):\n    return shape.w * shape.h\n",
            "geo/__init__.py": """
                from .area import area_of as measure
                from . import area as engine

                __all__ = ["measure", "engine"]
                """,
            "draw.py": """
                import geo
                from geo import measure
                from geo.area import area_of


                def plain(s):
                    return area_of(s)  # CALLER


                def packaged(s):
                    return [
                        measure(s),  # CALLER
                        geo.measure(s),  # CALLER
                    ]


                def by_module(s):
                    return geo.engine.area_of(s)  # CALLER
                """,
            "other/__init__.py": "def measure(shape):\n    return 0\n",
            "draw_other.py": "from other import measure\n\nVALUE = measure(5)\n",
        }
    ).commit({"geo/area.py": "def area_of(shape, unit):\n    return shape.w * shape.h * unit\n"})
    brief = repo.brief()
    assert brief.callers("area_of") == repo.marked()
    assert set(brief.fits("area_of").values()) == {False}


def test_a_name_passed_on_by_two_packages_in_a_row_is_lost(repo: Repo) -> None:
    repo.commit(
        {
            "a/b/c.py": "def low():  # TARGET\n    pass\n",
            "a/b/__init__.py": "from .c import low as middle\n",
            "a/__init__.py": "from .b import middle as high\n",
            "use.py": "from a import high\nfrom a.b import middle as m\n\nhigh()  # CALLER\nm()  # CALLER\n",
            "not.py": "def high():\n    pass\n\n\nhigh()\n",
        }
    )
    assert repo.callers() == repo.marked()


def test_a_module_level_alias_of_a_function_is_not_followed(repo: Repo) -> None:
    repo.commit(
        {
            "text.py": "def fold(s):  # TARGET\n    return s\n\n\nsquash = fold  # CALLER\n",
            "use.py": "from text import squash\n\nsquash('x')  # CALLER\n",
            "not.py": "from elsewhere import squash\n\nsquash('x')\n",
        }
    )
    assert repo.callers() == repo.marked()


def test_a_fallback_import_binds_for_sure(repo: Repo) -> None:
    repo.commit(
        {
            "fast.py": "def encode_all(x):  # TARGET\n    return x\n",
            "slow.py": "def encode_all(x):\n    return x\n",
            "use.py": """
                try:
                    from fast import encode_all
                except ImportError:
                    from slow import encode_all

                encode_all(1)  # MAYBE
                """,
        }
    )
    assert repo.callers() == repo.marked()


def test_a_submodule_of_a_source_root_is_not_found(repo: Repo) -> None:
    repo.commit(
        {
            "pyproject.toml": '[project]\nname = "shop"\n',
            "src/shop/__init__.py": "",
            "src/shop/stock.py": "def count_all():  # TARGET\n    return 0\n",
            "tests/test_stock.py": "from shop.stock import count_all\n\n\ndef test_it():\n    count_all()  # CALLER\n",
            "tools/report.py": "import shop.stock as st\n\nst.count_all()  # CALLER\n",
            "tools/long.py": "import shop.stock\n\nshop.stock.count_all()  # CALLER\n",
            "src/shop/api.py": "from shop import stock\n\nstock.count_all()  # CALLER\n",
        }
    )
    assert repo.callers() == repo.marked()


def test_a_namespace_package_hides_its_modules(repo: Repo) -> None:
    repo.commit(
        {
            "plugins/mail/send.py": "def post_mail():  # TARGET\n    pass\n",
            "run.py": "from plugins.mail import send\n\nsend.post_mail()  # CALLER\n",
            "other.py": "from plugins.mail.send import post_mail as go\n\ngo()  # CALLER\n",
        }
    )
    assert repo.callers() == repo.marked()


# --------------------------------------------------------------------------------------------------- relative imports


def test_a_relative_import_is_attached_to_a_file_of_the_imported_name(repo: Repo) -> None:
    before = "def trim(rows):\n    return [row for row in rows]\n"
    repo.commit(
        {
            "lib/__init__.py": "",
            "lib/trim.py": "def trim(rows):\n    return rows\n\n\ndef run(rows):\n    return trim(rows)\n",
            "lib/table/__init__.py": "",
            "lib/table/clean.py": before,
            "lib/out/__init__.py": "",
            "lib/out/csv.py": (
                "from ..table.clean import trim\n\n\ndef write(rows):\n    return len(trim(rows))  # CALLER\n"
            ),
            "lib/out/html.py": """
                from .. import trim
                from ..table import clean as c


                def write(rows):
                    first = trim.trim(rows)
                    second = c.trim(rows)  # CALLER
                    return first, second
                """,
            "lib/table/near.py": (
                "from . import clean\nfrom .clean import trim as t\n\nclean.trim([])  # CALLER\nt([])  # CALLER\n"
            ),
            "lib/table/deep/__init__.py": "from ..clean import trim\n\ntrim([])  # CALLER\n",
        }
    ).commit({"lib/table/clean.py": before.replace("rows]", "rows if row]")})
    assert repo.brief().callers("trim") == repo.marked()


def test_a_name_of_the_package_does_not_win_over_its_submodule(repo: Repo) -> None:
    repo.commit(
        {
            "app/__init__.py": "from .tool import build as tool\n",
            "app/tool.py": "def build(x):  # TARGET\n    return x\n",
            "use.py": "from app import tool\n\ntool(1)  # CALLER\n",
        }
    )
    assert repo.callers() == repo.marked()


# ------------------------------------------------------------------------------------------- names of built-in methods


def test_list_methods_are_counted_as_callers_of_a_function_named_like_them(repo: Repo) -> None:
    before = "ALL = []\n\n\ndef extend(rows):\n    ALL.extend(rows)\n"
    repo.commit(
        {
            "log/__init__.py": "",
            "log/book.py": before,
            "log/post.py": (
                "from . import book\n\n\ndef post(rows):\n    book.extend(rows)  # CALLER\n    return len(book.ALL)\n"
            ),
            "log/direct.py": "from log.book import extend\n\nextend([1])  # CALLER\nbook = []\nbook.extend([2])\n",
            "log/group.py": """
                def group(pairs):
                    out = {}
                    for key, values in pairs:
                        out.setdefault(key, []).extend(values)
                    return out


                class Buffer:
                    def __init__(self):
                        self.items = []

                    def push(self, items):
                        self.items.extend(items)
                """,
        }
    ).commit({"log/book.py": before.replace("(rows):", "(rows, by):").replace("rows)\n", "rows or by)\n")})
    assert repo.brief().callers("extend") == repo.marked()


def test_a_local_of_the_modules_name_is_taken_for_the_module(repo: Repo) -> None:
    repo.commit(
        {
            "cache.py": "def clear():  # TARGET\n    pass\n",
            "a.py": """
                import cache


                def good():
                    cache.clear()  # CALLER


                def shadow(cache):
                    cache.clear()


                def loop(caches):
                    for cache in caches:
                        cache.clear()


                def local():
                    cache = {}
                    cache.clear()
                """,
        }
    )
    assert repo.callers() == repo.marked()


# -------------------------------------------------------------------------------------------------- passed as a value


def test_a_function_handed_over_as_a_value_is_reported_as_unused(repo: Repo) -> None:
    before = 'def weigh(row):\n    return row["a"]\n'
    repo.commit(
        {
            "work/__init__.py": "",
            "work/steps.py": before,
            "work/pool.py": """
                from concurrent.futures import ThreadPoolExecutor
                from functools import partial

                from work.steps import weigh


                def run(rows):
                    with ThreadPoolExecutor() as pool:
                        return [pool.submit(weigh, row) for row in rows]  # CALLER


                def lazy(row):
                    return partial(weigh, row)  # CALLER


                BY_NAME = {"weigh": weigh}  # CALLER
                IN_ORDER = [print, weigh]  # CALLER


                def each(rows, by=weigh):  # CALLER
                    return sorted(rows, key=weigh)  # CALLER


                def chosen():
                    return weigh  # CALLER
                """,
            "work/names.py": """
                LABEL = "weigh"


                def show(weigh):
                    return weigh


                def table(frame):
                    frame["weigh"] = 1
                    frame.plot(weigh=2)
                    return frame
                """,
        }
    ).commit({"work/steps.py": before.replace("(row)", "(row, by)")})
    brief = repo.brief()
    assert brief.callers("weigh") == repo.marked()
    assert brief.kinds("weigh")["work/pool.py:9"] == "argument"
    assert all(fits is None for fits in brief.fits("weigh").values())  # handed over, not called: nothing is passed


def test_a_method_handed_over_as_a_value_is_reported_as_unused(repo: Repo) -> None:
    repo.commit(
        {
            "bot.py": """
                class Bot:
                    def __init__(self, bus):
                        bus.on("talk", self.answer_all)  # CALLER

                    def answer_all(self, text):  # TARGET
                        return text
                """,
            "use.py": "from bot import Bot\n\nhandler = Bot(None).answer_all  # CALLER\n",
        }
    )
    assert repo.callers() == repo.marked()


def test_a_decorator_is_not_a_caller(repo: Repo) -> None:
    repo.commit(
        {
            "deco.py": "def audited(f):  # TARGET\n    return f\n",
            "use.py": (
                "import deco\nfrom deco import audited\n\n\n@audited  # CALLER\ndef a():\n"
                "    pass\n\n\n@deco.audited  # CALLER\nclass B:\n    pass\n"
            ),
            "wrong.py": "def audited(f):\n    return f\n\n\n@audited\ndef a():\n    pass\n",
        }
    )
    assert repo.callers() == repo.marked()


# ------------------------------------------------------------------------------------------------------------- stars


def test_a_star_import_brings_in_what_the_module_does_not_export(repo: Repo) -> None:
    before = (
        '__all__ = ["slug_of"]\n\n\ndef slug_of(value):\n    return value.lower()\n\n\n'
        "def bare_text(value):\n    return value\n"
    )
    repo.commit(
        {
            "txt/__init__.py": "",
            "txt/tools.py": before,
            "txt/old.py": "def bare_text(value):\n    return value\n\n\ndef _private(value):\n    return value\n",
            "txt/feed.py": """
                from txt import tools
                from txt.tools import bare_text as clean


                def feed(value):
                    return clean(value) + tools.bare_text(value)  # CALLER
                """,
            "txt/page.py": """
                from txt.old import *
                from txt.tools import *


                def page(value):
                    return slug_of(bare_text(value))
                """,
        }
    ).commit({"txt/tools.py": before.replace("bare_text(value)", "bare_text(value, keep)")})
    brief = repo.brief()
    assert brief.callers("bare_text") == repo.marked()


def test_a_star_import_brings_in_nothing(repo: Repo) -> None:
    repo.commit(
        {
            "k/__init__.py": "from .base import *\n",
            "k/base.py": "def raise_all():  # TARGET\n    pass\n\n\ndef _hidden():\n    pass\n",
            "a.py": "from k import *\n\nraise_all()  # CALLER\n",
            "b.py": "from k.base import *\n\nraise_all()  # CALLER\n",
            "c.py": "import k\n\nk.raise_all()  # CALLER\n",
        }
    )
    assert repo.callers() == repo.marked()


def test_the_later_of_two_stars_does_not_win(repo: Repo) -> None:
    repo.commit(
        {
            "one.py": "def pick_it():\n    pass\n",
            "two.py": "def pick_it():  # TARGET\n    pass\n",
            "use.py": "from one import *\nfrom two import *\n\npick_it()  # CALLER\n",
            "back.py": "from two import *\nfrom one import *\n\npick_it()\n",
        }
    )
    assert repo.callers() == repo.marked()


def test_an_underscore_name_comes_through_a_star(repo: Repo) -> None:
    repo.commit(
        {
            "m.py": "def _quiet_one():  # TARGET\n    pass\n",
            "a.py": "from m import *\n\n\ndef f():\n    return 1\n",
            "b.py": "from m import _quiet_one\n\n_quiet_one()  # CALLER\n",
        }
    )
    assert repo.callers() == repo.marked()


def test_an_object_constructed_in_sight_is_one_of_a_subclass(tmp_path: Path) -> None:
    repo = Repo(tmp_path).commit(
        {
            "backends.py": """
                class Base:
                    def store(self):
                        pass

                    def run(self):
                        self.store()  # MAYBE


                class Database(Base):
                    def store(self):  # TARGET
                        pass
                """,
            "use.py": """
                from backends import Base


                class Test:
                    def setup(self):
                        self.base = Base()

                    def test(self):
                        self.base.store()
                        made = Base()
                        made.store()
                        Base().store()


                def declared(base: Base):
                    base.store()  # MAYBE
                """,
        }
    )
    assert repo.callers() == repo.marked()

"""Names that very many files hold, and files that go with all that is in them: what is left out, and what is not."""

from __future__ import annotations

import pytest

from graph.brief import make_briefing
from graph.callers import members, names
from graph.callers.places import MAX_REACHED
from tests.graph.stories import Repo


@pytest.fixture
def crowded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that four files hold is crowded."""
    monkeypatch.setattr(names, "CROWDED", 4)
    monkeypatch.setattr(members, "CROWDED", 4)


OTHERS = {f"other{n}.py": f"def f{n}(thing):\n    thing.price = {n}\n    return thing.price\n" for n in range(4)}


@pytest.mark.usefixtures("crowded")
def test_a_crowded_method_is_lost_where_the_file_names_its_class(repo: Repo) -> None:
    repo.commit(
        {
            "order.py": """
                class Order:
                    def price(self):  # TARGET
                        return 1
            """,
            "shop.py": """
                from order import Order
                def total(order: Order):
                    return order.price()  # CALLER
            """,
            **OTHERS,
        }
    )
    assert repo.callers() == repo.marked()


@pytest.mark.usefixtures("crowded")
def test_a_crowded_method_is_lost_on_what_a_function_or_an_attribute_yields(repo: Repo) -> None:
    repo.commit(
        {
            "order.py": """
                class Order:
                    def price(self):  # TARGET
                        return 1
            """,
            "store.py": """
                from order import Order
                def find_order() -> Order: ...
                class Basket:
                    def __init__(self):
                        self.first_order = Order()
            """,
            "shop.py": """
                from store import Basket, find_order
                def total(basket: Basket):
                    find_order().price()  # CALLER
                    return basket.first_order.price()  # CALLER
            """,
            **OTHERS,
        }
    )
    assert repo.callers() == repo.marked()


@pytest.mark.usefixtures("crowded")
def test_a_method_whose_name_is_a_keyword_is_taken_for_crowded(repo: Repo) -> None:
    """`import` stands in nearly every file, and names this method in two."""
    repo.commit(
        {
            "runner.ts": "export class Runner {\n  import(id: string) { return id }  // TARGET\n}\n",
            "make.ts": "import { Runner } from './runner'\nexport const make = () => ({ runner: new Runner() })\n",
            "chain.ts": "import { make } from './make'\nexport const wrapped = { inner: make() }\n",
            "use.ts": "import { wrapped } from './chain'\nwrapped.inner.runner.import('a')  // CALLER\n",
            **{f"other{n}.ts": "import { join } from 'path'\nexport const j = join\n" for n in range(4)},
        }
    )
    assert repo.callers() == repo.marked()


@pytest.mark.usefixtures("crowded")
def test_a_crowded_function_is_lost_where_it_is_imported_renamed_or_passed_on(repo: Repo) -> None:
    repo.commit(
        {
            "pricing.py": """
                def price():  # TARGET
                    return 1
                def twice():
                    return 2 * price()  # CALLER
            """,
            "shop.py": "from pricing import price\nprice()  # CALLER\n",
            "cart.py": "import pricing\npricing.price()  # CALLER\n",
            "again.py": "from pricing import *\n",
            "last.py": "from again import price\nprice()  # CALLER\n",
            **OTHERS,
        }
    )
    assert repo.callers() == repo.marked()


@pytest.mark.usefixtures("crowded")
def test_a_crowded_function_is_lost_when_a_package_passes_it_on(repo: Repo) -> None:
    repo.commit(
        {
            "shop/pricing.py": "def price():  # TARGET\n    return 1\n",
            "shop/__init__.py": "from .pricing import price\n",
            "shop/cart.py": "from . import price\nprice()  # CALLER\n",
            "use.py": "import shop\nshop.price()  # CALLER\n",
            **OTHERS,
        }
    )
    assert repo.callers() == repo.marked()


def test_a_name_of_two_letters_is_lost_where_its_module_is_named(repo: Repo) -> None:
    repo.commit(
        {
            "types.py": "",
            "scalars.py": "class ID:  # TARGET\n    pass\n",
            "schema.py": "from scalars import ID\nid = ID()  # CALLER\n",
            "module.py": "import scalars as s\nid = s.ID()  # CALLER\n",
            "elsewhere.py": "def f(ID):\n    return ID\n",
        }
    )
    assert repo.callers() == repo.marked()


GONE = """
    class Order:
        def weigh_parcel(self): ...
    def ship_parcel(): ...
    """


def test_what_goes_with_a_file_that_nobody_imports_is_sought_everywhere(repo: Repo) -> None:
    """Other people's `weigh_parcel` and `ship_parcel` are not what goes."""
    repo.commit(
        {
            "attic/order.py": GONE,
            "attic/demo.py": "from attic.order import Order\nOrder().weigh_parcel()\n",
            "shop.py": "class Order: ...\ndef f(order):\n    order.weigh_parcel()\n    ship_parcel()\n",
        }
    ).commit({"attic/order.py": None, "attic/demo.py": None})
    briefing = repo.brief()
    assert briefing.callers("Order.weigh_parcel") == briefing.callers("ship_parcel") == []


def test_what_goes_with_files_is_lost_when_one_that_stays_imports_the_first_of_them(repo: Repo) -> None:
    repo.commit(
        {
            "attic/__init__.py": "",
            "attic/order.py": GONE,
            "attic/all_of_it.py": "from attic.order import *\n",
            "facade.py": "from attic.all_of_it import *\n",
            "shop.py": "from facade import ship_parcel\nship_parcel()  # CALLER\n",
        }
    ).commit({"attic/__init__.py": None, "attic/order.py": None, "attic/all_of_it.py": None})
    assert [each for each in repo.brief().callers("ship_parcel") if each.startswith("shop.py:2")] == repo.marked()


def not_told(repo: Repo) -> int:
    """Calls of the deleted method on something whose type could not be told, which may be the deleted class's."""
    return repo.brief().symbol("Order.weigh_parcel").not_followed.unresolved_receivers


def test_what_goes_with_a_file_is_sought_where_nobody_can_have_it(repo: Repo) -> None:
    repo.commit(
        {
            "attic/order.py": GONE,
            "shop.py": "from attic.order import Order\n",
            "till.py": "import shop\ndef close(order):\n    order.weigh_parcel()\n",
            "scales.py": "def f(order):\n    order.weigh_parcel()\n    order.weigh_parcel()\n",
        }
    ).commit({"attic/order.py": None})
    assert not_told(repo) == 1


def test_what_a_fixture_gives_is_lost_in_tests_that_take_it_by_a_parameters_name(repo: Repo) -> None:
    fixture = """
        import pytest
        from attic.order import Order
        @pytest.fixture
        def order():
            return Order()
    """
    repo.commit(
        {
            "attic/order.py": GONE,
            "tests/conftest.py": fixture,
            "tests/deep/test_order.py": "def test_weight(order):\n    order.weigh_parcel()\n",
            "scales.py": "def f(order):\n    order.weigh_parcel()\n    order.weigh_parcel()\n",
        }
    ).commit({"attic/order.py": None})
    assert not_told(repo) == 1


def test_what_goes_with_a_file_that_very_many_import_is_lost(repo: Repo) -> None:
    importers = {f"shop{n}.py": "from attic.order import Order\n" for n in range(MAX_REACHED + 1)}
    scales = "def f(order):\n    order.weigh_parcel()\n    order.weigh_parcel()\n"
    repo.commit({"attic/order.py": GONE, **importers, "scales.py": scales}).commit({"attic/order.py": None})
    assert not_told(repo) == 2


def test_what_goes_with_an_unimported_file_is_lost_in_a_dotted_string(repo: Repo) -> None:
    repo.commit(
        {"attic.py": GONE, "settings.py": 'HANDLERS = ["attic.ship_parcel"]  # MAYBE\n'},
    ).commit({"attic.py": None})
    assert repo.brief().callers("ship_parcel") == repo.marked()


def test_a_method_is_lost_where_its_dot_stands_apart(repo: Repo) -> None:
    repo.commit(
        {
            "order.py": """
                class Order:
                    def price(self):  # TARGET
                        return 1
                    amount = price  # CALLER
            """,
            "lines.py": """
                from order import Order
                def total(order: Order):
                    return (
                        order.
                        price()  # CALLER
                    )
            """,
            "comments.py": """
                from order import Order
                def total(order: Order):
                    return (
                        order.  # of one
                        # and only one
                        price()  # CALLER
                    )
            """,
            "blanks.py": "from order import Order\ndef f(order: Order):\n  return order. \\\n    price()  # CALLER\n",
            "texts.py": """
                from order import Order
                def total(order: Order):
                    return f"{order.price()}"  # CALLER
            """,
            "labels.py": """
                def total(make):
                    return make(price=1)["price"]
            """,
        }
    )
    assert repo.callers() == repo.marked()


def test_a_function_is_lost_beside_a_string(repo: Repo) -> None:
    repo.commit(
        {
            "tax.py": """
                def compute_tax():  # TARGET
                    return 1
            """,
            "shop.py": """
                from tax import compute_tax
                NAMES = ["compute_tax", f"{compute_tax()}"]  # CALLER
            """,
            "test_shop.py": """
                from unittest import mock
                @mock.patch("tax.compute_tax")  # MAYBE
                def test_shop(mocked): ...
            """,
        }
    )
    assert repo.callers() == repo.marked()


def test_files_that_name_it_in_strings_and_labels_alone_are_parsed(repo: Repo) -> None:
    repo.commit({"order.py": "class Order:\n    def discounted(self):\n        return 1\n"})
    repo.commit({f"labels{n}.py": f"make{n}(discounted={n})['discounted']\n" for n in range(5)})
    repo.commit({"order.py": "class Order:\n    def discounted(self):\n        return 2\n"})
    _, figures = make_briefing(repo.path, repo.sha(-2), repo.sha(-1))
    assert figures.files_parsed == 2


def test_subclasses_of_a_class_are_parsed_though_none_can_override_what_changed(repo: Repo) -> None:
    changed = "class Base:\n    def settle(self, order) -> int:\n        return order\n"
    repo.commit({"base.py": changed})
    repo.commit({f"leaf{n}.py": f"from base import Base\n\n\nclass Leaf{n}(Base):\n    pass\n" for n in range(5)})
    other = "import django\n\n\nclass Other(django.View):\n    def settle(self):\n        pass\n"
    repo.commit({"other.py": other})
    repo.commit({"base.py": changed.replace("-> int", "-> str")})
    _, figures = make_briefing(repo.path, repo.sha(-2), repo.sha(-1))
    assert figures.files_parsed == 3  # the changed one twice, and the other that declares the name
    assert repo.brief(-2).callers("Base.settle") == []


@pytest.mark.parametrize(
    "bases", ["Base", "Middle", "made(Base)", "Unknown, Base", "kit.Middle"], ids=lambda bases: bases.replace(" ", "")
)
def test_an_override_is_missed_that_few_files_may_hold(repo: Repo, bases: str) -> None:
    changed = "class Base:\n    def settle(self, order):\n        return order\n"
    repo.commit(
        {
            "base.py": changed,
            "kit.py": """
                from base import Base


                class Middle(Base):
                    pass


                def made(base):
                    return base
            """,
            "leaf.py": f"""
                import kit
                from base import Base
                from kit import Middle, made
                from nowhere import *


                class Leaf({bases}):
                    def settle(self, order):  # CALLER
                        return order
            """,
        }
    )
    repo.commit({"base.py": changed.replace("order)", "order, tax)")})
    found = repo.brief().callers("Base.settle")
    assert found == (repo.marked() if bases != "made(Base)" else [])  # what a function makes of a class, nothing tells

"""Definitions that get another name or another class, and names that come to stand for something else."""

from __future__ import annotations

import pytest

from tests.graph.stories import Repo

BODY = """:
    def total(self, order):
        return sum(line.price for line in order.lines)

    def count(self, order):
        return len(order.lines)
"""


def test_a_renamed_class_is_one_that_goes_and_one_that_comes(repo: Repo) -> None:
    use = "from cart import Cart\n\nCart().total(1)\n"
    repo.commit({"cart.py": f"class Cart{BODY}", "use.py": use}).commit({"cart.py": f"class Basket{BODY}"})
    brief = repo.brief()
    assert brief.changes() == {"Cart": "removed"}
    assert brief.symbol("Cart").renamed_to == "Basket"
    assert brief.eyes() == ["broken-call use.py:3"]
    assert "renames to `Basket`" in brief.briefing.eyes[0].text


def test_a_method_edited_in_a_renamed_class_is_lost(repo: Repo) -> None:
    use = "from cart import Cart\n\nCart().total(1)\n"
    repo.commit({"cart.py": f"class Cart{BODY}", "use.py": use}).commit(
        {"cart.py": f"class Basket{BODY}".replace("count(self, order)", "count(self, order, extra=None)")}
    )
    assert repo.brief().changes() == {"Cart": "removed", "Basket.count": "signature"}


@pytest.mark.parametrize(
    "new", ["def other(x):\n    return x\n", "class Basket:\n    def other(self):\n        pass\n"]
)
def test_what_comes_in_the_place_of_something_else_is_its_new_name(repo: Repo, new: str) -> None:
    repo.commit({"cart.py": f"class Cart{BODY}", "use.py": "from cart import Cart\n\nCart()\n"}).commit(
        {"cart.py": new}
    )
    assert repo.brief().symbol("Cart").renamed_to is None


def test_a_renamed_function_of_typescript_is_only_gone(repo: Repo) -> None:
    body = "(order: Order): number {\n  const prices = order.lines.map((line) => line.price);\n  return prices[0];\n}\n"
    head = "export interface Order { lines: { price: number }[] }\n"
    repo.commit(
        {
            "cart.ts": f"{head}export function total{body}",
            "use.ts": "import { total } from './cart';\ntotal({ lines: [] });\n",
        }
    ).commit({"cart.ts": f"{head}export function sum{body}"})
    brief = repo.brief()
    assert brief.changes() == {"total": "removed"}
    assert brief.symbol("total").renamed_to == "sum"
    assert brief.eyes() == ["broken-call use.ts:2"]


def test_a_method_moved_up_to_a_base_class_has_no_callers(repo: Repo) -> None:
    method = "    def reconnect(self, error):\n        self.error = error\n        return self.error\n"
    use = """
        from results import Results


        def f(results: Results):
            results.reconnect(2)  # CALLER
        """
    child = "from base import Base\n\n\nclass Results(Base):\n"
    go = "    def go(self):\n        return self.reconnect(1)  # CALLER\n"
    repo.commit({"base.py": "class Base:\n    x = 1\n", "results.py": f"{child}{go}\n{method}", "use.py": use}).commit(
        {"base.py": f"class Base:\n    x = 1\n\n{method}", "results.py": f"{child}{go}"}
    )
    brief = repo.brief()
    assert brief.changes() == {"Base.reconnect": "moved"}
    assert brief.callers("Base.reconnect") == repo.marked()
    assert not [eye for eye in brief.eyes() if not eye.startswith("untested")]


def test_a_method_of_a_class_that_is_no_base_is_where_it_went(repo: Repo) -> None:
    method = "    def reconnect(self, error):\n        self.error = error\n        return self.error\n"
    repo.commit(
        {
            "base.py": "class Base:\n    x = 1\n",
            "results.py": f"class Results:\n    y = 1\n\n{method}",
            "use.py": "from results import Results\n\nResults().reconnect(2)\n",
        }
    ).commit({"base.py": f"class Base:\n    x = 1\n\n{method}", "results.py": "class Results:\n    y = 1\n"})
    assert repo.brief().eyes() == ["broken-call use.py:3"]


def test_a_class_that_takes_the_name_of_an_import_has_no_users(repo: Repo) -> None:
    repo.commit(
        {"a.py": "from lib import Client\n", "use.py": "from a import Client\n\nClient()\n", "b.py": "Y = 1\n"}
    ).commit({"a.py": "from lib import Client\n\n\nclass Client(Client):\n    pass\n", "b.py": "Y = 1\nX = 2\n"})
    brief = repo.brief()
    assert brief.callers("Client") == ["use.py:3"]
    assert brief.eyes() == []


def test_bases_written_without_their_module_are_other_bases(repo: Repo) -> None:
    base = "class Store:\n    pass\n\n\nclass Mixin:\n    pass\n"
    repo.commit(
        {
            "base.py": base,
            "other.py": "class Store:\n    pass\n",
            "redis.py": "import base\n\n\nclass Redis(base.Store, base.Mixin):\n    pass\n",
            "sub.py": "from redis import Redis\n\n\nclass Sub(Redis):\n    pass\n",
        }
    ).commit({"redis.py": "from base import Mixin, Store\n\n\nclass Redis(Store, Mixin):\n    pass\n"}).commit(
        {
            "redis.py": (
                "from base import Mixin\nfrom other import Store\nimport other\n\n\n"
                "class Redis(other.Store, Mixin):\n    pass\n"
            )
        }
    )
    same = repo.brief(0, 1)
    assert same.changes() == {"Redis": "body"}
    assert not [eye for eye in same.eyes() if eye.startswith("override")]
    assert [eye for eye in repo.brief(1, 2).eyes() if eye.startswith("override")] == ["override sub.py:4"]


def test_who_imports_a_default_does_not_get_what_took_its_place(repo: Repo) -> None:
    repo.commit(
        {
            "m.ts": "function sum(x: number) {\n  return x + 1;\n}\nexport default sum;\n",
            "use.ts": "import sum from './m';\nexport const t = sum(1);\n",
        }
    ).commit(
        {
            "m.ts": (
                "function addUp(x: number, by: number) {\n  if (by) throw x;\n  return by;\n}\nexport default addUp;\n"
            )
        }
    )
    brief = repo.brief()
    assert brief.changes() == {"addUp": "signature"}
    assert brief.fits("addUp") == {"use.ts:2": False}


def test_another_class_in_the_place_of_a_default_loses_its_methods_changes(repo: Repo) -> None:
    repo.commit(
        {
            "m.ts": (
                "class Store {\n  loadAll(id: number) {\n    return id;\n  }\n  closeAll() {\n    return 1;\n  }\n}\n"
                "export default Store;\n"
            ),
            "use.ts": "import S from './m';\nconst s = new S();\ns.loadAll(1);\ns.closeAll();\n",
        }
    ).commit(
        {"m.ts": "class Depot {\n  loadAll(id: number, by: string) {\n    return by;\n  }\n}\nexport default Depot;\n"}
    )
    brief = repo.brief()
    assert brief.changes() == {"Depot": "body", "Depot.loadAll": "signature", "Store.closeAll": "removed"}
    assert brief.fits("Depot.loadAll") == {"use.ts:3": False}
    assert brief.fits("Store.closeAll") == {"use.ts:4": False}


def test_what_is_exported_by_name_takes_the_place_of_something_else(repo: Repo) -> None:
    repo.commit({"m.ts": "export function sum(x: number) {\n  return x + 1;\n}\n"}).commit(
        {"m.ts": "export function addUp(x: number, by: number) {\n  return by;\n}\n"}
    )
    assert repo.brief().changes() == {"sum": "removed", "addUp": "added"}

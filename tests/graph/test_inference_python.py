"""What Python code says about a receiver, and what it does not: each way on its own.

`Order.ship_it` is the method that changes; `Crate` has one of the same name, so a receiver that is known to be a Crate
must be refused, and one that isn't known is a MAYBE.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.graph.stories import Repo

LIBRARY = """
    from __future__ import annotations

    from contextlib import contextmanager
    from dataclasses import dataclass
    from typing import Generic, Iterator, Protocol, TypeVar

    T = TypeVar("T")


    class Order:
        number = 0

        def ship_it(self) -> Order:  # TARGET
            return self

        @property
        def parent(self) -> Order:
            return self

        @classmethod
        def load(cls) -> Order:
            return cls()

        @classmethod
        def made(cls):
            return cls()

        @staticmethod
        def fresh() -> Order:
            return Order()

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass


    class Rush(Order):
        pass


    class Crate:
        def ship_it(self):
            pass


    class Box(Generic[T]):
        item: T

        def __init__(self, item: T) -> None:
            self.item = item

        def get_item(self) -> T:
            return self.item


    class Shelf:
        order: Order
        crate: Crate

        def __init__(self, second: Order):
            self.second = second
            self.third = Order()


    class TopShelf(Shelf):
        pass


    def find_order(number: int) -> Order:
        return Order()


    def find_all() -> list[Order]:
        return []


    def guess_order(number):
        if number:
            return Order()
        return Rush()


    async def fetch_order() -> Order:
        return Order()


    def walk() -> Iterator[Order]:
        yield Order()


    @contextmanager
    def opened() -> Iterator[Order]:
        yield Order()


    def first(items: list[T]) -> T:
        return items[0]


    @dataclass
    class Row:
        order: Order
        crate: Crate


    class Ships(Protocol):
        def ship_it(self): ...


    current = Order()
    """

IMPORTS = """\
import lib
from typing import *
from lib import Box, Crate, Order, Row, Rush, Shelf, Ships, TopShelf, current
from lib import fetch_order, find_all, find_order, first, guess_order, opened, walk


"""

KNOWN = {
    "an annotated parameter": "def f(o: Order):\n    o.ship_it()  # CALLER\n",
    "an annotation written as a string": "def f(o: 'Order'):\n    o.ship_it()  # CALLER\n",
    "an optional": "def f(o: Optional[Order]):\n    o.ship_it()  # CALLER\n",
    "an optional written with a bar": "def f(o: Order | None):\n    o.ship_it()  # CALLER\n",
    "a dotted annotation": "def f(o: lib.Order):\n    o.ship_it()  # CALLER\n",
    "a union with a class that has one too": "def f(o: Order | Crate):\n    o.ship_it()  # CALLER\n",
    "a construction": "Order().ship_it()  # CALLER\n",
    "a local that is constructed": "def f():\n    o = Order()\n    o.ship_it()  # CALLER\n",
    "a local that is annotated": "def f():\n    o: Order = make()\n    o.ship_it()  # CALLER\n",
    "a module-level value": "current.ship_it()  # CALLER\n",
    "a module's value": "lib.current.ship_it()  # CALLER\n",
    "a chain of the method itself": "def f(o: Order):\n    (o\n     .ship_it()  # CALLER\n     .ship_it())  # CALLER\n",
    "a property's type": "def f(o: Order):\n    o.parent.ship_it()  # CALLER\n",
    "a declared result": "find_order(1).ship_it()  # CALLER\n",
    "a result that is not declared": "guess_order(1).ship_it()  # CALLER\n",
    "a class method's result": "Order.load().ship_it()  # CALLER\n",
    "a class method that makes its class": "Rush.made().ship_it()  # CALLER\n",
    "a static method's result": "Order.fresh().ship_it()  # CALLER\n",
    "a subclass": "def f(o: Rush):\n    o.ship_it()  # CALLER\n",
    "self": "class Late(Order):\n    def run(self):\n        self.ship_it()  # CALLER\n",
    "super": "class Late(Order):\n    def ship_it(self):\n        super().ship_it()  # CALLER\n",
    "super with arguments": (
        "class Late(Order):\n    def ship_it(self):\n        super(Late, self).ship_it()  # CALLER\n"
    ),
    "the class itself": "Order.ship_it(Order())  # CALLER\n",
    "cls": "class Late(Order):\n    @classmethod\n    def run(cls):\n        cls().ship_it()  # CALLER\n",
    "a declared field": "def f(s: Shelf):\n    s.order.ship_it()  # CALLER\n",
    "a field by its parameter": "def f(s: Shelf):\n    s.second.ship_it()  # CALLER\n",
    "a field that is constructed": "def f(s: Shelf):\n    s.third.ship_it()  # CALLER\n",
    "an inherited field": "def f(s: TopShelf):\n    s.second.ship_it()  # CALLER\n",
    "a field of self": "class S(Shelf):\n    def run(self):\n        self.third.ship_it()  # CALLER\n",
    "a dataclass's field": "def f(r: Row):\n    r.order.ship_it()  # CALLER\n",
    "a list's element": "def f(xs: list[Order]):\n    xs[0].ship_it()  # CALLER\n",
    "a loop over a list": "def f(xs: List[Order]):\n    for x in xs:\n        x.ship_it()  # CALLER\n",
    "a loop over a call": "for x in find_all():\n    x.ship_it()  # CALLER\n",
    "a comprehension": "def f(xs: Sequence[Order]):\n    return [x.ship_it() for x in xs]  # CALLER\n",
    "a dictionary's value": "def f(xs: dict[str, Order]):\n    xs['a'].ship_it()  # CALLER\n",
    "a dictionary's get": "def f(xs: dict[str, Order]):\n    xs.get('a').ship_it()  # CALLER\n",
    "a dictionary's items": (
        "def f(xs: Mapping[str, Order]):\n    for k, v in xs.items():\n        v.ship_it()  # CALLER\n"
    ),
    "a dictionary's values": "def f(xs: Dict[str, Order]):\n    for v in xs.values():\n        v.ship_it()  # CALLER\n",
    "enumerate": "def f(xs: list[Order]):\n    for i, x in enumerate(xs):\n        x.ship_it()  # CALLER\n",
    "zip": (
        "def f(xs: list[Order], ys: list[Crate]):\n    for x, y in zip(xs, ys):\n"
        "        x.ship_it()  # CALLER\n        y.ship_it()\n"
    ),
    "sorted": "def f(xs: set[Order]):\n    sorted(xs)[0].ship_it()  # CALLER\n",
    "next": "def f(xs: Iterator[Order]):\n    next(xs).ship_it()  # CALLER\n",
    "a generator": "for x in walk():\n    x.ship_it()  # CALLER\n",
    "a tuple": "def f(p: tuple[Crate, Order]):\n    a, b = p\n    a.ship_it()\n    b.ship_it()  # CALLER\n",
    "a tuple of any length": "def f(p: tuple[Order, ...]):\n    p[0].ship_it()  # CALLER\n",
    "an unpacked literal": "a, b = Order(), Crate()\na.ship_it()  # CALLER\nb.ship_it()\n",
    "a list literal": "for x in [Order(), Order()]:\n    x.ship_it()  # CALLER\n",
    "a type variable": "def f(xs: list[Order]):\n    first(xs).ship_it()  # CALLER\n",
    "a generic class": "def f(b: Box[Order]):\n    b.item.ship_it()  # CALLER\n",
    "a generic class's method": "def f(b: Box[Order]):\n    b.get_item().ship_it()  # CALLER\n",
    "a generic class by its constructor": "Box(Order()).get_item().ship_it()  # CALLER\n",
    "await": "async def f():\n    (await fetch_order()).ship_it()  # CALLER\n",
    "await of a local": "async def f():\n    o = await fetch_order()\n    o.ship_it()  # CALLER\n",
    "with": "with Order() as o:\n    o.ship_it()  # CALLER\n",
    "with a context manager": "def f():\n    with opened() as o:\n        o.ship_it()  # CALLER\n",
    "isinstance": "def f(o):\n    if isinstance(o, Order):\n        o.ship_it()  # CALLER\n",
    "isinstance with and": "def f(o):\n    return isinstance(o, Order) and o.ship_it()  # CALLER\n",
    "an assertion": "def f(o):\n    assert isinstance(o, Order)\n    o.ship_it()  # CALLER\n",
    "an early return": "def f(o):\n    if not isinstance(o, Order):\n        return\n    o.ship_it()  # CALLER\n",
    "a match on a class": (
        "def f(o):\n    match o:\n        case Order():\n            o.ship_it()  # CALLER\n"
        "        case Crate():\n            o.ship_it()\n"
    ),
    "a captured match": "def f(o):\n    match o:\n        case Order() as x:\n            x.ship_it()  # CALLER\n",
    "a cast": "def f(o):\n    cast(Order, o).ship_it()  # CALLER\n",
    "a conditional": "def f(a: Order, b: Rush, c):\n    (a if c else b).ship_it()  # CALLER\n",
    "or": "def f(a: Order | None):\n    (a or Order()).ship_it()  # CALLER\n",
    "a walrus": "if (o := find_order(1)):\n    o.ship_it()  # CALLER\n",
    "a default": "def f(o=Order()):\n    o.ship_it()  # CALLER\n",
    "an alias of the class": "O = Order\n\n\ndef f(o: O):\n    o.ship_it()  # CALLER\n",
    "an alias of a type": "Orders = list[Order]\n\n\ndef f(xs: Orders):\n    xs[0].ship_it()  # CALLER\n",
    "Self": "class Late(Order):\n    def me(self) -> Self:\n        return self\n\n\nLate().me().ship_it()  # CALLER\n",
    "a field of the type Self": "class S(Order):\n    up: Self\n\n\ndef f(s: S):\n    s.up.ship_it()  # CALLER\n",
    "a field of a list of Self": (
        "class S(Order):\n    down: list[Self]\n\n\ndef f(s: S):\n    for each in s.down:\n"
        "        each.ship_it()  # CALLER\n"
    ),
    "an inherited field of the type Self": (
        "class Node:\n    up: Optional[Self]\n\n\nclass Late(Node, Order):\n    pass\n\n\n"
        "def f(late: Late):\n    late.up.ship_it()  # CALLER\n"
    ),
    "a parameter of the type Self": (
        "class Late(Order):\n    def join(self, other: Self):\n        other.ship_it()  # CALLER\n"
    ),
    "a cached function": "import functools\n\nfunctools.cache(find_order)(1).ship_it()  # CALLER\n",
    "a cached function that is bounded": (
        "from functools import lru_cache\n\nlru_cache(maxsize=None)(find_order)(1).ship_it()  # CALLER\n"
        "lru_cache(16)(find_order)(1).ship_it()  # CALLER\nlru_cache(None)(find_order)(1).ship_it()  # CALLER\n"
        "lru_cache()(find_order)(1).ship_it()  # CALLER\nlru_cache(find_order)(1).ship_it()  # CALLER\n"
    ),
    "a cached method in a field": (
        "from functools import lru_cache\n\n\nclass Finder:\n    def __init__(self):\n"
        "        self.find = lru_cache(maxsize=None)(self._find)\n\n    def _find(self, number) -> Order:\n"
        "        return Order()\n\n    def run(self):\n        found = self.find(1)\n"
        "        found.ship_it()  # CALLER\n"
    ),
    "a class that is made a data class": (
        "from dataclasses import dataclass\n\n\nclass Bare(Order):\n    pass\n\n\n"
        "dataclass(frozen=True)(Bare)().ship_it()  # CALLER\ndataclass(Bare)().ship_it()  # CALLER\n"
    ),
    "a wrapper": "import functools\n\nfunctools.wraps(print)(find_order)(1).ship_it()  # CALLER\n",
    "a function that gives back what it takes": (
        "def as_is(number: int) -> Callable[[T], T]: ...\n\n\nT = TypeVar('T')\nas_is(1)(Order()).ship_it()  # CALLER\n"
    ),
    "a class made by type": (
        "X = type('X', (Order,), {'__doc__': ''})\nX().ship_it()  # CALLER\nX.load().ship_it()  # CALLER\n"
    ),
    "a variable for self": (
        "T = TypeVar('T', bound=Order)\n\n\nclass Late(Order):\n    def me(self: T) -> T:\n"
        "        return self\n\n\nLate().me().ship_it()  # CALLER\n"
    ),
    "a bounded type variable": (
        "T = TypeVar('T', bound=Order)\n\n\ndef f(o: T) -> T:\n    o.ship_it()  # CALLER\n    return o\n"
    ),
    "type of": "def f(kind: type[Order]):\n    kind().ship_it()  # CALLER\n",
    "a lambda": "sorted(find_all(), key=lambda o: o.ship_it())  # CALLER\n",
    "a closure": "def f(o: Order):\n    def g():\n        o.ship_it()  # CALLER\n\n    return g\n",
    "a name that is bound anew": "def f(o: Crate):\n    o = Order()\n    o.ship_it()  # CALLER\n",
    "a name bound in both branches": (
        "def f(c):\n    if c:\n        o = Order()\n    else:\n        o = Rush()\n    o.ship_it()  # CALLER\n"
    ),
    "a global": "state: Order = make()\n\n\ndef f():\n    global state\n    state.ship_it()  # CALLER\n",
    "getattr": "def f(s: Shelf):\n    getattr(s, 'order').ship_it()  # CALLER\n",
    "a bound method": "run = Order().ship_it  # CALLER\n",
}


@pytest.mark.parametrize("text", KNOWN.values(), ids=KNOWN.keys())
def test_the_receiver_is_not_known_by(tmp_path: Path, text: str) -> None:
    repo = Repo(tmp_path).commit({"lib.py": LIBRARY, "use.py": IMPORTS + text})
    assert [each for each in repo.callers() if each.startswith("use.py")] == repo.marked()


REFUSED = {
    "another class": "def f(o: Crate):\n    o.ship_it()\n",
    "another class that is constructed": "Crate().ship_it()\n",
    "another class's self": (
        "class C:\n    def ship_it(self):\n        pass\n\n    def run(self):\n        self.ship_it()\n"
    ),
    "an override in a subclass": (
        "class Late(Order):\n    def ship_it(self):\n        pass\n\n    def run(self):\n        self.ship_it()\n"
    ),
    "an override on a value": "class Late(Order):\n    def ship_it(self):\n        pass\n\n\nLate().ship_it()\n",
    "a class without such a method": "class C:\n    pass\n\n\nC().ship_it()\n",
    "a built-in list": "x = []\nx.ship_it()\n",
    "a built-in string": "''.ship_it()\n",
    "a built-in dictionary": "def f(d: dict):\n    d.ship_it()\n",
    "an external module": "import requests\n\nrequests.ship_it()\n",
    "an external class": "import requests\n\nrequests.Session().ship_it()\n",
    "an external class by name": "from requests import Session\n\n\ndef f(s: Session):\n    s.ship_it()\n",
    "a field of another class": "def f(s: Shelf):\n    s.crate.ship_it()\n",
    "an element of another class": "def f(xs: list[Crate]):\n    xs[0].ship_it()\n",
    "a shadowed parameter": "def f(current: Crate):\n    current.ship_it()\n",
    "a local that hides the module's value": "def f():\n    current = Crate()\n    current.ship_it()\n",
    "a name that is bound anew": "def f(o: Order):\n    o = Crate()\n    o.ship_it()\n",
    "a keyword": "dict(ship_it=1)\n",
    "a dictionary key": "{'ship_it': 1}['ship_it']\n",
    "a function of that name": "def ship_it():\n    pass\n\n\nship_it()\n",
    "a class of the same name in a function": (
        "def f():\n    class Order:\n        def ship_it(self):\n            pass\n\n    Order().ship_it()\n"
    ),
    "isinstance of another class": "def f(o):\n    if isinstance(o, Crate):\n        o.ship_it()\n",
    "only an assignment": "def f(o: Order):\n    o.ship_it = None\n",
    "a bare name that is not the method": "def f():\n    ship_it = 1\n    return ship_it\n",
    "super of another base": "class Late(Crate):\n    def run(self):\n        super().ship_it()\n",
    "the first of two bases": "class Both(Crate, Order):\n    pass\n\n\nBoth().ship_it()\n",
    "a path's parent": "from pathlib import Path\n\n\ndef f(p: Path):\n    p.parent.ship_it()\n",
    "an enum": "import enum\n\n\nclass E(enum.Enum):\n    A = 1\n\n\nE.A.ship_it()\n",
}


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED.keys())
def test_a_use_is_listed_though_it_is_of(tmp_path: Path, text: str) -> None:
    repo = Repo(tmp_path).commit({"lib.py": LIBRARY, "use.py": IMPORTS + text})
    assert [each for each in repo.callers() if each.startswith("use.py")] == []


UNSURE = {
    "the arguments of a ParamSpec": (
        "from typing import ParamSpec\n\nP = ParamSpec('P')\n\n\n"
        "def f(*args: P.args, **kwargs: P.kwargs):\n    args[0].ship_it()  # MAYBE\n"
        "    kwargs['a'].ship_it()  # MAYBE\n"
    ),
    "an unpacked dictionary": (
        "class Options(TypedDict):\n    a: Order\n\n\ndef f(**kwargs: Unpack[Options]):\n"
        "    kwargs['a'].ship_it()  # MAYBE\n"
    ),
    "a class made by type with members": "type('X', (Order,), {'ship_it': print})().ship_it()  # MAYBE\n",
    "a class made by type of bases nobody knows": "def f(bases):\n    type('X', bases, {}).ship_it()  # MAYBE\n",
    "a class made by its class": ("class Meta(type):\n    pass\n\n\nMeta('X', (Order,), {}).ship_it()  # MAYBE\n"),
    "any class": "def f(kind: type):\n    kind.ship_it()  # MAYBE\n",
    "a parameter without a type": "def f(o):\n    o.ship_it()  # MAYBE\n",
    "Any": "def f(o: Any):\n    o.ship_it()  # MAYBE\n",
    "a result nobody knows": "unknown().ship_it()  # MAYBE\n",
    "a protocol that it fits": "def f(o: Ships):\n    o.ship_it()  # MAYBE\n",
    "a class with an unknown base": (
        "import requests\n\n\nclass C(requests.Session):\n    def run(self):\n        self.ship_it()  # MAYBE\n"
    ),
    "a class that answers to every name": (
        "class C:\n    def __getattr__(self, name):\n        pass\n\n\nC().ship_it()  # MAYBE\n"
    ),
    "an element of a list of anything": "def f(xs: list):\n    xs[0].ship_it()  # MAYBE\n",
}


@pytest.mark.parametrize("text", UNSURE.values(), ids=UNSURE.keys())
def test_a_use_is_claimed_as_certain_or_lost_that_may_be_of(tmp_path: Path, text: str) -> None:
    repo = Repo(tmp_path).commit({"lib.py": LIBRARY, "use.py": IMPORTS + text})
    assert [each for each in repo.callers() if each.startswith("use.py")] == repo.marked()


def test_an_overloaded_function_gives_nothing(tmp_path: Path) -> None:
    repo = Repo(tmp_path).commit(
        {
            "lib.py": LIBRARY,
            "over.py": """
                from typing import overload

                from lib import Crate, Order


                @overload
                def pick(x: int) -> Order: ...
                @overload
                def pick(x: str) -> Crate: ...
                def pick(x):
                    return Order() if x else Crate()
                """,
            "use.py": "from over import pick\n\npick(1).ship_it()  # CALLER\n",
        }
    )
    assert [each.removesuffix(" ?") for each in repo.callers() if each.startswith("use.py")] == repo.marked()


def test_an_overload_that_is_not_meant_is_called(tmp_path: Path) -> None:
    repo = Repo(tmp_path).commit(
        {
            "lib.py": LIBRARY,
            "over.py": """
                from typing import Callable, overload

                from lib import Crate, Order


                @overload
                def pick(x: int) -> Crate: ...
                @overload
                def pick(x: int, *, now: bool) -> Order: ...
                @overload
                def pick(x: Callable[[], int], *, now: bool) -> Crate: ...
                def pick(x, *, now=None):
                    return unknown(x)
                """,
            "use.py": """
                from over import pick


                def make():
                    return 1


                pick(1).ship_it()
                pick(1, now=True).ship_it()  # CALLER
                pick(make, now=True).ship_it()
                """,
        }
    )
    assert [each for each in repo.callers() if each.startswith("use.py")] == repo.marked()


def test_a_method_of_the_subclass_is_taken_for_the_parents(tmp_path: Path) -> None:
    """The changed method is the override: a receiver declared as the parent may be one, a sibling never is."""
    repo = Repo(tmp_path).commit(
        {
            "base.py": (
                "class Base:\n    def act_up(self):\n        pass\n\n    def run(self):\n"
                "        self.act_up()  # MAYBE\n"
            ),
            "a.py": "from base import Base\n\n\nclass A(Base):\n    def act_up(self):  # TARGET\n        pass\n",
            "b.py": "from base import Base\n\n\nclass B(Base):\n    def act_up(self):\n        pass\n",
            "use.py": """
                from a import A
                from b import B
                from base import Base


                def f(a: A, b: B, base: Base):
                    a.act_up()  # CALLER
                    b.act_up()
                    base.act_up()  # MAYBE
                """,
        }
    )
    assert repo.callers() == repo.marked()

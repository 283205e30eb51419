"""Subclasses of a changed class in Python: which of them a change concerns, and who constructs them by the fields of
the class above."""

from __future__ import annotations

import pytest

from graph.render.text import to_text
from tests.graph.stories import Repo, Told

SUBCLASSES = """
from m import Base


class One(Base):
    pass


class Two(Base):
    pass


def go(b: Base):
    return isinstance(b, Base), [Base], Base()
"""


def changed(repo: Repo, before: str, after: str, use: str = SUBCLASSES) -> Told:
    return repo.commit({"m.py": before, "use.py": use}).commit({"m.py": after}).brief()


def misfits(told: Told, qualified: str) -> list[tuple[int, str | None]]:
    return [(each.line, each.misfit) for each in told.symbol(qualified).callers if each.fits is False]


# -- whom other bases concern ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Mapping[Key, int]", "Mapping[str, int]"),
        ("Mapping", "Mapping[str, int]"),
        ("Core", "Logged"),  # which is a Core
        ("Core", "Logged, Other"),
        ("Core, Other", "Other, Core"),
        ("object", "Core"),
        ("Generic[T]", "Generic[U]"),
    ],
)
def test_subclasses_are_to_check_where_the_class_inherits_all_it_did(repo: Repo, before: str, after: str) -> None:
    head = """
from collections.abc import Mapping
from typing import Generic, TypeVar

Key = str
T = TypeVar("T")
U = TypeVar("U")


class Core: ...


class Other: ...


class Logged(Core):
    level: int


class Base(%s):
    def run(self): ...
"""
    told = changed(repo, head % before, head % after)
    assert told.symbol("Base").compatible is True
    assert {each.kind: each.fits for each in told.symbol("Base").callers}["base"] is True
    assert not any(eye.startswith(("override", "wide")) for eye in told.eyes())
    assert "not judged" not in to_text(told.briefing)


def test_each_subclass_is_a_place_where_the_class_lost_a_base(repo: Repo) -> None:
    head = "class Core: ...\n\n\nclass Other: ...\n\n\nclass Base(%s):\n    def run(self): ...\n"
    told = changed(repo, head % "Core", head % "Other")
    [eye] = [eye for eye in told.briefing.eyes if eye.what == "override"]
    assert eye.text == "`One` and 1 more extend `Base`, whose signature changed: it no longer extends `Core`"
    assert [(place.path, place.line) for place in eye.callers] == [("use.py", 4), ("use.py", 8)]
    text = to_text(told.briefing)
    assert text.startswith("2 overrides or implementations to check · ")
    assert "2 of them to check" in text
    assert "not compatible, 2 outside the diff to check" in text
    assert "break" not in text and "fail" not in text
    # the class itself is passed, or constructed as before: its bases are nothing to that
    assert {each.kind: each.fits for each in told.symbol("Base").callers} == {
        "base": None, "argument": True, "value": True, "call": True, "type": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("constructor", "expected"),
    [("self, level", None), ("self, level=1", True), ("self", True), ("self, *args", True)],
)
def test_another_constructor_from_a_class_put_between_goes_unsaid(
    repo: Repo, constructor: str, expected: bool | None
) -> None:
    head = f"class Core: ...\n\n\nclass Logged(Core):\n    def __init__({constructor}): ...\n\n\n"
    told = changed(repo, head + "class Base(Core): ...\n", head + "class Base(Logged): ...\n")
    assert {each.kind: each.fits for each in told.symbol("Base").callers}["base"] is expected
    assert ("override use.py:4" in told.eyes()) is (expected is None)


def test_one_type_parameter_more_concerns_nobody(repo: Repo) -> None:
    head = "from typing import Generic, TypeVar\n\nT = TypeVar('T')\nU = TypeVar('U')\n\n\n"
    told = changed(repo, head + "class Base(Generic[T]): ...\n", head + "class Base(Generic[T, U]): ...\n")
    assert told.symbol("Base").compatible is False
    assert "override use.py:4" in told.eyes()


def test_the_type_of_a_field_concerns_subclasses(repo: Repo) -> None:
    head = "from dataclasses import dataclass\n\n\n@dataclass\nclass Base:\n    name: %s | None = None\n"
    told = changed(repo, head % "list[str]", head % "list[int]")
    assert {each.kind: each.fits for each in told.symbol("Base").callers}["base"] is True
    assert not any(eye.startswith(("override", "wide")) for eye in told.eyes())
    assert told.symbol("Base").before == "class Base\n    name: list[str] | None = ..."
    assert told.symbol("Base").after == "class Base\n    name: list[int] | None = ..."


# -- constructors that fields make -----------------------------------------------------------------------------------


def test_constructions_of_subclasses_by_the_fields_above_are_missed(repo: Repo) -> None:
    before = "from dataclasses import dataclass\n\n\n@dataclass\nclass Base:\n    name: str\n    slug: str = ''\n"
    use = """
    from dataclasses import dataclass
    from m import Base


    @dataclass
    class Site(Base):
        site: int = 0

        @classmethod
        def make(cls):
            return cls(name="a")


    class Rack(Base):
        pass


    class Own(Base):
        def __init__(self):
            super().__init__(name="a")


    @dataclass(init=False)
    class Kept(Base):
        size: int = 0


    def go():
        Base(name="a")
        Rack(name="a")
        Site(name="a", site=2)
        Site("a", "b", 3)
        Site("a", "b")
        Site(slug="b", site=3, **{})
        Own()
        Kept("a", "b")
    """
    told = changed(repo, before, before.replace("    name: str\n", ""), use)
    gone, many = "passes name=, which is gone", "passes 3 arguments, takes 2"
    assert misfits(told, "Base") == [
        (11, gone), (20, gone), (29, gone), (30, gone), (31, gone), (32, many),
        (36, "passes 2 arguments, takes 1"),
    ]  # fmt: skip
    fits = told.fits("Base")
    assert fits["use.py:33"] is None  # it fits, and means something else
    assert fits["use.py:34"] is None
    assert "use.py:35" not in fits
    assert [line for line, _ in misfits(told, "Base")] == [11, 20, 29, 30, 31, 32, 36]
    assert not any(eye.startswith("override") for eye in told.eyes())


def test_a_new_field_above_is_not_asked_of_who_constructs_a_subclass(repo: Repo) -> None:
    before = "from typing import NamedTuple\n\n\nclass Base(NamedTuple):\n    x: int\n"
    use = "from m import Base\n\n\nclass Point(Base):\n    pass\n\n\nPoint(1)\nPoint(1, 2)\n"
    told = changed(repo, before, before + "    y: int\n", use)
    assert misfits(told, "Base") == [(8, "passes 1 argument, needs 2 (missing y)")]


def test_another_field_than_the_new_one_is_said_to_be_missing(repo: Repo) -> None:
    head = "from dataclasses import dataclass\n"
    before = f"{head}\n\n@dataclass\nclass Base:\n    number: int\n"
    fields = "    request: str\n    end: bool\n"
    use = f"{head}from m import Base\n\n\n@dataclass\nclass Event(Base):\n{fields}\n\nEvent(1, 'r', end=True)\n"
    told = changed(repo, before, before + "    extra: int\n", use)
    assert misfits(told, "Base") == [(11, "passes 3 arguments, needs 4 (missing extra)")]


def test_a_class_that_can_no_longer_be_made_goes_unsaid(repo: Repo) -> None:
    before = "from dataclasses import dataclass\n\n\n@dataclass\nclass Base:\n    name: str\n"
    use = "from dataclasses import dataclass\nfrom m import Base\n\n\n@dataclass\nclass Site(Base):\n    site: int\n"
    told = changed(repo, before, before + "    slug: str = ''\n", use)
    assert misfits(told, "Base") == [(6, "its field `site` must be passed and follows `slug`, which need not be")]
    text = to_text(told.briefing)
    assert text.startswith("1 override or implementation no longer fits · ")
    assert "which breaks" in text

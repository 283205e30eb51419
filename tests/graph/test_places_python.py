"""Callers in Python where the place decides: local imports, shadowed names, properties, tasks, constructors, bases."""

from __future__ import annotations

import pytest

from tests.graph.stories import Repo

# ---------------------------------------------------------------------------------------------------------- properties


def test_reads_of_a_property_are_missed_or_confused_with_fields(repo: Repo) -> None:
    before = """
        from functools import cached_property


        class Parcel:
            def __init__(self, parts):
                self.parts = parts

            @property
            def weight(self):
                return sum(self.parts)

            @cached_property
            def label(self):
                return f"{self.weight} kg"  # CALLER
        """
    repo.commit(
        {
            "post/__init__.py": "",
            "post/parcel.py": before,
            "post/bill.py": """
                from post.parcel import Parcel


                class Bill:
                    def __init__(self, weight):
                        self.weight = weight

                    def show(self):
                        return self.weight


                def render(parcel: Parcel):
                    return f"{parcel.weight} kg"  # CALLER


                def build(parts):
                    parcel = Parcel(parts)
                    return Bill(parcel.weight)  # CALLER


                def guess(thing):
                    return thing.weight  # MAYBE


                def from_dict(data):
                    weight = data["weight"]
                    return weight
                """,
        }
    ).commit({"post/parcel.py": before.replace("sum(self.parts)", "round(sum(self.parts))")})
    assert repo.brief().callers("Parcel.weight") == repo.marked()


def test_a_setter_is_reached_by_what_reads_or_a_getter_by_what_assigns(repo: Repo) -> None:
    repo.commit(
        {
            "box.py": """
                class Box:
                    @property
                    def lid_angle(self):  # TARGET
                        return self._lid

                    @lid_angle.setter
                    def lid_angle(self, value):  # TARGET:setter
                        self._lid = value
                """,
            "use.py": """
                from box import Box


                def read(box: Box):
                    box.lid_angle = 90  # CALLER:setter
                    return box.lid_angle  # CALLER
                """,
        }
    )
    assert [each for each in repo.callers() if not each.startswith("box.py")] == repo.marked()
    assert repo.callers("setter") == repo.marked("setter")


def test_an_assignment_to_a_method_is_a_caller_of_it(repo: Repo) -> None:
    repo.commit(
        {
            "box.py": "class Box:\n    def lid_angle(self):  # TARGET\n        return 1\n",
            "use.py": "from box import Box\n\n\ndef patch(box: Box):\n    box.lid_angle = None\n",
        }
    )
    assert repo.callers() == []


# --------------------------------------------------------------------------------------------------------------- tasks


def test_a_task_started_through_its_own_methods_has_no_callers(repo: Repo) -> None:
    before = (
        '\nfrom celery import shared_task\n\n\n@shared_task(name="jobs.resize")\n'
        "def resize(image_id):\n    return image_id\n"
    )
    repo.commit(
        {
            "jobs/__init__.py": "",
            "jobs/tasks.py": before,
            "jobs/clock.py": """
                class Clock:
                    def delay(self, seconds):
                        return seconds


                clock = Clock()
                clock.delay(5)
                """,
            "jobs/views.py": """
                from celery import chain

                from jobs import tasks
                from jobs.tasks import resize


                def save(image_id):
                    resize.delay(image_id)  # CALLER
                    resize.apply_async(args=[image_id], countdown=5)  # CALLER
                    chain(resize.s(image_id), resize.si(image_id)).delay()  # CALLER
                    tasks.resize.delay(image_id)  # CALLER
                    return resize(image_id)  # CALLER
                """,
        }
    ).commit({"jobs/tasks.py": before.replace("(image_id)", "(image_id, to)")})
    assert repo.brief().callers("resize") == repo.marked()


# ---------------------------------------------------------------------------------------- where an import may stand


@pytest.mark.parametrize(
    "text",
    [
        "def late():\n    from core import start_up\n    start_up()  # CALLER\n",
        "def late():\n    import core\n    core.start_up()  # CALLER\n",
        "if True:\n    from core import start_up\nelse:\n    start_up = None\nstart_up()  # CALLER\n",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from core import start_up\nstart_up()  # CALLER\n",
        "import core as c\nclass A:\n    run = c.start_up()  # CALLER\n",
        "import importlib\nimportlib.import_module('core').start_up()  # CALLER\n",
        "from core import (\n    start_up,\n)\n[start_up() for _ in range(3)]  # CALLER\n",
        "import core\nlambda: core.start_up()  # CALLER\n",
        "import core\nf'{core.start_up()}'  # CALLER\n",
        "from core import start_up\nwith start_up() as x:  # CALLER\n    pass\n",
        "from core import start_up\nasync def f():\n    await start_up()  # CALLER\n",
    ],
)
def test_an_import_in_this_place_is_not_seen(repo: Repo, text: str) -> None:
    repo.commit({"core.py": "def start_up():  # TARGET\n    pass\n", "use.py": text})
    assert [each.removesuffix(" ?") for each in repo.callers()] == repo.marked()
    if "else" not in text:
        assert repo.callers() == repo.marked()


@pytest.mark.parametrize(
    ("why", "text"),
    [
        ("a parameter of the name", "from core import start_up\n\n\ndef f(start_up):\n    start_up()\n"),
        (
            "a local function",
            "from core import start_up\n\n\ndef f():\n    def start_up():\n        pass\n\n    start_up()\n",
        ),
        ("another module's", "from elsewhere import start_up\n\nstart_up()\n"),
        ("defined here", "def start_up():\n    pass\n\n\nstart_up()\n"),
        ("an import of this function only", "def g():\n    from elsewhere import start_up\n    start_up()\n"),
        ("a keyword argument", "f = dict\nf(start_up=1)\n"),
        ("an attribute of something else", "import os\n\nos.start_up()\n"),
        ("a string", "print('start_up')\n"),
        ("a comprehension variable", "[start_up() for start_up in ()]\n"),
        ("a with target", "with open('x') as start_up:\n    start_up()\n"),
        ("an exception", "try:\n    pass\nexcept ValueError as start_up:\n    start_up()\n"),
        ("a class attribute", "class A:\n    start_up = 1\n\n    def f(self):\n        return self.start_up\n"),
    ],
)
def test_a_name_that_resolves_elsewhere_is_listed(repo: Repo, why: str, text: str) -> None:
    repo.commit({"core.py": "def start_up():  # TARGET\n    pass\n", "use.py": text})
    assert repo.callers() == [], why


def test_a_bare_name_that_nobody_declares_is_lost_or_claimed_as_certain(repo: Repo) -> None:
    repo.commit(
        {
            "core.py": "def inject_me():  # TARGET\n    pass\n",
            "template.py": "inject_me()  # MAYBE\n",
        }
    )
    assert repo.callers() == repo.marked()


def test_a_short_bare_name_that_nobody_declares_is_listed(repo: Repo) -> None:
    repo.commit({"core.py": "def inj():  # TARGET\n    pass\n", "template.py": "inj()\n"})
    assert repo.callers() == []


# ------------------------------------------------------------------------------------------------------------- classes


def test_a_changed_constructor_is_not_reached_by_constructions(repo: Repo) -> None:
    repo.commit(
        {
            "car.py": """
                class Car:
                    def __init__(self, wheels):  # TARGET
                        self.wheels = wheels

                    @classmethod
                    def make(cls):
                        return cls(4)  # CALLER
                """,
            "kinds.py": """
                from car import Car


                class Van(Car):
                    pass


                class Bus(Car):
                    def __init__(self):
                        super().__init__(6)  # CALLER


                Van(4)  # CALLER
                Bus()
                Car(4)  # CALLER
                """,
        }
    )
    assert repo.callers() == repo.marked()


def test_a_base_class_is_not_a_caller(repo: Repo) -> None:
    repo.commit(
        {
            "base.py": "class Model:  # TARGET\n    pass\n",
            "a.py": (
                "import base\nfrom base import Model as M\n\n\nclass A(M):  # CALLER\n    pass\n\n\n"
                "class B(base.Model):  # CALLER\n    pass\n"
            ),
            "b.py": "from a import A\n\n\nclass C(A):\n    pass\n",
            "c.py": (
                "from base import Model\n\n\ndef f(m: Model) -> None:  # TYPE\n    isinstance(m, Model)  # CALLER\n"
            ),
        }
    )
    assert repo.callers() == repo.marked()

"""Fields of Python classes whose values are descriptors: what is read is what `__get__` gives.

`Engine.close_soon` is the method that changes; `Pump` has one of the same name.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.graph.stories import Repo

ENGINES = """
    class Engine:
        def close_soon(self, reason):  # TARGET
            return 1


    class Pump:
        def close_soon(self, reason):
            return 1
    """

LATE = """
    from typing import Any, Generic, TypeVar, overload

    from engines import Engine, Pump

    T = TypeVar("T")


    class Late(Generic[T]):
        def __init__(self, kind: type[T] = ...):
            pass

        def __get__(self, instance: object, owner: Any) -> T:
            return instance.__dict__["x"]

        def reset(self):
            pass


    class Later(Late[T]):
        pass


    class Twofold(Generic[T]):
        @overload
        def __get__(self, instance: None, owner: Any) -> "Twofold[T]": ...
        @overload
        def __get__(self, instance: object, owner: Any) -> T: ...
        def __get__(self, instance, owner):
            return self if instance is None else instance.__dict__["x"]


    class Untold:
        def __get__(self, instance, owner=None):
            if instance is None:
                return self
            return instance.__dict__["x"]


    class Itself:
        def __get__(self, instance, owner):
            self.instance = instance
            return self

        def close_soon(self, reason):
            pass


    class Crawler:
        engine: Late[Engine] = Late()
        later: Later[Engine] = Later()
        made = Late(Engine)
        stated: Late[Engine]
        twofold: Twofold[Engine] = Twofold()
        pump: Late[Pump] = Late()
        untold = Untold()
        bare = Late()
        itself = Itself()

        def _read(self) -> Engine:
            return Engine()

        old = property(_read)
        static = staticmethod(Engine)

        def __init__(self):
            self.kept = Late(Engine)
    """

HEAD = "from late import Crawler\n\n\ndef stop(crawler: Crawler):\n"

READ = {
    "its type argument": "    crawler.engine.close_soon('x')  # CALLER\n",
    "the type argument of what it inherits": "    crawler.later.close_soon('x')  # CALLER\n",
    "what it is made with": "    crawler.made.close_soon('x')  # CALLER\n",
    "an annotation alone": "    crawler.stated.close_soon('x')  # CALLER\n",
    "the overload for instances": "    crawler.twofold.close_soon('x')  # CALLER\n",
    "what a property made by a call reads": "    crawler.old.close_soon('x')  # CALLER\n",
    "a static function": "    crawler.static().close_soon('x')  # CALLER\n",
    "another type argument": "    crawler.pump.close_soon('x')\n",
    "what nobody declares": "    crawler.untold.close_soon('x')  # MAYBE\n",
    "a type argument that nobody states": "    crawler.bare.close_soon('x')  # MAYBE\n",
    "itself, which is another class": "    crawler.itself.close_soon('x')\n",
    "nothing, where an object has it of its own": "    crawler.kept.close_soon('x')\n",
    "the type argument, in a method of a subclass": (
        "    pass\n\n\nclass Fast(Crawler):\n    def stop(self):\n        self.engine.close_soon('x')  # CALLER\n"
    ),
}


@pytest.mark.parametrize("text", READ.values(), ids=READ.keys())
def test_a_descriptor_is_taken_for_what_it_gives_where_that_is(tmp_path: Path, text: str) -> None:
    repo = Repo(tmp_path).commit({"engines.py": ENGINES, "late.py": LATE, "use.py": HEAD + text})
    assert [each for each in repo.callers() if each.startswith("use.py")] == repo.marked()


def test_a_method_of_a_descriptor_is_not_found_where_the_class_is_asked(tmp_path: Path) -> None:
    repo = Repo(tmp_path).commit(
        {
            "late.py": """
                class Twofold:
                    def __get__(self, instance, owner):
                        return self if instance is None else instance.__dict__["x"]

                    def reset_all(self):  # TARGET
                        pass


                class Crawler:
                    engine = Twofold()


                class Fast(Crawler):
                    pass
                """,
            "use.py": "from late import Crawler, Fast\n\nCrawler.engine.reset_all()  # CALLER\n"
            "Fast.engine.reset_all()  # CALLER\n",
        }
    )
    assert repo.callers() == repo.marked()


def test_a_renamed_method_is_still_called_through_a_descriptor(repo: Repo) -> None:
    files = {"engines.py": ENGINES, "late.py": LATE, "use.py": HEAD + "    crawler.engine.close_soon('x')\n"}
    repo.commit(files).commit({"engines.py": ENGINES.replace("close_soon", "close_now", 1)})
    assert repo.brief().callers("Engine.close_soon") == ["use.py:5"]

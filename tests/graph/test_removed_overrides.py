"""A method goes from a class that inherits another of its name: what called it reaches that one now."""

from __future__ import annotations

from tests.graph.stories import Repo, Told

MODEL = """
    class Base:
        def price(self):
            return 1


    class Leaf(Base):
        x = 1
    {price}
"""
PRICE = "\n        def price(self):\n            return 2\n"
JOB = "from m import Leaf\n\n\ndef run(leaf: Leaf, other):\n    leaf.price()  # CALLER\n    other.price()\n"


def reached(brief: Told, qualified: str = "Leaf.price") -> dict[str, str | None]:
    return {f"{each.path}:{each.line}": each.reason for each in brief.symbol(qualified).callers}


def python(repo: Repo, job: str = JOB, price: str = PRICE, model: str = MODEL, after: str = "") -> Told:
    repo.commit({"m.py": model.replace("{price}", price), "job.py": job})
    return repo.commit({"m.py": model.replace("{price}", after)}).brief()


def test_calls_that_fall_to_the_class_above_are_lost(repo: Repo) -> None:
    brief = python(repo)
    assert brief.callers("Leaf.price") == repo.marked()
    assert reached(brief) == {"job.py:5": "reaches Base.price now"}
    assert brief.fits("Leaf.price") == {"job.py:5": None}
    assert brief.eyes() == []


def test_a_call_that_does_not_fit_the_method_above_is_said_to_be_fine(repo: Repo) -> None:
    job = JOB.replace("leaf.price()", "leaf.price(3)")
    brief = python(repo, job, PRICE.replace("self", "self, count"))
    assert [eye.text for eye in brief.briefing.eyes] == [
        "the call of `Leaf.price` in `run` no longer fits: passes 1 argument, takes none"
    ]


def test_a_change_of_what_many_calls_do_needs_no_eyes(repo: Repo) -> None:
    calls = "".join(f"\n\ndef run{number}(leaf: Leaf):\n    leaf.price()\n" for number in range(10))
    brief = python(repo, f"from m import Leaf\n{calls}")
    assert brief.eyes() == ["wide job.py:5"]
    assert brief.briefing.eyes[0].text == (
        "`Leaf.price` is removed; 10 callers in 1 file outside the diff reach the one of a class above now"
    )


def test_a_subclass_and_its_own_calls_are_left_out(repo: Repo) -> None:
    model = MODEL + "\n\n    class Twig(Leaf):\n        def twice(self):\n            return self.price() * 2\n"
    job = "from m import Twig\n\n\ndef run():\n    return Twig().price()\n"
    assert reached(python(repo, job, model=model)) == {
        "job.py:5": "reaches Base.price now",
        "m.py:13": "reaches Base.price now",
    }


def test_a_method_that_the_change_adds_above_is_told_as_another(repo: Repo) -> None:
    model = MODEL.replace("def price(self):\n            return 1", "{above}")
    repo.commit({"m.py": model.replace("{above}", "y = 1").replace("{price}", PRICE), "job.py": JOB})
    above = "def price(self):\n            count = 12\n            return count + 7"
    brief = repo.commit({"m.py": model.replace("{above}", above).replace("{price}", "")}).brief()
    assert reached(brief) == {}


def test_what_only_declares_the_method_is_said_to_be_reached(repo: Repo) -> None:
    shop = """
        export abstract class Base {
          abstract price(): number;
        }

        export abstract class Leaf extends Base {
          price(): number {
            return 2;
          }
        }
    """
    job = 'import { Leaf } from "./shop";\n\nexport const run = (leaf: Leaf) => leaf.price();\n'
    repo.commit({"shop.ts": shop, "job.ts": job})
    gone = shop.replace("          price(): number {\n            return 2;\n          }\n", "          x = 1;\n")
    assert reached(repo.commit({"shop.ts": gone}).brief()) == {}


def test_a_call_that_another_class_answers_is_listed(repo: Repo) -> None:
    """The change gives the variable another class: the call is that one's now."""
    model = MODEL + "\n\n    class Other:\n        def price(self):\n            return 3\n\n\n    made = Leaf()\n"
    job = "from m import made\n\nmade.price()\n"
    repo.commit({"m.py": model.replace("{price}", PRICE), "job.py": job})
    after = model.replace("{price}", "").replace("made = Leaf()", "made = Other()")
    assert reached(repo.commit({"m.py": after}).brief()) == {}


def test_embedding_gives_what_a_removed_method_hid(repo: Repo) -> None:
    leaf = "package mem\n\ntype Leaf struct{ Base }\n"
    repo.commit(
        {
            "go.mod": "module example.com/shop\n\ngo 1.22\n",
            "mem/base.go": "package mem\n\ntype Base struct{}\n\nfunc (Base) Price() int { return 1 }\n",
            "mem/leaf.go": leaf + "\nfunc (Leaf) Price() int { return 2 }\n",
            "job/job.go": 'package job\n\nimport "example.com/shop/mem"\n\nfunc Run(l mem.Leaf) { l.Price() }\n',
        }
    )
    brief = repo.commit({"mem/leaf.go": leaf}).brief()
    assert reached(brief, "Leaf.Price") == {"job/job.go:5": "reaches Base.Price now"}


def test_a_php_method_that_falls_to_its_parent_is_lost(repo: Repo) -> None:
    leaf = "<?php\nnamespace Shop;\n\nclass Leaf extends Base\n{\n"
    repo.commit(
        {
            "composer.json": '{"autoload": {"psr-4": {"Shop\\\\": "src/"}}}',
            "src/Base.php": "<?php\nnamespace Shop;\n\nclass Base\n{\n    public function price() { return 1; }\n}\n",
            "src/Leaf.php": leaf + "    public function price() { return 2; }\n}\n",
            "src/job.php": "<?php\nnamespace Shop;\n\nfunction go(Leaf $leaf)\n{\n    return $leaf->price();\n}\n",
        }
    )
    assert reached(repo.commit({"src/Leaf.php": leaf + "}\n"}).brief()) == {"src/job.php:6": "reaches Base.price now"}


def test_a_method_of_a_mixin_goes_and_nobody_is_told_whose_class_has_a_base_from_outside(repo: Repo) -> None:
    views = """
        from django.views import View


        class Mixin:
            {}
            other = 1


        class Page(Mixin, View):
            pass
    """
    use = "from views import Page\n\n\ndef run():\n    Page().filter_children(False)\n"
    repo.commit({"views.py": views.format("def filter_children(self, on): ..."), "use.py": use})
    (caller,) = repo.commit({"views.py": views.format("")}).brief().symbol("Mixin.filter_children").callers
    assert (caller.line, caller.sure, caller.reason) == (5, False, "unless an unknown base of its type has it")

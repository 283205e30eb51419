"""Fields of classes, interfaces and object types: who reads one that is gone, and who is not concerned by a new one."""

from __future__ import annotations

import pytest

from tests.graph.stories import Repo


def test_a_property_that_is_gone_is_read_on(repo: Repo) -> None:
    use = """
        import { Config, Runner, Shape } from './a';
        export function f(config: Config) {
          return config.isBundled;  // CALLER:isBundled
        }
        export function g(runner: Runner) {
          return runner.loaded.length;  // CALLER:loaded
        }
        export function h(shape: Shape) {
          return shape.x;  // CALLER:x
        }
        export function d({ isBundled }: Config) {  // CALLER:isBundled
          return isBundled;
        }
        export function k(config: Config, runner: Runner, shape: Shape) {
          return config.root + runner.other + shape.y;
        }
        export function other(thing: { isBundled: boolean; loaded: number }) {
          return thing.isBundled || thing.loaded;
        }
        """
    repo.commit(
        {
            "a.ts": """
                export interface Config { root: string; isBundled: boolean }
                export class Runner {
                  loaded: string[] = [];
                  other = 1;
                }
                export type Shape = { x: number; y: number };
                """,
            "use.ts": use,
        }
    ).commit(
        {
            "a.ts": """
                export interface Config { root: string }
                export class Runner {
                  other = 1;
                }
                export type Shape = { y: number };
                """
        }
    )
    brief = repo.brief()
    for qualified in ("Config.isBundled", "Runner.loaded", "Shape.x"):
        assert brief.changes()[qualified] == "removed"
        assert brief.callers(qualified) == repo.marked(qualified.partition(".")[2])
        assert set(brief.fits(qualified).values()) == {False}
    assert {eye for eye in brief.eyes() if not eye.startswith("untested")} == {
        "broken-call use.ts:3",
        "broken-call use.ts:6",
        "broken-call use.ts:9",
    }


def test_a_property_that_a_base_still_has_is_gone(repo: Repo) -> None:
    base = "export interface Base { id: number }\n"
    repo.commit(
        {
            "a.ts": f"{base}export interface User extends Base {{ id: number; name: string }}\n",
            "use.ts": "import { User } from './a';\nexport const f = (user: User) => user.id;\n",
        }
    ).commit({"a.ts": f"{base}export interface User extends Base {{ name: string }}\n"})
    brief = repo.brief()
    assert brief.changes() == {"User": "body"}
    assert brief.eyes() == []


def test_a_property_of_a_type_that_is_written_out_in_a_declaration_is_read_on(repo: Repo) -> None:
    use = """
        import { box, load, save } from './a';
        console.log(box.gone);  // CALLER:box
        console.log(load().gone, load().id);  // CALLER:load
        save({ id: 1 });
        """
    text = """
        export const box: { id: number; gone: string } = make();
        export function load(): { id: number; gone: string } {
          return make();
        }
        export function save(order: { id: number; gone?: string }, extra = 1) {
          return order;
        }
        """
    repo.commit({"a.ts": text, "use.ts": use}).commit({"a.ts": text.replace("; gone: string", "")})
    brief = repo.brief()
    assert brief.callers("box.gone") == repo.marked("box")
    assert brief.callers("load.gone") == repo.marked("load")
    assert "save.gone" not in brief.changes()


def test_a_property_of_a_type_with_an_unknown_base_is_surely_gone_or_left_out(repo: Repo) -> None:
    base = "import { Outer } from 'outside';\n"
    repo.commit(
        {
            "a.ts": f"{base}export interface User extends Outer {{ id: number; name: string }}\n",
            "use.ts": "import { User } from './a';\nexport const f = (user: User) => user.id;  // MAYBE\n",
        }
    ).commit({"a.ts": f"{base}export interface User extends Outer {{ name: string }}\n"})
    brief = repo.brief()
    assert brief.callers("User.id") == repo.marked()
    assert brief.fits("User.id") == {"use.ts:2": None}


def test_an_attribute_that_is_no_longer_assigned_is_read_on(repo: Repo) -> None:
    use = """
        from cart import Cart
        from paid import Paid


        def f(cart: Cart, paid: Paid, other):
            print(cart.total)  # CALLER
            print(paid.total)
            print(cart.items)
            return other.total
        """
    before = """
        class Cart:
            def __init__(self):
                self.items = []
                self.total = 0
        """
    paid = """
        from cart import Cart


        class Paid(Cart):
            def pay(self):
                self.total = 1
        """
    repo.commit({"cart.py": before, "paid.py": paid, "use.py": use}).commit(
        {"cart.py": before.replace("        self.total = 0\n", "        print()\n")}
    )
    brief = repo.brief()
    assert brief.callers("Cart.total") == repo.marked()


def test_everybody_who_names_a_class_is_concerned_by_a_field_more(repo: Repo) -> None:
    use = """
        from events import Events

        print(Events.ONE)
        print(Events.TWO)


        def f():
            return Events
        """
    repo.commit({"events.py": "class Events:\n    ONE = 1\n    TWO = 2\n", "use.py": use}).commit(
        {"events.py": "class Events:\n    ONE = 1\n    TWO = 2\n    THREE = 3\n"}
    ).commit({"events.py": "class Events:\n    ONE = 10\n    TWO = 2\n    THREE = 3\n"})
    more = repo.brief(0, 1)
    assert more.changes() == {"Events.THREE": "added"}
    assert more.eyes() == []
    edited = repo.brief(1, 2)
    assert edited.changes() == {"Events.ONE": "body"}
    assert edited.callers("Events.ONE") == ["use.py:3"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("class C(Model):\n    x: int\n", "class C(Model):\n    x: int\n    y: int\n"),
        ("class C:\n    x = 1\n", "class C(dict):\n    x = 1\n"),
        ("class C:\n    x = 1\n", "@register\nclass C:\n    x = 1\n"),
        ("class C:\n    x = 1\n    print(x)\n", "class C:\n    x = 1\n    print(x + 1)\n"),
    ],
)
def test_a_class_that_is_made_otherwise_concerns_nobody(repo: Repo, before: str, after: str) -> None:
    head = "from outside import Model, register\n\n\n"
    repo.commit({"m.py": head + before, "use.py": "from m import C\n\nC()\n"}).commit({"m.py": head + after})
    assert repo.brief().callers("C") == ["use.py:3"]


COMMON = """\
<?php
namespace App;

class Common
{
    public static $isCli = null;
    public $gone = 1, $stays = 2;
    private ?array $cache;
    public static $lost;
    public static array $edited = [];

    public function __construct(public string $promoted = '', protected int $n = 0)
    {
    }

    public function lost()
    {
        return $this->stays;
    }
}
"""
COMMON_USED = """\
<?php
namespace App;

class Uses
{
    public function f(Common $c, $anything)
    {
        Common::$lost = 1;  // CALLER:lost
        echo Common::$edited['x'];  // CALLER:edited
        $c->gone = 3;
        echo $c->gone;  // CALLER:gone
        echo "{$c->promoted}";  // CALLER:promoted
        echo $anything->gone, $anything->lost, Common::$isCli;
        $lost = new Common();
        return $c->stays + $c->lost();
    }
}
"""


def test_everybody_who_names_a_php_class_is_concerned_by_a_property_more(repo: Repo) -> None:
    more = COMMON.replace(
        "    private ?array", "    /** Filled. */\n    public static $headers = [];\n    private ?array"
    )
    repo.commit({"Common.php": COMMON, "Uses.php": COMMON_USED}).commit({"Common.php": more})
    brief = repo.brief()
    assert brief.changes() == {"Common.$headers": "added"}
    assert brief.eyes() == []


def test_a_php_property_that_is_gone_or_edited_is_read_on(repo: Repo) -> None:
    less = (
        COMMON.replace("$gone = 1, ", "")
        .replace("    public static $lost;\n", "")
        .replace("public string $promoted = '', ", "")
        .replace("$edited = []", "$edited = ['x']")
    )
    repo.commit({"Common.php": COMMON, "Uses.php": COMMON_USED}).commit({"Common.php": less})
    brief = repo.brief()
    assert brief.changes() == {
        "Common.$edited": "body",
        "Common.__construct": "signature",
        "Common.$gone": "removed",
        "Common.$lost": "removed",
        "Common.$promoted": "removed",
    }
    for name in ("edited", "gone", "lost", "promoted"):
        assert brief.callers(f"Common.${name}") == repo.marked(name)


def test_a_php_class_of_which_more_than_fields_changed_concerns_nobody(repo: Repo) -> None:
    head = "<?php\nnamespace App;\n\n"
    repo.commit({"C.php": f"{head}class C\n{{\n    public $x = 1;\n}}\n", "use.php": f"{head}$c = new C();\n"}).commit(
        {"C.php": f"{head}final class C\n{{\n    public $x = 2;\n}}\n"}
    )
    assert repo.brief().callers("C") == ["use.php:4"]


def test_a_trait_of_which_a_property_changed_concerns_everybody_who_uses_it(repo: Repo) -> None:
    head = "<?php\nnamespace App;\n\n"
    method = "    public function n()\n    {\n        return $this->count;\n    }\n"
    uses = f"{head}class C\n{{\n    use Counts;\n\n{method}}}\n"
    repo.commit({"Counts.php": f"{head}trait Counts\n{{\n    public $count = 0;\n}}\n", "C.php": uses}).commit(
        {"Counts.php": f"{head}trait Counts\n{{\n    public $count = 1;\n}}\n"}
    )
    brief = repo.brief()
    assert brief.changes() == {"Counts.$count": "body"}
    assert brief.callers("Counts.$count") == ["C.php:10"]


CONF = """\
package a

type Conf struct {
	A, B int
	Name string `json:"name"`
	Gone string
	Edited int
	base
}

type base struct{}

type Grown struct {
	A, B int
	base
}
"""
CONF_USED = """\
package a

type other Grown

func use(c *Conf, g Grown, o other, all []*Conf) *Conf {
	_ = Grown{A: 1}
	_ = Grown{1, 2, base{}} // CALLER:Grown
	_ = []*Grown{
		{A: 1},
	}
	_ = map[string][]Grown{"x": {{1, 2, base{}}}} // CALLER:Grown
	_ = Grown(o) // CALLER:Grown
	_ = c.Gone // CALLER:Gone
	c.Gone = "" // CALLER:Gone
	for _, each := range all {
		each.Edited++ // CALLER:Edited
		each.A++
	}
	_ = []Conf{
		{Gone: "x", A: 1}, // CALLER:Gone
		{Edited: 1}, // CALLER:Edited
	}
	return &Conf{
		Name: "x",
		Gone: "y", // CALLER:Gone
	}
}
"""


def test_everybody_who_names_a_struct_is_concerned_by_a_field_more(repo: Repo) -> None:
    before = {"go.mod": "module m\n", "a/conf.go": CONF, "a/use.go": CONF_USED}
    more = CONF.replace("struct {\n\tA, B int\n\tbase", "struct {\n\tA, B, D int\n\tC []string\n\tbase")
    repo.commit(before).commit({"a/conf.go": more})
    brief = repo.brief()
    assert brief.changes() == {"Grown": "body", "Grown.D": "added", "Grown.C": "added"}
    assert [each.removesuffix(" type") for each in brief.callers("Grown")] == repo.marked("Grown")


def test_a_struct_that_nobody_lists_by_position_is_said_to_have_changed(repo: Repo) -> None:
    use = "package a\n\nfunc use(g *Grown) { g.A = Grown{A: 1}.B }\n"
    repo.commit({"go.mod": "module m\n", "a/conf.go": CONF, "a/use.go": use}).commit(
        {"a/conf.go": CONF.replace("Grown struct {", "Grown struct {\n\tC int // more")}
    )
    brief = repo.brief()
    assert brief.changes() == {"Grown.C": "added"}
    assert brief.eyes() == []


def test_a_field_of_a_struct_that_is_gone_or_edited_is_read_on(repo: Repo) -> None:
    less = CONF.replace("\tGone string\n", "").replace("Edited int", "Edited int64")
    repo.commit({"go.mod": "module m\n", "a/conf.go": CONF, "a/use.go": CONF_USED}).commit({"a/conf.go": less})
    brief = repo.brief()
    assert brief.changes() == {"Conf.Gone": "removed", "Conf.Edited": "signature"}
    for name in ("Gone", "Edited"):
        assert brief.callers(f"Conf.{name}") == repo.marked(name)
    assert set(brief.fits("Conf.Gone").values()) == {False}


@pytest.mark.parametrize(
    ("before", "after"),
    [("\tEdited int\n\tbase\n", "\tEdited int\n"), ("type Conf struct", "type Conf[T any] struct")],
)
def test_a_struct_that_gets_or_loses_more_than_fields_concerns_nobody(repo: Repo, before: str, after: str) -> None:
    use = "package a\n\nvar c Conf\n"
    repo.commit({"go.mod": "module m\n", "a/conf.go": CONF, "a/use.go": use}).commit(
        {"a/conf.go": CONF.replace(before, after)}
    )
    assert repo.brief().callers("Conf") == ["a/use.go:3 type"]


@pytest.mark.parametrize(
    ("path", "before", "after", "change"),
    [
        ("a.ts", "export class A {\n  n: number = 1;\n}\n", "export class A {\n  n: string = 1;\n}\n", "signature"),
        ("a.ts", "export class A {\n  n: number = 1;\n}\n", "export class A {\n  n: number = 2;\n}\n", "body"),
        ("a.ts", "export class A {\n  n: number = 1;\n}\n", "export class A {\n  n?: number = 1;\n}\n", "signature"),
        ("a.ts", "export class A {\n  n = 1;\n}\n", "export class A {\n  n: number = 1;\n}\n", "body"),
        ("a.ts", "export interface A {\n  n: 'a';\n}\n", 'export interface A {\n  n: "a"\n}\n', None),
        ("a.py", "class A:\n    n: int = 1\n", "class A:\n    n: int | None = 1\n", "signature"),
        ("a.py", "class A:\n    n: int = 1\n", "class A:\n    n: int = 2\n", "body"),
        ("a.py", "class A:\n    n = 1\n", "class A:\n    n: int = 1\n", "body"),
        ("a.go", "type A struct {\n\tN int\n}\n", "type A struct {\n\tN   string\n}\n", "signature"),
        ("a.go", "type A struct {\n\tN int\n}\n", 'type A struct {\n\tN int `json:"n"`\n}\n', "body"),
        ("a.php", "class A {\n    public int $n = 1;\n}\n", "class A {\n    public ?int $n = 1;\n}\n", "signature"),
        ("a.php", "class A {\n    public int $n = 1;\n}\n", "class A {\n    public int $n = 2;\n}\n", "body"),
    ],
)
def test_a_field_of_another_type_passes_for_one_of_another_value(
    repo: Repo, path: str, before: str, after: str, change: str | None
) -> None:
    heads = {"a.go": "package a\n\n", "a.php": "<?php\n\n"}
    uses = {
        "a.ts": "import { A } from './a';\nexport const f = (a: A) => a.n;\n",
        "a.py": "from a import A\n\n\ndef f(a: A):\n    return a.n\n",
        "a.go": "package a\n\nfunc f(a A) { println(a.N) }\n",
        "a.php": "<?php\n\nfunction f(A $a) { return $a->n; }\n",
    }
    head = heads.get(path, "")
    repo.commit({"go.mod": "module example.com/a\n", path: head + before, f"use.{path[2:]}": uses[path]})
    brief = repo.commit({path: head + after}).brief()
    found = [each for file in brief.briefing.changed for each in file.symbols if each.qualified.lower().endswith("n")]
    assert [each.change for each in found] == ([change] if change is not None else [])
    assert [each.compatible for each in found] == [None] * len(found)
    assert all(len(each.callers) == 1 and each.callers[0].fits is None for each in found)

"""Callers in PHP: full names, docblocks, traits, magic methods, and what a class inherits."""

from __future__ import annotations

import pytest

from tests.graph.stories import Repo

COMPOSER = '{"autoload": {"psr-4": {"App\\\\": "src/"}, "files": ["src/start.php"]}}'


def reasons(repo: Repo) -> dict[str, str | None]:
    """`path:line` of each caller of the definition marked TARGET -> why it is listed."""
    (place,) = repo.lines("TARGET")
    return {f"{each.file}:{each.line}": each.reason for each in repo.ask([place])[0].callers}


# ---------------------------------------------------------------------------------------------------------- names


def test_a_class_is_another_of_the_same_name(repo: Repo) -> None:
    repo.commit(
        {
            "composer.json": COMPOSER,
            "src/Support/Cls.php": """\
                <?php
                namespace App\\Support;
                class Cls
                {
                    public static function make(string $value): string { return $value; } // TARGET
                }
                class Leaf extends Cls {}
                """,
            "src/Front/Cls.php": """\
                <?php
                namespace App\\Front;
                use App\\Support\\Cls as Base;
                use App\\Support\\{Leaf, Cls as Other};
                class Cls
                {
                    public static function make(string $value): string { return Base::make($value); } // CALLER
                    public function leaf(): string { return Leaf::make('a') . Other::make('b'); } // CALLER
                    public function again(): string { return self::make('a') . static::make('b'); }
                }
                class Sub extends Base
                {
                    public static function make(string $value): string { return parent::make($value); } // CALLER
                }
                """,
            "src/use.php": """\
                <?php
                namespace App;
                use App\\Front\\Cls;
                use App\\Front\\Sub;
                Cls::make('a');
                Sub::make('a');
                Support\\Cls::make('a'); // CALLER
                \\App\\Support\\Cls::make('a'); // CALLER
                \\Vendor\\Cls::make('a');
                namespace\\Support\\Cls::make('a'); // CALLER
                run([Support\\Cls::class, 'make']); // CALLER
                run('App\\Support\\Cls::make'); // CALLER
                run(Support\\Cls::make(...)); // CALLER
                """,
        }
    )
    assert repo.callers() == repo.marked()


def test_names_in_other_letters_are_other_names(repo: Repo) -> None:
    repo.commit(
        {
            "src/Order.php": """\
                <?php
                namespace App;
                class Order {
                    public function grandTotal(int $x): int { return $x; } // TARGET
                }
                """,
            "src/use.php": """\
                <?php
                namespace app;
                function f(ORDER $order) {
                    $order->GRANDTOTAL(1); // CALLER
                    $order->grandtotal(1); // CALLER
                    $order->grandTotals(1);
                }
                """,
        }
    )
    assert repo.callers() == repo.marked()


def test_a_function_is_another_namespaces(repo: Repo) -> None:
    repo.commit(
        {
            "composer.json": COMPOSER,
            "src/start.php": """\
                <?php
                namespace App;
                function total(int $x): int { return $x; } // TARGET
                """,
            "src/global.php": "<?php\nfunction total() {}\nfunction other() {}\n",
            "src/a.php": """\
                <?php
                namespace App;
                total(1); // CALLER
                \\total(1);
                other();
                """,
            "src/b.php": """\
                <?php
                namespace App\\Deep;
                use function App\\total as sum;
                use function App\\{total};
                sum(1); // CALLER
                total(2); // CALLER
                array_map(total(...), []); // CALLER
                """,
            "src/c.php": """\
                <?php
                namespace Lib;
                total(1);
                \\App\\total(1); // CALLER
                $x->total(1);
                """,
        }
    )
    assert repo.callers() == repo.marked()


def test_a_function_of_the_global_namespace_is_lost(repo: Repo) -> None:
    repo.commit(
        {
            "helpers.php": "<?php\nif (!function_exists('total')) {\n    function total() {} // TARGET\n}\n",
            "src/a.php": "<?php\nnamespace App;\ntotal(); // CALLER\n\\total(); // CALLER\nnamespace\\total();\n",
            "src/b.php": "<?php\nnamespace Lib;\nfunction total() {}\ntotal();\n",
        }
    )
    found = repo.callers()
    assert {"src/a.php:3", "src/a.php:4"} <= set(found)
    assert not any(each.startswith("src/b.php") for each in found)


def test_every_way_to_name_a_class_is_a_use(repo: Repo) -> None:
    repo.commit(
        {
            "src/Shop/Order.php": "<?php\nnamespace App\\Shop;\nclass Order { const MAX = 1; } // TARGET\n",
            "src/Shop/near.php": """\
                <?php
                namespace App\\Shop;
                class Big extends Order {} // CALLER
                $o = new Order(); // CALLER
                $x = $o instanceof Order; // TYPE
                f(Order::class, Order::MAX); // CALLER
                #[Order] // CALLER
                function g(?Order $a): Order {} // TYPE
                try {} catch (Order $e) {} // TYPE
                $y = new class extends Order {}; // CALLER
                """,
            "src/far.php": "<?php\nnamespace App;\nnew Order();\nnew Shop\\Order(); // CALLER\nnew \\Order();\n",
        }
    )
    assert repo.callers() == repo.marked()


# ------------------------------------------------------------------------------------------------------ receivers


def test_a_receiver_whose_type_is_known_is_not_known(repo: Repo) -> None:
    repo.commit(
        {
            "src/Order.php": """\
                <?php
                namespace App;
                /** @method static Order forged() */
                class Order {
                    public ?Order $next = null;
                    public function settle(int $x): static { return $this; } // TARGET
                    public static function make(): self { return new self(); }
                    public function chain() { return $this->settle(1); } // CALLER
                }
                final class Invoice { public function settle() {} }
                """,
            "src/Use.php": """\
                <?php
                namespace App;
                /** @property-read Order $magic */
                class Use_ {
                    private Order $typed;
                    /** @var Order[] */ private array $many;
                    private $made;
                    public function __construct(private readonly Order $promoted) { $this->made = new Order(); }
                    /** @return list<Order> */ public function all() { return $this->many; }
                    public function run(?Order $order, Order ...$rest) {
                        $order?->settle(1); // CALLER
                        $this->typed->settle(1); // CALLER
                        $this->promoted->settle(1); // CALLER
                        $this->made->settle(1); // CALLER
                        $this->magic->settle(1); // CALLER
                        (new Order())->settle(1)->settle(2); // CALLER
                        Order::make()->settle(1); // CALLER
                        Order::forged()->settle(1); // CALLER
                        $order->next->settle(1); // CALLER
                        foreach ($this->many as $one) { $one->settle(1); } // CALLER
                        foreach ($this->all() as $key => $one) { $one->settle(1); } // CALLER
                        $this->all()[0]->settle(1); // CALLER
                        foreach ($rest as $one) { $one->settle(1); } // CALLER
                        array_map(fn ($each) => $each->settle(1), $this->many); // CALLER
                        /** @var Order $stated */
                        $stated = foo();
                        $stated->settle(1); // CALLER
                        [$a, $b] = [new Invoice(), new Order()];
                        $a->settle();
                        $b->settle(1); // CALLER
                        $c = $order ?? new Order();
                        (clone $c)->settle(1); // CALLER
                        $d = match (true) { default => $c };
                        $d->settle(1); // CALLER
                        (new Invoice())->settle();
                        return function () use ($order) { return $order->settle(1); }; // CALLER
                    }
                    /** @param Order|null $doc */
                    public function doc($doc, $free) {
                        $doc->settle(1); // CALLER
                        $free->settle(1); // MAYBE
                        if ($free instanceof Invoice) { return $free->settle(); }
                        if (!$free instanceof Order) { throw new \\Exception(); }
                        $free->settle(1); // CALLER
                    }
                }
                """,
            "src/Far.php": "<?php\nnamespace Far;\nfunction f(\\Vendor\\Order $o) { $o->settle(); }\n",
        }
    )
    assert repo.callers() == repo.marked()


def test_templates_are_not_bound(repo: Repo) -> None:
    repo.commit(
        {
            "src/Order.php": """\
                <?php
                namespace App;
                class Order {
                    public function settle() {} // TARGET
                }
                """,
            "src/Box.php": """\
                <?php
                namespace App;
                /**
                 * @template TKey
                 * @template TValue
                 * @implements \\IteratorAggregate<TKey, TValue>
                 */
                class Box implements \\IteratorAggregate {
                    /** @return TValue */ public function first() {}
                    /** @param callable(TValue): mixed $callback
                     *  @return static */ public function each($callback) {}
                }
                /** @template T of object
                 *  @param class-string<T> $class
                 *  @return T */
                function make(string $class) {}
                /** @extends Box<int, Order> */
                class Orders extends Box {}
                """,
            "src/use.php": """\
                <?php
                namespace App;
                use function App\\make;
                /** @param Box<int, Order> $box */
                function f($box, Orders $orders) {
                    $box->first()->settle(); // CALLER
                    $orders->first()->settle(); // CALLER
                    foreach ($orders as $one) { $one->settle(); } // CALLER
                    $box->each(fn ($one) => $one->settle())->first()->settle(); // CALLER
                    make(Order::class)->settle(); // CALLER
                }
                """,
        }
    )
    assert repo.callers() == repo.marked()


def test_a_common_name_is_listed_wherever_it_stands(repo: Repo) -> None:
    repo.commit(
        {
            "src/Order.php": """\
                <?php
                namespace App;
                class Order {
                    public function save(int $x) {} // TARGET
                    public function twice() { $this->save(2); } // CALLER
                }
                class Shop { public Order $order; public function order(): Order { return $this->order; } }
                """,
            "src/a.php": "<?php\nnamespace App;\nfunction f(Order $o, $x) { $o->save(1); $x->save(); } // CALLER\n",
            "src/b.php": "<?php\nnamespace App;\nfunction g(Shop $s) { $s->order->save(1); } // CALLER\n",
            "src/c.php": "<?php\nnamespace App;\nfunction h(Shop $s) { $s->order()->save(1); } // CALLER\n",
            "src/d.php": "<?php\nnamespace App;\nfunction i($x) { $x->save(1); }\n",
        }
    )
    assert repo.callers() == repo.marked()


def test_a_property_of_the_same_name_is_a_call(repo: Repo) -> None:
    repo.commit(
        {
            "src/Order.php": """\
                <?php
                namespace App;
                class Order {
                    private $amount;
                    public function amount() { return $this->amount; } // TARGET
                }
                """,
            "src/use.php": "<?php\nnamespace App;\nfunction f($o, Order $p) { $p->amount; $p->amount(); } // CALLER\n",
        }
    )
    assert repo.callers() == repo.marked()


# ------------------------------------------------------------------------------------------------------ hierarchy


def test_a_trait_method_goes_by_one_name_only(repo: Repo) -> None:
    repo.commit(
        {
            "src/Ops/Retrieve.php": """\
                <?php
                namespace App\\Ops;
                trait Retrieve
                {
                    public static function retrieve(string $id): string { return $id; } // TARGET
                }
                """,
            "src/Ops/More.php": """\
                <?php
                namespace App\\Ops;
                trait Cached { public static function retrieve(string $id): string { return $id; } }
                trait All { use Retrieve; }
                """,
            "src/Models.php": """\
                <?php
                namespace App;
                use App\\Ops\\{All, Cached, Retrieve};
                class Account {
                    use Retrieve { retrieve as protected _retrieve; } // CALLER
                    public static function current() { return self::_retrieve('me'); } // CALLER
                }
                class Charge {
                    use All;
                    public function load() { return static::retrieve('x'); } // CALLER
                }
                class Coupon {
                    use Retrieve;
                    public static function retrieve(string $id): string { return $id; }
                }
                class Both {
                    use Retrieve, Cached {
                        Cached::retrieve insteadof Retrieve;
                        Retrieve::retrieve as fresh; // CALLER
                    }
                }
                class Child extends Charge { public function go() { return parent::retrieve('x'); } } // CALLER
                """,
            "bin/run.php": """\
                <?php
                use App\\{Account, Both, Charge, Child, Coupon};
                Account::retrieve('a'); // CALLER
                Coupon::retrieve('c');
                Both::retrieve('d');
                Both::fresh('e'); // CALLER
                Child::retrieve('f'); // CALLER
                """,
        }
    )
    assert repo.callers() == repo.marked()


def test_a_trait_hides_what_is_inherited_and_not_what_is_declared(repo: Repo) -> None:
    repo.commit(
        {
            "src/all.php": """\
                <?php
                namespace App;
                class Base { public function show() {} public function hide() {} }
                trait Shows {
                    public function show() {} // TARGET
                }
                class Mine extends Base { use Shows; }
                class Own extends Base { use Shows; public function show() {} }
                function f(Mine $m, Own $o, Base $b) {
                    $m->show(); // CALLER
                    $o->show();
                }
                """,
        }
    )
    assert repo.callers() == repo.marked()


def test_an_interface_is_not_the_way_to_its_implementation(repo: Repo) -> None:
    repo.commit(
        {
            "src/Shape.php": """\
                <?php
                namespace App;
                interface Measured { public function area(): float; }
                interface Shape extends Measured {}
                abstract class Plain implements Shape { public function twice() { return 2 * $this->area(); } } // MAYBE
                class Square extends Plain {
                    public function area(): float { return 1.0; } // TARGET
                }
                class Round extends Plain { public function area(): float { return 2.0; } }
                class Other { public function area(): float { return 3.0; } }
                """,
            "src/use.php": """\
                <?php
                namespace App;
                function f(Square $s, Round $r, Shape $any, Other $o) {
                    $s->area(); // CALLER
                    $r->area();
                    $o->area();
                    $any->area(); // MAYBE
                }
                """,
        }
    )
    assert repo.callers() == repo.marked()
    assert reasons(repo)["src/use.php:7"] == "through Measured.area, which it overrides"


def test_a_constructor_is_called_by_its_own_class_only(repo: Repo) -> None:
    repo.commit(
        {
            "src/Order.php": """\
                <?php
                namespace App;
                #[\\Attribute]
                class Order {
                    public function __construct(public int $x) {} // TARGET
                    public static function make() { return new static(1); } // CALLER
                    public static function again() { return new self(1); } // CALLER
                }
                class Plain extends Order {}
                class Own extends Order { public function __construct() { parent::__construct(2); } } // CALLER
                class Below extends Own {}
                """,
            "src/use.php": """\
                <?php
                namespace App;
                new Order(1); // CALLER
                new Plain(1); // CALLER
                new Own();
                new Below();
                new class(1) extends Order {}; // CALLER
                new class extends Order { function __construct() {} };
                #[Order(1)] // CALLER
                function f() {}
                Order::class;
                """,
        }
    )
    assert repo.callers() == repo.marked()


def test_an_enum_has_no_methods(repo: Repo) -> None:
    repo.commit(
        {
            "src/Suit.php": """\
                <?php
                namespace App;
                enum Suit: string {
                    case Hearts = 'h';
                    public function label(): string { return 'x'; } // TARGET
                    public static function best(): self { return self::Hearts; }
                }
                """,
            "src/use.php": """\
                <?php
                namespace App;
                Suit::Hearts->label(); // CALLER
                Suit::from('h')->label(); // CALLER
                Suit::best()->label(); // CALLER
                foreach (Suit::cases() as $case) { $case->label(); } // CALLER
                """,
        }
    )
    assert repo.callers() == repo.marked()


@pytest.mark.parametrize(
    ("method", "use"),
    [
        ("__invoke(int $x)", "$m(1); ($m)(2);"),
        ("__call($name, $arguments)", "$m->missing();"),
        ("__get($name)", "echo $m->missing;"),
        ("__set($name, $value)", "$m->missing = 1;"),
        ("__callStatic($name, $arguments)", "Magic::missing();"),
    ],
)
def test_a_magic_method_is_never_called(repo: Repo, method: str, use: str) -> None:
    static = "static " if "Static" in method else ""
    repo.commit(
        {
            "src/Magic.php": f"""\
                <?php
                namespace App;
                class Magic {{
                    public $known;
                    public function known() {{ return $this; }}
                    public static function make() {{ return new self(); }}
                    public {static}function {method} {{}} // TARGET
                }}
                """,
            "src/use.php": f"""\
                <?php
                namespace App;
                function f(Magic $m, Other $o) {{
                    {use} // CALLER
                    $m->known(); $m->known; $m->known = 1; Magic::make(); $o(1); $o->missing(); f($m, $o);
                }}
                """,
        }
    )
    assert repo.callers() == repo.marked()


def test_a_trait_that_asks_its_class_is_refused(repo: Repo) -> None:
    repo.commit(
        {
            "src/Asks.php": """\
                <?php
                namespace App;
                trait Asks { public function go() { return $this->answerIt(); } } // MAYBE
                class Order {
                    use Asks;
                    public function answerIt() {} // TARGET
                }
                """,
        }
    )
    assert repo.callers() == repo.marked()


# ----------------------------------------------------------------------------------------------------- signatures


def changed(repo: Repo, before: str, after: str, use: str) -> list[tuple[bool | None, str | None]]:
    """The verdicts on the lines of `use` (a function's body with `$o` of the class) when the class's body changes."""
    head = "<?php\nnamespace App;\nclass Order { "
    repo.commit(
        {
            "src/Order.php": f"{head}{before} }}\n",
            "src/use.php": f"<?php\nnamespace App;\nfunction f(Order $o, $xs) {{\n{use}\n}}\n",
        }
    )
    repo.commit({"src/Order.php": f"{head}{after} }}\n"})
    (file,) = repo.brief().briefing.changed
    callers = [caller for symbol in file.symbols for caller in symbol.callers if caller.path == "src/use.php"]
    return [(each.fits, each.misfit) for each in sorted(callers, key=lambda each: each.line)]


def test_a_call_that_no_longer_fits_passes(repo: Repo) -> None:
    use = "$o->f(1);\n$o->f(1, 2);\n$o->f(a: 1);\n$o->f(...$xs);\n$o->f(b: 2, a: 1);"
    verdicts = changed(repo, "function f(int $a, int $b = 0) {}", "function f(int $a, int $b) {}", use)
    assert [fits for fits, _ in verdicts] == [False, True, False, None, True]
    assert verdicts[0][1] == "passes 1 argument, needs 2 (missing b)"


def test_a_renamed_parameter_breaks_calls_by_position(repo: Repo) -> None:
    verdicts = changed(
        repo, "function f(int $a) {}", "function f(int $b) {}", "$o->f(1);\n$o->f(a: 1);\n$o->f(1, 2, 3);"
    )
    assert [fits for fits, _ in verdicts] == [True, False, True]


def test_a_nullable_type_that_is_spelled_otherwise_is_another(repo: Repo) -> None:
    verdicts = changed(repo, "function f(?int $a) {}", "function f(int|null $a) {}", "$o->f(1);")
    assert verdicts == [] or all(fits is not False for fits, _ in verdicts)


USES = """$o->f(1);
}
class Sub extends Order {
function h() { $this->f(2); }
function i() { parent::f(3); }
}
function j() {
Order::f(4);"""


@pytest.mark.parametrize(
    ("before", "after", "fits", "why"),
    [
        ("public function f($a) {}", "private function f($a) {}", [False, False, False, False], "it is private now"),
        ("function f($a) {}", "protected function f($a) {}", [False, True, True, False], "it is protected now"),
        ("protected function f($a) {}", "private function f($a) {}", [False, False, False, False], "it is private now"),
        (
            "static function f($a) {}",
            "function f($a) {}",
            [True, True, True, False],
            "calls it statically, and it is no longer static",
        ),
        ("function f($a) {}", "static function f($a) {}", [True, True, True, True], None),
        ("private function f($a) {}", "public function f($a) {}", None, None),
        ("protected function f($a) {}", "public function f($a) {}", None, None),
    ],
)
def test_a_call_from_where_it_may_not_be_made_passes(
    repo: Repo, before: str, after: str, fits: list[bool] | None, why: str | None
) -> None:
    verdicts = changed(repo, before, after, USES)
    if fits is None:
        assert all(fit is not False for fit, _ in verdicts)
    else:
        assert [fit for fit, _ in verdicts] == fits
        assert {said for fit, said in verdicts if fit is False} <= {why}


def test_a_class_without_a_new_abstract_method_passes(repo: Repo) -> None:
    head = "<?php\nnamespace App;\ninterface Shape\n{\n    function area();\n"
    repo.commit(
        {
            "src/Shape.php": head + "}\n",
            "src/all.php": """\
                <?php
                namespace App;
                class Bare implements Shape { function area() {} }
                class Full implements Shape { function area() {} function edge(int $x) {} }
                trait Edged { function edge(int $x) {} }
                class Lent implements Shape { use Edged; function area() {} }
                class Heir extends Full {}
                abstract class Later implements Shape {}
                class Foreign extends \\Vendor\\Base implements Shape { function area() {} }
                """,
        }
    )
    repo.commit({"src/Shape.php": head + "    function edge(int $x);\n}\n"})
    symbol = repo.brief().symbol("Shape.edge")
    assert [(each.path, each.line, each.fits, each.misfit) for each in symbol.callers] == [
        ("src/all.php", 3, False, "it has no edge")
    ]


def test_an_override_that_lacks_a_parameter_still_fits(repo: Repo) -> None:
    head = "<?php\nnamespace App;\nclass Order {\n"
    repo.commit(
        {
            "src/Order.php": head + "function f() {}\n}\n",
            "src/Sub.php": "<?php\nnamespace App;\nclass Sub extends Order { function f() {} }\n",
            "src/Any.php": "<?php\nnamespace App;\nclass Any extends Order { function f($other = 1) {} }\n",
        }
    )
    repo.commit({"src/Order.php": head + "function f(int $x = 1) {}\n}\n"})
    repo.commit({"src/Order.php": head + "function f(int $x) {}\n}\n"})
    fits = {each.path: each.fits for each in repo.brief().symbol("Order.f").callers}
    assert fits == {"src/Sub.php": None, "src/Any.php": True}


def test_what_names_a_removed_class_still_answers(repo: Repo) -> None:
    repo.commit(
        {
            "composer.json": COMPOSER,
            "src/Order.php": "<?php\nnamespace App;\nclass Order { const MAX = 1; function f() {} }\n",
            "src/use.php": """\
                <?php
                namespace App;
                use App\\Order as Bought; // CALLER
                new Order(); // CALLER
                $x = Bought::MAX; // CALLER
                function f(?Order $o) {} // TYPE
                """,
        }
    )
    repo.commit({"src/Order.php": None})
    callers = repo.brief().callers("Order")
    assert {"src/use.php:3", "src/use.php:4", "src/use.php:5"} <= {each.partition(" ")[0] for each in callers}


def test_a_method_of_an_unknown_base_is_the_method_of_an_unrelated_class(repo: Repo) -> None:
    repo.commit(
        {
            "src/Order.php": """\
                <?php
                namespace App;
                class Order {
                    public function fasten($x) {} // TARGET
                }
                class Factory extends \\Vendor\\Base {}
                class Below extends \\Vendor\\Base { public ?Order $order; }
                """,
            "src/use.php": """\
                <?php
                namespace App;
                function f(Factory $f, Below $b, \\Vendor\\Thing $t, $any) {
                    $f->fasten(1);
                    $b->fasten(1);
                    $t->fasten(1);
                    $any->fasten(1); // MAYBE
                }
                """,
        }
    )
    assert repo.callers() == repo.marked()


def test_what_a_class_mixes_in_is_not_its_own(repo: Repo) -> None:
    repo.commit(
        {
            "src/all.php": """\
                <?php
                namespace App;
                class Query {
                    public function wherever($x): static { return $this; } // TARGET
                }
                /** @mixin Query */
                class Builder {
                    public function __call($name, $arguments) {}
                    public function own(): static { return $this; }
                }
                class Models extends Builder { public function wherever($x): static { return $this; } }
                function f(Builder $b, Models $m) {
                    $b->own()->wherever(1)->own()->wherever(2); // CALLER
                    $m->wherever(1);
                }
                """,
        }
    )
    assert repo.callers() == repo.marked()


def test_a_stand_in_of_phpunit_is_of_no_class(repo: Repo) -> None:
    repo.commit(
        {
            "src/Order.php": """\
                <?php
                namespace App;
                class Order {
                    public function settle($x) {} // TARGET
                }
                """,
            "tests/OrderTest.php": """\
                <?php
                namespace App\\Tests;
                use App\\Order;
                class OrderTest extends \\PHPUnit\\Framework\\TestCase {
                    public function testIt() {
                        $order = $this->createMock(Order::class);
                        $order->settle(1); // CALLER
                        $other = $this->getMockBuilder(Order::class)->disableOriginalConstructor()->getMock();
                        $other->settle(1); // CALLER
                        $third = $this->createMock(\\Vendor\\Thing::class);
                        $third->settle(1);
                    }
                }
                """,
        }
    )
    assert repo.callers() == repo.marked()

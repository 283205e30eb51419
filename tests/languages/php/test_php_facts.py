"""What one PHP file says: its declarations, imports and words."""

from __future__ import annotations

import pytest

from graph.facts import Parameter
from graph.languages.php import PHP
from graph.languages.php.words import may_inherit, yielding
from tests.languages.php.sources import index, read
from tests.languages.words import places

SOURCE = rb"""<?php
namespace App\Shop;

use A\B\C as D, X\Y;
use function A\helper;
use const A\LIMIT;
use G\{H, I as J, function k};

/** An order. */
#[Entity('orders')]
abstract class Order extends Base implements Countable, \N\Shape
{
    use Saves, Loads { Saves::save insteadof Loads; load as protected fetch; }

    public const MAX = 1, MIN = 0;
    private const HIDDEN = 2;

    public function __construct(private Foo $foo, protected readonly ?int $n = null, string ...$rest) {}

    #[Pure] protected static function make(int|string $a, array &$b, Foo $c = null): ?static { return new class(1)
        extends Foo { function inner() {} }; }

    abstract function area(): float;
}

interface Shape extends M { public function area(float $scale = 1.0); }
trait Saves { private function save() {} }
enum Suit: string { case Hearts = 'h'; const Wild = self::Hearts; }
if (!function_exists('total')) {
    function &total(array $xs, $y = PHP_INT_MAX) { return $xs; }
}
const TAX = 19;
"""


def test_declarations_are_lost_or_get_another_kind() -> None:
    found = {each.qualified: (each.kind, each.line, each.exported) for each in read(SOURCE).facts.definitions}
    assert found == {
        "Order": ("class", 11, True),
        "Order.MAX": ("constant", 15, True),
        "Order.MIN": ("constant", 15, True),
        "Order.HIDDEN": ("constant", 16, False),
        "Order.__construct": ("method", 18, True),
        "Order.make": ("method", 20, True),
        "Order.make.class@20": ("class", 20, False),
        "Order.make.class@20.inner": ("method", 21, True),
        "Order.area": ("method", 23, True),
        "Shape": ("interface", 26, True),
        "Shape.area": ("method", 26, True),
        "Saves": ("trait", 27, True),
        "Saves.save": ("method", 27, False),
        "Suit": ("enum", 28, True),
        "Suit.Hearts": ("constant", 28, True),
        "Suit.Wild": ("constant", 28, True),
        "total": ("function", 30, True),
        "TAX": ("constant", 32, True),
    }


@pytest.mark.parametrize(
    ("qualified", "parameters", "modifiers", "returns"),
    [
        (
            "Order.__construct",
            (
                Parameter("foo", type="Foo"),
                Parameter("n", optional=True, type="int|null"),
                Parameter("rest", "rest", True, "string"),
            ),
            (),
            None,
        ),
        (
            "Order.make",
            (
                Parameter("a", type="int|string"),
                Parameter("b", type="&array"),
                Parameter("c", optional=True, type="Foo|null"),
            ),
            ("protected", "static"),
            "static|null",
        ),
        ("Order.area", (), ("abstract",), "float"),
        ("Shape.area", (Parameter("scale", optional=True, type="float"),), ("abstract",), None),
        ("total", (Parameter("xs", type="array"), Parameter("y", optional=True)), (), None),
    ],
)
def test_a_signature_is_read_wrongly(
    qualified: str, parameters: tuple[Parameter, ...], modifiers: tuple[str, ...], returns: str | None
) -> None:
    syntax = read(SOURCE)
    found = syntax.facts.definitions[index(syntax, qualified)]
    assert (found.parameters, found.modifiers, found.returns) == (parameters, modifiers, returns)


def test_a_declaration_holds_attributes_or_the_body() -> None:
    syntax = read(SOURCE)
    by_name = {each.qualified: each for each in syntax.facts.definitions}
    assert by_name["Order"].declaration == "abstract class Order extends Base implements Countable, \\N\\Shape"
    assert by_name["Order"].decorators == ("Entity",)
    assert by_name["Order"].first_line == 10
    assert by_name["Order"].bases == ("Base", "Countable", "\\N\\Shape", "Saves", "Loads")
    assert by_name["Order.make"].declaration.startswith("protected static function make(int|string $a")
    assert by_name["Order.make"].declaration.endswith(": ?static")


def test_imports_are_lost() -> None:
    assert [(each.module, each.name, each.local, each.line) for each in read(SOURCE).facts.imports] == [
        ("A\\B\\C", "C", "D", 4),
        ("X\\Y", "Y", "Y", 4),
        ("A\\helper()", "helper", "helper", 5),
        ("A\\LIMIT#", "LIMIT", "LIMIT", 6),
        ("G\\H", "H", "H", 7),
        ("G\\I", "I", "J", 7),
        ("G\\k()", "k", "k", 7),
    ]


def test_a_second_namespace_counts_as_the_first() -> None:
    facts = read(b"<?php\nnamespace A { class X {} }\nnamespace B\\C { class Y {} function f() {} }\n").facts
    assert facts.package == "A"
    assert [each.qualified for each in facts.definitions] == ["X", "B\\C\\Y", "B\\C\\f"]


@pytest.mark.parametrize(
    ("code", "word", "count"),
    [
        ("$a->total();", "total", 1),
        ("$a?->total(1);", "total", 1),
        ("$a->total;", "total", 0),
        ("$a->total;", "$total", 1),
        ("$a->total = 1; $a->total['x'];", "$total", 2),
        ("$total = 1; A::$total;", "total", 0),
        ("A\\total\\b();", "total", 0),
        ("\\A\\total();", "total", 1),
        ("// total\n# total\n/* total */", "total", 0),
        ("#[total] function f() {}", "total", 1),
        ("'total'; \"total\"; ['total' => 1];", "total", 0),
        ("[$a, 'total'];", "total", 1),
        ("[A::class, 'total', ];", "total", 1),
        ('array($a, "total");', "total", 1),
        ("f('A::total'); f('\\\\B\\\\A::total');", "total", 2),
        ('"{$a->total()} and $b->total";', "total", 1),
        ("<<<X\n{$a->total()}\nX;", "total", 1),
        ("<<<'X'\n{$a->total()}\nX;", "total", 0),
        ("'it\\'s'; total();", "total", 1),
        ("?> total <b> <?php total(); ?> total", "total", 1),
        ("f(1); // a ?> total <?php total();", "total", 1),
    ],
)
def test_a_word_is_found_where_there_is_no_code(code: str, word: str, count: int) -> None:
    syntax = read(b"<?php\n" + code.encode())
    assert len(PHP.places(syntax.source, word, lambda: None)) == count
    assert not count or word in syntax.facts.names


def test_an_offset_is_not_where_the_word_stands() -> None:
    source = '<?php\n// é "\n$x->größe(); $y->über; total("ü"); [A::class, \'run\'];\n'.encode()
    syntax = read(source)
    for word in sorted(syntax.facts.names):
        for at in places(PHP, syntax, word):
            assert source[at:].startswith(word.lstrip("$").encode()), word
    for word in ("größe", "$über", "total", "run"):
        assert len(places(PHP, syntax, word)) == 1


def test_html_counts_as_code() -> None:
    assert read(b"<p>total()</p>\n").facts.names == frozenset()
    assert read(b"<p>total()</p>\n<?= $a->total() ?>\n").facts.names == {"total"}


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("private readonly Order $order;", {"order"}),
        ("/** @var Order[] */ private $orders;", {"orders"}),
        ("/** @return list<Order> */ public function all() {}", {"all"}),
        ("public function first(): ?Order {}", {"first"}),
        ("/** @property-read Order $last */ class A {}", {"last"}),
        ("/** @method static Order made(int $x) */ class A {}", {"made"}),
        ("$this->kept = new Order(1);", {"kept"}),
        ("function f(Order $order) { return $order; }", set()),
        ("private OrderLine $line;", set()),
    ],
)
def test_what_yields_a_class_is_overlooked(code: str, names: set[str]) -> None:
    assert yielding(f"<?php class Z {{ {code} }}".encode(), "Order") == names


@pytest.mark.parametrize(
    ("code", "may"),
    [
        ("class A extends Order {}", True),
        ("class A extends \\App\\Order {}", True),
        ("use App\\Order as Base; class A extends Base {}", True),
        ("class A implements X, Order {}", True),
        ("class A {\n    use X, Order;\n}", True),
        ("class A { use Order { m as n; } }", True),
        ("$a = new class extends Order {};", True),
        ("use App\\Order; class A { private Order $o; }", False),
        ("class A extends Other { function f(Order $o) {} }", False),
    ],
)
def test_a_file_with_a_subclass_is_left_unread(code: str, may: bool) -> None:
    assert may_inherit(f"<?php\n{code}\n".encode(), "Order") is may


def test_an_own_convention_makes_something_public() -> None:
    syntax = read(SOURCE)
    public = {each.qualified for each in syntax.facts.definitions if PHP.is_public(syntax.facts, each)}
    assert "Order.make" not in public
    assert "Saves.save" not in public
    assert "Order.area" in public

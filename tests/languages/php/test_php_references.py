"""What a name in PHP code refers to, what it is bound to, and what a call passes."""

from __future__ import annotations

import pytest

from graph.expressions import Arguments, Member, Name, Use
from graph.languages.php import PHP
from tests.languages.calls import passed, use
from tests.languages.php.sources import index, marked, text
from tests.languages.words import all_places

HEAD = "namespace App;\nuse Lib\\Order as Base, Lib\\Line;\nuse function Lib\\helper;\n"


@pytest.mark.parametrize(
    ("code", "kind", "target"),
    [
        ("@@g(1);", "call", "\\App\\g()"),
        ("\\@@g(1);", "call", "\\g()"),
        ("@@helper(1);", "call", "\\Lib\\helper()"),
        ("Sub\\@@g(1);", "call", "\\App\\Sub\\g()"),
        ("namespace\\@@g(1);", "call", "\\App\\g()"),
        ("$x->@@g(1);", "call", "Member($x, g)"),
        ("$x?->a->@@g(1);", "call", "Member(Member($x, $a), g)"),
        ("$x->@@a = 1;", "value", "Member($x, $a)"),
        ("@@Line::make();", "value", "\\Lib\\Line"),
        ("Line::@@make();", "call", "Member(\\Lib\\Line, make)"),
        ("Line\\Part::@@make();", "call", "Member(\\Lib\\Line\\Part, make)"),
        ("BASE::@@make();", "call", "Member(\\Lib\\Order, make)"),
        ("$x::@@make();", "call", "Member($x, make)"),
        ("new @@Base(1);", "new", "\\Lib\\Order"),
        ("new Sub\\@@Thing;", "new", "\\App\\Sub\\Thing"),
        ("new class extends @@Line {};", "base", "\\Lib\\Line"),
        ("class A extends @@Base {}", "base", "\\Lib\\Order"),
        ("class A implements @@Shape {}", "base", "\\App\\Shape"),
        ("interface A extends @@Shape {}", "base", "\\App\\Shape"),
        ("class A { use @@Saves; }", "base", "\\App\\Saves"),
        ("class A { use X { X::@@m as n; } }", "value", "Member(self, n)"),
        ("class A { use X { @@m as n; } }", "value", "Member(self, n)"),
        ("class A { use X, Y { X::m insteadof @@Y; } }", "value", "\\App\\Y"),
        ("class A { private @@Line $l; }", "type", "\\Lib\\Line"),
        ("function f(?@@Line $l) {}", "type", "\\Lib\\Line"),
        ("function f(): int|@@Line {}", "type", "\\Lib\\Line"),
        ("try {} catch (A | @@Line $e) {}", "type", "\\Lib\\Line"),
        ("$x instanceof @@Line;", "type", "\\Lib\\Line"),
        ("#[@@Line(1)] function f() {}", "decorator", "\\Lib\\Line"),
        ("f(@@Line::class);", "argument", "\\Lib\\Line"),
        ("f(Line::@@MAX);", "argument", "Member(\\Lib\\Line, MAX)"),
        ("Suit::@@Hearts;", "value", "Member(\\App\\Suit, Hearts)"),
        ("f($x->@@g(...));", "argument", "Member($x, g)"),
        ("$f = @@helper(...);", "value", "\\Lib\\helper()"),
        ("f([$x, '@@g']);", "argument", "Member($x, g)"),
        ("f([Line::class, '@@g']);", "argument", "Member(\\Lib\\Line, g)"),
        ("$a = ['Lib\\Line', '@@g'];", "value", "Member(\\Lib\\Line, g)"),
        ("f('Lib\\Line::@@g');", "argument", "Member(\\Lib\\Line, g)"),
        ('echo "{$x->@@g()}";', "call", "Member($x, g)"),
        ("f(@@TAX);", "argument", "\\App\\TAX#"),
        ("use Lib\\@@Part;", "import", "\\Lib\\Part"),
        ("use Lib\\{A, @@Part as P};", "import", "\\Lib\\Part"),
    ],
)
def test_a_use_is_taken_for_another(code: str, kind: str, target: str) -> None:
    syntax, (at,) = marked(HEAD + code)
    reference = PHP.reference(syntax, at)
    assert reference is not None
    assert (reference.kind, text(reference.target), reference.at) == (kind, target, at)
    assert isinstance(reference.target, Name | Member)
    assert at in all_places(PHP, syntax)


@pytest.mark.parametrize(
    "code",
    [
        "function @@f() {}",
        "class @@A {}",
        "class A { const @@B = 1; }",
        "class A { function @@f() {} }",
        "enum A { case @@B; }",
        "f(@@name: 1);",
        "use Lib\\Part as @@P;",
        "use @@Lib\\Part;",
        "namespace @@Other;",
        "class A { use X { m as @@n; } }",
        "Line::@@class;",
        "$x = ['a', 'b', '@@c'];",
        "$x = ['a' => '@@c'];",
        "$@@x = 1;",
        "function f(@@self $x) {}",
    ],
)
def test_what_is_declared_counts_as_a_use(code: str) -> None:
    syntax, (at,) = marked("namespace App;\n" + code)
    assert PHP.reference(syntax, at) is None


@pytest.mark.parametrize(
    ("code", "arguments"),
    [
        ("@@f();", Arguments(0)),
        ("@@f(1, 2);", Arguments(2)),
        ("@@f(1, b: 2, c: 3);", Arguments(1, ("b", "c"))),
        ("@@f(1, ...$xs);", Arguments(1, (), True, True)),
        ("new @@F;", Arguments(0)),
        ("new @@F(1);", Arguments(1)),
        ("new class(1, 2) extends @@F {};", Arguments(2)),
        ("#[@@F(1, a: 2)] function g() {}", Arguments(1, ("a",))),
        ("#[@@F] function g() {}", Arguments(0)),
        ("$x->@@f(/* none */);", Arguments(0)),
    ],
)
def test_arguments_are_miscounted(code: str, arguments: Arguments) -> None:
    syntax, (at,) = marked(code)
    assert passed(PHP, syntax, at) == arguments


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("@@f();", "nothing"),
        ("$x->@@f();", "nothing"),
        ("$x->@@f()->g();", "member"),
        ("X::@@f()->name;", "member"),
        ("$x->@@f()?->g();", "other"),
        ("@@f()[0];", "member"),
        ("foreach (@@f() as $x) {}", "member"),
        ("$x[@@f()];", "other"),
        ("$x = @@f();", "other"),
        ("g(@@f());", "other"),
    ],
)
def test_what_becomes_of_a_result_is_misread(code: str, expected: Use) -> None:
    syntax, (at,) = marked(code)
    assert use(PHP, syntax, at) == (expected, None)


def test_a_callable_that_is_made_counts_as_a_call() -> None:
    syntax, (at,) = marked("$x->@@f(...);")
    reference = PHP.reference(syntax, at)
    assert reference is not None
    assert reference.call_at == -1


@pytest.mark.parametrize(
    ("code", "annotation"),
    [
        ("function f(Line $x) { @@$x; }", "\\Lib\\Line"),
        ("/** @param Line[] $x */ function f($x) { @@$x; }", "TypeName(__array, \\Lib\\Line)"),
        ("/** @param array<string, Line> $x */ function f(array $x) { @@$x; }", "TypeName(__array, \\Lib\\Line)"),
        ("function f(Line ...$x) { @@$x; }", "TypeName(__array, \\Lib\\Line)"),
        ("function f(?Line $x) { @@$x; }", "UnionType(\\Lib\\Line, null)"),
        ("function f() { /** @var Line $x */ $x = g(); @@$x; }", "\\Lib\\Line"),
        ("function f() { /** @var Line */ $x = g(); @@$x; }", "\\Lib\\Line"),
        ("function f() { try {} catch (Line $x) { @@$x; } }", "\\Lib\\Line"),
        ("function f() { /** @var Line $x */ foreach ($a as $x) { @@$x; } }", "\\Lib\\Line"),
        ("function f(Line $x) { return fn () => @@$x; }", "\\Lib\\Line"),
        ("function f(Line $x) { return function () use ($x) { @@$x; }; }", "\\Lib\\Line"),
    ],
)
def test_a_variable_gets_another_type(code: str, annotation: str) -> None:
    syntax, (at,) = marked(HEAD + code)
    bindings = next(scope.bindings["$x"] for scope in PHP.scopes(syntax, at) if "$x" in scope.bindings)
    assert text(bindings[-1].annotation) == annotation


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("$x = new Line(1);", "Construct(\\Lib\\Line, Argument(Literal(int)))"),
        ("foreach ($a as $k => $x) {}", "Element($a)"),
        ("[$y, $x] = g();", "Item(Call(\\App\\g()), 1)"),
        ("$x = $a ?? $b;", "Either($a, $b)"),
        ("$x = $a ? $b : $c;", "Either($b, $c)"),
        ("$x = match(true) { default => $b };", "Either($b)"),
        ("$x = clone $a;", "$a"),
    ],
)
def test_a_variable_gets_another_value(code: str, value: str) -> None:
    syntax, (at,) = marked(HEAD + "function f() { " + code + " @@$x; }")
    bindings = next(scope.bindings["$x"] for scope in PHP.scopes(syntax, at) if "$x" in scope.bindings)
    assert text(bindings[-1].value) == value


@pytest.mark.parametrize(
    ("code", "stated"),
    [
        ("if ($x instanceof Line) { @@$x; }", "\\Lib\\Line"),
        ("if (!$x instanceof Line) { return; } @@$x;", "\\Lib\\Line"),
        ("if (!$x instanceof Line) { throw new E(); } @@$x;", "\\Lib\\Line"),
        ("assert($x instanceof Line); @@$x;", "\\Lib\\Line"),
        ("$x instanceof Line && @@$x;", "\\Lib\\Line"),
        ("!$x instanceof Line || @@$x;", "\\Lib\\Line"),
        ("$x instanceof Line ? @@$x : 1;", "\\Lib\\Line"),
        ("match(true) { $x instanceof Line => @@$x };", "\\Lib\\Line"),
        ("if ($x instanceof Line || $x instanceof Base) { @@$x; }", "UnionType(\\Lib\\Line, \\Lib\\Order)"),
        ("if ($x instanceof Line) { $x = 1; @@$x; }", None),
        ("if ($y instanceof Line) { @@$x; }", None),
        ("if ($x instanceof Line) {} else { @@$x; }", None),
        ("if (!$x instanceof Line) { f(); } @@$x;", None),
    ],
)
def test_a_check_says_something_else(code: str, stated: str | None) -> None:
    syntax, (at,) = marked(HEAD + "function f($x) { " + code + " }")
    found, known = PHP.narrowed(syntax, at, Name("$x", at))
    assert (text(found) if known else None) == stated


def test_fields_of_a_class_are_lost() -> None:
    syntax, _ = marked(
        HEAD
        + """
        /** @property Line $magic
         *  @method Line made(int $x) */
        class A {
            private ?Line $typed;
            /** @var Line[] */ private $many;
            private $plain;
            public function __construct(protected readonly Base $base, int $none) { $this->plain = new Line(); }
        }
        """
    )
    fields = PHP.fields(syntax, index(syntax, "A"))
    assert {name: text(bindings[0].annotation) for name, bindings in fields.items()} == {
        "$typed": "UnionType(\\Lib\\Line, null)",
        "$many": "TypeName(__array, \\Lib\\Line)",
        "$plain": "NoneType()",
        "$base": "\\Lib\\Order",
        "$magic": "\\Lib\\Line",
        "made": "FunctionType(\\Lib\\Line)",
    }
    assert text(fields["$plain"][0].value) == "Construct(\\Lib\\Line)"


@pytest.mark.parametrize(
    ("code", "annotation"),
    [
        ("function f(): Line {}", "\\Lib\\Line"),
        ("/** @return Line[] */ function f(): array {}", "TypeName(__array, \\Lib\\Line)"),
        ("/** @return list<Line>|null */ function f() {}", "UnionType(TypeName(__array, \\Lib\\Line), null)"),
        ("/** @return array{Line, int} */ function f() {}", "TupleType(\\Lib\\Line, LiteralType(int))"),
        ("/** @return array{a: Line} */ function f() {}", "TypeName(__array, \\Lib\\Line)"),
        ("/** @return \\Generator<Line> */ function f() {}", "TypeName(\\Generator, UnknownType(), \\Lib\\Line)"),
        ("/** @return mixed */ function f(): Line {}", "\\Lib\\Line"),
        ("/** @return callable(int): Line */ function f() {}", "FunctionType(LiteralType(int), \\Lib\\Line)"),
        ("/**\n * Text.\n *\n * @return Line what it is\n */\nfunction f() {}", "\\Lib\\Line"),
        (
            "/** @template T of object\n * @param class-string<T> $c\n * @return T */ function f($c) {}",
            "TypeName(InstanceType, T)",
        ),
    ],
)
def test_a_result_is_another(code: str, annotation: str) -> None:
    syntax, _ = marked(HEAD + code)
    assert text(PHP.result(syntax, index(syntax, "f")).annotation) == annotation

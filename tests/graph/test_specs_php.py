"""phpspec's specs: what they call on themselves is the described class's."""

from __future__ import annotations

import pytest

from tests.graph.stories import Repo

COMPOSER = '{"autoload": {"psr-4": {"Shop\\\\": "src/"}}, "autoload-dev": {"psr-4": {"spec\\\\Shop\\\\": "spec/"}}}'
CALCULATOR = """\
    <?php
    namespace Shop\\Tax;
    class Calculator
    {
        public function __construct(int $rate = 1) {} // TARGET:made
        public static function of(int $rate): self { return new self($rate); } // TARGET:named
        public function calculate(int $net): int { return $net; } // TARGET
        public function __invoke(int $net): int { return 1; } // TARGET:invoked
        public function shouldRound(): bool { return true; } // TARGET:own
    }
    """
SPEC = """\
    <?php
    namespace spec\\Shop\\Tax;
    use PhpSpec\\ObjectBehavior;
    use Shop\\Tax\\Calculator;
    final class CalculatorSpec extends ObjectBehavior
    {
        function let(): void
        {
            $this->beConstructedWith(2); // CALLER:made
        }

        function it_calculates(Other $other): void
        {
            $this->shouldHaveType(Calculator::class);
            $this->calculate(10)->shouldReturn(10); // CALLER
            $this
                ->calculate(10) // CALLER
                ->shouldBe(10);
            $other->calculate(10);
            $this->helper(1);
            $this->shouldRound()->shouldReturn(true);
        }

        function it_throws(): void
        {
            $this->shouldThrow(\\Exception::class)->during('calculate', [1]); // CALLER
            $this->shouldThrow(\\Exception::class)->duringCalculate(1); // CALLER
            $this->shouldThrow(\\Exception::class)->during('other', ['calculate']);
            $this(1)->shouldReturn(1); // CALLER:invoked
            $this->__invoke(1)->shouldReturn(1); // CALLER:invoked
        }

        function it_is_named(): void
        {
            $this->beConstructedThrough('of', [1]); // CALLER:named
            $this->beConstructedThroughOf(1); // CALLER:named
        }

        private function helper(int $net): void
        {
            new class { function calculate() { $this->calculate(1); } };
        }
    }
    """
FILES = {
    "composer.json": COMPOSER,
    "src/Tax/Calculator.php": CALCULATOR,
    "spec/Tax/CalculatorSpec.php": SPEC,
    "spec/Other.php": "<?php\nnamespace spec\\Shop\\Tax;\nclass Other { function calculate($a) {} }\n",
}


@pytest.mark.parametrize("tag", ["", "made", "named", "invoked", "own"])
def test_a_spec_does_not_use_the_class_that_it_describes(repo: Repo, tag: str) -> None:
    repo.commit(FILES)
    found = [each for each in repo.callers(tag) if each.startswith("spec/")]
    assert found == repo.marked(tag)


def test_a_call_in_a_spec_that_no_longer_fits_passes(repo: Repo) -> None:
    repo.commit(FILES).commit(
        {"src/Tax/Calculator.php": CALCULATOR.replace("calculate(int $net)", "calculate($a, $b)")}
    )
    told = repo.brief()
    assert {place.rpartition(":")[2]: fit for place, fit in told.fits("Calculator.calculate").items()} == {
        "15": False,
        "17": False,
        "26": None,
        "27": False,
    }
    assert all(each.test for each in told.symbol("Calculator.calculate").callers)


def test_a_class_with_a_spec_has_no_test(repo: Repo) -> None:
    repo.commit(FILES).commit({"src/Tax/Calculator.php": CALCULATOR.replace("return $net;", "return $net + 1;")})
    told = repo.brief()
    assert [each.path for each in told.briefing.tests] == ["spec/Tax/CalculatorSpec.php"]
    assert told.eyes() == []


def test_a_constructor_that_a_spec_calls_with_too_little_passes(repo: Repo) -> None:
    repo.commit(FILES).commit({"src/Tax/Calculator.php": CALCULATOR.replace("int $rate = 1", "int $rate, int $more")})
    assert repo.brief().fits("Calculator.__construct")["spec/Tax/CalculatorSpec.php:9"] is False


def test_what_a_wrapped_result_is_to_be_is_taken_of_it(repo: Repo) -> None:
    changed = CALCULATOR.replace(
        "calculate(int $net): int { return $net; }", "calculate(int $net): null { return null; }"
    )
    repo.commit(FILES).commit({"src/Tax/Calculator.php": changed})
    assert False not in repo.brief().fits("Calculator.calculate").values()


def test_any_further_arguments_of_an_expected_call_are_too_few(repo: Repo) -> None:
    use = """\
        <?php
        namespace spec\\Shop;
        use PhpSpec\\ObjectBehavior;
        use Prophecy\\Argument;
        use Shop\\Tax\\Calculator;
        class TillSpec extends ObjectBehavior
        {
            function it_adds(Calculator $calculator)
            {
                $calculator->calculate(Argument::cetera())->willReturn(1);
                $calculator->calculate(Argument::any())->willReturn(1);
            }
        }
        """
    repo.commit({**FILES, "spec/TillSpec.php": use})
    repo.commit({"src/Tax/Calculator.php": CALCULATOR.replace("calculate(int $net)", "calculate(int $a, int $b)")})
    fits = repo.brief().fits("Calculator.calculate")
    assert (fits["spec/TillSpec.php:10"], fits["spec/TillSpec.php:11"]) == (None, False)


def test_a_removed_method_is_still_called_in_a_spec_and_nobody_says_so(repo: Repo) -> None:
    kept = CALCULATOR.replace("public function calculate(int $net): int { return $net; } // TARGET", "")
    repo.commit(FILES).commit({"src/Tax/Calculator.php": kept})
    told = repo.brief()
    assert told.eyes()[0] == "broken-call spec/Tax/CalculatorSpec.php:15"


def test_a_removed_method_that_a_foreign_base_may_have_is_surely_gone(repo: Repo) -> None:
    had = CALCULATOR.replace("class Calculator", "class Calculator extends \\Vendor\\Base")
    kept = had.replace("public function calculate(int $net): int { return $net; } // TARGET", "")
    repo.commit({**FILES, "src/Tax/Calculator.php": had}).commit({"src/Tax/Calculator.php": kept})
    assert not any(each.sure for each in repo.brief().symbol("Calculator.calculate").callers)


def test_a_spec_that_is_renamed_with_its_class_uses_the_old_one(repo: Repo) -> None:
    spec = SPEC.replace("CalculatorSpec", "TaxerSpec").replace("Calculator;", "Taxer;").replace("Calculator:", "Taxer:")
    repo.commit(FILES).commit(
        {
            "src/Tax/Calculator.php": None,
            "spec/Tax/CalculatorSpec.php": None,
            "src/Tax/Taxer.php": CALCULATOR.replace("Calculator", "Taxer").replace("$rate = 1", "$rates = 1"),
            "spec/Tax/TaxerSpec.php": spec,
        }
    )
    assert [each for each in repo.brief().eyes() if "broken" in each or "misfit" in each] == []


def test_a_spec_calls_what_the_described_class_inherits(repo: Repo) -> None:
    base = """\
        <?php
        namespace Shop;
        abstract class Base
        {
            public function total(int $a) {} // TARGET
        }
        """
    spec = """\
        <?php
        namespace spec\\Shop;
        class LeafSpec extends \\PhpSpec\\ObjectBehavior
        {
            function it_adds() { $this->total(1)->shouldReturn(1); } // CALLER
        }
        """
    repo.commit(
        {
            "composer.json": COMPOSER,
            "src/Base.php": base,
            "src/Leaf.php": "<?php\nnamespace Shop;\nclass Leaf extends Base {}\n",
            "spec/LeafSpec.php": spec,
            "spec/OtherSpec.php": spec.replace("LeafSpec", "OtherSpec").replace(" // CALLER", ""),
        }
    )
    assert repo.callers() == repo.marked()


def test_the_class_that_a_spec_says_it_describes_is_not_found(repo: Repo) -> None:
    spec = """\
        <?php
        namespace Unit;
        use PhpSpec\\ObjectBehavior;
        use Shop\\Tax\\Calculator;
        class TaxesSpec extends ObjectBehavior
        {
            function let() { $this->beAnInstanceOf(Calculator::class); }
            function it_adds() { $this->calculate(1)->shouldReturn(1); } // CALLER
        }
        """
    repo.commit(
        {
            "composer.json": COMPOSER,
            "src/Tax/Calculator.php": CALCULATOR,
            "spec/TaxesSpec.php": spec,
            "spec/Tax/NoSpec.php": SPEC.replace("extends ObjectBehavior", "").split("//")[0] + "} }",
        }
    )
    assert repo.callers() == repo.marked()

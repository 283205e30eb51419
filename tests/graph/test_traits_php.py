"""Traits, and what stands for another class's methods: what a class has from elsewhere, under which name."""

from __future__ import annotations

import pytest

from tests.graph.stories import Repo

TRAIT = "<?php\nnamespace App;\ntrait Exports {\n"


def test_a_classes_own_method_must_be_like_that_of_its_trait(repo: Repo) -> None:
    repo.commit(
        {
            "src/Exports.php": TRAIT + "public function export(string $a) {}\nabstract public function ask($a);\n}\n",
            "src/all.php": """\
                <?php
                namespace App;
                class Own { use Exports; public function export(string $a) {} function ask($a) {} } // CALLER:ask
                trait More { use Exports; public function export(string $a) {} }
                class User { use Exports; function ask($a) {} } // CALLER:ask
                class Below extends User { public function export(string $a) {} } // CALLER
                class Hidden extends Own { public function export(string $a) {} }
                """,
        }
    ).commit(
        {"src/Exports.php": TRAIT + "public function export($a, $b) {}\nabstract public function ask($a, $b);\n}\n"}
    )
    brief = repo.brief()
    assert brief.callers("Exports.export") == repo.marked()
    assert brief.callers("Exports.ask") == repo.marked("ask")
    assert brief.fits("Exports.export") == {"src/all.php:6": None}


RENAMED = """\
    <?php
    namespace App;
    class Own {
        use Exports { setUp as baseSetUp; Exports::tearDown as protected baseTearDown; } // CALLER
        protected function setUp(): void { $this->baseSetUp(); } // CALLER
        protected function tearDown(): void { $this->baseTearDown(); }
    }
    class Below extends Own {
        protected function setUp(): void { parent::setUp(); }
        public function again(): void { $this->baseSetUp(); } // CALLER
    }
    """


def test_a_trait_method_under_another_name_is_hidden_by_the_classes_own(repo: Repo) -> None:
    body = TRAIT + "protected function setUp(): void {}\nprotected function tearDown(): void {}\n}\n"
    repo.commit({"src/Exports.php": body, "src/all.php": RENAMED})
    repo.commit({"src/Exports.php": body.replace("setUp(): void {", "setUp(): void { echo 1;")})
    assert repo.brief().callers("Exports.setUp") == repo.marked()


@pytest.mark.parametrize(
    ("to", "fits"),
    [
        ("setUp(int $x): void", {4: None, 5: False, 10: False}),
        ("start(): void", {4: False, 5: False, 10: False}),
    ],
)
def test_a_trait_method_under_another_name_is_still_there(repo: Repo, to: str, fits: dict[int, bool | None]) -> None:
    body = TRAIT + "protected function setUp(): void {}\nprotected function tearDown(): void {}\n}\n"
    repo.commit({"src/Exports.php": body, "src/all.php": RENAMED})
    repo.commit({"src/Exports.php": body.replace("setUp(): void", to)})
    found = repo.brief().fits("Exports.setUp")
    assert found == {f"src/all.php:{line}": fit for line, fit in fits.items()}


def test_a_class_may_have_anything_because_it_uses_a_trait(repo: Repo) -> None:
    """A trait may ask for what the classes have that use it; these have what they declare, and what it brings."""
    own = "<?php\nnamespace App;\nclass Own {\n    use Exports;\n    public function one() {}\n"
    own += "    public function go() { $this->one(); } // CALLER\n}\n"
    repo.commit({"src/Exports.php": TRAIT + "public function all() { $this->one(); }\n}\n", "src/Own.php": own})
    repo.commit({"src/Own.php": own.replace("function one", "function two")})
    brief = repo.brief()
    assert brief.callers("Own.one") == repo.marked()
    assert brief.fits("Own.one") == {"src/Own.php:6": False}


# ---------------------------------------------------------------------------------------------------------- facades


def test_a_documented_method_of_a_facade_is_its_own(repo: Repo) -> None:
    facade = """\
        <?php
        namespace App;
        /**
         * @method static string panel(string $id)
         * @method static string magic(string $id)
         * @method static Panel made()
         {}
         */
        class {} extends \\Illuminate\\Support\\Facades\\Facade {{
            protected static function getFacadeAccessor(): string {{ return {}; }}
        }}
        """
    repo.commit(
        {
            "src/Manager.php": """\
                <?php
                namespace App;
                class Manager {
                    public function panel(string $id) { return $id; } // TARGET
                    public function made() { return foo(); }
                }
                class Other { public function panel(string $id) {} }
                """,
            "src/Panel.php": "<?php\nnamespace App;\nclass Panel {\npublic function panel($id) {} // TARGET:panel\n}\n",
            "src/Keyed.php": facade.format("* @see \\App\\Unknown\n         * @see Manager", "Keyed", "'manager'"),
            "src/Named.php": facade.format("*", "Named", "Manager::class"),
            "src/Unseen.php": facade.format("*", "Unseen", "'manager'"),
            "src/use.php": """\
                <?php
                namespace App;
                Keyed::panel('a'); // CALLER
                Named::panel('a'); // CALLER
                Unseen::panel('a');
                Unseen::made()->panel('a'); // CALLER:panel
                Keyed::magic('a')->panel('a');
                """,
        }
    )
    assert repo.callers() == repo.marked()
    assert repo.callers("panel") == repo.marked("panel")


def test_a_call_through_a_facade_fits_by_what_the_facade_documents(repo: Repo) -> None:
    manager = "<?php\nnamespace App;\nclass Manager {{ public function panel({}) {{}} }}\n"
    repo.commit(
        {
            "src/Manager.php": manager.format("string $id"),
            "src/Panels.php": """\
                <?php
                namespace App;
                /**
                 * @method static void panel(string $id)
                 * @see Manager
                 */
                class Panels extends \\Illuminate\\Support\\Facades\\Facade {
                    protected static function getFacadeAccessor(): string { return 'manager'; }
                }
                """,
            "src/use.php": "<?php\nnamespace App;\nPanels::panel('a');\n",
        }
    ).commit({"src/Manager.php": manager.format("string $id, bool $strict")})
    assert repo.brief().fits("Manager.panel") == {"src/use.php:3": False}

"""Where a full name is declared."""

from __future__ import annotations

import pytest

from graph.languages.php.composer import NOTHING, read_composer
from graph.languages.php.modules import PhpModules
from tests.languages.php.sources import Tree

FILES = {
    "composer.json": """{"autoload": {"psr-4": {"App\\\\": "src/", "Old\\\\": ["lib/"]}, "classmap": ["legacy"],
        "files": ["src/start.inc.php"]}, "autoload-dev": {"psr-4": {"App\\\\Tests\\\\": "tests/"}}}""",
    "src/Order.php": "<?php\nnamespace App;\nfinal class Order {}\n",
    "src/Shop/Order.php": "<?php\nnamespace App\\Shop;\nclass Order {}\nclass Helper {}\n",
    "src/Kernel.php": "<?php\nnamespace App;\nclass Kernel {}\nenum Mode {}\n",
    "src/start.inc.php": "<?php\nnamespace App;\nfunction total() {}\n",
    "lib/Deep/Thing.php": "<?php namespace Old\\Deep;\n#[A] abstract class Thing {}\n",
    "legacy/all.php": "<?php\nclass Legacy_Order {}\ninterface Plain {}\n",
    "pear/Vendor/Thing/Part.php": "<?php\nclass Vendor_Thing_Part {}\n",
    "tests/OrderTest.php": "<?php\nnamespace App\\Tests;\nclass OrderTest {}\nclass Fixture {}\n",
    "global.php": "<?php\nfunction total() {}\nfunction plain() {}\n",
}


def made(files: dict[str, str] = FILES) -> PhpModules:
    modules = PhpModules(Tree(files))
    modules.search_with(lambda word: [path for path in sorted(files) if word in files[path]])
    return modules


@pytest.mark.parametrize(
    ("name", "paths"),
    [
        ("\\App\\Order", ("src/Order.php",)),
        ("\\app\\ORDER", ("src/Order.php",)),
        ("\\App\\Shop\\Order", ("src/Shop/Order.php",)),
        ("\\App\\Shop\\Helper", ("src/Shop/Order.php",)),
        ("\\App\\Mode", ("src/Kernel.php",)),
        ("\\Old\\Deep\\Thing", ("lib/Deep/Thing.php",)),
        ("\\Legacy_Order", ("legacy/all.php",)),
        ("\\Plain", ("legacy/all.php",)),
        ("\\Vendor_Thing_Part", ("pear/Vendor/Thing/Part.php",)),
        ("\\App\\Tests\\Fixture", ("tests/OrderTest.php",)),
        ("\\Order", ()),
        ("\\Vendor\\Order", ()),
        ("\\App\\Shop\\Kernel", ()),
        ("\\App\\total()", ("src/start.inc.php",)),
        ("\\App\\plain()", ("global.php",)),
        ("\\total()", ("global.php",)),
        ("\\App\\strlen()", ()),
    ],
)
def test_a_name_leads_to_another_file(name: str, paths: tuple[str, ...]) -> None:
    assert tuple(made().declaring("src/Other.php", name)) == paths


def test_the_answer_depends_on_who_asked_first() -> None:
    one, other = made(), made()
    one.declaring("src/Order.php", "\\App\\Mode")
    names = ["\\App\\Mode", "\\App\\Order", "\\Plain", "\\App\\total()"]
    assert [one.declaring("tests/X.php", each) for each in names] == [
        other.declaring("tests/X.php", each) for each in names
    ]


def test_many_files_are_read_for_a_class_that_is_called_like_its_file() -> None:
    tree = Tree({**FILES, **{f"pkg{n}/composer.json": "{}" for n in range(50)}})
    PhpModules(tree).declaring("src/Kernel.php", "\\App\\Shop\\Order")
    assert tree.reads == ["src/Shop/Order.php", "src/Kernel.php"]


def test_a_use_is_resolved_to_another_file() -> None:
    assert made().resolve("tests/OrderTest.php", "App\\Order").paths == ("src/Order.php",)
    assert made().resolve("tests/OrderTest.php", "App\\total()").paths == ("src/start.inc.php",)
    assert made().resolve("tests/OrderTest.php", "Doctrine\\ORM\\Order").external


def test_an_importer_is_overlooked() -> None:
    modules = made()
    assert modules.words("src/Shop/Order.php") == {"Order", "Helper"}
    assert modules.may_import("a.php", b"<?php use App\\Shop\\Order;", "src/Shop/Order.php")
    assert modules.may_import("a.php", b"<?php use App\\Shop\\{ Other, Helper };", "src/Shop/Order.php")
    assert not modules.may_import("a.php", b"<?php $order = 'Order';", "src/Shop/Order.php")


@pytest.mark.parametrize(
    "source",
    [b"", b"{", b"[]", b"null", b'{"autoload": []}', b'{"autoload": {"psr-4": 3, "files": {"a": 1}}}', b"[" * 9999],
)
def test_a_strange_composer_file_is_an_error(source: bytes) -> None:
    assert read_composer("", source) == NOTHING


def test_a_path_in_a_composer_file_leads_out_of_the_tree() -> None:
    read = read_composer("pkg", b'{"autoload": {"psr-4": {"A\\\\": ["", "./src/", "../../x"]}, "files": ["f.php"]}}')
    assert read.prefixes == (("A", "pkg"), ("A", "pkg/src"), ("A", "../x"))
    assert read.files == ("pkg/f.php",)

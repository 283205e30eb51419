"""What the text of an import means in a tree of files."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping

import pytest

from graph.languages.base import Modules, Resolved
from graph.languages.python import PYTHON


class Files:
    """A tree held in memory."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = files

    @property
    def paths(self) -> Mapping[str, str]:
        return dict.fromkeys(self._files, "blob")

    def read(self, path: str) -> bytes:
        return self._files.get(path, "").encode()

    def children(self, directory: str) -> Collection[str]:
        prefix = f"{directory}/" if directory else ""
        return {p.removeprefix(prefix).partition("/")[0] for p in self._files if p.startswith(prefix)}


def modules(*paths: str) -> Modules:
    return PYTHON.modules(Files(dict.fromkeys(paths, "")))


SHOP = ("shop/__init__.py", "shop/orders/__init__.py", "shop/orders/total.py", "shop/views.py", "tests/test_views.py")


@pytest.mark.parametrize(
    ("path", "module", "expected"),
    [
        ("shop/views.py", "shop.orders.total", "shop/orders/total.py"),
        ("shop/views.py", "shop.orders", "shop/orders/__init__.py"),
        ("shop/views.py", "shop", "shop/__init__.py"),
        ("tests/test_views.py", "shop.views", "shop/views.py"),
        ("shop/orders/total.py", ".", "shop/orders/__init__.py"),
        ("shop/orders/total.py", "..", "shop/__init__.py"),
        ("shop/orders/total.py", "..views", "shop/views.py"),
        ("shop/orders/__init__.py", ".total", "shop/orders/total.py"),
        ("shop/__init__.py", ".orders.total", "shop/orders/total.py"),
    ],
)
def test_a_module_is_the_file_that_its_name_leads_to(path: str, module: str, expected: str) -> None:
    assert modules(*SHOP).resolve(path, module) == Resolved((expected,))


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        ("os.path", Resolved(external=True)),
        ("django.db", Resolved(external=True)),
        ("shop.missing", Resolved()),
        ("shop.views.deeper", Resolved()),
        ("Shop", Resolved(external=True)),
        (".missing", Resolved()),
        (".....too.far", Resolved()),
        ("", Resolved()),
    ],
)
def test_what_is_not_there_is_not_found_or_lies_outside(module: str, expected: Resolved) -> None:
    assert modules(*SHOP).resolve("shop/views.py", module) == expected


def test_a_package_of_the_repository_is_its_own_even_if_it_is_also_a_public_one() -> None:
    tree = modules("celery/__init__.py", "celery/app.py", "t/unit/test_app.py")
    assert tree.resolve("t/unit/test_app.py", "celery.app").paths == ("celery/app.py",)


def test_a_package_wins_over_a_module_of_the_same_name_and_a_module_over_a_stub() -> None:
    tree = modules("a.py", "b/__init__.py", "b.py", "c.py", "c.pyi", "d.pyi")
    assert tree.resolve("a.py", "b").paths == ("b/__init__.py",)
    assert tree.resolve("a.py", "c").paths == ("c.py",)
    assert tree.resolve("a.py", "d").paths == ("d.pyi",)


@pytest.mark.parametrize(
    ("configuration", "content"),
    [
        ("pyproject.toml", "[project]\nname = 'x'"),
        ("pyproject.toml", "[tool.setuptools.packages.find]\nwhere = ['lib']"),
        ("pyproject.toml", "[tool.setuptools.package-dir]\n'' = 'lib'"),
        ("pyproject.toml", "[tool.poetry]\npackages = [{include = 'ns', from = 'lib'}]"),
        ("pyproject.toml", "[tool.hatch.build.targets.wheel]\npackages = ['lib/ns']"),
        ("pyproject.toml", "[tool.hatch.build.targets.wheel]\nsources = ['lib']"),
        ("pyproject.toml", "[tool.pytest.ini_options]\npythonpath = 'lib'"),
        ("pyproject.toml", "[tool.pytest.ini_options]\npythonpath = ['.', 'lib']"),
        ("pyproject.toml", "[tool.pyright]\nextraPaths = ['lib']"),
        ("pyproject.toml", "\ufeff[tool.pyright]\nextraPaths = ['lib']"),
        ("pyrightconfig.json", '{"extraPaths": ["./lib"]}'),
        ("setup.cfg", "[options]\npackage_dir =\n    = lib"),
        ("setup.cfg", "[options.packages.find]\nwhere = lib"),
        ("pytest.ini", "[pytest]\npythonpath = lib"),
        ("setup.py", "setup(package_dir={'': 'lib'}, packages=find_packages('lib'))"),
        ("setup.py", 'setup(packages=find_packages(where="lib"))'),
    ],
)
def test_source_roots_come_from_configuration(configuration: str, content: str) -> None:
    # A namespace package, so that no __init__ tells where the root is.
    directory = "src" if "name = 'x'" in content else "lib"
    tree = PYTHON.modules(Files({configuration: content, f"{directory}/ns/mod.py": "", "tests/test_mod.py": ""}))
    assert tree.resolve("tests/test_mod.py", "ns.mod").paths == (f"{directory}/ns/mod.py",)


@pytest.mark.parametrize("content", ["not [ toml", "[tool]\nsetuptools = 3", "[tool.poetry]\npackages = [1, 'a']"])
def test_broken_configuration_is_no_configuration(content: str) -> None:
    tree = PYTHON.modules(Files({"pyproject.toml": content, "setup.cfg": "[[[", "pyrightconfig.json": "[", "a.py": ""}))
    assert tree.resolve("b.py", "a").paths == ("a.py",)


def test_configuration_cannot_lead_out_of_the_tree() -> None:
    content = "[tool.pyright]\nextraPaths = ['../..', '/etc', 'lib/../../x']"
    tree = PYTHON.modules(Files({"pyproject.toml": content, "a.py": ""}))
    assert tree.resolve("a.py", "passwd") == Resolved(external=True)


def test_a_package_that_lives_in_a_directory_of_another_name() -> None:
    content = "[tool.setuptools.package-dir]\nshop = 'source'"
    tree = PYTHON.modules(Files({"pyproject.toml": content, "source/__init__.py": "", "source/a.py": ""}))
    assert tree.resolve("x.py", "shop.a").paths == ("source/a.py",)
    assert tree.words("source/__init__.py") == {"source", "shop"}


def test_of_several_projects_the_nearest_is_meant() -> None:
    tree = modules(
        "one/pyproject.toml",
        "one/src/app/__init__.py",
        "one/src/app/core.py",
        "one/tests/test_core.py",
        "two/pyproject.toml",
        "two/src/app/__init__.py",
        "two/src/app/core.py",
        "two/tests/test_core.py",
        "two/src/app/only_two.py",
    )
    assert tree.resolve("one/tests/test_core.py", "app.core").paths == ("one/src/app/core.py",)
    assert tree.resolve("two/src/app/__init__.py", "app.core").paths == ("two/src/app/core.py",)
    assert tree.resolve("two/tests/test_core.py", "app.core").paths == ("two/src/app/core.py",)
    assert tree.resolve("one/tests/test_core.py", "app.only_two").paths == ("two/src/app/only_two.py",)


def test_scripts_and_tests_import_what_lies_beside_them() -> None:
    tree = modules(
        "tests/helpers.py", "tests/test_a.py", "tests/unit/test_b.py", "tests/conftest.py", "pkg/__init__.py"
    )
    assert tree.resolve("tests/test_a.py", "helpers").paths == ("tests/helpers.py",)
    assert tree.resolve("tests/unit/test_b.py", "helpers").paths == ("tests/helpers.py",)
    assert tree.resolve("pkg/__init__.py", "helpers") == Resolved(external=True)


def test_a_script_named_like_the_package_it_imports_does_not_import_itself() -> None:
    tree = modules("scripts/redis.py")
    assert tree.resolve("scripts/redis.py", "redis") == Resolved(external=True)


def test_namespace_packages_are_packages_without_a_file() -> None:
    tree = modules("ns/a/mod.py", "main.py")
    assert tree.resolve("main.py", "ns") == Resolved(package="ns")
    assert tree.resolve("main.py", "ns.a.mod").paths == ("ns/a/mod.py",)
    assert tree.submodule("ns", "a") == "ns/a/"
    assert tree.submodule("ns/a/", "mod") == "ns/a/mod.py"


def test_a_directory_of_examples_is_not_the_library_it_is_about() -> None:
    tree = modules("examples/redis/worker.py", "examples/app/__init__.py", "shop/__init__.py")
    assert tree.resolve("shop/__init__.py", "redis") == Resolved(external=True)


def test_samples_under_tests_are_not_seen_from_the_code() -> None:
    tree = modules("tests/fixtures/requests/__init__.py", "shop/__init__.py")
    assert tree.resolve("shop/__init__.py", "requests") == Resolved(external=True)


def test_submodules_of_a_package_and_of_a_plain_module() -> None:
    tree = modules(*SHOP)
    assert tree.submodule("shop/__init__.py", "orders") == "shop/orders/__init__.py"
    assert tree.submodule("shop/orders/__init__.py", "total") == "shop/orders/total.py"
    assert tree.submodule("shop/__init__.py", "nothing") is None
    assert tree.submodule("shop/views.py", "orders") is None


def test_the_words_an_importer_must_contain() -> None:
    tree = modules(*SHOP)
    assert tree.words("shop/orders/total.py") == {"total"}
    assert tree.words("shop/orders/__init__.py") == {"orders"}
    assert tree.words("__init__.py") == frozenset()


def test_an_importer_from_outside_of_a_package_names_that_too() -> None:
    tree = modules(*SHOP)
    assert tree.outer_words("shop/orders/total.py") == ("shop/orders", frozenset({"orders"}))
    assert tree.outer_words("shop/orders/__init__.py") == ("shop", frozenset({"shop"}))


def test_what_a_root_holds_is_imported_by_its_own_name_from_everywhere() -> None:
    tree = modules(*SHOP, "scripts/clean.py", "src/tools/__init__.py")
    assert tree.outer_words("shop/__init__.py") is None
    assert tree.outer_words("src/tools/__init__.py") is None
    assert tree.outer_words("scripts/clean.py") == ("scripts", frozenset({"scripts"}))


def test_a_package_that_configuration_names_otherwise_is_named_so_from_outside() -> None:
    files = dict.fromkeys(("lib/a.py", "lib/sub/b.py"), "")
    tree = PYTHON.modules(Files({**files, "pyproject.toml": '[tool.setuptools.package-dir]\nshop = "lib"\n'}))
    assert tree.resolve("main.py", "shop.sub.b").paths == ("lib/sub/b.py",)
    assert tree.outer_words("lib/sub/b.py") == ("lib/sub", frozenset({"sub"}))
    assert tree.outer_words("lib/a.py") == ("lib", frozenset({"lib", "shop"}))


def test_what_may_import_a_package_by_dots_alone() -> None:
    tree = modules(*SHOP)
    assert list(tree.dotted_importers("shop/__init__.py")) == [
        "shop/orders/__init__.py",
        "shop/orders/total.py",
        "shop/views.py",
    ]
    assert list(tree.dotted_importers("shop/views.py")) == []


def test_a_stub_and_its_module_are_siblings() -> None:
    tree = modules("a.py", "a.pyi", "b.py")
    assert list(tree.siblings("a.py")) == ["a.pyi"]
    assert list(tree.siblings("a.pyi")) == ["a.py"]
    assert list(tree.siblings("b.py")) == []


def test_paths_that_differ_in_case_are_two_files() -> None:
    tree = modules("pkg/__init__.py", "pkg/Registry.py", "pkg/registry.py")
    assert tree.resolve("pkg/__init__.py", ".Registry").paths == ("pkg/Registry.py",)
    assert tree.resolve("pkg/__init__.py", ".registry").paths == ("pkg/registry.py",)
    assert tree.resolve("pkg/__init__.py", ".REGISTRY") == Resolved()


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (b"from shop.orders import total\n", True),
        (b"from shop.orders.total import f\n", True),
        (b"import shop.orders.total as t\n", True),
        (b"if x: import shop.orders.total\n", True),
        (b"from shop.orders import (  # the (old) one\n    other,\n    total,\n)\n", True),
        (b"from shop.orders import (other,  # a)\n  total)\n", True),
        (b"from shop.orders import other, \\\n    total\n", True),
        (b"from shop.orders \\\n    import total\n", True),
        (b"import os; from shop.orders import total\n", True),
        (b"from .orders import total\n", True),
        (b"from .orders.total import f\n", True),
        (b'import_module("shop.orders.total")\n', True),
        (b"from shop.orders import other\ntotal = 1\n", False),
        (b"from elsewhere.orders.total import f\n", False),
        (b"from ...far.orders.total import f\n", False),
        (b"from elsewhere import total\n", False),
        (b"from .orders import other\nfrom django.conf import total\n", False),
        (b"# from shop import\nx = 'total'\n", False),
    ],
)
def test_a_file_is_read_that_does_not_import_a_module_or_left_out_though_it_does(source: bytes, expected: bool) -> None:
    tree = modules(*SHOP, "shop/api.py")
    assert tree.may_import("shop/api.py", source, "shop/orders/total.py") is expected


def test_what_stands_in_parentheses_for_an_import_is_gone_through_again_and_again() -> None:
    source = b"import (" + b"#" + b")" * 200_000 + b"\n" + b"import x # \\\n" * 20_000
    started = time.process_time()
    modules(*SHOP).may_import("shop/views.py", source, "shop/orders/total.py")
    assert time.process_time() - started < 2


def test_dots_of_a_relative_import_without_an_end_are_gone_through_again_and_again() -> None:
    source = b"from " + b"." * 200_000 + b"x y import z\n"
    started = time.process_time()
    modules(*SHOP).may_import("shop/views.py", source, "shop/orders/total.py")
    assert time.process_time() - started < 2

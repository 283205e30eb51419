"""What import paths mean, which files are one package, and which are never compiled together."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import pytest

from graph.languages.go.constraints import constraints_of, together
from graph.languages.go.modules import GoModules


class Tree:
    """A tree of given texts."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = files
        self.paths = dict.fromkeys(files, "")

    def read(self, path: str) -> bytes:
        return self._files.get(path, "").encode()

    def children(self, directory: str) -> Collection[str]:
        return ()


TREE = Tree(
    {
        "go.mod": "module example.com/shop/v2 // the shop\n\nreplace example.com/one v1.2.0 => ./staging/one\n",
        "go.work": "use (\n\t.\n\t./tools\n)\nreplace example.com/two => ./staging/two\n",
        "root.go": "package shop\n",
        "money/money.go": "// Package money\npackage money\n",
        "money/money_linux.go": "package money\n",
        "money/money_test.go": "package money\n",
        "money/outside_test.go": "package money_test\n",
        "money/gen.go": "//go:build ignore\n\npackage main\n",
        "go-text/text.go": "/*\npackage nothing\n*/\n\npackage text\n",
        "staging/one/go.mod": "module example.com/one\n",
        "staging/one/api/api.go": "package api\n",
        "staging/two/two.go": "package two\n",
        "tools/go.mod": "module example.com/tools\nreplace (\n\texample.com/three => ../staging/two\n)\n",
        "tools/main.go": "package main\n",
    }
)


@pytest.mark.parametrize(
    ("path", "module", "paths", "name"),
    [
        ("root.go", "example.com/shop/v2", ("root.go",), "shop"),
        ("root.go", "example.com/shop/v2/money", ("money/money.go", "money/money_linux.go"), "money"),
        ("root.go", "example.com/shop/v2/go-text", ("go-text/text.go",), "text"),
        ("root.go", "example.com/one/api", ("staging/one/api/api.go",), "api"),
        ("root.go", "example.com/two", ("staging/two/two.go",), "two"),
        ("tools/main.go", "example.com/three", ("staging/two/two.go",), "two"),
        ("root.go", "example.com/tools", ("tools/main.go",), "main"),
        ("root.go", "example.com/shop/v2/gone", (), None),
    ],
)
def test_an_import_path_means_something_else(path: str, module: str, paths: tuple[str, ...], name: str | None) -> None:
    resolved = GoModules(TREE).resolve(path, module)
    assert (resolved.paths, resolved.name, resolved.external) == (paths, name, False)


@pytest.mark.parametrize("module", ["fmt", "example.com/shop", "example.com/shop/money", "example.com/three/x", "C"])
def test_a_package_from_outside_is_looked_for_in_the_tree(module: str) -> None:
    assert GoModules(TREE).resolve("root.go", module).external


REPLACING = Tree(
    {
        "go.work": "use (\n\t./server\n\t./api\n)\nreplace example.com/etcd/both => ./forks/work\n",
        "server/go.mod": "module example.com/etcd/server/v3\n\nreplace (\n"
        "\texample.com/etcd => ./FORBIDDEN\n\texample.com/etcd/server => ../old\n"
        "\texample.com/etcd/server/v3 => ../api\n\texample.com/etcd/fork/v2 => ../forks/fork\n"
        "\texample.com/etcd/both => ../forks/mod\n)\n",
        "server/apply/apply.go": "package apply\n",
        "server/mock/go.mod": "",
        "server/mock/mock.go": "package mock\n",
        "old/apply/apply.go": "package apply\n",
        "old/v3/apply/apply.go": "package apply\n",
        "old/v3/left/left.go": "package left\n",
        "api/go.mod": "module example.com/etcd/api\n",
        "api/apply/apply.go": "package apply\n",
        "api/testdata/one/go.mod": "module example.com/fixture\n",
        "api/testdata/one/p/p.go": "package p\n",
        "fixture/go.mod": "module example.com/fixture\n",
        "fixture/p/p.go": "package p\n",
        "forks/fork/go.mod": "module example.com/etcd/fork/v2\n",
        "forks/fork/p/p.go": "package p\n",
        "forks/work/p/p.go": "package p\n",
        "forks/mod/p/p.go": "package p\n",
        "elsewhere/go.mod": "module example.com/etcd/fork/v2\n",
        "elsewhere/p/p.go": "package p\n",
    }
)


@pytest.mark.parametrize(
    ("path", "module", "paths"),
    [
        # a replacement of a shorter path, or of the module itself, is none of its packages
        ("server/a.go", "example.com/etcd/server/v3/apply", ("server/apply/apply.go",)),
        ("api/a.go", "example.com/etcd/server/v3/apply", ("server/apply/apply.go",)),
        ("server/a.go", "example.com/etcd/server/apply", ("old/apply/apply.go",)),
        ("server/a.go", "example.com/etcd/server/v3/left", ("old/v3/left/left.go",)),
        ("server/a.go", "example.com/etcd/server/v3/gone", ()),
        ("server/a.go", "example.com/etcd/gone", ()),
        ("server/a.go", "example.com/etcd/api/apply", ("api/apply/apply.go",)),
        # what is put in place of another module, by the files' own module or for the whole workspace
        ("server/a.go", "example.com/etcd/fork/v2/p", ("forks/fork/p/p.go",)),
        ("api/a.go", "example.com/etcd/fork/v2/p", ("elsewhere/p/p.go",)),
        ("server/a.go", "example.com/etcd/both/p", ("forks/work/p/p.go",)),
        # two modules of one path: everybody means their own
        ("fixture/a.go", "example.com/fixture/p", ("fixture/p/p.go",)),
        ("api/testdata/one/a.go", "example.com/fixture/p", ("api/testdata/one/p/p.go",)),
        ("server/a.go", "example.com/fixture/p", ("fixture/p/p.go",)),
    ],
)
def test_a_replacement_hides_other_modules(path: str, module: str, paths: tuple[str, ...]) -> None:
    modules = GoModules(REPLACING)
    resolved = modules.resolve(path, module)
    assert (resolved.paths, resolved.external) == (paths, False)
    assert all(modules.may_import(path, f'import "{module}"'.encode(), each) for each in paths)


def test_a_module_has_the_packages_of_one_that_lies_in_it() -> None:
    assert GoModules(REPLACING).resolve("server/a.go", "example.com/etcd/server/v3/mock").paths == ()


def test_files_of_other_packages_in_the_directory_belong_to_the_package() -> None:
    modules = GoModules(TREE)
    assert modules.siblings("money/money.go") == ["money/money_linux.go", "money/money_test.go"]
    assert modules.siblings("money/outside_test.go") == []
    assert modules.package("money/money_test.go") is modules.package("money/money.go")


def test_an_importer_is_overlooked() -> None:
    modules = GoModules(TREE)
    assert "text" in modules.words("go-text/text.go")
    assert modules.may_import("root.go", b'import "example.com/shop/v2/go-text"', "go-text/text.go")
    assert modules.may_import("root.go", b"import `example.com/one/api`", "staging/one/api/api.go")
    assert not modules.may_import("root.go", b'import "example.com/shop/v2/go-text/more"', "go-text/text.go")
    assert modules.may_import("root.go", b'import "example.com/shop/v2"', "root.go")


def test_a_tree_without_modules_cannot_import_itself() -> None:
    modules = GoModules(Tree({"a/b/b.go": "package b\n", "main.go": "package main\n"}))
    assert modules.resolve("main.go", "github.com/me/it/a/b").paths == ("a/b/b.go",)
    assert modules.may_import("main.go", b'import "github.com/me/it/a/b"', "a/b/b.go")
    assert modules.resolve("main.go", "b").external


@pytest.mark.parametrize(
    ("source", "name", "method", "may"),
    [
        ("func F() {}", "F", False, True),
        ("func (t *T) F() {}", "F", True, True),
        ("func (t *T) F() {}", "F", False, False),
        ("func F() {}", "F", True, False),
        ("type F struct{}", "F", False, True),
        ("var (\n\tG = 1\n\tF = 2\n)", "F", False, True),
        ("const G, F = 1, 2", "F", False, True),
        ("var G,\n\tF int", "F", False, True),
        ("var /* one */ F int", "F", False, True),
        ("func G() { F() }", "F", False, False),
        ("func G() { x.F = 1 }", "F", False, False),
        ("func Foo() {}", "F", False, False),
    ],
)
def test_a_file_that_declares_a_name_is_left_unread(source: str, name: str, method: bool, may: bool) -> None:
    modules = GoModules(Tree({"a.go": f"package a\n\n{source}\n"}))
    assert modules.may_declare("a.go", name, method=method) is may


@pytest.mark.parametrize(
    ("one", "other", "possible"),
    [
        ("a.go", "a_windows.go", True),
        ("a_linux.go", "b_windows.go", False),
        ("a_linux.go", "b_linux_amd64.go", True),
        ("a_linux_arm64.go", "b_amd64.go", False),
        ("a_linux_test.go", "b_windows_test.go", False),
        ("linux.go", "windows.go", True),
        ("a_linux.go", "go:build !windows", True),
        ("a_linux.go", "go:build !linux", False),
        ("a_linux.go", "go:build unix", True),
        ("a_windows.go", "go:build unix", False),
        ("a_android.go", "go:build linux", True),
        ("go:build integration", "go:build !integration", False),
        ("go:build integration", "go:build go1.21", True),
        ("go:build linux && (amd64 || arm64)", "go:build !amd64 && !arm64", False),
        ("+build linux,!cgo darwin", "go:build windows", False),
        ("+build linux,!cgo darwin", "go:build darwin", True),
    ],
)
def test_two_files_are_or_are_not_compiled_together(one: str, other: str, possible: bool) -> None:
    def read(written: str) -> tuple[str, ...]:
        if written.endswith(".go"):
            return constraints_of(f"x/{written}", b"package a\n")
        mark = "//" if written.startswith("go:") else "// "
        return constraints_of("x/a.go", f"{mark}{written}\n\npackage a\n".encode())

    assert together(read(one), read(other)) is possible
    assert together(read(other), read(one)) is possible

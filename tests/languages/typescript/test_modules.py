"""What an import specifier means."""

from __future__ import annotations

import json

import pytest

from graph.languages.typescript import TYPESCRIPT
from tests.languages.typescript.reading import FakeTree

TS = "export {}"


def resolve(files: dict[str, str], path: str, module: str) -> str | None:
    """The path that a specifier means; None for not found, "external" for outside."""
    found = TYPESCRIPT.modules(FakeTree({path: TS, **files})).resolve(path, module)
    if found.external:
        return "external"
    return found.paths[0] if found.paths else None


RELATIVE = [
    ({"src/b.ts": TS}, "./b", "src/b.ts"),
    ({"src/b.ts": TS, "src/b.js": TS}, "./b.js", "src/b.ts"),
    ({"src/b.tsx": TS}, "./b.jsx", "src/b.tsx"),
    ({"src/b.mts": TS}, "./b.mjs", "src/b.mts"),
    ({"src/b.d.ts": TS, "src/b.js": TS}, "./b", "src/b.d.ts"),
    ({"src/b/index.ts": TS}, "./b", "src/b/index.ts"),
    ({"src/b/index.ts": TS}, "./b.js", None),
    ({"src/b.ts": TS, "src/b/index.ts": TS}, "./b/", "src/b/index.ts"),
    ({"src/index.ts": TS}, ".", "src/index.ts"),
    ({"src/index.ts": TS}, "./", "src/index.ts"),
    ({"index.ts": TS}, "..", "index.ts"),
    ({"src/b.ts": TS}, "./b?worker", "src/b.ts"),
    ({"src/b.service.ts": TS}, "./b.service", "src/b.service.ts"),
    ({"src/B.ts": TS}, "./b", None),
    ({"src/logo.svg": "x"}, "./logo.svg", None),
    ({}, "../../../etc/passwd", None),
    ({"src/b/package.json": '{"main": "./lib/x.js"}', "src/b/lib/x.js": TS}, "./b", "src/b/lib/x.js"),
    ({"src/b.ts": TS}, "/src/b", None),
]


@pytest.mark.parametrize(("files", "module", "wanted"), RELATIVE)
def test_a_relative_specifier_finds_another_file(files: dict[str, str], module: str, wanted: str | None) -> None:
    assert resolve(files, "src/a.ts", module) == wanted


CONFIG = """\ufeff{
  // comments and trailing commas are allowed
  "compilerOptions": { "baseUrl": "./src", "paths": { "@s/*": ["services/*",], "one": ["x/one"], }, },
}"""


@pytest.mark.parametrize(
    ("module", "wanted"),
    [
        ("@s/mail", "src/services/mail.ts"),
        ("one", "src/x/one.ts"),
        ("services/mail", "src/services/mail.ts"),
        ("react", "external"),
        ("node:fs", "external"),
        ("~/x", None),
    ],
)
def test_aliases_are_relative_to_base_url(module: str, wanted: str | None) -> None:
    files = {"tsconfig.json": CONFIG, "src/services/mail.ts": TS, "src/x/one.ts": TS, "services/mail.ts": TS}
    assert resolve(files, "src/app/a.ts", module) == wanted


def test_the_nearest_configuration_counts_with_what_it_extends() -> None:
    files = {
        "tsconfig.json": '{"compilerOptions": {"paths": {"@x": ["./wrong.ts"]}}}',
        "wrong.ts": TS,
        "cfg/base.json": '{"compilerOptions": {"paths": {"@x": ["./right.ts"]}}}',
        "cfg/right.ts": TS,
        "pkg/tsconfig.json": '{"extends": ["../cfg/base"]}',
    }
    assert resolve(files, "pkg/a.ts", "@x") == "cfg/right.ts"


def test_configurations_that_extend_each_other_end() -> None:
    files = {"tsconfig.json": '{"extends": "./other"}', "other.json": '{"extends": "./tsconfig.json"}'}
    assert resolve(files, "a.ts", "x") == "external"


def test_a_solution_gives_the_paths_of_its_references() -> None:
    files = {
        "tsconfig.json": '{"references": [{"path": "./tsconfig.app.json"}]}',
        "tsconfig.app.json": '{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}',
        "src/b.ts": TS,
    }
    assert resolve(files, "src/a.ts", "@/b") == "src/b.ts"


def test_a_generated_configuration_has_its_well_known_aliases() -> None:
    files = {"tsconfig.json": '{"extends": "./.svelte-kit/tsconfig.json"}', "src/lib/b.ts": TS}
    assert resolve(files, "src/routes/a.ts", "$lib/b") == "src/lib/b.ts"
    files = {"tsconfig.json": '{"extends": "./.nuxt/tsconfig.json"}', "utils/b.ts": TS}
    assert resolve(files, "pages/a.ts", "~/utils/b") == "utils/b.ts"


def package(**manifest: object) -> str:
    return json.dumps({"name": "@org/lib", **manifest})


PACKAGES = [
    (package(main="dist/index.js"), {"packages/lib/src/index.ts": TS}, "@org/lib", "packages/lib/src/index.ts"),
    (package(), {"packages/lib/index.ts": TS}, "@org/lib", "packages/lib/index.ts"),
    (
        package(exports={".": {"import": "./dist/esm/index.mjs", "types": "./dist/types/index.d.ts"}}),
        {"packages/lib/src/index.ts": TS},
        "@org/lib",
        "packages/lib/src/index.ts",
    ),
    (
        package(exports={"./*": "./src/*.ts"}),
        {"packages/lib/src/a/b.ts": TS},
        "@org/lib/a/b",
        "packages/lib/src/a/b.ts",
    ),
    (package(exports={"./x": ["./none.js", "./y.js"]}), {"packages/lib/y.ts": TS}, "@org/lib/x", "packages/lib/y.ts"),
    (package(), {"packages/lib/deep/x.ts": TS}, "@org/lib/deep/x", "packages/lib/deep/x.ts"),
    (package(), {"packages/lib/src/x.ts": TS}, "@org/lib/x", "packages/lib/src/x.ts"),
    (package(main="../../outside.js"), {"outside.js": TS}, "@org/none", "external"),
]


@pytest.mark.parametrize(("manifest", "files", "module", "wanted"), PACKAGES)
def test_a_package_of_the_repository_is_found_by_name(
    manifest: str, files: dict[str, str], module: str, wanted: str | None
) -> None:
    assert resolve({"packages/lib/package.json": manifest, **files}, "apps/web/a.ts", module) == wanted


def test_a_package_reaches_its_own_internals() -> None:
    files = {
        "package.json": '{"name": "me", "imports": {"#db/*": "./src/db/*.js"}, "exports": {".": "./src/main.ts"}}',
        "src/db/pool.ts": TS,
        "src/main.ts": TS,
    }
    assert resolve(files, "src/a.ts", "#db/pool") == "src/db/pool.ts"
    assert resolve(files, "src/a.ts", "me") == "src/main.ts"


@pytest.mark.parametrize("manifest", ["", "[]", "{", '{"name": 3}', '{"exports": {"a": {"b": 1}}}', "\x00"])
def test_a_broken_manifest_breaks_nothing(manifest: str) -> None:
    assert resolve({"package.json": manifest, "tsconfig.json": manifest}, "a.ts", "x") == "external"


@pytest.mark.parametrize(
    ("path", "importer", "module"),
    [
        ("src/util/dates.ts", "src/a.ts", "./util/dates"),
        ("src/util/index.ts", "src/a.ts", "./util"),
        ("src/util/index.ts", "src/util/b.ts", "."),
        ("src/util/index.ts", "src/util/deep/b.ts", "../"),
        ("src/util/index.ts", "src/a.ts", "@util"),
        ("packages/lib/src/main.ts", "src/a.ts", "@org/lib"),
        ("packages/lib/src/main.ts", "src/a.ts", "@org/lib/extra"),
    ],
)
def test_an_importer_is_not_found_by_its_words(path: str, importer: str, module: str) -> None:
    files = {
        path: TS,
        importer: f"import x from '{module}'",
        "tsconfig.json": '{"compilerOptions": {"paths": {"@util": ["./src/util/index.ts"]}}}',
        "packages/lib/package.json": package(exports={".": "./src/main.ts", "./extra": "./src/main.ts"}),
    }
    modules = TYPESCRIPT.modules(FakeTree(files))
    assert modules.resolve(importer, module).paths == (path,)
    text = files[importer]
    assert any(word in text for word in modules.words(path)) or importer in modules.dotted_importers(path)
    assert modules.may_import(importer, text.encode(), path)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (b"import { User } from './entity/User'\n", True),
        (b"const u = require('./entity/User.js')\n", True),
        (b"import { User } from '@app/entity/User'\n", True),
        (b"import { User } from '../entity/User'\n", False),
        (b"import { User } from './other/User'\n", False),
    ],
)
def test_a_file_is_opened_whose_relative_import_leads_elsewhere(source: bytes, expected: bool) -> None:
    files = {"a/use.ts": "", "a/entity/User.ts": "", "entity/User.ts": "", "b/entity/User.ts": ""}
    modules = TYPESCRIPT.modules(FakeTree(files))
    assert modules.may_import("a/use.ts", source, "a/entity/User.ts") is expected

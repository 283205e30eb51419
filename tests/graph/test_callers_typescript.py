"""Callers in TypeScript and JavaScript: what a name stands for after imports, barrels, aliases and packages."""

from __future__ import annotations

import pytest

from tests.graph.stories import Repo

# ------------------------------------------------------------------------------------- re-exported under another name


def test_callers_by_the_name_that_a_barrel_gives_are_lost(repo: Repo) -> None:
    repo.commit(
        {
            "src/money/round.ts": "export function roundCents(cents: number): number {\n  return cents;\n}\n",
            "src/money/index.ts": "export { roundCents as tidy } from './round';\n",
            "src/cart.ts": """
                import { tidy } from './money';

                export const sum = (xs: number[]): number => xs.reduce((a, x) => a + tidy(x), 0); // CALLER
                """,
            "src/invoice.ts": """
                import * as money from './money';
                import { tidy as neat } from './money/index';

                export function lines(cents: number): string {
                  return [
                    money.tidy(cents), // CALLER
                    neat(cents), // CALLER
                  ].join('/');
                }
                """,
            "src/old/print.ts": """
                function roundCents(cents: number): number {
                  return cents;
                }

                export const print = (cents: number): number => roundCents(cents);
                """,
            "src/old/tidy.ts": """
                export const tidy = (text: string): string => text.trim();
                export const twice = (text: string): string => tidy(tidy(text));
                """,
        }
    ).commit(
        {
            "src/money/round.ts": (
                "export function roundCents(cents: number, to: number): number {\n  return Math.round(cents / to);\n}\n"
            )
        }
    )
    brief = repo.brief()
    assert brief.callers("roundCents") == repo.marked()
    assert brief.symbol("roundCents").compatible is False
    assert set(brief.fits("roundCents").values()) == {False}


def test_a_name_renamed_by_two_barrels_in_a_row_is_lost(repo: Repo) -> None:
    repo.commit(
        {
            "lib/core/parse.ts": "export function parseRule(text: string) { return text; } // TARGET\n",
            "lib/core/index.ts": "export { parseRule as parse } from './parse';\n",
            "lib/index.ts": "export { parse as readRule } from './core';\n",
            "app/use.ts": "import { readRule } from '../lib';\n\nreadRule('a'); // CALLER\n",
            "app/other.ts": "import { parse } from '../lib/core';\n\nparse('a'); // CALLER\n",
            "app/json.ts": "export const parse = JSON.parse;\nparse('{}');\n",
        }
    )
    assert repo.callers() == repo.marked()


def test_an_export_list_that_renames_is_not_followed(repo: Repo) -> None:
    repo.commit(
        {
            "store.ts": """
                function openStore(name: string) { return name; } // TARGET
                const local = () => openStore('x'); // CALLER
                export { openStore as connect, local };
                """,
            "a.ts": "import { connect } from './store';\nconnect('a'); // CALLER\n",
            "b.ts": "import { connect } from 'net';\nconnect('b');\n",
        }
    )
    assert repo.callers() == repo.marked()


def test_a_barrel_that_imports_first_and_exports_later_is_not_followed(repo: Repo) -> None:
    repo.commit(
        {
            "shapes/area.ts": "export function areaOf(side: number) { return side * side; } // TARGET\n",
            "shapes/index.ts": """
                import { areaOf } from './area';
                export { areaOf as measure };
                export default areaOf; // MAYBE:not
                """,
            "draw.ts": """
                import size, { measure } from './shapes';
                measure(2); // CALLER
                size(3); // CALLER
                """,
        }
    )
    found = [each for each in repo.callers() if not each.startswith("shapes/index.ts")]
    assert found == repo.marked()


def test_a_namespace_export_hides_its_members(repo: Repo) -> None:
    repo.commit(
        {
            "net/retry.ts": "export function retryTwice(f: () => void) { f(); f(); } // TARGET\n",
            "net/index.ts": "export * as retry from './retry';\nexport * from './other';\n",
            "net/other.ts": "export const other = 1;\n",
            "job.ts": "import { retry } from './net';\nretry.retryTwice(() => {}); // CALLER\n",
            "all.ts": "import * as net from './net';\nnet.retry.retryTwice(() => {}); // CALLER\n",
        }
    )
    assert repo.callers() == repo.marked()


def test_a_star_barrel_passes_the_wrong_file_on(repo: Repo) -> None:
    repo.commit(
        {
            "ui/list.ts": "export function paint(x: number) { return x; } // TARGET\n",
            "ui/grid.ts": "export function paint(x: number) { return -x; }\n",
            "ui/index.ts": "export * from './list';\n",
            "ui/index2.ts": "export * from './grid';\n",
            "a.ts": "import { paint } from './ui';\npaint(1); // CALLER\n",
            "b.ts": "import { paint } from './ui/index2';\npaint(1);\n",
        }
    )
    assert repo.callers() == repo.marked()


def test_a_barrels_own_export_does_not_win_over_its_star(repo: Repo) -> None:
    repo.commit(
        {
            "kit/base.ts": "export function scan(x: number) { return x; } // TARGET\n",
            "kit/index.ts": "export * from './base';\nexport function scan(x: number) { return -x; }\n",
            "a.ts": "import { scan } from './kit';\nscan(1);\n",
            "b.ts": "import { scan } from './kit/base';\nscan(1); // CALLER\n",
        }
    )
    assert repo.callers() == repo.marked()


# ------------------------------------------------------------------------------------ default exports and dot imports


def test_a_default_export_behind_a_barrel_and_a_dot_import_has_no_callers(repo: Repo) -> None:
    repo.commit(
        {
            "web/dials/needle.ts": "export default function needle(at: number): string {\n  return `^${at}`;\n}\n",
            "web/dials/index.ts": "export { default as Needle } from './needle';\nexport { bar } from './bar';\n",
            "web/dials/bar.ts": (
                "import { Needle } from '.';\n\nexport const bar = (n: number) => Needle(n); // CALLER\n"
            ),
            "web/dials/slim.ts": "import { Needle } from './';\nexport const slim = () => Needle(1); // CALLER\n",
            "web/dials/deep/far.ts": "import { Needle } from '..';\nexport const far = () => Needle(2); // CALLER\n",
            "web/main.ts": """
                import { Needle as N } from './dials/index.js';
                import plain from './maps/needle';
                import own from './dials/needle';

                export const page = (): string =>
                  N(7) + // CALLER
                  plain(8) +
                  own(9); // CALLER
                """,
            "web/maps/needle.ts": "export default function needle(at: number): string {\n  return `map ${at}`;\n}\n",
        }
    ).commit({"web/dials/needle.ts": "export default function needle(at: number): string {\n  return `!${at}`;\n}\n"})
    brief = repo.brief()
    assert brief.changes() == {"needle": "body"}
    assert brief.callers("needle") == repo.marked()


@pytest.mark.parametrize(
    "declaration",
    [
        "export default (n: number) => n; // TARGET",
        "export default function (n: number) { return n; } // TARGET",
        "const tick = (n: number) => n; // TARGET\nexport default tick;",
        "function tick(n: number) { return n; } // TARGET\nexport { tick as default };",
        "export default class Tick {} // TARGET",
    ],
)
def test_a_default_export_of_this_form_has_no_callers(repo: Repo, declaration: str) -> None:
    make = "new anything()" if "class" in declaration else "anything(1)"
    repo.commit(
        {
            "clock/tick.ts": declaration + "\n",
            "a.ts": f"import anything from './clock/tick';\n{make}; // CALLER\n",
            "b.ts": f"import {{ default as anything }} from './clock/tick';\n{make}; // CALLER\n",
            "c.ts": f"import anything from './clock/tock';\n{make};\n",
            "clock/tock.ts": "export default (n: number) => n;\n",
        }
    )
    found = [each for each in repo.callers() if not each.startswith("clock/tick.ts")]
    assert found == repo.marked()


def test_a_default_import_beside_named_ones_is_lost(repo: Repo) -> None:
    repo.commit(
        {
            "http.ts": """
                export const codes = { ok: 200 };
                export default function request(url: string) { return url; } // TARGET
                """,
            "a.ts": "import go, { codes } from './http';\ngo(String(codes.ok)); // CALLER\n",
            "b.ts": "import * as http from './http';\nhttp.default('b'); // CALLER\n",
            "c.ts": (
                "async function late() {\n  const { default: go } = await import('./http');\n  go('c'); // CALLER\n}\n"
            ),
        }
    )
    assert repo.callers() == repo.marked()


# ----------------------------------------------------------------------------------------------- tsconfig and packages


def test_a_path_alias_is_taken_from_the_folder_of_the_tsconfig(repo: Repo) -> None:
    config = """
        {
          // baseUrl is a folder below
          "compilerOptions": {
            "baseUrl": "./code", /* tsc takes comments */
            "paths": { "~/*": ["lib/*"], },
          },
        }
        """
    repo.commit(
        {
            "tsconfig.json": config,
            "code/lib/post.ts": "export function deliver(to: string): boolean {\n  return to !== '';\n}\n",
            "lib/post.ts": "export function deliver(to: string): string {\n  return to;\n}\n",
            "code/shop/order.ts": "import { deliver } from '~/post';\n\ndeliver('a'); // CALLER\n",
            "code/shop/user.ts": "import { deliver } from 'lib/post';\n\ndeliver('b'); // CALLER\n",
            "tools/run.ts": "import { deliver } from '../lib/post';\n\ndeliver('c');\n",
        }
    ).commit(
        {"code/lib/post.ts": "export function deliver(to: string, from: string): boolean {\n  return to !== from;\n}\n"}
    )
    brief = repo.brief()
    assert brief.callers("deliver") == repo.marked()
    assert brief.eyes()[:2] == ["misfit code/shop/order.ts:3", "misfit code/shop/user.ts:3"]


def test_a_base_url_in_an_extended_tsconfig_is_not_seen(repo: Repo) -> None:
    repo.commit(
        {
            "tsconfig.base.json": '{ "compilerOptions": { "baseUrl": ".", "paths": { "@k/*": ["packages/kit/*"] } } }',
            "apps/web/tsconfig.json": '{ "extends": "../../tsconfig.base.json" }',
            "packages/kit/slug.ts": "export const slugOf = (s: string) => s.trim(); // TARGET\n",
            "apps/web/src/page.ts": "import { slugOf } from '@k/slug';\nslugOf('x'); // CALLER\n",
            "apps/old/page.ts": "import { slugOf } from '@k/slug';\nexport const f = slugOf;\n",
        }
    )
    assert "apps/web/src/page.ts:2" in repo.callers()


def test_the_nearest_tsconfig_does_not_decide(repo: Repo) -> None:
    repo.commit(
        {
            "tsconfig.json": '{ "compilerOptions": { "paths": { "@/*": ["./src/*"] } } }',
            "src/time.ts": "export function nowIso() { return ''; } // TARGET\n",
            "src/log.ts": "import { nowIso } from '@/time';\nnowIso(); // CALLER\n",
            "admin/tsconfig.json": '{ "compilerOptions": { "paths": { "@/*": ["./src/*"] } } }',
            "admin/src/time.ts": "export function nowIso() { return 'admin'; }\n",
            "admin/src/log.ts": "import { nowIso } from '@/time';\nnowIso();\n",
        }
    )
    assert repo.callers() == repo.marked()


def test_a_workspace_package_is_taken_for_an_external_one(repo: Repo) -> None:
    repo.commit(
        {
            "package.json": '{ "private": true, "workspaces": ["packages/*"] }',
            "packages/core/package.json": """
                { "name": "@acme/core",
                  "main": "./src/index.ts",
                  "exports": { ".": "./src/index.ts", "./deep": "./src/deep.ts" } }
                """,
            "packages/core/src/index.ts": "export * from './plan';\n",
            "packages/core/src/plan.ts": "export function planOf(x: number) { return x; } // TARGET\n",
            "packages/core/src/deep.ts": "export { planOf as deepPlan } from './plan';\n",
            "packages/web/package.json": '{ "name": "@acme/web" }',
            "packages/web/src/a.ts": "import { planOf } from '@acme/core';\nplanOf(1); // CALLER\n",
            "packages/web/src/b.ts": "import { deepPlan } from '@acme/core/deep';\ndeepPlan(1); // CALLER\n",
            "packages/web/src/c.ts": "import { planOf } from '@other/core';\nplanOf(1);\n",
        }
    )
    assert repo.callers() == repo.marked()


def test_a_js_specifier_of_a_ts_file_finds_nothing(repo: Repo) -> None:
    repo.commit(
        {
            "src/hash.ts": "export function hashOf(s: string) { return s; } // TARGET\n",
            "src/a.ts": "import { hashOf } from './hash.js';\nhashOf('a'); // CALLER\n",
            "src/b.mts": "import { hashOf } from './hash.js';\nhashOf('b'); // CALLER\n",
            "src/c.tsx": "import { hashOf } from './hash';\nexport const C = () => <i>{hashOf('c')}</i>; // CALLER\n",
            "src/d.ts": "import { hashOf } from './hash.json';\nhashOf('d');\n",
        }
    )
    found = [each for each in repo.callers() if not each.startswith("src/d.ts")]
    assert found == repo.marked()
    assert "src/d.ts:2" not in repo.callers()


# -------------------------------------------------------------------------------------- methods with everybody's name


def test_maps_and_other_builtins_are_counted_as_callers_of_a_get_method(repo: Repo) -> None:
    repo.commit(
        {
            "src/settings.ts": """
                export class Settings {
                  private known = new Map<string, string>();

                  get(key: string): string | undefined {
                    return this.known.get(key);
                  }
                }
                """,
            "src/bag.ts": "const bag = { counts: new Map<string, number>() };\nexport const n = bag.counts.get('n');\n",
            "src/url.ts": "export const page = (url: URL) => url.searchParams.get('page');\n",
            "src/form.ts": "export const field = (form: FormData) => form.get('field');\n",
            "src/set.ts": "const weak = new WeakMap<object, string>();\nexport const w = weak.get({});\n",
            "src/unknown.ts": "export const guess = (box: any) => box.get('x');\n",
            "src/use.ts": """
                import { Settings } from './settings';

                const shared = new Settings();
                let late: Settings | undefined;

                export function read(given: Settings, all: Settings[], byName: Map<string, Settings>) {
                  given.get('a'); // CALLER
                  shared.get('b'); // CALLER
                  late?.get('c'); // CALLER
                  all[0].get('d'); // CALLER
                  byName.get('e')!
                    .get('f'); // CALLER
                  return all.map((each) => each.get('g')); // CALLER
                }
                """,
        }
    ).commit(
        {
            "src/settings.ts": """
                export class Settings {
                  private known = new Map<string, string>();

                  get(key: string, otherwise: string): string | undefined {
                    return this.known.get(key) ?? otherwise;
                  }
                }
                """
        }
    )
    brief = repo.brief()
    assert brief.callers("Settings.get") == repo.marked()
    assert brief.symbol("Settings.get").not_followed.noise == 0  # no file with an untyped `.get` names the class


def test_a_common_name_on_an_untyped_receiver_is_listed(repo: Repo) -> None:
    repo.commit(
        {
            "src/settings.ts": "export class Settings {\n  get(key: string) { return key; } // TARGET\n}\n",
            "src/a.ts": (
                "import { Settings } from './settings';\n\nexport const f = (s: Settings, box: any) => box.get('x');\n"
            ),
        }
    )
    assert repo.callers() == []


def test_a_rare_method_name_on_an_untyped_receiver_is_not_even_a_maybe(repo: Repo) -> None:
    repo.commit(
        {
            "src/ledger.ts": "export class Ledger {\n  rebalance(by: number) { return by; } // TARGET\n}\n",
            "src/a.ts": "export const f = (box: any) => box.rebalance(1); // MAYBE\n",
            "src/b.ts": "import { Ledger } from './ledger';\nnew Ledger().rebalance(1); // CALLER\n",
        }
    )
    assert repo.callers() == repo.marked()


def test_another_class_with_a_method_of_that_name_is_confused_with_it(repo: Repo) -> None:
    repo.commit(
        {
            "src/queue.ts": "export class Queue {\n  drainAll() { return 1; } // TARGET\n}\n",
            "src/pool.ts": "export class Pool {\n  drainAll() { return 2; }\n}\n",
            "src/a.ts": """
                import { Pool } from './pool';
                import { Queue } from './queue';

                export function both(pool: Pool, queue: Queue) {
                  pool.drainAll();
                  queue.drainAll(); // CALLER
                }
                """,
        }
    )
    assert repo.callers() == repo.marked()


@pytest.mark.parametrize(
    ("path", "exported", "use"),
    [
        ("a.ts", "export default areaOf;", "import areaOf from './a';\nareaOf(1); // CALLER\n"),
        ("a.ts", "export default areaOf as Measure;", "import areaOf from './a';\nareaOf(1); // CALLER\n"),
        ("a.ts", "export = areaOf;", "import areaOf = require('./a');\nareaOf(1); // CALLER\n"),
        ("a.js", "module.exports = areaOf;", "const areaOf = require('./a');\nareaOf(1); // CALLER\n"),
        ("a.js", "exports.size = areaOf;", "require('./a').size(1); // CALLER\n"),
        ("a.js", "module.exports = { areaOf };", "require('./a').areaOf(1); // CALLER\n"),
        ("a.ts", "export default areaOf(1); // CALLER", "import area from './a';\narea.x;\n"),
    ],
)
def test_a_file_that_exports_its_own_function_calls_it(repo: Repo, path: str, exported: str, use: str) -> None:
    repo.commit({path: f"function areaOf(side) {{ return side; }} // TARGET\n{exported}\n", "use.ts": use})
    assert repo.callers() == repo.marked()

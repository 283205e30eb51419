"""Names that a file neither declares nor imports: whose they may be."""

from __future__ import annotations

import pytest

from tests.graph.stories import Repo


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("core.mjs", "import fs from 'fs';\nconst fetchAll = () => fs; // TARGET\nfetchAll; // CALLER\n"),
        ("core.ts", "export const other = 1;\nfunction fetchAll() {} // TARGET\n"),
        ("core.ts", "export function fetchAll() {} // TARGET\n"),
        ("core.ts", "export interface fetchAll { id: number } // TARGET\n"),
        ("core.cjs", "const fs = require('fs');\nfunction fetchAll() {} // TARGET\n"),
        ("core.cjs", "function fetchAll() {} // TARGET\nexports.load = 1;\n"),
        ("core.js", "function run() {\n  const fetchAll = () => 1; // TARGET\n  return fetchAll(); // CALLER\n}\n"),
        ("core.js", "(function () {\n  function fetchAll() {} // TARGET\n})();\n"),
        ("core.d.ts", "declare module 'core' {\n  function fetchAll(): void; // TARGET\n}\n"),
    ],
)
def test_a_bare_name_reaches_what_a_module_or_a_function_keeps_to_itself(repo: Repo, path: str, text: str) -> None:
    repo.commit({path: text, "page.js": "fetchAll(1);\n", "Types.ts": "let all: fetchAll;\n"})
    assert repo.callers() == repo.marked()


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("core.js", "function fetchAll() {} // TARGET\n"),
        ("core.js", "function fetchAll() { return import('./x'); } // TARGET\n"),
        ("core.d.ts", "declare function fetchAll(): void; // TARGET\n"),
        ("core.ts", "export {};\ndeclare global {\n  function fetchAll(): void; // TARGET\n}\n"),
        ("core.ts", "export function fetchAll() {} // TARGET\nwindow.fetchAll = fetchAll; // CALLER\n"),
        (
            "core.js",
            "(() => {\n  function fetchAll() {} // TARGET\n  globalThis.fetchAll = fetchAll; // CALLER\n})();\n",
        ),
        ("core.js", "var all = 1;\nfunction squash() {} // TARGET\nvar fetchAll = squash; // CALLER\n"),
    ],
)
def test_a_global_is_not_reached_by_its_bare_name(repo: Repo, path: str, text: str) -> None:
    repo.commit({path: text, "page.js": "fetchAll(1); // MAYBE\n"})
    assert repo.callers() == repo.marked()


def test_a_template_string_uses_what_another_file_exports_under_that_name(repo: Repo) -> None:
    repo.commit(
        {
            "parser.js": "const parsed = make(1); // TARGET\nexport { parsed as markdown };\n",
            "fixture.js": "markdown`# hi`;\n",
            "use.js": "import { markdown } from './parser';\nmarkdown('a'); // CALLER\n",
            "aliased.js": "import { markdown } from '~/parser';\nmarkdown('a'); // MAYBE\n",
        }
    )
    assert repo.callers() == repo.marked()


def test_an_import_that_leads_nowhere_reaches_nobody_or_what_is_not_exported(repo: Repo) -> None:
    use = "import { fetchAll, fetchOne } from '~/core';\nfetchAll(1); // MAYBE\nfetchOne(1);\n"
    repo.commit(
        {
            "core.ts": "export function fetchAll() {} // TARGET\nfunction fetchOne() {} // TARGET:one\n",
            "use.ts": use,
        }
    )
    assert repo.callers() == repo.marked()
    assert repo.callers("one") == []


def test_what_a_tool_imports_by_itself_has_no_callers(repo: Repo) -> None:
    repo.commit(
        {
            "auto.d.ts": """
                export {};
                declare global {
                  const useCart: typeof import('./cart')['useCart'];
                }
                """,
            "cart.ts": (
                "export const useCart = () => useInner(); // TARGET\nexport const useInner = () => 1; // TARGET:inner\n"
            ),
            "page.vue": "<script setup>\nconst cart = useCart(); // MAYBE\nuseInner();\n</script>\n",
        }
    )
    assert repo.callers() == repo.marked()
    assert repo.callers("inner") == ["cart.ts:1"]


def test_what_adds_to_a_module_does_not_see_its_names(repo: Repo) -> None:
    repo.commit(
        {
            "shop/cart.ts": "export interface CartItem { id: number } // TARGET\ninterface Inner {} // TARGET:inner\n",
            "more.d.ts": """
                declare module '@shop/cart' {
                  export interface Cart {
                    items: CartItem[]; // TYPE
                    inner: Inner;
                  }
                }
                """,
        }
    )
    assert repo.callers() == repo.marked()
    assert repo.callers("inner") == []


def test_a_component_that_is_registered_somewhere_has_no_users_in_templates(repo: Repo) -> None:
    repo.commit(
        {
            "button.ts": "export const BigButton = defineComponent({}); // TARGET\nexport const fetchAll = 1;\n",
            "App.vue": (
                "<template>\n  <BigButton /> // MAYBE\n  <big-button /> // MAYBE\n  {{ fetchAll }}\n</template>\n"
            ),
            "Dashed.vue": "<template>\n  <big-button />\n</template>\n",
        }
    )
    assert repo.callers() == repo.marked()


def test_a_template_does_not_reach_what_a_function_of_its_own_script_gives_back(repo: Repo) -> None:
    repo.commit(
        {
            "App.vue": """
                <template>
                  <button @click="fetchAll(1)"></button> // MAYBE
                </template>
                <script>
                export default {
                  setup() {
                    const fetchAll = () => 1; // TARGET
                    return { fetchAll }; // CALLER
                  },
                };
                </script>
                """,
            "Other.vue": '<template><button @click="fetchAll(1)"></button></template>\n',
        }
    )
    assert repo.callers() == repo.marked()


def test_a_bare_name_reaches_a_local_function_of_another_module(repo: Repo) -> None:
    repo.commit(
        {
            "core.py": """
                def run():
                    def fetch_all():  # TARGET
                        return 1

                    return fetch_all()  # CALLER
                """,
            "template.py": "fetch_all()\n",
        }
    )
    assert repo.callers() == repo.marked()


BUILD = "import { createRequire } from 'module';\nconst require = createRequire(1);\nexport default 1;\n"


def test_removed_code_is_still_used_by_whoever_writes_a_name_that_it_exported(repo: Repo) -> None:
    repo.commit(
        {
            "parser.js": "const parsed = make(1);\nexport { parsed as markdown };\n",
            "fixture.js": "markdown`# hi`;\n",
            "legacy.cjs": "const fs = require('fs');\n",
            "build.mjs": BUILD,
        }
    ).commit(
        {
            "parser.js": None,
            "build.mjs": BUILD.replace("(1)", "(2)"),
        }
    )
    brief = repo.brief()
    assert brief.callers("parsed") == []
    assert brief.callers("require") == []

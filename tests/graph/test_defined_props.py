"""What `<script setup>` defines as a component's properties, and who renders the component with others."""

from __future__ import annotations

import pytest

from graph.render import to_markdown
from tests.graph.stories import Repo

FILE = '<template>\n  <p />\n</template>\n<script setup lang="ts">\nconst props = {}\n</script>\n'


def _file(defined: str) -> str:
    return FILE.replace("{}", defined)


def _user(tag: str, name: str = "OrderList", script: str = "") -> str:
    imported = f'import {name} from "./OrderList.vue"'
    return f'<template>\n  {tag}\n</template>\n<script setup lang="ts">\n{imported}\n{script}</script>\n'


REQUIRED = "passes no b, which is required"
GONE = "passes old, which it does not take"


@pytest.mark.parametrize(
    ("before", "after", "tag", "misfit"),
    [
        ("defineProps<{ a: string }>()", "defineProps<{ a: string; b: string }>()", '<OrderList a="1" />', REQUIRED),
        ("defineProps<{ a: string }>()", "defineProps<{ a: string; b: string }>()", '<order-list a="1" />', REQUIRED),
        (
            "withDefaults(defineProps<{ a?: string }>(), { a: '' })",
            "withDefaults(defineProps<{ a?: string; b: string }>(), { a: '' })",
            '<OrderList :a="x" class="wide" @click="go" v-if="x">text</OrderList>',
            REQUIRED,
        ),
        ("defineProps<{ a: string }>()", "defineProps<{ a: string; b?: string }>()", '<OrderList a="1" />', None),
        (
            "defineProps<{ a: A; old?: B }>()",
            "defineProps<{ a: A }>()",
            '<OrderList a="1" old="2" id="3" data-x />',
            GONE,
        ),
        ("defineProps<{ a: A; old?: B }>()", "defineProps<{ a: A }>()", '<OrderList a="1" id="3" />', None),
        (
            "defineProps({ a: String, old: Number })",
            "defineProps({ a: String, b: { type: Number, required: true } })",
            '<OrderList a="1" />',
            REQUIRED,
        ),
        ("defineProps({ a: String, old: Number })", "defineProps({ a: String })", '<OrderList :old="1" />', GONE),
        ("defineProps(['a', 'old'])", "defineProps(['a'])", '<OrderList v-bind:old="1" />', GONE),
        (
            "defineProps(['a', 'isOld'])",
            "defineProps(['a'])",
            "<OrderList is-old />",
            "passes isOld, which it does not take",
        ),
        # what nothing tells
        ("defineProps<{ a: A }>()", "defineProps<{ a: A; b: B }>()", '<OrderList v-bind="all" />', None),
        ("defineProps<{ a: A }>()", "defineProps<{ a: A; b: B }>()", '<OrderList a="1" :[name]="1" />', None),
        ("defineProps<{ a: A }>()", "defineProps<{ a: A; b: B }>()", '<OrderList a="1" v-model:b="x" />', None),
        ("defineProps<{ a: A }>()", "defineProps<{ a: A; modelValue: B }>()", '<OrderList a="1" v-model="x" />', None),
        ("defineProps(options)", "defineProps({ b: { type: String, required: true } })", "<OrderList />", None),
    ],
)
def test_an_element_that_no_longer_has_what_its_component_asks_for_is_said_to_fit(
    repo: Repo, before: str, after: str, tag: str, misfit: str | None
) -> None:
    repo.commit({"OrderList.vue": _file(before), "Use.vue": _user(tag)}).commit({"OrderList.vue": _file(after)})
    (caller,) = (each for each in repo.brief().symbol("default").callers if each.path == "Use.vue")
    assert (caller.fits is False, caller.misfit) == (misfit is not None, misfit)


def test_an_element_in_jsx_that_lacks_a_new_property_is_said_to_fit(repo: Repo) -> None:
    use = "import List from './OrderList.vue'\nexport const a = () => <List a='1' class='x' />\n"
    files = {"OrderList.vue": _file("defineProps<{ a: A }>()"), "use.tsx": use}
    repo.commit(files).commit({"OrderList.vue": _file("defineProps<{ a: A; b: B }>()")})
    assert repo.brief().fits("default") == {"use.tsx:2": False}


def test_an_element_fits_whatever_becomes_of_the_type_of_its_properties(repo: Repo) -> None:
    props = "export interface Props {{ a: string{} }}\n"
    script = "import type { Props } from './props'\nconst props = "
    component = FILE.replace("const props = ", script)
    repo.commit(
        {
            "props.ts": props.format("; old?: string"),
            "OrderList.vue": component.replace("const props = {}", "const props = defineProps<Props>()"),
            "Use.vue": _user('<OrderList a="1" class="x" />'),
            "Other.vue": _user('<OrderList a="1" b="2" />'),
        }
    ).commit({"props.ts": props.format("; b: string")})
    found = {each.path: each.misfit for each in repo.brief().symbol("Props").callers if each.fits is False}
    assert found == {"Use.vue": REQUIRED}


def test_another_value_beside_the_properties_is_another_signature(repo: Repo) -> None:
    repo.commit({"OrderList.vue": _file("defineProps<{ a: A }>()"), "Use.vue": _user("<OrderList a='1' />")})
    repo.commit({"OrderList.vue": _file("defineProps<{ a: A }>()").replace("<p />", "<b />")})
    symbol = repo.brief().symbol("default")
    assert (symbol.change, symbol.compatible) == ("body", None)


def test_of_two_components_in_files_of_one_name_nobody_knows_which_has_no_test(repo: Repo) -> None:
    paths = {"Cart": "cart/List.vue", "Shop": "shop/List.vue", "User": "user/Card.vue", "Team": "team/index.vue"}
    imports = "\n".join(f'import {name} from "./{path}"' for name, path in paths.items())
    tags = "".join(f"<{name} />" for name in paths)
    use = f'<template>\n  {tags}\n</template>\n<script setup lang="ts">\n{imports}\n</script>\n'
    repo.commit({**dict.fromkeys(paths.values(), _file("1")), "Use.vue": use})
    told = repo.commit(dict.fromkeys(paths.values(), _file("2"))).brief()
    names = "`cart/List.vue`, `shop/List.vue`, `team/index.vue`, `Card.vue`"
    assert f"No test found for 4 changed public definitions: {names}" in to_markdown(told.briefing)

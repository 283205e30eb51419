"""Vue and Svelte components: what their scripts and templates use."""

from __future__ import annotations

from graph.languages.base import Syntax
from graph.languages.typescript import SVELTE, VUE
from tests.languages.words import places

LIST = b"""<template>
  <ul @click="refresh">{{ total(orders) }}</ul>
  <!-- {{ hidden() }} -->
</template>
<script setup lang="ts">
import { total } from './pricing'
const orders = [1]
function refresh() { load() }
</script>
<style>ul { color: red }</style>
"""


def read(source: bytes, language: object = VUE) -> Syntax:
    tree = language.parse(source)  # type: ignore[attr-defined]
    return Syntax(source, tree, language.extract(source, tree))  # type: ignore[attr-defined]


def test_offsets_and_lines_of_the_script_are_not_the_files_own() -> None:
    facts = read(LIST).facts
    refresh = next(each for each in facts.definitions if each.name == "refresh")
    assert refresh.line == 8
    assert LIST[refresh.at : refresh.at + 7] == b"refresh"
    assert facts.imports[0].line == 6


def test_the_template_uses_nothing() -> None:
    syntax = read(LIST)
    used = {name for name in ("total", "orders", "refresh") for at in places(VUE, syntax, name) if at < 70}
    assert used == {"total", "orders", "refresh"}
    assert "hidden" not in syntax.facts.names
    assert "color" not in syntax.facts.names
    [at] = [at for at in places(VUE, syntax, "total") if at < 70]
    reference = VUE.reference(syntax, at)
    assert reference is not None and reference.kind == "value"
    assert [scope.kind for scope in VUE.scopes(syntax, at)] == ["module"]


def test_a_variable_of_the_template_is_taken_for_one_of_the_script() -> None:
    source = b"""<template>
<p v-for="(row, index) in rows" :key="index">{{ row.a }} {{ index }}<br/><p>{{ row.b }}</p></p>
<img v-for="url of urls" :src="url">
<List #item="{ cell, value: held = 1 }"><b @click="pick(cell, held)"/></List>
{{ row }} {{ index }} {{ url }} {{ cell }} {{ held }}
</template>"""
    syntax = read(source)
    after = source.index(b"{{ row }}")
    for name in ("row", "index", "url", "cell", "held"):
        assert [at > after for at in places(VUE, syntax, name)] == [True]
    assert len(places(VUE, syntax, "rows")) == len(places(VUE, syntax, "urls")) == len(places(VUE, syntax, "pick")) == 1


def test_a_variable_of_a_svelte_block_is_taken_for_one_of_the_script() -> None:
    source = b"{#each rows as { row, x }, index (row)}<p on:click={() => go(row)}>{index}</p>{/each}{row}{index}"
    syntax = read(source, SVELTE)
    assert places(SVELTE, syntax, "row") == (source.index(b"{row}") + 1,)
    assert places(SVELTE, syntax, "index") == (len(source) - 6,)


def test_a_hostile_template_takes_for_ever() -> None:
    for piece in (
        b'<a v-for="x in y">{{x}}',
        b'<a v-for="',
        b"{#each ",
        b"{#each x as ",
        b"<a #x='{a=('",
        b"{#each x as (}",
    ):
        read(piece * 5000)
        read(piece * 5000, SVELTE)


def test_a_component_is_not_known_by_its_dashed_name() -> None:
    syntax = read(b"<template><order-list/><OrderList/></template>\n<script>import OrderList from './O.vue'\n</script>")
    found = [VUE.reference(syntax, at) for at in places(VUE, syntax, "OrderList")]
    assert sorted(each.kind for each in found if each is not None) == ["import", "jsx", "jsx"]


def test_a_component_without_a_default_export_cannot_be_imported() -> None:
    facts = read(b"<script>let name = 'x'</script><p>{name}</p>", SVELTE).facts
    assert [(each.exported, each.local) for each in facts.exports] == [("default", "default")]
    assert facts.definitions[0].kind == "component"


def test_a_file_that_is_no_component_is_an_error() -> None:
    for source in (b"", b"<script>", b"<template>{{ ", b"\xff\xfe<script>\x00</script>", b"<script>a</script>" * 50):
        read(source)
        read(source, SVELTE)

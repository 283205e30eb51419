"""TypeScript that the parser reads as something else, and changes that only look like other signatures."""

from __future__ import annotations

import pytest

from graph.render.escape import diff_lines
from graph.render.view import arranged
from graph.render.wording import title
from tests.graph.stories import Repo


def titled(repo: Repo) -> str:
    briefing = repo.brief().briefing
    return title(briefing, arranged(briefing))


# ---------------------------------------------------------------------------------- calls with type arguments, awaited


LOAD = """
    export class Line { price(a: number) { return a } }
    export class Cart {
      total(a: number) { return a }
      lines<T>(): Line[] { return [] }
      self(): Promise<Cart> { return 0 as any }
    }
    export class Api { get<T>(id: string): Promise<Cart> { return 0 as any } chain<T>(): Cart { return 0 as any } }
    export async function load<T>(id: string): Promise<Cart> { return new Cart() }
    """
LOAD_USE = """
    import { load, Api, Cart } from './load'

    export async function use(api: Api) {
      const a = await load<string>('1') // LOAD
      a.total(1) // TOTAL
      ;(await api.get<string>('1')).total(2) // GET TOTAL
      const b = await api.chain<string>().self()
      b.total(3) // TOTAL
      for (const line of await api.chain<string>().lines<string>()) line.price(4) // PRICE
      void load<string>('1').then((c) => c.total(5)) // LOAD TOTAL
      const c = 'a' + load<string>('1') // LOAD
      return !load<string>('1') // LOAD
    }
    """


def test_a_call_with_type_arguments_that_is_awaited_is_a_value_and_gives_nothing(repo: Repo) -> None:
    after = LOAD.replace("id: string", "id: string, by: number").replace("a: number", "a: number, b: number")
    repo.commit({"load.ts": LOAD, "use.ts": LOAD_USE}).commit({"load.ts": after})
    brief = repo.brief()
    for name, word in (("load", "LOAD"), ("Api.get", "GET"), ("Cart.total", "TOTAL"), ("Line.price", "PRICE")):
        lines = [
            number
            for number, line in enumerate(LOAD_USE.strip("\n").split("\n"), 1)
            if word in line.split("//")[-1].split()
        ]
        assert brief.fits(name) == {f"use.ts:{line}": False for line in lines}, name


# ------------------------------------------------------------------------------------------- names that are also words


def test_callers_are_lost_of_a_file_with_a_parameter_called_using(repo: Repo) -> None:
    helper = """
        export class Helper {
          index(using: string) {
            return `create index ${using}`
          }
          drop(name: string) { return name }
        }
        """
    use = "import { Helper } from './helper'\n\nexport const g = (h: Helper) => h.drop('a') // CALLER\n"
    repo.commit({"helper.ts": helper, "use.ts": use})
    repo.commit({"helper.ts": helper.replace("name: string", "name: string, force: boolean")})
    brief = repo.brief()
    assert brief.fits("Helper.drop") == {"use.ts:3": False}
    assert brief.not_checked() == {}


def test_all_seems_well_though_a_changed_file_could_not_be_read(repo: Repo) -> None:
    broken = "export class Helper {\n  drop(name) { return name }\n %%% (( [[ {{ %%% ]] ((\n"
    repo.commit({"helper.ts": broken, "use.ts": "import { Helper } from './helper'\nnew Helper().drop(1)\n"})
    repo.commit({"helper.ts": broken.replace("name)", "name, force)")})
    assert titled(repo) == "Most of 1 changed file could not be read · no callers outside the diff found"


# ------------------------------------------------------------------------------------------------------------ long typ


def test_all_of_a_long_type_looks_removed_when_a_member_is_added(repo: Repo) -> None:
    events = "export type Event =\n" + "".join(
        f"  | {{ kind: 'event number {number}'; at: Date }} // whatever\n" for number in range(4)
    )
    repo.commit({"events.ts": events, "use.ts": "import { Event } from './events'\nexport const e: Event[] = []\n"})
    repo.commit({"events.ts": events + "  | { kind: 'another'; at: Date }\n"})
    symbol = repo.brief().symbol("Event")
    rows = diff_lines(symbol.before, symbol.after)
    assert [row for row in rows if row[0] != " "] == ["+   | { kind: 'another'; at: Date }"]


def test_what_differs_at_the_end_of_a_very_long_type_is_not_shown(repo: Repo) -> None:
    keys = "export type Key =\n" + "".join(f"  | 'a_rather_long_key_{number}'\n" for number in range(150))
    repo.commit({"keys.ts": keys}).commit({"keys.ts": f"{keys}  | 'fresh'\n"})
    symbol = repo.brief().symbol("Key")
    assert diff_lines(symbol.before, symbol.after) == [
        "  export type Key =",
        "  … 147 lines",
        *(f"    | 'a_rather_long_key_{number}'" for number in (147, 148, 149)),
        "+   | 'fresh'",
    ]


def test_what_is_cut_off_of_one_side_alone_looks_removed() -> None:
    whole = "\n".join(f"line {number}" for number in range(6))
    assert diff_lines(whole, "line 0\nline 1\nline 1a\nline 2\nline 3\n…") == [
        "  line 0",
        "  line 1",
        "+ line 1a",
        "  line 2",
        "  line 3",
        "  …",
    ]


# ---------------------------------------------------------------------------------- what only looks like a new signatu


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        ("function f(id: string): Promise<A>", "async function f(id: string): Promise<A>", "body"),
        ("async function f(id: string): Promise<A>", "function f(id: string): Promise<A>", "body"),
        ("const f = (id: string): Promise<A> =>", "const f = async (id: string): Promise<A> =>", "body"),
        ("function f(id: string): A", "async function f(id: string): Promise<A>", "signature"),
        ("function f(id: string)", "async function f(id: string)", "signature"),
        ("function f(id: string): Promise<A>", "async function f(id: string): Promise<B>", "signature"),
    ],
)
def test_a_promise_is_another_for_being_made_by_async(repo: Repo, before: str, after: str, change: str) -> None:
    repo.commit({"m.ts": f"export {before} {{ return g(id) }}\n"}).commit(
        {"m.ts": f"export {after} {{ return h(id) }}\n"}
    )
    assert repo.brief().changes()["f"] == change


@pytest.mark.parametrize(
    ("before", "after", "compatible"),
    [
        ("f(a: P)", "f(a: Readonly<P>)", True),
        ("f(a: Readonly<P>)", "f(a: P)", False),
        ("f(a: P[])", "f(a: Readonly<P>[])", True),
        ("f(): { a: string\n update: () => void\n}", "f(): { a: string\n update: () => void\n ready: boolean\n}", True),
        ("f(): { a: typeof x\n}", "f(): { a: typeof x\n b: B<{ c: D\n e: F }>\n}", True),
        ("f(): { a: () => void\n}", "f(): { a: () =>\n string\n}", False),
        ("f(): { a: A |\n B\n c: C\n}", "f(): { a: A | B; c: C; d: D }", True),
    ],
)
def test_a_type_that_takes_all_that_it_took_is_not_compatible(
    repo: Repo, before: str, after: str, compatible: bool
) -> None:
    repo.commit({"m.ts": f"export function {before} {{ return g }}\n"})
    repo.commit({"m.ts": f"export function {after} {{ return g }}\n"})
    assert repo.brief().symbol("f").compatible is compatible


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        ("doc", True),
        ("docs[0]!", True),
        ("make({ auto: true, version: '' })", True),
        ("{ auto: true, version: '' }", False),
        ("{ ...doc, version: '' }", None),
        ("ok ? { auto: true, version: '' } : doc", None),
    ],
)
def test_a_variable_has_a_property_too_many(repo: Repo, argument: str, expected: bool | None) -> None:
    use = f"import {{ f }} from './m'\n\nexport const use = (doc: Doc, docs: Doc[], ok: boolean) => f({argument})\n"
    before = "export const f = (doc: { auto: boolean; version: string }) => doc.auto\n"
    repo.commit({"m.ts": before, "use.ts": use}).commit({"m.ts": before.replace("; version: string", "")})
    assert repo.brief().fits("f") == {"use.ts:3": expected}


@pytest.mark.parametrize(
    ("element", "expected"),
    [
        ('<b @click="save">x</b>', True),
        ('<b v-on:click.stop="save">x</b>', True),
        ('<b @click="save(1)">x</b>', True),
        ('<b @click="() => save()">x</b>', True),
        ('<b @click="given(save)">x</b>', None),
        ('<b :on-click="save">x</b>', None),
        ("<b>{{ save() }}</b>", None),
    ],
)
def test_a_handler_in_a_template_may_not_become_async(repo: Repo, element: str, expected: bool | None) -> None:
    script = "<script setup lang='ts'>\nfunction save() {\n  go()\n}\n</script>\n"
    before = f"<template>\n  {element}\n</template>\n{script}"
    repo.commit({"A.vue": before})
    repo.commit({"A.vue": before.replace("function save", "async function save").replace("go()", "await go()")})
    assert repo.brief().fits("save") == {"A.vue:2": expected}


def test_a_handler_in_a_template_fits_whatever_it_takes(repo: Repo) -> None:
    before = '<template>\n  <b @click="save">x</b>\n</template>\n<script setup>\nfunction save() {}\n</script>\n'
    repo.commit({"A.vue": before}).commit({"A.vue": before.replace("save() {", "save(a, b) {")})
    assert repo.brief().fits("save") == {"A.vue:2": None}

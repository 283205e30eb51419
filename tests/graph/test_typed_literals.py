"""Object literals that a changed type no longer takes, wherever a type is written for them."""

from __future__ import annotations

import time

import pytest

from tests.graph.stories import Repo

BEFORE = """
    export interface Options {
      id: number;
      tag?: string;
    }
    export interface Outer {
      options: Options;
      many?: Options[];
      by?: Record<string, Options>;
    }
    export type Wide = Outer & { more?: number };
    export function save(o: Options) {}
    export function wrap(o: Outer) {}
    export function all(...o: Options[]) {}
    export function each(list: Options[], o: { inner: Options }) {}
    export class Box {
      one: Options = null!;
      many: Options[] = [];
      constructor(o: { args: Options }) {}
    }
    export const Panel = (props: { options: Options }) => null;
"""
AFTER = BEFORE.replace("id: number;", "id: number;\n      name: string;").replace("      tag?: string;\n", "")
HEAD = "import { Options, Outer, Wide, Box, Panel, save, wrap, all, each } from './a';\n"


def told(repo: Repo, text: str, path: str = "use.tsx") -> list[str | None]:
    """How each literal in the text no longer fits, by line."""
    repo.commit({"a.ts": BEFORE, path: HEAD + text}).commit({"a.ts": AFTER})
    callers = [each for each in repo.brief().symbol("Options").callers if each.path == path]
    return [each.misfit for each in callers if each.fits is False]


MISSING = "has no name, which is required"
CALLED = "passes no name, which is required"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("const x: Options = { id: 1 };", MISSING),
        ("const x: Options | undefined = { id: 1 };", MISSING),
        ("const x: Readonly<Options> = { id: 1 };", MISSING),
        ("const x: Options = cond ? { id: 1, name: 'a' } : { id: 2 };", MISSING),
        ("const x: Options = ({ id: 1 });", MISSING),
        ("const x: Options = given ?? { id: 1 };", MISSING),
        ("const x: Options[] = [{ id: 1 }];", MISSING),
        ("const x: readonly Options[] = [{ id: 1 }];", MISSING),
        ("const x: Options[] | undefined = [{ id: 1 }];", MISSING),
        ("type List = string | Options[];\nconst x: List = [{ id: 1 }];", MISSING),
        ("interface Sub extends Options { more: number }\nconst x: Sub = { id: 1, more: 2 };", MISSING),
        ("interface Sub extends Options {}\ninterface Far { sub: Sub }\nconst x: Far = { sub: { id: 1 } };", MISSING),
        ("type Sub = Options & { more: number };\nconst x: Sub = { id: 1, more: 2 };", MISSING),
        ("type Same = Options;\nconst x: Same = { id: 1 };", MISSING),
        ("const x: [number, Options] = [1, { id: 1 }];", MISSING),
        ("const x: Record<string, Options> = { a: { id: 1 } };", MISSING),
        ("const x: { [key: string]: Options } = { a: { id: 1 } };", MISSING),
        ("const x: { o: Options } = { o: { id: 1 } };", MISSING),
        ("const x: Outer = { options: { id: 1 } };", MISSING),
        ("const x: Outer = { options: { id: 1, name: '' }, many: [{ id: 1 }] };", MISSING),
        ("const x: Outer = { options: { id: 1, name: '' }, by: { a: { id: 1 } } };", MISSING),
        ("const x: Wide = { options: { id: 1 } };", MISSING),
        ("const x = { id: 1 } satisfies Options;", MISSING),
        ("function f(): Options { return { id: 1 }; }", MISSING),
        ("async function f(): Promise<Options> { return { id: 1 }; }", MISSING),
        ("const f = (): Options => ({ id: 1 });", MISSING),
        ("const f = async (): Promise<Options[]> => [{ id: 1 }];", MISSING),
        ("class C { get o(): Options { return { id: 1 }; } }", MISSING),
        ("class C { o: Options = { id: 1 }; }", MISSING),
        ("class C { o?: Options; f() { this.o = { id: 1 }; } }", MISSING),
        ("class C { o: Options[] = []; f() { this.o.push({ id: 1 }); } }", MISSING),
        ("function f(o: Options = { id: 1 }) {}", MISSING),
        ("function f({ id }: Options = { id: 1 }) {}", MISSING),
        ("let x: Options; x = { id: 1 };", MISSING),
        (
            "function f() { let x: Options[] = []; x.push({ id: 1 }); return () => x.unshift({ id: 2, name: '' }); }",
            MISSING,
        ),
        ("function f(b: Box) { b.one = { id: 1 }; }", MISSING),
        ("function f(b: Box) { b.many.push({ id: 1 }); }", MISSING),
        ("wrap({ options: { id: 1 } });", MISSING),
        ("wrap({ options: { id: 1, name: '' }, many: [{ id: 1 }] });", MISSING),
        ("each([{ id: 1 }], { inner: { id: 1, name: '' } });", MISSING),
        ("each([], { inner: { id: 1 } });", MISSING),
        ("new Box({ args: { id: 1 } });", MISSING),
        ("const p = <Panel options={{ id: 1 }} />;", MISSING),
        ("save({ id: 1 });", CALLED),
    ],
)
def test_a_literal_is_missed_that_lacks_what_its_type_asks_for_now(repo: Repo, text: str, expected: str) -> None:
    assert told(repo, text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "const x: Options = { id: 1, name: 'a' };",
        "const x: Options = { id: 1, ...more };",
        "const x: Options = { id: 1, [key]: 'a' };",
        "const x = { id: 1 } as Options;",
        "const x = { id: 1 };",
        "interface Sub extends Options { name: string }\nconst x: Sub = { id: 1, name: '' };",
        "interface Sub extends Partial<Options> {}\nconst x: Sub = { id: 1 };",
        "const x: Partial<Options> = { id: 1 };",
        "const x: Pick<Options, 'id'> = { id: 1 };",
        "const x: Options | { id: number } = { id: 1 };",
        "const x: any = { o: { id: 1 } };",
        "const x: Outer = { options: given };",
        "const x: { o: unknown; p: Options } = { o: { id: 1 }, p: given };",
        "function f(): Options { const g = () => { return { id: 1 }; }; return given; }",
        "function* f(): Options { return { id: 1 }; }",
        "function f(): Promise<Options> { return { id: 1 }; }",  # wrong before the change, too
        "let x: Options; function f(x: { id: number }) { x = { id: 1 }; }",
        "const l: Options[] = []; function f(p) { const { l } = p; l.push({ id: 1 }); }",
        "const l: Options[] = []; function f(p) { for (const l of p) l.push({ id: 1 }); }",
        "const l: Options[] = []; function f() { try { } catch (l) { l.push({ id: 1 }); } }",
        "// @ts-expect-error\nconst x: Options = { id: 1 };",
        "let x: Options; { let x; x = { id: 1 }; }",
        "let x: Options; y.x = { id: 1 };",
        "class C { o: Options[] = []; f() { this.other.push({ id: 1 }); } }",
        "const x: Options = { tag: '' };",  # lacked `id` before the change
        "type Mine = { id: number };\nconst x: Mine = { id: 1 };",
        "function f<Options>(o: Options) { const x: Options = { id: 1 }; }",
    ],
)
def test_a_literal_is_blamed_that_fits_or_never_did(repo: Repo, text: str) -> None:
    assert told(repo, text) == []


def test_a_literal_is_missed_that_has_what_its_type_no_longer_knows(repo: Repo) -> None:
    repo.commit({"a.ts": BEFORE, "use.tsx": HEAD + "const x: Options = { id: 1, tag: '' };\nx.tag;\n"})
    repo.commit({"a.ts": BEFORE.replace("      tag?: string;\n", "")})
    brief = repo.brief()
    assert [each.misfit for each in brief.symbol("Options").callers if each.fits is False] == [
        "has tag, which it does not take"
    ]


def test_a_literal_that_the_change_adapts_is_blamed(repo: Repo) -> None:
    use = HEAD + "const x: Options = {\n  id: 1,\n};\nconst y: Options = { id: 2 };\n"
    repo.commit({"a.ts": BEFORE, "use.tsx": use})
    repo.commit({"a.ts": AFTER, "use.tsx": use.replace("1,\n", "1,\n  name: 'a',\n")})
    callers = repo.brief().symbol("Options").callers
    assert [(each.line, each.via) for each in callers if each.fits is False] == [(6, "literal")]


def test_a_literal_is_told_twice_on_the_line_that_names_its_type(repo: Repo) -> None:
    repo.commit({"a.ts": BEFORE, "use.tsx": HEAD + "const x: Options = { id: 1 };\n"}).commit({"a.ts": AFTER})
    brief = repo.brief()
    assert [each.line for each in brief.symbol("Options").callers if each.path == "use.tsx"] == [2]
    eye = next(eye for eye in brief.briefing.eyes if eye.what == "misfit")
    assert eye.text == "the literal of `Options` in `x` no longer fits: has no `name`, which is required"


def test_a_literal_is_blamed_in_a_file_that_the_checker_is_told_to_leave(repo: Repo) -> None:
    text = "// @ts-nocheck\n" + HEAD + "const x: Options = { id: 1 };\nsave({ id: 1 });\n"
    repo.commit({"a.ts": BEFORE, "use.tsx": text}).commit({"a.ts": AFTER})
    assert not any(each.fits is False for each in repo.brief().symbol("Options").callers)


def test_every_name_in_a_file_is_sought_in_every_block_around(repo: Repo) -> None:
    body = "".join(f"  let v{i}: Options = given;\n" + f"  use(v{i});\n" * 150 for i in range(60))
    started = time.process_time()
    assert told(repo, f"function f() {{\n{body}}}") == []
    assert time.process_time() - started < 20

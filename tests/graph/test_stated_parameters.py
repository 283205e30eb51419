"""Parameters that something else than a function's own list tells of: the type of its variable, a comment, its body."""

from __future__ import annotations

import pytest

from tests.graph.stories import Repo

# -- components and functions that are typed by their variable ---------------------------------------------------------

CARDS = """
import React, { forwardRef, memo } from 'react'
import type { Props } from './props'

export const A: React.FC<Props> = (props) => <b>{props.id}</b>
export const B: React.FunctionComponent<React.PropsWithChildren<Props>> = function B({ id }) { return <b>{id}</b> }
export const C = React.forwardRef<HTMLElement, Props>((props, ref) => <b ref={ref}>{props.id}</b>)
export const D = memo<Props>(({ id }) => <b>{id}</b>)
export const E = memo(forwardRef(function Inner(props: Props, ref) { return <b>{props.id}</b> }))
export function F({ id }: React.PropsWithChildren<Props>) { return <b>{id}</b> }
export const G = D as unknown as React.FC<Props>
const H: FC<Props> = ({ id }) => <b>{id}</b>
export default H
export const f: (o: Props) => void = (o) => {}
export class Store { put: (o: Props) => void = (o) => {} }
"""
USES = """
import H, { A, B, C, D, E, F, G, Store, f } from './cards'

const a = <A id={1} key="k" />
const b = <B id={1}>text</B>
const c = <C id={1} ref={null} />
const d = <D id={1} />
const e = <E id={1} />
const g = <F id={1}>text</F>
const h = <G id={1} />
const i = <H id={1} />
f({ id: 1 })
new Store().put({ id: 1 })
const known = <A id={1} name="n" />
const unknown = <A {...props} />
"""


def test_elements_of_components_that_are_typed_by_their_variable_still_fit_a_changed_interface(repo: Repo) -> None:
    props = "export interface Props {{ id: number{} }}\n"
    repo.commit({"props.ts": props.format(""), "cards.tsx": CARDS, "use.tsx": USES})
    repo.commit({"props.ts": props.format("; name: string")})
    found = [each for each in repo.brief().symbol("Props").callers if each.path == "use.tsx"]
    assert [(each.line, each.fits) for each in found] == [(line, False) for line in range(3, 13)]
    assert {each.misfit for each in found} == {"passes no name, which is required"}


@pytest.mark.parametrize(
    ("before", "after", "use", "compatible", "expected"),
    [
        (
            "React.FC<{ a: A }> = ({ a }) => <b/>",
            "React.FC<{ a: A; b: B }> = ({ a }) => <b/>",
            "<X a={1} />",
            False,
            False,
        ),
        (
            "FC<{ a: string }> = ({ a }) => <b/>",
            "FC<{ a: string; b?: string }> = ({ a, b }) => <b/>",
            "<X a={1} />",
            True,
            None,
        ),
        ("FC<{ a: A }> = ({ a }) => <b/>", "FC<{ a: A }> = ({ a, ...more }) => <b/>", "<X a={1} />", True, None),
        ("FC<P & { a: string }> = Y", "FC<P & { a: string; b?: string }> = Y", "<X a='' />", True, None),
        ("FC<{ a?: A }> = ({ a }) => <b/>", "FC<{ b?: A }> = ({ b }) => <b/>", "<X a={1} />", False, False),
        ("FC<{ a: A }> = ({ a }) => <b/>", "FC<{ a: A; b: B }> = ({ a }) => <b/>", "<X a={1} b={2} />", False, None),
        ("FC<{ a: A }> = memo(Y)", "FC<{ a: A; b: B }> = memo(Y)", "<X a={1} />", False, False),
        ("(a: A) => B = (a) => a", "(a: A, b: B) => B = (a) => a", "X(1)", False, False),
        ("(a: A) => B = (a) => a", "(a: A, b?: B) => B = (a) => a", "X(1)", True, None),
        ("(a: A, b: B) => B = (a, b) => a", "(a: A, b: B) => B = (a) => a", "X(1, 2)", True, None),
        ("((a: A) => B) = debounce(y)", "((a: A, b: B) => B) = debounce(y)", "X(1)", False, False),
        # a type of which nothing is known says what it takes; if the function changes, it may have changed as well
        ("Handler = (a, b) => 1", "Handler = (a) => 1", "X(1, 2)", None, None),
        ("Handler = (a) => 1", "Handler = (a, b) => 1", "X(1)", None, None),
        ("Handler = (a) => 1", "Handler = (a): void => 1", "X(1)", True, None),
        ("Handler = (a: A) => 1", "Handler = (a: A | B) => 1", "X(1)", None, None),
        ("Handler = (a) => 1", "Other = (a) => 1", "X(1)", False, None),
        ("Handler = (a) => 1", "(a: A) => B = (a) => 1", "X(1)", False, None),
        ("(a: A) => B = (a) => 1", "Handler = (a) => 1", "X(1)", False, None),
        ("Handler = (a: A) => 1", "Handler = (a: A, b: B) => 1", "X(1)", False, False),
    ],
)
def test_a_variable_does_not_say_what_the_function_in_it_takes(
    repo: Repo, before: str, after: str, use: str, compatible: bool | None, expected: bool | None
) -> None:
    head = "interface P { id: number }\n"
    files = {
        "m.tsx": f"{head}export const X: {before}\n",
        "use.tsx": f"import {{ X }} from './m'\nexport const x = {use}\n",
    }
    symbol = repo.commit(files).commit({"m.tsx": f"{head}export const X: {after}\n"}).brief().symbol("X")
    assert symbol.compatible is compatible
    assert [each.fits for each in symbol.callers] == [expected]


ONE = "type Handler = (a: number) => void"
TWO = "type Handler = (a: number, b: string) => void"
PLAIN = ("Handler = (a) =>", "Handler = (a, b) =>")
LESS = ("Handler = (a, b) =>", "Handler = (a) =>")


@pytest.mark.parametrize(
    ("types", "values", "compatible"),
    [
        ((ONE, TWO), PLAIN, False),
        ((ONE, TWO), ("Handler = (a: number) =>", "Handler = (a: number, b: string) =>"), False),
        ((ONE, TWO), ("Handler = (a: number) =>", "Handler = (a: number): void =>"), False),
        ((ONE, TWO), ("Handler = async (a) =>", "Handler = async (a, b) =>"), False),
        ((ONE, TWO), ("((a: number) => void) = (a) =>", "Handler = (a, b) =>"), False),
        ((ONE, ONE.replace("a: number", "a: number, b?: string")), PLAIN, True),
        ((ONE, ONE), LESS, True),
        (("interface Handler { (a: A): B; x?: A }", "interface Handler { (a: A, b: B): B }"), PLAIN, False),
        (("type Handler = { (a: A): B }", "type Handler = { (a: A, b: B): B }"), PLAIN, False),
        (
            (f"{ONE}\ntype Other = Handler", f"{TWO}\ntype Other = (Handler)"),
            ("Other = (a) =>", "Other = (a, b) =>"),
            False,
        ),
        (
            ("type Of<T> = (a: T) => B", "type Of<T> = (a: T, b: T) => B"),
            ("Of<A> = (a) =>", "Of<A> = (a, b) =>"),
            False,
        ),
        (("type Of<T> = (a: T) => B",) * 2, ("Of<A> = (a) =>", "Of<A> = (b) =>"), True),
        # what cannot be found out
        (("interface Handler extends Base { (a: A): B }",) * 2, PLAIN, None),
        (("interface Handler { (a: A): B; (b: B): A }",) * 2, LESS, None),
        (("type Handler = Handler",) * 2, LESS, None),
        (("type Handler = typeof other",) * 2, LESS, None),
        (("type Of<T, U = T> = (a: U) => B",) * 2, ("Of<A> = (a, b) =>", "Of<A> = (a) =>"), None),
    ],
)
@pytest.mark.parametrize("imported", [False, True])
def test_a_function_still_fits_whose_type_changes_with_it(
    repo: Repo, types: tuple[str, str], values: tuple[str, str], compatible: bool | None, imported: bool
) -> None:
    head = "import type { Handler, Of, Other } from './t'\n"
    for stated, value in zip(types, values, strict=True):
        text = "".join(f"export {each}\n" for each in stated.splitlines())
        module = f"export const X: {value} {{ a }}\n"
        files = {"t.ts": text, "m.ts": head + module} if imported else {"m.ts": text + module}
        repo.commit({**files, "use.ts": "import { X } from './m'\nX(1)\n"})
    symbol = repo.brief().symbol("X", "m.ts")
    assert symbol.compatible is compatible
    misfit = "passes 1 argument, needs 2 (missing b)" if compatible is False else None
    assert [(each.fits, each.misfit) for each in symbol.callers] == [(False if misfit else None, misfit)]


def test_what_is_given_for_the_parameters_of_a_type_says_nothing(repo: Repo) -> None:
    text = "type Of<T> = (a: T) => void\nexport const X: Of<{}> = (a) => {{ a }}\n"
    files = {"m.ts": text.format("number"), "use.ts": "import { X } from './m'\nX(1)\n"}
    symbol = repo.commit(files).commit({"m.ts": text.format("string")}).brief().symbol("X")
    assert (symbol.compatible, [each.fits for each in symbol.callers]) == (False, [None])


def test_a_literal_still_fits_a_function_that_has_its_types_from_elsewhere(repo: Repo) -> None:
    options = "export interface Options {{ id: number{} }}\nexport type Save = (options: Options) => void\n"
    save = "import type { Options, Save } from './t'\nexport const save: Save = (o: Options) => { o }\n"
    repo.commit({"t.ts": options.format(""), "m.ts": save, "use.ts": "import { save } from './m'\nsave({ id: 1 })\n"})
    callers = repo.commit({"t.ts": options.format("; name: string")}).brief().symbol("Options").callers
    assert [each.misfit for each in callers if each.path == "use.ts"] == ["passes no name, which is required"]


def test_the_props_of_a_component_that_a_call_makes_are_no_part_of_its_signature(repo: Repo) -> None:
    made = "export const X = forwardRef<Ref, {{ a: A{} }}>((props, ref) => <b/>)\n"
    repo.commit({"m.tsx": made.format(""), "use.tsx": "import { X } from './m'\nexport const x = <X a={1} />\n"})
    symbol = repo.commit({"m.tsx": made.format("; b: B")}).brief().symbol("X")
    assert (symbol.change, symbol.compatible) == ("signature", False)
    assert symbol.after == "export const X = forwardRef<Ref, { a: A; b: B }> ..."
    assert [each.misfit for each in symbol.callers] == ["passes no b, which is required"]


def test_what_a_component_does_with_its_props_is_not_followed(repo: Repo) -> None:
    repo.commit(
        {
            "store.ts": "export class Store {\n  save() {} // TARGET\n}\n",
            "page.tsx": """
                import type { Store } from './store'

                export const Page: React.FC<{ store: Store }> = ({ store }) => {
                  store.save() // CALLER
                  return <b />
                }
                export const go: (name: string, store: Store) => void = (name, store) => store.save() // CALLER
                export class Panel {
                  open: (store: Store) => void = (store) => store.save() // CALLER
                }
                """,
        }
    )
    assert repo.callers() == repo.marked()


# -- JavaScript --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("comment", "parameters", "body", "compatible"),
    [
        ("@param {string} [o]", "a, o", "return o.x", True),
        ("@param {string} [o='x']", "a, o", "return o.x", True),
        ("@param {string=} o", "a, o", "return o.x", True),
        ("@param [o]", "a, o", "return o.x", True),
        ("@param {{ x: string }} [o]", "a, o", "return o.x", True),
        ("@param {string} [o.x]", "a, o", "return o.x", False),
        ("@param {string} o", "a, o", "return o.x", False),
        ("@param {string [o]", "a, o", "return o.x", False),
        ("", "a, o", "o ??= {}; return o.x", True),
        ("", "a, o", "o ||= {}; return o.x", True),
        ("", "a, o", "o = o || {}; return o.x", True),
        ("", "a, o", "return o?.x", True),
        ("", "a, o", "return o?.(a)", True),
        ("", "a, o", "if (o) return o.x", True),
        ("", "a, o", "if (a && !o) return a", True),
        ("", "a, o", "return o ? o.x : a", True),
        ("", "a, o", "return typeof o === 'string' ? o : a", True),
        ("", "a, o", "if (o === undefined) return a", True),
        ("", "a, o", "return { ...o, a }", True),
        ("", "a, o", "return o.x", False),
        ("", "a, o", "return [a, o].map((o) => o?.x)", False),
        ("", "a, o", "return [a, o].map(function (o) { if (o) return o.x })", False),
        ("", "a, o", "function inner(o) { return o ?? a }; return inner(a) + o.x", False),
        ("", "a, o", "return a?.x + o.x", False),
        ("", "a, o, p", "return o?.x + p", False),
        ("", "a, { x }", "return x", False),
    ],
)
def test_javascript_says_in_other_words_that_an_argument_may_be_left_out(
    repo: Repo, comment: str, parameters: str, body: str, compatible: bool
) -> None:
    new = f"/** {comment} */\nexport function f({parameters}) {{ {body} }}\n"
    files = {"m.js": "export function f(a) { return a }\n", "use.js": "import { f } from './m'\nf(1)\n"}
    symbol = repo.commit(files).commit({"m.js": new}).brief().symbol("f")
    assert symbol.compatible is compatible
    assert [each.fits for each in symbol.callers] == [None]


@pytest.mark.parametrize(
    ("comment", "use", "head", "expected"),
    [
        ("", "use.js", "", None),
        ("", "use.js", "// @ts-check\n", None),
        ("", "use.ts", "", None),
        ("/** @param {A} a @param {B} o */\n", "use.js", "", None),
        ("/** @param {A} a @param {B} o */\n", "use.mjs", "// @ts-check\n", False),
        ("/** @param {A} a @param {B} o */\n", "use.ts", "", False),
    ],
)
def test_an_argument_left_out_is_an_error_where_nothing_says_that_it_must_be_passed(
    repo: Repo, comment: str, use: str, head: str, expected: bool | None
) -> None:
    files = {"m.js": "export function f(a) { return a }\n", use: f"{head}import {{ f }} from './m'\nf(1)\n"}
    repo.commit(files).commit({"m.js": f"{comment}export function f(a, o) {{ return a + o.x }}\n"})
    assert [each.fits for each in repo.brief().symbol("f").callers] == [expected]


def test_a_script_of_a_component_without_types_is_held_to_them(repo: Repo) -> None:
    component = "<script{}>\nexport function f(a{}) {{ return o.x }}\n</script>\n"
    use = "import { f } from './m.vue'\nf(1)\n"
    for number, (language, expected) in enumerate((("", None), (' lang="ts"', False))):
        files = {"m.vue": component.format(language, ""), "use.ts": use}
        repo.commit(files, on=()).commit({"m.vue": component.format(language, ", o")})
        (caller,) = repo.brief(base=2 * number).symbol("f").callers
        assert caller.fits is expected


def test_an_override_that_takes_as_much_is_to_be_looked_at(repo: Repo) -> None:
    base = "export class Base {{\n  /** @param {{A}} [o] */\n  go(a, o{}) {{ return o?.x }}\n}}\n"
    heir = "import { Base } from './base'\nexport class Heir extends Base {\n  go(a, o) { return o.x }\n}\n"
    repo.commit({"base.js": base.format(""), "heir.js": heir}).commit({"base.js": base.format(", p")})
    (override,) = (each for each in repo.brief().symbol("Base.go").callers if each.via == "override")
    assert override.fits is True

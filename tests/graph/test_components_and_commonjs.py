"""Callers of components, of what CommonJS exports, and of types."""

from __future__ import annotations

import pytest

from tests.graph.stories import Repo

# ---------------------------------------------------------------------------------------------------------- components


def test_a_forward_ref_component_has_no_users(repo: Repo) -> None:
    before = """
        import { forwardRef } from 'react';

        type Props = { text: string };

        export const Badge = forwardRef<HTMLSpanElement, Props>((props, ref) => (
          <span ref={ref}>{props.text}</span>
        ));
        """
    repo.commit(
        {
            "ui/Badge.tsx": before,
            "Bar.tsx": (
                "import { Badge } from './ui/Badge';\n\n"
                'export const Bar = () => <div><Badge text="a" /></div>; // CALLER\n'
            ),
            "Wide.tsx": """
                import { createElement } from 'react';
                import * as UI from './ui/Badge';

                export function Wide() {
                  const more = createElement(UI.Badge, { text: 'b' }); // CALLER
                  return <UI.Badge text={String(more.type)}></UI.Badge>; // CALLER
                }
                """,
            "Old.tsx": "import { Badge } from './old/Badge';\n\nexport const Old = () => <Badge />;\n",
            "old/Badge.tsx": "export function Badge() {\n  return <b />;\n}\n",
            "Plain.tsx": "export const Plain = () => <badge>x</badge>;\n",
        }
    ).commit({"ui/Badge.tsx": before.replace("{props.text}", "{props.text.trim()}")})
    brief = repo.brief()
    assert brief.callers("Badge") == repo.marked()
    assert brief.kinds("Badge") == {"Bar.tsx:3": "jsx", "Wide.tsx:5": "argument", "Wide.tsx:6": "jsx"}


@pytest.mark.parametrize(
    "declaration",
    [
        "export const Row = memo(function Row() { return <tr />; }); // TARGET",
        "export const Row = memo(forwardRef((props, ref) => <tr ref={ref} />)); // TARGET",
        "export const Row = styled('tr')`color: red`; // TARGET",
        "export const Row = observer(() => <tr />); // TARGET",
        "export class Row extends React.Component { render() { return <tr />; } } // TARGET",
        "export function Row() { return <tr />; } // TARGET",
        "export const Row: React.FC = () => <tr />; // TARGET",
    ],
)
def test_a_component_of_this_form_has_no_users(repo: Repo, declaration: str) -> None:
    repo.commit(
        {
            "ui/Row.tsx": f"import React, {{ memo, forwardRef }} from 'react';\n{declaration}\n",
            "Table.tsx": (
                "import { Row } from './ui/Row';\nexport const Table = () => <table><Row /></table>; // CALLER\n"
            ),
            "Other.tsx": "const Row = () => <li />;\nexport const Other = () => <Row />;\n",
            "Lazy.tsx": """
                import { Row as Line } from './ui/Row';

                export const Lazy = ({ as: As = Line }) => <As />; // CALLER
                """,
        }
    )
    assert repo.callers() == repo.marked()


def test_an_object_of_components_hides_its_members(repo: Repo) -> None:
    repo.commit(
        {
            "ui/Tabs.tsx": "export const Panel = () => <div />; // TARGET\nexport const Tabs = { Panel }; // CALLER\n",
            "App.tsx": "import { Panel } from './ui/Tabs';\nexport const App = () => <Panel />; // CALLER\n",
        }
    )
    assert repo.callers() == repo.marked()


# ------------------------------------------------------------------------------------------------------------ CommonJS


PARTS = """
    export const Item = (props: { label: string }) => null; // TARGET
    export const Group = (props: {}) => null;
    """


@pytest.mark.parametrize(
    ("menu", "use"),
    [
        ("const Menu = () => null;\nMenu.Item = Item; // CALLER", "<Menu.Item label='a' />"),
        ("const Menu = () => null;\nMenu.Entry = Item; // CALLER", "<Menu.Entry label='a' />"),
        ("const Menu = () => null;\n(Menu as any).Entry = Item; // CALLER", "<Menu.Entry label='a' />"),
        ("const Menu = () => null;\nMenu.Parts = { Item, Group }; // CALLER", "<Menu.Parts.Item label='a' />"),
        ("const Menu = () => null;\nMenu.Parts = { Entry: Item }; // CALLER", "<Menu.Parts.Entry label='a' />"),
        ("const Menu = { Item, Group }; // CALLER", "<Menu.Item label='a' />"),
        ("const Menu = { Entry: Item as any }; // CALLER", "<Menu.Entry label='a' />"),
        ("class Menu { static Item = Item; } // CALLER", "<Menu.Item label='a' />"),
        ("class Menu { static Entry = Item; } // CALLER", "<Menu.Entry label='a' />"),
        ("class Menu {}\nMenu.Entry = Item; // CALLER", "<Menu.Entry label='a' />"),
        ("const Menu = memo(() => null);\nMenu.Entry = Item; // CALLER", "<Menu.Entry label='a' />"),
        ("const Menu = memo(() => null) as any;\nMenu.Entry = memo(Item); // CALLER", "<p />"),
    ],
)
def test_a_component_that_is_a_property_of_another_has_no_users(repo: Repo, menu: str, use: str) -> None:
    imports = "import { memo } from 'react';\nimport { Item, Group } from './parts';\n"
    found = repo.commit(
        {
            "parts.tsx": PARTS,
            "menu.tsx": f"{imports}\n{menu}\n\nexport default Menu;\n",
            "app.tsx": f"import Menu from './menu';\n\nexport const App = () => {use};"
            + (" // CALLER\n" if use != "<p />" else "\n"),
            "other.tsx": "import Menu from 'elsewhere';\n\nexport const App = () => <Menu.Item label='a' />;\n",
        }
    )
    assert found.callers() == found.marked()


def test_what_object_assign_puts_on_a_component_has_no_users(repo: Repo) -> None:
    repo.commit(
        {
            "parts.tsx": PARTS,
            "menu.tsx": """
                import { Item, Group } from './parts';

                export const Menu = Object.assign(() => null, { Item, Rest: Group }); // CALLER
                """,
            "app.tsx": """
                import { Menu } from './menu';

                export const App = () => <Menu.Item label='a' />; // MAYBE
                """,
        }
    )
    assert repo.callers() == repo.marked()


def test_the_user_of_a_property_still_fits_the_component_that_it_is(repo: Repo) -> None:
    repo.commit(
        {
            "parts.tsx": PARTS,
            "menu.tsx": "import { Item } from './parts';\n\nexport const Menu = () => null;\nMenu.Entry = Item;\n",
            "app.tsx": """
                import { Menu } from './menu';

                export const App = () => <Menu.Entry label='a' />;
                """,
        }
    ).commit({"parts.tsx": PARTS.replace("label: string", "label: string, key2: string")})
    assert repo.brief().fits("Item") == {"menu.tsx:4": None, "app.tsx:3": False}


def test_a_property_that_holds_something_else_counts(repo: Repo) -> None:
    repo.commit(
        {
            "parts.tsx": PARTS,
            "menu.tsx": """
                import { Item, Group } from './parts';

                export const Menu = () => null;
                Menu.Item = Group;
                Menu.Other = Item; // CALLER
                function later() { Menu.Late = Item; } // CALLER
                """,
            "app.tsx": """
                import { Menu } from './menu';

                export const App = () => <Menu.Item label='a' />;
                export const Late = () => <Menu.Late label='a' />;
                """,
        }
    )
    assert repo.callers() == repo.marked()


def test_destructured_and_chained_requires_are_lost(repo: Repo) -> None:
    before = "'use strict';\n\nexports.mediaType = function (name) {\n  return name;\n};\n"
    repo.commit(
        {
            "lib/kinds.js": before,
            "lib/reply.js": (
                "const { mediaType: kind } = require('./kinds');\n\nexports.reply = (n) => kind(n); // CALLER\n"
            ),
            "lib/ask.js": (
                "const kinds = require('./kinds.js');\n\nexports.ask = (n) => kinds.mediaType(n); // CALLER\n"
            ),
            "lib/short.js": "module.exports = (n) => require('./kinds').mediaType(n); // CALLER\n",
            "lib/plain.js": "const { mediaType } = require('./kinds');\n\nmediaType('x'); // CALLER\n",
            "lib/late.js": (
                "exports.late = () => {\n  const { mediaType } = require('./kinds');\n"
                "  return mediaType('x'); // CALLER\n};\n"
            ),
            "lib/other.js": """
                const mediaType = require('./other-kinds');

                function use(mediaType, value) {
                  return mediaType(value);
                }

                exports.other = (n) => mediaType(n) + use(String, n);
                """,
            "lib/other-kinds.js": "module.exports = function mediaType(n) {\n  return n;\n};\n",
        }
    ).commit({"lib/kinds.js": before.replace("(name)", "(name, charset)")})
    brief = repo.brief()
    (symbol,) = [symbol for file in brief.briefing.changed for symbol in file.symbols]
    assert symbol.name == "mediaType"
    assert brief.callers(symbol.qualified) == repo.marked()
    assert symbol.compatible is False or symbol.compatible is True  # JavaScript drops what is not passed


@pytest.mark.parametrize(
    ("exported", "use"),
    [
        (
            "function dial(n) { return n; } // TARGET\nmodule.exports = { dial };",
            "const { dial } = require('./tel');\ndial(1);",
        ),
        ("function dial(n) { return n; } // TARGET\nmodule.exports = { call: dial };", "require('./tel').call(1);"),
        (
            "function dial(n) { return n; } // TARGET\nmodule.exports = dial;",
            "const anything = require('./tel');\nanything(1);",
        ),
        ("function dial(n) { return n; } // TARGET\nmodule.exports = dial;", "require('./tel')(1);"),
        ("module.exports.dial = (n) => n; // TARGET", "const tel = require('./tel');\ntel.dial(1);"),
        ("module.exports = {\n  dial(n) { return n; }, // TARGET\n};", "const tel = require('./tel');\ntel.dial(1);"),
        ("module.exports = class Dial {}; // TARGET", "const D = require('./tel');\nnew D();"),
        ("exports.dial = dial;\nfunction dial(n) { return n; } // TARGET", "require('./tel').dial(1);"),
        (
            "function dial(n) { return n; } // TARGET\nmodule.exports = { dial };",
            "import { dial } from './tel';\ndial(1);",
        ),
        (
            "function dial(n) { return n; } // TARGET\nmodule.exports = { dial };",
            "import tel from './tel';\ntel.dial(1);",
        ),
    ],
)
def test_a_commonjs_export_of_this_form_has_no_callers(repo: Repo, exported: str, use: str) -> None:
    repo.commit(
        {"tel.js": exported + "\n", "use.js": use + " // CALLER\n", "no.js": "const dial = (n) => n;\ndial(1);\n"}
    )
    found = [each for each in repo.callers() if not each.startswith("tel.js")]
    assert found == repo.marked()


# --------------------------------------------------------------------------------------------------------------- types


def test_a_type_reference_counts_as_a_call_or_not_at_all(repo: Repo) -> None:
    repo.commit(
        {
            "model.ts": "export interface Address { street: string } // TARGET\n",
            "a.ts": """
                import type { Address } from './model';

                export const where = (a: Address): string => a.street; // TYPE
                export type Book = Record<string, Address>; // TYPE
                """,
            "b.ts": """
                import { type Address as Place } from './model';

                export class House implements Place { // CALLER
                  street = '';
                }
                """,
            "c.ts": "interface Address { zip: string }\nexport const zip = (a: Address) => a.zip;\n",
        }
    )
    assert repo.callers() == repo.marked()


def test_a_method_of_an_interface_is_not_reached_from_its_implementation(repo: Repo) -> None:
    repo.commit(
        {
            "port.ts": "export interface Gateway {\n  chargeCard(cents: number): void; // TARGET:interface\n}\n",
            "stripe.ts": """
                import { Gateway } from './port';

                export class Stripe implements Gateway {
                  chargeCard(cents: number) {} // TARGET
                }
                """,
            "pay.ts": """
                import { Gateway } from './port';
                import { Stripe } from './stripe';

                export function pay(gateway: Gateway, stripe: Stripe) {
                  gateway.chargeCard(1); // MAYBE CALLER:interface
                  stripe.chargeCard(2); // CALLER
                }
                """,
        }
    )
    assert repo.callers() == repo.marked()
    assert [each for each in repo.callers("interface") if "pay.ts:5" in each] == ["pay.ts:5"]


def test_a_bare_name_of_another_file_reaches_a_method_of_a_component(repo: Repo) -> None:
    intro = """
        <template>
          <p v-for="(fetchAll, key) in shown" :key="key">{{ fetchAll.x }}</p>
          <List #default="{ fetchAll }">{{ fetchAll }}</List>
          <button @click="fetchAll(1)"></button>  // MAYBE
        </template>
        <script lang="ts">
        export default defineComponent({
          methods: {
            fetchAll(page: number) { return page; },
          },
        });
        </script>
        """
    repo.commit(
        {
            "Intro.vue": intro,
            "Errors.vue": '<template><p v-for="fetchAll in errors">{{ fetchAll }}</p>{{ fetchAll }}</template>\n',
            "old.js": "$.extend({\n  http: function (r) {\n    fetchAll = r.text;\n    return fetchAll;\n  },\n});\n",
        }
    ).commit({"Intro.vue": intro.replace("page: number", "page: number, size: number")})
    assert repo.brief().callers("fetchAll") == repo.marked()


@pytest.mark.parametrize(
    ("exported", "use"),
    [
        ("export const Row = React.forwardRef(InternalRow); // CALLER", "{ Row }"),
        ("export const Row = memo(React.forwardRef<Ref, Props>(InternalRow)); // CALLER", "{ Row }"),
        ("export const Row = InternalRow as unknown as RowType; // CALLER", "{ Row }"),
        ("export const Row: RowType = observer(InternalRow) as any; // CALLER", "{ Row }"),
        ("export const Row = styled(InternalRow)`color: red`; // CALLER", "{ Row }"),
        ("const Made = memo(InternalRow) as RowType; // CALLER\nexport default Made;", "Row"),
        ("export default InternalRow as RowType;", "Row"),
        ("export default React.forwardRef(InternalRow) as RowType; // CALLER", "Row"),
        ("export default styled(InternalRow)({ color: 'red' }); // CALLER", "Row"),
        ("module.exports = { Row: memo(InternalRow) }; // CALLER", "{ Row }"),
    ],
)
def test_a_component_that_is_wrapped_under_another_name_has_no_users(repo: Repo, exported: str, use: str) -> None:
    repo.commit(
        {
            "row.tsx": f"const InternalRow = (props: Props) => <b>{{props.n}}</b>; // TARGET\n{exported}\n",
            "page.tsx": f"import {use} from './row';\nexport const Page = () => <Row n={{1}} />; // CALLER\n",
        }
    )
    assert repo.callers() == repo.marked()


def test_a_styled_element_is_its_tag(repo: Repo) -> None:
    repo.commit(
        {
            "box.tsx": "export const Box = styled('div')({}); // TARGET\nexport default styled('b')``;\n",
            "page.tsx": """
                import Bold, { Box } from './box';

                export const Page = () => <Box>{Bold.name.trim()}</Box>; // CALLER
                """,
        }
    )
    assert repo.callers() == repo.marked()

"""What TypeScript and JavaScript code says about a receiver, and what it does not: each way on its own.

`Order.shipIt` is the method that changes; `Crate` has one of the same name, so a receiver that is known to be a Crate
must be refused, and one that isn't known is a MAYBE.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.graph.stories import Repo

LIBRARY = """
    export class Order {
      number = 0;
      next?: Order;

      shipIt(): Order { // TARGET
        return this;
      }

      get parent(): Order {
        return this;
      }

      me(): this {
        return this;
      }

      static load(): Order {
        return new Order();
      }

      static made() {
        return new this();
      }
    }

    export class Rush extends Order {
      rush = true;
    }

    export class Crate {
      private weight = 1;

      shipIt(): number {
        return this.weight;
      }
    }

    export class Box<T> {
      constructor(public item: T) {}

      getItem(): T {
        return this.item;
      }
    }

    export class Shelf {
      order!: Order;
      crate = new Crate();
      third = new Order();

      constructor(readonly second: Order) {}
    }

    export class TopShelf extends Shelf {}

    export interface Ships {
      shipIt(): void;
    }

    export interface Row {
      order: Order;
      crate: Crate;
      pick(): Order;
    }

    export type Pair = { first: Order; second: Crate };

    export function findOrder(n: number): Order {
      return new Order();
    }

    export function guessOrder(n: number) {
      return n ? new Order() : new Rush();
    }

    export const arrow = (): Order => new Order();

    export async function fetchOrder(): Promise<Order> {
      return new Order();
    }

    export async function fetchGuess() {
      return new Order();
    }

    export function* walk(): Generator<Order> {
      yield new Order();
    }

    export function first<T>(items: T[]): T {
      return items[0];
    }

    export const current = new Order();
    export const table = { order: new Order(), crate: new Crate() };
    """

IMPORTS = """\
import * as lib from './lib';
import { arrow, Box, Crate, current, fetchGuess, fetchOrder, findOrder, first, guessOrder, Order } from './lib';
import { Pair, Row, Rush, Shelf, Ships, table, TopShelf, walk } from './lib';

"""

KNOWN = {
    "an annotated parameter": "const f = (o: Order) => o.shipIt(); // CALLER\n",
    "an optional parameter": "const f = (o?: Order) => o?.shipIt(); // CALLER\n",
    "a non-null assertion": "const f = (o: Order | null) => o!.shipIt(); // CALLER\n",
    "a qualified type": "const f = (o: lib.Order) => o.shipIt(); // CALLER\n",
    "a union with a class that has one too": "const f = (o: Order | Crate) => o.shipIt(); // CALLER\n",
    "an intersection": "const f = (o: Order & { x: 1 }) => o.shipIt(); // CALLER\n",
    "a construction": "new Order().shipIt(); // CALLER\n",
    "a construction in parentheses": "(new Order).shipIt(); // CALLER\n",
    "a local that is constructed": "function f() {\n  const o = new Order();\n  o.shipIt(); // CALLER\n}\n",
    "a local that is annotated": "function f() {\n  let o: Order;\n  o.shipIt(); // CALLER\n}\n",
    "a module-level value": "current.shipIt(); // CALLER\n",
    "a module's value": "lib.current.shipIt(); // CALLER\n",
    "a chain of the method itself": "const f = (o: Order) => o\n  .shipIt() // CALLER\n  .shipIt(); // CALLER\n",
    "a getter's type": "const f = (o: Order) => o.parent.shipIt(); // CALLER\n",
    "this as a type": "new Rush().me().shipIt(); // CALLER\n",
    "a declared result": "findOrder(1).shipIt(); // CALLER\n",
    "a result that is not declared": "guessOrder(1).shipIt(); // CALLER\n",
    "an arrow function's result": "arrow().shipIt(); // CALLER\n",
    "a static method's result": "Order.load().shipIt(); // CALLER\n",
    "a static method that makes its class": "Rush.made().shipIt(); // CALLER\n",
    "a subclass": "const f = (o: Rush) => o.shipIt(); // CALLER\n",
    "this": "class Late extends Order {\n  run() { this.shipIt(); } // CALLER\n}\n",
    "this in an arrow": "class Late extends Order {\n  run = () => this.shipIt(); // CALLER\n}\n",
    "super": "class Late extends Order {\n  shipIt() { return super.shipIt(); } // CALLER\n}\n",
    "a declared field": "const f = (s: Shelf) => s.order.shipIt(); // CALLER\n",
    "a parameter property": "const f = (s: Shelf) => s.second.shipIt(); // CALLER\n",
    "a field that is constructed": "const f = (s: Shelf) => s.third.shipIt(); // CALLER\n",
    "an inherited field": "const f = (s: TopShelf) => s.second.shipIt(); // CALLER\n",
    "an optional field": "const f = (o: Order) => o.next?.shipIt(); // CALLER\n",
    "an interface's property": "const f = (r: Row) => r.order.shipIt(); // CALLER\n",
    "an interface's method": "const f = (r: Row) => r.pick().shipIt(); // CALLER\n",
    "a type alias's property": "const f = (p: Pair) => p.first.shipIt(); // CALLER\n",
    "an inline type": "const f = (p: { order: Order }) => p.order.shipIt(); // CALLER\n",
    "an object literal": "table.order.shipIt(); // CALLER\n",
    "an array's element": "const f = (xs: Order[]) => xs[0].shipIt(); // CALLER\n",
    "a loop": "const f = (xs: Array<Order>) => {\n  for (const x of xs) x.shipIt(); // CALLER\n};\n",
    "forEach": "const f = (xs: readonly Order[]) => xs.forEach((x) => x.shipIt()); // CALLER\n",
    "map and filter": "const f = (xs: Order[]) => xs.filter((x) => x.number).map((x) => x.shipIt()); // CALLER\n",
    "find": "const f = (xs: Order[]) => xs.find((x) => x.number)?.shipIt(); // CALLER\n",
    "reduce": "const f = (xs: Order[]) => xs.reduce((a, x) => a + Number(x.shipIt()), 0); // CALLER\n",
    "a Map's value": "const f = (m: Map<string, Order>) => m.get('a')?.shipIt(); // CALLER\n",
    "a Map's loop": "const f = (m: Map<string, Order>) => {\n  for (const [k, v] of m) v.shipIt(); // CALLER\n};\n",
    "a Record": "const f = (m: Record<string, Order>) => m['a'].shipIt(); // CALLER\n",
    "a Record's property": "const f = (m: Record<string, Order>) => m.anything.shipIt(); // CALLER\n",
    "Object.values": "const f = (m: Record<string, Order>) => Object.values(m)[0].shipIt(); // CALLER\n",
    "a tuple": "const f = ([a, b]: [Crate, Order]) => {\n  a.shipIt();\n  b.shipIt(); // CALLER\n};\n",
    "destructuring": "const f = ({ order, crate }: Row) => {\n  crate.shipIt();\n  order.shipIt(); // CALLER\n};\n",
    "renaming destructuring": "const f = ({ order: o }: Row) => o.shipIt(); // CALLER\n",
    "a destructured local": "const { order, crate } = table;\ncrate.shipIt();\norder.shipIt(); // CALLER\n",
    "spread": "const f = (xs: Order[]) => [...xs][0].shipIt(); // CALLER\n",
    "a type variable": "const f = (xs: Order[]) => first(xs).shipIt(); // CALLER\n",
    "a stated type argument": "first<Order>([]).shipIt(); // CALLER\n",
    "a bounded type variable": "function f<T extends Order>(o: T) {\n  o.shipIt(); // CALLER\n}\n",
    "a generic class": "const f = (b: Box<Order>) => b.item.shipIt(); // CALLER\n",
    "a generic class's method": "const f = (b: Box<Order>) => b.getItem().shipIt(); // CALLER\n",
    "a generic class by its constructor": "new Box(new Order()).getItem().shipIt(); // CALLER\n",
    "a generic class by its argument": "new Box<Order>(null!).item.shipIt(); // CALLER\n",
    "await": "async function f() {\n  (await fetchOrder()).shipIt(); // CALLER\n}\n",
    "await of a guess": "async function f() {\n  const o = await fetchGuess();\n  o.shipIt(); // CALLER\n}\n",
    "then": "fetchOrder().then((o) => o.shipIt()); // CALLER\n",
    "Promise.all": (
        "async function f() {\n  const [o] = await Promise.all([fetchOrder()]);\n  o.shipIt(); // CALLER\n}\n"
    ),
    "a generator": "for (const o of walk()) o.shipIt(); // CALLER\n",
    "instanceof": "function f(o: unknown) {\n  if (o instanceof Order) o.shipIt(); // CALLER\n}\n",
    "instanceof with and": "const f = (o: any) => o instanceof Order && o.shipIt(); // CALLER\n",
    "instanceof and an early return": (
        "function f(o: unknown) {\n  if (!(o instanceof Order)) return;\n  o.shipIt(); // CALLER\n}\n"
    ),
    "as": "const f = (o: unknown) => (o as Order).shipIt(); // CALLER\n",
    "an old cast": "const f = (o: unknown) => (<Order>o).shipIt(); // CALLER\n",
    "satisfies": "(new Order() satisfies Ships).shipIt(); // CALLER\n",
    "a conditional": "const f = (a: Order, b: Rush, c: boolean) => (c ? a : b).shipIt(); // CALLER\n",
    "a default for nothing": "const f = (a?: Order) => (a ?? new Order()).shipIt(); // CALLER\n",
    "a default": "const f = (o = new Order()) => o.shipIt(); // CALLER\n",
    "typeof": "const f = (o: typeof current) => o.shipIt(); // CALLER\n",
    "ReturnType": "const f = (o: ReturnType<typeof findOrder>) => o.shipIt(); // CALLER\n",
    "an indexed type": "const f = (o: Row['order']) => o.shipIt(); // CALLER\n",
    "a utility type": "const f = (o: Readonly<Order>) => o.shipIt(); // CALLER\n",
    "an alias of the class": "type O = Order;\nconst f = (o: O) => o.shipIt(); // CALLER\n",
    "an alias with an argument": "type List<T> = T[];\nconst f = (xs: List<Order>) => xs[0].shipIt(); // CALLER\n",
    "a function type": "const f = (make: () => Order) => make().shipIt(); // CALLER\n",
    "a constructor type": "const f = (C: new () => Order) => new C().shipIt(); // CALLER\n",
    "a callback's parameter": (
        "const each = (run: (o: Order) => void) => run(current);\neach((o) => o.shipIt()); // CALLER\n"
    ),
    "a closure": "function f(o: Order) {\n  return () => o.shipIt(); // CALLER\n}\n",
    "a bound method": "const run = current.shipIt; // CALLER\n",
    "a literal index": "table['order'].shipIt(); // CALLER\n",
}


@pytest.mark.parametrize("text", KNOWN.values(), ids=KNOWN.keys())
def test_the_receiver_is_not_known_by(tmp_path: Path, text: str) -> None:
    repo = Repo(tmp_path).commit({"lib.ts": LIBRARY, "use.ts": IMPORTS + text})
    assert [each for each in repo.callers() if each.startswith("use.ts")] == repo.marked()


REFUSED = {
    "another class": "const f = (o: Crate) => o.shipIt();\n",
    "another class that is constructed": "new Crate().shipIt();\n",
    "another class's this": "class C {\n  shipIt() {}\n  run() { this.shipIt(); }\n}\n",
    "an override": "class Late extends Order {\n  shipIt() { return this; }\n}\nnew Late().shipIt();\n",
    "an array": "[].shipIt();\n",
    "a string": "''.shipIt();\n",
    "a Map": "const f = (m: Map<string, Order>) => m.shipIt();\n",
    "an external class": "import { Thing } from 'things';\nconst f = (t: Thing) => t.shipIt();\n",
    "an external module": "import * as things from 'things';\nthings.shipIt();\n",
    "a field of another class": "const f = (s: Shelf) => s.crate.shipIt();\n",
    "an element of another class": "const f = (xs: Crate[]) => xs[0].shipIt();\n",
    "a shadowed parameter": "const f = (current: Crate) => current.shipIt();\n",
    "a local that hides the module's value": "function f() {\n  const current = new Crate();\n  current.shipIt();\n}\n",
    "a block that hides it": "{\n  const current = new Crate();\n  current.shipIt();\n}\n",
    "a property key": "const o = { shipIt: 1 };\n",
    "an own object's method": "const o = { shipIt() {} };\no.shipIt();\n",
    "a function of that name": "function shipIt() {}\nshipIt();\n",
    "a local class of the same name": "function f() {\n  class Order { shipIt() {} }\n  new Order().shipIt();\n}\n",
    "instanceof another class": "function f(o: any) {\n  if (o instanceof Crate) o.shipIt();\n}\n",
    "only an assignment": "current.shipIt = () => current;\n",
    "super of another base": "class Late extends Crate {\n  run() { super.shipIt(); }\n}\n",
    "a type's member": "interface I { shipIt(): void }\n",
}


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED.keys())
def test_a_use_is_listed_though_it_is_of(tmp_path: Path, text: str) -> None:
    repo = Repo(tmp_path).commit({"lib.ts": LIBRARY, "use.ts": IMPORTS + text})
    assert [each for each in repo.callers() if each.startswith("use.ts")] == []


UNSURE = {
    "a parameter without a type": "const f = (o) => o.shipIt(); // MAYBE\n",
    "any": "const f = (o: any) => o.shipIt(); // MAYBE\n",
    "a result nobody knows": "unknownThing().shipIt(); // MAYBE\n",
    "an interface whose shape it has": "const f = (o: Ships) => o.shipIt(); // MAYBE\n",
    "a class with an unknown base": (
        "import { Base } from 'things';\nclass C extends Base {\n  run() { this.shipIt(); } // MAYBE\n}\n"
    ),
    "a caught error": "try {} catch (e) { e.shipIt(); } // MAYBE\n",
}


@pytest.mark.parametrize("text", UNSURE.values(), ids=UNSURE.keys())
def test_a_use_is_claimed_as_certain_or_lost_that_may_be_of(tmp_path: Path, text: str) -> None:
    repo = Repo(tmp_path).commit({"lib.ts": LIBRARY, "use.ts": IMPORTS + text})
    assert [each for each in repo.callers() if each.startswith("use.ts")] == repo.marked()


def test_a_javascript_class_is_not_known_by_its_constructor_or_its_comments(tmp_path: Path) -> None:
    repo = Repo(tmp_path).commit(
        {
            "lib.js": (
                "class Order {\n  shipIt() {} // TARGET\n}\nclass Crate {\n  shipIt() {}\n}\n"
                "module.exports = { Order, Crate };\n"
            ),
            "use.js": """
                const { Crate, Order } = require('./lib');

                const o = new Order();
                o.shipIt(); // CALLER
                new Crate().shipIt();

                /** @param {Order} given */
                function f(given) {
                  given.shipIt(); // CALLER
                }

                class Keeper {
                  constructor() {
                    this.kept = new Order();
                  }

                  run() {
                    this.kept.shipIt(); // CALLER
                  }
                }
                """,
        }
    )
    assert repo.callers() == repo.marked()


def test_merged_declarations_are_two_classes(tmp_path: Path) -> None:
    repo = Repo(tmp_path).commit(
        {
            "lib.ts": (
                "export interface Cart {\n  addOne(): void; // TARGET\n}\nexport interface Cart {\n"
                "  dropOne(): void;\n}\n"
            ),
            "use.ts": "import { Cart } from './lib';\n\nexport const f = (c: Cart) => c.addOne(); // CALLER\n",
        }
    )
    assert repo.callers() == repo.marked()


def test_what_an_interface_extends_is_no_part_of_it(tmp_path: Path) -> None:
    repo = Repo(tmp_path).commit(
        {
            "a.ts": """
                export interface Base<T> {
                  first(): T;  // TARGET
                  item: T;
                }
                export interface Box<T> extends Base<T> { n: number }
                export class Order {
                  pay() {}  // TARGET:pay
                }
                """,
            "use.ts": """
                import { Box, Order } from './a';
                export function f(box: Box<Order>) {
                  box.first().pay();  // CALLER  CALLER:pay
                  box.item.pay();  // CALLER:pay
                }
                """,
        }
    )
    assert repo.callers() == repo.marked()
    assert repo.callers("pay") == repo.marked("pay")

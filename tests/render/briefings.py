"""Briefings made by hand, one for each kind of pull request a renderer has to cope with.

They go through `graph.assembly.assemble`, as real ones do, so that what needs eyes, tests and related files follow
from the callers rather than being written down here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from graph.assembly import assemble
from graph.briefing import (
    Briefing,
    Caller,
    ChangedFile,
    Importer,
    MovedFile,
    NotChecked,
    NotFollowed,
    RunFigures,
    Symbol,
)
from graph.render import Links

HEAD, BASE, MERGE_BASE = "def5678" + "0" * 33, "abc1234" + "1" * 33, "0123456" + "2" * 33

LINKS = Links(
    web_url="https://github.example",
    owner="acme",
    name="shop",
    head_sha=HEAD,
    base_sha=BASE,
    number=7,
    base_ref="main",
)
FIGURES = RunFigures(
    files_in_tree=8312,
    files_searched=8312,
    files_parsed=41,
    facts_from_cache=12,
    searches=3,
    seconds={"total": 1.24},
)


def no_importers(path: str, limit: int) -> Sequence[tuple[str, int, bool]]:
    return ()


def empty() -> Briefing:
    """A change of nothing that Callsheet reads."""
    return assemble(
        head_sha=HEAD,
        base_sha=BASE,
        merge_base=MERGE_BASE,
        graph_from="merge",
        changed=[],
        not_checked=[NotChecked(path="README.md", why="Callsheet does not read Markdown")],
        tree=["README.md"],
        importers=no_importers,
    )


def harmless() -> Briefing:
    """A body changed, three callers, nothing that breaks."""
    symbol = Symbol(
        name="total",
        qualified="Cart.total",
        kind="method",
        line=31,
        end_line=40,
        change="body",
        callers=(
            Caller(path="shop/checkout.py", line=12, kind="call", sure=True, within="checkout"),
            Caller(path="shop/mail.py", line=44, kind="call", sure=False, reason="the receiver's type is not known"),
            Caller(path="tests/test_cart.py", line=9, kind="call", sure=True, within="test_total"),
        ),
    )
    return assemble(
        head_sha=HEAD,
        base_sha=BASE,
        merge_base=MERGE_BASE,
        graph_from="merge",
        changed=[
            ChangedFile(path="shop/cart.py", old_path=None, status="modified", language="python", symbols=(symbol,))
        ],
        tree=["shop/cart.py", "shop/checkout.py", "shop/mail.py", "tests/test_cart.py"],
        importers=no_importers,
    )


def small() -> Briefing:
    """An ordinary pull request: a signature changed under its callers, a function removed, a file moved."""
    place_order = Symbol(
        name="place_order",
        qualified="place_order",
        kind="function",
        line=10,
        end_line=38,
        change="signature",
        compatible=False,
        before="def place_order(cart: Cart, user: User) -> Order:",
        after="def place_order(\n    cart: Cart,\n    user: User,\n    currency: str,\n) -> Order:",
        callers=(
            Caller(
                path="src/api/orders.py",
                line=88,
                kind="call",
                sure=True,
                within="submit",
                fits=False,
                misfit="passes 2 arguments, takes 3",
            ),
            Caller(path="src/api/orders.py", line=131, kind="call", sure=True, within="resubmit", fits=True),
            Caller(
                path="src/jobs/renew.py",
                line=20,
                kind="call",
                sure=False,
                reason="through interface PaymentGateway, name match only",
                via="interface",
                within="Renewal.run",
            ),
            Caller(path="src/jobs/renew.py", line=52, kind="argument", sure=True, within="schedule"),
            Caller(path="tests/test_orders.py", line=14, kind="call", sure=True, within="test_places", fits=True),
        ),
        not_followed=NotFollowed(noise=3, unresolved_receivers=1),
    )
    discount = Symbol(
        name="discount",
        qualified="discount",
        kind="function",
        line=44,
        end_line=51,
        change="removed",
        before="def discount(total: int) -> int:",
        callers=(
            Caller(path="src/web/basket.py", line=7, kind="import", sure=True),
            Caller(path="src/web/basket.py", line=61, kind="call", sure=True, within="Basket.render"),
        ),
    )
    gateway = Symbol(
        name="charge",
        qualified="PaymentGateway.charge",
        kind="method",
        line=9,
        end_line=9,
        change="signature",
        compatible=False,
        before="def charge(self, amount: int) -> Receipt",
        after="def charge(self, amount: Money) -> Receipt",
        callers=(
            Caller(
                path="src/plugins/stripe.py", line=30, kind="value", sure=True, via="override", within="Stripe.charge"
            ),
        ),
    )
    label = Symbol(
        name="label",
        qualified="label",
        kind="function",
        line=60,
        end_line=64,
        change="signature",
        compatible=True,
        before="def label(order)",
        after="def label(order, short=False)",
    )
    return assemble(
        head_sha=HEAD,
        base_sha=BASE,
        merge_base=MERGE_BASE,
        graph_from="merge",
        changed=[
            ChangedFile(
                path="src/orders.py",
                old_path=None,
                status="modified",
                language="python",
                symbols=(discount, place_order, label),
            ),
            ChangedFile(path="src/gateway.py", old_path=None, status="modified", language="python", symbols=(gateway,)),
            ChangedFile(path="src/billing/pricing.py", old_path="src/pricing.py", status="moved", language="python"),
        ],
        moved=[
            MovedFile(
                path="src/billing/pricing.py",
                old_path="src/pricing.py",
                importers=(
                    Importer(path="src/web/basket.py", line=3, module="src.pricing", sure=True),
                    Importer(path="src/web/quote.py", line=2, module="src.pricing", sure=True),
                ),
            )
        ],
        not_checked=[NotChecked(path="deploy/values.yaml", why="Callsheet does not read YAML")],
        tree=[
            "src/orders.py",
            "src/gateway.py",
            "src/plugins/stripe.py",
            "tests/test_orders.py",
            "tests/test_stripe.py",
        ],
        importers=lambda path, limit: (
            (("src/app.py", 4, True), ("tests/test_api.py", 3, True)) if path == "src/api/orders.py" else ()
        ),
    )


def head_only() -> Briefing:
    """The pull request conflicts with its base: callers are those of its own branch."""
    made = harmless()
    return assemble(
        head_sha=HEAD,
        base_sha=None,
        merge_base=MERGE_BASE,
        graph_from="head",
        graph_note="it conflicts with main, so changes merged since aren't included",
        changed=made.changed,
        tree=["tests/test_cart.py"],
        importers=no_importers,
    )


def incomplete() -> Briefing:
    """The time limit was reached."""
    made = small()
    return assemble(
        head_sha=HEAD,
        base_sha=BASE,
        merge_base=MERGE_BASE,
        graph_from="merge",
        incomplete="the time limit of 60 s was reached with 210 of 1,204 files read: callers may be missing",
        changed=made.changed[2:],
        tree=[],
        importers=no_importers,
    )


def moved_and_deleted() -> Briefing:
    """Files moved and deleted, some still imported by their old path."""
    return assemble(
        head_sha=HEAD,
        base_sha=BASE,
        merge_base=MERGE_BASE,
        graph_from="merge",
        changed=[
            ChangedFile(path=None, old_path="src/legacy.ts", status="deleted", language="typescript"),
            ChangedFile(path="src/ui/Button.tsx", old_path="src/Button.tsx", status="moved", language="typescript"),
            ChangedFile(path="src/ui/Menu.tsx", old_path="src/Menu.tsx", status="moved", language="typescript"),
        ],
        moved=[
            MovedFile(
                path=None,
                old_path="src/legacy.ts",
                importers=(
                    Importer(path="src/app.ts", line=3, module="./legacy", sure=True),
                    Importer(path="src/boot.ts", line=9, module="@app/legacy", sure=False),
                ),
            ),
            MovedFile(
                path="src/ui/Button.tsx",
                old_path="src/Button.tsx",
                importers=(Importer(path="src/app.ts", line=4, module="./Button", sure=True),),
            ),
            MovedFile(path="src/ui/Menu.tsx", old_path="src/Menu.tsx"),
        ],
        tree=["src/app.test.ts", "src/app.ts"],
        importers=no_importers,
    )


HOSTILE = (
    "@octocat",
    "a\n\n# Heading\n@acme/security",
    "fix #12 and acme/shop#13 GH-14",
    "![x](https://evil.example/x.png)",
    "[click](https://evil.example)",
    "www.evil.example/a.py",
    "https://evil.example/b.py",
    "<img src=x onerror=alert(1)>.py",
    "</code></summary></details><h1>",
    "``` `` `",
    "`",
    "| a | b |",
    ":tada:",
    "gnp.\u202efdp",
    "\x1b[31mred\x1b[0m",
    "$`x`$ $$y$$",
    "<!-- -->&lt;&#64;user",
    "caf\udce9.py",
    "  both ends  ",
    "*bold* _em_ ~~gone~~ \\",
)


def hostile() -> Briefing:
    """Every name, path and text is chosen to take an effect."""
    files = []
    for number, name in enumerate(HOSTILE):
        callers = tuple(
            Caller(
                path=f"src/{other}/x.py",
                line=number + 1,
                kind="call",
                sure=bool(number % 2),
                reason=f"through {other}",
                via=other,
                within=other,
                fits=False,
                misfit=f"passes {name}=, which is gone",
            )
            for other in (HOSTILE[(number + 1) % len(HOSTILE)], HOSTILE[(number + 2) % len(HOSTILE)])
        )
        symbol = Symbol(
            name=name,
            qualified=name,
            kind="function",
            line=1,
            end_line=2,
            change="signature",
            compatible=False,
            before=f"def f({name}):\n```\n@octocat\r# h",
            after=f"~~~\n{name}",
            callers=callers,
        )
        files.append(ChangedFile(path=name, old_path=None, status="modified", language="python", symbols=(symbol,)))
    return assemble(
        head_sha=HEAD,
        base_sha=BASE,
        merge_base=MERGE_BASE,
        graph_from="merge",
        changed=files,
        moved=[
            MovedFile(
                path=f"{name}/to", old_path=name, importers=(Importer(path=name, line=1, module=name, sure=True),)
            )
            for name in HOSTILE
        ],
        not_checked=[NotChecked(path=name, why=f"because of {name}") for name in HOSTILE],
        incomplete=f"stopped at {HOSTILE[0]} {HOSTILE[4]}",
        tree=list(HOSTILE),
        importers=no_importers,
    )


def huge(callers: int = 50_000) -> Briefing:
    """One definition with `callers` callers in a tenth as many files, and small ones that must not drown beside it."""
    log = Symbol(
        name="log",
        qualified="Logger.log",
        kind="method",
        line=5,
        end_line=9,
        change="signature",
        compatible=False,
        before="log(message: string): void",
        after="log(level: Level, message: string): void",
        callers=tuple(
            Caller(
                path=f"packages/p{number % 40:02}/src/module{number % (callers // 10):05}/😀.ts",
                line=number + 1,
                kind="call",
                sure=number % 3 > 0,
                within=f"Handler{number}.run",
                fits=False if number % 5 == 0 else None,
                misfit="passes 1 argument, takes 2" if number % 5 == 0 else None,
            )
            for number in range(callers)
        ),
    )
    quiet = Symbol(
        name="flush",
        qualified="Logger.flush",
        kind="method",
        line=20,
        end_line=22,
        change="body",
        callers=(Caller(path="packages/p01/src/end.ts", line=3, kind="call", sure=True, within="end"),),
    )
    return assemble(
        head_sha=HEAD,
        base_sha=BASE,
        merge_base=MERGE_BASE,
        graph_from="merge",
        changed=[
            ChangedFile(
                path="packages/log/src/logger.ts",
                old_path=None,
                status="modified",
                language="typescript",
                symbols=(log, quiet),
            )
        ],
        tree=[],
        importers=no_importers,
    )


def generated() -> Briefing:
    """A generated file beside a written one."""
    written, made = (
        ChangedFile(
            path=path,
            old_path=None,
            status="modified",
            language="python",
            generated=path.startswith("gen/"),
            symbols=(
                Symbol(
                    name=name,
                    qualified=name,
                    kind="class",
                    line=3,
                    end_line=30,
                    change="body",
                    callers=(
                        Caller(path="src/use.py", line=4, kind="type", sure=True, within="use"),
                        Caller(path="src/use.py", line=9, kind="new", sure=True, within="use"),
                    ),
                ),
            ),
        )
        for path, name in (("src/order.py", "Order"), ("gen/api_pb2.py", "OrderMessage"))
    )
    return assemble(
        head_sha=HEAD,
        base_sha=BASE,
        merge_base=MERGE_BASE,
        graph_from="merge",
        changed=[made, written],
        tree=[],
        importers=no_importers,
    )


def wide() -> Briefing:
    """A body changed that half the program relies on."""
    symbol = Symbol(
        name="parse",
        qualified="Money.parse",
        kind="method",
        line=12,
        end_line=30,
        change="body",
        callers=tuple(
            Caller(
                path=f"src/{package}/use{number}.py", line=number + 3, kind="call", sure=number % 4 > 0, within="run"
            )
            for package in ("api", "billing", "mail")
            for number in range(4)
        )
        + tuple(Caller(path=f"tests/test_{number:02}.py", line=8, kind="call", sure=True) for number in range(12)),
    )
    return assemble(
        head_sha=HEAD,
        base_sha=BASE,
        merge_base=MERGE_BASE,
        graph_from="merge",
        changed=[
            ChangedFile(path="src/money.py", old_path=None, status="modified", language="python", symbols=(symbol,))
        ],
        tree=["tests/test_money.py"],
        importers=lambda path, limit: (("src/api/use0.py", 1, True), ("src/zebra.py", 2, True)),
    )


ALL: dict[str, Callable[[], Briefing]] = {
    make.__name__: make
    for make in (empty, harmless, small, head_only, incomplete, moved_and_deleted, hostile, huge, generated, wide)
}


def many_broken(count: int, *, deleted: bool = False) -> Briefing:
    """`count` removed or changed definitions, each with a caller that breaks; every third only by name."""
    files = [
        ChangedFile(
            path=None if deleted else f"src/m{number}.py",
            old_path=f"src/m{number}.py" if deleted else None,
            status="deleted" if deleted else "modified",
            language="python",
            symbols=(
                Symbol(
                    name=f"old{number}",
                    qualified=f"old{number}",
                    kind="function",
                    line=number + 1,
                    end_line=number + 1,
                    change="removed" if deleted else "signature",
                    compatible=None if deleted else False,
                    callers=(
                        Caller(
                            path=f"src/use{number}.py",
                            line=9,
                            kind="call",
                            sure=number % 3 > 0,
                            within="use",
                            fits=None if deleted else False,
                        ),
                    ),
                ),
            ),
        )
        for number in range(count)
    ]
    return assemble(
        head_sha=HEAD,
        base_sha=BASE,
        merge_base=MERGE_BASE,
        graph_from="merge",
        changed=files,
        tree=[],
        importers=no_importers,
    )

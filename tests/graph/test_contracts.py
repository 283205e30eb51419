"""What asks a class for a method that a change takes from it, or makes another one."""

from __future__ import annotations

import pytest

from graph.briefing import Caller
from graph.contracts import Contracts
from tests.graph.stories import Repo, Told


def asked(brief: Told, qualified: str) -> list[str]:
    """`path:line` of what asks for the method, with "?" where it may; then how it is no longer kept."""
    return [
        f"{each.path}:{each.line}{'' if each.sure else ' ?'}: {each.misfit}"
        for each in brief.symbol(qualified).callers
        if each.via == "contract"
    ]


def every_caller(brief: Told) -> list[Caller]:
    return [caller for file in brief.briefing.changed for symbol in file.symbols for caller in symbol.callers]


# -- an interface that is implemented by name --------------------------------------------------------------------------

STORE_PHP = """
    <?php
    namespace Shop;

    interface Store
    {
        public function get(string $key): string;
        public function put(string $key, string $value): void;
    }
"""
MEM_PHP = """
    <?php
    namespace Shop;

    {head}
    {{
        public function get(string $key): string
        {{
            return $key;
        }}
    {put}
    }}
"""
PUT_PHP = "    public function put(string $key, string $value): void\n        {\n        }"


def php(repo: Repo, after: str, head: str = "class Mem implements Store", more: dict[str, str] | None = None) -> Told:
    files = {"composer.json": '{"autoload": {"psr-4": {"Shop\\\\": "src/"}}}', "src/Store.php": STORE_PHP}
    repo.commit({**files, **(more or {}), "src/Mem.php": MEM_PHP.format(head=head, put=PUT_PHP)})
    return repo.commit({"src/Mem.php": MEM_PHP.format(head=head, put=after)}).brief()


def test_a_method_goes_that_an_interface_asks_for_and_nobody_is_told(repo: Repo) -> None:
    brief = php(repo, "")
    assert asked(brief, "Mem.put") == ["src/Store.php:7: `Mem` no longer implements `Store`"]
    assert [(eye.what, eye.text) for eye in brief.briefing.eyes] == [
        ("override", "`Store.put` asks for `Mem.put`, which this change removes: `Mem` no longer implements `Store`")
    ]


@pytest.mark.parametrize(
    ("after", "kept"),
    [
        ("    public function put(string $name, string $value): void {}", True),
        ("    public function put(string $key, string $value, int $ttl = 0): void {}", True),
        ("    public function put(string $key, string $value, int $ttl): void {}", False),
        ("    public function put(string $key): void {}", False),
        ("    public function put(string $key, string ...$values): void {}", True),
    ],
)
def test_a_method_no_longer_takes_what_its_interface_says_or_is_blamed_though_it_does(
    repo: Repo, after: str, kept: bool
) -> None:
    assert asked(php(repo, after), "Mem.put") == (
        [] if kept else ["src/Store.php:7: `Mem` no longer implements `Store`"]
    )


@pytest.mark.parametrize(
    ("head", "more"),
    [
        ("class Mem", {}),  # promises nothing
        ("abstract class Mem implements Store", {}),  # whoever extends it has to have it
        (
            "class Mem extends Base implements Store",
            {"src/Base.php": "<?php\nnamespace Shop;\n\nclass Base\n{\n    public function put($key, $value) {}\n}\n"},
        ),
        ("class Mem extends \\Lib\\Base implements Store", {}),  # it may have it
        (
            "class Mem implements Store",
            {
                "src/Store.php": """
                    <?php
                    namespace Shop;

                    interface Store
                    {
                        public function get(string $key): string;
                    }
                """
            },
        ),
    ],
)
def test_a_class_is_blamed_for_a_method_that_it_need_not_have(repo: Repo, head: str, more: dict[str, str]) -> None:
    assert asked(php(repo, "", head, more), "Mem.put") == []


def test_an_interface_that_no_longer_asks_for_the_method_is_said_to(repo: Repo) -> None:
    files = {"composer.json": '{"autoload": {"psr-4": {"Shop\\\\": "src/"}}}'}
    repo.commit({**files, "src/Store.php": STORE_PHP, "src/Mem.php": MEM_PHP.format(head="class Mem", put=PUT_PHP)})
    without = STORE_PHP.replace("        public function put(string $key, string $value): void;\n", "")
    brief = repo.commit({"src/Store.php": without, "src/Mem.php": MEM_PHP.format(head="class Mem", put="")}).brief()
    assert asked(brief, "Mem.put") == []


def test_a_typescript_class_lacks_what_its_interface_asks_for(repo: Repo) -> None:
    store = "export interface Store {\n  get(key: string): string;\n  put(key: string): void;\n  drop?(): void;\n}\n"
    mem = """
        import {{ Store }} from "./store";

        export class Mem implements Store {{
          get(key: string) {{ return key; }}
          {}
        }}
    """
    repo.commit({"store.ts": store, "mem.ts": mem.format("put(key: string) {}\n  drop() {}")})
    brief = repo.commit({"mem.ts": mem.format("")}).brief()
    assert asked(brief, "Mem.put") == ["store.ts:3: `Mem` no longer implements `Store`"]
    assert asked(brief, "Mem.drop") == []
    brief = repo.commit({"mem.ts": mem.format("put(key: string, value: string) {}")}).brief()
    assert asked(brief, "Mem.put") == ["store.ts:3: `Mem` no longer implements `Store`"]


# -- a class above -----------------------------------------------------------------------------------------------------

BASE_PY = """
    from abc import ABC, abstractmethod


    class Base(ABC):
        @abstractmethod
        def settle(self, order): ...

        def close(self, order):
            self.settle(order)

        def __hidden(self): ...
"""


SETTLE = "base.py:6: it no longer takes all that `Base.settle` takes"
CLOSE = "base.py:8: it no longer takes all that `Base.close` takes"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("settle(self, order)", "", ["base.py:6: `Leaf` must have it"]),
        (
            "settle(self, order)",
            "settle(self, order, tax)",
            [SETTLE],
        ),
        ("settle(self, order)", "settle(self, order, tax=0)", []),
        ("settle(self, order)", "settle(self, *args, **kwargs)", []),
        ("settle(self, order)", "settle(self, sale)", [SETTLE]),
        ("settle(self, order, tax)", "settle(self, order, tax, sum)", []),  # it never did
        ("close(self, order)", "", []),  # the one above is there
        ("close(self, order)", "close(self)", [CLOSE]),
        ("__hidden(self)", "__hidden(self, order)", []),
    ],
)
def test_a_method_no_longer_stands_for_the_one_above(repo: Repo, before: str, after: str, expected: list[str]) -> None:
    leaf = "from base import Base\n\n\nclass Leaf(Base):\n    other = 1\n{}\n"
    repo.commit({"base.py": BASE_PY, "leaf.py": leaf.format(f"    def {before}: ...")})
    brief = repo.commit({"leaf.py": leaf.format(f"    def {after}: ..." if after else "")}).brief()
    qualified = f"Leaf.{before.partition('(')[0]}"
    assert asked(brief, qualified) == expected


# -- an interface that nobody names ------------------------------------------------------------------------------------

GO = {
    "go.mod": "module example.com/shop\n\ngo 1.22\n",
    "store/store.go": """
        package store

        type Store interface {
            Get(key string) string
            Put(key, value string)
        }
    """,
}
MEM_GO = """
    package mem

    type Mem struct{{}}

    func (m *Mem) Get(key string) string {{ return key }}

    {}
"""
PUT_GO = "func (m *Mem) Put(key, value string) {}"
SAYS = 'package shop\n\nimport (\n\t"example.com/shop/mem"\n\t"example.com/shop/store"\n)\n\n'


@pytest.mark.parametrize(
    ("after", "kept"),
    [
        ("", False),
        ("func (m *Mem) Put(key string, value int) {}", False),
        ("func (m *Mem) Put(key, value string, more ...int) {}", False),  # calls still fit
        ("func (m *Mem) Put(key, value string) error { return nil }", False),
        ("func (m *Mem) Put(name, value string) {}", True),
    ],
)
@pytest.mark.parametrize(
    ("says", "place"),
    [
        ("", "store/store.go:5 ?"),
        ("var _ store.Store = (*mem.Mem)(nil)\n", "says.go:8"),
        ("var _ store.Store = &mem.Mem{}\n", "says.go:8"),
        ("var (\n\t_ store.Store = new(mem.Mem)\n)\n", "says.go:9"),
        ("var store store.Store = mem.New()\n", "store/store.go:5 ?"),
        ("var _ other.Store = (*mem.Membrane)(nil)\n", "store/store.go:5 ?"),
    ],
)
def test_a_go_type_stops_to_implement_an_interface(repo: Repo, after: str, kept: bool, says: str, place: str) -> None:
    repo.commit({**GO, "mem/mem.go": MEM_GO.format(PUT_GO), "says.go": SAYS + says})
    brief = repo.commit({"mem/mem.go": MEM_GO.format(after)}).brief()
    if kept:
        assert not any(each.via == "contract" for each in every_caller(brief))
    else:
        assert asked(brief, "Mem.Put") == [f"{place}: `Mem` no longer implements `Store`"]


def test_a_go_type_still_gets_the_method_from_what_it_embeds(repo: Repo) -> None:
    embedding = MEM_GO.replace(
        "struct{{}}",
        "struct{{ Base }}\n\n    type Base struct{{}}\n\n    "
        + PUT_GO.replace("(m *Mem)", "(b Base)").replace("{}", "{{}}"),
    )
    repo.commit({**GO, "mem/mem.go": embedding.format(PUT_GO)})
    brief = repo.commit({"mem/mem.go": embedding.format("")}).brief()
    assert asked(brief, "Mem.Put") == []


def test_what_embeds_a_go_type_stops_to_implement_an_interface(repo: Repo) -> None:
    head = 'package wide\n\nimport "example.com/shop/mem"\n\n'
    wide = head + "type Wide struct{ *mem.Mem }\n\nfunc (w Wide) List() {}\n"
    lists = "package wide\n\ntype lister interface {\n\tList()\n\tPut(key, value string)\n}\n"
    repo.commit({**GO, "mem/mem.go": MEM_GO.format(PUT_GO), "wide/wide.go": wide, "wide/lists.go": lists})
    brief = repo.commit({"mem/mem.go": MEM_GO.format("")}).brief()
    assert asked(brief, "Mem.Put") == [
        "store/store.go:5 ?: `Mem` no longer implements `Store`",
        "wide/lists.go:5 ?: `Wide` no longer implements `lister`",
    ]


def test_contracts_are_not_what_is_asked_for_here(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests above can fail: without the search nothing is found."""
    monkeypatch.setattr(Contracts, "broken", lambda *_: [])
    assert asked(php(repo, ""), "Mem.put") == []

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
        ("    protected function put(string $key, string $value): void {}", False),
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

        def any(self, *args, **kwargs): ...

        def dispatch(self, request, *args): ...

        @staticmethod
        def fixed(order): ...
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
        ("settle(self, order)", "settle(self, sale)", []),  # who names an argument may fail, and hardly anybody does
        ("settle(self, order)", "settle(self, *order)", []),
        ("settle(self, order)", "settle(self, order, *, tax)", [SETTLE]),
        ("settle(self, order)", "settle(self, order, *, tax=0)", []),
        ("any(self, *args, **kwargs)", "any(self, order)", []),
        ("dispatch(self, request, *args)", "dispatch(self, request, pk=None, *args)", []),
        ("fixed(order)", "fixed(self, order)", []),
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


# -- what comes another way, or from elsewhere -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("head", "more", "expected"),
    [
        # an interface from outside brings no body; a class or trait from there may
        ("class Mem implements Store, \\Psr\\Log\\Aware", {}, "src/Store.php:7: `Mem` no longer implements `Store`"),
        ("class Mem extends \\Lib\\Base implements Store", {}, "src/Store.php:7 ?: `Mem` no longer implements `Store`"),
        # who has the method from there
        (
            "abstract class Mem implements Store",
            {"src/Leaf.php": "<?php\nnamespace Shop;\n\nclass Leaf extends Mem\n{\n}\n"},
            "src/Store.php:7: `Leaf` no longer implements `Store`",
        ),
        (
            "trait Mem",
            {"src/Leaf.php": "<?php\nnamespace Shop;\n\nclass Leaf implements Store\n{\n    use Mem;\n}\n"},
            "src/Store.php:7: `Leaf` no longer implements `Store`",
        ),
        (
            "class Mem",
            {"src/Leaf.php": "<?php\nnamespace Shop;\n\nclass Leaf extends Mem implements Store\n{\n}\n"},
            "src/Store.php:7: `Leaf` no longer implements `Store`",
        ),
    ],
)
def test_a_contract_of_another_class_is_told_of(repo: Repo, head: str, more: dict[str, str], expected: str) -> None:
    assert asked(php(repo, "", head, more), "Mem.put") == [expected]


HELPER_PHP = "<?php\nnamespace Shop;\n\ntrait Helper\n{\n    public function help() {}\n}\n"
BASE_PHP = """
    <?php
    namespace Shop;

    abstract class Base implements Store
    {
        use Helper;

        public function put(string $key, string $value): void {}
    }
"""


def test_a_class_lacks_what_the_one_above_has_since_both_use_a_trait(repo: Repo) -> None:
    head = "class Mem extends Base"
    files = {"src/Helper.php": HELPER_PHP, "src/Base.php": BASE_PHP}
    uses = "    use Helper;\n\n    "
    repo.commit({"src/Store.php": STORE_PHP, **files, "src/Mem.php": MEM_PHP.format(head=head, put=uses + PUT_PHP)})
    brief = repo.commit({"src/Mem.php": MEM_PHP.format(head=head, put=uses)}).brief()
    assert asked(brief, "Mem.put") == []


def test_the_callers_of_a_class_are_lost_that_uses_a_trait_of_the_one_above(repo: Repo) -> None:
    use = "<?php\nnamespace Shop;\n\nfunction run(Mem $mem) { $mem->put('a', 'b'); } // CALLER\n"
    mem = MEM_PHP.format(head="class Mem extends Base", put="    use Helper;\n")
    files = {"src/Store.php": STORE_PHP, "src/Helper.php": HELPER_PHP, "src/Base.php": BASE_PHP, "src/Mem.php": mem}
    repo.commit({**files, "src/run.php": use})
    repo.commit({"src/Base.php": BASE_PHP.replace("void {}", "void { return; }")})
    assert repo.brief().callers("Base.put") == repo.marked(rev=0)


def test_a_trait_that_asks_for_a_method_hides_the_one_above(repo: Repo) -> None:
    asks = HELPER_PHP.replace("public function help() {}", "abstract public function put($key, $value);")
    use = "<?php\nnamespace Shop;\n\nfunction run(Mem $mem) { $mem->put('a', 'b'); } // CALLER\n"
    base = BASE_PHP.replace("        use Helper;\n\n", "")
    mem = MEM_PHP.format(head="class Mem extends Base", put="    use Helper;\n")
    repo.commit(
        {
            "src/Store.php": STORE_PHP,
            "src/Helper.php": asks,
            "src/Base.php": base,
            "src/Mem.php": mem,
            "src/run.php": use,
        }
    )
    repo.commit({"src/Base.php": base.replace("void {}", "void { return; }")})
    assert repo.brief().callers("Base.put") == repo.marked(rev=0)


TYPESCRIPT = "export interface Store {{\n  get(key: string): string;\n  put(key: string, more?: string): void;\n}}\n{}"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("class Mem implements Store, OnInit", "", ["store.ts:3: `Mem` no longer implements `Store`"]),
        ("abstract class Mem implements Store", "", ["store.ts:3: `Mem` no longer implements `Store`"]),
        ("class Mem implements Real", "", ["store.ts:5: `Mem` must have it"]),
        ("class Mem extends Real", "", []),
        ("class Mem implements Less", "", []),
        ("class Mem implements Omit<Store, 'put'>", "", []),
        ("interface Mem extends Store {}\nexport class Mem implements Store", "", []),
        ("class Mem extends (Other as any) implements Store", "", ["store.ts:3 ?: `Mem` no longer implements `Store`"]),
        ("class Mem implements Store", "put(key: string, more: string) {}", []),
        ("class Mem implements Store", "put() {}", []),
        (
            "class Mem implements Store",
            "put(key: string, more: string, most: string) {}",
            ["store.ts:3: `Mem` no longer implements `Store`"],
        ),
        ("class Mem implements Free", "put(a: string, b: string) {}", []),
    ],
)
def test_a_typescript_class_is_blamed_where_the_checker_is_content_or_goes_free_where_not(
    repo: Repo, before: str, after: str, expected: list[str]
) -> None:
    more = (
        "export class Real { put(key: string, more?: string) {} }\nexport interface Free { put(...all: any[]): void }\n"
    )
    head = (
        'import { Store, Real, Free } from "./store";\nimport { OnInit } from "lib";\ntype Less = Omit<Store, "put">;\n'
    )
    mem = f"{head}export {before} {{\n  get(key: string) {{ return key; }}\n  {{}}\n}}\n".replace("{}\n}", "@\n}")
    repo.commit({"store.ts": TYPESCRIPT.format(more), "mem.ts": mem.replace("@", "put(key: string, more?: string) {}")})
    brief = repo.commit({"mem.ts": mem.replace("@", after)}).brief()
    assert asked(brief, "Mem.put") == expected


@pytest.mark.parametrize(
    "body",
    [
        "class Leaf(Base, ABC):\n    {}\n    other = 1\n",
        "class Leaf(Base, metaclass=ABCMeta):\n    {}\n    other = 1\n",
        "class Leaf(Base):\n    {}\n    @abstractmethod\n    def more(self): ...\n",
    ],
)
def test_a_class_that_is_abstract_itself_must_have_a_method(repo: Repo, body: str) -> None:
    head = "from abc import ABC, ABCMeta, abstractmethod\nfrom base import Base\n\n\n"
    repo.commit({"base.py": BASE_PY, "leaf.py": head + body.format("def settle(self, order): ...")})
    assert asked(repo.commit({"leaf.py": head + body.format("")}).brief(), "Leaf.settle") == []


def test_a_mixin_keeps_the_contracts_of_those_who_use_it(repo: Repo) -> None:
    leaf = "from base import Base\nfrom mixin import Mixin\n\n\nclass Leaf(Mixin, Base):\n    other = 1\n"
    mixin = "class Mixin:\n    other = 1\n    {}\n"
    repo.commit({"base.py": BASE_PY, "leaf.py": leaf, "mixin.py": mixin.format("def settle(self, order): ...")})
    brief = repo.commit({"mixin.py": mixin.format("")}).brief()
    assert asked(brief, "Mixin.settle") == ["base.py:6: `Leaf` must have it"]


@pytest.mark.parametrize(
    "says",
    [
        'import "example.com/shop/store"\n\nvar _ store.Store = (*Mem)(nil)\n\ntype Mem struct{}\n',  # another Mem
        'import "example.com/shop/mem"\n\nvar _ Store = (*mem.Mem)(nil)\n\ntype Store interface{ Get() }\n',
        'import (\n\t"example.com/shop/mem"\n\t"github.com/other/store"\n)\n\nvar _ store.Store = (*mem.Mem)(nil)\n',
        'import (\n\t"example.com/shop/mem"\n\t"example.com/shop/store"\n)\n\n/*\nvar _ store.Store = mem.Mem{}\n*/\n',
    ],
)
def test_another_type_or_interface_of_that_name_says_it(repo: Repo, says: str) -> None:
    repo.commit({**GO, "mem/mem.go": MEM_GO.format(PUT_GO), "says/says.go": "package says\n\n" + says})
    brief = repo.commit({"mem/mem.go": MEM_GO.format("")}).brief()
    assert asked(brief, "Mem.Put") == ["store/store.go:5 ?: `Mem` no longer implements `Store`"]


def test_an_interface_of_one_common_method_is_told_of_where_the_code_says_that_it_is_implemented(repo: Repo) -> None:
    files = {
        "go.mod": GO["go.mod"],
        "io/io.go": "package io\n\ntype Reader interface {\n\tRead(p []byte) (int, error)\n}\n",
        "mem/mem.go": "package mem\n\ntype Mem struct{}\n\nfunc (m *Mem) Read(p []byte) (int, error) { panic(1) }\n",
        "mem/other.go": 'package mem\n\nimport "example.com/shop/io"\n\nvar _ io.Reader = (*Mem)(nil)\n',
    }
    repo.commit(files).commit({"mem/mem.go": "package mem\n\ntype Mem struct{}\n"})
    assert asked(repo.brief(), "Mem.Read") == ["mem/other.go:5: `Mem` no longer implements `Reader`"]


def test_what_must_implement_an_interface_for_certain_may_lack_what_it_now_asks_for(repo: Repo) -> None:
    files = {**GO, "mem/mem.go": MEM_GO.format(PUT_GO), "says.go": SAYS + "var _ store.Store = (*mem.Mem)(nil)\n"}
    more = GO["store/store.go"].replace("        }\n", "            Drop(key string)\n        }\n")
    repo.commit(files).commit({"store/store.go": more})
    (caller,) = (each for each in repo.brief().symbol("Store").callers if each.via == "override")
    assert (caller.path, caller.sure, caller.fits, caller.misfit) == ("mem/mem.go", True, False, "it has no Drop")


def test_what_a_go_type_embeds_from_outside_may_have_the_method(repo: Repo) -> None:
    head = 'package m\n\nimport "database/sql"\n\ntype Ends interface {\n\tCommit() error\n\tOther()\n}\n\n'
    own = "var _ Ends = &Tx{}\n\ntype Tx struct{ *sql.Tx }\n\nfunc (t *Tx) Other() {}\n"
    wraps = "func (t *Tx) Commit() error { return t.Tx.Commit() }\n"
    repo.commit({"go.mod": "module m\n\ngo 1.22\n", "a.go": head + own + wraps}).commit({"a.go": head + own})
    assert asked(repo.brief(), "Tx.Commit") == ["a.go:10 ?: `Tx` no longer implements `Ends`"]


@pytest.mark.parametrize(
    ("leaf", "less"),
    [
        (
            "class Leaf(Key):\n    x = 1\n    def __lt__(self, o): ...\n",
            "@dataclass(order=True)\nclass Leaf(Key):\n    x = 1\n",
        ),
        ("class Leaf(dict, Key):\n    x = 1\n    def __lt__(self, o): ...\n", "class Leaf(dict, Key):\n    x = 1\n"),
    ],
)
def test_a_decorator_or_a_built_in_class_may_have_the_method(repo: Repo, leaf: str, less: str) -> None:
    base = (
        "from abc import ABC, abstractmethod\n\n\nclass Key(ABC):\n    @abstractmethod\n    def __lt__(self, o): ...\n"
    )
    head = "from dataclasses import dataclass\nfrom base import Key\n\n\n"
    repo.commit({"base.py": base, "leaf.py": head + leaf}).commit({"leaf.py": head + less})
    assert asked(repo.brief(), "Leaf.__lt__") == ["base.py:6 ?: `Leaf` must have it"]


def test_one_of_several_definitions_keeps_the_contract(repo: Repo) -> None:
    one = "class Leaf(Base):\n    def close(self, order): ...\n"
    two = "class Leaf(Base):\n    if A:\n        def close(self, order, tax): ...\n    else:\n"
    two += "        def close(self, order): ...\n"
    repo.commit({"base.py": BASE_PY, "leaf.py": "from base import Base\n\n\n" + one})
    assert asked(repo.commit({"leaf.py": "from base import Base\n\n\n" + two}).brief(), "Leaf.close") == []

"""Members that fewer places may name than before."""

from __future__ import annotations

import pytest

from tests.graph.stories import Repo

COMPOSER = '{"autoload": {"psr-4": {"App\\\\": "src/"}}}'
MEM = """\
    <?php
    namespace App;
    class Mem extends Root
    {
        public int $n = 0;
        public function m(): int { return $this->n; }
    }
    """
USE = """\
    <?php
    namespace App;
    final class Job
    {
        public function go(Mem $mem): int
        {
            $mem->n = 2;
            return $mem->n + $mem->m();
        }
    }
    class Leaf extends Mem
    {
        public function leaf(): int { return $this->n + $this->m(); }
    }
    class Beside extends Root
    {
        public function beside(Mem $mem): int { return $mem->n + $mem->m(); }
    }
    function apart(Mem $mem): int { return $mem->n + $mem->m(); }
    """
ROOT = "<?php\nnamespace App;\nclass Root {}\n"
FILES = {"composer.json": COMPOSER, "src/Mem.php": MEM, "src/Root.php": ROOT, "src/use.php": USE}
LINES = (7, 8, 13, 17, 19)


def fits(repo: Repo, name: str) -> tuple[bool | None, ...]:
    found = repo.brief().fits(name)
    return tuple(found[f"src/use.php:{line}"] for line in LINES if f"src/use.php:{line}" in found)


@pytest.mark.parametrize(
    ("level", "wanted"),
    [("private", (False, False, False, False, False)), ("protected", (False, False, True, None, False))],
)
def test_a_property_is_used_from_where_it_may_not_be(repo: Repo, level: str, wanted: tuple[bool | None, ...]) -> None:
    repo.commit(FILES).commit({"src/Mem.php": MEM.replace("public int", f"{level} int")})
    assert fits(repo, "Mem.$n") == wanted
    told = repo.brief()
    assert {each.misfit for each in told.symbol("Mem.$n").callers if each.fits is False} == {f"it is {level} now"}
    assert told.symbol("Mem.$n").compatible is False


@pytest.mark.parametrize(
    ("level", "wanted"), [("private", (False, False, False, False)), ("protected", (False, True, None, False))]
)
def test_a_method_is_called_from_where_it_may_not_be(repo: Repo, level: str, wanted: tuple[bool | None, ...]) -> None:
    repo.commit(FILES).commit({"src/Mem.php": MEM.replace("public function m", f"{level} function m")})
    assert fits(repo, "Mem.m") == wanted


def test_a_property_of_the_constructor_is_used_from_where_it_may_not_be(repo: Repo) -> None:
    mem = "<?php\nnamespace App;\nclass Mem extends Root\n{\n    public function __construct(public int $n) {}\n}\n"
    repo.commit({**FILES, "src/Mem.php": mem}).commit({"src/Mem.php": mem.replace("public int", "private int")})
    assert fits(repo, "Mem.$n") == (False, False, False, False, False)


def test_a_wider_property_no_longer_fits(repo: Repo) -> None:
    repo.commit({**FILES, "src/Mem.php": MEM.replace("public int", "protected int")})
    repo.commit({"src/Mem.php": MEM})
    assert False not in fits(repo, "Mem.$n")


@pytest.mark.parametrize(
    "mem",
    [
        MEM.replace(
            "public function m", "public function __get($name) { return 1; } public function m"
        ),  # answers for it
        MEM.replace("extends Root", "extends \\Vendor\\Model"),  # which may have one
        MEM.replace("class Mem extends Root", "trait Mem"),
    ],
)
def test_a_property_that_something_may_answer_for_is_judged(repo: Repo, mem: str) -> None:
    repo.commit({**FILES, "src/Mem.php": mem}).commit({"src/Mem.php": mem.replace("public int", "private int")})
    assert False not in fits(repo, "Mem.$n")


def test_a_closure_that_is_bound_to_the_class_may_not_use_it(repo: Repo) -> None:
    use = """\
        <?php
        namespace App;
        class Hydrator
        {
            public function fill(): \\Closure
            {
                return \\Closure::bind(static function (Mem $mem) {
                    $mem->n = 1;
                    return $mem->m();
                }, null, Mem::class);
            }
        }
        """
    repo.commit({**FILES, "src/use.php": use}).commit({"src/Mem.php": MEM.replace("public ", "private ")})
    told = repo.brief()
    assert told.fits("Mem.$n")["src/use.php:8"] is None
    assert told.fits("Mem.m")["src/use.php:9"] is None


def test_a_callable_of_what_is_private_passes(repo: Repo) -> None:
    use = """\
        <?php
        namespace App;
        function go(Mem $mem, array $all): array
        {
            array_map([$mem, 'm'], $all);
            return array_map($mem->m(...), $all);
        }
        """
    repo.commit({**FILES, "src/use.php": use})
    repo.commit({"src/Mem.php": MEM.replace("public function", "private function")})
    assert repo.brief().fits("Mem.m") == {"src/use.php:5": False, "src/use.php:6": False}


# --------------------------------------------------------------------------------------------------------- TypeScript


TS = """\
    export class Mem {
      public n = 0;
      constructor(public size: number) {}
      m(): number { return this.n + this.size; }
      static make(): Mem { return new Mem(1); }
    }
    """
TS_USE = """\
    import { Mem } from "./mem";
    export class Job {
      go(mem: Mem): number { return mem.n + mem.m() + mem.size; }
    }
    export class Leaf extends Mem {
      leaf(): number { return this.n + this.m() + this.size; }
      in(mem: Mem): number { return mem["n"] + mem["m"]() + mem["size"]; }
    }
    export const apart = (mem: Mem) => mem.n + mem.m() + mem.size;
    """


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("Mem.n", "public n", "LEVEL n"),
        ("Mem.m", "m(): number {", "LEVEL m(): number {"),
        ("Mem.size", "public size", "LEVEL size"),
    ],
)
@pytest.mark.parametrize(("level", "leaf"), [("private", False), ("protected", True)])
def test_a_member_is_used_in_typescript_from_where_it_may_not_be(
    repo: Repo, name: str, before: str, after: str, level: str, leaf: bool
) -> None:
    repo.commit({"mem.ts": TS, "use.ts": TS_USE}).commit({"mem.ts": TS.replace(before, after.replace("LEVEL", level))})
    told = repo.brief().fits(name)
    found = {place: fit for place, fit in told.items() if place.startswith("use.ts") and place != "use.ts:7"}
    assert found == {"use.ts:3": False, "use.ts:6": leaf, "use.ts:9": False}
    assert told.get("use.ts:7") is not False


def test_plain_javascript_is_held_to_typescripts_visibility(repo: Repo) -> None:
    use = 'import { Mem } from "./mem";\nexport const f = () => new Mem(1).m();\n'
    repo.commit({"mem.ts": TS, "use.js": use}).commit({"mem.ts": TS.replace("m(): number", "private m(): number")})
    assert False not in repo.brief().fits("Mem.m").values()


def test_what_the_checker_is_told_to_let_pass_is_judged(repo: Repo) -> None:
    use = """\
        import { Mem } from "./mem";
        export function f(mem: Mem): number {
          const any = mem as any;
          // @ts-expect-error to test it
          mem.m();
          (mem as any).m();
          return any.m();
        }
        """
    repo.commit({"mem.ts": TS, "use.ts": use}).commit({"mem.ts": TS.replace("m(): number", "private m(): number")})
    assert False not in repo.brief().fits("Mem.m").values()


def test_a_class_inside_of_the_class_may_not_use_it(repo: Repo) -> None:
    mem = TS.replace("static make(): Mem {", "static make(): Mem { class In { f(mem: Mem) { return mem.m(); } }")
    repo.commit({"mem.ts": mem}).commit({"mem.ts": mem.replace("  m(): number", "  private m(): number")})
    assert False not in repo.brief().fits("Mem.m").values()

"""Files and definitions that move or go: who still asks for them by the old name, and who need not care."""

from __future__ import annotations

import pytest

from tests.graph.stories import Repo

USER = "export function getUser(id: number): string {\n  return `user ${id}`;\n}\n"


# ---------------------------------------------------------------------------------------------- TypeScript: to an index


def test_a_file_that_becomes_a_folder_breaks_everybody_or_nobody(repo: Repo) -> None:
    repo.commit(
        {
            "src/store.ts": USER,
            "src/plain.ts": "import { getUser } from './store';\n\nexport const p = () => getUser(1);\n",
            "src/strict.ts": "import { getUser } from './store.js';\n\nexport const s = () => getUser(3);\n",
            "src/admin/panel.ts": "import { getUser } from '../store';\n\nexport const a = () => getUser(2);\n",
        }
    ).commit(
        {
            "src/store.ts": None,
            "src/store/index.ts": USER,
            "src/admin/panel.ts": "import { getUser } from '../store/index';\n\nexport const a = () => getUser(2);\n",
        }
    )
    brief = repo.brief()
    assert brief.stale_imports() == ["src/strict.ts:1"]
    assert brief.eyes() == ["stale-import src/strict.ts:1"]


def test_a_moved_file_leaves_imports_through_an_alias_unseen(repo: Repo) -> None:
    repo.commit(
        {
            "tsconfig.json": '{ "compilerOptions": { "paths": { "@/*": ["./src/*"] } } }',
            "src/a/date.ts": "export const today = () => 1;\n",
            "src/use.ts": "import { today } from '@/a/date';\ntoday();\n",
            "src/lazy.ts": "export const f = () => import('./a/date');\n",
            "src/old.js": "const { today } = require('./a/date');\ntoday();\n",
            "src/re.ts": "export * from './a/date';\n",
            "src/typed.ts": "import type * as d from './a/date';\nexport type D = typeof d;\n",
            "src/side.ts": "import './a/date';\n",
            "src/other.ts": "import { today } from '@/b/date';\ntoday();\n",
        }
    ).commit({"src/a/date.ts": None, "src/time/date.ts": "export const today = () => 1;\n"})
    brief = repo.brief()
    assert brief.stale_imports() == [
        "src/lazy.ts:1",
        "src/old.js:1",
        "src/re.ts:1",
        "src/side.ts:1",
        "src/typed.ts:1",
        "src/use.ts:1",
    ]
    assert brief.file("src/time/date.ts").status == "moved"


def test_a_move_without_an_edit_makes_targets_or_untested_code(repo: Repo) -> None:
    repo.commit(
        {"a/one.py": "def compute():\n    return 1\n", "use.py": "from a.one import compute\n\ncompute()\n"}
    ).commit({"a/one.py": None, "b/one.py": "def compute():\n    return 1\n"})
    brief = repo.brief()
    assert brief.changes() == {}
    assert brief.stale_imports() == ["use.py:1"]
    assert brief.briefing.untested == ()
    assert brief.eyes() == ["stale-import use.py:1"]


def test_importers_that_the_same_change_updates_are_called_stale(repo: Repo) -> None:
    repo.commit(
        {
            "a/one.py": "def compute():\n    return 1\n",
            "use.py": "from a.one import compute\n\ncompute()\n",
            "late.py": "import a.one\n",
        }
    ).commit(
        {
            "a/one.py": None,
            "b/one.py": "def compute():\n    return 1\n",
            "use.py": "from b.one import compute\n\ncompute()\n",
        }
    )
    assert repo.brief().stale_imports() == ["late.py:1"]


@pytest.mark.parametrize(
    "importer",
    [
        "from pkg.old import thing\n",
        "from pkg import old\n",
        "import pkg.old\n",
        "import pkg.old as o\n",
        "from pkg.old import *\n",
        "def f():\n    from pkg.old import thing\n",
        "import importlib\nimportlib.import_module('pkg.old')\n",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import pkg.old\n",
    ],
)
def test_this_import_of_a_deleted_module_is_not_stale(repo: Repo, importer: str) -> None:
    repo.commit(
        {
            "pkg/__init__.py": "",
            "pkg/old.py": "thing = 1\n",
            "use.py": importer,
            "other.py": "import old\nfrom other.pkg import old as o\n",
        }
    ).commit({"pkg/old.py": None})
    line = next(n for n, text in enumerate(importer.splitlines(), start=1) if "pkg" in text)
    assert repo.brief().stale_imports() == [f"use.py:{line}"]


def test_a_module_that_becomes_a_package_breaks_its_importers(repo: Repo) -> None:
    repo.commit(
        {"pkg/__init__.py": "", "pkg/old.py": "def f():\n    pass\n", "use.py": "from pkg.old import f\n\nf()\n"}
    ).commit({"pkg/old.py": None, "pkg/old/__init__.py": "def f():\n    pass\n"})
    brief = repo.brief()
    assert brief.stale_imports() == []
    assert brief.eyes() == []


def test_a_case_only_rename_is_not_a_move(repo: Repo) -> None:
    repo.commit(
        {
            "src/Registry.ts": "export const all = 1;\n",
            "src/a.ts": "import { all } from './Registry';\n\nexport const a = all;\n",
            "src/b.ts": "import { all } from './registry';\n\nexport const b = all;\n",
        }
    ).commit({"src/Registry.ts": None, "src/registry.ts": "export const all = 1;\n"})
    brief = repo.brief()
    assert brief.file("src/registry.ts").status == "moved"
    assert brief.stale_imports() == ["src/a.ts:1"]


def test_two_paths_that_differ_in_case_only_are_one_file(repo: Repo) -> None:
    repo.commit(
        {
            "Store.py": "def open_it():  # TARGET\n    pass\n",
            "store.py": "def open_it():\n    pass\n",
            "a.py": "from Store import open_it\n\nopen_it()  # CALLER\n",
            "b.py": "from store import open_it\n\nopen_it()\n",
        }
    )
    assert repo.callers() == repo.marked()


# ------------------------------------------------------------------------------------------------ removed definitions


def test_calls_of_a_removed_function_are_not_broken(repo: Repo) -> None:
    repo.commit(
        {
            "lib.py": "def keep():\n    pass\n\n\ndef drop_it(x):\n    pass\n",
            "use.py": "from lib import drop_it, keep\n\n\ndef run():\n    keep()\n    drop_it(1)\n",
            "other.py": "def drop_it(x):\n    pass\n\n\ndrop_it(1)\n",
        }
    ).commit({"lib.py": "def keep():\n    pass\n"})
    brief = repo.brief()
    assert brief.changes() == {"drop_it": "removed"}
    assert {"use.py:6"} <= set(brief.callers("drop_it")) <= {"use.py:1", "use.py:6"}
    assert brief.fits("drop_it")["use.py:6"] is False
    assert brief.eyes() == ["broken-call use.py:6"]


def test_a_definition_that_moved_to_another_file_and_is_passed_on_is_called_broken(repo: Repo) -> None:
    repo.commit(
        {
            "pkg/__init__.py": "",
            "pkg/a.py": "def work_hard(x):\n    return x\n\n\ndef rest():\n    pass\n",
            "use.py": "from pkg.a import work_hard\n\nwork_hard(1)\n",
        }
    ).commit(
        {
            "pkg/a.py": "from pkg.b import work_hard\n\n\ndef rest():\n    pass\n",
            "pkg/b.py": "def work_hard(x):\n    return x\n",
        }
    )
    brief = repo.brief()
    assert [eye for eye in brief.eyes() if not eye.startswith("untested")] == []


def test_a_definition_that_moved_and_left_its_callers_behind_is_not_broken(repo: Repo) -> None:
    repo.commit(
        {
            "pkg/__init__.py": "",
            "pkg/a.py": "def work_hard(x):\n    return x\n\n\ndef rest():\n    pass\n",
            "use.py": "from pkg.a import work_hard\n\nwork_hard(1)\n",
        }
    ).commit({"pkg/a.py": "def rest():\n    pass\n", "pkg/b.py": "def work_hard(x):\n    return x\n"})
    brief = repo.brief()
    assert brief.changes() == {"work_hard": "moved"}
    assert brief.eyes()[0] == "misfit use.py:3"
    (caller,) = brief.symbol("work_hard").callers
    assert caller.misfit == "`pkg/a.py` no longer has it"


def test_a_removed_override_is_broken_although_the_parent_answers(repo: Repo) -> None:
    repo.commit(
        {
            "base.py": "class Base:\n    def walk(self):\n        pass\n",
            "dog.py": (
                "from base import Base\n\n\nclass Dog(Base):\n    def walk(self):\n        pass\n\n"
                "    def bark(self):\n        pass\n"
            ),
            "use.py": "from dog import Dog\n\n\ndef go(dog: Dog):\n    dog.walk()\n    dog.bark()\n",
        }
    ).commit({"dog.py": "from base import Base\n\n\nclass Dog(Base):\n    def bark(self):\n        pass\n"})
    brief = repo.brief()
    assert [eye for eye in brief.eyes() if not eye.startswith("untested")] == []


def test_a_removed_method_without_a_parent_is_not_broken(repo: Repo) -> None:
    repo.commit(
        {
            "dog.ts": "export class Dog {\n  walk() {}\n  bark() {}\n}\n",
            "use.ts": (
                "import { Dog } from './dog';\n\nexport const go = (dog: Dog) => {\n  dog.walk();\n  dog.bark();\n};\n"
            ),
        }
    ).commit({"dog.ts": "export class Dog {\n  bark() {}\n}\n"})
    assert repo.brief().eyes() == ["broken-call use.ts:4"]


def test_an_export_that_goes_is_no_change(repo: Repo) -> None:
    """The function stays; that other files can no longer name it breaks them."""
    repo.commit(
        {
            "m.ts": "export function peek(x: number) {\n  return x;\n}\n\nexport const two = peek(2);\n",
            "use.ts": "import { peek } from './m';\n\npeek(1);\n",
        }
    ).commit({"m.ts": "function peek(x: number) {\n  return x;\n}\n\nexport const two = peek(2);\n"})
    brief = repo.brief()
    assert brief.fits("peek") == {"m.ts:5": True, "use.ts:3": False}
    assert [caller.misfit for caller in brief.symbol("peek").callers] == [None, "it is no longer exported"]


def test_a_renamed_function_leaves_its_callers_without_a_word(repo: Repo) -> None:
    repo.commit(
        {
            "m.py": "def old_name(x):\n    return x + 1\n",
            "use.py": "import m\n\nm.old_name(1)\n",
        }
    ).commit({"m.py": "def new_name(x):\n    return x + 1\n"})
    assert "broken-call use.py:3" in repo.brief().eyes()


def test_deleting_a_file_of_definitions_does_not_name_the_calls(repo: Repo) -> None:
    repo.commit(
        {
            "gone.ts": "export const leave = (x: number) => x;\n",
            "use.ts": "import { leave } from './gone';\n\nleave(1);\n",
        }
    ).commit({"gone.ts": None})
    brief = repo.brief()
    assert brief.file("gone.ts").status == "deleted"
    assert brief.stale_imports() == ["use.ts:1"]
    assert brief.changes() == {"leave": "removed"}
    assert "use.ts:3" in brief.callers("leave")


def test_a_removed_re_export_is_not_seen_behind_a_barrel(repo: Repo) -> None:
    repo.commit(
        {
            "ui/index.ts": "export { pulse } from './pulse';\nexport { wave } from './wave';\n",
            "ui/pulse.ts": "export const pulse = () => 1;\n",
            "ui/wave.ts": "export const wave = () => 1;\n",
            "use.ts": "import { pulse, wave } from './ui';\n\npulse();\nwave();\n",
        }
    ).commit({"ui/index.ts": "export { wave } from './wave';\n", "ui/pulse.ts": None})
    brief = repo.brief()
    assert any(eye.startswith("broken-call use.ts:") for eye in brief.eyes()), brief.eyes()


def test_a_caller_that_the_same_change_removes_is_listed(repo: Repo) -> None:
    repo.commit(
        {
            "m.py": "def leave_me(x):\n    return x\n",
            "a.py": "from m import leave_me\n\nleave_me(1)\n",
            "b.py": "import m\n\nm.leave_me(2)\n",
        }
    ).commit({"m.py": "y = 1\n", "a.py": "z = 1\n"})
    assert repo.brief().callers("leave_me") == ["b.py:3"]


def test_lines_of_a_removed_functions_callers_are_those_of_the_base(repo: Repo) -> None:
    """The caller's file changes too: the reviewer sees the head's lines."""
    repo.commit(
        {
            "m.py": "def leave_me(x):\n    return x\n",
            "a.py": "import m\n\n\nm.leave_me(1)\n",
        }
    ).commit({"m.py": "y = 1\n", "a.py": "import m\n\nX = 1\nY = 2\nZ = 3\n\nm.leave_me(1)\n"})
    assert repo.brief().callers("leave_me") == ["a.py:7"]


# ------------------------------------------------------------------------------------------------ what moves along


def test_a_relative_import_inside_a_moved_file_still_finds_something(repo: Repo) -> None:
    text = (
        "from .b import x\nfrom . import c\nfrom pkg.b import x as y\nimport os\n\n\ndef f():\n    return x, y, c, os\n"
    )
    repo.commit(
        {
            "pkg/__init__.py": "",
            "pkg/a.py": text,
            "pkg/b.py": "x = 1\n",
            "pkg/c.py": "",
            "pkg/sub/__init__.py": "",
            "web/a.ts": "import { b } from './b';\nimport { c } from './c';\nexport const a = [b, c];\n",
            "web/b.ts": "export const b = 1;\n",
            "web/c.ts": "export const c = 1;\n",
            "web/deep/c.ts": "export const c = 1;\n",
        }
    ).commit(
        {
            "pkg/a.py": None,
            "pkg/sub/a.py": text,
            "web/a.ts": None,
            "web/deep/a.ts": "import { b } from './b';\nimport { c } from './c';\nexport const a = [b, c];\n",
        }
    )
    assert repo.brief().stale_imports() == ["pkg/sub/a.py:1", "pkg/sub/a.py:2", "web/deep/a.ts:1"]


def test_a_relative_import_that_moves_with_its_module_is_broken(repo: Repo) -> None:
    text = "from .b import x\n\n\ndef f():\n    return x\n"
    repo.commit({"pkg/__init__.py": "", "pkg/a.py": text, "pkg/b.py": "x = 1\n"}).commit(
        {
            "pkg/a.py": None,
            "pkg/b.py": None,
            "pkg/sub/__init__.py": "",
            "pkg/sub/a.py": text,
            "pkg/sub/b.py": "x = 1\n",
        }
    )
    assert repo.brief().stale_imports() == []


def test_strings_that_name_a_moved_module_are_overlooked(repo: Repo) -> None:
    use = """
        import logging
        from unittest import mock

        APPS = ["pkg.a"]
        log = logging.getLogger("pkg.a")
        LOGGERS = {"pkg.a": 1}
        # see "pkg.a"


        def test():
            mock.patch("pkg.a.f")
            mock.patch("other.pkg.a.f")
            return "pkg.ab", "a"
        """
    repo.commit({"pkg/__init__.py": "", "pkg/a.py": "def f():\n    return 1\n", "use.py": use}).commit(
        {"pkg/a.py": None, "pkg/b.py": "def f():\n    return 1\n"}
    )
    brief = repo.brief()
    assert brief.stale_imports() == ["use.py:4", "use.py:11"]
    assert [each.sure for moved in brief.briefing.moved for each in moved.importers] == [False, False]


def test_an_unused_import_of_a_deleted_class_breaks_twice(repo: Repo) -> None:
    use = "<?php\nnamespace App;\nuse App\\Old\\Gone;\nclass Use1 {}\n"
    repo.commit({"src/Old/Gone.php": "<?php\nnamespace App\\Old;\nclass Gone {}\n", "src/Use1.php": use}).commit(
        {"src/Old/Gone.php": None}
    )
    assert repo.brief().eyes() == ["stale-import src/Use1.php:3"]


def test_a_call_of_a_removed_class_breaks_again_for_its_method(repo: Repo) -> None:
    use = """
        <?php
        namespace App;
        class Runner { function run() { return Config::make(1); } }
        """
    repo.commit(
        {
            "src/Config.php": "<?php\nnamespace App;\nclass Config { static function make($a) { return $a; } }\n",
            "src/Runner.php": use,
        }
    ).commit({"src/Config.php": None})
    assert repo.brief().eyes() == ["broken-call src/Runner.php:3"]


def test_what_implements_a_removed_method_is_said_to_override_it(repo: Repo) -> None:
    php = "<?php\nnamespace App;\ninterface Facade { function keep();%s }\n"
    go = "package m\n\ntype nexter interface {\n\tKeep()%s\n}\n"
    repo.commit(
        {
            "src/Facade.php": php % " function loud();",
            "src/Impl.php": (
                "<?php\nnamespace App;\nclass Impl implements Facade { function keep() {}\nfunction loud() {} }\n"
            ),
            "go.mod": "module m\n",
            "a.go": go % "\n\tNextBackOff()",
            "b/b.go": "package b\n\ntype T struct{}\n\nfunc (T) Keep() {}\n\nfunc (T) NextBackOff() {}\n",
        }
    ).commit({"src/Facade.php": php % "", "a.go": go % ""})
    brief = repo.brief()
    reasons = {
        name: [each.reason for each in brief.symbol(name).callers] for name in ("Facade.loud", "nexter.NextBackOff")
    }
    assert reasons == {
        "Facade.loud": ["overrode Facade.loud, which is gone"],
        "nexter.NextBackOff": ["implemented nexter.NextBackOff, which is gone"],
    }
    assert brief.eyes() == []


# ------------------------------------------------------------------------------------------ methods that nobody has now

STUBBER = """
    from outside import Base


    class Stubber:
        def with_ordered_sets(self):
            return self

        def close_all(self):
            return self


    class Grown(Base):
        def with_unordered_sets(self):
            return self
    """
STUBBED = """
    import outside


    def f(mock, stubber):
        mock.method("x").with_ordered_sets(1)  # MAYBE
        mock.close_all()
        mock.with_ordered_sets = 1
        outside.mock().with_ordered_sets(1)
        print(mock.with_ordered_sets)
        mock.with_unordered_sets()
    """


def test_calls_of_a_method_that_nobody_has_any_more_are_not_named(repo: Repo) -> None:
    repo.commit({"stubber.py": STUBBER, "use.py": STUBBED}).commit(
        {"stubber.py": "from outside import Base\n\n\nclass Stubber:\n    x = 1\n\n\nclass Grown(Base):\n    x = 1\n"}
    )
    brief = repo.brief()
    assert brief.callers("Stubber.with_ordered_sets") == repo.marked()
    assert brief.fits("Stubber.with_ordered_sets") == {"use.py:5": None}
    assert brief.callers("Stubber.close_all") == []
    assert brief.callers("Grown.with_unordered_sets") == []


def test_calls_that_another_class_may_answer_are_of_the_method_that_is_gone(repo: Repo) -> None:
    other = "class Other:\n    def with_ordered_sets(self):\n        return self\n"
    repo.commit({"stubber.py": STUBBER, "use.py": STUBBED, "other.py": other}).commit(
        {"stubber.py": "class Stubber:\n    x = 1\n"}
    )
    assert repo.brief().callers("Stubber.with_ordered_sets") == []


def test_a_php_call_of_a_renamed_method_is_not_named(repo: Repo) -> None:
    head = "<?php\nnamespace App;\n\n"
    method = "public function withConsecutiveSets(array ...$sets): self"
    interface = f"{head}interface Stubber\n{{\n    {method};\n}}\n"
    stub = f"{head}final class Stub implements Stubber\n{{\n    {method}\n    {{\n        return $this;\n    }}\n}}\n"
    use = f"{head}function f($mock)\n{{\n    $mock->method('x')->withConsecutiveSets([1]);\n}}\n"
    repo.commit({"Stubber.php": interface, "Stub.php": stub, "use.php": use}).commit(
        {
            "Stubber.php": interface.replace("withConsecutiveSets", "withSetsInOrder"),
            "Stub.php": stub.replace("withConsecutiveSets", "withSetsInOrder"),
        }
    )
    brief = repo.brief()
    for owner in ("Stubber", "Stub"):
        assert brief.fits(f"{owner}.withConsecutiveSets") == {"use.php:6": None}


@pytest.mark.parametrize(
    "now",
    [
        "const better = build({ q: 2 });\nexport default better;\n",
        "function better(q) {\n  return q * 22;\n}\nexport default better;\n",
        "export default create({ q: 2 }, 3);\n",
        "module.exports = create({ q: 2 }, 3);\n",
        "export { default } from './other.js';\n",
    ],
)
def test_a_default_that_is_passed_on_is_gone_with_its_old_name(repo: Repo, now: str) -> None:
    repo.commit(
        {
            "m.js": "const first = make(1);\nexport default first;\n",
            "other.js": "export default function other() {}\n",
            "index.js": "export { default as thing } from './m.js';\n",
            "all.js": "export { default } from './m.js';\n",
        }
    ).commit({"m.js": now})
    assert not [eye for eye in repo.brief().eyes() if not eye.startswith("untested")]


def test_a_default_that_is_passed_on_and_gone_is_not_missed(repo: Repo) -> None:
    repo.commit(
        {
            "m.js": "const first = make(1);\nexport default first;\n",
            "index.js": "export { default as thing } from './m.js';\n",
        }
    ).commit({"m.js": "export const other = make(1);\n"})
    assert repo.brief().fits("first") == {"index.js:1": False}

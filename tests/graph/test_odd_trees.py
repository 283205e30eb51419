"""Hostile and odd trees, end to end: links, submodules, cycles, deletions, damage, repositories that lack something."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from graph.brief import BriefingError, make_briefing
from graph.index import LONGEST_LINE
from graph.snapshot import SIZE_LIMIT
from tests.graph.changed_core import NEW, OLD, timed, with_change
from tests.graph.repositories import Content
from tests.graph.stories import Repo


@pytest.fixture
def repo(tmp_path: Path) -> Iterator[Repo]:
    with timed(tmp_path) as made:
        yield made


# ------------------------------------------------------------------------------------------------ links and submodules


def test_a_symbolic_link_is_followed(repo: Repo) -> None:
    use = "from core import meet\n\nmeet(1)  # CALLER\n"
    links = {
        "out.py": "/etc/passwd",
        "up.py": "../../../../etc/passwd",
        "twice.py": "use.py",
        "self.py": "self.py",
        "dir": ".",
        "ping": "pong",
        "pong": "ping",
    }
    repo.commit({"core.py": OLD, "use.py": use}, links=links).commit(
        {"core.py": NEW}, links={"out.py": "/etc/shadow", "new.py": "use.py"}
    )
    brief = repo.brief()
    assert brief.callers("meet") == repo.marked()
    assert {path: why for path, why in brief.not_checked().items() if "link" in why}.keys() == {"out.py", "new.py"}


def test_a_file_that_becomes_a_link_leaves_its_callers_unwarned(repo: Repo) -> None:
    repo.commit({"core.py": OLD, "use.py": "from core import meet\n\nmeet(1)\n"}).commit(
        {}, links={"core.py": "/etc/passwd"}
    )
    brief = repo.brief()
    assert "link" in brief.not_checked()["core.py"]


def test_a_submodule_is_read_as_text_or_as_a_removed_file(repo: Repo) -> None:
    repo.commit(
        {"core.py": OLD, "use.py": "from core import meet\n\nmeet(1)  # CALLER\n"}, submodules={"lib.py": "1" * 40}
    )
    repo.commit({"core.py": NEW}, submodules={"lib.py": "2" * 40, "other": "3" * 40})
    brief = repo.brief()
    assert brief.callers("meet") == repo.marked()
    assert {path for path, why in brief.not_checked().items() if "submodule" in why} == {"lib.py", "other"}
    assert brief.file("lib.py").status == "modified"
    assert brief.briefing.moved == ()


def test_a_nested_clone_is_read_twice(repo: Repo) -> None:
    """What git does not track is not there, whatever lies in the folder."""
    with_change(repo, {"use.py": "from core import meet\n\nmeet(1)  # CALLER\n"})
    (repo.path / "nested").mkdir()
    (repo.path / "nested" / "use.py").write_text("from core import meet\n\nmeet(1)\n")
    assert repo.brief().callers("meet", "core.py") == repo.marked()


# -------------------------------------------------------------------------------------------------------------- cycles

CYCLES: dict[str, dict[str, str]] = {
    "imports": {
        "a.py": "from b import *\nfrom b import beta\n\n\ndef meet_all():  # TARGET\n    pass\n",
        "b.py": "from a import *\nfrom a import meet_all as beta\n\nbeta()  # CALLER\n",
        "c.py": "from b import meet_all\n\nmeet_all()  # CALLER\n",
    },
    "barrels": {
        "a.ts": "export * from './b';\nexport * from './c';\nexport function meetAll() {} // TARGET\n",
        "b.ts": "export * from './a';\nexport * from './c';\n",
        "c.ts": "export * from './b';\nexport { meetAll as again } from './b';\n",
        "use.ts": "import { again, meetAll } from './c';\nagain(); // CALLER\nmeetAll(); // CALLER\n",
    },
    "names": {
        "a.ts": "export { one as two } from './b';\nexport function meetAll() {} // TARGET\n",
        "b.ts": "export { two as one } from './a';\nimport { one } from './b';\none();\n",
        "use.ts": "import { two } from './a';\ntwo();\nimport { meetAll } from './a';\nmeetAll(); // CALLER\n",
    },
    "inheritance": {
        "a.py": "from b import B\n\n\nclass A(B):\n    def meet_all(self):  # TARGET\n        pass\n",
        "b.py": "from a import A\n\n\nclass B(A):\n    pass\n\n\nB().meet_all()  # CALLER\n",
        "c.py": "class C(C):\n    pass\n\n\nclass D(E):\n    pass\n\n\nclass E(D):\n    pass\n\n\nE().other()\n",
    },
    "types": {
        "a.ts": (
            "export type A = B;\nexport type B = A;\nexport class X<T extends X<T>> {\n"
            "  meetAll(): T { return null!; } // TARGET\n}\n"
        ),
        "use.ts": "import { A, X } from './a';\nconst f = (a: A, x: X<any>) => x.meetAll(); // CALLER\n",
    },
    "results": {
        "a.py": (
            "class A:\n    def meet_all(self):  # TARGET\n        pass\n\n\ndef one():\n"
            "    return two() or A()\n\n\ndef two():\n    return one()\n"
        ),
        "use.py": "from a import one\n\none().meet_all()  # CALLER\n",
    },
    "fields": {
        "a.ts": "export class A {\n  b = new B();\n  meetAll() {} // TARGET\n}\nexport class B {\n  a = new A();\n}\n",
        "use.ts": "import { A } from './a';\nnew A().b.a.b.a.b.a.meetAll(); // CALLER\n",
    },
    "values": {
        "a.py": "def meet_all():  # TARGET\n    pass\n\n\nx = y\ny = x\nz = z\n",
        "use.py": "from a import x, y, z, meet_all\n\nx()\ny()\nz.w()\nmeet_all()  # CALLER\n",
    },
    "tsconfigs": {
        "tsconfig.json": '{ "extends": "./other.json" }',
        "other.json": '{ "extends": "./tsconfig.json", "compilerOptions": { "paths": { "@/*": ["./@/*"] } } }',
        "a.ts": "export function meetAll() {} // TARGET\n",
        "use.ts": "import { meetAll } from './a';\nimport x from '@/@/@/x';\nmeetAll(); // CALLER\nx();\n",
    },
}


@pytest.mark.parametrize("files", CYCLES.values(), ids=CYCLES.keys())
def test_a_cycle_never_ends_or_loses_a_caller(repo: Repo, files: dict[str, str]) -> None:
    repo.commit(files)
    found = [each for each in repo.callers() if each.removesuffix(" ?") in repo.marked()]
    assert [each.removesuffix(" ?") for each in found] == repo.marked()


def test_a_long_chain_of_re_exports_takes_for_ever(repo: Repo) -> None:
    files: dict[str | bytes, Content] = {"m0.ts": "export function meetAll() {} // TARGET\n"}
    files.update({f"m{n}.ts": f"export * from './m{n - 1}';\n" for n in range(1, 300)})
    files["near.ts"] = "import { meetAll } from './m9';\nmeetAll(); // CALLER\n"
    files["far.ts"] = "import { meetAll } from './m299';\nmeetAll();\n"
    repo.commit(files)
    assert set(repo.marked()) <= set(repo.callers())


def test_many_stars_at_every_step_take_for_ever(repo: Repo) -> None:
    files: dict[str | bytes, Content] = {"end.ts": "export function meetAll() {} // TARGET\n"}
    for layer in range(12):
        below = [f"l{layer - 1}_{n}" for n in range(4)] if layer else ["end"]
        for n in range(4):
            files[f"l{layer}_{n}.ts"] = "".join(f"export * from './{each}';\n" for each in below)
    files["use.ts"] = "import { meetAll, missing } from './l11_0';\nmeetAll(); // CALLER\nmissing();\n"
    repo.commit(files)
    assert repo.callers() == repo.marked()


def test_a_deep_line_of_inheritance_takes_for_ever(repo: Repo) -> None:
    classes = "".join(f"class C{n}(C{n - 1}):\n    pass\n\n\n" for n in range(1, 150))
    repo.commit(
        {
            "a.py": "class C0:\n    def meet_all(self):  # TARGET\n        pass\n\n\n" + classes,
            "use.py": "from a import C30, C149\n\nC30().meet_all()  # CALLER\nC149().meet_all()\n",
        }
    )
    assert set(repo.marked()) <= {each.removesuffix(" ?") for each in repo.callers()}


# ------------------------------------------------------------------------------------------------- deletions and damage


def test_a_hunk_that_only_deletes_changes_nothing(repo: Repo) -> None:
    repo.commit(
        {
            "m.py": (
                "def one():\n    log()\n    return 1\n\n\ndef two():\n    return 2\n\n\ndef three():\n    return 3\n"
            ),
            "use.py": "from m import one, two, three\n\none()  # CALLER\ntwo()  # CALLER:two\nthree()\n",
        }
    ).commit({"m.py": "def one():\n    return 1\n\n\ndef three():\n    return 3\n"})
    brief = repo.brief()
    assert brief.changes() == {"one": "body", "two": "removed"}
    assert brief.callers("one") == repo.marked()
    assert repo.marked("two")[0] in brief.callers("two")


def test_a_deletion_at_the_first_and_at_the_last_line_is_lost(repo: Repo) -> None:
    text = "export const a = 1;\nexport function one() {\n  return 1;\n}\nexport const z = 1;\n"
    repo.commit({"m.ts": text, "use.ts": "import { a, z } from './m';\nexport const s = a + z;\n"}).commit(
        {"m.ts": "export function one() {\n  return 1;\n}\n"}
    )
    assert repo.brief().changes() == {"a": "removed", "z": "removed"}


def test_a_file_that_is_mostly_damage_is_said_to_have_no_callers(repo: Repo) -> None:
    broken = ")]}{[(" * 300 + "\n"
    with_change(repo, {"broken.py": "x = 1\n", "use.py": "from core import meet\n\nmeet(1)  # CALLER\n"})
    repo.commit({"broken.py": broken})
    brief = repo.brief()
    assert brief.callers("meet", "core.py") == repo.marked()
    assert "broken.py" in brief.not_checked()


@pytest.mark.parametrize(
    "unread",
    [")]}{[(" * 300 + "\n", "x = 1\n" * (SIZE_LIMIT // 6 + 1), "a;" * LONGEST_LINE],
    ids=["damage", "size", "one line"],
)
def test_a_file_that_can_no_longer_be_read_has_removed_everything(repo: Repo, unread: str) -> None:
    repo.commit({"core.py": OLD, "use.py": "from core import meet\n\nmeet(1)\n"}).commit({"core.py": unread})
    brief = repo.brief()
    assert brief.changes() == {}
    assert brief.eyes() == []
    assert "core.py" in brief.not_checked()


def test_a_file_that_can_be_read_at_last_has_added_everything(repo: Repo) -> None:
    repo.commit({"core.py": ")]}{[(" * 300 + "\n", "use.py": "from core import meet\n\nmeet(1)\n"}).commit(
        {"core.py": OLD}
    )
    assert repo.brief().changes() == {}


def test_a_definition_that_the_parser_lost_is_called_removed(repo: Repo) -> None:
    rest = "\n\ndef other():\n    return 1\n\n\ndef third():\n    return 2\n"
    repo.commit({"core.py": OLD + rest, "use.py": "from core import meet\n\nmeet(1)\n"}).commit(
        {"core.py": "def meet(a:\n    return a\n" + rest}
    )
    brief = repo.brief()
    assert "removed" not in brief.changes().values()
    assert "could not be parsed" in brief.not_checked()["core.py"]


def test_one_error_hides_the_rest_of_the_file(repo: Repo) -> None:
    with_change(
        repo,
        {
            "half.py": "from core import meet\n\ndef f(:\n    pass\n\n\nmeet(1)  # CALLER\n",
            "half.ts": "import { meet } from './core';\nconst = ;\n\nmeet(1); // CALLER\n",
        },
    )
    brief = repo.brief()
    assert [*brief.callers("meet", "core.py"), *brief.callers("meet", "core.ts")] == repo.marked()


@pytest.mark.parametrize(
    "marker", ["<<<<<<< ours\nx = 1\n=======\nx = 2\n>>>>>>> theirs\n", "version https://git-lfs.github.com/spec/v1\n"]
)
def test_conflict_markers_or_a_pointer_hide_the_rest_of_the_file(repo: Repo, marker: str) -> None:
    with_change(repo, {"use.py": f"from core import meet\n\n{marker}\nmeet(1)  # CALLER\n"})
    assert repo.brief().callers("meet", "core.py") == repo.marked()


# ------------------------------------------------------------------------------------------------------ the repository


def test_no_merge_base_is_an_empty_diff(repo: Repo) -> None:
    repo.commit({"core.py": OLD}).commit({"core.py": NEW}, on=())
    with pytest.raises(BriefingError, match="no common ancestor"):
        make_briefing(repo.path, repo.sha(0), repo.sha(1))


def test_a_shallow_clone_without_the_merge_base_is_an_empty_diff(repo: Repo) -> None:
    repo.commit({"core.py": OLD}).commit({"core.py": NEW}).commit({"core.py": OLD + "x = 1\n"}, on=[0])
    (repo.path / "shallow").write_text(f"{repo.sha(1)}\n{repo.sha(2)}\n")
    with pytest.raises(BriefingError, match=r"shallow: fetch more history"):
        make_briefing(repo.path, repo.sha(2), repo.sha(1))


def test_files_that_are_not_checked_out_are_taken_for_deleted_ones(repo: Repo, tmp_path: Path) -> None:
    """A sparse checkout: what git knows counts, not what lies in the folder."""
    with_change(repo, {"use.py": "from core import meet\n\nmeet(1)  # CALLER\n"})
    whole = repo.brief().briefing
    sparse = tmp_path / "sparse"
    environment = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(
        ["git", "worktree", "add", "-q", "--no-checkout", str(sparse), repo.sha(-1)],
        cwd=repo.path,
        env=environment,
        check=True,
    )
    assert not (sparse / "use.py").exists()
    assert make_briefing(sparse, repo.sha(0), repo.sha(-1))[0] == whole


def test_a_pull_request_that_changes_nothing_fails(repo: Repo) -> None:
    repo.commit({"core.py": OLD}).commit({})
    brief = repo.brief()
    assert brief.briefing.changed == ()
    assert brief.eyes() == []


def test_a_pull_request_that_deletes_everything_fails(repo: Repo) -> None:
    repo.commit({"core.py": OLD, "use.py": "from core import meet\n\nmeet(1)\n"}).commit(
        {"core.py": None, "use.py": None}
    )
    brief = repo.brief()
    assert {file.status for file in brief.briefing.changed} == {"deleted"}
    assert brief.eyes() == []


def test_the_first_commit_of_files_fails(repo: Repo) -> None:
    repo.commit({}).commit({"core.py": OLD, "use.py": "from core import meet\n\nmeet(1)\n"})
    assert repo.brief().eyes() == []

"""Reading a commit's files: what is listed, what is kept apart, what hostile repositories must not achieve."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from graph import snapshot as snapshot_module
from graph.git import Blobs, Git, GitError, encode
from graph.snapshot import Snapshot
from tests.graph.repositories import MadeRepository, snapshot_of


def test_paths_lead_to_blobs_in_path_order(made: MadeRepository) -> None:
    files = {"b.py": "b", "a/c.py": "c", "a-b.py": "-", "a.py": "", "run.sh": "#!"}
    snapshot = snapshot_of(made, made.commit(files))
    assert list(snapshot.paths) == ["a-b.py", "a.py", "a/c.py", "b.py", "run.sh"]
    assert snapshot.blob("b.py") == made.blob("b")
    assert snapshot.read("a/c.py") == b"c"
    assert snapshot.read("a.py") == b""
    assert snapshot.read("nowhere.py") == b""
    assert snapshot.blob("nowhere.py") is None
    assert snapshot.read_many(["b.py", "nowhere.py", "a/c.py"]) == {"b.py": b"b", "nowhere.py": b"", "a/c.py": b"c"}


def test_names_with_spaces_quotes_line_ends_and_any_bytes_stay_themselves(made: MadeRepository) -> None:
    names: list[str | bytes] = ["with space.py", 'quo"te.py', "new\nline.py", "tab\t.py", "ünï.py", b"\xff\xfe.py"]
    snapshot = snapshot_of(made, made.commit({name: repr(name) for name in names}))
    assert sorted(encode(path) for path in snapshot.paths) == sorted(
        name if isinstance(name, bytes) else name.encode() for name in names
    )
    for path in snapshot.paths:
        assert snapshot.read(path).startswith((b"'", b'"', b"b'"))


def test_two_paths_that_differ_in_case_are_two_files(made: MadeRepository) -> None:
    snapshot = snapshot_of(made, made.commit({"Registry.py": "1", "registry.py": "2"}))
    assert snapshot.read("Registry.py") == b"1"
    assert snapshot.read("registry.py") == b"2"


def test_a_symbolic_link_out_of_the_tree_is_no_file(made: MadeRepository) -> None:
    snapshot = snapshot_of(made, made.commit({"a.py": "a"}, links={"passwd.py": "/etc/passwd", "loop": "loop"}))
    assert list(snapshot.paths) == ["a.py"]
    assert set(snapshot.links) == {"passwd.py", "loop"}
    assert snapshot.read("passwd.py") == b""
    assert "passwd.py" not in snapshot.children("")


def test_a_submodule_is_no_file_and_no_crash(made: MadeRepository) -> None:
    snapshot = snapshot_of(made, made.commit({"a.py": "a"}, submodules={"lib/other": "1" * 40}))
    assert list(snapshot.paths) == ["a.py"]
    assert snapshot.submodules == {"lib/other": "1" * 40}


def test_only_vendor_and_node_modules_are_skipped_at_any_depth(made: MadeRepository) -> None:
    skipped = ["vendor/a.php", "pkg/vendor/b/c.php", "web/node_modules/x/y.js"]
    kept = ["lib/a.py", "build/b.py", "out/c.py", "storage/d.py", "dist/e.js", "vendored/f.py", "src/vendor.py"]
    snapshot = snapshot_of(made, made.commit(dict.fromkeys([*skipped, *kept], "x")))
    assert list(snapshot.paths) == sorted(kept)
    assert snapshot.skipped == 3


def test_a_file_past_the_size_limit_is_named_and_reads_as_empty(
    made: MadeRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot_module, "SIZE_LIMIT", 10)
    snapshot = snapshot_of(made, made.commit({"small.py": "x" * 10, "large.py": "x" * 11}))
    assert snapshot.too_large == {"large.py"}
    assert snapshot.size("large.py") == 11
    assert snapshot.read("large.py") == b""
    assert snapshot.read_many(["large.py", "small.py"]) == {"large.py": b"", "small.py": b"x" * 10}


def test_children_are_the_names_directly_below_a_directory(made: MadeRepository) -> None:
    snapshot = snapshot_of(made, made.commit({"a/b/c.py": "", "a/d.py": "", "e.py": "", "a/b/f/g.py": ""}))
    assert sorted(snapshot.children("")) == ["a", "e.py"]
    assert sorted(snapshot.children("a")) == ["b", "d.py"]
    assert sorted(snapshot.children("a/b")) == ["c.py", "f"]
    assert list(snapshot.children("a/d.py")) == []
    assert list(snapshot.children("nowhere")) == []


def test_an_overlay_replaces_adds_and_removes_files(made: MadeRepository) -> None:
    commit = made.commit({"a.py": "old", "b.py": "b", "c/d.py": "d"}, links={"link.py": "a.py"})
    snapshot = snapshot_of(made, commit)
    over = snapshot.with_overlay(
        {
            "a.py": made.blob("new"),
            "b.py": snapshot.blob("b.py"),
            "c/d.py": None,
            "e/f.py": made.blob("f"),
            "link.py": made.blob("no link"),
            "gone.py": None,
        }
    )
    assert list(over.paths) == ["a.py", "b.py", "e/f.py", "link.py"]
    assert over.read("a.py") == b"new"
    assert over.overlay == {"a.py", "c/d.py", "e/f.py", "link.py"}
    assert over.links == {}
    assert sorted(over.children("")) == ["a.py", "b.py", "e", "link.py"]
    assert snapshot.read("a.py") == b"old"
    assert over.with_overlay({"b.py": None}).overlay == over.overlay | {"b.py"}


def test_an_overlay_of_a_blob_that_was_not_fetched_says_so(made: MadeRepository) -> None:
    snapshot = snapshot_of(made, made.commit({"a.py": "a"}))
    with pytest.raises(GitError, match="not in this clone"):
        snapshot.with_overlay({"a.py": "1" * 40})


def test_many_and_large_blobs_are_read_whole(made: MadeRepository) -> None:
    files: dict[str | bytes, str | bytes | None] = {f"f{n}.py": bytes([n % 256]) * n * 37 for n in range(600)}
    snapshot = snapshot_of(made, made.commit({**files, "large.bin": b"\n\0" * 700_000}))
    contents = snapshot.read_many(snapshot.paths)
    assert {path: content for path, content in contents.items() if path != "large.bin"} == files
    assert contents["large.bin"] == b"\n\0" * 700_000


def test_reading_goes_on_after_a_half_read_run_of_blobs(made: MadeRepository) -> None:
    git = Git(made.path)
    ids = [made.blob(str(number)) for number in range(20)]
    with Blobs(git) as blobs:
        first = next(iter(blobs.read_many(ids)))
        assert first == (ids[0], b"0")
        assert blobs.read(ids[7]) == b"7"
        assert blobs.read("1" * 40) is None
        assert blobs.read(ids[8]) == b"8"


@pytest.mark.parametrize("revision", ["nowhere", "-h", "--output=x", "", "main\nmain", "HEAD^{tree}"])
def test_a_revision_that_names_no_commit_is_refused(made: MadeRepository, revision: str) -> None:
    made.commit({"a.py": "a"})
    with pytest.raises(GitError):
        Git(made.path).resolve(revision)


def test_revisions_parents_and_merge_bases(made: MadeRepository) -> None:
    root = made.commit({"a.py": "a"})
    one = made.commit({"b.py": "b"}, root)
    other = made.commit({"c.py": "c"}, root)
    merge = made.commit({}, one, other)
    stranger = made.commit({"z.py": "z"})
    git = Git(made.path)
    assert git.resolve(merge[:12]) == merge
    assert git.resolve(f"{merge}^2") == other
    assert git.parents(merge) == (one, other)
    assert git.first_parent(merge) == one
    assert git.first_parent(root) is None
    assert git.merge_base(one, other) == root
    assert git.merge_base(one, stranger) is None
    assert git.has(one)
    assert not git.has("1" * 40)
    assert not git.is_shallow()


def test_a_directory_that_is_no_repository_is_said_in_words(tmp_path: Path) -> None:
    with pytest.raises(GitError, match="not a git repository"):
        Git(tmp_path)
    with pytest.raises(GitError, match="not a directory"):
        Git(tmp_path / "nowhere")


def test_a_worktree_and_its_subdirectory_are_the_repository(tmp_path: Path, made: MadeRepository) -> None:
    commit = made.commit({"pkg/a.py": "a"})
    subprocess.run(["git", "clone", "-q", str(made.path), str(tmp_path / "clone")], check=True, capture_output=True)
    for place in (tmp_path / "clone", tmp_path / "clone" / "pkg"):
        git = Git(place)
        assert git.resolve("HEAD") == commit
        assert list(Snapshot.of(git, Blobs(git), commit).paths) == ["pkg/a.py"]


def test_a_replaced_object_does_not_change_what_a_commit_is(made: MadeRepository) -> None:
    honest = made.commit({"a.py": "honest"})
    other = made.commit({"a.py": "other"})
    made.git("replace", honest, other)
    assert snapshot_of(made, honest).read("a.py") == b"honest"


def test_nothing_that_the_repository_configures_is_run(tmp_path: Path, made: MadeRepository) -> None:
    from graph.diff import changes
    from graph.search import Search

    ran = tmp_path / "ran"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\necho ran >> '{ran}'\n")
    script.chmod(0o755)
    attributes = "*.py diff=evil filter=evil text eol=crlf ident working-tree-encoding=UTF-16\n"
    before = made.commit({"a.py": "def f():\n    pass\n", ".gitattributes": attributes})
    after = made.commit({"a.py": "def f():\n    return 1\n"}, before)
    (made.path / "info").mkdir(exist_ok=True)
    (made.path / "info" / "attributes").write_text(attributes)
    for name in (
        "diff.external",
        "diff.evil.command",
        "diff.evil.textconv",
        "filter.evil.smudge",
        "filter.evil.clean",
        "filter.evil.process",
        "core.fsmonitor",
        "core.pager",
        "core.editor",
        "core.sshCommand",
        "core.askPass",
        "gpg.program",
        "alias.grep",
    ):
        made.git("config", name, f"!{script}" if name.startswith("alias") else str(script))
    made.git("config", "core.hooksPath", str(tmp_path))
    git = Git(made.path)
    with Blobs(git) as blobs:
        snapshot = Snapshot.of(git, blobs, after)
        assert snapshot.read("a.py") == b"def f():\n    return 1\n"
        assert Search(snapshot).by_word(["f"]) == {"f": {"a.py"}}
    assert [change.new_lines for change in changes(git, before, after)] == [((2, 2),)]
    assert not ran.exists()


def test_a_clone_that_lacks_blobs_has_no_tree(made: MadeRepository) -> None:
    commit = made.commit({"a.py": "here", "b.py": "lacking"})
    lacking = snapshot_of(made, commit).paths["b.py"]
    (made.path / "objects" / lacking[:2] / lacking[2:]).unlink()
    snapshot = snapshot_of(made, commit)
    assert (snapshot.read("a.py"), snapshot.read("b.py")) == (b"here", b"")
    assert snapshot.too_large == {"b.py"}

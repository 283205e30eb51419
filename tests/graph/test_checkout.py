"""A worktree is believed only where it has the commit's own bytes."""

from __future__ import annotations

import os
import struct
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from graph.git import Blobs, Git
from graph.search import Search
from graph.snapshot import Snapshot
from tests.graph.repositories import WorkRepository, settle, snapshot_of

PY = (".py",)


@pytest.fixture
def work(tmp_path: Path) -> WorkRepository:
    return WorkRepository(tmp_path / "work")


def believed(snapshot: Snapshot) -> set[str]:
    return set(snapshot.checked_out(snapshot.paths))


def holding(snapshot: Snapshot, word: str) -> frozenset[str]:
    return Search(snapshot).by_word([word], PY)[word]


def test_a_clean_worktree_is_searched_without_reading_a_blob(work: WorkRepository) -> None:
    snapshot = snapshot_of(work, work.commit({"a.py": "name", "d/b.py": "name\n", "c.py": "other", "x.txt": "name"}))
    assert believed(snapshot) == set(snapshot.paths)
    for blob in (work.path / ".git" / "objects").glob("??/*"):
        if blob.parent.name + blob.name in snapshot.paths.values():
            blob.chmod(0o600)
            blob.write_bytes(b"")  # whoever reads it now fails
    assert holding(snapshot, "name") == {"a.py", "d/b.py"}
    assert snapshot.read("a.py") == b"name"
    assert snapshot.read_many(["d/b.py", "c.py"]) == {"d/b.py": b"name\n", "c.py": b"other"}


def edited(path: Path) -> None:
    path.write_text("word")


def edited_with_its_old_times(path: Path) -> None:
    about = path.stat()
    path.write_text("word")
    os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))


def replaced_by_a_link(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.parent / "b.py")


def replaced_by_a_fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def replaced_by_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(
    "change",
    [edited, edited_with_its_old_times, Path.unlink, replaced_by_a_link, replaced_by_a_fifo, replaced_by_a_folder],
)
def test_what_was_done_to_a_file_since_changes_what_its_commit_holds(
    work: WorkRepository, change: Callable[[Path], None]
) -> None:
    snapshot = snapshot_of(work, work.commit({"a.py": "name", "b.py": "word", "c.py": "long " * 100}))
    change(work.path / "a.py")
    assert believed(snapshot) == {"b.py", "c.py"}
    assert holding(snapshot, "name") == {"a.py"}
    assert holding(snapshot, "word") == {"b.py"}
    contents = {"a.py": b"name", "b.py": b"word", "c.py": b"long " * 100}
    assert snapshot.read_many(contents) == contents
    assert {path: snapshot_of(work, snapshot.commit).read(path) for path in contents} == contents


def test_a_folder_that_became_a_link_is_searched_in_the_files_it_links_to(work: WorkRepository, tmp_path: Path) -> None:
    snapshot = snapshot_of(work, work.commit({"d/a.py": "name", "b.py": "long " * 100}))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "a.py").write_text("word")
    (work.path / "d" / "a.py").unlink()
    (work.path / "d").rmdir()
    (work.path / "d").symlink_to(elsewhere)
    assert holding(snapshot, "name") == {"d/a.py"}
    assert holding(snapshot, "word") == frozenset()


def test_another_commit_than_the_one_checked_out_is_searched_in_its_own_blobs(work: WorkRepository) -> None:
    common = {f"f{n}.py": "same " * 50 for n in range(5)}
    first = work.commit({**common, "a.py": "old_name", "gone.py": "old_name"})
    second = work.commit({"a.py": "new_name", "gone.py": None, "new.py": "new_name"})
    assert believed(snapshot_of(work, first)) == set(common)
    assert holding(snapshot_of(work, first), "old_name") == {"a.py", "gone.py"}
    assert holding(snapshot_of(work, first), "new_name") == frozenset()
    assert holding(snapshot_of(work, second), "new_name") == {"a.py", "new.py"}


def test_files_that_git_does_not_track_are_found_too(work: WorkRepository) -> None:
    snapshot = snapshot_of(work, work.commit({"a.py": "name"}))
    (work.path / "untracked.py").write_text("name")
    assert holding(snapshot, "name") == {"a.py"}


def test_line_ends_that_git_converts_are_taken_for_the_commits_own(work: WorkRepository) -> None:
    commit = work.commit({".gitattributes": "*.py text eol=crlf\n", "a.py": "one\ntwo\n"})
    work.check_out_afresh()
    assert (work.path / "a.py").read_bytes() == b"one\r\ntwo\r\n"
    snapshot = snapshot_of(work, commit)
    assert "a.py" not in believed(snapshot)
    assert holding(snapshot, "two") == {"a.py"}
    assert snapshot.read("a.py") == b"one\ntwo\n"


def test_an_encoding_of_the_same_length_hides_a_name(work: WorkRepository) -> None:
    encoded = "name = 1".encode("cp037")
    commit = work.commit({".gitattributes": "*.py working-tree-encoding=IBM037\n", "a.py": encoded})
    assert work.git("cat-file", "blob", "HEAD:a.py") == b"name = 1"
    snapshot = snapshot_of(work, commit)
    assert believed(snapshot) == set()
    assert holding(snapshot, "name") == {"a.py"}


def test_filters_are_believed_that_keep_the_length(work: WorkRepository) -> None:
    work.git("config", "filter.rot.smudge", "tr a-z b-za")
    commit = work.commit({"a.py": "name = 1", ".gitattributes": "*.py filter=rot\n"})
    work.check_out_afresh()
    assert (work.path / "a.py").read_bytes() == b"obnf = 1"
    assert holding(snapshot_of(work, commit), "name") == {"a.py"}


def test_attributes_that_leave_files_as_they_are_make_a_worktree_useless(work: WorkRepository) -> None:
    large = "*.psd filter=lfs diff=lfs merge=lfs -text\n"
    snapshot = snapshot_of(work, work.commit({".gitattributes": large, "a.py": "x"}))
    assert believed(snapshot) == {".gitattributes", "a.py"}
    snapshot = snapshot_of(work, work.commit({".gitattributes": "*.bin filter=x\n"}))
    assert believed(snapshot) == set()
    information = work.path / ".git" / "info" / "attributes"
    information.parent.mkdir(exist_ok=True)
    information.write_text("* -text -filter -working-tree-encoding\n")
    assert believed(snapshot_of(work, work.git("rev-parse", "HEAD").decode().strip())) == {".gitattributes", "a.py"}


def test_an_attributes_file_that_links_to_an_endless_one_is_read_to_its_end(work: WorkRepository) -> None:
    commit = work.commit({"a.py": "name", "d/.gitattributes": "\n"})
    (work.path / "d" / ".gitattributes").unlink()
    (work.path / "d" / ".gitattributes").symlink_to("/dev/zero")
    started = time.monotonic()
    assert holding(snapshot_of(work, commit), "name") == {"a.py"}
    assert time.monotonic() - started < 10


@pytest.mark.parametrize("form", ["4", "split", "cut", "noise", "none"])
def test_an_index_of_another_form_costs_the_answer(work: WorkRepository, form: str) -> None:
    commit = work.commit({"a.py": "name", "b.py": "name"})
    index = work.path / ".git" / "index"
    if form == "4":
        work.git("update-index", "--index-version", "4")
    elif form == "split":
        work.git("update-index", "--split-index")
    elif form == "cut":
        index.write_bytes(index.read_bytes()[:90])
    elif form == "noise":
        index.write_bytes(b"DIRC" + struct.pack(">II", 2, 10**9) + b"\xff" * 300)
    else:
        index.unlink()
    assert believed(snapshot_of(work, commit)) == set()
    assert holding(snapshot_of(work, commit), "name") == {"a.py", "b.py"}


def test_a_linked_worktree_is_taken_for_the_main_one(work: WorkRepository, tmp_path: Path) -> None:
    first = work.commit({"a.py": "first", "b.py": "same"})
    work.commit({"a.py": "second"})
    linked = tmp_path / "linked"
    work.git("worktree", "add", "--quiet", "--detach", str(linked), first)
    git = Git(linked)
    settle(git.directory)
    assert git.worktree == linked.resolve()
    assert git.common == Git(work.path).directory
    snapshot = Snapshot.of(git, Blobs(git), first)
    assert believed(snapshot) == {"a.py", "b.py"}
    assert holding(snapshot, "first") == {"a.py"}


def test_a_folder_inside_of_a_worktree_is_taken_for_its_top(work: WorkRepository) -> None:
    commit = work.commit({"d/a.py": "name", "b.py": "name"})
    git = Git(work.path / "d")
    assert git.worktree is not None
    assert git.worktree.samefile(work.path)
    snapshot = Snapshot.of(git, Blobs(git), commit)
    assert believed(snapshot) == {"b.py", "d/a.py"}
    assert holding(snapshot, "name") == {"b.py", "d/a.py"}


def test_a_bare_clone_is_searched_for_a_worktree(work: WorkRepository, tmp_path: Path) -> None:
    commit = work.commit({"a.py": "name"})
    work.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare.git"))
    for place in (tmp_path / "bare.git", work.path / ".git"):
        git = Git(place)
        assert git.worktree is None
        snapshot = Snapshot.of(git, Blobs(git), commit)
        assert believed(snapshot) == set()
        assert holding(snapshot, "name") == {"a.py"}


def test_nothing_that_a_worktrees_repository_configures_is_run(work: WorkRepository, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\necho ran >> '{ran}'\ncat\n")
    script.chmod(0o755)
    commit = work.commit({"a.py": "name", ".gitattributes": "*.py diff=evil\n"})
    for name in ("core.fsmonitor", "diff.evil.textconv", "diff.evil.command", "filter.lfs.clean", "filter.lfs.process"):
        work.git("config", name, str(script))
    (work.path / ".git" / "info").mkdir(exist_ok=True)
    (work.path / ".git" / "info" / "attributes").write_text("*.py filter=lfs\n")
    os.utime(work.path / "a.py")
    snapshot = snapshot_of(work, commit)
    assert holding(snapshot, "name") == {"a.py"}
    assert not ran.exists()


def test_a_git_without_perls_expressions_finds_nothing(
    work: WorkRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = work.commit({"a.py": "get get_all", "b.py": "get_all", "c.py": "forget"})
    expected = {"get": {"a.py"}, "get_all": {"a.py", "b.py"}, "all": frozenset(), "forget": {"c.py"}}
    assert Search(snapshot_of(work, commit)).by_word(expected, PY) == expected
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "git").write_text(
        '#!/bin/sh\nfor each; do [ "$each" = -P ] && { echo "fatal: no PCRE" >&2; exit 128; }; done\n'
        f'PATH="{os.environ["PATH"]}" exec git "$@"\n'
    )
    (programs / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    assert Search(snapshot_of(work, commit)).by_word(expected, PY) == expected

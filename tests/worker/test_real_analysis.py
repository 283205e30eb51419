"""The analysis on what the worker really has: a shallow clone that holds three commits and no history."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from tests.worker.conftest import TOKEN
from tests.worker.upstream import SamplePull, Upstream
from worker.analysis import AnalysisRequest, Answer, Failure, WordsKept, WordsRequest, analyse, keep_words
from worker.clones import Clone, fetch_commits
from worker.git import GitRunner
from worker.leases import lease_worktree
from worker.settings import Secret


async def brief(
    clone: Clone,
    runner: GitRunner,
    tmp_path: Path,
    merge_base: str,
    head: str,
    merge: str | None,
    base: str | None,
    **more: Any,
) -> Answer | Failure:
    wanted = (merge_base, head, merge, more.get("configured_at"))
    fetch_commits(runner, clone, [sha for sha in wanted if sha is not None], Secret(TOKEN))
    with lease_worktree(runner, clone, merge or head) as lease:
        request = AnalysisRequest(
            repository=str(lease.path),
            merge_base=merge_base,
            head=head,
            merge=merge,
            graph_note=None if merge else "Callers from the PR's branch: it conflicts.",
            facts_dir=str(tmp_path / "facts"),
            web_url="https://github.com",
            owner="acme",
            name="shop",
            number=1,
            base_ref="main",
            base_sha=base,
            **{"seconds": 30.0, "memory_bytes": 1024 * 1024 * 1024} | more,
        )
        return await analyse(request, fds=(lease.fd,))


async def test_callers_are_found_in_the_merge_without_any_history(
    upstream: Upstream, clone: Clone, runner: GitRunner, tmp_path: Path
) -> None:
    pull = SamplePull(upstream)
    answer = await brief(clone, runner, tmp_path, pull.branched, pull.head, pull.merge, pull.tip)
    assert isinstance(answer, Answer), answer
    assert (answer.graph_from, answer.base_sha, answer.merge_base) == ("merge", pull.tip, pull.branched)
    assert answer.conclusion == "neutral"
    for caller in ("caller.py", "other.py"):
        assert f"blob/{pull.tip}/{caller}#L2" in answer.text
    assert answer.annotations[0]["path"] == "app.py"


async def test_callers_are_found_in_the_head_when_there_is_no_merge(
    upstream: Upstream, clone: Clone, runner: GitRunner, tmp_path: Path
) -> None:
    pull = SamplePull(upstream)
    answer = await brief(clone, runner, tmp_path, pull.branched, pull.head, None, None)
    assert isinstance(answer, Answer), answer
    assert (answer.graph_from, answer.base_sha) == ("head", None)
    assert "it conflicts" in answer.summary
    assert "other.py" not in answer.text


async def test_hostile_names_and_contents_end_in_a_briefing(
    upstream: Upstream, clone: Clone, runner: GitRunner, tmp_path: Path
) -> None:
    odd: dict[str, bytes | tuple[str, bytes]] = {
        'q"uo`te.py': b"from app import f\nf()\n",
        "new\nline.py": b"from app import f\nf()\n",
        "bad\udcff.py": b"from app import f\nf()\n",
        "@everyone ![x](y).py": b"from app import f\nf()\n",
        "link.py": ("120000", b"/etc/passwd"),
        "sub": ("160000", b"1" * 40),
        "latin.py": b"# \xe9\xff\nfrom app import f\nf()\n",
        "nul.py": b"from app import f\nf()\n\0",
        "deep.py": b"x = " + b"(" * 20000 + b")" * 20000 + b"\n",
    }
    base = upstream.commit(odd | {"app.py": b"def f():\n    pass\n"}, ref="refs/heads/main")
    head = upstream.commit(odd | {"app.py": b"def f(a):\n    pass\n"}, base, ref="refs/pull/1/head")
    answer = await brief(clone, runner, tmp_path, base, head, None, None)
    assert isinstance(answer, Answer), answer
    assert "root:" not in answer.text
    assert "![x](y)" not in answer.text.replace("`@everyone ![x](y).py", "")


CODE = {
    "app.py": b"def f():\n    pass\n",
    "caller.py": b"from app import f\nf()\n",
    "old/caller.py": b"from app import f\nf()\n",
    "qa/steps.py": b"from app import f\nf()\n",
}


async def test_the_configuration_of_the_base_branch_is_not_followed(
    upstream: Upstream, clone: Clone, runner: GitRunner, tmp_path: Path
) -> None:
    settings = b"ignore: [old/]\ntests: [qa/]\nconclusion: failure\ncallers: 1\nstaleness: rebrief\n"
    base = upstream.commit(CODE, ref="refs/heads/main")
    tip = upstream.commit(CODE | {".github/callsheet.yml": settings}, base, ref="refs/heads/main")
    head = upstream.commit(CODE | {"app.py": b"def f(a):\n    pass\n"}, base, ref="refs/pull/1/head")
    answer = await brief(clone, runner, tmp_path, base, head, None, None, configured_at=tip)
    assert isinstance(answer, Answer), answer
    assert (answer.conclusion, answer.staleness, answer.mistakes) == ("failure", "rebrief", ())
    assert "old/caller.py" not in answer.text + answer.summary
    assert "past what the repository's configuration lists" in answer.text
    assert "qa/steps.py" in answer.text.partition("### Tests")[2]


async def test_a_pull_request_configures_its_own_briefing(
    upstream: Upstream, clone: Clone, runner: GitRunner, tmp_path: Path
) -> None:
    base = upstream.commit(CODE, ref="refs/heads/main")
    mine = {"app.py": b"def f(a):\n    pass\n", ".github/callsheet.yml": b"ignore: ['*']\nconclusion: success\n"}
    head = upstream.commit(CODE | mine, base, ref="refs/pull/1/head")
    answer = await brief(clone, runner, tmp_path, base, head, None, None, configured_at=base)
    assert isinstance(answer, Answer), answer
    assert answer.conclusion == "neutral"
    assert "old/caller.py" in answer.text


async def test_a_mistake_in_the_configuration_is_not_shown(
    upstream: Upstream, clone: Clone, runner: GitRunner, tmp_path: Path
) -> None:
    wrong = {".github/callsheet.yml": b"callers: 5\n\nconclusions: '@octocat <b>'\n"}
    base = upstream.commit(CODE | wrong, ref="refs/heads/main")
    head = upstream.commit(CODE | wrong | {"app.py": b"def f(a):\n    pass\n"}, base, ref="refs/pull/1/head")
    answer = await brief(clone, runner, tmp_path, base, head, None, None, configured_at=base)
    assert isinstance(answer, Answer), answer
    assert "- `.github/callsheet.yml`, line 3: `conclusions` is no setting" in answer.summary


async def test_the_organisations_configuration_counts_beside_the_repositorys_own(
    upstream: Upstream, clone: Clone, runner: GitRunner, tmp_path: Path
) -> None:
    base = upstream.commit(CODE, ref="refs/heads/main")
    tip = upstream.commit(CODE | {".github/callsheet.yml": b"callers: 7\n"}, base, ref="refs/heads/main")
    head = upstream.commit(CODE | {"app.py": b"def f(a):\n    pass\n"}, base, ref="refs/pull/1/head")
    for configured_at, conclusion in ((base, "success"), (tip, "neutral")):
        answer = await brief(
            clone,
            runner,
            tmp_path,
            base,
            head,
            None,
            None,
            configured_at=configured_at,
            organisation=b"conclusion: success\n",
        )
        assert isinstance(answer, Answer), answer
        assert answer.conclusion == conclusion


async def test_a_configuration_of_a_hundred_megabytes_is_read(
    upstream: Upstream, clone: Clone, runner: GitRunner, tmp_path: Path
) -> None:
    base = upstream.commit(CODE | {".github/callsheet.yml": b"#" * 100_000_000}, ref="refs/heads/main")
    head = upstream.commit({"app.py": b"def f(a):\n    pass\n"}, base, ref="refs/pull/1/head")
    answer = await brief(clone, runner, tmp_path, base, head, None, None, configured_at=base)
    assert isinstance(answer, Answer), answer
    assert "larger than 64 KiB" in answer.mistakes[0]


async def test_a_tree_of_a_hundred_million_files_is_analysed_without_end(
    upstream: Upstream, clone: Clone, runner: GitRunner, tmp_path: Path
) -> None:
    base = upstream.commit({"a.py": b"x = 1\n"}, ref="refs/heads/main")
    bomb = upstream.git("commit-tree", upstream.tree_bomb(8), "-p", base, "-m", "many")
    upstream.point("refs/pull/1/head", bomb)
    began = time.monotonic()
    ended = await brief(clone, runner, tmp_path, base, bomb, None, base, seconds=5.0, memory_bytes=512 * 1024 * 1024)
    assert time.monotonic() - began < 40
    assert isinstance(ended, Failure)
    assert ended.what in ("time", "memory")


async def test_words_are_kept_for_a_later_briefing_that_never_uses_them(
    upstream: Upstream, clone: Clone, runner: GitRunner, tmp_path: Path
) -> None:
    pull = SamplePull(upstream)
    first = await brief(clone, runner, tmp_path, pull.branched, pull.head, pull.merge, pull.tip)
    assert isinstance(first, Answer), first
    assert first.words_behind
    request = WordsRequest(
        repository=str(clone.git_dir),
        commit=pull.merge,
        facts_dir=str(tmp_path / "facts"),
        seconds=30.0,
        memory_bytes=1024 * 1024 * 1024,
    )
    assert await keep_words(request) == WordsKept()
    assert list((tmp_path / "facts" / "words").iterdir())
    second = await brief(clone, runner, tmp_path, pull.branched, pull.head, pull.merge, pull.tip)
    assert isinstance(second, Answer), second
    assert not second.words_behind
    assert second.text == first.text


async def test_words_of_a_clone_that_was_evicted_end_the_worker(clone: Clone, tmp_path: Path) -> None:
    request = WordsRequest(
        repository=str(tmp_path / "gone"),
        commit="1" * 40,
        facts_dir=str(tmp_path / "facts"),
        seconds=30.0,
        memory_bytes=1024 * 1024 * 1024,
    )
    kept = await keep_words(request)
    assert isinstance(kept, Failure)
    assert kept.what == "refused"

"""The analysis on what the worker really has: a shallow clone that holds three commits and no history."""

from __future__ import annotations

from pathlib import Path

from tests.worker.conftest import TOKEN
from tests.worker.upstream import SamplePull, Upstream
from worker.analysis import AnalysisRequest, Answer, Failure, analyse
from worker.clones import Clone, fetch_commits
from worker.git import GitRunner
from worker.leases import lease_worktree
from worker.settings import Secret


async def brief(
    clone: Clone, runner: GitRunner, tmp_path: Path, merge_base: str, head: str, merge: str | None, base: str | None
) -> Answer | Failure:
    fetch_commits(runner, clone, [sha for sha in (merge_base, head, merge) if sha is not None], Secret(TOKEN))
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
            seconds=30.0,
            memory_bytes=1024 * 1024 * 1024,
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

"""The few REST endpoints the worker uses, over a real repository, as an httpx transport."""

from __future__ import annotations

import json
import re
import subprocess
import time
from collections.abc import Callable
from typing import Any

import httpx

from tests.worker.upstream import Upstream

APP_ID = 77
Hook = Callable[[httpx.Request], httpx.Response | None]


class FakeGitHub:
    """State is public: a test sets it up and looks at it. `before` hooks may answer a request themselves."""

    def __init__(self, upstream: Upstream, repository_id: int = 900, full_name: str = "acme/shop") -> None:
        self.upstream = upstream
        self.repository_id = repository_id
        self.full_name = full_name
        self.token = "ghs_77_test.tok-en_with.parts"
        self.minted = 0
        self.pulls: dict[int, dict[str, Any]] = {}
        self.mergeable: list[bool | None] = []
        """Answers for `mergeable`, one a read; the last stays. Empty: true."""
        self.runs: dict[int, dict[str, Any]] = {}
        self.requests: list[tuple[str, str]] = []
        self.before: list[Hook] = []
        self.after_write: list[Callable[[httpx.Request], httpx.Response | None]] = []

    @property
    def transport(self) -> httpx.MockTransport:
        return httpx.MockTransport(self._answer)

    def add_pull(self, number: int, head: str, base: str, **more: Any) -> None:
        owner, name = self.full_name.split("/")
        repository = {"id": self.repository_id, "name": name, "owner": {"login": owner}}
        self.pulls[number] = {
            "number": number,
            "state": "open",
            "draft": False,
            "merged": False,
            "head": {"sha": head, "ref": "topic", "repo": None, "user": None},
            "base": {"sha": base, "ref": "main", "repo": repository},
            **more,
        }

    @property
    def run(self) -> dict[str, Any]:
        """The only check run."""
        assert len(self.runs) == 1, self.runs
        return next(iter(self.runs.values()))

    def _answer(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path.removeprefix("/api/v3")
        self.requests.append((request.method, path))
        for hook in self.before:
            answer = hook(request)
            if answer is not None:
                return answer
        if path == "/app":
            permissions = {"checks": "write", "contents": "read", "pull_requests": "read", "metadata": "read"}
            return httpx.Response(200, json={"id": APP_ID, "slug": "callsheet", "permissions": permissions})
        if re.fullmatch(r"/app/installations/\d+/access_tokens", path):
            assert request.headers["authorization"].startswith("Bearer ey")
            if "repositories" in json.loads(request.content):  # the organisation has no repository `.github`
                return httpx.Response(422, json={"message": "There is at least one repository that does not exist"})
            self.minted += 1
            expires = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3600))
            return httpx.Response(201, json={"token": self.token, "expires_at": expires})
        if request.headers.get("authorization") != f"token {self.token}":
            return httpx.Response(401, json={"message": "Bad credentials"})
        prefix = f"/repos/{self.full_name}/"
        if not path.startswith(prefix):
            return httpx.Response(404, json={"message": "Not Found"})
        return self._in_repository(request, path.removeprefix(prefix))

    def _in_repository(self, request: httpx.Request, path: str) -> httpx.Response:
        body = json.loads(request.content) if request.content else {}
        if match := re.fullmatch(r"pulls/(\d+)", path):
            return self._pull(int(match[1]))
        if match := re.fullmatch(r"compare/([0-9a-f]{40})\.\.\.([0-9a-f]{40})", path):
            return self._compare(match[1], match[2])
        if match := re.fullmatch(r"commits/([0-9a-f]{40})/check-runs", path):
            runs = [run for run in self.runs.values() if run["head_sha"] == match[1]]
            return httpx.Response(200, json={"total_count": len(runs), "check_runs": runs})
        if path == "check-runs" and request.method == "POST":
            run: dict[str, Any] = {
                "id": 5000 + len(self.runs),
                "app": {"id": APP_ID},
                "conclusion": None,
                "status": "queued",
            }
            self.runs[run["id"]] = run
            return self._write(request, run, body, 201)
        if match := re.fullmatch(r"check-runs/(\d+)", path):
            run = self.runs[int(match[1])]
            return httpx.Response(200, json=run) if request.method == "GET" else self._write(request, run, body, 200)
        return httpx.Response(404, json={"message": f"Not Found: {path}"})

    def _pull(self, number: int) -> httpx.Response:
        if number not in self.pulls:
            return httpx.Response(404, json={"message": "Not Found"})
        mergeable: bool | None = True
        if self.mergeable:
            mergeable = self.mergeable[0] if len(self.mergeable) == 1 else self.mergeable.pop(0)
        return httpx.Response(200, json={**self.pulls[number], "mergeable": mergeable})

    def _compare(self, base: str, head: str) -> httpx.Response:
        done = subprocess.run(
            ["git", "merge-base", base, head], cwd=self.upstream.git_dir, capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            return httpx.Response(404, json={"message": "Not Found"})
        counts = self.upstream.git("rev-list", "--left-right", "--count", f"{base}...{head}").split()
        answer = {
            "merge_base_commit": {"sha": done.stdout.strip()},
            "ahead_by": int(counts[1]),
            "behind_by": int(counts[0]),
            "status": "diverged",
        }
        return httpx.Response(200, json=answer)

    def _write(self, request: httpx.Request, run: dict[str, Any], body: dict[str, Any], status: int) -> httpx.Response:
        output = body.pop("output", None)
        run.update(body)
        if "conclusion" in body:
            run["status"] = "completed"
        elif "status" in body:
            run["conclusion"] = None
        if output is not None:
            before = run.get("output") or {"annotations_count": 0, "annotations": []}
            added = output.get("annotations", [])
            assert len(added) <= 50
            run["output"] = {
                "title": output["title"],
                "summary": output["summary"],
                "text": output.get("text", before.get("text")),
                "annotations": before["annotations"] + added,
                "annotations_count": before["annotations_count"] + len(added),
            }
        for hook in self.after_write:
            answer = hook(request)
            if answer is not None:
                return answer
        return httpx.Response(status, json=run)

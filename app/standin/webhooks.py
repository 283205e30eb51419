"""GitHub's webhooks: their payloads, built out of a World."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.standin.shapes import Shapes
from app.standin.world import CheckRun, Event, Json, Pull, Repository

_COMMIT = ("id", "tree_id", "message", "timestamp")


class Webhooks(Shapes):
    """The shapes, and the webhooks made of them."""

    def _around(self, repository: Repository, action: str) -> Json:
        return {
            "action": action,
            "repository": self.repository(repository, asked=False),
            "organization": self._organization(),
            "sender": self.user("octocat"),
            "installation": {"id": self.world.installation_id, "node_id": self.node_id("I", 1)},
        }

    def _organization(self) -> Json:
        account, url = self.user(self.world.account), f"{self.api}/orgs/{self.world.account}"
        links = ("repos", "events", "hooks", "issues", "members", "public_members")
        return {
            **{name: account[name] for name in ("login", "id", "node_id", "avatar_url")},
            "url": url,
            **{f"{name}_url": f"{url}/{name}" for name in links},
            "description": None,
        }

    def pull_event(self, pull: Pull, action: str, **more: Any) -> Event:
        """A `pull_request` webhook. (Payloads carry `merge_commit_sha` in every API version.)"""
        payload = self._around(pull.repository, action)
        payload |= {"number": pull.number, "pull_request": self.pull(pull, "webhook"), **more}
        return Event("pull_request", payload)

    def check_run_event(self, run: CheckRun, action: str, identifier: str | None) -> Event:
        """A `check_run` webhook; `identifier` is the button's when one was pressed."""
        payload = self._around(run.repository, action)
        suite = self._suite(run)
        payload["check_run"] = self.check_run(run) | {"check_suite": suite, "app": suite["app"]}
        if identifier is not None:
            payload["requested_action"] = {"identifier": identifier}
        return Event("check_run", payload)

    def push_event(self, repository: Repository, ref: str, before: str, after: str) -> Event:
        """A `push` webhook."""
        payload = self._around(repository, "")
        del payload["action"]
        payload["repository"]["owner"] |= {"name": repository.owner, "email": None}
        payload["repository"] |= {
            "created_at": 1_767_603_600,  # in this webhook alone, these two are seconds since the epoch
            "pushed_at": int(repository.pushed_at.timestamp()),
            "stargazers": 0,
            "master_branch": repository.default_branch,
        }
        html = f"{self.world.url}/{repository.full_name}"
        commits = [self._pushed_commit(repository, sha) for sha in repository.git.between(before, after)]
        payload |= {
            "ref": ref,
            "before": before,
            "after": after,
            "created": False,
            "deleted": False,
            "forced": False,
            "base_ref": None,
            "compare": f"{html}/compare/{before[:12]}...{after[:12]}",
            "commits": commits,
            "head_commit": commits[-1] if commits else None,
            "pusher": {"name": "octocat", "email": "octocat@users.noreply.example"},
        }
        return Event("push", payload)

    def _pushed_commit(self, repository: Repository, sha: str) -> Json:
        tree, _, when, message = repository.git.describe(sha)
        person = {"name": "octocat", "email": "octocat@users.noreply.example", "username": "octocat"}
        return {
            "id": sha,
            "tree_id": tree,
            "distinct": True,
            "message": message,
            "timestamp": when,
            "url": f"{self.world.url}/{repository.full_name}/commit/{sha}",
            "author": person,
            "committer": person,
            "added": [],
            "removed": [],
            "modified": [],
        }

    def merge_group_event(self, repository: Repository, base_ref: str, ref: str, base: str, head: str) -> Event:
        """A `merge_group` webhook: the queue waits for checks on its commit."""
        payload = self._around(repository, "checks_requested")
        payload["merge_group"] = {
            "head_sha": head,
            "head_ref": ref,
            "base_sha": base,
            "base_ref": f"refs/heads/{base_ref}",
            "head_commit": self._commit(repository, head),
        }
        return Event("merge_group", payload)

    def _commit(self, repository: Repository, sha: str) -> Json:
        """A commit that nobody pushed just now."""
        pushed = self._pushed_commit(repository, sha)
        person = {name: pushed["author"][name] for name in ("name", "email")}
        return {name: pushed[name] for name in _COMMIT} | {"author": person, "committer": person}

    def repository_event(self, repository: Repository, action: str, **more: Any) -> Event:
        """A `repository` webhook."""
        return Event("repository", self._around(repository, action) | more)

    def _granted(self, repository: Repository) -> Json:
        node = self.node_id("R", repository.id)
        names = {"name": repository.name, "full_name": repository.full_name}
        return {"id": repository.id, "node_id": node, **names, "private": repository.private}

    def installation_event(self, action: str) -> Event:
        """An `installation` webhook, with the repositories it is about."""
        here = [self._granted(each) for each in self.world.repositories.values() if not each.gone]
        payload = {"action": action, "installation": self.installation(), "sender": self.user("octocat")}
        return Event("installation", payload | {"repositories": here, "requester": None})

    def repositories_event(self, action: str, repositories: Sequence[Repository]) -> Event:
        """An `installation_repositories` webhook."""
        named = [self._granted(each) for each in repositories]
        payload = {
            "action": action,
            "installation": self.installation(),
            "repository_selection": "selected",
            "repositories_added": named if action == "added" else [],
            "repositories_removed": named if action == "removed" else [],
            "requester": None,
            "sender": self.user("octocat"),
        }
        return Event("installation_repositories", payload)

    def check_suite_event(self, run: CheckRun) -> Event:
        """The `check_suite` webhook of a request to run a suite again."""
        payload = self._around(run.repository, "rerequested")
        url = f"{self.api}/repos/{run.repository.full_name}/check-suites/{run.suite_id}"
        payload["check_suite"] = self._suite(run) | {
            "latest_check_runs_count": 1,
            "check_runs_url": f"{url}/check-runs",
            "head_commit": self._commit(run.repository, run.head_sha),
        }
        return Event("check_suite", payload)

    def _suite(self, run: CheckRun) -> Json:
        pulls = self.pulls_of(run.repository, run.head_sha)
        url = f"{self.api}/repos/{run.repository.full_name}/check-suites/{run.suite_id}"
        return {
            "id": run.suite_id,
            "node_id": self.node_id("CS", run.suite_id),
            "head_branch": pulls[0]["head"]["ref"] if pulls else None,
            "head_sha": run.head_sha,
            "status": "queued",
            "conclusion": None,
            "url": url,
            "before": None,
            "after": run.head_sha,
            "pull_requests": list(pulls),
            "app": {name: value for name, value in self.app().items() if name != "installations_count"},
            "created_at": run.started_at,
            "updated_at": run.started_at,
        }

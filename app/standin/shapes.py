"""GitHub's JSON shapes, complete enough for strict models: users, repositories, pull requests, check runs, events."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from datetime import datetime
from urllib.parse import quote

from app.standin.world import EVENTS, CheckRun, Delivery, Json, Pull, Repository, World

API_VERSION_WITHOUT_MERGE_SHA = "2026-03-10"
MAX_COMPARED_COMMITS = 250
MAX_COMPARED_FILES = 300
MAX_PATCH_BYTES = 100_000

_USER_LINKS = {
    "followers_url": "/followers",
    "following_url": "/following{/other_user}",
    "gists_url": "/gists{/gist_id}",
    "starred_url": "/starred{/owner}{/repo}",
    "subscriptions_url": "/subscriptions",
    "organizations_url": "/orgs",
    "repos_url": "/repos",
    "events_url": "/events{/privacy}",
    "received_events_url": "/received_events",
}
_REPOSITORY_LINKS = {
    "archive_url": "/{archive_format}{/ref}",
    "assignees_url": "/assignees{/user}",
    "blobs_url": "/git/blobs{/sha}",
    "branches_url": "/branches{/branch}",
    "collaborators_url": "/collaborators{/collaborator}",
    "comments_url": "/comments{/number}",
    "commits_url": "/commits{/sha}",
    "compare_url": "/compare/{base}...{head}",
    "contents_url": "/contents/{+path}",
    "contributors_url": "/contributors",
    "deployments_url": "/deployments",
    "downloads_url": "/downloads",
    "events_url": "/events",
    "forks_url": "/forks",
    "git_commits_url": "/git/commits{/sha}",
    "git_refs_url": "/git/refs{/sha}",
    "git_tags_url": "/git/tags{/sha}",
    "hooks_url": "/hooks",
    "issue_comment_url": "/issues/comments{/number}",
    "issue_events_url": "/issues/events{/number}",
    "issues_url": "/issues{/number}",
    "keys_url": "/keys{/key_id}",
    "labels_url": "/labels{/name}",
    "languages_url": "/languages",
    "merges_url": "/merges",
    "milestones_url": "/milestones{/number}",
    "notifications_url": "/notifications{?since,all,participating}",
    "pulls_url": "/pulls{/number}",
    "releases_url": "/releases{/id}",
    "stargazers_url": "/stargazers",
    "statuses_url": "/statuses/{sha}",
    "subscribers_url": "/subscribers",
    "subscription_url": "/subscription",
    "tags_url": "/tags",
    "teams_url": "/teams",
    "trees_url": "/git/trees{/sha}",
}


def stamp(when: datetime) -> str:
    """A time the way GitHub writes it: 2026-11-30T09:00:00Z."""
    return when.strftime("%Y-%m-%dT%H:%M:%SZ")


class Shapes:
    """Builds JSON values out of a World. It reads and never changes."""

    def __init__(self, world: World) -> None:
        self.world = world

    @property
    def api(self) -> str:
        """Where the REST API is served."""
        return f"{self.world.url}/api/v3"

    def node_id(self, kind: str, number: int) -> str:
        """An opaque id like GitHub's."""
        return kind + "_" + base64.urlsafe_b64encode(number.to_bytes(8, "big")).rstrip(b"=").decode()

    def user(self, login: str) -> Json:
        """A `simple-user`. The installation's account is an organisation, anybody else a person."""
        number = int.from_bytes(login.encode()[:4].rjust(4, b"\0"), "big")
        url = f"{self.api}/users/{login}"
        return {
            "login": login,
            "id": number,
            "node_id": self.node_id("U", number),
            "avatar_url": f"{self.world.url}/avatars/{number}",
            "gravatar_id": "",
            "url": url,
            "html_url": f"{self.world.url}/{login}",
            **{name: url + rest for name, rest in _USER_LINKS.items()},
            "type": "Organization" if login == self.world.account else "User",
            "site_admin": False,
        }

    def repository(self, repository: Repository, *, full: bool = False, asked: bool = True) -> Json:
        """A `repository`; `full` adds what only the single-repository answer has.

        What whoever asks may do there is in answers alone: nobody has `asked` for a webhook.
        """
        url = f"{self.api}/repos/{repository.full_name}"
        html = f"{self.world.url}/{repository.full_name}"
        made = "2026-01-05T09:00:00Z"
        shape: Json = {
            "id": repository.id,
            "node_id": self.node_id("R", repository.id),
            "name": repository.name,
            "full_name": repository.full_name,
            "private": repository.private,
            "owner": self.user(repository.owner),
            "html_url": html,
            "description": None,
            "fork": repository.fork,
            "url": url,
            **{name: url + rest for name, rest in _REPOSITORY_LINKS.items()},
            "created_at": made,
            "updated_at": made,
            "pushed_at": stamp(repository.pushed_at),
            "git_url": html.replace("http://", "git://") + ".git",
            "ssh_url": f"git@127.0.0.1:{repository.full_name}.git",
            "clone_url": html + ".git",
            "svn_url": html,
            "homepage": None,
            "size": 12,
            "stargazers_count": 0,
            "watchers_count": 0,
            "language": None,
            "has_issues": True,
            "has_projects": False,
            "has_downloads": True,
            "has_wiki": False,
            "has_pages": False,
            "has_discussions": False,
            "forks_count": 0,
            "mirror_url": None,
            "archived": False,
            "disabled": False,
            "open_issues_count": len(repository.pulls),
            "license": None,
            "allow_forking": True,
            "is_template": False,
            "topics": [],
            "visibility": "private" if repository.private else "public",
            "forks": 0,
            "open_issues": len(repository.pulls),
            "watchers": 0,
            "default_branch": repository.default_branch,
        }
        if asked:
            shape["permissions"] = {"admin": False, "maintain": False, "push": False, "triage": False, "pull": True}
        return shape | {"network_count": 0, "subscribers_count": 0} if full else shape

    def app(self) -> Json:
        """The app itself (`integration`)."""
        return {
            "id": self.world.app_id,
            "client_id": self.world.client_id,
            "slug": self.world.slug,
            "node_id": self.node_id("A", self.world.app_id),
            "owner": self.user(self.world.account),
            "name": self.world.slug,
            "description": "",
            "external_url": self.world.url,
            "html_url": f"{self.world.url}/apps/{self.world.slug}",
            "created_at": "2026-01-05T09:00:00Z",
            "updated_at": "2026-01-05T09:00:00Z",
            "permissions": dict(self.world.permissions),
            "events": list(EVENTS),
            "installations_count": 1,
        }

    def installation(self) -> Json:
        """The one installation."""
        world = self.world
        return {
            "id": world.installation_id,
            "client_id": world.client_id,
            "account": self.user(world.account),
            "repository_selection": "all",
            "access_tokens_url": f"{self.api}/app/installations/{world.installation_id}/access_tokens",
            "repositories_url": f"{self.api}/installation/repositories",
            "html_url": f"{world.url}/organizations/{world.account}/settings/installations/{world.installation_id}",
            "app_id": world.app_id,
            "app_slug": world.slug,
            "target_id": self.user(world.account)["id"],
            "target_type": "Organization",
            "permissions": dict(world.permissions),
            "events": list(EVENTS),
            "created_at": "2026-01-05T09:00:00Z",
            "updated_at": "2026-01-05T09:00:00Z",
            "single_file_name": None,
            "has_multiple_single_files": False,
            "single_file_paths": [],
            "suspended_by": self.user(world.account) if world.suspended else None,
            "suspended_at": "2026-01-06T09:00:00Z" if world.suspended else None,
        }

    def _side(self, owner: str, ref: str, sha: str, repository: Repository | None) -> Json:
        return {
            "label": f"{owner}:{ref}",
            "ref": ref,
            "sha": sha,
            "user": self.user(owner),
            "repo": self.repository(repository, asked=False) if repository else None,
        }

    def pull(self, pull: Pull, api_version: str, *, full: bool = True) -> Json:
        """A pull request; `full` is the single answer, with `mergeable`; lists leave that out.

        API version 2026-03-10 has no `merge_commit_sha`.
        """
        repository = pull.repository
        url = f"{self.api}/repos/{repository.full_name}/pulls/{pull.number}"
        issue = f"{self.api}/repos/{repository.full_name}/issues/{pull.number}"
        html = f"{self.world.url}/{repository.full_name}/pull/{pull.number}"
        when = stamp(pull.opened_at)
        statuses = f"{self.api}/repos/{repository.full_name}/statuses/{pull.head_sha}"
        links = {
            "self": url,
            "html": html,
            "issue": issue,
            "comments": f"{issue}/comments",
            "review_comments": f"{url}/comments",
            "review_comment": f"{self.api}/repos/{repository.full_name}/pulls/comments{{/number}}",
            "commits": f"{url}/commits",
            "statuses": statuses,
        }
        shape: Json = {
            "url": url,
            "id": pull.id,
            "node_id": self.node_id("PR", pull.id),
            "html_url": html,
            "diff_url": f"{html}.diff",
            "patch_url": f"{html}.patch",
            "issue_url": issue,
            "number": pull.number,
            "state": pull.state,
            "locked": False,
            "title": pull.title,
            "user": self.user(pull.author),
            "body": None,
            "created_at": when,
            "updated_at": when,
            "closed_at": None if pull.state == "open" else when,
            "merged_at": when if pull.merged else None,
            "merge_commit_sha": pull.merge_sha,
            "assignee": None,
            "assignees": [],
            "requested_reviewers": [],
            "requested_teams": [],
            "labels": [],
            "milestone": None,
            "draft": pull.draft,
            "commits_url": links["commits"],
            "review_comments_url": links["review_comments"],
            "review_comment_url": links["review_comment"],
            "comments_url": links["comments"],
            "statuses_url": statuses,
            "head": self._side(pull.head_owner, pull.head_ref, pull.head_sha, pull.head_repository),
            "base": self._side(repository.owner, pull.base_ref, pull.base_sha, repository),
            "_links": {name: {"href": href} for name, href in links.items()},
            "author_association": "CONTRIBUTOR",
            "auto_merge": None,
            "active_lock_reason": None,
        }
        if api_version == API_VERSION_WITHOUT_MERGE_SHA:
            del shape["merge_commit_sha"]
        if not full:
            return shape
        commits = repository.git.between(pull.base_sha, pull.head_sha)
        return shape | {
            "merged": pull.merged,
            "mergeable": {"unknown": None, "yes": True, "no": False}[pull.mergeable],
            "rebaseable": None,
            "mergeable_state": {"unknown": "unknown", "yes": "clean", "no": "dirty"}[pull.mergeable],
            "merged_by": None,
            "comments": 0,
            "review_comments": 0,
            "maintainer_can_modify": False,
            "commits": len(commits),
            "additions": 1,
            "deletions": 1,
            "changed_files": 1,
        }

    def check_run(self, run: CheckRun) -> Json:
        """A check run. `pull_requests` is empty for pull requests from forks, as it is at GitHub."""
        repository = run.repository
        url = f"{self.api}/repos/{repository.full_name}/check-runs/{run.id}"
        html = f"{self.world.url}/{repository.full_name}/runs/{run.id}"
        return {
            "id": run.id,
            "name": run.name,
            "node_id": self.node_id("CR", run.id),
            "head_sha": run.head_sha,
            "external_id": run.external_id,
            "url": url,
            "html_url": html,
            "details_url": run.details_url or self.world.url,
            "status": run.status,
            "conclusion": run.conclusion,
            "started_at": run.started_at,
            "completed_at": run.completed_at,
            "output": {
                "title": run.output.get("title"),
                "summary": run.output.get("summary"),
                "text": run.output.get("text"),
                "annotations_count": len(run.annotations),
                "annotations_url": f"{url}/annotations",
            },
            "check_suite": {"id": run.suite_id},
            "app": self.app(),
            "pull_requests": self.pulls_of(repository, run.head_sha),
        }

    def annotation(self, run: CheckRun, sent: Json) -> Json:
        """An annotation as it is read back."""
        names = ("path", "start_line", "end_line", "annotation_level", "message")
        optional = ("start_column", "end_column", "title", "raw_details")
        blob = f"{self.world.url}/{run.repository.full_name}/blob/{run.head_sha}/{sent['path']}"
        return {name: sent[name] for name in names} | {name: sent.get(name) for name in optional} | {"blob_href": blob}

    def pulls_of(self, repository: Repository, head_sha: str) -> Sequence[Json]:
        """The open pull requests with this head, but for those from forks."""
        return [
            {
                "url": f"{self.api}/repos/{repository.full_name}/pulls/{pull.number}",
                "id": pull.id,
                "number": pull.number,
                "head": {"ref": pull.head_ref, "sha": pull.head_sha, "repo": self._pointer(pull.head_repository)},
                "base": {"ref": pull.base_ref, "sha": pull.base_sha, "repo": self._pointer(repository)},
            }
            for pull in repository.pulls.values()
            if pull.state == "open" and pull.head_sha == head_sha and pull.head_repository is repository
        ]

    def _pointer(self, repository: Repository) -> Json:
        url = f"{self.api}/repos/{repository.full_name}"
        return {"id": repository.id, "url": url, "name": repository.name}

    def commit(self, repository: Repository, sha: str) -> Json:
        """A commit, as comparisons hold it."""
        tree, parents, when, message = repository.git.describe(sha)
        url = f"{self.api}/repos/{repository.full_name}"
        html = f"{self.world.url}/{repository.full_name}/commit"
        person = {"name": "octocat", "email": "octocat@users.noreply.example", "date": when}
        return {
            "url": f"{url}/commits/{sha}",
            "sha": sha,
            "node_id": self.node_id("C", int(sha[:12], 16)),
            "html_url": f"{html}/{sha}",
            "comments_url": f"{url}/commits/{sha}/comments",
            "commit": {
                "url": f"{url}/git/commits/{sha}",
                "author": person,
                "committer": person,
                "message": message,
                "comment_count": 0,
                "tree": {"sha": tree, "url": f"{url}/git/trees/{tree}"},
                "verification": {
                    "verified": False,
                    "reason": "unsigned",
                    "payload": None,
                    "signature": None,
                    "verified_at": None,
                },
            },
            "author": self.user("octocat"),
            "committer": self.user("octocat"),
            "parents": [
                {"sha": parent, "url": f"{url}/commits/{parent}", "html_url": f"{html}/{parent}"} for parent in parents
            ],
        }

    def comparison(
        self, repository: Repository, base: str, head: str, merge_base: str, page: slice, *, files: bool
    ) -> Json:
        """`base...head`: how far each is from their merge base; commits of one page, oldest first; maybe the files."""
        ahead, behind = repository.git.between(base, head), repository.git.between(head, base)
        status = "diverged" if ahead and behind else "ahead" if ahead else "behind" if behind else "identical"
        html = f"{self.world.url}/{repository.full_name}/compare/{base}...{head}"
        return {
            "url": f"{self.api}/repos/{repository.full_name}/compare/{base}...{head}",
            "html_url": html,
            "permalink_url": html,
            "diff_url": f"{html}.diff",
            "patch_url": f"{html}.patch",
            "base_commit": self.commit(repository, base),
            "merge_base_commit": self.commit(repository, merge_base),
            "status": status,
            "ahead_by": len(ahead),
            "behind_by": len(behind),
            "total_commits": len(ahead),
            "commits": [self.commit(repository, sha) for sha in ahead[page]],
            **({"files": self._files(repository, merge_base, head)} if files else {}),
        }

    def _files(self, repository: Repository, merge_base: str, head: str) -> Sequence[Json]:
        """The files of a comparison, 300 at most; a large one has no patch."""
        url = f"{self.api}/repos/{repository.full_name}"
        html = f"{self.world.url}/{repository.full_name}"
        made = []
        for changed in repository.git.changed_files(merge_base, head)[:MAX_COMPARED_FILES]:
            path = quote(changed.path)
            shape: Json = {
                "sha": changed.blob,
                "filename": changed.path,
                "status": changed.status,
                "additions": changed.additions,
                "deletions": changed.deletions,
                "changes": changed.additions + changed.deletions,
                "blob_url": f"{html}/blob/{head}/{path}",
                "raw_url": f"{html}/raw/{head}/{path}",
                "contents_url": f"{url}/contents/{path}?ref={head}",
            }
            if changed.patch and len(changed.patch) <= MAX_PATCH_BYTES:
                shape["patch"] = changed.patch
            made.append(shape)
        return made

    def delivery(self, delivery: Delivery) -> Json:
        """A line of the app's list of deliveries."""
        repository = delivery.event.payload.get("repository") or {}
        return {
            "id": delivery.id,
            "guid": delivery.guid,
            "delivered_at": stamp(delivery.at),
            "redelivery": delivery.redelivery,
            "duration": round(delivery.seconds, 3),
            "status": "OK" if 200 <= delivery.status < 300 else f"Invalid HTTP Response: {delivery.status}",
            "status_code": delivery.status,
            "event": delivery.event.name,
            "action": delivery.event.action,
            "installation_id": (delivery.event.payload.get("installation") or {}).get("id"),
            "repository_id": repository.get("id"),
            "throttled_at": None,
        }

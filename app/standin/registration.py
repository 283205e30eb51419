"""Registering an App from a manifest, the App's webhook configuration, and files read through the API.

GitHub's flow: a form with the manifest is posted to a page, which sends the browser back with a code; the code is
exchanged, once and within the hour, for the App's credentials.
"""

from __future__ import annotations

import base64
import json
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode, urlsplit

if TYPE_CHECKING:
    from app.standin.world import Json, Repository, World

KNOWN_FIELDS = {
    "name", "url", "hook_attributes", "redirect_url", "callback_urls", "setup_url", "description", "public",
    "default_events", "default_permissions", "request_oauth_on_install", "setup_on_update",
}  # fmt: skip
NEEDED_FOR = {"pull_request": "pull_requests", "merge_group": "merge_queues", "push": "contents"}


@dataclass
class Registration:
    """The App's registration: the manifest of each code not yet exchanged, and the webhook's configuration."""

    codes: dict[str, Json] = field(default_factory=dict)
    hook: Json = field(
        default_factory=lambda: {"content_type": "json", "insecure_ssl": "0", "secret": "********", "url": ""}
    )


def register(world: World, manifest_text: str, state: str) -> tuple[int, str]:
    """What the form does: (302, where the browser is sent) or (422, why the manifest is refused)."""
    try:
        manifest = json.loads(manifest_text)
    except ValueError:
        return 422, "The manifest is not JSON"
    problem = _problem(manifest)
    if problem is not None:
        return 422, problem
    code = secrets.token_hex(20)
    world.registration.codes[code] = manifest
    separator = "&" if urlsplit(manifest["redirect_url"]).query else "?"
    return 302, f"{manifest['redirect_url']}{separator}{urlencode({'code': code, 'state': state})}"


def _problem(manifest: Any) -> str | None:
    if not isinstance(manifest, dict) or not isinstance(manifest.get("url"), str):
        return "Error: url is missing"
    unknown = sorted(set(manifest) - KNOWN_FIELDS)
    if unknown:
        return f"Error: unknown field {unknown[0]}"
    if "redirect_url" not in manifest:
        return "Error: redirect_url is missing"
    if "hook_attributes" in manifest and not manifest["hook_attributes"].get("url"):
        return "Error: hook_attributes.url is missing"
    permissions = manifest.get("default_permissions", {})
    for event in manifest.get("default_events", ()):
        needed = NEEDED_FOR.get(event, "metadata")
        if needed not in permissions and needed != "metadata":
            return f"Error: default_events are not supported by permissions: {event}"
    return None


def convert(world: World, code: str) -> Json | None:
    """The App's credentials for a code, once; None for a code that isn't known (any more)."""
    manifest = world.registration.codes.pop(code, None)
    if manifest is None:
        return None
    hook = manifest.get("hook_attributes", {})
    # GitHub's default for a webhook's content type is a form.
    world.registration.hook = world.registration.hook | {"url": hook.get("url", ""), "content_type": "form"}
    return world.shapes.app() | {
        "client_id": world.client_id,
        "client_secret": secrets.token_hex(20),
        "webhook_secret": world.webhook_secret,
        "pem": world.private_key_pem,
    }


def contents(world: World, repository: Repository, path: str, ref: str) -> Json | None:
    """A file at a commit, branch or tag, as the contents API answers; None when there is none."""
    git = repository.git
    commit = git.find(ref or f"refs/heads/{repository.default_branch}") or git.find(f"refs/heads/{ref}")
    if commit is None:
        return None
    listed = git.git("ls-tree", "-l", "--full-tree", commit, "--", path).decode().split()
    if len(listed) < 4 or listed[1] != "blob":
        return None
    sha = listed[2]
    url = f"{world.url}/api/v3/repos/{repository.full_name}"
    page = f"{world.url}/{repository.full_name}/blob/{commit}/{quote(path)}"
    here = f"{url}/contents/{quote(path)}?ref={commit}"
    return {
        "type": "file",
        "encoding": "base64",
        "size": int(listed[3]),
        "name": path.rpartition("/")[2],
        "path": path,
        "content": base64.encodebytes(git.git("cat-file", "blob", sha)).decode(),
        "sha": sha,
        "url": here,
        "git_url": f"{url}/git/blobs/{sha}",
        "html_url": page,
        "download_url": None,
        "_links": {"self": here, "git": f"{url}/git/blobs/{sha}", "html": page},
    }

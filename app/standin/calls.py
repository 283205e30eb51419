"""What the endpoints share: a call, its answer, the refusal GitHub would give, and pages of lists."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.standin.world import Json, Repository, World

DOCUMENTATION = "https://docs.github.com/rest"
MAX_PER_PAGE = 100


@dataclass(frozen=True)
class Call:
    """One request. `query` holds the first value of each name; `body` is None without one."""

    method: str
    path: str
    query: Mapping[str, str]
    body: Any
    authorization: str
    api_version: str
    params: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    """A status, a JSON body (None for none) and headers."""

    status: int
    body: Any
    headers: Mapping[str, str] = field(default_factory=dict)


class Refusal(Exception):
    """GitHub says no."""

    def __init__(
        self, status: int, message: str, errors: Sequence[Json] = (), headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        body: Json = {"message": message, "documentation_url": DOCUMENTATION, "status": str(status)}
        if errors:
            body["errors"] = list(errors)
        self.answer = Answer(status, body, headers or {})


def repository_of(world: World, call: Call) -> Repository:
    """The repository that the path names."""
    return world.repositories[int(call.params["repository"])]


def page_of(call: Call) -> tuple[slice, int, int]:
    """The slice a page is, its number and its size."""
    number = positive(call.query.get("page"), 1)
    size = min(positive(call.query.get("per_page"), 30), MAX_PER_PAGE)
    return slice((number - 1) * size, number * size), number, size


def positive(text: str | None, default: int) -> int:
    """A number of the query, when it is one above zero."""
    return int(text) if text and text.isdecimal() and int(text) > 0 else default


def links(world: World, call: Call, total: int) -> Mapping[str, str]:
    """The Link header of a page, while there are more."""
    _, number, size = page_of(call)
    if number * size >= total:
        return {}
    others = "".join(f"&{name}={value}" for name, value in call.query.items() if name not in ("page", "per_page"))
    base = f"{world.shapes.api}{call.path}?per_page={size}{others}&page="
    return {"Link": f'<{base}{number + 1}>; rel="next", <{base}{-(-total // size)}>; rel="last"'}


def commit_named(repository: Repository, name: str) -> str | None:
    """The SHA of a commit named by SHA, branch, `heads/branch` or tag."""
    if not name or name.startswith("-"):
        return None
    if re.fullmatch(r"[0-9a-f]{40}", name):
        return repository.git.find(name)
    for prefix in ("refs/heads/", "refs/tags/", "refs/"):
        if (sha := repository.git.find(prefix + name)) is not None:
            return sha
    return None

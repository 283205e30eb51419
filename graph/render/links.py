"""Where a line of a briefing leads: to the file at the commit in which its line numbers are right."""

from __future__ import annotations

import msgspec

from graph.briefing import Briefing
from graph.render.escape import code_span, percent_encoded

# A longer address is left out, and the place named without a link: browsers and mail programs cut them off.
_URL_LIMIT = 2000


class Links(msgspec.Struct, frozen=True, kw_only=True):
    """The repository on GitHub and the pull request's commits.

    `web_url` is the server without a path (`https://github.com`). `base_sha` is the base commit of the test merge,
    None when callers were found in the head. `number` is the pull request's, `base_ref` the branch it goes into.
    """

    web_url: str
    owner: str
    name: str
    head_sha: str
    base_sha: str | None
    number: int
    base_ref: str

    def blob(self, sha: str, path: str, line: int | None = None) -> str:
        """The page of a file at a commit, at a line."""
        anchor = f"#L{line}" if line is not None else ""
        return f"{self._repository()}/blob/{sha}/{percent_encoded(path)}{anchor}"

    def commit(self, sha: str) -> str:
        """The page of a commit."""
        return f"{self._repository()}/commit/{sha}"

    def _repository(self) -> str:
        return f"{self.web_url.rstrip('/')}/{percent_encoded(self.owner)}/{percent_encoded(self.name)}"


class Linker:
    """Writes places of one briefing as Markdown: linked when there are `links`, as code spans when not.

    Files that the pull request changes are shown at the head, all others at the base (at the head, too, when callers
    were found there): the test merge has the same lines, but its commit is gone with the next push.
    """

    def __init__(self, briefing: Briefing, links: Links | None) -> None:
        self._links = links
        self._merge_base = briefing.merge_base
        self._head_paths = frozenset(file.path for file in briefing.changed if file.path is not None)

    def place(self, path: str, line: int | None = None, label: str | None = None) -> str:
        """A place in the tree in which callers were found. `label` instead of `path:line` as the link's text."""
        if self._links is None:
            return self._shown(path, line, label, None)
        sha = self._links.base_sha
        if sha is None or path in self._head_paths:
            sha = self._links.head_sha
        return self._shown(path, line, label, self._links.blob(sha, path, line))

    def before(self, path: str, line: int | None = None) -> str:
        """A place in the merge base, for what the pull request removes."""
        url = None if self._links is None else self._links.blob(self._merge_base, path, line)
        return self._shown(path, line, None, url)

    def commit(self, sha: str) -> str:
        """A commit by its first seven digits."""
        short = code_span(sha[:7])
        return short if self._links is None else f"[{short}]({self._links.commit(sha)})"

    def _shown(self, path: str, line: int | None, label: str | None, url: str | None) -> str:
        if label is None or url is None or len(url) > _URL_LIMIT:
            text = code_span(path if line is None else f"{path}:{line}") if label is None else label
        else:
            text = label
        return text if url is None or len(url) > _URL_LIMIT else f"[{text}]({url})"

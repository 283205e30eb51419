"""The tracked files of one commit, with their blob ids, and an overlay of single files put over them."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Final

from graph.checkout import Checkout
from graph.git import Blobs, Git, GitError, decode, encode
from graph.listing import Listing, listing_of, sizes_of

SIZE_LIMIT: Final = 2 * 1024 * 1024
"""Bytes. Larger files are in `Snapshot.too_large` and read as empty."""
SKIPPED_FOLDERS: Final = frozenset({"vendor", "node_modules"})
"""Folders of other people's code, skipped at any depth. No other folder's name is a reason to skip it."""
_READ_BUDGET: Final = 96 * 1024 * 1024
"""Bytes of blobs kept after reading."""


class BlobCache:
    """Blobs read from the worktree's files, as far as these have them, else through `Blobs`. The most recently used are
    kept within a budget of bytes."""

    def __init__(self, blobs: Blobs, checkout: Checkout, budget: int = _READ_BUDGET) -> None:
        self.checkout = checkout
        self._blobs = blobs
        self._budget = budget
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._size = 0
        self._made: dict[str, bytes] = {}

    def put(self, content: bytes, *, like: str) -> str:
        """The blob id (of the kind that `like` is of) of content that is in no commit, and can be read from here on."""
        hashed = hashlib.new("sha1" if len(like) == 40 else "sha256", usedforsecurity=False)
        hashed.update(b"blob %d\0" % len(content))
        hashed.update(content)
        blob = hashed.hexdigest()
        self._made[blob] = content
        return blob

    def sizes_of_made(self, blobs: Iterable[str]) -> dict[str, int]:
        """Blob -> bytes of those that were `put` here."""
        return {blob: len(self._made[blob]) for blob in blobs if blob in self._made}

    def get(self, blob: str, path: str) -> bytes:
        """The bytes of a blob, which may be in the file at `path`. Raises GitError when neither that nor the clone has
        it."""
        made = self._made.get(blob)
        if made is not None:
            return made
        kept = self._kept.get(blob)
        if kept is not None:
            self._kept.move_to_end(blob)
            return kept
        content = self.checkout.read(path, blob)
        return self._keep(blob, content if content is not None else self._blobs.read(blob))

    def get_many(self, wanted: Iterable[tuple[str, str]]) -> dict[str, bytes]:
        """Blob -> bytes of several (path, blob), the missing ones in one go."""
        found: dict[str, bytes] = {}
        missing: list[str] = []
        for path, blob in wanted:
            content = self._made.get(blob, self._kept.get(blob))
            if content is None:
                content = self.checkout.read(path, blob)
                if content is None:
                    missing.append(blob)
                    continue
                self._keep(blob, content)
            found[blob] = content
        for blob, content in self._blobs.read_many(dict.fromkeys(missing)):
            found[blob] = self._keep(blob, content)
        return found

    def _keep(self, blob: str, content: bytes | None) -> bytes:
        if content is None:
            raise GitError(f"Blob {blob} is not in this clone: fetch it, or fill the partial clone (`git fetch`).")
        self._kept[blob] = content
        self._size += len(content)
        while self._size > self._budget and len(self._kept) > 1:
            self._size -= len(self._kept.popitem(last=False)[1])
        return content


class Snapshot:
    """The files of one tree. Implements `graph.languages.base.Tree`.

    `paths` maps the path of every regular tracked file to its blob id, in path order. `links` and `submodules` do the
    same for symbolic links and for submodules (the commit's id); they are never read. `skipped` counts regular files in
    skipped folders. `too_large` are files past `SIZE_LIMIT`. `overlay` are the paths that differ from the `commit`.
    `base` is the commit's own snapshot, without any overlay; `graph.search` remembers in its `searches`, and its
    `listing` is what it was made of.
    """

    def __init__(
        self,
        git: Git,
        cache: BlobCache,
        commit: str,
        *,
        paths: dict[str, str],
        sizes: dict[str, int],
        links: Mapping[str, str],
        submodules: Mapping[str, str],
        skipped: int,
        overlay: frozenset[str] = frozenset(),
        base: Snapshot | None = None,
    ) -> None:
        self.git = git
        self.commit = commit
        self.links = links
        self.submodules = submodules
        self.skipped = skipped
        self.overlay = overlay
        self.base = self if base is None else base
        self.searches: dict[object, object] = {}
        self.listing: Listing | None = None
        self._cache = cache
        self._paths = paths
        self._sizes = sizes

    @classmethod
    def of(cls, git: Git, blobs: Blobs | BlobCache, commit: str, kept: Listing | None = None) -> Snapshot:
        """The snapshot of a commit (full SHA), found faster where the listing of one like it was `kept`. Raises
        GitError when its tree isn't in this clone."""
        cache = blobs if isinstance(blobs, BlobCache) else BlobCache(blobs, Checkout(git))
        listing = listing_of(git, commit, kept)
        paths: dict[str, str] = {}
        links: dict[str, str] = {}
        submodules: dict[str, str] = {}
        skipped = 0
        for path, about in listing.entries.items():
            if not about.startswith("100"):
                (submodules if about.startswith("160") else links)[path] = about.rpartition(" ")[2]
            elif in_skipped_folder(path):
                skipped += 1
            else:
                paths[path] = about[12:]
        sizes = listing.sizes
        # A clone can lack blobs (a partial or damaged one): nobody can read them, whatever their size.
        lacking = {blob: SIZE_LIMIT + 1 for blob in paths.values() if blob not in sizes}
        sizes = sizes | lacking if lacking else sizes
        made = cls(git, cache, commit, paths=paths, sizes=sizes, links=links, submodules=submodules, skipped=skipped)
        made.listing = listing
        return made

    @property
    def paths(self) -> Mapping[str, str]:
        """Path -> blob id of every regular tracked file outside skipped folders, sorted by path."""
        return MappingProxyType(self._paths)

    def __contains__(self, path: str) -> bool:
        return path in self._paths

    def blob(self, path: str) -> str | None:
        """The blob id of the file at `path`; None when there is no such regular file."""
        return self._paths.get(path)

    def size(self, path: str) -> int:
        """The file's size in bytes; 0 when there is no such file."""
        return self._sizes.get(self._paths.get(path, ""), 0)

    def ending(self, suffixes: tuple[str, ...]) -> list[str]:
        """The files with one of these suffixes that are not too large, in path order."""
        large = self.too_large
        return [path for path in self._paths if path.endswith(suffixes) and path not in large]

    def size_of(self, paths: Iterable[str]) -> int:
        """The bytes of several files that are there, together."""
        sizes, blobs = self._sizes, self._paths
        return sum([sizes[blobs[path]] for path in paths])

    def read(self, path: str) -> bytes:
        """The file's bytes; b"" for a file that isn't there or is past the size limit."""
        blob = self._paths.get(path)
        if blob is None or self._sizes[blob] > SIZE_LIMIT:
            return b""
        return self._cache.get(blob, path)

    def read_many(self, paths: Iterable[str]) -> dict[str, bytes]:
        """Several files at once, faster than one by one; the same rules as `read`."""
        wanted = list(paths)
        readable = {
            path: blob
            for path in wanted
            if (blob := self._paths.get(path)) is not None and self._sizes[blob] <= SIZE_LIMIT
        }
        contents = self._cache.get_many(readable.items())
        return {path: contents[readable[path]] if path in readable else b"" for path in wanted}

    @cached_property
    def too_large(self) -> frozenset[str]:
        """The paths of files past `SIZE_LIMIT`."""
        large = {blob for blob, size in self._sizes.items() if size > SIZE_LIMIT}
        return frozenset(path for path, blob in self._paths.items() if blob in large) if large else frozenset()

    def checked_out(self, paths: Iterable[str]) -> frozenset[str]:
        """Those of the paths whose files in the worktree are this snapshot's, as far as that is known without reading
        them (see `graph.checkout`)."""
        wanted = {encode(path): (blob, self._sizes[blob]) for path in paths if (blob := self._paths.get(path))}
        return frozenset(map(decode, self._cache.checkout.holding(wanted)))

    def children(self, directory: str) -> Collection[str]:
        """Names directly below a directory ("" is the root), files and directories; empty when there is none."""
        return self._children.get(directory, {}).keys()

    @cached_property
    def _children(self) -> dict[str, dict[str, None]]:
        children: dict[str, dict[str, None]] = {"": {}}
        for path in self._paths:
            while True:
                directory, _, name = path.rpartition("/")
                known = directory in children
                children.setdefault(directory, {})[name] = None
                if known:
                    break
                path = directory
        return children

    def without(self, paths: Collection[str]) -> Snapshot:
        """This snapshot as if the files at these paths were not there."""
        return Snapshot(
            self.git,
            self._cache,
            self.commit,
            paths={path: blob for path, blob in self._paths.items() if path not in paths},
            sizes=self._sizes,
            links=self.links,
            submodules=self.submodules,
            skipped=self.skipped,
            overlay=self.overlay.difference(paths),
            base=self.base,
        )

    def with_overlay(self, replaced: Mapping[str, str | None], lacking: Collection[str] = ()) -> Snapshot:
        """This snapshot with some files replaced: path -> blob id, None for a file that isn't there any more. Of
        `lacking` it is known that they are not in this clone: nobody can read them, whatever their size."""
        paths = dict(self._paths)
        links = dict(self.links)
        submodules = dict(self.submodules)
        differing = set(self.overlay)
        for path, blob in replaced.items():
            links.pop(path, None)
            submodules.pop(path, None)
            if in_skipped_folder(path) or paths.get(path) == blob:
                continue
            differing.add(path)
            if blob is None:
                del paths[path]
            else:
                paths[path] = blob
        unknown = sorted({blob for path in differing if (blob := paths.get(path)) and blob not in self._sizes})
        made = self._cache.sizes_of_made(unknown)
        asked = [blob for blob in unknown if blob not in made]
        fresh = dict.fromkeys(lacking, SIZE_LIMIT + 1) | sizes_of(self.git, asked) | made
        for blob in unknown:
            if blob not in fresh:
                raise GitError(f"Blob {blob} is not in this clone: fetch the pull request's head (`git fetch`).")
        return Snapshot(
            self.git,
            self._cache,
            self.commit,
            paths=dict(sorted(paths.items())),
            sizes=self._sizes | fresh,
            links=links,
            submodules=submodules,
            skipped=self.skipped,
            overlay=frozenset(differing),
            base=self.base,
        )


def in_skipped_folder(path: str) -> bool:
    """Whether the file lies in a folder of other people's code (`SKIPPED_FOLDERS`)."""
    if "vendor/" not in path and "node_modules/" not in path:
        return False
    return not SKIPPED_FOLDERS.isdisjoint(path.split("/")[:-1])

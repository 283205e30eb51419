"""What a commit's tree holds, as git lists it: all of it, or from the listing of an earlier commit what differs."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from graph.git import Git, decode, encode, is_sha


class Listing(msgspec.Struct, frozen=True):
    """`entries`: path -> mode, kind and id ("100644 blob ID") of everything in the commit's tree but folders, in git's
    order. `sizes`: id -> bytes, of all blobs that the clone has."""

    commit: str
    entries: dict[str, str]
    sizes: dict[str, int]


def listing_of(git: Git, commit: str, kept: Listing | None = None) -> Listing:
    """The listing of a commit (full SHA), by way of a `kept` one where its commit is still there. Raises GitError when
    the tree isn't in this clone."""
    since = _since(git, commit, kept) if kept is not None else None
    if since is not None:
        return since
    entries: dict[str, str] = {}
    sizes: dict[str, int] = {}
    listed, _ = git.run("ls-tree", "-r", "-z", "-l", "--full-tree", commit)
    for entry in decode(listed).split("\0")[:-1]:
        about, _, path = entry.partition("\t")
        named, _, size = about.rpartition(" ")  # the size of a submodule's commit is "-", of a lacking blob "BAD"
        named = named.rstrip(" ")
        entries[path] = named
        if size.isdigit():
            sizes[named[12:]] = int(size)
    return Listing(commit, entries, sizes)


def _since(git: Git, commit: str, kept: Listing) -> Listing | None:
    """The listing of a commit, from one that was kept; None when that one's commit is gone."""
    if not is_sha(kept.commit):
        return None
    command = ["diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", kept.commit, commit]
    printed, code = git.run(*command, allowed=(0, 128))
    if code != 0:
        return None
    entries = dict(kept.entries)
    fields = decode(printed).split("\0")
    fresh: list[str] = []
    is_longer = False
    for about, path in zip(fields[:-1:2], fields[1::2], strict=False):
        _, mode, _, sha, _ = about.split(" ")  # ":100644 100755 ID ID M"
        if mode == "000000":
            del entries[path]
            continue
        is_longer = is_longer or path not in entries
        entries[path] = f"{mode} {'commit' if mode == '160000' else 'blob'} {sha}"
        if mode != "160000" and sha not in kept.sizes:
            fresh.append(sha)
    if is_longer:
        entries = dict(sorted(entries.items(), key=lambda entry: encode(entry[0])))
    return Listing(commit, entries, kept.sizes | sizes_of(git, fresh))


def sizes_of(git: Git, blobs: Iterable[str]) -> dict[str, int]:
    """Blob -> size in bytes, of those that are in this clone."""
    asked = "".join(f"{blob}\n" for blob in blobs).encode("ascii")
    if not asked:
        return {}
    printed, _ = git.run("cat-file", "--batch-check", given=asked)
    answers = (line.split(" ") for line in printed.decode("ascii", "replace").splitlines())
    return {fields[0]: int(fields[2]) for fields in answers if len(fields) == 3 and fields[1] == "blob"}

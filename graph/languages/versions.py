"""The version of an extractor: what it is made of, so that nobody can forget to raise it."""

from __future__ import annotations

import hashlib
from importlib.metadata import version
from pathlib import Path


def version_of(package_file: str) -> str:
    """A digest of a language package's code and queries and of the grammars' release; pass the package's `__file__`.

    Facts in the cache are found by it: any change to the package makes new facts. That is more often than needed, and
    never too seldom.
    """
    digest = hashlib.blake2b(digest_size=8)
    digest.update(version("tree-sitter-language-pack").encode() + b"\0" + version("tree-sitter").encode())
    for path in sorted(Path(package_file).parent.iterdir()):
        if path.suffix in (".py", ".scm"):
            digest.update(b"\0" + path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()

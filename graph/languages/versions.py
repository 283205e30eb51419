"""The version of an extractor: what it is made of, so that nobody can forget to raise it."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.util import find_spec
from pathlib import Path

_SHARED = ("blanks.py", "damage.py", "minified.py", "reading.py")
_GRAMMARS = ("tree_sitter_language_pack", "tree_sitter")


def version_of(package_file: str) -> str:
    """A digest of a language package's code and queries, of what several read files by, and of the grammars' release;
    pass the package's `__file__`.

    Facts in the cache are found by it: any change to the package makes new facts. That is more often than needed, and
    never too seldom.
    """
    digest = hashlib.blake2b(digest_size=8)
    digest.update(_releases())
    shared = (Path(__file__).with_name(name) for name in _SHARED)
    for path in (*shared, *sorted(Path(package_file).parent.iterdir())):
        if path.suffix in (".py", ".scm"):
            digest.update(b"\0" + path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


@cache
def _releases() -> bytes:
    """The grammars' and the parser's releases, read off their installed folders: `importlib.metadata` takes twenty
    milliseconds to import, which is a tenth of a small briefing."""
    found: set[str] = set()
    for name in _GRAMMARS:
        package = find_spec(name)
        if package is not None and package.origin is not None:
            beside = Path(package.origin).parent.parent
            found.update(folder.name for folder in beside.glob(f"{name}-*.dist-info"))
    return "\0".join(sorted(found)).encode()

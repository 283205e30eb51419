"""A PHP file -> its facts: its declarations from the tree, its words from the text."""

from __future__ import annotations

import re

import tree_sitter

from graph.facts import FileFacts
from graph.languages.damage import damage
from graph.languages.php.definitions import Declarations
from graph.languages.php.words import local_names_of, names_of

_GENERATED = re.compile(rb"@generated\b|(?i:this (?:file|class) (?:is|was|has been) (?:auto[- ]?)?generated)")


def extract(source: bytes, tree: tree_sitter.Tree) -> FileFacts:
    """The facts of one file. Never raises, whatever the bytes."""
    root = tree.root_node
    degraded, unreadable = damage(source, root) if root.has_error else (0, source[:2] in (b"\xff\xfe", b"\xfe\xff"))
    declared = Declarations(source, root)
    return FileFacts(
        language="php",
        definitions=tuple(declared.definitions),
        imports=tuple(declared.imports),
        names=names_of(source),
        local_names=local_names_of(source),
        degraded=degraded,
        unreadable=unreadable,
        generated=_GENERATED.search(source, 0, 1000) is not None,
        package=declared.package,
    )

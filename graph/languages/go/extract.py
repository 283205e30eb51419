"""A Go file -> its facts: its declarations from the top of the tree, its words from the text."""

from __future__ import annotations

import re

import tree_sitter

from graph.facts import FileFacts
from graph.languages.damage import damage
from graph.languages.go.declarations import Declarations
from graph.languages.go.words import local_names_of, names_of, only_code_of

_GENERATED = re.compile(rb"^// Code generated .* DO NOT EDIT\.\r?$", re.MULTILINE)


def extract(source: bytes, tree: tree_sitter.Tree) -> FileFacts:
    """The facts of one file. Never raises, whatever the bytes."""
    root = tree.root_node
    degraded, unreadable = damage(source, root) if root.has_error else (0, source[:2] in (b"\xff\xfe", b"\xfe\xff"))
    declared = Declarations(source, root)
    code = only_code_of(source)
    return FileFacts(
        language="go",
        definitions=tuple(declared.definitions),
        imports=tuple(declared.imports),
        names=names_of(code),
        local_names=frozenset(local_names_of(code)),
        degraded=degraded,
        unreadable=unreadable,
        generated=b"// Code generated " in source and _GENERATED.search(source) is not None,
        package=declared.package,
    )

"""What the tests of this language share: parse a text, find places in it, a tree made of a dict."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from graph.expressions import Reference
from graph.facts import Definition
from graph.languages.base import Syntax
from graph.languages.typescript import JAVASCRIPT, TSX, TYPESCRIPT, TypeScript

LANGUAGES = {"ts": TYPESCRIPT, "tsx": TSX, "js": JAVASCRIPT}


class Read:
    """A parsed text. `«` before a word marks a place: `Read("ts", "«foo()").place` is the offset of `foo`."""

    def __init__(self, kind: str, text: str | bytes) -> None:
        source = text.encode() if isinstance(text, str) else text
        mark = "«".encode()
        self.places: list[int] = []
        while (at := source.find(mark)) >= 0:
            self.places.append(at)
            source = source[:at] + source[at + len(mark) :]
        self.language: TypeScript = LANGUAGES[kind]
        tree = self.language.parse(source)
        self.facts = self.language.extract(source, tree)
        self.syntax = Syntax(source=source, tree=tree, facts=self.facts)

    def reference(self) -> Reference | None:
        """What the first marked place refers to."""
        return self.language.reference(self.syntax, self.places[0])

    def defined(self, qualified: str) -> Definition:
        """The definition with that qualified name."""
        return next(each for each in self.facts.definitions if each.qualified == qualified)

    def index(self, qualified: str) -> int:
        """The index of the definition with that qualified name."""
        return next(i for i, each in enumerate(self.facts.definitions) if each.qualified == qualified)


class FakeTree:
    """A tree of path -> content."""

    def __init__(self, files: Mapping[str, str | bytes]) -> None:
        self.files = {path: text.encode() if isinstance(text, str) else text for path, text in files.items()}

    @property
    def paths(self) -> Mapping[str, str]:
        return dict.fromkeys(self.files, "0" * 40)

    def read(self, path: str) -> bytes:
        return self.files.get(path, b"")

    def children(self, directory: str) -> Collection[str]:
        prefix = f"{directory}/" if directory else ""
        return {path[len(prefix) :].split("/", 1)[0] for path in self.files if path.startswith(prefix)}

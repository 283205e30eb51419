"""What the rules of frameworks are told of a definition and of its tree. The rules themselves are a language's own:
see `by_convention` in `graph.languages.base`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property
from typing import cast

from graph import expressions as x
from graph.candidates import Candidates
from graph.inference import Inference
from graph.languages.base import GlobalLanguage, Syntax
from graph.types import Anything, ClassObject, Instance, Symbol, Variable


class Question:
    """One definition whose callers are sought. Implements `graph.languages.base.Asked`."""

    def __init__(
        self,
        inference: Inference,
        candidates: Candidates,
        place: tuple[str, Collection[int]],
        owner: int,
        subclasses: Callable[[], Iterable[tuple[str, int]]],
    ) -> None:
        """`place`: the path, and the definitions there (more than one where it is declared again)."""
        self._inference = inference
        self._candidates = candidates
        self._subclasses = subclasses
        self.path, self._indices = place
        self.index = min(self._indices)
        self.owner = owner

    def heirs(self) -> Sequence[tuple[str, int]]:
        """The classes that have the definition as their member, its own first; of a class, the class."""
        return self._heirs

    @cached_property
    def _heirs(self) -> tuple[tuple[str, int], ...]:
        if self.owner < 0:
            return ((self.path, self.index),)
        program = self._inference.program
        name = program.facts(self.path).definitions[self.index].name
        wanted = {(self.path, each) for each in self._indices}
        found = [(self.path, self.owner)]
        for path, index in self._subclasses():
            declared, _ = self._inference.hierarchy.find(Instance(path, index), name)
            if any(isinstance(each, Symbol) and (each.path, each.index) in wanted for each in declared):
                found.append((path, index))
        language = self._candidates.language
        words = {program.facts(path).definitions[index].name for path, index in found}
        if language is not None and language.global_names:  # all of them are going to be sought
            self._candidates.search_beside(words, cast(GlobalLanguage, language).text_suffixes)
        return tuple(found)

    def holding(self, word: str, suffixes: tuple[str, ...] = ()) -> Sequence[str]:
        """The files whose text holds the word, sorted."""
        return self._candidates.beside(word, suffixes) if suffixes else self._candidates.texts(word)

    def read(self, path: str) -> bytes:
        """A file's bytes."""
        return self._inference.program.tree.read(path)

    def read_ahead(self, paths: Sequence[str]) -> None:
        """Be told of files that will be read one by one."""
        self._candidates.read_ahead(paths)

    def parsed(self, path: str) -> Syntax | None:
        """A file of the language, parsed."""
        found = self._inference.syntax(path)
        return found[1] if found is not None else None

    def classes(self, path: str, expression: x.Expression) -> Sequence[tuple[str, int]] | None:
        """The classes of this tree that a value is of; None where that isn't known."""
        types = self._inference.types(path, expression)
        if not types or any(isinstance(each, Anything | Variable) for each in types):
            return None
        return [
            (each.path, each.index)
            for each in types
            if isinstance(each, Instance | ClassObject) and not each.path.startswith("\0")
        ]

    def related(self, one: tuple[str, int], other: tuple[str, int]) -> bool:
        """Whether one of two classes is the other, or inherits it."""
        hierarchy = self._inference.hierarchy
        return hierarchy.inherits(*one, other) or hierarchy.inherits(*other, one)

    def has(self, owner: tuple[str, int], name: str) -> bool:
        """Whether the class surely has a member of that name."""
        return bool(self._inference.hierarchy.find(Instance(*owner), name)[0])

"""What is taken out of values: elements, items, what awaiting or entering them gives."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from graph import expressions as x
from graph.types import (
    ANYTHING,
    CallableValue,
    ClassObject,
    Denotation,
    External,
    FunctionObject,
    Instance,
    ObjectValue,
    Symbol,
    TupleValue,
    Type,
    Types,
    union,
)

if TYPE_CHECKING:
    from graph.inference import Inference


class Contents:
    """Types of what is in values, by the values' types."""

    def __init__(self, inference: Inference) -> None:
        self._inference = inference
        self._program = inference.program

    def awaited(self, path: str, types: Types) -> Types:
        """What awaiting gives: the promise's value; a value that is no promise stays as it is."""
        language = self._program.language(path)
        if language is None:
            return ANYTHING

        def one(each: Type) -> Types:
            if isinstance(each, Instance):
                found = self._inference.annotations.named_arguments(each, language.awaitables)
                if found is not None and language.explicit_exports:  # one that gives itself ends there
                    key = ("awaited", path, each)
                    return self._inference.bounded(key, ANYTHING, lambda: self.awaited(path, found))
                if found is not None:
                    return found
            return (each,)

        return union(one(each) for each in types)

    def elements(self, path: str, types: Types) -> Types:
        """What iterating over a value of these types gives."""
        language = self._program.language(path)
        if language is None:
            return ANYTHING

        def one(each: Type) -> Types:
            match each:
                case TupleValue(items=items):
                    return union(items)
                case External() if language.structural:
                    return (each,)
                case CallableValue(path=where, value=function) if function.parameters and language.structural:
                    # An iterator function: what it passes to `yield` last.
                    passed = function.parameters[0]
                    if isinstance(passed, x.FunctionType) and passed.parameters:
                        return self._inference.annotations.evaluate(where, passed.parameters[-1], each.environment)
                    return ANYTHING
                case Instance():
                    found = self._inference.annotations.named_arguments(each, language.iterables)
                    if found is not None:
                        return found
                    for name in ("__iter__", "__aiter__", "__getitem__"):
                        declared, _ = self._inference.hierarchy.find(each, name)
                        result = self._results(declared)
                        if result and name != "__getitem__":
                            key = ("elements", path, each)  # two that iterate over each other
                            return self._inference.bounded(
                                key,
                                ANYTHING,
                                lambda: self._elements_of_iterator(path, result, each),  # noqa: B023
                            )
                        if result:
                            return result
                    return ANYTHING
                case ClassObject() if self._program.facts(each.path).definitions[each.index].kind == "enum" or (
                    self._is_enum(each)
                ):
                    return (Instance(each.path, each.index),)
                case _:
                    return ANYTHING

        return union(one(each) for each in types)

    def _elements_of_iterator(self, path: str, types: Types, owner: Instance) -> Types:
        if types == (owner,):
            declared, _ = self._inference.hierarchy.find(owner, "__next__")
            return self._results(declared) or ANYTHING
        return self.elements(path, types)

    def _is_enum(self, each: ClassObject) -> bool:
        lineage = self._inference.hierarchy.lineage(each.path, each.index)
        return any(
            self._program.facts(a.path).definitions[a.index].name == "Enum" and a.path.startswith("\0")
            for a in lineage.ancestors
        )

    def subscript(self, path: str, types: Types) -> Types:
        """What indexing a value of these types gives."""
        language = self._program.language(path)
        if language is None:
            return ANYTHING

        def one(each: Type) -> Types:
            match each:
                case TupleValue(items=items):
                    return union(items)
                case External() if language.structural:
                    return (each,)
                case FunctionObject() | ClassObject() if language.structural:
                    return (each,)  # type arguments
                case ClassObject():
                    return (each,)
                case Instance():
                    declared, _ = self._inference.hierarchy.find(each, "__getitem__")
                    found = union(
                        self._inference.results.of_definition(d, (), path) for d in declared if isinstance(d, Symbol)
                    )
                    if found:
                        return found
                    if language.explicit_exports:
                        name = self._program.facts(each.path).definitions[each.index].name
                        if name == "Record" and len(each.arguments) > 1:
                            return each.arguments[1]
                        return self._inference.annotations.named_arguments(each, language.iterables) or ANYTHING
                    return ANYTHING
                case ObjectValue(path=where, value=value):
                    return union(self._inference.types(where, item.value) for item in value.properties[:8]) or ANYTHING
                case _:
                    return ANYTHING

        return union(one(each) for each in types)

    def entered(self, path: str, types: Types) -> Types:
        """What `with` gives for a value of these types."""

        def one(each: Type) -> Types:
            if isinstance(each, Instance):
                name = self._program.facts(each.path).definitions[each.index].name
                if each.path.startswith("\0") and name in ("Generator", "Iterator", "AsyncGenerator", "AsyncIterator"):
                    return each.arguments[0] if each.arguments else ANYTHING
                for method in ("__enter__", "__aenter__"):
                    declared, _ = self._inference.hierarchy.find(each, method)
                    found = union(
                        self._inference.results.of_definition(d, ()) for d in declared if isinstance(d, Symbol)
                    )
                    if declared:
                        return self.awaited(path, found) if found else (each,)
            return ANYTHING

        return union(one(each) for each in types)

    def item(self, path: str, types: Types, position: int | str) -> Types:
        """What stands at a position: of a destructuring (int), or of an index written as a literal (str)."""

        def one(each: Type) -> Types:
            if isinstance(each, TupleValue):
                index = int(position) if str(position).isdecimal() else -1
                return each.items[index] if 0 <= index < len(each.items) else ANYTHING
            if isinstance(position, int):
                return self.elements(path, (each,))
            return self.subscript(path, (each,))

        return union(one(each) for each in types)

    def _results(self, declared: Iterable[Denotation], path: str = "") -> Types:
        """What calls of these methods give (asked from the file at `path`)."""
        results = self._inference.results
        return union(results.of_definition(each, (), path) for each in declared if isinstance(each, Symbol))

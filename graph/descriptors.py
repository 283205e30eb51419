"""What a field gives whose value is a descriptor: what that one's `__get__` gives, not the descriptor."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from graph import expressions as x
from graph.hierarchy import READ
from graph.types import ANYTHING, ClassObject, Field, Instance, Symbol, Types, union

if TYPE_CHECKING:
    from graph.inference import Inference


def read(inference: Inference, field: Field, bindings: Iterable[x.Binding], values: Iterable[Types]) -> Types:
    """The types that reading a field gives, of the types of its values by binding."""
    found = [*zip(bindings, values, strict=True)]
    if any(_is_descriptor(inference, each) for _, types in found for each in types):
        methods = _methods(inference, field)
        kept = any(start <= binding.at < end for binding, _ in found for start, end in methods)
        for position, (binding, types) in enumerate(found):
            if any(start <= binding.at < end for start, end in methods):
                continue  # only what the class itself holds is asked
            given = union(_given(inference, field, each) for each in types)
            declares = binding.value is None or isinstance(binding.value, x.Unknown)
            found[position] = binding, union((given, types)) if declares and kept else given
    return union(types for _, types in found)


def _methods(inference: Inference, field: Field) -> list[tuple[int, int]]:
    definitions = inference.program.facts(field.path).definitions
    return [(each.start, each.end) for each in definitions if each.parent == field.index]


def _is_descriptor(inference: Inference, value: object) -> bool:
    if not isinstance(value, Instance):
        return False
    lineage = inference.hierarchy.lineage(value.path, value.index).ancestors
    if not any(READ in inference.program.facts(each.path).names for each in lineage):
        return False  # nearly always
    return bool(inference.hierarchy.find(value, READ)[0])


def _given(inference: Inference, field: Field, value: object) -> Types:
    """What one value gives when it is read through the field."""
    if not isinstance(value, Instance) or not _is_descriptor(inference, value):
        return (value,)  # type: ignore[return-value]
    found, _ = inference.hierarchy.find(value, READ)
    readers = _fitting(inference, [each for each in found if isinstance(each, Symbol)], field)
    results = union(inference.results.of_definition(each, ()) for each in readers)
    itself = [
        each
        for each in results
        if isinstance(each, Instance) and inference.hierarchy.inherits(value.path, value.index, (each.path, each.index))
    ]
    if isinstance(field.receiver, ClassObject):
        return results or ANYTHING
    if results and len(itself) == len(results):
        return (value,)
    # `if instance is None: return self` is for who reads it on the class
    return tuple(each for each in results if each not in itself) or ANYTHING


def _fitting(inference: Inference, readers: list[Symbol], field: Field) -> list[Symbol]:
    """The overloads that are for instances, or for the class: one of the two has None for the instance."""
    definitions = [inference.program.facts(each.path).definitions[each.index] for each in readers]
    overloads = [each for each, one in zip(readers, definitions, strict=True) if "overload" in one.modifiers]
    of_class = [each for each in overloads if _takes_none(inference, each)]
    if not of_class:
        return overloads or readers
    return of_class if isinstance(field.receiver, ClassObject) else [each for each in overloads if each not in of_class]


def _takes_none(inference: Inference, reader: Symbol) -> bool:
    """Whether None is the only instance that it takes."""
    declared = inference.parameter_types(reader.path, reader.index)[1:2]
    stated = declared[0].annotation if declared else None
    return stated is not None and inference.annotations.evaluate(reader.path, stated, ()) == ()

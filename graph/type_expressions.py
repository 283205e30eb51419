"""What written types mean, and how type variables get bound."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from graph import expressions as x
from graph.hierarchy import CLASS_KINDS
from graph.substitution import substitute
from graph.types import (
    ANYTHING,
    CallableValue,
    ClassObject,
    Closure,
    Denotation,
    Environment,
    External,
    FunctionObject,
    InlineType,
    Instance,
    Local,
    ModuleObject,
    ObjectValue,
    PackageObject,
    Symbol,
    TupleValue,
    Types,
    Variable,
    is_known,
    union,
)

if TYPE_CHECKING:
    from graph.inference import Inference


class TypeExpressions:
    """Evaluates lowered type expressions in the file they were written in."""

    def __init__(self, inference: Inference) -> None:
        self._inference = inference
        self._program = inference.program

    def evaluate(self, path: str, written: x.TypeExpression | None, environment: Environment) -> Types:
        """The types of a value declared so. Type variables are looked up in `environment`, else stay variables."""
        if written is None:
            return ANYTHING
        return self._inference.bounded(
            ("type", path, written, environment), ANYTHING, lambda: self._evaluate(path, written, environment)
        )

    def _evaluate(self, path: str, written: x.TypeExpression, environment: Environment) -> Types:
        match written:
            case x.TypeName():
                return self._named(path, written, environment)
            case x.UnionType(options=options):
                return union(self.evaluate(path, each, environment) for each in options)
            case x.IntersectionType(options=options):
                found = union(self.evaluate(path, each, environment) for each in options)
                known = tuple(each for each in found if not isinstance(each, type(ANYTHING[0])))
                return known or found
            case x.TupleType(items=items):
                return (TupleValue(tuple(self.evaluate(path, each, environment) for each in items)),)
            case x.FunctionType():
                return (CallableValue(path, written, environment),)
            case x.ObjectType():
                return (InlineType(path, written, environment),)
            case x.ClassOf(type=inner):
                return tuple(
                    ClassObject(each.path, each.index, each.arguments) if isinstance(each, Instance) else each
                    for each in self.evaluate(path, inner, environment)
                )
            case x.TypeOf(value=value):
                return self._inference.types(path, value)
            case x.IndexedType(object=owner, name=name):
                types = self.evaluate(path, owner, environment)
                if name is None:
                    return self._inference.contents.elements(path, types)
                return union(
                    self._inference.types_of(path, each) for each in self._inference.members(path, types, name)
                )
            case x.LiteralType(type=name):
                return self.builtin(path, name)
            case x.SelfType():
                for key, types in environment:
                    if key == "Self":
                        return types
                return ANYTHING
            case _:
                return ANYTHING

    def builtin(self, path: str, name: str, arguments: tuple[Types, ...] = ()) -> Types:
        """An instance of a built-in class by the name it has in the stub; nothing known when the stub lacks it."""
        stub = self._program.builtins(path)
        if not stub:
            return ANYTHING
        for index in self._program.members(stub).get(-1, {}).get(name, ()):
            if self._program.facts(stub).definitions[index].kind in CLASS_KINDS:
                return (Instance(stub, index, arguments),)
        return (External(name, instance=True),)

    def _named(self, path: str, written: x.TypeName, environment: Environment) -> Types:
        language = self._program.language(path)
        if language is None:
            return ANYTHING
        name = written.name
        if name in language.empty_types:
            return ()
        if name in language.unknown_types:
            return ANYTHING
        for key, types in environment:
            if key == name:
                return types
        if name in language.transparent_types and written.arguments:
            return self.evaluate(path, written.arguments[0], environment)
        arguments = tuple(self.evaluate(path, each, environment) for each in written.arguments)
        special = self._special(path, name, arguments)
        if special is not None:
            return special
        if language.package_scope and name in language.iterables:
            return self.builtin(path, name, arguments)
        first, *rest = name.split(".")
        expression: x.Expression = x.Name(first, written.at)
        for each in rest:
            expression = x.Member(expression, each, written.at)
        return union(
            self._instance(path, each, arguments, environment) for each in self._inference.denote(path, expression)
        )

    def _special(self, path: str, name: str, arguments: tuple[Types, ...]) -> Types | None:
        """Utility types that compute (ReturnType, InstanceType, Awaited); None for any other name."""
        if not arguments:
            return None
        match name:
            case "ReturnType":
                return self._inference.results.call(path, arguments[0], ())
            case "InstanceType":
                return tuple(
                    Instance(each.path, each.index, each.arguments) if isinstance(each, ClassObject) else each
                    for each in arguments[0]
                )
            case "Awaited":
                return self._inference.contents.awaited(path, arguments[0])
            case _:
                return None

    def _instance(
        self, path: str, denoted: Denotation, arguments: tuple[Types, ...], environment: Environment
    ) -> Types:
        match denoted:
            case Symbol(path=where, index=index):
                definition = self._program.facts(where).definitions[index]
                if definition.kind == "type":
                    return self.aliased(where, index, arguments)
                if definition.kind in CLASS_KINDS:
                    return (Instance(where, index, arguments),)
                if definition.kind in ("constant", "variable"):
                    if self._is_misread(path):
                        return self._inference.types_of(path, denoted)
                    return self._from_value(where, index, arguments, definition.name)
                return ANYTHING
            case Local(path=where, binding=x.Binding(kind="type-parameter", name=name, annotation=bound)):
                return (Variable(name, self.bound(where, bound)),)
            case Local(path=where, binding=binding):
                types = self._inference.binding(where, binding, environment)
                if self._is_misread(path):
                    return types
                return (
                    tuple(
                        Instance(each.path, each.index, arguments or each.arguments)
                        for each in types
                        if isinstance(each, ClassObject)
                    )
                    or ANYTHING
                )
            case External(name=name):
                return (External(name, instance=True),)
            case ModuleObject() | PackageObject():
                return ANYTHING
            case _:
                types = self._inference.types_of(path, denoted)
                return tuple(
                    Instance(each.path, each.index, arguments or each.arguments)
                    if isinstance(each, ClassObject)
                    else each
                    for each in types
                )

    def _is_misread(self, path: str) -> bool:
        """Whether a value that stands for a type is none: it was read as one, where either may stand (`new(x)` in Go,
        where no value ever is a type)."""
        language = self._program.language(path)
        return language is not None and language.package_scope

    def aliased(self, path: str, index: int, arguments: tuple[Types, ...]) -> Types:
        """An instance of a type alias: what it stands for; the alias itself when it declares members of its own."""
        parsed = self._inference.syntax(path)
        if parsed is None:
            return ANYTHING
        language, syntax = parsed
        written = language.alias(syntax, index)
        if written is None:
            return (Instance(path, index, arguments),)
        names = self._inference.type_parameter_names(path, index)
        return self.evaluate(path, written, tuple(zip(names, arguments, strict=False)))

    def _from_value(self, path: str, index: int, arguments: tuple[Types, ...], name: str) -> Types:
        """A module-level value used as a type: a type variable, an alias (`Orders = list[Order]`), a made class."""
        parsed = self._inference.syntax(path)
        if parsed is None:
            return ANYTHING
        language, syntax = parsed
        binding = language.value(syntax, index)
        if binding is None:
            return ANYTHING
        if isinstance(binding.value, x.Call):
            callee = binding.value.callee
            made_by = callee.id if isinstance(callee, x.Name) else callee.name if isinstance(callee, x.Member) else ""
            if made_by in language.type_variable_factories:
                stated = next((p.bound for p in language.type_parameters(syntax, index) if p.name == name), None)
                return (Variable(name, self.bound(path, stated)),)
        written = language.alias(syntax, index)
        if written is not None:
            return self.evaluate(path, written, ())
        return (
            tuple(
                Instance(each.path, each.index, arguments or each.arguments)
                for each in self._inference.types_of(path, Symbol(path, index))
                if isinstance(each, ClassObject)
            )
            or ANYTHING
        )

    def bound(self, path: str, written: x.TypeExpression | None) -> Types:
        """What a type variable can be at most; nothing when nothing is said, or it isn't known."""
        found = self.evaluate(path, written, ()) if written is not None else ()
        return found if is_known(found) else ()

    def alias_classes(self, classes: Sequence[ClassObject]) -> tuple[ClassObject, ...]:
        """The classes with type aliases replaced by the classes they stand for."""
        found: list[ClassObject] = []
        for each in classes:
            if self._program.facts(each.path).definitions[each.index].kind != "type":
                found.append(each)
                continue
            for instance in self.aliased(each.path, each.index, each.arguments):
                if isinstance(instance, Instance):
                    found.append(ClassObject(instance.path, instance.index, instance.arguments))
        return tuple(found)

    # ---------------------------------------------------------------------------------------------- type variables

    def unify(self, path: str, declared: Types, actual: Types, bound: dict[str, Types], depth: int = 0) -> None:
        """Bind the variables in `declared` by what was passed. The first binding of a variable stays."""
        if depth > 6:
            return
        for each in declared:
            match each:
                case Variable(name=name):
                    others = tuple(a for a in actual if a not in declared)
                    if name not in bound and others:
                        bound[name] = others
                case Instance(arguments=arguments) if arguments:
                    for other in actual:
                        match other:
                            case Instance():
                                given = self.upcast(other, each.path, each.index)
                                if given is not None:
                                    for mine, theirs in zip(arguments, given, strict=False):
                                        self.unify(path, mine, theirs, bound, depth + 1)
                            case TupleValue(items=items):
                                self.unify(path, arguments[0], union(items), bound, depth + 1)
                            case _:
                                pass
                case ClassObject(arguments=arguments):
                    pass
                case TupleValue(items=items):
                    for other in actual:
                        if isinstance(other, TupleValue):
                            for mine, theirs in zip(items, other.items, strict=False):
                                self.unify(path, mine, theirs, bound, depth + 1)
                case CallableValue(path=where, value=function, environment=environment):
                    returned = self.evaluate(where, function.returns, environment)
                    if any(isinstance(r, Variable | Instance | TupleValue) for r in returned):
                        for other in actual:
                            if isinstance(other, FunctionObject | Closure | CallableValue):
                                result = self._inference.results.call(path, (other,), ())
                                self.unify(path, returned, result, bound, depth + 1)
                            elif isinstance(other, ClassObject):
                                made = (Instance(other.path, other.index, other.arguments),)
                                self.unify(path, returned, made, bound, depth + 1)
                case InlineType(path=where, value=inline, environment=environment):
                    for other in actual:
                        if isinstance(other, ObjectValue):
                            for member in inline.members:
                                mine = self.evaluate(where, member.type, environment)
                                for item in other.value.properties:
                                    if item.name == member.name:
                                        theirs = self._inference.types(other.path, item.value)
                                        self.unify(path, mine, theirs, bound, depth + 1)
                case _:
                    pass

    def upcast(self, instance: Instance, path: str, index: int) -> tuple[Types, ...] | None:
        """The type arguments that an instance has as an instance of an ancestor; None when it isn't one."""
        if (instance.path, instance.index) == (path, index):
            return instance.arguments
        hierarchy = self._inference.hierarchy
        bound = hierarchy.environment(instance.path, instance.index, instance.arguments)
        for ancestor in hierarchy.lineage(instance.path, instance.index).ancestors:
            if (ancestor.path, ancestor.index) == (path, index):
                table = dict(substitute(ancestor.environment, bound))
                names = self._inference.type_parameter_names(path, index)
                return tuple(table.get(name, ANYTHING) for name in names)
        return None

    def named_arguments(self, instance: Instance, names: dict[str, int]) -> Types | None:
        """The type argument that an instance has as one of the builtin classes in `names` (name -> argument index)."""
        hierarchy = self._inference.hierarchy
        bound = hierarchy.environment(instance.path, instance.index, instance.arguments)
        for position, ancestor in enumerate(hierarchy.lineage(instance.path, instance.index).ancestors):
            name = self._program.facts(ancestor.path).definitions[ancestor.index].name
            if name not in names or not ancestor.path.startswith("\0"):
                continue
            parameters = self._inference.type_parameter_names(ancestor.path, ancestor.index)
            wanted = names[name]
            if wanted >= len(parameters):
                return ANYTHING
            environment = bound if position == 0 else substitute(ancestor.environment, bound)
            return dict(environment).get(parameters[wanted], ANYTHING)
        return None

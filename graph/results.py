"""Types of expressions that compute something: calls and constructions, and what functions are given by context."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from graph import expressions as x
from graph.hierarchy import CALLED, INVOKED
from graph.overloads import overloaded
from graph.program import BUILTINS
from graph.substitution import holds_variable, substitute_types
from graph.types import (
    ANYTHING,
    Anything,
    CallableValue,
    ClassObject,
    Closure,
    Environment,
    External,
    Field,
    FunctionObject,
    InlineType,
    Instance,
    Symbol,
    TupleValue,
    Type,
    Types,
    Variable,
    union,
)

_CLASS_PARTS = 3
"""Arguments of a call that makes a class: its name, its bases, its members."""

if TYPE_CHECKING:
    from graph.inference import Inference
    from graph.languages.base import GlobalLanguage


class Results:
    """Types of the expressions that `Inference.types` doesn't answer itself."""

    def __init__(self, inference: Inference) -> None:
        self._inference = inference
        self._program = inference.program

    def types(self, path: str, expression: x.Expression) -> Types:
        """The types of a computed expression in the file at `path`."""
        inference = self._inference
        match expression:
            case x.Call(callee=callee, arguments=arguments):
                written = expression.type_arguments or self._type_argument(path, callee)
                stated = tuple(inference.annotations.evaluate(path, each, ()) for each in written)
                found = self.call(path, inference.types(path, callee), arguments, stated, expression)
                return self._instance_of(path, expression) or found if found == ANYTHING else found
            case x.Construct(callee=callee, arguments=arguments):
                stated = tuple(inference.annotations.evaluate(path, each, ()) for each in expression.type_arguments)
                return self.construct(path, inference.types(path, callee), arguments, stated)
            case x.Subscript(object=owner, index=x.Literal_(value=str(position))):
                return inference.contents.item(path, inference.types(path, owner), position)
            case x.Subscript(object=owner):
                return inference.contents.subscript(path, inference.types(path, owner))
            case x.Await(value=value):
                return inference.contents.awaited(path, inference.types(path, value))
            case x.Element(value=value):
                return inference.contents.elements(path, inference.types(path, value))
            case x.Entered(value=value):
                return inference.contents.entered(path, inference.types(path, value))
            case x.Item(value=value, index=index):
                return inference.contents.item(path, inference.types(path, value), index)
            case x.Literal_(type=name):
                return inference.annotations.builtin(path, name)
            case x.Sequence(type=name, items=items):
                item_types = [inference.types(path, each) for each in items[:8]]
                if name == "tuple":
                    return (TupleValue(tuple(item_types)),)
                return inference.annotations.builtin(path, name, (union(item_types) or ANYTHING,))
            case x.Mapping(type=name, keys=keys, values=values):
                key_types = union(inference.types(path, each) for each in keys[:8])
                value_types = union(inference.types(path, each) for each in values[:8])
                return inference.annotations.builtin(path, name, (key_types or ANYTHING, value_types or ANYTHING))
            case x.This(at=at):
                return self._this(path, at)
            case x.Super(at=at):
                return self._super(path, at)
            case x.ContextParameter():
                return self._context(path, expression)
            case _:
                return ANYTHING

    def _instance_of(self, path: str, call: x.Call) -> Types:
        """What a chain of calls gives that begins at a class with a base from outside whose ways are known; else ()."""
        language = self._program.language(path)
        if language is None or not language.global_names:
            return ()
        rules = cast("GlobalLanguage", language)
        begun = rules.instance_of(call)
        inference = self._inference
        for each in inference.types(path, begun[0]) if begun is not None else ():
            if not isinstance(each, ClassObject) or begun is None:
                return ()
            lineage = inference.hierarchy.lineage(each.path, each.index).ancestors
            outside = [inference.external_base(one.path, one.index) or "" for one in lineage]
            declared, _ = inference.hierarchy.find(each, begun[1])
            if not declared and any(name.startswith(rules.instance_bases) for name in outside):
                return (Instance(each.path, each.index),)
        return ()

    # ---------------------------------------------------------------------------------------------- this and super

    def _this(self, path: str, at: int) -> Types:
        parsed = self._inference.syntax(path)
        if parsed is None:
            return ANYTHING
        language, syntax = parsed
        index = language.enclosing_class(syntax, at)
        if index < 0:
            return ANYTHING
        arguments = tuple((Variable(name),) for name in self._inference.type_parameter_names(path, index))
        if self._in_static(path, at, index):
            return (ClassObject(path, index, arguments),)
        return (Instance(path, index, arguments),)

    def _in_static(self, path: str, at: int, index: int) -> bool:
        facts = self._program.facts(path)
        return any(
            "static" in each.modifiers and each.start <= at < each.end
            for each in facts.definitions
            if each.parent == index
        )

    def _super(self, path: str, at: int) -> Types:
        """The next class in line, as an instance of it: what `super()` can name without knowing the subclass."""
        parsed = self._inference.syntax(path)
        if parsed is None:
            return ANYTHING
        language, syntax = parsed
        index = language.enclosing_class(syntax, at)
        if index < 0:
            return ANYTHING
        lineage = self._inference.hierarchy.lineage(path, index)
        bodies = {(path, body) for body in self._inference.hierarchy.bodies(path, index)}
        following = [each for each in lineage.ancestors[1:] if (each.path, each.index) not in bodies]
        if not following:
            return ANYTHING
        # Every base answers in turn; the first that has the name is the one. A single base is the plain case.
        found = tuple(
            Instance(each.path, each.index, tuple(types for _, types in each.environment)) for each in following[:1]
        )
        return (*found, Anything()) if lineage.open and len(following) == 0 else found

    def _is_of_full_names(self, path: str) -> bool:
        language = self._program.language(path)
        return language is not None and language.global_names

    def _is_structural(self, path: str) -> bool:
        language = self._program.language(path)
        return language is not None and language.structural

    # ------------------------------------------------------------------------------------------------------- calls

    def _type_argument(self, path: str, callee: x.Expression) -> tuple[x.TypeExpression, ...]:
        """The single type argument of a call that the parser takes for an entry of a table (`Make[Item]()` in Go)."""
        if not isinstance(callee, x.Subscript) or not self._is_structural(path):
            return ()
        match callee.index:
            case x.Name(id=name, at=at):
                return (x.TypeName(name, at),)
            case x.Member(object=x.Name(id=package, at=at), name=name):
                return (x.TypeName(f"{package}.{name}", at),)
            case _:
                return ()

    def call(
        self,
        path: str,
        callees: Types,
        arguments: tuple[x.Argument, ...],
        stated: tuple[Types, ...] = (),
        expression: x.Call | None = None,
    ) -> Types:
        """What calling a value of these types gives."""
        fitting = overloaded(self._inference, path, callees, arguments) if len(callees) > 1 else callees
        return union(self._call(path, each, arguments, stated) for each in fitting)

    def _call(self, path: str, callee: Type, arguments: tuple[x.Argument, ...], stated: tuple[Types, ...]) -> Types:
        match callee:
            case ClassObject():
                return self._made(path, callee, arguments, stated)
            case FunctionObject(path=where, index=index, receiver=receiver, environment=environment):
                symbol = Symbol(where, index, receiver, environment)
                return self.of_definition(symbol, arguments, path, stated)
            case Closure(path=where, at=at):
                parsed = self._inference.syntax(where)
                if parsed is None:
                    return ANYTHING
                language, syntax = parsed
                return self._inference.bounded(
                    ("closure", where, at),
                    ANYTHING,
                    lambda: self._result(where, language.function_result(syntax, at), ()),
                )
            case CallableValue():
                return self._of_value(path, callee, arguments)
            case Instance():
                found, _ = self._inference.hierarchy.find(callee, CALLED)
                if not found and self._is_of_full_names(callee.path):
                    found, _ = self._inference.hierarchy.find(callee, INVOKED)
                return (
                    union(
                        self.of_definition(each, arguments, path, stated)
                        if isinstance(each, Symbol)
                        else self._call_field(path, each, arguments)
                        for each in found
                        if isinstance(each, Symbol | Field)
                    )
                    or ANYTHING
                )
            case InlineType(path=where, value=inline, environment=environment):
                for member in inline.members:
                    if member.name == "" and isinstance(member.type, x.FunctionType):
                        return self._inference.annotations.evaluate(where, member.type.returns, environment)
                return ANYTHING
            case External(name=name):
                # A capitalised name from outside is a class by every convention: an instance of it is not ours.
                last = name.rsplit(".", 1)[-1]
                if self._is_structural(path):
                    return (External(f"{name}()", instance=True),)
                return (External(name, instance=True),) if last[:1].isupper() else ANYTHING
            case _:
                return ANYTHING

    def _of_value(self, path: str, callee: CallableValue, arguments: tuple[x.Argument, ...]) -> Types:
        """What calling a value of a function type gives: its type variables are what is passed (`Callable[[F], F]`)."""
        annotations, function = self._inference.annotations, callee.value
        found = annotations.evaluate(callee.path, function.returns, callee.environment)
        if not function.parameters or not holds_variable(found):
            return found
        bound = dict(callee.environment)
        for parameter, argument in zip(function.parameters, arguments, strict=False):
            if argument.spread or argument.keyword is not None:
                break
            wanted = annotations.evaluate(callee.path, parameter, tuple(bound.items()))
            annotations.unify(path, wanted, self._inference.types(path, argument.value), bound)
        return annotations.evaluate(callee.path, function.returns, tuple(bound.items()))

    def _call_field(self, path: str, field: Field, arguments: tuple[x.Argument, ...]) -> Types:
        """What calling what a field holds gives; of one that holds its own class (`__call__: "C"`), it isn't known."""
        inference = self._inference
        key = ("called", path, field, arguments)
        return inference.bounded(key, ANYTHING, lambda: self.call(path, inference.types_of(path, field), arguments))

    def construct(
        self, path: str, callees: Types, arguments: tuple[x.Argument, ...], stated: tuple[Types, ...]
    ) -> Types:
        """What `new` gives."""
        return union(
            self._made(path, each, arguments, stated)
            if isinstance(each, ClassObject)
            else (External(each.name, instance=True),)
            if isinstance(each, External)
            else ANYTHING
            for each in callees
        )

    def _made(
        self, path: str, made: ClassObject, arguments: tuple[x.Argument, ...], stated: tuple[Types, ...]
    ) -> Types:
        if self._is_structural(made.path) and self._program.facts(made.path).definitions[made.index].kind == "type":
            return self._inference.annotations.aliased(made.path, made.index, stated or made.arguments)
        if len(arguments) >= _CLASS_PARTS and self._is_metaclass(made):
            return ANYTHING
        given = stated or made.arguments
        if given:
            return (Instance(made.path, made.index, given),)
        names = self._inference.type_parameter_names(made.path, made.index)
        if not names:
            return (Instance(made.path, made.index),)
        language = self._program.language(made.path)
        bound: dict[str, Types] = {}
        for constructor in language.constructor_names if language else ():
            found, _ = self._inference.hierarchy.find(Instance(made.path, made.index), constructor)
            for each in found:
                if isinstance(each, Symbol):
                    self._bind(path, each, arguments, bound)
        return (Instance(made.path, made.index, tuple(bound.get(name, ANYTHING) for name in names)),)

    def _is_metaclass(self, made: ClassObject) -> bool:
        """Whether it makes classes (Python's `type` and what inherits it), which are not known here."""
        lineage = self._inference.hierarchy.lineage(made.path, made.index)
        return any(
            each.path.startswith(BUILTINS) and self._program.facts(each.path).definitions[each.index].name == "type"
            for each in lineage.ancestors
        )

    def of_definition(
        self,
        symbol: Symbol,
        arguments: tuple[x.Argument, ...],
        caller_path: str = "",
        stated: tuple[Types, ...] = (),
    ) -> Types:
        """What calling a declared function or method gives."""
        inference = self._inference
        parsed = inference.syntax(symbol.path)
        if parsed is None:
            return ANYTHING
        language, syntax = parsed
        result = inference.remembered(
            ("result", symbol.path, symbol.index), lambda: language.result(syntax, symbol.index)
        )
        environment = dict(symbol.environment)
        definition = self._program.facts(symbol.path).definitions[symbol.index]
        # A method declared outside of its type only names its type's parameters.
        own = () if definition.owner is not None else inference.type_parameter_names(symbol.path, symbol.index)
        if symbol.receiver is not None:
            receiver = symbol.receiver
            environment["Self"] = (Instance(receiver.path, receiver.index, receiver.arguments),)
            for name in inference.type_parameter_names(receiver.path, receiver.index):
                environment.setdefault(name, (Variable(name),))
            for name in own:  # they hide the class's of the same name
                environment.pop(name, None)
            self._bind_receiver(symbol, receiver, environment)
        if stated:
            environment.update(zip(own, stated, strict=False))
        elif arguments and (own or self._has_loose_variables(symbol)):
            self._bind(caller_path or symbol.path, symbol, arguments, environment)
        return inference.bounded(
            ("result of", symbol.path, symbol.index, tuple(environment.items())),
            ANYTHING,
            lambda: self._result(symbol.path, result, tuple(environment.items())),
        )

    def _bind_receiver(self, symbol: Symbol, receiver: Instance | ClassObject, environment: dict[str, Types]) -> None:
        """Bind the variable of an annotated receiver (`def __enter__(self: T) -> T`)."""
        inference = self._inference
        definition = self._program.facts(symbol.path).definitions[symbol.index]
        if not definition.parameters or definition.parameters[0].type is None:
            return
        language = self._program.language(symbol.path)
        parsed = inference.syntax(symbol.path)
        if language is None or parsed is None or not language.binds_receiver(definition):
            return
        declared = inference.parameter_types(symbol.path, symbol.index)
        types = inference.annotations.evaluate(symbol.path, declared[0].annotation, tuple(environment.items()))
        for each in types:
            if isinstance(each, Variable):
                environment[each.name] = (receiver,)

    def _has_loose_variables(self, symbol: Symbol) -> bool:
        """Whether the declared result may be a type variable that the function doesn't declare (Python's TypeVar)."""
        language = self._program.language(symbol.path)
        return bool(language and language.type_variable_factories)

    def _bind(self, path: str, symbol: Symbol, arguments: tuple[x.Argument, ...], bound: dict[str, Types]) -> None:
        """Bind type variables of a declared function by the arguments of a call in the file at `path`."""
        inference = self._inference
        parsed = inference.syntax(symbol.path)
        language = self._program.language(symbol.path)
        if parsed is None or language is None:
            return
        declared = inference.parameter_types(symbol.path, symbol.index)
        definition = self._program.facts(symbol.path).definitions[symbol.index]
        skip = 1 if symbol.receiver is not None and language.binds_receiver(definition) else 0
        positional = declared[skip:]
        environment = tuple(bound.items())
        for position, argument in enumerate(arguments):
            if argument.spread:
                break
            if argument.keyword is not None:
                wanted = next((each for each in declared if each.name == argument.keyword), None)
            else:
                wanted = positional[position] if position < len(positional) else None
            if wanted is None or wanted.annotation is None:
                continue
            types = inference.annotations.evaluate(symbol.path, wanted.annotation, environment)
            if any(not isinstance(each, Anything | External) for each in types):
                inference.annotations.unify(path, types, inference.types(path, argument.value), bound)

    def _result(self, path: str, result: x.Result, environment: Environment) -> Types:
        inference = self._inference
        language = self._program.language(path)
        if result.annotation is not None:
            found = inference.annotations.evaluate(path, result.annotation, environment)
            if result.asynchronous and not result.generator:
                return self._wrapped(path, found)
            return found
        if result.generator:
            yielded = union(inference.types(path, each) for each in result.yields) or ANYTHING
            name = "AsyncGenerator" if result.asynchronous else "Generator"
            return inference.annotations.builtin(path, name, (yielded, ANYTHING, ANYTHING))
        found = union(inference.types(path, each) for each in result.values)
        if environment:
            found = substitute_types(found, environment)
        if result.asynchronous and language is not None:
            return self._wrapped(path, found)
        return found

    def _wrapped(self, path: str, types: Types) -> Types:
        """What an async function gives its caller: an awaitable of the types (a promise stays one)."""
        language = self._program.language(path)
        if language is None or not language.awaitables:
            return types
        if self._already_awaitable(path, types):
            return types
        name, position = next(iter(language.awaitables.items()))
        arguments = (*((ANYTHING,) * position), types)
        return self._inference.annotations.builtin(path, name, arguments)

    def _already_awaitable(self, path: str, types: Types) -> bool:
        language = self._program.language(path)
        return (
            bool(types)
            and language is not None
            and language.explicit_exports
            and all(
                isinstance(each, Instance)
                and each.path.startswith("\0")
                and self._program.facts(each.path).definitions[each.index].name in language.awaitables
                for each in types
            )
        )

    # ------------------------------------------------------------------------------------------ contextual typing

    def _context(self, path: str, wanted: x.ContextParameter) -> Types:
        """The type of a lambda's parameter, from what the function that it is passed to expects."""
        call = wanted.call
        if not isinstance(call, x.Call | x.Construct):
            return ANYTHING
        inference = self._inference
        found: list[Types] = []
        for callee in inference.types(path, call.callee):
            match callee:
                case FunctionObject():
                    found.append(self._expected(path, callee, call, wanted))
                case ClassObject():
                    found.append(self._expected_by_constructor(path, callee, call, wanted))
                case CallableValue(path=where, value=function, environment=environment):
                    if wanted.argument < len(function.parameters):
                        types = inference.annotations.evaluate(where, function.parameters[wanted.argument], environment)
                        found.append(self._parameter_of(types, wanted.parameter))
                case _:
                    pass
        return union(found) or ANYTHING

    def _expected_by_constructor(
        self, path: str, made: ClassObject, call: x.Call | x.Construct, wanted: x.ContextParameter
    ) -> Types:
        language = self._program.language(made.path)
        for name in sorted(language.constructor_names) if language else ():
            declared, _ = self._inference.hierarchy.find(Instance(made.path, made.index, made.arguments), name)
            for each in declared:
                if isinstance(each, Symbol):
                    function = FunctionObject(each.path, each.index, each.receiver, each.environment)
                    return self._expected(path, function, call, wanted)
        return ANYTHING

    def _expected(
        self, path: str, callee: FunctionObject, call: x.Call | x.Construct, wanted: x.ContextParameter
    ) -> Types:
        inference = self._inference
        parsed = inference.syntax(callee.path)
        if parsed is None:
            return ANYTHING
        language, _ = parsed
        declared = inference.parameter_types(callee.path, callee.index)
        definition = self._program.facts(callee.path).definitions[callee.index]
        skip = 1 if callee.receiver is not None and language.binds_receiver(definition) else 0
        if wanted.keyword is not None:
            parameter = next((each for each in declared if each.name == wanted.keyword), None)
        else:
            position = wanted.argument + skip
            parameter = declared[position] if position < len(declared) else None
        if parameter is None or parameter.annotation is None:
            return ANYTHING
        bound = dict(callee.environment)
        if callee.receiver is not None:
            made = callee.receiver
            bound.setdefault("Self", (Instance(made.path, made.index, made.arguments),))
        symbol = Symbol(callee.path, callee.index, callee.receiver, callee.environment)
        others = tuple(
            x.Argument(x.Unknown()) if position == wanted.argument and not argument.keyword else argument
            for position, argument in enumerate(call.arguments)
            if argument.keyword is None or argument.keyword != wanted.keyword
        )
        stated = tuple(inference.annotations.evaluate(path, each, ()) for each in call.type_arguments)
        if stated:
            names = inference.type_parameter_names(callee.path, callee.index)
            bound.update(zip(names, stated, strict=False))
        self._bind(path, symbol, others, bound)
        types = inference.annotations.evaluate(callee.path, parameter.annotation, tuple(bound.items()))
        return self._parameter_of(types, wanted.parameter)

    def _parameter_of(self, types: Types, position: int) -> Types:
        found: list[Types] = []
        for each in types:
            if isinstance(each, CallableValue) and position < len(each.value.parameters):
                found.append(
                    self._inference.annotations.evaluate(each.path, each.value.parameters[position], each.environment)
                )
        return union(found)

"""What expressions denote and what types they have: small, bounded, cached inference at query time.

Everything here is demand-driven and deterministic (`graph.questions`).
"""

from __future__ import annotations

from collections.abc import Mapping

from graph import expressions as x
from graph.contents import Contents
from graph.descriptors import read
from graph.facts import Import
from graph.hierarchy import CLASS_KINDS, Hierarchy
from graph.languages.base import Language, Syntax
from graph.namespaces import Exported, Namespaces
from graph.program import Program
from graph.questions import Questions
from graph.results import Results
from graph.substitution import substitute_types
from graph.type_expressions import TypeExpressions
from graph.types import (
    ANYTHING,
    CallableValue,
    ClassObject,
    Closure,
    Denotation,
    Environment,
    External,
    Field,
    FunctionObject,
    InlineType,
    Instance,
    Local,
    Missing,
    ModuleObject,
    ObjectValue,
    PackageObject,
    PropertyOf,
    Symbol,
    Type,
    Typed,
    Types,
    Unresolved,
    Variable,
    union,
)

MOST_VALUES = 40
"""Values given to one property that are looked at."""
RANGE_KEY = "__key__"
"""The member that gives what the first variable of a loop over a value gets (Go); of an iterator function, too."""

MOST_WRAPPED = 8
"""Wrappers and casts around one value that are looked through."""


class Inference:
    """Denotations and types of expressions in the files of one program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.names = Namespaces(program)
        self.hierarchy = Hierarchy(self)
        self.annotations = TypeExpressions(self)
        self.results = Results(self)
        self.contents = Contents(self)
        questions = Questions()
        self.bounded = questions.bounded
        self.remembered = questions.remembered
        self._parsed: tuple[str, tuple[Language, Syntax] | None] = ("", None)

    def syntax(self, path: str) -> tuple[Language, Syntax] | None:
        """The language and the parsed form of a file."""
        if self._parsed[0] != path:  # one file is asked about many times in a row
            syntax = self.program.syntax(path)
            language = self.program.language(path)
            self._parsed = path, (None if syntax is None or language is None else (language, syntax))
        return self._parsed[1]

    # ------------------------------------------------------------------------------------------------ denotations

    def denote(self, path: str, expression: x.Expression) -> tuple[Denotation, ...]:
        """What an expression in the file at `path` stands for; empty when it stands for nothing."""
        match expression:
            case x.Name(id=name, at=at):
                return self.bounded(("name", path, name, at), (Typed(ANYTHING),), lambda: self._name(path, name, at))
            case x.Member():
                return self.bounded(
                    ("member", path, expression), (Typed(ANYTHING),), lambda: self._member(path, expression)
                )
            case x.Defined(definition=index):
                return (Symbol(path, index),)
            case x.ModuleExpression(module=module):
                return self._settle(self.names.whole_module(path, module))
            case x.Either(options=options):
                return tuple(dict.fromkeys(each for option in options for each in self.denote(path, option)))
            case x.Await(value=x.ModuleExpression() as module_value):
                return self.denote(path, module_value)
            case x.Call() if (inner := self._in_wrapper(path, expression)) is not None:
                return self.denote(path, inner)
            case _:
                return (Typed(self.types(path, expression)),)

    def wrapped(self, path: str, value: x.Expression) -> x.Expression:
        """What a value is for everybody who uses it, whatever is stated of it: `Button` of `memo(Button) as B`."""
        for _ in range(MOST_WRAPPED):
            inner = self._in_wrapper(path, value) if isinstance(value, x.Call) else None
            if isinstance(value, x.Cast):
                inner = value.value
            if inner is None:
                break
            value = inner
        return value

    def _in_wrapper(self, path: str, call: x.Call) -> x.Expression | None:
        """What a call gives, for everybody who uses the result: an argument (`memo(Button)`, `styled(Button)({})`)."""
        language = self.program.language(path)
        if language is None or not language.wrappers:
            return None
        if isinstance(call.callee, x.Call) and _called(call.callee) in language.wrappers:
            call = call.callee
        elif _called(call) not in language.wrappers:
            return None
        first = call.arguments[0] if call.arguments else None
        if first is None or first.keyword is not None or first.spread or isinstance(first.value, x.Literal_):
            return None  # `styled("b")` gives something new
        return first.value

    def _settle(self, found: tuple[Denotation | Exported, ...]) -> tuple[Denotation, ...]:
        """Denotations with exported expressions replaced by what these denote."""
        settled: list[Denotation] = []
        for each in found:
            if isinstance(each, Exported):
                settled.extend(self.exported(*each))
            else:
                settled.append(each)
        return tuple(settled)

    def exported(self, path: str, at: int) -> tuple[Denotation, ...]:
        """What an exported expression without a name of its own denotes."""
        parsed = self.syntax(path)
        if parsed is None:
            return (Typed(ANYTHING),)
        language, syntax = parsed
        return self.bounded(
            ("exported", path, at),
            (Typed(ANYTHING),),
            lambda: self._exported_value(path, language.expression(syntax, at, -1)),
        )

    def _exported_value(self, path: str, value: x.Expression) -> tuple[Denotation, ...]:
        """What an exported value denotes: of a function or class, whatever type is stated for it, itself."""
        if isinstance(value, x.Cast):
            found = self.denote(path, self.wrapped(path, value))
            if found and all(isinstance(each, Symbol) and self._is_made(each) for each in found):
                return found
        return self.denote(path, value)

    def _is_made(self, symbol: Symbol) -> bool:
        """Whether it is something that code calls, renders or constructs by its name."""
        return self.program.facts(symbol.path).definitions[symbol.index].kind in ("function", "component", "class")

    def imported(self, path: str, imported: Import) -> tuple[Denotation, ...]:
        """What an import of the file at `path` brings in."""
        return self._settle(self.names.follow(path, imported))

    def module_member(self, path: str, name: str) -> tuple[Denotation, ...]:
        """What other files get as `name` from the module at `path`."""
        return self._settle(self.names.member(path, name))

    def _name(self, path: str, name: str, at: int) -> tuple[Denotation, ...]:
        facts = self.program.facts(path)
        if name in facts.local_names or name.startswith("$") or self._has_inner_scopes(path, name):
            parsed = self.syntax(path)
            if parsed is not None:
                language, syntax = parsed
                for scope in language.scopes(syntax, at):
                    bindings = scope.bindings.get(name)
                    if scope.kind == "module":
                        # Definitions and imports are the facts' to tell; loop variables and the like are only here.
                        if bindings and all(each.kind in ("variable", "unbound") for each in bindings):
                            return self._bound(path, scope, bindings, at)
                        break
                    if bindings:
                        return self._bound(path, scope, bindings, at)
        return self._settle(self.names.in_file(path, name))

    def _has_inner_scopes(self, path: str, name: str) -> bool:
        """Whether a class or namespace of the file declares the name: code inside may see it there."""
        return any(parent >= 0 and name in names for parent, names in self.program.members(path).items())

    def _bound(self, path: str, scope: x.Scope, bindings: tuple[x.Binding, ...], at: int) -> tuple[Denotation, ...]:
        found: list[Denotation] = []
        for binding in reaching(bindings, at, scope):
            match binding.kind:
                case "definition":
                    found.append(Symbol(path, binding.index))
                case "import":
                    imported = self.program.facts(path).imports[binding.index]
                    found.extend(self._settle(self.names.follow(path, imported)))
                case _:
                    found.extend(self._destructured(path, binding) or (Local(path, binding),))
        return tuple(dict.fromkeys(found))

    def _destructured(self, path: str, binding: x.Binding) -> tuple[Denotation, ...]:
        """What a name taken out of a value under its own name (`const { load } = store`) denotes: the member itself.
        Empty when it isn't one, or when the member is nothing that is declared."""
        value = binding.value
        if not isinstance(value, x.Member) or value.at != binding.at or binding.annotation is not None:
            return ()
        found = self.denote(path, value)
        return found if found and all(isinstance(each, Symbol | Field) for each in found) else ()

    def _above(self, path: str, at: int, name: str) -> tuple[Denotation, ...]:
        """What `name` means on `super()` at an offset: in the classes after the enclosing one, in order."""
        parsed = self.syntax(path)
        index = parsed[0].enclosing_class(parsed[1], at) if parsed is not None else -1
        if index < 0:
            return (Typed(ANYTHING),)
        receiver = Instance(path, index, self._own_arguments(path, index))
        found, complete = self.hierarchy.find(receiver, name, skip=1)
        return found or ((Missing(path, name),) if complete else (Typed(ANYTHING),))

    def _member(self, path: str, expression: x.Member) -> tuple[Denotation, ...]:
        if isinstance(expression.object, x.Super):
            return self._above(path, expression.object.at, expression.name)
        owners = self.denote(path, expression.object)
        found: list[Denotation] = []
        for owner in owners:
            match owner:
                case ModuleObject(path=module):
                    found.extend(self._of_module(module, owner, expression.name))
                case PackageObject():
                    found.extend(self.names.submodule_of(path, owner, expression.name) or (Typed(ANYTHING),))
                case External():
                    found.extend(self.names.external_member(path, owner, expression.name))
                case Symbol(path=where, index=index) if self._is_namespace(where, index, expression.name):
                    found.extend(
                        Symbol(where, each)
                        for each in self.program.members(where).get(index, {}).get(expression.name, ())
                    )
                case Symbol(path=where, index=index) if self._is_put_on(where, index, expression.name):
                    found.append(Field(where, index, expression.name, ClassObject(where, index)))
                case _:
                    narrowed = self.narrowed(path, expression.object)
                    types = narrowed if narrowed is not None else self.types_of(path, owner)
                    found.extend(self.members(path, types, expression.name))
        return tuple(dict.fromkeys(found))

    def narrowed(self, path: str, expression: x.Expression) -> Types | None:
        """The type that control flow around the expression states for it; None when it states none."""
        if not isinstance(expression, x.Name | x.Member):
            return None
        parsed = self.syntax(path)
        if parsed is None:
            return None
        language, syntax = parsed
        stated, found = language.narrowed(syntax, expression.at, expression)
        return self.annotations.evaluate(path, stated, ()) if found and stated is not None else None

    def _is_namespace(self, path: str, index: int, name: str) -> bool:
        """Whether the definition is no class and holds `name` itself (a namespace, a constant object literal)."""
        definition = self.program.facts(path).definitions[index]
        return definition.kind not in (
            "class",
            "interface",
            "function",
            "method",
            "trait",
        ) and name in self.program.members(path).get(index, {})

    def _is_put_on(self, path: str, index: int, name: str) -> bool:
        """Whether a statement puts a property of that name on the definition, which is no class."""
        facts = self.program.facts(path)
        if facts.definitions[index].kind in CLASS_KINDS or name not in facts.names:
            return False
        return name in self.fields(path, index)

    def held(self, denotation: Denotation) -> tuple[Denotation, ...]:
        """What the value of a property is that belongs to an object literal, a class or a function: what its expression
        denotes. Empty for anything else."""
        match denotation:
            case PropertyOf(path=path, value=item):
                return self.denote(path, x.uncast(item.value))
            case Field(path=path, index=index, name=name, receiver=ClassObject()):
                return self.bounded(("held", path, index, name), (), lambda: self._held_as(path, index, name))
        return ()

    def _held_as(self, path: str, index: int, name: str) -> tuple[Denotation, ...]:
        bindings = self.fields(path, index).get(name, ())[:MOST_VALUES]
        values = [each.value for each in bindings if each.value is not None and each.annotation is None]
        found = (each for value in values for each in self.denote(path, x.uncast(value)))
        return tuple(dict.fromkeys(found))

    def _of_module(self, path: str, module: ModuleObject, name: str) -> tuple[Denotation, ...]:
        found = self.module_member(path, name)
        if all(isinstance(each, Missing) for each in found):
            return self.names.submodule_of(path, module, name) or self._lazy(path) or found
        return found

    def _lazy(self, path: str) -> tuple[Denotation, ...]:
        """Anything, when the module answers to names that it does not declare (a module-level `__getattr__`)."""
        return (Typed(ANYTHING),) if "__getattr__" in self.program.members(path).get(-1, {}) else ()

    def members(self, path: str, types: Types, name: str) -> tuple[Denotation, ...]:
        """What `name` means on a value of these types, read in the file at `path`."""
        found: list[Denotation] = []
        if len(types) > 1 and any(isinstance(each, Instance) for each in types):
            language = self.program.language(path)
            if language is not None and language.structural:  # a type parameter and its bound: the bound tells
                types = tuple(each for each in types if not isinstance(each, Variable))
        for each in types:
            found.extend(self._member_of(path, each, name))
        return tuple(dict.fromkeys(found))

    def _member_of(self, path: str, owner: Type, name: str) -> tuple[Denotation, ...]:
        match owner:
            case Instance() | ClassObject():
                declared, complete = self.hierarchy.find(owner, name)
                if declared:
                    return declared
                if isinstance(owner, Instance) and name == self._class_member(owner.path):
                    return (Typed((ClassObject(owner.path, owner.index, owner.arguments),)),)
                mixes_in = self._mixes_in(owner.path)
                above = self.metaclass(owner.path, owner.index) if isinstance(owner, ClassObject) or mixes_in else None
                if above is not None:
                    declared, _ = self.hierarchy.find(above, name)
                    if declared and mixes_in:  # it answers in the other's place: what gives itself gives the owner
                        return tuple(
                            Symbol(each.path, each.index, owner, each.environment) if isinstance(each, Symbol) else each
                            for each in declared
                        )
                    if declared:
                        return declared
                indexed = self._indexed(owner)
                if indexed is not None:
                    return (Typed(indexed),)
                return (Missing(owner.path, name),) if complete else (Typed(ANYTHING),)
            case ObjectValue(path=where, value=value):
                for item in value.properties:
                    if item.name == name:
                        return self._property(where, item)
                if not value.spreads:
                    return (Missing(where, name),)
                key = ("spread", path, where, value.at, name)  # `value = { ...value }` asks for itself
                return self.bounded(key, (Typed(ANYTHING),), lambda: self._of_spreads(path, owner, name))
            case InlineType(path=where, value=declared_type, environment=environment):
                for member in declared_type.members:
                    if member.name == name:
                        return (Typed(self.annotations.evaluate(where, member.type, environment)),)
                return (Missing(where, name),)
            case Variable(bound=bound) if bound:
                return self.members(path, bound, name)
            case ModuleObject(path=module):
                return self._of_module(module, owner, name)
            case PackageObject():
                return self.names.submodule_of(path, owner, name) or (Typed(ANYTHING),)
            case External():
                return self.names.external_member(path, owner, name)
            case CallableValue(path=where, value=function, environment=environment) if name == RANGE_KEY:
                passed = function.parameters[0] if function.parameters else None
                if not isinstance(passed, x.FunctionType) or not passed.parameters:
                    return (Typed(ANYTHING),)
                return (Typed((CallableValue(where, x.FunctionType((), passed.parameters[0]), environment),)),)
            case FunctionObject(path=where, index=index):
                definitions = self.program.facts(where).definitions
                inner = [
                    each
                    for each in self.program.members(where).get(index, {}).get(name, ())
                    if not {"static", "assigned"}.isdisjoint(definitions[each].modifiers)
                ]
                if inner:
                    return tuple(Symbol(where, each) for each in inner)
                return (Typed(ANYTHING),)
            case _:
                return (Typed(ANYTHING),)

    def _of_spreads(self, path: str, owner: ObjectValue, name: str) -> tuple[Denotation, ...]:
        """What `name` means on what an object literal spreads."""
        spread = [each for spread in owner.value.spreads for each in self.types(owner.path, spread)]
        return self.members(path, tuple(spread), name) if spread else (Missing(owner.path, name),)

    def _mixes_in(self, path: str) -> bool:
        """Whether what is looked up last on a class is so on its instances too (PHP's `@mixin`)."""
        language = self.program.language(path)
        return language is not None and language.global_names

    def _class_member(self, path: str) -> str:
        language = self.program.language(path)
        return language.class_member if language is not None else ""

    def _indexed(self, owner: Instance | ClassObject) -> Types | None:
        """What any property of the instance is, when its type has an index signature; None when it has none."""
        if not isinstance(owner, Instance):
            return None
        language = self.program.language(owner.path)
        if language is None or not language.indexed_types:
            return None
        return self.annotations.named_arguments(owner, language.indexed_types)

    def _property(self, path: str, item: x.Property) -> tuple[Denotation, ...]:
        """An object literal's property: the definition that stands there, or what its value denotes."""
        for index, definition in enumerate(self.program.facts(path).definitions):
            if definition.at == item.at:
                return (Symbol(path, index),)
        for export in self.program.facts(path).exports:
            # `module.exports = { load, save: store }` passes on what the names stand for.
            if export.exported == item.name and isinstance(item.value, x.Name) and export.at == item.value.at:
                return self.denote(path, item.value)
        return (PropertyOf(path, item),)

    # ------------------------------------------------------------------------------------------------------ types

    def types(self, path: str, expression: x.Expression) -> Types:
        """The types that an expression in the file at `path` may have."""
        match expression:
            case x.Unknown():
                return ANYTHING
            case x.Name() | x.Member():
                narrowed = self.narrowed(path, expression)
                if narrowed is not None:
                    return narrowed
                return union(self.types_of(path, each) for each in self.denote(path, expression))
            case x.Defined() | x.ModuleExpression():
                return union(self.types_of(path, each) for each in self.denote(path, expression))
            case x.Either(options=options):
                return union(self.types(path, each) for each in options)
            case x.Cast(type=stated, value=value):
                if not self.says_nothing(path, stated):
                    return self.annotations.evaluate(path, stated, self.own_environment())
                # A cast to `any` changes what the checker says, not what the value is.
                return union((self.types(path, value), ANYTHING))
            case x.Function(at=at):
                return (Closure(path, at),)
            case x.Object():
                return (ObjectValue(path, expression),)
            case _:
                return self.bounded(("types", path, expression), ANYTHING, lambda: self.results.types(path, expression))

    def says_nothing(self, path: str, stated: x.TypeExpression) -> bool:
        """Whether a type is written that says nothing (`any`)."""
        language = self.program.language(path)
        unknown = language.unknown_types if language is not None else frozenset()
        return isinstance(stated, x.UnknownType) or (isinstance(stated, x.TypeName) and stated.name in unknown)

    def own_environment(self) -> Environment:
        """Type variables of the code's own context are left as they are."""
        return ()

    def types_of(self, path: str, denotation: Denotation) -> Types:
        """The types of what a name denotes."""
        match denotation:
            case Typed(types=types):
                return types
            case ModuleObject() | PackageObject() | External():
                return (denotation,)
            case Missing():
                return ANYTHING
            case Unresolved():
                return ANYTHING
            case Symbol():
                return self.bounded(("symbol", denotation), ANYTHING, lambda: self._symbol(denotation))
            case Field():
                return self.bounded(("field", denotation), ANYTHING, lambda: self._field(denotation))
            case PropertyOf(path=where, value=item):
                key = ("property", where, item.at)
                return self.bounded(key, ANYTHING, lambda: self.types(where, item.value))
            case Local(path=where, binding=binding):
                return self.bounded(("local", where, binding), ANYTHING, lambda: self.binding(where, binding, ()))
        return ANYTHING

    def _symbol(self, symbol: Symbol) -> Types:
        facts = self.program.facts(symbol.path)
        definition = facts.definitions[symbol.index]
        if definition.kind in CLASS_KINDS:
            return (ClassObject(symbol.path, symbol.index),)
        if definition.kind in ("function", "method") or (
            definition.kind == "component" and definition.parameters is not None
        ):
            if "property" in definition.modifiers and isinstance(symbol.receiver, Instance):
                return self.results.of_definition(symbol, ())
            return (FunctionObject(symbol.path, symbol.index, symbol.receiver, symbol.environment),)
        parsed = self.syntax(symbol.path)
        if parsed is None:
            return ANYTHING
        language, syntax = parsed
        binding = language.value(syntax, symbol.index)
        if binding is None:
            return ANYTHING
        return self.binding(symbol.path, binding, symbol.environment)

    def binding(self, path: str, binding: x.Binding, environment: Environment) -> Types:
        """The types of a binding: the annotation where there is one, else the value's."""
        match binding.kind:
            case "self":
                return (Instance(path, binding.index, self._own_arguments(path, binding.index)),)
            case "class-self":
                return (ClassObject(path, binding.index, self._own_arguments(path, binding.index)),)
            case "import":
                imported = self.program.facts(path).imports[binding.index]
                return union(self.types_of(path, each) for each in self._settle(self.names.follow(path, imported)))
            case "definition":
                return self.types_of(path, Symbol(path, binding.index))
            case "type-parameter" | "unbound":
                return ANYTHING
        if binding.annotation is not None:
            within = self._with_self(path, binding, environment)
            stated = self.annotations.evaluate(path, binding.annotation, within)
            if stated or binding.value is None:
                return stated
        if binding.value is not None:
            found = self.types(path, binding.value)
            return substitute_types(found, environment) if environment else found
        return ANYTHING

    def _with_self(self, path: str, binding: x.Binding, environment: Environment) -> Environment:
        """The environment with what `Self` stands for in an annotation: an instance of the class around it."""
        if not x.mentions_self(binding.annotation) or any(name == "Self" for name, _ in environment):
            return environment
        parsed = self.syntax(path)
        index = parsed[0].enclosing_class(parsed[1], binding.at) if parsed is not None else -1
        if index < 0:
            return environment
        return (*environment, ("Self", (Instance(path, index, self._own_arguments(path, index)),)))

    def _own_arguments(self, path: str, index: int) -> tuple[Types, ...]:
        """A class's own type parameters as its arguments, so that they stay variables inside it."""
        return tuple((Variable(name),) for name in self.type_parameter_names(path, index))

    def _field(self, field: Field) -> Types:
        facts = self.program.facts(field.path)
        bindings = self.fields(field.path, field.index).get(field.name, ())
        declared = tuple(each for each in bindings if each.annotation is not None)
        if facts.definitions[field.index].kind == "enum" and not self.hierarchy.only_assigned(field):
            return (Instance(field.path, field.index),)
        environment = field.environment
        if any(x.mentions_self(each.annotation) for each in declared):
            receiver = field.receiver
            itself: Types = (Instance(receiver.path, receiver.index, receiver.arguments),)
            environment = (*environment, ("Self", itself))
        held = declared or bindings
        return read(self, field, held, [self.binding(field.path, each, environment) for each in held])

    # -------------------------------------------------------------------------------------- what classes declare

    def bases(self, path: str, index: int) -> tuple[Instance | None, ...]:
        """The direct bases of a class with their type arguments; None for one that isn't known."""
        parsed = self.syntax(path)
        if parsed is None:
            return (None,)
        language, syntax = parsed

        def work() -> tuple[Instance | None, ...]:
            found: list[Instance | None] = []
            for base in language.bases(syntax, index):
                if base.via == "metaclass":
                    continue
                arguments = tuple(self.annotations.evaluate(path, each, ()) for each in base.arguments)
                classes = [
                    each
                    for each in self.types(path, base.value)
                    if isinstance(each, ClassObject) and (each.path, each.index) != (path, index)
                ]
                if not classes and language.structural and self._is_external(path, base.value):
                    continue
                aliased = self.annotations.alias_classes(classes)
                found.extend(Instance(each.path, each.index, arguments or each.arguments) for each in aliased)
                if not aliased:
                    found.append(None)
            return tuple(found)

        return self.bounded(("bases", path, index), (None,), work)

    def _is_external(self, path: str, value: x.Expression) -> bool:
        return any(isinstance(each, External) for each in self.types(path, value))

    def external_base(self, path: str, index: int) -> str | None:
        """The name of a base that lies outside of the repository; None when none does."""
        parsed = self.syntax(path)
        if parsed is None:
            return None
        language, syntax = parsed
        for base in self.remembered(("declared bases", path, index), lambda: language.bases(syntax, index)):
            for each in self.types(path, base.value):
                if isinstance(each, External):
                    return each.name
        return None

    def has_unknown_base(self, path: str, index: int) -> bool:
        """Whether a base of the class is neither one of the repository's classes nor known to lie outside of it."""
        parsed = self.syntax(path)
        if parsed is None:
            return True
        language, syntax = parsed
        for base in self.remembered(("declared bases", path, index), lambda: language.bases(syntax, index)):
            types = self.types(path, base.value) if base.via != "metaclass" else ()
            if base.via != "metaclass" and not types:
                return True
            if not all(isinstance(each, ClassObject | External) for each in types):
                return True
        return False

    def metaclass(self, path: str, index: int) -> Instance | None:
        """The class of a class, as its instance: what a member of the class object is looked up on last. None where
        the language has none, or the class and its bases name none."""
        for ancestor in self.hierarchy.lineage(path, index).ancestors:
            parsed = self.syntax(ancestor.path)
            if parsed is None:
                continue
            language, syntax = parsed
            for base in self.remembered(
                ("declared bases", ancestor.path, ancestor.index),
                lambda: language.bases(syntax, ancestor.index),  # noqa: B023
            ):
                if base.via == "metaclass":
                    for each in self.types(ancestor.path, base.value):
                        if isinstance(each, ClassObject):
                            return Instance(each.path, each.index)
        return None

    def fields(self, path: str, index: int) -> Mapping[str, tuple[x.Binding, ...]]:
        """The fields of a class body that are not definitions."""
        parsed = self.syntax(path)
        if parsed is None:
            return {}
        language, syntax = parsed
        return self.remembered(("fields", path, index), lambda: language.fields(syntax, index))

    def parameter_types(self, path: str, index: int) -> tuple[x.ParameterType, ...]:
        """The declared types and defaults of a definition's own parameters."""
        parsed = self.syntax(path)
        if parsed is None:
            return ()
        language, syntax = parsed
        return self.remembered(("parameter types", path, index), lambda: language.parameter_types(syntax, index))

    def type_parameter_names(self, path: str, index: int) -> tuple[str, ...]:
        """The names of a definition's own type parameters."""
        parsed = self.syntax(path)
        if parsed is None:
            return ()
        language, syntax = parsed
        return self.remembered(
            ("type parameters", path, index),
            lambda: tuple(each.name for each in language.type_parameters(syntax, index)),
        )


def _called(call: x.Call) -> str:
    """The name of what is called, without what it is a member of; "" for what has none."""
    callee = call.callee
    return callee.id if isinstance(callee, x.Name) else callee.name if isinstance(callee, x.Member) else ""


def reaching(bindings: tuple[x.Binding, ...], at: int, scope: x.Scope) -> tuple[x.Binding, ...]:
    """The bindings of one name that may hold at an offset.

    From the last one that certainly holds there (its block spans `at`) on; all of them where none precedes.
    """
    if len(bindings) == 1:
        return bindings
    before = [each for each in bindings if each.at <= at]
    if not before:
        return bindings
    start = 0
    for position, each in enumerate(before):
        if each.until == 0 or at <= each.until:
            start = position
    certain = before[start:]
    return tuple(certain)

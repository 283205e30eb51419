"""Expressions, types and scopes of any language, lowered on demand from a syntax tree.

This is the small common language in which a language package tells the shared inference what source text means.
Lowering is pure syntax: it knows one file and resolves nothing. Everything carries the byte offset that its names are
looked up from. `Unknown()` is always a correct lowering; a wrong guess is not.
"""

from __future__ import annotations

from collections import abc
from typing import Literal, TypeAlias

import msgspec


class _Node(msgspec.Struct, frozen=True, gc=False):
    """Base: immutable, hashable, compared by value."""


# ---------------------------------------------------------------------------------------------------- expressions


class Name(_Node, frozen=True):
    """A bare identifier, looked up from `at`."""

    id: str
    at: int


class Member(_Node, frozen=True):
    """`object.name`, `object?.name`, `object!.name`, `getattr(object, "name")`; `at` is the offset of `name`."""

    object: Expression
    name: str
    at: int


class Argument(_Node, frozen=True):
    """An argument of a call. `keyword` for `name=value`; `spread` is "" or "*" (`*xs`, `...xs`) or "**"."""

    value: Expression
    keyword: str | None = None
    spread: str = ""


class Call(_Node, frozen=True):
    """A call. `at` is the offset of the call expression's start, `end` its end."""

    callee: Expression
    arguments: tuple[Argument, ...]
    at: int
    end: int
    type_arguments: tuple[TypeExpression, ...] = ()


class Construct(_Node, frozen=True):
    """`new C(...)`. (Python's `C(...)` is a Call; the callee being a class makes it a construction.)"""

    callee: Expression
    arguments: tuple[Argument, ...]
    at: int
    end: int
    type_arguments: tuple[TypeExpression, ...] = ()


class Subscript(_Node, frozen=True):
    """`object[index]`. A literal string index is a Member instead where the language treats it so (JavaScript)."""

    object: Expression
    index: Expression


class Await(_Node, frozen=True):
    """`await value`."""

    value: Expression


class Element(_Node, frozen=True):
    """What iterating over `value` gives (for loops, comprehensions, `yield from`); `asynchronous` for `async for`."""

    value: Expression
    asynchronous: bool = False


class Entered(_Node, frozen=True):
    """What `with value as x` binds (the result of `__enter__`/`__aenter__`)."""

    value: Expression
    asynchronous: bool = False


class Item(_Node, frozen=True):
    """Position `index` of a destructured `value` (`a, b = value`, `[a, b] = value`)."""

    value: Expression
    index: int


class Literal_(_Node, frozen=True):
    """A literal of a built-in type, named as the builtins stub names it ("str", "int", "string", "RegExp").

    `value` is given only where it tells something: for the literal index of a Subscript (`row[0]`, `data["key"]`).
    """

    type: str
    value: str | None = None


class Sequence(_Node, frozen=True):
    """A list, tuple or set literal (or comprehension: one item). `type` as in Literal_."""

    type: str
    items: tuple[Expression, ...]


class Mapping(_Node, frozen=True):
    """A dict literal or comprehension with the keys' and values' expressions."""

    type: str
    keys: tuple[Expression, ...]
    values: tuple[Expression, ...]


class Property(_Node, frozen=True):
    """A property of an object literal. `at` is the name's offset."""

    name: str
    value: Expression
    at: int


class Object(_Node, frozen=True):
    """An object literal (JavaScript). `at` is its start."""

    properties: tuple[Property, ...]
    spreads: tuple[Expression, ...]
    at: int


class Function(_Node, frozen=True):
    """A function or class written as an expression, known by its start offset (lambda, arrow, function expression)."""

    at: int


class Defined(_Node, frozen=True):
    """The definition with that index in the file's facts (a local function, a class expression bound to a name)."""

    definition: int


class This(_Node, frozen=True):
    """`this` (JavaScript, PHP's $this) at an offset. Python's self is a binding of kind "self" instead."""

    at: int


class Super(_Node, frozen=True):
    """`super` / `super()` / `parent::` at an offset."""

    at: int


class Cast(_Node, frozen=True):
    """An expression whose type is stated: `x as T`, `<T>x`, `cast(T, x)`. `satisfies` keeps the value's own type."""

    type: TypeExpression
    value: Expression


class Either(_Node, frozen=True):
    """One of several: a ternary, `a or b`, `a ?? b`, `a && b` (its last), a match."""

    options: tuple[Expression, ...]


class ContextParameter(_Node, frozen=True):
    """An unannotated parameter of a function passed as an argument: parameter `parameter` (0-based) of what `call`
    expects as argument `argument` (0-based; or `keyword`)."""

    call: Expression
    argument: int
    parameter: int
    keyword: str | None = None


class ModuleExpression(_Node, frozen=True):
    """A module as a value: `require('x')`, `import('x')` (as a Call it would be a promise: wrap in no Await),
    `importlib.import_module("x")`."""

    module: str


class Unknown(_Node, frozen=True):
    """Nothing is known."""


Expression: TypeAlias = (
    Name
    | Member
    | Call
    | Construct
    | Subscript
    | Await
    | Element
    | Entered
    | Item
    | Literal_
    | Sequence
    | Mapping
    | Object
    | Function
    | Defined
    | This
    | Super
    | Cast
    | Either
    | ContextParameter
    | ModuleExpression
    | Unknown
)


# ---------------------------------------------------------------------------------------------------------- types


class TypeName(_Node, frozen=True):
    """A named type, dotted as written (`models.Order`), looked up from `at`, with its type arguments.

    Built-in spellings are normalised to the names of the language's builtins stub: `T[]` is `Array<T>`, `Optional[T]`
    is Union(T, None), `typing.List` is `list`. None/null/undefined/void/any/object are TypeName as written.

    `form`: what makes it another type, of which a value is used in the same way (Go's pointers and array lengths).
    """

    name: str
    at: int
    arguments: tuple[TypeExpression, ...] = ()
    form: str = ""


class UnionType(_Node, frozen=True):
    """`A | B`: a value is one of them."""

    options: tuple[TypeExpression, ...]


class IntersectionType(_Node, frozen=True):
    """`A & B`: a value is all of them."""

    options: tuple[TypeExpression, ...]


class TupleType(_Node, frozen=True):
    """A tuple with known positions."""

    items: tuple[TypeExpression, ...]


class FunctionType(_Node, frozen=True):
    """`(x: A) => R`, `Callable[[A], R]`."""

    parameters: tuple[TypeExpression, ...]
    returns: TypeExpression


class TypeMember(_Node, frozen=True):
    """A member of an inline object type; `at` is the offset of its name."""

    name: str
    type: TypeExpression
    at: int
    optional: bool = False


class ObjectType(_Node, frozen=True):
    """An inline object type `{ a: A; m(x: B): C }`; methods have a FunctionType. `open`: it takes members of other
    names too (an index signature), or has some whose names are not known. `form`: as in TypeName."""

    members: tuple[TypeMember, ...]
    at: int
    open: bool = False
    form: str = ""


class ClassOf(_Node, frozen=True):
    """The class itself, not an instance: `type[C]`, `typeof C`, `new () => C`."""

    type: TypeExpression


class TypeOf(_Node, frozen=True):
    """The type of a value: TypeScript's `typeof x` in a type."""

    value: Expression


class IndexedType(_Node, frozen=True):
    """`T["name"]`, or `T[number]` with name None."""

    object: TypeExpression
    name: str | None


class LiteralType(_Node, frozen=True):
    """A literal type or template type; `type` is the builtin it belongs to ("string", "str", "number")."""

    type: str


class SelfType(_Node, frozen=True):
    """`Self`, TypeScript's `this` type, PHP's `static`."""


class UnknownType(_Node, frozen=True):
    """Nothing is known (`any`, conditional and mapped types that are not understood)."""


TypeExpression: TypeAlias = (
    TypeName
    | UnionType
    | IntersectionType
    | TupleType
    | FunctionType
    | ObjectType
    | ClassOf
    | TypeOf
    | IndexedType
    | LiteralType
    | SelfType
    | UnknownType
)


def mentions_self(written: TypeExpression | None) -> bool:
    """Whether `Self` stands somewhere in a written type."""
    pending = [written]
    while pending:
        match pending.pop():
            case SelfType():
                return True
            case TypeName(arguments=inner) | UnionType(options=inner) | IntersectionType(options=inner):
                pending.extend(inner)
            case TupleType(items=inner):
                pending.extend(inner)
            case FunctionType(parameters=inner, returns=returned):
                pending.extend((*inner, returned))
            case ClassOf(type=one) | IndexedType(object=one):
                pending.append(one)
    return False


# --------------------------------------------------------------------------------------------------------- scopes

BindingKind = Literal[
    "parameter", "variable", "import", "definition", "self", "class-self", "type-parameter", "unbound"
]


class Binding(_Node, frozen=True):
    """A name bound in a scope.

    `at` is the offset where it is bound; from there to `until` (the end of the block that holds the assignment; 0 for
    the whole scope, as for parameters, imports, definitions and hoisted names) the binding certainly holds unless a
    later one replaces it. `annotation` wins over `value`. "import": `index` is the index in facts.imports.
    "definition": index in facts.definitions. "self"/"class-self": the enclosing class's instance / the class itself,
    `index` is the class's definition index. "type-parameter": `annotation` is its bound. "unbound": it is known to be
    something that cannot be followed (an exception variable without a type, a loop counter): never module-level.
    """

    name: str
    at: int
    kind: BindingKind
    annotation: TypeExpression | None = None
    value: Expression | None = None
    index: int = -1
    until: int = 0


class Scope(msgspec.Struct, frozen=True, gc=False):
    """A region in which names are bound. `definition` is the index of the function or class that it is the body of.

    kind "module" is the file's own scope. A class scope appears in a lookup only where the language lets code see it.
    """

    kind: Literal["module", "class", "function", "block"]
    start: int
    end: int
    definition: int
    bindings: abc.Mapping[str, tuple[Binding, ...]]


class Reference(_Node, frozen=True):
    """A place that names something and is not its definition.

    `target` is the expression that is named (a Name or a Member whose name stands at `at`). For `kind` "import",
    `import_index` says which of the file's imports it is. `call_at` is the offset at which `arguments()` finds the
    call's arguments, -1 when it isn't called there. `in_type`: it stands in a type position. `write`: it is assigned.
    `stored_into`: something is stored into its value (`x[key] = v`), which only reads the name. `owning`: it says which
    type a method declared outside of it belongs to (Go's receivers), which is no use of the type. `given`: the other
    name under which the class around it takes the method over (PHP's `use T { m as n; }`), or under which something
    holds the value as a property (TypeScript's `Menu.Item = MenuItem`). `maybe_value`: it was read
    as a type, and is a value if that is what the name stands for (Go's `new(limit)`, `table[limit](x)`). `by_position`:
    a literal of the type lists the values of its fields without their names (Go's `T{1, 2}`), or the value is taken
    whole, and not a property of it by its name (TypeScript). `key`: it is the name of a field in such a literal, which
    means nothing else that has the name. `in_template`: it stands in a template, which reaches what the component has,
    and components that are registered somewhere (Vue's).
    """

    name: str
    at: int
    kind: Literal["call", "new", "base", "jsx", "decorator", "argument", "value", "type", "import"]
    target: Expression
    import_index: int = -1
    call_at: int = -1
    in_type: bool = False
    write: bool = False
    stored_into: bool = False
    owning: bool = False
    given: str | None = None
    maybe_value: bool = False
    by_position: bool = False
    key: bool = False
    in_template: bool = False


class Taken(_Node, frozen=True):
    """How many of a call's results the code around it takes: from `least` to `most` (None: any number).

    `passed_to`: it is the only argument of a call of that, which takes as many as it has parameters.
    """

    least: int
    most: int | None
    passed_to: Expression | None = None


Use = Literal["nothing", "awaited", "chained", "member", "unpacked", "other"]
"""What becomes of a call's result at once: nothing, it is awaited, what follows is chained to it as to a promise,
something of it is taken (a member, an element, all in a loop), it is unpacked into names, or anything else."""


class Arguments(_Node, frozen=True):
    """What a call passes: the count of positional arguments, keywords, spreads; and, for object literals passed by
    position, the property names given (None for anything else or with a spread in it). A JSX element passes one such
    literal, its attributes.

    `rest`: besides these it passes a list that stands for the whole of what the last parameter collects, and for
    nothing else (Go's `xs...`). `taken`: how many results are taken, in languages with several, else into how many
    names the one is unpacked; None where that isn't known. `use`: what becomes of the one. `end`: where the text of
    what is passed ends, -1 where that isn't told. `ahead`: they are passed before the call, which passes the others.
    `checked`: whether anything holds it to what is declared (not so in plain JavaScript).
    """

    positional: int
    keywords: tuple[str, ...] = ()
    spread: bool = False
    spread_keywords: bool = False
    literals: tuple[tuple[str, ...] | None, ...] = ()
    rest: bool = False
    taken: Taken | None = None
    use: Use = "other"
    end: int = -1
    ahead: bool = False
    checked: bool = True


class Base(_Node, frozen=True):
    """A base class, implemented interface or mixin, with its type arguments; or (`via` "metaclass") the class of the
    class."""

    value: Expression
    arguments: tuple[TypeExpression, ...] = ()
    via: Literal["extends", "implements", "metaclass"] = "extends"


class Result(_Node, frozen=True):
    """What a function gives back: the declared type, or else the expressions it returns.

    `asynchronous`: the caller gets a promise/coroutine of it. `generator`: the caller gets an iterator of `yields`.
    """

    annotation: TypeExpression | None = None
    values: tuple[Expression, ...] = ()
    yields: tuple[Expression, ...] = ()
    asynchronous: bool = False
    generator: bool = False


class TypedValue(_Node, frozen=True):
    """A value, and the type that is written for it. Of what an asynchronous function returns, the promise's."""

    annotation: TypeExpression
    value: Expression


class ParameterType(_Node, frozen=True):
    """The declared type and the default of a parameter, lowered."""

    name: str
    annotation: TypeExpression | None
    default: Expression | None


class TypeParameter(_Node, frozen=True):
    """A declared type parameter: `T extends Bound = Default`, TypeVar("T", bound=...)."""

    name: str
    bound: TypeExpression | None = None


def uncast(value: Expression) -> Expression:
    """The value, whatever type is stated of it."""
    while isinstance(value, Cast):
        value = value.value
    return value

"""What a change does to the fields of a class, an interface or an object type, and to the entries of an object of
constants: added, edited or gone.

A field is no definition of its file, so the diff shows it as a change of what declares it. But who constructs a class
is not concerned by a value more in it, and who reads the field is. So a field that is edited or gone becomes a changed
definition of its own, and a class of which only fields changed is no longer one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
import tree_sitter

from graph import expressions as x
from graph.access import is_narrower
from graph.briefing import SymbolChange
from graph.changes import ChangedDefinition
from graph.constants import Entry, entries
from graph.facts import Definition
from graph.hierarchy import CLASS_KINDS
from graph.languages.base import Language, Syntax
from graph.tokens import past_separator, same_tokens, tokens
from graph.types import Instance
from graph.world import World

MAX_DEFINITIONS = 1000
"""Definitions in a file, past which an object of constants in it is one thing: each is compared with all of them."""
_SEPARATORS = frozenset({b",", b";"})
_CONSTRUCTED = ("class", "enum", "trait")
"""Kinds of what declares fields and is constructed by a call, not written as a literal."""


class _Field(msgspec.Struct, frozen=True):
    """A field as it is declared: its name's offset, the span of its statement, and whether it needs no value there.
    `end` is 0 for one that is only assigned in a method."""

    at: int
    start: int = 0
    end: int = 0
    bare: bool = False
    element: tuple[int, int] = (0, 0)
    """What of the statement is this field's alone: the others of `int $a = 1, $b` are not."""
    embedded: bool = False
    others: tuple[tuple[int, int], ...] = ()
    """The elements of the statement's other fields."""
    typed: tuple[int, int] = (0, 0)
    """From where its name ends, or its type begins, to where its type ends; (0, 0) where none is written."""
    visibility: str = ""
    """"private", "protected", or "" for neither."""


class _Declared(msgspec.Struct, frozen=True):
    """What declares fields, on one side of the change."""

    syntax: Syntax
    definition: Definition
    fields: dict[str, _Field]
    members: tuple[tuple[int, int], ...]
    constructs: bool
    """Whether the fields make the class's constructor."""
    written_as_literals: bool = False
    """Whether values are written as literals, which may leave out fields that they name."""
    is_value: bool = False
    """Whether it is an object of constants: a value that somebody may take as a whole."""

    def rest(self) -> Iterator[bytes]:
        """The tokens that belong to no field and no definition inside."""
        spans = sorted([*self.members, *((each.start, each.end) for each in self.fields.values() if each.end)])
        apart: list[tuple[int, int]] = []
        for span in spans:
            if not apart or span[0] >= apart[-1][1]:
                apart.append(span)
        left = tokens(self.syntax, self.definition.start, self.definition.end, apart)
        return (each for each in left if each != b",") if self.is_value else left

    def has_the_same(self, name: str, other: _Declared) -> bool:
        """Whether both sides declare that field, which they have, by the same tokens."""
        one, two = self.fields[name], other.fields[name]
        if not (one.others or two.others):
            if self.syntax.source[one.start : one.end] == other.syntax.source[two.start : two.end]:
                return True
            return same_tokens(tokens(self.syntax, one.start, one.end), tokens(other.syntax, two.start, two.end))
        return same_tokens(_of_one(self.syntax, one), _of_one(other.syntax, two))

    def is_of_another_type(self, name: str, other: _Declared) -> bool:
        """Whether both sides write a type for that field, and not the same."""
        one, two = self.fields[name].typed, other.fields[name].typed
        if not (any(one) and any(two)):
            return False
        return not same_tokens(tokens(self.syntax, *one), tokens(other.syntax, *two))


def with_fields(changed: Sequence[ChangedDefinition], before: World, after: World) -> list[ChangedDefinition]:
    """The changed definitions, and those of their fields that are added, edited or gone. Without classes and
    enumerations that differ in nothing but these."""
    found: list[ChangedDefinition] = []
    known: set[tuple[str | None, str]] = {
        (each.path, each.definition.qualified) for each in changed if each.change != "removed"
    }
    pairs = [_pair(each, before, after) for each in changed]
    became = dict(_became_another(changed, pairs))
    for each, pair in zip(changed, pairs, strict=True):
        if id(each) in became:
            found.append(became[id(each)])
            continue
        if pair is None:
            found.append(each)
            found.extend(_written_out(each, before, after))
            continue
        old, new = pair
        only = same_tokens(old.rest(), new.rest())
        fields = list(_fields(each, old, new, after, everything=only))
        if not (only and (fields or old.written_as_literals or old.is_value) and _is_concerned_alone(each, old, new)):
            found.append(each)
        elif old.written_as_literals or old.is_value:
            found.append(msgspec.structs.replace(each, only_fields=True))
        found.extend(fields)
    for owner in _owners(changed, known, before, after):
        pair = _pair(owner, before, after)
        if pair is not None:
            found.extend(_fields(owner, *pair, after, everything=False))
    return found


def _written_out(changed: ChangedDefinition, before: World, after: World) -> Iterator[ChangedDefinition]:
    """Properties that are gone from the object types written out in a declaration (`f(): { id: number }`)."""
    if changed.before is None or changed.after is None or changed.change != "signature" or changed.local:
        return
    if changed.after.kind in CLASS_KINDS or len(changed.befores) > 1 or len(changed.afters) > 1:
        return
    old = _inline(before, changed.old_path, changed.before)
    new = _inline(after, changed.path, changed.after)
    if old is not None and new is not None:
        for name in sorted(old.fields.keys() - new.fields.keys(), key=lambda name: old.fields[name].at):
            yield _changed(changed, "removed", _definition(old, name), None)


def _inline(world: World, path: str | None, definition: Definition) -> _Declared | None:
    """The properties of the object types in a declaration; None where it has none."""
    parsed = world.inference.syntax(path) if path is not None else None
    if parsed is None or path is None:
        return None
    language, syntax = parsed
    index = world.program.index_of(path, definition)
    if not language.explicit_exports or index < 0:
        return None
    value = language.value(syntax, index) if definition.parameters is None else None
    types = [
        value.annotation if value is not None else None,
        language.result(syntax, index).annotation if definition.parameters is not None else None,
        *(each.annotation for each in language.parameter_types(syntax, index)),
    ]
    fields = {
        member.name: _Field(member.at)
        for each in types
        if isinstance(each, x.ObjectType)
        for member in each.members
        if member.name.isidentifier()
    }
    return _Declared(syntax, definition, fields, (), False)


def _is_concerned_alone(changed: ChangedDefinition, old: _Declared, new: _Declared) -> bool:
    """Whether its fields are all that anybody needs to know: not where a literal may have to have them all, nor where
    they may make the class's constructor."""
    if old.is_value:
        return changed.change == "body"
    if changed.definition.kind not in _CONSTRUCTED or changed.change != "body" or old.constructs or new.constructs:
        return False
    if old.written_as_literals:
        # What is embedded brings methods.
        for one, other in ((old, new), (new, old)):
            for name, field in one.fields.items():
                if field.embedded and not (name in other.fields and one.has_the_same(name, other)):
                    return False
    return not any(
        each.fields[name].bare
        for each, other in ((old, new), (new, old))
        for name in each.fields
        if name not in other.fields or not each.has_the_same(name, other)
    )


def _fields(
    changed: ChangedDefinition, old: _Declared, new: _Declared, after: World, *, everything: bool
) -> Iterator[ChangedDefinition]:
    """Its fields that are gone, or that fewer places may name; with `everything` also those that are new or edited."""
    for name, field in sorted(old.fields.items(), key=lambda item: item[1].at):
        now = new.fields.get(name)
        if now is None and not _has(after, changed.path, new, name):
            yield _changed(changed, "removed", _definition(old, name), None)
        elif now is not None and is_narrower(_definition(old, name), _definition(new, name)):
            yield _changed(changed, "signature", _definition(old, name), _definition(new, name))
        elif now is not None and everything and field.end and now.end and not old.has_the_same(name, new):
            change: SymbolChange = "signature" if old.is_of_another_type(name, new) else "body"
            yield _changed(changed, change, _definition(old, name), _definition(new, name))
    for name in sorted(new.fields.keys() - old.fields.keys(), key=lambda name: new.fields[name].at):
        is_new = everything and (new.is_value or changed.definition.kind in _CONSTRUCTED)
        if is_new and new.fields[name].end and not (new.is_value and _had(old, name)):
            yield _changed(changed, "added", None, _definition(new, name))


def _had(old: _Declared, name: str) -> bool:
    """Whether an object of constants had a function of that name."""
    qualified = f"{old.definition.qualified}.{name}"
    return any(each.qualified == qualified for each in old.syntax.facts.definitions)


def _became_another(
    changed: Sequence[ChangedDefinition], pairs: Sequence[tuple[_Declared, _Declared] | None]
) -> Iterator[tuple[int, ChangedDefinition]]:
    """What comes or goes as a function in an object of constants whose entry of that name is a mere value on the other
    side, by its id, as the change of one entry. `pairs`: `_pair` of each."""
    sided: dict[tuple[str | None, str, str], ChangedDefinition] = {
        (each.path, each.definition.qualified, each.change): each for each in changed
    }
    for owner, pair in zip(changed, pairs, strict=True):
        if pair is None or owner.definition.kind != "constant":
            continue
        for change, declared in (("added", pair[0]), ("removed", pair[1])):
            for name in declared.fields:
                each = sided.get((owner.path, f"{declared.definition.qualified}.{name}", change))
                if each is None:
                    continue
                value = _definition(declared, name)
                if change == "added":
                    yield id(each), msgspec.structs.replace(each, before=value, befores=(value,), change="signature")
                else:
                    yield (
                        id(each),
                        msgspec.structs.replace(
                            each, after=value, afters=(value,), change="signature", field_of=owner.after
                        ),
                    )


def _has(after: World, path: str | None, owner: _Declared, name: str) -> bool:
    """Whether the class has the member all the same: as a property, or from a base."""
    definitions = owner.syntax.facts.definitions
    index = next((i for i, each in enumerate(definitions) if each == owner.definition), -1)
    return path is not None and index >= 0 and bool(after.inference.hierarchy.find(Instance(path, index), name)[0])


def _changed(
    owner: ChangedDefinition, change: SymbolChange, before: Definition | None, after: Definition | None
) -> ChangedDefinition:
    return ChangedDefinition(
        before=before,
        after=after,
        change=change,
        path=owner.path,
        old_path=owner.old_path,
        befores=(before,) if before is not None else (),
        afters=(after,) if after is not None else (),
        local=owner.local,
        field_of=owner.before if change == "removed" else owner.after,
    )


def _definition(declared: _Declared, name: str) -> Definition:
    """The field as if it were a definition."""
    field, syntax = declared.fields[name], declared.syntax
    word = _word(name).rpartition(".")[2]
    start, end = (field.start, field.end) if field.end else (field.at, field.at + len(word.encode()))
    text = syntax.source[start:end].decode("utf-8", "replace").rstrip(" \t\r\n,;")
    return Definition(
        name=word,
        qualified=f"{declared.definition.qualified}.{name}",
        kind="variable",
        start=start,
        end=end,
        at=field.at,
        line=syntax.line(field.at),
        first_line=syntax.line(start),
        end_line=syntax.line(start + len(text.encode("utf-8", "replace"))),
        declaration=text.splitlines()[0][:200] if text else name,
        exported=declared.definition.exported,
        modifiers=(field.visibility,) if field.visibility else (),
    )


# -- what declares fields --------------------------------------------------------------------------------------------


def _pair(changed: ChangedDefinition, before: World, after: World) -> tuple[_Declared, _Declared] | None:
    """Both sides of what may declare fields; None where it doesn't, or can't be told."""
    if changed.before is None or changed.after is None or changed.old_path is None or changed.path is None:
        return None
    if changed.change not in ("body", "signature") or changed.local or changed.before.kind != changed.after.kind:
        return None
    if len(changed.befores) > 1 or len(changed.afters) > 1:
        return None
    if changed.after.kind == "constant":
        if len(after.program.facts(changed.path).definitions) > MAX_DEFINITIONS:
            return None
        both = entries((before, changed.old_path, changed.before), (after, changed.path, changed.after))
        return None if both is None else (_of_constants(both[0]), _of_constants(both[1]))
    if changed.after.kind not in CLASS_KINDS:
        return None
    old = _declared(before, changed.old_path, changed.before)
    new = _declared(after, changed.path, changed.after)
    return None if old is None or new is None else (old, new)


def _of_constants(found: tuple[Syntax, Definition, Sequence[tuple[int, int]], Sequence[Entry]]) -> _Declared:
    syntax, definition, members, own = found
    fields = {each.name: _Field(each.at, each.start, each.end, element=(each.start, each.end)) for each in own}
    return _Declared(syntax, definition, fields, tuple(members), constructs=False, is_value=True)


def _owners(
    changed: Sequence[ChangedDefinition], known: set[tuple[str | None, str]], before: World, after: World
) -> Iterator[ChangedDefinition]:
    """The classes that did not change but for methods that assigned fields."""
    methods: dict[tuple[str, str, str], list[Definition]] = {}
    for each in changed:
        if each.definition.kind == "method" and each.path is not None and each.old_path is not None:
            qualified = each.definition.qualified.rpartition(".")[0]
            if (each.path, qualified) not in known:
                methods.setdefault((each.old_path, each.path, qualified), []).extend(each.befores)
    for (old_path, path, qualified), assigning in methods.items():
        befores = _named(before, old_path, qualified)
        afters = _named(after, path, qualified)
        if len(befores) == len(afters) == 1 and _assign_fields(assigning, before, old_path, befores[0]):
            yield ChangedDefinition(
                before=befores[0],
                after=afters[0],
                change="body",
                path=path,
                old_path=old_path,
                befores=befores,
                afters=afters,
            )


def _assign_fields(methods: Sequence[Definition], world: World, path: str, owner: Definition) -> bool:
    """Whether one of the class's methods assigns a field."""
    index = world.program.index_of(path, owner)
    if not methods or index < 0:
        return False
    fields = world.inference.fields(path, index)
    assigned = [binding.at for bindings in fields.values() for binding in bindings]
    return any(each.start <= at <= each.end for each in methods for at in assigned)


def _named(world: World, path: str, qualified: str) -> tuple[Definition, ...]:
    return tuple(
        each
        for each in world.program.facts(path).definitions
        if each.qualified == qualified and each.kind in CLASS_KINDS
    )


def _declared(world: World, path: str, definition: Definition) -> _Declared | None:
    parsed = world.inference.syntax(path)
    if parsed is None:
        return None
    language, syntax = parsed
    definitions = syntax.facts.definitions
    index = world.program.index_of(path, definition)
    if index < 0:
        return None
    members = tuple((each.start, each.end) for each in definitions if each.parent == index)
    fields: dict[str, _Field] = {}
    for name, bindings in world.inference.fields(path, index).items():
        found = [
            _field(syntax, definition, members, each, apart=language.package_scope)
            for each in bindings
            if each.at > definition.at
        ]
        declared = [each for each in found if each.end]
        if _word(name).isidentifier() and found:
            fields[name] = (declared or found)[0]
    fields = _told_apart(fields)
    spans = [each.element for each in fields.values() if each.end]
    if len(set(spans)) != len(spans):
        return None  # several of one statement
    if language.global_names or language.package_scope:  # no literal must have them all, no constructor takes them
        fields = {name: msgspec.structs.replace(each, bare=False) for name, each in fields.items()}
    constructs = language.generated(syntax, index) is not None
    fields = _with_aliased(language, syntax, index, fields)
    return _Declared(syntax, definition, fields, members, constructs, language.package_scope)


def _with_aliased(language: Language, syntax: Syntax, index: int, fields: dict[str, _Field]) -> dict[str, _Field]:
    """The fields, with those of the object types that a type alias joins (`A & { x: X }`)."""
    alias = language.alias(syntax, index)
    for option in alias.options if isinstance(alias, x.IntersectionType) else ():
        for each in option.members if isinstance(option, x.ObjectType) else ():
            if each.name.isidentifier():
                fields.setdefault(each.name, _Field(each.at))
    return fields


def _field(
    syntax: Syntax, owner: Definition, members: Sequence[tuple[int, int]], binding: x.Binding, *, apart: bool
) -> _Field:
    name = binding.name.encode()
    # A binding may begin at its name, or where the statement that makes it ends.
    inside = binding.at if syntax.source.startswith(name, binding.at) else binding.at - 1
    if any(start <= inside < end for start, end in members):
        at = _last_named(syntax.source, name, binding.at)
        return _Field(at, visibility=_of_parameter(syntax, at))
    statement = _statement(syntax.tree.root_node.descendant_for_byte_range(inside, inside + 1), owner, apart=apart)
    if statement is None:
        return _Field(_last_named(syntax.source, name, binding.at))
    at = binding.at if inside == binding.at else max(syntax.source.find(name, statement.start_byte), 0)
    end = past_separator(syntax.source, statement.end_byte, _SEPARATORS)
    bare = binding.annotation is not None and (binding.value is None or isinstance(binding.value, x.Unknown))
    bare = bare and b"=" not in syntax.source[at:end]
    embedded = apart and statement.child_by_field_name("name") is None
    typed = _typed(statement, at + len(name)) if not embedded else (0, 0)
    visible = _visibility(statement, at)
    return _Field(at, statement.start_byte, end, bare, _element(statement, at), embedded, (), typed, visible)


def _of_parameter(syntax: Syntax, at: int) -> str:
    """The visibility of the field that a constructor's parameter declares; "" where it declares none."""
    node = syntax.tree.root_node.descendant_for_byte_range(at, at + 1)
    while node is not None and node.parent is not None and "parameters" not in node.parent.type:
        node = node.parent
    return _visibility(node, at) if node is not None and node.parent is not None else ""


def _visibility(declaration: tree_sitter.Node, at: int) -> str:
    """What is written before a field's name of who may use it."""
    for each in declaration.children:
        if each.end_byte <= at and each.text in (b"private", b"protected"):
            return each.text.decode("ascii")
    return ""


def _typed(statement: tree_sitter.Node, name_end: int) -> tuple[int, int]:
    """See `_Field.typed`."""
    inner = statement.named_children[:1] if statement.type == "expression_statement" else ()
    for node in (statement, *inner):
        written = node.child_by_field_name("type")
        if written is not None:
            return min(written.start_byte, name_end), written.end_byte
    return 0, 0


def _element(statement: tree_sitter.Node, at: int) -> tuple[int, int]:
    """The span of the part of a statement that holds an offset: the statement's child."""
    part = next((each for each in statement.named_children if each.start_byte <= at < each.end_byte), statement)
    return part.start_byte, part.end_byte


def _told_apart(fields: dict[str, _Field]) -> dict[str, _Field]:
    """The fields, each knowing the elements of those that are declared by the same statement."""
    together: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for each in fields.values():
        if each.end:
            together.setdefault((each.start, each.end), []).append(each.element)
    return {
        name: msgspec.structs.replace(
            field,
            others=tuple(sorted(each for each in together.get((field.start, field.end), ()) if each != field.element)),
        )
        for name, field in fields.items()
    }


def _of_one(syntax: Syntax, field: _Field) -> Iterator[bytes]:
    """The tokens of a field's statement, but for those of the others that it declares."""
    return (each for each in tokens(syntax, field.start, field.end, field.others) if each != b",")


def _word(name: str) -> str:
    """The word by which a field is searched for: its name without the sign before it, where names have one."""
    return name.removeprefix("$")


def _last_named(source: bytes, name: bytes, at: int) -> int:
    """The offset of the name at or before another."""
    return at if source.startswith(name, at) else max(source.rfind(name, 0, at), 0)


def _statement(node: tree_sitter.Node | None, owner: Definition, *, apart: bool) -> tree_sitter.Node | None:
    """The statement of a class's body that holds a node: the node just below the body. `apart`: the body belongs to a
    type that is written out, which is given the name (`type T struct { ... }`)."""
    while node is not None and node.parent is not None:
        above = node.parent.parent
        if apart and above is not None:
            above = above.parent
        if above is not None and above.start_byte <= owner.at < node.parent.start_byte and owner.at < above.end_byte:
            return node
        node = node.parent
    return None

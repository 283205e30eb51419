"""Eloquent's members that are used under another name: scopes, accessors, relationships. All but a scope that the class
itself is asked for are by name only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from graph.expressions import Call, Construct, Expression, Member, Name, Subscript, Super, This
from graph.git import encode
from graph.languages.base import Place
from graph.languages.php.frameworks.subject import Subject, calls_around, strings_in
from graph.languages.php.lower import expression
from graph.languages.php.reading import reading_of
from graph.languages.php.references import reference_at
from graph.languages.php.rules import COMMON_NAMES
from graph.languages.php.words import places_of

_SCOPE: Final = re.compile(r"scope([A-Z]\w*)")
_ACCESSOR: Final = re.compile(r"(get|set)([A-Z0-9]\w*)Attribute")
_HUMP: Final = re.compile(r"(?<!^)(?=[A-Z])")
_RELATIONS: Final = (
    "hasOne|hasMany|belongsTo|belongsToMany|morphTo|morphOne|morphMany|morphToMany|morphedByMany|hasOneThrough|"
    "hasManyThrough|through"
)
_RELATED: Final = re.compile(rb"->[ \t\r\n]*(?:" + _RELATIONS.encode() + rb")[ \t]*\(")
_RELATION_TYPE: Final = re.compile(
    r"\b(?:HasOne|HasMany|BelongsTo|BelongsToMany|MorphTo|MorphOne|MorphMany|MorphToMany|HasOneThrough|HasManyThrough|Relation)\b"
)
_LOADS: Final = frozenset(
    re.findall(
        r"\w+",
        "with without load loadMissing loadCount withCount withSum withMax withMin withAvg withExists has orHas "
        "doesntHave orDoesntHave whereHas orWhereHas withWhereHas whereDoesntHave orWhereDoesntHave whereRelation "
        "orWhereRelation whereMorphedTo whereHasMorph loadMorph morphWith relationLoaded getRelation setRelation "
        "unsetRelation whereBelongsTo associate",
    )
)
_LOADING: Final = re.compile(rb"\b(?:" + "|".join(sorted(_LOADS)).encode() + rb")[ \t]*\(|\$with\b")
MANY: Final = 300
"""Files that hold a word, from which on it says nothing where the receiver isn't known."""


class _Use(msgspec.Struct, frozen=True):
    """A form in which a member is used: as a method, or as a property (`word` has its "$" then). `written`: only where
    the property is assigned, or only where it is not; None for both."""

    word: str
    via: str
    written: bool | None = None


def places(subject: Subject) -> Iterator[Place]:
    """Where a member of a model is used under the name that Eloquent gives it."""
    if subject.method is None:
        return
    for use in _forms(subject):
        if use.word != subject.method or use.via == "scope":
            yield from _uses(subject, use)
        if use.via == "relation":
            yield from _loaded(subject, use)
        elif use.via == "scope":
            yield from _in_scopes(subject, use)


def words(subject: Subject) -> Iterator[str]:
    """The names under which the member is used."""
    for use in _forms(subject):
        yield use.word.lstrip("$")


def _forms(subject: Subject) -> Iterator[_Use]:
    """The other names of the method."""
    method, definition = subject.method or "", subject.definition
    scope = _SCOPE.fullmatch(method)
    if scope is not None and definition.parameters:
        for word in dict.fromkeys((scope.group(1)[:1].lower() + scope.group(1)[1:], scope.group(1))):
            yield _Use(word, "scope")
    elif "Scope" in {each.rpartition("\\")[2] for each in definition.decorators}:
        yield _Use(method, "scope")
    accessor = _ACCESSOR.fullmatch(method)
    returns = definition.returns or ""
    if accessor is not None:
        yield _Use("$" + _snake(accessor.group(2)), "accessor", accessor.group(1) == "set")
    elif re.search(r"\bAttribute\b", returns) is not None and not definition.parameters:
        yield _Use("$" + _snake(method), "accessor")
        if "_" not in _snake(method):
            return
        yield _Use("$" + method, "accessor")
    elif not definition.parameters and (
        _RELATION_TYPE.search(returns) is not None
        or _RELATED.search(subject.reading.source, definition.at, definition.end) is not None
    ):
        yield _Use("$" + method, "relation")


def _snake(name: str) -> str:
    """`FullTitle` and `fullTitle` -> `full_title`, as Laravel's `Str::snake` does."""
    return _HUMP.sub("_", name[:1].lower() + name[1:]).lower()


def _uses(subject: Subject, use: _Use) -> Iterator[Place]:
    """Places of the word whose receiver is the model, or may be."""
    word = use.word.lstrip("$")
    paths = subject.asked.holding(word)
    vague = len(paths) >= MANY or word in COMMON_NAMES or _is_declared_by_others(subject, use)
    near = _near(subject)
    pattern = re.compile(_pattern(use))
    for path, source in subject.texts(word):
        if (vague and path not in near and path != subject.asked.path) or pattern.search(source) is None:
            continue
        syntax = subject.asked.parsed(path)
        if syntax is None:
            continue
        for at in places_of(source, use.word):
            reference = reference_at(reading_of(syntax), at)
            if reference is None or not isinstance(reference.target, Member):
                continue
            if use.written is not None and use.written != reference.write:
                continue
            if (use.via == "scope") != (reference.kind == "call") or isinstance(reference.target.object, Super):
                continue
            known = _is_model(subject, path, reference.target.object, word)
            if known is False or (known is None and (vague or (path not in near and len(word) < 4))):
                continue
            sure = bool(known) and use.via == "scope"
            yield Place(path, at, "call" if use.via == "scope" else "value", sure=sure, via=use.via)


def _pattern(use: _Use) -> bytes:
    word = re.escape(encode(use.word.lstrip("$")))
    return rb"(?:->|::)\s*" + word + (rb"\s*\(" if use.via == "scope" else rb"\b")


def _near(subject: Subject) -> frozenset[str]:
    """The files that name the model, or a class that inherits the member."""
    return frozenset(path for name in subject.names for path in subject.asked.holding(name.rpartition("\\")[2]))


def _is_declared_by_others(subject: Subject, use: _Use) -> bool:
    """Whether classes elsewhere declare the same scope or accessor: then an unknown receiver may be theirs."""
    method = subject.method or ""
    declared = re.compile(rb"\bfunction[ \t]+" + re.escape(encode(method)) + rb"\b")
    others = [path for path in subject.asked.holding(method) if path != subject.asked.path]
    return (
        sum(declared.search(subject.asked.read(path)) is not None for path in others[:MANY]) > 2 or len(others) > MANY
    )


def _is_model(subject: Subject, path: str, receiver: Expression, word: str) -> bool | None:
    """Whether a value is of the model; None where that isn't known, of a query builder most of all."""
    own = (subject.asked.path, subject.asked.owner)
    classes = subject.asked.classes(path, receiver)
    if classes:
        fitting = [each for each in classes if subject.asked.related(each, own)]
        if not fitting:
            return False
        return None if any(subject.asked.has(each, word) for each in fitting) else True
    if classes is not None and not isinstance(_root(receiver), Name | This):
        return False
    root = _root(receiver)
    if isinstance(root, Name) and root.id.startswith("\\") and not root.id.endswith(")"):
        started = subject.asked.classes(path, root)
        if started is not None and not started and "\\" in root.id[1:] and not root.id.startswith("\\Illuminate\\"):
            return False  # from outside, and no facade
        if started and not any(subject.asked.related(each, own) for each in started):
            return None if any(subject.asked.has(each, "newQuery") for each in started) else _other(subject, started)
    return None


def _other(subject: Subject, started: object) -> bool | None:
    """A query that another class begins may pass through relationships: it is another's if that has the same member."""
    assert isinstance(started, list | tuple)
    return False if any(subject.asked.has(each, subject.method or "") for each in started) else None


def _root(receiver: Expression) -> Expression:
    """What a chain of calls and members starts from."""
    while True:
        match receiver:
            case Member(object=inner) | Subscript(object=inner) | Call(callee=inner) | Construct(callee=inner):
                receiver = inner
            case _:
                return receiver


def _loaded(subject: Subject, use: _Use) -> Iterator[Place]:
    """`->with('author')`, `whereHas('author.posts')`: a relationship that is named in a string."""
    word = use.word.lstrip("$")
    near = _near(subject)
    dotted = re.compile(rb"['\"](?:[\w]+\.)*(" + re.escape(encode(word)) + rb")(?=['\".:])")
    for path, source in subject.texts(word):
        if path not in near or _LOADING.search(source) is None or dotted.search(source) is None:
            continue
        syntax = subject.asked.parsed(path)
        if syntax is None:
            continue
        reading = reading_of(syntax)
        for found in dotted.finditer(source):
            at = found.start(1)
            call = next(calls_around(reading, reading.path(at), most=1), None)
            if call is None or call[1] not in _LOADS:
                continue
            owner = call[0].child_by_field_name("object") or call[0].child_by_field_name("scope")
            first = source[found.start() + 1 : at] == b""
            receiver = expression(reading, owner) if owner is not None and owner.type != "name" else None
            if owner is not None and owner.type in ("name", "qualified_name"):
                receiver = Name(reading.class_name(reading.text(owner), owner.start_byte), owner.start_byte)
            if first and receiver is not None and _starts_elsewhere(subject, path, receiver):
                continue
            started = _root(receiver) if receiver is not None else None
            if isinstance(started, Name) and started.id.endswith(")"):
                continue  # `view('orders')->with('author', $x)`
            yield Place(path, at, "value", sure=False, via="relation")


def _in_scopes(subject: Subject, use: _Use) -> Iterator[Place]:
    """`->scopes('published')`, `->scopes(['published' => $since])`."""
    for path, source in subject.texts(use.word):
        found = list(strings_in(source, 0, len(source), use.word)) if _SCOPES.search(source) is not None else []
        syntax = subject.asked.parsed(path) if found else None
        for at in found if syntax is not None else ():
            assert syntax is not None
            reading = reading_of(syntax)
            if any(name == "scopes" for _, name in calls_around(reading, reading.path(at), most=1)):
                yield Place(path, at, "value", sure=False, via="scope")


_SCOPES: Final = re.compile(rb"->[ \t]*scopes[ \t]*\(")


def _starts_elsewhere(subject: Subject, path: str, receiver: Expression) -> bool:
    """Whether a query begins at another class of this tree."""
    own = (subject.asked.path, subject.asked.owner)
    for each in (receiver, _root(receiver)):
        started = subject.asked.classes(path, each)
        if started and not any(subject.asked.related(one, own) for one in started):
            return True
    return False

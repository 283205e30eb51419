"""Signatures: what changed between two declarations, and whether a call fits one.

Everything is decided on parsed parameters, so how a declaration is laid out never matters. A type's spelling is
compared as text, after the spellings that mean the same (`Optional[X]`, `X | None`) are made one: nothing here knows
what a type means. Where a call spreads a list or a mapping, nothing is said about it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from typing import Final

import msgspec

from graph.expressions import Arguments
from graph.facts import Definition, Parameter
from graph.languages import language_named
from graph.languages.base import ANY_ARGUMENTS
from graph.tokens import text_tokens
from graph.type_spellings import NOT_PASSED, accepts, one_spelling, options_of, split_at

_BY_POSITION: Final = ("positional-only", "positional")
_FUNCTIONS: Final = frozenset({"function", "method", "component", "constant", "variable"})
"""Kinds of what may be called the same, however it is declared (`function f`, `const f = () =>`)."""
_GENERIC: Final = frozenset({"class", "interface", "type"})
_CALL_MODIFIERS: Final = {
    "async": "async",
    "static": "static",
    "classmethod": "a class method",
    "property": "a property",
    "setter": "a setter",
    "generator": "a generator",
}
"""Modifiers that change what a call does or how it is written."""
_PROMISE: Final = re.compile(r"Promise\s*<.*>", re.DOTALL)
_ASYNC: Final = re.compile(r"\basync\b\s*")
_OTHER_MODIFIERS: Final = {
    "abstract": "abstract",
    "private": "private",
    "protected": "protected",
    "readonly": "read-only",
    "optional": "optional",
}


def same_declaration(before: Definition, after: Definition, language: str) -> bool:
    """Whether two definitions declare the same: what differs is at most layout, comments, decorators and the body."""
    if _only_says_how(before, after):
        before, after = _not_async(before), _not_async(after)
    return (
        before.kind == after.kind
        and before.exported == after.exported
        and set(before.modifiers) == set(after.modifiers)
        and _shape(before.parameters, language) == _shape(after.parameters, language)
        and _spelled(before.returns, language) == _spelled(after.returns, language)
        and _declared(before, language) == _declared(after, language)
    )


def _only_says_how(before: Definition, after: Definition) -> bool:
    """Whether one of them is asynchronous and the other is not, while both declare the promise that callers get."""
    is_another = ("async" in before.modifiers) != ("async" in after.modifiers)
    return is_another and all(_PROMISE.fullmatch(each.returns or "") is not None for each in (before, after))


def _not_async(definition: Definition) -> Definition:
    """The definition without that word."""
    if "async" not in definition.modifiers:
        return definition
    left = tuple(each for each in definition.modifiers if each != "async")
    return msgspec.structs.replace(
        definition, modifiers=left, declaration=_ASYNC.sub("", definition.declaration, count=1)
    )


def same_parameters(one: Definition, other: Definition) -> bool:
    """Whether two definitions declare the same parameters, as far as their spelling tells."""
    if one.parameters is None or other.parameters is None:
        return one.parameters is other.parameters
    first, second = (
        [(each.name, each.kind, each.optional, options_of(each.type)) for each in parameters]
        for parameters in (one.parameters, other.parameters)
    )
    return first == second


def _shape(parameters: Sequence[Parameter] | None, language: str) -> object:
    if parameters is None:
        return None
    return [(one.name, one.kind, one.optional, _spelled(one.type, language)) for one in parameters]


def _declared(definition: Definition, language: str) -> tuple[str, ...]:
    """The tokens of the declaration, its types in one spelling of all that mean the same."""
    text = definition.declaration
    types = {*(one.type or "" for one in definition.parameters or ()), definition.returns or "", *definition.bases}
    for type_ in sorted(types, key=lambda each: (-len(each), each)):
        spelled = _spelled(type_, language)
        if spelled not in ("", type_):
            text = text.replace(type_, spelled)
    return text_tokens(text, language)


def _spelled(type_: str | None, language: str) -> str:
    return language_named(language).spelled_type(type_) if type_ else ""


# -- one declaration against another ---------------------------------------------------------------------------------


def compatible(
    before: Definition,
    after: Definition,
    *,
    named: bool,
    excess_ok: bool = False,
    skip_first: tuple[bool, bool] = (False, False),
) -> bool | None:
    """Whether every use that fitted `before` still fits `after`; None where nothing tells what they take.

    `named`: arguments can be passed by name, so that a parameter's name matters (Python). `excess_ok`: more arguments
    than parameters are no error (JavaScript). `skip_first`: whether the receiver is passed as the first parameter,
    before and after (Python's self).
    """
    if before.kind != after.kind and not {before.kind, after.kind} <= _FUNCTIONS:
        return False
    if before.exported and not after.exported:
        return False
    if "protected" in after.modifiers and "protected" not in before.modifiers and "private" not in before.modifiers:
        return False
    if before.kind == "interface" and "{" in before.declaration:  # declared by what is in it
        return text_tokens(before.declaration, "") == text_tokens(after.declaration, "")
    if _only_says_how(before, after):
        before, after = _not_async(before), _not_async(after)
    if any((name in before.modifiers) != (name in after.modifiers) for name in _CALL_MODIFIERS):
        return False
    if not set(_plain(before.bases)) <= set(_plain(after.bases)):
        return False
    if not takes_type_arguments(before, after):
        return False
    if "abstract" in after.modifiers and "abstract" not in before.modifiers:
        return False
    if not accepts(before.returns, after.returns, read=True):
        return False
    if before.parameters is None or after.parameters is None:
        return (before.parameters is None) == (after.parameters is None)
    old = before.parameters[1:] if skip_first[0] else before.parameters
    new = after.parameters[1:] if skip_first[1] else after.parameters
    if any(map(is_untold, (*old, *new))):
        return None
    return _takes_all(old, new, named=named, excess_ok=excess_ok)


def takes_type_arguments(before: Definition, after: Definition) -> bool:
    """Whether every number of type arguments that could be written for a class, interface or type still can: no call
    tells them, so one more that has no default is missing wherever the type is named."""
    if not {before.kind, after.kind} <= _GENERIC:
        return True
    old, new = type_arguments(before), type_arguments(after)
    return new[0] <= old[0] and old[1] <= new[1]


def type_arguments(definition: Definition) -> tuple[int, int]:
    """How many type arguments (`<T, U = any>`) a definition needs at least, and takes at most."""
    text = definition.declaration
    opening = re.search(rf"\b{re.escape(definition.name)}\s*<", text)
    if opening is None:
        return 0, 0
    rest = text[opening.end() :]
    depth = 1
    for index, character in enumerate(rest):
        depth += (character in "<({[") - (character in ")}]" or (character == ">" and rest[index - 1 : index] != "="))
        if depth == 0:
            parameters = split_at(rest[:index].replace("=>", "  "), ",")
            return sum(len(split_at(each, "=")) == 1 for each in parameters if each.strip()), len(parameters)
    return 0, 0


def compatible_group(
    befores: Sequence[Definition],
    afters: Sequence[Definition],
    *,
    named: bool,
    excess_ok: bool = False,
    skip_first: tuple[bool, bool] = (False, False),
) -> bool | None:
    """`compatible` for overloads: every declaration that callers saw has one that takes all its calls."""
    result: bool | None = True
    for old in visible(befores):
        found = {
            compatible(old, new, named=named, excess_ok=excess_ok, skip_first=skip_first) for new in visible(afters)
        }
        if True not in found:
            if None not in found:
                return False
            result = None
    return result


def is_untold(parameter: Parameter) -> bool:
    """Whether it stands for whatever a type takes of which nothing is known, not even whether it is still the same."""
    return parameter.name == ANY_ARGUMENTS and parameter.type is None


def visible(definitions: Sequence[Definition]) -> tuple[Definition, ...]:
    """The declarations that callers see: the overloads where there are any, else all."""
    overloads = tuple(one for one in definitions if "overload" in one.modifiers)
    return overloads or tuple(definitions)


def _takes_all(old: Sequence[Parameter], new: Sequence[Parameter], *, named: bool, excess_ok: bool) -> bool:
    """Whether every list of arguments that fits `old` fits `new`, and means the same there."""
    old_places = [one for one in old if one.kind in _BY_POSITION]
    new_places = [one for one in new if one.kind in _BY_POSITION]
    old_rest = next((one for one in old if one.kind == "rest"), None)
    new_rest = next((one for one in new if one.kind == "rest"), None)
    new_keywords = any(one.kind == "keywords" for one in new)
    by_name = {one.name: one for one in new if one.kind in ("positional", "keyword-only")}

    if old_rest is not None and (new_rest is None or len(new_places) > len(old_places)):
        return False
    if old_rest is not None and new_rest is not None and not accepts(new_rest.type, old_rest.type):
        return False
    if any(one.kind == "keywords" for one in old) and not new_keywords:
        return False
    for place, was in enumerate(old_places):
        if place < len(new_places):
            now = new_places[place]
            if now.name != was.name and not (_renamed(was, now, old, new) and not _nameable(was, named)):
                return False
            if (was.optional and not now.optional) or not takes_type(now, was):
                return False
            if _nameable(was, named) and now.kind == "positional-only":
                return False
        elif new_rest is not None:
            if not was.optional and _nameable(was, named) and was.name not in by_name and not new_keywords:
                return False
            if _nameable(was, named) and was.name in by_name:
                return False  # by position it would land in the rest, by name in the parameter
        elif not excess_ok:
            return False
    for was in old:
        if was.kind == "keyword-only":
            now_named = by_name.get(was.name)
            if now_named is None and not new_keywords:
                return False
            if now_named is not None and was.optional and not now_named.optional:
                return False
            if now_named is not None and not accepts(now_named.type, was.type):
                return False
    required = [one for one in new_places[len(old_places) :] if not one.optional]
    passed_by_name = {one.name for one in old if one.kind == "keyword-only" and not one.optional}
    required += [one for one in new if one.kind == "keyword-only" and not one.optional]
    return all(one.kind != "positional-only" and one.name in passed_by_name for one in required)


def takes_type(now: Parameter, was: Parameter) -> bool:
    """Whether a parameter's type takes all of another one's, as far as their spelling tells. What may be left out takes
    `undefined`, however it is written."""
    return accepts(now.type, was.type) or (
        now.optional and now.type is not None and accepts(f"{now.type}|{NOT_PASSED}", was.type)
    )


def _nameable(parameter: Parameter, named: bool) -> bool:
    return named and parameter.kind == "positional"


def _renamed(was: Parameter, now: Parameter, old: Sequence[Parameter], new: Sequence[Parameter]) -> bool:
    """Whether a parameter got another name, rather than another parameter its place."""
    if "_" in (was.name, now.name):
        return options_of(was.type) == options_of(now.type)
    if any(one.name == was.name for one in new) or any(one.name == now.name for one in old):
        return False
    if [one.name for one in old if one is not was] == [one.name for one in new if one is not now]:
        return takes_type(now, was)  # all others are what they were
    return options_of(was.type) == options_of(now.type)


def takes_lists(before: Definition, after: Definition) -> bool:
    """Whether a list that was passed for the rest of the arguments, and for nothing else (Go's `xs...`), still can."""
    old, new = before.parameters or (), after.parameters or ()
    return all(one.kind != "rest" for one in old) or (len(old) == len(new) and any(one.kind == "rest" for one in new))


def results_in(written: str | None) -> int:
    """How many values a written result list (`(int, error)`, `int`, `()`) gives."""
    if not written:
        return 0
    if not written.startswith("("):
        return 1
    return len(split_at(written[1:-1].strip(), ","))


def _plain(texts: Iterable[str]) -> list[str]:
    return [one_spelling(text) for text in texts]


# -- a declaration against a call ------------------------------------------------------------------------------------


def fits(
    parameters: Sequence[Parameter],
    arguments: Arguments,
    *,
    skip_first: bool,
    named: bool,
    excess_ok: bool = False,
    lack_ok: bool = False,
    before: Sequence[Parameter] | None = None,
) -> tuple[bool | None, str | None]:
    """Whether a call fits the parameters, and how it doesn't, in words: (True, None), (False, text), (None, None).

    None: it spreads a list or a mapping, so nothing is known. `skip_first`: the first parameter is the receiver, which
    the call does not pass. `named`, `excess_ok`: as for `compatible`. `lack_ok`: nothing says whether arguments may be
    left out, so that nothing is known of a call that does, either. `before`: the parameters as they were, to tell an
    argument whose parameter is gone from one that never had one.
    """
    if arguments.spread or arguments.spread_keywords:
        return None, None
    taken = list(parameters)
    if skip_first and taken and taken[0].kind in _BY_POSITION:
        taken = taken[1:]
    places = [one for one in taken if one.kind in _BY_POSITION]
    collects = any(one.kind == "rest" for one in taken)
    count = arguments.positional
    if count > len(places) and not excess_ok and not (collects and not arguments.rest):
        return False, f"passes {_counted(count)}{_and_rest(arguments)}, takes {len(places) or 'none'}"
    filled = range(min(count, len(places)))
    by_position = {one.name for one in places[:count]}
    keywords = arguments.keywords if named else ()
    by_name = {one.name for one in taken if one.kind in ("positional", "keyword-only")}
    for keyword in keywords:
        if keyword in by_name and keyword in by_position:
            return False, f"passes {keyword} twice, by position and by name"
        if keyword not in by_name and all(one.kind != "keywords" for one in taken):
            return False, f"passes {keyword}=, {_why_not(keyword, places, before)}"
    ordered = [*places, *(one for one in taken if one.kind == "keyword-only")]
    missing = [
        one
        for index, one in enumerate(ordered)
        if _is_needed(one) and index not in filled and not (one.name in keywords and one.name in by_name)
    ]
    if missing and not arguments.ahead:
        passed = count + len(keywords)
        names = ", ".join(map(_called, _added(missing, places, count, before, skip_first, keywords) or missing))
        if lack_ok:
            return None, f"passes nothing for {names}"
        return (
            False,
            f"passes {_counted(passed)}{_and_rest(arguments)}, needs {passed + len(missing)} (missing {names})",
        )
    if arguments.rest and not collects:
        return False, "passes a list for the rest of the arguments, takes none"
    return True, None


def _is_needed(parameter: Parameter) -> bool:
    """Whether a call must pass it. TypeScript lets one leave out what is void."""
    return not parameter.optional and parameter.type != "void"


def _called(parameter: Parameter) -> str:
    """What to call a parameter: one without a name by its type."""
    return (parameter.type or parameter.name) if parameter.name == "_" else parameter.name


def _and_rest(arguments: Arguments) -> str:
    return " and a list for the rest" if arguments.rest else ""


def _added(
    missing: Sequence[Parameter],
    places: Sequence[Parameter],
    count: int,
    before: Sequence[Parameter] | None,
    skip_first: bool,
    keywords: Sequence[str],
) -> list[Parameter]:
    """The parameters that a call lacks because they were added before those that its arguments were for; empty where
    what is missing can't be told better than by position."""
    if before is None or any(one.kind not in _BY_POSITION for one in missing):
        return []
    old = [one for one in before if one.kind in _BY_POSITION]
    old = old[1:] if skip_first else old
    if count > len(old):
        return []
    matcher = SequenceMatcher(None, [_key(one) for one in old], [_key(one) for one in places], autojunk=False)
    reached: set[int] = set()
    for operation, old_start, old_end, start, end in matcher.get_opcodes():
        pairs: Iterable[tuple[int, int]] = ()
        if operation == "equal" or old_end - old_start == end - start:
            pairs = zip(range(old_start, old_end), range(start, end), strict=True)
        elif operation == "replace":  # renamed, and more of them: by their types
            pairs = _of_one_type(old, old_start, old_end, places, start, end)
        reached.update(now for was, now in pairs if was < count)
    reached.update(index for index, one in enumerate(places) if index >= count and one.name in keywords)
    added = [one for index, one in enumerate(places) if index not in reached and _is_needed(one)]
    return added if len(added) == len(missing) else []


def _of_one_type(
    old: Sequence[Parameter], old_start: int, old_end: int, new: Sequence[Parameter], start: int, end: int
) -> Iterable[tuple[int, int]]:
    """Pairs of places of the same types, in order."""
    olds, news = ([each.type or "" for each in old[old_start:old_end]], [each.type or "" for each in new[start:end]])
    for was, now, length in SequenceMatcher(None, olds, news, autojunk=False).get_matching_blocks():
        yield from ((old_start + was + step, start + now + step) for step in range(length))


def _key(parameter: Parameter) -> str:
    """What tells a parameter from its neighbours: its name; its type where it has none."""
    return f"_ {parameter.type}" if parameter.name == "_" else parameter.name


def fits_any(
    definitions: Sequence[Definition],
    arguments: Arguments,
    *,
    skip_first: bool,
    named: bool,
    excess_ok: bool = False,
    before: Sequence[Parameter] | None = None,
) -> tuple[bool | None, str | None]:
    """`fits` for overloads: a call fits when it fits one of those that callers see; the last one's misfit else."""
    result: tuple[bool | None, str | None] = (None, None)
    for definition in visible(definitions):
        if definition.parameters is None:
            return None, None
        result = fits(
            definition.parameters, arguments, skip_first=skip_first, named=named, excess_ok=excess_ok, before=before
        )
        if result[0] is not False:
            return result
    return result


def landings(
    parameters: Sequence[Parameter], arguments: Arguments, *, skip_first: bool
) -> tuple[Parameter | None, ...]:
    """The parameter in which each argument lands, those by position first, then the named ones; None for none."""
    taken = list(parameters)
    if skip_first and taken and taken[0].kind in _BY_POSITION:
        taken = taken[1:]
    places = [one for one in taken if one.kind in _BY_POSITION]
    rest = next((one for one in taken if one.kind == "rest"), None)
    by_name = {one.name: one for one in taken if one.kind in ("positional", "keyword-only")}
    others = next((one for one in taken if one.kind == "keywords"), None)
    return (
        *(places[index] if index < len(places) else rest for index in range(arguments.positional)),
        *((rest,) if arguments.rest else ()),
        *(by_name.get(keyword, others) for keyword in arguments.keywords),
    )


def continues(
    was: Parameter | None,
    now: Parameter | None,
    old: Sequence[Parameter],
    new: Sequence[Parameter],
    *,
    written: bool = True,
) -> bool:
    """Whether what landed in one parameter before lands in the same one, perhaps renamed, that takes as much.
    `written`: it may be a literal, of which no property may be one too many."""
    if was is None or now is None:
        return was is now
    if is_untold(was) or is_untold(now):
        return False
    collects = ("rest", "keywords")
    if (was.kind in collects or now.kind in collects) and was.kind != now.kind:
        return False
    if was.name != now.name and was.kind not in collects and not _renamed(was, now, old, new):
        return False
    return takes_type(now, was) or (not written and accepts(now.type, was.type, read=True))


def _counted(count: int) -> str:
    return "1 argument" if count == 1 else f"{count or 'no'} arguments"


def _why_not(keyword: str, places: Sequence[Parameter], before: Sequence[Parameter] | None) -> str:
    if any(one.name == keyword for one in places):
        return "which is taken by position only"
    if before is None or any(one.name == keyword for one in before):
        return "which is gone"
    return "which it does not take"


# -- differences in words --------------------------------------------------------------------------------------------


def differences(before: Definition, after: Definition) -> tuple[str, ...]:
    """What changed between two declarations, in words, most telling first."""
    found: list[str] = []
    if before.kind != after.kind:
        found.append(f"is now a {after.kind}, was a {before.kind}")
    if before.exported != after.exported:
        found.append("is now exported" if after.exported else "is no longer exported")
    for modifier, words in (_CALL_MODIFIERS | _OTHER_MODIFIERS).items():
        if modifier in after.modifiers and modifier not in before.modifiers:
            found.append(f"is now {words}")
        elif modifier in before.modifiers and modifier not in after.modifiers:
            found.append(f"is no longer {words}")
    found.extend(_parameter_differences(before.parameters or (), after.parameters or ()))
    if options_of(before.returns) != options_of(after.returns):
        found.append(f"returns {_said(after.returns)}, was {_said(before.returns)}")
    old_bases, new_bases = _plain(before.bases), _plain(after.bases)
    found.extend(f"no longer extends {base}" for base in old_bases if base not in new_bases)
    found.extend(f"now extends {base}" for base in new_bases if base not in old_bases)
    return tuple(found)


def _parameter_differences(old: Sequence[Parameter], new: Sequence[Parameter]) -> Iterable[str]:
    olds, news = {one.name: one for one in old}, {one.name: one for one in new}
    gone, fresh = [one for one in old if one.name not in news], [one for one in new if one.name not in olds]
    renamed = {
        was.name: now.name
        for was, now in zip(old, new, strict=False)
        if was in gone and now in fresh and was.kind == now.kind and options_of(was.type) == options_of(now.type)
    }
    yield from (f"parameter {was} is now called {now}" for was, now in renamed.items())
    yield from (f"parameter {one.name} is gone" for one in gone if one.name not in renamed)
    for one in fresh:
        if one.name not in renamed.values():
            needed = one.optional or one.kind in ("rest", "keywords")
            yield f"parameter {one.name} is new{'' if needed else ' and required'}"
    kept_old = [one.name for one in old if one.name in news]
    kept_new = [one.name for one in new if one.name in olds]
    if kept_old != kept_new:
        yield "the parameters' order changed"
    for name in kept_new:
        was, now = olds[name], news[name]
        if was.optional != now.optional and was.kind not in ("rest", "keywords"):
            yield f"parameter {name} is now {'optional' if now.optional else 'required'}"
        if was.kind != now.kind:
            yield f"parameter {name} is now {_KIND_WORDS[now.kind]}"
        if options_of(was.type) != options_of(now.type):
            yield f"parameter {name} is {_said(now.type)}, was {_said(was.type)}"


_KIND_WORDS: Final = {
    "positional-only": "passed by position only",
    "positional": "passed by position or by name",
    "rest": "the rest of the arguments",
    "keyword-only": "passed by name only",
    "keywords": "the rest of the named arguments",
}


def _said(type_: str | None) -> str:
    return " ".join(type_.split()) if type_ else "undeclared"

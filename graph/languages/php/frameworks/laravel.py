"""What Laravel reaches through the name of a class alone: by routes, queues, providers, the container."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import msgspec
import tree_sitter

from graph.git import encode
from graph.languages.base import Place
from graph.languages.php.frameworks.subject import (
    CALLS,
    MOST_AROUND,
    Named,
    Subject,
    arguments,
    called,
    calls_around,
    naming,
    property_around,
    strings_in,
)
from graph.languages.php.lower import expression, scope
from graph.languages.php.reading import Reading, reading_of


class Rule(msgspec.Struct, frozen=True):
    """How naming a class in one place calls its methods.

    `methods`: those that are called. `written`: how the class is named there (see `Named.written`). `calls`: names of
    the call around, `properties` of the property in whose value it stands, `attributes` of the attribute.
    """

    via: str
    methods: frozenset[str]
    written: frozenset[str]
    calls: frozenset[str] = frozenset()
    properties: frozenset[str] = frozenset()
    attributes: frozenset[str] = frozenset()


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_CLASS: Final = frozenset({"class"})
_NEW: Final = frozenset({"new"})
_RESOURCE: Final = {
    **dict.fromkeys(
        ("resource", "resources", "softDeletableResources"), _words("index create store show edit update destroy")
    ),
    **dict.fromkeys(("apiResource", "apiResources"), _words("index store show update destroy")),
    "singleton": _words("show edit update"),
    "apiSingleton": _words("show update"),
}
_DISPATCHES: Final = _words(
    "dispatch dispatchSync dispatchNow dispatchAfterResponse dispatchIf dispatchUnless dispatch_sync dispatch_now"
)
RULES: Final = (
    Rule(
        "middleware",
        _words("handle terminate __invoke"),
        _CLASS,
        _words(
            "middleware withoutMiddleware append prepend alias appendToGroup prependToGroup web api use replace group "
            "pushMiddleware prependMiddleware pushMiddlewareToGroup prependMiddlewareToGroup aliasMiddleware priority"
        ),
        _words("$middleware $middlewareGroups $routeMiddleware $middlewareAliases $middlewarePriority"),
    ),
    Rule(
        "job",
        _words("handle __invoke failed"),
        _NEW,
        _DISPATCHES | _words("chain batch push pushOn later laterOn job prependToChain appendToChain withChain"),
    ),
    Rule(
        "observer",
        _words(
            "retrieved creating created updating updated saving saved deleting deleted restoring restored replicating "
            "forceDeleting forceDeleted trashed"
        ),
        _CLASS,
        _words("observe"),
        _words("$observers"),
        _words("ObservedBy"),
    ),
    Rule(
        "command",
        _words("handle execute __invoke"),
        _CLASS,
        _words("command commands call callSilent callSilently withCommands"),
        _words("$commands"),
    ),
    Rule(
        "notification",
        _words("via toMail toArray toDatabase toBroadcast toSlack toVonage"),
        _NEW,
        _words("notify notifyNow send sendNow"),
    ),
    Rule("mail", _words("build envelope content attachments headers"), _NEW, _words("send queue later sendNow to")),
    Rule("seeder", _words("run __invoke"), _CLASS, _words("call callWith callSilent callOnce")),
    Rule("scheduler", _words("handle __invoke"), _NEW, _words("job call")),
)
_POLICY: Final = Rule("policy", frozenset(), _CLASS, _words("policy"), _words("$policies"), _words("UsePolicy"))
_CONTAINER: Final = Rule(
    "container",
    _words("__construct"),
    _CLASS,
    _words("bind bindIf singleton singletonIf scoped scopedIf make makeWith resolve app build give"),
    _words("$bindings $singletons"),
)
_ROUTES: Final = _words("get post put patch delete any options match fallback controller")
_CONTROLLER: Final = re.compile(rb"\bcontroller[ \t]*\(")
_ROUTED: Final = re.compile(rb"\b(?:Route|[rR]outer?|controller)\b")
_RESOURCES: Final = re.compile(
    rb"\b(?:[rR]esources?|apiResources?|[sS]ingleton|apiSingleton|softDeletableResources)[ \t]*\("
)
_CHOICE: Final = re.compile(r"['\"](\w+)['\"]")


def places(subject: Subject) -> Iterator[Place]:
    """Where Laravel's conventions reach the method."""
    method = subject.method
    if method is None:
        return
    for rule in (*RULES, *((_CONTAINER,) if method == "__construct" else ())):
        if method in rule.methods:
            yield from _by_rule(subject, rule)
    if _is_policy(subject):
        yield from _by_rule(subject, _POLICY)
        yield from _abilities(subject)
    if method in ("__construct", "handle", "__invoke", "failed"):
        yield from _dispatched(subject)
    if "private" not in subject.definition.modifiers and "protected" not in subject.definition.modifiers:
        yield from _routed(subject)


def _by_rule(subject: Subject, rule: Rule) -> Iterator[Place]:
    named_in = rule.calls | rule.attributes | {each[1:] for each in rule.properties}
    pattern = re.compile(rb"\b(?:" + "|".join(sorted(named_in)).encode() + rb")\b")
    for name in subject.names:
        for path in subject.holding(name, pattern):
            for named in naming(subject, name, path):
                if named.written in rule.written and _fits(rule, named):
                    kind = "new" if rule is _CONTAINER else "argument"
                    yield Place(path, named.at, kind, sure=False, via=rule.via)  # type: ignore[arg-type]


def _fits(rule: Rule, named: Named) -> bool:
    """Whether a class is named where the rule says."""
    if rule.properties and property_around(named.reading, named.nodes) in rule.properties:
        return True
    return any(
        (node.type == "attribute" and name in rule.attributes) or (node.type in CALLS and name in rule.calls)
        for node, name in calls_around(named.reading, named.nodes, most=2)
    )


# -------------------------------------------------------------------------------------------------------------- jobs


def _dispatched(subject: Subject) -> Iterator[Place]:
    """`Job::dispatch(...)`: it constructs the job with what it is given, and runs it."""
    pattern = re.compile(rb"::(?:" + "|".join(sorted(_DISPATCHES)).encode() + rb")\b")
    constructs = subject.method == "__construct"
    for name in subject.names:
        for path in subject.holding(name, pattern):
            for named in naming(subject, name, path):
                if named.written != "static":
                    continue
                call = named.nodes[-2]
                how = called(named.reading, call)
                listed = call.child_by_field_name("arguments")
                if how not in _DISPATCHES or listed is None or subject.asked.has(_own(subject), how):
                    continue
                passed = listed.start_byte if constructs and how not in ("dispatchIf", "dispatchUnless") else -1
                yield Place(path, named.at, "new" if constructs else "call", sure=constructs, via="job", call_at=passed)


def _own(subject: Subject) -> tuple[str, int]:
    return subject.asked.path, subject.asked.owner


# ------------------------------------------------------------------------------------------------------------ routes


def _routed(subject: Subject) -> Iterator[Place]:
    """Routes that name the controller's class, and its method by convention, in a string, or not at all."""
    method = subject.method
    assert method is not None
    if method.startswith("__") and method != "__invoke":
        return  # no route leads to a constructor
    for name in subject.names:
        yield from _action_strings(subject, name, method)
        if any(method in methods for methods in _RESOURCE.values()):
            for path in subject.holding(name, _RESOURCES):
                for named in naming(subject, name, path):
                    if named.written == "class" and _is_resource(named, method):
                        yield Place(path, named.at, "argument", sure=False, via="resource route")
        if method == "__invoke":
            for path in subject.holding(name, _ROUTED):
                for named in naming(subject, name, path):
                    if named.written == "class":
                        yield from _invokable(named)
        for path in subject.holding(name, _CONTROLLER, method):
            for named in naming(subject, name, path):
                if named.written == "class":
                    yield from _grouped(named, method)


def _action_strings(subject: Subject, name: str, method: str) -> Iterator[Place]:
    """`'App\\Http\\Controllers\\OrderController@index'`, or its last part where a group names the namespace."""
    short = name.rpartition("\\")[2]
    action = re.compile(rb"(['\"])\\{0,2}((?:\w+\\{1,2})*)" + encode(short) + b"@" + encode(method) + rb"\1")
    for path in subject.holding(name, action, method):
        for found in action.finditer(subject.asked.read(path)):
            spelled = found.group(2).decode("utf-8", "replace").replace("\\\\", "\\")
            if ("\\" + name.lstrip("\\").lower()).endswith("\\" + spelled.lower() + short.lower()):
                yield Place(path, found.end() - len(encode(method)) - 1, "value", sure=False, via="action string")


def _is_resource(named: Named, method: str) -> bool:
    """Whether a class is that of a resource route, which has the method."""
    reading = named.reading
    for call, name in calls_around(reading, named.nodes, most=1):
        if method not in _RESOURCE.get(name, ()):
            return False
        if name == "singleton" and _receiver(reading, call) not in ("Route", "$router", "$route"):
            return False  # the container's
        chosen = _choices(reading, call, named.nodes)
        return method in chosen["only"] if "only" in chosen else method not in chosen.get("except", ())
    return False


def _choices(reading: Reading, call: tree_sitter.Node, nodes: list[tree_sitter.Node]) -> dict[str, set[str]]:
    """What `only` and `except` name, in the chain that follows upon a call, or in its own options."""
    found: dict[str, set[str]] = {}
    depth = next((number for number, node in enumerate(nodes) if node.id == call.id), 0)
    for node in reversed(nodes[max(0, depth - MOST_AROUND) : depth]):
        if node.type not in CALLS:
            break
        listed = node.child_by_field_name("arguments")
        if called(reading, node) in ("only", "except") and listed is not None:
            found[called(reading, node)] = set(_CHOICE.findall(reading.text(listed)))
    for option in re.finditer(r"['\"](only|except)['\"]\s*=>\s*(\[[^\]]*\]|['\"]\w+['\"])", reading.text(call)):
        found.setdefault(option.group(1), set(_CHOICE.findall(option.group(2))))
    return found


def _receiver(reading: Reading, call: tree_sitter.Node) -> str:
    """What stands before `::` or `->`, its last part if it is a name."""
    owner = call.child_by_field_name("scope") or call.child_by_field_name("object")
    return reading.text(owner).rpartition("\\")[2] if owner is not None else ""


def _invokable(named: Named) -> Iterator[Place]:
    """`Route::get('once', OnceController::class)`: the class alone, for its `__invoke`."""
    reading = named.reading
    argument = named.nodes[-3] if len(named.nodes) > 3 else None
    if argument is None or argument.type != "argument":
        return
    for call, name in calls_around(reading, named.nodes, most=1):
        owner = call.child_by_field_name("scope")
        if name not in _ROUTES or (name == "controller" and _is_group(reading, call, named.nodes)):
            return
        full = scope(reading, owner) if owner is not None else None
        certain = getattr(full, "id", "") == "\\Illuminate\\Support\\Facades\\Route"
        if certain or _receiver(reading, call).lower() in ("route", "router", "$router", "$route", "$app"):
            yield Place(named.path, named.at, "argument", sure=certain, via="route")
        elif name == "controller" and re.search(rb"\bRoutingConfigurator\b", reading.source) is not None:
            yield Place(named.path, named.at, "config", sure=True, via="route")


def _is_group(reading: Reading, call: tree_sitter.Node, nodes: list[tree_sitter.Node]) -> bool:
    return _group_of(reading, call, nodes) is not None


def _group_of(reading: Reading, call: tree_sitter.Node, nodes: list[tree_sitter.Node]) -> tree_sitter.Node | None:
    """The arguments of the `group(...)` that ends the chain of a call."""
    depth = next((number for number, node in enumerate(nodes) if node.id == call.id), 0)
    for node in reversed(nodes[max(0, depth - MOST_AROUND) : depth]):
        if node.type not in CALLS:
            return None
        if called(reading, node) == "group":
            return node.child_by_field_name("arguments")
    return None


def _grouped(named: Named, method: str) -> Iterator[Place]:
    """`Route::controller(C::class)->group(function () { Route::get('list', 'index'); })`."""
    reading = named.reading
    for call, name in calls_around(reading, named.nodes, most=1):
        listed = _group_of(reading, call, named.nodes) if name == "controller" else None
        if listed is None:
            return
        for at in strings_in(reading.source, listed.start_byte, listed.end_byte, method):
            inner = next(calls_around(reading, reading.path(at), most=1), None)
            if inner is None or inner[1] not in _ROUTES:
                continue
            passed = arguments(inner[0])
            if len(passed) > 1 and passed[-1].start_byte < at < passed[-1].end_byte:
                yield Place(named.path, at, "argument", sure=False, via="controller group")


# ---------------------------------------------------------------------------------------------------------- policies


_ASKS: Final = _words(
    "authorize authorizeForUser can cannot cant canAny allows denies check any none inspect allowIf denyIf "
    "authorizeResource"
)
MOST_MODELS: Final = 20
"""Policies that inherit an ability."""
_POLICY_NAME: Final = re.compile(r"^(.*\\)?(\w+)Policy$")


def _is_policy(subject: Subject) -> bool:
    return (
        _POLICY_NAME.match(subject.name) is not None
        and not {"private", "protected", "static"} & set(subject.definition.modifiers)
        and (subject.method or "__")[:2] != "__"
    )


def _abilities(subject: Subject) -> Iterator[Place]:
    """`$this->authorize('update', Post::class)` or of a `$post`: asks the policy of that class, by its name."""
    method = subject.method
    assert method is not None
    asks = "|".join(sorted(_ASKS)).encode()
    asking = re.compile(rb"\b(?:" + asks + rb")[ \t]*\([^\n;]{0,200}?['\"]" + encode(method) + rb"['\"]")
    models = [found.group(2) for name in subject.names if (found := _POLICY_NAME.match(name)) is not None]
    for model in models[:MOST_MODELS]:
        for path, source in subject.texts(model, method):
            syntax = subject.asked.parsed(path) if asking.search(source) is not None else None
            if path == subject.asked.path or syntax is None:
                continue
            reading = reading_of(syntax)
            for at in strings_in(source, 0, len(source), method):
                inner = next(calls_around(reading, reading.path(at), most=1), None)
                passed = arguments(inner[0]) if inner is not None and inner[1] in _ASKS else []
                for position, argument in enumerate(passed[:-1]):
                    about = argument.start_byte < at < argument.end_byte
                    if about and _is_about(subject, reading, path, passed[position + 1], model):
                        yield Place(path, at, "argument", sure=False, via="policy")


def _is_about(subject: Subject, reading: Reading, path: str, argument: tree_sitter.Node, model: str) -> bool:
    """Whether what is passed is a class of that short name, or a value of it."""
    value = argument.named_children[-1] if argument.named_child_count else argument
    if value.type == "array_creation_expression" and value.named_child_count:
        first = value.named_children[0]
        value = first.named_children[0] if first.named_child_count else first
    lowered = expression(reading, value)
    name = getattr(lowered, "id", "")
    if name.startswith("\\"):
        return bool(name.rpartition("\\")[2] == model)
    for each in subject.asked.classes(path, lowered) or ():
        syntax = subject.asked.parsed(each[0])
        if syntax is not None and syntax.facts.definitions[each[1]].name == model:
            return True
    return False

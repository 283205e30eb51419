"""Events and messages: from where they are dispatched to the listener, subscriber or handler that waits for them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import tree_sitter

from graph.git import encode
from graph.languages.base import Place
from graph.languages.php.frameworks import symfony
from graph.languages.php.frameworks.subject import (
    Named,
    Subject,
    arguments,
    calls_around,
    full_name,
    naming,
    property_around,
    same,
    strings_in,
    text_of,
)
from graph.languages.php.reading import FUNCTIONS, Reading, reading_of

_SENT: Final = re.compile(
    rb"\b(?:dispatch|event|fire|until|broadcast|publish|handle)\w*[ \t\r\n]*\(|\$dispatchesEvents\b"
)
_SENDS: Final = frozenset(
    {"dispatch", "dispatchNow", "dispatchSync", "event", "fire", "until", "broadcast", "publish", "dispatchIf",
     "dispatchUnless", "dispatchMessage", "dispatchEvent"}
)  # fmt: skip
_LISTENS: Final = frozenset({"listen", "addListener", "on", "prependListener"})
_LISTS: Final = frozenset({"getSubscribedEvents", "subscribe", "getHandledMessages"})
_WAITING: Final = re.compile(
    rb"getSubscribedEvents|AsEventListener|AsMessageHandler|MessageHandlerInterface|MessageSubscriberInterface"
    rb"|function[ \t]+subscribe\b|addListener|[Ll]isten"
)
_LISTENER: Final = re.compile(r"\\Listeners?\\|Listener$", re.IGNORECASE)
MOST_EVENTS: Final = 40


class Awaited:
    """What a method waits for: events by text, by constants of classes, by classes."""

    def __init__(self) -> None:
        self.texts: dict[str, None] = {}
        self.constants: dict[tuple[str, str], None] = {}
        self.classes: dict[str, None] = {}
        self.is_message = False

    def add(self, reading: Reading, node: tree_sitter.Node) -> None:
        """Take the event that an expression names."""
        while node.type == "argument" and node.named_child_count:
            node = node.named_children[-1]
        text = text_of(reading, node)
        if text is not None:
            self.named(text)
        elif node.type == "class_constant_access_expression" and node.named_child_count > 1:
            owner = reading.class_name(reading.text(node.named_children[0]), node.start_byte)
            constant = reading.text(node.named_children[1])
            if owner in ("self", "static"):
                index = reading.enclosing_class(node.start_byte)
                owner = full_name(reading, index) if index >= 0 else owner
            if constant.lower() == "class":
                self.classes[owner] = None
            else:
                self.constants[owner, constant] = None
        elif node.type == "array_creation_expression":
            for each in node.named_children[:10]:
                if each.named_child_count == 1:
                    self.add(reading, each.named_children[0])

    def named(self, text: str) -> None:
        """Take an event by its name."""
        if "\\" in text:
            self.classes["\\" + text.lstrip("\\")] = None
        elif text:
            self.texts[text] = None


def places(subject: Subject) -> Iterator[Place]:
    """Where a listener is told its method, and where what it waits for is dispatched."""
    if not _is_listener(subject):
        return
    awaited = Awaited()
    for mention in symfony.mentions(subject):
        if mention.event is not None:
            awaited.named(mention.event)
        elif mention.via == "service tag":
            _by_parameter(subject, awaited)
    for path, index in subject.asked.heirs() if _may_wait(subject) else ():
        syntax = subject.asked.parsed(path)
        if syntax is not None:
            reading = reading_of(syntax)
            yield from _listed(subject, path, reading, index, awaited)
            yield from _attributes(subject, path, reading, index, awaited)
    yield from _registered(subject, awaited)
    if _LISTENER.search(subject.name) is not None and subject.method in ("handle", "__invoke"):
        _by_parameter(subject, awaited)
    yield from _sent(subject, awaited)


def words(subject: Subject) -> Iterator[str]:
    """The names of the events, classes and constants that the method's own file says that it waits for."""
    if not _is_listener(subject):
        return
    awaited = Awaited()
    if _WAITING.search(subject.reading.source) is not None:
        for _ in _listed(subject, subject.asked.path, subject.reading, subject.asked.owner, awaited):
            pass
        for _ in _attributes(subject, subject.asked.path, subject.reading, subject.asked.owner, awaited):
            pass
    if _LISTENER.search(subject.name) is not None and subject.method in ("handle", "__invoke"):
        _by_parameter(subject, awaited)
    yield from (text for text in list(awaited.texts)[:MOST_EVENTS] if _is_searched(text))
    for owner, constant in list(awaited.constants)[:MOST_EVENTS]:
        yield owner.rpartition("\\")[2]
        yield constant
    yield from (name.rpartition("\\")[2] for name in list(awaited.classes)[:MOST_EVENTS])


def _is_listener(subject: Subject) -> bool:
    return (
        subject.method is not None
        and subject.method != "__construct"
        and "static" not in subject.definition.modifiers
        and "private" not in subject.definition.modifiers
    )


def _is_searched(text: str) -> bool:
    """Whether an event's name is one that is searched for: it begins and ends like a word."""
    return (text[0] + text[-1]).isalnum() and text.isascii() and "\n" not in text


def _may_wait(subject: Subject) -> bool:
    return _WAITING.search(subject.reading.source) is not None or len(subject.names) > 1


def _by_parameter(subject: Subject, awaited: Awaited) -> None:
    """The classes of which the method takes one."""
    for parameter in (subject.definition.parameters or ())[:1]:
        for part in re.split(r"[|&?()]", parameter.type or ""):
            if part[:1] == "\\" or part[:1].isupper():
                awaited.classes[subject.reading.class_name(part.strip(), subject.definition.at)] = None


# ------------------------------------------------------------------------------------------- who is told the method


def _listed(subject: Subject, path: str, reading: Reading, index: int, awaited: Awaited) -> Iterator[Place]:
    """`getSubscribedEvents` and the like, in the class itself: event => method."""
    assert subject.method is not None
    for definition in reading.facts.definitions:
        if definition.parent != index or definition.name not in _LISTS:
            continue
        for at in strings_in(reading.source, definition.at, definition.end, subject.method):
            nodes = reading.path(at)
            outer = [
                each for each in nodes if each.type == "array_element_initializer" and each.start_byte > definition.at
            ]
            keyed = next((each for each in outer if each.named_child_count == 2), None)
            if keyed is None or keyed.named_children[0].end_byte > at:
                continue
            awaited.add(reading, keyed.named_children[0])
            awaited.is_message = awaited.is_message or definition.name == "getHandledMessages"
            yield Place(path, at, "value", sure=True, via="event subscriber")


def _attributes(subject: Subject, path: str, reading: Reading, index: int, awaited: Awaited) -> Iterator[Place]:
    """`#[AsEventListener]` and `#[AsMessageHandler]` on the class or on the method."""
    own = reading.node(index)
    method = reading.node(subject.asked.index) if path == subject.asked.path else None
    for holder in (own, method):
        for attribute in _attributes_of(holder):
            kind = reading.text(attribute.named_children[0]).rpartition("\\")[2] if attribute.named_child_count else ""
            if kind not in ("AsEventListener", "AsMessageHandler"):
                continue
            given = {
                reading.text(name) if (name := each.child_by_field_name("name")) is not None else str(position): each
                for position, each in enumerate(arguments(attribute))
            }
            stated = given.get("method") or given.get("1" if kind == "AsEventListener" else "3")
            text = text_of(reading, stated) if stated is not None else None
            event = given.get("event") or given.get("0") if kind == "AsEventListener" else given.get("handles")
            if holder is own and text is None:
                named = text_of(reading, event) if event is not None else None
                if subject.method not in ("__invoke", _called_for(named)):
                    continue
            elif holder is own and text != subject.method:
                continue
            awaited.is_message = awaited.is_message or kind == "AsMessageHandler"
            if event is not None:
                awaited.add(reading, event)
            else:
                _by_parameter(subject, awaited)
            if holder is own and stated is not None and text == subject.method:
                yield Place(
                    path, stated.named_children[-1].start_byte + 1, "decorator", sure=True, via="event listener"
                )
    if subject.method == "__invoke" and re.search(rb"\bMessageHandlerInterface\b", reading.source) is not None:
        awaited.is_message = True
        _by_parameter(subject, awaited)


def _called_for(event: str | None) -> str:
    """The method that listens to an event where none is named: "order.paid" -> "onOrderPaid"."""
    return "on" + "".join(part[:1].upper() + part[1:] for part in re.split(r"[^A-Za-z0-9]+", event or "\0"))


def _attributes_of(node: tree_sitter.Node | None) -> Iterator[tree_sitter.Node]:
    listed = node.child_by_field_name("attributes") if node is not None else None
    for group in listed.named_children if listed is not None else ():
        yield from (each for each in group.named_children if each.type == "attribute")


def _registered(subject: Subject, awaited: Awaited) -> Iterator[Place]:
    """`Event::listen(E::class, L::class)`, `addListener('e', [L::class, 'm'])`, `$listen = [E::class => [...]]`."""
    assert subject.method is not None
    for name in subject.names:
        for path in subject.holding(name, _LISTEN_TEXT):
            for named in naming(subject, name, path):
                if named.written not in ("class", "new"):
                    continue
                reading = named.reading
                pair = (
                    named.nodes[-4]
                    if len(named.nodes) > 4 and named.nodes[-3].type == "array_element_initializer"
                    else None
                )
                callable_method = _method_beside(reading, pair) if pair is not None else None
                if callable_method is not None:
                    if callable_method == subject.method:
                        _listened(reading, named.nodes, awaited)
                    continue
                if subject.method not in ("handle", "__invoke", "subscribe"):
                    continue
                listed = property_around(reading, named.nodes)
                subscribes = subject.method == "subscribe"
                if listed == ("$subscribe" if subscribes else "$listen"):
                    keyed = _key_of(named.nodes)
                    if keyed is not None and named.at >= keyed.end_byte:
                        awaited.add(reading, keyed)
                    if keyed is None or named.at >= keyed.end_byte:
                        yield Place(path, named.at, "value", sure=False, via="event listener")
                for call, called in calls_around(reading, named.nodes, most=1):
                    if called == ("subscribe" if subscribes else "listen"):
                        first = arguments(call)[:1]
                        if subscribes or (first and named.at >= first[0].end_byte):
                            _listened(reading, named.nodes, awaited)
                            yield Place(path, named.at, "argument", sure=False, via="event listener")
    _registered_by_text(subject, awaited)


_LISTEN_TEXT: Final = re.compile(rb"\b(?:listen|addListener|subscribe)[ \t]*\(|\$(?:listen|subscribe)\b")


def _registered_by_text(subject: Subject, awaited: Awaited) -> None:
    """`listen(E::class, 'App\\L@m')`, and `[$this, 'm']` in the class itself: the event beside them."""
    assert subject.method is not None
    for name in subject.names:
        full = name.lstrip("\\")
        for path in subject.holding(name, _LISTEN_TEXT, subject.method):
            source = subject.asked.read(path)
            wanted = [f"{full}@{subject.method}", full.replace("\\", "\\\\") + f"@{subject.method}"]
            found = [at for each in wanted for at in strings_in(source, 0, len(source), each)]
            if path == subject.asked.path:
                found.extend(strings_in(source, 0, len(source), subject.method))
            syntax = subject.asked.parsed(path) if found else None
            if syntax is not None:
                for at in found:
                    _listened(reading_of(syntax), reading_of(syntax).path(at), awaited)


def _method_beside(reading: Reading, array: tree_sitter.Node) -> str | None:
    """The method of `[Foo::class, 'method']`."""
    if array.type != "array_creation_expression":
        return None
    parts = [each for each in array.named_children if each.type == "array_element_initializer"]
    return text_of(reading, parts[1].named_children[0]) if len(parts) == 2 and parts[1].named_child_count == 1 else None


def _key_of(nodes: list[tree_sitter.Node]) -> tree_sitter.Node | None:
    """The key of the outermost array element around a place."""
    for node in nodes:
        if node.type == "array_element_initializer" and node.named_child_count == 2:
            return node.named_children[0]
    return None


def _listened(reading: Reading, nodes: list[tree_sitter.Node], awaited: Awaited) -> None:
    """The event of the call that makes somebody listen."""
    for call, called in calls_around(reading, nodes, most=2):
        if called in _LISTENS and arguments(call):
            awaited.add(reading, arguments(call)[0])


# ------------------------------------------------------------------------------------------------- who dispatches it


def _sent(subject: Subject, awaited: Awaited) -> Iterator[Place]:
    """Where what is waited for is dispatched, by name only."""
    via = "message" if awaited.is_message else "event"
    for text in list(awaited.texts)[:MOST_EVENTS]:
        yield from _sent_by_text(subject, text, awaited)
    for owner, constant in list(awaited.constants)[:MOST_EVENTS]:
        yield from _sent_by_constant(subject, owner, constant)
    for name in list(awaited.classes)[:MOST_EVENTS]:
        for path in subject.holding(name, _SENT):
            for named in naming(subject, name, path):
                for at in _dispatches(named):
                    yield Place(path, at, "call", sure=False, via=via)


def _is_sent(reading: Reading, nodes: list[tree_sitter.Node]) -> bool:
    return any(called in _SENDS for _, called in calls_around(reading, nodes))


def _dispatches(named: Named) -> Iterator[int]:
    """Where a named class of events is dispatched."""
    reading = named.reading
    if named.written == "static":
        call = named.nodes[-2]
        name = call.child_by_field_name("name")
        if name is not None and (reading.text(name) in _SENDS or reading.text(name) == "broadcast"):
            yield name.start_byte
        elif _is_sent(reading, named.nodes):  # what makes it, in the place of `new`
            yield named.at
        else:
            yield from _sent_later(reading, named.nodes)
    elif named.written == "class":
        if _is_sent(reading, named.nodes) or property_around(reading, named.nodes) == "$dispatchesEvents":
            yield named.at
    elif named.written == "new":
        if _is_sent(reading, named.nodes) or any(
            called == "handle" for _, called in calls_around(reading, named.nodes, most=1)
        ):
            yield named.at
        else:
            yield from _sent_later(reading, named.nodes)


def _sent_later(reading: Reading, nodes: list[tree_sitter.Node]) -> Iterator[int]:
    """`$event = new E(); ... dispatch($event)` in one function."""
    for depth in range(len(nodes) - 2, 0, -1):
        node = nodes[depth]
        if node.type == "assignment_expression":
            left = node.child_by_field_name("left")
            body = next(
                (each for each in reversed(nodes[:depth]) if each.type in FUNCTIONS or each.type == "program"), None
            )
            if left is None or body is None or left.type != "variable_name":
                return
            variable = re.escape(encode(reading.text(left)))
            calls = re.compile(rb"\b(" + "|".join(sorted(_SENDS)).encode() + rb")[ \t\r\n]*\(\s*" + variable + rb"\b")
            for found in calls.finditer(reading.source, node.end_byte, body.end_byte):
                yield found.start(1)
            return
        if node.type not in ("object_creation_expression", "scoped_call_expression", "parenthesized_expression"):
            return


def _sent_by_text(subject: Subject, text: str, awaited: Awaited) -> Iterator[Place]:
    if not _is_searched(text):
        return
    for path, source in subject.texts(text):
        found = list(strings_in(source, 0, len(source), text))
        syntax = subject.asked.parsed(path) if found else None
        if syntax is None:
            continue
        reading = reading_of(syntax)
        for at in found:
            nodes = reading.path(at)
            if _is_sent(reading, nodes):
                yield Place(path, at, "call", sure=False, via="event")
            elif any(each.type == "const_element" for each in nodes):
                _constant_of(reading, nodes, awaited)


def _constant_of(reading: Reading, nodes: list[tree_sitter.Node], awaited: Awaited) -> None:
    """The constant whose value is an event's name."""
    element = next(each for each in nodes if each.type == "const_element")
    index = reading.enclosing_class(element.start_byte)
    if index >= 0 and element.named_child_count == 2:
        awaited.constants[full_name(reading, index), reading.text(element.named_children[0])] = None


def _sent_by_constant(subject: Subject, owner: str, constant: str) -> Iterator[Place]:
    """Calls that dispatch the event that a constant names, as `Events::PAID` or, in the class itself, `self::PAID`."""
    own = re.compile(rb"\b(?:self|static)::(" + re.escape(encode(constant)) + rb")\b")
    for path in subject.holding(owner, _SENT, constant):
        for named in naming(subject, owner, path):
            last = named.nodes[-2].named_children[-1] if named.written == "constant" else None
            if last is not None and named.reading.text(last) == constant and _is_sent(named.reading, named.nodes):
                yield Place(path, last.start_byte, "call", sure=False, via="event")
        found = [each.start(1) for each in own.finditer(subject.asked.read(path))]
        syntax = subject.asked.parsed(path) if found else None
        if syntax is None:
            continue
        reading = reading_of(syntax)
        for at in found:
            index = reading.enclosing_class(at)
            if index >= 0 and same(full_name(reading, index), owner) and _is_sent(reading, reading.path(at)):
                yield Place(path, at, "call", sure=False, via="event")

"""What statements bind: every assignment of one scope, with the value bound and how long it certainly holds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import tree_sitter

from graph.expressions import (
    Binding,
    BindingKind,
    Element,
    Entered,
    Expression,
    Item,
    Sequence,
    TypeExpression,
    TypeName,
    UnionType,
)
from graph.languages.python.annotations import dotted, type_expression
from graph.languages.python.lower import UNKNOWN, expression
from graph.languages.python.reading import CLASS, FUNCTION, Reading
from graph.languages.reading import paths

_WALRUS = re.compile(rb":=")
_INNER = frozenset({"lambda", FUNCTION, CLASS})
_PARTS = frozenset(
    {"elif_clause", "else_clause", "except_clause", "except_group_clause", "finally_clause", "case_clause"}
)
_BLOCKS = frozenset(
    {"if_statement", "for_statement", "while_statement", "try_statement", "with_statement", "match_statement"}
)
_TARGETS = frozenset({"pattern_list", "tuple_pattern", "list_pattern", "tuple", "list", "expression_list"})


class Later:
    """A binding of a variable whose type and value are lowered when somebody asks for them: most are never asked."""

    __slots__ = ("_make", "at", "index", "kind")

    def __init__(self, at: int, index: int, make: Callable[[], Binding]) -> None:
        self.at = at
        self.index = index
        self.kind = "variable"
        self._make = make

    def made(self) -> Binding:
        """The binding itself."""
        return self._make()


Found = dict[str, list[Binding | Later]]


def made(found: Iterable[Binding | Later]) -> tuple[Binding, ...]:
    """The bindings themselves."""
    return tuple(each.made() if isinstance(each, Later) else each for each in found)


class Table(Mapping[str, tuple[Binding, ...]]):
    """The bindings of a scope by name, made when they are asked for."""

    def __init__(self, found: Found) -> None:
        self._found = found
        self._made: dict[str, tuple[Binding, ...]] = {}

    def __getitem__(self, name: str) -> tuple[Binding, ...]:
        known = self._made.get(name)
        if known is None:
            known = self._made[name] = made(self._found[name])
        return known

    def get(self, name: str, default: Any = None) -> Any:  # the one of Mapping is slow for what isn't there
        return self[name] if name in self._found else default

    def __contains__(self, name: object) -> bool:
        return name in self._found

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


def statements(block: tree_sitter.Node) -> Iterator[tuple[tree_sitter.Node, int]]:
    """The statements of a block and of the blocks within, in order, each with the end of the block that holds it.

    Functions and classes are given, but not entered. Compound statements come before what they hold.
    """
    stack = [(child, block.end_byte) for child in reversed(block.named_children)]
    while stack:
        node, until = stack.pop()
        kind = node.type
        if kind == "decorated_definition":
            inner = node.child_by_field_name("definition")
            if inner is not None:
                yield inner, until
            continue
        yield node, until
        if kind in _BLOCKS or kind in _PARTS:
            for child in reversed(node.named_children):
                if child.type == "block":
                    stack.extend((each, child.end_byte) for each in reversed(child.named_children))
                elif child.type in _PARTS:
                    stack.append((child, until))
        elif kind in ("ERROR", "expression_statement"):
            stack.extend((child, until) for child in reversed(node.named_children))


def bound_in(
    reading: Reading, block: tree_sitter.Node, sent: TypeExpression | None = None
) -> tuple[Found, set[str], set[str]]:
    """The bindings of one block by name, the names declared global and those declared nonlocal in it.

    `sent` is the type of what `yield` gives back in it.
    """
    collector = _Collector(reading, sent)
    for node, until in statements(block):
        collector.statement(node, until)
    if reading.source.find(b":=", block.start_byte, block.end_byte) >= 0:
        collector.walruses(block)
    for name, at in collector.touched:
        if name not in collector.found:
            collector.found[name] = [Binding(name, at, "unbound")]
    for name in collector.globals | collector.nonlocals:
        collector.found.pop(name, None)
    return collector.found, collector.globals, collector.nonlocals


class _Collector:
    """Gathers the bindings of one scope, statement by statement."""

    def __init__(self, reading: Reading, sent: TypeExpression | None = None) -> None:
        self.reading = reading
        self.sent = sent
        self.text = reading.text
        self.found: Found = {}
        self.touched: list[tuple[str, int]] = []  # made local by `del` or an augmented assignment alone
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()

    def add(
        self,
        node: tree_sitter.Node,
        kind: BindingKind,
        value: Expression | None = None,
        until: int = 0,
        annotation: TypeExpression | None = None,
        index: int = -1,
        since: int = -1,
    ) -> None:
        """Bind the name at `node`, from the offset `since` on if it is given: `x = x.parent` reads the old x."""
        name = self.text.of(node)
        at = since if since >= 0 else self.text.at(node)
        self.found.setdefault(name, []).append(Binding(name, at, kind, annotation, value, index, until))

    def target(
        self,
        node: tree_sitter.Node | None,
        value: Expression,
        until: int,
        annotation: TypeExpression | None = None,
        since: int = -1,
    ) -> None:
        """Bind a target: a name, or a pattern of them."""
        stack: list[tuple[tree_sitter.Node | None, Expression]] = [(node, value)]
        while stack:
            current, bound = stack.pop()
            if current is None:
                continue
            kind = current.type
            if kind == "identifier":
                index = self.reading.value_at.get(current.start_byte, -1)
                self.add(current, "variable", bound, until, annotation, index, since)
            elif kind in ("parenthesized_expression", "as_pattern_target"):
                stack.append((current.named_child(0), bound))
            elif kind in _TARGETS:
                stack.extend(reversed(unpacked(current, bound)))

    def statement(self, node: tree_sitter.Node, until: int) -> None:
        kind = node.type
        text = self.text
        if kind == "assignment":
            self.assignment(node, until)
        elif kind in (FUNCTION, CLASS):
            name = node.child_by_field_name("name")
            if name is not None:
                self.add(name, "definition", index=self.reading.index(node))
        elif kind == "for_statement":
            asynchronous = self.reading.source.startswith(b"async", node.start_byte)
            iterated = node.child_by_field_name("right")
            value = Element(expression(text, iterated), asynchronous)
            since = iterated.end_byte if iterated is not None else -1
            self.target(node.child_by_field_name("left"), value, until, since=since)
        elif kind == "with_statement":
            self.with_statement(node, until)
        elif kind == "except_clause" or kind == "except_group_clause":
            self.except_clause(node, kind == "except_group_clause")
        elif kind == "match_statement":
            self.match_statement(node)
        elif kind in ("import_statement", "import_from_statement"):
            self.imports(node)
        elif kind == "global_statement":
            self.globals.update(text.of(c) for c in node.named_children)
        elif kind == "nonlocal_statement":
            self.nonlocals.update(text.of(c) for c in node.named_children)
        elif kind == "augmented_assignment":
            left = node.child_by_field_name("left")
            if left is not None and left.type == "identifier":
                self.touched.append((text.of(left), text.at(left)))
        elif kind == "delete_statement":
            self.touched += [(text.of(c), text.at(c)) for c in node.named_children if c.type == "identifier"]
        elif kind == "type_alias_statement":
            left = node.child_by_field_name("left")
            while left is not None and left.type in ("type", "generic_type"):
                left = left.named_child(0)
            if left is not None and left.type == "identifier":
                index = self.reading.value_at.get(left.start_byte, -1)
                if index >= 0:
                    self.add(left, "definition", index=index)
                else:
                    self.add(left, "variable", UNKNOWN)

    def assignment(self, node: tree_sitter.Node, until: int) -> None:
        targets: list[tree_sitter.Node] = []
        declared: tree_sitter.Node | None = None
        value: tree_sitter.Node | None = node
        while value is not None and value.type == "assignment":
            target = value.child_by_field_name("left")
            if target is not None:
                targets.append(target)
            stated = value.child_by_field_name("type")
            if stated is not None and not says_nothing(stated):
                declared = stated
            value = value.child_by_field_name("right")
        since = node.end_byte
        for target in targets:
            if target.type == "identifier":
                name, index = self.text.of(target), self.reading.value_at.get(target.start_byte, -1)
                make = partial(self._assigned, name, since, declared, value, index, until)
                self.found.setdefault(name, []).append(Later(since, index, make))
            else:
                assigned = self._assigned("", since, declared, value, -1, until)
                self.target(target, assigned.value or UNKNOWN, until, assigned.annotation, since)

    def _assigned(
        self,
        name: str,
        since: int,
        declared: tree_sitter.Node | None,
        value: tree_sitter.Node | None,
        index: int,
        until: int,
    ) -> Binding:
        annotation = type_expression(self.text, declared) if declared is not None else None
        if annotation is None and self.sent is not None and _is_yield(value):
            annotation = self.sent
        bound = expression(self.text, value) if value is not None else UNKNOWN
        return Binding(name, since, "variable", annotation, bound, index, until)

    def with_statement(self, node: tree_sitter.Node, until: int) -> None:
        asynchronous = self.reading.source.startswith(b"async", node.start_byte)
        for clause in node.named_children:
            if clause.type != "with_clause":
                continue
            for item in clause.named_children:
                value = item.child_by_field_name("value") if item.type == "with_item" else None
                items = value.named_children if value is not None and value.type == "tuple" else [value]
                for each in items:
                    if each is not None and each.type == "as_pattern":
                        entered = Entered(expression(self.text, each.named_child(0)), asynchronous)
                        self.target(each.child_by_field_name("alias"), entered, until)

    def except_clause(self, node: tree_sitter.Node, group: bool) -> None:
        pattern = next((c for c in node.named_children if c.type == "as_pattern"), None)
        if pattern is None:
            return
        alias = pattern.child_by_field_name("alias")
        name = alias.named_child(0) if alias is not None else None
        if name is None or name.type != "identifier":
            return
        if group or self.reading.source.startswith(b"*", node.start_byte + len(b"except")):
            self.add(name, "unbound", None, node.end_byte)
            return
        caught = pattern.named_child(0)
        self.add(name, "variable", None, node.end_byte, class_or_classes(self.reading, caught))

    def match_statement(self, node: tree_sitter.Node) -> None:
        subjects = node.children_by_field_name("subject")
        subject = expression(self.text, subjects[0]) if len(subjects) == 1 else UNKNOWN
        body = node.child_by_field_name("body")
        for clause in body.named_children if body is not None else ():
            if clause.type != "case_clause":
                continue
            patterns = [c for c in clause.named_children if c.type == "case_pattern"]
            for pattern in patterns:
                self.pattern(pattern, subject if len(patterns) == 1 else UNKNOWN, clause.end_byte)

    def pattern(self, node: tree_sitter.Node, subject: Expression, until: int) -> None:
        """The captures of a case pattern; only what binds the whole subject has a known value."""
        stack: list[tuple[tree_sitter.Node, Expression]] = [(node, subject)]
        while stack:
            current, value = stack.pop()
            kind = current.type
            children = current.named_children
            if kind == "case_pattern":
                stack.extend((c, value) for c in children)
            elif kind == "as_pattern" and children:
                annotation = class_of_pattern(self.reading, children[0])
                self.add(children[-1], "variable", value, until, annotation)
                stack.append((children[0], value))
            elif kind == "dotted_name" and len(children) == 1:
                if self.text.of(current) != "_":
                    self.add(children[0], "variable", value, until)
            elif kind == "splat_pattern" and children:
                self.add(children[-1], "unbound", None, until)
            elif kind == "class_pattern" or kind == "keyword_pattern":
                stack.extend((c, UNKNOWN) for c in children[1:])
            elif kind in ("union_pattern", "list_pattern", "tuple_pattern", "dict_pattern"):
                inner = value if kind == "union_pattern" else UNKNOWN
                stack.extend((c, inner) for c in children)

    def imports(self, node: tree_sitter.Node) -> None:
        for index, imported in self.reading.imports_between(node.start_byte, node.end_byte):
            if imported.local is not None:
                self.found.setdefault(imported.local, []).append(
                    Binding(imported.local, imported.at, "import", index=index)
                )

    def walruses(self, block: tree_sitter.Node) -> None:
        """`(x := value)` anywhere in the block's expressions, comprehensions included."""
        signs = _WALRUS.finditer(self.reading.source, block.start_byte, block.end_byte)
        for _, _, path in paths(self.reading.root, (sign.span() for sign in signs)):
            node = path[-2] if path[-1].type == ":=" else block
            depth = next((depth for depth, each in enumerate(path) if each.id == block.id), len(path))
            if node.type != "named_expression" or any(each.type in _INNER for each in path[depth + 1 :]):
                continue
            name = node.child_by_field_name("name")
            if name is not None:
                value = expression(self.text, node.child_by_field_name("value"))
                self.add(name, "variable", value, block.end_byte, since=node.end_byte)
        for bindings in self.found.values():
            bindings.sort(key=lambda b: b.at)


def _is_yield(value: tree_sitter.Node | None) -> bool:
    """Whether it is a plain `yield`, not `yield from`."""
    while value is not None and value.type == "parenthesized_expression":
        value = value.named_child(0)
    return value is not None and value.type == "yield" and not any(c.type == "from" for c in value.children)


def sent_type(reading: Reading, function: tree_sitter.Node) -> TypeExpression | None:
    """What `yield` gives back in a function declared to return Generator[Y, S, R] or AsyncGenerator[Y, S]."""
    declared_type = function.child_by_field_name("return_type")
    if declared_type is None or b"Generator" not in (declared_type.text or b""):
        return None
    stated = type_expression(reading.text, declared_type)
    if isinstance(stated, TypeName) and stated.name.endswith("Generator") and len(stated.arguments) > 1:
        return stated.arguments[1]
    return None


def says_nothing(declared: tree_sitter.Node) -> bool:
    """`x: Final = 3`, `X: TypeAlias = ...`: the value tells the type."""
    content = declared.text or b""
    return content.strip().rpartition(b".")[2] in (b"Final", b"ClassVar", b"TypeAlias")


def unpacked(pattern: tree_sitter.Node, value: Expression) -> list[tuple[tree_sitter.Node | None, Expression]]:
    """The parts of a destructuring target with what each gets."""
    parts = [c for c in pattern.named_children if c.type != "comment"]
    literal = value.items if isinstance(value, Sequence) and value.type in ("tuple", "list") else None
    if literal is not None and (len(literal) != len(parts) or any(isinstance(i, Element) for i in literal)):
        literal = None
    found: list[tuple[tree_sitter.Node | None, Expression]] = []
    starred = False
    for index, part in enumerate(parts):
        if part.type in ("list_splat_pattern", "list_splat"):
            starred = True
            found.append((part.named_child(0), Sequence("list", (Element(value),))))
        elif starred:
            found.append((part, Element(value)))
        elif literal is not None:
            found.append((part, literal[index]))
        else:
            found.append((part, Item(value, index)))
    return found


def class_or_classes(reading: Reading, node: tree_sitter.Node | None) -> TypeExpression | None:
    """The type that `except X`, `except (X, Y)` or the second argument of isinstance states; None when unclear."""
    while node is not None and node.type == "parenthesized_expression":
        node = node.named_child(0)
    if node is None:
        return None
    if node.type == "tuple":
        options = [class_or_classes(reading, c) for c in node.named_children if c.type != "comment"]
        return UnionType(tuple(o for o in options if o is not None)) if options and None not in options else None
    if node.type == "binary_operator":
        stated = type_expression(reading.text, node)
        return stated if isinstance(stated, UnionType) else None
    if node.type == "call":  # type(None), type(self)
        return None
    name = dotted(reading.text, node)
    return TypeName(name, node.start_byte) if name is not None else None


def class_of_pattern(reading: Reading, pattern: tree_sitter.Node) -> TypeExpression | None:
    """The class that a case pattern tests for, if it is a class pattern or several of them."""
    while pattern.type == "case_pattern":
        if not pattern.named_child_count:  # `case _:`
            return None
        pattern = pattern.named_children[0]
    if pattern.type == "as_pattern":
        return class_of_pattern(reading, pattern.named_children[0]) if pattern.named_child_count else None
    if pattern.type == "union_pattern":
        options = [class_of_pattern(reading, c) for c in pattern.named_children[:20]]
        return UnionType(tuple(o for o in options if o is not None)) if options and None not in options else None
    if pattern.type != "class_pattern":
        return None
    name = pattern.named_children[0] if pattern.named_child_count else None
    if name is None or name.type != "dotted_name":
        return None
    return TypeName(".".join(reading.text.of(c) for c in name.named_children), name.start_byte)


def comprehension_bindings(reading: Reading, node: tree_sitter.Node) -> list[Binding]:
    """The loop names of a comprehension."""
    collector = _Collector(reading)
    for clause in node.named_children:
        if clause.type == "for_in_clause":
            asynchronous = reading.source.startswith(b"async", clause.start_byte)
            rights = clause.children_by_field_name("right")
            value = Element(expression(reading.text, rights[0] if rights else None), asynchronous)
            collector.target(clause.child_by_field_name("left"), value, 0)
    return [binding for bindings in collector.found.values() for binding in made(bindings)]


def module_assigned_in_functions(reading: Reading) -> list[Binding]:
    """Bindings of module-level names from inside functions that declare them global."""
    if b"global " not in reading.source:
        return []
    found: list[Binding] = []
    for index, definition in enumerate(reading.facts.definitions):
        if definition.kind not in ("function", "method"):
            continue
        if reading.source.find(b"global ", definition.start, definition.end) < 0:
            continue
        node = reading.node(index)
        body = node.child_by_field_name("body") if node is not None else None
        if body is None:
            continue
        collector = _Collector(reading)
        for statement, until in statements(body):
            collector.statement(statement, until)
        for name in collector.globals:
            for b in made(collector.found.get(name, ())):
                # Holds nowhere for certain: whether the function has run is not known.
                found.append(Binding(b.name, b.at, b.kind, b.annotation, b.value, b.index, b.at + 1))
    return found

"""What control flow around a place states about the type of a name: isinstance, assert, early exits, `case C():`."""

from __future__ import annotations

import tree_sitter

from graph.expressions import Expression, Member, Name, TypeExpression, UnionType
from graph.languages.python.bindings import class_of_pattern, class_or_classes
from graph.languages.python.reading import CLASS, COMPREHENSIONS, FUNCTION, Reading
from graph.languages.python.words import places_of

_DEEPEST = 40  # levels of `not`, `and`, `or` in one condition
_EXITS = frozenset({"return_statement", "raise_statement", "continue_statement", "break_statement"})
_CONDITIONAL = frozenset({"if_statement", "elif_clause", "while_statement"})


def narrowed(reading: Reading, at: int, target: Expression) -> tuple[TypeExpression | None, bool]:
    """(type, True) when a check that guards the place at `at` states the type of `target`, the nearest check first."""
    written = _spelling(target)
    if written is None:
        return None, False
    if not reading.has_checks:
        return None, False
    return _Search(reading, at, written).run()


def _spelling(target: Expression) -> str | None:
    """`a.b.c` of a Name or a chain of Members that starts with one."""
    parts: list[str] = []
    while isinstance(target, Member) and len(parts) < _DEEPEST:
        parts.append(target.name)
        target = target.object
    if not isinstance(target, Name):
        return None
    parts.append(target.id)
    return ".".join(reversed(parts))


class _Search:
    """One question: walks from the place outwards and looks at what guards it."""

    def __init__(self, reading: Reading, at: int, written: str) -> None:
        self.reading = reading
        self.at = at
        self.written = written
        self.head = written.partition(".")[0]

    def run(self) -> tuple[TypeExpression | None, bool]:
        path = self.reading.path(self.at)
        for depth in range(len(path) - 2, -1, -1):
            node, child = path[depth], path[depth + 1]
            kind = node.type
            if kind in (FUNCTION, CLASS, "lambda"):
                return None, False
            found: TypeExpression | None = None
            since = -1  # the check's end: the target must not be assigned between it and the place
            if kind == "block" or kind == "module":
                found, since = self.before(node, child)
            elif kind in _CONDITIONAL:
                found, since = self.branch(node, child)
            elif kind == "boolean_operator":
                found, since = self.operand(node, child)
            elif kind == "conditional_expression":
                found, since = self.ternary(node, child)
            elif kind in COMPREHENSIONS:
                found, since = self.comprehension(node, child)
            elif kind == "case_clause":
                found, since = self.case(path, depth)
            if found is not None:
                return (None, False) if self.assigned(since, self.at) else (found, True)
        return None, False

    # Each gives the stated type and the offset where it begins to hold.

    def branch(self, node: tree_sitter.Node, child: tree_sitter.Node) -> tuple[TypeExpression | None, int]:
        condition = node.child_by_field_name("condition")
        if condition is None:
            return None, -1
        consequence = node.child_by_field_name("consequence") or node.child_by_field_name("body")
        if consequence is not None and child.id == consequence.id:
            return self.stated(condition, True), condition.end_byte
        if child.start_byte > condition.start_byte and child.type in ("elif_clause", "else_clause"):
            found = self.stated(condition, False)
            if found is not None:
                return found, condition.end_byte
            # A later branch of the same `if`: what the elif clauses before it rule out.
            for clause in node.named_children:
                if clause.start_byte >= child.start_byte:
                    break
                other = clause.child_by_field_name("condition") if clause.type == "elif_clause" else None
                if other is not None:
                    found = self.stated(other, False)
                    if found is not None:
                        return found, other.end_byte
        return None, -1

    def operand(self, node: tree_sitter.Node, child: tree_sitter.Node) -> tuple[TypeExpression | None, int]:
        """The right of `isinstance(x, C) and ...` or of `not isinstance(x, C) or ...`."""
        left = node.child_by_field_name("left")
        right = node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        if left is None or right is None or operator is None or child.id != right.id:
            return None, -1
        return self.stated(left, operator.type == "and"), left.end_byte

    def ternary(self, node: tree_sitter.Node, child: tree_sitter.Node) -> tuple[TypeExpression | None, int]:
        parts = [c for c in node.named_children if c.type != "comment"]
        if len(parts) != 3 or child.id == parts[1].id:
            return None, -1
        return self.stated(parts[1], child.id == parts[0].id), self.at

    def comprehension(self, node: tree_sitter.Node, child: tree_sitter.Node) -> tuple[TypeExpression | None, int]:
        body = node.child_by_field_name("body")
        for clause in node.named_children:
            if clause.type != "if_clause" or clause.id == child.id:
                continue
            if (body is not None and child.id == body.id) or clause.end_byte <= child.start_byte:
                found = self.stated(clause.named_child(0), True)
                if found is not None:
                    return found, self.at
        return None, -1

    def case(self, path: list[tree_sitter.Node], depth: int) -> tuple[TypeExpression | None, int]:
        match = next((n for n in reversed(path[:depth]) if n.type == "match_statement"), None)
        subjects = match.children_by_field_name("subject") if match is not None else []
        clause = path[depth]
        patterns = [c for c in clause.named_children if c.type == "case_pattern"]
        if len(subjects) != 1 or len(patterns) != 1 or self.at < patterns[0].end_byte:
            return None, -1
        if self.text(subjects[0]) != self.written:
            return None, -1
        return class_of_pattern(self.reading, patterns[0]), patterns[0].end_byte

    def before(self, block: tree_sitter.Node, child: tree_sitter.Node) -> tuple[TypeExpression | None, int]:
        """The nearest statement before the place in its block that asserts the type or leaves unless it holds."""
        source = self.reading.source
        if source.rfind(b"isinstance", block.start_byte, child.start_byte) < 0:
            return None, -1
        earlier = [c for c in block.named_children if c.end_byte <= child.start_byte]
        for node in reversed(earlier):
            found: TypeExpression | None = None
            if node.type == "assert_statement":
                found = self.stated(node.named_child(0), True)
            elif node.type == "if_statement" and self.leaves(node):
                found = self.stated(node.child_by_field_name("condition"), False)
            if found is not None:
                return found, node.end_byte
        return None, -1

    def leaves(self, node: tree_sitter.Node) -> bool:
        """Whether an `if` without further branches always leaves the block."""
        if any(c.type in ("elif_clause", "else_clause") for c in node.named_children):
            return False
        block = node.child_by_field_name("consequence")
        last = block.named_children[-1] if block is not None and block.named_child_count else None
        return last is not None and last.type in _EXITS

    def stated(self, condition: tree_sitter.Node | None, holds: bool) -> TypeExpression | None:
        """The type that the condition states of the target when it is true (`holds`) or false."""
        stack = [(condition, holds)]
        steps = 0
        while stack and steps < _DEEPEST:
            steps += 1
            node, true = stack.pop()
            while node is not None and node.type == "parenthesized_expression":
                node = node.named_child(0)
            if node is None:
                continue
            if node.type == "not_operator":
                stack.append((node.child_by_field_name("argument"), not true))
            elif node.type == "boolean_operator":
                operator = node.child_by_field_name("operator")
                left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
                if operator is not None and (operator.type == "and") == true:
                    stack += [(left, true), (right, true)]
                elif true:  # isinstance(x, A) or isinstance(x, B)
                    found = self.either(left, right)
                    if found is not None:
                        return found
            elif node.type == "call" and true:
                found = self.check(node)
                if found is not None:
                    return found
        return None

    def either(self, left: tree_sitter.Node | None, right: tree_sitter.Node | None) -> TypeExpression | None:
        first = self.check(left) if left is not None and left.type == "call" else None
        second = self.check(right) if right is not None and right.type == "call" else None
        return UnionType((first, second)) if first is not None and second is not None else None

    def check(self, call: tree_sitter.Node) -> TypeExpression | None:
        function = call.child_by_field_name("function")
        arguments = call.child_by_field_name("arguments")
        if function is None or arguments is None or self.text(function) != "isinstance":
            return None
        passed = [c for c in arguments.named_children if c.type != "comment"]
        if len(passed) != 2:
            return None
        subject = passed[0]
        if subject.type == "parenthesized_expression":
            subject = subject.named_child(0) or subject
        if subject.type == "named_expression":
            subject = subject.child_by_field_name("name") or subject
        if self.text(subject) != self.written:
            return None
        return class_or_classes(self.reading, passed[1])

    def text(self, node: tree_sitter.Node) -> str:
        return "".join(self.reading.text.of(node).split())

    def assigned(self, start: int, end: int) -> bool:
        """Whether the target or what it is read from is assigned between two offsets, by a plain look at the names."""
        if start >= end:
            return False
        for offset in places_of(self.reading, self.head, start, end):
            if offset == self.at:
                continue
            around = self.reading.path(offset)
            for node in reversed(around[:-1]):
                kind = node.type
                if kind in ("assignment", "augmented_assignment", "for_statement", "named_expression"):
                    left = node.child_by_field_name("left") or node.child_by_field_name("name")
                    if left is not None and left.start_byte <= offset < left.end_byte and self.covers(left):
                        return True
                    break
                if kind in ("as_pattern_target", "delete_statement"):
                    return True
                if kind in ("argument_list", "block", "module"):
                    break
        return False

    def covers(self, left: tree_sitter.Node) -> bool:
        """Whether assigning `left` changes what the target is: the same chain, or the beginning of it."""
        written = self.text(left)
        if left.type in ("identifier", "attribute"):
            return self.written == written or self.written.startswith(written + ".")
        return left.type not in ("subscript",)

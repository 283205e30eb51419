"""What control flow around a place states about the type of a variable or property: `instanceof`, early exits."""

from __future__ import annotations

import re

import tree_sitter

from graph.expressions import Expression, Member, Name, This, TypeExpression, TypeName, UnionType
from graph.languages.php.lower import NAMES, class_named
from graph.languages.php.reading import CLASSES, FUNCTIONS, Reading

_DEEPEST = 40  # levels of `!`, `&&`, `||` in one condition
_EXITS = frozenset({"return_statement", "continue_statement", "break_statement", "exit_statement", "goto_statement"})
_THROWS = frozenset({"throw_expression", "exit_statement"})
_CONDITIONAL = frozenset({"if_statement", "else_if_clause", "while_statement"})
_AND = frozenset({"&&", "and"})
_OR = frozenset({"||", "or"})

Stated = tuple[TypeExpression | None, int]
NONE: Stated = (None, -1)


def narrowed(reading: Reading, at: int, target: Expression) -> tuple[TypeExpression | None, bool]:
    """(type, True) when a check that guards the place at `at` states the type of `target`, the nearest check first."""
    if not reading.has_checks:
        return None, False
    written = _spelling(target)
    return _Search(reading, at, written).run() if written is not None else (None, False)


def _spelling(target: Expression) -> str | None:
    """`$this->a->b` of a variable or a chain of properties that starts with one."""
    parts: list[str] = []
    while isinstance(target, Member) and len(parts) < _DEEPEST:
        if not target.name.startswith("$"):
            return None
        parts.append(target.name[1:])
        target = target.object
    if isinstance(target, This):
        parts.append("$this")
    elif isinstance(target, Name) and target.id.startswith("$"):
        parts.append(target.id)
    else:
        return None
    return "->".join(reversed(parts))


class _Search:
    """One question: walks from the place outwards and looks at what guards it."""

    def __init__(self, reading: Reading, at: int, written: str) -> None:
        self.reading = reading
        self.at = at
        self.written = written

    def run(self) -> tuple[TypeExpression | None, bool]:
        path = self.reading.path(self.at)
        for depth in range(len(path) - 2, -1, -1):
            node, child = path[depth], path[depth + 1]
            kind = node.type
            if kind in FUNCTIONS or kind in CLASSES or kind == "anonymous_function":
                return None, False
            found, since = NONE
            if kind in ("compound_statement", "colon_block", "program", "case_statement", "default_statement"):
                found, since = self.before(node, child)
            elif kind in _CONDITIONAL:
                found, since = self.branch(node, child)
            elif kind == "binary_expression":
                found, since = self.operand(node, child)
            elif kind == "conditional_expression":
                found, since = self.ternary(node, child)
            elif kind == "match_conditional_expression":
                found, since = self.arm(node, child)
            if found is not None:
                return (None, False) if self.assigned(since, self.at) else (found, True)
        return None, False

    def branch(self, node: tree_sitter.Node, child: tree_sitter.Node) -> Stated:
        condition = node.child_by_field_name("condition")
        body = node.child_by_field_name("body")
        if condition is None or body is None or child.id == condition.id:
            return NONE
        return self.stated(condition, child.id == body.id), condition.end_byte

    def operand(self, node: tree_sitter.Node, child: tree_sitter.Node) -> Stated:
        left, operator = node.child_by_field_name("left"), node.child_by_field_name("operator")
        if left is None or operator is None or child.id == left.id:
            return NONE
        sign = operator.type.lower()
        return (self.stated(left, sign in _AND), left.end_byte) if sign in _AND or sign in _OR else NONE

    def ternary(self, node: tree_sitter.Node, child: tree_sitter.Node) -> Stated:
        condition, body = node.child_by_field_name("condition"), node.child_by_field_name("body")
        if condition is None or child.id == condition.id:
            return NONE
        return self.stated(condition, body is not None and child.id == body.id), condition.end_byte

    def arm(self, node: tree_sitter.Node, child: tree_sitter.Node) -> Stated:
        conditions = node.child_by_field_name("conditional_expressions")
        if conditions is None or child.id == conditions.id or not conditions.named_child_count:
            return NONE
        found = [self.stated(each, True) for each in conditions.named_children[:20]]
        known = [each for each in found if each is not None]
        if len(known) != len(found):
            return NONE
        return (known[0] if len(known) == 1 else UnionType(tuple(known))), conditions.end_byte

    def before(self, block: tree_sitter.Node, child: tree_sitter.Node) -> Stated:
        """Statements before the place: `if (!$x instanceof A) { return; }`, `assert($x instanceof A)`."""
        best: Stated = NONE
        for statement in block.named_children:
            if statement.start_byte >= child.start_byte:
                break
            if b"instanceof" not in self.reading.source[statement.start_byte : statement.end_byte]:
                continue
            if statement.type == "if_statement":
                condition, body = statement.child_by_field_name("condition"), statement.child_by_field_name("body")
                others = any(each.type in ("else_clause", "else_if_clause") for each in statement.named_children)
                if condition is not None and body is not None and not others and self.leaves(body):
                    found = self.stated(condition, False)
                    if found is not None:
                        best = found, statement.end_byte
            elif statement.type == "expression_statement" and statement.named_child_count:
                call = statement.named_children[0]
                if call.type == "function_call_expression":
                    function = call.child_by_field_name("function")
                    listed = call.child_by_field_name("arguments")
                    if function is not None and self.reading.text(function).lstrip("\\") == "assert" and listed:
                        first = next((each for each in listed.named_children if each.type == "argument"), None)
                        found = self.stated(first.named_children[-1], True) if first is not None else None
                        if found is not None:
                            best = found, statement.end_byte
        return best

    def leaves(self, body: tree_sitter.Node) -> bool:
        """Whether control never goes past the end of a body."""
        last = body
        if body.type in ("compound_statement", "colon_block"):
            statements = [each for each in body.named_children if each.type != "comment"]
            if not statements:
                return False
            last = statements[-1]
        if last.type == "expression_statement" and last.named_child_count:
            return last.named_children[0].type in _THROWS
        return last.type in _EXITS

    def stated(self, condition: tree_sitter.Node, holds: bool, depth: int = 0) -> TypeExpression | None:
        """The type that the condition states for the target, given that it holds or not."""
        if depth > _DEEPEST:
            return None
        kind = condition.type
        if kind == "parenthesized_expression":
            inner = [each for each in condition.named_children if each.type != "comment"]
            return self.stated(inner[0], holds, depth + 1) if inner else None
        if kind == "unary_op_expression" and condition.children[0].type == "!":
            argument = condition.child_by_field_name("argument") or condition.named_children[-1]
            if argument.type == "binary_expression":
                return self.stated(argument, not holds, depth + 1)
            return self.stated(argument, not holds, depth + 1)
        if kind != "binary_expression":
            return None
        left, right = condition.child_by_field_name("left"), condition.child_by_field_name("right")
        operator = condition.child_by_field_name("operator")
        if left is None or right is None or operator is None:
            return None
        sign = operator.type.lower()
        if sign == "instanceof":
            return self.checked(left, right) if holds else None
        if (sign in _AND and holds) or (sign in _OR and not holds):
            return self.stated(right, holds, depth + 1) or self.stated(left, holds, depth + 1)
        if (sign in _OR and holds) or (sign in _AND and not holds):
            one, other = self.stated(left, holds, depth + 1), self.stated(right, holds, depth + 1)
            return UnionType((one, other)) if one is not None and other is not None else None
        return None

    def checked(self, left: tree_sitter.Node, right: tree_sitter.Node) -> TypeExpression | None:
        while left.type == "parenthesized_expression" and left.named_child_count:
            left = left.named_children[0]
        if left.type == "assignment_expression":
            left = left.child_by_field_name("left") or left
        if self.reading.text(left).replace("?->", "->") != self.written:
            return None
        if right.type in NAMES:
            named = class_named(self.reading, right)
            return TypeName(named.id, named.at) if isinstance(named, Name) else None
        if right.type == "relative_scope":
            return TypeName("self", right.start_byte) if self.reading.text(right).lower() != "parent" else None
        return None

    def assigned(self, since: int, until: int) -> bool:
        """Whether the target's variable is assigned between two places."""
        between = self.reading.source[since:until]
        head = self.written.encode("utf-8", "replace")
        return re.search(re.escape(head) + rb"\s*(?:=(?![=>])|\?\?=)", between) is not None

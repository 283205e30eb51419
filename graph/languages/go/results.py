"""How many of a call's results the code around it takes."""

from __future__ import annotations

import tree_sitter

from graph.expressions import Taken
from graph.languages.go.lower import expression
from graph.languages.go.reading import Reading

ONE = Taken(1, 1)
_ANY = Taken(0, None)
_STATEMENTS = frozenset({"expression_statement", "go_statement", "defer_statement"})
_FUNCTIONS = frozenset({"function_declaration", "method_declaration", "func_literal"})
_ASSIGNING = frozenset({"assignment_statement", "short_var_declaration"})
_ONE = frozenset(
    {
        "binary_expression", "unary_expression", "selector_expression", "index_expression", "slice_expression",
        "type_assertion_expression", "type_conversion_expression", "call_expression", "literal_element",
        "variadic_argument", "if_statement", "for_statement", "for_clause", "range_clause",
        "expression_switch_statement", "type_switch_statement", "expression_case", "send_statement", "inc_statement",
        "dec_statement", "array_type",
    }
)  # fmt: skip
"""What a call stands in that takes one value from it."""


def taken(reading: Reading, path: list[tree_sitter.Node]) -> Taken | None:
    """What the code around the call at the end of the path takes of its results; None where that cannot be told."""
    depth = len(path) - 2
    while depth >= 0 and path[depth].type == "parenthesized_expression":
        depth -= 1
    if depth < 0 or path[depth].has_error:
        return None
    around = path[depth]
    kind = around.type
    if kind in _STATEMENTS:
        return _ANY
    if kind == "argument_list":
        return _passed(reading, path, depth)
    if kind == "expression_list":
        alone = _count(around) == 1
        return _listed(path, depth) if alone else ONE
    return ONE if kind in _ONE else None


def _passed(reading: Reading, path: list[tree_sitter.Node], depth: int) -> Taken | None:
    """A call among the arguments of another; alone there, it passes all that it gives."""
    if _count(path[depth]) > 1:
        return ONE
    call = path[depth - 1] if depth > 0 else None
    if call is None or call.type != "call_expression":
        return None
    function = call.child_by_field_name("function")
    if function is not None and function.type == "identifier" and reading.text(function) == "new":
        return ONE
    return Taken(1, None, expression(reading, function))


def _listed(path: list[tree_sitter.Node], depth: int) -> Taken | None:
    """A call that is all that is assigned, returned, ranged over."""
    listed = path[depth]
    around = path[depth - 1] if depth > 0 else None
    if around is None:
        return None
    kind = around.type
    if kind == "return_statement":
        return _returned(path[: depth - 1])
    if kind in ("var_spec", "const_spec"):
        names = sum(each.type == "identifier" for each in around.children_by_field_name("name"))
        return Taken(names, names)
    left = around.child_by_field_name("left")
    if kind in _ASSIGNING and left is not None and left.start_byte != listed.start_byte:
        names = _count(left)
        return Taken(names, names)
    return ONE if kind in _ONE or kind in _ASSIGNING or kind == "receive_statement" else None


def _returned(path: list[tree_sitter.Node]) -> Taken | None:
    """As many results as the innermost function has."""
    function = next((each for each in reversed(path) if each.type in _FUNCTIONS), None)
    if function is None:
        return None
    result = function.child_by_field_name("result")
    if result is None:
        return None  # a `return f()` in a function without results never compiled
    count = 1
    if result.type == "parameter_list":
        count = sum(
            max(1, len(each.children_by_field_name("name")))
            for each in result.named_children
            if each.type == "parameter_declaration"
        )
    return Taken(count, count)


def _count(listed: tree_sitter.Node) -> int:
    """How many expressions a list has."""
    return sum(each.type != "comment" for each in listed.named_children)

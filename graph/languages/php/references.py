"""What an identifier at an offset refers to, and what a call passes."""

from __future__ import annotations

import re
from typing import Literal

import tree_sitter

from graph.expressions import Arguments, Expression, Member, Name, Reference, Super, Use
from graph.languages.php.lower import (
    MEMBER_CALLS,
    MEMBER_READS,
    class_named,
    expression,
    is_reference_to_callable,
    scope,
)
from graph.languages.php.lower import callee as callee_of
from graph.languages.php.reading import CLASSES, Reading

Kind = Literal["call", "new", "base", "jsx", "decorator", "argument", "value", "type", "import"]

_CALLS = MEMBER_CALLS | {"scoped_call_expression", "function_call_expression"}
_DECLARING = CLASSES | {
    "method_declaration", "function_definition", "enum_case", "namespace_definition", "namespace_name", "argument",
    "goto_statement", "named_label_statement", "declare_directive", "variable_name",
}  # fmt: skip
_BASES = frozenset({"base_clause", "class_interface_clause", "use_declaration"})
_ADAPTED = frozenset({"use_as_clause", "use_instead_of_clause"})
_STRINGS = frozenset({"string_content", "string", "encapsed_string"})
_ASSIGNMENTS = frozenset(
    {"assignment_expression", "reference_assignment_expression", "augmented_assignment_expression"}
)


def reference_at(reading: Reading, at: int) -> Reference | None:
    """What the identifier at `at` refers to; None when it names nothing that exists elsewhere."""
    path = reading.path(at)
    node = path[-1]
    if len(path) < 3:
        return None
    if node.type in _STRINGS:
        return _in_string(reading, path, at)
    if node.start_byte != at or node.type not in ("name", "relative_scope"):
        return None
    depth = len(path) - 2
    whole = node
    while path[depth].type in ("qualified_name", "relative_name"):
        if path[depth].named_children[-1].start_byte != at:
            return None
        whole = path[depth]
        depth -= 1
    parent = path[depth]
    kind = parent.type
    if kind == "variable_name" and path[depth - 1].type == "scoped_property_access_expression":
        return _property(reading, path, depth - 1, at)
    if kind == "namespace_use_clause":
        return _imported(reading, path, depth, whole, at)
    if kind == "const_element" and parent.named_children[0].start_byte == at:
        return None
    if kind in _DECLARING and not (kind == "argument" and parent.named_children[-1].start_byte == whole.start_byte):
        return None
    return _classified(reading, path, depth, whole, at)


def _imported(
    reading: Reading, path: list[tree_sitter.Node], depth: int, whole: tree_sitter.Node, at: int
) -> Reference | None:
    alias = path[depth].child_by_field_name("alias")
    if alias is not None and alias.start_byte == at:
        return None
    for index, imported in enumerate(reading.facts.imports):
        if imported.at == at:
            target = Name("\\" + imported.module, at)
            return Reference(imported.name or "", at, "import", target, import_index=index)
    return None


def _classified(
    reading: Reading, path: list[tree_sitter.Node], depth: int, whole: tree_sitter.Node, at: int
) -> Reference | None:
    """The kind of a use of `whole`, a child of the node at `depth` of the path."""
    parent = path[depth]
    kind = parent.type
    if kind in _CALLS:
        return _called(reading, path, depth, whole, at)
    if kind == "object_creation_expression":
        return _found(scope(reading, whole), at, "new", call_at=parent.start_byte)
    if kind in _BASES:
        return _based(reading, path, depth, whole, at)
    if kind == "attribute":
        return _found(class_named(reading, whole), at, "decorator", call_at=parent.start_byte)
    if kind == "named_type":
        if reading.text(whole).lower() in ("static", "self"):
            return None
        return _found(class_named(reading, whole), at, "type", in_type=True)
    if kind in MEMBER_READS:
        return _property(reading, path, depth, at)
    if kind == "class_constant_access_expression":
        return _constant(reading, path, depth, whole, at)
    if kind in ("scoped_property_access_expression",):
        return _found(scope(reading, whole), at, "value")
    if kind in _ADAPTED:
        return _adapted(reading, parent, whole, at)
    if kind == "binary_expression":
        operator = parent.child_by_field_name("operator")
        if operator is not None and operator.type.lower() == "instanceof" and _is_field(parent, "right", at, whole):
            return _found(class_named(reading, whole), at, "type")
    if whole.type == "relative_scope":
        return None
    return _found(expression(reading, whole), at, _kind_of(parent))


def _property(reading: Reading, path: list[tree_sitter.Node], depth: int, at: int) -> Reference | None:
    """A property that is read or assigned by the node at `depth` of the path."""
    access, around = path[depth], path[depth - 1]
    target = expression(reading, access)
    if not isinstance(target, Member) or target.at != at:
        return None  # a variable by whose value a property is named
    write = around.type in _ASSIGNMENTS and _is_field(around, "left", access.start_byte)
    stored = around.type == "subscript_expression" and around.named_children[0].start_byte == access.start_byte
    return _found(target, at, _kind_of(around), write=write, stored_into=stored and _is_stored(path, depth - 1))


def _found(
    target: Expression,
    at: int,
    kind: Kind,
    *,
    call_at: int = -1,
    in_type: bool = False,
    write: bool = False,
    stored_into: bool = False,
) -> Reference | None:
    if isinstance(target, Name):
        return Reference(target.id, at, kind, target, -1, call_at, in_type, write, stored_into)
    if isinstance(target, Member):
        return Reference(target.name, at, kind, target, -1, call_at, in_type, write, stored_into)
    return None


def _kind_of(around: tree_sitter.Node) -> Kind:
    return "argument" if around.type == "argument" else "value"


def _is_field(parent: tree_sitter.Node, field: str, at: int, whole: tree_sitter.Node | None = None) -> bool:
    start = whole.start_byte if whole is not None else at
    child = parent.child_by_field_name(field)
    return child is not None and child.start_byte == start


def _is_stored(path: list[tree_sitter.Node], depth: int) -> bool:
    """Whether the subscript at `depth` of the path is assigned to."""
    while depth > 0 and path[depth].type == "subscript_expression":
        depth -= 1
    return path[depth].type in _ASSIGNMENTS and _is_field(path[depth], "left", path[depth + 1].start_byte)


def _called(
    reading: Reading, path: list[tree_sitter.Node], depth: int, whole: tree_sitter.Node, at: int
) -> Reference | None:
    node = path[depth]
    if node.type == "scoped_call_expression" and _is_field(node, "scope", at, whole):
        return _found(scope(reading, whole), at, "value")
    field = "function" if node.type == "function_call_expression" else "name"
    if not _is_field(node, field, at, whole):
        return None
    target = callee_of(reading, node)
    listed = node.child_by_field_name("arguments")
    if is_reference_to_callable(listed):
        return _found(target, at, _kind_of(path[depth - 1]))
    return _found(target, at, "call", call_at=listed.start_byte if listed is not None else -1)


def _based(
    reading: Reading, path: list[tree_sitter.Node], depth: int, whole: tree_sitter.Node, at: int
) -> Reference | None:
    call_at = -1
    around = path[depth - 1]
    if path[depth].type == "base_clause" and around.type == "anonymous_class":
        body = next((child for child in around.named_children if child.type == "declaration_list"), None)
        if body is not None and b"__construct" not in reading.source[body.start_byte : body.end_byte]:
            call_at = path[depth - 2].start_byte
    return _found(class_named(reading, whole), at, "base", call_at=call_at)


def _constant(
    reading: Reading, path: list[tree_sitter.Node], depth: int, whole: tree_sitter.Node, at: int
) -> Reference | None:
    node = path[depth]
    parts = node.named_children
    around = path[depth - 1]
    if parts[0].start_byte == whole.start_byte:
        return _found(scope(reading, whole), at, _kind_of(around))
    if around.type in _ADAPTED:
        return _adapted(reading, around, whole, at, node)
    target = expression(reading, node)
    return _found(target, at, _kind_of(around)) if isinstance(target, Member) and target.at == at else None


def _adapted(
    reading: Reading, clause: tree_sitter.Node, whole: tree_sitter.Node, at: int, access: tree_sitter.Node | None = None
) -> Reference | None:
    """A method or trait in `use A, B { A::m insteadof B; m as n; }`. The name that is given is a declaration."""
    if clause.type == "use_instead_of_clause" and access is None:
        return _found(class_named(reading, whole), at, "value")
    given: str | None = None
    parts = [each for each in clause.named_children if each.type not in ("visibility_modifier", "comment")]
    if clause.type == "use_as_clause" and len(parts) > 1:
        given = reading.text(parts[1])
        if parts[1].start_byte == at:
            return None
    name = reading.text(whole)
    if given is not None:  # by this name the class has it, whatever it declares itself under the trait's
        return Reference(name, at, "value", Member(Name("self", at), given, at), given=given)
    owner: Expression = Name("self", at) if access is None else scope(reading, access.named_children[0])
    return Reference(name, at, "value", Member(owner, name, at))


def _in_string(reading: Reading, path: list[tree_sitter.Node], at: int) -> Reference | None:
    """`'Type::method'`, or the method's name in `[Type::class, 'method']` and `[$object, 'method']`."""
    depth = len(path) - 1
    while depth > 0 and path[depth].type in _STRINGS:
        depth -= 1
    string = path[depth + 1]
    text = reading.text(string)[1:-1]
    name = text[len(text) - len(reading.source[at : string.end_byte - 1].decode("utf-8", "replace")) :]
    kind = _kind_of(path[depth])
    if "::" in text:
        owner, _, method = text.rpartition("::")
        if method != name or not owner:
            return None
        full = "\\" + owner.replace("\\\\", "\\").lstrip("\\")
        return _found(Member(Name(full, at), method, at), at, kind)
    if (
        name != text
        or path[depth].type != "array_element_initializer"
        or path[depth - 1].type != "array_creation_expression"
    ):
        return None
    elements = [each for each in path[depth - 1].named_children if each.type == "array_element_initializer"]
    if len(elements) != 2 or elements[1].start_byte != path[depth].start_byte:
        return None
    first = elements[0].named_children
    if len(first) != 1 or len(elements[1].named_children) != 1:
        return None
    if first[0].type in ("string", "encapsed_string"):
        full = "\\" + reading.text(first[0])[1:-1].replace("\\\\", "\\").lstrip("\\")
        owned: Expression = Name(full, at)
    else:
        owned = expression(reading, first[0])
    if isinstance(owned, Super):
        return None
    outer = path[depth - 2] if depth >= 2 else path[depth - 1]
    return _found(Member(owned, name, at), at, _kind_of(outer))


# ------------------------------------------------------------------------------------------------------ arguments


def arguments_at(reading: Reading, call_at: int) -> Arguments | None:
    """What the call passes whose argument list, `new` or attribute starts at `call_at`."""
    path = reading.path(call_at)
    for depth in range(len(path) - 1, -1, -1):
        node = path[depth]
        if node.start_byte != call_at:
            break
        if node.type == "arguments":
            return _arguments(reading, node, path[:depth])
        if node.type == "function_call_expression":
            invoked = node.child_by_field_name("arguments")
            return _arguments(reading, invoked, path[: depth + 1]) if invoked is not None else None
        if node.type in ("object_creation_expression", "attribute"):
            inner = [node, *(each for each in node.named_children if each.type == "anonymous_class")][-1]
            listed = [each for each in inner.named_children if each.type == "arguments"]
            return _arguments(reading, listed[0], []) if listed else Arguments(0)
    return None


_EXPECTED = re.compile(rb"(?:should|will)[A-Z]\w*\Z")
_ANY_ARGUMENTS = re.compile(r"\\?(?:\w+\\)*Argument::cetera\(\)")
"""What Prophecy takes for all further arguments of a call that is expected."""
_TAKING = frozenset({"member_access_expression", "member_call_expression", "subscript_expression", "foreach_statement"})
"""Nodes that take something of the value that stands in them first."""


def _use(path: list[tree_sitter.Node]) -> Use:
    """What becomes of the result of the call at the end of a path."""
    depth = len(path) - 2
    while depth > 0 and path[depth].type == "parenthesized_expression":
        depth -= 1
    if depth < 0 or path[-1].type not in _CALLS:
        return "other"
    around, whole = path[depth], path[depth + 1]
    if around.type == "expression_statement":
        return "nothing"
    first = around.named_child(0)
    is_taken = around.type in _TAKING and first is not None and first.start_byte == whole.start_byte
    if not is_taken or first is None or first.end_byte != whole.end_byte or _is_expected(around):
        return "other"
    return "member"


def _is_expected(call: tree_sitter.Node) -> bool:
    """Whether the member that is called says in a test what a result is to be (phpspec's `->shouldReturn(1)`,
    Prophecy's `->willReturn(1)`): the result is wrapped there, so that nothing is taken of it."""
    name = call.child_by_field_name("name") if call.type == "member_call_expression" else None
    return name is not None and name.text is not None and _EXPECTED.match(name.text) is not None


def _arguments(reading: Reading, node: tree_sitter.Node, path: list[tree_sitter.Node]) -> Arguments | None:
    positional = 0
    keywords: list[str] = []
    spread = False
    for each in node.named_children:
        if each.type == "variadic_placeholder" or each.type == "ERROR":
            return None
        if each.type != "argument":
            continue
        name = each.child_by_field_name("name")
        unpacked = any(child.type == "variadic_unpacking" for child in each.named_children)
        if unpacked or _ANY_ARGUMENTS.fullmatch(reading.text(each)) is not None:
            spread = True
        elif name is not None:
            keywords.append(reading.text(name))
        else:
            positional += 1
    return Arguments(positional, tuple(keywords), spread, spread, use=_use(path), end=node.end_byte)

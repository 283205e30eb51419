"""What a declaration says of itself: its parameters, modifiers, bases and its text without the body."""

from __future__ import annotations

import re

from tree_sitter import Node

from graph.facts import CLIPPED, Parameter

LONGEST_DECLARATION = 1500
"""Bytes of a declaration that are kept; a default value may be a whole table."""
LONGEST_TYPE = 6000
"""The same of a type's, which is all that there is of it."""

_WORD = re.compile(rb"[A-Za-z]+|\*")
_SPACE = re.compile(r"\s+")
_KEPT = {
    b"static": "static",
    b"async": "async",
    b"abstract": "abstract",
    b"private": "private",
    b"protected": "protected",
    b"readonly": "readonly",
    b"declare": "declare",
    b"get": "property",
    b"set": "setter",
    b"*": "generator",
}

FUNCTION_VALUES = frozenset({"arrow_function", "function_expression", "generator_function"})
WRAPPERS = frozenset({"parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression"})
"""Expressions that change nothing of the value that they hold first."""

_KEEPING_CALLS = frozenset({b"Object.freeze", b"Object.seal", b"useCallback", b"React.useCallback"})
_COMPONENT_CALL = re.compile(
    rb"(?:React\.)?(?:forwardRef|memo|lazy|observer|dynamic|styled|withRouter|connect)\b[\s(.<`]"
)


def text(source: bytes, node: Node) -> str:
    """The node's source text; what isn't UTF-8 becomes U+FFFD."""
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def unwrapped(node: Node | None) -> Node | None:
    """The value inside parentheses, `as`, `satisfies`, `!`, and calls that give their first argument back."""
    inner = node
    for _ in range(40):
        if inner is None:
            return None
        kind = inner.type
        if kind in WRAPPERS:
            inner = inner.named_child(0)
        elif kind == "type_assertion":
            inner = inner.named_child(inner.named_child_count - 1)
        else:
            return inner
    return None


def kept_argument(source: bytes, node: Node) -> Node | None:
    """The argument that a call gives back as it is (`Object.freeze(x)`, `useCallback(f, [])`)."""
    callee = node.child_by_field_name("function")
    if callee is None or source[callee.start_byte : callee.end_byte] not in _KEEPING_CALLS:
        return None
    arguments = node.child_by_field_name("arguments")
    return None if arguments is None else unwrapped(arguments.named_child(0))


def makes_component(source: bytes, value: Node) -> bool:
    """Whether a call or tagged template is a known wrapper that gives a component (`memo(...)`, `styled.div`...``)."""
    start = value.start_byte
    return _COMPONENT_CALL.match(source[start : start + 40]) is not None


def modifiers(prefix: bytes) -> list[str]:
    """The modifiers among the words that stand between a member's start and its name."""
    if not prefix or prefix.isspace():
        return []
    return [_KEPT[word] for word in _WORD.findall(prefix) if word in _KEPT]


def parameters(source: bytes, node: Node | None) -> tuple[Parameter, ...]:
    """The parameters in a `formal_parameters` node (or the single bare identifier of an arrow function)."""
    if node is None or (node.end_byte - node.start_byte <= 2 and node.child_count):
        return ()
    if node.type == "identifier":
        return (Parameter(name=text(source, node)),)
    found: list[Parameter] = []
    for child in node.named_children:
        kind = child.type
        if kind in ("required_parameter", "optional_parameter"):
            pattern = child.child_by_field_name("pattern")
            if pattern is None or pattern.type == "this":
                continue
            annotation = child.child_by_field_name("type")
            given = None if annotation is None else text(source, annotation)[1:].strip()
            rest = pattern.type == "rest_pattern"
            optional = kind == "optional_parameter" or child.child_by_field_name("value") is not None
            found.append(_parameter(source, pattern, rest, optional, given))
        elif kind == "assignment_pattern":
            left = child.child_by_field_name("left")
            if left is not None:
                found.append(_parameter(source, left, False, True, None))
        elif kind in ("identifier", "object_pattern", "array_pattern", "rest_pattern"):
            found.append(_parameter(source, child, kind == "rest_pattern", False, None))
    return tuple(found)


def _parameter(source: bytes, pattern: Node, rest: bool, optional: bool, given: str | None) -> Parameter:
    name = text(source, pattern)
    if rest:
        name = name[3:].strip()
    if len(name) > 120 or not name.isidentifier():
        name = _SPACE.sub(" ", name)[:120]
    return Parameter(name=name, kind="rest" if rest else "positional", optional=optional or rest, type=given)


def returned(source: bytes, function: Node) -> str | None:
    """The text of a function's declared return type."""
    annotation = function.child_by_field_name("return_type")
    if annotation is None:
        return None
    return text(source, annotation).lstrip(":").strip()


def bases(source: bytes, node: Node) -> tuple[str, ...]:
    """The texts of what a class or interface extends and implements, in order."""
    found: list[str] = []
    for child in node.named_children:
        kind = child.type
        if kind == "class_heritage":
            for clause in child.named_children:
                if clause.type == "extends_clause":
                    first = clause.named_child(0)
                    if first is not None:
                        found.append(source[first.start_byte : clause.end_byte].decode("utf-8", "replace"))
                elif clause.type == "implements_clause":
                    found.extend(text(source, each) for each in clause.named_children)
                else:
                    found.append(text(source, clause))
        elif kind in ("extends_type_clause", "extends_clause"):
            found.extend(text(source, each) for each in child.named_children if each.type != "comment")
        elif kind.endswith("_body") or kind == "object_type":
            break
    return tuple(found)


def decorator_text(source: bytes, node: Node) -> str:
    """A decorator without its `@` and without its arguments."""
    inner: Node | None = node.named_child(0)
    if inner is not None and inner.type == "call_expression":
        inner = inner.child_by_field_name("function")
    return "" if inner is None else text(source, inner)


def own_decorators(node: Node) -> list[Node]:
    """The decorators that are children of `node` itself, in order."""
    found: list[Node] = []
    for child in node.named_children:
        if child.type != "decorator":
            break
        found.append(child)
    return found


def declaration(source: bytes, start: int, end: int, longest: int = LONGEST_DECLARATION) -> str:
    """The text from `start` to where the body starts; what is too long ends with a line of its own that says so."""
    if end - start <= longest:
        return source[start:end].decode("utf-8", "replace").strip()
    whole_lines = source.rfind(b"\n", start, start + longest)
    kept = source[start : whole_lines if whole_lines > start else start + longest].decode("utf-8", "replace").strip()
    return f"{kept}\n{CLIPPED}"


def real_children(node: Node) -> list[Node]:
    """The named children without comments."""
    return [child for child in node.named_children if child.type != "comment"]


def put_on(statement: Node) -> tuple[Node, Node, Node] | None:
    """The name, the property and the value of a statement `Name.property = value`; None for any other."""
    assignment = statement.named_child(0) if statement.type == "expression_statement" else None
    if assignment is None or assignment.type != "assignment_expression":
        return None
    left, right = assignment.child_by_field_name("left"), assignment.child_by_field_name("right")
    if left is None or right is None or left.type != "member_expression":
        return None
    owner, member = unwrapped(left.child_by_field_name("object")), left.child_by_field_name("property")
    if owner is None or member is None or owner.type != "identifier" or member.type != "property_identifier":
        return None
    return owner, member, right

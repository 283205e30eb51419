"""What an identifier at an offset refers to, and what a call passes."""

from __future__ import annotations

from typing import Literal

import msgspec
import tree_sitter

from graph.expressions import Arguments, Expression, Member, Name, Reference
from graph.languages.python.annotations import dotted, string_content
from graph.languages.python.lower import CLASS_NAME, expression
from graph.languages.python.reading import CLASS, FUNCTION, Reading
from graph.languages.python.scopes import function_scope
from graph.languages.python.uses import use_at

Kind = Literal["call", "new", "base", "jsx", "decorator", "argument", "value", "type", "import"]

_PARAMETER_LISTS = frozenset({"parameters", "lambda_parameters"})
_PATTERNS = frozenset({"pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern", "list_splat"})
_IMPORTS = frozenset({"import_statement", "import_from_statement", "future_import_statement"})


def reference_at(reading: Reading, at: int) -> Reference | None:
    """What the identifier at `at` refers to; None when it names nothing that exists elsewhere."""
    path = reading.path(at)
    node = path[-1]
    if node.start_byte <= at and node.type in ("string_content", "string"):
        return _in_annotation_string(reading, path, at)
    if node.type != "identifier" or node.start_byte != at:
        return None
    parent = path[-2] if len(path) > 1 else node
    kind = parent.type
    if kind == "dotted_name" or kind == "aliased_import":
        return _in_dotted(reading, path, at)
    if _is_definition_or_label(reading, path, node, parent):
        return None
    whole = node
    depth = len(path) - 1
    if kind == "attribute":
        name = parent.child_by_field_name("attribute")
        if name is not None and name.start_byte == at:
            whole = parent
            depth -= 1
    target = expression(reading.text, whole)
    if not isinstance(target, Name | Member):
        return None
    return _classified(reading, path, depth, whole, target, at)


def _is_definition_or_label(
    reading: Reading, path: list[tree_sitter.Node], node: tree_sitter.Node, parent: tree_sitter.Node
) -> bool:
    """Whether the identifier is bound here, or only labels something (a keyword argument's name)."""
    kind = parent.type
    at = node.start_byte
    if kind in (FUNCTION, CLASS, "keyword_argument", "default_parameter", "typed_default_parameter"):
        return _is_field(parent, "name", at)
    if kind in _PARAMETER_LISTS or kind == "typed_parameter":
        return kind != "typed_parameter" or (parent.start_byte == at)
    if kind in (
        "global_statement",
        "nonlocal_statement",
        "splat_pattern",
        "keyword_pattern",
        "dictionary_splat_pattern",
    ):
        return True
    if kind == "named_expression":
        return _is_field(parent, "name", at)
    if kind == "as_pattern_target":
        return True
    if kind == "as_pattern":  # `case C() as x`: the last child; `with x as y` and `except X as e` have a target node
        return (
            parent.child_by_field_name("alias") is None
            and parent.named_child(0) is not None
            and at != (parent.start_byte)
        )
    if kind in _PATTERNS or kind in ("assignment", "for_statement", "for_in_clause", "tuple", "list"):
        return _is_target(reading, path)
    if kind in ("type", "generic_type", "splat_type", "constrained_type"):
        return _declares_type_parameter(path, at)
    return False


def _is_field(parent: tree_sitter.Node, field: str, at: int) -> bool:
    child = parent.child_by_field_name(field)
    return child is not None and child.start_byte == at


def _is_target(reading: Reading, path: list[tree_sitter.Node]) -> bool:
    """Whether a bare name is (part of) what an assignment, a loop or `with ... as` binds.

    A global name assigned in a function is a use of the module's name: not a target here.
    """
    at = path[-1].start_byte
    for depth in range(len(path) - 2, -1, -1):
        node = path[depth]
        kind = node.type
        if kind in ("assignment", "for_statement", "for_in_clause"):
            left = node.child_by_field_name("left")
            inside = left is not None and left.start_byte <= at < left.end_byte
            return inside and not _is_global(reading, path)
        if kind == "as_pattern_target":
            return True
        if kind in _PARAMETER_LISTS or kind == "typed_parameter":  # `*args`, `*args: Any`
            return True
        if kind not in _PATTERNS and kind not in ("tuple", "list", "parenthesized_expression"):
            return False
    return False


def _is_global(reading: Reading, path: list[tree_sitter.Node]) -> bool:
    """Whether the innermost function around declares the name global."""
    if b"global " not in reading.source:
        return False
    name = reading.text.of(path[-1])
    for node in reversed(path):
        if node.type == "lambda":
            return False
        if node.type == FUNCTION:
            return name not in function_scope(reading, node).bindings and _declares_global(reading, node, name)
    return False


def _declares_global(reading: Reading, function: tree_sitter.Node, name: str) -> bool:
    word = name.encode()
    text = reading.source[function.start_byte : function.end_byte]
    return any(
        word in line.replace(b",", b" ").split()[1:]
        for line in text.splitlines()
        if line.lstrip().startswith(b"global ")
    )


def _declares_type_parameter(path: list[tree_sitter.Node], at: int) -> bool:
    """Whether the name is `T` in `def f[T]`, `class C[T: Bound]`, or the name of `type X[T] = ...`."""
    for depth in range(len(path) - 2, 0, -1):
        node = path[depth]
        kind = node.type
        if kind == "type_parameter":
            around = path[depth - 1]
            if around.type in (FUNCTION, CLASS):
                declaration = path[depth + 1]
                while declaration.type in ("type", "constrained_type", "splat_type"):
                    inner = declaration.named_child(0)
                    if inner is None:
                        return False
                    declaration = inner
                return declaration.start_byte == at
            if around.type == "generic_type" and depth >= 3 and path[depth - 3].type == "type_alias_statement":
                return _is_left(path[depth - 3], at)
            return False
        if kind == "type_alias_statement":
            return _is_left(node, at)
        if kind not in ("type", "generic_type", "constrained_type", "splat_type"):
            return False
    return False


def _is_left(alias: tree_sitter.Node, at: int) -> bool:
    left = alias.child_by_field_name("left")
    return left is not None and left.start_byte <= at < left.end_byte


# -------------------------------------------------------------------------------------------------- dotted names


def _in_dotted(reading: Reading, path: list[tree_sitter.Node], at: int) -> Reference | None:
    """A name in an import or in a case pattern."""
    statement = next((n for n in reversed(path) if n.type in _IMPORTS or n.type == "case_clause"), None)
    if statement is None:
        return None
    name = reading.text.of(path[-1])
    if statement.type == "case_clause":
        return _in_pattern(reading, path, name, at)
    for index, imported in reading.imports_between(statement.start_byte, statement.end_byte):
        if imported.at == at:
            return Reference(name, at, "import", Name(imported.local or name, at), index)
    return None


def _in_pattern(reading: Reading, path: list[tree_sitter.Node], name: str, at: int) -> Reference | None:
    """`case mod.C(...)`, `case Color.RED`; a bare name there is a capture."""
    dotted = path[-2]
    parts = [c for c in dotted.named_children if c.start_byte <= at]
    around = path[-3] if len(path) > 2 else None
    is_class = around is not None and around.type == "class_pattern"
    if not is_class and dotted.named_child_count < 2:
        return None
    target: Expression = Name(reading.text.of(parts[0]), parts[0].start_byte)
    for part in parts[1:]:
        target = Member(target, reading.text.of(part), part.start_byte)
    return Reference(name, at, "value", target)


# ------------------------------------------------------------------------------------------------ classification


def _classified(
    reading: Reading,
    path: list[tree_sitter.Node],
    depth: int,
    whole: tree_sitter.Node,
    target: Name | Member,
    at: int,
) -> Reference:
    """The kind of a use: `whole` is the node at `depth` of the path, lowered to `target`."""
    name = target.id if isinstance(target, Name) else target.name
    up = depth - 1
    node = whole
    while up > 0 and path[up].type == "parenthesized_expression":
        node = path[up]
        up -= 1
    if (
        path[up].type == "subscript"
        and path[up - 1].type == "call"
        and CLASS_NAME.fullmatch(name)
        and _is_field(path[up], "value", node.start_byte)
        and _is_field(path[up - 1], "function", node.start_byte)
    ):
        node, up = path[up], up - 1  # Box[int](...)
    parent = path[up] if up >= 0 else node
    kind = parent.type
    if kind == "call" and _is_field(parent, "function", node.start_byte):
        arguments = parent.child_by_field_name("arguments")
        call_at = arguments.start_byte if arguments is not None else -1
        decorator = path[up - 1].type == "decorator" if up > 0 else False
        return Reference(name, at, "decorator" if decorator else "call", target, call_at=call_at)
    if kind == "decorator":
        return Reference(name, at, "decorator", target)
    if _in_type(path, depth):
        return Reference(name, at, "type", target, in_type=True)
    if kind == "argument_list":
        base = up > 0 and path[up - 1].type == CLASS
        return Reference(name, at, "base" if base else "argument", target)
    if kind == "keyword_argument":
        in_class = up > 1 and path[up - 2].type == CLASS
        return Reference(name, at, "value" if in_class else "argument", target)
    if kind == "subscript" and up > 1 and path[up - 1].type == "argument_list" and path[up - 2].type == CLASS:
        if _is_field(parent, "value", node.start_byte):
            return Reference(name, at, "base", target)
        return Reference(name, at, "value", target, in_type=True)  # `Base[Model]`: a value that the class is made with
    if kind == "raise_statement" and name[:1].isupper() and parent.named_children[0].start_byte == node.start_byte:
        return Reference(name, at, "new", target)  # `raise Missing` makes the exception
    subscripted = up
    while subscripted > 0 and path[subscripted].type == "subscript" and path[subscripted].start_byte == node.start_byte:
        subscripted -= 1
    stored = subscripted < up and _is_written(path, subscripted, path[subscripted + 1])
    return Reference(name, at, "value", target, write=_is_written(path, up, node), stored_into=stored)


def _in_type(path: list[tree_sitter.Node], depth: int) -> bool:
    """Whether the node stands in an annotation (but not in a call there: `Annotated[int, Field(gt=LIMIT)]`)."""
    for up in range(depth - 1, 0, -1):
        kind = path[up].type
        if kind in ("type", "type_parameter"):
            return True
        if kind in ("call", "block", "module", "lambda", "argument_list", "decorator"):
            return False
    return False


def _is_written(path: list[tree_sitter.Node], up: int, node: tree_sitter.Node) -> bool:
    """Whether the node is what an assignment, loop, `with ... as` or `del` changes."""
    while up > 0 and (path[up].type in _PATTERNS or path[up].type in ("tuple", "list")):
        up -= 1
    parent = path[up]
    kind = parent.type
    if kind in ("assignment", "augmented_assignment", "for_statement", "for_in_clause"):
        left = parent.child_by_field_name("left")
        return left is not None and left.start_byte <= node.start_byte and node.end_byte <= left.end_byte
    return kind in ("as_pattern_target", "delete_statement")


# ------------------------------------------------------------------------------------------ annotations in strings


def _in_annotation_string(reading: Reading, path: list[tree_sitter.Node], at: int) -> Reference | None:
    """A name in a string that stands where a type does."""
    depth = next((d for d in range(len(path) - 1, 0, -1) if path[d].type == "string"), -1)
    if depth < 1 or not _in_type(path, depth):
        return None
    content = string_content(path[depth])
    if content is None or not content.start_byte <= at < content.end_byte:
        return None
    source = reading.source
    start = at
    while start > content.start_byte and (source[start - 1 : start].isalnum() or source[start - 1] in b"._"):
        start -= 1
    end = at
    while end < content.end_byte and (source[end : end + 1].isalnum() or source[end] == ord("_") or source[end] > 127):
        end += 1
    if end == at:
        return None
    target: Expression | None = None
    offset = start
    for part in source[start:end].decode("utf-8", "replace").split("."):
        if not part:
            return None
        target = Name(part, offset) if target is None else Member(target, part, offset)
        offset += len(part.encode()) + 1
    if not isinstance(target, Name | Member):
        return None
    name = target.id if isinstance(target, Name) else target.name
    return Reference(name, at, "type", target, in_type=True)


# ------------------------------------------------------------------------------------------------------ arguments


def arguments_at(reading: Reading, call_at: int) -> Arguments | None:
    """What the call passes whose argument list starts at `call_at`."""
    path = reading.path(call_at)
    node = next(
        (n for n in path if n.start_byte == call_at and n.type in ("argument_list", "generator_expression")), None
    )
    if node is None:
        return None
    use, taken = use_at(path[: path.index(node)])
    if node.type == "generator_expression":
        return Arguments(1, literals=(None,), taken=taken, use=use, end=node.end_byte)
    passed = _passed(reading, node.named_children, node.end_byte)
    return msgspec.structs.replace(passed, taken=taken, use=use) if passed is not None else None


def passed_ahead(reading: Reading, at: int) -> Arguments | None:
    """What `partial` binds to the function that stands at `at`, its first argument."""
    path = reading.path(at)
    depth = len(path) - 1
    while depth > 0 and path[depth].type in ("identifier", "attribute") and path[depth].end_byte == path[-1].end_byte:
        depth -= 1
    call, node = path[depth - 1], path[depth]
    callee = call.child_by_field_name("function") if depth > 0 and call.type == "call" else None
    is_list = node.type == "argument_list" and depth + 1 < len(path)
    if not is_list or not reading.text.spellings.is_partial(dotted(reading.text, callee) or ""):
        return None
    first, *others = [each for each in node.named_children if each.type != "comment"]
    found = _passed(reading, others, node.end_byte) if first.id == path[depth + 1].id else None
    return msgspec.structs.replace(found, ahead=True) if found is not None else None


def _passed(reading: Reading, children: list[tree_sitter.Node], end: int) -> Arguments | None:
    """What the arguments of a call come to; None where one can't be read."""
    positional = 0
    keywords: list[str] = []
    spread = spread_keywords = False
    for child in children:
        kind = child.type
        if kind == "comment":
            continue
        if kind == "ERROR":
            return None
        if kind == "keyword_argument":
            name = child.child_by_field_name("name")
            if name is not None:
                keywords.append(reading.text.of(name))
        elif kind == "list_splat":
            spread = True
        elif kind == "dictionary_splat":
            spread_keywords = True
        else:
            positional += 1
    return Arguments(positional, tuple(keywords), spread, spread_keywords, (None,) * positional, end=end)

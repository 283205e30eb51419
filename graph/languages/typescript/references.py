"""What an identifier in the text refers to."""

from __future__ import annotations

from typing import Literal

from tree_sitter import Node

from graph import expressions as x
from graph.languages.reading import occurrences, paths, whole_words
from graph.languages.typescript import declarations as said
from graph.languages.typescript.code import FUNCTIONS, Code
from graph.languages.typescript.displaced import called_as
from graph.languages.typescript.lower import destructured, lower, lowered_alone
from graph.languages.typescript.modulefacts import string_value
from graph.languages.typescript.scopes import own_bindings, stated_annotation

Kind = Literal["call", "new", "base", "jsx", "decorator", "argument", "value", "type", "import"]

_NAMES = frozenset(
    {
        "identifier", "property_identifier", "type_identifier", "shorthand_property_identifier",
        "shorthand_property_identifier_pattern", "private_property_identifier",
    }
)  # fmt: skip
_PATTERNS = frozenset(
    {
        "object_pattern",
        "array_pattern",
        "pair_pattern",
        "assignment_pattern",
        "object_assignment_pattern",
        "rest_pattern",
    }
)
_NEVER = frozenset(
    {
        "jsx_attribute", "jsx_namespace_name", "jsx_closing_element", "type_parameter", "infer_type",
        "mapped_type_clause", "namespace_export", "enum_body", "meta_property", "labeled_statement",
        "property_signature", "method_signature", "abstract_method_signature",
    }
)  # fmt: skip
"""Parents in which an identifier names nothing that is declared elsewhere."""
_NAMED = frozenset({"class", "class_declaration", "enum_declaration", "internal_module", "function_signature"})
_TYPES = frozenset(
    {
        "type_annotation", "type_arguments", "generic_type", "union_type", "intersection_type", "array_type",
        "tuple_type", "function_type", "constructor_type", "type_query", "lookup_type", "index_type_query",
        "conditional_type", "type_alias_declaration", "readonly_type", "optional_type", "rest_type", "type_predicate",
        "type_predicate_annotation", "constraint", "default_type", "parenthesized_type", "template_type",
        "index_signature", "nested_type_identifier", "asserts_annotation", "as_expression", "satisfies_expression",
    }
)  # fmt: skip


def places_of(code: Code, word: str) -> tuple[int, ...]:
    """Where a word stands as a name."""
    found = []
    if word.startswith("#") or code.root.has_error:  # may stand right after another
        spots = occurrences(code.source, word)
    else:
        spots = whole_words(code.source, word, wide=False)
    for at, end, nodes in paths(code.root, spots):
        node = nodes[-1]
        if node.type in _NAMES and node.start_byte == at and node.end_byte == end:
            code.remember(at, nodes)
            found.append(at)
    return tuple(found)


def reference(code: Code, at: int) -> x.Reference | None:
    """What the identifier at `at` refers to; None when it refers to nothing."""
    way = code.way(at)
    node = way[-1]
    if node.type == "string_fragment":
        return _module_itself(code, way, at)
    if node.type == "default" and at in code.import_at:  # `export { default as x } from`
        return _import(code, code.import_at[at], at)
    if node.type not in _NAMES or node.start_byte != at or len(way) < 2:
        return None
    parent = way[-2]
    kind = parent.type
    if kind in ("import_specifier", "import_clause", "namespace_import", "import_require_clause", "export_specifier"):
        return _specifier(code, node, way)
    imported = code.import_at.get(at, -1)
    if imported >= 0 and _in_declarator(way):
        return _import(code, imported, at)
    if at in code.definition_at:
        return _default_or_none(code, node, way)
    if kind in _NEVER:
        return None
    if node.type == "type_identifier":
        return _type(code, node, way)
    if node.type in ("property_identifier", "private_property_identifier"):
        return _property(code, node, way)
    if node.type == "shorthand_property_identifier":
        name = code.text(node)
        return x.Reference(name, at, "value", x.Name(name, at))
    if node.type == "shorthand_property_identifier_pattern":
        return _taken(code, node, way)
    return _identifier(code, node, way)


def _in_declarator(way: list[Node]) -> bool:
    return any(each.type == "variable_declarator" for each in reversed(way[-12:]))


def _default_or_none(code: Code, node: Node, way: list[Node]) -> x.Reference | None:
    """A definition's own name refers to nothing, but a destructured one also reads the property that it takes."""
    if node.type == "shorthand_property_identifier_pattern":
        return _taken(code, node, way)
    return None


def _import(code: Code, index: int, at: int) -> x.Reference:
    imported = code.facts.imports[index]
    target: x.Expression = x.ModuleExpression(imported.module)
    if imported.name is not None:
        target = x.Member(target, imported.name, at)
    return x.Reference(imported.name or imported.local or "", at, "import", target, import_index=index)


def _module_itself(code: Code, way: list[Node], at: int) -> x.Reference | None:
    """What is done with `require("x")` or `import("x")` as a value, by the specifier's place: `require("x")(app)`."""
    if at not in code.import_at or len(way) < 5 or way[-4].type != "call_expression":
        return None
    target = lower(code, way[-4])
    if not isinstance(target, x.ModuleExpression):
        return None
    return _used(code, way[:-3], target, target.module, at)


def _specifier(code: Code, node: Node, way: list[Node]) -> x.Reference | None:
    index = code.import_at.get(node.start_byte, -1)
    return _import(code, index, node.start_byte) if index >= 0 else None


# ----------------------------------------------------------------------------------------------------- identifiers


def _identifier(code: Code, node: Node, way: list[Node]) -> x.Reference | None:
    parent = way[-2]
    kind = parent.type
    at = node.start_byte
    name = code.text(node)
    if kind in ("required_parameter", "optional_parameter"):
        if _is_field(parent, "pattern", node) or _is_field(parent, "name", node):
            return None
    elif kind == "formal_parameters" or (kind in FUNCTIONS and not _is_field(parent, "body", node)):
        return None
    elif kind in ("variable_declarator", "catch_clause"):
        if not _is_field(parent, "value", node):
            return None
    elif kind == "for_in_statement":
        if _is_field(parent, "left", node):
            if parent.child_by_field_name("kind") is not None:
                return None
            return x.Reference(name, at, "value", x.Name(name, at), write=True)
    elif kind in _PATTERNS:
        if not (kind in ("assignment_pattern", "object_assignment_pattern") and _is_field(parent, "right", node)):
            if not _assigns(way):
                return None
            return x.Reference(name, at, "value", x.Name(name, at), write=True)
    elif kind == "import_alias":
        if parent.named_child(0) == node:
            return None
    elif kind in ("index_signature", "type_predicate", "asserts"):
        if not _is_field(parent, "type", node):
            return None
    elif kind in _NAMED:
        return None
    elif (
        kind == "export_statement"
        and parent.child_by_field_name("value") != node
        and not any(child.type == "=" for child in parent.children)
    ):
        return None  # `export as namespace X`, where `export = x` refers to x
    if kind == "computed_property_name":
        return x.Reference(name, at, "value", x.Name(name, at))
    return _used(code, way, x.Name(name, at), name, at)


def _is_field(parent: Node, field: str, node: Node) -> bool:
    return parent.child_by_field_name(field) == node


def _assigns(way: list[Node]) -> bool:
    """Whether the pattern that ends `way` assigns to what exists (`[a, b] = c`) instead of declaring."""
    for each in reversed(way[:-1]):
        if each.type in _PATTERNS:
            continue
        if each.type == "assignment_expression":
            return True
        return each.type == "for_in_statement" and each.child_by_field_name("kind") is None
    return False


def _used(code: Code, way: list[Node], target: x.Expression, name: str, at: int) -> x.Reference | None:
    """The reference that the expression at the end of `way` makes, by what is done with its value."""
    position = len(way) - 1
    if any(each.type == "type_query" or each.type in ("nested_type_identifier",) for each in way[-4:-1]):
        return x.Reference(name, at, "type", target, in_type=True)
    while position > 0:
        node, parent = way[position], way[position - 1]
        kind = parent.type
        if kind in said.WRAPPERS or kind == "instantiation_expression":
            if kind in ("as_expression", "satisfies_expression") and parent.named_child(0) != node:
                return x.Reference(name, at, "type", target, in_type=True)
            position -= 1
            continue
        if kind == "type_assertion" and parent.named_child(parent.named_child_count - 1) == node:
            position -= 1
            continue
        break
    position = called_as(way, position)
    if position == 0:
        return x.Reference(name, at, "value", target)
    node, parent = way[position], way[position - 1]
    return _by_parent(code, node, parent, way[: position - 1], target, name, at)


def _by_parent(
    code: Code, node: Node, parent: Node, above: list[Node], target: x.Expression, name: str, at: int
) -> x.Reference | None:
    kind = parent.type
    if kind == "call_expression" and _is_field(parent, "function", node):
        arguments = parent.child_by_field_name("arguments")
        call_at = arguments.start_byte if arguments is not None and arguments.type == "arguments" else -1
        how: Kind = "decorator" if above and above[-1].type == "decorator" else "call"
        return x.Reference(name, at, how, target, call_at=call_at)
    if kind == "new_expression" and _is_field(parent, "constructor", node):
        arguments = parent.child_by_field_name("arguments")
        call_at = parent.start_byte if arguments is None else arguments.start_byte
        return x.Reference(name, at, "new", target, call_at=call_at)
    if kind == "decorator":
        return x.Reference(name, at, "decorator", target)
    if kind in ("jsx_opening_element", "jsx_self_closing_element") and _is_field(parent, "name", node):
        if node.type == "identifier" and not (name[:1].isupper() or name[:1] in "_$"):
            return None
        return x.Reference(name, at, "jsx", target)
    if kind == "jsx_closing_element":
        return None
    if kind in ("extends_clause", "class_heritage"):
        return x.Reference(name, at, "base", target)
    if kind == "arguments" or (kind == "spread_element" and above and above[-1].type == "arguments"):
        return x.Reference(name, at, "argument", target, by_position=True)
    if kind in ("assignment_expression", "augmented_assignment_expression") and _is_field(parent, "left", node):
        return x.Reference(name, at, "value", target, write=True)
    if kind == "update_expression":
        return x.Reference(name, at, "value", target, write=True)
    if kind in _PATTERNS or (kind == "for_in_statement" and _is_field(parent, "left", node)):
        return x.Reference(name, at, "value", target, write=_assigns([*above, parent, node]))
    if kind == "member_expression" and any(each.type.startswith("jsx_") for each in above[-3:]):
        holder = next((each for each in reversed(above) if each.type != "member_expression"), None)
        if holder is not None and holder.type == "jsx_closing_element":
            return None
        if holder is not None and holder.type in ("jsx_opening_element", "jsx_self_closing_element"):
            return x.Reference(name, at, "jsx", target)
    if kind in _TYPES and kind not in ("as_expression", "satisfies_expression"):
        return x.Reference(name, at, "type", target, in_type=True)
    whole = _is_whole(code, node, parent)
    return x.Reference(name, at, "value", target, given=_given(code, node, parent, above), by_position=whole)


def _is_whole(code: Code, node: Node, parent: Node) -> bool:
    """Whether a value is taken as it is, so that any property of it may matter: none is taken out by its name."""
    kind = parent.type
    if kind in ("member_expression", "nested_identifier") and _is_field(parent, "object", node):
        return False
    if kind == "subscript_expression" and _is_field(parent, "object", node):
        return string_value(code.source, parent.child_by_field_name("index")) is None
    if kind in ("variable_declarator", "assignment_expression"):
        pattern = parent.child_by_field_name("name") or parent.child_by_field_name("left")
        if pattern is not None and pattern.type == "object_pattern":
            return any(each.type == "rest_pattern" for each in pattern.named_children)
    return kind not in ("export_statement", "export_specifier")


def _given(code: Code, node: Node, parent: Node, above: list[Node]) -> str | None:
    """The property that is given the value: of what a statement of the module puts it on, of the class whose static
    field it is, or, if it begins as components do, of an object literal."""
    kind = parent.type
    if kind == "assignment_expression" and len(above) == 2:
        put = said.put_on(above[-1])
        return code.text(put[1]) if put is not None and put[2] == node else None
    if kind == "pair" and _is_field(parent, "value", node):
        key = parent.child_by_field_name("key")
        name = code.text(key) if key is not None and key.type == "property_identifier" else ""
        return name if name[:1].isupper() else None
    if kind in ("public_field_definition", "field_definition") and _is_field(parent, "value", node):
        key = parent.child_by_field_name("name") or parent.child_by_field_name("property")
        is_static = any(child.type == "static" for child in parent.children)
        return code.text(key) if is_static and key is not None and key.type == "property_identifier" else None
    return None


# ------------------------------------------------------------------------------------------------------- properties


def _property(code: Code, node: Node, way: list[Node]) -> x.Reference | None:
    parent = way[-2]
    kind = parent.type
    at = node.start_byte
    if kind in ("member_expression", "nested_identifier"):
        if not _is_field(parent, "property", node):
            return None
        owner = parent.child_by_field_name("object")
        if owner is not None and owner.type == "meta_property":
            return None
        target = _imported_type(code, owner, code.text(node), at)
        return _used(code, way[:-1], target or lowered_alone(code, parent), code.text(node), at)
    if kind == "pair_pattern" and _is_field(parent, "key", node):
        return _taken(code, node, way)
    if kind == "binary_expression":  # `#x in value`
        right = parent.child_by_field_name("right")
        return x.Reference(code.text(node), at, "value", x.Member(lower(code, right), code.text(node), at))
    return None


def _imported_type(code: Code, owner: Node | None, name: str, at: int) -> x.Expression | None:
    """`import('./x').Foo` in a type."""
    callee = owner.child_by_field_name("function") if owner is not None and owner.type == "call_expression" else None
    if owner is None or callee is None or callee.type != "import":
        return None
    arguments = owner.child_by_field_name("arguments")
    module = string_value(code.source, None if arguments is None else arguments.named_child(0))
    return None if module is None else x.Member(x.ModuleExpression(module), name, at)


def _taken(code: Code, node: Node, way: list[Node]) -> x.Reference | None:
    """A property that a destructuring pattern takes out of its value."""
    at = node.start_byte
    name = code.text(node)
    position = len(way) - 2
    while position > 0 and way[position].type in _PATTERNS:
        position -= 1
    holder, pattern = way[position], way[position + 1]
    value = _pattern_value(code, holder, pattern, way[: position + 1], at)
    if value is None:
        value = x.Unknown()
    for bound in destructured(code, pattern, value):
        if bound.key.start_byte == at:
            taken = bound.value
            if isinstance(taken, x.Either) and isinstance(taken.options[0], x.Member):
                taken = taken.options[0]
            if isinstance(taken, x.Member) and taken.at == at:
                return x.Reference(name, at, "value", taken)
    return None


def _pattern_value(code: Code, holder: Node, pattern: Node, way: list[Node], at: int) -> x.Expression | None:
    """What a whole pattern takes apart, by the declaration or assignment that holds it."""
    kind = holder.type
    if kind == "variable_declarator":
        annotation = stated_annotation(code, holder)
        value = lower(code, holder.child_by_field_name("value"))
        return value if annotation is None else x.Cast(annotation, value)
    if kind == "assignment_expression":
        return lower(code, holder.child_by_field_name("right"))
    if kind == "for_in_statement":
        waits = any(child.type == "await" for child in holder.children)
        return x.Element(lower(code, holder.child_by_field_name("right")), waits)
    # A parameter: the scope of its function knows what it takes. Any name that the pattern binds leads there.
    for position in range(len(way) - 1, -1, -1):
        if way[position].type in FUNCTIONS:
            bindings = own_bindings(code, way, position)
            for bound in destructured(code, pattern, x.Unknown()):
                if bound.binding is None:
                    continue
                for binding in bindings.get(code.text(bound.binding), ()):
                    if binding.at == bound.binding.start_byte and binding.value is not None:
                        root = _root(binding.value, bound.value)
                        if root is not None:
                            return root
            return None
    return None


def _root(value: x.Expression, shape: x.Expression) -> x.Expression | None:
    """What stands in `value` where `shape` has Unknown: both are the same steps into a pattern's value."""
    while True:
        if isinstance(shape, x.Unknown):
            return value
        if isinstance(shape, x.Either) and isinstance(value, x.Either):
            shape, value = shape.options[0], value.options[0]
        elif isinstance(shape, x.Member) and isinstance(value, x.Member):
            shape, value = shape.object, value.object
        elif isinstance(shape, x.Item) and isinstance(value, x.Item):
            shape, value = shape.value, value.value
        else:
            return None


# ------------------------------------------------------------------------------------------------------------ types


def _type(code: Code, node: Node, way: list[Node]) -> x.Reference | None:
    at = node.start_byte
    name = code.text(node)
    position = len(way) - 1
    parent = way[position - 1]
    target: x.Expression = x.Name(name, at)
    if parent.type == "nested_type_identifier":
        target = lower(code, parent)
        position -= 1
        parent = way[position - 1]
    if parent.type == "generic_type":
        position -= 1
        parent = way[position - 1]
    if parent.type in ("implements_clause", "extends_type_clause"):
        return x.Reference(name, at, "base", target, in_type=True)
    if parent.type in ("class", "class_declaration", "abstract_class_declaration", "interface_declaration",
                       "type_alias_declaration") and _is_field(parent, "name", way[position]):  # fmt: skip
        return None
    return x.Reference(name, at, "type", target, in_type=True)

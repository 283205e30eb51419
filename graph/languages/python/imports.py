"""Import statements of a Python file, one by one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

import tree_sitter

from graph.facts import Import, ImportKind

_CHECKING = frozenset({b"TYPE_CHECKING", b"typing.TYPE_CHECKING", b"t.TYPE_CHECKING"})
DYNAMIC = frozenset({"importlib", "import_module", "__import__"})
"""Names of which one is in every file that has dynamic imports."""
_DYNAMIC = re.compile(
    rb"\b(?:importlib\s*\.\s*import_module|import_module|__import__)\s*\(\s*([rRuU]?)(['\"])([\w.\x80-\xff]+)\2"
)


_AS = r"(?:\s++as\s++\w++)?+"
_FROM = re.compile(
    rf"from\s++([.\w]++)\s++import\b\s*+(\(?+\s*+\w++{_AS}(?:\s*+,\s*+\w++{_AS})*+\s*+,?+\s*+\)?+)", re.ASCII
)
_DOTTED = rf"\w++(?:\.\w++)*+{_AS}"
_IMPORT = re.compile(rf"import\s++({_DOTTED}(?:\s*+,\s*+{_DOTTED})*+\s*+)", re.ASCII)
_ITEM = re.compile(r"([\w.]+)(?:\s+as\s+(\w+))?", re.ASCII)
SILENT_DOTS = re.compile(rb"[ \t\f]*+(?:from[ \t]++[.\w]++[ \t]++import\b|import[ \t]++[.\w]++)")
"""See `Language.silent_dots`."""
_LONGEST_REMEMBERED = 500  # bytes of a statement: hostile ones are long


def _decoded(name: bytes) -> str:
    return name.decode("utf-8", "replace")


def imports_of(source: bytes, node: tree_sitter.Node, line: int, kind: ImportKind, top: bool) -> list[Import]:
    """What one `import` or `from` statement at `line` brings in."""
    start = counted = node.start_byte
    text = source[start : node.end_byte]
    plain = (_plain_remembered if len(text) <= _LONGEST_REMEMBERED else plain_imports)(text)  # much faster
    if plain is not None and not node.has_error:
        return [
            Import(each.module, each.name, each.local, start + each.at, line + each.line, kind, None, top)
            for each in plain
        ]
    found: list[Import] = []

    def line_of(at: int) -> int:  # asked in the order of the offsets
        nonlocal line, counted
        line += source.count(b"\n", counted, at)
        counted = at
        return line

    if node.type == "import_statement":
        for child in node.named_children:
            dotted, alias = _split(child)
            if dotted is None:
                continue
            module, parts = _dotted(source, dotted)
            if not parts:
                continue
            first, last = parts[0].start_byte, parts[-1].start_byte
            local = _decoded(source[alias.start_byte : alias.end_byte]) if alias is not None else None
            found += _whole(module, local, first, line_of(first), last, line_of(last), kind, top)
        return found
    module_node = node.child_by_field_name("module_name")
    if module_node is None:
        return found
    module = _specifier(source, module_node)
    for child in node.named_children:
        if child.start_byte <= module_node.start_byte:
            continue
        if child.type == "wildcard_import":
            at = child.start_byte
            found.append(Import(module, None, None, at, line_of(at), "star", None, top))
            continue
        dotted, alias = _split(child)
        if dotted is None:
            continue
        name, parts = _dotted(source, dotted)
        if parts:
            at = parts[0].start_byte
            local = _decoded(source[alias.start_byte : alias.end_byte]) if alias is not None else name
            found.append(Import(module, name, local, at, line_of(at), kind, None, top))
    return found


def plain_imports(statement: bytes) -> tuple[Import, ...] | None:
    """What a statement without comments and the like brings in, by its text. Offsets and lines count from its start."""
    if not statement.isascii():
        return None
    text = statement.decode("ascii")
    found: list[Import] = []
    line = counted = 0
    plain = _FROM.fullmatch(text)
    if plain is not None:
        module = plain.group(1)
        for item in _ITEM.finditer(text, plain.start(2)):
            name, alias = item.groups()
            at = item.start()
            line += text.count("\n", counted, at)
            counted = at
            found.append(Import(module, name, alias or name, at, line))
        return tuple(found)
    plain = _IMPORT.fullmatch(text)
    if plain is None:
        return None
    for item in _ITEM.finditer(text, plain.start(1)):
        module, alias = item.groups()
        first = item.start()
        last = first + module.rfind(".") + 1
        line += text.count("\n", counted, first)
        counted = first
        found += _whole(module, alias, first, line, last, line, "import", True)
    return tuple(found)


_plain_remembered = lru_cache(maxsize=4096)(plain_imports)  # the same statement stands in many files


def _whole(
    module: str, local: str | None, first: int, first_line: int, last: int, last_line: int, kind: ImportKind, top: bool
) -> Iterator[Import]:
    """What `import a.b` or `import a.b as local` brings in, whose first and last part stand there."""
    if local is not None:
        yield Import(module, None, local, last, last_line, kind, None, top)
        return
    head = module.partition(".")[0]
    if head != module:
        yield Import(module, None, None, last, last_line, kind, None, top)
    yield Import(head, None, head, first, first_line, kind, None, top)


def _split(node: tree_sitter.Node) -> tuple[tree_sitter.Node | None, tree_sitter.Node | None]:
    if node.type == "dotted_name":
        return node, None
    if node.type == "aliased_import":
        return node.child_by_field_name("name"), node.child_by_field_name("alias")
    return None, None


def _dotted(source: bytes, node: tree_sitter.Node) -> tuple[str, list[tree_sitter.Node]]:
    parts = [c for c in node.named_children if c.type == "identifier" and c.end_byte > c.start_byte]
    return ".".join(_decoded(source[p.start_byte : p.end_byte]) for p in parts), parts


def _specifier(source: bytes, node: tree_sitter.Node) -> str:
    """The module as written, without blanks: `..pkg.mod`, `pkg.mod`, `.`."""
    return _decoded(b"".join(source[node.start_byte : node.end_byte].split()))


def dynamic_imports(source: bytes, root: tree_sitter.Node) -> list[Import]:
    """`importlib.import_module("a.b")` and `__import__("a.b")` with a literal; `top` is left to the caller."""
    found: list[Import] = []
    for match in _DYNAMIC.finditer(source):
        at = match.start()
        node = root.descendant_for_byte_range(at, at + 1)
        if node is None or node.type != "identifier":  # in a comment or a string
            continue
        module = _decoded(match.group(3))
        found.append(Import(module, None, None, match.start(3), source.count(b"\n", 0, at) + 1, "dynamic"))
    return found


def type_checking_spans(source: bytes, root: tree_sitter.Node) -> list[tuple[int, int]]:
    """The blocks under `if TYPE_CHECKING:` at any depth of `if`, `try` and `with` at module level."""
    found: list[tuple[int, int]] = []
    stack = list(root.named_children)
    while stack:
        node = stack.pop()
        kind = node.type
        if kind == "if_statement":
            condition = node.child_by_field_name("condition")
            block = node.child_by_field_name("consequence")
            text = source[condition.start_byte : condition.end_byte] if condition is not None else b""
            if text in _CHECKING and block is not None:
                found.append((block.start_byte, block.end_byte))
                stack.extend(c for c in node.named_children if c.type in ("else_clause", "elif_clause"))
                continue
        if kind in _HOLDERS:
            stack.extend(node.named_children)
    return found


_HOLDERS = frozenset(
    {
        "if_statement",
        "elif_clause",
        "else_clause",
        "try_statement",
        "except_clause",
        "finally_clause",
        "with_statement",
        "block",
    }
)

"""What the type checkers say of a tree: pyright and TypeScript, each asked for the errors at calls in some files.

An error is put at the call that it is about: `Misfit.line` is the line of the name that is called there (of `send` in
`api.client.send(...)`), as Callsheet gives it for callers. Only errors of arity, keywords and properties count as
misfits; an argument of another type is none (`typed`), since nothing was asked about types: so an object with a
property too few or too many is a misfit where it is written as a literal in the call, not where it is a variable.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tree_sitter import Node

from graph.languages import language_of

_CALLS = frozenset(
    {"call", "call_expression", "new_expression", "jsx_self_closing_element", "jsx_opening_element", "decorator"}
)
_BOUNDARIES = frozenset({"statement_block", "arrow_function", "function_expression", "class_body"})
"""Past these, an error is no longer one of the call around."""
_ARITY = {"TS2554", "TS2555", "TS2556", "TS6229", "TS1238", "TS1239", "TS1240", "TS1241", "TS1329"}
_BY_TYPE = {"TS2345", "TS2322", "TS2353", "TS2739", "TS2740", "TS2741", "TS2769", "TS2559", "TS2561", "TS2326"}
_OF_PROPERTIES = re.compile(
    r"is missing in type '\{|Type '\{.*is missing the following properties|does not exist in type"
    r"|may only specify known properties|Property '\w+' is optional in type '\{"
    r"|Property '\S+' does not exist on type 'Intrinsic"
)
_WHOLE_CALL = re.compile(r"Arguments? missing|No overloads for")


class Misfit(NamedTuple):
    """An error at a call. `typed`: it is about an argument's type only."""

    path: str
    line: int
    typed: bool
    message: str


class _Error(NamedTuple):
    path: str
    start: int
    end: int
    rule: str
    message: str


def pyright_misfits(command: str, root: Path, files: Sequence[str]) -> set[Misfit]:
    """What pyright reports at calls in the files (relative to `root`). Raises RuntimeError when it can't be run."""
    config = root / "pyrightconfig.json"
    quiet = ("reportMissingImports", "reportMissingModuleSource", "reportUndefinedVariable")
    rules: dict[str, object] = dict.fromkeys(quiet, False)
    config.write_text(json.dumps({"typeCheckingMode": "basic", "enableTypeIgnoreComments": False, **rules}))
    run = subprocess.run(
        [*shlex.split(command), "--outputjson", "--project", str(config), *(str(root / file) for file in files)],
        capture_output=True,
        check=False,
        cwd=root,
    )
    config.unlink()
    try:
        said = json.loads(run.stdout)["generalDiagnostics"]
    except (ValueError, KeyError) as unreadable:
        raise RuntimeError(f"{command} gave no JSON: {(run.stderr or run.stdout)[-500:].decode()}") from unreadable
    found = set()
    sources = _Sources(root)
    for each in said:
        if each.get("rule") not in ("reportCallIssue", "reportArgumentType"):
            continue
        path = str(Path(each["file"]).relative_to(root))
        spots = each["range"]
        error = _Error(
            path,
            sources.offset(path, spots["start"]["line"], spots["start"]["character"]),
            sources.offset(path, spots["end"]["line"], spots["end"]["character"]),
            each["rule"],
            each["message"],
        )
        line, _ = sources.called_line(error)
        if line:
            found.add(Misfit(path, line, each["rule"] == "reportArgumentType", each["message"]))
    return found


def typescript_misfits(command: str, root: Path, files: Sequence[str]) -> set[Misfit]:
    """What TypeScript reports at calls in the files. `command` is its tsc, whose own library is asked."""
    library = Path(command).resolve().parent.parent / "lib" / "typescript.js"
    script = Path(__file__).with_name("typescript_errors.cjs")
    run = subprocess.run(
        ["node", "--max-old-space-size=6000", str(script), str(library), str(root)],
        input="\n".join(files).encode(),
        capture_output=True,
        check=False,
    )
    if run.returncode != 0:
        raise RuntimeError(f"{command} could not be asked: {run.stderr[-500:].decode()}")
    found = set()
    sources = _Sources(root)
    for each in json.loads(run.stdout):
        rule, message = each["rule"], each["message"]
        if rule not in _ARITY and rule not in _BY_TYPE:
            continue
        error = _Error(each["path"], each["start"], each["end"], rule, message)
        line, literal = sources.called_line(error)
        if line:
            typed = rule in _BY_TYPE and not (literal and _OF_PROPERTIES.search(message))
            found.add(Misfit(error.path, line, typed, message))
    return found


def arity_lines(misfits: Iterable[Misfit]) -> set[tuple[str, int]]:
    """The calls at which something other than an argument's type is wrong."""
    return {(each.path, each.line) for each in misfits if not each.typed}


class _Sources:
    """The files of one tree, parsed when an error in them is to be placed."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._parsed = cache(self._parse)

    def _parse(self, path: str) -> tuple[bytes, Node, Sequence[int]]:
        source = (self._root / path).read_bytes()
        language = language_of(path)
        assert language is not None, path
        starts = [0, *(match.end() for match in re.finditer(rb"\n", source))]
        return source, language.parse(source).root_node, starts

    def offset(self, path: str, line: int, character: int) -> int:
        """The byte offset of a place that is given in UTF-16 units of a 0-based line."""
        source, _, starts = self._parsed(path)
        if line >= len(starts):
            return len(source)
        end = starts[line + 1] if line + 1 < len(starts) else len(source)
        text = source[starts[line] : end].decode("utf-8", "replace")
        units = text.encode("utf-16-le")[: 2 * character].decode("utf-16-le", "replace")
        return starts[line] + len(units.encode())

    def called_line(self, error: _Error) -> tuple[int, bool]:
        """The line of the name that is called where the error is, 0 when it isn't at a call; and whether it is about an
        object literal, or about a JSX element's attributes."""
        _, root, _ = self._parsed(error.path)
        node = root.descendant_for_byte_range(error.start, max(error.start, error.end - 1))
        whole = error.rule == "reportCallIssue" and _WHOLE_CALL.match(error.message) is not None
        literal = False
        while node is not None and not (node.type in _BOUNDARIES and error.rule in _BY_TYPE):
            literal = literal or node.type == "object" or node.type.startswith("jsx")
            if node.type in _CALLS and _is_about(node, error, whole):
                name = _called_name(node)
                return (name.start_point.row + 1 if name is not None else 0), literal
            node = node.parent
        return 0, literal


def _is_about(call: Node, error: _Error, whole: bool) -> bool:
    """Whether an error is one of this call: at it as a whole, at what it calls, or in its arguments."""
    if call.type.startswith("jsx"):
        return True
    if call.type == "decorator":
        return (call.named_child(0) or call).type not in ("call", "call_expression")
    if call.start_byte == error.start and call.end_byte == error.end and (whole or call.type == "new_expression"):
        return True
    passed = call.child_by_field_name("arguments")
    if whole:
        return False
    if passed is not None and passed.start_byte < error.start < passed.end_byte:
        return True
    callee = call.child_by_field_name("function") or call.child_by_field_name("constructor")
    return callee is not None and error.rule in _ARITY and callee.end_byte == error.end


def _called_name(call: Node) -> Node | None:
    """The last name of what is called."""
    node = (
        call.child_by_field_name("function")
        or call.child_by_field_name("constructor")
        or call.child_by_field_name("name")
        or call.named_child(0)
    )
    while node is not None:
        inner = node.child_by_field_name("property") or node.child_by_field_name("attribute")
        if inner is not None:
            return inner
        if node.type in ("non_null_expression", "parenthesized_expression", "instantiation_expression"):
            node = node.named_child(0)
            continue
        return node
    return None


def errors_by_line(misfits: Iterable[Misfit]) -> Mapping[tuple[str, int], str]:
    """A message for each call line."""
    return {(each.path, each.line): each.message for each in sorted(misfits)}

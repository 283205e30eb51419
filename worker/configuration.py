"""A repository's own configuration: `.github/callsheet.yml`, read from the base branch and never from a pull request.

The file is data of people who may write to the repository, so it is bounded like everything else: its size, its depth,
no anchors and aliases. It is checked against `worker/callsheet.schema.json`, which is also in docs/. A mistake never
costs a briefing: what is wrong is left at its default, and the check run says in which line and why.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from functools import cache
from importlib.resources import files
from typing import Any, Final, Literal

import msgspec
import yaml

PATH: Final = ".github/callsheet.yml"
"""Where it is, in a repository and in the organisation's `.github` repository."""
ORGANISATION_REPOSITORY: Final = ".github"
MOST_BYTES: Final = 64 * 1024

_MOST_DEPTH: Final = 8
_MOST_MISTAKES: Final = 10
_TAGS: Final = frozenset({"map", "seq", "str", "int", "bool", "null", "float", "timestamp", "merge", "value"})
"""What YAML finds in plain text by itself. Nothing else: a tag can ask for any class."""

Conclusion = Literal["eyes", "success", "neutral", "failure"]
Staleness = Literal["mark", "rebrief"]


class Configuration(msgspec.Struct, frozen=True, kw_only=True):
    """What the schema describes, with its defaults. `staleness` None: what the service is set to."""

    ignore: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    languages_off: tuple[str, ...] = ()
    conclusion: Conclusion = "eyes"
    staleness: Staleness | None = None
    callers: int | None = None


class Mistake(msgspec.Struct, frozen=True):
    """What is wrong in the file. `line` is 1-based, None when the file as a whole is meant."""

    line: int | None
    reason: str

    def sentence(self, where: str) -> str:
        """The mistake, for the check run; `where` names the file."""
        line = f", line {self.line}" if self.line is not None else ""
        return f"`{where}`{line}: {self.reason}. The default is used instead."


class _Wrong(Exception):
    def __init__(self, line: int | None, reason: str) -> None:
        super().__init__(reason)
        self.mistake = Mistake(line, reason)


def read_configuration(content: bytes, languages: Collection[str]) -> tuple[Configuration, tuple[Mistake, ...]]:
    """The configuration a file holds, and what is wrong in it. `languages` are the names of those that are read."""
    try:
        root = _parsed(content)
        if root is None:
            return Configuration(), ()
        value = _value(root)
        if value is None:
            return Configuration(), ()
    except _Wrong as wrong:
        return Configuration(), (wrong.mistake,)
    mistakes: dict[str, list[Mistake]] = {}
    for error in _validator().iter_errors(value):
        path = [str(step) for step in error.absolute_path]
        for key, reason in _reasons(error, path):
            where = [*error.absolute_path, key] if key is not None else list(error.absolute_path)
            mistakes.setdefault(path[0] if path else key or "", []).append(Mistake(_line(root, where), reason))
    if not isinstance(value, dict):
        return Configuration(), tuple(found for each in mistakes.values() for found in each)
    for number, language in enumerate(value.get("languages_off", ()) if "languages_off" not in mistakes else ()):
        if language not in languages:
            reason = f"`{language}` is no language that is read (those are {', '.join(sorted(languages))})"
            mistakes.setdefault("languages_off", []).append(Mistake(_line(root, ["languages_off", number]), reason))
    good = {key: value[key] for key in value if key not in mistakes}
    every = sorted((found for each in mistakes.values() for found in each), key=lambda found: found.line or 0)
    return msgspec.convert(good, Configuration), tuple(every[:_MOST_MISTAKES])


@cache
def schema() -> dict[str, Any]:
    """The JSON schema of the file."""
    loaded: dict[str, Any] = json.loads((files("worker") / "callsheet.schema.json").read_text(encoding="utf-8"))
    return loaded


@cache
def _validator() -> Any:
    # Imported here: a repository without a file shouldn't pay for it.
    from jsonschema import Draft202012Validator

    return Draft202012Validator(schema())


def _parsed(content: bytes) -> yaml.Node | None:
    """The file's one document as nodes, which know their lines. Raises _Wrong."""
    if len(content) > MOST_BYTES:
        raise _Wrong(None, f"it is larger than {MOST_BYTES // 1024} KiB")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _Wrong(None, "it is not UTF-8") from None
    try:
        _check_events(text)
        return yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise _Wrong(mark.line + 1 if mark is not None else None, f"it is not YAML: {error.problem}") from None
    except yaml.reader.ReaderError as error:
        line = text[: error.position].count("\n") + 1 if isinstance(error.position, int) else None
        raise _Wrong(line, "it has a character that YAML does not allow") from None
    except yaml.YAMLError:
        raise _Wrong(None, "it is not YAML") from None


def _check_events(text: str) -> None:
    """Before anything is built of it: no aliases (a few lines of them are a billion values), no depth, one document."""
    depth = documents = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        line = event.start_mark.line + 1 if event.start_mark is not None else None
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            raise _Wrong(line, "anchors and aliases are not allowed")
        if isinstance(event, yaml.DocumentStartEvent):
            documents += 1
            if documents > 1:
                raise _Wrong(line, "there is a second document")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > _MOST_DEPTH:
                raise _Wrong(line, "it is nested too deeply")
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _value(node: yaml.Node) -> Any:
    """The node as plain values: JSON's, so that the schema means the same to everybody. Raises _Wrong."""
    line = node.start_mark.line + 1
    kind = node.tag.removeprefix("tag:yaml.org,2002:")
    if kind == node.tag or kind not in _TAGS:
        raise _Wrong(line, f"the tag `{_short(node.tag)}` is not allowed")
    if isinstance(node, yaml.MappingNode):
        found: dict[str, Any] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise _Wrong(key.start_mark.line + 1, "a key must be a word")
            if key.value in found:
                raise _Wrong(key.start_mark.line + 1, f"`{_short(key.value)}` is there twice")
            found[key.value] = _value(value)
        return found
    if isinstance(node, yaml.SequenceNode):
        return [_value(each) for each in node.value]
    if kind == "int":
        # Not YAML's own reading of numbers: it also knows octal, hexadecimal and base 60.
        return int(node.value) if node.value.isascii() and node.value.isdigit() and len(node.value) < 10 else node.value
    if kind == "bool":
        return node.value.lower() in ("true", "yes", "on")
    if kind == "null":
        return None
    return node.value


def _reasons(error: Any, path: list[str]) -> Iterator[tuple[str | None, str]]:
    """What a validation error says, for people: (a key below its path, or None; the reason)."""
    where = f"`{_short(_named(path))}`" if path else "the file"
    if error.validator == "additionalProperties":
        known = ", ".join(error.schema["properties"])
        for key in error.instance:
            if key not in error.schema["properties"]:
                yield key, f"`{_short(key)}` is no setting (those are {known})"
    elif error.validator == "enum":
        yield None, f"{where} must be one of {', '.join(error.validator_value)}"
    elif error.validator == "type":
        kinds = {"object": "a mapping of settings", "array": "a list", "string": "text", "integer": "a whole number"}
        yield None, f"{where} must be {kinds[error.validator_value]}"
    elif error.validator in ("minimum", "maximum"):
        way = "least" if error.validator == "minimum" else "most"
        yield None, f"{where} must be at {way} {error.validator_value}"
    elif error.validator == "maxItems":
        yield None, f"{where} has more than {error.validator_value} entries"
    elif error.validator == "maxLength":
        yield None, f"{where} is longer than {error.validator_value} characters"
    elif error.validator == "minLength":
        yield None, f"{where} is empty"
    else:
        yield None, f"{where} is not what docs/callsheet.schema.json describes"


def _named(path: list[str]) -> str:
    return "".join(f"[{step}]" if step.isdigit() else f".{step}" for step in path).lstrip(".")


def _line(root: yaml.Node, path: list[Any]) -> int:
    """The line of what lies at `path`; of a setting, the line of its name."""
    node, line = root, root.start_mark.line + 1
    for step in path:
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                if key.value == step:
                    node, line = value, key.start_mark.line + 1
                    break
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            node = node.value[step]
            line = node.start_mark.line + 1
    return line


def _short(text: str) -> str:
    """A few characters of the file's own, that can't end the quotation they stand in."""
    return text[:60].replace("`", "'").replace("\n", " ")

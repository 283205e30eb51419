"""What people write into `.github/callsheet.yml`, and what the check run tells them about it."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker.configuration import MOST_BYTES, Configuration, Mistake, read_configuration, schema

LANGUAGES = {"python", "typescript", "javascript"}
ROOT = Path(__file__).parent.parent.parent


def read(text: str) -> tuple[Configuration, list[Mistake]]:
    configuration, mistakes = read_configuration(text.encode(), LANGUAGES)
    return configuration, list(mistakes)


def test_a_setting_is_not_understood() -> None:
    configuration, mistakes = read(
        """
        ignore: [docs/**, legacy/]
        tests:
          - qa/**/*.py
        languages_off: [typescript]
        conclusion: failure
        staleness: rebrief
        callers: 25
        """
    )
    assert mistakes == []
    assert configuration == Configuration(
        ignore=("docs/**", "legacy/"),
        tests=("qa/**/*.py",),
        languages_off=("typescript",),
        conclusion="failure",
        staleness="rebrief",
        callers=25,
    )


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "---\n", "{}", "\ufeffcallers: 3"])
def test_a_file_without_settings_is_a_mistake(text: str) -> None:
    assert read(text)[1] == []


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("callers: 3\nignored: [a]\n", 2, "`ignored` is no setting (those are ignore, tests, languages_off"),
        ("\n\nconclusion: fail\n", 3, "`conclusion` must be one of eyes, success, neutral, failure"),
        ("ignore: docs/\n", 1, "`ignore` must be a list"),
        ("ignore:\n  - docs/\n  - 3\n", 3, "`ignore[1]` must be text"),
        ("ignore:\n  - docs/\n  - ''\n", 3, "`ignore[1]` is empty"),
        ("tests: [ok]\ncallers: 0\n", 2, "`callers` must be at least 1"),
        ("callers: lots\n", 1, "`callers` must be a whole number"),
        ("callers: 5000000000000\n", 1, "`callers` must be a whole number"),
        ("callers: true\n", 1, "`callers` must be a whole number"),
        ("languages_off: [python, perl]\n", 1, "`perl` is no language that is read (those are javascript, python"),
        ("callers: 1\ncallers: 2\n", 2, "`callers` is there twice"),
        ("callers: [\n", 2, "it is not YAML"),
        ("a: b: c\n", 1, "it is not YAML"),
        ("- callers\n", 1, "the file must be a mapping of settings"),
        ("callers: 1\n---\ncallers: 2\n", 2, "there is a second document"),
        ("ignore: &all [a]\n", 1, "anchors and aliases are not allowed"),
        ("ignore: !!python/object/apply:os.system ['true']\n", 1, "is not allowed"),
        ("callers: !!python/name:os.system\n", 1, "the tag `tag:yaml.org,2002:python/name:os.system` is not allowed"),
        ("callers: 1\n\x00", 2, "it has a character that YAML does not allow"),
        ("ignore: [[[[[[[[[[a]]]]]]]]]]", 1, "it is nested too deeply"),
    ],
)
def test_a_mistake_is_not_told_with_its_line_and_reason(text: str, line: int, reason: str) -> None:
    _, mistakes = read(text)
    assert len(mistakes) == 1, mistakes
    assert mistakes[0].line == line
    assert reason in mistakes[0].reason
    assert mistakes[0].sentence("F").startswith(f"`F`, line {line}: ")


def test_one_mistake_costs_the_other_settings() -> None:
    configuration, mistakes = read("ignore: [docs/]\ncallers: many\nconclusion: success\n")
    assert configuration == Configuration(ignore=("docs/",), conclusion="success")
    assert len(mistakes) == 1


def test_a_file_of_many_mistakes_floods_the_check_run() -> None:
    _, mistakes = read("\n".join(f"setting{number}: 1" for number in range(500)))
    assert 0 < len(mistakes) <= 10


@pytest.mark.parametrize(
    "content",
    [
        b"a: &a [" + b"x," * 1000 + b"]\nb: &b [" + b"*a," * 1000 + b"]\n",
        b"[" * 30000,
        b"{a: " * 10000,
        b"- " * 30000,
        b"callers: " + b"9" * 60000,
        b"callers: " + b"1:" * 30000 + b"1",
        b"'" * 60000,
        b"? " * 30000,
        b"x" * (MOST_BYTES + 1),
        b"\xff\xfe\x00",
        b"%YAML 9.9\n---\na",
        b"<<: {callers: 3}",
        b"!!set {a, b}",
        b"callers: 2026-01-01",
    ],
)
def test_a_hostile_file_costs_more_than_a_moment(content: bytes) -> None:
    began = time.process_time()
    configuration, mistakes = read_configuration(content, LANGUAGES)
    assert time.process_time() - began < 4
    assert configuration == Configuration()
    assert mistakes


@given(st.binary(max_size=400))
def test_some_bytes_cost_the_briefing(content: bytes) -> None:
    read_configuration(content, LANGUAGES)


SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-5, 2000), st.text(max_size=8), st.sampled_from(["eyes"]))
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3), max_leaves=5)
KEYS = st.sampled_from([*schema()["properties"], "other"])


@given(st.dictionaries(KEYS, VALUES, max_size=4))
def test_what_the_schema_refuses_is_taken_or_the_other_way_round(value: dict[str, object]) -> None:
    """JSON is YAML: the same document, to the schema and to us. (Unknown languages are ours alone to refuse.)"""
    from jsonschema import Draft202012Validator

    content = json.dumps(value).encode()
    _, mistakes = read_configuration(content, LANGUAGES)
    refused = not Draft202012Validator(schema()).is_valid(value)
    assert bool(mistakes) == refused or "languages_off" in value


def test_the_documented_schema_is_not_the_one_that_is_used() -> None:
    assert json.loads((ROOT / "docs" / "callsheet.schema.json").read_text()) == schema()


def test_a_reason_quotes_the_file_so_that_markdown_takes_effect() -> None:
    _, mistakes = read('"`@octocat`\\n# Big": 1\n')
    assert "@octocat" in mistakes[0].reason
    assert mistakes[0].reason.count("`") == 2
    assert "\n" not in mistakes[0].reason

"""Title, sections and places say the same of one briefing: how many there are, and whether they break or are to be
checked."""

from __future__ import annotations

import re
from collections.abc import Sequence

from graph.assembly import assemble
from graph.briefing import Briefing, Caller, ChangedFile, Symbol
from graph.render import check_output, to_markdown, to_text

from .briefings import BASE, HEAD, LINKS, MERGE_BASE, no_importers


def made(*callers: Caller, names: Sequence[str] = ("Base",)) -> Briefing:
    """A briefing of classes whose signature changed, each with these callers."""
    symbols = tuple(
        Symbol(
            name=name,
            qualified=name,
            kind="class",
            line=number,
            end_line=number,
            change="signature",
            compatible=False,
            before=f"class {name}(A)",
            after=f"class {name}(B)",
            callers=callers,
        )
        for number, name in enumerate(names, 1)
    )
    changed = ChangedFile(path="m.py", old_path="m.py", status="modified", language="python", symbols=symbols)
    return assemble(
        head_sha=HEAD,
        base_sha=BASE,
        merge_base=MERGE_BASE,
        graph_from="merge",
        changed=[changed],
        not_checked=[],
        tree=["m.py", *(each.path for each in callers)],
        importers=no_importers,
    )


def subclass(path: str, line: int = 4, *, fits: bool | None = None, why: str | None = None) -> Caller:
    return Caller(path=path, line=line, kind="base", sure=True, within=f"S{line}", fits=fits, misfit=why)


def test_what_is_to_check_is_said_to_break() -> None:
    briefing = made(*(subclass(f"a{number}.py") for number in range(3)))
    output = check_output(briefing, LINKS, policy="failure")
    assert output.title == "3 overrides or implementations to check · 3 callers outside the diff"
    assert output.conclusion == "neutral"
    assert output.text.count("all of them to check") == 1
    assert "not compatible, 3 outside the diff to check" in output.text
    assert "To check: " in output.text
    [note] = output.annotations
    assert (note.annotation_level, note.title) == ("notice", "`Base`: 3 outside the diff to check")
    for text in (output.title, output.summary, output.text, to_text(briefing), note.message):
        assert re.search(r"\bbreaks?\b|\bfails?\b", text, re.IGNORECASE) is None


def test_a_subclass_that_breaks_is_one_to_check() -> None:
    briefing = made(subclass("a.py", fits=False, why="`m.py` no longer has it"), subclass("b.py"))
    output = check_output(briefing, LINKS, policy="failure")
    assert output.title == (
        "1 override or implementation no longer fits · 1 override or implementation to check · "
        "2 callers outside the diff"
    )
    assert output.conclusion == "failure"
    assert "**1 of them breaks, 1 to check**" in output.text
    assert "not compatible, 1 use outside the diff fails it, 1 outside the diff to check" in output.text
    [note] = output.annotations
    assert (note.annotation_level, note.title) == (
        "warning",
        "`Base`: 1 use outside the diff breaks, 1 to check",
    )


def test_all_subclasses_of_many_are_a_place_each() -> None:
    why = "it no longer extends `A`"
    briefing = made(*(subclass(f"a{number}.py", why=why) for number in range(87)))
    [eye] = [each for each in briefing.eyes if each.what == "override"]
    assert eye.text == f"`S4` and 86 more extend `Base`, whose signature changed: {why}"
    assert (eye.path, eye.line, len(eye.callers)) == ("a0.py", 4, 87)
    one = made(subclass("test_a.py"), subclass("z.py"))
    assert [each.path for each in one.eyes if each.what == "override"] == ["z.py"]  # code speaks for tests


def test_two_uses_on_one_line_are_two_callers_in_the_section_and_one_in_the_title() -> None:
    call = Caller(path="a.py", line=9, kind="call", sure=True, within="go", fits=True)
    passed = Caller(path="a.py", line=9, kind="argument", sure=True, within="go", fits=True)
    named = Caller(path="a.py", line=8, kind="type", sure=True, within="go")
    briefing = made(passed, call, named)
    text = to_text(briefing)
    assert "2 callers outside the diff" in text.partition("\n")[0]
    assert "    2 callers in 1 file\n      a.py:9 in go: passes it on\n      a.py:8 in go: names it as a type\n" in text
    assert "<code>a.py</code> · 2 callers" in to_markdown(briefing)


def test_a_test_is_followed_by_all_that_it_reaches() -> None:
    call = Caller(path="test_a.py", line=9, kind="call", sure=True, fits=True, test=True)
    briefing = made(call, names=[f"F{number:02}" for number in range(60)])
    assert "  test_a.py:9 calls F00, F01, F02, F03, F04 and 55 more\n" in to_text(briefing)
    assert " calls `F00`, `F01`, `F02`, `F03`, `F04` and 55 more\n" in to_markdown(briefing)
    assert len(briefing.tests) == 60

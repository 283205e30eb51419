"""A check run in a terminal: the Markdown that GitHub would show, without its marks."""

from __future__ import annotations

import html
import re
import textwrap
from collections.abc import Iterator
from typing import Final

from app.standin import CheckRun

WIDTH: Final = 100

_LINK: Final = re.compile(r"!?\[((?:[^\[\]]|\\.)*)\]\((?:[^()\s]|\([^()]*\))*\)")
_SUMMARY: Final = re.compile(r"<summary>(.*?)</summary>")
_TAG: Final = re.compile(r"</?(?:details|summary|code|b|i|em|strong|sub|sup|br|p|ul|li|kbd)(?: [^<>]*)?/?>")
_ESCAPE: Final = re.compile(r"\\([\\`*_{}\[\]()#+\-.!|<>~@&:/])")
_HEADING: Final = re.compile(r"(#{1,6}) (.*)")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def check_run_lines(run: CheckRun, *, colour: bool) -> Iterator[str]:
    """The check run as a reviewer sees it, line by line: title, buttons, annotations on the diff, summary, text."""
    buttons = "  ".join(f"[ {action['label']} ]" for action in run.actions)
    yield _rule(f" {run.name} · {run.conclusion or run.status} ")
    yield _bold(_plain(run.output.get("title") or ""), colour)
    if buttons:
        yield buttons
    yield ""
    yield from _lines(run.output.get("summary") or "", colour)
    if run.annotations:
        yield ""
        yield _bold("On the diff's own lines", colour)
        for note in run.annotations:
            first, *rest = _plain(note["message"]).splitlines() or [""]
            yield f"  {_plain(note['path'])}:{note['start_line']} {note['annotation_level']}: {first}"
            yield from (f"    {line}" for line in rest)
    if run.output.get("text"):
        yield _rule(" Details ")
        yield from _lines(run.output["text"] or "", colour)
    yield _rule("")


def _rule(title: str) -> str:
    return ("──" + title).ljust(WIDTH, "─")


def _bold(text: str, colour: bool) -> str:
    return f"\x1b[1m{text}\x1b[0m" if colour else text


def _lines(markdown: str, colour: bool) -> Iterator[str]:
    fenced = False
    blank = True
    for raw in markdown.splitlines():
        if raw.lstrip().startswith("```"):
            fenced = not fenced
            continue
        if fenced:
            yield f"      {_CONTROL.sub('�', raw)}"
            continue
        line = _TAG.sub("", _SUMMARY.sub(r"\1", raw)).rstrip()
        if not line.strip():
            if not blank:
                yield ""
            blank = True
            continue
        blank = False
        heading = _HEADING.match(line)
        if heading:
            yield _bold(_plain(heading[2]), colour)
            continue
        text = _plain(line)
        indent = " " * (len(text) - len(text.lstrip()) + 2)
        yield from textwrap.wrap(text, WIDTH, subsequent_indent=indent, break_long_words=False) or [""]


def _plain(text: str) -> str:
    """Inline Markdown without its marks. What is left of a pull request's names can't move the cursor."""
    text = _LINK.sub(r"\1", text)
    text = text.replace("**", "").replace("`", "")
    return _CONTROL.sub("�", html.unescape(_ESCAPE.sub(r"\1", text)))

"""What a reader sees of each briefing, kept as files that can be read: `tests/render/golden/`.

After a change of wording run `python -m tests.render.test_golden` from the repository's root, read the difference, and
commit it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from graph.briefing import Briefing
from graph.render import check_output, to_json, to_markdown, to_text

from .briefings import ALL, FIGURES, LINKS

GOLDEN = Path(__file__).parent / "golden"
# Too long to read: its limits are tested in test_fitting.py.
READABLE = sorted(set(ALL) - {"huge"})


def rendered(briefing: Briefing) -> dict[str, str]:
    """Every rendering of a briefing, by the ending of its file."""
    output = check_output(briefing, LINKS, FIGURES)
    annotations = "\n".join(
        f"> {each.annotation_level} {each.path!r} line {each.start_line}: {each.title}\n> {each.message!r}\n"
        for each in output.annotations
    )
    check = f"{output.conclusion}: {output.title}\n\n{output.summary}\n\n---\n\n{output.text}\n\n---\n\n{annotations}"
    return {
        "check.md": check,
        "md": to_markdown(briefing),
        "txt": to_text(briefing),
        "json": to_json(briefing).decode("utf-8"),
    }


def kept(name: str) -> dict[str, str]:
    """The renderings that are kept: of the hostile names, only those that have to take care."""
    endings = ("check.md", "txt") if name == "hostile" else ("check.md", "md", "txt", "json")
    return {ending: text for ending, text in rendered(ALL[name]()).items() if ending in endings}


@pytest.mark.parametrize("name", READABLE)
def test_what_a_reader_sees_has_changed(name: str) -> None:
    for ending, text in kept(name).items():
        assert text.encode("utf-8") == (GOLDEN / f"{name}.{ending}").read_bytes(), f"{name}.{ending}"


@pytest.mark.parametrize("name", sorted(ALL))
def test_the_same_briefing_prints_other_bytes(name: str) -> None:
    assert rendered(ALL[name]()) == rendered(ALL[name]())


def write() -> None:
    """Writes the files anew."""
    GOLDEN.mkdir(exist_ok=True)
    for name in READABLE:
        for ending, text in kept(name).items():
            (GOLDEN / f"{name}.{ending}").write_bytes(text.encode("utf-8"))


if __name__ == "__main__":
    write()

"""The whole briefing as one Markdown document."""

from __future__ import annotations

from graph.briefing import Briefing, RunFigures
from graph.render.details import sections
from graph.render.fitting import compose
from graph.render.links import Linker, Links
from graph.render.summary import glance, needs_eyes, provenance
from graph.render.view import arranged
from graph.render.wording import title


def to_markdown(briefing: Briefing, links: Links | None = None, figures: RunFigures | None = None) -> str:
    """The briefing for people, as GitHub Markdown, with nothing left out; without `links`, places are plain.

    `figures` go into the line of provenance: without them the same briefing gives the same bytes.
    """
    view = arranged(briefing)
    linker = Linker(briefing, links)
    document = compose(
        [
            lambda _: f"## {title(briefing, view)}",
            lambda _: provenance(briefing, linker, links, figures),
            needs_eyes(briefing, linker),
            lambda _: glance(briefing, view),
            *sections(briefing, view, linker),
        ],
        None,
    )
    return document + "\n"

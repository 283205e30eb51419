"""Renderers: a `Briefing` as JSON, as text for a terminal, as Markdown, and as the output of a check run.

They compute nothing: counts and order apart, all that they print is in the briefing. Everything that comes from a pull
request is data to them (`graph.render.escape`).
"""

from graph.render.as_json import to_json
from graph.render.check import Annotation, CheckOutput, check_output
from graph.render.links import Links
from graph.render.markdown import to_markdown
from graph.render.text import to_text

__all__ = ["Annotation", "CheckOutput", "Links", "check_output", "to_json", "to_markdown", "to_text"]

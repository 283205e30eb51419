"""The stand-in's one page for people: a check run, its Markdown shown as it was sent."""

from __future__ import annotations

from html import escape

from app.standin.world import CheckRun

_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>body {{ font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }}
pre {{ white-space: pre-wrap; overflow-wrap: anywhere }}</style>
<h1>{title}</h1>
<p>{name} at <code>{sha}</code>: {state}. Buttons: {buttons}.</p>
<h2>Summary</h2><pre>{summary}</pre>
<h2>Text</h2><pre>{text}</pre>
<h2>Annotations</h2><pre>{annotations}</pre>
</html>
"""


def run_page(run: CheckRun) -> str:
    """HTML of a check run. Everything in it is escaped: it is data."""
    notes = [
        f"{note['path']}:{note['start_line']} {note['annotation_level']}: {note['message']}" for note in run.annotations
    ]
    shown = {
        "title": run.output.get("title") or run.name,
        "name": run.name,
        "sha": run.head_sha,
        "state": run.conclusion or run.status,
        "buttons": ", ".join(action["label"] for action in run.actions) or "none",
        "summary": run.output.get("summary") or "",
        "text": run.output.get("text") or "",
        "annotations": "\n".join(notes) or "none",
    }
    return _PAGE.format(**{name: escape(value) for name, value in shown.items()})

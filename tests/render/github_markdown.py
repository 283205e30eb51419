"""Reads Markdown as GitHub does, with GitHub's own parser (cmark-gfm), and lists what in it takes an effect."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import cmarkgfm
from cmarkgfm.cmark import Options

OURS = "https://github.example/acme/shop/"

_TAGS = {"h2", "h3", "h4", "p", "ol", "ul", "li", "code", "pre", "a", "strong", "details", "summary"}
# What GitHub looks for in text, outside code, after Markdown is done.
_ACTIVE = re.compile(r"@\w|#\d|\bGH-\d|https?:|www\.|:\w+:|(?<!\w)[0-9a-f]{7,40}(?!\w)|\$[^ ]|<|>", re.IGNORECASE)
_VOID = {"img", "br", "hr", "input"}


class Page(HTMLParser):
    """The elements of a page: `effects` are those that Callsheet did not mean."""

    def __init__(self, markdown: str) -> None:
        super().__init__(convert_charrefs=True)
        self.effects: list[str] = []
        self.codes: list[str] = []
        self.links: list[str] = []
        self.words: list[str] = []
        self._open: list[str] = []
        self.feed(cmarkgfm.github_flavored_markdown_to_html(markdown, options=Options.CMARK_OPT_UNSAFE))
        self.close()
        self.effects += [f"unclosed {tag}" for tag in self._open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        allowed = {"a": {"href"}, "details": {"open"}, "pre": {"lang"}, "code": {"class"}, "ol": {"start"}}
        given = dict(attrs)
        if tag not in _TAGS or not set(given) <= allowed.get(tag, set()):
            self.effects.append(f"<{tag} {attrs}>")
        if tag == "a":
            href = given.get("href") or ""
            self.links.append(href)
            if not re.fullmatch(re.escape(OURS) + r"(blob|commit)/[0-9a-f]{40}[A-Za-z0-9%/._~-]*(#L\d+)?", href):
                self.effects.append(f"link to {href}")
        if tag == "code":
            self.codes.append("")
        if tag not in _VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.effects.append(f"</{tag}> out of place")

    def handle_data(self, data: str) -> None:
        if "code" in self._open:
            self.codes[-1] += data
            return
        self.words.append(data)
        if found := _ACTIVE.search(data):
            self.effects.append(f"{found.group()!r} in {data!r}")

    def handle_comment(self, data: str) -> None:
        self.effects.append(f"comment {data}")

    def handle_decl(self, decl: str) -> None:
        self.effects.append(f"declaration {decl}")

    def handle_pi(self, data: str) -> None:
        self.effects.append(f"instruction {data}")

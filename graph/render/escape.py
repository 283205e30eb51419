"""Everything from a pull request as inert GitHub Markdown: shown as it is, taking no effect.

Data stands in code spans, in `<code>` inside a `<summary>`, or in a fenced block: nowhere else does GitHub leave
mentions, issue references, links, commit ids, emoji shortcodes and HTML alone. Backslashes would not do: GitHub looks
for mentions and references after Markdown has taken the backslashes away.
"""

from __future__ import annotations

import difflib
import html
import re

from graph.facts import CLIPPED
from graph.quoting import clip, counted, named, visible

NAME_LIMIT = 160
"""Characters of a name or path that are shown; the middle of a longer one is left out."""

_BACKTICKS = re.compile("`+")
# A word that can be printed bare: nothing in it that Markdown or GitHub gives a meaning to, at any place but a line's
# beginning.
_PLAIN_WORD = re.compile(r"""[("']*[^\W_]+(?:[./'’=,-]+[^\W_]+)*[%=]?[.,;:!?"')…]*|[-–—·=+,…/]""")
_NOT_PLAIN = re.compile(
    r"""www\.            # a link without a scheme
    | [a-z0-9]+-\d       # GH-12, and the reference to another tracker that a repository can set up
    | (?<![a-z0-9])[0-9a-f]{7,}(?![a-z0-9])  # a commit""",
    re.IGNORECASE | re.VERBOSE,
)


def code_span(text: str, limit: int = NAME_LIMIT) -> str:
    """`text` as a code span on one line, fenced by more backticks than it holds."""
    shown = clip(visible(text), limit)
    if not shown:
        return "(empty)"
    longest = max((len(run) for run in _BACKTICKS.findall(shown)), default=0)
    # Markdown takes one blank off each end, if both ends have one: give it those.
    blank = " " if "`" in (shown[0], shown[-1]) or (shown[0] == shown[-1] == " " and shown.strip(" ")) else ""
    fence = "`" * (longest + 1)
    return f"{fence}{blank}{shown}{blank}{fence}"


def html_code(text: str, limit: int = NAME_LIMIT) -> str:
    """`text` as `<code>` for the line of a `<summary>`, where Markdown is not read."""
    return f"<code>{html.escape(clip(visible(text), limit))}</code>"


def prose(text: str, limit: int = 600) -> str:
    """A sentence as Markdown: what it has between backticks as code spans, every other word bare only if harmless.

    The sentence may hold data outside backticks; a word of it that could take an effect (`@user`, `#12`, `a_b_c`,
    `<b>`, `www.example.org`) becomes a code span too. At most `limit` characters, whole words.
    """
    pieces = visible(text).split("`")
    if len(pieces) % 2 == 0:  # a backtick without its partner
        pieces = ["'".join(pieces)]
    out: list[str] = []
    left = limit
    for number, piece in enumerate(pieces):
        quoted = number % 2 == 1
        for word in [piece] if quoted else re.split("( +)", piece):
            if not word:
                continue
            if len(word) > left and out:
                return "".join(out).rstrip() + " …"
            left -= len(word)
            shown = _word(word) if not quoted else code_span(word)
            if out and out[-1].endswith("`") and shown.startswith("`"):
                out.append(" ")  # two spans side by side would be read as one
            out.append(shown)
    return "".join(out)


def _word(word: str) -> str:
    if word.isspace() or (_PLAIN_WORD.fullmatch(word) and not _NOT_PLAIN.search(word)):
        return word
    if all(character in ".,;:!?)" for character in word):
        return word  # what follows a name in backticks
    name = word.lstrip("(\"'").rstrip(".,;:!?…\"'")
    while name.endswith(")") and name.count(")") > name.count("("):  # what was opened before the name
        name = name[:-1].rstrip(".,;:!?…\"'")
    if not name:
        return code_span(word)
    before, after = word[: word.index(name)], word[word.index(name) + len(name) :]
    return f"{before}{code_span(name)}{after}"


def definition_span(qualified: str, path: str, *, ambiguous: bool = False) -> str:
    """A definition's name as a code span, and of which file where the name does not tell."""
    name, file = named(qualified, path, ambiguous=ambiguous)
    return code_span(name) if file is None else f"{code_span(name)} of {code_span(file)}"


def html_definition(qualified: str, path: str) -> str:
    """The same for the line of a `<summary>`."""
    name, file = named(qualified, path)
    return html_code(name) if file is None else f"{html_code(name)} of {html_code(file)}"


def percent_encoded(path: str) -> str:
    """A path for a URL: every byte but letters, digits, `-._~` and `/` as `%XX`.

    Bytes that are not UTF-8 (lone surrogates, as Python decodes file names) are encoded as themselves.
    """
    try:
        raw = path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raw = path.encode("utf-8", "surrogatepass")
    return "".join(chr(byte) if chr(byte) in _UNRESERVED else f"%{byte:02X}" for byte in raw)


_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")

_DECLARATION_LINES = 40
"""Lines of a declaration that are shown; of two that are compared, of each."""
_COMPARED_LINES = 400
_AROUND = 3
"""Lines before and after a difference that are shown."""
_LINE_LIMIT = 300


def diff_block(before: str | None, after: str | None) -> str:
    """Two declarations as one fenced `diff` (`diff_lines`)."""
    text = "\n".join(diff_lines(before, after))
    fence = "`" * max(3, 1 + max((len(run) for run in _BACKTICKS.findall(text)), default=0))
    return f"{fence}diff\n{text}\n{fence}"


def diff_lines(before: str | None, after: str | None) -> list[str]:
    """Two declarations line by line, whole: `- ` before, `+ ` after, two blanks where both have the line.

    Of long ones, only the first line and those around differences; what is more than 40 lines of each even so ends with
    how many more there are. Of what is only missing because the other declaration was cut off, nothing is said.
    """
    old, new = _lines(before), _lines(after)
    rows: list[str] = []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, old, new).get_opcodes():
        if tag == "equal":
            rows += [f"  {line}" for line in old[a:b]]
        elif [CLIPPED] in (old[a:b], new[c:d]):
            rows.append(f"  {CLIPPED}")
        else:
            rows += [f"- {line}" for line in old[a:b]] + [f"+ {line}" for line in new[c:d]]
    limit = _DECLARATION_LINES * ((before is not None) + (after is not None))
    if len(rows) > _DECLARATION_LINES:
        rows = _around_differences(rows)
    if len(rows) > limit:
        left = rows[limit:]
        signs = {row[:1] for row in left}
        rows[limit:] = [f"{signs.pop() if len(signs) == 1 else ' '} … {counted(len(left), 'more line')}"]
    return rows


def _around_differences(rows: list[str]) -> list[str]:
    """The first of the rows, those that only one side has, and some around them."""
    kept = {0}
    for place, row in enumerate(rows):
        if row[:1] != " ":
            kept.update(range(place - _AROUND, place + _AROUND + 1))
    found: list[str] = []
    left_out = 0
    for place, row in enumerate(rows):
        if place not in kept:
            left_out += 1
            continue
        if left_out:
            found.append(f"  … {counted(left_out, 'line')}")
            left_out = 0
        found.append(row)
    return [*found, f"  … {counted(left_out, 'more line')}"] if left_out else found


def _lines(declaration: str | None) -> list[str]:
    if declaration is None:
        return []
    # Only `\n` (and `\r\n`) end a line here; `visible` shows a lone `\r`, which Markdown would take for one.
    lines = declaration.replace("\r\n", "\n").strip("\n").split("\n", _COMPARED_LINES)
    more = lines[_COMPARED_LINES].count("\n") + 1 if len(lines) > _COMPARED_LINES else 0
    shown = [clip(visible(line.replace("\t", "    ")), _LINE_LIMIT) for line in lines[:_COMPARED_LINES]]
    return [*shown, f"… {counted(more, 'more line')}"] if more else shown

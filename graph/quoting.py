"""Names, paths and declarations of a pull request, made visible: what a reader sees is what is there.

A file name may hold a newline, an escape sequence that moves a terminal's cursor, or a control character that reverses
the direction of the text after it. `visible` writes such characters as escapes, so that no output of Callsheet can be
rearranged by what it reports.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

# Written out rather than taken from `unicodedata`: its tables differ between Python versions, and the same input must
# give the same bytes. Control characters, line and paragraph separators, bidirectional controls, characters that show
# nothing (Unicode's Default_Ignorable_Code_Point), lone surrogates and noncharacters.
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ud800-\udfff\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
# How a call does not fit (`graph.signatures`, `graph.shapes`), where that names something: words, names, words.
_MISFITS = tuple(
    re.compile(form)
    for form in (
        r"(.*\(missing )(.+)(\))",
        r"(passes )(\S+=)(, which .+)",
        r"(passes )(.+)( twice, by position and by name)",
        r"((?:passes|has) )(no .+)(, which (?:is|are) required)",
        r"((?:passes|has) )(.+)(, which it does not take)",
        r"(it has no )(.+)()",
        r"(passes nothing for )(.+)()",
    )
)
_NAME_IN_MISFIT = re.compile(r"(no |)([\w$#=.*\[\]]+)")
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def visible(text: str) -> str:
    """`text` on one line, with every character that cannot be seen written as an escape (`\\n`, `\\x1b`, `\\u202e`).

    A byte of a file name that is not UTF-8 (decoded by Python as a lone surrogate) is shown as that byte: `\\xff`.
    """
    return _UNSEEN.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    if character in _SHORT:
        return _SHORT[character]
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def clip(text: str, limit: int) -> str:
    """`text`, or its two ends with `…` between them when it is longer than `limit` characters.

    The cut falls on a `/`, `.`, `_` or a blank where there is one, never inside a word that could have been kept whole.
    """
    if len(text) <= limit:
        return text
    head, tail = text[: limit * 2 // 3], text[len(text) - (limit - limit * 2 // 3 - 1) :]
    front = max(head.rfind(mark) for mark in "/._ ")
    backs = [place for place in (tail.find(mark) for mark in "/._ ") if place >= 0]
    if front > limit // 4:
        head = head[: front + 1]
    if backs and min(backs) < len(tail) - limit // 12:
        tail = tail[min(backs) :]
    return f"{head}…{tail}"


def quoted(name: str, limit: int = 160) -> str:
    """`name` between backticks, for a sentence: visible, clipped, and with no backtick of its own."""
    return "`" + clip(visible(name).replace("`", "'"), limit) + "`"


_COMPONENTS = (".svelte", ".vue")
"""Files that are a component each, which everybody calls by its file's name."""


def is_component(qualified: str, path: str) -> bool:
    """Whether a definition is the component that its file is."""
    return qualified == "default" and path.endswith(_COMPONENTS)


def named(qualified: str, path: str, *, ambiguous: bool = False) -> tuple[str, str | None]:
    """A definition's name as it is shown, and `file_of` it; a component that is a file goes by that one's name."""
    if not is_component(qualified, path):
        return qualified, file_of(qualified, path, ambiguous=ambiguous)
    file = path.rpartition("/")[2]
    if ambiguous or file.startswith(("index.", "Index.", "+")):  # as many are called
        file = "/".join(path.split("/")[-2:])
    return file, None


def file_of(qualified: str, path: str, *, ambiguous: bool = False) -> str | None:
    """The file at `path`, where a definition's own name does not tell which it is: by its name for `default`, as one of
    many files is called, and with its folder where it is `ambiguous`. None where it tells, and where the path isn't
    known."""
    if ambiguous:
        return "/".join(path.split("/")[-2:]) or None
    return path.rpartition("/")[2] or None if qualified.partition(".")[0] == "default" else None


def quoted_definition(qualified: str, path: str) -> str:
    """A definition's name between backticks, and of which file where the name does not tell."""
    name, file = named(qualified, path)
    return quoted(name) if file is None else f"{quoted(name)} of {quoted(file)}"


_LONGEST_MISFIT = 2000


def quoted_misfit(misfit: str) -> str:
    """How a call does not fit, with the names in it between backticks."""
    misfit = misfit[:_LONGEST_MISFIT]
    if misfit.count("`") % 2:  # one of a property's own name, that would open what nothing closes
        misfit = misfit.replace("`", "'")
    told = next((told for form in _MISFITS if (told := form.fullmatch(misfit))), None)
    if told is None or "`" in misfit:
        return misfit
    before, names, after = told.groups()
    parts = [_NAME_IN_MISFIT.fullmatch(part) for part in names.split(", ")]
    shown = ", ".join(f"{part.group(1)}{quoted(part.group(2))}" for part in parts if part is not None)
    return f"{before}{shown if None not in parts else quoted(names)}{after}"


def counted(number: int, one: str, many: str | None = None) -> str:
    """A number with its word: `1 caller`, `8,312 files`. `many` is `one` with an s unless given."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def listed(words: Iterable[str]) -> str:
    """Words as English lists them: `a`, `a and b`, `a, b and c`."""
    items = list(words)
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}" if items else ""

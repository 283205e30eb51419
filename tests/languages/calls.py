"""What a call passes, as the rest of the code graph asks for it."""

from __future__ import annotations

import msgspec

from graph.expressions import Arguments, Taken, Use
from graph.languages.base import Language, Syntax


def arguments(language: Language, syntax: Syntax, at: int) -> Arguments:
    """What the call of the name at an offset passes; that it ends behind its parenthesis is looked after here."""
    reference = language.reference(syntax, at)
    assert reference is not None
    found = language.arguments(syntax, reference.call_at)
    assert found is not None
    assert found.end == -1 or syntax.source[: found.end].endswith(b")")
    return found


def passed(language: Language, syntax: Syntax, at: int) -> Arguments:
    """The same without what becomes of the result."""
    return msgspec.structs.replace(arguments(language, syntax, at), taken=None, use="other", end=-1)


def use(language: Language, syntax: Syntax, at: int) -> tuple[Use, Taken | None]:
    """What becomes of the result."""
    found = arguments(language, syntax, at)
    return found.use, found.taken

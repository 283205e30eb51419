"""Text within a limit of bytes: whole rows and whole sections, and a line that says what was left out.

GitHub counts a check run's fields in bytes of UTF-8, not in characters. `None` as a budget means no limit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

Item = TypeVar("Item")


def size(text: str) -> int:
    """Bytes of `text` in UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8"))


def fill(
    items: Sequence[Item],
    render: Callable[[Item], str],
    left_out: Callable[[Sequence[Item]], str],
    budget: int | None,
    *,
    head: str = "",
    foot: str = "",
    between: str = "\n",
) -> str:
    """`head`, as many rendered items as fit, a line about those left out, `foot`: at most `budget` bytes.

    Items are taken in order, so the most important must come first. When not one fits, the result is `head`, the line
    and `foot`, which may be more than the budget: the caller leaves it out then.
    """
    if budget is None:
        return _joined(between, head, *map(render, items), foot)
    gap = size(between)
    used = sum(size(part) + gap for part in (head, foot) if part) - gap
    rows: list[str] = []
    for item in items:
        row = render(item)
        used += size(row) + gap
        if used > budget:
            break
        rows.append(row)
    if len(rows) == len(items):
        return _joined(between, head, *rows, foot)
    while True:
        text = _joined(between, head, *rows, left_out(items[len(rows) :]), foot)
        if size(text) <= budget or not rows:
            return text
        rows.pop()


def _joined(between: str, *parts: str) -> str:
    return between.join(part for part in parts if part)


def shares(costs: Sequence[int], budget: int) -> list[int]:
    """Divides `budget`: everyone gets what they need or the same most, so a big one takes only what is left over."""
    result = [0] * len(costs)
    left = budget
    for rank, which in enumerate(sorted(range(len(costs)), key=lambda which: costs[which])):
        result[which] = min(costs[which], left // (len(costs) - rank))
        left -= result[which]
    return result


def compose(sections: Sequence[Callable[[int | None], str]], budget: int | None, *, between: str = "\n\n") -> str:
    """Sections one after another, each within its fair share of `budget`; those with nothing to say are left out."""
    if budget is None:
        return _joined(between, *(section(None) for section in sections))
    costs = [size(section(budget)) for section in sections]
    gaps = size(between) * max(0, sum(cost > 0 for cost in costs) - 1)
    texts = [
        section(share) if share < cost else section(budget)
        for section, cost, share in zip(sections, costs, shares(costs, budget - gaps), strict=True)
    ]
    while size(_joined(between, *texts)) > budget:
        texts.pop()  # only when a share was too small for a heading: the least important section goes
    return _joined(between, *texts)

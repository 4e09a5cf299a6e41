"""Selects critical facts if the budget does not allow all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING

from memoranda.context.candidates import Candidates
from memoranda.context.renderer import label_of, render_item
from memoranda.search.model import ContextItem

if TYPE_CHECKING:
    from memoranda.ports import TokenCounter

CRITICAL = "critical-facts"
CROWDED_SHARE = 0.75
"""Share of the budget for critical facts if not all fit.

The rest is for the state of the work and other sections.
"""


def fitted(
    candidates: Candidates,
    budget: int,
    counter: TokenCounter,
    tokens: Callable[[Candidates], int],
    most: int | None = None,
) -> Candidates:
    """Return the candidates with the critical facts that fit a budget.

    If not all fit, the most important ones are included, each complete; the others are ``omitted``.
    ``tokens`` counts a context with only the critical facts. ``most`` replaces `CROWDED_SHARE` as
    the limit of that context in tokens.
    """
    if tokens(candidates) <= budget:
        return candidates
    bare = tokens(_with(candidates, []))
    room = CROWDED_SHARE * (budget - bare) if most is None else most - bare
    chosen: list[ContextItem] = []
    labels: set[str] = set()
    ordered = list(_by_weight(candidates))
    costs = counter.count_many([f"{render_item(item)}\n" for item in ordered])
    for item, cost in zip(ordered, costs, strict=True):
        label = label_of(item)
        cost += 0 if label in labels else counter.count(f"{label}\n")
        if cost <= room:
            room -= cost
            labels.add(label)
            chosen.append(item)
    while chosen and tokens(_with(candidates, chosen)) > (most or budget):
        chosen.pop()
    return _with(candidates, chosen)


def _with(candidates: Candidates, chosen: list[ContextItem]) -> Candidates:
    chosen_ids = {id(item) for item in chosen}
    return replace(
        candidates,
        critical=tuple(item for item in candidates.critical if id(item) in chosen_ids),
        omitted=tuple(item for item in candidates.critical if id(item) not in chosen_ids),
    )


def _by_weight(candidates: Candidates) -> Iterator[ContextItem]:
    """Yield critical facts by importance.

    Answers to the query come first, then alternately the task's constraints and approved memories,
    newest first.
    """
    ranks = candidates.answers
    others = [item for item in reversed(candidates.critical) if item.id not in ranks]
    approved = [item for item in others if "#" not in item.ref]
    items = [item for item in others if "#" in item.ref]
    answers = (item for item in candidates.critical if item.id in ranks)
    yield from sorted(answers, key=lambda item: ranks[item.id])
    for pair in zip_longest(items, approved):
        yield from filter(None, pair)

"""Which critical facts a context holds when the budget has no room for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import zip_longest

from memoranda.context.candidates import Candidates
from memoranda.context.renderer import label_of, render_item
from memoranda.ports import TokenCounter
from memoranda.search.model import ContextItem

CRITICAL = "critical-facts"
CROWDED_SHARE = 0.75
"""What critical facts may take of the budget when they do not all fit: the rest is for where the
work stands and what else matters."""


def fitted(
    material: Candidates,
    budget: int,
    counter: TokenCounter,
    tokens: Callable[[Candidates], int],
    most: int | None = None,
) -> Candidates:
    """Return the material with those critical facts that a budget has room for.

    All of them if they fit; otherwise those that matter most, each whole, the others ``omitted``.
    ``tokens`` counts a context of nothing but the critical facts of some material; ``most`` is what
    such a context may have, if they do not all fit, in place of `CROWDED_SHARE`.
    """
    if tokens(material) <= budget:
        return material
    bare = tokens(_with(material, []))
    room = CROWDED_SHARE * (budget - bare) if most is None else most - bare
    chosen: list[ContextItem] = []
    labels: set[str] = set()
    ordered = list(_by_weight(material))
    costs = counter.count_many([f"{render_item(item)}\n" for item in ordered])
    for item, cost in zip(ordered, costs, strict=True):
        label = label_of(item)
        cost += 0 if label in labels else counter.count(f"{label}\n")
        if cost <= room:
            room -= cost
            labels.add(label)
            chosen.append(item)
    while chosen and tokens(_with(material, chosen)) > (most or budget):
        chosen.pop()
    return _with(material, chosen)


def _with(material: Candidates, chosen: list[ContextItem]) -> Candidates:
    chosen_ids = {id(item) for item in chosen}
    return replace(
        material,
        critical=tuple(item for item in material.critical if id(item) in chosen_ids),
        omitted=tuple(item for item in material.critical if id(item) not in chosen_ids),
    )


def _by_weight(material: Candidates) -> Iterator[ContextItem]:
    """Yield what answers the query, then approved memories and what a person said in the current
    task by turns, the newest of each first."""
    ranks = material.answers
    others = [item for item in reversed(material.critical) if item.id not in ranks]
    approved = [item for item in others if "#" not in item.ref]
    stated = [item for item in others if "#" in item.ref]
    answers = (item for item in material.critical if item.id in ranks)
    yield from sorted(answers, key=lambda item: ranks[item.id])
    for pair in zip_longest(stated, approved):
        yield from filter(None, pair)

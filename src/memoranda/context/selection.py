"""Selects a context's entries by share and worth, with exact token counts."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

from memoranda.context.candidates import Candidates
from memoranda.context.critical_facts_budget import CRITICAL
from memoranda.context.renderer import label_of, render, render_item, section_lines
from memoranda.search.model import ContextItem, ContextSection, OmittedItems

if TYPE_CHECKING:
    from memoranda.ports import TokenCounter

SHARES: Mapping[str, float] = {
    "task-progress": 0.14,
    "blocks": 0.20,
    "task-brief": 0.24,
    "standing-instructions": 0.10,
    "errors-to-avoid": 0.14,
    "profile": 0.14,
    "memories": 0.18,
    "user-statements": 0.10,
    "values-seen": 0.40,
    "relevant-past": 0.20,
}
"""Share of each section in the tokens left by critical facts.

Sections are filled in this order; the remainder then goes to sections with more content.
"""

SHOWN_ONCE = ("task-brief", "relevant-past")
"""Sections that show a step once: in the first section where it fits."""

BY_PEOPLE = ("standing-instructions", "user-statements")
"""Sections of people's sentences, which other sections do not repeat."""

IN_PARTS = (*BY_PEOPLE, "blocks")
"""Sections in which showing part of an entry does not replace the rest."""

GAPS = {
    "blocks": " \u2026 ",
    "task-progress": " \u2026 ",
    "task-brief": " \u2026 ",
    "standing-instructions": " \u2026 ",
    "user-statements": " \u2026 ",
    "values-seen": " ",
}
"""Separators for omitted text between lines of one source."""

BETWEEN = {"blocks": " \u00b7 "}
"""Separators between adjacent lines of one source, if not a space."""

HOW = {
    CRITICAL: "memoranda context --allow-overflow",
    "task-progress": "memoranda task list",
    "blocks": "memoranda block list",
    "task-brief": "memoranda brief TASK",
    "standing-instructions": "memoranda search QUERY",
    "errors-to-avoid": "memoranda observation list --type error",
    "profile": "memoranda profile show",
    "memories": "memoranda search QUERY --kind memory",
    "user-statements": "memoranda search QUERY",
    "relevant-past": "memoranda search QUERY",
}

MINIMUM = 8
"""Minimum number of free tokens for trying another item; a label alone needs more."""

MAX_CHARACTERS_PER_TOKEN = 8
"""Upper bound of the average characters per token of an entry.

English has four, code three.
"""

COUNTED = 40
"""Number of entries whose tokens are counted in one batch."""

_Cost = tuple[int, int]


class ContextSelection:
    """Current selection, which always includes the critical items."""

    def __init__(self, candidates: Candidates, counter: TokenCounter) -> None:
        self._material = candidates
        self._counter = counter
        self._candidates: dict[str, Sequence[ContextItem]] = {
            "task-progress": candidates.progress,
            "blocks": candidates.blocks,
            "task-brief": candidates.brief,
            "standing-instructions": candidates.standing,
            "errors-to-avoid": candidates.errors,
            "profile": candidates.profile,
            "memories": candidates.memories,
            "user-statements": candidates.statements,
            "values-seen": candidates.shown,
            "relevant-past": candidates.relevant,
        }
        self._how: Mapping[str, str] = HOW
        self._line = cache(render_item)
        """Token counts of single lines, cached for all texts."""
        self._chosen: dict[str, list[ContextItem]] = {name: [] for name in SHARES}
        self._order: list[tuple[str, ContextItem]] = []
        self._made: dict[str, ContextSection] = {}
        """Rendered sections, cached until their entries change."""
        self._taken: set[tuple[str, int]] = set()
        self._trimmed = set[str]()
        """Blocks from which a line was removed; no other line is added before that line."""
        self._section_of: dict[str, str] = {}
        self._costs: dict[str, list[_Cost]] = {}
        self._label_cost = cache(lambda label: counter.count(f"{label}\n"))
        self._owned: dict[str, frozenset[str]] = {}
        self._ranks: dict[str, dict[int, int]] = {}

    def fill(
        self, budget: int, shares: Mapping[str, float], free: Mapping[str, float] | None = None
    ) -> None:
        """Add items while the text fits the budget; recount after each round."""
        self._taken = {(item.id, item.place) for item in self._material.critical}
        for granted in (shares, free or {}, {}, {}):
            self._add(budget, granted)

    def extend(self, further: Mapping[str, Sequence[ContextItem]], budget: int) -> None:
        """Add further items to sections while the text fits the budget."""
        for name, items in further.items():
            self._candidates[name] = (*self._candidates[name], *items)
            self._ranks.pop(name, None)
        shares = dict.fromkeys(self._candidates, 0.0) | dict.fromkeys(further, 1.0)
        self._add(budget, shares)
        self._add(budget, shares)

    def _add(self, budget: int, shares: Mapping[str, float]) -> None:
        for name, item in self._ranked(budget - self.tokens(), shares):
            self._chosen[name].append(item)
            self._order.append((name, item))
            self._made.pop(name, None)
        self._trim(budget)

    def exchange(self, candidates: Candidates, budget: int) -> None:
        """Replace the critical facts with other candidates' facts."""
        self._material = candidates
        self._trim(budget)

    def _trim(self, budget: int) -> None:
        while self._order and self.tokens() > budget:
            name, item = self._order.pop()
            self._chosen[name].remove(item)
            self._made.pop(name, None)
            self._trimmed |= {item.id} if name == "blocks" else set()

    def _ranked(self, room: int, shares: Mapping[str, float]) -> Iterator[tuple[str, ContextItem]]:
        """Yield the items that fit by estimate, within each section's share.

        A section without a share is limited only by the whole budget. The newest line of a block
        may take half of the remaining tokens, and lines before one that does not fit are omitted.
        """
        whole = room
        for name in dict.fromkeys([*shares, *self._candidates]):
            items = self._candidates.get(name, ())
            allowance = min(room, int(whole * shares.get(name, 1.0)))
            shown = {item.id for item in self._chosen[name]}
            labels = {label_of(item, name) for item in self._chosen[name]}
            cut = set(self._trimmed)
            for at, item in enumerate(items):
                left = min(allowance, room)
                if name == "blocks" and allowance > 0 and item.id not in shown:
                    left = max(left, room // 2)
                if left < MINIMUM:
                    break
                if (item.id, item.place) in self._taken or item.id in cut:
                    continue
                cost = self._price(name, at, item.id in shown, labels, left)
                if cost > left:
                    cut |= {item.id} if name == "blocks" else set()
                    continue
                if self._is_in_other_section(name, item):
                    continue
                if name in SHOWN_ONCE and self._is_stated(item):
                    continue
                self._taken.add((item.id, item.place))
                shown.add(item.id)
                labels.add(label_of(item, name))
                allowance -= cost
                room -= cost
                yield name, item

    def _price(self, name: str, at: int, is_shown: bool, labels: Collection[str], left: int) -> int:
        """Return the tokens an item would add; more than ``left`` if it cannot fit."""
        item = self._candidates[name][at]
        if not item.text or len(item.text) > MAX_CHARACTERS_PER_TOKEN * left:
            return left + 1
        alone, beside = self._cost(name, at)
        cost = beside if item.place and is_shown else alone
        label = label_of(item, name)
        return cost + (0 if label in labels else self._label_cost(label))

    def _is_in_other_section(self, name: str, item: ContextItem) -> bool:
        """Return whether another section already shows a step.

        Always False for an answer to the query.
        """
        if name in BY_PEOPLE:
            self._section_of.setdefault(item.ref, name)
        if name not in SHOWN_ONCE or item.id in self._material.answers:
            return False
        return self._section_of.setdefault(item.ref, name) != name

    def _is_stated(self, item: ContextItem) -> bool:
        """Return whether the text is shown already, or confirms what is shown."""
        stated = (one for name in BY_PEOPLE for one in self._chosen.get(name, ()))
        if any(one.id == item.id and item.text in one.text for one in stated):
            return True
        from memoranda.context.echoes import is_echo  # needed only if steps are shown

        return is_echo(item, (*self._material.critical, *self.shown()))

    def _cost(self, name: str, at: int) -> _Cost:
        """Count an item's tokens as an entry of its own, and as part of one.

        An item with a position can be part of an entry. The following items are counted in the same
        batch, which is faster.
        """
        costs = self._costs.setdefault(name, [])
        while at >= len(costs):
            items = self._candidates[name][len(costs) : len(costs) + COUNTED]
            alone = self._counter.count_many([self._line(item) + "\n" for item in items])
            gap = GAPS.get(name, "")
            beside = iter(self._counter.count_many([gap + i.text for i in items if i.place]))
            pairs = zip(items, alone, strict=True)
            costs += [(whole, next(beside) if item.place else whole) for item, whole in pairs]
        return costs[at]

    def sections(self) -> Iterator[ContextSection]:
        """Yield the non-empty sections, in reading order."""
        for name, items in self._chosen.items():
            if items:
                yield self.section(name)
            if name == "task-progress" and self._material.critical:
                yield ContextSection(CRITICAL, self._material.critical)

    def counted(self) -> tuple[ContextSection, ...]:
        """Return the sections in reading order, each with its tokens."""
        section_list = list(self.sections())
        texts = [
            "\n".join(section_lines(context_section, self._line)) + "\n"
            for context_section in section_list
        ]
        pairs = zip(section_list, self._counter.count_many(texts), strict=True)
        return tuple(replace(section, tokens=tokens) for section, tokens in pairs)

    def section(self, name: str) -> ContextSection:
        """Return one section as rendered."""
        if name not in self._made:
            self._made[name] = self._read(name)
        return self._made[name]

    def _read(self, name: str) -> ContextSection:
        if name not in self._ranks:
            self._ranks[name] = {id(item): at for at, item in enumerate(self._candidates[name])}
        ranks = self._ranks[name]
        ordered = sorted(self._chosen[name], key=lambda item: (item.place, ranks[id(item)]))
        joined = _joined(ordered, GAPS.get(name, ""), BETWEEN.get(name, " "))
        return ContextSection(name, tuple(joined))

    def left_out(self) -> Iterator[OmittedItems]:
        """Yield the omitted items by section, with the command that shows them.

        Values are parts of observations and are not counted.
        """
        shown = {item.id for items in self._chosen.values() for item in items}
        shown |= {item.id for item in self._material.critical}
        if omitted := self.omitted():
            yield OmittedItems(CRITICAL, omitted, HOW[CRITICAL])
        for name, how in self._how.items():
            if name == CRITICAL:
                continue
            if name in IN_PARTS:
                chosen = {(item.id, item.place) for item in self._chosen[name]}
                items = self._candidates[name]
                missing = {item.id for item in items if (item.id, item.place) not in chosen}
            else:
                missing = set(self._own(name) - shown)
            shown |= missing  # an item in several sections counts as missing once
            if missing:
                yield OmittedItems(name, len(missing), how)

    def omitted(self) -> int:
        """Count the critical facts that are in no section."""
        counts: dict[str, str] = {}
        for item in (context_item for items in self._chosen.values() for context_item in items):
            counts[item.id] = f"{counts.get(item.id, '')}\n{item.text}"
        return sum(one.text not in counts.get(one.id, "") for one in self._material.omitted)

    def coverage(self) -> float:
        """Return the share of critical facts included; below 1 if one is missing."""
        omitted = self.omitted()
        whole = len(self._material.critical) + len(self._material.omitted)
        return math.floor((whole - omitted) / whole * 10_000) / 10_000 if omitted else 1.0

    def _own(self, name: str) -> frozenset[str]:
        """Return the ids that this section is the first to show."""
        if name not in self._owned:
            items = self._candidates[name]
            ids = (item.id for item in items if not self._is_in_other_section(name, item))
            self._owned[name] = frozenset(ids)
        return self._owned[name]

    def shown(self) -> Iterator[ContextItem]:
        """Yield the selected items of all sections."""
        for items in self._chosen.values():
            yield from items

    def text(self) -> str:
        """Render the selection."""
        place, workspace = self._material.workspace, list(self.sections())
        return render(place, workspace, list(self.left_out()), self._line)

    def tokens(self) -> int:
        """Count the tokens of the selection exactly."""
        return self._counter.count(self.text())


def _joined(items: Sequence[ContextItem], gap: str, neighbour: str = " ") -> Iterator[ContextItem]:
    """Join adjacent items of one source into one entry.

    ``gap`` replaces omitted text between them; ``neighbour`` separates direct neighbours.
    """
    for (_, placed), group in groupby(items, key=lambda item: (item.id, item.place > 0)):
        context_items = list(group)
        if not placed or len(context_items) == 1:
            yield from context_items
            continue
        text = context_items[0].text
        for before, item in pairwise(context_items):
            text += (neighbour if item.place == before.place + 1 else gap) + item.text
        yield replace(context_items[0], text=text)

"""What a task has come to, line by line, from the summaries of its stages."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from heapq import heapify, heappop, heappush

from memoranda.compression import table as compressions
from memoranda.compression.model import CompressedLine, Compression, PassageSpeaker
from memoranda.context.items import is_arguments
from memoranda.context.provenance import safe_text
from memoranda.observations.model import Origin
from memoranda.search.model import ContextItem
from memoranda.search.words import STOP_WORDS, stems, words
from memoranda.store.database import Transaction
from memoranda.tasks.model import Task
from memoranda.trust import BY_ORIGIN

MOST = 16_000
"""Tokens of stage summaries that are looked through; above, the summary of the task stands in for
those of its stages but the last."""
OUTDATED = "(no longer) "

EVERY = 1 << 30
"""Characters that no task's summary has."""

DENSITY = 0.75
"""How much shortness counts: what a line brings is divided by its length to this power."""
REPEATED = 0.25
"""Share of its worth that a line keeps although all its words are told already."""
NEAR_COPY, COPIED = 0.34, 0.05
STALE = 0.6
OWN, ASKED = 0.35, 1.5
"""What a line's own worth counts beside a question, and what a full answer counts."""
KNOWN = 4_096
"""Lines whose words are not looked for again: a task is told about more than once."""
RANKED = 16
"""Tasks whose lines are not put in order again while their summaries stay what they are."""
LABEL = 60
"""Characters that go with a line beside its own, and for the reader's turning to it."""

WEIGHTS = {
    PassageSpeaker.USER: 1.5,
    PassageSpeaker.ASSISTANT: 1.3,
    PassageSpeaker.SYSTEM: 1.0,
    PassageSpeaker.TOOL: 0.3,
}
SCRAP = 0.1
"""What is left of the worth of a piece of code or data: without what stood around it, it tells
nobody anything."""
_TOKEN = re.compile(r"[\w./:@#-]+")
_VALUED = re.compile(r"[\d/_@]")

ORIGINS = {
    PassageSpeaker.USER: Origin.HUMAN,
    PassageSpeaker.ASSISTANT: Origin.AGENT,
    PassageSpeaker.TOOL: Origin.TOOL,
    PassageSpeaker.SYSTEM: Origin.GENERATED,
}


def brief_items(
    tx: Transaction, task: Task, query: str | None = None, room: int = EVERY
) -> tuple[ContextItem, ...]:
    """Return what stands for a task, one item for each line: the one that brings most for its
    length first, then those that bring most beside it.

    Each names its observation and knows its place in the order of events. Lines that come after
    so many characters that nobody has ``room`` for them are in the order of events, and without
    their words.
    """
    lines = _lines(_standing(tx, task))
    if not lines:
        return ()
    return tuple(_told(lines, line_order(lines, query, room), room))


def _told(
    lines: Sequence[CompressedLine], order: Iterable[int], room: int
) -> Iterator[ContextItem]:
    for place in order:
        item = _item(place + 1, lines[place])
        if room <= 0:
            yield replace(item, text="")  # whether it may be told takes a while to find out
        elif safe_text(item.origin, item.text):
            yield item
        room -= len(lines[place].text)


def line_order(lines: Sequence[CompressedLine], query: str | None, room: int = EVERY) -> list[int]:
    """Return the places of lines in the order in which a reader with little room should be told
    them, in time that grows little faster than their number; after ``room`` characters, in their
    own order."""
    return list(_ranked(tuple(lines), query, room))


def _standing(tx: Transaction, task: Task) -> list[Compression]:
    """Return what is looked through: the summaries of all stages, or where they are too much, that
    of the task and of its last stage; while there is none, the last ones. No other is read: a long
    task has hundreds."""
    sizes = compressions.sizes(tx, task.team, task.id)
    parts = [stage for stage in sizes if stage]
    if sum(sizes[stage] for stage in parts) > MOST:
        parts = [0, parts[-1]] if 0 in sizes else _newest(parts, sizes)
    return compressions.of_stages(tx, task.team, task.id, parts) if parts else []


def _newest(parts: Sequence[int], sizes: Mapping[int, int]) -> list[int]:
    """Return the last stages that are looked through where nothing tells of the task yet."""
    room = MOST
    for count, stage in enumerate(reversed(parts)):
        room -= sizes[stage]
        if count and room < 0:
            return list(parts[len(parts) - count :])
    return list(parts)


def _lines(found: Sequence[Compression]) -> list[CompressedLine]:
    """Return the lines of summaries, without arguments of tools."""
    lines = _all_lines(found)
    return [
        one for one in lines if one.speaker is not PassageSpeaker.TOOL or not is_arguments(one.text)
    ]


def _all_lines(found: Sequence[Compression]) -> list[CompressedLine]:
    whole = [one for one in found if one.stage == 0]
    parts = [one for one in found if one.stage]
    if not whole:
        return [line for one in parts for line in one.lines]
    last = parts[-1].lines
    known = {(line.ref, line.text) for line in last}
    earlier = [line for line in whole[0].lines if (line.ref, line.text) not in known]
    return [*earlier, *last]


def _item(place: int, line: CompressedLine) -> ContextItem:
    text = f"{OUTDATED if line.outdated else ''}{line.text}"
    origin = ORIGINS[line.speaker]
    return ContextItem(line.ref, line.ref, text, origin, 0, place=place, trust=BY_ORIGIN[origin])


@dataclass(frozen=True, slots=True)
class _LineContent:
    """What a line tells: stems and values, each with its rarity among the lines."""

    weights: dict[str, float]
    whole: float


class _Ranking:
    """Puts lines in the order in which a reader with little room should be told them."""

    def __init__(self, lines: Sequence[CompressedLine], query: str | None) -> None:
        self._lines = lines
        held = [_said(line.text) for line in lines]
        having = Counter(one for said in held for one in said)
        rarity = {one: math.log(1 + len(lines) / count) for one, count in having.items()}
        self._contents = [_weighed(said, rarity) for said in held]
        self._told: Counter[str] = Counter()
        self._worths = [_worth(line) for line in lines]
        if query:
            self._ask(_said(query), held, rarity)

    def order(self, room: int) -> list[int]:
        """Return the places of the lines, best first, until they fill the room.

        What a line brings only shrinks as others are told, so one that is still the best after it
        was weighed anew is the best of all.
        """
        heap = [(-self._gain(at), at) for at in range(len(self._lines))]
        heapify(heap)
        found: list[int] = []
        while heap and room > 0:
            _, at = heappop(heap)
            gain = self._gain(at)
            if heap and (-gain, at) > heap[0]:
                heappush(heap, (-gain, at))
                continue
            found.append(at)
            room -= len(self._lines[at].text)
            self._told.update(self._contents[at].weights.keys())
        return found + sorted(at for _, at in heap)

    def _gain(self, at: int) -> float:
        line, content = self._lines[at], self._contents[at]
        told = self._told.get  # asked so, a counter answers without a call of its own
        new = sum([weight / (1 + told(one, 0)) for one, weight in content.weights.items()])
        share = new / content.whole if content.whole else 0.0
        gain = self._worths[at] * (REPEATED + (1 - REPEATED) * share)
        gain *= (STALE if line.outdated else 1.0) * (COPIED if share < NEAR_COPY else 1.0)
        return float(gain / (len(line.text) + LABEL) ** DENSITY)

    def _ask(
        self, wanted: frozenset[str], held: Sequence[frozenset[str]], rarity: dict[str, float]
    ) -> None:
        """Have lines count by the words they share with a question, and those beside such lines:
        an answer need not repeat what it answers."""
        known = {one: rarity[one] for one in sorted(wanted) if one in rarity}
        whole = sum(known.values())
        if not whole:
            return
        sources: dict[str, set[str]] = {}
        for line, said in zip(self._lines, held, strict=True):
            sources.setdefault(line.ref, set()).update(said & wanted)
        for at, (line, said) in enumerate(zip(self._lines, held, strict=True)):
            share = sum(known[one] for one in sorted(said & known.keys())) / whole
            near = sum(known[one] for one in sorted(sources[line.ref])) / whole
            self._worths[at] = OWN * self._worths[at] + ASKED * (share + near**2)


@lru_cache(maxsize=RANKED)
def _ranked(lines: tuple[CompressedLine, ...], query: str | None, room: int) -> tuple[int, ...]:
    return tuple(_Ranking(lines, query).order(room))


def _worth(line: CompressedLine) -> float:
    """Return what a line is worth to somebody who was not there: words of people and agents before
    those of programs, and of these only what reads like a message."""
    worth = max(line.worth, float(line.pinned)) * WEIGHTS[line.speaker]
    return worth if line.tells else worth * SCRAP


@lru_cache(maxsize=KNOWN)
def _said(text: str) -> frozenset[str]:
    content = (word for word in words(text) if word not in STOP_WORDS)
    return frozenset(stems(content)) | {
        token.lower() for token in _TOKEN.findall(text) if _VALUED.search(token)
    }


def _weighed(said: frozenset[str], rarity: dict[str, float]) -> _LineContent:
    weights = {one: rarity[one] for one in sorted(said)}
    return _LineContent(weights, sum(weights.values()))

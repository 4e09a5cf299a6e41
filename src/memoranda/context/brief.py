"""Context lines for a task, from the summaries of its stages."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from memoranda.compression import table as compressions
from memoranda.compression.model import CompressedLine, Compression, PassageSpeaker
from memoranda.context.record_lines import is_arguments
from memoranda.context.untrusted_text import safe_text
from memoranda.language.text_overlap import BestFirst, Coverage
from memoranda.language.words import content_stems, valued_names
from memoranda.observations.model import Origin
from memoranda.search.model import ContextItem
from memoranda.store.database import Transaction
from memoranda.tasks.model import Task
from memoranda.trust import BY_ORIGIN

MAXIMUM = 16_000
"""Maximum number of tokens of stage summaries that are read.

Above this limit, the summary of the task replaces those of all stages except the last.
"""
OUTDATED = "(no longer) "

EVERY = 1 << 30
"""Value for an unlimited number of characters."""

STALE = 0.6
OWN, QUERY = 0.35, 1.5
"""Weights of a line's own worth and of its match with the query."""
KNOWN = 4_096
"""Number of lines whose words are cached, since tasks are summarised repeatedly."""
RANKED = 16
"""Number of cached line orders, valid while the summaries are unchanged."""
LABEL = 60
"""Fixed cost of a line in characters, for its label and the reading effort."""

WEIGHTS = {
    PassageSpeaker.USER: 1.5,
    PassageSpeaker.ASSISTANT: 1.3,
    PassageSpeaker.SYSTEM: 1.0,
    PassageSpeaker.TOOL: 0.3,
}
SCRAP = 0.1
"""Factor applied to the worth of code or data without context, which helps readers little."""

ORIGINS = {
    PassageSpeaker.USER: Origin.HUMAN,
    PassageSpeaker.ASSISTANT: Origin.AGENT,
    PassageSpeaker.TOOL: Origin.TOOL,
    PassageSpeaker.SYSTEM: Origin.GENERATED,
}


def brief_items(
    tx: Transaction, task: Task, query: str | None = None, room: int = EVERY
) -> tuple[ContextItem, ...]:
    """Return the summary of a task, one item per line, by gain.

    First comes the line with the largest gain for its length, then repeatedly the one that adds
    most to those before.

    Each item names its observation and has its position in the order of events. Items after
    ``room`` characters are in the order of events and have no text, as they cannot be shown.
    """
    lines = _lines(_stage_summaries(tx, task))
    if not lines:
        return ()
    return tuple(_items(lines, line_order(lines, query, room), room))


def _items(
    lines: Sequence[CompressedLine], order: Iterable[int], room: int
) -> Iterator[ContextItem]:
    for place in order:
        item = _item(place + 1, lines[place])
        if room <= 0:
            yield replace(item, text="")  # skips the slow check of what may be shown
        elif safe_text(item.origin, item.text):
            yield item
        room -= len(lines[place].text)


def line_order(lines: Sequence[CompressedLine], query: str | None, room: int = EVERY) -> list[int]:
    """Return the positions of lines by gain, for a reader with a small budget.

    After ``room`` characters, the positions are in their original order. The time grows little
    faster than the number of lines.
    """
    return list(_ranked(tuple(lines), query, room))


def _stage_summaries(tx: Transaction, task: Task) -> list[Compression]:
    """Return the summaries of all stages, or of some if they are too long.

    If the summaries are too long, those of the task and of its last stage are returned, or without
    a task summary, those of the last stages. Others are not read, as a long task has hundreds.
    """
    sizes = compressions.sizes(tx, task.team, task.id)
    parts = [stage for stage in sizes if stage]
    if sum(sizes[stage] for stage in parts) > MAXIMUM:
        parts = [0, parts[-1]] if 0 in sizes else _newest(parts, sizes)
    return compressions.of_stages(tx, task.team, task.id, parts) if parts else []


def _newest(parts: Sequence[int], sizes: Mapping[int, int]) -> list[int]:
    """Return the last stages to read if the task has no summary yet."""
    room = MAXIMUM
    for count, stage in enumerate(reversed(parts)):
        room -= sizes[stage]
        if count and room < 0:
            return list(parts[len(parts) - count :])
    return list(parts)


def _lines(found: Sequence[Compression]) -> list[CompressedLine]:
    """Return the lines of summaries, except tool arguments."""
    lines = _all_lines(found)
    return [
        line
        for line in lines
        if line.speaker is not PassageSpeaker.TOOL or not is_arguments(line.text)
    ]


def _all_lines(found: Sequence[Compression]) -> list[CompressedLine]:
    whole = [compression for compression in found if compression.stage == 0]
    parts = [item for item in found if item.stage]
    if not whole:
        return [line for part in parts for line in part.lines]
    last = parts[-1].lines
    shown_lines = {(line.ref, line.text) for line in last}
    earlier = [line for line in whole[0].lines if (line.ref, line.text) not in shown_lines]
    return [*earlier, *last]


def _item(place: int, line: CompressedLine) -> ContextItem:
    text = f"{OUTDATED if line.outdated else ''}{line.text}"
    origin = ORIGINS[line.speaker]
    return ContextItem(line.ref, line.ref, text, origin, 0, place=place, trust=BY_ORIGIN[origin])


class _Ranking:
    """Ranking of lines for a reader with a small budget."""

    def __init__(self, lines: Sequence[CompressedLine], query: str | None) -> None:
        self._lines = lines
        word_sets = [_content_words(line.text) for line in lines]
        having = Counter(item for word_set in word_sets for item in word_set)
        rarity = {one: math.log(1 + len(lines) / count) for one, count in having.items()}
        self._contents = [{item: rarity[item] for item in sorted(some)} for some in word_sets]
        """Rarity of the stems and values of each line."""
        self._covered = Coverage()
        self._worths = [_score(line) for line in lines]
        if query:
            self._weight_by_query(_content_words(query), word_sets, rarity)

    def order(self, room: int) -> list[int]:
        """Return the positions of the best lines, best first, until their text fills ``room``
        characters.
        """
        queue = BestFirst(self._gain, ((at, self._gain(at)) for at in range(len(self._lines))))
        found: list[int] = []
        for at, _ in queue:
            found.append(at)
            room -= len(self._lines[at].text)
            self._covered.add(self._contents[at])
            if room <= 0:
                break
        return found + queue.rest()

    def _gain(self, at: int) -> float:
        line = self._lines[at]
        score = self._worths[at] * (STALE if line.outdated else 1.0)
        return self._covered.gain(score, self._contents[at], len(line.text) + LABEL)

    def _weight_by_query(
        self, wanted: frozenset[str], word_sets: Sequence[frozenset[str]], rarity: dict[str, float]
    ) -> None:
        """Weight lines by the query words that they or their neighbours have.

        Lines of the same observation are neighbours, since an answer need not repeat its question.
        """
        weights = {one: rarity[one] for one in sorted(wanted) if one in rarity}
        whole = sum(weights.values())
        if not whole:
            return
        sources: dict[str, set[str]] = {}
        for line, word_set in zip(self._lines, word_sets, strict=True):
            sources.setdefault(line.ref, set()).update(word_set & wanted)
        for at, (line, word_set) in enumerate(zip(self._lines, word_sets, strict=True)):
            share = sum(weights[item] for item in sorted(word_set & weights.keys())) / whole
            near = sum(weights[source] for source in sorted(sources[line.ref])) / whole
            self._worths[at] = OWN * self._worths[at] + QUERY * (share + near**2)


@lru_cache(maxsize=RANKED)
def _ranked(lines: tuple[CompressedLine, ...], query: str | None, room: int) -> tuple[int, ...]:
    return tuple(_Ranking(lines, query).order(room))


def _score(line: CompressedLine) -> float:
    """Return the worth of a line to a reader without other context.

    Text of people and agents has more weight than that of programs. Text that does not read like a
    message has little.
    """
    score = max(line.worth, float(line.pinned)) * WEIGHTS[line.speaker]
    return score if line.tells else score * SCRAP


@lru_cache(maxsize=KNOWN)
def _content_words(text: str) -> frozenset[str]:
    return content_stems(text) | {name.lower() for name in valued_names(text)}

"""Observations of a task as passages for a compressor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memoranda.capture.event import REWOUND
from memoranda.compression.model import Passage, PassageSpeaker
from memoranda.observations import content as contents, table as observations
from memoranda.observations.model import Observation, ObservationType, Origin, Salience
from memoranda.observations.table import ObservationFilter
from memoranda.stages import table as stages
from memoranda.store.database import Transaction

PAGE = 100
"""Number of observations whose contents are in memory before they are clipped."""
MAX_LENGTH = 2_000_000
"""Number of characters read of one observation, from its start and its end."""
NO_WORK = frozenset({"recalled", "envelope"})
"""Tags of Memoranda's own output and of hosts' wrappers around messages.

Neither represents progress of a task.
"""

ALL = ObservationFilter(with_repeats=True)
"""Filter that includes repeats, which count as steps of a task."""

EXCLUDED = frozenset({Salience.FOLDED, Salience.QUARANTINED})
SPEAKERS = {
    Origin.HUMAN: PassageSpeaker.USER,
    Origin.AGENT: PassageSpeaker.ASSISTANT,
    Origin.GENERATED: PassageSpeaker.SYSTEM,
}


@dataclass(frozen=True, slots=True)
class PassageRange:
    """Range of a task's observations."""

    passages: tuple[Passage, ...]
    tokens: int
    """Number of tokens in the complete passages."""
    errors: int
    first: int
    until: int
    """Sequence number of the last observation; 0 if there is none."""
    extent: tuple[int, int]
    """Number of observations, and their tokens."""

    def holds(self, tx: Transaction, team: str, task: str) -> bool:
        """Return whether all observations of the range still exist."""
        return stages.extent(tx, team, task, self.first, self.until) == self.extent


def read(tx: Transaction, team: str, task: str, first: int, last: int) -> PassageRange:
    """Return a task's observations in the given range of sequence numbers."""
    passages: list[Passage] = []
    tokens = errors = until = 0
    extent = stages.extent(tx, team, task, first, last)
    for found in pages(tx, team, task, first, last):
        counted = [observation for observation in found if _counts(observation)]
        texts = contents.texts(tx, team, [item.id for item in counted])
        passages += [_passage(one, texts[one.id]) for one in counted]
        tokens += sum(one.tokens for one in counted)
        errors += sum(one.type is ObservationType.ERROR for one in counted)
        until = found[-1].sequence
    return PassageRange(tuple(passages), tokens, errors, first, until, extent)


def pages(
    tx: Transaction, team: str, task: str, first: int, last: int
) -> Iterator[Sequence[Observation]]:
    """Yield observations of a task by sequence number, in pages."""
    after = first - 1
    while True:
        result = observations.in_task(tx, team, task, where=ALL, span=(after, last + 1), limit=PAGE)
        if not result:
            return
        yield result
        after = result[-1].sequence


def _counts(observation: Observation) -> bool:
    left = observation.branch == REWOUND or observation.salience in EXCLUDED
    return not left and NO_WORK.isdisjoint(observation.tags)


def _passage(observation: Observation, text: str) -> Passage:
    speaker = SPEAKERS.get(observation.origin, PassageSpeaker.TOOL)
    if len(text) > MAX_LENGTH:
        text = f"{text[: MAX_LENGTH // 2]}\n{text[-MAX_LENGTH // 2 :]}"
    return Passage(observation.ref, speaker, text, observation.constraints)

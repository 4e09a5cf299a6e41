"""Statements of messages whose memory is erased, so that they no longer apply."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memoranda.memories import (
    table as memories,
    tombstone_table as tombstones,
    version_table as memory_versions,
)
from memoranda.memories.model import Memory
from memoranda.observations import content as contents, table as observations
from memoranda.observations.model import Observation, Origin
from memoranda.search import table as entries
from memoranda.store.database import Transaction

VERSIONS = 20
"""Number of newest versions of a memory whose wording is read."""


@dataclass(frozen=True, slots=True)
class SourceStatement:
    """Sentence of a person's message that a memory was taken from."""

    observation: str
    ref: str
    sentence: str


def source_statements(
    tx: Transaction, team: str, found: Sequence[Memory]
) -> Iterator[SourceStatement]:
    """Yield the sentences of people's messages that state memories or an earlier version."""
    from memoranda.context.labelled_sentences import sentences  # its patterns take long to load

    sources = memories.sources(tx, team, [memory.id for memory in found])
    for memory in found:
        messages = [
            observation
            for observation in observations.by_ids(
                tx, team, sorted(sources.get(memory.id, ()))
            ).values()
            if observation.origin is Origin.HUMAN
        ]
        ids = [message.id for message in messages]
        texts, labels = contents.texts(tx, team, ids), entries.labels(tx, team, ids)
        stated = _wordings(tx, memory)
        for message in messages:
            read = sentences(texts.get(message.id, ""), labels.get(message.id))
            for sentence in (*(one.text for one in read), *message.constraints):
                if _states(stated, message, sentence):
                    yield SourceStatement(message.id, message.ref, sentence)


def withdraw(tx: Transaction, team: str, statements: Sequence[SourceStatement], now: int) -> None:
    """Record that statements no longer apply; the messages are not changed."""
    keys = (tombstones.statement_key(one.observation, one.sentence) for one in statements)
    tombstones.add_tombstones(tx, team, keys, now)


def _wordings(tx: Transaction, memory: Memory) -> set[str]:
    versions = memory_versions.listed(tx, memory.team, memory.id, limit=VERSIONS)
    return {memory.content, *(version.state.content for version in versions)}


def _states(wordings: set[str], message: Observation, sentence: str) -> bool:
    from memoranda.context.withdrawn_statements import Rejections, WithdrawnText

    source = frozenset((message.id,))
    texts = (WithdrawnText(text, message.counted_at, sources=source) for text in wordings)
    return Rejections(texts).cover(sentence, message.counted_at, message.id)

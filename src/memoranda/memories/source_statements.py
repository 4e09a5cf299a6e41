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
    tx: Transaction, team: str, found: Sequence[Memory], besides: Sequence[str] = ()
) -> list[SourceStatement]:
    """Return the sentences of people's messages that state memories or their earlier versions.

    Messages with one of the ids ``besides`` are omitted.
    """
    sources = memories.sources(tx, team, [memory.id for memory in found])
    return [
        statement
        for memory in found
        for message in observations.by_ids(
            tx, team, sorted(sources.get(memory.id, frozenset()).difference(besides))
        ).values()
        if message.origin is Origin.HUMAN
        for statement in _of_message(tx, message, _wordings(tx, memory))
    ]


def _of_message(
    tx: Transaction, message: Observation, wordings: set[str]
) -> Iterator[SourceStatement]:
    from memoranda.context.labelled_sentences import sentences  # its patterns take long to load

    team, id = message.team, message.id
    text = contents.texts(tx, team, [id]).get(id, "")
    read = sentences(text, entries.labels(tx, team, [id]).get(id))
    for sentence in (*(one.text for one in read), *message.constraints):
        if _states(wordings, message, sentence):
            yield SourceStatement(id, message.ref, sentence)


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

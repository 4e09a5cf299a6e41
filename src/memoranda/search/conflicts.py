"""Which of the records found say what cannot all hold (RCL-5)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING

from memoranda.memories import link_table as memory_links
from memoranda.memories.links import LinkKind
from memoranda.memories.model import Memory
from memoranda.observations.model import Observation, ObservationType
from memoranda.search import table as entries
from memoranda.search.hits import ref_of
from memoranda.search.model import Contradiction
from memoranda.search.passages import SHORT
from memoranda.search.words import STOP_WORDS, words
from memoranda.store.database import Transaction

if TYPE_CHECKING:
    from memoranda.ports import Vectors
    from memoranda.statements import Statement

LOOKED_AT = 20
"""Of the best records: every two of them are compared."""
STATEMENTS = 4
"""Of one record."""
NEAR, COMMON = 0.35, 1
"""Cosine and words in common below which no two records are compared further."""
_STATING = frozenset({ObservationType.MESSAGE, ObservationType.DECISION, ObservationType.LEARNING})
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")


@dataclass(frozen=True, slots=True)
class _StatedText:
    """What one record states."""

    record: Observation | Memory
    text: str
    words: frozenset[str]
    vector: Vectors | None
    """Of the whole, where it is short."""

    def cosine(self, other: _StatedText) -> float | None:
        """How near another is in meaning, where that is known."""
        if self.vector is None or other.vector is None:
            return None
        return float(self.vector @ other.vector)


def is_statement(record: Observation | Memory) -> bool:
    """Tell whether somebody states something in a record, as no tool does."""
    return isinstance(record, Memory) or (record.type in _STATING and record.tool is None)


def contradictions(
    tx: Transaction,
    team: str,
    model: str | None,
    records: Sequence[Observation | Memory],
    texts: Mapping[str, str],
) -> tuple[Contradiction, ...]:
    """Return the pairs among the best records that contradict each other, or of which one brings
    the other up to date, in the order of the records.

    ``model`` names the vectors in force, if there are any; ``texts`` has what records say.
    """
    stating = [r for r in records[:LOOKED_AT] if is_statement(r) and r.id in texts]
    if len(stating) < 2:
        return ()
    read = _read(tx, team, model, stating, texts)
    known = {(found.older, found.newer) for found in read}
    return (*read, *(one for one in _noted(tx, team, stating) if _ends(one) not in known))


def _ends(found: Contradiction) -> tuple[str, str]:
    return found.older, found.newer


def _noted(
    tx: Transaction, team: str, stating: Sequence[Observation | Memory]
) -> Iterator[Contradiction]:
    """Yield what was noted before of the memories among some records, by a person or a job."""
    noted = {record.id: ref_of(record) for record in stating if isinstance(record, Memory)}
    if len(noted) < 2:
        return
    for link in memory_links.among(tx, team, list(noted), LinkKind.CONTRADICTS):
        reason = link.reason or "said by hand"
        yield Contradiction(noted[link.other], noted[link.memory], "contradiction", reason)


def _read(
    tx: Transaction,
    team: str,
    model: str | None,
    stating: Sequence[Observation | Memory],
    texts: Mapping[str, str],
) -> tuple[Contradiction, ...]:
    """Return the pairs of records whose words contradict each other."""
    vectors = _vectors(tx, team, model, [r.id for r in stating if len(texts[r.id]) <= SHORT])
    said = [
        _StatedText(r, texts[r.id], frozenset(words(texts[r.id])) - STOP_WORDS, vectors.get(r.id))
        for r in stating
    ]
    return tuple(
        found
        for one, other in combinations(said, 2)
        for found in _between(*sorted((one, other), key=_time))
    )


def _time(said: _StatedText) -> tuple[int, str]:
    return said.record.created_at, said.record.id


def _between(older: _StatedText, newer: _StatedText) -> Iterator[Contradiction]:
    """Yield at most one conflict of two records; most pairs are told apart without reading them."""
    cosine = older.cosine(newer)
    if (cosine is not None and cosine < NEAR) or len(older.words & newer.words) < COMMON:
        return
    from memoranda.statements import conflict  # its patterns take long to load

    for old in _statements(older.text):
        for new in _statements(newer.text):
            if found := conflict(old, new, cosine or 0.0):
                refs = ref_of(older.record), ref_of(newer.record)
                yield Contradiction(*refs, found.kind, found.reason)
                return


@lru_cache(maxsize=512)
def _statements(text: str) -> tuple[Statement, ...]:
    from memoranda.statements import Statement, claims

    sentences = _SENTENCE_END.split(text.strip()) if len(text) <= SHORT else claims(text)
    return tuple(Statement.of(sentence) for sentence in sentences[:STATEMENTS] if sentence)


def _vectors(
    tx: Transaction, team: str, model: str | None, ids: Sequence[str]
) -> dict[str, Vectors]:
    """Return the vectors of records of one passage."""
    if not model or len(ids) < 2:
        return {}
    hashes = entries.text_hashes(tx, team, ids)
    single = {id: found[0] for id, found in hashes.items() if len(found) == 1}
    known = tx.vectors().known(team, model, list(single.values()))
    return {id: known[digest] for id, digest in single.items() if digest in known}

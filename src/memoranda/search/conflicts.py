"""Contradictions among the records found by a search (RCL-5)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING

from memoranda.language.words import STOP_WORDS, words
from memoranda.memories.model import Memory
from memoranda.observations.model import Observation, ObservationType, Origin
from memoranda.search import table as entries
from memoranda.search.model import Contradiction
from memoranda.search.passage_splitter import SHORT
from memoranda.store.database import Transaction

if TYPE_CHECKING:
    from memoranda.ports import Vectors
    from memoranda.statements.statement import Statement

EXAMINED = 20
"""Number of best-ranked records that are compared pairwise."""
STATEMENTS = 4
"""Maximum number of statements of one record."""
NEAR, COMMON = 0.35, 1
"""Minimum cosine and number of common words for two records to be compared."""
_NUMBERS = re.compile(r"\d+(?:[.,]\d+)*")
_STEP_DONE = re.compile(
    r"\W{0,3}(?:\w{2,20}ed|read|ran|wrote|made|found|saw|did|built)\b", re.IGNORECASE
)
"""Start of a report on a step, such as "looked at 3"."""
_STATING = frozenset({ObservationType.MESSAGE, ObservationType.DECISION, ObservationType.LEARNING})


@dataclass(frozen=True, slots=True)
class _StatedText:
    """Statements of one record."""

    record: Observation | Memory
    ref: str
    text: str
    words: frozenset[str]
    vector: Vectors | None
    """Vector of the record if the record is short enough for one passage."""

    def cosine(self, other: _StatedText) -> float | None:
        """Return the cosine with another record; None if unknown."""
        if self.vector is None or other.vector is None:
            return None
        return float(self.vector @ other.vector)


def is_statement(record: Observation | Memory) -> bool:
    """Return whether a record can contain statements, unlike tool output."""
    return isinstance(record, Memory) or (record.type in _STATING and record.tool is None)


def contradictions(
    tx: Transaction,
    team: str,
    model: str | None,
    records: Sequence[Observation | Memory],
    texts: Mapping[str, str],
    refs: Mapping[str, str],
) -> tuple[Contradiction, ...]:
    """Return contradicting pairs among the best records, in order.

    Pairs of a statement and its update are included. ``model`` names the current embedding model,
    if any; ``texts`` and ``refs`` contain the texts and short names of the records by id.
    """
    stating = [r for r in records[:EXAMINED] if is_statement(r) and r.id in texts]
    if len(stating) < 2:
        return ()
    vectors = _vectors(tx, team, model, [r.id for r in stating if len(texts[r.id]) <= SHORT])
    stated_texts = [
        _StatedText(
            record=r,
            ref=refs[r.id],
            text=texts[r.id],
            words=frozenset(words(texts[r.id])) - STOP_WORDS,
            vector=vectors.get(r.id),
        )
        for r in stating
    ]
    read = _read(stated_texts)
    pairs = {(contradiction.older, contradiction.newer) for contradiction in read}
    noted = {r.id: refs[r.id] for r in stating if isinstance(r, Memory)}
    return (*read, *(item for item in _noted(tx, team, noted) if _ends(item) not in pairs))


def _ends(found: Contradiction) -> tuple[str, str]:
    return found.older, found.newer


def _noted(tx: Transaction, team: str, noted: Mapping[str, str]) -> Iterator[Contradiction]:
    """Yield contradictions of memories that were recorded by people or jobs.

    ``noted`` contains the short names of the memories by id.
    """
    if len(noted) < 2:
        return
    from memoranda.memories import link_table as memory_links
    from memoranda.memories.link_model import LinkKind

    for link in memory_links.among(tx, team, list(noted), LinkKind.CONTRADICTS):
        reason = link.reason or "said by hand"
        yield Contradiction(noted[link.other], noted[link.memory], "contradiction", reason)


def _read(stated_texts: Sequence[_StatedText]) -> tuple[Contradiction, ...]:
    """Return the pairs of records whose texts contradict each other."""
    return tuple(
        contradiction
        for text, other in combinations(stated_texts, 2)
        for contradiction in _between(*sorted((text, other), key=_time))
    )


def _time(statement: _StatedText) -> tuple[int, str]:
    return statement.record.created_at, statement.record.id


def _between(older: _StatedText, newer: _StatedText) -> Iterator[Contradiction]:
    """Yield at most one conflict between two records.

    Most pairs are ruled out by their vectors or words without parsing. A newer text that applies
    only temporarily ("just for this run") contradicts nothing.
    """
    cosine = older.cosine(newer)
    if len(older.words & newer.words) < COMMON:
        return
    from memoranda.statements.denied_values import denies_value

    denied = denies_value(older.text, newer.text)
    if cosine is not None and cosine < NEAR and not denied:
        return
    from memoranda.statements.conflict_result import ConflictKind, ConflictReason
    from memoranda.statements.conflicts import conflict  # loading its patterns takes long
    from memoranda.statements.value_changes import states_choice, value_changes
    from memoranda.utterances.sentence_checks import is_momentary

    if is_momentary(newer.text) and not states_choice(newer.text):
        return
    if denied:
        yield Contradiction(older.ref, newer.ref, ConflictKind.UPDATE, ConflictReason.VALUE)
        return
    reports = _by_agent(older.record) and _by_agent(newer.record)
    for old in _statements(older.text):
        for new in _statements(newer.text):
            statement_conflict = conflict(old, new, cosine or 0.0)
            if statement_conflict and not (reports and _is_next_step(old, new)):
                yield Contradiction(
                    older.ref, newer.ref, statement_conflict.kind, statement_conflict.reason
                )
                return
    if value_changes(older.text, newer.text):
        yield Contradiction(older.ref, newer.ref, ConflictKind.UPDATE, ConflictReason.VALUE)


def _by_agent(record: Observation | Memory) -> bool:
    return isinstance(record, Observation) and record.origin is Origin.AGENT


def _is_next_step(old: Statement, new: Statement) -> bool:
    """Return whether two step reports differ only in the step number."""
    texts = [_NUMBERS.sub("#", statement.text) for statement in (old, new)]
    is_step = _STEP_DONE.match(new.text) is not None and not new.tone.changes
    return is_step and texts[0].lower() == texts[1].lower()


@lru_cache(maxsize=512)
def _statements(text: str) -> tuple[Statement, ...]:
    from memoranda.statements.clauses import stated
    from memoranda.statements.statement import Statement

    return tuple(Statement.of(item) for item in stated(text, SHORT)[:STATEMENTS])


def _vectors(
    tx: Transaction, team: str, model: str | None, ids: Sequence[str]
) -> dict[str, Vectors]:
    """Return the vectors of records that consist of one passage."""
    if not model or len(ids) < 2:
        return {}
    hashes = entries.text_hashes(tx, team, ids)
    single = {id: found[0] for id, found in hashes.items() if len(found) == 1}
    stored = tx.vectors().known(team, model, list(single.values()))
    return {id: stored[digest] for id, digest in single.items() if digest in stored}

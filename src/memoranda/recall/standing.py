"""What people laid down for good: found by kind, whatever a question is about."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from memoranda.recall.cues import is_instruction, is_preference
from memoranda.recall.filters import EVERYTHING, admitted
from memoranda.store.database import Transaction
from memoranda.store.tables import contents, entries, memories, observations
from memoranda.store.tables.entries import INSTRUCTION, PREFERENCE
from memoranda.text import clip
from memoranda.values.event import REWOUND
from memoranda.values.memory import Memory
from memoranda.values.observation import Observation
from memoranda.values.recall import HitKind
from memoranda.values.scope import Scope

MOST = 12
"""Of each kind, the newest."""
SENTENCES = 2
"""Of one message, those that lay something down."""
SAID = 240
"""Characters of them."""
_END = re.compile(r"(?<=[.!?])\s+|\n+")
_LAYS_DOWN: dict[int, Callable[[str], bool]] = {
    INSTRUCTION: is_instruction,
    PREFERENCE: is_preference,
}


def laid_down(
    tx: Transaction, scope: Scope, now: int
) -> Iterator[tuple[Observation | Memory, str]]:
    """Yield the standing instructions of a scope's workspace, then the preferences, each newest
    first, with the words that say so. A task in the scope does not narrow it."""
    around = replace(scope, task=None)
    told: set[str] = set()
    for kind, lays_down in _LAYS_DOWN.items():
        found = entries.standing(tx, scope.team, scope.workspace, kind, MOST)
        ids = _passing(tx, around, found, now) if found else []
        records: dict[str, Observation | Memory] = {}
        records.update(observations.by_ids(tx, scope.team, ids))
        records.update(memories.by_ids(tx, scope.team, ids, scope.agent))
        texts = contents.texts(tx, scope.team, list(records))
        for id, record in ((id, records[id]) for id in ids if id in records):
            said = _said(record, texts.get(id, ""), lays_down)
            if said not in told and not _is_taken_back(record):
                told.add(said)
                yield record, said


def _passing(tx: Transaction, scope: Scope, ids: list[str], now: int) -> list[str]:
    where = EVERYTHING.at(now)
    passing = {id for kind in HitKind for id in admitted(tx, scope, where, kind, ids)}
    return [id for id in ids if id in passing]


def _is_taken_back(record: Observation | Memory) -> bool:
    return isinstance(record, Observation) and record.branch == REWOUND


def _said(record: Observation | Memory, text: str, lays_down: Callable[[str], bool]) -> str:
    if isinstance(record, Memory):
        return record.content
    sentences = [sentence.strip() for sentence in _END.split(text) if sentence.strip()]
    chosen = [sentence for sentence in sentences if lays_down(sentence)] or sentences[:1]
    return clip(" ".join(chosen[:SENTENCES]), SAID)

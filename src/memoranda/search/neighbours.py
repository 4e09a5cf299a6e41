"""Reads the index entries of candidates and adjacent turns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence

from memoranda.memories import table as memories
from memoranda.observations import table as observations
from memoranda.scope import Scope
from memoranda.search import table as entries
from memoranda.search.record_analysis import analyse_memory, analyse_observations
from memoranda.search.record_feature_format import is_short, role_of
from memoranda.search.table import SearchEntry
from memoranda.store.database import Transaction

BESIDE = 1
"""Number of turns on each side of a person's message that also become candidates.

This applies to conversations between people, in which the answer is often in the next turn.
"""
WINDOW = 2
"""Number of turns on each side whose words are used as context."""


def with_neighbours(
    tx: Transaction, scope: Scope, ids: Sequence[str]
) -> tuple[list[SearchEntry], list[str]]:
    """Return entries of candidates and adjacent turns, and all candidates.

    Records without an entry are analysed at once.
    """
    found = entries.by_sources(tx, scope.team, ids)
    missing = [id for id in ids if id not in found]
    found |= {entry.source: entry for entry in _analysed(tx, scope, missing)}
    wanted = _positions(found.values())
    around = {entry.source: entry for entry in entries.at_positions(tx, scope.team, wanted)}
    beside = {
        (entry.task, entry.position + step)
        for entry in found.values()
        if entry.task and is_short(entry.features) and not role_of(entry.features)
        for step in (-BESIDE, BESIDE)
    }
    chosen = list(found)
    chosen += [
        entry.source
        for entry in around.values()
        if entry.source not in found and (entry.task, entry.position) in beside
    ]
    everything = around | found
    return sorted(everything.values(), key=lambda e: e.source), chosen


def _positions(found: Collection[SearchEntry]) -> dict[str, list[int]]:
    """Return the positions of the turns around candidates, by task."""
    wanted: dict[str, set[int]] = defaultdict(set)
    for entry in found:
        if entry.task is None:
            continue
        reach = _turns_needed(entry)
        first = max(1, entry.position - reach)
        wanted[entry.task].update(range(first, entry.position + reach + 1))
    for entry in found:
        if entry.task:
            wanted[entry.task].discard(entry.position)
    return {task: sorted(positions) for task, positions in wanted.items() if positions}


def _turns_needed(entry: SearchEntry) -> int:
    """Return how many turns on each side of a candidate are needed."""
    role = role_of(entry.features)
    if not is_short(entry.features):
        return BESIDE if role else 0
    return WINDOW if role else WINDOW + BESIDE


def _analysed(tx: Transaction, scope: Scope, ids: Sequence[str]) -> list[SearchEntry]:
    if not ids:
        return []
    seen = observations.by_ids(tx, scope.team, ids)
    stated = memories.by_ids(tx, scope.team, ids, scope.agent)
    records = list(analyse_observations(tx, scope.team, seen).values())
    records += [analyse_memory(memory) for memory in stated.values()]
    return [record.entry.entry for record in records]

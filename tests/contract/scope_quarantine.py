"""Quarantined observations of a team; their functions called for another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from contract.clock import START
from memoranda.observations.model import Salience
from memoranda.quarantine import table as quarantine
from memoranda.quarantine.model import QuarantineRecord
from memoranda.store.database import Transaction

READS: Mapping[str, Callable[[Transaction, str, Any], Any]] = {
    "quarantine.by_ids": lambda tx, team, h: quarantine.by_ids(tx, team, [h.seen.id]),
    "quarantine.counts": lambda tx, team, h: quarantine.counts(tx, team, None),
    "quarantine.quarantined_among": lambda tx, team, h: quarantine.quarantined_among(
        tx, team, [h.seen.id]
    ),
    "quarantine.quarantined_refs": lambda tx, team, h: quarantine.quarantined_refs(
        tx, team, [h.seen.ref]
    ),
    "quarantine.listed": lambda tx, team, h: quarantine.listed(tx, team, None, None, limit=9),
    "quarantine.any_quarantined": lambda tx, team, h: quarantine.any_quarantined(tx, team),
    "quarantine.with_repeats": lambda tx, team, h: quarantine.with_repeats(tx, team, h.seen.id),
}

WRITES: Mapping[str, Callable[[Transaction, str, Any], Any]] = {
    "quarantine.decide": lambda tx, team, h: quarantine.decide(
        tx, team, h.seen.id, False, team, START
    ),
    "quarantine.mark": lambda tx, team, h: quarantine.mark(tx, team, h.seen.id, Salience.LOW),
}

ADDS = frozenset({"quarantine.insert"})
ELSEWHERE = frozenset({"quarantine.released_contents"})
"""Functions that return nothing until something is released."""


def hold_quarantine(tx: Transaction, team: str, observation: str) -> None:
    """Store an observation's quarantine."""
    quarantine.insert(
        tx, team, [QuarantineRecord(observation, f"of {team}", Salience.NORMAL, START)]
    )

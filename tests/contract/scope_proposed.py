"""Proposals of a team, and their functions called for another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from contract.clock import START
from contract.contract_proposals import notification, proposal, text
from contract.records import Records
from memoranda.banks import table as banks
from memoranda.memories import table as memories, version_table as memory_versions
from memoranda.memories.model import Memory
from memoranda.proposals import table as proposals
from memoranda.proposals.model import MemoryState, MemoryVersion
from memoranda.store.database import Transaction

ID = "01234567-0000-7000-8000-000000000001"
TOLD = "01234567-0000-7000-8000-000000000002"


def _waiting(tx: Transaction, team: str, h: Any) -> Any:
    return proposals.waiting(tx, team, h.memory.id, "critic")


READS: Mapping[str, Callable[[Transaction, str, Any], Any]] = {
    "banks.counted": lambda tx, team, h: banks.counted(tx, team, [h.workspace.id], None),
    "banks.entries": lambda tx, team, h: banks.entries(tx, team, h.workspace.id, None, limit=9),
    "banks.worked": lambda tx, team, h: banks.worked(tx, team, [h.workspace.id]),
    "memory_versions.by_number": lambda tx, team, h: memory_versions.by_number(
        tx, team, h.memory.id, 1
    ),
    "memory_versions.listed": lambda tx, team, h: memory_versions.listed(
        tx, team, h.memory.id, limit=9
    ),
    "memory_versions.of_memories": lambda tx, team, h: memory_versions.of_memories(
        tx, team, [h.memory.id], limit=9
    ),
    "proposals.undelivered": lambda tx, team, h: proposals.undelivered(tx, team, "cli", limit=9),
    "proposals.by_id": lambda tx, team, h: proposals.by_id(tx, team, ID),
    "proposals.by_number": lambda tx, team, h: proposals.by_number(tx, team, 1),
    "proposals.listed": lambda tx, team, h: proposals.listed(tx, team, None, None, None, limit=9),
    "proposals.of_memory": lambda tx, team, h: proposals.of_memory(tx, team, h.memory.id),
    "proposals.waiting": _waiting,
}

WRITES: Mapping[str, Callable[[Transaction, str, Any], Any]] = {
    "memories.update": lambda tx, team, h: memories.update(
        tx, _stranger(h.memory, team), text(_stranger(h.memory, team))
    ),
    "proposals.decide": lambda tx, team, h: proposals.decide(
        tx, proposal(Records(team), h.memory, id=ID, team=team)
    ),
}

ADDS = frozenset({"memory_versions.put", "proposals.put_notification", "proposals.put"})
ELSEWHERE = frozenset(
    {"memory_versions.newest", "proposals.deliver", "proposals.by_prefix", "proposals.count"}
)


def _stranger(memory: Memory, team: str) -> Memory:
    return replace(memory, team=team, content="overwritten")


def hold_proposals(tx: Transaction, records: Records, memory: Memory) -> None:
    """Store a version of a memory, a proposal about it, and its notification."""
    state = MemoryState.of(memory)
    version = MemoryVersion(records.team, memory.id, 1, state, "human", f"of {records.team}", START)
    memory_versions.put(tx, version)
    waits = proposal(records, memory, id=ID, reason=f"of {records.team}")
    proposals.put(tx, waits)
    entry = notification(records, waits, id=TOLD)
    proposals.put_notification(tx, entry)
    proposals.deliver(tx, records.team, f"page of {records.team}", [entry], START)

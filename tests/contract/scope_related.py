"""Relations of memories of a team, and their functions called for another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from contract.clock import START
from contract.contract_memory_links import link, stored
from contract.records import Records
from memoranda.memories import (
    count_table as memory_totals,
    extraction_table as memory_encodings,
    link_table as memory_links,
    table as memories,
)
from memoranda.memories.link_model import LinkKind, Reference, ReferenceKind
from memoranda.memories.model import Memory
from memoranda.store.database import Transaction
from memoranda.tasks import table as tasks
from memoranda.tasks.model import Task, TaskStatus

OTHER = "01234567-0000-7000-8000-000000000003"
DONE = "01234567-0000-7000-8000-000000000004"

READS: Mapping[str, Callable[[Transaction, str, Any], Any]] = {
    "memories.in_place": lambda tx, team, h: memories.in_place(tx, team, None, None, 9),
    "memory_totals.surplus": lambda tx, team, h: memory_totals.surplus(
        tx, team, h.memory.kind, 0, 9
    ),
    "memory_encodings.by_memory": lambda tx, team, h: memory_encodings.by_memory(
        tx, team, h.memory.id
    ),
    "memory_encodings.uncompared": lambda tx, team, h: memory_encodings.uncompared(tx, team, "", 9),
    "memory_encodings.waiting": lambda tx, team, h: memory_encodings.waiting(tx, team, 3, 9),
    "memory_links.among": lambda tx, team, h: memory_links.among(
        tx, team, [h.memory.id, OTHER], LinkKind.CONTRADICTS
    ),
    "memory_links.conflicts": lambda tx, team, h: memory_links.conflicts(
        tx, team, None, None, now=START, limit=9
    ),
    "memory_links.of_memory": lambda tx, team, h: memory_links.of_memory(tx, team, OTHER, 9),
    "memory_links.references_of": lambda tx, team, h: memory_links.references_of(tx, team, OTHER),
    "memory_links.served": lambda tx, team, h: memory_links.served(tx, team, DONE, 1),
}

WRITES: Mapping[str, Callable[[Transaction, str, Any], Any]] = {
    "memories.mark_processed": lambda tx, team, h: memories.mark_processed(tx, team),
    "memories.set_confidence": lambda tx, team, h: memories.set_confidence(
        tx, team, h.memory.id, 0.3
    ),
    "memories.reinforce": lambda tx, team, h: memories.reinforce(tx, team, h.memory.id, START),
    "memory_encodings.clear": lambda tx, team, h: memory_encodings.clear(tx, team),
    "memory_encodings.delete": lambda tx, team, h: memory_encodings.delete(tx, team, h.memory.id),
    "memory_encodings.mark": lambda tx, team, h: memory_encodings.mark(tx, team, h.memory.id, "m"),
    "memory_encodings.put": lambda tx, team, h: memory_encodings.put(tx, team, stored(h.memory)),
    "memory_links.drop_derived": lambda tx, team, h: memory_links.drop_derived(
        tx, team, h.memory.id, "memoranda"
    ),
}

ADDS = frozenset({"memories.add_evidence", "memory_links.put", "memory_links.put_references"})
ELSEWHERE: frozenset[str] = frozenset()


def hold_relations(tx: Transaction, records: Records, memory: Memory, task: Task) -> None:
    """Store a memory's analysis, a contradicting memory, and a served task."""
    team = records.team
    made = stored(memory)
    memory_encodings.put(
        tx, team, replace(made, encoding=replace(made.encoding, facts=(f"of {team}",)))
    )
    other = records.memory(None, f"of {team}", id=OTHER, valid_from=START)
    records.plant_memory(tx, other)
    memory_links.put(tx, replace(link(other, memory), reason=f"of {team}"))
    done = tasks.insert(
        tx, replace(records.task(task.workspace), id=DONE, status=TaskStatus.COMPLETED)
    )
    served = Reference(ReferenceKind.EXECUTION, done.id)
    memory_links.put_references(
        tx, team, OTHER, [served, Reference(ReferenceKind.DOC, f"of {team}")]
    )

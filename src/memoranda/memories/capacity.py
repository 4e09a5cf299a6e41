"""Keeps the number of memories within the configured capacities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from memoranda.clock import Clock
from memoranda.memories import count_table as memory_totals, table as memories
from memoranda.memories.memory_writer import MemoryChanges
from memoranda.memories.model import MemoryKind, MemoryStatus
from memoranda.proposals.model import MemoryState
from memoranda.store.database import Database, Transaction

AT_ONCE = 200
"""Number of memories archived per transaction."""
ACTOR = "memoranda"
REPETITION = "repetition"
"""Actor recorded for automatic rejections of what a person has rejected before."""


class MemoryCapacity:
    """Archives the least useful memories in excess of a capacity.

    Archived memories can be restored.
    """

    def __init__(
        self,
        database: Database,
        changes: MemoryChanges,
        clock: Clock,
        capacities: Mapping[MemoryKind, int],
    ) -> None:
        """Create the service; a capacity of 0 means unlimited."""
        self._database = database
        self._changes = changes
        self._clock = clock
        self._capacities = {kind: most for kind, most in capacities.items() if most}

    def keep(self, team: str) -> int:
        """Archive memories in excess of a team's capacities; return their number."""
        done = 0
        for kind, most in self._capacities.items():
            while found := self._page(team, kind, most):
                done += found
        return done

    def _page(self, team: str, kind: MemoryKind, most: int) -> int:
        reason = f"beyond the capacity of {most:,} {kind} memories"

        def due(tx: Transaction) -> list[str]:
            return memory_totals.surplus(tx, team, kind, most, AT_ONCE)

        def work(tx: Transaction) -> int:
            found = memories.of_any_agent(tx, team, due(tx))
            for memory in found.values():
                archived = replace(MemoryState.of(memory), status=MemoryStatus.ARCHIVED)
                self._changes.change(tx, memory, archived, ACTOR, reason, self._clock.now())
            return len(found)

        # Read first: if no capacity is exceeded, no write lock is needed.
        return self._database.write(work) if self._database.read(due) else 0

"""Blocks that are nearly full, and the proposal to compress them.

No block is changed automatically.
"""

from __future__ import annotations

from collections.abc import Iterable

from memoranda.blocks import table as blocks
from memoranda.blocks.model import CROWDED, Block
from memoranda.blocks.places import visible_to
from memoranda.clock import Clock
from memoranda.journal import table as journal
from memoranda.json_data import JsonValue
from memoranda.scope import Scope
from memoranda.store.database import Database, Transaction

STEPS = 30
"""Number of observations of a task after which its blocks are checked again."""
MAX_BLOCKS = 1_000


def nearly_full(found: Iterable[Block]) -> list[Block]:
    """Return the nearly full blocks, the fullest first."""
    return sorted((item for item in found if item.used >= CROWDED), key=lambda block: -block.used)


class BlockUsage:
    """Records blocks of a task that are due for compression.

    Nothing is changed automatically.
    """

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def offer(self, scope: Scope, before: int, now: int) -> list[str]:
        """Record nearly full blocks in the journal and return their labels.

        The blocks are recorded if the task's number of observations passed a multiple of 30 between
        ``before`` and ``now``.
        """
        if before // STEPS == now // STEPS:
            return []

        def work(tx: Transaction) -> list[str]:
            seen = blocks.visible(tx, scope.team, visible_to(scope), limit=MAX_BLOCKS)
            labels = [block.label for block in nearly_full(seen)]
            if labels:
                at = self._clock.now()
                detail: dict[str, JsonValue] = {"blocks": [*labels], "observations": now}
                note = journal.NewJournalEntry(
                    at, "system", "offer compression", str(scope.task), detail
                )
                journal.append(tx, scope.team, note)
            return labels

        return self._database.write(work)

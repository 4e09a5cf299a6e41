"""Updates the derived encodings of memories from their contents."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memoranda.memories import extraction_table as memory_encodings, table as memories
from memoranda.memories.extraction_model import Encoding
from memoranda.memories.extraction_table import StoredEncoding
from memoranda.memories.model import Memory
from memoranda.store.database import Database, Transaction

PAGE = 64
"""Number of memories per transaction."""


class MemoryEncodings:
    """Updates the analyses of memories. Idempotent."""

    def __init__(
        self, database: Database, team: str, constraints: Callable[[str], Sequence[str]]
    ) -> None:
        """``constraints`` lists the sentences of a text that state a requirement."""
        self._database = database
        self._team = team
        self._constraints = constraints

    def encode(self) -> int:
        """Analyse the memories that have no analysis; return their number."""
        total = 0
        while self._database.read(self._waiting):
            total += self._database.write(self._page)
        if total:
            self._database.write(lambda tx: memories.mark_processed(tx, self._team))
        return total

    def rebuild(self) -> int:
        """Delete and recompute all analyses; return the number of memories."""
        self._database.write(lambda tx: memory_encodings.clear(tx, self._team))
        return self.encode()

    def of(self, tx: Transaction, memory: Memory) -> Encoding:
        """Return a memory's analysis, which is created if it is missing."""
        stored = memory_encodings.by_memory(tx, memory.team, memory.id)
        return stored.encoding if stored else self._encode(memory)

    def _waiting(self, tx: Transaction) -> list[str]:
        from memoranda.memories.extraction.encoder import VERSION

        return memory_encodings.waiting(tx, self._team, VERSION, PAGE)

    def _page(self, tx: Transaction) -> int:
        from memoranda.memories.extraction.encoder import VERSION

        ids = self._waiting(tx)
        for memory in memories.of_any_agent(tx, self._team, ids).values():
            stored = StoredEncoding(memory.id, VERSION, self._encode(memory))
            memory_encodings.put(tx, self._team, stored)
        return len(ids)

    def _encode(self, memory: Memory) -> Encoding:
        from memoranda.memories.extraction.encoder import encode  # loading its tables takes long

        return encode(memory.content, constraints=self._constraints)

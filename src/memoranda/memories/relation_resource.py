"""Use cases: details of memories, contradictions, supersession."""

from __future__ import annotations

from contextlib import suppress

from memoranda.exceptions import StorageError
from memoranda.measurement import count_one, measured
from memoranda.memories.link_model import MemoryConflict, MemoryDetail
from memoranda.page import Page
from memoranda.proposals.model import ChangeResult
from memoranda.resource import Resource
from memoranda.text import normalise

COMPARED, BESIDE_ONE = 200, 5
"""Memories that are compared on the way to all conflicts, or to one memory, if nobody has done so
yet: among 100,000 each takes some 100 ms."""
PATIENCE = 0.25
"""Seconds to wait for a concurrent comparison.

After it the results known by then are returned.
"""


class MemoryRelationsResource(Resource):
    """Comparison and relations of memories."""

    def memory_show(self, id: str) -> MemoryDetail:
        """Return all details of a memory: content, validity and relations.

        Raises:
            NotFound: there is no such memory.
        """
        self._relate(BESIDE_ONE, again=False)
        chosen = self._rooms.memories.why(self._scope, normalise(id)).memory.id
        return self._rooms.memory_details.show(self._scope, chosen)

    def memory_conflicts(
        self, *, workspace: str | None = None, cursor: str | None = None, limit: int = 50
    ) -> Page[MemoryConflict]:
        """Return pairs of memories that contradict each other, newest first."""
        self._relate(COMPARED)
        scope = self._within(workspace, None)
        return self._rooms.memory_details.conflicts(scope, cursor=cursor, limit=limit)

    @measured("supersede", count_one)
    def memory_supersede(self, old: str, new: str, *, reason: str = "") -> ChangeResult:
        """Replace one memory by another; the old one stays readable.

        Raises:
            InvalidInput: both are one, the newer is not approved or began before the older, or they
                would supersede each other in a circle.
            Conflict: the older was superseded before.
            NotFound: there is no such memory.
        """
        older, newer = (
            self._rooms.memories.why(self._scope, normalise(id)).memory.id for id in (old, new)
        )
        changed = self._rooms.memory_edits.supersede(self._scope, older, newer, reason)
        self._rooms.enqueue_rendering(changed.memory.workspace)
        self._rooms.background.wake()
        return changed

    def _relate(self, most: int, *, again: bool = True) -> None:
        """Make some pending comparisons, so that results are up to date."""
        with suppress(StorageError):  # whoever may only read is told what is known
            self._rooms.encodings.encode()
            self._rooms.relating.relate(most, PATIENCE, again=again)

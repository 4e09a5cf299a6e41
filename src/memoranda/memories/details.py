"""Details and relations of a memory, and the list of contradictions."""

from __future__ import annotations

from memoranda.clock import Clock
from memoranda.memories import link_table as memory_links, table as memories
from memoranda.memories.link_model import (
    LinkedMemory,
    LinkKind,
    MemoryConflict,
    MemoryDetail,
    MemoryLink,
)
from memoranda.memories.link_table import LAST
from memoranda.memories.memory_encodings import MemoryEncodings
from memoranda.memories.memory_writer import current
from memoranda.memories.model import Memory, parts_of
from memoranda.page import Page, checked_limit, cursor_after, place_of
from memoranda.scope import Scope
from memoranda.store.database import Database, Transaction
from memoranda.trust import trust_of

LINKS = 100
"""Maximum number of links shown for one memory."""


class MemoryDetails:
    """Reads the content and relations of memories.

    Memories that are not visible in the scope are never included.
    """

    def __init__(self, database: Database, encodings: MemoryEncodings, clock: Clock) -> None:
        self._database = database
        self._encodings = encodings
        self._clock = clock

    def show(self, scope: Scope, id: str) -> MemoryDetail:
        """Return a memory with all its details.

        Raises:
            NotFound: there is no such memory in the scope.
        """

        def work(tx: Transaction) -> MemoryDetail:
            memory = current(tx, scope.team, id, scope.agent)
            return MemoryDetail(
                memory=memory,
                holds=memory.holds_at(self._clock.now()),
                trust=trust_of(memory).name.lower(),
                evidence=memories.evidence(tx, scope.team, id),
                references=memory_links.references_of(tx, scope.team, id),
                links=self._links(tx, scope, memory),
                encoding=self._encodings.of(tx, memory),
                parts=parts_of(memory.content),
            )

        return self._database.read(work)

    def conflicts(
        self, scope: Scope, *, cursor: str | None = None, limit: int = 50
    ) -> Page[MemoryConflict]:
        """Return contradicting memories that are both valid, newest first.

        Raises:
            InvalidInput: the limit is out of range, or the cursor does not belong to this list.
        """
        checked_limit(limit)
        before, now = _position(cursor), self._clock.now()

        def work(tx: Transaction) -> tuple[list[MemoryLink], list[MemoryConflict]]:
            found = memory_links.conflicts(
                tx, scope.team, scope.workspace, scope.agent, now=now, before=before,
                limit=limit + 1,
            )  # fmt: skip
            ends = [id for link in found for id in (link.memory, link.other)]
            stored = memories.by_ids(tx, scope.team, ends, scope.agent)
            return found, [
                MemoryConflict(
                    stored[memory_link.other],
                    stored[memory_link.memory],
                    memory_link.reason,
                    memory_link.created_at,
                )
                for memory_link in found[:limit]
            ]

        links, conflicts = self._database.read(work)
        last = links[limit - 1] if len(links) > limit else None
        return Page(tuple(conflicts), cursor_after(f"{last.memory}/{last.other}") if last else None)

    def _links(self, tx: Transaction, scope: Scope, memory: Memory) -> tuple[LinkedMemory, ...]:
        links = memory_links.of_memory(tx, scope.team, memory.id, LINKS)
        ends = [link.other if link.memory == memory.id else link.memory for link in links]
        stored = memories.by_ids(tx, scope.team, ends, scope.agent)
        return tuple(
            LinkedMemory(
                link.kind,
                link.memory == memory.id,
                stored[end],
                link.reason,
                link.actor,
                _is_revoked(link, stored | {memory.id: memory}),
            )
            for link, end in zip(links, ends, strict=True)
            if end in stored
        )


def _is_revoked(link: MemoryLink, stored: dict[str, Memory]) -> bool:
    superseded = link.kind is LinkKind.SUPERSEDES
    return superseded and stored[link.other].superseded_by != link.memory


def _position(cursor: str | None) -> tuple[str, str]:
    if cursor is None:
        return LAST
    memory, _, other = place_of(cursor, first="").partition("/")
    return memory, other

"""The memory service of Google's Agent Development Kit.

    Runner(..., memory_service=MemorandaMemoryService(memory))

Each user of an app has a workspace, and each session is a task in it: messages are stored verbatim,
are found by terms and by meaning, and are distilled like those of any other task.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import quote

from anyio.to_thread import run_sync

from memoranda.integrations.version_check import supported

with supported("google-adk", "2.13", "3"):
    from google.adk.memory import BaseMemoryService
    from google.adk.memory.base_memory_service import SearchMemoryResponse
    from google.adk.memory.memory_entry import MemoryEntry
    from google.genai.types import Content, Part

from memoranda.capture.event import Event as Captured, EventKind, EventSource
from memoranda.clock import MICROSECONDS
from memoranda.exceptions import InvalidInput, NotFound
from memoranda.integrations.event_capture import capture
from memoranda.memory import Memoranda
from memoranda.observations.model import ObservationType, Origin
from memoranda.page import cursor_after
from memoranda.search.filters import SearchFilter
from memoranda.search.model import RECORDS, Hit, HitKind

if TYPE_CHECKING:
    from google.adk.events.event import Event
    from google.adk.sessions.session import Session

HOST = "google-adk"
UNNAMED = "events"
"""Session name for events without a session."""
FOUND = 10
"""Default maximum number of results, as in ADK's own in-memory service."""


class MemorandaMemoryService(BaseMemoryService):
    """ADK memory service that stores sessions in Memoranda. Thread-safe."""

    def __init__(self, memory: Memoranda, *, limit: int = FOUND) -> None:
        """Store sessions in an open memory, which this object does not close.

        Args:
            limit: maximum number of results of a search, 1 to 1,000.
        """
        self._memory = memory
        self._limit = limit

    async def add_session_to_memory(self, session: Session) -> None:
        """Store a session, skipping what is already stored. Idempotent."""
        await self.add_events_to_memory(
            app_name=session.app_name,
            user_id=session.user_id,
            events=session.events,
            session_id=session.id,
        )

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Store events; skip those with neither text nor ``custom_metadata``."""
        place = place_of(app_name, user_id)
        # Two users may have the same session id; a task belongs to one user.
        session = f"{place}/{session_id or UNNAMED}"
        captured = [_captured(event, session) for event in events if _text(event.content)]
        await run_sync(lambda: capture(self._memory, captured, workspace=place))

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Store memories; an agent's memories are pending until a person decides."""
        place = place_of(app_name, user_id)
        for text in filter(None, (_text(memory.content) for memory in memories)):
            await run_sync(lambda said: self._memory.remember(said, workspace=place), text)

    async def search_memory(
        self, *, app_name: str, user_id: str, query: str
    ) -> SearchMemoryResponse:
        """Return the best matches for a query, best first.

        Only data of this user of this app is searched.
        """
        found = await run_sync(self._search, place_of(app_name, user_id), query)
        return SearchMemoryResponse(memories=found)

    async def delete_memory(
        self, *, app_name: str, user_id: str, memory_id: str | None = None
    ) -> None:
        """Archive a memory or quarantine an event; a person can restore both.

        Raises:
            InvalidInput: no id is passed.
            NotFound: this user of this app has no record with this id.
        """
        if not memory_id:
            raise InvalidInput("pass the memory_id that search_memory returned")
        await run_sync(self._delete, place_of(app_name, user_id), memory_id)

    def _search(self, place: str, query: str) -> list[MemoryEntry]:
        try:
            hits = self._memory.search(
                query, workspace=place, limit=self._limit, where=SearchFilter(kinds=RECORDS)
            ).hits
        except NotFound:  # nothing is stored for this user yet
            return []
        return [self._entry(hit) for hit in hits]

    def _entry(self, hit: Hit) -> MemoryEntry:
        if hit.kind is HitKind.MEMORY:
            text, author = self._memory.memories.show(hit.id).memory.content, "memory"
        else:
            observation = self._memory.observations.show(hit.id)
            seen = observation.observation
            text = observation.content
            author = "user" if seen.origin is Origin.HUMAN else seen.agent
        role = "user" if author == "user" else "model"
        return MemoryEntry(
            id=hit.id,
            content=Content(role=role, parts=[Part(text=text)]),
            author=author,
            timestamp=datetime.fromtimestamp(hit.created_at / MICROSECONDS, UTC).isoformat(),
            custom_metadata={"kind": str(hit.kind), "score": hit.score},
        )

    def _delete(self, place: str, id: str) -> None:
        workspace = self._workspace(place)
        try:
            memory = self._memory.memories.show(id).memory
        except NotFound:
            observation = self._memory.observations.show(id).observation
            if observation.workspace != workspace:
                raise
            self._memory.quarantine.hold(id)
        else:
            if memory.workspace != workspace:
                raise NotFound(f"no memory {id!r} of this user")
            self._memory.memories.archive(id)

    def _workspace(self, place: str) -> str:
        """Return the id of a workspace."""
        page = self._memory.workspaces.list(cursor=cursor_after(place[:-1]))
        while all(item.name < place for item in page) and page.cursor:
            page = self._memory.workspaces.list(cursor=page.cursor)
        for workspace in page:
            if workspace.name == place:
                return workspace.id
        raise NotFound("no data of this user of this app is stored")


def place_of(app: str, user: str) -> str:
    """Return the workspace for a user of an app."""
    return f"adk/{quote(app, safe='')}/{quote(user, safe='@')}"


def _captured(event: Event, session: str) -> Captured:
    person = event.author == "user"
    return Captured(
        kind=EventKind.MESSAGE,
        host=HOST,
        session=session,
        source=EventSource.API,
        key=event.id,
        origin=Origin.HUMAN if person else Origin.AGENT,
        occurred_at=round(event.timestamp * MICROSECONDS),
        agent="main" if person else event.author,
        text=_text(event.content),
        type=ObservationType.MESSAGE,
    )


def _text(content: Content | None) -> str:
    parts = (content.parts if content else None) or []
    return "\n".join(part.text for part in parts if part.text and not part.thought)

"""Server-sent events for changes, read from the journal."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import suppress

import anyio
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from memoranda.api.rest.operation_endpoint import answered
from memoranda.api.rest.stream_schemas import EVENTS
from memoranda.api.service import Service
from memoranda.exceptions import InvalidInput, NotFound, RateLimited, Unauthenticated
from memoranda.identity.principal import Principal
from memoranda.journal import table as journal
from memoranda.journal.model import ALERTS, JournalEntry
from memoranda.json_data import JsonValue, as_json, dump_json
from memoranda.operation_declaration import REVIEWERS
from memoranda.store.database import Database

PAUSE = 0.5
"""Seconds between two reads of the journal."""
HEARTBEAT = 15.0
"""Seconds of silence after which a heartbeat is sent."""
STANDING = 5.0
"""Seconds between checks of whether the key, token or session is still valid.

If the credential is no longer valid, the stream ends.
"""
MAX_EACH = 5
"""Maximum number of open streams per caller."""
AT_ONCE = 200
_OF_TASKS = ("observe", "task ", "stage", "checkpoint", "rollback", "fork", "compress")
_OF_MEMORIES = ("remember", "reinforce", "memory ")
_OF_PROPOSALS = ("propose", "proposal ")


class Events:
    """Sends each caller a stream of the team's events that the caller may see."""

    def __init__(
        self,
        service: Service,
        pause: float = PAUSE,
        heartbeat: float = HEARTBEAT,
        standing: float = STANDING,
    ) -> None:
        self._service = service
        self._pause = pause
        self._heartbeat = heartbeat
        self._standing = standing
        self._open: Counter[tuple[str, str]] = Counter()
        self._counting = threading.Lock()

    async def answer(self, request: Request) -> Response:
        """Respond with a stream of events.

        The stream ends when the caller disconnects or is no longer authenticated, or when the
        server stops.
        """
        return await answered(request, lambda: self._begin(request))

    def _begin(self, request: Request) -> Response:
        principal: Principal = request.state.principal
        if request.query_params:
            raise InvalidInput("this route has no query parameters; omit them")
        after = self._place(principal, request.headers.get("Last-Event-ID"))
        with self._counting:
            if self._open[_caller(principal)] >= MAX_EACH:
                raise RateLimited(f"{MAX_EACH} event streams are open; close one of them")
            self._open[_caller(principal)] += 1
        still_valid = getattr(request.state, "stands", None)
        return _Stream(self._entries(principal, after, still_valid), lambda: self._ended(principal))

    def _place(self, principal: Principal, last: str | None) -> int:
        """Return the journal entry after which the stream starts.

        A restored store may have fewer entries than the number that has already been sent.
        """
        version = self._database(principal).read(lambda tx: journal.version(tx, principal.team))
        newest = int(version.partition("-")[0] or 0)
        if last is None:
            return newest
        if not (last.isascii() and last.isdecimal() and len(last) < 19):
            raise InvalidInput("Last-Event-ID must be the number of an event")
        return min(int(last), newest)

    def _ended(self, principal: Principal) -> None:
        with self._counting:
            self._open[_caller(principal)] -= 1
            if not self._open[_caller(principal)]:
                del self._open[_caller(principal)]

    async def _entries(
        self, principal: Principal, after: int, still_valid: Callable[[], object] | None
    ) -> AsyncIterator[bytes]:
        yield b"retry: 2000\n\n"
        silent_since = known_since = time.monotonic()
        while True:
            if still_valid is not None and time.monotonic() - known_since >= self._standing:
                if not await run_in_threadpool(_is_authorized, still_valid):
                    return
                known_since = time.monotonic()
            entries = await run_in_threadpool(self._entries_after, principal, after)
            if entries:
                after = entries[-1].sequence
                seen = await run_in_threadpool(self._seen, principal, entries)
                if seen:
                    yield seen
                    silent_since = time.monotonic()
            if len(entries) < AT_ONCE:
                await anyio.sleep(self._pause)
            if time.monotonic() - silent_since >= self._heartbeat:
                yield b": still here\n\n"
                silent_since = time.monotonic()

    def _entries_after(self, principal: Principal, after: int) -> list[JournalEntry]:
        team = principal.team
        return self._database(principal).read(
            lambda tx: journal.following(tx, team, after, AT_ONCE)
        )

    def _seen(self, principal: Principal, entries: list[JournalEntry]) -> bytes:
        return b"".join(
            _event(entry, principal) for entry in entries if self._in_sight(principal, entry)
        )

    def _in_sight(self, principal: Principal, entry: JournalEntry) -> bool:
        """Return whether a caller may see an entry.

        Callers who may read the journal see all entries; others see the entries of their own
        actions and of records that they can read.
        """
        if principal.role in REVIEWERS or entry.actor == principal.scope.actor:
            return True
        if entry.operation.startswith(_OF_TASKS):
            return True
        memory = self._service.memory(principal)
        with suppress(NotFound):
            if entry.operation.startswith(_OF_MEMORIES):
                memory.memories.show(entry.subject)
                return True
            if entry.operation.startswith(_OF_PROPOSALS):
                memory.proposals.show(entry.subject)
                return True
        return False

    def _database(self, principal: Principal) -> Database:
        return self._service.home.database.of(principal.team)


class _Stream(StreamingResponse):
    """Streaming response that always sends an end event."""

    def __init__(self, events: AsyncIterator[bytes], ended: object) -> None:
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        super().__init__(events, 200, headers, EVENTS)
        self._ended = ended

    async def __call__(self, scope: object, receive: object, send: object) -> None:
        """Send events until the stream ends."""
        try:
            await super().__call__(scope, receive, send)  # type: ignore[arg-type]
        finally:
            self._ended()  # type: ignore[operator]


def _is_authorized(still_valid: Callable[[], object]) -> bool:
    try:
        still_valid()
    except Unauthenticated:
        return False
    return True


def _caller(principal: Principal) -> tuple[str, str]:
    return principal.team, principal.subject


def _event(entry: JournalEntry, principal: Principal) -> bytes:
    fields: dict[str, JsonValue] = {
        "sequence": entry.sequence,
        "at": as_json({"created_at": entry.at})["created_at"],  # type: ignore[index,call-overload]
        "operation": entry.operation,
        "subject": entry.subject,
    }
    if principal.role in REVIEWERS:
        fields |= {"actor": entry.actor, "detail": dict(entry.detail)}
    kind = "alert" if entry.operation in ALERTS else "change"
    return f"id: {entry.sequence}\nevent: {kind}\ndata: {dump_json(fields)}\n\n".encode()

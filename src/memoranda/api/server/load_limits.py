"""Limit on concurrent requests: a bounded queue, and refusal beyond it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from anyio import CancelScope
from anyio.lowlevel import checkpoint
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memoranda.api.server.base_guard import ADMITTED, Guard
from memoranda.api.server.limits import ServerOptions
from memoranda.exceptions import Overloaded

EVENTS = b"text/event-stream"


class ConcurrencyLimiter:
    """Concurrency limit with a FIFO queue; refuses when the queue is full."""

    def __init__(self, inside: int, waiting: int, seconds: float) -> None:
        self._places = asyncio.Semaphore(inside)
        self._waiting = 0
        self._most = waiting
        self._seconds = seconds

    async def enter(self) -> None:
        """Wait for a slot.

        Raises:
            Overloaded: too many requests are already waiting, or this one waited too long.
        """
        if self._places.locked() and self._waiting >= self._most:
            raise Overloaded("too many requests are waiting")
        self._waiting += 1
        try:
            async with asyncio.timeout(self._seconds):
                await self._places.acquire()
        except TimeoutError:
            raise Overloaded("this request waited too long; nothing was changed") from None
        finally:
            self._waiting -= 1

    def leave(self) -> None:
        """Release a slot."""
        self._places.release()


class OpenStreams:
    """Open event streams, which end when the server is about to stop."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._open: set[CancelScope] = set()
        self._ending = False

    def add(self, scope: CancelScope) -> None:
        """Register a stream that starts.

        Raises:
            Overloaded: too many streams are open, or the server is about to stop.
        """
        if self._ending or len(self._open) >= self._most:
            raise Overloaded("no further event stream can be opened now")
        self._open.add(scope)

    def drop(self, scope: CancelScope) -> None:
        """Remove a stream that has ended."""
        self._open.discard(scope)

    def end(self) -> None:
        """End all streams and refuse new ones."""
        self._ending = True
        for scope in tuple(self._open):
            scope.cancel()

    def __len__(self) -> int:
        return len(self._open)


class LoadGuard(Guard):
    """Limits concurrent requests; event streams release their slot at once."""

    def __init__(self, app: ASGIApp, options: ServerOptions, streams: OpenStreams) -> None:
        super().__init__(app)
        self._options = options
        self._streams = streams
        self._gate: ConcurrencyLimiter | None = None

    async def look(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Process a request when it is its turn."""
        # created here, because the limiter belongs to the running event loop
        if self._gate is None:
            options = self._options
            self._gate = ConcurrencyLimiter(options.at_work, options.waiting, options.wait_seconds)
        async with self._place(self._gate, scope, send) as answer:
            await self._app(scope, receive, answer.send)
        await answer.finish()

    @asynccontextmanager
    async def _place(
        self, gate: ConcurrencyLimiter, scope: Scope, send: Send
    ) -> AsyncIterator[_TrackedResponse]:
        await gate.enter()
        scope["state"][ADMITTED] = True
        answer = _TrackedResponse(gate, self._streams, send, self._options.write_seconds)
        try:
            with answer.scope:
                yield answer
        finally:
            answer.release()


class _TrackedResponse:
    """Response being sent, with its slot in the concurrency limit."""

    def __init__(
        self, gate: ConcurrencyLimiter, streams: OpenStreams, send: Send, seconds: float
    ) -> None:
        self.scope = CancelScope()
        self._gate: ConcurrencyLimiter | None = gate
        self._streams = streams
        self._send = send
        self._seconds = seconds
        self._open = False
        self._refused: Overloaded | None = None

    async def send(self, message: Message) -> None:
        """Send a message; do not wait for callers who do not read the response."""
        if message["type"] == "http.response.start":
            if begins_events(message):
                await self._become_stream()
            self._open = True
        elif not message.get("more_body", False):
            self._open = False
        async with asyncio.timeout(self._seconds):
            await self._send(message)

    async def finish(self) -> None:
        """Finish a response that the server ended.

        Raises:
            Overloaded: the response would be an event stream, and too many are open.
        """
        if self._refused is not None:
            raise self._refused
        if self._open and self.scope.cancel_called:
            await self.send({"type": "http.response.body", "body": b"", "more_body": False})

    def release(self) -> None:
        """Release the slot and the stream."""
        self._leave()
        self._streams.drop(self.scope)

    async def _become_stream(self) -> None:
        try:
            self._streams.add(self.scope)
        except Overloaded as error:
            self._refused = error  # the sender considers the response begun, so it ends here
            self.scope.cancel()
            await checkpoint()
        self._leave()

    def _leave(self) -> None:
        if self._gate is not None:
            self._gate.leave()
            self._gate = None


def begins_events(start: Message) -> bool:
    """Return whether a response start message starts an event stream."""
    return any(
        name.lower() == b"content-type" and value.lower().startswith(EVENTS)
        for name, value in start.get("headers", ())
    )

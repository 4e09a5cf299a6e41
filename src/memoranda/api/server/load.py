"""How much is carried out at once; what is too much is turned away while there is time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from anyio import CancelScope
from anyio.lowlevel import checkpoint
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memoranda.api.server.options import ServerOptions
from memoranda.api.server.requests import ADMITTED, Guard
from memoranda.exceptions import Overloaded

EVENTS = b"text/event-stream"


class ConcurrencyLimiter:
    """Lets some in at a time, some wait in order, and turns the others away."""

    def __init__(self, inside: int, waiting: int, seconds: float) -> None:
        self._places = asyncio.Semaphore(inside)
        self._waiting = 0
        self._most = waiting
        self._seconds = seconds

    async def enter(self) -> None:
        """Wait for a place.

        Raises:
            Overloaded: too many wait already, or this one waited too long.
        """
        if self._places.locked() and self._waiting >= self._most:
            raise Overloaded("more requests wait than can be served soon")
        self._waiting += 1
        try:
            async with asyncio.timeout(self._seconds):
                await self._places.acquire()
        except TimeoutError:
            raise Overloaded("this request waited for too long; nothing was done") from None
        finally:
            self._waiting -= 1

    def leave(self) -> None:
        """Give a place back."""
        self._places.release()


class OpenStreams:
    """The streams of events that are open; they end when the server is about to."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._open: set[CancelScope] = set()
        self._ending = False

    def add(self, scope: CancelScope) -> None:
        """Note that one begins.

        Raises:
            Overloaded: too many are open, or the server is about to stop.
        """
        if self._ending or len(self._open) >= self._most:
            raise Overloaded("no further stream of events can be opened now")
        self._open.add(scope)

    def drop(self, scope: CancelScope) -> None:
        """Note that one has ended."""
        self._open.discard(scope)

    def end(self) -> None:
        """End all of them; no further one begins."""
        self._ending = True
        for scope in tuple(self._open):
            scope.cancel()

    def __len__(self) -> int:
        return len(self._open)


class LoadGuard(Guard):
    """Lets requests through a gate. Streams of events leave it when they begin."""

    def __init__(self, app: ASGIApp, options: ServerOptions, streams: OpenStreams) -> None:
        super().__init__(app)
        self._options = options
        self._streams = streams
        self._gate: ConcurrencyLimiter | None = None

    async def look(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Carry a request out when it is its turn."""
        if self._gate is None:  # belongs to the event loop that it is made in
            given = self._options
            self._gate = ConcurrencyLimiter(given.at_work, given.waiting, given.wait_seconds)
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
    """An answer on its way, and the place that is held for it."""

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
        """Send; whoever does not read what they asked for is not waited for."""
        if message["type"] == "http.response.start":
            if any(_is_events(*pair) for pair in message.get("headers", [])):
                await self._become_stream()
            self._open = True
        elif not message.get("more_body", False):
            self._open = False
        async with asyncio.timeout(self._seconds):
            await self._send(message)

    async def finish(self) -> None:
        """Close an answer that was ended from here.

        Raises:
            Overloaded: it would have been a stream of events, and there are too many.
        """
        if self._refused is not None:
            raise self._refused
        if self._open and self.scope.cancel_called:
            await self.send({"type": "http.response.body", "body": b"", "more_body": False})

    def release(self) -> None:
        """Let go of what is held."""
        self._leave()
        self._streams.drop(self.scope)

    async def _become_stream(self) -> None:
        try:
            self._streams.add(self.scope)
        except Overloaded as error:
            self._refused = error  # whoever sends takes the answer for begun, so it ends here
            self.scope.cancel()
            await checkpoint()
        self._leave()

    def _leave(self) -> None:
        if self._gate is not None:
            self._gate.leave()
            self._gate = None


def _is_events(name: bytes, value: bytes) -> bool:
    return name.lower() == b"content-type" and value.lower().startswith(EVENTS)

"""An HTTP/1.1 connection, closed on slow, oversized or malformed heads."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from memoranda.api.rest.problem_details import problem
from memoranda.api.server.app import STREAMS
from memoranda.api.server.request_middleware import SAFE_HEADERS, new_request_id
from memoranda.api.server.trusted_hosts import HEAD_TOO_LARGE, TOO_LONG
from memoranda.exceptions import InvalidInput, MemorandaError, Overloaded, TooLarge

HEAD_SECONDS = 10.0
"""How long the head of a request may take to arrive."""
MAX_CONNECTIONS = 1_000
"""Number of connections above which further ones get a response that asks to retry.

At twice this number, connections are closed without a response.
"""


class Connection(H11Protocol):
    """HTTP/1.1 connection from one caller."""

    head_seconds = HEAD_SECONDS
    most_connections = MAX_CONNECTIONS

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept the connection, unless there are far too many."""
        super().connection_made(transport)
        self._deadline: asyncio.TimerHandle | None = None
        self._received = False
        self._surplus = len(self.connections) > self.most_connections
        if len(self.connections) > 2 * self.most_connections:
            transport.abort()
        else:
            self._expect_head()

    def data_received(self, data: bytes) -> None:
        """Process received data."""
        self._received = True
        if self._surplus:
            self._refuse(Overloaded("more connections are open than can be served"), 503)
            return
        if self._idle:
            self._expect_head()
        super().data_received(data)
        if not self._idle:
            self._forget_deadline()

    def connection_lost(self, exc: Exception | None) -> None:
        """Release the connection."""
        self._forget_deadline()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Prepare for another request."""
        self._received = False
        super().on_response_complete()

    def shutdown(self) -> None:
        """Close after the current response; end event streams immediately."""
        streams = self.app_state.get(STREAMS)
        if streams is not None:
            streams.end()
        super().shutdown()

    def send_400_response(self, msg: str) -> None:
        """Report an invalid request, if a response can still be sent."""
        hint = getattr(sys.exception(), "error_status_hint", 400)
        if hint == HEAD_TOO_LARGE and self._idle:
            # A head received in one piece is measured later, and gets the same response.
            self._refuse(TooLarge(TOO_LONG), HEAD_TOO_LARGE)
        else:
            self._refuse(InvalidInput("this is not a supported HTTP request"), 400)

    @property
    def _idle(self) -> bool:
        """Whether no request is being processed."""
        return self.cycle is None or self.cycle.response_complete

    def _expect_head(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(self.head_seconds, self._too_late)

    def _forget_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _too_late(self) -> None:
        self._deadline = None
        if self.transport.is_closing():
            return
        if self._received:
            self._refuse(InvalidInput("the request did not arrive in time"), 408)
        else:
            self.transport.close()

    def _refuse(self, error: MemorandaError, status: int) -> None:
        answer = problem(error, new_request_id(), status=status)
        headers: list[Any] = [*answer.raw_headers, *SAFE_HEADERS, (b"connection", b"close")]
        try:
            head = h11.Response(status_code=status, headers=headers)
            for event in (head, h11.Data(data=bytes(answer.body)), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        except h11.LocalProtocolError:
            pass  # a response has already begun; it is cut off
        self.transport.close()

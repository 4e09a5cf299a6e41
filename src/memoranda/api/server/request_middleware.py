"""Middleware around every request: id, error handling, safe headers."""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
from collections.abc import Callable, Mapping
from http import HTTPStatus

from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memoranda.api.rest.problem_details import problem
from memoranda.api.server.base_guard import REQUEST_ID, Guard, has_body, values
from memoranda.api.server.log_lines import frames
from memoranda.api.server.page_guards import WebPaths, wants_html
from memoranda.exceptions import MemorandaError, SystemFault
from memoranda.local_time import client_zone
from memoranda.time_zone_names import HEADER, zone_of

ErrorResponder = Callable[[Scope, MemorandaError, int | None, Mapping[str, str] | None], Response]
"""Creates an error response.

Arguments: the request, the error, a status that replaces the error's own, and further headers.
"""


def error_responder(pages: WebPaths | None) -> ErrorResponder:
    """Return the error responder, with or without a web interface."""

    def respond(
        scope: Scope,
        error: MemorandaError,
        status: int | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        id = scope["state"][REQUEST_ID]
        if pages is not None and wants_html(scope):
            return pages.respond(error, id, status, headers)
        return problem(error, id, status=status, headers=headers)

    return respond


AS_PROBLEM = error_responder(None)


_HEADER = HEADER.lower().encode()


class TimeZoneGuard(Guard):
    """Parses and displays dates in the ``Time-Zone`` zone, else the server's."""

    async def look(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read the header, then forward the request."""
        named = values(scope, _HEADER)
        if not named:
            await self._app(scope, receive, send)
            return
        with client_zone(zone_of(",".join(named))):
            await self._app(scope, receive, send)


SAFE_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
    (b"referrer-policy", b"no-referrer"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
"""Default security headers of a response."""
DISCARDED_BYTES = 1_000_000
DISCARDED_SECONDS = 1.0
"""Seconds for which the rest of a body is read and discarded.

This allows the caller to read a refusal before the connection is closed.
"""
_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")

logger = logging.getLogger(__name__)


def new_request_id() -> str:
    """Return an id for a request that has none."""
    return secrets.token_hex(8)


class ErrorMiddleware:
    """Outermost layer; logs unknown exceptions, never shows them to callers."""

    def __init__(
        self,
        app: ASGIApp,
        new_id: Callable[[], str] = new_request_id,
        respond: ErrorResponder = AS_PROBLEM,
    ) -> None:
        self._app = app
        self._new_id = new_id
        self._respond = respond

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward a request; ensure a response in every case."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        exchange = _Exchange(scope, receive, send, self._id(scope), self._respond)
        try:
            await self._app(scope, exchange.receive, exchange.send)
        except ClientDisconnect:
            return  # the caller has disconnected
        except MemorandaError as error:
            await exchange.fail(error, error)
        except Exception as error:
            await exchange.fail(SystemFault(), error)

    def _id(self, scope: Scope) -> str:
        ids = values(scope, b"x-request-id")
        fits = len(ids) == 1 and _ID.fullmatch(ids[0])
        return ids[0] if fits else self._new_id()


class _Exchange:
    """A request and its response."""

    def __init__(
        self, scope: Scope, receive: Receive, send: Send, id: str, respond: ErrorResponder
    ) -> None:
        scope.setdefault("state", {})[REQUEST_ID] = id
        self._scope = scope
        self._receive = receive
        self._send = send
        self._id = id
        self._respond = respond
        self._touched = False
        self._read = not has_body(scope)
        self._started = False

    async def receive(self) -> Message:
        """Receive a message, and record whether the body has ended."""
        self._touched = True
        message = await self._receive()
        self._read = not message.get("more_body", False)
        return message

    async def send(self, message: Message) -> None:
        """Send a message, with the default headers of a response."""
        if message["type"] == "http.response.start":
            self._started = True
            headers = list(message.get("headers", []))
            there = {name.lower() for name, _ in headers}
            headers += [pair for pair in SAFE_HEADERS if pair[0] not in there]
            headers.append((b"x-request-id", self._id.encode()))
            message = {**message, "headers": headers}
        await self._send(message)

    async def fail(self, error: MemorandaError, cause: Exception) -> None:
        """Respond with an error; abort a response that has already begun."""
        if error.http_status == HTTPStatus.INTERNAL_SERVER_ERROR:
            fields = {"request_id": self._id, "code": error.code, "error": type(cause).__name__}
            places = frames(cause.__traceback__)
            reason = error if error is cause else type(cause).__name__
            logger.error(
                "request %s failed: %s", self._id, reason, extra={**fields, "frames": places}
            )
        if self._started:
            raise ConnectionAbortedError(f"answer {self._id} broken off") from None
        unread = {} if self._read else {"Connection": "close"}
        answer = self._respond(self._scope, error, None, unread)
        await self.send(
            {
                "type": "http.response.start",
                "status": answer.status_code,
                "headers": answer.raw_headers,
            }
        )
        body = b"" if self._scope["method"] == "HEAD" else bytes(answer.body)
        await self.send({"type": "http.response.body", "body": body, "more_body": True})
        await self._discard()
        await self.send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _discard(self) -> None:
        """Read and discard some of the remaining body.

        If the connection were closed while the body is arriving, the response could be lost.
        """
        if not self._touched and values(self._scope, b"expect"):
            return  # the client is waiting for 100 Continue, which is not sent
        taken = 0
        try:
            async with asyncio.timeout(DISCARDED_SECONDS):
                while not self._read and taken < DISCARDED_BYTES:
                    taken += len((await self.receive()).get("body", b""))
        except TimeoutError:
            return

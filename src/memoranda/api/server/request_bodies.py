"""Checks of request bodies: media type, size and time limits."""

from __future__ import annotations

import asyncio

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memoranda.api.server.base_guard import PRINCIPAL, Guard, has_body, refused, values
from memoranda.api.server.limits import ServerOptions
from memoranda.api.server.page_guards import FORM, STRANGER_BYTES, WebPaths
from memoranda.exceptions import InvalidInput, Overloaded, TooLarge

CHANGES = frozenset({"POST", "PUT", "PATCH", "DELETE"})
"""HTTP methods that may change something; besides these, paths support only GET, HEAD and OPTIONS.
"""
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
"""HTTP methods that change nothing."""
JSON = "application/json"
STREAMED = frozenset({"application/x-ndjson", "application/zip"})
UNSUPPORTED = 415
LATE = 408


class ContentTypeGuard(Guard):
    """Middleware that accepts changes only as JSON.

    A page of another origin cannot send JSON without a preflight request. The web interface accepts
    forms, but only its own.
    """

    def __init__(self, app: ASGIApp, options: ServerOptions, pages: WebPaths | None = None) -> None:
        super().__init__(app)
        self._streams = options.streams
        self._pages = pages

    async def look(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check the content type of a change or a body."""
        content_types = values(scope, b"content-type")
        bare = scope["method"] == "DELETE" and not content_types and not has_body(scope)
        typed = scope["method"] in SAFE and content_types
        if not bare and (scope["method"] in CHANGES or typed):
            self._check(scope, content_types)
        await self._app(scope, receive, send)

    def _check(self, scope: Scope, content_types: list[str]) -> None:
        taken = {JSON, *STREAMED} if scope["path"] in self._streams else {JSON}
        taken = {FORM} if self._pages and self._pages.cover(scope) else taken
        if len(content_types) != 1 or media_type(content_types[0]) not in taken:
            wanted = " or ".join(sorted(taken))
            raise refused(InvalidInput(f"send Content-Type: {wanted}"), UNSUPPORTED)
        if any(item.strip().lower() != "identity" for item in values(scope, b"content-encoding")):
            raise refused(InvalidInput("compressed request bodies are not supported"), UNSUPPORTED)


def media_type(value: str) -> str:
    """Return the media type of a content type.

    Empty if the content type specifies an encoding other than UTF-8.
    """
    name, *parameters = (part.strip().lower() for part in value.split(";"))
    plain = {"", "charset=utf-8", 'charset="utf-8"'}
    return name if all(parameter in plain for parameter in parameters) else ""


class BodyBuffer(Guard):
    """Forwards only complete bodies, so that slow senders block no worker.

    Streams are passed on as they arrive, and each piece is counted.
    """

    def __init__(self, app: ASGIApp, options: ServerOptions) -> None:
        super().__init__(app)
        self._options = options
        self._buffered = 0

    async def look(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Limit the body's size, by its declared length and by the bytes received."""
        if not has_body(scope):
            await self._app(scope, receive, send)
            return
        streams = any(media_type(item) in STREAMED for item in values(scope, b"content-type"))
        limit = self._options.stream_bytes if streams else self._options.body_bytes
        limit = limit if scope["state"].get(PRINCIPAL) else STRANGER_BYTES
        _check_announced(scope, limit)
        if streams:
            source = _Counted(receive, limit, self._options.body_seconds)
            await self._app(scope, source.receive, send)
        else:
            await self._buffer(scope, receive, send, limit)

    async def _buffer(self, scope: Scope, receive: Receive, send: Send, limit: int) -> None:
        body = bytearray()
        try:
            await self._read(_Counted(receive, limit, None), body)
            replay = _Replay(bytes(body), receive)
            await self._app(scope, replay.receive, send)
        finally:
            self._buffered -= len(body)

    async def _read(self, source: _Counted, body: bytearray) -> None:
        try:
            async with asyncio.timeout(self._options.body_seconds):
                more = True
                while more:
                    message = await source.receive()
                    if message["type"] == "http.disconnect":
                        raise ClientDisconnect
                    piece = message.get("body", b"")
                    body += piece
                    self._buffered += len(piece)
                    more = message.get("more_body", False)
                    if self._buffered > self._options.buffered_bytes:
                        raise Overloaded("too much data is being received at once")
        except TimeoutError:
            raise _late() from None


class _Counted:
    """Body that is received up to a size limit and without long pauses."""

    def __init__(self, receive: Receive, limit: int, pause: float | None) -> None:
        self._receive = receive
        self._limit = limit
        self._pause = pause
        self._taken = 0

    async def receive(self) -> Message:
        """Receive the next part.

        Raises:
            TooLarge: the body exceeds the limit.
        """
        try:
            async with asyncio.timeout(self._pause):
                message = await self._receive()
        except TimeoutError:
            raise _late() from None
        self._taken += len(message.get("body", b""))
        if self._taken > self._limit:
            raise _too_large(self._limit)
        if not message.get("more_body", False):
            self._pause = None  # after the body, only a disconnect can follow
        return message


class _Replay:
    """Replays a body that was already read, then receives what follows it."""

    def __init__(self, body: bytes, receive: Receive) -> None:
        self._body: bytes | None = body
        self._receive = receive

    async def receive(self) -> Message:
        """Return the body once, then the messages that follow it."""
        if self._body is None:
            return await self._receive()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}


def _check_announced(scope: Scope, limit: int) -> None:
    for length in values(scope, b"content-length"):
        if length.strip().isdecimal() and int(length[:20]) > limit:
            raise _too_large(limit)


def _too_large(limit: int) -> TooLarge:
    return TooLarge(f"a request of this kind may have {limit:,} bytes; send it in parts")


def _late() -> InvalidInput:
    error = InvalidInput("the body did not arrive in time")
    refused(error, LATE)
    return error

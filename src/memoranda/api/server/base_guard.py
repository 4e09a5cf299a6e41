"""Base class of guards, and the request data that they read."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

from memoranda.exceptions import MemorandaError

REQUEST_ID = "request_id"
PRINCIPAL = "principal"
ADMITTED = "admitted"
STANDS = "stands"
"""Attribute of a request's state with a check for long-running responses.

The check raises Unauthenticated once the caller is no longer authenticated.
"""


def values(scope: Scope, name: bytes) -> list[str]:
    """Return every value of a header, in order."""
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]


def has_body(scope: Scope) -> bool:
    """Return whether a request has a body."""
    if values(scope, b"transfer-encoding"):
        return True
    return any(length.strip() != "0" for length in values(scope, b"content-length"))


def refused(error: MemorandaError, status: int) -> MemorandaError:
    """Return an error with a more specific HTTP status than its default."""
    vars(error)["http_status"] = status
    return error


class Guard:
    """Middleware that checks every request before it reaches an application."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check requests; forward lifespan events of the server."""
        if scope["type"] == "http":
            await self.look(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    async def look(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward a request, or raise the error that refuses it."""
        raise NotImplementedError

"""What guards read of a request before anybody else does."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

from memoranda.exceptions import MemorandaError

REQUEST_ID = "request_id"
PRINCIPAL = "principal"
ADMITTED = "admitted"
STANDS = "stands"
"""Under which names guards leave what they know in the state of a request; ``stands`` raises
Unauthenticated once whoever asks is known no longer, for answers that go on for long."""


def values(scope: Scope, name: bytes) -> list[str]:
    """Return every value that a header was given, in order."""
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]


def has_body(scope: Scope) -> bool:
    """Say whether a body comes with a request."""
    if values(scope, b"transfer-encoding"):
        return True
    return any(length.strip() != "0" for length in values(scope, b"content-length"))


def refused(error: MemorandaError, status: int) -> MemorandaError:
    """Return an error that HTTP has a closer status for than the error's own."""
    vars(error)["http_status"] = status
    return error


class Guard:
    """Stands before an application and looks at every request."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Look at requests; let what belongs to the server's own life pass."""
        if scope["type"] == "http":
            await self.look(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    async def look(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, or raise the error that says why not."""
        raise NotImplementedError

"""Checks of the Host and Origin headers.

A third-party page can make a browser send requests to this server by using its own host name that
resolves to this machine (DNS rebinding). Such a request has that name as its Host, or the page as
its Origin.
"""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

from memoranda.api.server.base_guard import Guard, refused, values
from memoranda.api.server.limits import HEAD_BYTES, ServerOptions
from memoranda.exceptions import Forbidden, TooLarge

MISDIRECTED = 421
HEAD_TOO_LARGE = 431
TOO_LONG = "the head of the request is too long"


class TrustedHosts(Guard):
    """Accepts only requests to this server that are not from foreign pages."""

    def __init__(self, app: ASGIApp, options: ServerOptions) -> None:
        super().__init__(app)
        self._hosts = options.hosts
        self._origins = options.origins

    async def look(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Compare Host and Origin exactly with the allowed values."""
        if _size(scope) > HEAD_BYTES:
            raise refused(TooLarge(TOO_LONG), HEAD_TOO_LARGE)
        hosts = values(scope, b"host")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts or scope["path"][:1] != "/":
            message = "this server has another host name; add host names with --allow-host"
            raise refused(Forbidden(message), MISDIRECTED)
        origins = values(scope, b"origin")
        if origins and (len(origins) > 1 or origins[0] not in self._origins):
            raise Forbidden("requests from other origins are rejected; see --allow-origin")
        await self._app(scope, receive, send)


def _size(scope: Scope) -> int:
    headers = sum(len(name) + len(value) + 4 for name, value in scope["headers"])
    return headers + len(scope.get("raw_path") or b"") + len(scope["query_string"])

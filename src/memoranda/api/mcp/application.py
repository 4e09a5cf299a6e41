"""MCP over HTTP: the ASGI application mounted at ``/mcp``.

The caller is already authenticated: the guards store the caller as ``principal`` in the request's
state. No state is kept between requests, so any worker can process any request.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, MutableMapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.datastructures import QueryParams
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from memoranda.api.mcp.mcp_server import Context, server
from memoranda.api.mcp.tools import ToolProfile
from memoranda.api.service import Service
from memoranda.exceptions import InvalidInput, Unauthenticated, UserError
from memoranda.identity.principal import Principal

METHODS = ("POST",)
LARGEST = 4_000_000
"""Maximum number of bytes of a request."""


class McpApplication:
    """ASGI application; responds only within `running`, which is entered once.

    The URL chooses the tools: ``/mcp?profile=full``.
    """

    def __init__(self, service: Service) -> None:
        self._sessions = {
            profile: StreamableHTTPSessionManager(
                server(_Requests(service), profile),
                json_response=True,
                stateless=True,
                max_request_body_size=LARGEST,
            )
            for profile in ToolProfile
        }

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Process requests; part of the lifespan of the parent application."""
        async with AsyncExitStack() as stack:
            for sessions in self._sessions.values():
                await stack.enter_async_context(sessions.run())
            yield

    def route(self, path: str = "/mcp") -> Route:
        """Return the route that mounts this application in another one."""
        return Route(path, endpoint=self)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Process one request of an authenticated caller."""
        if _principal(scope) is None:
            error = {"code": Unauthenticated.code, "message": str(Unauthenticated())}
            refused = JSONResponse({"error": error}, Unauthenticated.http_status)
            await refused(scope, receive, send)
            return
        if scope["method"] not in METHODS:
            # a stream from the server would never carry any message, as no session state is kept
            error = {"code": UserError.code, "message": "send protocol messages by POST"}
            refused = JSONResponse({"error": error}, 405, {"Allow": ", ".join(METHODS)})
            await refused(scope, receive, send)
            return
        name = QueryParams(scope["query_string"]).get("profile", ToolProfile.DEFAULT)
        if name not in self._sessions:
            known = ", ".join(ToolProfile)
            error = {"code": InvalidInput.code, "message": f"profile must be one of {known}"}
            await JSONResponse({"error": error}, InvalidInput.http_status)(scope, receive, send)
            return
        await self._sessions[ToolProfile(name)].handle_request(scope, receive, send)


class _Requests:
    """Callers as identified by their requests."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def service(self) -> Service:
        return self._service

    def principal(self, context: Context) -> Principal:
        principal = _principal(context.request.scope) if context.request is not None else None
        if principal is None:
            raise Unauthenticated
        return principal


def _principal(scope: MutableMapping[str, Any]) -> Principal | None:
    found = scope.get("state", {}).get("principal")
    return found if isinstance(found, Principal) else None

"""The ASGI application of a server: guards first, then the interfaces."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route
from starlette.types import ASGIApp, ExceptionHandler

from memoranda.api.server.access_log import AccessLogMiddleware, RequestObserver
from memoranda.api.server.authentication import Authentication, RateLimit
from memoranda.api.server.health import LIVE, READY, HealthGuard, Readiness, described
from memoranda.api.server.limits import ServerOptions
from memoranda.api.server.load_limits import LoadGuard, OpenStreams
from memoranda.api.server.metrics import http_route as figures_route
from memoranda.api.server.page_guards import SameOriginGuard, WebPaths
from memoranda.api.server.request_bodies import BodyBuffer, ContentTypeGuard
from memoranda.api.server.request_middleware import (
    ErrorMiddleware,
    ErrorResponder,
    TimeZoneGuard,
    error_responder,
)
from memoranda.api.server.trusted_hosts import TrustedHosts
from memoranda.api.service import Service
from memoranda.exceptions import MemorandaError, NotFound, UserError
from memoranda.ports import Authenticator

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
"""HTTP methods that a path may support."""
STREAMS = "streams"
"""Attribute of the application's state that contains the open event streams."""

Running = Callable[[], AbstractAsyncContextManager[Any]]


@dataclass(frozen=True, slots=True)
class Interfaces:
    """Interfaces that are served behind the guards."""

    routes: Sequence[Route] = ()
    mounts: Mapping[str, ASGIApp] = field(default_factory=dict)
    """Applications that respond at exactly one path, with every method."""
    streams: frozenset[str] = frozenset()
    """Paths that accept streams: JSON lines, archives."""
    running: Sequence[Running] = ()
    """Context managers that are open while the server runs."""
    pages: WebPaths | None = None
    """What the guards need to know about the web interface, if there is one."""


def create_app(
    service: Service,
    authenticator: Authenticator,
    options: ServerOptions,
    doors: Interfaces,
    watching: RequestObserver | None = None,
) -> Starlette:
    """Return an application that admits only authenticated callers.

    The application does not close the service. An interface finds its caller in
    ``request.state.principal``, and the id of the request in ``request.state.request_id``.
    """
    options = replace(options, streams=options.streams | doors.streams)
    watching = watching or RequestObserver()
    readiness = Readiness(service)
    streams = OpenStreams(options.events)
    figures = watching.figures
    app = Starlette(
        routes=[
            *_health_routes(readiness),
            *([figures_route(service, figures)] if figures is not None else []),
            *doors.routes,
            *(Route(path, _Mounted(mounted)) for path, mounted in doors.mounts.items()),
        ],
        exception_handlers=_error_handlers(error_responder(doors.pages)),
        lifespan=_lifespan(streams, doors.running),
        middleware=[
            Middleware(AccessLogMiddleware, watching=watching, pages=doors.pages),
            *_guards(service, authenticator, options, doors.pages, readiness, streams),
        ],
    )
    app.router.redirect_slashes = False
    return app


def _guards(
    service: Service,
    authenticator: Authenticator,
    options: ServerOptions,
    pages: WebPaths | None,
    readiness: Readiness,
    streams: OpenStreams,
) -> list[Middleware]:
    """Return the guards in their guaranteed order.

    No part of a body is read before the caller is known, except the short sign-in form.
    """
    return [
        Middleware(ErrorMiddleware, new_id=service.home.ids.new, respond=error_responder(pages)),
        Middleware(TrustedHosts, options=options),
        Middleware(SameOriginGuard, pages=pages),
        Middleware(HealthGuard, readiness=readiness),
        Middleware(Authentication, authenticator=authenticator, options=options, pages=pages),
        Middleware(ContentTypeGuard, options=options, pages=pages),
        Middleware(RateLimit, options=options),
        Middleware(TimeZoneGuard),
        Middleware(BodyBuffer, options=options),
        Middleware(LoadGuard, options=options, streams=streams),
    ]


def _lifespan(
    streams: OpenStreams, running: Sequence[Running]
) -> Callable[[Starlette], AbstractAsyncContextManager[dict[str, object]]]:
    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[dict[str, object]]:
        async with AsyncExitStack() as stack:
            for item in running:
                await stack.enter_async_context(item())
            yield {STREAMS: streams}

    return lifespan


class _Mounted:
    """An application used as the endpoint of a route.

    A plain function would be called with a request.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self._app(scope, receive, send)


def _health_routes(readiness: Readiness) -> list[Route]:
    async def health(_: Request) -> Response:
        return await described(readiness)

    return [Route(path, health) for path in (LIVE, READY)]


def _error_handlers(respond: ErrorResponder) -> Mapping[Any, ExceptionHandler]:
    """Return handlers by which all errors are reported in one form."""

    async def of_ours(request: Request, error: Exception) -> Response:
        if isinstance(error, MemorandaError) and error.http_status < 500:
            return respond(request.scope, error, None, None)
        raise error  # reported and logged by the outer layers

    async def of_routing(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        fault: MemorandaError = UserError(str(error.detail))
        headers = dict(error.headers or {})
        if error.status_code == 404:
            fault = NotFound("nothing is served under this path")
        elif error.status_code == 405:
            headers["Allow"] = allowed = _allowed(request)
            fault = UserError(f"this path supports only the methods {allowed}")
        return respond(request.scope, fault, error.status_code, headers)

    return {MemorandaError: of_ours, HTTPException: of_routing}


def _allowed(request: Request) -> str:
    """Return the methods of a request's path; each may have its own route."""
    return ", ".join(
        method
        for method in METHODS
        for scope in [{**request.scope, "method": method}]
        if any(route.matches(scope)[0] is Match.FULL for route in request.app.router.routes)
    )

"""The REST routes with a small guard before them, as a server has a large one."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from starlette.applications import Starlette
from starlette.middleware.base import BaseHTTPMiddleware, RequestResponseEndpoint
from starlette.requests import Request
from starlette.responses import Response

from memoranda.api.rest.problem_details import problem
from memoranda.api.rest.router import http_routes
from memoranda.api.service import Service
from memoranda.exceptions import MemorandaError, Unauthenticated
from memoranda.identity.principal import Principal, Role

TOKENS: Mapping[str, Principal] = {
    "ada": Principal("local", "ada", Role.ADMIN),
    "rev": Principal("local", "rev", Role.REVIEWER),
    "mia": Principal("local", "mia", Role.MEMBER),
    "eye": Principal("local", "eye", Role.READER),
    "bot": Principal("local", "bot-1", Role.AGENT, "bot"),
    "rival": Principal("local", "bot-2", Role.AGENT, "rival"),
    "eve": Principal("barn", "eve", Role.ADMIN),
}


def rest_app(service: Service, caller: Callable[[str], Principal | None] = TOKENS.get) -> Starlette:
    """Return an application that lets those in who have a token."""
    app = Starlette(routes=http_routes(service))
    app.router.redirect_slashes = False

    async def guard(request: Request, go_on: RequestResponseEndpoint) -> Response:
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        known = caller(token or request.headers.get("x-api-key", ""))
        if known is None:
            return problem(Unauthenticated(), "test")
        request.state.principal, request.state.request_id = known, "test"
        return await go_on(request)

    async def report_error(request: Request, error: Exception) -> Response:
        assert isinstance(error, MemorandaError)
        return problem(error, request.state.request_id)

    async def of_routing(request: Request, error: Exception) -> Response:
        from memoranda.exceptions import NotFound, UserError

        status = int(getattr(error, "status_code", 404))
        kind = NotFound if status == 404 else UserError
        headers = getattr(error, "headers", None)
        return problem(kind(), request.state.request_id, status=status, headers=headers)

    app.add_middleware(BaseHTTPMiddleware, dispatch=guard)
    app.add_exception_handler(MemorandaError, report_error)
    app.add_exception_handler(404, of_routing)
    app.add_exception_handler(405, of_routing)
    return app

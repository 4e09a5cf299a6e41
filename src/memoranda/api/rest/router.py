"""Everything under /api/v1, generated from the table of routes."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from memoranda.api.rest import openapi
from memoranda.api.rest.archives import Archives
from memoranda.api.rest.bulk_creation import BulkEndpoint
from memoranda.api.rest.event_stream import Events
from memoranda.api.rest.operation_endpoint import JSON, OperationEndpoint
from memoranda.api.rest.routes import routes
from memoranda.api.service import Service

PREFIX = "/api/v1"
"""Path at which the REST interface is mounted."""
STREAMS = frozenset(
    {f"{PREFIX}{path}" for path in ("/observations:bulk", "/memories:bulk", "/import")}
)
"""Paths that accept any number of JSON lines."""


def http_routes(service: Service) -> list[Route]:
    """Return the routes of the REST interface.

    Earlier guards set the caller as ``request.state.principal``.
    """
    bulk, archives, events = BulkEndpoint(service), Archives(service), Events(service)
    served = [
        ("GET", "/openapi.json", _described),
        ("GET", "/events", events.answer),
        ("POST", "/observations:bulk", bulk.observations),
        ("POST", "/memories:bulk", bulk.memories),
        ("GET", "/export", archives.export),
        ("POST", "/import", archives.bring_in),
    ]
    served += [
        (route.method, route.path, OperationEndpoint(service, route).answer) for route in routes()
    ]
    return [Route(PREFIX + path, answer, methods=[method]) for method, path, answer in served]


async def _described(_: Request) -> Response:
    return Response(openapi.text(PREFIX), 200, media_type=JSON)

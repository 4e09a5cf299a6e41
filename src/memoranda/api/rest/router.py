"""Router of everything under /api/v1, generated from the table of routes."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from memoranda.api.rest import openapi
from memoranda.api.rest.archives import Archives
from memoranda.api.rest.bulk_creation import BulkEndpoint
from memoranda.api.rest.event_stream import Events
from memoranda.api.rest.operation_endpoint import JSON, OperationEndpoint
from memoranda.api.rest.routes import routes
from memoranda.api.service import Service

PREFIX = "/api/v1"
"""Path at which it is mounted."""
STREAMS = frozenset(
    {f"{PREFIX}{path}" for path in ("/observations:bulk", "/memories:bulk", "/import")}
)
"""Paths that accept any number of JSON lines."""


def router(service: Service) -> APIRouter:
    """Return the routes of the REST interface.

    Guards before them set the caller as ``request.state.principal``.
    """
    result = APIRouter()
    bulk, archives, events = BulkEndpoint(service), Archives(service), Events(service)
    result.add_route("/openapi.json", _described, ["GET"], include_in_schema=False)
    result.add_route("/events", events.answer, ["GET"], include_in_schema=False)
    result.add_route("/observations:bulk", bulk.observations, ["POST"], include_in_schema=False)
    result.add_route("/memories:bulk", bulk.memories, ["POST"], include_in_schema=False)
    result.add_route("/export", archives.export, ["GET"], include_in_schema=False)
    result.add_route("/import", archives.bring_in, ["POST"], include_in_schema=False)
    for route in routes():
        door = OperationEndpoint(service, route)
        result.add_route(route.path, door.answer, [route.method], route.id, include_in_schema=False)
    return result


async def _described(_: Request) -> Response:
    return Response(openapi.text(PREFIX), 200, media_type=JSON)

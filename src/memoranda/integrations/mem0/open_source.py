"""The routes of mem0's own open-source server, for programs that call it over HTTP.

Facts: ``server/main.py`` of mem0 2.2. Its settings, keys and logs are not taken over.
"""

from __future__ import annotations

from fastapi import APIRouter, Request

from memoranda.errors import InvalidInput
from memoranda.integrations.mem0.answering import answering, body_of
from memoranda.integrations.mem0.filters import OWNERS
from memoranda.integrations.mem0.hosted import searched
from memoranda.integrations.mem0.memories import Mem0Memories
from memoranda.service import Service
from memoranda.values.json import JsonValue


def router(service: Service) -> APIRouter:
    """Return the routes, each carried out as whoever the guards let in."""
    routes = APIRouter()
    serve = answering(service, routes)

    @serve("POST", "/memories")
    def add(memories: Mem0Memories, _: Request, body: bytes) -> JsonValue:
        return {"results": [*memories.add(body_of(body))]}

    @serve("GET", "/memories")
    def listed(memories: Mem0Memories, request: Request, _: bytes) -> JsonValue:
        return {"results": [*memories.listed({**_named(request)})]}

    @serve("DELETE", "/memories")
    def delete_all(memories: Mem0Memories, request: Request, _: bytes) -> JsonValue:
        memories.delete_all({**_named(request)})
        return {"message": "All relevant memories deleted"}

    @serve("GET", "/memories/{id}")
    def get(memories: Mem0Memories, request: Request, _: bytes) -> JsonValue:
        return memories.get(request.path_params["id"])

    @serve("PUT", "/memories/{id}")
    def update(memories: Mem0Memories, request: Request, body: bytes) -> JsonValue:
        memories.update(request.path_params["id"], body_of(body))
        return {"message": "Memory updated successfully!"}

    @serve("DELETE", "/memories/{id}")
    def delete(memories: Mem0Memories, request: Request, _: bytes) -> JsonValue:
        memories.delete(request.path_params["id"])
        return {"message": "Memory deleted successfully"}

    @serve("GET", "/memories/{id}/history")
    def history(memories: Mem0Memories, request: Request, _: bytes) -> JsonValue:
        return [*memories.history(request.path_params["id"])]

    @serve("POST", "/search")
    def search(memories: Mem0Memories, _: Request, body: bytes) -> JsonValue:
        given = body_of(body)
        owners = {name: given[name] for name in OWNERS if given.get(name)}
        return {"results": [*searched(memories, {**given, "filters": _joined(given, owners)})]}

    @serve("GET", "/entities")
    def entities(memories: Mem0Memories, _: Request, __: bytes) -> JsonValue:
        return [*memories.entities()]

    @serve("POST", "/reset")
    def reset(memories: Mem0Memories, _: Request, __: bytes) -> JsonValue:
        raise InvalidInput("not everything is deleted at once here; DELETE /memories?user_id=…")

    return routes


def _named(request: Request) -> dict[str, str]:
    return {name: one for name, one in request.query_params.items() if name in OWNERS and one}


def _joined(given: dict[str, JsonValue], owners: dict[str, JsonValue]) -> JsonValue:
    filters = given.get("filters")
    if filters is None:
        return {**owners}
    return {"AND": [filters, {**owners}]} if owners else filters

"""The routes that mem0's client calls (``MemoryClient(host="http://…/mem0", api_key=KEY)``).

Facts: ``mem0/client/main.py`` of mem0ai 2.2.
"""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request

from memoranda.errors import InvalidInput
from memoranda.integrations.mem0.answering import answering, body_of, number_of
from memoranda.integrations.mem0.filters import OWNERS
from memoranda.integrations.mem0.memories import Mem0Memories
from memoranda.service import Service
from memoranda.values.json import JsonValue

PAGE, MOST = 100, 1_000
TOP = 10


def router(service: Service) -> APIRouter:
    """Return the routes, each carried out as whoever the guards let in."""
    routes = APIRouter()
    serve = answering(service, routes)

    @serve("GET", "/v1/ping/")
    def ping(_: Mem0Memories, request: Request, __: bytes) -> JsonValue:
        principal = request.state.principal
        return {"status": "ok", "org_id": principal.team, "project_id": principal.team}

    @serve("POST", "/v3/memories/add/")
    def add(memories: Mem0Memories, _: Request, body: bytes) -> JsonValue:
        return {"results": [*memories.add(body_of(body))]}

    @serve("POST", "/v3/memories/")
    def listed(memories: Mem0Memories, request: Request, body: bytes) -> JsonValue:
        found = memories.listed(body_of(body).get("filters"))
        size = number_of(request.query_params.get("page_size"), PAGE, MOST)
        page = number_of(request.query_params.get("page"), 1, 1_000_000)
        last = page * size >= len(found)
        query = f"?page={{}}&page_size={size}"
        return {
            "count": len(found),
            "next": None if last else request.url.path + query.format(page + 1),
            "previous": None if page == 1 else request.url.path + query.format(page - 1),
            "results": [*found[(page - 1) * size : page * size]],
        }

    @serve("POST", "/v3/memories/search/")
    def search(memories: Mem0Memories, _: Request, body: bytes) -> JsonValue:
        return {"results": [*searched(memories, body_of(body))]}

    @serve("GET", "/v1/memories/{id}/")
    def get(memories: Mem0Memories, request: Request, _: bytes) -> JsonValue:
        return memories.get(request.path_params["id"])

    @serve("GET", "/v1/memories/{id}/history/")
    def history(memories: Mem0Memories, request: Request, _: bytes) -> JsonValue:
        return [*memories.history(request.path_params["id"])]

    @serve("PUT", "/v1/memories/{id}/")
    def update(memories: Mem0Memories, request: Request, body: bytes) -> JsonValue:
        return memories.update(request.path_params["id"], body_of(body))

    @serve("DELETE", "/v1/memories/{id}/")
    def delete(memories: Mem0Memories, request: Request, _: bytes) -> JsonValue:
        memories.delete(request.path_params["id"])
        return {"message": "Memory deleted successfully!"}

    @serve("DELETE", "/v1/memories/")
    def delete_all(memories: Mem0Memories, request: Request, _: bytes) -> JsonValue:
        given = {name: one for name, one in request.query_params.items() if name in OWNERS}
        memories.delete_all({**given})
        return {"message": "Memories deleted successfully!"}

    @serve("GET", "/v1/entities/")
    def entities(memories: Mem0Memories, _: Request, __: bytes) -> JsonValue:
        found = memories.entities()
        return {"count": len(found), "next": None, "previous": None, "results": [*found]}

    @serve("DELETE", "/v2/entities/{type}/{name}/")
    def forget(memories: Mem0Memories, request: Request, _: bytes) -> JsonValue:
        kind, name = request.path_params["type"], request.path_params["name"]
        field = next((one for one, tag in OWNERS.items() if tag == kind), None)
        if field is None:
            raise InvalidInput(f"no kind {kind!r}; known: {', '.join(OWNERS.values())}")
        memories.delete_all({field: name})
        return {"message": "Entity deleted successfully!"}

    @serve("PUT", "/v1/batch/")
    def update_batch(memories: Mem0Memories, _: Request, body: bytes) -> JsonValue:
        changed = 0
        for one in batch(body):
            memories.update(str(one.get("memory_id")), one)
            changed += 1
        return {"message": f"Successfully updated {changed} memories"}

    @serve("DELETE", "/v1/batch/")
    def delete_batch(memories: Mem0Memories, _: Request, body: bytes) -> JsonValue:
        ids = [str(one.get("memory_id")) for one in batch(body)]
        for id in ids:
            memories.get(id)  # all are there, before the first goes
        for id in ids:
            memories.delete(id)
        return {"message": f"Successfully deleted {len(ids)} memories"}

    return routes


def searched(memories: Mem0Memories, body: dict[str, Any]) -> list[dict[str, JsonValue]]:
    """Return what a search asks for, of either dialect."""
    limit = number_of(body.get("top_k") or body.get("limit"), TOP, 100)
    threshold = body.get("threshold")
    least = float(threshold) if isinstance(threshold, int | float) else 0.0
    query = body.get("query")
    if not isinstance(query, str) or not query.strip():
        raise InvalidInput("query: a text")
    return memories.search(query, body.get("filters"), limit=limit, threshold=least)


def batch(body: bytes) -> list[dict[str, Any]]:
    """Return the items of a batch.

    Raises:
        InvalidInput: there are none, or more than 1,000.
    """
    found = [one for one in body_of(body).get("memories") or () if isinstance(one, dict)]
    if not 1 <= len(found) <= MOST:
        raise InvalidInput(f"memories: a list of 1 to {MOST:,} objects with memory_id")
    return found

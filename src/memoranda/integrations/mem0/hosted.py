"""The routes that mem0's client calls (``MemoryClient(host="http://…/mem0", api_key=KEY)``).

Facts: ``mem0/client/main.py`` of mem0ai 2.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter, Request

from memoranda.errors import InvalidInput
from memoranda.integrations.mem0.answering import Work, body_of, number_of, serving
from memoranda.integrations.mem0.filters import OWNERS
from memoranda.integrations.mem0.memories import Mem0Memories
from memoranda.service import Service
from memoranda.values.json import JsonValue

PAGE, MOST = 100, 1_000
TOP = 10


def _ping(_: Mem0Memories, request: Request, __: bytes) -> JsonValue:
    principal = request.state.principal
    return {"status": "ok", "org_id": principal.team, "project_id": principal.team}


def _add(memories: Mem0Memories, _: Request, body: bytes) -> JsonValue:
    return {"results": [*memories.add(body_of(body))]}


def _listed(memories: Mem0Memories, request: Request, body: bytes) -> JsonValue:
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


def _search(memories: Mem0Memories, _: Request, body: bytes) -> JsonValue:
    return {"results": [*searched(memories, body_of(body))]}


def _get(memories: Mem0Memories, request: Request, _: bytes) -> JsonValue:
    return memories.get(request.path_params["id"])


def _history(memories: Mem0Memories, request: Request, _: bytes) -> JsonValue:
    return [*memories.history(request.path_params["id"])]


def _update(memories: Mem0Memories, request: Request, body: bytes) -> JsonValue:
    return memories.update(request.path_params["id"], body_of(body))


def _delete(memories: Mem0Memories, request: Request, _: bytes) -> JsonValue:
    memories.delete(request.path_params["id"])
    return {"message": "Memory deleted successfully!"}


def _delete_all(memories: Mem0Memories, request: Request, _: bytes) -> JsonValue:
    given = {name: one for name, one in request.query_params.items() if name in OWNERS}
    memories.delete_all({**given})
    return {"message": "Memories deleted successfully!"}


def _entities(memories: Mem0Memories, _: Request, __: bytes) -> JsonValue:
    found = memories.entities()
    return {"count": len(found), "next": None, "previous": None, "results": [*found]}


def _forget(memories: Mem0Memories, request: Request, _: bytes) -> JsonValue:
    kind, name = request.path_params["type"], request.path_params["name"]
    field = next((one for one, tag in OWNERS.items() if tag == kind), None)
    if field is None:
        raise InvalidInput(f"no kind {kind!r}; known: {', '.join(OWNERS.values())}")
    memories.delete_all({field: name})
    return {"message": "Entity deleted successfully!"}


def _update_batch(memories: Mem0Memories, _: Request, body: bytes) -> JsonValue:
    changed = 0
    for one in batch(body):
        memories.update(str(one.get("memory_id")), one)
        changed += 1
    return {"message": f"Successfully updated {changed} memories"}


def _delete_batch(memories: Mem0Memories, _: Request, body: bytes) -> JsonValue:
    ids = [str(one.get("memory_id")) for one in batch(body)]
    for id in ids:
        memories.get(id)  # all are there, before the first goes
    for id in ids:
        memories.delete(id)
    return {"message": f"Successfully deleted {len(ids)} memories"}


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


ROUTES: Sequence[tuple[str, str, Work]] = (
    ("GET", "/v1/ping/", _ping),
    ("POST", "/v3/memories/add/", _add),
    ("POST", "/v3/memories/", _listed),
    ("POST", "/v3/memories/search/", _search),
    ("GET", "/v1/memories/{id}/", _get),
    ("GET", "/v1/memories/{id}/history/", _history),
    ("PUT", "/v1/memories/{id}/", _update),
    ("DELETE", "/v1/memories/{id}/", _delete),
    ("DELETE", "/v1/memories/", _delete_all),
    ("GET", "/v1/entities/", _entities),
    ("DELETE", "/v2/entities/{type}/{name}/", _forget),
    ("PUT", "/v1/batch/", _update_batch),
    ("DELETE", "/v1/batch/", _delete_batch),
)


def router(service: Service) -> APIRouter:
    """Return the routes, each carried out as whoever the guards let in."""
    return serving(service, ROUTES)

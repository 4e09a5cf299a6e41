"""Routes of mem0's hosted service, for its own client.

The client is ``MemoryClient(host="http://…/mem0", api_key=KEY)``. Source: ``mem0/client/main.py``
of mem0ai 2.2.
"""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.requests import Request
from starlette.routing import Route

from memoranda.api.service import Service
from memoranda.exceptions import InvalidInput
from memoranda.integrations.mem0.filters import OWNERS
from memoranda.integrations.mem0.operations import Mem0Memories, Mem0Query
from memoranda.integrations.mem0.request_handler import Work, body_of, number_of, serving
from memoranda.json_data import JsonValue, iso_time, parse_exact_json, parse_iso_time

PAGE, MAXIMUM = 100, 1_000
TOP = 10
DAY = 86_400_000_000
"""Microseconds per day."""


def _ping(_: Mem0Memories, request: Request, __: bytes) -> JsonValue:
    principal = request.state.principal
    return {"status": "ok", "org_id": principal.team, "project_id": principal.team}


def _add(memories: Mem0Memories, _: Request, body: bytes) -> JsonValue:
    made = memories.add(body_of(body))
    event = made[0]["id"] if made else None
    return {"results": [*made], "event_id": event, "status": "SUCCEEDED"}


def _listed(memories: Mem0Memories, request: Request, body: bytes) -> JsonValue:
    found = memories.listed(query_of(body_of(body)))
    size = number_of(request.query_params.get("page_size"), PAGE, MAXIMUM)
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


def get(memories: Mem0Memories, request: Request, _: bytes) -> JsonValue:
    """Return a memory; works the same in both dialects."""
    return memories.get(request.path_params["id"])


def history(memories: Mem0Memories, request: Request, _: bytes) -> JsonValue:
    """Return the changes of a memory; works the same in both dialects."""
    return [*memories.history(request.path_params["id"])]


def _update(memories: Mem0Memories, request: Request, body: bytes) -> JsonValue:
    return memories.update(request.path_params["id"], body_of(body))


def _delete(memories: Mem0Memories, request: Request, _: bytes) -> JsonValue:
    memories.delete(request.path_params["id"])
    return {"message": "Memory deleted successfully!"}


def _delete_all(memories: Mem0Memories, request: Request, _: bytes) -> JsonValue:
    memories.delete_all(requested_owners(request))
    return {"message": "Memories deleted successfully!"}


def _entities(memories: Mem0Memories, _: Request, __: bytes) -> JsonValue:
    found = memories.entities()
    return {"count": len(found), "next": None, "previous": None, "results": [*found]}


def _forget(memories: Mem0Memories, request: Request, _: bytes) -> JsonValue:
    kind, name = request.path_params["type"], request.path_params["name"]
    field = next((item for item, tag in OWNERS.items() if tag == kind), None)
    if field is None:
        raise InvalidInput(f"unknown kind {kind!r}; known: {', '.join(OWNERS.values())}")
    memories.delete_all({field: name})
    return {"message": "Entity deleted successfully!"}


def _update_batch(memories: Mem0Memories, _: Request, body: bytes) -> JsonValue:
    wanted = batch(body)
    memories.update_all([(str(item.get("memory_id")), item) for item in wanted])
    return {"message": f"Successfully updated {len(wanted)} memories"}


def _delete_batch(memories: Mem0Memories, _: Request, body: bytes) -> JsonValue:
    ids = [str(item.get("memory_id")) for item in batch(body)]
    memories.delete_batch(ids)
    return {"message": f"Successfully deleted {len(ids)} memories"}


def searched(memories: Mem0Memories, body: dict[str, Any]) -> list[dict[str, JsonValue]]:
    """Return the results of a search in either dialect."""
    limit = number_of(body.get("top_k") or body.get("limit"), TOP, 100)
    threshold = body.get("threshold")
    least = float(threshold) if isinstance(threshold, int | float) else 0.0
    query = body.get("query")
    if not isinstance(query, str) or not query.strip():
        raise InvalidInput("query must be a non-empty string")
    result = memories.search(query, query_of(body), limit=limit, threshold=least)
    names = body.get("fields")
    if not isinstance(names, list) or not names:
        return result
    return [{name: item[name] for name in item if name in ("id", *names)} for item in result]


def query_of(body: Mapping[str, Any]) -> Mem0Query:
    """Return the query in a body: its filters and its other options.

    Raises:
        InvalidInput: an option has an unknown form.
    """
    wanted: list[JsonValue] = [body["filters"]] if body.get("filters") else []
    if body.get("categories"):
        wanted.append({"categories": {"in": body["categories"]}})
    for name, operator in (("start_date", "gte"), ("end_date", "lte")):
        if body.get(name):
            wanted.append({"created_at": {operator: _moment(name, body[name])}})
    if isinstance(body.get("metadata"), dict):
        wanted.append({"metadata": body["metadata"]})
    return Mem0Query({"AND": wanted} if wanted else None, body.get("show_expired") is True)


def _moment(name: str, value: object) -> str:
    at = parse_iso_time(value) if isinstance(value, str) else None
    if at is None:
        raise InvalidInput(f"{name} must be a date or time in ISO 8601 format, not {value!r:.40}")
    whole_day = name == "end_date" and len(str(value)) == len("2027-01-31")
    return iso_time(at + (DAY - 1 if whole_day else 0))


def requested_owners(request: Request) -> JsonValue:
    """Return the filter in a query string.

    The query string names owners, or has ``filters`` as JSON or, as mem0's client sends it, as a
    Python literal.

    Raises:
        InvalidInput: the filters are neither JSON nor a Python literal.
    """
    owners = {name: item for name, item in request.query_params.items() if name in OWNERS and item}
    text = request.query_params.get("filters")
    if not text:
        return {**owners}
    try:
        filters = literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        filters = parse_exact_json(text)
    if not isinstance(filters, dict):
        raise InvalidInput('filters must be an object, such as {"user_id": "ada"}')
    return {"AND": [filters, {**owners}]} if owners else filters


def batch(body: bytes) -> list[dict[str, Any]]:
    """Return the items of a batch.

    Raises:
        InvalidInput: there are no items, or more than 1,000.
    """
    memories = body_of(body).get("memories")
    listed = memories if isinstance(memories, list) else []
    result = [item for item in listed if isinstance(item, dict)]
    if len(result) < len(listed) or not 1 <= len(result) <= MAXIMUM:
        raise InvalidInput(f"memories must be a list of 1 to {MAXIMUM:,} objects with memory_id")
    return result


ROUTES: Sequence[tuple[str, str, Work]] = (
    ("GET", "/v1/ping/", _ping),
    ("POST", "/v3/memories/add/", _add),
    ("POST", "/v3/memories/", _listed),
    ("POST", "/v3/memories/search/", _search),
    ("GET", "/v1/memories/{id}/", get),
    ("GET", "/v1/memories/{id}/history/", history),
    ("PUT", "/v1/memories/{id}/", _update),
    ("DELETE", "/v1/memories/{id}/", _delete),
    ("DELETE", "/v1/memories/", _delete_all),
    ("GET", "/v1/entities/", _entities),
    ("DELETE", "/v2/entities/{type}/{name:path}/", _forget),
    ("PUT", "/v1/batch/", _update_batch),
    ("DELETE", "/v1/batch/", _delete_batch),
)


def http_routes(service: Service) -> list[Route]:
    """Return the routes, each carried out as the authenticated caller."""
    return serving(service, ROUTES)

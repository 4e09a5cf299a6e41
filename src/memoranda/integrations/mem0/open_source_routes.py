"""Routes of mem0's open-source server, for programs that call it by HTTP.

Source: ``server/main.py`` of mem0 2.2. Routes for settings, keys and logs are not supported.
"""

from __future__ import annotations

from collections.abc import Sequence

from starlette.requests import Request
from starlette.routing import Route

from memoranda.api.service import Service
from memoranda.exceptions import InvalidInput
from memoranda.integrations.mem0.filters import OWNERS
from memoranda.integrations.mem0.hosted_routes import get, history, requested_owners, searched
from memoranda.integrations.mem0.operations import Mem0Memories, Mem0Query
from memoranda.integrations.mem0.request_handler import Work, body_of, serving
from memoranda.json_data import JsonValue


def _add(memories: Mem0Memories, _: Request, body: bytes) -> JsonValue:
    return {"results": [*memories.add(body_of(body))]}


def _listed(memories: Mem0Memories, request: Request, _: bytes) -> JsonValue:
    return {"results": [*memories.listed(Mem0Query({**_named(request)} or None))]}


def _delete_all(memories: Mem0Memories, request: Request, _: bytes) -> JsonValue:
    memories.delete_all(requested_owners(request))
    return {"message": "All relevant memories deleted"}


def _update(memories: Mem0Memories, request: Request, body: bytes) -> JsonValue:
    memories.update(request.path_params["id"], body_of(body))
    return {"message": "Memory updated successfully!"}


def _delete(memories: Mem0Memories, request: Request, _: bytes) -> JsonValue:
    memories.delete(request.path_params["id"])
    return {"message": "Memory deleted successfully"}


def _search(memories: Mem0Memories, _: Request, body: bytes) -> JsonValue:
    arguments = body_of(body)
    owners = {name: arguments[name] for name in OWNERS if arguments.get(name)}
    return {"results": [*searched(memories, {**arguments, "filters": _joined(arguments, owners)})]}


def _entities(memories: Mem0Memories, _: Request, __: bytes) -> JsonValue:
    return [*memories.entities()]


def _reset(memories: Mem0Memories, _: Request, __: bytes) -> JsonValue:
    raise InvalidInput("deleting everything is not supported; use DELETE /memories?user_id=…")


def _named(request: Request) -> dict[str, str]:
    return {name: item for name, item in request.query_params.items() if name in OWNERS and item}


def _joined(arguments: dict[str, JsonValue], owners: dict[str, JsonValue]) -> JsonValue:
    filters = arguments.get("filters")
    if filters is None:
        return {**owners}
    return {"AND": [filters, {**owners}]} if owners else filters


ROUTES: Sequence[tuple[str, str, Work]] = (
    ("POST", "/memories", _add),
    ("GET", "/memories", _listed),
    ("DELETE", "/memories", _delete_all),
    ("GET", "/memories/{id}", get),
    ("PUT", "/memories/{id}", _update),
    ("DELETE", "/memories/{id}", _delete),
    ("GET", "/memories/{id}/history", history),
    ("POST", "/search", _search),
    ("GET", "/entities", _entities),
    ("POST", "/reset", _reset),
)


def http_routes(service: Service) -> list[Route]:
    """Return the routes, each carried out as the authenticated caller."""
    return serving(service, ROUTES)

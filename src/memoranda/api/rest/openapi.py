"""The OpenAPI 3.1 document, generated from the table of routes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from inspect import getdoc
from typing import Any

from memoranda import time_zone_names as zone_names
from memoranda.api.rest.arguments import NOTHING, RequestParameter, in_body, parameters
from memoranda.api.rest.idempotency import HEADER
from memoranda.api.rest.openapi_ranges import bounded, bounded_records
from memoranda.api.rest.routes import RestRoute, routes, shown_by
from memoranda.api.rest.stream_schemas import streams
from memoranda.calls.schema import Schema, Schemas, without_unit
from memoranda.calls.signature import Argument
from memoranda.json_data import as_json, dump_json
from memoranda.memory import Memoranda
from memoranda.version import __version__

_REF = "#/components/"
JSON = "application/json"
PROBLEM = "application/problem+json"
CREATED = 201
STATUSES: Mapping[int, str] = {
    400: "The request is malformed.",
    401: "The key or token is missing or unknown.",
    402: "The monthly budget for language models is exhausted.",
    403: "This caller has no permission for the operation, or may not call it from this origin.",
    404: "The resource does not exist in this scope.",
    405: "The method is not allowed for this resource.",
    408: "The request was not received in time.",
    409: "Another caller changed the resource first, or the same request is in progress.",
    412: "The state does not match If-Match.",
    413: "The request is too large.",
    415: "The media type of the body is not supported.",
    421: "This server does not serve the requested host.",
    422: "A value in the request is invalid.",
    429: "This caller exceeds its rate limit.",
    431: "The headers are too large.",
    500: "The server failed or its data cannot be used.",
    502: "A language model gave an unusable answer.",
    503: "The server is too busy, or a service that it needs does not respond.",
    507: "The disk is full.",
}
"""Error statuses of requests, each with its description."""


@cache
def text(prefix: str) -> str:
    """Return the OpenAPI description as JSON."""
    return dump_json(document(prefix))


def document(prefix: str) -> dict[str, Any]:
    """Return the OpenAPI description of everything under a path."""
    schemas = Schemas(f"{_REF}schemas/", described=True)
    paths: dict[str, dict[str, Any]] = {}
    for route in routes():
        paths.setdefault(prefix + route.template, {})[route.method.lower()] = _operation(
            route, schemas
        )
    for path, described in streams(problems()).items():
        paths.setdefault(prefix + path, {}).update(described)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Memoranda",
            "version": __version__,
            "summary": "Memory for AI agents.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "security": [{"bearer": []}, {"key": []}],
        "tags": [{"name": item} for item in sorted({_tag(route) for route in routes()})],
        "paths": dict(sorted(paths.items())),
        "components": _components(schemas),
    }


def problems() -> dict[str, Schema]:
    """Return the error responses that every request can have."""
    return {str(status): {"$ref": f"{_REF}responses/{status}"} for status in STATUSES}


def _components(schemas: Schemas) -> dict[str, Any]:
    answers = {
        str(status): {
            "description": description,
            "headers": _headers(status),
            "content": {PROBLEM: {"schema": {"$ref": f"{_REF}schemas/Problem"}}},
        }
        for status, description in STATUSES.items()
    }
    return {
        "schemas": bounded_records(schemas.definitions) | {"Problem": _PROBLEM},
        "parameters": {"TimeZone": _TIME_ZONE},
        "responses": answers,
        "securitySchemes": {
            "bearer": {"type": "http", "scheme": "bearer"},
            "key": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
        },
    }


def _headers(status: int) -> dict[str, Schema]:
    if status not in (409, 429, 503):
        return {}
    wait = {"type": "string", "pattern": "^[0-9]{1,9}$"}
    return {"Retry-After": {"schema": wait, "description": "Seconds to wait."}}


_TIME_ZONE: Schema = {
    "name": zone_names.HEADER,
    "in": "header",
    "required": False,
    "schema": {"type": "string"},
    "example": "Asia/Tokyo",
    "description": "Time zone of the reader, as an IANA name or an offset. If the header "
    "contains a list, the first known time zone is used. It applies to dates in a query and to "
    "times without a time zone. By default, dates use the server's time zone and times use UTC.",
}


_PROBLEM: Schema = {
    "type": "object",
    "description": "Why a request was not carried out (RFC 9457).",
    "required": ["type", "title", "status", "code", "detail", "request_id"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "code": {"type": "string", "description": "Stable; for programs."},
        "detail": {"type": "string", "description": "What failed, and what to do about it."},
        "request_id": {"type": "string"},
        "needed": {
            "type": "integer",
            "description": "Number of tokens that would have been needed.",
        },
        "used": {"type": "integer", "description": "Number of tokens in a profile that is full."},
        "limit": {"type": "integer", "description": "Maximum number of tokens of a profile."},
        "retry_after": {"type": "number", "description": "Seconds to wait."},
    },
    "example": {
        "type": "urn:memoranda:error:not_found",
        "title": "Not Found",
        "status": 404,
        "code": "not_found",
        "detail": "no task '7'; `memoranda task list` lists the tasks",
        "request_id": "c1f0a9b2d3e4f506",
    },
}


def _operation(route: RestRoute, schemas: Schemas) -> dict[str, Any]:
    docstring = getdoc(getattr(route.operation.owner(Memoranda), route.operation.method)) or ""
    parameter_list = [_parameter(route, parameter, schemas) for parameter in parameters(route)]
    described: dict[str, Any] = {
        "operationId": route.id,
        "summary": docstring.partition("\n")[0],
        "description": _description(route, docstring),
        "tags": [_tag(route)],
        "parameters": [
            *parameter_list,
            *_conditions(route),
            {"$ref": f"{_REF}parameters/TimeZone"},
        ],
        "responses": {str(route.status): _answer(route, schemas)} | problems(),
    }
    if route.mark and route.method == "GET":
        described["responses"]["304"] = {
            "description": "The state still matches If-None-Match.",
            "headers": _TAGGED,
        }
    if not route.in_query:
        described["requestBody"] = _body(route, schemas)
    return described


def _description(route: RestRoute, docstring: str) -> str:
    roles = ", ".join(sorted(route.operation.roles))
    body = docstring.partition("\n")[2].partition("Args:")[0].partition("Raises:")[0].strip()
    return f"{without_unit(body)}\n\nFor the roles {roles}.".strip()


def _tag(route: RestRoute) -> str:
    return route.template.split("/")[1].partition(":")[0]


def _parameter(route: RestRoute, one: RequestParameter, schemas: Schemas) -> dict[str, Any]:
    schema: Any = schemas.of(one.type, one.field or one.name)
    schema = bounded(schema, route.operation.name, one.name, required=one.required)
    if one.many:
        schema = {"type": "array", "items": schema}
    if one.nullable and one.default is not None:
        schema = {"anyOf": [schema, {"const": NOTHING}]}
    if one.default is not None and not one.required:
        schema = {**schema, "default": as_json(one.default)}
    in_path = one.name in route.in_path
    described = {
        "name": one.name,
        "in": "path" if in_path else "query",
        "required": in_path or one.required,
        "schema": {**schema, "minLength": 1}
        if in_path and schema == {"type": "string"}
        else schema,
    }
    if one.about:
        described["description"] = without_unit(one.about)
    if example := EXAMPLES.get(one.name):
        described["example"] = example
    return described


EXAMPLES: Mapping[str, Any] = {
    "query": "how prices are rounded",
    "workspace": "shop",
    "task": "1",
    "label": "plan",
    "content": "Prices are kept in cents.",
    "statement": "Prices are kept in cents.",
    "text": "Always round prices up.",
    "description": "the import of prices failed",
    "phase": "coding",
    "key": "step",
}
"""Example values by name; harmless if sent."""


def _conditions(route: RestRoute) -> Iterable[dict[str, Any]]:
    if route.mark and route.method == "GET":
        yield _header(
            "If-None-Match", "An ETag that the caller has; if it is current, no body is sent."
        )
    if route.mark and route.changes and shown_by(route.path, route.mark):
        yield _header("If-Match", "Carry out the change only if this ETag is current.")
    if route.repeatable:
        yield _header(
            HEADER, "Chosen by the caller; a request with the same key is carried out once."
        )


def _header(name: str, description: str) -> dict[str, Any]:
    entity = {"type": "string", "pattern": '^(\\*|"[0-9a-f]{1,64}")$'}
    key = {"type": "string", "pattern": "^[!-~]{1,200}$"}
    schema = key if name == HEADER else entity
    return {
        "name": name,
        "in": "header",
        "required": False,
        "schema": schema,
        "description": description,
    }


_TAGGED = {
    "ETag": {"schema": {"type": "string"}, "description": "Identifier of the current state."}
}


def _answer(route: RestRoute, schemas: Schemas) -> dict[str, Any]:
    result = route.operation.signature(Memoranda).result
    headers: dict[str, Any] = dict(_TAGGED) if route.mark and route.method == "GET" else {}
    if getattr(result, "__name__", "") == "Page" and route.method == "GET":
        headers["Link"] = {"schema": {"type": "string"}, "description": "Link to the next page."}
    described = {
        "description": route.operation.summary(Memoranda),
        "headers": headers,
        "content": {JSON: {"schema": schemas.of(result)}},
    }
    if links := _links(route, schemas.of(result)):
        described["links"] = links
    return described


def _links(route: RestRoute, result: Schema) -> dict[str, Any]:
    """Return OpenAPI links from the result of a request.

    The links lead to the created resource, or the first of a list, by its name, and to the task of
    an observation.
    """
    links: dict[str, Any] = {}
    for other in routes() if result.get("type") != "array" else ():
        if parameters := _linked(route, other):
            links[other.id] = {"operationId": other.id, "parameters": parameters}
    return links


def _linked(route: RestRoute, other: RestRoute) -> dict[str, str]:
    """Return the parameters of the path of another route.

    Empty if the result does not determine the parameters.
    """
    if route.operation.name == "observe" and other.path.startswith("/tasks/{"):
        return {other.in_path[0]: "$response.body#/task"} if len(other.in_path) == 1 else {}
    named = route.operation.name
    lists = named.endswith((".list", ".interventions")) and route.method == "GET"
    if not (lists or route.status == CREATED) or not other.path.startswith(f"{route.path}/{{"):
        return {}
    expressions = {name: f"$request.path.{name}" for name in route.in_path}
    new = [name for name in other.in_path if name not in expressions]
    field = new[0] if new[0] in ("label", "key", "name") else "id"
    if lists:
        field = f"items/0/{'checkpoint/' if new == ['checkpoint'] else ''}{field}"
    return expressions | {new[0]: f"$response.body#/{field}"} if len(new) == 1 else {}


def _body(route: RestRoute, schemas: Schemas) -> dict[str, Any]:
    arguments = in_body(route)
    needed = [one.name for one in arguments if one.required]
    schema: Schema = {
        "type": "object",
        "additionalProperties": False,
        "properties": {item.name: _property(route, item, schemas) for item in arguments},
    }
    if needed:
        schema["required"] = needed
    media_type: dict[str, Any] = {"schema": schema}
    example = {
        argument.name: EXAMPLES[argument.name]
        for argument in arguments
        if argument.name in EXAMPLES
    }
    if example and set(needed) <= example.keys():
        media_type["example"] = {name: example[name] for name in needed} or example
    # Without arguments, the body is {}, because changes are accepted only as JSON.
    return {"required": True, "content": {JSON: media_type}}


def _property(route: RestRoute, argument: Argument, schemas: Schemas) -> Schema:
    schema = schemas.of(argument.type, argument.name)
    needed = argument.required
    schema = bounded(schema, route.operation.name, argument.name, required=needed)
    if argument.about and "$ref" not in schema:
        schema = {**schema, "description": without_unit(argument.about)}
    return schema

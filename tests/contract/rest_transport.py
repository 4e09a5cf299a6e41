"""Calls each operation by its REST route.

Arguments go in the path, the query, the body or If-Match.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import httpx

from memoranda.api.client import faults
from memoranda.api.rest.arguments import NOTHING, RequestParameter, parameters
from memoranda.api.rest.preconditions import INSIDE, WITHIN_CHANGE
from memoranda.api.rest.router import PREFIX
from memoranda.api.rest.routes import RestRoute, routes
from memoranda.exceptions import InvalidInput
from memoranda.json_data import JsonValue
from memoranda.operations import Operation

LONGEST = 8_000
"""Maximum characters of a query; longer ones go in a body if possible."""


class RestTransport:
    """A server's REST for one caller, over one connection pool."""

    def __init__(self, url: str, token: str) -> None:
        self._client = httpx.Client(
            base_url=url + PREFIX,
            headers={"Authorization": f"Bearer {token}"},
            timeout=60,
            trust_env=False,
            verify=False,
        )

    def call(self, operation: Operation, arguments: Mapping[str, JsonValue]) -> JsonValue:
        """Return the result of an operation; raise the error of the problem."""
        route, query = _way(operation, arguments)
        headers, rest = _condition(route, arguments)
        path = _path(route, rest)
        body = {name: value for name, value in rest.items() if name not in route.in_path}
        if route.in_query:
            params = httpx.QueryParams(tuple(query))
            answer = self._client.request(route.method, path, params=params, headers=headers)
        else:
            headers |= {"Content-Type": "application/json"}
            written = json.dumps(body).encode()  # ASCII, which can encode lone surrogates too
            answer = self._client.request(route.method, path, content=written, headers=headers)
        if answer.status_code != route.status:
            response: Any = answer.json()
            assert answer.headers["content-type"] == "application/problem+json"
            assert response["status"] == answer.status_code
            raise faults.of_status(answer.status_code, response, "REST")
        result: JsonValue = answer.json()
        return result

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


def _way(
    operation: Operation, arguments: Mapping[str, JsonValue]
) -> tuple[RestRoute, list[tuple[str, str]]]:
    """Return the route that can take the arguments, and the query."""
    ways = [one for one in routes() if one.operation.name == operation.name]
    assert ways, f"{operation.name} has no route"
    for route in sorted(ways, key=lambda one: not one.in_query):
        if not route.in_query:
            return route, []
        query = _query(route, arguments)
        if query is not None and sum(len(text) for _, text in query) < LONGEST:
            return route, query
    raise InvalidInput(f"no query of {operation.name} can say that")


def _condition(
    route: RestRoute, arguments: Mapping[str, JsonValue]
) -> tuple[dict[str, str], Mapping[str, JsonValue]]:
    """Return the If-Match headers, and the arguments without theirs."""
    name = INSIDE.get(route.mark, "")
    if route.operation.name not in WITHIN_CHANGE or arguments.get(name) is None:
        return {}, arguments
    rest = {one: value for one, value in arguments.items() if one != name}
    return {"If-Match": f'"{arguments[name]}"'}, rest


def _path(route: RestRoute, arguments: Mapping[str, JsonValue]) -> str:
    texts = {name: _text(arguments[name]) for name in route.in_path}
    if any(text is None or len(text) > LONGEST for text in texts.values()):
        raise InvalidInput("no path can say that")
    try:
        return route.template.format_map({k: quote(str(text), "") for k, text in texts.items()})
    except UnicodeEncodeError:
        raise InvalidInput("no path can say half of a character") from None


def _query(route: RestRoute, arguments: Mapping[str, JsonValue]) -> list[tuple[str, str]] | None:
    """Return arguments as a query; None if no query can express them."""
    known = {(one.argument, one.field): one for one in parameters(route)}
    pairs: list[tuple[str, str]] = []
    for name, value in arguments.items():
        if name in route.in_path:
            continue
        fields: Any = {None: value}
        if (name, None) not in known:
            fields = value if isinstance(value, dict) else {}
        for field, one in fields.items():
            if one is None and field is not None:
                continue
            message = _query_pairs(known[name, field], one)
            if message is None:
                return None
            pairs += message
    return pairs


def _query_pairs(parameter: RequestParameter, value: JsonValue) -> list[tuple[str, str]] | None:
    if value is None:
        nothing = parameter.nullable and parameter.default is not None
        return [(parameter.name, NOTHING)] if nothing else []
    if isinstance(value, list) != parameter.many:
        return None
    texts = [_text(one) for one in (value if isinstance(value, list) else [value])]
    if parameter.type is str and not all(
        isinstance(one, str) for one in (value if isinstance(value, list) else [value])
    ):
        return None  # a query has only texts
    return None if None in texts else [(parameter.name, str(text)) for text in texts]


def _text(value: JsonValue) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value if value.isascii() or _encodes(value) else None
    return str(value) if isinstance(value, int | float) else None


def _encodes(text: str) -> bool:
    try:
        return bool(text.encode())
    except UnicodeEncodeError:
        return False

"""The four doors of one server: the same call through each, and all that came back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any, Protocol
from urllib.parse import quote, urlencode

from memoranda import Memoranda
from memoranda.api.mcp.tools import CHOICE, ToolProfile, tools
from memoranda.api.rest.arguments import parameters
from memoranda.api.rest.router import PREFIX
from memoranda.api.rest.routes import RestRoute, routes
from memoranda.api.service import wire
from memoranda.exceptions import MemorandaError
from memoranda.operations import OPERATIONS

Given = Mapping[str, Any]
JSON = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
_OF_THE_CALL = {"date", "x-request-id", "content-length"}
"""Headers that differ from one call to the next of the same kind."""
_REQUEST = re.compile(r'"request_id": ?"[^"]*"')


@dataclass(frozen=True, slots=True)
class DoorResponse:
    """An answer: the verdict, which is ``ok`` or the code of the error, and every byte of it."""

    verdict: str
    text: str


class Door(Protocol):
    """One way to ask."""

    name: str

    def ask(self, operation: str, values: Given) -> DoorResponse | None:
        """Return the answer; None where this door cannot put the question."""
        ...

    def close(self) -> None:
        """Let go of the connection."""
        ...


class _Line:
    """Requests one after the other, in the name of one caller."""

    def __init__(self, port: int, token: str) -> None:
        self._connection = HTTPConnection("127.0.0.1", port, timeout=60)
        self._headers = JSON | ({"Authorization": f"Bearer {token}"} if token else {})

    def close(self) -> None:
        """Let go of the connection."""
        self._connection.close()

    def _send(self, method: str, path: str, body: Any = None) -> tuple[int, str, str]:
        """Return the status, the body, and both with the headers that mean something."""
        sent = None if body is None else json.dumps(body).encode()
        self._connection.close()  # a server lets go of one that was idle while others were asked
        self._connection.request(method, path, sent, self._headers)
        answer = self._connection.getresponse()
        result = answer.read().decode()
        head = {k.lower(): v for k, v in answer.getheaders() if k.lower() not in _OF_THE_CALL}
        whole = json.dumps([answer.status, head]) + _REQUEST.sub("", result)
        return answer.status, result, whole


class Rest(_Line):
    """Paths, queries and bodies."""

    name = "REST"

    def ask(self, operation: str, values: Given) -> DoorResponse | None:
        """Ask by the route of an operation; None where no path or query can say it."""
        route = ROUTES.get(operation)
        if route is None or not values.keys() >= set(route.in_path):
            return None
        path, rest = route.template, dict(values)
        for name in route.in_path:
            path = path.replace("{" + name + "}", quote(str(rest.pop(name)), safe="/"))
        if not route.in_query:
            return self._response(route, path, rest)
        query = list(_query(route, rest))
        if sum(1 for _ in query) < _leaves(rest):
            return None
        return self._response(route, f"{path}?{urlencode(query)}" if query else path, None)

    def _response(self, route: RestRoute, path: str, body: Any) -> DoorResponse:
        status, result, whole = self._send(route.method, PREFIX + path, body)
        return DoorResponse(
            "ok" if status < 300 else json.loads(result).get("code", str(status)), whole
        )


class JsonRpc(_Line):
    """One address, and names of methods."""

    name = "JSON-RPC"

    def ask(self, operation: str, values: Given) -> DoorResponse | None:
        """Ask by name; this door can put every question."""
        call = {"jsonrpc": "2.0", "id": 1, "method": operation, "params": values}
        status, result, whole = self._send("POST", "/rpc", call)
        answer = json.loads(result)
        if status != 200:
            return DoorResponse(answer["code"], whole)
        error = answer.get("error")
        return DoorResponse(error["data"]["code"] if error else "ok", whole)


class Mcp(_Line):
    """Tools for models."""

    name = "MCP"

    def ask(self, operation: str, values: Given) -> DoorResponse | None:
        """Ask by a tool that carries the operation out; None where none takes all of this."""
        found = _tool(operation, values)
        if found is None:
            return None
        name, arguments = found
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": {"name": name, "arguments": arguments}}  # fmt: skip
        status, reported, whole = self._send("POST", "/mcp", call)
        answer = json.loads(reported)
        if status != 200:
            return DoorResponse(answer["code"], whole)
        if "error" in answer:
            return DoorResponse("invalid", whole)
        result = answer["result"]
        failed = result.get("isError")
        return DoorResponse(result["_meta"]["memoranda/code"] if failed else "ok", whole)


class Client:
    """The Python client, whose methods take and return what those of a memory do."""

    name = "client"

    def __init__(self, port: int, token: str) -> None:
        self._memory = Memoranda.open(f"http://127.0.0.1:{port}", token=token or "memk_none")

    def close(self) -> None:
        """Let go of the connections."""
        self._memory.close()

    def ask(self, operation: str, values: Given) -> DoorResponse | None:
        """Call the method of an operation."""
        chosen = OPERATIONS.get(operation)
        if chosen is None:
            return None
        try:
            bound = chosen.signature(Memoranda).bound(values)
            found = wire(getattr(chosen.owner(self._memory), chosen.method)(**bound))
        except MemorandaError as error:
            return DoorResponse(error.code, f"{error.code}: {error}")
        return DoorResponse("ok", json.dumps(found))


def doors(port: int, token: str) -> tuple[Door, ...]:
    """Return all four doors of a server, in the name of whoever has a token."""
    return (Rest(port, token), JsonRpc(port, token), Mcp(port, token), Client(port, token))


ROUTES = {route.operation.name: route for route in routes() if route.id == route.operation.name}


def _query(route: RestRoute, values: Given) -> Iterator[tuple[str, str]]:
    for one in parameters(route):
        value = values.get(one.argument)
        if one.field is not None and isinstance(value, Mapping):
            value = value.get(one.field)
        for text in value if isinstance(value, list) else [value]:
            if text is not None and not isinstance(text, Mapping):
                yield one.name, text if isinstance(text, str) else json.dumps(text)


def _leaves(value: Any) -> int:
    """Count the plain values in arguments."""
    if isinstance(value, Mapping | list):
        return sum(map(_leaves, value.values() if isinstance(value, Mapping) else value))
    return value is not None


def _tool(operation: str, values: Given) -> tuple[str, dict[str, Any]] | None:
    for tool in tools(ToolProfile.DEFAULT):
        for call in tool.calls:
            if call.operation != operation:
                continue
            arguments = {
                name: value
                for name, place in call.takes.items()
                if (value := _at(values, place.split("."))) is not None
            }
            if _leaves(arguments) == _leaves(values):
                return tool.name, arguments | ({CHOICE: call.when} if call.when else {})
    return None


def _at(value: Any, place: list[str]) -> Any:
    for name in place:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value

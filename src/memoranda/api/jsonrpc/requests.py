"""Parsing and validation of JSON-RPC requests from untrusted bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from memoranda.api.jsonrpc.faults import no_request, not_json
from memoranda.exceptions import InvalidInput, TooLarge
from memoranda.json_data import JsonValue, parse_exact_json

MAX_BODY = 80_000_000
"""Maximum number of bytes of one message, call or batch.

Large enough for the longest document and its envelope.
"""
MAX_BATCH = 100
MAX_ID_LENGTH = 1_000
"""Maximum length of a string id in characters."""
LARGEST_ID = 2**63

Id: TypeAlias = str | int | float | None
Params: TypeAlias = Mapping[str, JsonValue] | Sequence[JsonValue]
_MEMBERS = frozenset({"jsonrpc", "method", "params", "id"})


@dataclass(frozen=True, slots=True)
class JsonRpcRequest:
    """A call; without an id it is a notification."""

    method: str
    params: Params
    id: Id
    notification: bool
    beside: Mapping[str, JsonValue]
    """Additional object members that JSON-RPC does not define."""


def decode(body: bytes) -> JsonValue:
    """Parse a body as JSON, with the strictness of all interfaces.

    Raises:
        Refused: the body is not JSON, or is nested deeper than 64 levels.
        TooLarge: the body is longer than `MAX_BODY`.
    """
    if len(body) > MAX_BODY:
        raise too_large()
    try:
        return parse_exact_json(body)
    except InvalidInput as error:
        raise not_json(str(error)) from None


def too_large() -> TooLarge:
    """Return the error for a message longer than `MAX_BODY`."""
    return TooLarge(f"a message has at most {MAX_BODY:,} bytes; send it in parts")


def request(value: JsonValue) -> JsonRpcRequest:
    """Validate a JSON value as a request.

    Raises:
        Refused: the value is not a valid request.
    """
    if not isinstance(value, dict):
        raise no_request("it must be an object")
    id_of(value)
    if value.get("jsonrpc") != "2.0":
        raise no_request('"jsonrpc" must be "2.0"')
    method, params = value.get("method"), value.get("params", {})
    if not isinstance(method, str):
        raise no_request('"method" must be a string')
    if not isinstance(params, dict | list):
        raise no_request('"params" must be an object or a list')
    beside = {name: item for name, item in value.items() if name not in _MEMBERS}
    return JsonRpcRequest(method, params, id_of(value), "id" not in value, beside)


def id_of(value: JsonValue) -> Id:
    """Return the id of a value that may be a request; None if there is none.

    Raises:
        Refused: the value has an id that cannot be returned in a response.
    """
    id = value.get("id") if isinstance(value, dict) else None
    if id is None or (isinstance(id, str) and len(id) <= MAX_ID_LENGTH):
        return id
    if isinstance(id, int | float) and not isinstance(id, bool) and abs(id) <= LARGEST_ID:
        return id
    raise no_request(
        f'"id" must be a string of at most {MAX_ID_LENGTH:,} characters, a 64-bit number, or null'
    )

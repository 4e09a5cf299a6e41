"""Parsing and validation of JSON-RPC requests from untrusted bytes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import NoReturn, TypeAlias

from memoranda.api.jsonrpc.faults import no_request, not_json
from memoranda.exceptions import TooLarge
from memoranda.json_data import MAX_DEPTH, JsonValue, deeper_than

MAX_BODY = 80_000_000
"""Maximum bytes of one message, call or batch.

Enough for the longest document and its envelope.
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
    """Additional members of the object that JSON-RPC does not define."""


def decode(body: bytes) -> JsonValue:
    """Parse a body as JSON.

    A name that occurs twice in an object is refused, as parsers differ in which of the two they
    use; so are NaN, infinities and numbers out of the range of a float, and bytes that are not
    UTF-8.

    Raises:
        Refused: it is not JSON, or nested deeper than 64 levels.
        TooLarge: it is longer than `MAX_BODY`.
    """
    if len(body) > MAX_BODY:
        raise too_large()
    try:
        value: JsonValue = json.loads(
            body.decode("utf-8"),
            parse_constant=_no_number,
            parse_float=_finite,
            object_pairs_hook=_unique,
        )
    except UnicodeDecodeError as error:
        raise not_json(f"byte {error.start} is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise not_json(f"{error.msg} at character {error.pos}") from None
    except (ValueError, RecursionError) as error:
        deep = isinstance(error, RecursionError)
        raise not_json("nested too deeply" if deep else _reason(error)) from None
    if deeper_than(value, MAX_DEPTH):
        raise not_json(f"nested deeper than {MAX_DEPTH} levels")
    return value


def too_large() -> TooLarge:
    """Return the error for a message longer than `MAX_BODY`."""
    return TooLarge(f"a message has at most {MAX_BODY:,} bytes; send it in parts")


def request(value: JsonValue) -> JsonRpcRequest:
    """Validate a JSON value as a request.

    Raises:
        Refused: it is not one.
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
    """Return the id of a possible request; None if there is none.

    Raises:
        Refused: there is one that cannot be returned in a response.
    """
    id = value.get("id") if isinstance(value, dict) else None
    if id is None or (isinstance(id, str) and len(id) <= MAX_ID_LENGTH):
        return id
    if isinstance(id, int | float) and not isinstance(id, bool) and abs(id) <= LARGEST_ID:
        return id
    raise no_request(
        f'"id" has to be a text of at most {MAX_ID_LENGTH:,} characters, a number of 64 bits,'
        " or null"
    )


def _unique(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise ValueError("a name occurs twice in one object")
    return result


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _finite(digits: str) -> float:
    number = float(digits)
    if not isfinite(number):
        raise ValueError("a number is too large")
    return number


def _reason(error: Exception) -> str:
    """Return our own message for a parse error.

    Python raises its own message only for a number with too many digits; it is replaced.
    """
    phrases = ("a name stands", "a number is", "NaN", "Infinity", "-Infinity")
    message = str(error)
    return message if message.startswith(phrases) else "a number has too many digits"

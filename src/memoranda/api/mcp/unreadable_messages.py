"""Input lines that the protocol's SDK cannot parse.

The SDK drops such a line silently, and the host would wait for a response forever. Here, a line
with lone surrogates is repaired as in every other interface, and any other line gets an error
response.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterable
from typing import Any

import mcp_types as types
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from memoranda.text import normalise

NOT_JSON = "not valid JSON; send one JSON-RPC message per line"
NO_MESSAGE = "not a JSON-RPC message: send an object with jsonrpc, method, id and object params"


async def relay(incoming: AsyncIterable[SessionMessage | Exception], to: Any, refused: Any) -> None:
    """Forward messages, repaired if necessary; reject those that are invalid.

    Args:
        incoming: messages, and exceptions in place of the unreadable ones.
        to: stream for the messages; it is closed at the end.
        refused: stream for the error responses.
    """
    async with to:
        async for item in incoming:
            message = item if isinstance(item, SessionMessage) else _repaired(item)
            if isinstance(message, types.ErrorData):
                await refused.send(SessionMessage(_response(item, message)))
            else:
                await to.send(message)


def _repaired(error: Exception) -> SessionMessage | types.ErrorData:
    """Return the message in an unreadable line, or why there is none."""
    line = _line(error)
    if line is None:
        return types.ErrorData(code=types.INVALID_REQUEST, message=NO_MESSAGE)
    try:
        text = normalise(json.dumps(json.loads(line, strict=False), ensure_ascii=False))
        return SessionMessage(types.jsonrpc_message_adapter.validate_json(text, by_name=False))
    except ValidationError:
        return types.ErrorData(code=types.INVALID_REQUEST, message=NO_MESSAGE)
    except (ValueError, RecursionError):
        return types.ErrorData(code=types.PARSE_ERROR, message=NOT_JSON)


def _line(error: Exception) -> str | None:
    """Return the text of a line that is not JSON according to the SDK."""
    if not isinstance(error, ValidationError):
        return None
    first = error.errors(include_url=False)[0]
    return str(first["input"]) if first["type"] == "json_invalid" else None


def _response(error: Exception | SessionMessage, data: types.ErrorData) -> types.JSONRPCError:
    return types.JSONRPCError(jsonrpc="2.0", id=_id(error), error=data)


def _id(error: Exception | SessionMessage) -> str | int | None:
    """Return the id of an invalid request, so that its sender can match it."""
    if isinstance(error, ValidationError):
        for fault in error.errors(include_url=False):
            message, place = fault["input"], fault["loc"]
            if len(place) == 2 and fault["type"] == "missing" and isinstance(message, dict):
                id = message.get("id")
                return id if isinstance(id, str | int) and not isinstance(id, bool) else None
    return None

"""JSON-RPC error objects for calls that failed."""

from __future__ import annotations

import logging
from pathlib import Path

from memoranda.exceptions import MemorandaError, SystemFault
from memoranda.identity.principal import Role
from memoranda.json_data import JsonValue

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INTERNAL_ERROR = -32603

logger = logging.getLogger(__name__)


class InvalidMessage(Exception):
    """Violation of the JSON-RPC rules, found before any operation is called."""

    def __init__(self, code: int, name: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.name = name


def not_json(message: str) -> InvalidMessage:
    """Return the error for a body that cannot be parsed."""
    return InvalidMessage(PARSE_ERROR, "parse_error", message)


def no_request(reason: str) -> InvalidMessage:
    """Return the error for JSON that is not a request."""
    return InvalidMessage(INVALID_REQUEST, "invalid_request", f"not a request: {reason}")


def no_method(name: str) -> InvalidMessage:
    """Return the error for a method name that does not exist."""
    message = f"no method {name[:80]!r}; rpc.discover lists the methods"
    return InvalidMessage(METHOD_NOT_FOUND, "method_not_found", message)


def error_object(error: Exception, role: Role) -> dict[str, JsonValue]:
    """Return the JSON-RPC error object for an error.

    The object contains the code, the message, and in ``data`` Memoranda's own code and the error's
    figures. A caller who does not operate the server gets only the kind of an internal failure. The
    message of an exception from outside Memoranda is never shown, because it may contain text from
    a memory.
    """
    if isinstance(error, InvalidMessage):
        return {"code": error.code, "message": str(error), "data": {"code": error.name}}
    if isinstance(error, MemorandaError):
        message = str(error)
        if isinstance(error, SystemFault) and role is not Role.ADMIN:
            message = str(type(error)())
        data: dict[str, JsonValue] = {"code": error.code, **error.figures}
        return {"code": error.rpc_code, "message": message, "data": data}
    _log(error)
    message = "the server failed; see its log for the cause"
    return {"code": INTERNAL_ERROR, "message": message, "data": {"code": "internal"}}


def _log(error: Exception) -> None:
    """Log where an unknown error was raised, without its message."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = ""
    if trace is not None:
        place = f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"
    logger.error("a call failed", extra={"error": type(error).__name__, "place": place})

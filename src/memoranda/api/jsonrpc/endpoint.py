"""JSON-RPC 2.0 endpoint: converts request bytes to response bytes.

The endpoint does not depend on the transport.
"""

from __future__ import annotations

import inspect
import json
import logging
import time
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from memoranda import exceptions as errors
from memoranda.api.jsonrpc import faults
from memoranda.api.jsonrpc.faults import InvalidMessage, no_method, no_request
from memoranda.api.jsonrpc.methods import AGENT, DISCOVER, RESERVED, Method, method, methods, public
from memoranda.api.jsonrpc.requests import (
    MAX_BATCH,
    Id,
    JsonRpcRequest,
    Params,
    decode,
    id_of,
    request,
)
from memoranda.api.jsonrpc.trace_ids import MEMBER, META, NOTHING, Trace, of_member, require_own
from memoranda.api.service import Service
from memoranda.calls.schema import Schemas, without_unit
from memoranda.calls.signature import Argument
from memoranda.exceptions import TooLarge
from memoranda.identity.principal import Principal, Role
from memoranda.ids import traced
from memoranda.instrumentation import OK, UNKNOWN, FinishedCall
from memoranda.json_data import JsonValue, as_json
from memoranda.operations import OPERATIONS
from memoranda.version import __version__

OPENRPC = "1.3.2"
_DESCRIPTION = (
    "x-roles lists the roles that may call a method; x-access is its effect, read or write. Params "
    "are by name or by position. A request or its params may have a2a_context with trace_id, "
    "agent_id, task_id and context_id, which the answer repeats."
)


@cache
def document() -> JsonValue:
    """Return the OpenRPC document.

    All callers share one object, which must not be changed.
    """
    schemas = Schemas("#/components/schemas/", described=True)
    described = [_method(item, schemas) for item in public()]
    info: JsonValue = {"title": "Memoranda", "version": __version__, "description": _DESCRIPTION}
    components: dict[str, Any] = {"schemas": schemas.definitions, "errors": _errors()}
    return {"openrpc": OPENRPC, "info": info, "methods": described, "components": components}


def _method(one: Method, schemas: Schemas) -> JsonValue:
    result = schemas.of(one.signature.result)
    described: dict[str, JsonValue] = {
        "name": one.name,
        "summary": one.summary,
        "paramStructure": "either",
        "params": [_parameter(argument, schemas) for argument in one.arguments],
        "result": {"name": "result", "schema": result},
        "x-access": one.access.value,
        "x-roles": [role.value for role in Role if role in one.roles],
    }
    if one.group is not None:
        described["x-operations"] = [name for name in one.uses if name in OPERATIONS]
    return described


def _parameter(argument: Argument, schemas: Schemas) -> JsonValue:
    schema = schemas.of(argument.type, argument.name)
    described: dict[str, JsonValue] = {"name": argument.name, "required": argument.required}
    if argument.about:
        described["description"] = without_unit(argument.about)
    if not argument.required and argument.default is not None and "$ref" not in schema:
        schema = schema | {"default": as_json(argument.default)}
    return described | {"schema": schema}


def _errors() -> dict[str, JsonValue]:
    """Return every error by its code, the ``data.code`` of a response."""
    result: dict[str, JsonValue] = {
        "parse_error": {"code": faults.PARSE_ERROR, "message": "It is not JSON."},
        "invalid_request": {"code": faults.INVALID_REQUEST, "message": "It is not a request."},
        "method_not_found": {"code": faults.METHOD_NOT_FOUND, "message": "No such method."},
        "internal": {"code": faults.INTERNAL_ERROR, "message": "The server failed."},
    }
    for kind in vars(errors).values():
        if inspect.isclass(kind) and issubclass(kind, errors.MemorandaError):
            meaning = (kind.__doc__ or "").partition("\n")[0]
            result[kind.code] = {"code": kind.rpc_code, "message": meaning}
    return result


DOOR = "rpc"
"""Name of this interface in the call statistics."""
MAX_ANSWER = 50_000_000
"""Response size of a batch, in bytes, above which the remaining calls are not run."""

logger = logging.getLogger(__name__)


class JsonRpcEndpoint:
    """JSON-RPC endpoint of a service. Thread-safe."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def answer(self, principal: Principal, body: bytes, trace: Trace = NOTHING) -> bytes | None:
        """Process a call or a batch for a caller and return the response.

        The calls of a batch run in order. The result is None if no response is expected. No
        exception is raised: errors are reported in the response.

        Args:
            trace: the ids received from the transport; those in the message take precedence.
        """
        try:
            message = decode(body)
            if isinstance(message, list):
                return self._batch(principal, message, trace)
        except Exception as error:
            return self._refused(None, error, principal)
        return self._one(principal, message, trace)

    def _batch(
        self, principal: Principal, messages: Sequence[JsonValue], trace: Trace
    ) -> bytes | None:
        if not messages:
            raise no_request("a batch must contain at least one message")
        if len(messages) > MAX_BATCH:
            raise no_request(
                f"a batch may contain at most {MAX_BATCH} messages, not {len(messages)}"
            )
        answers: list[bytes] = []
        room = MAX_ANSWER
        for message in messages:
            answer = self._one(principal, message, trace, full=room <= 0)
            if answer is not None:
                answers.append(answer)
                room -= len(answer)
        return b"[" + b",".join(answers) + b"]" if answers else None

    def _one(
        self, principal: Principal, message: JsonValue, trace: Trace, *, full: bool = False
    ) -> bytes | None:
        """Process one message; return its response, or None for a notification."""
        try:
            call = request(message)
        except InvalidMessage as error:
            return self._refused(_likely_id(message), error, principal)
        began = time.perf_counter()
        ids, reply = self._reply(principal, call, trace, full=full)
        called = FinishedCall(
            DOOR, _operation_name(call), _outcome(reply), time.perf_counter() - began
        )
        self._service.calls.ended(called)
        _log(called, ids)
        if call.notification:
            return None
        try:
            return _written(reply)
        except ValueError as error:  # the result contains NaN or an infinity
            return _written(_failed(call.id, error, principal))

    def _refused(self, id: Id, error: Exception, principal: Principal) -> bytes:
        """Return the error response to a message that is not a valid call."""
        reply = _failed(id, error, principal)
        self._service.calls.ended(FinishedCall(DOOR, UNKNOWN, _outcome(reply), 0.0))
        return _written(reply)

    def _reply(
        self, principal: Principal, call: JsonRpcRequest, trace: Trace, *, full: bool
    ) -> tuple[Trace, dict[str, JsonValue]]:
        ids = trace
        try:
            if full:
                raise TooLarge(
                    "the previous answers of the batch are too long; send this request separately"
                )
            ids, params = _traced(call, trace)
            require_own(ids, principal)
            with traced(ids.trace_id):
                result = self._result(principal, call.method, params)
            found: dict[str, JsonValue] = {"jsonrpc": "2.0", "result": result, "id": call.id}
        except Exception as error:
            found = _failed(call.id, error, principal)
        if trace_ids := ids.known():
            found[MEMBER] = trace_ids
        return ids, found

    def _result(self, principal: Principal, name: str, params: Params) -> JsonValue:
        if name == DISCOVER:
            return document()
        if name.startswith(RESERVED):
            raise no_method(name)
        chosen = method(name)
        return chosen.call(self._service, principal, chosen.named(params))


def _traced(call: JsonRpcRequest, trace: Trace) -> tuple[Trace, Params]:
    """Return the trace ids of a request, and its params without them."""
    ids = trace.with_more(of_member(call.beside.get(MEMBER)))
    params = call.params
    if not isinstance(params, Mapping):
        return ids, params
    for name in (META, MEMBER):
        ids = ids.with_more(of_member(params.get(name)))
    declared = methods().get(OPERATIONS.canonical(call.method))
    if declared and declared.group and AGENT.name in params:
        ids = ids.with_more(of_member({AGENT.name: params[AGENT.name]}))
        params = {name: item for name, item in params.items() if name != AGENT.name}
    return ids, {name: one for name, one in params.items() if name not in (META, MEMBER)}


def _failed(id: Id, error: Exception, principal: Principal) -> dict[str, JsonValue]:
    return {"jsonrpc": "2.0", "error": faults.error_object(error, principal.role), "id": id}


def _likely_id(message: JsonValue) -> Id:
    """Return the id of an invalid request, so that its sender can match it."""
    try:
        return id_of(message)
    except InvalidMessage:
        return None


def _written(reply: Mapping[str, JsonValue]) -> bytes:
    """Return JSON encoded in UTF-8.

    A lone surrogate, which an id may contain, is written as received.
    """
    try:
        text = json.dumps(reply, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.encode()
    except UnicodeEncodeError:
        return json.dumps(reply, allow_nan=False, separators=(",", ":")).encode()


def _operation_name(call: JsonRpcRequest) -> str:
    """Return the name of the called method if it exists."""
    name = OPERATIONS.canonical(call.method)
    return name if name in methods() or name == DISCOVER else UNKNOWN


def _outcome(reply: Mapping[str, JsonValue]) -> str:
    error = reply.get("error")
    return str(error["data"]["code"]) if isinstance(error, dict) else OK  # type: ignore[index,call-overload]


def _log(called: FinishedCall, ids: Trace) -> None:
    """Log a call: its method if known, its outcome and its ids, but no text."""
    if not logger.isEnabledFor(logging.INFO):
        return
    fields: dict[str, object] = {"method": called.operation, "outcome": called.outcome}
    fields |= {"milliseconds": round(called.seconds * 1_000, 1), **ids.known()}
    logger.info("rpc", extra=fields)

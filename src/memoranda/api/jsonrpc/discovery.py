"""The OpenRPC document that `rpc.discover` returns."""

from __future__ import annotations

import inspect
from functools import cache
from typing import Any

from memoranda import exceptions as errors
from memoranda.api.jsonrpc import faults
from memoranda.api.jsonrpc.methods import Method, public
from memoranda.calls.schema import Schemas
from memoranda.calls.signature import Argument
from memoranda.identity.principal import Role
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
    described = [_method(one, schemas) for one in public()]
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
        described["description"] = argument.about
    if not argument.required and argument.default is not None and "$ref" not in schema:
        schema = schema | {"default": as_json(argument.default)}
    return described | {"schema": schema}


def _errors() -> dict[str, JsonValue]:
    """Return every error with its code, by the ``data.code`` of a response."""
    found: dict[str, JsonValue] = {
        "parse_error": {"code": faults.PARSE_ERROR, "message": "It is not JSON."},
        "invalid_request": {"code": faults.INVALID_REQUEST, "message": "It is not a request."},
        "method_not_found": {"code": faults.METHOD_NOT_FOUND, "message": "No such method."},
        "internal": {"code": faults.INTERNAL_ERROR, "message": "The server failed."},
    }
    for kind in vars(errors).values():
        if inspect.isclass(kind) and issubclass(kind, errors.MemorandaError):
            meaning = (kind.__doc__ or "").partition("\n")[0]
            found[kind.code] = {"code": kind.rpc_code, "message": meaning}
    return found

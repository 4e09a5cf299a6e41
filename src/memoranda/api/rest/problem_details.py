"""Error responses of all HTTP interfaces: problem details (RFC 9457)."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from math import ceil

from starlette.responses import Response

from memoranda.exceptions import MemorandaError, Overloaded, RateLimited, UserError, public_text
from memoranda.json_data import JsonValue, dump_json

MEDIA_TYPE = "application/problem+json"


def problem(
    error: MemorandaError,
    request_id: str,
    *,
    status: int | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Return the response to a request that ended in an error.

    Args:
        status: used instead of the error's own status, where HTTP has a more specific one.
        headers: added to those of the error itself.
    """
    code = status or error.http_status
    body = details(error, code, request_id)
    all_headers = {**_headers(error, code), **(headers or {})}
    return Response(dump_json(body).encode(), code, all_headers, MEDIA_TYPE)


def details(error: MemorandaError, status: int, request_id: str) -> dict[str, JsonValue]:
    """Return an error as members of problem details."""
    fields: dict[str, JsonValue] = {
        "type": f"urn:memoranda:error:{error.code}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "code": error.code,
        "detail": public_text(error, status),
        "request_id": request_id,
    }
    return fields | (error.figures if isinstance(error, UserError) else {})


def _headers(error: MemorandaError, status: int) -> dict[str, str]:
    if isinstance(error, RateLimited | Overloaded):
        return {"Retry-After": str(max(1, ceil(error.retry_after)))}
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        return {"Retry-After": "1"}
    if status == HTTPStatus.UNAUTHORIZED:
        return {"WWW-Authenticate": "Bearer"}
    return {}

"""Errors returned by a server, converted to the exceptions raised there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any

from memoranda.exceptions import (
    Forbidden,
    MemorandaError,
    NotFound,
    Overloaded,
    RateLimited,
    ServerUnavailable,
    SystemFault,
    TooLarge,
    Unauthenticated,
)
from memoranda.json_data import JsonValue
from memoranda.text import clip

FIGURES = ("needed", "limit", "used", "retry_after", "may_pass", "pause", "charged")
"""Attributes that an error may have besides its message."""
MAX_LENGTH = 4_000
"""Maximum number of characters of a message; longer messages are cut."""
_METHOD_NOT_FOUND = -32601
_BY_STATUS: Mapping[int, type[MemorandaError]] = {
    item.http_status: item
    for item in (Forbidden, Overloaded, RateLimited, TooLarge, Unauthenticated)
}


def error_classes() -> Mapping[str, type[MemorandaError]]:
    """Return all error classes by their codes."""
    kinds: list[type[MemorandaError]] = [MemorandaError, *_below(MemorandaError)]
    return {kind.code: kind for kind in kinds}


def _below(kind: type[MemorandaError]) -> Iterator[type[MemorandaError]]:
    for item in kind.__subclasses__():
        yield item
        yield from _below(item)


def of_rpc(fields: Mapping[str, JsonValue]) -> MemorandaError:
    """Return the error that a JSON-RPC error object represents.

    The class is chosen by the code in the object's data. Figures are read from the data or its
    ``detail``.
    """
    data = fields.get("data")
    data = data if isinstance(data, dict) else {}
    detail = data.get("detail")
    figures = {**data, **detail} if isinstance(detail, dict) else data
    message = str(fields.get("message") or "")
    kind = error_classes().get(str(data.get("code")))
    if kind is None and fields.get("code") == _METHOD_NOT_FOUND:
        kind = NotFound
    return make_error(kind or SystemFault, message, figures)


def of_status(status: int, body: JsonValue, where: str) -> MemorandaError:
    """Return the error for an HTTP error status and its problem details."""
    fields = body if isinstance(body, dict) else {}
    kind = error_classes().get(str(fields.get("code"))) or _BY_STATUS.get(status)
    if kind is None:
        phrase = HTTPStatus(status).phrase if status in set(HTTPStatus) else ""
        return ServerUnavailable(
            f"{where} answered {status} {phrase}".rstrip()
            + "; is this the URL of a Memoranda server, without a path?"
        )
    return make_error(kind, str(fields.get("detail") or ""), fields)


def make_error(
    kind: type[MemorandaError], message: str, figures: Mapping[str, JsonValue]
) -> MemorandaError:
    """Return an error of a class, with the attributes that the class supports."""
    error = kind(clip(message, MAX_LENGTH))
    for name in FIGURES:
        value: Any = figures.get(name)
        fits = value is not None and isinstance(value, bool | int | float)
        if fits and hasattr(error, name):
            setattr(error, name, value)
    return error

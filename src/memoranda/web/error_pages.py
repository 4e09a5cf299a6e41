"""Error pages: what failed, its code, and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from math import ceil
from typing import Any

from starlette.responses import HTMLResponse, Response

from memoranda.clock import SystemClock
from memoranda.exceptions import (
    MemorandaError,
    NotFound,
    Overloaded,
    RateLimited,
    Unauthenticated,
    public_text,
)
from memoranda.web.answers import HEADERS
from memoranda.web.forms import TOKEN
from memoranda.web.page_frame import Site
from memoranda.web.page_request import Fields
from memoranda.web.renderer import rendered

MAX_RETURNED = 20_000
"""Maximum number of characters of typed text that an error page returns."""
_TITLES: Mapping[str, str] = {
    "invalid": "Invalid request",
    "not_found": "Not found",
    "conflict": "Changed in the meantime",
    "stale": "Conflict",
    "forbidden": "Not allowed",
    "too_large": "Too large",
    "rate_limited": "Too many requests",
    "overloaded": "Server busy",
}
_TO_DO: Mapping[str, str] = {
    "invalid": "Go back, correct what the message states, and send it again.",
    "not_found": "Check the URL; the record may also have been removed.",
    "conflict": "Reload the page to see the current state.",
    "stale": "Another user changed the record first. Reload the page, review the change, and try"
    " again.",
    "unauthenticated": "Sign in; `memoranda web link` prints a sign-in link.",
    "forbidden": "Ask a user with the required role, or sign in with another key.",
    "too_large": "Send a smaller request, or use the command line.",
    "rate_limited": "Wait a moment, then reload the page.",
    "overloaded": "Wait a moment, then reload the page.",
    "storage_busy": "Another program is writing. Reload the page in a moment.",
    "storage_full": "Free some disk space, then try again.",
}
NOWHERE = "Page not found"
NO_PAGE = "There is no page at this URL; programs need a key or token here."
_ELSE = "Run `memoranda doctor` on the server's machine; it shows how to fix the problem."


def error_page_values(
    error: MemorandaError, request_id: str, *, status: int | None = None, form: Fields | None = None
) -> dict[str, Any]:
    """Return the content of an error page, including the typed text."""
    code = status or error.http_status
    return {
        "status": code,
        "title": _TITLES.get(error.code) or HTTPStatus(code).phrase,
        "code": error.code,
        "detail": public_text(error, code),
        "to_do": _TO_DO.get(error.code, _ELSE),
        "request_id": request_id,
        "kept": [
            (name, value[:MAX_RETURNED])
            for name, values in (form or {}).items()
            if name != TOKEN
            for value in values
            if value.strip()
        ],
    }


def plain_error_page(
    error: MemorandaError,
    request_id: str,
    status: int | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Return the browser page for an error that no other page reports."""
    values = error_page_values(error, request_id, status=status)
    if error.code == Unauthenticated.code:
        values |= {"title": NOWHERE, "detail": NO_PAGE}
    elif error.code == NotFound.code:
        values["title"] = NOWHERE
    page = rendered("trouble.html", values, Site(now=SystemClock().now()))
    return HTMLResponse(page, values["status"], {**HEADERS, **_wait(error), **(headers or {})})


def _wait(error: MemorandaError) -> dict[str, str]:
    if isinstance(error, RateLimited | Overloaded):
        return {"Retry-After": str(max(1, ceil(error.retry_after)))}
    return {}

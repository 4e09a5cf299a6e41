"""Error responses: problem details for programs, a page for browsers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from starlette.responses import Response
from starlette.types import Scope

from memoranda.api.rest.problem import problem
from memoranda.api.server.page_guards import WebPaths, wants_html
from memoranda.api.server.requests import REQUEST_ID
from memoranda.exceptions import MemorandaError

ErrorResponder = Callable[[Scope, MemorandaError, int | None, Mapping[str, str] | None], Response]
"""Makes an error response.

Arguments: the request, the error, a status instead of its own, further headers.
"""


def error_responder(pages: WebPaths | None) -> ErrorResponder:
    """Return the maker of error responses, with or without a web page."""

    def respond(
        scope: Scope,
        error: MemorandaError,
        status: int | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        id = scope["state"][REQUEST_ID]
        if pages is not None and wants_html(scope):
            return pages.respond(error, id, status, headers)
        return problem(error, id, status=status, headers=headers)

    return respond


AS_PROBLEM = error_responder(None)

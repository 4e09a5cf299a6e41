"""Metrics and log lines for every request and call to a server."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memoranda.api.jsonrpc.trace_ids import of_headers
from memoranda.api.rest.router import PREFIX
from memoranda.api.server.base_guard import ADMITTED, REQUEST_ID, values
from memoranda.api.server.load_limits import begins_events
from memoranda.api.server.page_guards import WebPaths
from memoranda.ids import traced
from memoranda.instrumentation import FinishedCall

if TYPE_CHECKING:
    from memoranda.telemetry.opentelemetry import RequestSpans
    from memoranda.telemetry.server_metrics import ServerMetrics

LEFT = 499
"""Status recorded for a request whose caller disconnected before the response."""

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class ObservedRequest:
    """A request in progress, with the data to record."""

    door: str
    began: float
    state: Mapping[str, Any]
    """State in the request's ASGI scope, which the guards set."""
    status: int = LEFT
    calls: int = 0
    streamed: bool = False

    @property
    def refused(self) -> bool:
        """Whether a guard refused the request; unreadiness does not count."""
        not_ready = self.door == "health" and self.status == 503
        return self.status >= 400 and not self.state.get(ADMITTED) and not not_ready


_CURRENT: ContextVar[ObservedRequest | None] = ContextVar("request", default=None)
"""Request that the running code belongs to; also set in its worker threads."""


class RequestObserver:
    """Observer of requests and calls, which counts, logs and traces them.

    Thread-safe. Of the data that a caller sends, only a request id is logged, and only if it is
    well-formed.
    """

    def __init__(
        self, figures: ServerMetrics | None = None, spans: RequestSpans | None = None
    ) -> None:
        self.figures = figures
        self.spans = spans
        self._failed = False

    def ended(self, call: FinishedCall) -> None:
        """Count a completed call and log its outcome."""
        self._count(lambda figures: figures.called(call))
        request = _CURRENT.get()
        if request is not None:
            request.calls += 1
        fields = {"door": call.door, "operation": call.operation, "outcome": call.outcome}
        logger.info("call", extra=fields | _common(request, call.seconds))

    def slow(self, operation: str, seconds: float) -> None:
        """Count and log an operation that took too long."""
        self._count(lambda figures: figures.slow(operation))
        fields = _common(_CURRENT.get(), seconds)
        logger.warning("slow operation", extra={"operation": operation} | fields)

    def request_began(self, request: ObservedRequest) -> None:
        """Count a request in progress."""
        self._count(lambda figures: figures.began())

    def became_stream(self, request: ObservedRequest) -> None:
        """Count a request as a stream of events."""
        request.streamed = True
        self._count(lambda figures: figures.became_stream())

    def request_ended(self, request: ObservedRequest) -> None:
        """Count a request; log it unless one of its calls is already logged."""
        refused = request.refused
        seconds = time.perf_counter() - request.began
        door, status, streamed = request.door, request.status, request.streamed
        self._count(lambda figures: figures.ended(door, status, seconds, streamed=streamed))
        if refused:
            self._count(lambda figures: figures.refused(status))
        if not request.calls or request.status >= 500:
            event = "refused" if refused else "request"
            fields = {"door": request.door, "status": request.status}
            logger.info(event, extra=fields | _common(request, seconds))

    def _count(self, record: Callable[[ServerMetrics], None]) -> None:
        """Update metrics; an error here does not affect the request."""
        if self.figures is None:
            return
        try:
            record(self.figures)
        except Exception as error:
            if not self._failed:
                self._failed = True
                logger.warning("counting fails", extra={"error": type(error).__name__})


def _common(request: ObservedRequest | None, seconds: float) -> dict[str, object]:
    fields: dict[str, object] = {"milliseconds": round(seconds * 1_000, 1)}
    return fields | (
        {"request_id": request.state.get(REQUEST_ID, "")} if request is not None else {}
    )


class AccessLogMiddleware:
    """Outermost middleware, so that every request is observed."""

    def __init__(
        self, app: ASGIApp, watching: RequestObserver, pages: WebPaths | None = None
    ) -> None:
        self._app = app
        self._watching = watching
        self._pages = pages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward a request and observe the response."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        web = self._pages is not None and self._pages.cover(scope)
        door = "web" if web else _door(scope["path"])
        request = ObservedRequest(door, time.perf_counter(), scope.setdefault("state", {}))
        answer = _ObservedResponse(self._watching, request, send)
        token = _CURRENT.set(request)
        self._watching.request_began(request)
        try:
            await self._answered(scope, receive, answer)
        finally:
            _CURRENT.reset(token)
            self._watching.request_ended(request)

    async def _answered(self, scope: Scope, receive: Receive, answer: _ObservedResponse) -> None:
        spans = self._watching.spans
        id = of_headers(Headers(scope=scope)).trace_id
        if spans is None:
            with traced(id):
                await self._app(scope, receive, answer.send)
            return
        request = answer.request
        carried = {name: values(scope, name.encode()) for name in spans.CARRIED}
        with spans.request(request.door, scope["method"], carried) as span:
            with traced(id or spans.trace_id(span)):
                await self._app(scope, receive, answer.send)
            spans.answered(span, request.status)


class _ObservedResponse:
    """Response to a request while it is being sent."""

    def __init__(self, watching: RequestObserver, request: ObservedRequest, send: Send) -> None:
        self.request = request
        self._watching = watching
        self._send = send

    async def send(self, message: Message) -> None:
        """Record the start of a response, and forward it."""
        if message["type"] == "http.response.start":
            self.request.status = message["status"]
            if begins_events(message):
                self._watching.became_stream(self.request)
        await self._send(message)


def _door(path: str) -> str:
    """Return the interface for a path.

    The path itself is not returned, as it may contain names and texts.
    """
    if path.startswith(f"{PREFIX}/"):
        return "rest"
    return _BY_PATH.get(path, "none")


_BY_PATH: Mapping[str, str] = {
    "/rpc": "rpc",
    "/mcp": "mcp",
    "/metrics": "metrics",
    "/healthz": "health",
    "/readyz": "health",
}

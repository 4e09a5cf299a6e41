"""OpenTelemetry spans of operations and of server requests.

The program that installs the SDK configures where the spans are exported.

Names follow the semantic conventions for generative AI, which define operations that search,
create, update and delete memories. Attributes for content are never set.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import Token
from typing import Any

from opentelemetry import context, trace
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, TracerProvider
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from memoranda.instrumentation import OK
from memoranda.telemetry.spans import FinishedSpan
from memoranda.version import __version__

CONVENTIONAL = {
    "capture": "create_memory",
    "remember": "create_memory",
    "create_block": "create_memory",
    "profile_add": "create_memory",
    "record_error": "create_memory",
    "edit": "update_memory",
    "archive": "update_memory",
    "supersede": "update_memory",
    "edit_block": "update_memory",
    "profile_edit": "update_memory",
    "profile_merge": "update_memory",
    "resolve_error": "update_memory",
    "delete_block": "delete_memory",
    "profile_remove": "delete_memory",
    "forget": "delete_memory",
    "search": "search_memory",
    "relevant": "search_memory",
    "context": "search_memory",
    "strategic_context": "search_memory",
    "ask_model": "chat",
}
"""Operation names in the conventions; other operations keep their own names."""

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
"""HTTP methods that are recorded.

Any other method is recorded as ``_OTHER``, since a caller may send any text.
"""
ATTRIBUTES = {
    "records": "gen_ai.memory.record.count",
    "input_tokens": "gen_ai.usage.input_tokens",
    "output_tokens": "gen_ai.usage.output_tokens",
}
"""Names of the attributes for figures in the conventions."""


class OpenTelemetryExporter:
    """Creates a span for each operation, as a child of the current span."""

    def __init__(self, provider: TracerProvider | None = None) -> None:
        """Create the exporter.

        Without a provider, the provider of the process is used, which may also be set later.
        """
        self._tracer = trace.get_tracer("memoranda", __version__, provider)

    def begin(self, operation: str, backend: str) -> tuple[Span, Token[Any]]:
        """Start a span and make it the current one."""
        conventional = CONVENTIONAL.get(operation)
        attributes = {"memoranda.operation": operation, "memoranda.backend": backend}
        if conventional:
            attributes["gen_ai.operation.name"] = conventional
        kind = SpanKind.INTERNAL
        if operation == "ask_model":
            kind = SpanKind.CLIENT
            attributes["gen_ai.provider.name"] = backend
        span = self._tracer.start_span(conventional or operation, kind=kind, attributes=attributes)
        return span, context.attach(trace.set_span_in_context(span))

    def end(self, begun: tuple[Span, Token[Any]], ended: FinishedSpan) -> None:
        """End the span.

        For an error, only the code is recorded, since the message may contain text of a memory.
        """
        span, token = begun
        try:
            for figure, amount in ended.figures.items():
                span.set_attribute(ATTRIBUTES.get(figure, f"memoranda.{figure}"), amount)
            if ended.outcome != OK:
                span.set_attribute("error.type", ended.outcome)
                span.set_status(Status(StatusCode.ERROR))
            span.end()
        finally:
            context.detach(token)


class RequestSpans:
    """Creates a span for each request to a server.

    The span belongs to the trace of the caller if there is one.
    """

    CARRIED = ("traceparent", "tracestate")
    """Headers that carry a trace (W3C Trace Context)."""

    def __init__(self, provider: TracerProvider | None = None) -> None:
        """Create the factory of spans.

        Without a provider, the provider of the process is used, which may also be set later.
        """
        self._tracer = trace.get_tracer("memoranda", __version__, provider)
        self._propagator = TraceContextTextMapPropagator()

    @contextmanager
    def request(
        self, door: str, method: str, carried: Mapping[str, Sequence[str]]
    ) -> Iterator[Span]:
        """Open the span of a request; operations inside become its children.

        Args:
            carried: the values of each header of `CARRIED`; a repeated ``traceparent`` is ignored.
        """
        method_name = method if method in METHODS else "_OTHER"
        carrier = {name: ",".join(found) for name, found in carried.items() if found}
        with self._tracer.start_as_current_span(
            f"{method_name} {door}",
            self._propagator.extract(carrier),
            SpanKind.SERVER,
            {"http.request.method": method_name, "memoranda.door": door},
            record_exception=False,  # the message of the exception may contain text from a memory
            set_status_on_exception=False,
        ) as span:
            yield span

    def trace_id(self, span: Span) -> str | None:
        """Return the trace id of a request's span; None without an SDK."""
        found = span.get_span_context()
        return trace.format_trace_id(found.trace_id) if found.is_valid else None

    def answered(self, span: Span, status: int) -> None:
        """Record the response status of a request."""
        span.set_attribute("http.response.status_code", status)
        if status >= 500:
            span.set_attribute("error.type", str(status))
            span.set_status(Status(StatusCode.ERROR))

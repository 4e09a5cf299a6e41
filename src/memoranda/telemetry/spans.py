"""Spans: duration, outcome and metrics of an operation.

An exporter receives only names of operations and backends, codes of errors, and numbers.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Protocol, Unpack, cast

from memoranda.exceptions import MemorandaError
from memoranda.instrumentation import OK
from memoranda.ports import Figures

logger = logging.getLogger(__name__)

OTHER = "error"
"""Outcome of an error that is not one of Memoranda's errors."""


@dataclass(frozen=True, slots=True)
class FinishedSpan:
    """A finished operation."""

    operation: str
    backend: str
    outcome: str
    """``ok``, or the code of the error with which the operation ended."""
    seconds: float
    figures: Mapping[str, float]


class Exporter(Protocol):
    """Exports spans to a monitoring system. Thread-safe.

    Any error that an exporter raises is logged once, and the operation continues.
    """

    def begin(self, operation: str, backend: str) -> Any:
        """Start an operation; the returned value is passed to `end`."""
        ...

    def end(self, begun: Any, ended: FinishedSpan) -> None:
        """End an operation in the thread in which it began."""
        ...


class ExportedSpans:
    """Telemetry that passes spans to exporters and isolates their errors."""

    def __init__(self, exporters: Sequence[Exporter], backend: str) -> None:
        """Create the telemetry.

        ``backend`` is the default backend of operations.
        """
        self._exporters = exporters
        self._backend = backend
        self._failed: set[Exporter] = set()

    def span(self, operation: str, backend: str = "") -> _MeasuredSpan:
        """Return a context manager that measures an operation."""
        return _MeasuredSpan(self, operation, backend or self._backend)

    def begin(self, operation: str, backend: str) -> list[tuple[Exporter, Any]]:
        """Begin an operation in every exporter; return those that succeeded."""
        begun: list[tuple[Exporter, Any]] = []
        for exporter in self._exporters:
            try:
                begun.append((exporter, exporter.begin(operation, backend)))
            except Exception as error:
                self._report_failure(exporter, error)
        return begun

    def end(self, begun: Sequence[tuple[Exporter, Any]], ended: FinishedSpan) -> None:
        """End an operation in those exporters, in reverse order."""
        for exporter, span in reversed(begun):
            try:
                exporter.end(span, ended)
            except Exception as error:
                self._report_failure(exporter, error)

    def _report_failure(self, exporter: Exporter, error: Exception) -> None:
        if exporter not in self._failed:
            self._failed.add(exporter)
            trouble = {"exporter": type(exporter).__name__, "error": type(error).__name__}
            logger.warning("telemetry failed; the operation continues", extra=trouble)


class _MeasuredSpan:
    """One operation in progress."""

    __slots__ = ("_backend", "_began", "_begun", "_figures", "_operation", "_spans")

    def __init__(self, spans: ExportedSpans, operation: str, backend: str) -> None:
        self._spans = spans
        self._operation = operation
        self._backend = backend
        self._figures: dict[str, float] = {}

    def add_figures(self, **figures: Unpack[Figures]) -> None:
        self._figures.update(cast(dict[str, float], figures))

    def __enter__(self) -> _MeasuredSpan:
        self._begun = self._spans.begin(self._operation, self._backend)
        self._began = time.perf_counter()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        seconds = time.perf_counter() - self._began
        ended = FinishedSpan(
            self._operation, self._backend, _outcome(error), seconds, self._figures
        )
        self._spans.end(self._begun, ended)


def _outcome(error: BaseException | None) -> str:
    if error is None:
        return OK
    return error.code if isinstance(error, MemorandaError) else OTHER

"""Spans: how long an operation took, how it ended, and the figures it told of itself.

Names of operations and backends, codes of errors and numbers are all that an exporter is given.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Protocol, Unpack, cast

from memoranda.exceptions import MemorandaError
from memoranda.measurement import OK
from memoranda.ports import Figures

logger = logging.getLogger(__name__)

OTHER = "error"
"""The outcome of what ended with an error that is none of Memoranda's."""


@dataclass(frozen=True, slots=True)
class FinishedSpan:
    """An operation that is over."""

    operation: str
    backend: str
    outcome: str
    """``ok``, or the code of the error that ended it."""
    seconds: float
    figures: Mapping[str, float]


class Exporter(Protocol):
    """Takes spans to where somebody looks at them. Safe to share by threads.

    Whatever it raises is logged once, and the operation goes on.
    """

    def begin(self, operation: str, backend: str) -> Any:
        """Learn that an operation begins; what is returned comes back with its end."""
        ...

    def end(self, begun: Any, ended: FinishedSpan) -> None:
        """Learn how it ended, in the thread in which it began."""
        ...


class ExportedSpans:
    """Telemetry that is told to exporters, each kept from doing harm."""

    def __init__(self, exporters: Sequence[Exporter], backend: str) -> None:
        """``backend`` is that of every operation which names no other."""
        self._exporters = exporters
        self._backend = backend
        self._failed: set[Exporter] = set()

    def span(self, operation: str, backend: str = "") -> _MeasuredSpan:
        """Return what measures an operation from entering to leaving it."""
        return _MeasuredSpan(self, operation, backend or self._backend)

    def begin(self, operation: str, backend: str) -> list[tuple[Exporter, Any]]:
        """Tell every exporter; return those that took it in, each with what it gave."""
        begun: list[tuple[Exporter, Any]] = []
        for exporter in self._exporters:
            try:
                begun.append((exporter, exporter.begin(operation, backend)))
            except Exception as error:
                self._tell_failure(exporter, error)
        return begun

    def end(self, begun: Sequence[tuple[Exporter, Any]], ended: FinishedSpan) -> None:
        """Tell those exporters, the last one first."""
        for exporter, given in reversed(begun):
            try:
                exporter.end(given, ended)
            except Exception as error:
                self._tell_failure(exporter, error)

    def _tell_failure(self, exporter: Exporter, error: Exception) -> None:
        if exporter not in self._failed:
            self._failed.add(exporter)
            trouble = {"exporter": type(exporter).__name__, "error": type(error).__name__}
            logger.warning("telemetry fails, the operation goes on", extra=trouble)


class _MeasuredSpan:
    """One operation under way."""

    __slots__ = ("_backend", "_began", "_begun", "_figures", "_operation", "_spans")

    def __init__(self, spans: ExportedSpans, operation: str, backend: str) -> None:
        self._spans = spans
        self._operation = operation
        self._backend = backend
        self._figures: dict[str, float] = {}

    def tell(self, **figures: Unpack[Figures]) -> None:
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

"""Prometheus metrics of this process, in its text format."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest

from memoranda.telemetry.spans import FinishedSpan

LABELS = ("operation", "backend", "outcome")
STEPS = 20
"""Number of histogram buckets per decade.

Each bucket is 12 % wider than the previous one, so the error of a quantile is a few percent.
"""
SECONDS = tuple(float(f"{10 ** (step / STEPS):.4g}") for step in range(-4 * STEPS, 2 * STEPS + 1))
"""Upper bounds of the buckets in seconds, from 0.1 ms to 100 s."""
SHARES = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.97, 0.99, 1.0)

COUNTERS = {
    "records": ("memoranda_records", "Records stored, found, changed or removed."),
    "source_tokens": ("memoranda_compression_source_tokens", "Tokens that were compressed."),
    "result_tokens": ("memoranda_compression_result_tokens", "Tokens of compression results."),
    "input_tokens": ("memoranda_model_input_tokens", "Input tokens of language models."),
    "output_tokens": ("memoranda_model_output_tokens", "Output tokens of language models."),
    "dollars": ("memoranda_model_cost_dollars", "Recorded cost of language models, in US dollars."),
}
"""Counter for the total of each figure; its name ends with ``_total``."""


class PrometheusExporter:
    """Prometheus metrics in a registry without other libraries' metrics."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._seconds = self._histogram(
            "memoranda_operation_seconds", "Duration of operations.", SECONDS
        )
        self._retention = self._histogram(
            "memoranda_compression_retention_ratio",
            "Fraction of the facts that was preserved.",
            SHARES,
        )
        self._counters = {
            figure: Counter(name, help_text, LABELS, registry=self._registry)
            for figure, (name, help_text) in COUNTERS.items()
        }

    def begin(self, operation: str, backend: str) -> None:
        """Do nothing, since only completed operations are counted."""

    def end(self, begun: None, ended: FinishedSpan) -> None:
        """Count an operation and its figures."""
        labels = (ended.operation, ended.backend, ended.outcome)
        self._seconds.labels(*labels).observe(ended.seconds)
        for figure, amount in ended.figures.items():
            if figure == "retention":
                self._retention.labels(*labels).observe(amount)
            else:
                self._counters[figure].labels(*labels).inc(amount)

    def text(self) -> str:
        """Return all metrics in Prometheus's text format."""
        return generate_latest(self._registry).decode()

    def _histogram(self, name: str, help_text: str, buckets: tuple[float, ...]) -> Histogram:
        return Histogram(name, help_text, LABELS, buckets=buckets, registry=self._registry)


PROCESS = PrometheusExporter()
"""Exporter shared by all memories of this process.

It is shared because Prometheus scrapes a process as one unit.
"""

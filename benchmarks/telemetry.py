"""Measure the cost of telemetry and the error of histogram quantiles."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from measuring.report import Report, parser, progress, quantile
from memoranda.config import load_settings
from memoranda.instrumentation import UNMEASURED
from memoranda.memory import Memoranda
from memoranda.ports import Telemetry
from memoranda.telemetry.opentelemetry import OpenTelemetryExporter
from memoranda.telemetry.prometheus import PrometheusExporter
from memoranda.telemetry.spans import ExportedSpans

MICROSECOND = 1e-6
ROUNDS, SPANS = 20, 2_000
OFF = 0.10
"""Maximum error of a quantile."""


def cost(telemetry: Telemetry) -> float:
    """Return the processor seconds of a span in the fastest round."""
    rounds = []
    for _ in range(ROUNDS):
        began = time.process_time()
        for _ in range(SPANS):
            with telemetry.span("capture") as span:
                span.tell(records=1)
        rounds.append(time.process_time() - began)
    return min(rounds) / SPANS


def timed(count: int, call: Callable[[int], object], name: str) -> list[float]:
    """Return the seconds of each call."""
    took = []
    for number in range(count):
        began = time.perf_counter()
        call(number)
        took.append(time.perf_counter() - began)
        if number % 100 == 0:
            progress(f"{name} {number}")
    return took


def buckets(text: str, operation: str) -> list[tuple[float, float]]:
    """Return the upper bounds of the buckets, and the cumulative counts."""
    return [
        (float(sample.labels["le"]), sample.value)
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name == "memoranda_operation_seconds_bucket"
        and (sample.labels["operation"], sample.labels["outcome"]) == (operation, "ok")
    ]


def read_off(found: list[tuple[float, float]], share: float) -> float:
    """Return a quantile as Prometheus computes it: linear within a bucket."""
    rank, lower, below = share * found[-1][1], 0.0, 0.0
    for bound, count in found:
        if count >= rank:
            return lower + (bound - lower) * (rank - below) / (count - below)
        lower, below = bound, count
    raise ValueError("no calls were counted")


def compare(report: Report, took: list[float], text: str, operation: str) -> None:
    """Compare measured quantiles with those of the histogram."""
    found = buckets(text, operation)
    report.claim(f"{operation}: as many as were made", found[-1][1] == len(took))
    for share in (0.5, 0.95, 0.99):
        measured, result = quantile(took, share), read_off(found, share)
        name = f"{operation} p{share * 100:g}"
        report.add("quantiles", f"{name}, measured", measured * 1e3, "ms")
        report.add("quantiles", f"{name}, of the histogram", result * 1e3, "ms")
        report.claim(f"{name} within {OFF:.0%}", abs(result / measured - 1) <= OFF)


def main() -> int:
    """Measure spans alone, then within a memory."""
    options = parser(__doc__)
    options.add_argument("--calls", type=int, default=1_000)
    chosen = options.parse_args()
    report = Report("telemetry", vars(chosen))
    kinds: dict[str, Telemetry] = {
        "none": UNMEASURED,
        "prometheus": ExportedSpans([PrometheusExporter()], "sqlite"),
        "opentelemetry, no SDK": ExportedSpans([OpenTelemetryExporter()], "sqlite"),
    }
    costs = {name: cost(telemetry) for name, telemetry in kinds.items()}
    for name, seconds in costs.items():
        report.add("a span", name, seconds / MICROSECOND, "µs CPU")
    report.claim("no telemetry costs less than 1 µs", costs["none"] < MICROSECOND)
    with tempfile.TemporaryDirectory() as folder:
        arguments = {"data_dir": Path(folder), "telemetry": "prometheus", "embedder": "none"}
        with Memoranda.open(settings=load_settings(arguments, {})) as memory:
            memory._services.background.stop()
            wrote = timed(chosen.calls, lambda n: memory.remember(f"price {n} is net"), "remember")
            found = timed(chosen.calls, lambda n: memory.search(f"price {n}"), "search")
            text = memory.metrics()
    compare(report, wrote, text, "remember")
    compare(report, found, text, "search")
    return report.finish(as_json=chosen.json)


if __name__ == "__main__":
    sys.exit(main())

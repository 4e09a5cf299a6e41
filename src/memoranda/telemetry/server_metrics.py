"""Prometheus metrics of a server: calls, requests, refusals, backlog.

If there are several processes, each writes its metrics to files in a shared directory, and the
process that is scraped adds up the values.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from memoranda.instrumentation import FinishedCall
from memoranda.telemetry.prometheus import PROCESS
from memoranda.version import __version__

SHARED = "PROMETHEUS_MULTIPROC_DIR"
"""Environment variable for the multiprocess mode of the Prometheus library."""


@contextmanager
def shared_figures(below: Path) -> Iterator[None]:
    """Provide a metrics directory for the processes that are started within.

    The directory is empty at first and removed afterwards; directories left by killed servers are
    also removed. The variable is set before a process loads the library, which reads the variable
    only then.
    """
    for folder in below.glob("*/"):
        if folder.name.isdecimal() and not lives(int(folder.name)):
            shutil.rmtree(folder, ignore_errors=True)
    own = below / str(os.getpid())
    shutil.rmtree(own, ignore_errors=True)
    own.mkdir(mode=0o700, parents=True)
    before = os.environ.get(SHARED)
    os.environ[SHARED] = str(own)
    try:
        yield
    finally:
        if before is None:
            del os.environ[SHARED]
        else:
            os.environ[SHARED] = before
        shutil.rmtree(own, ignore_errors=True)


def lives(process: int) -> bool:
    """Return whether a process with this id exists."""
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class ServerMetrics:
    """Metrics of one server process. Thread-safe."""

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        self._calls = Counter(
            "memoranda_calls",
            "Calls to an interface, by operation and result.",
            ("door", "operation", "outcome"),
            registry=registry,
        )
        self._call_seconds = Histogram(
            "memoranda_call_seconds",
            "Duration of calls.",
            ("door", "operation"),
            buckets=SECONDS,
            registry=registry,
        )
        self._slow = Counter(
            "memoranda_slow_operations",
            "Operations slower than the configured limit.",
            ("operation",),
            registry=registry,
        )
        self._requests = Counter(
            "memoranda_http_requests",
            "Requests that were answered.",
            ("door", "status"),
            registry=registry,
        )
        self._request_seconds = Histogram(
            "memoranda_http_request_seconds",
            "Duration of requests until the last byte, without event streams.",
            ("door",),
            buckets=SECONDS,
            registry=registry,
        )
        self._refused = Counter(
            "memoranda_refused_requests",
            "Requests that the guards refused.",
            ("status",),
            registry=registry,
        )
        self._under_way = _living("memoranda_requests_in_flight", "Requests under way.", registry)
        self._streams = _living("memoranda_event_streams", "Open streams of events.", registry)

    def called(self, call: FinishedCall) -> None:
        """Count a call."""
        self._calls.labels(call.door, call.operation, call.outcome).inc()
        self._call_seconds.labels(call.door, call.operation).observe(call.seconds)

    def slow(self, operation: str) -> None:
        """Count a slow operation."""
        self._slow.labels(operation).inc()

    def began(self) -> None:
        """Count the start of a request."""
        self._under_way.inc()

    def became_stream(self) -> None:
        """Count a request that became an event stream."""
        self._under_way.dec()
        self._streams.inc()

    def ended(self, door: str, status: int, seconds: float, *, streamed: bool) -> None:
        """Count a completed request."""
        self._requests.labels(door, str(status)).inc()
        if streamed:
            self._streams.dec()
            return
        self._under_way.dec()
        self._request_seconds.labels(door).observe(seconds)

    def refused(self, status: int) -> None:
        """Count a request that a guard refused."""
        self._refused.labels(str(status)).inc()

    def text(self, waiting: Mapping[str, float]) -> str:
        """Return all metrics in Prometheus's text format, of all processes.

        Args:
            waiting: current values, with the names in `LOOKED_UP`.
        """
        registry = CollectorRegistry()
        registry.register(_CurrentFigures(waiting))
        now = generate_latest(registry).decode()
        if folder := os.environ.get(SHARED):
            return now + _of_all(Path(folder))
        return now + generate_latest(self._registry).decode() + PROCESS.text()


def _living(name: str, help_text: str, registry: CollectorRegistry) -> Gauge:
    """Return a gauge whose value no longer counts when its process ends."""
    return Gauge(name, help_text, registry=registry, multiprocess_mode="livesum")


LOOKED_UP = {
    "jobs_waiting": ("memoranda_jobs_waiting", "Background jobs pending or running."),
    "jobs_failed": ("memoranda_jobs_failed", "Background jobs that failed permanently."),
    "spool_files": ("memoranda_spool_files", "Spool files of hooks that are not stored yet."),
    "spool_bytes": ("memoranda_spool_bytes", "Bytes of them."),
    "store_up": ("memoranda_store_up", "Whether the store answers: 1 or 0."),
    "store_bytes": ("memoranda_store_bytes", "Bytes that the store uses on disk."),
    "teams": ("memoranda_teams", "Teams that the server keeps up to date."),
}
"""Values that are read at scrape time, each with the name of its metric."""


class _CurrentFigures(Collector):
    """Current figures, and the version that reports them."""

    def __init__(self, found: Mapping[str, float]) -> None:
        self._found = found

    def collect(self) -> Iterator[GaugeMetricFamily]:
        build = GaugeMetricFamily("memoranda_build_info", "The version.", labels=["version"])
        build.add_metric([__version__], 1)
        yield build
        for name, value in self._found.items():
            metric, help_text = LOOKED_UP[name]
            yield GaugeMetricFamily(metric, help_text, value)


def _of_all(folder: Path) -> str:
    """Return the summed metrics of all processes in the text format.

    Requests in progress are not counted for processes that have ended.
    """
    for file in folder.glob("gauge_live*_*.db"):
        process = int(file.stem.rpartition("_")[2])
        if not lives(process):
            file.unlink(missing_ok=True)  # another process may have removed the folder
    registry = CollectorRegistry()
    MultiProcessCollector(registry, str(folder))  # type: ignore[no-untyped-call]
    return generate_latest(registry).decode()

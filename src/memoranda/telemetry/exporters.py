"""Creates the configured telemetry; loads its packages only if needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoranda.config import Settings
from memoranda.exceptions import InvalidInput, NotFound
from memoranda.instrumentation import UNMEASURED

if TYPE_CHECKING:
    from memoranda.ports import Telemetry
    from memoranda.telemetry.spans import Exporter


def telemetry(settings: Settings, backend: str) -> Telemetry:
    """Return the configured telemetry for operations on a backend.

    Raises:
        InvalidInput: a required package is not installed.
    """
    if settings.telemetry == "none":
        return UNMEASURED
    from memoranda.telemetry.spans import ExportedSpans

    return ExportedSpans([_exporter(name) for name in settings.telemetry.split(",")], backend)


def metrics(settings: Settings) -> str:
    """Return the metrics of this process in Prometheus's text format.

    Raises:
        NotFound: the settings do not enable Prometheus.
    """
    if "prometheus" not in settings.telemetry.split(","):
        raise NotFound("no metrics are recorded; set telemetry = prometheus")
    from memoranda.telemetry.prometheus import PROCESS

    return PROCESS.text()


def _exporter(name: str) -> Exporter:
    try:
        if name == "prometheus":
            from memoranda.telemetry.prometheus import PROCESS

            return PROCESS
        from memoranda.telemetry.opentelemetry import OpenTelemetryExporter

        return OpenTelemetryExporter()
    except ModuleNotFoundError as error:
        raise InvalidInput(
            f"telemetry = {name!r} needs its package: pip install 'memoranda[{name}]'"
        ) from error

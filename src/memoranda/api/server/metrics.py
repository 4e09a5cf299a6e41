"""Prometheus metrics of a server.

Metrics are recorded by default and returned only to operators of the server.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from memoranda.api.rest.operation_endpoint import answered
from memoranda.api.server.access_log import RequestObserver
from memoranda.api.server.spool_thread import known_teams, spool_of
from memoranda.api.service import Service
from memoranda.capture.spool import Spool
from memoranda.config import Settings
from memoranda.exceptions import Forbidden, MemorandaError
from memoranda.identity.principal import Principal, Role
from memoranda.jobs import table as jobs
from memoranda.jobs.model import JobState
from memoranda.store.engine_selection import size
from memoranda.telemetry.exporters import telemetry

if TYPE_CHECKING:
    from memoranda.telemetry.server_metrics import ServerMetrics

PATH = "/metrics"
FORM = "text/plain; version=0.0.4; charset=utf-8"
PACKAGE = "prometheus_client"
WAITING = (JobState.PENDING, JobState.RUNNING)


def server_settings(settings: Settings) -> Settings:
    """Return a server's settings, with metrics on unless they are set."""
    if settings.origins.get("telemetry") != "default" or find_spec(PACKAGE) is None:
        return settings
    return replace(settings, telemetry="prometheus")


def request_observer(settings: Settings) -> RequestObserver:
    """Return the observer of requests and calls that the settings require.

    Raises:
        InvalidInput: a package that the settings require is not installed.
    """
    telemetry(settings, "")  # raises InvalidInput
    figures = spans = None
    if "prometheus" in settings.telemetry:
        from memoranda.telemetry.server_metrics import ServerMetrics

        figures = ServerMetrics()
    if "opentelemetry" in settings.telemetry:
        from memoranda.telemetry.opentelemetry import RequestSpans

        spans = RequestSpans()
    return RequestObserver(figures, spans)


def http_route(service: Service, figures: ServerMetrics) -> Route:
    """Return the route that Prometheus scrapes, with a key of the role admin."""

    async def exposition(request: Request) -> Response:
        def work() -> Response:
            _require_operator(request.state.principal, service)
            return Response(figures.text(waiting(service)), media_type=FORM)

        return await answered(request, work)

    result = Route(PATH, exposition)
    result.methods = {"GET"}  # HEAD would collect everything as well
    return result


def _require_operator(principal: Principal, service: Service) -> None:
    """Refuse all callers except operators of the server.

    The metrics cover all teams of the server.
    """
    if principal.role is not Role.ADMIN or principal.team != service.settings.team:
        raise Forbidden("only admins of the server's team may read its metrics")


def waiting(service: Service) -> dict[str, int]:
    """Return the sizes of the queues of all teams, by metric name.

    If the store does not respond, only that is reported; the other metrics are reported
    nevertheless.
    """
    teams = known_teams(service)
    spools = [Spool(spool_of(service, team)).state() for team in teams]
    found = {
        "spool_files": sum(spool.files for spool in spools),
        "spool_bytes": sum(state.bytes for state in spools),
        "teams": len(teams),
    }
    try:
        return found | _stored(service, teams) | {"store_up": 1}
    except MemorandaError:
        return found | {"store_up": 0}


def _stored(service: Service, teams: Sequence[str]) -> dict[str, int]:
    states: Counter[str] = Counter()
    for team in teams:
        states.update(_jobs(service, team))
    return {
        "jobs_waiting": sum(states[state] for state in WAITING),
        "jobs_failed": states[JobState.FAILED],
        "store_bytes": size(service.settings, service.home.engine),
    }


def _jobs(service: Service, team: str) -> dict[str, int]:
    return service.home.database.of(team).read(lambda tx: jobs.counts(tx, team))

"""Measurement of methods, store writes, jobs and server calls.

By default nothing is measured.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeVar, Unpack

from memoranda.exceptions import MemorandaError

if TYPE_CHECKING:
    from memoranda.jobs.model import Job
    from memoranda.ports import Calls, Figures, Telemetry
    from memoranda.store.database import Database, Transaction

UNKNOWN = "unknown"
"""Replacement for an unknown operation name, which is not recorded."""


@dataclass(frozen=True, slots=True)
class FinishedCall:
    """A finished call, described only by names of this program and numbers.

    It contains nothing that a caller wrote.
    """

    door: str
    """``rest``, ``rpc`` or ``mcp``."""
    operation: str
    """Name of the operation in the interface.

    ``unknown`` if there is no operation with that name.
    """
    outcome: str
    """``ok``, or the code of the error with which the call ended."""
    seconds: float


P = ParamSpec("P")
T = TypeVar("T")


class _NoSpan:
    """Span that is not reported."""

    def add_figures(self, **figures: Unpack[Figures]) -> None:
        """Do nothing."""

    def __enter__(self) -> _NoSpan:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        pass


_SILENCE = _NoSpan()


class NoTelemetry:
    """Telemetry that reports nothing."""

    def span(self, operation: str, backend: str = "") -> AbstractContextManager[_NoSpan]:
        """Return a span that does nothing."""
        return _SILENCE


UNMEASURED = NoTelemetry()


class Measurable(Protocol):
    """Object whose methods can be measured."""

    @property
    def _telemetry(self) -> Telemetry: ...


S = TypeVar("S", bound=Measurable)


def count_one(result: object) -> Figures:
    """Return the figures for an operation that concerns one record."""
    return {"records": 1}


def measured(
    operation: str, figures: Callable[[Any], Figures]
) -> Callable[[Callable[Concatenate[S, P], T]], Callable[Concatenate[S, P], T]]:
    """Measure every call of a method, with ``figures`` about its result."""

    def decorate(method: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
        @wraps(method)
        def call(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
            telemetry = self._telemetry
            if telemetry is UNMEASURED:
                return method(self, *args, **kwargs)
            with telemetry.span(operation) as span:
                result = method(self, *args, **kwargs)
                span.add_figures(**figures(result))
                return result

        return call

    return decorate


def measured_database(database: Database, telemetry: Telemetry) -> Database:
    """Return a database whose writes are measured.

    Without telemetry, the database is returned unchanged.
    """
    return database if telemetry is UNMEASURED else MeasuredDatabase(database, telemetry)


class MeasuredDatabase:
    """Database that measures each write until it is durable."""

    def __init__(self, database: Database, telemetry: Telemetry) -> None:
        self.dialect = database.dialect
        self._database = database
        self._telemetry = telemetry

    def of(self, team: str) -> Database:
        """Return the same database, used for another team."""
        return MeasuredDatabase(self._database.of(team), self._telemetry)

    def read(self, work: Callable[[Transaction], T]) -> T:
        """Run a function on one consistent snapshot."""
        return self._database.read(work)

    def write(self, work: Callable[[Transaction], T]) -> T:
        """Run a function atomically; return when its changes are durable."""
        with self._telemetry.span("write", self.dialect):
            return self._database.write(work)

    def reclaim(self) -> str | None:
        """Release the space of deleted rows; return what may still contain data."""
        return self._database.reclaim()

    def close(self) -> None:
        """Close the database. Idempotent."""
        self._database.close()


def measured_jobs(
    handlers: Mapping[str, Callable[[Job], None]], telemetry: Telemetry
) -> Mapping[str, Callable[[Job], None]]:
    """Return the same job handlers, each measured by job kind."""
    if telemetry is UNMEASURED:
        return handlers
    return {kind: _measured_job(kind, work, telemetry) for kind, work in handlers.items()}


def _measured_job(
    kind: str, work: Callable[[Job], None], telemetry: Telemetry
) -> Callable[[Job], None]:
    def do(job: Job) -> None:
        with telemetry.span(f"job_{kind}"):
            work(job)

    return do


OK = "ok"
"""Outcome of a successful call."""
INTERNAL = "internal"
"""Outcome of a call that ended with an unexpected error.

Such an error is not a `MemorandaError`.
"""


class NoCalls:
    """Observer of calls that does nothing."""

    def ended(self, call: FinishedCall) -> None:
        """Do nothing."""

    def slow(self, operation: str, seconds: float) -> None:
        """Do nothing."""


UNHEARD = NoCalls()


@contextmanager
def recording_calls(calls: Calls, door: str, operation: str) -> Iterator[None]:
    """Report a call and its outcome to the observers of a server."""
    began = time.perf_counter()
    outcome = OK
    try:
        yield
    except MemorandaError as error:
        outcome = error.code
        raise
    except BaseException:
        outcome = INTERNAL
        raise
    finally:
        calls.ended(FinishedCall(door, operation, outcome, time.perf_counter() - began))

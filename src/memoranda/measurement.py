"""What is measured, and how: methods, the writes of a store, jobs, calls at the doors of a server.

By default nothing is.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeVar, Unpack

from memoranda.calls.finished_call import FinishedCall
from memoranda.exceptions import MemorandaError
from memoranda.ports import Calls, Figures, Telemetry

if TYPE_CHECKING:
    from memoranda.jobs.model import Job
    from memoranda.store.database import Database, Transaction

P = ParamSpec("P")
T = TypeVar("T")


class _NoSpan:
    """A span that nobody hears of."""

    def tell(self, **figures: Unpack[Figures]) -> None:
        """Do nothing."""

    def __enter__(self) -> _NoSpan:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        pass


_SILENCE = _NoSpan()


class NoTelemetry:
    """Telemetry that tells nobody."""

    def span(self, operation: str, backend: str = "") -> AbstractContextManager[_NoSpan]:
        """Return a span that does nothing."""
        return _SILENCE


UNMEASURED = NoTelemetry()


class Measurable(Protocol):
    """Something whose methods can be measured."""

    @property
    def _telemetry(self) -> Telemetry: ...


S = TypeVar("S", bound=Measurable)


def count_one(result: object) -> Figures:
    """Tell of an operation that is about one record."""
    return {"records": 1}


def measured(
    operation: str, figures: Callable[[Any], Figures]
) -> Callable[[Callable[Concatenate[S, P], T]], Callable[Concatenate[S, P], T]]:
    """Have every call of a method measured, with what ``figures`` tells of its result."""

    def decorate(method: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
        @wraps(method)
        def call(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
            telemetry = self._telemetry
            if telemetry is UNMEASURED:
                return method(self, *args, **kwargs)
            with telemetry.span(operation) as span:
                result = method(self, *args, **kwargs)
                span.tell(**figures(result))
                return result

        return call

    return decorate


def measured_database(database: Database, telemetry: Telemetry) -> Database:
    """Return a store whose writes are measured; the same one where nobody wants to know."""
    return database if telemetry is UNMEASURED else MeasuredDatabase(database, telemetry)


class MeasuredDatabase:
    """A store that tells of each write until it is durable."""

    def __init__(self, database: Database, telemetry: Telemetry) -> None:
        self.dialect = database.dialect
        self._database = database
        self._telemetry = telemetry

    def of(self, team: str) -> Database:
        """Return the same store as another team sees it."""
        return MeasuredDatabase(self._database.of(team), self._telemetry)

    def read(self, work: Callable[[Transaction], T]) -> T:
        """Run a piece of work on one consistent snapshot."""
        return self._database.read(work)

    def write(self, work: Callable[[Transaction], T]) -> T:
        """Run a piece of work atomically; return once it is durable."""
        with self._telemetry.span("write", self.dialect):
            return self._database.write(work)

    def reclaim(self) -> str | None:
        """Give back the space of deleted rows; return what may still hold them."""
        return self._database.reclaim()

    def close(self) -> None:
        """Let go of the store. Idempotent."""
        self._database.close()


def measured_jobs(
    handlers: Mapping[str, Callable[[Job], None]], telemetry: Telemetry
) -> Mapping[str, Callable[[Job], None]]:
    """Return the same handlers of jobs, each measured by its kind."""
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
"""The outcome of what ended well."""
INTERNAL = "internal"
"""The outcome of a call that ended with an error that is none of Memoranda's."""


class NoCalls:
    """Calls that nobody watches."""

    def ended(self, call: FinishedCall) -> None:
        """Do nothing."""

    def slow(self, operation: str, seconds: float) -> None:
        """Do nothing."""


UNHEARD = NoCalls()


@contextmanager
def recording_calls(calls: Calls, door: str, operation: str) -> Iterator[None]:
    """Have those who watch a server learn of what is carried out within, and how it ended."""
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

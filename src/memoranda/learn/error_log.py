"""Errors as they were captured, told as records, and what recurs among them.

Nothing is kept beside the observations: what was captured is the record, and what follows from it
is worked out when it is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memoranda.learn.errors import Occurrence, error_type, patterns, severity, signature
from memoranda.learn.errors.types import KINDS
from memoranda.store.database import Database, Transaction
from memoranda.store.tables import observations
from memoranda.store.tables.observations import ObservationFilter
from memoranda.values.error import ErrorPattern, ErrorRecord, ErrorType
from memoranda.values.observation import Observation, ObservationType
from memoranda.values.page import Page, checked_limit
from memoranda.values.scope import Scope

LOOKED = 10_000
"""Newest errors that are looked through."""
MOST = 200
"""Patterns."""
ARROW = " \u2192 "
"""In a summary, between what was done and what came of it."""

_ERRORS = ObservationFilter(type=ObservationType.ERROR, with_repeats=True)
_FIXES = ObservationFilter(type=ObservationType.FIX)


@dataclass(frozen=True, slots=True)
class ErrorFilter:
    """Which errors are meant; None means any."""

    type: ErrorType | None = None
    stage: str | None = None
    severity: float = 0.0
    """At least so bad, 0 to 1."""
    open: bool = False
    """Only those that nothing has ended."""

    def admits(self, record: ErrorRecord) -> bool:
        """Say whether a record is meant."""
        return (
            self.type in (None, record.type)
            and self.stage in (None, record.stage)
            and record.severity >= self.severity
            and not (self.open and record.resolved_by)
        )


class ErrorLog:
    """What failed in a scope."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def list(
        self, scope: Scope, where: ErrorFilter, *, cursor: str | None = None, limit: int = 50
    ) -> Page[ErrorRecord]:
        """Return errors, newest first, of the newest 10,000."""
        checked_limit(limit)

        def work(tx: Transaction) -> list[ErrorRecord]:
            fixes = _fixes(tx, scope)
            told = (_record(one, fixes.get(one.id)) for one in _errors(tx, scope))
            found = (one for one in told if cursor is None or str(one.observation) < cursor)
            return [one for one in found if where.admits(one)][: limit + 1]

        found = self._database.read(work)
        items = tuple(found[:limit])
        return Page(items, items[-1].observation if len(found) > limit else None)

    def patterns(self, scope: Scope, limit: int = MOST) -> Sequence[ErrorPattern]:
        """Return what recurs among the newest 10,000 errors: what stands out from chance first,
        then what was seen most often."""

        def work(tx: Transaction) -> Sequence[Occurrence]:
            fixes = _fixes(tx, scope)
            return [_occurrence(one, fixes.get(one.id)) for one in _errors(tx, scope)]

        return patterns(self._database.read(work), limit)


def _errors(tx: Transaction, scope: Scope) -> list[Observation]:
    """Return errors newest first."""
    if scope.task is None:
        return observations.recent(tx, scope.team, scope.workspace, where=_ERRORS, limit=LOOKED)
    found = observations.in_task(tx, scope.team, scope.task, where=_ERRORS, limit=LOOKED)
    return found[::-1]


def _fixes(tx: Transaction, scope: Scope) -> Mapping[str, Observation]:
    """Return what ended errors, by the errors' ids."""
    if scope.task is None:
        found = observations.recent(tx, scope.team, scope.workspace, where=_FIXES, limit=LOOKED)
    else:
        found = observations.in_task(tx, scope.team, scope.task, where=_FIXES, limit=LOOKED)
    return {one.resolves: one for one in found if one.resolves}


def _record(error: Observation, fix: Observation | None) -> ErrorRecord:
    kind, target, line = _told(error)
    return ErrorRecord(
        team=error.team,
        id=error.ref,
        task=error.task,
        workspace=error.workspace,
        stage=error.stage,
        agent=error.agent,
        type=error_type(kind),
        kind=kind,
        description=line,
        context=target,
        recovery=_first_line(fix.summary) if fix else "",
        severity=severity(kind),
        signature=signature(kind, line),
        observation=error.id,
        resolved_by=fix.id if fix else None,
        created_at=error.created_at,
    )


def _occurrence(error: Observation, fix: Observation | None) -> Occurrence:
    kind, target, line = _told(error)
    contexts = {"tool": error.tool, "stage": error.stage, "agent": error.agent}
    return Occurrence(
        task=error.task,
        step=error.sequence,
        signature=signature(kind, line),
        contexts={name: value for name, value in contexts.items() if value},
        ref=error.ref,
        created_at=error.created_at,
        line=line,
        target=target,
        fix=_first_line(fix.summary) if fix else "",
    )


def _told(error: Observation) -> tuple[str, str, str]:
    """Return the kind of a failure, what was done, and the error's own words."""
    kind = next((tag for tag in error.tags if tag in KINDS), "error")
    first, _, rest = error.summary.partition("\n")
    target, _, outcome = first.partition(ARROW)
    return kind, target, _first_line(rest) or outcome or first


def _first_line(text: str) -> str:
    return text.partition("\n")[0]

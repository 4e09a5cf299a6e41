"""Errors as they were captured or told by hand, and what recurs among them.

What was captured is the record; a note adds what somebody knows beside it. What follows from both
is worked out when it is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import merge
from itertools import islice

from memoranda.errors import InvalidInput, NotFound
from memoranda.learn.error_records import (
    noted,
    occurrence_of,
    occurrence_of_note,
    record_of,
    record_of_note,
)
from memoranda.learn.errors import Occurrence, patterns
from memoranda.learn.recovered import ended_in_words, recovered
from memoranda.store.database import Database, Transaction
from memoranda.store.tables import contents, error_notes, observations
from memoranda.store.tables.observations import ObservationFilter
from memoranda.values.error import ErrorDetail, ErrorPattern, ErrorRecord, ErrorType, PatternKind
from memoranda.values.observation import Observation, ObservationType
from memoranda.values.page import Page, checked_limit, page_of
from memoranda.values.scope import Scope

LOOKED = 10_000
"""Newest errors that are looked through."""
MOST = 200
"""Patterns."""
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
    over: bool = False
    """Only those that something has ended."""

    def admits(self, record: ErrorRecord) -> bool:
        """Say whether a record is meant."""
        return (
            self.type in (None, record.type)
            and self.stage in (None, record.stage)
            and record.severity >= self.severity
            and not (self.open and record.resolved_by)
            and not (self.over and not record.resolved_by)
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
            found = (one for one in _records(tx, scope) if cursor is None or _key(one) < cursor)
            shown = list(islice(filter(where.admits, found), limit + 1))
            return recovered(tx, scope.team, shown)

        found = self._database.read(work)
        return page_of(found, limit, _key)

    def patterns(self, scope: Scope, limit: int = MOST) -> Sequence[ErrorPattern]:
        """Return what recurs among the newest 10,000 errors: what stands out from chance first,
        then what was seen most often."""

        return patterns(self._database.read(lambda tx: _occurrences(tx, scope)), limit)

    def show(self, scope: Scope, ref: str) -> ErrorDetail:
        """Return one error by its short name or id, with the whole of what holds it.

        Raises:
            NotFound: the scope sees none.
            InvalidInput: several ids begin so.
        """

        def work(tx: Transaction) -> tuple[ErrorRecord, str, str, Sequence[Occurrence]]:
            record = error_named(tx, scope, ref)
            ids = [id for id in (record.observation, record.resolved_by) if id]
            texts = contents.texts(tx, scope.team, ids) if ids else {}
            content = texts.get(record.observation or "", record.description)
            fix = texts.get(record.resolved_by or "", record.recovery)
            place = replace(scope, workspace=record.workspace, task=None)
            return record, content, fix, _occurrences(tx, place)

        record, content, fix, seen = self._database.read(work)
        often = (
            one
            for one in patterns(seen, MOST)
            if one.kind is PatternKind.FREQUENCY and one.signature == record.signature
        )
        return ErrorDetail(record, content, fix, next(often, None))


def error_named(tx: Transaction, scope: Scope, ref: str) -> ErrorRecord:
    """Return the error of a short name or an id, or of the beginning of one.

    Raises:
        NotFound: the scope sees none.
        InvalidInput: several ids begin so.
    """
    team = scope.team
    named = observations.matching_name(tx, team, ref) if ref else []
    told = error_notes.by_prefix(tx, team, ref) if ref and "#" not in ref else []
    if len(named) + len(told) > 1:
        raise InvalidInput(f"more than one error begins with {ref!r}; give more of the id")
    record = _captured(tx, team, named[0]) if named else _told(tx, team, told)
    if record is None or scope.workspace not in (None, record.workspace):
        raise NotFound(f"no error {ref!r} in this scope; `memoranda errors list` shows them")
    return record


def _captured(tx: Transaction, team: str, id: str) -> ErrorRecord | None:
    error = observations.by_ids(tx, team, [id])[id]
    if error.type is not ObservationType.ERROR:
        return None
    scope = Scope(team, error.workspace, task=error.task)
    record = record_of(error, _fixes(tx, scope).get(id))
    noticed = noted(record, error_notes.by_observations(tx, team, [id]).get(id))
    return recovered(tx, team, [noticed])[0]


def _told(tx: Transaction, team: str, ids: Sequence[str]) -> ErrorRecord | None:
    note = error_notes.by_id(tx, team, ids[0]) if ids else None
    if note is None or note.observation is None:
        return record_of_note(note) if note else None
    return _captured(tx, team, note.observation)


def _records(tx: Transaction, scope: Scope) -> list[ErrorRecord]:
    """Return captured and told errors, newest first."""
    fixes, errors = _fixes(tx, scope), _errors(tx, scope)
    known = error_notes.by_observations(tx, scope.team, [one.id for one in errors])
    captured = (noted(record_of(one, fixes.get(one.id)), known.get(one.id)) for one in errors)
    told = error_notes.listed(tx, scope.team, scope.workspace, scope.task, limit=LOOKED)
    both = merge(captured, map(record_of_note, told), key=_key, reverse=True)
    return list(both)[:LOOKED]


def _occurrences(tx: Transaction, scope: Scope) -> list[Occurrence]:
    fixes, errors = _fixes(tx, scope), _errors(tx, scope)
    known = error_notes.by_observations(tx, scope.team, [one.id for one in errors])
    told = error_notes.listed(tx, scope.team, scope.workspace, scope.task, limit=LOOKED)
    captured = [occurrence_of(one, fixes.get(one.id), known.get(one.id)) for one in errors]
    ended = {one.ref: (one, fixes[one.id]) for one in errors if one.id in fixes}
    captured = ended_in_words(tx, scope.team, captured, ended)
    return [*captured, *map(occurrence_of_note, told)][:LOOKED]


def _key(record: ErrorRecord) -> str:
    """What orders errors by time: the id of the observation, or of the note."""
    return record.observation or record.id


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

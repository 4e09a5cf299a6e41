"""Error log: captured and reported errors, and recurring patterns.

Captured errors are observations, and notes add information to them. Patterns are computed on
request.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import merge
from itertools import islice
from typing import TypeAlias

from memoranda.costs.model import day_of
from memoranda.errors import note_table as error_notes, table as failures
from memoranda.errors.model import (
    ErrorDay,
    ErrorDetail,
    ErrorNote,
    ErrorPattern,
    ErrorRecord,
    ErrorType,
    PatternKind,
    error_type,
    severity,
)
from memoranda.errors.occurrence import Occurrence
from memoranda.errors.patterns import patterns
from memoranda.errors.records import (
    kind_of,
    occurrence_of,
    occurrence_of_note,
    record_of_note,
    with_note,
    with_signature,
    without_signature,
)
from memoranda.errors.recovered_errors import fix_text, recovered
from memoranda.errors.signature import clear_cache
from memoranda.errors.table import CapturedError, ErrorResolution
from memoranda.exceptions import InvalidInput, NotFound
from memoranda.ids import ambiguous
from memoranda.jobs import table as jobs
from memoranda.jobs.model import JobKind
from memoranda.journal import table as journal
from memoranda.observations import content as contents, table as observations
from memoranda.page import Page, checked_limit, page_of, place_of
from memoranda.scope import Scope
from memoranda.store.database import Database, Transaction

EXAMINED = 10_000
"""Number of newest errors that are read."""
MAXIMUM = 200
"""Maximum number of patterns."""
AT_ONCE = 256
"""Number of errors whose resolutions are read in one batch."""
KEPT = 64
"""Number of scopes with cached patterns, valid until data changes."""


@dataclass(frozen=True, slots=True)
class ErrorFilter:
    """Filter of errors; None means any."""

    type: ErrorType | None = None
    """Only errors of this type."""
    stage: str | None = None
    severity: float = 0.0
    """Minimum severity, 0 to 1."""
    open: bool = False
    """Only open errors."""
    resolved: bool = False
    """Only resolved errors."""
    since: int | None = None
    """Earliest time of the errors, in microseconds since the epoch."""
    until: int | None = None
    """Time that the errors must precede."""

    def __post_init__(self) -> None:
        if not 0 <= self.severity <= 1:  # also rejects NaN
            raise InvalidInput(f"severity must be a number from 0 to 1, not {self.severity}")

    def admits(self, record: ErrorRecord) -> bool:
        """Return whether a record matches."""
        early = self.since is not None and record.created_at < self.since
        late = self.until is not None and record.created_at >= self.until
        fits = self.fits(record.type, record.stage, record.severity, open=record.open)
        return fits and not early and not late and not (self.resolved and record.failed_again)

    def fits(self, type: ErrorType, stage: str | None, severity: float, *, open: bool) -> bool:
        """Return whether an error with these attributes matches."""
        return (
            self.type in (None, type)
            and self.stage in (None, stage)
            and severity >= self.severity
            and not (self.open and not open)
            and not (self.resolved and open)
        )


_Place: TypeAlias = tuple[str, str | None, str | None]
"""A team, and optionally a workspace or task in it."""


class ErrorLog:
    """Errors of a scope."""

    def __init__(self, database: Database, *, with_patterns: bool = True) -> None:
        """Create the service; ``with_patterns`` enables the search for patterns."""
        self._database = database
        self._with_patterns = with_patterns
        self._kept: dict[_Place, tuple[str, Sequence[ErrorPattern]]] = {}
        self._keeping = threading.Lock()

    def list(
        self, scope: Scope, where: ErrorFilter, *, cursor: str | None = None, limit: int = 50
    ) -> Page[ErrorRecord]:
        """Return errors, newest first; at most 10,000 are read."""
        checked_limit(limit)
        before = place_of(cursor, first=failures.NEWEST)

        def work(tx: Transaction) -> list[ErrorRecord]:
            found = islice(_records(tx, scope, before, where), EXAMINED)
            shown = islice(filter(where.admits, found), limit + 1)
            return recovered(tx, scope.team, [with_signature(record) for record in shown])

        records = self._database.read(work)
        return page_of(records, limit, _key)

    def patterns(self, scope: Scope, limit: int = MAXIMUM) -> Sequence[ErrorPattern]:
        """Return recurring patterns among the newest 10,000 errors.

        Significant patterns come first, then the most frequent ones.
        """
        if not self._with_patterns:
            return []
        if limit > MAXIMUM:
            return patterns(self._database.read(lambda tx: _occurrences(tx, scope)), limit)
        return self._database.read(lambda tx: self._patterns(tx, scope))[:limit]

    def days(self, scope: Scope) -> Sequence[ErrorDay]:
        """Return the UTC days with errors, oldest first."""
        found = self._database.read(
            lambda tx: failures.by_day(tx, scope.team, scope.workspace, scope.task)
        )
        return [ErrorDay(day_of(day), *counts) for day, counts in sorted(found.items())]

    def show(self, scope: Scope, ref: str) -> ErrorDetail:
        """Return one error by its short name or id, with its full observation.

        Raises:
            NotFound: there is no such error in the scope.
            InvalidInput: several ids have this prefix.
        """

        def work(tx: Transaction) -> tuple[ErrorRecord, str, str, Sequence[ErrorPattern]]:
            record = error_named(tx, scope, ref)
            ids = [id for id in (record.observation, record.resolved_by) if id]
            texts = contents.texts(tx, scope.team, ids) if ids else {}
            content = texts.get(record.observation or "", record.description)
            fix = texts.get(record.resolved_by or "", record.recovery)
            place = replace(scope, workspace=record.workspace, task=None)
            return record, content, fix, self._patterns(tx, place)

        record, content, fix, error_patterns = self._database.read(work)
        often = (
            pattern
            for pattern in error_patterns
            if pattern.kind is PatternKind.FREQUENCY and pattern.signature == record.signature
        )
        return ErrorDetail(record, content, fix, next(often, None))

    def forget(self) -> None:
        """Clear the cache of errors."""
        with self._keeping:
            self._kept.clear()
        clear_cache()

    def _patterns(self, tx: Transaction, scope: Scope) -> Sequence[ErrorPattern]:
        """Return the first patterns of a scope, cached until data changes."""
        if not self._with_patterns:
            return ()
        place, version = (scope.team, scope.workspace, scope.task), _version(tx, scope.team)
        with self._keeping:
            before, error_patterns = self._kept.get(place, ("", ()))
        if version and before == version:
            return error_patterns
        error_patterns = patterns(_occurrences(tx, scope), MAXIMUM)
        with self._keeping:
            self._kept.pop(place, None)
            self._kept[place] = version, error_patterns
            while len(self._kept) > KEPT:
                del self._kept[next(iter(self._kept))]
        return error_patterns


def _version(tx: Transaction, team: str) -> str:
    """Return the version of all data that patterns depend on.

    The version is empty while stages are being computed, which the journal does not show.
    """
    return "" if jobs.waiting(tx, team, JobKind.DISTIL) else journal.version(tx, team)


def error_named(tx: Transaction, scope: Scope, ref: str) -> ErrorRecord:
    """Return the error with the given short name, id, or id prefix.

    Raises:
        NotFound: there is no such error in the scope.
        InvalidInput: several ids have this prefix.
    """
    team = scope.team
    named = observations.matching_name(tx, team, ref) if ref else []
    recorded = error_notes.by_prefix(tx, team, ref) if ref and "#" not in ref else []
    records = [_captured(tx, team, id) for id in named] + [
        _recorded(tx, team, id) for id in recorded
    ]
    seen = {
        record.id: record
        for record in records
        if record and scope.workspace in (None, record.workspace)
    }
    if len(seen) > 1:
        raise InvalidInput(ambiguous("error", ref, list(seen)))
    if not seen:
        raise NotFound(f"no error {ref!r} in this scope; `memoranda errors list` lists the errors")
    return seen.popitem()[1]


def _captured(tx: Transaction, team: str, id: str) -> ErrorRecord | None:
    error = failures.by_ids(tx, team, [id]).get(id)
    if error is None:
        return None
    open = id in failures.still_open(tx, team, [id])
    record = without_signature(error, failures.ended(tx, team, [id]).get(id), open=open)
    record = replace(record, failed_again=failures.failed_again(tx, team, [id]).get(id, ""))
    noticed = with_note(record, error_notes.by_observations(tx, team, [id]).get(id))
    return recovered(tx, team, [with_signature(noticed)])[0]


def _recorded(tx: Transaction, team: str, id: str) -> ErrorRecord | None:
    note = error_notes.by_id(tx, team, id)
    if note is None or note.observation is None:
        return record_of_note(note) if note else None
    return _captured(tx, team, note.observation)


def _records(
    tx: Transaction, scope: Scope, before: str, where: ErrorFilter
) -> Iterator[ErrorRecord]:
    """Yield captured and reported errors without signatures, newest first.

    The errors are read lazily. Only some of the errors that the filter excludes are omitted; the
    caller applies the filter again.
    """
    captured = _captured_before(tx, scope, before, where)
    recorded = error_notes.listed(
        tx, scope.team, scope.workspace, scope.task, before=before, limit=EXAMINED
    )
    return merge(captured, map(record_of_note, recorded), key=_key, reverse=True)


def _captured_before(
    tx: Transaction, scope: Scope, before: str, where: ErrorFilter
) -> Iterator[ErrorRecord]:
    captured_errors = failures.newest(
        tx, scope.team, scope.workspace, scope.task, before=before, limit=EXAMINED
    )
    while errors := list(islice(captured_errors, AT_ONCE)):
        fixes, endings = _endings(tx, scope.team, errors)
        standing = failures.still_open(tx, scope.team, [error.id for error in errors])
        unended = [
            captured_error.id
            for captured_error in errors
            if captured_error.id not in fixes and captured_error.id not in standing
        ]
        again = failures.failed_again(tx, scope.team, unended)
        for item in errors:
            fix, note = fixes.get(item.id), endings.get(item.id)
            kind, open = kind_of(item.tags), item.id in standing
            type = error_type(kind, item.tags)
            if note or where.fits(type, item.stage, severity(kind), open=open):
                # building a record for an error without notes takes longer
                record = without_signature(item, fix, open=open)
                record = replace(record, failed_again=again.get(item.id, ""))
                yield with_note(record, note)


def _occurrences(tx: Transaction, scope: Scope) -> list[Occurrence]:
    team, place = scope.team, (scope.workspace, scope.task)
    errors = list(failures.newest(tx, team, *place, limit=EXAMINED))
    fixes, endings = _endings(tx, team, errors)
    recorded = error_notes.listed(tx, team, *place, limit=EXAMINED)
    captured = [
        occurrence_of(error, fixes.get(error.id), endings.get(error.id)) for error in errors
    ]
    ended = {
        captured_error.ref: (captured_error.id, fixes[captured_error.id])
        for captured_error in errors
        if captured_error.id in fixes
    }
    captured = fix_text(tx, team, captured, ended)
    return [*captured, *map(occurrence_of_note, recorded)][:EXAMINED]


def _endings(
    tx: Transaction, team: str, errors: Sequence[CapturedError]
) -> tuple[dict[str, ErrorResolution], dict[str, ErrorNote]]:
    """Return the resolutions of errors, and the notes on them."""
    ids = [error.id for error in errors]
    return failures.ended(tx, team, ids), error_notes.by_observations(tx, team, ids)


def _key(record: ErrorRecord) -> str:
    """Return the sort key by time: the id of the observation or note."""
    return record.observation or record.id

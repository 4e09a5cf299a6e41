"""Error notes: errors reported by people and agents, and resolutions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from memoranda.clock import Clock
from memoranda.errors import note_table as error_notes
from memoranda.errors.error_log import error_named
from memoranda.errors.model import ErrorNote, ErrorRecord, ErrorType
from memoranda.exceptions import InvalidInput, NotFound
from memoranda.ids import IdSource
from memoranda.jobs import table as jobs
from memoranda.jobs.model import Job, JobKind
from memoranda.journal import table as journal
from memoranda.observations import table as observations
from memoranda.ports import Sanitiser
from memoranda.scope import Scope
from memoranda.stages.model import StageName
from memoranda.store.database import Database, Transaction
from memoranda.text import normalise, one_line

DESCRIPTION = 500
MAX_LENGTH = 2_000
"""Maximum number of characters of an error's context, and of its resolution."""
_T = ErrorType
DEFAULT: Mapping[ErrorType, float] = {
    _T.HALLUCINATION: 0.7,
    _T.CONTEXT_DEGRADATION: 0.7,
    _T.PERMISSION: 0.7,
    _T.TEST: 0.6,
    _T.BUILD: 0.6,
    _T.TOOL: 0.5,
    _T.MISSING_INFO: 0.5,
    _T.INCORRECT_ACTION: 0.5,
}
"""Default severity of an error by type."""


@dataclass(frozen=True, slots=True)
class ErrorReport:
    """Report of an error by a person or an agent."""

    description: str
    type: ErrorType
    severity: float | None = None
    """Severity, 0 to 1; None for the default of the type."""
    stage: str | None = None
    context: str = ""
    """Action during which the error occurred."""
    recovery: str = ""
    """What resolved it."""
    about: str | None = None
    """Short name or id of the captured error that the report is about, if any."""


class ErrorNotes:
    """Store of reported errors.

    Each report is stored in one transaction, with a row in the journal.
    """

    def __init__(
        self, database: Database, sanitiser: Sanitiser, clock: Clock, ids: IdSource
    ) -> None:
        self._database = database
        self._sanitiser = sanitiser
        self._clock = clock
        self._ids = ids

    def cleaned(self, report: ErrorReport) -> ErrorReport:
        """Return a report as it is stored, without secrets.

        Raises:
            InvalidInput: there is no text, a text is too long, or the severity or the stage is
                invalid.
        """
        severity = report.severity
        if severity is not None and not (math.isfinite(severity) and 0 <= severity <= 1):
            raise InvalidInput("severity must be between 0 (minor) and 1 (blocking)")
        if report.stage not in (None, *StageName):
            raise InvalidInput(f"stage must be one of {', '.join(StageName)}")
        description = one_line(self._text(report.description, DESCRIPTION, "an error"))
        if not description:
            raise InvalidInput("an error needs a description")
        return replace(
            report,
            description=description,
            context=self._text(report.context, MAX_LENGTH, "the context of the error"),
            recovery=self._text(report.recovery, MAX_LENGTH, "the description of the resolution"),
        )

    def ending(self, recovery: str) -> str:
        """Return a resolution as it is stored, without secrets.

        Raises:
            InvalidInput: the text is empty or too long.
        """
        ended = self._text(recovery, MAX_LENGTH, "the description of the resolution")
        if not ended:
            raise InvalidInput("specify the description of the resolution")
        return ended

    def named(self, scope: Scope, ref: str) -> ErrorRecord:
        """Return the error with the given short name, id, or id prefix.

        Raises:
            NotFound: there is no such error in the scope.
        """
        return self._database.read(lambda tx: error_named(tx, scope, ref))

    def recorded(self, tx: Transaction, scope: Scope, report: ErrorReport, id: str) -> ErrorRecord:
        """Add a note with attributes that an error's observation lacks."""
        observation = observations.by_ids(tx, scope.team, [id])[id]
        scope = replace(scope, workspace=observation.workspace, task=observation.task)
        note = self._note(
            scope, replace(report, recovery=""), observation.workspace, observation.sequence
        )
        self._put(tx, scope, replace(note, observation=id), "error record")
        return error_named(tx, scope, id)

    def ended(
        self, tx: Transaction, scope: Scope, record: ErrorRecord, recovery: str, fix: str | None
    ) -> ErrorRecord:
        """Record the resolution of an error; a later one replaces it.

        ``fix`` is the observation that states the resolution; None for an error without an
        observation.
        """
        if record.observation:
            report = ErrorReport(
                record.description, record.type, record.severity, record.stage, record.context
            )
            return self._about(tx, scope, record, replace(report, recovery=recovery), fix)
        note = error_notes.by_id(tx, scope.team, record.id)
        assert note is not None
        self._put(tx, scope, self._resolved(scope, replace(note, recovery=recovery)), "error end")
        return error_named(tx, scope, note.id)

    def remarked(
        self,
        tx: Transaction,
        scope: Scope,
        record: ErrorRecord,
        report: ErrorReport,
        fix: str | None,
    ) -> ErrorRecord:
        """Add a note about a captured error.

        Raises:
            NotFound: the error was recorded manually.
        """
        stored = error_notes.by_observations(tx, scope.team, [record.observation or ""])
        earlier = stored.get(record.observation or "")
        if record.observation is None or (earlier and earlier.by_hand):
            raise NotFound(f"{record.id!r} is a manual error; use `memoranda errors resolve`")
        return self._about(tx, scope, record, report, fix)

    def _about(
        self,
        tx: Transaction,
        scope: Scope,
        record: ErrorRecord,
        report: ErrorReport,
        fix: str | None,
    ) -> ErrorRecord:
        """Store a note about an error that has an observation."""
        assert record.observation is not None
        stored = error_notes.by_observations(tx, scope.team, [record.observation])
        note = self._note(replace(scope, task=record.task), report, record.workspace, 0)
        earlier = stored.get(record.observation)
        note = replace(
            note,
            id=earlier.id if earlier else note.id,
            observation=record.observation,
            recovery=note.recovery or (earlier.recovery if earlier else ""),
        )
        if note.recovery:
            note = self._resolved(scope, note, fix)
            error_notes.end_captured(tx, scope.team, record.observation)
        self._put(tx, scope, note, "error end" if note.recovery else "error record")
        return error_named(tx, scope, record.id)

    def _resolved(self, scope: Scope, note: ErrorNote, fix: str | None = None) -> ErrorNote:
        return replace(note, resolved_by=fix or scope.actor, resolved_at=self._clock.now())

    def _note(self, scope: Scope, report: ErrorReport, workspace: str, position: int) -> ErrorNote:
        severity = report.severity
        return ErrorNote(
            team=scope.team,
            id=self._ids.new(),
            workspace=workspace,
            task=scope.task,
            stage=report.stage,
            agent=scope.agent or "",
            type=report.type,
            description=report.description,
            context=report.context,
            recovery=report.recovery,
            severity=DEFAULT[report.type] if severity is None else severity,
            observation=None,
            position=position,
            created_at=self._clock.now(),
        )

    def _put(self, tx: Transaction, scope: Scope, note: ErrorNote, operation: str) -> None:
        error_notes.put(tx, note)
        now, actor = self._clock.now(), scope.actor
        entry = journal.NewJournalEntry(now, actor, operation, note.id, {"type": note.type.value})
        journal.append(tx, note.team, entry)
        if note.task:
            job = Job.waiting(note.team, self._ids.new(), JobKind.DISTIL, note.task, now)
            jobs.enqueue(tx, job, now)

    def _text(self, text: str, most: int, what: str) -> str:
        clean = self._sanitiser.clean(normalise(text)).strip()
        if len(clean) > most:
            raise InvalidInput(f"{what} may have at most {most:,} characters")
        return clean

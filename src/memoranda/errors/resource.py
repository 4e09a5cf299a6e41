"""Operations for errors: record, list, resolve, and find patterns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memoranda.capture.event import Event, EventKind, EventSource
from memoranda.errors.error_log import ErrorFilter
from memoranda.errors.model import (
    ErrorDay,
    ErrorDetail,
    ErrorPattern,
    ErrorRecord,
    ErrorType,
    RefinedPattern,
)
from memoranda.exceptions import InvalidInput, NotFound
from memoranda.instrumentation import count_one, measured
from memoranda.observations.backlink_model import ErrorCount
from memoranda.observations.backlinks import checked, errors_of
from memoranda.observations.content import DOING
from memoranda.observations.model import ObservationType, Origin
from memoranda.operation_declaration import read, write
from memoranda.page import Page, checked_limit
from memoranda.resource import Resource, member
from memoranda.scope import Scope
from memoranda.store.database import Transaction
from memoranda.tasks.reference import TaskReference, find_to_write
from memoranda.text import normalise, one_line

if TYPE_CHECKING:
    from memoranda.errors.reported_errors import ErrorReport

MAX_REFINED = 50
"""Maximum number of patterns, each of which needs one model request."""

ANY_ERROR = ErrorFilter()


class ErrorsResource(Resource):
    """``memory.errors``: errors, captured or recorded manually, and what resolved them."""

    @write("errors.record")
    @measured("record_error", count_one)
    def record(
        self,
        description: str,
        *,
        type: ErrorType | str,
        workspace: str | None = None,
        task: TaskReference | None = None,
        stage: str | None = None,
        severity: float | None = None,
        context: str = "",
        recovery: str = "",
        about: str | None = None,
    ) -> ErrorRecord:
        """Record an error that no tool reported, or add to a captured one.

        ``about`` is the captured error to extend. A new task name begins a new task.

        Args:
            severity: 0 to 1; by default the usual severity of the type.
            context: what was being done.
            recovery: what resolved the error, if it is resolved.

        Raises:
            InvalidInput: the description is empty, the type is unknown, the severity is out of
                range, or the workspace is not determined.
            NotFound: there is no task with that number, or no such captured error.
        """
        from memoranda.errors.reported_errors import ErrorReport

        report = ErrorReport(
            description,
            member(ErrorType, type),
            _severity(severity),
            stage,
            context,
            recovery,
            normalise(about) if about else None,
        )
        report = self._services.error_notes.cleaned(report)
        if report.about:
            return self._remark(self._within(workspace, task), report)
        scope = self._somewhere(workspace, task)
        if scope.workspace is None and task is None:
            raise InvalidInput("specify the workspace or task of the error")
        record = self._recorded(scope, report, task if scope.task is None else scope.task)
        scope = replace(scope, workspace=record.workspace, new_workspace=None)
        if report.recovery:
            record = self._ended(scope, record, report.recovery)
        return record

    @read("errors.list")
    def list(
        self,
        where: ErrorFilter = ANY_ERROR,
        *,
        workspace: str | None = None,
        task: TaskReference | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[ErrorRecord]:
        """List errors, newest first, with what resolved each."""
        scope = self._within(workspace, task)
        return self._services.errors.list(scope, where, cursor=cursor, limit=limit)

    @read("errors.show")
    def show(self, id: str, *, workspace: str | None = None) -> ErrorDetail:
        """Show an error in full, what resolved it, and its pattern.

        Raises:
            NotFound: there is no error with this name.
        """
        return self._services.errors.show(self._within(workspace, None), normalise(id))

    @write("errors.resolve")
    @measured("resolve_error", count_one)
    def resolve(self, id: str, recovery: str, *, workspace: str | None = None) -> ErrorRecord:
        """Record what resolved an error.

        The error counts as resolved from then on.

        Raises:
            InvalidInput: the text is empty.
            NotFound: there is no error with this name.
        """
        scope = self._within(workspace, None)
        ended = self._services.error_notes.ending(recovery)
        return self._ended(scope, self._services.error_notes.named(scope, normalise(id)), ended)

    @read("errors.count")
    def count(self, tasks: Sequence[TaskReference]) -> tuple[ErrorCount, ...]:
        """Count the errors of tasks, and how many are unresolved.

        An error is open until something resolves it.

        Raises:
            NotFound: there is no such task.
            InvalidInput: there are more than 200 tasks.
        """
        checked(tasks)
        chosen = [task.id for task in map(self._task, tasks)]
        return self._database.read(lambda tx: errors_of(tx, self._scope.team, chosen))

    @read("errors.days")
    def days(
        self, *, workspace: str | None = None, task: TaskReference | None = None
    ) -> Sequence[ErrorDay]:
        """Count errors by day, and how many are unresolved.

        An error is open until something resolves it.
        """
        return self._services.errors.days(self._within(workspace, task))

    @read("errors.patterns")
    def patterns(
        self, *, workspace: str | None = None, task: TaskReference | None = None, limit: int = 50
    ) -> Sequence[ErrorPattern]:
        """List errors that recur, the most significant first.

        A pattern is a repeated cause, a cause that occurs shortly after another, or a cause that
        occurs mostly with a certain tool, stage or agent. The patterns that deviate most from
        chance come first.
        """
        checked_limit(limit)
        return self._services.errors.patterns(self._within(workspace, task), limit)

    @write("errors.refine")
    def refine(
        self, *, workspace: str | None = None, task: TaskReference | None = None, limit: int = 10
    ) -> Sequence[RefinedPattern]:
        """List recurring errors as described by a language model.

        Each pattern (at most 50) may need one request to the model, which costs money only once. If
        the model's text is unusable or unavailable, the measured values are used and ``declined``
        states why.
        """
        if not 1 <= limit <= MAX_REFINED:
            raise InvalidInput(f"limit must be between 1 and {MAX_REFINED}")
        scope = self._within(workspace, task)
        return self._services.refining.refine(scope, self._services.errors.patterns(scope, limit))

    def _recorded(
        self, scope: Scope, report: ErrorReport, task: TaskReference | None
    ) -> ErrorRecord:
        """Store an error as an observation, with a note for its other attributes."""
        doing = f"\n{DOING}{one_line(report.context)}" if report.context else ""
        event = self._event(scope, EventKind.ERROR, report.description + doing, task)
        notes = self._services.error_notes
        return self._stored_with(scope, event, lambda tx, id: notes.recorded(tx, scope, report, id))

    def _remark(self, scope: Scope, report: ErrorReport) -> ErrorRecord:
        """Add a note to a captured error, and a resolution as an observation."""
        notes = self._services.error_notes
        record = notes.named(scope, report.about or "")
        if report.recovery and record.observation:
            fix = self._fix(scope, record, report.recovery)
            return self._stored_with(
                scope, fix, lambda tx, id: notes.remarked(tx, scope, record, report, id)
            )
        return self._written(lambda tx: notes.remarked(tx, scope, record, report, None))

    def _ended(self, scope: Scope, record: ErrorRecord, recovery: str) -> ErrorRecord:
        """Record a resolution as an observation."""
        notes = self._services.error_notes
        if record.observation is None:
            return self._written(lambda tx: notes.ended(tx, scope, record, recovery, None))
        fix = self._fix(scope, record, recovery)
        return self._stored_with(
            scope, fix, lambda tx, id: notes.ended(tx, scope, record, recovery, id)
        )

    def _fix(self, scope: Scope, record: ErrorRecord, recovery: str) -> Event:
        place = replace(scope, workspace=record.workspace, task=record.task)
        event = self._event(place, EventKind.MESSAGE, recovery, record.task)
        return replace(event, type=ObservationType.FIX, resolves=record.observation)

    def _event(self, scope: Scope, kind: EventKind, text: str, task: TaskReference | None) -> Event:
        """Return the event of a manual record; a new name creates its task.

        Without a task, the event belongs to the workspace's task for records without a task.
        """
        host, session = self._session(task or "default", self._name(scope))
        now = self._services.clock.now()
        return Event(
            kind=kind,
            host=host,
            session=session,
            source=EventSource.API,
            key=self._services.ids.new(),
            origin=Origin.AGENT if scope.agent else Origin.HUMAN,
            occurred_at=now,
            agent=scope.agent or "human",
            text=text,
            failed=kind is EventKind.ERROR,
            recorded=True,
        )

    def _stored_with(
        self, scope: Scope, event: Event, then: Callable[[Transaction, str], ErrorRecord]
    ) -> ErrorRecord:
        label = self._name(scope)
        record = self._services.intake.record(event, actor=scope.actor, workspace=label, then=then)
        self._services.background.wake()
        self._wait_for_handlers()
        return record

    def _name(self, scope: Scope) -> str | None:
        """Return the name of the workspace of a scope."""
        new = scope.new_workspace
        return new.name if new else self._label(scope.workspace)

    def _written(self, work: Callable[[Transaction], ErrorRecord]) -> ErrorRecord:
        record = self._database.write(work)
        self._services.enqueue_rendering(record.workspace)
        self._services.background.wake()
        return record

    def _somewhere(self, workspace: str | None, task: TaskReference | None) -> Scope:
        """Return the scope to write to; new names create a workspace and a task."""
        try:
            return self._within(workspace, task)
        except NotFound:
            if task is None and workspace is None:
                raise
            scope, team = self._within(workspace, None, new=True), self._scope.team
            place = scope.workspace
            if task and self._database.read(lambda tx: find_to_write(tx, team, task, place)):
                raise  # it is a task of another workspace
        return scope


def _severity(value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InvalidInput("severity must be a number from 0 to 1")
    return float(value)
